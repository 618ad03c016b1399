#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole check over finished builds; ./dev test calls it.

Ends with "N passed, N failed, N skipped". A test that is skipped must be named in tests/skips.txt
with the reason, and so must a question of the vector files that this build does not have; else it
counts as failed.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterable

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
# Beside each other, in this order: what takes longest begins first, what waits beside what works.
SUITES = (
    "package",
    "cluster",
    "agent",
    "capd",
    "live",
    "cli",
    "operator",
    "apiserver",
    "docs",
    "model",
    "lint",
    "scheduler",
    "outside",
    "simulator",
    "monitoring",
    "runtime",
    "python",
    "rescue",
    "same",
    "fakehost",
    "fixtures",
)
# Suites that wait more than they work: their modules in processes of their own, the longest first, two at a time.
IN_MODULES = {"cluster": ("test_cluster_pair", "test_cluster_faults", "test_cluster_rights")}
# Programs of ctest that --check leaves out: each takes longer than a few seconds.
LONG = (
    "abi_install",
    "autoscale_engine",
    "base_locale",
    "base_number_shortest",
    "cluster_property",
    "enforce_ownership",
    "journal_faults",
    "sim_outside",
    "tensor_fusion_convert_ways",
)
CHECK = ("ctest", "vectors", "lint")
CMOCKA_LINE = re.compile(r"^\[\s*(OK|FAILED|ERROR|SKIPPED)\s*\] (?!\d+ test)(\w+)$", re.MULTILINE)


class Tally:
    """What passed, failed and was skipped, by name."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[str] = []
        self.skipped: list[tuple[str, str]] = []
        self.reasons = read_skips(TESTS / "skips.txt")

    def listed(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.reasons)

    def skip(self, name: str, reason: str) -> None:
        if self.listed(name):
            self.skipped.append((name, reason))
        else:
            self.fail(name, f"skipped ({reason}), but tests/skips.txt does not list it")

    def fail(self, name: str, detail: str = "") -> None:
        self.failed.append(name)
        print(f"FAIL {name}" + (f"\n{detail.rstrip()}" if detail else ""), flush=True)

    def check(self, name: str, is_good: bool, detail: str = "") -> None:
        if is_good:
            self.passed.append(name)
        else:
            self.fail(name, detail)


def read_skips(file: Path) -> dict[str, str]:
    """Lines NAME REASON; * in a name stands for anything."""
    lines = (
        line.split("#", 1)[0].strip() for line in file.read_text(encoding="utf-8").splitlines()
    )
    return dict(line.split(None, 1) for line in lines if line)


def run(arguments: list[Any], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(argument) for argument in arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        **options,
    )


def processor_s() -> float:
    """What this process and its children that ended took of the processors."""
    return sum(os.times()[:4])


def run_step(name: str, step: Callable[[], None]) -> None:
    start, start_cpu = time.monotonic(), processor_s()
    print(f"== {name}", flush=True)
    step()
    wall, cpu = time.monotonic() - start, processor_s() - start_cpu
    print(f"   {wall:.0f} s, {cpu:.0f} s of processors", flush=True)


def make_locale(folder: Path) -> dict[str, str]:
    """The environment with a locale that has decimal commas, for the programs that look for one.

    Only for them: newlocale() of glibc, which json-c calls, loses memory when LOCPATH is set.
    """
    folder.mkdir(exist_ok=True)
    made = run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"])
    return (
        {**os.environ, "LOCPATH": str(folder.resolve())} if made.returncode == 0 else {**os.environ}
    )


def add_program(tally: Tally, suite: str, case: ElementTree.Element) -> None:
    """One program of ctest; the tests inside it when they are cmocka's."""
    name = f"{suite}.{case.get('name')}"
    output = case.findtext("system-out") or ""
    inner = {found: word for word, found in CMOCKA_LINE.findall(output)}
    for found, word in inner.items():
        if word == "OK":
            tally.passed.append(f"{name}.{found}")
        elif word == "SKIPPED":
            tally.skip(f"{name}.{found}", "by the test")
        else:
            tally.fail(f"{name}.{found}")
    if case.get("status") == "run":
        if not inner:
            tally.passed.append(name)
    elif {"FAILED", "ERROR"} & set(inner.values()):
        print(output[-8000:])
    else:  # it broke outside of its tests
        tally.fail(name, output[-8000:])
    if case.get("name") == "vectors":
        print("   " + output.strip().splitlines()[-1])


def ctest(
    tally: Tally, suite: str, build: Path, selection: list[str], env: dict[str, str] | None = None
) -> None:
    report = build / "ctest.xml"
    report.unlink(missing_ok=True)
    size = "--test-output-size-passed 4000000 --test-output-size-failed 4000000".split()
    jobs = str(os.cpu_count() or 1)
    command = ["ctest", "--test-dir", build, "-j", jobs, "--no-tests=error"]
    done = run([*command, "--output-junit", report.resolve(), *size, *selection], env=env)
    if not report.exists():
        tally.fail(suite, done.stdout)
        return
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        add_program(tally, suite, case)


def short_programs(tally: Tally, build: Path) -> None:
    ctest(tally, "ctest", build, ["-E", f"^({'|'.join(LONG)})$"])


def programs(tally: Tally, build: Path) -> None:
    ctest(tally, "ctest", build, ["-E", "locale"])
    ctest(tally, "ctest", build, ["-R", "locale"], make_locale(build / "locale"))


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def runners(tally: Tally, dev: Path, release: Path) -> None:
    """The vectors through C, Python and the command line; the answers must be the same bytes."""
    files = sorted((TESTS / "vectors").glob("*.json"))
    folder = release / "answers"
    folder.mkdir(exist_ok=True)
    program = TESTS / "vectors"
    commands = {
        "c": [release / "bin" / "test_vectors", "--answers", folder / "c", *files],
        "python": [sys.executable, program / "run_python.py", "--answers", folder / "python"],
        "cli": [
            sys.executable,
            program / "run_cli.py",
            "--joulie",
            dev / "bin" / "joulie",
            "--answers",
            folder / "cli",
        ],
    }
    texts = {}
    for name, command in commands.items():
        done = run(command)
        print(f"   {name}: {last_line(done.stdout)}")
        tally.check(f"vectors.{name}", done.returncode == 0, done.stdout[-8000:])
        answers = folder / name
        texts[name] = answers.read_bytes() if answers.exists() else b""
    for name in ("python", "cli"):
        is_same = texts[name] == texts["c"] and texts["c"] != b""
        tally.check(f"vectors.{name}-is-c", is_same, f"diff {folder / 'c'} {folder / name}")
    missing_questions(tally, texts["c"].decode())


def missing_questions(tally: Tally, answers: str) -> None:
    found = set(
        re.findall(
            r'"where":"question","message":"this build has no question \\"([^"\\]*)', answers
        )
    )
    for question in sorted(found):
        if not tally.listed(f"question:{question}"):
            tally.fail(
                f"question:{question}", "not in this build, and tests/skips.txt does not list it"
            )
    for pattern in tally.reasons:
        if pattern.startswith("question:") and pattern[len("question:") :] not in found:
            tally.fail("skips.txt", f"{pattern} is listed, but this build answers it")


class Result(unittest.TestResult):
    """unittest's results as lines of the tally."""

    def __init__(self, tally: Tally, suite: str) -> None:
        super().__init__()
        self.tally = tally
        self.suite = suite

    def name(self, test: unittest.TestCase) -> str:
        return f"{self.suite}.{test.id()}"

    def addSuccess(self, test: Any) -> None:
        self.tally.passed.append(self.name(test))

    def addFailure(self, test: Any, err: Any) -> None:
        self.tally.fail(self.name(test), self._exc_info_to_string(err, test))  # type: ignore[attr-defined]

    addError = addFailure

    def addSkip(self, test: Any, reason: str) -> None:
        self.tally.skip(self.name(test), reason)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self.addFailure(subtest, err)


def folder_of(suite: str) -> Path:
    (folder,) = {file.parent for file in TESTS.glob(f"*/{suite}/test_*.py")}  # a room may have the name
    return folder


def python_suite(tally: Tally, suite: str, module: str = "test_*") -> None:
    folder = folder_of(suite)
    found = unittest.TestLoader().discover(str(folder), f"{module}.py", str(folder))
    if found.countTestCases() == 0:
        tally.fail(suite, "no test was found")
    found.run(Result(tally, suite))


class Beside:
    """Steps as processes of their own, so many at a time: their output stays apart, their counts come together.

    What one of them leaves in its process (modules, variables, the current folder) no other finds.
    """

    def __init__(self, tally: Tally, jobs: int, arguments: list[str], option: str = "--only") -> None:
        self.tally = tally
        self.jobs = jobs
        self.command = [sys.executable, __file__, *arguments]
        self.option = option  # that takes the name of a step
        self.processes: list[subprocess.Popen[bytes]] = []

    def play(self, name: str, folder: Path) -> None:
        command = [*self.command, self.option, name, "--counts", str(folder / f"{name}.json")]
        with (folder / f"{name}.out").open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
            self.processes.append(process)
            process.wait()

    def report(self, name: str, folder: Path) -> None:
        print((folder / f"{name}.out").read_text(encoding="utf-8", errors="replace"), end="", flush=True)
        try:
            counts = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.tally.fail(name, "it ended without a count")
            return
        self.tally.passed += counts["passed"]
        self.tally.failed += counts["failed"]
        self.tally.skipped += map(tuple, counts["skipped"])

    def run(self, names: Iterable[str]) -> None:
        with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(self.jobs) as pool:
            folder = Path(place)
            played = {name: pool.submit(self.play, name, folder) for name in names}
            try:
                for name, future in played.items():
                    future.result()
                    self.report(name, folder)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in self.processes:
                    process.terminate()
                raise


def modules_beside(tally: Tally, suite: str) -> None:
    first = IN_MODULES[suite]
    others = sorted(file.stem for file in folder_of(suite).glob("test_*.py") if file.stem not in first)
    Beside(tally, 2, [*sys.argv[1:], "--only", suite], "--module").run([*first, *others])


def write_counts(tally: Tally, file: Path) -> None:
    counts = {"passed": tally.passed, "failed": tally.failed, "skipped": tally.skipped}
    file.write_text(json.dumps(counts), encoding="utf-8")


def arm64(tally: Tally, build: Path) -> None:
    """The rooms of the library on another processor, and the same answers there as here.

    Left out: a test that takes the emulator as long as many others and decides nothing, one of
    locales, which the C library of the cross compiler comes without, and one of descriptors that a
    kernel closes for want of room: the emulator keeps them, and says nothing.
    """
    os.environ.setdefault("JOULIE_MESSAGES", "20000")  # of a million: they are drawn natively too
    ctest(tally, "arm64", build, ["-E", "^(base_locale|enforce_client_socket|enforce_ownership)$"])
    os.environ["JOULIE_ARM64_BUILD"] = str(build.resolve())
    python_suite(tally, "arm64")


def fuzz(tally: Tally, build: Path) -> None:
    """The same inputs for the same commit: what it did not change does not fail it by chance."""
    done = run([sys.executable, TESTS / "nets" / "fuzz" / "run.py", build, "--repeat"])
    is_good = done.returncode == 0
    if is_good:
        print("   " + done.stdout.strip().replace("\n", "\n   "))
    tally.check("fuzz", is_good, done.stdout[-8000:])


def crash_matrix(tally: Tally, build: Path, is_long: bool) -> None:
    """Killed at every system call that touches the host or the journal (tests/nets/crash/matrix.py); each open fails."""
    crash = TESTS / "nets" / "crash"
    done = run([sys.executable, crash / "matrix.py", "--build", build])
    print("   " + done.stdout.strip().replace("\n", "\n   "))
    tally.check("crash", done.returncode == 0)
    done = run([sys.executable, crash / "opens.py", "--build", build, *(["--long"] if is_long else [])])
    print("   " + done.stdout.strip().replace("\n", "\n   "))
    tally.check("opens", done.returncode == 0)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--release", type=Path, required=True)
    parser.add_argument("--oom", type=Path, help="build whose allocations fail")
    parser.add_argument("--tsan", type=Path, help="build that notices races")
    parser.add_argument("--fuzz", type=Path, help="build of the fuzz targets")
    parser.add_argument("--arm64", type=Path, help="build for 64-bit Arm, with an emulator")
    parser.add_argument("--check", action="store_true", help="the short part, while changing something")
    parser.add_argument("--long", action="store_true", help="longer forms of the tests that have one")
    parser.add_argument("--only", metavar="NAME", help="one step; suites: those of Python")
    parser.add_argument("--module", metavar="NAME", help="with --only and a suite of Python: one file of it, such as test_api")
    parser.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1, help="suites at a time")
    parser.add_argument("--counts", type=Path, help=argparse.SUPPRESS)  # one step's, for another run.py
    return parser.parse_args()


def steps_of(options: argparse.Namespace, tally: Tally) -> dict[str, Callable[[], None]]:
    steps: dict[str, Callable[[], None]] = {
        "ctest": lambda: programs(tally, options.dev),
        "vectors": lambda: runners(tally, options.dev, options.release),
    }
    for suite in SUITES:
        steps[suite] = lambda suite=suite: (  # type: ignore[misc]
            modules_beside(tally, suite)
            if suite in IN_MODULES and not options.module
            else python_suite(tally, suite, options.module or "test_*")
        )
    steps["shipped"] = lambda: ctest(tally, "shipped", options.release, ["-L", "^shipped$"])
    steps["crash"] = lambda: crash_matrix(tally, options.release, options.long)
    if options.oom:
        steps["oom"] = lambda: ctest(tally, "oom", options.oom, ["-R", "^oom"])
    if options.tsan:
        steps["tsan"] = lambda: ctest(tally, "tsan", options.tsan, [])
    if options.fuzz:
        steps["fuzz"] = lambda: fuzz(tally, options.fuzz)
    if options.arm64:
        steps["arm64"] = lambda: arm64(tally, options.arm64)
    if options.check:
        steps = {name: steps[name] for name in CHECK}
        steps["ctest"] = lambda: short_programs(tally, options.dev)
    if options.only and options.only not in (*steps, "suites"):
        sys.exit(f"--only {options.only}: the steps are {' '.join(steps)} suites")
    if options.module and options.only not in SUITES:
        sys.exit("--module goes with --only and a suite of Python")
    chosen = SUITES if options.only == "suites" else (options.only,)
    return {name: step for name, step in steps.items() if not options.only or name in chosen}


def run_all(steps: dict[str, Callable[[], None]], tally: Tally, jobs: int, module: str) -> None:
    """Each step alone, but for the suites, which are run beside each other where the first of them stands."""
    suites = [name for name in steps if name in SUITES]
    beside = Beside(tally, jobs, sys.argv[1:])
    for name, step in steps.items():
        if name not in suites or len(suites) == 1:
            run_step(f"{name} {module}" if module else name, step)
        elif name == suites[0]:
            run_step("suites", lambda: beside.run(suites))


def main() -> int:
    options = read_options()
    # Tests send SIGINT, which a shell lets be ignored by what it starts in the background; unittest stops for nothing else.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    os.environ["JOULIE_DEV_BUILD"] = str(options.dev.resolve())
    os.environ["JOULIE_RELEASE_BUILD"] = str(options.release.resolve())
    os.environ["JOULIE_LIBRARY"] = str((options.release / "lib" / "libjoulie.so.1").resolve())
    if options.long:
        os.environ["JOULIE_LONG"] = "1"
    sys.path.insert(0, str(TESTS / "support"))

    tally = Tally()
    run_all(steps_of(options, tally), tally, options.jobs, options.module or "")
    is_good = bool(tally.passed) and not tally.failed
    if options.counts:
        write_counts(tally, options.counts)
        return 0 if is_good else 1
    for name, reason in tally.skipped:
        print(f"skipped {name}: {reason}")
    for name in tally.failed:
        print(f"failed {name}")
    print(f"{len(tally.passed)} passed, {len(tally.failed)} failed, {len(tally.skipped)} skipped")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
