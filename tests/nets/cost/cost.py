#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What joulie-agent costs a machine: cost.py --build BUILD [--seconds N] [--max-calls N] [--json].

The agent holds a cap on the 2-socket host of the fixtures, once over plain files and once over the
fake kernel (FUSE), one tick a second. After the start two runs are measured: one alone (time on the
CPU, private memory), one under `strace -f` (system calls of a tick); of the agent, and of the joulie-capd that
it starts, which writes for it. --max-calls fails when a tick of the agent takes more.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

import hosts  # noqa: E402

HOST = "intel-2s"
START_S = 5  # discovery, first writes, effect check
SPEC = {
    "apiVersion": "joulie.io/v1alpha1",
    "kind": "NodeTwin",
    "metadata": {"name": "n1"},
    "spec": {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 120}},
}
CALL = re.compile(r"^(\d+) +(\d+\.\d+) (\w+)\(")


@dataclass
class Cost:
    """Of one process."""

    tree: str
    process: str
    calls_per_tick: Optional[float] = None
    cpu_pct: Optional[float] = None
    private_kib: Optional[int] = None
    names: Counter[str] = field(default_factory=Counter)


class Host:
    """The 2-socket host as plain files or behind the fake kernel."""

    def __init__(self, build: Path, tree: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="joulie-cost-"))
        self.root = self.folder / "host"
        self.kernel: Optional[subprocess.Popen[bytes]] = None
        hosts.write_host(HOST, self.root)
        if tree == "fake kernel":
            self.mount(build)
        self.spec = self.folder / "spec.json"
        self.spec.write_text(json.dumps(SPEC), encoding="utf-8")

    def mount(self, build: Path) -> None:
        served = self.folder / "mounted"
        served.mkdir()
        self.kernel = subprocess.Popen(
            [build / "bin" / "joulie-fakehost", "--fuse", self.root, served],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.kernel.stdout is not None
        if not self.kernel.stdout.readline().startswith(b"ready"):
            raise RuntimeError("joulie-fakehost did not mount")
        self.root = served

    def close(self) -> None:
        if self.kernel is not None:
            self.kernel.terminate()
            self.kernel.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)


def start(build: Path, host: Host, before: list[str]) -> subprocess.Popen[bytes]:
    agent = [
        *(str(build / "bin" / "joulie-agent"), "--root", str(host.root), "--enforce"),
        *("--spec", str(host.spec), "--status", str(host.folder / "status.json")),
        *("--state-dir", str(host.folder / "state")),
    ]
    with open(host.folder / "log", "wb") as log:
        return subprocess.Popen([*before, *agent], stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def stop(process: subprocess.Popen[bytes], pid: int) -> None:
    os.kill(pid, signal.SIGTERM)
    if process.wait(20) != 0:
        raise RuntimeError(f"the agent ended with {process.returncode}")


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def cpu_s(pid: int) -> float:
    """Time on a CPU; schedstat counts nanoseconds, stat only hundredths."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
    except OSError:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def private_kib(pid: int) -> int:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    # pages of a file that only one process has mapped just now are nobody's
    return sum(int(row.split()[1]) for row in rows if row.startswith("Private_Dirty"))


def measure_alone(build: Path, tree: str, seconds: int) -> dict[str, Cost]:
    host = Host(build, tree)
    try:
        process = start(build, host, [])
        time.sleep(START_S)
        (capd,) = children(process.pid)
        pids = {"agent": process.pid, "joulie-capd": capd}
        began = time.monotonic()
        spent = {name: cpu_s(pid) for name, pid in pids.items()}
        time.sleep(seconds)
        window = time.monotonic() - began
        costs = {
            name: Cost(
                tree,
                name,
                cpu_pct=100 * (cpu_s(pid) - spent[name]) / window,
                private_kib=private_kib(pid),
            )
            for name, pid in pids.items()
        }
        stop(process, process.pid)
        return costs
    finally:
        host.close()


def traced(file: Path) -> Iterator[tuple[int, float, str]]:
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        match = CALL.match(line)
        if match:
            yield int(match[1]), float(match[2]), match[3]


def measure_calls(build: Path, tree: str, seconds: int) -> dict[str, Counter[str]]:
    host = Host(build, tree)
    try:
        trace = host.folder / "trace"
        process = start(build, host, ["strace", "-f", "-ttt", "-o", str(trace)])
        time.sleep(START_S + seconds + 1)
        calls = list(traced(trace))
        agent = calls[0][0]
        stop(process, agent)
        first = calls[0][1] + START_S
        counts: dict[str, Counter[str]] = {"agent": Counter(), "joulie-capd": Counter()}
        for pid, at, name in calls:
            if first <= at < first + seconds:
                counts["agent" if pid == agent else "joulie-capd"][name] += 1
        return counts
    finally:
        host.close()


def measure(build: Path, seconds: int) -> list[Cost]:
    out = []
    trees = ["plain files"]
    if os.access("/dev/fuse", os.R_OK | os.W_OK) and (build / "bin" / "joulie-fakehost").exists():
        trees.append("fake kernel")
    for tree in trees:
        costs = measure_alone(build, tree, seconds)
        counts = measure_calls(build, tree, seconds) if shutil.which("strace") else {}
        for name, cost in costs.items():
            if name in counts:
                cost.calls_per_tick = sum(counts[name].values()) / seconds
                cost.names = counts[name]
            out.append(cost)
    return out


def table(costs: list[Cost], seconds: int) -> str:
    def cell(value: Optional[float], form: str) -> str:
        return "?" if value is None else format(value, form)

    rows = ["| tree | process | system calls a tick | CPU % of one core | private memory |"]
    rows.append("|---|---|---|---|---|")
    for cost in costs:
        calls, cpu = cell(cost.calls_per_tick, ".1f"), cell(cost.cpu_pct, ".3f")
        memory = cell(cost.private_kib, "d")
        rows.append(f"| {cost.tree} | {cost.process} | {calls} | {cpu} | {memory} KiB |")
    for cost in costs:
        if cost.names:
            names = ", ".join(f"{n / seconds:g} {name}" for name, n in cost.names.most_common())
            rows.append(f"{cost.tree}, {cost.process}, each tick: {names}")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, required=True, help="a release build")
    parser.add_argument("--seconds", type=int, default=20, help="of each measured window")
    parser.add_argument("--max-calls", type=float, help="bound of a tick of the agent")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    costs = measure(options.build.resolve(), options.seconds)
    if options.json:
        for cost in costs:
            print(json.dumps({**vars(cost), "names": dict(cost.names)}))
    else:
        print(table(costs, options.seconds))
    calls = [cost.calls_per_tick or 0 for cost in costs if cost.process == "agent"]
    if options.max_calls is not None and max(calls) > options.max_calls:
        print(f"a tick takes {max(calls):g} system calls, more than {options.max_calls:g}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
