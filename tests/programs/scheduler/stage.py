# SPDX-License-Identifier: Apache-2.0
"""The embedded API server and joulie-scheduler as programs, for tests and the benchmark."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from checkout import DEV
from waiting import DEADLINE_S, wait_until

SCHEDULER = os.environ.get("JOULIE_SCHEDULER", str(DEV / "bin" / "joulie-scheduler"))
API = os.environ.get("JOULIE_APISERVER", str(DEV / "bin" / "apiserver_program"))
GROUP = "/apis/joulie.io/v1alpha1"
PATHS = {
    "Node": "/api/v1/nodes",
    "NodeTwin": f"{GROUP}/nodetwins",
    "NodeHardware": f"{GROUP}/nodehardwares",
    "Pod": "/api/v1/namespaces/d/pods",
}


def ago(seconds):
    then = datetime.now(timezone.utc) - timedelta(seconds=seconds)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def cpu_s(pid):
    """What a process has spent so far, user and system."""
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Program:
    """One process; its log is a file, so that it never waits for us."""

    def __init__(self, folder, name, command, environment=None):
        self.log = Path(folder) / f"{name}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
            )

    def logged(self, pattern):
        """The first group of a line of the log."""

        def look():
            if self.process.poll() is not None:
                raise AssertionError(f"it ended: {self.log.read_text()}")
            return re.search(pattern, self.log.read_text())

        return wait_until(pattern, look).group(1)

    def close(self):
        """At the end of a test, however it ended."""
        self.process.kill()
        self.process.wait(DEADLINE_S)
        for connection in self.connections():
            connection.close()

    def connections(self):
        return []

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)


class Connection:
    """Requests over one connection; opened anew when the server closed it. With an ssl.SSLContext over TLS."""

    def __init__(self, port, tls=None):
        if tls:
            self.inner = http.client.HTTPSConnection("localhost", port, timeout=DEADLINE_S, context=tls)
        else:
            self.inner = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)

    def ask(self, method, path, body=None, kind="application/json"):
        headers = {"Content-Type": kind} if body is not None and kind else {}
        text = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        try:
            self.inner.request(method, path, text, headers)
            answer = self.inner.getresponse()
            return answer.status, answer.read()
        except (http.client.HTTPException, OSError):
            self.inner.close()
            raise

    def close(self):
        self.inner.close()


class ApiServer(Program):
    def __init__(self, folder, name="api", port=0):
        super().__init__(
            folder, name, [API, "--address", f"127.0.0.1:{port}", "--bookmark-ms", "300"]
        )
        self.url = self.logged(r"(http://127\.0\.0\.1:\d+)")
        self.port = int(self.url.rsplit(":", 1)[1])
        self.connection = Connection(self.port)

    def connections(self):
        return [self.connection]

    def call(self, method, path, body=None, kind="application/json"):
        status, text = self.connection.ask(method, path, body, kind)
        if status >= 400:
            raise AssertionError(f"{method} {path}: {status} {text[:500]}")
        return json.loads(text)

    def put(self, thing):
        """Creates an object or replaces it, its status too."""
        self.call("POST", "/test/put", thing)

    def delete(self, kind, name):
        self.call("DELETE", f"{PATHS[kind]}/{name}")


class Scheduler(Program):
    def __init__(
        self, folder, server, *options, name="scheduler", addr="127.0.0.1:0", tls=None, **environment
    ):
        command = [SCHEDULER, "--server", server, "--extender-addr", addr]
        super().__init__(
            folder, name, [*command, "--metrics-addr", "127.0.0.1:0", *options], environment
        )
        scheme = "https" if tls else "http"
        self.port = int(self.logged(rf"requests at {scheme}://127\.0\.0\.1:(\d+)"))
        self.metrics_port = int(self.logged(r"metrics and probes at http://127\.0\.0\.1:(\d+)"))
        self.connection = Connection(self.port, tls)
        self.metrics_connection = Connection(self.metrics_port)

    def connections(self):
        return [self.connection, self.metrics_connection]

    def is_ready(self):
        return self.metrics_connection.ask("GET", "/readyz")[0] == 200

    def ask(self, verb, body, kind="application/json"):
        return self.connection.ask("POST", f"/{verb}", body, kind)

    def filter(self, pod, names):
        status, text = self.ask("filter", {"Pod": pod, "Nodes": None, "NodeNames": names})
        assert status == 200, text
        return json.loads(text)

    def prioritize(self, pod, names):
        status, text = self.ask("prioritize", {"Pod": pod, "Nodes": None, "NodeNames": names})
        assert status == 200, text
        return {one["Host"]: one["Score"] for one in json.loads(text)}

    def metrics(self):
        return self.metrics_connection.ask("GET", "/metrics")[1].decode()


def pod(workload_class=None, cpu="1"):
    annotations = {"joulie.io/workload-class": workload_class} if workload_class else {}
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {
        "metadata": {"name": "p", "namespace": "d", "annotations": annotations},
        "spec": {"containers": [container]},
    }


def node(name, label=None):
    labels = {"joulie.io/power-profile": label} if label else {}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def hardware(name):
    return {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeHardware",
        "metadata": {"name": name},
        "spec": {"nodeName": name},
        "status": {"cpu": {"model": "AMD_EPYC_9654", "sockets": 2, "totalCores": 192}},
    }


def twin(name, schedulable_class, age_s=0, headroom=70, cooling=20, capped=1000, measured=300):
    return {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeTwin",
        "metadata": {"name": name},
        "spec": {"nodeName": name, "profile": "eco"},
        "status": {
            "schedulableClass": schedulable_class,
            "predictedPowerHeadroomScore": headroom,
            "predictedCoolingStressScore": cooling,
            "powerMeasurement": {
                "source": "http",
                "measuredNodePowerW": measured,
                "nodeCappedPowerW": capped,
            },
            "lastUpdated": ago(age_s),
        },
    }


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Stage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        self.count = 0

    def keep(self, program):
        self.addCleanup(program.close)
        return program

    def api(self, **options):
        self.count += 1
        return self.keep(ApiServer(self.here, name=f"api{self.count}", **options))

    def scheduler(self, server, *options, **environment):
        self.count += 1
        name = f"scheduler{self.count}"
        return self.keep(Scheduler(self.here, server, *options, name=name, **environment))

    def two_nodes(self):
        api = self.api()
        for thing in (
            node("eco-1", "eco"),
            node("perf-1", "performance"),
            twin("eco-1", "eco"),
            twin("perf-1", "performance"),
        ):
            api.put(thing)
        return api

    def ready(self, api, *options, **environment):
        scheduler = self.scheduler(api.url, *options, **environment)
        wait_until("readyz", scheduler.is_ready)
        return scheduler
