# SPDX-License-Identifier: Apache-2.0
"""joulie uninstall on a real cluster: caps are given back before what asked for them goes, and nothing stays."""

from __future__ import annotations

import datetime
import json
import subprocess
from typing import Any

from checkout import DEV
from control_plane import ADMIN, create_all, fake_node
from deployed import (
    FREE_UW,
    HARDWARE,
    LEASES,
    NAMESPACE,
    NODES,
    PATIENCE_S,
    PROFILE,
    TWINS,
    Daemon,
    InCluster,
)
from waiting import wait_until

HOST = "n-0"
PROFILES = "/apis/joulie.io/v1alpha1/namespaces/default/workloadprofiles"
SCALE_DOWN = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
HOLD = "joulie.io/scale-down-disabled"
SETTINGS = {
    "RECONCILE_INTERVAL": "2s",
    "POLICY_TYPE": "static_partition",
    "STATIC_HP_FRAC": "0",
    "POWER_OFF": "true",
    "POWER_OFF_BY_AUTOSCALER": "true",
}


class Installed(InCluster):
    """A cluster with three nodes, one of which has a cap."""

    operator: Daemon
    agent: Daemon

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        create_all(cls.admin, NODES, [fake_node(f"n-{number}") for number in range(3)])
        annotations = {SCALE_DOWN: "true"}  # a person's
        cls.admin.patch(f"{NODES}/n-1", {"metadata": {"annotations": annotations}})
        cls.operator = cls.deployed.start("operator", **SETTINGS, CPU_ECO_CAP_PCT_OF_MAX="60")
        cls.agent = cls.deployed.start_agent(HOST)
        wait_until("the cap is in force", lambda: cls.deployed.limit_uw(HOST) < FREE_UW, PATIENCE_S)
        wait_until("and said to be", lambda: cls.result() == "applied", PATIENCE_S)

    @classmethod
    def result(cls) -> Any:
        twin = cls.admin.find(f"{TWINS}/{HOST}") or {}
        return twin.get("status", {}).get("controlStatus", {}).get("cpu", {}).get("result")

    def told(self, node: str) -> set[str]:
        annotations = self.admin.get(f"{NODES}/{node}")["metadata"].get("annotations", {})
        return {SCALE_DOWN, HOLD} & set(annotations)

    def start(self, *words: str, token: str = "") -> subprocess.Popen[str]:
        kubeconfig = self.plane.kubeconfig("uninstall", {"token": token or self.plane.tokens[ADMIN]})
        process = subprocess.Popen(
            [str(DEV / "bin" / "joulie"), "uninstall", "--kubeconfig", str(kubeconfig), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def run_it(self, *words: str, token: str = "") -> tuple[int, str]:
        process = self.start(*words, token=token)
        out = process.communicate(timeout=PATIENCE_S)[0]
        return process.returncode, out

    def finish(self, uninstall: subprocess.Popen[str]) -> tuple[int, str]:
        def is_done() -> bool:
            self.deployed.end_pods()
            return uninstall.poll() is not None

        wait_until("it has ended", is_done, PATIENCE_S)
        return uninstall.returncode, uninstall.communicate()[0]

    def names(self, path: str) -> list[str]:
        return [one["metadata"]["name"] for one in self.admin.items(path)]


class Uninstall(Installed):
    def test_a_user_without_the_rights_changes_nothing_and_is_told_which(self) -> None:
        token = self.deployed.token("scheduler", self.deployed.pod("scheduler"))
        status, out = self.run_it("--yes", token=token)
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"error: this user may not: .*patch nodetwins, delete nodetwins.*; nothing was changed")
        self.assertNotIn("list nodes,", out, "what it may")
        self.assertIsNone(self.operator.process.poll())
        self.assertEqual(self.result(), "applied")
        self.assertEqual(self.names(f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"), ["joulie-agent"])

    def test_programs_get_the_steps(self) -> None:
        status, out = self.run_it("--dry-run", "-o", "json")
        self.assertEqual(status, 0, out)
        answer = json.loads(out)
        self.assertEqual((answer["isDryRun"], answer["isWhole"]), (True, True))
        counts = {step["step"]: step["count"] for step in answer["steps"]}
        self.assertEqual((counts["deployments"], counts["caps"], counts["nodetwins"], counts["labels"]), (1, 3, 3, 3))
        self.assertEqual(len(self.names(TWINS)), 3)
        self.assertEqual(self.run_it("--dry-run", "--yes")[0], 2)

    def test_nothing_is_changed_until_it_is_asked_for(self) -> None:
        before = self.admin.get(f"{TWINS}/{HOST}")["spec"]
        status, out = self.run_it()
        self.assertEqual(status, 0, out)
        self.assertIn("caps of 3 nodes would be given back", out)
        self.assertIn("Nothing was changed", out)
        self.assertEqual(self.admin.get(f"{TWINS}/{HOST}")["spec"], before)
        self.assertEqual(len(self.names(TWINS)), 3)

    def test_nodes_that_are_switched_off_are_woken_before(self) -> None:
        state = "joulie.io/power-state"
        self.admin.patch(f"{NODES}/n-2", {"metadata": {"annotations": {state: "off"}}})
        self.addCleanup(
            self.admin.patch, f"{NODES}/n-2", {"metadata": {"annotations": {state: None}}}
        )
        status, out = self.run_it("--yes")
        self.assertEqual(status, 1, out)
        self.assertIn("1 nodes are switched off or left alone, such as n-2: joulie-operator --wake-all", out)
        self.assertIsNone(self.operator.process.poll())
        self.assertEqual(self.result(), "applied")

    def test_an_operator_that_is_no_pod_has_to_be_stopped_first(self) -> None:
        self.plane.kubectl("create", "namespace", "elsewhere")
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "joulie-heartbeat"},
            "spec": {"renewTime": now},
        }
        self.admin.post(LEASES.replace(NAMESPACE, "elsewhere"), lease)
        status, out = self.run_it("--yes", "--namespace=elsewhere")
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"no Deployment of elsewhere renewed its heartbeat \d+ s ago: stop it")
        self.assertEqual((self.result(), len(self.names(TWINS))), ("applied", 3))

    def test_the_caps_are_given_back_before_anything_goes(self) -> None:
        """The last one by its name: what the others leave as it is goes."""
        wait_until("the autoscaler is told", lambda: self.told("n-0") == {SCALE_DOWN, HOLD}, PATIENCE_S)
        self.assertEqual(self.told("n-1"), {SCALE_DOWN})
        for name, labels in ((ADMIN, {}), ("ours", {"app.kubernetes.io/managed-by": "joulie-operator"})):
            profile = {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "WorkloadProfile",
                "metadata": {"name": name, "labels": labels},
                "spec": {"workloadRef": {"kind": "Pod", "name": name}},
            }
            self.admin.post(PROFILES, profile)
        self.deployed.become_kubelet()
        uninstall = self.start("--yes")

        def is_given_back() -> bool:
            """Before an agent's pod is deleted, and with the twins that asked for it still there."""
            self.assertEqual(len(self.names(TWINS)), 3)
            if self.deployed.limit_uw(HOST) == FREE_UW:
                return True
            self.deployed.end_pods()
            return False

        wait_until("the cap is given back", is_given_back, PATIENCE_S)
        self.assertIsNotNone(self.operator.process.poll())
        self.assertIsNone(self.agent.process.poll())
        status, out = self.finish(uninstall)
        self.assertEqual(status, 0, out)
        self.assertIsNotNone(self.agent.process.poll())
        self.assertIn("caps of 3 nodes are taken back", out)
        self.assertEqual(self.names(TWINS), [])
        self.assertEqual(self.names(HARDWARE), [])
        self.assertEqual(self.names(LEASES), [])
        self.assertEqual(self.names(PROFILES), [ADMIN], "a person's")
        self.assertEqual(self.names(f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"), [])
        for node in self.admin.items(NODES):
            self.assertNotIn(PROFILE, node["metadata"]["labels"])
            self.assertEqual(node["metadata"]["labels"]["joulie.io/managed"], "true", "a person's")
            name = node["metadata"]["name"]
            self.assertEqual(self.told(name), {SCALE_DOWN} if name == "n-1" else set())
        self.assertEqual(self.run_it("--yes")[0], 0, "once more")


class UninstallOfASilentAgent(Installed):
    def test_an_agent_that_does_not_give_back_is_named_and_nothing_goes(self) -> None:
        self.deployed.become_kubelet()
        self.agent.process.kill()  # its joulie-capd gives back, and says nothing
        status, out = self.finish(self.start("--yes", "--timeout=3s"))
        self.assertEqual(status, 1, out)
        self.assertIn(f"1 nodes have not given back, such as {HOST}", out)
        self.assertEqual(len(self.names(TWINS)), 3)
        status, out = self.finish(self.start("--yes", "--timeout=3s", "--force"))
        self.assertIn(f"warning: 1 nodes have not given back, such as {HOST}", out)
        self.assertEqual((status, self.names(TWINS)), (0, []), out)


class UninstallBesideAnotherOperator(Installed):
    def test_one_that_stood_by_and_leads_now_has_to_be_stopped(self) -> None:
        self.deployed.become_kubelet()
        user = {"token": self.plane.tokens[ADMIN]}
        other = self.deployed.start("operator", label="outside", user=user, **SETTINGS)
        other.wait_ready()
        status, out = self.finish(self.start("--yes"))
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"another operator, \S+, leads now and would write again: stop it")
        self.assertEqual(len(self.names(TWINS)), 3)
        self.assertEqual(self.result(), "applied", "no cap was taken back")
        self.deployed.stop("outside")
        status, out = self.finish(self.start("--yes", "--force"))  # its heartbeat is young
        self.assertEqual((status, self.names(TWINS)), (0, []), out)
