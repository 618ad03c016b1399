# SPDX-License-Identifier: Apache-2.0
"""The autoscaler of a TensorFusion workload, and its simulation: include/joulie/autoscale.h, sim.h."""

from __future__ import annotations

import ctypes
import zoneinfo
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, TypedDict, Union

from . import _columns, _native, _table, abi
from ._columns import Column
from ._native import Document
from ._table import Frame, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

INPUT = _native.Bits(abi.AutoscaleHas, abi.AutoscaleInput)
SAMPLE = _native.Bits(abi.AutoscaleSampleHas, abi.AutoscaleSamples)
WORKER = _native.Bits(abi.AutoscaleWorkerHas, abi.AutoscaleWorker)
SIMULATION = _native.Bits(abi.AutoscaleSimHas, abi.AutoscaleSimOptions)
NAMES = list(_columns.kinds_of(abi.AutoscaleSamples))

FindZone = Callable[[str], Optional[bytes]]

NO_ZONE = -1  # any code but 0: there is no such zone
ZONE_FILE_BYTES = 1 << 20


class AutoscaleNumbers(TypedDict, total=False):
    """What is so now; None or left out = unknown. Units: struct joulie_autoscale_input."""

    request_tflops: Optional[float]
    request_vram_bytes: Optional[float]
    limit_tflops: Optional[float]
    limit_vram_bytes: Optional[float]
    gpu_tflops: Optional[float]
    gpu_vram_bytes: Optional[float]
    allowed_tflops: Optional[float]
    allowed_vram_bytes: Optional[float]
    replicas: Optional[int]
    min_replicas: Optional[int]
    max_replicas: Optional[int]


class SampleColumns(TypedDict, total=False):
    """What workers used, a row per sample: struct joulie_autoscale_samples."""

    has: Column
    worker: Column
    at_ms: Column
    tflops: Column
    vram_bytes: Column
    tflops_limit: Column
    throttled_count: Column
    oom_count: Column


class AutoscaleDecision(NamedTuple):
    """One layer's answer for one resource: struct joulie_autoscale_decision."""

    layer: str
    resource: str
    before: float
    after: float
    reason: str


class AutoscaleCondition(NamedTuple):
    """What somebody should know: struct joulie_autoscale_condition."""

    reason: str
    where: str
    message: str


class AutoscaleReplicas(NamedTuple):
    """How many workers, as their layer says. ratio: None = unknown."""

    before: int
    after: int
    desired: int
    ratio: Optional[float]
    reason: str


class AutoscaleStep(NamedTuple):
    """The recommendation of a step: struct joulie_autoscale_output. None = unset or unknown.

    replicas     None: their layer was not evaluated
    next_due_ms  before then no layer is evaluated; None: nobody knows when one will be
    """

    request_tflops: Optional[float]
    request_vram_bytes: Optional[float]
    limit_tflops: Optional[float]
    limit_vram_bytes: Optional[float]
    replicas: Optional[AutoscaleReplicas]
    decisions: tuple[AutoscaleDecision, ...]
    conditions: tuple[AutoscaleCondition, ...]
    next_due_ms: Optional[int]
    dropped_samples: int


def system_zone(name: str) -> Optional[bytes]:
    """The TZif file of a time zone, from the folders of zoneinfo.TZPATH; None: there is none.

    >>> import joulie
    >>> joulie.system_zone("Atlantis/Capital") is None
    True
    """
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return None
    for folder in zoneinfo.TZPATH:
        file = Path(folder, *parts)
        if file.is_file():
            with file.open("rb") as content:
                return content.read(ZONE_FILE_BYTES)
    return None


class Zones:
    """A function of Python as joulie_zone_fn; what it raises is raised after the call."""

    def __init__(self, find_zone: FindZone) -> None:
        self._find_zone = find_zone
        self._bytes: list[bytes] = []  # the library reads them until the call returns
        self._problem: Optional[BaseException] = None
        self.function = abi.joulie_zone_fn(self._call)

    def _call(self, _user: Any, name: bytes, out_bytes: Any, out_len: Any) -> int:
        try:
            found = self._find_zone(_native.text_of(name))
            if found is None:
                return NO_ZONE
            content = bytes(found)
        except BaseException as problem:  # handed on by end()
            self._problem = problem
            return NO_ZONE
        self._bytes.append(content)
        out_bytes[0] = ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p)
        out_len[0] = len(content)
        return 0

    def end(self) -> None:
        """The call is over."""
        problem, self._problem = self._problem, None
        self._bytes.clear()
        if problem is not None:
            raise problem


class Autoscaler(_native.Handle):
    """The autoscaler of one TensorFusion workload: usage in, requests, limits and replicas out.

    profile     a WorkloadProfile or TensorFusionWorkload of tensor-fusion.ai/v1, of any dialect
    model       CURRENT, or V2_17_1: TensorFusion v2.17.1 exactly
    pool        the autoScalingConfig of the pool, which counts where the profile says nothing
    gpu_tflops  FP16 TFLOPS of one GPU, for amounts in percent of a GPU
    find_zone   the TZif file of a time zone that a cron rule names, or None when there is no such
                zone; None: only rules without a zone count

    >>> import joulie
    >>> profile = {
    ...     "apiVersion": "tensor-fusion.ai/v1", "kind": "WorkloadProfile",
    ...     "metadata": {"name": "p", "namespace": "ml"},
    ...     "spec": {"autoScalingConfig": {"autoSetLimits": {"enable": True}},
    ...              "resources": {"requests": {"tflops": "10", "vram": "4Gi"},
    ...                            "limits": {"tflops": "20", "vram": "4Gi"}}}}
    >>> with joulie.Autoscaler(profile) as scaler:
    ...     scaler.put_worker("w-0", created_ms=0)
    ...     for at_ms, tflops in [(100_000, 19.2), (110_000, 19.6), (120_000, 20.0)]:
    ...         scaler.put_sample("w-0", at_ms, tflops=tflops)
    ...     step = scaler.step(120_000)
    >>> step.limit_tflops, step.decisions[0].reason
    (40.0, 'ScaledUp')

    It has no clock and no connection: times are milliseconds since 1970, and whoever steps it
    fetches the samples and applies the answer. One autoscaler belongs to one thread at a time.
    """

    _what = "autoscaler"

    def __init__(
        self,
        profile: Optional[Document] = None,
        *,
        model: abi.AutoscaleModel = abi.AutoscaleModel.CURRENT,
        pool: Optional[Document] = None,
        gpu_tflops: Optional[float] = None,
        find_zone: Optional[FindZone] = system_zone,
    ) -> None:
        self._zones = None if find_zone is None else Zones(find_zone)  # the library calls it
        options = abi.AutoscalerOptions(
            model=model, gpu_tflops=0 if gpu_tflops is None else gpu_tflops
        )
        if self._zones is not None:
            options.find_zone = self._zones.function
        handle = ctypes.c_void_p()
        _native.check(abi.joulie_autoscaler_new, ctypes.byref(options), ctypes.byref(handle))
        self._own(handle, abi.joulie_autoscaler_free)
        if pool is not None:
            self.put_pool(pool)
        if profile is not None:
            self.put_profile(profile)

    def __enter__(self) -> Autoscaler:
        return self

    # --- what is given ---

    def put_profile(self, profile: Document) -> None:
        """Takes the profile or workload; the one before is replaced, what was learnt stays."""
        text = _native.document_bytes(profile)
        self._configure(abi.joulie_autoscaler_put_profile, text, len(text))

    def put_pool(self, pool: Optional[Document]) -> None:
        """Takes the pool's autoScalingConfig; None: there is none any more."""
        self._configure(abi.joulie_autoscaler_put_pool, *_native.optional_document(pool))

    def _configure(self, function: Callable[..., int], text: Optional[bytes], length: int) -> None:
        with self._use() as handle:
            try:
                _native.check(function, handle, text, length)
            finally:
                if self._zones is not None:
                    self._zones.end()

    def put_worker(
        self, name: str, *, created_ms: Optional[int] = None, dedicated: bool = False
    ) -> None:
        """Adds a ready worker, or replaces the one of that name.

        created_ms  None: its first sample counts
        dedicated   it owns its GPU, is never changed and counts for nothing

        As long as nobody was put, those that samples name are the workers.
        """
        worker = abi.AutoscaleWorker(name=_native.c_text(name, "name"), is_dedicated=int(dedicated))
        WORKER.fill(worker, "put_worker()", {"created_ms": created_ms})
        self._check(abi.joulie_autoscaler_put_worker, ctypes.byref(worker))

    def remove_worker(self, name: str) -> None:
        """Takes a worker out of the list; one that is not there is fine."""
        self._tell(abi.joulie_autoscaler_remove_worker, _native.c_text(name, "name"))

    def put_sample(
        self,
        worker: str,
        at_ms: int,
        *,
        tflops: Optional[float] = None,
        vram_bytes: Optional[float] = None,
        tflops_limit: Optional[float] = None,
        throttled_count: Optional[float] = None,
        oom_count: Optional[float] = None,
    ) -> None:
        """Keeps one sample of one worker for the next step; None = unknown."""
        self.put_samples(
            workers=[worker],
            rows=1,
            nan_is_unknown=False,
            at_ms=at_ms,
            tflops=tflops,
            vram_bytes=vram_bytes,
            tflops_limit=tflops_limit,
            throttled_count=throttled_count,
            oom_count=oom_count,
        )

    def put_samples(
        self,
        table: Any = None,
        /,
        *,
        workers: Sequence[str],
        rows: Optional[int] = None,
        nan_is_unknown: bool = True,
        **columns: Unpack[SampleColumns],
    ) -> None:
        """Keeps samples for the next step, a row each, in any order; nothing is converted.

        table           a dict of columns, a pandas.DataFrame or a structured array; columns may be
                        given by name as well. A number stands for all rows
        workers         the names that the column `worker` (int32) counts in; without that column
                        all rows are of the first
        rows            needed when no column tells it
        nan_is_unknown  NaN is an unknown number; a column `has` that is given counts instead.
                        False: as in C, where a sample with a NaN is dropped

        The step drops and counts what is negative, not finite, not after the worker's last sample,
        more than 5 s ahead, or without both tflops and vram_bytes.
        """
        if isinstance(workers, (str, bytes)):
            raise TypeError("workers is a list of names")
        given = _columns.named_columns(table, NAMES, columns)
        names = [_native.c_text(name, "workers") for name in workers]
        samples = abi.AutoscaleSamples(worker_count=len(names))
        samples.workers = (ctypes.c_char_p * len(names))(*names)
        with _columns.Call(rows) as call:
            _columns.fill_inputs(samples, given, call)
            if nan_is_unknown and given.get("has") is None:
                _columns.mask_unknown(samples, given, SAMPLE.names, call)
            self._check(abi.joulie_autoscaler_put_samples, ctypes.byref(samples), call.size())

    def put_external(self, reply: Optional[Document]) -> None:
        """Keeps the reply of an external scaler for the next step; None: there is none.

        A reply that cannot be read is a condition of that step (ExternalScalerFailed).
        """
        self._check(abi.joulie_autoscaler_put_external, *_native.optional_document(reply))

    # --- what comes out ---

    def step(self, now_ms: int, **known: Unpack[AutoscaleNumbers]) -> AutoscaleStep:
        """Takes the samples that wait, evaluates what is due, and says what should be.

        known  what is so now; amounts are those of one worker on one GPU
        """
        given, out = abi.AutoscaleInput(), abi.AutoscaleOutput()
        INPUT.fill(given, "step()", known)  # type: ignore[arg-type]
        with self._use() as handle:
            _native.check(
                abi.joulie_autoscaler_step,
                handle,
                now_ms,
                ctypes.byref(given),
                ctypes.byref(out),
            )
            return _step(handle, out)

    def save(self) -> str:
        """What it has learnt, as opaque JSON: the state of the question "autoscale"."""
        return self._text(abi.joulie_autoscaler_save)

    def restore(self, text: Union[str, bytes]) -> None:
        """Goes on where another one was saved: the same steps give the same answers."""
        state = _native.document_bytes(text)
        self._check(abi.joulie_autoscaler_restore, state, len(state))


def _unless_0(amount: float) -> Optional[float]:
    return amount if amount > 0 else None


def _step(handle: ctypes.c_void_p, out: abi.AutoscaleOutput) -> AutoscaleStep:
    """A copy of what lives until the next step only."""
    replicas = None
    if out.has & abi.AutoscaleOut.REPLICAS:
        replicas = AutoscaleReplicas(
            out.replicas_from,
            out.replicas_to,
            out.replicas_desired,
            out.replicas_ratio if out.has & abi.AutoscaleOut.RATIO else None,
            _native.text_of(out.replicas_reason),
        )
    return AutoscaleStep(
        _unless_0(out.request_tflops),
        _unless_0(out.request_vram_bytes),
        _unless_0(out.limit_tflops),
        _unless_0(out.limit_vram_bytes),
        replicas,
        tuple(_decision(handle, index) for index in range(out.decision_count)),
        tuple(_condition(handle, index) for index in range(out.condition_count)),
        out.next_due_ms if out.has & abi.AutoscaleOut.NEXT_DUE else None,
        out.dropped_samples,
    )


def _decision(handle: ctypes.c_void_p, index: int) -> AutoscaleDecision:
    found = abi.AutoscaleDecision()
    _native.check(abi.joulie_autoscaler_get_decision, handle, index, ctypes.byref(found))
    return AutoscaleDecision(
        _native.text_of(found.layer),
        _native.text_of(found.resource),
        found.before,
        found.after,
        _native.text_of(found.reason),
    )


def _condition(handle: ctypes.c_void_p, index: int) -> AutoscaleCondition:
    found = abi.AutoscaleCondition()
    _native.check(abi.joulie_autoscaler_get_condition, handle, index, ctypes.byref(found))
    return AutoscaleCondition(
        _native.text_of(found.reason), _native.text_of(found.where), _native.text_of(found.message)
    )


# --- the simulation ---

_RUN = ("algorithm", "seed")  # seed: not of a trace


class AutoscaleSimNumbers(TypedDict, total=False):
    """Numbers of a comparison: struct joulie_autoscale_sim_options; None = its default."""

    hours: Optional[float]
    seed: Optional[int]
    seeds: Optional[int]
    cards: Optional[int]
    card_tflops: Optional[float]
    card_vram_bytes: Optional[float]
    start_delay_s: Optional[float]


def simulate_autoscale(
    workload: Optional[str] = None,
    *,
    trace: Union[str, bytes, None] = None,
    profile: Optional[Document] = None,
    source_profile: Optional[Document] = None,
    table: str = "runs",
    **numbers: Unpack[AutoscaleSimNumbers],
) -> Frame:
    """Plays the same demand against three ways to size a workload on shared GPUs.

    workload        "bursty", "diurnal", "ramp" or "step"; None = "bursty"
    trace           recorded usage instead: CSV or JSON lines, see joulie/sim.h
    profile         WorkloadProfile or TensorFusionWorkload; None = every layer with its defaults
    source_profile  for v2.17.1; None = what profile converts to
    table           "runs": one row per seed and algorithm ("static", "v2.17.1", "current");
                    "series": the course of every run, one row per point of time

    Means and differences with their intervals are in attrs["summary"]. The table is a
    pandas.DataFrame where pandas is installed, else a joulie.Table.

    >>> import joulie
    >>> runs = joulie.simulate_autoscale("step", hours=1, seeds=1)
    >>> list(runs["algorithm"])
    ['static', 'v2.17.1', 'current']
    """
    if table not in ("runs", "series"):
        raise ValueError("the tables are: runs, series")
    usage, usage_len = _native.optional_document(trace)
    ours, ours_len = _native.optional_document(profile)
    theirs, theirs_len = _native.optional_document(source_profile)
    options = abi.AutoscaleSimOptions(
        workload=_native.optional_text(workload, "workload"),
        trace=usage,
        trace_len=usage_len,
        profile=ours,
        profile_len=ours_len,
        source_profile=theirs,
        source_profile_len=theirs_len,
        keeps_series=int(table == "series"),
    )
    SIMULATION.fill(options, "simulate_autoscale()", numbers)  # type: ignore[arg-type]
    answer = _native.call_json(abi.joulie_simulate_autoscale, ctypes.byref(options))
    runs, series = answer.pop("runs"), answer.pop("series", [])
    if table == "series":
        columns = _series_columns(series, answer["pointSeconds"])
    else:
        columns = {name: [run[name] for run in runs] for name in runs[0]}
    return _table.best_frame(Table(columns, {"summary": answer}))


def _series_columns(series: list[dict[str, Any]], point_s: float) -> dict[str, list[Any]]:
    """The points of all runs below each other; time in seconds since the start."""
    run_names = [name for name in _RUN if name in series[0]]
    lists = [name for name in series[0] if name not in _RUN]
    columns: dict[str, list[Any]] = {name: [] for name in (*run_names, "timeSeconds", *lists)}
    for run in series:
        count = len(run[lists[0]])
        for name in run_names:
            columns[name] += [run[name]] * count
        columns["timeSeconds"] += [point_s * index for index in range(count)]
        for name in lists:
            columns[name] += run[name]
    return columns
