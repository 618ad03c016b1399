#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs vector files through the Python package and prints the totals of run.c."""

from __future__ import annotations

import argparse
import json
import locale
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))

import joulie  # noqa: E402
import vectors  # noqa: E402


def ask(case: vectors.Case) -> vectors.Outcome:
    try:
        return vectors.Outcome(joulie.ask_text(case.question, case.text))
    except joulie.Error as err:
        detail = {"code": err.code, "where": err.where, "message": err.message}
        text = json.dumps({"error": detail}, ensure_ascii=False, separators=(",", ":"))
        return vectors.Outcome(text)


def ask_all(cases: list[vectors.Case], options: argparse.Namespace) -> list[vectors.Outcome]:
    if options.locale:
        locale.setlocale(locale.LC_ALL, options.locale)
        if locale.localeconv()["decimal_point"] != ",":
            sys.exit(f"{options.locale} has no decimal comma")
    return [ask(case) for case in cases]


if __name__ == "__main__":
    vectors.main(__doc__, ask_all)
