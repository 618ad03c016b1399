# SPDX-License-Identifier: Apache-2.0
"""What is known of CPUs and GPUs by name (docs/rules/catalog.md), written down a second time."""

from __future__ import annotations

from dataclasses import dataclass

CURVES: dict[str, tuple[float, ...]] = {
    "AMD_EPYC_9654": (128, 257, 300, 340, 378, 410, 442, 498, 577, 697, 817),
    "AMD_EPYC_9655": (138, 297, 367, 438, 515, 593, 661, 710, 771, 812, 861),
    "AMD_EPYC_9965": (157, 265, 314, 362, 412, 461, 503, 544, 587, 661, 800),
    "XEON_GEN5_GENERIC": (232, 270, 309, 346, 382, 421, 462, 504, 553, 595, 629),
}
GEN5_TDP_W = 350


@dataclass(frozen=True)
class Cpu:
    """curve_of: the family whose curve it has, None without one."""

    tdp_w: float
    speed: float
    curve_of: str | None
    provenance: str
    source_curve_of: str | None
    source_provenance: str


CPUS = {
    "AMD_EPYC_9654": Cpu(
        360, 1.0, "AMD_EPYC_9654", "exact+official", "AMD_EPYC_9654", "exact+official"
    ),
    "AMD_EPYC_9655": Cpu(400, 1.15, "AMD_EPYC_9654", "assumed", "AMD_EPYC_9655", "exact+official"),
    "AMD_EPYC_9965": Cpu(
        500, 0.86, "AMD_EPYC_9965", "exact+official", "AMD_EPYC_9965", "exact+official"
    ),
    "AMD_EPYC_9534": Cpu(
        280, 1.01, "AMD_EPYC_9654", "official+proxy", "AMD_EPYC_9654", "official+proxy"
    ),
    "AMD_EPYC_9375F": Cpu(320, 1.67, "AMD_EPYC_9654", "assumed", "AMD_EPYC_9655", "official+proxy"),
    "INTEL_XEON_GOLD_6530": Cpu(
        270, 0.9, "XEON_GEN5_GENERIC", "official+proxy", None, "official+proxy"
    ),
}


@dataclass(frozen=True)
class Gpu:
    """Watts of one device and what a cap does to it; source_: where the source has another."""

    max_w: float
    min_w: float
    idle_w: float
    speed: float
    gamma: float
    epsilon: float
    memory_gamma: float
    idle_mark: str
    min_mark: str
    source_min_w: float | None = None
    source_idle_w: float | None = None


GPUS = {
    "NVIDIA_H100_NVL": Gpu(400, 200, 60, 0.84, 1.5, 0.15, 0.9, "verified", "verified"),
    "NVIDIA_H100_SXM": Gpu(
        700, 200, 100, 1.0, 1.4, 0.15, 0.9, "derived", "verified", source_min_w=350
    ),
    "NVIDIA_L40S": Gpu(350, 200, 35, 0.37, 1.2, 0.25, 1.1, "derived", "assumed"),
    "AMD_INSTINCT_MI300X": Gpu(
        750, 350, 144, 1.32, 0.85, 0.1, 0.85, "derived", "assumed", source_idle_w=120
    ),
    "AMD_RADEON_PRO_W7900": Gpu(
        295, 200, 13, 0.12, 1.1, 0.3, 1.2, "derived", "assumed", source_idle_w=25
    ),
}


def interpolated(points: tuple[float, ...], load_pct: float) -> float:
    load = min(max(load_pct, 0.0), 100.0)
    left = min(int(load // 10), 9)
    share = (load - 10 * left) / 10
    return points[left] * (1 - share) + points[left + 1] * share


def curve_points(key: str, is_source: bool = False) -> tuple[float, ...] | None:
    """Watts of two sockets at load 0, 10, … 100 %."""
    cpu = CPUS[key]
    family = cpu.source_curve_of if is_source else cpu.curve_of
    if family is None:
        return None
    family_tdp_w = CPUS[family].tdp_w if family in CPUS else GEN5_TDP_W
    return tuple(watts * cpu.tdp_w / family_tdp_w for watts in CURVES[family])
