# SPDX-License-Identifier: Apache-2.0
"""TFLOPS and bytes of VRAM, and how they are rounded (docs/rules/tensor-fusion.md#computed-amounts)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

Resource = Literal["tflops", "vram"]
RESOURCES: tuple[Resource, ...] = ("tflops", "vram")
MIB = 1 << 20
GIB = 1 << 30
GRAIN: dict[Resource, float] = {"tflops": 0.001, "vram": MIB}  # of what is computed
SLACK = 1e-9


@dataclass(frozen=True)
class Pair:
    """A request and a limit; 0 = unset."""

    request: float = 0
    limit: float = 0


@dataclass
class Amounts:
    """The pairs of both resources."""

    tflops: Pair = field(default_factory=Pair)
    vram: Pair = field(default_factory=Pair)

    def of(self, resource: Resource) -> Pair:
        return self.tflops if resource == "tflops" else self.vram

    def put(self, resource: Resource, pair: Pair) -> None:
        setattr(self, resource, pair)

    def copy(self) -> Amounts:
        return Amounts(self.tflops, self.vram)


@dataclass(frozen=True)
class Decision:
    """What a layer makes of one amount. limit: what a limit that follows the request becomes."""

    value: float
    reason: str
    is_kept: bool = False
    limit: float | None = None
    is_at_upper: bool = False


def round_up(value: float, resource: Resource) -> float:
    """Float dust never adds a step."""
    steps = value / GRAIN[resource]
    return math.ceil(steps - SLACK * max(1, steps)) * GRAIN[resource]


def whole_up(value: float) -> int:
    """A count that became whole by dust alone is not raised."""
    return math.ceil(value - SLACK)


def whole_down(value: float) -> int:
    return math.floor(value + SLACK)
