# SPDX-License-Identifier: Apache-2.0
"""The digital twin of a node over plain numbers: include/joulie/twin.h."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, TypedDict

from . import _columns, _native, abi
from ._columns import Column, Columns, Wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

INPUT = _native.Bits(abi.TwinHas, abi.TwinInput)
OUTPUT = _native.Bits(abi.TwinOut, abi.TwinOutput)

NAMES = list(_columns.kinds_of(abi.TwinColumns))
KINDS = _native.member_kinds(abi.TwinOutput)

Cooling = Callable[[float, float], float]


if TYPE_CHECKING:
    TwinNumbers = abi.TwinInputNumbers
    TwinColumns = abi.TwinColumnsGiven
else:
    TwinNumbers = TypedDict(
        "TwinNumbers", dict.fromkeys(INPUT.names, Optional[float]), total=False
    )
    TwinNumbers.__doc__ = (
        "What may be known of a node; None or left out = unknown. Units: struct joulie_twin_input."
    )
    TwinColumns = TypedDict("TwinColumns", dict.fromkeys(NAMES, Column), total=False)
    TwinColumns.__doc__ = "What may be known of many nodes: struct joulie_twin_columns."


class Prediction(NamedTuple):
    """The prediction of a node: struct joulie_twin_output. None = unknown."""

    power_headroom_score: Optional[float]
    cooling_stress_score: Optional[float]
    psu_stress_score: Optional[float]
    hardware_density_score: Optional[float]
    estimated_pue: Optional[float]
    node_power_w: Optional[float]
    cpu_tdp_w: Optional[float]
    gpu_tdp_w: Optional[float]
    node_tdp_w: Optional[float]
    cpu_capped_w: Optional[float]
    gpu_capped_w: Optional[float]
    node_capped_w: Optional[float]
    cpu_effective_pct: float
    gpu_effective_pct: float
    power_tier: abi.PowerTier
    cooling_model: abi.Cooling
    cpu_cap_state: abi.CapState
    gpu_cap_state: abi.CapState
    cpu_tdp_provenance: abi.Provenance
    gpu_tdp_provenance: abi.Provenance
    estimate_provenance: abi.Provenance
    outside_temp_provenance: abi.Provenance
    cooling_reference_provenance: abi.Provenance
    psu_supply: abi.Supply
    psu_capacity_provenance: abi.Provenance
    density_provenance: abi.Provenance


class _CustomCooling:
    """A function of Python as joulie_cooling_fn; what it raises is raised after the call."""

    def __init__(self, cooling: Cooling) -> None:
        self._cooling = cooling
        self.problem: Optional[BaseException] = None
        self.function = abi.joulie_cooling_fn(self._call)

    def _call(self, _user: Any, node_power_w: float, outside_temp_c: float) -> float:
        try:
            return float(self._cooling(node_power_w, outside_temp_c))
        except BaseException as problem:  # handed on by raise_problem()
            self.problem = problem
            return float("nan")

    def raise_problem(self) -> None:
        if self.problem is not None:
            raise self.problem


def predict(
    *,
    rules: abi.TwinRules = abi.TwinRules.CURRENT,
    cooling_model: abi.Cooling = abi.Cooling.UNKNOWN,
    cpu_feedback: abi.CapFeedback = abi.CapFeedback.UNKNOWN,
    gpu_feedback: abi.CapFeedback = abi.CapFeedback.UNKNOWN,
    cooling: Optional[Cooling] = None,
    **known: Unpack[TwinNumbers],
) -> Prediction:
    """Predicts power headroom, cooling stress and PSU stress of one node.

    >>> import joulie
    >>> node = joulie.predict(cpu_sockets=2, cpu_max_w=350, measured_node_power_w=420)
    >>> node.power_headroom_score, node.psu_stress_score, node.power_tier.name
    (40.0, None, 'MEASURED')

    cooling  cooling stress as a function of node power (W) and outside temperature (°C)
    """
    given = abi.TwinInput(
        rules=rules,
        cooling_model=cooling_model,
        cpu_feedback=cpu_feedback,
        gpu_feedback=gpu_feedback,
    )
    INPUT.fill(given, "predict()", known)  # type: ignore[arg-type]
    custom = None
    if cooling is not None:
        custom = _CustomCooling(cooling)
        given.cooling = custom.function
        given.cooling_model = abi.Cooling.CUSTOM
    out = abi.TwinOutput()
    try:
        _native.check(abi.joulie_twin_predict, ctypes.byref(given), ctypes.byref(out))
    finally:
        if custom is not None:
            custom.raise_problem()
    return _prediction(out)


def _prediction(out: abi.TwinOutput) -> Prediction:
    known = OUTPUT.known(out)
    fields: dict[str, Any] = {
        name: known.get(name) if name in OUTPUT.names else KINDS[name](getattr(out, name))
        for name in Prediction._fields
    }
    return Prediction(**fields)


def predict_columns(
    table: Any = None,
    /,
    *,
    rules: abi.TwinRules = abi.TwinRules.CURRENT,
    cooling_model: abi.Cooling = abi.Cooling.UNKNOWN,
    cooling: Optional[Cooling] = None,
    rows: Optional[int] = None,
    out: Wanted = None,
    nan_is_unknown: bool = True,
    **columns: Unpack[TwinColumns],
) -> Columns:
    """Predicts many nodes, a row each, with the numbers of predict() bit for bit.

    table           a dict of columns, a pandas.DataFrame or a structured array; columns may be
                    given by name as well. A number stands for all rows
    cooling         cooling stress as a function of node power (W) and outside temperature (°C)
    rows            needed when no column tells it
    out             names of the answers that are wanted, or a dict of arrays to write them to;
                    None = new arrays for all of them
    nan_is_unknown  NaN is an unknown number, in columns and in answers; a column `has` that is
                    given counts instead. False: as in C, where `has` alone says what is known, and
                    numbers that are unknown are 0

    The answer `code` says which rows could not be predicted, and why (joulie.abi.Code).

    >>> import joulie
    >>> from array import array
    >>> power = array("d", [420, 70, float("nan")])
    >>> found = joulie.predict_columns(cpu_sockets=2, cpu_max_w=350, measured_node_power_w=power)
    >>> [float(score) for score in found["power_headroom_score"]][:2]
    [40.0, 90.0]
    """
    given = _columns.named_columns(table, NAMES, columns)
    inputs = abi.TwinColumns(rules=rules, cooling_model=cooling_model)
    outputs = abi.TwinColumnsOut()
    custom = _CustomCooling(cooling) if cooling is not None else None
    if custom is not None:
        inputs.cooling = custom.function
        inputs.cooling_model = abi.Cooling.CUSTOM
    with _columns.Call(rows) as call:
        _columns.fill_inputs(inputs, given, call)
        if nan_is_unknown and given.get("has") is None:
            _columns.mask_unknown(inputs, given, INPUT.names, call)
        found = _columns.fill_outputs(outputs, out, call)
        known = found.get("has")
        if nan_is_unknown and known is None:
            known = _columns.fill_output(outputs, "has", call)
        try:
            _native.check(
                abi.joulie_twin_predict_columns,
                ctypes.byref(inputs),
                call.size(),
                ctypes.byref(outputs),
                None,  # the answer code tells more
            )
        finally:
            if custom is not None:
                custom.raise_problem()
    if nan_is_unknown:
        _columns.write_nan(found, known, OUTPUT.names)
    return found
