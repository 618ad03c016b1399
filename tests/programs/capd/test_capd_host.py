# SPDX-License-Identifier: Apache-2.0
"""A host (joulie/host.h) whose machine is kept by joulie-capd, over a pair of sockets."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import os
import signal
import socket
import threading
import time
from typing import Any
from unittest import mock

from capd_client import APPLY, BEAT, HEAD, LIST, ORIGINAL, POWERCAP, RESTORE, Machine, hosts
from checkout import use_package

use_package()

import joulie  # noqa: E402

EPOCH_MS = 1_700_000_000_000
CAP = 120_000_000


def spec(watts: float) -> dict[str, Any]:
    return {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": watts}}


class Steps:
    """A host and its clock."""

    def __init__(self, host: joulie.Host) -> None:
        self.host = host
        self.ms = 0

    def tick(self, count: int = 1) -> dict[str, Any]:
        for _ in range(count):
            self.ms += 1000
            self.host.tick(EPOCH_MS + self.ms, self.ms * 1000, self.ms * 1000)
        return self.host.report()


class Kept(Machine):
    def open(self, *arguments: object) -> Steps:
        self.process, self.client = self.start("--no-ramp", *arguments)
        host = joulie.Host(self.root, enforces=True, backed_twin=True)
        self.addCleanup(host.close)
        host.set_keeper(self.client.end.fileno())
        return Steps(host)

    def capped(self, *arguments: object) -> Steps:
        steps = self.open(*arguments)
        steps.host.claim(EPOCH_MS).twin(spec(120))
        self.assertEqual(steps.tick(2)["cpu"]["result"], "applied")
        self.assertEqual((self.limit(0), self.limit(1)), (CAP, CAP))
        return steps

    def test_what_it_decides_is_written_and_reported_as_without_a_keeper(self) -> None:
        steps = self.capped()
        kept = (steps.host.report(), steps.host.outcome(), steps.host.caps(), steps.host.hardware("n1", EPOCH_MS))
        given = steps.host.restore(EPOCH_MS)
        self.assertEqual((self.limit(0), self.limit(1)), (ORIGINAL, ORIGINAL))
        steps.host.close()
        self.client.close()
        self.must_end(self.process)
        with joulie.Host(self.root, enforces=True, backed_twin=True) as host:
            alone = Steps(host.claim(EPOCH_MS).twin(spec(120)))
            alone.tick(2)
            own = (host.report(), host.outcome(), host.caps(), host.hardware("n1", EPOCH_MS))
            self.assertEqual(host.restore(EPOCH_MS), given)
        for ours, theirs in zip(kept, own):
            for document in (ours, theirs):
                for control in document.get("controls", []):
                    del control["since"]  # of the clock of who writes
            self.assertEqual(ours, theirs)

    def test_energy_is_read_through_the_keeper(self) -> None:
        """The host sees a copy of the machine in which no counter can be opened."""
        copy = self.folder / "copy"
        hosts.write_host(self.HOST, copy)
        for zone in ("intel-rapl:0", "intel-rapl:0/intel-rapl:0:0", "intel-rapl:1", "intel-rapl:1/intel-rapl:1:0"):
            file = copy / POWERCAP / zone / "energy_uj"
            file.unlink()
            file.mkdir()
        self.process, client = self.start()
        host = joulie.Host(copy, enforces=True)
        self.addCleanup(host.close)
        steps = Steps(host)
        steps.tick(2)
        self.assertTrue(all("energy_j" not in zone for zone in host.zones()))
        host.set_keeper(client.end.fileno())  # no claim is needed to read
        counter = self.root / POWERCAP / "intel-rapl:0" / "energy_uj"
        counter.chmod(0o600)
        start = int(counter.read_text())
        for second in range(1, 4):
            counter.write_text(f"{start + second * 100_000_000}\n")
            steps.tick()
            host.set_keeper(-1)  # what came stays open
        found = {zone["name"]: zone for zone in host.zones()}
        self.assertEqual(found["package-0"]["power_w"], 100.0)

    def test_the_terms_of_the_keeper_are_its_own(self) -> None:
        steps = self.open("--floor-pct", 70)
        steps.host.claim(EPOCH_MS).twin(spec(100))
        steps.tick(2)
        self.assertEqual(self.limit(), 143_500_000)
        self.assertEqual(steps.host.report()["cpu"]["result"], "applied")

    def test_a_cap_stays_when_it_leaves(self) -> None:
        steps = self.capped("--takeover", 0)
        steps.host.leave()
        steps.host.close()
        self.client.close()
        self.must_end(self.process)
        self.assertEqual(self.limit(), CAP)

    def test_a_cap_goes_when_it_ends_without_a_word(self) -> None:
        steps = self.capped("--takeover", 0)
        steps.host.close()
        self.assertEqual(self.limit(), CAP)
        self.client.close()
        self.must_end(self.process)
        self.assertEqual(self.limit(), ORIGINAL)

    def test_a_keeper_that_dies_is_an_error_and_the_next_one_goes_on_without_a_gap(self) -> None:
        steps = self.capped()
        self.process.kill()
        self.process.wait()
        for _ in range(2):  # until there is another one
            with self.assertRaises(joulie.IoError) as caught:
                steps.tick()
            self.assertEqual(caught.exception.where, "keeper")
        self.assertEqual(steps.host.report()["cpu"]["result"], "blocked")
        with self.assertRaises(joulie.ConflictError):
            steps.host.restore(EPOCH_MS)
        _, self.client = self.start("--no-ramp")
        steps.host.set_keeper(self.client.end.fileno()).claim(EPOCH_MS)
        before = self.path().stat().st_mtime_ns
        self.assertEqual(steps.tick(2)["cpu"]["result"], "applied")
        self.assertEqual((self.limit(), self.path().stat().st_mtime_ns), (CAP, before))
        self.assertEqual(len(steps.host.restore(EPOCH_MS)["restored"]), 2)

    def test_without_a_connection_nothing_is_written(self) -> None:
        host = joulie.Host(self.root, enforces=True, backed_twin=True)
        self.addCleanup(host.close)
        host.set_keeper(-1)
        with self.assertRaises(joulie.IoError) as caught:
            host.claim(EPOCH_MS)
        self.assertEqual(caught.exception.where, "keeper")
        host.twin(spec(120))
        self.assertEqual(Steps(host).tick(2)["cpu"]["result"], "blocked")
        self.assertEqual(self.limit(), ORIGINAL)

    def test_a_host_that_writes_itself_takes_no_keeper(self) -> None:
        host = joulie.Host(self.root, enforces=True).claim(EPOCH_MS)
        self.addCleanup(host.close)
        with self.assertRaises(joulie.ConflictError):
            host.set_keeper(0)
        host.beat()
        host.leave()

    def test_who_refuses_is_named(self) -> None:
        self.listen()
        first = self.connect()
        first.hello()
        second = self.connect()
        host = joulie.Host(self.root, enforces=True)
        self.addCleanup(host.close)
        with self.assertRaises(joulie.ConflictError) as caught:
            host.set_keeper(second.end.fileno()).claim(EPOCH_MS)
        self.assertIn(f"process {os.getpid()} is the client", str(caught.exception))

    def test_beats_keep_it(self) -> None:
        steps = self.capped("--silence", 2)
        end = time.monotonic() + 4
        while time.monotonic() < end:
            steps.host.beat()
            time.sleep(0.2)
        self.assertEqual(self.limit(), CAP)
        steps.host.beat()
        self.wait_for_limit(ORIGINAL)
        with self.assertRaises(joulie.IoError):
            steps.host.beat()

    def test_a_reply_that_cannot_be_believed_ends_the_connection(self) -> None:
        for reply in (b"x", b"\1\0\0\0" + b"\xff" * 400, b"\0" * 60_000):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            host = joulie.Host(self.root, enforces=True)
            with ours, theirs:
                theirs.send(reply)
                with self.assertRaises(joulie.IoError) as caught:
                    host.set_keeper(ours.fileno()).claim(EPOCH_MS)
                self.assertEqual(caught.exception.where, "keeper")
                self.assertIn("its reply", str(caught.exception))
            host.close()

    def test_a_stopped_keeper_does_not_stop_a_beat(self) -> None:
        steps = self.capped()
        self.stop(self.process)
        for _ in range(2000):
            steps.host.beat()
        self.process.send_signal(signal.SIGCONT)
        self.assertEqual(steps.tick(2)["cpu"]["result"], "applied")


class Wire(threading.Thread):
    """Between a host and its keeper: passes every packet on, and counts them."""

    def __init__(self, keeper: socket.socket) -> None:
        super().__init__(daemon=True)
        self.keeper = keeper
        self.host, self.end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.packets: collections.Counter[int] = collections.Counter()
        self.bytes: collections.Counter[int] = collections.Counter()

    def run(self) -> None:
        with contextlib.suppress(OSError):  # the keeper is gone
            while request := self.end.recv(1 << 17):
                _, kind, *_ = HEAD.unpack_from(request)
                self.keeper.send(request)
                reply, fds = b"", list[int]()
                if kind != BEAT:
                    reply, fds, _, _ = socket.recv_fds(self.keeper, 1 << 17, 1)
                self.packets[kind] += 1
                self.bytes[kind] += len(request) + len(reply)
                if reply:
                    socket.send_fds(self.end, [reply], fds)
                for descriptor in fds:
                    os.close(descriptor)

    def close(self) -> None:
        self.host.shutdown(socket.SHUT_RDWR)
        self.join()
        self.host.close()
        self.end.close()


class ManyCpus(Machine):
    """512 CPUs, each with a frequency of its own."""

    HOST = "amd-512"
    CPUS = 512

    def setUp(self) -> None:
        epyc = hosts.HOSTS["amd-pstate"]
        assert epyc.cpufreq is not None
        many = dataclasses.replace(
            epyc,
            model_name="a processor that nobody knows",
            model=1,
            cpus=hosts.cpus_of(2, self.CPUS // 2, threads=2),
            cpufreq=dataclasses.replace(epyc.cpufreq, cpus_per_policy=1),
        )
        with mock.patch.dict(hosts.HOSTS, {self.HOST: many}):
            super().setUp()
        self.process, client = self.start()
        self.wire = Wire(client.end)
        self.wire.start()
        self.addCleanup(self.wire.close)
        host = joulie.Host(self.root, enforces=True, backed_twin=True)
        self.addCleanup(host.close)
        host.set_keeper(self.wire.host.fileno())
        host.claim(EPOCH_MS)
        self.steps = Steps(host)

    def cap(self, percent: int) -> None:
        self.steps.host.twin({"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapPctOfMax": percent}})
        self.steps.tick()

    def speeds(self) -> set[int]:
        return {int(file.read_text()) for file in self.root.glob("sys/devices/system/cpu/cpufreq/*/scaling_max_freq")}

    def what_is_known(self) -> list[dict[str, Any]]:
        """By the host from replies; another one that reads the journal knows the same."""
        known = self.steps.host.caps()["controls"]
        with joulie.Host(self.root) as reader:
            self.assertEqual(reader.caps()["controls"], known)
        return list(known)

    def test_a_write_costs_its_own_packets_and_no_list(self) -> None:
        self.wire.packets.clear()
        speeds = set()
        for percent in (80, 70, 60, 50):
            self.cap(percent)
            (speed,) = self.speeds()
            speeds.add(speed)
        self.assertEqual(len(speeds), 4)
        self.assertEqual(len(self.what_is_known()), self.CPUS)
        self.assertLessEqual(self.wire.packets[APPLY], 8)  # of each package
        self.assertLess(self.wire.bytes[APPLY] / (4 * self.CPUS), 200)  # both ways
        self.assertEqual(self.wire.packets[LIST], 0)

        self.steps.host.restore(EPOCH_MS)
        self.assertEqual(self.what_is_known(), [])
        self.assertEqual((self.wire.packets[LIST], self.wire.packets[RESTORE]), (0, 1))
