# SPDX-License-Identifier: Apache-2.0
"""What could be saved at most: of drawn clusters and of a generated trace as in the model, and never less than what
any run needed."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from drawing import Draw
from reference.bound import Demand, Family, bound
from reference.catalog import CPUS
from reference.cluster import Node, Part, Task
from reference.physics import CURRENT, Job, cpus_of, device_of
from test_model_cluster import drawn_machines, drawn_tasks, record_of

import joulie

CASES = int(os.environ.get("JOULIE_MODEL_BOUNDS", "12"))
GRID = 400  # caps that are tried
GAP = 1.5e-3  # of GPU energy: how far below the least the library may stay
BASELINES = ["least-allocated", "most-allocated"]
POLICIES = [
    {"name": "cheapest", "policy": {"staticHpFrac": 1}, "placement": "efficiency-cost"},
    {
        "name": "capped",
        "placement": "most-allocated",
        "policy": {"type": "static_partition", "staticHpFrac": 0.5, "gpuEcoCapPctOfMax": 92},
    },
]
LONGER_S = 60.0
NEAR = 5e-3  # of what prices come to


def drawn_cluster(draw: Draw) -> tuple[list[dict[str, Any]], list[Node]]:
    """All of whose curves were measured."""
    while True:
        entries, nodes = drawn_machines(draw, CURRENT)
        if all(node.cpus.points for node in nodes):
            return entries, nodes


def number(run: dict[str, Any], name: str) -> float:
    value = run[name]
    assert isinstance(value, float | int), (name, value)
    return float(value)


class Bounds(unittest.TestCase):
    def runs_of(self, document: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
        with joulie.Experiment(document, folder=folder) as experiment:
            return list(experiment.run(2).table("runs").rows())

    def recorded(self, entries: list[dict[str, Any]], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        scenario = {"name": "s", "inventory": {"nodes": entries}, "traceFile": "t.jsonl"}
        document = {
            "seeds": 1,
            "scenarios": [scenario],
            "baselines": BASELINES,
            "policies": POLICIES,
        }
        with tempfile.TemporaryDirectory() as folder:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            Path(folder, "t.jsonl").write_text(text)
            return self.runs_of(document, Path(folder))

    def assert_as_in_the_model(self, run: dict[str, Any], expected: dict[str, float]) -> None:
        gpus = expected["gpuDynamicJ"] + expected["asleepJ"]
        for name, value in expected.items():
            found = number(run, f"bound.{name}")
            if name.startswith("priced"):  # two climbs to the same height
                self.assertLessEqual(abs(found / value - 1) if value else found, NEAR, (name, found, value))
                continue
            slack = 1e-9 * (1 + value) if name.startswith("cpu") else 2e-6 * gpus
            below = slack if name.startswith("cpu") else GAP * value + slack
            self.assertLessEqual(found, value + slack, name)
            self.assertGreaterEqual(found, value - below, name)

    def assert_holds(self, base: dict[str, Any], run: dict[str, Any], seen: Counter[str]) -> None:
        """A run that ends and waits as the bound's schedules needs at least as much."""
        if run["policy"] in BASELINES:
            cpu_wait_s, gpu_wait_s = (number(run, f"bound.{kind}WaitS") for kind in ("cpu", "gpu"))
            waits = max(cpu_wait_s, gpu_wait_s) - LONGER_S
        else:
            waits = number(run, "waitS.max")
        allowed = min(number(base, f"bound.{kind}WaitS") for kind in ("cpu", "gpu"))
        if number(run, "outcome.timeS") > number(base, "bound.endS") or waits > allowed:
            return
        is_slowed = number(run, "slowdown.max") > 1.0005
        if number(run, "slowdown.max") > 1.1:
            return
        word = "Slowed" if is_slowed else ""
        cpu_j, gpu_j = number(run, "outcome.cpuDynamicJ"), number(run, "outcome.gpuDynamicJ")
        least_gpu_j = number(base, "bound.gpuDynamicSlowedJ" if is_slowed else "bound.gpuDynamicJ")
        self.assertGreaterEqual(cpu_j * (1 + 1e-9) + 1, number(base, "bound.cpuDynamicJ"), run)
        self.assertGreaterEqual(gpu_j * (1 + 1e-9) + 1, least_gpu_j, run)
        self.assertGreater(number(run, "outcome.energyJ"), number(base, "bound.asleepSlowedJ"))
        self.assertGreaterEqual((cpu_j + gpu_j) * (1 + 1e-9) + 1, number(base, f"bound.priced{word}J"), run)
        after_s = number(base, "bound.endS") - number(run, "outcome.timeS")
        all_j = number(run, "outcome.energyJ") + after_s * number(run, "outcome.powerW")
        self.assertGreater(all_j, number(base, f"bound.pricedAsleep{word}J"), run)
        seen["held"] += 1
        seen["slowed"] += is_slowed

    def test_of_drawn_clusters(self) -> None:
        seen: Counter[str] = Counter()
        for case in range(CASES):
            draw = Draw(f"bound {case}")
            entries, nodes = drawn_cluster(draw)
            tasks = drawn_tasks(draw, nodes)
            families = [Family(node, 1) for node in nodes]
            runs = self.recorded(entries, [record_of(task) for task in tasks])
            if any(run["outcome.completed"] != len(tasks) for run in runs):
                seen["left over"] += 1
                continue
            for base in runs[: len(BASELINES)]:
                demands = [
                    Demand(
                        task,
                        [family for family in families if family.takes(task, None)],
                        number(base, "bound.gpuWaitS" if task.job.gpus else "bound.cpuWaitS"),
                    )
                    for task in tasks
                ]
                expected = bound(demands, families, number(base, "bound.endS"), GRID)
                self.assertEqual(base["bound.endS"], base["outcome.timeS"])
                self.assert_as_in_the_model(base, expected)
                for run in runs:
                    self.assert_holds(base, run, seen)
                seen["compared"] += 1
                seen["gpus"] += expected["gpuDynamicJ"] > 0
                seen["waits"] += number(base, "waitS.max") > 0
                seen["choice"] += len(nodes) > 1
        for what in ("compared", "gpus", "waits", "choice", "held"):
            self.assertGreater(seen[what], CASES // 4, seen)

    def test_a_job_without_a_choice_needs_what_it_takes(self) -> None:
        """One machine, and a load at which a core takes least: the bound is met."""
        entry = {"node_name": "a", "cpu_cores": 192, "memory_gib": 512, "cpu": "AMD_EPYC_9654"}
        entry |= {"product": "NVIDIA_H100_NVL", "gpu_count": 8}
        job = Job(cores=192, gpus=8, cpu_util=0.6, gpu_util=0.9)
        task = Task("j", 0, job, 100, Part(192 * 1000), Part(8 * 5000))
        run = self.recorded([entry], [record_of(task)])[0]
        for kind in ("cpu", "gpu"):
            taken, least = number(run, f"outcome.{kind}DynamicJ"), number(run, f"bound.{kind}DynamicJ")
            self.assertLessEqual(abs(taken / least - 1), 1e-6, kind)
        self.assertLess(number(run, "bound.gpuDynamicSlowedJ"), number(run, "bound.gpuDynamicJ"))

    def test_there_is_none_without_a_curve_or_with_work_left_over(self) -> None:
        entry = {"node_name": "a", "cpu_cores": 16, "memory_gib": 64}
        task = Task("j", 0, Job(cores=8), 1, Part(8 * 1000), Part(0))
        known = {**entry, "cpu": "AMD_EPYC_9654"}
        for one in self.recorded([entry], [record_of(task)])[:2]:
            self.assertIsNone(one["bound.cpuDynamicJ"])
        too_large = {**record_of(task), "podTemplate": {"requests": {"cpu": "17"}}}
        for one in self.recorded([known], [too_large])[:2]:
            self.assertIsNone(one["bound.cpuDynamicJ"])
        for one in self.recorded([known], [record_of(task)]):
            self.assertEqual(one["bound.cpuDynamicJ"] is None, one["policy"] not in BASELINES)

    def test_of_a_generated_trace(self) -> None:
        """With replicas, vendors, several loads at once and the speeds of the catalog."""
        kinds = [
            ("AMD_EPYC_9965", None, None, 2, 384),
            ("AMD_EPYC_9375F", None, None, 2, 64),
            ("AMD_EPYC_9654", "NVIDIA_H100_NVL", "nvidia", 2, 192),
            ("AMD_EPYC_9534", "NVIDIA_L40S", "nvidia", 2, 128),
            ("AMD_EPYC_9534", "AMD_INSTINCT_MI300X", "amd", 1, 128),
        ]
        entries, families = [], []
        for number_, (cpu, gpu, vendor, count, cores) in enumerate(kinds):
            entry: dict[str, Any] = {"node_name_prefix": f"n{number_}", "replicas": count}
            entry |= {"cpu": cpu, "cpu_cores": cores, "memory_gib": 1536}
            node = Node(entry["node_name_prefix"], cores, 1536, cpus_of(cpu, 2, CURRENT))
            if gpu:
                entry |= {"product": gpu, "gpu_count": 8}
                node = Node(node.name, cores, 1536, node.cpus, 8, device_of(gpu, CURRENT))
            entries.append(entry)
            families.append(Family(node, count, vendor))
        options = {"hours": 3, "gpu_ratio": 0.5, "max_duration_s": 3600, "base_speed": 1}
        trace = joulie.generate_workload(
            "diurnal", inventory={"nodes": entries}, seed=1, load=0.5, **options
        )
        lines = [line for line in map(json.loads, trace.splitlines()) if line["type"] == "job"]
        workload = {"hours": 3, "gpuRatio": 0.5, "maxDurationS": 3600, "baseSpeed": 1}
        scenario = {"name": "s", "inventory": {"nodes": entries}, "workload": workload}
        runs = self.runs_of(
            {"seeds": 1, "loads": [0.5], "scenarios": [scenario], "baselines": ["kube"]}, Path()
        )
        tasks = [self.task_of(line) for line in lines]
        self.assertGreater(len(tasks), 20)
        demands = [
            Demand(
                task,
                [family for family in families if family.takes(task, vendor)],
                number(runs[0], "bound.gpuWaitS" if task.job.gpus else "bound.cpuWaitS"),
            )
            for task, vendor in tasks
        ]
        expected = bound(demands, families, number(runs[0], "bound.endS"), 100)
        self.assertEqual(set(CPUS) & {kind[0] for kind in kinds}, {kind[0] for kind in kinds})
        self.assert_as_in_the_model(runs[0], expected)

    @staticmethod
    def task_of(line: dict[str, Any]) -> tuple[Task, str | None]:
        requests, profile = line["podTemplate"]["requests"], line["workloadProfile"]
        vendor = next((name for name in ("nvidia", "amd") if f"{name}.com/gpu" in requests), None)
        gpus = int(requests[f"{vendor}.com/gpu"]) if vendor else 0
        job = Job(
            cores=int(requests["cpu"]),
            gpus=gpus,
            cpu_class=line["workloadClass"]["cpu"],
            gpu_class=line["workloadClass"].get("gpu", "gpu.mixed"),
            cpu_util=profile["cpuUtilization"],
            gpu_util=profile.get("gpuUtilization", 0),
            memory=profile["memoryIntensity"],
            io=profile["ioIntensity"],
            feed=0.45 if gpus else 0,
        )
        units = line["work"]
        memory = int(requests["memory"].removesuffix("Gi"))
        task = Task(
            line["jobId"],
            line["submitTimeOffsetSec"],
            job,
            memory,
            Part(units["cpuUnits"]),
            Part(units["gpuUnits"]),
        )
        return task, vendor


if __name__ == "__main__":
    unittest.main()
