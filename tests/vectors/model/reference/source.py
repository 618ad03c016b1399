# SPDX-License-Identifier: Apache-2.0
"""The percentile recommender of v2.17.1 (docs/rules/autoscaling-source.md#percentile-recommender)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .amounts import GIB, RESOURCES, Amounts, Pair, Resource

LEAST: dict[Resource, float] = {"tflops": 1, "vram": GIB}
OF_ORIGINAL: dict[Resource, tuple[float, float]] = {"tflops": (0.1, 10), "vram": (0.2, 5)}
LARGEST = 1e14
UPDATE_THRESHOLD = 0.1
REQUEST_OF_QOS = {"critical": "upper", "high": "target"}

Estimates = dict[str, int]


@dataclass(frozen=True)
class SourceInput:
    """percentiles: lower, target and upper of each resource."""

    percentiles: dict[Resource, dict[str, float]]
    original: Amounts
    current: Amounts
    qos: str = ""
    margin: float = 0.15
    max_allowed: dict[Resource, float] | None = None
    age_s: float = math.inf
    initial_delay_s: float = 1800


@dataclass(frozen=True)
class SourceAnswer:
    reason: str
    estimates: dict[Resource, Estimates] | None = None
    amounts: Amounts | None = None


def estimate(value: float, margin: float) -> int:
    base = min(max(value, 0), LARGEST)
    return math.trunc(base + base * margin)


def within(value: float, original: float, resource: Resource) -> float:
    """Step 5. A bound of 0 is skipped."""
    lowest, highest = (original * ratio for ratio in OF_ORIGINAL[resource])
    if lowest > 0 and value < lowest:
        return math.trunc(lowest)
    if highest > 0 and value > highest:
        return math.trunc(highest)
    return value


def candidate(ask: SourceInput, resource: Resource, estimates: Estimates) -> Pair:
    """Steps 3 to 7."""
    original, current = ask.original.of(resource), ask.current.of(resource)
    request = max(estimates[REQUEST_OF_QOS.get(ask.qos, "lower")], LEAST[resource])
    limit = max(estimates["upper"], LEAST[resource])
    request = within(request, original.request, resource)
    limit = within(limit, original.limit, resource)
    if resource == "tflops":
        limit = max(limit, math.trunc(original.limit))
    if request == math.ceil(current.request) and limit == math.ceil(current.limit):
        return current
    return Pair(request, limit)


def is_past_threshold(new: Pair, current: Pair) -> bool:
    """Step 8. Limits are not compared."""
    before, after = math.ceil(current.request), math.ceil(new.request)
    if before <= 0 or after <= 0:
        return False
    return abs(after - before) > math.trunc(before * UPDATE_THRESHOLD)


def source_percentile(ask: SourceInput) -> SourceAnswer:
    if ask.age_s < ask.initial_delay_s:
        return SourceAnswer("LowConfidence")
    estimates: dict[Resource, Estimates] = {
        resource: {name: estimate(value, ask.margin) for name, value in named.items()}
        for resource, named in ask.percentiles.items()
    }
    found = {resource: candidate(ask, resource, estimates[resource]) for resource in RESOURCES}
    if not any(is_past_threshold(found[name], ask.current.of(name)) for name in RESOURCES):
        return SourceAnswer("InsideUpdateThreshold", estimates)
    for resource, pair in found.items():
        if ask.max_allowed is not None and pair.request > ask.current.of(resource).request:
            found[resource] = Pair(min(pair.request, ask.max_allowed[resource]), pair.limit)
    return SourceAnswer("Updated", estimates, Amounts(found["tflops"], found["vram"]))
