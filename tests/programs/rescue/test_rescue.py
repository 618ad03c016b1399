# SPDX-License-Identifier: Apache-2.0
"""joulie-rescue over machines that are folders; what it must find is not written by the library (journals.py)."""

from __future__ import annotations

import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Optional

from checkout import DEV, RELEASE, ROOT
from journals import AT, CAP, FOUND, KEY, capped, journal, line, v1_capped, v1_line

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

import hosts  # noqa: E402

RESCUE = DEV / "bin" / "joulie-rescue"
JOULIE = DEV / "bin" / "joulie"
AGENT = DEV / "bin" / "joulie-agent"
ALL_BACK, LEFT, USAGE, BUSY, REFUSED = range(5)
OTHER_BOOT = "0b5c7d1e-6f44-4d8a-9a51-3f1f6d5f0c42"
POWERCAP = "sys/devices/virtual/powercap/intel-rapl"
ZONE = POWERCAP + "/intel-rapl:0"
LIMIT = ZONE + "/constraint_0_power_limit_uw"


class Machine(unittest.TestCase):
    HOST = "intel-2s"

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "machine"
        hosts.write_host(self.HOST, self.root)
        self.boot = self.read("proc/sys/kernel/random/boot_id")
        self.state = self.root / "var/lib/joulie"
        self.state.mkdir(parents=True)
        self.state.chmod(0o700)

    # ---- the machine ----

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="ascii").strip()

    def write(self, path: str, value: object) -> None:
        file = self.root / path
        file.chmod(0o644)
        file.write_text(f"{value}\n", encoding="ascii")

    def limit(self) -> int:
        return int(self.read(LIMIT))

    def leave(self, text: str, name: Optional[str] = None, mode: int = 0o600) -> Path:
        file = self.state / (name or f"caps-{self.boot}")
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        return file

    def leave_cap(self) -> Path:
        self.write(LIMIT, CAP)
        return self.leave(journal(capped()))

    # ---- the program ----

    def rescue(self, *arguments: object, **options: object) -> "subprocess.CompletedProcess[str]":
        words = [str(word) for word in (RESCUE, "--root", self.root, *arguments)]
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=120, check=False, **options  # type: ignore[call-overload]
        )
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def must(self, status: int, *arguments: object, out: Optional[str] = None) -> str:
        done = self.rescue("--timeout", "0", "--wait", "0", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        if out is not None:
            self.assertEqual(done.stdout, out)
        return done.stderr

    def must_be_closed(self) -> None:
        self.must(ALL_BACK, out="")


class GivesBack(Machine):
    def test_a_limit_is_written_back_proven_and_closed(self) -> None:
        file = self.leave_cap()
        self.must(ALL_BACK, out=f"{KEY} {FOUND} restored\n")
        self.assertEqual(self.limit(), FOUND)
        self.assertEqual(file.read_text(), "joulie-journal 2\n")
        self.must_be_closed()

    def test_what_a_real_command_left_is_given_back(self) -> None:
        spec = self.root / "spec.json"
        spec.write_text('{"nodeName":"n1","profile":"eco","cpu":{"packagePowerCapWatts":120}}')
        command = [JOULIE, "cap", "apply", "--root", self.root, "--spec", spec]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.limit(), CAP)
        out = "".join(f"rapl/package-{n}/long_term {FOUND} restored\n" for n in (0, 1))
        self.must(ALL_BACK, out=out)
        self.assertEqual(self.limit(), FOUND)

    def test_limits_come_before_frequencies_and_a_maximum_before_its_minimum(self) -> None:
        policy = "sys/devices/system/cpu/cpufreq/policy0"
        self.write(LIMIT, CAP)
        self.write(policy + "/scaling_max_freq", 1_500_000)
        self.write(policy + "/scaling_min_freq", 800_000)
        self.leave(
            journal(
                capped("cpufreq/policy0/min", 1_000_000, 800_000),
                capped("cpufreq/policy0/max", 3_000_000, 1_500_000),
                capped(),
            )
        )
        self.must(
            ALL_BACK,
            out=f"{KEY} {FOUND} restored\ncpufreq/policy0/max 3000000 restored\n"
            "cpufreq/policy0/min 1000000 restored\n",
        )
        self.assertEqual(self.read(policy + "/scaling_max_freq"), "3000000")
        self.assertEqual(self.read(policy + "/scaling_min_freq"), "1000000")

    def test_a_zone_that_was_off_is_switched_off_again(self) -> None:
        self.write(LIMIT, CAP)
        self.write(ZONE + "/enabled", 1)
        self.leave(journal(capped(enabled=0)))
        self.must(ALL_BACK, out=f"{KEY} {FOUND} restored\n")
        self.assertEqual(self.read(ZONE + "/enabled"), "0")

    def test_what_has_its_value_is_only_noted(self) -> None:
        self.leave(journal(capped()))
        (self.root / LIMIT).chmod(0o444)
        self.must(ALL_BACK, out=f"{KEY} {FOUND} unchanged\n")
        self.must_be_closed()

    def test_a_zone_is_found_by_its_name_under_any_number(self) -> None:
        (self.root / ZONE).rename(self.root / POWERCAP / "intel-rapl:7")
        moved = LIMIT.replace("intel-rapl:0", "intel-rapl:7")
        self.write(moved, CAP)
        self.leave(journal(capped()))
        self.must(ALL_BACK)
        self.assertEqual(self.read(moved), str(FOUND))

    def test_what_the_machine_does_not_have_stays_open(self) -> None:
        keys = ("rapl/package-9/long_term", "rapl/dram/long_term", "rapl/package-0/peak_power")
        keys += ("cpufreq/policy99/max", "gpu/GPU-1", "a%20b")
        self.write(LIMIT, CAP)
        self.leave(journal(*map(capped, keys), capped()))
        done = self.rescue("--timeout", "0")
        self.assertEqual(done.returncode, LEFT)
        for key in keys:
            self.assertIn(f"{key} {FOUND} absent\n", done.stdout)
        self.assertIn(f"{KEY} {FOUND} restored\n", done.stdout)
        self.assertNotIn(KEY, self.rescue("--timeout", "0").stdout)

    def test_of_one_owner_only(self) -> None:
        second = "rapl/package-1/long_term"
        self.write(LIMIT, CAP)
        self.leave(journal(capped(owner="local:cap"), capped(second, FOUND, FOUND)))
        self.must(ALL_BACK, "--owner", "api", out=f"{second} {FOUND} unchanged\n")
        self.assertEqual(self.limit(), CAP)
        self.must(ALL_BACK, out=f"{KEY} {FOUND} restored\n")

    def test_a_dry_run_changes_nothing(self) -> None:
        file = self.leave_cap()
        text = file.read_text()
        self.must(LEFT, "--dry-run", out=f"{KEY} {FOUND} open\n")
        self.assertEqual((self.limit(), file.read_text()), (CAP, text))
        self.assertEqual([path.name for path in self.state.iterdir()], [file.name])

    def test_a_machine_that_nobody_ever_capped_stays_untouched(self) -> None:
        self.state.rmdir()
        self.must(ALL_BACK, out="")
        self.assertFalse(self.state.exists())

    def test_the_folder_may_be_elsewhere(self) -> None:
        file = self.leave_cap()
        elsewhere = self.root.parent / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        file.rename(elsewhere / file.name)
        self.must(ALL_BACK, "--state-dir", elsewhere, out=f"{KEY} {FOUND} restored\n")


class Bounds(Machine):
    """docs/rules/enforcement.md#bounds-of-a-restore: 30 % of 205 W is 61.5 W."""

    def give_back(self, found: int) -> str:
        self.write(LIMIT, CAP)
        self.leave(journal(capped(found=found)))
        done = self.rescue("--timeout", "0")
        self.assertEqual(done.returncode, ALL_BACK, done.stderr)
        return done.stdout.removeprefix(KEY + " ").rstrip("\n")

    def test_a_forged_watt_is_not_written(self) -> None:
        for found in (0, 1, 1_000_000, 61_499_999):
            self.assertEqual(self.give_back(found), "61500000 bounded")
            self.assertEqual(self.limit(), 61_500_000)
        self.assertEqual(self.give_back(61_500_000), "61500000 restored")

    def test_what_a_board_lifted_is_given_back_but_never_wraps(self) -> None:
        self.assertEqual(self.give_back(4_095_875_000), "4095875000 restored")
        self.assertEqual(self.give_back(4_095_875_001), "4095875000 bounded")
        self.assertEqual(self.give_back(2**64 - 1), "4095875000 bounded")

    def test_without_a_maximum_that_can_be_believed_5_watts_stay(self) -> None:
        for maximum in (0, 4_999_999, 2_000_000_001):
            self.write(ZONE + "/constraint_0_max_power_uw", maximum)
            self.assertEqual(self.give_back(1_000_000), "5000000 bounded")
        self.write(ZONE + "/constraint_0_max_power_uw", 2_000_000_000)
        self.assertEqual(self.give_back(1_000_000), "600000000 bounded")

    def test_the_short_limit_has_the_floor_of_its_zone(self) -> None:
        short = ZONE + "/constraint_1_power_limit_uw"
        self.write(short, 200_000_000)
        self.leave(journal(capped("rapl/package-0/short_term", 1, 200_000_000)))
        self.must(ALL_BACK, out="rapl/package-0/short_term 61500000 bounded\n")

    def test_a_value_that_is_there_already_is_left_whatever_it_is(self) -> None:
        self.write(LIMIT, 1_000_000)
        self.leave(journal(capped(found=1_000_000)))
        self.must(ALL_BACK, out=f"{KEY} 1000000 unchanged\n")

    def test_the_agents_library_has_the_same_bounds(self) -> None:
        self.write(LIMIT, CAP)
        self.leave(journal(capped(found=1_000_000)))
        done = subprocess.run(
            [JOULIE, "cap", "restore", "--root", self.root], capture_output=True, text=True, check=True
        )
        (item,) = json.loads(done.stdout)["restored"]
        self.assertEqual((item["value"], item["message"]), (61_500_000, "bounded"))
        self.assertEqual(self.limit(), 61_500_000)


class TriesAgain(Machine):
    def start(self, *arguments: object) -> "subprocess.Popen[str]":
        words = [str(word) for word in (RESCUE, "--root", self.root, *arguments)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def finish(self, process: "subprocess.Popen[str]") -> str:
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, ALL_BACK, out + err)
        return out

    def test_a_zone_that_is_away_and_comes_back_under_another_number(self) -> None:
        self.leave_cap()
        away = self.root / "away"
        (self.root / ZONE).rename(away)
        process = self.start("--timeout", "60")
        time.sleep(1)  # at least one attempt fails; more only make the test longer
        self.assertIsNone(process.poll())
        away.rename(self.root / POWERCAP / "intel-rapl:5")
        self.assertEqual(self.finish(process), f"{KEY} {FOUND} restored\n")
        self.assertEqual(self.read(LIMIT.replace("intel-rapl:0", "intel-rapl:5")), str(FOUND))

    def test_what_never_comes_back_ends_with_the_timeout_and_stays(self) -> None:
        file = self.leave_cap()
        (self.root / ZONE).rename(self.root / "away")
        start = time.monotonic()
        done = self.rescue("--timeout", "1")
        self.assertGreater(time.monotonic() - start, 0.9)
        self.assertEqual((done.returncode, done.stdout), (LEFT, f"{KEY} {FOUND} absent\n"))
        self.assertIn("baseline", file.read_text())

    def test_a_lock_that_is_held_is_waited_for(self) -> None:
        self.leave_cap()
        with open(self.state / "writer.lock", "w+", encoding="ascii") as lock:
            lock.write("4711\n")
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("process 4711 holds the lock", self.must(BUSY))
            self.assertEqual(self.limit(), CAP)
            process = self.start("--wait", "60")
            threading.Timer(0.7, fcntl.flock, (lock, fcntl.LOCK_UN)).start()
            self.finish(process)
        self.assertEqual(self.limit(), FOUND)

    def test_a_journal_that_takes_nothing_keeps_no_cap(self) -> None:
        """Given back all the same; what could not be noted is noted by the next run."""
        file = self.leave_cap()

        def no_room() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            size = file.stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        done = self.rescue("--timeout", "0", preexec_fn=no_room)
        self.assertEqual(done.returncode, LEFT, done.stderr)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(self.limit(), FOUND)
        self.must(ALL_BACK, out=f"{KEY} {FOUND} unchanged\n")
        self.must_be_closed()


class Damaged(Machine):
    def test_a_journal_torn_at_every_byte_gives_back_what_its_whole_lines_say(self) -> None:
        second = "rapl/package-1/long_term"
        other = LIMIT.replace("intel-rapl:0", "intel-rapl:1")
        text = journal(capped(), capped(second))
        for cut in range(len(text) + 1):
            self.write(LIMIT, CAP)
            self.write(other, CAP)
            self.leave(text[:cut])
            self.must(ALL_BACK)
            for key, path in ((KEY, LIMIT), (second, other)):
                is_open = f" {key} " in text[:cut].rpartition("\n")[0]
                self.assertEqual(int(self.read(path)), FOUND if is_open else CAP, cut)

    def test_one_good_line_of_four_is_enough(self) -> None:
        lines = capped().splitlines(keepends=True)
        for good in range(3):
            self.write(LIMIT, CAP)
            self.leave(journal(*(row if i == good else "x" + row for i, row in enumerate(lines))))
            self.must(ALL_BACK, out=f"{KEY} {FOUND} restored\n")

    def test_a_newer_version_means_no_write(self) -> None:
        for text, what in (
            (journal(capped()).replace("2", "3", 1), "line 1: this version does not know its format"),
            (journal(capped(), line("forget", KEY, "-", "-", "-", "-", AT)), "line 6: this version does not know its op"),
            (journal(capped(), line("restored", KEY, "-", "-", "-", "-", AT, "more")), "line 6: this version does not know its form"),
        ):
            self.write(LIMIT, CAP)
            file = self.leave(text)
            self.assertIn(f"{file.name}: {what}", self.must(REFUSED, out=""))
            self.assertEqual((self.limit(), file.read_text()), (CAP, text))


class Forged(Machine):
    def refused(self, *words: str) -> None:
        said = self.must(REFUSED, out="")
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(self.limit(), CAP)

    def test_a_file_that_others_may_write(self) -> None:
        file = self.leave_cap()
        for mode in (0o620, 0o602, 0o666):
            file.chmod(mode)
            self.refused(file.name, f"user {os.geteuid()} owns it", f"its mode is 0{mode:o}")
        file.chmod(0o644)
        self.must(ALL_BACK)

    def test_a_folder_that_others_may_write(self) -> None:
        self.leave_cap()
        for mode in (0o770, 0o707, 0o777):
            self.state.chmod(mode)
            self.refused("var/lib/joulie", f"user {os.geteuid()} owns it", f"its mode is 0{mode:o}")
        self.state.chmod(0o755)
        self.must(ALL_BACK)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_what_belongs_to_somebody_else(self) -> None:
        file = self.leave_cap()
        os.chown(file, 1000, 1000)
        self.refused(file.name, "user 1000 owns it", "it must belong to user 0")
        os.chown(file, 0, 0)
        (self.state / "writer.lock").unlink()
        os.chown(self.state, 1000, 1000)
        self.refused("var/lib/joulie", "user 1000 owns it")
        self.assertFalse((self.state / "writer.lock").exists())

    def test_links(self) -> None:
        file = self.leave_cap()
        real = file.rename(self.root / "real")
        file.symlink_to(real)
        self.refused(file.name, "symbolic link")
        file.unlink()
        real.rename(file)
        self.state.rename(self.root / "real")
        self.state.symlink_to(self.root / "real")
        self.refused("var/lib/joulie", "symbolic link")

    def test_a_zone_that_is_a_link_out_of_the_machine(self) -> None:
        self.leave_cap()
        outside = self.root.parent / "outside"
        (self.root / ZONE).rename(outside)
        (self.root / ZONE).symlink_to(outside)
        self.must(LEFT, out=f"{KEY} {FOUND} absent\n")
        self.assertEqual((outside / "constraint_0_power_limit_uw").read_text().strip(), str(CAP))

    def test_the_agents_library_refuses_the_same(self) -> None:
        file = self.leave_cap()
        file.chmod(0o666)
        for command in ("restore", "status"):
            done = subprocess.run(
                [JOULIE, "cap", command, "--root", self.root], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn("its mode is 0666", done.stdout + done.stderr)
        self.assertEqual(self.limit(), CAP)


class OtherBoots(Machine):
    def test_what_firmware_reset_is_left_and_the_journal_goes_to_old(self) -> None:
        self.write(LIMIT, 150_000_000)
        file = self.leave(journal(capped()), f"caps-{OTHER_BOOT}")
        self.must(ALL_BACK, out="")
        self.assertEqual(self.limit(), 150_000_000)
        self.assertTrue((self.state / "old" / file.name).exists())

    def test_what_a_kexec_kept_is_given_back(self) -> None:
        self.write(LIMIT, CAP)
        file = self.leave(journal(capped()), f"caps-{OTHER_BOOT}")
        self.must(ALL_BACK, out=f"{KEY} {FOUND} restored\n")
        self.assertEqual(self.limit(), FOUND)
        self.assertTrue((self.state / "old" / file.name).exists())

    def test_what_cannot_be_judged_stays(self) -> None:
        file = self.leave(journal(capped("rapl/package-9/long_term")), f"caps-{OTHER_BOOT}")
        self.must(ALL_BACK, out="")
        self.assertTrue(file.exists())


class Prepares(Machine):
    """For joulie-capd: what other boots left is judged, and the journal of this one is there."""

    def test_a_new_machine_gets_folder_and_journal(self) -> None:
        self.state.rmdir()
        self.must(ALL_BACK, "--prepare", out="")
        self.assertEqual((self.state / f"caps-{self.boot}").read_text(), "")
        self.assertEqual(self.state.stat().st_mode & 0o777, 0o700)

    def test_what_a_kexec_kept_is_given_back_first(self) -> None:
        self.write(LIMIT, CAP)
        file = self.leave(journal(capped()), f"caps-{OTHER_BOOT}")
        self.must(ALL_BACK, "--prepare", out=f"{KEY} {FOUND} restored\n")
        self.assertEqual(self.limit(), FOUND)
        self.assertTrue((self.state / "old" / file.name).exists())
        self.assertEqual((self.state / f"caps-{self.boot}").read_text(), "")

    def test_what_cannot_be_judged_stays_for_the_next_one(self) -> None:
        file = self.leave(journal(capped("rapl/package-9/long_term")), f"caps-{OTHER_BOOT}")
        self.must(ALL_BACK, "--prepare", out="")
        self.assertTrue(file.exists())
        self.assertTrue((self.state / f"caps-{self.boot}").exists())

    def test_what_is_open_in_this_boot_is_left_for_who_takes_it_over(self) -> None:
        file = self.leave_cap()
        before = file.read_text()
        self.must(ALL_BACK, "--prepare", out="")
        self.assertEqual((self.limit(), file.read_text()), (CAP, before))

    def test_who_has_the_machine_is_named_by_joulie_capd(self) -> None:
        with (self.state / "writer.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertEqual(self.must(BUSY, "--prepare", out=""), "")
        self.assertFalse((self.state / f"caps-{self.boot}").exists())

    def test_beside_caps_of_version_0_2_nothing_is_made(self) -> None:
        self.leave("something\n", f"journal-{OTHER_BOOT}")
        self.assertIn("--from-v1", self.must(REFUSED, "--prepare"))
        self.assertFalse((self.state / f"caps-{self.boot}").exists())

    def test_it_is_done_alone(self) -> None:
        for other in ("--from-v1", "--dry-run"):
            self.must(USAGE, "--prepare", other)


class FromVersion1(Machine):
    def leave_v1(self, text: Optional[str] = None, boot: Optional[str] = None) -> Path:
        self.write(LIMIT, CAP)
        return self.leave(v1_capped() if text is None else text, f"journal-{boot or self.boot}")

    def test_everybody_says_what_to_run_and_writes_nothing(self) -> None:
        file = self.leave_v1()
        spec = self.root / "spec.json"
        spec.write_text('{"nodeName":"n1","profile":"eco","cpu":{"packagePowerCapWatts":90}}')
        at = ["--root", str(self.root)]
        for command in (
            [RESCUE, *at],
            [JOULIE, "cap", "apply", *at, "--spec", spec],
            [JOULIE, "cap", "restore", *at],
            [JOULIE, "cap", "status", *at],
            [JOULIE, "cap", "plan", *at, "--spec", spec],
            [AGENT, *at, "--spec", spec, "--status", "-", "--enforce", "--once"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, command)
            self.assertIn("joulie-rescue --from-v1 gives them back", done.stdout + done.stderr)
            self.assertIn(file.name, done.stdout + done.stderr)
            self.assertEqual((self.limit(), file.read_text()), (CAP, v1_capped()))

    def test_it_is_given_back_and_removed_and_the_new_version_goes_on(self) -> None:
        file = self.leave_v1()
        self.leave("half a", file.name + ".new")
        self.must(ALL_BACK, "--from-v1", out=f"{KEY} {FOUND} restored\n")
        self.assertEqual(self.limit(), FOUND)
        self.assertEqual(list(self.state.glob("journal-*")), [])
        self.must(ALL_BACK, "--from-v1", out="")  # before each start of an agent
        self.must(ALL_BACK, out="")

    def test_an_empty_one_is_in_nobodys_way(self) -> None:
        self.leave("", f"journal-{self.boot}")
        self.leave_cap()
        self.must(ALL_BACK, out=f"{KEY} {FOUND} restored\n")
        self.must(ALL_BACK, "--from-v1", out="")
        self.assertEqual(list(self.state.glob("journal-*")), [])

    def test_the_rules_of_version_1_hold(self) -> None:
        second = "rapl/package-1/long_term"
        text = (
            v1_line(op="write", key=KEY, value=CAP, baseline=FOUND)  # its baselines are lost
            + v1_line(op="baseline", key=KEY, value=CAP, unit="uW", owner="api")  # not the first
            + v1_capped(second)
            + v1_line(op="restored", key=second)
            + "00000000 {}\n"
            + v1_line(op="restored", key=KEY)[:-1]  # torn
        )
        self.leave_v1(text)
        self.must(ALL_BACK, "--from-v1", out=f"{KEY} {FOUND} restored\n")

    def test_only_version_1_is_given_back(self) -> None:
        """An agent that starts behind it takes its own caps over without a gap."""
        self.leave_v1("")
        caps = self.leave_cap()
        self.must(ALL_BACK, "--from-v1", out="")
        self.assertEqual(self.limit(), CAP)
        self.assertTrue(caps.exists())

    def test_what_is_not_back_keeps_its_journal(self) -> None:
        file = self.leave_v1(v1_capped() + v1_capped("rapl/package-9/long_term"))
        done = self.rescue("--from-v1", "--timeout", "0")
        self.assertEqual(done.returncode, LEFT)
        self.assertEqual(
            done.stdout, f"{KEY} {FOUND} restored\nrapl/package-9/long_term {FOUND} absent\n"
        )
        self.assertTrue(file.exists())

    def test_of_another_boot_only_what_a_kexec_kept(self) -> None:
        self.leave_v1(boot=OTHER_BOOT)
        self.must(ALL_BACK, "--from-v1", out=f"{KEY} {FOUND} restored\n")
        self.leave_v1(boot=OTHER_BOOT)
        self.write(LIMIT, 150_000_000)
        self.must(ALL_BACK, "--from-v1", out="")
        self.assertEqual(self.limit(), 150_000_000)
        self.assertEqual(list(self.state.glob("journal-*")), [])

    def test_a_forged_one_is_refused(self) -> None:
        file = self.leave_v1(v1_capped(found=1_000_000))
        file.chmod(0o666)
        said = self.must(LEFT, "--from-v1", out="")
        self.assertIn(f"{file.name}: user {os.geteuid()} owns it, its mode is 0666", said)
        self.assertEqual(self.limit(), CAP)
        file.chmod(0o600)
        self.must(ALL_BACK, "--from-v1", out=f"{KEY} 61500000 bounded\n")

    def test_the_old_version_holds_the_same_lock(self) -> None:
        self.leave_v1()
        with open(self.state / "writer.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.must(BUSY, "--from-v1")
        self.assertEqual(self.limit(), CAP)

    def test_before_a_downgrade_nothing_is_left_for_the_old_version_to_misread(self) -> None:
        self.leave_cap()
        self.must(ALL_BACK)
        left = {path.name: path.read_text() for path in self.state.iterdir()}
        self.assertEqual(left.pop("writer.lock").strip().isdigit(), True)
        self.assertEqual(left, {f"caps-{self.boot}": "joulie-journal 2\n"})
        self.assertEqual(self.limit(), FOUND)


class Program(unittest.TestCase):
    def run_it(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([RESCUE, *arguments], capture_output=True, text=True, check=False)

    def test_wrong_usage(self) -> None:
        for words in (["--nothing"], ["word"], ["--wait", "-1"], ["--wait", "86401"], ["--timeout", "1s"], ["--root"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""), words)
            self.assertIn("--help", done.stderr)

    def test_a_root_that_is_not_there(self) -> None:
        done = self.run_it("--root", "/nowhere")
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn("/nowhere", done.stderr)

    def test_help_and_version(self) -> None:
        self.assertTrue(self.run_it("--help").stdout.startswith("Usage: joulie-rescue"))
        version = subprocess.run([JOULIE, "--version"], capture_output=True, text=True, check=True)
        word = version.stdout.split()[1]
        self.assertEqual(self.run_it("--version").stdout, f"joulie-rescue {word}\n")

    def test_a_full_disk_for_the_help_is_a_failure(self) -> None:
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([RESCUE, "--help"], stdout=full, check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_the_manual_page_has_the_options_of_the_help_and_its_statuses(self) -> None:
        page = (ROOT / "docs/man/joulie-rescue.1").read_text().replace("\\-", "-")
        shown = set(re.findall(r"--[a-z0-9-]+", self.run_it("--help").stdout))
        options, _, rest = page.partition(".SH OUTPUT")
        self.assertEqual(set(re.findall(r"^\\fB(--[a-z0-9-]+)", options, re.M)), shown)
        self.assertEqual(re.findall(r"^\.TP\n(\d)$", rest, re.M), ["0", "1", "2", "3", "4"])

    def test_it_needs_libc_only_and_speaks_to_no_network(self) -> None:
        program = RELEASE / "bin" / "joulie-rescue"
        shown = subprocess.run(["readelf", "-dW", program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"NEEDED.*\[(.*)\]", shown), ["libc.so.6"])
        self.assertIn("BIND_NOW", shown)
        self.assertNotIn("PATH", shown)
        symbols = subprocess.run(["nm", "-D", "-u", program], capture_output=True, text=True, check=True).stdout
        called = {row.split()[-1].partition("@")[0] for row in symbols.splitlines()}
        for name in ("socket", "connect", "execve", "execvp", "fork", "system", "popen", "dlopen", "getenv", "getaddrinfo"):
            self.assertNotIn(name, called)
