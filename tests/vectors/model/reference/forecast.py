# SPDX-License-Identifier: Apache-2.0
"""Series of usage and their forecasts (docs/rules/autoscaling-statistics.md#forecast)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

ALIASES = {
    "": "auto",
    "smart-limit-v1": "holt",
    "smart-request-v1": "holt-winters",
    "smart-warmup-v1": "seasonal-naive",
}
MOST_BINS = 20_160
LONGEST_GAP = 3
DAY_MS = 86_400_000


@dataclass(frozen=True)
class Forecast:
    """used: the peak of the horizon. mae: of the model's recursion, None without one."""

    model: str
    used: float
    mae: float | None = None


@dataclass(frozen=True)
class Recursion:
    """What a model says of the next values, and how wrong it and the naive one were on the way."""

    values: list[float]
    mae: float
    mae_naive: float


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def damped_holt(y: list[float], horizon: int) -> Recursion:
    alpha, beta, phi = 0.5, 0.2, 0.9
    j = min(len(y) - 1, 3)
    level, trend = y[0], (y[j] - y[0]) / j
    errors = []
    for value in y[1:]:
        expected = level + phi * trend
        errors.append(abs(value - expected))
        new_level = alpha * value + (1 - alpha) * expected
        trend = beta * (new_level - level) + (1 - beta) * phi * trend
        level = new_level
    naive = [abs(y[t] - y[t - 1]) for t in range(1, len(y))]
    ahead = [level + sum(phi**i for i in range(1, k + 1)) * trend for k in range(1, horizon + 1)]
    return Recursion(ahead, mean(errors), mean(naive))


def holt_winters(y: list[float], m: int, horizon: int) -> Recursion:
    alpha, beta, gamma = 0.3, 0.05, 0.2
    level = mean(y[:m])
    trend = (mean(y[m : 2 * m]) - level) / m
    season = [value - level for value in y[:m]]
    errors = []
    for t in range(m, len(y)):
        expected = level + trend + season[t % m]
        errors.append(abs(y[t] - expected))
        new_level = alpha * (y[t] - season[t % m]) + (1 - alpha) * (level + trend)
        trend = beta * (new_level - level) + (1 - beta) * trend
        season[t % m] = gamma * (y[t] - new_level) + (1 - gamma) * season[t % m]
        level = new_level
    naive = [abs(y[t] - y[t - 1]) for t in range(m, len(y))]
    ahead = [level + k * trend + season[(len(y) - 1 + k) % m] for k in range(1, horizon + 1)]
    return Recursion(ahead, mean(errors), mean(naive))


def choose(name: str, count: int, m: int | None) -> str:
    """The model that runs: a named one falls back when it has not enough data."""
    model = ALIASES.get(name.lower(), name.lower())
    has_two_seasons = m is not None and count >= 2 * m
    if model == "auto":
        return "holt-winters" if has_two_seasons else "holt" if count >= 4 else "naive"
    if model == "holt-winters" and not has_two_seasons:
        model = "holt"
    if model == "holt" and count < 2:  # a trend has two values
        model = "naive"
    if model == "seasonal-naive" and (m is None or count < m):
        model = "naive"
    return model


def forecast(y: list[float], name: str, season: int | None, horizon: int) -> Forecast:
    m = None if season is None else max(2, season)
    model = choose(name, len(y), m)
    found: Recursion | None = None
    values = [y[-1]] * horizon
    if model == "holt":
        found = damped_holt(y, horizon)
    elif model == "holt-winters" and m is not None:
        found = holt_winters(y, m, horizon)
    elif model == "seasonal-naive" and m is not None:
        values = [y[len(y) - 1 + k - m * math.ceil(k / m)] for k in range(1, horizon + 1)]
    if found is not None:
        dust = 1e-12 * max(1, max(y))
        if found.mae > found.mae_naive + dust:
            model = "naive"
        else:
            values = found.values
    used = max(0.0, min(max(values), 10 * max(y)))
    return Forecast(model, used, None if found is None else found.mae)


# ---- series ----


@dataclass(frozen=True)
class Prediction:
    """The block `prediction` of a layer."""

    model: str
    period_ms: int
    history_ms: int
    season_ms: int = DAY_MS

    @property
    def bin_ms(self) -> int:
        return min(max(self.period_ms // 6, 10_000), 3_600_000)

    @property
    def horizon(self) -> int:
        return -(-self.period_ms // self.bin_ms)

    @property
    def season(self) -> int:
        return max(2, math.floor(self.season_ms / self.bin_ms + 0.5))


@dataclass
class Series:
    """Usage by bin and worker. kind: of all samples the largest, or the mean of workers' means."""

    prediction: Prediction
    kind: Literal["max", "mean"]
    bins: dict[int, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, worker: str, value: float, at_ms: int) -> None:
        of_bin = self.bins.setdefault(at_ms // self.prediction.bin_ms, {})
        of_bin.setdefault(worker, []).append(value)

    def _value(self, number: int) -> float:
        of_workers = list(self.bins[number].values())
        if self.kind == "max":
            return max(max(values) for values in of_workers)
        return mean([mean(values) for values in of_workers])

    def values(self) -> list[float]:
        """The latest run without a long gap, the oldest value first."""
        if not self.bins:
            return []
        most = min(MOST_BINS, self.prediction.history_ms // self.prediction.bin_ms)
        oldest = max(self.bins) - most + 1
        numbers = sorted((number for number in self.bins if number >= oldest), reverse=True)
        run = [self._value(numbers[0])]
        for later, earlier in zip(numbers, numbers[1:]):
            gap = later - earlier - 1
            if gap > LONGEST_GAP:
                break
            start, end = self._value(later), self._value(earlier)
            run += [start + (end - start) * i / (gap + 1) for i in range(1, gap + 1)]
            run.append(end)
        return run[::-1]

    def forecast(self) -> float | None:
        y = self.values()
        if not y:
            return None
        shape = self.prediction
        return forecast(y, shape.model, shape.season, shape.horizon).used
