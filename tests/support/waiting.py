# SPDX-License-Identifier: Apache-2.0
"""Waiting for something to be so, instead of sleeping and hoping."""

from __future__ import annotations

import time
from typing import Any, Callable, Union

DEADLINE_S = 60.0
LEAST_S = 0.01
MOST_S = 0.5


def wait_until(
    what: Union[str, Callable[[], object]],
    condition: Callable[[], Any],
    deadline_s: float = DEADLINE_S,
) -> Any:
    """The first true answer; the deadline only ends a test that would fail.

    A question that is long in coming is asked less often: it takes the processors from what is waited for.
    """
    end = time.monotonic() + deadline_s
    while (now := time.monotonic()) < end:
        answer = condition()
        if answer:
            return answer
        took_s = time.monotonic() - now
        time.sleep(min(MOST_S, max(LEAST_S, 2 * took_s)))
    raise AssertionError(f"not within {deadline_s} s: {what() if callable(what) else what}")
