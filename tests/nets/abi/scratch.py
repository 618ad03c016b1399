# SPDX-License-Identifier: Apache-2.0
"""Copies of the headers with a break in them, and what a compiler makes of them: seconds, not minutes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "libjoulie" / "layout"))
import headers as reader  # noqa: E402
import make_table as make_table  # noqa: E402
from checkout import LIBRARY as LIBRARY, RELEASE as RELEASE, ROOT as ROOT  # noqa: E402

HERE = Path(__file__).resolve().parent
INCLUDE = ROOT / "include"
MAP = ROOT / "libjoulie" / "libjoulie.map"
DEBIAN = ROOT / "debian" / "libjoulie1.symbols"
RECORDED_TYPES = HERE / "libjoulie.so.1.abi"
FIRST_OF_SONAME = (0, 3)  # libjoulie.so.1 began with it
SANITIZERS = os.environ.get("JOULIE_SANITIZE", "")  # those of the build


def records() -> list[Path]:
    """The recorded layouts of this soname's releases; 0.1 and 0.2 are of libjoulie.so.0."""
    found = {tuple(map(int, file.parent.name.split("."))): file for file in HERE.glob("*/layout.json")}
    return [found[release] for release in sorted(found) if release >= FIRST_OF_SONAME]


def copy_headers(folder: Path, file: str = "", old: str = "", new: str = "") -> Path:
    """The folder above joulie/, with old replaced by new in one file."""
    include = folder / "include"
    shutil.copytree(INCLUDE, include)
    if file:
        plant(include / "joulie" / file, old, new)
    return include


def plant(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise AssertionError(f"{file} has {text.count(old)} times: {old}")
    file.write_text(text.replace(old, new), encoding="utf-8")


def version() -> list[str]:
    """Major and minor of the headers."""
    return full_version()[:2]


def full_version() -> list[str]:
    """Major, minor and patch."""
    text = (INCLUDE / "joulie" / "version.h").read_text(encoding="utf-8")
    return re.findall(r"_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)


def run(command: list[Any], **options: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stdout}")
    return done.stdout


def layout_of_library() -> dict[str, Any]:
    """What the library of this build says; by a program of the build, as it may be a sanitizer's."""
    found: dict[str, Any] = json.loads(run([RELEASE / "bin" / "abi_layout"]))
    return found


def layout_of_headers(include: Path, folder: Path) -> dict[str, Any]:
    """What joulie_layout() would say if the library had these headers."""
    table, program = folder / "table.c", folder / "layout"
    table.write_text(make_table.table(reader.read(include / "joulie")), encoding="utf-8")
    room = ROOT / "libjoulie"
    command = ["gcc", "-std=gnu17", "-I", include, "-I", room, "-o", program]
    command += [f"-fsanitize={SANITIZERS}"] if SANITIZERS else []
    # base comes from the build; of layout the archive has the headers as they are
    sources = [HERE / "print_layout.c", table, room / "layout" / "layout.c"]
    run([*command, *sources, RELEASE / "lib" / "libjoulie_core.a", "-lm"])
    found: dict[str, Any] = json.loads(run([program]))
    return found


def stub(function: reader.Function) -> str:
    """A definition of a function that does nothing: the ABI of a library is in its declarations."""
    parts = []
    for part in function.parameters:
        inner = f"(*{part.name})"
        named = (
            part.type.replace("(*)", inner) if "(*)" in part.type else f"{part.type} {part.name}"
        )
        parts.append(named)
    body = "" if function.returns == "void" else " return 0; "
    return f"{function.returns} {function.name}({', '.join(parts) or 'void'}) {{{body}}}\n"


def library_of_headers(
    include: Path, map_file: Path, folder: Path, *options: str, soname: str = LIBRARY.name
) -> Path:
    """A shared object with the types of the headers and the symbols of the map, with -g."""
    found = reader.read(include / "joulie")
    source, library = folder / "stub.c", folder / "libstub.so"
    text = [f"#include <joulie/{name}>\n" for name in found.files]
    text += [stub(function) for function in found.functions]
    source.write_text("".join(text), encoding="utf-8")
    command = ["gcc", "-std=gnu17", "-shared", "-fPIC", "-g", f"-ffile-prefix-map={folder}=."]
    command += [
        "-I",
        str(include),
        f"-Wl,--version-script={map_file}",
        f"-Wl,-soname,{soname}",
    ]
    run([*command, *options, "-o", str(library), str(source)])
    return library
