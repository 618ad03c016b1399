# SPDX-License-Identifier: Apache-2.0
"""Does what a how-to page says, in a copy of the tree.

A page changes the tree by blocks: "`PATH`:" before a C block makes that file, a diff block is a
patch. Console blocks are run after a build, with build/release of the copy.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from checkout import ROOT

COPIED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "include", "libjoulie", "daemons", "pkgconfig", "tests", "docs", "crds")
FILE = re.compile(r"^`([^`\n]+)`:\n\n```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIFF = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n\$ ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command: list[str], here: Path, text: str = "") -> None:
    done = subprocess.run(
        command, cwd=here, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")


def copy_tree(here: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, here / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
        elif source.exists():
            shutil.copy(source, here / name)


def build(here: Path) -> None:
    """The programs joulie and joulie-operator, without optimisation: they have to be right, not fast."""
    run(["cmake", "--preset", "release", "-DJOULIE_TESTS=OFF", "-DJOULIE_WERROR=ON", "-DCMAKE_C_FLAGS_RELEASE=-O0"], here)
    run(["cmake", "--build", "build/release", "--parallel", str(os.cpu_count() or 1), "--target", "joulie_cli", "joulie_operator"], here)


def change(page: str, here: Path) -> int:
    """The number of files made and patches applied."""
    made = FILE.findall(page)
    for path, text in made:
        if (here / path).exists():
            raise AssertionError(f"{path} exists already")
        (here / path).write_text(text)
    patches = DIFF.findall(page)
    for text in patches:
        run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"], here, text)
    return len(made) + len(patches)


def shown(page: str, here: Path) -> list[tuple[str, str, str]]:
    """(command, what the page shows, what it prints)."""
    found = []
    for command, expected in CONSOLE.findall(page):
        done = subprocess.run(
            ["bash", "-c", command], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        found.append((command, expected, done.stdout))
    return found
