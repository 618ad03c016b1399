# SPDX-License-Identifier: Apache-2.0
"""A bare Debian that is booted: systemd as process 1 of a container (systemd-nspawn), without a network.

Only processes of this machine's own tree are ended, by their numbers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import chroot
from waiting import wait_until

BOOT_S = 60.0


def missing_feature() -> str:
    """What is missing to boot one here, "" = nothing."""
    if os.geteuid() != 0:
        return "only root may boot a container"
    for program in ("systemd-nspawn", "nsenter"):
        if not shutil.which(program):
            return f"there is no {program}"
    return chroot.missing_feature()


def children_of(pid: int) -> list[int]:
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [int(word) for word in words]


class CannotBoot(Exception):
    """No fault of ours: nothing of ours is in the machine yet."""


class Machine:
    """Its files are below root, and below the same names in it."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="joulie-machine-"))
        self._log = self.root.with_suffix(".log")
        self._container: subprocess.Popen[bytes] | None = None
        self._leader = 0
        chroot.unpack(self.root)

    def boot(self) -> None:
        command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network"]
        command += ["--link-journal=no", "--console=pipe", "--resolv-conf=off", "--boot"]
        command += [f"--directory={self.root}", "systemd.unit=multi-user.target"]
        with self._log.open("wb") as log:
            self._container = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            wait_until(self._said, self._has_booted, BOOT_S)
        except AssertionError as reason:
            raise CannotBoot(str(reason)) from reason

    def _said(self) -> str:
        text = self._log.read_text(encoding="utf-8", errors="replace")
        return f"a booted system: {text[-3000:]}"

    def _has_booted(self) -> bool:
        assert self._container
        if self._container.poll() is not None:
            raise CannotBoot(f"systemd-nspawn has ended: {self._said()}")
        leaders = children_of(self._container.pid)
        self._leader = leaders[0] if leaders else 0
        if not self._leader:
            return False
        state = self.run("systemctl", "is-system-running", check=False)
        return state.stdout.strip() in ("running", "degraded")

    def run(
        self, *command: Any, check: bool = True, deadline_s: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """In the machine, as root; its standard error is part of the output."""
        words = ["nsenter", f"--target={self._leader}", "--all", "--", "/usr/bin/env", "-i"]
        words += ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]
        words += ["DEBIAN_FRONTEND=noninteractive", *(str(word) for word in command)]
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=deadline_s,
            check=False,
        )
        if check and done.returncode != 0:
            text = " ".join(str(word) for word in command)
            raise AssertionError(f"{text} answers {done.returncode}:\n{done.stdout[-6000:]}")
        return done

    def out(self, *command: Any, check: bool = True) -> str:
        return self.run(*command, check=check).stdout.strip()

    def put(self, path: str, text: str) -> None:
        """A file that is not below root, because it lies on a file system of the machine's own."""
        script = 'mkdir -p "${1%/*}" && printf %s "$2" >"$1"'
        self.run("sh", "-c", script, "put", path, text)

    def close(self) -> None:
        if self._container and self._container.poll() is None:
            self.run("systemctl", "--no-block", "poweroff", check=False)
            try:
                self._container.wait(30)
            except subprocess.TimeoutExpired:
                self._container.kill()
                self._container.wait()
        self._log.unlink(missing_ok=True)
        chroot.outside(["rm", "-rf", "--one-file-system", self.root])
