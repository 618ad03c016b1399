# SPDX-License-Identifier: Apache-2.0
"""The control plane that the other tests of this folder stand on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from checkout import ROOT
from control_plane import (
    ADMIN,
    ControlPlane,
    create_all,
    fake_node,
    is_alive,
    plain_pod,
    remove_left_behind,
)
from deployed import NODES, PATIENCE_S
from waiting import wait_until

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
# Starts a plane, says where it is and which processes it has, and waits to be killed.
ABORTED = """
import sys
sys.path[:0] = sys.argv[1:]
import control_plane
plane = control_plane.ControlPlane(with_nodes=False)
print(plane.folder, *[one.process.pid for one in plane.running.values()], flush=True)
sys.stdin.read()
"""


class Plane(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        try:
            build.program("controlplane")
        except build.Missing as reason:
            raise unittest.SkipTest(str(reason)) from None

    def test_nodes_become_ready_and_pods_run(self) -> None:
        plane = ControlPlane()
        self.addCleanup(plane.close)
        admin = plane.client(ADMIN)
        self.addCleanup(admin.close)
        create_all(admin, NODES, [fake_node(f"n-{number}") for number in range(3)])
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        wait_until("pods may be made", lambda: admin.find(account), PATIENCE_S)
        create_all(admin, PODS, [plain_pod(f"p-{number}") for number in range(5)])
        running = f"{PODS}?fieldSelector=status.phase%3DRunning"
        wait_until("all pods run", lambda: len(admin.items(running)) == 5, PATIENCE_S)
        self.assertIn("v1.34.4", plane.kubectl("version"))

    def test_a_run_that_is_killed_leaves_no_process_and_its_folder_goes_with_the_next(self) -> None:
        here = [str(ROOT / "tests" / "support"), str(Path(__file__).parent)]
        run = subprocess.Popen(
            [sys.executable, "-c", ABORTED, *here],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        assert run.stdin and run.stdout
        self.addCleanup(run.stdin.close)
        self.addCleanup(run.stdout.close)
        folder, *pids = run.stdout.readline().split()
        self.assertEqual(len(pids), 2)
        remove_left_behind()
        self.assertTrue(Path(folder).is_dir(), "of a run that goes on")
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        wait_until("its processes end", lambda: not any(is_alive(int(pid)) for pid in pids))
        remove_left_behind()
        self.assertFalse(Path(folder).exists())
