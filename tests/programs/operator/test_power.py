# SPDX-License-Identifier: Apache-2.0
"""Nodes that joulie-operator switches off and wakes by a command: whole lives of them over the embedded API server, in
the virtual time of a clock that is played here. The command notes what it was asked for; what the machine then does,
the test writes into the Node as a kubelet would.

Rules: docs/rules/programs.md#actuator, docs/rules/policy.md#power-records.
"""

import json
import os
import re
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from checkout import RELEASE, ROOT
from embedded import EmbeddedApi
from operator_fakes import Clock, Endpoint
from test_operator import MINUTE_MS, START_MS, Operator, hardware, node, pod
from waiting import DEADLINE_S, wait_until

IDLE_MS = 2 * MINUTE_MS
COMMAND = """#!/bin/sh
printf '%s %s\\n' "$1" "$2" >> {log}
. {behaviour}
"""
STATE = "joulie.io/power-state"
TAINT = "joulie.io/powered-off"


class LockstepApi(EmbeddedApi):
    """As the clock asks for it: the version that caches have to reach before a step."""

    def __init__(self, case, kubeconfig):
        super().__init__(case, kubeconfig)
        self.changed = threading.Lock()

    @property
    def version(self):
        return int(self.ask("/test/bookmark", " "))


class Lives(unittest.TestCase):
    names = ["a"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.kubeconfig = self.folder / "kubeconfig"
        self.api = LockstepApi(self, self.kubeconfig)
        self.clock = Clock(self.api, START_MS)
        self.addCleanup(self.clock.stop)
        self.command_log = self.folder / "commands"
        self.command = self.folder / "switch"
        self.behaviour = self.folder / "behaviour"
        self.behave("exit 0")
        self.command.write_text(COMMAND.format(log=self.command_log, behaviour=self.behaviour))
        self.command.chmod(0o755)
        self.boots = {}
        for name in self.names:
            self.put_node(name)
            self.api.put("joulie.io/v1alpha1", "NodeHardware", hardware(name))

    # ---- the world ----

    def put_node(self, name):
        self.api.put("v1", "Node", node(name))
        self.report(name, "True", START_MS - 3600000)

    def report(self, name, ready, at_ms=None):
        """What a kubelet says, or the node controller of one that says nothing any more."""
        at = Clock.text(at_ms or self.clock.now_ms)[:19] + "Z"
        condition = {"type": "Ready", "status": ready, "lastTransitionTime": at}
        if ready == "True":
            self.boots[name] = self.boots.get(name, 0) + 1
        info = {"bootID": f"boot-{self.boots[name]}"}
        self.merge(name, {"status": {"conditions": [condition], "nodeInfo": info}})

    def merge(self, name, patch):
        answer = self.api.ask(f"/test/merge?resource=nodes&name={name}", patch)
        self.assertIn(answer[0], "01", answer)

    def behave(self, script):
        self.behaviour.write_text(script + "\n")

    def minutes(self, count=1):
        self.clock.go_to(self.clock.now_ms + count * MINUTE_MS)

    def seconds(self, count):
        self.clock.go_to(self.clock.now_ms + count * 1000)

    # ---- what is seen ----

    def start(self, *arguments, command=True, power_off="true", env=None):
        chosen = ["--power-off-command", self.command] if command else []
        operator = Operator(
            self,
            *("--kubeconfig", self.kubeconfig, "--clock", self.clock.url),
            *("--kube-client-qps", "0", "--power-off", power_off),
            *("--power-off-idle", f"{IDLE_MS}ms", "--power-off-up", "0s"),
            *("--power-off-reserve-gpus", "0", "--power-off-reserve-cores", "0"),
            *chosen,
            *arguments,
            env=env,
        )
        self.clock.wait_for_poll()
        return operator

    def commands(self):
        return self.command_log.read_text().splitlines() if self.command_log.exists() else []

    def node(self, name="a"):
        return json.loads(self.api.ask(f"/api/v1/nodes/{name}"))

    def state(self, name="a"):
        return self.node(name)["metadata"].get("annotations", {}).get(STATE, "on")

    def is_drained(self, name="a"):
        spec = self.node(name).get("spec", {})
        taints = [taint["key"] for taint in spec.get("taints", [])]
        self.assertEqual(TAINT in taints, spec.get("unschedulable", False))
        return TAINT in taints

    def events(self, name="a"):
        """Reasons about a node."""
        items = self.api.items("/apis/events.k8s.io/v1/events")
        mine = [item for item in items if item["regarding"]["name"] == name]
        return [item["reason"] for item in sorted(mine, key=lambda item: item["eventTime"])]

    def until(self, what, condition, minutes=10):
        for _ in range(minutes * 12):
            if condition():
                return
            self.seconds(5)
        self.fail(f"not within {minutes} minutes: {what}; {self.state()}, {self.commands()}")

    def until_state(self, state, name="a", minutes=10):
        self.until(f"{name} {state}", lambda: self.state(name) == state, minutes)

    def switch_off(self, name="a"):
        """To the end: the machine is down."""
        self.until(f"off {name}", lambda: f"off {name}" in self.commands())
        self.report(name, "Unknown")
        self.until_state("off", name)


class OffAndOn(Lives):
    def test_a_node_goes_off_and_comes_back_for_a_pod(self):
        operator = self.start()
        self.minutes()
        self.assertEqual(self.state(), "on")
        self.until_state("stopping")
        self.assertTrue(self.is_drained())
        self.assertEqual(self.commands(), [])  # not before it is known to be empty
        self.until("a command", self.commands)
        self.assertEqual((self.commands(), self.state()), (["off a"], "stopping"))
        self.minutes()
        self.assertEqual(self.state(), "stopping")  # it still answers
        self.report("a", "Unknown")
        self.until_state("off")
        self.minutes(30)
        self.assertEqual((self.commands(), self.state()), (["off a"], "off"))
        series = 'joulie_operator_node_power_state{node="a",state="off"}'
        self.assertEqual(operator.metrics()[series], 1)
        self.api.put("v1", "Pod", pod("p", "", phase="Pending"), "default")
        self.until_state("booting")
        self.assertEqual(self.commands(), ["off a", "on a"])
        self.assertTrue(self.is_drained())
        self.seconds(30)
        self.report("a", "True")
        self.until_state("on")
        self.assertFalse(self.is_drained())
        self.assertEqual(self.commands(), ["off a", "on a"])
        wait_until("Events", lambda: "WokenUp" in self.events())
        wanted = ["PoweringOff", "PoweredOff", "WakingUp", "WokenUp"]
        self.assertEqual([reason for reason in self.events() if reason in wanted], wanted)
        metrics = operator.metrics()
        self.assertEqual(metrics['joulie_operator_power_nodes{state="on"}'], 1)
        self.assertNotIn("joulie_operator_node_power_state", " ".join(metrics))
        for action in ("off", "on"):
            series = f'joulie_operator_power_commands_total{{action="{action}",result="done"}}'
            self.assertEqual(metrics[series], 1)

    def test_a_pod_that_comes_while_it_is_drained_keeps_it(self):
        self.start()
        self.until_state("stopping")
        self.api.put("v1", "Pod", pod("p", "a"), "default")
        self.until_state("on", minutes=2)
        self.assertEqual((self.commands(), self.is_drained()), ([], False))
        wait_until("an Event", lambda: "KeptOn" in self.events())
        self.minutes(30)
        self.assertEqual((self.commands(), self.state()), ([], "on"))

    def test_what_a_person_cordoned_is_not_touched(self):
        self.merge("a", {"spec": {"unschedulable": True}})
        before = self.node()["spec"]
        self.start()
        self.minutes(60)
        self.assertEqual((self.commands(), self.state()), ([], "on"))
        self.assertEqual(self.node()["spec"], before)

    def test_a_person_who_takes_the_cordon_away_wants_it_back(self):
        self.start()
        self.switch_off()
        self.merge("a", {"spec": {"unschedulable": False, "taints": []}})
        self.until_state("booting", minutes=1)
        self.assertEqual(self.commands(), ["off a", "on a"])

    def test_telemetry_of_a_node_that_is_off_is_not_asked_for(self):
        asked = []

        def reply(path, _query):
            asked.append(path)
            return 503, b"{}"

        endpoint = Endpoint(reply)
        self.addCleanup(endpoint.stop)
        operator = self.start(
            *("--operator-node-power-source", "http"),
            *("--operator-node-power-http-endpoint", endpoint.url + "/{node}"),
        )
        failed = 'joulie_operator_power_reads_total{result="failed"}'
        self.switch_off()
        count, failures = len(asked), operator.metrics()[failed]
        self.assertGreater(failures, 0)  # while it was on
        self.minutes(10)
        self.assertEqual((len(asked), operator.metrics()[failed]), (count, failures))

    def test_a_command_gets_what_it_needs_and_no_more(self):
        self.behave(f"env >> {self.folder}/env; cat >> {self.folder}/env")
        os.environ["SECRET"], os.environ["TOKEN"], os.environ["TOKENS"] = "no", "yes", "no"
        for name in ("SECRET", "TOKEN", "TOKENS"):
            self.addCleanup(os.environ.pop, name)
        self.start(
            *("--power-off-command-environment", "NONE, TOKEN"),
            env={name: os.environ[name] for name in ("SECRET", "TOKEN", "TOKENS")},
        )
        self.until("a command", self.commands)
        lines = (self.folder / "env").read_text().splitlines()
        names = {line.split("=")[0] for line in lines} - {"PWD", "OLDPWD", "_", "SHLVL"}
        self.assertEqual(names, {"PATH", "TOKEN"})


class Autoscaler(Lives):
    """Nodes are told to the autoscaler of the cluster, and nothing is switched."""

    names = ["a", "b"]
    SCALE_DOWN = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
    HOLD = "joulie.io/scale-down-disabled"

    def begin(self, *arguments, power_off="true"):
        flags = ("--power-off-by-autoscaler", "true", "--reconcile-interval", "5s")
        return self.start(*flags, *arguments, command=False, power_off=power_off)

    def told(self, name):
        annotations = self.node(name)["metadata"].get("annotations", {})
        return {key: value for key, value in annotations.items() if key in (self.SCALE_DOWN, self.HOLD)}

    def is_kept(self, name):
        return self.told(name) == {self.SCALE_DOWN: "true", self.HOLD: "true"}

    def test_nodes_that_nothing_needs_may_go_and_the_others_are_kept(self):
        self.api.put("v1", "Pod", pod("p", "b"), "default")
        operator = self.begin()
        self.until("both kept", lambda: self.is_kept("a") and self.is_kept("b"))
        self.until("a may go", lambda: self.told("a") == {})
        self.assertTrue(self.is_kept("b"))
        self.assertEqual((self.state("a"), self.is_drained("a")), ("on", False))
        wait_until("an Event", lambda: "ScaleDownAllowed" in self.events("a"))
        self.assertEqual(operator.metrics()['joulie_operator_power_decided_nodes{action="switch-off"}'], 1)
        self.api.put("v1", "Pod", pod("q", "a"), "default")
        self.until("a is kept again", lambda: self.is_kept("a"))
        wait_until("an Event", lambda: "ScaleDownDisabled" in self.events("a"))
        self.assertNotIn("ScaleDownDisabled", self.events("b"))
        self.assertFalse({"WouldPowerOff", "WokenUp"} & set(self.events("a")))

    def test_a_node_that_was_taken_away_is_gone(self):
        operator = self.begin()
        self.until("a may go", lambda: self.told("a") == {})
        self.api.ask("/test/delete?resource=nodes&name=a", "x")
        self.minutes(1)
        states = [key for key in operator.metrics() if key.startswith("joulie_operator_power_nodes")]
        self.assertEqual(sum(operator.metrics()[key] for key in states), 1)
        self.assertNotIn("a", [item["metadata"]["name"] for item in self.api.items("/api/v1/nodes")])

    def test_what_somebody_else_says_is_not_touched(self):
        self.merge("a", {"metadata": {"annotations": {self.SCALE_DOWN: "true"}}})
        self.merge("b", {"metadata": {"annotations": {self.SCALE_DOWN: "false", self.HOLD: "true"}}})
        before = self.told("a"), self.told("b")
        self.begin()
        self.minutes(20)
        self.assertEqual((self.told("a"), self.told("b")), before)

    def test_all_is_taken_back_when_it_is_switched_off(self):
        self.merge("a", {"metadata": {"annotations": {self.SCALE_DOWN: "true", self.HOLD: "true"}}})
        self.merge("b", {"metadata": {"annotations": {self.SCALE_DOWN: "true"}}})
        self.begin(power_off="false")
        self.until("a is let go", lambda: self.told("a") == {})
        self.minutes(2)
        self.assertEqual(self.told("b"), {self.SCALE_DOWN: "true"})

    def test_it_goes_with_no_command(self):
        operator = Operator(
            self,
            *("--kubeconfig", self.kubeconfig, "--power-off-by-autoscaler", "true"),
            *("--power-off-command", self.command),
        )
        self.assertEqual(operator.process.wait(DEADLINE_S), 2)
        self.assertIn("POWER_OFF_COMMAND: nothing is switched with POWER_OFF_BY_AUTOSCALER", operator.log)


class Failures(Lives):
    def failures(self, operator, end, action="off"):
        series = f'joulie_operator_power_commands_total{{action="{action}",result="{end}"}}'
        return operator.metrics().get(series, 0)

    def test_a_command_that_fails_is_given_up_after_three_times(self):
        self.behave("echo first; printf 'no \\033[31mBMC\\n\\n' >&2; exit 3")
        operator = self.start()
        self.until_state("left-alone")
        self.assertEqual(self.commands(), ["off a", "on a", "on a"])
        self.assertEqual(self.failures(operator, "failed"), 1)
        self.assertEqual(self.failures(operator, "failed", "on"), 2)
        self.assertIn('component=actuator msg="node a, off: first"', operator.log)
        self.assertIn('component=actuator msg="node a, off: no \\u001b[31mBMC"', operator.log)
        self.assertIn("the command to switch it off failed: exit status 3", operator.log)
        wait_until("an Event", lambda: "LeftAlone" in self.events())
        self.assertIn("PowerOffFailed", self.events())
        reason = 'joulie_operator_power_failures_total{reason="command-failed"}'
        self.assertEqual(operator.metrics()[reason], 3)
        self.minutes(5)  # it is ready: pods may go there, and it is not switched again
        self.assertEqual((self.state(), self.is_drained()), ("left-alone", False))
        self.minutes(60)
        self.assertEqual(len(self.commands()), 3)
        metrics = operator.metrics()
        self.assertEqual(metrics['joulie_operator_power_nodes{state="left-alone"}'], 1)

    def test_a_command_that_hangs_is_ended(self):
        self.behave("trap '' TERM; while :; do sleep 60; done")
        operator = self.start(
            *("--power-off-command-timeout", "1s", "--power-off-most-failures", "1")
        )
        self.until_state("left-alone")
        self.assertEqual(self.failures(operator, "timeout"), 1)
        self.assertIn("no end within its time", operator.log)

    def test_a_command_that_is_killed_has_failed(self):
        self.behave("kill -9 $$")
        operator = self.start("--power-off-most-failures", "1")
        self.until_state("left-alone")
        self.assertEqual(self.failures(operator, "signal"), 1)

    def test_a_command_that_is_taken_away_has_failed(self):
        operator = self.start("--power-off-most-failures", "1")
        self.command.unlink()
        self.until_state("left-alone")
        self.assertEqual(self.failures(operator, "not-started"), 1)
        self.assertIn("No such file or directory", operator.log)

    def test_a_node_that_does_not_stop_is_woken(self):
        operator = self.start("--power-off-stop-timeout", "5m")
        self.until("a command", self.commands)
        self.until_state("booting", minutes=10)
        wait_until("an Event", lambda: "PowerOffFailed" in self.events())
        self.until_state("on")  # it never went
        self.assertEqual((self.commands(), self.is_drained()), (["off a", "on a"], False))
        reason = 'joulie_operator_power_failures_total{reason="stop-timeout"}'
        self.assertEqual(operator.metrics()[reason], 1)

    def test_a_node_that_does_not_boot_is_given_up_after_three_times(self):
        self.start("--power-off-boot-timeout", "5m")
        self.switch_off()
        self.api.put("v1", "Pod", pod("p", "", phase="Pending"), "default")
        self.until_state("left-alone", minutes=30)
        self.assertEqual(self.commands(), ["off a"] + 3 * ["on a"])
        wait_until("an Event", lambda: "LeftAlone" in self.events())
        self.minutes(60)
        self.assertTrue(self.is_drained())  # nobody wants pods there
        self.assertEqual(len(self.commands()), 4)
        self.report("a", "True")  # a person saw to it
        self.until("it takes pods", lambda: not self.is_drained(), minutes=2)
        self.assertEqual(self.state(), "left-alone")

    def test_a_wrong_command_stops_the_start(self):
        self.command.chmod(0o644)
        for path, problem in (
            (self.command, "Permission denied"),
            (self.folder / "none", "No such file or directory"),
            ("switch", "no absolute path"),
            (self.folder, "no regular file"),
        ):
            operator = Operator(
                self, "--kubeconfig", self.kubeconfig, "--power-off-command", path
            )
            self.assertEqual(operator.process.wait(DEADLINE_S), 2)
            self.assertIn(f"joulie-operator: POWER_OFF_COMMAND: {path}: {problem}", operator.log)


class Restarts(Lives):
    """The operator is killed with SIGKILL in every state; another one goes on where it was."""

    def again(self):
        self.operator.end()
        self.operator = self.start()

    def test_in_every_state(self):
        self.operator = self.start()
        self.until_state("stopping")
        self.again()
        self.until("a command", self.commands)
        self.again()  # which does not know what became of it
        self.until("a command", lambda: len(self.commands()) == 2)
        self.report("a", "Unknown")
        self.again()  # nor does this one
        self.until_state("off")
        self.again()
        self.minutes(30)
        self.assertEqual((self.commands(), self.state()), (3 * ["off a"], "off"))
        self.api.put("v1", "Pod", pod("p", "", phase="Pending"), "default")
        self.until_state("booting")
        self.again()
        self.until("a command", lambda: "on a" in self.commands())
        self.report("a", "True")
        self.again()
        self.until_state("on")
        self.assertFalse(self.is_drained())
        self.assertEqual(set(self.commands()), {"off a", "on a"})

    def test_while_a_command_runs(self):
        """What runs ends by itself; the next operator gives the command again."""
        self.behave(f"test -e {self.folder}/go || exec sleep 60")
        self.operator = self.start()
        thread = threading.Thread(target=lambda: self.quietly(self.minutes, 10), daemon=True)
        thread.start()
        wait_until("a command", self.commands)
        self.operator.end()
        (self.folder / "go").touch()
        self.operator = self.start()
        thread.join(DEADLINE_S)
        self.until("a command", lambda: len(self.commands()) > 1)
        self.report("a", "Unknown")
        self.until_state("off")

    @staticmethod
    def quietly(call, *arguments):
        try:
            call(*arguments)
        except AssertionError:
            pass

    def test_the_end_waits_for_a_command(self):
        self.behave(f"sleep 1; touch {self.folder}/done")
        self.operator = self.start()
        thread = threading.Thread(target=lambda: self.quietly(self.minutes, 10), daemon=True)
        thread.start()
        wait_until("a command", self.commands)
        self.assertEqual(self.operator.finish(), 0)
        self.assertTrue((self.folder / "done").exists())

    def test_the_end_does_not_wait_for_ever(self):
        self.behave("trap '' TERM; while :; do sleep 60; done")
        self.operator = self.start()
        thread = threading.Thread(target=lambda: self.quietly(self.minutes, 10), daemon=True)
        thread.start()
        wait_until("a command", self.commands)
        self.assertEqual(self.operator.finish(), 0)


class Advice(Lives):
    def advise(self, *arguments, **how):
        operator = self.start(*arguments, **how)
        before = self.node()
        self.minutes(30)
        self.assertEqual(self.node(), before)
        self.assertEqual(self.commands(), [])
        wait_until("an Event", lambda: "WouldPowerOff" in self.events())
        self.assertEqual(self.events().count("WouldPowerOff"), 1)
        metrics = operator.metrics()
        self.assertEqual(
            metrics['joulie_operator_power_decided_nodes{action="switch-off"}'], 1
        )
        self.assertEqual(operator.log.count("WouldPowerOff"), 1)
        return operator

    def test_without_a_command_nothing_is_changed(self):
        self.advise(command=False)
        self.api.put("v1", "Pod", pod("p", "a"), "default")
        self.minutes(5)
        self.api.ask("/test/delete?resource=pods&namespace=default&name=p", "x")
        self.minutes(5)  # it is news again
        self.assertEqual((self.state(), self.is_drained()), ("on", False))

    def test_with_dry_run_nothing_is_changed(self):
        self.advise("--dry-run")

    def test_without_the_option_nothing_is_said(self):
        operator = self.start(power_off="false", command=False)
        self.minutes(30)
        self.assertNotIn("WouldPowerOff", self.events())
        self.assertNotIn("component=power", operator.log)


class All(Lives):
    names = ["a", "b", "c"]

    def all_off(self):
        for name in self.names:
            self.until(f"off {name}", lambda name=name: f"off {name}" in self.commands())
        for name in self.names:
            self.report(name, "Unknown")
        for name in self.names:
            self.until_state("off", name)

    def test_they_are_woken_when_it_is_switched_off(self):
        operator = self.start()
        self.all_off()
        operator.finish()
        self.start(power_off="false")
        self.until("commands", lambda: len(self.commands()) == 6)
        for name in self.names:
            self.report(name, "True")
        for name in self.names:
            self.until_state("on", name)
        self.minutes(30)
        self.assertEqual(len(self.commands()), 6)

    def test_a_bounded_number_runs_at_once(self):
        log = self.folder / "times"
        self.behave(f"echo begin >> {log}; sleep 0.2; echo end >> {log}")
        self.start("--power-off-commands-at-once", "2")
        self.all_off()
        running, most = 0, 0
        for line in log.read_text().splitlines():
            running += 1 if line == "begin" else -1
            most = max(most, running)
        self.assertEqual((running, most), (0, 2))

    def wake_all(self, *arguments):
        return self.start("--wake-all", *arguments)

    def test_all_are_woken_for_good(self):
        operator = self.start()
        self.all_off()
        operator.finish()
        self.api.ask("/test/writes")
        operator = self.wake_all()  # whatever POWER_OFF says
        self.until("commands", lambda: len(self.commands()) == 6)
        self.assertIsNone(operator.process.poll())
        for name in self.names:
            self.report(name, "True")
        self.end_by_itself(operator, 0)
        self.assertIn("every node is back", operator.log)
        for name in self.names:
            self.assertEqual((self.state(name), self.is_drained(name)), ("on", False))
        writes = [json.loads(line) for line in self.api.ask("/test/writes").splitlines()]
        self.assertEqual({write["resource"] for write in writes} - {"events"}, {"nodes"})

    def test_one_that_does_not_come_back_is_named(self):
        operator = self.start()
        self.all_off()
        operator.finish()
        operator = self.wake_all("--power-off-boot-timeout", "5m")
        self.until("commands", lambda: len(self.commands()) == 6)
        self.report("a", "True")
        self.report("c", "True")
        self.end_by_itself(operator, 1)
        self.assertIn("node b did not come back in time", operator.log)
        self.assertNotIn("node a did not", operator.log)

    def end_by_itself(self, operator, status):
        thread = threading.Thread(
            target=lambda: Restarts.quietly(self.minutes, 20), daemon=True
        )
        thread.start()
        self.assertEqual(operator.process.wait(DEADLINE_S), status, operator.log)

    def test_nothing_to_wake_is_good(self):
        operator = Operator(
            self,
            *("--kubeconfig", self.kubeconfig, "--wake-all"),
            *("--power-off-command", self.command),
        )
        self.assertEqual(operator.process.wait(DEADLINE_S), 0)
        self.assertEqual(self.commands(), [])

    def test_waking_needs_a_command(self):
        for arguments, problem in (
            ([], "POWER_OFF_COMMAND: WAKE_ALL needs it"),
            (["--power-off-command", self.command, "--dry-run"], "DRY_RUN: WAKE_ALL changes"),
        ):
            operator = Operator(self, "--kubeconfig", self.kubeconfig, "--wake-all", *arguments)
            self.assertEqual(operator.process.wait(DEADLINE_S), 2)
            self.assertIn(problem, operator.log)


class Options(unittest.TestCase):
    def test_every_setting_of_the_policy_is_an_option(self):
        asked = [RELEASE / "bin" / "joulie", "ask", "--describe", "policy.power-off"]
        said = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout
        settings = set(re.findall(r"(?m)^  powerOff\.(\w+)", said))
        table = (ROOT / "daemons" / "operator" / "options.c").read_text()
        self.assertIn("enabled", settings)
        self.assertEqual(set(re.findall(r'"powerOff\.(\w+)"', table)), settings)


if __name__ == "__main__":
    unittest.main()
