# SPDX-License-Identifier: Apache-2.0
"""Clusters, pods and settings of the scoring profile efficiency as the question score takes them."""

from __future__ import annotations

from typing import Any

from reference.efficiency import Cost, Node, Pod, Settings, cost, wires

NOW = "2026-03-13T12:00:00Z"
TERMS = {
    "slopeW": "slope",
    "stepW": "step",
    "idleW": "idle",
    "gpuW": "gpu",
    "timeW": "time",
    "speed": "speed",
    "packingW": "packing",
    "costW": "total",
}


def pod_object(name: str, cores: float, gpus: float, **more: Any) -> dict[str, Any]:
    requests = {"cpu": f"{round(cores * 1000)}m", "nvidia.com/gpu": str(int(gpus))}
    kept = {key: text for key, text in requests.items() if text not in ("0m", "0")}
    return {
        "metadata": {"name": name, "namespace": "default", **more},
        "spec": {"containers": [{"name": "c", "resources": {"requests": kept}}]},
    }


def pods_of(node: Node) -> list[dict[str, Any]]:
    """Those that the node counts."""
    return [
        pod_object(f"r{i}", node.used_cores / node.pods, node.used_gpus if i == 0 else 0)
        for i in range(node.pods)
    ]


def node_document(name: str, node: Node, pods: list[dict[str, Any]]) -> dict[str, Any]:
    cpu: dict[str, Any] = {"sockets": node.sockets, "totalCores": node.cores}
    if node.cpu:
        cpu["model"] = node.cpu
    if node.cpu_max_w:
        cpu["capRange"] = {"maxWattsPerSocket": node.cpu_max_w}
    hardware: dict[str, Any] = {"cpu": cpu}
    if node.gpus:
        hardware["gpu"] = {"present": True, "count": node.gpus}
        if node.gpu:
            hardware["gpu"]["model"] = node.gpu
    document = {"name": name, "hardware": hardware}
    if pods:
        document["pods"] = pods
    if node.allocatable_cores:
        document["allocatableCores"] = node.allocatable_cores
    return document


def profile_of(pod: Pod) -> dict[str, Any] | None:
    if pod.gpu_util is None:
        return None
    return {
        "spec": {"workloadRef": {"kind": "Pod", "namespace": "default", "name": "p"}},
        "status": {
            "confidence": 0.9,
            "lastUpdated": NOW,
            "gpu": {"bound": pod.bound, "avgUtilizationPct": pod.gpu_util * 100},
        },
    }


def question(pod: Pod, nodes: list[dict[str, Any]], settings: Settings) -> dict[str, Any]:
    document = {
        "profileName": "efficiency",
        "now": NOW,
        "pod": pod_object("p", pod.cores, pod.gpus),
        "profile": profile_of(pod),
        "scoring": {"timeWPerCore": settings.time_w, "idleWeight": settings.idle},
        "nodes": nodes,
    }
    return {key: value for key, value in document.items() if value is not None}


def answer_of(name: str, one: Cost | None, wire: int, whole: int) -> dict[str, Any]:
    """One node of the answer."""
    if one is None:
        return {"node": name, "score": whole, "wire": wire, "basis": "missing"}
    terms = {word: getattr(one, member) for word, member in TERMS.items()}
    return {
        "node": name,
        "score": whole,
        "wire": wire,
        "raw": -one.total,
        "terms": terms,
        "basis": "fresh",
    }


def answers(nodes: list[tuple[str, Node]], pod: Pod, settings: Settings) -> list[dict[str, Any]]:
    costs = [cost(node, pod, settings) for _, node in nodes]
    names = [name for name, _ in nodes]
    return [answer_of(*row) for row in zip(names, costs, wires(costs), wires(costs, 100))]
