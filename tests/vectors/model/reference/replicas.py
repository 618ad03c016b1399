# SPDX-License-Identifier: Apache-2.0
"""The replicas layer with its cool-downs (docs/rules/autoscaling.md#replicas-layer). Times are seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .amounts import SLACK, whole_down, whole_up

TOLERANCE = 0.1
SATURATED = 0.98
HIGHEST_TARGET = 0.99


@dataclass(frozen=True)
class Step:
    """A fraction of the replicas, or so many pods."""

    amount: float
    is_pods: bool = False

    def growth(self, n: int) -> int:
        return int(self.amount) if self.is_pods else max(1, whole_up(n * self.amount))

    def reduction(self, n: int) -> int:
        return int(self.amount) if self.is_pods else max(1, whole_down(n * self.amount))


@dataclass(frozen=True)
class ReplicasConfig:
    target: float = 0.95
    up: Step = Step(0.3)
    down: Step = Step(0.1)
    up_cool_down_s: float = 60
    down_cool_down_s: float = 300
    lowest: int = 1
    highest: int = 100_000


@dataclass(frozen=True)
class ReplicasInput:
    at_s: float
    replicas: int
    utilization: list[float]
    missing: int = 0
    is_limits_bursting: bool = False


@dataclass(frozen=True)
class ReplicasAnswer:
    desired: int
    to: int
    reason: str
    ratio: float | None


@dataclass
class Replicas:
    """What is remembered between evaluations. last_down_s begins as the creation time."""

    last_down_s: float = -math.inf
    last_up_s: float = -math.inf
    wishes: list[tuple[float, int]] = field(default_factory=list)

    def step(self, config: ReplicasConfig, ask: ReplicasInput) -> ReplicasAnswer:
        desired, reason, ratio = wanted(config, ask)
        self.wishes.append((ask.at_s, desired))
        horizon_s = ask.at_s - config.down_cool_down_s
        self.wishes = [wish for wish in self.wishes[:-1] if wish[0] > horizon_s] + [self.wishes[-1]]
        to = ask.replicas
        if desired > ask.replicas:
            if ask.at_s - self.last_up_s >= config.up_cool_down_s:
                to, self.last_up_s = desired, ask.at_s
            else:
                reason = "CoolDownUp"
        elif desired < ask.replicas:
            largest = min(ask.replicas, max(wish for _, wish in self.wishes))
            changed_s = max(self.last_up_s, self.last_down_s)
            if largest == ask.replicas:
                reason = "Stabilizing"
            elif ask.at_s - changed_s < config.down_cool_down_s:
                reason = "CoolDownDown"
            else:
                to, self.last_down_s = largest, ask.at_s
                if largest != desired:
                    reason = "Stabilizing"
        return ReplicasAnswer(desired, to, reason, ratio)


def ratio_of(utilization: list[float], target: float) -> float:
    return sum(utilization) / len(utilization) / target


def wanted(config: ReplicasConfig, ask: ReplicasInput) -> tuple[int, str, float | None]:
    """Steps 1 to 7: how many, why, and the ratio."""
    n, target = ask.replicas, min(config.target, HIGHEST_TARGET)
    if not ask.utilization:
        return n, "NoMetrics", None
    ratio = ratio_of(ask.utilization, target)
    if ask.missing > 0:
        was_above = ratio > 1
        filler = 0.0 if was_above else 1.0
        ratio = ratio_of(ask.utilization + [filler] * ask.missing, target)
        if ratio < 1 if was_above else ratio > 1:
            return n, "MissingMetrics", ratio
    desired, reason = unbounded(config, ask, ratio, target)
    return min(max(desired, config.lowest), config.highest), reason, ratio


def unbounded(
    config: ReplicasConfig, ask: ReplicasInput, ratio: float, target: float
) -> tuple[int, str]:
    n = ask.replicas
    up_tolerance = min(TOLERANCE, (1 / target - 1) / 2)
    if ratio > 1 + up_tolerance + SLACK:
        if ask.is_limits_bursting:
            return n, "LimitsFirst"
        highest = n + config.up.growth(n)
        saturated = sum(u >= SATURATED * (1 - SLACK) for u in ask.utilization)
        if 2 * saturated >= len(ask.utilization) + ask.missing:
            return highest, "Saturated"
        return min(whole_up(n * ratio), highest), "AboveTarget"
    if ratio < 1 - TOLERANCE - SLACK:
        return max(whole_up(n * ratio), n - config.down.reduction(n)), "BelowTarget"
    return n, "WithinTolerance"
