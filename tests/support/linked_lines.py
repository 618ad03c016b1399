#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many lines of ours are linked into a small program: what an admin has to read before it may write.

linked_lines.py --build BUILD --program rescue|capd [--accept]: the functions that the linker kept, by the lines of the program
that made machine code (a function that was inlined counts where it stands), and each with all its
lines, comments included. The link map names the objects: one that is there without a line fails.
lines.json beside the tests of the program keeps the numbers; more than there fails, --accept writes what was found.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("base", "host", "caps", "enforce", "power")
# what only --from-v1 needs, or --prepare
BESIDES = ("journal_v1.c", "json_string.c", "from_v1.c", "time.c", "civil.c", "state_place.c")
SECTION = re.compile(r"^ \.text\.?\S*\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+(\S+)$", re.M)
ROW = re.compile(r"^(\S+\.[ch])\s+(\d+)\s+0x([0-9a-f]+)", re.M)
FUNCTION = re.compile(r"^\w[^;={}#]*?\b(\w+)\([^;{}]*\)\n\{", re.M)


def kept(program: str) -> Path:
    return ROOT / "tests/programs" / program / "lines.json"


def output(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def linked_objects(build: Path, program: str) -> set[str]:
    """Sources of ours with code in the program, by the link map."""
    text = (build / f"daemons/{program}/joulie-{program}.map").read_text(encoding="utf-8")
    text = re.sub(r"^( \.text\.\S+)\n\s+", r"\1 ", text[text.index("memory map") :], flags=re.M)
    names = set()
    for size, place in SECTION.findall(text):
        name = re.search(r"([\w.]+\.c)\.o\)?$", place)
        if int(size, 16) > 0 and name and "joulie" in place:
            names.add(name[1])
    return names


def code_start(program: Path) -> int:
    """Below it are the functions that the linker left out."""
    row = re.search(r"\.text\s+PROGBITS\s+([0-9a-f]+)", output("readelf", "-SW", program))
    assert row is not None
    return int(row[1], 16)


def used_lines(program: Path) -> dict[str, set[int]]:
    """File name to the lines that made code."""
    start = code_start(program)
    found: dict[str, set[int]] = {}
    for name, number, address in ROW.findall(output("objdump", "--dwarf=decodedline", program)):
        if int(address, 16) >= start:
            found.setdefault(name, set()).add(int(number))
    return found


def symbols(program: Path) -> set[str]:
    rows = output("nm", "--defined-only", program).splitlines()
    return {row.split()[2] for row in rows if len(row.split()) == 3}


def sources_of(name: str, files: list[Path], known: set[str]) -> list[Path]:
    """Debug lines have no folder: of two files of one name the one counts whose functions are in the program."""
    found = [path for path in files if path.name == name]
    if len(found) > 1:
        found = [path for path in found if known & set(FUNCTION.findall(path.read_text(encoding="utf-8")))]
    return found


def functions(text: str) -> list[tuple[int, int]]:
    """First and last line of each, with what stands before its brace."""
    lines = text.splitlines()
    found = []
    start = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number - 1
            while start > 1 and lines[start - 2].strip() and lines[start - 2][0] not in "/ *#}":
                start -= 1
            while lines[start - 1].startswith(" "):
                start -= 1
        elif line == "}" and start:
            found.append((start, number))
            start = 0
    return found


def by_file(build: Path, program: str) -> dict[str, int]:
    """Lines of the functions that were kept, by the name of their file."""
    sources = [path for room in ROOMS for path in (ROOT / "libjoulie" / room).glob("*.[ch]")]
    sources += [path for room in (program, "root") for path in (ROOT / "daemons" / room).glob("*.c")]
    used = used_lines(build / f"bin/joulie-{program}")
    missing = linked_objects(build, program) - set(used)
    if missing:
        raise SystemExit(f"the map has code of {sorted(missing)}, the program has no line of it: built without -g?")
    known = symbols(build / f"bin/joulie-{program}")
    lines: dict[str, int] = {}
    for name, numbers in used.items():
        for path in sources_of(name, sources, known):
            linked = [
                end - first + 1
                for first, end in functions(path.read_text(encoding="utf-8"))
                if any(first <= number <= end for number in numbers)
            ]
            lines[name] = max(sum(linked), lines.get(name, 0))
    return lines


def count(build: Path, program: str) -> dict[str, int]:
    lines = by_file(build, program)
    own = {path.name for path in (ROOT / "daemons" / program).glob("*.c")}
    return {
        "lines": sum(lines.values()),
        "of giving back": sum(n for name, n in lines.items() if name not in BESIDES),
        "of the program itself": sum(n for name, n in lines.items() if name in own),
        "files": len(lines),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--program", choices=("rescue", "capd"), required=True)
    parser.add_argument("--accept", action="store_true", help="write lines.json")
    options = parser.parse_args()
    now = count(options.build, options.program)
    print(json.dumps(now, indent=2))
    if options.accept:
        kept(options.program).write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
