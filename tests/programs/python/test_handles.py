# SPDX-License-Identifier: Apache-2.0
"""Cluster, Agent, Object and the external Simulation: what they hand over, and how they end."""

import array
import ctypes
import gc
import json
import sys
import tempfile
import threading
import unittest
import weakref
from pathlib import Path

from checkout import ROOT, use_package

use_package()
import joulie  # noqa: E402
from joulie import _library, abi  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))
import hosts  # noqa: E402

NOW_MS = 1_773_403_200_000  # 2026-03-13T12:00:00Z
KEPLER = joulie.PowerSource.KEPLER


def node(name, **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def hardware(name, max_w=350):
    return {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeHardware",
        "metadata": {"name": name},
        "spec": {"nodeName": name},
        "status": {
            "cpu": {"sockets": 2, "totalCores": 64, "capRange": {"maxWattsPerSocket": max_w}},
            "gpu": {"present": False},
        },
    }


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "p",
        "namespace": "default",
        "annotations": {"joulie.io/workload-class": "performance"},
    },
    "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]},
}


class OfCluster(unittest.TestCase):
    def setUp(self):
        self.cluster = joulie.Cluster({"policy": {"type": "static_partition", "staticHpFrac": 0.5}})
        self.addCleanup(self.cluster.close)
        for name in ("n1", "n2"):
            self.cluster.put_object(node(name))
            self.cluster.put_object(json.dumps(hardware(name)))
            self.cluster.sample(name, NOW_MS, node_power_w=350, cpu_util_pct=40, source=KEPLER)

    def test_a_step_writes_until_everything_is_stored(self):
        actions = self.cluster.step(NOW_MS)
        self.assertEqual({action.node_name for action in actions}, {"n1", "n2"})
        self.assertEqual(actions[0].verb, joulie.ActionVerb.CREATE)
        self.assertEqual(self.cluster.body(actions[0])["spec"]["nodeName"], "n1")
        for action in actions:
            self.cluster.done(action)
        self.assertEqual(self.cluster.step(NOW_MS), [])

    def test_what_failed_is_offered_again(self):
        actions = self.cluster.step(NOW_MS)
        for action in actions:
            self.cluster.done(action, joulie.ActionOutcome.FAILED)
        again = self.cluster.step(NOW_MS)
        self.assertEqual(
            [one._replace(id=0) for one in again], [one._replace(id=0) for one in actions]
        )
        with self.assertRaises(joulie.EnumError):
            self.cluster.done(again[0], 77)

    def test_nodes_have_numbers_and_what_is_unknown_is_none(self):
        before = self.cluster.node("n1")
        self.assertIsNone(before.headroom_score)
        for action in self.cluster.step(NOW_MS):
            self.cluster.done(action)
        nodes = self.cluster.nodes()
        self.assertEqual([one.name for one in nodes], ["n1", "n2"])
        self.assertEqual(
            {one.profile for one in nodes}, {joulie.Profile.PERFORMANCE, joulie.Profile.ECO}
        )
        by_cpu = {one.name: one for one in nodes}
        # 350 W of 2 x 350 W that the performance node may draw
        performance = next(one for one in nodes if one.profile == joulie.Profile.PERFORMANCE)
        self.assertEqual(performance.headroom_score, 50)
        self.assertEqual(self.cluster.node("n1"), by_cpu["n1"])
        self.assertIsNone(performance.gpu_density)
        self.assertEqual(self.cluster.totals().performance_nodes, 1)
        with self.assertRaises(joulie.NotFoundError):
            self.cluster.node("n3")

    def test_its_settings_are_those_given_and_every_default(self):
        with joulie.Cluster({"policy": {"type": "static_partition", "staticHpFrac": 0.25}}) as one:
            settings = one.settings()
        self.assertEqual(settings["policy"]["staticHpFrac"], 0.25)
        self.assertEqual(settings["rackCapacityW"], 50000)
        with joulie.Cluster(settings) as other:
            self.assertEqual(other.settings(), settings)

    def test_its_scoring_profile_can_be_another_one_later(self):
        with joulie.Cluster({"scoring": {"ecoPoints": 3}}) as one:
            one.set_scoring({"version": 1, "spread": "rank"})
            found = one.settings()["scoring"]
            self.assertEqual((found["spread"], found["ecoPoints"], found["headroomWeight"]), ("rank", 3, 0.7))
            with self.assertRaises(joulie.RangeError):
                one.set_scoring("ecoPoints: 101")
            self.assertEqual(one.settings()["scoring"], found)
            one.set_scoring(None)
            self.assertEqual(one.settings()["scoring"]["spread"], "none")

    def test_a_pod_is_filtered_scored_and_explained(self):
        for action in self.cluster.step(NOW_MS):
            self.cluster.done(action)
        eco = next(one.name for one in self.cluster.nodes() if one.profile == joulie.Profile.ECO)
        found = self.cluster.filter(POD, NOW_MS)
        self.assertEqual(list(found["failed"]), [eco])
        scores = self.cluster.score(POD, NOW_MS)
        self.assertEqual([one["node"] for one in scores], ["n1", "n2"])
        self.assertEqual(len(self.cluster.scoring(None, NOW_MS)["nodes"]), 2)
        self.assertIn("perfPressure", self.cluster.scoring(POD, NOW_MS))
        self.assertEqual(self.cluster.explain("n1")["scope"], "managed")
        body = {"Pod": POD, "NodeNames": ["n1", "n2"]}
        reply = self.cluster.extend(joulie.ExtenderVerb.FILTER, body, NOW_MS)
        self.assertEqual(list(json.loads(reply.reply)["FailedAndUnresolvableNodes"]), [eco])
        self.assertEqual(
            (reply.workload_class, reply.nodes, reply.rejected_eco), ("performance", 2, 1)
        )
        self.assertEqual(reply.invalid_annotations, abi.Invalid(0))
        short = self.cluster.extend(joulie.ExtenderVerb.FILTER, body, NOW_MS, short=True)
        self.assertEqual(list(json.loads(short.reply)), ["NodeNames"])

    def test_unknown_power_is_not_zero(self):
        self.cluster.sample("n1", NOW_MS + 1)
        self.cluster.sample("n2", NOW_MS + 1, node_power_w=0)
        self.cluster.facility(outside_temp_c=-10)
        self.cluster.set_wall(NOW_MS, NOW_MS)
        self.cluster.heartbeat(NOW_MS)
        for action in self.cluster.step(NOW_MS + 1):
            self.cluster.done(action)
        # only a reading is one: what n1 has is the idle power of a machine that runs nothing
        status = {name: self.cluster.explain(name)["status"] for name in ("n1", "n2")}
        self.assertEqual(status["n1"]["powerMeasurement"]["source"], "allocation")
        self.assertEqual(status["n1"]["powerMeasurement"]["measuredNodePowerW"], 140)
        self.assertNotEqual(status["n2"]["powerMeasurement"].get("source"), "allocation")
        self.assertEqual(status["n2"]["powerMeasurement"]["measuredNodePowerW"], 0)

    def test_a_step_is_due_early_for_work_that_waits(self):
        queue = joulie.Cluster({"policy": {"type": "queue_aware_v1"}})
        queue.put_object(node("n1"))
        queue.step(NOW_MS)
        self.assertIsNone(queue.early_step_ms(NOW_MS))
        queue.put_object(POD)
        self.assertEqual(queue.early_step_ms(NOW_MS), NOW_MS + 5000)

    def test_another_model_goes_on_from_what_was_saved(self):
        settings = {"policy": {"type": "queue_aware_v1", "queueHpBaseFrac": 0.5}}
        self.assertIsNone(self.cluster.save())
        with joulie.Cluster(settings) as one, joulie.Cluster(settings) as other:
            for cluster in (one, other):
                cluster.put_object(node("a", **{"joulie.io/managed": "true"}))
            one.step(NOW_MS)
            saved = one.save()
            self.assertEqual(json.loads(saved)["policy"], "queue_aware_v1")
            other.restore(saved, NOW_MS)
            self.assertEqual(other.save(), saved)
            with self.assertRaises(joulie.UnsupportedError):
                other.restore('{"version": 2}', NOW_MS)
            other.restore(None, NOW_MS)
            self.assertIsNone(other.save())

    def test_a_node_that_is_gone_takes_its_twin_along(self):
        for action in self.cluster.step(NOW_MS):
            self.cluster.done(action)
        self.cluster.remove("Node", "n2")
        verbs = [
            (one.verb, one.kind, self.cluster.body(one))
            for one in self.cluster.step(NOW_MS)
            if one.node_name == "n2"
        ]
        self.assertEqual(verbs, [(joulie.ActionVerb.DELETE, "NodeTwin", None)])
        self.cluster.remove("Pod", "nobody", "default")

    def test_errors_have_their_code_and_place(self):
        with self.assertRaises(joulie.UnsupportedError):
            self.cluster.put_object({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}})
        with self.assertRaises(joulie.NotFoundError):
            self.cluster.sample("n3", NOW_MS)
        with self.assertRaises(joulie.RangeError):
            self.cluster.sample("n1", NOW_MS, node_power_w=-1)
        with self.assertRaises(joulie.UnknownMemberError) as caught:
            joulie.Cluster({"nothing": 1})
        self.assertEqual(caught.exception.where, "nothing")


class OfMachines(unittest.TestCase):
    """The model without any object of Kubernetes."""

    def setUp(self):
        self.cluster = joulie.Cluster({"policy": {"type": "static_partition", "staticHpFrac": 0.5}})
        self.addCleanup(self.cluster.close)
        for name in ("m1", "m2"):
            self.cluster.put_machine(name, cpu_sockets=2, cpu_max_w=350, cpu_cores=64, rack="r1")
            self.cluster.sample(name, NOW_MS, node_power_w=350)

    def settle(self):
        actions = self.cluster.step(NOW_MS)
        for action in actions:
            self.cluster.done(action)
        return actions

    def test_decisions_are_numbers_of_the_nodes(self):
        actions = self.settle()
        self.assertEqual(
            {action.change for action in actions}, {joulie.Change.SPEC, joulie.Change.STATUS}
        )
        by_profile = {node.profile: node for node in self.cluster.nodes()}
        self.assertEqual(set(by_profile), {joulie.Profile.PERFORMANCE, joulie.Profile.ECO})
        eco = by_profile[joulie.Profile.ECO]
        self.assertEqual((eco.node_class, eco.node_power_w), (joulie.NodeClass.ECO, 350))
        self.assertEqual((eco.node_tdp_w, eco.rack_power_w), (700, 700))
        self.assertEqual(eco.node_capped_w, 700 * eco.cpu_cap_pct / 100)
        self.assertIsNone(eco.gpu_cap_pct)
        self.assertIsNone(eco.power_trend_w_per_min)

    def test_work_is_placed_as_columns_by_name(self):
        self.settle()
        eco = next(node.name for node in self.cluster.nodes() if node.profile == joulie.Profile.ECO)
        work = joulie.Work(cpu_cores=8, workload_class=joulie.WorkloadClass.PERFORMANCE)
        found = self.cluster.place(work, NOW_MS)
        self.assertEqual(found["name"], ["m1", "m2"])
        rejected = {name: reject for name, reject in zip(found["name"], found["reject"]) if reject}
        self.assertEqual(rejected, {eco: joulie.Reject.CLASS})
        self.assertIn("eco", joulie.reject_text(joulie.Reject.CLASS))
        self.assertIsNone(joulie.reject_text(joulie.Reject.NONE))
        score = array.array("i", [-1, -1])
        again = self.cluster.place(work, NOW_MS, out={"score": score})
        self.assertIs(again["score"], score)
        self.assertEqual(list(score), list(found["score"]))
        with self.assertRaisesRegex(ValueError, "score: 1 rows, where the others have 2"):
            self.cluster.place(work, NOW_MS, out={"score": array.array("i", [0])})
        self.assertEqual(joulie.Cluster().place(work, NOW_MS)["name"], [])

    def test_machines_are_switched_off_and_woken(self):
        minute = 60_000
        ready = {"booted_ms": NOW_MS - 90 * minute, "readiness": joulie.Readiness.READY}
        machine = {"cpu_model": "AMD EPYC 9654", "cpu_sockets": 2, "cpu_cores": 192}
        cluster = joulie.Cluster({"powerOff": {"reserveCores": 0, "reserveGpus": 0}})
        self.addCleanup(cluster.close)

        def settle(at_ms):
            for action in cluster.step(at_ms):
                cluster.done(action)
            return cluster.node("m")

        cluster.put_machine("m", **machine, **ready)
        self.assertEqual(settle(NOW_MS - 30 * minute).power_state, joulie.PowerState.ON)
        node = settle(NOW_MS)
        self.assertEqual(node.power_state, joulie.PowerState.STOPPING)
        self.assertEqual(node.power_since_ms, NOW_MS)
        self.assertEqual((node.power_reason, node.power_failures), ("idle", 0))
        self.assertEqual(cluster.commands(), [])
        self.assertEqual(settle(NOW_MS + minute).power_action, joulie.PowerAction.NONE)
        (command,) = cluster.commands()
        self.assertEqual(command[1:], (joulie.PowerCommand.SWITCH_OFF, "m", "idle"))
        cluster.command_done(command, joulie.ActionOutcome.FAILED)
        self.assertEqual(cluster.commands(), [])
        with self.assertRaises(joulie.NotFoundError):
            cluster.command_done(command)
        node = settle(NOW_MS + 2 * minute)
        self.assertEqual(node.power_state, joulie.PowerState.BOOTING)
        self.assertEqual((node.power_reason, node.power_failures), ("command-failed", 1))
        self.assertIsNone(cluster.node("m").rack_power_w)

        other = joulie.Cluster({"powerOff": {}})
        self.addCleanup(other.close)
        other.put_machine(
            "m", power_state=node.power_state, power_since_ms=node.power_since_ms, power_failures=1
        )
        self.assertEqual(other.node("m").power_failures, 1)
        other.step(NOW_MS + 3 * minute)
        self.assertEqual(other.commands()[0].command, joulie.PowerCommand.POWER_ON)

    def test_workloads_get_profiles(self):
        cluster = joulie.Cluster()
        self.addCleanup(cluster.close)
        labels = {"joulie.io/managed": "true"}
        cluster.put_object(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": labels}}
        )
        requests = {"containers": [{"name": "a", "resources": {"requests": {"cpu": "2"}}}]}
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "w-1", "uid": "r"}
        cluster.put_object(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": "w-1-a",
                    "namespace": "d",
                    "labels": {"pod-template-hash": "1"},
                    "ownerReferences": [{**owner, "controller": True}],
                },
                "spec": {"nodeName": "n", **requests},
                "status": {"phase": "Running"},
            }
        )
        queries = cluster.workload_queries(NOW_MS)
        self.assertEqual(queries[0].word, "cpu")
        for query in queries:
            metric = {"namespace": "d", "pod": "w-1-a"}
            values = {"cpu": "1.8", "coverage": "10"}
            found = [{"metric": metric, "value": [1, values[query.word]]}] if query.word in values else []
            cluster.workload_reply(
                query, {"status": "success", "data": {"resultType": "vector", "result": found}}
            )
        with self.assertRaises(joulie.ParseError):
            cluster.workload_reply(queries[3], {}, 503)
        cluster.workload_reply(
            queries[3], {"status": "success", "data": {"resultType": "vector", "result": []}}
        )
        (read,) = cluster.decide_workloads(NOW_MS).actions
        self.assertEqual(
            (read.verb, read.plural, read.name_space, read.name),
            (joulie.ActionVerb.READ, "replicasets", "d", "w-1"),
        )
        cluster.workload_done(read, joulie.ActionOutcome.FAILED)
        found = cluster.decide_workloads(NOW_MS)
        self.assertEqual((found.workloads, found.measured, found.profiles), (1, 1, 0))
        create, patch = found.actions
        self.assertEqual(create.name, "deployment-w")
        self.assertEqual(cluster.workload_body(patch)["status"]["confidence"], 0.5)
        cluster.workload_done(create, stored=cluster.workload_body(create))
        self.assertEqual(cluster.decide_workloads(NOW_MS).profiles, 1)

    def test_work_counts_where_it_runs(self):
        performance = joulie.WorkloadClass.PERFORMANCE
        self.cluster.put_work("waits", "queue", needs=joulie.Work(workload_class=performance))
        self.cluster.put_work("runs", "queue", node_names=["m1"], started_ms=NOW_MS)
        self.settle()
        totals = self.cluster.totals()
        self.assertEqual(totals.pods_performance, 1)
        self.cluster.remove("work", "waits", "queue")
        self.settle()
        self.assertEqual(self.cluster.totals().pods_performance, 0)
        self.cluster.remove("machine", "m2")
        self.assertEqual([node.name for node in self.cluster.nodes()], ["m1"])

    def test_a_zone_has_its_own_weather(self):
        self.cluster.put_machine(
            "m3", cpu_sockets=2, cpu_max_w=350, cooling_zone="hall", profile=joulie.Profile.ECO
        )
        self.cluster.sample("m3", NOW_MS, node_power_w=350)
        self.settle()
        before = {node.name: node.cooling_stress_score for node in self.cluster.nodes()}
        self.cluster.zone("hall", outside_temp_c=40)
        self.settle()
        after = {node.name: node.cooling_stress_score for node in self.cluster.nodes()}
        self.assertGreater(after["m3"], before["m3"])
        self.assertEqual(after["m1"], before["m1"])

    def test_a_rack_that_is_measured_is_not_summed(self):
        self.cluster.put_machine("m3", cpu_sockets=2, cpu_max_w=350, rack="r9")
        self.cluster.sample("m3", NOW_MS, node_power_w=350)
        self.cluster.rack("r9", it_power_w=25000)
        self.settle()
        found = {node.name: node for node in self.cluster.nodes()}
        self.assertEqual(found["m3"].rack, "r9")
        self.assertEqual(found["m3"].psu_stress_score, 50)  # of 50 kW
        self.cluster.rack("r9")
        self.settle()
        found = {node.name: node for node in self.cluster.nodes()}
        self.assertEqual(found["m3"].rack_power_w, 350)

    def test_what_cannot_be_is_refused_by_its_name(self):
        with self.assertRaises(joulie.RangeError) as caught:
            self.cluster.put_machine("m4", cpu_sockets=1.5)
        self.assertEqual(caught.exception.where, "cpu_sockets")
        with self.assertRaises(TypeError):
            self.cluster.put_machine("m4", sockets=1)
        with self.assertRaises(joulie.RequiredError):
            self.cluster.put_machine("")
        with self.assertRaises(joulie.EnumError):
            self.cluster.put_work("w", movable=9)
        with self.assertRaises(joulie.RequiredError):
            self.cluster.zone("")


class OfThreads(unittest.TestCase):
    """Traces of any size."""

    def test_a_trace_in_pieces_answers_as_the_question_does(self):
        vectors = json.loads((ROOT / "tests/vectors/temper-7.3-trace.json").read_text())["cases"]
        case = next(each for each in vectors if each["id"] == "th-7.3-trace-ftrace")["in"]
        with joulie.ThreadTrace() as trace:
            for tid in case["tids"]:
                trace.add_thread(tid)
            for at in range(0, len(case["trace"]), 100):
                trace.feed(case["trace"][at : at + 100])
            found = trace.analyze()
        self.assertEqual(found, joulie.ask("threads.train.analyze", case))


class OfRemote(unittest.TestCase):
    """What an agent asks of machines over HTTP, as plain functions."""

    def test_settings_become_an_endpoint(self):
        found = joulie.remote_endpoint(
            "n1",
            joulie.RemoteRole.CPU_CONTROL,
            cpu_control="http",
            cpu_control_endpoint="http://bmc/{node}",
        )
        self.assertEqual((found.type, found.url), (joulie.RemoteType.HTTP, "http://bmc/n1"))
        with self.assertRaises(TypeError):
            joulie.remote_endpoint("n1", joulie.RemoteRole.CPU_CONTROL, nothing="x")

    def test_profiles_say_what_the_settings_do_not(self):
        spec = {
            "target": {"scope": "node", "nodeSelector": "rack=7"},
            "sources": {"cpu": {"type": "http", "http": {"endpoint": "http://bmc/{node}"}}},
        }
        profile = {
            "apiVersion": "joulie.io/v1alpha1",
            "kind": "TelemetryProfile",
            "metadata": {"name": "rack-7"},
            "spec": spec,
        }
        role = joulie.RemoteRole.CPU_SOURCE
        with joulie.Cluster() as cluster, joulie.RemoteProfiles() as profiles:
            meta = {"name": "n1", "labels": {"rack": "7"}}
            cluster.put_object({"apiVersion": "v1", "kind": "Node", "metadata": meta})
            self.assertEqual(cluster.labels("n1"), {"rack": "7"})
            profiles.put(profile)
            labels = {"labels": cluster.labels("n1")}
            self.assertEqual(profiles.endpoint("n1", role, labels).url, "http://bmc/n1")
            self.assertIsNone(profiles.endpoint("n1", role).url)
            found = profiles.endpoint("n1", role, labels, cpu_source="none")
            self.assertEqual(found.type, joulie.RemoteType.NONE)
            profiles.remove("rack-7")
            self.assertIsNone(profiles.endpoint("n1", role, labels).url)
            with self.assertRaises(joulie.NotFoundError):
                profiles.remove("rack-7")

    def test_replies_become_numbers_or_say_why_not(self):
        reply = b'{"cpu":{"packagePowerWatts":140}}'
        found = joulie.read_telemetry(reply, joulie.RemotePower.OF_CPU)
        self.assertEqual(found.result, joulie.RemoteResult.SAMPLE)
        self.assertEqual(found.known, {"power_w": 140})
        nothing = joulie.read_telemetry(b"{}", joulie.RemotePower.OF_CPU)
        self.assertEqual((nothing.result, nothing.known), (joulie.RemoteResult.NO_SAMPLE, {}))
        found = joulie.read_control(b'{"result":"applied","message":"m"}')
        self.assertEqual(found, (joulie.ControlResult.APPLIED, "m"))
        self.assertEqual(joulie.read_control(http_status=500), (joulie.ControlResult.ERROR, None))
        with self.assertRaises(joulie.ParseError):
            joulie.read_prometheus(b"{}")

    def test_a_throttle_keeps_its_state(self):
        with joulie.Throttle() as throttle:
            self.assertEqual(throttle.step(0, None, cap_w=100), 0)
            self.assertGreater(throttle.step(1000, 200, cap_w=100), 0)
        self.assertEqual(joulie.throttle_open_pct(60), 40)

    def test_nodes_have_shards_names_and_hardware(self):
        self.assertEqual(joulie.shard_of_process(4, pod_name="p-2"), 2)
        self.assertIn(joulie.shard_of_node("n1", 4), range(4))
        self.assertEqual(joulie.node_object_name("N1"), "n1")
        self.assertEqual(joulie.facility_pue(100e3, 25e3), 1.25)
        node = {"metadata": {"name": "n1"}, "status": {"capacity": {"cpu": "8"}}}
        found = joulie.remote_hardware(node, NOW_MS, cpu_control=True)
        self.assertTrue(found["status"]["cpu"]["controlAvailable"])

    def test_an_agent_reports_its_parts_and_its_summary(self):
        with joulie.Agent() as agent:
            agent.part(joulie.NodeKind.PACKAGE, 0, max_w=200)
            part = agent.part_at(0)
            self.assertEqual(part["max_w"], 200)
            self.assertNotIn("min_w", part)  # nobody said it: absent, not 0 W
            with self.assertRaises(joulie.ConflictError):
                agent.summary()


class OfAgent(unittest.TestCase):
    def test_a_cap_is_written_read_back_and_reported(self):
        package = joulie.NodeKind.PACKAGE
        with joulie.Agent(enforces=True, floor_pct=20) as agent:
            agent.part(package, 0, min_w=50, max_w=200, power_unit_w=0.125)
            agent.part(package, 1, max_w=200, controllable=False)
            spec = {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 100}}
            twin = {"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin", "spec": spec}
            agent.twin(
                {
                    **twin,
                    "metadata": {"name": "n1"},
                    "status": {"lastUpdated": "2026-03-13T12:00:00Z"},
                }
            )
            agent.set_wall(NOW_MS, NOW_MS)
            agent.heartbeat(NOW_MS)
            agent.reading(package, 0, limit_w=200)
            writes = agent.step(NOW_MS)
            self.assertEqual(
                [(one.kind, one.index, one.limit_w) for one in writes], [(package, 0, 100)]
            )
            self.assertEqual(writes[0].power_limit_uw, 100_000_000)
            self.assertFalse(writes[0].is_restore)
            agent.reading(
                package,
                0,
                limit_w=100,
                original_w=200,
                outcome=joulie.NodeOutcome.WRITTEN,
                message="done",
            )
            self.assertEqual(agent.report()["cpu"]["result"], "blocked")  # package 1 takes none
            agent.twin(None)
            with self.assertRaises(joulie.ConflictError):
                agent.report()
            restored = agent.step(NOW_MS)
            self.assertEqual([(one.limit_w, one.is_restore) for one in restored], [(200, True)])

    def test_hardware_names_the_parts(self):
        with joulie.Agent() as agent:
            document = hardware("n1")
            document["status"]["cpu"]["packages"] = [{"index": 0, "maxWatts": 350}]
            agent.hardware(document)
            self.assertEqual(agent.step(NOW_MS), [])
        with self.assertRaises(TypeError):
            joulie.Agent(nothing=1)
        with self.assertRaises(joulie.RangeError):
            joulie.Agent(floor_pct=101)


class OfObject(unittest.TestCase):
    TWIN = {
        "apiVersion": "joulie.io/v1alpha1",
        "kind": "NodeTwin",
        "metadata": {"name": "n1", "labels": {"a.b/c": "d"}},
        "spec": {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapPctOfMax": 60}},
        "status": {"schedulableClass": "eco", "predictedPowerHeadroomScore": 0},
    }

    def test_members_have_their_types_and_what_is_absent_is_none(self):
        twin = joulie.Object(self.TWIN)
        self.assertEqual((twin.api_version, twin.kind), ("joulie.io/v1alpha1", "NodeTwin"))
        self.assertEqual((twin.name, twin.namespace), ("n1", None))
        self.assertEqual(twin.get("spec.profile"), "eco")
        self.assertEqual(twin.get("spec.cpu.packagePowerCapPctOfMax"), 60.0)
        self.assertEqual(twin.number("status.predictedPowerHeadroomScore"), 0)
        self.assertIsNone(twin.number("status.predictedCoolingStressScore"))
        self.assertEqual(twin.get("metadata.labels.a.b/c"), "d")
        self.assertEqual(twin.count("metadata.labels"), 1)
        self.assertIsNone(twin.get("spec.scheduling.draining"))
        self.assertIsNone(twin.text("spec.policy.name"))
        with self.assertRaises(joulie.MemberTypeError):
            twin.integer("spec.profile")
        with self.assertRaises(joulie.UnknownMemberError):
            twin.get("spec.nothing")

    def test_what_is_set_is_printed_and_the_rest_is_kept(self):
        twin = joulie.Object.new("NodeTwin")
        for path, value in (
            ("metadata.name", "n1"),
            ("spec.nodeName", "n1"),
            ("spec.profile", "eco"),
            ("spec.cpu.packagePowerCapPctOfMax", 45.5),
            ("spec.scheduling.draining", True),
            ("status.gpuSlicingRecommendation.totalSlices", 14),
        ):
            twin.set(path, value)
            self.assertEqual(twin.get(path), value)
        twin.unset("spec.scheduling")
        found = twin.to_dict()
        self.assertEqual(
            found["spec"],
            {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapPctOfMax": 45.5}},
        )
        self.assertEqual(found["status"], {"gpuSlicingRecommendation": {"totalSlices": 14}})
        self.assertTrue(twin.print(joulie.Form.YAML).startswith("apiVersion: joulie.io/v1alpha1\n"))
        with self.assertRaises(joulie.EnumError):
            twin.set("spec.profile", "fast")
        text = '{"apiVersion":"joulie.io/v1alpha1","kind":"NodeTwin","metadata":{"name":"x","extra":1.50},"spec":{"nodeName":"n","profile":"eco"}}'
        self.assertIn('"extra":1.50', joulie.Object(text).print())

    def test_differences_are_patches(self):
        twin = joulie.Object(self.TWIN)
        other = twin.copy()
        self.assertEqual(twin.diff(other), {})
        self.assertEqual(twin.diff(twin), {})
        other.set("spec.profile", "performance")
        patch = twin.diff(other)
        self.assertEqual(patch, {"spec": {"profile": "performance"}})
        twin.patch(patch)
        self.assertEqual(twin.diff(other), {})
        twin.patch([{"op": "remove", "path": "/spec/cpu"}])
        self.assertIsNone(twin.count("spec.cpu"))

    def test_lenient_keeps_what_validation_finds(self):
        document = {**self.TWIN, "spec": {"nodeName": "n1", "profile": "fast", "more": 1}}
        with self.assertRaises(joulie.Error):
            joulie.Object(document)
        twin = joulie.Object(document, lenient=True)
        self.assertEqual(twin.to_dict()["spec"]["more"], 1)
        with self.assertRaises(joulie.Error):
            twin.validate()
        self.assertEqual(twin.view("spec")["profile"], joulie.Profile.UNKNOWN)

    def test_views_hold_what_is_known(self):
        twin = joulie.Object(self.TWIN)
        self.assertEqual(
            twin.view("spec"),
            {"node_name": "n1", "profile": joulie.Profile.ECO, "cpu_cap_pct": 60.0},
        )
        self.assertEqual(
            twin.view("status"),
            {"power_headroom_score": 0.0, "schedulable_class": joulie.NodeClass.ECO},
        )
        found = joulie.Object(hardware("n1")).view()
        self.assertEqual(
            (found["cpu_sockets"], found["cpu_max_cap_w"], found["has_gpus"]), (2, 350, False)
        )
        self.assertNotIn("gpu_count", found)
        with self.assertRaisesRegex(ValueError, "spec, status"):
            twin.view()
        with self.assertRaisesRegex(ValueError, "none"):
            joulie.Object(POD).view()

    def test_words_and_values(self):
        self.assertEqual(joulie.word(joulie.Profile.ECO), "eco")
        self.assertIsNone(joulie.word(joulie.Profile.UNKNOWN))
        self.assertEqual(joulie.word_value(joulie.Cooling, "dlc"), joulie.Cooling.DLC)
        self.assertEqual(joulie.word_value(joulie.Level, "none at all"), joulie.Level.UNKNOWN)
        with self.assertRaises(TypeError):
            joulie.word(joulie.Form.YAML)

    def test_every_list_of_words_has_its_enum(self):
        for vocabulary in set(abi.Vocabulary) - {abi.Vocabulary.UNKNOWN, abi.Vocabulary.POLICY}:
            kind = getattr(abi, abi.class_name("joulie_" + vocabulary.name.lower()))
            words = [joulie.word(value) for value in kind if joulie.word(value)]
            self.assertTrue(words, vocabulary)
            self.assertEqual([joulie.word(joulie.word_value(kind, word)) for word in words], words)

    def test_policies_are_words_without_an_enum(self):
        words = [abi.joulie_word(abi.Vocabulary.POLICY, value) for value in range(1, 6)]
        self.assertEqual(words, [b"static_partition", b"queue_aware_v1", b"rule_swap_v1", b"efficiency_v1", None])


class OfText(unittest.TestCase):
    def test_documents_are_split_with_their_lines_and_a_broken_one_does_not_stop(self):
        self.assertEqual([one.line for one in joulie.split('{"a":1}\n\n{"b":2}\n')], [1, 3])
        parts = joulie.split('{"a": 1}\n{"b": \n{"c": "ü"}\n')
        self.assertEqual(next(parts).text, '{"a": 1}')
        with self.assertRaises(joulie.ParseError):
            next(parts)
        self.assertEqual(next(parts).text, '{"c": "ü"}')
        self.assertEqual(list(parts), [])

    def test_forms(self):
        self.assertEqual(joulie.format_document('{"a": 1.50}', joulie.Form.YAML), "a: 1.50\n")
        self.assertEqual(joulie.format_document("a: 1", joulie.Form.LINE), '{"a":1}')
        with self.assertRaises(joulie.UnsupportedError):
            joulie.format_document("a: 1", 99)


INVENTORY = {
    "nodes": [
        {
            "node_name": "a",
            "cpu": "AMD EPYC 9654",
            "cpu_sockets": 1,
            "cpu_cores": 96,
            "memory_gib": 64,
        },
    ]
}
TRACE = [
    {
        "type": "job",
        "jobId": f"j{number}",
        "submitTimeOffsetSec": 10 * number,
        "work": {"cpuUnits": 1000},
        "podTemplate": {"requests": {"cpu": "4", "memory": "4Gi"}},
    }
    for number in range(3)
]


class OfSimulation(unittest.TestCase):
    def test_an_external_one_reports_and_asks(self):
        kinds, candidates, placed_s = [], set(), []
        with joulie.Simulation(INVENTORY, TRACE, external=True, compare=False) as simulation:
            objects = simulation.objects(0)
            self.assertEqual(objects.node["metadata"]["name"], "a")
            self.assertEqual(objects.hardware["kind"], "NodeHardware")
            simulation.set_control_time(5, admits_changed=True)
            simulation.cordon("a")
            self.assertRaises(joulie.NotFoundError, simulation.cordon, "nobody", False)
            while True:
                event = simulation.next_event()
                if event is None:
                    break
                kinds.append(event.kind)
                if event.kind == joulie.SimEventKind.PLACE:
                    candidates |= set(event.candidates)
                    placed_s += [] if event.is_sample else [event.time_s]
                    simulation.answer([True] * len(event.candidates), [5] * len(event.candidates))
                elif event.kind == joulie.SimEventKind.POD and event.node and not event.is_removed:
                    (pod,) = [one for one in simulation.pods(0) if one["name"] == event.name]
                    self.assertEqual((pod["name_space"], pod["container"]), ("default", "job"))
                    self.assertEqual((pod["cpu_s"], pod["gpus"]), (0, 0), "it has just come")
                elif event.kind == joulie.SimEventKind.CONTROL:
                    reply = simulation.control(
                        "a", {"action": "rapl.set_power_cap_watts", "capWatts": 300}
                    )
                    self.assertTrue(reply["ok"])
                    simulation.cordon("a", False)
                    spec = {"nodeName": "a", "profile": "eco"}
                    simulation.put_decision(
                        {"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin", "spec": spec}
                    )
                    simulation.set_control_time(-1)
            self.assertEqual(candidates, {"a"})
            self.assertEqual(min(placed_s), 5)
            self.assertEqual(kinds.count(joulie.SimEventKind.CONTROL), 1)
            self.assertEqual(simulation.outcome()["completed"], 3)
            self.assertEqual(simulation.table("decisions")["profile"], ["eco"])
            self.assertEqual(list(simulation.body("energy")["byNodeJoules"]), ["a"])
            self.assertEqual(simulation.node(0)["state"], "eco")
            self.assertEqual(simulation.node(simulation.node(0)["name"]), simulation.node(0))
            with self.assertRaises(joulie.RangeError):
                simulation.node(1)
            with self.assertRaises(joulie.RangeError):
                simulation.outcome(uncontrolled=True)
            with self.assertRaises(joulie.ConflictError):
                simulation.saving()
            simulation.resume()
        self.assertEqual(joulie.instant_ms(1), 1_767_225_601_000)

    def test_what_is_unknown_is_absent(self):
        with joulie.Simulation(INVENTORY, TRACE) as simulation:
            self.assertNotIn("makespan_s", simulation.outcome())
            self.assertIsNone(simulation.node(0)["state"])
            simulation.run()
            self.assertGreater(simulation.outcome(uncontrolled=True)["makespan_s"], 0)
            self.assertIsInstance(simulation.saving(), float)

    def test_energy_is_split_and_times_are_ranked(self):
        with joulie.Simulation(INVENTORY, TRACE, it_limit_w=1) as simulation:
            simulation.run()
            outcome, families = simulation.outcome(), simulation.table("families")
            waits = simulation.spread(joulie.SimMeasure.WAIT)
            gpu = simulation.spread(
                joulie.SimMeasure.SLOWDOWN, joulie.SimGroup.GPU, uncontrolled=True
            )
            with self.assertRaises(joulie.EnumError):
                simulation.spread(99)
        parts = [
            outcome[f"{of}_{part}_j"]
            for of in ("cpu", "gpu")
            for part in ("idle_busy", "idle_empty", "dynamic", "off")
        ]
        self.assertEqual(sum(parts), outcome["window_energy_j"])
        self.assertEqual(outcome["over_limit_s"], outcome["time_s"])
        self.assertNotIn("peak_rack_power_w", outcome)
        self.assertEqual(waits["jobs"], 3)
        self.assertLessEqual(waits["p50"], waits["max"])
        self.assertEqual(gpu, {"jobs": 0})
        self.assertEqual(families["run"], ["controlled", "uncontrolled"])
        self.assertEqual(families["cpu_idle_busy_j"][0], outcome["cpu_idle_busy_j"])

    def test_a_workload_is_made_for_machines(self):
        machines = {"nodes": [{"node_name": "m", "cpu_cores": 96, "memory_gib": 1024}]}
        trace = joulie.generate_workload(
            "diurnal", inventory=machines, load=0.5, hours=10, gpu_ratio=0, max_duration_s=600
        )
        jobs = [json.loads(line) for line in trace.splitlines() if '"type":"job"' in line]
        used = 0.0
        for job in jobs:
            cores = float(job["podTemplate"]["requests"]["cpu"])
            used += min(job["work"]["cpuUnits"], cores * (36000 - job["submitTimeOffsetSec"]))
        self.assertAlmostEqual(used / 96 / 36000, 0.5, delta=0.02)
        with self.assertRaises(joulie.RequiredError):
            joulie.generate_workload("diurnal", load=0.5)

    def test_tables_have_types(self):
        with joulie.Simulation(INVENTORY, TRACE, tables=True) as simulation:
            simulation.run()
            jobs, nodes = simulation.table("jobs"), simulation.table("nodes")
            decisions = simulation.table("decisions")
        self.assertEqual(jobs["id"], ["j0", "j1", "j2"])
        self.assertEqual(len(jobs), 3)
        self.assertEqual(set(map(type, jobs["submitted_s"])), {float})
        self.assertEqual(set(nodes["run"]), {"controlled", "uncontrolled"})
        self.assertEqual(set(map(type, nodes["hour"])), {int})
        self.assertEqual(set(map(type, decisions["draining"])), {bool})
        row = next(iter(jobs.rows()))
        self.assertEqual((row["id"], row["controlled_node"]), ("j0", "a"))
        self.assertEqual(list(row), jobs.columns)


class Ends(unittest.TestCase):
    """close(), the with-block, the garbage collector, and two threads in one handle."""

    def each(self):
        yield joulie.Cluster(), lambda one: one.nodes()
        yield joulie.Agent(), lambda one: one.step(NOW_MS)
        yield joulie.Object.new("NodeTwin"), lambda one: one.kind
        yield joulie.Simulation(INVENTORY, TRACE), lambda one: one.view()

    def test_a_closed_one_is_not_used_and_closing_again_is_nothing(self):
        for handle, use in self.each():
            with self.subTest(type(handle).__name__):
                with handle as same:
                    self.assertIs(same, handle)
                    use(handle)
                handle.close()
                with self.assertRaisesRegex(ValueError, "is closed"):
                    use(handle)

    def test_one_that_is_forgotten_is_freed(self):
        for handle, _ in self.each():
            finalizer = handle._free
            gone = weakref.ref(handle)
            del handle
            gc.collect()
            self.assertIsNone(gone())
            self.assertFalse(finalizer.alive)

    def test_a_second_thread_is_refused_and_nothing_is_freed_under_the_first(self):
        entered, leave = threading.Event(), threading.Event()
        cluster = joulie.Cluster()

        def stay():
            with cluster._use():
                entered.set()
                leave.wait(60)

        thread = threading.Thread(target=stay)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(leave.set)
        self.assertTrue(entered.wait(60))
        for use in (cluster.nodes, cluster.close, lambda: cluster.step(NOW_MS)):
            with self.assertRaisesRegex(RuntimeError, "cluster is in use"):
                use()
        leave.set()
        thread.join()
        self.assertEqual(cluster.nodes(), [])
        cluster.close()

    def test_threads_that_take_turns_under_a_lock_are_fine(self):
        lock, cluster = threading.Lock(), joulie.Cluster()

        def work(number):
            for turn in range(20):
                with lock:
                    cluster.put_object(node(f"n{number}-{turn}"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(cluster.nodes()), 160)

    def test_calls_give_up_the_lock_of_the_interpreter(self):
        self.assertNotIsInstance(_library.library, ctypes.PyDLL)
        self.assertIs(type(_library.library), ctypes.CDLL)

    def test_a_callback_may_not_use_the_handle_that_calls_it(self):
        host, refused = None, []

        def log(*_line):
            try:
                host.caps()
            except RuntimeError as problem:
                refused.append(str(problem))

        with tempfile.TemporaryDirectory() as folder:
            hosts.write_host("intel-2s", Path(folder) / "root")
            host = joulie.Host(Path(folder) / "root", enforces=True, backed_twin=True, log=log)
            spec = {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 120}}
            with host:
                host.claim(NOW_MS).twin(spec).tick(NOW_MS, 0, 0)
        self.assertTrue(refused)
        self.assertIn("host is in use", refused[0])


if __name__ == "__main__":
    unittest.main()
