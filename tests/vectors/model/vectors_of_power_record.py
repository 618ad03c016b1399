# SPDX-License-Identifier: Apache-2.0
"""The cases of libjoulie-power-record-current.json, and how the question is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

from reference import power_record
from reference.power_off import Choice, Settings
from reference.power_record import Record, Seen
from vectors_of_power_off import WINDOW_S, settings_of, time_of

Case = dict[str, Any]
PREFIX = "joulie.io/power-"
TAINT = {"key": "joulie.io/powered-off", "effect": "NoSchedule"}
OTHER = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def node_of(record: Record, seen: Seen) -> Case:
    annotations = {}
    if record.state != "on":
        annotations = {PREFIX + "state": record.state, PREFIX + "since": time_of(record.for_s)}
        if record.reason:
            annotations[PREFIX + "reason"] = record.reason
        if record.boot:
            annotations[PREFIX + "boot-id"] = record.boot
    if record.failures:
        annotations[PREFIX + "failures"] = str(record.failures)
    node: Case = {"metadata": {"name": "a", "annotations": annotations}, "status": {}}
    if record.drained:
        node["spec"] = {"unschedulable": True, "taints": [OTHER, TAINT]}
    if seen.boot:
        node["status"]["nodeInfo"] = {"bootID": seen.boot}
    if seen.ready:
        ready = {"type": "Ready", "status": seen.ready}
        if seen.ready_for_s is not None:
            ready["lastTransitionTime"] = time_of(seen.ready_for_s)
        node["status"]["conditions"] = [{"type": "MemoryPressure", "status": "False"}, ready]
    return node


def question_of(
    record: Record, seen: Seen, settings: Settings, choice: Optional[Choice] = None
) -> Case:
    made: Case = {"node": node_of(record, seen), "now": time_of(0)}
    given = settings_of(replace(settings, window_s=WINDOW_S))
    if given:
        made["powerOff"] = given
    if seen.command:
        made["command"] = seen.command
    if seen.pods:
        made["hasPods"] = True
    if not seen.managed:
        made["managed"] = False
    if seen.silent:
        made["isSilent"] = True
    if choice:
        made["action"], made["reason"] = choice
    return made


def view_of(record: Record) -> Case:
    view: Case = {"state": record.state}
    if record.state != "on":
        view["since"] = time_of(record.for_s)
        if record.reason:
            view["reason"] = record.reason
    view["failures"], view["drained"] = record.failures, record.drained
    if record.state != "on" and record.boot:
        view["bootID"] = record.boot
    return view


def condition_of(status: str, reason: str, message: str) -> Case:
    return {"status": status, "reason": reason, "message": message}


def answer_of(
    record: Record, seen: Seen, settings: Settings, choice: Optional[Choice] = None
) -> Case:
    answer: Case = {
        "record": view_of(record),
        "condition": condition_of(*power_record.CONDITIONS[record.state]),
    }
    after = power_record.following(record, seen, settings, choice)
    if after:
        answer["next"] = view_of(after)
    run = power_record.command(record, seen)
    if run:
        answer["run"] = run
    return answer


def unreadable(name: str, fault: str, **annotations: str) -> Case:
    texts = {PREFIX + key.replace("_", "-"): text for key, text in annotations.items()}
    node = {"metadata": {"name": "a", "annotations": texts}, "spec": {"unschedulable": True}}
    return {
        "id": name,
        "question": "policy.power-record",
        "in": {"node": node, "now": time_of(0)},
        "out": {
            "record": {"fault": f"the annotation {PREFIX}{fault}"},
            "condition": condition_of("Unknown", "Unreadable", f"the annotation {PREFIX}{fault}"),
        },
    }


def case(
    name: str,
    record: Record,
    seen: Seen,
    choice: Optional[Choice] = None,
    settings: Settings = Settings(),
) -> Case:
    return {
        "id": name,
        "question": "policy.power-record",
        "in": question_of(record, seen, settings, choice),
        "out": answer_of(record, seen, settings, choice),
    }


def power_record_cases() -> list[Case]:
    stopping = Record("stopping", 60, "idle", 0, True, "one")
    off = Record("off", 600, "idle", 0, True, "one")
    booting = Record("booting", 120, "pods", 0, True, "one")
    left = Record("left-alone", 600, "boot-timeout", 3, True, "one")
    up, down = Seen("True", 7200, "one"), Seen("Unknown", 30, "one")
    again = Seen("True", 7200, "two")
    silent = Seen("True", 7200, "one", silent=True)
    since = "2026-03-13T11:00:00Z"
    own = Settings(stop_timeout_s=90, boot_timeout_s=60, most_failures=1)

    def but(seen: Seen, **members: Any) -> Seen:
        return power_record.replace(seen, **members)

    return [
        case("on", Record(), up),
        case("on-is-switched-off", Record(failures=1), up, ("switch-off", "idle")),
        case("no-boot-is-known", Record(), Seen(), ("switch-off", "idle")),
        case("drained-just-now", power_record.replace(stopping, for_s=4), up),
        case("drained-long-enough", power_record.replace(stopping, for_s=5), up),
        case("a-pod-came-in-time", stopping, but(silent, pods=True)),
        case("a-pod-came-after-the-command", stopping, but(silent, pods=True, command="given")),
        case("a-pod-came-and-who-knows", stopping, but(up, pods=True)),
        case("uncordoned", power_record.replace(stopping, drained=False), but(up, command="done")),
        case("out-of-scope", stopping, but(up, managed=False, command="done")),
        case("not-down-yet", stopping, but(up, command="done")),
        case("down", power_record.replace(stopping, failures=2), but(down, command="done")),
        case("down-by-itself", stopping, down),
        case("nobody-says-whether-it-is-down", stopping, Seen(command="done")),
        case("the-command-failed", stopping, but(up, command="failed")),
        case("the-last-failure", stopping, but(up, command="failed"), settings=own),
        case("stop-timeout", stopping, up, ("wake", "stop-timeout")),
        case("stop-timeout-gives-up", stopping, up, ("give-up", "stop-timeout"), own),
        case("woken-before-the-command", stopping, silent, ("wake", "pods")),
        case("woken-after-the-command", stopping, but(silent, command="done"), ("wake", "pods")),
        case("off", off, down),
        case("off-is-woken", off, down, ("wake", "reserve")),
        case("off-comes-back", off, again),
        case("off-and-uncordoned", power_record.replace(off, drained=False), down),
        case("off-with-a-pod", off, but(down, pods=True)),
        case("off-out-of-scope", off, but(down, managed=False)),
        case("booting", booting, down),
        case("another-boot", power_record.replace(booting, failures=2), again),
        case("the-same-boot", booting, up),
        case("the-same-boot-came-back", booting, but(up, ready_for_s=119)),
        case("ready-when-it-was-woken", booting, but(up, ready_for_s=120, boot=None)),
        case("ready-after-it-was-woken", booting, but(up, ready_for_s=119, boot=None)),
        case("ready-since-nobody-knows", booting, Seen("True")),
        case("nobody-says-whether-it-is-up", booting, Seen(command="given")),
        case("nobody-says-but-it-was-done", booting, Seen(command="done")),
        case("it-never-went", power_record.replace(booting, for_s=600, failures=1), up),
        case("it-may-still-go", power_record.replace(booting, for_s=599, failures=1), up),
        case("the-shorter-timeout", power_record.replace(booting, for_s=60), up, settings=own),
        case("power-on-failed", booting, but(down, command="failed")),
        case("boot-timeout", booting, down, ("wake", "boot-timeout")),
        case("left-alone", left, down),
        case("left-alone-works", left, up),
        case("left-alone-took-pods", power_record.replace(left, drained=False), up),
        unreadable("no-such-state", "state has none of its words", state="asleep", since=since),
        unreadable("on-is-no-record", "state has none of its words", state="on", since=since),
        unreadable("no-time", "since is missing or no time", state="off"),
        unreadable("no-such-time", "since is missing or no time", state="off", since="now"),
        unreadable("no-count", "failures is no count", state="off", since=since, failures="-1"),
        unreadable("no-number", "failures is no count", failures="x"),
    ]
