# SPDX-License-Identifier: Apache-2.0
"""WorkloadProfiles from a real Prometheus that scrapes what the kubelet, both generations of Kepler
and the DCGM exporter export."""

import http.server
import re
import time

from prometheus import Prometheus
from prometheus_fake import Stoppable
from test_classifier import GIB, Classifying
from waiting import wait_until


class Exporter(Stoppable):
    """Counters that grow by their rate since it was made."""

    def __init__(self, case):
        self.rates = {}
        self.gauges = {}
        self.began = time.monotonic()
        exporter = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                text = exporter.text().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        super().__init__(case, Handler)

    def text(self):
        passed = time.monotonic() - self.began
        lines = [f"{name} {rate * passed}" for name, rate in self.rates.items()]
        return "\n".join(lines + [f"{name} {value}" for name, value in self.gauges.items()]) + "\n"


def of(metric, **labels):
    return metric + "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}"


class Scraped(Classifying):
    """The name of a pod says what it does."""

    def setUp(self):
        super().setUp()
        self.prometheus.stop()  # the scripted one
        self.kubelet = Exporter(self)
        self.others = Exporter(self)
        for name, cores, gibibytes in (
            ("compute", 1.9, 1),
            ("memory", 0.4, 3),
            ("old", 0.9, 1),
            ("new", 0.9, 1),
            ("gpu", 0.5, 1),
        ):
            self.add_usage(name, cores, gibibytes)
        for name, watts in (("package", 40), ("dram", 30)):
            old = of(
                f"kepler_container_{name}_joules_total",
                container_namespace="default",
                pod_name="old",
                container_name="a",
                container_id="1",
                mode="dynamic",
            )
            new = of(
                "kepler_pod_cpu_joules_total",
                pod_namespace="default",
                pod_name="new",
                pod_id="2",
                zone=name,
                state="running",
            )
            self.others.rates.update({old: watts, new: watts})
        for metric, value in (("DCGM_FI_DEV_GPU_UTIL", 92), ("DCGM_FI_DEV_MEM_COPY_UTIL", 68)):
            self.others.gauges[of(metric, gpu="0", namespace="default", pod="gpu")] = value
        self.real = Prometheus(
            self,
            {"kubelet": [self.kubelet.address], "exporters": [self.others.address]},
            interval="500ms",
        )

    def add_usage(self, name, cores, gibibytes):
        """As a kubelet has it: also the cgroup of the pod and its sandbox, which count twice."""
        self.add_work(name)
        for container in ("a", "", "POD"):
            labels = {"namespace": "default", "pod": name, "container": container}
            self.kubelet.rates[of("container_cpu_usage_seconds_total", **labels)] = cores
            self.kubelet.gauges[of("container_memory_working_set_bytes", **labels)] = (
                gibibytes * GIB
            )

    def confidences(self):
        return {name: status.get("confidence") for name, status in self.statuses().items()}

    def wait_confidences(self, what, expected):
        wait_until(
            lambda: f"{what}: {self.confidences()} {self.announced()}",
            lambda: self.confidences() == expected,
        )

    def wait_reasons(self, expected):
        """The first windows see a counter begin, and less of it; a few points are no change."""

        def reasons():
            return {n: s.get("classificationReason", "") for n, s in self.statuses().items()}

        wait_until(
            lambda: f"reasons: {reasons()}",
            lambda: all(re.search(text, reasons()[name]) for name, text in expected.items()),
        )

    def test_profiles_come_fall_in_an_outage_and_come_back(self):
        full = {"pod-compute": 0.5, "pod-memory": 0.5, "pod-gpu": 0.5, "pod-old": 0.7, "pod-new": 0.7}
        hints = {name: 0.3 for name in full}
        operator = self.start(
            *("--prometheus-address", self.real.url, "--classify-interval", "500ms"),
            *("--classify-metrics-window", "5s", "--reclassify-interval", "0s"),
            *("--classify-hold", "2s", "--classify-grace", "0s"),
        )
        self.wait_confidences(f"whole windows\n{operator.log}", full)
        by_energy = (
            r"^cpu-intensity=medium \(util [34]\d%\); kepler override: cpu-bound=memory "
            r"\(mem-energy ratio 0.4\d>0.40\)$"
        )
        self.wait_reasons(
            {
                "pod-compute": r"^cpu-intensity=high \(util [89]\d%≥75%\); cpu-bound=compute, ",
                "pod-memory": r"; cpu-bound=memory \(mem-pressure 75%>50%\)$",
                "pod-old": by_energy,
                "pod-new": by_energy,
                "pod-gpu": r"; gpu-intensity=high \(util 92%≥70%\)$",
            }
        )
        self.assertEqual(self.statuses()["pod-gpu"]["gpu"]["bound"], "memory")

        self.kubelet.stop()
        self.wait_confidences("the kubelet is silent", hints)
        self.assertEqual(self.announced(), "on", "Prometheus answers")
        self.kubelet.start()
        self.wait_confidences("the kubelet is back", full)

        self.real.stop()
        self.wait_confidences("Prometheus is silent", hints)
        self.assertTrue(self.announced().startswith("failing: cpu: "))
        self.real.start()
        self.wait_confidences("Prometheus is back", full)
        self.assertEqual(self.announced(), "on")
