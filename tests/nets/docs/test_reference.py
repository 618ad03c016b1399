# SPDX-License-Identifier: Apache-2.0
"""The public headers are the manual: every function is documented, and the reference can be made of them."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkout import ROOT

HEADERS = sorted((ROOT / "include" / "joulie").glob("*.h"))
# A comment and the declaration right behind it.
DECLARED = re.compile(r"(/\*\*(?:(?!\*/).)*\*/)?\s*(?<!#define )JOULIE_API\s+([^;]+);", re.DOTALL)
NAME = re.compile(r"\b(joulie_\w+)\(")


def functions(text: str) -> list[tuple[str, str, str]]:
    """(name, comment, declaration)."""
    found = []
    for comment, declaration in DECLARED.findall(text):
        name = NAME.search(declaration)
        assert name, declaration
        found.append((name[1], comment or "", " ".join(declaration.split())))
    return found


def problems(text: str) -> list[str]:
    found = []
    for name, comment, declaration in functions(text):
        for word in ("@threads", "@since"):
            if word not in comment:
                found.append(f"{name}: there is no {word}")
        # What is found out, such as joulie_has_feature(), is an int that cannot fail.
        is_documented = any(word in comment for word in ("@retval", "@return", "As joulie_"))
        if declaration.startswith("int ") and not is_documented:
            found.append(f"{name}: its codes are not documented")
    return found


def doxygen(root: Path) -> str:
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(
            ["doxygen", "-"],
            input=(ROOT / "docs" / "Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY={out}\n",
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout


class Reference(unittest.TestCase):
    def test_every_function_says_its_codes_its_threads_and_since_when(self):
        found = [f"{path.name}: {line}" for path in HEADERS for line in problems(path.read_text())]
        self.assertEqual(found, [])

    def test_every_export_stands_in_a_header(self):
        text = (ROOT / "libjoulie" / "libjoulie.map").read_text()
        declared = {name for path in HEADERS for name, _, _ in functions(path.read_text())}
        self.assertEqual(set(re.findall(r"\b(joulie_\w+);", text)), declared)

    def test_a_function_without_its_codes_is_seen(self):
        text = "/** Does it. @threads any @since 0.1 */\nJOULIE_API int joulie_it(void);\n"
        self.assertEqual(problems(text), ["joulie_it: its codes are not documented"])

    def test_the_reference_is_made_without_a_warning(self):
        self.assertEqual(doxygen(ROOT), "")

    def test_a_parameter_that_does_not_exist_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "include" / "joulie"
            shutil.copytree(ROOT / "include" / "joulie", copy)
            shutil.copytree(ROOT / "docs", Path(folder) / "docs")
            header = copy / "twin.h"
            text = header.read_text()
            self.assertIn("@param in ", text)
            header.write_text(text.replace("@param in ", "@param inn ", 1))
            self.assertIn("inn", doxygen(Path(folder)))


if __name__ == "__main__":
    unittest.main()
