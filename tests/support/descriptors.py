# SPDX-License-Identifier: Apache-2.0
"""A process that finds no free descriptor for a while, as one does whose limit is too low."""

from __future__ import annotations

import contextlib
import os
import resource
from typing import Iterator


def limit_for(pid: int, free: int) -> int:
    """The soft limit under which this many numbers are free; holes below what is open count."""
    taken = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    limit = 0
    while free >= 0:
        free -= limit not in taken
        limit += 1
    return limit - 1


@contextlib.contextmanager
def scarce(pid: int, free: int) -> Iterator[None]:
    """While it lasts, the process can open only so many descriptors more."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit_for(pid, free), before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
