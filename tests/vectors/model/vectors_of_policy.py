# SPDX-License-Identifier: Apache-2.0
"""The cases of libjoulie-policy-current.json: plans whose expected nodes the model names."""

from __future__ import annotations

from typing import Any

from reference.policy import Machine, Node, Pending, queue_plan, static_plan, static_wanted

Case = dict[str, Any]
NOW = "2026-03-13T12:00:00Z"
PROFILE = "joulie.io/power-profile"

BARE = [Node(name) for name in "abcde"]
MIXED = [
    Node("c1", "AMD_EPYC_9654", 8),
    Node("c2", "AMD_EPYC_9654", 8),
    Node("h1", "", 8, "NVIDIA_H100_SXM", 8),
    Node("x1"),
    Node("x2"),
]


def node_object(node: Node) -> Case:
    amounts = {"cpu": "8"}
    if node.gpus:
        amounts["nvidia.com/gpu"] = str(node.gpus)
    made: Case = {
        "node": {
            "metadata": {"name": node.name},
            "status": {"capacity": amounts, "allocatable": amounts},
        }
    }
    status: Case = {}
    if node.cpu:
        status["cpu"] = {"model": node.cpu, "sockets": 2, "totalCores": node.cores}
    if node.gpus:
        status["gpu"] = {"present": True, "count": node.gpus, "model": node.gpu}
    return {**made, "hardware": status} if status else made


def assignments(nodes: list[Node], performance: list[str]) -> list[Case]:
    return [
        {
            "nodeName": node.name,
            "profile": "performance" if node.name in performance else "eco",
            "draining": False,
        }
        for node in sorted(nodes, key=lambda node: node.name)
    ]


def static_plans() -> list[Case]:
    cases = []
    for name, nodes in (("unknown", BARE), ("mixed", MIXED)):
        for frac in (-1, 0, 0.01, 0.2, 0.25, 0.5, 0.7, 1):
            plan = static_plan(nodes, frac)
            cases.append(
                {
                    "id": f"static-{name}-{frac}",
                    "question": "plan",
                    "in": {
                        "policy": {"type": "static_partition", "staticHpFrac": frac},
                        "nodes": [node_object(node) for node in nodes],
                        "pods": [],
                        "now": NOW,
                    },
                    "out": {
                        "performanceNodes": plan.wanted,
                        "assignments": assignments(nodes, plan.performance),
                    },
                }
            )
    return cases


def static_counts() -> list[Case]:
    families = [Node(f"n{i}", gpu=f"g{min(i, 2)}", gpus=1) for i in range(5)]
    return [
        {
            "id": f"static-count-{frac}",
            "question": "policy.hp",
            "in": {
                "policy": {"type": "static_partition", "staticHpFrac": frac},
                "nodes": 5,
                "families": 3,
            },
            "out": {"performanceNodes": static_wanted(families, frac)},
        }
        for frac in (-0.5, 0, 0.001, 0.6, 0.7)
    ]


def bound_pod(name: str, phase: str, node: str | None) -> Case:
    spec: Case = {"nodeSelector": {PROFILE: "performance"}}
    if node:
        spec["nodeName"] = node
    return {"metadata": {"name": name}, "spec": spec, "status": {"phase": phase}}


def blockers() -> list[Case]:
    """One of two nodes is eco; what it holds decides whether it drains."""
    nodes = [Node("a", "AMD_EPYC_9654", 8), Node("b", "AMD_EPYC_9654", 8)]
    rows = (
        ("pending-bound", "Pending", "b", True),
        ("running", "Running", "b", True),
        ("no-phase", "", "b", True),
        ("succeeded", "Succeeded", "b", False),
        ("failed", "Failed", "b", False),
        ("pending-elsewhere", "Pending", "a", False),
        ("pending", "Pending", None, False),
    )
    cases = []
    for name, phase, node, blocks in rows:
        pod = bound_pod("p", phase, node)
        blocker = {"name": "p", "why": "performance-sensitive"}
        cases.append(
            {
                "id": f"blocks-{name}",
                "question": "plan",
                "in": {
                    "policy": {"type": "static_partition"},
                    "nodes": [node_object(made) for made in nodes],
                    "pods": [pod],
                    "now": NOW,
                },
                "out": {
                    "assignments": [
                        {"nodeName": "a", "profile": "performance", "draining": False},
                        {
                            "nodeName": "b",
                            "profile": "eco",
                            "draining": blocks,
                            "blockers": [blocker] if blocks else [],
                        },
                    ]
                },
            }
        )
    return cases


def cpu_machine(name: str, model: str, cores: int, **more: Any) -> Machine:
    return Machine(Node(name, model, cores), cores, **more)


def gpu_machine(name: str, gpu: str, gpus: int, **more: Any) -> Machine:
    return Machine(Node(name, "AMD_EPYC_9654", 192, gpu, gpus), 192, **more)


def resource_of(vendor: str) -> str:
    return "gpu.intel.com/i915" if vendor == "intel" else f"{vendor}.com/gpu"


def machine_object(machine: Machine) -> Case:
    resource = resource_of(machine.vendor)
    amounts: Case = {"cpu": str(machine.cores)}
    if machine.memory:
        amounts["memory"] = str(machine.memory)
    if machine.hardware.gpus:
        amounts[resource] = str(machine.hardware.gpus)
    made = node_object(machine.hardware)
    meta: Case = {"name": machine.name}
    if machine.labels:
        meta["labels"] = machine.labels
    made["node"] = {"metadata": meta, "status": {"capacity": amounts, "allocatable": amounts}}
    if machine.taint:
        made["node"]["spec"] = {"taints": [{"key": machine.taint, "effect": "NoSchedule"}]}
    made["twin"] = {"spec": {"nodeName": machine.name, "profile": machine.profile}}
    return made


def pod_of(name: str, cores: float, gpus: int, memory: int, vendor: str, **meta: Any) -> Case:
    requests: Case = {"cpu": f"{round(cores * 1000)}m"}
    if gpus:
        requests[resource_of(vendor)] = str(gpus)
    if memory:
        requests["memory"] = str(memory)
    return {
        "metadata": {"name": name, **meta},
        "spec": {"containers": [{"name": "c", "resources": {"requests": requests}}]},
    }


def waiting_object(pod: Pending) -> Case:
    meta: Case = {}
    if pod.performance:
        meta["annotations"] = {"joulie.io/workload-class": "performance"}
    if pod.created:
        meta["creationTimestamp"] = pod.created
    made = pod_of(pod.name, pod.cores, pod.gpus, pod.memory, pod.vendor, **meta)
    if pod.priority:
        made["spec"]["priority"] = pod.priority
    if pod.selector:
        made["spec"]["nodeSelector"] = pod.selector
    if pod.tolerates:
        made["spec"]["tolerations"] = [{"key": pod.tolerates, "operator": "Exists"}]
    return {**made, "status": {"phase": "Pending"}}


def running_objects(machine: Machine) -> list[Case]:
    pods = []
    for i in range(machine.pods):
        share = machine.used_cores / machine.pods
        first = i == 0
        made = pod_of(
            f"{machine.name}-{i}",
            share,
            machine.used_gpus if first else 0,
            machine.used_memory if first else 0,
            machine.vendor,
        )
        if machine.works and first:
            made["metadata"]["annotations"] = {"joulie.io/workload-class": "performance"}
        made["spec"]["nodeName"] = machine.name
        pods.append({**made, "status": {"phase": "Running"}})
    return pods


CHEAP = "AMD_EPYC_9965"
DEAR = "AMD_EPYC_9375F"


def queue_case(
    name: str, machines: list[Machine], waiting: list[Pending], floor: Case | None = None
) -> Case:
    settings = floor or {}
    frac = settings.get("queueHpBaseFrac", 0)
    wanted = max(settings.get("queueHpMin", 0), int(len(machines) * frac + 0.5))
    wanted = min(wanted, settings.get("queueHpMax", len(machines)), len(machines))
    documents = [machine_object(machine) for machine in machines]
    running = [pod for machine in machines for pod in running_objects(machine)]
    performance = queue_plan(machines, waiting, wanted)
    return {
        "id": f"queue-{name}",
        "question": "plan",
        "in": {
            "policy": {"type": "queue_aware_v1", **settings},
            "nodes": documents,
            "pods": running + [waiting_object(pod) for pod in waiting],
            "now": NOW,
        },
        "out": {
            "performanceNodes": len(performance),
            "assignments": assignments([machine.hardware for machine in machines], performance),
        },
    }


def queue_cases() -> list[Case]:
    gib = 1 << 30
    h100 = "NVIDIA_H100_SXM"
    return [
        queue_case("empty", [cpu_machine("a", CHEAP, 8)], []),
        queue_case(
            "cheapest",
            [cpu_machine("a", DEAR, 64), cpu_machine("b", CHEAP, 384)],
            [Pending("p", 32)],
        ),
        queue_case(
            "cheapest-is-full",
            [
                cpu_machine("a", DEAR, 64),
                cpu_machine("b", CHEAP, 384, used_cores=360, pods=2),
            ],
            [Pending("p", 32)],
        ),
        queue_case(
            "fits-exactly",
            [
                cpu_machine("a", DEAR, 64),
                cpu_machine("b", CHEAP, 384, used_cores=352, pods=2),
            ],
            [Pending("p", 32)],
        ),
        queue_case(
            "room-on-performance-first",
            [cpu_machine("a", DEAR, 64, profile="performance"), cpu_machine("b", CHEAP, 384)],
            [Pending("p", 32)],
        ),
        queue_case(
            "reservations-add-up",
            [cpu_machine(name, DEAR, 64) for name in "abc"],
            [Pending("p", 40), Pending("q", 40), Pending("r", 24)],
        ),
        queue_case("no-room", [cpu_machine("a", DEAR, 64)], [Pending("p", 65)]),
        queue_case(
            "gpus",
            [
                cpu_machine("a", CHEAP, 384),
                gpu_machine("b", h100, 8, used_gpus=1, used_cores=8, pods=1),
                gpu_machine("c", h100, 8),
            ],
            [Pending("p", 8, gpus=8)],
        ),
        queue_case(
            "vendor",
            [
                gpu_machine("a", "AMD_INSTINCT_MI300X", 8, vendor="amd"),
                gpu_machine("b", h100, 8),
            ],
            [Pending("p", 8, gpus=1)],
        ),
        queue_case(
            "memory",
            [cpu_machine("a", CHEAP, 384, memory=gib), cpu_machine("b", DEAR, 64, memory=4 * gib)],
            [Pending("p", 4, memory=2 * gib)],
        ),
        queue_case(
            "selector",
            [cpu_machine("a", CHEAP, 384), cpu_machine("b", DEAR, 64, labels={"disk": "fast"})],
            [Pending("p", 4, selector={"disk": "fast"})],
        ),
        queue_case(
            "taint",
            [cpu_machine("a", CHEAP, 384, taint="lab"), cpu_machine("b", DEAR, 64)],
            [Pending("p", 4)],
        ),
        queue_case(
            "tolerated",
            [cpu_machine("a", CHEAP, 384, taint="lab"), cpu_machine("b", DEAR, 64)],
            [Pending("p", 4, tolerates="lab")],
        ),
        queue_case(
            "priority",
            [cpu_machine("a", CHEAP, 384), cpu_machine("b", DEAR, 64)],
            [Pending("p", 350), Pending("q", 50, priority=1), Pending("r", 300)],
        ),
        queue_case(
            "age",
            [cpu_machine("a", CHEAP, 384)],
            [
                Pending("p", 300, created="2026-03-13T11:00:01Z"),
                Pending("q", 200, created="2026-03-13T11:00:00Z"),
            ],
        ),
        queue_case(
            "work-stays",
            [
                cpu_machine("a", DEAR, 64, works=True, pods=1, used_cores=4),
                cpu_machine("b", CHEAP, 384),
            ],
            [],
        ),
        queue_case(
            "floor",
            [cpu_machine(name, CHEAP if name == "b" else DEAR, 64) for name in "abc"],
            [],
            {"queueHpMin": 2},
        ),
        queue_case(
            "floor-share",
            [cpu_machine(name, DEAR, 64) for name in "abcde"],
            [],
            {"queueHpBaseFrac": 0.5},
        ),
        queue_case(
            "most-stops-no-reservation",
            [cpu_machine(name, DEAR, 64) for name in "abc"],
            [Pending("p", 64), Pending("q", 64)],
            {"queueHpBaseFrac": 0.9, "queueHpMax": 1},
        ),
        queue_case(
            "families-have-no-floor",
            [cpu_machine("a", CHEAP, 384), cpu_machine("b", DEAR, 64), gpu_machine("c", h100, 8)],
            [Pending("p", 4)],
        ),
        queue_case(
            "unknown-is-last",
            [Machine(Node("a"), 64), cpu_machine("b", DEAR, 64)],
            [Pending("p", 4)],
        ),
        queue_case(
            "unknown-alone",
            [Machine(Node("a"), 64)],
            [Pending("p", 4)],
        ),
    ]


def policy_cases() -> list[Case]:
    return [*static_counts(), *static_plans(), *blockers(), *queue_cases()]
