# SPDX-License-Identifier: Apache-2.0
"""The cap of a node's GPUs under efficiency_v1 (docs/rules/policy.md#efficiency_v1), written a second
time from the page."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from reference.catalog import GPUS
from reference.physics import CURRENT, Device, device_of, gpu_weights

NO_CAP = 100
WORDS = {"compute": 0.3, "mixed": 0.6, "memory": 0.85}
FEED = 0.45
LESS_MEMORY = 0.1


@dataclass(frozen=True)
class Work:
    """A pod on GPUs. util_pct None, another bound or a part of a GPU: not known."""

    gpus: float
    bound: str = "compute"
    util_pct: float | None = 95
    is_performance: bool = False
    sensitivity: str = "medium"

    @property
    def is_known(self) -> bool:
        return self.bound in WORDS and self.util_pct is not None and self.gpus == int(self.gpus)

    def weights(self, less: float = 0) -> list[float]:
        return gpu_weights(f"gpu.{self.bound}_bound", WORDS[self.bound] - less, FEED)


@dataclass(frozen=True)
class Gpus:
    """model: a key of the catalog, else it is not known; watts of None: the catalog's."""

    model: str = "NVIDIA_H100_SXM"
    min_w: float | None = None
    max_w: float | None = None

    def device(self) -> Device | None:
        if self.model not in GPUS:
            return None
        device = device_of(self.model, CURRENT)
        if self.max_w is None:
            return device
        return replace(device, min_w=self.min_w, max_w=self.max_w) if self.min_w else None


@dataclass(frozen=True)
class Settings:
    standard: float = 10
    performance: float = 0
    insensitive: float = 20
    dwell_s: float = 300

    def allowed(self, work: Work) -> float:
        if work.is_performance:
            return self.performance / 100
        return (self.insensitive if work.sensitivity == "low" else self.standard) / 100


@dataclass(frozen=True)
class Past:
    pct: float = NO_CAP
    lowered_ms: int | None = None


@dataclass(frozen=True)
class Limit:
    """Watts and slowdown of None: not known."""

    pct: float
    reason: str
    best: float = NO_CAP
    natural_w: float | None = None
    best_w: float | None = None
    slowdown_pct: float | None = None


@dataclass
class Effect:
    energy: float = 0
    watts: float = 0
    slowdown: float = 0
    is_within: bool = True


def speed(device: Device, weights: list[float], util: float, cap_w: float) -> float:
    return device.throughput(weights, device.natural_w(weights, util), cap_w)


def under(device: Device, works: list[Work], settings: Settings, pct: float) -> Effect:
    """What a cap does to the work, in an order that is not that of the pods."""
    total = Effect()
    cap_w = device.max_w * pct / 100
    for work in works:
        util = (work.util_pct or 0) / 100
        weights = work.weights()
        here = speed(device, weights, util, cap_w)
        watts = device.power_w(device.natural_w(weights, util), cap_w)
        slowest = speed(device, work.weights(LESS_MEMORY), util, cap_w)
        total.energy += work.gpus * (watts - device.idle_w) / here
        total.watts += work.gpus * watts
        total.slowdown = max(total.slowdown, 1 / here - 1)
        total.is_within &= slowest >= 1 / (1 + settings.allowed(work)) - 1e-12
    return total


def least_energy(device: Device, works: list[Work], settings: Settings) -> float:
    best, least = NO_CAP, under(device, works, settings, NO_CAP).energy
    for pct in range(NO_CAP - 1, math.ceil(100 * device.min_w / device.max_w) - 1, -1):
        effect = under(device, works, settings, pct)
        if not effect.is_within:
            break
        if effect.energy < least * (1 - 1e-9):
            best, least = pct, effect.energy
    return best


def by_work(gpus: Gpus, works: list[Work], settings: Settings) -> Limit:
    device = gpus.device()
    if not works:
        return Limit(NO_CAP, "idle")
    if not all(work.is_known for work in works):
        return Limit(NO_CAP, "unknown-work")
    if device is None:
        return Limit(NO_CAP, "unknown-gpu")
    works = sorted(
        works,
        key=lambda one: (one.weights()[1], one.util_pct, settings.allowed(one), one.gpus),
    )
    best, reason = NO_CAP, "promise"
    if all(settings.allowed(work) > 0 for work in works):
        best = least_energy(device, works, settings)
        reason = "capped" if best < NO_CAP else "no-gain"
    natural_w = under(device, works, settings, NO_CAP).watts
    effect = under(device, works, settings, best)
    return Limit(best, reason, best, natural_w, effect.watts, 100 * effect.slowdown)


def limit(
    gpus: Gpus,
    works: list[Work],
    settings: Settings,
    has_backlog: bool = False,
    past: Past = Past(),
    now_ms: int = 0,
) -> Limit:
    found = by_work(gpus, works, settings)
    if found.best < NO_CAP and has_backlog:
        return replace(found, pct=NO_CAP, reason="backlog")
    waited = None if past.lowered_ms is None else now_ms - past.lowered_ms
    if found.pct < past.pct and waited is not None and 0 <= waited < settings.dwell_s * 1000:
        return replace(found, pct=past.pct, reason="dwell")
    return found
