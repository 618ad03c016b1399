# SPDX-License-Identifier: Apache-2.0
"""The cases of libjoulie-policy-current.json: plans whose expected nodes the model names."""

from __future__ import annotations

from typing import Any

from reference.policy import Node, static_plan, static_wanted

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


def policy_cases() -> list[Case]:
    return [*static_counts(), *static_plans(), *blockers()]
