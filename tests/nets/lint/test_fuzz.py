# SPDX-License-Identifier: Apache-2.0
"""Every fuzz target is built and begins with inputs of its own."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from checkout import ROOT

FUZZ = ROOT / "tests/nets/fuzz"
ENTRY = "LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n{"


def targets():
    return {
        file.stem.removeprefix("fuzz_")
        for file in FUZZ.glob("fuzz_*.c")
        if ENTRY in file.read_text()
    }


def listed(text):
    """Names given to joulie_fuzz(), those of a foreach included."""
    lists = re.findall(r"foreach\(target ([\w\s]+)\)\s*joulie_fuzz\(\$\{target\}\)", text)
    single = re.findall(r"joulie_fuzz\((\w+)", text)
    return {name for names in lists for name in names.split()} | set(single)


def table(file, name):
    """Items of a table of functions in a C file."""
    text = (FUZZ / file).read_text()
    body = re.search(rf"\b{name}\[\] = {{(.*?)}};", text, re.DOTALL).group(1)
    return re.findall(r"\w+", body)


class Fuzz(unittest.TestCase):
    def test_every_target_is_built(self):
        self.assertEqual(targets(), listed((FUZZ / "CMakeLists.txt").read_text()))

    def test_every_target_has_inputs_to_begin_with(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, FUZZ / "make_corpus.py", ROOT / "tests/vectors", folder]
            subprocess.run(command, check=True)
            made = {path.name for path in Path(folder).iterdir() if any(path.iterdir())}
            families = {file.read_bytes()[0] for file in (Path(folder) / "rules").iterdir()}
            parsers = {file.read_bytes()[0] for file in (Path(folder) / "texts").iterdir()}
        self.assertEqual(targets(), made)
        self.assertEqual(families, set(range(len(table("fuzz_rules.c", "families")))))
        self.assertEqual(parsers, set(range(len(table("fuzz_texts.c", "parsers")))))

    def test_every_family_of_rules_is_tried(self):
        declared = re.findall(r"\brules_\w+\b(?!\.)", (FUZZ / "dice.h").read_text())
        self.assertEqual(
            {name for name in declared if name != "rules_fn"},
            set(table("fuzz_rules.c", "families")),
        )

    def test_every_input_that_broke_something_belongs_to_a_target(self):
        stored = [path for path in (FUZZ / "regressions").rglob("*") if path.is_file()]
        self.assertTrue(stored)
        for path in stored:
            with self.subTest(path.name):
                self.assertEqual(path.parent.parent, FUZZ / "regressions")
                self.assertIn(path.parent.name, targets())
                self.assertNotIn(",", path.name)  # run.py gives them as a list

    def test_a_number_of_inputs_belongs_to_a_target(self):
        text = (FUZZ / "run.py").read_text()
        named = re.search(r"RUNS_OF = {(.*?)}", text, re.DOTALL).group(1)
        self.assertLessEqual(set(re.findall(r'"(\w+)"', named)), targets())

    def test_a_target_that_nobody_builds_is_seen(self):
        self.assertEqual(
            listed("foreach(target a b)\n  joulie_fuzz(${target})\n  joulie_fuzz(c d.c)"),
            {"a", "b", "c"},
        )
