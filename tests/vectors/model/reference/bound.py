# SPDX-License-Identifier: Apache-2.0
"""What any schedule of a trace needs at least (docs/rules/experiments.md#bound), written a second time: hulls from all
chords, cuts of time from all pairs of times, caps from a fine grid."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from reference.cluster import Node, Task
from reference.physics import CURRENT, gpu_factor
from reference.prices import Machines, Market, Order, Way

SLOTS = 144
STANDBY_W = 50.0


@dataclass
class Family:
    """Machines that are alike."""

    node: Node
    count: int
    vendor: str | None = None

    def takes(self, task: Task, vendor: str | None) -> bool:
        return (
            task.job.cores <= self.node.cores
            and task.memory_gib <= self.node.memory_gib
            and task.job.gpus <= self.node.gpus
            and (task.job.gpus == 0 or vendor in (None, self.vendor))
        )


@dataclass
class Demand:
    """A task, and which families take it. wait_s: it starts so long after its submission at the latest."""

    task: Task
    families: list[Family]
    wait_s: float
    is_late: bool = False

    def work(self) -> float:
        return self.task.job.cpu_util * self.task.cpu.left

    def rate(self) -> float:
        return self.task.job.cpu_util * self.task.job.cores

    def fast(self) -> float:
        return max(family.node.cpus.relative_speed for family in self.families)

    def slow(self) -> float:
        return min(family.node.cpus.relative_speed for family in self.families)

    def last_s(self) -> float:
        return self.task.submit_s + self.wait_s + self.work() / (self.rate() * self.slow())


# ---- CPUs ----


def hull(points: list[float]) -> list[float]:
    """At every load the lowest chord over it."""

    def chord(i: int, j: int, k: int) -> float:
        return points[i] if i == j else points[i] + (points[j] - points[i]) * (k - i) / (j - i)

    return [
        min(chord(i, j, k) for i in range(k + 1) for j in range(k, len(points)))
        for k in range(len(points))
    ]


class Fluid:
    """The work of CPUs over time, in slots."""

    def __init__(self, demands: list[Demand], families: list[Family], end_s: float) -> None:
        self.families = families
        self.length_s = end_s / SLOTS
        self.total = sum(demand.work() for demand in demands)
        self.busiest = sorted(demands, key=lambda demand: -demand.task.job.cpu_util)
        ends = [self.length_s * i for i in range(SLOTS + 1)]
        self.soonest = [sum(self.done(d, d.task.submit_s, d.fast(), t) for d in demands) for t in ends]
        self.latest = [
            sum(self.done(d, d.task.submit_s + d.wait_s, d.slow(), t) for d in demands if not d.is_late)
            for t in ends
        ]
        self.soonest[-1] = self.latest[-1] = self.total
        self.cores = [self.cores_in(i) for i in range(SLOTS)]

    @staticmethod
    def done(demand: Demand, from_s: float, speed: float, at_s: float) -> float:
        return min(max(demand.rate() * speed * (at_s - from_s), 0), demand.work())

    def cores_in(self, slot: int) -> list[tuple[float, float]]:
        """Utilisation and mean cores of everything that may run in a slot, the busiest first."""
        start_s, end_s = self.length_s * slot, self.length_s * (slot + 1)
        found = []
        for demand in self.busiest:
            last_s = math.inf if demand.is_late else demand.last_s()
            seconds = min(end_s, last_s) - max(start_s, demand.task.submit_s)
            if seconds > 0:
                job = demand.task.job
                found.append((job.cpu_util, job.cores * seconds / self.length_s))
        return found

    def busy(self, slot: int, cores: float) -> float:
        sum_, left = 0.0, cores
        for util, offered in self.cores[slot]:
            taken = min(offered, left)
            sum_, left = sum_ + util * taken, left - taken
        return sum_

    def limited(self, slot: int, reach: list[float], held: set[int]) -> float:
        """held: families whose cores count, whatever their load."""
        sum_, cores = 0.0, 0.0
        for i in sorted(held, key=lambda i: -self.families[i].node.cpus.relative_speed):
            family = self.families[i]
            more = family.count * family.node.cores
            gain = self.busy(slot, cores + more) - self.busy(slot, cores)
            sum_, cores = sum_ + family.node.cpus.relative_speed * gain, cores + more
        for i, family in enumerate(self.families):
            if i not in held:
                sum_ += reach[i] * family.count * family.node.cores * family.node.cpus.relative_speed
        return sum_

    def rate(self, slot: int, reach: list[float]) -> float:
        rates = [r * family.node.cpus.relative_speed for r, family in zip(reach, self.families)]
        choices = [{i for i, rate in enumerate(rates) if rate >= least} for least in rates if least > 0]
        return min(self.limited(slot, reach, held) for held in [set(), *choices])

    def most(self, reach: list[float]) -> float:
        """The lowest of all cuts of time into intervals."""
        can = [0.0]
        for slot in range(SLOTS):
            can.append(can[-1] + self.rate(slot, reach) * self.length_s)
        by_machines, by_work = [0.0], [0.0]
        for end in range(1, SLOTS + 1):
            by_machines.append(min(by_work[start] + can[end] - can[start] for start in range(end)))
            by_work.append(
                min(by_machines[start] + self.soonest[end] - self.latest[start] for start in range(end))
            )
        return min(by_machines[-1], by_work[-1], self.total)

    def least_j(self, is_asleep: bool) -> float:
        steps = []
        for i, family in enumerate(self.families):
            points = list(family.node.cpus.points or ())
            if is_asleep:
                points[0] = 0
            low = hull(points)
            speed = family.node.cores * family.node.cpus.relative_speed
            steps += [(10 * (low[k + 1] - low[k]) / speed, i, (k + 1) / 10) for k in range(10)]
        reach, sum_j, done = [0.0] * len(self.families), 0.0, 0.0
        for cost_j, i, load in sorted(steps):
            reach[i] = max(reach[i], load)
            now = self.most(reach) if len(self.families) > 1 or min(reach) < 1 else self.total
            sum_j, done = sum_j + cost_j * (max(now, done) - done), max(now, done)
        return sum_j + max(steps)[0] * (self.total - done)


# ---- GPUs ----


@dataclass
class Gpus:
    """Least energies of the GPU work of a trace, each by itself, J."""

    dynamic: float = 0
    devices: float = 0
    machines: float = 0


def caps(demand: Demand, family: Family, limit: float, count: int) -> list[tuple[float, float]]:
    """Watts and speed under caps of a grid that keep the run time within the limit."""
    job, device, cpus = demand.task.job, family.node.device, family.node.cpus
    natural_w = job.natural_w(device)
    gpu_s = demand.task.gpu.left / (job.gpus * device.relative_speed)
    cpu_s = demand.task.cpu.left / (job.cores * cpus.relative_speed)
    least = gpu_s / (max(gpu_s, cpu_s) * (1 + limit))

    def speed(cap_w: float) -> float:
        return gpu_factor(job, device, cap_w, 1, cpus.knee, CURRENT)

    low_w, high_w = min(device.min_w, natural_w), natural_w
    if speed(low_w) < least:
        for _ in range(60):
            middle_w = (low_w + high_w) / 2
            low_w, high_w = (middle_w, high_w) if speed(middle_w) < least else (low_w, middle_w)
        low_w = high_w
    grid = [low_w + (natural_w - low_w) * i / count for i in range(count + 1)]
    return [(device.power_w(natural_w, cap_w), speed(cap_w)) for cap_w in grid]


def gpu_least(demands: Iterable[Demand], limit: float, count: int) -> Gpus:
    sum_ = Gpus()
    for demand in demands:
        job = demand.task.job
        if job.gpus == 0 or demand.task.gpu.left <= 0:
            continue
        found = []
        for family in demand.families:
            device = family.node.device
            seconds = demand.task.gpu.left / device.relative_speed
            share_w = (family.node.cpus.points or (0,))[0] / family.node.gpus
            options = caps(demand, family, limit, count)
            found.append(
                [
                    seconds * min((watts + extra_w) / speed for watts, speed in options)
                    for extra_w in (-device.idle_w, 0, share_w)
                ]
            )
        dynamic, devices, machines = (min(one[i] for one in found) for i in range(3))
        sum_ = Gpus(sum_.dynamic + dynamic, sum_.devices + devices, sum_.machines + machines)
    return sum_


# ---- as many machines as there are ----

RANGES = 4  # of caps


def idle_w(family: Family) -> float:
    gpus_w = family.node.gpus * family.node.device.idle_w if family.node.gpus else 0.0
    return (family.node.cpus.points or (0,))[0] + gpus_w


def machines(family: Family, standby_w: float | None) -> Machines:
    """standby_w: of one that is off; None = all stay on."""
    on_w = 0.0 if standby_w is None else idle_w(family) - min(standby_w, idle_w(family))
    return Machines(family.count, family.node.cores, family.node.gpus, on_w)


def ways(demand: Demand, kind: int, family: Family, limit: float, count: int) -> list[Way]:
    job, cpus = demand.task.job, family.node.cpus
    cpu_s = demand.task.cpu.left / (job.cores * cpus.relative_speed) if demand.task.cpu.left else 0.0
    points = cpus.points or ()
    core_w = min((points[i] - points[0]) * 10 / i for i in range(1, 11)) / family.node.cores
    cpu_j = core_w * demand.rate() * cpu_s
    if job.gpus == 0 or demand.task.gpu.left <= 0:
        return [Way(kind, cpu_j, cpu_s)]
    device = family.node.device
    gpu_s = demand.task.gpu.left / (job.gpus * device.relative_speed)
    share, found = gpu_s / max(gpu_s, cpu_s), []
    for i in range(RANGES if limit > 0 else 1):
        options = caps(demand, family, limit * (i + 1) / RANGES if limit > 0 else 0.0, count)
        fastest = share / (1 + limit * i / RANGES) if i else 1.0
        inside = [(watts, speed) for watts, speed in options if speed <= fastest * (1 + 1e-9)]
        if not inside:
            break
        energy_j = job.gpus * gpu_s * min((watts - device.idle_w) / speed for watts, speed in inside)
        hold_s = max(gpu_s / (fastest if i else 1.0), cpu_s)
        found.append(Way(kind, cpu_j + energy_j, hold_s))
    return found


def priced(
    demands: list[Demand], families: list[Family], end_s: float, standby_w: float | None, limit: float
) -> float:
    kinds = [machines(family, standby_w) for family in families]
    orders = []
    for demand in demands:
        order = Order(demand.task.submit_s, demand.wait_s, demand.task.job.gpus, demand.task.job.cores)
        for kind, family in enumerate(families):
            if family in demand.families:
                order.ways += ways(demand, kind, family, limit, 100)
        orders.append(order)
    least_j = Market(kinds, orders, end_s).least_j()
    if standby_w is not None:
        for family in families:
            least_j += family.count * min(standby_w, idle_w(family)) * end_s
    return least_j


# ---- both ----


def bound(demands: list[Demand], families: list[Family], end_s: float, count: int) -> dict[str, float]:
    """By the names that results have."""
    with_work = [demand for demand in demands if demand.work() > 0]
    fluid = Fluid(with_work, families, end_s)
    dynamic, asleep = fluid.least_j(False), fluid.least_j(True)
    full, slowed = gpu_least(demands, 0, count), gpu_least(demands, 0.1, count)
    return {
        "cpuDynamicJ": dynamic,
        "cpuAsleepJ": asleep,
        "gpuDynamicJ": full.dynamic,
        "gpuDynamicSlowedJ": slowed.dynamic,
        "asleepJ": max(asleep + full.devices, dynamic + full.machines),
        "asleepSlowedJ": max(asleep + slowed.devices, dynamic + slowed.machines),
        "pricedJ": priced(demands, families, end_s, None, 0),
        "pricedSlowedJ": priced(demands, families, end_s, None, 0.1),
        "pricedAsleepJ": priced(demands, families, end_s, STANDBY_W, 0),
        "pricedAsleepSlowedJ": priced(demands, families, end_s, STANDBY_W, 0.1),
    }
