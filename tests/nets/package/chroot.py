# SPDX-License-Identifier: Apache-2.0
"""A bare Debian with a compiler and systemd, made with mmdebstrap once and kept as an archive.

The mirror is the one that apt of this machine uses for the release that it runs. The archive lies in
${XDG_CACHE_HOME:-~/.cache}/joulie-testbin; its name tells from what it was made.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Iterator

INSTALLED = "gcc,libc6-dev,pkg-config,systemd-sysv"
# what the packages depend on: only fetched, so that apt has to find them
FETCHED = "libjson-c5 libyaml-0-2 libcurl4 libmicrohttpd12 libc-ares2 python3".split()


def outside(command: list[Any], **options: Any) -> str:
    """Runs as root of this machine, or of a user namespace of ours."""
    words = [str(word) for word in command]
    if os.geteuid() != 0:
        words = ["unshare", "--user", "--map-root-user", "--map-auto", *words]
    done: subprocess.CompletedProcess[str] = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        **options,
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)} answers {done.returncode}:\n{done.stdout[-6000:]}")
    return done.stdout


def missing_feature() -> str:
    """What this kernel does not let us do, "" = nothing."""
    try:
        outside(["chroot", "/", "true"])
    except (AssertionError, OSError):
        return "the kernel gives no chroot, and no user namespace to have one in"
    return ""


def release() -> str:
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    found = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
    return found.group(1) if found else "stable"


def fields_of(stanza: str) -> dict[str, list[str]]:
    """Of the newer form of sources: a field may go on in lines that begin with a blank."""
    joined = re.sub(r"\n[ \t]+", " ", re.sub(r"^#.*\n?", "", stanza, flags=re.MULTILINE))
    pairs = (line.split(":", 1) for line in joined.splitlines() if ":" in line)
    return {name.strip(): value.split() for name, value in pairs}


def source_lines(text: str) -> Iterator[tuple[str, str, list[str], str]]:
    """URI, suite, components and key of both forms of apt's sources."""
    for line in re.findall(r"^deb\s+(.*)$", text, re.MULTILINE):
        options = re.match(r"\[(.*?)\]\s*", line)
        signed = re.search(r"signed-by=(\S+)", options.group(1)) if options else None
        uri, suite, *components = line[options.end() if options else 0 :].split()
        yield uri, suite, components, signed.group(1) if signed else ""
    for stanza in re.split(r"\n\s*\n", text):
        fields = fields_of(stanza)
        if "deb" in fields.get("Types", []):
            for uri in fields.get("URIs", []):
                for suite in fields.get("Suites", []):
                    key = fields.get("Signed-By", [""])[0]
                    yield uri, suite, fields.get("Components", []), key


def mirrors() -> list[str]:
    """Lines for mmdebstrap: where apt gets main of this release, its updates and security from."""
    files = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    lines = []
    for file in files:
        if file.suffix not in (".list", ".sources") or not file.is_file():
            continue
        for uri, suite, components, key in source_lines(file.read_text(encoding="utf-8")):
            if suite.split("-")[0].split("/")[0] == release() and "main" in components:
                option = f"[signed-by={key}] " if key else ""
                lines.append(f"deb {option}{uri} {suite} main")
    return sorted(set(lines))


def archive() -> Path:
    """The archive of the bare system; made when it is not there, which takes a minute and the network."""
    lines = mirrors()
    if not lines:
        raise AssertionError(f"/etc/apt names no mirror of {release()}")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    what = "\n".join([*lines, INSTALLED, *FETCHED])
    name = f"debian-{release()}-{hashlib.sha256(what.encode()).hexdigest()[:12]}.tar"
    file = base / "joulie-testbin" / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.tar")
        fetch = f'chroot "$1" apt-get install --download-only --yes {" ".join(FETCHED)}'
        command = ["mmdebstrap", "--variant=apt", f"--include={INSTALLED}", "--skip=cleanup/apt"]
        command += [f"--customize-hook={fetch}", release(), str(part), *lines]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise AssertionError(f"mmdebstrap answers {done.returncode}:\n{done.stdout[-6000:]}")
        part.rename(file)
    return file


def unpack(root: Path) -> None:
    # devices cannot be made everywhere, and nothing here needs them
    outside(["tar", "-C", root, "--exclude=./dev/*", "-xf", archive()])
    # programs of the system write there
    outside(["touch", root / "dev" / "null"])


def inside(root: Path, *command: str) -> str:
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"}
    env["DEBIAN_FRONTEND"] = "noninteractive"
    return outside(["chroot", root, *command], env=env)
