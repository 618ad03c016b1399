# SPDX-License-Identifier: Apache-2.0
"""A recorded host in memory, the programs that cap it, and what must be true of its controls."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

import hosts  # noqa: E402

MEMORY = Path("/dev/shm")
NO_REQUEST_KHZ = "2147483647"  # what gives back a maximum nobody had lowered
BOOT_ID = "proc/sys/kernel/random/boot_id"
RECORD = struct.Struct("=QQQQQQQ65536s")  # struct record of crash.c
NODE = "n1"
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Programs:
    embedder: Path
    agent: Path
    rescue: Path
    capd: Path
    crash: Path  # crash.so


@dataclass(frozen=True)
class Spec:
    """What a NodeTwin asks of the CPUs: watts or percent of each package, or nothing."""

    watts: Optional[float] = None
    pct: Optional[float] = None

    def text(self) -> str:
        cpu: dict[str, float] = {}
        if self.watts is not None:
            cpu["packagePowerCapWatts"] = self.watts
        if self.pct is not None:
            cpu["packagePowerCapPctOfMax"] = self.pct
        spec = {"nodeName": NODE, "profile": "eco", **({"cpu": cpu} if cpu else {})}
        twin = {"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin", "metadata": {"name": NODE}}
        return json.dumps({**twin, "spec": spec})

    def name(self) -> str:
        if self.watts is not None:
            return f"{self.watts:g}w.json"
        return "none.json" if self.pct is None else f"{self.pct:g}pct.json"


NONE = Spec()


@dataclass(frozen=True)
class Record:
    """What crash.so saw of a process."""

    calls: int
    root_opens: int
    writes: int
    syncs: int
    reported: int
    kinds: str
    opens: int
    unclaimed: int  # of the opens, before the first lock

    def kind(self, call: int) -> str:
        return self.kinds[call - 1]


@dataclass(frozen=True)
class Left:
    """Everything that a dead process can leave behind: controls and state folder."""

    controls: tuple[tuple[str, bytes], ...]
    state: tuple[tuple[str, Optional[bytes]], ...]  # None: a folder

    def journal(self) -> Optional[str]:
        names = [name for name, _ in self.state if name.startswith("caps-")]
        return names[0] if names else None

    def with_state(self, name: str, data: bytes) -> "Left":
        files: dict[str, Optional[bytes]] = dict(self.state)
        files[name] = data
        return Left(self.controls, tuple(sorted(files.items())))

    def with_controls_of(self, other: "Left") -> "Left":
        return Left(other.controls, self.state)

    def shape(self) -> tuple[object, ...]:
        """Equal for equal situations: without the times in the journal."""
        files = []
        for name, data in self.state:
            lines = (data or b"").split(b"\n")
            files.append((name, tuple(line.rpartition(b" ")[0][9:] for line in lines)))
        return (self.controls, tuple(files))


class Broken(Exception):
    """A control is not what it must be."""


@dataclass
class Done:
    code: int  # negative: the signal
    out: str
    err: str
    record: Record


def journal_open(data: bytes) -> dict[str, int]:
    """Key to baseline of what docs/rules/enforcement.md#journal calls open; written apart from the library."""
    found: dict[str, int] = {}
    for line in data.split(b"\n")[:-1]:
        crc, _, text = line.partition(b" ")
        if crc != b"%08x" % zlib.crc32(text):
            continue
        op, key, value, *_ = text.decode("ascii").split(" ")
        if op == "restored":
            found.pop(key, None)
        elif op == "baseline":
            found.setdefault(key, int(value))
    return found


@dataclass
class World:
    host: str
    programs: Programs
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        memory = MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="joulie-crash-", dir=memory))
        self.root = self.folder / "root"
        self.state = self.folder / "state"
        self.record = self.folder / "record"
        self.target = self.folder / "spec.json"
        self.status = self.folder / "status.json"
        self.counts = self.folder / "counts"
        self.specs = self.folder / "specs"
        self.specs.mkdir()
        hosts.write_host(self.host, self.root)
        self.control_paths = sorted(
            path for path in hosts.tree_of(self.host).files if is_control(path)
        )
        self.original = self.controls()
        self.everything = self.tree()

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- what stands there ----

    def tree(self) -> dict[str, bytes]:
        return {path: (self.root / path).read_bytes() for path in hosts.tree_of(self.host).files}

    def controls(self) -> dict[str, str]:
        return {
            path: (self.root / path).read_text(encoding="ascii").strip()
            for path in self.control_paths
        }

    def is_original(self, path: str, value: str) -> bool:
        if value == self.original[path]:
            return True
        if not path.endswith("/scaling_max_freq"):
            return False
        limit = path.replace("/scaling_max_freq", "/cpuinfo_max_freq")
        is_whole = self.everything[limit].decode("ascii").strip() == self.original[path]
        return is_whole and value == NO_REQUEST_KHZ  # a kernel would read the maximum again

    def wanted(self, spec: Spec) -> dict[str, str]:
        """The controls that a spec caps, and their values."""
        out: dict[str, str] = {}
        for path in self.control_paths:
            if is_package_limit(path, self.everything):
                if spec.watts is not None:
                    out[path] = str(round(spec.watts * 1e6))
            elif spec.pct is not None and path.endswith("/scaling_max_freq"):
                folder = path.rpartition("/")[0]
                low = int(self.everything[f"{folder}/cpuinfo_min_freq"])
                high = int(self.everything[f"{folder}/cpuinfo_max_freq"])
                lowest = max(low, min(high, 1_500_000))
                throttle = int(100 - spec.pct + 0.5)
                out[path] = str(int(high - throttle / 100 * (high - lowest)))
        return out

    def differing(self, specs: list[Spec]) -> list[str]:
        """The controls that are neither original nor what one of the specs asks for."""
        wants = [self.wanted(spec) for spec in specs]
        return [
            f"{path} is {value}, was {self.original[path]}"
            for path, value in self.controls().items()
            if not self.is_original(path, value)
            and not any(want.get(path) == value for want in wants)
        ]

    def must_be(self, specs: list[Spec], what: str) -> None:
        wrong = self.differing(specs)
        if wrong:
            raise Broken(f"{what}: " + "; ".join(wrong))

    def must_be_capped(self, spec: Spec, what: str) -> None:
        now = self.controls()
        wrong = [
            f"{path} is {now[path]}, not {value}"
            for path, value in self.wanted(spec).items()
            if now[path] != value
        ]
        if wrong:
            raise Broken(f"{what}: " + "; ".join(wrong))
        self.must_be([spec], what)

    def must_be_closed(self, what: str) -> None:
        """Original, and nothing open in the journal of this boot."""
        self.must_be([], what)
        for file in self.state.glob("caps-*"):
            still = journal_open(file.read_bytes())
            if still:
                raise Broken(f"{what}: still open in the journal: {still}")

    def must_be_untouched(self) -> None:
        """The whole tree, apart from controls that mean the same."""
        for path, before in self.everything.items():
            now = (self.root / path).read_bytes()
            if now != before and not (
                path in self.original and self.is_original(path, now.decode("ascii").strip())
            ):
                raise Broken(f"{path} was changed: {now!r}, was {before!r}")

    # ---- from one moment to another ----

    def leave(self) -> Left:
        files: list[tuple[str, Optional[bytes]]] = []
        for path in sorted(self.state.rglob("*")):
            name = str(path.relative_to(self.state))
            files.append((name, None if path.is_dir() else path.read_bytes()))
        controls = ((path, (self.root / path).read_bytes()) for path in self.control_paths)
        return Left(tuple(controls), tuple(files))

    def load(self, left: Left) -> None:
        for path, data in left.controls:
            (self.root / path).write_bytes(data)
        shutil.rmtree(self.state, ignore_errors=True)
        if left.state:
            self.state.mkdir(mode=0o700)
        for name, kept in left.state:
            if kept is None:
                (self.state / name).mkdir(mode=0o700)
            else:
                (self.state / name).write_bytes(kept)
                (self.state / name).chmod(0o600)

    def pristine(self) -> Left:
        return Left(tuple((path, self.everything[path]) for path in self.control_paths), ())

    def set_boot(self, boot_id: Optional[str]) -> None:
        path = self.root / BOOT_ID
        path.chmod(0o644)
        path.write_bytes(self.everything[BOOT_ID] if boot_id is None else f"{boot_id}\n".encode())

    # ---- running ----

    def environment(self, crash: dict[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LD_PRELOAD": str(self.programs.crash),
            "CRASH_ROOT": str(self.root),
            "CRASH_STATE": str(self.state),
            "CRASH_RECORD": str(self.record),
            "CRASH_COUNTS": str(self.counts),
            "CRASH_TARGET": str(self.target),
            "CRASH_SPEEDUP": "200",
            **crash,
        }

    def write_spec(self, spec: Spec) -> Path:
        file = self.specs / spec.name()
        if not file.exists():
            file.write_text(spec.text(), encoding="utf-8")
        return file

    def command(self, what: "Command") -> list[str]:
        at = ["--root", str(self.root), "--state-dir", str(self.state)]
        if what.program == "rescue":
            return [str(self.programs.rescue), *at, "--wait", "0", "--timeout", "0"]
        spec = self.write_spec(what.spec)  # its own: it may be read while another command runs
        if what.later:
            spec = Path(shutil.copyfile(spec, self.target))
        if what.program in ("kept", "client"):
            return [
                *(str(self.programs.agent), *at, "--enforce", "--once", "--watchdog-timeout", "0s"),
                *("--spec", str(spec), "--status", str(self.status)),
                *("--counts-file", str(self.counts)),
            ]
        embedder = [str(self.programs.embedder), what.program, str(self.root), str(self.state), str(self.counts)]
        return embedder if what.program == "restore" else [*embedder, str(spec)]

    def start(self, what: "Command", crash: dict[str, str]) -> subprocess.Popen[str]:
        for index, spec in enumerate(what.later):
            self.write_spec(spec)
            shutil.copyfile(self.specs / spec.name(), self.specs / f"later-{index}")
        self.record.unlink(missing_ok=True)
        acts = ",".join(what.acts).replace("@", str(self.specs))
        return subprocess.Popen(
            self.command(what),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            close_fds=False,
            env=self.environment({**({"CRASH_ACTS": acts} if acts else {}), **crash}),
        )

    def finish(self, process: subprocess.Popen[str]) -> Done:
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.communicate()
            raise Broken(f"{process.args!r} did not end") from error
        return Done(process.returncode, out, err, self.read_record())

    def run(self, what: "Command", **crash: str) -> Done:
        names = {f"CRASH_{name.upper()}": value for name, value in crash.items()}
        if what.program == "kept":
            return self.run_kept(what, names)
        return self.finish(self.start(what, names))

    def run_kept(self, what: "Command", crash: dict[str, str]) -> Done:
        """A step of an agent for which joulie-capd writes, which is what is disturbed and counted.

        Its filter of system calls lets crash.so kill it by a signal of the kernel's only.
        """
        socket = self.folder / "capd.sock"
        socket.unlink(missing_ok=True)
        self.record.unlink(missing_ok=True)
        at = ["--root", str(self.root), "--state-dir", str(self.state)]
        subprocess.run([str(self.programs.rescue), "--prepare", *at], env={}, check=True)
        with open(self.folder / "capd.log", "w+", encoding="utf-8") as log:
            capd = subprocess.Popen(
                [str(self.programs.capd), *at, "--listen", str(socket), "--takeover", "3600", "--no-ramp"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment(crash),
            )
            try:
                self.wait_for(lambda: socket.exists() or capd.poll() is not None)
                client = subprocess.run(
                    [*self.command(what), "--capd-socket", str(socket)],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=60,
                    check=False,
                )
                is_victim = "CRASH_AT" in crash
                self.wait_for(lambda: capd.poll() is not None or not is_victim and self.is_lock_free())
            finally:
                capd.kill()
                code = capd.wait()
            log.seek(0)
            err = client.stderr + log.read()
        self.counts.unlink(missing_ok=True)  # of the client
        code = -signal.SIGKILL if is_victim and code in (-signal.SIGKILL, -signal.SIGSYS) else client.returncode
        return Done(code, client.stdout, err, self.read_record())

    @staticmethod
    def wait_for(is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not is_so():
            if time.monotonic() > end:
                raise Broken("joulie-capd does not come to an end")
            time.sleep(0.002)

    def is_lock_free(self) -> bool:
        """Its last call closes the lock."""
        try:
            with open(self.state / "writer.lock", "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def read_record(self) -> Record:
        if not self.record.exists():
            raise Broken("crash.so was not loaded")
        calls, root_opens, writes, syncs, reported, opens, unclaimed, kinds = RECORD.unpack(self.record.read_bytes())
        letters = kinds[:calls].decode("ascii")
        return Record(calls, root_opens, writes, syncs, reported, letters, opens, unclaimed)

    def must_run(self, what: "Command", **crash: str) -> Done:
        done = self.run(what, **crash)
        if done.code != 0:
            raise Broken(f"{what.name()} ended with {done.code}: {done.err or done.out}")
        return done


@dataclass(frozen=True)
class Command:
    # apply, restore, once, loop: of a program that embeds the library and writes itself; rescue;
    # kept: agent --once by way of a joulie-capd, which is what is disturbed; client: the same, and the agent is
    program: str
    spec: Spec = NONE
    acts: tuple[str, ...] = ()  # N:@/later-I or N:term
    later: tuple[Spec, ...] = ()

    def name(self) -> str:
        words = {
            "kept": "joulie-capd for agent --once",
            "client": "agent --once by way of joulie-capd",
        }
        spec = "" if self.program in ("restore", "rescue") else f" {self.spec.name().removesuffix('.json')}"
        return words.get(self.program, self.program) + spec


def is_control(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in ("enabled", "scaling_max_freq", "scaling_min_freq") or (
        name.startswith("constraint_") and name.endswith(("_power_limit_uw", "_time_window_us"))
    )


def is_package_limit(path: str, tree: dict[str, bytes]) -> bool:
    """long_term of a package of the intel-rapl control type."""
    folder, _, name = path.rpartition("/")
    if not name.endswith("_power_limit_uw") or "/intel-rapl/" not in path:
        return False
    kind = tree[f"{folder}/{name.removesuffix('power_limit_uw')}name"].strip()
    return kind == b"long_term" and tree[f"{folder}/name"].startswith(b"package-")


def stop_at(world: World, what: Command, call: int) -> Optional[subprocess.Popen[str]]:
    """Starts a command and waits until it stands before a call; None: it ended before."""
    process = world.start(what, {"CRASH_AT": str(call), "CRASH_HOW": "stop"})
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        return process
    process.returncode = os.waitstatus_to_exitcode(status)
    process.communicate()
    return None


def go_on(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGCONT)


def adopt_orphans() -> None:
    """Grandchildren whose parent dies become children of this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def wait_for_orphans(seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            if time.monotonic() > until:
                raise Broken("joulie-capd did not end")
            time.sleep(0.01)


# ---- what strace sees ---------------------------------------------------------------------------

STRACE_LINE = re.compile(r"^\d+ +(\w+)\((.*)$")
AT_FOLDER = re.compile(r"^(?:AT_FDCWD|\d+)<([^>]*)>(?:, \"([^\"]*)\")?")


def touches(call: str, arguments: str, folders: tuple[str, ...]) -> bool:
    """Whether a call is about something below the folders; opening a folder itself is not."""
    match = AT_FOLDER.match(arguments)
    if not match:
        return False
    start, name = match[1], match[2] or ""
    if name.startswith("/"):
        is_root_open = call != "mkdirat" and name in folders
        return not is_root_open and any((name + "/").startswith(folder + "/") for folder in folders)
    return any(start == folder or start.startswith(folder + "/") for folder in folders)


def strace_count(world: World, what: "Command") -> tuple[int, int, int]:
    """A command under strace instead of crash.so: calls in the folders, those before the command
    reported its own count, and that count."""
    trace = world.folder / "trace"
    command = ["strace", "-f", "-y", "-s", "4096", "-o", str(trace), *world.command(what)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"strace: {done.stderr}")
    folders = (str(world.root), str(world.state))
    seen = reported = 0
    for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
        match = STRACE_LINE.match(line)
        if match and f'"{world.counts}"' in match[2]:
            reported = seen
        seen += bool(match and touches(match[1], match[2], folders))
    words = dict(word.split("=") for word in world.counts.read_text(encoding="ascii").split())
    world.counts.unlink()
    return seen, reported, int(words["calls"])
