# SPDX-License-Identifier: Apache-2.0
"""Files that call each other in a circle are found."""

import unittest

import calls


class Circles(unittest.TestCase):
    def test_files_that_reach_each_other_are_one_circle(self):
        graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}}
        self.assertEqual(calls.components(graph), [["a", "b", "c"], ["e", "f"]])

    def test_a_graph_without_circles_has_none(self):
        self.assertEqual(calls.components({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])
