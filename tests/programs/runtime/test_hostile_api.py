# SPDX-License-Identifier: Apache-2.0
"""An API server that answers as none should: operator, agent and scheduler stay alive and small, say what is wrong
in a few lines, and work again as soon as it does (docs/rules/clients.md).

One server for each misdeed and all three daemons beside it: what takes time is their backoff. First everything is
answered wrongly, so that no list comes; then watches and writes alone.
"""

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
MOST_LINES = 60  # of a log


class Daemon:
    def __init__(self, name, server, folder):
        self.name = f"joulie-{name}"
        self.log_file = folder / f"{name}.log"
        command = [RELEASE / "bin" / self.name, "--server", server, "--metrics-addr", "127.0.0.1:0", *MORE[name]]
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    def is_ready(self):
        found = re.search(r"metrics and probes at (http://[^\s\"]+)", self.log)
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
        self.api.behave(misdeed)
        self.daemons = [Daemon(name, self.api.url, folder) for name in MORE]

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
            if not said or len(lines) > MOST_LINES:
                raise AssertionError(f"{each.name} wrote {len(lines)} lines, {len(said)} of them warn: {self.logs()}")

    def close(self):
        codes = {each.name: each.end() for each in self.daemons}
        self.api.stop()
        return codes


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

    def test_a_list_of_100_mib_takes_the_memory_of_a_list_and_no_more(self):
        self.assertIsNone(play(hostile.large_list, MOST_WITH_LIST_MIB, 1))


if __name__ == "__main__":
    unittest.main()
