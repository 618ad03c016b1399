# SPDX-License-Identifier: Apache-2.0
"""The Kubernetes client of PyPI against the embedded API server, in an environment of its own."""

import subprocess
import sys
import unittest
from pathlib import Path

from checkout import ROOT
from server import DEADLINE_S, Server, node

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))

import build  # noqa: E402

REQUIREMENT = "kubernetes==34.1.0"


class PythonClient(unittest.TestCase):
    def test_typed_and_custom_objects(self):
        server = Server()
        self.addCleanup(server.close)
        for number in range(5):
            server.put(node(f"n{number}"))
        python = build.python_with(REQUIREMENT)
        done = subprocess.run(
            [
                str(python),
                str(Path(__file__).with_name("python_client.py")),
                str(server.kubeconfig),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=DEADLINE_S * 4,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "good")


if __name__ == "__main__":
    unittest.main()
