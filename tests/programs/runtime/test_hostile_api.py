# SPDX-License-Identifier: Apache-2.0
"""An API server that answers as none should: operator, agent and scheduler stay alive and small, say what is wrong
in a few lines, and work again as soon as it does (docs/rules/clients.md).

One server for each misdeed and all three daemons beside it: what takes time is their backoff. First everything is
answered wrongly, so that no list comes; then watches and writes alone.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checkout import RELEASE, ROOT
from waiting import DEADLINE_S, wait_until

sys.path.insert(0, str(ROOT / "tests" / "programs" / "operator"))
sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

import hostile_api as hostile  # noqa: E402
import hostile_tls  # noqa: E402
from hosts import write_host  # noqa: E402

MORE = {
    "operator": [],
    "agent": ["--root", "machine", "--agent-mode", "daemonset", "--node-name", "n1"],
    "scheduler": ["--extender-addr", "127.0.0.1:0"],
}
KINDS = set(hostile.fakes.RESOURCES) - {"events"}
PATIENCE_S = 4 * DEADLINE_S  # a backoff waits up to 30 s and more after many failures
MOST_MIB = 48  # of a release's program; 15 without misdeeds
MOST_WITH_LIST_MIB = 48 + 4 * hostile.LIST_BYTES // 2**20  # the text, while it grows
MOST_LINES = 10 * len(KINDS)  # of a log
OPAQUE = {hostile.huge_versions}  # versions of "0" or of forty digits are as good as others: not all have to be warned of
TRIES = 8  # that a door sees before it is good again
MOST_AT_ONCE = 40  # connections of a program that finds its server gone
MOST_TRIES_S = 10  # and then, a second
IDLE_CONNECTIONS = 8  # that a program may keep for the next call


class Daemon:
    def __init__(self, name, folder, *where):
        self.name = f"joulie-{name}"
        self.log_file = folder / f"{name}.log"
        command = [RELEASE / "bin" / self.name, *where, "--metrics-addr", "127.0.0.1:0", *MORE[name]]
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    def is_ready(self):
        found = re.search(r"metrics and probes at (http://[^\s\"]+)", self.log)
        if not found:
            return False
        try:
            with urllib.request.urlopen(found.group(1) + "/readyz", timeout=DEADLINE_S) as answer:
                return answer.status == 200
        except urllib.error.HTTPError:
            return False

    def follows_all(self):
        """The last that was logged of each kind: it was listed."""
        last = dict(re.findall(r'component=kube msg="(\w+): (.*)"', self.log))
        good = ("followed again", "resourceVersion went back from")
        return all(said.startswith(good) for kind, said in last.items() if kind in KINDS)

    def most_mib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) // 1024

    def descriptors(self):
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def end(self):
        self.process.terminate()
        try:
            return self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Stage:
    """A server and the three, for one misdeed."""

    def __init__(self, misdeed, folder):
        self.misdeed = misdeed
        write_host("intel-2s", folder / "machine")
        self.api = hostile.HostileApi()
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.api.put("nodes", {"metadata": {"name": "n1", "labels": {"joulie.io/managed": "true"}}})
        spec = {"nodeName": "n1", "profile": "eco", "cpu": {"packagePowerCapWatts": 120}}
        self.api.put("nodetwins", {"metadata": {"name": "n1"}, "spec": spec, "status": {"lastUpdated": now}})
        self.daemons = self.start(folder)

    def start(self, folder):
        self.api.behave(self.misdeed)
        return [Daemon(name, folder, "--server", self.api.url) for name in MORE]

    def wait(self, what, condition):
        def whole():
            gone = [each.name for each in self.daemons if each.process.poll() is not None]
            if gone:
                raise AssertionError(f"{gone} ended: {self.logs()}")
            return all(condition(each) for each in self.daemons)

        wait_until(lambda: f"{what}; {self.logs()}", whole, PATIENCE_S)

    def logs(self):
        return "\n".join(f"--- {each.name}\n{each.log[-3000:]}" for each in self.daemons)

    def suffer(self, times, **how):
        self.api.behave(self.misdeed, **how)
        self.wait("they ask", lambda each: self.api.suffered[each.name] >= times)

    def recover(self):
        self.api.behave()
        self.wait("they ask again", lambda each: self.api.served[each.name] > 0)
        self.wait("they are ready", Daemon.is_ready)
        self.wait("they follow what they followed", Daemon.follows_all)

    def judge(self, most_mib):
        for each in self.daemons:
            lines = each.log.splitlines()
            said = [line for line in lines if re.search(r"level=(warn|error)|\b(WARN|ERROR)\b", line)]
            if each.most_mib() > most_mib:
                raise AssertionError(f"{each.name} took {each.most_mib()} MiB")
            is_quiet = not said and self.misdeed not in OPAQUE
            if is_quiet or len(lines) > MOST_LINES:
                raise AssertionError(f"{each.name} wrote {len(lines)} lines, {len(said)} of them warn: {self.logs()}")

    def close(self):
        codes = {each.name: each.end() for each in self.daemons}
        self.api.stop()
        return codes


class TlsStage(Stage):
    """The misdeed is one of hostile_tls. Each daemon comes by a door of its own."""

    def start(self, folder):
        hostile_tls.make_certificates(folder)
        self.doors = {name: hostile_tls.Door(folder, self.api.url) for name in MORE}
        return [self.start_one(name, folder) for name in MORE]

    def start_one(self, name, folder):
        config = folder / f"{name}.kubeconfig"
        cluster = {"server": self.doors[name].url, "certificate-authority": str(folder / "ca.crt")}
        parts = {
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": "t"}}],
        }
        config.write_text(json.dumps({"current-context": "c", **parts}))
        return Daemon(name, folder, "--kubeconfig", str(config))

    def wait_good(self):
        self.wait("they are ready", Daemon.is_ready)
        self.wait("they follow what they followed", Daemon.follows_all)

    def suffer_below_http(self):
        before = {each.name: self.door(each).connections for each in self.daemons}
        began_s = time.monotonic()
        for door in self.doors.values():
            door.behave(self.misdeed)
        words = re.compile(hostile_tls.MISDEEDS[self.misdeed], re.IGNORECASE)
        self.wait("they try again", lambda each: self.door(each).connections >= before[each.name] + TRIES)
        self.wait("they say why", lambda each: words.search(each.log))
        self.took_s = time.monotonic() - began_s
        self.tries = {each.name: self.door(each).connections - before[each.name] for each in self.daemons}

    def door(self, daemon):
        return self.doors[daemon.name.split("-")[1]]

    def judge_connections(self, descriptors):
        for each in self.daemons:
            most = MOST_AT_ONCE + MOST_TRIES_S * self.took_s
            if self.tries[each.name] > most:
                raise AssertionError(f"{each.name} tried {self.tries[each.name]} times in {self.took_s:.1f} s")
            wait_until(
                lambda each=each: f"{each.name} gives {each.descriptors()} descriptors back to {descriptors[each.name]}",
                lambda each=each: each.descriptors() <= descriptors[each.name] + IDLE_CONNECTIONS,
                PATIENCE_S,
            )

    def close(self):
        codes = super().close()
        for door in self.doors.values():
            door.stop()
        return codes


def play_below_http(misdeed):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        stage = TlsStage(misdeed, Path(folder))
        try:
            stage.wait_good()
            descriptors = {each.name: each.descriptors() for each in stage.daemons}
            stage.suffer_below_http()
            for door in stage.doors.values():
                door.behave()
            stage.wait_good()
            stage.judge_connections(descriptors)
            stage.judge(MOST_MIB)
        except AssertionError as error:
            return str(error)
        finally:
            codes = stage.close()
        return None if set(codes.values()) == {0} else f"ended with {codes}: {stage.logs()}"


def play(misdeed, most_mib=MOST_MIB, times=2):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(misdeed, Path(folder))
        try:
            stage.suffer(times)
            stage.recover()
            stage.suffer(1, only_after_lists=True)
            stage.recover()
            stage.judge(most_mib)
        except AssertionError as error:
            return str(error)
        finally:
            codes = stage.close()
        return None if set(codes.values()) == {0} else f"ended with {codes}: {stage.logs()}"


class Misdeeds(unittest.TestCase):
    def test_none_ends_a_daemon_or_makes_it_talk_or_grow_or_give_up(self):
        with ThreadPoolExecutor(len(hostile.MISDEEDS)) as pool:
            played = {misdeed: pool.submit(play, misdeed) for misdeed in hostile.MISDEEDS}
        for misdeed, future in played.items():
            with self.subTest(misdeed.__name__):
                self.assertIsNone(future.result())

    def test_none_below_http_does_either_or_leaves_a_descriptor_behind(self):
        with ThreadPoolExecutor(len(hostile_tls.MISDEEDS)) as pool:
            played = {misdeed: pool.submit(play_below_http, misdeed) for misdeed in hostile_tls.MISDEEDS}
        for misdeed, future in played.items():
            with self.subTest(misdeed.__name__):
                self.assertIsNone(future.result())

    def test_a_list_of_100_mib_takes_the_memory_of_a_list_and_no_more(self):
        self.assertIsNone(play(hostile.large_list, MOST_WITH_LIST_MIB, 1))


if __name__ == "__main__":
    unittest.main()
