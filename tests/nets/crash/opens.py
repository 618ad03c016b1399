#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each open*() and accept4() of joulie-capd fails once, before and after its claim.

opens.py --build BUILD [--long] [--accept]: a life is what a joulie-capd finds and what its client asks for. It runs once
undisturbed, under crash.so, which counts the opens; then once for each of them, which fails with one of EMFILE, EACCES,
EIO, ENOENT in turn (--long: with each). After that

- either it refused to start, or its client: then it wrote nothing, and what an earlier process had capped is in its hands
  still (open in the journal, as it was), or was given back;
- or it went on: then at its end everything is as it was found, and the journal is closed. It gets no help for that.

How many opens there are before and after the claim, and what came of them, is kept in opens.json; fewer opens than there
fail, --accept writes what was found.
"""

from __future__ import annotations

import argparse
import errno
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Optional

from world import Broken, Left, Programs, World, journal_open

HERE = Path(__file__).resolve().parent
for folder in ("support", "programs/capd"):
    sys.path.insert(0, str(HERE.parents[1] / folder))

import capd_client  # noqa: E402
from capd_client import Client, Gone  # noqa: E402

KEPT = HERE / "opens.json"
ERRNOS = (errno.EMFILE, errno.EACCES, errno.EIO, errno.ENOENT)
CAP, LOWER = 164_000_000, 130_000_000
FREQUENCY = "cpufreq/policy0/max"
END_S = 60
LIVES = ("first", "successor", "heir", "listener")
WORKERS = 2


def begin(world: World, crash: dict[str, str], listens: bool) -> tuple["subprocess.Popen[bytes]", Optional[socket.socket]]:
    """A joulie-capd that gives back at once, over a pair of sockets or with a socket of its own."""
    world.record.unlink(missing_ok=True)
    at = ["--root", str(world.root), "--state-dir", str(world.state)]
    subprocess.run([str(world.programs.rescue), "--prepare", *at], env={}, check=True)
    path = world.folder / "socket"
    path.unlink(missing_ok=True)
    ours, theirs = (None, None) if listens else socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    more = ["--listen", str(path)] if listens else []
    capd = subprocess.Popen(
        [str(world.programs.capd), *at, "--takeover", "0", *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=open(world.folder / "capd.log", "wb"),
        env=world.environment(crash),
        preexec_fn=None if theirs is None else partial(os.dup2, theirs.fileno(), 3),
        close_fds=False,
    )
    if theirs is not None:
        theirs.close()
    while listens and not path.exists() and capd.poll() is None:
        time.sleep(0.002)
    return capd, ours


def connect(world: World, capd: "subprocess.Popen[bytes]") -> Optional[Client]:
    """None: it ended before it listened."""
    end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    while capd.poll() is None:
        try:
            end.connect(str(world.folder / "socket"))
            return Client(end)
        except OSError:
            time.sleep(0.002)
    return None


def says_hello(client: Client) -> bool:
    """Once more where it may."""
    try:
        return any(client.hello().code == 0 for _ in range(2))
    except (Gone, OSError):
        return False


def ask(client: Client) -> None:
    """What a life is made of; single things may fail."""
    client.apply((capd_client.KEY, CAP), (capd_client.OTHER, CAP))
    client.apply((FREQUENCY, 2_000_000), (capd_client.KEY, LOWER))
    for fd in client.ask(capd_client.ENERGY, b"package-0".ljust(64, b"\0"), 1).fds:
        os.close(fd)
    client.ask(capd_client.LIST)
    client.send(capd_client.BEAT)
    client.restore(capd_client.OTHER)


def is_clean(world: World) -> bool:
    try:
        world.must_be_closed("")
    except Broken:
        return False
    return True


def wait_until_clean(world: World, capd: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + END_S
    while not is_clean(world) and capd.poll() is None and time.monotonic() < end:
        time.sleep(0.005)


def run(world: World, life: str, left: Left, crash: dict[str, str]) -> bool:
    """Whether it went on; it has ended, or has nothing left to do."""
    world.load(left)
    listens = life in ("heir", "listener")
    capd, end = begin(world, crash, listens)
    client = connect(world, capd) if life == "listener" else Client(end) if end is not None else None
    try:
        went_on = capd.poll() is None if life == "heir" else client is not None and says_hello(client)
        if client is not None and went_on:
            ask(client)
        if client is not None:
            client.close()
        if listens and went_on:
            wait_until_clean(world, capd)
            went_on = life == "listener" or capd.poll() is None  # its socket is there before it is open
        else:
            capd.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        raise Broken("it does not end") from None
    finally:
        capd.kill()
        capd.wait()
    return went_on


def leave_caps(world: World) -> Left:
    """An earlier joulie-capd was killed, and its client with it."""
    world.load(world.pristine())
    capd, end = begin(world, {}, False)
    assert end is not None
    client = Client(end)
    client.hello()
    ask(client)
    capd.send_signal(signal.SIGKILL)
    capd.wait()
    client.close()
    return world.leave()


def start_of(world: World, life: str) -> Left:
    if life in ("successor", "heir"):
        return leave_caps(world)
    world.load(world.pristine())
    return world.pristine()


def open_keys(left: Left) -> dict[str, int]:
    journal = left.journal()
    return journal_open(dict(left.state)[journal] or b"") if journal else {}


def fail_once(world: World, life: str, left: Left, at: int, number: int) -> str:
    """What came of it, in a word."""
    title = f"{life}, open {at} fails with {errno.errorcode[number]}"
    try:
        went_on = run(world, life, left, {"CRASH_FAIL": str(at), "CRASH_ERRNO": str(number)})
    except Broken as error:
        raise Broken(f"{title}: {error}: {(world.folder / 'capd.log').read_text()}") from None
    if is_clean(world):
        return "gave back" if went_on or open_keys(left) else "refused"
    now = world.leave()
    if went_on or now.controls != left.controls or open_keys(now) != open_keys(left):
        raise Broken(f"{title}: {world.differing([])}, open {open_keys(now)}: {(world.folder / 'capd.log').read_text()}")
    return "refused"


# ---- all of it ----------------------------------------------------------------------------------

Task = tuple[str, Left, int, int]
world_of_worker: Optional[World] = None


def begin_worker(found: Programs) -> None:
    global world_of_worker
    world_of_worker = World("intel-2s", found)


def end_worker(_: int) -> None:
    time.sleep(0.1)  # so that each worker takes one
    assert world_of_worker is not None
    world_of_worker.close()


def work(task: Task) -> tuple[str, str]:
    life, left, at, number = task
    assert world_of_worker is not None
    try:
        return fail_once(world_of_worker, life, left, at, number), ""
    except Broken as error:
        return "fault", str(error)
    except Exception:  # a fault of the matrix itself
        return "fault", traceback.format_exc()


def run_all(found: Programs, is_long: bool) -> tuple[dict[str, dict[str, int]], list[str]]:
    now: dict[str, dict[str, int]] = {}
    faults: list[str] = []
    tasks: list[Task] = []
    world = World("intel-2s", found)
    try:
        for life in LIVES:
            left = start_of(world, life)
            if not run(world, life, left, {}) or not is_clean(world):
                raise Broken(f"{life}: undisturbed it does not come to its end")
            record = world.read_record()
            now[life] = {"before the claim": record.unclaimed, "after": record.opens - record.unclaimed}
            for at in range(1, record.opens + 1):
                numbers = ERRNOS if is_long else (ERRNOS[at % len(ERRNOS)],)
                tasks += [(life, left, at, number) for number in numbers]
    finally:
        world.close()
    results: Counter[tuple[str, str]] = Counter()
    context = multiprocessing.get_context("fork")
    with context.Pool(WORKERS, begin_worker, (found,)) as pool:
        for task, (word, fault) in zip(tasks, pool.imap(work, tasks, chunksize=4)):
            results[task[0], word] += 1
            faults += [fault] if fault else []
        pool.map(end_worker, range(WORKERS), chunksize=1)
    for life in LIVES:
        words = ", ".join(f"{results[life, word]} {word}" for word in ("refused", "gave back", "fault"))
        print(f"{life}: {now[life]['before the claim']} + {now[life]['after']} opens; {words}")
    return now, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, required=True, help="a release build")
    parser.add_argument("--accept", action="store_true", help="write opens.json")
    parser.add_argument("--long", action="store_true", help="each open with each errno")
    options = parser.parse_args()
    bin_ = options.build.resolve() / "bin"
    crash = options.build.resolve() / "lib" / "crash.so"
    found = Programs(bin_ / "crash_embedder", bin_ / "joulie-agent", bin_ / "joulie-rescue", bin_ / "joulie-capd", crash)
    start = time.monotonic()
    now, faults = run_all(found, options.long)
    if options.accept:
        KEPT.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    for life, counts in kept.items():
        for name, least in counts.items():
            if now.get(life, {}).get(name, 0) < least * 0.9:  # attempts at giving back move them a little
                faults.append(f"{life}: {now.get(life)} opens, opens.json has {counts}; if that is meant: --accept")
    opens = sum(sum(counts.values()) for counts in now.values())
    print(f"N = {opens} opens, each failed; {time.monotonic() - start:.0f} s")
    for fault in faults[:20]:
        print(f"FAULT {fault}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    sys.exit(main())
