# SPDX-License-Identifier: Apache-2.0
"""One evaluation of the limits and of the requests layer decides as the model does."""

from __future__ import annotations

import dataclasses
import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, is_near, difference
from reference.amounts import Decision, Resource
from reference.limits import LimitsInput, limits
from reference.requests import Percentiles, RequestsInput, requests

LIMITS_MEMBERS = {
    "max_ratio": "maxRatio",
    "period_s": "evaluationPeriodS",
    "is_throttled": "throttled",
    "is_oom_killed": "oomKilled",
    "is_oom_answered": "oomAnswered",
}
REQUESTS_MEMBERS = {
    "confidence_days": "confidence",
    "max_allowed": "maxAllowed",
    "has_limits_layer": "limitsLayer",
}
NOTHING_OF_LIMITS: dict[str, Any] = {
    "forecast": None,
    "floor": 0,
    "is_throttled": False,
    "is_oom_killed": False,
}
NOTHING_OF_REQUESTS: dict[str, Any] = {"forecast": None, "max_allowed": None, "used": None}


def document_of(layer: str, drawn: Any, names: dict[str, str]) -> dict[str, Any]:
    members = dataclasses.asdict(drawn).items()
    return {"layer": layer, **{names.get(name, name): value for name, value in members}}


def is_same(answer: dict[str, Any], expected: Decision) -> bool:
    return (
        is_near(answer["value"], expected.value)
        and answer["reason"] == expected.reason
        and ("text" not in answer) == expected.is_kept
        and (expected.limit is None or is_near(answer["limit"], expected.limit))
    )


def drawn_limits(draw: Draw) -> LimitsInput:
    resource: Resource = draw.choice(["tflops", "vram"])
    current = draw.choice([0, *[draw.amount(resource) for _ in range(9)]])
    round_tflops = round(draw.uniform(0.1, 20), 1)
    if resource == "tflops" and draw.happens(0.2):
        current = round_tflops
    request = draw.choice([current or 10, (current or 10) / 5, *[draw.amount(resource)] * 3])
    peak = draw.choice([current * 0.95, current * 0.94, current, *[draw.amount(resource)] * 9])
    low_use = current * draw.uniform(0.05, 1)
    p99 = draw.choice([draw.amount(resource), draw.amount(resource), low_use])
    if draw.happens(0.3):  # near the limit
        peak, p99, request = current * draw.uniform(0.85, 1), low_use, current / 2
    if draw.happens(0.2):  # far below the bounds
        request, peak, p99 = current or request, current * 0.1, current * 0.1
    return LimitsInput(
        resource,
        current,
        request,
        p99,
        peak,
        forecast=draw.maybe(0.3, draw.amount(resource)),
        capacity=draw.maybe(0.3, draw.amount(resource)),
        floor=draw.choice([0, 0, draw.amount(resource)]),
        buffer=draw.maybe(0.2, draw.choice([0, 0.2, 0.5, 9])),
        ignored=draw.choice([0.05, 0.05, 0, 0.5, 0.99]),
        step=draw.choice([2, 2, 1, 1.5, 3]),
        max_ratio=draw.choice([5, 5, 1, 1.5, 2, 3]),
        period_s=draw.choice([10, 10, 10, 1, 20, 25, 30, 31, 60, 61, 3600]),
        samples=draw.maybe(0.3, draw.randint(0, 4)),
        is_throttled=draw.happens(0.5),
        is_oom_killed=draw.happens(0.2),
        is_oom_answered=draw.happens(0.3),
    )


def drawn_requests(draw: Draw) -> RequestsInput:
    resource: Resource = draw.choice(["tflops", "vram"])
    lower, target, upper = sorted(draw.amount(resource) for _ in range(3))
    return RequestsInput(
        resource,
        current=0 if draw.happens(0.1) else draw.amount(resource),
        original=0 if draw.happens(0.1) else draw.amount(resource),
        confidence_days=draw.choice([0, 0.001, 0.1, 1, 2, 7, 30]),
        percentiles=draw.maybe(0.95, Percentiles(lower, target, upper)),
        multiplier=draw.choice([1.1, 1.1, 0.5, 1, 2]),
        forecast=draw.maybe(0.3, draw.amount(resource)),
        max_allowed=draw.maybe(0.3, draw.amount(resource)),
        used=draw.maybe(0.5, draw.amount(resource)),
        limit=draw.maybe(0.5, draw.amount(resource)),
        has_limits_layer=draw.happens(0.5),
    )


class Layers(unittest.TestCase):
    def test_limits(self) -> None:
        draw, reasons, changed = Draw("limits"), Counter[str](), Counter[str]()
        for _ in range(4000):
            drawn = drawn_limits(draw)
            document = document_of("limits", drawn, LIMITS_MEMBERS)
            answer, expected = ask("autoscale.layer", document), limits(drawn)
            self.assertTrue(is_same(answer, expected), difference(document, answer, expected))
            reasons[expected.reason] += 1
            for name, nothing in NOTHING_OF_LIMITS.items():
                changed[name] += expected != limits(dataclasses.replace(drawn, **{name: nothing}))
        self.assertEqual(len(reasons), 6, reasons)
        self.assertGreater(min(*reasons.values(), *changed.values()), 5, (reasons, changed))

    def test_requests(self) -> None:
        draw, reasons, changed = Draw("requests"), Counter[str](), Counter[str]()
        for _ in range(3000):
            drawn = drawn_requests(draw)
            document = document_of("requests", drawn, REQUESTS_MEMBERS)
            answer, expected = ask("autoscale.layer", document), requests(drawn)
            self.assertTrue(is_same(answer, expected), difference(document, answer, expected))
            reasons[expected.reason] += 1
            for name, nothing in NOTHING_OF_REQUESTS.items():
                without = requests(dataclasses.replace(drawn, **{name: nothing}))
                changed[name] += expected != without
        self.assertEqual(len(reasons), 3, reasons)
        self.assertGreater(min(*reasons.values(), *changed.values()), 5, (reasons, changed))


if __name__ == "__main__":
    unittest.main()
