# SPDX-License-Identifier: Apache-2.0
"""Proposals become one recommendation as the model merges them."""

from __future__ import annotations

import dataclasses
import unittest
from collections import Counter
from typing import Any

from drawing import Draw, amounts_of, ask, document_of, text_of, difference
from reference.amounts import GIB, RESOURCES, Amounts, Pair, Resource
from reference.merge import MergeBounds, Proposal, merge

CHOICES: dict[Resource, list[float]] = {
    "tflops": [0, 5, 10, 20, 40, 80],
    "vram": [0, 4 * GIB, 8 * GIB, 16 * GIB, 32 * GIB],
}
NOTHING: dict[str, Any] = {"max_allowed": {}, "gpu": {}, "max_ratio": None}


def drawn_pair(draw: Draw, resource: Resource) -> Pair:
    return Pair(draw.choice(CHOICES[resource]), draw.choice(CHOICES[resource]))


def drawn_amounts(draw: Draw) -> Amounts:
    return Amounts(drawn_pair(draw, "tflops"), drawn_pair(draw, "vram"))


def drawn_side(draw: Draw) -> dict[Resource, float]:
    if draw.happens(0.7):
        return {}
    return {name: draw.choice(CHOICES[name]) for name in RESOURCES if draw.happens(0.8)}


def side_document(side: dict[Resource, float]) -> dict[str, str] | None:
    return {name: text_of(value) for name, value in side.items()} or None


class Merge(unittest.TestCase):
    def test_is_that_of_the_model(self) -> None:
        draw, changed = Draw("merge"), Counter[str]()
        for _ in range(4000):
            current = drawn_amounts(draw)
            proposals = [
                Proposal(drawn_amounts(draw), draw.happens(0.4)) for _ in range(draw.randint(0, 3))
            ]
            ratio = draw.maybe(0.4, draw.choice([1, 1.5, 2, 5]))
            bounds = MergeBounds(drawn_side(draw), drawn_side(draw), ratio)
            document: dict[str, Any] = {
                "current": document_of(current),
                "proposals": [
                    {**document_of(one.amounts), "locked": one.is_floor} for one in proposals
                ],
                "maxAllowed": side_document(bounds.max_allowed),
                "gpu": side_document(bounds.gpu),
                "maxRatioToRequests": bounds.max_ratio,
            }
            answer, expected = ask("autoscale.merge", document), merge(current, proposals, bounds)
            is_same = amounts_of(answer["resources"]) == expected
            self.assertTrue(is_same, difference(document, answer, expected))
            for name, nothing in NOTHING.items():
                without = dataclasses.replace(bounds, **{name: nothing})
                changed[name] += expected != merge(current, proposals, without)
            proposals = [Proposal(one.amounts) for one in proposals]
            changed["floor"] += expected != merge(current, proposals, bounds)
        self.assertGreater(min(changed.values()), 50, changed)


if __name__ == "__main__":
    unittest.main()
