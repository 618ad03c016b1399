# SPDX-License-Identifier: Apache-2.0
"""Net 1: what the library exports, the map, the headers and debian's symbols file name the same functions."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import scratch
import symbols

TODAY = symbols.Lists(scratch.LIBRARY, scratch.MAP, scratch.INCLUDE / "joulie", scratch.DEBIAN)


class Symbols(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)

    def copy_of(self, file, old, new):
        copy = self.here / file.name
        copy.write_text(file.read_text())
        scratch.plant(copy, old, new)
        return copy

    def test_the_four_lists_are_the_same(self):
        self.assertEqual(symbols.problems(TODAY), [])

    def test_the_symbols_file_is_what_the_map_says(self):
        text = symbols.debian_symbols(symbols.in_map(scratch.MAP))
        self.assertEqual(scratch.DEBIAN.read_text(), text, "run tests/nets/abi/refresh.py")

    def test_a_symbol_removed_from_the_map_is_seen(self):
        copy = self.copy_of(scratch.MAP, "    joulie_ask;\n", "")
        self.assertEqual(
            symbols.problems(TODAY._replace(map=copy)),
            [
                "the library has joulie_ask@JOULIE_0.3, which the map does not",
                "include/joulie has joulie_ask, which the map does not",
                "debian's symbols has joulie_ask@JOULIE_0.3, which the map does not",
            ],
        )

    def test_a_library_without_the_symbol_is_seen(self):
        copy = self.copy_of(scratch.MAP, "    joulie_ask;\n", "")
        library = scratch.library_of_headers(scratch.INCLUDE, copy, self.here)
        self.assertEqual(
            symbols.problems(TODAY._replace(library=library)),
            ["the library lacks joulie_ask@JOULIE_0.3"],
        )

    def test_a_declaration_that_is_gone_is_seen(self):
        include = scratch.copy_headers(
            self.here, "version.h", "JOULIE_API const char *joulie_version(void);", ""
        )
        self.assertEqual(
            symbols.problems(TODAY._replace(headers=include / "joulie")),
            ["include/joulie lacks joulie_version"],
        )

    def test_a_symbol_of_another_version_is_seen(self):
        copy = self.copy_of(scratch.MAP, "JOULIE_0.3 {", "JOULIE_0.0 {")
        library = scratch.library_of_headers(scratch.INCLUDE, copy, self.here)
        found = symbols.problems(TODAY._replace(library=library))
        self.assertIn("the library lacks joulie_ask@JOULIE_0.3", found)

    def test_a_symbol_that_debian_does_not_know_is_seen(self):
        copy = self.copy_of(scratch.DEBIAN, " joulie_ask@JOULIE_0.3 0.3.0~\n", "")
        self.assertEqual(
            symbols.problems(TODAY._replace(debian=copy)),
            ["debian's symbols lacks joulie_ask@JOULIE_0.3"],
        )

    def test_a_symbol_that_escapes_is_seen(self):
        source, library = self.here / "x.c", self.here / "x.so"
        source.write_text("int jl_escaped(void)\n{\n    return 1;\n}\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.assertEqual(symbols.exported(library), {"jl_escaped"})

    def test_a_declaration_is_seen_on_many_lines(self):
        (self.here / "x.h").write_text(
            "/* JOULIE_API int joulie_no(void); */\nJOULIE_API const char *\njoulie_yes(int a,\n    int b);\n"
        )
        self.assertEqual(symbols.declared(self.here), {"joulie_yes"})

    def test_a_map_of_two_releases_is_read(self):
        file = self.here / "x.map"
        file.write_text(
            "A_0.2 { global: c; } A_0.1;\nA_0.1 { global: a; /* x; */ b; local: *; };\n"
        )
        self.assertEqual(symbols.in_map(file), ["c@A_0.2", "a@A_0.1", "b@A_0.1"])


if __name__ == "__main__":
    unittest.main()
