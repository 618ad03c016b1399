# SPDX-License-Identifier: Apache-2.0
"""Which nodes are switched off and which are woken (docs/rules/policy.md#power_off_v1), worked out
over plain values."""

from __future__ import annotations

from dataclasses import dataclass

from reference import efficiency
from reference.catalog import CPUS, GPUS
from reference.policy import Machine, Pending

Choice = tuple[str, str]  # action, reason
MACHINE_CORES, MACHINE_GPUS = 192, 8


@dataclass
class Settings:
    enabled: bool = True
    idle_s: float = 1800
    up_s: float = 1800
    reserve_gpus: int = 16
    reserve_cores: float = 256
    standby_w: float = 50
    stop_timeout_s: float = 600
    boot_timeout_s: float = 1200
    most_failures: int = 3
    window_s: float = 0  # of the reserve; 0 = it is fixed


@dataclass
class Switched:
    """A node and how long it has been what it is."""

    machine: Machine
    state: str = "on"
    for_s: int = 7200
    empty_s: int = 7200
    failures: int = 0

    @property
    def name(self) -> str:
        return self.machine.name

    @property
    def parts(self) -> tuple[float, float]:
        """Watts without work, and of all of it at work; 0 where nothing is known."""
        machine, hardware = self.machine, self.machine.hardware
        known = efficiency.curve(efficiency.Node(cpu=hardware.cpu, cores=hardware.cores))
        idle, slope, _ = known if known else (0.0, 0.0, 0.0)
        full = idle + slope * hardware.cores
        if hardware.gpu:
            idle += GPUS[hardware.gpu].idle_w * hardware.gpus
            full += GPUS[hardware.gpu].max_w * hardware.gpus
        return (idle, full) if known else (0.0, 0.0)

    @property
    def watts_for_work(self) -> float:
        machine, hardware = self.machine, self.machine.hardware
        if hardware.gpus:
            work = hardware.gpus / MACHINE_GPUS * GPUS[hardware.gpu].speed
        else:
            speed = CPUS[hardware.cpu].speed if hardware.cpu else 1.0
            work = machine.cores / MACHINE_CORES * speed
        return self.parts[1] / work if work else 0.0


class Round:
    """One decision."""

    def __init__(self, nodes: list[Switched], settings: Settings, recent: list[Pending]) -> None:
        self.nodes = sorted(nodes, key=lambda node: node.name)
        self.order = sorted(self.nodes, key=lambda node: (-node.watts_for_work, node.name))
        self.settings, self.recent = settings, recent
        self.choices: dict[str, Choice] = {}

    def will_be_on(self, node: Switched) -> bool:
        if node.name in self.choices:
            return self.choices[node.name][0] == "wake"
        return node.state == "booting"

    def is_awake(self, node: Switched) -> bool:
        chosen = self.choices.get(node.name, ("", ""))[0]
        return self.will_be_on(node) or (node.state == "on" and chosen != "switch-off")

    def is_asleep(self, node: Switched) -> bool:
        return node.name not in self.choices and node.state in ("off", "stopping")

    def free_cores(self) -> float:
        return sum(
            max(0.0, node.machine.cores - node.machine.used_cores)
            for node in self.nodes
            if self.is_awake(node)
        )

    def free_gpus(self, vendor: str) -> int:
        return sum(
            max(0, node.machine.hardware.gpus - node.machine.used_gpus)
            for node in self.nodes
            if self.is_awake(node) and node.machine.vendor == vendor
        )

    def reserve_cores(self) -> float:
        if not self.settings.window_s:
            return self.settings.reserve_cores
        return min(self.settings.reserve_cores, sum(pod.cores for pod in self.recent))

    def reserve_gpus(self, vendor: str) -> float:
        if not self.settings.window_s:
            return self.settings.reserve_gpus
        came = sum(pod.gpus for pod in self.recent if pod.vendor == vendor)
        return min(self.settings.reserve_gpus, came)

    def is_short(self, node: Switched) -> bool:
        """Of what this node has."""
        if node.machine.hardware.gpus:
            vendor = node.machine.vendor
            if self.free_gpus(vendor) < self.reserve_gpus(vendor):
                return True
        return self.free_cores() < self.reserve_cores()

    def time_out(self) -> None:
        limits = {
            "stopping": ("stop-timeout", self.settings.stop_timeout_s),
            "booting": ("boot-timeout", self.settings.boot_timeout_s),
        }
        for node in self.nodes:
            reason, limit_s = limits.get(node.state, ("", 0))
            if reason and node.for_s > limit_s:
                last = node.failures + 1 >= self.settings.most_failures
                self.choices[node.name] = ("give-up" if last else "wake", reason)

    def serve(self, pod: Pending) -> None:
        groups = (
            [node for node in self.nodes if node.state == "on"],
            [node for node in self.nodes if self.will_be_on(node)],
            [node for node in self.nodes if self.is_asleep(node)],
        )
        for group in groups:
            fitting = [
                node
                for node in group
                if node.machine.takes(pod)
                and (node.machine.profile != "eco" or not pod.performance)
            ]
            if not fitting:
                continue
            best = min(fitting, key=lambda node: node.machine.watts(pod))
            if self.is_asleep(best):
                self.choices[best.name] = ("wake", "pods")
            best.machine.reserve(pod)
            return

    def switch_off(self, node: Switched) -> None:
        is_unused = (
            node.state == "on"
            and not node.machine.pods
            and node.parts[0] > self.settings.standby_w
            and node.empty_s >= self.settings.idle_s
            and node.for_s >= self.settings.up_s
        )
        if not is_unused:
            return
        self.choices[node.name] = ("switch-off", "idle")
        if self.is_short(node):
            del self.choices[node.name]

    def decide(self, waiting: list[Pending]) -> dict[str, Choice]:
        self.time_out()
        if not self.settings.enabled:
            for node in self.nodes:
                if self.is_asleep(node):
                    self.choices[node.name] = ("wake", "disabled")
            return self.choices
        for pod in sorted(waiting, key=lambda one: (-one.priority, one.created, one.name)):
            self.serve(pod)
        for node in reversed(self.order):
            if self.is_asleep(node) and self.is_short(node):
                self.choices[node.name] = ("wake", "reserve")
        for node in self.order:
            self.switch_off(node)
        return self.choices


def decide(
    nodes: list[Switched],
    waiting: list[Pending],
    settings: Settings,
    recent: list[Pending] | None = None,
) -> dict[str, Choice]:
    """By node name; room that pods are given is taken of the machines. recent: pods of the window."""
    return Round(nodes, settings, recent or []).decide(waiting)
