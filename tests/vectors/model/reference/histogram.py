# SPDX-License-Identifier: Apache-2.0
"""Histograms that forget, peaks of a day, confidence (docs/rules/autoscaling-statistics.md#histograms)."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, field

from .amounts import Resource

RATIO = 1.05
EPSILON = 1e-4
FIRST_AND_LARGEST: dict[Resource, tuple[float, float]] = {
    "tflops": (0.1, 10_000),
    "vram": (1e7, 1e12),
}
HALF_LIVES_TO_KEEP = 100
DAY_S = 86_400


def bucket_starts(resource: Resource) -> list[float]:
    first, largest = FIRST_AND_LARGEST[resource]
    growth = RATIO - 1
    count = math.ceil(math.log(largest * growth / first + 1) / math.log(RATIO)) + 1
    return [first * (RATIO**bucket - 1) / growth for bucket in range(count)]


STARTS: dict[Resource, list[float]] = {
    "tflops": bucket_starts("tflops"),
    "vram": bucket_starts("vram"),
}


class Histogram:
    """Weights by bucket; a weight halves each half_life_s. Times are seconds since 1970."""

    def __init__(self, resource: Resource, half_life_s: float) -> None:
        self.starts = STARTS[resource]
        self.half_life_s = half_life_s
        self.weights = [0.0] * len(self.starts)
        self.total = 0.0
        self.reference_s: float | None = None

    def _weight_at(self, at_s: float) -> float:
        """What a weight of 1 counts at a time. The reference moves on before that overflows."""
        old_s = self.reference_s
        if old_s is None or at_s > old_s + HALF_LIVES_TO_KEEP * self.half_life_s:
            new_s = math.floor(at_s / self.half_life_s + 0.5) * self.half_life_s
            if old_s is not None:
                faded = 2.0 ** ((old_s - new_s) / self.half_life_s)
                self.weights = [weight * faded for weight in self.weights]
                self.total *= faded
            self.reference_s = old_s = new_s
        return float(2.0 ** ((at_s - old_s) / self.half_life_s))

    def _bucket(self, value: float) -> int:
        return bisect.bisect_right(self.starts, value) - 1

    def add(self, value: float, weight: float, at_s: float) -> None:
        weight *= self._weight_at(at_s)
        self.weights[self._bucket(value)] += weight
        self.total += weight

    def subtract(self, value: float, weight: float, at_s: float) -> None:
        weight *= self._weight_at(at_s)
        bucket = self._bucket(value)
        self.weights[bucket] = clamped(self.weights[bucket] - weight)
        self.total = clamped(self.total - weight)

    def is_empty(self) -> bool:
        return all(weight < EPSILON for weight in self.weights)

    def percentile(self, fraction: float) -> float:
        """The end of the bucket where the fraction is reached."""
        filled = [bucket for bucket, weight in enumerate(self.weights) if weight >= EPSILON]
        if not filled:
            return 0
        threshold = fraction * self.total - 1e-9 * self.total
        sum_so_far = 0.0
        for bucket in range(filled[0], filled[-1] + 1):
            sum_so_far += self.weights[bucket]
            if sum_so_far >= threshold:
                break
        return self.starts[min(bucket + 1, len(self.starts) - 1)]


def clamped(weight: float) -> float:
    return weight if weight >= EPSILON else 0.0


@dataclass
class Peak:
    """The largest value of a worker's window, which ends at end_s."""

    end_s: float
    value: float


class Peaks:
    """A peak per worker and 24 h, added and subtracted at the end of its window."""

    def __init__(self, histogram: Histogram) -> None:
        self.histogram = histogram
        self.of: dict[str, Peak] = {}

    def add(self, worker: str, value: float, at_s: float) -> None:
        peak = self.of.get(worker)
        if peak is None:
            self.of[worker] = peak = Peak(at_s + DAY_S, value)
        elif at_s >= peak.end_s:
            whole_days = math.trunc((at_s - peak.end_s) / DAY_S)
            self.of[worker] = peak = Peak(peak.end_s + whole_days * DAY_S + DAY_S, value)
        elif value > peak.value:
            self.histogram.subtract(peak.value, 1, peak.end_s)
            peak.value = value
        else:
            return
        self.histogram.add(value, 1, peak.end_s)


@dataclass
class Confidence:
    """Days of evidence: by the calendar, and by the minutes that samples cover."""

    first_s: float = math.inf
    last_s: float = -math.inf
    minutes: float = field(default=0.0)

    def add(self, minutes: float, at_s: float) -> None:
        self.first_s = min(self.first_s, at_s)
        self.last_s = max(self.last_s, at_s)
        self.minutes += minutes

    def days(self) -> float:
        if self.minutes == 0:
            return 0
        return min((self.last_s - self.first_s) / DAY_S, self.minutes / 1440)


def covered_minutes(since_s: float) -> float:
    """The weight of a sample that comes so long after the one before."""
    return min(max(since_s, 1), 300) / 60
