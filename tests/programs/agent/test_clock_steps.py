# SPDX-License-Identifier: Apache-2.0
"""joulie-agent and joulie-operator whose wall clock is set back by an hour, or on by ten days.

Intervals and deadlines go on by the monotonic clock; only stamps follow the wall
(docs/rules/programs.md#time).
"""

import json
import os
import subprocess
import time
import unittest

from checkout import RELEASE, ROOT
from faketime import Wall
from test_agent_cluster import FOUND_UW, POWERCAP, Cluster, fakes, stamp, write_host
from waiting import DEADLINE_S, wait_until

MOVES = {"-1h": -3600, "+10d": 864000}


class ClockSteps(Cluster):
    def setUp(self):
        super().setUp()
        self.wall = Wall(self.folder)
        self.root = self.folder / "root"
        write_host("intel-2s", self.root)
        self.limits = [
            self.root / POWERCAP / f"intel-rapl:{package}" / "constraint_0_power_limit_uw"
            for package in (0, 1)
        ]

    def start(self, program, *arguments):
        path = self.folder / f"log{len(self.logs)}"
        with path.open("wb") as log:
            process = subprocess.Popen(
                [str(RELEASE / "bin" / program), "--server", self.api.url]
                + ["--metrics-addr", "127.0.0.1:0", *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.wall.env},
            )
        process.path = path
        self.logs.append(path)
        self.addCleanup(self.end, process)
        return process

    def start_agent_here(self):
        return self.start("joulie-agent", "--root", self.root, "--node-name", "n1")

    def want(self, watts):
        self.api.put(
            "nodetwins",
            {
                "metadata": {"name": "n1"},
                "spec": {
                    "nodeName": "n1",
                    "profile": "eco",
                    "cpu": {"packagePowerCapWatts": watts},
                },
                "status": {"lastUpdated": stamp(self.now_ms())},
            },
        )

    def wait_for_limits(self, limit_uw):
        wait_until(
            lambda: f"{limit_uw} uW; {self.said()}",
            lambda: [int(file.read_text() or -1) for file in self.limits] == [limit_uw] * 2,
            20,
        )

    def test_an_agent_goes_on_when_its_clock_is_set_back(self):
        agent = self.start_agent_here()
        self.want(120)
        self.wait_for_limits(120000000)
        self.wall.move("-1h")
        self.want(150)
        self.wait_for_limits(150000000)
        self.assertEqual(self.ask(agent, "/livez")[0], 200)

    def test_the_kill_switch_works_at_any_time(self):
        self.start_agent_here()
        for offset in MOVES:
            with self.subTest(offset):
                self.wall.move("+0")
                self.want(120)
                self.wait_for_limits(120000000)
                self.wall.move(offset)
                done = subprocess.run(
                    [RELEASE / "bin" / "joulie", "cap", "release", "--all", "--root", self.root],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    timeout=DEADLINE_S,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["failed"], [])
                self.wait_for_limits(FOUND_UW)
                (self.root / "etc/joulie/disable").unlink()

    def test_an_operator_goes_on_when_its_clock_is_set(self):
        self.api.put("nodes", {"metadata": {"name": "n1", "labels": {"joulie.io/managed": "true"}}})
        operator = self.start(
            "joulie-operator", "--reconcile-interval", "1s", "--heartbeat-interval", "1s"
        )
        beat = lambda: (  # noqa: E731
            (self.api.get("leases", "joulie-heartbeat", "joulie-system") or {}).get("spec", {})
        ).get("renewTime", "")
        wait_until(lambda: f"a heartbeat; {self.said()}", beat)
        for offset, moved_s in MOVES.items():
            with self.subTest(offset):
                self.wall.move(offset)
                about = stamp(self.now_ms() + moved_s * 1000)[:13]
                near = stamp(self.now_ms() + moved_s * 1000 + 60000)[:13]
                wait_until(
                    lambda a=about, n=near: f"a heartbeat in {a}: {beat()}",
                    lambda a=about, n=near: beat().startswith((a, n)),
                    20,
                )
                before = beat()
                wait_until("another one", lambda b=before: beat() != b, 20)
                self.assertEqual(self.ask(operator, "/livez")[0], 200)


if __name__ == "__main__":
    unittest.main()
