# SPDX-License-Identifier: Apache-2.0
"""The user part of a URL setting: it is sent as basic authentication and shown nowhere
(docs/rules/programs.md#urls-with-a-password). The settings are those that --help shows, so that a
new one is among them."""

import base64
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from checkout import DEV, ROOT
from embedded import EmbeddedApi
from test_agent_cluster import hardware, node, twin
from waiting import DEADLINE_S, wait_until

SECRET = "s3cretOfNobody"
USER = f"somebody:{SECRET}@"
BASIC = "Basic " + base64.b64encode(USER[:-1].encode()).decode()
INVENTORY = ROOT / "docs/examples/demo/inventory.yaml"
ANY_PORT = {
    "agent": ["--agent-mode", "pool", "--metrics-addr", "127.0.0.1:0"],
    "operator": ["--metrics-addr", "127.0.0.1:0"],
    "scheduler": ["--metrics-addr", "127.0.0.1:0", "--extender-addr", "127.0.0.1:0"],
    "simulator": ["--inventory", str(INVENTORY), "--sim-addr", "127.0.0.1:0"]
    + ["--sim-api-addr", "127.0.0.1:0"],
}
# what makes the programs use their URLs
ENVIRONMENTS = {
    "agent": {
        "RECONCILE_INTERVAL": "1s",
        "TELEMETRY_CPU_SOURCE": "http",
        "TELEMETRY_CPU_CONTROL": "http",
        "TELEMETRY_GPU_CONTROL": "http",
    },
    "operator": {
        "RECONCILE_INTERVAL": "1s",
        "OPERATOR_NODE_POWER_SOURCE": "http",
        "ENABLE_FACILITY_METRICS": "true",
        "FACILITY_POLL_INTERVAL": "1s",
    },
}
BAD = (
    f"http://{USER}127.0.0.1:99999",
    f"http://{USER}no host/",
    f"http://{USER[:-1]} word@127.0.0.1:1",
    f"http://{USER}",
    f"ftp://{USER}127.0.0.1:1/{{node}}",
    f"http://{'u' * 300}{USER}127.0.0.1:99999",
    f"{USER}127.0.0.1:1",
)


def program(name):
    return str(DEV / "bin" / f"joulie-{name}")


def url_options(name):
    text = subprocess.run([program(name), "--help"], capture_output=True, text=True, check=True)
    return re.findall(r"(?m)^  (--\S+) URL\b", text.stdout)


class Redirects(BaseHTTPRequestHandler):
    """Answers nothing but where else to ask."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        self.server.seen.append((self.path, self.headers["Authorization"]))
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(302)
        self.send_header("Location", f"http://{USER}127.0.0.1:1/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = answer  # pylint: disable=invalid-name

    def log_message(self, format, *args):
        pass


class Users(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = self.folder / "log"
        self.log.touch()

    def redirects(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Redirects)
        server.daemon_threads = True
        server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://{USER}127.0.0.1:{server.server_address[1]}"

    def start(self, name, urls):
        arguments = [word for pair in urls.items() for word in pair]
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [program(name), *ANY_PORT[name], *arguments, "--log-level", "debug"],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **ENVIRONMENTS.get(name, {})},
            )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def said(self):
        return self.log.read_text(errors="replace")

    def check_pages(self):
        for url in set(re.findall(r"http://127\.0\.0\.1:\d+", self.said())):
            for page in ("/metrics", "/livez?verbose", "/readyz?verbose", "/debug/scoring"):
                try:
                    with urllib.request.urlopen(url + page, timeout=DEADLINE_S) as answer:
                        text = answer.read().decode()
                except urllib.error.HTTPError as error:
                    text = error.read().decode()
                except OSError:
                    continue  # the URL of nobody
                self.assertNotIn(SECRET, text)

    def end(self, process, is_running):
        if is_running:
            self.check_pages()
            process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_S)
        self.assertNotIn(SECRET, self.said())

    def test_each_daemon_has_such_settings(self):
        self.assertEqual(
            {name: len(url_options(name)) for name in ANY_PORT},
            {"agent": 6, "operator": 7, "scheduler": 3, "simulator": 2},
        )

    def test_where_nobody_answers_it_is_not_shown(self):
        dead = f"http://{USER}127.0.0.1:1/{{node}}"
        for name in ANY_PORT:
            options = url_options(name)
            clocks = [option for option in options if "clock" in option]
            others = [option for option in options if option not in clocks]
            for chosen in (others, *([*others, clock] for clock in clocks)):
                with self.subTest(name, options=chosen):
                    self.log.write_text("")
                    process = self.start(name, {option: dead for option in chosen})
                    trouble = "level=info" if name == "simulator" else "level=warn"
                    wait_until(
                        lambda: self.said(),
                        lambda p=process, t=trouble: t in self.said() or p.poll() is not None,
                    )
                    self.assertIsNone(process.poll(), self.said())
                    self.end(process, True)
                    self.assertIn("http://*@127.0.0.1:1", self.said())

    def test_what_is_no_url_is_refused_without_it(self):
        for name in ANY_PORT:
            for option in url_options(name):
                for bad in BAD:
                    with self.subTest(name, option=option, url=bad):
                        self.log.write_text("")
                        urls = {"--server": "http://127.0.0.1:1"} if name != "simulator" else {}
                        process = self.start(name, {**urls, option: bad})
                        wait_until(
                            "its start or its end",
                            lambda p=process: "level=info component=options" in self.said()
                            or p.poll() is not None,
                        )
                        self.end(process, process.poll() is None)

    def test_it_is_sent_and_a_redirect_is_not_followed_with_it(self):
        api = EmbeddedApi(self, self.folder / "kubeconfig")
        server = api.url.replace("http://", f"http://{USER}")
        api.put("v1", "Node", node("n1"))
        api.put("joulie.io/v1alpha1", "NodeHardware", hardware("n1"))
        api.put("joulie.io/v1alpha1", "NodeTwin", twin("n1", int(time.time() * 1000), 60))
        paths = {"agent": ["/n1"], "operator": ["/n1", "/api/v1/query"]}
        for name, wanted in paths.items():
            with self.subTest(name):
                self.log.write_text("")
                peer, url = self.redirects()
                urls = {
                    option: url + ("/{node}" if "endpoint" in option else "")
                    for option in url_options(name)
                    if "clock" not in option and option != "--server"
                }
                process = self.start(name, {"--server": server, **urls})
                wait_until(
                    lambda p=peer: f"{p.seen} {self.said()}",
                    lambda p=peer, w=wanted: all(
                        any(path.startswith(start) for path, _ in p.seen) for start in w
                    ),
                )
                self.end(process, True)
                self.assertEqual({basic for _, basic in peer.seen}, {BASIC})
                for collection in ("/apis/joulie.io/v1alpha1/nodetwins", "/api/v1/nodes",
                                   "/apis/joulie.io/v1alpha1/nodehardwares",
                                   "/apis/events.k8s.io/v1/events"):  # fmt: skip
                    self.assertNotIn(SECRET, api.ask(collection))

    def test_a_command_does_not_show_it(self):
        for server in (f"http://{USER}127.0.0.1:1", *BAD):
            for command in ("status", "doctor"):
                for more in ([], ["--clock", server]):
                    with self.subTest(command, server=server, more=more):
                        done = subprocess.run(
                            [str(DEV / "bin" / "joulie"), command, "--server", server, *more]
                            + ["--request-timeout", "1s"],
                            capture_output=True,
                            text=True,
                            timeout=DEADLINE_S,
                        )
                        self.assertNotEqual(done.returncode, 0)
                        self.assertNotIn(SECRET, done.stdout + done.stderr)

    def test_a_token_for_another_machine_wants_tls(self):
        (self.folder / "token").write_text(SECRET)
        for words in ([program("operator")], [program("scheduler")],
                      [program("agent"), "--node-name", "n1"],
                      [str(DEV / "bin" / "joulie"), "status"]):  # fmt: skip
            for more in (["--server", "192.0.2.1:6443", "--token-file", "token"],
                         ["--server", f"http://{USER}192.0.2.1"]):  # fmt: skip
                with self.subTest(words[0], more=more):
                    done = subprocess.run(
                        [*words, *more], cwd=self.folder, capture_output=True, text=True, timeout=DEADLINE_S
                    )
                    self.assertIn("--insecure-plain-http", done.stdout + done.stderr)
                    self.assertNotIn(SECRET, done.stdout + done.stderr)
                    self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
