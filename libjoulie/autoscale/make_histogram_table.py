#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The numbers of histogram_table.h as C, from exact fractions: make_histogram_table.py OUTPUT."""

import sys
from fractions import Fraction
from pathlib import Path

BUCKETS = 176  # JL_HISTOGRAM_BUCKETS
CELLS_PER_DOUBLING = 32
DOUBLINGS = 13
FIRST = {"JL_USAGE_TFLOPS": Fraction(1, 10), "JL_USAGE_VRAM": Fraction(10**7)}
GROWTH = [Fraction(105, 100) ** bucket for bucket in range(BUCKETS)]


def start(first, bucket):
    return first * (GROWTH[bucket] - 1) * 20


def cell_bucket(cell):
    """The bucket of the smallest scaled value of a cell."""
    doubling, part = divmod(cell, CELLS_PER_DOUBLING)
    scaled = 2**doubling * (1 + Fraction(part, CELLS_PER_DOUBLING))
    return max(b for b in range(BUCKETS) if GROWTH[b] <= scaled)


def rows(indent, texts, per_row):
    return [indent + ", ".join(texts[i : i + per_row]) + "," for i in range(0, len(texts), per_row)]


def table():
    lines = ['#include "autoscale/histogram_table.h"', ""]
    lines.append("const double jl_histogram_starts[2][JL_HISTOGRAM_BUCKETS] = {")
    for usage, first in FIRST.items():
        lines.append(f"    [{usage}] = {{")
        # the division of two integers is rounded once, to the nearest double
        lines += rows("        ", [float(start(first, b)).hex() for b in range(BUCKETS)], 4)
        lines.append("    },")
    lines += ["};", "", "const uint8_t jl_histogram_cells[JL_HISTOGRAM_CELLS] = {"]
    lines += rows("    ", [f"{cell_bucket(cell):3}" for cell in range(DOUBLINGS * CELLS_PER_DOUBLING)], 16)
    return "\n".join([*lines, "};", ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(table(), encoding="ascii")
