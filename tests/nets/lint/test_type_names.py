# SPDX-License-Identifier: Apache-2.0
"""One name is one type in a whole program, and the test that says so sees a second one."""

import tempfile
import unittest
from pathlib import Path

import type_names
from checkout import ROOT

LAYERS = """
level base
level host
program daemons/runtime base
program daemons/cli base daemons/runtime
program daemons/agent base daemons/runtime
"""


class TypeNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("tests/nets/lint/layers.txt", LAYERS)
        self.write("tests/nets/lint/type_names.txt", "jl_old # to be renamed\n")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def found(self, *files):
        for name, tag in files:
            self.write(name, f"struct {tag} {{\n    int a;\n}};\n")
        return type_names.check(self.root)

    def test_the_checkout_has_no_name_twice(self):
        self.assertEqual(type_names.check(ROOT), [])

    def test_two_headers_of_the_library_are_seen(self):
        found = self.found(("libjoulie/base/a.h", "jl_a"), ("libjoulie/host/b.h", "jl_a"))
        self.assertEqual(found, ["jl_a: libjoulie/base/a.h, libjoulie/host/b.h"])

    def test_a_header_and_a_source_are_seen(self):
        found = self.found(("include/joulie/a.h", "joulie_a"), ("libjoulie/host/b.c", "joulie_a"))
        self.assertEqual(len(found), 1)

    def test_a_name_without_a_prefix_may_be_the_own_of_a_source(self):
        self.assertEqual(self.found(("libjoulie/base/a.h", "plan"), ("libjoulie/host/b.c", "plan")), [])

    def test_two_sources_are_their_own_business(self):
        self.assertEqual(self.found(("libjoulie/base/a.c", "state"), ("libjoulie/host/b.c", "state")), [])

    def test_a_program_and_a_room_that_it_uses_are_seen(self):
        found = self.found(("daemons/cli/a.h", "jd_call"), ("daemons/runtime/b.h", "jd_call"))
        self.assertEqual(len(found), 1)

    def test_two_programs_may_have_types_of_one_name(self):
        self.assertEqual(self.found(("daemons/cli/a.h", "jd_a"), ("daemons/agent/b.h", "jd_a")), [])

    def test_a_name_in_the_list_is_let_through(self):
        self.assertEqual(self.found(("libjoulie/base/a.h", "jl_old"), ("libjoulie/host/b.h", "jl_old")), [])


if __name__ == "__main__":
    unittest.main()
