# SPDX-License-Identifier: Apache-2.0
"""What the headers declare, as the loaded library tells it (joulie/layout.h).

struct joulie_twin_input is TwinInput, enum joulie_power_tier is PowerTier, and
JOULIE_POWER_TIER_MEASURED is PowerTier.MEASURED; bits such as JOULIE_TWIN_HAS_CPU_MAX are
TwinHas.CPU_MAX. Other constants, callbacks and functions have their C names. Nothing is typed a
second time here: a struct is that of the library, whatever the package was tested with.

The rest of the package is made of these; use them directly for what it does not offer. Then the
rules of C hold: whoever passes a wrong pointer crashes the process.
"""

from __future__ import annotations

import ctypes
import enum
import json
import re
from typing import Any

from ._library import library

_SCALARS = {
    "double": ctypes.c_double,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "uint8_t": ctypes.c_uint8,
    "char": ctypes.c_char,
}
_BITS = re.compile(r"JOULIE_(?P<group>.+?_(?:HAS|OUT)|INVALID)_(?P<name>.+)")


class Struct(ctypes.Structure):
    """A struct of the headers. Members may be given by name; struct_size is filled."""

    def __init__(self, *values: Any, **members: Any) -> None:
        super().__init__(*values, **members)
        if hasattr(self, "struct_size") and not self.struct_size:
            self.struct_size = ctypes.sizeof(self)


def _read_layout() -> dict[str, Any]:
    out = ctypes.c_char_p()
    if library.joulie_layout(ctypes.byref(out), None) != 0 or out.value is None:
        raise MemoryError("joulie_layout")
    found: dict[str, Any] = json.loads(out.value)
    library.joulie_free.argtypes = [ctypes.c_void_p]
    library.joulie_free(out)
    return found


def class_name(tag: str) -> str:
    """joulie_twin_input → TwinInput"""
    return "".join(word.capitalize() for word in tag.split("_")[1:])


def value_names(values: dict[str, int]) -> dict[str, int]:
    """The values of an enum without the words that all their names begin with."""
    words = [name.split("_") for name in values]
    common = 1
    while len(words) > 1 and len({tuple(each[: common + 1]) for each in words}) == 1:
        common += 1
    short = {"_".join(each[common:]): values["_".join(each)] for each in words}
    return {
        "UNKNOWN" if value == 0 and name.endswith("_UNKNOWN") else name: value
        for name, value in short.items()
    }


def is_bit(constant: str) -> bool:
    """Whether a constant is a bit of a mask, and so a member of a flag class."""
    return _BITS.fullmatch(constant) is not None


def flag_groups(constants: dict[str, int]) -> dict[str, dict[str, int]]:
    """The constants that are bits of a mask: class name → {name: bit}."""
    groups: dict[str, dict[str, int]] = {}
    for constant, value in constants.items():
        match = _BITS.fullmatch(constant)
        if match:
            group = class_name("joulie_" + match["group"].lower())
            groups.setdefault(group, {})[match["name"]] = value
    return {
        group: dict(sorted(bits.items(), key=lambda bit: bit[1])) for group, bits in groups.items()
    }


class _Builder:
    """Makes the classes of one layout."""

    def __init__(self, layout: dict[str, Any]) -> None:
        self.structs = {each["name"]: each for each in layout["structs"]}
        self.callback_texts = {each["name"]: each for each in layout["callbacks"]}
        self.handles = {each["name"] for each in layout["handles"]}
        self.classes: dict[str, type[Struct]] = {
            tag: type(class_name(tag), (Struct,), {"__doc__": f"struct {tag}"})
            for tag in self.structs
        }
        self.callbacks: dict[str, Any] = {}
        for tag in self.structs:
            self.complete(tag)

    def complete(self, tag: str) -> type[Struct]:
        found = self.classes[tag]
        if "_fields_" in vars(found):
            return found
        struct = self.structs[tag]
        found._fields_ = [
            (each["name"], self.member_type(each["type"])) for each in struct["members"]
        ]
        offsets = {each["name"]: each["offset"] for each in struct["members"]}
        mine = {name: getattr(found, name).offset for name in offsets}
        if mine != offsets or ctypes.sizeof(found) != struct["size"]:
            raise ImportError(f"struct {tag} of the library is not what ctypes makes of it")
        return found

    def callback(self, name: str) -> Any:
        if name not in self.callbacks:
            text = self.callback_texts[name]
            kinds = [self.type(each["type"]) for each in text["parameters"]]
            self.callbacks[name] = ctypes.CFUNCTYPE(self.type(text["returns"]), *kinds)
        return self.callbacks[name]

    def member_type(self, text: str) -> Any:
        """As type(), but addresses of numbers are plain, as members of columns are set by them."""
        bare = text.replace("const ", "")
        if bare.endswith(" *") and bare[:-2] in _SCALARS and bare[:-2] != "char":
            return ctypes.c_void_p
        return self.type(text)

    def type(self, text: str) -> Any:
        """What ctypes has for a C type; None = void."""
        array = re.fullmatch(r"(.*)\[(\d+)\]", text)
        if array:
            return self.type(array[1]) * int(array[2])
        function = re.fullmatch(r"(.*) \(\*\)\((.*)\)", text)
        if function:
            kinds = [self.type(each) for each in function[2].split(", ")]
            return ctypes.CFUNCTYPE(self.type(function[1]), *kinds)
        text = re.sub(r"\s*const$", "", text.strip())
        if text == "const char *":
            return ctypes.c_char_p
        if text.endswith("*"):
            return self.pointer(text[:-1].strip())
        return self.plain(text.removeprefix("const "))

    def pointer(self, target: str) -> Any:
        bare = target.removeprefix("const ")
        if bare in self.callback_texts:
            return self.callback(bare)
        word, _, tag = bare.partition(" ")
        if bare == "void" or (word == "struct" and tag in self.handles):
            return ctypes.c_void_p
        if bare == "char":  # texts to be freed keep their address
            return ctypes.c_void_p
        if word == "struct" and tag in self.classes:
            return ctypes.POINTER(self.classes[tag])
        return ctypes.POINTER(self.type(target))

    def plain(self, text: str) -> Any:
        word, _, tag = text.partition(" ")
        if text == "void":
            return None
        if word == "enum":
            return ctypes.c_int32
        if word == "struct":
            return self.complete(tag)
        return _SCALARS[text]


def _named(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {each["name"]: each["value"] for each in rows}


def _make(layout: dict[str, Any]) -> dict[str, Any]:
    builder = _Builder(layout)
    made: dict[str, Any] = {class_name(tag): each for tag, each in builder.classes.items()}
    for each in layout["enums"]:
        kind = enum.IntFlag if each["name"].endswith("_has") else enum.IntEnum
        name = class_name(each["name"])
        made[name] = kind(name, value_names(_named(each["values"])), module=__name__)
    constants = _named(layout["constants"])
    for name, bits in flag_groups(constants).items():
        made[name] = enum.IntFlag(name, bits, module=__name__)
    made.update((name, each) for name, each in constants.items() if not is_bit(name))
    made.update(_named(layout["texts"]))
    made.update((name, builder.callback(name)) for name in builder.callback_texts)
    for each in layout["functions"]:
        function = getattr(library, each["name"], None)
        if function is None:  # declared by a header of a build in the making
            continue
        function.restype = builder.type(each["returns"])
        function.argtypes = [builder.type(one["type"]) for one in each["parameters"]]
        made[each["name"]] = function
    return made


LAYOUT = _read_layout()
globals().update(_make(LAYOUT))
