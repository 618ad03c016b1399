# SPDX-License-Identifier: Apache-2.0
"""Requests that two readers on the way could read in two ways, and pages of the web that ask local
ports, at every server of every daemon (docs/rules/programs.md#http-server)."""

import json
import re
import socket
import unittest
import urllib.parse

import test_server
from test_server import read_to_end, read_until
from test_service import COMMANDS, NOBODY, Program
from waiting import DEADLINE_S, wait_until

POST = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
MALFORMED = {
    "two lengths": b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
    "one length twice": b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
    "a list of lengths": b"Content-Length: 4, 4\r\n\r\nabcd",
    "a signed length": b"Content-Length: +4\r\n\r\nabcd",
    "no length": b"Content-Length:\r\n\r\nabcd",
    "a blank before the colon": b"Content-Length : 4\r\n\r\nabcd",
    "length and chunks": b"Content-Length: 4\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "chunks and length": CHUNKED + b"Content-Length: 4\r\n\r\n0\r\n\r\n",
    "chunks twice": CHUNKED + CHUNKED + b"\r\n0\r\n\r\n",
    "another encoding": b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "an encoding of a similar name": b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a line that ends with a carriage return alone": b"X: a\rX: b\r\n\r\n",
    "a header that is no header": b"X\r\n\r\n",
    "a name with brackets": b"X(1): a\r\n\r\n",
    "two hosts": b"Host: localhost\r\n\r\n",
    "a hexadecimal size of a chunk": CHUNKED + b"\r\n0x4\r\nabcd\r\n0\r\n\r\n",
    "a signed size of a chunk": CHUNKED + b"\r\n+4\r\nabcd\r\n0\r\n\r\n",
    "a negative size of a chunk": CHUNKED + b"\r\n-4\r\nabcd\r\n0\r\n\r\n",
    "a blank before the size of a chunk": CHUNKED + b"\r\n 4\r\nabcd\r\n0\r\n\r\n",
    "a blank behind the size of a chunk": CHUNKED + b"\r\n4 \r\nabcd\r\n0\r\n\r\n",
    "no size of a chunk": CHUNKED + b"\r\n\r\nabcd\r\n0\r\n\r\n",
    "a chunk that is longer than its size": CHUNKED + b"\r\n4\r\nabcde\r\n0\r\n\r\n",
    "a chunk of 2^64 bytes": CHUNKED + b"\r\n10000000000000000\r\nabcd\r\n0\r\n\r\n",
}
TARGETS = [
    b"http://localhost@localhost/livez",
    b"http:///livez",
    b"ftp://localhost/livez",
    b"http://elsewhere/livez",
    b"x?y=://localhost/livez",
    b"localhost/livez",
    b"/livez#part",
    b"*",
]


def status_of(answer):
    head = STATUS.match(answer)
    return int(head[1]) if head else None


def exchange(place, data):
    """All that is answered until the server closes."""
    with socket.create_connection(place, timeout=10) as peer:
        peer.sendall(data)
        return read_to_end(peer)


def answer_of(place, data):
    """Status, headers and body of one answer."""
    with socket.create_connection(place, timeout=10) as peer:
        peer.sendall(data.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        answer = read_to_end(peer)
    head, _, body = answer.partition(b"\r\n\r\n")
    return status_of(answer), head, body


class OneReading(unittest.TestCase):
    """Asserted of the server alone and of each port of each daemon."""

    def check_port(self, place, path):
        for name, rest in MALFORMED.items():
            with self.subTest(name):
                answer = exchange(place, POST % path + rest + HIDDEN)
                statuses = set(STATUS.findall(answer))  # of the hidden one too, were it read
                self.assertIn(statuses, ({b"400"}, {b"413"}), answer)
        for target in TARGETS:
            with self.subTest(target):
                answer = exchange(place, b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % target)
                self.assertEqual(status_of(answer), 400, answer)
        for start in (b"GET /livez HTTP/1.1\r\n\r\n", b"GET /livez\r\n\r\n"):  # without a Host
            self.assertEqual(status_of(exchange(place, start)), 400)
        self.assertIn(status_of(exchange(place, b"GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n")), (None, 400))


class Server(test_server.Case, OneReading):
    def test_what_has_two_readings_is_refused(self):
        server = self.serve()
        before = server.state()["requests"]
        self.check_port(server.place, b"/echo")
        self.assertEqual(server.state()["requests"], before + 1)  # no handler saw any

    def test_what_has_one_reading_is_taken(self):
        server = self.serve()
        host = b"%s:%d" % (server.place[0].encode(), server.place[1])
        for start, rest in (
            (POST % b"/echo", CHUNKED + b"\r\n4\r\nabcd\r\n0\r\n\r\n"),
            (POST % b"/echo", CHUNKED + b"\r\n04;name=value\r\nabcd\r\n0\r\nX: trailer\r\n\r\n"),
            (POST % b"/echo", b"Transfer-Encoding: CHUNKED\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"),
            (POST % b"/echo", b"content-length: 0004\r\n\r\nabcd"),
            (POST % b"http://LOCALHOST/echo", b"Content-Length: 4\r\n\r\nabcd"),
            (b"POST http://%s/echo HTTP/1.1\r\nHost: %s\r\n" % (host, host), b"Content-Length: 4\r\n\r\nabcd"),
            (b"POST /echo HTTP/1.0\r\n", b"Content-Length: 4\r\n\r\nabcd"),
        ):
            with self.subTest(start + rest):
                peer = server.send(start + rest)
                self.assertIn(b"abcd", read_until(peer, b"abcd"))

    def test_an_absolute_target_without_a_path_is_the_root(self):
        server = self.serve()
        for target in (b"http://localhost", b"http://localhost?name=x"):
            answer = read_until(
                server.send(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % target), b"\r\n\r\n"
            )
            self.assertEqual(status_of(answer), 404)


class Ports(Program):
    def find_ports(self, count):
        log = (self.folder / "log").read_text()
        urls = map(urllib.parse.urlsplit, re.findall(r"http://127\.0\.0\.1:\d+", log))
        found = {(url.hostname, url.port) for url in urls if url.port > 1}
        return sorted(found) if len(found) == count else None

    def ports(self, name, count, *more):
        (self.folder / "log").write_text("")
        arguments = COMMANDS[name]
        if name == "agent":
            arguments = ["--root", "machine", "--agent-mode", "daemonset", "--node-name", "n1"]
            arguments += ["--server", NOBODY, "--metrics-addr", "127.0.0.1:0"]
        program = self.start(name, arguments=[*arguments, *more])
        return program, wait_until(f"ports of {name}", lambda: self.find_ports(count))


class EveryPort(Ports, OneReading):
    def test_every_port_of_every_daemon_reads_strictly(self):
        for name, count in {"agent": 1, "operator": 1, "scheduler": 2, "simulator": 2}.items():
            program, ports = self.ports(name, count)
            for place in ports:
                with self.subTest(name, place=place):
                    self.check_port(place, b"/filter" if name == "scheduler" else b"/control/n1")
            self.end(program)


class LocalPorts(Ports):
    """A page of the web reaches them through the browser of the machine."""

    REBOUND = ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
               "0.0.0.0", "[::2]", "2130706433", "", "evil@localhost")  # fmt: skip
    OWN = ("localhost", "127.0.0.1", "[::1]", "LocalHost", "sim.localhost", "127.1.2.3",
           "[0:0::1]")  # fmt: skip

    def ask(self, place, host, *headers, path="/healthz"):
        lines = "".join(f"{line}\r\n" for line in headers)
        data = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n".encode()
        return answer_of(place, data)

    def check_local(self, place):
        for host in self.REBOUND:
            for port in ("", f":{place[1]}"):
                with self.subTest(host + port):
                    status, head, body = self.ask(place, host + port)
                    self.assertEqual(status, 421, body)
                    self.assertIn(b"Content-Type: application/json", head)
                    self.assertIn("ALLOWED_HOSTS", json.loads(body)["error"])
        for host in self.OWN:
            for port in ("", f":{place[1]}", ":1"):
                with self.subTest(host + port):
                    self.assertIn(self.ask(place, host + port)[0], (200, 404, 500))
        for line in ("Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"):
            with self.subTest(line):
                status, _, body = self.ask(place, "localhost", line)
                self.assertEqual(status, 403, body)
                self.assertIn("another host", json.loads(body)["error"])
        for line in ("Origin: http://localhost:3000", "Sec-Fetch-Site: same-origin",
                     "Sec-Fetch-Site: none"):  # fmt: skip
            with self.subTest(line):
                self.assertIn(self.ask(place, "localhost", line)[0], (200, 404, 500))

    def test_a_page_of_another_host_asks_no_local_port(self):
        for name in ("simulator", "scheduler"):
            program, ports = self.ports(name, 2)
            for place in ports:
                probes = self.ask(place, "evil.example", path="/metrics")
                if name == "scheduler" and probes[0] == 200:
                    continue  # METRICS_ADDR: what is served there is for whoever reaches it
                with self.subTest(name, place=place):
                    self.check_local(place)
            self.end(program)

    def test_names_can_be_added(self):
        _, ports = self.ports("simulator", 2, "--allowed-hosts", "sim.example, other")
        for place in ports:
            for host, status in (("sim.example", (200, 404)), ("SIM.example:80", (200, 404)),
                                 ("other", (200, 404)), ("evil.example", (421,))):  # fmt: skip
                with self.subTest(host, place=place):
                    self.assertIn(self.ask(place, host)[0], status)
            self.assertIn(self.ask(place, "other", "Origin: http://sim.example")[0], (200, 404))

    def test_all_names_can_be_added(self):
        _, ports = self.ports("simulator", 2, "--allowed-hosts", "*")
        for place in ports:
            self.assertIn(self.ask(place, "evil.example", "Origin: null")[0], (200, 404))

    def test_an_address_of_the_machine_is_its_name(self):
        """Also where the port is on every address."""
        _, ports = self.ports("simulator", 2, "--sim-addr", "0.0.0.0:0", "--sim-api-addr", "0.0.0.0:0")
        for place in ports:
            with socket.create_connection(("127.0.0.2", place[1]), timeout=10) as peer:
                peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.2\r\n\r\n")
                self.assertIn(status_of(read_until(peer, b"\r\n\r\n")), (200, 404))
            self.assertEqual(self.ask(place, "192.0.2.1")[0], 421)
            self.assertEqual(self.ask(place, "evil.example")[0], 421)

    def test_a_body_that_any_page_may_send_is_not_read(self):
        cases = {"simulator": ["/control/h100-nvl-0"], "scheduler": ["/filter", "/prioritize", "/debug/scoring"]}
        for name, paths in cases.items():
            more = ["--debug-scoring"] if name == "scheduler" else []
            program, ports = self.ports(name, 2, *more)
            for path in paths:
                statuses = [
                    self.post(place, path, kind)[0]
                    for place in ports
                    for kind in ("text/plain", "application/x-www-form-urlencoded",
                                 "multipart/form-data; boundary=x", None)
                ]  # fmt: skip
                with self.subTest(path):
                    self.assertEqual(set(statuses), {404, 415})  # each path is at one of the ports
                    self.assertEqual(statuses.count(415), 4)
                for kind in ("application/json", "Application/JSON; charset=utf-8"):
                    taken = [self.post(place, path, kind)[0] for place in ports]
                    self.assertNotIn(415, taken)
            self.end(program)

    def post(self, place, path, kind):
        line = f"Content-Type: {kind}\r\n" if kind else ""
        data = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{line}Content-Length: 2\r\n\r\n{{}}"
        status, head, body = answer_of(place, data.encode())
        if status == 415:
            self.assertIn(b"application/json", head)
            self.assertIn("application/json", json.loads(body)["error"])
        return status, body


if __name__ == "__main__":
    unittest.main()
