# SPDX-License-Identifier: Apache-2.0
"""The three lists of exported functions: shared object, symbol map, public headers."""

from __future__ import annotations

import re
from pathlib import Path

from purity import output
from sources import code_of


def exported(library: Path) -> set[str]:
    """Functions and objects of the dynamic table, without the version nodes themselves."""
    found = set()
    for line in output("nm", "--dynamic", "--defined-only", "--portability", library).splitlines():
        name, kind = line.split()[:2]
        if kind != "A":
            found.add(name.split("@")[0])
    return found


def in_map(file: Path) -> list[str]:
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: list[str] = []
    for body in re.findall(r"global:(.*?)(?:local:|})", text, re.DOTALL):
        names += re.findall(r"(\w+)\s*;", body)
    return names


def declared(headers: Path) -> set[str]:
    found = set()
    for file in sorted(headers.glob("*.h")):
        code = code_of(file.read_text(encoding="utf-8"))
        for declaration in re.findall(r"^JOULIE_API\b([^;]*);", code, re.MULTILINE):
            match = re.search(r"(\w+)\s*\(", declaration)
            found.add(match.group(1) if match else f"{file.name}: {declaration.strip()}")
    return found


def needed(library: Path) -> set[str]:
    return set(
        re.findall(r"\(NEEDED\).*\[(.*?)\]", output("readelf", "--dynamic", "--wide", library))
    )
