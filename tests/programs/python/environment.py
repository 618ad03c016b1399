# SPDX-License-Identifier: Apache-2.0
"""A Python with packages of PyPI, in an environment that is made once (tests/programs/cluster_tools/build.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from checkout import LIBRARY, ROOT

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402

MYPY = ("mypy==2.4.1", "pandas-stubs==3.1.0.261029")
NUMPY = ("numpy==2.4.6", "pandas==3.1.1")


def python_with(*requirements: str) -> Path:
    for requirement in requirements:
        python = build.python_with(requirement)
    return python


def run(*command: Any, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A program that finds the package and the library of the checkout."""
    paths = [str(ROOT / "bindings" / "python"), str(ROOT / "tests" / "support")]
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "JOULIE_LIBRARY": str(LIBRARY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
