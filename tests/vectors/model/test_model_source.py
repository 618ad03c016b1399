# SPDX-License-Identifier: Apache-2.0
"""The recommender of v2.17.1 recommends what the model of it does."""

from __future__ import annotations

import math
import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, is_near, difference
from reference.amounts import GIB, RESOURCES, Amounts, Pair, Resource
from reference.source import SourceInput, source_percentile


def drawn_value(draw: Draw, resource: Resource) -> float:
    if resource == "tflops":
        return draw.choice([draw.uniform(0.01, 300), draw.randint(1, 200)])
    return draw.choice([draw.randint(1 << 28, 1 << 36), draw.randint(1, 40) * GIB])


def drawn_amounts(draw: Draw) -> Amounts:
    pairs = [Pair(drawn_value(draw, name), drawn_value(draw, name)) for name in RESOURCES]
    return Amounts(*pairs)


def drawn_bounds(draw: Draw, resource: Resource) -> dict[str, float]:
    values = sorted(drawn_value(draw, resource) for _ in range(3))
    return dict(zip(("lower", "target", "upper"), values))


def drawn_allowance(draw: Draw) -> dict[Resource, float]:
    return {name: math.trunc(drawn_value(draw, name)) for name in RESOURCES}


def sides(amounts: Amounts) -> dict[str, dict[str, float]]:
    return {
        "requests": {name: amounts.of(name).request for name in RESOURCES},
        "limits": {name: amounts.of(name).limit for name in RESOURCES},
    }


class Percentile(unittest.TestCase):
    def is_same(self, answer: dict[str, Any], expected: Any) -> bool:
        if answer["reason"] != expected.reason:
            return False
        if expected.estimates is not None and answer["estimates"] != expected.estimates:
            return False
        if expected.amounts is None:
            return True
        wanted = sides(expected.amounts)
        return all(
            is_near(answer["resources"][side][name], wanted[side][name])
            for side in wanted
            for name in RESOURCES
        )

    def test_is_that_of_the_model(self) -> None:
        draw, reasons = Draw("source"), Counter[str]()
        for _ in range(2500):
            original = drawn_amounts(draw)
            if draw.happens(0.05):
                original.tflops = Pair(0, original.tflops.limit)
            drawn = SourceInput(
                {name: drawn_bounds(draw, name) for name in RESOURCES},
                original,
                original if draw.happens(0.4) else drawn_amounts(draw),
                draw.choice(["", "low", "medium", "high", "critical"]),
                draw.choice([0.15, 0.15, 0, 0.2, 1]),
                drawn_allowance(draw) if draw.happens(0.3) else None,
                draw.choice([math.inf] * 8 + [10, 1799, 1800, 5000]),
            )
            document = {
                "layer": "percentile",
                "percentiles": drawn.percentiles,
                "original": sides(drawn.original),
                "current": sides(drawn.current),
                "qos": drawn.qos,
                "margin": drawn.margin,
                "maxAllowed": drawn.max_allowed,
                "ageS": None if drawn.age_s == math.inf else drawn.age_s,
                "options": {"model": "v2.17.1"},
            }
            answer, expected = ask("autoscale.layer", document), source_percentile(drawn)
            self.assertTrue(self.is_same(answer, expected), difference(document, answer, expected))
            reasons[expected.reason] += 1
        self.assertEqual(len(reasons), 3, reasons)


if __name__ == "__main__":
    unittest.main()
