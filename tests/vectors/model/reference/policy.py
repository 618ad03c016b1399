# SPDX-License-Identifier: Apache-2.0
"""Which nodes run at full power: docs/rules/policy.md, worked out over plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from reference import efficiency

# Of one core and of one GPU, as docs/rules/policy.md#density takes them from the catalog.
DENSITIES = {
    "AMD_EPYC_9654": 710.4,
    "AMD_EPYC_9655": 1040.0,
    "AMD_EPYC_9965": 1776.0,
    "AMD_EPYC_9534": 473.6,
    "AMD_EPYC_9375F": 486.4,
    "INTEL_XEON_GOLD_6530": 256.0,
    "NVIDIA_H100_NVL": 400.0,
    "NVIDIA_H100_SXM": 700.0,
    "NVIDIA_L40S": 350.0,
    "AMD_INSTINCT_MI300X": 750.0,
    "AMD_RADEON_PRO_W7900": 295.0,
}


@dataclass
class Node:
    name: str
    cpu: str = ""  # catalog key; neither it nor a GPU: nothing is known of the node
    cores: int = 0
    gpu: str = ""
    gpus: int = 0

    @property
    def family(self) -> str:
        if self.gpus:
            return f"gpu:{self.gpu}"
        return f"cpu:{self.cpu}" if self.cpu else "unknown"

    @property
    def density(self) -> float:
        cpu = DENSITIES.get(self.cpu, 0) * max(self.cores, 1)
        return cpu + DENSITIES.get(self.gpu, 0) * max(self.gpus, 1)


@dataclass
class Plan:
    performance: list[str] = field(default_factory=list)
    wanted: int = 0


def by_density(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: (-node.density, node.name))


def static_wanted(nodes: list[Node], frac: float) -> int:
    """A share of 0 is no node; any other keeps one of each family."""
    if frac <= 0:
        return 0
    share = math.floor(len(nodes) * min(frac, 1.0) + 0.5)
    return min(len(nodes), max(share, len({node.family for node in nodes})))


def static_plan(nodes: list[Node], frac: float) -> Plan:
    wanted = static_wanted(nodes, frac)
    order = by_density(nodes)
    first: dict[str, Node] = {}
    for node in order:
        first.setdefault(node.family, node)
    taken = list(first.values())[:wanted]
    taken += [node for node in order if node not in taken][: wanted - len(taken)]
    return Plan(sorted(node.name for node in taken), wanted)


@dataclass
class Pending:
    """A pod on no node."""

    name: str
    cores: float
    gpus: int = 0
    memory: int = 0
    priority: int = 0
    created: str = ""
    selector: dict[str, str] = field(default_factory=dict)
    tolerates: str = ""  # a key
    vendor: str = "nvidia"
    performance: bool = True


@dataclass
class Machine:
    """A node of a queue policy, and what is on it."""

    hardware: Node
    cores: float
    memory: int = 0  # 0: the node does not say
    vendor: str = "nvidia"
    profile: str = "eco"
    labels: dict[str, str] = field(default_factory=dict)
    taint: str = ""  # a key
    used_cores: float = 0
    used_gpus: int = 0
    used_memory: int = 0
    pods: int = 0
    works: bool = False  # one of its pods needs performance

    @property
    def name(self) -> str:
        return self.hardware.name

    def takes(self, pod: Pending) -> bool:
        return (
            self.used_cores + pod.cores <= self.cores
            and (not self.memory or self.used_memory + pod.memory <= self.memory)
            and (
                not pod.gpus
                or (
                    self.vendor == pod.vendor
                    and self.used_gpus + pod.gpus <= self.hardware.gpus
                )
            )
            and self.taint in ("", pod.tolerates)
            and all(self.labels.get(key) == value for key, value in pod.selector.items())
        )

    def watts(self, pod: Pending) -> float:
        made = efficiency.Node(
            cpu=self.hardware.cpu,
            cores=self.hardware.cores,
            gpu=self.hardware.gpu,
            gpus=self.hardware.gpus,
            pods=self.pods,
            used_cores=self.used_cores,
            used_gpus=self.used_gpus,
            allocatable_cores=self.cores,
        )
        asked = efficiency.Pod(cores=pod.cores, gpus=pod.gpus)
        known = efficiency.cost(made, asked, efficiency.Settings())
        return known.total if known else math.inf

    def reserve(self, pod: Pending) -> None:
        self.used_cores += pod.cores
        self.used_gpus += pod.gpus
        self.used_memory += pod.memory
        self.pods += 1


def queue_plan(machines: list[Machine], waiting: list[Pending], floor: int) -> list[str]:
    """Names of the performance nodes, in a first call."""
    order = sorted(machines, key=lambda one: (-one.hardware.density, one.name))
    taken = [one for one in order if one.works]
    taken += [one for one in order if one not in taken][: max(0, floor - len(taken))]
    for pod in sorted(waiting, key=lambda one: (-one.priority, one.created, one.name)):
        ready = [one for one in order if one in taken or one.profile == "performance"]
        others = [one for one in order if one not in ready]
        for group in (ready, others):
            fitting = [one for one in group if one.takes(pod)]
            if fitting:
                best = min(fitting, key=lambda one: one.watts(pod))
                best.reserve(pod)
                if best not in taken:
                    taken.append(best)
                break
    return sorted(one.name for one in taken)
