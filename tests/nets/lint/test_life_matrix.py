# SPDX-License-Identifier: Apache-2.0
"""tests/nets/crash/lives.json, the life matrix beside the crash matrix: each way to die, and the tests that play it.

None may be lost: each test is there, and there are at least as many ways as there once were.
"""

import ast
import json
import unittest

from checkout import ROOT

MATRIX = ROOT / "tests" / "nets" / "crash" / "lives.json"
FOLDERS = [ROOT / "tests" / "programs", ROOT / "tests" / "nets"]
WAYS = 56  # grows with the matrix


def tests_of(file):
    """Class.test of every test that a file defines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for found in tree.body:
        if isinstance(found, ast.ClassDef):
            yield from (
                f"{found.name}.{step.name}"
                for step in found.body
                if isinstance(step, ast.FunctionDef) and step.name.startswith("test_")
            )


def missing(matrix):
    for way, tests in matrix.items():
        if not tests:
            yield f"{way}: no test plays it"
        for test in tests:
            module, name = test.split(".", 1)
            files = [folder / f"{module}.py" for folder in FOLDERS]
            if not any(file.exists() and name in tests_of(file) for file in files):
                yield f"{way}: there is no {test}"


class LifeMatrix(unittest.TestCase):
    def test_each_way_to_die_is_played(self):
        matrix = json.loads(MATRIX.read_text(encoding="utf-8"))
        self.assertEqual(list(missing(matrix)), [])
        self.assertGreaterEqual(len(matrix), WAYS)

    def test_a_test_that_is_gone_is_seen(self):
        planted = {"a": ["agent/test_lives.Hang.test_nothing"], "b": ["no/where.A.test"], "c": []}
        self.assertEqual(len(list(missing(planted))), 3)


if __name__ == "__main__":
    unittest.main()
