# SPDX-License-Identifier: Apache-2.0
"""The score of nodes that say headroom, cooling and PSU stress and nothing of watts
(docs/rules/placement.md#score), written down a second time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Node:
    headroom: float
    cooling: float
    psu: float | None = None
    is_eco: bool = False
    is_stale: bool = False


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0


def psu_points(nodes: list[Node], weight: float) -> list[float]:
    """What the stress of each node's supply adds; 0 where nobody knows it."""
    known = [node.psu for node in nodes if node.psu is not None and not node.is_stale]
    middle = mean(known)
    return [0 if node.psu is None else weight * (middle - node.psu) for node in nodes]


def raw_scores(nodes: list[Node], weight: float, is_standard: bool) -> list[float]:
    loaded = [100 - node.headroom for node in nodes if not node.is_eco and not node.is_stale]
    found = []
    for node, psu in zip(nodes, psu_points(nodes, weight)):
        raw = 0.7 * node.headroom + 0.15 * (100 - node.cooling) + psu
        if is_standard:
            raw += 10 if node.is_eco else -0.3 * min(mean(loaded), 100)
        found.append(raw)
    return found
