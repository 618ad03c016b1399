# SPDX-License-Identifier: Apache-2.0
"""A stranger finds the installed library: every example builds with pkg-config and with find_package(Joulie),
outside of the checkout, and prints what its .out says."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import examples
import hardening
import scratch

PREFIX = scratch.RELEASE / "prefix"
VERSION = ".".join(scratch.full_version())
PROGRAMS = {
    "joulie-agent": ["joulie-agent", "joulie-capd", "joulie-rescue"],
    "joulie-operator": ["joulie-operator"],
    "joulie-scheduler": ["joulie-scheduler"],
    "joulie-simulator": ["joulie-simulator"],
    "joulie-tools": ["joulie", "kubectl_complete-joulie", "kubectl-joulie"],
}
WITHOUT_UNIT = set(PROGRAMS["joulie-tools"])
CRDS = scratch.ROOT / "crds"
PAGES = scratch.ROOT / "docs" / "man"
BESIDE = {
    "joulie-agent": ["lib/systemd/system/joulie-capd.socket"],
    "joulie-operator": [
        *(f"share/joulie-operator/crds/{file.relative_to(CRDS)}" for file in CRDS.rglob("*.yaml")),
        "lib/joulie/power-ipmi",
        "share/joulie-operator/monitoring/dashboard.json",
        "share/joulie-operator/monitoring/rules.yaml",
    ],
    "joulie-simulator": ["share/joulie-simulator/inventory.yaml"],
    "joulie-tools": [
        "share/bash-completion/completions/joulie",
        "share/fish/vendor_completions.d/joulie.fish",
        "share/zsh/site-functions/_joulie",
    ],
}
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(stranger C CXX)
find_package(Joulie 0.3 REQUIRED)
foreach(program {programs})
  string(REGEX REPLACE "[.].*" "" name ${{program}})
  add_executable(${{name}} ${{program}})
  target_link_libraries(${{name}} PRIVATE Joulie::joulie)
endforeach()
"""


def only(pattern):
    """The one file of the prefix that a pattern finds."""
    (found,) = PREFIX.glob(pattern)
    return found


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(PREFIX, ignore_errors=True)
        for component in ("libjoulie1", "libjoulie-dev"):
            command = ["cmake", "--install", scratch.RELEASE, "--component", component]
            scratch.run([*command, "--prefix", PREFIX])
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.here = Path(folder.name)
        for file in examples.files():
            shutil.copy(file, cls.here)
        examples.machine(cls.here)
        cls.pc = only("lib*/**/libjoulie.pc")
        cls.library = only("lib*/**/libjoulie.so.1")
        # nothing but ours can be found: a user needs neither json-c's nor libyaml's files
        cls.env = {
            **os.environ,
            "PKG_CONFIG_LIBDIR": str(cls.pc.parent),
            "LD_LIBRARY_PATH": str(cls.library.parent),
        }
        cls.env.pop("PKG_CONFIG_PATH", None)

    def pkg_config(self, *options):
        return scratch.run(["pkg-config", *options, "libjoulie"], env=self.env).split()

    def check_output(self, program, name):
        command = [program, *examples.arguments(name, self.here)]
        text = scratch.run(command, cwd=self.here, env=self.env)
        self.assertEqual(text, examples.expected(name))

    def test_every_example_builds_with_pkg_config(self):
        flags = self.pkg_config("--cflags", "--libs")
        for source in examples.programs():
            with self.subTest(source.name):
                program = self.here / "with_pkg_config"
                compiler = (
                    ["gcc", *examples.C99] if source.suffix == ".c" else ["g++", *examples.CPP11]
                )
                scratch.run([*compiler, "-o", program, source.name, *flags], cwd=self.here)
                self.check_output(program, source.stem)

    def test_every_example_builds_with_cmake(self):
        names = " ".join(source.name for source in examples.programs())
        (self.here / "CMakeLists.txt").write_text(CMAKE.format(programs=names))
        build = self.here / "build"
        command = ["cmake", "-G", "Ninja", "-S", self.here, "-B", build]
        scratch.run([*command, f"-DCMAKE_PREFIX_PATH={PREFIX}"], env=self.env)
        scratch.run(["cmake", "--build", build])
        for source in examples.programs():
            with self.subTest(source.name):
                self.check_output(build / source.stem, source.stem)

    def test_a_release_of_another_soname_or_a_newer_one_is_not_found(self):
        for asked in ("0.2", "1.0"):
            text = f"cmake_minimum_required(VERSION 3.20)\nproject(x C)\nfind_package(Joulie {asked} REQUIRED)\n"
            with self.subTest(asked), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "CMakeLists.txt").write_text(text)
                command = ["cmake", "-S", folder, "-B", f"{folder}/b"]
                done = subprocess.run(
                    [*command, f"-DCMAKE_PREFIX_PATH={PREFIX}"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(VERSION, done.stdout)

    def test_pkg_config_asks_for_nothing_else(self):
        self.assertEqual(self.pkg_config("--libs")[-1], "-ljoulie")
        self.assertEqual(self.pkg_config("--print-requires", "--print-requires-private"), [])
        self.assertEqual(self.pkg_config("--modversion"), [VERSION])
        self.assertEqual(self.pkg_config("--variable=prefix"), [str(PREFIX)])

    def test_the_prefix_holds_headers_library_and_package_files(self):
        wanted = {
            f"include/joulie/{file.name}" for file in (scratch.INCLUDE / "joulie").glob("*.h")
        }
        lib = str(self.library.parent.relative_to(PREFIX))
        wanted |= {
            f"{lib}/{name}" for name in ("libjoulie.so", "libjoulie.so.1", f"libjoulie.so.1.{VERSION}")
        }
        wanted |= {f"{lib}/pkgconfig/libjoulie.pc"}
        names = "JoulieConfig JoulieConfigVersion JoulieTargets JoulieTargets-release".split()
        wanted |= {f"{lib}/cmake/Joulie/{name}.cmake" for name in names}
        found = {str(file.relative_to(PREFIX)) for file in PREFIX.rglob("*") if not file.is_dir()}
        self.assertEqual(found, wanted)

    def test_each_program_comes_with_its_page_and_its_unit(self):
        for component, names in PROGRAMS.items():
            with self.subTest(component), tempfile.TemporaryDirectory() as folder:
                command = ["cmake", "--install", scratch.RELEASE, "--component", component]
                scratch.run([*command, "--prefix", folder])
                files = [file for file in Path(folder).rglob("*") if not file.is_dir()]
                found = {str(file.relative_to(folder)) for file in files}
                pages = {f"{name}.1" for name in names if (PAGES / f"{name}.1").exists()}
                wanted = {f"bin/{name}" for name in names} | {f"share/man/man1/{page}" for page in pages}
                wanted |= set(BESIDE.get(component, []))
                for name in sorted(set(names) - WITHOUT_UNIT):
                    unit = f"lib/systemd/system/{name}.service"
                    wanted.add(unit)
                    self.assertIn(f"\nExecStart={folder}/bin/{name}", (Path(folder) / unit).read_text())
                self.assertEqual(found, wanted)
                program = Path(folder) / "bin" / names[-1]
                self.assertIn(VERSION, scratch.run([program, "--version"], env=self.env))

    def test_what_is_installed_loads_from_the_systems_folders_only(self):
        with tempfile.TemporaryDirectory() as folder:
            scratch.run(["cmake", "--install", scratch.RELEASE, "--prefix", folder])
            found = [
                file
                for file in Path(folder).rglob("*")
                if not file.is_dir() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"
            ]
            self.assertEqual(len(found), sum(len(names) for names in PROGRAMS.values()) - 2 + 1)
            for file in found:
                with self.subTest(file.name):
                    self.assertEqual(list(hardening.folders_of(hardening.read(file, "--dynamic"))), [])
                    self.assertEqual(list(hardening.linked(file)), [])

    def test_no_installed_file_names_the_checkout(self):
        for file in [self.pc, *PREFIX.glob("lib*/**/*.cmake")]:
            text = file.read_text().replace(str(PREFIX), "")
            self.assertNotIn(str(scratch.ROOT), text, file.name)


class Examples(unittest.TestCase):
    def test_every_header_has_an_example(self):
        sources = {file.stem: file.read_text() for file in examples.programs()}
        for file in sorted((scratch.INCLUDE / "joulie").glob("*.h")):
            with self.subTest(file.name):
                self.assertIn(f"#include <joulie/{file.name}>", sources.get(file.stem, ""))

    def test_examples_are_short(self):
        for file in examples.programs():
            most = examples.MOST_LINES.get(file.stem, examples.MOST_LINES_ELSE)
            self.assertLess(len(file.read_text().splitlines()), most, file.name)

    def test_every_expected_output_belongs_to_an_example(self):
        stems = {file.stem for file in examples.programs()}
        self.assertEqual({file.stem for file in examples.FOLDER.glob("*.out")}, stems)

    def test_examples_include_headers_of_libc_and_of_ours(self):
        for file in examples.programs():
            for name in re.findall(r"#include <(.*?)>", file.read_text()):
                self.assertRegex(name, r"^(joulie/\w+\.h|[a-z]+(\.h)?)$", file.name)


if __name__ == "__main__":
    unittest.main()
