#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes libjoulie/layout/table.c from the public headers: layout.py [--check]; --headers and --out for copies.

The offsets are offsetof()'s, so they are those of the compiler that builds the library; only the names come
from here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import headers as reader
from headers import Function, Headers, Typed

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "joulie"
TABLE = ROOT / "libjoulie" / "layout" / "table.c"

HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */

/* What the public headers declare. Written by tests/abi/layout.py: run it again after a change of a header. */

#include "layout/layout.h"

#include <stddef.h>

"""
MACROS = """
#include "base/text.h"

#define MEMBER(tag, member, type) \\
    { #member, type, offsetof(struct tag, member), sizeof(((struct tag *)NULL)->member) }
#define STRUCT(tag) \\
    { #tag, sizeof(struct tag), _Alignof(struct tag), tag##_members, JL_COUNT(tag##_members) }
#define VALUE(name) { #name, name }
#define ENUM(tag) { #tag, tag##_values, JL_COUNT(tag##_values) }
#define NUMBER(name) { #name, name }
#define TEXT(name) { #name, name }
#define FUNCTION(name, returns) { #name, returns, name##_parameters, JL_COUNT(name##_parameters) }
#define NO_PARAMETERS(name, returns) { #name, returns, NULL, 0 }
"""


def array(kind: str, name: str, rows: list[str]) -> str:
    """A static array, none when there is nothing to put into it."""
    if not rows:
        return ""
    lines = "".join(f"    {row},\n" for row in rows)
    return f"\nstatic const struct jl_layout_{kind} {name}[] = {{\n{lines}}};\n"


def parameter_rows(parameters: list[Typed]) -> list[str]:
    return [f'{{ "{part.name}", "{part.type}" }}' for part in parameters]


def function_row(function: Function) -> str:
    macro = "FUNCTION" if function.parameters else "NO_PARAMETERS"
    return f'{macro}({function.name}, "{function.returns}")'


def lists(found: Headers) -> dict[str, tuple[str, list[str]]]:
    """The top level: name of the list → kind of its rows, rows."""
    return {
        "structs": ("struct", [f"STRUCT({struct.name})" for struct in found.structs]),
        "handles": ("handle", [f'{{ "{name}" }}' for name in found.handles]),
        "enums": ("enum", [f"ENUM({enum.name})" for enum in found.enums]),
        "numbers": ("number", [f"NUMBER({name})" for name in found.numbers]),
        "texts": ("text", [f"TEXT({name})" for name in found.texts]),
        "callbacks": ("function", [function_row(each) for each in found.callbacks]),
        "functions": ("function", [function_row(each) for each in found.functions]),
    }


def table(found: Headers) -> str:
    parts = [HEAD, *(f"#include <joulie/{name}>\n" for name in found.files), MACROS]
    for struct in found.structs:
        rows = [f'MEMBER({struct.name}, {part.name}, "{part.type}")' for part in struct.members]
        parts.append(array("member", f"{struct.name}_members", rows))
    for enum in found.enums:
        rows = [f"VALUE({value})" for value in enum.values]
        parts.append(array("value", f"{enum.name}_values", rows))
    for each in found.callbacks + found.functions:
        rows = parameter_rows(each.parameters)
        parts.append(array("parameter", f"{each.name}_parameters", rows))
    members = []
    for name, (kind, rows) in lists(found).items():
        parts.append(array(kind, name, rows))
        if rows:
            members.append(f"    .{name} = {name}, .{name[:-1]}_count = JL_COUNT({name}),\n")
    parts.append(f"\nconst struct jl_layout jl_layout = {{\n{''.join(members)}}};\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--headers", type=Path, default=HEADERS, help="folder of the headers")
    parser.add_argument("--out", type=Path, default=TABLE, help="the table")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    options = parser.parse_args()
    try:
        text = table(reader.read(options.headers))
    except reader.Unreadable as problem:
        print(f"layout: {problem}", file=sys.stderr)
        return 2
    is_same = options.out.exists() and options.out.read_text(encoding="utf-8") == text
    if options.check:
        if not is_same:
            print(f"layout: {options.out} is not up to date: run {Path(__file__).name}")
        return 0 if is_same else 1
    if not is_same:
        options.out.write_text(text, encoding="utf-8")
        print(f"layout: wrote {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
