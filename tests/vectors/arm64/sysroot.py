#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the folder with json-c, libyaml and cmocka for arm64, which its tests link.

Fetched with apt from the mirrors of this machine and unpacked into
${XDG_CACHE_HOME:-~/.cache}/joulie-testbin once: nothing is installed, nobody has to be root.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = "libjson-c-dev libjson-c5 libyaml-dev libyaml-0-2 libcmocka-dev libcmocka0".split()


def release() -> str:
    lines = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    words = dict(line.split("=", 1) for line in lines if "=" in line)
    return words.get("VERSION_CODENAME", "unknown").strip('"')


def sysroot() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    what = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:12]
    return base / "joulie-testbin" / f"arm64-{release()}-{what}"


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"sysroot.py: {' '.join(command)}\n{done.stdout[-4000:]}")


def fetch(folder: Path) -> None:
    """The packages below folder, by an apt whose lists and cache are there too."""
    for part in ("state/lists/partial", "cache/archives/partial", "root"):
        (folder / part).mkdir(parents=True)
    (folder / "status").touch()
    apt = ["apt-get", "-q", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64"]
    apt += ["-o", f"Dir::State={folder}/state", "-o", f"Dir::State::status={folder}/status"]
    apt += ["-o", f"Dir::Cache={folder}/cache", "-o", "Acquire::Languages=none"]
    apt += ["-o", "APT::Sandbox::User="]  # the one who unpacks
    run([*apt, "update"], folder)
    run([*apt, "download", *PACKAGES], folder)
    for package in sorted(folder.glob("*.deb")):
        run(["dpkg-deb", "--extract", str(package), "root"], folder)


def main() -> None:
    target = sysroot()
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        # beside the target, so that it comes into being in one step
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            fetch(Path(folder))
            try:
                (Path(folder) / "root").rename(target)
            except OSError:
                if not target.exists():  # else another run was faster
                    raise
    print(target)


if __name__ == "__main__":
    if not shutil.which("apt-get"):
        sys.exit("sysroot.py: there is no apt-get to fetch packages of arm64 with")
    main()
