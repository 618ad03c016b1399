# SPDX-License-Identifier: Apache-2.0
"""Decisions about power, for schedulers: the questions of libjoulie from Python.

>>> import joulie
>>> joulie.ask("quantity", {"text": "1500m"})["value"]
'1.5'

Every function runs in the C library: answers are the same bytes as those of the command line.
Documents may be dicts, or JSON or YAML as str or bytes. Nothing here keeps state, and other threads
run while the library answers.
"""

from __future__ import annotations

import json
import warnings
from typing import Any, Optional, TypedDict

from . import _native
from ._errors import (
    ConflictError,
    EnumError,
    Error,
    InternalError,
    IoError,
    LimitError,
    MemberTypeError,
    ParseError,
    RangeError,
    RequiredError,
    UnknownMemberError,
    UnsupportedError,
)
from ._host import Host
from ._native import Document
from ._sim import Simulation, generate_workload, inspect_workload, simulate

__all__ = [
    "ConflictError",
    "Document",
    "EnumError",
    "Error",
    "Host",
    "InternalError",
    "IoError",
    "JoulieWarning",
    "LimitError",
    "MemberTypeError",
    "ParseError",
    "Question",
    "RangeError",
    "RequiredError",
    "Simulation",
    "UnknownMemberError",
    "UnsupportedError",
    "ask",
    "ask_text",
    "describe",
    "generate_workload",
    "has_feature",
    "inspect_workload",
    "questions",
    "simulate",
    "version",
]


class JoulieWarning(UserWarning):
    """A member that does not exist was skipped (lenient=True)."""


class Question(TypedDict):
    """One line of questions()."""

    name: str
    summary: str


def _answer(
    question: str,
    document: Document,
    model: Optional[str],
    score_range: Optional[int],
    physics: Optional[str],
    lenient: bool,
) -> str:
    text = _native.document_bytes(document)
    skipped: list[tuple[str, str]] = []
    answer = _native.ask(question, text, model, physics, score_range, lenient, skipped)
    for where, message in skipped:
        warnings.warn(f"{where}: {message}", JoulieWarning, stacklevel=3)
    return answer


def ask_text(
    question: str,
    document: Document,
    *,
    model: Optional[str] = None,
    score_range: Optional[int] = None,
    physics: Optional[str] = None,
    lenient: bool = False,
) -> str:
    """Like ask(), but returns the answer as the library printed it: one line of JSON."""
    return _answer(question, document, model, score_range, physics, lenient)


def ask(
    question: str,
    document: Document,
    *,
    model: Optional[str] = None,
    score_range: Optional[int] = None,
    physics: Optional[str] = None,
    lenient: bool = False,
) -> dict[str, Any]:
    """Answers one question about one document.

    question     a name of questions(), such as "predict" or "cap.resolve"
    document     a dict, or JSON or YAML as str or bytes
    model        rule set such as "v0.1.1"; None = "current"
    score_range  10 or 100: range of scores on the wire; None = 10
    physics      physics set of simulations; None = "current"
    lenient      skip members that do not exist, with a JoulieWarning for each

    The document's own member "options" wins over these. Raises Error or one of its subclasses.
    """
    answer: dict[str, Any] = json.loads(
        _answer(question, document, model, score_range, physics, lenient)
    )
    return answer


def questions() -> list[Question]:
    """The questions of the loaded library, by name."""
    found: list[Question] = json.loads(_native.ask_list())
    return found


def describe(question: str) -> dict[str, Any]:
    """Members of a question's input and answer: type, bounds, words, description."""
    description: dict[str, Any] = json.loads(_native.ask_describe(question))
    return description


def version() -> str:
    """Version of the loaded library, such as "0.1.0"."""
    return _native.version()


def has_feature(name: str) -> bool:
    """Whether the loaded library has a feature such as "ask" or "sim"."""
    return _native.has_feature(name)
