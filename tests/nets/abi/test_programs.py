# SPDX-License-Identifier: Apache-2.0
"""How the programs that are shipped were linked: what they load, and what an attacker could overwrite.

joulie-agent may run as root from any folder: no library of that folder may be loaded.
"""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import scratch
import symbols

FOLDER = scratch.LIBRARY.parent.parent / "bin"
NAMES = ("joulie", "joulie-agent", "joulie-operator", "joulie-rescue", "joulie-scheduler")
PROGRAMS = (*NAMES, "joulie-simulator")


def faults_of(program):
    """Sentences about what is wrong with it."""
    text = symbols.output("readelf", "--dynamic", "--program-headers", "--wide", program)
    for path in re.findall(r"\((?:RUNPATH|RPATH)\)[^\[]*\[([^\]]*)\]", text):
        for element in path.split(":"):
            if not element.startswith(("/", "$ORIGIN")):
                yield f"it loads libraries of the current folder: {path!r}"
    if "BIND_NOW" not in text and " NOW" not in text:
        yield "its symbols are bound late"
    if "GNU_RELRO" not in text:
        yield "what the linker relocates stays writable"
    if re.search(r"GNU_STACK.*RWE", text):
        yield "its stack can be run"
    if "Elf file type is DYN" not in text:
        yield "it is loaded at a fixed place"


class Programs(unittest.TestCase):
    def test_each_is_linked_safely(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.assertEqual(list(faults_of(FOLDER / name)), [])


class Breaks(unittest.TestCase):
    def test_each_fault_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "x.c"), Path(folder, "x")
            source.write_text("int main(void) { return 0; }")
            for options, words in (
                (["-Wl,-rpath,/lib:"], "current folder"),
                (["-Wl,-rpath,lib"], "current folder"),
                (["-Wl,-z,lazy"], "bound late"),
                (["-Wl,-z,norelro"], "stays writable"),
                (["-Wl,-z,execstack"], "stack can be run"),
                (["-no-pie"], "fixed place"),
            ):
                with self.subTest(words):
                    subprocess.run(["cc", source, "-o", program, *options], check=True)
                    self.assertIn(words, " ".join(faults_of(program)))


if __name__ == "__main__":
    unittest.main()
