# SPDX-License-Identifier: Apache-2.0
"""What ./dev mutate changes, and what it leaves alone."""

import sys
import unittest

from checkout import ROOT

sys.path.insert(0, str(ROOT / "tests/nets/mutate"))
from mutate import EDITS, read_verdicts  # pylint: disable=wrong-import-position
from sites import drawn, sites  # pylint: disable=wrong-import-position


def changes(source):
    return [(site.kind, site.change) for site in sites("room/file.c", source)]


class Mutate(unittest.TestCase):
    def test_comparisons_signs_constants_and_booleans_are_changed(self):
        self.assertEqual(changes("a < b;"), [("comparison", "< -> <="), ("comparison", "< -> >=")])
        self.assertEqual(
            changes("a == -b;"), [("comparison", "== -> !="), ("sign", "- -> nothing")]
        )
        self.assertEqual(changes("a - b || c;"), [("sign", "- -> +"), ("boolean", "|| -> &&")])
        self.assertEqual(
            changes("x = 0.5;"), [("constant", "0.5 -> 0.505"), ("constant", "0.5 -> 0.495")]
        )
        self.assertEqual(
            changes("x = 300U;"), [("constant", "300U -> 303U"), ("constant", "300U -> 297U")]
        )
        self.assertEqual(
            changes("#define LIMIT 2 /* 3 */\n"), [("constant", "2 -> 3"), ("constant", "2 -> 1")]
        )

    def test_what_means_nothing_is_left_alone(self):
        for source in (
            "/* a < 3 */ // 4\n",
            "#include <math.h>\n#if N > 3\n#endif\n",
            'f("a < 3");',
            "char c = '3';",
            "char text[32];",
            "_Static_assert(sizeof x == 4, 3);",
            "a->b++;",
            "x = 0;",
        ):
            self.assertEqual(changes(source), [], source)

    def test_a_change_is_one_token(self):
        source = "int f(void)\n{\n    return a < 3;\n}\n"
        for site in sites("room/file.c", source):
            self.assertEqual(len(site.applied(source).splitlines()), 4)
            self.assertNotEqual(site.applied(source), source)
            self.assertEqual((site.line, site.text), (3, "return a < 3;"))

    def test_a_draw_does_not_depend_on_other_lines(self):
        source = "".join(f"x = a{i} < {i + 1};\n" for i in range(50))
        before = [site.key for site in drawn(sites("room/file.c", source), 1)]
        after = [site.key for site in drawn(sites("room/file.c", "\n\ny = 7;\n" + source), 1)]
        self.assertEqual([key for key in after if key[1] != "y = 7;"], before)
        self.assertNotEqual(before, [site.key for site in drawn(sites("room/file.c", source), 2)])

    def test_every_verdict_says_why(self):
        for key, verdict in read_verdicts(ROOT / "tests/nets/mutate/survivors.txt").items():
            self.assertRegex(verdict, r"^equivalent: \w.{20,}", key)

    def test_the_copy_can_be_made_of_this_checkout(self):
        for file, old, _ in EDITS:
            self.assertIn(old, (ROOT / file).read_text(), file)
