# SPDX-License-Identifier: Apache-2.0
"""Lives of joulie-agent in containers: process numbers and mounts of its own, a cgroup that is killed as a whole, a state
folder that is full, lost or shared.

What is killed with everything in it gives nothing back by itself: joulie-rescue does, as a preStop, ExecStopPost= or boot
unit runs it, and so does the next agent (docs/capping.md).
"""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from checkout import DEV
from test_agent import AGENT, FOUND_UW, TWIN, Machine, remnants
from waiting import DEADLINE_S, wait_until

RESCUE = DEV / "bin" / "joulie-rescue"
OWN_MOUNTS = ["unshare", "--mount"]
CONTAINER = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
MAY_UNSHARE = (
    os.geteuid() == 0 and subprocess.run([*CONTAINER, "true"], capture_output=True).returncode == 0
)


def kill_file():
    """cgroup.kill of the root of a hierarchy of version 2 that may be written; None = there is none."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2" and os.access(place, os.W_OK):
            return Path(place)
    return None


class Contained(Machine):
    def within(self, *command):
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.addCleanup(self.end, process)
        return process

    def rescue(self):
        done = subprocess.run(
            [RESCUE, "--root", self.root],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def nobody_is_left(self):
        wait_until(lambda: f"an end of {remnants(self.root)}", lambda: not remnants(self.root))
        self.assertEqual(self.read_limits(), [120000000] * 2)


@unittest.skipUnless(MAY_UNSHARE, "process numbers of our own are not allowed here")
class ProcessNumbers(Contained):
    def kill_container(self):
        """Its first process, and with that the kernel ends all others."""
        container = self.within(*CONTAINER, *self.arguments())
        self.wait_for_cap(120)
        (first,) = Path(f"/proc/{container.pid}/task/{container.pid}/children").read_text().split()
        os.kill(int(first), 9)
        container.wait(DEADLINE_S)
        self.nobody_is_left()

    def test_what_a_killed_container_left_is_given_back_by_the_rescue(self):
        self.kill_container()
        self.rescue()

    def test_the_next_container_takes_over_and_gives_back(self):
        self.kill_container()
        self.want(140)
        agent = self.start()
        self.wait_for_cap(140)
        self.assertEqual(self.finish(agent), 0, self.said())
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_of_two_containers_with_one_state_folder_the_second_is_refused(self):
        self.within(*CONTAINER, *self.arguments())
        self.wait_for_cap(120)
        other = self.folder / "other.yaml"
        other.write_text(TWIN % 100)
        words = [*CONTAINER, AGENT, "--root", self.root, "--spec", other]
        done = self.run_agent(arguments=[str(word) for word in words])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("writer.lock", done.stderr)
        self.assertEqual(self.read_limits(), [120000000] * 2)


    def test_of_two_containers_with_a_state_folder_each_the_second_is_refused(self):
        first = self.start()
        self.wait_for_cap(120)
        other = self.folder / "other.yaml"
        other.write_text(TWIN % 100)
        script = f"mount -t tmpfs -o mode=0700 none '{self.state}' && exec \"$@\""
        agent = [AGENT, "--root", self.root, "--spec", other, "--status", self.folder / "other.json"]
        second = [str(word) for word in (*CONTAINER, "sh", "-c", script, "sh", *agent)]
        done = self.run_agent(arguments=second)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("writes this machine, with another state folder", done.stderr)
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.assertEqual(self.finish(first), 0, self.said())
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        self.within(*second)
        self.wait_for_cap(100)


@unittest.skipUnless(kill_file(), "no cgroup may be made here")
class Group(Contained):
    def setUp(self):
        super().setUp()
        self.group = kill_file() / f"joulie-test-{os.getpid()}"
        self.group.mkdir()
        self.addCleanup(self.remove)

    def is_empty(self):
        return "populated 0" in (self.group / "cgroup.events").read_text()

    def remove(self):
        (self.group / "cgroup.kill").write_text("1")
        wait_until("an empty cgroup", self.is_empty)
        self.group.rmdir()

    def test_what_a_killed_cgroup_left_is_given_back_by_the_rescue(self):
        agent = self.start(preexec_fn=lambda: (self.group / "cgroup.procs").write_text("0"))
        self.wait_for_cap(120)
        (self.group / "cgroup.kill").write_text("1")
        wait_until("an empty cgroup", self.is_empty)
        agent.wait(DEADLINE_S)
        self.nobody_is_left()
        self.rescue()


@unittest.skipUnless(MAY_UNSHARE, "mounts of our own are not allowed here")
class Disk(Contained):
    """A state folder of 64 KiB, which a file of somebody else fills."""

    def setUp(self):
        super().setUp()
        self.state.mkdir(parents=True, mode=0o700)
        script = f"mount -t tmpfs -o size=64k,mode=0700 none '{self.state}' && "
        script += f"{{ head -c 1M /dev/zero >'{self.state}/filler' 2>/dev/null || :; }} && exec \"$@\""
        self.agent = self.within(*OWN_MOUNTS, "sh", "-c", script, "sh", *self.arguments())
        self.filler = Path(f"/proc/{self.agent.pid}/root{self.state}/filler")

    def fill(self):
        with self.filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def result(self):
        try:
            return self.read_status()["status"]["controlStatus"]["cpu"]["result"]
        except FileNotFoundError:
            return None

    def test_nothing_is_written_that_the_journal_cannot_hold(self):
        wait_until(lambda: f"an error; {self.said()}", lambda: self.result() == "error")
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        self.filler.unlink()
        self.wait_for_cap(120)

    def test_what_is_in_force_is_given_back_from_a_full_disk(self):
        wait_until(lambda: f"an error; {self.said()}", lambda: self.result() == "error")
        self.filler.unlink()
        self.wait_for_cap(120)
        self.fill()
        self.finish(self.agent)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2, self.said())


class Lost(Contained):
    def test_a_state_folder_that_is_removed_while_a_cap_is_in_force(self):
        agent = self.start()
        self.wait_for_cap(120)
        shutil.rmtree(self.state)
        self.finish(agent)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2, self.said())



if __name__ == "__main__":
    unittest.main()
