# SPDX-License-Identifier: Apache-2.0
"""The program joulie-fakehost: what other programs meet when they use its folder."""

import errno
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from checkout import DEV

PROGRAM = DEV / "bin" / "joulie-fakehost"
HOSTS = DEV / "hosts"
ZONE = "sys/class/powercap/intel-rapl:0"
RAPL = "sys/devices/virtual/powercap/intel-rapl"
LIMIT = f"{ZONE}/constraint_0_power_limit_uw"
SECONDS = 60  # for anything that should happen soon


def wait_for(check):
    """Until it holds; the last answer."""
    end = time.monotonic() + SECONDS
    while not check() and time.monotonic() < end:
        time.sleep(0.01)
    return check()


class Served(unittest.TestCase):
    """One served host in a folder of its own."""

    def serve(self, host, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        self.process = subprocess.Popen(
            [PROGRAM, *options, HOSTS / host, self.root],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.stop)
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.fail(f"it did not begin: {self.process.stderr.read()}")
        self.assertEqual(line, f"ready {self.root}\n")

    def stop(self, by=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(by)
        status = self.process.wait(SECONDS)
        if not self.process.stderr.closed:
            self.errors = self.process.stderr.read()
            self.process.stdout.close()
            self.process.stderr.close()
        return status

    def read(self, path):
        return (self.root / path).read_text(encoding="ascii").rstrip("\n")

    def write(self, path, text):
        """One write() to an open file, as a program does with sysfs."""
        fd = os.open(self.root / path, os.O_WRONLY)
        try:
            os.write(fd, text.encode("ascii"))
        finally:
            os.close(fd)

    def error_of_write(self, path, text):
        try:
            self.write(path, text)
        except OSError as error:
            return errno.errorcode[error.errno]
        return None


def can_mount():
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError:
        return False
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.Popen(
            [PROGRAM, "--fuse", HOSTS / "arm", Path(folder) / "root"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        is_ready = done.stdout.readline() != b""
        done.terminate()
        done.wait()
        done.stdout.close()
    return is_ready


@unittest.skipUnless(can_mount(), "/dev/fuse cannot be used here")
class Fuse(Served):
    def test_energy_advances_and_limits_take_effect(self):
        self.serve("intel-2s", "--fuse", "--time-scale", "100", "--demand-w", "150 80")
        before = int(self.read(f"{ZONE}/energy_uj"))
        self.assertEqual(before // 10**9, 120)
        self.assertTrue(wait_for(lambda: int(self.read(f"{ZONE}/energy_uj")) > before + 10**8))
        self.write(LIMIT, "100100000\n")
        self.assertEqual(self.read(LIMIT), "100000000")
        self.assertTrue(wait_for(lambda: self.read("fake/power_w") == "100.000 80.000"))
        self.write("fake/demand_w", "60")
        self.assertTrue(wait_for(lambda: self.read("fake/power_w") == "60.000 60.000"))

    def test_the_driver_refuses_as_1_3_says(self):
        self.serve("intel-2s", "--fuse")
        self.assertEqual(self.error_of_write(LIMIT, "-5"), "EINVAL")
        self.assertEqual(self.error_of_write(f"{RAPL}/enabled", "0"), "ENOSYS")
        self.assertEqual(self.error_of_write(f"{ZONE}/name", "x"), "EACCES")
        with self.assertRaises(PermissionError):
            (self.root / "sys/new").touch()

    def test_a_shell_can_write_too(self):
        self.serve("intel-2s", "--fuse")
        subprocess.run(["sh", "-c", f"echo 90000000 > {LIMIT}"], cwd=self.root, check=True)
        self.assertEqual(self.read(LIMIT), "90000000")
        self.assertEqual(
            self.read("fake/writes"), f"1 {RAPL}/intel-rapl:0/constraint_0_power_limit_uw"
        )

    def test_faults_come_by_option_and_by_file(self):
        self.serve("intel-2s", "--fuse", "--fault", "write *limit_uw ENODATA 1")
        self.assertEqual(self.error_of_write(LIMIT, "100000000"), "ENODATA")
        self.assertIsNone(self.error_of_write(LIMIT, "100000000"))
        self.write("fake/fault", "ignore *limit_uw\n")
        self.assertIsNone(self.error_of_write(LIMIT, "50000000"))
        self.assertEqual(self.read(LIMIT), "100000000")
        self.assertEqual(self.error_of_write("fake/fault", "nonsense"), "EINVAL")

    def test_a_zone_vanishes_under_an_open_file_and_comes_back(self):
        self.serve("intel-2s", "--fuse")
        fd = os.open(self.root / f"{RAPL}/intel-rapl:1/energy_uj", os.O_RDONLY)
        self.addCleanup(os.close, fd)
        self.assertTrue(os.pread(fd, 31, 0))
        self.write("fake/fault", f"vanish {RAPL}/intel-rapl:1")
        with self.assertRaises(OSError) as caught:
            os.pread(fd, 31, 0)
        self.assertEqual(caught.exception.errno, errno.ENODEV)
        self.assertFalse((self.root / f"{RAPL}/intel-rapl:1").exists())
        self.write("fake/fault", f"return {RAPL}/intel-rapl:1 intel-rapl:2")
        self.assertEqual(self.read("sys/class/powercap/intel-rapl:2/name"), "package-1")

    def test_state_files_are_ordinary(self):
        self.serve("intel-2s", "--fuse")
        state = self.root / "var/lib/joulie"
        state.mkdir(mode=0o700)
        with open(state / "journal", "ab", buffering=0) as file:
            file.write(b"one\n")
            os.fsync(file.fileno())
            file.write(b"two\n")
        (state / "journal").rename(state / "old")
        self.assertEqual((state / "old").read_bytes(), b"one\ntwo\n")
        os.truncate(state / "old", 4)
        self.assertEqual((state / "old").read_bytes(), b"one\n")
        (state / "old").unlink()
        state.rmdir()

    def test_time_can_jump(self):
        self.serve("intel-2s", "--fuse", "--lag-ms", "0", "--demand-w", "100")
        before = int(self.read(f"{ZONE}/energy_uj"))
        self.write("fake/time_s", "+1000")
        gained = int(self.read(f"{ZONE}/energy_uj")) - before
        self.assertTrue(100_000e6 <= gained < 100_000e6 + 100e6 * SECONDS, gained)

    def test_it_unmounts_itself_when_it_is_asked_to_end(self):
        for by in (signal.SIGTERM, signal.SIGINT):
            self.serve("arm", "--fuse")
            self.assertTrue(os.path.ismount(self.root))
            self.assertEqual(self.stop(by), 0)
            self.assertFalse(os.path.ismount(self.root))

    def test_fuse_is_the_default_where_it_works(self):
        self.serve("arm")
        self.assertTrue(os.path.ismount(self.root))
        self.stop()
        self.assertIn(" with FUSE", self.errors)


class Plain(Served):
    def test_energy_advances_and_limits_are_watched(self):
        self.serve("intel-2s", "--plain", "--time-scale", "100", "--demand-w", "150 80")
        self.assertFalse(os.path.ismount(self.root))
        before = int(self.read(f"{ZONE}/energy_uj"))
        self.assertTrue(wait_for(lambda: int(self.read(f"{ZONE}/energy_uj")) > before + 10**8))
        self.write(LIMIT, "100100000\n")
        self.assertTrue(wait_for(lambda: self.read(LIMIT) == "100000000"))
        self.assertTrue(wait_for(lambda: self.read("fake/power_w") == "100.000 80.000"))
        self.write("fake/demand_w", "60   \n")
        self.assertTrue(wait_for(lambda: self.read("fake/power_w") == "60.000 60.000"))

    def test_what_the_kernel_would_refuse_is_put_back(self):
        self.serve("locked", "--plain")
        self.write(LIMIT, "100000000\n")
        self.assertTrue(wait_for(lambda: self.read(LIMIT) == "205000000"))

    def test_the_tree_is_complete(self):
        self.serve("client", "--plain")
        for folder, folders, files in os.walk(HOSTS / "client"):
            for name in folders + files:
                path = (Path(folder) / name).relative_to(HOSTS / "client")
                recorded = HOSTS / "client" / path
                if recorded.is_symlink():
                    self.assertEqual(os.readlink(self.root / path), os.readlink(recorded))
                elif recorded.is_file():
                    mode = (self.root / path).stat().st_mode
                    self.assertEqual(mode, recorded.stat().st_mode, path)
        self.assertEqual(list((self.root / "var/lib").iterdir()), [])

    def test_it_says_that_there_are_no_faults(self):
        self.serve("intel-2s", "--plain")
        text = "faults are not available without FUSE"
        self.assertEqual(self.read("fake/fault"), text)
        self.write("fake/fault", "clear" + " " * len(text))
        self.assertTrue(wait_for(lambda: self.read("fake/fault") == text))
        self.assertEqual(self.stop(), 0)
        self.assertIn(text, self.errors)


class CommandLine(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)

    def test_help_names_every_option(self):
        done = self.run_it("--help")
        self.assertEqual(done.returncode, 0)
        for option in "--fuse --plain --time-scale --delay-ms --lag-ms --demand-w --fault".split():
            self.assertIn(option, done.stdout)

    def test_wrong_usage_is_2(self):
        for arguments in (
            [],
            ["one"],
            ["a", "b", "c"],
            ["--nothing", "a", "b"],
            ["--fuse", "--plain", "a", "b"],
            ["--time-scale", "0", "a", "b"],
            ["--time-scale", "fast", "a", "b"],
            ["--plain", "--fault", "clear", HOSTS / "arm", "/tmp/unused"],
            ["--fault", "nonsense", HOSTS / "arm", "/tmp/unused"],
            ["--demand-w", "many", HOSTS / "arm", "/tmp/unused"],
            ["--demand-w", "1 2 3", HOSTS / "arm", "/tmp/unused"],
        ):
            with self.subTest(arguments):
                done = self.run_it(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr)

    def test_a_tree_that_is_none_is_1(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_it("--plain", folder, Path(folder) / "root")
            self.assertEqual(done.returncode, 1)
            self.assertIn("neither sys nor proc", done.stderr)
            self.assertEqual(self.run_it("/nowhere", folder).returncode, 1)

    def test_a_folder_with_something_in_it_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "kept").touch()
            done = self.run_it("--plain", HOSTS / "arm", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not empty", done.stderr)
            self.assertEqual(os.listdir(folder), ["kept"])


if __name__ == "__main__":
    unittest.main()
