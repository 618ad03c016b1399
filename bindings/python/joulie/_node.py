# SPDX-License-Identifier: Apache-2.0
"""What a node's agent decides: include/joulie/node.h."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Optional

from . import _native, abi
from ._native import Document

OPTIONS = _native.Bits(abi.NodeHas, abi.NodeOptions)
PART = _native.Bits(abi.NodePartHas, abi.NodePart)
READING = _native.Bits(abi.NodeReadingHas, abi.NodeReading)


@dataclasses.dataclass(frozen=True)
class Write:
    """One limit to be written, in the order of a step: struct joulie_node_write."""

    kind: abi.NodeKind
    index: int
    id: str
    limit_w: float
    power_limit_uw: int
    is_restore: bool


class Agent(_native.Handle):
    """From a node's parts and its NodeTwin to the limits to be written, and to the report.

    enforces                 False: nothing is written and nothing is claimed
    remote_cpu, remote_gpu   the limits are set by a remote backend
    cpu_backend, gpu_backend for the report
    options                  numbers of struct joulie_node_options by their names

    It has no clock, no file and no driver: the caller reads the limits, makes the writes of a step
    in their order, and hands over what reads back. One agent belongs to one thread at a time.
    """

    _what = "agent"

    def __init__(
        self,
        *,
        enforces: bool = False,
        remote_cpu: bool = False,
        remote_gpu: bool = False,
        cpu_backend: Optional[str] = None,
        gpu_backend: Optional[str] = None,
        **options: float,
    ) -> None:
        c_options = abi.NodeOptions(
            enforces=int(enforces),
            is_remote_cpu=int(remote_cpu),
            is_remote_gpu=int(remote_gpu),
            cpu_backend=_native.optional_text(cpu_backend, "cpu_backend"),
            gpu_backend=_native.optional_text(gpu_backend, "gpu_backend"),
        )
        OPTIONS.fill(c_options, "Agent()", options)
        handle = ctypes.c_void_p()
        _native.check(abi.joulie_node_new, ctypes.byref(c_options), ctypes.byref(handle))
        self._own(handle, abi.joulie_node_free)

    def __enter__(self) -> Agent:
        return self

    def hardware(self, document: Document) -> None:
        """Replaces the parts by those of a NodeHardware."""
        text = _native.document_bytes(document)
        self._check(abi.joulie_node_put_hardware, text, len(text))

    def part(
        self,
        kind: abi.NodeKind,
        index: int = 0,
        id: Optional[str] = None,
        *,
        min_w: Optional[float] = None,
        max_w: Optional[float] = None,
        power_unit_w: Optional[float] = None,
        controllable: bool = True,
    ) -> None:
        """Adds one package (by index) or GPU (by id), or replaces what is known of it."""
        part = abi.NodePart(
            kind=kind,
            index=index,
            id=_native.optional_text(id, "id"),
            is_controllable=int(controllable),
        )
        PART.fill(part, "part()", {"min_w": min_w, "max_w": max_w, "power_unit_w": power_unit_w})
        self._check(abi.joulie_node_put_part, ctypes.byref(part))

    def twin(self, twin: Optional[Document]) -> None:
        """Replaces the NodeTwin, what is desired; None = there is none any more."""
        self._check(abi.joulie_node_put_twin, *_native.optional_document(twin))

    def heartbeat(self, at_ms: int) -> None:
        """Tells when the operator last beat."""
        self._tell(abi.joulie_node_heartbeat, at_ms)

    def set_wall(self, now_ms: int, wall_ms: int) -> None:
        """Tells what the wall clock shows at a time of the program, where now_ms follows a clock
        that nobody sets: stamps of the twin, the heartbeat and the report are in wall time."""
        self._tell(abi.joulie_node_set_wall, now_ms, wall_ms)

    def reading(
        self,
        kind: abi.NodeKind,
        index: int = 0,
        id: Optional[str] = None,
        *,
        limit_w: Optional[float] = None,
        original_w: Optional[float] = None,
        outcome: abi.NodeOutcome = abi.NodeOutcome.NONE,
        message: Optional[str] = None,
        unseen: bool = False,
    ) -> None:
        """Replaces what was read of one part, and what came of its write."""
        reading = abi.NodeReading(
            kind=kind,
            index=index,
            id=_native.optional_text(id, "id"),
            outcome=outcome,
            message=_native.optional_text(message, "message"),
            is_unseen=int(unseen),
        )
        READING.fill(reading, "reading()", {"limit_w": limit_w, "original_w": original_w})
        self._check(abi.joulie_node_put_reading, ctypes.byref(reading))

    def step(self, now_ms: int) -> list[Write]:
        """Decides which limits have to be written, in their order."""
        count = ctypes.c_size_t()
        with self._use() as handle:
            _native.check(abi.joulie_node_step, handle, now_ms, ctypes.byref(count))
            return [_write(handle, index) for index in range(count.value)]

    def part_at(self, index: int) -> dict[str, Any]:
        """What is known of the part at an index, by the names of struct joulie_node_part.

        Watts that nobody said are absent.
        """
        out = abi.NodePart()
        self._check(abi.joulie_node_part_at, index, ctypes.byref(out))
        known = PART.known(out)
        found = _native.values(out)
        return {name: found[name] for name in found if name in known or name not in PART.names}

    def summary(self) -> dict[str, Any]:
        """Result and message of the worst package and of the worst GPU."""
        out = abi.NodeSummary()
        self._check(abi.joulie_node_get_summary, ctypes.byref(out))
        return _native.values(out)

    def report(self) -> dict[str, Any]:
        """The last step and what came of it: status.controlStatus."""
        found: dict[str, Any] = self._json(abi.joulie_node_report)
        return found


def _write(handle: ctypes.c_void_p, index: int) -> Write:
    write = abi.NodeWrite()
    _native.check(abi.joulie_node_write_at, handle, index, ctypes.byref(write))
    return Write(
        _native.known_value(abi.NodeKind, write.kind),
        write.index,
        _native.text_of(write.id),
        write.limit_w,
        write.power_limit_uw,
        bool(write.is_restore),
    )
