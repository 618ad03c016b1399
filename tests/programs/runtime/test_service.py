# SPDX-License-Identifier: Apache-2.0
"""What each daemon tells a service manager over a whole life.

Rules: docs/rules/programs.md#service-manager.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from checkout import DEV, ROOT
from waiting import DEADLINE_S, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support" / "fixtures"))

from hosts import write_host  # noqa: E402

SPEC = "{nodeName: n1, profile: eco, cpu: {packagePowerCapWatts: 120}}\n"
NOBODY = "http://127.0.0.1:1"
INVENTORY = ROOT / "docs/examples/demo/inventory.yaml"
COMMANDS = {
    "agent": ["--root", "machine", "--spec", "spec.yaml"],
    "operator": ["--server", NOBODY, "--metrics-addr", "127.0.0.1:0"],
    "scheduler": [
        *["--server", NOBODY, "--metrics-addr", "127.0.0.1:0"],
        *["--extender-addr", "127.0.0.1:0"],
    ],
    "simulator": [
        *["--inventory", INVENTORY, "--sim-api-addr", "127.0.0.1:0"],
        *["--sim-addr", "127.0.0.1:0"],
    ],
}
STATUS = {
    "agent": "enforcing",
    "operator": "nodes were not listed yet",
    "scheduler": "nodetwins were not listed yet",
    "simulator": "simulating",
}


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.bind(str(self.folder / "notify"))
        self.manager.settimeout(DEADLINE_S)
        write_host("intel-2s", self.folder / "machine")
        (self.folder / "spec.yaml").write_text(SPEC)

    def start(self, name, arguments=None, preexec_fn=None, **env):
        with (self.folder / "log").open("ab") as log:
            program = subprocess.Popen(
                [str(DEV / "bin" / f"joulie-{name}"), *map(str, arguments or COMMANDS[name])],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": str(self.folder / "notify"), **env},
                preexec_fn=preexec_fn,
            )
        self.addCleanup(self.end, program)
        return program

    def end(self, program):
        if program.poll() is None:
            program.kill()
        program.wait(DEADLINE_S)

    def hear(self):
        try:
            return self.manager.recv(1024).decode()
        except TimeoutError:
            self.fail("nothing was said; " + (self.folder / "log").read_text())

    def hear_until(self, word):
        said = [self.hear()]
        while word not in said[-1]:
            said.append(self.hear())
        return said


class Service(Program):
    def test_each_daemon_is_ready_alive_and_stopping(self):
        for name in COMMANDS:
            with self.subTest(name):
                program = self.start(name, WATCHDOG_USEC="200000")
                said = self.hear_until("READY=1")
                self.assertEqual(said[-1].split("STATUS=")[1], STATUS[name])
                self.assertLessEqual(set(said[:-1]), {"WATCHDOG=1"})
                self.hear_until("WATCHDOG=1")
                program.send_signal(signal.SIGTERM)
                self.hear_until("STOPPING=1")
                self.assertEqual(program.wait(DEADLINE_S), 0)
                self.forget()

    def forget(self):
        """What was said before and nobody asked for."""
        self.manager.settimeout(0.01)
        try:
            while self.manager.recv(1024):
                pass
        except TimeoutError:
            self.manager.settimeout(DEADLINE_S)

    def test_a_stopped_agent_is_silent(self):
        program = self.start("agent", WATCHDOG_USEC="200000")
        self.hear_until("READY=1")
        program.send_signal(signal.SIGSTOP)
        stat = Path(f"/proc/{program.pid}/stat")
        wait_until("it is stopped", lambda: stat.read_text().rsplit(")", 1)[1].split()[0] == "T")
        self.forget()
        self.manager.settimeout(0.6)  # six times what is promised
        with self.assertRaises(TimeoutError):
            self.manager.recv(1024)
        self.manager.settimeout(DEADLINE_S)
        program.send_signal(signal.SIGCONT)
        self.hear_until("WATCHDOG=1")

    def test_who_writes_for_the_agent_has_no_socket_of_a_network(self):
        program = self.start("agent")
        self.hear_until("READY=1")
        children = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        files = [os.readlink(file) for file in Path(f"/proc/{children[0]}/fd").iterdir()]
        (inode,) = [file[8:-1] for file in files if file.startswith("socket:")]  # to the agent
        self.assertIn(inode, Path("/proc/net/unix").read_text())

    def test_a_start_that_fails_is_not_ready(self):
        program = self.start("agent")
        self.hear_until("READY=1")
        second = self.start("agent")
        self.assertEqual(second.wait(DEADLINE_S), 1)
        program.send_signal(signal.SIGTERM)
        self.assertIn("STOPPING=1", self.hear())


if __name__ == "__main__":
    unittest.main()
