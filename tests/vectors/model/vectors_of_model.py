# SPDX-License-Identifier: Apache-2.0
"""The vectors whose expected numbers this model works out: libjoulie-*-current.json.

As a program it prints one of them: vectors_of_model.py NAME >../NAME.json.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

from reference.catalog import CPUS, GPUS, curve_points, interpolated

Case = dict[str, Any]
DIGITS = 12


def rounded(value: Any) -> Any:
    """Numbers of the files have twelve digits, as those of the papers."""
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short == int(short) else short
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    if isinstance(value, list):
        return [rounded(member) for member in value]
    return value


def case(name: str, question: str, document: Case, expected: Case, note: str = "") -> Case:
    made: Case = {"id": name, "question": question, "in": document, "out": rounded(expected)}
    return {**made, "note": note} if note else made


# ---- catalog ----


def entry_of_cpu(key: str) -> Case:
    cpu = CPUS[key]
    mark = "verified" if cpu.curve_of == key else "assumed"
    expected = {
        "key": key,
        "tdpW": cpu.tdp_w,
        "relativeSpeed": cpu.speed,
        "provenance": cpu.provenance,
        "proxyFrom": None if cpu.curve_of == key else cpu.curve_of,
        "origins": [
            {"figure": "curve", "mark": mark},
            {"figure": "relativeSpeed", "mark": "derived"},
        ],
    }
    return case(f"cpu-{key}", "catalog.lookup", {"kind": "cpu", "text": key}, expected)


def entry_of_gpu(key: str) -> Case:
    gpu = GPUS[key]
    expected = {
        "key": key,
        "relativeSpeed": gpu.speed,
        "idleW": gpu.idle_w,
        "minBoardPowerW": gpu.min_w,
        "maxBoardPowerW": gpu.max_w,
        "origins": [
            {"figure": "relativeSpeed", "mark": "derived"},
            {"figure": "idleW", "mark": gpu.idle_mark},
            {"figure": "minBoardPowerW", "mark": gpu.min_mark},
            {"figure": "capLaw", "mark": "assumed"},
        ],
    }
    return case(f"gpu-{key}", "catalog.lookup", {"kind": "gpu", "text": key}, expected)


def entry_of_source(kind: str, key: str) -> Case:
    options = {"model": "v0.1.1"}
    expected: Case = {"key": key, "relativeSpeed": None, "origins": None}
    if kind == "cpu":
        expected["provenance"] = CPUS[key].source_provenance
    else:
        gpu = GPUS[key]
        expected["idleW"] = gpu.idle_w if gpu.source_idle_w is None else gpu.source_idle_w
        expected["minBoardPowerW"] = gpu.min_w if gpu.source_min_w is None else gpu.source_min_w
    document = {"options": options, "kind": kind, "text": key}
    return case(f"source-{key}", "catalog.lookup", document, expected)


def curves(key: str) -> list[Case]:
    points = curve_points(key)
    assert points is not None
    return [
        case(
            f"curve-{key}-{load}",
            "catalog.lookup",
            {"kind": "cpu", "text": key, "loadPct": load},
            {"curveW": interpolated(points, load)},
        )
        for load in (0, 4, 15, 50, 66.5, 95, 100, 120)
    ]


def node_with_h100_sxm(pct: float) -> Case:
    labels = {"metadata": {"name": "n", "labels": {}}, "spec": {}}
    resources = {"cpu": "8", "nvidia.com/gpu": "4"}
    gpu = {"present": True, "count": 4, "rawModel": "NVIDIA-H100-80GB-HBM3"}
    return {
        "policy": {
            "type": "static_partition",
            "staticHpFrac": 0,
            "gpuWriteAbsoluteCaps": True,
            "gpuPerformanceCapPctOfMax": pct,
        },
        "nodes": [
            {
                "node": {
                    "apiVersion": "v1",
                    "kind": "Node",
                    **labels,
                    "status": {"capacity": resources, "allocatable": resources},
                },
                "hardware": {
                    "apiVersion": "joulie.io/v1alpha1",
                    "kind": "NodeHardware",
                    "metadata": {"name": "n"},
                    "spec": {"nodeName": "n"},
                    "status": {"gpu": gpu},
                },
            }
        ],
        "pods": [],
        "now": "2026-03-13T12:00:00Z",
    }


def caps_of_h100_sxm() -> list[Case]:
    sxm = GPUS["NVIDIA_H100_SXM"]
    cases = []
    for pct in (40, 25):
        watts = max(sxm.min_w, sxm.max_w * pct / 100)
        cap = {"scope": "perGpu", "capPctOfMax": pct, "capWattsPerGpu": watts}
        expected = {"assignments": [{"nodeName": "n", "gpu": {"powerCap": cap}}]}
        cases.append(case(f"cap-H100_SXM-{pct}", "plan", node_with_h100_sxm(pct), expected))
    return cases


def twin_of_6530() -> Case:
    points = curve_points("INTEL_XEON_GOLD_6530")
    assert points is not None
    document = {
        "hardware": {"cpu": {"model": "INTEL_XEON_GOLD_6530", "sockets": 2, "totalCores": 64}},
        "spec": {"nodeName": "n1", "profile": "performance"},
        "cpuUtilPct": 50,
    }
    watts = interpolated(points, 50)
    expected = {"powerMeasurement": {"source": "utilization", "measuredNodePowerW": watts}}
    return case("twin-6530", "predict", document, expected)


def catalog_cases() -> list[Case]:
    made = [entry_of_cpu(key) for key in CPUS] + [entry_of_gpu(key) for key in GPUS]
    made += [entry_of_source("cpu", key) for key in CPUS]
    made += [entry_of_source("gpu", key) for key in GPUS]
    for key in CPUS:
        made += curves(key)
    return [*made, *caps_of_h100_sxm(), twin_of_6530()]


FILES: dict[str, tuple[str, Callable[[], list[Case]]]] = {
    "libjoulie-catalog-current": ("docs/rules/catalog.md", catalog_cases),
}


def text_of(name: str) -> str:
    page, cases = FILES[name]
    lines = ",\n".join("  " + json.dumps(made, ensure_ascii=False) for made in cases())
    return f'{{"spec": "{page}", "section": "current",\n "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    sys.stdout.write(text_of(sys.argv[1]))
