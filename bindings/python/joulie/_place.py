# SPDX-License-Identifier: Apache-2.0
"""Filter and score over columns of nodes: include/joulie/place.h."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypedDict

from . import _columns, _native, abi
from ._columns import Column, Columns, Wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

WORK = _native.Bits(abi.WorkHas, abi.Work)
CONFIG = _native.Bits(abi.PlaceConfigHas, abi.PlaceConfig)
NAMES = list(_columns.kinds_of(abi.PlaceColumns))
BITS = _native.match_bits(abi.PlaceHas, NAMES)


class Work(NamedTuple):
    """What wants to run: struct joulie_work. None = not asked for."""

    cpu_cores: Optional[float] = None
    memory_bytes: Optional[float] = None
    gpu_count: Optional[float] = None
    workload_class: abi.WorkloadClass = abi.WorkloadClass.UNKNOWN
    gpu_vendor: abi.GpuVendor = abi.GpuVendor.UNKNOWN
    cpu_sensitivity: abi.Level = abi.Level.UNKNOWN
    gpu_sensitivity: abi.Level = abi.Level.UNKNOWN
    gpu_util: Optional[float] = None
    gpu_bound: abi.Bound = abi.Bound.UNKNOWN


class PlaceSettings(TypedDict, total=False):
    """Settings that differ from the defaults: struct joulie_place_config."""

    fail_policy: abi.FailPolicy
    score_range: int
    is_marginal_scoring: bool
    staleness_ms: int
    max_age_ms: int
    stale_grace_ms: int
    heartbeat_ms: int
    spread: abi.Spread
    headroom_weight: float
    cooling_weight: float
    pressure_weight: float
    eco_points: float
    trend_max_points: float
    steady_w_per_point: float
    burst_w_per_point: float
    burst_w_per_min: float
    unknown_score: float
    cpu_cap_points: float
    gpu_cap_points: float
    cap_points_max: float
    max_projected_pct: float
    cpu_util_coeff: float
    gpu_util_coeff_standard: float
    gpu_util_coeff_performance: float
    time_w_per_core: float
    idle_weight: float
    psu_weight: float


class NodeColumns(TypedDict, total=False):
    """What is known of the nodes: struct joulie_place_columns."""

    has: Column
    node_class: Column
    label: Column
    updated_ms: Column
    headroom_score: Column
    cooling_stress_score: Column
    psu_stress_score: Column
    capped_w: Column
    measured_w: Column
    trend_w_per_min: Column
    cpu_cap_pct: Column
    gpu_cap_pct: Column
    pue: Column
    cpu_cores: Column
    cpu_max_w: Column
    gpu_count: Column
    gpu_max_w: Column
    cpu_idle_w: Column
    cpu_slope_w: Column
    cpu_step_w: Column
    cpu_speed: Column
    gpu_idle_w: Column
    gpu_speed: Column
    allocatable_cores: Column
    requested_cores: Column
    requested_gpus: Column
    work_count: Column


def work_struct(work: Work) -> abi.Work:
    """What wants to run, as the library has it."""
    numbers = {name: value for name, value in work._asdict().items() if name in WORK.names}
    choices = {name: value for name, value in work._asdict().items() if name not in WORK.names}
    found = abi.Work(**choices)
    WORK.fill(found, "Work", numbers)
    return found


def config_struct(rules: abi.PlaceRules, settings: Optional[PlaceSettings]) -> abi.PlaceConfig:
    """The defaults of a rule set with some settings changed."""
    config = abi.PlaceConfig()
    _native.check_bare(abi.joulie_place_config_init, ctypes.byref(config), rules)
    for name, value in (settings or {}).items():
        if name not in PlaceSettings.__annotations__:
            raise TypeError(f"there is no setting {name!r}")
        setattr(config, name, value)
        config.has |= CONFIG.names.get(name, 0)
    return config


def place_nodes(
    table: Any = None,
    /,
    *,
    work: Work,
    now_ms: int,
    rules: abi.PlaceRules = abi.PlaceRules.CURRENT,
    settings: Optional[PlaceSettings] = None,
    rows: Optional[int] = None,
    out: Wanted = None,
    nan_is_unknown: bool = True,
    **columns: Unpack[NodeColumns],
) -> Columns:
    """Filters and scores nodes for one piece of work; returns the columns of the answer.

    table           a dict of columns, a pandas.DataFrame or a structured array; columns may be
                    given by name as well. A number stands for all rows
    work            what wants to run
    now_ms          milliseconds since 1970
    settings        what differs from the defaults of the rules
    rows            needed when no column tells it
    out             names of the answers that are wanted, or a dict of arrays to write them to;
                    None = new arrays for all of them
    nan_is_unknown  NaN is an unknown number; a column `has` that is given counts instead. False: as
                    in C, where `has` alone says what is known

    >>> import joulie
    >>> from array import array
    >>> answer = joulie.place_nodes(
    ...     work=joulie.Work(cpu_cores=8), now_ms=0, out=["reject", "score"], updated_ms=0,
    ...     headroom_score=array("d", [80, 20]), cooling_stress_score=30.0, capped_w=1000.0)
    >>> [int(reject) for reject in answer["reject"]], bool(answer["score"][0] > answer["score"][1])
    ([0, 0], True)
    """
    given = _columns.named_columns(table, NAMES, columns)
    config, wanted = config_struct(rules, settings), work_struct(work)
    with _columns.Call(rows) as call:
        nodes, answers = abi.PlaceColumns(), abi.PlaceColumnsOut()
        _columns.fill_inputs(nodes, given, call)
        if nan_is_unknown and given.get("has") is None:
            _columns.mask_unknown(nodes, given, BITS, call)
        found = _columns.fill_outputs(answers, out, call)
        _native.check(
            abi.joulie_place_nodes,
            ctypes.byref(config),
            ctypes.byref(wanted),
            ctypes.byref(nodes),
            call.size(),
            now_ms,
            ctypes.byref(answers),
            None,  # the answer code tells more
        )
    return found


def reject_text(reject: int) -> Optional[str]:
    """A reason as the extender says it; None = there is none."""
    text = abi.joulie_place_reject_text(reject)
    return None if text is None else text.decode()
