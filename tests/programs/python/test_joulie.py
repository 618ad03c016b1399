# SPDX-License-Identifier: Apache-2.0
"""The Python package: what it answers and raises, and that its structs are those of the headers."""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

from checkout import LIBRARY, ROOT, use_package

use_package()
import joulie  # noqa: E402
from joulie import _native, _twin, abi  # noqa: E402


def profile(spec):
    kind = {"apiVersion": "tensor-fusion.ai/v1", "kind": "WorkloadProfile"}
    return {**kind, "metadata": {"name": "p", "namespace": "ml"}, "spec": spec}


class Ask(unittest.TestCase):
    def test_documents_may_be_dicts_texts_and_bytes(self):
        for document in ({"text": "1.5"}, '{"text": "1.5"}', b'{"text": "1.5"}', 'text: "1.5"\n'):
            with self.subTest(document):
                self.assertEqual(joulie.ask("quantity", document)["canonical"], "1500m")

    def test_the_text_of_an_answer_is_the_librarys(self):
        self.assertEqual(
            joulie.ask_text("quantity", {"text": "1"}),
            '{"text":"1","canonical":"1","value":"1","milli":"1000","format":"DecimalSI"}',
        )

    def test_text_outside_ascii_survives(self):
        with self.assertRaises(joulie.UnknownMemberError) as caught:
            joulie.ask("quantity", {"text": "1", "größe": 1})
        self.assertEqual(caught.exception.where, "größe")

    def test_numbers_that_json_does_not_have_are_refused(self):
        with self.assertRaises(ValueError):
            joulie.ask("quantity", {"text": float("nan")})

    def test_options_reach_the_library(self):
        with self.assertRaises(joulie.UnsupportedError) as caught:
            joulie.ask("quantity", {"text": "1"}, model="v9")
        self.assertEqual(caught.exception.where, "options.model")
        with self.assertRaises(joulie.RangeError):
            joulie.ask("quantity", {"text": "1"}, score_range=50)
        with self.assertRaises(joulie.UnsupportedError):
            joulie.ask("quantity", {"text": "1"}, physics="v9")
        self.assertEqual(joulie.ask("score.wire", {"score": 61}, score_range=100), {"wire": 61})
        self.assertEqual(joulie.ask("score.wire", {"score": 61}), {"wire": 6})

    def test_lenient_warns_and_goes_on(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = joulie.ask("quantity", {"text": "1", "other": 2}, lenient=True)
        self.assertEqual(answer["value"], "1")
        self.assertEqual([str(one.message).split(":")[0] for one in caught], ["other"])
        self.assertIs(caught[0].category, joulie.JoulieWarning)

    def test_what_a_conversion_loses_is_a_warning(self):
        layer = {"enable": True, "scaleUpStep": "200%"}
        document = profile({"autoScalingConfig": {"autoSetLimits": layer}})
        document["options"] = {"to": "C"}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            joulie.ask("convert", document)
        where = "spec.autoScalingConfig.autoSetLimits.scaleUpStep"
        self.assertEqual(
            [str(one.message).split(": ")[:2] for one in caught], [[where, "NotRepresentable"]]
        )
        self.assertEqual(caught[0].filename, __file__)

    def test_an_object_that_an_api_server_would_not_take_is_a_warning(self):
        amounts = {"tflops": 10.5, "vram": "4Gi"}
        document = profile({"resources": {"requests": amounts, "limits": amounts}})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            joulie.Object(document)
        found = [str(one.message).split(": ")[0] for one in caught]
        where = ["spec.resources.limits.tflops", "spec.resources.requests.tflops"]
        self.assertEqual(sorted(found), where)
        self.assertEqual((caught[0].category, caught[0].filename), (joulie.JoulieWarning, __file__))
        both = {"autoSetLimits": {"enable": True}, "autoSetResources": {"enable": True}}
        doubtful = joulie.Object(profile({"autoScalingConfig": both}), lenient=True)
        with self.assertWarns(joulie.JoulieWarning):
            doubtful.validate()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            joulie.Object(document, lenient=True)
            joulie.Object({"kind": "Pod", "apiVersion": "v1"})

    def test_many_threads_may_ask(self):
        results = []

        def ask(number):
            for _ in range(200):
                results.append(
                    joulie.ask("quantity", {"text": str(number)})["value"] == str(number)
                )

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [True] * 1600)


class Errors(unittest.TestCase):
    def test_an_error_has_code_place_message_and_line(self):
        with self.assertRaises(joulie.Error) as caught:
            joulie.ask("quantity", '{\n"text": 5}')
        error = caught.exception
        self.assertIsInstance(error, joulie.MemberTypeError)
        self.assertEqual((error.code, error.where, error.line), ("type", "text", 2))
        self.assertTrue(error.message)
        self.assertIn("text: ", str(error))

    def test_every_code_has_its_class(self):
        header = (ROOT / "include" / "joulie" / "error.h").read_text()
        words = set(re.findall(r'JOULIE_E_\w+ = -?\d+,?\s*/\*\*< "([\w-]+)"', header)) | {"io"}
        classes = {word: joulie._errors.error_class(word) for word in words}
        self.assertEqual(len(set(classes.values())), len(words), classes)
        self.assertIs(classes["internal"], joulie.InternalError)

    def test_a_name_with_nul_is_refused(self):
        for arguments in ({"question": "a\0b"}, {"question": "quantity", "model": "a\0b"}):
            with self.assertRaises(ValueError):
                joulie.ask(document="{}", **arguments)

    def test_an_unknown_question_is_unsupported(self):
        for call in (lambda: joulie.ask("nothing", {}), lambda: joulie.describe("nothing")):
            with self.assertRaises(joulie.UnsupportedError) as caught:
                call()
            self.assertEqual(caught.exception.where, "question")


class Library(unittest.TestCase):
    def run_python(self, code, **environment):
        return subprocess.run(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python"), **environment},
            check=False,
        )

    def test_it_reports_what_it_can(self):
        self.assertRegex(joulie.version(), r"^\d+\.\d+\.\d+(~dev)?$")
        self.assertEqual(joulie.__version__, joulie.version())
        self.assertTrue(joulie.has_feature("ask"))
        self.assertFalse(joulie.has_feature("nothing"))
        self.assertTrue(all(map(joulie.has_feature, joulie.features())))
        names = [question["name"] for question in joulie.questions()]
        self.assertEqual(names, sorted(names))
        self.assertEqual(joulie.describe("quantity")["input"][0]["path"], "text")

    def test_a_library_that_is_not_there_is_an_import_error_that_helps(self):
        done = self.run_python("import joulie", JOULIE_LIBRARY="/nonexistent/libjoulie.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: cannot load libjoulie.so.1", done.stderr)
        self.assertIn("JOULIE_LIBRARY", done.stderr)

    def test_the_variable_names_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "other.so"
            link.symlink_to(LIBRARY)
            code = "import joulie; print('other.so' in joulie._library.library._name, joulie.version())"
            done = self.run_python(code, JOULIE_LIBRARY=str(link))
            self.assertEqual(done.stdout.split(), ["True", joulie.version()])

    def test_the_package_names_what_it_offers(self):
        for name in joulie.__all__:
            self.assertTrue(hasattr(joulie, name), name)


INVENTORY = {
    "nodes": [
        {
            "node_name_prefix": "a",
            "replicas": 3,
            "cpu": "AMD EPYC 9654",
            "cpu_sockets": 2,
            "cpu_cores": 192,
            "memory_gib": 768,
            "gpu_count": 0,
        },
        {
            "node_name": "g",
            "vendor": "nvidia",
            "product": "NVIDIA L40S",
            "cpu": "AMD EPYC 9534",
            "cpu_sockets": 2,
            "cpu_cores": 128,
            "memory_gib": 768,
            "gpu_count": 4,
        },
    ]
}


class Simulate(unittest.TestCase):
    def trace(self, **options):
        return joulie.generate_workload(
            **{"jobs": 12, "seed": 3, "max_duration_s": 1800, **options}
        )

    def test_a_trace_runs_to_its_end(self):
        jobs = joulie.simulate(INVENTORY, self.trace(), policy={"type": "static_partition"}, seed=7)
        summary = jobs.attrs["summary"]
        self.assertEqual((summary["nodes"], summary["seed"]), (4, 7))
        done = summary["podsCompleted"]
        self.assertEqual(done["controlled"], done["uncontrolled"])
        self.assertGreater(summary["itEnergyKwh"]["controlled"], 0)
        self.assertNotIn("wallS", summary)

    def test_equal_inputs_give_equal_results_however_they_are_stepped(self):
        trace = self.trace()
        with joulie.Simulation(INVENTORY, trace, tables=True) as one, joulie.Simulation(
            INVENTORY, trace, tables=True
        ) as two:
            one.run()
            for until_s in range(0, 40000, 777):
                two.run(until_s).view()
            two.run()
            self.assertEqual(one.summary(), two.summary())
            for table in ("nodes", "jobs"):
                self.assertEqual(one.csv(table), two.csv(table))

    def test_a_view_shows_how_far_it_is(self):
        with joulie.Simulation(INVENTORY, self.trace(), compare=False) as simulation:
            view = simulation.run(60).view()
            self.assertEqual(
                (view["time_s"], view["is_finished"], view["has_uncontrolled"]), (60, 0, 0)
            )
            self.assertEqual(simulation.run().view()["is_finished"], 1)
            self.assertEqual(len(simulation.models()), 2)
            self.assertNotIn("uncontrolled", simulation.summary()["podsCompleted"])

    def test_records_may_be_dicts(self):
        records = [
            {
                "type": "job",
                "jobId": "j",
                "submitTimeOffsetSec": 0,
                "work": {"cpuUnits": 100},
                "podTemplate": {"requests": {"cpu": "4", "memory": "4Gi"}},
            }
        ]
        self.assertEqual(
            joulie.simulate(INVENTORY, records).attrs["summary"]["podsCompleted"]["controlled"], 1
        )
        self.assertEqual(joulie.inspect_workload(records)["jobs"], 1)

    def test_a_bad_text_is_an_error_with_its_line(self):
        with self.assertRaises(joulie.ParseError) as caught:
            joulie.simulate(INVENTORY, '\n{"type":')
        self.assertEqual(caught.exception.line, 2)
        self.assertTrue(caught.exception.where.startswith("trace"))
        with self.assertRaises(joulie.RequiredError):
            joulie.simulate({"nodes": []}, self.trace())
        with self.assertRaises(joulie.UnsupportedError):
            joulie.simulate(INVENTORY, self.trace(), placement="random")

    def test_a_closed_simulation_is_not_used(self):
        simulation = joulie.Simulation(INVENTORY, self.trace())
        simulation.close()
        simulation.close()
        with self.assertRaises(ValueError):
            simulation.run()

    def test_workloads_are_random_only_by_their_seed(self):
        self.assertEqual(self.trace(), self.trace())
        self.assertNotEqual(self.trace(), self.trace(seed=4))
        self.assertEqual(joulie.inspect_workload(self.trace())["jobs"], 12)
        with self.assertRaises(TypeError):
            self.trace(nothing=1)
        with self.assertRaises(joulie.RangeError):
            self.trace(gpu_ratio=2)


class Layout(unittest.TestCase):
    """The classes of joulie.abi against what the compiler makes of the headers."""

    def classes(self):
        return {
            each["name"]: getattr(abi, abi.class_name(each["name"]))
            for each in abi.LAYOUT["structs"]
        }

    def run_c(self, lines):
        """{word: number} of a program that prints them."""
        body = "\n".join(lines)
        program = f"#include <stdio.h>\n#include <joulie/joulie.h>\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n"
        with tempfile.TemporaryDirectory() as folder:
            source, binary = Path(folder) / "x.c", Path(folder) / "x"
            source.write_text(program)
            subprocess.run(["gcc", "-I", str(ROOT / "include"), "-o", binary, source], check=True)
            text = subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=True).stdout
        return {name: int(number) for name, number in (line.split() for line in text.splitlines())}

    def test_sizes_and_offsets_agree(self):
        mine, lines = {}, []
        for tag, layout in self.classes().items():
            mine[tag] = ctypes.sizeof(layout)
            lines.append(f'printf("{tag} %zu\\n", sizeof(struct {tag}));')
            for name, *_ in layout._fields_:
                mine[f"{tag}.{name}"] = getattr(layout, name).offset
                lines.append(f'printf("{tag}.{name} %zu\\n", offsetof(struct {tag}, {name}));')
        self.assertGreater(len(mine), 300)
        self.assertEqual(mine, self.run_c(lines))

    def test_values_of_enums_and_bits_agree(self):
        mine, lines = {}, []
        for each in abi.LAYOUT["enums"]:
            values = {one["name"]: one["value"] for one in each["values"]}
            found = getattr(abi, abi.class_name(each["name"]))
            short = {name: int(value) for name, value in found.__members__.items()}
            self.assertEqual(short, abi.value_names(values))
            mine.update(values)
        for each in abi.LAYOUT["constants"]:
            mine[each["name"]] = each["value"]
        for name in mine:
            lines.append(f'printf("{name} %lld\\n", (long long){name});')
        self.assertEqual(mine, self.run_c(lines))

    def test_a_constant_is_a_bit_of_its_class_or_has_its_name(self):
        constants = {each["name"]: each["value"] for each in abi.LAYOUT["constants"]}
        for group, bits in abi.flag_groups(constants).items():
            found = getattr(abi, group)
            self.assertEqual({name: int(bit) for name, bit in found.__members__.items()}, bits)
            for bit in bits.values():
                self.assertEqual(bit & (bit - 1), 0, group)
        for name, value in constants.items():
            if not abi.is_bit(name):
                self.assertEqual(getattr(abi, name), value)
        self.assertEqual(abi.TwinHas.CPU_MAX, constants["JOULIE_TWIN_HAS_CPU_MAX"])

    def test_every_bit_of_has_finds_its_member(self):
        """By the comment of the header: /** Bits of joulie_twin_input::has. */"""
        pairs = []
        for header in sorted((ROOT / "include" / "joulie").glob("*.h")):
            pairs += re.findall(
                r"Bits of (joulie_\w+)::has\b.*?\*/\n#define JOULIE_(\w+?_(?:HAS|OUT))_",
                header.read_text(),
            )
        self.assertGreater(len(pairs), 10)
        # a window without a number: a bit without a member
        bare = {(abi.ClassifyHas, abi.ClassifyHas.METRICS)}
        for tag, group in pairs:
            flags = getattr(abi, abi.class_name("joulie_" + group.lower()))
            bits = _native.Bits(flags, getattr(abi, abi.class_name(tag)))
            wanted = sorted(int(flag) for flag in flags if (flags, flag) not in bare)
            self.assertEqual(list(bits.names.values()), wanted, tag)

    def test_the_names_of_the_bits_of_a_twin(self):
        names = list(joulie.TwinNumbers.__annotations__)
        self.assertEqual(list(_twin.INPUT.names), names)
        self.assertEqual(
            list(_twin.OUTPUT.names), list(joulie.Prediction._fields[: len(_twin.OUTPUT.names)])
        )

    def test_the_types_that_mypy_sees_are_those_of_the_library(self):
        done = subprocess.run(
            [sys.executable, ROOT / "bindings" / "python" / "stubs.py", "--check"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_function_of_the_library_is_offered(self):
        package = ROOT / "bindings" / "python" / "joulie"
        used = set()
        for file in package.glob("*.py"):
            used |= set(re.findall(r"\b(?:abi|library)\.(joulie_\w+)", file.read_text()))
        offered = {each["name"] for each in abi.LAYOUT["functions"]}
        self.assertEqual(offered - used, set())
