# SPDX-License-Identifier: Apache-2.0
"""Programs whose wall clock is set by a test, and nobody else's (libfaketime). Only for builds without sanitizers."""

from __future__ import annotations

from pathlib import Path


class Wall:
    """The wall clock of the programs that are started with `env`; the monotonic one stays."""

    def __init__(self, folder: Path) -> None:
        found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        if not found:
            raise FileNotFoundError("libfaketime is not installed; ./dev test installs it")
        self.file = folder / "wall"
        self.move("+0")
        self.env = {
            "LD_PRELOAD": str(found[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def move(self, offset: str) -> None:
        """To so much from the machine's: -1h, +10d."""
        beside = self.file.with_suffix(".new")
        beside.write_text(offset + "\n")
        beside.rename(self.file)
