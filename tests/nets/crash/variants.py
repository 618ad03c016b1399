# SPDX-License-Identifier: Apache-2.0
"""What else can be wrong when a host is taken over from a dead process."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from functools import partial
from typing import Any, Callable, Iterator

from world import NONE, Broken, Command, Left, Spec, World

Case = Callable[[str], None]
RESCUE = Command("rescue")
OTHER_BOOT = "0b5c7d1e-6f44-4d8a-9a51-3f1f6d5f0c42"
ROOMS = (0, 1, 60, 130, 300, 500)  # bytes; a baseline makes two lines of about 85


def of(world: World, left: Left, past: list[Spec], spec: Spec) -> Iterator[tuple[str, Case]]:
    journal = left.journal()
    data = dict(left.state).get(journal) if journal is not None else None
    if journal is not None and data:
        for name, bad in damaged(data):
            yield name, partial(go_on, world, left.with_state(journal, bad), spec)
    reset = left.with_controls_of(world.pristine())
    yield "another boot: values kept", partial(other_boot, world, left, spec)
    yield "another boot: values reset", partial(other_boot, world, reset, spec)
    for now in (spec, NONE):
        for room in ROOMS:
            name = f"full disk: {room} bytes left, {now.name()}"
            yield name, partial(starved, world, left, past, now, {"room": str(room)})
        name = f"read-only state: {now.name()}"
        yield name, partial(starved, world, left, past, now, {"read_only": "1"})


# ---- the tail of the journal --------------------------------------------------------------------


def damaged(data: bytes) -> Iterator[tuple[str, bytes]]:
    body, _, last = data.removesuffix(b"\n").rpartition(b"\n")
    head = body + b"\n" if body else b""
    line = last + b"\n"
    whole = data if data.endswith(b"\n") else data + b"\n"
    for cut in sorted({1, len(line) // 2, len(line)}):
        yield f"truncated: {cut} bytes", data[: len(data) - cut]
    yield "duplicated", whole + line
    yield "duplicated: half a line", whole + line[: len(line) // 2]
    for at in sorted({0, 4, 8, len(last) // 2, len(last) - 1, len(last)}):
        for bit in (0, 6):
            if at < len(line):
                flipped = bytes([line[at] ^ (1 << bit)])
                if head == b"" and flipped.isdigit():
                    continue  # of the first line: another version, which is refused
                yield f"bit flipped: byte {at}", head + line[:at] + flipped + line[at + 1 :]


def go_on(world: World, left: Left, spec: Spec, title: str) -> None:
    for command in (Command("once", spec), Command("once", NONE), Command("restore"), RESCUE):
        world.load(left)
        what = f"{title}, {command.name()}"
        world.must_run(command)
        world.must_be_capped(command.spec, what)
        if command.program not in ("restore", "rescue"):
            world.must_run(Command("restore"))
        world.must_be_closed(what + ", restore")


# ---- another boot -------------------------------------------------------------------------------


def other_boot(world: World, left: Left, spec: Spec, title: str) -> None:
    """Values that a kexec kept are given back, those that firmware reset are left alone."""
    try:
        for command in (Command("once", spec), Command("once", NONE), Command("restore"), RESCUE):
            world.load(left)
            world.set_boot(OTHER_BOOT)
            what = f"{title}, {command.name()}"
            world.must_run(command)
            world.must_be_capped(command.spec, what)
            if command.program not in ("restore", "rescue"):
                world.must_run(Command("restore"))
            world.must_be_closed(what + ", restore")
    finally:
        world.set_boot(None)


# ---- a state folder that takes nothing ----------------------------------------------------------


def starved(
    world: World, left: Left, past: list[Spec], spec: Spec, crash: dict[str, str], title: str
) -> None:
    """No journal, no write: what is left stays or is given back, and later all is well."""
    for command in (Command("once", spec), Command("restore")):
        world.load(left)
        world.run(command, **crash)
        if command.spec == NONE:
            world.must_be([], f"{title}, {command.name()}")
        world.must_be([*past, command.spec], f"{title}, {command.name()}")
        world.must_run(Command("once", spec))
        world.must_be_capped(spec, f"{title}, with room again")
        world.must_run(Command("restore"))
        world.must_be_closed(f"{title}, with room again, restore")


# ---- disks that are really so -------------------------------------------------------------------

NO_INODE_LEFT = 'mount -t tmpfs -o size=4k,nr_inodes=2 none "$0" && exec "$@"'
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def small_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def code_of(world: World, before: list[str], command: Command, **options: Any) -> int:
    words = [*before, *world.command(command)]
    return subprocess.run(words, capture_output=True, check=False, **options).returncode


def can_mount() -> bool:
    probe = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0"', "/mnt"]
    if os.geteuid() != 0:
        return False
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def real_disks(world: World, spec: Spec) -> Iterator[str]:
    """The names of what was tried."""
    apply, restore = Command("apply", spec), Command("restore")
    world.load(world.pristine())
    if code_of(world, [], apply, preexec_fn=small_files) == 0:
        raise Broken("a limit of file sizes: apply says that all is well")
    world.must_be([], "a limit of file sizes")
    yield "files of at most 100 bytes"
    if not can_mount():
        return
    world.load(world.pristine())
    world.state.mkdir(mode=0o700)
    inside = ["unshare", "-m", "sh", "-c"]
    if code_of(world, [*inside, NO_INODE_LEFT, str(world.state)], apply) == 0:
        raise Broken("a full tmpfs: apply says that all is well")
    world.must_be([], "a full tmpfs")
    yield "a full tmpfs"
    world.must_run(apply)
    code_of(world, [*inside, READ_ONLY, str(world.state)], restore)
    world.must_be([], "a read-only mount")
    world.must_run(restore)
    world.must_be_closed("a read-only mount, restore")
    yield "a read-only mount"
