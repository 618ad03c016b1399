# SPDX-License-Identifier: Apache-2.0
"""What the shared object exports and needs, and that the public headers are plain C99 and C++11."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import abi
from checkout import LIBRARY, ROOT

HEADERS = ROOT / "include" / "joulie"
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", str(ROOT / "include")]


class Exports(unittest.TestCase):
    def test_the_map_names_what_the_headers_declare(self):
        self.assertEqual(
            set(abi.in_map(ROOT / "libjoulie" / "libjoulie.map")), abi.declared(HEADERS)
        )

    def test_the_library_exports_what_the_map_names(self):
        self.assertEqual(
            abi.exported(LIBRARY), set(abi.in_map(ROOT / "libjoulie" / "libjoulie.map"))
        )

    def test_the_map_is_sorted(self):
        names = abi.in_map(ROOT / "libjoulie" / "libjoulie.map")
        self.assertEqual(names, sorted(names))

    def test_the_library_needs_four_others_at_most(self):
        allowed = {
            "libc.so.6",
            "libm.so.6",
            "libjson-c.so.5",
            "libyaml-0.so.2",
            "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1",
        }
        self.assertEqual(abi.needed(LIBRARY) - allowed, set())


class Breaks(unittest.TestCase):
    """The readers of the three lists see what they are there for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)

    def test_a_symbol_that_escapes_is_seen(self):
        source, library = self.here / "x.c", self.here / "x.so"
        source.write_text("int jl_escaped(void)\n{\n    return 1;\n}\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.assertEqual(abi.exported(library), {"jl_escaped"})

    def test_another_library_is_seen(self):
        source, library = self.here / "x.c", self.here / "x.so"
        source.write_text(
            "int yaml_get_version(void);\nint f(void);\nint f(void)\n{\n    return yaml_get_version();\n}\n"
        )
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-lyaml"], check=True)
        self.assertIn("libyaml-0.so.2", abi.needed(library))

    def test_a_declaration_is_seen_on_many_lines(self):
        (self.here / "x.h").write_text(
            "/* JOULIE_API int joulie_no(void); */\nJOULIE_API const char *\njoulie_yes(int a,\n    int b);\n"
        )
        self.assertEqual(abi.declared(self.here), {"joulie_yes"})

    def test_a_map_of_two_releases_is_read(self):
        file = self.here / "x.map"
        file.write_text(
            "A_0.2 { global: c; } A_0.1;\nA_0.1 { global: a; /* x; */ b; local: *; };\n"
        )
        self.assertEqual(abi.in_map(file), ["c", "a", "b"])


class Headers(unittest.TestCase):
    def check_header(self, compiler, standard, language, header):
        text = f"#include <joulie/{header}>\n#include <joulie/{header}>\nint main(void) {{ return 0; }}\n"
        done = subprocess.run(
            [compiler, f"-std={standard}", "-x", language, *STRICT, "-"],
            input=text,
            text=True,
            stderr=subprocess.PIPE,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_header_compiles_alone_as_c99(self):
        for file in sorted(HEADERS.glob("*.h")):
            with self.subTest(file.name):
                self.check_header("gcc", "c99", "c", file.name)

    def test_each_header_compiles_alone_as_cpp11(self):
        for file in sorted(HEADERS.glob("*.h")):
            with self.subTest(file.name):
                self.check_header("g++", "c++11", "c++", file.name)

    def test_a_header_that_is_not_c99_is_seen(self):
        text = "/* C */\nstruct x {\n    int n;\n    struct {\n        int inner;\n    };\n};\n"
        with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(
                ["gcc", "-std=c99", "-x", "c", *STRICT, file.name],
                stderr=subprocess.PIPE,
                check=False,
            )
        self.assertNotEqual(done.returncode, 0)

    def test_headers_name_nothing_that_ctypes_cannot_see(self):
        for file in sorted(HEADERS.glob("*.h")):
            code = abi.code_of(file.read_text())
            for word in ("static inline", "...", " long ", "FILE *", "off_t", "time_t"):
                self.assertNotIn(
                    word, code.replace("#define JOULIE_INIT", ""), f"{file.name}: {word}"
                )
