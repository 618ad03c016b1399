# SPDX-License-Identifier: Apache-2.0
"""Every citation can be followed, and the test that says so sees those that cannot."""

import tempfile
import unittest
from pathlib import Path

import citations
from checkout import ROOT


class Checkout(unittest.TestCase):
    def test_every_citation_of_the_checkout_can_be_followed(self):
        self.assertEqual([str(problem) for problem in citations.check(ROOT)], [])


class Planted(unittest.TestCase):
    """A small checkout with one page of rules and one source."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("docs/rules/twin.md", "# Twin\n\n## Power headroom\n\n```\n# no heading\n```\n")
        self.write("tests/vectors/INDEX", "# comment\na.json twin.md#power-headroom\n")
        self.write("tests/vectors/a.json", "{}")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def found(self):
        return [problem.text for problem in citations.check(self.root)]

    def source(self, comment):
        self.write("libjoulie/twin/a.c", f"/* {comment} */\n")
        return self.found()

    def test_a_page_and_its_anchor_are_found(self):
        self.assertEqual(self.source("docs/rules/twin.md#power-headroom, P95 of it"), [])

    def test_a_page_that_is_not_there_is_seen(self):
        self.assertEqual(self.source("joulie-control.md"), ["there is no page joulie-control.md"])

    def test_an_anchor_that_is_not_there_is_seen(self):
        found = self.source("docs/rules/twin.md#no-heading")
        self.assertEqual(found, ["docs/rules/twin.md has no anchor #no-heading"])

    def test_a_section_mark_is_seen(self):
        self.assertEqual(len(self.source("as §3.4 says")), 1)

    def test_a_label_of_a_paper_is_seen_in_comments_only(self):
        self.assertEqual(len(self.source("decided in P12")), 1)
        self.write("libjoulie/twin/a.c", "enum { P12, W5 };\n")
        self.assertEqual(self.found(), [])

    def test_a_link_inside_a_page_is_followed(self):
        self.write("docs/a.md", "# A\n[b](#b)\n")
        self.assertEqual(self.found(), ["this page has no anchor #b"])

    def test_each_file_of_vectors_has_a_rule(self):
        self.write("tests/vectors/b.json", "{}")
        self.write("tests/vectors/INDEX", "a.json\nc.json twin.md#twin\n")
        found = self.found()
        self.assertIn("a.json has no rule", found)
        self.assertIn("b.json is not listed", found)
        self.assertIn("there is no file c.json", found)
