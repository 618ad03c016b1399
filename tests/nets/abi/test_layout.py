# SPDX-License-Identifier: Apache-2.0
"""Net 2: what older releases recorded of structs, enums and functions is a prefix of today's."""

import json
import tempfile
import unittest
from pathlib import Path

import record
import scratch
from scratch import make_table
from scratch import reader as headers

RECORDS = scratch.records()


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.today = scratch.layout_of_library()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)

    def problems_with(self, file, old, new):
        """What the net says of headers in which old became new."""
        include = scratch.copy_headers(self.here, file, old, new)
        return record.problems(self.today, scratch.layout_of_headers(include, self.here))

    def test_the_table_of_the_build_is_of_these_headers(self):
        self.assertEqual(
            scratch.RELEASE.joinpath("libjoulie/layout/table.c").read_text(),
            make_table.table(headers.read(scratch.INCLUDE / "joulie")),
            "the build did not notice a change of a header",
        )

    def test_every_record_is_a_prefix_of_today(self):
        self.assertTrue(RECORDS)
        for file in RECORDS:
            with self.subTest(file.parent.name):
                self.assertEqual(record.problems(json.loads(file.read_text()), self.today), [])

    def test_the_record_of_this_version_is_complete(self):
        file = scratch.HERE / ".".join(scratch.version()) / "layout.json"
        recorded = json.loads(file.read_text())
        self.assertEqual(recorded, self.today, "run tests/nets/abi/refresh.py")

    def test_headers_as_they_are_have_no_problem(self):
        self.assertEqual(self.problems_with("", "", ""), [])

    def test_a_member_in_the_middle_is_seen(self):
        found = self.problems_with(
            "error.h", "    uint32_t line; ", "    uint64_t id;\n    uint32_t line; "
        )
        self.assertEqual(
            found[0],
            "struct joulie_error: was uint32_t line at 16, 4 bytes, is uint64_t id at 16, 8 bytes",
        )

    def test_a_member_of_another_type_is_seen(self):
        found = self.problems_with("error.h", "    int sys_errno; ", "    float sys_errno; ")
        self.assertEqual(
            found,
            [
                "struct joulie_error: was int sys_errno at 12, 4 bytes, is float sys_errno at 12, 4 bytes"
            ],
        )

    def test_a_struct_that_shrinks_is_seen(self):
        found = self.problems_with("error.h", "char message[512];", "char message[256];")
        self.assertEqual(found[0], "struct joulie_error: size was 792, is 536")

    def test_a_struct_without_size_cannot_grow(self):
        found = self.problems_with(
            "column.h", "struct joulie_column {", "struct joulie_column {\n    double spare;"
        )
        self.assertIn("struct joulie_column: size was 16, is 24", found)

    def test_a_member_in_the_tail_padding_is_seen(self):
        old = {"name": "s", "size": 16, "align": 8, "members": [self.member("struct_size", 0, 8)]}
        old["members"].append(self.member("a", 8, 4))
        new = {**old, "members": [*old["members"], self.member("b", 12, 4)]}
        self.assertEqual(
            record.struct_problems(old, new),
            ["struct s: int b at 12, 4 bytes lies in bytes that old callers left dirty"],
        )

    @staticmethod
    def member(name, offset, size):
        return {"name": name, "type": "int", "offset": offset, "size": size}

    def test_a_member_at_the_end_is_no_problem(self):
        found = self.problems_with(
            "error.h", "    char message[512]; ", "    char message[512];\n    uint64_t has; "
        )
        self.assertEqual(found, [])

    def test_an_enum_that_is_renumbered_is_seen(self):
        found = self.problems_with("error.h", "JOULIE_E_NOMEM = -2,", "JOULIE_E_NOMEM = -20,")
        self.assertEqual(found, ["enum joulie_code: JOULIE_E_NOMEM was -2, is -20"])

    def test_an_enum_value_that_is_gone_is_seen(self):
        found = self.problems_with("twin.h", "    JOULIE_COOLING_DX = 8, ", "")
        self.assertEqual(found, ["enum joulie_cooling: JOULIE_COOLING_DX is gone"])

    def test_a_bit_that_moves_is_seen(self):
        found = self.problems_with(
            "twin.h",
            "JOULIE_TWIN_OUT_PSU (1ULL << 2)",
            "JOULIE_TWIN_OUT_PSU (1ULL << 3)",
        )
        self.assertEqual(found, ["constant JOULIE_TWIN_OUT_PSU was 4, is 8"])

    def test_an_int_that_becomes_an_enum_is_seen(self):
        found = self.problems_with(
            "error.h", "*joulie_code_word(int code);", "*joulie_code_word(enum joulie_code code);"
        )
        self.assertEqual(
            found,
            [
                "function was const char * joulie_code_word(int), "
                "is const char * joulie_code_word(enum joulie_code)"
            ],
        )

    def test_a_function_that_is_gone_is_seen(self):
        found = self.problems_with(
            "version.h", "JOULIE_API int joulie_has_feature(const char *name);", ""
        )
        self.assertEqual(found, ["function joulie_has_feature is gone"])

    def test_a_callback_with_another_argument_is_seen(self):
        found = self.problems_with(
            "twin.h", "joulie_cooling_fn(void *user, double", "joulie_cooling_fn(void *user, float"
        )
        self.assertIn("callback was double joulie_cooling_fn(void *, double, double)", found[0])

    def test_a_declaration_that_nobody_can_read_stops_the_reader(self):
        for text in (
            "int joulie_exported;",
            "struct joulie_x { unsigned a : 3; };",
            "enum joulie_y { A };",
        ):
            with self.subTest(text):
                folder = self.here / "x"
                folder.mkdir(exist_ok=True)
                (folder / "x.h").write_text(text)
                self.assertRaises(headers.Unreadable, headers.read, folder)


if __name__ == "__main__":
    unittest.main()
