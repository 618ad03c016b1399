# SPDX-License-Identifier: Apache-2.0
"""The answers of all vectors are the same bytes in another locale, on a CPU without AVX2 and FMA,
and whatever the order of members in a document; those to drawn questions in the first two cases."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from checkout import LIBRARY, RELEASE, ROOT, VECTORS

# These answers repeat members of the document, in the document's order.
REPEATING = (
    "kubernetes-7-",
    "joulie-control-5.1-diff",
    "libjoulie-tensor-fusion",
    "tensor-fusion-5.",
    "tensor-fusion-12.2-",
)
# And this annotation keeps a part of it as text.
KEPT = "joulie.io/tensor-fusion-autoscaling"
RUN_PYTHON = ROOT / "tests" / "vectors" / "run_python.py"
LOADER = Path("/lib64/ld-linux-x86-64.so.2")
# The names of glibc 2.36, and those of older ones.
WITHOUT_FMA = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"
# Of the drawn questions; VARIANTS of each vector.
SEED = "1"
VARIANTS = "1"


def in_order(line):
    """A line of answers whose members are sorted when their order is the document's."""
    if not line.startswith(REPEATING):
        return line
    *names, text = line.split("\t", 2)
    answer = json.loads(text)
    metadata = answer.get("metadata", {})
    if KEPT in metadata.get("annotations", {}):
        metadata["annotations"][KEPT] = json.loads(metadata["annotations"][KEPT])
    return "\t".join([*names, json.dumps(answer, sort_keys=True)])


class Same(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.here = Path(cls.folder.name)
        cls.expected = cls.c_answers("plain")
        cls.expected_drawn = cls.drawn_answers("plain")

    @classmethod
    def c_answers(cls, name, **environment):
        file = cls.here / name
        subprocess.run(
            [RELEASE / "bin" / "test_vectors", "--answers", file, *VECTORS],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        return file.read_text().splitlines()

    @classmethod
    def drawn_answers(cls, name, **environment):
        file = cls.here / f"drawn-{name}"
        subprocess.run(
            [RELEASE / "bin" / "same_answers", file, SEED, VARIANTS, *VECTORS],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return file.read_text().splitlines()

    @classmethod
    def python_answers(cls, name, *options, **environment):
        file = cls.here / name
        done = subprocess.run(
            [sys.executable, RUN_PYTHON, "--answers", file, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
            env={**os.environ, "JOULIE_LIBRARY": str(LIBRARY), **environment},
        )
        if not file.exists():
            raise AssertionError(done.stdout)
        return file.read_text().splitlines()

    def check_same(self, answers, expected=None):
        expected = self.expected if expected is None else expected
        self.assertEqual(len(answers), len(expected))
        for line, wanted in zip(answers, expected):
            self.assertEqual(line, wanted)

    def test_in_a_locale_with_decimal_commas(self):
        made = subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", self.here / "de_DE.UTF-8"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if made.returncode != 0:
            self.skipTest("localedef could not make de_DE.UTF-8")
        environment = {"LOCPATH": str(self.here), "LC_ALL": "de_DE.UTF-8"}
        answers = self.python_answers("locale", "--locale", environment["LC_ALL"], **environment)
        self.check_same(answers)
        self.check_same(self.drawn_answers("locale", **environment), self.expected_drawn)

    def features(self, **environment):
        done = subprocess.run(
            [LOADER, "--list-diagnostics"],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, **environment},
        )
        return [line for line in done.stdout.splitlines() if line.startswith("x86.cpu_features")]

    def test_without_avx2_and_fma(self):
        if not LOADER.exists():
            self.skipTest("only x86-64 has these")
        if self.features() == self.features(GLIBC_TUNABLES=WITHOUT_FMA):
            self.skipTest("this machine has neither AVX2 nor FMA")
        self.check_same(self.c_answers("tunables", GLIBC_TUNABLES=WITHOUT_FMA))
        drawn = self.drawn_answers("tunables", GLIBC_TUNABLES=WITHOUT_FMA)
        self.check_same(drawn, self.expected_drawn)

    def test_with_members_in_another_order(self):
        """Of a document with two faults the first one is reported, so places of errors may differ."""
        for seed in ("1", "2", "3"):
            answers = self.python_answers(f"shuffle{seed}", "--shuffle", seed)
            pairs = [(a, e) for a, e in zip(answers, self.expected) if '\t{"error":' not in e]
            self.assertGreater(len(pairs), len(answers) // 4)
            self.check_same([in_order(a) for a, _ in pairs], [in_order(e) for _, e in pairs])
            for line, wanted in zip(answers, self.expected):
                self.assertEqual('\t{"error":' in line, '\t{"error":' in wanted, line)
