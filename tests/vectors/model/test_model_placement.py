# SPDX-License-Identifier: Apache-2.0
"""Every pod of a simulated run goes to the node that the model ranks first, and waits only where it
fits nowhere."""

from __future__ import annotations

import json
import unittest
from collections import Counter
from typing import Any

from drawing import Draw
import joulie
from reference import efficiency
from reference.kube import Machine, Pod, fits, score

GIB = 1 << 30
WORDS = ("least-allocated", "kube", "most-allocated")
MACHINES = {
    **{f"a-{i}": Machine(16_000, 64 * GIB) for i in range(3)},
    **{f"b-{i}": Machine(64_000, 96 * GIB) for i in range(2)},
    **{f"g-{i}": Machine(48_000, 384 * GIB, 8, "nvidia") for i in range(2)},
    **{f"h-{i}": Machine(96_000, 192 * GIB, 4, "nvidia") for i in range(2)},
    "m-0": Machine(64_000, 512 * GIB, 4, "amd"),
}
PRODUCTS = {"nvidia": "NVIDIA L40S", "amd": "AMD Radeon PRO W7900"}
CPUS = {  # by the first letter of the name
    "a": "AMD_EPYC_9534",
    "b": "AMD_EPYC_9654",
    "g": "AMD_EPYC_9965",
    "h": "AMD_EPYC_9654",
    "m": "AMD_EPYC_9534",
}


def inventory() -> dict[str, Any]:
    nodes = []
    for name, machine in MACHINES.items():
        node = {
            "node_name": name,
            "cpu_cores": machine.millicores // 1000,
            "memory_gib": machine.bytes // GIB,
            "gpu_count": machine.gpus,
        }
        node |= {"cpu": CPUS[name[0]], "cpu_sockets": 2}
        if machine.vendor:
            node |= {"vendor": machine.vendor, "product": PRODUCTS[machine.vendor]}
        nodes.append(node)
    return {"nodes": nodes}


class Job:
    def __init__(self, draw: Draw, index: int, vendors: tuple[str, ...]) -> None:
        self.id = f"j{index:04}"
        self.vendor = draw.choice(["", "", *vendors])
        millicores = draw.choice([0, 250, 1000, 4000, 15_500, 30_000])
        memory = draw.choice([0, 1 << 20, GIB, 7 * GIB, 60 * GIB])
        self.pod = Pod(millicores, memory, draw.choice([1, 2, 4, 8]) if self.vendor else 0)
        if self.vendor == "amd":
            self.pod = Pod(millicores, memory, min(4, self.pod.gpus))
        self.submitted_s = draw.uniform(0, 6000)
        self.units = draw.uniform(10, 3000) * max(0.1, millicores / 1000)

    def line(self) -> str:
        # What a trace leaves out gets a default there; 0 is a pod that asks for nothing.
        requests = {"cpu": f"{self.pod.millicores}m", "memory": str(self.pod.bytes)}
        if self.vendor:
            requests[f"{self.vendor}.com/gpu"] = str(self.pod.gpus)
        return json.dumps(
            {
                "type": "job",
                "jobId": self.id,
                "submitTimeOffsetSec": self.submitted_s,
                "work": {"cpuUnits": self.units},
                "podTemplate": {"requests": requests},
            }
        )


class Replay:
    """Starts and ends of a run, in the order in which they happened."""

    def __init__(self, test: unittest.TestCase, word: str, jobs: dict[str, Job]) -> None:
        self.test, self.word, self.jobs = test, word, jobs
        self.on: dict[str, dict[str, Pod]] = {name: {} for name in MACHINES}
        self.waits = 0

    def candidates(self, job: Job) -> list[str]:
        return [
            name
            for name, machine in MACHINES.items()
            if fits(machine, list(self.on[name].values()), job.pod, job.vendor)
        ]

    def cost(self, job: Job, name: str) -> efficiency.Cost | None:
        machine, running = MACHINES[name], list(self.on[name].values())
        node = efficiency.Node(
            cpu=CPUS[name[0]],
            cores=machine.millicores // 1000,
            gpu="NVIDIA_L40S" if machine.vendor == "nvidia" else "",
            gpus=machine.gpus,
            pods=len(running),
            used_cores=sum(pod.millicores for pod in running) / 1000,
            used_gpus=sum(pod.gpus for pod in running),
        )
        pod = efficiency.Pod(job.pod.millicores / 1000, job.pod.gpus)
        return efficiency.cost(node, pod, efficiency.Settings())

    def totals(self, job: Job, names: list[str]) -> list[float]:
        """What the nodes are ranked by."""
        if self.word not in ("efficiency", "efficiency-cost"):
            return [
                score(self.word, MACHINES[name], list(self.on[name].values()), job.pod)
                for name in names
            ]
        costs = [self.cost(job, name) for name in names]
        if self.word == "efficiency-cost":
            return [-1e300 if one is None else -one.total for one in costs]
        base = [
            score("most-allocated", MACHINES[name], list(self.on[name].values()), job.pod)
            for name in names
        ]
        return [a + 20 * wire for a, wire in zip(base, efficiency.wires(costs))]

    def start(self, row: dict[str, Any]) -> None:
        job = self.jobs[row["id"]]
        names = self.candidates(job)
        totals = self.totals(job, names)
        ranked = sorted(zip((-total for total in totals), names))
        if self.word == "efficiency-cost":  # costs of the model differ in their last bits
            ranked = sorted((round(total, 6), name) for total, name in ranked)
        self.test.assertEqual(ranked[0][1], row["node"], (self.word, row, ranked))
        self.on[row["node"]][row["id"]] = job.pod

    def run(self, rows: list[dict[str, Any]]) -> None:
        times = sorted({row[when] for row in rows for when in ("submitted", "started", "ended")})
        for now in times:
            for row in rows:
                if row["ended"] == now:
                    del self.on[row["node"]][row["id"]]
            for row in rows:  # in queue order
                if row["started"] == now:
                    self.start(row)
                elif row["submitted"] <= now < row["started"]:
                    self.test.assertEqual(self.candidates(self.jobs[row["id"]]), [], row)
                    self.waits += 1


def rows_of(simulation: joulie.Simulation, run: str) -> list[dict[str, Any]]:
    table = simulation.table("jobs")
    columns = {
        "id": "id",
        "submitted": "submitted_s",
        **{short: f"{run}_{short}" for short in ("state", "node")},
        "started": f"{run}_started_s",
        "ended": f"{run}_ended_s",
    }
    found = {short: list(table[name]) for short, name in columns.items()}
    return [dict(zip(found, values)) for values in zip(*found.values())]


class Placement(unittest.TestCase):
    def test_of_both_runs(self) -> None:
        seen: Counter[str] = Counter()
        for number, word in enumerate(WORDS * 2):
            draw = Draw(f"placement {number}")
            jobs = {job.id: job for job in (Job(draw, i, ("nvidia", "amd")) for i in range(150))}
            simulation = joulie.Simulation(
                inventory(),
                "\n".join(job.line() for job in jobs.values()) + "\n",
                policy={"type": "static_partition", "staticHpFrac": 1},
                placement=word,
                baseline=WORDS[(number + 1) % 3],
            )
            with simulation:
                simulation.run()
                for run, scoring in (
                    ("controlled", word),
                    ("uncontrolled", WORDS[(number + 1) % 3]),
                ):
                    rows = rows_of(simulation, run)
                    # Without cores a job has no progress, and fails after two minutes.
                    self.assertLessEqual({row["state"] for row in rows}, {"completed", "failed"})
                    replay = Replay(self, scoring, jobs)
                    replay.run(rows)
                    seen[scoring] += len(rows)
                    seen["waits"] += replay.waits
        self.assertEqual({word: seen[word] for word in WORDS}, dict.fromkeys(WORDS, 600))
        self.assertGreater(seen["waits"], 300)

    def test_of_the_profile_efficiency(self) -> None:
        waits = 0
        for number, word in enumerate(("efficiency", "efficiency-cost") * 2):
            draw = Draw(f"efficiency {number}")
            jobs = {job.id: job for job in (Job(draw, i, ("nvidia",)) for i in range(150))}
            simulation = joulie.Simulation(
                inventory(),
                "\n".join(job.line() for job in jobs.values()) + "\n",
                policy={"type": "static_partition", "staticHpFrac": 1},
                placement=word,
                compare=False,
            )
            with simulation:
                rows = rows_of(simulation.run(), "controlled")
            replay = Replay(self, word, jobs)
            replay.run(rows)
            waits += replay.waits
        self.assertGreater(waits, 100)


if __name__ == "__main__":
    unittest.main()
