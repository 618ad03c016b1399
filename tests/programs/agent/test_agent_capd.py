# SPDX-License-Identifier: Apache-2.0
"""joulie-agent whose limits a joulie-capd writes that listens, as under systemd: lives of both.

Rules: docs/rules/enforcement.md#capd.
"""

import ctypes
import errno
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

import syscalls
from test_agent import AGENT, CAPD, FOUND_UW, capds_of, children_of, remnants
from test_lives import Life
from waiting import DEADLINE_S, wait_until

CAP_UW = 120000000
PR_CAPBSET_DROP, SETGID, SETUID = 24, 6, 7
CAN_WRITE = "^[wb].*(power_limit_uw|enabled|scaling_m.._freq|/var/lib/joulie)"


def status_of(pid):
    rows = (row.split(":\t", 1) for row in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 2}


def open_files(pid):
    """MODE FILE of each descriptor; a socket of the network is TCP."""
    folder = Path(f"/proc/{pid}")
    rows = [row for name in ("tcp", "tcp6") for row in (folder / "net" / name).read_text().splitlines()[1:]]
    tcp = {row.split()[9] for row in rows}
    found = []
    for entry in (folder / "fd").iterdir():
        try:
            name = os.readlink(entry)
            flags = int(re.search(r"flags:\s+(\d+)", (folder / "fdinfo" / entry.name).read_text())[1], 8)
        except FileNotFoundError:  # it was closed meanwhile
            continue
        inode = re.fullmatch(r"socket:\[(\d+)\]", name)
        found.append("rwb"[flags & 3] + " " + ("TCP" if inode and inode[1] in tcp else name))
    return found


def keep_capabilities(*kept):
    """Of a program that root starts, as container runtimes do."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for number in set(range(64)) - set(kept):
        prctl(PR_CAPBSET_DROP, number, 0, 0, 0)


class Kept(Life):
    def setUp(self):
        super().setUp()
        self.socket = self.folder / "capd.sock"
        self.capd = self.start_capd()

    def start_capd(self, *more):
        self.socket.unlink(missing_ok=True)
        with self.log.open("ab") as log:
            prepare = [Path(CAPD).with_name("joulie-rescue"), "--prepare", "--wait", "0", "--root", self.root]
            subprocess.run(prepare, stdout=log, stderr=log)
            capd = subprocess.Popen(
                [CAPD, "--root", self.root, "--listen", self.socket, "--takeover", "1", "--no-ramp", *more],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.addCleanup(self.end, capd)
        wait_until(lambda: f"a socket; log: {self.said()}", self.socket.exists)
        return capd

    def arguments(self, *more):
        return super().arguments("--capd-socket", self.socket, *more)

    def replace_capd(self, *more):
        self.kill(self.capd)
        self.capd = self.start_capd(*more)

    def look_until(self, what, is_over):
        """The limits that were seen meanwhile."""
        seen = set()

        def look():
            seen.update(self.read_limits())
            return is_over()

        wait_until(lambda: f"{what}; log: {self.said()}", look)
        return seen


class Lives(Kept):
    def test_it_caps_and_gives_back_at_the_end(self):
        agent = self.start()
        self.wait_for_cap(120)
        self.want(100)
        self.wait_for_cap(100)
        self.assertEqual(children_of(agent.pid), [])
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_what_a_killed_agent_left_is_given_back(self):
        agent = self.start()
        self.wait_for_cap(120)
        self.kill(agent)
        self.wait_for_originals()

    def test_the_next_agent_takes_over_without_passing_the_baseline(self):
        self.replace_capd("--takeover", "60")
        agent = self.start()
        self.wait_for_cap(120)
        wait_until("a status", self.status.exists)
        self.kill(agent)
        self.status.unlink()
        next_one = self.start()
        self.assertEqual(self.look_until("a status", self.status.exists), {CAP_UW})
        self.assertEqual(self.finish(next_one), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_stopped_agent_has_its_caps_given_back_and_caps_again_when_it_goes_on(self):
        self.replace_capd("--silence", "6")
        agent = self.start()
        self.wait_for_cap(120)
        agent.send_signal(signal.SIGSTOP)
        self.wait_for_originals()
        agent.send_signal(signal.SIGCONT)
        self.wait_for_cap(120)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_another_joulie_capd_takes_the_caps_over(self):
        agent = self.start()
        self.wait_for_cap(120)
        self.kill(self.capd)
        self.wait_for_words("it is gone")
        self.start_capd()
        seen = self.look_until("a connection", lambda: "it is there again" in self.said())
        self.assertEqual(seen, {CAP_UW})
        self.want(100)
        self.wait_for_cap(100)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_caps_that_are_to_stay_stay(self):
        agent = self.start("--restore-on-exit", "false")
        self.wait_for_cap(120)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.run_agent("--once").returncode, 0)  # it has nobody to wait for
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)

    def test_a_zone_that_is_away_at_the_end_is_left_to_joulie_capd(self):
        agent = self.start()
        self.wait_for_cap(120)
        away = self.folder / "away"
        self.limits[0].parent.rename(away)
        self.assertEqual(self.finish(agent), 1)
        self.assertIn("still open: rapl/package-0/long_term", self.said())
        away.rename(self.limits[0].parent)
        self.wait_for_originals()

    def test_the_kill_switch_gives_back(self):
        agent = self.start()
        self.wait_for_cap(120)
        disable = self.root / "etc/joulie/disable"
        disable.parent.mkdir()
        disable.touch()
        self.wait_for_originals()
        disable.unlink()
        self.wait_for_cap(120)
        self.assertEqual(self.finish(agent), 0)

    def test_the_second_of_two_agents_is_1_and_names_the_first(self):
        agent = self.start()
        self.wait_for_cap(120)
        done = self.run_agent()
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(agent.pid), done.stderr)
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)
        self.assertEqual(self.finish(agent), 0)

    def test_without_joulie_capd_it_does_not_start(self):
        self.kill(self.capd)
        done = self.run_agent()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.socket}: Connection refused", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)


class Privileges(Kept):
    def test_neither_has_a_capability_or_a_way_to_one(self):
        agent = self.start()
        self.wait_for_cap(120)
        for pid in (agent.pid, self.capd.pid):
            status = status_of(pid)
            self.assertEqual(status["NoNewPrivs"], "1")
            for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
                self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual(status_of(self.capd.pid)["Seccomp"], "2")

    def test_the_agent_holds_nothing_that_it_could_write_a_limit_with(self):
        agent = self.start()
        self.wait_for_cap(120)
        for each in open_files(agent.pid):
            self.assertNotRegex(each, CAN_WRITE)

    def test_another_user_can_be_asked_for(self):
        done = self.run_agent("--run-as", "nobody-of-this-name")
        self.assertEqual(done.returncode, 1)
        self.assertIn("RUN_AS: there is no user nobody-of-this-name", done.stderr)


class Started(Life):
    """As by hand and in a pod: the agent starts joulie-capd, and has a network."""

    def test_nobody_has_both_a_network_socket_and_what_it_could_write_a_limit_with(self):
        self.run_agent("--once")  # it leaves a journal
        cluster = ["--agent-mode", "daemonset", "--node-name", "n1", "--server", "127.0.0.1:1"]
        with self.log.open("ab") as log:
            agent = subprocess.Popen(
                [AGENT, "--root", self.root, *cluster, "--metrics-addr", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.addCleanup(self.end, agent)
        wait_until(lambda: f"joulie-capd; log: {self.said()}", lambda: capds_of(agent.pid))
        (capd,) = capds_of(agent.pid)
        wait_until("its journal", lambda: any("/caps-" in each for each in open_files(capd)))
        ours, its = open_files(agent.pid), open_files(capd)
        self.assertTrue([each for each in ours if "TCP" in each])
        for each in ours:
            self.assertNotRegex(each, CAN_WRITE)
        self.assertFalse([each for each in its if "TCP" in each])
        self.assertTrue([each for each in its if re.match(CAN_WRITE, each)], its)
        status = status_of(capd)
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"], int(status["CapEff"], 16)), ("2", "1", 0))


class AnotherUser(Kept):
    """As under systemd: the agent may not open what belongs to root."""

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root may become another user")
        super().setUp()
        self.folder.chmod(0o755)
        self.replace_capd("--client-user", "nobody")
        self.counters = sorted((self.root / "sys").rglob("energy_uj"))
        for file in self.counters:
            file.chmod(0o400)
        public = self.folder / "public"
        public.mkdir()
        public.chmod(0o777)
        self.status = public / "status.json"

    def arguments(self, *more):
        return super().arguments("--run-as", "nobody", *more)

    def counters_of(self, pid):
        return {each for each in open_files(pid) if each.endswith("/energy_uj")}

    def test_it_caps_reads_energy_and_gives_back(self):
        agent = self.start()
        self.wait_for_cap(120)
        self.assertNotEqual(status_of(agent.pid)["Uid"].split()[0], "0")
        wait_until("its counters", lambda: self.counters_of(agent.pid))
        self.assertEqual({each[0] for each in self.counters_of(agent.pid)}, {"r"})
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_one_that_only_observes_reads_energy_and_is_in_nobodys_way(self):
        observer = self.start("--observe")
        wait_until(lambda: f"its counters; log: {self.said()}", lambda: self.counters_of(observer.pid))
        self.wait_for_words("observing")
        agent = self.start()
        self.wait_for_cap(120)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.finish(observer), 0)


class StartedAsAnotherUser(Life):
    """By hand or in a pod, without a socket: what may start joulie-capd stays, the agent gives it up."""

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root may become another user")
        super().setUp()
        self.folder.chmod(0o755)
        for file in (self.root / "sys").rglob("energy_uj"):
            file.chmod(0o400)
        self.public = self.folder / "public"
        self.public.mkdir()
        os.chown(self.public, 65534, 65534)
        self.status = self.public / "status.json"

    def arguments(self, *more):
        return super().arguments("--run-as", "65534:65534", "--watchdog-timeout", "1s", *more)

    def family(self, agent):
        """Who starts joulie-capd, and the one that runs."""
        (starter,) = children_of(agent.pid)
        wait_until(lambda: f"joulie-capd; log: {self.said()}", lambda: capds_of(starter))
        (capd,) = capds_of(starter)
        return starter, capd

    def test_only_joulie_capd_holds_what_a_limit_could_be_written_with(self):
        agent = self.start()
        self.wait_for_cap(120)
        starter, capd = self.family(agent)
        self.assertEqual(status_of(agent.pid)["Uid"].split(), ["65534"] * 4)
        self.assertEqual(status_of(agent.pid)["Gid"].split(), ["65534"] * 4)
        self.assertEqual(status_of(agent.pid)["Groups"].split(), [])
        self.assertEqual(status_of(starter)["Uid"].split(), ["0"] * 4)
        for pid in (agent.pid, starter, capd):
            status = status_of(pid)
            self.assertEqual(status["NoNewPrivs"], "1")
            for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                self.assertEqual(int(status[name], 16), 0, name)
        for each in open_files(agent.pid):
            self.assertNotRegex(each, CAN_WRITE)
        self.assertEqual(len([each for each in open_files(starter) if "socket" in each]), 1)
        self.assertLessEqual(len(open_files(starter)), 4)
        wait_until("its counters", lambda: any("energy_uj" in each for each in open_files(agent.pid)))
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        wait_until(lambda: f"an end; log: {self.said()}", lambda: not remnants(self.root))

    def test_without_close_range_what_stays_root_holds_no_more(self):
        agent = self.start(preexec_fn=syscalls.refuse(syscalls.CLOSE_RANGE, errno.EPERM))
        self.wait_for_cap(120)
        starter, _ = self.family(agent)
        self.assertLessEqual(len(open_files(starter)), 4)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_an_agent_of_other_machines_needs_nobody_who_stays_root(self):
        pool = ["--agent-mode", "pool", "--telemetry-cpu-control", "none", "--server", "127.0.0.1:1"]
        with self.log.open("ab") as log:
            agent = subprocess.Popen(
                [AGENT, *pool, "--metrics-addr", "127.0.0.1:0", "--run-as", "65534:65534"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.addCleanup(self.end, agent)
        self.wait_for_words("runs as 65534:65534")
        self.assertEqual(status_of(agent.pid)["Uid"].split(), ["65534"] * 4)
        self.assertEqual(children_of(agent.pid), [])

    def test_another_joulie_capd_is_started_without_a_gap(self):
        agent = self.start()
        self.wait_for_cap(120)
        starter, capd = self.family(agent)
        wait_until("a status", self.status.exists)
        time.sleep(1.2)  # one that lived for a second is replaced at once
        os.kill(capd, signal.SIGKILL)
        self.wait_for_words("it is there again")
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)
        self.assertNotEqual(self.family(agent), (starter, capd))
        self.want(100)
        self.wait_for_cap(100)
        self.assertEqual(int((self.state / "writer.lock").read_text()), agent.pid)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_what_a_killed_agent_left_is_given_back_and_nobody_stays(self):
        agent = self.start()
        self.wait_for_cap(120)
        self.kill(agent)
        self.wait_for_originals()
        wait_until(lambda: f"an end; log: {self.said()}", lambda: not remnants(self.root))

    def test_without_both_it_ends_so_that_it_is_started_again(self):
        agent = self.start()
        self.wait_for_cap(120)
        for pid in self.family(agent):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(agent.wait(DEADLINE_S), 1)
        self.assertIn("the process that starts it is gone", self.said())
        self.assertEqual(self.read_limits(), [CAP_UW] * 2)
        next_one = self.start()
        self.wait_for_words("controls still have what an earlier process wrote")
        self.assertEqual(self.finish(next_one), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)

    def test_a_file_that_the_user_cannot_use_is_named_before_anything_is_written(self):
        self.spec.chmod(0o600)
        done = self.run_agent()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.spec}: 65534:65534 cannot read it (RUN_AS): Permission denied", done.stderr)
        self.spec.chmod(0o644)
        os.chown(self.public, 0, 0)
        done = self.run_agent()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.public}: 65534:65534 cannot write it (RUN_AS): Permission denied", done.stderr)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        self.assertFalse(self.state.exists())

    def test_in_a_pod_two_capabilities_are_enough_and_without_them_it_says_so(self):
        agent = self.start(preexec_fn=lambda: keep_capabilities(SETGID, SETUID))
        self.wait_for_cap(120)
        self.assertEqual(status_of(agent.pid)["Uid"].split(), ["65534"] * 4)
        self.assertEqual(self.finish(agent), 0)
        self.assertEqual(self.read_limits(), [FOUND_UW] * 2)
        done = self.run_agent(preexec_fn=keep_capabilities)
        self.assertEqual(done.returncode, 1)
        self.assertIn("RUN_AS: cannot become 65534:65534: Operation not permitted", done.stderr)

    def test_a_number_that_is_no_user_needs_a_group(self):
        done = self.run_agent("--run-as", "4000000000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("UID:GID", done.stderr)

    def test_who_is_not_root_becomes_nobody_else(self):
        done = self.run_agent("--run-as", "daemon", user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 1)
        self.assertIn("only root can become daemon", done.stderr)


if __name__ == "__main__":
    unittest.main()
