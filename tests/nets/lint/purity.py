#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the release objects of the library: purity.py BUILD [CHECKOUT].

An object of a pure room may need symbols of the rooms that layers.txt lets it include, and those of
the list below, but none of a room that does I/O; it has no bytes in .data or .bss. The other rooms may
use more of libc, but neither files, clock, environment nor locale. One object makes all system calls.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterable, NamedTuple

from layers import Rules, read_rules

PURE = "kubernetes layout catalog power twin classify policy place caps physics cron threads autoscale cluster node remote sim".split()
# Files of a pure room that read documents through json-c; its other files do not call them.
READERS = {
    "autoscale": set(
        "autoscaler autoscaler_step profile profile_dialect profile_fields profile_rules".split()
    )
}
ALLOWED = set(
    "memcpy memmove memset memcmp strlen strcmp strncmp sqrt floor ceil trunc fabs "
    # 128-bit helpers of the compiler
    "__udivti3 __umodti3 __divti3 __modti3 __multi3 __ashlti3 __lshrti3 __ashrti3 __udivmodti4 "
    "__divmodti4 __floattidf __floatuntidf __fixdfti __fixunsdfti "
    # what hardened compilation calls (cmake/hardening.cmake)
    "__stack_chk_fail __stack_chk_guard __memcpy_chk __memmove_chk __memset_chk "
    # position-independent code
    "_GLOBAL_OFFSET_TABLE_".split()
)

IMPURE = {"host", "enforce"}  # rooms whose plain data others may see, never their functions
SYSTEM_CALLS = "host/os_linux.c.o"
FILES = set(
    "open open64 openat openat64 creat read pread pread64 readv write pwrite pwrite64 writev close dup dup2 fcntl "
    "ioctl mmap mmap64 stat fstat lstat fstatat stat64 fstat64 lstat64 fstatat64 statx access faccessat opendir "
    "fdopendir readdir readdir64 scandir getdents64 nftw fts_open glob readlink readlinkat truncate ftruncate "
    "ftruncate64 fsync fdatasync sync rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat remove "
    "mkdir mkdirat rmdir mknod mknodat mkfifo chmod fchmod fchmodat chown fchown fchownat flock lockf syscall "
    # what fortified headers make of them
    "__open_2 __open64_2 __openat_2 __openat64_2 __read_chk __pread_chk __pread64_chk __readlink_chk".split()
)
NOT_IN_LIBRARY = FILES | set(
    "fopen fdopen fread fwrite fgets getline printf fprintf "
    "vprintf vfprintf puts fputs putchar stdout stderr stdin getenv secure_getenv setenv environ "
    "time clock clock_gettime gettimeofday localtime gmtime mktime setlocale exit _exit abort "
    "qsort bsearch rand random signal sigaction fork system pthread_create".split()
)

OUTPUT = re.compile(r" -o (\S+\.o) ")


def output(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout


def objects(build: Path) -> dict[Path, str]:
    """Object file → room, "room/documents" for its readers of documents. Objects of sources that are gone are left out."""
    base = build / "libjoulie" / "CMakeFiles" / "joulie_core.dir"
    commands = build / "compile_commands.json"
    compiled = {build / name for name in OUTPUT.findall(commands.read_text())} if commands.exists() else None
    found = {}
    for file in sorted(base.rglob("*.o")):
        if compiled is not None and file not in compiled:
            continue
        room = file.relative_to(base).parts[0]
        is_reader = file.name.split(".")[0] in READERS.get(room, ())
        found[file] = f"{room}/documents" if is_reader else room
    return found


class Symbols(NamedTuple):
    """Global symbols of an object."""

    defined: set[str]
    undefined: set[str]
    common: set[str]


def symbols(files: Iterable[Path]) -> dict[Path, Symbols]:
    found = {file: Symbols(set(), set(), set()) for file in files}
    for line in output(
        "nm", "--print-file-name", "--portability", "--extern-only", *found
    ).splitlines():
        file, name, kind = line.replace(": ", " ", 1).split()[:3]
        symbols = found[Path(file)]
        (
            symbols.undefined
            if kind in "Uwv"
            else symbols.common if kind == "C" else symbols.defined
        ).add(name)
    return found


def state(files: Iterable[Path]) -> dict[Path, list[str]]:
    """Sections with bytes that can change while the program runs."""
    found: dict[Path, list[str]] = {file: [] for file in files}
    file = Path()
    for line in output("readelf", "--section-headers", "--wide", *found).splitlines():
        if line.startswith("File: "):
            file = Path(line[len("File: ") :])
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", line)
        if not match or int(match.group(2), 16) == 0:
            continue
        name = match.group(1)
        if re.match(r"\.(data|bss|tdata|tbss)(\.|$)", name) and not name.startswith(".data.rel.ro"):
            found[file].append(name)
    return found


def check_pure(
    rules: Rules, room: str, symbols: Symbols, sections: list[str], owner: dict[str, str], allowed: set[str]
) -> list[str]:
    problems = [f"{section} is not empty: a pure room keeps no state" for section in sections]
    problems += [f"common symbol {symbol}" for symbol in sorted(symbols.common)]
    for symbol in sorted(symbols.undefined - allowed):
        if symbol not in owner:
            problems.append(f"needs {symbol}, which is not on the list of purity.py")
        elif owner[symbol] in IMPURE or owner[symbol] == f"{room}/documents":
            problems.append(f"needs {symbol} of {owner[symbol]}")
        elif not rules.allows(room, owner[symbol].split("/")[0]):
            problems.append(f"needs {symbol} of {owner[symbol]}")
    return problems


def check(build: Path, root: Path) -> list[str]:
    rules = read_rules(root / "tests" / "nets" / "lint" / "layers.txt")
    rooms = objects(build)
    table, sections = symbols(rooms), state(rooms)
    owner = {symbol: room for file, room in rooms.items() for symbol in table[file].defined}
    problems = []
    for file, room in rooms.items():
        if room in PURE:
            allowed = ALLOWED
            found = check_pure(rules, room, table[file], sections[file], owner, allowed)
        else:
            forbidden = NOT_IN_LIBRARY
            if "/".join(file.parts[-2:]) == SYSTEM_CALLS:
                forbidden = NOT_IN_LIBRARY - FILES
            used = sorted(table[file].undefined & forbidden)
            found = [f"needs {symbol}, which the library does not use" for symbol in used]
        problems += [f"{'/'.join(file.parts[-2:])}: {text}" for text in found]
    if not any(room in PURE for room in rooms.values()):
        problems.append(f"{build}: no object of a pure room was found")
    return problems


if __name__ == "__main__":
    checkout = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parents[3]
    found = check(Path(sys.argv[1]), checkout)
    print("\n".join(found) or "purity: good")
    sys.exit(1 if found else 0)
