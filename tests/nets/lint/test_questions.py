# SPDX-License-Identifier: Apache-2.0
"""Every question has its line in the table, and the table is in order."""

import json
import re
import subprocess
import unittest

from checkout import RELEASE, ROOT

ASK = ROOT / "libjoulie" / "ask"


class Questions(unittest.TestCase):
    def names(self):
        text = subprocess.run(
            [RELEASE / "bin" / "joulie", "ask", "--list", "-o", "json"],
            stdout=subprocess.PIPE,
            check=True,
        )
        return [question["name"] for question in json.loads(text.stdout)]

    def test_the_table_is_sorted_and_has_no_name_twice(self):
        names = self.names()
        self.assertEqual(names, sorted(set(names)))

    def test_every_question_that_is_defined_is_registered(self):
        defined = set()
        for file in ASK.glob("*.c"):
            text = file.read_text()
            defined |= set(re.findall(r"^const struct jl_question jl_question_(\w+) =", text, re.M))
            defined |= set(re.findall(r"^JL_QUESTION(?:_OF)?\((\w+),", text, re.M))
        registered = set(re.findall(r"^ +Q\((\w+)\)", (ASK / "questions.c").read_text(), re.M))
        self.assertEqual(defined, registered)

    def test_every_question_is_described(self):
        for name in self.names():
            with self.subTest(name):
                done = subprocess.run(
                    [RELEASE / "bin" / "joulie", "ask", "--describe", name, "-o", "json"],
                    stdout=subprocess.PIPE,
                    check=True,
                )
                described = json.loads(done.stdout)
                self.assertTrue(described["summary"])
                for member in described["input"] + described["output"]:
                    self.assertTrue(
                        member.get("description"), f"{name}: {member['path']} has no description"
                    )
