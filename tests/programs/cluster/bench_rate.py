#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the extender costs a real kube-scheduler: pods bound a second without it and with it, in turns on one cluster,
and the CPU time that each process spends on a pod.

    bench_rate.py --build BUILD [--nodes 500] [--pods 2000] [--rounds 3] [--full-nodes]

Each round binds all pods twice; kwok stands still meanwhile, because kubelets have machines of their own.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support"), str(HERE.parent / "scheduler")]

WORK = "/api/v1/namespaces/default/pods"
CLASS = "joulie.io/workload-class"
POLL_S = 0.1
NAME = {False: "without", True: "with"}


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        from control_plane import ControlPlane, create_all, fake_node, free_ports
        from deployed import NODES, Deployed

        self.options = options
        self.plane = ControlPlane()
        try:
            self.deployed = Deployed(self.plane)
            self.admin = self.deployed.admin
            create_all(self.admin, NODES, [fake_node(f"n-{n:03d}") for n in range(options.nodes)])
            (port,) = free_ports(1)
            self.address = f"127.0.0.1:{port}"
            settings = {"RECONCILE_INTERVAL": "10s", "POLICY_TYPE": "static_partition", "STATIC_HP_FRAC": "0.33"}
            self.deployed.start("operator", **settings).wait_ready()
            self.extender = self.deployed.start("scheduler", EXTENDER_ADDR=self.address)
            self.extender.wait_ready()
            self.wait(self.is_decided)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if hasattr(self, "deployed"):
            self.deployed.close()
        self.plane.close()

    def wait(self, condition: Any) -> None:
        from waiting import wait_until

        wait_until("the cluster is as it should be", condition, 600)

    def is_decided(self) -> bool:
        from deployed import TWINS

        classes = [one.get("status", {}).get("schedulableClass") for one in self.admin.items(TWINS)]
        return len(classes) == self.options.nodes and set(classes) == {"eco", "performance"}

    def has(self, selector: str) -> bool:
        """Cheap: the measurement shares its machine with what it measures."""
        return bool(self.admin.get(f"{WORK}?limit=1&fieldSelector={selector}")["items"])

    def processes(self) -> dict[str, float]:
        from stage import cpu_s

        running = {**self.plane.running, **self.deployed.daemons}
        return {name: cpu_s(one.process.pid) for name, one in running.items()}

    def inside_s(self) -> dict[str, float]:
        """Wall time inside the extender, from the first byte of a request to its answer."""
        return {
            f"wall inside {verb}": self.extender.metric(f"joulie_scheduler_{verb}_duration_seconds_sum")
            for verb in ("filter", "prioritize")
        }

    def extenders(self) -> list[dict[str, Any]]:
        return [
            {
                "urlPrefix": f"http://{self.address}",
                "filterVerb": "filter",
                "prioritizeVerb": "prioritize",
                "weight": 1,
                "nodeCacheCapable": self.options.names,
                "ignorable": False,
                "httpTimeout": "30s",
            }
        ]

    def round(self, is_with: bool) -> dict[str, float]:
        from control_plane import create_all, plain_pod

        pods = [
            plain_pod(f"p-{n}", {CLASS: "performance"} if n % 10 < 3 else {}) for n in range(self.options.pods)
        ]
        self.plane.stop("kube-scheduler", signal.SIGKILL)
        create_all(self.admin, WORK, pods)
        kwok = self.plane.running["kwok"].process
        kwok.send_signal(signal.SIGSTOP)  # kubelets have machines of their own
        self.plane.start_scheduler(self.extenders() if is_with else [])
        self.poll("spec.nodeName!=", True)
        then = self.inside_s()
        start, before = time.monotonic(), self.processes()
        self.poll("spec.nodeName=", False)
        took_s, after = time.monotonic() - start, self.processes()
        now = self.inside_s()
        kwok.send_signal(signal.SIGCONT)
        out = {name: (after[name] - before[name]) * 1000 / self.options.pods for name in before}
        out["all"] = sum(out.values())
        if is_with:
            out.update({name: (now[name] - then[name]) * 1000 / self.options.pods for name in then})
        out["pods/s"] = self.options.pods / took_s
        self.remove_pods()
        return out

    def remove_pods(self) -> None:
        """In parts: a server that is busy cuts what takes a minute."""
        while self.has("metadata.name!=none"):
            self.admin.ask("DELETE", f"{WORK}?limit=100", {"gracePeriodSeconds": 0})

    def poll(self, selector: str, is_there: bool) -> None:
        end = time.monotonic() + 900
        while self.has(selector) != is_there:
            if time.monotonic() > end:
                raise SystemExit(f"pods are not scheduled: {self.extender.tail()}")
            time.sleep(POLL_S)


def median(rounds: list[dict[str, float]], name: str) -> float:
    return statistics.median(one[name] for one in rounds)


def run(options: argparse.Namespace) -> int:
    bench = Bench(options)
    results: dict[bool, list[dict[str, float]]] = {False: [], True: []}
    try:
        for _ in range(options.rounds):
            for is_with in (False, True):
                results[is_with].append(bench.round(is_with))
                print(f"{NAME[is_with]}: {results[is_with][-1]['pods/s']:.1f} pods/s", flush=True)
    finally:
        bench.close()
    print(f"\n{'CPU ms a pod':24}{'without':>10}{'with':>10}")
    for name in results[True][0]:
        without = f"{median(results[False], name):.2f}" if name in results[False][0] else "-"
        print(f"{name:24}{without:>10}{median(results[True], name):10.2f}")
    ratio = statistics.median(w["pods/s"] / o["pods/s"] for w, o in zip(results[True], results[False]))
    print(f"\nrate with the extender: {100 * ratio:.0f} % of that without, {options.nodes} nodes, {options.pods} pods")
    return 0


def main(words: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--full-nodes", dest="names", action="store_false", help="nodeCacheCapable: false")
    options = parser.parse_args(words)
    build = str(Path(options.build).resolve())
    os.environ.update(JOULIE_DEV_BUILD=build, JOULIE_RELEASE_BUILD=build)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
