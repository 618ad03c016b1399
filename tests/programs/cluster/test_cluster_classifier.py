# SPDX-License-Identifier: Apache-2.0
"""WorkloadProfiles that appear by themselves in a real cluster: a real Prometheus scrapes what joulie-simulator says of
the cluster's pods, and joulie-operator asks it under the account that deploy/kustomize gives it."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

from checkout import DEV
from control_plane import create_all, die_with_parent, fake_node, plain_pod
from deployed import NODES, PATIENCE_S, Daemon, InCluster
from prometheus import Prometheus
from waiting import wait_until

WORK = "/api/v1/namespaces/default/pods"
CLASSES = {  # of the work that the pods of a workload do, and what has to be found
    "web": ("cpu.compute_bound", "compute"),
    "cache": ("cpu.memory_bound", "memory"),
    "alone": ("cpu.compute_bound", "compute"),
}
COLUMNS = ["NAME", "NODE", "CRITICALITY", "CPU-BOUND", "GPU-BOUND", "RESCHEDULABLE", "AGE"]
REASONS = {
    "deployment-web": r"^cpu-intensity=high \(util [89]\d%≥75%\); cpu-bound=compute, cap-sensitivity=high",
    "statefulset-cache": r"kepler override: cpu-bound=memory \(mem-energy ratio 0\.48>0\.40\)",
    "pod-alone": r"^cpu-intensity=high \(util [89]\d%≥75%\); cpu-bound=compute, cap-sensitivity=high",
}
RESOURCES = {"requests": {"cpu": "4", "memory": "4Gi"}}


def many(kind: str, name: str, replicas: int) -> dict[str, Any]:
    """A Deployment or a StatefulSet."""
    labels = {"app": name}
    container = {"name": "work", "image": "none", "resources": RESOURCES}
    spec: dict[str, Any] = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    if kind == "StatefulSet":
        spec.update(serviceName=name, podManagementPolicy="Parallel")
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


class Classified(InCluster):
    """Pods of a Deployment, of a StatefulSet and one alone, which a simulator works for."""

    prometheus: Prometheus
    operator: Daemon

    def setUp(self) -> None:
        create_all(self.admin, NODES, [fake_node(f"n-{number}") for number in range(2)])
        self.admin.post("/apis/apps/v1/namespaces/default/deployments", many("Deployment", "web", 2))
        self.admin.post("/apis/apps/v1/namespaces/default/statefulsets", many("StatefulSet", "cache", 2))
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        wait_until("pods may be made", lambda: self.admin.find(account) is not None, PATIENCE_S)
        alone = plain_pod("alone")
        alone["spec"]["containers"][0]["resources"] = RESOURCES
        self.admin.post(WORK, alone)
        names = wait_until("five pods run", self.running, PATIENCE_S)
        simulator = self.simulate(names)
        self.prometheus = Prometheus(
            self,
            {page: [f"{simulator}/metrics/{page}"] for page in ("cadvisor", "kepler", "dcgm")},
        )
        rate = "sum by (pod) (rate(container_cpu_usage_seconds_total[15s]))"
        wait_until(
            lambda: f"a whole window of {names}: {self.prometheus.query(rate)}",
            lambda: len(self.prometheus.query(f"{rate} > 3.7")) == len(names),
        )

    def running(self) -> list[str]:
        pods = [pod for pod in self.admin.items(WORK) if pod["status"].get("phase") == "Running"]
        return [pod["metadata"]["name"] for pod in pods] if len(pods) == 5 else []

    def simulate(self, names: list[str]) -> str:
        """Its address."""
        folder = self.plane.folder
        jobs = [
            {
                "type": "job",
                "jobId": name,
                "submitTimeOffsetSec": 0,
                "podTemplate": RESOURCES,
                "work": {"cpuUnits": 1e9},
                "workloadClass": {"cpu": CLASSES[name.split("-")[0]][0]},
                "workloadProfile": {"cpuUtilization": 0.95},
            }
            for name in names
        ]
        (folder / "trace.jsonl").write_text("".join(json.dumps(job) + "\n" for job in jobs))
        (folder / "inventory.yaml").write_text("nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 64}]\n")
        words = ["--inventory", str(folder / "inventory.yaml"), "--trace", str(folder / "trace.jsonl")]
        words += ["--sim-addr", "127.0.0.1:0", "--api-addr", "127.0.0.1:0"]
        log = folder / "simulator.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(DEV / "bin" / "joulie-simulator"), *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                preexec_fn=die_with_parent,
            )
        simulator = Daemon("joulie-simulator", process, log)
        self.addCleanup(simulator.end)
        return simulator.address("telemetry, control and clock are").removeprefix("http://")

    def start_operator(self, **settings: str) -> None:
        self.operator = self.deployed.start(
            "operator",
            PROMETHEUS_ADDRESS=self.prometheus.url,
            CLASSIFY_METRICS_WINDOW="15s",
            RECLASSIFY_INTERVAL="0s",
            CLASSIFY_HOLD="2s",
            CLASSIFY_GRACE="0s",
            **settings,
        )

    def table(self) -> dict[str, dict[str, str]]:
        """Of kubectl get wp, by name."""
        lines = self.plane.kubectl("get", "wp").splitlines()
        if not lines or not lines[0].startswith("NAME"):
            return {}
        starts = [lines[0].index(column) for column in COLUMNS]
        cuts = list(zip(starts, [*starts[1:], None]))
        rows = [[line[begin:end].strip() for begin, end in cuts] for line in lines]
        self.assertEqual(rows[0], COLUMNS)
        return {row[0]: dict(zip(COLUMNS, row)) for row in rows[1:]}

    def statuses(self) -> dict[str, dict[str, Any]]:
        found = json.loads(self.plane.kubectl("get", "wp", "--output=json"))["items"]
        return {one["metadata"]["name"]: one.get("status", {}) for one in found}

    @staticmethod
    def bounds(statuses: dict[str, dict[str, Any]]) -> dict[str, str]:
        return {name: one["cpu"]["bound"] for name, one in statuses.items()}

    def confidences(self) -> set[float]:
        return {one.get("confidence", 0) for one in self.statuses().values()}

    def test_kubectl_shows_a_profile_of_each_workload_within_two_intervals_and_through_an_outage(self) -> None:
        self.start_operator(CLASSIFY_INTERVAL="30s")
        wait_until(
            lambda: f"profiles\n{self.plane.kubectl('get', 'wp')}\n{self.operator.tail()}",
            lambda: set(self.table()) == set(REASONS)
            and all(row["CPU-BOUND"] in ("compute", "memory") for row in self.table().values()),
            PATIENCE_S,
        )
        self.assertLessEqual(self.operator.metric("joulie_operator_classifier_windows_total"), 2)
        for name, row in self.table().items():
            self.assertEqual(row["CPU-BOUND"], CLASSES[name.split("-")[1]][1])
            self.assertEqual(row["CRITICALITY"], "standard")
            self.assertEqual(row["NODE"] != "", name == "pod-alone", "of a pod alone")
            self.assertRegex(row["AGE"], r"^\d+[sm]")
        before = self.statuses()
        self.assertEqual(self.confidences(), {0.7})
        for name, reason in REASONS.items():
            self.assertRegex(before[name]["classificationReason"], reason)

        self.deployed.stop("joulie-operator")
        self.start_operator(CLASSIFY_INTERVAL="2s")
        self.prometheus.stop()
        wait_until(lambda: f"it falls: {self.statuses()}", lambda: self.confidences() == {0.3}, PATIENCE_S)
        self.assertEqual(set(self.statuses()), set(REASONS), "nothing is deleted")
        self.operator.wait_said("profiles are kept as they are")
        self.prometheus.start()
        wait_until(lambda: f"it recovers: {self.statuses()}", lambda: self.confidences() == {0.7}, PATIENCE_S)
        wait_until(  # the first windows see a gap, and less of the counters
            lambda: f"the same again: {self.statuses()}",
            lambda: self.bounds(self.statuses()) == self.bounds(before),
            PATIENCE_S,
        )
        refused = [
            line
            for line in self.plane.audit_lines()
            if line["user"]["username"].endswith(":joulie-operator") and line["responseStatus"]["code"] == 403
        ]
        self.assertEqual(refused, [], "the rights that the manifests give are enough")
        self.assertFalse(re.search("level=error", self.operator.log.read_text()))
