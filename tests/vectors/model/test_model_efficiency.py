# SPDX-License-Identifier: Apache-2.0
"""The scoring profile efficiency: costs, their parts and the number for kube-scheduler follow the
model over drawn clusters."""

from __future__ import annotations

import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, is_near
from efficiency_documents import answers, node_document, pod_object, pods_of, question
from reference.catalog import CPUS, GPUS
from reference.efficiency import Node, Pod, Settings

ROUNDS = 400


def drawn_node(draw: Draw) -> Node:
    node = Node(
        cpu=draw.choice([*CPUS, *CPUS, ""]),
        sockets=draw.choice([1, 2]),
        cores=draw.choice([0, 64, 128, 192, 384]),
    )
    if not node.cpu:
        node.cpu_max_w = draw.choice([0, 30, 270, 400])
    if draw.happens(0.5):
        node.gpu, node.gpus = draw.choice([*GPUS, ""]), draw.choice([1, 4, 8])
    if draw.happens(0.6):
        node.pods = draw.randint(1, 4)
        node.used_cores = node.pods * draw.choice([0, 0.25, 3, 17])
        node.used_gpus = draw.choice([0, node.gpus])
    if draw.happens(0.3):
        node.allocatable_cores = max(1, node.cores - 2)
    return node


def drawn_pod(draw: Draw) -> Pod:
    pod = Pod(cores=draw.choice([0, 0.5, 8, 31.5]))
    if draw.happens(0.5):
        pod.gpus = draw.choice([1, 2, 8])
        pod.gpu_util = draw.maybe(0.6, draw.choice([0.0, 0.5, 0.95, 1.0]))
        if pod.gpu_util is not None:
            pod.bound = draw.choice(["compute", "mixed", "memory"])
    return pod


def pods_on(draw: Draw, node: Node) -> list[dict[str, Any]]:
    """Those that count, and some that do not."""
    found = pods_of(node)
    if draw.happens(0.5):
        owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u"}
        found.append(pod_object("agent", 1, 0, ownerReferences=[owner]))
    if draw.happens(0.3):
        found.append(pod_object("m", 1, 0, annotations={"kubernetes.io/config.mirror": "x"}))
    if draw.happens(0.3):
        found.append({**pod_object("over", 9, 0), "status": {"phase": "Succeeded"}})
    return found


class Efficiency(unittest.TestCase):
    def check(self, given: dict[str, Any], expected: dict[str, Any]) -> None:
        self.assertEqual(set(given), set(expected))
        for key in ("node", "basis", "wire", "score"):
            self.assertEqual(given[key], expected[key], (given, expected))
        for term, value in expected.get("terms", {}).items():
            self.assertTrue(is_near(given["terms"][term], value), (term, given, expected))
        self.assertTrue(is_near(given.get("raw"), expected.get("raw")), (given, expected))

    def test_of_drawn_clusters(self) -> None:
        seen: Counter[str] = Counter()
        for number in range(ROUNDS):
            draw = Draw(f"efficiency {number}")
            nodes = [(f"n{i}", drawn_node(draw)) for i in range(draw.randint(1, 8))]
            pod = drawn_pod(draw)
            settings = Settings(draw.choice([0, 0, 2, 5]), draw.choice([0, 0, 1, 0.5]))
            documents = [node_document(name, node, pods_on(draw, node)) for name, node in nodes]
            given = ask("score", question(pod, documents, settings))
            for one, expected in zip(given["scores"], answers(nodes, pod, settings)):
                self.check(one, expected)
                seen[expected["basis"]] += 1
                seen[f"wire {expected['wire']}"] += 1
        self.assertGreater(seen["missing"], 100)
        for wire in range(11):
            self.assertGreater(seen[f"wire {wire}"], 5, seen)


if __name__ == "__main__":
    unittest.main()
