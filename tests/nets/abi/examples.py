# SPDX-License-Identifier: Apache-2.0
"""docs/examples/*.c: what each is run with and what it prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "examples"
C99 = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
CPP11 = ["-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror"]
MOST_LINES = {"toy_scheduler": 115}
MOST_LINES_ELSE = 60


def programs() -> list[Path]:
    return sorted([*FOLDER.glob("*.c"), *FOLDER.glob("*.cpp")])


def files() -> list[Path]:
    """Sources and what they read."""
    return [*programs(), *FOLDER.glob("*.txt")]


def machine(folder: Path) -> Path:
    """The host that the example of host.h looks at: two packages, nothing written."""
    tree = folder / "machine"
    hosts = ROOT / "tests" / "support" / "fixtures" / "hosts.py"
    subprocess.run([sys.executable, str(hosts), "intel-2s", str(tree)], check=True)
    return tree


def arguments(name: str, folder: Path) -> list[str]:
    """Of an example that is run in its folder."""
    return {
        "host": [str(folder / "machine")],
        "log": [str(folder / "machine")],
        "toy_scheduler": ["toy_pods.txt"],
    }.get(name, [])


def expected(name: str) -> str:
    return (FOLDER / f"{name}.out").read_text(encoding="utf-8")
