# SPDX-License-Identifier: Apache-2.0
"""The threads of a workload, from a trace of any size: include/joulie/threads.h."""

from __future__ import annotations

import ctypes
from typing import Any, Union

from . import _native, abi

DEFAULT_SEED = 42


class ThreadTrace(_native.Handle):
    """A trace of the kernel's scheduler, read piece by piece: memory grows with its threads alone.

    >>> import joulie
    >>> with joulie.ThreadTrace() as trace, open("trace.txt", "rb") as file:  # doctest: +SKIP
    ...     for piece in iter(lambda: file.read(1 << 20), b""):
    ...         trace.feed(piece)
    ...     found = trace.analyze()
    """

    _what = "trace"

    def __init__(self) -> None:
        handle = ctypes.c_void_p()
        _native.check(abi.joulie_thread_trace_new, ctypes.byref(handle))
        self._own(handle, abi.joulie_thread_trace_free)

    def __enter__(self) -> ThreadTrace:
        return self

    def add_thread(self, tid: int) -> None:
        """Names a thread of the workload, before anything is read; else all threads are."""
        self._check(abi.joulie_thread_trace_add_thread, tid)

    def feed(self, piece: Union[str, bytes]) -> None:
        """Reads the next piece, which may end anywhere."""
        text = _native.document_bytes(piece)
        self._check(abi.joulie_thread_trace_feed, text, len(text))

    def analyze(self, seed: int = DEFAULT_SEED) -> dict[str, Any]:
        """What each thread did, and which behave alike, as the question threads.train.analyze
        says it. Once, at the end."""
        found: dict[str, Any] = self._json(abi.joulie_thread_trace_analyze, seed)
        return found
