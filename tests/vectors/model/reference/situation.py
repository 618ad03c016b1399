# SPDX-License-Identifier: Apache-2.0
"""What the autoscaler is given and what it answers (docs/rules/autoscaling.md#configuration). Times are whole
milliseconds since 1970."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field

from .amounts import RESOURCES, Amounts, Pair, Resource
from .forecast import Prediction
from .replicas import ReplicasAnswer, ReplicasConfig

# ---- what it is given ----


@dataclass(frozen=True)
class LimitsLayer:
    period_ms: int = 10_000
    buffer: float = 0.2
    ignored: float = 0.05
    max_ratio: float = 5
    step: float = 2
    targets: tuple[Resource, ...] = RESOURCES
    prediction: Prediction | None = None


@dataclass(frozen=True)
class RequestsLayer:
    period_ms: int = 1_800_000
    aggregation_ms: int = 604_800_000
    percentile: float = 0.9
    multiplier: float = 1.1
    targets: tuple[Resource, ...] = RESOURCES
    prediction: Prediction | None = None


@dataclass(frozen=True)
class ReplicasLayer:
    period_ms: int = 30_000
    config: ReplicasConfig = ReplicasConfig()


@dataclass(frozen=True)
class CronRule:
    start: str
    end: str
    desired: Amounts


@dataclass(frozen=True)
class Config:
    """A layer that is None is off. original: the amounts of the profile."""

    original: Amounts
    limits: LimitsLayer | None = None
    requests: RequestsLayer | None = None
    replicas: ReplicasLayer | None = None
    rules: tuple[CronRule, ...] = ()
    has_external: bool = False


@dataclass(frozen=True)
class Sample:
    worker: str
    at_ms: int
    tflops: float
    vram: float
    tflops_limit: float | None = None
    throttled_count: float | None = None
    oom_count: float | None = None

    def is_good(self) -> bool:
        return min(self.tflops, self.vram, self.tflops_limit or 0) >= 0

    def without_bad_counters(self) -> Sample:
        return dataclasses.replace(
            self,
            throttled_count=counter(self.throttled_count),
            oom_count=counter(self.oom_count),
        )


def counter(count: float | None) -> float | None:
    return count if count is not None and count >= 0 else None


def largest(a: float | None, b: float | None) -> float | None:
    return max((value for value in (a, b) if value is not None), default=None)


def hottest(a: Sample, b: Sample) -> Sample:
    """Rows are per GPU: of those of one worker at one time the largest values count."""
    return Sample(
        a.worker,
        a.at_ms,
        max(a.tflops, b.tflops),
        max(a.vram, b.vram),
        largest(a.tflops_limit, b.tflops_limit),
        largest(a.throttled_count, b.throttled_count),
        largest(a.oom_count, b.oom_count),
    )


@dataclass(frozen=True)
class Worker:
    created_ms: int
    is_dedicated: bool = False


@dataclass(frozen=True)
class Reply:
    """An external scaler's. compute: percent of a GPU, where TFLOPS are 0."""

    needs_up: bool
    needs_down: bool
    amounts: Amounts
    compute: Pair = Pair()


@dataclass(frozen=True)
class Situation:
    now_ms: int
    samples: list[Sample]
    workers: dict[str, Worker]
    current: Amounts
    replicas: int
    gpu: dict[Resource, float] = field(default_factory=dict)
    max_allowed: dict[Resource, float] = field(default_factory=dict)
    max_replicas: int | None = None
    reply: Reply | None = None


# ---- what it answers ----


@dataclass(frozen=True)
class Changed:
    """One decision. resource: "tflops", of rules and replies "requests.tflops"."""

    layer: str
    resource: str
    before: float
    after: float
    reason: str


@dataclass
class Answer:
    """matters: what, had it been left out, would have changed an answer."""

    amounts: Amounts
    decisions: list[Changed] = field(default_factory=list)
    replicas: ReplicasAnswer | None = None
    conditions: Counter[str] = field(default_factory=Counter)
    matters: Counter[str] = field(default_factory=Counter)
