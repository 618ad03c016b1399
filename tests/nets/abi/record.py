# SPDX-License-Identifier: Apache-2.0
"""Net 2: the recorded layout of a release must be a prefix of today's."""

from __future__ import annotations

from typing import Any

Layout = dict[str, Any]


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def struct_problems(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    name = f"struct {old['name']}"
    grows = old["members"][0]["name"] == "struct_size"
    found = []
    if old["align"] != new["align"]:
        found.append(f"{name}: alignment was {old['align']}, is {new['align']}")
    if new["size"] < old["size"] or (new["size"] != old["size"] and not grows):
        found.append(f"{name}: size was {old['size']}, is {new['size']}")
    count = len(old["members"])
    for was, now in zip(old["members"], new["members"]):
        if was != now:
            found.append(f"{name}: was {member(was)}, is {member(now)}")
    found += [f"{name}: {member(gone)} is gone" for gone in old["members"][len(new["members"]) :]]
    for added in new["members"][count : count + 1]:
        if added["offset"] < old["size"]:
            found.append(f"{name}: {member(added)} lies in bytes that old callers left dirty")
    return found


def member(row: dict[str, Any]) -> str:
    return f"{row['type']} {row['name']} at {row['offset']}, {row['size']} bytes"


def values_problems(kind: str, old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    """Names keep their values."""
    today = by_name(new)
    found = []
    for row in old:
        if row["name"] not in today:
            found.append(f"{kind} {row['name']} is gone")
        elif today[row["name"]]["value"] != row["value"]:
            found.append(
                f"{kind} {row['name']} was {row['value']}, is {today[row['name']]['value']}"
            )
    return found


def signature(row: dict[str, Any]) -> str:
    """Parameters without their names, which may change."""
    parameters = ", ".join(part["type"] for part in row["parameters"])
    return f"{row['returns']} {row['name']}({parameters})"


def problems(old: Layout, new: Layout) -> list[str]:
    """What a program that was built against old would stumble over with new."""
    found = values_problems("constant", old["constants"], new["constants"])
    found += values_problems("text", old["texts"], new["texts"])
    for kind in ("structs", "handles", "enums", "callbacks", "functions"):
        today = by_name(new[kind])
        for row in old[kind]:
            now = today.get(row["name"])
            if now is None:
                found.append(f"{kind[:-1]} {row['name']} is gone")
            elif kind == "structs":
                found += struct_problems(row, now)
            elif kind == "enums":
                found += values_problems(f"enum {row['name']}:", row["values"], now["values"])
            elif kind != "handles" and signature(row) != signature(now):
                found.append(f"{kind[:-1]} was {signature(row)}, is {signature(now)}")
    return found
