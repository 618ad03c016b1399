# SPDX-License-Identifier: Apache-2.0
"""The how-to pages work: what they say is done in a copy of the tree, and prints what they show."""

import tempfile
import unittest
from pathlib import Path

import how_to
from checkout import ROOT


class HowTo(unittest.TestCase):
    def check_page(self, name, changes, blocks):
        page = (ROOT / "docs" / name).read_text()
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder)
            how_to.copy_tree(here)
            self.assertEqual(how_to.change(page, here), changes)
            how_to.build(here)
            results = how_to.shown(page, here)
        self.assertEqual(len(results), blocks)
        for command, expected, printed in results:
            with self.subTest(command):
                self.assertEqual(printed, expected)

    def test_a_kind_is_added_as_the_page_says(self):
        self.check_page("add-a-kind.md", 4, 3)

    def test_a_policy_is_added_as_the_page_says(self):
        self.check_page("add-a-policy.md", 3, 4)


if __name__ == "__main__":
    unittest.main()
