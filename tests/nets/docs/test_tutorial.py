# SPDX-License-Identifier: Apache-2.0
"""The programs of the tutorial build and print what it shows."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import LIBRARY, ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text()
PROGRAM = re.compile(r"^```c\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(program: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        source.write_text(program)
        command = ["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include"]
        library = [LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-o", Path(folder) / "program"]
        subprocess.run([*command, source, *library], check=True)
        done = subprocess.run(
            [Path(folder) / "program"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout


class Tutorial(unittest.TestCase):
    def test_every_program_prints_what_the_page_shows(self):
        programs = PROGRAM.findall(PAGE)
        self.assertEqual(len(programs), 4)
        for program, shown in programs:
            with self.subTest(program.splitlines()[0]):
                self.assertEqual(run(program), shown)

    def test_the_three_ways_agree_to_the_last_bit(self):
        headroom = "28.240740740740737"
        for program, shown in PROGRAM.findall(PAGE):
            with self.subTest(program.splitlines()[0]):
                self.assertIn(headroom, shown)


if __name__ == "__main__":
    unittest.main()
