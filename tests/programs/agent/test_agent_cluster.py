# SPDX-License-Identifier: Apache-2.0
"""What joulie-agent promises in a cluster: one machine, and nodes that it drives over HTTP.

The API server, the clock of a simulator and the machines behind the endpoints are in this process.
Rules: docs/rules/node-agent.md, docs/rules/endpoints.md.
"""

import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from checkout import DEV, ROOT
from waiting import DEADLINE_S, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))
sys.path.insert(0, str(ROOT / "tests" / "programs" / "operator"))

import operator_fakes as fakes  # noqa: E402
from hosts import write_host  # noqa: E402

AGENT = os.environ.get("JOULIE_AGENT", str(DEV / "bin" / "joulie-agent"))
START_MS = 1767225600000  # 2026-01-01T00:00:00Z: a multiple of every interval here
POWERCAP = "sys/devices/virtual/powercap/intel-rapl"
FOUND_UW = 205000000  # limits of the machine intel-2s


def stamp(ms):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms // 1000))


class Machines:
    """Telemetry and control of many machines of 2 x 360 W, and what they were asked for.

    `spoil` may be a function (machine, method) -> None, or (code, bytes), or a function that sends.
    """

    def __init__(self, now_ms):
        self.lock = threading.Lock()
        self.now_ms = now_ms
        self.nodes = {}
        self.posts = []
        self.reads = []
        self.spoil = None
        machines = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.serve(None)

            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"]))
                self.serve(json.loads(text))

            def serve(self, body):
                _, what, name = self.path.split("/")
                with machines.lock:
                    answer = machines.answer(what, name, body)
                if callable(answer):
                    answer(self)
                    return
                code, text = answer
                self.send_response(code)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self.server = fakes.Server(Handler)
        self.url = self.server.url

    def node(self, name):
        return self.nodes.setdefault(
            name, {"cap": 720.0, "gpu": 400.0, "throttle": 0, "watts": 300.0, "rapl": True}
        )

    def answer(self, what, name, body):
        node = self.node(name)
        if body is None:
            self.reads.append(name)
        else:
            self.posts.append((name, body["action"], body))
        spoiled = self.spoil(name, what) if self.spoil else None
        if spoiled:
            return spoiled
        if body is None:
            return 200, json.dumps(self.telemetry(name, node)).encode()
        return 200, json.dumps(self.control(node, body)).encode()

    def telemetry(self, name, node):
        return {
            "node": name,
            "packagePowerWatts": node["watts"] + 100,
            "cpu": {
                "packagePowerWatts": node["watts"],
                "capWatts": node["cap"],
                "targetCapWatts": node["cap"],
                "throttlePct": node["throttle"],
            },
            "gpu": {
                "present": True,
                "capWattsPerGpuApplied": node["gpu"],
                "capWattsPerGpuTarget": node["gpu"],
                "powerWattsTotal": 100,
            },
            "ts": stamp(self.now_ms()),
        }

    @staticmethod
    def control(node, body):
        if body["action"] == "rapl.set_power_cap_watts":
            if not node["rapl"]:
                return {"ok": False, "result": "blocked", "message": "no RAPL here"}
            node["cap"] = float(body["capWatts"])
        elif body["action"] == "dvfs.set_throttle_pct":
            node["throttle"] = body["throttlePct"]
        elif body["action"] == "gpu.set_power_cap_watts":
            node["gpu"] = float(body["capWattsPerGpu"])
        return {"ok": True, "result": "applied"}

    def actions(self, name=None):
        with self.lock:
            return [(n, a) for n, a, _ in self.posts if name in (None, n)]

    def caps(self, *names):
        with self.lock:
            return [self.node(name)["cap"] for name in names]

    def stop(self):
        self.server.stop()


def node(name, labels=None, uid=None):
    return {
        "metadata": {
            "name": name,
            "labels": {"joulie.io/managed": "true", **(labels or {})},
            **({"uid": uid} if uid else {}),
        },
        "status": {"capacity": {"cpu": "384"}, "allocatable": {"cpu": "384"}},
    }


def twin(name, now_ms, cpu=None, gpu=None, **more):
    spec = {"nodeName": name, "profile": "eco", **more}
    if cpu is not None:
        spec["cpu"] = {"packagePowerCapPctOfMax": cpu}
    if gpu is not None:
        spec["gpu"] = {"powerCap": {"scope": "perGpu", "capPctOfMax": gpu}}
    return {
        "metadata": {"name": name.lower().replace(".", "-")},
        "spec": spec,
        "status": {"lastUpdated": stamp(now_ms)},
    }


def hardware(name, manager="joulie-simulator"):
    return {
        "metadata": {
            "name": name.lower().replace(".", "-"),
            "labels": {"joulie.io/managed-by": manager},
        },
        "spec": {"nodeName": name},
        "status": {
            "cpu": {"sockets": 2, "capRange": {"maxWattsPerSocket": 360}},
            "gpu": {
                "present": True,
                "count": 4,
                "capRangePerGpu": {"minWatts": 200, "maxWatts": 400},
            },
        },
    }


class Cluster(unittest.TestCase):
    """An API server and the agents of one test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.api = fakes.Api()
        self.addCleanup(self.api.stop)
        self.logs = []

    def now_ms(self):
        return int(time.time() * 1000)

    def beat(self, at_ms=None):
        at_ms = self.now_ms() if at_ms is None else at_ms
        lease = {
            "metadata": {"name": "joulie-heartbeat"},
            "spec": {"renewTime": stamp(at_ms)[:-1] + ".000000Z"},
        }
        self.api.put("leases", lease, "joulie-system")

    def run_agent(self, *arguments, env=None):
        return subprocess.run(
            [AGENT, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            env={**os.environ, **(env or {})},
        )

    def start_agent(self, *arguments, env=None):
        path = self.folder / f"log{len(self.logs)}"
        with path.open("wb") as log:
            agent = subprocess.Popen(
                [AGENT, "--server", self.api.url, "--metrics-addr", "127.0.0.1:0"]
                + [str(word) for word in arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(env or {})},
            )
        agent.path = path
        self.logs.append(path)
        self.addCleanup(self.end, agent)
        return agent

    @staticmethod
    def end(agent):
        if agent.poll() is None:
            agent.kill()
        agent.wait()

    def finish(self, agent):
        agent.send_signal(signal.SIGTERM)
        return agent.wait(DEADLINE_S)

    def said(self):
        return "\n".join(path.read_text() for path in self.logs)

    def wait_for_words(self, words):
        wait_until(lambda: f"{words!r} in {self.said()}", lambda: words in self.said())

    def control(self, name):
        found = self.api.get("nodetwins", name) or {}
        return found.get("status", {}).get("controlStatus", {})

    def wait_for_result(self, name, cpu, gpu=None):
        def is_there():
            control = self.control(name)
            return control.get("cpu", {}).get("result") == cpu and (
                gpu is None or control["gpu"]["result"] == gpu
            )

        wait_until(lambda: f"{cpu} of {name}: {self.control(name)} {self.said()}", is_there)
        return self.control(name)

    def ask(self, agent, path):
        def find():
            text = agent.path.read_text()
            at = text.find("metrics and probes at ")
            return text[at + 22 :].split('"')[0] if at >= 0 and '"' in text[at:] else None

        url = wait_until("an address", find)
        try:
            with urllib.request.urlopen(url + path, timeout=DEADLINE_S) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metrics(self, agent):
        lines = self.ask(agent, "/metrics")[1].splitlines()
        return {
            line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in lines
            if line[0] != "#"
        }

    def assert_one_thread(self, agent):
        self.assertEqual(len(os.listdir(f"/proc/{agent.pid}/task")), 1)


class Remote(Cluster):
    """A pool over HTTP in the time of a simulator, which only this test moves."""

    interval_ms = 20000

    def setUp(self):
        super().setUp()
        self.clock = fakes.Clock(self.api, START_MS)
        self.addCleanup(self.clock.stop)
        self.machines = Machines(lambda: self.clock.now_ms)
        self.addCleanup(self.machines.stop)
        self.beat(START_MS)

    def now_ms(self):
        return self.clock.now_ms

    def add(self, name, cpu=60, **more):
        self.api.put("nodes", node(name))
        self.api.put("nodehardwares", hardware(name))
        self.api.put("nodetwins", twin(name, self.clock.now_ms, cpu, **more))

    def start(self, *arguments, **env):
        settings = {
            "AGENT_MODE": "pool",
            "TELEMETRY_CPU_SOURCE": "http",
            "TELEMETRY_CPU_HTTP_ENDPOINT": self.machines.url + "/telemetry/{node}",
            "TELEMETRY_CPU_CONTROL": "http",
            "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": self.machines.url + "/control/{node}",
            "TELEMETRY_GPU_CONTROL": "http",
            "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT": self.machines.url + "/control/{node}",
            **env,
        }
        return self.start_agent("--clock", self.clock.url, *arguments, env=settings)

    def step(self, count=1):
        """Through so many whole intervals: every node has stepped as often."""
        self.clock.go_to(self.clock.now_ms + count * self.interval_ms)

    def once(self):
        """The first step of a single node."""
        self.clock.wait_for_poll(DEADLINE_S)

    def first(self):
        self.clock.wait_for_poll(DEADLINE_S)
        self.step()


class Pool(Remote):
    def test_a_percent_becomes_the_watts_of_all_packages_and_of_each_gpu(self):
        self.add("n1", 60, gpu=60)
        agent = self.start()
        self.first()
        self.assertEqual(
            [
                (body["action"], body.get("capWatts", body.get("capWattsPerGpu")))
                for _, _, body in self.machines.posts
            ],
            [("rapl.set_power_cap_watts", 432), ("gpu.set_power_cap_watts", 240)],
        )  # 2 x 216 W
        body = self.machines.posts[0][2]
        self.assertEqual(
            (body["node"], body["throttlePct"], body["ts"]), ("n1", -1, stamp(START_MS))
        )
        control = self.wait_for_result("n1", "applied", "applied")
        self.assertEqual((control["cpu"]["backend"], control["gpu"]["backend"]), ("rapl", "http"))
        self.assertEqual(
            control["cpu"]["observed"]["packages"],
            [{"index": 0, "capWatts": 432, "limitWatts": 432, "result": "applied"}],
        )
        self.assertEqual(control["gpu"]["observed"]["devices"][0]["id"], "remote")
        self.assert_one_thread(agent)

    def test_steady_state_writes_nothing_and_reads_each_interval(self):
        self.add("n1")
        self.add("n2")
        self.start()
        self.first()
        self.wait_for_result("n1", "applied")
        self.wait_for_result("n2", "applied")
        writes, posts = len(self.api.writes()), len(self.machines.actions())
        reads = len(self.machines.reads)
        self.step(9)
        self.assertEqual(len(self.api.writes()), writes)
        self.assertEqual(len(self.machines.actions()), posts)
        self.assertEqual(len(self.machines.reads) - reads, 18)

    def test_nodes_step_evenly_spread_by_name(self):
        for name in ("c", "a", "b"):
            self.add(name)
        self.start()
        self.clock.wait_for_poll(DEADLINE_S)
        self.assertEqual(self.clock.due_ms, START_MS + 6666)  # 20000 * 1 / 3
        self.assertEqual(self.machines.actions(), [("a", "rapl.set_power_cap_watts")])
        self.clock.go_to(START_MS + 6666)
        self.assertEqual(self.clock.due_ms, START_MS + 13333)
        self.clock.go_to(START_MS + 13333)
        self.assertEqual([name for name, _ in self.machines.actions()], ["a", "b", "c"])
        self.assertEqual(self.clock.due_ms, START_MS + 20000)

    def test_a_twin_that_is_gone_gives_back_what_was_there(self):
        self.add("n1", 60, gpu=60)
        self.machines.node("n1").update(cap=650.0, gpu=390.0)
        self.start()
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.api.delete("nodetwins", "n1")
        self.step()
        self.assertEqual(self.machines.caps("n1"), [650])
        self.assertEqual(self.machines.node("n1")["gpu"], 390)

    def test_a_stale_twin_is_believed_for_some_minutes(self):
        self.add("n1")
        self.start()
        self.first()
        self.step(29)  # 10 minutes: 5 of freshness, 5 of SPEC_READ_TIMEOUT
        self.assertEqual(self.machines.caps("n1"), [432])
        self.step(3)
        self.assertEqual(self.machines.caps("n1"), [720])
        self.assertEqual(self.wait_for_result("n1", "none")["cpu"]["message"], "NodeTwin is stale")

    def test_the_heartbeat_of_the_operator_keeps_it_fresh(self):
        self.add("n1")
        self.start()
        self.first()
        for _ in range(4):
            self.beat(self.clock.now_ms)
            self.step(12)
        self.assertEqual(self.machines.caps("n1"), [432])

    def test_a_node_that_leaves_the_selection_gets_its_caps_back(self):
        self.add("n1")
        self.add("n2")
        self.start()
        self.first()
        self.assertEqual(self.machines.caps("n1", "n2"), [432, 432])
        self.api.patch("nodes", "n1", {"metadata": {"labels": {"joulie.io/managed": "false"}}})
        wait_until(self.said, lambda: self.machines.caps("n1") == [720])
        self.step()
        self.assertEqual(self.machines.caps("n1", "n2"), [720, 432])

    def test_a_node_that_returns_with_another_uid_is_driven_again(self):
        self.add("n1")
        self.start()
        self.first()
        self.api.delete("nodes", "n1")
        wait_until(self.said, lambda: self.machines.caps("n1") == [720])
        self.api.put("nodes", node("n1", uid="another"))
        self.step()
        self.assertEqual(self.machines.caps("n1"), [432], self.said())
        self.wait_for_result("n1", "applied")

    def test_the_end_of_the_agent_gives_everything_back(self):
        names = [f"n{i}" for i in range(7)]
        for name in names:
            self.add(name, 60, gpu=60)
        agent = self.start()
        self.first()
        self.assertEqual(self.machines.caps(*names), [432] * 7)
        self.assertEqual(self.finish(agent), 0, self.said())
        self.assertEqual(self.machines.caps(*names), [720] * 7)
        self.assertEqual({self.machines.node(name)["gpu"] for name in names}, {400})
        self.assertEqual(self.control("n3")["cpu"]["result"], "none")

    def test_the_end_of_the_simulation_is_the_end_of_its_machines(self):
        self.add("n1")
        agent = self.start()
        self.first()
        self.clock.stop()
        self.assertEqual(agent.wait(DEADLINE_S), 0, self.said())
        self.assertEqual(self.machines.caps("n1"), [432])

    def test_caps_stay_when_asked_for(self):
        self.add("n1")
        agent = self.start(RESTORE_ON_EXIT="false")
        self.first()
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.machines.caps("n1"), [432])

    def test_what_cannot_be_given_back_is_reported_and_is_1(self):
        self.add("n1")
        agent = self.start()
        self.first()
        self.machines.spoil = lambda name, what: (500, b"") if what == "control" else None
        self.assertEqual(self.finish(agent), 1)
        self.assertIn("n1: its caps could not be given back", self.said())

    def test_the_next_process_goes_on_and_writes_nothing(self):
        self.add("n1", 60, gpu=60)
        agent = self.start()
        self.first()
        self.wait_for_result("n1", "applied", "applied")
        agent.kill()
        agent.wait()
        writes, posts = len(self.api.writes()), len(self.machines.actions())
        next_one = self.start()
        self.clock.polls = 0
        self.clock.is_answered = True
        self.first()
        self.step()
        self.assertEqual(len(self.api.writes()), writes)
        self.assertEqual(len(self.machines.actions()), posts)
        self.assertEqual(self.finish(next_one), 0)  # to the maximum: nothing else is known
        self.assertEqual(self.machines.caps("n1"), [720])
        self.assertEqual(self.machines.node("n1")["gpu"], 400)

    def test_two_shards_drive_every_node_once(self):
        names = [f"kwok-node-{i}" for i in range(12)]
        for name in names:
            self.add(name)
        self.clock.stop()
        env = {"CLOCK_URL": "", "RECONCILE_INTERVAL": "1s", "POOL_SHARDS": "2"}
        self.machines.now_ms = lambda: int(time.time() * 1000)
        for name in names:
            self.api.put("nodetwins", twin(name, int(time.time() * 1000), 60))
        agents = [
            self.start_agent(
                env={
                    **env,
                    "POD_NAME": f"joulie-agent-pool-{number}",
                    "AGENT_MODE": "pool",
                    "TELEMETRY_CPU_SOURCE": "http",
                    "TELEMETRY_CPU_HTTP_ENDPOINT": self.machines.url + "/telemetry/{node}",
                    "TELEMETRY_CPU_CONTROL": "http",
                    "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": self.machines.url + "/control/{node}",
                }
            )
            for number in (0, 1)
        ]
        wait_until(self.said, lambda: self.machines.caps(*names) == [432] * 12)
        self.assertEqual(len(self.machines.actions()), 12)
        self.assertEqual(self.finish(agents[1]), 0)
        odd = [n for n in names if self.machines.caps(n) == [720]]
        # docs/rules/node-agent.md#shards: kwok-node-0 is of shard 1 of 2
        self.assertIn("kwok-node-0", odd)
        self.assertEqual(self.finish(agents[0]), 0)
        self.assertEqual(self.machines.caps(*names), [720] * 12)

    def test_two_agents_for_one_node_write_the_same_and_do_not_fight(self):
        self.clock.stop()
        self.machines.now_ms = lambda: int(time.time() * 1000)
        self.api.put("nodes", node("n1"))
        self.api.put("nodehardwares", hardware("n1"))
        self.api.put("nodetwins", twin("n1", int(time.time() * 1000), 60))
        env = {"CLOCK_URL": "", "RECONCILE_INTERVAL": "1s", "TELEMETRY_GPU_CONTROL": "none"}
        settings = {
            "AGENT_MODE": "pool",
            "TELEMETRY_CPU_SOURCE": "http",
            "TELEMETRY_CPU_HTTP_ENDPOINT": self.machines.url + "/telemetry/{node}",
            "TELEMETRY_CPU_CONTROL": "http",
            "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": self.machines.url + "/control/{node}",
            **env,
        }
        for _ in range(2):
            self.start_agent(env=settings)
        self.wait_for_result("n1", "applied")
        reads = len(self.machines.reads)
        wait_until("some steps of both", lambda: len(self.machines.reads) > reads + 8)
        self.assertEqual({body["capWatts"] for _, _, body in self.machines.posts}, {432})
        self.assertLessEqual(len(self.machines.posts), 2)
        self.assertLessEqual(len(self.api.writes("nodetwins")), 2)

    def test_a_newer_twin_with_unknown_members_is_fine(self):
        self.add("n1", 60, mood="calm")
        self.api.patch("nodetwins", "n1", {"status": {"weather": {"wind": 3}}})
        self.start()
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.wait_for_result("n1", "applied")
        self.assertEqual(self.api.get("nodetwins", "n1")["status"]["weather"], {"wind": 3})

    def test_feedback_goes_to_the_object_that_names_the_node(self):
        self.api.put("nodes", node("Node.A"))
        self.api.put("nodehardwares", hardware("Node.A"))
        other = twin("Node.A", START_MS, 60)
        other["metadata"]["name"] = "whatever"
        self.api.put("nodetwins", other)
        self.start()
        self.first()
        self.wait_for_result("whatever", "applied")

    def test_observing_asks_for_nothing(self):
        self.add("n1")
        self.start("--observe")
        self.first()
        self.assertEqual(self.machines.actions(), [])
        control = self.wait_for_result("n1", "none", "none")
        self.assertEqual(control["cpu"]["message"], "simulate-only mode")

    def test_missing_hardware_is_published_from_labels(self):
        labels = {
            "joulie.io/hw.cpu-model": "AMD_EPYC_9654",
            "joulie.io/hw.cpu-sockets": "2",
        }
        self.api.put("nodes", node("n1", labels))
        self.api.put("nodetwins", twin("n1", START_MS, 60))
        self.start()
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])  # 60 % of 360 W of the catalog, twice
        made = wait_until(
            self.said, lambda: (self.api.get("nodehardwares", "n1") or {}).get("status")
        )
        self.assertEqual(made["cpu"]["model"], "AMD_EPYC_9654")
        self.assertEqual((made["cpu"]["sockets"], made["cpu"]["totalCores"]), (2, 384))
        self.assertTrue(made["cpu"]["controlAvailable"])
        self.assertEqual(made["gpu"]["present"], False)
        self.assertEqual(made["quality"]["overall"], "exact")
        found = self.api.get("nodehardwares", "n1")
        self.assertEqual(found["metadata"]["labels"]["joulie.io/managed-by"], "joulie-agent")
        writes = len(self.api.writes("nodehardwares"))
        self.step(5)
        self.assertEqual(len(self.api.writes("nodehardwares")), writes)
        self.beat(self.clock.now_ms)
        self.step(90)  # again after 30 minutes
        self.assertEqual(len(self.api.writes("nodehardwares")), writes + 1)

    def test_hardware_that_is_deleted_is_made_by_the_next_step(self):
        """Also where it was written less than 20 s ago: so long a refused write waits."""
        self.interval_ms = 10000
        self.api.put("nodes", node("n1"))
        self.api.put("nodetwins", twin("n1", START_MS, 60))
        self.start(RECONCILE_INTERVAL="10s")
        self.first()
        wait_until(self.said, lambda: (self.api.get("nodehardwares", "n1") or {}).get("status"))
        for _ in range(3):
            self.api.delete("nodehardwares", "n1")
            self.step()
            self.assertTrue(self.api.get("nodehardwares", "n1"), self.said())

    def test_hardware_of_somebody_else_is_never_touched(self):
        self.add("n1")
        self.start()
        self.first()
        self.step(3)
        self.assertEqual(self.api.writes("nodehardwares"), [])

    def test_a_cap_in_percent_is_known_in_watts_where_the_maximum_is(self):
        self.add("n1", 60, policy={"name": "static-partition-v1"})
        agent = self.start()
        self.first()

        def series():
            found = self.metrics(agent)
            return {name: found[name] for name in found if name.startswith("joulie_policy_cap")}

        asked = {'joulie_policy_cap_watts{node="n1",policy="static-partition-v1"}': 216}
        wait_until(self.said, lambda: series() == asked)
        self.api.patch("nodetwins", "n1", {"spec": {"policy": {"name": "queue-aware-v1"}}})
        asked = {'joulie_policy_cap_watts{node="n1",policy="queue-aware-v1"}': 216}
        wait_until(self.said, lambda: series() == asked)
        self.api.patch("nodehardwares", "n1", {"status": {"cpu": {"capRange": None}}})
        unknown = {'joulie_policy_cap_unknown{node="n1",reason="no-maximum"}': 1}
        wait_until(self.said, lambda: series() == unknown)
        self.api.patch("nodetwins", "n1", {"spec": {"cpu": {"packagePowerCapWatts": 150}}})
        asked = {'joulie_policy_cap_watts{node="n1",policy="queue-aware-v1"}': 150}
        wait_until(self.said, lambda: series() == asked)
        self.api.delete("nodetwins", "n1")
        wait_until(self.said, lambda: series() == {})

    def test_health_and_metrics(self):
        self.add("n1", 60, gpu=60)
        agent = self.start()
        self.first()
        self.assertEqual(self.ask(agent, "/livez"), (200, "ok"))
        self.assertEqual(self.ask(agent, "/readyz")[0], 200)
        metrics = self.metrics(agent)
        for series, value in (
            ('joulie_backend_mode{node="n1",mode="rapl"}', 1),
            ('joulie_backend_mode{node="n1",mode="none"}', 0),
            ('joulie_zone_power_watts{node="n1",zone="cpu"}', 300),
            ('joulie_gpu_power_watts{node="n1",gpu="remote"}', 100),
            ('joulie_gpu_cap_watts{node="n1",gpu="remote"}', 240),
            ('joulie_cap_requested_watts{node="n1",device="package-0"}', 432),
            ('joulie_cap_limit_watts{node="n1",device="package-0"}', 432),
            ('joulie_cap_result{node="n1",part="cpu",result="applied"}', 1),
            ('joulie_cap_result{node="n1",part="gpu",result="error"}', 0),
            ('joulie_sample_quality{node="n1",source="cpu",quality="fresh"}', 1),
        ):
            self.assertEqual(metrics.get(series), value, series)
        self.assertTrue(any(name.startswith("joulie_kube_requests_total{") for name in metrics))
        self.assertTrue(any(name.startswith("joulie_data_age_seconds{") for name in metrics))
        self.machines.spoil = lambda _, what: (500, b"") if what == "telemetry" else None
        self.step()
        for series in (
            'joulie_zone_power_watts{node="n1",zone="cpu"}',
            'joulie_dvfs_observed_power_watts{node="n1"}',
            'joulie_gpu_power_watts{node="n1",gpu="remote"}',
            'joulie_gpu_cap_watts{node="n1",gpu="remote"}',
        ):
            self.assertNotIn(series, self.metrics(agent))  # unknown never looks good
        self.machines.spoil = None
        self.api.delete("nodetwins", "n1")
        self.step()
        metrics = self.metrics(agent)
        self.assertEqual(metrics['joulie_cap_restores_total{node="n1",reason="no-twin"}'], 2)
        self.assertNotIn('joulie_cap_requested_watts{node="n1",device="package-0"}', metrics)
        self.api.delete("nodes", "n1")
        wait_until("no series of n1", lambda: 'node="n1"' not in self.ask(agent, "/metrics")[1])


class Answers(Remote):
    """What endpoints can do wrong."""

    def test_telemetry_that_cannot_be_used_changes_no_cap(self):
        def slow(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", "100")
            handler.end_headers()
            time.sleep(3)  # longer than the timeout of 1 s, which the agent has to notice

        def large(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(100 << 20))
            handler.end_headers()
            try:
                for _ in range(100):
                    handler.wfile.write(b" " * (1 << 20))
            except OSError:
                pass

        old = json.dumps(
            {"cpu": {"packagePowerWatts": 1, "capWatts": 1}, "ts": stamp(START_MS - 3600000)}
        ).encode()
        cases = (
            ("garbage", (200, b"\xff\xfe{]"), "the reply is no JSON object"),
            ("500", (500, b"{}"), "the reply is an error"),
            ("NaN", (200, b'{"cpu":{"packagePowerWatts":NaN,"capWatts":NaN}}'), "no JSON object"),
            ("old", (200, old), "the readings are old"),
            (
                "no time",
                (200, b'{"cpu":{"packagePowerWatts":1,"capWatts":1},"ts":"yesterday"}'),
                "its time stamp is none",
            ),
            ("100 MB", large, "the reply is too long"),
            ("silence", slow, "there was no reply in time"),
        )
        self.add("n1")
        agent = self.start(TELEMETRY_HTTP_TIMEOUT_SECONDS="1")
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])
        posts = len(self.machines.actions())
        for name, reply, words in cases:
            with self.subTest(name):
                self.machines.spoil = lambda _, what, r=reply: r if what == "telemetry" else None
                self.step(2)
                self.assertIn(words, self.said())
                self.assertEqual(len(self.machines.actions()), posts, self.machines.posts[posts:])
                quality = "stale" if name == "old" else "missing"
                self.assertEqual(
                    self.metrics(agent)[
                        f'joulie_sample_quality{{node="n1",source="cpu",quality="{quality}"}}'
                    ],
                    1,
                )
                self.machines.spoil = None
                self.step()
        self.assertEqual(self.control("n1")["cpu"]["result"], "applied")
        self.assertIsNone(agent.poll())

    def silence(self, *names, what=("telemetry", "control")):
        """These answer nothing until the test is over."""
        over = threading.Event()
        self.addCleanup(over.set)

        def hang(handler):
            over.wait(DEADLINE_S)
            handler.close_connection = True

        self.machines.spoil = lambda name, part: hang if name in names and part in what else None

    def test_telemetry_that_is_slower_than_a_step_keeps_no_cap_away(self):
        self.add("n1")
        self.silence("n1", what=("telemetry",))
        self.start(TELEMETRY_HTTP_TIMEOUT_SECONDS="60")
        self.clock.wait_for_poll(DEADLINE_S)
        self.assertEqual(self.machines.caps("n1"), [432], self.said())

    def test_endpoints_that_are_silent_at_the_end_hold_up_nobody(self):
        silent = [f"a{i:03}" for i in range(150)]
        good = [f"b{i:03}" for i in range(20)]
        for name in silent + good:
            self.add(name)
        agent = self.start(TELEMETRY_HTTP_TIMEOUT_SECONDS="30")
        self.first()
        self.assertEqual(set(self.machines.caps(*silent, *good)), {432})
        self.silence(*silent)
        started = time.monotonic()
        self.assertEqual(self.finish(agent), 1)
        self.assertEqual(set(self.machines.caps(*good)), {720}, self.said()[-2000:])
        self.assertLess(time.monotonic() - started, 30)  # what an orchestrator grants

    def test_a_silent_api_server_at_the_end_keeps_no_cap_in_force(self):
        names = [f"n{i:03}" for i in range(100)]
        for name in names:
            self.add(name)
        agent = self.start()
        self.first()
        self.assertEqual(set(self.machines.caps(*names)), {432})
        with self.api.changed:
            self.api.answer = lambda request: self.api.status(500, "InternalError")
        self.assertEqual(self.finish(agent), 0, self.said()[-2000:])
        self.assertEqual(set(self.machines.caps(*names)), {720})

    def test_silent_telemetry_at_the_end_keeps_no_cap_in_force(self):
        self.add("n1")
        agent = self.start(TELEMETRY_HTTP_TIMEOUT_SECONDS="30")
        self.first()
        self.silence("n1", what=("telemetry",))
        self.assertEqual(self.finish(agent), 0, self.said())
        self.assertEqual(self.machines.caps("n1"), [720])

    def test_what_somebody_else_gave_back_is_not_held_any_more(self):
        self.add("n1")
        agent = self.start()
        self.first()
        self.machines.node("n1")["cap"] = 720.0
        self.api.delete("nodetwins", "n1")
        self.step(2)
        self.assertEqual(self.machines.caps("n1"), [720])
        self.assertEqual(self.finish(agent), 0, self.said())

    def test_the_word_of_the_reply_is_the_word_of_the_report(self):
        for reply, word, message in (
            ({"ok": False, "result": "blocked", "message": "not here"}, "blocked", "not here"),
            ({"ok": False}, "error", None),
            ({"ok": False, "result": "error", "message": "broken"}, "error", "broken"),
        ):
            with self.subTest(word):
                name = f"n{len(self.api.all('nodes'))}"
                self.add(name)
                self.machines.spoil = lambda _, what, r=reply: (
                    (200, json.dumps(r).encode()) if what == "control" else None
                )
                agent = self.start(TELEMETRY_CPU_CONTROL_MODE="rapl")
                self.clock.polls = 0
                self.clock.is_answered = True
                self.first()
                control = self.wait_for_result(name, word)
                self.assertEqual(control["cpu"]["backend"], "rapl")
                if message:
                    self.assertEqual(control["cpu"]["message"], message)
                self.assertEqual(
                    {a for _, a in self.machines.actions()}, {"rapl.set_power_cap_watts"}
                )
                self.end(agent)

    def test_a_backend_that_says_applied_and_does_nothing_is_found_out(self):
        self.add("n1")
        self.machines.spoil = lambda _, what: (
            (200, b'{"ok":true,"result":"applied"}') if what == "control" else None
        )
        self.start()
        self.first()
        self.wait_for_result("n1", "pending")
        self.step(3)
        control = self.wait_for_result("n1", "blocked")
        self.assertEqual(control["cpu"]["observed"]["packages"][0]["limitWatts"], 720)

    def test_where_power_limits_fail_frequencies_keep_the_cap(self):
        self.add("n1")
        self.machines.node("n1").update(rapl=False, watts=600.0)
        agent = self.start()
        self.once()
        self.assertEqual(
            [a for _, a in self.machines.actions()],
            ["rapl.set_power_cap_watts", "dvfs.set_throttle_pct"],
        )
        # docs/rules/frequencies.md#proportional: s = sqrt(432/600) = 0.848528, 15 % less
        self.assertEqual(self.machines.node("n1")["throttle"], 15)
        control = self.wait_for_result("n1", "pending")
        self.assertEqual(control["cpu"]["backend"], "dvfs")
        self.assertEqual(control["cpu"]["observed"]["throttlePct"], 15)
        self.machines.node("n1")["watts"] = 430.0
        self.step()
        self.wait_for_result("n1", "applied")
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.machines.node("n1")["throttle"], 0)

    def test_the_mode_dvfs_asks_for_no_power_limit(self):
        self.add("n1")
        self.machines.node("n1")["watts"] = 600.0
        self.start(TELEMETRY_CPU_CONTROL_MODE="dvfs")
        self.once()
        self.assertEqual([a for _, a in self.machines.actions()], ["dvfs.set_throttle_pct"])
        self.api.delete("nodetwins", "n1")
        self.step()
        self.assertEqual(self.machines.node("n1")["throttle"], 0)

    def test_a_percentage_of_an_unknown_maximum_becomes_a_throttle(self):
        self.api.put("nodes", node("n1"))
        self.api.put("nodetwins", twin("n1", START_MS, 60))
        self.start()
        self.first()
        self.assertEqual([a for _, a in self.machines.actions()], ["dvfs.set_throttle_pct"])
        self.assertEqual(self.machines.node("n1")["throttle"], 40)
        self.assertEqual(self.wait_for_result("n1", "applied")["cpu"]["backend"], "dvfs")

    def test_a_control_that_is_none_is_blocked_and_writes_nothing(self):
        self.add("n1", 60, gpu=60)
        self.start(TELEMETRY_CPU_CONTROL="none", TELEMETRY_GPU_CONTROL="none")
        self.first()
        control = self.wait_for_result("n1", "blocked", "blocked")
        self.assertEqual(control["cpu"]["backend"], "none")
        self.assertEqual(control["cpu"]["message"], "TELEMETRY_CPU_CONTROL is none")
        self.assertEqual(self.machines.actions(), [])

    def test_without_readings_the_reply_decides(self):
        self.add("n1")
        self.start(TELEMETRY_CPU_SOURCE="none")
        self.first()
        self.assertEqual(self.machines.reads, [])
        self.wait_for_result("n1", "applied")
        self.step()
        self.assertGreaterEqual(len(self.machines.actions()), 2)  # nobody reads whether it stays

    def test_the_api_away_drops_no_control(self):
        self.add("n1")
        agent = self.start()
        self.first()
        with self.api.changed:
            self.api.answer = lambda request: self.api.status(500, "InternalError")
        self.machines.node("n1")["cap"] = 700.0  # somebody else
        self.step()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.assertEqual(self.ask(agent, "/livez")[0], 200)


class Node(Cluster):
    """AGENT_MODE=daemonset with the host backend over a folder that looks like a machine."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        write_host("intel-2s", self.root)
        self.limits = [
            self.root / POWERCAP / f"intel-rapl:{package}" / "constraint_0_power_limit_uw"
            for package in (0, 1)
        ]
        self.beat()
        self.api.put("nodes", node("Worker.1"))

    def writes(self):
        """Of the API server, its sign of life apart."""
        return [write for write in self.api.writes() if write.plural != "leases"]

    def want(self, watts, **more):
        wanted = twin("Worker.1", self.now_ms(), **more)
        wanted["spec"]["cpu"] = {"packagePowerCapWatts": watts}
        self.api.put("nodetwins", wanted)

    def start(self, *arguments, env=None):
        return self.start_agent(
            "--root",
            self.root,
            *arguments,
            env={"AGENT_MODE": "daemonset", "NODE_NAME": "Worker.1", **(env or {})},
        )

    def read_limits(self):
        return [int(file.read_text()) for file in self.limits]

    def wait_for_limit(self, watts):
        limit = int(watts * 1000000)
        wait_until(lambda: f"{watts} W: {self.said()}", lambda: self.read_limits() == [limit] * 2)

    def draw(self, watts):
        """The counters of all packages as if they had drawn so much since the first call."""
        files = sorted((self.root / POWERCAP).glob("intel-rapl:?/energy_uj"))
        if not hasattr(self, "since"):
            self.since = time.monotonic()
            self.energies = {file: int(file.read_text()) for file in files}
        drawn_uj = int(watts * 1e6 * (time.monotonic() - self.since))
        for file in files:
            with file.open("r+") as counter:  # never empty, as a counter of the kernel
                counter.write(f"{self.energies[file] + drawn_uj}\n")
        return True

    def test_it_follows_the_twin_reports_and_gives_back(self):
        self.want(120)
        agent = self.start()
        self.wait_for_limit(120)
        control = self.wait_for_result("worker-1", "applied")
        self.assertEqual(control["cpu"]["backend"], "rapl")
        self.assert_one_thread(agent)
        self.want(150)
        self.wait_for_limit(150)
        self.api.delete("nodetwins", "worker-1")
        wait_until(self.said, lambda: self.read_limits() == [FOUND_UW] * 2)
        self.want(130)
        self.wait_for_limit(130)
        self.assertEqual(self.finish(agent), 0, self.said())
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        self.assertEqual(self.control("worker-1")["cpu"]["result"], "none")

    def test_it_publishes_what_it_found_once(self):
        self.want(120)
        self.start()
        status = wait_until(
            self.said, lambda: (self.api.get("nodehardwares", "worker-1") or {}).get("status")
        )
        self.assertEqual(status["cpu"]["sockets"], 2)
        self.assertEqual(len(status["cpu"]["packages"]), 2)
        found = self.api.get("nodehardwares", "worker-1")
        self.assertEqual(found["spec"], {"nodeName": "Worker.1"})
        self.assertEqual(found["metadata"]["labels"], {"joulie.io/managed-by": "joulie-agent"})
        self.wait_for_result("worker-1", "applied")
        writes = len(self.writes())
        self.want(140)
        self.wait_for_limit(140)
        wait_until(
            self.said,
            lambda: self.control("worker-1")
            .get("cpu", {})
            .get("observed", {})
            .get("packages", [{}])[0]
            .get("limitWatts")
            == 140,
        )
        self.assertEqual(len(self.api.writes("nodehardwares")), 2)
        self.assertLessEqual(len(self.writes()) - writes, 2)

    def test_metrics_of_a_machine_follow_it_and_go_with_what_they_measure(self):
        self.want(120)
        agent = self.start()
        self.wait_for_limit(120)

        def series(name):
            return self.metrics(agent).get(name)

        label = 'node="Worker.1"'
        limit = f'joulie_cap_requested_watts{{{label},device="package-0"}}'
        wait_until(self.said, lambda: series(limit) == 120)
        self.api.delete("nodetwins", "worker-1")
        restored = f'joulie_cap_restores_total{{{label},reason="no-twin"}}'
        wait_until(self.said, lambda: series(restored) == 2)
        wait_until(self.said, lambda: series(limit) is None)

        power = f'joulie_zone_power_watts{{{label},zone="package-0"}}'
        total = f"joulie_rapl_package_total_power_watts{{{label}}}"
        wait_until(self.said, lambda: self.draw(100) and series(power) and series(total))
        (self.root / POWERCAP / "intel-rapl:0" / "energy_uj").unlink()
        wait_until(self.said, lambda: series(power) is None)
        self.assertIsNone(series(total))  # what one package draws is no total

    def test_metrics_of_a_machine_that_is_controlled_by_frequency(self):
        self.root = self.folder / "controlled"
        write_host("amd-pstate", self.root)
        self.want(50)
        agent = self.start("--dvfs-controller", "legacy")
        label = 'node="Worker.1"'

        def all_there():
            self.draw(150)  # the floor is 30 % of 360 W
            found = self.metrics(agent)
            names = (
                f"joulie_dvfs_ema_power_watts{{{label}}}",
                f"joulie_dvfs_observed_power_watts{{{label}}}",
                f"joulie_dvfs_above_trip_count{{{label}}}",
                f"joulie_dvfs_below_trip_count{{{label}}}",
                f'joulie_dvfs_cpu_cur_freq_khz{{{label},cpu="2"}}',
                f'joulie_dvfs_cpu_max_freq_khz{{{label},cpu="2"}}',
            )
            up = found.get(f'joulie_dvfs_actions_total{{{label},action="throttle_up"}}', 0)
            return up > 0 and all(name in found for name in names)

        wait_until(lambda: f"{self.metrics(agent)} {self.said()}", all_there)
        self.api.delete("nodetwins", "worker-1")
        wait_until(
            self.said, lambda: f"joulie_dvfs_ema_power_watts{{{label}}}" not in self.metrics(agent)
        )

    def test_hardware_that_is_deleted_is_made_again(self):
        self.start()
        wait_until(
            self.said, lambda: (self.api.get("nodehardwares", "worker-1") or {}).get("status")
        )
        self.api.delete("nodehardwares", "worker-1")
        wait_until(
            self.said, lambda: (self.api.get("nodehardwares", "worker-1") or {}).get("status")
        )

    def test_the_second_agent_of_a_machine_is_1(self):
        self.want(120)
        agent = self.start()
        self.wait_for_limit(120)
        second = self.start()
        self.assertEqual(second.wait(DEADLINE_S), 1)
        self.assertIn(str(agent.pid), second.path.read_text())
        self.assertEqual(self.read_limits(), [120000000] * 2)

    def test_a_killed_agent_is_followed_without_a_write(self):
        self.want(120)
        agent = self.start("--watchdog-timeout=0s")
        self.wait_for_limit(120)
        self.wait_for_result("worker-1", "applied")
        wait_until(
            self.said, lambda: (self.api.get("nodehardwares", "worker-1") or {}).get("status")
        )
        agent.kill()
        agent.wait()
        writes = len(self.writes())
        next_one = self.start("--watchdog-timeout=0s")
        wait_until(self.said, lambda: self.ask(next_one, "/readyz")[0] == 200)
        name = 'joulie_cap_limit_watts{node="Worker.1",device="package-0"}'
        wait_until(self.said, lambda: self.metrics(next_one).get(name) == 120)
        self.assertEqual(len(self.writes()), writes)
        self.assertEqual(self.finish(next_one), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_the_api_away_drops_no_control(self):
        self.want(120)
        self.start()
        self.wait_for_limit(120)
        with self.api.changed:
            self.api.answer = lambda request: self.api.status(500, "InternalError")
        self.limits[0].write_text("150000000\n")
        self.wait_for_limit(120)

    def test_a_report_that_was_refused_is_sent_again(self):
        refused = []

        def answer(request):
            if request.method != "PATCH" or request.plural != "nodetwins" or refused:
                return None
            refused.append(request)
            return self.api.status(403, "Forbidden")

        with self.api.changed:
            self.api.answer = answer
        self.want(120)
        self.start()
        self.wait_for_limit(120)
        self.wait_for_result("worker-1", "applied")  # after 20 s
        self.assertEqual(len(refused), 1)

    def test_a_twin_that_cannot_be_used_leaves_the_last_good_one(self):
        self.want(120)
        self.start()
        self.wait_for_limit(120)
        self.api.patch("nodetwins", "worker-1", {"spec": {"cpu": {"packagePowerCapWatts": "many"}}})
        self.wait_for_words("the last good one stays")
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.want(140, mood="calm")  # a member of a newer version
        self.wait_for_limit(140)

    def test_a_twin_of_another_node_under_our_name_is_not_ours(self):
        other = twin("worker.1", self.now_ms())
        other["spec"]["cpu"] = {"packagePowerCapWatts": 120}
        self.api.put("nodetwins", other)
        agent = self.start()
        self.wait_for_words("is of node worker.1, not of Worker.1")
        wait_until(self.said, lambda: self.ask(agent, "/readyz")[0] == 200)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        self.assertEqual(self.control("worker-1"), {})

    def test_a_twin_of_a_node_that_comes_first_by_name_keeps_no_step_from_ours(self):
        """In the time of a simulator the caches are filled before the first step."""
        clock = fakes.Clock(self.api, START_MS)
        self.addCleanup(clock.stop)
        self.beat(START_MS)
        other = twin("Worker.1", START_MS)  # before worker.1, and its objects have the same name
        self.api.put("nodetwins", other)
        self.start("--clock", clock.url, env={"NODE_NAME": "worker.1"})
        clock.go_to(START_MS + 2000)
        own = twin("worker.1", START_MS)
        own["spec"]["cpu"] = {"packagePowerCapWatts": 120}
        self.api.put("nodetwins", own)
        clock.go_to(START_MS + 5000)
        self.assertEqual(self.read_limits(), [120000000] * 2, self.said())

    def test_a_report_that_arrives_behind_its_twin_is_not_that_of_the_next_twin(self):
        self.want(120)
        self.api.answer = self.take_away
        self.start()
        self.wait_for_words("is gone")
        self.api.wait(lambda: self.api.answer is None)
        self.want(120)
        self.wait_for_result("worker-1", "applied")

    def take_away(self, request):
        """The twin goes with its first report, and the agent hears of that before of the report."""
        if request.subresource != "status" or request.plural != "nodetwins":
            return None
        self.api.answer = None
        answer = self.api.handle(request)
        self.api.drop("nodetwins", ("", request.name))
        self.api.wait(lambda: "is gone" in self.said())
        return answer

    def test_a_node_with_another_uid_is_reported_anew(self):
        self.want(120)
        self.start()
        self.wait_for_result("worker-1", "applied")
        self.api.delete("nodes", "Worker.1")
        self.api.delete("nodetwins", "worker-1")
        wait_until(self.said, lambda: self.read_limits() == [FOUND_UW] * 2)
        self.api.put("nodes", node("Worker.1", uid="another"))
        self.want(140)
        self.wait_for_limit(140)
        self.wait_for_result("worker-1", "applied")

    def test_one_node_can_be_driven_over_http(self):
        machines = Machines(self.now_ms)
        self.addCleanup(machines.stop)
        self.api.put("nodehardwares", hardware("Worker.1"))
        self.api.put("nodes", node("other"))
        self.api.put("nodetwins", twin("other", self.now_ms(), 50))
        self.api.put("nodetwins", twin("Worker.1", self.now_ms(), 60))
        self.start(
            env={
                "RECONCILE_INTERVAL": "1s",
                "TELEMETRY_CPU_SOURCE": "http",
                "TELEMETRY_CPU_HTTP_ENDPOINT": machines.url + "/telemetry/{node}",
                "TELEMETRY_CPU_CONTROL": "http",
                "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": machines.url + "/control/{node}",
            },
        )
        self.wait_for_result("worker-1", "applied")
        self.assertEqual(machines.caps("Worker.1"), [432])
        self.assertEqual({name for name, _ in machines.actions()}, {"Worker.1"})
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def lease(self):
        found = self.api.get("leases", "joulie-agent-worker-1", "joulie-system")
        return (found or {}).get("spec")

    def test_it_says_that_it_is_alive_while_it_caps(self):
        self.start()
        spec = wait_until(lambda: f"a Lease; {self.said()}", self.lease)
        self.assertEqual((spec["holderIdentity"], spec["leaseDurationSeconds"]), ("Worker.1", 90))
        self.assertRegex(spec["renewTime"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")

    def test_one_that_only_observes_says_nothing(self):
        agent = self.start("--observe")
        self.wait_for_words("metrics and probes at")
        wait_until("it is ready", lambda: self.ask(agent, "/readyz")[0] == 200)
        self.assertIsNone(self.lease())



class Wiring(Remote):
    """TelemetryProfiles that come, change and go while the agent runs
    (docs/rules/endpoints.md#telemetryprofiles)."""

    def setUp(self):
        super().setUp()
        self.other = Machines(lambda: self.clock.now_ms)
        self.addCleanup(self.other.stop)

    def start(self, *arguments, **env):
        unset = {"TELEMETRY_CPU_SOURCE": "", "TELEMETRY_CPU_CONTROL": "", "TELEMETRY_GPU_CONTROL": ""}
        return super().start(*arguments, **{**unset, **env})

    def wire(self, name, target, source=None, control=None, gpu=None):
        """Machines are named by what answers for them; None = the member is left out."""

        def http(machines, what):
            return {"type": "http", "http": {"endpoint": f"{machines.url}/{what}/{{node}}"}}

        spec = {"target": target, "sources": {}, "controls": {}}
        if source:
            spec["sources"]["cpu"] = http(source, "telemetry")
        if control:
            spec["controls"]["cpu"] = http(control, "control")
        if gpu:
            spec["controls"]["gpu"] = http(gpu, "control")
        self.api.put("telemetryprofiles", {"metadata": {"name": name}, "spec": spec})

    def wire_all(self, source, control):
        self.wire("all", {"scope": "cluster"}, source, control)

    def begin(self, **more):
        self.add("n1", **more)
        self.wire_all(self.machines, self.machines)
        self.start()
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])

    def lines(self, words):
        return [line for line in self.said().splitlines() if words in line]

    def test_a_profile_that_comes_wires_a_node_and_one_that_goes_takes_its_caps_along(self):
        self.add("n1")
        self.start()
        self.first()
        self.assertEqual(self.machines.actions(), [])
        self.wire_all(self.machines, self.machines)
        self.step()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.wait_for_result("n1", "applied")
        self.api.delete("telemetryprofiles", "all")
        self.step()
        self.assertEqual(self.machines.caps("n1"), [720])
        reads, posts = len(self.machines.reads), len(self.machines.posts)
        self.step(3)
        self.assertEqual((len(self.machines.reads), len(self.machines.posts)), (reads, posts))

    def test_a_source_takes_over_when_it_has_answered(self):
        self.begin()
        self.other.nodes = self.machines.nodes
        self.other.spoil = lambda name, what: (503, b"") if what == "telemetry" else None
        self.wire_all(self.other, self.machines)
        before = len(self.machines.reads)
        self.step(4)
        self.assertEqual(len(self.machines.reads) - before, 4)
        self.assertEqual(len(self.lines("the new source does not take over")), 1, self.said())
        self.other.spoil = lambda name, what: (200, b"{}") if what == "telemetry" else None
        self.step(2)
        self.assertEqual(len(self.lines("has no power of the CPUs")), 1, self.said())
        self.other.spoil = None
        self.step()
        before, others = len(self.machines.reads), len(self.other.reads)
        self.step(3)
        self.assertEqual(len(self.machines.reads), before)
        self.assertEqual(len(self.other.reads) - others, 3)
        self.assertEqual(self.machines.caps("n1"), [432])

    def test_a_control_has_given_back_before_another_takes_over(self):
        self.begin(gpu=60)
        self.machines.node("n1")["cap"] = 432.0
        self.wire_all(self.machines, self.other)
        self.step()
        self.assertEqual(self.machines.caps("n1"), [720])
        self.assertEqual(self.other.caps("n1"), [432])
        self.assertEqual(self.other.actions(), [("n1", "rapl.set_power_cap_watts")])
        self.api.delete("nodetwins", "n1")
        self.step()
        self.assertEqual(self.other.caps("n1"), [720])

    def test_a_cap_of_a_control_that_is_dead_is_the_new_ones(self):
        self.add("n1")
        self.machines.node("n1")["cap"] = 650.0
        self.wire_all(self.machines, self.machines)
        self.start()
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.machines.spoil = lambda name, what: (503, b"") if what == "control" else None
        self.other.nodes = self.machines.nodes  # two ways to one machine
        self.wire_all(self.machines, self.other)
        self.step(2)
        self.assertEqual(self.lines("the new one goes on with the cap"), [])
        self.step()
        self.assertEqual(len(self.lines("the new one goes on with the cap")), 1, self.said())
        self.wait_for_result("n1", "applied")
        self.assertEqual(self.machines.caps("n1"), [432])
        self.api.delete("nodetwins", "n1")
        self.step()
        self.assertEqual(self.other.actions(), [("n1", "rapl.set_power_cap_watts")])
        self.assertEqual(self.machines.caps("n1"), [650])  # what was there before the first cap

    def test_a_cap_of_a_control_that_is_dead_and_has_no_heir_is_not_forgotten(self):
        self.begin()
        self.machines.spoil = lambda name, what: (503, b"") if what == "control" else None
        self.api.delete("telemetryprofiles", "all")
        self.step(8)
        self.assertEqual(len(self.lines("it is asked again in each step")), 1, self.said())
        self.machines.spoil = None
        self.step()
        self.assertEqual(self.machines.caps("n1"), [720])

    def test_a_change_that_is_taken_back_leaves_the_cap(self):
        self.begin()
        self.machines.spoil = lambda name, what: (503, b"") if what == "control" else None
        self.wire_all(self.machines, self.other)
        self.step()
        self.wire_all(self.machines, self.machines)
        self.machines.spoil = None
        self.step()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.assertEqual(self.other.actions(), [])

    def test_the_name_comes_before_labels_and_labels_before_the_cluster(self):
        third = Machines(lambda: self.clock.now_ms)
        self.addCleanup(third.stop)
        self.add("n1")
        self.add("n2")
        self.add("n3")
        self.api.put("nodes", node("n2", {"pool": "b"}))
        self.api.put("nodes", node("n1", {"pool": "b"}))
        self.wire("c", {"scope": "cluster"}, control=self.machines)
        self.wire("b", {"scope": "node", "nodeSelector": "pool in (b, d)"}, control=self.other)
        self.wire("a", {"scope": "node", "nodeName": "n1"}, control=third)
        self.start()
        self.first()
        self.step()
        self.assertEqual({n for n, _ in self.machines.actions()}, {"n3"})
        self.assertEqual({n for n, _ in self.other.actions()}, {"n2"})
        self.assertEqual({n for n, _ in third.actions()}, {"n1"})
        self.api.put("nodes", node("n3", {"pool": "d"}))
        self.step(2)
        self.assertEqual({n for n, _ in self.other.actions()}, {"n2", "n3"})
        self.assertEqual(self.machines.caps("n3"), [720])

    def test_settings_come_before_every_profile(self):
        self.add("n1")
        self.wire("n", {"scope": "node", "nodeName": "n1"}, self.other, self.other)
        self.start(TELEMETRY_CPU_CONTROL="http")
        self.first()
        self.assertEqual(self.machines.caps("n1"), [432])
        self.assertEqual(self.other.actions(), [])
        self.assertGreater(len(self.other.reads), 0)

    def test_a_profile_that_is_wrong_changes_nothing(self):
        self.begin()
        good = self.api.get("telemetryprofiles", "all")["spec"]
        for member, value, words in (
            ("controls", {"cpu": {"type": "http"}}, "spec.controls.cpu.http.endpoint"),
            ("controls", {"cpu": {"type": "ipmi"}}, "spec.controls.cpu.type"),
            ("target", {"scope": "node"}, "spec.target.nodeName"),
            (
                "sources",
                {"cpu": {"type": "http", "http": {"endpoint": "http://me:word@h/x"}}},
                "holds no user",
            ),
        ):
            with self.subTest(words):
                self.api.put(
                    "telemetryprofiles", {"metadata": {"name": "all"}, "spec": {**good, member: value}}
                )
                self.step(2)
                self.assertEqual(self.machines.caps("n1"), [432])
                self.assertEqual(len(self.lines(words)), 1, self.said())
                self.assertNotIn("me:word", self.said())

    def test_a_profile_costs_nothing_while_it_stays(self):
        self.begin()
        self.step()
        writes, posts = len(self.api.writes()), len(self.machines.posts)
        self.step(9)
        self.assertEqual((len(self.api.writes()), len(self.machines.posts)), (writes, posts))

    def test_hardware_says_what_can_be_read_and_capped(self):
        self.api.put("nodes", node("n1"))
        self.start()
        self.first()
        can = lambda: self.api.get("nodehardwares", "n1")["status"]["capabilities"]  # noqa: E731
        self.assertEqual((can()["cpuControl"], can()["cpuTelemetry"]), (False, False))
        self.wire_all(self.machines, self.machines)
        self.step(3)
        self.assertEqual((can()["cpuControl"], can()["cpuTelemetry"]), (True, True))


class Settings(Cluster):
    def test_what_cannot_be_is_2_and_names_the_setting(self):
        http = {
            "TELEMETRY_CPU_CONTROL": "http",
            "TELEMETRY_CPU_CONTROL_HTTP_ENDPOINT": "http://127.0.0.1:1/{node}",
        }
        pool = {"AGENT_MODE": "pool", **http}
        for env, words in (
            ({"AGENT_MODE": "both"}, "AGENT_MODE:"),
            ({"AGENT_MODE": "daemonset"}, "NODE_NAME: needed"),
            ({**pool, "TELEMETRY_CPU_CONTROL": "host"}, "TELEMETRY_CPU_CONTROL: a node that is"),
            ({**pool, "TELEMETRY_CPU_SOURCE": "host"}, "TELEMETRY_CPU_SOURCE: a node that is"),
            ({**pool, "TELEMETRY_CPU_CONTROL": "ipmi"}, "TELEMETRY_CPU_CONTROL: there is no such"),
            ({**pool, "TELEMETRY_CPU_SOURCE": "http"}, "TELEMETRY_CPU_HTTP_ENDPOINT: a remote"),
            ({**pool, "TELEMETRY_CPU_CONTROL_MODE": "turbo"}, "TELEMETRY_CPU_CONTROL_MODE:"),
            ({**pool, "TELEMETRY_HTTP_TIMEOUT_SECONDS": "2s"}, "TELEMETRY_HTTP_TIMEOUT_SECONDS:"),
            ({**pool, "POOL_SHARD_ID": "first"}, "POOL_SHARD_ID:"),
            ({**pool, "POOL_SHARD_ID": "1"}, "POOL_SHARD_ID:"),
            ({**pool, "POD_NAME": "pool-3", "POOL_SHARDS": "2"}, "POD_NAME:"),
            ({**pool, "POOL_SHARDS": "0"}, "POOL_SHARDS: 0 is below 1"),
            (
                {"NODE_NAME": "n", "AGENT_MODE": "daemonset", "TELEMETRY_CPU_SOURCE": "none"},
                "TELEMETRY_CPU_SOURCE: must be host",
            ),
            (
                {
                    "NODE_NAME": "n",
                    "AGENT_MODE": "daemonset",
                    "TELEMETRY_GPU_CONTROL": "http",
                    "TELEMETRY_GPU_CONTROL_HTTP_ENDPOINT": "http://127.0.0.1:1/",
                },
                "TELEMETRY_GPU_CONTROL: http needs",
            ),
            ({"NODE_NAME": "n/../m", "AGENT_MODE": "daemonset", **http}, "n/../m:"),
        ):
            with self.subTest(words):
                done = self.run_agent("--server", self.api.url, env=env)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
        done = self.run_agent("--once", env=pool)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--once: needs --spec", done.stderr)

    def test_an_address_that_is_taken_is_1(self):
        taken = fakes.Endpoint(lambda *_: (200, b""))
        self.addCleanup(taken.stop)
        address = taken.url[len("http://") :]
        done = self.run_agent(
            "--server",
            self.api.url,
            "--metrics-addr",
            address,
            env={"AGENT_MODE": "pool", "TELEMETRY_CPU_CONTROL": "none"},
        )
        self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
