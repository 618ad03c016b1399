# SPDX-License-Identifier: Apache-2.0
"""Records of nodes that are switched off, drawn, against a model of what becomes of them."""

from __future__ import annotations

import unittest
from collections import Counter
from typing import Optional

from drawing import Draw, ask
from reference.power_off import Choice, Settings
from reference.power_record import Record, Seen
from test_model_power_off import drawn_settings
from vectors_of_power_record import answer_of, question_of

CASES = 4000
STATES = ["on", "stopping", "off", "booting", "left-alone"]
REASONS = ["idle", "pods", "reserve", "stop-timeout", "boot-timeout", "disabled", None]
CHOICES: dict[str, list[Choice]] = {
    "on": [("switch-off", "idle")],
    "stopping": [("wake", "pods"), ("wake", "stop-timeout"), ("give-up", "stop-timeout")],
    "off": [("wake", "pods"), ("wake", "reserve"), ("wake", "disabled")],
    "booting": [("wake", "boot-timeout"), ("give-up", "boot-timeout")],
    "left-alone": [],
}


def drawn_record(draw: Draw) -> Record:
    state = draw.choice(STATES)
    failures = draw.choice([0, 0, 1, 2, 3])
    if state == "on":
        return Record(failures=failures)
    return Record(
        state,
        draw.choice([0, 4, 5, 60, 599, 600, 601, 1200]),
        draw.choice(REASONS),
        failures,
        draw.choice([True, True, True, False]),
        draw.choice(["one", "one", None]),
    )


def drawn_seen(draw: Draw) -> Seen:
    ready = draw.choice(["True", "True", "False", "Unknown", None])
    return Seen(
        ready,
        draw.choice([0, 59, 60, 599, 7200, None]) if ready else None,
        draw.choice(["one", "two", None]),
        draw.choice([None, "given", "done", "failed"]),
        draw.choice([False, False, False, True]),
        draw.choice([True, True, True, False]),
        draw.choice([False, True]),
    )


class PowerRecord(unittest.TestCase):
    def test_becomes_what_the_model_says(self) -> None:
        seen: Counter[tuple[str, str]] = Counter()
        for number in range(CASES):
            draw = Draw(f"power record {number}")
            record, view, settings = drawn_record(draw), drawn_seen(draw), drawn_settings(draw)
            if draw.choice([True, False]):
                settings = Settings()
            choice: Optional[Choice] = draw.choice([None, *CHOICES[record.state]])
            document = question_of(record, view, settings, choice)
            expected = answer_of(record, view, settings, choice)
            found = ask("policy.power-record", document)
            self.assertEqual(found, expected, document)
            seen[record.state, expected.get("next", record.__dict__)["state"]] += 1
        for before in STATES[1:4]:
            for after in ("on", "booting"):
                self.assertGreater(seen[before, after], 20, seen)
        self.assertGreater(seen["stopping", "off"], 10, seen)
        self.assertGreater(seen["booting", "left-alone"], 20, seen)


if __name__ == "__main__":
    unittest.main()
