#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last part of ./dev demo: a cap on a simulated server, a crash, and the cap given back.

A server of two packages runs on the fake kernel, joulie-agent caps it, the agent is killed with
signal 9, and joulie-capd gives back what was found. Prints a line of powers for each part, and fails
when the limits are not as they were.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Optional

LIMITS = "sys/devices/virtual/powercap/intel-rapl/intel-rapl:*/constraint_0_power_limit_uw"
CAP_W = 120  # of each package
DEMAND_W = 185  # of each package, when nothing holds it back
SAMPLE_S = 0.1
WATCHDOG_S = 1
STEPS = "▁▂▃▄▅▆▇█"
WIDTH = 36  # powers in a line


class Server:
    """A tree on the fake kernel: numbers of both packages together."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.limit_files = sorted(root.glob(LIMITS))

    def power_w(self) -> float:
        return sum(float(word) for word in (self.root / "fake/power_w").read_text().split())

    def limit_w(self) -> float:
        return sum(int(file.read_text()) for file in self.limit_files) / 1e6

    def demand(self, watts: float) -> None:
        (self.root / "fake/demand_w").write_text(" ".join([str(watts)] * len(self.limit_files)))


class Screen:
    """One line per part: on a terminal it grows, elsewhere it is printed when it is full."""

    def __init__(self, most_w: float) -> None:
        self.most_w = most_w
        self.is_live = sys.stdout.isatty()

    def line(self, name: str, powers: list[float], limit_w: float, note: str) -> str:
        strip = "".join(
            STEPS[min(len(STEPS) - 1, int(power / self.most_w * len(STEPS)))]
            for power in powers[-WIDTH:]
        )
        return f"  {name:<14}{powers[-1]:5.0f} W  {strip:<{WIDTH}}  limit {limit_w:.0f} W{note}"

    def watch(
        self,
        name: str,
        server: Server,
        seconds: float,
        is_done: Optional[Callable[[], bool]] = None,
    ) -> list[float]:
        """Powers for so long; with is_done until it says so, and so long after that."""
        powers: list[float] = []
        start = time.monotonic()
        end = None if is_done else start + seconds
        while end is None or time.monotonic() < end:
            powers.append(server.power_w())
            if self.is_live:
                print(
                    "\r\033[K" + self.line(name, powers, server.limit_w(), ""), end="", flush=True
                )
            time.sleep(SAMPLE_S)
            if end is None and is_done and is_done():
                end = time.monotonic() + seconds
            if end is None and time.monotonic() > start + 15:
                raise TimeoutError(f"{name}: nothing happened for 15 s")
        took = f", after {end - seconds - start:.1f} s" if is_done and end else ""
        head = "\r\033[K" if self.is_live else ""
        print(head + self.line(name, powers, server.limit_w(), took), flush=True)
        return powers


def settled_w(powers: list[float]) -> float:
    """The mean of the last half second."""
    last = powers[-5:]
    return sum(last) / len(last)


def result_of(status: Path) -> str:
    try:
        report: dict[str, Any] = json.loads(status.read_text())
    except FileNotFoundError:
        return "none"
    return str(report["status"]["controlStatus"]["cpu"]["result"])


def play(options: argparse.Namespace, work: Path) -> dict[str, float]:
    root, spec, status = work / "server", work / "spec.yaml", work / "status.json"
    server = Server(root)
    spec.write_text(
        f"nodeName: server\nprofile: eco\ncpu: {{packagePowerCapWatts: {CAP_W}}}\n",
        encoding="utf-8",
    )
    server.demand(DEMAND_W)
    before_w = server.limit_w()
    screen = Screen(DEMAND_W * len(server.limit_files) * 1.1)
    uncapped = screen.watch("before", server, 2)

    log = open(work / "agent.log", "wb")  # pylint: disable=consider-using-with
    agent = subprocess.Popen(  # pylint: disable=consider-using-with
        [options.bin / "joulie-agent", "--enforce", "--root", root, "--spec", spec]
        + ["--status", status, "--state-dir", work / "state"]
        + ["--watchdog-timeout", f"{WATCHDOG_S}s"],
        stdout=log,
        stderr=log,
    )
    try:
        capped = screen.watch("capped", server, 2.5, lambda: result_of(status) == "applied")
        under_w = server.limit_w()
    finally:
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        log.close()
    screen.watch("kill -9", server, 1.5, lambda: server.limit_w() != under_w)
    return {
        "limitBeforeW": before_w,
        "limitUnderW": under_w,
        "limitAfterW": server.limit_w(),
        "powerBeforeW": round(settled_w(uncapped), 1),
        "powerUnderW": round(settled_w(capped), 1),
    }


def judge(found: dict[str, float]) -> Optional[str]:
    """What is wrong, or None."""
    if found["limitAfterW"] != found["limitBeforeW"]:
        return "the limit was not given back"
    if not found["limitUnderW"] < found["limitBeforeW"]:
        return "there was no cap"
    if found["powerUnderW"] > found["limitUnderW"] * 1.05:
        return "the power did not follow the cap"
    return None


def add_to_summary(file: Path, found: dict[str, float]) -> None:
    summary = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    partial = file.with_name(file.name + ".partial")
    partial.write_text(json.dumps({**summary, "cap": found}) + "\n", encoding="utf-8")
    os.replace(partial, file)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=Path, required=True, help="joulie-agent, joulie-fakehost")
    parser.add_argument("--tree", type=Path, required=True, help="of the server: hosts/intel-2s")
    parser.add_argument("--summary", type=Path, help="JSON file that gets a member cap")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="joulie-demo-"))
    (work / "server").mkdir()
    log = work / "kernel.log"
    with open(log, "wb") as errors:
        kernel = subprocess.Popen(  # pylint: disable=consider-using-with
            [options.bin / "joulie-fakehost", options.tree, work / "server"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        if not kernel.stdout or not kernel.stdout.readline().startswith("ready"):
            raise OSError("the fake kernel does not run")
        print(f"a server of two packages, {CAP_W} W asked for each; power and limit of both:\n")
        found = play(options, work)
    except (OSError, TimeoutError) as error:
        print(f"\ncap.py: {error}", file=sys.stderr)
        for file in (log, work / "agent.log"):
            sys.stderr.write(file.read_text(errors="replace") if file.exists() else "")
        return 1
    finally:
        kernel.terminate()
        kernel.wait()
        shutil.rmtree(work, ignore_errors=True)
    if options.summary:
        add_to_summary(options.summary, found)
    problem = judge(found)
    print(
        f"\nlimit before {found['limitBeforeW']:.0f} W, under the cap {found['limitUnderW']:.0f} W, "
        f"after the crash {found['limitAfterW']:.0f} W: {problem or 'given back'}"
    )
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
