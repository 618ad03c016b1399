# SPDX-License-Identifier: Apache-2.0
"""joulie threads: the commands over profiles (docs/rules/commands.md#threads)."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import DEV, ROOT

JOULIE = str(DEV / "bin" / "joulie")
BUILTIN = json.loads((ROOT / "libjoulie/threads/builtin_profiles.json").read_text())


def threads(*arguments, text=""):
    return subprocess.run(
        [JOULIE, "threads", *arguments],
        input=text.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )


class Profiles(unittest.TestCase):
    def test_show_prints_toml_or_what_the_tree_holds(self):
        for profile in BUILTIN:
            with self.subTest(profile["id"]):
                toml = threads("show", profile["id"]).stdout.decode()
                self.assertTrue(toml.startswith(f'schema_version = 1\nid = "{profile["id"]}"\n'))
                self.assertEqual(toml.count("[[thread_groups]]"), len(profile["thread_groups"]))
                shown = json.loads(threads("show", profile["id"], "-o", "json").stdout)
                self.assertEqual(shown, profile)

    def test_an_unknown_profile_is_named(self):
        done = threads("show", "nope")
        error = json.loads(done.stdout)["error"]
        self.assertEqual((done.returncode, error["code"], error["where"]), (1, "enum", "ID"))

    def test_list_has_every_built_in_profile(self):
        listed = json.loads(threads("list").stdout)["profiles"]
        self.assertEqual([p["id"] for p in listed], [p["id"] for p in BUILTIN])

    def test_lint_names_the_file_and_exits_with_1_for_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            good = Path(folder) / "good.json"
            bad = Path(folder) / "bad.yaml"
            good.write_text(json.dumps(BUILTIN[0]))
            bad.write_text("schema_version: 1\nid: a\nthread_groups: []\n")
            done = threads("lint", str(good), str(bad))
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([line["file"] for line in lines], [str(good), str(bad)])
            self.assertEqual(lines[0]["errors"], 0)
            found = {(f["code"], f["path"]) for f in lines[1]["findings"]}
            self.assertEqual(
                found, {("E_MISSING", "fingerprint"), ("E_MISSING", "thread_groups")}
            )
            self.assertEqual(done.returncode, 1)
            self.assertEqual(threads("lint", str(good)).returncode, 0)


if __name__ == "__main__":
    unittest.main()
