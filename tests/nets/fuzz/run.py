#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target of a build, as many at a time as there are cores.

run.py BUILD --seconds N searches: new choices each time, and on from the inputs in BUILD/corpus
that earlier searches kept. --seed with an equal corpus repeats the choices.

run.py BUILD --repeat judges: a fixed number of inputs, from a fixed seed and the first inputs
alone, so that a build runs the same ones each time; with --long twenty times as many. A line ends with a digest of the inputs that
reached something new; --twice runs all of it two times and wants the same digests.

Either begins with the inputs that once broke something (regressions/TARGET). The other first inputs
come from make_corpus.py. Inputs that break something now are kept in BUILD/crashes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REGRESSIONS = HERE / "regressions"
OPTIONS = {"cluster": ["-max_len=600"]}  # bytes, some 150 events: many sequences, not long ones

REPEATED_SEED = 1
LONG_TIMES = 20
RUNS = 1_000_000  # of a target in --repeat: 30 s on one core at most; of those that are slower:
RUNS_OF = {
    "ask": 150_000,
    "capture": 40_000,
    "autoscale_state": 8_000,
    "cluster": 13_000,
    "control": 160_000,
    "convert": 500_000,
    "apiserver": 8_000,
    "host": 13_000,
    "http_server": 12_000,
    "journal": 280_000,
    "journal_v1": 140_000,
    "kubeconfig": 500_000,
    "object": 70_000,
    "rules": 600_000,
    "setting": 700_000,
    "trace": 80_000,
    "twin_columns": 20_000,
    "usage_trace": 80_000,
    "watch": 300_000,
    "yaml": 200_000,
}


@dataclass
class Plan:
    """How each target is run."""

    corpus: Path
    crashes: Path
    seed: int
    seconds: int | None  # None: a fixed number of inputs
    prefix: list[str] = field(default_factory=list)
    times: int = 1  # the fixed number


@dataclass
class Result:
    name: str
    is_good: bool
    output: str
    summary: str
    digest: str = ""


def with_equal_addresses() -> list[str]:
    """A prefix for commands: what compares addresses does so equally each time."""
    prefix = ["setarch", "-R"]
    if shutil.which(prefix[0]):
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
            return prefix
    print("addresses are random here (setarch -R does not work): digests may differ")
    return []


def execute(command: list[str]) -> tuple[bool, str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0, done.stdout.decode(errors="replace")


def executed(output: str) -> str:
    lines = [line for line in output.splitlines() if "number_of_executed_units" in line]
    return lines[0].split()[-1] if lines else "?"


def digest_of(folder: Path) -> str:
    names = sorted(file.name for file in folder.iterdir())  # hashes of what the files hold
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:12]


def fuzz(target: Path, plan: Plan) -> Result:
    name = target.name.removeprefix("fuzz_")
    grown = plan.corpus / "grown" / name
    grown.mkdir(parents=True, exist_ok=True)
    stored = sorted((REGRESSIONS / name).glob("*"))
    common = [
        *plan.prefix,
        str(target),
        "-timeout=20",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={plan.crashes}/{name}-",
    ]
    if stored:
        is_good, output = execute([*common, *map(str, stored)])
        if not is_good:
            return Result(name, False, output, f"an input of regressions/{name}")
    first = plan.corpus / f"first-{name}"  # a list, as the order in a folder is the file system's
    inputs = [*sorted((plan.corpus / "seeds" / name).glob("*")), *stored]
    first.write_text(",".join(map(str, inputs)))
    limit = ["-reload=0", f"-runs={plan.times * RUNS_OF.get(name, RUNS)}"]
    if plan.seconds is not None:
        limit = [f"-max_total_time={plan.seconds}"]
    search = [f"-seed={plan.seed}", "-print_final_stats=1", f"-seed_inputs=@{first}"]
    start = time.monotonic()
    is_good, output = execute([*common, *search, *OPTIONS.get(name, []), *limit, str(grown)])
    seconds = time.monotonic() - start
    digest = digest_of(grown)
    summary = f"{executed(output)} inputs in {seconds:.0f} s, seed {plan.seed}"
    if plan.seconds is None:
        summary += f", digest {digest}"
    return Result(name, is_good, output, summary, digest)


def run(targets: list[Path], plan: Plan) -> dict[str, Result]:
    maker = [sys.executable, HERE / "make_corpus.py", HERE.parents[1] / "vectors"]
    subprocess.run([*maker, plan.corpus / "seeds"], check=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda target: fuzz(target, plan), targets))
    for result in results:
        print(f"{result.name:<12} {'ok' if result.is_good else 'FAILED'}, {result.summary}")
        if not result.is_good:
            print(result.output[-6000:])
    return {result.name: result for result in results}


def repeat(targets: list[Path], crashes: Path, times: int) -> dict[str, Result]:
    with tempfile.TemporaryDirectory() as folder:
        prefix = with_equal_addresses()
        return run(targets, Plan(Path(folder), crashes, REPEATED_SEED, None, prefix, times))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=int, default=60, help="of each target")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 31))
    parser.add_argument("--repeat", action="store_true", help="the same inputs each time")
    parser.add_argument("--twice", action="store_true", help="--repeat two times, and compare")
    parser.add_argument("--long", action="store_true", help=f"--repeat with {LONG_TIMES} times as many inputs")
    parser.add_argument("--only", metavar="TARGET", default="*", help="one target")
    options = parser.parse_args()
    build = options.build.resolve()
    found = sorted((build / "bin").glob(f"fuzz_{options.only}"))
    targets = [file for file in found if os.access(file, os.X_OK)]
    corpus, crashes = build / "corpus", build / "crashes"
    crashes.mkdir(exist_ok=True)
    times = LONG_TIMES if options.long else 1
    if options.repeat or options.twice or options.long:
        results = repeat(targets, crashes, times)
    else:
        corpus.mkdir(exist_ok=True)
        results = run(targets, Plan(corpus, crashes, options.seed, options.seconds))
    is_good = bool(results) and all(result.is_good for result in results.values())
    if is_good and options.twice:
        again = repeat(targets, crashes, times)
        differ = [name for name in results if again[name].digest != results[name].digest]
        print("not repeatable: " + " ".join(differ) if differ else "both runs were the same")
        is_good = not differ
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
