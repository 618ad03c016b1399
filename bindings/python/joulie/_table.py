# SPDX-License-Identifier: Apache-2.0
"""Tables of a simulation, with pandas and without."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional, Protocol, Union

if TYPE_CHECKING:
    import pandas

Value = Union[str, float, int, bool, None]


class Frame(Protocol):
    """What a Table and a pandas.DataFrame have in common."""

    @property
    def attrs(self) -> dict[Any, Any]:
        """Facts about the table as a whole."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def __getitem__(self, name: str) -> Any:
        """One column."""

    def __len__(self) -> int:
        """The number of rows."""


class Table:
    """Rows and columns by name; what is unknown is None.

    >>> table = Table({"node": ["a", "b"], "power_w": [120.0, None]})
    >>> len(table), table.columns, table["power_w"]
    (2, ['node', 'power_w'], [120.0, None])
    >>> list(table.rows())
    [{'node': 'a', 'power_w': 120.0}, {'node': 'b', 'power_w': None}]
    """

    def __init__(
        self, columns: dict[str, list[Value]], attrs: Optional[dict[Any, Any]] = None
    ) -> None:
        self._columns = columns
        self.attrs: dict[Any, Any] = {} if attrs is None else attrs

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> list[Value]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self._columns)})"

    def rows(self) -> Iterator[dict[str, Value]]:
        """The rows as dicts."""
        for values in zip(*self._columns.values()):
            yield dict(zip(self._columns, values))

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a DataFrame; numbers that are unknown are NaN there."""
        import pandas

        frame: pandas.DataFrame = pandas.DataFrame(self._columns)
        frame.attrs.update(self.attrs)
        return frame


def _optional(read: Callable[[str], Value]) -> Callable[[str], Value]:
    return lambda text: None if text == "" else read(text)


READERS: dict[str, Callable[[str], Value]] = {
    "text": str,
    "bool": lambda text: text == "true",
    "int": int,
    "number": float,
}


def _column(name: str, texts: Sequence[str], kinds: dict[str, str]) -> list[Value]:
    read = _optional(READERS[kinds.get(name, "number")])
    return [read(text) for text in texts]


def from_csv(text: str, kinds: dict[str, str]) -> Table:
    """A table of the library; kinds names the columns that are not numbers."""
    lines = csv.reader(io.StringIO(text, newline=""))
    names = next(lines)
    columns = list(zip(*lines)) or [()] * len(names)
    return Table({name: _column(name, texts, kinds) for name, texts in zip(names, columns)})


def best_frame(table: Table) -> Frame:
    """A DataFrame where pandas is installed, else the table itself."""
    try:
        return table.to_pandas()
    except ImportError:
        return table
