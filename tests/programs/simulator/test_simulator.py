# SPDX-License-Identifier: Apache-2.0
"""joulie-simulator as a whole program: the contract and the clock of docs/rules/simulator-contract.md, and
placement through an extender, with participants and extenders that are played here."""

import http.server
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from checkout import DEV, ROOT
from waiting import DEADLINE_S, wait_until

SIMULATOR = os.environ.get("JOULIE_SIMULATOR", str(DEV / "bin" / "joulie-simulator"))
INVENTORY = """nodes:
  - {node_name_prefix: n, replicas: 2, cpu_cores: 16}
  - {node_name: g, cpu_cores: 16, vendor: nvidia, product: NVIDIA L40S, gpu_count: 2}
"""


def job(name, submit_s, cores=4, units=400, more=None):
    return json.dumps(
        {
            "type": "job",
            "jobId": name,
            "submitTimeOffsetSec": submit_s,
            "podTemplate": {"requests": {"cpu": str(cores), "memory": "1Gi"}},
            "work": {"cpuUnits": units},
            **(more or {}),
        }
    )


def seconds_of(now):
    """Virtual seconds of a time of the clock."""
    match = re.fullmatch(r"2026-01-01T(\d\d):(\d\d):(\d\d\.\d{3})Z", now)
    return int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])


def time_of(seconds):
    whole = int(seconds)
    milli = round((seconds - whole) * 1000)
    return f"2026-01-01T{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{milli:03}Z"


class Participant(threading.Thread):
    """One who steps at given times, and notes in a common list that it did."""

    def __init__(self, url, who, order, dues, steps, on_step=None):
        super().__init__(daemon=True)
        self.url, self.who, self.order, self.dues = url, who, order, list(dues)
        self.steps, self.on_step = steps, on_step
        self.has_ended = False

    def run(self):
        try:
            self.play()
        except OSError:
            pass  # the test is over, and the simulator with it

    def play(self):
        query = f"who={self.who}&order={self.order}"
        while True:
            with urllib.request.urlopen(f"{self.url}/clock?{query}", timeout=DEADLINE_S) as reply:
                answer = json.load(reply)
            if answer["end"]:
                self.has_ended = True
                return
            now = seconds_of(answer["now"])
            self.steps.append((now, self.who))
            if self.on_step:
                self.on_step(now)
            query = f"who={self.who}&order={self.order}&after={answer['now']}"
            later = [due for due in self.dues if due > now]
            if later:
                query += f"&due={time_of(later[0])}"


class Extender(http.server.ThreadingHTTPServer):
    """A scheduler extender that answers as the test says, and remembers what it was asked."""

    def __init__(self, answer):
        self.asked = []
        self.answer = answer
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        verb = self.path.strip("/")
        self.server.asked.append((verb, body))
        status, answer = self.server.answer(verb, body)
        text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


class Simulated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "inventory.yaml").write_text(INVENTORY)
        self.out = self.folder / "out"

    def arguments(self, *jobs, more=()):
        (self.folder / "trace.jsonl").write_text("".join(line + "\n" for line in jobs))
        return [
            SIMULATOR,
            *("--inventory", self.folder / "inventory.yaml"),
            *("--trace", self.folder / "trace.jsonl"),
            *("--sim-addr", "127.0.0.1:0", "--api-addr", "127.0.0.1:0"),
            *("--out", self.out),
            *map(str, more),
        ]

    def start(self, *jobs, more=()):
        self.log = self.folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.arguments(*jobs, more=more), stderr=log, stdout=subprocess.PIPE
            )
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        found = wait_until(
            "its addresses",
            lambda: re.search(
                r"the API is (\S+), telemetry, control and clock are at (\S+?)\"",
                self.log.read_text(),
            )
            or self.process.poll() is not None,
        )
        self.api, self.url = found[1], found[2]

    def get(self, path, data=None, method=None):
        """Status and text."""
        kind = {"Content-Type": "application/json"} if data is not None else {}
        request = urllib.request.Request(self.url + path, data, kind, method=method)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def json(self, path):
        status, text = self.get(path)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def control(self, node, **body):
        status, text = self.get(f"/control/{node}", json.dumps(body).encode())
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def api_get(self, path):
        with urllib.request.urlopen(self.api + path, timeout=DEADLINE_S) as reply:
            return json.load(reply)

    def finish(self):
        self.assertEqual(self.process.wait(DEADLINE_S), 0, self.log.read_text())
        return json.loads((self.out / "summary.json").read_text())


class Contract(Simulated):
    def setUp(self):
        super().setUp()
        self.start(job("a", 0, units=1e9), more=["--participants", "nobody"])

    def test_it_says_what_it_promises(self):
        self.assertEqual(self.get("/healthz")[0], 200)
        telemetry = self.json("/telemetry/g")
        self.assertEqual(telemetry["node"], "g")
        self.assertEqual(telemetry["gpu"]["count"], 2)
        self.assertEqual(telemetry["packagePowerWatts"], 80 + 2 * 35)
        state = self.json("/state/g")
        self.assertEqual(len(state["gpu"]["devices"]), 2)
        self.assertEqual(
            {n["node"] for n in self.json("/debug/nodes")["nodes"]}, {"g", "n-0", "n-1"}
        )
        self.assertEqual(self.json("/debug/jobs")["jobs"][0]["jobId"], "a")
        self.assertEqual(set(self.json("/debug/energy")["byNodeJoules"]), {"g", "n-0", "n-1"})

    def test_what_is_wrong_has_its_status(self):
        self.assertEqual(self.get("/telemetry/x")[0], 404)
        self.assertEqual(self.get("/control/x", b"{}")[0], 404)
        self.assertEqual(self.get("/state/x")[0], 404)
        self.assertEqual(self.get("/telemetry")[0], 400)
        self.assertEqual(self.get("/control/g", b"{")[0], 400)
        self.assertEqual(self.get("/control/g")[0], 405)
        self.assertEqual(self.get("/telemetry/g", b"{}")[0], 405)
        self.assertEqual(self.get("/nothing")[0], 404)
        self.assertEqual(self.get("/debug/timeseries")[0], 404)

    def test_control_is_counted_and_remembered(self):
        cap = self.control("g", action="gpu.set_power_cap_watts", capWattsPerGpu=10)
        self.assertEqual((cap["ok"], cap["result"]), (True, "applied"))
        self.assertEqual(cap["state"]["gpuCapWattsPerGpuTarget"], 200)
        self.assertEqual(self.control("n-0", action="fly")["result"], "error")
        metrics = self.get("/metrics")[1]
        self.assertIn(
            'joulie_sim_control_actions_total{node="g",action="gpu.set_power_cap_watts",'
            'result="applied"} 1',
            metrics,
        )
        self.assertIn('joulie_sim_controls_total{node="n-0",action="other"} 1', metrics)
        self.assertIn(
            'joulie_sim_requests_total{route="control",method="POST",status="200"} 2', metrics
        )
        events = self.json("/debug/events")["events"]
        self.assertEqual(
            [(e["kind"], e["node"]) for e in events], [("control", "g"), ("control", "n-0")]
        )

    def test_it_plays_prometheus(self):
        self.assertEqual(
            self.get("/api/v1/query"),
            (400, '{"status":"error","error":"missing query parameter"}'),
        )
        for query, value in (
            ("datacenter_ambient_temperature_celsius", 20.0),
            ("datacenter_total_it_power_watts", 3 * 80 + 2 * 35),
        ):
            result = self.json(f"/api/v1/query?query={query}")["data"]["result"]
            self.assertEqual(float(result[0]["value"][1]), value, query)
        self.assertEqual(self.json("/api/v1/query?query=up")["data"]["result"], [])

    def test_the_cluster_is_there(self):
        nodes = {node["metadata"]["name"]: node for node in self.api_get("/api/v1/nodes")["items"]}
        self.assertEqual(set(nodes), {"g", "n-0", "n-1"})
        self.assertEqual(nodes["g"]["status"]["allocatable"]["nvidia.com/gpu"], "2")
        self.assertEqual(nodes["g"]["metadata"]["labels"]["joulie.io/managed"], "true")
        hardware = self.api_get("/apis/joulie.io/v1alpha1/nodehardwares")["items"]
        self.assertEqual(
            {h["metadata"]["labels"]["joulie.io/managed-by"] for h in hardware},
            {"joulie-simulator"},
        )

    def test_bad_polls_are_refused(self):
        for query in (
            "after=2026-01-01T00:00:00Z",
            "who=",
            "who=a&after=now",
            "who=a&order=x",
            "who=a&after=2026-01-02T00:00:00Z",
        ):
            self.assertEqual(self.get(f"/clock?{query}")[0], 400, query)

    def test_who_takes_no_part_can_look_at_the_clock(self):
        self.assertEqual(set(self.json("/clock")), {"now", "resourceVersion", "end"})

    def test_it_shows_its_state_and_who_asked_the_api(self):
        self.api_get("/api/v1/nodes")
        view = self.json("/debug/view")
        self.assertEqual((view["nodes"], view["isFinished"], view["apiRequests"]), (3, False, 1))
        (row,) = self.json("/debug/requests")
        self.assertEqual((row["verb"], row["resource"], row["code"]), ("list", "nodes", 200))

    def test_a_signal_ends_it(self):
        self.process.send_signal(signal.SIGTERM)
        self.finish()


class Steps(Simulated):
    def play(self, *participants, jobs=(), more=()):
        """Runs to the end; every step in order."""
        steps = []
        names = ",".join(who for who, *_ in participants)
        self.start(*jobs, more=["--exit-at-end", "--participants", names, *more])
        players = [
            Participant(self.url, who, order, dues, steps, *rest)
            for who, order, dues, *rest in participants
        ]
        for player in players:
            player.start()
        summary = self.finish()
        for player in players:
            player.join(DEADLINE_S)
            self.assertTrue(player.has_ended, player.who)
        return steps, summary


class Clock(Steps):
    def test_steps_go_by_time_then_by_order(self):
        steps, summary = self.play(
            ("agent", 30, [20, 40, 60.5]),
            ("operator", 10, [60]),
            ("scheduler", 20, [60]),
            jobs=[job("a", 0, units=400)],
        )
        self.assertEqual(
            steps,
            [
                (0, "operator"),
                (0, "scheduler"),
                (0, "agent"),
                (20, "agent"),
                (40, "agent"),
                (60, "operator"),
                (60, "scheduler"),
                (60.5, "agent"),
            ],
        )
        self.assertEqual(summary["lateSteps"], 0)
        self.assertEqual(summary["podsCompleted"], {"controlled": 1})
        self.assertEqual(summary["simulatedS"], 100)

    def test_every_is_the_interval(self):
        self.start(job("a", 0), more=["--participants", "a", "--exit-at-end"])
        times = []
        query = "who=a"
        while True:
            answer = self.json(f"/clock?{query}")
            if answer["end"]:
                break
            times.append(seconds_of(answer["now"]))
            self.assertTrue(answer["resourceVersion"].isdigit())
            query = f"who=a&after={answer['now']}&every=30"
        self.assertEqual(times, [0, 30, 60, 90])
        self.finish()

    def test_time_waits_for_everybody(self):
        self.start(job("a", 0), more=["--participants", "a,b"])
        self.assertEqual(self.get("/readyz")[0], 500)
        steps = []
        Participant(self.url, "a", 30, [10], steps).start()
        wait_until("a is there", lambda: "a is there; b is still missing" in self.log.read_text())
        self.assertEqual(steps, [])
        self.assertEqual(self.json("/debug/energy")["lastUpdated"], "2026-01-01T00:00:00.000000Z")
        Participant(self.url, "b", 30, [10], steps).start()
        wait_until("both went on", lambda: len(steps) == 4)
        self.assertEqual(self.get("/readyz")[0], 200)

    def test_a_late_step_is_counted_and_not_waited_for(self):
        enough = threading.Event()
        self.addCleanup(enough.set)

        def sleep(now):
            if now == 10:
                enough.wait(DEADLINE_S)

        steps = []
        self.start(
            job("a", 0), more=["--participants", "slow,good", "--sim-step-deadline", "100ms"]
        )
        Participant(self.url, "slow", 30, [10], steps, sleep).start()
        Participant(self.url, "good", 30, [10, 20], steps).start()
        wait_until("time went on", lambda: (20, "good") in steps)
        self.assertIn('joulie_sim_late_steps_total{who="slow"} 1', self.get("/metrics")[1])
        enough.set()

    def test_a_participant_that_starts_anew_steps_now(self):
        self.start(job("a", 0), more=["--participants", "a"])
        first = self.json("/clock?who=a")
        again = self.json("/clock?who=a")  # it never did the first one
        self.assertEqual(first["now"], again["now"])
        after = self.json(f"/clock?who=a&after={again['now']}&due={time_of(7)}")
        self.assertEqual(seconds_of(after["now"]), 7)

    def test_controls_hold_from_the_step_on(self):
        """At f .6 a compute-bound job without memory and io goes at .6492 of its speed;
        While the frequency is on its way, the node has an event every 10 s."""
        profile = {
            "workloadClass": {"cpu": "cpu.compute_bound"},
            "workloadProfile": {"cpuUtilization": 1, "memoryIntensity": 0, "ioIntensity": 0},
        }

        def throttle(now):
            if now == 50:
                self.control("g", action="dvfs.set_throttle_pct", throttlePct=40)

        _, summary = self.play(
            ("a", 30, [50], throttle), jobs=[job("a", 0, cores=16, units=1600, more=profile)]
        )
        self.assertAlmostEqual(summary["simulatedS"], 60 + 40 / 0.6492, delta=0.01)


class Machines(Steps):
    """Stopping takes 30 s, booting 300 s."""

    def node(self, name):
        """Status of Ready, since when, and the boot."""
        node = self.api_get(f"/api/v1/nodes/{name}")["status"]
        (ready,) = (c for c in node["conditions"] if c["type"] == "Ready")
        since = seconds_of(ready["lastTransitionTime"].replace("Z", ".000Z"))
        return ready["status"], since, node["nodeInfo"]["bootID"]

    def patch(self, name, spec):
        request = urllib.request.Request(
            f"{self.api}/api/v1/nodes/{name}",
            json.dumps({"spec": spec}).encode(),
            {"Content-Type": "application/merge-patch+json"},
            method="PATCH",
        )
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            self.assertEqual(reply.status, 200)

    def rows(self):
        lines = (self.out / "jobs.csv").read_text().splitlines()
        head = lines[0].split(",")
        return {row["id"]: row for row in (dict(zip(head, r.split(","))) for r in lines[1:])}

    def test_a_node_says_what_its_machine_does(self):
        seen = {}

        def step(now):
            if now in (50, 100):
                word = "off" if now == 50 else "on"
                self.assertTrue(self.control("n-1", action=f"node.power_{word}")["ok"])
            seen[now] = (*self.node("n-1"), self.get("/telemetry/n-1"))

        steps, _ = self.play(
            ("a", "30&on=pods", [50, 60, 100, 390], step), jobs=[job("a", 0, 16, units=16 * 500)]
        )
        first, second = seen[0][2], seen[400][2]
        self.assertNotEqual(first, second)
        self.assertRegex(first, r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        ready = {now: (status, since, boot) for now, (status, since, boot, _) in seen.items()}
        for now in (0, 50, 60):
            self.assertEqual(ready[now], ("True", 0, first), now)
        for now in (80, 100, 390):  # 80: who asks to step with pods steps now
            self.assertEqual(ready[now], ("Unknown", 80, first), now)
        self.assertEqual(ready[400], ("True", 400, second))
        answers = {now: telemetry[0] for now, (*_, telemetry) in seen.items()}
        self.assertEqual({now for now, status in answers.items() if status == 503}, {80, 100, 390})
        self.assertEqual(set(answers.values()), {200, 503})
        self.assertEqual(json.loads(seen[80][3][1])["powerState"], "off")
        self.assertEqual(json.loads(seen[390][3][1])["powerState"], "booting")
        self.assertEqual(self.node_boots(), first)

    def node_boots(self):
        """Of the same machine in another simulation: equal, or days could not be compared."""
        self.process.wait()
        self.start(job("a", 0), more=["--participants", "a"])
        return self.node("n-1")[2]

    def test_pods_do_not_go_where_a_scheduler_would_not_send_them(self):
        """All three machines are closed, each in a way of its own, and n-1 is not tainted any more at 200 s."""

        def step(now):
            if now == 0:
                self.patch("g", {"unschedulable": True})
                self.patch("n-0", {"taints": [{"key": "k", "effect": "NoExecute"}]})
                self.patch("n-1", {"unschedulable": True})
            if now == 100:
                taints = [
                    {"key": "k", "effect": "PreferNoSchedule"},
                    {"key": "k", "effect": "NoSchedule"},
                ]
                self.patch("n-1", {"unschedulable": None, "taints": taints})
            if now == 200:
                self.patch("n-1", {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]})

        self.play(("a", 30, [100, 200], step), jobs=[job("a", 50)])
        row = self.rows()["a"]
        self.assertEqual((row["controlled_node"], float(row["controlled_started_s"])), ("n-1", 200))


class Placement(Simulated):
    def play(self, answer, *jobs, more=()):
        extender = Extender(answer)
        self.addCleanup(extender.server_close)
        self.addCleanup(extender.shutdown)
        self.start(
            *jobs,
            more=[
                "--exit-at-end",
                "--speedup",
                1e6,
                "--extender-timeout",
                "10s",
                "--extender",
                extender.url + "/",
                *more,
            ],
        )
        summary = self.finish()
        rows = (self.out / "jobs.csv").read_text().splitlines()
        head = rows[0].split(",")
        placed = {
            row.split(",")[0]: row.split(",")[head.index("controlled_node")] for row in rows[1:]
        }
        return extender.asked, placed, summary

    def test_it_asks_as_kube_scheduler_does(self):
        def answer(verb, body):
            if verb == "filter":
                return 200, {
                    "NodeNames": [n for n in body["NodeNames"] if n != "g"],
                    "FailedAndUnresolvableNodes": {"g": "no"},
                }
            return 200, [{"Host": "n-0", "Score": 0}, {"Host": "n-1", "Score": 10}]

        asked, placed, summary = self.play(answer, job("a", 0))
        asked = [(verb, body) for verb, body in asked if body["Pod"]["metadata"]["name"] == "a"]
        self.assertEqual([verb for verb, _ in asked], ["filter", "prioritize"])
        self.assertEqual(asked[0][1]["NodeNames"], ["g", "n-0", "n-1"])
        self.assertEqual(asked[1][1]["NodeNames"], ["n-0", "n-1"])
        self.assertIsNone(asked[0][1]["Nodes"])
        self.assertNotIn("kind", asked[0][1]["Pod"])
        self.assertEqual(placed, {"a": "n-1"})
        self.assertEqual(summary["extenderSkipped"], 0)

    def test_one_node_left_needs_no_score(self):
        asked, placed, _ = self.play(lambda verb, body: (200, {"nodenames": ["g"]}), job("a", 0))
        self.assertEqual({verb for verb, _ in asked}, {"filter"})
        self.assertEqual(placed, {"a": "g"})

    def test_a_filter_that_fails_is_skipped(self):
        for answer in (
            (500, {}),
            (200, b"<html>"),
            (200, {"Error": "broken"}),
            (200, {"NodeNames": ["nobody"]}),
        ):
            with self.subTest(answer=answer):
                _, placed, summary = self.play(lambda verb, body: answer, job("a", 0))
                self.assertEqual(placed, {"a": "g"})  # equal room: the lower name
                self.assertGreater(summary["extenderSkipped"], 0)

    def test_a_filter_that_must_not_fail_is_asked_again(self):
        asked = []

        def answer(verb, body):
            asked.append(verb)
            return (503, {}) if len(asked) < 2 else (200, {"NodeNames": ["n-1"]})

        _, placed, summary = self.play(answer, job("a", 0), more=["--extender-ignorable", "false"])
        self.assertEqual((placed, summary["extenderSkipped"]), ({"a": "n-1"}, 0))

    def test_an_extender_that_starts_anew_learns_the_time_while_its_answer_is_waited_for(self):
        times = []

        def answer(verb, body):
            if not times and body["Pod"]["metadata"]["name"] == "a":
                times.append(self.json("/clock?who=extender&order=20"))
            return 200, {"NodeNames": ["n-1"]} if verb == "filter" else []

        steps = []
        with Extender(answer) as extender:
            self.start(
                job("a", 30),
                more=[
                    "--participants",
                    "p",
                    "--extender",
                    extender.url,
                    "--extender-timeout",
                    "1m",
                    "--sim-step-deadline",
                    "1s",
                ],
            )
            Participant(self.url, "p", 30, [20], steps).start()
            wait_until("the time was reported", lambda: times)
        self.assertEqual(seconds_of(times[0]["now"]), 30)

    def test_least_allocated_asks_only_where_performance_pods_may_go(self):
        asked, placed, _ = self.play(
            lambda verb, body: (200, {"NodeNames": ["n-1"]}),
            job("a", 0),
            job("p", 0, more={"intentClass": "performance"}),
            more=["--placement", "least-allocated"],
        )
        names = {body["Pod"]["metadata"]["name"] for _, body in asked}
        self.assertNotIn("a", names)
        self.assertEqual(placed, {"a": "g", "p": "n-1"})


class Options(Simulated):
    def refused(self, *arguments):
        done = subprocess.run(
            [SIMULATOR, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_wrong_input_is_named(self):
        self.assertIn("SIM_INVENTORY_PATH", self.refused())
        self.assertIn("--speedup", self.refused("--speedup", "fast"))
        trace = self.folder / "bad.jsonl"
        trace.write_text(job("a", 0) + "\n{}x\n")
        line = self.refused("--inventory", self.folder / "inventory.yaml", "--trace", trace)
        self.assertIn(f"{trace}:2", line)

    def test_a_folder_of_traces_is_read_in_the_order_of_names(self):
        folder = self.folder / "traces"
        folder.mkdir()
        (folder / "b.jsonl").write_text(job("b", 0))
        (folder / "a.jsonl").write_text(job("a", 0))
        (folder / "c.txt").write_text("no trace")
        done = subprocess.run(
            [*self.arguments(more=["--exit-at-end", "--speedup", "1000000", "--trace", folder])],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = (self.out / "jobs.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[0] for row in rows[1:]], ["a", "b"])

    def test_debug_files_are_kept(self):
        debug = self.folder / "debug"
        self.start(job("a", 0), more=["--speedup", "1000000", "--sim-debug-persist-dir", debug])
        wait_until("the files", lambda: (debug / "timeseries.csv").exists())
        self.json("/telemetry/g")
        self.process.send_signal(signal.SIGTERM)
        self.finish()
        self.assertEqual(
            {file.name for file in debug.iterdir()},
            {
                "nodes.json",
                "jobs.json",
                "energy.json",
                "events.json",
                "events.ndjson",
                "timeseries.csv",
            },
        )
        self.assertTrue(
            (debug / "timeseries.csv").read_text().startswith("timestamp_utc,elapsed_sec,")
        )

    def test_the_manual_page_is_the_programs_own(self):
        page = (ROOT / "docs" / "man" / "joulie-simulator.1").read_text()
        made = subprocess.run(
            [SIMULATOR, "--man"], capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(made, page, "joulie-simulator --man >docs/man/joulie-simulator.1")


if __name__ == "__main__":
    unittest.main()
