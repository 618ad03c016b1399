# SPDX-License-Identifier: Apache-2.0
"""A list as `kubectl get -o json|yaml` prints it stands for its items."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import DEV, ROOT

JOULIE = str(DEV / "bin" / "joulie")


def joulie(*arguments, text=""):
    return subprocess.run(
        [JOULIE, *arguments],
        input=text.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )


def answers(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def profile(name, spec):
    return {
        "apiVersion": "tensor-fusion.ai/v1",
        "kind": "WorkloadProfile",
        "metadata": {"name": name},
        "spec": spec,
    }


def listed(*items, kind="List", api_version="v1"):
    return {"apiVersion": api_version, "items": list(items), "kind": kind, "metadata": {}}


LOW = profile("low", {"qos": "low"})
WRONG = profile("wrong", {"qos": "none"})
LIMITS = {"autoScalingConfig": {"autoSetLimits": {"enable": True, "scaleUpStep": "200%"}}}
YAML = """apiVersion: v1
# what kubectl prints
items:
- apiVersion: tensor-fusion.ai/v1
  kind: WorkloadProfile
  metadata:
    name: low
    annotations:
      note: |
        - not an item
        # nor a comment
  spec:
    qos: low

- apiVersion: tensor-fusion.ai/v1
  kind: WorkloadProfile
  metadata: {name: wrong}
  spec:
    gpuCount: 1
    qos: none
kind: List
metadata:
  resourceVersion: ""
"""
WRONG_LINE = YAML.splitlines().index("    qos: none") + 1


class Convert(unittest.TestCase):
    def test_each_item_is_one_document(self):
        for text in (json.dumps(listed(LOW, LOW)), json.dumps(listed(LOW, LOW), indent=4)):
            done = joulie("convert", "--to", "C", text=text)
            self.assertEqual((done.returncode, answers(done)), (0, [LOW, LOW]))

    def test_yaml_is_the_same(self):
        done = joulie("convert", "--detect", text=YAML)
        self.assertEqual(answers(done), [{"dialect": "neutral"}] * 2)

    def test_items_of_a_typed_list_are_of_its_kind(self):
        bare = {key: LOW[key] for key in ("metadata", "spec")}
        text = json.dumps(listed(bare, kind="WorkloadProfileList", api_version="tensor-fusion.ai/v1"))
        done = joulie("convert", "--to", "C", text=text)
        self.assertEqual((done.returncode, answers(done)), (0, [LOW]))
        yaml = (
            "apiVersion: tensor-fusion.ai/v1\nkind: WorkloadProfileList\nitems:\n"
            "- metadata: {name: low}\n  spec: {qos: low}\n"
        )
        done = joulie("convert", "--to", "C", text=yaml)
        self.assertEqual((done.returncode, answers(done)), (0, [LOW]))

    def test_a_bad_item_is_reported_by_its_place_and_the_others_are_answered(self):
        pod = {"apiVersion": "v1", "kind": "Pod"}
        done = joulie("convert", "--to", "C", text=json.dumps(listed(LOW, pod, {}, 7, LOW)))
        self.assertEqual(done.returncode, 1)
        found = answers(done)
        places = [answer["error"]["where"] if "error" in answer else None for answer in found]
        self.assertEqual(places[:2] + places[4:], [None, "items[1].apiVersion", None])
        self.assertTrue(all(place.startswith("items[2].") for place in places[2:3]), places)
        self.assertEqual(places[3], "items[3]")

    def test_warnings_name_the_item(self):
        done = joulie("convert", "--to", "C", text=json.dumps(listed(LOW, profile("a", LIMITS))))
        where = "items[1].spec.autoScalingConfig.autoSetLimits.scaleUpStep"
        self.assertIn(f"warning: NotRepresentable: {where}: ", done.stderr.decode())

    def test_options_are_of_the_command_line_and_of_no_item(self):
        text = json.dumps(listed(profile("a", LIMITS)))
        done = joulie("convert", "--to", "C", "--gpu-model", "H10", text=text)
        self.assertIn(b"warning: NeedsGpuModel: options.gpuModel: ", done.stderr)

    def test_lists_stand_beside_other_documents(self):
        text = json.dumps(LOW) + "\n" + json.dumps(listed(LOW)) + "\n" + json.dumps(WRONG)
        self.assertEqual(len(answers(joulie("convert", "--detect", text=text))), 3)
        done = joulie("convert", "--detect", text=YAML + "---\n" + YAML)
        self.assertEqual(len(answers(done)), 4)

    def test_a_list_without_items_has_no_answers(self):
        empty = (json.dumps(listed()), "apiVersion: v1\nkind: List\nitems: []\n")
        for command in (("convert", "--to", "C"), ("convert", "--detect"), ("validate",)):
            for text in empty:
                done = joulie(*command, text=text)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_no_document_at_all_is_an_error(self):
        done = joulie("convert", "--to", "C", text="---\n# nothing\n")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(answers(done)[0]["error"]["code"], "parse")

    def test_power_profiles_are_migrated_out_of_a_list(self):
        head = {"apiVersion": "joulie.io/v1alpha1", "kind": "NodePowerProfile"}
        spec = {"nodeName": "n1", "profile": "eco"}
        good = {**head, "metadata": {"name": "a"}, "spec": spec}
        bad = {**head, "metadata": {"name": "b"}, "spec": {**spec, "profile": "fast"}}
        done = joulie("convert", "--to", "v0.1.1", text=json.dumps(listed(good, bad)))
        found = answers(done)
        self.assertEqual(found[0]["error"]["where"], "items[1].spec.profile")
        self.assertEqual(found[1]["nodeTwin"]["spec"]["nodeName"], "n1")


def pod(name, word):
    annotations = {"joulie.io/workload-class": word}
    metadata = {"name": name, "labels": {"app": name}, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}


class Objects(unittest.TestCase):
    """What people have is taken, or the error says where it belongs."""

    def test_a_pod_and_a_list_of_pods_are_classified(self):
        one = joulie("classify", text=json.dumps(pod("a", "performance")))
        self.assertEqual(answers(one)[0]["criticality"]["class"], "performance")
        both = listed(pod("a", "performance"), pod("b", "standard"))
        classes = [each["criticality"]["class"] for each in answers(joulie("classify", text=json.dumps(both)))]
        self.assertEqual(classes, ["performance", "standard"])
        yaml = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {joulie.io/workload-class: performance}}\n"
        self.assertEqual(answers(joulie("classify", text=yaml))[0]["criticality"]["class"], "performance")

    def test_an_object_in_the_place_of_an_input_is_named_its_member(self):
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
        hardware = {"apiVersion": "joulie.io/v1alpha1", "kind": "NodeHardware", "metadata": {"name": "n"}}
        for question, document, member in (
            ("score", pod("a", "performance"), "pod"),
            ("plan", node, "nodes[].node"),
            ("predict", hardware, "hardware"),
        ):
            done = joulie(question, text=json.dumps(listed(document)))
            error = answers(done)[0]["error"]
            self.assertEqual((done.returncode, error["where"]), (1, "items[0].kind"))
            self.assertIn(f"belongs under {member} of the input", error["message"])


class Validate(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "list"
            file.write_text(text)
            done = joulie("validate", str(file))
            self.assertEqual(done.returncode, 1, done.stderr)
            return done.stdout.decode().replace(f"{file}:", "").splitlines()

    def test_an_item_of_yaml_is_reported_with_its_line(self):
        found = self.check(YAML)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{WRONG_LINE}: items[1].spec.qos: "), found)

    def test_the_items_may_stand_further_in(self):
        text = "".join(
            "  " + line if line.startswith(("-", " ")) and "resourceVersion" not in line else line
            for line in YAML.splitlines(keepends=True)
        )
        found = self.check(text)
        self.assertTrue(found[0].startswith(f"{WRONG_LINE}: items[1].spec.qos: "), found)

    def test_other_lists_of_the_document_are_not_mistaken_for_its_items(self):
        head = "apiVersion: v1\nmetadata:\n  annotations:\n    note: |\n      items:\n      - a\n"
        found = self.check(head + YAML.partition("\n")[2].partition("metadata:\n  res")[0])
        self.assertTrue(found[0].startswith(f"{WRONG_LINE + 5}: items[1].spec.qos: "), found)

    def test_windows_line_ends_are_counted(self):
        found = self.check(YAML.replace("\n", "\r\n"))
        self.assertTrue(found[0].startswith(f"{WRONG_LINE}: items[1].spec.qos: "), found)

    def test_items_of_json_are_reported_with_their_lines(self):
        text = json.dumps(listed(LOW, WRONG, LOW, WRONG, WRONG), indent=4)
        lines = [i for i, row in enumerate(text.splitlines(), 1) if '"none"' in row]
        found = self.check("\n" + text)
        wanted = [f"{line + 1}: items[{i}].spec.qos" for line, i in zip(lines, (1, 3, 4))]
        self.assertEqual([": ".join(row.split(": ")[:2]) for row in found], wanted)

    def test_an_item_whose_lines_are_not_known_is_reported_with_that_of_the_list(self):
        text = """apiVersion: v1
kind: List
items:
- &first {apiVersion: tensor-fusion.ai/v1, kind: WorkloadProfile, spec: {qos: none}}
- *first
"""
        found = self.check("# comment\n---\n" + text)
        self.assertEqual([row.split(": ")[1] for row in found], ["items[0].spec.qos", "items[1].spec.qos"])
        self.assertTrue(found[0].startswith("6: "), found)
        self.assertTrue(found[1].startswith("2: "), found)

    def test_answers_are_one_per_item(self):
        done = joulie("validate", "-o", "json", text=YAML)
        found = answers(done)
        self.assertEqual(found[0], {})
        self.assertEqual(found[1]["error"]["where"], "items[1].spec.qos")

    def test_every_kind_of_ours_may_be_listed(self):
        twin = {"metadata": {"name": "n1"}, "spec": {"nodeName": "n1", "profile": "eco"}}
        text = json.dumps(listed(twin, kind="NodeTwinList", api_version="joulie.io/v1alpha1"))
        done = joulie("validate", text=text)
        self.assertEqual((done.returncode, done.stdout), (0, b""))


class Detect(unittest.TestCase):
    """A cluster's CustomResourceDefinition says what it reads."""

    def crd(self, group="tensor-fusion.ai", kind="WorkloadProfile", **members):
        block = {"properties": {"autoScalingConfig": {"properties": members}}}
        schema = {"openAPIV3Schema": {"properties": {"spec": block}}}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"things.{group}"},
            "spec": {
                "group": group,
                "names": {"kind": kind},
                "versions": [{"name": "v1", "schema": schema}],
            },
        }

    def test_our_manifest_is_of_dialect_a(self):
        done = joulie("convert", "--detect", str(ROOT / "crds" / "tensor-fusion.ai_workloadprofiles.yaml"))
        self.assertEqual((done.returncode, answers(done)), (0, [{"dialect": "A"}]))

    def test_definitions_may_be_listed(self):
        text = json.dumps(
            listed(
                self.crd(externalScaler={}),
                self.crd(kind="TensorFusionWorkload", autoSetLimits={}),
                self.crd(kind="GPUPool"),
                self.crd(group="example.com"),
            )
        )
        done = joulie("convert", "--detect", text=text)
        found = answers(done)
        self.assertEqual(found[:2], [{"dialect": "C"}, {"dialect": "A"}])
        self.assertEqual(
            [answer["error"]["where"] for answer in found[2:]],
            ["items[2].spec.names.kind", "items[3].spec.group"],
        )

    def test_a_definition_is_not_converted(self):
        done = joulie("convert", "--to", "C", text=json.dumps(self.crd()))
        self.assertEqual(answers(done)[0]["error"]["code"], "enum")


class Gpus(unittest.TestCase):
    COMPUTE = {"requests": {"tflops": "0", "vram": "4Gi", "compute": "12.5"}}

    def test_a_model_that_nobody_knows_is_named(self):
        text = json.dumps(profile("p", {"resources": self.COMPUTE}))
        done = joulie("convert", "--to", "A", "--gpu-model", "H10", text=text)
        error = answers(done)[0]["error"]
        self.assertEqual(
            (error["code"], error["where"]), ("unsupported", "spec.resources.requests.compute")
        )
        self.assertTrue(error["message"].startswith("NeedsGpuModel: "))
        self.assertIn('"H10"', error["message"])

    def test_it_is_a_warning_where_it_is_not_needed(self):
        text = json.dumps(profile("p", LIMITS))
        done = joulie("convert", "--to", "C", "--gpu-model", "H10", text=text)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: NeedsGpuModel: options.gpuModel: ", done.stderr)


class Quantities(unittest.TestCase):
    def test_no_text_at_all_is_1(self):
        for text in ("", "\n \n"):
            done = joulie("quantity", text=text)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(answers(done)[0]["error"]["code"], "parse")

    def test_a_byte_order_mark_is_no_part_of_the_first(self):
        done = joulie("quantity", text="\ufeff1Gi\n")
        self.assertEqual([answer["value"] for answer in answers(done)], ["1073741824"])

    def test_what_is_no_quantity_is_quoted(self):
        done = joulie("quantity", "Gi", "8Ei")
        messages = [answer["error"]["message"] for answer in answers(done)]
        self.assertIn("Gi", messages[0])
        self.assertIn("8Ei", messages[1])


if __name__ == "__main__":
    unittest.main()
