# SPDX-License-Identifier: Apache-2.0
"""The commands about a cluster (docs/rules/commands.md#commands-about-a-cluster), against the embedded API server."""

import fcntl
import http.server
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from checkout import DEV, ROOT

sys.path[:0] = [str(ROOT / "tests" / "programs" / "apiserver"), str(ROOT / "tests" / "programs" / "cluster_tools")]

import build  # noqa: E402
from server import Server, twin  # noqa: E402

JOULIE = str(DEV / "bin" / "joulie")
DEADLINE_S = 60
NOW = "2026-03-13T12:00:00Z"
FRESH = "2026-03-13T11:59:00Z"
OLD = "2026-03-13T11:50:00Z"

# The example of the source, with what is different here: - for what nobody knows, which is in no
# average, and the class unknown.
EXAMPLE = """CLUSTER ENERGY STATE
  Nodes: 3 total (1 eco, 1 performance, 1 unknown)
  Avg cooling stress: 50%  |  Peak: 64% (gpu-h100-0)
  Avg PSU stress: 12%
  Avg power headroom: 57%
  Running pods: 18

NODE        CLASS        HEADROOM  COOLING  CPU%  MEM%  GPU%  PODS  CPU CAP  GPU CAP
cpu-0       eco          42%       36%      50%   25%   -     12    60%      -
gpu-h100-0  performance  72%       64%      12%   8%    75%   6     100%     100%
new-node    unknown      -         -        0%    0%    -     0     -        -
"""


class Front:
    """An API server in front of another: what `answers` names is answered here, /clock too."""

    def __init__(self, behind):
        self.answers = {}  # path: (code, body)
        self.now = NOW
        self.seen = []
        self.release = threading.Event()  # of requests that are left without an answer
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                path = self.path.split("?")[0]
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else None
                front.seen.append((self.command, self.path, dict(self.headers)))
                if path == "/clock":
                    self.reply(200, json.dumps({"now": front.now}))
                elif path not in front.answers:
                    self.forward(body)
                elif front.answers[path] is None:
                    front.release.wait(DEADLINE_S)
                    self.close_connection = True
                else:
                    self.reply(*front.answers[path])

            def forward(self, body):
                request = urllib.request.Request(behind + self.path, data=body, method=self.command)
                request.add_header("Content-Type", self.headers.get("Content-Type", ""))
                try:
                    with urllib.request.urlopen(request, timeout=DEADLINE_S) as response:
                        self.reply(response.status, response.read().decode())
                except urllib.error.HTTPError as problem:
                    self.reply(problem.code, problem.read().decode())

            def reply(self, code, body):
                text = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = answer
            do_POST = answer

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


def status_error(code, reason, message):
    return code, {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }


def node(name, labels=None, **allocatable):
    names = {"gpu": "nvidia.com/gpu"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"joulie.io/managed": "true", **(labels or {})}},
        "status": {"allocatable": {names.get(k, k): v for k, v in allocatable.items()}},
    }


def pod(name, bound=None, phase="Running", namespace="default", **requests):
    names = {"gpu": "nvidia.com/gpu"}
    container = {
        "name": "c",
        "image": "i",
        "resources": {"requests": {names.get(k, k): v for k, v in requests.items()}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [container], **({"nodeName": bound} if bound else {})},
        "status": {"phase": phase},
    }


def status_of(kind, headroom, cooling, cap, updated=FRESH, **more):
    return {
        "schedulableClass": kind,
        "predictedPowerHeadroomScore": headroom,
        "predictedCoolingStressScore": cooling,
        "predictedPsuStressScore": 12,
        "effectiveCapState": {"cpuPct": cap, "gpuPct": cap},
        "lastUpdated": updated,
        **more,
    }


def with_status(document, **status):
    return {**document, "status": status}


class Cluster(unittest.TestCase):
    """The three nodes of the example."""

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.front = Front(self.server.url)
        self.addCleanup(self.front.close)
        self.fill()

    def put(self, document):
        self.assertTrue(self.server.put(document).text.startswith("1 "), document)

    def fill(self):
        self.put(node("cpu-0", cpu="24", memory="100Gi"))
        self.put(node("gpu-h100-0", {"pool": "gpu"}, cpu="48", memory="100Gi", gpu="8"))
        self.put(node("new-node", cpu="8", memory="16Gi"))
        power = {"source": "kepler", "measuredNodePowerW": 210.4, "nodeCappedPowerW": 432}
        self.put(
            with_status(twin("cpu-0"), **status_of("eco", 41.67, 35.5, 60, powerMeasurement=power))
        )
        performance = twin("gpu-h100-0")
        performance["spec"]["profile"] = "performance"
        self.put(with_status(performance, **status_of("performance", 72.5, 64.4, 100)))
        self.put(with_status(twin("new-node"), lastUpdated=FRESH))
        for number in range(12):
            self.put(pod(f"c{number}", "cpu-0", cpu="1", memory="2099Mi"))
        for number in range(6):
            phase = "Pending" if number == 0 else "Running"
            request = {"cpu": "1", "memory": "1449Mi", "gpu": "1"}
            self.put(pod(f"g{number}", "gpu-h100-0", phase, "other", **request))
        self.put(pod("over", "cpu-0", "Succeeded", cpu="8"))
        self.put(pod("waits", None, "Pending", cpu="8"))

    def beat(self, at):
        self.put(
            {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": "joulie-heartbeat", "namespace": "joulie-system"},
                "spec": {"holderIdentity": "a", "renewTime": at.replace("Z", ".000000Z")},
            }
        )

    def renew(self, name, at):
        """The Lease of a node's agent."""
        spec = {"holderIdentity": name, "leaseDurationSeconds": 90}
        self.put(
            {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": f"joulie-agent-{name}", "namespace": "joulie-system"},
                "spec": {**spec, "renewTime": at.replace("Z", ".000000Z")},
            }
        )

    def put_agent_pod(self, name, ready):
        """The pod of a node's agent."""
        labels = {"app.kubernetes.io/name": "joulie", "app.kubernetes.io/component": "agent"}
        self.put(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"joulie-agent-{name}",
                    "namespace": "joulie-system",
                    "labels": labels,
                    "ownerReferences": [{"kind": "DaemonSet", "name": "joulie-agent"}],
                },
                "spec": {"nodeName": name},
                "status": {
                    "phase": "Running",
                    "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
                },
            }
        )

    def age(self, name, updated):
        body = {"status": {"lastUpdated": updated}}
        path = f"/test/merge?resource=nodetwins&name={name}"
        self.assertTrue(self.server.post(path, body).text.startswith("1 "))

    def run_raw(self, *words, **options):
        return subprocess.run(
            [JOULIE, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            **options,
        )

    def run_it(self, *words, server=None):
        place = ["--server", server or self.server.url, "--clock", self.front.url]
        return self.run_raw(*words, *place)

    def show(self, *words, **options):
        done = self.run_it(*words, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def answer_of(self, *words, **options):
        return json.loads(self.show(*words, "-o", "json", **options))

    def fails(self, *words, status=1, **options):
        done = self.run_it(*words, **options)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr


class Status(Cluster):
    def test_the_example_of_the_specification(self):
        self.assertEqual(self.show("status"), EXAMPLE)

    def test_a_node_whose_agent_is_gone_has_no_cap(self):
        self.renew("cpu-0", "2026-03-13T11:58:30Z")  # 90 s ago: it may still be there
        self.renew("gpu-h100-0", "2026-03-13T11:59:50Z")
        self.assertEqual(self.show("status"), EXAMPLE)
        rows = self.answer_of("status")["nodes"]
        self.assertEqual([row.get("agentSilent") for row in rows], [False, False, None])
        self.renew("cpu-0", "2026-03-13T11:58:29Z")
        answer = self.answer_of("status")
        row = answer["nodes"][0]
        self.assertEqual((row["agentSilent"], row["cpuCapPct"]), (True, 100))
        self.assertEqual(answer["summary"]["agentSilent"], 1)
        shown = self.show("status")
        self.assertIn("  Agents gone: 1, none of their caps is in force\n", shown)
        self.assertRegex(shown, r"(?m)^cpu-0 +eco \(no agent\) .* 100% ")

    def test_a_pod_that_is_not_ready_says_more_than_a_lease(self):
        self.renew("cpu-0", "2026-03-13T11:59:50Z")
        self.put_agent_pod("cpu-0", True)
        self.put_agent_pod("gpu-h100-0", True)
        rows = self.answer_of("status")["nodes"]
        self.assertEqual([row.get("agentSilent") for row in rows], [False, False, None])
        self.put_agent_pod("cpu-0", False)
        answer = self.answer_of("status")
        row = answer["nodes"][0]
        self.assertEqual((row["agentSilent"], row["cpuCapPct"]), (True, 100))
        self.assertEqual(answer["summary"]["agentSilent"], 1)
        self.assertRegex(self.show("status"), r"(?m)^cpu-0 +eco \(no agent\) .* 100% ")

    def test_a_node_without_a_status_is_stale_and_has_no_numbers(self):
        self.put(twin("new-node"))
        stale = "  Stale: 1 of them (joulie doctor says why)\n"
        self.assertEqual(self.show("status"), EXAMPLE.replace("pods: 18\n", "pods: 18\n" + stale))
        row = self.answer_of("status")["nodes"][2]
        self.assertEqual(
            row,
            {
                "nodeName": "new-node",
                "class": "unknown",
                "profile": "eco",
                "draining": False,
                "cpuRequestPct": 0,
                "memoryRequestPct": 0,
                "pods": 0,
                "stale": True,
            },
        )

    def test_wide_adds_power_and_age(self):
        lines = self.show("status", "-o", "wide").splitlines()[-4:]
        rest = [re.split(r"  +", line)[-4:] for line in lines]
        self.assertEqual(
            rest,
            [
                ["PROFILE", "MEASURED", "CAPPED", "AGE"],
                ["eco", "210W", "432W", "60s"],
                ["performance", "-", "-", "60s"],
                ["eco", "-", "-", "60s"],
            ],
        )

    def test_json_is_the_answer_of_the_question(self):
        said = self.answer_of("status")
        document = {
            "twins": self.server.get("/apis/joulie.io/v1alpha1/nodetwins").json["items"],
            "nodes": self.server.get("/api/v1/nodes").json["items"],
            "pods": self.server.get("/api/v1/pods").json["items"],
            "now": NOW,
        }
        asked = self.run_raw_with(json.dumps(document), "ask", "status")
        self.assertEqual(said, json.loads(asked))
        self.assertEqual(said["summary"]["avgCoolingStressScore"], (35.5 + 64.4) / 2)
        self.assertEqual(said["nodes"][0]["ageS"], 60)

    def run_raw_with(self, text, *words):
        done = subprocess.run(
            [JOULIE, *words], input=text, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    def test_yaml_and_names(self):
        self.assertIn("summary:\n  nodes: 3\n", self.show("status", "-o", "yaml"))
        self.assertEqual(
            self.show("status", "-o", "name"), "node/cpu-0\nnode/gpu-h100-0\nnode/new-node\n"
        )

    def test_heads_can_be_left_out(self):
        lines = self.show("status", "--no-headers").splitlines()
        self.assertEqual(lines[-3].split(), EXAMPLE.splitlines()[-3].split())
        self.assertFalse([line for line in lines if line.startswith("NODE")])

    def test_a_selector_is_of_nodes(self):
        said = self.answer_of("status", "-l", "pool=gpu", "-A")
        self.assertEqual([row["nodeName"] for row in said["nodes"]], ["gpu-h100-0"])
        self.assertEqual(said["summary"]["runningPods"], 6)
        self.assertIn("No NodeTwin of a node that matches a=b", self.show("status", "-l", "a=b"))

    def test_stale_nodes_are_marked_and_change_the_exit_status_only_when_asked(self):
        self.age("cpu-0", OLD)
        shown = self.show("status", "-o", "wide")
        self.assertRegex(shown, r"(?m)^cpu-0 +eco \(stale\) .* 10m$")
        self.assertIn("  Stale: 1 of them", shown)
        done = self.run_it("status", "--require-fresh")
        self.assertEqual(done.returncode, 3)
        self.assertIn("(stale)", done.stdout)
        self.assertEqual(self.run_it("status", "--require-fresh", "-o", "json").returncode, 3)
        self.age("cpu-0", FRESH)
        self.assertEqual(self.run_it("status", "--require-fresh").returncode, 0)

    def test_a_heartbeat_keeps_old_twins_fresh(self):
        self.age("cpu-0", OLD)
        self.beat(FRESH)
        self.assertEqual(self.answer_of("status")["summary"]["stale"], 0)
        self.assertEqual(self.answer_of("status", "-n", "elsewhere")["summary"]["stale"], 1)

    def test_a_heartbeat_that_is_no_time_is_reported(self):
        self.front.answers[
            "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"
        ] = (200, {"kind": "Lease", "spec": {"renewTime": "yesterday"}})
        done = self.run_it("status", server=self.front.url)
        self.assertEqual((done.returncode, done.stdout), (0, EXAMPLE))
        self.assertEqual(
            done.stderr,
            "warning: the operator's heartbeat cannot be read: its renewTime is no time\n",
        )

    def test_a_bad_object_is_left_out_and_named(self):
        bad = twin("a-bad")
        bad["spec"]["profile"] = "warm"
        self.put(bad)
        self.put(node("z-bad", cpu="a lot"))
        done = self.run_it("status")
        self.assertEqual((done.returncode, done.stdout), (0, EXAMPLE))
        self.assertRegex(
            done.stderr, r'(?m)^warning: NodeTwin "a-bad" is left out: spec.profile: "warm" '
        )

    def test_what_a_terminal_would_obey_is_not_printed(self):
        odd = twin("odd")
        odd["spec"]["nodeName"] = "a\033[2J\u009b2Jb\n"
        self.put(with_status(odd, **status_of("eco", 1, 99, 60)))
        shown = self.show("status")
        self.assertIn("(a?[2J?2Jb?)", shown)
        self.assertIn("\na?[2J?2Jb? ", shown)
        self.assertFalse({"\033", "\u009b"} & set(shown))

    def test_explain_shows_how_workloads_were_classified(self):
        none = "No WorkloadProfile resources found. Is the classifier running?\n"
        self.assertEqual(
            self.show("status", "--explain"), EXAMPLE + "\nWORKLOAD CLASSIFICATION\n" + none
        )
        for space, name, status in (
            ("b", "x", {}),
            (
                "a",
                "y",
                {
                    "criticality": {"class": "performance"},
                    "confidence": 0.825,
                    "cpu": {"bound": "compute", "intensity": "high"},
                    "classificationReason": "cpu is busy",
                },
            ),
        ):
            self.put(
                {
                    "apiVersion": "joulie.io/v1alpha1",
                    "kind": "WorkloadProfile",
                    "metadata": {"name": name, "namespace": space},
                    "spec": {"workloadRef": {"kind": "Deployment", "name": "the-" + name}},
                    "status": status,
                }
            )
        shown = self.show("status", "--explain")
        self.assertTrue(shown.startswith(EXAMPLE + "\nWORKLOAD CLASSIFICATION\n"))
        self.assertEqual(
            [re.split(r"  +", line) for line in shown.splitlines()[-3:]],
            [
                ["NAMESPACE", "NAME", "CLASS", "CONFIDENCE", "CPU BOUND", "GPU BOUND", "REASON"],
                ["a", "the-y", "performance", "82%", "compute", "-", "cpu is busy"],
                ["b", "the-x", "-", "-", "-", "-", "-"],
            ],
        )

    def test_explain_without_the_kind_still_shows_the_state(self):
        self.front.answers["/apis/joulie.io/v1alpha1/workloadprofiles"] = (
            404,
            "404 page not found\n",
        )
        done = self.run_it("status", "--explain", server=self.front.url)
        self.assertEqual((done.returncode, done.stdout), (1, EXAMPLE))
        self.assertIn("error: cannot list workloadprofiles: this cluster does not", done.stderr)

    def test_large_collections_come_in_pages_and_pages_that_expire_again(self):
        for number in range(1203):
            self.put(twin(f"t{number}"))
        self.assertEqual(self.answer_of("status")["summary"]["nodes"], 1206)
        self.server.post("/faults", {"gone": 1, "limit": 2})
        self.assertEqual(self.answer_of("status")["summary"]["nodes"], 1206)
        self.server.post("/faults", {"gone": 1})
        self.assertRegex(
            self.fails("status"), r"^Error from server \(Expired\): cannot list nodetwins: "
        )

    def test_watch_prints_again_until_a_signal(self):
        process = subprocess.Popen(
            [JOULIE, "status", "-W", "--server", self.server.url, "--clock", self.front.url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        trailer = "\n  (watching — refresh every 2s, Ctrl-C to stop)\n"
        whole = ("\033[2J\033[H" + EXAMPLE + trailer).encode()
        shown = b""
        while len(shown) < 2 * len(whole):
            piece = os.read(process.stdout.fileno(), 2 * len(whole) - len(shown))
            self.assertTrue(piece)
            shown += piece
        self.assertEqual(shown, 2 * whole)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE_S), -signal.SIGINT)
        self.assertEqual(process.stderr.read(), b"")
        process.stdout.close()
        process.stderr.close()


class Reach(Cluster):
    """How the cluster is found, and what happens when it is not."""

    def kubeconfig(self, text):
        file = Path(self.server.folder.name) / "config"
        file.write_text(text)
        return str(file)

    def test_a_kubeconfig_a_context_and_the_environment(self):
        config = str(self.server.kubeconfig)
        clock = ["--clock", self.front.url]
        self.assertEqual(self.run_raw("status", "--kubeconfig", config, *clock).stdout, EXAMPLE)
        environment = {**os.environ, "KUBECONFIG": config}
        self.assertEqual(self.run_raw("status", *clock, env=environment).stdout, EXAMPLE)
        done = self.run_raw("status", "--context", "joulie", *clock, env=environment)
        self.assertEqual(done.stdout, EXAMPLE)
        done = self.run_raw("status", "--context", "other", *clock, env=environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^error: .*other")

    def test_no_cluster_at_all(self):
        with tempfile.TemporaryDirectory() as home:
            environment = {"HOME": home, "PATH": os.environ["PATH"]}
            done = self.run_raw("status", env=environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("error: "), done.stderr)

    def test_a_token_file_is_shown_to_the_server(self):
        token = Path(self.server.folder.name) / "token"
        token.write_text("secret\n")
        shown = self.show("status", "--token-file", str(token), server=self.front.url)
        self.assertEqual(shown, EXAMPLE)
        calls = [entry for entry in self.front.seen if entry[1] != "/clock"]
        self.assertEqual({entry[2].get("Authorization") for entry in calls}, {"Bearer secret"})
        self.assertTrue(all(e[2]["User-Agent"].startswith("kubectl-joulie/") for e in calls))

    def test_a_server_that_is_not_there(self):
        gone = Front("")
        gone.close()
        for words in (["status"], ["why", "waits"]):
            started = time.monotonic()
            text = self.fails(*words, "--request-timeout", "5s", server=gone.url)
            self.assertLess(time.monotonic() - started, 30)
            self.assertRegex(text, rf"^error: .*: {gone.url}: .*[Cc]onnect")

    def test_a_server_that_does_not_answer(self):
        self.front.answers["/apis/joulie.io/v1alpha1/nodetwins"] = None
        text = self.fails("status", "--request-timeout", "500ms", server=self.front.url)
        self.assertRegex(text, r"^error: cannot list nodetwins: http://\S+: .*time")

    def test_a_server_that_does_not_know_who_asks(self):
        self.front.answers["/apis/joulie.io/v1alpha1/nodetwins"] = status_error(
            401, "Unauthorized", "Unauthorized"
        )
        self.assertEqual(
            self.fails("status", server=self.front.url),
            "Error from server (Unauthorized): cannot list nodetwins: Unauthorized\n",
        )

    def test_a_server_that_refuses(self):
        self.front.answers["/api/v1/pods"] = status_error(403, "Forbidden", "pods is forbidden")
        self.assertEqual(
            self.fails("status", server=self.front.url),
            "Error from server (Forbidden): cannot list pods: pods is forbidden\n",
        )

    def test_a_cluster_without_our_kinds(self):
        self.front.answers["/apis/joulie.io/v1alpha1/nodetwins"] = (404, "404 page not found\n")
        text = self.fails("status", server=self.front.url)
        self.assertIn("this cluster does not have the kind", text)
        self.assertIn("joulie crd | kubectl apply -f -", text)

    def test_answers_that_are_no_lists(self):
        for body in ("", "[]", '{"kind":"x","items":{}}', '{"items":[1]}', '{"items"', "{}"):
            with self.subTest(body):
                self.front.answers["/api/v1/nodes"] = (200, body)
                text = self.fails("status", server=self.front.url)
                self.assertIn("cannot list nodes: the answer is not what was asked for", text)
        self.front.answers["/api/v1/nodes"] = (200, '{"kind":"NodeList","items":null}')
        self.assertEqual(self.answer_of("status", server=self.front.url)["summary"]["runningPods"], 0)

    def test_the_clock_is_asked_for_the_time_and_nothing_else(self):
        self.show("status")
        self.assertEqual([entry[:2] for entry in self.front.seen], [("GET", "/clock")])
        self.front.now = "2026-03-13T12:59:00Z"
        self.assertEqual(self.answer_of("status")["nodes"][0]["ageS"], 3600)

    def test_a_clock_that_does_not_give_the_time(self):
        self.front.now = "soon"
        self.assertIn('the answer has no "now"', self.fails("status"))
        done = self.run_raw("status", "--server", self.server.url, "--clock", self.server.url)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^error: --clock: \S+/clock does not have the time: .*404")

    def test_wrong_usage_is_2(self):
        for words in (
            ["status", "more"],
            ["status", "-o", "xml"],
            ["status", "-W", "-o", "json"],
            ["status", "-W", "--require-fresh"],
            ["status", "--explain", "-o", "name"],
            ["status", "--request-timeout", "soon"],
            ["status", "--request-timeout", "-1s"],
            ["status", "--request-timeout", "0s"],
            ["status", "--request-timeout", "1.5ms"],
            ["why"],
            ["why", "a", "b"],
            ["doctor", "more"],
            ["top"],
            ["top", "--sort", "size"],
        ):
            with self.subTest(words):
                self.assertIn("Usage:", self.fails(*words, status=2))


class Why(Cluster):
    def score_document(self, name):
        twins = {
            item["spec"]["nodeName"]: item
            for item in self.server.get("/apis/joulie.io/v1alpha1/nodetwins").json["items"]
        }
        hardware = {
            item["spec"]["nodeName"]: item
            for item in self.server.get("/apis/joulie.io/v1alpha1/nodehardwares").json["items"]
        }
        nodes = []
        for item in self.server.get("/api/v1/nodes").json["items"]:
            found = item["metadata"]["name"]
            candidate = {"name": found, "labels": item["metadata"]["labels"], "node": item}
            candidate["pods"] = [
                each
                for each in self.server.get("/api/v1/pods").json["items"]
                if each["spec"].get("nodeName") == found
            ]
            if found in twins:
                candidate["twin"] = twins[found]
            if found in hardware:
                candidate["hardware"] = hardware[found]
            nodes.append(candidate)
        subject = self.server.get(f"/api/v1/namespaces/default/pods/{name}").json
        return {"pod": subject, "nodes": nodes, "now": NOW}

    def ask(self, document):
        done = subprocess.run(
            [JOULIE, "score"],
            input=json.dumps(document),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def test_json_is_the_answer_of_score(self):
        self.put(
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "NodeHardware",
                "metadata": {"name": "cpu-0"},
                "spec": {"nodeName": "cpu-0"},
                "status": {
                    "cpu": {"sockets": 2, "totalCores": 24, "capRange": {"maxWattsPerSocket": 250}}
                },
            }
        )
        for name in ("waits", "c0"):
            said = self.answer_of("why", name)
            self.assertEqual(said, self.ask(self.score_document(name)))
            self.assertEqual([s["basis"] for s in said["scores"]], ["fresh", "fresh", "missing"])
        self.assertNotEqual(said["scores"][0]["terms"]["marginalW"], 0)

    def test_the_heartbeat_and_the_profile_count(self):
        self.age("cpu-0", OLD)
        self.beat(FRESH)
        self.put(
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "WorkloadProfile",
                "metadata": {"name": "p", "namespace": "default"},
                "spec": {"workloadRef": {"kind": "Pod", "name": "waits", "namespace": "default"}},
                "status": {
                    "criticality": {"class": "performance"},
                    "cpu": {"intensity": "high", "bound": "compute", "capSensitivity": "high"},
                    "confidence": 0.9,
                    "lastUpdated": FRESH,
                },
            }
        )
        document = self.score_document("waits")
        profiles = "/apis/joulie.io/v1alpha1/namespaces/default/workloadprofiles/p"
        document["profile"] = self.server.get(profiles).json
        document["heartbeat"] = FRESH
        said = self.answer_of("why", "waits")
        self.assertEqual(said, self.ask(document))
        self.assertEqual(said["scores"][0]["basis"], "fresh")

    def test_a_person_sees_each_term(self):
        shown = self.show("why", "waits").splitlines()
        self.assertEqual(shown[0], "Pod default/waits: standard, waits for a node (Pending)")
        self.assertEqual(
            shown[2].split(),
            "NODE FILTER SCORE BASIS HEADROOM COOLING TREND BONUS PRESSURE SENSITIVITY PSU REASON".split(),
        )
        row = shown[3].split()
        said = self.answer_of("why", "waits")["scores"][0]
        self.assertEqual(row[:4], ["cpu-0", "passed", str(said["score"]), "fresh"])
        self.assertEqual(row[4], f"{said['terms']['headroom']:+.1f}")
        self.assertEqual(row[8], f"{said['terms']['pressure']:+.1f}")
        self.assertEqual(shown[5].split()[3:], ["missing"] + 8 * ["-"])
        wide = self.show("why", "waits", "-o", "wide").splitlines()
        self.assertTrue(wide[2].endswith("RAW    WIRE  MARGINAL  REASON"), wide[2])
        self.assertTrue(
            self.show("why", "c0").startswith("Pod default/c0: standard, on node cpu-0 (R")
        )

    def test_a_node_that_fails_says_why(self):
        body = {"metadata": {"annotations": {"joulie.io/workload-class": "performance"}}}
        path = "/test/merge?resource=pods&namespace=default&name=waits"
        self.assertTrue(self.server.post(path, body).text.startswith("1 "))
        said = self.answer_of("why", "waits")
        self.assertEqual(list(said["failed"]), ["cpu-0"])
        shown = self.show("why", "waits")
        self.assertRegex(shown, rf"(?m)^cpu-0 +failed .* {re.escape(said['failed']['cpu-0'])}$")
        self.assertEqual(
            self.show("why", "waits", "-o", "name"), "node/gpu-h100-0\nnode/new-node\n"
        )

    def test_another_scoring_profile_is_tried_before_it_is_used(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder) / "scoring.yaml"
            profile.write_text("version: 1\nheadroomWeight: 0\nspread: rank\n")
            document = self.score_document("waits")
            document["heartbeat"] = FRESH
            said = self.answer_of("why", "waits", "--scoring", str(profile))
            plain = self.answer_of("why", "waits")
            for entry, before in zip(said["scores"], plain["scores"]):
                (row,) = [one for one in said["ranking"] if one["node"] == entry["node"]]
                self.assertEqual((row["score"], row["scoreBefore"]), (entry["score"], before["score"]))
                self.assertEqual((row["wire"], row["wireBefore"]), (entry["wire"], before["wire"]))
                self.assertEqual(entry.get("terms", {"headroom": 0})["headroom"], 0)
            self.assertEqual([row["rank"] for row in said["ranking"]], sorted(row["rank"] for row in said["ranking"]))
            shown = self.show("why", "waits", "--scoring", str(profile)).split("\n\n")
            self.assertEqual(shown[2].splitlines()[0].split(), "NODE RANK WAS SCORE WAS WIRE WAS".split())
            self.assertEqual(len(shown[2].splitlines()), 1 + len(said["scores"]))
            profile.write_text("version: 1\necoPoints: 101\n")
            self.assertIn(f"ecoPoints: {profile}:2: 101 is above 100", self.fails("why", "waits", "--scoring", str(profile)))

    def test_a_node_that_kube_scheduler_would_not_give_it_is_no_rank(self):
        self.put(pod("trains", None, "Pending", cpu="1", gpu="9"))
        said = self.answer_of("why", "trains")
        self.assertEqual(said["unfit"]["cpu-0"], "has no nvidia.com/gpu, the pod asks for 9")
        self.assertRegex(said["unfit"]["gpu-h100-0"], "has 8 nvidia.com/gpu, the pod asks for 9$")
        self.assertNotIn("notExamined", said)
        shown = self.show("why", "trains")
        self.assertRegex(shown, r"(?m)^cpu-0 +unfit .* has no nvidia.com/gpu, the pod asks for 9$")
        self.assertNotIn("Not looked at", shown)
        self.assertNotIn("node/cpu-0", self.show("why", "trains", "-o", "name"))

    def test_what_nobody_looks_at_is_named(self):
        body = {"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}}
        path = "/test/merge?resource=pods&namespace=default&name=waits"
        self.assertTrue(self.server.post(path, body).text.startswith("1 "))
        self.assertEqual(self.answer_of("why", "waits")["notExamined"], ["volumes"])
        self.assertTrue(
            self.show("why", "waits").endswith("\nNot looked at, though the pod asks for it: volumes\n")
        )

    def test_nodes_can_be_selected(self):
        said = self.answer_of("why", "waits", "-l", "pool=gpu")
        self.assertEqual([entry["node"] for entry in said["scores"]], ["gpu-h100-0"])

    def test_a_pod_that_is_not_there(self):
        self.assertEqual(
            self.fails("why", "nobody"),
            'Error from server (NotFound): pod default/nobody: pods "nobody" not found\n',
        )
        self.assertIn("pod default/g0:", self.fails("why", "g0"))
        self.assertIn("on node gpu-h100-0", self.show("why", "g0", "-n", "other"))

    def test_a_bad_twin_hides_one_node_only(self):
        bad = twin("new-node")
        bad["spec"]["profile"] = "warm"
        self.put(bad)
        done = self.run_it("why", "waits", "-o", "json")
        bases = [entry["basis"] for entry in json.loads(done.stdout)["scores"]]
        self.assertEqual((done.returncode, bases), (0, ["fresh", "fresh", "missing"]))
        self.assertRegex(done.stderr, r'^warning: NodeTwin "new-node" is left out: spec.profile: ')

    def test_stale_scores_change_the_exit_status_only_when_asked(self):
        self.age("cpu-0", OLD)
        self.assertEqual(self.run_it("why", "waits", "--require-fresh").returncode, 3)
        self.assertEqual(
            self.run_it("why", "waits", "--require-fresh", "-l", "pool=gpu").returncode, 0
        )

    def test_a_cluster_without_hardware_and_profiles(self):
        said = self.answer_of("why", "waits")
        self.front.answers["/apis/joulie.io/v1alpha1/nodehardwares"] = (404, "404 page not found\n")
        self.front.answers["/apis/joulie.io/v1alpha1/namespaces/default/workloadprofiles"] = (
            404,
            "404 page not found\n",
        )
        self.assertEqual(self.answer_of("why", "waits", server=self.front.url), said)


def switched(state, **more):
    """A patch of a Node that was switched off, as the operator writes it."""
    notes = {"joulie.io/power-state": state, "joulie.io/power-since": FRESH, **more}
    taint = {"key": "joulie.io/powered-off", "effect": "NoSchedule"}
    return {
        "metadata": {"annotations": notes},
        "spec": {"unschedulable": True, "taints": [taint]},
    }


class Off(Cluster):
    """Nodes that are switched off: known to be so, neither unknown nor stale."""

    def switch(self, name, state):
        path = f"/test/merge?resource=nodes&name={name}"
        self.assertEqual(self.server.post(path, switched(state)).text[0], "1")

    def test_status_counts_them_apart(self):
        self.put(twin("new-node"))  # which has no status
        for state in ("stopping", "off", "booting"):
            self.switch("new-node", state)
            self.switch("gpu-h100-0", state)
            found = self.answer_of("status", "--require-fresh")
            summary = found["summary"]
            self.assertEqual((summary["unknown"], summary["stale"], summary["off"]), (0, 0, 2))
            self.assertEqual(summary["performance"], 1)  # it keeps its class
            self.assertEqual(summary["avgCoolingStressScore"], 35.5)  # that of cpu-0
            self.assertEqual(summary["peakCoolingNode"], "cpu-0")
            rows = {row["nodeName"]: row for row in found["nodes"]}
            self.assertEqual(rows["new-node"]["powerState"], state)
            self.assertNotIn("powerState", rows["cpu-0"])
            shown = self.show("status")
            self.assertIn("  Switched off: 2 of them\n", shown)
            self.assertNotIn("Stale", shown)
            self.assertRegex(shown, rf"(?m)^gpu-h100-0  performance \({state}\)  ")
            self.assertRegex(shown, rf"(?m)^new-node +{state}  ")

    def test_one_that_is_left_alone_is_named_as_such(self):
        self.switch("cpu-0", "left-alone")
        summary = self.answer_of("status")["summary"]
        self.assertEqual(summary["leftAlone"], 1)
        self.assertNotIn("off", summary)
        self.assertEqual(summary["avgCoolingStressScore"], (35.5 + 64.4) / 2)  # it works
        shown = self.show("status")
        self.assertIn("Left alone, as switching failed: 1 of them (joulie doctor", shown)
        self.assertRegex(shown, r"(?m)^cpu-0 +eco \(left-alone\)  ")

    def test_why_says_that_nothing_goes_there(self):
        self.switch("cpu-0", "off")
        found = self.answer_of("why", "waits")
        reasons = {
            name: reason for name, reason in found["failed"].items() if "switched off" in reason
        }
        self.assertEqual(list(reasons), ["cpu-0"], found)
        scores = {row["node"]: row["score"] for row in found["scores"]}
        self.assertEqual(scores["cpu-0"], 0)


class Doctor(Cluster):
    def setUp(self):
        super().setUp()
        self.beat(FRESH)
        for name in ("cpu-0", "gpu-h100-0", "new-node"):
            self.put(
                {
                    "apiVersion": "joulie.io/v1alpha1",
                    "kind": "NodeHardware",
                    "metadata": {"name": name},
                    "spec": {"nodeName": name},
                }
            )
            self.control(name, {"cpu": {"result": "applied"}})

    def control(self, name, status):
        path = f"/test/merge?resource=nodetwins&name={name}"
        body = {"status": {"controlStatus": status}}
        self.assertTrue(self.server.post(path, body).text.startswith("1 "))

    def examine(self, *words):
        done = self.run_it("doctor", "-o", "json", *words, server=self.front.url)
        checks = json.loads(done.stdout)["checks"]
        for check in checks:
            self.assertLessEqual(set(check), {"name", "result", "message", "fix"})
            self.assertIn(check["result"], ("ok", "warn", "fail"))
        is_bad = any(check["result"] == "fail" for check in checks)
        self.assertEqual(done.returncode, 1 if is_bad else 0, done.stderr)
        return checks

    def only(self, name, result, *words):
        """The one check that is not ok."""
        found = [check for check in self.examine(*words) if check["result"] != "ok"]
        self.assertEqual([(c["name"], c["result"]) for c in found], [(name, result)], found)
        return found[0]

    def test_labels_that_only_some_nodes_have_are_named(self):
        self.put(node("cpu-0", {"joulie.io/rack": "r1"}, cpu="64"))
        self.assertEqual(
            self.only("labels", "warn")["message"],
            "2 of 3 managed nodes have no joulie.io/rack, such as gpu-h100-0: the stress of its supply is "
            "not known, nor is it in the sum of its rack",
        )

    def test_a_cluster_that_is_well(self):
        names = [check["name"] for check in self.examine()]
        self.assertEqual(
            names,
            ["server", "version", "rights", "crd", "crd", "crd", "operator", "classifier"]
            + ["deployments", "nodes", "labels", "labels", "nodehardwares", "nodetwins", "writers"]
            + ["freshness", "agents", "caps", "baselines"],
        )
        done = self.run_it("doctor")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^CHECK +RESULT +MESSAGE$")
        self.assertEqual(self.show("doctor", "-o", "name"), "")

    def test_a_server_that_is_not_there(self):
        gone = Front("")
        gone.close()
        done = self.run_it("doctor", "-o", "json", server=gone.url)
        checks = json.loads(done.stdout)["checks"]
        self.assertEqual([(c["name"], c["result"]) for c in checks], [("server", "fail")])
        self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_a_server_that_does_not_know_who_asks(self):
        self.front.answers["/api/v1/nodes"] = status_error(401, "Unauthorized", "no")
        self.assertIn("who asks", self.only("server", "fail")["message"])

    def test_an_old_server(self):
        self.front.answers["/version"] = (
            200,
            {"major": "1", "minor": "19+", "gitVersion": "v1.19.8-cloud"},
        )
        self.assertIn("v1.19.8-cloud is older", self.only("version", "warn")["message"])
        self.front.answers["/version"] = (403, {})
        self.only("version", "warn")

    def test_missing_rights(self):
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        self.front.answers[path] = (201, {"status": {"allowed": False}})
        check = self.only("rights", "fail")
        self.assertIn("list nodetwins", check["message"])
        self.assertIn("get leases", check["message"])
        self.front.answers[path] = status_error(403, "Forbidden", "no")
        self.only("rights", "warn")

    def test_missing_kinds(self):
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodetwins.joulie.io"
        good = self.server.get(path).json
        self.front.answers[path] = status_error(404, "NotFound", "no")
        self.assertIn("joulie crd", self.only("crd", "fail")["fix"])
        self.front.answers[path] = status_error(403, "Forbidden", "no")
        self.only("crd", "warn")
        good["spec"]["versions"][0].pop("subresources")
        self.front.answers[path] = (200, good)
        self.assertIn("status subresource", self.only("crd", "fail")["message"])

    def test_an_operator_that_does_not_beat(self):
        self.beat("2026-03-13T11:54:00Z")
        found = [check for check in self.examine() if check["result"] != "ok"]
        self.assertEqual(found[0]["message"], "its last heartbeat was 360 s ago")
        self.assertIn("no heartbeat", self.only("operator", "fail", "-n", "other")["message"])
        lease = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"
        self.front.answers[lease] = (200, {"spec": {"renewTime": "yesterday"}})
        self.assertIn("is no time", self.examine()[6]["message"])
        self.front.answers[lease] = status_error(403, "Forbidden", "you may not")
        self.assertEqual(
            self.examine()[6],
            {
                "name": "operator",
                "result": "warn",
                "message": "its heartbeat cannot be read: you may not",
            },
        )

    def test_what_the_operator_says_of_its_classifier(self):
        path = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"
        lease = self.server.get(path).json

        def said(text):
            lease["metadata"]["annotations"] = {"joulie.io/classifier": text}
            self.front.answers[path] = (200, lease)
            return next(check for check in self.examine() if check["name"] == "classifier")

        self.assertEqual(said("on"), {"name": "classifier", "result": "ok", "message": "on"})
        check = self.only("classifier", "warn") if said("failing: cpu: no route") else None
        self.assertEqual(check["message"], "failing: cpu: no route")
        self.assertIn("PROMETHEUS_ADDRESS", check["fix"])

    def test_racks_and_zones_that_nobody_measures(self):
        path = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"
        lease = self.server.get(path).json

        def said(text):
            lease["metadata"]["annotations"] = {"joulie.io/facility": text}
            self.front.answers[path] = (200, lease)
            return next(check for check in self.examine() if check["name"] == "facility")

        self.assertEqual(said("on")["result"], "ok")
        missing = "racks without a measurement: r7, r8"
        check = self.only("facility", "warn") if said(missing) else None
        self.assertEqual(check["message"], missing)
        self.assertIn("FACILITY_RACK_POWER_METRIC", check["fix"])

    def deployments(self, *rows):
        self.front.answers["/apis/apps/v1/deployments"] = (
            200,
            {
                "kind": "DeploymentList",
                "items": [
                    {
                        "metadata": {"name": name},
                        "spec": {"replicas": wanted},
                        "status": {"readyReplicas": ready},
                    }
                    for name, wanted, ready in rows
                ],
            },
        )

    def test_two_operators(self):
        self.deployments(("joulie-operator", 1, 1), ("old-joulie-operator", 1, 1), ("web", 1, 0))
        self.assertIn("2 operators run", self.only("deployments", "fail")["message"])
        self.deployments(("joulie-operator", 1, 1), ("old-joulie-operator", 0, 0))
        self.assertEqual(self.examine()[7]["result"], "ok")
        self.deployments(("joulie-operator", 1, 1), ("joulie-scheduler", 1, 0))
        self.assertIn("joulie-scheduler", self.only("deployments", "fail")["message"])
        self.front.answers["/apis/apps/v1/deployments"] = status_error(403, "Forbidden", "no")
        self.only("deployments", "warn")

    def switch(self, name, state):
        self.server.post(f"/test/merge?resource=nodes&name={name}", switched(state))

    def test_nodes_that_are_off_are_no_fault_and_those_left_alone_want_somebody(self):
        self.put(twin("new-node"))
        self.control("new-node", {"cpu": {"result": "applied"}})
        self.only("freshness", "warn")
        self.switch("new-node", "off")
        found = {check["name"]: check for check in self.examine()}
        self.assertEqual(found["freshness"]["result"], "ok")
        self.assertEqual(
            found["power"],
            {"name": "power", "result": "ok", "message": "1 of 3 nodes are switched off"},
        )
        self.switch("cpu-0", "left-alone")
        check = self.only("power", "warn")
        self.assertIn("1 of 3 nodes are left alone", check["message"])
        self.assertIn("such as cpu-0", check["message"])

    def extender(self, container):
        self.front.answers["/apis/apps/v1/deployments"] = (
            200,
            {
                "kind": "DeploymentList",
                "items": [
                    {
                        "metadata": {"name": "joulie-scheduler"},
                        "spec": {"replicas": 1, "template": {"spec": {"containers": [container]}}},
                        "status": {"readyReplicas": 1},
                    }
                ],
            },
        )

    def test_the_policy_efficiency_goes_with_a_profile_of_the_extender(self):
        policy = {"spec": {"policy": {"name": "efficiency-v1"}}}
        self.server.post("/test/merge?resource=nodetwins&name=cpu-0", policy)
        self.assertIn("no Deployment joulie-scheduler", self.only("scoring", "warn")["message"])
        words = ["joulie-scheduler", "--scoring-profile"]
        variable = {"name": "SCORING_PROFILE"}
        for container in (
            {"args": ["--log-level", "warn", "--scoring-profile", "efficiency"]},
            {"command": ["joulie-scheduler", "--scoring-profile=efficiency"]},
            {"env": [{"name": "A", "value": "b"}, {**variable, "value": "efficiency"}]},
        ):
            self.extender(container)
            found = [check for check in self.examine() if check["name"] == "scoring"]
            self.assertEqual([check["result"] for check in found], ["ok"], container)
        for container, profile in (
            ({}, "current"),
            ({"args": ["--scoring-profile", "v0.1.1"]}, "v0.1.1"),
            ({"command": words + ["current"]}, "current"),
            ({"args": ["--scoring-profiles", "efficiency"]}, "current"),
        ):
            self.extender(container)
            check = self.only("scoring", "warn")
            self.assertTrue(check["message"].endswith(f"scores by {profile}"), check)
            self.assertIn("SCORING_PROFILE=efficiency", check["fix"])
        for container, why in (
            ({"env": [{**variable, "valueFrom": {"fieldRef": {}}}]}, "its variable comes from"),
            ({"envFrom": [{"configMapRef": {"name": "x"}}]}, "its environment comes from"),
            ({"args": ["--config", "/x"]}, "its options are in a file"),
            ({"env": [{**variable, "value": "/etc/joulie/scoring.yaml"}]}, "SCORING_PROFILE is a file"),
        ):
            self.extender(container)
            check = self.only("scoring", "warn")
            self.assertIn(f"is not known: {why}", check["message"])
        self.extender({"args": ["--config", "/x", "--scoring-profile", "efficiency"]})
        self.assertIn("scoring", [check["name"] for check in self.examine()])
        other = {"spec": {"policy": {"name": "queue-aware-v1"}}}
        self.server.post("/test/merge?resource=nodetwins&name=cpu-0", other)
        self.extender({})
        self.assertNotIn("scoring", [check["name"] for check in self.examine()])

    def test_somebody_else_who_writes_a_twin_is_named(self):
        path = "/apis/joulie.io/v1alpha1/nodetwins"
        with urllib.request.urlopen(self.server.url + path, timeout=DEADLINE_S) as answer:
            twins = json.loads(answer.read())
        entry = {"manager": "someone", "operation": "Update"}
        fields = {"fieldsV1": {"f:spec": {"f:profile": {}}}}
        meta = twins["items"][0]["metadata"]
        meta["managedFields"] = [{**entry, **fields}]
        self.front.answers[path] = (200, twins)
        check = self.only("writers", "fail")
        text = f"1 of {len(twins['items'])} NodeTwins are written by somebody else, such as "
        self.assertIn(f"{text}{meta['name']} by someone", check["message"])
        self.assertIn("joulie.io/adopt=true", check["fix"])
        meta["annotations"] = {"joulie.io/adopt": "true"}
        self.assertEqual([c["name"] for c in self.examine() if c["result"] != "ok"], [])

    def test_no_managed_node(self):
        check = self.only("nodes", "fail", "-l", "a=b")
        self.assertEqual(check["message"], "no node has a=b")

    def test_a_node_without_an_agent(self):
        self.server.post("/test/delete?resource=nodehardwares&name=cpu-0", "")
        check = self.only("nodehardwares", "fail")
        self.assertEqual(check["message"], "1 of 3 managed nodes have none, such as cpu-0")

    def test_a_node_without_a_twin(self):
        self.server.post("/test/delete?resource=nodetwins&name=cpu-0", "")
        self.assertIn("cpu-0", self.only("nodetwins", "fail")["message"])

    def test_a_twin_that_cannot_be_used(self):
        body = {"spec": {"profile": "warm"}}
        self.server.post("/test/merge?resource=nodetwins&name=cpu-0", body)
        self.assertRegex(
            self.only("objects", "warn")["message"],
            r'^1 of the NodeTwins cannot be used; warning: NodeTwin "cpu-0" is left out: spec.profile: ',
        )

    def test_a_stale_twin(self):
        self.age("cpu-0", "2026-03-13T10:00:00Z")
        check = self.only("freshness", "warn")
        self.assertEqual(check["message"], "the status of 1 of 3 nodes is stale")

    def test_an_agent_that_is_gone(self):
        self.renew("cpu-0", "2026-03-13T11:58:00Z")
        self.assertEqual(
            self.only("agents", "fail")["message"],
            "1 are gone, such as that of cpu-0: no cap of theirs is in force",
        )

    def test_an_agent_whose_pod_is_not_ready(self):
        self.put_agent_pod("cpu-0", False)
        self.assertIn("such as that of cpu-0", self.only("agents", "fail")["message"])

    def test_leases_that_cannot_be_read(self):
        path = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases"
        self.front.answers[path] = status_error(403, "Forbidden", "no")
        self.only("agents", "warn")
        said = self.run_it("status", server=self.front.url).stderr
        self.assertIn("warning: it is not known which agents are alive: ", said)

    def test_a_cap_that_is_not_in_force(self):
        self.control("cpu-0", {"cpu": {"result": "blocked", "message": "no max"}})
        self.assertEqual(
            self.only("caps", "fail")["message"],
            "1 of the caps are not in force, such as cpu-0 cpu, blocked: no max",
        )

    def test_a_baseline_that_may_be_a_cap_whose_journal_was_lost(self):
        self.control("cpu-0", {"cpu": {"result": "applied", "baseline": "doubted"}})
        self.assertIn("such as cpu-0, a limit was found below", self.only("baselines", "warn")["message"])

    def test_an_agent_that_says_nothing(self):
        self.control("cpu-0", None)
        self.assertIn("no report", self.only("caps", "warn")["message"])


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *words, rows=24, columns=120):
        self.mine, self.other = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.other)
        self.text = ""
        self.process = subprocess.Popen(
            [JOULIE, *words],
            stdin=self.other,
            stdout=self.other,
            stderr=self.other,
            start_new_session=True,
        )

    def resize(self, rows, columns):
        fcntl.ioctl(self.other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, pattern):
        """What was drawn up to the pattern, which is taken away."""
        end = time.monotonic() + DEADLINE_S
        while not re.search(pattern, self.text, re.DOTALL):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.mine], [], [], left)[0]:
                raise AssertionError(f"{pattern} was not drawn: {self.text!r}")
            self.text += os.read(self.mine, 65536).decode(errors="replace")
        found = re.search(pattern, self.text, re.DOTALL)
        shown, self.text = self.text[: found.end()], self.text[found.end() :]
        return shown

    def screen(self, by="name"):
        """The next whole picture in this order."""
        shown = self.wait_for(rf"\033\[H\033\[J((?!\033\[J).)*by {by} .*?q quit\033\[0m")
        return shown.rsplit("\033[H\033[J", 1)[1].replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.mine, keys.encode())

    def end(self):
        code = self.process.wait(DEADLINE_S)
        return code, termios.tcgetattr(self.other) == self.before

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.mine)
        os.close(self.other)


def first_column(screen):
    rows = screen.split("NODE  ", 1)[1].splitlines()[1:]
    return [row.split()[0] for row in rows if row and not row.startswith("\033")]


class Top(Cluster):
    LEAVE = r"\033\[\?7h\033\[\?25h\033\[\?1049l"

    def top(self, *words, server=None, **options):
        place = ["--server", server or self.server.url, "--clock", self.front.url]
        try:
            terminal = Terminal("top", *place, *words, **options)
        except OSError as problem:
            self.skipTest(f"no terminal can be made here: {problem}")
        self.addCleanup(terminal.close)
        return terminal

    def test_it_draws_the_nodes(self):
        terminal = self.top()
        terminal.wait_for(r"\033\[\?1049h\033\[\?25l\033\[\?7l")
        shown = terminal.screen()
        self.assertIn(EXAMPLE.split("\n\n")[0], shown)
        self.assertRegex(
            shown, r"(?m)^cpu-0 +eco +210W +432W +████······  42%  +███·······  36%  +60% "
        )
        self.assertEqual(first_column(shown), ["cpu-0", "gpu-h100-0", "new-node"])
        terminal.type("q")
        terminal.wait_for(self.LEAVE)
        self.assertEqual(terminal.end(), (0, True))

    def test_keys_order_the_nodes(self):
        self.age("gpu-h100-0", OLD)
        terminal = self.top("--sort", "cooling")
        orders = {
            "cooling": ("", ["gpu-h100-0", "cpu-0", "new-node"]),
            "power": ("p", ["cpu-0", "gpu-h100-0", "new-node"]),
            "headroom": ("h", ["gpu-h100-0", "cpu-0", "new-node"]),
            "age": ("a", ["gpu-h100-0", "cpu-0", "new-node"]),
            "name": ("n", ["cpu-0", "gpu-h100-0", "new-node"]),
        }
        for word, (key, expected) in orders.items():
            terminal.type(key)
            self.assertEqual(first_column(terminal.screen(word)), expected, word)
        terminal.type("c")
        terminal.screen("cooling")

    def test_keys_scroll(self):
        terminal = self.top(rows=13)  # six lines of sums and four of frame leave three
        self.assertEqual(len(first_column(terminal.screen())), 3)
        terminal.resize(11, 120)
        os.kill(terminal.process.pid, signal.SIGWINCH)
        terminal.wait_for(r"by name")
        terminal.type("p")
        self.assertEqual(first_column(terminal.screen("power")), ["cpu-0"])
        terminal.type("nj")
        self.assertEqual(first_column(terminal.screen()), ["gpu-h100-0"])
        terminal.type("jjjjp")
        terminal.screen("power")
        terminal.type("njjjj")
        self.assertEqual(first_column(terminal.screen()), ["new-node"])
        terminal.type("jjjjp")
        terminal.screen("power")  # every picture by name that is left comes after the keys
        terminal.type("njk")
        self.assertEqual(first_column(terminal.screen()), ["cpu-0"])

    def test_it_looks_again(self):
        terminal = self.top()
        terminal.screen()
        self.put(twin("another"))
        terminal.wait_for(r"another +unknown")

    def test_ctrl_c_and_signals_restore_the_terminal(self):
        terminal = self.top()
        terminal.screen()
        self.assertNotEqual(termios.tcgetattr(terminal.other), terminal.before)
        terminal.type("\003")
        terminal.wait_for(self.LEAVE)
        self.assertEqual(terminal.end(), (0, True))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            terminal = self.top()
            terminal.screen()
            terminal.process.send_signal(number)
            terminal.wait_for(self.LEAVE)
            self.assertEqual(terminal.end(), (-number, True))

    def test_a_server_that_falls_silent_holds_nobody(self):
        terminal = self.top(server=self.front.url)
        terminal.screen()
        self.front.answers["/apis/joulie.io/v1alpha1/nodetwins"] = None
        asked = len(self.front.seen)
        end = time.monotonic() + DEADLINE_S
        while len(self.front.seen) == asked and time.monotonic() < end:
            time.sleep(0.01)
        terminal.type("\003")
        self.assertEqual(terminal.end(), (0, True))

    def test_the_last_good_look_stays_when_one_fails(self):
        terminal = self.top(server=self.front.url)
        terminal.screen()
        self.front.answers["/api/v1/nodes"] = status_error(403, "Forbidden", "no more")
        shown = terminal.wait_for(r"Error from server \(Forbidden\): cannot list nodes: no more")
        self.assertIn("gpu-h100-0", shown.rsplit("\033[H\033[J", 1)[1])
        terminal.type("q")
        self.assertEqual(terminal.end(), (0, True))

    def test_stale_data_at_the_end_is_3_when_asked_for(self):
        self.age("cpu-0", OLD)
        terminal = self.top("--require-fresh")
        terminal.screen()
        terminal.type("q")
        self.assertEqual(terminal.end(), (3, True))

    def test_a_cluster_that_is_not_there_is_reported_without_a_screen(self):
        self.front.answers["/apis/joulie.io/v1alpha1/nodetwins"] = (404, "404 page not found\n")
        terminal = self.top(server=self.front.url)
        self.assertEqual(terminal.end(), (1, True))
        self.assertNotIn("\033", terminal.wait_for("this cluster does not have the kind"))

    def test_without_a_terminal_it_refuses(self):
        self.assertIn("needs a terminal", self.fails("top", status=2))


class Plugin(Cluster):
    """As kubectl calls it."""

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PATH": f"{DEV / 'bin'}:{os.environ['PATH']}"}

    def test_the_links_are_there(self):
        for name in ("kubectl-joulie", "kubectl_complete-joulie"):
            self.assertTrue((DEV / "bin" / name).samefile(JOULIE), name)
        done = subprocess.run(
            [DEV / "bin" / "kubectl_complete-joulie", "st"], stdout=subprocess.PIPE, check=True
        )
        self.assertIn(b"status\tThe energy state", done.stdout)

    def test_kubectl_finds_it(self):
        try:
            kubectl = str(build.program("kubectl"))
        except build.Missing as reason:
            raise unittest.SkipTest(str(reason))
        environment = {**self.environment, "KUBECONFIG": str(self.server.kubeconfig)}

        def run(*words):
            return subprocess.run(
                [kubectl, *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                timeout=DEADLINE_S,
                env=environment,
                check=False,
            )

        done = run("joulie", "status", "--clock", self.front.url)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, EXAMPLE, ""))
        self.assertIn("Usage: kubectl joulie status", run("joulie", "status", "--help").stdout)
        done = run("joulie", "status", "--nothing")
        self.assertEqual(done.returncode, 2, done.stderr)
        offered = run("__complete", "joulie", "status", "--out").stdout
        self.assertIn("--output\t", offered)


class Page(Cluster):
    """What docs/cluster-commands.md shows is what the commands print."""

    URL = "https://cluster.example:6443"

    def fill(self):
        super().fill()
        self.put(twin("new-node"))
        self.put(node("cpu-0", {"joulie.io/power-profile": "eco"}, cpu="24", memory="100Gi"))
        self.age("gpu-h100-0", OLD)
        self.beat("2026-03-13T11:59:30Z")
        self.age("cpu-0", "2026-03-13T10:30:00Z")
        waiting = pod("train-7", None, "Pending", cpu="8", gpu="1")
        waiting["metadata"]["annotations"] = {"joulie.io/workload-class": "performance"}
        self.put(waiting)
        for name in ("cpu-0", "gpu-h100-0"):
            self.put(
                {
                    "apiVersion": "joulie.io/v1alpha1",
                    "kind": "NodeHardware",
                    "metadata": {"name": name},
                    "spec": {"nodeName": name},
                }
            )
        for name, control in (
            ("cpu-0", {"cpu": {"result": "applied"}}),
            ("gpu-h100-0", {"cpu": {"result": "blocked", "message": "no max"}}),
        ):
            path = f"/test/merge?resource=nodetwins&name={name}"
            self.server.post(path, {"status": {"controlStatus": control}})
        self.put(
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "WorkloadProfile",
                "metadata": {"name": "web", "namespace": "default"},
                "spec": {"workloadRef": {"kind": "Deployment", "name": "web"}},
                "status": {
                    "criticality": {"class": "standard"},
                    "cpu": {"bound": "memory"},
                    "confidence": 0.8,
                    "classificationReason": "memory pressure is high",
                },
            }
        )

    def printed(self, *words):
        done = self.run_it(*words)
        self.assertEqual(done.stderr, "")
        return done.stdout.replace(self.server.url, self.URL)

    def drawn(self):
        place = ["--server", self.server.url, "--clock", self.front.url]
        try:
            terminal = Terminal("top", *place, columns=140)
        except OSError as problem:
            self.skipTest(f"no terminal can be made here: {problem}")
        self.addCleanup(terminal.close)
        return re.sub(r"\033\[\d*m", "", terminal.screen()) + "\n"

    def blocks(self, language):
        page = (ROOT / "docs" / "cluster-commands.md").read_text()
        return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)

    def test_every_console_block(self):
        found = self.blocks("console")
        self.assertGreaterEqual(len(found), 4)
        for block in found:
            command, _, output = block.partition("\n")
            with self.subTest(command):
                words = command.removeprefix("$ joulie ").split()
                self.assertEqual(self.printed(*words), output)

    def test_the_picture_of_top(self):
        self.assertEqual(self.blocks("text"), [self.drawn()])


class Completion(unittest.TestCase):
    def offered(self, *words):
        done = subprocess.run(
            [JOULIE, "__complete", *words], stdout=subprocess.PIPE, text=True, check=True
        )
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_every_cluster_command_takes_the_common_options(self):
        common = (
            "--kubeconfig --context --server --token-file --namespace --request-timeout".split()
        )
        for command in ("status", "top", "why", "doctor"):
            self.assertLessEqual(set(common), set(self.offered(command, "-")), command)
            if command != "top":
                self.assertEqual(
                    self.offered(command, "-o", ""), ["table", "wide", "json", "yaml", "name", ":4"]
                )
        self.assertIn("cooling", self.offered("top", "--sort", ""))


if __name__ == "__main__":
    unittest.main()
