# SPDX-License-Identifier: Apache-2.0
"""The life of the packages on a machine with systemd as process 1: installed, started, watched, killed, upgraded,
removed, purged. What is capped there is a folder that looks like a machine's /sys/devices/virtual, at its place.

Rules: docs/install.md, docs/capping.md.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import chroot
import debs
from checkout import ROOT
from journals import v1_capped
from machine import CannotBoot, Machine, missing_feature
from waiting import wait_until

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

from hosts import write_host  # noqa: E402

DAEMONS = ("agent", "operator", "scheduler", "simulator")
FOUND_W, CAP_W = 205, 170  # one step of the ramp
BOUND_S = 11  # docs/capping.md: of a death
ZONE = "srv/machine/sys/devices/virtual/powercap/intel-rapl/intel-rapl:{}"
SPEC = f"{{nodeName: n1, profile: eco, cpu: {{packagePowerCapWatts: {CAP_W}}}}}\n"
SETTINGS = "ENFORCE=true\nSPEC=/srv/cap.yaml\n"
JOURNALS = "var/lib/joulie"
# what hangs is to be seen sooner than after 30 s
UNIT = "[Service]\nWatchdogSec=3s\nTimeoutAbortSec=1s\n"
KUBECONFIG = "KUBECONFIG=/run/joulie-simulator/kubeconfig\n"
# what installing and removing any package changes
CHANGING = re.compile(
    r"/(dev|proc|run|sys|tmp|srv|var/(tmp|log|cache|backups)|var/lib/(apt|dpkg|systemd|pam|private)"
    r"|etc/(passwd|group|shadow|gshadow|subuid|subgid)-?|etc/\.pwd\.lock|etc/ld\.so\.cache)(/|$)"
    r"|.*/__pycache__(/|$)"
)


def repack(package: Path, folder: Path, version: str, **scripts: str) -> Path:
    """The same package with another version, and other maintainer scripts."""
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = tree / "DEBIAN" / "control"
    text = re.sub(r"(?m)^Version: .*", f"Version: {version}", control.read_text(encoding="utf-8"))
    control.write_text(text, encoding="utf-8")
    for name, body in scripts.items():
        (tree / "DEBIAN" / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (tree / "DEBIAN" / name).chmod(0o755)
    made = folder / f"{package.name.split('_')[0]}_{version}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", tree, made]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return made


class Lives(unittest.TestCase):
    """One machine for all. Each test finds every package installed and nothing started."""

    machine: Machine
    missing: str
    packages: dict[str, Path]
    files_before: set[str]
    users_before: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.missing = missing_feature() or cls.boot()
        if not cls.missing:
            cls.prepare()

    @classmethod
    def boot(cls) -> str:
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)
        try:
            cls.machine.boot()
        except CannotBoot as reason:
            return str(reason)
        return ""

    @classmethod
    def prepare(cls) -> None:
        cls.packages = {
            file.name.split("_")[0]: file for file in debs.built() if "dbgsym" not in file.name
        }
        (cls.machine.root / "srv/debs").mkdir()
        for file in cls.packages.values():
            shutil.copy(file, cls.machine.root / "srv/debs")
        (cls.machine.root / "srv/cap.yaml").write_text(SPEC)
        write_host("intel-2s", cls.machine.root / "srv/machine")
        cls.machine.run("mount", "--bind", "/srv/machine/sys/devices/virtual", "/sys/devices/virtual")
        # systemd-nspawn lays another over it, which the sandbox of a service does not see: two boots at a time
        cls.machine.run("umount", "/proc/sys/kernel/random/boot_id")
        # by themselves, so that they are no part of what our packages leave
        cls.machine.run("apt-get", "install", "--yes", "--no-install-recommends", *chroot.FETCHED)
        cls.files_before = cls.files()
        cls.users_before = cls.machine.out("getent", "passwd")

    @classmethod
    def files(cls) -> set[str]:
        listed = cls.machine.out("find", "/", "-xdev").splitlines()
        return {line for line in listed if not CHANGING.match(line)}

    def setUp(self) -> None:
        if self.missing:
            self.skipTest(self.missing)
        self.addCleanup(self.clear)
        for file in self.limit_files():
            file.write_text(f"{FOUND_W}000000\n")
        self.install(*(name for name in self.packages if name not in self.installed()))
        for name in DAEMONS:
            file = ROOT / f"daemons/deploy/etc/joulie-{name}.conf"
            self.configure(name, file.read_text(encoding="utf-8"))

    def clear(self) -> None:
        """Whatever became of the test, the next begins anew."""
        units = [f"joulie-{name}" for name in (*DAEMONS, "rescue", "capd.socket", "capd")]
        self.machine.run("systemctl", "stop", *units, check=False)
        self.machine.run("systemctl", "reset-failed", *units, check=False)
        for name in ("agent", "capd"):
            self.machine.run("rm", "-rf", f"/run/systemd/system/joulie-{name}.service.d")
        self.machine.run("systemctl", "daemon-reload")

    def installed(self) -> list[str]:
        """Those of our packages that are as they were built."""
        form = "${Package} ${Version} ${db:Status-Abbrev}\\n"
        listed = self.machine.out("dpkg-query", "--show", f"--showformat={form}", check=False)
        versions = {name: file.name.split("_")[1] for name, file in self.packages.items()}
        fields = [line.split() for line in listed.splitlines()]
        return [each[0] for each in fields if versions.get(each[0]) == each[1] and each[2] == "ii"]

    def install(self, *names: str) -> None:
        if names:
            self.machine.run("dpkg", "--install", *(self.deb(name) for name in names))

    def deb(self, name: str) -> str:
        return f"/srv/debs/{self.packages[name].name}"

    def other(self, name: str, version: str, **scripts: str) -> str:
        """Another version of a package, in the machine."""
        with tempfile.TemporaryDirectory() as folder:
            made = repack(self.packages[name], Path(folder), version, **scripts)
            shutil.copy(made, self.machine.root / "srv/debs")
            return f"/srv/debs/{made.name}"

    def upgrade(self, name: str, **scripts: str) -> str:
        return self.other(name, "99", **scripts)

    # ---- units ----

    def configure(self, name: str, text: str) -> None:
        (self.machine.root / f"etc/joulie/joulie-{name}.conf").write_text(text)

    def start(self, *names: str) -> None:
        done = self.machine.run("systemctl", "start", *(f"joulie-{name}" for name in names), check=False)
        self.assertEqual(done.returncode, 0, done.stdout + "".join(map(self.said, (*names, "capd"))))

    def start_agent(self, settings: str = "", unit: str = "", capd: str = "") -> int:
        """Its process, when its caps are in force."""
        self.configure("agent", SETTINGS + settings)
        self.machine.put("/run/systemd/system/joulie-agent.service.d/test.conf", UNIT + unit)
        self.machine.put("/run/systemd/system/joulie-capd.service.d/test.conf", "[Service]\n" + capd)
        self.machine.run("systemctl", "daemon-reload")
        self.start("agent")
        self.wait_for(CAP_W)
        return self.pid_of("agent")

    def kill(self, number: str, whom: str = "main", name: str = "agent") -> None:
        self.machine.run(
            *("systemctl", "kill", f"--kill-whom={whom}", f"--signal={number}", f"joulie-{name}"),
            check=whom != "all",  # where the main process is the only one, "auxiliary" ones cannot be killed
        )

    def leave_caps(self) -> None:
        """Of an agent that was killed with joulie-capd, whose unit gives nothing back."""
        no_more = "ExecStopPost=\nRestart=no\n"
        self.start_agent(unit="Restart=no\n", capd=no_more)
        self.kill("KILL", "all")
        self.kill("KILL", "all", "capd")
        for name in ("agent", "capd"):
            wait_until("a failed unit", lambda: self.property_of(name, "ActiveState") == "failed")
        self.assertEqual(self.limits(), [CAP_W] * 2)

    def leave_v1_cap(self) -> Path:
        """As version 0.2 left it."""
        boot_id = self.machine.out("cat", "/proc/sys/kernel/random/boot_id")
        file = self.machine.root / JOURNALS / f"journal-{boot_id}"
        self.machine.run("mkdir", "-p", "-m", "700", f"/{JOURNALS}")
        file.write_text(v1_capped(found=FOUND_W * 1_000_000, cap=CAP_W * 1_000_000))
        file.chmod(0o600)
        self.limit_files()[0].write_text(f"{CAP_W}000000\n")
        return file

    def property_of(self, name: str, what: str) -> str:
        return self.machine.out("systemctl", "show", "--value", f"--property={what}", f"joulie-{name}")

    def pid_of(self, name: str) -> int:
        return int(self.property_of(name, "MainPID"))

    def said(self, name: str) -> str:
        return self.machine.out("journalctl", "--no-pager", f"--unit=joulie-{name}")[-6000:]

    def open_files(self, name: str) -> list[str]:
        """MODE FILE of each descriptor of a daemon; a socket of the network is TCP."""
        program = r"""
import os, re, sys
folder = f"/proc/{sys.argv[1]}"
rows = open(f"{folder}/net/tcp").readlines() + open(f"{folder}/net/tcp6").readlines()
tcp = {row.split()[9] for row in rows[1:]}
for fd in os.listdir(f"{folder}/fd"):
    name = os.readlink(f"{folder}/fd/{fd}")
    flags = int(re.search(r"flags:\s+(\d+)", open(f"{folder}/fdinfo/{fd}").read())[1], 8)
    inode = re.fullmatch(r"socket:\[(\d+)\]", name)
    print("rwb"[flags & 3], "TCP" if inode and inode[1] in tcp else name)
"""
        return self.machine.out("python3", "-c", program, str(self.pid_of(name))).splitlines()

    def status_of(self, name: str) -> dict[str, str]:
        text = self.machine.out("cat", f"/proc/{self.pid_of(name)}/status")
        return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)

    def assert_confined(self, name: str, user: str) -> None:
        status = self.status_of(name)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        for each in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[each], 16), 0, each)
        uid = self.machine.out("id", "--user", user)
        self.assertEqual(status["Uid"].split(), [uid] * 4)

    def processes(self) -> str:
        script = "cat /proc/[0-9]*/comm 2>/dev/null | grep joulie"
        return self.machine.out("sh", "-c", script, check=False)

    # ---- caps ----

    def limit_files(self) -> list[Path]:
        zones = [self.machine.root / ZONE.format(package) for package in (0, 1)]
        return [zone / "constraint_0_power_limit_uw" for zone in zones]

    def limits(self) -> list[int]:
        return [int(file.read_text() or -1) // 1_000_000 for file in self.limit_files()]

    def wait_for(self, watts: int, deadline_s: float = 60) -> None:
        wait_until(
            lambda: f"limits of {watts} W, they are {self.limits()}; {self.said('agent')}",
            lambda: self.limits() == [watts] * 2,
            deadline_s,
        )

    def wait_for_another(self, pid: int, deadline_s: float) -> None:
        wait_until(
            lambda: f"another agent than {pid}; {self.said('agent')}",
            lambda: self.pid_of("agent") not in (0, pid),
            deadline_s,
        )
        self.wait_for(CAP_W)

    # ---- tests ----

    def test_installing_starts_and_enables_nothing(self) -> None:
        for name in DAEMONS:
            with self.subTest(name):
                self.assertEqual(self.property_of(name, "UnitFileState"), "disabled")
                self.assertEqual(self.property_of(name, "ActiveState"), "inactive")
        self.assertEqual(self.processes(), "")

    def test_the_rescue_of_the_next_boot_is_the_one_exception(self) -> None:
        self.assertEqual(self.property_of("rescue", "UnitFileState"), "enabled")
        self.machine.run("rm", "-rf", f"/{JOURNALS}")
        self.start("rescue")
        self.assertEqual(self.property_of("rescue", "ConditionResult"), "no")

    def test_systemd_understands_every_line_of_the_units(self) -> None:
        units = [f"joulie-{name}.service" for name in (*DAEMONS, "rescue", "capd")] + ["joulie-capd.socket"]
        self.assertEqual(self.machine.out("systemd-analyze", "verify", "--man=no", *units), "")

    def test_an_agent_as_it_is_installed_only_observes_the_live_machine(self) -> None:
        self.start("agent")
        self.assertEqual(self.property_of("agent", "StatusText"), "observing")
        self.assert_confined("agent", "joulie")

    def test_an_agent_enforces_in_its_sandbox_and_gives_back_when_it_is_stopped(self) -> None:
        self.start_agent()
        self.assertEqual(self.property_of("agent", "StatusText"), "enforcing")
        self.assert_confined("agent", "joulie")
        self.assert_confined("capd", "root")
        self.machine.run("systemctl", "stop", "joulie-agent")
        self.assertEqual(self.limits(), [FOUND_W] * 2)
        self.assertEqual(self.property_of("agent", "Result"), "success")

    def test_what_a_killed_agent_had_passes_to_another_one(self) -> None:
        for whom in ("main", "all"):
            with self.subTest(whom):
                pid = self.start_agent()
                seen = []
                self.kill("KILL", whom)
                wait_until(
                    lambda: f"another agent than {pid}; {self.said('agent')}",
                    lambda: seen.append(self.limits()) or self.pid_of("agent") not in (0, pid),
                    BOUND_S,
                )
                self.assertEqual({watts for limits in seen for watts in limits}, {CAP_W})
                self.wait_for(CAP_W)

    def test_what_writes_is_started_again_when_it_dies(self) -> None:
        agent = self.start_agent()
        pid = self.pid_of("capd")
        self.kill("KILL", name="capd")
        wait_until(
            lambda: f"another joulie-capd than {pid}; {self.said('capd')}",
            lambda: self.pid_of("capd") not in (0, pid),
        )
        self.assertIn(f"rapl/package-1/long_term {FOUND_W}000000 restored", self.said("capd"))
        self.wait_for(CAP_W)
        self.assertEqual(self.pid_of("agent"), agent)

    def test_nothing_holds_both_the_network_and_a_limit(self) -> None:
        self.start("simulator")
        cluster = "AGENT_MODE=daemonset\nNODE_NAME=n1\nMETRICS_ADDR=127.0.0.1:8181\n"
        self.configure("agent", "ENFORCE=true\n" + cluster + KUBECONFIG)
        self.start("agent")
        open_files = {name: self.open_files(name) for name in ("agent", "capd")}
        self.assertTrue(any("TCP" in each for each in open_files["agent"]), open_files)
        self.assertFalse(any("TCP" in each for each in open_files["capd"]), open_files)
        for name in ("simulator", "agent"):
            for each in open_files.get(name, []):
                self.assertNotRegex(each, "^[^r].*(power_limit_uw|scaling_m.._freq|writer.lock|caps-)")

    def test_caps_that_are_to_stay_stay_when_it_is_stopped_but_not_when_it_dies(self) -> None:
        self.start_agent("RESTORE_ON_EXIT=false\n")
        self.machine.run("systemctl", "stop", "joulie-agent")
        self.assertEqual(self.limits(), [CAP_W] * 2)
        self.start_agent("RESTORE_ON_EXIT=false\n", unit="Restart=no\n")
        self.kill("KILL")
        self.wait_for(FOUND_W, BOUND_S)

    def test_what_nobody_watches_is_given_back_at_boot(self) -> None:
        self.leave_caps()
        self.start("rescue")
        self.assertEqual(self.limits(), [FOUND_W] * 2)

    def test_the_rescue_leaves_an_agent_its_caps(self) -> None:
        self.start_agent()
        self.start("rescue")
        self.assertEqual(self.property_of("rescue", "Result"), "success")
        self.assertEqual(self.limits(), [CAP_W] * 2)

    def test_nothing_stays_of_a_killed_agent_that_cannot_start_again(self) -> None:
        self.start_agent()
        self.configure("agent", "CONTROL_INTERVAL=soon\n")
        self.kill("KILL")
        self.wait_for(FOUND_W, BOUND_S)
        wait_until("a failed unit", lambda: self.property_of("agent", "ActiveState") == "failed")
        self.assertEqual(self.limits(), [FOUND_W] * 2)

    def test_a_hung_agent_is_ended_and_another_one_starts(self) -> None:
        pid = self.start_agent()
        self.kill("STOP")
        self.wait_for_another(pid, 3 + 1 + BOUND_S)
        self.assertIn("Watchdog timeout", self.said("agent"))

    def test_the_other_daemons_work_together_without_privileges(self) -> None:
        self.configure("operator", KUBECONFIG)
        self.configure("scheduler", KUBECONFIG)
        self.start("simulator")  # it writes the kubeconfig of the others
        self.start("operator", "scheduler")
        for name, text in (("operator", "deciding"), ("scheduler", "answering")):
            wait_until(
                lambda: f"{name} is ready: {self.said(name)}",
                lambda: self.property_of(name, "StatusText") == text,
            )
        for name in ("simulator", "operator", "scheduler"):
            self.assert_confined(name, "joulie")
        command = ("joulie", "status", "--kubeconfig", "/run/joulie-simulator/kubeconfig")
        self.assertIn("41", self.machine.out(*command))

    def test_the_module_of_python_finds_the_library(self) -> None:
        program = "import joulie, importlib.metadata as m; print(joulie.version(), m.version('joulie'))"
        self.assertRegex(self.machine.out("python3", "-c", program), r"^\d+\.\d+\.\d+\S* \d+\.\d+\S*$")

    def test_an_upgrade_starts_what_runs_again_and_keeps_settings(self) -> None:
        pid = self.start_agent()
        self.machine.run("dpkg", "--install", self.upgrade("joulie-agent"))
        self.wait_for_another(pid, BOUND_S)
        self.assertEqual((self.machine.root / "etc/joulie/joulie-agent.conf").read_text(), SETTINGS)
        self.assertEqual(self.property_of("operator", "ActiveState"), "inactive")

    def test_an_upgrade_that_fails_half_way_leaves_an_agent_and_its_caps(self) -> None:
        """dpkg calls the scripts of either version to undo it, or to go on."""
        self.start_agent()
        broken = self.upgrade("joulie-agent", preinst="exit 1")
        self.assertNotEqual(self.machine.run("dpkg", "--install", broken, check=False).returncode, 0)
        self.wait_for(CAP_W)
        self.assertEqual(self.property_of("agent", "ActiveState"), "active")
        prerm = self.machine.root / "var/lib/dpkg/info/joulie-agent.prerm"
        prerm.write_text('#!/bin/sh\n[ "$1" != upgrade ]\n')  # the new one is asked then: failed-upgrade
        self.machine.run("dpkg", "--install", self.upgrade("joulie-agent"))
        self.wait_for(CAP_W)
        self.assertEqual(self.property_of("agent", "ActiveState"), "active")
        self.machine.run("dpkg", "--purge", "joulie-agent")
        self.assertEqual(self.limits(), [FOUND_W] * 2)

    def test_an_agent_that_was_only_unpacked_gives_back_when_it_is_removed(self) -> None:
        pid = self.start_agent()
        self.machine.run("dpkg", "--unpack", self.upgrade("joulie-agent"))
        self.assertEqual((self.pid_of("agent"), self.limits()), (pid, [CAP_W] * 2))
        self.machine.run("dpkg", "--remove", "joulie-agent")
        self.assertEqual(self.limits(), [FOUND_W] * 2)
        self.assertEqual(self.processes(), "")

    def test_what_version_0_2_left_is_given_back_by_an_upgrade_and_by_a_start(self) -> None:
        self.machine.run("dpkg", "--install", self.other("joulie-agent", "0.2.0-1", postinst="exit 0"))
        file = self.leave_v1_cap()
        self.install("joulie-agent")
        self.assertEqual((self.limits(), file.exists()), ([FOUND_W] * 2, False))
        file = self.leave_v1_cap()
        self.start_agent()
        self.assertFalse(file.exists())
        self.machine.run("systemctl", "stop", "joulie-agent")
        self.assertEqual(self.limits(), [FOUND_W] * 2)

    def test_a_downgrade_to_0_2_gives_back_what_that_version_would_not_find(self) -> None:
        self.start_agent()
        broken = self.other("joulie-agent", "0.2.0-1", preinst="exit 1")
        self.assertNotEqual(self.machine.run("dpkg", "--install", broken, check=False).returncode, 0)
        self.wait_for(CAP_W)  # it did not come to that: the agent is there again
        self.leave_caps()
        self.machine.run("dpkg", "--install", self.other("joulie-agent", "0.2.0-1"))
        self.assertEqual((self.limits(), self.property_of("agent", "ActiveState")), ([FOUND_W] * 2, "failed"))

    def test_removing_gives_caps_back_and_purging_leaves_nothing(self) -> None:
        self.start_agent()
        self.configure("operator", KUBECONFIG)
        self.start("simulator")
        self.start("operator")
        self.machine.run("touch", "/etc/joulie/other.kubeconfig")
        self.machine.run("dpkg", "--remove", *self.packages)
        self.assertEqual(self.limits(), [FOUND_W] * 2)
        self.assertEqual(self.processes(), "")
        self.assertEqual((self.machine.root / "etc/joulie/joulie-agent.conf").read_text(), SETTINGS)
        self.machine.run("rm", "/etc/joulie/other.kubeconfig")
        self.machine.run("dpkg", "--purge", *self.packages)
        self.assertEqual(sorted(self.files() - self.files_before), [])
        self.assertEqual(self.machine.out("getent", "passwd"), self.users_before)
        self.assertEqual(self.machine.out("find", "/run", "-name", "*joulie*", "-not", "-path", "*.service.d*"), "")

    def test_a_user_of_that_name_that_is_not_ours_stays(self) -> None:
        self.machine.run("dpkg", "--purge", *self.packages)
        self.machine.run("useradd", "--comment", "Joulie Doe", "joulie")
        self.addCleanup(self.machine.run, "userdel", "joulie")
        self.install("libjoulie1", "joulie-operator")
        self.machine.run("dpkg", "--purge", "joulie-operator")
        self.assertIn("Joulie Doe", self.machine.out("getent", "passwd", "joulie"))

    def test_a_cap_of_the_command_is_given_back_with_its_package(self) -> None:
        command = ("joulie", "cap", "apply", "--yes", "--no-ramp", "--spec", "/srv/cap.yaml")
        self.machine.run(*command)
        self.assertEqual(self.limits(), [CAP_W] * 2)
        self.start("agent")  # it observes, and leaves the cap alone, also when it ends
        self.machine.run("systemctl", "stop", "joulie-agent")
        self.assertEqual(self.limits(), [CAP_W] * 2, self.said("capd"))
        self.machine.run("dpkg", "--remove", "joulie")
        self.assertEqual(self.limits(), [FOUND_W] * 2)
        self.install("joulie")
        self.machine.run(*command)
        self.assertEqual(self.limits(), [CAP_W] * 2)
        self.machine.run("dpkg", "--remove", "joulie-agent")  # with which goes what could give it back
        self.assertEqual(self.limits(), [FOUND_W] * 2)
        done = self.machine.run(*command, check=False)
        self.assertIn("it writes the limits, and is not beside this program", done.stdout)

if __name__ == "__main__":
    unittest.main()
