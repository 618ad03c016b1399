# SPDX-License-Identifier: Apache-2.0
"""Cron windows open and close as the model says, in many zones and around changes of clocks."""

from __future__ import annotations

import unittest
from collections import Counter
from datetime import datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

from drawing import Draw, ask, difference
from reference.cron import DAYS, DESCRIPTORS, MONTHS, Window, window

ZONES = (
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Asia/Tehran",
    "Africa/Cairo",
    "America/Santiago",
    "Antarctica/Troll",
    "Europe/London",
    "Pacific/Chatham",
    "America/Nuuk",
    "Europe/Dublin",
    "Asia/Tokyo",
    "America/Havana",
    "UTC",
)
BOUNDS: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, MONTHS),
    (0, 7, DAYS),
)
NEVER = "0 0 30 2 *"
HOUR = timedelta(hours=1)


@cache
def clock_changes(zone: str, year: int) -> tuple[datetime, ...]:
    """The first whole hours of another distance to UTC."""
    hours = [datetime(year, 1, 1, tzinfo=timezone.utc) + HOUR * hour for hour in range(366 * 24)]
    offsets = [hour.astimezone(ZoneInfo(zone)).utcoffset() for hour in hours]
    return tuple(hour for hour, old, new in zip(hours[1:], offsets, offsets[1:]) if old != new)


def drawn_item(draw: Draw, lowest: int, highest: int, names: tuple[str, ...]) -> str:
    first = draw.randint(lowest, highest)
    last = draw.randint(first, highest)
    if names and first - lowest < len(names) and draw.happens(0.2):
        return names[first - lowest].capitalize()
    forms = [f"{first}", f"{first}", f"{first}-{last}", f"{first}-{last}/{draw.randint(1, 5)}"]
    return draw.choice([*forms, f"*/{draw.randint(2, 9)}", f"{first}/{draw.randint(1, 9)}"])


def drawn_field(draw: Draw, place: int) -> str:
    lowest, highest, names = BOUNDS[place]
    if draw.happens(0.35 if place >= 2 else 0.1):
        return draw.choice(["*", "*", "?", "*/1"])
    count = draw.choice([1, 1, 1, 2, 3])
    return ",".join(drawn_item(draw, lowest, highest, names) for _ in range(count))


def drawn_schedule(draw: Draw, zone: str | None) -> str:
    fields = [drawn_field(draw, place) for place in range(5)]
    if draw.happens(0.5):
        fields[2:] = ["*", "*", draw.choice(["*", "*", "1-5", "0"])]
    text = draw.choice([*DESCRIPTORS, NEVER]) if draw.happens(0.1) else " ".join(fields)
    if zone is None:
        return text
    return draw.choice(["TZ=", "CRON_TZ="]) + zone + draw.choice([" ", "  "]) + text


def drawn_now(draw: Draw, zone: str | None) -> datetime:
    year = draw.choice([2024, 2025, 2026, 2027])
    now = datetime(year, 1, 1, tzinfo=timezone.utc) + timedelta(
        seconds=draw.randint(0, 364 * 86_400)
    )
    changes = clock_changes(zone, year) if zone is not None and draw.happens(0.6) else ()
    return draw.choice(changes) + timedelta(minutes=draw.randint(-300, 600)) if changes else now


def text_of(at: datetime | None) -> str | None:
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


class Windows(unittest.TestCase):
    def compare(self, start: str, end: str, now: datetime) -> Window:
        document = {"start": start, "end": end, "now": text_of(now)}
        answer, expected = ask("cron.active", document), window(start, end, now)
        wanted = (expected.is_active, text_of(expected.last_start), text_of(expected.last_end))
        found = (answer["active"], answer.get("lastStart"), answer.get("lastEnd"))
        self.assertEqual(found, wanted, difference(document, answer, expected))
        return expected

    def test_in_many_zones(self) -> None:
        draw, seen = Draw("cron"), Counter[str]()
        for _ in range(900):
            zone = draw.choice([*ZONES, None])
            other = zone if draw.happens(0.7) else draw.choice(ZONES)
            start, end = drawn_schedule(draw, zone), drawn_schedule(draw, other)
            if start.split() == end.split():
                continue  # an error
            found = self.compare(start, end, drawn_now(draw, zone))
            seen["active" if found.is_active else "inactive"] += 1
            seen["never"] += found.last_start is None or found.last_end is None
        self.assertGreater(min(seen.values()), 5, seen)

    def test_at_the_minutes_around_a_change_of_clocks(self) -> None:
        draw = Draw("clocks")
        zones = [zone for zone in ZONES if clock_changes(zone, 2026)]
        for _ in range(60):
            zone = draw.choice(zones)
            change = draw.choice(clock_changes(zone, 2026))
            local = (change + HOUR * draw.randint(-2, 1)).astimezone(ZoneInfo(zone))
            start = f"TZ={zone} {draw.choice([0, 30])} {local.hour} * * *"
            end = f"TZ={zone} 15 {(local.hour + draw.randint(0, 2)) % 24} * * *"
            for quarter in range(-8, 13):
                self.compare(start, end, change + quarter * HOUR / 4)


if __name__ == "__main__":
    unittest.main()
