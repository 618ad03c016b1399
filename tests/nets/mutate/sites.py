# SPDX-License-Identifier: Apache-2.0
"""Where a C source can be changed by one token so that it still compiles and means something else.

Comments, strings, includes, static assertions and array bounds are left alone: nothing behaves differently there. A
site is known by its line's text and its place among equal ones, not by the line's number, so that the draws of a seed
stay the same while other lines of the file change.
"""

from __future__ import annotations

import hashlib
import re
from typing import Iterator, NamedTuple

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<directive>^[ \t]*\#[ \t]*\w+)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
      | (?P<operator>->|\+\+|--|<<=|>>=|\.\.\.|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^=|\S)
      | (?P<newline>\\?\n)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
COMPARISONS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
}
BOOLEANS = {"&&": ("||",), "||": ("&&",)}
SIGNS = {"+": ("-",), "-": ("+",), "+=": ("-=",), "-=": ("+=",)}
OPERANDS = {"return", "case", "sizeof", "else", "do"}  # words that no value ends with


class Token(NamedTuple):
    kind: str
    text: str
    start: int


class Site(NamedTuple):
    """One token that becomes another."""

    file: str  # below libjoulie/
    kind: str  # comparison, boolean, sign or constant
    start: int
    old: str
    new: str
    line: int
    text: str  # of the line, with single spaces
    place: int  # among equal changes of equal lines of the file, from 1

    @property
    def room(self) -> str:
        return self.file.split("/")[0]

    @property
    def change(self) -> str:
        place = f" #{self.place}" if self.place > 1 else ""
        return f"{self.old} -> {self.new or 'nothing'}{place}"

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.text, self.change

    def applied(self, source: str) -> str:
        end = self.start + len(self.old)
        assert source[self.start : end] == self.old
        return source[: self.start] + self.new + source[end:]


def tokens(source: str) -> Iterator[Token]:
    """Those that a change may touch, with the others around them: without comments and directives.

    Of the directives only the values of #define are left.
    """
    skip_line = False  # up to a newline without a backslash
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup or "", match.group()
        if kind == "newline":
            skip_line = skip_line and text.startswith("\\")
        elif kind == "directive":
            skip_line = not text.endswith("define")
        elif kind != "comment" and not skip_line:
            yield Token(kind, text, match.start())


def changed_number(text: str) -> tuple[str, ...]:
    """A constant 1 % larger and smaller; a whole number by at least 1; 0 has no percentage."""
    digits = re.fullmatch(r"(.*?)([uUlLfF]*)", text, re.DOTALL)
    assert digits
    value, suffix = digits.groups()
    if text[:2] in ("0x", "0X"):
        value, suffix = re.fullmatch(r"(0[xX][0-9a-fA-F]+)([uUlL]*)", text).groups()  # type: ignore[union-attr]
        number = int(value, 16)
    elif re.fullmatch(r"\d+", value):
        number = int(value)
    else:
        real = float(value)
        return tuple(repr(real * factor) + suffix for factor in (1.01, 0.99)) if real else ()
    step = max(1, number // 100)
    return tuple(str(number + way) + suffix for way in (step, -step)) if number else ()


def is_unary(before: Token | None) -> bool:
    if before is None or before.text in OPERANDS:
        return True
    return before.kind == "operator" and before.text not in (")", "]")


def array_bounds(found: list[Token]) -> set[int]:
    """Starts of the numbers that are a whole [bound] of a declaration: NAME[12] behind a type."""
    bounds = set()
    for i in range(2, len(found) - 1):
        if (
            found[i].kind == "number"
            and found[i - 1].text == "["
            and found[i + 1].text == "]"
            and i >= 3
            and found[i - 2].kind == "word"
            and (found[i - 3].kind == "word" or found[i - 3].text == "*")
            and found[i - 3].text not in OPERANDS
        ):
            bounds.add(found[i].start)
    return bounds


def assertion_spans(found: list[Token]) -> Iterator[tuple[int, int]]:
    for i, token in enumerate(found):
        if token.text in ("_Static_assert", "static_assert"):
            end = next(t.start for t in found[i:] if t.text == ";")
            yield token.start, end


def changes(found: list[Token]) -> Iterator[tuple[Token, str, tuple[str, ...]]]:
    bounds = array_bounds(found)
    asserted = list(assertion_spans(found))
    for i, token in enumerate(found):
        if any(start <= token.start < end for start, end in asserted) or token.start in bounds:
            continue
        before = found[i - 1] if i > 0 else None
        if token.text in COMPARISONS:
            yield token, "comparison", COMPARISONS[token.text]
        elif token.text in BOOLEANS:
            yield token, "boolean", BOOLEANS[token.text]
        elif token.text in SIGNS:
            is_sign = is_unary(before) and token.text in "+-"
            yield token, "sign", ("",) if is_sign else SIGNS[token.text]
        elif token.kind == "number":
            yield token, "constant", changed_number(token.text)


def sites(file: str, source: str) -> list[Site]:
    """Each changeable token once for each thing it can become."""
    found = list(tokens(source))
    seen: dict[tuple[str, str, str], int] = {}
    result = []
    for token, kind, becomes in changes(found):
        first = source.rfind("\n", 0, token.start) + 1
        last = source.find("\n", token.start)
        text = " ".join(source[first : last if last >= 0 else len(source)].split())
        for new in becomes:
            same = (text, token.text, new)
            place = seen[same] = seen.get(same, 0) + 1
            result.append(
                Site(
                    file=file,
                    kind=kind,
                    start=token.start,
                    old=token.text,
                    new=new,
                    line=source.count("\n", 0, token.start) + 1,
                    text=text,
                    place=place,
                )
            )
    return result


def drawn(found: list[Site], seed: int) -> list[Site]:
    """All sites in the order of the seed; two changes of one token do not both come early."""

    def rank(site: Site) -> str:
        return hashlib.sha256("\0".join((str(seed), *site.key)).encode()).hexdigest()

    order, late, taken = [], [], set()
    for site in sorted(found, key=rank):
        token = (site.file, site.start)
        (late if token in taken else order).append(site)
        taken.add(token)
    return order + late
