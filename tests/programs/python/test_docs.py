# SPDX-License-Identifier: Apache-2.0
"""What docs/python.md and the docstrings show happens."""

import re
import unittest
from pathlib import Path

import environment
from checkout import ROOT, use_package

use_package()
import joulie  # noqa: E402

HERE = Path(__file__).resolve().parent


class Docs(unittest.TestCase):
    def test_every_example_does_what_it_shows(self):
        python = environment.python_with(*environment.NUMPY)
        done = environment.run(python, HERE / "check_docs.py", ROOT / "docs" / "python.md")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(int(re.search(r"(\d+) examples", done.stdout)[1]), 40)

    def test_the_example_prints_what_it_shows(self):
        python = environment.python_with(*environment.NUMPY)
        done = environment.run(python, ROOT / "docs" / "examples" / "python" / "what_if.py")
        shown = (ROOT / "docs" / "examples" / "python" / "what_if.out").read_text()
        self.assertEqual(done.stdout, shown)
        # what has no measurement is no machine with headroom; a lower cap never gives headroom
        rows = [[float(word) for word in line.split()] for line in shown.splitlines()[1:]]
        allowed, above, unseen = zip(*(row[1:] for row in rows))
        self.assertEqual(set(unseen), {20})
        self.assertEqual(list(allowed), sorted(allowed, reverse=True))
        self.assertEqual(list(above), sorted(above))
        self.assertEqual(allowed[1], round(allowed[0] * 0.8, 1))

    def test_what_is_offered_is_described(self):
        for name in joulie.__all__:
            found = getattr(joulie, name)
            if callable(found) and getattr(found, "__module__", "").startswith("joulie._"):
                self.assertTrue(found.__doc__, name)
                for inner in vars(found) if isinstance(found, type) else ():
                    member = getattr(found, inner)
                    if not inner.startswith("_") and callable(member) and inner in vars(found):
                        self.assertTrue(getattr(member, "__doc__", None), f"{name}.{inner}")


if __name__ == "__main__":
    unittest.main()
