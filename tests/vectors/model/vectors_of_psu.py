# SPDX-License-Identifier: Apache-2.0
"""The cases of libjoulie-score-psu-current.json: the stress of supplies in the score."""

from __future__ import annotations

from typing import Any

from reference.points import Node, psu_points, raw_scores

Case = dict[str, Any]
NOW = "2026-03-13T12:00:00Z"
FRESH = "2026-03-13T11:59:00Z"
STALE = "2026-03-13T11:00:00Z"
WEIGHT = 0.05


def node_object(name: str, node: Node) -> Case:
    status: Case = {
        "schedulableClass": "eco" if node.is_eco else "performance",
        "predictedPowerHeadroomScore": node.headroom,
        "predictedCoolingStressScore": node.cooling,
        "lastUpdated": STALE if node.is_stale else FRESH,
    }
    if node.psu is not None:
        status["predictedPsuStressScore"] = node.psu
    profile = "eco" if node.is_eco else "performance"
    twin = {"metadata": {"name": name}, "spec": {"nodeName": name, "profile": profile}}
    return {"name": name, "twin": {**twin, "status": status}}


def score_of(name: str, node: Node, raw: float, psu: float) -> Case:
    if node.is_stale:
        return {"node": name, "basis": "stale", "raw": None, "terms": None}
    terms = {"psu": psu if psu else None}  # absent where it has no influence
    whole = int(min(max(raw, 0), 100))
    return {"node": name, "basis": "fresh", "raw": raw, "score": whole, "terms": terms}


def psu_case(
    name: str,
    nodes: list[Node],
    weight: float | None = None,
    rules: str | None = None,
    word: str = "standard",
) -> Case:
    counts = WEIGHT if weight is None else weight
    if rules == "v0.1.1":
        counts = 0
    names = [f"n{i}" for i in range(len(nodes))]
    raws = raw_scores(nodes, counts, word == "standard")
    points = psu_points(nodes, counts)
    document: Case = {
        "pod": {
            "metadata": {"name": "p", "annotations": {"joulie.io/workload-class": word}},
            "spec": {"containers": [{"name": "c"}]},
        },
        "nodes": [node_object(*pair) for pair in zip(names, nodes)],
        "now": NOW,
    }
    if weight is not None:
        document["scoring"] = {"psuWeight": weight}
    if rules is not None:
        document["profileName"] = rules
    rows = [score_of(*row) for row in zip(names, nodes, raws, points)]
    out = {"passed": names, "scores": rows}
    return {"id": f"psu-{name}", "question": "score", "in": document, "out": out}


def psu_cases() -> list[Case]:
    low, high = Node(70, 20, 10), Node(70, 20, 90)
    unknown = Node(70, 20)
    cases = [
        psu_case("low-and-high", [low, high]),
        psu_case("unknown-between", [low, unknown, high]),
        psu_case("unknown-beside-high", [unknown, high]),
        psu_case("unknown-beside-low", [unknown, low]),
        psu_case("nobody-known", [unknown, Node(40, 60)]),
        psu_case("all-equal", [low, low, low]),
        psu_case("one-node", [high]),
        psu_case("no-stress-is-a-value", [Node(70, 20, 0), high]),
        psu_case("over-full-supply", [Node(70, 20, 100), Node(70, 20, 33.25)]),
        psu_case("stale-is-not-in-the-mean", [low, high, Node(70, 20, 100, is_stale=True)]),
        psu_case("only-a-stale-one-is-known", [unknown, Node(70, 20, 100, is_stale=True)]),
        psu_case("eco", [Node(55.5, 12.25, 61, is_eco=True), high, unknown]),
        psu_case("performance-pod", [low, high, unknown], word="performance"),
        psu_case("turns-the-order", [Node(72, 20, 95), Node(70, 20, 15)]),
        psu_case("does-not-turn-the-order", [Node(90, 20, 95), Node(70, 20, 15)]),
        psu_case("below-0", [Node(-40, 100, 100), Node(-30, 100, 0)]),
        psu_case("as-v0.1.1", [low, high, unknown], rules="v0.1.1"),
    ]
    for weight in (0, 0.15, 1, 10):
        cases.append(psu_case(f"weight-{weight}", [low, high, unknown], weight))
    refused = psu_case("weight-out-of-bounds", [low], 10.5)
    del refused["out"]
    return [*cases, {**refused, "error": {"code": "range", "where": "scoring.psuWeight"}}]
