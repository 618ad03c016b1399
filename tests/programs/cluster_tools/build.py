#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of other projects that the tests talk to, built from their Go modules.

Kept outside the tree, by version and by a hash of the sources:
${XDG_CACHE_HOME:-~/.cache}/joulie-testbin/VERSION/NAME-HASH. Built when they are missing, which takes
minutes and is said. An environment variable names another one: JOULIE_TEST_KUBECTL,
JOULIE_TEST_CONTROLPLANE, …

    build.py NAME      prints the path of the program: kubectl, helm, reflector, kubescore, kwok, controlplane (etcd
                       and the programs of Kubernetes in one), controlplane-newest (the same of the newest release,
                       which takes 6 to 13 minutes: the tests use it where it is there)
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "tests" / "programs" / "outside" / "go"
LEAST_GO = (1, 24)
LEAST_GO_OF = {"controlplane-newest": (1, 26)}
PROGRESS_S = 20.0  # between two lines of a build
# Of the module that its go.mod names.
VERSIONS = {
    "kubectl": "v0.34.4",
    "reflector": "v0.34.4",
    "kubescore": "v1.34.4",
    "controlplane": "v1.34.4",
    "controlplane-newest": "v1.37.2",
    "kwok": "v0.7.0",
    "helm": "v3.19.5",
}


def says_version(version: str) -> str:
    major, minor, _ = version[1:].split(".")
    module = "k8s.io/component-base/version"
    return (
        f"-s -w -X {module}.gitVersion={version}"
        f" -X {module}.gitMajor={major} -X {module}.gitMinor={minor}"
    )


FLAGS = {
    "kubectl": says_version("v1.34.4"),
    "reflector": "-s -w",
    "kubescore": "-s -w",
    "controlplane": says_version(VERSIONS["controlplane"]),
    "controlplane-newest": says_version(VERSIONS["controlplane-newest"]),
    "kwok": "-s -w",
    "helm": "-s -w -X helm.sh/helm/v3/internal/version.version=v3.19.5",
}
PACKAGES = {"helm": "helm.sh/helm/v3/cmd/helm"}  # others are in the folder of their go.mod
SOURCES_OF = {"controlplane-newest": "controlplane"}  # others have sources of their own beside their go.mod


class Missing(Exception):
    """What a test may be skipped for: there is no Go that could build it."""


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "joulie-testbin"


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Suites that run beside each other want the same program: the first one builds it."""
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def find_go(least: tuple[int, int] = LEAST_GO) -> str:
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not go:
        raise Missing("there is no go")
    text = subprocess.run(
        [go, "env", "GOVERSION"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    found = re.match(r"go(\d+)\.(\d+)", text)
    if not found or (int(found[1]), int(found[2])) < least:
        raise Missing(f"{text.strip()} is older than {least[0]}.{least[1]}")
    return go


def run_with_progress(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit status and what was printed; a line now and then says how many packages are compiled."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout
    lines: list[str] = []
    due = time.monotonic() + PROGRESS_S
    for line in process.stdout:
        lines.append(line)
        if time.monotonic() >= due:
            print(f"… {len(lines)} packages, now {line.strip()}", file=sys.stderr, flush=True)
            due = time.monotonic() + PROGRESS_S
    return process.wait(), "".join(lines)


def build(name: str, target: Path) -> None:
    go = find_go(LEAST_GO_OF.get(name, LEAST_GO))
    start = time.monotonic()
    print(f"building {name} {VERSIONS[name]} (some minutes, once)", file=sys.stderr, flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    command = [go, "build", "-v", "-trimpath", "-ldflags", FLAGS[name], "-o", str(fresh)]
    if name in SOURCES_OF:
        command.append(f"-modfile={SOURCES / name / 'go.mod'}")
    command.append(PACKAGES.get(name, "."))
    nice = shutil.which("nice")
    folder = SOURCES / SOURCES_OF.get(name, name)
    status, printed = run_with_progress([nice, *command] if nice else command, folder)
    if status != 0:
        raise RuntimeError(f"{name} cannot be built:\n{printed[-4000:]}")
    fresh.replace(target)
    print(f"built {target} in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def sources_hash(name: str) -> str:
    folders = [SOURCES / one for one in (SOURCES_OF.get(name), name) if one]
    files = sorted(path for folder in folders for path in folder.iterdir() if path.is_file())
    text = b"".join(file.name.encode() + b"\0" + file.read_bytes() for file in files)
    return hashlib.sha256(text + FLAGS[name].encode()).hexdigest()[:12]


def program(name: str, may_build: bool = True) -> Path:
    """The program's path; Missing when it is not there and cannot be built here, or may not."""
    named = os.environ.get(f"JOULIE_TEST_{name.upper().replace('-', '_')}")
    if named:
        return Path(named)
    target = cache() / VERSIONS[name] / f"{name}-{sources_hash(name)}"
    with alone():
        if not target.exists() and not may_build:
            raise Missing(f"{name} {VERSIONS[name]} is not built here")
        if not target.exists():
            build(name, target)
    return target


def python_with(requirement: str) -> Path:
    """A Python whose virtual environment has a package of PyPI."""
    folder = cache() / "venv"
    python = folder / "bin" / "python"
    with alone():
        install(requirement, folder, python)
    return python


def install(requirement: str, folder: Path, python: Path) -> None:
    marker = folder / (re.sub(r"\W", "_", requirement) + ".installed")
    if marker.exists():
        return
    print(f"installing {requirement} into {folder}", file=sys.stderr, flush=True)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run(
        [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            requirement,
        ],
        stdout=sys.stderr,
        check=True,
    )
    marker.touch()


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in VERSIONS:
        sys.exit(__doc__)
    print(program(sys.argv[1]))
