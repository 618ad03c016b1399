# SPDX-License-Identifier: Apache-2.0
"""Forecasts are those of the model, whatever model a profile names and however short the series."""

from __future__ import annotations

import math
import unittest
from collections import Counter
from collections.abc import Callable
from typing import Any

from drawing import Draw, ask, is_near, difference
from reference.forecast import forecast

NAMES = [
    "naive",
    "seasonal-naive",
    "holt",
    "holt-winters",
    "auto",
    "Holt",
    "SMART-LIMIT-V1",
    "smart-request-v1",
    "smart-warmup-v1",
    "",
]
SEASONAL = ("seasonal-naive", "smart-warmup-v1", "holt-winters", "smart-request-v1")


def drawn_series(draw: Draw, season: int) -> list[float]:
    count, kind = draw.randint(1, 40), draw.randint(0, 5)
    slope = draw.uniform(1, 5)
    shapes: dict[int, Callable[[int], float]] = {
        0: lambda t: draw.uniform(0, 100),
        1: lambda t: 50 + 40 * math.sin(2 * math.pi * t / season) + draw.gauss(0, 2),
        2: lambda t: 100 - slope * t,
        3: lambda t: draw.choice([0, 0, 0, 90.0]),
        4: lambda t: 0.001 * t**3,
        5: lambda t: 5.0,
    }
    return [max(0.0, shapes[kind](t)) for t in range(count)]


class Forecasts(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        draw, models = Draw("forecast"), Counter[str]()
        for _ in range(2500):
            name, season = draw.choice(NAMES), draw.choice([None, 1, 2, 3, 4, 7, 12])
            if season is None and name.lower() in SEASONAL:
                continue  # the question wants to know it
            document: dict[str, Any] = {
                "model": name,
                "horizon": draw.randint(1, 30),
                "series": drawn_series(draw, season or 5),
                "season": season,
            }
            answer = ask("forecast", document)
            expected = forecast(document["series"], name, season, document["horizon"])
            is_same = answer["model"] == expected.model and is_near(answer["used"], expected.used)
            if expected.mae is not None:
                is_same = is_same and is_near(answer["mae"], expected.mae)
            self.assertTrue(is_same, difference(document, answer, expected))
            models[expected.model] += 1
        self.assertGreater(min(models[name] for name in NAMES[:4]), 50, models)


if __name__ == "__main__":
    unittest.main()
