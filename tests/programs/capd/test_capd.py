# SPDX-License-Identifier: Apache-2.0
"""joulie-capd over machines that are folders (docs/rules/enforcement.md#capd)."""

from __future__ import annotations

import collections
import contextlib
import fcntl
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import time
import unittest
import zlib
from pathlib import Path
from typing import Iterator

import linked_lines
from capd_client import (
    APPLY,
    BACK,
    BEAT,
    CONFLICT,
    DENIED,
    ENERGY,
    ENTRY,
    FAILED,
    FOUND,
    GIVE_BACK_MAXIMUM,
    GIVEN,
    GROUP,
    HEAD,
    HELLO,
    IO,
    KEY,
    LEAVE,
    LIST,
    LOST,
    MADE,
    MAY_ENABLE,
    NOT_FOUND,
    ORIGINAL,
    OTHER,
    PARSE,
    POWERCAP,
    RESTORE,
    REVERTED,
    TERMS,
    TRIED,
    UNBOUNDED,
    UNSUPPORTED,
    VERIFIED,
    Client,
    Gone,
    Machine,
    Reply,
)
from checkout import RELEASE, ROOT
from descriptors import scarce
from waiting import wait_until

CAP = 164_000_000  # one step of the ramp below the original
POLICY = "sys/devices/system/cpu/cpufreq/policy0/"
FREQUENCY = "cpufreq/policy0/max"
SANDBOX = ROOT / "daemons" / "capd" / "sandbox.c"


def line(*words: object) -> str:
    text = " ".join(map(str, words))
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


class Packets(Machine):
    """What each request does."""

    def setUp(self) -> None:
        super().setUp()
        _, self.client = self.start()

    def test_hello_has_the_terms_that_no_client_gets_around(self) -> None:
        reply = self.client.hello()
        self.assertEqual((reply.code, reply.message), (0, ""))
        floor, flags, pid = reply.of(TERMS)[0]
        self.assertEqual((floor, flags), (30.0, 1))
        self.assertIn("joulie-capd", Path(f"/proc/{pid}/cmdline").read_text())

    def test_a_value_is_written_behind_its_record(self) -> None:
        self.client.hello("local:test")
        made = self.client.apply((KEY, CAP))
        self.assertEqual(made, [(CAP, ORIGINAL, CAP, VERIFIED, 1 | 2 | 64)])
        self.assertEqual(self.limit(), CAP)
        self.assertRegex(self.journal(), rf"baseline {KEY} {ORIGINAL} uW 1 local:test ")
        self.assertRegex(self.journal(), rf"write {KEY} {CAP} ")

    def test_what_is_open_is_listed(self) -> None:
        self.client.hello()
        self.client.apply((KEY, CAP), (FREQUENCY, 2_000_000))
        reply = self.client.ask(LIST)
        limit, frequency = reply.of(ENTRY)
        self.assertEqual(reply.total, 2)
        self.assertEqual(limit[0].rstrip(b"\0").decode(), KEY)  # type: ignore[attr-defined]
        self.assertEqual(limit[1].rstrip(b"\0"), b"api")  # type: ignore[attr-defined]
        self.assertEqual((limit[2], limit[3], limit[5], limit[6]), (ORIGINAL, CAP, 1, 1 | 2 | 4 | 8))
        self.assertEqual((frequency[3], frequency[5]), (2_000_000, 2))
        self.assertEqual(self.client.ask(LIST, first=1).of(ENTRY), [frequency])
        self.assertEqual(self.client.ask(LIST, first=9).of(ENTRY), [])

    def test_keys_are_given_back(self) -> None:
        self.client.hello()
        self.client.apply((KEY, CAP), (OTHER, CAP))
        reply = self.client.restore(KEY, "rapl/package-7/long_term")
        given, nothing = reply.of(GIVEN)
        self.assertEqual((reply.total, given[0], given[1], given[3]), (0, ORIGINAL, CAP, VERIFIED))
        self.assertEqual(given[4] & (FOUND | TRIED | BACK), FOUND | TRIED | BACK)
        self.assertEqual(nothing[4], BACK)
        self.assertEqual((self.limit(0), self.limit(1)), (ORIGINAL, CAP))
        self.assertEqual(self.client.open_keys(), [OTHER])

    def test_an_energy_counter_comes_as_a_descriptor_that_only_reads(self) -> None:
        self.client.hello()
        names = {"package-0": "intel-rapl:0", "package-1/dram": "intel-rapl:1/intel-rapl:1:0"}
        for name, folder in names.items():
            reply = self.client.ask(ENERGY, name.encode().ljust(64, b"\0"), 1)
            (descriptor,) = reply.fds
            file = self.root / POWERCAP / folder / "energy_uj"
            self.assertEqual(os.pread(descriptor, 64, 0), file.read_bytes())
            with self.assertRaises(OSError):
                os.write(descriptor, b"1")
            os.close(descriptor)
        for name in ("package-9", "package-0/nothing", "../../x", "/"):
            reply = self.client.ask(ENERGY, name.encode().ljust(64, b"\0"), 1)
            self.assertEqual((reply.code, reply.fds), (-14, []), name)

    def test_a_beat_has_no_reply(self) -> None:
        self.client.hello()
        self.client.send(BEAT)
        self.client.send(BEAT)
        self.assertEqual(self.client.ask(LIST).total, 0)

    def test_a_group_of_which_a_part_is_not_there_is_not_written(self) -> None:
        self.client.hello()
        made = self.client.apply((KEY, CAP), ("rapl/package-9/long_term", CAP), flags=GROUP)
        self.assertEqual([row[3] for row in made], [REVERTED, LOST])
        made = self.client.apply((KEY, CAP), ("rapl/package-9/long_term", CAP))
        self.assertEqual([row[3] for row in made], [VERIFIED, LOST])
        self.assertEqual(self.client.open_keys(), [KEY])

    def test_what_cannot_be_read_is_not_written(self) -> None:
        self.client.hello()
        self.path(1).unlink()
        self.path(1).mkdir()
        made = self.client.apply((OTHER, CAP), (KEY, CAP), flags=GROUP)
        self.assertEqual([row[3] for row in made], [FAILED, REVERTED])
        self.assertEqual((self.limit(0), self.client.open_keys()), (ORIGINAL, []))

    def test_energy_needs_no_hello(self) -> None:
        os.close(self.client.ask(ENERGY, b"package-0".ljust(64, b"\0"), 1).fds[0])
        self.must_be_free()

    def test_nothing_else_is_done_before_hello(self) -> None:
        self.assertEqual(self.client.ask(LIST).total, 0)  # who only asks takes nothing
        self.must_be_free()
        reply = self.client.ask(LEAVE)
        self.assertEqual((reply.code, self.client.is_closed()), (CONFLICT, True))

    def test_a_journal_that_takes_nothing_stops_the_write(self) -> None:
        self.client.hello()
        os.rename(self.state, self.folder / "moved")
        self.state.write_text("no folder")
        os.rename(self.folder / "moved", self.folder / "moved again")  # the kept descriptor goes with it
        self.assertEqual(self.client.apply((KEY, CAP))[0][3], VERIFIED)
        self.assertEqual(len(list((self.folder / "moved again").glob("caps-*"))), 1)

    def test_many_keys_are_listed_page_by_page(self) -> None:
        source = self.root / POLICY
        names = [f"cpufreq/policy{n}/max" for n in range(200)]
        for number in range(4, 200):
            copy = source.parent / f"policy{number}"
            copy.mkdir()
            for file in source.iterdir():
                if file.is_file():
                    (copy / file.name).write_bytes(file.read_bytes())
        self.client.hello()
        made = self.client.apply(*((name, 2_000_000) for name in names))
        self.assertEqual({row[3] for row in made}, {VERIFIED})
        self.assertEqual(self.client.ask(LIST).count, 128)
        self.assertEqual(sorted(self.client.open_keys()), sorted(names))
        self.assertEqual(self.client.restore(*names).total, 0)
        self.assertEqual(self.client.open_keys(), [])


class Bounds(Machine):
    """Whatever a client asks for."""

    def written(self, *arguments: object, key: str = KEY, value: int) -> int:
        process, client = self.start("--takeover", 0, *arguments)
        client.hello()
        (made,) = client.apply((key, value))
        self.assertEqual(made[3], VERIFIED)
        client.close()
        self.must_end(process)
        return made[0]

    def test_a_limit_stays_above_the_floor(self) -> None:
        self.assertEqual(self.written("--no-ramp", value=1), 61_500_000)
        self.assertEqual(self.written("--no-ramp", "--floor-pct", 50, value=1), 102_500_000)
        self.assertEqual(self.written("--no-ramp", "--floor-pct", 0, value=125_000), 125_000)

    def test_a_limit_stays_at_the_maximum_of_its_zone(self) -> None:
        self.assertEqual(self.written(value=900_000_000), ORIGINAL)
        self.assertEqual(self.written(value=2**64 - 1), ORIGINAL)

    def test_a_limit_of_which_nothing_is_known_is_not_written(self) -> None:
        (self.root / POWERCAP / "intel-rapl:0/constraint_0_max_power_uw").write_text("0\n")
        self.path().write_text("0\n")
        _, client = self.start()
        client.hello()
        for flags in (0, GROUP):
            self.assertEqual(client.apply((KEY, CAP), flags=flags), [(CAP, 0, 0, UNBOUNDED, 0)])
        self.assertEqual((self.limit(), client.open_keys()), (0, []))

    def test_the_maximum_is_given_back_instead_of_what_may_be_a_cap(self) -> None:
        for flags, value in ((0, 150_000_000), (GIVE_BACK_MAXIMUM, ORIGINAL)):
            self.path().write_text("150000000\n")
            process, client = self.start("--takeover", 0)
            client.hello()
            client.apply((KEY, 120_000_000), flags=flags)
            client.close()
            self.must_end(process)
            self.assertEqual(self.limit(), value)

    def test_a_limit_comes_down_in_steps(self) -> None:
        _, client = self.start()
        client.hello()
        for _ in range(3):
            self.assertEqual(client.apply((KEY, 70_000_000))[0][0], CAP)
        self.assertEqual(client.apply((KEY, 190_000_000))[0][0], 190_000_000)
        self.assertEqual(client.apply((KEY, 70_000_000))[0][0], CAP)  # the same interval
        self.assertEqual(client.apply((OTHER, 180_000_000))[0][0], 180_000_000)
        wait_until("the next step", lambda: client.apply((KEY, 70_000_000))[0][0] == 123_000_000)

    def test_a_frequency_stays_within_those_of_the_policy(self) -> None:
        self.assertEqual(self.written(key=FREQUENCY, value=1), 800_000)
        self.assertEqual(self.written(key=FREQUENCY, value=9_000_000), 3_500_000)
        self.assertEqual(self.written(key="cpufreq/policy0/min", value=0), 800_000)

    def test_no_key_leads_to_another_file(self) -> None:
        _, client = self.start()
        client.hello()
        for key in (
            "rapl/../long_term",
            "rapl/package-0/max_power",
            "rapl/package-0",
            "rapl//long_term",
            "rapl/dram/long_term",
            "cpufreq/policy0/../../x/max",
            "cpufreq/policy0/cpuinfo_max",
            "gpu/GPU-1",
            "/etc/passwd",
        ):
            self.assertEqual(client.apply((key, CAP))[0][3], LOST, key)
        self.assertEqual(client.open_keys(), [])

    def test_a_limit_is_switched_on_only_where_both_allow_it(self) -> None:
        enabled = self.root / POWERCAP / "intel-rapl:0/enabled"
        for arguments, flags, result in (
            ((), MAY_ENABLE, "0"),
            (("--allow-enable",), 0, "0"),
            (("--allow-enable",), MAY_ENABLE, "1"),
        ):
            enabled.write_text("0\n")
            process, client = self.start("--takeover", 0, *arguments)
            client.hello()
            client.apply((KEY, CAP), flags=flags)
            self.assertEqual(enabled.read_text().strip(), result)
            client.close()
            self.must_end(process)
            self.assertEqual(enabled.read_text().strip(), "0")


class BadPackets(Machine):
    """One clear answer, and the connection ends."""

    def setUp(self) -> None:
        super().setUp()
        self.process = self.listen()

    def must_be_refused(self, packet: bytes, code: int, text: str) -> None:
        client = self.connect()
        self.assertEqual(client.hello().code, 0)
        client.end.send(packet)
        reply = client.receive()
        self.assertEqual(reply.code, code, reply.message)
        self.assertIn(text, reply.message)
        self.assertTrue(client.is_closed())

    def test_they_are_refused_and_the_next_client_is_served(self) -> None:
        good = HEAD.pack(1, APPLY, 0, 1, 0, 0) + KEY.encode().ljust(64, b"\0") + struct.pack("=Q", CAP)
        endless = HEAD.pack(1, APPLY, 0, 1, 0, 0) + b"x" * 64 + struct.pack("=Q", CAP)
        for packet, code, text in (
            (b"?", UNSUPPORTED, "version 1"),
            (HEAD.pack(2, LIST, 0, 0, 0, 0), UNSUPPORTED, "version 1"),
            (HEAD.pack(1, 99, 0, 0, 0, 0), UNSUPPORTED, "kind 99"),
            (HEAD.pack(1, LIST, 8, 0, 0, 0), UNSUPPORTED, "flags"),
            (good[:20], PARSE, "too short"),
            (good[:-1], PARSE, "length"),
            (good + b"\0", PARSE, "length"),
            (good + b"\0" * 100_000, PARSE, "length"),
            (HEAD.pack(1, APPLY, 0, 4_000_000_000, 0, 0), PARSE, "too many"),
            (endless, PARSE, "word"),
        ):
            self.must_be_refused(packet, code, text)
        self.must_be_refused(HEAD.pack(1, HELLO, 0, 0, 0, 0), PARSE, "item")
        self.assertIsNone(self.process.poll())
        self.assertEqual(self.limit(), ORIGINAL)

    def test_what_a_refused_client_had_written_goes_back(self) -> None:
        self.end(self.process)
        self.listen("--takeover", 0)
        client = self.connect()
        client.hello()
        client.apply((KEY, CAP))
        client.end.send(b"?")
        self.wait_for_limit(ORIGINAL)

    def test_a_client_that_does_not_read_is_as_good_as_gone(self) -> None:
        client = self.connect()
        client.hello()
        client.end.setblocking(False)
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            while True:
                try:
                    client.send(LIST)
                except BlockingIOError:
                    time.sleep(0.01)
        self.assertEqual(self.connect().hello().code, 0)


class DrawnPackets(Machine):
    """Whatever comes over the socket, each answer can be believed and no limit leaves its bounds: 20,000
    messages, a million with --long. JOULIE_SEED = which."""

    KEYS = (KEY, OTHER, FREQUENCY, "rapl/package-9/long_term", "package-0", "../../etc/passwd", "rapl//long_term", "x")
    LEAST = 61_500_000
    FORMS = {HELLO: TERMS, LIST: ENTRY, APPLY: MADE, RESTORE: GIVEN}

    def setUp(self) -> None:
        super().setUp()
        self.process = self.listen()
        self.dice = random.Random(int(os.environ.get("JOULIE_SEED", "1")))

    def said_hello(self) -> Client:
        client = self.connect()

        def is_served() -> bool:  # the one before may not have been seen to be gone
            nonlocal client
            try:
                if client.hello().code == 0:
                    return True
            except Gone:
                pass
            client.close()
            client = self.connect()
            return False

        wait_until(self.said, is_served)
        return client

    def drawn_items(self, kind: int, count: int) -> bytes:
        draw = self.dice
        if kind == HELLO:
            return b"api".ljust(72, b"\0") * count
        keys = [draw.choice(self.KEYS).encode().ljust(64, b"\0") for _ in range(count)]
        if kind != APPLY:
            return b"".join(keys)
        return b"".join(key + struct.pack("=Q", draw.getrandbits(draw.randint(1, 64))) for key in keys)

    def drawn(self) -> bytes:
        """Mostly what a client could say; then a bit of it is changed, or its length."""
        draw = self.dice
        kind = draw.randint(HELLO, LEAVE)
        count = draw.randint(1, 3) if kind in (APPLY, RESTORE) else int(kind in (HELLO, ENERGY))
        packet = HEAD.pack(1, kind, draw.randrange(8) if kind == APPLY else 0, count, 0, 0)
        packet += self.drawn_items(kind, count)
        roll = draw.randrange(16)
        if roll == 0:
            changed = bytearray(packet)
            changed[draw.randrange(len(packet))] ^= 1 << draw.randrange(8)
            return bytes(changed)
        return packet[: draw.randint(1, len(packet))] + bytes(draw.randrange(600)) if roll == 1 else packet

    def send(self, client: Client, packet: bytes) -> None:
        """So that one reply is due."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if self.dice.randrange(16) == 0:  # a descriptor that nobody wants
                socket.send_fds(client.end, [packet], [self.log.fileno()])
            else:
                client.end.send(packet)
            if packet[4:8] == struct.pack("=I", BEAT):
                client.send(LIST)

    def is_believed(self, reply: Reply) -> bool:
        for descriptor in reply.fds:
            self.assertEqual(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE, os.O_RDONLY)
            os.close(descriptor)
        self.assertEqual(len(reply.fds), int(reply.kind == ENERGY and reply.code == 0))
        if reply.code == 0:
            form = self.FORMS.get(reply.kind)
            self.assertEqual(len(reply.items), form.size * reply.count if form else 0)
        else:
            self.assertTrue(reply.message.isprintable() and reply.message and not reply.items)
        return reply.code == 0

    def held(self) -> "collections.Counter[str]":
        """How often each file is open: one of a control stays so, with its journal."""
        folder = Path(f"/proc/{self.process.pid}/fd")
        return collections.Counter(os.readlink(path).split("[")[0] for path in folder.iterdir())

    def test_no_message_breaks_it(self) -> None:
        client = self.said_hello()
        held = self.held()
        ended = 0
        for number in range(1_000_000 if os.environ.get("JOULIE_LONG") else 20_000):
            self.send(client, self.drawn())
            if not self.is_believed(client.receive()):
                ended += 1
                client.close()
                client = self.said_hello()
            if number % 16 == 0:
                for package in range(2):
                    self.assertTrue(self.LEAST <= self.limit(package) <= ORIGINAL, self.limit(package))
        self.assertGreater(ended, 0)
        self.assertEqual(client.restore(*self.KEYS).total, 0)
        self.assertEqual(client.open_keys(), [])
        self.assertEqual({name for name, count in self.held().items() if count > max(1, held[name])}, set())
        self.assertEqual((self.limit(0), self.limit(1)), (ORIGINAL, ORIGINAL))
        self.assertIsNone(self.process.poll())


class Ends(Machine):
    """What follows the end of a client."""

    def capped(self, *arguments: object) -> "tuple[subprocess.Popen[bytes], Client]":
        process, client = self.start(*arguments)
        client.hello()
        self.assertEqual(client.apply((KEY, CAP), (FREQUENCY, 2_000_000))[0][3], VERIFIED)
        return process, client

    def must_be_original(self) -> None:
        self.assertEqual(self.limit(), ORIGINAL)
        self.assertEqual((self.root / POLICY / "scaling_max_freq").read_text().strip(), "2147483647")
        self.assertEqual(self.journal(), "joulie-journal 2\n")

    def test_everything_is_given_back_when_the_client_is_gone(self) -> None:
        process, client = self.capped("--takeover", 1)
        client.close()
        self.must_end(process)
        self.must_be_original()
        self.assertIn(f"{KEY} is given back: {ORIGINAL}", self.said())

    def test_the_caps_stay_for_the_time_of_a_takeover(self) -> None:
        process, client = self.capped("--takeover", 3)
        before = time.monotonic()
        client.close()
        self.must_end(process)
        self.assertGreaterEqual(time.monotonic() - before, 2.9)

    def test_a_client_that_is_killed_is_gone(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.prepare()
        with theirs:
            process = self.begin(self.program("--takeover", 0), theirs)
        child = os.fork()
        if child == 0:
            client = Client(ours)
            client.hello()
            client.apply((KEY, CAP))
            signal.pause()
            os._exit(1)
        ours.close()
        self.wait_for_limit(CAP)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.must_end(process)
        self.assertEqual(self.limit(), ORIGINAL)

    def test_signals_for_the_whole_terminal_do_not_end_it(self) -> None:
        process, client = self.capped("--takeover", 0)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            process.send_signal(number)
        self.assertEqual(client.apply((KEY, CAP))[0][3], VERIFIED)
        client.close()
        self.must_end(process)
        self.must_be_original()

    def test_another_client_takes_over_without_a_gap(self) -> None:
        self.listen("--takeover", 60)
        first = self.connect()
        first.hello()
        first.apply((KEY, CAP))
        first.close()
        second = self.connect()
        wait_until("hello", lambda: second.hello().code == 0)
        self.assertEqual((self.limit(), second.open_keys()), (CAP, [KEY]))
        self.assertEqual(second.restore(KEY).total, 0)

    def test_a_client_with_a_process_of_its_own_takes_over_without_a_gap(self) -> None:
        first, client = self.capped("--takeover", 8)
        client.close()
        _, second = self.start("--takeover", 60)
        wait_until("hello", lambda: second.hello().code == 0)
        self.assertIn(KEY, second.open_keys())
        self.must_end(first)
        self.assertEqual(self.limit(), CAP)
        self.assertIn("another process took over", self.said())
        self.assertIn(KEY, second.open_keys())

    def test_what_a_person_set_in_the_meantime_stays(self) -> None:
        first, client = self.capped("--takeover", 8)
        client.close()
        second, person = self.start("--takeover", 60)
        wait_until("hello", lambda: person.hello("local:cap").code == 0)
        person.ask(LEAVE)
        person.close()
        self.must_end(second)
        self.must_end(first)
        self.assertEqual(self.limit(), CAP)

    def test_a_cap_stays_by_wish(self) -> None:
        process, client = self.capped("--takeover", 0)
        self.assertEqual(client.ask(LEAVE).code, 0)
        client.close()
        self.must_end(process)
        self.assertEqual(self.limit(), CAP)
        process, client = self.start("--takeover", 0)
        client.hello()
        self.assertIn(KEY, client.open_keys())
        client.close()
        self.must_end(process)
        self.must_be_original()

    def test_a_silent_client_is_as_good_as_gone(self) -> None:
        process, client = self.capped("--silence", 2, "--takeover", 60)
        self.wait_for_limit(ORIGINAL)
        self.must_end(process)
        self.assertIn("is silent", self.said())
        with self.assertRaises(Gone):
            client.apply((KEY, CAP))

    def test_beats_keep_a_client(self) -> None:
        _, client = self.capped("--silence", 2)
        for _ in range(10):
            client.send(BEAT)
            time.sleep(0.3)
        self.assertEqual(self.limit(), CAP)
        self.assertEqual(client.ask(LIST).total, 2)

    def test_a_silent_client_is_waited_for_less_when_caps_are_switched_off(self) -> None:
        (self.root / "etc/joulie").mkdir(parents=True)
        (self.root / "etc/joulie/disable").touch()
        process, _client = self.capped("--silence", 3600, "--takeover", 3600)
        self.must_end(process)
        self.must_be_original()

    def test_time_in_which_it_was_itself_stopped_is_no_silence(self) -> None:
        process, client = self.capped("--silence", 7)
        self.stop(process)
        time.sleep(8)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        self.assertEqual(client.ask(LIST).total, 2)

    def test_a_zone_that_is_away_is_waited_for(self) -> None:
        zone = self.root / POWERCAP / "intel-rapl:0"
        away = self.folder / "away"
        process, client = self.capped("--takeover", 0)
        os.rename(zone, away)
        client.close()
        wait_until(self.said, lambda: "1 controls cannot be given back yet" in self.said())
        self.assertIsNone(process.poll())
        os.rename(away, zone.with_name("intel-rapl:7"))
        self.must_end(process)
        os.rename(zone.with_name("intel-rapl:7"), zone)
        self.must_be_original()

    def test_a_removed_state_folder_is_said(self) -> None:
        process, client = self.capped("--takeover", 1)
        for file in self.state.iterdir():
            file.unlink()
        self.state.rmdir()
        client.close()
        self.must_end(process)
        self.assertEqual(self.limit(), ORIGINAL)  # what it remembers is enough
        self.assertIn("the state folder was removed", self.said())


class Starts(Machine):
    """What an earlier process left."""

    def leave_cap(self, owner: str) -> None:
        process, client = self.start("--takeover", 60)
        client.hello(owner)
        client.apply((KEY, CAP))
        process.kill()
        process.wait()
        client.close()
        self.assertEqual(self.limit(), CAP)

    def test_it_goes_back_when_no_client_comes(self) -> None:
        self.leave_cap("api")
        self.listen("--takeover", 1)
        self.wait_for_limit(ORIGINAL)

    def test_what_a_person_set_stays(self) -> None:
        self.leave_cap("local:cap")
        self.listen("--takeover", 0)
        client = self.connect()
        wait_until("hello", lambda: client.hello().code == 0)
        self.assertEqual(client.open_keys(), [KEY])

    def test_a_client_that_comes_in_time_takes_it_over(self) -> None:
        self.leave_cap("api")
        _, client = self.start("--takeover", 60)
        client.hello()
        self.assertEqual((self.limit(), client.open_keys()), (CAP, [KEY]))

    def test_a_journal_that_cannot_be_believed_is_left_to_the_next_start(self) -> None:
        self.leave_cap("api")
        (file,) = self.state.glob("caps-*")
        file.chmod(0o666)
        process, client = self.start()
        self.assertIn("its mode is 0666", client.hello().message)
        client.close()
        self.must_end(process, 4)
        self.assertIn("its mode is 0666", self.said())
        self.assertEqual(self.limit(), CAP)

    def test_a_lock_that_is_held_is_named_and_hello_may_be_said_again(self) -> None:
        self.prepare()
        with (self.state / "writer.lock").open("w+") as lock:
            lock.write("4711\n")
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
            _, client = self.start()
            reply = client.hello()
            self.assertEqual(reply.code, CONFLICT)
            self.assertIn("process 4711 holds the lock", reply.message)
        self.assertEqual(client.hello().code, 0)

    def test_a_lock_that_is_held_for_a_while_is_waited_for(self) -> None:
        self.leave_cap("api")
        with (self.state / "writer.lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.listen("--takeover", 0)
            wait_until(self.said, lambda: "holds the lock" in self.said())
            self.assertEqual(self.limit(), CAP)
        self.wait_for_limit(ORIGINAL)

    @contextlib.contextmanager
    def other_writer(self) -> Iterator[None]:
        """A process with another state folder writes the machine."""
        folder = self.root / "sys/devices/system/cpu"
        locks = self.root / "proc/locks"
        of = folder.stat()
        mark = f"{os.major(of.st_dev):02x}:{os.minor(of.st_dev):02x}:{of.st_ino}"
        locks.write_text(f"1: FLOCK  ADVISORY  WRITE 4712 {mark} 0 EOF\n")
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(held)
            locks.unlink()

    def test_a_machine_that_another_state_folder_has_is_refused_before_a_write(self) -> None:
        self.prepare()
        with self.other_writer():
            _, client = self.start()
            reply = client.hello()
            self.assertEqual(reply.code, CONFLICT)
            self.assertIn("process 4712 writes this machine, with another state folder", reply.message)
            self.assertEqual(self.journal(), "")
        self.assertEqual(client.hello().code, 0)

    def test_giving_back_waits_for_a_writer_with_another_state_folder(self) -> None:
        self.leave_cap("api")
        with self.other_writer():
            self.listen("--takeover", 0)
            wait_until(self.said, lambda: "writes this machine" in self.said())
            self.assertEqual(self.limit(), CAP)
        self.wait_for_limit(ORIGINAL)

    def test_nobody_is_kept_out_while_nothing_is_open(self) -> None:
        self.listen("--takeover", 0)
        client = self.connect()
        client.hello()
        client.apply((KEY, CAP))
        client.close()
        self.wait_for_limit(ORIGINAL)
        rescue = [self.BUILD / "bin/joulie-rescue", "--root", self.root, "--wait", "30"]
        done = subprocess.run(rescue, check=False, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_that_was_not_prepared_is_refused_until_it_is(self) -> None:
        process, client = self.start()
        (self.state / f"caps-{self.boot()}").unlink()
        reply = client.hello()
        self.assertEqual((reply.code, reply.items), (NOT_FOUND, b""))
        self.assertIn("joulie-rescue --prepare", reply.message)
        self.assertEqual(client.ask(LIST).code, NOT_FOUND)
        self.assertEqual(sorted(path.name for path in self.state.iterdir()), ["writer.lock"])
        self.assertEqual(self.prepare(), 0)
        self.assertEqual(client.hello().code, 0)
        client.close()
        self.must_end(process)

    def test_what_version_0_2_left_in_this_boot_is_refused(self) -> None:
        _, client = self.start()
        (self.state / f"journal-{self.boot()}").write_text("something\n")
        reply = client.hello()
        self.assertEqual(reply.code, UNSUPPORTED)
        self.assertIn("joulie-rescue --from-v1", reply.message)

    def test_a_folder_that_is_not_there_is_not_made(self) -> None:
        done = subprocess.run(
            [str(word) for word in self.program("--listen", self.folder / "socket")],
            check=False, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn("var/lib/joulie: No such file or directory", done.stderr)
        self.assertFalse(self.state.exists())

    def test_a_journal_of_a_newer_version_is_refused(self) -> None:
        self.state.mkdir(parents=True, mode=0o700)
        file = self.state / f"caps-{self.boot()}"
        text = "joulie-journal 2\n" + line("promise", KEY, CAP, "-", "-", "-", 1773403200)
        file.write_text(text)
        file.chmod(0o600)
        process, client = self.start("--takeover", 0)
        self.assertEqual(client.hello().code, UNSUPPORTED)
        client.close()
        self.must_end(process, 4)
        self.assertEqual((self.limit(), file.read_text()), (ORIGINAL, text))

    def test_it_needs_a_socket(self) -> None:
        done = subprocess.run(
            self.program(), check=False, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("descriptor 3: ", done.stderr)
        self.assertFalse(self.state.exists())

    def test_wrong_usage_is_refused(self) -> None:
        for words in (["--no-such"], ["word"], ["--floor-pct", "101"], ["--silence", "x"], ["--client-user", "no:one"]):
            done = subprocess.run(
                [str(word) for word in self.program(*words)], check=False, capture_output=True, text=True, timeout=120
            )
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("--help", done.stderr)

    def test_its_help_has_every_option_of_its_manual(self) -> None:
        done = subprocess.run(self.program("--help")[:1] + ["--help"], check=True, capture_output=True, text=True)  # type: ignore[operator]
        manual = (ROOT / "docs/man/joulie-capd.1").read_text().replace("\\-", "-")
        options = set(re.findall(r"--[a-z-]+", done.stdout))
        section = manual.split(".SH OPTIONS")[1]
        self.assertEqual(options, set(re.findall(r"--[a-z-]+", section)))


class Listening(Machine):
    """A socket that more than one may connect to."""

    def test_there_is_one_client_at_a_time(self) -> None:
        self.listen()
        first = self.connect()
        self.assertEqual(first.hello().code, 0)
        reply = self.connect().receive()
        self.assertEqual(reply.code, CONFLICT)
        self.assertIn(f"process {os.getpid()} is the client", reply.message)
        self.assertEqual(first.ask(LIST).code, 0)
        first.close()
        second = self.connect()
        wait_until("hello", lambda: second.hello().code == 0)

    def is_served(self) -> bool:
        client = self.connect()
        try:
            return client.hello().code == 0
        except Gone:
            return False
        finally:
            client.close()

    def test_it_answers_again_when_it_has_descriptors(self) -> None:
        process = self.listen()
        for free in (0, 1, 2):  # more knock than there is room for, and one that fits stays
            with self.subTest(free=free):
                with scarce(process.pid, free):
                    crowd = [self.connect() for _ in range(free + 3)]
                    if free > 0:
                        crowd[0].ask(LIST)
                for client in crowd:
                    client.close()
                wait_until(self.said, self.is_served)

    def test_another_user_is_refused(self) -> None:
        process = self.listen()
        self.folder.chmod(0o711)
        (self.folder / "socket").chmod(0o666)
        self.assertIn("user 65534 may not set caps", self.as_nobody())
        self.end(process)
        self.listen("--client-user", 65534)
        self.assertEqual((self.folder / "socket").stat().st_uid, 65534)
        self.assertEqual(self.as_nobody(), "served")

    def as_nobody(self) -> str:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgid(65534)
            os.setuid(65534)
            client = self.connect()
            try:
                reply = client.hello()
                os.write(writer, (reply.message or "served").encode())
            except (Gone, OSError, AssertionError) as error:
                os.write(writer, repr(error).encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as file:
            return file.read()

    def setUp(self) -> None:
        super().setUp()
        if os.geteuid() != 0 and "another_user" in self.id():
            self.skipTest("only root may become another user")

    def test_the_socket_of_one_before_is_replaced_and_that_of_a_running_one_is_not(self) -> None:
        process = self.listen()
        second = self.begin(self.program("--listen", self.folder / "socket"))
        self.must_end(second, 1)
        self.end(process)
        self.listen()
        self.assertEqual(self.connect().hello().code, 0)

    def test_a_socket_that_systemd_made_is_descriptor_3(self) -> None:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with end:
            end.bind(str(self.folder / "socket"))
            end.listen(4)
            self.prepare()
            self.begin(self.program(), end)
        for _ in range(2):
            client = self.connect()
            wait_until("hello", lambda c=client: c.hello().code == 0)  # type: ignore[misc]
            client.close()


class Sandbox(Machine):
    """What a process that may write can do, seen from outside."""

    BUILD = RELEASE

    def test_it_has_no_capability_and_a_filter(self) -> None:
        process, client = self.start()
        client.hello()
        status = dict(re.findall(r"^(\w+):\s*(\S+)", Path(f"/proc/{process.pid}/status").read_text(), re.M))
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
        names = ["CapInh", "CapPrm", "CapEff", "CapAmb"] + (["CapBnd"] if os.geteuid() == 0 else [])
        for name in names:
            self.assertEqual(int(status[name], 16), 0, name)
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        self.assertLessEqual(int(re.findall(r"Max open files +\d+ +(\d+)", limits)[0]), 1200)

    def test_it_holds_only_its_socket_and_its_folders(self) -> None:
        process, client = self.start()
        client.hello()
        client.apply((KEY, CAP))
        kept = [os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir()]
        sockets = [target for target in kept if target.startswith("socket:")]
        files = {Path(target).name for target in kept if target.startswith(str(self.root))}
        self.assertEqual(len(sockets), 1)
        self.assertEqual(files, {"machine", "joulie", "writer.lock", f"caps-{self.boot()}", "cpu", "powercap"})

    def test_it_makes_no_call_that_its_list_does_not_have(self) -> None:
        trace = self.folder / "trace"
        process, client = self.start("--takeover", 0, before=("strace", "-f", "-o", trace))
        client.hello()
        client.apply((KEY, CAP), (FREQUENCY, 2_000_000), flags=GROUP | MAY_ENABLE)
        client.ask(LIST)
        os.close(client.ask(ENERGY, b"package-0".ljust(64, b"\0"), 1).fds[0])
        client.restore(FREQUENCY)
        client.send(BEAT)
        client.close()
        self.must_end(process)
        inside = trace.read_text().split("PR_SET_SECCOMP", 1)[1].split("\n", 1)[1]
        made = set(re.findall(r"^\d+\s+(\w+)\(", inside, re.M))
        allowed = set(re.findall(r"SYS_(\w+)", SANDBOX.read_text()))
        self.assertLess({"recvfrom", "sendmsg", "openat", "pwrite64", "fsync"}, made)
        self.assertLessEqual(made, allowed)
        self.assertFalse(made & {"socket", "connect", "execve", "clone", "open", "bind"})

    def test_nothing_but_libc_is_linked(self) -> None:
        done = subprocess.run(
            ["readelf", "-d", RELEASE / "bin/joulie-capd"], check=True, capture_output=True, text=True
        )
        self.assertEqual(re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout), ["libc.so.6"])


class Lines(unittest.TestCase):
    """What has to be read before it may run (tests/support/linked_lines.py)."""

    def test_no_more_is_linked_in_than_is_written_down(self) -> None:
        now = linked_lines.count(RELEASE, "capd")
        kept = json.loads(linked_lines.kept("capd").read_text(encoding="utf-8"))
        how = "if that is meant: tests/support/linked_lines.py --build BUILD --program capd --accept"
        for name, most in kept.items():
            self.assertLessEqual(now[name], most, f"{name}; {how}")

    def test_the_program_itself_is_at_most_500(self) -> None:
        self.assertLessEqual(linked_lines.count(RELEASE, "capd")["of the program itself"], 500)
