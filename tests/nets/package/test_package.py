# SPDX-License-Identifier: Apache-2.0
"""The Debian packages are installed into a bare system, where a stranger compiles and runs the examples."""

import re
import shutil
import tempfile
import unittest
from pathlib import Path

import debs
import chroot
from checkout import ROOT

OUT = ROOT / "build" / "package-test"
EXAMPLES = ROOT / "docs" / "examples"
IN_CHROOT = "/usr/share/doc/libjoulie-dev/examples"


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # the tests of the package are those of this checkout, which run beside this one
        built = debs.build(OUT, is_checked=False)
        cls.debs = [file for file in built if "dbgsym" not in file.name]

    def test_there_is_a_library_and_a_development_package(self):
        names = [file.name.split("_")[0] for file in self.debs]
        self.assertEqual(names, ["libjoulie-dev", "libjoulie1"])

    def test_lintian_has_nothing_to_say(self):
        """build() has asked it: an error or a warning stops it."""
        overrides = list((ROOT / "debian").glob("*.lintian-overrides"))
        for file in overrides:
            with self.subTest(file.name):
                lines = file.read_text().splitlines()
                self.assertTrue(lines[0].startswith("#"), "each override says why")
        self.assertNotRegex((OUT / "build.log").read_text(), r"(?m)^[EW]: ")

    def test_examples_compile_and_run_in_a_bare_system(self):
        feature = chroot.missing_feature()
        if feature:
            self.skipTest(feature)
        root = Path(tempfile.mkdtemp(prefix="joulie-chroot-"))
        self.addCleanup(chroot.outside, ["rm", "-rf", "--one-file-system", root])
        chroot.unpack(root)
        for file in self.debs:
            shutil.copy(file, root / "tmp")
        names = [f"/tmp/{file.name}" for file in self.debs]
        chroot.inside(root, "apt-get", "install", "--yes", *names)

        flags = chroot.inside(root, "pkg-config", "--cflags", "--libs", "libjoulie").split()
        self.assertEqual(flags, ["-ljoulie"])
        for name in ("twin", "ask", "cluster"):
            with self.subTest(name):
                source = f"{IN_CHROOT}/{name}.c"
                chroot.inside(root, "gcc", "-std=c99", "-o", "/tmp/program", source, *flags)
                self.assertEqual(
                    chroot.inside(root, "/tmp/program"), (EXAMPLES / f"{name}.out").read_text()
                )
        needs = chroot.inside(root, "ldd", "/tmp/program")
        self.assertRegex(needs, r"libjoulie\.so\.1 => /lib/")
        self.assertNotIn("not found", needs)
        status = chroot.inside(root, "dpkg", "--audit") + chroot.inside(
            root, "dpkg", "--list", "libjoulie*"
        )
        self.assertEqual(len(re.findall(r"^ii  libjoulie", status, re.MULTILINE)), 2)


class Sources(unittest.TestCase):
    def test_both_forms_of_apts_sources_are_read(self):
        old = "# deb http://no x main\ndeb [arch=amd64 signed-by=/k.gpg] http://m/debian bookworm main contrib\n"
        new = "Types: deb\n# remark\nURIs: http://m/debian\nSuites: bookworm\n bookworm-updates\nComponents: main\n"
        self.assertEqual(
            list(chroot.source_lines(old)),
            [("http://m/debian", "bookworm", ["main", "contrib"], "/k.gpg")],
        )
        self.assertEqual(
            list(chroot.source_lines(new)),
            [
                ("http://m/debian", "bookworm", ["main"], ""),
                ("http://m/debian", "bookworm-updates", ["main"], ""),
            ],
        )


if __name__ == "__main__":
    unittest.main()
