# SPDX-License-Identifier: Apache-2.0
"""Replicas follow the model over many evaluations, with cool-downs and workers that are missing."""

from __future__ import annotations

import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, is_near, difference
from reference.replicas import Replicas, ReplicasConfig, ReplicasInput, Step

STEPS = {
    "30%": Step(0.3),
    "0.3": Step(0.3),
    "10%": Step(0.1),
    "50%": Step(0.5),
    "1.0": Step(1),
    "150%": Step(1.5),
    "1": Step(1, True),
    "2": Step(2, True),
    "10": Step(10, True),
}


def drawn_evaluations(draw: Draw) -> list[dict[str, Any]]:
    at_s, usual, evaluations = 0, draw.uniform(0.1, 1), []
    for _ in range(40):
        if draw.happens(0.2):
            usual = draw.uniform(0, 1.1)
        count = draw.randint(0, 6) if draw.happens(0.2) else draw.randint(1, 5)
        digits = draw.choice([2, 2, 3, 9])
        used = [round(min(1.2, max(0, draw.gauss(usual, 0.05))), digits) for _ in range(count)]
        evaluation: dict[str, Any] = {"t": at_s, "utilization": used}
        if draw.happens(0.2):
            evaluation["missing"] = draw.randint(0, 5)
        if draw.happens(0.15):
            evaluation["limitsBursting"] = True
        evaluations.append(evaluation)
        at_s += draw.choice([30, 30, 30, 10, 60, 300])
    return evaluations


class Timelines(unittest.TestCase):
    def test_of_40_evaluations(self) -> None:
        draw, reasons = Draw("replicas"), Counter[str]()
        for _ in range(150):
            up, down = draw.choice(list(STEPS)), draw.choice(list(STEPS))
            config = ReplicasConfig(
                target=draw.choice([0.95, 0.95, 0.5, 0.6, 0.8, 0.9, 0.99, 1, draw.uniform(0.1, 1)]),
                up=STEPS[up],
                down=STEPS[down],
                up_cool_down_s=draw.choice([60, 0, 30, 300]),
                down_cool_down_s=draw.choice([300, 0, 30, 60, 90]),
                lowest=draw.choice([1, 1, 2, 5]),
                highest=draw.choice([100_000, 5, 6, 10, 50]),
            )
            created_s, n = draw.choice([None, 0, -100, 30]), draw.choice([1, 2, 3, 4, 10, 100])
            document: dict[str, Any] = {
                "replicas": n,
                "target": config.target,
                "scaleUpStep": up,
                "scaleDownStep": down,
                "scaleUpCoolDownS": config.up_cool_down_s,
                "scaleDownCoolDownS": config.down_cool_down_s,
                "createdT": created_s,
                "minReplicas": config.lowest,
                "maxReplicas": config.highest,
                "steps": drawn_evaluations(draw),
            }
            answers = ask("autoscale.replicas", document)["steps"]
            model = Replicas() if created_s is None else Replicas(created_s)
            for evaluation, answer in zip(document["steps"], answers):
                expected = model.step(
                    config,
                    ReplicasInput(
                        evaluation["t"],
                        n,
                        evaluation["utilization"],
                        evaluation.get("missing", 0),
                        evaluation.get("limitsBursting", False),
                    ),
                )
                found = (answer["from"], answer["desired"], answer["to"], answer["reason"])
                is_same = found == (n, expected.desired, expected.to, expected.reason)
                is_same = is_same and is_near(answer.get("ratio"), expected.ratio)
                self.assertTrue(is_same, difference(document, answer, (evaluation, n, expected)))
                n = expected.to
                reasons[expected.reason] += 1
        self.assertEqual(len(reasons), 10, reasons)


if __name__ == "__main__":
    unittest.main()
