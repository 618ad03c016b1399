# SPDX-License-Identifier: Apache-2.0
"""What joulie-agent promises without a cluster, over folders that look like machines.

Rules: docs/rules/node-agent.md, docs/rules/enforcement.md.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from checkout import DEV, ROOT
from waiting import DEADLINE_S, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

from hosts import write_host  # noqa: E402

AGENT = os.environ.get("JOULIE_AGENT", str(DEV / "bin" / "joulie-agent"))
CAPD = os.environ.get("JOULIE_CAPD", str(DEV / "bin" / "joulie-capd"))
POWERCAP = "sys/devices/virtual/powercap/intel-rapl"
FOUND_UW = 205000000  # limits of the machine intel-2s

TWIN = """apiVersion: joulie.io/v1alpha1
kind: NodeTwin
metadata:
  name: worker-1
spec:
  nodeName: Worker.1
  profile: eco
  cpu:
    packagePowerCapWatts: %s
"""


def snapshot(folder):
    """Everything below a folder: kinds, modes, times, bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        body = os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(folder))] = (facts.st_mode, facts.st_mtime_ns, body)
    return found


def files_of(pid):
    """What its descriptors are; one that is closed meanwhile is left out."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(os.readlink(entry))
        except FileNotFoundError:
            pass
    return found


def children_of(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def capds_of(pid):
    """Those of them that write: joulie-rescue comes before joulie-capd, and goes."""
    return [child for child in children_of(pid) if "joulie-capd" in name_of(child)]


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def remnants(root):
    """Processes with the folder of the test in their command lines: those whose agents are gone."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(root) in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def end_remnants(root):
    for pid in remnants(root):
        with contextlib.suppress(ProcessLookupError):  # with the first of a container go all others
            os.kill(pid, signal.SIGKILL)


class Machine(unittest.TestCase):
    """A machine, a spec beside it, and the agents of one test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.root = self.folder / "root"
        self.addCleanup(end_remnants, self.root)
        write_host("intel-2s", self.root)
        self.state = self.root / "var/lib/joulie"
        self.spec = self.folder / "spec.yaml"
        self.status = self.folder / "status.json"
        self.log = self.folder / "log"
        self.log.touch()
        self.limits = [
            self.root / POWERCAP / f"intel-rapl:{package}" / "constraint_0_power_limit_uw"
            for package in (0, 1)
        ]
        self.want(120)

    def want(self, watts):
        """Replaces the spec at once, as a person's editor or a ConfigMap does."""
        self.write_spec(TWIN % watts)

    def write_spec(self, text):
        beside = self.folder / "spec.new"
        beside.write_text(text)
        beside.rename(self.spec)

    def arguments(self, *more):
        return [AGENT, "--root", self.root, "--spec", self.spec, "--status", self.status, *more]

    def run_agent(self, *more, env=None, arguments=None, **options):
        return subprocess.run(
            arguments or self.arguments(*more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            env={**os.environ, **(env or {})},
            **options,
        )

    def start(self, *more, env=None, **options):
        with self.log.open("ab") as log:
            agent = subprocess.Popen(
                [str(word) for word in self.arguments(*more)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(env or {})},
                **options,
            )
        self.addCleanup(self.end, agent)
        return agent

    @staticmethod
    def end(agent):
        if agent.poll() is None:
            agent.kill()
        agent.wait()

    def finish(self, agent, number=signal.SIGTERM):
        agent.send_signal(number)
        return agent.wait(DEADLINE_S)

    def read_limits(self):
        return [int(file.read_text() or -1) for file in self.limits]

    def have(self, *limits_uw):
        return lambda: self.read_limits() == list(limits_uw)

    def wait_for_cap(self, watts):
        limit = int(watts * 1_000_000)
        wait_until(f"a cap of {watts} W; log: {self.said()}", self.have(limit, limit))

    def said(self):
        return self.log.read_text()

    def wait_for_words(self, words):
        wait_until(f"{words!r} in the log", lambda: words in self.said())

    def read_status(self):
        return json.loads(self.status.read_text())

    def journal(self):
        return "".join(file.read_text() for file in self.state.glob("caps-*"))


class Once(Machine):
    def test_one_step_caps_every_package_and_leaves_the_journal_open(self):
        done = self.run_agent("--once")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.assertIn(" baseline ", self.journal())
        self.assertNotIn(" restored ", self.journal())

    def test_the_status_is_a_twin_with_what_came_of_it_only(self):
        self.run_agent("--once")
        status = self.read_status()
        self.assertEqual(sorted(status), ["apiVersion", "kind", "metadata", "spec", "status"])
        self.assertEqual((status["apiVersion"], status["kind"]), ("joulie.io/v1alpha1", "NodeTwin"))
        self.assertEqual(status["metadata"], {"name": "worker-1"})
        self.assertEqual(status["spec"], {"nodeName": "Worker.1", "profile": "eco"})
        self.assertEqual(list(status["status"]), ["controlStatus"])
        control = status["status"]["controlStatus"]
        self.assertEqual((control["cpu"]["backend"], control["cpu"]["result"]), ("rapl", "applied"))
        self.assertEqual(control["gpu"]["result"], "none")
        self.assertEqual(self.status.stat().st_mode & 0o777, 0o644)
        self.assertEqual([file.name for file in self.folder.glob(".*")], [])

    def test_without_a_file_the_status_goes_to_standard_output(self):
        done = self.run_agent(arguments=[AGENT, "--root", self.root, "--spec", self.spec, "--once"])
        self.assertEqual(json.loads(done.stdout)["spec"]["nodeName"], "Worker.1")
        self.assertFalse(self.status.exists())

    def test_a_spec_alone_is_enough(self):
        self.spec.write_text('{"nodeName":"n","profile":"eco","cpu":{"packagePowerCapWatts":100}}')
        self.assertEqual(self.run_agent("--once").returncode, 0)
        self.assertEqual(self.read_limits(), [100000000] * 2)
        self.assertEqual(self.read_status()["spec"], {"nodeName": "n", "profile": "eco"})

    def test_a_later_agent_gives_back_what_one_step_left(self):
        self.run_agent("--once")
        agent = self.start()
        self.wait_for_words("level=")
        wait_until("the state is taken", lambda: capds_of(agent.pid))
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_spec_that_cannot_be_read_is_1(self):
        self.spec.unlink()
        done = self.run_agent("--once")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.spec}: No such file or directory", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_half_watts_are_read_where_people_write_them_with_a_comma(self):
        self.want("120.5")
        done = self.run_agent("--once", env={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_limits(), [120500000] * 2)
        self.assertNotIn(",5", self.journal())

    def test_the_system_calls_of_a_run_can_be_counted(self):
        counts = self.folder / "counts"
        done = self.run_agent("--once", "--counts-file", counts, "--log-level", "debug")
        self.assertRegex(counts.read_text(), r"^calls=\d+ writes=\d+ syncs=\d+\n$")
        self.assertIn(f'level=debug component=host msg="{counts.read_text().strip()}"', done.stderr)


class Observe(Machine):
    def test_nothing_is_written_below_the_root(self):
        before = snapshot(self.root)
        self.assertEqual(self.run_agent("--observe", "--once").returncode, 0)
        self.status.unlink()
        agent = self.start("--observe")
        wait_until("a status", self.status.exists)
        self.assertEqual(children_of(agent.pid), [])
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(snapshot(self.root), before)

    def test_simulate_only_is_the_same(self):
        before = snapshot(self.root)
        done = self.run_agent("--once", env={"SIMULATE_ONLY": "True"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(snapshot(self.root), before)

    def test_the_command_line_wins_over_the_environment(self):
        done = self.run_agent("--once", "--enforce", env={"SIMULATE_ONLY": "true"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_limits(), [120000000] * 2)

    def test_caps_of_an_agent_that_is_gone_are_reported(self):
        self.run_agent("--once")
        done = self.run_agent("--once", "--observe")
        self.assertIn("joulie cap restore gives them back", done.stderr)
        self.assertEqual(self.read_limits(), [120000000] * 2)


class Running(Machine):
    def test_it_follows_the_spec_and_gives_everything_back_at_the_end(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                self.want(120)
                agent = self.start()
                self.wait_for_cap(120)
                self.want(150)
                self.wait_for_cap(150)
                (capd,) = capds_of(agent.pid)
                self.assertEqual(self.finish(agent, number), 0, self.said())
                self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
                control = self.read_status()["status"]["controlStatus"]
                self.assertEqual(control["cpu"]["result"], "none")
                self.assertFalse(is_alive(capd))

    def test_a_spec_that_is_rewritten_in_place_is_seen(self):
        self.start()
        self.wait_for_cap(120)
        self.spec.write_text(TWIN % 130)  # the same file, the same number of bytes
        self.wait_for_cap(130)

    def test_a_spec_that_is_gone_stays_in_force_and_is_reported_once(self):
        self.start()
        self.wait_for_cap(120)
        self.spec.unlink()
        words = f"{self.spec}: No such file or directory; the last good one stays in force"
        self.wait_for_words(words)
        self.want(140)
        self.wait_for_cap(140)
        self.assertEqual(self.said().count(words), 1)

    def test_a_broken_spec_is_reported_with_its_path_and_the_last_good_one_stays(self):
        self.start()
        self.wait_for_cap(120)
        self.write_spec(TWIN.replace("packagePowerCapWatts: %s", "packagePowerCapPctOfMax: 130"))
        self.wait_for_words(f"{self.spec}")
        self.wait_for_words("spec.cpu.packagePowerCapPctOfMax")
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.write_spec("")
        self.wait_for_words(f"{self.spec}:1: the document is empty; ")
        self.write_spec("{")
        wait_until("a third complaint", lambda: self.said().count("stays in force") == 3)
        self.assertEqual(self.read_limits(), [120000000] * 2)

    def test_a_spec_of_another_node_is_refused(self):
        done = self.run_agent("--once", "--node-name", "worker-2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("spec.nodeName: is", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_what_is_no_file_of_a_fair_size_is_refused_at_once(self):
        sparse = self.folder / "large"
        with sparse.open("wb") as file:
            file.truncate(1 << 30)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for path, words in (
            (sparse, "larger than 16 MiB"),
            (pipe, "is not a regular file"),
            (self.root, "is not a regular file"),
            ("/dev/zero", "is not a regular file"),
        ):
            with self.subTest(words):
                done = self.run_agent("--once", "--spec", path)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{path}: {words}", done.stderr)

    def test_the_disable_file_gives_back_until_it_is_gone(self):
        self.start()
        self.wait_for_cap(120)
        disable = self.root / "etc/joulie/disable"
        disable.parent.mkdir()
        disable.touch()
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))
        self.wait_for_words("etc/joulie/disable is there")
        disable.unlink()
        self.wait_for_cap(120)

    def test_caps_stay_when_asked_for(self):
        agent = self.start(env={"RESTORE_ON_EXIT": "false"})
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        self.assertEqual(self.finish(agent), 0)
        self.assertFalse(is_alive(capd))
        self.assertEqual(self.read_limits(), [120000000] * 2)

    def test_a_second_signal_does_not_break_off_the_restore(self):
        agent = self.start()
        self.wait_for_cap(120)
        agent.send_signal(signal.SIGTERM)
        for _ in range(100):
            if agent.poll() is None:
                agent.send_signal(signal.SIGINT)
                agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(DEADLINE_S), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_what_cannot_be_given_back_is_reported_and_is_1(self):
        agent = self.start()
        self.wait_for_cap(120)
        name = self.limits[0].parent / "name"
        name.write_text("package-7\n")
        self.assertEqual(self.finish(agent), 1)
        self.assertIn("still open: rapl/package-0/long_term", self.said())
        self.assertEqual(self.read_limits()[1], FOUND_UW)


class Status(Machine):
    def test_a_reader_never_sees_half_of_it(self):
        self.start()
        wait_until("a status", self.status.exists)
        seen = set()

        def look():
            seen.add(self.read_status()["status"]["controlStatus"]["cpu"]["message"])
            return self.read_limits() == [limit] * 2

        for watts in (130, 140, 150):
            limit = watts * 1_000_000
            self.want(watts)
            wait_until(f"{watts} W", look)

    def test_an_unwritable_status_is_reported_once_and_tried_again(self):
        late = self.folder / "late"
        self.start("--status", late / "status.json")
        self.wait_for_words(f"{late}/status.json: No such file or directory")
        self.want(140)
        self.wait_for_cap(140)
        late.mkdir()
        wait_until("a status", (late / "status.json").exists)
        self.assertEqual(self.said().count("status.json: No such file"), 1)
        self.assertEqual(list(late.iterdir()), [late / "status.json"])

    def test_a_status_that_finds_no_room_leaves_nothing_behind(self):
        self.status.write_text("before")
        limit = (64, 64)
        done = self.run_agent(
            "--once",
            "--observe",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.status}: File too large; it is tried again", done.stderr)
        self.assertEqual(self.status.read_text(), "before")
        self.assertEqual(list(self.folder.glob(".*")), [])

    def test_nothing_but_a_file_is_replaced(self):
        for path in ("/dev/null", self.root):
            done = self.run_agent("--once", "--status", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is not a regular file", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_link_leads_to_what_is_replaced(self):
        self.status.symlink_to(self.folder / "real.json")
        (self.folder / "real.json").touch()
        self.assertEqual(self.run_agent("--once").returncode, 0)
        self.assertTrue(self.status.is_symlink())
        self.assertEqual(json.loads((self.folder / "real.json").read_text())["kind"], "NodeTwin")

    def test_it_is_left_alone_while_nothing_is_new(self):
        self.start()
        self.wait_for_cap(120)
        seen = {}  # status file → since when

        def has_rest():
            since = seen.setdefault(
                self.status.exists() and self.status.stat().st_ino, time.monotonic()
            )
            return time.monotonic() - since > 3.5

        wait_until("three intervals with one status", has_rest)


class Death(Machine):
    def kill(self, agent):
        agent.kill()
        agent.wait()

    def test_joulie_capd_gives_back_what_a_killed_agent_left(self):
        agent = self.start("--watchdog-timeout", "300ms")
        self.wait_for_cap(120)
        self.kill(agent)
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))
        self.wait_for_words("rapl/package-1/long_term is given back")

    def test_without_a_time_to_wait_it_does_so_at_once(self):
        agent = self.start("--watchdog-timeout=0s")
        self.wait_for_cap(120)
        self.kill(agent)
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))

    def test_it_finds_a_state_folder_that_was_moved(self):
        agent = self.start("--watchdog-timeout", "300ms")
        self.wait_for_cap(120)
        self.state.rename(self.state.with_name("moved"))
        self.kill(agent)
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))
        self.assertFalse(self.state.exists())

    def test_it_finds_a_machine_that_was_moved(self):
        agent = self.start("--watchdog-timeout", "300ms")
        self.wait_for_cap(120)
        moved = self.folder / "moved"
        self.root.rename(moved)
        self.kill(agent)
        files = [moved / file.relative_to(self.root) for file in self.limits]
        wait_until(
            "the limits that were found", lambda: [int(file.read_text()) for file in files] == [FOUND_UW] * 2
        )
        self.assertFalse(self.root.exists())

    def test_it_survives_the_signals_that_end_an_agent(self):
        agent = self.start("--watchdog-timeout", "300ms")
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            os.kill(capd, number)
        self.assertNotEqual(os.getsid(capd), os.getsid(agent.pid))
        self.kill(agent)
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))

    def test_it_has_nothing_of_the_agent(self):
        agent = self.start(env={"JOULIE_TEST": "1"})
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        self.assertEqual(Path(f"/proc/{capd}/environ").read_bytes(), b"")
        self.assertEqual(os.readlink(f"/proc/{capd}/fd/0"), "/dev/null")
        self.assertEqual(os.readlink(f"/proc/{capd}/fd/1"), "/dev/null")
        for name in (name for name in files_of(capd) if not name.startswith(str(self.root.resolve()))):
            self.assertRegex(name, f"^(/dev/null|socket:.*|{self.log})$")

    def test_one_that_was_killed_is_replaced_without_a_gap(self):
        agent = self.start("--watchdog-timeout", "300ms", "--control-interval", "1h")
        self.wait_for_cap(120)
        (first,) = capds_of(agent.pid)
        time.sleep(1.1)  # one that dies at once is not replaced at once
        os.kill(first, signal.SIGKILL)
        seen = set()

        def look():
            seen.update(self.read_limits())
            return "it is there again" in self.said()

        wait_until("another one", look)
        self.assertEqual(seen, {120000000})
        self.assertNotIn(capds_of(agent.pid), ([], [first]))
        self.kill(agent)
        wait_until("the limits that were found", self.have(FOUND_UW, FOUND_UW))

    def test_the_next_agent_takes_over_without_passing_the_baseline(self):
        agent = self.start("--watchdog-timeout=600ms")
        self.wait_for_cap(120)
        (capd,) = capds_of(agent.pid)
        self.kill(agent)
        next_one = self.start()
        seen = set()

        def look():
            seen.update(self.read_limits())
            return not is_alive(capd)

        wait_until("the first joulie-capd is gone", look)
        self.assertEqual(seen, {120000000})
        self.assertEqual(self.finish(next_one), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_the_second_of_two_agents_is_1_and_names_the_first(self):
        agent = self.start()
        self.wait_for_cap(120)
        before = snapshot(self.state)
        done = self.run_agent()
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(agent.pid), done.stderr)
        self.assertEqual(snapshot(self.state), before)
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.assertEqual(self.finish(agent), 0)


class Options(Machine):
    def test_wrong_usage_is_2_and_names_the_place(self):
        for arguments, env, words in (
            (["--nothing"], {}, "joulie-agent: --nothing: there is no such option"),
            (
                [],
                {"CONTROL_INTERVAL": "1x"},
                'joulie-agent: CONTROL_INTERVAL: "1x" is not a duration such as 20s or 1m30s',
            ),
            ([], {"CONTROL_INTERVAL": "500ms"}, "CONTROL_INTERVAL: 500ms is below 1s"),
            ([], {"DVFS_TRIP_COUNT": "0"}, "DVFS_TRIP_COUNT: 0 is below 1"),
            ([], {"DVFS_EMA_ALPHA": "1.5"}, "DVFS_EMA_ALPHA: 1.5 is above 1"),
            ([], {"DVFS_CONTROLLER": "pid"}, "DVFS_CONTROLLER:"),
            ([], {"SIMULATE_ONLY": "perhaps"}, "SIMULATE_ONLY:"),
            (["--cap-floor-pct", "101"], {}, "--cap-floor-pct: 101 is above 100"),
            (["--enforce", "--observe"], {}, "are both asked for"),
        ):
            with self.subTest(words):
                done = self.run_agent("--once", *arguments, env=env)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_without_joulie_capd_nothing_is_taken_over(self):
        before = snapshot(self.root)
        nowhere = self.folder / "nowhere"
        done = self.run_agent("--once", "--capd-program", nowhere)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot start: {nowhere}: No such file or directory", done.stderr)
        for words in ((self.spec, "Permission denied"), (self.folder, "Permission denied")):
            self.assertIn("{}: {}".format(*words), self.run_agent("--capd-program", words[0]).stderr)
        self.assertEqual(snapshot(self.root), before)

    def test_one_that_stands_alone_says_what_it_needs(self):
        alone = self.folder / "joulie-agent"
        shutil.copy(AGENT, alone)
        words = [alone if word == AGENT else word for word in self.arguments("--once")]
        libraries = str(Path(AGENT).parent.parent / "lib")
        done = self.run_agent(arguments=words, env={"LD_LIBRARY_PATH": libraries})
        self.assertEqual(done.returncode, 1)
        self.assertIn("joulie-capd: it writes the limits, and is not beside this program", done.stderr)
        done = self.run_agent(
            arguments=[*words, "--capd-program", CAPD], env={"LD_LIBRARY_PATH": libraries}
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_limits(), [120000000] * 2)

    def test_what_joulie_capd_cannot_open_is_said_by_the_agent(self):
        self.state.touch()
        done = self.run_agent("--once")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot start: var/lib/joulie: Not a directory", done.stderr)

    def test_to_enforce_needs_a_spec(self):
        done = self.run_agent(arguments=[AGENT, "--root", self.root, "--enforce", "--once"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--spec", done.stderr)

    def test_a_root_that_is_not_there_is_1(self):
        done = self.run_agent("--once", "--root", self.folder / "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)

    def test_a_file_of_options_is_read(self):
        conf = self.folder / "agent.conf"
        conf.write_text(f"ROOT={self.root}\nSPEC={self.spec}\nCAP_FLOOR_PCT=80\n")
        done = self.run_agent(arguments=[AGENT, "--config", conf, "--once"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read_limits(), [164000000] * 2)  # 80 % of 205 W
        self.assertIn("CAP_FLOOR_PCT=80 (file)", done.stderr)

    def test_names_of_the_cluster_are_reported_to_have_no_effect(self):
        done = self.run_agent("--once", env={"KUBE_CLIENT_QPS": "50", "AGENT_MODE": "pool"})
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("KUBE_CLIENT_QPS", "AGENT_MODE"):
            self.assertIn(f"{name} has no effect without a cluster", done.stderr)

    def test_the_log_can_be_json(self):
        done = self.run_agent("--once", "--log-format", "json")
        for line in done.stderr.splitlines():
            self.assertEqual(sorted(json.loads(line)), ["component", "level", "msg"])

    def test_a_closed_standard_error_never_becomes_the_journal(self):
        done = self.run_agent("--once", "--log-level", "debug", preexec_fn=lambda: os.close(2))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.read_limits(), [120000000] * 2)
        self.assertNotIn("level=", self.journal())

    def test_a_shell_is_offered_flags_words_and_files(self):
        def offered(*words):
            return self.run_agent(arguments=[AGENT, "__complete", *words]).stdout

        self.assertIn("--dvfs-controller\t", offered("--dv"))
        self.assertEqual(offered("--dvfs-controller", ""), "proportional\t\nlegacy\t\n:4\n")
        self.assertEqual(offered("--spec", ""), ":0\n")

    def test_help_version_and_manual_page(self):
        done = self.run_agent(arguments=[AGENT, "--help"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--watchdog-timeout DURATION", done.stdout)
        self.assertNotIn("counts-file", done.stdout)
        self.assertRegex(self.run_agent(arguments=[AGENT, "--version"]).stdout, r"^joulie-agent \d")
        page = (ROOT / "docs" / "man" / "joulie-agent.1").read_text()
        self.assertEqual(
            self.run_agent(arguments=[AGENT, "--man"]).stdout,
            page,
            "joulie-agent --man >docs/man/joulie-agent.1",
        )


if __name__ == "__main__":
    unittest.main()
