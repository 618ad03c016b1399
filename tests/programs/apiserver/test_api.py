# SPDX-License-Identifier: Apache-2.0
"""What the embedded API server answers (docs/rules/apiserver.md)."""

import copy
import json
import unittest

from server import (
    JSON_PATCH,
    MERGE,
    NODES,
    PODS,
    STRATEGIC,
    TABLE,
    TWINS,
    Server,
    node,
    pod,
    twin,
)


class Case(unittest.TestCase):
    arguments: tuple = ()

    def setUp(self):
        self.server = Server(*self.arguments)
        self.addCleanup(self.server.close)

    def assert_status(self, answer, code, reason):
        self.assertEqual(answer.code, code, answer)
        self.assertEqual(answer.json["kind"], "Status")
        self.assertEqual(answer.json["code"], code)
        self.assertEqual(answer.json["reason"], reason)
        return answer.json

    def make(self, *names, labels=None):
        for name in names:
            self.assertEqual(self.server.post(TWINS, twin(name, labels)).code, 201)


class Paths(Case):
    def test_an_unknown_path_is_plain_text(self):
        for path in (
            "/nothing",
            "/apis/no.such/v1/things",
            "/api/v1/things",
            "/openapi/v2",
            TWINS + "/n/scale",
            "/apis/joulie.io/v1/nodetwins",
            "/apis/joulie.io/v1alpha1/namespaces/default/nodetwins",
        ):
            with self.subTest(path):
                answer = self.server.get(path)
                self.assertEqual((answer.code, answer.text), (404, "404 page not found\n"))
                self.assertIn("text/plain", answer.headers["Content-Type"])

    def test_an_object_that_is_missing_is_named(self):
        status = self.assert_status(self.server.get(TWINS + "/n9"), 404, "NotFound")
        self.assertEqual(
            status["details"], {"name": "n9", "group": "joulie.io", "kind": "nodetwins"}
        )
        self.assertEqual(status["message"], 'nodetwins.joulie.io "n9" not found')

    def test_methods_that_a_resource_does_not_have(self):
        crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for method, path in (
            ("PUT", TWINS),
            ("POST", TWINS + "/n1"),
            ("DELETE", TWINS + "/n/status"),
            ("POST", crd),
            ("DELETE", crd + "/nodetwins.joulie.io"),
            ("POST", "/api/v1/pods"),
            ("DELETE", "/api/v1/pods"),
            ("GET", PODS + "/p/binding"),
            ("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
        ):
            with self.subTest(path):
                self.assert_status(self.server.ask(method, path, {}), 405, "MethodNotAllowed")

    def test_only_json_is_answered(self):
        answer = self.server.ask("GET", NODES, Accept="application/vnd.kubernetes.protobuf")
        self.assert_status(answer, 406, "NotAcceptable")
        both = "application/vnd.kubernetes.protobuf,application/json"
        self.assertEqual(self.server.ask("GET", NODES, Accept=both).code, 200)

    def test_health(self):
        for path in ("/livez", "/readyz", "/healthz"):
            self.assertEqual(self.server.get(path).text, "ok")

    def test_a_body_above_3_mib(self):
        body = json.dumps(twin("n1", note="x" * (3 << 20)))[: (3 << 20) + 1]
        self.assert_status(self.server.post(TWINS, body), 413, "RequestEntityTooLarge")

    def test_discovery_names_every_resource(self):
        groups = {group["name"] for group in self.server.get("/apis").json["groups"]}
        self.assertEqual(
            groups,
            {
                "joulie.io",
                "apps",
                "authorization.k8s.io",
                "events.k8s.io",
                "coordination.k8s.io",
                "apiextensions.k8s.io",
            },
        )
        ours = self.server.get("/apis/joulie.io/v1alpha1").json["resources"]
        names = {item["name"] for item in ours}
        for plural in (
            "nodetwins",
            "nodehardwares",
            "workloadprofiles",
            "nodepowerprofiles",
            "telemetryprofiles",
        ):
            self.assertIn(plural, names)
        self.assertIn("nodetwins/status", names)
        core = {item["name"] for item in self.server.get("/api/v1").json["resources"]}
        for name in (
            "nodes",
            "nodes/status",
            "pods",
            "pods/binding",
            "pods/eviction",
            "events",
            "namespaces",
            "configmaps",
        ):
            self.assertIn(name, core)
        for version in ("v2", "v2beta1"):
            kind = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
            answer = self.server.ask("GET", "/apis", Accept=kind + ",application/json")
            self.assertEqual(answer.headers["Content-Type"], kind)
            self.assertEqual(answer.json["apiVersion"], f"apidiscovery.k8s.io/{version}")

    def test_openapi_has_a_document_per_version(self):
        paths = self.server.get("/openapi/v3").json["paths"]
        ours = self.server.get(paths["apis/joulie.io/v1alpha1"]["serverRelativeURL"]).json
        schema = ours["components"]["schemas"]["io.joulie.v1alpha1.NodeTwin"]
        self.assertEqual(schema["x-kubernetes-group-version-kind"][0]["kind"], "NodeTwin")
        self.assertIn("profile", schema["properties"]["spec"]["properties"])
        for path in paths.values():
            self.assertEqual(self.server.get(path["serverRelativeURL"]).code, 200)

    def test_access_reviews_allow(self):
        answer = self.server.post(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview",
                "spec": {"resourceAttributes": {"verb": "get", "resource": "nodes"}},
            },
        )
        self.assertEqual((answer.code, answer.json["status"]["allowed"]), (201, True))


class Create(Case):
    def test_what_the_server_fills_in(self):
        self.server.post("/test/now", "1773403200000")  # 2026-03-13T12:00:00Z
        made = self.server.post(TWINS, twin("n1")).json["metadata"]
        self.assertEqual(made["creationTimestamp"], "2026-03-13T12:00:00Z")
        self.assertEqual(made["generation"], 1)
        self.assertRegex(made["uid"], r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]")
        self.assertRegex(made["resourceVersion"], r"^[1-9][0-9]*$")

    def test_a_name_is_taken_once(self):
        self.make("n1")
        status = self.assert_status(self.server.post(TWINS, twin("n1")), 409, "AlreadyExists")
        self.assertEqual(status["message"], 'nodetwins.joulie.io "n1" already exists')

    def test_names_are_checked(self):
        for name in ("", "A", "-a", "a_b", "a" * 254, "a/b"):
            with self.subTest(name):
                self.assert_status(self.server.post(TWINS, twin(name)), 422, "Invalid")

    def test_a_name_is_generated(self):
        document = twin("x")
        document["metadata"] = {"generateName": "web-"}
        names = [self.server.post(TWINS, document).json["metadata"]["name"] for _ in range(3)]
        self.assertEqual(len(set(names)), 3)
        for name in names:
            self.assertRegex(name, r"^web-[a-z0-9]{5}$")

    def test_what_a_status_subresource_means_for_new_objects(self):
        document = twin("n1")
        document["status"] = {"schedulableClass": "eco"}
        self.assertNotIn("status", self.server.post(TWINS, document).json)
        self.assertEqual(
            self.server.post(NODES, node("n1")).json["status"]["allocatable"], {"cpu": "4"}
        )
        document = pod("p")
        document["status"] = {"phase": "Running"}
        self.assertEqual(self.server.post(PODS, document).json["status"], {"phase": "Pending"})

    def test_every_wrong_field_is_a_cause(self):
        document = twin("n1", cpu={"packagePowerCapPctOfMax": 130}, profile="hot")
        document["spec"]["scheduling"] = {"draining": "yes"}
        status = self.assert_status(self.server.post(TWINS, document), 422, "Invalid")
        causes = {cause["field"]: cause["reason"] for cause in status["details"]["causes"]}
        self.assertEqual(causes.get("spec.profile"), "FieldValueNotSupported")
        self.assertEqual(causes.get("spec.scheduling.draining"), "FieldValueTypeInvalid")
        document = twin("n1")
        del document["spec"]["nodeName"]
        status = self.assert_status(self.server.post(TWINS, document), 422, "Invalid")
        self.assertEqual(status["details"]["causes"][0]["field"], "spec.nodeName")
        self.assertEqual(status["details"]["causes"][0]["reason"], "FieldValueRequired")

    def test_labels_and_annotations_are_checked(self):
        for metadata in (
            {"labels": {"a b": "c"}},
            {"labels": {"a": "b c"}},
            {"labels": {"a": 1}},
            {"annotations": {"a/b/c": "x"}},
            {"annotations": {"a": "x" * 262144}},
            {"finalizers": ["a b"]},
        ):
            document = twin("n1")
            document["metadata"].update(metadata)
            with self.subTest(str(metadata)[:60]):
                self.assert_status(self.server.post(TWINS, document), 422, "Invalid")

    def test_unknown_fields(self):
        document = twin("n1", bogus=1)
        answer = self.server.post(TWINS + "?fieldValidation=Strict", document)
        status = self.assert_status(answer, 400, "BadRequest")
        self.assertIn('unknown field "spec.bogus"', status["message"])
        answer = self.server.post(TWINS + "?dryRun=All", document)
        self.assertEqual(answer.headers["Warning"], '299 - "unknown field \\"spec.bogus\\""')
        self.assertNotIn("bogus", answer.json["spec"])
        answer = self.server.post(TWINS + "?fieldValidation=Ignore", document)
        self.assertNotIn("Warning", answer.headers)
        self.assertNotIn("bogus", answer.json["spec"])
        twice = (
            '{"apiVersion":"joulie.io/v1alpha1","kind":"NodeTwin","metadata":{"name":"n2"},'
            '"spec":{"profile":"eco","nodeName":"n2","nodeName":"n3"}}'
        )
        answer = self.server.post(TWINS + "?fieldValidation=Strict", twice)
        self.assert_status(answer, 400, "BadRequest")
        answer = self.server.post(TWINS, twice)
        self.assertEqual(answer.json["spec"]["nodeName"], "n3")
        self.assertIn("duplicate field", answer.headers["Warning"])

    def test_a_dry_run_stores_nothing(self):
        before = self.server.counts()["version"]
        self.assertEqual(self.server.post(TWINS + "?dryRun=All", twin("n1")).code, 201)
        self.assert_status(self.server.post(TWINS + "?dryRun=Some", twin("n1")), 422, "Invalid")
        self.assertEqual(self.server.counts()["version"], before)
        self.assertEqual(self.server.get(TWINS + "/n1").code, 404)

    def test_bodies_that_are_not_what_they_should_be(self):
        cases = (
            ("{", 400),
            ("[]", 400),
            ('{"a":NaN}', 400),
            ("{'a':1}", 400),
            ("", 400),
            (json.dumps(dict(twin("n1"), kind="Node")), 400),
            (json.dumps(dict(twin("n1"), apiVersion="joulie.io/v2")), 400),
        )
        for body, code in cases:
            with self.subTest(body[:40]):
                self.assert_status(self.server.post(TWINS, body), code, "BadRequest")
        answer = self.server.post(TWINS, "x", Content_Type="text/csv")
        self.assert_status(answer, 415, "UnsupportedMediaType")

    def test_yaml_is_read(self):
        text = (
            "apiVersion: joulie.io/v1alpha1\nkind: NodeTwin\nmetadata: {name: n1}\n"
            "spec: {nodeName: n1, profile: eco}\n"
        )
        answer = self.server.post(TWINS, text, Content_Type="application/yaml")
        self.assertEqual(answer.code, 201, answer)

    def test_a_namespace_has_to_exist(self):
        answer = self.server.post(PODS.replace("default", "nowhere"), pod("p"))
        self.assertEqual(self.assert_status(answer, 404, "NotFound")["details"]["name"], "nowhere")
        other = pod("p")
        other["metadata"]["namespace"] = "kube-system"
        self.assert_status(self.server.post(PODS, other), 400, "BadRequest")

    def test_numbers_are_stored_as_their_schema_says(self):
        text = json.dumps(twin("n1", cpu={"packagePowerCapWatts": 0})).replace(": 0", ": 100.0")
        answer = self.server.post(TWINS, text)
        self.assertIn('"packagePowerCapWatts":100}', answer.text)


class Update(Case):
    def setUp(self):
        super().setUp()
        self.make("n1")
        self.one = self.server.get(TWINS + "/n1").json

    def test_a_stale_version_conflicts(self):
        self.assertEqual(
            self.server.patch(TWINS + "/n1", {"spec": {"profile": "performance"}}).code, 200
        )
        self.assert_status(self.server.ask("PUT", TWINS + "/n1", self.one), 409, "Conflict")
        patch = {"metadata": {"resourceVersion": self.one["metadata"]["resourceVersion"]}}
        self.assert_status(self.server.patch(TWINS + "/n1", patch), 409, "Conflict")

    def test_our_kinds_need_a_version(self):
        del self.one["metadata"]["resourceVersion"]
        status = self.assert_status(self.server.ask("PUT", TWINS + "/n1", self.one), 422, "Invalid")
        self.assertIn("must be specified for an update", status["message"])
        self.server.post(NODES, node("n1"))
        self.assertEqual(self.server.ask("PUT", NODES + "/n1", node("n1")).code, 200)

    def test_another_uid_conflicts(self):
        patch = {"metadata": {"uid": "11111111-1111-4111-8111-111111111111"}}
        self.assert_status(self.server.patch(TWINS + "/n1", patch), 409, "Conflict")
        self.one["metadata"].update(name="n9")
        self.assert_status(self.server.ask("PUT", TWINS + "/n9", self.one), 409, "Conflict")

    def test_names_in_body_and_path_agree(self):
        self.one["metadata"]["name"] = "other"
        self.assert_status(self.server.ask("PUT", TWINS + "/n1", self.one), 400, "BadRequest")
        self.assert_status(
            self.server.patch(TWINS + "/n1", {"metadata": {"name": "other"}}), 400, "BadRequest"
        )

    def test_what_is_missing_is_not_updated(self):
        del self.one["metadata"]["uid"]
        self.one["metadata"]["name"] = "n9"
        self.assert_status(self.server.ask("PUT", TWINS + "/n9", self.one), 404, "NotFound")
        self.assert_status(self.server.patch(TWINS + "/n9", {}), 404, "NotFound")

    def test_a_write_that_changes_nothing_keeps_the_version(self):
        same = self.server.ask("PUT", TWINS + "/n1", self.one).json
        self.assertEqual(same, self.one)
        self.assertEqual(
            self.server.patch(TWINS + "/n1", {"spec": {"profile": "eco"}}).json, self.one
        )
        self.assertEqual([write["verb"] for write in self.server.writes()], ["create"])

    def test_generation_counts_changes_of_the_spec(self):
        label = self.server.patch(TWINS + "/n1", {"metadata": {"labels": {"a": "b"}}}).json
        self.assertEqual(label["metadata"]["generation"], 1)
        spec = self.server.patch(TWINS + "/n1", {"spec": {"profile": "performance"}}).json
        self.assertEqual(spec["metadata"]["generation"], 2)
        status = self.server.patch(TWINS + "/n1/status", {"status": {"schedulableClass": "eco"}})
        self.assertEqual(status.json["metadata"]["generation"], 2)

    def test_status_and_the_rest_are_apart(self):
        patch = {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"profile": "performance"},
            "status": {"schedulableClass": "eco"},
        }
        answer = self.server.patch(TWINS + "/n1/status", patch).json
        self.assertEqual(answer["status"], {"schedulableClass": "eco"})
        self.assertEqual(answer["spec"]["profile"], "eco")
        self.assertNotIn("labels", answer["metadata"])
        patch["status"] = {"schedulableClass": "performance"}
        answer = self.server.patch(TWINS + "/n1", patch).json
        self.assertEqual(answer["status"], {"schedulableClass": "eco"})
        self.assertEqual(answer["spec"]["profile"], "performance")

    def test_a_pod_keeps_its_spec(self):
        self.server.post(PODS, pod("p"))
        answer = self.server.patch(PODS + "/p", {"spec": {"nodeName": "n1"}})
        self.assert_status(answer, 422, "Invalid")
        answer = self.server.patch(PODS + "/p", {"spec": {"activeDeadlineSeconds": 5}})
        self.assertEqual(answer.code, 200)


class Patch(Case):
    def setUp(self):
        super().setUp()
        self.make("n1", labels={"a": "1"})

    def test_merge_patches(self):
        self.server.patch(TWINS + "/n1", {"spec": {"cpu": {"packagePowerCapWatts": 100}}})
        patch = {"metadata": {"labels": {"a": None, "b": "2"}}, "spec": {"cpu": None}}
        answer = self.server.patch(TWINS + "/n1", patch).json
        self.assertEqual(answer["metadata"]["labels"], {"b": "2"})
        self.assertNotIn("cpu", answer["spec"])
        answer = self.server.patch(TWINS + "/n1", {"spec": {"profile": None}})
        self.assert_status(answer, 422, "Invalid")
        for body in ("[]", "{", '{"a":Infinity}'):
            self.assert_status(self.server.patch(TWINS + "/n1", body), 400, "BadRequest")

    def test_json_patches(self):
        patch = [
            {"op": "test", "path": "/metadata/labels/a", "value": "1"},
            {"op": "add", "path": "/metadata/labels/joulie.io~1x", "value": "2"},
        ]
        answer = self.server.patch(TWINS + "/n1", patch, JSON_PATCH).json
        self.assertEqual(answer["metadata"]["labels"], {"a": "1", "joulie.io/x": "2"})
        patch[0]["value"] = "9"
        self.assert_status(self.server.patch(TWINS + "/n1", patch, JSON_PATCH), 422, "Invalid")
        for patch, code in (
            ([{"op": "merge", "path": "/a", "value": 1}], 400),
            ({}, 400),
            ([{"op": "remove", "path": "/nothing"}], 422),
            ([{"op": "test", "path": "/kind", "value": "NodeTwin"}] * 10001, 413),
        ):
            answer = self.server.patch(TWINS + "/n1", patch, JSON_PATCH)
            self.assertEqual(answer.code, code, answer)

    def test_a_patch_is_one_value(self):
        answer = self.server.patch(TWINS + "/n1", '{},"type":"json"')
        self.assert_status(answer, 400, "BadRequest")

    def test_types_that_are_not_taken(self):
        for kind in (STRATEGIC, "application/apply-patch+yaml", "text/plain"):
            status = self.assert_status(
                self.server.patch(TWINS + "/n1", {}, kind), 415, "UnsupportedMediaType"
            )
            self.assertIn(
                "accepted media types include: application/json-patch+json, "
                "application/merge-patch+json",
                status["message"],
            )
        answer = self.server.patch(TWINS + "/n1?force=true", {})
        self.assert_status(answer, 422, "Invalid")

    def test_strategic_patches_of_built_in_kinds(self):
        self.server.post(NODES, node("n1"))
        patch = {
            "status": {
                "conditions": [{"type": "Joulie", "status": "False"}],
                "$setElementOrder/conditions": [{"type": "Joulie"}, {"type": "Ready"}],
            }
        }
        answer = self.server.patch(NODES + "/n1/status", patch, STRATEGIC).json
        self.assertEqual(
            [item["type"] for item in answer["status"]["conditions"]], ["Joulie", "Ready"]
        )
        patch = {
            "status": {
                "conditions": [
                    {"$patch": "delete", "type": "Ready"},
                    {"type": "Joulie", "status": "True"},
                ]
            }
        }
        answer = self.server.patch(NODES + "/n1/status", patch, STRATEGIC).json
        self.assertEqual(answer["status"]["conditions"], [{"type": "Joulie", "status": "True"}])
        taints = [{"key": "a", "effect": "NoSchedule"}]
        answer = self.server.patch(NODES + "/n1", {"spec": {"taints": taints}}, STRATEGIC).json
        self.assertEqual(answer["spec"]["taints"], taints)
        patch = {"metadata": {"finalizers": ["a.b/c"]}}
        self.server.patch(NODES + "/n1", patch, STRATEGIC)
        patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.b/c"]}}
        answer = self.server.patch(NODES + "/n1", patch, STRATEGIC).json
        self.assertEqual(answer["metadata"].get("finalizers"), [])


class Delete(Case):
    def test_an_object_that_goes_at_once(self):
        self.make("n1")
        uid = self.server.get(TWINS + "/n1").json["metadata"]["uid"]
        answer = self.server.ask("DELETE", TWINS + "/n1")
        self.assertEqual((answer.code, answer.json["status"]), (200, "Success"))
        self.assertEqual(answer.json["details"]["uid"], uid)
        self.assert_status(self.server.ask("DELETE", TWINS + "/n1"), 404, "NotFound")
        self.make("n1")
        self.assertNotEqual(self.server.get(TWINS + "/n1").json["metadata"]["uid"], uid)

    def test_preconditions(self):
        self.make("n1")
        for wanted in ({"uid": "x"}, {"resourceVersion": "1"}):
            answer = self.server.ask("DELETE", TWINS + "/n1", {"preconditions": wanted})
            self.assert_status(answer, 409, "Conflict")

    def test_finalizers_keep_it(self):
        document = twin("n1")
        document["metadata"]["finalizers"] = ["joulie.io/x"]
        self.server.post(TWINS, document)
        answer = self.server.ask("DELETE", TWINS + "/n1").json
        self.assertEqual(answer["kind"], "NodeTwin")
        self.assertIn("deletionTimestamp", answer["metadata"])
        more = {"metadata": {"finalizers": ["joulie.io/x", "joulie.io/y"]}}
        self.assert_status(self.server.patch(TWINS + "/n1", more), 422, "Invalid")
        patch = [
            {"op": "test", "path": "/metadata/finalizers/0", "value": "joulie.io/x"},
            {"op": "remove", "path": "/metadata/finalizers/0"},
        ]
        self.assertEqual(self.server.patch(TWINS + "/n1", patch, JSON_PATCH).code, 200)
        self.assertEqual(self.server.get(TWINS + "/n1").code, 404)

    def test_a_collection(self):
        self.make("a", "b", labels={"x": "y"})
        self.make("c")
        self.assertEqual(self.server.ask("DELETE", TWINS + "?labelSelector=x%3Dy").code, 200)
        names = [item["metadata"]["name"] for item in self.server.get(TWINS).json["items"]]
        self.assertEqual(names, ["c"])
        self.assertEqual(
            [w["name"] for w in self.server.writes() if w["verb"] == "delete"], ["a", "b"]
        )

    def test_a_namespace_takes_what_is_in_it(self):
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "s"}}
        self.server.post("/api/v1/namespaces", space)
        self.server.post("/api/v1/namespaces/s/pods", pod("p"))
        self.assertEqual(self.server.ask("DELETE", "/api/v1/namespaces/s").code, 200)
        self.assertEqual(self.server.get("/api/v1/pods").json["items"], [])


class List(Case):
    def setUp(self):
        super().setUp()
        self.make(*"edcba")

    def names(self, **query):
        answer = self.server.get(TWINS, **query)
        self.assertEqual(answer.code, 200, answer)
        return [item["metadata"]["name"] for item in answer.json["items"]]

    def test_the_order_is_that_of_names(self):
        self.assertEqual(self.names(), list("abcde"))

    def test_pages_show_one_version(self):
        first = self.server.get(TWINS, limit="2").json
        self.assertEqual(first["metadata"]["remainingItemCount"], 3)
        self.server.ask("DELETE", TWINS + "/d")
        self.make("cc")
        self.server.patch(TWINS + "/e", {"metadata": {"labels": {"new": "yes"}}})
        token = first["metadata"]["continue"]
        second = self.server.get(TWINS, limit="2", **{"continue": token}).json
        third = self.server.get(TWINS, **{"continue": second["metadata"]["continue"]}).json
        found = [
            item["metadata"]["name"] for page in (first, second, third) for item in page["items"]
        ]
        self.assertEqual(found, list("abcde"))
        self.assertNotIn("labels", third["items"][0]["metadata"])
        self.assertEqual(
            {page["metadata"]["resourceVersion"] for page in (first, second, third)},
            {first["metadata"]["resourceVersion"]},
        )
        self.assertNotIn("continue", third["metadata"])
        self.assertEqual(self.names(), ["a", "b", "c", "cc", "e"])

    def test_an_older_version_exactly(self):
        version = self.server.get(TWINS).json["metadata"]["resourceVersion"]
        self.server.ask("DELETE", TWINS + "/a")
        self.assertEqual(
            self.names(resourceVersion=version, resourceVersionMatch="Exact"), list("abcde")
        )
        self.assertEqual(self.names(resourceVersion=version, limit="9"), list("abcde"))
        self.assertEqual(self.names(resourceVersion=version), list("bcde"))
        self.assertEqual(self.names(resourceVersion="0"), list("bcde"))

    def test_parameters_that_do_not_go_together(self):
        token = self.server.get(TWINS, limit="2").json["metadata"]["continue"]
        for query, code in (
            ({"continue": token, "resourceVersion": "1"}, 400),
            ({"continue": "zz"}, 400),
            ({"limit": "x"}, 400),
            ({"resourceVersion": "x"}, 400),
            ({"resourceVersionMatch": "Exact"}, 422),
            ({"resourceVersion": "0", "resourceVersionMatch": "Exact"}, 422),
            ({"resourceVersion": "1", "resourceVersionMatch": "Some"}, 422),
            ({"labelSelector": "a in b"}, 400),
            ({"fieldSelector": "spec.nodeName=a"}, 400),
        ):
            with self.subTest(str(query)):
                self.assertEqual(self.server.get(TWINS, **query).code, code)

    def test_a_version_that_is_not_there_yet(self):
        answer = self.server.get(TWINS, resourceVersion="99999999")
        status = self.assert_status(answer, 504, "Timeout")
        self.assertEqual(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge")
        self.assertEqual(answer.headers["Retry-After"], "1")

    def test_selectors(self):
        self.server.patch(TWINS + "/a", {"metadata": {"labels": {"k": "v"}}})
        self.assertEqual(self.names(labelSelector="k=v"), ["a"])
        self.assertEqual(self.names(labelSelector="k!=v"), list("bcde"))
        self.assertEqual(self.names(labelSelector="k in (v,w)"), ["a"])
        self.assertEqual(self.names(fieldSelector="metadata.name=c"), ["c"])
        page = self.server.get(TWINS, labelSelector="!k", limit="1").json
        self.assertNotIn("remainingItemCount", page["metadata"])

    def test_pods_by_node_and_namespace(self):
        other = "/api/v1/namespaces/kube-system/pods"
        self.server.post(PODS, pod("p1", nodeName="n1"))
        self.server.post(PODS, pod("p2"))
        self.server.post(other, pod("p3", nodeName="n1"))

        def found(path, **query):
            items = self.server.get(path, **query).json["items"]
            return [item["metadata"]["name"] for item in items]

        self.assertEqual(found("/api/v1/pods", fieldSelector="spec.nodeName=n1"), ["p1", "p3"])
        self.assertEqual(found(PODS), ["p1", "p2"])
        self.assertEqual(found("/api/v1/pods", fieldSelector="status.phase!=Pending"), [])
        page = self.server.get("/api/v1/pods", limit="2").json
        self.assertNotIn("kind", page["items"][0])
        self.assertEqual(
            found("/api/v1/pods", **{"continue": page["metadata"]["continue"]}), ["p3"]
        )

    def test_tables(self):
        answer = self.server.ask("GET", TWINS, Accept=TABLE).json
        self.assertEqual((answer["kind"], answer["apiVersion"]), ("Table", "meta.k8s.io/v1"))
        names = [column["name"] for column in answer["columnDefinitions"]]
        self.assertEqual(names[:3], ["Name", "Node", "Profile"])
        self.assertEqual(answer["rows"][0]["cells"][:4], ["a", "a", "eco", None])
        self.assertEqual(answer["rows"][0]["object"]["kind"], "PartialObjectMetadata")
        self.server.patch(
            f"{TWINS}/a/status", {"status": {"predictedPowerHeadroomScore": 83.97}}
        )
        answer = self.server.ask("GET", TWINS + "?includeObject=None", Accept=TABLE).json
        row = dict(zip([column["name"] for column in answer["columnDefinitions"]], answer["rows"][0]["cells"]))
        self.assertEqual((row["PowerHeadroom"], row["CoolingStress"]), (83, None))
        self.assertRegex(row["Age"], r"^\d+s$")
        self.assertNotIn("object", answer["rows"][0])
        answer = self.server.ask("GET", TWINS + "?includeObject=Object", Accept=TABLE).json
        self.assertEqual(answer["rows"][0]["object"]["kind"], "NodeTwin")
        self.server.post(NODES, node("n1", labels={"node-role.kubernetes.io/worker": ""}))
        row = self.server.ask("GET", NODES + "/n1", Accept=TABLE).json["rows"][0]
        self.assertEqual(row["cells"][:3], ["n1", "Ready", "worker"])

    def test_metadata_only(self):
        accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
        answer = self.server.ask("GET", TWINS, Accept=accept).json
        self.assertEqual(answer["kind"], "PartialObjectMetadataList")
        self.assertNotIn("spec", answer["items"][0])


class Expired(Case):
    arguments = ("--ring", "4")

    def test_tokens_and_watches_fall_out_of_the_ring(self):
        self.make("a", "b", "c")
        page = self.server.get(TWINS, limit="1").json["metadata"]
        self.make("d", "e", "f", "g", "h")
        answer = self.server.get(TWINS, **{"continue": page["continue"]})
        status = self.assert_status(answer, 410, "Expired")
        again = self.server.get(TWINS, **{"continue": status["metadata"]["continue"]}).json
        self.assertEqual([item["metadata"]["name"] for item in again["items"]], list("bcdefgh"))
        answer = self.server.get(
            TWINS, resourceVersion=page["resourceVersion"], resourceVersionMatch="Exact"
        )
        self.assert_status(answer, 410, "Expired")

        stream = self.server.watch(TWINS, resourceVersion=page["resourceVersion"])
        self.assertEqual(stream.code, 200)
        frame = stream.next()
        self.assertEqual((frame["type"], frame["object"]["code"]), ("ERROR", 410))
        self.assertIn("too old resource version", frame["object"]["message"])
        self.assertIsNone(stream.next())
        stream.close()
        self.assertEqual(self.server.counts()["expired"], 3)


class Watch(Case):
    def watch(self, path=TWINS, **query):
        stream = self.server.watch(path, **query)
        self.addCleanup(stream.close)
        self.assertEqual(stream.code, 200)
        return stream

    def version(self):
        return self.server.get(TWINS).json["metadata"]["resourceVersion"]

    def test_a_version_of_the_future_is_of_another_store(self):
        stream = self.watch(resourceVersion=str(int(self.version()) + 1))
        frame = stream.next()
        self.assertEqual((frame["type"], frame["object"]["code"]), ("ERROR", 410))
        self.assertIn("unknown resource version", frame["object"]["message"])
        self.assertIsNone(stream.next())
        stream = self.watch(resourceVersion=self.version())
        self.make("n1")
        self.assertEqual(stream.next()["type"], "ADDED")

    def test_what_comes_after_a_version(self):
        version = self.version()
        self.make("n1")
        stream = self.watch(resourceVersion=version)
        self.server.patch(TWINS + "/n1", {"spec": {"profile": "performance"}})
        self.server.ask("DELETE", TWINS + "/n1")
        frames = [stream.next() for _ in range(3)]
        self.assertEqual([frame["type"] for frame in frames], ["ADDED", "MODIFIED", "DELETED"])
        versions = [int(frame["object"]["metadata"]["resourceVersion"]) for frame in frames]
        self.assertEqual(versions, sorted(set(versions)))
        self.assertEqual(versions[2], int(self.version()))
        self.assertEqual(frames[2]["object"]["spec"]["profile"], "performance")
        self.assertEqual(frames[2]["object"]["kind"], "NodeTwin")

    def test_without_a_version_what_is_there_comes_first(self):
        self.make("a", "b")
        for query in ({}, {"resourceVersion": "0"}):
            stream = self.watch(**query)
            self.assertEqual(stream.types(2), [("ADDED", "a"), ("ADDED", "b")])
        self.make("c")
        self.assertEqual(stream.types(1), [("ADDED", "c")])

    def test_a_streamed_list_ends_with_a_bookmark(self):
        self.make("a")
        stream = self.watch(
            sendInitialEvents="true",
            resourceVersionMatch="NotOlderThan",
            allowWatchBookmarks="true",
        )
        self.assertEqual(stream.types(1), [("ADDED", "a")])
        frame = stream.next()
        self.assertEqual(frame["type"], "BOOKMARK")
        self.assertEqual(
            frame["object"]["metadata"]["annotations"], {"k8s.io/initial-events-end": "true"}
        )

    def test_selectors_translate(self):
        stream = self.watch(labelSelector="a=1")
        self.make("n1", labels={"a": "2"})
        self.server.patch(TWINS + "/n1", {"metadata": {"labels": {"a": "1"}}})
        self.server.patch(TWINS + "/n1", {"spec": {"profile": "performance"}})
        answer = self.server.patch(TWINS + "/n1", {"metadata": {"labels": {"a": "2"}}}).json
        frames = [stream.next() for _ in range(3)]
        self.assertEqual([frame["type"] for frame in frames], ["ADDED", "MODIFIED", "DELETED"])
        self.assertEqual(frames[2]["object"]["metadata"]["labels"], {"a": "1"})
        self.assertEqual(
            frames[2]["object"]["metadata"]["resourceVersion"],
            answer["metadata"]["resourceVersion"],
        )

    def test_pods_of_one_node(self):
        self.server.post(NODES, node("n1"))
        stream = self.watch("/api/v1/pods", fieldSelector="spec.nodeName=n1")
        self.server.post(PODS, pod("p"))
        self.server.post(PODS + "/p/binding", {"target": {"kind": "Node", "name": "n1"}})
        self.assertEqual(stream.types(1), [("ADDED", "p")])

    def test_bookmarks_when_they_are_asked_for(self):
        stream = self.watch(allowWatchBookmarks="true", resourceVersion=self.version())
        other = self.watch(NODES, allowWatchBookmarks="true")
        self.make("n1")
        version = self.server.post("/test/bookmark", "").text
        frame = stream.next()  # says the version itself: no bookmark is needed
        self.assertEqual(frame["type"], "ADDED")
        self.assertEqual(frame["object"]["metadata"]["resourceVersion"], version)
        frame = other.next()
        self.assertEqual(frame["type"], "BOOKMARK")
        self.assertEqual(frame["object"]["kind"], "Node")
        self.assertEqual(frame["object"]["metadata"]["resourceVersion"], version)

    def test_a_watch_that_opens_late_hears_of_the_version_that_is_waited_for(self):
        before = self.version()
        self.make("n1")
        version = self.server.post("/test/bookmark", "").text
        stream = self.watch(NODES, allowWatchBookmarks="true", resourceVersion=before)
        frame = stream.next()
        self.assertEqual(frame["type"], "BOOKMARK")
        self.assertEqual(frame["object"]["metadata"]["resourceVersion"], version)

    def test_it_ends_when_its_time_is_over(self):
        stream = self.watch(timeoutSeconds="1", allowWatchBookmarks="true")
        self.assertEqual(stream.next()["type"], "BOOKMARK")
        self.assertIsNone(stream.next())

    def test_tables(self):
        connection = self.server.connect()
        connection.request("GET", TWINS + "?watch=true", headers={"Accept": TABLE})
        response = connection.getresponse()
        self.make("a", "b")
        first, second = (json.loads(response.readline()) for _ in range(2))
        self.assertEqual(first["object"]["kind"], "Table")
        self.assertEqual(first["object"]["rows"][0]["cells"][0], "a")
        self.assertTrue(first["object"]["columnDefinitions"])
        self.assertIsNone(second["object"]["columnDefinitions"])
        connection.close()

    def test_the_peer_that_goes_is_forgotten(self):
        stream = self.server.watch(TWINS)
        self.make("a")
        stream.next()
        stream.close()
        while self.server.counts()["openWatches"] > 0:
            pass


class QuietWatch(Case):
    arguments = ("--bookmark-ms", "20")

    def test_a_quiet_watch_gets_bookmarks(self):
        stream = self.server.watch(TWINS, allowWatchBookmarks="1")
        self.assertEqual([stream.next()["type"] for _ in range(3)], ["BOOKMARK"] * 3)
        stream.close()


class BusyWatch(Case):
    arguments = ("--bookmark-ms", "1")

    def test_a_watch_may_be_cut_when_its_bookmark_is_due(self):
        self.server.post("/faults", {"cutStreams": 1})
        for turn in range(120):
            streams = [self.server.watch(TWINS, allowWatchBookmarks="1") for _ in range(4)]
            self.make(f"n{turn}")
            for stream in streams:
                with self.assertRaises(Exception):
                    while stream.next():
                        pass
                stream.close()
        self.assertEqual(self.server.counts()["openWatches"], 0)


class Events(Case):
    def event(self, **members):
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": "n1.17", "namespace": "default"},
            "eventTime": "2026-03-13T12:00:00.000000Z",
            "reportingController": "joulie.io/agent",
            "reportingInstance": "joulie-agent-n1",
            "action": "ApplyCap",
            "reason": "CapApplied",
            "type": "Normal",
            "note": "done",
            "regarding": {"kind": "Node", "name": "n1"},
            **members,
        }

    def test_one_event_in_two_forms(self):
        path = "/apis/events.k8s.io/v1/namespaces/default/events"
        self.assertEqual(self.server.post(path, self.event()).code, 201)
        core = self.server.get("/api/v1/namespaces/default/events/n1.17").json
        self.assertEqual(core["apiVersion"], "v1")
        self.assertEqual((core["message"], core["involvedObject"]["name"]), ("done", "n1"))
        self.assertEqual(core["reportingComponent"], "joulie.io/agent")
        self.assertIsNone(core["firstTimestamp"])
        for field in ("involvedObject.name=n1", "regarding.name=n1", "reason=CapApplied"):
            found = self.server.get("/api/v1/events", fieldSelector=field).json["items"]
            self.assertEqual(len(found), 1, field)
        patch = {"series": {"count": 2, "lastObservedTime": "2026-03-13T12:00:01.000000Z"}}
        self.assertEqual(self.server.patch(path + "/n1.17", patch, STRATEGIC).code, 200)
        self.assertEqual(
            self.server.patch(
                "/api/v1" + path[len("/apis/events.k8s.io/v1") :] + "/n1.17", {"message": "again"}
            ).code,
            200,
        )
        self.assertEqual(self.server.get(path + "/n1.17").json["note"], "again")

    def test_what_a_new_event_has_to_say(self):
        path = "/apis/events.k8s.io/v1/namespaces/default/events"
        for members in (
            {"eventTime": "2026-03-13T12:00:00Z"},
            {"reason": ""},
            {"type": "Odd"},
            {"note": "x" * 1025},
            {"action": "a" * 129},
            {"regarding": {"kind": "Pod", "name": "p", "namespace": "other"}},
        ):
            with self.subTest(str(members)[:50]):
                answer = self.server.post(path, self.event(**members))
                self.assert_status(answer, 422, "Invalid")


class Pods(Case):
    def test_binding_and_eviction(self):
        self.server.post(PODS, pod("p"))
        answer = self.server.post(PODS + "/p/binding", {"target": {"kind": "Node", "name": "n1"}})
        self.assertEqual(answer.code, 201, answer)
        found = self.server.get(PODS + "/p").json
        self.assertEqual(found["spec"]["nodeName"], "n1")
        self.assertEqual(found["status"]["conditions"][0]["type"], "PodScheduled")
        again = self.server.post(PODS + "/p/binding", {"target": {"name": "n2"}})
        self.assert_status(again, 409, "Conflict")
        self.assert_status(
            self.server.post(PODS + "/q/binding", {"target": {"name": "n2"}}), 404, "NotFound"
        )
        self.assertEqual(self.server.post(PODS + "/p/eviction", {}).code, 201)
        self.assertEqual(self.server.get(PODS + "/p").code, 404)
        writes = [(w["verb"], w["subresource"], w["name"]) for w in self.server.writes()]
        self.assertEqual(
            writes, [("create", "", "p"), ("create", "binding", "p"), ("delete", "eviction", "p")]
        )

    def test_leases(self):
        path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "l"},
            "spec": {"holderIdentity": "a"},
        }
        bad = copy.deepcopy(lease)
        bad["spec"]["leaseDurationSeconds"] = 0
        self.assert_status(self.server.post(path, bad), 422, "Invalid")
        bad["spec"] = {"renewTime": "2026-03-13T12:00:00Z"}
        self.assert_status(self.server.post(path, bad), 422, "Invalid")
        made = self.server.post(path, lease).json
        self.assertEqual(self.server.ask("PUT", path + "/l", made).code, 200)
        self.assert_status(self.server.ask("PUT", path + "/l", lease), 422, "Invalid")


class Own(Case):
    """What the simulator does without a request."""

    def test_put_keeps_what_the_server_knows(self):
        self.assertTrue(self.server.put(twin("n1", bogus=1)).text.startswith("1"))
        first = self.server.get(TWINS + "/n1").json
        self.assertEqual(first["spec"]["bogus"], 1)  # a newer writer's field, not pruned
        self.assertTrue(self.server.put(twin("n1", bogus=1)).text.startswith("0"))
        self.server.put(twin("n1", profile="performance"))
        second = self.server.get(TWINS + "/n1").json
        self.assertEqual(second["metadata"]["uid"], first["metadata"]["uid"])
        self.assertEqual(second["metadata"]["generation"], 2)
        self.assertEqual(self.server.writes(), [])
        self.assertTrue(self.server.put({"kind": "X", "apiVersion": "v1"}).text.startswith("-"))

    def test_merge_leaves_what_it_does_not_name(self):
        self.server.put(node("n1"))
        self.server.patch(NODES + "/n1", {"metadata": {"labels": {"joulie.io/x": "eco"}}})
        path = "/test/merge?resource=nodes&name=n1"
        self.server.post(path, {"status": {"allocatable": {"cpu": "8"}}})
        found = self.server.get(NODES + "/n1").json
        self.assertEqual(found["metadata"]["labels"], {"joulie.io/x": "eco"})
        self.assertEqual(found["status"]["allocatable"], {"cpu": "8"})
        self.assertTrue(
            self.server.post("/test/merge?resource=nodes&name=n9", {}).text.startswith("-")
        )

    def test_requests_are_counted(self):
        headers = {"User-Agent": "joulie-agent/0.1.0 (linux/amd64)"}
        before = self.server.counts()
        self.server.ask("GET", TWINS, **headers)
        self.server.ask("GET", TWINS + "/n9", **headers)
        stream = self.server.watch(TWINS)
        self.server.get("/livez")
        after = self.server.counts()
        stream.close()
        self.assertEqual(after["calls"] - before["calls"], 2)
        self.assertEqual(after["watches"], 1)
        rows = {
            (row["verb"], row["code"]): row["count"]
            for row in after["rows"]
            if row["client"] == "joulie-agent"
        }
        self.assertEqual(rows, {("list", 200): 1, ("get", 404): 1})


class Faults(Case):
    def faults(self, **members):
        answer = self.server.post("/faults", members)
        self.assertEqual(answer.code, 200, answer)
        return answer.json

    def count(self, name):
        return self.server.get("/faults").json["counts"][name]

    def test_refusals(self):
        self.faults(tooMany=1, limit=1)
        answer = self.server.get(TWINS)
        self.assert_status(answer, 429, "TooManyRequests")
        self.assertEqual(answer.headers["Retry-After"], "1")
        self.assertEqual(self.server.get(TWINS).code, 200)
        self.faults(internal=1)
        self.assert_status(self.server.get(TWINS), 500, "InternalError")
        self.assertEqual(self.server.get("/livez").code, 200)
        self.assertEqual((self.count("tooMany"), self.count("internal")), (1, 1))

    def test_streams_are_cut_in_a_frame(self):
        stream = self.server.watch(TWINS)
        self.faults(cutStreams=1)
        self.make("n1")
        with self.assertRaises(Exception):
            stream.next()
        stream.close()
        self.assertEqual(self.count("cutStreams"), 1)
        self.assertEqual(self.server.counts()["openWatches"], 0)

    def test_versions_are_gone(self):
        self.make("a", "b")
        token = self.server.get(TWINS, limit="1").json["metadata"]["continue"]
        stream = self.server.watch(TWINS, resourceVersion=self.server.counts()["version"])
        self.faults(gone=1)
        self.assert_status(self.server.get(TWINS, **{"continue": token}), 410, "Expired")
        self.make("c")
        self.assertEqual(stream.next()["object"]["code"], 410)
        self.assertIsNone(stream.next())
        refused = self.server.watch(TWINS)
        self.assertEqual(refused.code, 410)
        refused.close()
        stream.close()
        self.assertEqual(self.count("gone"), 3)

    def test_bytes_come_slowly_but_whole(self):
        self.make(*"abcdefgh")
        whole = self.server.get(TWINS).text
        stream = self.server.watch(TWINS)
        self.faults(slowBytes=1)
        self.assertEqual(self.server.get(TWINS).text, whole)
        slow = self.server.watch(TWINS)
        self.assertEqual(slow.types(8), stream.types(8))
        self.make("i")
        self.assertEqual(slow.types(1), [("ADDED", "i")])
        self.assertGreaterEqual(self.count("slowBytes"), 2)
        slow.close()
        stream.close()

    def test_the_same_seed_fails_the_same(self):
        def run():
            self.faults(seed=7, internal=0.5)
            return [self.server.get(TWINS).code for _ in range(20)]

        first = run()
        self.assertEqual(run(), first)
        self.assertEqual(set(first), {200, 500})

    def test_only_probabilities(self):
        for body in ({"internal": 2}, {"internal": "x"}, {"other": 1}, []):
            self.assertEqual(self.server.post("/faults", body).code, 400, body)


class Many(Case):
    def test_thousands_of_objects(self):
        for start in range(0, 5000):
            self.server_put(start)
        seen = []
        query = {"limit": "500"}
        while True:
            page = self.server.get(NODES, **query).json
            seen += [item["metadata"]["name"] for item in page["items"]]
            token = page["metadata"].get("continue")
            if not token:
                break
            query = {"limit": "500", "continue": token}
        self.assertEqual(seen, [f"n{i:05}" for i in range(5000)])

    def setUp(self):
        super().setUp()
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def server_put(self, number):
        self.connection.request("POST", "/test/put", body=json.dumps(node(f"n{number:05}")))
        self.assertEqual(self.connection.getresponse().read()[:1], b"1")


if __name__ == "__main__":
    unittest.main()
