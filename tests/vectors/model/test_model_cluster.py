# SPDX-License-Identifier: Apache-2.0
"""Whole runs of simulated clusters: jobs end and machines draw as in the model, in both physics
sets, while caps and throttles come and go; and single answers of physics.* on drawn numbers."""

from __future__ import annotations

import os
import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, difference, is_near
from reference.catalog import CPUS, GPUS
from reference.cluster import Cluster, Node, Part, Task
from reference.physics import (
    CPU_CLASSES,
    CURRENT,
    GPU_CLASSES,
    SOURCE,
    Job,
    Load,
    Work,
    cpu_factor,
    cpu_power,
    cpu_weights,
    cpus_of,
    device_of,
    gpu_factor,
    gpu_weights,
)

import joulie

RUNS = int(os.environ.get("JOULIE_MODEL_RUNS", "40"))
QUESTIONS = 400
SLACK = 1e-7
CPU_WORDS = [*CPU_CLASSES, "cpu.mixed"]
GPU_WORDS = [*GPU_CLASSES, "gpu.mixed"]


def drawn_job(draw: Draw, cores: int, gpus: int) -> Job:
    return Job(
        cores=cores,
        gpus=gpus,
        cpu_class=draw.choice(CPU_WORDS),
        gpu_class=draw.choice(GPU_WORDS),
        cpu_util=round(draw.uniform(0.1, 1), 3),
        gpu_util=round(draw.uniform(0.1, 1), 3),
        memory=round(draw.uniform(0.05, 0.9), 3),
        io=round(draw.uniform(0.01, 0.5), 3),
        feed=draw.choice([0, 0.3, 0.45, 1]),
        sensitivity_cpu=draw.choice([0, 0.5, 1, 1]),
        sensitivity_gpu=draw.choice([0, 0.5, 1, 1]),
    )


def record_of(task: Task) -> dict[str, Any]:
    """A line of the trace."""
    job = task.job
    requests = {"cpu": str(job.cores), "memory": f"{task.memory_gib}Gi"}
    if job.gpus > 0:
        requests["gpu"] = str(job.gpus)
    return {
        "type": "job",
        "jobId": task.name,
        "submitTimeOffsetSec": task.submit_s,
        "podTemplate": {"requests": requests},
        "work": {"cpuUnits": task.cpu.left, "gpuUnits": task.gpu.left},
        "sensitivity": {"cpu": job.sensitivity_cpu, "gpu": job.sensitivity_gpu},
        "workloadClass": {"cpu": job.cpu_class, "gpu": job.gpu_class},
        "workloadProfile": {
            "cpuUtilization": job.cpu_util,
            "gpuUtilization": job.gpu_util,
            "memoryIntensity": job.memory,
            "ioIntensity": job.io,
            "cpuFeedIntensityGpu": job.feed,
        },
    }


def drawn_tasks(draw: Draw, nodes: list[Node]) -> list[Task]:
    tasks: list[Task] = []
    at_s = 0.0
    for number in range(draw.randint(2, 40)):
        at_s += draw.choice([0, 0, draw.uniform(0, 60), draw.uniform(0, 600)])
        node = draw.choice(nodes)
        gpus = draw.randint(1, node.gpus) if node.gpus > 0 and draw.happens(0.7) else 0
        cores = draw.randint(1, node.cores)
        units_s = draw.choice([5, 60, 700, 4000]) * draw.uniform(0.5, 1)
        cpu_units = cores * units_s if gpus == 0 or draw.happens(0.7) else 0
        gpu_units = gpus * units_s * draw.uniform(0.2, 2)
        job, memory_gib = drawn_job(draw, cores, gpus), draw.randint(1, node.memory_gib)
        name = f"j-{number:03d}"
        tasks.append(Task(name, round(at_s, 3), job, memory_gib, Part(cpu_units), Part(gpu_units)))
    return tasks


def drawn_machines(draw: Draw, rules: str) -> tuple[list[dict[str, Any]], list[Node]]:
    """Entries of an inventory, and what the model makes of them."""
    entries, nodes = [], []
    for number in range(draw.randint(1, 4)):
        cpu = draw.choice([None, *CPUS])
        gpu = draw.choice([None, None, *GPUS])
        sockets, cores = draw.choice([1, 2, 2, 4]), draw.choice([16, 64, 192])
        entry: dict[str, Any] = {
            "node_name": f"n-{number}",
            "cpu_sockets": sockets,
            "cpu_cores": cores,
            "memory_gib": 256,
        }
        node = Node(f"n-{number}", cores, 256, cpus_of(cpu, sockets, rules))
        if cpu:
            entry["cpu"] = cpu
        if gpu:
            count = draw.randint(1, 8)
            entry |= {"product": gpu, "gpu_count": count}
            node = Node(node.name, cores, 256, node.cpus, count, device_of(gpu, rules))
        if draw.happens(0.2):
            entry["cpu_relative_speed"] = node.cpus.relative_speed = draw.choice([0.5, 1, 3])
        if gpu and draw.happens(0.2):
            entry["gpu_relative_speed"] = node.device.relative_speed = draw.choice([0.5, 1, 3])
        entries.append(entry)
        nodes.append(node)
    return entries, nodes


def drawn_control(draw: Draw, node: Node) -> tuple[dict[str, Any], dict[str, float]]:
    """An action of the contract, and the same for the model."""
    kinds = ["cpu", "throttle", "gpu"] if node.gpus > 0 else ["cpu", "throttle"]
    kind = draw.choice(kinds)
    if kind == "cpu":
        watts = draw.choice([0, draw.uniform(60, 1.2 * node.cpus.peak_w())])
        return {"action": "rapl.set_power_cap_watts", "capWatts": watts}, {"cpu_w": watts}
    if kind == "gpu":
        watts = draw.uniform(1, 1.2 * node.device.max_w)
        return {"action": "gpu.set_power_cap_watts", "capWattsPerGpu": watts}, {"gpu_w": watts}
    pct = draw.choice([0, draw.uniform(0, 80)])
    return {"action": "dvfs.set_throttle_pct", "throttlePct": pct}, {"throttle_pct": pct}


class Comparison:
    """One run of the library beside the model's."""

    def __init__(self, draw: Draw, rules: str, has_caps: bool) -> None:
        self.entries, nodes = drawn_machines(draw, rules)
        tasks = drawn_tasks(draw, nodes)
        self.trace = [record_of(task) for task in tasks]
        self.model = Cluster(nodes, tasks, rules)
        self.draw = draw
        self.has_caps = has_caps
        self.rules = rules
        self.mattered: Counter[str] = Counter()
        self.controls: list[Any] = []

    def run(self) -> str:
        """What differs, or nothing."""
        with joulie.Simulation(
            {"nodes": self.entries},
            self.trace,
            physics=self.rules,
            compare=False,
            external=True,
        ) as simulation:
            if self.has_caps:
                simulation.set_control_time(self.draw.uniform(1, 300))
            while (event := simulation.next_event()) is not None:
                kind = event.kind
                if kind == joulie.SimEventKind.PLACE:
                    simulation.answer([at == 0 for at in range(len(event.candidates))])
                elif kind == joulie.SimEventKind.CONTROL:
                    found = self.step(simulation, event.time_s)
                    if found:
                        return found
            self.model.step_to(float("inf"))
            return self.ends(simulation) or self.energies(simulation)

    def asked(self) -> list[Any]:
        return [self.entries, self.trace, self.controls]

    def step(self, simulation: joulie.Simulation, at_s: float) -> str:
        """Compares what every machine does, and changes some."""
        self.model.step_to(at_s)
        for node in self.model.nodes:
            body = simulation.body("telemetry", node.name)
            found = (body["instantPackagePowerWatts"], body["cpu"]["freqScale"])
            expected = (node.cpu.watts + node.gpu.watts, node.freq)
            if not all(is_near(a, b, SLACK) for a, b in zip(found, expected)):
                return difference([node.name, at_s, *self.asked()], found, expected)
            self.note(node)
        for node in self.model.nodes:
            if self.draw.happens(0.6):
                action, ours = drawn_control(self.draw, node)
                self.controls.append((at_s, node.name, action))
                simulation.control(node.name, action)
                self.model.cap(node.name, **ours)
        pause_s = self.draw.choice([0.2, 3, 60, 600]) * self.draw.random()
        simulation.set_control_time(at_s + pause_s)
        return ""

    def note(self, node: Node) -> None:
        works = [task for task in node.tasks if task.gpu.left > 0]
        cap_w = node.gpu_cap.at(self.model.now_s)
        self.mattered["several jobs on GPUs"] += len(works) > 1
        self.mattered["a GPU cap binds"] += any(
            task.job.natural_w(node.device) > cap_w for task in works
        )
        self.mattered["a GPU cap is above a job and below another"] += (
            len({task.job.natural_w(node.device) > cap_w for task in works}) == 2
        )
        is_slow = node.freq < node.freq_limit.at(self.model.now_s)
        self.mattered["a CPU cap binds"] += is_slow
        self.mattered["it binds several jobs on a curve"] += (
            is_slow and node.cpus.points is not None and len(node.tasks) > 1
        )
        self.mattered["heat slows"] += self.model.thermal(node) > 0

    def ends(self, simulation: joulie.Simulation) -> str:
        table = simulation.table("jobs")
        for at, name in enumerate(table["id"]):
            task = next(task for task in self.model.tasks if task.name == name)
            found = (
                table["controlled_node"][at],
                table["controlled_started_s"][at],
                table["controlled_ended_s"][at],
            )
            if (
                found[0] != task.node
                or not is_near(found[1], task.start_s, SLACK)
                or not is_near(found[2], task.ended_s, SLACK)
            ):
                return difference([name, *self.asked()], found, task)
        return ""

    def energies(self, simulation: joulie.Simulation) -> str:
        outcome = simulation.outcome()
        cpu_j, gpu_j = self.model.joules()
        found = outcome["energy_j"]
        return (
            ""
            if is_near(found, cpu_j + gpu_j, SLACK)
            else difference(self.asked(), found, (cpu_j, gpu_j))
        )


class Runs(unittest.TestCase):
    def compare(self, rules: str, has_caps: bool) -> Counter[str]:
        mattered: Counter[str] = Counter()
        for number in range(RUNS):
            comparison = Comparison(Draw(f"{rules} {has_caps} {number}"), rules, has_caps)
            found = comparison.run()
            if found:
                self.fail(f"run {number}: {found}")
            mattered += comparison.mattered
        return mattered

    def test_without_caps(self) -> None:
        for rules in (CURRENT, SOURCE):
            with self.subTest(rules):
                self.compare(rules, False)

    def test_with_caps_that_come_and_go(self) -> None:
        for rules in (CURRENT, SOURCE):
            with self.subTest(rules):
                mattered = self.compare(rules, True)
                expected = [
                    "several jobs on GPUs",
                    "a GPU cap binds",
                    "a GPU cap is above a job and below another",
                    "a CPU cap binds",
                    "it binds several jobs on a curve",
                ]
                expected += ["heat slows"] if rules == SOURCE else []
                for what in expected:
                    self.assertGreater(mattered[what], 0, what)


class Answers(unittest.TestCase):
    def test_power_of_a_cpu(self) -> None:
        draw = Draw("physics.cpu")
        for _ in range(QUESTIONS):
            rules, key = draw.choice([CURRENT, SOURCE]), draw.choice([None, *CPUS])
            cpus = cpus_of(key, 2, rules)
            if cpus.points is None:
                key = None
            class_, util = draw.choice(CPU_WORDS), draw.random()
            memory, io = draw.random(), draw.random()
            base = draw.random()
            load = Load(
                util,
                memory,
                io,
                class_,
                [Work(util, base, cpu_weights(class_, memory, io))],
                thermal=draw.choice([0, draw.random()]),
                freq=draw.uniform(0.375, 1),
                cap_w=draw.uniform(80, 900),
                throttle_pct=draw.choice([0, 40]),
            )
            document = {
                "options": {"model": rules},
                "model": {"curve": key} if key else None,
                "workloadClass": class_,
                "util": util,
                "memoryIntensity": memory,
                "ioIntensity": io,
                "base": base,
                "freqScale": load.freq,
                "capW": load.cap_w,
                "thermalThrottle": load.thermal,
                "targetThrottlePct": load.throttle_pct,
            }
            answer, expected = ask("physics.cpu", document), cpu_power(cpus, load, rules)
            found = (answer["powerW"], answer["freqScale"], answer["saturated"])
            is_same = is_near(found[0], expected[0], SLACK) and found[2] == expected[2]
            is_same = is_same and is_near(found[1], expected[1], 1e-6)
            self.assertTrue(is_same, difference(document, found, expected))

    def test_speed_of_a_job(self) -> None:
        draw = Draw("physics.job")
        for _ in range(QUESTIONS):
            key = draw.choice(list(GPUS))
            gpu, job = device_of(key, CURRENT), drawn_job(draw, 4, 1)
            cap_w, freq, knee = draw.uniform(0, gpu.max_w), draw.random(), draw.random()
            document = {
                "job": {
                    "cpuClass": job.cpu_class,
                    "gpuClass": job.gpu_class,
                    "cpuUtilization": job.cpu_util,
                    "gpuUtilization": job.gpu_util,
                    "memoryIntensity": job.memory,
                    "ioIntensity": job.io,
                    "cpuFeedIntensityGpu": job.feed,
                    "sensitivityCpu": job.sensitivity_cpu,
                    "sensitivityGpu": job.sensitivity_gpu,
                },
                "gpu": {"model": key},
                "capW": cap_w,
                "freqScale": freq,
                "knee": knee,
            }
            answer = ask("physics.job", document)
            cpu = cpu_factor(job, freq, knee)
            factor = gpu_factor(job, gpu, gpu.limited(cap_w), freq, knee, CURRENT)
            expected = {
                "cpuUnitsPerCoreS": cpu,
                "gpuFactor": factor,
                "gpuUnitsPerGpuS": gpu.relative_speed * factor,
            }
            for name, value in expected.items():
                self.assertTrue(
                    is_near(answer[name], value, SLACK), difference(document, answer, expected)
                )

    def test_power_of_a_gpu(self) -> None:
        draw = Draw("physics.gpu")
        for _ in range(QUESTIONS):
            key, class_ = draw.choice(list(GPUS)), draw.choice(GPU_WORDS)
            gpu, util, memory = device_of(key, CURRENT), draw.random(), draw.random()
            feed, cap_w = draw.random(), draw.uniform(0, 1.1 * gpu.max_w)
            document = {
                "gpu": {"model": key},
                "workloadClass": class_,
                "memoryIntensity": memory,
                "cpuFeedIntensity": feed,
                "util": util,
                "capW": cap_w,
            }
            answer, weights = ask("physics.gpu", document), gpu_weights(class_, memory, feed)
            natural_w, limited_w = gpu.natural_w(weights, util), gpu.limited(cap_w)
            expected = (
                natural_w,
                gpu.power_w(natural_w, limited_w),
                gpu.throughput(weights, natural_w, limited_w),
            )
            found = (answer["naturalW"], answer["powerW"], answer["throughput"])
            is_same = all(is_near(a, b, SLACK) for a, b in zip(found, expected))
            self.assertTrue(is_same, difference(document, found, expected))


if __name__ == "__main__":
    unittest.main()
