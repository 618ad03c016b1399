#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records today's ABI after a change that keeps it: refresh.py --build BUILD [--new-release].

Writes debian/libjoulie1.symbols, libjoulie.so.1.abi and the layout of this version.
Build the library before: the types are read from it. With --new-release also the headers of this version, for the program that is compiled against them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="a build without sanitizers")
    parser.add_argument("--new-release", action="store_true", help="also keep the headers")
    options = parser.parse_args()
    os.environ["JOULIE_RELEASE_BUILD"] = str(options.build)

    import dump
    import scratch
    import symbols

    found = scratch.reader.read(scratch.INCLUDE / "joulie")
    scratch.DEBIAN.write_text(symbols.debian_symbols(symbols.in_map(scratch.MAP)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        today = scratch.layout_of_headers(scratch.INCLUDE, Path(folder))
    release = HERE / ".".join(scratch.version())
    release.mkdir(exist_ok=True)
    (release / "layout.json").write_text(json.dumps(today, indent=1) + "\n", encoding="utf-8")
    dump.write(scratch.LIBRARY, scratch.INCLUDE, scratch.RECORDED_TYPES)
    for spot in dump.blind_spots(scratch.RECORDED_TYPES, found):
        print(f"refresh: {spot}: is {scratch.LIBRARY} of these headers?", file=sys.stderr)
    if options.new_release:
        shutil.rmtree(release / "include", ignore_errors=True)
        shutil.copytree(scratch.INCLUDE, release / "include")
    return 0


if __name__ == "__main__":
    sys.exit(main())
