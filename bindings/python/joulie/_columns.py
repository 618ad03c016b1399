# SPDX-License-Identifier: Apache-2.0
"""Columns (joulie/column.h) on other people's memory, through the buffer protocol: no copies.

What has a buffer of the right type is taken as it is: a NumPy array, a strided view of one, a field
of a structured array, a column of a pandas.DataFrame, an array.array, a memoryview. What has not is
an error with its reason; nothing is converted behind the caller's back.
"""

from __future__ import annotations

import array
import ctypes
import sys
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_
from types import TracebackType
from typing import Any, NamedTuple, Optional, Union

from . import abi

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

# Whatever exports a buffer; a number stands for every row, None is unknown in every row.
Column = Any
Columns = dict[str, Any]
# None: new arrays for every output; names: for those; a dict: the arrays to write to.
Wanted = Union[None, Iterable[str], Mapping[str, Column]]


class Kind(NamedTuple):
    """One type of values."""

    name: str  # as NumPy calls it
    size: int
    formats: str  # of the buffer protocol, for this size
    fresh: str  # of array.array


FLOAT = Kind("float64", 8, "d", "d")
BITS = Kind("uint64", 8, "QL", "Q")
INT = Kind("int32", 4, "il", "i")
MS = Kind("int64", 8, "ql", "q")

_SCALARS: dict[Kind, Any] = {
    FLOAT: ctypes.c_double,
    BITS: ctypes.c_uint64,
    INT: ctypes.c_int32,
    MS: ctypes.c_int64,
}
NAN = float("nan")
_NATIVE_ORDER = "@=^" + ("<" if sys.byteorder == "little" else ">!")

_STRIDED, _WITH_FORMAT, _WRITABLE = 0x18, 0x4, 0x1  # PyBUF_STRIDES, PyBUF_FORMAT, PyBUF_WRITABLE


class _Buffer(ctypes.Structure):
    """Py_buffer, whose layout has been part of the stable ABI of CPython since 3.11."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int]
_get_buffer.restype = ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_Buffer)]
_release_buffer.restype = None


class Place(NamedTuple):
    """Where a column is."""

    address: int
    stride: int
    rows: Optional[int]  # None: one value for all rows


class Span(NamedTuple):
    """The memory of a column, for the question whether two columns share some of it."""

    what: str
    start: int
    stride: int
    rows: int
    kind: Kind

    def lowest(self) -> int:
        return min(self.start, self.start + self.stride * (self.rows - 1))

    def end(self) -> int:
        return max(self.start, self.start + self.stride * (self.rows - 1)) + self.kind.size


def _overlap(one: Span, other: Span) -> bool:
    """Whether a value of one shares a byte with a value of the other: views of one table may lie
    between each other without doing so."""
    if not one.rows or not other.rows:
        return False
    if one.end() <= other.lowest() or other.end() <= one.lowest():
        return False
    step = abs(other.stride) or 1
    if abs(one.stride) == step:  # the first values tell how all of them lie
        return _touches(one.lowest() - other.lowest(), step, one, other, -one.rows)
    return any(
        _touches(one.start + row * one.stride - other.lowest(), step, one, other, -1)
        for row in range(one.rows)
    )


def _touches(at: int, step: int, one: Span, other: Span, first: int) -> bool:
    """Whether a value of one, so far from the lowest of the other's, shares a byte with its
    neighbours there; rows of the other that count come after the number first."""
    return any(
        first < k < other.rows and -one.kind.size < at - k * step < other.kind.size
        for k in (at // step, at // step + 1)
    )


def _address_of(values: Any) -> Any:
    return values.__array_interface__["data"][0]


def _without_series(values: Any, what: str) -> Any:
    """The array of a pandas.Series; a Series that would have to be copied is an error."""
    to_numpy = getattr(values, "to_numpy", None)
    if to_numpy is None:
        return values
    one, two = to_numpy(), to_numpy()
    if getattr(one, "size", 0) and _address_of(one) != _address_of(two):
        raise TypeError(
            f"{what}: a column of dtype {getattr(values, 'dtype', '?')} cannot be used without a "
            "copy: make one with .to_numpy(dtype=...)"
        )
    return one


class Call:
    """The columns of one call; keeps their memory in place until the call is over."""

    def __init__(self, rows: Optional[int] = None) -> None:
        self._buffers: list[_Buffer] = []
        self._kept: list[Any] = []
        self._inputs: list[Span] = []
        self._outputs: list[Span] = []
        self.rows = rows

    def __enter__(self) -> Call:
        return self

    def __exit__(
        self,
        _type: Optional[type[BaseException]],
        _value: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        for buffer in self._buffers:
            _release_buffer(ctypes.byref(buffer))
        self._buffers.clear()

    def read(self, values: Column, kind: Kind, what: str) -> Place:
        """A column to read."""
        if values is None:
            return Place(0, 0, None)
        if isinstance(values, (int, float)):  # NumPy's float64 is a float
            scalar = _SCALARS[kind](values)
            self._kept.append(scalar)
            return Place(ctypes.addressof(scalar), 0, None)
        place = self._place(_without_series(values, what), kind, what, 0)
        self._inputs.append(_span(place, kind, what))
        return place

    def write(self, values: Column, kind: Kind, what: str) -> Place:
        """A column to write."""
        place = self._place(values, kind, what, _WRITABLE)
        if place.rows is None or (place.stride == 0 and place.rows > 1):
            raise ValueError(f"{what}: every row needs a place of its own")
        return place

    def claim(self, place: Place, kind: Kind, what: str) -> None:
        """An output in memory of the caller's: no other column may be there, but for an input
        whose place it takes."""
        span = _span(place, kind, what)
        for other in self._inputs + self._outputs:
            is_input = other in self._inputs and other[1:] == span[1:]
            if not is_input and _overlap(span, other):
                raise ValueError(f"{what}: its rows overlap with those of {other.what}")
        self._outputs.append(span)

    def size(self) -> int:
        """The number of rows."""
        if self.rows is None:
            raise ValueError("no column tells the number of rows: give rows=")
        return self.rows

    def fresh(self, kind: Kind) -> Column:
        """A new column of as many rows: a NumPy array where NumPy is installed."""
        if numpy is not None:
            return numpy.zeros(self.size(), dtype=kind.name)
        return array.array(kind.fresh, bytes(kind.size * self.size()))

    def _place(self, values: Any, kind: Kind, what: str, flags: int) -> Place:
        buffer = self._open(values, kind, what, flags)
        if buffer.ndim > 1:
            raise ValueError(f"{what}: {buffer.ndim} dimensions, where one is needed")
        if not _is_of(buffer, kind):
            shown = (buffer.format or b"B").decode()
            raise TypeError(
                f"{what}: values of format {shown!r}, where {kind.name} is needed: convert it with "
                f'.astype("{kind.name}")'
            )
        rows = buffer.shape[0] if buffer.ndim else None
        stride = buffer.strides[0] if buffer.ndim else 0
        if rows is not None and rows < 2:
            stride = kind.size  # NumPy leaves those of short arrays open
        address = buffer.buf or 0
        if rows != 0 and (address % kind.size or stride % kind.size):
            raise ValueError(
                f"{what}: the values are not aligned (a packed structured array?): make a copy"
            )
        self._count(rows, what)
        return Place(address, stride, rows)

    def _open(self, values: Any, kind: Kind, what: str, flags: int) -> _Buffer:
        if numpy is not None and isinstance(values, numpy.ma.MaskedArray):
            raise TypeError(
                f"{what}: the library would read what is masked, too: give .filled(numpy.nan), or "
                "another value that is unknown"
            )
        buffer = _Buffer()
        try:
            _get_buffer(values, ctypes.byref(buffer), _STRIDED | _WITH_FORMAT | flags)
        except (BufferError, TypeError, ValueError) as problem:
            raise TypeError(
                f"{what}: {type(values).__name__} is no {'writable ' if flags else ''}array of "
                f"{kind.name} ({problem})"
            ) from None
        self._buffers.append(buffer)
        return buffer

    def _count(self, rows: Optional[int], what: str) -> None:
        if rows is None:
            return
        if self.rows is None:
            self.rows = rows
        elif self.rows != rows:
            raise ValueError(f"{what}: {rows} rows, where the others have {self.rows}")


def _span(place: Place, kind: Kind, what: str) -> Span:
    rows = 1 if place.rows is None or place.stride == 0 else place.rows
    return Span(what, place.address, place.stride, rows, kind)


def _is_of(buffer: _Buffer, kind: Kind) -> bool:
    text = (buffer.format or b"B").decode()
    if text[:1] in _NATIVE_ORDER:
        text = text[1:]
    return len(text) == 1 and text in kind.formats and buffer.itemsize == kind.size


_READ: dict[Any, Kind] = {
    abi.Column: FLOAT,
    abi.ColumnBits: BITS,
    abi.ColumnInt: INT,
    abi.ColumnMs: MS,
}
_WRITE: dict[Any, Kind] = {
    abi.ColumnOut: FLOAT,
    abi.ColumnBitsOut: BITS,
    abi.ColumnIntOut: INT,
}


def kinds_of(struct: type[abi.Struct]) -> dict[str, Kind]:
    """The columns of a struct by name."""
    kinds = {**_READ, **_WRITE}
    return {field[0]: kinds[field[1]] for field in struct._fields_ if field[1] in kinds}


def named_columns(table: Any, names: Iterable[str], more: Mapping[str, Column]) -> Columns:
    """The columns of a call: those of a table that are wanted, and those given by name.

    A pandas.DataFrame or a structured array may have other columns; a mapping may not, as a name
    that is wrong would go unseen.
    """
    found: Columns = {}
    if table is not None:
        inside = getattr(table, "columns", None)
        if inside is None:
            inside = getattr(getattr(table, "dtype", None), "names", None)
        if inside is not None:
            found = {name: table[name] for name in names if name in inside}
        elif isinstance(table, Mapping):
            found = dict(table)
        else:
            raise TypeError(f"{type(table).__name__} is no table of named columns")
    twice = found.keys() & more.keys()
    if twice:
        raise TypeError(f"given twice: {', '.join(sorted(twice))}")
    found.update(more)
    unknown = found.keys() - set(names)
    if unknown:
        raise TypeError(f"there is no column {', '.join(sorted(unknown))}")
    return found


def fill_inputs(struct: abi.Struct, columns: Mapping[str, Column], call: Call) -> None:
    """Points the columns of a struct to where the values are."""
    for name, kind in kinds_of(type(struct)).items():
        place = call.read(columns.get(name), kind, name)
        target = getattr(struct, name)
        target.at, target.stride = place.address or None, place.stride


def fill_outputs(struct: abi.Struct, out: Wanted, call: Call) -> Columns:
    """Points the outputs of a struct to the given arrays, or to new ones; returns them."""
    kinds = kinds_of(type(struct))
    found = _wanted(kinds, out, call)
    for name, values in found.items():
        place = call.write(values, kinds[name], name)
        if isinstance(out, Mapping):
            call.claim(place, kinds[name], name)
        target = getattr(struct, name)
        target.at, target.stride = place.address or None, place.stride or kinds[name].size
    return found


def fill_output(struct: abi.Struct, name: str, call: Call) -> Column:
    """Points one output to a new array, which it returns."""
    return fill_outputs(struct, [name], call)[name]


def write_nan(columns: Columns, known: Column, bits: Mapping[str, int]) -> None:
    """Makes NaN of the numbers in the answers whose bit is not set."""
    if numpy is not None:
        known = numpy.asarray(known)
        everywhere = int(numpy.bitwise_and.reduce(known)) if len(known) else 0
    else:
        everywhere = reduce(and_, known, ~0)
    for name, bit in bits.items():
        values = columns.get(name)
        if values is None or everywhere & bit:
            continue
        if numpy is not None:
            numpy.asarray(values)[(known & numpy.uint64(bit)) == 0] = numpy.nan
        else:
            for row, mask in enumerate(known):
                if not mask & bit:
                    values[row] = NAN


def _wanted(kinds: Mapping[str, Kind], out: Wanted, call: Call) -> Columns:
    if isinstance(out, str):
        raise TypeError("out is a list of names, or a dict of arrays")
    unknown = set(kinds if out is None else out) - kinds.keys()
    if unknown:
        raise TypeError(f"there is no output {', '.join(sorted(unknown))}")
    if isinstance(out, Mapping):
        return dict(out)
    return {name: call.fresh(kinds[name]) for name in (kinds if out is None else out)}


def mask_unknown(
    struct: Any, columns: Columns, bits: Mapping[str, int], call: Call, mask_name: str = "has"
) -> None:
    """Makes the column of masks, in which what is not NaN is known; the values are not copied.

    Where nothing is NaN there is no need of it: without masks every value of a column is known.
    """
    everywhere, partly = 0, {}
    for name, bit in bits.items():
        values = columns.get(name)
        if values is None:
            continue
        values = _without_series(values, name)
        if _has_nan(values):
            partly[bit] = values
        else:
            everywhere |= bit
    if not partly:
        return
    mask = call.fresh(BITS)
    _fill(mask, everywhere)
    for bit, values in partly.items():
        _add_known(mask, values, bit)
    place = call.read(mask, BITS, mask_name)
    target = getattr(struct, mask_name)
    target.at, target.stride = place.address or None, place.stride


def _has_nan(values: Column) -> bool:
    if isinstance(values, (int, float)):
        return values != values
    if numpy is not None:
        total = numpy.asarray(values).sum()  # NaN stays NaN; so may infinities, which is no harm
        return bool(total != total)
    return any(value != value for value in values)


def _fill(mask: Column, bits: int) -> None:
    if numpy is not None:
        mask.fill(bits)
    else:
        for row in range(len(mask)):
            mask[row] = bits


def _add_known(mask: Column, values: Column, bit: int) -> None:
    if isinstance(values, (int, float)):
        return  # NaN in every row
    if numpy is not None:
        known = numpy.asarray(values)
        mask |= numpy.multiply(known == known, numpy.uint64(bit), dtype=numpy.uint64)
    else:
        for row, value in enumerate(values):
            if value == value:
                mask[row] |= bit
