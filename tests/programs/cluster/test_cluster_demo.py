# SPDX-License-Identifier: Apache-2.0
"""./dev demo --cluster, in short."""

from __future__ import annotations

import unittest

import played_day  # it finds build, too
from deployed import build


# A limit of each GPU, whatever runs on it.
POLICY = {"type": "static_partition", "staticHpFrac": 1, "gpuPerformanceCapPctOfMax": 80}


class PlayedDay(unittest.TestCase):
    def test_the_same_work_is_done_limits_are_given_back_and_nothing_is_left(self) -> None:
        said: list[str] = []
        try:
            played = played_day.run(nodes=3, hours=1, seed=38, speed=900, policy=POLICY, say=said.append)
        except build.Missing as reason:
            self.skipTest(str(reason))
        played_day.show_end(played, said.append)
        out = "\n".join(said)
        done, work = played.summary["podsCompleted"], played.summary["workUnitsDone"]
        self.assertEqual(done["controlled"], played.summary["podsSubmitted"], out)
        self.assertEqual(work["controlled"], work["uncontrolled"], out)
        self.assertEqual(set(played.requests), {"joulie-operator", "joulie-agent", "joulie-scheduler"})
        self.assertEqual(played.refused, {})
        self.assertGreaterEqual(played.controls, 3)
        self.assertEqual((len(played.capped), played.still_capped), (3, []), out)
        self.assertIn("3 nodetwins are deleted", out)
        self.assertIn("machines that still have a limit: 0", out)
        self.assertFalse(played.folder.exists())
