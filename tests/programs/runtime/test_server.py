# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of the daemons, its peers good and bad (docs/rules/programs.md#http-server).

Each test ends with SIGTERM and an exit status of 0, which the sanitizers turn into another one for
a leak, and with the descriptors that the program had at its start.
"""

import http.client
import json
import os
import random
import resource
import select
import shutil
import signal
import socket
import subprocess
import time
import unittest

from checkout import DEV
from waiting import DEADLINE_S, wait_until

PROGRAM = os.environ.get("JOULIE_TEST_SERVER", str(DEV / "bin" / "test_server_program"))
NEVER_MS = 3600 * 1000
MIB = 1 << 20


def read_to_end(peer):
    """What comes until the connection is closed, gently or not."""
    found = b""
    peer.settimeout(DEADLINE_S)
    try:
        while True:
            piece = peer.recv(65536)
            if not piece:
                return found
            found += piece
    except ConnectionError:
        return found


def read_until(peer, mark):
    found = b""
    peer.settimeout(DEADLINE_S)
    while mark not in found:
        piece = peer.recv(65536)
        if not piece:
            raise AssertionError(f"closed after {found!r}")
        found += piece
    return found


def is_closed(peer, wait_s=0.0):
    """Whether the other side has closed; what it said before is read."""
    while select.select([peer], [], [], wait_s)[0]:
        try:
            if not peer.recv(65536):
                return True
        except ConnectionError:
            return True
    return False


class Server:
    def __init__(self, **options):
        arguments = [f"{name}={value}" for name, value in options.items()]
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip()
        host, port = self.url.removeprefix("http://").rsplit(":", 1)
        self.place = (host, int(port))
        self.peers = []

    def connect(self):
        peer = socket.create_connection(self.place, timeout=DEADLINE_S)
        self.peers.append(peer)
        return peer

    def send(self, data):
        peer = self.connect()
        peer.sendall(data)
        return peer

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(*self.place, timeout=DEADLINE_S)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers)

    def state(self):
        return json.loads(self.get("/state")[1])

    def calm_state(self, files):
        """The state when no more than so many descriptors are open, else None."""
        try:
            state = self.state()
        except (ConnectionError, http.client.HTTPException):
            return None  # the peers of the test are not all gone
        return state if state["files"] <= files else None

    def close_peers(self):
        while self.peers:
            self.peers.pop().close()

    def close(self):
        """Status and standard error after SIGTERM."""
        self.close_peers()
        self.process.send_signal(signal.SIGTERM)
        try:
            _, errors = self.process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
        return self.process.returncode, errors


class Case(unittest.TestCase):
    def serve(self, **options):
        server = Server(**options)
        self.addCleanup(self.check_end, server, server.state()["files"])
        return server

    def check_end(self, server, files):
        if server.process.poll() is None:
            server.close_peers()
            state = wait_until("all descriptors are closed", lambda: server.calm_state(files))
            self.assertEqual(state["tasks"], 1)
        status, errors = server.close()
        self.assertEqual((status, errors), (0, ""))

    def check_good(self, server):
        status, body, _ = server.ask("POST", "/echo", b"good")
        self.assertEqual((status, body), (200, b"good"))


class Requests(Case):
    def test_a_body_comes_back_whole(self):
        server = self.serve(body=4 * MIB)
        body = random.Random(1).randbytes(4 * MIB)
        self.assertEqual(server.ask("POST", "/echo", body)[:2], (200, body))
        self.assertEqual(server.ask("POST", "/echo", b"")[:2], (200, b""))
        pieces = iter([b"one", b"two", b"three"])
        self.assertEqual(server.ask("POST", "/echo", pieces)[:2], (200, b"onetwothree"))

    def test_a_stream_for_a_peer_of_http_1_0_leaves_no_descriptor(self):
        server = self.serve()
        older = http.client.HTTPConnection(*server.place, timeout=DEADLINE_S)
        older.request("GET", "/parts")  # the library looks at the oldest connection only
        older.getresponse().read()
        folder = f"/proc/{server.process.pid}/fd"
        files = len(os.listdir(folder))
        with server.connect() as peer:
            peer.sendall(b"GET /stream?pieces=2&ms=10 HTTP/1.0\r\nHost: x\r\n\r\n")
            self.assertTrue(read_to_end(peer).endswith(b"piece\npiece\n"))
        wait_until("it is closed", lambda: len(os.listdir(folder)) <= files, 30)  # idle: 60 s
        older.close()

    def test_a_connection_is_kept(self):
        server = self.serve()
        before = server.state()["connections"]
        connection = http.client.HTTPConnection(*server.place, timeout=DEADLINE_S)
        for _ in range(5):
            connection.request("GET", "/parts")
            self.assertEqual(connection.getresponse().read()[:5], b"parts")
        connection.close()
        self.assertEqual(server.state()["connections"], before + 2)

    def test_parts_of_a_target_are_decoded(self):
        server = self.serve()
        for target, segments, name in [
            ("/parts", ["parts"], "(absent)"),
            ("/parts/", ["parts"], "(absent)"),
            ("/parts/a%20b/c+d/%C3%A9?name=x+y%2Bz", ["parts", "a b", "c+d", "é"], "x y+z"),
            ("/parts/a%2Fb//c?name", ["parts", "a/b", "", "c"], ""),
            ("/parts?other=1&name=a%3Db=c&name=2", ["parts"], "a=b=c"),
            ("/parts?&&name=1&", ["parts"], "1"),
            ("http://somewhere:80/parts/x?name=1", ["parts", "x"], "1"),
        ]:
            with self.subTest(target):
                status, body, headers = server.get(target)
                path = target.removeprefix("http://somewhere:80").split("?")[0]
                lines = [*segments, f"name={name}", f"path={path}", "method=GET"]
                self.assertEqual((status, body.decode().split("\n")), (200, lines))
                self.assertEqual(headers["X-Parts"], "1")

    def test_a_target_that_is_no_text_is_refused(self):
        server = self.serve()
        for target in [
            b"/%ff",
            b"/a%00b",
            b"/parts/\xff\xfe",
            b"/parts?name=%ff",
            b"/parts?%c3=1",
            b"/parts?name=%00",
            b"/parts/%",
            b"/parts/%4",
            b"/parts/%zz",
            b"/parts/\x01",
            b"/parts/%ed%a0%80",
            b"parts",
            b"*",
        ]:
            with self.subTest(target):
                peer = server.send(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertEqual(read_to_end(peer)[:12], b"HTTP/1.1 400")
        self.check_good(server)

    def test_head_gets_no_body(self):
        server = self.serve()
        for path in ["/parts", "/livez", "/metrics", "/many?bytes=1000", "/stream?pieces=5"]:
            with self.subTest(path):
                status, body, _ = server.ask("HEAD", path)
                self.assertEqual((status, body), (200, b""))
        self.check_good(server)

    def test_requests_that_come_together_are_answered_in_order(self):
        server = self.serve()
        wanted = [b"/echo", b"/later?ms=20", b"/parts/2", b"/stream?ms=1&pieces=1", b"/state"]
        peer = server.send(
            b"".join(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in wanted)
        )
        found = read_until(peer, b'"tasks"')
        marks = [b"Content-Length: 0", b"late", b"path=/parts/2", b"piece", b'"tasks"']
        places = [found.index(mark) for mark in marks]
        self.assertEqual(places, sorted(places))
        self.assertEqual(found.count(b"HTTP/1.1 200"), len(wanted))

    def test_a_peer_of_http_1_0_gets_its_answer_and_its_stream(self):
        server = self.serve()
        for path, end in [
            (b"/parts", b"method=GET"),
            (b"/stream?ms=1&pieces=2", b"piece\npiece\n"),
        ]:
            peer = server.send(b"GET " + path + b" HTTP/1.0\r\n\r\n")
            self.assertTrue(read_to_end(peer).endswith(end))


class Answers(Case):
    def test_what_is_put_goes_out_at_once(self):
        server = self.serve()
        for size in (0, 1, 70000):
            peer = server.send(b"GET /flood?bytes=%d HTTP/1.1\r\nHost: x\r\n\r\n" % size)
            found = read_until(peer, b"\r\n\r\n")
            self.assertIn(b"Transfer-Encoding: chunked", found)
            while found.count(b"x") < size:
                found += read_until(peer, b"x")
        self.assertEqual(server.state()["open"], 4)

    def test_many_late_answers_wait_together(self):
        server = self.serve()
        peers = [
            server.send(b"GET /later?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n" % (i % 50))
            for i in range(200)
        ]
        for peer in peers:
            self.assertIn(b"late", read_until(peer, b"late\n"))

    def test_a_large_answer_arrives_whole(self):
        server = self.serve()
        self.assertEqual(len(server.get(f"/many?bytes={64 * MIB}")[1]), 64 * MIB)

    def test_a_stream_ends(self):
        self.assertEqual(self.serve().get("/stream?pieces=40&ms=0")[1], b"piece\n" * 40)

    def test_a_peer_that_goes_is_reported(self):
        server = self.serve()
        asked = [b"/later", b"/stream"]
        for at, path in enumerate(asked):
            server.send(b"GET %s?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n" % (path, NEVER_MS))
            wait_until("it waits", lambda: server.state()["open"] == 2)
            server.close_peers()
            wait_until("it is gone", lambda at=at: server.state()["gone"] == at + 1)
        self.assertEqual(server.state()["open"], 1)

    def test_a_peer_that_shuts_its_side_while_it_waits_is_gone(self):
        server = self.serve()
        peer = server.send(b"GET /later?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n" % NEVER_MS)
        wait_until("it waits", lambda: server.state()["open"] == 2)
        peer.shutdown(socket.SHUT_WR)
        self.assertEqual(read_to_end(peer), b"")
        self.assertEqual(server.state()["gone"], 1)

    def test_a_peer_that_is_done_asking_still_gets_its_answer(self):
        server = self.serve()
        peer = server.send(b"GET /many?bytes=3000000 HTTP/1.1\r\nHost: x\r\n\r\n")
        peer.shutdown(socket.SHUT_WR)
        head, body = read_to_end(peer).split(b"\r\n\r\n")
        self.assertEqual(body, b"x" * 3000000)
        self.assertNotIn(b"close", head)

    def test_an_answer_can_be_cut(self):
        server = self.serve()
        peer = server.send(b"GET /abort HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(read_to_end(peer), b"")
        peer = server.send(b"GET /cut HTTP/1.1\r\nHost: x\r\n\r\n")
        found = read_to_end(peer)
        self.assertIn(b"begun", found)
        self.assertFalse(found.endswith(b"0\r\n\r\n"), "a chunked body that has ended")
        self.assertEqual(server.state()["gone"], 0)

    def test_a_drain_answers_what_is_there(self):
        server = self.serve()
        idle = server.connect()
        kept = server.send(b"GET /parts HTTP/1.1\r\nHost: x\r\n\r\n")
        read_until(kept, b"method=GET")
        late = server.send(b"GET /later?ms=500 HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until("it waits", lambda: server.state()["requests"] >= 4)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(read_to_end(idle), b"")
        self.assertEqual(read_to_end(kept), b"")
        answer = read_to_end(late)
        self.assertIn(b"Connection: close", answer)
        self.assertTrue(answer.endswith(b"late\n"))
        with self.assertRaises(OSError):
            socket.create_connection(server.place, timeout=DEADLINE_S)
        self.assertEqual(server.process.wait(DEADLINE_S), 0)

    def test_a_drain_does_not_wait_for_ever(self):
        server = self.serve()
        server.send(b"GET /later?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n" % NEVER_MS)
        server.send(b"GET /stream?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n" % NEVER_MS)
        wait_until("they wait", lambda: server.state()["open"] == 3)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(DEADLINE_S), 0)

    def test_an_address_that_is_taken_or_none_is_refused(self):
        server = self.serve()
        for address, reason in [
            (f"127.0.0.1:{server.place[1]}", "Address already in use"),
            ("nowhere", "is no address"),
            ("127.0.0.1:65536", "is no address"),
            ("::1:80", "is no address"),
            ("1.2.3:80", "is no address"),
            ("", "is no address"),
        ]:
            done = subprocess.run(
                [PROGRAM, f"address={address}"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                timeout=DEADLINE_S,
                check=False,
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)


class HostilePeers(Case):
    def drip(self, server, start, piece=b"x"):
        """Sends a byte whenever nothing comes; ends when the server closes."""
        peer = server.send(start)
        end = time.monotonic() + DEADLINE_S
        while not is_closed(peer, 0.02):
            self.assertLess(time.monotonic(), end, "the peer was never cut")
            try:
                peer.send(piece)
            except ConnectionError:
                break

    def test_slow_requests_are_cut(self):
        server = self.serve(request=200, idle=400)
        kept = b"GET /parts HTTP/1.1\r\nHost: x\r\n\r\n"
        for start in [
            b"",
            b"GET /",
            b"GET /parts HTTP/1.1\r\nHost: ",
            b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
            kept,
            kept + b"GET /parts HTTP/1.1\r\nX: ",
        ]:
            with self.subTest(start):
                before = server.state()["cut"]
                self.drip(server, start)
                self.assertEqual(server.state()["cut"], before + 1)
                self.check_good(server)
        self.drip(
            server,
            b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"1\r\nx\r\n",
        )
        self.check_good(server)

    def test_a_half_body_is_cut(self):
        server = self.serve(request=200)
        peer = server.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        self.check_good(server)
        self.assertEqual(read_to_end(peer), b"")
        peer = server.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        peer.shutdown(socket.SHUT_WR)
        self.assertEqual(read_to_end(peer), b"")

    def test_a_connection_without_a_request_is_cut(self):
        server = self.serve(request=100, idle=100)
        self.assertEqual(read_to_end(server.connect()), b"")
        kept = server.send(b"GET /parts HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertTrue(read_to_end(kept).endswith(b"method=GET"))

    def test_a_body_of_a_gigabyte_is_refused_at_once(self):
        server = self.serve()
        for length in (10**9, 2**63, 2**64 - 1):
            peer = server.send(
                b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nx" % length
            )
            self.assertIn(b" 413 ", read_to_end(peer).split(b"\r\n")[0])
        peer = server.send(
            b"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
            b"Content-Length: 1000000000\r\n\r\n"
        )
        self.assertTrue(read_to_end(peer).startswith(b"HTTP/1.1 413"))
        self.assertEqual(server.state()["tooLarge"], 4)
        self.check_good(server)

    def test_a_body_a_little_too_large_gets_its_answer(self):
        server = self.serve(body=1000)
        self.assertEqual(server.ask("POST", "/echo", b"x" * 1000)[0], 200)
        for size in (1001, 15000):
            self.assertEqual(server.ask("POST", "/echo", b"x" * size)[0], 413)
        pieces = iter([b"x" * 600, b"x" * 600])
        self.assertEqual(server.ask("POST", "/echo", pieces)[0], 413)
        self.check_good(server)

    def test_a_body_without_end_is_cut(self):
        server = self.serve(body=100000)
        peer = server.send(b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"
        with self.assertRaises(ConnectionError):
            for _ in range(100000):
                peer.sendall(chunk)
        self.assertEqual(server.state()["tooLarge"], 1)
        self.check_good(server)

    def test_a_body_with_two_ends_is_refused(self):
        server = self.serve()
        peer = server.send(
            b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /abort HTTP/1.1\r\n\r\n"
        )
        self.assertEqual(read_to_end(peer)[:12], b"HTTP/1.1 400")
        for length in (b"-1", b"x", b"1e3", b"18446744073709551616"):
            peer = server.send(
                b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + b"\r\n\r\n"
            )
            self.assertIn(read_to_end(peer)[9:12], (b"400", b"413"))
        self.check_good(server)

    def test_headers_without_end_are_refused(self):
        server = self.serve()
        peer = server.send(b"GET /parts HTTP/1.1\r\n")
        with self.assertRaises(ConnectionError):
            while True:
                peer.sendall(b"X-Long: " + b"y" * 8000 + b"\r\n")
                if is_closed(peer):
                    raise ConnectionResetError
        self.check_good(server)

    def test_nul_bytes_do_no_harm(self):
        server = self.serve()
        for data in [
            b"GET /par\0ts HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET\0/parts HTTP/1.1\r\n\r\n",
            b"GET /parts HTTP/1.1\r\nHost: \0\r\nX\0Y: 1\r\n\r\n",
            b"GET /parts?name=a\0b HTTP/1.1\r\nHost: x\r\n\r\n",
            b"\0" * 100 + b"\r\n\r\n",
            b"GET /parts HTTP/1.1\0\r\n\r\n",
        ]:
            peer = server.send(data)
            peer.shutdown(socket.SHUT_WR)
            read_to_end(peer)
            self.check_good(server)

    def test_noise_does_no_harm(self):
        server = self.serve(request=500)
        source = random.Random(7)
        words = [b"GET ", b"POST ", b"/", b" HTTP/1.1", b"HTTP/9.9", b" ", b"\r\n", b"\r\n\r\n",
                 b":", b"Content-Length", b"Transfer-Encoding: chunked", b"Expect: 100-continue",
                 b"0", b"ffffffffffffffff", b"\0", b"\xff", b"%", b"?", b"&", b"="]  # fmt: skip
        for _ in range(300):
            peer = server.send(b"".join(source.choices(words, k=source.randrange(1, 40))))
            if source.random() < 0.8:
                peer.shutdown(socket.SHUT_WR)
            if source.random() < 0.5:
                peer.close()
        self.check_good(server)

    def test_two_thousand_connections_lock_nobody_out(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 2200:
            self.skipTest("too few descriptors are allowed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2200), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for start in (b"", b"GET / HTTP/1.1\r\nX: ",
                      b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"):  # fmt: skip
            with self.subTest(start):
                server = self.serve(connections=100)
                for count in range(2000):
                    peer = server.connect()
                    if start:
                        peer.sendall(start)
                    if count % 100 == 0:
                        self.check_good(server)
                state = server.state()
                self.assertLessEqual(state["open"], 100)
                self.assertGreaterEqual(state["cut"], 1800)
                self.assertEqual(state["refused"], 0)
                server.close_peers()

    def test_answers_that_nobody_takes_lock_nobody_out(self):
        server = self.serve(connections=40, request=100)
        for _ in range(100):
            server.send(b"GET /many?bytes=8000000 HTTP/1.1\r\nHost: x\r\n\r\n")

        def is_answered():
            try:
                return server.get("/livez")[0] == 200
            except (ConnectionError, http.client.HTTPException):
                return False

        wait_until("a good peer is answered", is_answered)

    def test_a_newcomer_is_refused_when_everyone_is_waited_for(self):
        server = self.serve(connections=40)
        waiting = [
            server.send(b"GET /later?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n" % NEVER_MS)
            for _ in range(60)
        ]
        most = 40 - 16  # of one address
        wait_until("the others are refused", lambda: sum(map(is_closed, waiting)) == 60 - most)
        for peer in waiting:
            peer.close()

        def is_answered():
            try:
                self.check_good(server)
                return True
            except (ConnectionError, http.client.HTTPException):
                return False

        wait_until("there is room again", is_answered)
        state = server.state()
        self.assertGreaterEqual(state["refused"] + state["cut"], 60 - most)
        wait_until("all are gone", lambda: server.state()["gone"] == most)

    def test_a_stream_that_nobody_reads_is_cut(self):
        server = self.serve(waiting=MIB)
        peer = server.send(b"GET /flood?bytes=50000000 HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until("it is cut", lambda: server.state()["cut"] == 1)
        self.check_good(server)
        self.assertLess(len(read_to_end(peer)), 50000000)

    def test_an_answer_that_nobody_reads_is_cut(self):
        server = self.serve(idle=1000)
        server.send(b"GET /many?bytes=50000000 HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until("it is there", lambda: server.state()["open"] == 2)
        wait_until("it is cut", lambda: server.state()["open"] == 1)

    def test_peers_that_go_at_any_time_leave_nothing(self):
        server = self.serve()
        source = random.Random(3)
        whole = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
        paths = [
            b"/later?ms=5",
            b"/stream?ms=2",
            b"/many?bytes=900000",
            b"/cut",
            b"/flood?bytes=200000",
        ]
        asked = [whole, *(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in paths)]
        for _ in range(400):
            data = source.choice(asked)
            peer = server.send(data[: source.randrange(len(data) * 2)])
            if source.random() < 0.5:
                linger = (1).to_bytes(4, "little") + bytes(4)
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            server.peers.remove(peer)
            peer.close()
        self.check_good(server)
        wait_until("nobody is left", lambda: server.state()["open"] == 1)


class Health(Case):
    def test_livez_and_healthz_say_that_the_loop_beats(self):
        server = self.serve()
        for path in ("/livez", "/healthz"):
            self.assertEqual(server.get(path)[:2], (200, b"ok"))
            wanted = f"[+]loop ok\n{path[1:]} check passed\n".encode()
            self.assertEqual(server.get(path + "?verbose")[:2], (200, wanted))
            self.assertEqual(server.ask("POST", path)[0], 405)

    def test_a_program_whose_steps_stand_still_is_not_alive(self):
        server = self.serve(steps=1)
        self.assertEqual(server.get("/livez")[0], 200)
        wait_until("/livez fails", lambda: server.get("/livez")[0] == 500)
        self.assertEqual(
            server.get("/livez?verbose")[1].decode().splitlines()[:2],
            ["[+]loop ok", "[-]steps failed: reason withheld"],
        )
        self.assertEqual(server.get("/healthz")[0], 500)

    def test_readyz_names_what_is_missing_and_then_passes(self):
        server = self.serve()
        status, body, headers = server.get("/readyz")
        self.assertEqual(status, 500)
        self.assertEqual(body, b"[-]first failed: reason withheld\nreadyz check failed\n")
        self.assertEqual(headers.get_content_type(), "text/plain")
        server.process.send_signal(signal.SIGUSR1)
        wait_until("it is ready", lambda: server.get("/readyz")[:2] == (200, b"ok"))
        self.assertEqual(server.get("/readyz?verbose")[1], b"[+]first ok\nreadyz check passed\n")

    def test_what_is_missing_is_logged_once_with_its_reason(self):
        server = Server(log=1)
        for _ in range(3):
            self.assertEqual(server.get("/readyz")[0], 500)
        server.process.send_signal(signal.SIGUSR1)
        wait_until("it is ready", lambda: server.get("/readyz")[0] == 200)
        self.assertEqual(server.get("/readyz")[0], 200)
        self.assertEqual(
            server.close()[1].splitlines(),
            [
                'level=warn component=health msg="not ready: first: waits for SIGUSR1"',
                'level=info component=health msg="ready: first"',
            ],
        )


class Metrics(Case):
    TEXT = "text/plain; version=0.0.4; charset=utf-8"
    OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    def test_the_reader_chooses_the_format(self):
        server = self.serve()
        ours = "application/openmetrics-text"
        for accept, wanted in [
            (None, self.TEXT),
            ("*/*", self.TEXT),
            ("text/plain", self.TEXT),
            ("application/json", self.TEXT),
            (ours, self.OPEN),
            (f"{ours}; version=1.0.0", self.OPEN),
            (f"{ours};version=0.0.1", self.TEXT),
            (f"{ours};q=0.2, text/plain;q=0.9", self.TEXT),
            (f"{ours};q=0", self.TEXT),
            (f"{ours};version=1.0.0,{ours};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,"
             "*/*;q=0.1", self.OPEN),
            (f"text/plain;q=0.5,{ours.upper()} ; VERSION=1.0.0 ; Q=0.6", self.OPEN),
            (f"{ours};q=x", self.TEXT),
            (";;,,=;q", self.TEXT),
        ]:  # fmt: skip
            with self.subTest(accept):
                headers = {} if accept is None else {"Accept": accept}
                status, body, answer = server.get("/metrics", **headers)
                self.assertEqual((status, answer["Content-Type"]), (200, wanted))
                self.assertEqual(body.endswith(b"# EOF\n"), wanted == self.OPEN)

    def test_promtool_accepts_the_page(self):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("there is no promtool")
        server = self.serve()
        server.get("/parts")
        server.get("/nowhere")
        done = subprocess.run(
            [promtool, "check", "metrics"],
            input=server.get("/metrics")[1],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout), (0, b""))


if __name__ == "__main__":
    unittest.main()
