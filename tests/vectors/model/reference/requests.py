# SPDX-License-Identifier: Apache-2.0
"""The requests layer (docs/rules/autoscaling.md#requests-layer)."""

from __future__ import annotations

from dataclasses import dataclass

from .amounts import GIB, SLACK, Decision, Resource, round_up

LEAST: dict[Resource, float] = {"tflops": 1, "vram": GIB}
OF_ORIGINAL: dict[Resource, tuple[float, float]] = {"tflops": (0.1, 10), "vram": (0.2, 5)}


@dataclass(frozen=True)
class Percentiles:
    """Of the histogram, without buffer and confidence."""

    lower: float
    target: float
    upper: float


@dataclass(frozen=True)
class RequestsInput:
    """None = unknown."""

    resource: Resource
    current: float
    original: float
    confidence_days: float
    percentiles: Percentiles | None
    multiplier: float = 1.1
    forecast: float | None = None
    max_allowed: float | None = None
    used: float | None = None
    limit: float | None = None
    has_limits_layer: bool = False


def fractions(percentile: float) -> tuple[float, float, float]:
    """Which percentiles are the lower bound, the target and the upper bound (step 2)."""
    return max(0.5, percentile - 0.4), percentile, min(0.99, percentile + 0.05)


def requests(ask: RequestsInput) -> Decision:
    current, c, k = ask.current, ask.confidence_days, ask.multiplier
    if c == 0 or ask.percentiles is None:
        return Decision(current, "LowConfidence", True)

    target = ask.percentiles.target * k
    lower = ask.percentiles.lower * k * (1 + 0.001 / c) ** -2
    upper = ask.percentiles.upper * k * (1 + 1 / c)
    if ask.forecast is not None:
        target = max(target, ask.forecast * k)
    if lower * (1 - SLACK) <= current <= upper * (1 + SLACK):
        return Decision(current, "WithinBounds", True)

    new = bounded(ask, target)
    if new > current and ask.max_allowed is not None:
        new = min(new, max(ask.max_allowed, current))
    new = round_up(new, ask.resource)
    if ask.resource == "vram" and ask.used is not None:
        new = max(new, round_up(ask.used, "vram"))
    return Decision(new, "Updated", limit=coupled_limit(ask, new))


def bounded(ask: RequestsInput, target: float) -> float:
    """Step 4."""
    least, original = LEAST[ask.resource], ask.original
    if original <= 0:
        return max(target, least)
    lowest, highest = OF_ORIGINAL[ask.resource]
    new = max(target, min(least, original))
    return min(max(new, lowest * original), highest * original)


def coupled_limit(ask: RequestsInput, new: float) -> float | None:
    """Step 7."""
    if ask.limit is None:
        return None
    if not ask.has_limits_layer and ask.current > 0 and ask.limit > 0:
        return round_up(ask.limit * new / ask.current, ask.resource)
    return max(ask.limit, new)
