# SPDX-License-Identifier: Apache-2.0
"""Each daemon while its wall clock is set back by an hour, or on by ten days.

Intervals, ages and deadlines go on by the monotonic clock; only stamps follow the wall
(docs/rules/programs.md#time). The API server, and whoever else writes there, keeps its clock.
"""

import json
import os
import re
import subprocess
import time
import unittest
import urllib.request

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
        cluster = ["--server", self.api.url, "--metrics-addr", "127.0.0.1:0"]
        return self.start_alone(program, *cluster, *arguments)

    def start_alone(self, program, *arguments):
        path = self.folder / f"log{len(self.logs)}"
        with path.open("wb") as log:
            process = subprocess.Popen(
                [str(RELEASE / "bin" / program), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.wall.env},
            )
        process.path = path
        self.logs.append(path)
        self.addCleanup(self.end, process)
        return process

    def start_agent_here(self, *arguments):
        return self.start("joulie-agent", "--root", self.root, "--node-name", "n1", *arguments)

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
                "status": {
                    "schedulableClass": "eco",
                    "predictedPowerHeadroomScore": 70,
                    "predictedCoolingStressScore": 20,
                    "lastUpdated": stamp(self.now_ms()),
                },
            },
        )

    def read_limits(self):
        return [int(file.read_text() or -1) for file in self.limits]

    def wait_for_limits(self, limit_uw):
        wait_until(
            lambda: f"{limit_uw} uW; {self.said()}",
            lambda: self.read_limits() == [limit_uw] * 2,
        )

    def test_an_agent_goes_on_when_its_clock_is_set_back(self):
        agent = self.start_agent_here()
        self.want(120)
        self.wait_for_limits(120000000)
        self.wall.move("-1h")
        self.want(150)
        self.wait_for_limits(150000000)
        self.assertEqual(self.ask(agent, "/livez")[0], 200)

    def stay(self, limit_uw, seconds):
        """What an agent that took the wall for the time would have given back meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.assertEqual(self.read_limits(), [limit_uw] * 2, self.said())
            time.sleep(0.05)

    def test_an_agent_whose_clock_is_set_on_believes_the_operator(self):
        self.start_agent_here("--spec-read-timeout", "500ms")
        self.beat()
        self.want(120)
        self.wait_for_limits(120000000)
        self.wall.move("+10d")
        self.stay(120000000, 3)
        self.beat()
        self.want(150)
        self.wait_for_limits(150000000)
        self.stay(150000000, 3)

    def test_an_agent_whose_clock_is_set_back_gives_up_in_time(self):
        self.start_agent_here(
            "--spec-read-timeout", "1s", "--twin-staleness-threshold", "8s", "--twin-max-age", "8s"
        )
        self.want(120)
        self.wait_for_limits(120000000)
        self.wall.move("-1h")
        self.wait_for_limits(FOUND_UW)

    def test_an_agent_of_a_file_goes_on(self):
        spec = self.folder / "spec.yaml"
        want = "{nodeName: n1, profile: eco, cpu: {packagePowerCapWatts: 120}}"
        spec.write_text(want)
        agent = self.start_alone("joulie-agent", "--root", self.root, "--spec", spec)
        self.wait_for_limits(120000000)
        for offset, watts in zip(MOVES, (140, 150)):
            self.wall.move(offset)
            spec.write_text(want.replace("120", str(watts)))
            self.wait_for_limits(watts * 1000000)
        self.assertEqual(self.finish(agent), 0, self.said())
        self.wait_for_limits(FOUND_UW)

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

    def renew(self, seconds):
        """The agent's Lease, by a clock that nobody sets."""
        lease = {
            "metadata": {"name": "joulie-agent-n1"},
            "spec": {
                "holderIdentity": "n1",
                "leaseDurationSeconds": seconds,
                "renewTime": stamp(self.now_ms())[:-1] + ".000000Z",
            },
        }
        self.api.put("leases", lease, "joulie-system")

    def in_force(self):
        status = (self.api.get("nodetwins", "n1") or {}).get("status", {})
        return status.get("effectiveCapState", {}).get("cpuPct")

    def wait_for_cap_in_force(self, pct):
        wait_until(
            lambda: f"{pct} %: {self.api.get('nodetwins', 'n1')} {self.said()}",
            lambda: self.in_force() == pct,
        )

    def test_an_operator_knows_who_is_alive_whatever_its_clock_shows(self):
        self.api.put("nodes", {"metadata": {"name": "n1", "labels": {"joulie.io/managed": "true"}}})
        self.renew(60)
        operator = self.start(
            "joulie-operator", "--reconcile-interval", "200ms", "--static-hp-frac", "0"
        )
        self.wait_for_cap_in_force(60)
        self.wall.move("+10d")
        done = lambda: self.metrics(operator)['joulie_operator_steps_total']  # noqa: E731
        before = done()
        self.renew(60)
        wait_until("some steps", lambda: done() > before + 5)
        self.assertEqual(self.in_force(), 60)
        self.wall.move("-1h")
        self.renew(3)
        self.wait_for_cap_in_force(100)
        self.renew(600)
        self.wait_for_cap_in_force(60)

    def test_a_scheduler_knows_how_old_twins_are_whatever_its_clock_shows(self):
        self.api.put("nodes", {"metadata": {"name": "n1"}})
        self.want(120)
        arguments = ["--debug-scoring", "--extender-addr", "127.0.0.1:0"]
        for offset, threshold, is_stale in (("+10d", "5m", False), ("-1h", "5s", True)):
            with self.subTest(offset):
                self.wall.move("+0")
                self.want(120)
                scheduler = self.start(
                    "joulie-scheduler", *arguments, "--twin-staleness-threshold", threshold
                )
                wait_until("its caches", lambda s=scheduler: self.ask(s, "/readyz")[0] == 200)
                url = re.search(r"requests at (\S+?)\"", scheduler.path.read_text())[1]
                self.wall.move(offset)

                def stale(url=url):
                    with urllib.request.urlopen(url + "/debug/scoring", timeout=DEADLINE_S) as reply:
                        return json.load(reply)["nodes"][0]["stale"]

                wait_until(f"stale {is_stale}", lambda is_as=is_stale: stale() == is_as)
                self.end(scheduler)

    def test_a_simulated_world_goes_on(self):
        (self.folder / "inventory.yaml").write_text("nodes: [{node_name: n, cpu_cores: 16}]\n")
        trace = {"type": "job", "jobId": "a", "submitTimeOffsetSec": 0, "work": {"cpuUnits": 3200}}
        trace["podTemplate"] = {"requests": {"cpu": "16", "memory": "1Gi"}}
        (self.folder / "trace.jsonl").write_text(json.dumps(trace) + "\n")
        for offset in MOVES:
            with self.subTest(offset):
                self.wall.move("+0")
                world = self.start_alone(
                    *("joulie-simulator", "--inventory", self.folder / "inventory.yaml"),
                    *("--trace", self.folder / "trace.jsonl", "--speedup", "50"),
                    *("--sim-addr", "127.0.0.1:0", "--sim-api-addr", "127.0.0.1:0"),
                )
                wait_until(self.said, lambda w=world: "time begins" in w.path.read_text())
                self.wall.move(offset)
                wait_until(self.said, lambda w=world: "ended after 200 s" in w.path.read_text())
                self.assertEqual(self.finish(world), 0)


if __name__ == "__main__":
    unittest.main()
