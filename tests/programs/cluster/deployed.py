# SPDX-License-Identifier: Apache-2.0
"""The programs as deploy/kustomize deploys them: its objects in the cluster, and each program as a process with the
token of its own pod, so that it has exactly the rights of its account.

The pods are those that the cluster makes of the Deployments and the DaemonSet; kwok plays the kubelets, and this
module the container.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from checkout import DEV, ROOT
from control_plane import ADMIN, AUTHORITIES, ControlPlane, Process, die_with_parent
from waiting import wait_until

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402

NAMESPACE = "joulie-system"
KUSTOMIZE = ROOT / "deploy" / "kustomize"
HOSTS = ROOT / "tests" / "support" / "fixtures" / "hosts.py"
TWINS = "/apis/joulie.io/v1alpha1/nodetwins"
HARDWARE = "/apis/joulie.io/v1alpha1/nodehardwares"
NODES = "/api/v1/nodes"
AGENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/joulie-agent"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
TOKEN_S = 3600
PROFILE = "joulie.io/power-profile"
LIMIT = "sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/constraint_0_power_limit_uw"
FREE_UW = 205_000_000  # the limit of a machine without a cap
FOLLOWED_S = 60.0  # from where a server is ready to where all is as before; a few on a machine of its own
PATIENCE_S = 240  # for a cluster on a busy machine
# Of a program on its own host; a shell around the tests has names of its own.
OUTSIDE = ("PATH", "HOME", "LANG", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")


@dataclass
class Daemon(Process):
    """One of our programs."""

    began_at: int = 0  # in its log: one of the same label may have written there before

    def address(self, what: str) -> str:
        """Where it serves "metrics and probes" or "requests"."""
        pattern = re.compile(rf"{what} at (http://127\.0\.0\.1:\d+)")

        def look() -> Optional[str]:
            self.check()
            text = self.log.read_bytes()[self.began_at :]
            found = pattern.search(text.decode(errors="replace"))
            return found and found[1]

        return str(wait_until(lambda: f"{self.name} serves\n{self.tail()}", look, PATIENCE_S))

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(self.address("metrics and probes") + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.read().decode()

    def is_ready(self) -> bool:
        self.check()
        return self.get("/readyz")[0] == 200

    def said(self, text: str) -> bool:
        self.check()
        return text in self.log.read_text(errors="replace")

    def wait_said(self, text: str) -> None:
        wait_until(lambda: f"{self.name} says {text}\n{self.tail()}", lambda: self.said(text), PATIENCE_S)

    def wait_ready(self) -> None:
        wait_until(lambda: f"{self.name} is ready\n{self.tail()}", self.is_ready, PATIENCE_S)

    def follows_all(self) -> bool:
        """The last word of each cache in the log is that it follows again."""
        self.check()
        text = self.log.read_text(errors="replace")
        last = dict(re.findall(r'component=kube msg="([a-z]+): (.*)"', text))
        return all(word == "followed again" for word in last.values())

    def metric(self, name: str) -> float:
        """The sum of its series."""
        lines = self.get("/metrics")[1].splitlines()
        return sum(
            float(line.rsplit(" ", 1)[1]) for line in lines if re.match(rf"{name}[ {{]", line)
        )


class Deployed:
    """What `kubectl apply -k deploy/kustomize` makes of a cluster, and the processes of its pods."""

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        self.admin = plane.client(ADMIN)
        self.daemons: dict[str, Daemon] = {}
        self.of_pods: dict[str, Daemon] = {}
        self.rendered = render(plane)
        self.trusted = plane.folder / "trusted.crt"  # who signs for the server, as our programs know it
        self.trust(*AUTHORITIES[:1])
        self.apply()

    def apply(self) -> None:
        """As a person would, and again until the kinds are served."""
        words = ["apply", "--server-side", "--validate=strict", "-f", "-"]
        self.plane.kubectl(*words, stdin=self.rendered)
        wait_until("the kinds are served", lambda: self.admin.find(TWINS) is not None, PATIENCE_S)

    def leave_out_agents(self) -> None:
        """No pod of the DaemonSet, where there are many nodes and nobody plays agents."""
        self.admin.patch(AGENTS, {"spec": {"template": {"spec": {"nodeSelector": {"joulie.io/agents": "none"}}}}})

    def trust(self, *authorities: str) -> None:
        replace_text(self.trusted, "".join(self.plane.text_of(f"{one}.crt") for one in authorities))

    # ---- pods and tokens ----

    def pod(self, component: str, node: Optional[str] = None) -> dict[str, Any]:
        """A pod of a component that has a node, or that on the node."""
        query = f"{PODS}?labelSelector=app.kubernetes.io/component%3D{component}"

        def look() -> Optional[dict[str, Any]]:
            for pod in self.admin.items(query):
                place = pod["spec"].get("nodeName")
                if place and node in (None, place) and "deletionTimestamp" not in pod["metadata"]:
                    return pod
            return None

        found: dict[str, Any] = wait_until(f"a pod of {component} on {node}", look, PATIENCE_S)
        return found

    def operator_pods(self) -> list[dict[str, Any]]:
        """Both."""
        query = f"{PODS}?labelSelector=app.kubernetes.io/component%3Doperator"

        def look() -> list[dict[str, Any]]:
            pods = [pod for pod in self.admin.items(query) if pod["spec"].get("nodeName")]
            return pods if len(pods) == 2 else []

        found: list[dict[str, Any]] = wait_until("both pods of the operator", look, PATIENCE_S)
        return found

    def renew_token(self, label: str, component: str, node: Optional[str] = None) -> None:
        """The file that a process reads has another token."""
        replace_text(self.plane.folder / f"{label}.token", self.token(component, self.pod(component, node)))

    def token(self, component: str, pod: dict[str, Any]) -> str:
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/joulie-{component}/token"
        meta = pod["metadata"]
        bound = {"kind": "Pod", "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"]}
        spec = {"expirationSeconds": TOKEN_S, "boundObjectRef": bound}
        answer = self.admin.post(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
        return str(answer["status"]["token"])

    # ---- processes ----

    def start(
        self,
        component: str,
        *options: str,
        node: Optional[str] = None,
        label: str = "",
        program: Optional[Path] = None,
        user: Optional[dict[str, Any]] = None,
        pod: Optional[dict[str, Any]] = None,
        **settings: str,
    ) -> Daemon:
        """The program of the component with the environment that its manifest gives it, but for addresses.

        user: of the kubeconfig; else the one of the pod's token. pod: else any.
        """
        label = label or f"joulie-{component}" + (f"-{node}" if node else "")
        pod = pod or self.pod(component, node)
        if not user:
            token_file = self.plane.folder / f"{label}.token"
            token_file.write_text(self.token(component, pod))
            user = {"tokenFile": str(token_file)}
        kubeconfig = self.plane.kubeconfig(label, user, self.trusted)
        environment = {name: os.environ[name] for name in OUTSIDE if name in os.environ}
        environment.update(self.environment(component, pod))
        for name in ("METRICS_ADDR", "EXTENDER_ADDR"):
            if name in environment:
                environment[name] = "127.0.0.1:0"
        environment.update({"KUBECONFIG": str(kubeconfig)}, **settings)
        log = self.plane.folder / f"{label}.log"
        with log.open("ab") as out:
            began_at = out.tell()
            process = subprocess.Popen(
                [str(program or DEV / "bin" / f"joulie-{component}"), *options],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=environment,
                preexec_fn=die_with_parent,
            )
        daemon = Daemon(label, process, log, began_at)
        self.daemons[label] = daemon
        return daemon

    def start_agent(self, node: str, **settings: str) -> Daemon:
        """An agent that writes limits, to a machine of its own: a recorded server with two packages."""
        machine = self.plane.folder / f"machine-{node}"
        if not machine.exists():
            subprocess.run([sys.executable, str(HOSTS), "intel-2s", str(machine)], check=True)
        words = (f"--root={machine}", "--agent-mode=daemonset", "--enforce")
        return self.start("agent", *words, node=node, **settings)

    def limit_uw(self, node: str) -> int:
        """Of the machine of the agent on a node."""
        return int((self.plane.folder / f"machine-{node}" / LIMIT).read_text())

    @staticmethod
    def environment(component: str, pod: dict[str, Any]) -> dict[str, str]:
        """The variables of the pod's container, as a kubelet resolves them."""
        fields = {
            "metadata.namespace": pod["metadata"]["namespace"],
            "metadata.name": pod["metadata"]["name"],
            "spec.nodeName": pod["spec"]["nodeName"],
        }
        (container,) = [one for one in pod["spec"]["containers"] if one["name"] == component]
        return {
            one["name"]: one.get("value") or fields[one["valueFrom"]["fieldRef"]["fieldPath"]]
            for one in container["env"]
        }

    def stop(self, label: str, number: int = signal.SIGTERM) -> int:
        return self.daemons.pop(label).end(number, PATIENCE_S)

    # ---- the kubelet's part: kwok removes a pod at once, a kubelet ends its container first ----

    def become_kubelet(self) -> None:
        self.plane.stop("kwok")
        for label, daemon in self.daemons.items():
            component, _, node = label.removeprefix("joulie-").partition("-")
            self.of_pods[self.pod(component, node or None)["metadata"]["name"]] = daemon

    def end_pods(self) -> None:
        """Those that are deleted."""
        for pod in self.admin.items(PODS):
            name = pod["metadata"]["name"]
            if "deletionTimestamp" not in pod["metadata"]:
                continue
            if name in self.of_pods:
                self.of_pods[name].end()
            self.admin.ask("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})

    def close(self) -> None:
        for daemon in self.daemons.values():
            daemon.end(signal.SIGKILL)
        self.daemons.clear()


class InCluster(unittest.TestCase):
    """Tests that share a control plane with our objects in it."""

    plane: ControlPlane
    deployed: Deployed

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.plane = ControlPlane()
        except build.Missing as reason:
            raise unittest.SkipTest(str(reason)) from None
        cls.addClassCleanup(cls.plane.close)
        cls.deployed = Deployed(cls.plane)
        cls.addClassCleanup(cls.deployed.close)
        cls.admin = cls.deployed.admin
        cls.addClassCleanup(cls.admin.close)


def replace_text(file: Path, text: str) -> None:
    """As a kubelet does: whoever reads it has the old one or the new one."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    beside.replace(file)


def render(plane: ControlPlane, folder: Path = KUSTOMIZE) -> str:
    return plane.kubectl("kustomize", str(folder))


def documents(plane: ControlPlane, text: str) -> list[dict[str, Any]]:
    """Objects of manifests, read by kubectl: it knows their kinds by the server."""
    words = ["create", "--dry-run=client", "--validate=false", "--output=json", "-f", "-"]
    out = plane.kubectl(*words, stdin=text)
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder()
    at = 0
    while at < len(out):
        one, at = decoder.raw_decode(out, at)
        found += one["items"] if one["kind"] == "List" else [one]
        while at < len(out) and out[at].isspace():
            at += 1
    return found
