# SPDX-License-Identifier: Apache-2.0
"""Journals of caps, written from docs/rules/enforcement.md#journal and zlib, and not by the library."""

from __future__ import annotations

import json
import zlib

AT, V1_AT = 1773403200, "2026-03-13T12:00:00Z"
KEY = "rapl/package-0/long_term"
FOUND, CAP = 205_000_000, 120_000_000


def line(*words: object) -> str:
    text = " ".join(map(str, words))
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def capped(key: str = KEY, found: int = FOUND, cap: int = CAP, **more: object) -> str:
    """What a cap leaves in a journal of version 2."""
    unit = "kHz" if key.startswith("cpufreq") else "uW"
    words = (key, found, unit, more.get("enabled", "-"), more.get("owner", "api"), AT)
    baseline = line("baseline", *words)
    return baseline * 3 + line("write", key, cap, "-", "-", "-", AT)


def journal(*parts: str) -> str:
    return "joulie-journal 2\n" + "".join(parts)


def v1_line(**members: object) -> str:
    text = json.dumps({**members, "at": V1_AT}, separators=(",", ":"))
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def v1_capped(key: str = KEY, found: int = FOUND, cap: int = CAP) -> str:
    baseline = v1_line(op="baseline", key=key, value=found, unit="uW", enabled=True, owner="api")
    return baseline * 2 + v1_line(op="write", key=key, value=cap, baseline=found)
