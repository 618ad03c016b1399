# SPDX-License-Identifier: Apache-2.0
"""Roles of threads and verdicts about changes are those of the model."""

from __future__ import annotations

import math
import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, difference, is_near
from reference import threads


def drawn_features(draw: Draw) -> dict[str, float]:
    """Often at the bounds of the rules, sometimes beside them."""
    features: dict[str, float] = {
        "util": draw.choice([0.004, 0.005, 0.01, 0.2, 0.25, 0.79, 0.8, draw.uniform(0, 1)]),
        "rate": draw.choice([0.0, 19.9, 20.0, 49.0, 50.0, draw.uniform(0, 3000)]),
    }
    others = {
        "p50": draw.choice([500.0, 501.0, 1999.0, 2000.0, 5000.0, draw.uniform(1, 9000)]),
        "io": draw.choice([0.0, 0.29, 0.3, draw.random()]),
        "relay": draw.choice([0.0, 0.49, 0.5, draw.random()]),
    }
    return features | {name: value for name, value in others.items() if draw.happens(0.9)}


class Roles(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        draw, seen = Draw("thread roles"), Counter[int]()
        for _ in range(3000):
            features = drawn_features(draw)
            expected = threads.rule(features)
            answer = ask("threads.role", features)
            seen[expected] += 1
            self.assertEqual(
                (answer["rule"], answer["class"]),
                (f"R{expected}", threads.ROLES[expected]),
                difference(features, answer, expected),
            )
        self.assertEqual(set(seen), set(threads.ROLES), "every rule holds for some thread")


def drawn_pairs(draw: Draw, count: int) -> dict[str, Any]:
    baseline = [draw.choice([10.0, 11.0, draw.uniform(8, 12)]) for _ in range(count)]
    factor, noise = draw.choice([0.9, 0.97, 0.99, 1.0, 1.02, 1.1]), draw.choice([0.0, 0.01, 0.05])
    candidate = [
        value * factor * math.exp(draw.gauss(0, noise)) if draw.happens(0.9) else value
        for value in baseline
    ]
    direction = draw.choice(["lower", "higher"])
    return {"baseline": baseline, "candidate": candidate, "direction": direction}


class Trials(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        draw, seen = Draw("thread trials"), Counter[str]()
        for _ in range(400):
            document = drawn_pairs(draw, draw.randint(1, 12))
            guards = [
                {"name": f"g{i}", **drawn_pairs(draw, 5)} for i in range(draw.choice([0, 0, 1, 2]))
            ]
            main = threads.trial(**document)
            others = {
                str(guard["name"]): threads.trial(
                    guard["baseline"], guard["candidate"], guard["direction"]
                )
                for guard in guards
            }
            if abs(main.gain - 0.02) < 1e-9:
                continue  # the last bit of a logarithm would decide
            against = threads.reasons(main, others)
            answer = ask("threads.train.evaluate", {**document, "guards": guards})
            said = difference({**document, "guards": guards}, answer, (main, against))
            seen.update(against or ["keep"])
            self.assertEqual((answer["n"], answer["zeros"]), (main.differing, main.zeros), said)
            self.assertEqual(answer["w_plus"], main.w_plus, said)
            self.assertEqual(answer["p"], main.p, said)
            self.assertTrue(is_near(answer["hl"], main.effect, 1e-12), said)
            self.assertTrue(is_near(answer["gain"], main.gain, 1e-12), said)
            self.assertEqual(answer["why"], against, said)
            self.assertEqual(answer["verdict"], "reject" if against else "keep", said)
        self.assertLessEqual({"keep", "p", "gain", "n", "guard:g0"}, set(seen))


if __name__ == "__main__":
    unittest.main()
