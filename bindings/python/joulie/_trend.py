# SPDX-License-Identifier: Apache-2.0
"""How fast the power of a node changes: joulie_twin_trend() of include/joulie/twin.h."""

from __future__ import annotations

import ctypes
from typing import NamedTuple, Optional

from . import _columns, _native, abi
from ._columns import Column

INPUT = _native.Bits(abi.TwinTrendHas, abi.TwinTrendInput)
OUTPUT = _native.Bits(abi.TwinTrendOut, abi.TwinTrendOutput)
BITS = {"power_w": abi.JOULIE_TWIN_TREND_SAMPLE_POWER}


class Trend(NamedTuple):
    """The change of a node's power: struct joulie_twin_trend_output. None = unknown."""

    trend_w_per_min: Optional[float]
    sample_count: int


def trend(
    at_ms: Column,
    power_w: Column,
    *,
    known: Column = None,
    end_ms: Optional[int] = None,
    rules: abi.TwinRules = abi.TwinRules.CURRENT,
    rows: Optional[int] = None,
) -> Trend:
    """Tells how fast a node's power changes, over the five minutes before end_ms.

    at_ms     when each sample was taken, milliseconds since 1970, in any order
    power_w  watts; NaN = the read failed
    known    masks that say which reads failed, instead of NaN
    end_ms   end of the window; None = the newest sample
    rows     needed when no column tells it

    >>> import joulie
    >>> from array import array
    >>> joulie.trend(array("q", [0, 60_000, 120_000]), array("d", [1000, 1100, 1200]))
    Trend(trend_w_per_min=100.0, sample_count=3)
    """
    given = {"at_ms": at_ms, "power_w": power_w, "known": known}
    samples, out = abi.TwinTrendInput(rules=rules), abi.TwinTrendOutput()
    INPUT.fill(samples, "trend()", {"end_ms": end_ms})
    with _columns.Call(rows) as call:
        _columns.fill_inputs(samples, given, call)
        if known is None:
            _columns.mask_unknown(samples, given, BITS, call, mask_name="known")
        _native.check(abi.joulie_twin_trend, ctypes.byref(samples), call.size(), ctypes.byref(out))
    return Trend(OUTPUT.known(out).get("trend_w_per_min"), out.sample_count)
