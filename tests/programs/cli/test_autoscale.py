# SPDX-License-Identifier: Apache-2.0
"""joulie autoscale: one evaluation after the other on the command line, on the sanitized build."""

import copy
import json
import subprocess
import unittest

from checkout import DEV, ROOT

JOULIE = str(DEV / "bin" / "joulie")
VECTORS = json.loads((ROOT / "tests/vectors/tensor-fusion-12.3-autoscale.json").read_text())
EXAMPLE = VECTORS["cases"][0]


def autoscale(document, *arguments):
    text = document if isinstance(document, str) else json.dumps(document)
    done = subprocess.run(
        [JOULIE, "autoscale", *arguments], input=text, capture_output=True, text=True, check=False
    )
    return done.returncode, json.loads(done.stdout)


def example():
    return copy.deepcopy(EXAMPLE["in"])


class Autoscale(unittest.TestCase):
    def assert_error(self, document, code, where):
        status, answer = autoscale(document)
        self.assertEqual(status, 1)
        self.assertEqual((answer["error"]["code"], answer["error"]["where"]), (code, where))

    def second(self):
        """The first call's document as that of the second one, 5 s later."""
        document = example()
        document["state"] = autoscale(document)[1]["state"]
        document["current"] = {"limits": {"tflops": "40"}}
        document["samples"] = []
        document["now"] = "2026-03-13T12:00:05Z"
        return document

    def test_the_example_of_the_specification(self):
        status, answer = autoscale(example())
        self.assertEqual(status, 0)
        del answer["state"]
        self.assertEqual(answer, EXAMPLE["out"])

    def test_a_second_call_waits_for_the_next_due_time(self):
        document = self.second()
        _, answer = autoscale(document)
        self.assertEqual(answer["decisions"], [])
        self.assertNotIn("replicas", answer)
        self.assertEqual(answer["resources"]["limits"]["tflops"], "40")
        document["now"] = "2026-03-13T12:00:10Z"
        self.assertEqual(len(autoscale(document)[1]["decisions"]), 1)

    def test_a_clock_that_goes_back_evaluates_nothing(self):
        document = self.second()
        document["now"] = "2026-03-13T11:59:59Z"
        _, answer = autoscale(document)
        self.assertEqual(answer["decisions"], [])
        self.assertEqual([c["reason"] for c in answer["conditions"]], ["ClockWentBack"])
        self.assertEqual(answer["state"], document["state"])

    def test_a_damaged_state_is_an_error(self):
        document = self.second()
        good = document["state"]
        document["state"] = dict(good, data=good["data"][:-8])
        self.assert_error(document, "parse", "state.data")
        document["state"] = dict(good, data="?" + good["data"][1:])
        self.assert_error(document, "parse", "state.data")
        document["state"] = dict(good, version=2)
        self.assert_error(document, "unsupported", "state.version")
        document["state"] = {"version": 1}
        self.assert_error(document, "required", "state.crc32")
        document["state"] = "garbage"
        self.assert_error(document, "type", "state")

    def test_a_number_outside_a_double_is_refused(self):
        text = json.dumps(example()).replace('"tflops": 19.2', '"tflops": 1e400')
        self.assert_error(text, "range", "line 1")

    def test_times_that_nobody_lives_to_see_are_refused(self):
        document = example()
        document["now"] = "2500-01-01T00:00:00Z"
        self.assert_error(document, "range", "now")
        document = example()
        document["workers"][1]["created"] = "1500-01-01T00:00:00Z"
        self.assert_error(document, "range", "workers[1].created")

    def test_many_samples_are_taken(self):
        document = example()
        document["samples"] = [
            {
                "worker": f"w-{i % 40}",
                "t": f"2026-03-13T11:{i // 2400:02}:{i // 40 % 60:02}Z",
                "tflops": 19 + i % 7 / 10,
                "vram": "2Gi",
            }
            for i in range(40 * 3600)
        ]
        status, answer = autoscale(document)
        self.assertEqual(status, 0)
        self.assertLess(len(json.dumps(answer["state"])), 4 << 20)

    def test_the_source_model_has_its_own_layer(self):
        status, answer = autoscale(example(), "--model", "v2.17.1")
        self.assertEqual(status, 0)
        self.assertEqual({d["layer"] for d in answer["decisions"]}, {"percentile"})
        self.assertNotIn("replicas", answer)

    def test_an_unknown_worker_list_member_is_an_error(self):
        document = example()
        document["workers"][0]["age"] = 3
        self.assert_error(document, "unknown-member", "workers[0].age")


if __name__ == "__main__":
    unittest.main()
