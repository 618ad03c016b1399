# SPDX-License-Identifier: Apache-2.0
"""What caps cost in speed: joulie_slowdown_predict() of include/joulie/twin.h."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypedDict

from . import _native, abi

if TYPE_CHECKING:
    from typing_extensions import Unpack

INPUT = _native.Bits(abi.SlowdownHas, abi.SlowdownInput)
OUTPUT = _native.Bits(abi.SlowdownOut, abi.SlowdownOutput)
KINDS = _native.member_kinds(abi.SlowdownOutput)


class SlowdownNumbers(TypedDict, total=False):
    """Work and its caps; None or left out = unknown. Units: struct joulie_slowdown_input."""

    memory_intensity: Optional[float]
    io_intensity: Optional[float]
    feed_intensity: Optional[float]
    cpu_freq_frac: Optional[float]
    cpu_cap_w: Optional[float]
    cpu_cap_pct: Optional[float]
    cpu_max_w: Optional[float]
    cpu_idle_w: Optional[float]
    cpu_util_frac: Optional[float]
    cpu_min_freq_frac: Optional[float]
    cpu_knee_frac: Optional[float]
    cpu_thermal_frac: Optional[float]
    gpu_cap_w: Optional[float]
    gpu_cap_pct: Optional[float]
    gpu_max_w: Optional[float]
    gpu_idle_w: Optional[float]
    gpu_util_frac: Optional[float]
    gpu_thermal_frac: Optional[float]
    gpu_compute_gamma: Optional[float]
    gpu_memory_epsilon: Optional[float]
    gpu_memory_gamma: Optional[float]


class Slowdown(NamedTuple):
    """What the caps cost: struct joulie_slowdown_output. None = unknown."""

    cpu_freq_frac: Optional[float]
    cpu_power_w: Optional[float]
    cpu_throughput: Optional[float]
    cpu_slowdown: Optional[float]
    gpu_natural_w: Optional[float]
    gpu_power_w: Optional[float]
    gpu_throughput: Optional[float]
    gpu_slowdown: Optional[float]
    cpu_provenance: abi.Provenance
    gpu_provenance: abi.Provenance


def slowdown(
    *,
    cpu_bound: abi.Bound = abi.Bound.UNKNOWN,
    gpu_bound: abi.Bound = abi.Bound.UNKNOWN,
    **known: Unpack[SlowdownNumbers],
) -> Slowdown:
    """Predicts what caps cost a piece of work in speed.

    cpu_bound  what limits the work on CPUs; UNKNOWN: a mixture
    gpu_bound  the same on GPUs

    >>> import joulie
    >>> work = joulie.slowdown(cpu_bound=joulie.Bound.COMPUTE, cpu_freq_frac=0.6)
    >>> round(work.cpu_throughput, 6), work.gpu_throughput
    (0.643419, None)
    """
    given, out = abi.SlowdownInput(cpu_bound=cpu_bound, gpu_bound=gpu_bound), abi.SlowdownOutput()
    INPUT.fill(given, "slowdown()", known)  # type: ignore[arg-type]
    _native.check(abi.joulie_slowdown_predict, ctypes.byref(given), ctypes.byref(out))
    found = OUTPUT.known(out)
    fields: dict[str, Any] = {
        name: found.get(name) if name in OUTPUT.names else KINDS[name](getattr(out, name))
        for name in Slowdown._fields
    }
    return Slowdown(**fields)
