# SPDX-License-Identifier: Apache-2.0
"""joulie-operator and the embedded API server, with and without faults."""

import json
import tempfile
import unittest

from embedded import EmbeddedApi
from test_operator import Operator, hardware, node, pod, wait_until

# a client that failed again and again waits up to 30 s each time
FAULTS_S = 240


class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.kubeconfig = f"{self.folder}/kubeconfig"
        self.api = EmbeddedApi(self, self.kubeconfig)

    def add_node(self, name):
        self.api.put("v1", "Node", node(name))
        self.api.put("joulie.io/v1alpha1", "NodeHardware", hardware(name))

    def twins(self):
        items = self.api.items("/apis/joulie.io/v1alpha1/nodetwins")
        return {item["spec"]["nodeName"]: item for item in items}

    def classes(self):
        """{node: class} of the twins that have a status."""
        return {
            name: twin["status"].get("schedulableClass")
            for name, twin in self.twins().items()
            if "status" in twin
        }

    def labels(self):
        items = self.api.items("/api/v1/nodes")
        key = "joulie.io/power-profile"
        return {item["metadata"]["name"]: item["metadata"]["labels"].get(key) for item in items}

    def start(self, *arguments):
        return Operator(
            self,
            *("--kubeconfig", self.kubeconfig, "--reconcile-interval", "100ms"),
            *("--kube-client-qps", "0", "--leader-elect", "false"),
            *arguments,
        )


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
            self.api.ask(
                "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"
            )
        )
        self.assertRegex(lease["spec"]["renewTime"], r"\.\d{6}Z$")
        operator.wait_steps(2)
        self.api.ask("/test/writes")
        before = json.loads(self.api.ask("/test/counts"))["calls"]
        operator.wait_steps(10)
        self.assertEqual(self.api.ask("/test/writes"), "")
        self.assertLessEqual(json.loads(self.api.ask("/test/counts"))["calls"] - before, 2)

    def put_agent_pod(self, ready):
        labels = {"app.kubernetes.io/name": "j", "app.kubernetes.io/component": "agent"}
        condition = {"type": "Ready", "status": "True" if ready else "False"}
        meta = {"name": "agent-x", "labels": labels}
        meta["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u"}
        ]
        agent = {"metadata": meta, "spec": {"nodeName": "n1"}}
        agent["status"] = {"phase": "Running", "conditions": [condition]}
        self.api.put("v1", "Pod", agent, "power")

    def test_the_cap_of_an_agent_whose_pod_is_not_ready_is_not_in_force(self):
        def in_force():
            status = self.twins().get("n1", {}).get("status", {})
            return status.get("effectiveCapState", {}).get("cpuPct")

        self.add_node("n1")
        self.put_agent_pod(True)
        self.start(
            *("--static-hp-frac", "0", "--namespace", "power"),
            *("--agent-selector", "app.kubernetes.io/component=agent"),
        )
        for ready, pct in ((True, 60), (False, 100), (True, 60)):
            self.put_agent_pod(ready)
            wait_until(f"{pct} % in force", lambda p=pct: in_force() == p)

    def test_faults_lose_nothing(self):
        """Cut streams, 410, 429, 500 and slow bytes: the end is that without them."""
        names = [f"n{i:02}" for i in range(20)]
        for name in names[:10]:
            self.add_node(name)
        self.api.start_faults()
        operator = self.start("--static-hp-frac", "0.5")
        for turn in range(40):
            self.api.put("v1", "Pod", pod("p", names[turn % 10]), "default")
            if turn < 10:
                self.add_node(names[10 + turn])
            operator.wait_steps(1)
        self.api.ask("/test/delete?resource=pods&namespace=default&name=p", "x")
        wait_until("every kind of fault", self.api.has_all_faults, FAULTS_S)
        self.api.end_faults()
        wait_until("twins", lambda: set(self.twins()) == set(names), FAULTS_S)
        wait_until(
            "classes",
            lambda: sorted(self.classes().values()) == ["eco"] * 10 + ["performance"] * 10,
            FAULTS_S,
        )
        wait_until("labels", lambda: self.labels() == self.classes(), FAULTS_S)
        operator.wait_steps(3)
        self.assertLess(self.api.calls_of("joulie-operator"), 1000, "no hot loop")


if __name__ == "__main__":
    unittest.main()
