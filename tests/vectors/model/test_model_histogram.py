# SPDX-License-Identifier: Apache-2.0
"""Decayed percentiles and the peaks of a day are those of the model."""

from __future__ import annotations

import unittest
from typing import Any

from drawing import Draw, ask, is_near, difference
from reference.amounts import Resource
from reference.histogram import DAY_S, Histogram, Peaks

PERCENTILES = [0, 1, 50, 66, 90, 95, 98, 99, 99.9, 100]
START_S = 1_773_403_200.5


def drawn_samples(draw: Draw, resource: Resource, is_peaks: bool) -> list[dict[str, Any]]:
    """With long gaps, and now and then one that comes late."""
    at_s = draw.choice([0, START_S])
    samples: list[dict[str, Any]] = []
    for _ in range(draw.randint(1, 60)):
        late_s, gap_s = -draw.randint(1, 20), draw.choice([0, 1, 10, 60, 3600, 40_000])
        at_s += late_s if draw.happens(0.05) else gap_s + draw.random() * draw.choice([0, DAY_S])
        value = draw.uniform(0, 400 if resource == "tflops" else 2e11)
        sample: dict[str, Any] = {"t": at_s, "value": value}
        if is_peaks:
            sample["worker"] = f"w-{draw.randint(0, 3)}"
        elif draw.happens(0.5):
            sample["weight"] = draw.choice([0.02, 0.1, 1, 5])
        samples.append(sample)
    return samples


def model_of(document: dict[str, Any]) -> Histogram:
    histogram = Histogram(document["kind"], document["halfLifeS"])
    peaks = Peaks(histogram)
    for sample in document["samples"]:
        if "worker" in sample:
            peaks.add(sample["worker"], sample["value"], sample["t"])
        else:
            histogram.add(sample["value"], sample.get("weight", 1), sample["t"])
    return histogram


class Percentiles(unittest.TestCase):
    def compare(self, name: str, resources: list[Resource], is_peaks: bool, count: int) -> None:
        draw = Draw(name)
        for _ in range(count):
            resource = draw.choice(resources)
            document: dict[str, Any] = {
                "kind": resource,
                "halfLifeS": draw.choice([60, 3600, 43_200, 302_400]),
                "samples": drawn_samples(draw, resource, is_peaks),
                "percentiles": PERCENTILES,
                "peaks": is_peaks or None,
            }
            answer = ask("histogram", document)["percentiles"]
            model = model_of(document)
            expected = [model.percentile(percentile / 100) for percentile in PERCENTILES]
            is_same = all(map(is_near, answer, expected))
            self.assertTrue(is_same, difference(document, answer, expected))

    def test_of_samples(self) -> None:
        self.compare("histogram", ["tflops", "vram"], False, 700)

    def test_of_peaks_in_their_windows(self) -> None:
        self.compare("peaks", ["vram"], True, 700)


if __name__ == "__main__":
    unittest.main()
