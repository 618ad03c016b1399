# SPDX-License-Identifier: Apache-2.0
"""A current kubectl, built from its Go module, against the embedded API server."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from checkout import ROOT
from server import DEADLINE_S, NODES, TWINS, Server, node, pod, twin

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402


class Kubectl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.program = str(build.program("kubectl"))
        except build.Missing as reason:
            raise unittest.SkipTest(str(reason))

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def command(self, *words):
        cache = str(Path(self.folder.name) / "cache")
        return [
            self.program,
            "--kubeconfig",
            str(self.server.kubeconfig),
            "--cache-dir",
            cache,
            *words,
        ]

    def run_it(self, *words):
        environment = {**os.environ, "HOME": self.folder.name}
        return subprocess.run(
            self.command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_S * 2,
            env=environment,
            check=False,
        )

    def kubectl(self, *words):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words):
        done = self.run_it(*words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def write(self, document):
        path = Path(self.folder.name) / "document.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    def test_get(self):
        self.server.put(node("n1", labels={"a": "1"}))
        self.server.put(node("n2", labels={"a": "2"}))
        self.server.post(TWINS, twin("n1", cpu={"packagePowerCapPctOfMax": 60}))
        lines = self.kubectl("get", "nodes").splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "STATUS", "ROLES", "AGE", "VERSION"])
        self.assertEqual(
            [line.split()[:2] for line in lines[1:]], [["n1", "Ready"], ["n2", "Ready"]]
        )
        self.assertEqual(self.kubectl("get", "no", "-l", "a=2", "-o", "name"), "node/n2\n")
        lines = self.kubectl("get", "nt").splitlines()
        self.assertEqual(lines[0].split()[:3], ["NAME", "NODE", "PROFILE"])
        self.assertRegex(lines[1], r"^n1 +n1 +eco +60 +\d+s")
        self.assertIn("INTERNAL-IP", self.kubectl("get", "nodes", "-o", "wide"))
        self.assertIn(
            "packagePowerCapPctOfMax: 60\n", self.kubectl("get", "nodetwin", "n1", "-o", "yaml")
        )
        self.assertIn("NotFound", self.refused("get", "nt", "n9"))
        self.assertIn("kube-system", self.kubectl("get", "namespaces"))
        self.assertIn("nodetwins.joulie.io", self.kubectl("get", "crd"))

    def test_get_watch(self):
        self.server.post(TWINS, twin("n1"))
        process = subprocess.Popen(
            self.command("get", "nt", "-w", "--no-headers"), stdout=subprocess.PIPE, text=True
        )
        self.assertRegex(process.stdout.readline(), r"^n1 +n1 +eco +\d+s")
        self.server.patch(TWINS + "/n1", {"spec": {"profile": "performance"}})
        self.assertRegex(process.stdout.readline(), r"^n1 +n1 +performance +\d+s")
        self.server.post(TWINS, twin("n2"))
        self.assertRegex(process.stdout.readline(), r"^n2 +n2 +eco +\d+s")
        process.terminate()
        process.wait(DEADLINE_S)
        process.stdout.close()

    def test_describe(self):
        self.server.put(node("n1"))
        document = pod("p", nodeName="n1")
        document["metadata"]["namespace"] = "default"
        document["status"] = {"phase": "Running"}
        self.server.put(document)
        uid = self.server.get(NODES + "/n1").json["metadata"]["uid"]
        self.server.post(
            "/api/v1/namespaces/default/events",
            {
                "metadata": {"name": "n1.1", "namespace": "default"},
                "reason": "CapApplied",
                "type": "Normal",
                "message": "power cap is 200 W",
                "involvedObject": {"kind": "Node", "name": "n1", "uid": uid},
            },
        )
        text = self.kubectl("describe", "node", "n1")
        self.assertRegex(text, r"default\s+p ")
        self.assertRegex(text, r"CapApplied.*power cap is 200 W")
        self.server.post(TWINS, twin("n1"))
        self.assertRegex(self.kubectl("describe", "nt", "n1"), r"Profile:\s+eco")

    def test_apply_of_our_kinds(self):
        path = self.write(twin("n1"))
        self.assertIn("created", self.kubectl("apply", "-f", path))
        self.assertIn("unchanged", self.kubectl("apply", "-f", path))
        path = self.write(twin("n1", profile="performance"))
        self.assertIn("configured", self.kubectl("apply", "-f", path))
        self.assertEqual(
            self.kubectl("get", "nt", "n1", "-o", "jsonpath={.spec.profile}"), "performance"
        )
        path = self.write(twin("n1", bogus=1))
        self.assertIn('unknown field "spec.bogus"', self.refused("apply", "-f", path))
        self.assertIn("spec.bogus", self.kubectl_warning("apply", "--validate=warn", "-f", path))
        path = self.write(twin("n1", profile="hot"))
        self.assertIn("Unsupported value", self.refused("apply", "-f", path))
        self.assertIn("not available", self.refused("apply", "--server-side", "-f", path))

    def kubectl_warning(self, *words):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_apply_of_built_in_kinds(self):
        path = self.write(node("n1", labels={"a": "1"}))
        self.assertIn("created", self.kubectl("apply", "-f", path))
        path = self.write(node("n1", labels={"b": "2"}))
        self.assertIn("configured", self.kubectl("apply", "-f", path))
        labels = self.server.get(NODES + "/n1").json["metadata"]["labels"]
        self.assertEqual(labels, {"b": "2"})

    def test_patch(self):
        self.server.post(TWINS, twin("n1"))
        self.kubectl(
            "patch", "nt", "n1", "--type", "merge", "-p", '{"spec":{"profile":"performance"}}'
        )
        self.kubectl(
            "patch",
            "nt",
            "n1",
            "--type",
            "json",
            "-p",
            '[{"op":"test","path":"/spec/profile","value":"performance"},'
            '{"op":"replace","path":"/spec/profile","value":"eco"}]',
        )
        self.kubectl(
            "patch",
            "nt",
            "n1",
            "--subresource",
            "status",
            "--type",
            "merge",
            "-p",
            '{"status":{"schedulableClass":"eco"}}',
        )
        found = self.server.get(TWINS + "/n1").json
        self.assertEqual(
            (found["spec"]["profile"], found["status"]["schedulableClass"]), ("eco", "eco")
        )
        self.assertIn("not supported", self.refused("patch", "nt", "n1", "-p", "{}"))

    def test_label_annotate_taint_cordon(self):
        self.server.put(node("n1"))
        self.kubectl("label", "node", "n1", "joulie.io/managed=true")
        self.kubectl("annotate", "node", "n1", "joulie.io/paused=yes")
        self.kubectl("taint", "node", "n1", "a=b:NoSchedule")
        self.kubectl("cordon", "n1")
        found = self.server.get(NODES + "/n1").json
        self.assertEqual(found["metadata"]["labels"], {"joulie.io/managed": "true"})
        self.assertEqual(found["metadata"]["annotations"], {"joulie.io/paused": "yes"})
        self.assertEqual(
            found["spec"]["taints"], [{"key": "a", "value": "b", "effect": "NoSchedule"}]
        )
        self.assertTrue(found["spec"]["unschedulable"])
        self.kubectl("uncordon", "n1")
        self.kubectl("taint", "node", "n1", "a-")
        self.kubectl("label", "node", "n1", "joulie.io/managed-")
        found = self.server.get(NODES + "/n1").json
        self.assertNotIn("unschedulable", found["spec"])
        self.assertFalse(found["spec"].get("taints"))
        self.assertFalse(found["metadata"].get("labels"))
        self.server.post(TWINS, twin("n1"))
        self.kubectl("label", "nt", "n1", "a=b")
        self.assertEqual(self.server.get(TWINS + "/n1").json["metadata"]["labels"], {"a": "b"})

    def test_delete(self):
        self.server.post(TWINS, twin("n1"))
        self.server.post(TWINS, twin("n2", {"x": "y"}))
        self.assertIn("deleted", self.kubectl("delete", "nt", "n1"))
        self.assertIn("deleted", self.kubectl("delete", "nt", "-l", "x=y"))
        self.assertEqual(self.server.get(TWINS).json["items"], [])

    def test_what_there_is(self):
        lines = [line.split() for line in self.kubectl("api-resources").splitlines()]
        self.assertIn(["nodetwins", "nt", "joulie.io/v1alpha1", "false", "NodeTwin"], lines)
        self.assertIn(["nodes", "no", "v1", "false", "Node"], lines)
        self.assertIn("joulie.io/v1alpha1", self.kubectl("api-versions"))
        self.assertEqual(self.kubectl("auth", "can-i", "list", "nodes").strip(), "yes")

    def test_explain(self):
        text = self.kubectl("explain", "nodetwin.spec.profile")
        self.assertIn("FIELD: profile <string>", text)
        self.assertIn("performance", text)
        text = self.kubectl("explain", "node.spec.taints")
        self.assertIn("effect\t<string>", text)
        self.assertIn("labels\t<map[string]string>", self.kubectl("explain", "pod.metadata"))


if __name__ == "__main__":
    unittest.main()
