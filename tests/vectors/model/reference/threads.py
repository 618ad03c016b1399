# SPDX-License-Identifier: Apache-2.0
"""What training does with the threads of a workload, from the text of docs/rules/threads-training.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Mapping, Sequence

ROLES = {
    1: "sporadic",
    2: "sync_compute",
    3: "io_wake_chain",
    4: "latency_critical",
    5: "sync_compute",
    6: "sporadic",
}


# ---- roles ----


def burst_us(features: Mapping[str, float]) -> float | None:
    if "p50" in features:
        return features["p50"]
    if features["rate"] > 0:
        return features["util"] / features["rate"] * 1e6
    return features.get("run_us")


def rule(features: Mapping[str, float]) -> int:
    util, rate, burst = features["util"], features["rate"], burst_us(features)
    waits = features.get("io", 0) >= 0.3 or features.get("relay", 0) >= 0.5
    if util < 0.005 and rate < 20:
        return 1
    if util >= 0.2 and (util >= 0.8 or (burst is not None and burst >= 2000)):
        return 2
    if burst is not None and burst <= 500 and util < 0.25 and waits:
        return 3
    if burst is not None and rate >= 50 and burst <= 5000 and util >= 0.01:
        return 4
    return 5 if util >= 0.2 else 6


# ---- trials ----


@dataclass(frozen=True)
class Trial:
    differing: int
    zeros: int
    w_plus: float
    p: float
    effect: float

    @property
    def gain(self) -> float:
        return math.expm1(self.effect)


def same(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-12


def ranks(sizes: Sequence[float]) -> list[Fraction]:
    """Of sizes in ascending order; equal ones share the mean of theirs."""
    shared: list[Fraction] = []
    for size in sizes:
        equal = [i + 1 for i, other in enumerate(sizes) if same(size, other)]
        shared.append(Fraction(sum(equal), len(equal)))
    return shared


def chance(shared: Sequence[Fraction], least: Fraction) -> Fraction:
    """Every way to give signs, one by one: what the library does by sums it has to do by counting."""
    count = len(shared)
    hits = 0
    for size in range(count + 1):
        for positive in combinations(shared, size):
            hits += sum(positive, Fraction(0)) >= least
    return Fraction(hits, 2**count)


def trial(baseline: Sequence[float], candidate: Sequence[float], direction: str) -> Trial:
    sign = 1 if direction == "higher" else -1
    values = [sign * math.log(b / a) for a, b in zip(baseline, candidate)]
    differing = sorted((d for d in values if not same(d, 0)), key=abs)
    shared = ranks([abs(d) for d in differing])
    w_plus = sum((r for r, d in zip(shared, differing) if d > 0), Fraction(0))
    count = len(values)
    means = [(values[i] + values[j]) / 2 for i in range(count) for j in range(i, count)]
    return Trial(
        len(differing),
        len(values) - len(differing),
        float(w_plus),
        float(chance(shared, w_plus)),
        median(means),
    )


def reasons(main: Trial, guards: Mapping[str, Trial]) -> list[str]:
    """What speaks against a change."""
    against = []
    if main.p > 0.05:
        against.append("p")
    if main.gain < 0.02:
        against.append("gain")
    against += [f"guard:{name}" for name, one in guards.items() if one.effect < -math.log(1.05)]
    if main.differing < 8:
        against.append("n")
    return against
