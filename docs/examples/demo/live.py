#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev demo --live: the demo's day played by separate processes in lockstep.

joulie-simulator holds the machines, the jobs, the clock and a Kubernetes API of its own; operator,
scheduler extender and agents meet only there, as they would in a cluster. At the end their
decisions are compared, line by line, with those of `joulie simulate` over the same inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Optional, Sequence

START_S = 30.0  # for a daemon to be ready
STOP_S = 20.0
FAST = {"KUBE_CLIENT_QPS": "100000", "KUBE_CLIENT_BURST": "100000"}  # a day passes in a minute


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody holds now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def fetch(url: str, timeout: float = 5.0) -> bytes:
    with urllib.request.urlopen(url, timeout=timeout) as reply:
        return bytes(reply.read())


def environment_of(policy: dict[str, Any]) -> dict[str, str]:
    """The members of `plan`'s policy as the operator's variables: queueHpMax is QUEUE_HP_MAX, and
    queueScaleDownDelayS, which has seconds, QUEUE_SCALE_DOWN_DELAY."""
    out = {}
    for key, value in policy.items():
        has_seconds = re.search("[a-z]S$", key)
        name = "policyType" if key == "type" else key[:-1] if has_seconds else key
        text = f"{value}s" if has_seconds else str(value)
        out[re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()] = text
    return out


class Daemon:
    """One program, its command line and its log."""

    def __init__(
        self, name: str, program: Path, words: Sequence[str], variables: dict[str, str], log: Path
    ) -> None:
        self.name = name
        self.command = [str(program), *words]
        self.environment = {"PATH": os.environ.get("PATH", ""), **variables}
        if "LD_PRELOAD" in os.environ:
            self.environment["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
        self.log = log
        self.process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def status(self) -> Optional[int]:
        """Its exit status; None = it runs."""
        return self.process.poll() if self.process else None

    def end(self, how: int = signal.SIGTERM) -> Optional[int]:
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Live:
    """The processes of one simulated cluster."""

    def __init__(
        self,
        bin: Path,
        out: Path,
        simulator: Sequence[str],
        policy: dict[str, Any],
        agents: int = 1,
        exits: bool = True,
        step_deadline: str = "30s",
        agent_nodes: Sequence[str] = (),
        others: Sequence[str] = (),
        variables: Optional[dict[str, str]] = None,
    ) -> None:
        """agents: processes that share the nodes; agent_nodes: instead an agent for each of these.
        others: participants of the clock beside ours. variables: of the daemons' environment."""
        out.mkdir(parents=True, exist_ok=True)
        agents = len(agent_nodes) or agents
        ports = free_ports(5 + agents)
        every = {**FAST, **(variables or {})}
        self.out = out
        self.url = f"http://127.0.0.1:{ports[0]}"
        self.api = f"http://127.0.0.1:{ports[1]}"
        self.kubeconfig = out / "kubeconfig"
        extender = f"127.0.0.1:{ports[2]}"
        names = [f"joulie-agent-{i}" for i in agent_nodes or range(agents)]
        common = ["--server", self.api, "--clock", self.url]
        common += ["--log-level", os.environ.get("JOULIE_LOG_LEVEL", "warn")]
        wiring = {
            "TELEMETRY_CPU_SOURCE": "http",
            "TELEMETRY_CPU_HTTP_ENDPOINT": self.url + "/telemetry/{node}",
            "TELEMETRY_CPU_CONTROL": "http",
            "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": self.url + "/control/{node}",
            "TELEMETRY_GPU_CONTROL": "http",
            "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT": self.url + "/control/{node}",
        }
        power = {
            "OPERATOR_NODE_POWER_SOURCE": "http",
            "OPERATOR_NODE_POWER_HTTP_ENDPOINT": self.url + "/telemetry/{node}",
        }

        def daemon(
            name: str, program: str, words: Sequence[str], variables: dict[str, str]
        ) -> Daemon:
            return Daemon(name, bin / program, words, variables, out / f"{name}.log")

        self.simulator = daemon(
            "joulie-simulator",
            "joulie-simulator",
            [
                *simulator,
                *("--sim-addr", f"127.0.0.1:{ports[0]}"),
                *("--sim-api-addr", f"127.0.0.1:{ports[1]}"),
                *("--kubeconfig-out", str(self.kubeconfig)),
                *("--extender-url", f"http://{extender}"),
                "--participants",
                ",".join(["joulie-operator", "joulie-scheduler", *names, *others]),
                *("--sim-step-deadline", step_deadline),
                *("--out", str(out)),
                *(["--exit-at-end"] if exits else []),
            ],
            {},
        )
        self.daemons = {
            "joulie-operator": daemon(
                "joulie-operator",
                "joulie-operator",
                [*common, "--metrics-addr", f"127.0.0.1:{ports[3]}"],
                # as a run in one process, where nothing waits for agents
                {"CONTROL_PERIOD": "0s", **power, **environment_of(policy), **every},
            ),
            "joulie-scheduler": daemon(
                "joulie-scheduler",
                "joulie-scheduler",
                [
                    *(*common, "--extender-addr", extender),
                    *("--metrics-addr", f"127.0.0.1:{ports[4]}"),
                ],
                every,
            ),
        }
        for i, name in enumerate(names):
            share = ["--agent-mode", "pool", "--pool-shards", str(agents)]
            share += ["--pool-shard-id", str(i)]
            alone = ["--agent-mode", "daemonset", "--node-name", *agent_nodes[i : i + 1]]
            self.daemons[name] = daemon(
                name,
                "joulie-agent",
                [
                    *(*common, "--enforce", *(alone if agent_nodes else share)),
                    *("--metrics-addr", f"127.0.0.1:{ports[5 + i]}"),
                    *("--state-dir", str(out / name)),
                ],
                {**wiring, **every},
            )

    def start(self) -> None:
        self.simulator.start()
        limit = time.monotonic() + START_S
        while True:
            try:
                fetch(self.url + "/healthz")
                break
            except (OSError, urllib.error.URLError):
                if self.simulator.status() is not None or time.monotonic() > limit:
                    raise RuntimeError(
                        f"joulie-simulator does not answer; {self.simulator.log} says why"
                    ) from None
                time.sleep(0.05)
        for each in self.daemons.values():
            each.start()

    def view(self) -> dict[str, Any]:
        """The simulation now."""
        found = json.loads(fetch(self.url + "/debug/view"))
        assert isinstance(found, dict)
        return found

    def fallen(self) -> list[str]:
        """Daemons that have ended although the simulation goes on."""
        return [name for name, each in self.daemons.items() if each.status() not in (None, 0)]

    def stop(self) -> None:
        for each in [*self.daemons.values(), self.simulator]:
            each.end()


# --- for a person ---------------------------------------------------------------------------------


class Screen:
    """One line per simulated hour; on a terminal also the present state, drawn over itself."""

    def __init__(self) -> None:
        self.is_live = sys.stderr.isatty()
        self.hour = 0

    def show(self, view: dict[str, Any]) -> None:
        line = (
            f"hour {view['timeS'] / 3600:5.1f}  {view['powerW'] / 1000:7.1f} kW"
            f"  {view['queued']:4d} waiting {view['running']:4d} running"
            f" {view['completed']:5d} done  {view['performance']} performance {view['eco']} eco"
            f" {view['draining']} draining  {view['apiRequests']} API requests"
        )
        if self.is_live:
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
        if view["timeS"] // 3600 > self.hour:
            self.hour = int(view["timeS"] // 3600)
            sys.stderr.write("\n" if self.is_live else line + "\n")

    def end(self) -> None:
        if self.is_live:
            sys.stderr.write("\r\033[K")


def watch(live: Live) -> None:
    """Until the simulation has ended."""
    screen = Screen()
    while live.simulator.status() is None:
        fallen = live.fallen()
        if fallen:
            raise RuntimeError(f"{fallen[0]} has ended; {live.daemons[fallen[0]].log} says why")
        try:
            view = live.view()
            screen.show(view)
            if view["isFinished"]:
                break
        except (OSError, urllib.error.URLError, ValueError):
            pass  # it has just ended
        time.sleep(0.2)
    screen.end()


def differences(expected: Path, found: Path) -> list[str]:
    """Lines of two files of decisions that are not the same."""
    left = expected.read_text(encoding="utf-8").splitlines()
    right = found.read_text(encoding="utf-8").splitlines()
    out = [
        f"line {i + 1}: in process {a!r}, live {b!r}"
        for i, (a, b) in enumerate(zip(left, right))
        if a != b
    ]
    if len(left) != len(right):
        out.append(f"in process {len(left)} lines, live {len(right)}")
    return out


def put_summary(summary: dict[str, Any]) -> None:
    rows = (
        ("API calls per node and minute", "apiCallsPerNodeMinute"),
        ("decisions", "decisions"),
        ("late steps", "lateSteps"),
        ("transitions", "transitions"),
        ("IT energy, kWh", "itEnergyKwh"),
        ("saved, %", "savedPct"),
        ("pods completed", "podsCompleted"),
    )
    for title, key in rows:
        value = summary.get(key)
        if isinstance(value, (int, float)):
            print(f"  {title:<32}{value:.6g}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--inventory", type=Path, required=True)
    parser.add_argument("--trace", type=Path, required=True)
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--expected", type=Path, help="decisions.csv of the run in one process")
    parser.add_argument("--keep", action="store_true", help="leave it running")
    options = parser.parse_args()
    words = ["--sim-inventory-path", str(options.inventory), "--compare", "uncontrolled"]
    words += ["--sim-workload-trace-path", str(options.trace), "--seed", str(options.seed)]
    if options.nodes:
        words += ["--nodes", str(options.nodes)]
    words += ["--placement", "efficiency", "--baseline", "kube", "--workload-profiles"]
    if options.keep:
        words += ["--keep"]
    live = Live(
        options.bin.resolve(),
        options.out.resolve(),
        words,
        json.loads(options.policy.read_text(encoding="utf-8")),
        exits=not options.keep,
        variables={"SCORING_PROFILE": "efficiency"},
    )
    try:
        live.start()
        watch(live)
        summary_file = options.out / "summary.json"
        if not options.keep:
            live.simulator.process.wait(STOP_S) if live.simulator.process else None
        summary = json.loads(summary_file.read_text(encoding="utf-8"))
        print("live: five processes, one clock")
        put_summary(summary)
        status = 0
        if options.expected:
            found = differences(options.expected, options.out / "decisions.csv")
            print(
                f"  {'the same decisions':<32}{'no' if found else 'yes'}"
                f" ({sum(1 for _ in options.expected.open(encoding='utf-8')) - 1} lines)"
            )
            for line in found[:20]:
                print(f"    {line}")
            status = 1 if found else 0
        if options.keep:
            print(
                f"\nit goes on; look inside with\n  kubectl --kubeconfig {live.kubeconfig} get nt"
            )
            print(f"  {options.bin}/joulie top --kubeconfig {live.kubeconfig} --clock {live.url}")
            print("Ctrl-C ends it")
            signal.pause()
        return status
    except KeyboardInterrupt:
        return 0 if options.keep else 130
    except (RuntimeError, OSError, subprocess.TimeoutExpired) as failure:
        print(f"live: {failure}", file=sys.stderr)
        return 1
    finally:
        live.stop()


if __name__ == "__main__":
    sys.exit(main())
