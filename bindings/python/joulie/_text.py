# SPDX-License-Identifier: Apache-2.0
"""Documents as text: joulie_split() and joulie_format() of include/joulie/object.h."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple, Optional, Union

from . import _native, abi
from ._errors import NotFoundError
from ._native import Document


class Part(NamedTuple):
    """One document of an input."""

    text: str
    line: int


def split(text: Union[str, bytes]) -> Iterator[Part]:
    """The documents of an input (JSON, JSON lines, a JSON array, YAML with "---"), with their lines.

    >>> import joulie
    >>> [part.text for part in joulie.split('{"a": 1} {"b": 2}')]
    ['{"a": 1}', '{"b": 2}']

    After a document that is broken, which raises, next() goes on with the one behind it.
    """
    return _Splitter(_native.document_bytes(text))


class _Splitter(Iterator[Part]):
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._splitter = abi.Splitter(text=data, len=len(data))

    def __next__(self) -> Part:
        text, length, line = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_uint32()
        found = _native.check(
            abi.joulie_split,
            ctypes.byref(self._splitter),
            ctypes.cast(ctypes.byref(text), ctypes.POINTER(ctypes.c_char_p)),
            ctypes.byref(length),
            ctypes.byref(line),
        )
        if found == 0:
            raise StopIteration
        return Part(ctypes.string_at(text.value or 0, length.value).decode(), line.value)


def format_document(document: Document, form: abi.Form = abi.Form.PRETTY) -> str:
    """One document in another form; keys keep their order, numbers their text.

    >>> import joulie
    >>> joulie.format_document("a: 1.50", joulie.Form.LINE)
    '{"a":1.50}'
    """
    text = _native.document_bytes(document)
    return _native.call(abi.joulie_format, text, len(text), int(form))


def patch_document(target: Document, patch: Document, *, lenient: bool = False) -> str:
    """A JSON document with a merge patch (an object) or a JSON patch (a list) applied.

    >>> import joulie
    >>> joulie.patch_document('{"a":1}', '{"a":null,"b":2}')
    '{"b":2}'
    """
    old = _native.document_bytes(target)
    text = _native.document_bytes(patch)
    return _native.call(abi.joulie_patch, old, len(old), text, len(text), int(lenient))


def definitions(kind: Optional[str] = None, *, legacy: bool = False) -> list[str]:
    """The CustomResourceDefinitions of our kinds as YAML, or of one kind."""
    if kind is not None:
        return [_native.call(abi.joulie_crd, _native.c_text(kind, "kind"), 0, int(legacy))]
    found: list[str] = []
    while True:
        try:
            found.append(_native.call(abi.joulie_crd, None, len(found), int(legacy)))
        except NotFoundError:
            return found
