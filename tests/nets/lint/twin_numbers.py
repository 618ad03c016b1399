#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In how many files a number of the twin is spelled: twin_numbers.py [MEMBER...].

A number is one line of libjoulie/twin/numbers.h, and docs/add-a-number.md names the other places. What is written from
headers, tests and pages do not count.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from checkout import ROOT

FOLDERS = ("include", "libjoulie", "daemons", "bindings/python")
WRITTEN = {"libjoulie/layout/table.c", "bindings/python/joulie/abi.pyi"}
LIST = "libjoulie/twin/numbers.h"
LINE = re.compile(r'\bN\((\w+), (\w+),\s*"([\w.]+)"')


def spellings(member: str, root: Path = ROOT) -> list[str]:
    """The member, its bit and its key in documents."""
    text = re.sub(r"\\\n\s*", " ", (root / LIST).read_text(encoding="utf-8"))
    for found, bit, path in LINE.findall(text):
        if found == member:
            return [member, f"TWIN_HAS_{bit}", path.split(".")[-1]]
    raise KeyError(member)


def files_of(member: str, root: Path = ROOT) -> list[str]:
    pattern = re.compile("|".join(map(re.escape, spellings(member, root))))
    found = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.suffix not in (".c", ".h", ".py", ".pyi", ".cpp") or name in WRITTEN:
                continue
            if pattern.search(file.read_text(encoding="utf-8")):
                found.append(name)
    return found


if __name__ == "__main__":
    for each in sys.argv[1:] or ["cluster_capacity_w"]:
        print(f"{each}:")
        print("".join(f"  {name}\n" for name in files_of(each)), end="")
