#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an extender costs a real kube-scheduler: pods bound a second and CPU time of a pod, without one and with several,
in turns on one cluster.

    bench_rate.py --build BUILD [--nodes 500] [--pods 2000] [--rounds 3] [--qps 1000] [--share 0] [--with WORDS]

WORDS, of which `none` is always there: yes (an extender that lets everything pass), whole (ours), short (ours with
SHORT_REPLIES), filter (short, without the verb prioritize), tls (short, over HTTPS), nodes (whole,
nodeCacheCapable: false). --qps: requests a second of kube-scheduler to the API server, of which it makes one for a
pod that it binds; its default is 50. --share: percentageOfNodesToScore. kwok stands still while pods are bound, because kubelets have machines
of their own.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "support"), str(HERE.parent / "scheduler")]

WORK = "/api/v1/namespaces/default/pods"
CLASS = "joulie.io/workload-class"
POLL_S = 0.3  # it costs the server time that is counted
EXTENDERS = ("none", "yes", "whole", "short", "filter", "tls", "nodes")
OURS = {"whole": "whole", "nodes": "whole", "short": "short", "filter": "short", "tls": "tls"}  # by which process


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        from control_plane import ControlPlane, create_all, fake_node
        from deployed import NODES, Deployed

        self.options = options
        self.plane = ControlPlane()
        try:
            self.deployed = Deployed(self.plane)
            self.admin = self.deployed.admin
            self.deployed.leave_out_agents()
            create_all(self.admin, NODES, [fake_node(f"n-{n:03d}") for n in range(options.nodes)])
            settings = {"RECONCILE_INTERVAL": "10s", "POLICY_TYPE": "static_partition", "STATIC_HP_FRAC": "0.33"}
            self.deployed.start("operator", **settings).wait_ready()
            self.urls: dict[str, str] = {}
            self.start_yes()
            for kind in sorted({OURS[word] for word in options.words if word in OURS}):
                self.start_ours(kind)
            self.wait(self.is_decided)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if hasattr(self, "yes"):
            self.yes.kill()
            self.yes.wait()
        if hasattr(self, "deployed"):
            self.deployed.close()
        self.plane.close()

    def start_yes(self) -> None:
        program = Path(self.options.build) / "bin" / "yes_extender"
        self.yes = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
        assert self.yes.stdout
        self.urls["yes"] = self.yes.stdout.readline().strip()

    def start_ours(self, kind: str) -> None:
        from certificates import make, make_signed
        from control_plane import free_ports

        (port,) = free_ports(1)
        settings = {"EXTENDER_ADDR": f"127.0.0.1:{port}", "SHORT_REPLIES": str(kind != "whole").lower()}
        if kind == "tls":
            make(self.plane.folder, "ca")
            make_signed(self.plane.folder, "extender", "subjectAltName=IP:127.0.0.1")
            settings["TLS_CERT_FILE"] = self.file("extender.crt")
            settings["TLS_KEY_FILE"] = self.file("extender.key")
        self.deployed.start("scheduler", label=kind, **settings).wait_ready()
        self.urls[kind] = f"http{'s' if kind == 'tls' else ''}://127.0.0.1:{port}"

    def file(self, name: str) -> str:
        return str(self.plane.folder / name)

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

    def processes(self, word: str) -> dict[str, float]:
        """CPU time so far; of the extenders that of the one in use."""
        from stage import cpu_s

        found = {name: cpu_s(one.process.pid) for name, one in self.plane.running.items()}
        found["joulie-operator"] = cpu_s(self.deployed.daemons["joulie-operator"].process.pid)
        if word == "yes":
            found["extender"] = cpu_s(self.yes.pid)
        elif word in OURS:
            found["extender"] = cpu_s(self.deployed.daemons[OURS[word]].process.pid)
        return found

    def extenders(self, word: str) -> list[dict[str, Any]]:
        if word == "none":
            return []
        one = {
            "urlPrefix": self.urls[OURS.get(word, word)],
            "filterVerb": "filter",
            "prioritizeVerb": "" if word == "filter" else "prioritize",
            "weight": 1,
            "nodeCacheCapable": word != "nodes",
            "ignorable": False,
            "httpTimeout": "30s",
        }
        if word == "tls":
            one.update(enableHTTPS=True, tlsConfig={"caFile": self.file("ca.crt")})
        return [one]

    def round(self, word: str) -> dict[str, float]:
        from control_plane import create_all, delete_all, plain_pod

        pods = [
            plain_pod(f"p-{n}", {CLASS: "performance"} if n % 10 < 3 else {}) for n in range(self.options.pods)
        ]
        self.plane.stop("kube-scheduler", signal.SIGKILL)
        create_all(self.admin, WORK, pods)
        kwok = self.plane.running["kwok"].process
        kwok.send_signal(signal.SIGSTOP)
        self.plane.start_scheduler(self.extenders(word), self.options.qps, self.options.share)
        self.poll("spec.nodeName!=", True)
        start, before = time.monotonic(), self.processes(word)
        self.poll("spec.nodeName=", False)
        took_s, after = time.monotonic() - start, self.processes(word)
        kwok.send_signal(signal.SIGCONT)
        out = {name: (after[name] - before[name]) * 1000 / self.options.pods for name in before}
        out["all"] = sum(out.values())
        out["pods/s"] = self.options.pods / took_s
        delete_all(self.admin, WORK)
        return out

    def poll(self, selector: str, is_there: bool) -> None:
        end = time.monotonic() + 900
        while self.has(selector) != is_there:
            if time.monotonic() > end:
                raise SystemExit(f"pods are not scheduled: {self.plane.running['kube-scheduler'].tail()}")
            time.sleep(POLL_S)


Results = dict[str, list[dict[str, float]]]


def numbers(rounds: list[dict[str, float]], name: str) -> str:
    """Least and median; of the rate most and median."""
    found = [one[name] for one in rounds if name in one]
    if not found:
        return "-"
    best = max(found) if name == "pods/s" else min(found)
    return f"{best:.2f} {statistics.median(found):.2f}"


def report(results: Results, options: argparse.Namespace) -> None:
    print(f"\n{options.nodes} nodes, {options.pods} pods, {options.qps} requests a second, {options.rounds} rounds; ms of CPU")
    print("time for a pod, least and median; pods a second, most and median")
    print(f"{'':24}" + "".join(f"{word:>15}" for word in results))
    names = dict.fromkeys(name for rounds in results.values() for name in rounds[0])
    for name in names:
        print(f"{name:24}" + "".join(f"{numbers(rounds, name):>15}" for rounds in results.values()))
    for name, is_inverse in (("pods/s", False), ("all", True)):
        print(f"{'rate' if not is_inverse else '1/all'}, % of none{'':8}", end="")
        for rounds in results.values():
            pairs = [(one[name], other[name]) for one, other in zip(rounds, results["none"])]
            shares = [other / one if is_inverse else one / other for one, other in pairs]
            print(f"{100 * statistics.median(shares):15.0f}", end="")
        print()


def run(options: argparse.Namespace) -> int:
    bench = Bench(options)
    results: Results = {word: [] for word in options.words}
    try:
        for number in range(options.rounds):
            # In another order each time: what comes later meets a server with more behind it.
            for word in sorted(options.words, key=lambda word: (options.words.index(word) + number) % len(options.words)):
                results[word].append(bench.round(word))
                print(f"{word}: {results[word][-1]['pods/s']:.1f} pods/s", flush=True)
    finally:
        bench.close()
    report(results, options)
    return 0


def main(words: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--qps", type=int, default=1000)
    parser.add_argument("--share", type=int, default=0)
    parser.add_argument("--with", dest="words", default="yes,whole,short")
    options = parser.parse_args(words)
    options.build = str(Path(options.build).resolve())
    options.words = list(dict.fromkeys(["none", *options.words.split(",")]))
    unknown = set(options.words) - set(EXTENDERS)
    if unknown:
        parser.error(f"--with: there are {', '.join(EXTENDERS)}")
    os.environ.update(JOULIE_DEV_BUILD=options.build, JOULIE_RELEASE_BUILD=options.build)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
