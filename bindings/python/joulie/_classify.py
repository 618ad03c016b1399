# SPDX-License-Identifier: Apache-2.0
"""What kind of work something does, over plain numbers: include/joulie/classify.h."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypedDict

from . import _native, abi

if TYPE_CHECKING:
    from typing_extensions import Unpack

INPUT = _native.Bits(abi.ClassifyHas, abi.ClassifyInput)
OUTPUT = _native.Bits(abi.ClassifyOut, abi.ClassifyOutput)
KINDS = _native.member_kinds(abi.ClassifyOutput)


class ClassifyTexts(TypedDict, total=False):
    """What the owner of the work says, as written; None or left out = nothing."""

    workload_class: Optional[str]
    reschedulable: Optional[str]
    cpu_sensitivity: Optional[str]
    gpu_sensitivity: Optional[str]
    sim_cpu_util_pct: Optional[str]
    sim_gpu_util_pct: Optional[str]
    sim_mem_pressure_pct: Optional[str]


class ClassifyKnown(ClassifyTexts, total=False):
    """The same with one window of measurements; None or left out = unknown. Units: classify.h."""

    cpu_util_pct: Optional[float]
    gpu_util_pct: Optional[float]
    mem_pressure_pct: Optional[float]
    gpu_mem_util_pct: Optional[float]
    cpu_energy_j: Optional[float]
    dram_energy_j: Optional[float]
    gpu_energy_j: Optional[float]
    kepler_used: Optional[bool]
    window_s: Optional[float]
    coverage_frac: Optional[float]
    usage_cores: Optional[float]
    request_cores: Optional[float]
    limit_cores: Optional[float]
    node_cores: Optional[float]
    working_set_bytes: Optional[float]
    limit_bytes: Optional[float]
    kepler_package_w: Optional[float]
    kepler_dram_w: Optional[float]
    kepler_gpu_w: Optional[float]
    gpu_max_w: Optional[float]
    gpu_count: Optional[float]
    cpu_bound_ratio: Optional[float]
    mem_bound_ratio: Optional[float]
    gpu_dominant: Optional[bool]
    min_confidence: Optional[float]
    hysteresis_pct: Optional[float]


class Classification(NamedTuple):
    """The classification of a piece of work: struct joulie_classify_output. None = unknown."""

    confidence: float
    workload_class: abi.WorkloadClass = abi.WorkloadClass.UNKNOWN
    reschedulable: Optional[bool] = None
    cpu_intensity: abi.Level = abi.Level.UNKNOWN
    cpu_bound: abi.Bound = abi.Bound.UNKNOWN
    cpu_sensitivity: abi.Level = abi.Level.UNKNOWN
    gpu_intensity: abi.Level = abi.Level.UNKNOWN
    gpu_bound: abi.Bound = abi.Bound.UNKNOWN
    gpu_sensitivity: abi.Level = abi.Level.UNKNOWN
    cpu_util_pct: Optional[float] = None
    gpu_util_pct: Optional[float] = None
    reason: str = ""
    flags: int = 0  # JOULIE_CLASSIFY_… of joulie.abi

    @property
    def is_reliable(self) -> bool:
        """Whether the confidence is at least min_confidence."""
        return bool(self.flags & abi.JOULIE_CLASSIFY_RELIABLE)


def _fill_previous(given: abi.ClassifyInput, previous: Classification) -> None:
    INPUT.fill(given, "classify()", {"previous_confidence": previous.confidence})
    for part in ("cpu", "gpu"):
        for what in ("intensity", "bound", "sensitivity"):
            name = f"{part}_{what}"
            setattr(given, f"previous_{name}", getattr(previous, name))


def classify(
    *,
    rules: abi.ClassifyRules = abi.ClassifyRules.CURRENT,
    derive_class: bool = False,
    use_sim_texts: bool = False,
    measured: bool = False,
    previous: Optional[Classification] = None,
    **known: Unpack[ClassifyKnown],
) -> Classification:
    """Classifies one piece of work from what its owner says and from one window of measurements.

    derive_class   measurements decide the class where the owner says none
    use_sim_texts  the texts sim_… stand in for measurements that are missing
    measured       a window was looked at, even if it holds nothing
    previous       the earlier result, which small changes do not overturn

    >>> import joulie
    >>> work = joulie.classify(cpu_util_pct=90, gpu_util_pct=0, mem_pressure_pct=20)
    >>> work.cpu_intensity.name, work.cpu_bound.name, work.gpu_bound.name, work.confidence
    ('HIGH', 'COMPUTE', 'NONE', 0.5)
    """
    values: dict[str, Any] = dict(known)
    texts = {name: values.pop(name, None) for name in ClassifyTexts.__annotations__}
    given = abi.ClassifyInput(rules=rules, derive_class=derive_class, use_sim_texts=use_sim_texts)
    for name, text in texts.items():
        setattr(given, name, _native.optional_text(text, name))
    if measured:
        given.has = abi.ClassifyHas.METRICS
    INPUT.fill(given, "classify()", values)
    if previous is not None:
        _fill_previous(given, previous)
    reason = ctypes.create_string_buffer(abi.JOULIE_CLASSIFY_REASON_BYTES)
    out = abi.ClassifyOutput(reason=ctypes.addressof(reason), reason_size=len(reason))
    _native.check(abi.joulie_classify, ctypes.byref(given), ctypes.byref(out))
    return _classification(out, reason.raw[: out.reason_len].decode(errors="replace"))


def _classification(out: abi.ClassifyOutput, reason: str) -> Classification:
    known = OUTPUT.known(out)
    fields: dict[str, Any] = {
        name: known.get(name) if name in OUTPUT.names else KINDS[name](getattr(out, name))
        for name in Classification._fields
    }
    if fields["reschedulable"] is not None:
        fields["reschedulable"] = bool(fields["reschedulable"])
    fields["reason"] = reason
    return Classification(**fields)
