# SPDX-License-Identifier: Apache-2.0
"""What joulie-scheduler promises to kube-scheduler, over the embedded API server.

Rules: docs/rules/extender.md, docs/rules/placement.md.
"""

import json
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import quote

from checkout import ROOT

sys.path.insert(0, str(ROOT / "tests" / "programs" / "scheduler"))

from stage import (  # noqa: E402
    SCHEDULER,
    Connection,
    Stage,
    free_port,
    hardware,
    node,
    pod,
    twin,
    wait_until,
)

ECO = "joulie: performance pod rejected from eco/draining node"
LABEL = "joulie: performance pod rejected from eco node (label fallback)"
NO_DATA = "joulie: no data of the cluster has arrived yet"


class Answers(Stage):
    def test_filter_and_prioritize_answer_from_what_is_watched(self):
        api = self.two_nodes()
        scheduler = self.ready(api)
        names = ["perf-1", "eco-1", "new"]
        self.assertEqual(
            scheduler.filter(pod("performance"), names),
            {"NodeNames": ["perf-1", "new"], "FailedAndUnresolvableNodes": {"eco-1": ECO}},
        )
        self.assertEqual(scheduler.filter(pod(), names), {"NodeNames": names})
        # marginal 105 W: headroom 59.5; eco +10, performance -0.3·30; unknown: 25
        self.assertEqual(scheduler.prioritize(pod(), names), {"perf-1": 4, "eco-1": 6, "new": 3})
        api.put(twin("eco-1", "performance"))
        wait_until(
            "the change of class",
            lambda: scheduler.filter(pod("performance"), ["eco-1"]) == {"NodeNames": ["eco-1"]},
        )
        api.delete("NodeTwin", "eco-1")
        wait_until(
            "the label",
            lambda: scheduler.filter(pod("performance"), ["eco-1"])
            == {"NodeNames": [], "FailedAndUnresolvableNodes": {"eco-1": LABEL}},
        )

    def test_by_efficiency_a_pod_counts_where_it_was_bound(self):
        api = self.api()
        for name in ("a", "b"):
            api.put(node(name))
            api.put(hardware(name))
        profile = self.here / "scoring.json"
        profile.write_text('{"profileName": "efficiency"}')
        scheduler = self.ready(api, "--scoring-profile", str(profile))
        by_word = self.ready(api, "--scoring-profile", "efficiency")
        self.assertEqual(by_word.prioritize(pod(), ["b", "new"]), {"b": 10, "new": 0})
        self.assertEqual(scheduler.prioritize(pod(), ["b", "a", "new"]), {"b": 10, "a": 10, "new": 0})
        # 67 W to wake a node, and none on one that is awake
        bound = pod()
        bound["apiVersion"], bound["kind"] = "v1", "Pod"
        bound["spec"]["nodeName"] = "b"
        api.put(bound)
        wait_until(
            "the binding",
            lambda: scheduler.prioritize(pod(), ["b", "a", "new"]) == {"b": 10, "a": 0, "new": 0},
        )
        api.delete("Pod", "p")
        wait_until(
            "the end of the pod", lambda: scheduler.prioritize(pod(), ["b", "a"]) == {"b": 10, "a": 10}
        )

    def test_full_nodes_go_back_byte_for_byte(self):
        scheduler = self.ready(self.two_nodes())
        kept = b'{ "metadata":{"name":"perf-1"},"status":{"x":1.50, "y":[ ]} }'
        body = b'{"Pod":%s,"Nodes":{"metadata":{},"items":[%s,{"metadata":{"name":"eco-1"}}]}}' % (
            json.dumps(pod("performance")).encode(),
            kept,
        )
        status, text = scheduler.ask("filter", body)
        self.assertEqual(status, 200)
        self.assertIn(b'"items":[' + kept + b"]", text)

    def test_scores_up_to_a_hundred_are_an_option(self):
        scheduler = self.ready(self.two_nodes(), "--score-range", "100")
        self.assertEqual(scheduler.prioritize(pod(), ["perf-1"]), {"perf-1": 44})

    def test_the_heartbeat_keeps_old_twins_fresh(self):
        api = self.api()
        api.put(node("n", "eco"))
        api.put(twin("n", "performance", age_s=900))
        scheduler = self.ready(api)
        self.assertEqual(scheduler.filter(pod("performance"), ["n"])["NodeNames"], [])
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "joulie-heartbeat", "namespace": "joulie-system"},
            "spec": {"holderIdentity": "o", "renewTime": twin("n", "eco")["status"]["lastUpdated"]},
        }
        lease["spec"]["renewTime"] = lease["spec"]["renewTime"].replace("Z", ".000000Z")
        api.call("POST", "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases", lease)
        wait_until(
            "the heartbeat",
            lambda: scheduler.filter(pod("performance"), ["n"]) == {"NodeNames": ["n"]},
        )


class ScoringFiles(Stage):
    def setUp(self):
        super().setUp()
        self.file = self.here / "scoring.yaml"

    def write(self, text):
        """As a person does, and as a ConfigMap is replaced."""
        new = self.here / "new"
        new.write_text(text)
        new.rename(self.file)

    def scores(self, server):
        return server.prioritize(pod(), ["perf-1", "eco-1"])

    def test_a_profile_is_followed_when_its_file_changes(self):
        self.write("version: 1\n")
        server = self.ready(self.two_nodes(), "--scoring-profile", str(self.file))
        self.assertEqual(self.scores(server), {"perf-1": 4, "eco-1": 6})
        info = r'scoring_profile_info{rules="current",source=".*scoring.yaml",digest="([0-9a-f]{16})"} 1\n'
        before = re.search(info, server.metrics())
        # without bonus and pressure 0.7·59.5 + 0.15·80 on both
        self.write("ecoPoints: 0\npressureWeight: 0\n")
        wait_until("the change", lambda: self.scores(server) == {"perf-1": 5, "eco-1": 5})
        after = re.search(info, server.metrics())
        self.assertNotEqual(before[1], after[1])
        self.assertIn("joulie_scheduler_scoring_reloads_total 1\n", server.metrics())
        self.write("")
        wait_until("the defaults", lambda: self.scores(server) == {"perf-1": 4, "eco-1": 6})
        self.assertEqual(re.search(info, server.metrics())[1], before[1])

    def test_a_bad_profile_is_reported_with_its_line_and_the_old_one_stays(self):
        self.write("ecoPoints: 0\npressureWeight: 0\n")
        server = self.ready(self.two_nodes(), "--scoring-profile", str(self.file), DEBUG_SCORING="true")
        for text, why in (
            ("version: 1\necoPoints: 101\n", "scoring.yaml:2: ecoPoints: 101 is above 100"),
            ("profileName: efficiency\n", "profileName: the rules of a model that holds objects stay current"),
        ):
            self.write(text)
            server.logged(f"({why}; the profile from before stays in force)")
            self.assertEqual(self.scores(server), {"perf-1": 5, "eco-1": 5})
        self.file.unlink()
        server.logged("(No such file or directory; the profile from before stays in force)")
        self.assertIn("joulie_scheduler_scoring_reload_failures_total 3\n", server.metrics())
        debug = json.loads(server.connection.ask("GET", "/debug/scoring")[1])
        self.assertEqual((debug["scoring"]["ecoPoints"], debug["scoring"]["headroomWeight"]), (0, 0.7))
        self.write("ecoPoints: 0\npressureWeight: 0\n")
        server.logged("(was read anew and is in force)")

    def test_scores_may_be_spread_by_rank(self):
        self.write("spread: rank\n")
        server = self.ready(self.two_nodes(), "--scoring-profile", str(self.file))
        self.assertEqual(
            server.prioritize(pod(), ["perf-1", "eco-1", "new"]), {"perf-1": 0, "eco-1": 10, "new": 0}
        )

    def test_a_profile_that_cannot_be_used_stops_the_start(self):
        self.write("version: 1\necoPoint: 1\n")
        for value, why in (
            (str(self.file), f"SCORING_PROFILE: {self.file}:2: ecoPoint: "),
            ("efficency", "efficency: No such file or directory; words are current, v0.1.1, legacy and efficiency"),
        ):
            done = subprocess.run(
                [SCHEDULER, "--server", "http://127.0.0.1:1", "--extender-addr=127.0.0.1:0",
                 "--metrics-addr=127.0.0.1:0", "--scoring-profile", value],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
            )  # fmt: skip
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(why, done.stderr)


class ShortReplies(Stage):
    def test_what_changes_no_decision_is_left_out(self):
        server = self.ready(self.two_nodes(), SHORT_REPLIES="true")
        names = ["eco-1", "perf-1"]
        self.assertEqual(server.filter(pod("performance"), names), {"NodeNames": ["perf-1"]})
        self.assertEqual(list(server.filter(pod("performance"), names[:1])["FailedAndUnresolvableNodes"]), names[:1])
        self.assertEqual(server.prioritize(pod(), names), {"eco-1": 2})  # 6 and 4
        self.assertIn('joulie_scheduler_rejections_total{reason="eco"} 2\n', server.metrics())


class Refusals(Stage):
    def setUp(self):
        super().setUp()
        self.scheduler_ = self.ready(self.two_nodes(), "--max-body-bytes", "100000")

    def test_other_methods_types_paths_and_sizes_are_refused(self):
        connection = self.scheduler_.connection
        good = {"Pod": pod(), "NodeNames": ["a"]}
        self.assertEqual(connection.ask("GET", "/filter")[0], 405)
        self.assertEqual(connection.ask("PUT", "/prioritize", good)[0], 405)
        self.assertEqual(connection.ask("POST", "/filter", good, "text/plain")[0], 415)
        self.assertEqual(connection.ask("POST", "/filter", good, None)[0], 415)
        self.assertEqual(
            connection.ask("POST", "/filter", good, "Application/JSON; charset=utf-8")[0], 200
        )
        self.assertEqual(connection.ask("POST", "/bind", good)[0], 404)
        self.assertEqual(connection.ask("GET", "/debug/scoring")[0], 404)
        self.assertEqual(connection.ask("GET", "/metrics")[0], 404)
        self.assertEqual(connection.ask("GET", "/healthz")[0], 200)
        connection.close()
        large = Connection(self.scheduler_.port)
        self.addCleanup(large.close)
        self.assertEqual(large.ask("POST", "/filter", b" " * 100001)[0], 413)

    def test_what_is_no_request_is_reported_with_its_place(self):
        for body in (b"", b"hello", b"{", b"[]", b'{"Pod":{},"NodeNames":["\xff"]}', b"\xff\xfe"):
            status, text = self.scheduler_.ask("filter", body)
            self.assertEqual(status, 400, body)
            self.assertTrue(text.startswith(b"decode error: "), text)
        text = self.scheduler_.ask("filter", {"Pod": {}, "NodeNames": ["a", 7]})[1]
        self.assertIn(b"NodeNames[1]", text)
        self.assertRegex(
            self.scheduler_.metrics(),
            r'(?m)^joulie_scheduler_bad_requests_total\{code="400"\} 7$',
        )


class FailPolicies(Stage):
    def setUp(self):
        super().setUp()
        self.nobody = f"http://127.0.0.1:{free_port()}"

    def test_without_data_the_last_known_is_an_error(self):
        for policy in ("last-known", "closed"):
            scheduler = self.scheduler(self.nobody, FAIL_POLICY=policy)
            self.assertFalse(scheduler.is_ready())
            self.assertEqual(scheduler.filter(pod("performance"), ["a"]), {"Error": NO_DATA})
            self.assertEqual(scheduler.prioritize(pod(), ["a", "b"]), {"a": 3, "b": 3})

    def test_without_data_an_open_one_lets_pass(self):
        scheduler = self.scheduler(self.nobody, "--fail-policy", "open")
        self.assertEqual(scheduler.filter(pod("performance"), ["a"]), {"NodeNames": ["a"]})
        self.assertFalse(scheduler.is_ready())

    def test_when_the_server_is_gone_the_last_data_is_used_by_its_age(self):
        api = self.two_nodes()
        api.put(node("old", "eco"))
        api.put(twin("old", "eco", age_s=290 + 1500))  # rejects for ten more seconds
        scheduler = self.ready(api, "--twin-staleness-threshold", "3s")
        self.assertEqual(
            scheduler.filter(pod("performance"), ["eco-1", "old"])["FailedAndUnresolvableNodes"],
            {"eco-1": ECO, "old": ECO},
        )
        api.end(signal.SIGKILL)
        wait_until("not ready", lambda: not scheduler.is_ready())
        status, text = scheduler.metrics_connection.ask("GET", "/readyz")
        self.assertEqual(status, 500)
        self.assertIn(b"[-]data-age failed", text)
        # eco-1 is stale by now, and within the grace
        answer = scheduler.filter(pod("performance"), ["eco-1", "perf-1"])
        self.assertEqual(answer["FailedAndUnresolvableNodes"], {"eco-1": ECO})
        self.assertEqual(scheduler.metrics_connection.ask("GET", "/livez")[0], 200)

    def test_it_is_ready_again_when_the_server_returns(self):
        api = self.two_nodes()
        scheduler = self.ready(api, "--twin-staleness-threshold", "2s")
        api.process.send_signal(signal.SIGSTOP)
        wait_until("not ready", lambda: not scheduler.is_ready())
        self.assertEqual(scheduler.filter(pod(), ["eco-1"]), {"NodeNames": ["eco-1"]})
        api.process.send_signal(signal.SIGCONT)
        wait_until("ready", scheduler.is_ready)
        api.put(twin("eco-1", "performance"))
        wait_until(
            "a change",
            lambda: scheduler.filter(pod("performance"), ["eco-1"]) == {"NodeNames": ["eco-1"]},
        )


class Life(Stage):
    def test_it_has_one_thread(self):
        scheduler = self.ready(self.two_nodes())
        scheduler.filter(pod(), ["a"])
        scheduler.metrics()
        self.assertEqual(len(os.listdir(f"/proc/{scheduler.process.pid}/task")), 1)

    def test_killed_and_started_again_it_answers_the_same(self):
        api = self.two_nodes()
        names = ["eco-1", "perf-1", "x"]
        scheduler = self.ready(api)
        before = (scheduler.filter(pod("performance"), names), scheduler.prioritize(pod(), names))
        for _ in range(3):
            scheduler.end(signal.SIGKILL)
            scheduler = self.ready(api, addr=f"127.0.0.1:{scheduler.port}")
            after = scheduler.filter(pod("performance"), names), scheduler.prioritize(pod(), names)
            self.assertEqual(after, before)

    def test_a_signal_waits_for_requests_that_are_on_their_way(self):
        scheduler = self.ready(self.two_nodes())
        body = json.dumps({"Pod": pod(), "NodeNames": ["a"]}).encode()
        head = b"POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", scheduler.port)) as client:
            client.settimeout(60)
            client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:10])
            wait_until("the request", lambda: b"1" in self.open_connections(scheduler))
            scheduler.process.send_signal(signal.SIGTERM)
            wait_until("not ready", lambda: not scheduler.is_ready())
            client.sendall(body[10:])
            self.assertIn(b"200 OK", client.recv(65536))
        self.assertEqual(scheduler.process.wait(60), 0)

    def open_connections(self, scheduler):
        found = re.search(r"(?m)^joulie_scheduler_connections (\d+)$", scheduler.metrics())
        return found.group(1).encode() if found else b""

    def test_it_does_not_grow(self):
        # what the sanitizers keep of freed memory is no growth
        scheduler = self.ready(self.two_nodes(), ASAN_OPTIONS="quarantine_size_mb=1")
        body = json.dumps({"Pod": pod(), "NodeNames": [f"n{i}" for i in range(2000)]}).encode()

        def facts():
            files = len(os.listdir(f"/proc/{scheduler.process.pid}/fd"))
            status = Path(f"/proc/{scheduler.process.pid}/status").read_text()
            return files, int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

        for _ in range(300):
            scheduler.ask("filter", body)
        files, rss_kib = facts()
        for _ in range(3000):
            scheduler.ask("prioritize", body)
        self.assertLessEqual(facts()[0], files)
        self.assertLess(facts()[1], rss_kib + 8192)


class Hostile(Stage):
    """Clients that cost little must stay cheap: a good one is answered all the time."""

    def setUp(self):
        super().setUp()
        self.server = self.ready(self.two_nodes(), "--request-timeout", "3s", **self.settings())
        self.clients = []
        self.addCleanup(lambda: [client.close() for client in self.clients])

    def settings(self):
        return {}

    def wrap(self, client):
        """Where it speaks TLS: after its handshake."""
        return client

    def stranger(self, text=b""):
        """Of whom nothing is known yet."""
        client = socket.create_connection(("127.0.0.1", self.server.port), timeout=30)
        client.sendall(text)
        self.clients.append(client)
        return client

    def client(self, text=b""):
        client = self.wrap(self.stranger())
        client.sendall(text)
        self.clients.append(client)
        return client

    def check_good(self):
        self.assertEqual(
            self.server.filter(pod("performance"), ["eco-1", "perf-1"])["NodeNames"], ["perf-1"]
        )
        fresh = Connection(self.server.port, self.settings().get("tls"))
        self.assertEqual(fresh.ask("GET", "/healthz")[0], 200)
        fresh.close()

    def is_cut(self, client):
        client.setblocking(False)
        try:
            return client.recv(65536) == b""
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True

    def test_slow_headers_and_half_bodies_are_cut(self):
        slow = [self.client(b"POST /filter HTTP/1.1\r\nHost: localhost\r\nX-") for _ in range(100)]
        head = b"POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        half = [self.client(head + b"Content-Length: 100\r\n\r\n{") for _ in range(100)]
        self.check_good()
        for client in slow + half:
            wait_until("cut", lambda: self.is_cut(client))
        self.check_good()

    def test_a_gigabyte_is_refused_and_takes_no_memory(self):
        head = b"POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        before_kib = self.memory_kib()
        clients = [self.client(head + b"Content-Length: 1073741824\r\n\r\n{") for _ in range(20)]
        huge = self.client(head + b"Content-Length: 1099511627776\r\n\r\n{")
        self.assertIn(b" 413 ", huge.recv(65536))
        self.check_good()
        self.assertLess(self.memory_kib(), before_kib + 65536)
        for client in clients:  # nothing more of it comes
            wait_until("cut", lambda: self.is_cut(client))
        self.check_good()

    def memory_kib(self):
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def test_two_thousand_connections_do_not_keep_a_good_one_out(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 2600:
            self.skipTest("not enough descriptors")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2600), hard))
        for i in range(2000):
            self.stranger(b"POST /filter HTTP/1.1\r\n" if i % 2 else b"")
            if i % 250 == 0:
                self.check_good()
        self.check_good()

    def test_garbage_is_refused(self):
        for text in (
            b"\x00" * 100,
            b"GET / HTTP/9.9\r\n\r\n",
            b"POST /filter HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"POST /filter HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"POST /%ff%00 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
        ):
            self.client(text)
            self.stranger(text)
        head = b"POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        bad = self.client(head + b"Content-Length: 4\r\n\r\n\xff\xfe{}")
        self.assertIn(b" 400 ", bad.recv(65536))
        self.check_good()

    def test_clients_that_leave_in_the_middle_leave_nothing(self):
        names = [f"node-{i}" for i in range(5000)]
        body = json.dumps({"Pod": pod(), "NodeNames": names}).encode()
        head = b"POST /prioritize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for i in range(50):
            client = self.client(head + b"Content-Length: %d\r\n\r\n" % len(body))
            client.sendall(body[: len(body) // (1 + i % 3)])
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()  # a reset
        self.check_good()
        wait_until(
            "the last connection",
            lambda: len(os.listdir(f"/proc/{self.server.process.pid}/fd")) < 40,
        )


class Metrics(Stage):
    def test_requests_rejections_and_nodes_are_counted(self):
        api = self.two_nodes()
        scheduler = self.ready(api)
        scheduler.filter(pod("performance"), ["eco-1", "perf-1"])
        scheduler.filter(pod("Batch"), ["eco-1"])
        scheduler.prioritize(pod(), ["eco-1", "perf-1"])
        scheduler.prioritize(pod("Batch"), ["eco-1"])  # the same pod: its annotation counts once
        text = scheduler.metrics()
        for line in (
            'joulie_scheduler_filter_requests_total{workload_class="performance"} 1',
            'joulie_scheduler_filter_requests_total{workload_class="other"} 1',
            'joulie_scheduler_prioritize_requests_total{workload_class="standard"} 1',
            'joulie_scheduler_filter_duration_seconds_count{workload_class="performance"} 1',
            'joulie_scheduler_rejections_total{reason="eco"} 1',
            'joulie_scheduler_stale_twin_data{node="eco-1"} 0',
            'joulie_scheduler_node_headroom_score{node="perf-1"} 59.5',
            'joulie_invalid_annotations_total{component="joulie-scheduler",'
            'key="joulie.io/workload-class"} 1',
        ):
            self.assertIn(line + "\n", text)
        score = re.search(
            r'joulie_scheduler_final_node_score\{node="perf-1",workload_class="standard"\} (\S+)',
            text,
        )
        self.assertAlmostEqual(float(score.group(1)), 0.7 * 59.5 + 12 - 9)
        self.assertRegex(text, r'joulie_data_age_seconds\{component="joulie-scheduler"')
        self.assertRegex(text, r'joulie_kube_requests_total\{component="joulie-scheduler"')
        api.delete("Node", "eco-1")
        wait_until("no series of it", lambda: 'node="eco-1"' not in scheduler.metrics())

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_reads_them(self):
        scheduler = self.ready(self.two_nodes())
        scheduler.prioritize(pod(), ["eco-1"])
        done = subprocess.run(
            ["promtool", "check", "metrics"],
            input=scheduler.metrics(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)


class Debugging(Stage):
    def test_every_term_is_reported_when_it_is_switched_on(self):
        scheduler = self.ready(self.two_nodes(), DEBUG_SCORING="true")
        status, text = scheduler.connection.ask("GET", "/debug/scoring")
        self.assertEqual(status, 200)
        answer = json.loads(text)
        self.assertEqual(answer["coefficients"]["CPUUtilCoeff"], 0.7)
        self.assertEqual([one["nodeName"] for one in answer["nodes"]], ["eco-1", "perf-1"])
        self.assertEqual(answer["nodes"][0]["baseScore"], 61)
        for ask in (
            lambda: scheduler.connection.ask(
                "GET", "/debug/scoring?pod=" + quote(json.dumps(pod()))
            ),
            lambda: scheduler.connection.ask("POST", "/debug/scoring", pod()),
        ):
            status, text = ask()
            self.assertEqual(status, 200, text)
            one = json.loads(text)["nodes"][1]
            terms = {key: value for key, value in one["terms"].items() if key != "marginalW"}
            self.assertAlmostEqual(sum(terms.values()), one["raw"])
        self.assertEqual(scheduler.connection.ask("DELETE", "/debug/scoring")[0], 405)
        self.assertEqual(scheduler.connection.ask("POST", "/debug/scoring", b"[")[0], 400)


class Options(unittest.TestCase):
    def run_it(self, *options, **environment):
        return subprocess.run(
            [SCHEDULER, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment},
            text=True,
            timeout=30,
            check=False,
        )

    def test_what_is_not_built_is_refused_by_its_name(self):
        for name, value in (
            ("TWIN_MAX_AGE", "long"),
            ("FAIL_POLICY", "shut"),
            ("SCORE_RANGE", "50"),
            ("EXTENDER_ADDR", "nowhere"),
            ("METRICS_ADDR", "nowhere"),
            ("POWER_PROFILE_LABEL", "a b"),
            ("MARGINAL_CPU_UTIL_COEFF", "much"),
        ):
            with self.subTest(name):
                done = self.run_it("--server", "http://127.0.0.1:1", **{name: value})
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(name, done.stderr)

    def test_help_version_and_manual_page(self):
        done = self.run_it("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--fail-policy WORD", done.stdout)
        self.assertRegex(self.run_it("--version").stdout, r"^joulie-scheduler \d")
        page = (ROOT / "docs" / "man" / "joulie-scheduler.1").read_text()
        self.assertEqual(
            self.run_it("--man").stdout,
            page,
            "joulie-scheduler --man >docs/man/joulie-scheduler.1",
        )

    def test_without_a_cluster_it_does_not_start(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_an_address_that_is_taken_is_fatal(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            for name in ("EXTENDER_ADDR", "METRICS_ADDR"):
                done = self.run_it(
                    "--server", "http://127.0.0.1:1", "--extender-addr=127.0.0.1:0",
                    "--metrics-addr=127.0.0.1:0", f"--{name.lower().replace('_', '-')}={address}"
                )  # fmt: skip
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(name, done.stderr)


class Logged(Stage):
    def test_what_has_no_effect_is_reported(self):
        api = self.api()
        scheduler = self.scheduler(api.url, CACHE_TTL="30s", ENABLE_EVICTION_HISTORY="false")
        scheduler.logged("CACHE_TTL has no effect: (the caches are fed by watches)")
        scheduler.logged("ENABLE_EVICTION_HISTORY has no effect (yet)")


if __name__ == "__main__":
    unittest.main()
