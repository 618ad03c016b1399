# SPDX-License-Identifier: Apache-2.0
"""The vectors whose expected numbers this model works out: libjoulie-*-current.json.

As a program it prints one of them: vectors_of_model.py NAME >../NAME.json.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

from efficiency_documents import answers, node_document, pod_object, pods_of, question
from reference import efficiency
from reference.catalog import CPUS, GPUS, curve_points, interpolated
from reference.physics import (
    CURRENT,
    Job,
    Load,
    Work,
    base_of,
    cpu_factor,
    cpu_power,
    cpu_weights,
    cpus_of,
    device_of,
    gpu_factor,
    gpu_weights,
)
from vectors_of_gpu_caps import gpu_cap_cases
from vectors_of_policy import policy_cases
from vectors_of_power_off import power_off_cases
from vectors_of_power_record import power_record_cases
from vectors_of_psu import psu_cases

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
        for load in (0, 4, 10, 15, 20, 30, 40, 50, 60, 66.5, 70, 80, 90, 95, 100, 120)
    ]


def node_with_h100_sxm(pct: float) -> Case:
    labels = {"metadata": {"name": "n", "labels": {}}, "spec": {}}
    resources = {"cpu": "8", "nvidia.com/gpu": "4"}
    gpu = {"present": True, "count": 4, "rawModel": "NVIDIA-H100-80GB-HBM3"}
    return {
        "policy": {
            "type": "static_partition",
            "staticHpFrac": 1,
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


# ---- physics ----

MIXES = (
    ("cpu.compute_bound", 0.0, 0.0),
    ("cpu.memory_bound", 0.85, 0.1),
    ("cpu.io_bound", 0.2, 0.85),
    ("cpu.mixed", 0.45, 0.1),
)


def cpu_case(name: str, key: str, work: Case, base: float | None = None) -> Case:
    """Without a base it follows from the utilisation and the intensities."""
    class_, memory, io, util = (
        work["workloadClass"],
        work["memoryIntensity"],
        work["ioIntensity"],
        work["util"],
    )
    depends = base_of(util, memory, io) if base is None else base
    load = Load(
        util,
        memory,
        io,
        class_,
        [Work(util, depends, cpu_weights(class_, memory, io))],
        freq=work.get("freqScale", 1),
        cap_w=work.get("capW", 5000),
        thermal=work.get("thermalThrottle", 0),
    )
    watts, freq, is_saturated = cpu_power(cpus_of(key, 2, CURRENT), load, CURRENT)
    document = {"model": {"curve": key}, **work}
    if base is not None:
        document["base"] = base
    expected = {"powerW": watts, "freqScale": freq, "saturated": is_saturated}
    return case(name, "physics.cpu", document, expected)


def curve_loads() -> list[Case]:
    """Power at a frequency, and under a cap that binds or cannot be kept."""
    cases = []
    for key in CPUS:
        for class_, memory, io in MIXES:
            mix = {"workloadClass": class_, "memoryIntensity": memory, "ioIntensity": io}
            short = f"{key}-{class_.split('.')[1]}"
            cases.append(cpu_case(f"freq-{short}", key, {**mix, "util": 0.75, "freqScale": 0.6}))
            cases.append(cpu_case(f"cap-{short}", key, {**mix, "util": 0.95, "capW": 500}))
            cases.append(cpu_case(f"low-{short}", key, {**mix, "util": 0.9, "capW": 300}))
    mixed = {"workloadClass": "cpu.mixed", "memoryIntensity": 0.45, "ioIntensity": 0.1}
    full = {**mixed, "util": 1}
    for base in (0.0, 0.3, 1.0):
        name = f"base-{base:g}"
        cases.append(cpu_case(f"{name}-freq", "AMD_EPYC_9654", {**full, "freqScale": 0.5}, base))
        cases.append(cpu_case(f"{name}-cap", "AMD_EPYC_9654", {**full, "capW": 640}, base))
        hot = {**full, "thermalThrottle": 0.25}
        cases.append(cpu_case(f"{name}-hot", "AMD_EPYC_9654", hot, base))
    return cases


def hot_without_a_curve() -> Case:
    """The frequency for a cap counts the heat, which lowers the power."""
    work = {
        "workloadClass": "cpu.mixed",
        "memoryIntensity": 0.45,
        "ioIntensity": 0.1,
        "util": 0.85,
        "capW": 200.0,
        "thermalThrottle": 0.5,
    }
    load = Load(0.85, 0.45, 0.1, "cpu.mixed", thermal=0.5, cap_w=200)
    watts, freq, is_saturated = cpu_power(cpus_of(None, 2, CURRENT), load, CURRENT)
    expected = {"powerW": watts, "freqScale": freq, "saturated": is_saturated}
    return case("hot-without-a-curve", "physics.cpu", work, expected)


def generic_saturation() -> Case:
    """A curve is saturated by its own power, not by that of the model without a curve."""
    work = {
        "workloadClass": "cpu.compute_bound",
        "memoryIntensity": 0.0,
        "ioIntensity": 0.0,
        "util": 1.0,
        "capW": 390.0,
    }
    return cpu_case("saturated-by-the-curve", "AMD_EPYC_9965", work)


def profiles() -> list[Case]:
    cases = [
        case("speed-of-nothing", "physics.profile", {}, {"relativeSpeed": 1}),
        case(
            "speed-of-source",
            "physics.profile",
            {"options": {"model": "v0.1.1"}, "cpuModel": "AMD EPYC 9965", "gpuModel": "L40S"},
            {"relativeSpeed": 1, "gpu": {"relativeSpeed": 1}},
        ),
        case(
            "speed-that-is-set",
            "physics.profile",
            {"base": {"relativeSpeed": 1.5}, "cpuModel": "AMD EPYC 9965"},
            {"relativeSpeed": 1.5},
        ),
    ]
    for key in CPUS:
        cpus = cpus_of(key, 2, CURRENT)
        document = {"cpuModel": key, "cpuSockets": 2}
        expected = {
            "relativeSpeed": cpus.relative_speed,
            "cpuWattsPerDeltaC": cpus.peak_w() / 52.5,
        }
        cases.append(case(f"profile-{key}", "physics.profile", document, expected))
    for key in GPUS:
        gpu = device_of(key, CURRENT)
        expected = {
            "gpu": {
                "idleWattsPerGpu": gpu.idle_w,
                "minCapWattsPerGpu": gpu.min_w,
                "relativeSpeed": gpu.relative_speed,
            }
        }
        cases.append(case(f"profile-{key}", "physics.profile", {"gpuModel": key}, expected))
    return cases


def refused(name: str, base: Case, where: str) -> Case:
    return {
        "id": name,
        "question": "physics.profile",
        "in": {"base": base},
        "error": {"code": "range", "where": where},
    }


def devices() -> list[Case]:
    cases = []
    for key in ("AMD_INSTINCT_MI300X", "AMD_RADEON_PRO_W7900", "NVIDIA_H100_SXM"):
        gpu = device_of(key, CURRENT)
        for class_, memory in (("gpu.compute_bound", 0.3), ("gpu.memory_bound", 0.85)):
            weights = gpu_weights(class_, memory, 0.45)
            for util, cap in ((0.5, gpu.max_w), (0.8, 0.6 * gpu.max_w), (1.0, 0.3 * gpu.max_w)):
                natural_w, cap_w = gpu.natural_w(weights, util), gpu.limited(cap)
                document = {
                    "gpu": {"model": key},
                    "workloadClass": class_,
                    "memoryIntensity": memory,
                    "cpuFeedIntensity": 0.45,
                    "util": util,
                    "capW": cap,
                }
                expected = {
                    "naturalW": natural_w,
                    "powerW": gpu.power_w(natural_w, cap_w),
                    "capW": cap_w,
                    "throughput": gpu.throughput(weights, natural_w, cap_w),
                }
                short = f"{key}-{class_.split('.')[1]}-{util:g}"
                cases.append(case(short, "physics.gpu", document, expected))
    return cases


def units() -> list[Case]:
    """A second of a core and of a GPU, by model."""
    job = Job(gpus=1, cpu_util=0.6, gpu_util=0.9, memory=0.4, io=0.1, gpu_class="gpu.compute_bound")
    work = {
        "cpuClass": job.cpu_class,
        "gpuClass": job.gpu_class,
        "cpuUtilization": job.cpu_util,
        "gpuUtilization": job.gpu_util,
        "memoryIntensity": job.memory,
        "ioIntensity": job.io,
    }
    cases = []
    for rules in (CURRENT, "v0.1.1"):
        for key in GPUS:
            gpu = device_of(key, CURRENT)
            if rules != CURRENT:
                gpu.idle_w = GPUS[key].source_idle_w or gpu.idle_w
                gpu.min_w = GPUS[key].source_min_w or gpu.min_w
                gpu.relative_speed = 1
            cap_w = gpu.limited(0.6 * gpu.max_w)
            factor = gpu_factor(job, gpu, cap_w, 0.8, 0.5625, rules)
            document = {
                "options": {"model": rules},
                "job": work,
                "gpu": {"model": key},
                "capW": cap_w,
                "freqScale": 0.8,
                "knee": 0.5625,
                "relativeSpeed": 1.67,
            }
            expected = {
                "cpuUnitsPerCoreS": 1.67 * cpu_factor(job, 0.8, 0.5625),
                "gpuFactor": factor,
                "gpuUnitsPerGpuS": gpu.relative_speed * factor,
            }
            cases.append(case(f"units-{key}-{rules}", "physics.job", document, expected))
    return cases


def physics_cases() -> list[Case]:
    return [
        *curve_loads(),
        hot_without_a_curve(),
        generic_saturation(),
        *profiles(),
        refused("bad-speed", {"relativeSpeed": 0}, "base.relativeSpeed"),
        refused(
            "bad-gpu-speed", {"gpu": {"count": 1, "relativeSpeed": -1}}, "base.gpu.relativeSpeed"
        ),
        *devices(),
        *units(),
    ]


# ---- what a pod costs on a node ----


def efficiency_cluster() -> list[tuple[str, efficiency.Node]]:
    """One node of each sort: without pods, with some, without a curve, with GPUs, not known."""
    node = efficiency.Node
    return [
        ("empty-9654", node("AMD_EPYC_9654", 2, 192)),
        ("busy-9654", node("AMD_EPYC_9654", 2, 192, pods=2, used_cores=97)),
        ("kept-9654", node("AMD_EPYC_9654", 2, 192, pods=1, used_cores=95, allocatable_cores=190)),
        ("empty-9965", node("AMD_EPYC_9965", 2, 384)),
        ("one-9375f", node("AMD_EPYC_9375F", 1, 32)),
        ("busy-6530", node("INTEL_XEON_GOLD_6530", 2, 64, pods=1, used_cores=0)),
        ("by-its-limit", node("", 2, 64, cpu_max_w=270)),
        ("below-idle", node("", 1, 8, cpu_max_w=30)),
        ("no-watts", node("", 2, 64)),
        ("no-cores", node("AMD_EPYC_9654", 2, 0)),
        ("h100", node("AMD_EPYC_9654", 2, 192, gpu="NVIDIA_H100_NVL", gpus=8)),
        (
            "h100-partly",
            node("AMD_EPYC_9654", 2, 192, 0, "NVIDIA_H100_NVL", 8, 1, used_cores=30, used_gpus=5),
        ),
        ("l40s", node("INTEL_XEON_GOLD_6530", 2, 64, gpu="NVIDIA_L40S", gpus=4)),
        ("strange-gpus", node("AMD_EPYC_9654", 2, 192, gpus=4)),
    ]


def efficiency_case(
    name: str, pod: efficiency.Pod, settings: efficiency.Settings, only: list[str] | None = None
) -> Case:
    nodes = [one for one in efficiency_cluster() if only is None or one[0] in only]
    documents = [node_document(node_name, node, pods_of(node)) for node_name, node in nodes]
    demand = {"cpuCores": pod.cores or 0.1, "memoryBytes": 0, "gpuCount": pod.gpus}
    if pod.gpus:
        demand["gpuVendor"] = "nvidia"
    out = {
        "workloadClass": "standard",
        "marginalDemand": demand,
        "passed": [node_name for node_name, _ in nodes],
        "failed": {},
        "scores": answers(nodes, pod, settings),
    }
    return {
        "id": f"efficiency-{name}",
        "question": "score",
        "in": question(pod, documents, settings),
        "out": rounded(out),
    }


def efficiency_cases() -> list[Case]:
    pod, settings = efficiency.Pod, efficiency.Settings
    agent = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u"}
    of_the_node = efficiency_case("pods-of-the-node", pod(8), settings(), ["empty-9654"])
    of_the_node["in"]["nodes"][0]["pods"] = [
        pod_object("agent", 1, 0, ownerReferences=[agent]),
        pod_object("mirror", 1, 0, annotations={"kubernetes.io/config.mirror": "x"}),
        {**pod_object("over", 9, 0), "status": {"phase": "Failed"}},
    ]
    return [
        efficiency_case("eight-cores", pod(8), settings()),
        efficiency_case("asks-for-nothing", pod(), settings()),
        efficiency_case("time", pod(31.5), settings(time_w=5)),
        efficiency_case("idle", pod(2), settings(idle=1)),
        efficiency_case("half-of-idle", pod(2), settings(idle=0.5)),
        efficiency_case("one-gpu", pod(8, 1), settings()),
        efficiency_case("two-gpus-that-wait-for-memory", pod(16, 2, 0.95, "memory"), settings()),
        efficiency_case("gpus-mixed", pod(16, 2, 0.5, "mixed"), settings(time_w=2)),
        efficiency_case("gpus-of-no-use", pod(1, 3, 0.0), settings(idle=1)),
        efficiency_case("gpus-compute", pod(4, 8, 1.0), settings()),
        efficiency_case("one-node", pod(8), settings(), ["busy-9654"]),
        efficiency_case("nobody-known", pod(8), settings(), ["no-watts", "no-cores"]),
        efficiency_case("no-gpu-known", pod(8, 1), settings(), ["empty-9654", "strange-gpus"]),
        of_the_node,
    ]


FILES: dict[str, tuple[str, Callable[[], list[Case]]]] = {
    "libjoulie-catalog-current": ("docs/rules/catalog.md", catalog_cases),
    "libjoulie-efficiency-current": ("docs/rules/placement.md", efficiency_cases),
    "libjoulie-gpu-caps-current": (
        "docs/rules/policy.md#efficiency_v1",
        lambda: rounded(gpu_cap_cases()),
    ),
    "libjoulie-physics-current": ("docs/rules/physics.md", physics_cases),
    "libjoulie-policy-current": ("docs/rules/policy.md", policy_cases),
    "libjoulie-power-off-current": ("docs/rules/policy.md", power_off_cases),
    "libjoulie-power-record-current": ("docs/rules/policy.md", power_record_cases),
    "libjoulie-score-psu-current": ("docs/rules/placement.md", lambda: rounded(psu_cases())),
}


def text_of(name: str) -> str:
    page, cases = FILES[name]
    lines = ",\n".join("  " + json.dumps(made, ensure_ascii=False) for made in cases())
    return f'{{"spec": "{page}", "section": "current",\n "cases": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    sys.stdout.write(text_of(sys.argv[1]))
