# SPDX-License-Identifier: Apache-2.0
"""The wheel: what is in it, and that it works where nothing else of the checkout is."""

import base64
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from checkout import LIBRARY, ROOT

PACKAGE = ROOT / "bindings" / "python"
VECTORS = ROOT / "tests" / "vectors" / "kubernetes-10.1-quantity.json"
ASK_ALL = """
import json, sys
import joulie
cases = json.load(open(sys.argv[1]))["cases"]
answers = []
for case in cases:
    try:
        answers.append(joulie.ask(case["question"], case["in"]))
    except joulie.Error as error:
        answers.append({"error": error.code})
print(json.dumps({"library": joulie.abi.library._name, "file": joulie.__file__, "answers": answers}))
"""


def run(*command, **environment):
    """A program that knows nothing of the checkout or of the Python that runs the tests."""
    clean = {
        key: value for key, value in os.environ.items() if not re.match("PYTHON|JOULIE|LD_", key)
    }
    return subprocess.run(
        [str(word) for word in command],
        cwd="/",
        env={**clean, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def build(folder, library=LIBRARY):
    done = run(sys.executable, PACKAGE / "backend.py", folder, JOULIE_WHEEL_LIBRARY=str(library))
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return Path(done.stdout.strip())


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.here = Path(folder.name)
        cls.wheel = build(cls.here / "one")

    def files(self):
        with zipfile.ZipFile(self.wheel) as inside:
            return {name: inside.read(name) for name in inside.namelist()}

    def installed(self):
        """A fresh environment with the wheel and nothing else; its Python."""
        folder = self.here / "venv"
        if not folder.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            done = run(folder / "bin" / "python", "-m", "pip", "install", "--no-index", self.wheel)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder / "bin" / "python"

    def test_it_is_for_every_python_and_for_the_glibc_that_it_needs(self):
        name = re.fullmatch(r"joulie-(.+)-py3-none-manylinux_2_(\d+)_\w+\.whl", self.wheel.name)
        self.assertIsNotNone(name, self.wheel.name)
        header = (ROOT / "include" / "joulie" / "version.h").read_text()
        numbers = re.findall(r"#define JOULIE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
        self.assertEqual(re.sub(r"\.dev\d+$", "", name[1]), ".".join(numbers))
        needed = subprocess.run(
            ["readelf", "--version-info", LIBRARY], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        self.assertGreaterEqual(int(name[2]), max(map(int, re.findall(r"GLIBC_2\.(\d+)", needed))))

    def test_the_record_names_every_file_with_its_hash(self):
        files = self.files()
        record = next(name for name in files if name.endswith(".dist-info/RECORD"))
        rows = {row[0]: row for row in csv.reader(files[record].decode().splitlines())}
        self.assertEqual(set(rows), set(files))
        for name, (_, digest, size) in rows.items():
            if name != record:
                sha = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=")
                self.assertEqual((digest, size), (f"sha256={sha.decode()}", str(len(files[name]))))

    def test_it_carries_the_library_what_that_needs_and_their_licences(self):
        files = self.files()
        self.assertEqual(files["joulie/_lib/libjoulie.so.1"], LIBRARY.read_bytes())
        carried = {name for name in files if name.startswith("joulie/_lib/")}
        self.assertEqual(
            carried,
            {
                "joulie/_lib/libjoulie.so.1",
                "joulie/_lib/libjson-c.so.5",
                "joulie/_lib/libyaml-0.so.2",
            },
        )
        texts = [name for name in files if ".dist-info/licenses/" in name]
        self.assertEqual(len(texts), 3)
        for name in texts:
            self.assertGreater(len(files[name]), 500, name)
        self.assertIn("joulie/py.typed", files)
        self.assertIn("joulie/abi.pyi", files)

    def test_equal_files_give_equal_bytes(self):
        again = build(self.here / "two")
        self.assertEqual(again.read_bytes(), self.wheel.read_bytes())

    def test_installed_alone_it_answers_as_the_vectors_say(self):
        done = run(self.installed(), "-c", ASK_ALL, VECTORS)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        site = str(self.here / "venv")
        self.assertTrue(found["file"].startswith(site), found["file"])
        self.assertTrue(found["library"].startswith(site), found["library"])
        for case, answer in zip(json.loads(VECTORS.read_text())["cases"], found["answers"]):
            if "out" in case:
                expected = {key: value for key, value in case["out"].items() if value is not None}
                self.assertEqual({key: answer.get(key) for key in expected}, expected, case["id"])
            else:
                self.assertEqual(answer["error"], case["error"]["code"], case["id"])

    def test_it_works_without_json_c_and_libyaml_of_the_system(self):
        """ctypes finds no such library: the copies are loaded before the wheel's."""
        code = """
import ctypes, os
plain = ctypes.CDLL
class NotHere(plain):
    def __init__(self, name, *more, **options):
        if name in ("libjson-c.so.5", "libyaml-0.so.2"):
            raise OSError(name + ": cannot open shared object file")
        if name.endswith("libjoulie.so.1") and not any("_lib/libjson-c" in one for one in loaded):
            loaded.append(name)
            raise OSError("libjson-c.so.5: cannot open shared object file")
        loaded.append(name)
        super().__init__(name, *more, **options)
loaded = []
ctypes.CDLL = NotHere
import joulie
print(joulie.ask("quantity", {"text": "1500m"})["value"])
print(sum("site-packages/joulie/_lib/lib" in one and "joulie.so" not in one for one in loaded))
maps = open("/proc/self/maps").read()
print("_lib/libyaml-0.so.2" in maps, "_lib/libjson-c.so.5" in maps)
"""
        done = run(self.installed(), "-c", code)
        self.assertEqual(done.stdout.split(), ["1.5", "2", "True", "True"], done.stderr)

    def test_where_it_is_installed_it_has_types(self):
        self.assertTrue((self.installed().parents[1]).exists())
        found = list((self.here / "venv").glob("lib/python3*/site-packages/joulie/py.typed"))
        self.assertEqual(len(found), 1)

    def test_without_a_library_it_is_for_all_machines(self):
        wheel = build(self.here / "pure", "none")
        self.assertTrue(wheel.name.endswith("-py3-none-any.whl"))
        with zipfile.ZipFile(wheel) as inside:
            self.assertEqual([name for name in inside.namelist() if "/_lib/" in name], [])

    def test_a_library_that_is_not_there_is_reported(self):
        with self.assertRaisesRegex(AssertionError, "nothing.so is not there"):
            build(self.here / "none", "/nonexistent/nothing.so")

    def test_pip_builds_it_without_an_index(self):
        out = self.here / "pip"
        done = run(
            self.installed(),
            "-m",
            "pip",
            "wheel",
            "--no-index",
            "--no-deps",
            "-w",
            out,
            PACKAGE,
            JOULIE_WHEEL_LIBRARY=str(LIBRARY),
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([file.name for file in out.iterdir()], [self.wheel.name])


if __name__ == "__main__":
    unittest.main()
