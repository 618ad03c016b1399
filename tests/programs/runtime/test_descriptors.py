# SPDX-License-Identifier: Apache-2.0
"""Daemons that run out of descriptors (docs/rules/programs.md#http-server): each port answers again
as soon as there are some, whatever connections stayed."""

import contextlib
import http.client
import re
import resource
import socket
import unittest
import urllib.parse

import test_server
from descriptors import scarce
from test_service import COMMANDS, NOBODY, Program
from waiting import DEADLINE_S, wait_until

SOON_S = 2.0  # in which a port must answer
PORTS = {"agent": 1, "operator": 1, "scheduler": 2, "simulator": 2}


def read_answer(peer):
    """Status and whole body, so that the connection is kept."""
    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = http.client.HTTPResponse(peer)
    answer.begin()
    answer.read()
    return answer.status


def ask(place):
    with socket.create_connection(place, timeout=SOON_S) as peer:
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
                    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                for peer in crowd[:free]:  # these are let in
                    self.assertEqual(peer.recv(12), b"HTTP/1.1 200")
            self.assertIn(ask(place), (200, 404))

    def flood_in_each_way(self, pid, place):
        for free in (0, 1, 2):
            for kept in (0, 1, 2):
                with self.subTest(place=place, free=free, kept=kept):
                    self.flood(pid, place, free, kept)

    def find_ports(self, name):
        log = (self.folder / "log").read_text()
        found = {
            (url.hostname, url.port)
            for url in map(urllib.parse.urlsplit, re.findall(r"http://127\.0\.0\.1:\d+", log))
            if url.port > 1
        }
        return found if len(found) == PORTS[name] else None

    def test_each_port_of_each_daemon_answers_afterwards(self):
        more = {
            "agent": ["--root", "machine", "--agent-mode", "daemonset", "--node-name", "n1"]
            + ["--server", NOBODY, "--metrics-addr", "127.0.0.1:0"]
        }
        for name in PORTS:
            with self.subTest(name):
                (self.folder / "log").write_text("")
                program = self.start(name, arguments=more.get(name, COMMANDS[name]))
                ports = wait_until(f"ports of {name}", lambda n=name: self.find_ports(n))
                for place in sorted(ports):
                    self.flood_in_each_way(program.pid, place)
                self.end(program)

    def test_the_server_alone_does_too(self):
        server = test_server.Server()
        self.addCleanup(server.close)
        self.flood_in_each_way(server.process.pid, server.place)

    def test_the_limit_is_raised_as_far_as_it_goes_and_logged(self):
        limit = (64, 4096)
        program = self.start(
            "agent", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        )
        wait_until("a line", lambda: "4096 descriptors" in (self.folder / "log").read_text())
        self.assertEqual(resource.prlimit(program.pid, resource.RLIMIT_NOFILE), (4096, 4096))



if __name__ == "__main__":
    unittest.main()
