#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seed corpora of the fuzz targets from the vector files: make_corpus.py VECTOR_DIR OUT_DIR."""

import hashlib
import json
import pathlib
import sys


def write(folder: pathlib.Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main() -> None:
    vectors, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for path in sorted(vectors.glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            question, document = case["question"], case["in"]
            text = json.dumps(document, ensure_ascii=False)
            write(out / "ask", question + "\n" + text)
            write(out / "json", text)
            write(out / "yaml", text)
            if question in ("quantity", "duration", "time") and isinstance(document.get("text"), str):
                write(out / "quantity", document["text"])
            if question == "trace.line" and isinstance(document.get("line"), str):
                write(out / "trace", document["line"])
    for text in ("a: 1\nb: [x, {c: 'd'}]\n---\n- &x 1\n- *x\n", "a: |\n  text\n  more\n? b\n: >-\n  folded\n"):
        write(out / "yaml", text)


if __name__ == "__main__":
    main()
