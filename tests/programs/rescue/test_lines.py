# SPDX-License-Identifier: Apache-2.0
"""How much has to be read before joulie-rescue may write to hardware (linked_lines.py)."""

import json
import unittest

import linked_lines
from checkout import RELEASE


class Lines(unittest.TestCase):
    def test_no_more_is_linked_in_than_is_written_down(self):
        now = linked_lines.count(RELEASE, "rescue")
        kept = json.loads(linked_lines.kept("rescue").read_text(encoding="utf-8"))
        how = "if that is meant: tests/support/linked_lines.py --build BUILD --program rescue --accept"
        for name, most in kept.items():
            self.assertLessEqual(now[name], most, f"{name}; {how}")

    def test_the_rules_of_giving_back_are_below_3000_lines(self):
        self.assertLess(linked_lines.count(RELEASE, "rescue")["of giving back"], 3000)

    def test_functions_are_found_with_their_heads(self):
        text = "#include <a>\n\nstatic int f(int a,\n             int b)\n{\n    x;\n}\n\n/* why */\nint g(void)\n{\n}\n"
        self.assertEqual(linked_lines.functions(text), [(3, 7), (10, 12)])
