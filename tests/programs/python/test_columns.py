# SPDX-License-Identifier: Apache-2.0
"""Columns: without NumPy, and with NumPy and pandas in an environment that has them."""

import sys
import unittest
from pathlib import Path

import environment

HERE = Path(__file__).resolve().parent


class Columns(unittest.TestCase):
    def check(self, python, program):
        done = environment.run(python, HERE / program)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(done.stdout.endswith("OK\n"), done.stdout)

    def test_without_numpy(self):
        self.check(sys.executable, "check_arrays.py")

    def test_with_numpy_and_pandas(self):
        self.check(environment.python_with(*environment.NUMPY), "check_numpy.py")


if __name__ == "__main__":
    unittest.main()
