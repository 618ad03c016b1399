#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a large cluster costs: the operator and the extender over a real control plane with nodes and running pods that
kwok plays. Minutes, and several GiB with 5,000 nodes; progress is printed.

    bench_cluster.py --build BUILD [--nodes 5000] [--pods 20000] [--qps 50] [--idle SECONDS] [--json]

All nodes become performance first, then another operator, which wants all of them eco, takes over, and then one that
wants them performance again. Watches of NodeTwins and Nodes have every state that a scheduler can meet, in the order of
their resource versions: is there one in which a cap is tight already while class or label still says performance?
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support")]

CREATORS = 4  # connections that create objects
SAMPLE_S = 1.0
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


class State(NamedTuple):
    """What there is to see of a node."""

    is_tight: bool = False  # its cap
    class_: str = ""
    label: str = ""

    def is_wrong(self) -> bool:
        return self.is_tight and "performance" in (self.class_, self.label)


class Event(NamedTuple):
    version: int  # of the whole server: Nodes and NodeTwins have one count
    at_s: float
    name: str
    change: dict[str, Any]  # of its State


def change_of(thing: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    from deployed import PROFILE

    spec = thing["spec"]
    if thing["kind"] == "Node":
        return thing["metadata"]["name"], {"label": thing["metadata"]["labels"].get(PROFILE, "")}
    is_tight = spec.get("cpu", {}).get("packagePowerCapPctOfMax", 100) < 100
    return spec["nodeName"], {"is_tight": is_tight, "class_": thing.get("status", {}).get("schedulableClass", "")}


class Follower:
    """Lists both kinds and watches them; what has come stands in events."""

    def __init__(self, plane: Any) -> None:
        from deployed import NODES, TWINS

        self.events: list[Event] = []
        self.current: dict[str, State] = {}
        self.lock = threading.Lock()
        self.failure = ""
        for path in (NODES, TWINS):  # until the server ends
            threading.Thread(target=self.follow, args=(plane.client("admin"), path), daemon=True).start()

    def follow(self, client: Any, path: str) -> None:
        try:
            listed = client.get(path)
            version = listed["metadata"]["resourceVersion"]
            for thing in listed["items"]:
                self.take({"kind": listed["kind"].removesuffix("List"), **thing})
            while True:  # a server ends a watch that takes its events slowly
                with contextlib.suppress(IncompleteRead):
                    for event in client.watch(f"{path}?resourceVersion={version}"):
                        if event["type"] not in ("ADDED", "MODIFIED"):
                            raise AssertionError(f"{path}: {event}")
                        self.take(event["object"])
                        version = event["object"]["metadata"]["resourceVersion"]
        except (OSError, AssertionError, ValueError) as problem:
            self.failure = repr(problem)

    def take(self, thing: dict[str, Any]) -> None:
        name, change = change_of(thing)
        event = Event(int(thing["metadata"]["resourceVersion"]), time.monotonic(), name, change)
        with self.lock:
            self.events.append(event)
            self.current[name] = self.current.get(name, State())._replace(**change)

    def states(self) -> dict[str, State]:
        """As of what has come so far."""
        if self.failure:
            raise AssertionError(self.failure)
        with self.lock:
            return dict(self.current)

    def wrong(self) -> dict[str, float]:
        """Nodes that could be met tight while they were called performance, and for how long, in seconds."""
        states: dict[str, State] = {}
        since: dict[str, float] = {}
        longest: dict[str, float] = {}
        for event in sorted(self.events):
            states[event.name] = states.get(event.name, State())._replace(**event.change)
            if states[event.name].is_wrong():
                since.setdefault(event.name, event.at_s)
                longest.setdefault(event.name, 0.0)
            elif event.name in since:
                longest[event.name] = max(longest[event.name], event.at_s - since.pop(event.name))
        if since:
            raise AssertionError(f"tight while called performance at the end: {sorted(since)[:5]}")
        return longest


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

    def is_all(self, wanted: str, states: dict[str, State]) -> bool:
        goal = State(wanted == "eco", wanted, wanted)
        return len(states) == self.options.nodes and all(state == goal for state in states.values())

    def first_sync(self, pods: list[dict[str, Any]]) -> Any:
        began_s = time.monotonic()
        operator = self.start_operator("performance", "performance", pods[0])
        self.wait("the operator is ready", operator.is_ready)
        self.put("operator: caches full after, s", time.monotonic() - began_s)
        ready = Cost(operator)
        self.put("operator: calls until then", ready.calls)
        self.put("operator: processor until then, s", ready.cpu_s)

        self.wait_until_all("performance", began_s)
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

    def wait_until_all(self, wanted: str, began_s: float) -> int:
        """The most nodes that were seen at once between two states, of a look every second."""
        most = 0
        due_s = began_s + PROGRESS_S
        while True:
            states = self.follower.states()
            if self.is_all(wanted, states):
                return most
            settled = [State(word == "eco", word, word) for word in ALL]
            most = max(most, sum(state not in settled for state in states.values()))
            now_s = time.monotonic()
            if now_s > began_s + PATIENCE_S:
                raise AssertionError(f"not all are {wanted}")
            if now_s >= due_s:
                done = sum(state.class_ == wanted for state in states.values())
                say(f"… {done} of {self.options.nodes} are {wanted}, {now_s - began_s:.0f} s")
                due_s = now_s + PROGRESS_S
            time.sleep(SAMPLE_S)

    def change(self, before: str, after: str, daemon: Any, pod: dict[str, Any]) -> Any:
        """Another one takes over, which wants the other class everywhere."""
        operator = self.start_operator(f"{after}-again", after, pod)
        self.wait("the next operator is ready", operator.is_ready)
        ready = Cost(operator)
        began_s = time.monotonic()
        self.deployed.stop(daemon.name)
        most = self.wait_until_all(after, began_s)
        took_s = time.monotonic() - began_s
        cost = Cost(operator)
        wrong = self.follower.wrong()
        self.put(f"{before} to {after}: s", took_s)
        self.put(f"{before} to {after}: calls", cost.calls - ready.calls)
        self.put(f"{before} to {after}: processor, s", cost.cpu_s - ready.cpu_s)
        self.put(f"{before} to {after}: nodes at once, between the two", most)
        if wrong:
            worst = max(wrong, key=lambda name: wrong[name])
            raise AssertionError(f"{len(wrong)} nodes tight but called performance, {worst} {wrong[worst]:.2f} s long")
        self.put(f"{before} to {after}: nodes that were ever tight but called performance", 0)
        self.put(f"{before} to {after}: memory at most, MiB", cost.most_mib)
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
        self.follower = Follower(self.deployed.plane)
        operator = self.first_sync(pods)
        self.extender()
        operator = self.change("performance", "eco", operator, pods[1])
        self.change("eco", "performance", operator, pods[0])


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
