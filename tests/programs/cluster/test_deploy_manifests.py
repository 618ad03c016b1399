# SPDX-License-Identifier: Apache-2.0
"""What deploy renders: the same by kustomize and helm, taken by a real API server and a real kube-scheduler, and
about options that the programs have.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Optional

from certificates import make, make_signed
from checkout import DEV, ROOT
from control_plane import ControlPlane
from deployed import KUSTOMIZE, NAMESPACE, PATIENCE_S, documents, render
from waiting import wait_until

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402

CHART = ROOT / "deploy" / "helm" / "joulie"
SCHEDULERS = {"http": ROOT / "deploy" / "kube-scheduler.yaml", "https": ROOT / "deploy" / "kube-scheduler-tls.yaml"}
OF_HELM = ("app.kubernetes.io/managed-by", "helm.sh/chart")
COMPONENTS = [file.parent.name for file in sorted(KUSTOMIZE.glob("*/kustomization.yaml"))]
MONITORING = {"servicemonitors": "ServiceMonitor", "prometheusrules": "PrometheusRule"}
GROUP = "monitoring.coreos.com"


def crd(plural: str, kind: str) -> dict[str, Any]:
    """The kind alone: what its objects may have is the Prometheus operator's affair."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": kind, "plural": plural}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


EVERYTHING = {
    "image": {"registry": "registry.example", "tag": "x"},
    "operator": {"ipmiSecret": "bmcs", "settings": {"POLICY_TYPE": "efficiency_v1", "CPU_ECO_CAP_PCT_OF_MAX": 60}},
    "agent": {"enforce": True, "threadProfiles": "threads", "settings": {"CONTROL_INTERVAL": "2s"}},
    "scheduler": {
        "replicas": 3,
        "settings": {"DEBUG_SCORING": True},
        "scoringProfile": "scoring",
        "tls": {"secretName": "extender", "clients": True, "clientNames": ["system:kube-scheduler", "b"]},
    },
    "classifier": {"prometheus": "https://p:9090", "secretName": "prometheus", "minConfidence": 0.6},
    "serviceMonitor": True,
    "prometheusRule": True,
    "grafanaDashboard": True,
    "priorityClasses": {"joulie-critical": 1000, "joulie-low": -10},
}


def normal(thing: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """An object with its identity, without what helm says of itself."""
    meta = thing["metadata"]
    meta["labels"] = {k: v for k, v in meta.get("labels", {}).items() if k not in OF_HELM}
    return (thing["apiVersion"], thing["kind"], meta.get("namespace", ""), meta["name"]), thing


def start_plane(program: Optional[Path] = None) -> ControlPlane:
    """With the namespace and the kinds of others that manifests are about."""
    plane = ControlPlane(with_nodes=False, program=program)
    try:
        plane.kubectl("create", "namespace", NAMESPACE)
        for plural, kind in MONITORING.items():
            plane.kubectl("create", "-f", "-", stdin=json.dumps(crd(plural, kind)))
            plane.kubectl("wait", "--for=condition=Established", f"crd/{plural}.{GROUP}", "--timeout=120s")
    except BaseException:
        plane.close()
        raise
    return plane


class Manifests(unittest.TestCase):
    plane: ControlPlane
    helm: str

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.helm = str(build.program("helm"))
            cls.plane = start_plane()
        except build.Missing as reason:
            raise unittest.SkipTest(str(reason)) from None
        cls.addClassCleanup(cls.plane.close)

    def template(self, values: dict[str, Any], *words: str) -> subprocess.CompletedProcess[str]:
        command = [self.helm, "template", "joulie", str(CHART), "--namespace", NAMESPACE]
        return subprocess.run(
            [*command, "--include-crds", "--values", "-", *words],
            input=json.dumps(values),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "HOME": str(self.plane.folder)},
        )

    def of_helm(self, values: dict[str, Any]) -> str:
        done = self.template(values)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def of_kustomize(self, *components: str) -> str:
        """With components, as a kustomization of a user's own."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        base = os.path.relpath(KUSTOMIZE, os.path.realpath(folder.name))
        document = {"resources": [base], "components": [f"{base}/{one}" for one in components]}
        (Path(folder.name) / "kustomization.yaml").write_text(json.dumps(document))
        return render(self.plane, Path(folder.name))

    def objects(self, text: str) -> dict[tuple[str, ...], dict[str, Any]]:
        return dict(normal(one) for one in documents(self.plane, text))

    def assert_same(self, kustomize: str, helm: str) -> None:
        theirs, ours = self.objects(helm), self.objects(kustomize)
        del ours[("v1", "Namespace", "", NAMESPACE)]  # helm makes it by --create-namespace
        self.assertEqual(set(theirs), set(ours))
        for key, thing in ours.items():
            self.assertEqual(theirs[key], thing)

    def test_the_chart_is_what_kustomize_renders(self) -> None:
        self.assert_same(render(self.plane), self.of_helm({}))

    def test_the_chart_can_do_what_the_components_do(self) -> None:
        kustomize = self.of_kustomize(*COMPONENTS)
        self.assertIn("- --enforce\n", kustomize)
        values = {
            "agent": {"enforce": True},
            "serviceMonitor": True,
            "prometheusRule": True,
            "grafanaDashboard": True,
            "scheduler": {"tls": {"secretName": "joulie-scheduler-tls"}},
            "operator": {"ipmiSecret": "joulie-ipmi"},
        }
        self.assert_same(kustomize, self.of_helm(values))

    def test_a_real_server_takes_all_of_it_strictly(self) -> None:
        self.assert_taken_by(self.plane)

    def test_the_newest_release_takes_all_of_it_strictly(self) -> None:
        """Where it is built already: that takes as long as many other tests. `--long` builds it."""
        is_long = bool(os.environ.get("JOULIE_LONG"))
        try:
            program = build.program("controlplane-newest", may_build=is_long)
        except build.Missing as reason:
            self.skipTest(f"no manifest was tried on the newest Kubernetes: {reason}")
        newest = start_plane(program)
        self.addCleanup(newest.close)
        self.assertIn(f"Server Version: {build.VERSIONS['controlplane-newest']}", newest.kubectl("version"))
        self.assert_taken_by(newest)

    def assert_taken_by(self, plane: ControlPlane) -> None:
        words = ["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"]
        texts = {
            "kustomize": self.of_kustomize(*COMPONENTS),
            "helm": self.of_helm(EVERYTHING),
        }
        for name, text in texts.items():
            with self.subTest(name):
                taken = plane.kubectl(*words, stdin=text).splitlines()
                self.assertEqual(len(taken), len(self.objects(text)), taken)
        broken = texts["kustomize"].replace("terminationGracePeriodSeconds", "terminationGraceSeconds")
        refused = plane.kubectl(*words, stdin=broken, good=False)
        self.assertIn("terminationGraceSeconds", refused)

    def test_the_expressions_of_the_policy_compile(self) -> None:
        self.plane.kubectl("apply", "--server-side", "-f", str(KUSTOMIZE / "agent-admission.yaml"))
        broken = (KUSTOMIZE / "agent-admission.yaml").read_text().replace("variables.node", "variables.nod")
        refused = self.plane.kubectl("apply", "--dry-run=server", "-f", "-", stdin=broken, good=False)
        self.assertIn("undefined field 'nod'", refused)

    def test_values_that_nobody_knows_are_refused_by_name(self) -> None:
        for values, word in (
            ({"agents": {}}, "agents"),
            ({"agent": {"enforce": "yes"}}, "enforce"),
            ({"operator": {"settings": {"policy-type": "x"}}}, "policy-type"),
            ({"scheduler": {"replicas": 0}}, "replicas"),
            ({"prometheusRules": True}, "prometheusRules"),
            ({"operator": {"ipmi": "x"}}, "ipmi"),
            ({"scheduler": {"tls": {"secret": "x"}}}, "secret"),
            ({"classifier": {"minConfidence": 0.4}}, "minConfidence"),
            ({"classifier": {"prometheus": "prometheus:9090"}}, "prometheus"),
            ({"priorityClasses": {"p": 2000000000}}, "priorityClasses"),
        ):
            with self.subTest(word):
                done = self.template(values)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(word, done.stderr)

    def test_a_part_that_is_off_is_not_rendered(self) -> None:
        values = {"scheduler": {"enabled": False}, "agent": {"enabled": False}, "networkPolicies": False}
        kinds = [key[1:] for key in self.objects(self.of_helm(values))]
        self.assertIn(("Deployment", NAMESPACE, "joulie-operator"), kinds)
        for kind, _, name in kinds:
            self.assertNotIn(name, ("joulie-agent", "joulie-scheduler"), kind)
            self.assertNotEqual(kind, "NetworkPolicy")

    def test_settings_are_options_of_the_programs(self) -> None:
        named = 0
        for thing in self.objects(self.of_helm(EVERYTHING)).values():
            if thing["kind"] not in ("Deployment", "DaemonSet"):
                continue
            (container,) = thing["spec"]["template"]["spec"]["containers"]
            program = DEV / "bin" / thing["metadata"]["name"]
            done = subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True, check=True)
            flags = set(re.findall(r"--[a-z][a-z0-9-]*", done.stdout))
            wanted = ["--" + one["name"].lower().replace("_", "-") for one in container["env"]]
            for flag in wanted + [one.split("=")[0] for one in container.get("args", [])]:
                self.assertIn(flag, flags, program.name)
                named += 1
        self.assertGreater(named, 15)

    def test_images_and_chart_are_of_this_version(self) -> None:
        version = re.search(r"project\(libjoulie VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
        assert version
        for component in ("operator", "agent", "scheduler"):
            self.assertIn(f"image: joulie-{component}:{version[1]}\n", render(self.plane))
        chart = (CHART / "Chart.yaml").read_text()
        self.assertEqual(re.findall(r"(?:version|appVersion): (.*)", chart), [version[1]] * 2)

    def test_a_real_kube_scheduler_takes_the_configurations(self) -> None:
        kubeconfig = self.plane.kubeconfig("scheduler", {"token": "none"})
        make(self.plane.folder, "ca")
        make_signed(self.plane.folder, "scheduler")
        texts = [(path.read_text(), scheme) for scheme, path in SCHEDULERS.items()]
        for text, scheme in [*texts, (texts[0][0].replace("weight", "wieght"), "")]:
            config, out = self.plane.folder / "config.yaml", self.plane.folder / "written.yaml"
            text = text.replace("/etc/kubernetes/scheduler.conf", str(kubeconfig))
            config.write_text(text.replace("/etc/kubernetes/joulie", str(self.plane.folder)))
            out.unlink(missing_ok=True)
            process = self.plane.start("kube-scheduler", f"--config={config}", f"--write-config-to={out}")
            wait_until("it has read it", lambda: process.process.poll() is not None, PATIENCE_S)  # pylint: disable=W0640
            self.assertEqual((process.process.poll() == 0, out.exists()), (bool(scheme),) * 2, process.tail())
            self.plane.running.pop("kube-scheduler")
            if scheme:
                self.assertIn(f"urlPrefix: {scheme}://joulie-scheduler.joulie-system.svc:9876", out.read_text())
