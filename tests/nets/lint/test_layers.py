# SPDX-License-Identifier: Apache-2.0
"""The include rule holds, and the test that says so sees a break."""

import shutil
import tempfile
import unittest
from pathlib import Path

import layers
from checkout import ROOT


class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = Path(folder.name)

    def copy_checkout(self):
        for name in ("libjoulie", "daemons", "tests/nets/lint"):
            shutil.copytree(ROOT / name, self.copy / name)

    def plant(self, file, line):
        path = self.copy / file
        path.write_text(path.read_text() + line + "\n")

    def test_the_checkout_keeps_the_layers(self):
        self.assertEqual(layers.check(ROOT), [])

    def test_every_room_is_in_the_list(self):
        rules = layers.read_rules(ROOT / "tests" / "nets" / "lint" / "layers.txt")
        rooms = {path.name for path in (ROOT / "libjoulie").iterdir() if path.is_dir()}
        self.assertEqual(rooms - set(rules.level), set())

    def test_an_upward_include_is_seen(self):
        self.copy_checkout()
        self.plant("libjoulie/base/text.h", '#include "ask/ask.h"')
        found = layers.check(self.copy)
        self.assertTrue(any("base must not include" in text for text in found), found)

    def test_a_sideways_include_is_seen(self):
        self.copy_checkout()
        self.plant("libjoulie/caps/caps.h", '#include "policy/policy.h"')
        found = layers.check(self.copy)
        self.assertTrue(
            any('caps must not include "policy/policy.h"' in text for text in found), found
        )

    def test_a_program_that_includes_a_rule_is_seen(self):
        self.copy_checkout()
        self.plant("daemons/cli/main.c", '#include "policy/policy.h"')
        found = layers.check(self.copy)
        self.assertTrue(any("daemons/cli must not include" in text for text in found), found)

    def test_a_circle_inside_a_room_is_seen(self):
        self.copy_checkout()
        self.plant("libjoulie/base/text.h", '#include "base/buffer.h"')
        found = layers.check(self.copy)
        self.assertTrue(any("include each other" in text for text in found), found)

    def test_an_include_that_does_not_exist_is_seen(self):
        self.copy_checkout()
        self.plant("libjoulie/base/text.c", '#include "base/nothing.h"')
        found = layers.check(self.copy)
        self.assertTrue(any("is not found" in text for text in found), found)
