#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target of a build for some seconds, as many at a time as there are cores: run.py BUILD --seconds N.

The first inputs come from make_corpus.py. New inputs are kept in BUILD/corpus, inputs that broke something in
BUILD/crashes. Prints for each target the seed of its choices and how many inputs it ran; --seed with an equal corpus
repeats the choices.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent


OPTIONS = {"cluster": ["-max_len=600"]}  # bytes, some 150 events: many sequences, not long ones


def fuzz(
    target: Path, corpus: Path, crashes: Path, seconds: int, seed: int
) -> tuple[str, bool, str]:
    name = target.name.removeprefix("fuzz_")
    grown = corpus / "grown" / name
    seeds = corpus / "seeds" / name
    grown.mkdir(parents=True, exist_ok=True)
    seeds.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    command = [
        target,
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        "-timeout=20",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={crashes}/{name}-",
        "-print_final_stats=1",
        *OPTIONS.get(name, []),
        grown,
        seeds,
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return name, done.returncode == 0, done.stdout.decode(errors="replace")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 31))
    options = parser.parse_args()
    build = options.build.resolve()
    targets = sorted(file for file in (build / "bin").glob("fuzz_*") if os.access(file, os.X_OK))
    corpus, crashes = build / "corpus", build / "crashes"
    subprocess.run(
        [sys.executable, HERE / "make_corpus.py", HERE.parent / "vectors", corpus / "seeds"],
        check=True,
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(
            pool.map(lambda t: fuzz(t, corpus, crashes, options.seconds, options.seed), targets)
        )
    for name, is_good, output in results:
        executed = [line for line in output.splitlines() if "number_of_executed_units" in line]
        count = executed[0].split()[-1] if executed else "?"
        verdict = "ok" if is_good else "FAILED"
        print(f"{name:<9} {verdict}, {count} inputs in {options.seconds} s, seed {options.seed}")
        if not is_good:
            print(output[-6000:])
    return 0 if results and all(is_good for _, is_good, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
