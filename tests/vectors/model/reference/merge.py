# SPDX-License-Identifier: Apache-2.0
"""One recommendation of several proposals (docs/rules/autoscaling.md#merge)."""

from __future__ import annotations

from dataclasses import dataclass, field

from .amounts import RESOURCES, Amounts, Pair, Resource


@dataclass(frozen=True)
class Proposal:
    """is_floor: of an active cron rule, which a lower proposal does not undercut."""

    amounts: Amounts
    is_floor: bool = False


@dataclass(frozen=True)
class MergeBounds:
    """None and absent = unknown; a capacity of 0 is unknown too."""

    max_allowed: dict[Resource, float] = field(default_factory=dict)
    gpu: dict[Resource, float] = field(default_factory=dict)
    max_ratio: float | None = None
    vram_floor: float = 0


def completed(pair: Pair, current: Pair, is_floor: bool) -> Pair | None:
    """A missing side takes the current pair; None: the proposal says nothing of the resource."""
    if pair.request == 0 and pair.limit == 0:
        return None
    filled = Pair(pair.request or current.request, pair.limit or current.limit)
    return filled if is_floor or filled == pair else None


def merged_pair(
    resource: Resource, current: Pair, proposals: list[Proposal], bounds: MergeBounds
) -> Pair:
    requests, limits = [], []
    for proposal in proposals:
        pair = completed(proposal.amounts.of(resource), current, proposal.is_floor)
        if pair is None or (pair == current and not proposal.is_floor):
            continue
        limits.append(pair.limit)
        if proposal.is_floor or pair.request != current.request:
            requests.append(pair.request)
    if not limits:
        return current
    request = max(requests, default=current.request)
    limit = max(limits)

    if request > current.request and resource in bounds.max_allowed:
        request = max(current.request, min(request, bounds.max_allowed[resource]))
    if bounds.max_ratio is not None and request > 0:
        limit = min(limit, request * bounds.max_ratio)
    if bounds.gpu.get(resource, 0) > 0:
        limit = min(limit, bounds.gpu[resource])
    limit = max(limit, request)
    if resource == "vram":  # what workers hold cannot be taken from them
        limit = max(limit, bounds.vram_floor)
    return Pair(request, limit)


def merge(current: Amounts, proposals: list[Proposal], bounds: MergeBounds) -> Amounts:
    merged = Amounts()
    for resource in RESOURCES:
        merged.put(resource, merged_pair(resource, current.of(resource), proposals, bounds))
    return merged
