# SPDX-License-Identifier: Apache-2.0
"""Caps on a machine from the command line: the trees of tests/support/fixtures/hosts.py, and one of them as /."""

import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from checkout import DEV, RELEASE, ROOT
from waiting import DEADLINE_S, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))
import hosts  # noqa: E402

JOULIE = str(DEV / "bin" / "joulie")
RAPL = "sys/devices/virtual/powercap/intel-rapl"
LONG = "constraint_0_power_limit_uw"
FOUND_UW = 205_000_000  # both packages of intel-2s

SPEC = "nodeName: n1\nprofile: eco\ncpu: {packagePowerCapWatts: %s}\n"
TWIN = """apiVersion: joulie.io/v1alpha1
kind: NodeTwin
metadata: {name: n1}
spec:
  nodeName: n1
  profile: eco
  cpu: {packagePowerCapWatts: %s}
"""


def contents(folder):
    """Every file, link and folder below it, with bytes and mode."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, kind)
    return found


def error_of(done):
    return json.loads(done.stdout)["error"]


class OnTree(unittest.TestCase):
    """A tree of intel-2s for each test; machine names another."""

    machine = "intel-2s"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        self.root = self.here / "root"
        hosts.write_host(self.machine, self.root)
        self.spec = self.here / "spec.yaml"
        self.spec.write_text(SPEC % 120)

    def joulie(self, *arguments, text="", **options):
        return subprocess.run(
            [JOULIE, *[str(argument) for argument in arguments]],
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            **options,
        )

    def cap(self, command, *arguments, **options):
        return self.joulie("cap", command, "--root", self.root, *arguments, **options)

    def apply(self, *arguments, **options):
        return self.cap("apply", "--spec", self.spec, *arguments, **options)

    def answer(self, done, status=0):
        self.assertEqual((done.returncode, done.stderr), (status, b""), done.stdout)
        return json.loads(done.stdout)

    def limit_file(self, package):
        return self.root / RAPL / f"intel-rapl:{package}" / LONG

    def limits(self):
        return [int(self.limit_file(package).read_text()) for package in (0, 1)]

    def status(self):
        return self.answer(self.cap("status"))

    def check_untouched(self):
        self.assertEqual(self.limits(), [FOUND_UW, FOUND_UW])


class Plan(OnTree):
    def test_a_plan_says_what_would_be_written_and_changes_nothing(self):
        before = contents(self.root)
        plan = self.answer(self.cap("plan", "--spec", self.spec))
        self.assertEqual(contents(self.root), before)
        self.assertEqual((plan["backend"], plan["gpus"]), ("rapl", []))
        self.assertEqual(
            plan["packages"],
            [
                {
                    "index": index,
                    "requestedW": 120,
                    "capW": 120,
                    "powerLimitUw": 120_000_000,
                    "limitW": 205,
                    "result": "applied",
                }
                for index in (0, 1)
            ],
        )
        self.assertEqual(
            plan["writes"],
            [
                {
                    "key": f"rapl/package-{index}/long_term",
                    "file": f"{RAPL}/intel-rapl:{index}/{LONG}",
                    "from": FOUND_UW,
                    "to": 120_000_000,
                }
                for index in (0, 1)
            ],
        )

    def test_a_cap_below_the_floor_is_raised_to_it(self):
        self.spec.write_text(SPEC % 10)
        plan = self.answer(self.cap("plan", "--spec", self.spec))
        self.assertEqual(  # 30 % of 205 W
            [(one["capW"], one["clamp"]) for one in plan["packages"]], [(61.5, "floor")] * 2
        )

    def test_no_spec_is_wrong_usage(self):
        for command in ("plan", "apply"):
            done = self.cap(command)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"--spec FILE", done.stderr)


class Spec(OnTree):
    def test_a_nodetwin_and_its_spec_mean_the_same(self):
        expected = self.answer(self.cap("plan", "--spec", self.spec))
        for text in (
            TWIN % 120,
            json.dumps({"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 120}}),
        ):
            self.spec.write_text(text)
            self.assertEqual(self.answer(self.cap("plan", "--spec", self.spec)), expected)
            read = self.answer(self.cap("plan", "--spec", "-", text=text))
            self.assertEqual(read, expected)

    def test_a_slip_names_its_path_and_file_and_nothing_is_written(self):
        before = contents(self.root)
        for text, where in (
            (TWIN.replace("packagePower", "packagPower") % 120, "spec.cpu.packagPowerCapWatts"),
            (SPEC.replace("packagePower", "packagPower") % 120, "cpu.packagPowerCapWatts"),
        ):
            self.spec.write_text(text)
            done = self.apply()
            self.assertEqual((done.returncode, error_of(done)["code"]), (1, "unknown-member"))
            self.assertEqual(error_of(done)["where"], where)
            self.assertTrue(error_of(done)["message"].startswith(str(self.spec)))
        self.assertEqual(contents(self.root), before)

    def test_more_than_an_object_may_have_is_refused_at_once(self):
        large = self.here / "large"
        with large.open("wb") as file:
            file.truncate((16 << 20) + 1)
        for spec in (large, "/dev/zero"):
            done = self.cap("plan", "--spec", spec, timeout=DEADLINE_S)
            self.assertEqual((done.returncode, error_of(done)["code"]), (1, "too-large"))
            self.assertIn("16 MiB", error_of(done)["message"])

    def test_other_texts_are_refused(self):
        for text, code in (
            ("", "parse"),
            ("{", "parse"),
            (SPEC % 120 + "---\n" + SPEC % 120, "parse"),
            (SPEC % 0, "range"),
            (SPEC % '"many"', "type"),
            ("nodeName: n1\n", "required"),
        ):
            with self.subTest(text[:40]):
                self.spec.write_text(text)
                done = self.apply()
                self.assertEqual((done.returncode, error_of(done)["code"]), (1, code))
        done = self.apply("--spec", "/nonexistent/spec")
        self.assertEqual((done.returncode, error_of(done)["code"]), (1, "io"))
        self.check_untouched()


class RoundTrip(OnTree):
    def test_a_cap_is_applied_seen_and_given_back(self):
        done = self.answer(self.apply())
        self.assertEqual([one["result"] for one in done["packages"]], ["applied"] * 2)
        self.assertEqual([one["state"] for one in done["packages"]], ["capped"] * 2)
        self.assertEqual([one["readBack"] for one in done["writes"]], [120_000_000] * 2)
        self.assertEqual(self.limits(), [120_000_000] * 2)

        controls = self.status()["controls"]
        self.assertEqual(
            [
                (one["key"], one["unit"], one["baseline"], one["now"], one["owner"])
                for one in controls
            ],
            [
                (f"rapl/package-{index}/long_term", "uW", FOUND_UW, 120_000_000, "local:cap")
                for index in (0, 1)
            ],
        )
        for one in controls:
            self.assertRegex(one["since"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

        given = self.answer(self.cap("restore"))
        self.assertEqual(
            given,
            {
                "restored": [
                    {"key": f"rapl/package-{index}/long_term", "value": FOUND_UW, "unit": "uW"}
                    for index in (0, 1)
                ],
                "failed": [],
            },
        )
        self.check_untouched()
        self.assertEqual(self.status()["controls"], [])
        self.assertEqual(self.answer(self.cap("restore")), {"restored": [], "failed": []})

    def test_a_baseline_that_may_be_a_cap_whose_journal_was_lost_is_reported(self):
        self.answer(self.apply())
        self.assertNotIn("maximum", self.status()["controls"][0])
        for file in (self.root / "var/lib/joulie").glob("caps-*"):
            file.unlink()
        self.spec.write_text(SPEC % 100)
        done = self.apply("-v")
        self.assertEqual(done.returncode, 0)
        for package in (0, 1):
            self.assertIn(
                f"rapl/package-{package}/long_term: 120000000 uW was found, below its maximum of "
                "205000000 uW",
                done.stderr.decode(),
            )
        for one in self.status()["controls"]:
            self.assertEqual((one["baseline"], one["maximum"]), (120_000_000, FOUND_UW))
        shown = self.cap("status", "-o", "table").stdout.decode()
        self.assertIn("rapl/package-1/long_term: the baseline is below its maximum of 205 W", shown)
        again = self.apply("-v")  # it is known by now
        self.assertNotIn("was found", again.stderr.decode())

    def test_the_maximum_is_given_back_instead_by_wish(self):
        self.answer(self.apply())
        for file in (self.root / "var/lib/joulie").glob("caps-*"):
            file.unlink()
        self.spec.write_text(SPEC % 100)
        self.answer(self.apply("--give-back-maximum"))
        for one in self.status()["controls"]:
            self.assertEqual((one["baseline"], one.get("maximum")), (FOUND_UW, None))
        self.answer(self.cap("restore"))
        self.check_untouched()

    def test_a_second_cap_keeps_what_was_found_first(self):
        self.answer(self.apply())
        self.spec.write_text(SPEC % 100)
        self.answer(self.apply())
        self.assertEqual(self.limits(), [100_000_000] * 2)
        self.assertEqual([one["baseline"] for one in self.status()["controls"]], [FOUND_UW] * 2)
        self.answer(self.cap("restore"))
        self.check_untouched()

    def test_a_spec_that_asks_for_nothing_gives_back(self):
        self.answer(self.apply())
        self.spec.write_text("nodeName: n1\nprofile: performance\n")
        self.answer(self.apply())
        self.check_untouched()
        self.assertEqual(self.status()["controls"], [])

    def test_only_package_limits_and_the_journal_change(self):
        before = contents(self.root)
        self.answer(self.apply())
        after = contents(self.root)
        changed = {path for path in after if after[path] != before.get(path)}
        state = {path for path in changed if path.startswith("var/lib/joulie")}
        self.assertTrue(state)
        self.assertEqual(changed - state, {f"{RAPL}/intel-rapl:{index}/{LONG}" for index in (0, 1)})
        modes = {stat & 0o777 for path, (stat, _) in after.items() if path in state}
        self.assertEqual(modes, {0o600, 0o700})

    def test_the_journal_may_be_elsewhere(self):
        state = self.here / "state"
        self.answer(self.apply("--state-dir", state))
        self.assertFalse((self.root / "var/lib/joulie").exists())
        self.assertEqual(self.status()["controls"], [])
        self.assertEqual(len(self.answer(self.cap("status", "--state-dir", state))["controls"]), 2)
        self.answer(self.cap("restore", "--state-dir", state))
        self.check_untouched()

    def test_caps_of_two_state_folders_go_back_from_the_last_one(self):
        self.answer(self.apply())
        self.spec.write_text(SPEC % 100)
        other = self.here / "other"
        self.assertIn(b"120000000 uW was found", self.apply("--state-dir", other, "-v").stderr)
        self.answer(self.cap("restore", "--state-dir", other))
        self.assertEqual(self.limits(), [120_000_000] * 2)
        self.answer(self.cap("restore"))
        self.check_untouched()

    def test_what_is_done_is_printed_when_asked(self):
        self.assertIn(b"joulie: info: ", self.apply("-v").stderr)


class Forms(OnTree):
    def test_every_command_has_the_usual_forms(self):
        for command, *options in (
            ("plan", "--spec", self.spec),
            ("apply", "--spec", self.spec),
            ("status",),
            ("restore",),
        ):
            with self.subTest(command):
                pretty = self.cap(command, *options, "-o", "pretty")
                self.assertIn(b"\n  ", pretty.stdout)
                self.assertEqual(json.loads(pretty.stdout).keys(), self.keys(command))
                self.assertRegex(self.cap(command, *options, "-o", "yaml").stdout, rb"^\w+:")
                self.assertEqual(self.cap(command, *options, "-o", "xml").returncode, 2)

    def keys(self, command):
        return {
            "plan": {"backend", "packages", "gpus", "writes"},
            "apply": {"backend", "packages", "gpus", "writes"},
            "status": {"disabled", "controls"},
            "restore": {"restored", "failed"},
        }[command]

    def test_the_table_is_for_people_in_every_locale(self):
        self.spec.write_text(SPEC % 61.5)
        for locale in ("C", "de_DE.UTF-8"):
            environment = {**os.environ, "LC_ALL": locale}
            self.answer(self.apply(env=environment))
            shown = self.cap("status", "-o", "table", env=environment).stdout.decode().splitlines()
            self.assertEqual(shown[0].split(), ["KEY", "NOW", "BASELINE", "OWNER", "SINCE"])
            self.assertRegex(
                shown[1], r"^rapl/package-0/long_term +61\.5 W +205 W +local:cap +\d{4}-.*Z$"
            )
            self.assertEqual(len(shown), 3)
            self.answer(self.cap("restore", env=environment))
        self.assertEqual(self.cap("status", "-o", "table").stdout, b"nothing is capped\n")


class Refused(OnTree):
    def test_another_process_that_holds_the_machine_is_named(self):
        state = self.root / "var/lib/joulie"
        state.mkdir(mode=0o700, parents=True)
        with open(state / "writer.lock", "w") as lock:
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
            for done in (self.apply(), self.cap("restore")):
                self.assertEqual((done.returncode, error_of(done)["code"]), (1, "conflict"))
                self.assertIn(str(os.getpid()), error_of(done)["message"])
        self.check_untouched()
        self.answer(self.apply())

    def test_no_journal_no_write(self):
        blocker = self.here / "file"
        blocker.write_text("")
        folders = [blocker / "state"] + ["/proc/joulie"] * os.path.ismount("/proc")
        for state in folders:
            done = self.apply("--state-dir", state)
            self.assertEqual((done.returncode, error_of(done)["code"]), (1, "io"))
        self.check_untouched()

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_files_of_another_user_are_named_before_anything_is_made(self):
        last = self.limit_file(1)
        os.chown(last, 1234, 5678)
        before = contents(self.root)
        done = self.apply()
        error = error_of(done)
        self.assertEqual((done.returncode, error["code"]), (1, "io"))
        self.assertEqual(error["where"], str(last.relative_to(self.root)))
        self.assertIn("belongs to user 1234 (no name, mode 0644)", error["message"])
        self.assertIn("run this as the owner, or", error["message"])
        self.assertEqual(contents(self.root), before)
        last.chmod(0o666)  # whoever may write it may own it
        self.answer(self.apply())

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_who_is_not_root_is_told_whose_the_files_are(self):
        self.here.chmod(0o755)
        done = self.apply(user=65534, group=65534, extra_groups=[])
        self.assertIn("belongs to user 0 (root, mode 0644)", error_of(done)["message"])
        self.check_untouched()

    def test_a_root_that_is_not_there_is_io(self):
        for command in ("plan", "apply", "restore", "status", "release", "allow"):
            options = ["--spec", self.spec] if command in ("plan", "apply") else []
            options += ["--all"] if command == "release" else []
            done = self.joulie("cap", command, "--root", self.here / "nothing", *options)
            self.assertEqual((done.returncode, json.loads(done.stdout)["error"]["code"]), (1, "io"))

    def test_the_live_machine_by_any_name_needs_yes_before_anything_is_opened(self):
        link = self.here / "link"
        link.symlink_to("/")
        disguised = self.here / "disguised"
        disguised.mkdir()
        if os.path.ismount("/sys"):
            (disguised / "sys").symlink_to("/sys")
        state = self.here / "state"
        for root in ([], ["--root", "/"], ["--root", "//."], ["--root", link],
                     ["--root", "/proc/self/root"], ["--root", disguised]):  # fmt: skip
            if root[1:] == [disguised] and not os.path.ismount("/sys"):
                continue
            for command in (["apply", "--spec", "/nonexistent/spec"], ["restore"], ["allow"]):
                options = [] if command == ["allow"] else ["--state-dir", state]
                with self.subTest((root, command)):
                    done = self.joulie("cap", *command, *root, *options)
                    self.assertEqual((done.returncode, done.stdout), (2, b""))
                    self.assertIn(b"--yes", done.stderr)
        self.assertFalse(state.exists())

    def test_a_machine_without_limits_is_blocked(self):
        for machine in ("vm-none", "locked"):
            with self.subTest(machine):
                root = self.here / machine
                hosts.write_host(machine, root)
                done = self.joulie("cap", "apply", "--root", root, "--spec", self.spec)
                self.assertEqual(done.returncode, 1)
                self.assertNotIn("error", json.loads(done.stdout))

    def test_watts_cannot_be_kept_by_frequencies_when_nobody_stays_to_control(self):
        root = self.here / "amd-epyc"
        hosts.write_host("amd-epyc", root)
        before = contents(root / "sys")
        done = self.joulie("cap", "apply", "--root", root, "--spec", self.spec)
        self.assertEqual((done.returncode, json.loads(done.stdout)["backend"]), (1, "dvfs"))
        self.assertEqual(contents(root / "sys"), before)

    def test_a_machine_without_packages_gets_the_reason(self):
        root = self.here / "empty"
        root.mkdir()
        done = self.joulie("cap", "apply", "--root", root, "--spec", self.spec)
        self.assertEqual((done.returncode, json.loads(done.stdout)["packages"]), (1, []))
        self.assertIn(b"cpu: blocked: no CPU package discovered", done.stderr)


class Streams(OnTree):
    """What the program's own standard files are must not matter to the machine."""

    def shell(self, redirections, *arguments):
        return subprocess.run(
            ["sh", "-c", f'"$@" {redirections}', "sh", JOULIE, "cap", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )

    def test_closed_ones_never_become_the_lock_or_the_journal(self):
        self.shell("<&- >&- 2>&-", "apply", "-v", "--root", self.root, "--spec", self.spec)
        self.assertEqual(self.limits(), [120_000_000] * 2)
        for file in (self.root / "var/lib/joulie").iterdir():
            self.assertNotIn("joulie: info", file.read_text())
        self.assertNotIn("skippedLines", self.status())

    def test_a_closed_one_is_an_error(self):
        done = self.shell(">&-", "apply", "--root", self.root, "--spec", self.spec)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write the answer", done.stderr)
        done = self.shell("<&-", "plan", "--root", self.root, "--spec", "-")
        self.assertEqual((done.returncode, error_of(done)["code"]), (1, "io"))
        self.assertIn("Bad file descriptor", error_of(done)["message"])

    def test_a_reader_that_went_away_does_not_keep_a_cap_in_force(self):
        self.answer(self.apply())
        reader, writer = os.pipe()
        os.close(reader)
        command = [JOULIE, "cap", "release", "--all", "-v", "--root", str(self.root)]
        subprocess.run(command, stdout=writer, stderr=writer, check=False)
        os.close(writer)
        self.check_untouched()

    def test_a_file_that_may_not_grow_is_no_journal(self):
        command = [JOULIE, "cap", "apply", "--root", str(self.root), "--spec", str(self.spec)]
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("no journal, no write", json.loads(done.stdout)["packages"][0]["message"])
        self.check_untouched()


class Hostile(OnTree):
    def test_a_link_in_the_way_is_not_followed(self):
        outside = self.here / "outside"
        shutil.move(self.root / "sys/devices/virtual/powercap", outside)
        before = contents(outside)
        for target in (outside, "/etc"):
            link = self.root / "sys/devices/virtual/powercap"
            link.unlink(missing_ok=True)
            link.symlink_to(target)
            done = self.apply()
            self.assertEqual(done.returncode, 1)
            self.assertEqual(self.status()["controls"], [])
        self.assertEqual(contents(outside), before)

    def test_a_state_folder_behind_a_link_is_refused(self):
        outside = self.here / "outside"
        outside.mkdir()
        (self.root / "var/lib/joulie").symlink_to(outside)
        done = self.apply()
        self.assertEqual((done.returncode, error_of(done)["code"]), (1, "io"))
        self.assertEqual(list(outside.iterdir()), [])
        self.check_untouched()

    def test_a_fifo_and_a_folder_instead_of_a_limit_are_errors(self):
        for make in (os.mkfifo, os.mkdir):
            limit = self.limit_file(1)
            limit.unlink()
            make(limit)
            done = self.apply(timeout=DEADLINE_S)
            self.assertEqual(done.returncode, 1)
            (limit.rmdir if limit.is_dir() else limit.unlink)()
            limit.write_text(f"{FOUND_UW}\n")
            self.joulie("cap", "restore", "--root", self.root)
            self.check_untouched()


class Release(OnTree):
    def test_it_says_all(self):
        done = self.cap("release")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"--all", done.stderr)

    def test_without_the_switch_it_still_gives_back(self):
        self.answer(self.apply())
        shutil.rmtree(self.root / "etc/joulie", ignore_errors=True)
        (self.root / "etc").mkdir(exist_ok=True)
        (self.root / "etc/joulie").write_text("in the way")
        done = self.cap("release", "--all")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"NOT switched off", done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["restored"]), 2)
        self.check_untouched()

    def test_the_table_of_what_is_capped_has_rounded_numbers(self):
        self.answer(self.apply())
        self.limit_file(0).write_text("123456789\n")
        table = self.cap("status", "-o", "table").stdout.decode()
        self.assertIn(" 123.5 W ", table)
        self.assertIn(" 120 W ", table)

    def test_it_gives_back_and_allows_no_more(self):
        self.answer(self.apply())
        done = self.cap("release", "--all")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"etc/joulie/disable; joulie cap allow", done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["restored"]), 2)
        self.check_untouched()
        self.assertTrue((self.root / "etc/joulie/disable").exists())
        self.assertEqual(self.status()["disabled"], True)
        self.assertIn(b"caps are switched off", self.cap("status", "-o", "table").stdout)

        for command in ("plan", "apply"):
            done = self.cap(command, "--spec", self.spec)
            self.assertEqual((done.returncode, error_of(done)["code"]), (1, "conflict"))
            self.check_untouched()

        self.assertEqual(self.answer(self.cap("allow")), {"disabled": False})
        self.assertFalse((self.root / "etc/joulie/disable").exists())
        self.answer(self.apply())
        self.assertEqual(self.limits(), [120_000_000] * 2)

    def test_who_does_not_give_back_is_named(self):
        self.answer(self.apply())
        with open(self.root / "var/lib/joulie/writer.lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(f"{os.getpid()}\n")
            lock.truncate()
            lock.flush()
            done = self.cap("release", "--all")
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(os.getpid()).encode(), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["restored"], len(answer["failed"])), ([], 2))
        self.assertTrue((self.root / "etc/joulie/disable").exists())

    def test_an_agent_that_holds_the_machine_gives_back(self):
        agent = subprocess.Popen(
            [DEV / "bin" / "joulie-agent", "--root", self.root, "--spec", self.spec],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        wait_until(lambda: str(self.limits()), lambda: self.limits() == [120_000_000] * 2)
        done = self.cap("release", "--all")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{agent.pid}".encode(), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((len(answer["restored"]), answer["failed"]), (2, []))
        self.check_untouched()
        self.assertIsNone(agent.poll())

    def test_a_holder_that_dies_is_stood_in_for(self):
        self.answer(self.apply())
        with open(self.root / "var/lib/joulie/writer.lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            running = subprocess.Popen(
                [JOULIE, "cap", "release", "--all", "--root", str(self.root)],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                close_fds=True,
            )
            wait_until("a switch", (self.root / "etc/joulie/disable").exists)
        answer = json.loads(running.communicate(timeout=DEADLINE_S)[0])
        self.assertEqual((running.returncode, len(answer["restored"])), (0, 2))
        self.check_untouched()


class Hardware(OnTree):
    NOW = "2026-03-13T12:00:00Z"

    def hardware(self, root, *options):
        arguments = ["--root", root, "--node-name", "n1", "--now", self.NOW, *options]
        return self.answer(self.joulie("hardware", *arguments))

    def test_a_machine_is_a_nodehardware(self):
        found = self.hardware(self.root)
        self.assertEqual((found["kind"], found["spec"]["nodeName"]), ("NodeHardware", "n1"))
        self.assertEqual(found["status"]["updatedAt"], self.NOW)
        self.assertEqual(found["status"]["cpu"]["sockets"], 2)
        self.assertEqual(len(found["status"]["cpu"]["packages"]), 2)
        checked = self.joulie("validate", text=json.dumps(found))
        self.assertEqual((checked.returncode, checked.stdout), (0, b""))

    def test_what_a_machine_does_not_report_is_a_warning(self):
        root = self.here / "empty"
        root.mkdir()
        done = self.joulie("hardware", "--root", root)
        quality = self.answer(done)["status"]["quality"]
        self.assertEqual(quality["overall"], "unavailable")
        for file in ("proc/cpuinfo", "sys/devices/system/cpu", "proc/meminfo"):
            self.assertIn(file, " ".join(quality["warnings"]))

    def test_name_and_time_are_this_machines_unless_given(self):
        found = self.answer(self.joulie("hardware", "--root", self.root))
        self.assertEqual(found["spec"]["nodeName"], os.uname().nodename)
        self.assertRegex(found["status"]["updatedAt"], r"^20\d\d-")
        done = self.joulie("hardware", "--root", self.root, "--now", "today")
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def unpack(self, archive):
        unpacked = self.here / "unpacked"
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                self.assertEqual((member.uid, member.gid, member.mtime), (0, 0, 0), member.name)
                self.assertFalse(member.name.startswith(("/", "..")), member.name)
            tar.extractall(unpacked)
        return unpacked

    def test_an_unpacked_snapshot_is_the_same_machine(self):
        for machine in ("intel-2s", "psys-middle", "amd-epyc", "vm-none"):
            with self.subTest(machine):
                root = self.here / machine
                hosts.write_host(machine, root)
                archive = self.here / f"{machine}.tar"
                self.assertEqual(self.joulie("snapshot", "--root", root, "-o", archive).stdout, b"")
                unpacked = self.unpack(archive)
                self.assertEqual(self.hardware(unpacked), self.hardware(root))
                shutil.rmtree(unpacked)

    def test_equal_trees_give_equal_archives_on_standard_output_too(self):
        archive = self.here / "one.tar"
        self.joulie("snapshot", "--root", self.root, "-o", archive)
        done = self.joulie("snapshot", "--root", self.root, "-o", "-")
        self.assertEqual((done.returncode, done.stdout), (0, archive.read_bytes()))
        self.assertEqual(sorted(path.name for path in self.here.glob("one.tar*")), ["one.tar"])

    def test_an_archive_does_not_take_the_place_of_a_device_or_pipe(self):
        pipe = self.here / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            done = self.joulie("snapshot", "--root", self.root, "-o", pipe)
            archive = reader.communicate(timeout=DEADLINE_S)[0]
        self.assertEqual(done.returncode, 0)
        self.assertTrue(pipe.is_fifo())
        self.assertGreater(len(archive), 10240)

    def test_an_archive_that_cannot_be_written_is_io(self):
        done = self.joulie("snapshot", "--root", self.root, "-o", "/nonexistent/one.tar")
        self.assertEqual((done.returncode, error_of(done)["code"]), (1, "io"))
        self.assertEqual(self.joulie("snapshot", "--root", self.root).returncode, 2)

    def test_an_archive_is_not_shown_on_a_terminal(self):
        try:
            mine, terminal = pty.openpty()
        except OSError as problem:
            self.skipTest(f"no terminal can be made here: {problem}")
        done = subprocess.run(
            [JOULIE, "snapshot", "--root", str(self.root), "-o", "-"],
            stdout=terminal,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(terminal)
        os.close(mine)
        self.assertEqual(done.returncode, 2)


class Live(unittest.TestCase):
    """A tree that is /: the release program and what it needs are copied into it."""

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root may change its root")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        hosts.write_host("intel-2s", self.root)
        (self.root / "bin").mkdir(exist_ok=True)
        for program in (RELEASE / "bin" / name for name in ("joulie", "joulie-capd", "joulie-rescue")):
            shutil.copy(program, self.root / "bin")
            listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True)
            for file in re.findall(r"(/\S+)", listed.stdout):
                copy = self.root / file.lstrip("/")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
        (self.root / "spec.yaml").write_text(SPEC % 160)

    def start(self, *arguments):
        return subprocess.Popen(
            ["/bin/joulie", "cap", *arguments],
            preexec_fn=lambda: (os.chroot(self.root), os.chdir("/")),
            env={"LD_LIBRARY_PATH": str(RELEASE / "lib")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def limits(self):
        return [
            int((self.root / RAPL / f"intel-rapl:{package}" / LONG).read_text())
            for package in (0, 1)
        ]

    def wait_for(self, limit_uw):
        wait_until(lambda: str(self.limits()), lambda: self.limits() == [limit_uw] * 2)

    def test_without_yes_nothing_is_written(self):
        before = contents(self.root)
        for arguments in (["apply", "--spec", "/spec.yaml"], ["restore"], ["allow"]):
            running = self.start(*arguments)
            self.assertEqual(running.communicate(timeout=DEADLINE_S)[0], b"")
            self.assertEqual(running.returncode, 2)
        self.assertEqual(contents(self.root), before)

    def test_limits_come_down_in_steps_and_stay(self):
        running = self.start("apply", "--spec", "/spec.yaml", "--yes")
        self.wait_for(164_000_000)  # 20 % of 205 W
        self.assertIsNone(running.poll())
        answer = json.loads(running.communicate(timeout=DEADLINE_S)[0])
        self.assertEqual(running.returncode, 0)
        self.assertEqual([one["result"] for one in answer["packages"]], ["applied"] * 2)
        self.assertEqual(self.limits(), [160_000_000] * 2)
        self.assertEqual(self.start("restore", "--yes").wait(timeout=DEADLINE_S), 0)
        self.assertEqual(self.limits(), [FOUND_UW] * 2)

    def test_without_ramp_limits_come_down_at_once(self):
        running = self.start("apply", "--spec", "/spec.yaml", "--yes", "--no-ramp")
        running.communicate(timeout=DEADLINE_S)
        self.assertEqual((running.returncode, self.limits()), (0, [160_000_000] * 2))

    def test_interrupted_on_the_way_it_gives_everything_back(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            running = self.start("apply", "--spec", "/spec.yaml", "--yes")
            self.wait_for(164_000_000)
            running.send_signal(number)
            out, err = running.communicate(timeout=DEADLINE_S)
            self.assertEqual(running.returncode, 1)
            self.assertIn(b"interrupted", err)
            self.assertEqual(len(json.loads(out)["restored"]), 2)
            self.assertEqual(self.limits(), [FOUND_UW] * 2)

    def test_who_reads_its_output_does_not_wait_for_joulie_capd(self):
        """Killed on the way it leaves one behind, whose words go to the log of the system."""
        (self.root / "dev").mkdir(exist_ok=True)
        (self.root / "dev/null").touch()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.bind(str(self.root / "dev/log"))
            log.settimeout(DEADLINE_S)
            running = self.start("apply", "--spec", "/spec.yaml", "--yes")
            self.wait_for(164_000_000)
            running.kill()
            self.assertEqual(running.communicate(timeout=DEADLINE_S), (b"", b""))
            self.assertEqual(self.limits(), [164_000_000] * 2)
            said = {log.recv(4096) for _ in range(2)}
        keys = [f"rapl/package-{package}/long_term" for package in (0, 1)]
        self.assertEqual(said, {f"joulie-capd: {key} is given back: {FOUND_UW}\n".encode() for key in keys})
        self.assertEqual(self.limits(), [FOUND_UW] * 2)

    def test_the_kill_switch_needs_no_yes(self):
        self.start("apply", "--spec", "/spec.yaml", "--yes", "--no-ramp").communicate(timeout=DEADLINE_S)
        running = self.start("release", "--all")
        running.communicate(timeout=DEADLINE_S)
        self.assertEqual((running.returncode, self.limits()), (0, [FOUND_UW] * 2))


if __name__ == "__main__":
    unittest.main()
