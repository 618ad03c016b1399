# SPDX-License-Identifier: Apache-2.0
"""mypy --strict finds nothing in the package and in what uses it well, and something in what does not."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

import environment
from checkout import ROOT

HERE = Path(__file__).resolve().parent
PACKAGE = ROOT / "bindings" / "python"


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = environment.python_with(*environment.MYPY, *environment.NUMPY)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cache = folder.name

    def mypy(self, *files):
        options = ["--strict", "--cache-dir", self.cache, "--no-error-summary"]
        return environment.run(self.python, "-m", "mypy", *options, *files, folder=PACKAGE)

    def test_the_package_is_clean(self):
        done = self.mypy("joulie", "stubs.py", "backend.py")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_what_uses_it_well_is_clean(self):
        done = self.mypy(HERE / "typed_examples.py")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_what_uses_it_well_runs(self):
        done = environment.run(sys.executable, HERE / "typed_examples.py")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("parse text 1", done.stdout)

    def test_what_uses_it_wrong_is_found(self):
        file = HERE / "wrong_types.py"
        lines = file.read_text().splitlines()
        wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
        done = self.mypy(file)
        found = {int(number) for number in re.findall(r"wrong_types\.py:(\d+): error", done.stdout)}
        self.assertEqual(found, wrong, done.stdout)


if __name__ == "__main__":
    unittest.main()
