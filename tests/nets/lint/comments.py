#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names in comments of C sources: a file or an identifier of ours that a comment names is there."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator

FOLDERS = ("include", "libjoulie", "daemons")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
FILE = re.compile(r"(?<![\w./<-])([a-z_][\w/]*\.[ch])\b")
NAME = re.compile(r"(?<![\w/.…])((?:jl|jd|joulie|JL|JD|JOULIE)_\w*[A-Za-z0-9])(?![\w*…]|\.\d)(?<!_ID)")
CODE_NAME = re.compile(r"\w+")


def sources(root: Path, folders: tuple[str, ...]) -> list[Path]:
    return [file for folder in folders for file in sorted((root / folder).rglob("*")) if file.suffix in (".c", ".h")]


def split(text: str) -> tuple[list[tuple[int, str]], str]:
    """Comments with the line that they begin at, and the text without them."""
    found = []
    for match in COMMENT.finditer(text):
        if match.group(0)[0] == "/":
            found.append((text.count("\n", 0, match.start()) + 1, match.group(0)))
    return found, COMMENT.sub(lambda match: " " if match.group(0)[0] == "/" else match.group(0), text)


def check(root: Path) -> Iterator[str]:
    files = sources(root, (*FOLDERS, "cmake", "tests"))
    paths = {f"/{file.relative_to(root)}" for file in files}
    known: set[str] = set()
    comments = []
    for file in files:
        found, code = split(file.read_text(encoding="utf-8"))
        known.update(CODE_NAME.findall(code))
        if file.relative_to(root).parts[0] in FOLDERS:
            comments += [(file, line, text) for line, text in found]
    for file, line, text in comments:
        for match in FILE.finditer(text):
            if not any(path.endswith(f"/{match.group(1)}") for path in paths):
                yield f"{file.relative_to(root)}:{line}: there is no file {match.group(1)}"
        for match in NAME.finditer(text):
            if match.group(1) not in known:
                yield f"{file.relative_to(root)}:{line}: there is no {match.group(1)}"


if __name__ == "__main__":
    PROBLEMS = list(check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[3]))
    print("\n".join(PROBLEMS) or "comments: good")
    sys.exit(bool(PROBLEMS))
