#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages from a copy of the checkout, and lets lintian judge them: debs.py OUT [--no-check]."""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PARTS = (
    "CMakeLists.txt CMakePresets.json LICENSE NEWS.md README.md bindings cmake crds daemons debian deploy docs "
    "include libjoulie pkgconfig tests"
).split()


def run(command: list[Any], folder: Path, log: Path, **env: str) -> None:
    """Runs a step; its output is shown when it fails."""
    with log.open("a", encoding="utf-8") as out:
        words = [str(word) for word in command]
        done = subprocess.run(
            words, cwd=folder, stdout=out, stderr=out, env={**os.environ, **env}, check=False
        )
    if done.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-60:]
        print("\n".join(line[:300] for line in lines), file=sys.stderr)
        raise SystemExit(f"package: {' '.join(words)} answers {done.returncode}")


def build(out: Path, is_checked: bool, **env: str) -> list[Path]:
    """The packages, in out; what dpkg-buildpackage leaves beside a source lands there as well."""
    shutil.rmtree(out, ignore_errors=True)
    source = out / "libjoulie"
    source.mkdir(parents=True)
    for name in PARTS:
        place = ROOT / name
        if place.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(place, source / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(place, source)
    log = out / "build.log"
    options = f"parallel={os.environ.get('JOBS') or os.cpu_count()}"
    if not is_checked:
        options += " nocheck"
    # a source package would need a tarball of the release
    command = ["dpkg-buildpackage", "--build=binary", "--no-sign"]
    run(command, source, log, **{"DEB_BUILD_OPTIONS": options, "LC_ALL": "C.UTF-8", **env})
    shutil.rmtree(source)
    return sorted(out.glob("*.deb"))


def judge(out: Path) -> None:
    """What lintian says against them, and an override that does nothing, stops it."""
    log = out / "lintian.log"
    run(
        ["lintian", "--display-info", "--fail-on", "error,warning", *out.glob("*.changes")],
        out,
        log,
        LC_ALL="C.UTF-8",
    )
    if "unused-override" in log.read_text(encoding="utf-8"):
        raise SystemExit(f"package: {log} names an override that does nothing")


@functools.lru_cache(maxsize=1)
def built() -> tuple[Path, ...]:
    """Those of the tests, which run beside the tests of this checkout: once for a run."""
    return tuple(build(ROOT / "build" / "package-test", is_checked=False))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the packages; emptied before")
    parser.add_argument("--no-check", action="store_true", help="without the tests of the package")
    options = parser.parse_args()
    out = options.out.resolve()
    packages = build(out, not options.no_check)
    judge(out)
    for file in packages:
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
