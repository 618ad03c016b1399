#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows every citation of the checkout: citations.py [--room ROOM] [CHECKOUT].

A citation is the name of a Markdown page, with or without #anchor, in a source, a comment, a test or a page. The page
must exist and have a heading with that anchor. What a reader cannot follow is refused too: section marks and labels of
documents that are not here. tests/vectors/INDEX names the rule of each file of vectors.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

FOLDERS = ("include", "libjoulie", "daemons", "bindings", "docs", "crds", "cmake", "debian", "tests", "experiments")
ROOT_FILES = ("README.md", "CONTRIBUTING.md", "NEWS.md", "CMakeLists.txt", "dev", ".ci/run")
ENDINGS = (".c", ".h", ".cpp", ".py", ".md", ".txt", ".cmake", ".in", ".yaml", ".sh", ".1", "")
PAGE = re.compile(r"(?<![\w/])((?:\.\./|[\w.-]+/)*[\w-]+\.md)(#[\w-]*)?")
SECTION_MARK = re.compile("§")
# Decisions and weaknesses of working papers; percentiles are written P50, P90, P95, P99.
LABEL = re.compile(r"\b(?:P(?:[1-9]|1\d|2[01])|SD\d{1,2}|W(?:[1-9]|[12]\d)|D\d|R(?:[1-9]|1\d))\b(?![%.\d])")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
LINK_IN_PAGE = re.compile(r"\]\((#[\w-]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
RULES = "docs/rules/"
SKIPPED = {"build", "__pycache__", "corpus", "regressions", "trees"}
RECORDS = {("tests", "nets", "abi", "0.1"), ("tests", "nets", "abi", "0.2")}  # as released, never edited
LATER = "later"  # in the INDEX: rules of a release to come; no question of the file is answered yet


class Problem(NamedTuple):
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def slug(heading: str) -> str:
    """The anchor that a page viewer gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", text))


def anchors(page: Path) -> set[str]:
    found: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        name, number = slug(heading), 0
        while (name if not number else f"{name}-{number}") in found:
            number += 1
        found.add(name if not number else f"{name}-{number}")
    return found


class Pages:
    """The Markdown pages of a checkout and their anchors, each read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[Path, set[str]] = {}

    def find(self, file: Path, name: str) -> Path | None:
        """A page named in file: from the root of the checkout, beside the file, or in docs/."""
        for place in (self.root / name, file.parent / name, self.root / "docs" / name):
            if place.is_file():
                return place.resolve()
        return None

    def has(self, page: Path, anchor: str) -> bool:
        if page not in self.known:
            self.known[page] = anchors(page)
        return anchor in self.known[page]


def sources(root: Path) -> Iterator[Path]:
    for name in ROOT_FILES:
        if (root / name).is_file():
            yield root / name
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            parts = file.relative_to(root).parts
            is_skipped = bool(SKIPPED & set(parts)) or parts[:4] in RECORDS
            if file.is_file() and file.suffix in ENDINGS and file.name != "INDEX" and not is_skipped:
                yield file


def check_text(pages: Pages, file: Path, text: str, name: str) -> Iterator[Problem]:
    def at(match: re.Match[str], offset: int = 0) -> int:
        return text.count("\n", 0, match.start() + offset) + 1

    for match in PAGE.finditer(text):
        page = pages.find(file, match.group(1))
        if page is None:
            yield Problem(name, at(match), f"there is no page {match.group(1)}")
        elif match.group(2) and not pages.has(page, match.group(2)[1:]):
            yield Problem(name, at(match), f"{match.group(1)} has no anchor {match.group(2)}")
    for match in SECTION_MARK.finditer(text):
        yield Problem(name, at(match), "a section mark: cite a page and its anchor")
    if file.suffix == ".md":
        for match in LINK_IN_PAGE.finditer(text):
            if not pages.has(file.resolve(), match.group(1)[1:]):
                yield Problem(name, at(match), f"this page has no anchor {match.group(1)}")
    if file.suffix in (".c", ".h", ".cpp"):
        for comment in COMMENT.finditer(text):
            if comment.group()[0] == "/":
                for match in LABEL.finditer(comment.group()):
                    line = at(comment, match.start())
                    yield Problem(name, line, f"the label {match.group()} is explained nowhere here")


def check_index(pages: Pages, root: Path) -> Iterator[Problem]:
    """Each file of vectors has one line: FILE PAGE#ANCHOR …"""
    index = root / "tests" / "vectors" / "INDEX"
    name = str(index.relative_to(root))
    listed = set()
    for number, line in enumerate(index.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split("#", 1)[0].split() if line.startswith("#") else line.split()
        if not words:
            continue
        listed.add(words[0])
        if not (index.parent / words[0]).is_file():
            yield Problem(name, number, f"there is no file {words[0]}")
        if len(words) < 2:
            yield Problem(name, number, f"{words[0]} has no rule")
        for citation in words[1:]:
            page, _, anchor = citation.partition("#")
            found = pages.find(index, RULES + page)
            if citation != LATER and (found is None or not anchor or not pages.has(found, anchor)):
                yield Problem(name, number, f"{words[0]}: there is no {RULES}{citation}")
    for file in sorted(index.parent.glob("*.json")):
        if file.name not in listed:
            yield Problem(name, 0, f"{file.name} is not listed")


def check(root: Path, room: str = "") -> list[Problem]:
    root = root.resolve()
    pages = Pages(root)
    problems: list[Problem] = []
    this = Path(__file__).name
    for file in sources(root):
        name = str(file.relative_to(root))
        if room not in name or file.name in (this, "test_" + this):
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        problems += check_text(pages, file, text, name)
    if not room or room in "tests/vectors":
        problems += check_index(pages, root)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", default="", help="only files whose name holds this")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[3])
    options = parser.parse_args()
    found = check(options.root, options.room)
    print("\n".join(map(str, found)) or "citations: all resolve")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
