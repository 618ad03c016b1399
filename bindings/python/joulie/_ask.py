# SPDX-License-Identifier: Apache-2.0
"""Questions: include/joulie/ask.h."""

from __future__ import annotations

import ctypes
import json
import warnings
from typing import Any, Optional, TypedDict

from . import _autoscale, _native, abi
from ._native import Document


class JoulieWarning(UserWarning):
    """What an answer or an object cannot say, as "where: message".

    A member that does not exist was skipped (lenient=True); a conversion could not keep something
    or could not read it ("where: Word: text", such as NotRepresentable, InvalidField); an object is
    readable here but not what an API server takes.
    """


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
    stacklevel: int = 3,
) -> str:
    text = _native.document_bytes(document)
    told: list[tuple[str, str]] = []
    raised = _native.Raised()

    def on_warning(_user: Any, where: bytes, message: bytes) -> None:
        told.append((_native.text_of(where), _native.text_of(message)))

    options = abi.AskOptions(
        model=_native.optional_text(model, "model"),
        physics=_native.optional_text(physics, "physics"),
        score_range=0 if score_range is None else score_range,
        is_lenient=int(lenient),
        on_warning=abi.joulie_ask_warning_fn(raised.guard(on_warning, None)),
    )
    zones = _autoscale.Zones(_autoscale.system_zone)
    options.find_zone = zones.function
    name = _native.c_text(question, "question")
    try:
        answer = _native.call(abi.joulie_ask, name, text, len(text), ctypes.byref(options))
    finally:
        zones.end()
        raised.end()
    for where, message in told:
        warnings.warn(f"{where}: {message}", JoulieWarning, stacklevel=stacklevel)
    return answer


def tell_doubts(document: Document, stacklevel: int) -> None:
    """A JoulieWarning for everything that validation doubts about a valid object."""
    _answer("validate", document, None, None, None, False, stacklevel + 1)


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

    The document's own member "options" wins over these. Raises Error or one of its subclasses;
    what the answer cannot say, as "convert" and "validate" have it, is a JoulieWarning.
    """
    answer: dict[str, Any] = json.loads(
        _answer(question, document, model, score_range, physics, lenient)
    )
    return answer


def questions() -> list[Question]:
    """The questions of the loaded library, by name."""
    found: list[Question] = _native.call_json(abi.joulie_ask_list)
    return found


def describe(question: str) -> dict[str, Any]:
    """Members of a question's input and answer: type, bounds, words, description."""
    description: dict[str, Any] = _native.call_json(
        abi.joulie_ask_describe, _native.c_text(question, "question")
    )
    return description


def version() -> str:
    """Version of the loaded library, such as "0.2.0"."""
    return _native.text_of(abi.joulie_version())


def has_feature(name: str) -> bool:
    """Whether the loaded library has a feature such as "ask" or "sim"."""
    return bool(abi.joulie_has_feature(_native.c_text(name, "name")))


def features() -> list[str]:
    """What has_feature() knows in this build, sorted."""
    found: list[str] = []
    while True:
        name = abi.joulie_feature_at(len(found))
        if name is None:
            return found
        found.append(_native.text_of(name))
