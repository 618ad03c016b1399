#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/control-*.svg and the table of docs/control-quality.md.

    plot.py PROGRAM          what the program test_quality prints becomes pictures and a table
    plot.py PROGRAM --check  fails when they are not what stands in docs/

Virtual time is deterministic, so the pictures and the table are those of every machine.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "control-quality.md"
IMAGES = ROOT / "docs" / "images"
BEGIN, END = "<!-- begin table -->", "<!-- end table -->"

# ---- pictures -----------------------------------------------------------------------------------

WIDTH = 760
LEFT, RIGHT = 64, 16  # margins, pixels
PANELS = ((34, 210), (268, 110))  # top and height: power, frequency
HEIGHT = 424

STYLE = """
text { font: 12px sans-serif; fill: #24292f; }
.title { font-weight: bold; }
.axis, .grid { fill: none; stroke: #57606a; }
.grid { stroke-opacity: 0.25; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.demand { stroke: #8c959f; stroke-dasharray: 2 3; }
.cap { stroke: #cf222e; stroke-dasharray: 7 4; }
.proportional { stroke: #0969da; }
.legacy { stroke: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .axis, .grid { stroke: #8b949e; }
  .demand { stroke: #8b949e; }
  .cap { stroke: #ff7b72; }
  .proportional { stroke: #58a6ff; }
  .legacy { stroke: #f0883e; }
}
"""


@dataclass(frozen=True)
class Panel:
    """Where values go: a box of the picture with a scale on each side."""

    top: int
    height: int
    seconds: float
    lowest: float
    highest: float

    def x(self, t_s: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * t_s / self.seconds

    def y(self, value: float) -> float:
        share = (value - self.lowest) / (self.highest - self.lowest)
        return self.top + self.height * (1 - share)


def step_of(span: float, most: int) -> float:
    """A round distance between lines of a scale."""
    size = 1e-3
    while True:
        for factor in (1, 2, 5):
            if span / (size * factor) <= most:
                return size * factor
        size *= 10


def ticks(low: float, high: float, most: int) -> Iterator[float]:
    step = step_of(high - low, most)
    at = -(-low // step) * step
    while at <= high + step / 1e6:
        yield round(at, 6) + 0.0  # never -0
        at += step


def axes(panel: Panel, unit: str, with_time: bool) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, panel.top + panel.height
    for value in ticks(panel.lowest, panel.highest, panel.height // 34):
        y = f"{panel.y(value):.1f}"
        yield f'<path class="grid" d="M{LEFT} {y}H{right}"/>'
        yield f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end">{value:g}</text>'
    for value in ticks(0, panel.seconds, 12):
        x = f"{panel.x(value):.1f}"
        yield f'<path class="grid" d="M{x} {panel.top}V{bottom}"/>'
        if with_time:
            yield f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>'
    yield f'<path class="axis" d="M{LEFT} {panel.top}V{bottom}H{right}"/>'
    middle = panel.top + panel.height / 2
    yield f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{unit}</text>'
    if with_time:
        x = f"{(LEFT + right) / 2:.0f}"
        yield f'<text x="{x}" y="{bottom + 34}" text-anchor="middle">time, s</text>'


def line(panel: Panel, rows: list[dict[str, float]], column: str, name: str) -> str:
    points = " ".join(f"{panel.x(row['t_s']):.1f},{panel.y(row[column]):.1f}" for row in rows)
    return f'<polyline class="line {name}" points="{points}"/>'


def legend(names: list[str]) -> Iterator[str]:
    x = LEFT + 250
    for name in names:
        yield f'<path class="line {name}" d="M{x} 16h26"/>'
        yield f'<text x="{x + 32}" y="20">{name}</text>'
        x += 44 + 7 * len(name)


def picture(title: str, rows: list[dict[str, float]]) -> str:
    powers = ("demand_w", "cap_w", "proportional_w", "legacy_w")
    highest = max(row[name] for row in rows for name in powers) * 1.05
    seconds = rows[-1]["t_s"]
    power = Panel(*PANELS[0], seconds, 0, highest)
    frequency = Panel(*PANELS[1], seconds, 1.4, 2.6)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{title}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{LEFT}" y="20">{title}</text>',
        *legend(["demand", "cap", "proportional", "legacy"]),
        *axes(power, "CPU power, W", False),
        line(power, rows, "demand_w", "demand"),
        line(power, rows, "legacy_w", "legacy"),
        line(power, rows, "proportional_w", "proportional"),
        line(power, rows, "cap_w", "cap"),
        *axes(frequency, "mean limit, GHz", True),
        line(frequency, rows, "legacy_ghz", "legacy"),
        line(frequency, rows, "proportional_ghz", "proportional"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


# ---- table --------------------------------------------------------------------------------------

COLUMNS: tuple[tuple[str, str, Callable[[dict[str, Any]], str]], ...] = (
    ("load", "---", lambda row: row["load"]),
    ("controller", "---", lambda row: f"`{row['controller']}`"),
    ("settles in", "--:", lambda row: f"{row['settleS']:g} s" if "settleS" in row else "never"),
    ("above the cap", "--:", lambda row: f"{row['aboveWs']:.0f} W·s"),
    ("peak above", "--:", lambda row: f"{row['peakPct']:.1f} %"),
    ("steady error", "--:", lambda row: f"{row['steadyErrorW']:.1f} W"),
    ("steady power", "--:", lambda row: f"{row['steadyW']:.1f} W"),
    ("frequency changes", "--:", lambda row: str(row["changes"])),
)


def table(summary: list[dict[str, Any]]) -> str:
    rows = [
        "| " + " | ".join(name for name, _, _ in COLUMNS) + " |",
        "|" + "|".join(rule for _, rule, _ in COLUMNS) + "|",
        *("| " + " | ".join(cell(row) for _, _, cell in COLUMNS) + " |" for row in summary),
    ]
    return "\n".join(rows)


# ---- both ---------------------------------------------------------------------------------------


def output_of(program: Path) -> tuple[dict[str, list[dict[str, float]]], list[dict[str, Any]]]:
    """Seconds by load, and the summary: CSV, an empty line, JSON lines."""
    done = subprocess.run([program, "--print"], stdout=subprocess.PIPE, text=True, check=True)
    seconds, _, summary = done.stdout.partition("\n\n")
    loads: dict[str, list[dict[str, float]]] = {}
    for row in csv.DictReader(io.StringIO(seconds)):
        load = row.pop("load")
        loads.setdefault(load, []).append({name: float(value) for name, value in row.items()})
    return loads, [json.loads(line) for line in summary.splitlines()]


def files(program: Path) -> dict[Path, str]:
    loads, summary = output_of(program)
    out = {}
    for load, rows in loads.items():
        out[IMAGES / f"control-{load}.svg"] = picture(f"A cap by frequency: {load}", rows)
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    out[PAGE] = f"{head}{BEGIN}\n{table(summary)}\n{END}{tail}"
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wrong = []
    for file, text in files(options.program).items():
        if not options.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            wrong.append(str(file.relative_to(ROOT)))
    if wrong:
        print(
            f"not what the program prints now: {', '.join(wrong)}; tests/nets/quality/plot.py draws it"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
