# SPDX-License-Identifier: Apache-2.0
"""What a comment names is there, and a name that is not is seen."""

import tempfile
import unittest
from pathlib import Path

import comments
from checkout import ROOT


class Checkout(unittest.TestCase):
    def test_every_file_and_function_that_a_comment_names_is_there(self):
        self.assertEqual(list(comments.check(ROOT)), [])


class Planted(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "libjoulie" / "caps" / "a.c"
            file.parent.mkdir(parents=True)
            file.write_text(text)
            return list(comments.check(Path(folder)))

    def test_a_file_that_is_gone_is_seen(self):
        self.assertEqual(self.check("\n/* See caps/b.c. */\n"), ["libjoulie/caps/a.c:2: there is no file caps/b.c"])

    def test_a_function_that_is_gone_is_seen(self):
        self.assertEqual(self.check("/* As jl_gone() does. */\n"), ["libjoulie/caps/a.c:1: there is no jl_gone"])

    def test_names_of_the_code_headers_of_the_system_and_patterns_are_no_problem(self):
        text = '/* a.c: jl_here() of <stdio.h>, JL_HAS_* and jl_x_… */\nint jl_here(void); // jl_here\n'
        self.assertEqual(self.check(text), [])

    def test_text_in_a_string_is_no_comment(self):
        self.assertEqual(self.check('const char *a = "/* jl_gone */";\n'), [])


if __name__ == "__main__":
    unittest.main()
