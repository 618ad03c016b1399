# SPDX-License-Identifier: Apache-2.0
"""A machine that is a folder, joulie-capd over it, and its clients: packets put together by this
file from docs/rules/enforcement.md#packets, and not by the library."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from checkout import DEV, RELEASE, ROOT
from waiting import wait_until

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

import hosts  # noqa: E402

HELLO, LIST, APPLY, RESTORE, ENERGY, BEAT, LEAVE = range(1, 8)
GROUP, MAY_ENABLE, GIVE_BACK_MAXIMUM = 1, 2, 4
VERIFIED, DISAGREES, LOCKED, REFUSED, DENIED, LOST, FAILED, REVERTED, UNBOUNDED = range(9)
FOUND, TRIED, BACK, HAD_BEFORE, TAKEN = 1, 2, 4, 8, 16
IO, CONFLICT, UNSUPPORTED, PARSE, NOT_FOUND = -12, -10, -11, -3, -14
HEAD = struct.Struct("=6I")
RESULT = struct.Struct("=iI256s")
TERMS = struct.Struct("=dII")
ENTRY = struct.Struct("=64s72sQQqII")
MADE = struct.Struct("=QQQQQQQqIIIIII")
GIVEN = struct.Struct("=QQQII")

POWERCAP = "sys/devices/virtual/powercap/intel-rapl"
LIMIT = POWERCAP + "/intel-rapl:{}/constraint_0_power_limit_uw"
KEY, OTHER = "rapl/package-0/long_term", "rapl/package-1/long_term"
ORIGINAL = 205_000_000
REPLY_S = 60.0


@dataclass
class Reply:
    kind: int
    count: int
    code: int
    total: int
    message: str
    items: bytes
    fds: list[int]

    def of(self, form: struct.Struct) -> list[tuple[int, ...]]:
        assert len(self.items) == form.size * self.count, (len(self.items), self.count)
        return list(form.iter_unpack(self.items))


class Gone(Exception):
    """The other end closed the connection."""


class Client:
    def __init__(self, end: socket.socket) -> None:
        end.settimeout(REPLY_S)
        self.end = end

    def send(self, kind: int, items: bytes = b"", count: int = 0, flags: int = 0, first: int = 0) -> None:
        self.end.send(HEAD.pack(1, kind, flags, count, first, 0) + items)

    def receive(self) -> Reply:
        try:
            packet, fds, _, _ = socket.recv_fds(self.end, 1 << 17, 4)
        except ConnectionResetError:  # something of ours was not read; what was said before is still there
            packet, fds, _, _ = socket.recv_fds(self.end, 1 << 17, 4)
        if not packet:
            raise Gone
        version, kind, _, count, _, _ = HEAD.unpack_from(packet)
        code, total, message = RESULT.unpack_from(packet, HEAD.size)
        assert version == 1
        text = message.rstrip(b"\0").decode()
        return Reply(kind, count, code, total, text, packet[HEAD.size + RESULT.size :], fds)

    def ask(self, kind: int, items: bytes = b"", count: int = 0, flags: int = 0, first: int = 0) -> Reply:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # what it said before it closed is there
            self.send(kind, items, count, flags, first)
        reply = self.receive()
        assert reply.kind == kind, (reply.kind, kind)
        return reply

    def hello(self, owner: str = "api") -> Reply:
        return self.ask(HELLO, owner.encode().ljust(72, b"\0"), 1)

    def apply(self, *values: tuple[str, int], flags: int = 0) -> list[tuple[int, ...]]:
        """Of each item: value, before, read back, wrote, has."""
        items = b"".join(key.encode().ljust(64, b"\0") + struct.pack("=Q", n) for key, n in values)
        reply = self.ask(APPLY, items, len(values), flags)
        assert reply.code == 0, reply.message
        return [(row[0], row[1], row[2], row[10], row[13]) for row in reply.of(MADE)]

    def restore(self, *keys: str) -> Reply:
        return self.ask(RESTORE, b"".join(key.encode().ljust(64, b"\0") for key in keys), len(keys))

    def open_keys(self) -> list[str]:
        found: list[str] = []
        while True:
            reply = self.ask(LIST, first=len(found))
            found += [row[0].rstrip(b"\0").decode() for row in reply.of(ENTRY)]  # type: ignore[attr-defined]
            if len(found) >= reply.total:
                return found

    def is_closed(self, within_s: float = REPLY_S) -> bool:
        """Whether the connection ended without one more packet."""
        readable, _, _ = select.select([self.end], [], [], within_s)
        try:
            return bool(readable) and self.end.recv(1 << 17) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.end.close()


class Machine(unittest.TestCase):
    HOST = "intel-2s"
    BUILD = DEV

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.root = self.folder / "machine"
        hosts.write_host(self.HOST, self.root)
        self.state = self.root / "var/lib/joulie"
        self.log = open(self.folder / "log", "w+b")  # pylint: disable=consider-using-with
        self.addCleanup(self.log.close)

    # ---- the machine ----

    def path(self, package: int = 0) -> Path:
        return self.root / LIMIT.format(package)

    def limit(self, package: int = 0) -> int:
        return int(self.path(package).read_text())

    def wait_for_limit(self, value: int, package: int = 0) -> None:
        wait_until(lambda: f"{self.limit(package)}\n{self.said()}", lambda: self.limit(package) == value)

    def said(self) -> str:
        return (self.folder / "log").read_text()

    def boot(self) -> str:
        return (self.root / "proc/sys/kernel/random/boot_id").read_text().strip()

    def journal(self) -> str:
        return (self.state / f"caps-{self.boot()}").read_text()

    def must_be_free(self) -> None:
        """Nobody holds the machine."""
        with (self.state / "writer.lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    # ---- programs ----

    def begin(self, words: Sequence[object], end: Optional[socket.socket] = None) -> "subprocess.Popen[bytes]":
        def become_child() -> None:
            if end is not None:
                os.dup2(end.fileno(), 3)

        process = subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stderr=self.log,
            preexec_fn=become_child,
            close_fds=False,
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process: "subprocess.Popen[bytes]") -> None:
        if process.poll() is None:
            process.kill()
        process.wait()
        self.assertNotIn("Sanitizer", self.said())

    def prepare(self) -> int:
        """What joulie-rescue does before joulie-capd starts; the exit status."""
        words = [self.BUILD / "bin/joulie-rescue", "--prepare", "--wait", "0", "--root", self.root]
        done = subprocess.run([str(word) for word in words], check=False, stdout=self.log, stderr=self.log, timeout=120)
        return done.returncode

    def program(self, *arguments: object) -> list[object]:
        return [self.BUILD / "bin" / "joulie-capd", "--root", self.root, *arguments]

    def start(self, *arguments: object, before: Sequence[object] = ()) -> tuple["subprocess.Popen[bytes]", Client]:
        """As a client does: over a pair of sockets, its end is descriptor 3."""
        self.prepare()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(ours.close)
        with theirs:
            process = self.begin([*before, *self.program(*arguments)], theirs)
        return process, Client(ours)

    def listen(self, *arguments: object) -> "subprocess.Popen[bytes]":
        self.prepare()
        process = self.begin(self.program("--listen", self.folder / "socket", *arguments))
        self.connect().close()
        return process

    def connect(self) -> Client:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(end.close)

        def is_connected() -> bool:
            try:
                end.connect(str(self.folder / "socket"))
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            return True

        wait_until(self.said, is_connected)
        return Client(end)

    def must_end(self, process: "subprocess.Popen[bytes]", status: int = 0) -> None:
        self.assertEqual(process.wait(timeout=120), status, self.said())

    def stop(self, process: "subprocess.Popen[bytes]") -> None:
        process.send_signal(signal.SIGSTOP)
        wait_until("stopped", lambda: self.state_of(process.pid) == "T")

    def state_of(self, pid: int) -> str:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
