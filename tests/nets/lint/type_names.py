#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One name is one type in a whole program: type_names.py [CHECKOUT].

A struct, union or enum that a header defines may have no other definition in a room that goes into the same program:
libjoulie is one, and so is each daemon with the rooms that layers.txt lets it include. A source file may name its own
types as it likes, but not with a prefix that is shared.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

from layers import Rules, read_rules, room_of
from sources import c_files, code_of

SHARED = ("jl_", "jd_", "joulie_")
DEFINITION = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")


class Definition(NamedTuple):
    tag: str
    file: str
    room: str  # "include" for public headers


def definitions(root: Path) -> list[Definition]:
    found = []
    for file in c_files(root, "include", "libjoulie", "daemons"):
        name = str(file.relative_to(root))
        room = room_of(root, file) or "include"
        for tag in DEFINITION.findall(code_of(file.read_text(encoding="utf-8"))):
            found.append(Definition(tag, name, room))
    return found


def programs(rules: Rules) -> list[set[str]]:
    """The rooms of each program; the library is in none but its private rooms."""
    library = {"include", *rules.level}
    return [library] + [{"include", program, *others} for program, others in rules.programs.items()]


def known(root: Path) -> set[str]:
    """Tags that type_names.txt names."""
    lines = (root / "tests" / "nets" / "lint" / "type_names.txt").read_text(encoding="utf-8").splitlines()
    return {line.split("#", 1)[0].strip() for line in lines} - {""}


def check(root: Path) -> list[str]:
    """Problems as TAG: FILE, FILE."""
    rules = read_rules(root / "tests" / "nets" / "lint" / "layers.txt")
    together = programs(rules)
    by_tag: dict[str, list[Definition]] = {}
    for definition in definitions(root):
        by_tag.setdefault(definition.tag, []).append(definition)
    problems = set()
    for tag in by_tag.keys() - known(root):
        places = by_tag[tag]
        for rooms in together:
            files = sorted({place.file for place in places if place.room in rooms})
            if not tag.startswith(SHARED):
                files = [file for file in files if file.endswith(".h")]
            if len(files) > 1 and any(file.endswith(".h") for file in files):
                problems.add(f"{tag}: {', '.join(files)}")
    return sorted(problems)


if __name__ == "__main__":
    PROBLEMS = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[3])
    print("\n".join(PROBLEMS) or "type_names: good")
    sys.exit(1 if PROBLEMS else 0)
