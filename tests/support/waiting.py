# SPDX-License-Identifier: Apache-2.0
"""Waiting for something to be so, instead of sleeping and hoping."""

from __future__ import annotations

import time
from typing import Any, Callable, Union

DEADLINE_S = 60.0


def wait_until(
    what: Union[str, Callable[[], object]],
    condition: Callable[[], Any],
    deadline_s: float = DEADLINE_S,
) -> Any:
    """The first true answer; the deadline only ends a test that would fail."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.01)
    raise AssertionError(f"not within {deadline_s} s: {what() if callable(what) else what}")
