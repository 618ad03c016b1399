#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built-in thread profiles as C: make_builtin_profiles.py PROFILES.json OUT.c."""

import json
import sys

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */

/* Made by make_builtin_profiles.py of builtin_profiles.json. */

#include "threads/profiles.h"

const char *const jl_builtin_profiles[] = {
"""


def main(profiles: str, out: str) -> None:
    with open(profiles, encoding="utf-8") as file:
        texts = [json.dumps(profile, separators=(",", ":")) for profile in json.load(file)]
    with open(out, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for text in texts:
            file.write(f"    {json.dumps(text)},\n")
        file.write("};\n\n")
        file.write(f"const size_t jl_builtin_profile_count = {len(texts)};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
