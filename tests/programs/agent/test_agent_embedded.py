# SPDX-License-Identifier: Apache-2.0
"""joulie-agent in pool mode and the embedded API server, with faults and with kill -9.

Rules: docs/rules/node-agent.md, docs/rules/kubernetes-watch.md.
"""

import json
import os
import random
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from checkout import DEV
from test_agent_cluster import AGENT, DEADLINE_S, Machines, hardware, node, stamp, twin, wait_until

PROGRAM = os.environ.get("JOULIE_APISERVER", str(DEV / "bin" / "apiserver_program"))
KILLS = 20
FAULTS = {
    "seed": 3,
    "cutStreams": 0.1,
    "gone": 0.1,
    "tooMany": 0.1,
    "internal": 0.1,
    "slowBytes": 0.1,
}
NO_FAULTS = dict.fromkeys(FAULTS, 0)
# a client that failed again and again waits up to 30 s each time
RELIST_S = 240


class Embedded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "log"
        self.log.touch()
        self.kubeconfig = Path(folder.name) / "kubeconfig"
        self.server = subprocess.Popen(
            [PROGRAM, "--kubeconfig-out", str(self.kubeconfig), "--bookmark-ms", "50"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.url = self.server.stdout.readline().strip()
        self.machines = Machines(lambda: int(time.time() * 1000))
        self.addCleanup(self.machines.stop)
        self.names = [f"n{i:02}" for i in range(12)]
        for name in self.names:
            self.put("v1", "Node", node(name))
            self.put("joulie.io/v1alpha1", "NodeHardware", hardware(name))
            self.put("joulie.io/v1alpha1", "NodeTwin", twin(name, int(time.time() * 1000), 60))

    def ask(self, path, body=None):
        data = body and json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            return answer.read().decode()

    def put(self, api_version, kind, body):
        answer = self.ask("/test/put", {"apiVersion": api_version, "kind": kind, **body})
        self.assertIn(answer[0], "01", answer)

    def want(self, name, percent):
        """A merge, as the operator's: what the agent wrote stays."""
        wanted = {
            "spec": {"cpu": {"packagePowerCapPctOfMax": percent}},
            "status": {"lastUpdated": stamp(int(time.time() * 1000))},
        }
        self.ask(f"/test/merge?resource=nodetwins&name={name}", wanted)

    def twins(self):
        items = json.loads(self.ask("/apis/joulie.io/v1alpha1/nodetwins"))["items"]
        return {item["metadata"]["name"]: item for item in items}

    def results(self):
        return [
            twin.get("status", {}).get("controlStatus", {}).get("cpu", {}).get("result")
            for _, twin in sorted(self.twins().items())
        ]

    def start(self):
        with self.log.open("ab") as log:
            agent = subprocess.Popen(
                [AGENT, "--kubeconfig", self.kubeconfig, "--metrics-addr", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={
                    **os.environ,
                    "AGENT_MODE": "pool",
                    "RECONCILE_INTERVAL": "1s",
                    "TELEMETRY_CPU_SOURCE": "http",
                    "TELEMETRY_CPU_HTTP_ENDPOINT": self.machines.url + "/telemetry/{node}",
                    "TELEMETRY_CPU_CONTROL": "http",
                    "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": self.machines.url + "/control/{node}",
                },
            )
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        return agent

    def wait_for(self, watts):
        wait_until(
            lambda: f"{watts} W: {self.machines.caps(*self.names)} {self.log.read_text()}",
            lambda: self.machines.caps(*self.names) == [watts] * len(self.names),
            RELIST_S,
        )

    def steps(self):
        return len(self.machines.reads)

    def test_faults_lose_nothing(self):
        self.ask("/faults", FAULTS)
        agent = self.start()
        turns = []

        def has_all():
            turns.append(1)
            for name in self.names:
                self.want(name, 50 + len(turns) % 10)
            counts = json.loads(self.ask("/faults"))["counts"]
            return all(counts[name] > 0 for name in FAULTS if name != "seed")

        wait_until(lambda: self.ask("/faults") + self.log.read_text(), has_all, RELIST_S)
        for name in self.names:
            self.want(name, 60)
        self.ask("/faults", NO_FAULTS)
        self.wait_for(432)
        wait_until(
            lambda: f"{self.results()} {self.log.read_text()}",
            lambda: self.results() == ["applied"] * len(self.names),
            RELIST_S,
        )
        self.assertIsNone(agent.poll())
        counts = json.loads(self.ask("/test/counts"))
        self.assertLess(counts["calls"], 3000, "no hot loop")
        agent.terminate()
        self.assertEqual(agent.wait(DEADLINE_S), 0, self.log.read_text())
        self.assertEqual(self.machines.caps(*self.names), [720] * len(self.names))

    def test_killed_again_and_again_no_cap_is_lost_and_nothing_rewritten(self):
        chance = random.Random(11)
        agent = self.start()
        self.wait_for(432)
        wait_until(self.results, lambda: self.results() == ["applied"] * len(self.names))
        self.ask("/test/writes")
        posts = len(self.machines.actions())
        for _ in range(KILLS):
            reads = self.steps() + chance.randrange(1, 30)
            wait_until(
                lambda r=reads: f"{self.steps()} of {r} reads {self.log.read_text()}",
                lambda r=reads: self.steps() >= r,
            )
            agent.kill()
            agent.wait()
            agent = self.start()
        reads = self.steps() + 3 * len(self.names)
        wait_until("the last one at work", lambda: self.steps() >= reads)
        self.assertEqual(self.machines.caps(*self.names), [432] * len(self.names))
        self.assertEqual(self.ask("/test/writes"), "")
        self.assertEqual(len(self.machines.actions()), posts)
        agent.terminate()
        self.assertEqual(agent.wait(DEADLINE_S), 0)
        self.assertEqual(self.machines.caps(*self.names), [720] * len(self.names))


if __name__ == "__main__":
    unittest.main()
