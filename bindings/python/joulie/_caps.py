# SPDX-License-Identifier: Apache-2.0
"""The power limits of the devices of a node: include/joulie/caps.h."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional, TypedDict

from . import _columns, _native, abi
from ._columns import Column, Columns, Wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

INTENT = _native.Bits(abi.CapsHas, abi.CapsIntent)
NAMES = list(_columns.kinds_of(abi.CapsLimits))


class CapsLimits(TypedDict, total=False):
    """What the devices can do, in watts; 0 = unknown: struct joulie_caps_limits."""

    min_w: Column
    max_w: Column
    unit_w: Column


def caps_resolve(
    table: Any = None,
    /,
    *,
    device: abi.CapDevice,
    cap_w: Optional[float] = None,
    cap_pct: Optional[float] = None,
    floor_pct: Optional[float] = None,
    rules: abi.CapsRules = abi.CapsRules.CURRENT,
    rows: Optional[int] = None,
    out: Wanted = None,
    **columns: Unpack[CapsLimits],
) -> Columns:
    """Resolves the caps of the devices of one node, a row each; returns the columns of the answer.

    table      a dict of columns, a pandas.DataFrame or a structured array; columns may be given by
               name as well. A number stands for all rows
    device     what they are
    cap_w      watts asked for, of each device; wins over percent
    cap_pct    the same in percent of each maximum
    floor_pct  lowest cap of a package in percent of its maximum; None = 30
    rows       needed when no column tells it
    out        names of the answers that are wanted, or a dict of arrays to write them to; None =
               new arrays for all of them

    Where `block` is not NONE (joulie.CapBlock) there is no cap, and `cap_w` is 0. Limits that are
    NaN or negative are no limits: `code` says so (joulie.abi.Code).

    >>> import joulie
    >>> from array import array
    >>> found = joulie.caps_resolve(
    ...     device=joulie.CapDevice.PACKAGE, cap_pct=60, max_w=array("d", [270, 225]))
    >>> [float(cap) for cap in found["cap_w"]], [int(limit) for limit in found["limit_uw"]]
    ([162.0, 135.0], [162000000, 135000000])
    """
    given = _columns.named_columns(table, NAMES, columns)
    intent = abi.CapsIntent(device=device, rules=rules)
    INTENT.fill(intent, "caps_resolve()", {"cap_w": cap_w, "cap_pct": cap_pct, "floor_pct": floor_pct})
    limits, answers = abi.CapsLimits(), abi.CapsOut()
    with _columns.Call(rows) as call:
        _columns.fill_inputs(limits, given, call)
        found = _columns.fill_outputs(answers, out, call)
        _native.check(
            abi.joulie_caps_resolve,
            ctypes.byref(intent),
            ctypes.byref(limits),
            call.size(),
            ctypes.byref(answers),
            None,  # the answer code tells more
        )
    return found


def caps_next_w(
    target_w: Optional[float],
    *,
    current_w: Optional[float] = None,
    reference_w: Optional[float] = None,
) -> Optional[float]:
    """The next limit on the way to a target: raising at once, lowering in steps. None = unknown.

    reference_w  the device's maximum; unknown: the target is next
    current_w    the limit that is set now

    Call it every 5 seconds until it returns the target.

    >>> import joulie
    >>> joulie.caps_next_w(90, current_w=205, reference_w=205)
    164.0
    """
    next_w: float = abi.joulie_caps_next_w(
        0.0 if reference_w is None else reference_w,
        _columns.NAN if current_w is None else current_w,
        _columns.NAN if target_w is None else target_w,
    )
    return next_w if next_w == next_w else None
