# SPDX-License-Identifier: Apache-2.0
"""Whole workloads, step after step with the state of the step before: the library decides as the
model, with predictions, cron rules, replies, kills for memory and workers that come and go."""

from __future__ import annotations

import os
import unittest
from collections import Counter
from dataclasses import replace
from typing import Any

import scenarios
from drawing import Draw, amounts_of, ask, is_near, difference, value_of
from reference.amounts import GRAIN, RESOURCES, Amounts, Resource
from reference.engine import Engine
from reference.situation import Answer, Situation

WORKLOADS = int(os.environ.get("JOULIE_MODEL_WORKLOADS", "180"))
STEPS = 45
COMPARED = (
    "ClockWentBack",
    "ExternalScaler",
    "ExternalScalerFailed",
    "InvalidField",
    "MissingMetrics",
    "NeedsGpuModel",
    "NeverFires",
    "NoMetrics",
    "OverlappingCronRules",
)
MUST_MATTER = (
    "limits.tflops.forecast",
    "limits.vram.forecast",
    "requests.tflops.forecast",
    "requests.vram.forecast",
    "limits.vram.floor",
    "limits.vram.expiry",
    "limits.tflops.is_throttled",
    "limits.vram.is_oom_killed",
    "rows",
    "layers",
    "cron",
    "external",
)


def decisions_of(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (one["layer"], one["resource"], value_of(one["to"]), one["reason"])
        for one in answer["decisions"]
    ]


def is_same_quantity(found: float, expected: float, resource: Resource) -> bool:
    """An answer is a quantity: what the model did not round may differ by a grain."""
    difference = abs(found - expected)
    return difference <= 1.01 * GRAIN[resource]


def is_same_decision(found: tuple[Any, ...], expected: tuple[Any, ...]) -> bool:
    """Layers round what they decide; a rule that ends gives back what there was."""
    layer, name, value, _ = found
    if layer in ("limits", "requests"):
        return is_near(value, expected[2])
    resource: Resource = "vram" if name.endswith("vram") else "tflops"
    return is_same_quantity(value, expected[2], resource)


def are_same(found: Amounts, expected: Amounts) -> bool:
    return all(
        is_same_quantity(getattr(found.of(name), side), getattr(expected.of(name), side), name)
        for name in RESOURCES
        for side in ("request", "limit")
    )


def is_of_step(condition: dict[str, Any]) -> bool:
    """What the profile says is no subject here."""
    return bool(condition["reason"] != "InvalidField" or condition["where"] == "samples")


def problem_of(answer: dict[str, Any], expected: Answer) -> str | None:
    """In what they differ."""
    found = decisions_of(answer)
    wanted = [(one.layer, one.resource, one.after, one.reason) for one in expected.decisions]
    for one, other in zip(found, wanted):
        if one[:2] + one[3:] != other[:2] + other[3:] or not is_same_decision(one, other):
            return f"decision {one}, expected {other}"
    if len(found) != len(wanted):
        return f"decisions {found}, expected {wanted}"
    if not are_same(amounts_of(answer["resources"]), expected.amounts):
        return f"resources {answer['resources']}, expected {expected.amounts}"
    replicas, wish = answer.get("replicas"), expected.replicas
    if (replicas is None) != (wish is None):
        return f"replicas {replicas}, expected {wish}"
    if replicas is not None and wish is not None:
        found = (replicas["desired"], replicas["to"], replicas["reason"])
        if found != (wish.desired, wish.to, wish.reason):
            return f"replicas {replicas}, expected {wish}"
    conditions = Counter(
        one["reason"]
        for one in answer["conditions"]
        if one["reason"] in COMPARED and is_of_step(one)
    )
    if conditions != +expected.conditions:
        return f"conditions {conditions}, expected {+expected.conditions}"
    return None


class Workloads(unittest.TestCase):
    def setUp(self) -> None:
        self.matters = Counter[str]()
        self.reasons = Counter[str]()

    def step(self, engine: Engine, document: dict[str, Any], asked: Situation) -> Any:
        document = {**document, **scenarios.situation_document(asked)}
        answer, expected = ask("autoscale", document), engine.step(asked)
        problem = problem_of(answer, expected)
        if problem is not None:
            self.fail(f"{problem}\n{difference(document, answer['decisions'], expected)}")
        self.matters += expected.matters
        self.reasons.update(one.reason for one in expected.decisions)
        self.reasons.update(expected.conditions.elements())
        if expected.replicas is not None:
            self.reasons[expected.replicas.reason] += 1
        return answer

    def play(self, draw: Draw) -> None:
        config, profile = scenarios.drawn_profile(draw)
        engine, workload = Engine(config), scenarios.Workload(draw, config)
        document: dict[str, Any] = {"profile": profile, "state": None}
        for _ in range(STEPS):
            asked = workload.step()
            answer = self.step(engine, document, asked)
            document["state"] = answer["state"]
            if draw.happens(0.02):  # a clock that went back
                past = replace(asked, now_ms=asked.now_ms - draw.randint(1, 10**6))
                later = self.step(engine, document, past)
                self.assertEqual(later["state"], document["state"])
            replicas = answer.get("replicas")
            workload.obey(
                amounts_of(answer["resources"]), None if replicas is None else replicas["to"]
            )

    def test_are_scaled_as_the_model_scales_them(self) -> None:
        for number in range(WORKLOADS):
            self.play(Draw(f"engine {number}"))
        for name in MUST_MATTER:
            self.assertGreater(self.matters[name], 0, f"{name} changed no answer: {self.matters}")
        self.assertGreaterEqual(len(self.reasons), 25, self.reasons)


if __name__ == "__main__":
    unittest.main()
