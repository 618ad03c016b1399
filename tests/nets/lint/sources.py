# SPDX-License-Identifier: Apache-2.0
"""The C sources of a checkout, and C text without comments and strings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def c_files(root: Path, *folders: str) -> Iterator[Path]:
    for folder in folders:
        for file in sorted((root / folder).rglob("*.[ch]")):
            yield file


def code_of(text: str) -> str:
    """Comments become blanks and texts empty; lines stay where they are."""

    def blank(match: re.Match[str]) -> str:
        token = match.group()
        if token[0] == "/":
            return " " + "\n" * token.count("\n")
        return token[0] * 2

    return _TOKEN.sub(blank, text)
