# SPDX-License-Identifier: Apache-2.0
"""Net 3: abidiff finds no change between the recorded types and those of the library."""

import tempfile
import unittest
from pathlib import Path

import dump
import scratch


class Types(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        self.file = self.here / "new.abi"

    def problems_with(self, file="", old="", new="", map_file=scratch.MAP, options=()):
        """What the net says of a library with headers in which old became new."""
        include = scratch.copy_headers(self.here, file, old, new)
        library = scratch.library_of_headers(include, map_file, self.here, *options)
        return dump.problems(scratch.RECORDED_TYPES, library, include, self.file)

    def assert_seen(self, text, found):
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], r"^abidiff answers (4|8|12):")
        self.assertIn(text, found[0])

    def test_the_library_has_the_recorded_types(self):
        found = dump.problems(scratch.RECORDED_TYPES, scratch.LIBRARY, scratch.INCLUDE, self.file)
        self.assertEqual(found, [], "the same fields at the end? run tests/nets/abi/refresh.py")

    def test_a_library_of_the_same_headers_has_no_problem(self):
        self.assertEqual(self.problems_with(), [])

    def test_a_member_in_the_middle_is_seen(self):
        found = self.problems_with(
            "error.h", "    uint32_t line; ", "    uint64_t id;\n    uint32_t line; "
        )
        self.assert_seen("1 data member insertion", found)

    def test_a_struct_that_shrinks_is_seen(self):
        found = self.problems_with("error.h", "char message[512];", "char message[256];")
        self.assert_seen("type size changed from 6336 to 4288", found)

    def test_an_enum_that_is_renumbered_is_seen(self):
        found = self.problems_with(
            "twin.h", "JOULIE_COOLING_LINEAR = 2,", "JOULIE_COOLING_LINEAR = 20,"
        )
        self.assert_seen("'joulie_cooling::JOULIE_COOLING_LINEAR' from value '2' to '20'", found)

    def test_a_symbol_removed_from_the_map_is_seen(self):
        copy = self.here / "copy.map"
        copy.write_text(scratch.MAP.read_text())
        scratch.plant(copy, "    joulie_ask;\n", "")
        found = self.problems_with(map_file=copy)
        self.assertIn("the dump does not name joulie_ask()", found)
        self.assertIn("'function int joulie_ask(", found[-1])

    def test_a_parameter_of_another_type_is_seen(self):
        found = self.problems_with(
            "error.h", "*joulie_code_word(int code);", "*joulie_code_word(int64_t code);"
        )
        self.assert_seen("parameter 1 of type 'int' changed", found)

    def test_an_int_that_becomes_an_enum_is_seen_by_the_other_net_only(self):
        """A known hole of abidiff 2.2; test_layout.py has the same break."""
        found = self.problems_with(
            "error.h", "*joulie_code_word(int code);", "*joulie_code_word(enum joulie_code code);"
        )
        self.assertEqual(found, [])

    def test_a_field_at_the_end_is_seen(self):
        found = self.problems_with(
            "error.h", "    char message[512]; ", "    char message[512];\n    uint64_t has; "
        )
        self.assert_seen("type size changed from 6336 to 6400", found)

    def test_a_library_without_debug_information_is_seen(self):
        found = self.problems_with(options=["-g0"])
        self.assertIn("the dump does not name struct joulie_error", found)


if __name__ == "__main__":
    unittest.main()
