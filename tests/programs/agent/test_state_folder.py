# SPDX-License-Identifier: Apache-2.0
"""State folders that go before the machine does (docs/rules/enforcement.md#state-folder), in mounts
and process numbers of our own. Nothing here asks for a cap: the machine is the live one."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import DEV
from waiting import DEADLINE_S

SPEC = "{nodeName: n1, profile: performance}\n"
OWN_MOUNTS = ["unshare", "--mount"]
CONTAINER = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
MAY_UNSHARE = (
    os.geteuid() == 0 and subprocess.run([*CONTAINER, "true"], capture_output=True).returncode == 0
)
SEES_FIRST = MAY_UNSHARE and os.access("/proc/1/root/", os.R_OK)
SHM = Path("/dev/shm")
TMPFS = "mount -t tmpfs -o mode=0700 none state"
OVERLAY = (
    "mount -t tmpfs none parts && mkdir parts/low parts/up parts/work && "
    "mount -t overlay none -o lowerdir=parts/low,upperdir=parts/up,workdir=parts/work state"
)
EMPTY_DIR = (
    "mkdir -p pods/volumes/kubernetes.io~empty-dir/joulie && "
    "mount --bind pods/volumes/kubernetes.io~empty-dir/joulie state"
)
OF_MACHINE = "mkdir -p kept && mount --bind kept state"


@unittest.skipUnless(MAY_UNSHARE, "mounts of our own are not allowed here")
class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "spec.yaml").write_text(SPEC)
        for name in ("state", "parts"):
            (self.folder / name).mkdir(mode=0o700)

    def run_within(self, within, mount, words, state="state"):
        paths = [f"--spec={self.folder}/spec.yaml", f"--state-dir={self.folder / state}"]
        script = f"{mount or 'true'} && exec \"$@\""
        return subprocess.run(
            [*within, "sh", "-c", script, "sh", *words, *paths],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )

    def agent(self, within, mount, *more, state="state"):
        words = [str(DEV / "bin" / "joulie-agent"), "--enforce", "--once", "--status=-", *more]
        done = self.run_within(within, mount, words, state)
        return done.returncode, done.stdout + done.stderr

    def cap_apply(self, within, mount, *more, state="state"):
        words = [str(DEV / "bin" / "joulie"), "cap", "apply", "--yes", *more]
        done = self.run_within(within, mount, words, state)
        return done.returncode, done.stdout + done.stderr

    def prepare(self, within, mount, *more, state="state"):
        """Before joulie-capd, which writes nothing in a folder that was refused."""
        script = f"{mount or 'true'} && exec \"$@\""
        words = [str(DEV / "bin" / "joulie-rescue"), "--prepare", *more, f"--state-dir={self.folder / state}"]
        done = subprocess.run(
            [*within, "sh", "-c", script, "sh", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )
        return done.returncode, done.stdout + done.stderr

    def check_refused(self, within, mount, kind, state="state"):
        for run, status in ((self.agent, 2), (self.cap_apply, 1), (self.prepare, 4)):
            with self.subTest(run.__name__, within=within, kind=kind):
                code, text = run(within, mount, state=state)
                self.assertEqual(code, status, text)
                self.assertIn(f"is on {kind} and goes with this container", text)
                code, text = run(within, mount, "--state-dir-may-vanish", state=state)
                self.assertNotIn("goes with this container", text)
                self.assertEqual(code, 0, text)

    def check_taken(self, within, mount, state="state"):
        for run in (self.agent, self.cap_apply, self.prepare):
            with self.subTest(run.__name__, within=within, mount=mount):
                code, text = run(within, mount, state=state)
                self.assertNotIn("goes with this container", text)
                self.assertEqual(code, 0, text)

    def test_what_a_container_keeps_in_memory_is_refused(self):
        self.check_refused(CONTAINER, TMPFS, "a tmpfs")

    @unittest.skipUnless(SEES_FIRST, "the mounts of process 1 are not ours to see")
    def test_a_container_with_the_process_numbers_of_the_machine_is_one(self):
        self.check_refused(OWN_MOUNTS, TMPFS, "a tmpfs")

    def test_a_folder_that_is_not_there_yet_is_judged_by_the_one_above(self):
        self.check_refused(CONTAINER, TMPFS, "a tmpfs", state="state/a")

    def test_the_layer_of_a_container_is_refused(self):
        if subprocess.run([*CONTAINER, "sh", "-c", OVERLAY], cwd=self.folder).returncode != 0:
            self.skipTest("no overlay here")
        self.check_refused(CONTAINER, OVERLAY, "the container's own overlay")

    def test_an_empty_folder_of_a_pod_is_refused(self):
        self.check_refused(CONTAINER, EMPTY_DIR, "an emptyDir")

    def test_a_folder_of_the_machine_is_taken(self):
        self.check_taken(CONTAINER, OF_MACHINE)
        self.check_taken([], "")

    def test_what_the_machine_keeps_in_memory_goes_with_it_and_is_taken(self):
        with tempfile.TemporaryDirectory(dir=SHM) as kept:
            self.check_taken([], "", state=kept)
            self.check_taken(OWN_MOUNTS, "", state=kept)  # a unit of systemd
            self.check_refused(CONTAINER, "", "a tmpfs", state=kept)
            self.check_taken(CONTAINER, f"mount --bind {kept} state")  # as a hostPath does

    def test_who_only_observes_needs_none(self):
        words = [str(DEV / "bin" / "joulie-agent"), "--observe", "--once", "--status=-"]
        done = self.run_within(CONTAINER, TMPFS, words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_root_is_not_asked_about(self):
        (self.folder / "machine").mkdir()
        code, text = self.agent(CONTAINER, TMPFS, "--root", str(self.folder / "machine"))
        self.assertNotIn("goes with this container", text)
        self.assertIn(code, (0, 1), text)

    def test_the_error_of_a_command_is_an_answer(self):
        code, text = self.cap_apply(CONTAINER, TMPFS, "-o", "json")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(text)["error"]["code"], "conflict")


if __name__ == "__main__":
    unittest.main()
