# SPDX-License-Identifier: Apache-2.0
"""A Prometheus in this process: what it answers is scripted, what it is asked is noted."""

import http.server
import json
import threading
import time
import urllib.parse

# What names the query of each measurement.
CPU = "sum by (namespace, pod, exported_namespace, exported_pod) (max by"
COVERAGE = "count_over_time"
MEMORY = "working_set_bytes"
GPU = "GPU_UTIL"
GPU_MEMORY = "MEM_COPY_UTIL"
PACKAGE = "kepler_container_package_joules_total"
DRAM = "kepler_container_dram_joules_total"
GPU_ENERGY = "kepler_container_gpu_joules_total"
WORDS = (COVERAGE, MEMORY, GPU, GPU_MEMORY, PACKAGE, DRAM, GPU_ENERGY, CPU)


def series(pod, value, namespace="default"):
    metric = {"namespace": namespace, "pod": pod}
    return {"metric": metric, "value": [time.time(), str(value)]}


def vector(*items):
    return {"status": "success", "data": {"resultType": "vector", "result": list(items)}}


class Stoppable:
    """A server that comes back on the port that it had."""

    def __init__(self, case, handler):
        self.handler = handler
        self.server = None
        self.port = 0
        self.start()
        case.addCleanup(self.stop)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"http://{self.address}"

    def start(self):
        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # clients are killed on purpose
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = None


class FakePrometheus(Stoppable):
    """`pods` is {name: (cores, bytes)} of whole windows; `answer` may be set to a function (handler,
    word) that answers itself and returns True."""

    def __init__(self, case):
        self.pods = {}
        self.coverage = 10
        self.answer = None
        self.queries = []
        self.headers = []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                parts = urllib.parse.urlsplit(self.path)
                query = urllib.parse.parse_qs(parts.query).get("query", [""])[0]
                word = next((word for word in WORDS if word in query), "")
                if fake.server is None:  # a connection that is older than the end
                    self.close_connection = True
                    return
                fake.queries.append(query)
                fake.headers.append(dict(self.headers))
                if fake.answer and fake.answer(self, word):
                    return
                self.send(200, fake.reply(word))

            def send(self, status, body, headers=()):
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        super().__init__(case, Handler)

    def reply(self, word):
        if word == CPU:
            return vector(*(series(name, cores) for name, (cores, _) in self.pods.items()))
        if word == COVERAGE:
            return vector(*(series(name, self.coverage) for name in self.pods))
        if word == MEMORY:
            return vector(*(series(name, count) for name, (_, count) in self.pods.items()))
        return vector()
