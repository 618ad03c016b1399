# SPDX-License-Identifier: Apache-2.0
"""Every exported function is called by a program whose allocations fail (tests/nets/oom)."""

import re
import unittest

from checkout import ROOT

CALL = re.compile(r"\b(joulie_\w+)\(")


def exported():
    return set(re.findall(r"\bjoulie_\w+(?=;)", (ROOT / "libjoulie/libjoulie.map").read_text()))


def called(programs):
    """Also what a table of the program names."""
    text = "\n".join(
        re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", "", code, flags=re.DOTALL)
        for code in programs
    )
    return set(CALL.findall(text))


class Oom(unittest.TestCase):
    def test_every_exported_function_is_tried_without_memory(self):
        programs = [file.read_text() for file in sorted((ROOT / "tests/nets/oom").glob("oom*.c"))]
        missing = sorted(exported() - called(programs))
        self.assertEqual(
            missing,
            [],
            "no program of tests/nets/oom calls these; one that needs no memory is for oom_nothing.c",
        )

    def test_a_function_that_is_only_mentioned_is_not_called(self):
        self.assertEqual(called(['/* joulie_a() */ "joulie_b(" joulie_c(1);']), {"joulie_c"})

    def test_every_program_runs(self):
        listed = (ROOT / "tests/nets/oom/CMakeLists.txt").read_text()
        for file in sorted((ROOT / "tests/nets/oom").glob("oom*.c")):
            self.assertRegex(listed, rf"\b{file.stem}\b", f"{file.name} is not built")
