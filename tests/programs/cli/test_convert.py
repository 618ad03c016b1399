# SPDX-License-Identifier: Apache-2.0
"""joulie convert: objects of v0.0.x and TensorFusion's dialects on the command line, on the sanitized build."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import DEV

JOULIE = str(DEV / "bin" / "joulie")

POWER = """apiVersion: joulie.io/v1alpha1
kind: NodePowerProfile
metadata: {name: node-%(node)s}
spec:
  nodeName: %(node)s
  profile: %(profile)s
  cpu: {packagePowerCapWatts: 120.5}
  policy: {name: %(policy)s}
"""

TELEMETRY = """apiVersion: joulie.io/v1alpha1
kind: TelemetryProfile
metadata: {name: t-%(node)s}
spec:
  target: {scope: node, nodeName: %(node)s}
  sources:
    cpu: {type: http, http: {endpoint: "http://t/{node}", timeoutSeconds: 4}}
"""

CLUSTER = """apiVersion: joulie.io/v1alpha1
kind: TelemetryProfile
metadata: {name: all}
spec: {target: {scope: cluster}, controls: {gpu: {type: none}}}
"""


def power(node, profile="eco", policy="static-partition-v1"):
    return POWER % {"node": node, "profile": profile, "policy": policy}


def convert(*documents, arguments=("--to", "v0.1.1")):
    return subprocess.run(
        [JOULIE, "convert", *arguments],
        input="---\n".join(documents).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )


def answers(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


class Convert(unittest.TestCase):
    def test_each_node_is_one_line_by_name_and_the_cluster_is_the_last(self):
        done = convert(
            CLUSTER, power("n2", "performance", "rule-swap-v1-draining"), power("n10"), power("n1")
        )
        self.assertEqual(done.returncode, 0)
        found = answers(done)
        names = [line["nodeTwin"]["metadata"]["name"] for line in found[:3]]
        self.assertEqual(names, ["n1", "n10", "n2"])
        self.assertEqual(
            found[2]["nodeTwin"],
            {
                "apiVersion": "joulie.io/v1alpha1",
                "kind": "NodeTwin",
                "metadata": {"name": "n2"},
                "spec": {
                    "nodeName": "n2",
                    "profile": "eco",
                    "cpu": {"packagePowerCapWatts": 120.5},
                    "policy": {"name": "rule-swap-v1-draining"},
                    "scheduling": {"draining": True},
                },
            },
        )
        self.assertEqual(found[3:], [{"agentEnv": {"TELEMETRY_GPU_CONTROL": "none"}}])

    def test_settings_stand_beside_the_twin_of_their_node(self):
        env = {
            "TELEMETRY_CPU_SOURCE": "http",
            "TELEMETRY_CPU_HTTP_ENDPOINT": "http://t/{node}",
            "TELEMETRY_HTTP_TIMEOUT_SECONDS": "4",
        }
        found = answers(
            convert(TELEMETRY % {"node": "n1"}, power("n1"), TELEMETRY % {"node": "n2"})
        )
        self.assertEqual(list(found[0]), ["nodeTwin", "agentEnv"])
        self.assertEqual(found[0]["agentEnv"], env)
        self.assertEqual(found[1], {"nodeName": "n2", "agentEnv": env})

    def test_a_bad_document_is_reported_by_its_own_place_and_the_others_are_converted(self):
        done = convert(power("n1", "ecco"), power("n2"), "kind: Pod\n", "{\n")
        self.assertEqual(done.returncode, 1)
        found = answers(done)
        errors = [(line["error"]["code"], line["error"]["where"]) for line in found[:3]]
        self.assertEqual(errors[:2], [("enum", "spec.profile"), ("enum", "kind")])
        self.assertEqual(errors[2][0], "parse")
        self.assertEqual(found[3]["nodeTwin"]["metadata"]["name"], "n2")

    def test_two_profiles_of_one_node_are_a_conflict(self):
        done = convert(power("n1"), power("n1", "performance"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual([line["error"]["code"] for line in answers(done)], ["conflict"])

    def test_what_it_prints_is_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "twins.json"
            twins = [line["nodeTwin"] for line in answers(convert(power("n1"), power("a.b")))]
            file.write_text("\n".join(json.dumps(twin) for twin in twins))
            done = subprocess.run(
                [JOULIE, "validate", str(file)], stdout=subprocess.PIPE, check=False
            )
            self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_unknown_members_are_errors_unless_lenient(self):
        text = power("n1").replace("nodeName: n1", "nodeName: n1\n  colour: red")
        done = convert(text)
        self.assertEqual(answers(done)[0]["error"]["where"], "spec.colour")
        done = convert(text, arguments=("--to", "v0.1.1", "--lenient"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(b"warning: spec.colour:"), 1)

    def test_wrong_usage_is_2(self):
        for arguments in (
            (),
            ("--to",),
            ("--to", "v9"),
            ("--to=v0.1.1", "a", "b"),
            ("--to=A", "--detect"),
            ("--to=v0.1.1", "--gpu-tflops=312"),
            ("--to=A", "--gpu-tflops=0"),
            ("--to=A", "--gpu-tflops=many"),
            ("--to=A", "--gpu-tflops=1", "--gpu-model=A100"),
            ("--detect", "--gpu-model=A100"),
        ):
            with self.subTest(arguments):
                done = convert(arguments=arguments)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"Usage:", done.stderr)

    def test_no_document_is_1(self):
        self.assertEqual(convert().returncode, 1)

    def test_completion_and_help_know_it(self):
        offered = subprocess.run(
            [JOULIE, "__complete", "convert", "--to", ""], stdout=subprocess.PIPE, check=True
        )
        words = [line.split(b"\t")[0] for line in offered.stdout.splitlines()]
        self.assertEqual(words[:4], [b"v0.1.1", b"A", b"B", b"C"])
        printed = subprocess.run([JOULIE, "help", "convert"], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"--to VERSION", printed.stdout)


HEAD = {"apiVersion": "tensor-fusion.ai/v1", "kind": "WorkloadProfile", "metadata": {"name": "p", "namespace": "ml"}}
LIMITS = {"enable": True, "extraTFlopsBufferRatio": "20%", "scaleUpStep": "200%"}
PERCENT = {"requests": {"tflops": "0", "vram": "4Gi", "compute": "12.5"}}


def profile(**spec):
    return HEAD | {"spec": spec}


def scaled(**block):
    return profile(autoScalingConfig=block)


def lines(*documents):
    return "\n".join(json.dumps(document) for document in documents)


class Dialects(unittest.TestCase):
    """docs/rules/commands.md#conversion; the rules are those of the vectors."""

    def test_an_object_comes_back_as_it_was_and_losses_are_reported_once_each(self):
        given = scaled(autoSetLimits=LIMITS, autoSetReplicas={"enable": True})
        there = convert(lines(given), arguments=("--to", "C"))
        self.assertEqual(there.returncode, 0)
        warnings = [line.split(b": ")[:3] for line in there.stderr.splitlines()]
        block = b"spec.autoScalingConfig."
        self.assertEqual(
            warnings,
            [
                [b"warning", b"NotRepresentable", block + b"autoSetLimits.scaleUpStep"],
                [b"warning", b"NotRepresentable", block + b"autoSetReplicas"],
            ],
        )
        back = convert(there.stdout.decode(), arguments=("--to", "A"))
        self.assertEqual((answers(back), back.stderr), ([given], b""))

    def test_every_document_is_answered_in_order(self):
        yaml = """apiVersion: tensor-fusion.ai/v1
kind: TensorFusionWorkload
spec: {autoScalingConfig: {externalScaler: {enable: true}}}
"""
        documents = (yaml, "kind: Pod\napiVersion: v1\n", json.dumps(scaled(autoSetLimits={})))
        done = convert(*(text + "\n" for text in documents), arguments=("--detect",))
        self.assertEqual(done.returncode, 1)
        found = answers(done)
        self.assertEqual(found[0], {"dialect": "C"})
        self.assertEqual((found[1]["error"]["code"], found[1]["error"]["where"]), ("enum", "apiVersion"))
        self.assertEqual(found[2], {"dialect": "A"})

    def test_an_array_is_one_document_per_item(self):
        done = convert(json.dumps([profile(qos="low"), profile(isolation="hard")]), arguments=("--detect",))
        self.assertEqual(answers(done), [{"dialect": "neutral"}, {"dialect": "C"}])

    def test_percents_need_a_gpu(self):
        text = lines(profile(resources=PERCENT))
        done = convert(text, arguments=("--to", "A"))
        self.assertEqual(done.returncode, 1)
        error = answers(done)[0]["error"]
        self.assertEqual((error["code"], error["where"]), ("unsupported", "spec.resources.requests.compute"))
        self.assertTrue(error["message"].startswith("NeedsGpuModel"))
        for option, tflops in (("--gpu-tflops=149.7", "18713m"), ("--gpu-model=Tesla T4", "8125m")):
            done = convert(text, arguments=("--to", "A", option))
            self.assertEqual(answers(done)[0]["spec"]["resources"]["requests"]["tflops"], tflops)

    def test_a_family_is_ambiguous(self):
        done = convert(lines(profile(resources=PERCENT)), arguments=("--to", "A", "--gpu-model", "A100"))
        self.assertEqual(answers(done)[0]["spec"]["resources"]["requests"]["tflops"], "39")
        self.assertIn(b"warning: AmbiguousGpuModel: options.gpuModel: ", done.stderr)

    def test_a_member_that_no_dialect_has_stays_and_is_reported(self):
        given = scaled(autoSetLimit={"enable": True}, autoSetResources={"targetTflopsPercentile": "0.9"})
        given["spec"]["gpuCuont"] = 1
        done = convert(lines(given), arguments=("--to", "C"))
        self.assertEqual((done.returncode, answers(done)), (0, [given]))
        warnings = [line.split(b": ")[:3] for line in done.stderr.splitlines()]
        block = b"spec.autoScalingConfig."
        self.assertEqual(
            warnings,
            [
                [b"warning", b"InvalidField", block + b"autoSetLimit"],
                [b"warning", b"InvalidField", block + b"autoSetResources.targetTflopsPercentile"],
                [b"warning", b"InvalidField", b"spec.gpuCuont"],
            ],
        )

    def test_lenient_takes_the_last_of_two_members_of_one_name(self):
        text = json.dumps(profile(qos="low")).replace('"qos"', '"qos": "high", "qos"')
        self.assertEqual(answers(convert(text, arguments=("--to", "A")))[0]["error"]["where"], "spec.qos")
        done = convert(text, arguments=("--to", "A", "--lenient"))
        self.assertEqual(answers(done), [profile(qos="low")])

    def test_a_number_keeps_its_digits(self):
        text = lines(scaled(autoSetLimits={}))
        resources = '{"limits": {"tflops": 9007199254740993.5, "vram": 1}}'
        done = convert(text.replace('"spec": {', '"spec": {"resources": ' + resources + ", "), arguments=("--to", "C"))
        self.assertEqual(answers(done)[0]["spec"]["resources"]["limits"], {"tflops": "9007199254740993.5", "vram": 1})

    def test_what_a_c_operator_ignores_is_reported_although_nothing_changes(self):
        given = scaled(autoSetResources={"interval": "10s", "targetResource": "tflops"}, autoSetReplicas={"enable": True})
        done = convert(lines(given), arguments=("--to", "C"))
        self.assertEqual(answers(done), [given])
        warnings = [line.split(b": ")[1:3] for line in done.stderr.splitlines()]
        block = b"spec.autoScalingConfig."
        self.assertEqual(
            warnings,
            [
                [b"InvalidField", block + b"autoSetResources.targetResource"],
                [b"InvalidField", block + b"autoSetReplicas"],
            ],
        )

    def test_an_object_of_the_dialect_keeps_every_text(self):
        given = scaled(autoSetLimits=LIMITS | {"unheardOf": 1.50}) | {"later": [None, 20.0]}
        text = json.dumps(given).replace("1.5", "1.50")
        done = convert(text, arguments=("--to", "A"))
        self.assertEqual(done.stdout.decode().strip(), text.replace(", ", ",").replace(": ", ":"))

    def test_what_it_makes_of_a_mixed_object_is_reported(self):
        given = scaled(autoSetLimits=LIMITS, autoSetResources={"marginFraction": "0.3"})
        done = convert(lines(given), arguments=("--to", "C"))
        self.assertIn(b"warning: MixedDialect: spec.autoScalingConfig: ", done.stderr)
        resources = answers(done)[0]["spec"]["autoScalingConfig"]["autoSetResources"]
        self.assertEqual((resources["enable"], resources["marginFraction"]), (True, "0.3"))

    def test_the_form_of_the_answers_can_be_chosen(self):
        done = convert(lines(profile(qos="low")), arguments=("--to", "B", "-o", "yaml"))
        self.assertIn(b"\nspec:\n  qos: low\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
