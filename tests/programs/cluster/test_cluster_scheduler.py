# SPDX-License-Identifier: Apache-2.0
"""A real kube-scheduler with joulie-scheduler as its extender, over nodes of which a third run at full power. They talk
TLS, and each shows its certificate.

`--long` takes 500 nodes and 2,000 pods; `./dev bench rate` measures the rate.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from certificates import make, make_signed
from checkout import RELEASE
from control_plane import create_all, delete_all, fake_node, free_ports, plain_pod
from deployed import NODES, PATIENCE_S, PROFILE, TWINS, Daemon, InCluster
from waiting import wait_until

IS_LONG = bool(os.environ.get("JOULIE_LONG"))
NODE_COUNT, POD_COUNT = (500, 2000) if IS_LONG else (60, 240)
CLASS = "joulie.io/workload-class"
WORK = "/api/v1/namespaces/default/pods"
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
SETTINGS = {"RECONCILE_INTERVAL": "2s", "POLICY_TYPE": "static_partition", "STATIC_HP_FRAC": "0.33"}


class Scheduling(InCluster):
    extender: Daemon

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        create_all(cls.admin, NODES, [fake_node(f"n-{n:03d}") for n in range(NODE_COUNT)])
        (port,) = free_ports(1)
        cls.address = f"127.0.0.1:{port}"
        make(cls.plane.folder, "ca")
        make_signed(cls.plane.folder, "extender", "subjectAltName=IP:127.0.0.1")
        make_signed(cls.plane.folder, "scheduler", subject="system:kube-scheduler")
        cls.deployed.start("operator", **SETTINGS).wait_ready()
        cls.start_extender()
        wait_until("every node has its profile", cls.is_decided, PATIENCE_S)

    @classmethod
    def start_extender(cls) -> None:
        program = RELEASE / "bin" / "joulie-scheduler" if IS_LONG else None
        settings = {
            "EXTENDER_ADDR": cls.address,
            "TLS_CERT_FILE": cls.file("extender.crt"),
            "TLS_KEY_FILE": cls.file("extender.key"),
            "TLS_CLIENT_CA_FILE": cls.file("ca.crt"),
            "TLS_CLIENT_NAMES": "system:kube-scheduler",
        }
        cls.extender = cls.deployed.start("scheduler", program=program, **settings)
        cls.extender.wait_ready()

    @classmethod
    def file(cls, name: str) -> str:
        return str(cls.plane.folder / name)

    @classmethod
    def is_decided(cls) -> bool:
        twins = cls.admin.items(TWINS)
        classes = [one.get("status", {}).get("schedulableClass") for one in twins]
        return len(twins) == NODE_COUNT and set(classes) == {"eco", "performance"}

    def tearDown(self) -> None:
        delete_all(self.admin, WORK)
        wait_until("no pod is left", lambda: not self.admin.items(WORK), PATIENCE_S)

    def use_extender(self, is_ignorable: bool, has_names: bool = True) -> None:
        tls = {"caFile": "ca.crt", "certFile": "scheduler.crt", "keyFile": "scheduler.key"}
        extender: dict[str, Any] = {
            "urlPrefix": f"https://{self.address}",
            "filterVerb": "filter",
            "prioritizeVerb": "prioritize",
            "weight": 1,
            "nodeCacheCapable": has_names,
            "ignorable": is_ignorable,
            "httpTimeout": "5s",
            "enableHTTPS": True,
            "tlsConfig": {key: self.file(name) for key, name in tls.items()},
        }
        if "kube-scheduler" in self.plane.running:
            self.plane.stop("kube-scheduler", signal.SIGKILL)
        self.plane.start_scheduler([extender])

    def create(self, prefix: str, count: int) -> None:
        """Of ten pods three want performance."""
        pods = [
            plain_pod(f"{prefix}-{n}", {CLASS: "performance"} if n % 10 < 3 else {}) for n in range(count)
        ]
        create_all(self.admin, WORK, pods)

    def bound(self) -> list[dict[str, Any]]:
        return [pod for pod in self.admin.items(WORK) if pod["spec"].get("nodeName")]

    def wait_until_bound(self, count: int) -> None:
        wait_until(
            lambda: f"{len(self.bound())} of {count} pods have a node", lambda: len(self.bound()) >= count, PATIENCE_S
        )

    def misplaced(self) -> list[str]:
        """Performance pods on eco nodes; profiles do not change here."""
        labels = {one["metadata"]["name"]: one["metadata"]["labels"][PROFILE] for one in self.admin.items(NODES)}
        self.assertEqual(set(labels.values()), {"eco", "performance"})
        return [
            pod["metadata"]["name"]
            for pod in self.bound()
            if pod["metadata"].get("annotations", {}).get(CLASS) == "performance"
            and labels[pod["spec"]["nodeName"]] == "eco"
        ]

    def test_no_performance_pod_is_on_an_eco_node_also_where_the_extender_dies(self) -> None:
        self.use_extender(is_ignorable=False)
        self.create("first", POD_COUNT // 2)
        self.wait_until_bound(POD_COUNT // 4)
        self.extender.end(signal.SIGKILL)
        self.create("second", POD_COUNT // 2)

        def has_failed() -> bool:
            return any(one["reason"] == "FailedScheduling" and "refused" in one.get("note", "") for one in self.admin.items(EVENTS))

        wait_until("pods wait for the extender", has_failed, PATIENCE_S)
        self.assertLess(len(self.bound()), POD_COUNT)
        self.start_extender()
        self.wait_until_bound(POD_COUNT)
        self.assertEqual(self.misplaced(), [])
        requests = self.extender.metric("joulie_scheduler_filter_requests_total")
        self.assertGreater(requests, POD_COUNT // 4)

    def test_whole_nodes_instead_of_names_keep_them_apart_too(self) -> None:
        self.use_extender(is_ignorable=False, has_names=False)
        self.create("whole", POD_COUNT // 8)
        self.wait_until_bound(POD_COUNT // 8)
        self.assertEqual(self.misplaced(), [])

    def test_an_extender_that_may_be_ignored_holds_no_pod_back(self) -> None:
        """Pods that are placed while it is away may be anywhere; those before and after it are where they belong."""
        self.use_extender(is_ignorable=True)
        self.create("before", POD_COUNT // 2)
        self.wait_until_bound(POD_COUNT // 4)
        before = {pod["metadata"]["name"] for pod in self.bound()}
        self.extender.end(signal.SIGKILL)
        try:
            self.create("without", POD_COUNT // 4)
            self.wait_until_bound(POD_COUNT // 2 + POD_COUNT // 4)
        finally:
            self.start_extender()
        away = {pod["metadata"]["name"] for pod in self.bound()} - before
        self.create("after", POD_COUNT // 4)
        self.wait_until_bound(POD_COUNT)
        misplaced = set(self.misplaced())
        self.assertNotEqual(misplaced, set(), "the extender was not what kept them away")
        self.assertEqual(misplaced - away, set())
