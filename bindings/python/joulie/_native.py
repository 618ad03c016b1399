# SPDX-License-Identifier: Apache-2.0
"""The C library through ctypes: the structs and functions of include/joulie, nothing else."""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Union

from ._errors import Error, error_class

SONAME = "libjoulie.so.0"

Document = Union[Mapping[str, Any], str, bytes]

WARNING_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class JoulieError(ctypes.Structure):
    """struct joulie_error"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("code", ctypes.c_int),
        ("sys_errno", ctypes.c_int),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
        ("where", ctypes.c_char * 256),
        ("message", ctypes.c_char * 512),
    ]


class AskOptions(ctypes.Structure):
    """struct joulie_ask_options"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("model", ctypes.c_char_p),
        ("physics", ctypes.c_char_p),
        ("score_range", ctypes.c_int32),
        ("is_lenient", ctypes.c_int32),
        ("on_warning", WARNING_FUNCTION),
        ("user", ctypes.c_void_p),
        ("reserved", ctypes.c_uint64),
    ]


def _candidates() -> list[str]:
    """Where the library may be, best first: the variable, the checkout's build, the system."""
    named = os.environ.get("JOULIE_LIBRARY")
    if named:
        return [named]
    checkout = Path(__file__).resolve().parents[3]
    built = checkout / "build" / "release" / "lib" / SONAME
    return ([str(built)] if built.exists() else []) + [SONAME]


def _load() -> ctypes.CDLL:
    problems = []
    for candidate in _candidates():
        try:
            return ctypes.CDLL(candidate)
        except OSError as problem:
            problems.append(str(problem))
    raise ImportError(
        f"cannot load {SONAME} ({'; '.join(problems)}): build it with ./dev build, install it, "
        "or name it in JOULIE_LIBRARY"
    )


def declare(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    function = getattr(_library, name)
    function.restype = result
    function.argtypes = arguments
    return function  # type: ignore[no-any-return]


_library = _load()
_version = declare("joulie_version", ctypes.c_char_p)
_has_feature = declare("joulie_has_feature", ctypes.c_int, ctypes.c_char_p)
_code_word = declare("joulie_code_word", ctypes.c_char_p, ctypes.c_int)
_free = declare("joulie_free", None, ctypes.c_void_p)
_ask_list = declare(
    "joulie_ask_list",
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(JoulieError),
)
_ask_describe = declare(
    "joulie_ask_describe",
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(JoulieError),
)
_ask = declare(
    "joulie_ask",
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(AskOptions),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(JoulieError),
)


def _exception(code: int, err: JoulieError) -> Error:
    word = _code_word(code).decode()
    where = err.where.decode(errors="replace")
    message = err.message.decode(errors="replace")
    return error_class(word)(word, where, message, err.line, err.column)


def check(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function that ends in struct joulie_error *err."""
    err = JoulieError(struct_size=ctypes.sizeof(JoulieError))
    code = function(*arguments, ctypes.byref(err))
    if code != 0:
        raise _exception(code, err)


def call(function: Callable[..., int], *arguments: Any) -> str:
    """Calls a function that ends in (char **out, struct joulie_error *err); returns the text."""
    out = ctypes.c_void_p()
    check(function, *arguments, ctypes.byref(out))
    return take(out)


def take(out: ctypes.c_void_p) -> str:
    """The text that a function handed out, which is freed."""
    try:
        return ctypes.string_at(out.value or 0).decode()
    finally:
        _free(out)


def c_text(text: str, what: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} must not contain a NUL character")
    return text.encode()


def optional_text(text: Optional[str], what: str) -> Optional[bytes]:
    return None if text is None else c_text(text, what)


def document_bytes(document: Document) -> bytes:
    """A document as the library reads it: texts as they are, anything else as JSON."""
    if isinstance(document, bytes):
        return document
    if isinstance(document, str):
        return document.encode()
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def ask(
    question: str,
    text: bytes,
    model: Optional[str],
    physics: Optional[str],
    score_range: Optional[int],
    lenient: bool,
    skipped: list[tuple[str, str]],
) -> str:
    def on_warning(_user: Any, where: bytes, message: bytes) -> None:
        skipped.append((where.decode(errors="replace"), message.decode(errors="replace")))

    callback = WARNING_FUNCTION(on_warning)  # alive until the call returns
    options = AskOptions(
        struct_size=ctypes.sizeof(AskOptions),
        model=optional_text(model, "model"),
        physics=optional_text(physics, "physics"),
        score_range=0 if score_range is None else score_range,
        is_lenient=int(lenient),
        on_warning=callback,
    )
    name = c_text(question, "question")
    return call(_ask, name, text, len(text), ctypes.byref(options))


def ask_list() -> str:
    return call(_ask_list)


def ask_describe(question: str) -> str:
    return call(_ask_describe, c_text(question, "question"))


def version() -> str:
    text: bytes = _version()
    return text.decode()


def has_feature(name: str) -> bool:
    return bool(_has_feature(c_text(name, "name")))
