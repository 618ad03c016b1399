# SPDX-License-Identifier: Apache-2.0
"""joulie-agent --restore: what its unit and its package run when an agent is gone.

Rules: docs/rules/enforcement.md#restore.
"""

import signal
import subprocess
import unittest

from test_agent import FOUND_UW, snapshot
from test_lives import AGENT, JOULIE, Life
from waiting import DEADLINE_S, wait_until

CAP_UW = 120000000


class Restore(Life):
    def restore(self, *more, env=None):
        arguments = [AGENT, "--restore", "--root", self.root, *more]
        return self.run_agent(arguments=arguments, env=env)

    def leave_caps(self):
        """An agent that is killed, without a child that gives back."""
        agent = self.start("--watchdog-timeout", "0s")
        self.wait_for_cap(120)
        self.kill(agent)
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)

    def test_what_a_killed_agent_left_is_given_back(self):
        self.leave_caps()
        done = self.restore()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 limits were given back", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_machine_that_nobody_capped_is_not_touched(self):
        before = snapshot(self.root)
        done = self.restore()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(snapshot(self.root), before)

    def test_a_cap_that_a_person_set_stays(self):
        command = [JOULIE, "cap", "apply", "--root", self.root, "--spec", self.spec]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, timeout=DEADLINE_S, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.restore().returncode, 0)
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)

    def test_a_file_that_no_agent_could_start_with_is_no_obstacle(self):
        self.leave_caps()
        broken = self.folder / "agent.conf"
        broken.write_text("CONTROL_INTERVAL=soon\n")
        done = self.restore("--config", broken)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("agent.conf:1: CONTROL_INTERVAL", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_wrong_command_line_is_one(self):
        self.leave_caps()
        self.assertEqual(self.restore("--rooot", "x").returncode, 2)
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)

    def test_an_agent_that_runs_keeps_its_caps(self):
        agent = self.start()
        self.wait_for_cap(120)
        done = self.restore()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"process {agent.pid}", done.stderr)
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)

    def test_a_zone_that_is_away_is_waited_for(self):
        self.leave_caps()
        zone = self.limits[0].parent
        away = self.folder / "away"
        zone.rename(away)
        with self.log.open("ab") as log:
            restore = subprocess.Popen(
                [AGENT, "--restore", "--root", self.root],
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
        self.addCleanup(self.end, restore)
        self.wait_for_words("still open: rapl/package-0/long_term")
        away.rename(zone)
        self.assertEqual(restore.wait(DEADLINE_S), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_caps_that_are_to_stay_stay_unless_the_agent_failed(self):
        self.leave_caps()
        stay = {"RESTORE_ON_EXIT": "false"}
        done = self.restore(env={**stay, "SERVICE_RESULT": "success"})
        self.assertEqual((done.returncode, self.read_limits()), (0, [CAP_UW] * 2))
        done = self.restore(env={**stay, "SERVICE_RESULT": "watchdog"})
        self.assertEqual((done.returncode, self.read_limits()), (0, [FOUND_UW] * 2))

    def test_a_stopped_agent_that_is_killed_has_its_caps_given_back(self):
        agent = self.start("--watchdog-timeout", "0s")
        self.wait_for_cap(120)
        agent.send_signal(signal.SIGSTOP)
        self.kill(agent)
        self.assertEqual(self.restore().returncode, 0)
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))


if __name__ == "__main__":
    unittest.main()
