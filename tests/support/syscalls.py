# SPDX-License-Identifier: Apache-2.0
"""Programs whose kernel refuses a system call, as an older kernel or a container's filter does."""

from __future__ import annotations

import ctypes
import errno
import struct
from typing import Callable

CLOSE_RANGE = 436  # the same number on every architecture, as those of all calls since Linux 5.1

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000


class _Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def refuse(call: int, number: int = errno.ENOSYS) -> Callable[[], None]:
    """For preexec_fn: from there on this call fails with that errno, in all children too."""
    steps = (
        (_LOAD_WORD, 0, 0, 0),  # seccomp_data.nr
        (_JUMP_EQUAL, 0, 1, call),
        (_RETURN, 0, 0, _ERRNO | number),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    libc = ctypes.CDLL(None, use_errno=True)

    def install() -> None:
        buffer = ctypes.create_string_buffer(code, len(code))
        program = _Program(len(steps), ctypes.addressof(buffer))
        for arguments in (
            (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0),
        ):
            if libc.prctl(*arguments) != 0:
                raise OSError(ctypes.get_errno(), "prctl")

    return install
