# SPDX-License-Identifier: Apache-2.0
"""A TLS server in front of a plain one, which can be made to misbehave below HTTP: each misdeed is what becomes of a
connection instead of being passed on. A door for each client, so that its connections can be counted."""

from __future__ import annotations

import contextlib
import random
import select
import socket
import ssl
import struct
import threading
import urllib.parse
import warnings
from pathlib import Path
from typing import Callable, Optional

from certificates import make, make_expired, make_signed

BLOCK = 1 << 16
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def make_certificates(folder: Path) -> None:
    here = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    make(folder, "ca")
    make_signed(folder, "good", here)
    make_signed(folder, "elsewhere", "subjectAltName=DNS:elsewhere.test")
    make_expired(folder, "localhost")


def context_of(folder: Path, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{name}.crt", folder / f"{name}.key")
    return context


def reset(peer: socket.socket) -> None:
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


class Door:
    """What a client connects to; upstream: the plain server's URL."""

    def __init__(self, folder: Path, upstream: str) -> None:
        parts = urllib.parse.urlsplit(upstream)
        self.folder = folder
        self.upstream = (parts.hostname, parts.port)
        self.misdeed: Optional[Callable[[Door, socket.socket], None]] = None
        self.connections = 0
        self.open: set[socket.socket] = set()
        self.good = context_of(folder, "good")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        self.open.add(peer)
        try:
            with contextlib.suppress(OSError, ValueError):
                if self.misdeed:
                    self.misdeed(self, peer)
                else:
                    self.pass_on(self.greet(peer, self.good))
        finally:
            self.open.discard(peer)
            peer.close()

    def greet(self, peer: socket.socket, context: ssl.SSLContext) -> ssl.SSLSocket:
        peer.settimeout(60)
        secure = context.wrap_socket(peer, server_side=True)
        self.open.add(secure)
        return secure

    def pass_on(self, secure: ssl.SSLSocket) -> None:
        with socket.create_connection(self.upstream) as plain, secure:
            while True:
                seen = [secure] if secure.pending() else select.select([secure, plain], [], [])[0]
                for source, target in ((secure, plain), (plain, secure)):
                    data = source.recv(BLOCK) if source in seen else None
                    if data == b"":
                        self.open.discard(secure)
                        return
                    if data:
                        target.sendall(data)

    def behave(self, misdeed: Optional[Callable[[Door, socket.socket], None]] = None) -> None:
        """Now, and to all who are connected."""
        self.misdeed = misdeed
        for peer in list(self.open):
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
        self.open.clear()

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.behave()


# ---- in the handshake ----


def reset_in_handshake(_: Door, peer: socket.socket) -> None:
    peer.recv(1)
    reset(peer)


def silent_in_handshake(_: Door, peer: socket.socket) -> None:
    while peer.recv(BLOCK):
        pass


def garbage_in_handshake(_: Door, peer: socket.socket) -> None:
    peer.recv(1)
    peer.sendall(random.Random(1).randbytes(400))


def no_tls_at_all(_: Door, peer: socket.socket) -> None:
    peer.recv(BLOCK)
    peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def greet_only(door: Door, peer: socket.socket, context: ssl.SSLContext) -> None:
    with door.greet(peer, context) as secure:
        secure.recv(BLOCK)


def expired(door: Door, peer: socket.socket) -> None:
    greet_only(door, peer, context_of(door.folder, "localhost"))


def of_another_host(door: Door, peer: socket.socket) -> None:
    greet_only(door, peer, context_of(door.folder, "elsewhere"))


def old_protocol(door: Door, peer: socket.socket) -> None:
    context = context_of(door.folder, "good")
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the version that is meant
        context.minimum_version = ssl.TLSVersion.TLSv1_1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    greet_only(door, peer, context)


# ---- in the middle of an answer ----


def begin(door: Door, peer: socket.socket, text: bytes) -> ssl.SSLSocket:
    secure = door.greet(peer, door.good)
    secure.recv(BLOCK)
    secure.sendall(HEAD + text)
    return secure


def reset_in_body(door: Door, peer: socket.socket) -> None:
    reset(begin(door, peer, b'Content-Length: 1000\r\n\r\n{"items":['))


def cut_in_body(door: Door, peer: socket.socket) -> None:
    begin(door, peer, b'Transfer-Encoding: chunked\r\n\r\n40\r\n{"type":').close()


def end_without_goodbye(door: Door, peer: socket.socket) -> None:
    """Whoever is between the two could have cut it there: half a list is none."""
    begin(door, peer, b"Connection: close\r\n\r\n" + b'{"kind":"List","metadata":{"resourceVersion":"100"},"items":[').close()


# What each of the programs says of it.
MISDEEDS: dict[Callable[[Door, socket.socket], None], str] = {
    reset_in_handshake: r"reset by peer|SSL_ERROR_SYSCALL",
    silent_in_handshake: r"timed? ?out|timeout",
    garbage_in_handshake: r"wrong version number|SSL",
    no_tls_at_all: r"wrong version number",
    expired: r"certificate has expired",
    of_another_host: r"does not match|no alternative certificate subject name",
    old_protocol: r"unsupported protocol|protocol version",
    reset_in_body: r"reset by peer|SSL_ERROR_SYSCALL|unexpected eof",
    cut_in_body: r"unexpected eof|outstanding read data|transfer closed",
    end_without_goodbye: r"the answer is no list|the server ends each watch at once",
}
