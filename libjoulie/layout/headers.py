# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers: structs, enums, constants, callbacks, functions, by their declarations.

The headers are plain (docs/architecture.md, "Public headers"): one declarator per declaration, no bitfields,
no varargs, no nested definitions. What this reader does not know stops it with the place, so that no
declaration is left out quietly.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator, NamedTuple

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
NOT_ABI = {"JOULIE_API", "JOULIE_INIT"}  # what they stand for is the compiler's


class Typed(NamedTuple):
    """A member or a parameter; `type` is the C text of its type without the name."""

    name: str
    type: str


class Struct(NamedTuple):
    name: str
    members: list[Typed]


class Enum(NamedTuple):
    name: str
    values: list[str]


class Function(NamedTuple):
    """An exported function, or the type of a callback."""

    name: str
    returns: str
    parameters: list[Typed]


class Headers(NamedTuple):
    files: list[str]
    structs: list[Struct]
    handles: list[str]
    enums: list[Enum]
    numbers: list[str]
    texts: list[str]
    callbacks: list[Function]
    functions: list[Function]


class Unreadable(Exception):
    pass


def without_comments(text: str) -> str:
    return TOKEN.sub(lambda match: " " if match.group()[0] == "/" else match.group(), text)


def split_macros(text: str) -> tuple[list[tuple[str, str]], str]:
    """The object-like macros with what they stand for, and the text without preprocessor lines."""
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^\s*#\s*ifdef __cplusplus$.*?^\s*#\s*endif$", "", text, flags=re.M | re.S)
    macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?!\()[ \t]+(\S.*?)[ \t]*$", text, re.M)
    return macros, re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


def declarations(text: str) -> Iterator[str]:
    """Each declaration without its semicolon, blanks folded."""
    depth, start = 0, 0
    for place, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == ";" and depth == 0:
            yield " ".join(text[start:place].split())
            start = place + 1
    rest = " ".join(text[start:].split())
    if rest:
        raise Unreadable(f"no declaration: {rest}")


def split_list(text: str) -> list[str]:
    """The parts between commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text + ","):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in parts if part]


def typed(text: str) -> Typed:
    """`const char *name`, `char where[256]`, `void (*call)(void *user, int code)`."""
    match = re.fullmatch(r"(.*?)\(\*\s*(\w+)\)\s*\((.*)\)", text)
    if match:
        inner = ", ".join(part.type for part in parameters(match.group(3)))
        return Typed(match.group(2), f"{match.group(1).strip()} (*)({inner or 'void'})")
    match = re.fullmatch(r"((?:\w+[\s*]+)+)(\w+)\s*((?:\[\w+\])*)", text)
    if not match or re.search(r"\b(long|short|unsigned \w+ \w+)\b", text):
        raise Unreadable(f"neither member nor parameter: {text}")
    return Typed(match.group(2), match.group(1).strip() + match.group(3))


def parameters(text: str) -> list[Typed]:
    return [] if text.strip() == "void" else [typed(part) for part in split_list(text)]


def function(text: str) -> Function:
    match = re.fullmatch(r"(.*?[\s*])(\w+)\s*\((.*)\)", text)
    if not match:
        raise Unreadable(f"no function: {text}")
    return Function(match.group(2), match.group(1).strip(), parameters(match.group(3)))


def enum_values(body: str) -> list[str]:
    values = [re.fullmatch(r"(\w+) = [^=]+", part) for part in split_list(body)]
    if not all(values):
        raise Unreadable(f"an enum whose values are not all given: {body}")
    return [value.group(1) for value in values if value]


def read_declaration(found: Headers, text: str) -> None:
    body = re.fullmatch(r"(struct|enum) (\w+) \{(.*)\}", text)
    handle = re.fullmatch(r"struct (\w+)", text)
    if body and body.group(1) == "struct":
        found.structs.append(
            Struct(body.group(2), [typed(part) for part in declarations(body.group(3))])
        )
    elif body:
        found.enums.append(Enum(body.group(2), enum_values(body.group(3))))
    elif handle:
        found.handles.append(handle.group(1))
    elif text.startswith("typedef "):
        found.callbacks.append(function(text[len("typedef ") :]))
    elif text.startswith("JOULIE_API "):
        found.functions.append(function(text[len("JOULIE_API ") :]))
    else:
        raise Unreadable(text)


def read_macro(found: Headers, name: str, meaning: str) -> None:
    if name in NOT_ABI or name.startswith("JOULIE_VERSION"):
        return
    if meaning.startswith('"'):
        found.texts.append(name)
    elif re.fullmatch(r"[\w()<|+*\- ]+", meaning) and not re.search(r"\d\.", meaning):
        found.numbers.append(name)
    else:
        raise Unreadable(f"#define {name} {meaning}")


def read(folder: Path) -> Headers:
    """All headers of a folder such as include/joulie; what they declare is sorted by name."""
    found = Headers([], [], [], [], [], [], [], [])
    for file in sorted(folder.glob("*.h")):
        macros, text = split_macros(without_comments(file.read_text(encoding="utf-8")))
        found.files.append(file.name)
        try:
            for name, meaning in macros:
                read_macro(found, name, meaning)
            for declaration in declarations(text):
                read_declaration(found, declaration)
        except Unreadable as problem:
            raise Unreadable(f"{file}: {problem}") from None
    defined = {struct.name for struct in found.structs}
    handles = sorted(set(found.handles) - defined)
    ordered = [sorted(group) for group in (found.structs, found.enums, found.numbers, found.texts)]
    structs, enums, numbers, texts = ordered
    return Headers(
        found.files,
        structs,  # type: ignore[arg-type]
        handles,
        enums,  # type: ignore[arg-type]
        numbers,  # type: ignore[arg-type]
        texts,  # type: ignore[arg-type]
        sorted(found.callbacks),
        sorted(found.functions),
    )
