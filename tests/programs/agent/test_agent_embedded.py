# SPDX-License-Identifier: Apache-2.0
"""joulie-agent in pool mode and the embedded API server, with faults and with kill -9.

Rules: docs/rules/node-agent.md, docs/rules/kubernetes-watch.md.
"""

import os
import random
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from embedded import EmbeddedApi
from test_agent_cluster import AGENT, DEADLINE_S, Machines, hardware, node, stamp, twin, wait_until

KILLS = 20
# a client that failed again and again waits up to 30 s each time
RELIST_S = 240


class Embedded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "log"
        self.log.touch()
        self.kubeconfig = Path(folder.name) / "kubeconfig"
        self.api = EmbeddedApi(self, self.kubeconfig)
        self.machines = Machines(lambda: int(time.time() * 1000))
        self.addCleanup(self.machines.stop)
        self.names = [f"n{i:02}" for i in range(12)]
        for name in self.names:
            self.api.put("v1", "Node", node(name))
            self.api.put("joulie.io/v1alpha1", "NodeHardware", hardware(name))
            self.api.put("joulie.io/v1alpha1", "NodeTwin", twin(name, int(time.time() * 1000), 60))

    def want(self, name, percent):
        """A merge, as the operator's: what the agent wrote stays."""
        wanted = {
            "spec": {"cpu": {"packagePowerCapPctOfMax": percent}},
            "status": {"lastUpdated": stamp(int(time.time() * 1000))},
        }
        self.api.ask(f"/test/merge?resource=nodetwins&name={name}", wanted)

    def twins(self):
        items = self.api.items("/apis/joulie.io/v1alpha1/nodetwins")
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
        self.api.start_faults()
        agent = self.start()
        turns = []

        def has_all():
            turns.append(1)
            for name in self.names:
                self.want(name, 50 + len(turns) % 10)
            return self.api.has_all_faults()

        wait_until(lambda: self.api.ask("/faults") + self.log.read_text(), has_all, RELIST_S)
        for name in self.names:
            self.want(name, 60)
        self.api.end_faults()
        self.wait_for(432)
        wait_until(
            lambda: f"{self.results()} {self.log.read_text()}",
            lambda: self.results() == ["applied"] * len(self.names),
            RELIST_S,
        )
        self.assertIsNone(agent.poll())
        self.assertLess(self.api.calls_of("joulie-agent"), 1000, "no hot loop")
        agent.terminate()
        self.assertEqual(agent.wait(DEADLINE_S), 0, self.log.read_text())
        self.assertEqual(self.machines.caps(*self.names), [720] * len(self.names))

    def test_killed_again_and_again_no_cap_is_lost_and_nothing_rewritten(self):
        chance = random.Random(11)
        agent = self.start()
        self.wait_for(432)
        wait_until(self.results, lambda: self.results() == ["applied"] * len(self.names))
        self.api.ask("/test/writes")
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
        self.assertEqual(self.api.ask("/test/writes"), "")
        self.assertEqual(len(self.machines.actions()), posts)
        agent.terminate()
        self.assertEqual(agent.wait(DEADLINE_S), 0)
        self.assertEqual(self.machines.caps(*self.names), [720] * len(self.names))


if __name__ == "__main__":
    unittest.main()
