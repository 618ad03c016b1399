# SPDX-License-Identifier: Apache-2.0
"""Drawn clusters, with nodes in every state and pods that wait: the library switches off and wakes
the nodes that the model names, and a reserve that could be held is held."""

from __future__ import annotations

import os
import unittest
from collections import Counter
from copy import deepcopy

from drawing import Draw, ask, difference
from reference.catalog import CPUS
from reference.policy import Machine, Node, Pending
from reference.power_off import Choice, Settings, Switched, decide
from vectors_of_power_off import question_of, recent_of, time_of

CLUSTERS = int(os.environ.get("JOULIE_MODEL_CLUSTERS", "1200"))
GPUS = {
    "nvidia": ("NVIDIA_H100_NVL", "NVIDIA_L40S"),
    "amd": ("AMD_INSTINCT_MI300X", "AMD_RADEON_PRO_W7900"),
}
STATES = ("on", "on", "on", "off", "off", "stopping", "booting", "left-alone")
EVERYTHING = {
    ("switch-off", "idle"),
    ("wake", "pods"),
    ("wake", "reserve"),
    ("wake", "stop-timeout"),
    ("wake", "boot-timeout"),
    ("wake", "disabled"),
    ("give-up", "stop-timeout"),
    ("give-up", "boot-timeout"),
}


def drawn_machine(draw: Draw, name: str) -> Machine:
    cores = draw.choice([64, 192, 384])
    vendor = draw.choice(["", "", "nvidia", "amd"])
    gpu = draw.choice(GPUS[vendor]) if vendor else ""
    hardware = Node(name, draw.choice([*CPUS]), cores, gpu, draw.choice([4, 8]) if gpu else 0)
    if not vendor and draw.happens(0.05):
        hardware = Node(name)
    return Machine(
        hardware,
        cores,
        memory=draw.choice([0, 0, 1 << 36]),
        vendor=vendor or "nvidia",
        profile=draw.choice(["performance", "performance", "eco"]),
        labels=draw.choice([{}, {}, {"disk": "fast"}]),
        taint=draw.choice(["", "", "", "lab"]),
    )


def drawn_node(draw: Draw, name: str) -> Switched:
    node = Switched(
        drawn_machine(draw, name),
        draw.choice(STATES),
        for_s=draw.choice([0, 600, 601, 1200, 1201, 1799, 1800, 9000]),
        empty_s=draw.choice([0, 1799, 1800, 9000]),
        failures=draw.choice([0, 0, 1, 2, 3]),
    )
    if node.state in ("on", "left-alone") and draw.happens(0.5):
        machine = node.machine
        machine.pods = draw.randint(1, 4)
        machine.used_cores = machine.pods * draw.randint(0, int(machine.cores) // machine.pods)
        machine.used_gpus = draw.randint(0, machine.hardware.gpus)
    return node


def drawn_pod(draw: Draw, index: int) -> Pending:
    return Pending(
        f"p{index}",
        draw.choice([1, 4, 16, 64, 100, 300]),
        gpus=draw.choice([0, 0, 1, 4, 8]),
        vendor=draw.choice(["nvidia", "amd"]),
        memory=draw.choice([0, 0, 1 << 35]),
        priority=draw.choice([0, 0, 0, 5]),
        selector=draw.choice([{}, {}, {}, {"disk": "fast"}]),
        tolerates=draw.choice(["", "lab"]),
        performance=draw.happens(0.5),
        created=draw.choice(["", time_of(60), time_of(61), time_of(900), time_of(901)]),
    )


def drawn_settings(draw: Draw) -> Settings:
    if draw.happens(0.3):
        return Settings()
    return Settings(
        enabled=not draw.happens(0.1),
        idle_s=draw.choice([0, 1799, 1800, 1801]),
        up_s=draw.choice([0, 1800, 1801]),
        reserve_gpus=draw.choice([0, 1, 8, 16]),
        reserve_cores=draw.choice([0, 64.5, 128, 256, 1000]),
        standby_w=draw.choice([0, 50, 120, 140]),
        stop_timeout_s=draw.choice([0, 600]),
        boot_timeout_s=draw.choice([0, 1200]),
        most_failures=draw.choice([1, 2, 3]),
        window_s=draw.choice([0, 60, 900]),
    )


class PowerOff(unittest.TestCase):
    def check(self, draw: Draw) -> Counter[Choice]:
        nodes = [drawn_node(draw, f"n{i:02}") for i in range(draw.randint(1, 14))]
        draw.shuffle(nodes)
        pods = [drawn_pod(draw, i) for i in range(draw.choice([0, 0, 1, 3, 12]))]
        settings = drawn_settings(draw)
        document = question_of(nodes, pods, settings)
        expected = decide(deepcopy(nodes), pods, settings, recent_of(nodes, pods, settings))
        found = {
            one["nodeName"]: (one["action"], one["reason"])
            for one in ask("policy.power-off", document)["actions"]
        }
        self.assertEqual(found, expected, difference(document, found, expected))
        for name in found:
            node = next(one for one in nodes if one.name == name)
            self.assertNotEqual(node.state, "left-alone")
            if found[name][0] == "switch-off":
                self.assertEqual((node.state, node.machine.pods), ("on", 0))
        return Counter(found.values())

    def test_is_what_the_model_decides(self) -> None:
        seen: Counter[Choice] = Counter()
        for number in range(CLUSTERS):
            seen += self.check(Draw(f"power off {number}"))
        self.assertEqual(set(seen), EVERYTHING)
        self.assertGreater(min(seen.values()), CLUSTERS // 20, seen)


if __name__ == "__main__":
    unittest.main()
