# SPDX-License-Identifier: Apache-2.0
"""/livez of each daemon: peers that are silent do not fail it, a loop that is blocked does
(docs/rules/programs.md#health)."""

import contextlib
import http.client
import json
import signal
import socket
import sys
import time
import unittest

from checkout import ROOT
from test_descriptors import WITH_PORTS, listening
from test_service import COMMANDS, NOBODY, Program
from waiting import DEADLINE_S, wait_until

sys.path.insert(0, str(ROOT / "tests" / "programs" / "operator"))

import operator_fakes as fakes  # noqa: E402

LONG_S = 8.0  # more than /livez allows a step of a short interval
PROBE_S = 1.0  # timeoutSeconds of a probe


def probe(port, timeout_s=DEADLINE_S):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status
    finally:
        connection.close()


class Liveness(Program):
    def ports_of(self, program):
        return wait_until(
            lambda: f"a port; {(self.folder / 'log').read_text()}",
            lambda: [port for _, port in listening(program.pid)],
        )

    def open_silent(self):
        """Somebody who was stopped: the kernel takes connections, and that is all."""
        silent = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.addCleanup(silent.close)
        return silent

    def count_peers(self, silent):
        """Of those who wait for an answer."""
        count = 0
        silent.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                count += 1
        return count

    def make_cluster(self):
        api = fakes.Api()
        self.addCleanup(api.stop)
        api.put("nodes", {"metadata": {"name": "n1", "labels": {"joulie.io/managed": "true"}}})
        spec = {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 120}}
        updated = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        twin = {"metadata": {"name": "n1"}, "spec": spec, "status": {"lastUpdated": updated}}
        api.put("nodetwins", twin)
        return ["--server", api.url, "--metrics-addr", "127.0.0.1:0", "--reconcile-interval", "1s"]

    def start_beside(self, silent):
        """Each daemon, with peers that do not answer."""
        cluster = self.make_cluster()
        node = silent + "/{node}"
        endpoints = {
            "TELEMETRY_CPU_SOURCE": "http",
            "TELEMETRY_CPU_HTTP_ENDPOINT": node,
            "TELEMETRY_CPU_CONTROL": "http",
            "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": node,
        }
        power = {"OPERATOR_NODE_POWER_SOURCE": "http", "OPERATOR_NODE_POWER_HTTP_ENDPOINT": node}
        job = {"type": "job", "jobId": "a", "submitTimeOffsetSec": 0, "work": {"cpuUnits": 1e9}}
        job["podTemplate"] = {"requests": {"cpu": "4", "memory": "1Gi"}}
        trace = self.folder / "trace.jsonl"
        trace.write_text(json.dumps(job) + "\n")
        scheduler = [silent if word == NOBODY else word for word in COMMANDS["scheduler"]]
        world = [*COMMANDS["simulator"], "--trace", trace, "--extender-url", silent]
        return {
            "agent": self.start("agent", [*cluster, "--agent-mode", "pool"], **endpoints),
            "operator": self.start("operator", cluster, **power),
            "scheduler": self.start("scheduler", scheduler),
            "simulator": self.start("simulator", world),
        }

    def test_peers_that_are_silent_do_not_fail_it(self):
        silent = self.open_silent()
        programs = self.start_beside(f"http://127.0.0.1:{silent.getsockname()[1]}")
        ports = {name: self.ports_of(program) for name, program in programs.items()}
        end = time.monotonic() + LONG_S
        while time.monotonic() < end:
            for name, places in ports.items():
                for port in places:
                    self.assertEqual(probe(port), 200, (name, (self.folder / "log").read_text()))
            time.sleep(0.2)
        self.assertGreaterEqual(self.count_peers(silent), len(programs))

    def test_a_loop_that_is_blocked_answers_no_probe(self):
        for name, arguments in WITH_PORTS.items():
            with self.subTest(name):
                program = self.start(name, arguments)
                ports = self.ports_of(program)
                program.send_signal(signal.SIGSTOP)
                for port in ports:
                    with self.assertRaises(TimeoutError):
                        probe(port, PROBE_S)
                program.send_signal(signal.SIGCONT)
                for port in ports:
                    wait_until("life", lambda place=port: probe(place) == 200)
                self.end(program)


if __name__ == "__main__":
    unittest.main()
