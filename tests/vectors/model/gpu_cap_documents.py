# SPDX-License-Identifier: Apache-2.0
"""Work, GPUs and caps of efficiency_v1 as the question policy.gpu-limit takes and gives them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from reference.gpu_caps import NO_CAP, Gpus, Limit, Past, Settings, Work

NOW = "2026-03-13T12:00:00Z"
NOW_MS = int(datetime(2026, 3, 13, 12, tzinfo=timezone.utc).timestamp()) * 1000


def hardware_of(gpus: Gpus, count: int = 8) -> dict[str, Any]:
    made: dict[str, Any] = {"present": True, "count": count, "model": gpus.model}
    if gpus.max_w is not None:
        made["capRangePerGpu"] = {"maxWatts": gpus.max_w}
        if gpus.min_w is not None:
            made["capRangePerGpu"]["minWatts"] = gpus.min_w
    return {"gpu": made}


def work_of(work: Work) -> dict[str, Any]:
    made: dict[str, Any] = {"gpus": work.gpus}
    if work.bound:
        made["bound"] = work.bound
    if work.util_pct is not None:
        made["avgUtilizationPct"] = work.util_pct
    if work.is_performance:
        made["class"] = "performance"
    if work.sensitivity:
        made["capSensitivity"] = work.sensitivity
    return made


def policy_of(settings: Settings) -> dict[str, Any]:
    """Only what differs from the defaults of the page."""
    default = Settings()
    members = {
        "gpuSlowdownStandardPct": (settings.standard, default.standard),
        "gpuSlowdownPerformancePct": (settings.performance, default.performance),
        "gpuSlowdownInsensitivePct": (settings.insensitive, default.insensitive),
        "gpuCapDwellS": (settings.dwell_s, default.dwell_s),
    }
    return {name: value for name, (value, usual) in members.items() if value != usual}


def question(
    gpus: Gpus,
    works: list[Work],
    settings: Settings = Settings(),
    has_backlog: bool = False,
    past: Past = Past(),
) -> dict[str, Any]:
    made: dict[str, Any] = {"hardware": hardware_of(gpus), "work": [work_of(w) for w in works]}
    policy = policy_of(settings)
    if policy:
        made["policy"] = policy
    if has_backlog:
        made["backlog"] = True
    if past.pct != NO_CAP:
        made["capPctOfMax"] = past.pct
    if past.lowered_ms is not None:
        made |= {"capLoweredMs": past.lowered_ms, "now": NOW}
    return made


def report(limit: Limit) -> dict[str, Any]:
    """None: a member that the answer does not have."""
    return {
        "reason": limit.reason,
        "bestPct": limit.best,
        "naturalW": limit.natural_w,
        "bestW": limit.best_w,
        "slowdownPct": limit.slowdown_pct,
    }


def answer(limit: Limit) -> dict[str, Any]:
    return {"capPctOfMax": limit.pct, "gpuLimit": report(limit)}
