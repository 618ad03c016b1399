# SPDX-License-Identifier: Apache-2.0
"""Calls of the C library: errors become exceptions, texts become str."""

from __future__ import annotations

import ctypes
import enum
import json
import threading
import weakref
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Callable, NoReturn, Optional, TypeVar, Union

from . import abi
from ._errors import Error, error_class

_NO_NUMBERS = ("struct_size", "has", "reserved")
EnumType = TypeVar("EnumType", bound=enum.IntEnum)
Document = Union[Mapping[str, Any], str, bytes]


def raise_error(code: int, err: abi.Error) -> NoReturn:
    word = abi.joulie_code_word(code).decode()
    where = err.where.decode(errors="replace")
    message = err.message.decode(errors="replace")
    raise error_class(word)(word, where, message, err.line, err.column)


def check(function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function that ends in struct joulie_error *err; returns what it returned."""
    err = abi.Error()
    code = function(*arguments, ctypes.byref(err))
    if code < 0:
        raise_error(code, err)
    return code


def check_bare(function: Callable[..., int], *arguments: Any) -> None:
    """The same of a function without struct joulie_error."""
    code = function(*arguments)
    if code < 0:
        raise_error(code, abi.Error(message=f"{function.__name__}() refused".encode()))


def call(function: Callable[..., int], *arguments: Any) -> str:
    """Calls a function that ends in (char **out, struct joulie_error *err); returns the text."""
    out = ctypes.c_void_p()
    check(function, *arguments, ctypes.byref(out))
    return take(out)


def call_json(function: Callable[..., int], *arguments: Any) -> Any:
    return from_json(call(function, *arguments))


def from_json(text: str) -> Any:
    return json.loads(text)


def take(out: ctypes.c_void_p) -> str:
    """The text that a function handed out, which is freed."""
    try:
        return ctypes.string_at(out.value or 0).decode()
    finally:
        abi.joulie_free(out)


def c_text(text: str, what: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} must not contain a NUL character")
    return text.encode()


def optional_text(text: Optional[str], what: str) -> Optional[bytes]:
    return None if text is None else c_text(text, what)


def text_of(text: Optional[bytes]) -> str:
    return "" if text is None else text.decode(errors="replace")


def document_bytes(document: Union[Document, list[dict[str, Any]]]) -> bytes:
    """A document as the library reads it: texts as they are, anything else as JSON."""
    if isinstance(document, bytes):
        return document
    if isinstance(document, str):
        return document.encode()
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def optional_document(document: Optional[Document]) -> tuple[Optional[bytes], int]:
    """Text and length of a document that may be left out."""
    if document is None:
        return None, 0
    text = document_bytes(document)
    return text, len(text)


def known_value(kind: type[EnumType], number: int) -> EnumType:
    """A value of an enum; the first, which is unknown, for one that only a newer package has."""
    try:
        return kind(number)
    except ValueError:
        return kind(0)


def member_kinds(struct: type[abi.Struct]) -> dict[str, Callable[[Any], Any]]:
    """What makes a value of Python of each member: enums, texts and truths have their types."""
    found: dict[str, Callable[[Any], Any]] = {}
    tags = {abi.class_name(each["name"]): each for each in abi.LAYOUT["structs"]}
    for member in tags[struct.__name__]["members"]:
        word, _, tag = member["type"].partition(" ")
        if word == "enum":
            found[member["name"]] = partial(known_value, getattr(abi, abi.class_name(tag)))
        elif member["type"] == "const char *":
            found[member["name"]] = text_of
        else:
            found[member["name"]] = bool if member["type"] == "int32_t" else _same
    return found


def _same(value: Any) -> Any:
    return value


def members(struct: abi.Struct) -> dict[str, Any]:
    """The numbers of a struct by their names."""
    named = (field[0] for field in struct._fields_)
    return {name: getattr(struct, name) for name in named if name not in _NO_NUMBERS}


def values(struct: abi.Struct) -> dict[str, Any]:
    """The members of a struct as values of Python: enums, texts, truths, numbers."""
    kinds = member_kinds(type(struct))
    return {name: kinds[name](value) for name, value in members(struct).items()}


def address(struct: abi.Struct, name: str) -> int:
    """Where a member of a struct points to; reading a text ends at the first NUL."""
    offset = getattr(type(struct), name).offset
    return ctypes.c_void_p.from_buffer(struct, offset).value or 0


def _is_named(member: str, bit: str) -> bool:
    """Whether the words of a bit are words of a member, in their order."""
    words = iter(member.split("_"))
    return all(word in words for word in bit.split("_"))


def match_bits(
    flags: type[enum.IntFlag], members: list[str], texts: Container[str] = ()
) -> dict[str, int]:
    """The bit of each member: the one with its name, else the next whose words hold the bit's.

    Texts have a bit only by their name: others are NULL when they are unknown.
    """
    left = [name for name in members if name not in _NO_NUMBERS]
    found: dict[str, int] = {}
    for bit, value in sorted(flags.__members__.items(), key=lambda item: item[1]):
        if bit.lower() in left:  # wherever it stands: structs put members of one size together
            left.remove(bit.lower())
            found[bit.lower()] = int(value)
            continue
        for at, name in enumerate(left):
            if name not in texts and _is_named(name, bit.lower()):
                found[name] = int(value)
                del left[: at + 1]
                break
    return found


class Bits:
    """Which member of a struct belongs to which bit of its `has`."""

    def __init__(self, flags: type[enum.IntFlag], struct: type[abi.Struct]) -> None:
        kinds = {field[0]: field[1] for field in struct._fields_}
        texts = {name for name, kind in kinds.items() if kind is ctypes.c_char_p}
        self.names = match_bits(flags, list(kinds), texts)

    def fill(self, struct: Any, what: str, values: Mapping[str, Optional[float]]) -> None:
        """Sets the given members with their bits; None = unknown."""
        has = struct.has
        for name, value in values.items():
            if name not in self.names:
                raise TypeError(f"{what} has no {name!r}")
            if value is not None:
                setattr(struct, name, value)
                has |= self.names[name]
        struct.has = has

    def known(self, struct: Any) -> dict[str, Any]:
        """The members whose bit is set."""
        has = struct.has
        return {name: getattr(struct, name) for name, bit in self.names.items() if has & bit}


class Raised:
    """What functions of Python raise that the library calls: ctypes would print it and go on."""

    def __init__(self) -> None:
        self._first: Optional[BaseException] = None

    def guard(self, function: Callable[..., Any], otherwise: Any) -> Callable[..., Any]:
        """The function for the library, which gets `otherwise` where it raises."""

        def call_it(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as problem:  # also KeyboardInterrupt: end() hands it on
                self._first = self._first or problem
                return otherwise

        return call_it

    def end(self) -> None:
        """Behind the call: raises what was raised first in it."""
        first, self._first = self._first, None
        if first is not None:
            raise first


class Handle:
    """What the library keeps for one thread at a time, until close() or until nobody needs it.

    Two threads in one handle at once would break it, so the second gets a RuntimeError, and so
    does a callback that uses the handle that is calling it. A copy would be the same handle:
    there is none.
    """

    _what = "handle"
    _raised: Optional[Raised] = None  # of its callbacks

    def _own(self, handle: ctypes.c_void_p, free: Callable[[Any], None], *kept: Any) -> None:
        """Takes over a handle; `kept` lives as long as it does."""
        self._handle = handle
        self._lock = threading.Lock()
        self._free = weakref.finalize(self, _release, self._lock, handle, free, kept)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"a {self._what} cannot be copied or pickled")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees what the library keeps now; otherwise that goes with the object."""
        self._enter()
        try:
            owned = self._free.detach()
            if owned is not None:
                _, _, (_, handle, free, _), _ = owned
                free(handle)
        finally:
            self._leave()

    def _leave(self) -> None:
        self._lock.release()
        if self._raised is not None:
            self._raised.end()

    def _enter(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(f"the {self._what} is in use: one thread at a time, no callback")

    @contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        self._enter()
        try:
            if not self._free.alive:
                raise ValueError(f"the {self._what} is closed")
            yield self._handle
        finally:
            self._leave()

    def _check(self, function: Callable[..., int], *arguments: Any) -> int:
        with self._use() as handle:
            return check(function, handle, *arguments)

    def _tell(self, function: Callable[..., None], *arguments: Any) -> None:
        with self._use() as handle:
            function(handle, *arguments)

    def _text(self, function: Callable[..., int], *arguments: Any) -> str:
        with self._use() as handle:
            return call(function, handle, *arguments)

    def _json(self, function: Callable[..., int], *arguments: Any) -> Any:
        return json.loads(self._text(function, *arguments))


def _release(
    lock: threading.Lock, handle: ctypes.c_void_p, free: Callable[[Any], None], _kept: Any
) -> None:
    """Frees a handle, unless a thread is still in it while the interpreter ends."""
    if lock.acquire(blocking=False):
        free(handle)
