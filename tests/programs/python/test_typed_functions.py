# SPDX-License-Identifier: Apache-2.0
"""The vectors of the questions through the typed functions of the package: the same bits."""

import array
import sys
import unittest
from datetime import datetime

from checkout import ROOT, VECTORS, use_package

use_package()
import joulie  # noqa: E402
from joulie import _place  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "vectors"))
import vectors  # noqa: E402

RULES = {
    None: joulie.TwinRules.CURRENT,
    "current": joulie.TwinRules.CURRENT,
    "v0.1.1": joulie.TwinRules.V0_1_1,
    "v0.1.0": joulie.TwinRules.V0_1_0,
}
FEEDBACK = {
    "applied": joulie.CapFeedback.APPLIED,
    "pending": joulie.CapFeedback.PENDING,
    "blocked": joulie.CapFeedback.NOT_IN_FORCE,
    "error": joulie.CapFeedback.NOT_IN_FORCE,
    "none": joulie.CapFeedback.NOT_IN_FORCE,
}
NUMBERS = {
    "measuredNodePowerW": "measured_node_power_w",
    "outsideTempC": "outside_temp_c",
    "clusterTotalPowerW": "cluster_total_power_w",
    "clusterCapacityW": "cluster_capacity_w",
    "rackTotalPowerW": "rack_total_power_w",
    "rackCapacityW": "rack_capacity_w",
    "cpuUtilPct": "cpu_util_pct",
    "gpuUtilPct": "gpu_util_pct",
}
# Members that the numbers say all of; others (models of the catalog, packages, …) are the question's.
PLAIN = {
    "cpu": {"sockets", "totalCores", "capRange"},
    "gpu": {"present", "count", "capRangePerGpu"},
}
ANSWERS = {
    "predictedPowerHeadroomScore": "power_headroom_score",
    "predictedCoolingStressScore": "cooling_stress_score",
    "predictedPsuStressScore": "psu_stress_score",
    "hardwareDensityScore": "hardware_density_score",
    "estimatedPUE": "estimated_pue",
}
WATTS = {
    "cpuTdpW": "cpu_tdp_w",
    "gpuTdpW": "gpu_tdp_w",
    "nodeTdpW": "node_tdp_w",
    "cpuCappedPowerW": "cpu_capped_w",
    "gpuCappedPowerW": "gpu_capped_w",
    "nodeCappedPowerW": "node_capped_w",
}


def is_plain(document):
    """Whether the flat struct can say what the question's document says."""
    hardware = document.get("hardware", {})
    hardware = hardware.get("status", hardware)
    if set(hardware) - set(PLAIN):
        return False
    if any(set(hardware.get(part, {})) - names for part, names in PLAIN.items()):
        return False
    cpu = hardware.get("cpu", {})
    if "totalCores" in cpu and "capRange" not in cpu:
        return False  # the question estimates watts from cores
    spec = document.get("spec", {})
    known = {"hardware", "spec", "controlStatus", "previous", "coolingModel", "options", "now"}
    rest = set(document) - set(NUMBERS) - known
    return "spec" not in spec and not rest - {"powerTrendWPerMin", "powerSource", "profiles"}


def known_of(document):
    """The arguments of joulie.predict() for the input of the question."""
    hardware = document.get("hardware", {})
    hardware = hardware.get("status", hardware)
    cpu, gpu, spec = hardware.get("cpu", {}), hardware.get("gpu", {}), document["spec"]
    found = {
        "cpu_sockets": cpu.get("sockets"),
        "cpu_cores": cpu.get("totalCores"),
        "cpu_max_w": cpu.get("capRange", {}).get("maxWattsPerSocket"),
        "cpu_cap_pct": spec.get("cpu", {}).get("packagePowerCapPctOfMax"),
        "cpu_cap_w": spec.get("cpu", {}).get("packagePowerCapWatts"),
        "gpu_cap_pct": spec.get("gpu", {}).get("powerCap", {}).get("capPctOfMax"),
        "gpu_cap_w": spec.get("gpu", {}).get("powerCap", {}).get("capWattsPerGpu"),
    }
    if gpu.get("present", gpu.get("count", 0) > 0):
        found["gpu_count"] = gpu.get("count", 0)
        found["gpu_max_w"] = gpu.get("capRangePerGpu", {}).get("maxWatts")
    found.update({name: document.get(key) for key, name in NUMBERS.items()})
    previous = document.get("previous", {}).get("effectiveCapState", {})
    found["previous_cpu_cap_pct"] = previous.get("cpuPct")
    found["previous_gpu_cap_pct"] = previous.get("gpuPct")
    for part in ("cpu", "gpu"):
        result = document.get("controlStatus", {}).get(part, {}).get("result")
        found[f"{part}_feedback"] = FEEDBACK.get(result, joulie.CapFeedback.UNKNOWN)
    cooling = document.get("coolingModel", {})
    if cooling:
        found["cooling_model"] = joulie.word_value(joulie.Cooling, cooling["type"])
        found["cooling_reference_w"] = cooling.get("referenceW")
        found["cooling_design_it_w"] = cooling.get("designItW")
    found["rules"] = RULES[document.get("options", {}).get("model")]
    return found


def cases(question):
    return [case for case in vectors.load(VECTORS) if case.question == question]


class Predict(unittest.TestCase):
    def answered(self):
        """(case, arguments, what the question answers) of every case that plain numbers can say."""
        found = []
        for case in cases("predict"):
            document = case.test["in"]
            if not is_plain(document) or "out" not in case.test:
                continue
            found.append((case, known_of(document), joulie.ask("predict", case.text)))
        self.assertGreater(len(found), 60)
        return found

    def test_one_node_is_the_question_bit_for_bit(self):
        for case, known, answer in self.answered():
            with self.subTest(f"{case.file} {case.id}"):
                node = joulie.predict(**known)
                mine = {key: getattr(node, name) for key, name in ANSWERS.items()}
                self.assertEqual(mine, {key: answer.get(key) for key in ANSWERS})
                power = answer.get("powerMeasurement", {})
                mine = {key: getattr(node, name) for key, name in WATTS.items() if key in power}
                self.assertEqual(mine, {key: power[key] for key in mine})
                expected = case.test["out"]
                for key in set(ANSWERS) & set(expected):
                    problem = vectors.difference(
                        expected[key], getattr(node, ANSWERS[key]), case.tolerance
                    )
                    self.assertIsNone(problem, key)

    def test_all_of_them_as_columns_are_the_question_bit_for_bit(self):
        """One call per rule set and cooling model, as those are for all rows."""
        groups = {}
        for case, known, answer in self.answered():
            choice = (known.pop("rules"), known.pop("cooling_model", joulie.Cooling.UNKNOWN))
            groups.setdefault(choice, []).append((case, known, answer))
        self.assertGreater(len(groups), 5)
        for (rules, model), rows in groups.items():
            nan = float("nan")
            columns = {
                name: array.array(
                    "d", [nan if row[1].get(name) is None else row[1][name] for row in rows]
                )
                for name in joulie.TwinNumbers.__annotations__
            }
            for name in ("cpu_feedback", "gpu_feedback"):
                columns[name] = array.array("i", [row[1][name] for row in rows])
            found = joulie.predict_columns(columns, rules=rules, cooling_model=model)
            self.assertEqual(list(found["code"]), [0] * len(rows))
            for at, (case, _, answer) in enumerate(rows):
                with self.subTest(f"{case.file} {case.id}"):
                    mine = {key: found[name][at] for key, name in ANSWERS.items()}
                    mine = {key: None if value != value else value for key, value in mine.items()}
                    self.assertEqual(mine, {key: answer.get(key) for key in ANSWERS})


PLACE_RULES = {
    None: joulie.PlaceRules.CURRENT,
    "current": joulie.PlaceRules.CURRENT,
    "v0.1.1": joulie.PlaceRules.V0_1_1,
    "legacy": joulie.PlaceRules.V0_1_0,
}
TERMS = {
    "headroom": "term_headroom",
    "cooling": "term_cooling",
    "trend": "term_trend",
    "profileBonus": "term_profile_bonus",
    "pressure": "term_pressure",
    "sensitivity": "term_sensitivity",
    "psu": "term_psu",
}
VIEWED = {
    "node_class": "schedulable_class",
    "updated_ms": "last_updated_ms",
    "headroom_score": "power_headroom_score",
    "cooling_stress_score": "cooling_stress_score",
    "psu_stress_score": "psu_stress_score",
    "capped_w": "node_capped_power_w",
    "measured_w": "measured_node_power_w",
    "trend_w_per_min": "power_trend_w_per_min",
    "cpu_cap_pct": "cpu_effective_pct",
    "gpu_cap_pct": "gpu_effective_pct",
    "pue": "estimated_pue",
}
SENSITIVITY = "joulie.io/{}-sensitivity"


def row_of(node):
    """What is known of a node of the question, by the columns of place_nodes(); None: not plain."""
    if node.get("twin", {}).get("status", {}).get("conditions"):
        return None  # no column says that a node is off
    found = {"label": joulie.NodeLabel.UNKNOWN}
    if "labels" in node:
        word = node["labels"].get("joulie.io/power-profile")
        found["label"] = joulie.NodeLabel.ECO if word == "eco" else joulie.NodeLabel.OTHER
    twin = {"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin", **node.get("twin", {})}
    try:
        status = joulie.Object(twin, lenient=True).view("status") if "twin" in node else {}
    except joulie.MemberTypeError:
        return None
    found.update({name: status[key] for name, key in VIEWED.items() if key in status})
    if "twin" in node and "status" in node["twin"]:
        found["twin"] = True
    if "hardware" not in node:
        return found
    hardware = node["hardware"].get("status", node["hardware"])
    cpu, gpu = hardware.get("cpu", {}), hardware.get("gpu", {})
    plain = set(hardware) <= set(PLAIN) and set(cpu) <= PLAIN["cpu"] and set(gpu) <= PLAIN["gpu"]
    if not plain or not cpu.get("capRange", {}).get("maxWattsPerSocket"):
        return None
    if "sockets" not in cpu or (gpu and not gpu.get("capRangePerGpu", {}).get("maxWatts")):
        return None
    found["hardware"] = True
    found["cpu_max_w"] = cpu["sockets"] * cpu["capRange"]["maxWattsPerSocket"]
    if "totalCores" in cpu:
        found["cpu_cores"] = cpu["totalCores"]
    if gpu.get("present", gpu.get("count", 0) > 0):
        found["gpu"] = True
        found["gpu_count"] = gpu.get("count", 0)
        found["gpu_max_w"] = gpu["capRangePerGpu"]["maxWatts"]
    return found


def work_of(pod, answer):
    annotations = pod["metadata"].get("annotations", {})
    demand = answer["marginalDemand"]
    levels = {
        part: joulie.word_value(
            joulie.Level, annotations.get(SENSITIVITY.format(part), "").strip().lower()
        )
        for part in ("cpu", "gpu")
    }
    # 0 and what the question assumed are both said as a demand
    return joulie.Work(
        demand.get("cpuCores"),
        demand.get("memoryBytes"),
        demand.get("gpuCount"),
        joulie.word_value(joulie.WorkloadClass, answer["workloadClass"]),
        joulie.word_value(joulie.GpuVendor, demand.get("gpuVendor", "")),
        levels["cpu"],
        levels["gpu"],
    )


def columns_of(rows):
    """The columns of rows, with the mask of what each knows."""
    fresh = {"node_class": "i", "label": "i", "updated_ms": "q"}
    bits = {**_place.BITS, "twin": joulie.PlaceHas.TWIN, "gpu": joulie.PlaceHas.GPU}
    bits["hardware"] = joulie.PlaceHas.HARDWARE
    found = {
        name: array.array(fresh.get(name, "d"), [row.get(name, 0) for row in rows])
        for name in (*VIEWED, "label", "cpu_cores", "cpu_max_w", "gpu_count", "gpu_max_w")
    }
    has = [sum(bits.get(name, 0) for name in row) for row in rows]
    return {**found, "has": array.array("Q", has)}


def time_of(text):
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000)


class Place(unittest.TestCase):
    LEFT_OUT = {"profile", "options"}

    def answered(self):
        found = []
        for case in cases("score"):
            document = case.test["in"]
            rows = [row_of(node) for node in document.get("nodes", ())]
            if "out" not in case.test or self.LEFT_OUT & set(document) or None in rows:
                continue
            found.append((case, rows, joulie.ask("score", case.text)))
        self.assertGreater(len(found), 100)
        return found

    def test_nodes_as_columns_are_the_question_bit_for_bit(self):
        for case, rows, answer in self.answered():
            document = case.test["in"]
            settings = {}
            if "stalenessS" in document:
                settings["staleness_ms"] = round(1000 * document["stalenessS"])
            if "heartbeat" in document:
                settings["heartbeat_ms"] = time_of(document["heartbeat"])
            if "psuWeight" in document.get("scoring", {}):
                settings["psu_weight"] = document["scoring"]["psuWeight"]
            with self.subTest(f"{case.file} {case.id}"):
                found = joulie.place_nodes(
                    columns_of(rows),
                    rows=len(rows),
                    work=work_of(document["pod"], answer),
                    now_ms=time_of(document["now"]),
                    rules=PLACE_RULES[document.get("profileName")],
                    settings=settings,
                )
                self.assertEqual(list(found["code"]), [0] * len(rows))
                names = [node["name"] for node in document["nodes"]]
                passed = [name for name, reject in zip(names, found["reject"]) if not reject]
                self.assertEqual(passed, answer["passed"])
                texts = {
                    name: joulie.reject_text(reject)
                    for name, reject in zip(names, found["reject"])
                    if reject
                }
                self.assertEqual(texts, answer["failed"])
                for at, expected in enumerate(answer["scores"]):
                    self.check_row(found, at, expected)

    def check_row(self, found, at, expected):
        self.assertEqual(found["score"][at], expected["score"])
        self.assertEqual(found["wire"][at], expected["wire"])
        self.assertEqual(joulie.Basis(found["basis"][at]).name.lower(), expected["basis"])
        if "raw" in expected:
            self.assertEqual(found["raw"][at], expected["raw"])
        for key, value in expected.get("terms", {}).items():
            if key in TERMS:
                self.assertEqual(found[TERMS[key]][at], value, key)


CLASSIFY_RULES = {
    "current": joulie.ClassifyRules.CURRENT,
    "v0.1.0": joulie.ClassifyRules.V0_1_0,
}
OWNER = {
    "joulie.io/workload-class": "workload_class",
    "joulie.io/reschedulable": "reschedulable",
    "joulie.io/cpu-sensitivity": "cpu_sensitivity",
    "joulie.io/gpu-sensitivity": "gpu_sensitivity",
    "sim.joulie.io/cpu-util-pct": "sim_cpu_util_pct",
    "sim.joulie.io/gpu-util-pct": "sim_gpu_util_pct",
    "sim.joulie.io/memory-pressure-pct": "sim_mem_pressure_pct",
}
METRICS = {
    "cpuUtilPct": "cpu_util_pct",
    "gpuUtilPct": "gpu_util_pct",
    "memPressurePct": "mem_pressure_pct",
    "gpuMemUtilPct": "gpu_mem_util_pct",
    "cpuEnergyJ": "cpu_energy_j",
    "dramEnergyJ": "dram_energy_j",
    "gpuEnergyJ": "gpu_energy_j",
    "keplerUsed": "kepler_used",
    "windowS": "window_s",
    "coverage": "coverage_frac",
    "usageCores": "usage_cores",
    "requestCores": "request_cores",
    "limitCores": "limit_cores",
    "nodeCores": "node_cores",
    "workingSetBytes": "working_set_bytes",
    "limitBytes": "limit_bytes",
    "keplerPackageW": "kepler_package_w",
    "keplerDramW": "kepler_dram_w",
    "keplerGpuW": "kepler_gpu_w",
    "gpuMaxWatts": "gpu_max_w",
    "gpuCount": "gpu_count",
    "cpuBoundRatio": "cpu_bound_ratio",
    "memBoundRatio": "mem_bound_ratio",
    "gpuDominant": "gpu_dominant",
}
PARTS = {"intensity": joulie.Level, "bound": joulie.Bound, "capSensitivity": joulie.Level}


def members_of_part(document, part):
    """{"cpu": {"intensity": "high", …}} as the members of a Classification."""
    for key, kind in PARTS.items():
        word = document.get(part, {}).get(key, "")
        name = f"{part}_{'sensitivity' if key == 'capSensitivity' else key}"
        yield name, joulie.word_value(kind, word)


def classified_of(document):
    """The arguments of joulie.classify() for the input of the question."""
    annotations, metrics = document.get("annotations") or {}, document.get("metrics") or {}
    config = document.get("config", {})
    found = {name: annotations.get(key) for key, name in OWNER.items()}
    found.update({name: metrics.get(key) for key, name in METRICS.items()})
    model = config.get("rules", document.get("options", {}).get("model", "current"))
    found["rules"] = CLASSIFY_RULES[model]
    found["measured"] = document.get("metrics") is not None
    found["derive_class"] = config.get("deriveClass", False)
    found["use_sim_texts"] = config.get("simAnnotationFallback", False)
    found["min_confidence"] = config.get("minConfidence")
    found["hysteresis_pct"] = config.get("hysteresisPct")
    previous = document.get("previous", {})
    if "confidence" in previous:
        parts = {**dict(members_of_part(previous, "cpu")), **dict(members_of_part(previous, "gpu"))}
        found["previous"] = joulie.Classification(previous["confidence"], **parts)
    return found


class Classify(unittest.TestCase):
    def test_work_is_the_question_bit_for_bit(self):
        answered = [case for case in cases("classify") if "out" in case.test]
        self.assertGreater(len(answered), 100)
        for case in answered:
            with self.subTest(f"{case.file} {case.id}"):
                answer = joulie.ask("classify", case.text)
                work = joulie.classify(**classified_of(case.test["in"]))
                self.check(work, answer)

    def check(self, work, answer):
        self.assertEqual(work.reason, answer["classificationReason"])
        self.assertEqual(work.confidence, answer["confidence"])
        self.assertEqual(work.is_reliable, answer["reliable"])
        expected = answer.get("migratability", {}).get("reschedulable")
        self.assertEqual(work.reschedulable, expected)
        word = answer["criticality"]["class"]
        if work.workload_class is not joulie.WorkloadClass.OTHER:
            self.assertEqual(joulie.word(work.workload_class), word)
        for part in ("cpu", "gpu"):
            for name, value in members_of_part(answer, part):
                self.assertEqual(getattr(work, name), value, name)
            util = answer.get(part, {}).get("avgUtilizationPct")
            self.assertEqual(getattr(work, f"{part}_util_pct"), util, part)

    def test_what_cannot_be_is_refused(self):
        with self.assertRaises(joulie.RangeError) as caught:
            joulie.classify(cpu_util_pct=float("nan"))
        self.assertEqual(caught.exception.where, "metrics.cpuUtilPct")
        with self.assertRaises(TypeError):
            joulie.classify(cpu_utilisation=1)
        with self.assertRaises(ValueError):
            joulie.classify(workload_class="standard\0")


CAP_CLAMPS = {
    None: joulie.CapClamp.NONE,
    "min": joulie.CapClamp.MIN,
    "max": joulie.CapClamp.MAX,
    "floor": joulie.CapClamp.FLOOR,
}
CAP_RULES = {None: joulie.CapsRules.CURRENT, "v0.1.1": joulie.CapsRules.V0_1_1}


class Caps(unittest.TestCase):
    def parts(self):
        """(case, device, intent, devices, the question's devices) of every case."""
        for case in cases("cap.resolve"):
            document = case.test["in"]
            if "out" not in case.test:
                continue
            answer, spec = joulie.ask("cap.resolve", case.text), document["spec"]
            cpu, gpu = spec.get("cpu", {}), spec.get("gpu", {}).get("powerCap", {})
            intents = {
                "packages": (cpu.get("packagePowerCapWatts"), cpu.get("packagePowerCapPctOfMax")),
                "gpus": (gpu.get("capWattsPerGpu"), gpu.get("capPctOfMax")),
            }
            for key in set(intents) & set(document["host"]):
                yield case, key, intents[key], document["host"][key], answer[key]

    def test_devices_as_columns_are_the_question_bit_for_bit(self):
        devices = {"packages": joulie.CapDevice.PACKAGE, "gpus": joulie.CapDevice.GPU}
        count = 0
        for case, key, (watts, pct), given, expected in self.parts():
            with self.subTest(f"{case.file} {case.id} {key}"):
                highest = [each.get("defaultW") or each.get("maxW", 0) for each in given]
                found = joulie.caps_resolve(
                    device=devices[key],
                    cap_w=watts,
                    cap_pct=pct,
                    floor_pct=case.test["in"].get("floorPct"),
                    rules=CAP_RULES[case.test["in"].get("options", {}).get("model")],
                    min_w=array.array("d", [each.get("minW", 0) for each in given]),
                    max_w=array.array("d", highest),
                    unit_w=array.array("d", [each.get("powerUnitW", 0) for each in given]),
                )
                self.assertEqual(list(found["code"]), [0] * len(given))
                for at, one in enumerate(expected):
                    self.check_device(found, at, one)
                    count += 1
        self.assertGreater(count, 45)

    def check_device(self, found, at, expected):
        blocked = found["block"][at] != joulie.CapBlock.NONE
        self.assertEqual(blocked, expected["result"] == "blocked")
        self.assertEqual(found["cap_w"][at], expected.get("capW", 0))
        if not blocked:
            self.assertEqual(found["requested_w"][at], expected["requestedW"])
            self.assertEqual(found["clamp"][at], CAP_CLAMPS[expected.get("clamp")])
        if "powerLimitUw" in expected:
            self.assertEqual(found["limit_uw"][at], expected["powerLimitUw"])

    def test_steps_are_those_of_the_question(self):
        count = 0
        for case in cases("cap.step"):
            given = case.test["in"]
            if "steps" not in case.test.get("out", {}) or given.get("restoring"):
                continue
            steps, now = [], given["currentW"]
            while now != given["targetW"]:
                now = joulie.caps_next_w(
                    given["targetW"], current_w=now, reference_w=given["referenceW"]
                )
                steps.append(now)
            self.assertEqual(steps, joulie.ask("cap.step", case.text)["steps"], case.id)
            self.assertEqual(steps, case.test["out"]["steps"], case.id)
            count += 1
        self.assertGreater(count, 4)
        self.assertIsNone(joulie.caps_next_w(None))
        self.assertEqual(joulie.caps_next_w(90, current_w=205), 90)

    def test_a_wrong_limit_has_its_code(self):
        limits = array.array("d", [270, -1, float("nan")])
        found = joulie.caps_resolve(device=joulie.CapDevice.PACKAGE, cap_pct=60, max_w=limits)
        refused = joulie.abi.Code.E_RANGE
        self.assertEqual(list(found["code"]), [0, refused, refused])
        with self.assertRaises(joulie.EnumError):
            joulie.caps_resolve(device=joulie.CapDevice.UNKNOWN, cap_pct=60, max_w=limits)


class Trend(unittest.TestCase):
    def test_samples_are_the_question_bit_for_bit(self):
        count = 0
        for case in cases("predict"):
            document = case.test["in"]
            if "powerSamples" not in document or "out" not in case.test:
                continue
            answer = joulie.ask("predict", case.text).get("powerMeasurement", {})
            times = array.array("q", [time_of(one["t"]) for one in document["powerSamples"]])
            watts = [one.get("w") for one in document["powerSamples"]]
            numbers = array.array("d", [float("nan") if one is None else one for one in watts])
            end = time_of(document["now"]) if "now" in document else None
            rules = RULES[document.get("options", {}).get("model")]
            with self.subTest(f"{case.file} {case.id}"):
                found = joulie.trend(times, numbers, end_ms=end, rules=rules)
                self.assertEqual(found.trend_w_per_min, answer.get("powerTrendWPerMin"))
                count += 1
        self.assertGreater(count, 5)

    def test_a_mask_says_the_same_as_nan(self):
        times = array.array("q", [0, 60_000, 120_000])
        known = array.array("Q", [1, 0, 1])
        for rules in (joulie.TwinRules.CURRENT, joulie.TwinRules.V0_1_1):
            nan = joulie.trend(times, array.array("d", [100, float("nan"), 300]), rules=rules)
            mask = joulie.trend(times, array.array("d", [100, 7, 300]), known=known, rules=rules)
            self.assertEqual(nan, mask)
        self.assertIsNone(joulie.trend(times[:1], array.array("d", [100])).trend_w_per_min)


SPEED = {
    "memoryIntensity": "memory_intensity",
    "ioIntensity": "io_intensity",
    "freqScale": "cpu_freq_frac",
    "knee": "cpu_knee_frac",
    "thermalThrottle": "cpu_thermal_frac",
}
GPU = {
    "memoryIntensity": "memory_intensity",
    "cpuFeedIntensity": "feed_intensity",
    "util": "gpu_util_frac",
    "capW": "gpu_cap_w",
    "thermalThrottle": "gpu_thermal_frac",
}
GPU_SETTINGS = {
    "idleWattsPerGpu": "gpu_idle_w",
    "maxWattsPerGpu": "gpu_max_w",
    "computeGamma": "gpu_compute_gamma",
    "memoryEpsilon": "gpu_memory_epsilon",
    "memoryGamma": "gpu_memory_gamma",
}


def bound_of(document):
    """cpu.compute_bound → Bound.COMPUTE"""
    word = document.get("workloadClass", "").split(".")[-1].split("_")[0]
    return joulie.word_value(joulie.Bound, word)


class Slowdown(unittest.TestCase):
    def test_cpus_are_the_question_bit_for_bit(self):
        count = 0
        for case in cases("physics.speed"):
            given = case.test["in"]
            if (
                "out" not in case.test
                or "options" in given
                or set(given) - {*SPEED, "workloadClass"}
            ):
                continue
            known = {SPEED[key]: value for key, value in given.items() if key in SPEED}
            with self.subTest(f"{case.file} {case.id}"):
                work = joulie.slowdown(cpu_bound=bound_of(given), **known)
                answer = joulie.ask("physics.speed", case.text)
                self.assertEqual(work.cpu_throughput, answer["multiplier"])
                count += 1
        self.assertGreater(count, 50)

    def test_gpus_are_the_question_bit_for_bit(self):
        count = 0
        for case in cases("physics.gpu"):
            given = case.test["in"]
            settings = given.get("gpu", {})
            if "out" not in case.test or "options" in given or set(settings) - set(GPU_SETTINGS):
                continue
            known = {GPU[key]: value for key, value in given.items() if key in GPU}
            known.update({GPU_SETTINGS[key]: value for key, value in settings.items()})
            with self.subTest(f"{case.file} {case.id}"):
                work = joulie.slowdown(gpu_bound=bound_of(given), **known)
                answer = joulie.ask("physics.gpu", case.text)
                self.assertEqual(work.gpu_throughput, answer["throughput"])
                self.assertEqual(work.gpu_natural_w, answer["naturalW"])
                self.assertEqual(work.gpu_power_w, answer["powerW"])
                count += 1
        self.assertGreater(count, 8)

    def test_what_is_not_known_is_none(self):
        self.assertIsNone(joulie.slowdown(cpu_freq_frac=0.5).gpu_throughput)
        self.assertIsNone(joulie.slowdown(cpu_freq_frac=0, cpu_bound=joulie.Bound.COMPUTE).gpu_slowdown)
        with self.assertRaises(joulie.RangeError):
            joulie.slowdown(cpu_freq_frac=2)


if __name__ == "__main__":
    unittest.main()
