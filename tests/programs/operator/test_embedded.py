# SPDX-License-Identifier: Apache-2.0
"""joulie-operator and the embedded API server, with and without faults."""

import json
import os
import subprocess
import tempfile
import time
import unittest
import urllib.request

from checkout import DEV
from test_operator import DEADLINE_S, Operator, hardware, node, pod, wait_until

PROGRAM = os.environ.get("JOULIE_APISERVER", str(DEV / "bin" / "apiserver_program"))
FAULTS = {
    "seed": 3,
    "cutStreams": 0.05,
    "gone": 0.05,
    "tooMany": 0.1,
    "internal": 0.1,
    "slowBytes": 0.1,
}
NO_FAULTS = dict.fromkeys(FAULTS, 0)


class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.kubeconfig = f"{self.folder}/kubeconfig"
        self.server = subprocess.Popen(
            [PROGRAM, "--kubeconfig-out", self.kubeconfig, "--bookmark-ms", "50"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.url = self.server.stdout.readline().strip()

    def ask(self, path, body=None, method=None):
        data = body.encode() if isinstance(body, str) else body and json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            return answer.read().decode()

    def put(self, api_version, kind, body, namespace=None):
        body = {"apiVersion": api_version, "kind": kind, **body}
        if namespace:
            body["metadata"]["namespace"] = namespace
        answer = self.ask("/test/put", body)
        self.assertIn(answer[0], "01", answer)

    def add_node(self, name):
        self.put("v1", "Node", node(name))
        self.put("joulie.io/v1alpha1", "NodeHardware", hardware(name))

    def twins(self):
        items = json.loads(self.ask("/apis/joulie.io/v1alpha1/nodetwins"))["items"]
        return {item["spec"]["nodeName"]: item for item in items}

    def classes(self):
        """{node: class} of the twins that have a status."""
        return {
            name: twin["status"].get("schedulableClass")
            for name, twin in self.twins().items()
            if "status" in twin
        }

    def labels(self):
        items = json.loads(self.ask("/api/v1/nodes"))["items"]
        key = "joulie.io/power-profile"
        return {item["metadata"]["name"]: item["metadata"]["labels"].get(key) for item in items}

    def start(self, *arguments):
        return Operator(
            self,
            *("--kubeconfig", self.kubeconfig, "--reconcile-interval", "100ms"),
            *("--kube-client-qps", "0"),
            *arguments,
        )

    def set_faults(self, faults):
        self.ask("/faults", faults)


class Embedded(Cluster):
    def test_a_fleet_is_decided_and_left_alone(self):
        names = [f"n{i:02}" for i in range(20)]
        for name in names:
            self.add_node(name)
        operator = self.start("--static-hp-frac", "0.5")
        wait_until("classes", lambda: len(self.classes()) == 20)
        wait_until("labels", lambda: all(self.labels().values()))
        self.assertEqual(sorted(self.classes().values()), ["eco"] * 10 + ["performance"] * 10)
        self.assertEqual(self.classes(), self.labels())
        lease = json.loads(
            self.ask(
                "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"
            )
        )
        self.assertRegex(lease["spec"]["renewTime"], r"\.\d{6}Z$")
        operator.wait_steps(2)
        self.ask("/test/writes")
        before = json.loads(self.ask("/test/counts"))["calls"]
        operator.wait_steps(10)
        self.assertEqual(self.ask("/test/writes"), "")
        self.assertLessEqual(json.loads(self.ask("/test/counts"))["calls"] - before, 2)

    def test_faults_lose_nothing(self):
        """Cut streams, 410, 429, 500 and slow bytes: the end is that without them."""
        names = [f"n{i:02}" for i in range(20)]
        for name in names[:10]:
            self.add_node(name)
        self.set_faults(FAULTS)
        operator = self.start("--static-hp-frac", "0.5")
        for turn in range(40):
            self.put("v1", "Pod", pod("p", names[turn % 10]), "default")
            if turn < 10:
                self.add_node(names[10 + turn])
            operator.wait_steps(1)
        self.ask("/test/delete?resource=pods&namespace=default&name=p", "x")
        wait_until("every kind of fault", lambda: self.has_all_faults())
        self.set_faults(NO_FAULTS)
        wait_until("twins", lambda: set(self.twins()) == set(names))
        wait_until(
            "classes",
            lambda: sorted(self.classes().values()) == ["eco"] * 10 + ["performance"] * 10,
        )
        wait_until("labels", lambda: self.labels() == self.classes())
        operator.wait_steps(3)
        counts = json.loads(self.ask("/test/counts"))
        self.assertLess(counts["calls"], 3000, "no hot loop")

    def has_all_faults(self):
        counts = json.loads(self.ask("/faults"))["counts"]
        return all(counts[name] > 0 for name in FAULTS if name != "seed")


if __name__ == "__main__":
    unittest.main()
