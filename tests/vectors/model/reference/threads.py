# SPDX-License-Identifier: Apache-2.0
"""What training does with the threads of a workload, from the text of docs/rules/threads-training.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Mapping, Sequence

ROLES = {
    1: "sporadic",
    2: "sync_compute",
    3: "io_wake_chain",
    4: "latency_critical",
    5: "sync_compute",
    6: "sporadic",
}


# ---- roles ----


def burst_us(features: Mapping[str, float]) -> float | None:
    if "p50" in features:
        return features["p50"]
    if features["rate"] > 0:
        return features["util"] / features["rate"] * 1e6
    return features.get("run_us")


def rule(features: Mapping[str, float]) -> int:
    util, rate, burst = features["util"], features["rate"], burst_us(features)
    waits = features.get("io", 0) >= 0.3 or features.get("relay", 0) >= 0.5
    if util < 0.005 and rate < 20:
        return 1
    if util >= 0.2 and (util >= 0.8 or (burst is not None and burst >= 2000)):
        return 2
    if burst is not None and burst <= 500 and util < 0.25 and waits:
        return 3
    if burst is not None and rate >= 50 and burst <= 5000 and util >= 0.01:
        return 4
    return 5 if util >= 0.2 else 6


# ---- trials ----


@dataclass(frozen=True)
class Trial:
    differing: int
    zeros: int
    w_plus: float
    p: float
    effect: float

    @property
    def gain(self) -> float:
        return math.expm1(self.effect)


def same(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-12


def ranks(sizes: Sequence[float]) -> list[Fraction]:
    """Of sizes in ascending order; equal ones share the mean of theirs."""
    shared: list[Fraction] = []
    for size in sizes:
        equal = [i + 1 for i, other in enumerate(sizes) if same(size, other)]
        shared.append(Fraction(sum(equal), len(equal)))
    return shared


def chance(shared: Sequence[Fraction], least: Fraction) -> Fraction:
    """Every way to give signs, one by one: what the library does by sums it has to do by counting."""
    count = len(shared)
    hits = 0
    for size in range(count + 1):
        for positive in combinations(shared, size):
            hits += sum(positive, Fraction(0)) >= least
    return Fraction(hits, 2**count)


def trial(baseline: Sequence[float], candidate: Sequence[float], direction: str) -> Trial:
    sign = 1 if direction == "higher" else -1
    values = [sign * math.log(b / a) for a, b in zip(baseline, candidate)]
    differing = sorted((d for d in values if not same(d, 0)), key=abs)
    shared = ranks([abs(d) for d in differing])
    w_plus = sum((r for r, d in zip(shared, differing) if d > 0), Fraction(0))
    count = len(values)
    means = [(values[i] + values[j]) / 2 for i in range(count) for j in range(i, count)]
    return Trial(
        len(differing),
        len(values) - len(differing),
        float(w_plus),
        float(chance(shared, w_plus)),
        median(means),
    )


def reasons(main: Trial, guards: Mapping[str, Trial]) -> list[str]:
    """What speaks against a change."""
    against = []
    if main.p > 0.05:
        against.append("p")
    if main.gain < 0.02:
        against.append("gain")
    against += [f"guard:{name}" for name, one in guards.items() if one.effect < -math.log(1.05)]
    if main.differing < 8:
        against.append("n")
    return against


# ---- traces ----


@dataclass(frozen=True)
class Event:
    """kind: switch, wake, fork. tid is who leaves, wakes or forks; other who comes, is woken, is made."""

    ns: int
    kind: str
    cpu: int
    tid: int
    other: int
    state: str = "S"
    irq: bool = False


@dataclass
class Life:
    """What happened to one thread, in order: (ns, word, detail)."""

    steps: list[tuple[int, str, str]]


def nearest_rank(values: Sequence[int], percent: int) -> float:
    ordered = sorted(values)
    return ordered[math.ceil(Fraction(percent, 100) * len(ordered)) - 1] / 1000


def lives(events: Sequence[Event]) -> tuple[dict[int, Life], int]:
    """Every thread's steps, and the switches that do not fit the one before."""
    of: dict[int, Life] = {}
    running: dict[int, int] = {}
    mismatches = 0

    def add(tid: int, ns: int, word: str, detail: str = "") -> None:
        if tid:
            of.setdefault(tid, Life([])).steps.append((ns, word, detail))

    for event in events:
        if event.kind == "wake":
            add(event.tid if not event.irq else 0, event.ns, "wakes", str(event.other))
            add(event.other, event.ns, "woken", "irq" if event.irq or not event.tid else str(event.tid))
            continue
        known = running.get(event.cpu)
        if known is not None and known != event.tid:
            mismatches += 1
            add(known, event.ns, "lost")
        add(event.tid, event.ns, "began" if known is None else "", "")
        add(event.tid, event.ns, "out", event.state)
        add(event.other, event.ns, "in")
        running[event.cpu] = event.other
    return of, mismatches


def features(
    events: Sequence[Event], members: set[int] | None, has_irq: bool
) -> tuple[dict[int, dict[str, float]], float]:
    """Per thread, and the coverage. The events are in order of time."""
    of, mismatches = lives(events)
    first, last = events[0].ns, events[-1].ns
    seconds = (last - first) / 1e9
    inside = set(of) if members is None else members
    sleeping: dict[int, bool] = {}
    switches = sum(event.kind == "switch" for event in events)

    # A wake-up counts where the thread was not runnable; that is found thread by thread first.
    counted: dict[tuple[int, int], list[str]] = {}
    results: dict[int, dict[str, float]] = {}
    del sleeping
    woken_by: dict[int, list[tuple[int, int]]] = {}
    for tid, life in of.items():
        runnable: bool | None = None
        for ns, word, detail in life.steps:
            if word == "woken":
                if runnable is not True:
                    counted.setdefault((tid, ns), []).append(detail)
                    if detail != "irq":
                        woken_by.setdefault(int(detail), []).append((ns, tid))
                    runnable = True
            elif word == "out":
                runnable = detail == "R"
            elif word == "in":
                runnable = True
            elif word == "lost":
                runnable = None
            elif word == "began":
                runnable = True if runnable is None else runnable
    for tid, life in of.items():
        results[tid] = one_life(tid, life, first, last, inside, counted, woken_by)
        mine = woken_by.get(tid, [])
        if not has_irq:
            mine = [(ns, other) for ns, other in mine if tid in inside and other in inside]
            if "irq" in results[tid]:
                results[tid]["irq"] = 0
        results[tid]["out"] = len(mine) / seconds
    return results, max(0.0, 1 - mismatches / switches)


def one_life(
    tid: int,
    life: Life,
    first: int,
    last: int,
    inside: set[int],
    counted: Mapping[tuple[int, int], list[str]],
    woken_by: Mapping[int, list[tuple[int, int]]],
) -> dict[str, float]:
    state = "unknown"
    since = burst = run = 0
    burst_start: int | None = None  # when the present burst began, if that was seen
    starter = ""
    bursts: list[int] = []
    latencies: list[int] = []
    sleeps: list[str] = []
    outs = {"voluntary": 0, "involuntary": 0}
    relays = wakes = irqs = 0
    slept_in = ""
    for ns, word, detail in life.steps:
        if word == "lost":
            state, burst_start = "unknown", None
        elif word == "began" and state == "unknown":
            state, since, burst_start = "running", first, None
        elif word == "woken" and state in ("unknown", "asleep") and detail in counted.get((tid, ns), []):
            if state == "asleep":
                sleeps.append(slept_in)
            wakes += 1
            irqs += detail == "irq"
            state, since, starter = "woken", ns, detail
        elif word == "in":
            if state == "woken":
                latencies.append(ns - since)
                burst_start, burst = ns, 0
            elif state == "asleep":
                burst_start, burst, starter = ns, 0, "unseen"
            elif state != "preempted":
                burst_start = None
            state, since = "running", ns
        elif word == "out":
            if state == "running":
                run += ns - since
                burst += ns - since
            else:
                burst_start = None
            if detail == "R":
                outs["involuntary"] += 1
                state = "preempted"
                continue
            outs["voluntary"] += 1
            if burst_start is not None:
                bursts.append(burst)
                helped = any(
                    burst_start <= at <= ns and other in inside
                    for at, other in woken_by.get(tid, [])
                )
                is_inside = starter.isdigit() and int(starter) in inside and tid in inside
                relays += is_inside and helped
            burst_start = None
            state, slept_in = "asleep", detail
    if state == "running":
        run += last - since
    seconds = (last - first) / 1e9
    known: dict[str, float] = {"util": run / (last - first), "run_us": run / 1000}
    known["rate"] = outs["voluntary"] / seconds
    if bursts:
        known |= {"p50": nearest_rank(bursts, 50), "p99": nearest_rank(bursts, 99)}
    if latencies:
        known |= {"lat50": nearest_rank(latencies, 50), "lat99": nearest_rank(latencies, 99)}
    if sleeps:
        known["io"] = sleeps.count("D") / len(sleeps)
    if outs["voluntary"]:
        known["relay"] = relays / outs["voluntary"]
    if wakes:
        known["irq"] = irqs / wakes
    if sum(outs.values()):
        known["invol"] = outs["involuntary"] / sum(outs.values())
    return known


# ---- clusters ----

WEIGHTS = (2, 1, 2, 2, 1, 1, 0.5, 0.5)
MASK = (1 << 64) - 1


class SplitMix:
    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def unit(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return ((mixed ^ (mixed >> 31)) >> 11) / 2**53


def position(of: Mapping[str, float]) -> tuple[float, ...]:
    def decades(value: float, most: int) -> float:
        return min(1.0, math.log10(1 + value) / most)

    burst = burst_us(of)
    times = [1.0 if t is None else decades(t, 6) for t in (burst, of.get("p99", burst))]
    shares = [of.get(name, 0) for name in ("io", "relay", "out", "irq")]
    return (
        *times,
        decades(of["rate"], 5),
        min(1.0, of["util"]),
        *shares[:2],
        decades(shares[2], 5),
        shares[3],
    )


def squared(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(w * (x - y) ** 2 for w, x, y in zip(WEIGHTS, a, b))


Point = tuple[float, ...]


def settle(points: Sequence[Point], k: int, random: SplitMix) -> tuple[float, list[int]]:
    count = len(points)
    centres = [points[int(random.unit() * count)]]
    while len(centres) < k:
        nearest = [min(squared(p, c) for c in centres) for p in points]
        total, chosen = sum(nearest), len(centres) % count
        if total > 0:
            until, running = random.unit() * total, 0.0
            for chosen, one in enumerate(nearest):
                running += one
                if running > until:
                    break
        centres.append(points[chosen])
    before: list[int] = []
    for _ in range(100):
        away = [[squared(p, c) for c in centres] for p in points]
        of = [row.index(min(row)) for row in away]
        own = [min(row) for row in away]
        for c in range(k):
            if c not in of:
                farthest = own.index(max(own))
                of[farthest], own[farthest] = c, 0
        if of == before:
            break
        before = of
        for c in range(k):
            members = [p for p, cluster in zip(points, of) if cluster == c]
            if members:
                centres[c] = tuple(sum(axis) / len(members) for axis in zip(*members))
    return sum(squared(p, centres[c]) for p, c in zip(points, of)), of


def silhouette(points: Sequence[Point], of: Sequence[int]) -> float:
    total = 0.0
    for p, own in zip(points, of):
        means = {}
        for c in set(of):
            others = [math.sqrt(squared(p, q)) for q, cluster in zip(points, of) if cluster == c]
            size = len(others) - (c == own)
            means[c] = sum(others) / size if size else None
        inside = means.pop(own)
        if inside is None or not means:
            continue
        outside = min(mean for mean in means.values() if mean is not None)
        total += (outside - inside) / max(inside, outside) if max(inside, outside) > 0 else 0
    return total / len(points)


def clusters(points: Sequence[Point], seed: int) -> tuple[list[int], float | None]:
    """Which cluster each point is in, and the silhouette."""
    count = len(points)
    if count <= 2:
        return list(range(count)), None
    best: tuple[float, list[int]] = (-2.0, [])
    for k in range(2, min(8, count - 1) + 1):
        random, least = SplitMix(seed + k), (math.inf, [0])
        for _ in range(8):
            found = settle(points, k, random)
            if found[0] < least[0] - 1e-12:
                least = found
        score = silhouette(points, least[1])
        if score > best[0]:
            best = (score, least[1])
    return ([0] * count, None) if best[0] < 0.25 else (best[1], best[0])
