# SPDX-License-Identifier: Apache-2.0
"""joulie simulate autoscale: equal inputs give equal bytes, its files say the same, its page works."""

import copy
import csv
import html.parser
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import DEV
from drawn import browse, must_fit

JOULIE = str(DEV / "bin" / "joulie")
ALGORITHMS = ("static", "v2.17.1", "current")
PAIRS = (("current", "static"), ("current", "v2.17.1"), ("v2.17.1", "static"))
METRICS = (  # as the table and the page list them, with their decimals
    ("unservedPct", 2), ("shortTimePct", 2), ("oomEvents", 1), ("costUsd", 2), ("costUsdPerServedTflopsHour", 4),
    ("requestTflopsHours", 0), ("limitTflopsHours", 0), ("requestGibHours", 0), ("limitGibHours", 0),
    ("meanReplicas", 2), ("resourceChanges", 1), ("replicaChanges", 1),
)  # fmt: skip
FILES = ("summary.json", "runs.csv", "series.csv", "report.html")
SMALL = ("--workload", "step", "--seeds", "4", "--hours", "2")
PROFILE = {
    "apiVersion": "tensor-fusion.ai/v1", "kind": "WorkloadProfile", "metadata": {"name": "p"},
    "spec": {"autoScalingConfig": {"autoSetLimits": {"enable": True}}, "qos": "low", "replicas": 2,
             "resources": {"requests": {"tflops": "10", "vram": "4Gi"}, "limits": {"tflops": "20", "vram": "8Gi"}}},
}  # fmt: skip
TRACE = "t,worker,tflops,vram\n" + "".join(f"{10 * i},w,{5 + 40 * (i > 60)},{2 + i % 3}Gi\n" for i in range(120))


def joulie(*arguments, text=""):
    return subprocess.run(
        [JOULIE, "simulate", "autoscale", *arguments],
        input=text.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
        timeout=600,
    )


def student_975(degrees):
    """The 97.5 % point, by integrating the density: nothing of the library is in it."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def density(x):
        return scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    def below(x, steps=4000):  # Simpson
        h = x / steps
        inner = sum((4 if i % 2 else 2) * density(i * h) for i in range(1, steps))
        return 0.5 + h / 3 * (density(0) + inner + density(x))

    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.975 else (low, middle)
    return low


def estimate(values):
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    return mean, student_975(len(values) - 1) * math.sqrt(variance / len(values))


def rows_of(file):
    return list(csv.DictReader(file.read_text().splitlines()))


class Page(html.parser.HTMLParser):
    """Tables by id, and how many marks each picture has."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.pictures, self.problems = {}, [], []
        self.table = self.picture = None
        self.open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in ("meta", "link", "input", "path", "rect"):
            self.open.append(tag)
        if tag == "script" or any(name in ("src", "srcset", "onload") for name in values):
            self.problems.append(tag)
        if tag == "table":
            self.table = self.tables[values["id"]] = []
        elif tag == "tr" and self.table is not None:
            self.table.append([])
        elif tag in ("td", "th") and self.table is not None:
            self.table[-1].append("")
        elif tag == "svg" and "role" in values:
            self.picture = {"class": values["class"], "marks": 0, "title": ""}
            self.pictures.append(self.picture)
        elif tag in ("path", "rect") and self.picture and values.get("class") != "grid":
            self.picture["marks"] += 1
            for name in ("d", "x", "width"):
                if re.search("nan|inf", values.get(name, "")):
                    self.problems.append(values[name])

    def handle_endtag(self, tag):
        if tag in ("path", "rect"):
            return
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}>")
        if tag == "table":
            self.table = None
        elif tag == "svg":
            self.picture = None

    def handle_data(self, data):
        if self.table and self.table[-1] and self.open[-1] in ("td", "th"):
            self.table[-1][-1] += data
        elif self.picture and self.open[-1] == "title":
            self.picture["title"] += data


class Simulate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name) / "out"
        cls.done = joulie(*SMALL, "--out", str(cls.folder))
        cls.summary = json.loads((cls.folder / "summary.json").read_text())
        cls.runs = rows_of(cls.folder / "runs.csv")
        cls.text = (cls.folder / "report.html").read_text()
        cls.page = Page(cls.text)

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def values(self, algorithm, metric):
        return [float(run[metric]) for run in self.runs if run["algorithm"] == algorithm]

    def near(self, got, want):
        self.assertTrue(math.isclose(got, want, rel_tol=1e-7, abs_tol=1e-9), f"{got} is not {want}")

    def test_it_ends_well_and_writes_its_files(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, b""))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(FILES))

    def test_equal_inputs_give_equal_bytes(self):
        again = Path(self.keep.name) / "again"
        self.assertEqual(joulie(*SMALL, "--out", str(again)).stdout, self.done.stdout)
        for name in FILES:
            self.assertEqual((again / name).read_bytes(), (self.folder / name).read_bytes(), name)

    def test_runs_in_csv_are_those_of_the_summary(self):
        (workload,) = self.summary
        self.assertEqual(len(self.runs), len(ALGORITHMS) * 4)
        for got, want in zip(self.runs, workload["runs"], strict=True):
            self.assertEqual(got.pop("workload"), "step")
            self.assertEqual(got["algorithm"], want["algorithm"])
            self.assertEqual({k: json.loads(v) for k, v in got.items() if k != "algorithm"},
                             {k: v for k, v in want.items() if k != "algorithm"})  # fmt: skip
            got["workload"] = "step"

    def test_means_and_intervals_follow_from_the_runs(self):
        (workload,) = self.summary
        self.assertEqual([item["algorithm"] for item in workload["means"]], list(ALGORITHMS))
        for item in workload["means"]:
            for metric, _ in METRICS:
                mean, half = estimate(self.values(item["algorithm"], metric))
                self.near(item[metric]["mean"], mean)
                self.near(item[metric]["halfWidth"], half)

    def test_differences_are_paired_by_seed(self):
        (workload,) = self.summary
        self.assertEqual([(i["algorithm"], i["against"]) for i in workload["differences"]], list(PAIRS))
        for item in workload["differences"]:
            for metric, _ in METRICS:
                pairs = zip(self.values(item["algorithm"], metric), self.values(item["against"], metric), strict=True)
                mean, half = estimate([a - b for a, b in pairs])
                self.near(item[metric]["mean"], mean)
                self.near(item[metric]["halfWidth"], half)

    def test_every_run_has_the_same_demand_and_serves_no_more(self):
        for seed in range(4):
            runs = self.runs[3 * seed : 3 * seed + 3]
            self.assertEqual(len({run["demandTflopsHours"] for run in runs}), 1)
            for run in runs:
                demand, served = float(run["demandTflopsHours"]), float(run["servedTflopsHours"])
                self.assertLessEqual(served, demand * (1 + 1e-9))
                self.near(float(run["unservedPct"]), 100 * max(0, demand - served) / demand)

    def test_static_stays_as_the_profile_says(self):
        for run in (run for run in self.runs if run["algorithm"] == "static"):
            self.assertEqual((run["resourceChanges"], run["replicaChanges"]), ("0", "0"))
            self.near(float(run["requestTflopsHours"]), 2 * 40 * 2)
            self.near(float(run["limitGibHours"]), 2 * 24 * 2)
            hour = 40 * 0.0069228 + 16 * 0.01548 + 0.3 * (40 * 0.0069228 + 8 * 0.01548)  # medium
            self.near(float(run["costUsd"]), 2 * 2 * hour)

    def test_courses_have_a_line_per_point(self):
        courses = rows_of(self.folder / "series.csv")
        self.assertEqual(len(courses), 4 * 3 * 360)
        for line in courses:
            self.assertLessEqual(float(line["servedTflops"]), float(line["demandTflops"]) + 0.001)

    def test_the_page_shows_the_numbers_of_the_summary(self):
        (workload,) = self.summary
        rows = self.page.tables["numbers-step"][1:]
        self.assertEqual(len(rows), len(METRICS))
        for row, (metric, decimals) in zip(rows, METRICS, strict=True):
            shown = [item[metric] for item in workload["means"] + workload["differences"][:2]]
            for cell, value in zip(row[1:], shown, strict=True):
                mean, half = (float(part) for part in cell.split(" ± "))
                self.assertAlmostEqual(mean, value["mean"], delta=0.500001 * 10**-decimals)
                self.assertAlmostEqual(half, value["halfWidth"], delta=0.500001 * 10**-decimals)

    def test_the_page_is_well_formed_and_needs_nothing_else(self):
        self.assertEqual(self.page.problems, [])
        self.assertEqual(self.page.open, [])
        self.assertNotRegex(self.text, r"https?://|@import|url\(")
        for picture in self.page.pictures:
            self.assertGreaterEqual(picture["marks"], 3, picture)
            self.assertTrue(picture["title"], picture)
        self.assertEqual(sum("course" in p["class"] for p in self.page.pictures), 4 * 3 * 2)
        self.assertEqual(sum(p["class"] == "bars" for p in self.page.pictures), 6)

    def test_the_table_shows_the_same(self):
        text = self.done.stdout.decode()
        self.assertTrue(text.startswith("step: 2 h, 4 seeds"))
        for row in self.page.tables["numbers-step"][1:]:
            (line,) = (line for line in text.splitlines() if line.startswith(row[0] + "  "))
            self.assertEqual(re.split(r"  +", line.strip()), row)

    def test_a_browser_draws_the_page_without_complaint_or_network(self):
        drawn = Page(browse(self, self.folder / "report.html", self.keep.name))
        self.assertEqual(drawn.tables, self.page.tables)
        self.assertEqual(len(drawn.pictures), len(self.page.pictures))

    def test_no_text_of_the_page_is_cut_or_covered(self):
        must_fit(self, self.folder / "report.html", self.keep.name)


class Inputs(unittest.TestCase):
    def setUp(self):
        self.keep = tempfile.TemporaryDirectory()
        self.addCleanup(self.keep.cleanup)
        self.folder = Path(self.keep.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def error(self, *arguments, text=""):
        done = joulie(*arguments, text=text)
        self.assertEqual(done.returncode, 1, done)
        return json.loads(done.stdout)["error"]

    def test_a_recording_is_played_once_with_the_profile_given(self):
        profile = self.write("p.json", json.dumps(PROFILE))
        done = joulie("--trace", "-", "--profile", profile, "-o", "json", text=TRACE)
        self.assertEqual(done.returncode, 0, done)
        (answer,) = json.loads(done.stdout)
        self.assertEqual(answer["workload"], "trace")
        self.assertEqual(answer["trace"], {"samples": 120, "workers": 1, "censoredSamples": 0})
        self.assertEqual(answer["world"]["limitsOverRequests"], 0.1)
        self.assertEqual([run["algorithm"] for run in answer["runs"]], list(ALGORITHMS))
        self.assertNotIn("halfWidth", answer["means"][0]["unservedPct"])
        self.assertNotIn("series", answer)
        static = answer["runs"][0]  # 5 of 5 TFLOPS served for 61 steps, then 40 of 45 with two limits of 20
        self.assertAlmostEqual(static["unservedPct"], 100 * 59 * 5 / (61 * 5 + 59 * 45), places=9)

    def test_kills_in_a_recording_are_usage_that_was_cut_off(self):
        trace = "t,worker,tflops,vram,oom\n0,w,5,2Gi,0\n10,w,5,2Gi,1\n20,w,5,2Gi,1\n"
        (answer,) = json.loads(joulie("--trace", "-", "-o", "json", text=trace).stdout)
        self.assertEqual(answer["trace"], {"samples": 3, "workers": 1, "censoredSamples": 1})

    def test_a_service_that_uses_no_memory_is_drawn(self):
        trace = self.write("t.csv", "t,worker,tflops,vram\n0,w,5,0\n10,w,5,0\n20,w,5,0\n")
        words = [JOULIE, "simulate", "autoscale", "--trace", trace, "--out", str(self.folder / "out")]
        done = subprocess.run(words, stdout=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done)
        page = (self.folder / "out" / "report.html").read_text()
        self.assertEqual(page.count("<svg class=\"course"), 6)
        self.assertNotRegex(page, r"[ M\"-](nan|inf)")

    def test_a_worker_that_is_killed_alone_gets_free(self):
        done = joulie("--workload", "step", "--seed", "7", "--seeds", "1", "-o", "json")
        runs = {run["algorithm"]: run for run in json.loads(done.stdout)[0]["runs"]}
        self.assertLess(runs["current"]["oomEvents"], 5)  # 255 before samples counted kills
        self.assertLess(runs["current"]["unservedPct"], runs["v2.17.1"]["unservedPct"])

    def test_a_bad_line_is_reported_with_file_and_line(self):
        trace = self.write("t.csv", TRACE + "1200,w,x,1Gi\n")
        error = self.error("--trace", trace)
        self.assertEqual((error["code"], error["where"]), ("parse", "trace.line 122: tflops"))
        self.assertIn("t.csv:122:", error["message"])

    def test_bad_values_are_reported_by_name(self):
        for arguments, code, where in (
            (["--hours", "0"], "range", "hours"),
            (["--hours", "1e9"], "range", "hours"),
            (["--seeds", "0"], "range", "seeds"),
            (["--cards", "1000"], "range", "cards"),
        ):
            error = self.error("--workload", "ramp", *arguments)
            self.assertEqual((error["code"], error["where"]), (code, where))

    def test_a_profile_that_cannot_begin_is_reported_by_path(self):
        for change, code, where in (
            ({"resources": None}, "required", "profile.spec.resources.requests.tflops"),
            ({"gpuCount": 2}, "unsupported", "profile.spec.gpuCount"),
        ):
            spec = {k: v for k, v in (PROFILE["spec"] | change).items() if v is not None}
            profile = self.write("p.json", json.dumps(PROFILE | {"spec": spec}))
            error = self.error("--workload", "ramp", "--hours", "1", "--profile", profile)
            self.assertEqual((error["code"], error["where"]), (code, where))

    def test_a_command_line_that_contradicts_itself_is_2(self):
        for arguments in (
            ["--trace", "x", "--seeds", "3"],
            ["--trace", "x", "--workload", "ramp"],
            ["--trace", "-", "--profile", "-"],
            ["--workload", "tides"],
        ):
            done = joulie(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)

    def test_a_place_that_cannot_be_written_is_reported_and_nothing_is_left(self):
        blocked = self.write("file", "")
        self.assertEqual(self.error(*SMALL, "--out", blocked + "/below")["code"], "io")
        out = self.folder / "out"
        out.mkdir()
        (out / "runs.csv").mkdir()
        done = joulie(*SMALL, "--out", str(out))
        self.assertEqual(done.returncode, 1)
        self.assertIn("runs.csv", done.stdout.decode())
        self.assertEqual([name for name in os.listdir(out) if name.endswith(".partial")], [])

    def test_files_are_written_although_nobody_reads_the_table(self):
        out = self.folder / "out"
        small = " ".join(SMALL)
        for _ in range(3):
            done = subprocess.run(
                ["sh", "-c", f'"{JOULIE}" simulate autoscale {small} --out "{out}" | true'],
                stderr=subprocess.PIPE, check=False,
            )  # fmt: skip
            self.assertEqual(sorted(os.listdir(out)), sorted(FILES), done.stderr)
            shutil.rmtree(out)

    def test_a_folder_that_is_none_is_reported_before_anything_is_played(self):
        blocked = self.write("file", "")
        error = self.error("--seeds", "20000", "--out", blocked)  # hours, if it were played
        self.assertEqual((error["code"], error["message"]), ("io", f"{blocked}: Not a directory"))

    def test_what_is_wrong_with_a_profile_is_reported_beside_the_table(self):
        wrong = copy.deepcopy(PROFILE)
        wrong["spec"]["autoScalingConfig"]["autoSetLimits"]["targetResource"] = "tflps"
        done = joulie(*SMALL, "--profile", self.write("p.json", json.dumps(wrong)))
        self.assertEqual(done.returncode, 0, done)
        self.assertIn(
            "warning: InvalidField: profile.spec.autoScalingConfig.autoSetLimits.targetResource: ",
            done.stderr.decode(),
        )
        self.assertEqual(joulie(*SMALL).stderr, b"")  # nobody gave that profile

    def test_a_full_disk_is_reported(self):
        done = subprocess.run(
            ["sh", "-c", f'"{JOULIE}" simulate autoscale --workload ramp --seeds 1 --hours 1 >/dev/full'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)


if __name__ == "__main__":
    unittest.main()
