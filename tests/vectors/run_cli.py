#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs vector files through the program joulie: all cases of a question in one process, as JSON lines."""

from __future__ import annotations

import argparse
import subprocess
import sys

import vectors


def ask_question(program: str, question: str, cases: list[vectors.Case]) -> list[vectors.Outcome]:
    text = "".join(case.text + "\n" for case in cases)
    done = subprocess.run(
        [program, "ask", question], input=text.encode(), stdout=subprocess.PIPE, check=False
    )
    lines = done.stdout.decode().splitlines()
    if len(lines) == 1 and '"where":"question"' in lines[0]:
        lines *= len(cases)  # a question that there is not is said once, before any input is read
    outcomes = [vectors.Outcome(line) for line in lines]
    has_error = any(outcome.error for outcome in outcomes)
    if len(lines) != len(cases) or done.returncode != int(has_error):
        sys.exit(
            f"FAIL joulie ask {question}: {len(cases)} documents, {len(lines)} answers, "
            f"exit status {done.returncode}"
        )
    return outcomes


def ask_all(cases: list[vectors.Case], options: argparse.Namespace) -> list[vectors.Outcome]:
    by_question: dict[str, list[int]] = {}
    for i, case in enumerate(cases):
        by_question.setdefault(case.question, []).append(i)
    outcomes: dict[int, vectors.Outcome] = {}
    for question, places in by_question.items():
        answers = ask_question(options.joulie, question, [cases[i] for i in places])
        outcomes.update(zip(places, answers))
    return [outcomes[i] for i in range(len(cases))]


if __name__ == "__main__":
    vectors.main(__doc__, ask_all)
