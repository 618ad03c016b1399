# SPDX-License-Identifier: Apache-2.0
"""Roles of threads and verdicts about changes are those of the model."""

from __future__ import annotations

import math
import unittest
import warnings
from collections import Counter
from typing import Any

from drawing import Draw, ask, difference, is_near, joulie
from reference import threads


def drawn_features(draw: Draw) -> dict[str, float]:
    """Often at the bounds of the rules, sometimes beside them."""
    features: dict[str, float] = {
        "util": draw.choice([0.004, 0.005, 0.01, 0.2, 0.25, 0.79, 0.8, draw.uniform(0, 1)]),
        "rate": draw.choice([0.0, 19.9, 20.0, 49.0, 50.0, draw.uniform(0, 3000)]),
    }
    others = {
        "p50": draw.choice([500.0, 501.0, 1999.0, 2000.0, 5000.0, draw.uniform(1, 9000)]),
        "io": draw.choice([0.0, 0.29, 0.3, draw.random()]),
        "relay": draw.choice([0.0, 0.49, 0.5, draw.random()]),
    }
    return features | {name: value for name, value in others.items() if draw.happens(0.9)}


class Roles(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        draw, seen = Draw("thread roles"), Counter[int]()
        for _ in range(3000):
            features = drawn_features(draw)
            expected = threads.rule(features)
            answer = ask("threads.role", features)
            seen[expected] += 1
            self.assertEqual(
                (answer["rule"], answer["class"]),
                (f"R{expected}", threads.ROLES[expected]),
                difference(features, answer, expected),
            )
        self.assertEqual(set(seen), set(threads.ROLES), "every rule holds for some thread")


def drawn_pairs(draw: Draw, count: int) -> dict[str, Any]:
    baseline = [draw.choice([10.0, 11.0, draw.uniform(8, 12)]) for _ in range(count)]
    factor, noise = draw.choice([0.9, 0.97, 0.99, 1.0, 1.02, 1.1]), draw.choice([0.0, 0.01, 0.05])
    candidate = [
        value * factor * math.exp(draw.gauss(0, noise)) if draw.happens(0.9) else value
        for value in baseline
    ]
    direction = draw.choice(["lower", "higher"])
    return {"baseline": baseline, "candidate": candidate, "direction": direction}


class Trials(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        draw, seen = Draw("thread trials"), Counter[str]()
        for _ in range(400):
            document = drawn_pairs(draw, draw.randint(1, 12))
            guards = [
                {"name": f"g{i}", **drawn_pairs(draw, 5)} for i in range(draw.choice([0, 0, 1, 2]))
            ]
            main = threads.trial(**document)
            others = {
                str(guard["name"]): threads.trial(
                    guard["baseline"], guard["candidate"], guard["direction"]
                )
                for guard in guards
            }
            if abs(main.gain - 0.02) < 1e-9:
                continue  # the last bit of a logarithm would decide
            against = threads.reasons(main, others)
            answer = ask("threads.train.evaluate", {**document, "guards": guards})
            said = difference({**document, "guards": guards}, answer, (main, against))
            seen.update(against or ["keep"])
            self.assertEqual((answer["n"], answer["zeros"]), (main.differing, main.zeros), said)
            self.assertEqual(answer["w_plus"], main.w_plus, said)
            self.assertEqual(answer["p"], main.p, said)
            self.assertTrue(is_near(answer["hl"], main.effect, 1e-12), said)
            self.assertTrue(is_near(answer["gain"], main.gain, 1e-12), said)
            self.assertEqual(answer["why"], against, said)
            self.assertEqual(answer["verdict"], "reject" if against else "keep", said)
        self.assertLessEqual({"keep", "p", "gain", "n", "guard:g0"}, set(seen))


STATES = ["S", "S", "S", "D", "R", "R+", "I"]


def drawn_events(draw: Draw, is_lossy: bool) -> list[threads.Event]:
    """CPUs that switch between threads as a kernel would, or, where it is lossy, not quite."""
    cpus, tids = draw.randint(1, 3), list(range(11, 11 + draw.randint(2, 6)))
    running = {cpu: 0 for cpu in range(cpus)}
    ready: set[int] = set(draw.sample(tids, 1))
    events, ns = [], 0
    for _ in range(draw.randint(20, 120)):
        ns += draw.choice([0, 1000, 5000, 100_000])
        cpu = draw.randrange(cpus)
        tid = running[cpu]
        if draw.happens(0.4):
            other = draw.choice(tids)
            irq = draw.happens(0.3)
            events.append(threads.Event(ns, "wake", cpu, tid, other, irq=irq))
            if other not in running.values():
                ready.add(other)
            continue
        free = sorted(ready - set(running.values()))
        state = draw.choice(STATES) if tid else "R"
        to = draw.choice(free) if free and draw.happens(0.8) else 0
        if to == tid:
            continue
        said = draw.choice(tids) if is_lossy and draw.happens(0.1) else tid
        events.append(threads.Event(ns, "switch", cpu, said, to, state=state[0]))
        ready.discard(to)
        if tid and state[0] == "R":
            ready.add(tid)
        running[cpu] = to
    return events


def comm_of(tid: int) -> str:
    return f"w {tid}=x" if tid else "swapper/0"


def ftrace_line(event: threads.Event) -> str:
    time = f"{event.ns // 10**9}.{event.ns % 10**9:09}"
    flags = "d.h2." if event.irq else "d..2."
    head = f"{comm_of(event.tid):>16}-{event.tid:<7} [{event.cpu:03}] {flags} {time}: "
    if event.kind == "wake":
        name = comm_of(event.other)
        return f"{head}sched_waking: comm={name} pid={event.other} prio=120 target_cpu=000"
    return (
        f"{head}sched_switch: prev_comm={comm_of(event.tid)} prev_pid={event.tid} prev_prio=120 "
        f"prev_state={event.state} ==> next_comm={comm_of(event.other)} next_pid={event.other} "
        "next_prio=120"
    )


def perf_line(event: threads.Event, is_short: bool) -> str:
    time = f"{event.ns // 10**9}.{event.ns % 10**9:09}"
    head = f"{comm_of(event.tid):>15} {event.tid:6} [{event.cpu:03}] {time}: "
    other = comm_of(event.other)
    if event.kind == "wake" and is_short:
        return f"{head}sched:sched_waking: {other}:{event.other} [120] success=1 CPU:000"
    if event.kind == "wake":
        return f"{head}sched:sched_waking: comm={other} pid={event.other} prio=120 target_cpu=000"
    if is_short:
        return (
            f"{head}sched:sched_switch: {comm_of(event.tid)}:{event.tid} [120] {event.state} ==> "
            f"{other}:{event.other} [120]"
        )
    return f"{head}sched:{ftrace_line(event).split(': ', 1)[1]}"


class Traces(unittest.TestCase):
    def answer(self, document: dict[str, Any], coverage: float) -> Any:
        """With a warning where some events are missing, and only there."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = ask("threads.train.analyze", document)
        self.assertEqual(len(caught), int(coverage < 0.98), document)
        return answer

    def check(self, is_perf: bool, is_lossy: bool, seen: Counter[str]) -> None:
        draw = Draw(f"thread traces {is_perf} {is_lossy}")
        for _ in range(250):
            events = drawn_events(draw, is_lossy)
            if sum(e.kind == "switch" for e in events) == 0 or events[0].ns == events[-1].ns:
                continue
            everyone = sorted({e.tid for e in events} | {e.other for e in events} - {0})
            members = draw.maybe(0.6, set(draw.sample(everyone, max(1, len(everyone) // 2))))
            is_short = draw.happens(0.5)
            lines = [perf_line(e, is_short) if is_perf else ftrace_line(e) for e in events]
            if is_perf:
                events = [
                    threads.Event(e.ns, e.kind, e.cpu, e.tid, e.other, e.state) for e in events
                ]
            expected, coverage = threads.features(events, members, not is_perf)
            tids = sorted(members) if members is not None else None
            document = {"trace": "\n".join(lines), "tids": tids}
            if coverage < 0.8:
                with self.assertRaises(joulie.Error) as caught:
                    ask("threads.train.analyze", document)
                self.assertIn("E_TRACE_LOSSY", str(caught.exception))
                seen["lossy"] += 1
                continue
            answer = self.answer(document, coverage)
            self.assertTrue(is_near(answer["coverage"], coverage), document)
            for thread in answer["threads"]:
                known = expected[thread["tid"]]
                names = set(known) | set(thread) & {"p50", "lat50", "io", "relay", "irq", "invol"}
                for name in names:
                    seen[name] += 1
                    said = difference(document, thread, known)
                    self.assertTrue(is_near(thread.get(name), known.get(name)), f"{name} {said}")

    def test_are_read_as_the_model_reads_them(self) -> None:
        seen = Counter[str]()
        for is_perf in (False, True):
            for is_lossy in (False, True):
                self.check(is_perf, is_lossy, seen)
        wanted = {"p50", "p99", "io", "relay", "irq", "invol", "lat99", "lossy"}
        self.assertLessEqual(wanted, set(seen))


def drawn_crowd(draw: Draw) -> list[dict[str, Any]]:
    kinds = [
        {
            "util": draw.uniform(0.01, 0.6),
            "rate": draw.uniform(20, 3000),
            "p50": draw.uniform(5, 5000),
            "io": draw.random(),
            "relay": draw.random(),
            "out": draw.uniform(0, 3000),
            "irq": draw.random(),
        }
        for _ in range(draw.randint(1, 5))
    ]
    spread = draw.choice([0.0, 0.02, 0.3])
    crowd = []
    for tid in range(draw.randint(0, 30)):
        kind = draw.choice(kinds)
        one: dict[str, Any] = {
            name: value * (1 - spread * draw.random()) for name, value in kind.items()
        }
        one["p99"] = one["p50"] * 2
        for name in ("p50", "p99", "io", "irq"):
            if draw.happens(0.05):
                del one[name]
        crowd.append({"tid": 100 - tid, "comm": draw.choice("ab"), **one})
    return crowd


class Clusters(unittest.TestCase):
    def test_are_those_of_the_model(self) -> None:
        draw, seen = Draw("thread clusters"), Counter[int]()
        for _ in range(60):
            crowd, seed = drawn_crowd(draw), draw.randint(0, 99)
            busy = sorted(
                (one for one in crowd if threads.rule(one) != 1),
                key=lambda one: (one["comm"], one["tid"]),
            )
            of, silhouette = threads.clusters([threads.position(one) for one in busy], seed)
            groups = [
                [one["tid"] for one, cluster in zip(busy, of) if cluster == c] for c in set(of)
            ]
            answer = ask("threads.train.analyze", {"features": crowd, "seed": seed})
            said = difference(crowd, answer, (groups, silhouette))
            found = [cluster["tids"] for cluster in answer["clusters"]]
            self.assertEqual(sorted(found), sorted(groups), said)
            self.assertTrue(is_near(answer.get("silhouette"), silhouette, 1e-9), said)
            sums = [cluster["util_sum"] for cluster in answer["clusters"]]
            self.assertEqual(sums, sorted(sums, reverse=True), said)
            seen[len(groups)] += 1
        self.assertGreater(len(seen), 4, "several numbers of clusters")


if __name__ == "__main__":
    unittest.main()
