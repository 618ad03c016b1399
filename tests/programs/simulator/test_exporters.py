# SPDX-License-Identifier: Apache-2.0
"""What exporters on simulated machines say of pods (docs/rules/simulator-contract.md#exporters): as text, to a real
Prometheus, and to the classifier of joulie-operator that asks it."""

import re
import shutil
import signal
import subprocess
import unittest

from checkout import DEV
from prometheus import Prometheus
from test_simulator import Participant, Simulated, job
from waiting import wait_until

OPERATOR = str(DEV / "bin" / "joulie-operator")
PROFILES = "/apis/joulie.io/v1alpha1/workloadprofiles"
PAGES = ("cadvisor", "dcgm", "kepler", "kepler-0.9")
SAMPLE = re.compile(r'^(\w+)\{(.*)\} (\S+?)(?: (\d+))?$', re.MULTILINE)
START_MS = 1767225600000  # virtual time 0
LONG = 1e9
# What a classifier has to find: the class of each job, at the default intensities of its kind.
WORK = {
    "hot": ({"workloadClass": {"cpu": "cpu.compute_bound"}}, "compute"),
    "streams": ({"workloadClass": {"cpu": "cpu.memory_bound"}}, "memory"),
    "waits": ({"workloadClass": {"cpu": "cpu.io_bound"}, "workloadProfile": {"cpuUtilization": 0.1}}, "io"),
    "plain": ({}, "mixed"),
}
TRAINING = {
    "podTemplate": {"requests": {"cpu": "4", "memory": "1Gi", "nvidia.com/gpu": "2"}},
    "work": {"cpuUnits": LONG, "gpuUnits": LONG},
    "workloadClass": {"cpu": "cpu.mixed", "gpu": "gpu.compute_bound"},
    "workloadProfile": {"cpuUtilization": 0.25, "gpuUtilization": 0.75, "memoryIntensity": 0.5},
}


def jobs():
    yield from (job(name, 0, units=LONG, more=more) for name, (more, _) in WORK.items())
    yield job("trains", 0, units=LONG, more=TRAINING)


class Exporting(Simulated):
    def page(self, name):
        """{(metric, labels): (value, time stamp)}"""
        status, text = self.get(f"/metrics/{name}")
        self.assertEqual(status, 200, text)
        found = {}
        for metric, labels, value, stamp in SAMPLE.findall(text):
            key = (metric, tuple(sorted(re.findall(r'(\w+)="([^"]*)"', labels))))
            self.assertNotIn(key, found)
            found[key] = (float(value), int(stamp or 0))
        return found

    def of_pod(self, page, metric, pod, **more):
        """The values of a metric's series of a pod."""
        wanted = {("pod", pod), ("pod_name", pod)}
        return [
            value
            for (name, labels), (value, _) in self.page(page).items()
            if name == metric and wanted & set(labels) and set(more.items()) <= set(labels)
        ]

    def time_s(self):
        return float(re.search(r"^joulie_sim_time_seconds (\S+)", self.get("/metrics")[1], re.MULTILINE)[1])

    def wait_pods(self, count):
        wait_until(
            lambda: f"{count} pods run\n{self.log.read_text()}",
            lambda: self.json("/debug/view")["running"] == count,
        )


class Pages(Exporting):
    def test_each_pod_has_the_series_that_its_exporters_would_have(self):
        self.start(*jobs(), more=["--hours", "1000"])
        self.wait_pods(5)
        (node,) = {dict(labels)["node"] for (_, labels) in self.page("dcgm")}
        self.assertEqual(node, "g")
        labels = {"container", "namespace", "node", "pod"}
        for (metric, pairs), _ in self.page("cadvisor").items():
            self.assertEqual(set(dict(pairs)), labels, metric)
        use = [self.of_pod("dcgm", "DCGM_FI_DEV_GPU_UTIL", "trains", gpu=str(gpu)) for gpu in (0, 1)]
        self.assertEqual(use, [[75], [75]])
        self.assertEqual(self.of_pod("dcgm", "DCGM_FI_DEV_MEM_COPY_UTIL", "trains"), [50, 50])
        self.assertEqual(self.of_pod("cadvisor", "container_memory_working_set_bytes", "streams"), [0.85 * 2**30])
        for page, metrics in (
            ("kepler", ("kepler_pod_cpu_joules_total", "kepler_pod_gpu_joules_total")),
            ("kepler-0.9", tuple(f"kepler_container_{part}_joules_total" for part in ("package", "dram", "gpu"))),
        ):
            for metric in metrics:
                self.assertTrue(all(value > 0 for value in self.of_pod(page, metric, "trains")), metric)
        self.assertEqual(self.of_pod("kepler", "kepler_pod_gpu_joules_total", "hot"), [])
        nodes = {dict(pairs)["instance"] for (name, pairs) in self.page("kepler-0.9") if "platform" in name}
        self.assertEqual(nodes, {"g", "n-0", "n-1"})

    def test_promtool_and_openmetrics_readers_take_them(self):
        self.start(*jobs(), more=["--hours", "1000"])
        self.wait_pods(5)
        if not shutil.which("promtool"):
            self.skipTest("there is no promtool")
        for page in PAGES:
            text = self.get(f"/metrics/{page}")[1]
            done = subprocess.run(
                ["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE, text=True, check=False,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
            # 3: names are not as the linter wants them; these are not ours
            self.assertIn(done.returncode, (0, 3), done.stdout)
            self.assertNotIn("error", done.stdout.replace("while linting", ""))

    def test_counters_grow_by_the_seconds_of_who_reads_and_never_go_back(self):
        self.start(*jobs(), more=["--hours", "80000", "--speedup", "60"])
        self.wait_pods(5)
        seen = []
        for _ in range(20):
            before = self.time_s()
            (value,) = self.of_pod("cadvisor", "container_cpu_usage_seconds_total", "hot")
            seen.append((before, value, self.time_s()))
        self.assertEqual([value for _, value, _ in seen], sorted(value for _, value, _ in seen))
        (first_s, first, _), (_, last, last_s) = seen[0], seen[-1]
        self.assertGreater(last, first)
        cores = 4 * 0.95
        self.assertLessEqual(last - first, cores * (last_s - first_s) / 60 + 1e-6)
        (_, _, sure_from_s), (sure_to_s, _, _) = seen[0], seen[-1]
        self.assertGreaterEqual(last - first, cores * (sure_to_s - sure_from_s) / 60 - 1e-6)

    def test_in_lockstep_samples_are_of_virtual_time(self):
        steps = []
        self.start(*jobs(), more=["--participants", "one", "--hours", "1"])
        pages = []

        def look(now_s):
            if now_s in (100, 1000):
                pages.append((now_s, self.page("cadvisor")))

        one = Participant(self.url, "one", 10, [0, 100, 1000], steps, look)
        one.start()
        wait_until("both steps", lambda: len(pages) == 2)
        values = []
        for now_s, page in pages:
            for (metric, pairs), (value, stamp) in page.items():
                self.assertEqual(stamp, START_MS + 1000 * now_s)
                if metric.endswith("total") and dict(pairs)["pod"] == "hot":
                    values.append(value)
        self.assertAlmostEqual(values[1] - values[0], 900 * 4 * 0.95, places=6)

    def test_a_pod_that_has_gone_and_a_machine_that_is_off_have_no_series(self):
        self.start(job("short", 0, units=4), job("long", 0, units=LONG), more=["--hours", "1000", "--speedup", "30"])
        wait_until("one has gone", lambda: self.json("/debug/view")["completed"] == 1)
        self.assertEqual(self.of_pod("cadvisor", "container_cpu_usage_seconds_total", "short"), [])
        self.assertEqual(len(self.of_pod("cadvisor", "container_cpu_usage_seconds_total", "long")), 1)
        busy = {dict(pairs)["node"] for (_, pairs) in self.page("cadvisor")}
        idle = min({"g", "n-0", "n-1"} - busy)

        def has_series():
            return [key for key in self.page("kepler") if ("node_name", idle) in key[1]]

        self.assertTrue(has_series())
        self.assertEqual(self.control(idle, action="node.power_off")["result"], "applied")
        wait_until(f"{idle} is off", lambda: not has_series())

    def test_they_can_be_left_out_and_others_are_not_there(self):
        self.start(*jobs(), more=["--sim-exporters=false"])
        for page in PAGES:
            self.assertEqual(self.get(f"/metrics/{page}")[0], 404)
        self.assertEqual(self.get("/metrics")[0], 200)
        self.process.kill()
        self.process.wait()
        self.start(*jobs())
        self.assertEqual(self.get("/metrics/cadviso")[0], 404)
        self.assertEqual(self.get("/metrics/cadvisor/x")[0], 404)
        self.assertEqual(self.get("/metrics/cadvisor", b"{}")[0], 405)


class Classified(Exporting):
    """A real Prometheus, and joulie-operator that asks it."""

    def scrape(self, *pages, takes_old=False):
        address = self.url.removeprefix("http://")
        jobs = {page: [f"{address}/metrics/{page}"] for page in pages}
        return Prometheus(self, jobs, interval="500ms", takes_old=takes_old)

    def start_operator(self, *options):
        log = (self.folder / "operator.log").open("w")
        self.addCleanup(log.close)
        self.operator = process = subprocess.Popen(
            [OPERATOR, "--server", self.api, "--metrics-addr", "127.0.0.1:0", *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        self.addCleanup(process.wait)
        self.addCleanup(process.send_signal, signal.SIGTERM)

    def statuses(self):
        items = self.api_get(PROFILES)["items"]
        return {one["spec"]["workloadRef"]["name"]: one.get("status", {}) for one in items}

    def said(self):
        self.assertIsNone(self.operator.poll(), (self.folder / "operator.log").read_text())
        return f"{self.statuses()}\n{(self.folder / 'operator.log').read_text()[-3000:]}"

    def wait_bounds(self, confidence):
        expected = {name: (bound, confidence) for name, (_, bound) in WORK.items()}
        expected["trains"] = ("mixed", confidence)

        def found():
            self.said()
            return {
                name: (one.get("cpu", {}).get("bound"), one.get("confidence")) for name, one in self.statuses().items()
            }

        wait_until(lambda: f"{expected}: {self.said()}", lambda: found() == expected)

    def check(self, kepler):
        self.start(*jobs(), more=["--hours", "1000"])
        prometheus = self.scrape("cadvisor", "dcgm", kepler)
        self.start_operator(
            *("--prometheus-address", prometheus.url, "--classify-interval", "500ms"),
            *("--classify-metrics-window", "5s", "--reclassify-interval", "0s"),
            *("--classify-hold", "1s", "--classify-grace", "0s"),
        )
        self.wait_bounds(0.7)
        expected = {
            "hot": r"^cpu-intensity=high \(util [89]\d%≥75%\); cpu-bound=compute, cap-sensitivity=high",
            "streams": r"kepler override: cpu-bound=memory \(mem-energy ratio 0.48>0.40\)",
            "waits": r"cpu-bound=io \(util <20%\)",
            "trains": r"gpu-intensity=high \(util 75%≥70%\)",
        }

        def are_reasons():
            """The first windows see a counter begin, and less of it."""
            found = {name: one.get("classificationReason", "") for name, one in self.statuses().items()}
            return all(re.search(text, found[name]) for name, text in expected.items())

        wait_until(lambda: f"reasons: {self.said()}", are_reasons)
        self.assertEqual(self.statuses()["trains"]["gpu"]["bound"], "compute")
        return prometheus

    def test_the_class_of_the_trace_comes_back_and_an_outage_passes(self):
        prometheus = self.check("kepler")
        prometheus.stop()
        wait_until(
            lambda: f"hints only: {self.said()}",
            lambda: {one.get("confidence") for one in self.statuses().values()} == {0.3},
        )
        self.assertEqual(len(self.statuses()), 5, "nothing is deleted")
        prometheus.start()
        self.wait_bounds(0.7)

    def test_the_old_kepler_says_the_same(self):
        self.check("kepler-0.9")

    def test_power_by_kepler_is_what_the_machines_draw(self):
        self.start(*jobs(), more=["--hours", "1000"])
        self.wait_pods(5)
        prometheus = self.scrape("kepler", "kepler-0.9")
        query = "rate(kepler_node_platform_joules_total[5s])"
        drawn = {one["node"]: self.json(f"/telemetry/{one['node']}") for one in self.json("/debug/nodes")["nodes"]}

        def is_near():
            rates = {one["metric"]["instance"]: float(one["value"][1]) for one in prometheus.query(query)}
            return rates.keys() == drawn.keys() and all(
                abs(rates[node] / drawn[node]["packagePowerWatts"] - 1) < 0.02 for node in drawn
            )

        wait_until(lambda: f"{drawn}: {prometheus.query(query)}", is_near)

    def test_an_operator_on_the_simulators_clock_asks_for_its_time(self):
        """A minute of the cluster is a second of the wall: windows of ten minutes, as they are by default."""
        self.start(*jobs(), more=["--participants", "joulie-operator", "--speedup", "60", "--hours", "1000"])
        prometheus = self.scrape("cadvisor", "dcgm", "kepler", takes_old=True)
        self.start_operator(
            *("--clock", self.url, "--prometheus-address", prometheus.url),
            *("--classify-interval", "60s", "--reclassify-interval", "0s"),
        )
        self.wait_bounds(0.7)


if __name__ == "__main__":
    unittest.main()
