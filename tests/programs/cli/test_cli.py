# SPDX-License-Identifier: Apache-2.0
"""What the program joulie promises on its command line, on the sanitized build."""

import errno
import json
import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import DEV, RELEASE, ROOT

JOULIE = str(DEV / "bin" / "joulie")

TWIN = """apiVersion: joulie.io/v1alpha1
kind: NodeTwin
metadata:
  name: n1
spec:
  nodeName: n1
  profile: eco
  cpu:
    packagePowerCapPctOfMax: %s
"""


def joulie(*arguments, text="", **options):
    data = text if isinstance(text, bytes) else text.encode()
    return subprocess.run(
        [JOULIE, *arguments],
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
        **options,
    )


def lines(done):
    return done.stdout.decode().splitlines()


def error_of(line):
    return json.loads(line)["error"]


def scored_node(name, schedulable_class, **scores):
    now = "2026-01-01T00:00:00Z"
    status = {"schedulableClass": schedulable_class, "predictedPowerHeadroomScore": 70, "lastUpdated": now, **scores}
    return {"name": name, "twin": {"status": status}}


class ScoringProfiles(unittest.TestCase):
    """joulie scoring (docs/rules/commands.md#scoring)."""

    QUESTION = {
        "now": "2026-01-01T00:00:00Z",
        "pod": {"metadata": {"name": "p"}, "spec": {"containers": []}},
        "nodes": [
            scored_node("eco-1", "eco"),
            scored_node("perf-1", "performance", predictedCoolingStressScore=20),
            {"name": "new"},
        ],
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.profile = Path(folder.name) / "scoring.yaml"

    def scoring(self, profile, *words, text=""):
        self.profile.write_text(profile)
        return joulie("scoring", str(self.profile), *words, text=text)

    def test_a_profile_is_checked_and_printed_whole(self):
        done = self.scoring("version: 1\necoPoints: 3\n")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["ecoPoints"], found["headroomWeight"]), (0, 3, 0.7))
        self.assertEqual(json.loads(self.scoring("").stdout)["ecoPoints"], 10)
        done = self.scoring("version: 1\necoPoints: 101\n")
        fault = error_of(done.stdout)
        self.assertEqual((done.returncode, fault["code"], fault["where"]), (1, "range", "ecoPoints"))
        self.assertEqual(fault["message"], f"{self.profile}:2: 101 is above 100")

    def test_what_it_changes_is_shown_beside_the_default(self):
        # eco 0.7·70 + 10, performance 0.7·70 + 0.15·80 − 0.3·30; without bonus and pressure 49 and 61
        text = json.dumps(self.QUESTION)
        done = self.scoring("ecoPoints: 0\npressureWeight: 0\nspread: rank\n", "-", text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            [line.split() for line in lines(done)],
            [
                ["NODE", "RANK", "WAS", "SCORE", "WAS", "WIRE", "WAS"],
                ["perf-1", "1", "2", "61", "52", "10", "5"],
                ["eco-1", "2", "1", "49", "59", "0", "6"],
                ["new", "3", "3", "25", "25", "0", "3"],
            ],
        )

    def test_nodes_that_the_pod_may_not_use_have_no_rank(self):
        pod = {"metadata": {"name": "p", "annotations": {"joulie.io/workload-class": "performance"}}, "spec": {}}
        text = json.dumps({**self.QUESTION, "pod": pod})
        done = self.scoring("{}", "-", "-o", "json", text=text)
        rows = {row["node"]: row.get("rank") for row in json.loads(done.stdout)}
        self.assertEqual(rows, {"perf-1": 1, "new": 2, "eco-1": None})

    def test_a_question_that_is_none_is_reported(self):
        for text in ("[1]", '{"pod":{}}', "", '"x"'):
            done = self.scoring("{}", "-", text=text)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn("code", error_of(done.stdout))


class ExitStatus(unittest.TestCase):
    def test_all_answered_is_0(self):
        self.assertEqual(joulie("ask", "quantity", text='{"text":"1Gi"}').returncode, 0)

    def test_a_bad_document_is_1_and_the_others_are_answered(self):
        done = joulie("ask", "quantity", text='{"text":"1"}\n{"text":"x"}\n{"text":"2"}')
        self.assertEqual(done.returncode, 1)
        found = lines(done)
        self.assertEqual(len(found), 3)
        self.assertEqual(json.loads(found[0])["value"], "1")
        self.assertEqual(error_of(found[1])["where"], "text")
        self.assertEqual(json.loads(found[2])["value"], "2")

    def test_no_document_is_1(self):
        for text in ("", " \n", "# only a comment\n", "[]"):
            with self.subTest(text):
                done = joulie("ask", "quantity", text=text)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(error_of(lines(done)[0])["code"], "parse")

    def test_wrong_usage_is_2_with_text_on_stderr_only(self):
        for arguments in (
            [],
            ["nothing"],
            ["predict", "--nothing"],
            ["predict", "a", "b"],
            ["diff", "a"],
            ["ask"],
            ["predict", "-o", "xml"],
            ["predict", "--model"],
            ["predict", "--lenient=1"],
            ["score", "--score-range", "ten"],
            ["completion", "tcsh"],
            ["cap"],
            ["predict", "-x"],
            ["ask", "--list", "time"],
            ["help", "nothing"],
        ):
            with self.subTest(arguments):
                done = joulie(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, b"")
                self.assertIn(b"Usage:", done.stderr)

    def test_quantities_without_arguments_are_lines_of_standard_input(self):
        done = joulie("quantity", text="  1.5Gi\t\n\nGi\n5m")
        self.assertEqual(done.returncode, 1)
        first, bad, last = lines(done)
        self.assertEqual(json.loads(first)["canonical"], "1536Mi")
        self.assertEqual(json.loads(last)["value"], "0.005")
        self.assertEqual((error_of(bad)["code"], error_of(bad)["where"]), ("parse", "line 3"))

    def test_stale_data_is_3_only_when_asked_for(self):
        fresh, old = "2026-03-13T12:00:00Z", "2026-03-13T11:00:00Z"
        document = {
            "pod": {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "p", "namespace": "d"},
                "spec": {"containers": [{"name": "c"}]},
            },
            "nodes": [
                {
                    "name": "n1",
                    "twin": {
                        "apiVersion": "joulie.io/v1alpha1",
                        "kind": "NodeTwin",
                        "metadata": {"name": "n1"},
                        "spec": {"nodeName": "n1", "profile": "eco"},
                        "status": {
                            "lastUpdated": old,
                            "predictedPowerHeadroomScore": 50,
                            "predictedCoolingStressScore": 20,
                            "predictedPsuStressScore": 20,
                        },
                    },
                }
            ],
            "now": fresh,
        }
        text = json.dumps(document)
        done = joulie("score", text=text)
        self.assertEqual(json.loads(lines(done)[0])["scores"][0]["basis"], "stale")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(joulie("score", "--require-fresh", text=text).returncode, 3)
        self.assertEqual(joulie("score", "--require-fresh", text=text + "\n{}").returncode, 1)


class Documents(unittest.TestCase):
    ANSWER = '{"text":"1","canonical":"1","value":"1","milli":"1000","format":"DecimalSI"}'

    def test_the_form_of_the_input_is_found_out(self):
        for text in (
            '{"text":"1"}',
            '[{"text":"1"}]',
            'text: "1"\n',
            '---\ntext: "1"\n',
            '\ufeff{"text":"1"}',
        ):
            with self.subTest(text):
                self.assertEqual(lines(joulie("ask", "quantity", text=text)), [self.ANSWER])

    def test_many_documents_have_many_answers_in_order(self):
        for text in (
            '{"text":"1"}\n{"text":"2"}\n',
            '[{"text":"1"},{"text":"2"}]',
            'text: "1"\n---\ntext: "2"\n',
        ):
            with self.subTest(text):
                found = [
                    json.loads(line)["value"]
                    for line in lines(joulie("ask", "quantity", text=text))
                ]
                self.assertEqual(found, ["1", "2"])

    def test_files_and_standard_input_are_the_same(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write('{"text":"1"}')
            file.flush()
            self.assertEqual(lines(joulie("ask", "quantity", file.name)), [self.ANSWER])
        self.assertEqual(lines(joulie("ask", "quantity", "-", text='{"text":"1"}')), [self.ANSWER])

    def test_a_broken_line_is_answered_with_its_line(self):
        found = lines(joulie("ask", "quantity", text='{"text":"1"}\n{"text":}\n{"text":"2"}\n'))
        self.assertEqual(error_of(found[1])["code"], "parse")
        self.assertEqual(error_of(found[1])["where"], "line 2")
        self.assertEqual(json.loads(found[2])["value"], "2")

    def test_a_file_that_cannot_be_read_is_io(self):
        for name in ("/nonexistent/file", "/"):
            with self.subTest(name):
                done = joulie("ask", "quantity", name)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(error_of(lines(done)[0])["code"], "io")

    def test_a_file_name_that_is_not_utf8_gives_json_all_the_same(self):
        done = joulie("ask", "quantity", b"/nonexistent/\xff")
        self.assertEqual(error_of(lines(done)[0])["code"], "io")

    def window_in(self, zone):
        """From 9 to 18 o'clock there, on the command line, at 8 o'clock UTC."""
        window = {"start": f"CRON_TZ={zone} 0 9 * * *", "end": f"CRON_TZ={zone} 0 18 * * *"}
        done = joulie("ask", "cron.active", text=json.dumps({**window, "now": "2026-03-11T08:00:00Z"}))
        return json.loads(lines(done)[0])

    def test_time_zones_are_those_of_the_system(self):
        self.assertEqual(self.window_in("Asia/Tokyo")["lastStart"], "2026-03-11T00:00:00Z")
        self.assertFalse(self.window_in("Etc/UTC")["active"])
        for zone in ("Nowhere/City", "Asia", "zone.tab", "../zoneinfo/Asia/Tokyo"):
            with self.subTest(zone):
                self.assertEqual(self.window_in(zone)["error"]["where"], "start")

    def test_a_window_of_two_zones_is_read_in_both(self):
        window = {"start": "CRON_TZ=Asia/Tokyo 0 9 * * *", "end": "CRON_TZ=Europe/Rome 0 9 * * *"}
        done = joulie("ask", "cron.active", text=json.dumps({**window, "now": "2026-03-11T08:00:00Z"}))
        answer = json.loads(lines(done)[0])
        self.assertEqual(answer["lastStart"], "2026-03-11T00:00:00Z")
        self.assertEqual(answer["lastEnd"], "2026-03-11T08:00:00Z")

    def test_unknown_members_are_errors_unless_lenient(self):
        text = '{"text":"1","other":2}'
        done = joulie("ask", "quantity", text=text)
        self.assertEqual(
            error_of(lines(done)[0]),
            {**error_of(lines(done)[0]), "code": "unknown-member", "where": "other"},
        )
        done = joulie("ask", "quantity", "--lenient", text=text)
        self.assertEqual(lines(done), [self.ANSWER])
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: other:", done.stderr)

    def test_words_of_annotations_that_nobody_knows_are_warned_about(self):
        words = {
            "joulie.io/workload-class": " perf ",
            "joulie.io/reschedulable": "True",
            "joulie.io/gpu-sensitivity": "highest",
            "joulie.io/cpu-sensitivity": "high",
        }
        pod = {"metadata": {"name": "p", "annotations": words}}
        inputs = {
            "classify": ("", {"annotations": words}),
            "score": ("pod.metadata.", {"pod": pod, "nodes": [], "now": "2026-01-01T00:00:00Z"}),
            "plan": (
                "pods[1].metadata.",
                {"pods": [{}, pod], "nodes": [], "now": "2026-01-01T00:00:00Z", "policy": {}},
            ),
        }
        for question, (place, text) in inputs.items():
            with self.subTest(question):
                done = joulie(question, text=json.dumps(text))
                self.assertEqual(done.returncode, 0, done)
                found = done.stderr.decode().splitlines()
                self.assertEqual(len(found), 2, found)
                self.assertIn(
                    f'warning: {place}annotations["joulie.io/workload-class"]: "perf" is no word',
                    found[0],
                )
                self.assertIn('annotations["joulie.io/gpu-sensitivity"]: "highest"', found[1])

    def test_an_unknown_question_or_rule_set_is_unsupported(self):
        done = joulie("ask", "nothing", text="{}")
        self.assertEqual((done.returncode, error_of(lines(done)[0])["code"]), (1, "unsupported"))
        done = joulie("ask", "quantity", "--model", "v9", text='{"text":"1"}')
        self.assertEqual((done.returncode, error_of(lines(done)[0])["where"]), (1, "options.model"))

    def test_the_documents_own_options_win(self):
        question = ["ask", "predict"]
        node = '{"spec":{"nodeName":"n","profile":"eco"},"measuredNodePowerW":100%s}'
        own = joulie(*question, "--model", "v0.1.1", text=node % ',"options":{"model":"current"}')
        current = joulie(*question, text=node % "")
        source = joulie(*question, "--model", "v0.1.1", text=node % "")
        self.assertEqual(lines(own), lines(current))
        self.assertNotEqual(lines(own), lines(source))

    def test_a_rule_set_that_no_document_can_have_is_said_once(self):
        done = joulie("ask", "quantity", "--model", "v9", text='{"text":"1"}\n{"text":"2"}\n')
        self.assertEqual(len(lines(done)), 1)
        self.assertIn(b"options.model", done.stdout)


class Forms(unittest.TestCase):
    def test_pretty_is_json_on_many_lines(self):
        done = joulie("quantity", "1", "-o", "pretty")
        self.assertEqual(json.loads(done.stdout)["value"], "1")
        self.assertGreater(len(lines(done)), 5)

    def test_yaml_separates_documents(self):
        done = joulie("quantity", "1", "x", "--output=yaml")
        self.assertEqual(done.stdout.count(b"---\n"), 1)
        self.assertIn(b"error:\n  code: parse\n", done.stdout)

    def test_every_spelling_of_an_option_is_read(self):
        expected = joulie("quantity", "1", "-o", "pretty").stdout
        for spelling in (["-opretty"], ["--output", "pretty"], ["--output=pretty"]):
            self.assertEqual(joulie("quantity", *spelling, "1").stdout, expected)


class Commands(unittest.TestCase):
    def test_everyday_commands_are_their_questions(self):
        for command, question in (
            ("predict", "predict"),
            ("classify", "classify"),
            ("plan", "plan"),
            ("score", "score"),
            ("cap resolve", "cap.resolve"),
            ("threads match", "threads.match"),
            ("threads plan", "threads.plan"),
        ):
            with self.subTest(command):
                done = joulie(*command.split(), text="{}")
                asked = joulie("ask", question, text="{}")
                self.assertEqual((done.returncode, done.stdout), (asked.returncode, asked.stdout))

    def test_quantity_answers_each_argument(self):
        done = joulie("quantity", "1500m", "-5", "x")
        found = lines(done)
        self.assertEqual(json.loads(found[0])["value"], "1.5")
        self.assertEqual(json.loads(found[1])["value"], "-5")
        self.assertEqual(error_of(found[2])["where"], "argument 3")
        self.assertEqual(done.returncode, 1)

    def test_validate_prints_file_line_and_path(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "twins.yaml"
            file.write_text(TWIN % 60 + "---\n" + TWIN % 130)
            good = Path(folder) / "good.yaml"
            good.write_text(TWIN % 60)
            done = joulie("validate", str(file), str(good))
            self.assertEqual(done.returncode, 1)
            expected = f"{file}:19: spec.cpu.packagePowerCapPctOfMax: "
            self.assertEqual(len(lines(done)), 1)
            self.assertTrue(lines(done)[0].startswith(expected), lines(done)[0])
            done = joulie("validate", str(good))
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            done = joulie("validate", str(file), "-o", "json")
            self.assertEqual([list(json.loads(line)) for line in lines(done)], [[], ["error"]])

    def test_validate_of_a_missing_file_fails(self):
        done = joulie("validate", "/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"/nonexistent: No such file", done.stdout)

    def test_diff_is_the_merge_patch(self):
        with tempfile.TemporaryDirectory() as folder:
            old, new = Path(folder) / "old", Path(folder) / "new.yaml"
            old.write_text('{"a": 1, "b": {"c": "},{"}, "d": 12345678901234567890}')
            new.write_text('a: 1\nb: {c: "x"}\n')
            done = joulie("diff", str(old), str(new))
            self.assertEqual(
                (done.returncode, json.loads(done.stdout)), (0, {"b": {"c": "x"}, "d": None})
            )
            done = joulie("diff", str(old), str(old))
            self.assertEqual(lines(done), ["{}"])
            new.write_text("a: 1\n---\na: 2\n")
            done = joulie("diff", str(old), str(new))
            self.assertEqual(
                (done.returncode, error_of(lines(done)[0])["where"]), (1, "argument 2")
            )

    def test_explain_takes_kind_and_path(self):
        done = joulie("explain", "nodetwin.spec.profile")
        self.assertEqual(json.loads(done.stdout)["enum"], ["performance", "eco"])
        self.assertEqual(json.loads(joulie("explain", "nt").stdout)["plural"], "nodetwins")
        self.assertEqual(joulie("explain", "nothing").returncode, 1)
        done = joulie("explain", "workloadprofile.tensor-fusion.ai.spec.qos")
        self.assertEqual(json.loads(done.stdout)["enum"], ["low", "medium", "high", "critical"])
        for word in ("TensorFusionWorkload", "tensorfusionworkloads.spec"):
            message = error_of(lines(joulie("explain", word))[0])["message"]
            self.assertIn("tensorfusionworkload.tensor-fusion.ai", message)
        done = joulie("explain", "tensorfusionworkload.tensor-fusion.ai.spec.qos")
        self.assertEqual(json.loads(done.stdout)["enum"], ["low", "medium", "high", "critical"])
        given = "tensor-fusion.ai/v1.WorkloadProfile"
        self.assertIn(given, error_of(lines(joulie("explain", given))[0])["message"])
        done = joulie("explain", "workloadprofile.spec.qos")
        self.assertEqual(json.loads(done.stdout or done.stderr)["error"]["code"], "unknown-member")

    def test_crd_prints_the_files(self):
        foreign = ROOT / "crds" / "tensor-fusion.ai_workloadprofiles.yaml"  # only when asked for by name
        files = sorted(set((ROOT / "crds").rglob("*.yaml")) - {foreign})
        self.assertTrue(files)
        printed = joulie("crd").stdout.decode() + joulie("crd", "--legacy").stdout.decode()
        for file in files:
            self.assertIn(file.read_text(), printed, file.name)
        self.assertEqual(printed.count("kind: CustomResourceDefinition"), len(files))
        one = json.loads(joulie("crd", "nodetwin", "-o", "json").stdout)
        self.assertEqual(one["metadata"]["name"], "nodetwins.joulie.io")
        named = joulie("crd", "workloadprofiles.tensor-fusion.ai").stdout.decode()
        self.assertEqual(named, foreign.read_text())
        one = json.loads(joulie("crd", "workloadprofile", "-o", "json").stdout)
        self.assertEqual(one["spec"]["group"], "joulie.io")

    def test_version_has_a_machine_readable_form(self):
        self.assertRegex(joulie("version").stdout.decode(), r"^joulie \d+\.\d+\.\d+(~dev)?\n$")
        answer = json.loads(joulie("version", "-o", "json").stdout)
        self.assertEqual(set(answer), {"version", "abi", "features", "build"})
        self.assertLess({"ask", "autoscale", "tensor_fusion", "twin.zone"}, set(answer["features"]))

    def test_list_and_describe(self):
        names = [line.split()[0] for line in lines(joulie("ask", "--list"))]
        self.assertEqual(names, sorted(names))
        self.assertIn("predict", names)
        self.assertIn("measuredNodePowerW", joulie("ask", "--describe", "predict").stdout.decode())
        answer = json.loads(joulie("ask", "--describe", "predict", "-o", "json").stdout)
        self.assertIn("measuredNodePowerW", [member["path"] for member in answer["input"]])


class Simulation(unittest.TestCase):
    INVENTORY = """nodes:
  - {node_name_prefix: a, replicas: 3, cpu: AMD EPYC 9654, cpu_sockets: 2, cpu_cores: 192,
     memory_gib: 768, gpu_count: 0}
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        self.inventory = self.here / "inventory.yaml"
        self.inventory.write_text(self.INVENTORY)
        self.trace = self.here / "trace.jsonl"
        self.trace.write_bytes(
            joulie(
                "workload",
                "generate",
                "--jobs",
                "10",
                "--gpu-ratio",
                "0",
                "--seed",
                "2",
                "--max-duration",
                "1800",
            ).stdout
        )

    def simulate(self, *options, **more):
        return joulie(
            "simulate",
            "--inventory",
            str(self.inventory),
            "--trace",
            str(self.trace),
            *options,
            **more,
        )

    def test_a_trace_is_made_by_its_seed(self):
        again = joulie(
            "workload", "generate", "--jobs=10", "--gpu-ratio=0", "--seed=2", "--max-duration=1800"
        )
        self.assertEqual(again.stdout, self.trace.read_bytes())
        answer = json.loads(joulie("workload", "inspect", str(self.trace)).stdout)
        self.assertEqual((answer["jobs"], answer["gpuJobs"]), (10, 0))
        self.assertEqual(
            json.loads(joulie("workload", "inspect", text=self.trace.read_bytes()).stdout), answer
        )

    def test_a_trace_is_made_for_machines(self):
        def made(*options):
            return joulie("workload", "generate", "--mode=diurnal", "--hours=5", "--gpu-ratio=0", *options)

        inventory = f"--inventory={self.inventory}"
        few, many = (made(inventory, "--max-duration=600", f"--load={load}") for load in (0.1, 0.4))
        self.assertEqual((few.returncode, few.stderr), (0, b""))
        self.assertLess(2 * len(few.stdout), len(many.stdout))
        refused = made("--load=0.4")
        self.assertEqual((refused.returncode, refused.stdout), (2, b""))
        self.inventory.write_text("nodes: [{nothing: 1}]")
        done = made(inventory)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(error_of(lines(done)[0])["message"].startswith(f"{self.inventory}:1: "))

    def test_the_summary_is_one_line_and_equal_each_time(self):
        def without_wall(done):
            summary = json.loads(done.stdout)
            self.assertGreaterEqual(summary.pop("wallS"), 0)
            return summary

        one, two = self.simulate("--seed", "9"), self.simulate("--seed", "9")
        self.assertEqual((one.returncode, one.stderr, len(lines(one))), (0, b"", 1))
        self.assertEqual(without_wall(one), without_wall(two))
        self.assertEqual(json.loads(one.stdout)["seed"], 9)
        self.assertEqual(
            json.loads(one.stdout)["podsCompleted"], {"controlled": 10, "uncontrolled": 10}
        )
        alone = json.loads(self.simulate("--compare", "none").stdout)
        self.assertEqual(alone["podsCompleted"], {"controlled": 10})

    def test_out_writes_the_tables(self):
        out = self.here / "out"
        done = self.simulate("--out", str(out))
        self.assertEqual(json.loads((out / "summary.json").read_text()), json.loads(done.stdout))
        self.assertEqual(len((out / "jobs.csv").read_text().splitlines()), 11)
        self.assertTrue((out / "nodes.csv").read_text().startswith("run,node,hour,"))
        self.assertEqual(
            sorted(file.name for file in out.iterdir()), ["decisions.csv", "families.csv", "jobs.csv", "nodes.csv", "summary.json"]
        )

    def test_out_is_written_although_nobody_reads_the_summary(self):
        out = self.here / "out"
        command = f'simulate --inventory "{self.inventory}" --trace "{self.trace}" --out "{out}"'
        done = subprocess.run(
            ["sh", "-c", f'"{JOULIE}" {command} | true'], stderr=subprocess.PIPE, check=False
        )
        self.assertEqual(len((out / "jobs.csv").read_text().splitlines()), 11, done.stderr)

    def test_a_folder_that_cannot_be_written_is_io_before_it_runs(self):
        for folder in ("/nonexistent/out", str(self.inventory)):
            done = self.simulate("--out", folder)
            self.assertEqual((done.returncode, error_of(lines(done)[0])["code"]), (1, "io"))
            self.assertIn(folder + ": ", error_of(lines(done)[0])["message"])

    def test_a_bad_text_is_reported_with_file_and_line(self):
        self.trace.write_text('{"type":"other"}\n{"type":"job"}\n')
        done = self.simulate()
        self.assertEqual(done.returncode, 1)
        self.assertTrue(error_of(lines(done)[0])["message"].startswith(f"{self.trace}:2: "))
        self.assertEqual(self.simulate("--lenient").returncode, 0)
        self.inventory.write_text("nodes: [{nothing: 1}]")
        done = self.simulate()
        self.assertTrue(error_of(lines(done)[0])["message"].startswith(f"{self.inventory}:1: "))

    def test_the_table_shows_both_runs_and_the_saving(self):
        shown = self.simulate("-o", "table").stdout.decode()
        summary = json.loads(self.simulate().stdout)
        rows = {line[:22].strip(): line[22:].split() for line in shown.splitlines()[1:-1]}
        energy = summary["itEnergyKwh"]
        self.assertEqual(rows["IT energy, kWh"][:2], [f"{energy[run]:.1f}" for run in energy])
        parts = summary["energyJ"]
        self.assertEqual(
            rows["in the same time, kWh"][:2], [f"{parts[run]['total'] / 3.6e6:.1f}" for run in parts]
        )
        self.assertEqual(
            rows["CPUs, above idle"][:2], [f"{parts[run]['cpu']['dynamic'] / 3.6e6:.1f}" for run in parts]
        )
        for name, measure, quantile, unit, digits in (
            ("P95 wait, min", "waitS", "p95", 60, 1),
            ("mean job time, min", "jobTimeS", "mean", 60, 1),
            ("largest slowdown", "slowdown", "max", 1, 3),
        ):
            found = summary[measure]
            self.assertEqual(
                rows[name][:2], [f"{found[run]['all'][quantile] / unit:.{digits}f}" for run in found]
            )
        self.assertEqual(rows["jobs completed"][:2], ["10", "10"])
        self.assertEqual(rows["jobs left over"][:2], ["0", "0"])
        self.assertEqual(
            shown.splitlines()[-1],
            f"energy saved at equal work: {summary['savedPct']:.1f} %, "
            f"makespan {100 * (summary['makespanS']['controlled'] / summary['makespanS']['uncontrolled'] - 1):+.1f} %",
        )

    def test_time_above_a_limit_is_counted(self):
        summary = json.loads(self.simulate("--it-limit", "1").stdout)
        peak = summary["peakPowerW"]["controlled"]
        self.assertEqual(summary["overLimitS"]["controlled"], summary["simulatedS"])
        summary = json.loads(self.simulate("--it-limit", str(peak)).stdout)
        self.assertEqual(summary["overLimitS"]["controlled"], 0)
        shown = self.simulate("-o", "table", "--it-limit", "1").stdout.decode()
        self.assertIn("\nabove the limit, h ", shown)
        self.assertNotIn("rack", shown)

    def test_what_has_not_happened_yet_is_unknown(self):
        shown = self.simulate("-o", "table", "--hours", "1e-9").stdout.decode()
        rows = {line[:22].strip(): line[22:].split() for line in shown.splitlines()[1:-1]}
        self.assertEqual(rows["makespan, h"], ["-", "-"])
        self.assertNotIn("makespanS", json.loads(self.simulate("--hours", "1e-9").stdout))

    def test_every_file_may_be_given_at_once(self):
        files = []
        for option, text in (
            ("--policy", "{type: efficiency_v1}"),
            ("--scoring", "{profileName: efficiency, timeWPerCore: 4}"),
            ("--power-off", "{idleS: 30, upS: 0, reserveCores: 0}"),
        ):
            path = self.here / f"{option[2:]}.yaml"
            path.write_text(text)
            files += [option, str(path)]
        done = self.simulate(*files, "--placement", "efficiency")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        off = json.loads(done.stdout)["energyJ"]["controlled"]["cpu"]["off"]
        self.assertGreater(off, 0)

    def test_a_live_run_that_nobody_watches_is_a_line_per_hour(self):
        done = self.simulate("--live", "45")
        hours = done.stderr.decode().splitlines()
        self.assertEqual(hours[0].split()[:2], ["hour", "1"])
        summary = json.loads(done.stdout)
        self.assertEqual(len(hours), -(-summary["simulatedS"] // 3600))
        self.assertEqual(
            summary["itEnergyKwh"], json.loads(self.simulate().stdout)["itEnergyKwh"]
        )

    def on_terminal(self, *words):
        """What a run draws, to its end: a terminal hands it over in pieces."""
        try:
            mine, terminal = pty.openpty()
        except OSError as problem:
            self.skipTest(f"no terminal can be made here: {problem}")
        arguments = ["simulate", "--inventory", str(self.inventory), "--trace", str(self.trace)]
        shown = b""
        with subprocess.Popen(
            [JOULIE, *arguments, *words], stdout=subprocess.DEVNULL, stderr=terminal
        ) as process:
            os.close(terminal)
            with open(mine, "rb", buffering=0) as pieces:
                try:
                    while piece := pieces.read(65536):
                        shown += piece
                except OSError as problem:
                    self.assertEqual(problem.errno, errno.EIO)  # nobody writes any more
        self.assertEqual(process.returncode, 0)
        return shown

    def test_a_live_run_on_a_terminal_draws_every_node(self):
        shown = self.on_terminal("--live", "0.2").decode()
        self.assertIn("3 nodes", shown)
        self.assertRegex(shown, r"controlled +\d+\.\d kW")
        self.assertRegex(shown, r"  a +\d+\.\d kW")

    def test_an_inventory_is_scaled_and_keeps_its_mix(self):
        self.assertEqual(json.loads(self.simulate("--nodes", "7").stdout)["nodes"], 7)
        self.inventory.write_text("nodes: [{node_name: one, cpu_cores: 8}]")
        done = self.simulate("--nodes", "2")
        self.assertEqual(error_of(lines(done)[0])["where"], "inventory: nodes[0].node_name")

    def test_equal_work_can_be_required(self):
        self.assertEqual(self.simulate("--require-equal-work").returncode, 0)
        done = self.simulate("--require-equal-work", "--hours", "0.01")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(error_of(lines(done)[-1])["code"], "conflict")

    def test_wrong_usage_is_2(self):
        for arguments in (
            ["simulate"],
            ["simulate", "--trace", "x", "--inventory", "y", "--live", "long"],
            ["simulate", "--trace", "x", "--inventory", "y", "--nodes", "many"],
            ["simulate", "--inventory", "-", "--trace", "-"],
            ["simulate", "--inventory", str(self.inventory), "--trace", "-", "--policy", "-"],
            ["workload"],
            ["simulate", "--trace", "x", "--inventory", "y", "--hours", "long"],
            ["simulate", "--trace", "x", "--inventory", "y", "--compare", "all"],
            ["workload", "generate", "--gpu-ratio", "2"],
            ["workload", "generate", "--mode", "other"],
        ):
            with self.subTest(arguments):
                done = joulie(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_progress_is_shown_on_a_terminal_only(self):
        shown = self.on_terminal()
        self.assertIn(b" jobs ", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))


class Help(unittest.TestCase):
    def commands(self):
        text = joulie("--help").stdout.decode()
        block = text.split("Commands:\n")[1].split("\n\n")[0]
        return [line[2:24].strip() for line in block.splitlines()]

    def test_every_command_has_help_that_names_its_options(self):
        self.assertIn("cap resolve", self.commands())
        for command in self.commands():
            with self.subTest(command):
                done = joulie(*command.split(), "--help")
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertIn("--help", done.stdout.decode())
                self.assertEqual(joulie("help", *command.split()).stdout, done.stdout)
                self.assertEqual(joulie(*command.split(), "-h").stdout, done.stdout)

    def test_a_slip_is_hinted_at(self):
        for arguments, hint in (
            (["predit"], 'did you mean "predict"?'),
            (["cap"], "joulie help cap lists them"),
            (["cap", "aply"], 'no command "cap aply"; did you mean "cap apply"?'),
            (["cap", "resolv"], '"cap resolve"?'),
            (["predict", "--lenint"], "did you mean --lenient?"),
        ):
            with self.subTest(arguments):
                self.assertIn(hint, joulie(*arguments).stderr.decode())

    def test_the_manual_page_is_what_the_tables_say(self):
        page = (ROOT / "docs" / "man" / "joulie.1").read_text()
        self.assertEqual(
            joulie("help", "--man").stdout.decode(), page, "joulie help --man >docs/man/joulie.1"
        )

    def test_as_a_plugin_of_kubectl_it_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "kubectl-joulie"
            link.symlink_to(JOULIE)
            done = subprocess.run([link, "--help"], stdout=subprocess.PIPE, check=True)
            self.assertIn(b"Usage: kubectl joulie COMMAND", done.stdout)


class Completion(unittest.TestCase):
    def offered(self, *words):
        found = lines(joulie("__complete", *words))
        return [line.split("\t")[0] for line in found[:-1]], found[-1]

    def test_commands_options_and_words_are_offered(self):
        self.assertIn("predict", self.offered("")[0])
        self.assertEqual(
            self.offered("cap", "")[0],
            ["plan", "apply", "status", "restore", "release", "allow", "resolve"],
        )
        self.assertIn("--no-ramp", self.offered("cap", "apply", "-")[0])
        self.assertIn("--model", self.offered("predict", "-")[0])
        self.assertIn("v0.1.1", self.offered("predict", "--model", "")[0])
        self.assertIn("cap.resolve", self.offered("ask", "")[0])
        self.assertIn("cap.resolve", self.offered("ask", "--describe", "")[0])
        self.assertEqual(self.offered("predict", "")[1], ":0")
        self.assertEqual(self.offered("completion", "")[0], ["bash", "zsh", "fish"])

    def test_hidden_commands_are_not_offered(self):
        self.assertFalse([word for word in self.offered("")[0] if word.startswith("_")])

    def test_bash_completes_with_the_script(self):
        script = joulie("completion", "bash").stdout.decode()
        ask = (
            "\nCOMP_WORDS=(joulie predict --model v0.1.1 --len); COMP_CWORD=4; _joulie;"
            ' echo "${COMPREPLY[@]}"'
            "\nCOMP_WORDS=(joulie predict --model = v0.1); COMP_CWORD=4; _joulie;"
            ' echo "${COMPREPLY[@]}"'
            '\nCOMP_WORDS=(joulie pre); COMP_CWORD=1; _joulie; echo "${COMPREPLY[@]}"'
        )
        environment = {**os.environ, "PATH": f"{DEV / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-c", script.replace("compopt", ": compopt") + ask],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            check=False,
        )
        self.assertEqual(done.stderr, b"")
        self.assertEqual(
            done.stdout.decode().splitlines(), ["--lenient", "v0.1.1 v0.1.0", "predict"]
        )

    def test_kubectl_finds_its_completion_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "kubectl_complete-joulie"
            link.symlink_to(JOULIE)
            done = subprocess.run([link, "cap", ""], stdout=subprocess.PIPE, check=True)
            self.assertEqual(done.stdout.decode().splitlines()[-1], ":4")


class Failures(unittest.TestCase):
    def test_a_full_disk_is_reported(self):
        for arguments in (["quantity", "1"], ["help", "--man"], ["ask", "--list"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [JOULIE, *arguments], stdout=full, stderr=subprocess.PIPE, check=False
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"No space left", done.stderr)

    def test_a_reader_that_went_away_is_no_message(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [JOULIE, "help", "--man"], stdout=writer, stderr=subprocess.PIPE, check=False
        )
        os.close(writer)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr, b"")

    def test_a_closed_standard_input_is_io(self):
        done = subprocess.run(
            f"{JOULIE} ask quantity <&-", shell=True, stdout=subprocess.PIPE, check=False
        )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(error_of(done.stdout)["code"], "io")

    def test_deep_nesting_is_too_large(self):
        done = joulie("ask", "quantity", text='{"text":' + "[" * 500 + "]" * 500 + "}")
        self.assertEqual((done.returncode, error_of(lines(done)[0])["code"]), (1, "too-large"))

    def test_nothing_depends_on_the_locale(self):
        document = '{"text":"1500m"}'
        for locale in ("C", "de_DE.UTF-8", "tr_TR.UTF-8"):
            done = joulie("ask", "quantity", text=document, env={**os.environ, "LC_ALL": locale})
            self.assertEqual(json.loads(done.stdout)["value"], "1.5")


class Large(unittest.TestCase):
    """More than 1 GiB, on the release program: a sanitized one would take long."""

    def check_refused(self, done):
        self.assertEqual(done.returncode, 1)
        self.assertEqual(error_of(done.stdout)["code"], "too-large")

    def test_a_large_file_is_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            file.truncate((1 << 30) + 1)
            self.check_refused(
                subprocess.run(
                    [RELEASE / "bin" / "joulie", "ask", "quantity", file.name],
                    stdout=subprocess.PIPE,
                    check=False,
                )
            )

    def test_a_large_pipe_is_refused(self):
        with subprocess.Popen(
            ["head", "-c", str((1 << 30) + 1), "/dev/zero"], stdout=subprocess.PIPE
        ) as zeros:
            self.check_refused(
                subprocess.run(
                    [RELEASE / "bin" / "joulie", "ask", "quantity"],
                    stdin=zeros.stdout,
                    stdout=subprocess.PIPE,
                    check=False,
                )
            )
