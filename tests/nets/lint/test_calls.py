# SPDX-License-Identifier: Apache-2.0
"""Files that call each other in a circle are found."""

import unittest

import calls
from checkout import RELEASE


class Circles(unittest.TestCase):
    def test_files_that_reach_each_other_are_one_circle(self):
        graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}}
        self.assertEqual(calls.components(graph), [["a", "b", "c"], ["e", "f"]])

    def test_the_checkout_has_only_circles_that_are_meant(self):
        self.assertEqual(calls.unmeant(RELEASE), [])

    def test_a_circle_that_is_not_listed_is_not_meant(self):
        good = [["a", "b"], ["f/*"]]
        self.assertTrue(calls.is_meant(["f/a", "f/b"], good))
        self.assertFalse(calls.is_meant(["a", "f/b"], good))
        self.assertFalse(calls.is_meant(["a", "b", "c"], good))

    def test_a_graph_without_circles_has_none(self):
        self.assertEqual(calls.components({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])
