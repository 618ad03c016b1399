# SPDX-License-Identifier: Apache-2.0
"""What joulie-operator promises, over an API server whose replies are scripted.

Rules: docs/rules/programs.md, docs/rules/policy.md, docs/rules/reconcile.md.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from random import Random

from checkout import DEV
from waiting import DEADLINE_S, wait_until
from operator_fakes import Api, Clock, Endpoint, merge

OPERATOR = os.environ.get("JOULIE_OPERATOR", str(DEV / "bin" / "joulie-operator"))
START_MS = 1773403200000  # 2026-03-13T12:00:00Z
MINUTE_MS = 60000


def node(name, labels=None, annotations=None):
    return {
        "metadata": {
            "name": name,
            "labels": {"joulie.io/managed": "true", **(labels or {})},
            "annotations": annotations or {},
        },
        "status": {"capacity": {"cpu": "192"}, "allocatable": {"cpu": "192"}},
    }


def hardware(name, model="AMD_EPYC_9654"):
    return {
        "metadata": {"name": name},
        "spec": {"nodeName": name},
        "status": {"cpu": {"model": model, "sockets": 2, "totalCores": 192}},
    }


def pod(name, node_name, performance=True, phase="Running"):
    return {
        "metadata": {
            "name": name,
            "annotations": {"joulie.io/workload-class": "performance"} if performance else {},
        },
        "spec": {"nodeName": node_name},
        "status": {"phase": phase},
    }


class Operator:
    """One process of the program, its log and its metrics."""

    def __init__(self, test, *arguments, env=None, program=OPERATOR):
        self.folder = Path(tempfile.mkdtemp(dir=test.folder))
        self.log_file = self.folder / "log"
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [program, "--metrics-addr", "127.0.0.1:0", *[str(a) for a in arguments]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": os.environ["PATH"], **(env or {})},
            )
        test.addCleanup(self.end)

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def finish(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)

    def wait_killed(self, api, life, seconds):
        """Until the script has killed it; at the end of its time it is killed here."""
        end = time.monotonic() + seconds
        with api.changed:
            while life["process"] is not None and time.monotonic() < end:
                api.changed.wait(0.02)
            life["process"] = None
        self.end()

    @property
    def url(self):
        return wait_until(
            f"an address of metrics in:\n{self.log}",
            lambda: re.search(r"metrics and probes at (http://[^\s\"]+)", self.log),
        ).group(1)

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=DEADLINE_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metrics(self):
        """{series as written: value}"""
        lines = self.get("/metrics")[1].splitlines()
        pairs = [line.rsplit(" ", 1) for line in lines if line and line[0] != "#"]
        return {series: float(value) for series, value in pairs}

    def steps(self):
        return self.metrics().get("joulie_operator_steps_total", 0)

    def wait_steps(self, more):
        """Until so many more steps have begun and the last of them was decided."""
        target = self.steps() + more
        wait_until("steps", lambda: self.steps() >= target)


class Fleet(unittest.TestCase):
    """An API server with objects, and the operators of one test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.api = Api()
        self.addCleanup(self.api.stop)

    def add_nodes(self, *names):
        for name in names:
            self.api.put("nodes", node(name))
            self.api.put("nodehardwares", hardware(name))

    def start(self, *arguments, env=None):
        """A fast one on the wall clock."""
        return Operator(
            self,
            *("--server", self.api.url, "--reconcile-interval", "100ms"),
            *("--heartbeat-interval", "1h", "--queue-scale-down-delay", "0s"),
            *("--min-profile-dwell", "0s", "--kube-client-qps", "0", "--leader-elect", "false"),
            *("--control-period", "0s"),  # no agent is there to wait for
            *arguments,
            env=env,
        )

    def start_in_lockstep(self, *arguments, env=None):
        self.clock = Clock(self.api, START_MS)
        self.addCleanup(self.clock.stop)
        operator = Operator(
            self, "--server", self.api.url, "--clock", self.clock.url, *arguments, env=env
        )
        try:
            self.clock.wait_for_poll()
        except AssertionError:
            self.fail(operator.log)
        return operator

    def twin(self, name):
        return self.api.get("nodetwins", name)

    def wait_twin(self, name, condition):
        """Until the stored twin is as it should be."""

        def holds():
            twin = self.api.objects["nodetwins"].get(("", name))
            return twin is not None and condition(twin)

        self.api.wait(holds)
        return self.twin(name)

    def wait_class(self, name, word):
        return self.wait_twin(
            name, lambda twin: twin.get("status", {}).get("schedulableClass") == word
        )

    def label(self, name):
        return self.api.get("nodes", name)["metadata"]["labels"].get("joulie.io/power-profile")


class Writing(Fleet):
    def test_nodes_get_twins_labels_and_a_status(self):
        self.add_nodes("a", "b")
        self.start("--static-hp-frac", "0.5")
        self.wait_class("a", "performance")
        twin = self.wait_class("b", "eco")
        self.assertEqual(
            twin["spec"],
            {
                "nodeName": "b",
                "profile": "eco",
                "cpu": {"packagePowerCapPctOfMax": 60},
                "policy": {"name": "static-partition-v1"},
                "scheduling": {"draining": False},
            },
        )
        self.assertEqual(twin["status"]["effectiveCapState"]["cpuPct"], 60)
        self.assertRegex(twin["status"]["lastUpdated"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertRegex(twin["metadata"]["annotations"]["joulie.io/profile-since"], r"^\d{4}-.*Z$")
        self.api.wait(lambda: self.label("b") == "eco" and self.label("a") == "performance")

    def test_a_steady_state_is_silent(self):
        self.add_nodes("a", "b")
        operator = self.start()
        for name in "ab":
            self.wait_twin(name, lambda twin: "status" in twin)
        self.api.wait(lambda: self.label("a") and self.label("b"))
        self.api.wait(lambda: self.api.objects["leases"])
        operator.wait_steps(2)
        with self.api.changed:
            before = len(self.api.requests)
        operator.wait_steps(10)
        self.assertEqual([r for r in self.api.requests[before:] if r.verb != "watch"], [])
        self.assertEqual(operator.metrics()['joulie_operator_planned_writes{kind="spec"}'], 0)

    def test_patches_name_only_what_changed(self):
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "eco")
        self.api.wait(lambda: self.label("b") == "eco")
        operator.wait_steps(2)
        with self.api.changed:
            before = len(self.api.requests)
        self.api.patch("nodes", "b", {"metadata": {"labels": {"joulie.io/power-profile": "x"}}})
        self.api.wait(lambda: self.label("b") == "eco")
        operator.wait_steps(2)
        changes = [r for r in self.api.requests[before:] if r.method != "GET"]
        self.assertEqual(
            [(repr(r), r.body) for r in changes],
            [
                (
                    "patch nodes/b/",
                    {"metadata": {"labels": {"joulie.io/power-profile": "eco"}}},
                )
            ],
        )
        self.assertEqual(changes[0].content_type, "application/merge-patch+json")

    def test_members_of_a_newer_version_stay(self):
        self.add_nodes("a", "b")
        self.api.put(
            "nodetwins",
            {
                "metadata": {"name": "b", "annotations": {"x": "y"}, "finalizers": ["f/g"]},
                "spec": {
                    "nodeName": "b",
                    "profile": "performance",
                    "cpu": {"packagePowerCapPctOfMax": 100, "sleepStates": "deep"},
                    "tomorrow": {"a": [1]},
                },
                "status": {"forecast": [1, 2], "controlStatus": {"cpu": {"result": "applied"}}},
            },
        )
        self.start("--static-hp-frac", "0.5")
        twin = self.wait_twin("b", lambda twin: twin["spec"]["profile"] == "eco")
        self.assertEqual(twin["status"]["schedulableClass"], "eco")
        self.assertEqual(twin["spec"]["tomorrow"], {"a": [1]})
        self.assertEqual(twin["spec"]["cpu"]["sleepStates"], "deep")
        self.assertEqual(twin["spec"]["cpu"]["packagePowerCapPctOfMax"], 60)
        self.assertEqual(twin["status"]["forecast"], [1, 2])
        self.assertEqual(twin["status"]["controlStatus"], {"cpu": {"result": "applied"}})
        self.assertEqual(twin["metadata"]["annotations"]["x"], "y")
        self.assertEqual(twin["metadata"]["finalizers"], ["f/g"])

    def test_a_cap_that_the_agent_could_not_apply_is_not_believed(self):
        """A cap that is not in force counts as none in the twin."""
        self.add_nodes("a", "b")
        self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "eco")
        for result, pct in (("applied", 60), ("blocked", 100), ("applied", 60), ("error", 100)):
            self.api.patch(
                "nodetwins", "b", {"status": {"controlStatus": {"cpu": {"result": result}}}}
            )
            twin = self.wait_twin(
                "b", lambda twin: twin["status"]["effectiveCapState"]["cpuPct"] == pct
            )
            self.assertEqual(twin["status"]["controlStatus"]["cpu"]["result"], result)
            self.assertEqual(twin["spec"]["cpu"]["packagePowerCapPctOfMax"], 60)

    def test_a_performance_pod_keeps_its_node_draining(self):
        """Events and counters stand at the edges of a state."""
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "1")
        self.wait_class("b", "performance")
        self.api.wait(lambda: self.label("b"))
        operator.finish()
        self.api.put("pods", pod("p", "b"), "d")
        operator = self.start("--static-hp-frac", "0.5")
        twin = self.wait_twin("b", lambda twin: twin["spec"]["scheduling"]["draining"])
        self.assertEqual(twin["status"]["schedulableClass"], "draining")
        self.assertEqual(twin["spec"]["cpu"]["packagePowerCapPctOfMax"], 100)
        self.api.wait(lambda: self.label("b") == "eco")
        self.api.wait(lambda: len(self.api.objects["events"]) == 1)
        operator.wait_steps(5)
        event = self.api.all("events")[0]
        self.assertEqual(event["reason"], "DrainingStarted")
        self.assertIn("d/p", event["note"])
        self.assertEqual(event["regarding"]["kind"], "Node")
        self.assertEqual(event["regarding"]["name"], "b")
        prefix = 'joulie_operator_state_transitions_total{node="b",'
        self.assertEqual(
            {k: v for k, v in operator.metrics().items() if k.startswith(prefix)},
            {
                prefix + 'from_state="ActivePerformance",to_state="DrainingPerformance",'
                'result="applied"}': 1,
                prefix + 'from_state="ActivePerformance",to_state="ActiveEco",'
                'result="deferred"}': 1,
            },
        )

        self.api.delete("pods", "p", "d")
        twin = self.wait_twin("b", lambda twin: not twin["spec"]["scheduling"]["draining"])
        self.assertEqual(twin["status"]["schedulableClass"], "eco")
        self.assertEqual(twin["spec"]["cpu"]["packagePowerCapPctOfMax"], 60)
        self.api.wait(lambda: len(self.api.objects["events"]) == 2)
        self.assertIn("DrainingFinished", [e["reason"] for e in self.api.all("events")])

    def test_a_pod_that_waits_is_not_left_to_the_interval(self):
        self.add_nodes("a", "b")
        operator = self.start("--reconcile-interval", "1h", env={"POLICY_TYPE": "queue_aware_v1"})
        self.wait_class("a", "eco")
        self.wait_class("b", "eco")
        self.api.wait(lambda: self.label("a") == "eco" and self.label("b") == "eco")
        waiting = pod("p", "", phase="Pending")
        waiting["spec"]["containers"] = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
        self.api.put("pods", waiting, "d")
        self.api.wait(lambda: "performance" in (self.label("a"), self.label("b")))
        self.assertEqual(operator.steps(), 2)

    def test_gpus_are_capped_by_the_work_on_them(self):
        amounts = {"cpu": "192", "nvidia.com/gpu": "8"}
        status = {"capacity": amounts, "allocatable": amounts}
        gpu = {"present": True, "count": 8, "model": "NVIDIA_H100_SXM"}
        self.api.put("nodes", {**node("g"), "status": status})
        self.api.put("nodehardwares", {**hardware("g"), "status": {"gpu": gpu}})
        work = pod("p", "g", performance=False)
        requests = {"requests": {"nvidia.com/gpu": "8"}}
        work["spec"]["containers"] = [{"name": "c", "resources": requests}]
        self.api.put("pods", work, "default")
        about = {"kind": "Pod", "name": "p"}
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        measured = {"bound": "memory", "avgUtilizationPct": 70}
        said = {"confidence": 0.9, "lastUpdated": now, "gpu": measured}
        profile = {"metadata": {"name": "p"}, "spec": {"workloadRef": about}, "status": said}
        self.api.put("workloadprofiles", profile, "default")
        self.start(env={"POLICY_TYPE": "efficiency_v1"})

        def cap(twin):
            return twin["spec"].get("gpu", {}).get("powerCap", {}).get("capPctOfMax")

        twin = self.wait_twin("g", lambda twin: cap(twin) == 50)
        self.assertEqual(twin["spec"]["profile"], "performance")
        self.assertEqual(twin["spec"]["policy"], {"name": "efficiency-v1"})
        self.assertNotIn("cpu", twin["spec"])
        lowered = twin["metadata"]["annotations"]["joulie.io/gpu-cap-lowered"]
        self.assertRegex(lowered, r"^\d{4}-.*Z$")
        self.api.delete("pods", "p", "default")
        twin = self.wait_twin("g", lambda twin: cap(twin) == 100)
        self.assertEqual(twin["metadata"]["annotations"]["joulie.io/gpu-cap-lowered"], lowered)

    def test_finished_pods_are_not_asked_for(self):
        self.add_nodes("a")
        self.api.put("pods", pod("done", "a", phase="Succeeded"), "d")
        self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        lists = [r for r in self.api.requests if r.verb == "list" and r.plural == "pods"]
        self.assertEqual(
            lists[0].query["fieldSelector"], ["status.phase!=Succeeded,status.phase!=Failed"]
        )

    def test_a_missing_optional_kind_is_none(self):
        self.add_nodes("a")
        self.api.answer = lambda request: (
            (404, {"kind": "Status", "code": 404, "reason": "NotFound"})
            if request.plural == "workloadprofiles"
            else None
        )
        self.start()
        self.wait_twin("a", lambda twin: "status" in twin)

    def test_an_empty_selector_is_every_node(self):
        self.api.put("nodes", {"metadata": {"name": "bare"}})
        self.start(env={"NODE_SELECTOR": ""})
        self.wait_twin("bare", lambda twin: True)


class Nodes(Fleet):
    def test_what_a_node_is_not_costs_no_series(self):
        """Of 5,000 nodes they were a third of /metrics."""
        self.add_nodes("a", "b")
        operator = self.start("--node-metrics", "all")
        self.api.wait(lambda: self.label("b"))
        operator.wait_steps(2)
        families = ("joulie_operator_node_state{", "joulie_operator_node_profile_label{")
        found = {k: v for k, v in operator.metrics().items() if k.startswith(families)}
        self.assertEqual(set(found.values()), {1})
        self.assertEqual(len(found), 4)

    def test_series_of_nodes_can_be_chosen_and_counts_of_nodes_stay(self):
        self.add_nodes("a", "b")

        def found(which):
            operator = self.start("--node-metrics", which)
            self.api.wait(lambda: self.label("b"))
            operator.wait_steps(2)
            metrics = operator.metrics()
            operator.finish()
            names = {s.split("{")[0] for s in metrics if 'node="b"' in s}
            counts = {s: v for s, v in metrics.items() if "_state_nodes{" in s and v}
            self.assertEqual(
                counts,
                {
                    'joulie_operator_state_nodes{state="ActivePerformance"}': 1,
                    'joulie_operator_state_nodes{state="ActiveEco"}': 1,
                },
            )
            self.assertEqual(
                sum(metrics[s] for s in metrics if s.startswith('joulie_operator_score_nodes{score="psu"')), 2
            )
            self.assertEqual(metrics['joulie_operator_profile_label_nodes{profile="eco"}'], 1)
            self.assertEqual(
                metrics['joulie_operator_score_nodes{score="psu",band="unknown"}'], 2, "no rack"
            )
            return {name.removeprefix("joulie_operator_node_") for name in names}

        self.assertEqual(found("none"), set())
        self.assertEqual(found("scores"), {"state", "score"})
        self.assertEqual(found("all"), {"state", "score", "profile_label", "compute_density"})

    def test_a_node_that_is_gone_loses_its_twin_and_its_series(self):
        self.add_nodes("a", "b")
        operator = self.start()
        self.wait_twin("b", lambda twin: "status" in twin)
        self.api.wait(lambda: self.label("b"))
        self.assertIn('joulie_operator_node_state{node="b",state="ActiveEco"}', operator.metrics())
        self.api.delete("nodes", "b")
        self.api.wait(lambda: ("", "b") not in self.api.objects["nodetwins"])
        operator.wait_steps(2)
        self.assertEqual([s for s in operator.metrics() if 'node="b"' in s], [])
        self.assertNotEqual([s for s in operator.metrics() if 'node="a"' in s], [])

    def test_an_answer_that_comes_after_its_node_is_gone_leaves_no_series(self):
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "eco")
        self.api.wait(lambda: self.label("b") == "eco")
        operator.finish()
        gone = []

        def series():
            return [s for s in operator.metrics() if 'node="b"' in s]

        def answer(request):
            if gone or request.verb != "patch" or request.name != "b" or request.subresource:
                return None
            gone.append(request)
            self.api.drop("nodes", ("", "b"))
            self.api.changed.notify_all()
            self.api.changed.release()  # or the watch could not show it
            try:
                wait_until("the node to be gone", lambda: not series())
            finally:
                self.api.changed.acquire()
            return None

        self.api.answer = answer
        operator = self.start("--static-hp-frac", "1")
        self.api.wait(lambda: ("", "b") not in self.api.objects["nodetwins"])
        self.assertEqual(len(gone), 1)
        operator.wait_steps(2)
        self.assertEqual(series(), [])

    def test_a_node_that_leaves_the_scope_is_released(self):
        """Performance caps, no label, then no twin and no gauges."""
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "eco")
        self.api.wait(lambda: self.label("b") == "eco")
        with self.api.changed:
            before = len(self.api.requests)
        self.api.patch("nodes", "b", {"metadata": {"labels": {"joulie.io/managed": None}}})
        self.api.wait(lambda: ("", "b") not in self.api.objects["nodetwins"])
        self.assertIsNone(self.label("b"))
        writes = [r for r in self.api.requests[before:] if r.method != "GET"]
        writes = [r for r in writes if r.name == "b"]
        self.assertEqual(
            [repr(r) for r in writes],
            ["patch nodetwins/b/", "patch nodes/b/", "delete nodetwins/b/"],
        )
        self.assertEqual(writes[0].body["spec"]["profile"], "performance")
        operator.wait_steps(1)
        self.assertEqual([s for s in operator.metrics() if 'node="b",state' in s], [])

    def test_a_node_that_returns_with_another_uid_is_a_new_one(self):
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "eco")
        self.api.wait(lambda: self.label("b") == "eco")
        old = self.twin("b")["metadata"]["uid"]
        self.api.delete("nodes", "b")
        self.api.wait(lambda: ("", "b") not in self.api.objects["nodetwins"])
        self.api.put("nodes", node("b"))
        twin = self.wait_class("b", "eco")
        self.assertNotEqual(twin["metadata"]["uid"], old)
        self.api.wait(lambda: self.label("b") == "eco")
        self.assertEqual(operator.process.poll(), None)

    def test_a_paused_node_keeps_its_spec_and_label(self):
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "1")
        self.wait_class("b", "performance")
        self.api.wait(lambda: self.label("b"))
        operator.finish()
        self.api.patch("nodes", "b", {"metadata": {"annotations": {"joulie.io/paused": "true"}}})
        self.api.patch("nodetwins", "b", {"status": {"schedulableClass": "eco"}})
        operator = self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "performance")  # the status of the spec that is stored
        operator.wait_steps(5)
        self.assertEqual(self.twin("b")["spec"]["profile"], "performance")
        self.assertEqual(self.label("b"), "performance")
        self.assertEqual(operator.metrics()["joulie_operator_paused_nodes"], 1)
        self.api.patch("nodes", "b", {"metadata": {"annotations": {"joulie.io/paused": None}}})
        self.wait_class("b", "eco")

    def test_names_with_dots_have_one_twin(self):
        """No stub is written that the CRD refuses."""
        self.add_nodes("ip-10-0-0-1.example.com")
        operator = self.start()
        twin = self.wait_twin("ip-10-0-0-1-example-com", lambda twin: "status" in twin)
        self.assertEqual(twin["spec"]["nodeName"], "ip-10-0-0-1.example.com")
        operator.wait_steps(3)
        self.assertEqual(len(self.api.all("nodetwins")), 1)


class Trouble(Fleet):
    def count(self, *kinds):
        return sum(1 for r in self.api.requests if (r.verb, r.plural, r.subresource) in kinds)

    def test_a_conflict_costs_one_try_in_each_step(self):
        """No hot loop, and the other nodes go on."""
        self.add_nodes("a", "b")
        self.api.answer = lambda r: (
            Api.status(409, "Conflict")
            if r.method == "POST" and r.plural == "nodetwins" and r.body["spec"]["nodeName"] == "a"
            else None
        )
        operator = self.start()
        self.wait_twin("b", lambda twin: "status" in twin)
        first = operator.steps()
        operator.wait_steps(5)
        self.api.wait(lambda: self.label("b"))
        tries = self.count(("create", "nodetwins", ""))
        self.assertLessEqual(tries - 1, operator.steps())
        self.assertGreater(tries, 3)
        self.assertEqual(
            [r for r in self.api.writes() if r.name == "a"], [], "nothing follows a failed spec"
        )
        self.assertGreaterEqual(
            operator.metrics()['joulie_operator_reconcile_errors_total{reason="conflict"}'], first
        )
        self.assertEqual(operator.log.count("cannot write spec of NodeTwin a"), 1)
        self.api.answer = None
        self.wait_twin("a", lambda twin: "status" in twin)
        wait_until("a log line", lambda: "can write spec of NodeTwin a again" in operator.log)

    def test_a_node_whose_label_is_refused_gets_its_status(self):
        self.add_nodes("a")
        self.api.answer = lambda r: (
            Api.status(403, "Forbidden") if r.method == "PATCH" and r.plural == "nodes" else None
        )
        operator = self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        operator.wait_steps(3)
        self.assertEqual(operator.log.count("cannot write label of Node a"), 1)

    def test_a_status_that_is_refused_is_offered_again_in_each_step(self):
        self.add_nodes("a", "b")
        self.api.answer = lambda r: (
            Api.status(422, "Invalid", "no") if r.subresource == "status" else None
        )
        operator = self.start()
        operator.wait_steps(4)
        before = self.count(("patch", "nodetwins", "status"))
        steps = operator.steps()
        operator.wait_steps(4)
        tries = self.count(("patch", "nodetwins", "status")) - before
        self.assertLessEqual(tries, 2 * (operator.steps() - steps + 1))
        # never to the main resource
        self.assertEqual(self.count(("patch", "nodetwins", "")), 0)

    def test_it_is_not_ready_while_every_write_is_refused(self):
        answers = {}

        def answer(request):
            kind = "lease" if request.plural == "leases" else "write"
            code = answers.get(kind)
            return Api.status(code, "Refused", "not you") if code and request.method != "GET" else None

        self.add_nodes("a", "b")
        self.api.answer = answer
        for kind, code, text in (
            ("write", 401, "every write is refused: 401 not you"),
            ("write", 403, "every write is refused: 403 not you"),
            ("write", 404, "every write is refused: 404 not you"),
            ("lease", 404, "the Lease joulie-heartbeat: 404 not you"),
        ):
            with self.subTest(kind, code=code):
                answers[kind] = code
                operator = self.start("--heartbeat-interval", "100ms")
                wait_until("red", lambda: "[-]writes" in operator.get("/readyz?verbose")[1])
                self.assertIn(text, operator.log)
                answers.clear()
                wait_until("green", lambda: operator.get("/readyz")[0] == 200)
                operator.finish()
                self.api.delete("nodetwins", "a")

    def test_one_refusal_among_writes_that_are_taken_is_no_reason(self):
        self.add_nodes("a", "b", "c")
        self.api.answer = lambda r: (
            Api.status(403, "Forbidden", "no")
            if r.method == "POST" and r.body["metadata"]["name"] == "b"
            else None
        )
        operator = self.start()
        self.wait_twin("c", lambda twin: "status" in twin)
        operator.wait_steps(1)
        self.api.patch("nodes", "a", {"metadata": {"labels": {"joulie.io/power-profile": "x"}}})
        operator.wait_steps(1)
        self.assertNotIn("every write is refused", operator.log)

    def test_a_write_that_is_refused_everywhere_is_reported_by_a_few_names(self):
        names = [f"n{i:02}" for i in range(20)]
        self.add_nodes(*names)
        self.api.answer = lambda r: (
            Api.status(403, "Forbidden", "no") if r.method == "POST" else None
        )
        operator = self.start("--reconcile-interval", "2s")
        operator.wait_steps(2)
        self.assertEqual(operator.log.count("cannot write"), 5, operator.log)
        self.assertIn("and 15 other writes", operator.log)
        self.api.answer = None
        self.wait_twin("n19", lambda twin: "status" in twin)

    def test_a_server_whose_versions_begin_again_costs_no_time(self):
        """etcd restored from a backup: nobody waits again for a version that never comes."""
        self.add_nodes("a", "b")
        operator = self.start("--static-hp-frac", "0.5")
        self.wait_class("b", "eco")
        operator.wait_steps(2)
        ahead = []

        def answer(request):
            if ahead or request.verb != "patch" or request.plural != "nodetwins":
                return None
            ahead.append(request)
            twin = self.api.objects["nodetwins"]["", request.name]
            meta = {**twin["metadata"], "resourceVersion": "9" * 9}
            return 200, {**twin, "metadata": meta}

        self.api.answer = answer
        self.api.patch("nodetwins", "b", {"spec": {"profile": "performance"}})
        wait_until("a version ahead of all", lambda: ahead)
        operator.wait_steps(1)  # 5 s
        before = operator.metrics()["joulie_operator_reconcile_duration_seconds_sum"]
        operator.wait_steps(3)
        self.assertGreater(before, 5, "a step waits for what the one before it wrote")
        after = operator.metrics()["joulie_operator_reconcile_duration_seconds_sum"]
        self.assertLess(after - before, 10)

    def test_a_twin_that_somebody_deletes_is_made_again(self):
        self.add_nodes("a")
        self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        old = self.twin("a")["metadata"]["uid"]
        self.api.delete("nodetwins", "a")
        twin = self.wait_twin("a", lambda twin: "status" in twin)
        self.assertNotEqual(twin["metadata"]["uid"], old)

    def test_a_killed_operator_rewrites_nothing(self):
        """What was decided stands in the objects."""
        self.add_nodes("a", "b", "c")
        operator = self.start("--static-hp-frac", "0.5")
        for name in "abc":
            self.wait_twin(name, lambda twin: "status" in twin)
        self.api.wait(lambda: all(self.label(name) for name in "abc"))
        for _ in range(3):
            operator.finish(signal.SIGKILL)
            with self.api.changed:
                before = len(self.api.requests)
            operator = self.start("--static-hp-frac", "0.5")
            operator.wait_steps(3)
            writes = [r for r in self.api.requests[before:] if r.method != "GET"]
            self.assertEqual([r for r in writes if r.plural != "leases"], [])

    def test_nothing_is_decided_before_the_caches_are_filled(self):
        self.add_nodes("a")
        is_open = False

        def answer(request):
            if request.plural == "pods" and not is_open:
                return Api.status(500, "InternalError")
            return None

        self.api.answer = answer
        operator = self.start("--heartbeat-interval", "100ms")
        self.api.wait(lambda: self.count(("list", "pods", "")) >= 3)
        code, text = operator.get("/readyz?verbose")
        self.assertEqual(code, 500)
        self.assertIn("[-]caches failed", text)
        self.assertEqual(operator.get("/livez")[0], 200)
        self.assertEqual(self.api.writes(), [])
        is_open = True
        self.wait_twin("a", lambda twin: "status" in twin)
        self.assertEqual(operator.get("/readyz")[0], 200)

    def test_writes_that_are_not_answered_do_not_restart_it(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.add_nodes("a")
        stuck = lambda request: (  # noqa: E731
            None if request.method == "GET" or gate.is_set() else (200, lambda _: gate.wait())
        )
        self.api.answer = lambda request: stuck(request) if request.plural == "nodetwins" else None
        operator = self.start("--reconcile-interval", "1s")
        self.api.wait(lambda: self.api.writes("nodetwins"))
        end = time.monotonic() + 8  # longer than three intervals, and than 5 s
        while time.monotonic() < end:
            self.assertEqual(operator.get("/livez?verbose")[0], 200)
            time.sleep(0.2)
        gate.set()
        self.wait_twin("a", lambda twin: "status" in twin)

    def test_what_is_under_way_ends_before_the_operator(self):
        self.add_nodes("a")
        operator = self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        self.api.wait(lambda: self.label("a"))
        self.assertEqual(operator.finish(), 0)
        self.assertIn("ends on SIGTERM", operator.log)

    def test_an_interval_that_ends_cuts_the_step(self):
        """What is left of it is decided again, with newer readings."""
        names = [f"n{i:03}" for i in range(300)]
        self.add_nodes(*names)
        operator = self.start("--kube-client-qps", "20", "--kube-client-burst", "20")
        wait_until("a second step", lambda: operator.steps() >= 2)
        self.assertLess(len(self.api.all("nodetwins")), len(names))
        self.assertGreater(operator.metrics()["joulie_operator_skipped_intervals_total"], 0)

    def test_nodes_that_are_refused_do_not_starve_those_behind_them(self):
        """A step that was cut goes on behind the node that had its turn last."""
        names = [f"n{i:03}" for i in range(120)]
        self.add_nodes(*names)
        self.api.answer = lambda r: (
            Api.status(409, "Conflict")
            if r.method == "POST"
            and r.plural == "nodetwins"
            and r.body["metadata"]["name"] < "n080"
            else None
        )
        self.start("--kube-client-qps", "100", "--kube-client-burst", "1")
        self.api.wait(lambda: ("", "n119") in self.api.objects["nodetwins"])

    def test_one_thread(self):
        self.add_nodes("a")
        operator = self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        self.assertEqual(len(os.listdir(f"/proc/{operator.process.pid}/task")), 1)


class Kills(Fleet):
    KILLS = 200

    def test_an_operator_that_is_killed_at_any_request_loses_nothing(self):
        """Killed 200 times, before or after a request was served, while the fleet changes: no
        object is written without need, and the last one ends where it should."""
        names = [f"n{i}" for i in range(6)]
        self.add_nodes(*names)
        random = Random(5)
        life = {"left": 0, "process": None, "before": False, "hits": 0}

        def answer(request):
            if life["process"] is None:
                return None
            life["left"] -= 1
            if life["left"] > 0:
                return None
            scripted = None if life["before"] or request.is_watch else self.api.handle(request)
            life["process"].kill()
            life["process"] = None
            life["hits"] += 1
            self.api.changed.notify_all()
            return scripted or Api.status(500, "InternalError")

        self.api.answer = answer
        for turn in range(self.KILLS):
            if turn % 4 == 0:
                self.api.put("pods", pod("p", random.choice(names)), "d")
            if turn % 7 == 0:
                self.api.delete("nodes", (gone := random.choice(names)))
                self.api.put("nodes", node(gone))
            with self.api.changed:
                life.update(left=random.randint(1, 40), before=random.random() < 0.5)
                operator = self.start("--static-hp-frac", str(random.choice((0.3, 0.7))))
                life["process"] = operator.process
            # one that has nothing left to ask lives until its time is over
            operator.wait_killed(self.api, life, random.uniform(0.1, 0.6))
        self.assertGreater(life["hits"], 20, "of the kills at a request; the others were by time")
        self.api.answer = None
        before = len(self.api.requests)
        operator = self.start("--static-hp-frac", "0.5")
        self.api.wait(
            lambda: sorted(
                twin.get("status", {}).get("schedulableClass", "")
                for twin in self.api.objects["nodetwins"].values()
            ).count("performance")
            == 3
        )
        operator.wait_steps(3)
        after = len(self.api.requests)
        operator.wait_steps(3)
        self.assertEqual([r for r in self.api.requests[after:] if r.plural == "nodetwins"], [])
        self.assertLess(after - before, 100)
        idle = [r for r in self.api.requests if getattr(r, "is_idle", False)]
        self.assertEqual([r for r in idle if r.plural != "leases"], [])
        for name in names:
            twin = self.twin(name)
            self.assertEqual(self.label(name), twin["spec"]["profile"])


class Lockstep(Fleet):
    def test_one_that_starts_between_two_steps_waits_for_the_next(self):
        """A restart decides when its predecessor would have."""
        self.add_nodes("a")
        self.clock = Clock(self.api, START_MS + MINUTE_MS // 2)
        self.addCleanup(self.clock.stop)
        Operator(self, "--server", self.api.url, "--clock", self.clock.url)
        self.clock.wait_for_poll()
        self.clock.go_to(START_MS + MINUTE_MS - 1)
        self.assertIsNone(self.twin("a"))
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertIsNotNone(self.twin("a"))


class Restarts(Fleet):
    """docs/rules/policy.md#restarts: QUEUE_SCALE_DOWN_DELAY is 5 minutes."""

    def at(self, minute):
        self.clock.go_to(START_MS + round(minute * MINUTE_MS))

    def plan(self):
        lease = self.api.get("leases", "joulie-heartbeat", "joulie-system")
        return lease["metadata"].get("annotations", {}).get("joulie.io/plan")

    def begin(self):
        """A node is at full power for a pod that is gone since minute 2."""
        self.add_nodes("a", "b")
        operator = self.start_in_lockstep(env={"POLICY_TYPE": "queue_aware_v1"})
        self.api.put("pods", pod("p", "a"), "d")
        self.at(1.5)
        self.api.delete("pods", "p", "d")
        self.at(2)
        return operator

    def start_again(self, operator):
        operator.end()
        operator = Operator(
            self,
            *("--server", self.api.url, "--clock", self.clock.url),
            env={"POLICY_TYPE": "queue_aware_v1"},
        )
        wait_until("the caches", lambda: "the caches are filled" in operator.log)
        return operator

    def test_a_scale_down_that_waits_goes_on_waiting(self):
        operator = self.begin()
        self.assertEqual(
            json.loads(self.plan()),
            {
                "version": 1,
                "policy": "queue_aware_v1",
                "performanceNodes": 1,
                "fewerSince": "2026-03-13T12:02:00Z",
            },
        )
        for minute in (2.5, 4, 6.2):
            self.at(minute)
            operator = self.start_again(operator)
            self.assertEqual(self.twin("a")["spec"]["profile"], "performance")
        self.at(6.9)
        self.assertEqual(self.twin("a")["spec"]["profile"], "performance")
        self.at(7)
        self.assertEqual(self.twin("a")["spec"]["profile"], "eco")
        self.assertNotIn("fewerSince", self.plan())

    def test_the_plan_is_written_when_it_changes_and_not_with_each_beat(self):
        self.begin()
        self.at(10)
        with self.api.changed:
            before = len(self.api.requests)
        self.at(40)
        writes = [r for r in self.api.requests[before:] if r.plural == "leases" and r.verb == "patch"]
        self.assertEqual(len(writes), 30)
        self.assertEqual([r for r in writes if "joulie.io/plan" in json.dumps(r.body)], [])

    def test_an_outage_that_is_long_begins_anew(self):
        operator = self.begin()
        self.at(3)
        operator.end()
        with self.clock.changed:
            self.clock.now_ms = START_MS + 20 * MINUTE_MS
        operator = self.start_again(operator)
        self.at(24.9)
        self.assertEqual(self.twin("a")["spec"]["profile"], "performance")
        self.at(25)
        self.assertEqual(self.twin("a")["spec"]["profile"], "eco")

    def test_what_is_no_plan_is_said_once_and_written_anew(self):
        for text, reason in (
            ("so many", "an object was expected"),
            ('{"version": 7, "more": {}}', "this build reads version 1"),
            ('{"version":1,"policy":"static_partition","performanceNodes":1}', "another policy"),
        ):
            with self.subTest(text):
                operator = self.begin()
                operator.end()
                lease = self.api.get("leases", "joulie-heartbeat", "joulie-system")
                lease["metadata"]["annotations"]["joulie.io/plan"] = text
                self.api.put("leases", lease, "joulie-system")
                operator = self.start_again(operator)
                self.at(self.clock.now_ms / MINUTE_MS - START_MS / MINUTE_MS + 3)
                lines = [line for line in operator.log.splitlines() if "does not count" in line]
                self.assertEqual(len(lines), 1, operator.log)
                self.assertIn(reason, lines[0])
                self.assertEqual(json.loads(self.plan())["performanceNodes"], 1)
                operator.end()
                self.doCleanups()
                self.setUp()


class DryRun(Fleet):
    def test_nothing_is_written_and_everything_is_logged(self):
        self.add_nodes("a", "b")
        operator = self.start("--dry-run", "--heartbeat-interval", "100ms")
        try:
            self.api.wait(lambda: len(self.api.objects["events"]) == 4, 5)
        except AssertionError:
            self.fail(f"{self.api.all('events')}{operator.log}")
        operator.wait_steps(5)
        self.assertEqual({r.plural for r in self.api.writes()}, {"events"})
        self.assertEqual(self.api.all("nodetwins"), [])
        notes = sorted(e["note"] for e in self.api.all("events"))
        self.assertTrue(notes[0].startswith("would write label of Node a"), notes)
        self.assertTrue(notes[2].startswith("would write spec of NodeTwin a"), notes)
        metrics = operator.metrics()
        self.assertEqual(metrics["joulie_operator_dry_run"], 1)
        self.assertEqual(metrics['joulie_operator_planned_writes{kind="spec"}'], 2)
        logged = operator.log.count("would write")
        operator.wait_steps(3)
        self.assertEqual(operator.log.count("would write"), logged)

    def test_what_would_be_deleted_is_counted_as_what_is_deleted(self):
        def deleted(operator, outcome):
            labels = f'kind="twin",verb="delete",outcome="{outcome}"'
            return operator.metrics().get(f"joulie_operator_actions_total{{{labels}}}", 0)

        self.add_nodes("a")
        operator = self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        self.add_nodes("b")
        self.wait_twin("b", lambda twin: "status" in twin)
        operator.finish()
        self.api.delete("nodes", "b")
        operator = self.start("--dry-run")
        operator.wait_steps(2)
        self.assertGreater(deleted(operator, "dry-run"), 0)
        self.assertIn("would delete NodeTwin b (", operator.log)
        operator.finish()
        operator = self.start()
        self.api.wait(lambda: ("", "b") not in self.api.objects["nodetwins"])
        wait_until("the delete to be counted", lambda: deleted(operator, "applied") == 1)


class Coexistence(Fleet):
    DEPLOYMENT = {
        "metadata": {"name": "joulie-operator", "labels": {"app.kubernetes.io/name": "joulie"}},
        "status": {"readyReplicas": 1},
    }

    def test_a_running_operator_keeps_this_one_from_writing(self):
        self.add_nodes("a")
        self.api.put("deployments", self.DEPLOYMENT, "joulie")
        operator = self.start("--heartbeat-interval", "100ms")
        operator.wait_steps(3)
        self.assertEqual({r.plural for r in self.api.writes()}, {"events"})
        code, text = operator.get("/readyz?verbose")
        self.assertEqual(code, 500)
        self.assertIn("[-]other-operators failed", text)
        self.assertEqual(operator.metrics()["joulie_operator_foreign_operator"], 1)
        self.api.wait(lambda: len(self.api.objects["events"]) == 1)
        event = self.api.all("events")[0]
        self.assertEqual((event["type"], event["reason"]), ("Warning", "ForeignOperator"))
        self.assertEqual(operator.log.count("nothing is written"), 1)

    def test_its_own_deployment_is_no_other(self):
        self.add_nodes("a")
        self.api.put("deployments", self.DEPLOYMENT, "joulie")
        for name, value in (
            ("--pod-name", "joulie-operator-5d9c-x2x"),
            ("--deployment-name", "joulie-operator"),
        ):
            operator = self.start("--namespace", "joulie", name, value)
            self.wait_twin("a", lambda twin: "status" in twin)
            operator.finish()
            self.api.delete("nodetwins", "a")

    def test_one_of_the_same_name_elsewhere_and_one_of_half_the_name_are_others(self):
        """Two releases of a chart; NAME-HASH-HASH is a pod of NAME and of no part of it."""
        self.add_nodes("a")
        own = ("--namespace", "mine", "--pod-name", "joulie-operator-5d9c-x2x")
        half = merge(self.DEPLOYMENT, {"metadata": {"name": "joulie"}})
        for deployment, name_space in ((self.DEPLOYMENT, "theirs"), (half, "mine")):
            self.api.put("deployments", deployment, name_space)
            operator = self.start(*own)
            operator.wait_steps(2)
            self.assertEqual({r.plural for r in self.api.writes()}, {"events"}, deployment)
            operator.finish()
            self.api.delete("deployments", deployment["metadata"]["name"], name_space)

    def test_one_that_is_scaled_down_and_other_components_are_no_other(self):
        self.add_nodes("a")
        self.api.put("deployments", merge(self.DEPLOYMENT, {"status": {"readyReplicas": 0}}), "j")
        self.api.put(
            "deployments",
            merge(
                self.DEPLOYMENT,
                {
                    "metadata": {
                        "name": "joulie-scheduler",
                        "labels": {"app.kubernetes.io/component": "scheduler"},
                    }
                },
            ),
            "j",
        )
        self.start()
        self.wait_twin("a", lambda twin: "status" in twin)

    def test_one_that_was_found_stays_found_when_the_other_list_fails(self):
        self.add_nodes("a")
        self.api.put("deployments", merge(self.DEPLOYMENT, {"metadata": {"name": "joulie"}}), "j")
        operators = []

        def has_found():
            series = operators[0].metrics() if operators else ()
            return any('"deployments"' in name and 'code="200"' in name for name in series)

        def fail_behind(request):
            if request.plural != "deployments" or "fieldSelector" not in request.query:
                return None
            self.api.wait(has_found)
            return Api.status(400, "BadRequest")

        self.api.answer = fail_behind
        operators.append(self.start("--heartbeat-interval", "100ms"))
        operators[0].wait_steps(3)
        self.assertEqual({r.plural for r in self.api.writes()}, {"events"}, operators[0].log)

    def test_a_list_that_is_forbidden_is_reported_once(self):
        self.add_nodes("a")
        self.api.answer = lambda r: (
            Api.status(403, "Forbidden", "no") if r.plural == "deployments" else None
        )
        operator = self.start()
        self.wait_twin("a", lambda twin: "status" in twin)
        self.assertEqual(operator.log.count("Deployments cannot be listed"), 1)



class Writers(Fleet):
    """docs/rules/programs.md#another-writer"""

    def twin_of(self, node_name, manager, entry=None, **meta):
        fields = {"manager": manager, "operation": "Update", "time": "2026-03-13T12:00:00Z"}
        return {
            "metadata": {
                "name": node_name,
                "managedFields": [
                    {**fields, **(entry or {"fieldsV1": {"f:spec": {"f:profile": {}}}})}
                ],
                **meta,
            },
            "spec": {"nodeName": node_name, "profile": "eco"},
        }

    def is_written(self, name):
        return "status" in (self.twin(name) or {})

    def start_over(self, *names, manager="operator"):
        """An operator for three nodes, of which these were written by somebody."""
        self.add_nodes("a", "b", "c")
        for name in names:
            self.api.put("nodetwins", self.twin_of(name, manager))
        return self.start("--reconcile-interval", "200ms")

    def test_it_stops_its_own_node_only(self):
        operator = self.start_over("b", manager="someone")
        for name in "ac":
            self.wait_twin(name, lambda twin: "status" in twin)
        operator.wait_steps(3)
        about_b = [r for r in self.api.writes("nodetwins", "nodes") if r.name == "b"]
        self.assertEqual(about_b, [])
        self.assertEqual(operator.get("/readyz")[0], 200)
        self.assertEqual(operator.metrics()["joulie_operator_foreign_writer_nodes"], 1)
        self.assertEqual(operator.metrics()["joulie_operator_foreign_operator"], 0)
        self.api.wait(lambda: self.api.objects["events"])
        event = self.api.all("events")[0]
        self.assertEqual((event["type"], event["reason"]), ("Warning", "ForeignWriter"))
        self.assertEqual(event["regarding"]["name"], "b")
        self.assertIn("someone writes the spec of NodeTwin b", event["note"])
        self.assertEqual(operator.log.count("node b: someone writes the spec"), 1)

    def test_one_that_comes_later_stops_it_then(self):
        operator = self.start_over()
        self.wait_twin("b", lambda twin: "status" in twin)
        self.api.wait(lambda: self.label("b"))
        self.api.put(
            "nodetwins", merge(self.twin("b"), self.twin_of("b", "someone", uid="uid-of-b"))
        )
        spec = self.twin("b")["spec"]
        wait_until("held", lambda: "node b: someone writes" in operator.log)
        operator.wait_steps(3)
        self.assertEqual(self.twin("b")["spec"], spec)

    def test_it_ends_when_the_field_is_given_back(self):
        operator = self.start_over("b")
        operator.wait_steps(2)
        self.assertFalse(self.is_written("b"))
        ours = {"fieldsV1": {"f:metadata": {}}}
        self.api.put("nodetwins", merge(self.twin("b"), self.twin_of("b", "operator", ours)))
        self.wait_twin("b", lambda twin: "status" in twin)
        self.assertIn("the NodeTwin of b is ours again", operator.log)
        self.assertEqual(operator.metrics()["joulie_operator_foreign_writer_nodes"], 0)

    def test_it_ends_when_the_twin_is_deleted_or_given_to_us(self):
        operator = self.start_over("a", "b")
        operator.wait_steps(2)
        self.assertFalse(self.is_written("a") or self.is_written("b"))
        self.api.delete("nodetwins", "a")
        self.wait_twin("a", lambda twin: "status" in twin)
        self.assertFalse(self.is_written("b"))
        self.api.patch(
            "nodetwins", "b", {"metadata": {"annotations": {"joulie.io/adopt": "true"}}}
        )
        self.wait_twin("b", lambda twin: "status" in twin)

    def test_of_many_a_few_are_named(self):
        names = [f"n{i:02}" for i in range(20)]
        self.add_nodes(*names)
        for name in names:
            self.api.put("nodetwins", self.twin_of(name, "operator"))
        operator = self.start()
        wait_until("reported", lambda: "and 15 other nodes have another writer" in operator.log)
        self.assertEqual(operator.metrics()["joulie_operator_foreign_writer_nodes"], 20)
        self.assertEqual(operator.log.count("operator writes the spec"), 5)

    def test_agents_people_and_ourselves_are_nobody_else(self):
        self.add_nodes("a", "b")
        for manager, entry in (
            ("kubectl-edit", None),
            ("joulie-operator", None),
            ("joulie-agent", None),
            ("before-first-apply", None),
            ("agent", {"subresource": "status", "fieldsV1": {"f:status": {}}}),
            ("agent", {"fieldsV1": {"f:spec": {}}}),
        ):
            with self.subTest(manager):
                self.api.put("nodetwins", self.twin_of("b", manager, entry))
                operator = self.start()
                self.wait_twin("b", lambda twin: "status" in twin)
                operator.finish()
                self.api.delete("nodetwins", "b")


class Heartbeat(Fleet):
    def test_the_lease_is_made_and_renewed(self):
        """docs/rules/programs.md#heartbeat"""
        self.add_nodes("a")
        self.start_in_lockstep("--pod-name", "op-1")
        self.clock.go_to(START_MS + 3 * MINUTE_MS)
        lease = self.api.get("leases", "joulie-heartbeat", "joulie-system")
        self.assertEqual(
            lease["spec"], {"holderIdentity": "op-1", "renewTime": "2026-03-13T12:03:00.000000Z"}
        )
        renewals = self.api.writes("leases")
        self.assertEqual([r.verb for r in renewals], ["patch", "create"] + ["patch"] * 3)

    def test_a_day_of_steady_state_costs_little(self):
        """At most 0.2 calls per node and minute."""
        names = [f"n{i:02}" for i in range(10)]
        self.add_nodes(*names)
        self.start_in_lockstep()
        self.clock.go_to(START_MS + 5 * MINUTE_MS)
        with self.api.changed:
            before = len(self.api.requests)
        self.clock.go_to(START_MS + 125 * MINUTE_MS)
        calls = [r for r in self.api.requests[before:] if r.verb != "watch"]
        kinds = {}
        for call in calls:
            kinds[call.plural] = kinds.get(call.plural, 0) + 1
        self.assertEqual(kinds.get("leases"), 120)
        self.assertLessEqual(len(calls), 0.2 * 10 * 120)
        self.assertEqual(kinds.get("nodetwins"), 10 * 4)  # each half hour (TWIN_HEARTBEAT_INTERVAL)


class Readings(Fleet):
    """Nodes with a telemetry endpoint, or a Prometheus, in the same place."""

    def setUp(self):
        super().setUp()
        self.bodies = {}
        self.endpoint = Endpoint(lambda path, query: self.reply(path, query))
        self.addCleanup(self.endpoint.stop)

    def reply(self, path, _query):
        return self.bodies.get(path.rsplit("/", 1)[-1], (404, b""))

    def start_reading(self, source="http"):
        return self.start_in_lockstep(
            *("--operator-node-power-source", source),
            *("--operator-node-power-http-endpoint", self.endpoint.url + "/telemetry/{node}"),
        )

    def power(self, name):
        return self.twin(name)["status"]["powerMeasurement"]

    def say(self, name, **body):
        self.bodies[name] = (200, json.dumps(body).encode())

    def prometheus(self, values):
        def reply(_path, query):
            text = query["query"][0]
            value = next((v for k, v in values.items() if k in text), None)
            result = [] if value is None else [{"metric": {}, "value": [1, value]}]
            body = {"status": "success", "data": {"resultType": "vector", "result": result}}
            return 200, json.dumps(body).encode()

        self.reply = reply


class Profiles(Readings):
    """docs/rules/endpoints.md#telemetryprofiles"""

    def wire(self, name="all", path="/telemetry/{node}", generation=1, **spec):
        source = {"type": "http", "http": {"endpoint": self.endpoint.url + path}}
        spec = {"target": {"scope": "cluster"}, "sources": {"cpu": source}, **spec}
        old = self.api.objects["telemetryprofiles"].get(("", name), {})
        meta = {"name": name, "generation": generation}
        self.api.put("telemetryprofiles", {**old, "metadata": meta, "spec": spec})

    def status(self, name="all"):
        return self.api.get("telemetryprofiles", name).get("status", {})

    def minute(self, minute):
        self.clock.go_to(START_MS + minute * MINUTE_MS)

    def test_power_is_read_where_a_profile_says(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=400)
        self.start_in_lockstep()
        self.minute(1)
        self.assertEqual(self.power("a")["source"], "allocation")
        self.wire()
        self.minute(2)
        self.assertEqual((self.power("a")["source"], self.power("a")["measuredNodePowerW"]), ("http", 400))
        self.assertEqual(
            self.status(),
            {
                "observedGeneration": 1,
                "conditions": [
                    {
                        "type": "Accepted",
                        "status": "True",
                        "reason": "Accepted",
                        "message": "",
                        "lastTransitionTime": "2026-03-13T12:01:00Z",
                        "observedGeneration": 1,
                    }
                ],
            },
        )
        self.api.delete("telemetryprofiles", "all")
        self.minute(10)
        self.assertEqual(self.power("a")["source"], "allocation")

    def test_a_new_source_takes_over_when_it_has_answered(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=400)
        self.wire()
        operator = self.start_in_lockstep()
        self.minute(2)
        self.wire(path="/other/{node}-2", generation=2)
        self.minute(12)
        self.assertEqual(self.power("a")["measuredNodePowerW"], 400)
        self.assertEqual(operator.log.count("its new source does not take over"), 1)
        self.say("a-2", packagePowerWatts=700)
        self.minute(13)
        self.assertEqual(self.power("a")["measuredNodePowerW"], 700)
        del self.bodies["a-2"]  # there is no way back
        self.minute(20)
        self.assertEqual(self.power("a")["source"], "allocation")

    def test_one_that_is_wrong_says_so_and_changes_nothing(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=400)
        self.wire()
        operator = self.start_in_lockstep()
        self.minute(2)
        for generation, spec, message in (
            (2, {"sources": {"cpu": {"type": "http"}}}, "spec.sources.cpu.http.endpoint: "),
            (3, {"target": {"scope": "node", "nodeSelector": "a in"}}, "spec.target.nodeSelector: "),
            (4, {"target": {"scope": "rack"}}, "spec.target.scope: "),
        ):
            with self.subTest(message):
                self.wire(generation=generation, **spec)
                self.minute(2 * generation + 1)
                condition = self.status()["conditions"][0]
                self.assertEqual((condition["status"], condition["reason"]), ("False", "Invalid"))
                self.assertTrue(condition["message"].startswith(message), condition)
                self.assertEqual(self.status()["observedGeneration"], generation)
                self.assertEqual(self.power("a")["measuredNodePowerW"], 400)
                self.assertEqual(operator.log.count(message), 1, operator.log)
        self.wire(generation=5)
        self.minute(12)
        self.assertEqual(self.status()["conditions"][0]["status"], "True")
        writes = len([r for r in self.api.writes() if r.plural == "telemetryprofiles"])
        self.minute(60)
        writes_then = len([r for r in self.api.writes() if r.plural == "telemetryprofiles"])
        self.assertEqual(writes_then, writes)

    def test_a_query_may_be_asked(self):
        self.add_nodes("a", "b")
        self.prometheus({'w{n="a"}': "250"})
        where = {"endpoint": self.endpoint.url, "query": 'w{n="{node}"}'}
        self.wire(sources={"cpu": {"type": "prometheus", "prometheus": where}})
        self.start_in_lockstep()
        self.minute(1)
        self.assertEqual((self.power("a")["source"], self.power("a")["measuredNodePowerW"]), ("prometheus", 250))
        self.assertEqual(self.power("b")["source"], "allocation")

    def test_conditions_of_others_stay(self):
        other = {"type": "Seen", "status": "True"}
        self.wire()
        with self.api.changed:
            self.api.objects["telemetryprofiles"][("", "all")]["status"] = {"conditions": [other]}
        self.start_in_lockstep()
        self.minute(1)
        self.assertEqual(
            [one["type"] for one in self.status()["conditions"]], ["Seen", "Accepted"]
        )

    def test_the_setting_comes_first(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=400)
        self.wire()
        self.start_in_lockstep("--operator-node-power-source", "static")
        self.minute(2)
        self.assertEqual(self.power("a")["source"], "allocation")
        self.assertEqual(self.status()["conditions"][0]["status"], "True")

    def test_the_name_comes_before_labels_and_labels_before_the_cluster(self):
        self.add_nodes("a", "b", "c")
        labels = {"joulie.io/managed": "true", "pool": "x"}
        for name in ("a", "b"):
            self.api.put("nodes", {**node(name), "metadata": {"name": name, "labels": labels}})
        self.wire("z", path="/t/{node}-cluster")
        self.wire("y", path="/t/{node}-pool", target={"scope": "node", "nodeSelector": "pool=x"})
        self.wire("x", path="/t/{node}-own", target={"scope": "node", "nodeName": "a"})
        for number, name in enumerate(("a-own", "b-pool", "c-cluster")):
            self.say(name, packagePowerWatts=100 + number)
        self.start_in_lockstep()
        self.minute(2)
        powers = [self.power(name).get("measuredNodePowerW") for name in "abc"]
        self.assertEqual(powers, [100, 101, 102])


class Power(Readings):
    def test_what_is_measured_is_in_the_status(self):
        self.add_nodes("a", "b")
        self.say("a", packagePowerWatts=400.5, cpu={"packagePowerWatts": 200, "utilization": 0.5})
        self.say("b", cpu={"utilization": 0.5})
        operator = self.start_reading()
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(self.power("a")["source"], "http")
        self.assertEqual(self.power("a")["measuredNodePowerW"], 400.5)
        # half of a 9654 in two sockets is 410 W (curve)
        self.assertEqual(self.power("b")["source"], "utilization")
        self.assertAlmostEqual(self.power("b")["measuredNodePowerW"], 410, delta=0.01)
        self.assertEqual(operator.metrics()['joulie_operator_power_reads_total{result="good"}'], 4)

    def test_utilisation_alone_can_be_asked_for(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=999, cpu={"utilization": 0.5})
        self.start_reading("utilization")
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(self.power("a")["source"], "utilization")

    def test_bad_telemetry_is_no_sample_and_is_reported_once(self):
        """Garbage, 500, silence, 100 MB, NaN, old time stamps and those of the future; the others go on."""

        def silence(handler):
            time.sleep(0)
            handler.connection.settimeout(DEADLINE_S)
            handler.rfile.read(1)  # until the operator hangs up
            handler.close_connection = True

        def flood(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(100 << 20))
            handler.end_headers()
            try:
                for _ in range(100):
                    handler.wfile.write(b"x" * (1 << 20))
            except OSError:
                handler.close_connection = True

        def old(minutes):
            return json.dumps(
                {
                    "packagePowerWatts": 300,
                    "cpu": {"utilization": 0.5},
                    "ts": Clock.text(START_MS - minutes * MINUTE_MS),
                }
            ).encode()

        bad = {
            "garbage": (200, b"\xff\x00{{{"),
            "half": (200, b'{"packagePowerWatts": 30'),
            "list": (200, b"[1]"),
            "five": (500, b'{"packagePowerWatts": 300}'),
            "nan": (200, b'{"packagePowerWatts": NaN, "cpu": {"utilization": 0.5}}'),
            "infinite": (200, b'{"packagePowerWatts": 1e999}'),
            "word": (200, b'{"packagePowerWatts": "300"}'),
            "nothing": (200, b"{}"),
            "share": (200, b'{"cpu": {"utilization": 7}}'),
            "negative": (200, b'{"packagePowerWatts": -1}'),
            "old": (200, old(7)),
            "ahead": (200, old(-3)),
            "undated": (200, b'{"packagePowerWatts": 300, "ts": "yesterday"}'),
            "silent": silence,
            "flood": flood,
        }
        names = [*bad, "good", "young"]
        self.add_nodes(*names)
        self.bodies = dict(bad, young=(200, old(4)))
        self.say("good", packagePowerWatts=300, cpu={"utilization": 7})
        operator = self.start_reading()
        self.clock.go_to(START_MS + MINUTE_MS)
        for name in bad:
            self.assertEqual(self.power(name)["source"], "allocation", name)
            self.assertEqual(self.power(name)["measuredNodePowerW"], 128, "of a machine that runs nothing")
        for name in ("good", "young"):
            self.assertEqual(self.power(name)["measuredNodePowerW"], 300, name)
        metrics = operator.metrics()
        failed = metrics['joulie_operator_power_reads_total{result="failed"}']
        self.assertEqual(failed, 2 * len(bad))
        self.assertEqual(metrics['joulie_operator_reconcile_errors_total{reason="power"}'], failed)
        lines = [line for line in operator.log.splitlines() if "its power is unknown" in line]
        self.assertEqual(len(lines), 5, "of 15, the others are counted in one line")
        self.assertEqual(operator.log.count("and 10 other nodes"), 1)

    def test_a_reading_is_believed_for_a_while_and_then_not(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=300)
        self.start_reading()
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(self.power("a")["source"], "http")
        self.bodies["a"] = (500, b"")
        self.clock.go_to(START_MS + 6 * MINUTE_MS)
        self.assertEqual(self.power("a")["source"], "http")
        self.clock.go_to(START_MS + 7 * MINUTE_MS)
        self.assertEqual(self.power("a")["source"], "allocation")
        self.say("a", packagePowerWatts=320)
        self.clock.go_to(START_MS + 8 * MINUTE_MS)
        self.assertEqual(self.power("a")["measuredNodePowerW"], 320)

    def test_names_are_encoded_in_urls_and_nodes_out_of_scope_are_not_asked_for(self):
        self.add_nodes("a.b")
        self.api.put("nodes", node("other", {"joulie.io/managed": "false"}))
        self.say("a.b", packagePowerWatts=300)
        self.start_reading()
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(set(self.endpoint.paths), {"/telemetry/a.b"})

    def test_prometheus_is_asked_for_each_node(self):
        self.add_nodes("a", "b")
        self.prometheus({'node_w{n="a"}': "250", 'node_w{n="b"}': "NaN"})
        self.start_in_lockstep(
            *("--operator-node-power-source", "prometheus"),
            *("--operator-node-power-prometheus-address", self.endpoint.url + "/"),
            *("--operator-node-power-prometheus-query", 'node_w{n="{node}"}'),
        )
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(self.power("a")["source"], "prometheus")
        self.assertEqual(self.power("a")["measuredNodePowerW"], 250)
        self.assertEqual(self.power("b")["source"], "allocation")

    def test_kepler_has_a_second_query(self):
        """docs/rules/programs.md#power-of-the-nodes"""
        self.add_nodes("a.b", "c")
        self.prometheus({'platform_joules_total{instance=~"a\\\\.b(': "250", 'node_name="c"': "90"})
        self.start_in_lockstep(
            *("--operator-node-power-source", "kepler"),
            *("--operator-node-power-prometheus-address", self.endpoint.url),
        )
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(self.power("a-b")["measuredNodePowerW"], 250)
        self.assertEqual(self.power("c")["measuredNodePowerW"], 90)
        self.assertEqual(self.power("c")["source"], "kepler")

    def test_kepler_with_a_query_of_ones_own_asks_that_one(self):
        """The built-in query is for an empty one."""
        self.add_nodes("a")
        self.prometheus({'my_w{n="a"}': "250", "kepler_": "90"})
        self.start_in_lockstep(
            *("--operator-node-power-source", "kepler"),
            *("--operator-node-power-prometheus-address", self.endpoint.url),
            *("--operator-node-power-prometheus-query", 'my_w{n="{node}"}'),
        )
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(self.power("a")["measuredNodePowerW"], 250)
        self.assertEqual(self.power("a")["source"], "kepler")

    def test_the_age_of_readings_goes_with_the_last_node(self):
        self.add_nodes("a")
        self.say("a", packagePowerWatts=300)
        operator = self.start_reading()
        self.clock.go_to(START_MS + MINUTE_MS)
        series = 'joulie_data_age_seconds{component="joulie-operator",source="power"}'
        self.assertEqual(operator.metrics()[series], 0)
        self.api.delete("nodes", "a")
        self.clock.go_to(START_MS + 2 * MINUTE_MS)
        self.assertNotIn(series, operator.metrics())


class Facility(Readings):
    OPTIONS = ("--enable-facility-metrics", "true", "--cluster-capacity-w", "200000")

    def values(self, operator):
        found = {}
        for series, value in operator.metrics().items():
            match = re.match(r'joulie_operator_facility_value\{name="(\w+)"\}', series)
            if match:
                found[match.group(1)] = value
        return found

    def start_facility(self):
        return self.start_in_lockstep(
            *self.OPTIONS, "--facility-prometheus-address", self.endpoint.url
        )

    def test_what_the_building_says_counts(self):
        self.add_nodes("a")
        self.prometheus({"ambient": "-5", "it_power": "40000", "cooling": "12000"})
        operator = self.start_facility()
        self.clock.go_to(START_MS + MINUTE_MS)
        self.assertEqual(
            self.values(operator),
            {
                "ambient_celsius": -5,
                "it_power_watts": 40000,
                "cooling_power_watts": 12000,
                "pue": 1.3,
            },
        )
        # 40 kW of 200 kW
        self.assertEqual(self.twin("a")["status"]["predictedPsuStressScore"], 20)

    def test_a_value_is_held_for_a_while(self):
        self.add_nodes("a")
        self.prometheus({"ambient": "25", "it_power": "40000"})
        operator = self.start_facility()
        self.clock.go_to(START_MS + MINUTE_MS)
        self.prometheus({"ambient": "NaN", "it_power": "-1"})
        self.clock.go_to(START_MS + 5 * MINUTE_MS)
        self.assertEqual(self.values(operator), {"ambient_celsius": 25, "it_power_watts": 40000})
        age = 'joulie_data_age_seconds{component="joulie-operator",source="facility"}'
        self.assertIn(age, operator.metrics())
        self.clock.go_to(START_MS + 7 * MINUTE_MS)
        self.assertEqual(self.values(operator), {})
        self.assertNotIn(age, operator.metrics(), "nothing of it is in use any more")
        self.assertNotIn("predictedPsuStressScore", self.twin("a")["status"])

    PLACES = (
        *("--facility-rack-power-metric", "sum by (rack) (pdu_watts)"),
        *("--facility-zone-ambient-metric", "inlet_celsius", "--facility-zone-label", "hall"),
    )

    def say_places(self, racks, zones):
        """Series of racks and of zones: lists of (name, value)."""

        def reply(_path, query):
            text = query["query"][0]
            label, rows = ("rack", racks) if "pdu" in text else ("hall", zones)
            if "pdu" not in text and "inlet" not in text:
                rows = []
            result = [{"metric": {label: name, "job": "x"}, "value": [1, v]} for name, v in rows]
            return 200, json.dumps({"status": "success", "data": {"result": result}}).encode()

        self.reply = reply

    def start_places(self, *more):
        return self.start_in_lockstep(
            *("--enable-facility-metrics", "true", *self.PLACES, *more),
            *("--facility-prometheus-address", self.endpoint.url),
        )

    def stress(self, name, score="Psu"):
        return self.twin(name)["status"].get(f"predicted{score}StressScore")

    def announced(self):
        lease = self.api.get("leases", "joulie-heartbeat", "joulie-system")
        return lease["metadata"].get("annotations", {}).get("joulie.io/facility")

    def place(self, name, rack, zone):
        labels = {"joulie.io/rack": rack, "joulie.io/cooling-zone": zone}
        self.api.patch("nodes", name, {"metadata": {"labels": labels}})

    def test_racks_and_zones_are_what_labels_say(self):
        self.add_nodes("a", "b")
        self.place("a", "r1", "cold")
        self.place("b", "r2", "hot")
        self.say_places([("r1", "5000"), ("r2", "40000")], [("cold", "-5"), ("hot", "40")])
        operator = self.start_places()
        self.clock.go_to(START_MS + 2 * MINUTE_MS)
        self.assertEqual([self.stress("a"), self.stress("b")], [10, 80])  # of 50 kW
        self.assertLess(self.stress("a", "Cooling"), self.stress("b", "Cooling"))
        found = operator.metrics()
        self.assertEqual(found['joulie_operator_rack_power_watts{rack="r2"}'], 40000)
        self.assertEqual(found['joulie_operator_zone_temperature_celsius{zone="cold"}'], -5)
        self.assertEqual(self.announced(), "on")

    def test_a_place_that_is_not_measured_any_more_is_held_then_unknown(self):
        self.add_nodes("a", "b")
        self.place("a", "r1", "cold")
        self.place("b", "r2", "cold")
        self.say_places([("r1", "5000"), ("r2", "40000")], [("cold", "20")])
        operator = self.start_places()
        self.clock.go_to(START_MS + 2 * MINUTE_MS)
        # r1 has no value, r2 two that contradict each other: neither is 0, nor one of both
        self.say_places([("r1", "NaN"), ("r2", "1"), ("r2", "2")], [("cold", "20")])
        self.clock.go_to(START_MS + 4 * MINUTE_MS)
        self.assertEqual([self.stress("a"), self.stress("b")], [10, 80])
        self.clock.go_to(START_MS + 9 * MINUTE_MS)
        self.assertNotIn(self.stress("a"), (None, 0, 10))
        self.assertEqual(self.stress("a"), self.stress("b"))  # sums of equal nodes
        self.assertNotIn('joulie_operator_rack_power_watts{rack="r1"}', operator.metrics())
        self.assertEqual(
            self.announced(),
            "racks: more than one series has the same label; racks without a measurement: r1, r2",
        )
        self.assertIn("rack r1: no sample for longer than FACILITY_VALUE_TTL", operator.log)
        self.say_places([("r1", "5000"), ("r2", "40000")], [("cold", "20")])
        self.clock.go_to(START_MS + 11 * MINUTE_MS)
        self.assertEqual([self.stress("a"), self.stress("b")], [10, 80])
        self.assertEqual(self.announced(), "on")

    def test_names_of_places_without_a_measurement_are_few(self):
        names = [f"n{i}" for i in range(5)]
        self.add_nodes(*names)
        for i, name in enumerate(names):
            self.place(name, f"r{i}", "cold")
        self.say_places([("r0", "5000")], [])
        self.start_places()
        self.clock.go_to(START_MS + 2 * MINUTE_MS)
        self.assertEqual(
            self.announced(),
            "racks without a measurement: r1, r2, r3 and 1 more; "
            "zones: no series has the label and a value; zones without a measurement: cold",
        )

    def test_it_is_off_and_silent_by_default(self):
        self.add_nodes("a")
        self.prometheus({})
        operator = self.start_in_lockstep("--facility-prometheus-address", self.endpoint.url)
        self.clock.go_to(START_MS + 2 * MINUTE_MS)
        self.assertEqual(self.endpoint.paths, [])
        self.assertEqual(self.values(operator), {})
        self.assertNotIn("facility ", operator.log.replace("facility-", ""))


class Start(Fleet):
    def refuse(self, *arguments, env=None):
        done = subprocess.run(
            [OPERATOR, "--server", "http://127.0.0.1:1", *arguments],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            env={"PATH": os.environ["PATH"], **(env or {})},
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_wrong_value_stops_the_start_with_the_name_of_its_option(self):
        """docs/rules/programs.md#another-operator"""
        for name, value in (
            ("POLICY_TYPE", "magic"),
            ("POLICY_TYPE", "power_budget_v1"),
            ("RECONCILE_INTERVAL", "soon"),
            ("NODE_SELECTOR", "a=(b"),
            ("CPU_ECO_CAP_PCT_OF_MAX", "0"),
            ("CPU_ECO_CAP_PCT_OF_MAX", "101"),
            ("GPU_MODEL_CAPS_JSON", "{"),
            ("GPU_MODEL_CAPS_JSON", '{"x": 1}'),
            ("STATIC_HP_FRAC", "half"),
            ("OPERATOR_NODE_POWER_SOURCE", "guess"),
            ("DRAIN_CAPS", "no"),
            ("METRICS_ADDR", "nowhere"),
            ("POWER_PROFILE_LABEL", "a b"),
            ("RESERVED_LABEL_KEY", "/x"),
        ):
            with self.subTest(name=name, value=value):
                self.assertIn(name, self.refuse(env={name: value}))

    def test_no_cluster_is_a_missing_option_and_an_address_that_is_taken_is_not(self):
        done = subprocess.run(
            [OPERATOR], capture_output=True, text=True, timeout=DEADLINE_S, env={"HOME": "/none"}
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("KUBECONFIG", done.stderr)
        done = subprocess.run(
            [OPERATOR, "--server", self.api.url, "--metrics-addr", self.api.url[len("http://") :]],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("METRICS_ADDR", done.stderr)

    def test_a_source_without_its_endpoint_stops_the_start(self):
        for source, option in (
            ("http", "OPERATOR_NODE_POWER_HTTP_ENDPOINT"),
            ("utilization", "OPERATOR_NODE_POWER_HTTP_ENDPOINT"),
            ("prometheus", "OPERATOR_NODE_POWER_PROMETHEUS_QUERY"),
            ("kepler", "OPERATOR_NODE_POWER_PROMETHEUS_ADDRESS"),
        ):
            with self.subTest(source=source):
                self.assertIn(option, self.refuse("--operator-node-power-source", source))

    def test_the_manual_page_is_the_options(self):
        page = Path(__file__).resolve().parents[3] / "docs" / "man" / "joulie-operator.1"
        printed = subprocess.run(
            [OPERATOR, "--man"], capture_output=True, text=True, timeout=DEADLINE_S, check=True
        )
        self.assertEqual(printed.stdout, page.read_text())


if __name__ == "__main__":
    unittest.main()
