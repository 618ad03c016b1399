# SPDX-License-Identifier: Apache-2.0
"""A night in which nodes are switched off and woken: simulator, operator, extender and agent as separate processes, and
docs/examples/power/simulator as the command. The same night with all nodes on is beside it."""

from __future__ import annotations

import json
import re
import signal
import tempfile
import unittest
from pathlib import Path
from typing import Any

from test_live import ROOT, Cluster

COMMAND = ROOT / "docs" / "examples" / "power" / "simulator"
NODES = 5
HOUR_S = 3600
STANDBY_W = 40.0
BOOT_S, STOP_S, IDLE_S = 240, 20, 600
INVENTORY = f"""nodes:
  - {{node_name_prefix: n, replicas: {NODES}, cpu: AMD EPYC 9654, cpu_cores: 192, memory_gib: 512,
     standby_w: {STANDBY_W}, boot_s: {BOOT_S}, stop_s: {STOP_S}}}
"""


def job(name: str, submit_s: float, cores: int, seconds: float) -> str:
    """One that keeps so many cores busy for so long."""
    return json.dumps(
        {
            "type": "job",
            "jobId": name,
            "submitTimeOffsetSec": submit_s,
            "podTemplate": {"requests": {"cpu": str(cores), "memory": "8Gi"}},
            "work": {"cpuUnits": cores * seconds},
        }
    )


# An evening that fills every node for an hour, a small job through the night, a morning like the evening.
DAY = (
    [job("through", 0, 8, 5 * HOUR_S)]
    + [job(f"evening-{i}", 60 + i, 150, HOUR_S) for i in range(NODES)]
    + [job(f"morning-{i}", 5 * HOUR_S + i, 150, HOUR_S) for i in range(NODES)]
)

POWER_OFF = {
    "POWER_OFF": "true",
    "POWER_OFF_COMMAND": str(COMMAND),
    "POWER_OFF_COMMAND_ENVIRONMENT": "JOULIE_SIMULATOR",
    "POWER_OFF_IDLE": f"{IDLE_S}s",
    "POWER_OFF_UP": "0s",
    "POWER_OFF_RESERVE_CORES": "150",
    "POWER_OFF_RESERVE_GPUS": "0",
}


class Night(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "inventory.yaml").write_text(INVENTORY, encoding="utf-8")
        (self.folder / "trace.jsonl").write_text("\n".join(DAY) + "\n", encoding="utf-8")
        (self.folder / "policy.json").write_text(
            json.dumps({"type": "static_partition", "staticHpFrac": 1}), encoding="utf-8"
        )

    def start(self, name: str, variables: dict[str, str]) -> Cluster:
        words = ["--sim-inventory-path", str(self.folder / "inventory.yaml")]
        cluster = Cluster(self.folder, 0, more=words, name=name, variables=variables)
        operator = cluster.daemons["joulie-operator"]
        operator.environment["JOULIE_SIMULATOR"] = cluster.url
        operator.command += ["--log-level", "info"]
        self.addCleanup(cluster.stop)
        cluster.start()
        return cluster

    def finish(self, cluster: Cluster) -> Cluster:
        self.assertEqual(cluster.finish(), 0, cluster.logs())
        return cluster

    def test_nodes_go_off_and_come_back_and_no_job_is_lost(self) -> None:
        plain = self.finish(self.start("plain", {}))
        saving = self.finish(self.start("saving", POWER_OFF))
        self.compare(plain, saving)
        self.explained(saving)

    def test_an_operator_that_is_killed_all_night_loses_nothing(self) -> None:
        """Each time another one goes on with what the Nodes say. When they became empty is forgotten: it is killed
        from when they have their records on, which is the step IDLE_S behind the one that saw them empty."""
        cluster = self.start("killed", POWER_OFF)
        operator = cluster.daemons["joulie-operator"]
        begin_s = HOUR_S + 2 * 60 + IDLE_S + 10
        kills = 0
        for at_s in (begin_s, *range(begin_s + 120, 5 * HOUR_S + 1200, 150)):
            cluster.reach(at_s)
            kills += not cluster.view()["isFinished"]
            operator.end(signal.SIGKILL)  # time stands still until the next one
            operator.start()
        self.finish(cluster)
        self.assertGreater(kills, 50)
        summary = cluster.summary()
        self.assertEqual(summary["podsCompleted"], {"controlled": len(DAY)})
        self.assertGreaterEqual(summary["boots"]["controlled"], NODES - 1)
        self.assertGreater(summary["offS"]["controlled"], (NODES - 1) * 3 * HOUR_S)
        self.assertEqual(summary["slowdown"]["controlled"]["all"]["max"], 1)

    def compare(self, plain: Cluster, saving: Cluster) -> None:
        """Four nodes go off: the fifth has the small job, and room enough for the reserve."""
        before, after = plain.summary(), saving.summary()
        for summary in (before, after):
            self.assertEqual(summary["podsCompleted"], {"controlled": len(DAY)})
            self.assertEqual(summary["workUnitsDone"], before["workUnitsDone"])
            self.assertEqual(summary["slowdown"]["controlled"]["all"]["max"], 1)
            self.assertEqual(summary["lateSteps"], 0)
        off = NODES - 1
        self.assertNotIn("boots", before)
        self.assertEqual(after["boots"]["controlled"], off)
        # empty 1 h and a minute after the start, seen so by the next step, off IDLE_S later, drained for 5 s; until 5 h
        least_s = 5 * HOUR_S - (HOUR_S + 60 + 4 + 2 * 60 + IDLE_S + 60)
        off_s = after["offS"]["controlled"]
        self.assertGreater(off_s, off * (least_s + BOOT_S))
        self.assertLess(off_s, off * (least_s + BOOT_S + 4 * 60))
        self.assertLess(after["waitS"]["controlled"]["all"]["max"], BOOT_S + 10)
        self.energy(before["energyJ"]["controlled"], after["energyJ"]["controlled"], before, off_s)

    def energy(
        self, before: dict[str, Any], after: dict[str, Any], plain: dict[str, Any], off_s: float
    ) -> None:
        """What those that are off take, by their watts and seconds, and the idle power that they save."""
        idle_w = (before["cpu"]["idleBusy"] + before["cpu"]["idleEmpty"]) / (
            NODES * plain["simulatedS"]
        )
        boots = NODES - 1
        moving_j = boots * (STOP_S + 1.3 * BOOT_S) * idle_w
        off_j = moving_j + STANDBY_W * (off_s - boots * (STOP_S + BOOT_S))
        self.assertAlmostEqual(after["cpu"]["off"] / off_j, 1, places=6)
        self.assertEqual(after["cpu"]["dynamic"], before["cpu"]["dynamic"])
        saved_j = off_s * idle_w - off_j - boots * BOOT_S * idle_w  # the day is a boot longer
        self.assertGreater(saved_j, 0)
        self.assertGreater(before["total"] - after["total"], 0.9 * saved_j)

    def explained(self, saving: Cluster) -> None:
        """Each node once, each step of it with its reason."""
        log = saving.daemons["joulie-operator"].log.read_text()
        found: dict[str, list[tuple[str, str]]] = {}
        for node, reason, why in re.findall(
            r'component=power msg="node (n-\d): ([A-Z]\w+): ([^"]*)"', log
        ):
            found.setdefault(node, []).append((reason, why))
        self.assertEqual(len(found), NODES - 1, log)
        for steps in found.values():
            self.assertEqual(
                steps,
                [
                    (
                        "PoweringOff",
                        "nothing runs on the node, and there is room enough without it",
                    ),
                    ("PoweredOff", "the node is off"),
                    ("WakingUp", steps[2][1]),
                    ("WokenUp", "the node is on again"),
                ],
            )
        # the first job of the morning takes the reserve, the others have no room
        woken = {steps[2][1] for steps in found.values()}
        wanted = {"pods need the node", "too little is free on the nodes that are on"}
        self.assertEqual(woken, wanted)
        self.assertNotIn("component=actuator", log)


if __name__ == "__main__":
    unittest.main()
