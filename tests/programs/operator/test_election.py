# SPDX-License-Identifier: Apache-2.0
"""Several joulie-operators of one cluster: one writes at a time (docs/rules/programs.md#leader-election)."""

import json
import os
import re
import signal
import unittest

from checkout import RELEASE
from embedded import EmbeddedApi
from faketime import Wall
from operator_fakes import merge
from test_operator import OPERATOR, Fleet, Operator, hardware, node
from waiting import DEADLINE_S, wait_until

LEASE = ("joulie-system", "joulie-operator")
QUICK = ("--lease-duration", "3s", "--lease-renew-deadline", "2s", "--lease-retry-period", "1s")
# so long that within a test nobody takes over from one who is gone
PATIENT = ("--lease-duration", "1h", "--lease-renew-deadline", "59m", "--lease-retry-period", "1s")


class Pair(Fleet):
    """Operators that come by doors of their own."""

    def setUp(self):
        super().setUp()
        self.closed = set()  # doors behind which there is no server any more
        self.scripts = []
        self.api.answer = self.script

    def script(self, request):
        if request.door in self.closed:
            return 0, lambda handler: None  # the connection ends without an answer
        for script in self.scripts:
            answer = script(request)
            if answer:
                return answer
        return None

    def start_at(self, door, *arguments, times=QUICK, env=None, program=OPERATOR):
        return Operator(
            self,
            *("--server", self.api.open_door(door), "--reconcile-interval", "100ms"),
            *("--heartbeat-interval", "100ms", "--kube-client-qps", "0", *times),
            *arguments,
            env=env,
            program=program,
        )

    def lease(self):
        found = self.api.objects["leases"].get(LEASE)
        return found["spec"] if found else {}

    def wait_leader(self, operator):
        wait_until(
            f"leading in:\n{operator.log}",
            lambda: operator.metrics().get('joulie_leader{component="joulie-operator"}') == 1,
        )

    def wait_standby(self, operator):
        wait_until(f"standing by in:\n{operator.log}", lambda: " leads: standing by" in operator.log)
        self.assertEqual(operator.metrics()['joulie_leader{component="joulie-operator"}'], 0)

    def start_pair(self, times=QUICK, **options):
        """(leader, standby) by the doors a and b; they want different things."""
        self.add_nodes("n1", "n2", "n3", "n4")
        leader = self.start_at("a", "--static-hp-frac", "0.5", times=times, **options)
        self.wait_leader(leader)
        standby = self.start_at("b", "--static-hp-frac", "1", times=times, **options)
        self.wait_standby(standby)
        return leader, standby

    def written(self, door):
        """What it wrote or tried to, but for the Lease of the election."""
        return [
            r
            for r in self.api.requests
            if r.door == door and r.method != "GET" and r.name != LEASE[1] and not is_election(r)
        ]

    def classes(self):
        twins = self.api.objects["nodetwins"].values()
        return sorted(twin.get("status", {}).get("schedulableClass", "") for twin in twins)

    def check_intervals(self):
        """Nobody wrote again after another one had."""
        with self.api.changed:
            doors = [r.door for r in self.api.requests if r.method != "GET" and not is_election(r)]
        turns = [door for i, door in enumerate(doors) if i == 0 or doors[i - 1] != door]
        self.assertEqual(turns, sorted(turns))
        return turns


def is_election(request):
    if request.plural != "leases":
        return False
    return LEASE[1] in (request.name, ((request.body or {}).get("metadata") or {}).get("name"))


class Election(Pair):
    def test_one_writes_and_the_other_is_ready(self):
        leader, standby = self.start_pair()
        self.api.wait(lambda: self.classes() == ["eco"] * 2 + ["performance"] * 2)
        wait_until("ready", lambda: standby.get("/readyz")[0] == 200)
        leader.wait_steps(20)
        self.assertEqual(self.written("b"), [])
        self.assertEqual(standby.steps(), 0)
        self.assertEqual(standby.get("/livez")[0], 200)
        lease = self.lease()
        host = re.escape(os.uname().nodename)
        self.assertRegex(lease["holderIdentity"], rf"^{host}_[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-")
        self.assertIn(f"leading as {lease['holderIdentity']}", leader.log)
        self.assertIn(f"{lease['holderIdentity']} leads: standing by", standby.log)
        self.assertEqual(lease["leaseTransitions"], 0)
        self.assertEqual(lease["leaseDurationSeconds"], 3)
        self.assertRegex(lease["renewTime"], r"\.\d{6}Z$")

    def test_one_that_ends_gives_the_lease_back_and_is_followed_at_once(self):
        leader, standby = self.start_pair(times=PATIENT)
        self.assertEqual(leader.finish(), 0)
        self.wait_leader(standby)
        self.api.wait(lambda: self.classes() == ["performance"] * 4)
        self.assertEqual(self.lease()["leaseTransitions"], 1)
        self.assertEqual(self.check_intervals(), ["a", "b"])
        released = [
            r.body["spec"]
            for r in self.api.requests
            if is_election(r) and r.method == "PATCH" and not r.body["spec"]["holderIdentity"]
        ]
        self.assertEqual([spec["leaseDurationSeconds"] for spec in released], [1])
        writes = [r for r in self.api.requests if r.door == "a" and r.method != "GET"]
        self.assertTrue(is_election(writes[-1]), "the Lease is given back last of all")

    def test_one_that_is_killed_is_followed_when_its_time_is_over(self):
        leader, standby = self.start_pair()
        self.api.wait(lambda: self.classes() == ["eco"] * 2 + ["performance"] * 2)
        leader.process.kill()
        self.wait_leader(standby)
        self.api.wait(lambda: self.classes() == ["performance"] * 4)
        self.assertEqual(self.lease()["leaseTransitions"], 1)
        self.assertEqual(self.check_intervals(), ["a", "b"])

    def test_one_that_is_cut_off_stops_before_another_begins(self):
        leader, standby = self.start_pair()
        begun = []
        self.api.wait(lambda: self.classes() == ["eco"] * 2 + ["performance"] * 2)
        with self.api.changed:
            self.closed.add("a")
        wait_until("a leader no more", lambda: "leading no more" in leader.log)
        self.assertEqual(leader.metrics()['joulie_leader{component="joulie-operator"}'], 0)
        self.wait_leader(standby)
        self.api.wait(lambda: self.classes() == ["performance"] * 4)
        with self.api.changed:
            self.closed.clear()
            begun = len(self.api.requests)
        wait_until("standing by", lambda: " leads: standing by" in leader.log)
        standby.wait_steps(10)
        self.assertEqual([r for r in self.api.requests[begun:] if r in self.written("a")], [])
        wait_until("ready", lambda: leader.get("/readyz")[0] == 200)

    def test_without_a_server_nobody_leads_and_afterwards_one_does(self):
        leader, standby = self.start_pair()
        with self.api.changed:
            self.closed.update("ab")
        wait_until("a leader no more", lambda: "leading no more" in leader.log)
        with self.api.changed:
            self.closed.clear()
        both = (leader, standby)
        series = 'joulie_leader{component="joulie-operator"}'
        wait_until("one", lambda: sum(o.metrics()[series] for o in both) == 1, 2 * DEADLINE_S)
        self.api.wait(lambda: len(set(self.classes())) in (1, 2) and "" not in self.classes())

    def test_a_write_under_way_ends_with_the_lead(self):
        """What was sent is taken back as far as can be, and what waits is never sent."""
        self.add_nodes(*(f"n{i:02}" for i in range(60)))
        ends = []

        def hold(handler):
            handler.connection.settimeout(DEADLINE_S)
            try:
                ends.append(handler.connection.recv(1))
            except OSError as error:
                ends.append(type(error))
            with self.api.changed:
                self.api.changed.notify_all()

        def script(request):
            if request.method == "GET" or request.door != "a":
                return None
            if not is_election(request):
                return 0, hold
            return self.api.status(500, "InternalError") if self.written("a") else None

        self.scripts.append(script)
        leader = self.start_at("a")
        wait_until("a leader no more", lambda: "leading no more" in leader.log)
        with self.api.changed:
            count = len(self.written("a"))
        self.assertIn(count, (32, 33))  # of specs, and perhaps the heartbeat
        self.api.wait(lambda: len(ends) == count)
        self.assertEqual(set(ends), {ConnectionResetError})
        standby = self.start_at("b")
        self.wait_leader(standby)
        self.api.wait(lambda: len(self.classes()) == 60 and "" not in self.classes())
        self.assertEqual(self.check_intervals(), ["a", "b"])

    def test_one_that_was_stopped_and_goes_on_writes_nothing(self):
        for turn in range(3):
            leader, standby = self.start_pair() if turn == 0 else (standby, leader)
            leader.wait_steps(2)
            with self.api.changed:
                before = len(self.api.requests)
                os.kill(leader.process.pid, signal.SIGSTOP)
            self.wait_leader(standby)
            self.api.wait(lambda: len(set(self.classes())) > 0 and "" not in self.classes())
            with self.api.changed:
                stopped = {r.door for r in self.api.requests[before:] if not is_election(r)}
                at = len(self.api.requests)
            os.kill(leader.process.pid, signal.SIGCONT)
            count = turn // 2 + 1
            wait_until("noticed", lambda: leader.log.count("leading no more") >= count)
            standby.wait_steps(5)
            door = "a" if turn % 2 == 0 else "b"
            self.assertEqual(
                [r for r in self.api.requests[at:] if r in self.written(door)], [], stopped
            )

    def test_a_lease_that_is_deleted_or_emptied_does_not_end_a_leader(self):
        leader, standby = self.start_pair()
        me = self.lease()["holderIdentity"]
        self.api.delete("leases", LEASE[1], LEASE[0])
        self.api.wait(lambda: self.lease().get("holderIdentity") == me)
        self.api.patch("leases", LEASE[1], {"metadata": {"labels": {"x": "y"}}}, LEASE[0])
        before = self.lease()["renewTime"]
        self.api.wait(lambda: self.lease()["renewTime"] != before)
        self.assertEqual(self.api.objects["leases"][LEASE]["metadata"]["labels"], {"x": "y"})
        self.assertNotIn("leading no more", leader.log)
        self.assertEqual(self.written("b"), [])
        self.assertNotIn("leading as", standby.log)

    def test_a_lease_that_somebody_gives_to_another_ends_a_leader_at_once(self):
        leader, standby = self.start_pair(times=PATIENT)
        with self.api.changed:
            self.api.patch("leases", LEASE[1], {"spec": {"holderIdentity": "nobody"}}, LEASE[0])
        wait_until("a leader no more", lambda: "leading no more" in leader.log)
        wait_until("both know", lambda: "nobody leads: standing by" in standby.log)

    def test_it_may_not_use_the_lease_and_says_so(self):
        refused = [True]

        def script(request):
            if is_election(request) and request.method != "GET" and refused[0]:
                return self.api.status(403, "Forbidden", "no, you may not")
            return None

        self.add_nodes("n1")
        self.scripts.append(script)
        operator = self.start_at("a")
        wait_until("said", lambda: "cannot be written: 403 no, you may not" in operator.log)
        wait_until("red", lambda: operator.get("/readyz?verbose")[1].count("[-]lease") == 1)
        self.assertEqual(self.written("a"), [])
        refused[0] = False
        self.wait_leader(operator)
        wait_until("green", lambda: operator.get("/readyz")[0] == 200)

    def test_it_is_not_asked_for_without_need(self):
        self.add_nodes("n1")
        self.start_at("off", "--leader-elect", "false")
        self.wait_twin("n1", lambda twin: "status" in twin)
        dry = self.start_at("dry", "--dry-run")
        dry.wait_steps(2)
        asked = [r for r in self.api.requests if is_election(r) or r.name == LEASE[1]]
        self.assertEqual(asked, [])

    def test_times_that_do_not_fit_stop_the_start(self):
        for option, text in (
            ("LEASE_DURATION", "--lease-duration=10s"),
            ("LEASE_DURATION", "--lease-duration=10999ms"),
            ("LEASE_RENEW_DEADLINE", "--lease-renew-deadline=2400ms"),
            ("LEASE_RETRY_PERIOD", "--lease-retry-period=999ms"),
        ):
            operator = self.start_at("a", text, times=())
            self.assertEqual(operator.process.wait(DEADLINE_S), 2, operator.log)
            self.assertIn(option, operator.log.upper().replace("-", "_"))


class Clocks(Pair):
    def test_wrong_clocks_and_steps_change_no_leader(self):
        self.add_nodes("n1", "n2")
        walls = {}
        both = []
        program = str(RELEASE / "bin" / "joulie-operator")
        for door in "ab":
            folder = type(RELEASE)(self.folder) / door
            folder.mkdir()
            walls[door] = Wall(folder)
            both.append(self.start_at(door, env=walls[door].env, program=program))
            if door == "a":
                self.wait_leader(both[0])
        self.wait_standby(both[1])
        me = self.lease()["holderIdentity"]
        for moves in (("-1h", "+0"), ("+0", "+10d"), ("+10d", "-1h"), ("+0", "+0")):
            for door, move in zip("ab", moves):
                walls[door].move(move)
            for _ in range(2):
                before = self.lease()["renewTime"]
                self.api.wait(lambda: self.lease()["renewTime"] != before)
        self.assertEqual(self.lease()["holderIdentity"], me)
        self.assertEqual(self.lease()["leaseTransitions"], 0)
        self.assertEqual(self.written("b"), [])
        self.assertNotIn("leading no more", both[0].log)


class Embedded(unittest.TestCase):
    """The same over the embedded API server, which checks versions itself."""

    def setUp(self):
        Fleet.setUp(self)
        self.kubeconfig = f"{self.folder}/kubeconfig"
        self.server = EmbeddedApi(self, self.kubeconfig)

    def start(self, times):
        return Operator(
            self,
            *("--kubeconfig", self.kubeconfig, "--reconcile-interval", "100ms", *times),
        )

    def lease(self):
        path = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases/joulie-operator"
        return json.loads(self.server.ask(path))["spec"]

    def test_release_and_kill(self):
        for name in ("n1", "n2"):
            self.server.put("v1", "Node", node(name))
            self.server.put("joulie.io/v1alpha1", "NodeHardware", hardware(name))
        operators = []
        for _ in range(3):
            operators.append(self.start(QUICK))
            wait_until("started", lambda: re.search("leading|leads", operators[-1].log))

        def leader():
            return next((o for o in operators if "leading as" in o.log), None)

        first = leader()
        operators.remove(first)
        self.assertEqual(first.finish(), 0)
        second = wait_until("the second", leader)
        operators.remove(second)
        self.assertEqual(self.lease()["leaseTransitions"], 1)
        second.process.kill()
        third = wait_until("the third", leader)
        self.assertIn(self.lease()["holderIdentity"], third.log)
        self.assertEqual(self.lease()["leaseTransitions"], 2)
        third.wait_steps(2)


if __name__ == "__main__":
    unittest.main()
