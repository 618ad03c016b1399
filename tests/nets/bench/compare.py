#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libjoulie against Go (encoding/json, the same formulas) and Python (json, NumPy): compare.py --build BUILD.

Three processes hold the same inputs and do the same work in turns; their results must have the same checksum. Each
process times itself, so that starting and talking to it does not count. Go >= 1.24 and NumPy are
left out, and named, where they are missing.
"""

from __future__ import annotations

import argparse
import array
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parent
TWINS = 5000
ROWS = 5000
# What is done, its unit, nanoseconds (or nodes) in one, and who does it.
EVERYONE = ("libjoulie", "go", "python")
FIGURES = {
    "decode": ("decode 5,000 NodeTwins", "ms", 1e6, EVERYONE),
    "encode": ("encode 5,000 NodeTwins", "ms", 1e6, EVERYONE),
    "predict": ("predict a node", "ns", ROWS, ("libjoulie", "go")),
    "columns": ("predict a node, columns", "ns", ROWS, EVERYONE),
}


def make_twin(draw: random.Random, i: int) -> dict[str, object]:
    tdp = draw.randint(300, 7000)
    cap = round(draw.uniform(40, 99), 1)

    def watts() -> float:
        return draw.randint(1000, tdp * 10 + 1001) / 10 + 0.05

    return {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeTwin",
        "metadata": {
            "name": f"node-{i}",
            "uid": f"7d1f0d8e-0000-4000-8000-{i:012d}",
            "resourceVersion": str(1000 + i),
            "labels": {"joulie.io/rack": f"r{i % 40}"},
        },
        "spec": {
            "nodeName": f"node-{i}",
            "profile": "performance" if i % 3 == 1 else "eco",
            "cpu": {"packagePowerCapPctOfMax": cap + 0.01},
            "gpu": {"powerCap": {"scope": "perGpu", "capPctOfMax": cap + 0.01}},
            "policy": {"name": "queue-aware-v1"},
            "scheduling": {"draining": i % 3 == 2},
        },
        "status": {
            "schedulableClass": ("eco", "performance", "draining")[i % 3],
            "powerMeasurement": {
                "source": "http",
                "measuredNodePowerW": watts(),
                "cpuCappedPowerW": watts(),
                "gpuCappedPowerW": watts(),
                "nodeCappedPowerW": watts(),
                "nodeTdpW": tdp + 0.5,
                "powerTrendWPerMin": draw.uniform(-200, 200),
            },
            "predictedPowerHeadroomScore": draw.uniform(-50, 100),
            "predictedCoolingStressScore": draw.uniform(1, 100),
            "predictedPsuStressScore": draw.uniform(1, 100),
            "effectiveCapState": {"cpuPct": cap + 0.01, "gpuPct": cap + 0.01},
            "hardwareDensityScore": draw.uniform(1, 100),
            "estimatedPUE": 1.05 + draw.random(),
            "controlStatus": {
                "cpu": {
                    "backend": "rapl",
                    "result": "applied",
                    "message": "RAPL package cap applied",
                    "updatedAt": "2026-03-13T12:00:00Z",
                }
            },
            "lastUpdated": "2026-03-13T12:00:00Z",
        },
    }


def write_inputs(folder: Path) -> None:
    """Numbers have at most 17 digits and none is whole, as Python would print 5.0 for it."""
    draw = random.Random(6)
    twins = {"items": [make_twin(draw, i) for i in range(TWINS)]}
    (folder / "twins.json").write_text(json.dumps(twins, separators=(",", ":")))
    rows = []
    for _ in range(ROWS):
        gpus = draw.choice((0, 0, 1, 4, 8))
        cap = draw.uniform(40, 100)
        rows.append(
            (
                2,
                draw.randint(16, 384),
                draw.uniform(150, 500),
                cap,
                gpus,
                draw.uniform(300, 750) if gpus else 0,
                cap if gpus else 0,
                draw.uniform(50, 1000),
                draw.uniform(-5, 40),
                draw.uniform(1000, 50000),
            )
        )
    columns = array.array("d", (value for column in zip(*rows) for value in column))
    (folder / "columns.bin").write_bytes(columns.tobytes())


class Side:
    """A process that works when it is asked to."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, figure: str) -> tuple[int, str]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(figure + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            raise SystemExit(f"compare: {self.name} did not answer {figure}")
        return int(answer[0]), answer[1]

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(timeout=10)


def go_version() -> tuple[int, int]:
    go = shutil.which("go")
    if go is None:
        return (0, 0)
    text = subprocess.run([go, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"go(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def has_numpy(python: str) -> bool:
    return subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0


def open_sides(build: Path, python: str, folder: Path) -> list[Side]:
    sides = [
        Side("libjoulie", [str(build / "bin" / "bench_compare"), str(folder)]),
    ]
    if go_version() >= (1, 24):
        program = folder / "compare_go"
        subprocess.run(
            ["go", "build", "-o", str(program), "."],
            cwd=BENCH / "go" / "compare",
            env={**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"},
            check=True,
        )
        sides.append(Side("go", [str(program), str(folder)]))
    else:
        print("compare: no Go >= 1.24, its side is left out", file=sys.stderr)
    if has_numpy(python):
        sides.append(Side("python", [python, str(BENCH / "compare_numpy.py"), str(folder)]))
    else:
        print(f"compare: {python} has no NumPy, its side is left out", file=sys.stderr)
    return sides


def check(figure: str, sums: dict[str, str]) -> None:
    if len(set(sums.values())) != 1:
        raise SystemExit(f"compare: {figure}: the checksums differ: {sums}")


def measure(all_sides: list[Side], figure: str, runs: int) -> dict[str, float]:
    sides = [side for side in all_sides if side.name in FIGURES[figure][3]]
    times: dict[str, list[int]] = {side.name: [] for side in sides}
    for _ in range(runs):
        sums: dict[str, str] = {}
        for side in sides:
            took, sums[side.name] = side.run(figure)
            times[side.name].append(took)
        check(figure, sums)
    return {name: median(taken) for name, taken in times.items()}


def show(figure: str, found: dict[str, float], is_json: bool, runs: int) -> None:
    what, unit, divisor, _ = FIGURES[figure]
    ours = found["libjoulie"] / divisor
    if is_json:
        others = {name: value / divisor for name, value in found.items() if name != "libjoulie"}
        line = {"name": f"compare.{figure}", "unit": unit, "ours": ours, "runs": runs}
        print(json.dumps({**line, "others": others}), flush=True)
        return
    cells = [
        f"{name} {value / divisor:.4g} {unit} ({value / divisor / ours:.1f}x)"
        for name, value in found.items()
        if name != "libjoulie"
    ]
    print(f"{what:24} {ours:8.4g} {unit}   " + "   ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="a Python that has NumPy")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs is at least 1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        sides = open_sides(options.build.resolve(), options.python, folder)
        try:
            for figure in FIGURES:
                show(figure, measure(sides, figure, options.runs), options.json, options.runs)
        finally:
            for side in sides:
                side.close()


if __name__ == "__main__":
    main()
