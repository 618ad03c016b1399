#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes elementary_table.h: exp, exp2, log, pow, sin, cos and 1-exp(-x) with 300 bits (needs mpmath).

Usage: make_elementary_table.py > elementary_table.h
"""
import math
import random

from mpmath import mp, mpf

mp.prec = 300


def random_double(rng):
    """A positive normal double with any exponent."""
    return math.ldexp(rng.uniform(1, 2), rng.randint(-1022, 1023))


def near(rng, center):
    return center + rng.uniform(-1, 1) * 2.0 ** -rng.randint(1, 50)


def exp_points(rng):
    yield from [0.0, 1.0, -1.0, 0.5, 2.0, 10.0, -10.0, 709.782712893384, -708.3964185322641, 2.0**-54, -(2.0**-55)]
    yield from [rng.uniform(-708, 709) for _ in range(70)]
    yield from [near(rng, 0) for _ in range(50)]
    yield from [rng.uniform(-5, 5) for _ in range(40)]


def exp2_points(rng):
    yield from [0.0, 1.0, -1.0, 0.5, 10.0, 1023.9999999999999, -1022.0, 2.0**-54, -(2.0**-55)]
    yield from [rng.uniform(-1022, 1024) for _ in range(60)]
    yield from [near(rng, 0) for _ in range(30)]
    yield from [rng.uniform(0, 1) for _ in range(60)]
    for _ in range(40):  # halfway between two entries of the table of steps
        yield near(rng, (rng.randint(-128, 128) + 0.5) / 128)


def log_points(rng):
    yield from [1.0, 2.0, 10.0, math.e, 0.5, 1 + 2.0**-52, 1 - 2.0**-53, 5e-324, 2.0**-1022, 1.7976931348623157e308]
    yield from [random_double(rng) for _ in range(60)]
    yield from [near(rng, 1) for _ in range(60)]
    yield from [rng.uniform(0.01, 100) for _ in range(40)]


def pow_points(rng):
    yield from [(2.0, 3.0), (10.0, -3.0), (9.0, 0.5), (2.0, 0.5), (0.5, 1022.0), (1.5, 100.0), (1e-5, 0.75)]
    for _ in range(60):
        yield rng.uniform(0, 3), rng.uniform(-5, 5)
    for _ in range(50):
        x = random_double(rng)
        yield x, rng.uniform(-700, 700) / math.log(x)
    for _ in range(40):
        x = near(rng, 1)
        if x != 1:
            yield x, rng.uniform(-700, 700) / math.log(x)


def angle_points(rng, offset):
    yield from [1.0, -1.0, 2.0**-27, 2.0**-31, 0.7853981633974483, 0.7853981633974484, 999999.9999999999, -999999.5]
    yield from [rng.uniform(-10, 10) for _ in range(60)]
    yield from [rng.uniform(-1e6, 1e6) for _ in range(50)]
    for _ in range(40):  # next to a zero, where the reduction must not lose digits
        yield float((rng.randint(1, 318000) + mpf(offset)) * mp.pi)


def expm1_neg_points(rng):
    yield from [0.0, 1.0, 2.0**-61, 2.0**-52, 36.8, 37.2, 39.9, 41.0, 0.34657359027997264]
    yield from [rng.uniform(0, 40) for _ in range(60)]
    yield from [abs(near(rng, 0)) for _ in range(60)]
    yield from [rng.uniform(0, 2) for _ in range(30)]


def pairs(points):
    for x in points:
        yield x, 0.0


def row(function, x, y):
    true = function(mpf(x), mpf(y))
    nearest = float(true)  # mpmath rounds to nearest, ties to even
    rest = (true - mpf(nearest)) / mpf(math.ulp(nearest))
    return f"    {{ {x.hex()}, {y.hex()}, {nearest.hex()}, {float(rest):.4f} }},"


FUNCTIONS = [
    ("exp", lambda x, y: mp.exp(x), lambda rng: pairs(exp_points(rng))),
    ("exp2", lambda x, y: mp.power(2, x), lambda rng: pairs(exp2_points(rng))),
    ("log", lambda x, y: mp.log(x), lambda rng: pairs(log_points(rng))),
    ("pow", lambda x, y: mp.power(x, y), pow_points),
    ("sin", lambda x, y: mp.sin(x), lambda rng: pairs(angle_points(rng, 0))),
    ("cos", lambda x, y: mp.cos(x), lambda rng: pairs(angle_points(rng, 0.5))),
    ("expm1_neg", lambda x, y: -mp.expm1(-x), lambda rng: pairs(expm1_neg_points(rng))),
]


def main():
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* Written by make_elementary_table.py with 300-bit arithmetic; do not edit. */")
    print("#pragma once\n")
    print("/* clang-format off */")
    print("struct elementary_row {\n    double x;\n    double y;       /* of pow */")
    print("    double nearest; /* double to the true value */")
    print("    double rest_ulp; /* true value minus nearest, in units of the last place of nearest */\n};")
    for name, function, points in FUNCTIONS:
        rng = random.Random(name)
        print(f"\nstatic const struct elementary_row {name}_rows[] = {{")
        for x, y in points(rng):
            print(row(function, x, y))
        print("};")
    print("/* clang-format on */")


if __name__ == "__main__":
    main()
