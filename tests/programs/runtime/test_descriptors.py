# SPDX-License-Identifier: Apache-2.0
"""Daemons that run out of descriptors (docs/rules/programs.md#http-server): each port answers again
soon after there are some, whatever connections stayed. The rule says 2 s; a test on a busy machine waits longer."""

import contextlib
import http.client
import os
import resource
import socket
import unittest
from pathlib import Path

import test_server
from checkout import ROOT
from descriptors import scarce
from test_service import COMMANDS, NOBODY, Program
from waiting import DEADLINE_S, wait_until

PORTS = {"agent": 1, "operator": 1, "scheduler": 2, "simulator": 2}
WITHOUT_PORT = {"rescue", "capd"}  # tests/programs/capd has that of its socket
WITH_PORTS = {
    **COMMANDS,
    "agent": ["--root", "machine", "--agent-mode", "daemonset", "--node-name", "n1"]
    + ["--server", NOBODY, "--metrics-addr", "127.0.0.1:0"],
}
LISTENING = "0A"  # in /proc/net/tcp


def listening(pid):
    """Where a process waits for peers, by the kernel's account, so that no port is forgotten."""
    own = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            own.add(os.readlink(file))
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *rest = line.split()
        if state == LISTENING and f"socket:[{rest[5]}]" in own:
            yield ("127.0.0.1", int(local.split(":")[1], 16))


def read_answer(peer):
    """Status and whole body, so that the connection is kept."""
    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = http.client.HTTPResponse(peer)
    answer.begin()
    answer.read()
    return answer.status


def ask(place):
    with socket.create_connection(place, timeout=DEADLINE_S) as peer:
        return read_answer(peer)


class Ports(Program):
    def flood(self, pid, place, free, kept):
        """More peers than descriptors, in the presence of some that stay."""
        with contextlib.ExitStack() as stack:

            def connect():
                return stack.enter_context(socket.create_connection(place, timeout=DEADLINE_S))

            for peer in [connect() for _ in range(kept)]:
                read_answer(peer)
            with scarce(pid, free):
                crowd = [connect() for _ in range(free + 3)]
                for peer in crowd:
                    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                for peer in crowd[:free]:  # these are let in
                    self.assertEqual(peer.recv(12), b"HTTP/1.1 200")
            self.assertIn(ask(place), (200, 404))

    def flood_in_each_way(self, pid, place):
        for free in (0, 1, 2):
            for kept in (0, 1, 2):
                with self.subTest(place=place, free=free, kept=kept):
                    self.flood(pid, place, free, kept)

    def test_no_daemon_is_left_out(self):
        units = (ROOT / "daemons/deploy/systemd").glob("joulie-*.service.in")
        names = {file.name.removeprefix("joulie-").split(".")[0] for file in units}
        self.assertEqual(names - {*PORTS, *WITHOUT_PORT}, set())

    def test_each_port_of_each_daemon_answers_afterwards(self):
        for name in PORTS:
            with self.subTest(name):
                program = self.start(name, arguments=WITH_PORTS[name])
                self.hear_until("READY=1")
                ports = list(listening(program.pid))
                self.assertEqual(len(ports), PORTS[name])
                for place in ports:
                    self.flood_in_each_way(program.pid, place)
                self.end(program)

    def test_the_server_alone_does_too(self):
        server = test_server.Server()
        self.addCleanup(server.close)
        self.flood_in_each_way(server.process.pid, server.place)

    def test_the_limit_is_raised_as_far_as_it_goes_and_logged(self):
        limit = (64, 4096)
        log = self.folder / "log"
        for name, arguments in {**WITH_PORTS, "agent of a file": COMMANDS["agent"]}.items():
            with self.subTest(name):
                log.write_text("")
                program = self.start(
                    name.split()[0],
                    arguments,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
                )
                wait_until("a line", lambda: "at most 4096 descriptors" in log.read_text())
                now = resource.prlimit(program.pid, resource.RLIMIT_NOFILE)
                self.assertEqual(now, (4096, 4096))
                self.end(program)


if __name__ == "__main__":
    unittest.main()
