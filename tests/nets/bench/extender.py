#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""joulie-scheduler against an extender in Go, 5,000 names over loopback, in turns: extender.py --build BUILD.

Both have the same formula and the same twins, and their answers must be equal. The Go one is net/http and
encoding/json (tests/nets/bench/go/extender); it reads its twins from a file at the start and sums them once, ours
takes them from the embedded API server and sums them for each request. Without Go >= 1.24 only ours is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NODES = 5000
WARM_UP = 50  # rounds of extender_load that it does not count


def objects(now: str) -> list[dict]:
    made = []
    for i in range(NODES):
        name = f"node-{i:04d}.example"
        of = {"metadata": {"name": name}, "spec": {"nodeName": name}}
        label = {"joulie.io/power-profile": "eco" if i % 3 == 0 else "performance"}
        made.append(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": label}}
        )
        cpu = {
            "totalCores": 96 + i % 2 * 96,
            "sockets": 1 + i % 2,
            "capRange": {"maxWattsPerSocket": 360},
        }
        made.append(
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "NodeHardware",
                **of,
                "status": {"cpu": cpu},
            }
        )
        power = {
            "source": "http",
            "measuredNodePowerW": 100 + i % 600 + 0.25,
            "nodeCappedPowerW": 720,
            "powerTrendWPerMin": i % 21 - 10,
        }
        status = {
            "schedulableClass": "eco" if i % 3 == 0 else "performance",
            "predictedPowerHeadroomScore": i % 101,
            "predictedCoolingStressScore": i % 97 + 0.5,
            "powerMeasurement": power,
            "lastUpdated": now,
        }
        spec = {**of["spec"], "profile": "eco" if i % 3 == 0 else "performance"}
        made.append(
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "NodeTwin",
                **of,
                "spec": spec,
                "status": status,
            }
        )
    return made


def whole_node(name: str, index: int) -> dict:
    """What a kubelet reports: 50 images make most of it; a scheduler's cache has no managedFields."""
    image = "registry.example/team/application-{0}@sha256:" + "0123456789abcdef" * 4
    conditions = [
        {"type": kind, "status": "False", "reason": f"KubeletHas{kind}", "message": f"kubelet has {kind} " * 2,
         "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "Ready")
    ]  # fmt: skip
    amounts = {"cpu": "96", "memory": "395927184Ki", "pods": "110", "ephemeral-storage": "1843269236Ki"}
    return {
        "metadata": {
            "name": name,
            "uid": f"4b1f6f0e-7d2e-4c63-9d8f-{index:012d}",
            "labels": {f"topology.example/label-{i}": f"value-{i}" for i in range(20)},
            "annotations": {f"example/annotation-{i}": "x" * 40 for i in range(8)},
        },
        "spec": {"podCIDR": "10.0.0.0/24", "providerID": f"example:///zone/{name}"},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": name}],
            "images": [
                {"names": [image.format(i), f"registry.example/team/application-{i}:1.{index % 100}.0"],
                 "sizeBytes": 123456789 + i}
                for i in range(50)
            ],
        },
    }  # fmt: skip


def request(workload_class: str, count: int, is_whole: bool) -> bytes:
    """As a scheduler sends it: nodes in no order of ours, a pod with what pods have."""
    container = {
        "name": "main",
        "image": "registry.example/team/app:1.2.3",
        "resources": {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"cpu": "4"}},
        "env": [{"name": f"VARIABLE_{i}", "value": "x" * 20} for i in range(20)],
        "volumeMounts": [{"name": f"volume-{i}", "mountPath": f"/data/{i}"} for i in range(4)],
    }
    meta = {
        "name": "app-7d9c5b8f6d-x2v4q",
        "namespace": "team",
        "uid": "4b1f6f0e-7d2e-4c63-9d8f-0f3f6f1c9a11",
        "annotations": {"joulie.io/workload-class": workload_class},
        "labels": {"app": "app", "pod-template-hash": "7d9c5b8f6d"},
    }
    names = [f"node-{i * 1999 % NODES:04d}.example" for i in range(count)]
    pod = {
        "metadata": meta,
        "spec": {"containers": [container], "schedulerName": "default-scheduler"},
    }
    arguments: dict = {"Pod": pod, "Nodes": None, "NodeNames": names}
    if is_whole:
        items = [whole_node(name, i) for i, name in enumerate(names)]
        arguments.update({"Nodes": {"metadata": {}, "items": items}, "NodeNames": None})
    return json.dumps(arguments, separators=(",", ":")).encode()


def has_go() -> bool:
    go = shutil.which("go")
    if not go:
        return False
    printed = subprocess.run([go, "version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(r"go(\d+)\.(\d+)", printed)
    return bool(found) and (int(found[1]), int(found[2])) >= (1, 24)


def start_go(folder: Path, listed: Path, now: str) -> tuple[subprocess.Popen, int]:
    program = folder / "extender"
    source = ROOT / "tests" / "nets" / "bench" / "go" / "extender"
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    subprocess.run(["go", "build", "-o", program, "."], cwd=source, env=environment, check=True)
    process = subprocess.Popen([program, listed, now], stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def private_kib(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(number) for number in re.findall(r"(?m)^Private_\w+:\s+(\d+) kB", text))


def compare(folder: Path) -> None:
    for verb in ("filter", "prioritize"):
        answers = [
            json.loads((folder / f"{name}.{verb}.json").read_text()) for name in ("ours", "go")
        ]
        if answers[0] != answers[1]:
            sys.exit(f"extender: the answers of {verb} differ")
        if len(answers[0]) == 0:
            sys.exit(f"extender: the answer of {verb} is empty")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--candidates", type=int, default=NODES, help="nodes in a request")
    parser.add_argument("--whole-nodes", action="store_true", help="nodeCacheCapable: false; ours only")
    options = parser.parse_args()
    build = options.build.resolve()
    os.environ["JOULIE_DEV_BUILD"] = str(build)
    sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "programs" / "scheduler")]
    import stage

    processes = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        listed = folder / "objects.json"
        made = objects(now)
        listed.write_text(json.dumps(made))
        asked = (options.candidates, options.whole_nodes)
        (folder / "filter.json").write_bytes(request("performance", *asked))
        (folder / "prioritize.json").write_bytes(request("standard", *asked))
        mib = (folder / "filter.json").stat().st_size / (1 << 20)
        api = stage.ApiServer(folder)
        for thing in made:
            api.put(thing)
        scheduler = stage.Scheduler(folder, api.url, MAX_BODY_BYTES=str(1 << 30))
        stage.wait_until("the caches", scheduler.is_ready)
        servers = [f"ours={scheduler.port}"]
        if has_go() and not options.whole_nodes:
            go, port = start_go(folder, listed, now)
            processes.append(go)
            servers.append(f"go={port}")
        command = [build / "bin" / "extender_load", str(options.rounds), folder / "filter.json"]
        before_s = stage.cpu_s(scheduler.process.pid)
        done = subprocess.run(
            [*command, folder / "prioritize.json", folder, *servers],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        cpu_ms = (stage.cpu_s(scheduler.process.pid) - before_s) * 1000 / (2 * (options.rounds + WARM_UP))
        memory = {"ours": private_kib(scheduler.process.pid)}
        scheduler.metrics_connection.close()  # the server's idle time may be over
        start = time.monotonic()
        scheduler.metrics()
        scrape_ms = (time.monotonic() - start) * 1000
        if len(servers) > 1:
            compare(folder)
            memory["go"] = private_kib(processes[0].pid)
        for process in processes:
            process.kill()
            process.wait()
        scheduler.close()
        api.close()
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not options.json:
        form = "whole nodes" if options.whole_nodes else "names"
        print(f"extender.request {options.candidates} {form}, {mib:.3f} MiB, {cpu_ms:.2f} ms of our CPU time each")
    report(lines, memory, scrape_ms, options.json)
    return 0


def report(lines: list[dict], memory: dict[str, int], scrape_ms: float, is_json: bool) -> None:
    if is_json:
        print(json.dumps({"requests": lines, "privateKiB": memory, "scrapeMs": scrape_ms}))
        return
    for verb in ("filter", "prioritize"):
        found = {line["server"]: line for line in lines if line["verb"] == verb}
        ours = found["ours"]
        text = f"extender.{verb} ours p50 {ours['p50_us']:7.0f} us  p99 {ours['p99_us']:7.0f} us"
        if "go" in found:
            go = found["go"]
            text += f"   go p50 {go['p50_us']:7.0f} us  p99 {go['p99_us']:7.0f} us"
            text += f"   {go['p50_us'] / ours['p50_us']:.1f} times, p99 {go['p99_us'] / ours['p99_us']:.1f} times"
        print(text)
    text = ", ".join(f"{name} {kib / 1024:.1f} MiB" for name, kib in memory.items())
    print(
        f"extender.memory            private: {text}; /metrics with {NODES} nodes in {scrape_ms:.0f} ms"
    )
    if not has_go():
        print("extender: skipped the comparison: no Go >= 1.24 here")


if __name__ == "__main__":
    sys.exit(main())
