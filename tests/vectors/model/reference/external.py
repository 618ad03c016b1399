# SPDX-License-Identifier: Apache-2.0
"""What a reply of an external scaler may change (docs/rules/autoscaling-triggers.md#external-scaler)."""

from __future__ import annotations

from .amounts import Amounts, Pair
from .situation import Answer, Reply


def allowed(reply: Reply, current: float, asked: float) -> float:
    """Each flag allows one direction."""
    if asked == 0 or (asked > current and not reply.needs_up):
        return current
    return current if asked < current and not reply.needs_down else asked


def in_tflops(reply: Reply, gpu_tflops: float, answer: Answer) -> Amounts:
    pair, compute = reply.amounts.tflops, reply.compute
    request = pair.request or compute.request * gpu_tflops / 100
    limit = pair.limit or compute.limit * gpu_tflops / 100
    is_unknown = compute.request > 0 and request == 0 or compute.limit > 0 and limit == 0
    answer.conditions["NeedsGpuModel"] += is_unknown
    return Amounts(Pair(request, limit), reply.amounts.vram)
