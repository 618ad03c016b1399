# SPDX-License-Identifier: Apache-2.0
"""The closing count is honest: a skip that is not listed fails, each test of a program counts."""

import contextlib
import io
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from checkout import RELEASE, ROOT

sys.path.insert(0, str(ROOT / "tests"))
import run  # noqa: E402


class Check(unittest.TestCase):
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
