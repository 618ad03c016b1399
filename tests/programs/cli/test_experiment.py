# SPDX-License-Identifier: Apache-2.0
"""joulie experiment: pairs and intervals by a model of their own, results that are kept, and how it ends."""

import csv
import html
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

from checkout import DEV, ROOT, use_package
from drawn import NARROW, browse, measured, must_fit
from test_simulate_autoscale import Page, estimate

use_package()
import joulie  # noqa: E402

JOULIE = str(DEV / "bin" / "joulie")
TINY = ROOT / "experiments" / "tiny.yaml"
BASELINES = ["least-allocated", "kube", "most-allocated"]
POLICIES = ["extender-score", "efficiency", "static-partition"]
FIGURES = {  # of a row of the report: the column of pairs.csv
    "energyKwh": "energy_kwh", "savedPct": "saved_pct", "makespanPct": "makespan_pct", "jobTimePct": "job_time_pct",
    "waitP99S": "wait_p99_s", "againstWaitP99S": "against_wait_p99_s", "slowdownP95": "slowdown_p95",
    "boundPct": "bound_pct", "boundSlowedPct": "bound_slowed_pct",
    "asleepPct": "asleep_pct", "asleepSlowedPct": "asleep_slowed_pct",
}  # fmt: skip
KEYS = {"scenario", "speeds", "load", "policy"}
NODES = [
    {"node_name_prefix": "c9965", "replicas": 2, "cpu": "AMD EPYC 9965 192-Core Processor", "cpu_cores": 384},
    {"node_name_prefix": "c9655", "replicas": 2, "cpu": "AMD EPYC 9655 96-Core Processor", "cpu_cores": 192},
]
SCENARIO = {
    "name": "two", "inventory": {"nodes": NODES},
    "workload": {"hours": 1, "gpuRatio": 0, "burstMin": 2, "burstMax": 3, "maxDurationS": 900, "baseSpeed": 1},
}  # fmt: skip
SMALL = {"seeds": 2, "loads": [0.2], "baselines": ["kube"], "scenarios": [SCENARIO]}


def rows_of(file):
    return list(csv.DictReader(Path(file).read_text().splitlines()))


def number(text):
    return None if text == "" else float(text)


class Experiment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache = self.folder / "cache"

    def start(self, file, *arguments, **environment):
        return subprocess.Popen(
            [JOULIE, "experiment", str(file), "--cache", str(self.cache), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env={**os.environ, **environment},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip

    def run_it(self, file, *arguments, status=0):
        process = self.start(file, *arguments)
        out, err = process.communicate()
        self.assertEqual((process.returncode, err), (status, b""), out)
        return out.decode()

    def write(self, document, name="e.json"):
        (self.folder / name).write_text(json.dumps(document))
        return name

    def kept(self):
        return {file.name: file.stat().st_mtime_ns for file in self.cache.iterdir()}

    def finished(self):
        """How many answers lie in the cache while others are written beside them and renamed."""
        return len(list(self.cache.glob("*.json")))


class Answers(unittest.TestCase):
    """Everything again from runs.csv, in Python."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.report = json.loads(
            cls.answer("--pairs", "pairs.csv", "--runs", "runs.csv", "--report", "r.html", "-o", "json")
        )
        cls.pairs = rows_of(cls.folder / "pairs.csv")
        cls.runs = {}
        for run in rows_of(cls.folder / "runs.csv"):
            cell = (run["scenario"], run["speeds"], run["load"])
            cls.runs.setdefault(cell, {}).setdefault(run["policy"], {})[run["seed"]] = run

    @classmethod
    def answer(cls, *arguments):
        command = [JOULIE, "experiment", str(TINY), "--cache", "cache", *arguments]
        return subprocess.run(command, cwd=cls.folder, stdout=subprocess.PIPE, check=True).stdout.decode()

    def energy_j(self, run, window_s):
        return float(run["outcome.energyJ"]) + float(run["outcome.powerW"]) * (window_s - float(run["outcome.timeS"]))

    def best(self, policies):
        def total(name):
            return sum(
                self.energy_j(run, max(float(policies[other][seed]["outcome.timeS"]) for other in BASELINES))
                for seed, run in policies[name].items()
            )

        return min(BASELINES, key=total)

    def pair(self, own, other):
        window_s = max(float(own["outcome.timeS"]), float(other["outcome.timeS"]))
        own_j, other_j = self.energy_j(own, window_s), self.energy_j(other, window_s)
        all_j = float(other["outcome.energyJ"])
        dynamic_j = sum(float(other[f"outcome.{kind}DynamicJ"]) for kind in ("cpu", "gpu"))

        def least(priced, *names):
            """The larger of two bounds."""
            return max(float(other["bound." + priced]), sum(float(other["bound." + name]) for name in names))

        def longer(name):
            return 100 * (float(own[name]) / float(other[name]) - 1)

        return {
            "energy_kwh": own_j / 3.6e6, "saved_pct": 100 * (other_j - own_j) / other_j,
            "makespan_pct": longer("outcome.makespanS"), "job_time_pct": longer("jobTimeS.mean"),
            "wait_p99_s": float(own["waitS.p99"]), "against_wait_p99_s": float(other["waitS.p99"]),
            "slowdown_p95": float(own["slowdown.p95"]), "window_s": window_s, "against_energy_kwh": other_j / 3.6e6,
            "bound_pct": 100 * (dynamic_j - least("pricedJ", "cpuDynamicJ", "gpuDynamicJ")) / all_j,
            "bound_slowed_pct":
                100 * (dynamic_j - least("pricedSlowedJ", "cpuDynamicJ", "gpuDynamicSlowedJ")) / all_j,
            "asleep_pct": 100 * (1 - least("pricedAsleepJ", "asleepJ") / all_j),
            "asleep_slowed_pct": 100 * (1 - least("pricedAsleepSlowedJ", "asleepSlowedJ") / all_j),
        }  # fmt: skip

    def assert_near(self, found, expected, what):
        self.assertLessEqual(abs(found - expected), 1e-9 * max(1, abs(expected)), what)

    def test_each_run_is_there_once_and_did_its_work(self):
        self.assertEqual(len(self.runs), 2 * 2)
        for cell, policies in self.runs.items():
            self.assertEqual(list(policies), BASELINES + POLICIES)
            for seeds in policies.values():
                self.assertEqual(list(seeds), ["1", "2"])
            for seed in ("1", "2"):
                jobs = {(p[seed]["outcome.jobs"], p[seed]["outcome.completed"]) for p in policies.values()}
                self.assertEqual(len(jobs), 1, (cell, seed))
                self.assertEqual(*jobs.pop())
                for policy in policies.values():
                    run = policy[seed]
                    parts = [float(run[name]) for name in run if re.fullmatch(r"outcome\.[cg]pu\w+J", name)]
                    self.assertEqual(len(parts), 8)
                    self.assertEqual(math.fsum(parts), float(run["outcome.energyJ"]))

    def test_rows_are_estimates_of_pairs_and_pairs_are_of_runs(self):
        self.assertEqual(len(self.report["rows"]), 4 * 6)
        for row in self.report["rows"]:
            policies = self.runs[row["scenario"], row["speeds"], f"{row['load']:g}"]
            best = self.best(policies)
            self.assertEqual(row["against"], best)
            pairs = [self.pair(run, policies[best][seed]) for seed, run in policies[row["policy"]].items()]
            self.assertEqual(row["seeds"], len(pairs))
            for key, column in FIGURES.items():
                mean, half = estimate([pair[column] for pair in pairs])
                self.assert_near(row[key]["mean"], mean, (row, key))
                self.assertLessEqual(abs(row[key]["halfWidth"] - half), 1e-6 * max(1, half), (row, key))
            written = [
                pair for pair in self.pairs
                if all(pair[key] == (f"{row[key]:g}" if key == "load" else row[key]) for key in KEYS)
            ]  # fmt: skip
            self.assertEqual(len(written), 0 if row["policy"] == best else len(pairs))
            for found, expected in zip(written, pairs):
                self.assertEqual((found["against"], found["why_not"]), (best, ""))
                for column, value in expected.items():
                    self.assert_near(float(found[column]), value, (row, column))

    def test_a_pair_is_what_one_simulation_of_both_saves(self):
        document = TINY.read_text()
        machines = {"nodes": [  # as the file has them
            {**NODES[0], "cpu_sockets": 2, "memory_gib": 1536}, {**NODES[1], "cpu_sockets": 2, "memory_gib": 1536},
        ]}  # fmt: skip
        self.assertIn("memory_gib: 1536", document)
        for pair in self.pairs:
            if pair["policy"] != "static-partition":
                continue
            trace = joulie.generate_workload(
                "diurnal", inventory=machines, seed=int(pair["seed"]), load=float(pair["load"]), hours=3, gpu_ratio=0,
                burst_min=2, burst_max=6, max_duration_s=3600, base_speed=1,
            )  # fmt: skip
            policy = {"type": "static_partition", "staticHpFrac": 0.5, "cpuEcoCapPctOfMax": 60}
            with joulie.Simulation(
                machines, trace, policy=policy, baseline=pair["against"], speeds=pair["speeds"]
            ) as both:
                saved_pct = both.run().saving()  # of energies that are rounded to 2^-10 J at another time
                self.assertLessEqual(abs(saved_pct - float(pair["saved_pct"])), 1e-6, pair)

    def test_the_table_says_what_a_saving_rests_on(self):
        text = self.answer()
        for row in self.report["rows"]:
            heading = (
                f"{row['scenario']}, load {row['load']:g}, speeds: {row['speeds']}, "
                f"against {row['against']}, {row['seeds']} seeds\n"
            )
            table = text.split(heading)[1].split("\n\n")[0]
            bounds = [row[key]["mean"] for key in ("boundPct", "boundSlowedPct", "asleepPct", "asleepSlowedPct")]
            found = [float(value) for value in re.findall(r"([-\d.]+) % \(", table.splitlines()[0])]
            self.assertEqual(found, [round(value, 1) for value in bounds])
            line = next(line for line in table.splitlines() if line.startswith(row["policy"] + " "))
            self.assertIn(f"{row['savedPct']['mean']:+.2f} ± {row['savedPct']['halfWidth']:.2f}", line)
            self.assertIn(f"{row['makespanPct']['mean']:+.2f} ±".replace("-0.00", "+0.00"), line)
            is_later = row["makespanPct"]["mean"] > 2
            self.assertEqual("sharePct" in row, row["policy"] != row["against"] and not is_later)
            if "sharePct" in row:
                self.assert_near(row["sharePct"], 100 * row["savedPct"]["mean"] / bounds[0], row)
                self.assertEqual(row["shareOf"], "boundPct")
                self.assertIn(f"  {row['sharePct']:.0f}  ".replace("-0 ", "0 "), line.replace("-0 ", "0 "))
            for note in row["notes"]:
                self.assertIn(note, line)
        self.assertIn("95 % interval", text)
        self.assertIn("physics current", text)

    def test_what_pictures_show_is_of_the_runs(self):
        for row in self.report["rows"]:
            policies = self.runs[row["scenario"], row["speeds"], f"{row['load']:g}"]
            own = [policies[row["policy"]][seed] for seed in ("1", "2")]
            pairs = [self.pair(run, policies[row["against"]][seed]) for run, seed in zip(own, ("1", "2"))]
            for found, pair in zip(row["savedPcts"], pairs, strict=True):
                self.assert_near(found, pair["saved_pct"], row)
            for key, part in (
                ("dynamicKwh", "Dynamic"), ("idleBusyKwh", "IdleBusy"), ("idleEmptyKwh", "IdleEmpty"), ("offKwh", "Off")
            ):  # fmt: skip
                sums = [float(run[f"outcome.{kind}{part}J"]) for run in own for kind in ("cpu", "gpu")]
                self.assert_near(row["energyParts"][key], sum(sums) / 2 / 3.6e6, (row, key))
            for key, value in row["waitS"].items():
                self.assert_near(value, sum(float(run["waitS." + key]) for run in own) / 2, (row, key))
            self.assertEqual(row["traces"], self.report["rows"][0 if row["load"] == 0.2 else 6]["traces"])
            self.assertEqual(len(set(row["traces"])), 2)

    def test_power_of_hours_is_the_energy_of_the_run(self):
        """With one seed: every hour but the last is whole, and the last goes up to the end."""
        name = self.folder / "one.json"
        name.write_text(json.dumps({**SMALL, "seeds": 1, "scenarios": [
            {**SCENARIO, "workload": {**SCENARIO["workload"], "hours": 3}}]}))  # fmt: skip
        answer = json.loads(subprocess.run(
            [JOULIE, "experiment", str(name), "--cache", str(self.folder / "c"), "--runs", str(self.folder / "o.csv"),
             "-o", "json"], stdout=subprocess.PIPE, check=True).stdout)  # fmt: skip
        (run,) = rows_of(self.folder / "o.csv")
        (row,) = answer["rows"]
        watts, end_s = row["hourlyW"], float(run["outcome.timeS"])
        self.assertEqual(len(watts), math.ceil(end_s / 3600))
        seconds = [min(3600, end_s - 3600 * hour) for hour in range(len(watts))]
        energy_j = sum(w * s for w, s in zip(watts, seconds))
        self.assertLessEqual(abs(energy_j / float(run["outcome.energyJ"]) - 1), 1e-9)
        self.assertGreater(max(watts) - min(watts), 10)

    def pictures(self, name):
        text = (self.folder / "r.html").read_text()
        return [ElementTree.fromstring(one) for one in re.findall(rf'<svg class="{name}".*?</svg>', text)]

    def cells(self):
        rows = self.report["rows"]
        return [rows[first : first + 6] for first in range(0, len(rows), 6)]

    def test_the_page_has_the_numbers_of_the_answer(self):
        text = (self.folder / "r.html").read_text()
        page = Page(text)
        self.assertEqual((page.problems, page.open), ([], []))
        self.assertNotRegex(text, r"https?://|@import|url\(|<script")
        self.assertIn("physics current", text)
        for number_, rows in enumerate(self.cells()):
            self.assertIn(f"load {rows[0]['load']:g}, speeds: {rows[0]['speeds']}, against {rows[0]['against']}", text)
            for row, cells in zip(rows, page.tables[f"cell-{number_}"][1:], strict=True):
                self.assertEqual(cells[:2], [row["policy"], row["placement"]])
                for at, (key, decimals) in {2: ("energyKwh", 1), 3: ("savedPct", 2), 5: ("makespanPct", 2),
                                            6: ("jobTimePct", 2), 7: ("waitP99S", 0), 8: ("slowdownP95", 3)}.items():  # fmt: skip
                    for found, value in zip(cells[at].split(" ± "), (row[key]["mean"], row[key]["halfWidth"]), strict=True):
                        self.assertAlmostEqual(float(found), value, delta=0.500001 * 10**-decimals)
                self.assertEqual(cells[4], f"{row['sharePct']:.0f}".replace("-0", "0") if "sharePct" in row else "")
                for note in row["notes"]:
                    self.assertIn(note, cells[9])
            for trace in rows[0]["traces"]:
                self.assertIn(trace, text)
        bounds = re.findall(r"could be saved at most: (.*?)</p>", text)
        for bound, rows in zip(bounds, self.cells(), strict=True):
            keys = ("boundPct", "boundSlowedPct", "asleepPct", "asleepSlowedPct")
            self.assertEqual(re.findall(r"([\d.-]+) % \(", bound), [f"{rows[0][key]['mean']:.1f}" for key in keys])

    def test_pictures_have_the_numbers_of_the_answer(self):
        for picture, rows in zip(self.pictures("boxes"), self.cells(), strict=True):
            others = [row for row in rows if row["policy"] != row["against"]]
            for box, row in zip(picture.findall("g"), others, strict=True):
                low, high = sorted(row["savedPcts"])
                expected = [low + share * (high - low) for share in (0, 0.25, 0.5, 0.75, 1)]
                for found, value in zip(box.find("title").text.split(), expected, strict=True):
                    self.assertAlmostEqual(float(found), value, delta=0.00051)
        for picture, rows in zip(self.pictures("power"), self.cells(), strict=True):
            drawn = [path for path in picture.findall("path") if "line" in path.get("class")]
            shown = [row for row in rows if not row["isBaseline"] or row["policy"] == row["against"]]
            top = max(max(row["hourlyW"]) for row in rows)
            for path, row in zip(drawn, shown, strict=True):
                heights = [float(value) for value in re.findall(r"[V ]([\d.]+)(?=H)", path.get("d"))]
                for height, watts in zip(heights, row["hourlyW"], strict=True):
                    self.assertAlmostEqual(height, 6 + 182 * (1 - watts / top), delta=0.051)
        for picture, rows in zip(self.pictures("parts"), self.cells(), strict=True):
            values = [text.text for text in picture.findall("text") if text.get("class") == "value"]
            for value, row in zip(values, rows, strict=True):
                parts = row["energyParts"]
                keys = ("dynamicKwh", "idleBusyKwh", "idleEmptyKwh", "offKwh")
                self.assertEqual(value, " + ".join(f"{parts[key]:.1f}" for key in keys))
            widths = [float(rect.get("width")) for rect in picture.findall("rect")]
            self.assertEqual(len(widths), 4 * len(rows))
        for picture, rows in zip(self.pictures("waits"), self.cells(), strict=True):
            values = [text.text for text in picture.findall("text") if text.get("class") == "value"]
            self.assertEqual(values, [f"{row['waitS']['p99']:.0f} (mean {row['waitS']['mean']:.1f})" for row in rows])

    def test_a_browser_draws_the_page_without_complaint_or_network(self):
        drawn = Page(browse(self, self.folder / "r.html", self.folder))
        page = Page((self.folder / "r.html").read_text())
        self.assertEqual(drawn.tables, page.tables)
        self.assertEqual(len(drawn.pictures), 4 * len(self.cells()))

    def test_no_text_of_the_page_is_cut_or_covered(self):
        must_fit(self, self.folder / "r.html", self.folder)

    def test_pictures_that_are_too_wide_and_texts_on_each_other_are_noticed(self):
        text = (self.folder / "r.html").read_text()
        wide = measured(self, text.replace("min(430px,100%)", "430px"), self.folder, NARROW)["found"]
        self.assertRegex(wide[0], r"^the page is \d+ wide$")
        close = text.replace("</style>", "p{line-height:0.4;margin:0}</style>")
        self.assertTrue([one for one in measured(self, close, self.folder, NARROW)["found"] if " lies on " in one])

    def test_names_of_the_page_are_text(self):
        file = self.folder / "names.json"
        scenario = {**SCENARIO, "name": "<b>&\"x"}
        policies = [{"name": "<i>"}]
        file.write_text(json.dumps({**SMALL, "name": "<u>", "scenarios": [scenario], "policies": policies}))
        subprocess.run([JOULIE, "experiment", str(file), "--cache", str(self.folder / "c"), "--report",
                        str(self.folder / "n.html")], stdout=subprocess.PIPE, check=True)  # fmt: skip
        text = (self.folder / "n.html").read_text()
        page = Page(text)
        self.assertEqual((page.problems, page.open), ([], []))
        self.assertIn("<h1>&lt;u&gt;</h1>", text)
        self.assertIn("<b>&\"x, load 0.2", html.unescape(text))
        self.assertNotIn("<b>", text)
        self.assertEqual(page.tables["cell-0"][2][0], "<i>")

    def test_python_says_the_same(self):
        for table, file in (("pairs", "pairs.csv"), ("runs", "runs.csv")):
            found = joulie.experiment(TINY, table=table, jobs=2)
            written = rows_of(self.folder / file)
            self.assertEqual(len(found), len(written))
            for mine, theirs in zip(found, written):
                self.assertEqual(list(mine), list(theirs))
                for name, value in mine.items():
                    if isinstance(value, float):
                        self.assertEqual(value, number(theirs[name]), name)
                    elif name != "key":  # the program's has its build in it
                        self.assertEqual("" if value is None else str(value).lower(), theirs[name].lower(), name)
        with joulie.Experiment(TINY.read_text()) as experiment:
            self.assertEqual(experiment.run().report(), self.report)


class Ours(unittest.TestCase):
    def test_every_file_of_ours_can_be_read(self):
        files = sorted((ROOT / "experiments").glob("*.yaml"))
        self.assertEqual([file.stem for file in files], ["headline", "sensitivity", "source", "tiny"])
        for file in files:
            with self.subTest(file.name), joulie.Experiment(file.read_bytes(), folder=file.parent) as experiment:
                scenarios = {experiment.run_at(i).scenario for i in range(len(experiment))}
                self.assertGreater(len(experiment), 40)
                self.assertEqual(len(scenarios), {"headline": 4, "sensitivity": 11, "source": 3, "tiny": 1}[file.stem])

    def test_hardware_that_is_given_changes_what_a_run_takes(self):
        """Two idle H100s of 60 W draw as much less as they are said to."""
        node = {"node_name": "a", "cpu": "AMD EPYC 9654", "cpu_cores": 192, "product": "NVIDIA H100 NVL", "gpu_count": 2}
        scenarios = [
            {"name": name, "inventory": {"nodes": [{**node, **more}]}, "workload": SCENARIO["workload"]}
            for name, more in (("catalog", {}), ("own", {"physics": {"gpu": {"idleWattsPerGpu": 20}}}))
        ]
        runs = joulie.experiment({**SMALL, "seeds": 1, "scenarios": scenarios}, table="runs")
        catalog, own = ({key: value for key, value in run.items() if key.startswith("outcome.")} for run in runs)
        self.assertEqual(own["outcome.timeS"], catalog["outcome.timeS"])
        less = (catalog["outcome.energyJ"] - own["outcome.energyJ"]) / own["outcome.timeS"]
        self.assertAlmostEqual(less, 2 * 40, places=3)


class Kept(Experiment):
    def test_what_is_kept_is_not_simulated_again(self):
        first = self.run_it(TINY)
        before = self.kept()
        self.assertEqual(len(before), 2 * 2 * 2 * (len(BASELINES) + len(POLICIES)))
        gone = sorted(before)[::3]
        for name in gone:
            (self.cache / name).unlink()
        self.assertEqual(self.run_it(TINY), first)
        after = self.kept()
        self.assertEqual(set(after), set(before))
        self.assertEqual({name for name in after if after[name] == before[name]}, set(before) - set(gone))
        self.assertEqual(self.run_it(TINY, "--fresh", "--jobs", "3"), first)
        self.assertTrue(all(self.kept()[name] != after[name] for name in after))

    def test_what_was_damaged_is_simulated_again(self):
        file = self.write(SMALL)
        first = self.run_it(file)
        names = sorted(self.kept())
        one, other = (self.cache / name for name in names)
        good = one.read_bytes()
        changed = re.sub(rb'"energyJ":(\d)', lambda m: b'"energyJ":' + bytes([m[1][0] ^ 1]), good)
        self.assertNotEqual(changed, good)
        for bad in (b"", good[:-9], b"null", b"\0" * 100, other.read_bytes(), changed, good + b"x"):
            one.write_bytes(bad)
            self.assertEqual(self.run_it(file), first, bad[:30])
            self.assertEqual(one.read_bytes(), good)
        self.assertEqual(sorted(self.kept()), names)

    def test_another_library_has_other_keys(self):
        file = self.write(SMALL)
        self.run_it(file)
        keys = {json.loads((self.cache / name).read_text())["run"]["build"] for name in self.kept()}
        self.assertEqual(len(keys), 1)
        self.assertRegex(keys.pop(), "^[0-9a-f]{16}$")

    def test_the_default_folder_is_the_users(self):
        file = self.write(SMALL)
        for environment, place in (
            ({"XDG_CACHE_HOME": str(self.folder / "x")}, self.folder / "x"),
            ({"XDG_CACHE_HOME": "", "HOME": str(self.folder / "h")}, self.folder / "h" / ".cache"),
        ):
            done = subprocess.run(
                [JOULIE, "experiment", file], cwd=self.folder, env={**os.environ, **environment},
                stdout=subprocess.PIPE, check=True,
            )  # fmt: skip
            self.assertIn(b"the best baseline", done.stdout)
            self.assertEqual(len(list((place / "joulie" / "experiments").iterdir())), 2)

    def test_two_at_once_share_a_folder(self):
        both = [self.start(TINY, "--fresh", "--jobs", "2") for _ in range(2)]
        outs = [process.communicate() for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], outs)
        self.assertEqual(outs[0], outs[1])
        self.assertEqual({Path(name).suffix for name in self.kept()}, {".json"})

    def test_an_interrupt_ends_every_process_and_the_next_run_goes_on(self):
        nodes = [{**node, "replicas": 5} for node in NODES]
        slow = {**SMALL, "scenarios": [{**SCENARIO, "inventory": {"nodes": nodes},
                                        "workload": {**SCENARIO["workload"], "hours": 6}}], "seeds": 40}  # fmt: skip
        file = self.write(slow)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start(file, "--jobs", "2")
            count = self.finished()
            while self.finished() < count + 2:
                time.sleep(0.005)
                self.assertIsNone(process.poll())
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            process.send_signal(number)
            _, err = process.communicate()
            self.assertEqual(process.returncode, -number)
            self.assertIn(b"interrupted", err)
            for child in children:
                self.assertFalse(Path("/proc", child).exists())
            self.assertEqual({Path(name).suffix for name in self.kept()}, {".json"})
        before = self.kept()
        self.assertLess(len(before), 40)
        done = self.run_it(file)
        self.assertIn("40 seeds", done)
        after = self.kept()
        self.assertEqual({name: after[name] for name in before}, before)


class Refused(Experiment):
    def error(self, document, *arguments):
        out = self.run_it(self.write(document) if isinstance(document, dict) else document, *arguments, status=1)
        return json.loads(out)["error"]

    def test_a_bad_file_is_named_with_its_place(self):
        for change, code, where in (
            ({"seeds": 0}, "range", "seeds"),
            ({"more": 1}, "unknown-member", "more"),
            ({"scenarios": [{**SCENARIO, "workload": {"hors": 1}}]}, "unknown-member", "scenarios[0].workload.hors"),
            ({"scenarios": [{**SCENARIO, "inventory": {"nodes": [{"node_name": "a", "cpu_cores": 0}]}}]},
             "range", "scenarios[0].inventory.nodes[0].cpu_cores"),
        ):  # fmt: skip
            with self.subTest(where):
                found = self.error({**SMALL, **change})
                self.assertEqual((found["code"], found["where"]), (code, where))
                self.assertIn("e.json:1: ", found["message"])
        self.assertEqual(self.error("missing.yaml")["code"], "io")

    def test_files_are_looked_for_beside_the_experiment(self):
        (self.folder / "sub").mkdir()
        scenario = {key: value for key, value in SCENARIO.items() if key != "inventory"}
        named = self.write({**SMALL, "scenarios": [{**scenario, "inventoryFile": "m.yaml"}]}, "sub/e.json")
        found = self.error(named)
        self.assertEqual((found["code"], found["where"]), ("not-found", "scenarios[0].inventoryFile"))
        self.assertIn("sub/m.yaml", found["message"])
        (self.folder / "sub" / "m.yaml").write_text(json.dumps(SCENARIO["inventory"]))
        trace = joulie.generate_workload(jobs=5, gpu_ratio=0, max_duration_s=600)
        (self.folder / "sub" / "t.jsonl").write_text(trace)
        recorded = {"name": "recorded", "inventoryFile": "m.yaml", "traceFile": "t.jsonl"}
        both = {**SMALL, "scenarios": [{**scenario, "inventoryFile": "m.yaml"}, recorded]}
        text = self.run_it(self.write(both, "sub/e.json"))
        self.assertIn("recorded, speeds: catalog, against kube, 1 seed\n", text)
        self.assertEqual(len(self.kept()), 2 + 1)

    def test_a_run_that_cannot_be_made_says_of_which_scenario(self):
        few = {**SCENARIO, "workload": {**SCENARIO["workload"], "jobs": 2}}
        found = self.error({**SMALL, "scenarios": [few], "loads": [2]})
        self.assertEqual((found["code"], found["where"]), ("range", "two: load"))

    def test_a_process_that_dies_is_reported(self):
        slow = {**SCENARIO, "workload": {**SCENARIO["workload"], "hours": 200}}
        process = self.start(self.write({**SMALL, "scenarios": [slow]}), "--jobs", "1")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text():
            self.assertIsNone(process.poll())
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        out, _ = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("(signal 9)", json.loads(out)["error"]["message"])

    def test_wrong_words_are_wrong_usage(self):
        for arguments in (("--jobs", "0"), ("--jobs", "x"), ("--more",), ("-o", "xml"), ("second.yaml",)):
            process = self.start(TINY, *arguments)
            out, err = process.communicate()
            self.assertEqual((process.returncode, out), (2, b""), arguments)
            self.assertTrue(err)


if __name__ == "__main__":
    unittest.main()
