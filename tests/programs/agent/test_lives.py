# SPDX-License-Identifier: Apache-2.0
"""Whole lives of joulie-agent: starts that fail, deaths, hangs, ends that do not succeed at once.

In each the caps of a machine are given back by whoever is left, within the bound that
docs/capping.md states for that way to die. Machines are folders; processes are real.
"""

import errno
import os
import socket
import subprocess
import unittest
from pathlib import Path

import syscalls
from test_agent import AGENT, FOUND_UW, Machine, children_of, is_alive
from waiting import DEADLINE_S, wait_until


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


if __name__ == "__main__":
    unittest.main()
