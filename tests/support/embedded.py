# SPDX-License-Identifier: Apache-2.0
"""The API server of the test programs, beside a test: what it holds, and faults that are drawn until each was seen."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
import urllib.request
from typing import Any, Union

from checkout import DEV
from waiting import DEADLINE_S

PROGRAM = os.environ.get("JOULIE_APISERVER", str(DEV / "bin" / "apiserver_program"))
FAULTS = ("cutStreams", "gone", "tooMany", "internal", "slowBytes")
FAULT_FRAC = 0.1
RARE_FRAC = 0.5  # few calls are left when a client waits up to 30 s after each failure


class EmbeddedApi:
    def __init__(self, case: unittest.TestCase, kubeconfig: Union[str, os.PathLike[str]]) -> None:
        self.case = case
        self.drawn_more: set[str] = set()
        server = subprocess.Popen(
            [PROGRAM, "--kubeconfig-out", str(kubeconfig), "--bookmark-ms", "50"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout
        case.addCleanup(server.stdout.close)
        case.addCleanup(server.wait)
        case.addCleanup(server.kill)
        self.url = server.stdout.readline().strip()

    def ask(self, path: str, body: Union[str, object] = None) -> str:
        data = body.encode() if isinstance(body, str) else body and json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            return answer.read().decode()

    def items(self, path: str) -> list[dict[str, Any]]:
        return json.loads(self.ask(path))["items"]

    def put(self, api_version: str, kind: str, body: dict[str, Any], namespace: str = "") -> None:
        body = {"apiVersion": api_version, "kind": kind, **body}
        if namespace:
            body["metadata"]["namespace"] = namespace
        answer = self.ask("/test/put", body)
        self.case.assertIn(answer[0], "01", answer)

    def calls_of(self, client: str) -> int:
        """Without those of the test itself, which asks until something is so."""
        rows = json.loads(self.ask("/test/counts"))["rows"]
        return sum(row["count"] for row in rows if row["client"] == client)

    def start_faults(self) -> None:
        self.drawn_more = set()
        self.set_faults({name: FAULT_FRAC for name in FAULTS})

    def has_all_faults(self) -> bool:
        """Those that were not seen are drawn more often from now on."""
        counts = json.loads(self.ask("/faults"))["counts"]
        unseen = {name for name in FAULTS if counts[name] == 0}
        if unseen != self.drawn_more:
            self.drawn_more = unseen
            self.set_faults({name: RARE_FRAC if name in unseen else FAULT_FRAC for name in FAULTS})
        return not unseen

    def end_faults(self) -> None:
        self.set_faults({name: 0 for name in FAULTS})

    def set_faults(self, fractions: dict[str, float]) -> None:
        self.ask("/faults", {"seed": 3 + len(self.drawn_more), **fractions})
