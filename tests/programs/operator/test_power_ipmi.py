# SPDX-License-Identifier: Apache-2.0
"""power-ipmi before a BMC that ipmi_sim of OpenIPMI plays, over lanplus on loopback, by the real ipmitool."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from checkout import ROOT
from test_power import Lives
from waiting import DEADLINE_S, wait_until

PROGRAM = ROOT / "daemons" / "deploy" / "power" / "power-ipmi"
PASSWORD = "s3cret-of-bmc"
LAN = """name "bmc"
set_working_mc 0x20
startlan 1
  addr 127.0.0.1 {port}
  priv_limit admin
  allowed_auths_callback none md2 md5 straight
  allowed_auths_user none md2 md5 straight
  allowed_auths_operator none md2 md5 straight
  allowed_auths_admin none md2 md5 straight
  guid a123456789abcdefa123456789abcdef
endlan
chassis_control "{machine}"
user 1 true "" "" user 10 none md2 md5 straight
user 2 true "joulie" "{password}" admin 10 none md2 md5 straight
"""
COMMANDS = """mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
mc_enable 0x20
"""
# How ipmi_sim asks and tells: [MC] get|set NAME [VALUE].
MACHINE = """#!/bin/sh
here={folder}
case $1 in get | set) ;; *) shift ;; esac
if [ "$1" = get ]; then
    [ "$2" != power ] || echo "power:$(cat $here/power)"
    exit 0
fi
echo "$2=$3" >> $here/told
case $2.$(cat $here/stubborn 2>/dev/null) in
power.*) echo "$3" > $here/power ;;
shutdown.) echo 0 > $here/power ;;
esac
"""
# Notes how ipmitool is called, and calls it.
TOOL = """#!/bin/sh
printf '%s\\n' "$*" >> {folder}/called
exec {real} "$@"
"""


def free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Bmc:
    """A machine that is on, and its BMC."""

    def __init__(self, case: unittest.TestCase, folder: Path) -> None:
        self.folder = folder
        for name in ("ipmi_sim", "ipmitool"):
            if not shutil.which(name):
                case.skipTest(f"there is no {name}")
        self.port = free_udp_port()
        (folder / "state").mkdir()
        (folder / "bin").mkdir()
        self.write("bin/ipmitool", TOOL.format(folder=folder, real=shutil.which("ipmitool")), 0o755)
        self.write("machine", MACHINE.format(folder=folder), 0o755)
        self.write("lan.conf", LAN.format(port=self.port, machine=folder / "machine", password=PASSWORD))
        self.write("commands", COMMANDS)
        self.write("power", "1\n")
        self.write("password", PASSWORD, 0o600)
        self.options = f"user=joulie password-file={folder / 'password'} port={self.port} cipher=3"
        self.write("nodes", f"# who\n\nb 127.0.0.2 {self.options}\na 127.0.0.1 {self.options}\n")

    def start(self, case: unittest.TestCase) -> None:
        words = ["-c", self.folder / "lan.conf", "-f", self.folder / "commands", "-s", self.folder / "state", "-n"]
        process = subprocess.Popen(
            ["ipmi_sim", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        case.addCleanup(process.wait)
        case.addCleanup(process.kill)

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        return file

    def read(self, name: str) -> str:
        file = self.folder / name
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def told(self) -> list[str]:
        return self.read("told").split()

    def environment(self, limit_s: int = 40) -> dict[str, str]:
        return {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "JOULIE_IPMI_NODES": str(self.folder / "nodes"),
            "JOULIE_IPMI_LIMIT_S": str(limit_s),
        }


class Ipmi(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bmc = Bmc(self, Path(folder.name))

    def run_it(self, *words: str, limit_s: int = 40) -> tuple[int, str]:
        done = subprocess.run(
            [PROGRAM, *words],
            env=self.bmc.environment(limit_s),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * DEADLINE_S,
            check=False,
        )
        self.assertNotIn(PASSWORD, done.stdout)
        return done.returncode, done.stdout

    def test_a_machine_goes_off_softly_and_comes_back_and_is_asked_once(self) -> None:
        self.bmc.start(self)
        self.assertEqual(self.run_it("status", "a"), (0, "on\n"))
        self.assertEqual(self.run_it("on", "a"), (0, ""))
        self.assertEqual(self.bmc.told(), [])
        self.assertEqual(self.run_it("off", "a"), (0, ""))
        self.assertEqual(self.run_it("status", "a"), (0, "off\n"))
        self.assertEqual(self.run_it("off", "a"), (0, ""))
        self.assertEqual(self.bmc.told(), ["shutdown=1"])
        self.assertEqual(self.run_it("on", "a"), (0, ""))
        self.assertEqual(self.bmc.told(), ["shutdown=1", "power=1"])
        called = self.bmc.read("called")
        self.assertNotIn(PASSWORD, called)
        self.assertIn("-f ", called)

    def test_one_that_takes_its_time_was_asked_all_the_same(self) -> None:
        self.bmc.start(self)
        self.run_it("status", "a")
        self.bmc.write("stubborn", "yes")
        status, out = self.run_it("off", "a", limit_s=6)
        self.assertEqual((status, out), (0, "power-ipmi: a was asked to go off; its BMC says on\n"))
        self.assertEqual(set(self.bmc.told()), {"shutdown=1"})

    def test_a_bmc_that_is_late_is_asked_again(self) -> None:
        process = subprocess.Popen([PROGRAM, "off", "a"], env=self.bmc.environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until("it was asked", lambda: self.bmc.read("called"))
        time.sleep(1)
        self.bmc.start(self)
        self.assertEqual(process.wait(DEADLINE_S), 0)
        self.assertEqual(self.bmc.told(), ["shutdown=1"])

    def test_what_a_bmc_does_not_say_is_unknown_and_nothing_is_asked_for(self) -> None:
        for word, status, out in (
            ("status", 0, r"unknown\n"),
            ("off", 1, r"power-ipmi: the BMC of a does not say whether it is on: .*"),
        ):
            found = self.run_it(word, "a", limit_s=1)
            self.assertEqual(found[0], status, found)
            self.assertRegex(found[1], f"(?s)^{out}")
        self.assertNotRegex(self.bmc.read("called"), "power (soft|on|off)")

    def test_a_wrong_password_is_no_state(self) -> None:
        self.bmc.start(self)
        self.bmc.write("password", "another", 0o600)
        self.assertEqual(self.run_it("off", "a", limit_s=1)[0], 1)
        self.assertEqual(self.bmc.told(), [])

    def test_a_password_that_others_may_read_is_not_used(self) -> None:
        for mode, is_good in ((0o644, False), (0o660, False), (0o604, False), (0o440, True)):
            self.bmc.write("called", "")
            (self.bmc.folder / "password").chmod(mode)
            out = self.run_it("off", "a", limit_s=1)[1]
            refusal = f"password: mode {mode:o}: others may read or change it; chmod 600"
            self.assertEqual(refusal not in out, is_good, out)
            self.assertEqual(self.bmc.read("called") != "", is_good)

    def test_one_line_serves_all_nodes(self) -> None:
        self.bmc.start(self)
        self.bmc.write("nodes", f"a 192.0.2.1 {self.bmc.options}\n* {{node}} {self.bmc.options}\n")
        self.assertEqual(self.run_it("status", "127.0.0.1"), (0, "on\n"))

    def test_a_wrong_line_is_named_and_nothing_is_called(self) -> None:
        for line, problem in (
            ("b 127.0.0.1", "there is no line for a"),
            ("a", "a:  is no address"),
            ("a -X", "a: -X is no address"),
            ("a $(id) user=x", "a: $(id) is no address"),
            ("a bmc user=x passwort-file=/x", "a: passwort-file=/x is not user="),
            ("a bmc password-file=x", "password-file=x is not user="),
            ("a bmc port=1x", "port=1x is no number"),
            ("a bmc user=x", "there is no password-file="),
            ("a bmc password-file=/none", "there is no user="),
            ("a bmc user=x password-file=/none", "/none: there is no such file"),
            ("a bmc user=x password-file=/tmp", "/tmp: it is no file"),
        ):
            with self.subTest(line):
                self.bmc.write("nodes", line + "\n")
                status, out = self.run_it("off", "a")
                self.assertEqual(status, 1)
                self.assertIn(problem, out)
        for words, status in ((("off", "a;id"), 1), (("off", "-a"), 1), (("cycle", "a"), 2), (("off",), 2)):
            self.assertEqual(self.run_it(*words)[0], status)
        self.assertEqual(self.bmc.read("called"), "")


class WithTheOperator(Lives):
    def test_a_node_goes_off_and_comes_back_by_its_bmc(self) -> None:
        (self.folder / "bmc").mkdir()
        bmc = Bmc(self, self.folder / "bmc")
        bmc.start(self)
        names = "JOULIE_IPMI_NODES,JOULIE_IPMI_LIMIT_S"
        self.start(
            *("--power-off-command", PROGRAM, "--power-off-command-environment", names),
            command=False,
            env=bmc.environment(),
        )
        self.until("it was asked", bmc.told)
        self.assertEqual((bmc.told(), self.state(), bmc.read("power")), (["shutdown=1"], "stopping", "0\n"))
        self.report("a", "Unknown")
        self.until_state("off")
        self.api.put("v1", "Pod", {"metadata": {"name": "p"}, "spec": {"containers": []}}, "default")
        self.until("it was woken", lambda: len(bmc.told()) == 2)
        self.assertEqual((bmc.told(), bmc.read("power")), (["shutdown=1", "power=1"], "1\n"))


del Lives  # its tests are elsewhere


if __name__ == "__main__":
    unittest.main()
