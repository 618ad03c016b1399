# SPDX-License-Identifier: Apache-2.0
"""Net 1: the four lists of exported functions: shared object, symbol map, public headers, Debian's symbols file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lint"))
from sources import code_of  # noqa: E402

PACKAGE = "libjoulie1"


class Lists(NamedTuple):
    library: Path
    map: Path
    headers: Path
    debian: Path


def output(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout


def dynamic(library: Path, *options: str) -> Iterable[list[str]]:
    """Lines of nm over the dynamic table: name, kind, …"""
    for line in output("nm", "--dynamic", "--portability", *options, library).splitlines():
        yield line.split()


def exported(library: Path) -> set[str]:
    """Functions and objects as NAME@VERSION, without the version nodes themselves."""
    symbols = dynamic(library, "--defined-only", "--with-symbol-versions")
    return {name.replace("@@", "@") for name, kind, *_ in symbols if kind != "A"}


def imported(library: Path) -> set[str]:
    """What the library needs from others, without versions; weak hooks of the compiler left out."""
    return {
        name.split("@")[0] for name, kind, *_ in dynamic(library, "--undefined-only") if kind == "U"
    }


def needed(library: Path) -> set[str]:
    text = output("readelf", "--dynamic", "--wide", library)
    return set(re.findall(r"\(NEEDED\).*\[(.*?)\]", text))


def in_map(file: Path) -> list[str]:
    """NAME@VERSION in the order of the map."""
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: list[str] = []
    for version, body in re.findall(r"(\S+)\s*{\s*global:(.*?)(?:local:|})", text, re.DOTALL):
        names += [f"{name}@{version}" for name in re.findall(r"(\w+)\s*;", body)]
    return names


def declared(headers: Path) -> set[str]:
    found = set()
    for file in sorted(headers.glob("*.h")):
        code = code_of(file.read_text(encoding="utf-8"))
        for declaration in re.findall(r"^JOULIE_API\b([^;]*);", code, re.MULTILINE):
            match = re.search(r"(\w+)\s*\(", declaration)
            found.add(match.group(1) if match else f"{file.name}: {declaration.strip()}")
    return found


def versions(names: Iterable[str]) -> list[str]:
    return sorted({name.split("@")[1] for name in names})


def debian_symbols(names: Iterable[str]) -> str:
    """debian/libjoulie1.symbols of what a map names: the version that each symbol came with."""
    names = list(names)
    lines = [f"libjoulie.so.1 {PACKAGE} #MINVER#", "* Build-Depends-Package: libjoulie-dev"]
    every = [f"{version}@{version}" for version in versions(names)] + sorted(names)
    for name in every:
        release = name.split("@JOULIE_")[1]
        lines.append(f" {name} {release}.0~")  # also met by packages made before the release
    return "\n".join(lines) + "\n"


def in_debian(file: Path) -> set[str]:
    text = file.read_text(encoding="utf-8")
    return {name for name in re.findall(r"^ (\S+@\S+) \S+$", text, re.MULTILINE)}


def difference(what: str, found: set[str], wanted: set[str]) -> list[str]:
    return [f"{what} lacks {name}" for name in sorted(wanted - found)] + [
        f"{what} has {name}, which the map does not" for name in sorted(found - wanted)
    ]


def problems(lists: Lists) -> list[str]:
    names = in_map(lists.map)
    wanted = set(names)
    plain = {name.split("@")[0] for name in names}
    nodes = {f"{version}@{version}" for version in versions(names)}
    found = [f"the map names {name} twice" for name in sorted(wanted) if names.count(name) > 1]
    found += difference("the library", exported(lists.library), wanted)
    found += difference("include/joulie", declared(lists.headers), plain)
    found += difference("debian's symbols", in_debian(lists.debian) - nodes, wanted)
    if names != sorted(names, key=lambda name: name.split("@")[::-1]):  # each release's own
        found.append("the map is not sorted")
    return found
