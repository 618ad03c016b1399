# SPDX-License-Identifier: Apache-2.0
"""Whole lives of joulie-agent: starts that fail, deaths, hangs, ends that do not succeed at once.

In each the caps of a machine are given back by whoever is left, within the bound that
docs/capping.md states for that way to die. Machines are folders; processes are real.
"""

import errno
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

import syscalls
from checkout import DEV
from test_agent import AGENT, FOUND_UW, Machine, children_of, is_alive, remnants
from waiting import DEADLINE_S, wait_until

JOULIE = os.environ.get("JOULIE_PROGRAM", str(DEV / "bin" / "joulie"))


class Life(Machine):
    def wait_for_originals(self, deadline_s=DEADLINE_S):
        wait_until(
            lambda: f"the limits that were found; log: {self.said()}",
            self.have(FOUND_UW, FOUND_UW),
            deadline_s,
        )

    def kill(self, agent):
        agent.kill()
        agent.wait()

    def run_other(self, *arguments):
        """Another agent of the same machine that is to end by itself."""
        with self.log.open("ab") as log:
            return subprocess.run(
                [str(word) for word in (AGENT, "--root", self.root, *arguments)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=DEADLINE_S,
                check=False,
            ).returncode


class Successor(Life):
    """One that cannot start takes nothing over, and what it cannot keep it does not promise."""

    def die_and_fail_to_return(self, *arguments):
        agent = self.start("--watchdog-timeout", "3s")
        self.wait_for_cap(120)
        self.kill(agent)
        cluster = ("--agent-mode", "daemonset", "--node-name", "n1", *arguments)
        self.assertNotEqual(self.run_other(*cluster), 0)
        self.wait_for_originals()

    def test_one_whose_address_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.die_and_fail_to_return("--server", "127.0.0.1:1", "--metrics-addr", address)
        self.assertIn("METRICS_ADDR", self.said())

    def test_one_whose_kubeconfig_is_missing(self):
        self.die_and_fail_to_return("--kubeconfig", self.folder / "nowhere")
        self.assertIn("nowhere", self.said())


class Unclaimed(Life):
    """One that dies while it starts has nothing that its child could give back."""

    def test_its_child_does_not_outlive_the_machine(self):
        killed = ("strace", "-qq", "-o", "/dev/null", "-e", "inject=flock:signal=SIGKILL:when=1")
        with self.log.open("ab") as log:
            subprocess.run(
                [*killed, *map(str, self.arguments("--watchdog-timeout", "1s"))],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=DEADLINE_S,
                check=False,
            )
        children = remnants(self.root)
        self.assertEqual(len(children), 1, self.said())
        shutil.rmtree(self.root)
        wait_until(
            lambda: f"the end of the child; log: {self.said()}", lambda: not is_alive(children[0])
        )


class Kernel(Life):
    """What an older kernel, or the filter of a container, refuses."""

    def test_a_child_that_cannot_close_a_range_sees_the_agent_die(self):
        for number in (errno.ENOSYS, errno.EPERM):
            with self.subTest(errno.errorcode[number]):
                agent = self.start(
                    "--watchdog-timeout=300ms",
                    preexec_fn=syscalls.refuse(syscalls.CLOSE_RANGE, number),
                )
                self.wait_for_cap(120)
                (watcher,) = children_of(agent.pid)
                self.kill(agent)
                self.wait_for_originals()
                wait_until("its end", lambda pid=watcher: not is_alive(pid))

    def test_it_keeps_no_descriptor_all_the_same(self):
        agent = self.start(preexec_fn=syscalls.refuse(syscalls.CLOSE_RANGE))
        self.wait_for_cap(120)
        (watcher,) = children_of(agent.pid)
        folder = Path(f"/proc/{watcher}/fd")
        wait_until(
            lambda: f"five descriptors: {sorted(os.listdir(folder))}",
            lambda: sorted(os.listdir(folder)) == ["0", "1", "2", "3", "4"],
        )


class Hang(Life):
    """An agent that is stopped, or whose steps are, as a debugger, a full disk or a driver may do."""

    def test_a_stopped_agent_is_ended_and_its_caps_are_given_back(self):
        agent = self.start()
        self.wait_for_cap(120)
        agent.send_signal(signal.SIGSTOP)
        self.wait_for_originals(60)
        self.assertEqual(agent.wait(DEADLINE_S), -signal.SIGKILL)
        self.wait_for_words(f"process {agent.pid}, has been silent")

    def test_the_kill_switch_does_not_wait_so_long(self):
        agent = self.start()
        self.wait_for_cap(120)
        agent.send_signal(signal.SIGSTOP)
        done = subprocess.run(
            [JOULIE, "cap", "release", "--all", "--root", self.root],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr + self.said())
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_child_that_was_stopped_with_the_agent_does_not_count_that_time(self):
        agent = self.start()
        self.wait_for_cap(120)
        (watcher,) = children_of(agent.pid)
        agent.send_signal(signal.SIGSTOP)
        os.kill(watcher, signal.SIGSTOP)
        disable = self.root / "etc/joulie/disable"
        disable.parent.mkdir()
        disable.touch()  # so that 10 s would be too many
        time.sleep(16)  # no less, because this is about what does not happen
        os.kill(watcher, signal.SIGCONT)
        agent.send_signal(signal.SIGCONT)
        self.wait_for_originals()
        disable.unlink()
        self.wait_for_cap(120)
        self.assertEqual(self.finish(agent), 0)


class Stubborn(Life):
    """What cannot be given back at once is given back as soon as it can."""

    def move_away(self, package=0):
        """Its zone, as a driver that is loaded again does. What it lacks it has lost the key of."""
        zone = self.limits[package].parent
        away = self.folder / "away"
        zone.rename(away)
        return lambda: away.rename(zone)

    def test_a_zone_that_is_away_for_a_moment_after_a_death(self):
        agent = self.start("--watchdog-timeout=300ms")
        self.wait_for_cap(120)
        come_back = self.move_away()
        self.kill(agent)
        self.wait_for_words("the caps cannot be given back yet")
        come_back()
        self.wait_for_originals()

    def test_a_zone_that_is_away_for_a_moment_at_the_end(self):
        agent = self.start()
        self.wait_for_cap(120)
        come_back = self.move_away()
        agent.send_signal(signal.SIGTERM)
        self.wait_for_words("still open: rapl/package-0/long_term")
        come_back()
        self.assertEqual(agent.wait(DEADLINE_S), 0, self.said())
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_zone_that_is_away_longer_than_the_end_takes(self):
        agent = self.start()
        self.wait_for_cap(120)
        (watcher,) = children_of(agent.pid)
        come_back = self.move_away()
        self.assertEqual(self.finish(agent), 1)
        self.wait_for_words("the agent ended with caps in force")
        come_back()
        self.wait_for_originals()
        wait_until("its end", lambda: not is_alive(watcher))

    def test_a_lock_that_is_busy_for_a_moment(self):
        agent = self.start("--watchdog-timeout=300ms")
        self.wait_for_cap(120)
        with (self.state / "writer.lock").open() as lock:
            self.kill(agent)
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.wait_for_words("holds the lock")
            self.assertEqual(self.read_limits(), [120000000] * 2)
        self.wait_for_originals()

    def test_a_child_that_was_killed_just_before(self):
        agent = self.start("--watchdog-timeout=300ms", "--control-interval", "1h")
        self.wait_for_cap(120)
        (first,) = children_of(agent.pid)
        time.sleep(1.1)  # one that dies at once is not replaced at once
        os.kill(first, signal.SIGKILL)
        wait_until("another child", lambda: children_of(agent.pid) not in ([], [first]))
        self.kill(agent)
        self.wait_for_originals()

    def test_a_state_folder_that_was_removed_ends_it(self):
        agent = self.start("--watchdog-timeout=300ms")
        self.wait_for_cap(120)
        (watcher,) = children_of(agent.pid)
        shutil.rmtree(self.root)
        self.kill(agent)
        wait_until("its end", lambda: not is_alive(watcher))
        self.wait_for_words("nobody knows what to give back")


if __name__ == "__main__":
    unittest.main()
