# SPDX-License-Identifier: Apache-2.0
"""The autoscaler's functions: the question's numbers, columns, what was learnt, errors; the simulation."""

import array
import gc
import json
import math
import sys
import tempfile
import threading
import unittest
import weakref
from datetime import datetime
from pathlib import Path
from unittest import mock

import environment
from checkout import ROOT, VECTORS, use_package

use_package()
import joulie  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "vectors"))
import vectors  # noqa: E402

HERE = Path(__file__).resolve().parent
NOW_MS = 1_773_403_200_000  # 2026-03-13T12:00:00Z
HOUR_MS = 3_600_000
MIB = 1 << 20
GIB = 1 << 30
NAN = float("nan")
MODELS = {
    "current": joulie.AutoscaleModel.CURRENT,
    "v2.17.1": joulie.AutoscaleModel.V2_17_1,
}


def profile(scaling=None, **spec):
    resources = {
        "requests": {"tflops": "10", "vram": "4Gi"},
        "limits": {"tflops": "20", "vram": "4Gi"},
    }
    return {
        "apiVersion": "tensor-fusion.ai/v1",
        "kind": "WorkloadProfile",
        "metadata": {"name": "p", "namespace": "ml"},
        "spec": {"autoScalingConfig": scaling or {}, "resources": resources, **spec},
    }


LIMITS = profile({"autoSetLimits": {"enable": True, "targetResource": "tflops"}})


def cron(zone):
    amounts = {"tflops": "30", "vram": "4Gi"}
    rule = {
        "enable": True,
        "name": "day",
        "start": f"CRON_TZ={zone} 30 12 * * *",
        "end": f"CRON_TZ={zone} 0 18 * * *",
        "desiredResources": {"requests": amounts, "limits": {**amounts, "tflops": "40"}},
    }
    return profile({"cronScalingRules": [rule]})


def value_of(text):
    """The double of a quantity."""
    return None if text is None else float(joulie.ask("quantity", {"text": text})["value"])


def amounts_of(sides, names):
    """The arguments of step() for a member like {"tflops": "10", "vram": "4Gi"}."""
    return {name: value_of((sides or {}).get(key)) for key, name in zip(("tflops", "vram"), names)}


def scaler_of(document, model):
    """An autoscaler with all that the question's document says, and the arguments of step()."""
    pool, current = document.get("pool", {}), document.get("current", {})
    gpu = amounts_of(pool.get("gpu"), ("gpu_tflops", "gpu_vram_bytes"))
    known = {
        **gpu,
        **amounts_of(pool.get("maxAllowed"), ("allowed_tflops", "allowed_vram_bytes")),
        **amounts_of(current.get("requests"), ("request_tflops", "request_vram_bytes")),
        **amounts_of(current.get("limits"), ("limit_tflops", "limit_vram_bytes")),
        "replicas": current.get("replicas"),
        "max_replicas": pool.get("maxReplicas"),
    }
    scaler = joulie.Autoscaler(
        document["profile"],
        model=MODELS[model],
        pool=pool.get("autoScalingConfig"),
        gpu_tflops=gpu["gpu_tflops"],
    )
    for worker in document.get("workers", []):
        scaler.put_worker(
            worker["name"],
            created_ms=milliseconds(worker.get("created")),
            dedicated=worker.get("dedicated", False),
        )
    put(scaler, document.get("samples", []))
    if "external" in document:
        scaler.put_external(document["external"])
    if "state" in document:
        scaler.restore(json.dumps(document["state"]))
    return scaler, known


def milliseconds(text):
    """Milliseconds since 1970 of an instant."""
    if text is None:
        return None
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def put(scaler, samples):
    names = sorted({sample["worker"] for sample in samples})
    scaler.put_samples(
        workers=names,
        worker=array.array("i", [names.index(sample["worker"]) for sample in samples]),
        at_ms=array.array("q", [milliseconds(sample["t"]) for sample in samples]),
        tflops=array.array("d", [sample["tflops"] for sample in samples]),
        vram_bytes=array.array("d", [value_of(sample["vram"]) for sample in samples]),
        tflops_limit=array.array("d", [sample.get("tflopsLimit", NAN) for sample in samples]),
        throttled_count=array.array("d", [sample.get("throttledCount", NAN) for sample in samples]),
        oom_count=array.array("d", [sample.get("oomCount", NAN) for sample in samples]),
    )


def answer_of(step):
    """A step in the members of the question, amounts as numbers."""
    requests = {"tflops": step.request_tflops, "vram": step.request_vram_bytes}
    limits = {"tflops": step.limit_tflops, "vram": step.limit_vram_bytes}
    found = {
        "decisions": [
            {"layer": one.layer, "resource": one.resource, "from": one.before, "to": one.after}
            | {"reason": one.reason}
            for one in step.decisions
        ],
        "resources": {"requests": requests, "limits": limits},
        "conditions": [(one.reason, one.message) for one in step.conditions],
    }
    if step.replicas is not None:
        before, after, desired, ratio, reason = step.replicas
        found["replicas"] = {"from": before, "to": after, "desired": desired, "reason": reason}
        if ratio is not None:
            found["replicas"]["ratio"] = ratio
    return found


def numbers_of(answer):
    """An answer of the question, its quantities as numbers."""
    found = {
        "decisions": [
            {**one, "from": value_of(one["from"]), "to": value_of(one["to"])}
            for one in answer["decisions"]
        ],
        "resources": {
            side: {name: value_of(pair.get(name)) for name in ("tflops", "vram")}
            for side, pair in answer["resources"].items()
        },
        "conditions": [(one["reason"], one["message"]) for one in answer["conditions"]],
    }
    if "replicas" in answer:
        found["replicas"] = answer["replicas"]
    return found


class Question(unittest.TestCase):
    def answered(self):
        cases = [case for case in vectors.load(VECTORS) if case.question == "autoscale"]
        found = [case for case in cases if "out" in case.test]
        self.assertGreater(len(found), 20)
        return found

    def test_a_step_is_the_question_bit_for_bit(self):
        for case in self.answered():
            with self.subTest(f"{case.file} {case.id}"):
                document = case.test["in"]
                model = document.get("options", {}).get("model", "current")
                scaler, known = scaler_of(document, model)
                step = scaler.step(milliseconds(document["now"]), **known)
                answer = joulie.ask("autoscale", case.text)
                self.assertEqual(answer_of(step), numbers_of(answer))
                self.assertEqual(json.loads(scaler.save()), answer["state"])

    def test_steps_that_follow_one_another_are_the_question_with_its_state(self):
        document = {"profile": profile({"autoSetRequests": {"enable": True}})}
        document["workers"] = [{"name": "w-0", "created": "2026-03-12T12:00:00Z"}]
        scaler, _ = scaler_of(document, "current")
        with scaler:
            for hour in range(12):
                when = f"2026-03-13T{hour:02}"
                samples = [
                    {"worker": "w-0", "t": f"{when}:{minute:02}:00Z", "vram": f"{hour + 1}Gi"}
                    | {"tflops": (hour * 60 + minute) % 17 + 0.1}
                    for minute in range(0, 59, 2)
                ]
                put(scaler, samples)
                asked = {**document, "samples": samples, "now": f"{when}:59:00Z"}
                answer = joulie.ask("autoscale", asked)
                step = scaler.step(milliseconds(asked["now"]))
                self.assertEqual(answer_of(step), numbers_of(answer))
                self.assertEqual(json.loads(scaler.save()), answer["state"])
                document["state"] = answer["state"]


class Samples(unittest.TestCase):
    AT_MS = array.array("q", [NOW_MS - 20_000, NOW_MS - 10_000, NOW_MS])

    def setUp(self):
        self.scaler = joulie.Autoscaler(LIMITS)
        self.addCleanup(self.scaler.close)
        self.scaler.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)

    def put(self, tflops, **columns):
        self.scaler.put_samples(workers=["w-0"], at_ms=self.AT_MS, tflops=tflops, **columns)

    def test_one_by_one_is_the_same_as_columns(self):
        values = [19.2, 19.6, 20.0]
        with joulie.Autoscaler(LIMITS) as other:
            other.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
            for at_ms, value in zip(self.AT_MS, values):
                other.put_sample("w-0", at_ms, tflops=value)
            self.put(array.array("d", values))
            self.assertEqual(self.scaler.step(NOW_MS), other.step(NOW_MS))
            self.assertEqual(self.scaler.save(), other.save())

    def test_a_nan_is_unknown(self):
        self.put(array.array("d", [19.2, NAN, 20]), vram_bytes=float(GIB))
        self.assertEqual(self.scaler.step(NOW_MS).dropped_samples, 0)
        self.put(array.array("d", [NAN, NAN, NAN]))
        self.assertEqual(self.scaler.step(NOW_MS).dropped_samples, 3)  # nothing known of them

    def test_what_was_unknown_can_be_saved(self):
        self.put(array.array("d", [19.2, NAN, 20]), vram_bytes=float(GIB), tflops_limit=NAN)
        self.scaler.step(NOW_MS)
        with joulie.Autoscaler(LIMITS) as other:
            other.restore(self.scaler.save())
            self.assertEqual(other.save(), self.scaler.save())

    def test_a_nan_that_is_no_unknown_is_dropped_and_counted(self):
        self.put(array.array("d", [19.2, NAN, 20]), vram_bytes=GIB, nan_is_unknown=False)
        self.assertEqual(self.scaler.step(NOW_MS).dropped_samples, 1)

    def test_what_cannot_be_is_dropped_and_counted(self):
        self.put(array.array("d", [-1, math.inf, 20]))
        self.scaler.put_sample("w-0", NOW_MS + 6_000, tflops=20)
        self.assertEqual(self.scaler.step(NOW_MS).dropped_samples, 3)
        self.scaler.put_sample("w-0", NOW_MS, tflops=20)  # not after the last one
        self.assertEqual(self.scaler.step(NOW_MS + 1000).dropped_samples, 1)

    def test_masks_say_what_is_known(self):
        has = array.array("Q", [joulie.abi.AutoscaleSampleHas.VRAM] * 3)
        self.put(array.array("d", [NAN, 2, 3]), vram_bytes=GIB, has=has)
        self.assertEqual(self.scaler.step(NOW_MS).dropped_samples, 0)
        with joulie.Autoscaler(LIMITS) as other:
            other.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
            other.put_samples(workers=["w-0"], at_ms=self.AT_MS, vram_bytes=GIB)
            other.step(NOW_MS)
            self.assertEqual(self.scaler.save(), other.save())

    def test_a_worker_that_is_killed_for_its_memory_gets_twice_as_much(self):
        vram = profile({"autoSetLimits": {"enable": True, "targetResource": "vram"}})
        for counts, limit_gib in (((2, 3), 8), ((3, 3), 4), ((3, 2), 4), ((None, 3), 4)):
            with self.subTest(counts), joulie.Autoscaler(vram) as scaler:
                scaler.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
                for at_ms, count in zip(self.AT_MS, counts):
                    scaler.put_sample("w-0", at_ms, vram_bytes=3.5 * GIB, oom_count=count)
                self.assertEqual(scaler.step(NOW_MS).limit_vram_bytes, limit_gib * GIB)

    def test_a_dedicated_worker_counts_for_nothing(self):
        for dedicated, limit_tflops in ((True, 20), (False, 40)):
            with joulie.Autoscaler(LIMITS) as scaler:
                scaler.put_worker("w-0", created_ms=NOW_MS - HOUR_MS, dedicated=dedicated)
                for at_ms in self.AT_MS:
                    scaler.put_sample("w-0", at_ms, tflops=20)
                self.assertEqual(scaler.step(NOW_MS).limit_tflops, limit_tflops)

    def test_lists_are_refused_as_they_would_be_copied(self):
        with self.assertRaises(TypeError) as caught:
            self.put([19.2, 19.6, 20])
        self.assertIn("tflops: list is no array of float64", str(caught.exception))

    def test_columns_that_do_not_fit_are_refused(self):
        with self.assertRaises(ValueError):
            self.put(array.array("d", [1, 2]))
        with self.assertRaises(TypeError):
            self.put(array.array("i", [1, 2, 3]))
        with self.assertRaises(TypeError):
            self.put(array.array("d", [1, 2, 3]), vram=1.0)
        with self.assertRaises(TypeError):
            self.scaler.put_samples(workers="w-0", at_ms=self.AT_MS, tflops=1.0)

    def test_a_worker_that_nobody_named_is_an_error_and_nothing_waits(self):
        with self.assertRaises(joulie.RangeError) as caught:
            self.put(1.0, worker=array.array("i", [0, 1, 0]))
        self.assertEqual(caught.exception.where, "samples[1]")
        self.put(array.array("d", [19.2, 19.6, 20]))
        self.assertEqual(self.scaler.step(NOW_MS).dropped_samples, 0)

    def test_with_numpy_and_pandas(self):
        python = environment.python_with(*environment.NUMPY)
        done = environment.run(python, HERE / "check_autoscale.py")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(done.stdout.endswith("OK\n"), done.stdout)


class Steps(unittest.TestCase):
    def test_without_a_profile_there_is_a_conflict(self):
        with joulie.Autoscaler() as scaler:
            with self.assertRaises(joulie.ConflictError) as caught:
                scaler.step(NOW_MS)
        self.assertEqual(caught.exception.where, "profile")

    def test_a_profile_that_is_refused_leaves_the_one_before(self):
        with joulie.Autoscaler(LIMITS) as scaler:
            before = scaler.step(NOW_MS)
            with self.assertRaises(joulie.UnknownMemberError):
                scaler.put_profile(profile(replica=2))
            with self.assertRaises(joulie.ParseError):
                scaler.put_profile("{")
            self.assertEqual(scaler.step(NOW_MS).limit_tflops, before.limit_tflops)

    def test_a_field_that_cannot_be_read_is_a_condition(self):
        wrong = {"autoSetLimits": {"enable": True, "evaluationPeriod": "10"}}
        with joulie.Autoscaler(profile(wrong)) as scaler:
            scaler.put_worker("w-0", created_ms=NOW_MS)
            (condition,) = scaler.step(NOW_MS).conditions
        self.assertEqual(condition.reason, "InvalidField")
        self.assertTrue(condition.where.endswith("autoSetLimits.evaluationPeriod"))

    def test_numbers_out_of_range_are_errors(self):
        with self.assertRaises(joulie.RangeError):
            joulie.Autoscaler(gpu_tflops=-1)
        with joulie.Autoscaler(LIMITS) as scaler:
            for known in ({"gpu_tflops": -1}, {"limit_tflops": NAN}, {"max_replicas": 0}):
                with self.subTest(known), self.assertRaises(joulie.RangeError) as caught:
                    scaler.step(NOW_MS, **known)
                self.assertEqual(caught.exception.where, *known)
            with self.assertRaises(TypeError):
                scaler.step(NOW_MS, gpus=1)

    def test_nothing_is_due_before_the_time_it_tells(self):
        with joulie.Autoscaler(LIMITS) as scaler:
            self.assertIsNone(scaler.step(NOW_MS).next_due_ms)  # without a worker
            scaler.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
            step = scaler.step(NOW_MS)
            self.assertEqual(len(step.decisions), 1)
            self.assertGreater(step.next_due_ms, NOW_MS)
            self.assertEqual(scaler.step(step.next_due_ms - 1).decisions, ())
            self.assertEqual(len(scaler.step(step.next_due_ms).decisions), 1)

    def test_a_cool_down_keeps_replicas_that_are_not_wanted(self):
        found = []
        with joulie.Autoscaler(profile({"autoSetReplicas": {"enable": True}})) as scaler:
            for name in ("w-0", "w-1", "w-2"):
                scaler.put_worker(name, created_ms=NOW_MS - HOUR_MS)
            for now_ms, replicas in ((NOW_MS, 3), (NOW_MS + 60_000, 2)):
                for name in ("w-0", "w-1", "w-2")[:replicas]:
                    for back_ms in range(50_000, -1, -10_000):
                        scaler.put_sample(name, now_ms - back_ms, tflops=1, vram_bytes=GIB)
                found.append(scaler.step(now_ms, replicas=replicas).replicas)
                scaler.remove_worker("w-2")
        down, kept = found
        self.assertEqual((down.before, down.after, down.desired), (3, 2, 2))
        self.assertEqual((kept.before, kept.after, kept.desired), (2, 2, 1))
        self.assertEqual((down.reason, kept.reason), ("BelowTarget", "Stabilizing"))

    def test_the_rules_of_the_source_are_those_of_the_question(self):
        scaling = {"autoSetResources": {"enable": True, "targetResource": "all"}}
        document = {"profile": profile(scaling), "now": "2026-03-13T12:00:00Z"}
        document["workers"] = [{"name": "w-0", "created": "2026-03-01T12:00:00Z"}]
        document["samples"] = [
            {"worker": "w-0", "t": f"2026-03-13T11:{minute}:00Z", "tflops": 15, "vram": "1Gi"}
            for minute in range(10, 59)
        ]
        answers = {}
        for model in MODELS:
            scaler, known = scaler_of(document, model)
            answers[model] = scaler.step(NOW_MS, **known)
            answer = joulie.ask("autoscale", document, model=model)
            self.assertEqual(json.loads(scaler.save()), answer["state"])
            for mine, theirs in zip(answers[model].decisions, answer["decisions"]):
                step = MIB if mine.resource == "vram" else 0.001  # texts are rounded up
                self.assertAlmostEqual(value_of(theirs["to"]), math.ceil(mine.after / step) * step)
        self.assertNotEqual(*answers.values())

    def test_amounts_that_are_unset_are_none(self):
        bare = profile()
        del bare["spec"]["resources"]
        with joulie.Autoscaler(bare) as scaler:
            step = scaler.step(NOW_MS)
        self.assertEqual(step[:5], (None, None, None, None, None))

    def test_the_pool_counts_where_the_profile_says_nothing(self):
        pool = {"autoSetLimits": {"enable": True, "targetResource": "tflops"}}
        with joulie.Autoscaler(profile(), pool=pool) as scaler:
            scaler.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
            self.assertEqual([one.layer for one in scaler.step(NOW_MS).decisions], ["limits"])
            scaler.put_pool(None)
            self.assertEqual(scaler.step(NOW_MS + HOUR_MS).decisions, ())

    def test_a_worker_that_was_removed_is_no_worker(self):
        with joulie.Autoscaler(profile({"autoSetReplicas": {"enable": True}})) as scaler:
            for name in ("w-0", "w-1", "w-2"):
                scaler.put_worker(name, created_ms=NOW_MS - HOUR_MS)
            scaler.remove_worker("w-1")
            scaler.remove_worker("w-9")
            self.assertEqual(scaler.step(NOW_MS).replicas.before, 2)

    def test_a_reply_that_cannot_be_read_is_a_condition(self):
        rules = {"externalScaler": {"enable": True, "url": "http://scaler/"}}
        with joulie.Autoscaler(profile(rules)) as scaler:
            scaler.put_external("{")
            reasons = [one.reason for one in scaler.step(NOW_MS).conditions]
        self.assertIn("ExternalScalerFailed", reasons)


class Zones(unittest.TestCase):
    """12:00 UTC is 13:00 in Berlin: a rule from 12:30 on is active there, and not yet in UTC."""

    def request(self, zone, **options):
        with joulie.Autoscaler(cron(zone), **options) as scaler:
            step = scaler.step(NOW_MS)
        return step.request_tflops, [one.reason for one in step.conditions]

    def test_the_systems_zones_are_found(self):
        self.assertEqual(self.request("UTC"), (10.0, []))
        if joulie.system_zone("Europe/Berlin") is not None:
            self.assertEqual(self.request("Europe/Berlin"), (30.0, []))

    def test_a_function_of_the_caller_finds_them(self):
        asked = []

        def find(name):
            asked.append(name)
            return (ROOT / "tests" / "support" / "fixtures" / "zoneinfo" / "Europe" / "Berlin").read_bytes()

        self.assertEqual(self.request("Europe/Berlin", find_zone=find), (30.0, []))
        self.assertEqual(set(asked), {"Europe/Berlin"})

    def test_without_the_zone_the_rule_does_not_count(self):
        for find in (None, lambda name: None, lambda name: b"no TZif"):
            request, reasons = self.request("Europe/Berlin", find_zone=find)
            self.assertEqual((request, len(reasons)), (10.0, 1))

    def test_what_the_function_raises_is_raised(self):
        def find(name):
            raise LookupError(name)

        with self.assertRaises(LookupError):
            joulie.Autoscaler(cron("Europe/Berlin"), find_zone=find)

    def test_the_function_cannot_use_the_autoscaler_that_asks_it(self):
        scaler = joulie.Autoscaler(find_zone=lambda name: scaler.save())
        with self.assertRaises(RuntimeError):
            scaler.put_profile(cron("Europe/Berlin"))
        scaler.close()

    def test_a_name_leads_to_no_file_outside_the_database(self):
        with tempfile.TemporaryDirectory() as folder:
            inside, outside = Path(folder) / "zones" / "A" / "B", Path(folder) / "secret"
            inside.parent.mkdir(parents=True)
            for file in (inside, outside):
                file.write_bytes(b"TZif")
            with mock.patch("zoneinfo.TZPATH", (str(Path(folder) / "zones"),)):
                self.assertEqual(joulie.system_zone("A/B"), b"TZif")
                for name in ("", "..", "../secret", str(outside), "A//B", "./A/B", "A", "A\0B"):
                    with self.subTest(name):
                        self.assertIsNone(joulie.system_zone(name))


class Memory(unittest.TestCase):
    def learnt(self):
        scaler = joulie.Autoscaler(LIMITS)
        self.addCleanup(scaler.close)
        scaler.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
        for at in range(30):
            scaler.put_sample("w-0", NOW_MS - 300_000 + at * 10_000, tflops=at / 3, vram_bytes=GIB)
        scaler.step(NOW_MS)
        return scaler

    def test_what_was_restored_goes_on_as_what_was_saved(self):
        scaler = self.learnt()
        with joulie.Autoscaler(LIMITS) as other:
            other.put_worker("w-0", created_ms=NOW_MS - HOUR_MS)
            other.restore(scaler.save())
            for each in (scaler, other):
                each.put_sample("w-0", NOW_MS + 60_000, tflops=19.9, vram_bytes=GIB)
            self.assertEqual(scaler.step(NOW_MS + 60_000), other.step(NOW_MS + 60_000))
            self.assertEqual(scaler.save(), other.save())

    def test_a_damaged_text_changes_nothing(self):
        scaler = self.learnt()
        before = scaler.save()
        for text in ("", "{", "[]", "{}", before[:-1], before.replace("A", "B", 1)):
            with self.subTest(text[:20]), self.assertRaises(joulie.Error):
                scaler.restore(text)
            self.assertEqual(scaler.save(), before)

    def test_after_the_end_there_is_a_value_error(self):
        with joulie.Autoscaler(LIMITS) as scaler:
            pass
        for call in (scaler.save, lambda: scaler.step(NOW_MS), lambda: scaler.put_profile(LIMITS)):
            self.assertRaises(ValueError, call)
        scaler.close()

    def test_the_handle_goes_with_the_object(self):
        scaler = joulie.Autoscaler(LIMITS)
        gone = weakref.ref(scaler)
        del scaler
        gc.collect()
        self.assertIsNone(gone())

    def test_a_second_thread_gets_an_error(self):
        problems = []
        inside, leave = threading.Event(), threading.Event()

        def find(_name):
            inside.set()
            leave.wait(10)

        scaler = joulie.Autoscaler(find_zone=find)
        thread = threading.Thread(target=scaler.put_profile, args=(cron("Europe/Berlin"),))
        thread.start()
        inside.wait(10)
        try:
            scaler.save()
        except RuntimeError as problem:
            problems.append(problem)
        leave.set()
        thread.join()
        scaler.close()
        self.assertEqual(len(problems), 1)


class Views(unittest.TestCase):
    def test_a_profile_of_any_dialect_is_flat(self):
        for dialect in ("a", "b", "c", "mixed"):
            file = ROOT / "tests" / "support" / "fixtures" / "tensor-fusion" / f"{dialect}.yaml"
            with self.subTest(dialect):
                found = joulie.tensor_fusion_profile(file.read_text())
                self.assertIn("limit_tflops", found)
                self.assertNotIn(None, found.values())

    def test_words_are_enums_and_truths_are_bools(self):
        spec = {"qos": "critical", "isLocalGPU": False, "gpuCount": 2, "replicas": 0}
        document = profile({"autoSetLimits": {"enable": True, "targetResource": "vram"}}, **spec)
        found = joulie.tensor_fusion_profile(joulie.Object(document))
        self.assertIs(found["qos"], joulie.TensorFusionQos.CRITICAL)
        self.assertIs(found["limits_target"], joulie.TensorFusionTarget.VRAM)
        self.assertIs(found["is_local_gpu"], False)
        self.assertIs(found["limits_enabled"], True)
        self.assertEqual((found["gpu_count"], found["replicas"]), (2, 0))
        self.assertEqual((found["limit_tflops"], found["limit_vram_bytes"]), (20.0, 4.0 * GIB))
        self.assertEqual(found["limit_vram_text"], "4Gi")
        self.assertNotIn("resources_enabled", found)

    def test_members_that_no_dialect_has_are_no_obstacle(self):
        found = joulie.tensor_fusion_profile(profile(futureMember=1))
        self.assertEqual(found["request_tflops"], 10.0)

    def test_joulies_own_profile_is_another(self):
        own = {"apiVersion": "joulie.io/v1alpha1", "kind": "WorkloadProfile", "spec": {}}
        self.assertEqual(joulie.Object(own).view(), {})
        with self.assertRaises(ValueError):
            joulie.tensor_fusion_profile(own)
        self.assertEqual(joulie.Object(profile()).view(), joulie.tensor_fusion_profile(profile()))

    def test_words_are_found_both_ways(self):
        self.assertEqual(joulie.word(joulie.TensorFusionIsolation.PARTITIONED), "partitioned")
        found = joulie.word_value(joulie.TensorFusionQos, "low")
        self.assertIs(found, joulie.TensorFusionQos.LOW)


class Simulation(unittest.TestCase):
    OPTIONS = {"hours": 1, "seeds": 2, "seed": 7}

    def test_a_table_has_a_row_per_seed_and_algorithm(self):
        runs = joulie.simulate_autoscale("step", **self.OPTIONS)
        self.assertEqual(list(runs["algorithm"]), ["static", "v2.17.1", "current"] * 2)
        self.assertEqual(list(runs["seed"]), [7] * 3 + [8] * 3)
        summary = runs.attrs["summary"]
        self.assertEqual((summary["workload"], summary["seeds"]), ("step", 2))
        for mean in summary["means"]:
            costs = zip(runs["algorithm"], runs["costUsd"])
            costs = [cost for algorithm, cost in costs if algorithm == mean["algorithm"]]
            self.assertAlmostEqual(mean["costUsd"]["mean"], sum(costs) / 2)

    def test_the_course_has_a_row_per_point(self):
        series = joulie.simulate_autoscale("ramp", table="series", **self.OPTIONS)
        points = len(series) // 6
        self.assertEqual(len(series), 6 * points)
        step_s = series.attrs["summary"]["pointSeconds"]
        self.assertEqual(list(series["timeSeconds"])[:3], [0, step_s, 2 * step_s])
        self.assertEqual(list(series["timeSeconds"])[points], 0)
        self.assertEqual(series["seed"][points - 1], 7)

    def test_a_trace_is_played_once(self):
        lines = ["t,worker,tflops,vram"]
        lines += [f"{NOW_MS // 1000 + at * 10},w-0,{at % 20},1073741824" for at in range(90)]
        runs = joulie.simulate_autoscale(trace="\n".join(lines) + "\n", profile=LIMITS)
        self.assertEqual(len(runs), 3)
        self.assertNotIn("seed", runs.columns)
        self.assertEqual(runs.attrs["summary"]["world"]["requests"]["tflops"], 10)

    def test_what_does_not_exist_is_an_error(self):
        with self.assertRaises(joulie.UnsupportedError):
            joulie.simulate_autoscale("chaos")
        with self.assertRaises(joulie.RangeError):
            joulie.simulate_autoscale("step", hours=-1)
        with self.assertRaises(TypeError):
            joulie.simulate_autoscale("step", card=1)
        with self.assertRaises(ValueError):
            joulie.simulate_autoscale("step", table="hours")


if __name__ == "__main__":
    unittest.main()
