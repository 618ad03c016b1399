# SPDX-License-Identifier: Apache-2.0
"""How kube-scheduler ranks nodes by their resources: docs/rules/placement.md."""

from __future__ import annotations

from dataclasses import dataclass
from math import fabs

UNSET_MILLICORES = 100
UNSET_BYTES = 200 * 1024 * 1024
GPU_WEIGHT = 5


@dataclass(frozen=True)
class Pod:
    millicores: int
    bytes: int
    gpus: int = 0

    @property
    def counted(self) -> tuple[int, int]:
        return self.millicores or UNSET_MILLICORES, self.bytes or UNSET_BYTES


@dataclass(frozen=True)
class Machine:
    millicores: int
    bytes: int
    gpus: int = 0
    vendor: str = ""


def least_allocated(machine: Machine, running: list[Pod], pod: Pod) -> int:
    """The mean of what is left of cpu and memory, in percent."""
    total = 0
    for i, capacity in enumerate((machine.millicores, machine.bytes)):
        left = capacity - sum(p.counted[i] for p in [*running, pod])
        total += max(0, left * 100 // capacity)
    return total // 2


def balanced(machine: Machine, running: list[Pod], pod: Pod) -> int:
    """100 where cpu and memory are used to equal parts, less half of their distance."""
    if pod.millicores == pod.bytes == 0:
        return 0
    cpu = min(1.0, sum(p.millicores for p in [*running, pod]) / machine.millicores)
    memory = min(1.0, sum(p.bytes for p in [*running, pod]) / machine.bytes)
    return int((1 - fabs((cpu - memory) / 2)) * 100)


def most_allocated(machine: Machine, running: list[Pod], pod: Pod) -> int:
    parts = []
    for i, capacity in enumerate((machine.millicores, machine.bytes)):
        used = sum(p.counted[i] for p in [*running, pod])
        parts.append((min(used, capacity) * 100 // capacity, 1))
    if pod.gpus and machine.gpus:
        used = sum(p.gpus for p in [*running, pod])
        parts.append((min(used, machine.gpus) * 100 // machine.gpus, GPU_WEIGHT))
    return sum(score * weight for score, weight in parts) // sum(weight for _, weight in parts)


def score(word: str, machine: Machine, running: list[Pod], pod: Pod) -> int:
    if word == "most-allocated":
        return most_allocated(machine, running, pod)
    total = least_allocated(machine, running, pod)
    return total + balanced(machine, running, pod) if word == "kube" else total


def fits(machine: Machine, running: list[Pod], pod: Pod, vendor: str) -> bool:
    everybody = [*running, pod]
    return (
        sum(p.millicores for p in everybody) <= machine.millicores
        and sum(p.bytes for p in everybody) <= machine.bytes
        and sum(p.gpus for p in everybody) <= machine.gpus
        and (pod.gpus == 0 or vendor == machine.vendor)
        and len(everybody) <= 110
    )
