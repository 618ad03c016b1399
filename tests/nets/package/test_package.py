# SPDX-License-Identifier: Apache-2.0
"""The Debian packages are installed into a bare system, where a stranger compiles and runs the examples."""

import fnmatch
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import debs
import chroot
from checkout import DEV, ROOT

sys.path.insert(0, str(ROOT / "tests" / "nets" / "abi"))

import hardening  # noqa: E402

AGAIN = ROOT / "build" / "package-test-again"
EXAMPLES = ROOT / "docs" / "examples"
IN_CHROOT = "/usr/share/doc/libjoulie-dev/examples"
DAEMONS = ("agent", "operator", "scheduler", "simulator")


def run(*command: object) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} answers {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def paths_of(package: Path) -> list[str]:
    """What it installs, but folders, and but what every package has."""
    lines = (line.split(None, 5) for line in run("dpkg-deb", "--contents", package).splitlines())
    paths = [fields[5] for fields in lines if not fields[5].endswith("/")]
    doc = re.compile(r"\./usr/share/doc/[^/]+/(changelog\.Debian\.gz|copyright)$")
    return [path[1:] for path in paths if not doc.match(path)]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.debs = [file for file in debs.built() if "dbgsym" not in file.name]
        cls.trees = Path(tempfile.mkdtemp(prefix="joulie-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.trees)
        for file in cls.debs:
            run("dpkg-deb", "--extract", file, cls.trees / file.name.split("_")[0])

    def test_each_package_has_its_files(self):
        """contents.txt: a line for each; * stands for what follows from a folder of the checkout."""
        expected = (Path(__file__).parent / "contents.txt").read_text().splitlines()
        expected = [line for line in expected if line and not line.startswith("#")]
        found = [
            f"{file.name.split('_')[0]} {path}" for file in self.debs for path in paths_of(file)
        ]
        matched = {line for line in found for each in expected if fnmatch.fnmatchcase(line, each)}
        self.assertEqual(sorted(set(found) - matched), [], "not in contents.txt")
        unmet = [line for line in expected if not fnmatch.filter(found, line)]
        self.assertEqual(unmet, [], "in no package")

    def test_lintian_has_nothing_to_say(self):
        debs.judge(self.debs[0].parent)

    def test_the_same_bytes_come_out_again(self):
        """Elsewhere, in another time zone."""
        again = debs.build(AGAIN, is_checked=False, TZ="Pacific/Kiritimati")
        self.addCleanup(shutil.rmtree, AGAIN)
        first = {file.name: file.read_bytes() for file in debs.built()}
        self.assertEqual({file.name for file in again}, set(first))
        different = [file.name for file in again if file.read_bytes() != first[file.name]]
        self.assertEqual(different, [])

    def elf_files(self):
        for file in sorted(self.trees.rglob("*")):
            if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF":
                yield file

    def test_programs_are_hardened_and_load_from_the_systems_folders_only(self):
        names = []
        for file in self.elf_files():
            with self.subTest(file.name):
                names.append(file.name)
                self.assertEqual(list(hardening.folders_of(hardening.read(file, "--dynamic"))), [])
                self.assertEqual([*hardening.linked(file), *hardening.called(file)], [])
        programs = ["joulie", "joulie-capd", "joulie-rescue", *(f"joulie-{name}" for name in DAEMONS)]
        self.assertEqual([name for name in programs if name not in names], [])
        self.assertEqual(len(names), len(programs) + 1)  # and the library

    def test_units_are_confined(self):
        units = sorted(self.trees.glob("*/lib/systemd/system/*.service"))
        self.assertEqual(len(units), len(DAEMONS) + 2)  # of joulie-capd and joulie-rescue
        for unit in units:
            with self.subTest(unit.name):
                run("systemd-analyze", "security", "--offline=yes", "--threshold=20", unit)

    def test_files_of_settings_are_conffiles(self):
        for file in self.debs:
            paths = [path for path in paths_of(file) if path.startswith("/etc/")]
            if paths:
                with self.subTest(file.name):
                    listed = run("dpkg-deb", "--info", file, "conffiles").split()
                    self.assertEqual(listed, paths)

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
        chroot.inside(root, "apt-get", "install", "--yes", "--no-install-recommends", *names)

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


def flags_of(program: str) -> set[str]:
    page = (ROOT / f"docs/man/{program}.1").read_text().replace("\\-", "-")
    return set(re.findall(r"^\\fB(--[a-z0-9-]+)\\fR", page, re.MULTILINE))


class Pods(unittest.TestCase):
    """The manifest of docs/install.md, read by our own parser of YAML."""

    def setUp(self):
        (text,) = re.findall(r"```yaml\n(apiVersion:.*?)```", (ROOT / "docs/install.md").read_text(), re.DOTALL)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "none.json").write_text("{}")
        (self.folder / "pod.yaml").write_text(text)
        made = run(DEV / "bin/joulie", "diff", self.folder / "none.json", self.folder / "pod.yaml")
        self.spec = json.loads(made)["spec"]["template"]["spec"]
        self.containers = self.spec["initContainers"] + self.spec["containers"]

    def commands(self):
        for container in self.containers:
            yield container["command"]
            yield from (hook["exec"]["command"] for hook in container.get("lifecycle", {}).values())

    def test_its_programs_and_options_are_there(self):
        ours = [words for words in self.commands() if words[0].startswith("joulie")]
        self.assertEqual(sorted(words[0] for words in ours), ["joulie-agent", "joulie-rescue", "joulie-rescue"])
        for program, *words in ours:
            self.assertLessEqual({word for word in words if word.startswith("--")}, flags_of(program))

    def test_its_rescues_do_nothing_on_a_machine_that_nobody_capped(self):
        for program, *words in (words for words in self.commands() if words[0] == "joulie-rescue"):
            at = [str(self.folder) if word == "/host" else word for word in words]
            self.assertEqual(run(DEV / "bin" / program, *at), "")

    def test_its_containers_see_the_same_machine(self):
        volumes = {volume["name"] for volume in self.spec["volumes"]}
        for container in self.containers:
            with self.subTest(container["name"]):
                self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)
                self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})

    def test_a_rescue_has_the_time_that_it_may_take(self):
        for words in (words for words in self.commands() if "--owner" in words):
            seconds = [int(words[words.index(flag) + 1]) for flag in ("--wait", "--timeout")]
            self.assertLess(sum(seconds), self.spec["terminationGracePeriodSeconds"])


class Settings(unittest.TestCase):
    def test_files_of_settings_name_options_that_there_are(self):
        for name in DAEMONS:
            with self.subTest(name):
                text = (ROOT / f"daemons/deploy/etc/joulie-{name}.conf").read_text()
                flags = flags_of(f"joulie-{name}")
                keys = re.findall(r"^#?([A-Z_]+)=", text, re.MULTILINE)
                self.assertTrue(keys)
                unknown = [key for key in keys if "--" + key.lower().replace("_", "-") not in flags]
                self.assertEqual(unknown, [])

    def test_the_agent_that_is_installed_observes(self):
        text = (ROOT / "daemons/deploy/etc/joulie-agent.conf").read_text()
        settings = re.findall(r"^[^#\n].*", text, re.MULTILINE)
        self.assertEqual(settings, ["ENFORCE=false"])


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
