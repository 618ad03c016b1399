# SPDX-License-Identifier: Apache-2.0
"""What becomes of a node that is switched off (docs/rules/policy.md#power-records), worked out over
plain values; times are seconds before now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

from reference.power_off import Choice, Settings

DRAIN_S = 5
CONDITIONS = {  # by state: status, reason, message
    "on": ("False", "On", "The node is on."),
    "stopping": ("False", "Stopping", "The node is drained and about to be switched off."),
    "off": ("True", "Off", "The node is switched off, as nothing needs it."),
    "booting": ("False", "Booting", "The node was woken and is not back yet."),
    "left-alone": ("Unknown", "LeftAlone", "The node failed too often and is left alone."),
}


@dataclass(frozen=True)
class Record:
    state: str = "on"
    for_s: int = 0
    reason: Optional[str] = None
    failures: int = 0
    drained: bool = False
    boot: Optional[str] = None


@dataclass(frozen=True)
class Seen:
    """A node as its status and the model's memory show it."""

    ready: Optional[str] = None  # status of the condition; None = there is none
    ready_for_s: Optional[int] = None
    boot: Optional[str] = None
    command: Optional[str] = None
    pods: bool = False
    managed: bool = True
    silent: bool = False


def on(record: Record, proven: bool) -> Record:
    return Record(failures=0 if proven else record.failures)


def moved(record: Record, state: str, reason: Optional[str]) -> Record:
    return replace(record, state=state, reason=reason, for_s=0)


def failed(record: Record, reason: str, settings: Settings) -> Record:
    count = record.failures + 1
    state = "left-alone" if count >= settings.most_failures else "booting"
    return replace(moved(record, state, reason), failures=count)


def recall(record: Record, seen: Seen) -> Optional[str]:
    if seen.pods:
        return "pods"
    if not record.drained:
        return "uncordoned"
    return None if seen.managed else "disabled"


def taken_back(record: Record, seen: Seen, reason: str) -> Record:
    if record.state == "stopping" and seen.silent and seen.command is None:
        return on(record, False)
    return moved(record, "booting", reason)


def is_back(record: Record, seen: Seen) -> bool:
    if seen.ready is None:
        return seen.command == "done"
    if seen.ready != "True":
        return False
    if record.boot and seen.boot and record.boot != seen.boot:
        return True
    return seen.ready_for_s is not None and seen.ready_for_s < record.for_s


def settled(record: Record, seen: Seen, settings: Settings) -> Optional[Record]:
    """What it becomes by itself; None = it stays."""
    why = recall(record, seen)
    if record.state == "stopping":
        if seen.command == "failed":
            return failed(record, "command-failed", settings)
        if why:
            return taken_back(record, seen, why)
        if seen.command == "done" and seen.ready != "True":
            return replace(moved(record, "off", record.reason), failures=0)
    elif record.state == "off":
        if seen.ready == "True":
            return on(record, True)
        if why:
            return moved(record, "booting", why)
    elif record.state == "booting":
        if is_back(record, seen):
            return on(record, True)
        patience = min(settings.stop_timeout_s, settings.boot_timeout_s)
        if seen.ready == "True" and record.for_s >= patience:
            return on(record, False)
        if seen.command == "failed":
            return failed(record, "command-failed", settings)
    elif record.state == "left-alone":
        if record.drained and seen.ready == "True":
            return replace(record, drained=False)
    return None


def following(
    record: Record, seen: Seen, settings: Settings, choice: Optional[Choice]
) -> Optional[Record]:
    own = settled(record, seen, settings)
    if choice is None:
        return own
    record = own or record
    action, reason = choice
    if action == "switch-off":
        return replace(moved(record, "stopping", reason), drained=True, boot=seen.boot)
    if reason in ("stop-timeout", "boot-timeout"):
        return failed(record, reason, settings)
    return taken_back(record, seen, reason)


def command(record: Record, seen: Seen) -> Optional[str]:
    if record.state == "booting":
        return "wake"
    if record.state == "stopping" and not recall(record, seen) and record.for_s >= DRAIN_S:
        return "switch-off"
    return None
