#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the daemons cost: CPU and private memory of operator, scheduler and agent.

    daemons.py --build BUILD [--json]

joulie-simulator holds the machines, the jobs, the API and the clock. This program is a participant
of that clock, the last one of each minute: while it has not asked again time stands still, so that
CPU is read between whole steps. In a steady state the load of 1 % of the nodes changes per minute.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterator, Optional
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "nets" / "cost"))

import cost  # noqa: E402

DEMO = ROOT / "docs" / "examples" / "demo"
START_MS = 1767225600000  # 2026-01-01T00:00:00Z, the beginning of virtual time
MINUTE_MS = 60000
LAST = 90  # order on the clock: after operator, scheduler and agents
WAIT_S = 600  # a busy machine is slow, and no fault
POLL_S = 0.02
REST_MINUTES = 6  # first writes, and what comes back of them
STEPS = "joulie_operator_steps_total"
WRITES = "joulie_operator_actions_total"
POOL_STEPS = 3  # of a node in a minute
FAST = {"KUBE_CLIENT_QPS": "100000", "KUBE_CLIENT_BURST": "100000"}


@dataclass
class Row:
    """Of one process; a step is a reconcile interval of virtual time, or a tick of the machine."""

    name: str
    nodes: int
    pods: int
    cpu_ms_per_step: Optional[float]
    user_ms_per_step: Optional[float]
    system_ms_per_step: Optional[float]
    worst_step_ms: Optional[float]
    writes_per_step: Optional[float]
    steps: int
    private_kib: int


# --- processes ------------------------------------------------------------------------------------


class Processes:
    """Those that were started here, and only those, end here."""

    def __init__(self, build: Path, folder: Path) -> None:
        self.build = build
        self.folder = folder
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, name: str, words: list[str], **variables: str) -> subprocess.Popen[bytes]:
        environment = {"PATH": os.environ.get("PATH", ""), **variables}
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [str(self.build / "bin" / name), *words],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.started.append(process)
        return process

    def end(self) -> None:
        """The last one first: an agent gives its caps back while the endpoints are there."""
        while self.started:
            process = self.started.pop()
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def ask(port: int, path: str, body: Optional[Any] = None) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    try:
        text = None if body is None else json.dumps(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection.request("GET" if body is None else "POST", path, text, headers)
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {content[:200]!r}")
    return content


def wait_for(port: int, path: str, process: subprocess.Popen[bytes]) -> None:
    limit = time.monotonic() + WAIT_S
    while process.poll() is None and time.monotonic() < limit:
        try:
            ask(port, path)
            return
        except (OSError, RuntimeError, http.client.HTTPException):
            time.sleep(POLL_S)
    raise RuntimeError(f"{process.args!r} does not answer")


def user_system_s(pid: int) -> tuple[float, float]:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


# --- the simulated world --------------------------------------------------------------------------


def jobs(pods: int, changing: int, minutes: int) -> Iterator[dict[str, Any]]:
    """Pods that stay, and every other minute so many big ones, which end in the next one.

    Each finds a node of its own, the one with the most room.
    """

    def job(name: str, at_s: float, cores: int, for_s: float) -> dict[str, Any]:
        return {
            "type": "job",
            "schemaVersion": "v2",
            "jobId": name,
            "submitTimeOffsetSec": at_s,
            "namespace": "default",
            "podTemplate": {"requests": {"cpu": str(cores), "memory": "8Gi"}},
            "work": {"cpuUnits": cores * for_s, "gpuUnits": 0},
            "sensitivity": {"cpu": 1, "gpu": 1},
            "workloadClass": {"cpu": "cpu.compute_bound"},
            "workloadProfile": {
                "cpuUtilization": 0.8,
                "memoryIntensity": 0.3,
                "ioIntensity": 0.05,
            },
        }

    for i in range(pods):
        yield job(f"stays-{i}", 1, 4 + i % 13, 86400)
    for minute in range(1, minutes, 2):
        for i in range(changing):
            yield job(f"comes-{minute}-{i}", 60 * minute - 30, 64, 60)


@dataclass
class Daemon:
    process: subprocess.Popen[bytes]
    port: int  # of its metrics

    @property
    def pid(self) -> int:
        return self.process.pid

    def total(self, metric: str) -> float:
        """Of all series of the metric."""
        text = ask(self.port, "/metrics").decode()
        found = re.findall(rf"(?m)^{metric}(?:{{[^\n]*}})? (\S+)$", text)
        return sum(float(value) for value in found)


class World:
    """joulie-simulator with so many nodes and pods, and our place on its clock."""

    def __init__(
        self, processes: Processes, nodes: int, pods: int, participants: list[str], minutes: int
    ) -> None:
        trace = processes.folder / f"trace-{nodes}-{pods}.jsonl"
        with trace.open("w", encoding="utf-8") as out:
            for job in jobs(pods, max(nodes // 100, 1), minutes):
                out.write(json.dumps(job, separators=(",", ":")) + "\n")
        self.port, api = free_ports(2)
        self.now = ""
        self.processes = processes
        words = ["--inventory", str(DEMO / "inventory.yaml"), "--nodes", str(nodes)]
        words += ["--trace", str(trace), "--hours", "2"]
        words += ["--sim-addr", f"127.0.0.1:{self.port}", "--api-addr", f"127.0.0.1:{api}"]
        words += ["--sim-step-deadline", f"{WAIT_S}s"]
        words += ["--participants", ",".join([*participants, "bench"])]
        self.process = processes.start("joulie-simulator", words)
        wait_for(self.port, "/healthz", self.process)
        self.url = f"http://127.0.0.1:{self.port}"
        self.common = ["--server", f"http://127.0.0.1:{api}", "--clock", self.url]
        self.common += ["--log-level", "warn"]
        self.api = api

    def start(self, name: str, *words: str, **variables: str) -> Daemon:
        port = free_ports(1)[0]
        words = (*self.common, "--metrics-addr", f"127.0.0.1:{port}", *words)
        return Daemon(self.processes.start(name, list(words), **FAST, **variables), port)

    def count(self, path: str) -> int:
        """Objects of the API."""
        metadata = json.loads(ask(self.api, f"{path}?limit=1"))["metadata"]
        return 1 + int(metadata.get("remainingItemCount", 0))

    def go_to(self, minute: int) -> None:
        """All steps before this minute, and those of it, are done when this comes back."""
        due = stamp(START_MS + minute * MINUTE_MS)
        query = {"who": "bench", "order": str(LAST)}
        if self.now:
            query.update(after=self.now, due=due)
        while self.now < due:
            answer = json.loads(ask(self.port, "/clock?" + urlencode(query)))
            if answer["end"]:
                raise RuntimeError("the simulation has ended")
            self.now = answer["now"]
            query.update(after=self.now, due=due)


def stamp(ms: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + f".{ms % 1000:03d}Z"


def measure(
    world: World, name: str, daemon: Daemon, minutes: int, steps_per_minute: Optional[int] = None
) -> Row:
    """From REST_MINUTES on, so many minutes; without a number of steps the operator tells it."""
    world.go_to(REST_MINUTES)
    pods = world.count("/api/v1/pods")
    steps, writes = daemon.total(STEPS), daemon.total(WRITES)
    user, system = user_system_s(daemon.pid)
    before = begin = cost.cpu_s(daemon.pid)
    worst = 0.0
    for minute in range(REST_MINUTES + 1, REST_MINUTES + minutes + 1):
        world.go_to(minute)
        now = cost.cpu_s(daemon.pid)
        worst = max(worst, now - before)
        before = now
    user_end, system_end = user_system_s(daemon.pid)
    private_kib = cost.private_kib(daemon.pid)
    steps = minutes * (steps_per_minute or 0) or daemon.total(STEPS) - steps
    return Row(
        name,
        world.count("/apis/joulie.io/v1alpha1/nodetwins"),
        pods,
        (before - begin) * 1000 / steps,
        (user_end - user) * 1000 / steps,
        (system_end - system) * 1000 / steps,
        worst * 1000 if steps_per_minute is None else None,
        (daemon.total(WRITES) - writes) / steps if steps_per_minute is None else None,
        int(steps),
        private_kib,
    )


# --- what is measured -----------------------------------------------------------------------------


# Of the operator: the policy that has most to decide.
POLICY = {
    "POLICY_TYPE": "queue_aware_v1",
    "QUEUE_HP_BASE_FRAC": "0.35",
    "QUEUE_HP_MIN": "1",
    "GPU_ECO_CAP_PCT_OF_MAX": "70",
}


def operator(processes: Processes, nodes: int, pods: int, steps: int) -> list[Row]:
    """Deciding only, with the scheduler's caches beside it."""
    names = ["joulie-operator", "joulie-scheduler"]
    world = World(processes, nodes, pods, names, steps + 30)
    scheduler = world.start("joulie-scheduler", "--extender-addr", "127.0.0.1:0")
    process = world.start("joulie-operator", **POLICY)
    row = measure(world, "operator, decides only", process, steps)
    size = (row.nodes, row.pods)
    beside = Row("scheduler", *size, *[None] * 5, 0, cost.private_kib(scheduler.pid))
    processes.end()
    return [row, beside]


def operator_with_reads(processes: Processes, nodes: int, pods: int, steps: int) -> list[Row]:
    world = World(processes, nodes, pods, ["joulie-operator"], steps + 30)
    process = world.start(
        "joulie-operator",
        **POLICY,
        OPERATOR_NODE_POWER_SOURCE="http",
        OPERATOR_NODE_POWER_HTTP_ENDPOINT=world.url + "/telemetry/{node}",
    )
    name = f"operator, reads {nodes} telemetries"
    row = measure(world, name, process, steps)
    processes.end()
    return [row]


def agent_pool(processes: Processes, nodes: int, minutes: int) -> list[Row]:
    world = World(processes, nodes, 4 * nodes, ["joulie-operator", "joulie-agent"], minutes + 30)
    world.start("joulie-operator", **POLICY)
    process = world.start(
        "joulie-agent",
        *("--agent-mode", "pool", "--enforce", "--state-dir", str(processes.folder / "pool")),
        TELEMETRY_CPU_SOURCE="http",
        TELEMETRY_CPU_HTTP_ENDPOINT=world.url + "/telemetry/{node}",
        TELEMETRY_CPU_CONTROL="http",
        TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT=world.url + "/control/{node}",
        TELEMETRY_GPU_CONTROL="http",
        TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT=world.url + "/control/{node}",
    )
    row = measure(world, "agent, pool, step of a node", process, minutes, POOL_STEPS * nodes)
    processes.end()
    return [row]


def agent_host(processes: Processes, seconds: int) -> list[Row]:
    """One machine, one tick a second, its NodeTwin in the API."""
    host = cost.Host(processes.build, "plain files")
    try:
        port = free_ports(1)[0]
        api = processes.start("apiserver_program", ["--address", f"127.0.0.1:{port}"])
        wait_for(port, "/readyz", api)
        labels = {"joulie.io/managed": "true"}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": labels}}
        ask(port, "/test/put", node)
        ask(port, "/test/put", cost.SPEC)
        process = processes.start(
            "joulie-agent",
            [
                *("--root", str(host.root), "--agent-mode", "daemonset", "--enforce"),
                *("--server", f"http://127.0.0.1:{port}", "--metrics-addr", "127.0.0.1:0"),
                *("--state-dir", str(host.folder / "state"), "--log-level", "warn"),
            ],
            NODE_NAME="n1",
        )
        time.sleep(cost.START_S)
        user, system = user_system_s(process.pid)
        begin = cost.cpu_s(process.pid)
        time.sleep(seconds)
        spent = cost.cpu_s(process.pid) - begin
        user_end, system_end = user_system_s(process.pid)
        row = Row(
            "agent, daemonset, tick",
            1,
            0,
            spent * 1000 / seconds,
            (user_end - user) * 1000 / seconds,
            (system_end - system) * 1000 / seconds,
            None,
            None,
            seconds,
            cost.private_kib(process.pid),
        )
        processes.end()
        return [row]
    finally:
        processes.end()
        host.close()


def table(rows: list[Row]) -> str:
    def cell(value: Optional[float]) -> str:
        return "" if value is None else f"{value:.2f}"

    lines = [
        "| process | nodes | pods | CPU ms a step | user | system | worst step | writes a step |"
        " steps | private MiB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row.name} | {row.nodes} | {row.pods or ''} | {cell(row.cpu_ms_per_step)} |"
            f" {cell(row.user_ms_per_step)} | {cell(row.system_ms_per_step)} |"
            f" {cell(row.worst_step_ms)} | {cell(row.writes_per_step)} |"
            f" {row.steps or ''} | {row.private_kib / 1024:.1f} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, required=True, help="a release build")
    parser.add_argument("--json", action="store_true", help="a line for each row")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=20000)
    parser.add_argument("--steps", type=int, default=20, help="of the operator, that are measured")
    parser.add_argument("--only", default="", help="of operator, reads, pool, host")
    options = parser.parse_args()
    build = options.build.resolve()
    parts = {
        "operator": lambda p: operator(p, options.nodes, options.pods, options.steps),
        "reads": lambda p: operator_with_reads(p, options.nodes, options.pods, options.steps),
        "pool": lambda p: agent_pool(p, 100, 5),
        "host": lambda p: agent_host(p, 15),
    }
    rows: list[Row] = []
    for name, part in parts.items():
        if options.only and name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory(prefix="joulie-bench-") as folder:
            processes = Processes(build, Path(folder))
            try:
                rows += part(processes)
            except (RuntimeError, OSError) as failure:
                for log in sorted(Path(folder).glob("*.log")):
                    print(f"{log.name}: {log.read_text(errors='replace')[-500:]}", file=sys.stderr)
                print(f"daemons: {name}: {failure}", file=sys.stderr)
                return 1
            finally:
                processes.end()
    if options.json:
        for row in rows:
            print(json.dumps(asdict(row)))
    else:
        print(table(rows))
        print("load average: " + " ".join(f"{value:.1f}" for value in os.getloadavg()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
