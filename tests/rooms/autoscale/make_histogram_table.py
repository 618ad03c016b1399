#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes libjoulie/autoscale/histogram_table.c from exact fractions.

Usage: make_histogram_table.py > histogram_table.c
"""
from fractions import Fraction

BUCKETS = 176
CELLS_PER_DOUBLING = 32
DOUBLINGS = 13
FIRST = {"JL_USAGE_TFLOPS": Fraction(1, 10), "JL_USAGE_VRAM": Fraction(10**7)}


def growth(bucket):
    return Fraction(105, 100) ** bucket


def start(first, bucket):
    return first * (growth(bucket) - 1) * 20


def cell_bucket(cell):
    """The bucket of the smallest scaled value of a cell."""
    doubling, part = divmod(cell, CELLS_PER_DOUBLING)
    scaled = 2**doubling * (1 + Fraction(part, CELLS_PER_DOUBLING))
    return max(b for b in range(BUCKETS) if growth(b) <= scaled)


def print_rows(indent, texts, per_row):
    for i in range(0, len(texts), per_row):
        print(indent + ", ".join(texts[i : i + per_row]) + ",")


def main():
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* Written by tests/rooms/autoscale/make_histogram_table.py with exact fractions; do not edit. */")
    print('#include "autoscale/histogram_table.h"\n')
    print("/* clang-format off */")
    print("const double jl_histogram_starts[2][JL_HISTOGRAM_BUCKETS] = {")
    for usage, first in FIRST.items():
        print(f"    [{usage}] = {{")
        # the division of two integers is rounded once, to the nearest double
        print_rows("        ", [float(start(first, b)).hex() for b in range(BUCKETS)], 4)
        print("    },")
    print("};\n")
    print("const uint8_t jl_histogram_cells[JL_HISTOGRAM_CELLS] = {")
    print_rows("    ", [f"{cell_bucket(cell):3}" for cell in range(DOUBLINGS * CELLS_PER_DOUBLING)], 16)
    print("};\n/* clang-format on */")


if __name__ == "__main__":
    main()
