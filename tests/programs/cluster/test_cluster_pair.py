# SPDX-License-Identifier: Apache-2.0
"""Two operators of one cluster that want different things, for a minute and more (`--long`: ten): one
writes, also while their wall clocks jump; when it is killed the other one does. The server's audit log is the judge.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any, Iterator

from checkout import RELEASE
from control_plane import create_all, fake_node
from deployed import FOLLOWED_S, LEASES, NODES, PATIENCE_S, PROFILE, TWINS, Daemon, InCluster
from faketime import Wall
from waiting import wait_until

TOGETHER_S = 600.0 if os.environ.get("JOULIE_LONG") else 60.0
TAKEOVER_S = 30.0
NAMES = [f"n-{number}" for number in range(12)]
JUMPS = ("+10d", "-1h", "+0")
POD_OF_TOKEN = "authentication.kubernetes.io/pod-name"
SETTINGS = {
    "RECONCILE_INTERVAL": "2s",
    "POLICY_TYPE": "static_partition",
    "STATIC_HP_FRAC": "0",
}
CAPS_PCT = {"first": 60, "second": 80}


class Pair(InCluster):
    walls: dict[str, Wall]
    operators: dict[str, Daemon]
    pods: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        create_all(cls.admin, NODES, [fake_node(name) for name in NAMES])
        cls.walls, cls.operators, cls.pods = {}, {}, {}
        for label, pod in zip(CAPS_PCT, cls.deployed.operator_pods()):
            folder = cls.plane.folder / f"clock-{label}"
            folder.mkdir()
            cls.walls[label] = Wall(folder)
            cls.pods[label] = pod["metadata"]["name"]
            cls.operators[label] = cls.deployed.start(
                "operator",
                label=label,
                pod=pod,
                program=RELEASE / "bin" / "joulie-operator",
                CPU_ECO_CAP_PCT_OF_MAX=str(CAPS_PCT[label]),
                **SETTINGS,
                **cls.walls[label].env,
            )
            cls.operators[label].wait_ready()
            if label == "first":
                wait_until("the first one leads", lambda: cls.leads("first"), PATIENCE_S)

    @classmethod
    def leads(cls, label: str) -> bool:
        cls.operators[label].check()
        return cls.operators[label].metric("joulie_leader") == 1

    # ---- what is so ----

    def lease(self) -> dict[str, Any]:
        found: dict[str, Any] = self.admin.get(f"{LEASES}/joulie-operator")["spec"]
        return found

    def caps(self) -> dict[str, float]:
        twins = self.admin.items(TWINS)
        return {
            one["metadata"]["name"]: one["spec"].get("cpu", {}).get("packagePowerCapPctOfMax")
            for one in twins
        }

    def labels(self) -> dict[str, str]:
        nodes = self.admin.items(NODES)
        return {one["metadata"]["name"]: one["metadata"]["labels"].get(PROFILE, "") for one in nodes}

    def is_as_wanted_by(self, label: str) -> bool:
        caps, labels = self.caps(), self.labels()
        return set(caps) == set(labels) and set(caps.values()) == {CAPS_PCT[label]} and set(labels.values()) == {"eco"}

    def wait_as_wanted_by(self, label: str, deadline_s: float = PATIENCE_S) -> None:
        def logs() -> str:
            return f"{label}\n" + "\n".join(one.tail() for one in self.operators.values())

        wait_until(logs, lambda: self.is_as_wanted_by(label), deadline_s)

    def writes(self) -> Iterator[tuple[str, str, str]]:
        """(label, verb, object) in the server's order, but for Leases and Events."""
        labels = {pod: label for label, pod in self.pods.items()}
        for line in self.plane.audit_lines():
            what = line.get("objectRef", {})
            pod = line["user"].get("extra", {}).get(POD_OF_TOKEN, [""])[0]
            if pod not in labels or line["verb"] in ("get", "list", "watch"):
                continue
            if what.get("resource") in ("leases", "events"):
                continue
            name = "/".join(filter(None, (what["resource"], what.get("name"), what.get("subresource"))))
            yield labels[pod], line["verb"], name

    # ---- what happens ----

    def disturb(self, number: int) -> None:
        """What the one that leads has to put right."""
        name = NAMES[number % len(NAMES)]
        if number % 3 == 0:
            self.admin.patch(f"{NODES}/{name}", {"metadata": {"labels": {PROFILE: None}}})
        elif number % 3 == 1:
            self.admin.delete(f"{TWINS}/{name}")
        else:
            late = f"n-late-{number}"
            self.admin.post(NODES, fake_node(late))
        self.wait_as_wanted_by("first", FOLLOWED_S)

    def test_one_writes_until_it_is_killed_whatever_the_clocks_do(self) -> None:
        self.wait_as_wanted_by("first")
        holder = self.lease()["holderIdentity"]
        end = time.monotonic() + TOGETHER_S
        number = 0
        while time.monotonic() < end or number < 2 * len(JUMPS) * 3:
            if number % 3 == 0:  # each jump of each clock meets each disturbance
                label = list(CAPS_PCT)[(number // 3) % 2]
                self.walls[label].move(JUMPS[(number // 6) % len(JUMPS)])
            self.disturb(number)
            number += 1
        self.assertEqual({label for label, _, _ in self.writes()}, {"first"})
        self.assertEqual(self.lease()["holderIdentity"], holder)
        self.assertEqual(self.lease()["leaseTransitions"], 0)
        self.assertFalse(self.leads("second"))
        for operator in self.operators.values():
            self.assertTrue(operator.is_ready())
        self.take_over()

    def take_over(self) -> None:
        self.operators["first"].process.send_signal(signal.SIGKILL)
        killed_s = time.monotonic()
        wait_until("the second one leads", lambda: self.leads("second"), PATIENCE_S)
        self.assertLess(time.monotonic() - killed_s, TAKEOVER_S)
        self.wait_as_wanted_by("second")
        self.assertEqual(self.lease()["leaseTransitions"], 1)
        writes = list(self.writes())
        labels = [label for label, _, _ in writes]
        self.assertEqual(labels, sorted(labels), "the first one wrote after the second")
        ours = [(verb, name) for label, verb, name in writes if label == "second"]
        specs = [name for verb, name in ours if name.startswith("nodetwins/") and name.count("/") == 1]
        self.assertEqual(len(specs), len(set(specs)), "a spec was written twice")
        self.assertEqual({name.split("/")[1] for name in specs}, set(self.caps()))
        self.assertEqual([name for _, name in ours if name.startswith("nodes/")], [], "labels were as they had to be")
