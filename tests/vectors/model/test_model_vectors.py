# SPDX-License-Identifier: Apache-2.0
"""The vectors of this model are what it works out, digit by digit."""

from __future__ import annotations

import unittest

from checkout import ROOT
from vectors_of_model import FILES, text_of

VECTORS = ROOT / "tests" / "vectors"


class Vectors(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        for name in FILES:
            with self.subTest(name):
                written = (VECTORS / f"{name}.json").read_text(encoding="utf-8")
                self.assertEqual(written, text_of(name))


if __name__ == "__main__":
    unittest.main()
