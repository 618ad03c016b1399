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

import syscalls
from checkout import DEV
from test_agent import AGENT, FOUND_UW, Machine, capds_of, files_of, is_alive, remnants
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
    """One that dies while it starts has nothing that could be given back."""

    def test_its_joulie_capd_ends_at_once(self):
        killed = ("strace", "-qq", "-o", "/dev/null", "-e", "inject=sendto:signal=SIGKILL:when=1")
        with self.log.open("ab") as log:
            subprocess.run(
                [*killed, *map(str, self.arguments("--watchdog-timeout", "1h"))],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=DEADLINE_S,
                check=False,
            )
        wait_until(lambda: f"an end; log: {self.said()}", lambda: not remnants(self.root))
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)


class Kernel(Life):
    """What an older kernel, or the filter of a container, refuses."""

    def test_without_close_range_it_keeps_nothing_and_sees_the_agent_die(self):
        for number in (errno.ENOSYS, errno.EPERM):
            with self.subTest(errno.errorcode[number]):
                agent = self.start(
                    "--watchdog-timeout=300ms",
                    preexec_fn=syscalls.refuse(syscalls.CLOSE_RANGE, number),
                )
                self.wait_for_cap(120)
                (capd,) = capds_of(agent.pid)
                own = f"^(/dev/null|socket:.*|{self.log}|{self.root.resolve()}(/.*)?)$"
                for name in files_of(capd):
                    self.assertRegex(name, own)
                self.kill(agent)
                self.wait_for_originals()
                wait_until("its end", lambda pid=capd: not is_alive(pid))


class Hang(Life):
    """An agent that is stopped, or whose steps are, as a debugger, a full disk or a driver may do."""

    def test_a_stopped_agent_has_its_caps_given_back_and_caps_again_when_it_goes_on(self):
        agent = self.start()
        self.wait_for_cap(120)
        agent.send_signal(signal.SIGSTOP)
        self.wait_for_originals(60)
        self.wait_for_words(f"process {agent.pid} is silent")
        agent.send_signal(signal.SIGCONT)
        self.wait_for_cap(120)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

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

    def test_joulie_capd_that_was_stopped_with_the_agent_does_not_count_that_time(self):
        agent = self.start()
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        agent.send_signal(signal.SIGSTOP)
        os.kill(capd, signal.SIGSTOP)
        disable = self.root / "etc/joulie/disable"
        disable.parent.mkdir()
        disable.touch()  # so that 10 s would be too many
        time.sleep(16)  # no less, because this is about what does not happen
        os.kill(capd, signal.SIGCONT)
        agent.send_signal(signal.SIGCONT)
        self.wait_for_originals()
        self.assertEqual(capds_of(agent.pid), [capd], self.said())
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
        self.wait_for_words("1 controls cannot be given back yet")
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
        (capd,) = capds_of(agent.pid)
        come_back = self.move_away()
        self.assertEqual(self.finish(agent), 1)
        self.assertTrue(is_alive(capd))
        come_back()
        self.wait_for_originals()
        wait_until("its end", lambda: not is_alive(capd))

    def test_a_lock_that_is_busy_for_a_moment(self):
        agent = self.start("--watchdog-timeout=300ms")
        self.wait_for_cap(120)
        with (self.state / "writer.lock").open() as lock:
            self.kill(agent)
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.wait_for_words("holds the lock")
            self.assertEqual(self.read_limits(), [120000000] * 2)
        self.wait_for_originals()

    def test_an_agent_that_is_killed_just_after_its_joulie_capd(self):
        agent = self.start("--watchdog-timeout=300ms", "--control-interval", "1h")
        self.wait_for_cap(120)
        (first,) = capds_of(agent.pid)
        time.sleep(1.1)  # one that dies at once is not replaced at once
        os.kill(first, signal.SIGKILL)
        self.wait_for_words("it is there again")
        self.kill(agent)
        self.wait_for_originals()

    def test_an_agent_that_is_killed_with_its_joulie_capd(self):
        """Nobody is left; the next one finds the journal."""
        agent = self.start()
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        agent.send_signal(signal.SIGSTOP)
        os.kill(capd, signal.SIGKILL)
        self.kill(agent)
        wait_until("nobody", lambda: not remnants(self.root))
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.want(140)
        agent = self.start()
        self.wait_for_cap(140)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_state_folder_that_was_removed_ends_it(self):
        agent = self.start("--watchdog-timeout=300ms")
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        shutil.rmtree(self.root)
        self.kill(agent)
        wait_until("its end", lambda: not is_alive(capd))
        self.wait_for_words("nobody knows what to give back")


if __name__ == "__main__":
    unittest.main()
