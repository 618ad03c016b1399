# SPDX-License-Identifier: Apache-2.0
"""A simulated cluster (docs/rules/simulation.md), written a second time: jobs on machines under
caps that somebody sets, in virtual time. A pod goes to the first machine by name that has room."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from reference.physics import (
    CPU_CLASSES,
    GPU_CLASSES,
    SOURCE,
    Cpus,
    Device,
    Job,
    Load,
    Work,
    cpu_factor,
    cpu_power,
    cpu_weights,
    gpu_factor,
    gpu_weights,
)

NEVER = math.inf
MAX_STEP_S = 10
ARRIVED = 1e-3  # of its target: nearer than this a lag is there
CPU_CAP_TAU_S = 0.25
FREQ_TAU_S = 0.5
HEAT_TAU_S = 4.0
DEFAULT_CAP_W = 5000
AMBIENT_C = 24
THROTTLE_C = (85, 97)
SOURCE_WATTS_PER_C = 8
RISE_AT_PEAK_C = 52.5


@dataclass
class Lag:
    """A value on its way to a target."""

    start: float
    target: float
    tau_s: float
    since_s: float = 0

    def at(self, now_s: float) -> float:
        left = (self.start - self.target) * math.exp(-(now_s - self.since_s) / self.tau_s)
        return self.target if abs(left) <= ARRIVED * abs(self.target) else self.target + left

    def turn(self, target: float, now_s: float) -> None:
        if target != self.target:
            self.start, self.target, self.since_s = self.at(now_s), target, now_s

    def is_moving(self, now_s: float) -> bool:
        return self.at(now_s) != self.target


@dataclass
class Part:
    """The CPU or the GPU work of a job, in units."""

    left: float
    speed: float = 0
    since_s: float = 0

    def end_s(self) -> float:
        return self.since_s + self.left / self.speed if self.left > 0 and self.speed > 0 else NEVER

    def turn(self, speed: float, now_s: float) -> None:
        if self.left > 0 and speed != self.speed:
            self.left -= self.speed * (now_s - self.since_s)
            self.speed, self.since_s = speed, now_s

    def finish(self, now_s: float) -> None:
        if self.end_s() <= now_s:
            self.left = 0


@dataclass
class Task:
    """A job of the trace and what became of it."""

    name: str
    submit_s: float
    job: Job
    memory_gib: int
    cpu: Part
    gpu: Part
    node: str | None = None
    start_s: float | None = None
    ended_s: float | None = None


@dataclass
class Meter:
    """Energy of a power that stays until it changes."""

    watts: float = 0
    joules: float = 0
    since_s: float = 0

    def turn(self, watts: float, now_s: float) -> None:
        if watts != self.watts:
            self.joules, self.watts, self.since_s = self.at(now_s), watts, now_s

    def at(self, now_s: float) -> float:
        return self.joules + self.watts * (now_s - self.since_s)


@dataclass
class Node:
    """A machine."""

    name: str
    cores: int
    memory_gib: int
    cpus: Cpus
    gpus: int = 0
    device: Device = field(default_factory=Device)
    tasks: list[Task] = field(default_factory=list)
    throttle_pct: float = 0
    freq: float = 1
    next_s: float = 0
    cpu: Meter = field(default_factory=Meter)
    gpu: Meter = field(default_factory=Meter)

    def __post_init__(self) -> None:
        self.cpu_cap = Lag(DEFAULT_CAP_W, DEFAULT_CAP_W, CPU_CAP_TAU_S)
        self.gpu_cap = Lag(self.device.max_w, self.device.max_w, self.device.tau_s)
        self.freq_limit = Lag(1, 1, FREQ_TAU_S)
        self.heat = Lag(AMBIENT_C, AMBIENT_C, HEAT_TAU_S)

    def has_room(self, task: Task) -> bool:
        return (
            sum(one.job.cores for one in self.tasks) + task.job.cores <= self.cores
            and sum(one.memory_gib for one in self.tasks) + task.memory_gib <= self.memory_gib
            and sum(one.job.gpus for one in self.tasks) + task.job.gpus <= self.gpus
        )


def dominant(weights: dict[str, float], known: dict[str, tuple[float, ...]], mixed: str) -> str:
    """The class that holds 60 % of the weight."""
    total = sum(weights.values())
    heaviest = max(weights, key=lambda name: weights[name], default=mixed)
    has_most = heaviest in known and weights[heaviest] >= 0.6 * total
    return heaviest if has_most else mixed


class Cluster:
    """The run. Caps are set with cap(); step_to() goes on."""

    def __init__(self, nodes: list[Node], tasks: list[Task], rules: str) -> None:
        self.nodes = sorted(nodes, key=lambda node: node.name)
        self.tasks = sorted(tasks, key=lambda task: (task.submit_s, task.name))
        self.rules = rules
        self.now_s = 0.0
        self.queue: list[Task] = []
        self.future = list(self.tasks)
        for node in self.nodes:
            self.update(node)

    # ---- time ----

    def is_over(self) -> bool:
        return all(task.ended_s is not None for task in self.tasks)

    def next_s(self) -> float:
        arrival = self.future[0].submit_s if self.future else NEVER
        return min(arrival, min(node.next_s for node in self.nodes))

    def step_to(self, until_s: float) -> None:
        """Up to and with everything that happens at a time."""
        while not self.is_over() and self.next_s() <= until_s:
            self.now_s = self.next_s()
            self.instant()
        if not self.is_over():
            self.now_s = until_s

    def instant(self) -> None:
        for node in self.nodes:
            if node.next_s <= self.now_s:
                self.end_tasks(node)
                self.update(node)
        while self.future and self.future[0].submit_s <= self.now_s:
            self.queue.append(self.future.pop(0))
        self.place()

    def end_tasks(self, node: Node) -> None:
        for task in list(node.tasks):
            task.cpu.finish(self.now_s)
            task.gpu.finish(self.now_s)
            if task.cpu.left <= 0 and task.gpu.left <= 0:
                task.ended_s = self.now_s
                node.tasks.remove(task)

    def place(self) -> None:
        for task in list(self.queue):
            node = next((node for node in self.nodes if node.has_room(task)), None)
            if node is None:
                continue
            self.queue.remove(task)
            node.tasks.append(task)
            task.node, task.start_s = node.name, self.now_s
            self.update(node)

    # ---- caps ----

    def cap(
        self,
        name: str,
        cpu_w: float | None = None,
        gpu_w: float | None = None,
        throttle_pct: float | None = None,
    ) -> None:
        """What is already asked for is no news, and moves nothing."""
        node = next(node for node in self.nodes if node.name == name)
        asked = (node.cpu_cap.target, node.gpu_cap.target, node.throttle_pct)
        if cpu_w is not None:
            limited = min(max(cpu_w, node.cpus.cap_min_w), node.cpus.cap_max_w)
            node.cpu_cap.turn(limited if cpu_w > 0 else DEFAULT_CAP_W, self.now_s)
        if gpu_w is not None:
            node.gpu_cap.turn(node.device.limited(gpu_w), self.now_s)
        if throttle_pct is not None:
            node.throttle_pct = throttle_pct
            node.freq_limit.turn(max(node.cpus.min_freq, 1 - throttle_pct / 100), self.now_s)
        if asked != (node.cpu_cap.target, node.gpu_cap.target, node.throttle_pct):
            self.update(node)

    # ---- power and speed ----

    def watts_per_c(self, node: Node) -> float:
        return SOURCE_WATTS_PER_C if self.rules == SOURCE else node.cpus.peak_w() / RISE_AT_PEAK_C

    def can_throttle(self, node: Node) -> bool:
        return AMBIENT_C + node.cpus.peak_w() / self.watts_per_c(node) > THROTTLE_C[0]

    def thermal(self, node: Node) -> float:
        if not self.can_throttle(node):
            return 0
        low, high = THROTTLE_C
        return min(max((node.heat.at(self.now_s) - low) / (high - low), 0), 1)

    def load_of(self, node: Node) -> Load:
        on_cpu = [task.job for task in node.tasks if task.cpu.left > 0]
        on_gpu = [task.job for task in node.tasks if task.gpu.left > 0]
        cores = [(max(0.1, job.cores), job) for job in on_cpu]
        gpus = [(max(0.1, job.gpus), job) for job in on_gpu]
        both = cores + gpus
        classes: dict[str, float] = {}
        for weight, job in cores:
            classes[job.cpu_class] = classes.get(job.cpu_class, 0) + weight
        return Load(
            util=min(1.0, sum(job.cores * job.cpu_util for job in on_cpu) / node.cores),
            memory=mean([(weight, job.memory) for weight, job in both]),
            io=mean([(weight, job.io) for weight, job in cores]),
            class_=dominant(classes, CPU_CLASSES, "cpu.mixed"),
            works=[
                Work(
                    job.cores * job.cpu_util / node.cores,
                    job.base(),
                    cpu_weights(job.cpu_class, job.memory, job.io),
                )
                for job in on_cpu
            ],
            thermal=self.thermal(node),
            freq=node.freq_limit.at(self.now_s),
            cap_w=node.cpu_cap.at(self.now_s),
            throttle_pct=node.throttle_pct,
        )

    def gpu_watts(self, node: Node, memory: float) -> float:
        """By job; in the source by the mean of the node on as few devices as can carry it."""
        jobs = [task.job for task in node.tasks if task.gpu.left > 0]
        cap_w, device = node.gpu_cap.at(self.now_s), node.device
        if self.rules != SOURCE:
            working = sum(
                job.gpus * device.power_w(job.natural_w(device), cap_w) for job in jobs
            )
            return working + (node.gpus - sum(job.gpus for job in jobs)) * device.idle_w
        weights = [(max(0.1, job.gpus), job) for job in jobs]
        classes: dict[str, float] = {}
        for weight, job in weights:
            classes[job.gpu_class] = classes.get(job.gpu_class, 0) + weight
        class_ = dominant(classes, GPU_CLASSES, "gpu.mixed")
        feed = mean([(weight, job.feed) for weight, job in weights])
        work = sum(job.gpus * job.gpu_util for job in jobs)
        active = min(node.gpus, math.ceil(work - 1e-9))
        if active < 1:
            return node.gpus * device.idle_w
        natural_w = device.natural_w(gpu_weights(class_, memory, feed), work / active)
        return active * device.power_w(natural_w, cap_w) + (node.gpus - active) * device.idle_w

    def update(self, node: Node) -> None:
        load = self.load_of(node)
        watts, node.freq, _ = cpu_power(node.cpus, load, self.rules)
        node.cpu.turn(watts, self.now_s)
        if node.gpus > 0:
            node.gpu.turn(self.gpu_watts(node, load.memory), self.now_s)
        if self.can_throttle(node):
            node.heat.turn(AMBIENT_C + watts / self.watts_per_c(node), self.now_s)
        node.next_s = self.lag_event(node)
        for task in node.tasks:
            self.drive(node, task, load.thermal)
            node.next_s = min(node.next_s, task.cpu.end_s(), task.gpu.end_s())

    def drive(self, node: Node, task: Task, thermal: float) -> None:
        job, knee = task.job, node.cpus.knee
        factor = cpu_factor(job, node.freq, knee, thermal)
        task.cpu.turn(job.cores * node.cpus.relative_speed * factor, self.now_s)
        if task.gpu.left > 0:
            cap_w = node.gpu_cap.at(self.now_s)
            factor = gpu_factor(job, node.device, cap_w, node.freq, knee, self.rules, thermal)
            task.gpu.turn(job.gpus * node.device.relative_speed * factor, self.now_s)

    def lag_event(self, node: Node) -> float:
        now_s = self.now_s
        hottest = max(node.heat.at(now_s), node.heat.target)
        if self.can_throttle(node) and node.heat.is_moving(now_s) and hottest > THROTTLE_C[0]:
            return now_s + HEAT_TAU_S / 8
        lags = (node.cpu_cap, node.freq_limit, node.gpu_cap)
        return now_s + MAX_STEP_S if any(lag.is_moving(now_s) for lag in lags) else NEVER

    # ---- what came out ----

    def joules(self) -> tuple[float, float]:
        cpu = sum(node.cpu.at(self.now_s) for node in self.nodes)
        return cpu, sum(node.gpu.at(self.now_s) for node in self.nodes)


def mean(pairs: list[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in pairs)
    return sum(weight * value for weight, value in pairs) / total if total > 0 else 0.0
