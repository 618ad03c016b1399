# SPDX-License-Identifier: Apache-2.0
"""The codes of include/joulie/error.h as exceptions."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A question that was not answered.

    code     word such as "range" (the same words as the command line prints)
    where    path from the document root, such as spec.cpu.packagePowerCapPctOfMax
    message  text for a person
    line     line in the document, from 1; 0 = unknown
    column   column in that line, from 1; 0 = unknown
    answer   what there is all the same; None = nothing
    """

    answer: Any = None

    def __init__(self, code: str, where: str, message: str, line: int = 0, column: int = 0):
        super().__init__(code, where, message, line, column)
        self.code = code
        self.where = where
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.message} ({self.code})"


class InternalError(Error):
    """A bug of the library, or memory ran out."""


class ParseError(Error):
    """The document, or a text in it, breaks its grammar."""


class MemberTypeError(Error):
    """A member has the wrong JSON type."""


class UnknownMemberError(Error):
    """A member that the question does not have."""


class RequiredError(Error):
    """A member is missing."""


class EnumError(Error):
    """A word that its list does not have."""


class RangeError(Error):
    """A number outside its bounds."""


class LimitError(Error):
    """A limit of size or nesting was passed."""


class ConflictError(Error):
    """Two members contradict each other."""


class UnsupportedError(Error):
    """Question, kind, rule set or option that this build does not have."""


class NotFoundError(Error):
    """Nothing of this name was put."""


class IoError(Error):
    """A file could not be read or written."""


_BY_WORD: dict[str, type[Error]] = {
    "parse": ParseError,
    "type": MemberTypeError,
    "unknown-member": UnknownMemberError,
    "required": RequiredError,
    "enum": EnumError,
    "range": RangeError,
    "too-large": LimitError,
    "conflict": ConflictError,
    "unsupported": UnsupportedError,
    "io": IoError,
    "not-found": NotFoundError,
}


def error_class(word: str) -> type[Error]:
    """The exception of a code word; InternalError for a word that this package does not know."""
    return _BY_WORD.get(word, InternalError)
