# SPDX-License-Identifier: Apache-2.0
"""Forbidden functions and licence lines, and that a break is seen."""

import tempfile
import unittest
from pathlib import Path

import words
from checkout import ROOT

GOOD = "/* SPDX-License-Identifier: Apache-2.0 */\n"


class Words(unittest.TestCase):
    def check_text(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / name
            file.parent.mkdir(parents=True)
            file.write_text(text)
            return words.check(Path(folder))

    def test_the_checkout_is_good(self):
        self.assertEqual(words.check(ROOT), [])

    def test_a_forbidden_function_is_seen(self):
        found = self.check_text(
            "libjoulie/base/x.c", GOOD + 'void f(char *a)\n{\n    strcpy(a, "");\n}\n'
        )
        self.assertEqual(found, ["libjoulie/base/x.c:4: strcpy is not used here"])

    def test_a_function_that_only_programs_may_use_is_seen(self):
        found = self.check_text(
            "libjoulie/twin/x.c", GOOD + 'void f(void)\n{\n    printf("x");\n}\n'
        )
        self.assertEqual(found, ["libjoulie/twin/x.c:4: printf is not used here"])
        self.assertEqual(
            self.check_text("daemons/cli/x.c", GOOD + 'void f(void)\n{\n    printf("x");\n}\n'), []
        )

    def test_comments_texts_and_members_are_no_calls(self):
        text = (
            GOOD
            + '/* strcpy(a, b) */\nconst char *a = "strcpy(a)";\nvoid f(struct x *x)\n{\n    x->system();\n}\n'
        )
        self.assertEqual(self.check_text("libjoulie/base/x.c", text), [])

    def test_a_source_without_licence_line_is_seen(self):
        found = self.check_text("libjoulie/base/x.c", "int a;\n")
        self.assertEqual(found, ["libjoulie/base/x.c:1: the first line does not name the licence"])
