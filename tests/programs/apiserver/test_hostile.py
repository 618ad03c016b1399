# SPDX-License-Identifier: Apache-2.0
"""What nobody should send to the embedded API server, and what it may do to the objects that are there."""

import json
import unittest

from server import JSON_PATCH, NODES, PODS, STRATEGIC, TWINS, node, pod, twin
from test_api import Case

MAPS = "/api/v1/namespaces/default/configmaps"
METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


def config_map(name, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **metadata},
    }


class Bodies(Case):
    def test_a_nul_is_in_no_text_and_behind_no_document(self):
        self.server.post(NODES, node("n1"))
        for kind, body in (
            (STRATEGIC, '{"metadata":{"annotations":{"a":"x\\u0000y"}}}'),
            (STRATEGIC, '{"metadata":{"annotations":{"a\\u0000b":"x"}}}'),
            (STRATEGIC, '{"metadata":{"name":"n1\\u0000n2"}}'),
            (STRATEGIC, '{"metadata":{}}\0{"spec":{}}'),
            ("application/merge-patch+json", '{"metadata":{}}\0garbage'),
            ("application/merge-patch+json", "{'metadata':{}}"),
            (JSON_PATCH, "[]\0garbage"),
        ):
            with self.subTest(body):
                self.assert_status(self.server.patch(NODES + "/n1", body, kind), 400, "BadRequest")
        answer = self.server.ask("DELETE", NODES + "/n1", '{"dryRun":[]}\0garbage')
        self.assert_status(answer, 400, "BadRequest")

    def test_members_of_the_metadata_have_their_types(self):
        for member, value in (
            ("generateName", {"resourceVersion": "1"}),
            ("generateName", 5),
            ("finalizers", "a/b"),
            ("finalizers", [5]),
            ("ownerReferences", {}),
            ("ownerReferences", ["a"]),
            ("labels", []),
            ("annotations", "a"),
        ):
            with self.subTest(f"{member}: {value}"):
                answer = self.server.post(MAPS, config_map("m", **{member: value}))
                self.assertEqual(answer.code, 422, answer)

    def test_nesting_has_a_bound(self):
        deep = '{"a":' * 100000 + "1" + "}" * 100000
        body = '{"metadata":{"name":"m"},"data":%s}' % deep
        self.assert_status(self.server.post(MAPS, body), 400, "BadRequest")

    def test_a_patch_cannot_nest_without_bound(self):
        self.server.post(NODES, node("n1"))
        patch = [{"op": "add", "path": "/spec", "value": {}}]
        for power in range(18):
            path = "/spec" + "/a" * (2**power)
            patch.append({"op": "copy", "from": "/spec", "path": path})
        answer = self.server.patch(NODES + "/n1", patch, JSON_PATCH)
        self.assertEqual(answer.code, 413, answer)
        self.assertEqual(self.server.get(NODES + "/n1").code, 200)

    def test_what_is_reported_about_a_body_is_bounded(self):
        many = {f"f{i}": 1 for i in range(20000)}
        answer = self.server.post(TWINS, twin("n1", **many))
        self.assertEqual(answer.code, 201, answer)
        self.assertLessEqual(len(answer.headers.get_all("Warning")), 100)
        answer = self.server.post(TWINS, twin("n2", **{"f" * 1000000: 1}))
        self.assertEqual(answer.code, 201, answer)
        labels = {f"-{i}": "" for i in range(20000)}
        answer = self.server.post(NODES, node("n3", labels=labels))
        self.assertEqual(answer.code, 422)
        self.assertLessEqual(len(answer.json["details"]["causes"]), 100)

    def test_integers_above_64_bits_are_refused(self):
        body = json.dumps(twin("n1")).replace(
            '"spec": {', '"spec": {"cpu":{"x":99999999999999999999},'
        )
        answer = self.server.post(NODES, '{"metadata":{"name":"n"},"spec":{"x":1e400}}')
        self.assert_status(answer, 400, "BadRequest")
        self.assertNotEqual(self.server.post(TWINS, body).code, 500)

    def test_lists_that_are_merged_have_a_bound(self):
        self.server.post(NODES, node("n1"))
        patch = {"status": {"addresses": [{"type": f"t{i}"} for i in range(100000)]}}
        answer = self.server.patch(NODES + "/n1/status", patch, STRATEGIC)
        self.assertEqual(answer.code, 413, answer)

    def test_a_name_with_a_slash_names_nothing(self):
        self.server.post(PODS, pod("p1"))
        for path in ("/api/v1/namespaces/default%2Fp1/pods/x", PODS + "/p1%2Fx", PODS + "/..%2Fp1"):
            self.assert_status(self.server.get(path), 404, "NotFound")


class Recreated(Case):
    def test_a_binding_is_for_the_pod_that_was_seen(self):
        first = self.server.post(PODS, pod("p1")).json["metadata"]["uid"]
        self.server.ask("DELETE", PODS + "/p1")
        second = self.server.post(PODS, pod("p1")).json["metadata"]["uid"]
        body = {"metadata": {"name": "p1", "uid": first}, "target": {"kind": "Node", "name": "n"}}
        self.assert_status(self.server.post(PODS + "/p1/binding", body), 409, "Conflict")
        body["metadata"]["uid"] = second
        self.assertEqual(self.server.post(PODS + "/p1/binding", body).code, 201)

    def test_an_eviction_keeps_what_a_deletion_keeps(self):
        uid = self.server.post(PODS, pod("p1")).json["metadata"]["uid"]
        for options, code in (
            ({"preconditions": {"uid": "another"}}, 409),
            ({"dryRun": ["All"]}, 201),
        ):
            with self.subTest(options):
                body = {"metadata": {"name": "p1"}, "deleteOptions": options}
                self.assertEqual(self.server.post(PODS + "/p1/eviction", body).code, code)
                self.assertEqual(self.server.get(PODS + "/p1").json["metadata"]["uid"], uid)
        finalizers = {"metadata": {"finalizers": ["joulie.io/a"]}}
        self.assertEqual(self.server.patch(PODS + "/p1", finalizers).code, 200)
        answer = self.server.post(PODS + "/p1/eviction", {"metadata": {"name": "p1"}})
        self.assertLess(answer.code, 300, answer)
        self.assertIn("deletionTimestamp", self.server.get(PODS + "/p1").json["metadata"])

    def test_a_pod_with_a_grace_period_stays_until_it_is_deleted(self):
        waiting = pod("p1")
        waiting["metadata"].update(
            namespace="default",
            deletionTimestamp="2026-03-13T12:00:00Z",
            deletionGracePeriodSeconds=30,
        )
        self.server.put(waiting)
        answer = self.server.patch(PODS + "/p1/status", {"status": {"phase": "Running"}})
        self.assertEqual(answer.json.get("kind"), "Pod", answer)
        bare = answer.json
        del bare["metadata"]["deletionGracePeriodSeconds"]
        del bare["metadata"]["deletionTimestamp"]
        again = self.server.ask("PUT", PODS + "/p1", bare).json
        self.assertEqual(again["metadata"]["deletionGracePeriodSeconds"], 30)
        self.assertEqual(again["metadata"]["resourceVersion"], bare["metadata"]["resourceVersion"])

    def test_namespaces_are_not_deleted_as_a_collection(self):
        answer = self.server.ask("DELETE", "/api/v1/namespaces")
        self.assert_status(answer, 405, "MethodNotAllowed")
        resources = self.server.get("/api/v1").json["resources"]
        verbs = next(r["verbs"] for r in resources if r["name"] == "namespaces")
        self.assertNotIn("deletecollection", verbs)


class Watches(Case):
    def test_bookmarks_of_metadata_say_what_they_are(self):
        connection = self.server.connect()
        connection.request("GET", NODES + "?watch=1&sendInitialEvents=true"
                           "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
                           headers={"Accept": METADATA})  # fmt: skip
        frame = json.loads(connection.getresponse().readline())
        connection.close()
        self.assertEqual(frame["type"], "BOOKMARK")
        self.assertEqual(frame["object"]["kind"], "PartialObjectMetadata")
        self.assertEqual(frame["object"]["apiVersion"], "meta.k8s.io/v1")

    def test_no_deletion_is_lost_when_the_ring_overflows_in_one_turn(self):
        count = 70  # of nearly 3 MiB: more than the ring holds
        text = "x" * 3000000
        for i in range(count):
            body = json.dumps({**config_map(f"m{i:02}"), "data": {"a": text}})
            self.assertEqual(self.server.post(MAPS, body).code, 201)
        version = self.server.counts()["version"]
        connection = self.server.connect()
        connection.request(
            "GET", f"{MAPS}?watch=1&resourceVersion={version}", headers={"Accept": METADATA}
        )
        response = connection.getresponse()
        self.server.ask("DELETE", MAPS)
        names = [
            json.loads(response.readline())["object"]["metadata"]["name"] for _ in range(count)
        ]
        self.assertEqual(names, sorted(names))
        connection.close()

    def test_slow_answers_are_released_when_the_server_ends(self):
        body = {**config_map("m"), "data": {"a": "x" * 3000000}}
        self.assertEqual(self.server.post(MAPS, body).code, 201)
        self.server.ask("POST", "/faults", {"slowBytes": 1})
        connections = [self.server.connect() for _ in range(4)]
        for number, connection in enumerate(connections):
            connection.request("GET", MAPS + ("?watch=1" if number % 2 else ""))
        for connection in connections:
            connection.getresponse()
        self.server.process.terminate()
        self.assertEqual(self.server.process.wait(60), 0)
        for connection in connections:
            connection.close()


if __name__ == "__main__":
    unittest.main()
