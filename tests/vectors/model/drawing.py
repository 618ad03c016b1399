# SPDX-License-Identifier: Apache-2.0
"""What the tests of the model draw, and how they ask: the same inputs for the same seed."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

from checkout import use_package

use_package()
import joulie  # noqa: E402

from reference.amounts import GIB, RESOURCES, Amounts, Pair, Resource  # noqa: E402

SEED = int(os.environ.get("JOULIE_MODEL_SEED", "1"))
UNITS: dict[str, Fraction | int] = {
    "": 1,
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
}
UNITS |= {unit: 1000**power for power, unit in enumerate("kMGTPE", 1)}
UNITS |= {unit + "i": 1024**power for power, unit in enumerate("KMGTPE", 1)}

T = TypeVar("T")


class Draw(random.Random):
    """Numbers of one test: of its name and the seed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{SEED} {name}")

    def happens(self, probability: float) -> bool:
        return self.random() < probability

    def maybe(self, probability: float, value: T) -> T | None:
        return value if self.happens(probability) else None

    def amount(self, resource: Resource) -> float:
        if resource == "tflops":
            rounded = round(self.uniform(0.001, 200), self.choice([0, 1, 2, 3]))
            return self.choice([rounded, self.uniform(0.001, 300), self.choice([10, 20, 40, 50])])
        mebibytes, bytes_ = self.randint(1, 80_000) << 20, self.randint(10**8, 10**11)
        return self.choice([self.randint(1, 80) * GIB, mebibytes, bytes_])


def ask(question: str, document: Mapping[str, Any]) -> Any:
    """None stands for a member that is left out."""
    known = {name: value for name, value in document.items() if value is not None}
    return joulie.ask(question, known)


def is_near(a: float | None, b: float | None, slack: float = 1e-9) -> bool:
    if a is None or b is None:
        return a is b
    return abs(a - b) <= slack * max(1, abs(a), abs(b))


def value_of(quantity: str) -> float:
    found = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", quantity)
    assert found is not None, quantity
    return float(Fraction(found[1]) * UNITS[found[2]])


def text_of(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def document_of(amounts: Amounts) -> dict[str, dict[str, str]]:
    """As quantities."""
    return {
        "requests": {name: text_of(amounts.of(name).request) for name in RESOURCES},
        "limits": {name: text_of(amounts.of(name).limit) for name in RESOURCES},
    }


def amounts_of(document: Mapping[str, Mapping[str, str]]) -> Amounts:
    sides = (document.get("requests", {}), document.get("limits", {}))
    pairs = [Pair(*(value_of(side.get(name, "0")) for side in sides)) for name in RESOURCES]
    return Amounts(*pairs)


def difference(document: Any, answer: Any, expected: Any) -> str:
    """What a test says when the library and the model differ."""
    return f"seed {SEED}\nasked    {json.dumps(document)}\nanswer   {answer}\nexpected {expected}"
