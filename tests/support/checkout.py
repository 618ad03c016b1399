# SPDX-License-Identifier: Apache-2.0
"""Where things are, for the Python tests. tests/run.py sets the variables; the defaults are those of ./dev."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEV = Path(os.environ.get("JOULIE_DEV_BUILD", ROOT / "build" / "dev")).resolve()
RELEASE = Path(os.environ.get("JOULIE_RELEASE_BUILD", ROOT / "build" / "release")).resolve()
LIBRARY = RELEASE / "lib" / "libjoulie.so.1"
VECTORS = sorted((ROOT / "tests" / "vectors").glob("*.json"))


def use_package() -> None:
    """Makes `import joulie` find the checkout's package and the release library."""
    os.environ["JOULIE_LIBRARY"] = str(LIBRARY)
    sys.path.insert(0, str(ROOT / "bindings" / "python"))
