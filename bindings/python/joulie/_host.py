# SPDX-License-Identifier: Apache-2.0
"""One machine and the caps on it: include/joulie/host.h."""

from __future__ import annotations

import ctypes
import json
import os
import time
import weakref
from typing import Any, Callable, Optional, Union

from . import _native
from ._errors import Error, RangeError
from ._native import Document

Path = Union[str, "os.PathLike[str]"]
Log = Callable[[str, str, str], None]

LOG_FUNCTION = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p
)


class HostOptions(ctypes.Structure):
    """struct joulie_host_options"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("has", ctypes.c_uint64),
        ("root", ctypes.c_char_p),
        ("state_dir", ctypes.c_char_p),
        ("owner", ctypes.c_char_p),
        ("floor_pct", ctypes.c_double),
        ("spec_read_timeout_ms", ctypes.c_int64),
        ("staleness_ms", ctypes.c_int64),
        ("max_age_ms", ctypes.c_int64),
        ("dvfs_controller", ctypes.c_char_p),
        ("dvfs_ema_alpha", ctypes.c_double),
        ("dvfs_high_margin_w", ctypes.c_double),
        ("dvfs_low_margin_w", ctypes.c_double),
        ("dvfs_step_pct", ctypes.c_double),
        ("dvfs_cooldown_ms", ctypes.c_int64),
        ("dvfs_trip_count", ctypes.c_int64),
        ("dvfs_min_freq_khz", ctypes.c_int64),
        ("log", LOG_FUNCTION),
        ("log_user", ctypes.c_void_p),
        ("enforces", ctypes.c_int32),
        ("ramps", ctypes.c_int32),
        ("may_enable", ctypes.c_int32),
        ("has_backed_twin", ctypes.c_int32),
        ("is_one_shot", ctypes.c_int32),
        ("reserved", ctypes.c_uint32),
    ]


class HostTime(ctypes.Structure):
    """struct joulie_host_time"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("now_ms", ctypes.c_int64),
        ("monotonic_us", ctypes.c_int64),
        ("boottime_us", ctypes.c_int64),
    ]


class HostTick(ctypes.Structure):
    """struct joulie_host_tick"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("writes", ctypes.c_uint32),
        ("is_news", ctypes.c_int32),
        ("is_settled", ctypes.c_int32),
        ("is_disabled", ctypes.c_int32),
    ]


class HostZone(ctypes.Structure):
    """struct joulie_host_zone"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("has", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("energy_j", ctypes.c_uint64),
        ("power_w", ctypes.c_double),
        ("limit_w", ctypes.c_double),
        ("resets", ctypes.c_uint64),
        ("kind", ctypes.c_int),
        ("reserved", ctypes.c_uint32),
    ]


# JOULIE_HOST_HAS_*: the bit of each number, in the order of the header
OPTION_BITS = {
    name: 1 << bit
    for bit, name in enumerate(
        "floor_pct spec_read_timeout_ms staleness_ms max_age_ms dvfs_ema_alpha "
        "dvfs_high_margin_w dvfs_low_margin_w dvfs_step_pct dvfs_cooldown_ms dvfs_trip_count "
        "dvfs_min_freq_khz".split()
    )
}
# JOULIE_HOST_ZONE_HAS_*, in the order of the header
ZONE_BITS = {name: 1 << bit for bit, name in enumerate(("energy_j", "power_w", "limit_w"))}
# enum joulie_host_level and enum joulie_host_zone_kind, 0 is unknown
LEVELS = ("unknown", "debug", "info", "warn", "error")
ZONE_KINDS = ("unknown", "package", "dram", "psys")

_ERROR = ctypes.POINTER(_native.JoulieError)
_OUT = ctypes.POINTER(ctypes.c_void_p)
_HOST = ctypes.c_void_p
_declare = _native.declare
_open = _declare("joulie_host_open", ctypes.c_int, ctypes.POINTER(HostOptions), _OUT, _ERROR)
_free = _declare("joulie_host_free", None, _HOST)
_hardware = _declare(
    "joulie_host_hardware", ctypes.c_int, _HOST, ctypes.c_char_p, ctypes.c_int64, _OUT, _ERROR
)
_claim = _declare("joulie_host_claim", ctypes.c_int, _HOST, ctypes.c_int64, _ERROR)
_twin = _declare("joulie_host_twin", ctypes.c_int, _HOST, ctypes.c_char_p, ctypes.c_size_t, _ERROR)
_twin_unread = _declare("joulie_host_twin_unread", None, _HOST, ctypes.c_int32)
_heartbeat = _declare("joulie_host_heartbeat", None, _HOST, ctypes.c_int64)
_tick = _declare(
    "joulie_host_tick",
    ctypes.c_int,
    _HOST,
    ctypes.POINTER(HostTime),
    ctypes.POINTER(HostTick),
    _ERROR,
)
_report = _declare("joulie_host_report", ctypes.c_int, _HOST, _OUT, _ERROR)
_plan = _declare("joulie_host_plan", ctypes.c_int, _HOST, ctypes.c_int64, _OUT, _ERROR)
_outcome = _declare("joulie_host_outcome", ctypes.c_int, _HOST, _OUT, _ERROR)
_restore = _declare("joulie_host_restore", ctypes.c_int, _HOST, ctypes.c_int64, _OUT, _ERROR)
_caps = _declare("joulie_host_caps", ctypes.c_int, _HOST, _OUT, _ERROR)
_disable = _declare("joulie_host_disable", ctypes.c_int, _HOST, ctypes.c_int32, _ERROR)
_zone_at = _declare(
    "joulie_host_zone_at",
    ctypes.c_int,
    _HOST,
    ctypes.c_size_t,
    ctypes.POINTER(HostZone),
    _ERROR,
)


def _path_bytes(path: Path, what: str) -> bytes:
    """A path as the system spells it: its bytes need not be UTF-8."""
    spelled = os.fsencode(path)
    if b"\0" in spelled:
        raise ValueError(f"{what} must not contain a NUL character")
    return spelled


def _log_function(log: Log) -> Any:
    def take(_user: Any, level: int, component: bytes, message: bytes) -> None:
        word = LEVELS[level] if 0 <= level < len(LEVELS) else LEVELS[0]
        log(word, component.decode(errors="replace"), message.decode(errors="replace"))

    return LOG_FUNCTION(take)


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _boot_us() -> int:
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(clock) // 1000


class Host:
    """A machine: "/" or a folder that looks like one, recorded or simulated.

    root         "/" = this machine
    state_dir    of the journal; None = var/lib/joulie below the root
    enforces     False: nothing is ever written
    owner        who caps, in the journal: None = "api", or "local:NAME"
    ramps        lower limits in steps of 20 % each 5 s
    may_enable   switch on a package whose limit is switched off
    backed_twin  whoever hands over the twin stands behind it: its lastUpdated is not judged, and a
                 member that nobody knows is an error
    one_shot     nobody ticks on: where only frequencies can be lowered, watts are blocked
    log          called as log(level, component, message), level being debug, info, warn or error
    options      dvfs_controller, and the numbers of struct joulie_host_options by their names

    Leaving the with-block, or close(), leaves caps in force and the journal open; restore() gives
    back. Times are milliseconds since 1970; None = the clock. One host belongs to one thread at a
    time.
    """

    def __init__(
        self,
        root: Path = "/",
        state_dir: Optional[Path] = None,
        *,
        enforces: bool = False,
        owner: Optional[str] = None,
        ramps: bool = False,
        may_enable: bool = False,
        backed_twin: bool = False,
        one_shot: bool = False,
        dvfs_controller: Optional[str] = None,
        log: Optional[Log] = None,
        **options: float,
    ) -> None:
        c_options = HostOptions(
            struct_size=ctypes.sizeof(HostOptions),
            root=_path_bytes(root, "root"),
            state_dir=None if state_dir is None else _path_bytes(state_dir, "state_dir"),
            owner=_native.optional_text(owner, "owner"),
            dvfs_controller=_native.optional_text(dvfs_controller, "dvfs_controller"),
            enforces=int(enforces),
            ramps=int(ramps),
            may_enable=int(may_enable),
            has_backed_twin=int(backed_twin),
            is_one_shot=int(one_shot),
        )
        for name, value in options.items():
            if name not in OPTION_BITS:
                raise TypeError(f"Host() has no option {name!r}")
            c_options.has |= OPTION_BITS[name]
            setattr(c_options, name, value)
        if log is not None:
            c_options.log = _log_function(log)
        handle = ctypes.c_void_p()
        _native.check(_open, ctypes.byref(c_options), ctypes.byref(handle))
        self._handle = handle
        self._free = weakref.finalize(self, _close, handle, c_options)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives up the lock and frees the handle now; otherwise it goes with the object."""
        self._free()

    def _alive(self) -> ctypes.c_void_p:
        if not self._free.alive:
            raise ValueError("the host is closed")
        return self._handle

    def _answer(self, function: Callable[..., int], *arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(_native.call(function, self._alive(), *arguments))
        return found

    def hardware(self, name: str, now_ms: Optional[int] = None) -> dict[str, Any]:
        """The machine as a NodeHardware of this node name."""
        return self._answer(_hardware, _native.c_text(name, "name"), _or_now(now_ms))

    def claim(self, now_ms: Optional[int] = None) -> Host:
        """Becomes the only writer: takes the lock, reads the journal; returns itself."""
        _native.check(_claim, self._alive(), _or_now(now_ms))
        return self

    def twin(self, twin: Optional[Document]) -> Host:
        """Replaces the NodeTwin or its spec, what is desired; None = there is none any more."""
        text = None if twin is None else _native.document_bytes(twin)
        _native.check(_twin, self._alive(), text, 0 if text is None else len(text))
        return self

    def twin_unread(self, is_unread: bool = True) -> None:
        """Says that the twin could not be read just now."""
        _twin_unread(self._alive(), int(is_unread))

    def heartbeat(self, at_ms: int) -> None:
        """Tells when the operator last beat."""
        _heartbeat(self._alive(), at_ms)

    def plan(self, twin: Optional[Document] = None, now_ms: Optional[int] = None) -> dict[str, Any]:
        """What a tick would do now, without doing it; with a twin, what it would do for that."""
        if twin is not None:
            self.twin(twin)
        return self._answer(_plan, _or_now(now_ms))

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
        given = HostTime(
            struct_size=ctypes.sizeof(HostTime),
            now_ms=_or_now(now_ms),
            monotonic_us=time.monotonic_ns() // 1000 if monotonic_us is None else monotonic_us,
            boottime_us=_boot_us() if boottime_us is None else boottime_us,
        )
        tick = HostTick(struct_size=ctypes.sizeof(HostTick))
        _native.check(_tick, self._alive(), ctypes.byref(given), ctypes.byref(tick))
        return {name: getattr(tick, name) for name, *_ in HostTick._fields_[1:]}

    def report(self) -> dict[str, Any]:
        """status.controlStatus after the last tick."""
        return self._answer(_report)

    def outcome(self) -> dict[str, Any]:
        """What came of all ticks so far, in the form of plan()."""
        return self._answer(_outcome)

    def restore(self, now_ms: Optional[int] = None) -> dict[str, Any]:
        """Gives back what the journal holds: {"restored": [...], "failed": [...]}.

        Raises IoError, with this answer in its attribute `answer`, when something could not be
        given back; it stays in the journal.
        """
        out = ctypes.c_void_p()
        try:
            _native.check(_restore, self._alive(), _or_now(now_ms), ctypes.byref(out))
        except Error as error:
            if out.value:
                error.answer = json.loads(_native.take(out))  # type: ignore[attr-defined]
            raise
        found: dict[str, Any] = json.loads(_native.take(out))
        return found

    def caps(self) -> dict[str, Any]:
        """What is capped, by whom, since when; needs no claim."""
        return self._answer(_caps)

    def disable(self, is_disabled: bool = True) -> None:
        """Makes or removes etc/joulie/disable, which stops every agent of the machine."""
        _native.check(_disable, self._alive(), int(is_disabled))

    def zones(self) -> list[dict[str, Any]]:
        """Energy, power and limit of each zone as of the last tick; what is unknown is absent."""
        found: list[dict[str, Any]] = []
        while True:
            zone = HostZone(struct_size=ctypes.sizeof(HostZone))
            try:
                _native.check(_zone_at, self._alive(), len(found), ctypes.byref(zone))
            except RangeError:
                return found
            known = {"name": zone.name.decode(), "kind": ZONE_KINDS[zone.kind]}
            for name, bit in ZONE_BITS.items():
                if zone.has & bit:
                    known[name] = getattr(zone, name)
            found.append({**known, "resets": zone.resets})


def _close(handle: ctypes.c_void_p, _options: HostOptions) -> None:
    # the options keep the log function alive, which the library may call until here
    _free(handle)


def _or_now(now_ms: Optional[int]) -> int:
    return _wall_ms() if now_ms is None else now_ms
