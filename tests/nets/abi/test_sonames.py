# SPDX-License-Identifier: Apache-2.0
"""Each soname keeps its promise alone: a program of 0.1 loads libjoulie.so.0 or gets an error that names it, never another."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import scratch

OLD_SONAME = "libjoulie.so.0"
OLD = scratch.HERE / "0.1"
# The loader says what it would load, and runs nothing.
TRACE = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_BIND_NOW": "1", "LD_WARN": "1"}


class Sonames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.here = Path(folder.name)
        old_map = cls.here / "old.map"
        old_map.write_text("JOULIE_0.1 { global: joulie_*; local: *; };\n")
        cls.old = cls.here / "old"
        cls.old.mkdir()
        stub = scratch.library_of_headers(OLD / "include", old_map, cls.here, soname=OLD_SONAME)
        stub.rename(cls.old / OLD_SONAME)
        cls.today = cls.here / "today"  # alone: a build folder may hold what an older build left
        cls.today.mkdir()
        (cls.today / scratch.LIBRARY.name).symlink_to(scratch.LIBRARY)
        cls.program = cls.here / "program"
        command = ["gcc", "-std=gnu17", "-I", OLD / "include", "-o", cls.program, OLD / "program.c"]
        scratch.run([*command, cls.old / OLD_SONAME, "-lm"])

    def load(self, *folders, **env):
        search = {"LD_LIBRARY_PATH": ":".join(map(str, folders))}
        return subprocess.run(
            [self.program],
            env={**os.environ, **search, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def test_a_program_of_0_1_loads_the_library_of_its_soname_beside_todays(self):
        done = self.load(self.today, self.old, **TRACE)
        self.assertIn(f"{OLD_SONAME} => {self.old / OLD_SONAME}", done.stdout)
        self.assertNotIn(scratch.LIBRARY.name, done.stdout)
        self.assertNotIn("undefined", done.stdout)

    def test_without_it_the_loader_names_what_is_missing(self):
        done = self.load(self.today)
        self.assertEqual(done.returncode, 127)
        self.assertIn(f"{OLD_SONAME}: cannot open shared object file", done.stdout)

    def test_todays_library_under_the_old_name_is_refused(self):
        """A link from the old name to the new library does not make one of the other."""
        fake = self.here / "fake"
        fake.mkdir()
        (fake / OLD_SONAME).symlink_to(scratch.LIBRARY)
        done = self.load(fake)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("version `JOULIE_0.1' not found", done.stdout)


if __name__ == "__main__":
    unittest.main()
