#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a large cluster costs: the operator and the extender over a real control plane with nodes and running pods that
kwok plays. Minutes, and several GiB with 5,000 nodes; progress is printed.

    bench_cluster.py --build BUILD [--nodes 5000] [--pods 20000] [--qps 50] [--idle SECONDS] [--json]

All nodes become performance first, then another operator, which wants all of them eco, takes over, and then one that
wants them performance again. Meanwhile every second: is there a node whose cap is tight already while its class or its
label still says performance? It may be seen so once, between two requests about that node, and not twice in a row.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support")]

CREATORS = 4  # connections that create objects
SAMPLE_S = 1.0
MOST_IN_A_ROW = 1  # samples: one may fall between two requests about a node
PROGRESS_S = 15.0
PATIENCE_S = 3600.0
NODE_LEASE_S = 2000  # 5,000 nodes renew ten a second instead of a hundred
TICKS_S = os.sysconf("SC_CLK_TCK")
POLICY = {"POLICY_TYPE": "static_partition", "RECONCILE_INTERVAL": "10s", "CPU_ECO_CAP_PCT_OF_MAX": "60"}
ALL = {"performance": "1", "eco": "0"}


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Cost:
    """Of a process, since it began."""

    def __init__(self, daemon: Any) -> None:
        fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        status = Path(f"/proc/{daemon.process.pid}/status").read_text()
        self.cpu_s = (int(fields[11]) + int(fields[12])) / TICKS_S
        self.most_mib = int(status.split("VmHWM:")[1].split()[0]) / 1024
        self.calls = daemon.metric("joulie_kube_requests_total")


class Bench:
    def __init__(self, deployed: Any, options: argparse.Namespace) -> None:
        self.deployed = deployed
        self.options = options
        self.figures: dict[str, Any] = {}

    def put(self, name: str, value: Any) -> None:
        self.figures[name] = round(value, 2) if isinstance(value, float) else value
        say(f"{name}: {self.figures[name]}")

    def wait(self, what: str, is_there: Callable[[], bool], count: Optional[Callable[[], str]] = None) -> float:
        """Seconds until it is so, with a line now and then."""
        began_s = time.monotonic()
        due_s = began_s + PROGRESS_S
        while not is_there():
            now_s = time.monotonic()
            if now_s > began_s + PATIENCE_S:
                raise AssertionError(f"not within {PATIENCE_S:.0f} s: {what}")
            if now_s >= due_s:
                say(f"… {what}{': ' + count() if count else ''}, {now_s - began_s:.0f} s")
                due_s = now_s + PROGRESS_S
            time.sleep(0.5)
        return time.monotonic() - began_s

    # ---- the cluster ----

    def create(self, path: str, objects: Iterator[dict[str, Any]]) -> float:
        began_s = time.monotonic()
        lock = threading.Lock()
        counted = Counter[str]()

        def run() -> None:
            client = self.deployed.plane.client("admin")
            while True:
                with lock:
                    one = next(objects, None)
                    counted["all"] += 1
                    if counted["all"] % 2000 == 0:
                        say(f"… {counted['all']} of {path}")
                if one is None:
                    client.close()
                    return
                client.post(path, one)

        with ThreadPoolExecutor(CREATORS) as pool:
            for future in [pool.submit(run) for _ in range(CREATORS)]:
                future.result()
        return time.monotonic() - began_s

    def fill(self) -> None:
        from control_plane import fake_node, plain_pod

        nodes = [f"n-{number:05d}" for number in range(self.options.nodes)]
        self.put("nodes: created, s", self.create("/api/v1/nodes", iter([fake_node(name) for name in nodes])))
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        self.wait("pods may be made", lambda: self.deployed.admin.find(account) is not None)
        pods = "/api/v1/namespaces/default/pods"
        bound = (
            plain_pod(f"p-{number:05d}", spec={"nodeName": nodes[number % len(nodes)]})
            for number in range(self.options.pods)
        )
        self.put("pods: created on nodes, s", self.create(pods, bound))

        def run() -> bool:
            return not self.deployed.admin.items(f"{pods}?fieldSelector=status.phase%21%3DRunning&limit=1")

        self.put("pods: running after, s", self.wait("all pods run", run))

    # ---- the operator ----

    def start_operator(self, label: str, wanted: str, pod: dict[str, Any]) -> Any:
        return self.deployed.start(
            "operator",
            label=label,
            pod=pod,
            program=self.options.build / "bin" / "joulie-operator",
            STATIC_HP_FRAC=ALL[wanted],
            KUBE_CLIENT_QPS=str(self.options.qps),
            KUBE_CLIENT_BURST=str(max(2 * self.options.qps, 1)),
            **POLICY,
        )

    def states(self, is_nodes_first: bool) -> dict[str, tuple[bool, str, str]]:
        """Of each twin: whether its cap is tight, its class, its node's label.

        Of two lists the later one has what was written first, so that no request between them looks like a fault.
        """
        from deployed import NODES, PROFILE, TWINS

        def labels() -> dict[str, str]:
            nodes = self.deployed.admin.items(f"{NODES}?resourceVersion=0")
            return {one["metadata"]["name"]: one["metadata"]["labels"].get(PROFILE, "") for one in nodes}

        found = labels() if is_nodes_first else {}
        twins = self.deployed.admin.items(f"{TWINS}?resourceVersion=0")
        found = found or labels()
        return {
            one["spec"]["nodeName"]: (
                one["spec"].get("cpu", {}).get("packagePowerCapPctOfMax", 100) < 100,
                one.get("status", {}).get("schedulableClass", ""),
                found.get(one["spec"]["nodeName"], ""),
            )
            for one in twins
        }

    def is_all(self, wanted: str, states: dict[str, tuple[bool, str, str]]) -> bool:
        goal = (wanted == "eco", wanted, wanted)
        return len(states) == self.options.nodes and all(state == goal for state in states.values())

    def first_sync(self, pods: list[dict[str, Any]]) -> Any:
        began_s = time.monotonic()
        operator = self.start_operator("performance", "performance", pods[0])
        self.wait("the operator is ready", operator.is_ready)
        self.put("operator: caches full after, s", time.monotonic() - began_s)
        ready = Cost(operator)
        self.put("operator: calls until then", ready.calls)
        self.put("operator: processor until then, s", ready.cpu_s)

        def done() -> bool:
            return self.is_all("performance", self.states(True))

        self.wait("every node has twin, status and label", done, lambda: f"{len(self.states(True))} twins")
        self.put("operator: all written after, s", time.monotonic() - began_s)
        whole = Cost(operator)
        self.put("operator: calls until then (all)", whole.calls)
        self.put("operator: processor until then (all), s", whole.cpu_s)
        time.sleep(self.options.idle)
        idle = Cost(operator)
        self.put(f"operator: calls in {self.options.idle} s without a change", idle.calls - whole.calls)
        self.put(f"operator: processor in {self.options.idle} s without a change, s", idle.cpu_s - whole.cpu_s)
        self.put("operator: memory at most, MiB", idle.most_mib)
        return operator

    def change(self, before: str, after: str, daemon: Any, pod: dict[str, Any]) -> Any:
        """Another one takes over, which wants the other class everywhere."""
        label = f"{after}-again"
        operator = self.start_operator(label, after, pod)
        self.wait("the next operator is ready", operator.is_ready)
        self.deployed.stop(daemon.name)
        began, samples, worst, between, in_a_row, longest = time.monotonic(), 0, 0, 0, Counter[str](), 0
        ends = {(wanted == "eco", wanted, wanted) for wanted in (before, after)}
        due_s = began + PROGRESS_S
        while True:
            sampled_s = time.monotonic()
            states = self.states(is_nodes_first=after == "performance")
            seen = {
                name
                for name, (is_tight, its_class, label_of) in states.items()
                if is_tight and "performance" in (its_class, label_of)
            }
            in_a_row = Counter({name: in_a_row[name] + 1 for name in seen})
            longest = max([longest, *in_a_row.values()])
            worst, samples = max(worst, len(seen)), samples + 1
            between = max(between, sum(state not in ends for state in states.values()))
            if longest > MOST_IN_A_ROW:
                raise AssertionError(f"tight while called performance, {longest} samples long: {sorted(seen)[:5]}")
            if self.is_all(after, states):
                break
            if sampled_s >= due_s:
                done = sum(state[1] == after for state in states.values())
                say(f"… {done} of {len(states)} are {after}, {sampled_s - began:.0f} s")
                due_s = sampled_s + PROGRESS_S
            if sampled_s > began + PATIENCE_S:
                raise AssertionError(f"not all are {after}")
            time.sleep(max(0.0, SAMPLE_S - (time.monotonic() - sampled_s)))
        took_s = time.monotonic() - began
        self.put(f"{before} to {after}: s", took_s)
        self.put(f"{before} to {after}: samples, one every s", took_s / samples)
        self.put(f"{before} to {after}: nodes at once, between the two", between)
        self.put(f"{before} to {after}: nodes at once, tight but called performance", worst)
        self.put(f"{before} to {after}: samples in a row that saw the same one so", longest)
        self.put(f"{before} to {after}: calls", Cost(operator).calls)
        return operator

    def extender(self) -> None:
        began_s = time.monotonic()
        extender = self.deployed.start("scheduler", program=self.options.build / "bin" / "joulie-scheduler")
        self.wait("the extender is ready", extender.is_ready)
        self.put("extender: ready after, s", time.monotonic() - began_s)
        cost = Cost(extender)
        self.put("extender: calls until then", cost.calls)
        self.put("extender: processor until then, s", cost.cpu_s)
        self.put("extender: memory at most, MiB", cost.most_mib)

    def run(self) -> None:
        self.fill()
        pods = self.deployed.operator_pods()
        operator = self.first_sync(pods)
        self.extender()
        operator = self.change("performance", "eco", operator, pods[1])
        operator = self.change("eco", "performance", operator, pods[0])
        self.put("operators: memory at most, MiB", Cost(operator).most_mib)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=20000)
    parser.add_argument("--qps", type=int, default=50)
    parser.add_argument("--idle", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.build = options.build.resolve()
    os.environ["JOULIE_RELEASE_BUILD"] = os.environ["JOULIE_DEV_BUILD"] = str(options.build)
    from control_plane import ControlPlane
    from deployed import Deployed

    plane = ControlPlane(lease_s=NODE_LEASE_S)
    try:
        deployed = Deployed(plane)
        deployed.leave_out_agents()
        bench = Bench(deployed, options)
        try:
            bench.run()
        finally:
            deployed.close()
    finally:
        plane.close()
    if options.json:
        for name, value in bench.figures.items():
            print(json.dumps({"name": f"cluster.{options.nodes}: {name}", "value": value}))
    else:
        width = max(map(len, bench.figures))
        for name, value in bench.figures.items():
            print(f"{name:{width}}  {value:>10}")


if __name__ == "__main__":
    main()
