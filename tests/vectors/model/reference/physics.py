# SPDX-License-Identifier: Apache-2.0
"""Speed and power of simulated machines (docs/rules/physics.md), both rule sets, written a second
time: from the page, with bisection where the library inverts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from reference.catalog import CPUS, GPUS, curve_points, interpolated

CURRENT = "current"
SOURCE = "v0.1.1"
CPU_CLASSES = {
    "cpu.compute_bound": (0.75, 0.20, 0.05),
    "cpu.memory_bound": (0.20, 0.75, 0.05),
    "cpu.io_bound": (0.10, 0.10, 0.80),
}
CPU_MIXED = (0.45, 0.35, 0.20)
GPU_CLASSES = {
    "gpu.compute_bound": (0.8, 0.2),
    "gpu.memory_bound": (0.2, 0.8),
    "gpu.bandwidth_bound": (0.2, 0.8),
}
GPU_MIXED = (0.5, 0.5)


def unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def normalised(parts: list[float]) -> list[float]:
    return [part / sum(parts) for part in parts]


@dataclass
class Job:
    """What a job does to a machine."""

    cores: float = 1
    gpus: int = 0
    cpu_class: str = "cpu.mixed"
    gpu_class: str = "gpu.mixed"
    cpu_util: float = 0.65
    gpu_util: float = 0.80
    memory: float = 0.45
    io: float = 0.10
    feed: float = 0.45
    sensitivity_cpu: float = 1
    sensitivity_gpu: float = 1

    def base(self) -> float:
        return base_of(self.cpu_util, self.memory, self.io)

    def speed_at(self, freq: float, knee: float, thermal: float) -> float:
        return speed(cpu_weights(self.cpu_class, self.memory, self.io), freq, knee, thermal)

    def natural_w(self, gpu: Device) -> float:
        return gpu.natural_w(gpu_weights(self.gpu_class, self.memory, self.feed), self.gpu_util)


def base_of(util: float, memory: float, io: float) -> float:
    return unit(0.60 * util + 0.25 * (1 - memory) + 0.15 * (1 - io))


# ---- CPU ----


def cpu_weights(class_: str, memory: float, io: float) -> list[float]:
    compute, of_memory, of_io = CPU_CLASSES.get(class_, CPU_MIXED)
    return normalised(
        [
            unit(0.55 * compute + 0.45 * (1 - max(memory, io))),
            unit(0.55 * of_memory + 0.45 * memory),
            unit(0.55 * of_io + 0.45 * io),
        ]
    )


def speed(weights: list[float], freq: float, knee: float, thermal: float = 0) -> float:
    """The multiplier M(f)."""
    memory = 1 - 0.12 * (1 - freq)
    if freq < knee:
        memory = 1 - 0.12 * (1 - knee) - 0.45 * (knee - freq) / max(0.1, knee)
    parts = (freq, memory, 1 - 0.05 * (1 - freq))
    return unit(unit(sum(w * p for w, p in zip(weights, parts))) * (1 - thermal))


@dataclass
class Work:
    """One kind of work on a CPU node: a share of its cores, and how it follows their speed."""

    util: float
    base: float
    weights: list[float]

    def delivered(self, freq: float, knee: float, thermal: float) -> float:
        return self.util * (1 - self.base * (1 - speed(self.weights, freq, knee, thermal)))


@dataclass
class Cpus:
    """The CPUs of a machine; points: a measured curve of its sockets, None = the generic law."""

    points: tuple[float, ...] | None = None
    idle_w: float = 80
    max_w: float = 420
    min_freq: float = 0.375
    knee: float = 0.5625
    cap_min_w: float = 80
    cap_max_w: float = 5000
    head_w: float = 5
    relative_speed: float = 1

    def peak_w(self) -> float:
        return self.points[10] if self.points else self.max_w


@dataclass
class Load:
    """What runs on the CPUs of a machine. works: of current, one for each job."""

    util: float
    memory: float
    io: float
    class_: str
    works: list[Work] = field(default_factory=list)
    thermal: float = 0
    freq: float = 1
    cap_w: float = 5000
    throttle_pct: float = 0


def generic_w(cpus: Cpus, load: Load, freq: float) -> float:
    activity = min(max(1 - 0.30 * load.memory - 0.45 * load.io, 0.35), 1.0)
    busy = unit(load.util * activity)
    watts = cpus.idle_w + (cpus.max_w - cpus.idle_w) * busy**1.15 * freq**1.35
    return watts * (1 - 0.35 * load.thermal)


def uncapped_w(cpus: Cpus, load: Load, freq: float, rules: str) -> float:
    if cpus.points is None:
        return generic_w(cpus, load, freq)
    if rules == SOURCE:
        multiplier = speed(
            cpu_weights(load.class_, load.memory, load.io), freq, cpus.knee, load.thermal
        )
        return interpolated(cpus.points, 100 * unit(load.util * (multiplier or 0.01)))
    done = sum(work.delivered(freq, cpus.knee, load.thermal) for work in load.works)
    return interpolated(cpus.points, 100 * unit(done))


def largest_freq(cpus: Cpus, load: Load, cap_w: float, rules: str) -> float:
    """The highest frequency that keeps the cap, by halving; the lowest when none does."""
    low, high = cpus.min_freq, 1.0
    if uncapped_w(cpus, load, high, rules) <= cap_w:
        return high
    for _ in range(22 if rules == SOURCE else 60):
        middle = (low + high) / 2
        if uncapped_w(cpus, load, middle, rules) > cap_w:
            high = middle
        else:
            low = middle
    return low


def source_freq(cpus: Cpus, load: Load, cap_w: float) -> float:
    """The source solves its generic law without the activity."""
    if cpus.points is not None:
        return largest_freq(cpus, load, cap_w, SOURCE)
    if cap_w <= cpus.idle_w:
        return cpus.min_freq
    if load.util <= 0:
        return 1.0
    share: float = (cap_w - cpus.idle_w) / ((cpus.max_w - cpus.idle_w) * load.util**1.15)
    return share ** (1 / 1.35)


def cpu_power(cpus: Cpus, load: Load, rules: str) -> tuple[float, float, bool]:
    """Power, frequency and whether the lowest frequency exceeds the cap."""
    cap_w = min(max(load.cap_w, cpus.cap_min_w), cpus.cap_max_w)
    freq, is_saturated = load.freq, False
    watts = max(20.0, uncapped_w(cpus, load, freq, rules))
    if rules == SOURCE and load.throttle_pct > 0 and load.util < 0.20:
        watts = max(20.0, watts * (1 - 0.50 * (1 - load.util / 0.20)))
    if watts > cap_w:
        if rules == SOURCE:
            is_saturated = generic_w(cpus, load, cpus.min_freq) > cap_w
            allowed = source_freq(cpus, load, cap_w)
        else:
            is_saturated = uncapped_w(cpus, load, cpus.min_freq, rules) > cap_w
            allowed = largest_freq(cpus, load, cap_w, rules)
        freq = max(cpus.min_freq, min(freq, allowed))
        watts = max(20.0, uncapped_w(cpus, load, freq, rules))
        if cpus.points is not None:
            watts = min(watts, cap_w)
    return min(watts, cap_w + cpus.head_w), freq, is_saturated


# ---- GPU ----


def gpu_weights(class_: str, memory: float, feed: float) -> list[float]:
    compute, of_memory = GPU_CLASSES.get(class_, GPU_MIXED)
    return normalised(
        [
            unit(0.60 * unit(compute + 0.10 * feed) + 0.40 * (1 - memory)),
            unit(0.60 * of_memory + 0.40 * memory),
        ]
    )


@dataclass
class Device:
    """One GPU."""

    idle_w: float = 30
    max_w: float = 300
    min_w: float = 80
    gamma: float = 1.0
    epsilon: float = 0.2
    memory_gamma: float = 1.2
    relative_speed: float = 1
    tau_s: float = 0.15

    def natural_w(self, weights: list[float], util: float) -> float:
        span = self.max_w - self.idle_w
        compute = self.idle_w + span * util**1.02
        memory = self.idle_w + span * (0.35 * math.sqrt(util) + 0.30 * util)
        return weights[0] * compute + weights[1] * memory

    def limited(self, cap_w: float) -> float:
        return self.max_w if cap_w <= 0 else min(max(cap_w, self.min_w), self.max_w)

    def power_w(self, natural_w: float, cap_w: float) -> float:
        return max(self.idle_w, min(natural_w, cap_w))

    def throughput(self, weights: list[float], natural_w: float, cap_w: float) -> float:
        if cap_w >= natural_w:
            return 1.0
        ratio = cap_w / natural_w
        memory = 1 - self.epsilon * (1 - ratio) ** self.memory_gamma
        return unit(weights[0] * ratio**self.gamma + weights[1] * memory)


# ---- jobs ----


def cpu_factor(job: Job, freq: float, knee: float, thermal: float = 0) -> float:
    return unit(1 - job.sensitivity_cpu * job.base() * (1 - job.speed_at(freq, knee, thermal)))


def gpu_factor(
    job: Job,
    gpu: Device,
    cap_w: float,
    freq: float,
    knee: float,
    rules: str,
    thermal: float = 0,
) -> float:
    """The source takes the throttling of the CPU for that of the GPU, where a cap binds."""
    weights, natural_w = gpu_weights(job.gpu_class, job.memory, job.feed), job.natural_w(gpu)
    done = gpu.throughput(weights, natural_w, cap_w)
    multiplier = job.speed_at(freq, knee, thermal)
    feed = unit(1 - (1 - multiplier) * job.feed * job.sensitivity_cpu)
    if rules == SOURCE:
        heat = 1 - thermal if cap_w < natural_w else 1
        return done * heat * feed * (1 - (1 - cap_w / gpu.max_w) * job.sensitivity_gpu)
    return unit(1 - job.sensitivity_gpu * (1 - done)) * feed


# ---- machines ----


def cpus_of(key: str | None, sockets: int, rules: str) -> Cpus:
    """By the catalog; the source evaluates no proxy and scales no curve."""
    if key is None:
        return Cpus()
    cpu = CPUS[key]
    if rules == SOURCE:
        return Cpus(points=curve_points(key, True) if cpu.source_curve_of == key else None)
    points = curve_points(key)
    assert points is not None
    return Cpus(
        points=tuple(watts * sockets / 2 for watts in points), relative_speed=cpu.speed
    )


def device_of(key: str | None, rules: str) -> Device:
    if key is None or rules == SOURCE:
        return Device()
    gpu = GPUS[key]
    tau_s = 0.35 if key == "AMD_INSTINCT_MI300X" else 0.15
    return Device(
        gpu.idle_w,
        gpu.max_w,
        gpu.min_w,
        gpu.gamma,
        gpu.epsilon,
        gpu.memory_gamma,
        gpu.speed,
        tau_s,
    )
