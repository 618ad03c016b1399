# SPDX-License-Identifier: Apache-2.0
"""Vector files: reading, comparing and counting, for the Python and command-line runners.

The texts that are asked are those of run.c: members in file order, numbers as the file writes them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple, Optional

HERE = Path(__file__).resolve().parent


class Number(str):
    """A number by its text."""


class Case(NamedTuple):
    file: str
    id: str
    question: str
    text: str  # the document
    test: dict[str, Any]
    tolerance: float


class Outcome(NamedTuple):
    line: str  # the answer, or {"error":…}, as printed

    @property
    def value(self) -> dict[str, Any]:
        return json.loads(self.line)

    @property
    def error(self) -> Optional[dict[str, str]]:
        return self.value["error"] if self.line.startswith('{"error":{"code":') else None


def to_text(value: Any, shuffle: Optional[random.Random] = None) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        members = list(value.items())
        if shuffle:
            shuffle.shuffle(members)
        return "{" + ",".join(f"{to_text(k)}:{to_text(v, shuffle)}" for k, v in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(to_text(item, shuffle) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def load(files: Iterable[Path], seed: Optional[int] = None) -> list[Case]:
    """Every case; with a seed the members of its objects are in another order."""
    cases = []
    shuffle = None if seed is None else random.Random(seed)
    for file in files:
        text = file.read_text(encoding="utf-8")
        root = json.loads(text)
        exact = json.loads(text, parse_float=Number, parse_int=Number)
        tolerance = root.get("tolerance", 1e-6)
        for test, raw in zip(root["cases"], exact["cases"]):
            document = to_text(raw.get("in"), shuffle)
            cases.append(Case(file.name, test["id"], test["question"], document, test, tolerance))
    return cases


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def difference(expected: Any, actual: Any, tolerance: float, path: str = "") -> Optional[str]:
    """None when actual has what is expected: a subset, null = absent, numbers within tolerance."""
    if expected is None:
        return None if actual is None else f"{path} must be absent"
    if actual is None:
        return f"{path} is absent"
    if is_number(expected):
        if is_number(actual) and abs(expected - actual) <= tolerance:
            return None
        return f"{path} is {actual}, not {expected}"
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return f"{path} is no object"
        found = (
            difference(value, actual.get(key), tolerance, f"{path}.{key}")
            for key, value in expected.items()
        )
        return next((text for text in found if text), None)
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{path} is no array of {len(expected)}"
        found = (
            difference(value, actual[i], tolerance, f"{path}[{i}]")
            for i, value in enumerate(expected)
        )
        return next((text for text in found if text), None)
    same = type(expected) is type(actual) and expected == actual
    return None if same else f"{path} is {actual!r}, not {expected!r}"


def problem_of(case: Case, outcome: Outcome) -> Optional[str]:
    """None = passed, "" = not yet answerable, else what is wrong."""
    expected_error = case.test.get("error")
    error = outcome.error
    if error and error["code"] == "unsupported":
        expected_code = (expected_error or {}).get("code")
        if error["where"] == "question" or expected_code != "unsupported":
            return ""
    if expected_error is not None:
        if error is None:
            return "an error was expected"
        wrong = [
            k for k in ("code", "where") if k in expected_error and expected_error[k] != error[k]
        ]
        return f"{wrong[0]} is {error[wrong[0]]!r}" if wrong else None
    if error:
        return f"an answer was expected, not {outcome.line}"
    return (
        difference(case.test["out"], outcome.value, case.tolerance) if "out" in case.test else None
    )


def report(cases: list[Case], outcomes: list[Outcome]) -> bool:
    """Prints the lines of run.c; True = good."""
    totals = [0, 0, 0]
    by_file: dict[str, list[int]] = {}
    for case, outcome in zip(cases, outcomes):
        problem = problem_of(case, outcome)
        column = 0 if problem is None else 1 if problem == "" else 2
        by_file.setdefault(case.file, [0, 0, 0])[column] += 1
        totals[column] += 1
        if problem:
            print(f"FAIL {case.file}: {case.id} ({case.question}): {problem}")
            print(f"      in  {case.text[:600]}\n      got {outcome.line[:1200]}")
    for file, (passed, not_yet, failed) in by_file.items():
        print(
            f"{'tests/vectors/' + file:<60} {passed:4} passed, {not_yet:4} not yet answerable, "
            f"{failed:4} failed"
        )
    print(f"vectors: {totals[0]} passed, {totals[1]} not yet answerable, {totals[2]} failed")
    return totals[2] == 0 and totals[0] > 0


def write_answers(file: str, cases: list[Case], outcomes: list[Outcome]) -> None:
    with open(file, "w", encoding="utf-8", newline="\n") as out:
        for case, outcome in zip(cases, outcomes):
            out.write(f"{case.file}\t{case.id}\t{outcome.line}\n")


def main(
    description: str, ask_all: Callable[[list[Case], argparse.Namespace], list[Outcome]]
) -> None:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("files", nargs="*", type=Path, help="vector files; none = all")
    parser.add_argument("--answers", metavar="FILE", help="write file, id and answer of every case")
    parser.add_argument(
        "--shuffle", metavar="SEED", type=int, help="reorder the members of documents"
    )
    parser.add_argument("--locale", help="a locale with decimal commas to ask in (Python runner)")
    parser.add_argument(
        "--joulie",
        default=str(HERE.parents[1] / "build/release/bin/joulie"),
        help="the program (command-line runner)",
    )
    options = parser.parse_args()
    cases = load(options.files or sorted(HERE.glob("*.json")), options.shuffle)
    outcomes = ask_all(cases, options)
    if options.answers:
        write_answers(options.answers, cases, outcomes)
    sys.exit(0 if report(cases, outcomes) else 1)
