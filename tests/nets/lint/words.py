#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that are not used here, and the licence line of every source: words.py [CHECKOUT]."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sources import c_files, code_of

NOWHERE = (
    "strcpy strcat sprintf strncpy strtok atoi atof strtod gets system popen localtime gmtime rand"
).split()
NOT_IN_LIBRARY = (
    "getenv secure_getenv time clock clock_gettime gettimeofday exit _exit abort setlocale "
    "printf fprintf vprintf vfprintf puts fputs putchar fwrite fopen qsort bsearch"
).split()
ONLY_IN_BASE = (
    "malloc calloc realloc free snprintf vsnprintf strtol strtoul strtoll strtoull strtod_l".split()
)
# The framework of questions and the reader format messages; they are not pure rooms.
FORMATS_TEXT = {"ask": {"snprintf", "vsnprintf"}, "schema": {"snprintf", "vsnprintf"}}
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SKIPPED = {".git", "build", "__pycache__", "shared", "fixtures"}


def forbidden_in(root: Path, file: Path) -> set[str]:
    parts = file.relative_to(root).parts
    words = set(NOWHERE)
    if parts[0] == "libjoulie":
        words |= set(NOT_IN_LIBRARY)
        room = parts[1]
        words |= set() if room == "base" else set(ONLY_IN_BASE) - FORMATS_TEXT.get(room, set())
    if parts[:2] == ("libjoulie", "base"):
        words -= {"strtod"}
    return words


def check_words(root: Path) -> list[str]:
    problems = []
    for file in c_files(root, "libjoulie", "daemons", "include"):
        pattern = re.compile(
            r"(?<![\w.>])(" + "|".join(sorted(forbidden_in(root, file))) + r")\s*\("
        )
        code = code_of(file.read_text(encoding="utf-8"))
        for match in pattern.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{file.relative_to(root)}:{line}: {match.group(1)} is not used here")
    return problems


def is_source(file: Path) -> bool:
    is_named = file.name in ("CMakeLists.txt", "dev") or file.parent.name == ".ci"
    return is_named or file.suffix in {".c", ".h", ".py", ".sh", ".cmake", ".1"}


def check_licences(root: Path) -> list[str]:
    """The line is the first, or the second behind #!."""
    problems = []
    for file in sorted(root.rglob("*")):
        if not file.is_file() or SKIPPED & set(file.relative_to(root).parts) or not is_source(file):
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or LICENCE not in lines[0]:
            problems.append(f"{file.relative_to(root)}:1: the first line does not name the licence")
    return problems


def check(root: Path) -> list[str]:
    return check_words(root) + check_licences(root)


if __name__ == "__main__":
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[3])
    print("\n".join(found) or "words: good")
    sys.exit(1 if found else 0)
