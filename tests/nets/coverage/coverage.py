#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines and branches of the library the C tests and the vectors run: coverage.py BUILD.

BUILD is of the preset coverage. Writes build/coverage/index.html, a page for each file, and prints one line per room;
the files of pure rooms that are run least stand behind.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterable, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/nets/lint"))
from purity import PURE  # pylint: disable=wrong-import-position

LEAST_SHOWN = 12  # files
NOT_HERE = "locale|^abi"  # wants a locale of its own; reads the library as it is shipped


class Count(NamedTuple):
    lines: int
    lines_run: int
    branches: int
    branches_run: int

    def __str__(self) -> str:
        return f"{pct(self.lines_run, self.lines):>6} of {self.lines:>6} {pct(self.branches_run, self.branches):>8} of {self.branches:>6}"


def pct(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def total(counts: Iterable[Count]) -> Count:
    return Count(*(sum(column) for column in zip(*counts, (0, 0, 0, 0))))


def counts(summary: Path) -> dict[str, Count]:
    """File below libjoulie/ → what was run of it."""
    read = json.loads(summary.read_text(encoding="utf-8"))
    return {
        str(Path(file["filename"]).relative_to("libjoulie")): Count(
            file["line_total"], file["line_covered"], file["branch_total"], file["branch_covered"]
        )
        for file in read["files"]
    }


def table(files: dict[str, Count]) -> Iterator[str]:
    yield f"{'room':<12} {'lines':>16} {'branches':>18}"
    rooms = sorted({file.split("/")[0] for file in files})
    for room in rooms:
        yield f"{room:<12} {total(count for file, count in files.items() if file.startswith(room + '/'))}"
    yield f"{'pure rooms':<12} {total(count for file, count in files.items() if file.split('/')[0] in PURE)}"
    yield f"{'all':<12} {total(files.values())}"


def least(files: dict[str, Count]) -> list[str]:
    pure = [
        (file, count)
        for file, count in files.items()
        if file.split("/")[0] in PURE and count.lines_run < count.lines
    ]
    pure.sort(key=lambda item: item[1].lines_run - item[1].lines)
    return [
        f"{file:<32} {count.lines - count.lines_run} lines are not run"
        for file, count in pure[:LEAST_SHOWN]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    build = parser.parse_args().build.resolve()
    jobs = str(os.cpu_count() or 1)
    for old in build.rglob("*.gcda"):
        old.unlink()
    tests = subprocess.run(
        ["ctest", "--test-dir", build, "-j", jobs, "--output-on-failure", "-E", NOT_HERE],
        check=False,
    )
    summary = build / "summary.json"
    command = [
        "gcovr",
        "--root",
        ROOT,
        "--object-directory",
        build,
        "--filter",
        f"{ROOT}/libjoulie/",
        "-j",
        jobs,
    ]
    command += [
        "--exclude-unreachable-branches",
        "--exclude-throw-branches",
        "--gcov-ignore-parse-errors",
    ]
    command += ["--html-details", build / "index.html", "--json-summary", summary, build]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    files = counts(summary)
    print("\n".join([*table(files), "", *least(files), "", str(build / "index.html")]))
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
