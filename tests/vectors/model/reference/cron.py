# SPDX-License-Identifier: Apache-2.0
"""Cron windows (docs/rules/autoscaling-triggers.md#cron-rules), with the clocks of zoneinfo."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
YEARS = 5
DESCRIPTORS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


@dataclass(frozen=True)
class Field:
    """The values of one field. is_any: it holds an unstepped * or ?."""

    values: frozenset[int]
    is_any: bool


@dataclass(frozen=True)
class Schedule:
    zone: ZoneInfo
    minutes: Field
    hours: Field
    days_of_month: Field
    months: Field
    days_of_week: Field

    def is_day(self, day: date) -> bool:
        if day.month not in self.months.values:
            return False
        in_month = day.day in self.days_of_month.values
        in_week = day.isoweekday() % 7 in self.days_of_week.values
        if self.days_of_month.is_any or self.days_of_week.is_any:
            return in_month and in_week
        return in_month or in_week

    def instants_of(self, day: date) -> list[datetime]:
        """When it fires on a local day: a skipped time never, a repeated one twice."""
        found = set()
        for hour in self.hours.values:
            for minute in self.minutes.values:
                local = datetime(day.year, day.month, day.day, hour, minute)
                for fold in (0, 1):
                    at = local.replace(tzinfo=self.zone, fold=fold).astimezone(timezone.utc)
                    if at.astimezone(self.zone).replace(tzinfo=None, fold=0) == local:
                        found.add(at)
        return sorted(found)

    def last(self, now: datetime) -> datetime | None:
        """The latest time it fired, now included. A clock that goes back at midnight mixes two
        days, so the day before the first one found is looked at as well."""
        day = now.astimezone(self.zone).date() + timedelta(days=1)
        oldest = day - timedelta(days=366 * YEARS)
        earliest = now.replace(year=now.year - YEARS, day=min(now.day, 28))
        while day > oldest:
            found = self._fired(day, earliest, now) + self._fired(
                day - timedelta(days=1), earliest, now
            )
            if found:
                return max(found)
            day -= timedelta(days=1)
        return None

    def _fired(self, day: date, earliest: datetime, now: datetime) -> list[datetime]:
        if not self.is_day(day):
            return []
        return [at for at in self.instants_of(day) if earliest < at <= now]


def parse_field(text: str, lowest: int, highest: int, names: tuple[str, ...] = ()) -> Field:
    values: set[int] = set()
    is_any = False
    for item in text.lower().split(","):
        span, _, step_text = item.partition("/")
        step = int(step_text) if step_text else 1
        if span in ("*", "?"):
            first, last = lowest, highest
            is_any = is_any or step == 1
        else:
            start, _, end = span.partition("-")
            first = value_of(start, lowest, names)
            last = value_of(end, lowest, names) if end else max(first, highest)
            if not end and not step_text:
                last = first
        values |= set(range(first, last + 1, step))
    return Field(frozenset(values), is_any)


def value_of(text: str, lowest: int, names: tuple[str, ...]) -> int:
    return names.index(text) + lowest if text in names else int(text)


def parse(text: str) -> Schedule:
    words = text.split()
    zone = ZoneInfo("UTC")
    if "=" in words[0]:
        zone = ZoneInfo(words.pop(0).partition("=")[2])
    if words[0] in DESCRIPTORS:
        words = DESCRIPTORS[words[0]].split()
    minutes, hours, days_of_month, months, days_of_week = words
    week = parse_field(days_of_week, 0, 6, DAYS)
    return Schedule(
        zone,
        parse_field(minutes, 0, 59),
        parse_field(hours, 0, 23),
        parse_field(days_of_month, 1, 31),
        parse_field(months, 1, 12, MONTHS),
        Field(frozenset(day % 7 for day in week.values), week.is_any),  # Sunday is 0 or 7
    )


@dataclass(frozen=True)
class Window:
    last_start: datetime | None
    last_end: datetime | None

    @property
    def is_active(self) -> bool:
        if self.last_start is None:
            return False
        return self.last_end is None or self.last_start > self.last_end


def window(start: str, end: str, now: datetime) -> Window:
    return Window(parse(start).last(now), parse(end).last(now))
