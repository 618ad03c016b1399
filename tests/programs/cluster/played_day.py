#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev demo --cluster: a day of a mixed cluster, on a real Kubernetes control plane.

etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok run on this machine, with the objects of
deploy/kustomize in them. joulie-operator, joulie-scheduler and an agent for each node run under the accounts that those
objects give them. What no kubelet could show, the machines and the work on them, joulie.Simulation plays: agents read
and cap its machines over HTTP, and a job runs where kube-scheduler bound its pod. Its time passes SPEED times as fast as
the wall clock, and stands still while kube-scheduler thinks. Beside it runs the same day without control.
"""

from __future__ import annotations

import argparse
import collections
import http.server
import json
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

ROOT = Path(__file__).resolve().parents[3]
for folder in ("tests/support", "docs/examples/demo", "tests/programs/cluster"):
    sys.path.insert(0, str(ROOT / folder))

from checkout import DEV, use_package  # noqa: E402

use_package()

import joulie  # noqa: E402
from control_plane import ADMIN, FAKE, ControlPlane, binaries, free_ports  # noqa: E402
from deployed import HARDWARE, NODES, PATIENCE_S, TWINS, Deployed, build  # noqa: E402
from live import environment_of  # noqa: E402
from waiting import wait_until  # noqa: E402

INVENTORY = ROOT / "docs" / "examples" / "demo" / "inventory.yaml"
POLICY = ROOT / "docs" / "examples" / "demo" / "policy.json"
WORK = "/api/v1/namespaces/default/pods"
PROFILES = "/apis/joulie.io/v1alpha1/namespaces/default/workloadprofiles"
BIND_S = 5.0  # that kube-scheduler is waited for
TURN_S = 0.05
# A second of the wall is some minutes of the day.
OPERATOR = {"RECONCILE_INTERVAL": "1s", "GPU_CAP_DWELL": "1s", "TWIN_STALENESS_THRESHOLD": "1m"}


class Machines:
    """The machines of a simulation, as their agents see them: telemetry and control over HTTP."""

    def __init__(self, simulation: joulie.Simulation) -> None:
        self.simulation = simulation
        self.lock = threading.Lock()  # a simulation belongs to one thread at a time
        self.controls: collections.Counter[str] = collections.Counter()
        machines = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                node = self.path.split("/")[-1]
                with machines.lock:
                    self.reply(machines.simulation.body("telemetry", node))

            def do_POST(self) -> None:
                node = self.path.split("/")[-1]
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with machines.lock:
                    machines.controls[json.loads(body)["action"]] += 1
                    self.reply(machines.simulation.control(node, body.decode()))

            def reply(self, answer: Any) -> None:
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def objects(self) -> list[joulie.SimObjects]:
        return [self.simulation.objects(index) for index in range(int(self.simulation.view()["nodes"]))]

    def capped(self) -> list[str]:
        """Those with a limit of their GPUs below the highest one, or of their CPUs."""
        found = []
        with self.lock:
            for node, hardware in self.objects():
                name = node["metadata"]["name"]
                body = self.simulation.body("telemetry", name)
                gpu = hardware["status"].get("gpu", {}).get("capRangePerGpu", {})
                gpu_w = body["gpu"].get("capWattsPerGpuTarget", 0)
                if gpu_w < gpu.get("maxWatts", 0) or body["cpu"]["throttlePct"] > 0:
                    found.append(name)
        return found


class Day:
    """The control plane, our programs in it, and the work that comes and goes."""

    def __init__(self, nodes: int, trace: str, policy: dict[str, Any]) -> None:
        self.policy = policy
        self.plane = ControlPlane()
        self.closing: list[Callable[[], None]] = [self.plane.close]
        try:
            self._begin(nodes, trace)
        except BaseException:
            self.close()
            raise

    def _begin(self, nodes: int, trace: str) -> None:
        self.deployed = Deployed(self.plane)
        self.closing.append(self.deployed.close)
        self.admin = self.deployed.admin
        self.closing.append(self.admin.close)
        self.simulation = joulie.Simulation(
            INVENTORY.read_text(encoding="utf-8"),
            trace,
            policy=self.policy,
            nodes=nodes,
            placement="efficiency",
            baseline="kube",
            external=True,
        )
        self.machines = Machines(self.simulation)
        self.closing.append(self.machines.close)
        objects = self.machines.objects()
        self.names = [node["metadata"]["name"] for node, _ in objects]
        for node, hardware in objects:
            self._put_machine(node, hardware)
        self.placed: set[str] = set()  # pods that run in the simulation
        self.profiles: dict[str, dict[str, Any]] = {}

    def _put_machine(self, node: dict[str, Any], hardware: dict[str, Any]) -> None:
        """Its kubelet is kwok; what it is made of an agent on it would say."""
        node["metadata"]["annotations"] = {FAKE: "fake"}
        node["metadata"]["labels"]["kubernetes.io/os"] = "linux"
        self.admin.post(NODES, node)
        self.admin.post(HARDWARE, hardware)
        self.admin.patch(f"{HARDWARE}/{hardware['metadata']['name']}/status", {"status": hardware["status"]})

    def start_programs(self) -> None:
        """Each under its own account, with the telemetry of the machines."""
        telemetry, control = self.machines.url + "/telemetry/{node}", self.machines.url + "/control/{node}"
        (port,) = free_ports(1)
        extender = self.deployed.start("scheduler", EXTENDER_ADDR=f"127.0.0.1:{port}", SCORING_PROFILE="efficiency")
        operator = self.deployed.start(
            "operator",
            **environment_of(self.policy),
            **OPERATOR,
            OPERATOR_NODE_POWER_SOURCE="http",
            OPERATOR_NODE_POWER_HTTP_ENDPOINT=telemetry,
        )
        agents = [
            self.deployed.start(
                "agent",
                *("--agent-mode=daemonset", "--enforce", f"--state-dir={self.plane.folder / ('state-' + name)}"),
                node=name,
                RECONCILE_INTERVAL="1s",
                TELEMETRY_CPU_SOURCE="http",
                TELEMETRY_CPU_HTTP_ENDPOINT=telemetry,
                TELEMETRY_CPU_CONTROL="http",
                TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT=control,
                TELEMETRY_GPU_CONTROL="http",
                TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT=control,
            )
            for name in self.names
        ]
        for daemon in (extender, operator, *agents):
            daemon.wait_ready()
        self.plane.stop("kube-scheduler")
        self.plane.start_scheduler(
            [
                {
                    "urlPrefix": f"http://127.0.0.1:{port}",
                    "filterVerb": "filter",
                    "prioritizeVerb": "prioritize",
                    "weight": 5,
                    "nodeCacheCapable": True,
                    "ignorable": True,
                    "httpTimeout": "5s",
                }
            ]
        )
        wait_until(
            "every node has a twin", lambda: len(self.admin.items(TWINS)) == len(self.names), PATIENCE_S
        )

    # ---- work ----

    def play(self, speed: float, show: Callable[[dict[str, Any]], None]) -> None:
        """To the end of the last job."""
        until_s, last = 0.0, time.monotonic()
        while True:
            with self.machines.lock:
                view = self.simulation.view()
                view["without_w"] = self.simulation.outcome(uncontrolled=True)["power_w"]
            show(view)
            if view["is_finished"]:
                return
            for daemon in self.deployed.daemons.values():
                daemon.check()
            time.sleep(TURN_S)
            now = time.monotonic()
            until_s += min(now - last, 4 * TURN_S) * speed
            last = now
            self._play_until(until_s)

    def _play_until(self, until_s: float) -> None:
        while True:
            with self.machines.lock:
                event = self.simulation.next_event(until_s)
            if event is None:
                return
            if event.kind == joulie.SimEventKind.PLACE:
                node = None if event.is_sample else self._node_of(event.name, event.candidates)
                passed = [event.is_sample or node == candidate for candidate in event.candidates]
                with self.machines.lock:
                    self.simulation.answer(passed)
            elif event.kind == joulie.SimEventKind.POD:
                self._follow(event)

    def _follow(self, event: joulie.SimEvent) -> None:
        if event.is_removed:
            self.admin.ask("DELETE", f"{WORK}/{event.name}", {"gracePeriodSeconds": 0})
            self.placed.discard(event.name)
            self.admin.send("DELETE", f"{PROFILES}/{event.name}")
        elif event.is_first:
            self.admin.post(WORK, whole_pod(json.loads(event.text)))
        elif event.node:
            self.placed.add(event.name)
        if event.profile:
            self._put_profile(event.name, json.loads(event.profile))

    def _put_profile(self, name: str, profile: dict[str, Any]) -> None:
        """As a classifier would that errs in nothing: it is the simulation's."""
        if self.profiles.get(name) == profile:
            return
        if name not in self.profiles:
            self.admin.post(PROFILES, {**profile, "metadata": {"name": name}})
        status = {**profile["status"], "lastUpdated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        self.admin.patch(f"{PROFILES}/{name}/status", {"status": status})
        self.profiles[name] = profile

    def _node_of(self, name: str, candidates: tuple[str, ...]) -> Optional[str]:
        """Where kube-scheduler bound it. None = it has no room for it: others wait there for their turn here."""
        end = time.monotonic() + BIND_S
        while True:
            pods = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in self.admin.items(WORK)}
            if pods[name] or time.monotonic() >= end:
                return pods[name]
            if set(candidates) <= {node for pod, node in pods.items() if pod not in self.placed}:
                return None
            time.sleep(0.02)

    # ---- the end ----

    def uninstall(self) -> str:
        """What `joulie uninstall` says, with this module as the kubelet that ends the programs of pods."""
        kubeconfig = self.plane.kubeconfig(ADMIN, {"token": self.plane.tokens[ADMIN]})
        command = [str(DEV / "bin" / "joulie"), "uninstall", "--kubeconfig", str(kubeconfig), "--yes"]
        self.deployed.become_kubelet()
        with (self.plane.folder / "uninstall.log").open("w+") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)

            def is_done() -> bool:
                self.deployed.end_pods()
                return process.poll() is not None

            try:
                wait_until("it is uninstalled", is_done, PATIENCE_S)
            finally:
                process.kill()
                process.wait()
            out.seek(0)
            text = out.read()
        if process.returncode != 0:
            raise AssertionError(f"joulie uninstall: {process.returncode}\n{text}")
        return text

    def calls(self) -> tuple[collections.Counter[str], collections.Counter[str]]:
        """Requests of our accounts, and those that were refused, as the audit log has them."""
        found: collections.Counter[str] = collections.Counter()
        refused: collections.Counter[str] = collections.Counter()
        for line in self.plane.audit_lines():
            account = line["user"]["username"].rsplit(":", 1)[-1]
            found[account] += 1
            if line["responseStatus"]["code"] in (401, 403):
                refused[f"{account} {line['verb']} {line['requestURI']}"] += 1
        return found, refused

    def close(self) -> None:
        for end in reversed(self.closing):
            end()
        self.closing.clear()


def whole_pod(pod: dict[str, Any]) -> dict[str, Any]:
    """As a real API server takes it: what is asked of a device is also its limit."""
    for container in pod["spec"]["containers"]:
        container.setdefault("image", "none")
        resources = container.setdefault("resources", {})
        devices = {key: value for key, value in resources.get("requests", {}).items() if "/" in key}
        if devices:
            resources["limits"] = {**resources.get("limits", {}), **devices}
    meta = pod["metadata"]
    kept = {key: meta[key] for key in ("name", "labels", "annotations") if key in meta}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": kept, "spec": pod["spec"]}


# ---- for a person ----


def show_hours(say: Callable[[str], None]) -> Callable[[dict[str, Any]], None]:
    hour = 0

    def show(view: dict[str, Any]) -> None:
        nonlocal hour
        if view["time_s"] // 3600 <= hour:
            return
        hour = int(view["time_s"] // 3600)
        say(
            f"hour {hour:2d}  {(view['cpu_power_w'] + view['gpu_power_w']) / 1000:6.1f} kW  without control {view['without_w'] / 1000:6.1f} kW"
            f"  {view['queued']:3d} waiting {view['running']:3d} running {view['completed']:4d} done"
        )

    return show


def workload(nodes: int, hours: float, seed: int) -> str:
    return joulie.generate_workload(
        "diurnal",
        hours=hours,
        seed=seed,
        peak_rate_per_min=0.55 * nodes / 41,
        gpu_ratio=0.5,
        max_duration_s=7200,
        base_speed=1,
        burst_min=2,
        burst_max=6,
        training_perf_ratio=0.3,
    )


@dataclass
class Played:
    """What a day came to."""

    summary: dict[str, Any]
    requests: collections.Counter[str]  # of our accounts, by account
    refused: collections.Counter[str]
    controls: int  # limits that agents wrote
    capped: list[str]  # machines with a limit at the end of the day
    still_capped: list[str]  # and when all was uninstalled
    uninstalled: str
    folder: Path


def run(
    nodes: int, hours: float, seed: int, speed: float, policy: dict[str, Any], say: Callable[[str], None]
) -> Played:
    began = time.monotonic()

    def passed() -> str:
        return f"{time.monotonic() - began:.0f} s"

    binaries(build.program("controlplane"))
    versions = f"Kubernetes {build.VERSIONS['controlplane']} and kwok {build.VERSIONS['kwok']}"
    say(f"{versions}: built {passed()}")
    day = Day(nodes, workload(nodes, hours, seed), policy)
    try:
        day.start_programs()
        count = len(day.names)
        say(f"{count} nodes, operator, extender and {count} agents run under their accounts: {passed()}")
        day.play(speed, show_hours(say))
        with day.machines.lock:
            summary = day.simulation.summary()
        requests, refused = day.calls()
        capped = day.machines.capped()
        uninstalled = day.uninstall()
        say(f"played and uninstalled: {passed()}")
        return Played(
            summary=summary,
            requests=requests,
            refused=refused,
            controls=sum(day.machines.controls.values()),
            capped=capped,
            still_capped=day.machines.capped(),
            uninstalled=uninstalled,
            folder=day.plane.folder,
        )
    finally:
        day.close()


def show_end(played: Played, say: Callable[[str], None]) -> None:
    summary = played.summary
    pods = summary["podsCompleted"]
    say("")
    say(f"{'at equal work':<28}{'with control':>14}{'without':>14}")
    for title, values, scale in (
        ("pods that are done", pods, 1),
        ("IT energy, kWh", summary["itEnergyKwh"], 1),
        ("the last one ends, h", summary["makespanS"], 1 / 3600),
        ("mean wait, s", summary["meanWaitS"], 1),
    ):
        with_w, without_w = (values[run] * scale for run in ("controlled", "uncontrolled"))
        say(f"{title:<28}{with_w:>14.5g}{without_w:>14.5g}")
    if "savedPct" in summary:
        say(f"{'saved, %':<28}{summary['savedPct']:>14.3g}")
    say("")
    of_each = ", ".join(f"{who} {count}" for who, count in sorted(played.requests.items()))
    say(f"requests to the API server: {of_each}; refused: {sum(played.refused.values())}")
    say(f"limits that agents wrote: {played.controls}; machines with one at the end: {len(played.capped)}")
    say("")
    say("$ joulie uninstall --yes")
    say(played.uninstalled.rstrip())
    say(f"machines that still have a limit: {len(played.still_capped)}")


def end_by_signal(number: int, frame: object) -> None:
    sys.exit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=12)
    parser.add_argument("--hours", type=float, default=22)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=float, default=600, help="virtual seconds per second")
    parser.add_argument("--json", type=Path, help="where the summary goes")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, end_by_signal)

    def say(line: str) -> None:
        print(line, flush=True)

    try:
        policy = json.loads(POLICY.read_text(encoding="utf-8"))
        played = run(options.nodes, options.hours, options.seed, options.speed, policy, say)
    except build.Missing as reason:
        print(f"demo: {reason}: it builds Kubernetes and kwok, once", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    show_end(played, say)
    if options.json:
        options.json.write_text(json.dumps(played.summary), encoding="utf-8")
    is_equal = len(set(map(json.dumps, played.summary["workUnitsDone"].values()))) == 1
    return 0 if is_equal and not played.still_capped else 1


if __name__ == "__main__":
    sys.exit(main())
