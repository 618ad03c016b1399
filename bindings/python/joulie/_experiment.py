# SPDX-License-Identifier: Apache-2.0
"""Policies compared on simulated machines: include/joulie/experiment.h."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _native, _table, abi
from ._errors import Error
from ._native import Document
from ._table import Table, Value

if TYPE_CHECKING:
    import pandas

NOT_FOUND = -1  # any code but 0: there is no such file

# Columns of joulie_experiment_csv() that are not plain numbers.
KINDS = {
    **dict.fromkeys(("scenario", "speeds", "policy", "placement", "against"), "text"),
    **dict.fromkeys(("notes", "why_not", "key", "share_of"), "text"),
    **dict.fromkeys(("seed", "seeds"), "int"),
    "baseline": "bool",
}


class ExperimentRun(NamedTuple):
    """One run: struct joulie_experiment_run. load: None of a recorded trace."""

    scenario: str
    speeds: str
    policy: str
    placement: str
    key: str
    load: Optional[float]
    seed: int
    is_baseline: bool
    has_result: bool


class _Files:
    """Files below a folder as joulie_experiment_file_fn; what it raises is raised after the call."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._content = b""  # the library reads it until the next call
        self.problem: Optional[BaseException] = None
        self.function = abi.joulie_experiment_file_fn(self._call)

    def _call(self, _user: Any, name: bytes, out_bytes: Any, out_len: Any) -> int:
        try:
            self._content = (self._folder / name.decode()).read_bytes()
        except BaseException as problem:  # handed on after the call
            self.problem = problem
            return NOT_FOUND
        out_bytes[0] = ctypes.cast(ctypes.c_char_p(self._content), ctypes.c_void_p)
        out_len[0] = len(self._content)
        return 0


class Experiment(_native.Handle):
    """An experiment that was read, its runs, and the results that it was given.

    document  a dict, or JSON or YAML
    folder    where the files are that it names; None = the current folder
    build     a part of every key of a run, beside the library's version

    Where runs are simulated is the caller's affair: simulate() makes a text that put_result() takes,
    now or later, here or in another process. run() does all of it with threads.
    """

    _what = "experiment"

    def __init__(
        self,
        document: Document,
        *,
        folder: Union[str, os.PathLike[str], None] = None,
        build: Optional[str] = None,
    ) -> None:
        text = _native.document_bytes(document)
        files = _Files(Path(folder or "."))
        options = abi.ExperimentOptions(
            text=text,
            len=len(text),
            find_file=files.function,
            build=_native.optional_text(build, "build"),
        )
        handle = ctypes.c_void_p()
        try:
            _native.check(
                abi.joulie_experiment_new, ctypes.byref(options), ctypes.byref(handle)
            )
        except Error:
            if files.problem is not None:
                raise files.problem from None
            raise
        self._own(handle, abi.joulie_experiment_free)

    def __enter__(self) -> Experiment:
        return self

    def __len__(self) -> int:
        with self._use() as handle:
            runs: int = abi.joulie_experiment_runs(handle)
        return runs

    def run_at(self, index: int) -> ExperimentRun:
        """What one of its runs is."""
        run = abi.ExperimentRun()
        self._check(abi.joulie_experiment_run_at, index, ctypes.byref(run))
        found = _native.values(run)
        if not run.has & abi.ExperimentRunHas.LOAD:
            found["load"] = None
        return ExperimentRun(**found)

    def simulate(self, index: int) -> str:
        """Simulates one run; the text is for put_result()."""
        return self._text(abi.joulie_experiment_simulate, index)

    def put_result(self, index: int, text: str) -> None:
        """Gives a run its result; ConflictError for that of another run, ParseError for a broken one."""
        data = text.encode()
        self._check(abi.joulie_experiment_put_result, index, data, len(data))

    def run(self, jobs: Optional[int] = None) -> Experiment:
        """Simulates every run without a result, jobs at a time (None: a thread per core)."""
        missing = [index for index in range(len(self)) if not self.run_at(index).has_result]
        with self._use() as handle, ThreadPoolExecutor(jobs or os.cpu_count()) as pool:

            def simulate(index: int) -> str:
                return _native.call(abi.joulie_experiment_simulate, handle, index)

            results = list(pool.map(simulate, missing))
        for index, text in zip(missing, results):
            self.put_result(index, text)
        return self

    def report(self) -> dict[str, Any]:
        """Every policy and baseline of every scenario, speeds and load against the best baseline."""
        found: dict[str, Any] = self._json(abi.joulie_experiment_report)
        return found

    def csv(self, table: str = "rows") -> str:
        """A table with a header line: "rows", "pairs" or "runs"."""
        return self._text(abi.joulie_experiment_csv, _native.c_text(table, "table"))

    def table(self, name: str = "rows") -> Table:
        """The same as a Table."""
        text = self.csv(name)
        return _table.from_csv(text, KINDS)


def experiment(
    source: Union[str, os.PathLike[str], Mapping[str, Any]],
    *,
    table: str = "rows",
    jobs: Optional[int] = None,
    frame: bool = False,
) -> Union[list[dict[str, Value]], pandas.DataFrame]:
    """Runs an experiment and returns a table of it: a dict per row, or with frame a DataFrame.

    source  a file, whose folder also has the files that it names; or a dict
    table   "rows": a policy or baseline of a scenario, speeds and load, over the seeds;
            "pairs": one on one trace, and the best baseline there; "runs": every run
    jobs    threads; None = one per core

    >>> import joulie
    >>> machine = {"node_name_prefix": "a", "replicas": 2, "cpu": "AMD EPYC 9654", "cpu_cores": 192}
    >>> rows = joulie.experiment({
    ...     "scenarios": [{"name": "two", "inventory": {"nodes": [machine]},
    ...                    "workload": {"hours": 1, "gpuRatio": 0, "maxDurationS": 600}}],
    ...     "loads": [0.2], "seeds": 2, "baselines": ["kube", "most-allocated"],
    ...     "policies": [{"name": "all-performance", "policy": {"staticHpFrac": 1}}]})
    >>> [row["policy"] for row in rows]
    ['kube', 'most-allocated', 'all-performance']
    """
    if isinstance(source, Mapping):
        opened = Experiment(source)
    else:
        path = Path(source)
        opened = Experiment(path.read_bytes(), folder=path.parent)
    with opened:
        found = opened.run(jobs).table(table)
    return found.to_pandas() if frame else list(found.rows())
