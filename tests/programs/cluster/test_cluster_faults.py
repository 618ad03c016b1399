# SPDX-License-Identifier: Apache-2.0
"""What only a real API server does to the programs: it restarts, compacts, forgets a token, loses a kind."""

from __future__ import annotations

import datetime
import json
import signal
import subprocess
import time
import urllib.request
from typing import Any, Optional

from checkout import DEV
from control_plane import ADMIN, AUTHORITIES, create_all, fake_node
from deployed import (
    FOLLOWED_S,
    FREE_UW,
    HARDWARE,
    LEASES,
    NODES,
    PATIENCE_S,
    PODS,
    PROFILE,
    TWINS,
    InCluster,
    replace_text,
)
from waiting import wait_until

NAMES = [f"n-{number}" for number in range(6)]
EXEC = "client.authentication.k8s.io/v1"
HOST = NAMES[0]  # the node with an agent that has a machine
# Every node is eco, at 60 %, and a step is soon.
SETTINGS = {
    "RECONCILE_INTERVAL": "2s",
    "POLICY_TYPE": "static_partition",
    "STATIC_HP_FRAC": "0",
    "CPU_ECO_CAP_PCT_OF_MAX": "60",
}


class Faults(InCluster):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        create_all(cls.admin, NODES, [fake_node(name) for name in NAMES])
        cls.operator = cls.deployed.start("operator", **SETTINGS)
        cls.agent = cls.deployed.start_agent(HOST)
        cls.extender = cls.deployed.start("scheduler")
        for daemon in (cls.operator, cls.agent, cls.extender):
            daemon.wait_ready()

    def setUp(self) -> None:
        self.wait_until_calm()

    # ---- what is so when all is well ----

    def twin(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.admin.find(f"{TWINS}/{name}") or {}
        return found

    def result(self) -> Optional[str]:
        control = self.twin(HOST).get("status", {}).get("controlStatus", {})
        found: Optional[str] = control.get("cpu", {}).get("result")
        return found

    def has_hardware(self) -> bool:
        found = self.admin.find(f"{HARDWARE}/{HOST}") or {}
        return "cpu" in found.get("status", {})

    def labels(self) -> set[str]:
        return {one["metadata"]["labels"].get(PROFILE, "") for one in self.admin.items(NODES)}

    def is_calm(self) -> bool:
        twins = self.admin.find(TWINS)
        specs = {one["spec"]["nodeName"] for one in (twins or {"items": []})["items"]}
        return (
            {one["metadata"]["name"] for one in self.admin.items(NODES)} == specs
            and self.labels() == {"eco"}
            and self.result() == "applied"
            and self.deployed.limit_uw(HOST) == FREE_UW * 6 // 10
            and self.has_hardware()
        )

    def wait_until_calm(self) -> None:
        def logs() -> str:
            return "all is well\n" + "\n".join(one.tail() for one in self.deployed.daemons.values())

        wait_until(logs, self.is_calm, PATIENCE_S)

    def add_node(self, name: str) -> None:
        """One that the caches have to see, so that it gets a twin and a label."""
        self.admin.post(NODES, fake_node(name))
        self.addCleanup(self.remove_node, name)
        self.wait_until_calm()

    def remove_node(self, name: str) -> None:
        if self.admin.find(f"{NODES}/{name}"):
            self.admin.delete(f"{NODES}/{name}")

    # ---- faults ----

    def test_the_api_server_restarts(self) -> None:
        self.plane.stop("kube-apiserver", signal.SIGKILL)
        self.admin.close()
        self.plane.start_apiserver()
        ready_s = time.monotonic()
        self.add_node("n-late")
        self.assertLess(time.monotonic() - ready_s, FOLLOWED_S)
        for daemon in (self.operator, self.agent, self.extender):
            daemon.wait_ready()

    def test_the_history_is_compacted_while_the_operator_hears_nothing(self) -> None:
        self.admin.post(NODES, fake_node("n-brief"))
        self.wait_until_calm()
        before = self.operator.metric("joulie_kube_watch_expired_total")
        self.operator.process.send_signal(signal.SIGSTOP)
        try:
            self.remove_node("n-brief")
            self.admin.post(NODES, fake_node("n-new"))
            self.addCleanup(self.remove_node, "n-new")
            self.plane.stop("kube-apiserver", signal.SIGKILL)
            self.admin.close()
            self.compact()
            self.plane.start_apiserver()
        finally:
            self.operator.process.send_signal(signal.SIGCONT)
        self.wait_until_calm()  # the twin of the node that is gone is gone
        self.assertGreaterEqual(self.operator.metric("joulie_kube_watch_expired_total"), before)

    def compact(self) -> None:
        etcd = f"http://127.0.0.1:{self.plane.ports['etcd']}/v3/kv"

        def ask(path: str, body: dict[str, Any]) -> dict[str, Any]:
            request = urllib.request.Request(f"{etcd}/{path}", json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=60) as answer:
                found: dict[str, Any] = json.load(answer)
            return found

        revision = ask("range", {"key": "AA=="})["header"]["revision"]
        ask("compaction", {"revision": revision, "physical": True})

    def test_a_token_ends_with_its_pod_and_the_next_one_is_read(self) -> None:
        for component, node in (("operator", None), ("agent", HOST), ("scheduler", None)):
            label = f"joulie-{component}" + (f"-{node}" if node else "")
            pods = self.admin.items(f"{PODS}?labelSelector=app.kubernetes.io/component%3D{component}")
            for pod in pods:  # their tokens are refused from now on
                name = pod["metadata"]["name"]
                self.admin.ask("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
            self.deployed.renew_token(label, component, node)
        self.add_node("n-after")
        for daemon in (self.operator, self.agent, self.extender):
            daemon.wait_ready()

    def test_certificates_are_replaced(self) -> None:
        """Of the server by one of another authority, which is made known before, and of a client afterwards."""
        old, new = AUTHORITIES
        subject = "system:serviceaccount:joulie-system:joulie-scheduler"
        subject += "/O=system:serviceaccounts/O=system:serviceaccounts:joulie-system"
        certified = self.deployed.start(
            "scheduler", label="certified", user=self.plane.certify("certified", subject, old)
        )
        self.addCleanup(self.deployed.stop, "certified")
        certified.wait_ready()
        self.deployed.trust(old, new)
        self.plane.sign(new)
        self.plane.stop("kube-apiserver", signal.SIGKILL)
        self.admin.close()
        self.plane.start_apiserver()
        self.deployed.trust(new)
        self.add_node("n-signed")
        for daemon in (self.operator, self.agent, self.extender):
            daemon.wait_ready()
        certified.wait_said("401")
        self.plane.certify("certified", subject, new)
        certified.wait_ready()
        wait_until(lambda: f"it follows again\n{certified.tail()}", certified.follows_all, PATIENCE_S)

    # ---- who the programs are ----

    def plugin(self, name: str, answer: dict[str, Any]) -> dict[str, Any]:
        """A user of a kubeconfig whose plugin gives this answer, counts its runs and says so."""
        answer = {"apiVersion": EXEC, "kind": "ExecCredential", "status": answer}
        replace_text(self.plane.folder / f"{name}.answer", json.dumps(answer))
        script = self.plane.folder / f"{name}.plugin"
        script.write_text(f'#!/bin/sh\ncd {self.plane.folder}\necho run >>{name}.runs\necho "a plugin runs" >&2\ncat "$1"\n')
        script.chmod(0o700)
        how = {"apiVersion": EXEC, "interactiveMode": "Never"}
        return {"exec": {**how, "command": str(script), "args": [f"{name}.answer"]}}

    def runs(self, name: str) -> int:
        return len((self.plane.folder / f"{name}.runs").read_text().splitlines())

    def test_a_plugin_says_who_a_daemon_is(self) -> None:
        token = self.deployed.token("scheduler", self.deployed.pod("scheduler"))
        user = self.plugin("plugged", {"token": "nobody"})
        daemon = self.deployed.start("scheduler", label="plugged", user=user)
        self.addCleanup(self.deployed.stop, "plugged")
        daemon.wait_said("401")
        self.assertFalse(daemon.is_ready())
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=12)
        self.plugin("plugged", {"token": token, "expirationTimestamp": soon.strftime("%Y-%m-%dT%H:%M:%SZ")})
        daemon.wait_ready()
        runs = self.runs("plugged")
        self.plane.stop("kube-apiserver", signal.SIGKILL)
        self.admin.close()
        self.plane.start_apiserver()  # watches begin anew, after the end of what the plugin said
        wait_until(lambda: f"it is asked again\n{daemon.tail()}", lambda: self.runs("plugged") > runs, PATIENCE_S)
        daemon.wait_ready()
        self.assertTrue(daemon.said("a plugin runs"))
        self.assertFalse(daemon.said(token))

    def test_a_plugin_says_who_a_person_is(self) -> None:
        user = self.plugin("person", {"token": self.plane.tokens[ADMIN]})
        kubeconfig = self.plane.kubeconfig("person", user, self.deployed.trusted)
        command = [str(DEV / "bin" / "joulie"), "status", "--kubeconfig", str(kubeconfig)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(HOST, done.stdout)
        self.assertIn("a plugin runs", done.stderr)
        self.assertEqual(self.runs("person"), 1)
        (self.plane.folder / "person.answer").write_text(self.plane.tokens[ADMIN])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("users[0].user.exec.command: its answer is no ExecCredential", done.stderr)
        self.assertNotIn(self.plane.tokens[ADMIN], done.stderr)

    def test_a_token_that_a_kubelet_has_not_written_yet_is_waited_for(self) -> None:
        file = self.plane.folder / "late.token"
        file.write_text("")
        daemon = self.deployed.start("scheduler", label="late", user={"tokenFile": str(file)})
        self.addCleanup(self.deployed.stop, "late")
        daemon.wait_said("late.token: the token is empty; it is waited for")
        self.assertEqual(daemon.get("/readyz")[0], 500)
        replace_text(file, self.deployed.token("scheduler", self.deployed.pod("scheduler")))
        daemon.wait_ready()

    def test_a_kind_is_deleted_and_comes_back(self) -> None:
        self.plane.kubectl("delete", "crd", "nodetwins.joulie.io", "--wait=true")
        wait_until("no cap without a twin", lambda: self.deployed.limit_uw(HOST) == FREE_UW, PATIENCE_S)
        self.deployed.apply()
        self.wait_until_calm()

    def test_hardware_that_is_deleted_comes_back(self) -> None:
        for _ in range(3):
            self.admin.delete(f"{HARDWARE}/{HOST}")
            wait_until("it is back", self.has_hardware, PATIENCE_S)

    def test_twins_and_leases_that_are_deleted_come_back(self) -> None:
        self.admin.delete(TWINS)
        for name in ("joulie-heartbeat", f"joulie-agent-{HOST}"):
            if self.admin.find(f"{LEASES}/{name}"):
                self.admin.delete(f"{LEASES}/{name}")
        self.wait_until_calm()

    def test_kubectl_shows_age_and_whole_scores(self) -> None:
        lines = self.plane.kubectl("get", "nt").splitlines()
        heads, first = lines[0].split(), lines[1].split()
        row = dict(zip(heads, first))
        self.assertEqual(heads[-1], "AGE")
        self.assertRegex(row["POWERHEADROOM"], r"^\d+$")
        self.assertRegex(first[-1], r"^\d+[smh]")
