# SPDX-License-Identifier: Apache-2.0
"""WorkloadProfiles that appear by themselves: joulie-operator, an API server and a Prometheus.

Rules: docs/rules/classification.md#profiles-of-a-cluster, docs/rules/programs.md#classifier. What is
decided is in tests/vectors and tests/rooms/cluster/test_workloads.c.
"""

import json
import time
import urllib.error

from prometheus_fake import COVERAGE, MEMORY, FakePrometheus, series, vector
from test_embedded import Cluster
from waiting import wait_until

GIB = 1 << 30
PROFILES = "/apis/joulie.io/v1alpha1/workloadprofiles"
HEARTBEAT = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-heartbeat"


def work(name, kind=None, owner=None, annotations=None, hash_=None):
    meta = {"name": name, "annotations": annotations or {}, "labels": {}}
    if hash_:
        meta["labels"]["pod-template-hash"] = hash_
    if kind:
        meta["ownerReferences"] = [
            {
                **{"apiVersion": "apps/v1", "kind": kind, "name": owner},
                **{"uid": f"uid-{owner}", "controller": True},
            }
        ]
    resources = {"requests": {"cpu": "2"}, "limits": {"memory": "4Gi"}}
    spec = {"nodeName": "n1", "containers": [{"name": "a", "resources": resources}]}
    return {"metadata": meta, "spec": spec, "status": {"phase": "Running"}}


class Classifying(Cluster):
    def setUp(self):
        super().setUp()
        self.prometheus = FakePrometheus(self)
        self.add_node("n1")

    def add_work(self, name, *arguments, **named):
        self.api.put("v1", "Pod", work(name, *arguments, **named), "default")

    def start_classifier(self, *arguments):
        return self.start(
            *("--prometheus-address", self.prometheus.url, "--classify-interval", "100ms"),
            *arguments,
        )

    def profiles(self):
        return {item["metadata"]["name"]: item for item in self.api.items(PROFILES)}

    def statuses(self):
        return {name: item.get("status", {}) for name, item in self.profiles().items()}

    def wait_status(self, name, condition, what):
        return wait_until(
            lambda: f"{what}: {self.profiles()}",
            lambda: condition(self.statuses().get(name, {})) and self.statuses()[name],
        )

    def announced(self):
        try:
            lease = json.loads(self.api.ask(HEARTBEAT))
        except urllib.error.HTTPError:
            return None
        return lease["metadata"].get("annotations", {}).get("joulie.io/classifier")

    def series_of(self, operator, name):
        return operator.metrics().get(f"joulie_operator_classifier_{name}")


class Profiles(Classifying):
    def test_each_workload_gets_one_and_its_reason_names_what_was_measured(self):
        self.prometheus.pods = {
            "web-7d9f-a": (1.8, 3 * GIB),
            "web-7d9f-b": (1.4, 3 * GIB),
            "db-0": (0.2, 3 * GIB),
            "alone": (0.1, GIB),
        }
        self.add_work("web-7d9f-a", "ReplicaSet", "web-7d9f", hash_="7d9f")
        self.add_work("web-7d9f-b", "ReplicaSet", "web-7d9f", hash_="7d9f")
        self.add_work("db-0", "StatefulSet", "db")
        self.add_work("alone")
        operator = self.start_classifier()
        names = {"deployment-web", "statefulset-db", "pod-alone"}
        wait_until(
            lambda: f"profiles: {self.profiles()}\n{operator.log}",
            lambda: all(self.statuses().get(name) for name in names),
        )
        profiles = self.profiles()
        self.assertEqual(set(profiles), names)
        web, database, alone = (
            profiles["deployment-web"],
            profiles["statefulset-db"],
            profiles["pod-alone"],
        )
        self.assertEqual(
            web["spec"]["workloadRef"],
            {"kind": "Deployment", "namespace": "default", "name": "web"},
        )
        self.assertEqual(
            web["metadata"]["labels"], {"app.kubernetes.io/managed-by": "joulie-operator"}
        )
        self.assertEqual(web["status"]["classificationReason"], "cpu-intensity=high (util 80%≥75%)")
        self.assertEqual(
            database["status"]["classificationReason"],
            "cpu-intensity=low (util 10%<30%); cpu-bound=memory (mem-pressure 75%>50%)",
        )
        self.assertEqual(database["metadata"]["ownerReferences"][0]["uid"], "uid-db")
        self.assertEqual(alone["spec"]["nodeName"], "n1")
        self.assertEqual({item["status"]["confidence"] for item in profiles.values()}, {0.5})
        wait_until("it says that it is on", lambda: self.announced() == "on")
        self.assertEqual(operator.get("/readyz")[0], 200)
        self.assertEqual(self.series_of(operator, 'workloads{state="all"}'), 3)

    def test_one_query_asks_for_all_pods_and_a_steady_state_asks_for_none(self):
        for i in range(40):
            self.prometheus.pods[f"p{i}"] = (1.0, GIB)
            self.add_work(f"p{i}")
        operator = self.start_classifier()
        wait_until("profiles", lambda: sum(1 for s in self.statuses().values() if s) == 40)
        wait_until("on", lambda: self.announced() == "on")
        first = len(self.prometheus.queries)
        self.assertEqual(len(set(self.prometheus.queries)), 8)
        self.assertLessEqual(first, 16, "two windows at most")
        self.assertFalse([query for query in self.prometheus.queries if "p7" in query])
        self.api.ask("/test/writes")
        operator.wait_steps(10)
        time.sleep(1)
        self.assertEqual(len(self.prometheus.queries), first)
        self.assertEqual(self.api.ask("/test/writes"), "")

    def test_a_restart_writes_nothing_again(self):
        self.prometheus.pods = {"x": (1.8, GIB)}
        self.add_work("x")
        operator = self.start_classifier()
        self.wait_status("pod-x", bool, "a profile")
        wait_until("on", lambda: self.announced() == "on")
        operator.finish()
        before = self.profiles()["pod-x"]["metadata"]["resourceVersion"]
        asked = len(self.prometheus.queries)
        operator = self.start_classifier()
        wait_until("a window", lambda: len(self.prometheus.queries) >= asked + 8)
        operator.wait_steps(5)
        self.assertEqual(self.profiles()["pod-x"]["metadata"]["resourceVersion"], before)

    def test_annotations_count_before_anything_is_measured(self):
        self.prometheus.answer = lambda handler, word: handler.send(503, {}) or True
        self.add_work("x", annotations={"joulie.io/workload-class": "performance"})
        self.start_classifier()
        status = self.wait_status("pod-x", bool, "a profile of hints")
        self.assertEqual(status["criticality"]["class"], "performance")
        self.assertEqual(status["confidence"], 0.3)
        self.assertEqual(status["classificationReason"], "hints only (no metrics available)")

    def test_a_profile_of_somebody_else_is_left_alone(self):
        self.prometheus.pods = {"x": (1.8, GIB), "y": (1.8, GIB)}
        mine = {
            "metadata": {"name": "mine"},
            "spec": {"workloadRef": {"kind": "Pod", "name": "x"}},
        }
        self.api.put("joulie.io/v1alpha1", "WorkloadProfile", mine, "default")
        self.add_work("x")
        self.add_work("y")
        operator = self.start_classifier()
        self.wait_status("pod-y", bool, "a profile of the other")
        self.assertEqual(set(self.profiles()), {"mine", "pod-y"})
        wait_until("one", lambda: self.series_of(operator, 'workloads{state="foreign"}') == 1)

    def test_it_is_off_without_an_address_and_can_be_switched_off(self):
        self.prometheus.pods = {"x": (1.8, GIB)}
        self.add_work("x")
        for arguments in ((), ("--prometheus-address", self.prometheus.url)):
            more = ("--enable-classifier", "false") if arguments else ()
            operator = self.start(*arguments, *more, "--classify-interval", "100ms")
            operator.wait_steps(10)
            self.assertEqual((self.prometheus.queries, self.profiles()), ([], {}))
            self.assertIsNone(self.announced())
            operator.finish()

    def test_switched_off_it_says_so_no_more(self):
        self.start_classifier()
        wait_until("on", lambda: self.announced() == "on")
        self.start("--classify-interval", "100ms")
        wait_until("nothing", lambda: self.announced() is None)

    def test_one_that_stands_by_neither_asks_nor_writes(self):
        self.prometheus.pods = {"x": (1.8, GIB)}
        self.add_work("x")
        meta = {"name": "joulie-operator"}
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
        spec = {"holderIdentity": "another", "leaseDurationSeconds": 3600, "renewTime": now}
        lease = {"metadata": meta, "spec": spec}
        self.api.put("coordination.k8s.io/v1", "Lease", lease, "joulie-system")
        operator = self.start_classifier("--leader-elect", "true", "--lease-duration", "3600s")
        wait_until("it stands by", lambda: operator.get("/readyz")[0] == 200)
        time.sleep(1)
        self.assertEqual((self.prometheus.queries, self.profiles()), ([], {}))

    def test_with_dry_run_nothing_is_written(self):
        self.prometheus.pods = {"x": (1.8, GIB)}
        self.add_work("x")
        operator = self.start_classifier("--dry-run", "--log-level", "debug")
        wait_until("a line", lambda: "would create default/pod-x" in operator.log)
        self.assertEqual(self.profiles(), {})


class Outages(Classifying):
    def setUp(self):
        super().setUp()
        self.prometheus.pods = {"x": (1.8, 3 * GIB)}
        self.add_work("x")

    def test_one_costs_no_profile_and_is_reported_once(self):
        operator = self.start_classifier("--reclassify-interval", "0s")
        self.wait_status("pod-x", bool, "a profile")
        self.prometheus.stop()
        wait_until("it says so", lambda: (self.announced() or "").startswith("failing: cpu: "))
        before = self.statuses()["pod-x"]
        operator.wait_steps(10)
        self.assertEqual(self.statuses()["pod-x"], before)
        self.assertEqual(self.series_of(operator, "failing"), 1)
        self.assertEqual(operator.get("/readyz")[0], 200, "an outage of Prometheus is none of ours")
        self.prometheus.start()
        wait_until("it says so", lambda: self.announced() == "on")
        self.assertEqual(operator.log.count("profiles are kept as they are"), 1)
        self.assertEqual(operator.log.count("answers again"), 1)
        self.assertEqual(self.series_of(operator, "failing"), 0)

    def test_confidence_falls_and_comes_back(self):
        self.start_classifier("--reclassify-interval", "0s", "--classify-hold", "2s")
        self.wait_status("pod-x", lambda status: status.get("confidence") == 0.5, "a profile")
        self.prometheus.stop()
        status = self.wait_status("pod-x", lambda s: s.get("confidence") == 0.3, "it falls")
        self.assertEqual(status["classificationReason"], "hints only (no metrics available)")
        self.prometheus.start()
        status = self.wait_status("pod-x", lambda s: s.get("confidence") == 0.5, "it is back")
        self.assertEqual(status["cpu"]["intensity"], "high")

    def test_an_exporter_that_is_silent_is_an_outage_too(self):
        self.start_classifier("--reclassify-interval", "0s", "--classify-hold", "2s")
        self.wait_status("pod-x", lambda status: status.get("confidence") == 0.5, "a profile")
        pods, self.prometheus.pods = self.prometheus.pods, {}
        self.wait_status("pod-x", lambda status: status.get("confidence") == 0.3, "it falls")
        self.prometheus.pods = pods
        self.prometheus.coverage = 4
        self.wait_status("pod-x", lambda status: status.get("confidence") == 0.4, "it comes")
        self.prometheus.coverage = 10
        self.wait_status("pod-x", lambda status: status.get("confidence") == 0.5, "it is back")

    def test_replies_that_are_none_change_nothing_and_say_why(self):
        other = FakePrometheus(self)
        answers = {
            "failing: cpu: the HTTP status is 500": lambda h: h.send(500, b"<html>"),
            "failing: cpu: the HTTP status is 302": lambda h: h.send(
                302, b"", [("Location", other.url + "/api/v1/query?query=up")]
            ),
            "failing: cpu: the HTTP status is 401": lambda h: h.send(401, b"no"),
            "failing: cpu: the reply is not JSON of an instant query": lambda h: h.send(200, b"{"),
            "failing: cpu: the result is no vector": lambda h: h.send(
                200, {"status": "success", "data": {"resultType": "matrix", "result": []}}
            ),
            "failing: cpu: Prometheus says: too many samples": lambda h: h.send(
                422, {"status": "error", "errorType": "execution", "error": "too many samples"}
            ),
        }
        operator = self.start_classifier("--reclassify-interval", "0s")
        self.wait_status("pod-x", bool, "a profile")
        before = self.statuses()["pod-x"]
        for said, answer in answers.items():
            with self.subTest(said):
                self.prometheus.answer = lambda handler, word, do=answer: do(handler) or True
                wait_until(lambda: f"{said}, not {self.announced()}", lambda: self.announced() == said)
        self.assertEqual(other.queries, [], "redirects are not followed")
        self.prometheus.answer = lambda handler, word: word == MEMORY and (
            handler.send(200, {"status": "error", "error": "e" * 5000}) or True
        )
        wait_until("cut", lambda: (self.announced() or "").startswith("failing: memory: Prometheus"))
        self.assertEqual(self.statuses()["pod-x"], before)
        self.prometheus.answer = None
        wait_until(lambda: f"on\n{operator.log}", lambda: self.announced() == "on")

    def test_one_that_is_slow_costs_one_query_of_a_round(self):
        operator = self.start_classifier(
            "--reclassify-interval", "0s", "--classify-query-timeout", "300ms"
        )
        self.wait_status("pod-x", bool, "a profile")
        self.prometheus.answer = lambda handler, word: time.sleep(2) or True
        wait_until("it says so", lambda: (self.announced() or "").startswith("failing: "))
        at = len(self.prometheus.queries)
        steps = operator.steps()
        wait_until("more rounds", lambda: len(self.prometheus.queries) >= at + 3)
        self.assertEqual(len(set(self.prometheus.queries[at:])), 1, "the first of each window")
        self.assertGreater(operator.steps(), steps, "nodes are decided meanwhile")

    def test_warnings_and_a_vector_of_other_pods_are_no_trouble(self):
        many = [series(f"other-{i}", 1) for i in range(20000)]

        def answer(handler, word):
            reply = self.prometheus.reply(word)
            if word == COVERAGE:
                return False
            reply = vector(*many, *reply["data"]["result"])
            reply["warnings"] = ["partial response"]
            handler.send(200, reply)
            return True

        self.prometheus.answer = answer
        self.start_classifier("--reclassify-interval", "0s")
        self.wait_status("pod-x", lambda status: status.get("confidence") == 0.5, "a profile")
        self.assertEqual(set(self.profiles()), {"pod-x"})


class Ends(Classifying):
    def test_a_profile_goes_with_its_pod_after_a_while(self):
        self.prometheus.pods = {"x": (1.8, GIB), "y": (1.8, GIB)}
        self.add_work("x")
        self.add_work("y")
        self.start_classifier("--classify-grace", "1s")
        self.wait_status("pod-x", bool, "a profile")
        self.wait_status("pod-y", bool, "another")
        self.api.ask("/test/delete?resource=pods&namespace=default&name=x", "{}")
        wait_until(lambda: f"it goes: {self.profiles()}", lambda: set(self.profiles()) == {"pod-y"})

    def test_one_whose_owner_cannot_be_asked_for_stays(self):
        """The API server of the tests has no StatefulSets: its 404 is of the kind."""
        self.prometheus.pods = {"db-0": (1.8, GIB)}
        self.add_work("db-0", "StatefulSet", "db")
        operator = self.start_classifier("--classify-grace", "0s")
        self.wait_status("statefulset-db", bool, "a profile")
        self.api.ask("/test/delete?resource=pods&namespace=default&name=db-0", "{}")
        name = 'actions_total{verb="get",outcome="failed"}'
        wait_until("it was asked for", lambda: self.series_of(operator, name))
        self.assertEqual(set(self.profiles()), {"statefulset-db"})


class Access(Classifying):
    def test_the_token_is_sent_and_neither_it_nor_a_password_is_shown(self):
        self.add_work("x")
        token = f"{self.folder}/token"
        with open(token, "w", encoding="utf-8") as file:
            file.write("s3cret-token\n")
        port = self.prometheus.port
        operator = self.start(
            *("--prometheus-address", f"http://127.0.0.1:{port}/", "--classify-interval", "100ms"),
            *("--prometheus-token-file", token, "--log-level", "debug"),
        )
        wait_until("a query", lambda: self.prometheus.headers)
        self.assertEqual(self.prometheus.headers[0]["Authorization"], "Bearer s3cret-token")
        self.prometheus.stop()
        wait_until("it fails", lambda: "profiles are kept as they are" in operator.log)
        self.assertNotIn("s3cret", operator.log)
        operator.finish()
        operator = self.start(
            *("--prometheus-address", f"http://me:s3cret@127.0.0.1:{port}"),
            *("--classify-interval", "100ms", "--log-level", "debug"),
        )
        wait_until("it fails", lambda: "profiles are kept as they are" in operator.log)
        self.assertNotIn("s3cret", operator.log)
        self.assertNotIn("s3cret", operator.get("/metrics")[1])
        self.assertNotIn("s3cret", self.announced() or "")

    def test_what_cannot_be_right_stops_the_start(self):
        token = f"{self.folder}/token"
        with open(token, "w", encoding="utf-8") as file:
            file.write("t\n")
        for arguments, said in (
            (("--prometheus-address", "ftp://x"), "PROMETHEUS_ADDRESS"),
            (
                ("--prometheus-address", "http://192.0.2.1", "--prometheus-token-file", token),
                "PROMETHEUS_ADDRESS: a token or a password would go to http://192.0.2.1 in the clear",
            ),
            (("--classify-min-confidence", "0.4"), "classify-min-confidence: 0.4 is below 0.5"),
            (("--classify-metrics-window", "1ms"), "classify-metrics-window: 1ms is below 1s"),
        ):
            with self.subTest(arguments):
                operator = self.start(*arguments)
                wait_until("the end", lambda: operator.process.poll() is not None)
                self.assertIn(operator.process.poll(), (1, 2))
                self.assertIn(said, operator.log)
