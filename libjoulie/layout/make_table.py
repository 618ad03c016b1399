#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of joulie_layout() from the public headers: make_table.py HEADERS OUT [--depfile FILE]. The build runs it.

The offsets are offsetof()'s, so they are those of the compiler that builds the library; only the names come
from here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import headers as reader
from headers import Function, Headers, Typed

HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */

/* What the public headers declare. Written by libjoulie/layout/make_table.py. */

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


def dependencies(out: Path, folder: Path, found: Headers) -> str:
    """A rule for make and Ninja: the table is of these headers, and of the folder, as it may get another."""
    names = [out, folder, *(folder / name for name in found.files)]
    target, *sources = (str(name).replace(" ", "\\ ") for name in names)
    return f"{target}: {' '.join(sources)}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("headers", type=Path, help="folder of the headers")
    parser.add_argument("out", type=Path, help="the table")
    parser.add_argument("--depfile", type=Path, help="what the table depends on, for the build")
    options = parser.parse_args()
    try:
        found = reader.read(options.headers)
    except reader.Unreadable as problem:
        print(f"make_table: {problem}", file=sys.stderr)
        return 2
    options.out.write_text(table(found), encoding="utf-8")
    if options.depfile:
        rule = dependencies(options.out, options.headers, found)
        options.depfile.write_text(rule, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
