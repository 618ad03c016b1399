# SPDX-License-Identifier: Apache-2.0
"""client-go's reflector and ours follow the embedded API server through faults and restarts: at the
end both hold what the server has, and ours has not asked more often than there was a reason."""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from typing import Any

from checkout import DEV, ROOT

sys.path.insert(0, str(ROOT / "tests" / "programs" / "cluster_tools"))
sys.path.insert(0, str(ROOT / "tests" / "programs" / "apiserver"))

import build  # noqa: E402
from server import DEADLINE_S, MERGE, NODES, TWINS, Server, node, pod, twin  # noqa: E402

OURS = DEV / "bin" / "outside_reflect"
COLLECTIONS = (
    "v1/nodes",
    "v1/nodes?labelSelector=tier=a",
    "v1/pods",
    "v1/pods?namespace=joulie-system",
    "v1/pods?fieldSelector=spec.nodeName=n1",
    "joulie.io/v1alpha1/nodetwins",
    "joulie.io/v1alpha1/nodetwins?labelSelector=tier!=a",
    "coordination.k8s.io/v1/leases",
)
NAMES = 60  # of each kind, in each namespace
PAGE = 20  # objects; a list of ours has at most 2 * NAMES / PAGE + 1 pages
SETTLE_S = 60

LEASES = "/apis/coordination.k8s.io/v1/namespaces/joulie-system/leases"
FAULTS = {
    "cutStreams": 0.01,
    "gone": 0.01,
    "tooMany": 0.05,
    "internal": 0.05,
    "slowBytes": 0.05,
}


def path_of(collection: str) -> str:
    path, _, query = collection.partition("?")
    parts = path.split("/")
    prefix = "/api/" if len(parts) == 2 else "/apis/"
    asked = dict(urllib.parse.parse_qsl(query))
    if "namespace" in asked:
        parts[-1:] = ["namespaces", asked.pop("namespace"), parts[-1]]
    return prefix + "/".join(parts) + "?" + urllib.parse.urlencode(asked)


def contents(server: Server) -> Any:
    """The server's own lists, as the peers print theirs."""
    out: Any = {}
    for collection in COLLECTIONS:
        out[collection] = {}
        for item in server.get(path_of(collection)).json["items"]:
            meta = item["metadata"]
            key = f"{meta.get('namespace', '')}/{meta['name']}"
            out[collection][key] = [meta["uid"], meta["resourceVersion"]]
    return out


class Peer:
    """A program that follows COLLECTIONS and prints what it holds."""

    def __init__(self, name: str, command: list[str], environment: Any = None) -> None:
        self.name = name
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*command, *COLLECTIONS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=environment,
        )

    def dump(self) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def said(self) -> str:
        self.errors.seek(0)
        return self.errors.read()[-4000:]

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        code = self.process.wait(DEADLINE_S)
        self.process.stdout.close()
        said = self.said()
        self.errors.close()
        assert code == 0, f"{self.name} ended with {code}: {said}"


class Kind:
    """Objects of one collection that the work is done on."""

    def __init__(self, path: str, make: Any, update: Any, status: Any) -> None:
        self.path = path
        self.make = make  # name → document
        self.update = update  # merge patch of the object
        self.status = status  # merge patch of its status; None = it has none
        self.there: set[str] = set()


def lease(name: str) -> Any:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name},
        "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15},
    }


class Work:
    """Seeded writes of every sort, tried again where the server is made to fail."""

    def __init__(self, server: Server, seed: int) -> None:
        self.chance = random.Random(seed)
        self.done = 0
        self.start(server)

    def start(self, server: Server) -> None:
        """On a server with an empty store."""
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE_S)
        pods = "/api/v1/namespaces/{}/pods"
        self.kinds = [
            Kind(NODES, node, self.label, self.condition),
            Kind(pods.format("default"), pod, self.label, self.phase),
            Kind(pods.format("joulie-system"), pod, self.label, self.phase),
            Kind(TWINS, twin, self.profile, self.schedulable),
            Kind(LEASES, lease, self.holder, None),
        ]

    def close(self) -> None:
        self.connection.close()

    def pick(self, *words: str) -> str:
        return self.chance.choice(words)

    def label(self) -> Any:
        return {"metadata": {"labels": {"tier": self.pick("a", "b"), "step": str(self.done)}}}

    def condition(self) -> Any:
        return {"status": {"allocatable": {"cpu": str(self.done)}}}

    def phase(self) -> Any:
        return {"status": {"phase": self.pick("Pending", "Running"), "message": str(self.done)}}

    def profile(self) -> Any:
        return {**self.label(), "spec": {"profile": self.pick("eco", "performance")}}

    def schedulable(self) -> Any:
        return {"status": {"schedulableClass": self.pick("eco", "performance")}}

    def holder(self) -> Any:
        return {"spec": {"holderIdentity": str(self.done)}}

    def ask(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        text = None if body is None else json.dumps(body)
        for _ in range(100):
            self.connection.request(method, path, body=text, headers={"Content-Type": kind})
            response = self.connection.getresponse()
            answer = response.read()
            if response.status not in (429, 500):
                assert response.status in (200, 201), f"{method} {path}: {answer!r}"
                return json.loads(answer)
        raise AssertionError(f"{method} {path}: made to fail for ever")

    def create(self, kind: Kind, name: str) -> None:
        document = kind.make(name)
        document["metadata"]["labels"] = self.label()["metadata"]["labels"]
        if kind.make is pod and self.chance.random() < 0.5:
            document["spec"]["nodeName"] = self.pick("n1", "n2")
        self.ask("POST", kind.path, document)
        kind.there.add(name)

    def delete(self, kind: Kind, name: str) -> None:
        self.ask("DELETE", f"{kind.path}/{name}")
        kind.there.discard(name)

    def put(self, kind: Kind, name: str) -> None:
        document = self.ask("GET", f"{kind.path}/{name}")
        document["metadata"]["annotations"] = {"step": str(self.done)}
        self.ask("PUT", f"{kind.path}/{name}", document)

    def step(self) -> None:
        self.done += 1
        kind = self.chance.choice(self.kinds)
        name = f"n{self.chance.randrange(NAMES)}"
        path = f"{kind.path}/{name}"
        what = self.chance.random()
        if name not in kind.there:
            self.create(kind, name)
        elif what < 0.35:
            self.ask("PATCH", path, kind.update(), MERGE)
        elif what < 0.6 and kind.status:
            self.ask("PATCH", path + "/status", kind.status(), MERGE)
        elif what < 0.75:
            self.put(kind, name)
        else:
            self.delete(kind, name)
            if what > 0.87:
                self.create(kind, name)  # another uid

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.step()

    def begin_step(self) -> None:
        """A write whose answer nobody waits for."""
        name = f"half{self.done}"
        text = json.dumps(node(name))
        self.connection.request("POST", NODES, text, {"Content-Type": "application/json"})


class Case(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        try:
            cls.program = str(build.program("reflector"))
        except build.Missing as reason:
            raise unittest.SkipTest(str(reason))

    def serve(self, *arguments):
        server = Server(*arguments)
        self.addCleanup(server.close)
        return server

    def work_on(self, server, seed):
        work = Work(server, seed)
        self.addCleanup(work.close)
        return work

    def follow(self, server, speedup, **environment):
        """speedup: how many times shorter their waits are."""
        common = ["--server", server.url, "--speedup", str(speedup)]
        self.ours = Peer("ours", [str(OURS), *common, "--page", str(PAGE)])
        self.addCleanup(self.ours.close)
        self.theirs = Peer("client-go", [self.program, *common], environment or None)
        self.addCleanup(self.theirs.close)

    def wait_until(self, is_so, explain):
        end = time.monotonic() + SETTLE_S
        while not is_so():
            if time.monotonic() > end:
                self.fail(f"{explain()}\nours: {self.ours.said()}\nclient-go: {self.theirs.said()}")
            time.sleep(0.05)

    def differences(self, server):
        want = contents(server)
        out = []
        for peer in (self.ours, self.theirs):
            stores = peer.dump()["stores"]
            for collection in COLLECTIONS:
                has, is_there = stores[collection], want[collection]
                for key in sorted(set(has) | set(is_there)):
                    if has.get(key) != is_there.get(key):
                        out.append(
                            f"{peer.name} {collection} {key}:"
                            f" has {has.get(key)}, the server {is_there.get(key)}"
                        )
        return out

    def settle(self, server):
        """Both hold what the server has."""
        self.wait_until(
            lambda: not self.differences(server),
            lambda: "\n".join(self.differences(server)[:20]),
        )

    def watched(self, server):
        """Each watch of both is open."""
        self.wait_until(
            lambda: server.counts()["openWatches"] == 2 * len(COLLECTIONS),
            lambda: str(server.counts()),
        )

    def count(self, server, client, is_one=lambda row: True):
        rows = server.counts()["rows"]
        return sum(row["count"] for row in rows if row["client"] == client and is_one(row))

    def sum_of(self, name):
        return sum(counts[name] for counts in self.ours.dump()["counts"].values())


class Faults(Case):
    def play(self, steps, seed, **environment):
        """A server whose ring is so short that versions expire by themselves, and all the faults."""
        server = self.serve("--ring", "64")
        work = self.work_on(server, seed)
        work.steps(300)
        self.follow(server, 20, **environment)
        self.watched(server)
        self.assertEqual(server.post("/faults", {"seed": seed, **FAULTS}).code, 200)
        work.steps(steps)
        self.assertEqual(server.post("/faults", {}).code, 200)
        self.watched(server)
        self.settle(server)
        return server, work

    def check_bounds(self, server):
        faults = server.get("/faults").json["counts"]
        for name, struck in faults.items():
            self.assertGreater(struck, 0, f"{name} has not struck")
        counts = server.counts()
        self.assertGreater(counts["expired"], 0, "no version fell out of the ring")
        for name in ("expired", "broken", "waits"):
            self.assertGreater(self.sum_of(name), 0, name)
        for name in ("refused", "tooLong"):
            self.assertEqual(self.sum_of(name), 0, name)
        # One request for each reason to ask: the start, a request that failed, a stream that broke,
        # a version that has expired (some of those are the other's).
        failed = self.count(server, "outside_reflect", lambda row: row["code"] != 200)
        broken = faults["cutStreams"] + faults["gone"] + counts["expired"]
        reasons = len(COLLECTIONS) + failed + broken
        self.assertLessEqual(self.sum_of("watches"), reasons)
        self.assertLessEqual(self.sum_of("lists"), reasons)
        # a watch is counted when it ends
        requests = self.ours.dump()["requests"] + len(COLLECTIONS)
        self.assertLessEqual(requests, reasons * (1 + 2 * NAMES // PAGE + 1))
        self.assertEqual(requests, self.count(server, "outside_reflect"))

    def lists(self, server, client):
        return self.count(server, client, lambda row: row["verb"] == "list")

    def check_calm(self, server, work):
        """Without faults nobody asks again, however much is written."""
        before = self.ours.dump()["requests"]
        work.steps(40)
        self.settle(server)
        self.assertEqual(self.ours.dump()["requests"], before)

    def test_both_hold_what_the_server_has(self):
        server, work = self.play(3000, 1)
        self.check_bounds(server)
        self.check_calm(server, work)

    def test_with_lists_as_a_stream(self):
        """client-go as it is from 0.35 on: sendInitialEvents instead of lists."""
        server, _ = self.play(1000, 2, KUBE_FEATURE_WatchListClient="true")
        self.assertLess(self.lists(server, "reflector"), self.lists(server, "outside_reflect"))


class Quiet(Case):
    def test_without_faults_each_lists_and_watches_once(self):
        server = self.serve()
        work = self.work_on(server, 3)
        work.steps(300)
        self.follow(server, 1)
        self.watched(server)
        work.steps(2000)
        self.settle(server)
        for collection, counts in self.ours.dump()["counts"].items():
            self.assertEqual((counts["lists"], counts["watches"]), (1, 1), collection)
            for name in ("expired", "broken", "refused", "tooLong", "waits"):
                self.assertEqual(counts[name], 0, f"{collection} {name}")
        for verb in ("list", "watch"):
            asked = self.count(server, "reflector", lambda row, verb=verb: row["verb"] == verb)
            self.assertEqual(asked, len(COLLECTIONS), verb)


class Restarts(Case):
    def test_a_server_that_starts_again_with_nothing(self):
        """kill -9, ten times; the versions of the next one start from the beginning."""
        server = Server()
        address = f"127.0.0.1:{server.port}"
        work = self.work_on(server, 4)
        self.follow(server, 60)
        try:
            for _ in range(10):
                self.watched(server)
                work.steps(work.chance.randrange(60, 200))
                work.begin_step()
                server.process.kill()
                server.process.wait(DEADLINE_S)
                server.process.stdout.close()
                server.folder.cleanup()
                work.close()
                server = Server("--address", address)
                work.start(server)
                self.settle(server)
            self.watched(server)
            work.steps(200)
            self.settle(server)
            self.assertLessEqual(self.sum_of("lists"), 11 * 3 * len(COLLECTIONS))
        finally:
            server.close()


if __name__ == "__main__":
    unittest.main()
