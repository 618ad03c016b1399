# SPDX-License-Identifier: Apache-2.0
"""The limits layer (docs/rules/autoscaling.md#limits-layer), and what a kill for memory adds to it
(docs/autoscaling.md, "Workers that are killed for memory")."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .amounts import SLACK, Decision, Resource, round_up

BUFFER: dict[Resource, float] = {"tflops": 0.2, "vram": 0.15}
MOST_AFTER_KILLS_BYTES = 1e14


@dataclass(frozen=True)
class LimitsInput:
    """None = unknown; samples None = enough of them."""

    resource: Resource
    current: float
    request: float
    p99: float | None = None
    peak: float | None = None
    forecast: float | None = None
    capacity: float | None = None
    floor: float = 0
    buffer: float | None = None
    ignored: float = 0.05
    step: float = 2
    max_ratio: float = 5
    period_s: float = 10
    samples: int | None = None
    is_throttled: bool = False
    is_oom_killed: bool = False
    is_oom_answered: bool = False


def window_s(period_s: float) -> float:
    return max(60, period_s)


def bounds(ask: LimitsInput) -> tuple[float, float]:
    """Step 3. A request that nobody set bounds nothing."""
    lower = max(ask.request, ask.floor)
    upper = ask.request * ask.max_ratio if ask.request > 0 else math.inf
    if ask.capacity is not None:
        upper = min(upper, ask.capacity)
    return lower, max(lower, upper)


def is_near(ask: LimitsInput, amount: float) -> bool:
    return ask.current > 0 and abs(amount - ask.current) / ask.current <= ask.ignored + SLACK


def is_saturated(ask: LimitsInput, is_killed: bool) -> bool:
    """Step 5. A kill is answered once."""
    if ask.current <= 0:
        return False
    if (ask.peak or 0) >= 0.95 * ask.current:
        return True
    if is_killed:
        return not ask.is_oom_answered and ask.current * ask.step <= MOST_AFTER_KILLS_BYTES
    return ask.resource == "tflops" and ask.is_throttled


def limits(ask: LimitsInput) -> Decision:
    lower, upper = bounds(ask)
    current = ask.current
    was_at_upper = current >= upper * (1 - SLACK)
    is_killed = ask.resource == "vram" and ask.is_oom_killed and current > 0
    enough = max(1, min(3, math.floor(window_s(ask.period_s) / ask.period_s)))
    if ask.samples is not None and ask.samples < enough and not is_killed:
        return Decision(current, "LowConfidence", True, is_at_upper=was_at_upper)

    buffer = BUFFER[ask.resource] if ask.buffer is None else ask.buffer
    target = max(ask.p99 or 0, ask.peak or 0, ask.forecast or 0) * (1 + buffer)
    if is_near(ask, target) and not is_killed:
        return Decision(current, "WithinIgnoredRange", True, is_at_upper=was_at_upper)

    new, reason = target, "ScaledUp"
    if target < current and not is_killed:
        reason = "ScaledDown"
    elif is_killed or is_saturated(ask, is_killed):
        probed = current * ask.step if is_saturated(ask, is_killed) else current
        new = max(target, probed)
    bounded = min(max(new, lower), upper)
    new = round_up(bounded, ask.resource)

    is_at_upper = max(bounded, new) >= upper
    if is_near(ask, new) or (is_killed and bounded <= current):
        if is_at_upper:
            reason = "AtMaximum"
        elif min(bounded, new) <= lower:
            reason = "AtMinimum"
        else:
            reason = "WithinIgnoredRange"
        return Decision(current, reason, True, is_at_upper=is_at_upper or was_at_upper)
    return Decision(new, reason, is_at_upper=is_at_upper)
