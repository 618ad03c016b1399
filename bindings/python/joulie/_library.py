# SPDX-License-Identifier: Apache-2.0
"""Finds and loads the C library; nothing else of the package touches a file."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

SONAME = "libjoulie.so.1"
HELP = (
    "build it with ./dev build, install it (Debian: libjoulie1, which needs libjson-c5 and "
    "libyaml-0-2), or name it in JOULIE_LIBRARY"
)

# Of a wheel: the library, and copies of what it needs for systems without them.
CARRIED = Path(__file__).resolve().parent / "_lib"


def _candidates() -> list[str]:
    """Best first: the variable, the wheel's, the checkout's build, the system's."""
    named = os.environ.get("JOULIE_LIBRARY")
    if named:
        return [named]
    carried = CARRIED / SONAME
    if carried.exists():
        return [str(carried)]
    checkout = Path(__file__).resolve().parents[3]
    built = checkout / "build" / "release" / "lib" / SONAME
    return ([str(built)] if built.exists() else []) + [SONAME]


def _load_carried_needs() -> None:
    """What the wheel's library needs, where the system does not have it.

    The system's own copies are preferred, as they get its security updates. A library that is
    loaded already satisfies every later need of its name.
    """
    for needed in sorted(CARRIED.glob("*.so.*")):
        if needed.name != SONAME:
            try:
                ctypes.CDLL(needed.name)
            except OSError:
                ctypes.CDLL(str(needed))


def _open(candidate: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(candidate)
    except OSError:
        if Path(candidate).parent != CARRIED:
            raise
    _load_carried_needs()
    return ctypes.CDLL(candidate)


def _load() -> ctypes.CDLL:
    problems = []
    for candidate in _candidates():
        try:
            found = _open(candidate)
        except OSError as problem:
            problems.append(str(problem))
            continue
        if not hasattr(found, "joulie_layout"):
            raise ImportError(f"{candidate} is older than this package: it has no joulie_layout()")
        return found
    raise ImportError(f"cannot load {SONAME} ({'; '.join(problems)}): {HELP}")


library = _load()
