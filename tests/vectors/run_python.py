#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs vector files through the Python package and prints the totals of run.c."""

from __future__ import annotations

import json
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


if __name__ == "__main__":
    vectors.main(__doc__, lambda cases, options: [ask(case) for case in cases])
