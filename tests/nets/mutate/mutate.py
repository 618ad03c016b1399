#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the pure rooms by one token at a time and sees whether a test notices: mutate.py [--count 200] [--seed N].

Works in a copy of the checkout below build/mutate, in which the library is one shared object: a change is compiled and
linked beside it, and the unit tests and vectors run over the result, those of the room first, until one fails. What
these do not notice is tried with failing allocations and with sanitizers, as ./dev test does. Each of the three builds has a number of
seconds for that (WAYS), so that a change that nothing notices costs less than a minute. A change that does not compile, or to equal
machine code, is drawn again. survivors.txt says of those that no test can see why; they do not count.

Ends with the share that was noticed; exit status 1 below 90 %. report.json beside the copy has every change.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

from sites import Site, drawn, sites

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "lint"))
from layers import read_rules  # pylint: disable=wrong-import-position
from purity import PURE  # pylint: disable=wrong-import-position

LEAST_PCT = 90.0
KINDS = ("comparison", "sign", "constant", "boolean")
# Folders of tests/ whose programs use pure rooms; those of the rooms below cannot notice a change.
PARTS = (*PURE, "vectors", "ask", "host", "enforce", "quality")
OOM_PARTS = ("oom",)
RULES = read_rules(HERE.parent / "lint" / "layers.txt")
NO_TEST = {
    "base_locale",  # wants a locale of its own
    "enforce_ownership",  # 40 s; this and the next are about rooms that are not pure
    "host_os",
    "host_root",
    "host_scan",
    "host_hostile",
    "host_snapshot",
    "journal_faults",
    "journal_file",
    "oom_net",  # about a daemon
}
ADDED = re.compile(r"^add_test\((?:\[=*\[)?(\w+)(?:\]=*\])?\s+(.*)\)$", re.MULTILINE)
EDITS = (  # of the copy: every object is replaceable without linking the tests again
    (
        "libjoulie/CMakeLists.txt",
        "add_library(joulie_core STATIC)",
        "add_library(joulie_core SHARED)",
    ),
    ("cmake/warnings.cmake", "-fvisibility=hidden", "-fvisibility=default"),
)
MEMORY_BYTES = 4 << 30
LONGEST_S = 1800  # a test that waits
SANITIZERS = {
    "ASAN_OPTIONS": "hard_rss_limit_mb=3000:abort_on_error=0",
    "UBSAN_OPTIONS": "halt_on_error=1",
}


def may_use(part: str, room: str) -> bool:
    """Whether programs of tests/part can call the room; tests/rooms/host also tests what node makes of a host."""
    return part not in RULES.level or part == "host" or RULES.allows(part, room)


class Test(NamedTuple):
    name: str
    part: str
    command: list[str]
    seconds: float  # of processor time over the unchanged library


class Way(NamedTuple):
    """How the copy is built, and which tests run then."""

    name: str
    options: tuple[str, ...]
    parts: tuple[str, ...]
    flags: tuple[str, ...]  # of the linker
    seconds: float  # of processor time for the tests of one change


SANITIZE = "address,undefined"
WAYS = (
    Way("plain", (), PARTS, (), 25),
    Way("oom", ("-DJOULIE_OOM=ON",), OOM_PARTS, (), 5),
    Way("sanitizers", (f"-DJOULIE_SANITIZE={SANITIZE}",), PARTS, (f"-fsanitize={SANITIZE}",), 15),
)


class Result(NamedTuple):
    verdict: str  # killed, survived, equivalent, same code, no compile
    by: str


def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        **options,
    )


def must(command: list[str], **options: object) -> str:
    done = run(command, **options)
    if done.returncode != 0:
        sys.exit(f"mutate: {shlex.join(command)}\n{done.stdout[-6000:]}")
    return done.stdout


def copy_tree(to: Path) -> None:
    """What git would know of the checkout; files that did not change keep their times."""
    names = must(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).split("\0")
    wanted = {name for name in names if name and (ROOT / name).is_file()}
    edits = {file: (old, new) for file, old, new in EDITS}
    for name in wanted:
        data, target = (ROOT / name).read_bytes(), to / name
        if name in edits:
            old, new = (text.encode() for text in edits[name])
            if old not in data:
                sys.exit(f"mutate: {name} no longer says {old.decode()}")
            data = data.replace(old, new)
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        shutil.copymode(ROOT / name, target)
    for file in [file for file in to.rglob("*") if file.is_file()]:
        if str(file.relative_to(to)) not in wanted:
            file.unlink()


def children_seconds() -> float:
    """Processor time: others may want the machine too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def limit(cpu_seconds: float, memory_bytes: int | None) -> None:
    """Of this process: processor time, because others may want the machine too."""
    seconds = math.ceil(cpu_seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


class Build:
    """The copy, built in one way."""

    def __init__(self, tree: Path, folder: Path, way: Way, jobs: int) -> None:
        self.tree, self.folder, self.way = tree, folder, way
        flags = [
            "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_C_FLAGS_DEBUG=-O1",
            "-DCMAKE_SKIP_RPATH=ON",
            *way.options,
        ]
        must(["cmake", "-G", "Ninja", "-S", str(tree), "-B", str(folder), *flags])
        found = [
            test for test in self.listed() if test.part in way.parts and test.name not in NO_TEST
        ]
        must(
            [
                "ninja",
                "-C",
                str(folder),
                f"-j{jobs}",
                *(Path(test.command[0]).name for test in found),
            ]
        )
        entries = json.loads((folder / "compile_commands.json").read_text())
        self.commands = {
            entry["file"]: shlex.split(entry["command"])
            for entry in entries
            if "CMakeFiles/joulie_core.dir/" in entry["command"]
        }
        self.objects = {
            file: folder / command[command.index("-o") + 1]
            for file, command in self.commands.items()
        }
        self.plain: dict[str, bytes] = {}  # objects as a change is compiled, without the change
        self.tests = [self.timed(test) for test in found]

    def listed(self) -> list[Test]:
        """Those of ctest; what it lists itself leaves out programs that are still to be built."""
        result = []
        for part in self.way.parts:
            files = (self.folder / "tests").rglob(f"{part}/CTestTestfile.cmake")
            for name, words in (found for file in files for found in ADDED.findall(file.read_text())):
                command = shlex.split(words)
                if Path(command[0]).parent == self.folder / "bin":
                    result.append(Test(name, part, command, 0))
        return result

    def environment(self, library: Path) -> dict[str, str]:
        return {
            **os.environ,
            **SANITIZERS,
            "LD_LIBRARY_PATH": str(library),
            "CMOCKA_MESSAGE_OUTPUT": "stdout",
        }

    def status(self, test: Test, library: Path, cpu_seconds: float) -> int | None:
        """None = it did not come to an end, be it that it works on or that it waits."""
        memory_bytes = None if self.way.flags else MEMORY_BYTES  # sanitizers reserve more than there is
        try:
            status = subprocess.run(
                test.command,
                cwd=self.tree,
                env=self.environment(library),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=LONGEST_S,
                check=False,
                preexec_fn=lambda: limit(cpu_seconds, memory_bytes),
            ).returncode
        except subprocess.TimeoutExpired:
            return None
        return None if status in (-signal.SIGXCPU, -signal.SIGKILL) else status

    def timed(self, test: Test) -> Test:
        before = children_seconds()
        if self.status(test, self.folder / "lib", LONGEST_S) != 0:
            sys.exit(f"mutate: {test.name} fails without any change ({self.folder})")
        return test._replace(seconds=children_seconds() - before)

    def compiled(self, file: str, source: str, out: Path) -> bool:
        """From its input, so that equal code gives equal objects wherever it lies."""
        command = list(self.commands[file])
        command[command.index("-o") + 1] = str(out)
        command = command[: command.index("-c")] + ["-w", "-x", "c", "-c", "-"]
        for flag in ("-MD", "-MT", "-MF"):
            if flag in command:
                at = command.index(flag)
                del command[at : at + (1 if flag == "-MD" else 2)]
        command += ["-o", str(out)] if "-o" not in command else []
        text = f'# 1 "{file}"\n{source}'
        return run(command, cwd=self.folder, input=text).returncode == 0

    def plain_object(self, file: str, out: Path) -> bytes:
        if file not in self.plain:
            if not self.compiled(file, Path(file).read_text(encoding="utf-8"), out):
                sys.exit(f"mutate: {file} does not compile")
            self.plain[file] = out.read_bytes()
        return self.plain[file]

    def link(self, file: str, changed: Path, library: Path) -> None:
        others = [str(made) for name, made in self.objects.items() if name != file]
        name = "libjoulie_core.so"
        words = [
            "gcc",
            "-shared",
            "-O1",
            *self.way.flags,
            f"-Wl,-soname,{name}",
            "-o",
            str(library / name),
        ]
        must([*words, *others, str(changed), "-ljson-c", "-lyaml", "-lm"])

    def order(self, room: str) -> list[Test]:
        """Those of the room, the vectors, then the quickest first while there is time; no room beside or below it."""

        def rank(test: Test) -> tuple[int, float]:
            is_own = test.part == room or test.name == f"oom_{room}"
            return (0 if is_own else 1 if test.part == "vectors" else 2), test.seconds

        result, left = [], self.way.seconds
        for test in sorted((test for test in self.tests if may_use(test.part, room)), key=rank):
            if test.seconds <= left:
                left -= test.seconds
                result.append(test)
        return result

    def tried(self, site: Site, source: str, worker: Path) -> Result:
        file = str(self.tree / "libjoulie" / site.file)
        worker.mkdir(parents=True, exist_ok=True)
        changed = worker / "changed.o"
        plain = self.plain_object(file, worker / "plain.o")
        if not self.compiled(file, site.applied(source), changed):
            return Result("no compile", "")
        if changed.read_bytes() == plain:
            return Result("same code", "")
        self.link(file, changed, worker)
        for test in self.order(site.room):
            status = self.status(test, worker, 5 + 5 * test.seconds)
            if status != 0:
                how = " (no end)" if status is None else " (crash)" if status < 0 else ""
                return Result("killed", test.name + how)
        return Result("survived", "")


def read_verdicts(file: Path) -> dict[tuple[str, str, str], str]:
    """Blocks of three lines: FILE: LINE, the change, the verdict."""
    verdicts = {}
    lines = [
        line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    for block in "\n".join(lines).split("\n\n"):
        if block.strip():
            head, change, verdict = (line.strip() for line in block.strip().splitlines())
            name, text = head.split(": ", 1)
            if not verdict.startswith("equivalent: "):
                sys.exit(f'mutate: {file.name}: {head}: a verdict is "equivalent: why"')
            verdicts[(name, text, change)] = verdict
    return verdicts


class Trial:
    """Draws and tries until there are enough."""

    def __init__(self, options: argparse.Namespace, builds: list[Build], todo: list[Site]) -> None:
        self.options, self.builds = options, builds
        self.verdicts = read_verdicts(HERE / "survivors.txt")
        self.todo = iter(todo)
        self.sources: dict[str, str] = {}
        self.lock = threading.Lock()
        self.good = 0  # changes that count towards --count
        self.rows: list[tuple[Site, Result]] = []

    def source(self, site: Site) -> str:
        file = self.builds[0].tree / "libjoulie" / site.file
        return self.sources.setdefault(site.file, file.read_text(encoding="utf-8"))

    def tried(self, site: Site, worker: int) -> Result:
        folder = self.options.folder / f"worker{worker}"
        for build in self.builds:
            result = build.tried(site, self.source(site), folder / build.way.name)
            if result.verdict != "survived":
                return result._replace(by=f"{build.way.name} {result.by}")
        if site.key in self.verdicts:
            return Result("equivalent", self.verdicts[site.key])
        return result

    def next(self) -> Site | None:
        with self.lock:
            if self.good >= self.options.count:
                return None
            self.good += 1
            return next(self.todo, None)

    def work(self, worker: int) -> None:
        while (site := self.next()) is not None:
            start = time.monotonic()
            result = self.tried(site, worker)
            with self.lock:
                if result.verdict in ("no compile", "same code"):
                    self.good -= 1
                self.rows.append((site, result))
                where = f"{site.file}:{site.line}"
                seconds = f"{time.monotonic() - start:.1f} s"
                print(
                    f"{result.verdict:<10} {where:<32} {site.change:<16} {seconds:>7}  {result.by}",
                    flush=True,
                )
                if result.verdict == "survived":
                    print(f"    {site.text}", flush=True)

    def run(self) -> None:
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for future in [pool.submit(self.work, i) for i in range(self.options.jobs)]:
                future.result()


def share(rows: list[tuple[Site, Result]]) -> tuple[int, int, int, float]:
    """Killed, survived, equivalent, killed %."""
    count = {
        word: sum(result.verdict == word for _, result in rows)
        for word in ("killed", "survived", "equivalent")
    }
    of = count["killed"] + count["survived"]
    return (
        count["killed"],
        count["survived"],
        count["equivalent"],
        100.0 * count["killed"] / of if of else 100.0,
    )


def table(rows: list[tuple[Site, Result]]) -> Iterator[str]:
    yield f"{'':<12} killed survived equivalent      %"
    groups: list[tuple[str, Callable[[Site], bool]]] = [
        *((room, lambda site, room=room: site.room == room) for room in PURE),  # type: ignore[misc]
        *((kind, lambda site, kind=kind: site.kind == kind) for kind in KINDS),  # type: ignore[misc]
    ]
    for name, belongs in groups:
        some = [row for row in rows if belongs(row[0])]
        if some:
            killed, survived, equivalent, pct = share(some)
            yield f"{name:<12} {killed:>6} {survived:>8} {equivalent:>10} {pct:>6.1f}"


def report(rows: list[tuple[Site, Result]], options: argparse.Namespace) -> dict[str, object]:
    killed, survived, equivalent, pct = share(rows)
    return {
        "seed": options.seed,
        "killed": killed,
        "survived": survived,
        "equivalent": equivalent,
        "drawnAgain": len(rows) - killed - survived - equivalent,
        "killedPct": round(pct, 2),
        "mutations": [
            {**site._asdict(), "change": site.change, "verdict": result.verdict, "by": result.by}
            for site, result in rows
        ],
    }


def all_sites(tree: Path, only: str | None) -> list[Site]:
    found: list[Site] = []
    for room in PURE:
        for file in sorted((tree / "libjoulie" / room).glob("*.c")):
            name = f"{room}/{file.name}"
            if only is None or name.startswith(only):
                found += sites(name, file.read_text(encoding="utf-8"))
    return found


def seed_of_commit(root: Path) -> int:
    """A number that nobody chose: the first 32 bits of the hash of HEAD."""
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, check=True, text=True, stdout=subprocess.PIPE
    )
    return int(head.stdout[:8], 16)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, help="default: of the commit's hash, so that no seed is known to the tests")
    parser.add_argument(
        "--only", metavar="ROOM", help="one room, or files whose name below libjoulie/ begins so"
    )
    parser.add_argument(
        "--again", action="store_true", help="only those that survived the run before"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutate")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = seed_of_commit(ROOT)
    options.folder = options.folder.resolve()
    tree = options.folder / "tree"
    copy_tree(tree)
    todo = drawn(all_sites(tree, options.only), options.seed)
    if options.again:
        earlier = json.loads((options.folder / "report.json").read_text(encoding="utf-8"))
        keys = {
            (m["file"], m["text"], m["change"])
            for m in earlier["mutations"]
            if m["verdict"] == "survived"
        }
        todo = [site for site in todo if site.key in keys]
    if not todo:
        parser.error(f"there is nothing to change in {options.only}")
    builds = [Build(tree, options.folder / way.name, way, options.jobs) for way in WAYS]
    trial = Trial(options, builds, todo)
    trial.run()
    summary = report(trial.rows, options)
    (options.folder / "report.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    print("\n".join(table(trial.rows)))
    for site, result in trial.rows:
        if result.verdict == "survived":
            print(f"\n{site.file}: {site.text}\n    {site.change}")
    known = {site.key for site in todo}
    for file, text, change in trial.verdicts.keys() - known if options.only is None else ():
        print(
            f"survivors.txt has a verdict of a line that is no longer there: {file}: {text} ({change})"
        )
    print(
        f"seed {options.seed}: {summary['killed']} killed, {summary['survived']} survived, {summary['equivalent']} equivalent, "
        f"{summary['drawnAgain']} drawn again; {summary['killedPct']} % killed ({options.folder / 'report.json'})"
    )
    return 0 if share(trial.rows)[3] >= LEAST_PCT else 1


if __name__ == "__main__":
    sys.exit(main())
