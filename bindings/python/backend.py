# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517, named in pyproject.toml): nothing but the standard library is needed.

The wheel carries libjoulie.so.1, and copies of json-c and libyaml for systems that have none. It is
for every Python 3, as the library is called through ctypes, and for the glibc that its libraries
ask for: py3-none-manylinux_2_33_x86_64. Equal files give equal bytes.

Environment:
    JOULIE_WHEEL_LIBRARY    the library; default: build/release/lib/libjoulie.so.1 of the checkout;
                            "none": a wheel for all machines that uses the system's library
    SOURCE_DATE_EPOCH       time of the files in the wheel
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SONAME = "libjoulie.so.1"
CARRIED = re.compile(r"lib(json-c|yaml-0)\.so\.\d+")  # what the library needs besides libc and libm
EARLIEST = 315_532_800  # 1980, where the time of zip files begins


class Project(NamedTuple):
    name: str
    version: str
    summary: str
    requires_python: str
    classifiers: list[str]


class Wheel:
    """A zip file with a RECORD; names in their order, one time for all."""

    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        seconds = max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST)
        self._time = time.gmtime(seconds)[:6]
        self._record: list[str] = []

    def add(self, name: str, data: bytes, mode: int = 0o644) -> None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}\n")
        self._write(name, data, mode)

    def _write(self, name: str, data: bytes, mode: int) -> None:
        entry = zipfile.ZipInfo(name, self._time)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(entry, data)

    def close(self, record: str) -> None:
        self._write(record, "".join([*self._record, f"{record},,\n"]).encode(), 0o644)
        self._zip.close()


def read_project() -> Project:
    """The few keys of pyproject.toml that the metadata needs; tomllib came with Python 3.11."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")

    def value(key: str) -> str:
        match = re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE)
        if not match:
            raise SystemExit(f"pyproject.toml has no {key}")
        return match[1]

    listed = re.search(r"^classifiers = \[(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    return Project(
        value("name"),
        value("version"),
        value("description"),
        value("requires-python"),
        re.findall(r'"(.*)"', listed[1]) if listed else [],
    )


def metadata(project: Project) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project.name}",
        f"Version: {project.version}",
        f"Summary: {project.summary}",
        "License: Apache-2.0",
        f"Requires-Python: {project.requires_python}",
        *(f"Classifier: {each}" for each in project.classifiers),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "docs" / "python.md").read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def run(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def find_library() -> Optional[Path]:
    named = os.environ.get("JOULIE_WHEEL_LIBRARY")
    if named == "none":
        return None
    library = Path(named) if named else ROOT / "build" / "release" / "lib" / SONAME
    if not library.exists():
        raise SystemExit(
            f"{library} is not there: ./dev build makes it, JOULIE_WHEEL_LIBRARY names it"
        )
    return library.resolve()


def needs_of(library: Path) -> dict[str, Path]:
    """What the wheel carries beside the library: name → file of this system."""
    found = re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", str(library)), re.MULTILINE)
    return {name: Path(file) for name, file in found if CARRIED.fullmatch(name)}


def least_glibc(files: list[Path]) -> tuple[int, int]:
    """The newest version of glibc that one of the libraries asks for."""
    text = "".join(run("readelf", "--version-info", "--wide", str(file)) for file in files)
    versions = {(int(a), int(b)) for a, b in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text)}
    return max({(2, 17), *versions})


def licence_of(file: Path) -> tuple[str, bytes]:
    """Debian's copyright file of the package that a library came from."""
    package = run("dpkg", "-S", str(file.resolve())).split(":")[0]
    return package, (Path("/usr/share/doc") / package / "copyright").read_bytes()


def sources() -> dict[str, Path]:
    package = HERE / "joulie"
    files = [file for file in package.iterdir() if file.suffix in (".py", ".pyi", ".typed")]
    files.append(package / "py.typed")
    return {f"joulie/{file.name}": file for file in sorted(set(files))}


def write_metadata(wheel: Wheel, folder: str, project: Project, tag: str) -> None:
    is_pure = str(tag.endswith("any")).lower()
    wheel.add(f"{folder}/METADATA", metadata(project).encode())
    text = f"Wheel-Version: 1.0\nGenerator: joulie\nRoot-Is-Purelib: {is_pure}\nTag: {tag}\n"
    wheel.add(f"{folder}/WHEEL", text.encode())
    wheel.add(f"{folder}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    project, library = read_project(), find_library()
    needs = needs_of(library) if library else {}
    tag = "py3-none-any"
    if library:
        major, minor = least_glibc([library, *needs.values()])
        tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    base = f"{project.name}-{project.version}"
    name = f"{base}-{tag}.whl"
    wheel = Wheel(Path(wheel_directory) / name)
    for inside, file in sources().items():
        wheel.add(inside, file.read_bytes())
    folder = f"{base}.dist-info"
    if library:
        wheel.add(f"joulie/_lib/{SONAME}", library.read_bytes(), 0o755)
    for needed, file in sorted(needs.items()):
        wheel.add(f"joulie/_lib/{needed}", file.read_bytes(), 0o755)
        package, text = licence_of(file)
        wheel.add(f"{folder}/licenses/{package}", text)
    write_metadata(wheel, folder, project, tag)
    wheel.close(f"{folder}/RECORD")
    return name


def build_editable(
    wheel_directory: str,
    config_settings: Optional[dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """For pip install -e: the package stays here and finds the library of the checkout."""
    project = read_project()
    base, tag = f"{project.name}-{project.version}", "py3-none-any"
    name = f"{base}-0.editable-{tag}.whl"
    wheel = Wheel(Path(wheel_directory) / name)
    wheel.add(f"{project.name}.pth", f"{HERE}\n".encode())
    write_metadata(wheel, f"{base}.dist-info", project, tag)
    wheel.close(f"{base}.dist-info/RECORD")
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    """The Python files alone, for the index; a wheel is built in a checkout."""
    project = read_project()
    base = f"{project.name}-{project.version}"
    files = {**sources(), "backend.py": HERE / "backend.py"}
    files["pyproject.toml"] = HERE / "pyproject.toml"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name, file in files.items():
            archive.add(file, f"{base}/{name}", recursive=False)
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        text = metadata(project).encode()
        entry.size = len(text)
        archive.addfile(entry, BytesIO(text))
    return f"{base}.tar.gz"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(str(target)))
