# SPDX-License-Identifier: Apache-2.0
"""The library for 64-bit Arm answers what the one for this machine answers, byte for byte.

The build for arm64 runs through the emulator that its toolchain file found.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from checkout import RELEASE, ROOT, VECTORS

sys.path.insert(0, str(ROOT / "tests" / "nets" / "lint"))
import purity  # noqa: E402

ARM64 = Path(os.environ.get("JOULIE_ARM64_BUILD", ROOT / "build" / "arm64")).resolve()
MACHINE_OF_ELF = {62: "x86-64", 183: "arm64"}
SEEDS = ("1", "2")
VARIANTS = "2"  # of each vector and seed


def emulator():
    cache = (ARM64 / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_CROSSCOMPILING_EMULATOR:\w+=(.+)$", cache, re.MULTILINE)
    if not found:
        raise AssertionError("cmake found no qemu-aarch64 when it made this build")
    return found.group(1).split(";")


def machine(program):
    """What a program was compiled for: the word at 18 of its header."""
    return MACHINE_OF_ELF.get(int.from_bytes(program.read_bytes()[18:20], "little"))


class Arm64(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)

    def answers(self, name, before, after):
        """The lines that a program writes to the file between its arguments: here, on arm64."""
        files = [self.here / "here", self.here / "there"]
        for build, prefix, file in ((RELEASE, [], files[0]), (ARM64, emulator(), files[1])):
            command = [*prefix, build / "bin" / name, *before, file, *after]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return [file.read_text().splitlines() for file in files]

    def check_same(self, here, there, least):
        self.assertGreater(len(here), least)
        for line, wanted in zip(there, here):
            self.assertEqual(line, wanted)
        self.assertEqual(len(there), len(here))

    def test_the_builds_are_of_two_machines(self):
        found = [machine(build / "lib" / "libjoulie.so.1") for build in (RELEASE, ARM64)]
        self.assertEqual(found, ["x86-64", "arm64"])

    def test_structs_and_enums_are_the_same(self):
        here, there = (
            json.loads(subprocess.check_output([*prefix, build / "bin" / "abi_layout"]))
            for build, prefix in ((RELEASE, []), (ARM64, emulator()))
        )
        self.assertEqual(there, here)

    def test_the_pure_rooms_call_nothing_else(self):
        """No state is judged on x86-64: gcc for arm64 keeps constants of its own in .data."""
        found = purity.check(ARM64, ROOT)
        self.assertEqual([line for line in found if ".data is not empty" not in line], [])

    def test_the_vectors_have_the_same_answers(self):
        here, there = self.answers("test_vectors", ["--answers"], VECTORS)
        self.check_same(here, there, 4000)

    def test_drawn_questions_have_the_same_answers(self):
        for seed in SEEDS:
            with self.subTest(seed):
                here, there = self.answers("same_answers", [], [seed, VARIANTS, *VECTORS])
                self.check_same(here, there, 25000)
