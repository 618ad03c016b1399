# SPDX-License-Identifier: Apache-2.0
"""What a pod costs on a node in watts, and the number for kube-scheduler
(docs/rules/placement.md#efficiency), written a second time."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from reference.catalog import CPUS, GPUS, curve_points
from reference.physics import CURRENT, device_of, gpu_weights

IDLE_WITHOUT_CURVE_W = 80.0
FEED = 0.45
INTENSITIES = {"compute": 0.3, "mixed": 0.6, "memory": 0.85}


@dataclass
class Node:
    cpu: str = ""  # of the catalog; "" = unknown
    sockets: int = 2
    cores: int = 0
    cpu_max_w: float = 0  # of a socket, where it is described; 0 = unknown
    gpu: str = ""
    gpus: int = 0
    pods: int = 0
    used_cores: float = 0
    used_gpus: float = 0
    allocatable_cores: float = 0  # 0 = all


@dataclass
class Pod:
    cores: float = 0  # 0 = it asks for none
    gpus: float = 0
    gpu_util: float | None = None  # 0…1, of a profile
    bound: str = "compute"


@dataclass
class Settings:
    time_w: float = 0  # per core
    idle: float = 0  # part of the idle power that counts


@dataclass
class Cost:
    slope: float
    step: float
    idle: float
    gpu: float
    time: float
    speed: float
    packing: float

    @property
    def total(self) -> float:
        watts = self.slope + self.step + self.idle + self.gpu + self.time
        return watts / self.speed + self.packing


def curve(node: Node) -> tuple[float, float, float] | None:
    """Idle, slope per core and step of the node's CPUs; None = nothing is known."""
    if node.cores <= 0:
        return None
    points = curve_points(node.cpu) if node.cpu else None
    if points is not None:
        idle, tenth, full = (points[i] * node.sockets / 2 for i in (0, 1, 10))
        slope = (full - tenth) / 0.9 / node.cores
        return idle, slope, tenth - idle - 0.1 * slope * node.cores
    if node.cpu_max_w <= 0:
        return None
    full = node.cpu_max_w * node.sockets
    idle = min(IDLE_WITHOUT_CURVE_W, full)
    return idle, (full - idle) / node.cores, 0.0


def above_idle_w(gpu: str, bound: str, util: float) -> float:
    """Of a device without a cap."""
    device = device_of(gpu, CURRENT)
    weights = gpu_weights(f"gpu.{bound}_bound", INTENSITIES[bound], FEED)
    return device.natural_w(weights, util) - device.idle_w


def speed_of(node: Node, pod: Pod) -> float:
    if pod.gpus:
        return GPUS[node.gpu].speed
    return CPUS[node.cpu].speed if node.cpu else 1.0


def cost(node: Node, pod: Pod, settings: Settings) -> Cost | None:
    known = curve(node)
    if known is None or (pod.gpus and not node.gpu):
        return None
    idle, slope, step = known
    cores = pod.cores or 0.1
    first = node.pods == 0
    full = node.allocatable_cores or node.cores
    packing = -0.01 * floor(100 * node.used_cores / full)
    gpu_w = 0.0
    if pod.gpus:
        util = 0.75 if pod.gpu_util is None else pod.gpu_util
        gpu_w = pod.gpus * above_idle_w(node.gpu, pod.bound, util)
        packing += node.gpus - node.used_gpus - pod.gpus
    else:
        packing += 5 * node.gpus
    return Cost(
        slope=slope * cores * 0.7,
        step=step if first else 0.0,
        idle=settings.idle * idle if first else 0.0,
        gpu=gpu_w,
        time=settings.time_w * (10 * pod.gpus if pod.gpus else cores),
        speed=speed_of(node, pod),
        packing=packing,
    )


def wires(costs: list[Cost | None], span: int = 10) -> list[int]:
    """One per node; a node that is not known has 0."""
    known = [one.total for one in costs if one is not None]
    if not known:
        return [0] * len(costs)
    most, least = max(known), min(known)
    if most - least <= 1e-9:
        return [0 if one is None else span for one in costs]
    return [
        0 if one is None else floor(span * (most - one.total) / (most - least) + 1e-9)
        for one in costs
    ]
