# SPDX-License-Identifier: Apache-2.0
"""The pure rooms keep no state and need nothing from outside, and a break is seen."""

import json
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

import purity
from checkout import RELEASE, ROOT

PLANTED = {
    "state": "static int n;\nint jl_planted(void);\nint jl_planted(void)\n{\n    return ++n;\n}\n",
    "clock": "#include <time.h>\nlong jl_planted(void);\n"
    "long jl_planted(void)\n{\n    return (long)time(NULL);\n}\n",
    "data": "int jl_planted = 7;\n",
    "upward": "int joulie_ask(void);\nint jl_planted(void);\n"
    "int jl_planted(void)\n{\n    return joulie_ask();\n}\n",
    "host": "int jl_root_folder(void);\nint jl_planted(void);\n"
    "int jl_planted(void)\n{\n    return jl_root_folder();\n}\n",
    "file": "#include <fcntl.h>\nint jl_planted(int fd);\n"
    'int jl_planted(int fd)\n{\n    return openat(fd, "name", O_RDONLY);\n}\n',
}


def compile_command(room):
    """What compiled some file of a room, without its input and output."""
    for entry in json.loads((RELEASE / "compile_commands.json").read_text()):
        if f"/libjoulie/{room}/" in entry["file"]:
            words = shlex.split(entry["command"])
            return words[: words.index("-o")]
    raise AssertionError(f"no file of {room} is compiled")


class Purity(unittest.TestCase):
    def check_planted(self, kind, room="caps"):
        """Problems of a build that has one more object."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "libjoulie" / "CMakeFiles" / "joulie_core.dir"
            copy.mkdir(parents=True)
            for file in purity.objects(RELEASE):
                (copy / file.parent.name).mkdir(exist_ok=True)
                (copy / file.parent.name / file.name).symlink_to(file)
            source = Path(folder) / "planted.c"
            source.write_text(PLANTED[kind])
            command = compile_command(room) + [
                "-o",
                str(copy / room / "planted.c.o"),
                "-c",
                str(source),
            ]
            subprocess.run(command, check=True, cwd=RELEASE)
            return purity.check(Path(folder), ROOT)

    def test_the_pure_rooms_are_pure(self):
        self.assertEqual(purity.check(RELEASE, ROOT), [])

    def test_a_static_variable_is_seen(self):
        self.assertEqual(
            self.check_planted("state"),
            ["caps/planted.c.o: .bss.n is not empty: a pure room keeps no state"],
        )

    def test_a_global_variable_is_seen(self):
        self.assertEqual(
            self.check_planted("data"),
            ["caps/planted.c.o: .data.jl_planted is not empty: a pure room keeps no state"],
        )

    def test_a_clock_is_seen(self):
        self.assertEqual(
            self.check_planted("clock"),
            ["caps/planted.c.o: needs time, which is not on the list of purity.py"],
        )

    def test_a_call_upward_is_seen(self):
        self.assertEqual(
            self.check_planted("upward"), ["caps/planted.c.o: needs joulie_ask of ask"]
        )

    def test_a_pure_room_that_reads_the_host_is_seen(self):
        self.assertEqual(
            self.check_planted("host"), ["caps/planted.c.o: needs jl_root_folder of host"]
        )

    def test_a_system_call_outside_its_file_is_seen(self):
        for room in ("host", "base"):
            self.assertEqual(
                self.check_planted("file", room),
                [f"{room}/planted.c.o: needs openat, which the library does not use"],
            )
        self.assertEqual(
            self.check_planted("file"),
            ["caps/planted.c.o: needs openat, which is not on the list of purity.py"],
        )
