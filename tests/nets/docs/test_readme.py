# SPDX-License-Identifier: Apache-2.0
"""What the README and the pages it begins with show happens: every console block, the C program, the Python program."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import LIBRARY, RELEASE, ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
README = (ROOT / "README.md").read_text()
FIRST_STEPS = (ROOT / "docs" / "first-steps.md").read_text()
CAPPING = (ROOT / "docs" / "capping.md").read_text()
THREADS = (ROOT / "docs" / "threads.md").read_text()
TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def console_blocks(text):
    """(command, output) of each console block."""
    found = []
    for language, body in BLOCK.findall(text):
        if language == "console":
            command, _, output = body.partition("\n")
            found.append((command.removeprefix("$ "), output))
    return found


def program(language, page=README):
    return next(body for found, body in BLOCK.findall(page) if found == language)


class Readme(unittest.TestCase):
    """In a folder that looks like a checkout whose release is the one under test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        for name in ("include", "docs", "bindings", "tests"):
            (self.here / name).symlink_to(ROOT / name)
        (self.here / "build").mkdir()
        (self.here / "build" / "release").symlink_to(RELEASE)
        (self.here / "example.c").write_text(program("c"))
        (self.here / "example.py").write_text(program("python", FIRST_STEPS))

    def run_shell(self, command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.here,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "JOULIE_LIBRARY": str(LIBRARY)},
            check=False,
        )
        return done.stdout

    def check_blocks(self, page, least):
        blocks = console_blocks(page)
        self.assertGreaterEqual(len(blocks), least)
        for command, output in blocks:
            with self.subTest(command):
                shown = self.run_shell(command)
                if " cap status " in command:  # prints since when
                    shown, output = TIME.sub("TIME", shown), TIME.sub("TIME", output)
                self.assertEqual(shown, output)

    def test_every_console_block_prints_what_it_shows(self):
        self.check_blocks(README, 2)

    def test_every_console_block_of_the_first_steps_prints_what_it_shows(self):
        self.check_blocks(FIRST_STEPS, 7)

    def test_the_readme_is_short(self):
        self.assertLessEqual(len(README.encode()), 6 * 1024)

    def test_every_console_block_about_caps_prints_what_it_shows(self):
        self.check_blocks(CAPPING, 7)

    def test_every_console_block_about_threads_prints_what_it_shows(self):
        self.check_blocks(THREADS, 4)

    def test_the_two_commands_exist(self):
        helped = subprocess.run(
            [ROOT / "dev", "help"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        commands = re.findall(r"^\./dev (\w+)$", README, re.MULTILINE)
        self.assertEqual(commands, ["demo", "test"])
        for command in commands:
            self.assertRegex(helped, rf"(?m)^  {command} ")

    def test_the_c_program_has_ten_lines_or_so(self):
        body = program("c").split("{\n", 1)[1]
        self.assertLessEqual(len(body.splitlines()), 11)


class Architecture(unittest.TestCase):
    def test_the_page_names_every_room(self):
        page = (ROOT / "docs" / "architecture.md").read_text()
        rooms = re.findall(r"^  (\w+)/ ", page, re.MULTILINE)
        self.assertEqual(
            sorted(rooms),
            sorted(folder.name for folder in (ROOT / "libjoulie").iterdir() if folder.is_dir()),
        )


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file(self):
        pages = [
            ROOT / "README.md",
            ROOT / "CONTRIBUTING.md",
            ROOT / "NEWS.md",
            *sorted((ROOT / "docs").rglob("*.md")),
        ]
        for page in pages:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
                if not target.startswith("http"):
                    with self.subTest(f"{page.name}: {target}"):
                        self.assertTrue((page.parent / target).exists(), target)
