# SPDX-License-Identifier: Apache-2.0
"""One machine and the caps on it: include/joulie/host.h."""

from __future__ import annotations

import ctypes
import json
import os
import time
import weakref
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional, Union

from . import _native, abi
from ._errors import Error, RangeError
from ._native import Document

Path = Union[str, "os.PathLike[str]"]
Log = Callable[[str, str, str], None]

OPTIONS = _native.Bits(abi.HostHas, abi.HostOptions)
ZONE = _native.Bits(abi.HostZoneHas, abi.HostZone)
PACKAGE = _native.Bits(abi.HostPackageHas, abi.HostPackage)
WRITE = _native.Bits(abi.HostWriteHas, abi.HostWrite)
POLICY = _native.Bits(abi.HostPolicyHas, abi.HostPolicy)
DVFS = _native.Bits(abi.HostDvfsHas, abi.HostDvfs)


class Entry(NamedTuple):
    """One file or folder of Host.snapshot()."""

    path: str
    data: bytes
    mode: int
    is_folder: bool
    is_link: bool


def _path_bytes(path: Path, what: str) -> bytes:
    """A path as the system spells it: its bytes need not be UTF-8."""
    spelled = os.fsencode(path)
    if b"\0" in spelled:
        raise ValueError(f"{what} must not contain a NUL character")
    return spelled


def _texts(struct: Any, *names: str) -> dict[str, str]:
    """Those that are there, before the handle is used again."""
    return {
        name: _native.text_of(getattr(struct, name)) for name in names if getattr(struct, name)
    }


def _word(value: Any) -> str:
    return str(value.name.lower())


def _log_function(log: Log, raised: _native.Raised) -> Any:
    def take(_user: Any, level: int, component: bytes, message: bytes) -> None:
        word = _word(_native.known_value(abi.LogLevel, level))
        log(word, _native.text_of(component), _native.text_of(message))

    return abi.joulie_log_fn(raised.guard(take, None))


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _boot_us() -> int:
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(clock) // 1000


NO_MORE = -1  # from a sink: stop


class Host(_native.Handle):
    """A machine: "/" or a folder that looks like one, recorded or simulated.

    root         "/" = this machine
    state_dir    of the journal; None = var/lib/joulie below the root
    enforces     False: nothing is ever written
    owner        who caps, in the journal: None = "api", or "local:NAME"
    ramps        lower limits in steps of 20 % each 5 s
    may_enable   switch on a package whose limit is switched off
    gives_back_maximum  of its zone, instead of a package limit that is found below it
    backed_twin  whoever hands over the twin stands behind it: its lastUpdated is not judged, and a
                 member that nobody knows is an error
    one_shot     nobody ticks on: where only frequencies can be lowered, watts are blocked
    log          called as log(level, component, message), level being debug, info, warn or error;
                 what it raises is raised by the call that led to it, when that is done
    options      dvfs_controller, and the numbers of struct joulie_host_options by their names

    Leaving the with-block, or close(), leaves caps in force and the journal open; restore() gives
    back. Times are milliseconds since 1970; None = the clock. One host belongs to one thread at a
    time, and to the process that made it: after os.fork() the child's is closed, and gives nothing
    back.
    """

    _what = "host"
    _is_of_parent = False
    _raised: _native.Raised

    def __init__(
        self,
        root: Path = "/",
        state_dir: Optional[Path] = None,
        *,
        enforces: bool = False,
        owner: Optional[str] = None,
        ramps: bool = False,
        may_enable: bool = False,
        gives_back_maximum: bool = False,
        backed_twin: bool = False,
        one_shot: bool = False,
        dvfs_controller: Optional[str] = None,
        log: Optional[Log] = None,
        **options: float,
    ) -> None:
        c_options = abi.HostOptions(
            root=_path_bytes(root, "root"),
            state_dir=None if state_dir is None else _path_bytes(state_dir, "state_dir"),
            owner=_native.optional_text(owner, "owner"),
            dvfs_controller=_native.optional_text(dvfs_controller, "dvfs_controller"),
            enforces=int(enforces),
            ramps=int(ramps),
            may_enable=int(may_enable),
            gives_back_maximum=int(gives_back_maximum),
            has_backed_twin=int(backed_twin),
            is_one_shot=int(one_shot),
        )
        OPTIONS.fill(c_options, "Host()", options)
        self._raised = _native.Raised()
        if log is not None:
            c_options.log = _log_function(log, self._raised)
        handle = ctypes.c_void_p()
        try:
            _native.check(abi.joulie_host_open, ctypes.byref(c_options), ctypes.byref(handle))
        finally:
            if handle.value:
                # the options keep the log function alive, which the library may call until the end
                self._own(handle, abi.joulie_host_free, c_options)
            self._raised.end()
        _hosts.add(self)

    def __enter__(self) -> Host:
        return self

    def close(self) -> None:
        """Frees what the library keeps now; otherwise that goes with the object."""
        if not self._is_of_parent:
            super().close()

    def _enter(self) -> None:
        if self._is_of_parent:
            raise RuntimeError("the host belongs to the process that made it, not to its fork")
        super()._enter()

    def _leave_to_parent(self) -> None:
        """In a fork: closes the descriptors that would hold the parent's lock with it.

        Where another thread was in the host, it is left as it was at that moment.
        """
        self._is_of_parent = True
        if self._lock.acquire(blocking=False):
            owned = self._free.detach()
            if owned is not None:
                _, _, (_, handle, free, _), _ = owned
                free(handle)
            self._lock.release()

    def hardware(self, name: str, now_ms: Optional[int] = None) -> dict[str, Any]:
        """The machine as a NodeHardware of this node name."""
        return self._answer(abi.joulie_host_hardware, _native.c_text(name, "name"), _or_now(now_ms))

    def snapshot(self) -> Iterator[Entry]:
        """The parts of /sys and /proc that a recorded host needs, folders before what is in them.

        Nothing that tells one machine from another of its model is taken.
        """
        entries: list[Entry] = []

        def take(_user: Any, pointer: Any) -> int:
            entry = pointer.contents
            data = ctypes.string_at(_native.address(entry, "bytes"), entry.len)
            path = os.fsdecode(entry.path)
            entries.append(
                Entry(path, data, entry.mode, bool(entry.is_folder), bool(entry.is_link))
            )
            return 0

        sink = abi.joulie_host_sink_fn(self._raised.guard(take, NO_MORE))
        self._check(abi.joulie_host_snapshot, sink, None)
        return iter(entries)

    def claim(self, now_ms: Optional[int] = None) -> Host:
        """Becomes the only writer: takes the lock, reads the journal; returns itself."""
        self._check(abi.joulie_host_claim, _or_now(now_ms))
        return self

    def set_keeper(self, keeper_fd: int) -> Host:
        """joulie-capd at the other end of this socket writes for the host, which is to be claimed then.

        The socket stays the caller's, and must stay open; -1 = there is none now. Returns itself.
        """
        self._check(abi.joulie_host_set_keeper, keeper_fd)
        return self

    def beat(self) -> None:
        """Tells the keeper that this process lives; each tick() does too."""
        self._check(abi.joulie_host_beat)

    def leave(self) -> None:
        """What is in force stays when the connection to the keeper ends."""
        self._check(abi.joulie_host_leave)

    def twin(self, twin: Optional[Document]) -> Host:
        """Replaces the NodeTwin or its spec, what is desired; None = there is none any more."""
        self._check(abi.joulie_host_put_twin, *_native.optional_document(twin))
        return self

    def set_twin_unread(self, is_unread: bool = True) -> None:
        """Says that the twin could not be read just now."""
        self._tell(abi.joulie_host_set_twin_unread, int(is_unread))

    def heartbeat(self, at_ms: int) -> None:
        """Tells when the operator last beat."""
        self._tell(abi.joulie_host_heartbeat, at_ms)

    def plan(self, twin: Optional[Document] = None, now_ms: Optional[int] = None) -> dict[str, Any]:
        """What a tick would do now, without doing it; with a twin, what it would do for that."""
        if twin is not None:
            self.twin(twin)
        return self._answer(abi.joulie_host_plan, _or_now(now_ms))

    def tick(
        self,
        now_ms: Optional[int] = None,
        monotonic_us: Optional[int] = None,
        boottime_us: Optional[int] = None,
    ) -> dict[str, int]:
        """One control interval: reads, decides, writes, reads back; what it did.

        Give all three clocks or none.
        """
        clocks = (now_ms, monotonic_us, boottime_us)
        if None in clocks and clocks != (None, None, None):
            raise TypeError("tick() takes all three clocks or none")
        given = abi.HostTime(
            now_ms=_or_now(now_ms),
            monotonic_us=time.monotonic_ns() // 1000 if monotonic_us is None else monotonic_us,
            boottime_us=_boot_us() if boottime_us is None else boottime_us,
        )
        tick = abi.HostTickResult()
        self._check(abi.joulie_host_tick, ctypes.byref(given), ctypes.byref(tick))
        return _native.members(tick)

    def report(self) -> dict[str, Any]:
        """status.controlStatus after the last tick."""
        return self._answer(abi.joulie_host_report)

    def summary(self) -> dict[str, Any]:
        """Result and message of the worst package and of the worst GPU after the last tick or plan."""
        out = abi.NodeSummary()
        self._check(abi.joulie_host_get_summary, ctypes.byref(out))
        return _native.values(out)

    def outcome(self) -> dict[str, Any]:
        """What came of all ticks so far, in the form of plan()."""
        return self._answer(abi.joulie_host_outcome)

    def restore(self, now_ms: Optional[int] = None) -> dict[str, Any]:
        """Gives back what the journal holds: {"restored": [...], "failed": [...]}.

        Raises IoError, with this answer in its attribute `answer`, when something could not be
        given back; it stays in the journal.
        """
        out = ctypes.c_void_p()
        try:
            self._check(abi.joulie_host_restore, _or_now(now_ms), ctypes.byref(out))
        except Error as error:
            if out.value:
                error.answer = json.loads(_native.take(out))
            raise
        found: dict[str, Any] = json.loads(_native.take(out))
        return found

    def caps(self) -> dict[str, Any]:
        """What is capped, by whom, since when; needs no claim."""
        return self._answer(abi.joulie_host_caps)

    def set_disabled(self, is_disabled: bool = True) -> None:
        """Makes or removes etc/joulie/disable, which stops every agent of the machine."""
        self._check(abi.joulie_host_set_disabled, int(is_disabled))

    def zones(self) -> list[dict[str, Any]]:
        """Energy, power and limit of each zone as of the last tick; what is unknown is absent."""
        found: list[dict[str, Any]] = []
        while True:
            zone = abi.HostZone()
            with self._use() as handle:
                try:
                    _native.check(abi.joulie_host_zone_at, handle, len(found), ctypes.byref(zone))
                except RangeError:
                    return found
                known = {
                    "name": _native.text_of(zone.name),
                    "kind": _word(_native.known_value(abi.HostZoneKind, zone.kind)),
                }
            found.append({**known, **ZONE.known(zone), "resets": zone.resets})

    def packages(self) -> list[dict[str, Any]]:
        """The packages of the last plan or of the ticks so far; what is unknown is absent."""
        found: list[dict[str, Any]] = []
        while True:
            package = abi.HostPackage()
            with self._use() as handle:
                try:
                    _native.check(
                        abi.joulie_host_package_at, handle, len(found), ctypes.byref(package)
                    )
                except RangeError:
                    return found
                texts = _texts(package, "clamp", "state", "message")
            known = PACKAGE.known(package)
            if "cap_w" in known:
                known["power_limit_uw"] = package.power_limit_uw
            result = abi.ControlResult(package.result)
            found.append({"index": package.index, **known, **texts, "result": result})

    def writes(self) -> list[dict[str, Any]]:
        """The writes of the last plan or of the ticks so far, in their order."""
        found: list[dict[str, Any]] = []
        while True:
            write = abi.HostWrite()
            with self._use() as handle:
                try:
                    _native.check(abi.joulie_host_write_at, handle, len(found), ctypes.byref(write))
                except RangeError:
                    return found
                texts = _texts(write, "key", "file", "result")
            found.append({**texts, **WRITE.known(write), "new_value": write.new_value})

    def policies(self) -> list[dict[str, int]]:
        """The frequency policies that can be lowered, read now, in kHz; unknown is absent."""
        found: list[dict[str, int]] = []
        while True:
            policy = abi.HostPolicy()
            try:
                self._check(abi.joulie_host_policy_at, len(found), ctypes.byref(policy))
            except RangeError:
                return found
            found.append({"number": policy.number, **POLICY.known(policy)})

    def dvfs(self) -> dict[str, Union[int, float]]:
        """Control by frequency as of the last tick; what is unknown is absent."""
        dvfs = abi.HostDvfs()
        self._check(abi.joulie_host_get_dvfs, ctypes.byref(dvfs))
        known = DVFS.known(dvfs)
        if "above_trips" in known:
            known["below_trips"] = dvfs.below_trips
        return {**known, "ups": dvfs.ups, "downs": dvfs.downs}

    def counts(self) -> dict[str, int]:
        """System calls so far, and what they were for."""
        counts = abi.HostCounts()
        self._check(abi.joulie_host_get_counts, ctypes.byref(counts))
        return _native.members(counts)

    def _answer(self, function: Callable[..., int], *arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._json(function, *arguments)
        return found


def _or_now(now_ms: Optional[int]) -> int:
    return _wall_ms() if now_ms is None else now_ms


_hosts: weakref.WeakSet[Host] = weakref.WeakSet()


def _leave_all_to_parent() -> None:
    for host in list(_hosts):
        host._leave_to_parent()


os.register_at_fork(after_in_child=_leave_all_to_parent)
