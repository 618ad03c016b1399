#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTPS server for test_http_tls.c: makes certificates below DIRECTORY, prints its port, and answers each request with
the Host header, the server name of the handshake and the subject of the client's certificate, a line each.
"""

from __future__ import annotations

import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from certificates import make, make_signed  # noqa: E402


def make_all(directory: Path) -> None:
    make(directory, "ca")
    make(directory, "other-ca")
    make_signed(directory, "server", "subjectAltName=DNS:localhost,DNS:api.test")
    make_signed(directory, "client")
    make_signed(directory, "next-client")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_name: Optional[str] = None

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        certificate = self.connection.getpeercert() or {}
        subject = dict(pair[0] for pair in certificate.get("subject", ()))
        lines = [self.headers["Host"], str(Handler.server_name), subject.get("commonName", "-")]
        body = "\n".join(lines).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # handshakes that fail are what the test is about


def main() -> None:
    directory = Path(sys.argv[1])
    make_all(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "server.crt", directory / "server.key")
    context.load_verify_locations(directory / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL

    def remember(_: ssl.SSLObject, name: Optional[str], __: ssl.SSLContext) -> None:
        Handler.server_name = name

    context.sni_callback = remember
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    sys.stdout.write(
        f"{server.server_address[1]}\n"
    )  # at once, also unbuffered: the reader closes behind it
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
