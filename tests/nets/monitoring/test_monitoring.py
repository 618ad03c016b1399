# SPDX-License-Identifier: Apache-2.0
"""The alert rules and the dashboard of deploy: taken by promtool, each alert tried both ways, no series that no program
has, and every query of the dashboard answered by a real Prometheus that scrapes the programs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator

from checkout import RELEASE, ROOT
from prometheus import Prometheus
from waiting import wait_until

DEMO = ROOT / "docs" / "examples" / "demo"
sys.path.insert(0, str(DEMO))

import live  # noqa: E402

FOLDER = ROOT / "deploy" / "kustomize" / "monitoring"
RULES = FOLDER / "rules.yaml"
TRIALS = Path(__file__).with_name("alerts.yaml")
PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
NAME = re.compile(r"\bjoulie_[a-z_]+")
PARTS = re.compile("_(bucket|sum|count)$")  # of a histogram
# What a cluster in which all is well has not: a host agent's readings, and what counts faults.
NOT_IN_DEMO = {
    "joulie_operator_node_power_state",
    "joulie_rapl_package_total_power_watts",
    "joulie_reconcile_errors_total",
    "joulie_operator_skipped_intervals_total",
}
EXPRESSION = re.compile(r"^ +expr: (>-\n(?:      .*\n)+|.*\n)", re.MULTILINE)
ALERT = re.compile(r"- alert: (\w+)\n")


def queries() -> list[tuple[str, str]]:
    """(title, query) of the panels, with all nodes chosen."""
    return [
        (panel["title"], target["expr"].replace("$node", ".*"))
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    ]


def legend(target: dict[str, Any], series: dict[str, Any]) -> str:
    """As Grafana writes it; a KeyError for a label that the series has not."""
    return re.sub(r"\{\{(\w+)\}\}", lambda label: str(series["metric"][label[1]]), target.get("legendFormat", ""))


def unit(query: str) -> set[str]:
    """What the values of a query can be in, by the names of its metrics."""
    if "rate(" in query and "histogram_quantile" not in query:
        return {"ops", "reqps"}
    ends = {PARTS.sub("", name).rsplit("_", 1)[1] for name in NAME.findall(query)}
    return {"watts": {"watt"}, "seconds": {"s"}}.get(ends.pop(), {"short"}) if len(ends) == 1 else {"short"}


def used() -> set[str]:
    """Metrics of the programs in rules and dashboard."""
    text = " ".join(EXPRESSION.findall(RULES.read_text(encoding="utf-8"))) + " ".join(
        query for _, query in queries()
    )
    names = {PARTS.sub("", name) for name in NAME.findall(text)}
    (variable,) = [one for one in DASHBOARD["templating"]["list"] if one["type"] == "query"]
    return names | set(NAME.findall(variable["query"]))


def promtool(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["promtool", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except FileNotFoundError:
        raise unittest.SkipTest("there is no promtool") from None


class Rules(unittest.TestCase):
    def test_promtool_accepts_them(self) -> None:
        done = promtool("check", "rules", str(RULES))
        self.assertEqual(done.returncode, 0, done.stdout)
        alerts = ALERT.findall(RULES.read_text(encoding="utf-8"))
        self.assertIn(f"{len(alerts) + RULES.read_text().count('- record:')} rules found", done.stdout)

    def test_each_alert_fires_where_it_has_to_and_only_there(self) -> None:
        done = promtool("test", "rules", str(TRIALS))
        self.assertEqual(done.returncode, 0, done.stdout)
        text = TRIALS.read_text(encoding="utf-8")
        for alert in ALERT.findall(RULES.read_text(encoding="utf-8")):
            self.assertRegex(text, rf"alertname: {alert}\n +exp_alerts:\n", "it is never seen to fire")
            self.assertRegex(text, rf"alertname: {alert}}}", "it is never seen not to fire")

    def test_a_changed_rule_is_noticed_by_the_trials(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rules = RULES.read_text(encoding="utf-8").replace("> 1.1 *", "> 1.05 *")
            (Path(folder) / "rules.yaml").write_text(rules, encoding="utf-8")
            trials = re.sub(r"rule_files: .*", "rule_files: [rules.yaml]", TRIALS.read_text(encoding="utf-8"))
            (Path(folder) / "alerts.yaml").write_text(trials, encoding="utf-8")
            done = promtool("test", "rules", str(Path(folder) / "alerts.yaml"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("JoulieLimitExceeded", done.stdout)

    def test_each_alert_has_a_section_of_the_page_and_names_it(self) -> None:
        text = RULES.read_text(encoding="utf-8")
        alerts = ALERT.findall(text)
        self.assertEqual(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE), alerts)
        runbooks = re.findall(r"runbook: docs/monitoring\.md.(\w+)\n", text)
        self.assertEqual(runbooks, [alert.lower() for alert in alerts])

    def test_the_prometheus_operator_gets_the_same_rules(self) -> None:
        plain = RULES.read_text(encoding="utf-8").split("groups:\n", 1)[1]
        wrapped = (FOLDER / "prometheus-rule.yaml").read_text(encoding="utf-8").split("  groups:\n", 1)[1]
        self.assertEqual([line[2:] if line.strip() else line for line in wrapped.splitlines()], plain.splitlines())


class Names(unittest.TestCase):
    def families(self) -> Iterator[str]:
        for file in (ROOT / "daemons").glob("*/*.c"):
            yield from re.findall(r'"(joulie_[a-z_]+)"', file.read_text(encoding="utf-8"))

    def test_they_are_those_of_the_programs(self) -> None:
        self.assertLessEqual(used(), set(self.families()))

    def test_they_are_on_the_page(self) -> None:
        part = PAGE.split("## What rules and dashboard read", 1)[1].split("## Alerts", 1)[0]
        table = "\n".join(re.findall(r"^\|.*", part, re.MULTILINE))
        self.assertEqual(set(re.findall(r"`(joulie_[a-z_]+)`", table)), used())

    def test_recorded_series_are_on_the_page(self) -> None:
        recorded = set(re.findall(r"record: (joulie:\w+)", RULES.read_text(encoding="utf-8")))
        self.assertEqual(set(re.findall(r"`(joulie:\w+)`", PAGE)), recorded)


class Dashboard(unittest.TestCase):
    def test_its_panels_are_whole(self) -> None:
        panels: list[dict[str, Any]] = DASHBOARD["panels"]
        self.assertEqual(len({one["id"] for one in panels}), len(panels))
        taken: set[tuple[int, int]] = set()
        for one in panels:
            place = one["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            self.assertFalse(cells & taken, f"{one['title']} lies on another panel")
            self.assertLessEqual(place["x"] + place["w"], 24)
            self.assertTrue(one["title"] and one["targets"])
            taken |= cells

    def test_its_units_are_those_of_the_metrics(self) -> None:
        for one in DASHBOARD["panels"]:
            for target in one["targets"]:
                self.assertIn(one["fieldConfig"]["defaults"]["unit"], unit(target["expr"]), one["title"])


class Running(unittest.TestCase):
    """A cluster of simulated machines, and Prometheus."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        trace = self.out / "trace.jsonl"
        with trace.open("wb") as out:
            subprocess.run(
                [RELEASE / "bin" / "joulie", "workload", "generate", "--mode", "diurnal", "--hours", "72"]
                + ["--seed", "1", "--peak-rate", "0.2", "--gpu-ratio", "0.5", "--base-speed-per-core", "1"],
                stdout=out,
                check=True,
            )
        words = ["--sim-inventory-path", str(DEMO / "inventory.yaml"), "--nodes", "4", "--seed", "1"]
        words += ["--sim-workload-trace-path", str(trace), "--keep", "--placement", "efficiency"]
        self.live = live.Live(
            RELEASE / "bin",
            self.out / "live",
            words,
            {"type": "queue_aware_v1", "rackCapacityW": 100000},
            exits=False,
            variables={"LEADER_ELECT": "true"},
        )
        self.addCleanup(self.live.stop)

    def address(self, name: str) -> str:
        command = self.live.daemons[name].command
        return command[command.index("--metrics-addr") + 1]

    def look_at_legends(self, prometheus: Prometheus) -> None:
        """Every label that a legend names is there, and no two lines of a panel have one name."""
        for panel in DASHBOARD["panels"]:
            if panel["type"] == "table":
                continue
            lines = [
                legend(target, series)
                for target in panel["targets"]
                for series in prometheus.query(target["expr"].replace("$node", ".*"))
            ]
            self.assertEqual(len(lines), len(set(lines)), f"{panel['title']}: {lines}")
            if panel["type"] == "timeseries":
                self.assertTrue(all(line.strip() for line in lines), panel["title"])

    def test_every_query_of_the_dashboard_has_an_answer_and_no_alert_is_wrong(self) -> None:
        jobs = {
            "joulie-operator": [self.address("joulie-operator")],
            "joulie-scheduler": [self.address("joulie-scheduler")],
            "joulie-agent": [self.address("joulie-agent-0")],
        }
        prometheus = Prometheus(self, jobs, rules=RULES)
        self.live.start()
        unanswered = dict.fromkeys(query for _, query in queries())

        def is_answered() -> bool:
            for query in list(unanswered):
                found = prometheus.query(query)
                if found and all(one["value"][1] != "NaN" for one in found):
                    del unanswered[query]
            return not unanswered

        wait_until(lambda: f"an answer to {list(unanswered)}", is_answered)
        self.look_at_legends(prometheus)
        found = prometheus.query('{__name__=~"joulie_.*", component=~"..*"}')
        programs = {(one["metric"]["job"], one["metric"]["component"]) for one in found if "density" not in str(one)}
        self.assertEqual(programs, {(job, job) for job in jobs}, "one word for a program")
        names = {one["metric"]["__name__"] for one in prometheus.query('{__name__=~"joulie_.*"}')}
        self.assertLessEqual(used() - NOT_IN_DEMO, {PARTS.sub("", name) for name in names})
        for recorded in re.findall(r"record: (joulie:\w+)", RULES.read_text(encoding="utf-8")):
            wait_until(recorded, lambda name=recorded: prometheus.query(name))  # type: ignore[misc]
        self.assertEqual([one for one in prometheus.alerts() if one["state"] == "firing"], [])
        self.live.daemons["joulie-operator"].end()
        wait_until(
            "the operator that ended is noticed",
            lambda: {"JoulieOperatorDown"} & {one["labels"]["alertname"] for one in prometheus.alerts()},
        )


if __name__ == "__main__":
    unittest.main()
