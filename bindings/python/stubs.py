#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes joulie/abi.pyi, the types of joulie.abi, from the library: stubs.py [--check].

The classes themselves are made when the package is imported; a type checker does not run that.
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STUB = HERE / "joulie" / "abi.pyi"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Written by bindings/python/stubs.py: run it again after a change of a header.

import ctypes
import enum
from typing import Any, Optional, TypedDict

from ._columns import Column as Given

LAYOUT: dict[str, Any]

class Struct(ctypes.Structure):
    def __init__(self, *values: Any, **members: Any) -> None: ...

def class_name(tag: str) -> str: ...
def value_names(values: dict[str, int]) -> dict[str, int]: ...
def is_bit(constant: str) -> bool: ...
def flag_groups(constants: dict[str, int]) -> dict[str, dict[str, int]]: ...
"""


# Arguments by the names of members: numbers that have a bit, columns that callers give.
GIVEN = {
    "joulie_twin_input": ("Numbers", {"double": "Optional[float]"}),
    "joulie_twin_columns": (
        "Given",
        {f"struct joulie_column{kind}": "Given" for kind in ("", "_bits", "_int")},
    ),
}


def type_of(text: str, name_of: Any) -> str:
    if text == "const char *":
        return "Optional[bytes]"
    if re.fullmatch(r"char\[\d+\]", text):
        return "bytes"
    if text == "double":
        return "float"
    if re.fullmatch(r"(u?int(32|64)_t|size_t|int|enum \w+)", text):
        return "int"
    if re.fullmatch(r"struct \w+", text):
        return str(name_of(text.split()[1]))
    return "Any"


def lines(abi: Any) -> list[str]:
    layout = abi.LAYOUT
    constants = {each["name"]: each["value"] for each in layout["constants"]}
    flags = abi.flag_groups(constants)
    found = [HEAD]
    for struct in layout["structs"]:
        members = [
            f"    {one['name']}: {type_of(one['type'], abi.class_name)}\n"
            for one in struct["members"]
        ]
        found.append(f"class {abi.class_name(struct['name'])}(Struct):\n{''.join(members)}\n")
        if struct["name"] in GIVEN:
            suffix, kinds = GIVEN[struct["name"]]
            given = [
                f"    {one['name']}: {kinds[one['type']]}\n"
                for one in struct["members"]
                if one["type"] in kinds
            ]
            name = abi.class_name(struct["name"]) + suffix
            found.append(f"class {name}(TypedDict, total=False):\n{''.join(given)}\n")
    enums = {}
    for each in layout["enums"]:
        kind = "IntFlag" if each["name"].endswith("_has") else "IntEnum"
        values = {one["name"]: one["value"] for one in each["values"]}
        enums[abi.class_name(each["name"])] = (kind, abi.value_names(values))
    enums.update((name, ("IntFlag", bits)) for name, bits in flags.items())
    for name, (kind, values) in enums.items():
        members = [f"    {one} = {value}\n" for one, value in values.items()]
        found.append(f"class {name}(enum.{kind}):\n{''.join(members)}\n")
    found += [f"{name}: int\n" for name in constants if not abi.is_bit(name)]
    found += [f"{each['name']}: str\n" for each in layout["texts"]]
    found += [f"{each['name']}: Any\n" for each in layout["callbacks"]]
    for each in layout["functions"]:
        result = {"void": "None", "const char *": "bytes"}.get(each["returns"]) or type_of(
            each["returns"], abi.class_name
        )
        found.append(f"def {each['name']}(*arguments: Any) -> {result}: ...\n")
    return found


def main() -> int:
    package = types.ModuleType("joulie")  # without the rest of it, which may be behind the library
    package.__path__ = [str(HERE / "joulie")]
    sys.modules["joulie"] = package
    abi = importlib.import_module("joulie.abi")

    text = "".join(lines(abi))
    is_same = STUB.exists() and STUB.read_text(encoding="utf-8") == text
    if "--check" in sys.argv[1:]:
        if not is_same:
            print(f"{STUB} is not up to date: run {Path(__file__).name}")
        return 0 if is_same else 1
    if not is_same:
        STUB.write_text(text, encoding="utf-8")
        print(f"wrote {STUB}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
