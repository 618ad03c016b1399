# SPDX-License-Identifier: Apache-2.0
"""The GPU cap of efficiency_v1 follows the model over drawn work, GPUs, settings and pasts."""

from __future__ import annotations

import unittest
from collections import Counter
from typing import Any

from drawing import Draw, ask, difference, is_near
from gpu_cap_documents import NOW_MS, answer, question
from reference.catalog import GPUS
from reference.gpu_caps import Gpus, Past, Settings, Work, limit

ROUNDS = 1500
SLACK = 1e-12


def drawn_gpus(draw: Draw) -> Gpus:
    model = draw.choice([*GPUS, *GPUS, "unheard-of"])
    if draw.happens(0.7):
        return Gpus(model)
    max_w = draw.choice([240, 333.3, 600, 700])
    return Gpus(model, draw.choice([None, 100, 133.3, 200, 600]), max_w)


def drawn_work(draw: Draw) -> Work:
    return Work(
        gpus=draw.choice([1, 2, 3, 8] * 8 + [0.5]),
        bound=draw.choice(["compute", "mixed", "memory"] * 12 + ["none", ""]),
        util_pct=draw.choice([0, 30, 55.5, 70, 80, 95, 100, draw.uniform(0, 100)] * 5 + [None]),
        is_performance=draw.happens(0.1),
        sensitivity=draw.choice(["", "none", "low", "medium", "high"]),
    )


def drawn_settings(draw: Draw) -> Settings:
    if draw.happens(0.3):
        return Settings()
    return Settings(
        draw.choice([0, 2.5, 5, 10, 20, 100]),
        draw.choice([0, 0, 5, 10]),
        draw.choice([0, 10, 20, 20, 100]),
        draw.choice([0, 60, 300, 0.5]),
    )


def drawn_past(draw: Draw, dwell_s: float) -> Past:
    waited_ms = round(dwell_s * 1000) + draw.choice([-1, 0, 1, 10**6, -(10**6)])
    return Past(
        draw.choice([100, 100, draw.randint(30, 99)]), draw.maybe(0.6, NOW_MS - waited_ms)
    )


def is_same(given: Any, expected: Any) -> bool:
    """To the last bits of the numbers; an answer leaves out what is not known."""
    if isinstance(expected, dict):
        known = {name for name, value in expected.items() if value is not None}
        return set(given) == known and all(is_same(given[name], expected[name]) for name in known)
    if isinstance(expected, str):
        return bool(given == expected)
    return is_near(given, expected, SLACK)


class GpuCaps(unittest.TestCase):
    def test_of_drawn_work(self) -> None:
        seen: Counter[str] = Counter()
        for number in range(ROUNDS):
            draw = Draw(f"gpu caps {number}")
            gpus, settings = drawn_gpus(draw), drawn_settings(draw)
            works = [drawn_work(draw) for _ in range(draw.choice([0, 1, 1, 1, 2, 3, 8]))]
            past, backlog = drawn_past(draw, settings.dwell_s), draw.happens(0.2)
            document = question(gpus, works, settings, backlog, past)
            expected = limit(gpus, works, settings, backlog, past, NOW_MS)
            given = ask("policy.gpu-limit", document)
            if not is_same(given, answer(expected)):
                self.fail(difference(document, given, answer(expected)))
            seen[expected.reason] += 1
            if len(works) > 1:
                draw.shuffle(works)
                again = question(gpus, works, settings, backlog, past)
                self.assertEqual(ask("policy.gpu-limit", again), given)  # to the last bit
        for reason, least in (
            ("idle", 100),
            ("unknown-work", 100),
            ("unknown-gpu", 100),
            ("promise", 100),
            ("backlog", 30),
            ("no-gain", 30),
            ("capped", 100),
            ("dwell", 30),
        ):
            self.assertGreater(seen[reason], least, seen)


if __name__ == "__main__":
    unittest.main()
