# SPDX-License-Identifier: Apache-2.0
"""The embedded API server as a program, and small HTTP requests to it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
import urllib.parse
from pathlib import Path
from typing import Any

from checkout import DEV

PROGRAM = os.environ.get("JOULIE_APISERVER", str(DEV / "bin" / "apiserver_program"))
DEADLINE_S = 60

TWINS = "/apis/joulie.io/v1alpha1/nodetwins"
NODES = "/api/v1/nodes"
PODS = "/api/v1/namespaces/default/pods"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.code = response.status
        self.headers = response.headers
        self.text = response.read().decode()

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    def __repr__(self) -> str:
        return f"{self.code} {self.text[:2000]}"


class Stream:
    """A watch: frames as they come."""

    def __init__(self, connection: http.client.HTTPConnection, response: Any) -> None:
        self.connection = connection
        self.response = response
        self.code = response.status

    def next(self) -> Any:
        """The next frame; None = the stream ended as it should."""
        line = self.response.readline()
        return json.loads(line) if line else None

    def types(self, count: int) -> list[tuple[str, str]]:
        frames = [self.next() for _ in range(count)]
        return [(f["type"], f["object"]["metadata"].get("name", "")) for f in frames]

    def close(self) -> None:
        self.response.close()
        self.connection.close()


class Server:
    def __init__(self, *arguments: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.kubeconfig = Path(self.folder.name) / "kubeconfig"
        self.process = subprocess.Popen(
            [PROGRAM, "--kubeconfig-out", str(self.kubeconfig), *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rsplit(":", 1)[1])

    def close(self) -> None:
        self.process.terminate()
        code = self.process.wait(DEADLINE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.folder.cleanup()
        assert code == 0, f"the server ended with {code}"

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        connection = self.connect()
        data = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        names = {key.replace("_", "-"): value for key, value in headers.items()}
        if data is not None:
            names.setdefault("Content-Type", "application/json")
        connection.request(method, path, body=data, headers=names)
        with connection.getresponse() as response:
            answer = Answer(response)
        connection.close()
        return answer

    def get(self, path: str, **query: str) -> Answer:
        return self.ask("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.ask("POST", path, body, **headers)

    def patch(self, path: str, body: Any, kind: str = MERGE) -> Answer:
        return self.ask("PATCH", path, body, Content_Type=kind)

    def watch(self, path: str, **query: str) -> Stream:
        connection = self.connect()
        connection.request("GET", path + "?" + urllib.parse.urlencode({"watch": "1", **query}))
        return Stream(connection, connection.getresponse())

    def put(self, document: Any) -> Answer:
        return self.post("/test/put", document)

    def counts(self) -> Any:
        return self.get("/test/counts").json

    def writes(self) -> list[Any]:
        return [json.loads(line) for line in self.get("/test/writes").text.splitlines()]


def twin(name: str, labels: Any = None, **spec: Any) -> Any:
    metadata: dict[str, Any] = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeTwin",
        "metadata": metadata,
        "spec": {"nodeName": name, "profile": "eco", **spec},
    }


def node(name: str, **metadata: Any) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, **metadata},
        "status": {
            "allocatable": {"cpu": "4"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, **spec: Any) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "image": "i"}], **spec},
    }
