# SPDX-License-Identifier: Apache-2.0
"""What a program or library that is shipped lacks of what cmake/hardening.cmake asks for, as sentences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

import symbols

COMPILED = ("-fstack-protector-strong", "-fstack-clash-protection")
# What a jump may reach, by the machine's name in an ELF header.
BRANCHES = {"X86-64": "-fcf-protection=full", "AArch64": "-mbranch-protection=standard"}
UNDONE = {"-fno-stack-protector", "-fno-stack-clash-protection", "-fcf-protection=none"}
CET = "IBT, SHSTK"
MEMBER = re.compile(r"^File: .*\((.+)\)$", re.MULTILINE)


def read(file: Path, *options: str) -> str:
    return symbols.output("readelf", "--wide", *options, file)


def folders_of(text: str) -> Iterator[str]:
    """Elements of RUNPATH and RPATH."""
    for path in re.findall(r"\((?:RUNPATH|RPATH)\)[^\[]*\[([^\]]*)\]", text):
        yield from path.split(":")


def linked(file: Path) -> Iterator[str]:
    """What the linker left open."""
    text = read(file, "--dynamic", "--program-headers")
    for folder in folders_of(text):
        if not folder.startswith(("/", "$ORIGIN")):
            yield f"it loads libraries of the current folder: {folder!r}"
    if not re.search(r"\(FLAGS(_1)?\).*\b(BIND_)?NOW\b", text):
        yield "its symbols are bound late"
    if "GNU_RELRO" not in text:
        yield "what the linker relocates stays writable"
    if not re.search(r"GNU_STACK.* RW +0x", text):
        yield "its stack can be run"
    if "Elf file type is DYN" not in text:
        yield "it is loaded at a fixed place"


def called(file: Path) -> Iterator[str]:
    """What the compiler would call if it had been told to."""
    text = read(file, "--dyn-syms")
    if "__stack_chk_fail" not in text:
        yield "no array on its stack is guarded"
    if not re.search(r" __(?!stack)\w+_chk\b", text):
        yield "no copy into memory of known size is checked"


def compiled(file: Path) -> Iterator[str]:
    """What gcc says of the options of each source in a program, library or archive with -g."""
    machine = re.search(r"Machine: .*?(X86-64|AArch64)", read(file, "--file-header"))
    wanted = (*COMPILED, *([BRANCHES[machine.group(1)]] if machine else []))
    text = read(file, "--debug-dump=info", "--dwarf-depth=1")
    producers = re.findall(r"DW_AT_producer .*?: (GNU C.*)\n[^\n]*\n.*DW_AT_name .*: (.*)", text)
    for options, source in producers:
        given = set(options.split())
        yield from (f"{source} was compiled without {option}" for option in wanted if option not in given)
        yield from (f"{source} was compiled with {option}" for option in UNDONE & given)
    if not producers and "DW_AT_producer" not in text:
        yield "it does not say how it was compiled"


def marked(archive: Path) -> Iterator[str]:
    """Objects of an archive for x86-64 without the mark of CET; startup objects of a C library may lack it."""
    notes = MEMBER.split(read(archive, "--notes"))[1:]
    with_mark = {name for name, note in zip(notes[::2], notes[1::2]) if CET in note}
    members = symbols.output("ar", "t", archive).split()
    yield from (f"{name} may be entered anywhere" for name in members if name not in with_mark)
