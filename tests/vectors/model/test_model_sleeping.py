# SPDX-License-Identifier: Apache-2.0
"""Whole runs whose nodes are switched off and woken: jobs start, end and wait, and machines draw,
as in the model."""

from __future__ import annotations

import os
import unittest
from collections import Counter
from typing import Any

from drawing import Draw, difference, is_near
from reference.catalog import CPUS, GPUS
from reference.cluster import Node, Part, Task
from reference.physics import CURRENT, cpus_of, device_of
from reference.policy import Node as Hardware
from reference.power_off import Settings
from reference.sleeping import Power, Sleeping
from test_model_cluster import drawn_job, record_of
from vectors_of_power_off import settings_of

import joulie

RUNS = int(os.environ.get("JOULIE_MODEL_RUNS", "40"))
SLACK = 1e-7
WORDS = ("least-allocated", "kube", "most-allocated")


class Drawn:
    """Machines and jobs, for the library and for the model."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.entries: list[dict[str, Any]] = []
        self.nodes: list[Node] = []
        self.powers: dict[str, Power] = {}
        self.vendors: dict[str, str] = {}
        self.tasks: list[Task] = []
        for number in range(draw.randint(2, 7)):
            self.add_machine(f"n-{number}")
        at_s = 0.0
        for number in range(draw.randint(3, 30)):
            at_s += draw.choice([0, 0, draw.uniform(0, 300), draw.uniform(0, 6000)])
            self.add_task(f"j-{number:03d}", round(at_s, 3))

    def add_machine(self, name: str) -> None:
        draw = self.draw
        cpu, gpu = draw.choice([*CPUS]), draw.choice(["", "", *GPUS])
        vendor = ("nvidia" if gpu.startswith("NVIDIA") else "amd") if gpu else ""
        cores, gpus = draw.choice([16, 64, 192]), draw.choice([2, 4, 8]) if gpu else 0
        power = Power(
            Hardware(name, cpu, cores, gpu, gpus),
            vendor,
            standby_w=draw.choice([0, 12.5, 50]),
            boot_s=draw.choice([0, 60, 300, 2000]),
            stop_s=draw.choice([0, 30, 100, 700]),
        )
        entry: dict[str, Any] = {
            "node_name": name,
            "cpu": cpu,
            "cpu_sockets": 2,
            "cpu_cores": cores,
            "memory_gib": 256,
            "standby_w": power.standby_w,
            "boot_s": power.boot_s,
            "stop_s": power.stop_s,
        }
        if gpu:
            entry |= {"vendor": vendor, "product": gpu, "gpu_count": gpus}
        self.entries.append(entry)
        self.powers[name] = power
        device = device_of(gpu or None, CURRENT)
        self.nodes.append(Node(name, cores, 256, cpus_of(cpu, 2, CURRENT), gpus, device))

    def add_task(self, name: str, at_s: float) -> None:
        draw = self.draw
        node = draw.choice(self.nodes)
        gpus = draw.randint(1, node.gpus) if node.gpus and draw.happens(0.6) else 0
        cores = draw.choice([1, node.cores // 2, node.cores])
        units_s = draw.choice([60, 700, 4000]) * draw.uniform(0.5, 1)
        job = drawn_job(draw, cores, gpus)
        work = Part(cores * units_s), Part(gpus * units_s)
        memory_gib = draw.choice([draw.randint(1, 100), 250])
        self.tasks.append(Task(name, at_s, job, memory_gib, *work))
        self.vendors[name] = self.powers[node.name].vendor if gpus else "nvidia"

    def trace(self) -> list[dict[str, Any]]:
        records = []
        for task in self.tasks:
            record = record_of(task)
            requests = record["podTemplate"]["requests"]
            if "gpu" in requests:
                requests[f"{self.vendors[task.name]}.com/gpu"] = requests.pop("gpu")
            records.append(record)
        return records


def drawn_settings(draw: Draw) -> Settings:
    return Settings(
        idle_s=draw.choice([0, 120, 600, 1800]),
        up_s=draw.choice([0, 300, 1800]),
        reserve_gpus=draw.choice([0, 0, 2, 8]),
        reserve_cores=draw.choice([0, 0, 17, 64, 256]),
        standby_w=draw.choice([0, 50, 120]),
        stop_timeout_s=draw.choice([50, 600]),
        boot_timeout_s=draw.choice([100, 1200]),
        window_s=draw.choice([0, 0, 60, 900]),
    )


class Sleep(unittest.TestCase):
    def compare(self, draw: Draw) -> Counter[str]:
        drawn, settings = Drawn(draw), drawn_settings(draw)
        word, trace = draw.choice(WORDS), drawn.trace()
        model = Sleeping(drawn.nodes, drawn.tasks, drawn.powers, drawn.vendors, settings, word)
        asked = [drawn.entries, trace, settings_of(settings), word]
        with joulie.Simulation(
            {"nodes": drawn.entries},
            trace,
            baseline=word,
            control=False,
            compare=False,
            power_off=settings_of(settings),
        ) as simulation:
            simulation.run()
            table, outcome = simulation.table("jobs"), simulation.outcome()
        model.step_to(1e9)
        for at, name in enumerate(table["id"]):
            task = next(task for task in model.tasks if task.name == name)
            found = [table[f"controlled_{what}"][at] for what in ("node", "started_s", "ended_s")]
            expected = (task.node, task.start_s, task.ended_s)
            is_same = found[0] == expected[0] and all(
                is_near(a, b, SLACK) for a, b in zip(found[1:], expected[1:])
            )
            self.assertTrue(is_same, difference([name, *asked], found, expected))
        self.assertEqual(outcome["boots"], model.boots, asked)
        for key, expected_value in (("off_s", model.off_s()), ("energy_j", sum(model.joules()))):
            is_same = is_near(outcome[key], expected_value, SLACK)
            self.assertTrue(is_same, difference([key, *asked], outcome[key], expected_value))
        waits = sum(task.start_s != task.submit_s for task in model.tasks)
        return Counter(model.reasons) + Counter({"boots": model.boots, "waits": waits})

    def test_is_that_of_the_model(self) -> None:
        seen: Counter[str] = Counter()
        for number in range(RUNS):
            seen += self.compare(Draw(f"sleeping {number}"))
        for what in ("idle", "pods", "reserve", "stop-timeout", "boot-timeout", "boots", "waits"):
            self.assertGreater(seen[what], RUNS // 4, seen)


if __name__ == "__main__":
    unittest.main()
