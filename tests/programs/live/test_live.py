# SPDX-License-Identifier: Apache-2.0
"""The programs together: simulator, operator, extender and agents as separate processes in lockstep.

What is decided must be what `joulie simulate` decides in one process over the same inputs: line by
line, also when daemons are killed in the middle, and when the server breaks their streams.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "docs" / "examples" / "demo"
sys.path.insert(0, str(DEMO))

import live  # noqa: E402

RELEASE = Path(os.environ["JOULIE_RELEASE_BUILD"]) / "bin"
DEV = Path(os.environ["JOULIE_DEV_BUILD"]) / "bin"
JOULIE = RELEASE / "joulie"
KILLS = 200  # of each daemon, over the test
MOST_CALLS = 0.2  # API calls per node and simulated minute, in steady state
WAIT_S = 240.0
FAULTS = 5  # of each kind; one costs a second or more of waiting, as it should
MINUTE_S = 60
TWINS = "/apis/joulie.io/v1alpha1/nodetwins"
HARDWARE = "/apis/joulie.io/v1alpha1/nodehardwares"
NODES = "/api/v1/nodes"
# A small floor, so that performance pods decide: profiles change often enough.
POLICY = {"type": "queue_aware_v1", "queueHpBaseFrac": 0.1, "queueHpMin": 1, "gpuEcoCapPctOfMax": 70}
KEEPS_CAPS = {"RESTORE_ON_EXIT": "false"}


def prepare(folder: Path, nodes: int, hours: float, seed: int, **options: Any) -> None:
    """A trace, and what one process decides about it, in FOLDER/expected."""
    rate = options.pop("rate", 0.8)
    placement = options.pop("placement", "joulie")
    policy = {**POLICY, **options}
    (folder / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    made = subprocess.run(
        [str(JOULIE), "workload", "generate", "--mode", "diurnal", "--hours", str(hours)]
        + ["--seed", str(seed), "--peak-rate", str(rate), "--gpu-ratio", "0.4"]
        + ["--burst-min", "2", "--burst-max", "8", "--max-duration", "1800"]
        + ["--base-speed-per-core", "1"],
        stdout=subprocess.PIPE,
        check=True,
    )
    (folder / "trace.jsonl").write_bytes(made.stdout)
    subprocess.run(
        [str(JOULIE), "simulate", "--inventory", str(DEMO / "inventory.yaml")]
        + ["--nodes", str(nodes), "--trace", str(folder / "trace.jsonl"), "--seed", str(seed)]
        + ["--policy", str(folder / "policy.json"), "--out", str(folder / "expected")]
        + ["--compare", "none", "--placement", placement],
        stdout=subprocess.DEVNULL,
        check=True,
    )


def read_json(file: Path) -> dict[str, Any]:
    found = json.loads(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def ask_library(question: str, document: dict[str, Any]) -> Any:
    done = subprocess.run(
        [str(JOULIE), "ask", question, "-"],
        input=json.dumps(document).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def instant(seconds: float) -> str:
    """RFC 3339 of a virtual time."""
    whole, milli = divmod(round(seconds * 1000), 1000)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START_S + whole))
    return f"{stamp}.{milli:03d}Z"


START_S = 1767225600  # 2026-01-01T00:00:00Z, virtual time 0


class Cluster(live.Live):
    """The processes over a prepared folder."""

    def __init__(
        self,
        folder: Path,
        nodes: int,
        bin: Path = RELEASE,
        more: Sequence[str] = (),
        name: str = "live",
        **options: Any,
    ) -> None:
        words = ["--sim-inventory-path", str(DEMO / "inventory.yaml"), "--nodes", str(nodes)]
        words += ["--sim-workload-trace-path", str(folder / "trace.jsonl"), *more]
        options.setdefault("step_deadline", "60s")
        super().__init__(bin, folder / name, words, read_json(folder / "policy.json"), **options)

    def all(self) -> list[live.Daemon]:
        return [self.simulator, *self.daemons.values()]

    def wait(self, what: str, condition: Callable[[], Any], wait_s: float = WAIT_S) -> Any:
        """The first true answer; the deadline only ends a test that would fail."""
        limit = time.monotonic() + wait_s
        while True:
            found = condition()
            if found:
                return found
            if self.fallen():
                raise AssertionError(f"{self.fallen()} ended:\n{self.logs()}")
            if time.monotonic() > limit:
                raise AssertionError(f"not within {wait_s:.0f} s: {what}\n{self.logs()}")
            time.sleep(0.01)

    def finish(self) -> int:
        """Waits for the simulator; its exit status."""
        self.wait("the end", lambda: self.simulator.status() is not None)
        assert self.simulator.process is not None
        return self.simulator.process.wait()

    def reach(self, seconds: float) -> None:
        """Waits for a virtual time, or the end."""

        def is_there() -> bool:
            view = self.view()
            return bool(view["timeS"] >= seconds or view["isFinished"])

        self.wait(f"virtual time {seconds}", is_there)

    def reach_end(self) -> None:
        self.reach(float("inf"))

    def logs(self) -> str:
        return "\n".join(f"{one.name}: {one.log.read_text()[-2000:]}" for one in self.all())

    def summary(self) -> dict[str, Any]:
        return read_json(self.out / "summary.json")

    def ask(self, path: str, body: Optional[dict[str, Any]] = None, method: str = "") -> Any:
        data = json.dumps(body).encode() if body is not None else None
        kind = "merge-patch+json" if method == "PATCH" else "json"
        request = urllib.request.Request(self.api + path, data=data, method=method or None)
        request.add_header("Content-Type", f"application/{kind}")
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.loads(reply.read())

    def by_node(self, path: str) -> dict[str, Any]:
        return {item["spec"]["nodeName"]: item for item in self.ask(path)["items"]}

    def requests(self) -> Counter[tuple[str, str, str]]:
        """Good requests to the API by client, verb and resource."""
        count: Counter[tuple[str, str, str]] = Counter()
        for row in json.loads(live.fetch(self.url + "/debug/requests")):
            if row["code"] < 300:
                count[row["client"], row["verb"], row["resource"]] += row["count"]
        return count

    def state(self, node: str) -> dict[str, Any]:
        found = json.loads(live.fetch(f"{self.url}/state/{node}"))["state"]
        assert isinstance(found, dict)
        return found

    def cap_differences(self) -> list[str]:
        """Nodes whose caps are not those that their twins ask for (question cap.remote)."""
        out = []
        hardware = self.by_node(HARDWARE)
        for name, twin in self.by_node(TWINS).items():
            asked = ask_library(
                "cap.remote",
                {
                    "options": {"lenient": True},
                    "hardware": hardware[name],
                    "spec": twin["spec"],
                    "now": instant(0),
                },
            )
            state = self.state(name)
            for request, key, found in (
                ("request", "capWatts", "targetCapWatts"),
                ("gpuRequest", "capWattsPerGpu", "gpuCapWattsPerGpuTarget"),
            ):
                watts = asked.get(request, {}).get(key)
                if watts is not None and abs(watts - state[found]) > 0.01:
                    out.append(f"{name}: {key} {watts} is asked for, {state[found]} in force")
        return out


WRITES = ("create", "update", "patch", "delete")


def writes(requests: Counter[tuple[str, str, str]]) -> Counter[tuple[str, str]]:
    """By client and resource."""
    found: Counter[tuple[str, str]] = Counter()
    for (client, verb, resource), count in requests.items():
        if verb in WRITES:
            found[client, resource] += count
    return found


def cpu_s(process: subprocess.Popen[bytes]) -> float:
    """User and system time."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def private_kib(process: subprocess.Popen[bytes]) -> int:
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty:"):
            return int(line.split()[1])
    raise AssertionError("no Private_Dirty")


def descriptors(process: subprocess.Popen[bytes]) -> int:
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def threads(process: subprocess.Popen[bytes]) -> int:
    return len(os.listdir(f"/proc/{process.pid}/task"))


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, cluster: Cluster) -> Cluster:
        self.addCleanup(cluster.stop)
        cluster.start()
        return cluster

    def play(self, cluster: Cluster) -> dict[str, Any]:
        self.start(cluster)
        self.assertEqual(cluster.finish(), 0, cluster.logs())
        return cluster.summary()

    def expected(self) -> dict[str, Any]:
        return read_json(self.folder / "expected" / "summary.json")

    def same(self, cluster: Cluster) -> None:
        """The decisions of one process, and decisions that are worth comparing."""
        found = live.differences(
            self.folder / "expected" / "decisions.csv", cluster.out / "decisions.csv"
        )
        self.assertEqual(found[:5], [], cluster.logs())
        self.assertGreater(self.expected()["transitions"], 0)
        written = (cluster.out / "decisions.csv").read_text()
        for profile in ("performance", "eco"):
            self.assertRegex(written, rf"\n[1-9][0-9.]*,[^,]*,{profile},", "no node changed to it")


class Together(Case):
    def test_separate_processes_decide_what_one_process_decides(self) -> None:
        for seed in (1, 2):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as name:
                self.folder = Path(name)
                prepare(self.folder, 9, 3, seed)
                cluster = Cluster(self.folder, 9)
                summary = self.play(cluster)
                self.same(cluster)
                for key in ("podsCompleted", "itEnergyKwh", "makespanS", "decisions"):
                    self.assertEqual(summary[key], self.expected()[key], key)
                self.assertEqual(summary["lateSteps"], 0)

    def test_caps_that_follow_work_are_those_of_one_process(self) -> None:
        """efficiency_v1 reads profiles, bound pods and what waits, each of a watch of its own; and
        the extender goes by the same work."""
        prepare(self.folder, 12, 3, 1, type="efficiency_v1", placement="efficiency", rate=2.0)
        words = ["--placement", "efficiency", "--workload-profiles"]
        variables = {"SCORING_PROFILE": "efficiency"}
        cluster = Cluster(self.folder, 12, more=words, variables=variables)
        summary = self.play(cluster)
        decided, written = (
            (folder / "decisions.csv").read_text() for folder in (self.folder / "expected", cluster.out)
        )
        self.assertEqual(decided, written, cluster.logs())
        self.assertGreater(len({row.split(",")[6] for row in decided.splitlines()[1:]}), 3, decided)
        for key in ("podsCompleted", "itEnergyKwh", "makespanS", "decisions"):
            self.assertEqual(summary[key], self.expected()[key], key)

    def test_two_pools_of_agents_share_the_nodes(self) -> None:
        prepare(self.folder, 9, 3, 1)
        cluster = Cluster(self.folder, 9, agents=2)
        self.play(cluster)
        self.same(cluster)

    def test_an_agent_on_each_node(self) -> None:
        """Alone, an agent steps at multiples of its interval: only a pool knows of the others, and
        spreads their steps. So energy differs in the digits behind; here no decision does.
        """
        prepare(self.folder, 6, 3, 1)
        rows = (self.folder / "expected" / "decisions.csv").read_text().splitlines()
        nodes = sorted({row.split(",")[1] for row in rows[1:]})
        options = {"exits": False, "variables": KEEPS_CAPS, "agent_nodes": nodes}
        cluster = self.start(Cluster(self.folder, len(nodes), **options))
        cluster.reach_end()
        self.same(cluster)
        self.assertEqual(len(cluster.daemons), len(nodes) + 2)
        self.assertEqual(cluster.summary()["lateSteps"], 0)
        self.assertEqual(cluster.cap_differences(), [])

    def test_no_daemon_has_a_second_thread(self) -> None:
        prepare(self.folder, 6, 1, 4)
        cluster = self.start(Cluster(self.folder, 6))
        counts: set[int] = set()
        while cluster.simulator.status() is None:
            for each in cluster.all():
                if each.process is not None and each.status() is None:
                    try:
                        counts.add(threads(each.process))
                    except FileNotFoundError:
                        pass
        self.assertEqual(counts, {1})

    def test_the_sanitizers_find_nothing_in_a_day_of_all_programs(self) -> None:
        prepare(self.folder, 6, 3, 1)
        cluster = Cluster(self.folder, 6, bin=DEV)
        self.play(cluster)
        self.same(cluster)
        for each in cluster.daemons.values():
            self.assertEqual(each.end(), 0, cluster.logs())
        self.assertNotIn("Sanitizer", cluster.logs())
        self.assertNotIn("runtime error", cluster.logs())

    def test_a_fleet_in_steady_state_is_left_alone(self) -> None:
        prepare(self.folder, 41, 1, 1)
        cluster = Cluster(self.folder, 41)
        summary = self.play(cluster)
        self.assertLessEqual(summary["apiCallsPerNodeMinute"], MOST_CALLS)


class Chaos:
    """A participant of the clock that kills the others.

    Time stands still while it is its turn. With the order of its victim it has its turn together
    with it, and kills it in the middle of its step; with another order before or after it.
    """

    WHO = "chaos"
    ORDERS = {"joulie-operator": 10, "joulie-scheduler": 20}
    BEFORE, AGENTS, AFTER = 5, 30, 40

    def __init__(self, cluster: Cluster, seed: int, nodes: int, victims: Sequence[str]) -> None:
        self.cluster = cluster
        self.chance = random.Random(seed)
        self.nodes = nodes
        self.kills = {name: 0 for name in cluster.daemons if name.startswith(tuple(victims))}
        self.in_steps = 0

    def order_of(self, victim: str) -> int:
        return self.ORDERS.get(victim, self.AGENTS)

    def plan(self, minute: int) -> list[tuple[float, int, str, bool]]:
        """Time, order, victim, and whether it is killed in its step."""
        chance = self.chance
        out = []
        victims = sorted(self.kills, key=lambda name: (self.kills[name], chance.random()))[:4]
        for victim in victims:
            is_agent = self.order_of(victim) == self.AGENTS
            offset_s = 20 * chance.randrange(self.nodes) / self.nodes if is_agent else 0
            at_s = minute * MINUTE_S + int(offset_s * 1000) / 1000
            if chance.random() < 0.6:
                out.append((at_s, self.order_of(victim), victim, True))
            elif chance.random() < 0.5:
                order = chance.choice((self.BEFORE, self.AFTER))
                out.append((at_s, order, victim, False))
            else:
                at_s = minute * MINUTE_S + chance.randrange(1, MINUTE_S * 1000) / 1000
                out.append((at_s, self.BEFORE, victim, False))
        return sorted(out)

    def poll(self, after: str, at_s: float, order: int) -> Optional[str]:
        """None = the simulation has ended."""
        query = {"who": self.WHO, "order": order}
        if after:
            query.update(after=after, due=instant(at_s))
        url = f"{self.cluster.url}/clock?{urllib.parse.urlencode(query)}"
        answer = json.loads(live.fetch(url, timeout=WAIT_S))
        return None if answer["end"] else answer["now"]

    def kill(self, victim: str) -> None:
        daemon = self.cluster.daemons[victim]
        daemon.end(signal.SIGKILL)
        self.kills[victim] += 1
        daemon.start()
        if victim == "joulie-scheduler":
            self.await_extender()

    def await_extender(self) -> None:
        """What nobody answers is asked again after a second: time for a few of these only."""
        daemon = self.cluster.daemons["joulie-scheduler"]
        address = daemon.command[daemon.command.index("--metrics-addr") + 1]
        while self.chance.random() > 0.05:
            try:
                live.fetch(f"http://{address}/readyz")
                return
            except (OSError, urllib.error.URLError):
                time.sleep(0.002)

    def play(self) -> None:
        now = self.poll("", 0, self.BEFORE)
        minute = 0
        while now:
            minute += 1
            for at_s, order, victim, is_in_step in self.plan(minute):
                if instant(at_s) < now:
                    continue
                if instant(at_s) > now:  # else it is its turn already
                    now = self.poll(now, at_s, order)
                if not now:
                    return
                if is_in_step:
                    time.sleep(self.chance.random() * 0.004)
                    self.in_steps += 1
                self.kill(victim)
                if self.chance.random() < 0.1:  # and while it starts
                    time.sleep(self.chance.random() * 0.02)
                    self.kill(victim)


# Of the trend of power, which is in the scores that pods are placed by, an operator that is started
# anew has what the twins say, not each reading. Everything else that it decides by is in the
# objects.
FORGETTABLE = {"placement": "least-allocated"}


class Kills(Case):
    NODES = 6
    SEED = 1

    def kill(self, hours: float, victims: Sequence[str], **options: Any) -> dict[str, int]:
        """Plays a trace whole, and with kills; every promise about both is checked."""
        words = ["--placement", options.get("placement", "joulie")]
        prepare(self.folder, self.NODES, hours, self.SEED, **options)
        keeps: dict[str, Any] = {"exits": False, "variables": KEEPS_CAPS, "agents": 2}
        whole = Cluster(self.folder, self.NODES, name="whole", more=words, **keeps)
        self.start(whole)
        whole.reach_end()
        words += ["--extender-ignorable", "false"]
        cluster = Cluster(self.folder, self.NODES, more=words, others=[Chaos.WHO], **keeps)
        self.start(cluster)
        chaos = Chaos(cluster, self.SEED, self.NODES, victims)
        chaos.play()
        cluster.reach_end()
        self.same(whole)
        self.same(cluster)
        self.assertEqual(cluster.summary()["lateSteps"], 0)
        for key in ("itEnergyKwh", "podsCompleted", "makespanS"):
            self.assertEqual(cluster.summary()[key], whole.summary()[key], key)
        self.assertEqual(whole.cap_differences(), [])
        self.assertEqual(cluster.cap_differences(), [])
        self.little_is_written_again(whole, cluster, chaos.kills)
        return chaos.kills

    def little_is_written_again(
        self, whole: Cluster, cluster: Cluster, kills: dict[str, int]
    ) -> None:
        """What a restart may repeat: the heartbeat, twice (the first step beats, and so does the
        end of the interval that began with the start); now and then a status whose scores moved
        for want of a trend of power; an Event that is counted up anew."""
        before, after = writes(whole.requests()), writes(cluster.requests())
        restarts = kills.get("joulie-operator", 0)
        for key in sorted(before.keys() | after.keys()):
            client, resource = key
            most = {"leases": 2 * restarts, "nodetwins": restarts // 2, "events": restarts // 4}
            allowed = most.get(resource, 0) if client == "joulie-operator" else restarts // 20
            self.assertLessEqual(after[key], before[key] + allowed, f"{key} {before} {after}")

    def test_all_daemons_are_killed_and_nothing_is_lost(self) -> None:
        kills = self.kill(4, ["joulie-operator", "joulie-scheduler", "joulie-agent"], **FORGETTABLE)
        self.assertGreaterEqual(min(kills.values()), KILLS, kills)

    def test_an_extender_and_agents_forget_nothing(self) -> None:
        kills = self.kill(2, ["joulie-scheduler", "joulie-agent"])
        self.assertGreaterEqual(min(kills.values()), 50, kills)


class Trouble(Case):
    def test_faults_of_the_server_change_no_decision(self) -> None:
        prepare(self.folder, 6, 2, 1)
        # longer than waits of 30 s in a row, which a cache that was hit often comes to
        cluster = self.start(Cluster(self.folder, 6, exits=False, step_deadline="240s"))
        names = ("cutStreams", "gone", "tooMany", "internal", "slowBytes")
        for i, name in enumerate(names):
            cluster.ask("/faults", {"seed": 7, "limit": FAULTS, name: 0.2})
            cluster.reach((i + 1) * 20 * MINUTE_S)
        cluster.reach_end()
        self.same(cluster)
        found = cluster.ask("/faults")["counts"]
        self.assertEqual([name for name, count in found.items() if count == 0], [], found)
        self.assertEqual(cluster.summary()["lateSteps"], 0)
        # each fault costs at most a list and a watch of each cache of a daemon
        view = cluster.view()
        rate = cluster.summary()["apiCallsPerNodeMinute"]
        self.assertLessEqual(view["apiWatches"], 15 + 3 * sum(found.values()))
        self.assertLessEqual(rate, 1)

    def late_steps(self, cluster: Cluster) -> int:
        for line in live.fetch(cluster.url + "/metrics").decode().splitlines():
            if line.startswith('joulie_sim_late_steps_total{who="joulie-operator"}'):
                return int(float(line.split()[-1]))
        return 0

    def test_time_goes_on_without_one_that_hangs(self) -> None:
        prepare(self.folder, 6, 3, 1)
        cluster = Cluster(self.folder, 6, exits=False, variables=KEEPS_CAPS, step_deadline="500ms")
        self.start(cluster)
        operator = cluster.daemons["joulie-operator"].process
        assert operator is not None
        cluster.reach(20 * MINUTE_S)
        operator.send_signal(signal.SIGSTOP)
        stopped_s = cluster.view()["timeS"]
        cluster.wait("a late step", lambda: self.late_steps(cluster))
        cluster.reach(stopped_s + 10 * MINUTE_S)
        operator.send_signal(signal.SIGCONT)
        decisions = cluster.view()["decisions"]
        cluster.reach_end()
        self.assertGreater(cluster.view()["decisions"], decisions, "it did not catch up")
        self.assertEqual(cluster.cap_differences(), [])

    def test_nobody_spins_when_the_simulator_is_gone(self) -> None:
        prepare(self.folder, 6, 3, 1)
        cluster = self.start(Cluster(self.folder, 6, variables=KEEPS_CAPS))
        cluster.reach(30 * MINUTE_S)
        cluster.simulator.end(signal.SIGKILL)
        processes = [each.process for each in cluster.daemons.values() if each.process]
        before = [cpu_s(process) for process in processes]
        time.sleep(3)
        used = [cpu_s(process) - start for process, start in zip(processes, before)]
        self.assertLess(max(used), 0.3, cluster.logs())
        self.assertEqual(cluster.fallen(), [])
        for process in processes:
            lines = [one for one in cluster.daemons.values() if one.process is process]
            self.assertLess(len(lines[0].log.read_text().splitlines()), 100, cluster.logs())

    def test_a_node_that_comes_back_is_another_one(self) -> None:
        prepare(self.folder, 6, 3, 1)
        cluster = self.start(Cluster(self.folder, 6, exits=False, variables=KEEPS_CAPS))
        cluster.reach(20 * MINUTE_S)
        name = sorted(cluster.by_node(TWINS))[0]
        node = cluster.ask(f"{NODES}/{name}")
        old = cluster.by_node(TWINS)[name]["metadata"]["uid"]
        cluster.ask(f"{NODES}/{name}", method="DELETE")
        cluster.wait("the twin is gone", lambda: name not in cluster.by_node(TWINS))
        for key in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"):
            node["metadata"].pop(key, None)
        made = cluster.ask(NODES, node)
        cluster.ask(f"{NODES}/{name}/status", {"status": node["status"]}, "PATCH")
        cluster.wait("a twin", lambda: name in cluster.by_node(TWINS))
        self.assertNotEqual(cluster.by_node(TWINS)[name]["metadata"]["uid"], old)
        self.assertNotEqual(made["metadata"]["uid"], "")
        cluster.reach_end()
        self.assertEqual(cluster.cap_differences(), [])
        self.assertEqual(cluster.fallen(), [])

    def test_two_agents_for_one_node_agree(self) -> None:
        prepare(self.folder, 6, 2, 1)
        pool = Cluster(self.folder, 6, name="pool", exits=False, variables=KEEPS_CAPS)
        self.start(pool)
        pool.reach_end()
        name = sorted(pool.by_node(TWINS))[0]
        who = f"joulie-agent-{name}"
        both = Cluster(self.folder, 6, name="both", exits=False, variables=KEEPS_CAPS, others=[who])
        first = both.daemons["joulie-agent-0"]
        command = list(first.command[1:])
        command[command.index("pool")] = "daemonset"
        command[command.index("--metrics-addr") + 1] = "127.0.0.1:0"
        both.daemons[who] = live.Daemon(
            who,
            Path(first.command[0]),
            [*command, "--node-name", name],
            first.environment,
            both.out / "second.log",
        )
        self.start(both)
        both.reach_end()
        self.assertEqual(both.cap_differences(), [])
        key = ("joulie-agent", "nodetwins")
        most = 2 * writes(pool.requests())[key]
        self.assertLessEqual(writes(both.requests())[key], most)


class Soak(Case):
    DAYS = 30
    DAY_S = 86400
    INTERVALS = {  # longer than usual, or 30 days would take a quarter of an hour
        "joulie-operator": ["--reconcile-interval", "5m", "--heartbeat-interval", "5m"],
        "joulie-scheduler": ["--step-interval", "5m"],
        "joulie-agent-0": ["--reconcile-interval", "2m"],
    }

    def test_thirty_days_cost_no_memory_and_no_descriptors(self) -> None:
        prepare(self.folder, 3, 24 * self.DAYS, 1, rate=0.02)
        ages = {"TWIN_STALENESS_THRESHOLD": "15m"}
        more = ["--hours", str(24 * self.DAYS), "--api-ring-events", "2048"]
        cluster = Cluster(self.folder, 3, exits=False, more=more, variables=ages)
        for name, words in self.INTERVALS.items():
            cluster.daemons[name].command += words
        self.start(cluster)
        cluster.reach(3 * self.DAY_S)
        before = self.measure(cluster)
        cluster.reach((self.DAYS - 1) * self.DAY_S)
        after = self.measure(cluster)
        for name, (kib, files) in after.items():
            # the simulator keeps its tables: jobs, decisions, and a row per node and hour
            more_kib = 4096 if name == "joulie-simulator" else 512
            self.assertLessEqual(kib, before[name][0] + more_kib, f"{name} {before} {after}")
            self.assertLessEqual(files, before[name][1] + 2, f"{name} {before} {after}")
        self.assertGreater(cluster.view()["completed"], 100)

    def measure(self, cluster: Cluster) -> dict[str, tuple[int, int]]:
        return {
            each.name: (private_kib(each.process), descriptors(each.process))
            for each in cluster.all()
            if each.process is not None
        }


if __name__ == "__main__":
    unittest.main()
