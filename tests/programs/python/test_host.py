# SPDX-License-Identifier: Apache-2.0
"""joulie.Host: one machine from Python, on the trees of tests/support/fixtures/hosts.py."""

import copy
import gc
import os
import pickle
import signal
import sys
import tempfile
import unittest
import weakref
from pathlib import Path

from checkout import ROOT, use_package

use_package()
import joulie  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))
import hosts  # noqa: E402

RAPL = "sys/devices/virtual/powercap/intel-rapl"
SPEC = {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 120}}
START_MS = 1_773_403_200_000  # 2026-03-13T12:00:00Z


class OnTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        hosts.write_host("intel-2s", self.root)

    def host(self, **options):
        return joulie.Host(self.root, backed_twin=True, **options)

    def zone_file(self, package, name):
        return self.root / RAPL / f"intel-rapl:{package}" / name

    def limits(self):
        name = "constraint_0_power_limit_uw"
        return [int(self.zone_file(package, name).read_text()) for package in (0, 1)]

    def tick(self, host, second):
        times = {"monotonic_us": 1_000_000 * second, "boottime_us": 1_000_000 * second}
        return host.tick(START_MS + 1000 * second, **times)


class Caps(OnTree):
    def test_a_cap_is_planned_applied_reported_and_given_back(self):
        with self.host(enforces=True, owner="local:test") as host:
            plan = host.claim(START_MS).plan(SPEC, START_MS)
            self.assertEqual([one["capW"] for one in plan["packages"]], [120, 120])
            self.assertEqual(self.limits(), [205_000_000] * 2)
            self.assertEqual(self.tick(host, 0)["writes"], 2)
            self.assertEqual(self.limits(), [120_000_000] * 2)
            self.assertEqual(host.report()["cpu"]["result"], "applied")
            self.assertEqual([one["readBack"] for one in host.outcome()["writes"]], [120e6] * 2)
            self.assertEqual({one["owner"] for one in host.caps()["controls"]}, {"local:test"})
            self.assertEqual(len(host.restore(START_MS)["restored"]), 2)
            self.assertEqual(self.limits(), [205_000_000] * 2)
            self.assertEqual(host.caps()["controls"], [])

    def test_without_enforces_nothing_is_written(self):
        with self.host() as host:
            host.claim(START_MS).twin(SPEC)
            self.assertEqual(self.tick(host, 0)["writes"], 0)
        self.assertEqual(self.limits(), [205_000_000] * 2)

    def test_leaving_the_block_leaves_the_cap_and_the_journal(self):
        with self.host(enforces=True) as host:
            host.claim().twin(SPEC).tick()
        self.assertEqual(self.limits(), [120_000_000] * 2)
        with self.host(enforces=True) as host:
            self.assertEqual(len(host.caps()["controls"]), 2)
            host.claim().restore()
        self.assertEqual(self.limits(), [205_000_000] * 2)

    def test_numbers_of_the_options_reach_the_library(self):
        low = {**SPEC, "cpu": {"packagePowerCapWatts": 50}}
        for options, cap_w in (({}, 61.5), ({"floor_pct": 0}, 50), ({"floor_pct": 40}, 82)):
            with self.host(**options) as host:
                self.assertEqual(host.plan(low, START_MS)["packages"][0]["capW"], cap_w)
                self.assertEqual(host.packages()[0]["cap_w"], cap_w)
                self.assertEqual(host.packages()[1]["result"], joulie.ControlResult.APPLIED)
                write = host.writes()[0]
                self.assertEqual((write["key"], write["old_value"]), ("rapl/package-0/long_term", 205_000_000))
                self.assertEqual(write["new_value"], cap_w * 1_000_000)
        with self.assertRaises(TypeError):
            self.host(nothing=1)
        with self.assertRaises(joulie.RangeError):
            self.host(dvfs_ema_alpha=2)

    def test_the_switch_off_is_obeyed(self):
        with self.host(enforces=True) as host:
            host.set_disabled()
            host.claim().twin(SPEC)
            self.assertEqual((host.tick()["is_disabled"], host.tick()["writes"]), (1, 0))
            self.assertTrue(host.caps()["disabled"])
            host.set_disabled(False)
            self.assertEqual(host.tick()["is_disabled"], 0)


class Machine(OnTree):
    def test_it_reports_what_it_is_made_of(self):
        with self.host() as host:
            found = host.hardware("n1", START_MS)
        self.assertEqual(found["spec"]["nodeName"], "n1")
        self.assertEqual(found["status"]["updatedAt"], "2026-03-13T12:00:00Z")
        self.assertEqual(found["status"]["cpu"]["sockets"], 2)

    def test_zones_have_energy_and_power_and_what_is_unknown_is_absent(self):
        with self.host() as host:
            self.tick(host, 0)
            first = host.zones()
            for package, joules in ((0, 200), (1, 300)):
                file = self.zone_file(package, "energy_uj")
                file.write_text(f"{int(file.read_text()) + joules * 1_000_000}\n")
            self.tick(host, 2)
            zones = {zone["name"]: zone for zone in host.zones()}
        self.assertEqual(
            [(zone["name"], zone["kind"]) for zone in first],
            [
                ("package-0", "package"),
                ("package-1", "package"),
                ("package-0/dram", "dram"),
                ("package-1/dram", "dram"),
            ],
        )
        self.assertNotIn("power_w", first[0])
        self.assertAlmostEqual(zones["package-0"]["power_w"], 100)
        self.assertAlmostEqual(zones["package-1"]["power_w"], 150)
        self.assertEqual(zones["package-1"]["energy_j"], 300)
        self.assertEqual(zones["package-0"]["limit_w"], 205)
        self.assertEqual(zones["package-0"]["resets"], 0)

    def test_what_happens_can_be_logged(self):
        lines = []
        with self.host(enforces=True, log=lambda *line: lines.append(line)) as host:
            host.claim().twin(SPEC).tick()
        self.assertIn("info", {level for level, _, _ in lines})
        self.assertTrue(all(isinstance(text, str) for line in lines for text in line))


class Errors(OnTree):
    def test_two_hosts_cannot_hold_one_machine(self):
        with self.host(enforces=True) as one, self.host(enforces=True) as other:
            one.claim()
            with self.assertRaises(joulie.ConflictError) as caught:
                other.claim()
            self.assertIn(str(os.getpid()), caught.exception.message)
            one.close()
            other.claim()

    def test_calls_out_of_order_are_conflicts(self):
        with self.host(enforces=True) as host:
            for call in (host.report, host.outcome, host.restore):
                with self.assertRaises(joulie.ConflictError):
                    call()

    def test_what_has_another_type_is_refused_by_name(self):
        with self.assertRaises(TypeError):
            joulie.Host(None)  # not the live machine by accident
        with self.host() as host:
            with self.assertRaisesRegex(TypeError, "name is a str, not int"):
                host.hardware(5)
            with self.assertRaisesRegex(TypeError, "all three clocks"):
                host.tick(monotonic_us=5)

    def test_a_root_that_is_not_there_is_io(self):
        with self.assertRaises(joulie.IoError):
            joulie.Host(self.root / "nothing")
        with self.assertRaises(ValueError):
            joulie.Host("a\0b")

    def test_a_bad_twin_keeps_the_one_before(self):
        with self.host() as host:
            host.twin(SPEC)
            with self.assertRaises(joulie.RangeError):
                host.twin({**SPEC, "cpu": {"packagePowerCapWatts": 0}})
            self.assertEqual(host.plan(now_ms=START_MS)["packages"][0]["capW"], 120)

    def test_what_cannot_be_given_back_is_reported_and_stays(self):
        with self.host(enforces=True) as host:
            host.claim(START_MS).twin(SPEC)
            self.tick(host, 0)
            name = self.zone_file(1, "name")
            name.write_text("package-7\n")  # another zone now: not ours to write
            with self.assertRaises(joulie.IoError) as caught:
                host.restore(START_MS)
            answer = caught.exception.answer
            self.assertEqual([one["key"] for one in answer["failed"]], ["rapl/package-1/long_term"])
            self.assertEqual(len(host.caps()["controls"]), 1)
            self.assertEqual(self.limits(), [205_000_000, 120_000_000])
            name.write_text("package-1\n")
            host.restore(START_MS)
        self.assertEqual(self.limits(), [205_000_000] * 2)

    def test_a_closed_host_is_not_used(self):
        host = self.host()
        host.close()
        host.close()
        with self.assertRaises(ValueError):
            host.caps()

    def test_a_host_that_is_forgotten_gives_up_the_lock(self):
        host = self.host(enforces=True)
        host.claim()
        gone = weakref.ref(host)
        del host
        gc.collect()
        self.assertIsNone(gone())
        with self.host(enforces=True) as other:
            other.claim()


class Callbacks(OnTree):
    """What a callback raises is raised by the call that led to it, and the call is done before."""

    def raiser(self, problem):
        def log(*_):
            raise problem

        return log

    def test_what_the_log_raises_is_raised_by_the_call(self):
        for problem in (KeyboardInterrupt(), ZeroDivisionError("log"), SystemExit(3)):
            with self.subTest(problem=problem):
                host = self.host(enforces=True, log=self.raiser(problem))
                host.claim(START_MS).twin(SPEC)
                with self.assertRaises(type(problem)) as caught:
                    self.tick(host, 0)
                self.assertIs(caught.exception, problem)
                self.assertEqual(self.limits(), [120_000_000] * 2)
                self.assertEqual(host.report()["cpu"]["result"], "applied")  # once only
                with self.assertRaises(type(problem)):
                    host.restore(START_MS)
                self.assertEqual(self.limits(), [205_000_000] * 2)
                host.close()

    def test_an_interrupt_in_the_log_ends_the_loop_around_it(self):
        def log(*_):
            signal.raise_signal(signal.SIGINT)

        host = self.host(enforces=True, log=log)
        self.addCleanup(host.close)
        host.claim(START_MS).twin(SPEC)
        with self.assertRaises(KeyboardInterrupt):
            for second in range(100):
                self.tick(host, second)
        self.assertEqual(second, 0)

    def test_what_is_raised_wins_over_the_error_of_the_call(self):
        first = self.host(enforces=True)
        self.addCleanup(first.close)
        first.claim(START_MS).twin(SPEC)
        self.tick(first, 0)
        first.close()
        problem = ZeroDivisionError("log")
        host = self.host(enforces=True, log=self.raiser(problem))
        self.addCleanup(host.close)
        with self.assertRaises(ZeroDivisionError):
            host.claim(START_MS)  # which says what an earlier process left
        self.zone_file(0, "constraint_0_power_limit_uw").unlink()
        with self.assertRaises(ZeroDivisionError) as caught:
            host.restore(START_MS)
        self.assertIsInstance(caught.exception.__context__, joulie.IoError)


class OneOwner(OnTree):
    """One object, one process: copies and forks would write with the lock of somebody else."""

    def test_a_host_cannot_be_copied_or_pickled(self):
        with self.host() as host:
            for copy_it in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.subTest(copy_it.__name__):
                    with self.assertRaisesRegex(TypeError, "host cannot be copied or pickled"):
                        copy_it(host)
        with joulie.Cluster() as cluster:
            with self.assertRaisesRegex(TypeError, "cluster cannot be copied or pickled"):
                copy.copy(cluster)

    def in_a_fork(self, act):
        """What act() returns in a child, as text."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writing, str(act()).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read().decode()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        return said

    def problem_of(self, call):
        try:
            return repr(call())
        except Exception as problem:  # told to the parent
            return f"{type(problem).__name__}: {problem}"

    def test_the_host_of_a_fork_is_closed(self):
        host = self.host(enforces=True)
        self.addCleanup(host.close)
        host.claim(START_MS).twin(SPEC)
        self.tick(host, 0)
        calls = (lambda: self.tick(host, 1), lambda: host.restore(START_MS), host.caps)
        for call in calls:
            said = self.in_a_fork(lambda c=call: self.problem_of(c))
            self.assertRegex(said, "^RuntimeError: the host belongs to the process that made it")
        self.assertEqual(self.in_a_fork(lambda: self.problem_of(host.close)), "None")
        self.assertEqual(self.limits(), [120_000_000] * 2)
        self.tick(host, 2)  # ours goes on
        self.assertEqual(host.report()["cpu"]["result"], "applied")
        self.assertEqual(len(host.restore(START_MS)["restored"]), 2)

    def test_a_fork_does_not_hold_the_lock(self):
        host = self.host(enforces=True).claim(START_MS)
        reading, writing = os.pipe()
        is_there, says_there = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.write(says_there, b".")  # fork() has returned: what it does to a host is done
            os.read(reading, 1)  # until the parent is done
            os._exit(0)
        os.close(reading)
        os.close(says_there)
        try:
            self.assertEqual(os.read(is_there, 1), b".")
            host.close()
            with self.host(enforces=True) as successor:
                successor.claim(START_MS)
        finally:
            os.close(is_there)
            os.close(writing)
            os.waitpid(child, 0)

    def test_a_fork_may_have_a_host_of_its_own(self):
        with self.host(enforces=True) as host:
            host.claim(START_MS)

            def try_it():
                with self.host(enforces=True) as own:
                    return self.problem_of(lambda: own.claim(START_MS))

            self.assertRegex(self.in_a_fork(try_it), "^ConflictError: .*process")


if __name__ == "__main__":
    unittest.main()
