# SPDX-License-Identifier: Apache-2.0
"""How what is shipped was compiled and linked: what it loads, and what an attacker could overwrite.

joulie-agent may run as root from any folder: no library of that folder may be loaded. joulie-rescue is linked from
the archive of the library.
"""

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

import hardening
import scratch

LIB = scratch.LIBRARY.parent
BIN = LIB.parent / "bin"
NAMES = ("joulie", "joulie-agent", "joulie-capd", "joulie-operator", "joulie-rescue", "joulie-scheduler")
SHIPPED = (*(BIN / name for name in (*NAMES, "joulie-simulator")), scratch.LIBRARY)
ARCHIVES = ("core", "runtime", "kube", "apiserver")


class Programs(unittest.TestCase):
    def check(self, files, *looks):
        for file in files:
            with self.subTest(file.name):
                self.assertEqual([fault for look in looks for fault in look(file)], [])

    def test_each_is_linked_safely(self):
        self.check(SHIPPED, hardening.linked)

    def test_each_is_compiled_safely(self):
        self.check(SHIPPED, hardening.called, hardening.compiled)

    def test_each_object_that_is_linked_into_them_is_compiled_safely(self):
        self.check([LIB / f"libjoulie_{name}.a" for name in ARCHIVES], hardening.compiled)

    @unittest.skipUnless(platform.machine() == "x86_64", "only x86-64 has CET")
    def test_each_object_can_be_entered_at_functions_only(self):
        self.check([LIB / f"libjoulie_{name}.a" for name in ARCHIVES], hardening.marked)


SOURCE = """\
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char text[64];
    strcpy(text, argv[argc - 1]);
    return puts(text);
}
"""
HARDENED = "-g -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection".split()
HARDENED += ["-pie", "-fPIE", "-Wl,-z,relro,-z,now,-z,noexecstack"]
HARDENED += ["-fcf-protection=full"] if platform.machine() == "x86_64" else ["-mbranch-protection=standard"]


class Breaks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        (self.here / "x.c").write_text(SOURCE)

    def faults(self, *options):
        program = self.here / "x"
        subprocess.run(["gcc", self.here / "x.c", "-o", program, *HARDENED, *options], check=True)
        looks = (hardening.linked, hardening.called, hardening.compiled)
        return [fault for look in looks for fault in look(program)]

    def test_a_program_without_faults_has_none(self):
        self.assertEqual(self.faults(), [])

    def test_each_fault_is_seen_alone(self):
        for options, words in (
            (["-Wl,-rpath,/lib:"], "current folder"),
            (["-Wl,-rpath,lib"], "current folder"),
            (["-Wl,-z,lazy"], "bound late"),
            (["-Wl,-z,norelro"], "stays writable"),
            (["-Wl,-z,execstack"], "stack can be run"),
            (["-no-pie"], "fixed place"),
            (["-U_FORTIFY_SOURCE"], "of known size"),
            (["-fno-stack-clash-protection"], "stack-clash"),
            (["-g0"], "how it was compiled"),
        ):
            with self.subTest(words):
                faults = self.faults(*options)
                self.assertTrue(faults)
                self.assertEqual([fault for fault in faults if words not in fault], [])

    def test_a_program_without_guards_is_seen_twice(self):
        called, compiled = self.faults("-fno-stack-protector")
        self.assertIn("is guarded", called)
        self.assertIn("-fno-stack-protector", compiled)

    @unittest.skipUnless(platform.machine() == "x86_64", "only x86-64 has CET")
    def test_an_object_without_the_mark_of_cet_is_seen(self):
        archive = self.here / "x.a"
        for name, option in (("full", "-fcf-protection=full"), ("none", "-fcf-protection=none")):
            subprocess.run(
                ["gcc", "-c", self.here / "x.c", "-o", f"{name}.o", option], cwd=self.here, check=True
            )
        subprocess.run(["ar", "rc", archive, "full.o", "none.o"], cwd=self.here, check=True)
        self.assertEqual(list(hardening.marked(archive)), ["none.o may be entered anywhere"])


if __name__ == "__main__":
    unittest.main()
