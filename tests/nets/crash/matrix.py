#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills who writes before every system call that touches host or journal, and looks what is left.

matrix.py --build BUILD: a scenario is a row of commands over a recorded host: of a program that embeds the library and
writes itself, of joulie-rescue, and of agent --once for which joulie-capd writes. Each command runs
once undisturbed, under crash.so, which counts its calls; then once for each call N, killed before
N, and for each write to the journal once more with half of the bytes written. What the dead
process left is started again in four ways: with the spec that was in force, with one that asks
for nothing, by a restore, and by joulie-rescue. After each, every control must be at its original value
or under a cap that this spec asks for; at the end everything must be original and the journal
closed. Controls and state folder are all that a process leaves: where they are equal to those of
another N of the same command (most calls only read), they are not started a second time.

Situations that differ (variants.py) are started again with a damaged journal tail, another boot
id, a full disk, a state folder that is read-only; each command is stopped before calls while a
second one runs. An agent is also killed at each of its own calls while its joulie-capd lives, which gives back.

The numbers are kept in counts.json; fewer than there fails, --accept writes what was found.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import time
import traceback
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import variants
from world import (
    NONE,
    Broken,
    Command,
    Left,
    Programs,
    Spec,
    World,
    adopt_orphans,
    go_on,
    stop_at,
    strace_count,
    wait_for_orphans,
)

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "counts.json"
WORKERS = 2
EXACT = ("kill", "torn", "together", "client killed")  # the others move a little with the timing of the loop
JOURNAL_WRITE = "j"  # kinds of calls, letters of crash.c
WRITES = "jwsmxu"  # what may change something that stays: writes, syncs, renames, cuts


@dataclass(frozen=True)
class Scenario:
    name: str
    host: str
    commands: tuple[Command, ...]
    other: Spec = Spec(watts=150)  # what another process asks for meanwhile


W120, W90 = Spec(watts=120), Spec(watts=90)
P60, P70, P80 = Spec(pct=60), Spec(pct=70), Spec(pct=80)


def commands_of(first: Spec, second: Spec) -> tuple[Command, ...]:
    return (Command("apply", first), Command("apply", second), Command("restore"))


def agents_of(first: Spec, second: Spec) -> tuple[Command, ...]:
    return (Command("once", first), Command("once", second), Command("once", NONE))


RESCUE = Command("rescue")

SCENARIOS = (
    Scenario("commands", "intel-2s", commands_of(W120, W90)),
    Scenario("agent", "intel-2s", agents_of(W120, W90)),
    Scenario("loop", "intel-2s", (Command("loop", W120),)),
    Scenario("frequencies", "amd-unknown", agents_of(P60, P80), P70),
    Scenario("rescue", "intel-2s", (Command("apply", W120), RESCUE)),
    Scenario("rescue of frequencies", "amd-unknown", (Command("once", P60), RESCUE), P70),
    Scenario("capd", "intel-2s", (Command("kept", W120), Command("kept", NONE))),
    Scenario("client", "intel-2s", (Command("client", W120), Command("client", W90), Command("client", NONE))),
)

# ---- one process that dies ----------------------------------------------------------------------


@dataclass
class Before:
    """A command of a scenario, what stands before it, and what it did undisturbed."""

    scenario: int
    step: int
    left: Left
    command: Command
    before: Spec  # what was in force when it began
    specs: tuple[Spec, ...]  # what can be in force while it runs
    calls: int
    kinds: str

    def title(self) -> str:
        return f"{SCENARIOS[self.scenario].name}, {self.command.name()}"


def last_spec(before: Before) -> Spec:
    return before.specs[-1]


def check_again(world: World, left: Left, spec: Spec, title: str) -> None:
    """The ways to go on, each from what was left."""
    for command in (Command("once", spec), Command("once", NONE), Command("restore"), RESCUE):
        world.load(left)
        what = f"{title}, then {command.name()}"
        world.must_run(command)
        world.must_be_capped(command.spec, what)
        if command.program not in ("restore", "rescue"):
            world.must_run(Command("restore"))
        world.must_be_closed(what + ", restore")


checked: set[Any] = set()  # what was left by dead processes and looked at, by this worker


def kill(world: World, before: Before, call: int, how: str) -> Left:
    world.load(before.left)
    done = world.run(before.command, at=str(call), how=how)
    title = f"{before.title()}, {how} at call {call} of {before.calls}"
    if done.code != -9:
        raise Broken(f"{title}: it ended with {done.code}, not by the signal: {done.err}")
    world.must_be([before.before, *before.specs], title)
    left = world.leave()
    key = (before.scenario, before.step, left.shape())
    if before.kinds[call - 1] in WRITES or key not in checked:
        check_again(world, left, last_spec(before), title)
        checked.add(key)
    return left


def together(world: World, before: Before, call: int) -> None:
    """Two at once: one stands before a call while another runs from start to end."""
    title = f"{before.title()}, stopped at call {call}"
    other = SCENARIOS[before.scenario].other
    world.load(before.left)
    first = stop_at(world, before.command, call)
    if first is None:
        raise Broken(f"{title}: it ended before")
    record = world.record.read_bytes()
    try:
        controls = world.controls()
        second = world.run(Command("once", other))
        if second.code == 1 and world.controls() != controls:
            raise Broken(f"{title}: the second was refused and wrote all the same")
        if second.code not in (0, 1):
            raise Broken(f"{title}: the second ended with {second.code}: {second.err}")
    finally:
        world.record.write_bytes(record)
        go_on(first)
        done = world.finish(first)
    if done.code != 0:
        raise Broken(f"{title}: went on and ended with {done.code}: {done.err}")
    world.must_be([*before.specs, before.before, other], title)
    world.must_run(Command("restore"))
    world.must_be_closed(title + ", restore")


def client_dies(world: World, before: Before, call: int) -> None:
    """An agent that is gone: joulie-capd, which it started, gives everything back, and ends."""
    title = f"{before.title()}, killed at call {call} of {before.calls}"
    world.load(before.left)
    adopt_orphans()
    done = world.run(before.command, at=str(call))
    if done.code != -9:
        raise Broken(f"{title}: it ended with {done.code}")
    world.must_be([before.before, *before.specs], title)
    wait_for_orphans(60)
    is_over = before.kinds[call - 1 :].strip("c") == ""  # it has said that everything is to stay
    if world.leave().shape() != before.left.shape() and not is_over:  # or had not started it yet
        world.must_be_closed(title)
    world.must_run(Command("restore"))
    world.must_be_closed(title + ", restore")


# ---- workers ------------------------------------------------------------------------------------

Task = tuple[str, Before, int, int]  # what to do, for calls from, to

worlds: dict[str, World] = {}
programs: Optional[Programs] = None


def begin_worker(found: Programs) -> None:
    global programs
    programs = found


def world_of(host: str) -> World:
    if host not in worlds:
        assert programs is not None
        worlds[host] = World(host, programs)
    return worlds[host]


@dataclass
class Outcome:
    cases: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    lefts: list[Left] = field(default_factory=list)

    def count(self, name: str, cases: int = 1) -> None:
        self.cases[name] = self.cases.get(name, 0) + cases

    def attempt(self, name: str, case: Callable[[], None]) -> None:
        self.count(name)
        try:
            case()
        except (Broken, OSError) as error:
            self.faults.append(str(error))
        except Exception:  # a fault of the matrix itself
            self.faults.append(traceback.format_exc())


def kill_one(world: World, before: Before, call: int, how: str, out: Outcome) -> None:
    out.attempt(how, lambda: out.lefts.append(kill(world, before, call, how)))


def is_worth_meeting(before: Before, call: int) -> bool:
    """Every call from the state folder on; of those before, which only read, each eighth."""
    return call % 8 == 0 or call >= before.kinds.index("f") - 8  # f: flock


def work(task: Task) -> Outcome:
    what, before, first, last = task
    world = world_of(SCENARIOS[before.scenario].host)
    out = Outcome()
    for call in range(first, last + 1):
        if what == "together" and is_worth_meeting(before, call):
            out.attempt("together", partial(together, world, before, call))
        if what == "together":
            continue
        if what == "client" and (before.step == 0 or call % 8 == 0):
            out.attempt("client killed", partial(client_dies, world, before, call))
        if what == "client":
            continue
        kill_one(world, before, call, "kill", out)
        if before.kinds[call - 1] == JOURNAL_WRITE:
            kill_one(world, before, call, "torn", out)
    try:
        world.load(world.pristine())
        world.must_be_untouched()
    except Broken as error:
        out.faults.append(f"{before.title()}, calls {first} to {last}: {error}")
    return out


def work_variant(task: tuple[Before, Left]) -> Outcome:
    before, left = task
    world = world_of(SCENARIOS[before.scenario].host)
    out = Outcome()
    for name, case in variants.of(world, left, [before.before, *before.specs], last_spec(before)):
        title = f"{before.title()}, {name}"
        out.attempt(name.split(":")[0], partial(case, title))
    return out


def close_worlds(_: int) -> None:
    time.sleep(0.1)  # so that each worker takes one
    for world in worlds.values():
        world.close()
    worlds.clear()


# ---- the undisturbed run ------------------------------------------------------------------------


def add_acts(world: World, command: Command) -> Command:
    """A loop gets its new specs and its end before given calls, which makes its calls countable.

    Found by a run that ends at call 1: start-up and a tick of it are what one step takes.
    """
    if command.program != "loop":
        return command
    world.load(world.pristine())
    start = world.must_run(Command("once", command.spec)).record.calls
    world.must_run(Command("restore"))
    acts = (f"{start + 10}:@/later-0", f"{start + 150}:@/later-1", f"{start + 260}:term")
    return Command("loop", command.spec, acts, (W90, NONE))


def undisturbed(world: World, index: int, faults: list[str]) -> Iterator[Before]:
    scenario = SCENARIOS[index]
    spec = NONE
    left = world.pristine()
    for step, plain in enumerate(scenario.commands):
        command = add_acts(world, plain)
        world.load(left)
        done = world.must_run(command)
        specs = (command.spec, *command.later)
        title = f"{scenario.name}, {command.name()}"
        if not command.acts:
            world.must_be_capped(specs[-1], title)
        else:
            world.must_be_closed(title)
        check_counts(world, command, done.record, title, faults)
        yield Before(index, step, left, command, spec, specs, done.record.calls, done.record.kinds)
        spec = specs[-1]
        left = world.leave()
    world.load(left)
    world.must_run(Command("restore"))
    world.must_be_closed(f"{scenario.name}, at the end")
    world.must_be_untouched()


def check_strace(world: World, faults: list[str]) -> None:
    """One command once more, counted by strace: all three counts are the same."""
    if shutil.which("strace") is None:
        print("strace is not installed: nobody confirms the counts of crash.so")
        return
    command = Command("once", W120)
    world.load(world.pristine())
    record = world.must_run(command).record
    world.load(world.pristine())
    seen, reported, own = strace_count(world, command)
    world.must_run(Command("restore"))
    ours = record.calls - record.root_opens
    words = (
        f"{command.name()}: strace saw {seen} calls, crash.so {ours}; until the program reported its "
        f"own count {reported} and {record.reported}, by itself {own}"
    )
    print(words)
    if seen != ours or not reported == record.reported == own:
        faults.append(words)


def check_counts(
    world: World, command: Command, record: Any, title: str, faults: list[str]
) -> None:
    """The program counts the same calls (joulie_host_counts); opening a folder is not one."""
    if not world.counts.exists():
        if command.program not in ("rescue", "kept", "client"):
            faults.append(f"{title}: it wrote no --counts-file")
        return
    words = dict(word.split("=") for word in world.counts.read_text(encoding="ascii").split())
    world.counts.unlink()
    if command.program == "client":
        return  # it reads energy by descriptors that it was given, which crash.so does not see
    ours = {"calls": record.reported, "writes": record.writes, "syncs": record.syncs}
    if {name: int(words[name]) for name in ours} != ours:
        faults.append(f"{title}: crash.so counted {ours}, the program {words}")


# ---- all of it ----------------------------------------------------------------------------------


def chunks(before: Before, what: str, size: int = 16) -> list[Task]:
    starts = range(1, before.calls + 1, size)
    return [(what, before, first, min(first + size - 1, before.calls)) for first in starts]


def distinct(found: list[tuple[Before, Left]]) -> list[tuple[Before, Left]]:
    seen: set[Any] = set()
    out = []
    for before, left in found:
        key = (before.scenario, before.step, left.shape())
        if key not in seen:
            seen.add(key)
            out.append((before, left))
    return out


@dataclass
class Total:
    cases: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        for name, count in outcome.cases.items():
            self.cases[name] = self.cases.get(name, 0) + count
        self.faults += outcome.faults


def run_all(found: Programs, only: Optional[str]) -> tuple[dict[str, list[int]], Total]:
    total = Total()
    calls: dict[str, list[int]] = {}
    befores: list[Before] = []
    begin_worker(found)
    for index, scenario in enumerate(SCENARIOS):
        if only not in (None, scenario.name):
            continue
        world = World(scenario.host, found)
        try:
            steps = list(undisturbed(world, index, total.faults))
            calls[scenario.name] = [before.calls for before in steps]
            befores += steps
            if scenario.name == "agent":
                check_strace(world, total.faults)
                disks = list(variants.real_disks(world, W120))
                total.cases["real disks"] = len(disks)
                print("disks: " + ", ".join(disks))
        except Broken as error:
            total.faults.append(str(error))
        finally:
            world.close()
    is_client = [before.command.program == "client" for before in befores]
    tasks = [
        task
        for before, is_its_client in zip(befores, is_client)
        for task in chunks(before, "client" if is_its_client else "kill")
    ]
    tasks += [
        task
        for before in befores
        if SCENARIOS[before.scenario].name in ("agent", "frequencies")
        for task in chunks(before, "together")
    ]
    lefts: list[tuple[Before, Left]] = []
    context = multiprocessing.get_context("fork")
    with context.Pool(WORKERS, begin_worker, (found,)) as pool:
        for task, outcome in zip(tasks, pool.imap(work, tasks)):
            total.add(outcome)
            lefts += [(task[1], left) for left in outcome.lefts]
        situations = distinct(lefts)
        total.cases["situations"] = len(situations)
        for outcome in pool.imap_unordered(work_variant, situations):
            total.add(outcome)
        pool.map(close_worlds, range(WORKERS), chunksize=1)
    return calls, total


def compare(calls: dict[str, list[int]], total: Total, accept: bool) -> Iterator[str]:
    cases = {name: n for name, n in sorted(total.cases.items()) if name != "real disks"}
    now = {"calls": calls, "cases": cases}
    if accept:
        COUNTS.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
        return
    kept = json.loads(COUNTS.read_text(encoding="utf-8"))
    how = "; if that is meant: tests/nets/crash/matrix.py --build BUILD --accept"
    for name, steps in kept["calls"].items():
        if sum(calls.get(name, [])) < sum(steps):
            yield f"{name}: {calls.get(name)} calls, counts.json has {steps}{how}"
    for name, count in kept["cases"].items():
        least = count if name in EXACT else count * 0.9
        if total.cases.get(name, 0) < least:
            yield f"{name}: {total.cases.get(name, 0)} cases, counts.json has {count}{how}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, required=True, help="a release build")
    parser.add_argument("--accept", action="store_true", help="write counts.json")
    parser.add_argument("--only", metavar="SCENARIO")
    options = parser.parse_args()
    build = options.build.resolve()
    binaries = build / "bin"
    found = Programs(
        binaries / "crash_embedder",
        binaries / "joulie-agent",
        binaries / "joulie-rescue",
        binaries / "joulie-capd",
        build / "lib" / "crash.so",
    )
    missing = [str(path) for path in vars(found).values() if not path.exists()]
    if missing:
        print(f"not built: {', '.join(missing)}", file=sys.stderr)
        return 2
    start = time.monotonic()
    calls, total = run_all(found, options.only)
    if options.only is None and not total.faults or options.accept:
        total.faults += compare(calls, total, options.accept)
    for name, steps in calls.items():
        print(f"{name}: {' + '.join(map(str, steps))} calls")
    words = ", ".join(f"{name} {count}" for name, count in sorted(total.cases.items()))
    points = sum(map(sum, calls.values()))
    print(f"N = {points} calls, each killed; cases: {words}; {time.monotonic() - start:.0f} s")
    for fault in total.faults[:40]:
        print(f"FAULT {fault}")
    print(f"{len(total.faults)} faults")
    return 1 if total.faults else 0


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    sys.exit(main())
