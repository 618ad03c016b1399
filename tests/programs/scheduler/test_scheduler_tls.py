# SPDX-License-Identifier: Apache-2.0
"""The extender over HTTPS: whom it answers, and certificates that change while it runs.

Rules: docs/rules/programs.md#tls.
"""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import make, make_expired, make_signed
from checkout import ROOT

sys.path.insert(0, str(ROOT / "tests" / "programs" / "scheduler"))

import test_scheduler  # noqa: E402
from stage import SCHEDULER, Connection, Stage, pod, wait_until  # noqa: E402

CERTIFICATES: dict[str, Path] = {}


def setUpModule() -> None:  # pylint: disable=invalid-name
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    here = Path(folder.name)
    server = "subjectAltName=DNS:localhost"
    make(here, "ca")
    make(here, "other-ca")
    make_signed(here, "first", server)
    make_signed(here, "second", server)
    make_signed(here, "scheduler", subject="system:kube-scheduler")
    make_signed(here, "named", "subjectAltName=DNS:kube-scheduler.test")
    make_signed(here, "server-only", "extendedKeyUsage=serverAuth")
    make_signed(here, "foreign", authority="other-ca", subject="system:kube-scheduler")
    make_expired(here, "expired")
    CERTIFICATES["at"] = here


def context(client: str = "") -> ssl.SSLContext:
    """Trusts our CA; shows a client's certificate."""
    here = CERTIFICATES["at"]
    out = ssl.create_default_context(cafile=str(here / "ca.crt"))
    if client:
        out.load_cert_chain(here / f"{client}.crt", here / f"{client}.key")
    return out


class Served(Stage):
    def setUp(self) -> None:
        super().setUp()
        self.pair("first")

    def pair(self, name: str, key: str = "") -> None:
        """As a Secret is mounted: both files change at once, by a link to another folder."""
        here = CERTIFICATES["at"]
        target = Path(tempfile.mkdtemp(dir=self.here))
        shutil.copy(here / f"{name}.crt", target / "tls.crt")
        shutil.copy(here / f"{key or name}.key", target / "tls.key")
        new = self.here / "new"
        new.symlink_to(target.name)
        new.rename(self.here / "data")

    def files(self, **more: str) -> dict[str, str]:
        return {"TLS_CERT_FILE": str(self.here / "data/tls.crt"), "TLS_KEY_FILE": str(self.here / "data/tls.key"), **more}

    def serve(self, client: str = "", **more: str):
        return self.ready(self.two_nodes(), tls=context(client), **self.files(**more))

    def shown(self, port: int) -> str:
        """The common name of the certificate that a new connection gets."""
        with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
            with context().wrap_socket(raw, server_hostname="localhost") as client:
                subject = (client.getpeercert() or {})["subject"]
        return dict(pair[0] for pair in subject)["commonName"]

    def status_of(self, server, client: str = "") -> tuple[int, str]:
        connection = Connection(server.port, context(client))
        try:
            status, body = connection.ask("POST", "/filter", {"Pod": pod(), "NodeNames": ["perf-1"]})
            return status, body.decode()
        finally:
            connection.close()


class Encrypted(Served):
    def test_it_answers_as_it_does_without(self) -> None:
        server = self.serve()
        self.assertEqual(server.filter(pod("performance"), ["eco-1", "perf-1"])["NodeNames"], ["perf-1"])
        names = [f"node-{i}" for i in range(20000)]
        self.assertEqual(server.filter(pod(), names), {"NodeNames": names})
        self.assertEqual(self.shown(server.port), "first")

    def test_a_request_without_tls_is_told_so(self) -> None:
        server = self.serve()
        answer = subprocess.run(
            ["curl", "--silent", "--include", f"http://127.0.0.1:{server.port}/livez"],
            stdout=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
        self.assertIn(" 400 ", answer.stdout)
        self.assertIn("this port speaks HTTPS only", answer.stdout)

    def test_old_versions_of_tls_are_refused(self) -> None:
        server = self.serve()
        for version, is_good in (("1.1", False), ("1.2", True), ("1.3", True)):
            words = ["curl", "--silent", "--cacert", str(CERTIFICATES["at"] / "ca.crt"), "--tls-max", version]
            done = subprocess.run([*words, f"https://localhost:{server.port}/livez"], timeout=60, check=False,
                                  stdout=subprocess.DEVNULL)  # fmt: skip
            self.assertEqual(done.returncode == 0, is_good, version)

    def test_what_is_missing_or_wrong_stops_the_start_and_is_named(self) -> None:
        here = CERTIFICATES["at"]
        first, key = str(here / "first.crt"), str(here / "first.key")
        (self.here / "text").write_text("no certificate\n")
        for settings, where, why in (
            ({"TLS_CERT_FILE": first}, "TLS_KEY_FILE", "TLS_CERT_FILE needs it"),
            ({"TLS_KEY_FILE": key}, "TLS_CERT_FILE", "TLS_KEY_FILE needs it"),
            ({"TLS_CLIENT_CA_FILE": first}, "TLS_CERT_FILE", "TLS_CLIENT_CA_FILE needs it"),
            (self.files(TLS_CLIENT_NAMES="a"), "TLS_CLIENT_CA_FILE", "TLS_CLIENT_NAMES needs it"),
            (self.files(TLS_CERT_FILE="/nowhere"), "TLS_CERT_FILE", "/nowhere: No such file"),
            (self.files(TLS_CERT_FILE=str(self.here)), "TLS_CERT_FILE", "is not a regular file"),
            (self.files(TLS_KEY_FILE=str(here / "second.key")), "TLS_KEY_FILE", "it is not the key of"),
            (self.files(TLS_KEY_FILE=str(self.here / "text")), "TLS_KEY_FILE", "text"),
            (self.files(TLS_CERT_FILE=str(self.here / "text")), "TLS_CERT_FILE", "text"),
            (self.files(TLS_CLIENT_CA_FILE=str(self.here / "text")), "TLS_CLIENT_CA_FILE", "text"),
        ):
            with self.subTest(settings):
                done = subprocess.run(
                    [SCHEDULER, "--server", "http://127.0.0.1:1", "--extender-addr", "127.0.0.1:0",
                     "--metrics-addr", "127.0.0.1:0"],
                    env={"PATH": os.environ["PATH"], **settings}, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE, text=True, timeout=60, check=False,
                )  # fmt: skip
                self.assertEqual(done.returncode, 1 if "file" in why else 2, done.stderr)
                self.assertIn(where, done.stderr)
                self.assertIn(why, done.stderr)


class Rotation(Served):
    def test_a_new_pair_is_used_under_load_and_no_connection_is_dropped(self) -> None:
        server = self.serve()
        stop = threading.Event()
        faults: list[BaseException] = []
        answered = [0, 0, 0]

        def load(index: int) -> None:
            client = Connection(server.port, context())
            try:
                while not stop.is_set():
                    client.ask("POST", "/prioritize", {"Pod": pod(), "NodeNames": ["perf-1", "eco-1"]})
                    answered[index] += 1
            except BaseException as fault:  # pylint: disable=broad-except
                faults.append(fault)
            finally:
                client.close()

        threads = [threading.Thread(target=load, args=(index,)) for index in range(len(answered))]
        for thread in threads:
            thread.start()
        try:
            wait_until("load", lambda: min(answered) > 20)
            for name in ("second", "first", "second"):
                self.pair(name)
                wait_until("the new certificate", lambda: self.shown(server.port) == name)  # pylint: disable=W0640
            counts = list(answered)
            wait_until("load goes on", lambda: all(now > then + 20 for now, then in zip(answered, counts)))
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(faults, [])
        self.assertRegex(server.metrics(), r"joulie_scheduler_tls_reloads_total 3\n")
        self.assertRegex(server.metrics(), r"joulie_scheduler_tls_certificate_expiry_timestamp_seconds \d{10}\n")

    def test_a_bad_pair_is_refused_and_the_old_one_stays(self) -> None:
        server = self.serve()
        self.pair("second", key="first")
        server.logged("(it is not the key of .*the certificate from before stays in force)")
        self.assertEqual(self.shown(server.port), "first")
        self.assertRegex(server.metrics(), r"joulie_scheduler_tls_reload_failures_total 1\n")
        self.pair("second")
        wait_until("the good pair", lambda: self.shown(server.port) == "second")

    def test_files_that_vanish_change_nothing(self) -> None:
        server = self.serve()
        (self.here / "data").unlink()
        server.logged("(No such file or directory; the certificate from before stays in force)")
        self.assertEqual(self.shown(server.port), "first")


class Clients(Served):
    def guarded(self, **more: str):
        return self.serve("scheduler", TLS_CLIENT_CA_FILE=str(CERTIFICATES["at"] / "ca.crt"), **more)

    def test_only_certificates_of_the_ca_are_answered(self) -> None:
        server = self.guarded()
        for client, status, why in (
            ("scheduler", 200, "perf-1"),
            ("", 403, "the client shows no certificate"),
            ("foreign", 403, "signed by none of TLS_CLIENT_CA_FILE"),
            ("expired", 403, "has expired"),
            ("server-only", 403, "is not one for clients"),
        ):
            with self.subTest(client):
                found = self.status_of(server, client)
                self.assertEqual(found[0], status, found[1])
                self.assertIn(why, found[1])

    def test_names_may_be_wanted_too(self) -> None:
        server = self.guarded(TLS_CLIENT_NAMES="system:kube-scheduler, kube-scheduler.test")
        self.assertEqual(self.status_of(server, "scheduler")[0], 200)
        self.assertEqual(self.status_of(server, "named")[0], 200)
        status, body = self.status_of(server, "second")
        self.assertEqual(status, 403)
        self.assertIn("none of the names of TLS_CLIENT_NAMES", body)

    def test_a_connection_is_held_against_new_cas(self) -> None:
        authority = self.here / "authority.crt"
        shutil.copy(CERTIFICATES["at"] / "ca.crt", authority)
        server = self.serve("scheduler", TLS_CLIENT_CA_FILE=str(authority))
        self.assertEqual(server.filter(pod(), ["perf-1"]), {"NodeNames": ["perf-1"]})
        shutil.copy(CERTIFICATES["at"] / "other-ca.crt", authority)
        wait_until("the new CA", lambda: self.status_of(server, "foreign")[0] == 200)
        self.assertEqual(server.connection.ask("GET", "/livez")[0], 403)


class HostileOverTls(test_scheduler.Hostile):
    def settings(self):
        here = CERTIFICATES["at"]
        return {
            "tls": context(),
            "TLS_CERT_FILE": str(here / "first.crt"),
            "TLS_KEY_FILE": str(here / "first.key"),
        }

    def wrap(self, client):
        return context().wrap_socket(client, server_hostname="localhost")

    def test_handshakes_that_stop_are_cut(self) -> None:
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        slow = [self.stranger(hello) for _ in range(100)]
        self.check_good()
        for client in slow:
            wait_until("cut", lambda: self.is_cut(client))  # pylint: disable=W0640
        self.check_good()


if __name__ == "__main__":
    unittest.main()
