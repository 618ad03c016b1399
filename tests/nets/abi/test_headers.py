# SPDX-License-Identifier: Apache-2.0
"""The public headers are plain C99 and C++11, include libc's headers only, and say what bindings can see."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import scratch
import symbols

HEADERS = sorted((scratch.INCLUDE / "joulie").glob("*.h"))
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wundef", "-Werror", "-fsyntax-only"]
C99 = ["gcc", "-std=c99", "-x", "c", *STRICT]
CPP11 = ["g++", "-std=c++11", "-x", "c++", *STRICT]
OF_LIBC = {"stddef.h", "stdint.h"}
# what ctypes cannot see, or has another width elsewhere
NOT_HERE = re.compile(
    r"static inline|\.\.\.|\blong\b|\bshort\b|\bFILE\b|\boff_t\b|\btime_t\b|\bsize_t \w+ :|_Bool|\bbool\b"
)


def complaints(command, text, include=scratch.INCLUDE):
    done = subprocess.run(
        [*command, "-I", include, "-"],
        input=text,
        text=True,
        stderr=subprocess.PIPE,
        check=False,
    )
    return done.stderr if done.returncode != 0 else ""


def program(names):
    """Each header twice: it must not mind."""
    return (
        "".join(f"#include <joulie/{name}>\n" * 2 for name in names)
        + "int main(void) { return 0; }\n"
    )


class Headers(unittest.TestCase):
    def test_each_header_compiles_alone(self):
        for file in HEADERS:
            for command in (C99, CPP11):
                with self.subTest(f"{file.name} {command[1]}"):
                    self.assertEqual(complaints(command, program([file.name])), "")

    def test_bits_are_plain_literals(self):
        """Generators of bindings read (1ULL << 3); they do not see through a macro such as UINT64_C."""
        for file in HEADERS:
            with self.subTest(file.name):
                text = file.read_text()
                self.assertNotIn("UINT64_C", text)
                for name, meaning in re.findall(r"#define (JOULIE_\w+)[ \t]+(.*<<.*)", text):
                    self.assertRegex(meaning, r"^\(1ULL << \d+\)(?:\s*/\*.*)?$", name)

    def test_all_compile_together_in_either_order(self):
        names = [file.name for file in HEADERS]
        for order in (names, names[::-1]):
            for command in (C99, CPP11):
                with self.subTest(f"{order[0]} first {command[1]}"):
                    self.assertEqual(complaints(command, program(order)), "")

    def test_init_fills_the_size_in_both_languages(self):
        text = (
            "#include <joulie/joulie.h>\n"
            "int main(void) {\n"
            "struct joulie_error err = JOULIE_INIT(struct joulie_error);\n"
            "return err.struct_size == sizeof err && err.code == 0 && err.message[511] == 0 ? 0 : 1; }\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            for command in (C99, CPP11):
                program_file = Path(folder) / "init"
                options = [word for word in command if word != "-fsyntax-only"]
                self.assertEqual(complaints([*options, "-o", program_file], text), "")
                self.assertEqual(subprocess.run([program_file], check=False).returncode, 0)

    def test_joulie_h_has_every_header(self):
        text = self.text_of(scratch.INCLUDE / "joulie" / "joulie.h")
        included = set(re.findall(r"#include <joulie/(\w+\.h)>", text))
        self.assertEqual(included, {file.name for file in HEADERS} - {"joulie.h"})

    def test_only_headers_of_libc_and_of_ours_are_included(self):
        for file in HEADERS:
            for name in re.findall(r"#\s*include\s*[<\"]([^>\"]+)", self.text_of(file)):
                is_ours = name.startswith("joulie/") and (scratch.INCLUDE / name).exists()
                self.assertTrue(is_ours or name in OF_LIBC, f"{file.name}: {name}")

    def test_nothing_that_bindings_cannot_see(self):
        for file in HEADERS:
            code = symbols.code_of(file.read_text())
            self.assertIsNone(NOT_HERE.search(code), file.name)

    def test_every_function_says_who_may_call_it_and_since_when(self):
        for file in HEADERS:
            for comment, name in self.documented(file.read_text()):
                with self.subTest(f"{file.name}: {name}"):
                    self.assertIn("@threads", comment)
                    self.assertRegex(
                        " ".join(comment.replace("*", " ").split()), r"@since \d+\.\d+"
                    )

    def text_of(self, file):
        return scratch.reader.without_comments(file.read_text())

    def documented(self, text):
        """Comment right before each function, and the function."""
        pattern = r"((?:/\*\*(?:(?!\*/).)*\*/)?)\s*^JOULIE_API\b[^;(]*?(\w+)\s*\("
        found = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(found), len(re.findall(r"^JOULIE_API\b", text, re.MULTILINE)))
        return found

    def test_a_header_that_is_not_c99_is_seen(self):
        text = "struct x {\n    int n;\n    struct {\n        int inner;\n    };\n};\nint main(void) { return 0; }\n"
        self.assertIn("unnamed", complaints(C99, text))

    def test_a_header_that_is_not_cpp_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            include = scratch.copy_headers(
                Path(folder), "error.h", "joulie_free(void *memory);", "joulie_free(void *delete);"
            )
            self.assertEqual(complaints(C99, program(["error.h"]), include), "")
            self.assertIn("delete", complaints(CPP11, program(["error.h"]), include))

    def test_a_header_that_needs_another_first_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            include = scratch.copy_headers(
                Path(folder), "ask.h", "#include <joulie/error.h>", "#include <joulie/version.h>"
            )
            self.assertIn("int32_t", complaints(C99, program(["ask.h"]), include))


if __name__ == "__main__":
    unittest.main()
