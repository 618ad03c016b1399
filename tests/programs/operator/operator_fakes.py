# SPDX-License-Identifier: Apache-2.0
"""An API server, a telemetry endpoint and a clock in this process, with scripted replies.

The API server is what the operator needs of one: lists, watches, merge patches with a status
subresource, and a note of every request. What it answers can be replaced per request.
"""

import copy
import http.server
import json
import threading
import time
import urllib.parse

RESOURCES = {
    "nodes": ("v1", "Node"),
    "pods": ("v1", "Pod"),
    "events": ("events.k8s.io/v1", "Event"),
    "leases": ("coordination.k8s.io/v1", "Lease"),
    "deployments": ("apps/v1", "Deployment"),
    "nodetwins": ("joulie.io/v1alpha1", "NodeTwin"),
    "nodehardwares": ("joulie.io/v1alpha1", "NodeHardware"),
    "telemetryprofiles": ("joulie.io/v1alpha1", "TelemetryProfile"),
    "workloadprofiles": ("joulie.io/v1alpha1", "WorkloadProfile"),
}


def merge(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


class Request:
    """What came in, as the tests look at it."""

    def __init__(self, method, path, query, body):
        parts = [urllib.parse.unquote(part) for part in path.split("/") if part]
        parts = parts[2:] if parts[0] == "api" else parts[3:]
        self.namespace = None
        if parts and parts[0] == "namespaces" and len(parts) > 2:
            self.namespace, parts = parts[1], parts[2:]
        parts += [""] * 3
        self.method, self.query, self.body = method, query, body
        self.plural, self.name, self.subresource = parts[0], parts[1], parts[2]
        self.is_watch = query.get("watch", ["0"])[0] in ("1", "true")

    @property
    def verb(self):
        if self.method == "GET":
            return "watch" if self.is_watch else "get" if self.name else "list"
        return {"POST": "create", "PATCH": "patch", "DELETE": "delete"}[self.method]

    def __repr__(self):
        return f"{self.verb} {self.plural}/{self.name}/{self.subresource}"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def handle_error(self, request, client_address):
        pass  # peers are killed on purpose

    def stop(self):
        self.shutdown()
        self.server_close()


class Api:
    """The store; `answer` may be set to a function (request) -> (code, dict) or None. In the place
    of the dict may be a function that does what it wants with the connection, and then ends it."""

    def __init__(self):
        self.changed = threading.Condition()
        self.version = 100
        self.objects = {plural: {} for plural in RESOURCES}
        self.log = []  # (version, plural, type, object)
        self.requests = []
        self.answer = None
        self.on_write = None  # (plural, name) after each change, under the lock
        self.is_closed = False
        self.doors = [Server(self.handler(None))]
        self.url = self.doors[0].url

    def open_door(self, name):
        """Another address of the same server, so that its clients can be told apart."""
        self.doors.append(Server(self.handler(name)))
        return self.doors[-1].url

    def handler(self, door):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are two writes

            def log_message(self, *_):
                pass

            def serve(self):
                parts = urllib.parse.urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                text = self.rfile.read(length)
                body = json.loads(text) if text else None
                request = Request(
                    self.command, parts.path, urllib.parse.parse_qs(parts.query), body
                )
                request.content_type = self.headers.get("Content-Type")
                request.door = door
                with api.changed:
                    api.requests.append(request)
                    scripted = api.answer(request) if api.answer else None
                    code, reply = scripted or (None, None)
                    if code is None and not request.is_watch:
                        code, reply = api.handle(request)
                    api.changed.notify_all()
                if callable(reply):
                    self.close_connection = True
                    reply(self)
                    return
                if code is None:
                    self.stream(request)
                    return
                out = json.dumps(reply).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

            do_GET = do_POST = do_PATCH = do_DELETE = serve

            def stream(self, request):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for frame in api.frames(request):
                    line = json.dumps(frame).encode() + b"\n"
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

        return Handler

    def stop(self):
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        for door in self.doors:
            door.stop()

    # ---- what clients see; under the lock ----

    @staticmethod
    def status(code, reason, message=""):
        return code, {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "reason": reason,
            "message": message or reason,
            "code": code,
            "details": {"name": "x"},
        }

    @staticmethod
    def selected(request, plural, item):
        for term in request.query.get("labelSelector", [""])[0].split(","):
            key, _, value = term.partition("=")
            if key and item["metadata"].get("labels", {}).get(key) != value:
                return False
        for term in request.query.get("fieldSelector", [""])[0].split(","):
            if term.startswith("metadata.name="):
                if item["metadata"]["name"] != term.split("=", 1)[1]:
                    return False
            elif term.startswith("status.phase!="):
                if item.get("status", {}).get("phase") == term.split("=", 1)[1]:
                    return False
        return True

    def handle(self, request):
        store = self.objects.get(request.plural)
        if store is None:
            return self.status(404, "NotFound")
        key = (request.namespace or "", request.name)
        api_version, kind = RESOURCES[request.plural]
        if request.method == "GET" and not request.name:
            items = [copy.deepcopy(o) for _, o in sorted(store.items())]
            items = [o for o in items if self.selected(request, request.plural, o)]
            for item in items:  # items of a real list carry neither
                item.pop("apiVersion", None), item.pop("kind", None)
            return 200, {
                "kind": kind + "List",
                "apiVersion": api_version,
                "metadata": {"resourceVersion": str(self.version)},
                "items": items,
            }
        if request.method == "POST":
            key = (request.namespace or "", request.body["metadata"]["name"])
            if key in store:
                return self.status(409, "AlreadyExists")
            body = {k: v for k, v in request.body.items() if k != "status"}
            return 201, self.write(request.plural, key, body)
        if key not in store:
            return self.status(404, "NotFound")
        if request.method == "GET":
            return 200, store[key]
        if request.method == "DELETE":
            return 200, self.drop(request.plural, key)
        old = store[key]
        version = request.body.get("metadata", {}).get("resourceVersion")
        if version and version != old["metadata"]["resourceVersion"]:
            return self.status(409, "Conflict")
        new = merge(old, request.body)
        if request.plural in ("nodetwins", "nodehardwares", "nodes", "telemetryprofiles"):
            kept = "status" if not request.subresource else None
            if kept:
                new.pop("status", None)
                if "status" in old:
                    new["status"] = old["status"]
            else:
                new = {**old, "status": new.get("status", {})}
        request.is_idle = self.without_time(new) == self.without_time(old)
        return 200, old if new == old else self.write(request.plural, key, new)

    @staticmethod
    def without_time(item):
        status = {k: v for k, v in item.get("status", {}).items() if k != "lastUpdated"}
        return {**item, "status": status, "spec": merge(item.get("spec"), {"renewTime": None})}

    def write(self, plural, key, body):
        old = self.objects[plural].get(key)
        self.version += 1
        api_version, kind = RESOURCES[plural]
        body = copy.deepcopy(body)
        body.update(apiVersion=api_version, kind=kind)
        meta = body.setdefault("metadata", {})
        meta["resourceVersion"] = str(self.version)
        meta.setdefault("uid", old["metadata"]["uid"] if old else f"uid-{self.version}")
        if key[0]:
            meta["namespace"] = key[0]
        self.objects[plural][key] = body
        self.log.append((self.version, plural, "MODIFIED" if old else "ADDED", body))
        if self.on_write:
            self.on_write(plural, key[1])
        return body

    def drop(self, plural, key):
        self.version += 1
        body = copy.deepcopy(self.objects[plural].pop(key))
        body["metadata"]["resourceVersion"] = str(self.version)
        self.log.append((self.version, plural, "DELETED", body))
        return body

    def frames(self, request):
        """A watch: what happened since, then what happens, with a bookmark whenever it is quiet."""
        version = int(request.query.get("resourceVersion", ["0"])[0] or 0)
        at = 0
        while True:
            with self.changed:
                while at == len(self.log) and version >= self.version and not self.is_closed:
                    self.changed.wait()
                if self.is_closed:
                    return
                news, at = self.log[at:], len(self.log)
                now = self.version
            for number, plural, kind, body in news:
                if plural == request.plural and number > version:
                    is_seen = self.selected(request, plural, body)
                    yield {"type": kind if is_seen else "DELETED", "object": body}
            version = now
            api_version, kind = RESOURCES[request.plural]
            yield {
                "type": "BOOKMARK",
                "object": {
                    "apiVersion": api_version,
                    "kind": kind,
                    "metadata": {"resourceVersion": str(now)},
                },
            }

    # ---- what tests do ----

    def put(self, plural, body, namespace=""):
        with self.changed:
            self.write(plural, (namespace, body["metadata"]["name"]), body)
            self.changed.notify_all()

    def patch(self, plural, name, patch, namespace=""):
        with self.changed:
            key = (namespace, name)
            self.write(plural, key, merge(self.objects[plural][key], patch))
            self.changed.notify_all()

    def delete(self, plural, name, namespace=""):
        with self.changed:
            self.drop(plural, (namespace, name))
            self.changed.notify_all()

    def get(self, plural, name, namespace=""):
        with self.changed:
            return copy.deepcopy(self.objects[plural].get((namespace, name)))

    def all(self, plural):
        with self.changed:
            return copy.deepcopy([o for _, o in sorted(self.objects[plural].items())])

    def writes(self, *plurals):
        with self.changed:
            return [
                r
                for r in self.requests
                if r.method != "GET" and (not plurals or r.plural in plurals)
            ]

    def wait(self, condition, deadline_s=60):
        """Until a condition on the store holds; it is asked whenever something came in."""
        end = time.monotonic() + deadline_s
        with self.changed:
            while not condition():
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"not within {deadline_s} s")
                self.changed.wait(min(left, 0.1))


class Endpoint:
    """GET of any path: `reply` is a function (path, query) -> (code, bytes), or sends by itself."""

    def __init__(self, reply):
        endpoint = self
        self.paths = []
        self.reply = reply

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are two writes

            def log_message(self, *_):
                pass

            def do_GET(self):
                parts = urllib.parse.urlsplit(self.path)
                endpoint.paths.append(self.path)
                answer = endpoint.reply(
                    urllib.parse.unquote(parts.path), urllib.parse.parse_qs(parts.query)
                )
                if callable(answer):
                    answer(self)
                    return
                code, body = answer
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = Server(Handler)
        self.url = self.server.url

    def stop(self):
        self.server.stop()


class Clock:
    """The clock of a simulator for one participant (docs/rules/programs.md#time)."""

    def __init__(self, api, start):
        self.api = api
        self.now_ms = start
        self.changed = threading.Condition()
        self.polls = 0
        self.due_ms = None
        self.is_answered = True
        self.is_closed = False
        self.endpoint = Endpoint(self.serve)
        self.url = self.endpoint.url

    @staticmethod
    def text(ms):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000))
        return f"{stamp}.{ms % 1000:03d}Z"

    @staticmethod
    def number(text):
        import calendar

        whole, _, rest = text.rstrip("Z").partition(".")
        seconds = calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S"))
        return seconds * 1000 + int((rest + "000")[:3])

    def serve(self, _path, query):
        with self.changed:
            self.polls += 1
            number = self.polls
            self.due_ms = self.number(query["due"][0]) if "due" in query else None
            self.is_answered = "after" not in query
            self.changed.notify_all()
            while not self.is_answered and self.polls == number and not self.is_closed:
                self.changed.wait()
        with self.api.changed:
            version = self.api.version
        return (
            200,
            json.dumps(
                {
                    "now": self.text(self.now_ms),
                    "resourceVersion": str(version),
                    "end": self.is_closed,
                }
            ).encode(),
        )

    def wait_for_poll(self, deadline_s=60):
        end = time.monotonic() + deadline_s
        with self.changed:
            while self.is_answered or self.polls == 0:
                if time.monotonic() > end:
                    raise AssertionError("no poll of the clock")
                self.changed.wait(0.1)

    def go_to(self, ms):
        """Through every due time up to ms, one acknowledged step after another."""
        self.wait_for_poll()
        while self.now_ms < ms:
            with self.changed:
                due = self.due_ms if self.due_ms is not None else ms
                self.now_ms = min(max(due, self.now_ms + 1), ms)
                self.is_answered = True
                self.changed.notify_all()
            self.wait_for_poll()

    def stop(self):
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        self.endpoint.stop()
