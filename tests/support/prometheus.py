# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus (the Debian package) on loopback, for as long as a test."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from waiting import DEADLINE_S, wait_until


class Prometheus:
    """Scrapes each address of each job once in a second. `url` is what clients of it are given.

    The targets of a job may have a path, the same one: "127.0.0.1:8080/metrics/cadvisor".
    """

    def __init__(
        self,
        case: unittest.TestCase,
        jobs: Mapping[str, Sequence[str]],
        rules: Optional[Path] = None,
        interval: str = "1s",
        takes_old: bool = False,
    ) -> None:
        """takes_old: samples of another time than the wall's, too."""
        program = shutil.which("prometheus")
        if not program:
            case.skipTest("there is no prometheus")
        self.folder = Path(tempfile.mkdtemp(prefix="joulie-prometheus-"))
        case.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.program = program
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.rules = rules
        self.interval = interval
        self.takes_old = takes_old
        self.set_jobs(jobs)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        self.url = f"http://{self.address}"
        case.addCleanup(self.stop)
        self.start()

    def set_jobs(self, jobs: Mapping[str, Sequence[str]]) -> None:
        """Written for the next start; a Prometheus that runs reads it again by reload()."""
        document = {
            "global": {"scrape_interval": self.interval, "evaluation_interval": self.interval},
            "rule_files": [str(self.rules)] if self.rules else [],
            **({"storage": {"tsdb": {"out_of_order_time_window": "20y"}}} if self.takes_old else {}),
            "scrape_configs": [
                {
                    "job_name": job,
                    "metrics_path": "/" + (addresses[0].partition("/")[2] or "metrics"),
                    "honor_labels": True,  # those of a pod, not of an exporter
                    "static_configs": [{"targets": [one.partition("/")[0] for one in addresses]}],
                }
                for job, addresses in jobs.items()
            ],
        }
        (self.folder / "prometheus.json").write_text(json.dumps(document), encoding="utf-8")  # JSON is YAML

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    self.program,
                    f"--config.file={self.folder / 'prometheus.json'}",
                    f"--storage.tsdb.path={self.folder / 'data'}",
                    f"--web.listen-address={self.address}",
                    "--web.enable-lifecycle",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(lambda: f"Prometheus is ready\n{self.log()}", self.is_ready)

    def stop(self) -> None:
        """What it stored stays for another start()."""
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")[-4000:]

    def is_ready(self) -> bool:
        assert self.process
        if self.process.poll() is not None:
            raise AssertionError(f"Prometheus ended:\n{self.log()}")
        try:
            return self._get("/-/ready").startswith("Prometheus")
        except OSError:
            return False

    def _get(self, path: str) -> str:
        with urllib.request.urlopen(self.url + path, timeout=DEADLINE_S) as answer:
            return str(answer.read().decode())

    def reload(self) -> None:
        request = urllib.request.Request(self.url + "/-/reload", method="POST")
        urllib.request.urlopen(request, timeout=DEADLINE_S).close()

    def query(self, text: str, at_s: Optional[float] = None) -> list[dict[str, Any]]:
        """The series of an instant query; an AssertionError for one that Prometheus refuses."""
        words = {"query": text, **({} if at_s is None else {"time": str(at_s)})}
        try:
            answer = json.loads(self._get("/api/v1/query?" + urllib.parse.urlencode(words)))
        except urllib.error.HTTPError as refusal:
            raise AssertionError(f"{text}: {refusal.read().decode()}") from None
        result: list[dict[str, Any]] = answer["data"]["result"]
        return result

    def alerts(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self._get("/api/v1/alerts"))["data"]["alerts"]
        return found
