# SPDX-License-Identifier: Apache-2.0
"""Which nodes run at full power: docs/rules/policy.md, worked out over plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

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
