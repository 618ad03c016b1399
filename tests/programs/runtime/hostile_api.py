# SPDX-License-Identifier: Apache-2.0
"""The API server of operator_fakes, which can be made to misbehave: each misdeed is a way to answer, after which the
connection is over. What it saw in the meantime is counted by who asked."""

from __future__ import annotations

import collections
import contextlib
import json
import random
import socket
import struct
import time
import urllib.parse
from typing import Any, Callable, Iterator, Optional

import operator_fakes as fakes

BLOCK = 1 << 16
LIST_BYTES = 100 << 20
ITEM = b'{"metadata":{"name":"x%07d","resourceVersion":"1","uid":"u%07d","annotations":{"a":"%s"}}},'
HUGE_VERSION = "9" * 40
TOO_LARGE = {
    **fakes.Api.status(504, "Timeout", "Timeout: Too large resource version")[1],
    "details": {"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]},
}


def reply(peer: Any, code: int, body: bytes, *headers: str, kind: str = "application/json") -> None:
    head = f"HTTP/1.1 {code} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    peer.wfile.write((head + "".join(f"{line}\r\n" for line in headers) + "\r\n").encode() + body)


def chunks(peer: Any, pieces: Iterator[bytes]) -> None:
    peer.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    for piece in pieces:
        peer.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
    peer.wfile.write(b"0\r\n\r\n")


def frame(kind: Any, meta: Any) -> bytes:
    return json.dumps({"type": kind, "object": {"apiVersion": "v1", "kind": "X", "metadata": meta}}).encode() + b"\n"


def wrong_types(peer: Any) -> None:
    wrong = ({"kind": [], "items": 5}, [1, 2], {"metadata": "x", "items": {}}, {"items": [1, None, "x", []]}, None, 7)
    reply(peer, 200, json.dumps(peer.api.chance.choice(wrong)).encode())


def wrong_members(peer: Any) -> None:
    item = {"metadata": {"name": 5, "labels": [], "annotations": {"a": {}}}, "spec": "x", "status": {"conditions": 1}}
    if peer.is_watch:
        chunks(peer, iter([b'{"type":5,"object":[]}\n', frame("ADDED", {"name": [], "resourceVersion": {}}), b"null\n"]))
    else:
        reply(peer, 200, json.dumps({"kind": "List", "metadata": {}, "items": [item, item]}).encode())


def cut_body(peer: Any) -> None:
    peer.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"items\":[")


def cut_chunk(peer: Any) -> None:
    peer.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"type\":")


def bad_chunk(peer: Any) -> None:
    peer.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\nzz\r\n")


def header_flood(peer: Any) -> None:
    peer.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(100):
        peer.wfile.write(b"X-Flood: " + b"y" * 1000 + b"\r\n" * 1 + b"A: b\r\n" * 1000)


def early_hints(peer: Any) -> None:
    for _ in range(20000):
        peer.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")


def no_content_with_body(peer: Any) -> None:
    peer.wfile.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")


def redirect_loop(peer: Any) -> None:
    reply(peer, 302, b"", f"Location: {peer.path}")


def gone(peer: Any) -> None:
    reply(peer, 410, json.dumps(fakes.Api.status(410, "Expired")[1]).encode())


def too_many(peer: Any) -> None:
    wait = peer.api.chance.choice(("-5", "soon", "1e9", "99999999999999999999", "", "0"))
    reply(peer, 429, b"{}", f"Retry-After: {wait}")


def page_of_html(peer: Any) -> None:
    reply(peer, 500, b"<html><h1>It works not!</h1></html>" * 1000, kind="text/html")


def odd_code(peer: Any) -> None:
    reply(peer, peer.api.chance.choice((200, 299, 418, 599, 999, 600, 304)), b"%")


def huge_versions(peer: Any) -> None:
    version = peer.api.chance.choice((HUGE_VERSION, "x", "-1", "0", ""))
    if peer.is_watch:
        chunks(peer, iter([frame("ADDED", {"name": "n9", "uid": "u", "resourceVersion": version})] * 3))
    else:
        reply(peer, 200, json.dumps({"kind": "List", "metadata": {"resourceVersion": version}, "items": []}).encode())


def duplicates(peer: Any) -> None:
    event = frame("ADDED", {"name": "twice", "namespace": "default", "uid": "u", "resourceVersion": "200"})
    chunks(peer, iter([event * 100] * 100))


def bookmarks_without_version(peer: Any) -> None:
    chunks(peer, iter([frame("BOOKMARK", {}), frame("BOOKMARK", None), frame("BOOKMARK", {"resourceVersion": 5})] * 50))


def garbage(peer: Any) -> None:
    peer.wfile.write(peer.api.chance.randbytes(5000))


def silence(peer: Any) -> None:
    """The connection ends without a word."""


def reset(peer: Any) -> None:
    peer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.connection.close()


def trickle(peer: Any) -> None:
    """A byte now and then, until the server is good again or the client has had enough."""
    peer.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
    peer.count()
    while peer.api.misdeed is trickle:
        peer.wfile.write(b" ")
        time.sleep(0.05)


def large_list(peer: Any) -> None:
    """More nodes than anybody asked for; who watches gets one event that is as long."""
    size = LIST_BYTES
    if "/nodes" not in peer.path:
        peer.is_counted = True
        return
    item = b"".join(ITEM % (i, i, b"y" * 400) for i in range(BLOCK // 500))
    peer.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % size)
    start = b'{"type":"ADDED","object":{"metadata":{"annotations":{"a":"' if peer.is_watch else b'{"kind":"List","items":['
    peer.wfile.write(start)
    left = size - len(start)
    while left > 0:
        peer.wfile.write(item[:left])
        left -= len(item)


MISDEEDS: tuple[Callable[[Any], None], ...] = (
    *(wrong_types, wrong_members, cut_body, cut_chunk, bad_chunk, header_flood, early_hints, no_content_with_body),
    *(redirect_loop, gone, too_many, page_of_html, odd_code, huge_versions, duplicates, bookmarks_without_version),
    *(garbage, silence, reset, trickle),
)


class HostileApi(fakes.Api):
    """misdeed: what is done instead of an answer, to requests for which is_meant is true."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = random.Random(seed)
        self.peers: set[socket.socket] = set()
        self.suffered: collections.Counter[str] = collections.Counter()
        self.served: collections.Counter[str] = collections.Counter()
        self.behave()
        super().__init__()

    def handler(self, door: Optional[str]) -> Any:
        good = super().handler(door)

        class Handler(good):  # type: ignore[misc,valid-type]
            api = self

            def setup(self) -> None:
                super().setup()
                self.api.peers.add(self.connection)

            def finish(self) -> None:
                self.api.peers.discard(self.connection)
                with contextlib.suppress(OSError):
                    super().finish()

            def serve(self) -> None:
                self.is_watch = "watch=" in self.path
                self.is_counted = False
                self.who = self.headers.get("User-Agent", "").split("/")[0]
                misdeed = self.api.misdeed
                if misdeed is None or not self.api.is_meant(self):
                    self.api.served[self.who] += 1
                    if self.api.is_ahead(self.path):
                        reply(self, 504, json.dumps(TOO_LARGE).encode())
                    else:
                        super().serve()
                    return
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.close_connection = True
                with contextlib.suppress(OSError):
                    misdeed(self)
                self.count()

            def count(self) -> None:
                """Once for a request: when it is over, or before."""
                self.api.suffered[self.who] += not self.is_counted
                self.is_counted = True

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = serve

        return Handler

    def is_ahead(self, path: str) -> bool:
        """Whether it asks from a version that is still to come, which a server refuses after a while."""
        version = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get("resourceVersion", ["0"])[0]
        return not version.isdigit() or int(version) > self.version

    def behave(self, misdeed: Optional[Callable[[Any], None]] = None, only_after_lists: bool = False) -> None:
        """Now, and to all who are connected."""
        self.is_meant = lambda peer: not only_after_lists or peer.is_watch or peer.command != "GET"
        self.misdeed = misdeed
        for peer in list(self.peers):
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
        self.suffered.clear()
        self.served.clear()
