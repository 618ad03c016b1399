# SPDX-License-Identifier: Apache-2.0
"""The closing count is honest: a skip that is not listed fails, each test of a program counts."""

import contextlib
import io
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from checkout import RELEASE, ROOT

sys.path.insert(0, str(ROOT / "tests"))
import run  # noqa: E402


class Check(unittest.TestCase):
    def test_every_folder_of_python_tests_is_run(self):
        others = {"abi"}  # programs of ctest
        folders = {file.parent for file in run.TESTS.glob("*/*/test_*.py")}
        names = {folder.name for folder in folders} - others
        self.assertEqual(names - {*run.SUITES, "arm64"}, set())
        self.assertEqual(set(run.SUITES) - names, set())

    def test_every_program_that_the_short_check_leaves_out_exists(self):
        listed = run.run(["ctest", "--test-dir", RELEASE, "-N"]).stdout
        self.assertEqual(set(run.LONG) - set(re.findall(r"Test +#\d+: (\w+)", listed)), set())


class Counting(unittest.TestCase):
    def setUp(self):
        self.tally = run.Tally()
        self.tally.reasons = {"python.*.listed": "for this test", "question:known": "for this test"}

    def quietly(self, call, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            call(*arguments)

    def test_only_a_listed_skip_is_a_skip(self):
        self.quietly(self.tally.skip, "python.x.listed", "because")
        self.quietly(self.tally.skip, "python.x.other", "because")
        self.assertEqual([name for name, _ in self.tally.skipped], ["python.x.listed"])
        self.assertEqual(self.tally.failed, ["python.x.other"])

    def test_tests_inside_a_program_count(self):
        text = (
            "[ RUN      ] a\n[       OK ] a\n[  SKIPPED ] b\n[  FAILED  ] c\n"
            "[  FAILED  ] tests: 1 test(s)\n[  FAILED  ] c\n"
        )
        case = ElementTree.fromstring('<testcase name="p" status="fail"><system-out/></testcase>')
        case.find("system-out").text = text
        self.quietly(run.add_program, self.tally, "ctest", case)
        self.assertEqual(self.tally.passed, ["ctest.p.a"])
        self.assertEqual(self.tally.failed, ["ctest.p.b", "ctest.p.c"])

    def beside(self, script, *names):
        """What is printed when this stands for run.py, two at a time."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            program = Path(folder, "run.py")
            program.write_text(f"import json, os, sys, time\n_, _, name, _, counts = sys.argv\n{script}")
            beside = run.Beside(self.tally, 2, [])
            beside.command = [sys.executable, str(program)]
            beside.run(names)
        return out.getvalue()

    def test_suites_beside_each_other_count_and_print_as_if_one_followed_the_other(self):
        printed = self.beside(
            "while name == 'first' and not os.path.exists(counts.replace('first', 'second')):\n"
            "    time.sleep(0.01)\n"  # it would wait for ever if they were not beside each other
            "print('of', name)\n"
            "json.dump({'passed': [name], 'failed': [name + '.x'], 'skipped': [[name, 'why']]},\n"
            "          open(counts, 'w'))\n",
            "first",
            "second",
            "third",
        )
        self.assertEqual(printed, "of first\nof second\nof third\n")
        self.assertEqual(self.tally.passed, ["first", "second", "third"])
        self.assertEqual(self.tally.failed, ["first.x", "second.x", "third.x"])
        self.assertEqual(self.tally.skipped, [(name, "why") for name in self.tally.passed])

    def test_a_suite_that_ends_early_has_failed(self):
        printed = self.beside("print('half a line', end='')\nsys.exit(3)\n", "early")
        self.assertIn("half a line", printed)
        self.assertEqual((self.tally.passed, self.tally.failed), ([], ["early"]))

    def test_a_question_that_is_missing_must_be_listed(self):
        line = (
            'f\ti\t{"error":{"code":"unsupported","where":"question",'
            '"message":"this build has no question \\"%s\\""}}\n'
        )
        self.quietly(run.missing_questions, self.tally, line % "known" + line % "unknown")
        self.assertEqual(self.tally.failed, ["question:unknown"])

    def test_a_listed_question_that_is_answered_is_reported(self):
        self.quietly(run.missing_questions, self.tally, "")
        self.assertEqual(self.tally.failed, ["skips.txt"])
