#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Circles of calls between files, read from the objects of a build: calls.py BUILD [--room ROOM].

An arrow goes from the file that uses a symbol to the file that defines it. Files that reach each other both ways form a
circle: none of them can be understood, tested or reused without the others. Recursive descent over values in values is
the one good reason; such circles are named in calls.txt with theirs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DEFINES = set("TDRBVWC")
OBJECT = ".c.o"


def objects(build: Path) -> dict[str, Path]:
    """libjoulie/twin/psu.c → its object; daemons/ too."""
    found = {}
    for top in ("libjoulie", "daemons"):
        for file in sorted((build / top).rglob("*" + OBJECT)):
            folder, _, inner = str(file.relative_to(build)).partition("/CMakeFiles/")
            source = str(Path(folder) / Path(*Path(inner).parts[1:]))[: -len(".o")]
            if (ROOT / source).is_file():
                found[source] = file
    return found


def read_symbols(files: dict[str, Path]) -> tuple[dict[str, str], dict[str, set[str]]]:
    """The file of each definition, and what each file uses of others."""
    defined: dict[str, str] = {}
    used: dict[str, set[str]] = {source: set() for source in files}
    by_object = {str(file): source for source, file in files.items()}
    lines = subprocess.run(
        ["nm", "-A", "-g", "--format=posix", *by_object], check=True, text=True, stdout=subprocess.PIPE
    ).stdout.splitlines()
    for line in lines:
        name, _, rest = line.partition(": ")
        symbol, kind, *_ = rest.split()
        source = by_object[name]
        if kind in DEFINES:
            defined[symbol] = source
        elif kind == "U":
            used[source].add(symbol)
    return defined, used


def components(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one file (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found)


def circles(build: Path) -> tuple[list[list[str]], dict[tuple[str, str], set[str]]]:
    """The circles, and the symbols behind each arrow."""
    defined, used = read_symbols(objects(build))
    why: dict[tuple[str, str], set[str]] = {}
    graph: dict[str, set[str]] = {source: set() for source in used}
    for source, symbols in used.items():
        for symbol in symbols:
            other = defined.get(symbol)
            if other and other != source:
                graph[source].add(other)
                why.setdefault((source, other), set()).add(symbol)
    return components(graph), why


def is_meant(circle: list[str], good: list[list[str]]) -> bool:
    """Its files are those of a line, or all in the folder that a line FOLDER/* names."""
    return any(
        circle == line
        or (len(line) == 1 and all(source.startswith(line[0].rstrip("*")) for source in circle))
        for line in good
    )


def unmeant(build: Path) -> list[list[str]]:
    """The circles that calls.txt does not allow."""
    good = allowed(Path(__file__).with_name("calls.txt"))
    return [circle for circle in circles(build)[0] if not is_meant(circle, good)]


def allowed(file: Path) -> list[list[str]]:
    """Lines FILE FILE … # REASON"""
    lines = (line.split("#", 1)[0].split() for line in file.read_text(encoding="utf-8").splitlines())
    return [sorted(words) for words in lines if words]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--room", default="", help="only circles with a file of this room")
    options = parser.parse_args()
    found, why = circles(options.build)
    good = allowed(Path(__file__).with_name("calls.txt"))
    bad = 0
    for circle in found:
        if not any(options.room in source for source in circle):
            continue
        bad += not is_meant(circle, good)
        print(("allowed" if is_meant(circle, good) else "circle") + ": " + " ".join(circle))
        for (source, other), symbols in sorted(why.items()):
            if source in circle and other in circle:
                print(f"    {source} -> {other}: {', '.join(sorted(symbols)[:6])}")
    print(f"calls: {bad} circles that calls.txt does not allow")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
