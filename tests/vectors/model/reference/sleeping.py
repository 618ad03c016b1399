# SPDX-License-Identifier: Apache-2.0
"""A simulated cluster whose nodes are switched off and woken (docs/rules/simulation.md#node-states,
#switching-nodes-off), with a score of kube-scheduler and no operator."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reference import kube, power_off
from reference.cluster import NEVER, Cluster, Node, Task
from reference.physics import CURRENT
from reference.policy import Machine, Pending
from reference.policy import Node as Hardware

GIB = 1 << 30
PERIOD_S = 60
BOOT_FACTOR = 1.3


@dataclass
class Power:
    """Of one node."""

    hardware: Hardware
    vendor: str
    standby_w: float
    boot_s: float
    stop_s: float
    state: str = "on"
    since_s: float = 0
    until_s: float = NEVER
    empty_since_s: float = 0
    is_wanted: bool = False
    off_s: float = 0

    def enter(self, state: str, now_s: float, until_s: float) -> None:
        if self.state != "on":
            self.off_s += now_s - self.since_s
        self.state, self.since_s, self.until_s = state, now_s, until_s

    def boot(self, now_s: float) -> None:
        self.is_wanted = False
        self.enter("booting", now_s, now_s + self.boot_s)

    def end(self) -> None:
        if self.state == "stopping" and self.is_wanted:
            self.boot(self.until_s)
        else:
            self.enter("off" if self.state == "stopping" else "on", self.until_s, NEVER)


def ms_of(seconds: float) -> int:
    return math.floor(seconds * 1000 + 0.5)


class Sleeping(Cluster):
    """word: the score; vendors: of the GPUs of each task."""

    def __init__(
        self,
        nodes: list[Node],
        tasks: list[Task],
        powers: dict[str, Power],
        vendors: dict[str, str],
        settings: power_off.Settings,
        word: str,
    ) -> None:
        self.powers, self.vendors, self.settings = powers, vendors, settings
        self.word = word
        self.due_s = 0.0
        self.boots = 0
        self.reasons: list[str] = []
        super().__init__(nodes, tasks, CURRENT)

    # ---- machines ----

    def update(self, node: Node) -> None:
        power = self.powers[node.name]
        if power.state == "on":
            super().update(node)
            return
        idle_w = node.cpus.points[0] if node.cpus.points else node.cpus.idle_w
        if power.state == "off":
            watts, gpu_w = power.standby_w, 0.0
        else:
            watts = idle_w * (BOOT_FACTOR if power.state == "booting" else 1)
            gpu_w = node.gpus * node.device.idle_w
        node.cpu.turn(watts, self.now_s)
        node.gpu.turn(gpu_w, self.now_s)
        node.next_s = power.until_s

    def off_s(self) -> float:
        return sum(
            power.off_s + (self.now_s - power.since_s if power.state != "on" else 0)
            for power in self.powers.values()
        )

    # ---- time ----

    def next_s(self) -> float:
        return min(super().next_s(), self.due_s)

    def instant(self) -> None:
        waiting = len(self.future)
        for node in self.nodes:
            power = self.powers[node.name]
            if node.next_s > self.now_s:
                continue
            if power.until_s <= self.now_s:
                power.end()
                self.boots += power.state == "on"
            busy = len(node.tasks)
            self.end_tasks(node)
            if busy and not node.tasks:
                power.empty_since_s = self.now_s
            self.update(node)
        while self.future and self.future[0].submit_s <= self.now_s:
            self.queue.append(self.future.pop(0))
        self.place()
        if self.now_s >= self.due_s or len(self.future) != waiting:
            self.switch()
        while self.due_s <= self.now_s:
            self.due_s += PERIOD_S

    # ---- placement ----

    def pod_of(self, task: Task) -> kube.Pod:
        return kube.Pod(task.job.cores * 1000, task.memory_gib * GIB, task.job.gpus)

    def takes(self, node: Node, task: Task) -> bool:
        power = self.powers[node.name]
        has_gpus = task.job.gpus == 0 or self.vendors[task.name] == power.vendor
        return power.state == "on" and has_gpus and node.has_room(task)

    def score(self, node: Node, task: Task) -> int:
        machine = kube.Machine(node.cores * 1000, node.memory_gib * GIB, node.gpus)
        running = [self.pod_of(one) for one in node.tasks]
        return kube.score(self.word, machine, running, self.pod_of(task))

    def place(self) -> None:
        for task in list(self.queue):
            nodes = [node for node in self.nodes if self.takes(node, task)]
            if not nodes:
                continue
            node = max(nodes, key=lambda one: self.score(one, task))
            self.queue.remove(task)
            node.tasks.append(task)
            task.node, task.start_s = node.name, self.now_s
            self.update(node)

    # ---- decisions ----

    def record_of(self, node: Node) -> power_off.Switched:
        power = self.powers[node.name]
        jobs = [task.job for task in node.tasks]
        machine = Machine(
            power.hardware,
            node.cores,
            memory=node.memory_gib * GIB,
            vendor=power.vendor,
            profile="performance",
            used_cores=sum(job.cores for job in jobs),
            used_gpus=sum(job.gpus for job in jobs),
            used_memory=sum(task.memory_gib for task in node.tasks) * GIB,
            pods=len(jobs),
        )
        state = "booting" if power.is_wanted else power.state
        passed = [ms_of(self.now_s) - ms_of(at) for at in (power.since_s, power.empty_since_s)]
        return power_off.Switched(machine, state, passed[0] / 1000, passed[1] / 1000)

    def pending(self, task: Task, place: int) -> Pending:
        """In the order of the queue."""
        return Pending(
            f"{place:06}",
            task.job.cores,
            gpus=task.job.gpus,
            memory=task.memory_gib * GIB,
            vendor=self.vendors[task.name],
            performance=False,
        )

    def recent(self) -> list[Pending]:
        """Jobs of the window, on a machine or on none."""
        here = [*self.queue, *(task for node in self.nodes for task in node.tasks)]
        first_ms = ms_of(self.now_s) - self.settings.window_s * 1000
        return [self.pending(task, 0) for task in here if ms_of(task.submit_s) >= first_ms]

    def switch(self) -> None:
        records = [self.record_of(node) for node in self.nodes]
        pods = [self.pending(task, place) for place, task in enumerate(self.queue)]
        for name, (action, reason) in power_off.decide(
            records, pods, self.settings, self.recent()
        ).items():
            node = next(one for one in self.nodes if one.name == name)
            power = self.powers[name]
            if action == "switch-off":
                power.enter("stopping", self.now_s, self.now_s + power.stop_s)
            elif action == "wake" and power.state == "stopping":
                power.is_wanted = True
            elif action == "wake" and power.state == "off":
                power.boot(self.now_s)
            self.reasons.append(reason)
            self.update(node)
