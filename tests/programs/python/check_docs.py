# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a page, in its order, and those of the package: check_docs.py PAGE."""

import doctest
import importlib
import pkgutil
import re
import sys
from pathlib import Path

from checkout import use_package

use_package()
import joulie  # noqa: E402


def examples_of(page: Path) -> str:
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return "\n".join(block for block in blocks if block.startswith(">>>"))


def main() -> int:
    page = Path(sys.argv[1])
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(examples_of(page), {}, page.name, str(page), 0)
    runner.run(test)
    failed, attempted = runner.summarize(verbose=False)
    for module in pkgutil.iter_modules(joulie.__path__, "joulie."):
        found = doctest.testmod(importlib.import_module(module.name))
        failed, attempted = failed + found.failed, attempted + found.attempted
    print(f"{attempted} examples, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
