# SPDX-License-Identifier: Apache-2.0
"""The rights of deploy/kustomize on a real API server with 200 nodes and 1,000 pods: each program works with those of
its own account, and asks for each of them. The server's audit log is the judge.
"""

from __future__ import annotations

import unittest
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from control_plane import Client, create_all, fake_node, plain_pod
from deployed import (
    HARDWARE,
    LEASES,
    NAMESPACE,
    NODES,
    PATIENCE_S,
    PROFILE,
    TWINS,
    InCluster,
    documents,
)
from waiting import wait_until

NODE_COUNT = 200
POD_COUNT = 1000
PERFORMANCE_COUNT = 100
BIG_COUNT = 40  # pods that need a node each: twice as many as are performance anyway
WORK = "/api/v1/namespaces/default/pods"
CLASS = "joulie.io/workload-class"
ENFORCED = ("n-000", "n-001.example")  # nodes with an agent that has a machine
ADOPTED = "n-001-example"  # the name of the objects of the second
GONE = "n-gone"  # takes no pods, and is removed
# Pods that want performance come and go, and profiles follow at once.
QUICK = {
    "POLICY_TYPE": "queue_aware_v1",
    "RECONCILE_INTERVAL": "2s",
    "MIN_PROFILE_DWELL": "0s",
    "QUEUE_SCALE_DOWN_DELAY": "0s",
    "QUEUE_HP_BASE_FRAC": "0.1",
}
CLASSIFIED = "classified"
PROFILES = f"/apis/joulie.io/v1alpha1/namespaces/{CLASSIFIED}/workloadprofiles"
OWNERS = ("Pod", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob")
# Nobody answers there: what annotations say is written all the same.
CLASSIFIER = {
    "PROMETHEUS_ADDRESS": "http://127.0.0.1:1",
    "CLASSIFY_NAMESPACES": CLASSIFIED,
    "CLASSIFY_INTERVAL": "1s",
    "CLASSIFY_GRACE": "0s",
}


@dataclass(frozen=True)
class Row:
    """One right of an account."""

    account: str
    group: str
    resource: str
    verb: str
    namespace: str = ""  # "" = all
    name: str = ""  # "" = any

    def covers(self, use: Row) -> bool:
        same = (self.account, self.group, self.resource, self.verb) == (
            use.account,
            use.group,
            use.resource,
            use.verb,
        )
        return (
            same and self.namespace in ("", use.namespace) and self.name in ("", use.name)
        )


def rows_of(objects: list[dict[str, Any]]) -> set[Row]:
    """What roles and bindings of rendered manifests give to accounts."""
    rules = {
        (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]): one["rules"]
        for one in objects
        if one["kind"] in ("Role", "ClusterRole")
    }
    rows = set()
    for binding in objects:
        if binding["kind"] not in ("RoleBinding", "ClusterRoleBinding"):
            continue
        role = binding["roleRef"]
        namespace = binding["metadata"].get("namespace", "")
        at = namespace if role["kind"] == "Role" else ""
        for rule in rules[(role["kind"], at, role["name"])]:
            for subject in binding["subjects"]:
                rows |= set(rows_of_rule(subject["name"], namespace, rule))
    return rows


def rows_of_rule(account: str, namespace: str, rule: dict[str, Any]) -> Iterator[Row]:
    for group in rule["apiGroups"]:
        for resource in rule["resources"]:
            for verb in rule["verbs"]:
                for name in rule.get("resourceNames", [""]):
                    yield Row(account, group, resource, verb, namespace, name)


def use_of(line: dict[str, Any]) -> Optional[Row]:
    """What a line of the audit log says was used; None = no resource of the API."""
    thing = line.get("objectRef")
    if not thing:
        return None
    resource = thing["resource"] + (f"/{thing['subresource']}" if "subresource" in thing else "")
    return Row(
        line["user"]["username"].rsplit(":", 1)[1],
        thing.get("apiGroup", ""),
        resource,
        line["verb"],
        thing.get("namespace", ""),
        thing.get("name", ""),
    )


def judge(rows: set[Row], uses: set[Row]) -> tuple[list[Row], list[Row]]:
    """Uses that no right covers, and rights that are needed for none: of each use another covers it too."""
    covered = {use: {row for row in rows if row.covers(use)} for use in uses}
    alone = {row for by in covered.values() if len(by) == 1 for row in by}
    return [use for use, by in covered.items() if not by], sorted(rows - alone, key=str)


class Judge(unittest.TestCase):
    LIST = Row("joulie-agent", "", "nodes", "list")
    OWN = Row("joulie-agent", "coordination.k8s.io", "leases", "patch", NAMESPACE, "own")

    def test_a_right_that_is_missing_is_noticed(self) -> None:
        other = Row("joulie-agent", "coordination.k8s.io", "leases", "patch", NAMESPACE, "other")
        self.assertEqual(judge({self.LIST, self.OWN}, {self.LIST, self.OWN}), ([], []))
        self.assertEqual(judge({self.OWN}, {self.LIST, self.OWN}), ([self.LIST], []))
        self.assertEqual(judge({self.LIST, self.OWN}, {self.LIST, self.OWN, other}), ([other], []))

    def test_a_right_that_nobody_uses_is_noticed(self) -> None:
        self.assertEqual(judge({self.LIST, self.OWN}, {self.LIST}), ([], [self.OWN]))

    def test_a_right_that_another_one_covers_is_noticed(self) -> None:
        every = Row("joulie-agent", "coordination.k8s.io", "leases", "patch", NAMESPACE)
        self.assertEqual(judge({every, self.OWN}, {self.OWN}), ([], [every, self.OWN]))


class Rights(InCluster):
    lines: list[dict[str, Any]]  # of the audit log, before a test asks for what it may not

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        names = [f"n-{number:03d}" for number in range(NODE_COUNT)]
        names[1] = ENFORCED[1]
        closed = {**fake_node(GONE), "spec": {"taints": [{"key": "closed", "effect": "NoSchedule"}]}}
        create_all(cls.admin, NODES, [fake_node(name) for name in names] + [closed])
        cls.live()
        cls.lines = list(cls.plane.audit_lines())

    @classmethod
    def live(cls) -> None:
        """Everything that the programs ask for, once at least."""
        deployed, admin = cls.deployed, cls.admin
        admin.post(  # by hand, or by an older agent: it is adopted
            HARDWARE,
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "NodeHardware",
                "metadata": {"name": ADOPTED},
                "spec": {"nodeName": ENFORCED[1]},
            },
        )
        operator = deployed.start("operator", **QUICK, **CLASSIFIER)
        extender = deployed.start("scheduler", SCORING_PROFILE="efficiency")
        operator.wait_ready()
        extender.wait_ready()
        cls.use_extender(extender.address("requests"))
        for name in ENFORCED:
            deployed.start_agent(name).wait_ready()
        cls.fill()
        wait_until(
            "every twin has a status", lambda: cls.count_predicted() == NODE_COUNT + 1, PATIENCE_S
        )
        wait_until("agents report", lambda: all(map(cls.report_of, ENFORCED)), PATIENCE_S)
        cls.flip()
        cls.classify()
        cls.wire()
        admin.delete(f"{NODES}/{GONE}")
        wait_until("its twin goes", lambda: admin.find(f"{TWINS}/{GONE}") is None, PATIENCE_S)

    @classmethod
    def use_extender(cls, url: str) -> None:
        cls.plane.stop("kube-scheduler")
        extender = {
            "urlPrefix": url,
            "filterVerb": "filter",
            "prioritizeVerb": "prioritize",
            "weight": 1,
            "nodeCacheCapable": True,
            "ignorable": False,
            "httpTimeout": "30s",
        }
        cls.plane.start_scheduler([extender])

    @classmethod
    def fill(cls) -> None:
        """1,000 pods, which the real scheduler places with the extender."""
        eager = {CLASS: "performance"}
        pods = [
            plain_pod(f"p-{number:04d}", eager if number < PERFORMANCE_COUNT else {}, cpu="4")
            for number in range(POD_COUNT)
        ]
        create_all(cls.admin, WORK, pods)
        query = f"{WORK}?fieldSelector=status.phase%3DRunning"
        wait_until(
            "all pods run", lambda: len(cls.admin.items(query)) == POD_COUNT, PATIENCE_S
        )

    @classmethod
    def wire(cls) -> None:
        """A TelemetryProfile is judged, and its status says so."""
        path = "/apis/joulie.io/v1alpha1/telemetryprofiles"
        cls.admin.post(
            path,
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "TelemetryProfile",
                "metadata": {"name": "wrong"},
                "spec": {"target": {"scope": "node"}},
            },
        )
        wait_until(
            lambda: f"a condition: {cls.admin.get(f'{path}/wrong')}",
            lambda: cls.admin.get(f"{path}/wrong").get("status", {}).get("observedGeneration") == 1,
            PATIENCE_S,
        )

    @classmethod
    def classify(cls) -> None:
        """A Deployment gets a profile, one that is stored gets an owner, those of nobody go."""
        admin = cls.admin
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CLASSIFIED}}
        admin.post("/api/v1/namespaces", space)
        pods = f"/api/v1/namespaces/{CLASSIFIED}/pods"
        orphans = [cls.own_profile(kind, f"gone-{kind.lower()}") for kind in OWNERS]
        create_all(admin, PROFILES, [*orphans, cls.own_profile("Pod", "alone")])
        admin.post(pods, plain_pod("alone", {}))
        admin.post(
            f"/apis/apps/v1/namespaces/{CLASSIFIED}/deployments",
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "web"},
                "spec": {
                    "replicas": 2,
                    "selector": {"matchLabels": {"app": "web"}},
                    "template": {
                        "metadata": {"labels": {"app": "web"}},
                        "spec": plain_pod("web", {})["spec"],
                    },
                },
            },
        )
        wait_until(
            lambda: f"profiles: {sorted(cls.stored_profiles())}",
            lambda: set(cls.stored_profiles()) == {"pod-alone", "deployment-web"}
            and all(
                "ownerReferences" in one["metadata"] and "status" in one
                for one in cls.stored_profiles().values()
            ),
            PATIENCE_S,
        )

    @staticmethod
    def own_profile(kind: str, name: str) -> dict[str, Any]:
        return {
            "apiVersion": "joulie.io/v1alpha1",
            "kind": "WorkloadProfile",
            "metadata": {
                "name": f"{kind.lower()}-{name}",
                "labels": {"app.kubernetes.io/managed-by": "joulie-operator"},
            },
            "spec": {"workloadRef": {"kind": kind, "name": name}},
        }

    @classmethod
    def stored_profiles(cls) -> dict[str, Any]:
        return {one["metadata"]["name"]: one for one in cls.admin.items(PROFILES)}

    @classmethod
    def count_predicted(cls) -> int:
        return sum("schedulableClass" in twin.get("status", {}) for twin in cls.admin.items(TWINS))

    @classmethod
    def report_of(cls, node: str) -> Any:
        twins = [twin for twin in cls.admin.items(TWINS) if twin["spec"]["nodeName"] == node]
        return twins and twins[0].get("status", {}).get("controlStatus")

    @classmethod
    def profiles(cls) -> dict[str, str]:
        return {
            node["metadata"]["name"]: node["metadata"]["labels"].get(PROFILE, "")
            for node in cls.admin.items(NODES)
        }

    @classmethod
    def flip(cls) -> None:
        """A node becomes eco twice: an Event of it is written, then a series of it."""

        def events() -> list[dict[str, Any]]:
            return cls.admin.items("/apis/events.k8s.io/v1/namespaces/default/events")

        def is_series() -> bool:
            return any(
                one["reason"] == "ProfileChanged" and one.get("series") for one in events()
            )

        names = [f"big-{number}" for number in range(BIG_COUNT)]
        for _ in range(3):
            before = cls.profiles()
            eager = {CLASS: "performance"}
            create_all(cls.admin, WORK, [plain_pod(name, eager, cpu="40") for name in names])
            wait_until("more nodes are performance", lambda: cls.profiles() != before, PATIENCE_S)
            for name in names:
                cls.admin.ask("DELETE", f"{WORK}/{name}", {"gracePeriodSeconds": 0})
            wait_until(
                "they are eco again", lambda: cls.profiles() == before or is_series(), PATIENCE_S
            )
            if is_series():
                return
        raise AssertionError("no profile changed twice")

    # ---- what came of it ----

    def test_nothing_was_forbidden(self) -> None:
        forbidden = {
            str(use_of(line))
            for line in self.lines
            if line.get("responseStatus", {}).get("code") in (401, 403)
        }
        self.assertEqual(forbidden, set())

    def test_every_right_is_needed_and_none_is_missing(self) -> None:
        rows = rows_of(documents(self.plane, self.deployed.rendered))
        uses = {use for use in map(use_of, self.lines) if use}
        self.assertEqual({row.account for row in rows}, {use.account for use in uses})
        missing, unneeded = judge(rows, uses)
        self.assertEqual((missing, unneeded), ([], []))

    def test_every_managed_node_has_twin_and_label(self) -> None:
        profiles = self.profiles()
        self.assertEqual(set(profiles.values()), {"eco", "performance"})
        twins = {twin["spec"]["nodeName"]: twin["spec"]["profile"] for twin in self.admin.items(TWINS)}
        self.assertEqual(set(twins), set(profiles))

    def test_a_profile_goes_with_its_deployment(self) -> None:
        """The cluster removes it, by its owner reference."""
        path = f"/apis/apps/v1/namespaces/{CLASSIFIED}/deployments/web"
        uid = self.admin.get(path)["metadata"]["uid"]
        profile = self.stored_profiles()["deployment-web"]
        self.assertEqual([one["uid"] for one in profile["metadata"]["ownerReferences"]], [uid])
        self.assertEqual(profile["status"]["classificationReason"], "hints only (no metrics available)")
        self.admin.delete(path)
        wait_until("it goes", lambda: set(self.stored_profiles()) == {"pod-alone"}, PATIENCE_S)

    def test_no_performance_pod_is_on_an_eco_node(self) -> None:
        profiles = self.profiles()
        for pod in self.admin.items(WORK):
            if pod["metadata"].get("annotations", {}).get(CLASS) == "performance":
                self.assertEqual(profiles[pod["spec"]["nodeName"]], "performance", pod["metadata"]["name"])

    # ---- what they may not ----

    def client_of(self, component: str, node: Optional[str] = None) -> Client:
        pod = self.deployed.pod(component, node)
        client = self.plane.client_with(self.deployed.token(component, pod))
        self.addCleanup(client.close)
        return client

    def assert_forbidden(self, client: Client, method: str, path: str, body: Any, why: str) -> None:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        code, text = client.send(method, path, body, kind)
        self.assertEqual((code, why in text), (403, True), text)

    def test_an_agent_writes_what_is_about_its_own_node(self) -> None:
        """The control values: the same requests as below, about the agent's node."""
        agent = self.client_of("agent", "n-003")
        control = {"cpu": {"result": "none"}, "gpu": {"result": "none"}}
        agent.patch(f"{TWINS}/n-003/status", {"status": {"controlStatus": control}})
        agent.post(HARDWARE, self.hardware("n-003", "n-003"))
        agent.patch(f"{HARDWARE}/n-003/status", {"status": {"quality": {"overall": "complete"}}})
        agent.post(LEASES, self.lease("joulie-agent-n-003"))
        agent.patch(f"{LEASES}/joulie-agent-n-003", {"spec": {"holderIdentity": "n-003"}})

    def test_an_agent_writes_nothing_about_another_node(self) -> None:
        agent = self.client_of("agent", "n-004")
        control = {"status": {"controlStatus": {"cpu": {"result": "none"}}}}
        why = "the agent of node n-004 may not write objects of another node"
        self.assert_forbidden(agent, "PATCH", f"{TWINS}/n-005/status", control, why)
        self.assert_forbidden(agent, "POST", HARDWARE, self.hardware("n-005", "n-005"), why)
        self.assert_forbidden(agent, "POST", HARDWARE, self.hardware("n-004", "n-005"), why)
        stolen = {"spec": {"nodeName": "n-004"}}
        self.assert_forbidden(agent, "PATCH", f"{HARDWARE}/{ADOPTED}", stolen, why)
        why = "the agent of node n-004 may write its own Lease only"
        for name in ("joulie-agent-n-000", "joulie-heartbeat"):
            self.assert_forbidden(agent, "PATCH", f"{LEASES}/{name}", {"spec": {"holderIdentity": "x"}}, why)
        self.assert_forbidden(agent, "POST", LEASES, self.lease("joulie-agent-n-006"), why)

    def test_an_agent_decides_nothing(self) -> None:
        agent = self.client_of("agent", "n-004")
        why = "writes status.controlStatus of a NodeTwin and nothing else"
        for status in ({"schedulableClass": "unknown"}, {"schedulableClass": None}, {"estimatedPUE": 9}):
            self.assert_forbidden(agent, "PATCH", f"{TWINS}/n-004/status", {"status": status}, why)
        cannot = "cannot patch resource"
        spec = {"spec": {"profile": "performance"}}
        self.assert_forbidden(agent, "PATCH", f"{TWINS}/n-004", spec, cannot)
        label = {"metadata": {"labels": {PROFILE: "performance"}}}
        self.assert_forbidden(agent, "PATCH", f"{NODES}/n-004", label, cannot)

    def test_a_token_that_is_bound_to_no_pod_writes_nothing(self) -> None:
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/joulie-agent/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token = self.admin.post(path, request)["status"]["token"]
        agent = self.plane.client_with(token)
        self.addCleanup(agent.close)
        why = "is bound to no pod on a node"
        self.assert_forbidden(agent, "POST", HARDWARE, self.hardware("n-007", "n-007"), why)

    def test_nobody_reads_secrets_or_removes_nodes(self) -> None:
        for component in ("operator", "agent", "scheduler"):
            client = self.client_of(component)
            self.assert_forbidden(client, "GET", "/api/v1/secrets", None, "cannot list resource")
            self.assert_forbidden(client, "DELETE", f"{NODES}/n-008", None, "cannot delete resource")

    def test_the_extender_writes_nothing(self) -> None:
        extender = self.client_of("scheduler")
        label = {"metadata": {"labels": {PROFILE: "performance"}}}
        self.assert_forbidden(extender, "PATCH", f"{NODES}/n-004", label, "cannot patch resource")
        control = {"status": {"schedulableClass": "performance"}}
        self.assert_forbidden(extender, "PATCH", f"{TWINS}/n-004/status", control, "cannot patch resource")

    @staticmethod
    def hardware(name: str, node: str) -> dict[str, Any]:
        return {
            "apiVersion": "joulie.io/v1alpha1",
            "kind": "NodeHardware",
            "metadata": {"name": name},
            "spec": {"nodeName": node},
        }

    @staticmethod
    def lease(name: str) -> dict[str, Any]:
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name},
            "spec": {"holderIdentity": name},
        }
