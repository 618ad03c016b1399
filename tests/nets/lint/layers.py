#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include "…" of libjoulie/ and daemons/ against layers.txt."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple, Optional

from sources import c_files

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Rules(NamedTuple):
    level: dict[str, int]
    edges: set[tuple[str, str]]
    programs: dict[str, set[str]]

    def allows(self, room: str, other: str) -> bool:
        if room in self.programs:
            return other == room or other in self.programs[room]
        if room == other or (room, other) in self.edges:
            return True
        return self.level[other] < self.level[room]


def read_rules(file: Path) -> Rules:
    rules = Rules({}, set(), {})
    height = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0] == "level":
            height += 1
            rules.level.update((room, height) for room in words[1:])
        elif words[0] == "edge" and len(words) == 3:
            rules.edges.add((words[1], words[2]))
        elif words[0] == "program" and len(words) >= 2:
            rules.programs[words[1]] = set(words[2:])
        else:
            raise ValueError(f"{file}: cannot read {line!r}")
    return rules


def room_of(root: Path, file: Path) -> Optional[str]:
    """libjoulie/twin/x.c is in twin, daemons/cli/x.c in daemons/cli; None = in no room."""
    parts = file.relative_to(root).parts
    if parts[0] == "libjoulie" and len(parts) > 2:
        return parts[1]
    return "/".join(parts[:2]) if parts[0] == "daemons" and len(parts) > 2 else None


def includes(root: Path, file: Path) -> list[tuple[int, str, Optional[Path]]]:
    """Line, text and file of each include of ours; daemons include each other as "runtime/log.h"."""
    text = file.read_text(encoding="utf-8")
    found = []
    for match in INCLUDE.finditer(text):
        name = match.group(1)
        places = (file.parent / name, root / "libjoulie" / name, root / "daemons" / name)
        target = next((place for place in places if place.is_file()), None)
        found.append((text.count("\n", 0, match.start()) + 1, name, target))
    return found


def find_cycle(graph: dict[str, set[str]]) -> Optional[list[str]]:
    done: set[str] = set()

    def walk(node: str, way: list[str]) -> Optional[list[str]]:
        if node in way:
            return way[way.index(node) :] + [node]
        if node in done:
            return None
        for other in sorted(graph.get(node, ())):
            cycle = walk(other, way + [node])
            if cycle:
                return cycle
        done.add(node)
        return None

    for start in sorted(graph):
        cycle = walk(start, [])
        if cycle:
            return cycle
    return None


def check_include(
    rules: Rules, root: Path, room: Optional[str], name: str, target: Optional[Path]
) -> str:
    """What is wrong with one include, "" = nothing."""
    if room is None:
        return "is in no room"
    if room not in rules.level and room not in rules.programs:
        return f"room {room} is not in layers.txt"
    if target is None:
        return f'"{name}" is not found; system and public headers are included with <>'
    other = room_of(root, target.resolve())
    if other is None:
        return f'"{name}" is in no room'
    if other not in rules.level and other not in rules.programs:
        return f"room {other} is not in layers.txt"
    return "" if rules.allows(room, other) else f'{room} must not include "{name}"'


def check(root: Path) -> list[str]:
    """Problems as FILE:LINE: text."""
    root = root.resolve()
    rules = read_rules(root / "tests" / "nets" / "lint" / "layers.txt")
    problems = []
    rooms: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    for file in c_files(root, "libjoulie", "daemons"):
        room = room_of(root, file)
        for line, name, target in includes(root, file):
            problem = check_include(rules, root, room, name, target)
            if problem:
                problems.append(f"{file.relative_to(root)}:{line}: {problem}")
            if target is None:
                continue
            resolved = target.resolve()
            files.setdefault(str(file.relative_to(root)), set()).add(
                str(resolved.relative_to(root))
            )
            other = room_of(root, resolved)
            if room and other and room != other:
                rooms.setdefault(room, set()).add(other)
    for what, graph in (("files", files), ("rooms", rooms)):
        cycle = find_cycle(graph)
        if cycle:
            problems.append(f"{what} include each other: {' -> '.join(cycle)}")
    return problems


if __name__ == "__main__":
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[3])
    print("\n".join(found) or "layers: good")
    sys.exit(1 if found else 0)
