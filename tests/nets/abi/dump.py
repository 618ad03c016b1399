# SPDX-License-Identifier: Apache-2.0
"""Net 3: abidw and abidiff over the types that the compiler saw (docs/architecture.md, "ABI")."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from scratch import reader

PRIVATE = Path(__file__).resolve().parent / "private.suppr"


def write(library: Path, headers: Path, file: Path) -> None:
    """The dump of a library that has debug information; headers is the folder above joulie/."""
    command = ["abidw", "--headers-dir", headers, "--drop-private-types", "--suppressions", PRIVATE]
    command += ["--exported-interfaces-only", "--no-show-locs", "--no-comp-dir-path"]
    command += [
        "--no-corpus-path",
        "--no-architecture",
        "--no-elf-needed",
        "--type-id-style",
        "hash",
    ]
    subprocess.run([str(word) for word in [*command, "--out-file", file, library]], check=True)


def blind_spots(file: Path, found: reader.Headers) -> list[str]:
    """What the dump does not name; without debug information abidw knows symbols and no types."""
    text = file.read_text(encoding="utf-8")
    taken = {part.type for each in found.functions for part in each.parameters}
    spots = []
    for struct in found.structs:
        is_taken = any(re.search(rf"\bstruct {struct.name}\b", each) for each in taken)
        if is_taken and not re.search(rf"<class-decl name='{struct.name}' size-in-bits", text):
            spots.append(f"the dump does not name struct {struct.name}")
    for each in found.functions:
        if f"<function-decl name='{each.name}'" not in text:
            spots.append(f"the dump does not name {each.name}()")
    for name in found.handles:
        if re.search(rf"<class-decl name='{name}' size-in-bits", text):
            spots.append(f"the dump shows what is inside of struct {name}")
    return spots


def problems(recorded: Path, library: Path, headers: Path, file: Path) -> list[str]:
    """Writes the dump of the library to file, and compares."""
    write(library, headers, file)
    spots = blind_spots(file, reader.read(headers / "joulie"))
    command = ["abidiff", "--no-added-syms", str(recorded), str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        spots.append(f"abidiff answers {done.returncode}:\n{done.stdout}")
    return spots
