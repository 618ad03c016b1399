# SPDX-License-Identifier: Apache-2.0
"""A real Kubernetes control plane on loopback: etcd, kube-apiserver (TLS, RBAC, audit log), kube-controller-manager,
kube-scheduler, and kwok, which plays the kubelets of nodes that do not exist.

Ports are free ones, files are in a folder of the run, processes end with the test that started them, however it ends:
the kernel kills them with their parent, and what an aborted run left in the folder is removed by the next.
"""

from __future__ import annotations

import ctypes
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Union

from certificates import make, make_signed
from checkout import ROOT
from waiting import wait_until

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402

PREFIX = "joulie-cluster-"  # of the folders, before the process that made them
START_S = 180  # of a program on a busy machine
IDLE_S = 60  # a server closes a connection that is idle for longer
PR_SET_PDEATHSIG = 1
FAKE = "kwok.x-k8s.io/node"
ADMIN = "admin"
AUTHORITIES = ("authority-1", "authority-2")
USERS = {
    ADMIN: "system:masters",
    "system:kube-controller-manager": "",
    "system:kube-scheduler": "",
}
# Who did what to which object, without bodies; the answers alone, and of our accounts only what matters here.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "userGroups": ["system:serviceaccounts:joulie-system"]},
        {"level": "None"},
    ],
}
LIBC = ctypes.CDLL(None)


class Refused(AssertionError):
    """An answer of the API server that is no success."""

    def __init__(self, method: str, path: str, code: int, body: str) -> None:
        super().__init__(f"{method} {path}: {code} {body[:2000]}")
        self.code = code
        self.body = body


def die_with_parent() -> None:
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def remove_left_behind() -> None:
    """Folders of runs that ended without their end."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        owner = folder.name[len(PREFIX) :].split("-")[0]
        if owner.isdigit() and not is_alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def binaries(plane: Path) -> dict[str, Path]:
    """build.Missing where they are not there and cannot be built."""
    kwok = build.program("kwok")
    names = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
    return {**{name: plane for name in names}, "kwok": kwok, "kubectl": build.program("kubectl")}


@dataclass
class Process:
    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def tail(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]

    def check(self) -> None:
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} ended with {self.process.returncode}:\n{self.tail()}")

    def end(self, number: int = signal.SIGTERM, patience_s: float = 20) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()


class Client:
    """Requests of one user, over one connection."""

    def __init__(self, port: int, certificate: Path, token: str) -> None:
        self.port = port
        self.token = token
        self.context = ssl.create_default_context(cafile=str(certificate))
        self.connection: Optional[http.client.HTTPSConnection] = None
        self.used_s = 0.0

    def close(self) -> None:
        if self.connection:
            self.connection.close()
        self.connection = None

    def send(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> tuple[int, str]:
        """Again while the server says that it is not ready for it, and where it closed an idle connection."""
        try:
            code, text = self._send(method, path, body, kind)
        except (http.client.RemoteDisconnected, ConnectionResetError):
            if method != "GET":
                raise
            code, text = self._send(method, path, body, kind)
        deadline = time.monotonic() + START_S
        while code == 429 and time.monotonic() < deadline:
            time.sleep(0.5)
            code, text = self._send(method, path, body, kind)
        return code, text

    def _send(self, method: str, path: str, body: Any, kind: str) -> tuple[int, str]:
        data = None if body is None else body if isinstance(body, str) else json.dumps(body)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = kind
        if time.monotonic() > self.used_s + IDLE_S:
            self.close()
        if not self.connection:
            self.connection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, context=self.context, timeout=120
            )
        try:
            self.connection.request(method, path, data, headers)
            answer = self.connection.getresponse()
            self.used_s = time.monotonic()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def ask(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        code, text = self.send(method, path, body, kind)
        if code >= 300:
            raise Refused(method, path, code, text)
        return json.loads(text) if text.startswith(("{", "[")) else text

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def find(self, path: str) -> Any:
        """None = it is not there."""
        code, text = self.send("GET", path)
        if code == 404:
            return None
        if code >= 300:
            raise Refused("GET", path, code, text)
        return json.loads(text)

    def items(self, path: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.get(path)["items"]
        return items

    def watch(self, path: str) -> Iterator[dict[str, Any]]:
        """Events of a path with a query, until the server or close() ends it."""
        self.close()
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context)
        self.connection = connection
        connection.request("GET", f"{path}&watch=true", headers={"Authorization": f"Bearer {self.token}"})
        for line in connection.getresponse():
            yield json.loads(line)

    def post(self, path: str, body: Any) -> Any:
        return self.ask("POST", path, body)

    def patch(self, path: str, body: Any) -> Any:
        return self.ask("PATCH", path, body, "application/merge-patch+json")

    def delete(self, path: str) -> Any:
        return self.ask("DELETE", path)


@dataclass
class ControlPlane:
    with_nodes: bool = True  # kwok, scheduler and controller-manager too
    folder: Path = field(init=False)
    running: dict[str, Process] = field(default_factory=dict)
    apiserver_options: tuple[str, ...] = ()
    program: Optional[Path] = None  # of another release than the usual one
    lease_s: int = 200  # of a node; renewed after a quarter of it

    def __post_init__(self) -> None:
        self.programs = binaries(self.program or build.program("controlplane"))
        remove_left_behind()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self.tokens = {user: secrets.token_hex(16) for user in USERS}
        self.ports = dict(zip(("etcd", "peer", "api"), free_ports(3)))
        self.url = f"https://127.0.0.1:{self.ports['api']}"
        self.certificate = self.folder / "authorities.crt"  # all that may sign for the server
        self.audit = self.folder / "audit.log"
        try:
            self._write_files()
            self._start_all()
        except BaseException:
            self.close()
            raise

    # ---- files ----

    def _write_files(self) -> None:
        (self.folder / "bin").mkdir()
        for name, program in self.programs.items():
            (self.folder / "bin" / name).symlink_to(program)
        command = ["openssl", "genrsa", "-out", str(self.folder / "sa.key"), "2048"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = [
            f'{self.tokens[user]},{user},{user},"{groups}"\n' for user, groups in USERS.items()
        ]
        (self.folder / "tokens.csv").write_text("".join(lines))
        (self.folder / "audit.json").write_text(json.dumps(AUDIT_POLICY))
        self._write_certificates()

    def _write_certificates(self) -> None:
        """Two authorities, of which the first signs."""
        for authority in AUTHORITIES:
            make(self.folder, authority)
        self.certificate.write_text("".join(self.text_of(f"{one}.crt") for one in AUTHORITIES))
        self.sign(AUTHORITIES[0])

    def text_of(self, name: str) -> str:
        return (self.folder / name).read_text()

    def sign(self, authority: str) -> None:
        """What the server shows from its next start on, and whom it knows by their certificates then."""
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        make_signed(self.folder, "server", names, authority=authority)
        (self.folder / "clients.crt").write_text(self.text_of(f"{authority}.crt"))

    def certify(self, name: str, subject: str, authority: str) -> dict[str, str]:
        """A client's certificate and key, as files, for kubeconfig()."""
        make_signed(self.folder, name, authority=authority, subject=subject)
        return {
            "client-certificate": str(self.folder / f"{name}.crt"),
            "client-key": str(self.folder / f"{name}.key"),
        }

    def kubeconfig(
        self, name: str, user: dict[str, Any], authority: Optional[Path] = None
    ) -> Path:
        """For a user with a token, or a file that has one; who signs for the server may stand in a file of its own."""
        target = self.folder / f"{name}.kubeconfig"
        cluster = {"server": self.url, "certificate-authority": str(authority or self.certificate)}
        context = {"cluster": "rig", "user": name, "namespace": "default"}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "rig",
            "clusters": [{"name": "rig", "cluster": cluster}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "rig", "context": context}],
        }
        target.write_text(json.dumps(document))
        return target

    def _kubeconfig_of(self, user: str) -> Path:
        return self.kubeconfig(user.split(":")[-1], {"token": self.tokens[user]})

    # ---- processes ----

    def start(self, name: str, *words: str, label: str = "") -> Process:
        label = label or name
        log = self.folder / f"{label}.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                [str(self.folder / "bin" / name), *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=self.folder,
                preexec_fn=die_with_parent,
            )
        self.running[label] = Process(label, process, log)
        return self.running[label]

    def stop(self, name: str, number: int = signal.SIGTERM) -> None:
        self.running.pop(name).end(number)

    def _start_all(self) -> None:
        self.start_etcd()
        self.start_apiserver()
        if not self.with_nodes:
            return
        self.start_manager()
        self.start_scheduler()
        self.start_kwok()

    def start_etcd(self) -> None:
        here = f"http://127.0.0.1:{self.ports['etcd']}"
        process = self.start(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={here}",
            f"--advertise-client-urls={here}",
            f"--listen-peer-urls=http://127.0.0.1:{self.ports['peer']}",
            "--unsafe-no-fsync",
            "--log-level=error",
        )
        self._wait_for(process, lambda: plain_get(f"{here}/health"))

    def start_apiserver(self) -> None:
        process = self.start(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self.ports['etcd']}",
            f"--tls-cert-file={self.folder / 'server.crt'}",
            f"--tls-private-key-file={self.folder / 'server.key'}",
            f"--client-ca-file={self.folder / 'clients.crt'}",
            f"--secure-port={self.ports['api']}",
            "--bind-address=127.0.0.1",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.folder / 'sa.key'}",
            f"--service-account-signing-key-file={self.folder / 'sa.key'}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--authorization-mode=RBAC",
            "--endpoint-reconciler-type=none",
            f"--token-auth-file={self.folder / 'tokens.csv'}",
            f"--audit-policy-file={self.folder / 'audit.json'}",
            f"--audit-log-path={self.audit}",
            *self.apiserver_options,
        )
        self._wait_for(process, self.is_ready)

    def start_manager(self) -> None:
        self.start(
            "kube-controller-manager",
            f"--kubeconfig={self._kubeconfig_of('system:kube-controller-manager')}",
            f"--service-account-private-key-file={self.folder / 'sa.key'}",
            "--use-service-account-credentials=true",
            "--leader-elect=false",
            "--secure-port=0",
            "--node-monitor-grace-period=10m",  # a busy machine renews no Lease in time
        )

    def start_scheduler(
        self, extenders: Optional[list[dict[str, Any]]] = None, qps: int = 1000, share_pct: int = 0
    ) -> None:
        """share_pct: percentageOfNodesToScore; 0 = as many as it takes by itself."""
        target = self.folder / "scheduler.json"
        document = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {
                "kubeconfig": str(self._kubeconfig_of("system:kube-scheduler")),
                "qps": qps,
                "burst": 2 * qps,
            },
            "leaderElection": {"leaderElect": False},
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 1,
            "percentageOfNodesToScore": share_pct,
            "extenders": extenders or [],
        }
        target.write_text(json.dumps(document))
        self.start("kube-scheduler", f"--config={target}", "--secure-port=0")

    def start_kwok(self) -> None:
        self.start(
            "kwok",
            f"--kubeconfig={self._kubeconfig_of(ADMIN)}",
            "--manage-all-nodes=false",
            f"--manage-nodes-with-annotation-selector={FAKE}=fake",
            f"--node-lease-duration-seconds={self.lease_s}",
        )

    def _wait_for(self, process: Process, is_there: Callable[[], bool]) -> None:
        def look() -> bool:
            process.check()
            return is_there()

        wait_until(lambda: f"{process.name} is ready\n{process.tail()}", look, START_S)

    def is_ready(self) -> bool:
        try:
            client = self.client(ADMIN)
            try:
                return client.send("GET", "/readyz")[0] == 200
            finally:
                client.close()
        except (OSError, http.client.HTTPException):
            return False

    def close(self) -> None:
        for process in reversed(list(self.running.values())):
            process.end(signal.SIGKILL)
        self.running.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- who asks ----

    def client(self, user: str) -> Client:
        return self.client_with(self.tokens[user])

    def client_with(self, token: str) -> Client:
        return Client(self.ports["api"], self.certificate, token)

    def kubectl(self, *words: str, stdin: Optional[str] = None, good: bool = True) -> str:
        done = subprocess.run(
            [
                str(self.programs["kubectl"]),
                f"--kubeconfig={self._kubeconfig_of(ADMIN)}",
                f"--cache-dir={self.folder / 'kubectl-cache'}",
                *words,
            ],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**os.environ, "HOME": str(self.folder)},
        )
        if good and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(words)}:\n{done.stdout[-6000:]}")
        return done.stdout

    def audit_lines(self) -> Iterator[dict[str, Any]]:
        """Those that are whole: the server may be writing."""
        if not self.audit.exists():
            return
        with self.audit.open(encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    yield json.loads(line)


def plain_get(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def fake_node(name: str, labels: Optional[dict[str, str]] = None) -> dict[str, Any]:
    resources = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "joulie.io/managed": "true",
                **(labels or {}),
            },
            "annotations": {FAKE: "fake"},
        },
        "status": {"capacity": resources, "allocatable": resources},
    }


def plain_pod(
    name: str,
    annotations: Optional[dict[str, str]] = None,
    cpu: str = "1",
    spec: Optional[dict[str, Any]] = None,
) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {
            "containers": [
                {"name": "work", "image": "none", "resources": {"requests": {"cpu": cpu}}}
            ],
            **(spec or {}),
        },
    }


def create_all(
    client: Client, path: str, objects: Union[list[dict[str, Any]], Iterator[dict[str, Any]]]
) -> None:
    for one in objects:
        client.post(path, one)


def delete_all(client: Client, path: str) -> None:
    """In parts: a server that is busy cuts what takes a minute."""
    while client.items(f"{path}?limit=1"):
        client.ask("DELETE", f"{path}?limit=100", {"gracePeriodSeconds": 0})
