# SPDX-License-Identifier: Apache-2.0
"""The question score.kube says of drawn nodes and pods what kube-scheduler's own plugins say."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import unittest
from typing import Any

from checkout import ROOT, use_package

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))
use_package()

import build  # noqa: E402
import joulie  # noqa: E402

DRAWS = 3000
SEED = 20260214
GIB = 1 << 30
GPUS = ("nvidia.com/gpu", "amd.com/gpu")
# What each word is among the settings of the scheduler.
STRATEGIES = {
    "least-allocated": ("LeastAllocated", {"cpu": 1, "memory": 1}),
    "kube": ("LeastAllocated", {"cpu": 1, "memory": 1}),
    "most-allocated": ("MostAllocated", {"cpu": 1, "memory": 1, **dict.fromkeys(GPUS, 5)}),
}


class Draw:
    """A node, the pods on it and a pod that waits, each as [millicores, bytes, GPUs]."""

    def __init__(self, chance: random.Random) -> None:
        self.gpu = chance.choice(GPUS)  # of the node
        self.asked_gpu = chance.choice((self.gpu, self.gpu, *GPUS))  # of the pod
        cores = chance.choice((0, 1, 3, 7, 64, 96, 192, 384))
        memory = chance.choice((0, 1, 200 << 20, 7 * GIB, 384 * GIB, 1536 * GIB + 12345))
        self.node = [cores * 1000, memory, chance.choice((0, 0, 1, 3, 8))]
        # From an empty node to one that is asked for more than it has.
        self.running = [self.pod(chance, 0.25) for _ in range(chance.choice((0, 0, 1, 2, 5, 12)))]
        self.waiting = self.pod(chance, chance.choice((0.1, 0.5, 1.2)))

    def pod(self, chance: random.Random, share: float) -> list[int]:
        cores, memory, gpus = self.node
        wishes = (
            (0, 1, chance.randint(0, 1 + int(share * cores))),
            (0, 1 << 20, chance.randint(0, 1 + int(share * memory))),
            (0, 0, chance.randint(0, 1 + gpus)),
        )
        return [chance.choice((wish[2], wish[2], *wish)) for wish in wishes]


def amount(values: list[int]) -> dict[str, int]:
    return dict(zip(("cpuMillicores", "memoryBytes", "gpus"), values))


def ours(draw: Draw, word: str) -> Any:
    is_other = draw.asked_gpu != draw.gpu  # then the node has none of those that are asked for
    node = [*draw.node[:2], 0 if is_other else draw.node[2]]
    document = {
        "scoring": word,
        "allocatable": amount(node),
        "running": [amount(pod) for pod in draw.running],
        "pod": amount(draw.waiting),
    }
    return joulie.ask("score.kube", document)


def quantities(values: list[int], gpu: str, *, keeps_zeros: bool) -> dict[str, str]:
    found = {"cpu": f"{values[0]}m", "memory": str(values[1]), gpu: str(values[2])}
    return {key: text for key, text in found.items() if keeps_zeros or text not in ("0m", "0")}


def pod_object(name: str, values: list[int], gpu: str) -> dict[str, Any]:
    # A zero is left out: the scheduler takes one that is written as a wish for nothing.
    requests = quantities(values, gpu, keeps_zeros=False)
    container = {"name": "c", "resources": {"requests": requests}}
    return {
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"containers": [container]},
    }


def theirs(draw: Draw, word: str) -> dict[str, Any]:
    strategy, resources = STRATEGIES[word]
    return {
        "strategy": strategy,
        "resources": resources,
        "node": {
            "metadata": {"name": "n"},
            "status": {"allocatable": quantities(draw.node, draw.gpu, keeps_zeros=True)},
        },
        "running": [pod_object(f"r{i}", pod, draw.gpu) for i, pod in enumerate(draw.running)],
        "pod": pod_object("p", draw.waiting, draw.asked_gpu),
    }


class KubeScores(unittest.TestCase):
    def test_every_score_is_that_of_the_scheduler(self) -> None:
        try:
            program = build.program("kubescore")
        except build.Missing as reason:
            self.skipTest(str(reason))
        chance = random.Random(SEED)
        asked = [(Draw(chance), word) for _ in range(DRAWS) for word in STRATEGIES]
        lines = "".join(json.dumps(theirs(draw, word)) + "\n" for draw, word in asked)
        done = subprocess.run(
            [program], input=lines, stdout=subprocess.PIPE, text=True, check=True, timeout=300
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(asked))
        seen: set[int] = set()
        for (draw, word), scheduler in zip(asked, answers):
            answer = ours(draw, word)
            where = f"{word}: {vars(draw)}"
            self.assertEqual(answer["fit"], scheduler["fit"], where)
            balanced = scheduler["balanced"] if word == "kube" else 0
            self.assertEqual(answer.get("balanced", 0), balanced, where)
            self.assertEqual(answer["total"], scheduler["fit"] + balanced, where)
            seen.add(answer["total"])
        self.assertGreater(len(seen), 150, "the draws reach few scores")


if __name__ == "__main__":
    unittest.main()
