# SPDX-License-Identifier: Apache-2.0
"""A whole autoscaler that remembers: samples, layers, rules, one recommendation
(docs/rules/autoscaling.md#configuration). Times are whole milliseconds since 1970."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

from .amounts import RESOURCES, Amounts, Pair, Resource, round_up
from .cron import window
from .external import allowed, in_tflops
from .forecast import Prediction, Series
from .histogram import DAY_S, Confidence, Histogram, Peaks, covered_minutes
from .limits import LimitsInput, limits, window_s
from .merge import MergeBounds, Proposal, merge
from .replicas import Replicas, ReplicasInput
from .requests import Percentiles, RequestsInput, fractions, requests
from .situation import (
    Answer,
    Changed,
    Config,
    LimitsLayer,
    ReplicasLayer,
    RequestsLayer,
    Sample,
    Situation,
    Worker,
    hottest,
)

AHEAD_MS = 5_000
YOUNG_MS = 30_000
FIRST_DELAY_MS = 60_000
LIMITS_HALF_LIFE_S = 12 * 3600
LIMITS_PERCENTILE = 0.99

# ---- what it remembers ----


@dataclass
class Recent:
    """A sample of the last minutes."""

    sample: Sample
    tflops_limit: float
    is_throttled: bool
    is_killed: bool
    is_answered: bool = False

    def is_in(self, now_ms: int, window_ms: float) -> bool:
        return now_ms - window_ms < self.sample.at_ms <= now_ms

    def is_open(self, now_ms: int, evaluated_ms: int | None) -> bool:
        """Nobody has answered it, and it came after the evaluation before."""
        at_ms = self.sample.at_ms
        is_new = evaluated_ms is None or at_ms > evaluated_ms
        return not self.is_answered and is_new and at_ms <= now_ms


class Memory:
    """What a layer knows of the past."""

    def __init__(
        self,
        period_ms: int,
        half_life_s: float,
        prediction: Prediction | None,
        kind: Literal["max", "mean"],
    ) -> None:
        self.period_ms = period_ms
        self.histograms: dict[Resource, Histogram] = {
            "tflops": Histogram("tflops", half_life_s),
            "vram": Histogram("vram", half_life_s),
        }
        self.peaks = Peaks(self.histograms["vram"])
        self.confidence = Confidence()
        self.series: dict[Resource, Series] = {}
        if prediction is not None:
            self.series = {name: Series(prediction, kind) for name in RESOURCES}

    def add(self, sample: Sample, last_ms: int | None) -> None:
        at_s = sample.at_ms / 1000
        since_ms = self.period_ms if last_ms is None else sample.at_ms - last_ms
        minutes = covered_minutes(since_ms / 1000)
        self.histograms["tflops"].add(sample.tflops, minutes, at_s)
        self.peaks.add(sample.worker, sample.vram, at_s)
        self.confidence.add(minutes, at_s)
        for series, value in zip(self.series.values(), (sample.tflops, sample.vram)):
            series.add(sample.worker, value, sample.at_ms)

    def forecast(self, resource: Resource) -> float | None:
        return self.series[resource].forecast() if resource in self.series else None


class Engine:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.memories: dict[str, Memory] = {}
        if config.limits is not None:
            self.memories["limits"] = Memory(
                config.limits.period_ms, LIMITS_HALF_LIFE_S, config.limits.prediction, "max"
            )
        if config.requests is not None:
            half_life_s = config.requests.aggregation_ms / 2000
            self.memories["requests"] = Memory(
                config.requests.period_ms, half_life_s, config.requests.prediction, "mean"
            )
        self.last: dict[str, Sample] = {}
        self.throttled_counts: dict[str, float] = {}
        self.oom_counts: dict[str, float] = {}
        self.recent: list[Recent] = []
        self.start_ms: int | None = None
        self.evaluated_ms: dict[str, int] = {}
        self.is_limit_at_upper = False
        self.replicas: Replicas | None = None
        self.before_rule: Amounts | None = None
        self.now_ms: int | None = None

    def step(self, ask: Situation) -> Answer:
        answer = Answer(ask.current.copy())
        if self.now_ms is not None and ask.now_ms < self.now_ms:
            answer.conditions["ClockWentBack"] += 1
            return answer
        self.now_ms = ask.now_ms
        self._take_samples(ask, answer)
        created = min(worker.created_ms for worker in ask.workers.values())
        self.start_ms = created if self.start_ms is None else min(created, self.start_ms)

        layers = ask.current.copy()
        self._run_requests(ask, layers, answer)
        self._run_limits(ask, layers, answer)
        self._run_replicas(ask, answer)
        proposals = {"layers": Proposal(layers)}
        self._run_rules(ask, layers, proposals, answer)
        self._run_external(ask, proposals, answer)
        answer.amounts = self._merge(ask, list(proposals.values()))
        for name in proposals:
            others = [proposal for other, proposal in proposals.items() if other != name]
            answer.matters[name] += answer.amounts != self._merge(ask, others)
        return answer

    # -- samples --

    def _take_samples(self, ask: Situation, answer: Answer) -> None:
        counted = [
            sample
            for sample in ask.samples
            if not ask.workers.get(sample.worker, Worker(0)).is_dedicated
        ]
        good = [
            sample.without_bad_counters()
            for sample in counted
            if sample.is_good() and sample.at_ms <= ask.now_ms + AHEAD_MS
        ]
        if good != counted:
            answer.conditions["InvalidField"] += 1
        good.sort(key=lambda sample: (sample.at_ms, sample.worker))
        for _, group in itertools.groupby(good, key=lambda sample: (sample.at_ms, sample.worker)):
            rows = list(group)
            sample = functools.reduce(hottest, rows)
            answer.matters["rows"] += sample != rows[0]
            self._take(sample, ask.current)

    def _take(self, sample: Sample, current: Amounts) -> None:
        worker = sample.worker
        last = self.last.get(worker)
        if last is not None and sample.at_ms <= last.at_ms:
            return
        for memory in self.memories.values():
            memory.add(sample, None if last is None else last.at_ms)
        limit = current.tflops.limit if sample.tflops_limit is None else sample.tflops_limit
        self.recent.append(
            Recent(
                sample,
                limit,
                has_grown(self.throttled_counts, worker, sample.throttled_count),
                has_grown(self.oom_counts, worker, sample.oom_count),
            )
        )
        self.last[worker] = sample

    # -- when --

    def _is_due(self, layer: str, delay_ms: int, period_ms: int, now_ms: int) -> bool:
        """At start + delay + k periods; what was missed is skipped."""
        assert self.start_ms is not None
        due_ms = self.start_ms + delay_ms
        last_ms = self.evaluated_ms.get(layer)
        if last_ms is not None and last_ms >= due_ms:
            due_ms += ((last_ms - due_ms) // period_ms + 1) * period_ms
        if due_ms > now_ms:
            return False
        self.evaluated_ms[layer] = now_ms
        return True

    # -- layers --

    def _run_requests(self, ask: Situation, amounts: Amounts, answer: Answer) -> None:
        config = self.config.requests
        if config is None or not self._is_due("requests", 0, config.period_ms, ask.now_ms):
            return
        for resource in config.targets:
            pair = amounts.of(resource)
            drawn = self._requests_input(config, resource, pair, ask)
            found = requests(drawn)
            without = requests(dataclasses.replace(drawn, forecast=None))
            answer.matters[f"requests.{resource}.forecast"] += found != without
            answer.decisions.append(
                Changed("requests", resource, pair.request, found.value, found.reason)
            )
            limit = pair.limit if found.limit is None else found.limit
            amounts.put(resource, Pair(found.value, limit))

    def _requests_input(
        self, config: RequestsLayer, resource: Resource, pair: Pair, ask: Situation
    ) -> RequestsInput:
        memory = self.memories["requests"]
        histogram = memory.histograms[resource]
        percentiles = None
        if not histogram.is_empty():
            at = fractions(config.percentile)
            percentiles = Percentiles(*(histogram.percentile(fraction) for fraction in at))
        held = [self.last[name].vram for name in ask.workers if name in self.last]
        layer = self.config.limits
        return RequestsInput(
            resource,
            pair.request,
            self.config.original.of(resource).request,
            memory.confidence.days(),
            percentiles,
            config.multiplier,
            memory.forecast(resource),
            ask.max_allowed.get(resource),
            max(held, default=None) if resource == "vram" else None,
            pair.limit,
            layer is not None and resource in layer.targets,
        )

    def _run_limits(self, ask: Situation, amounts: Amounts, answer: Answer) -> None:
        config = self.config.limits
        if config is None:
            return
        evaluated_ms = self.evaluated_ms.get("limits")
        if not self._is_due("limits", FIRST_DELAY_MS, config.period_ms, ask.now_ms):
            return
        for resource in config.targets:
            pair = amounts.of(resource)
            drawn = self._limits_input(config, resource, pair, ask, evaluated_ms)
            found = limits(drawn)
            for name, nothing in NOTHING_OF_LIMITS.items():
                without = limits(dataclasses.replace(drawn, **{name: nothing}))
                answer.matters[f"limits.{resource}.{name}"] += found != without
            if resource == "vram":
                ever = limits(dataclasses.replace(drawn, floor=self._largest_peak(ask)))
                answer.matters["limits.vram.expiry"] += found != ever
            answer.decisions.append(
                Changed("limits", resource, pair.limit, found.value, found.reason)
            )
            if resource == "tflops":
                self.is_limit_at_upper = found.is_at_upper
            amounts.put(resource, Pair(pair.request, found.value))

    def _limits_input(
        self,
        config: LimitsLayer,
        resource: Resource,
        pair: Pair,
        ask: Situation,
        evaluated_ms: int | None,
    ) -> LimitsInput:
        memory = self.memories["limits"]
        window_ms = window_s(config.period_ms / 1000) * 1000
        recent = [one for one in self.recent if one.is_in(ask.now_ms, window_ms)]
        values = [getattr(one.sample, resource) for one in recent]
        killed = [
            one
            for one in self.recent
            if one.is_killed
            and (one.is_in(ask.now_ms, window_ms) or one.is_open(ask.now_ms, evaluated_ms))
        ]
        is_answered = all(one.is_answered for one in killed)
        if resource == "vram":
            for one in killed:
                one.is_answered = True
        histogram = memory.histograms[resource]
        return LimitsInput(
            resource,
            pair.limit,
            pair.request,
            None if histogram.is_empty() else histogram.percentile(LIMITS_PERCENTILE),
            max(values, default=None),
            memory.forecast(resource),
            ask.gpu.get(resource),
            self._vram_floor(ask) if resource == "vram" else 0,
            config.buffer if resource == "tflops" else None,
            config.ignored,
            config.step,
            config.max_ratio,
            config.period_ms / 1000,
            len(recent),
            any(one.is_throttled for one in recent),
            bool(killed),
            is_answered,
        )

    def _vram_floor(self, ask: Situation) -> float:
        """The largest peak of a worker's 24 h; after them its last value, while it is one of
        the last day."""
        if "limits" not in self.memories:
            return 0
        held = [0.0]
        for name, peak in self.memories["limits"].peaks.of.items():
            now_s = ask.now_ms / 1000
            if name not in ask.workers:
                continue
            if peak.end_s > now_s:
                held.append(peak.value)
            elif self.last[name].at_ms / 1000 > now_s - DAY_S:
                held.append(self.last[name].vram)
        return max(held)

    def _largest_peak(self, ask: Situation) -> float:
        """The floor, if a peak were held for ever."""
        peaks = self.memories["limits"].peaks.of
        return max((peaks[name].value for name in ask.workers if name in peaks), default=0)

    def _run_replicas(self, ask: Situation, answer: Answer) -> None:
        layer = self.config.replicas
        if layer is None:
            return
        delay_ms = max(layer.period_ms, FIRST_DELAY_MS)
        if not self._is_due("replicas", delay_ms, layer.period_ms, ask.now_ms):
            return
        used, missing = self._utilization(layer, ask)
        if missing > 0:
            answer.conditions["MissingMetrics" if used else "NoMetrics"] += 1
        if self.replicas is None:
            assert self.start_ms is not None
            self.replicas = Replicas(self.start_ms / 1000)
        config = layer.config
        if ask.max_replicas is not None:
            highest = min(config.highest, ask.max_replicas)
            lowest = min(config.lowest, highest)
            config = dataclasses.replace(config, lowest=lowest, highest=highest)
        limits_layer = self.config.limits
        is_bursting = limits_layer is not None and "tflops" in limits_layer.targets
        is_bursting = is_bursting and not self.is_limit_at_upper
        answer.replicas = self.replicas.step(
            config, ReplicasInput(ask.now_ms / 1000, ask.replicas, used, missing, is_bursting)
        )

    def _utilization(self, layer: ReplicasLayer, ask: Situation) -> tuple[list[float], int]:
        """Of each worker that reports, and how many do not."""
        used, missing = [], 0
        for name, worker in sorted(ask.workers.items()):
            if worker.is_dedicated:
                continue
            shares = [
                one.sample.tflops / one.tflops_limit
                for one in self.recent
                if one.sample.worker == name
                and one.is_in(ask.now_ms, layer.period_ms)
                and one.tflops_limit > 0
            ]
            if shares and ask.now_ms - worker.created_ms >= YOUNG_MS:
                used.append(sum(shares) / len(shares))
            else:
                missing += 1
        return used, missing

    # -- cron rules and the external scaler --

    def _run_rules(
        self, ask: Situation, layers: Amounts, proposals: dict[str, Proposal], answer: Answer
    ) -> None:
        now = datetime.fromtimestamp(ask.now_ms // 1000, timezone.utc)
        active: list[Amounts] = []
        for rule in self.config.rules:
            found = window(rule.start, rule.end, now)
            answer.conditions["NeverFires"] += found.last_start is None
            answer.conditions["NeverFires"] += found.last_end is None
            if found.is_active:
                active.append(rule.desired)
        if len(active) > 1:
            answer.conditions["OverlappingCronRules"] += 1
        if active:
            if self.before_rule is None:
                self.before_rule = ask.current.copy()
            amounts = self._raised_to_kept(largest_of(active), ask.current, layers)
            self._propose("cron", "CronActive", Proposal(amounts, True), ask, proposals, answer)
        elif self.before_rule is not None:
            amounts = self._without_rule(self.before_rule, ask.current)
            self._propose("cron", "CronInactive", Proposal(amounts), ask, proposals, answer)
            self.before_rule = None

    def _owns(self, resource: Resource) -> tuple[bool, bool]:
        """Whether a layer says what the request is, and the limit: without the limits layer limits
        follow requests."""
        requests_layer, limits_layer = self.config.requests, self.config.limits
        owns_request = requests_layer is not None and resource in requests_layer.targets
        owns_limit = limits_layer is not None and resource in limits_layer.targets
        return owns_request, owns_request or owns_limit

    def _raised_to_kept(self, asked: Amounts, current: Amounts, layers: Amounts) -> Amounts:
        """A rule is a floor: it does not lower what a layer wants and keeps."""
        raised = asked.copy()
        for resource in RESOURCES:
            owns_request, owns_limit = self._owns(resource)
            now, wanted, pair = current.of(resource), layers.of(resource), asked.of(resource)
            request, limit = pair.request, pair.limit
            if owns_request and request > 0 and wanted.request == now.request:
                request = max(request, now.request)
            if owns_limit and limit > 0 and wanted.limit == now.limit:
                limit = max(limit, now.limit)
            raised.put(resource, Pair(request, limit))
        return raised

    def _without_rule(self, before: Amounts, current: Amounts) -> Amounts:
        """The profile's amounts; of a side that it leaves out, what a layer found or what there was
        before the rule."""
        amounts = self.config.original.copy()
        for resource in RESOURCES:
            owns_request, owns_limit = self._owns(resource)
            pair, old, now = amounts.of(resource), before.of(resource), current.of(resource)
            request = pair.request or (now.request if owns_request else old.request)
            limit = pair.limit or (now.limit if owns_limit else old.limit)
            amounts.put(resource, Pair(request, limit))
        return amounts

    def _run_external(self, ask: Situation, proposals: dict[str, Proposal], answer: Answer) -> None:
        reply = ask.reply
        if reply is None:
            return
        if not self.config.has_external:
            answer.conditions["ExternalScalerFailed"] += 1
            return
        if not reply.needs_up and not reply.needs_down:
            return
        amounts = in_tflops(reply, ask.gpu.get("tflops", 0), answer)
        if amounts == Amounts():
            return
        answer.conditions["ExternalScaler"] += 1
        for resource in RESOURCES:
            now, asked = ask.current.of(resource), amounts.of(resource)
            request = allowed(reply, now.request, asked.request)
            amounts.put(resource, Pair(request, allowed(reply, now.limit, asked.limit)))
        self._propose("external", "ExternalScaler", Proposal(amounts), ask, proposals, answer)

    def _propose(
        self,
        layer: str,
        reason: str,
        proposal: Proposal,
        ask: Situation,
        proposals: dict[str, Proposal],
        answer: Answer,
    ) -> None:
        for side in ("request", "limit"):
            for resource in RESOURCES:
                before = getattr(ask.current.of(resource), side)
                after = getattr(proposal.amounts.of(resource), side)
                if after > 0 and after != before:
                    name = f"{side}s.{resource}"
                    answer.decisions.append(Changed(layer, name, before, after, reason))
        proposals[layer] = proposal

    # -- one of all --

    def _merge(self, ask: Situation, proposals: list[Proposal]) -> Amounts:
        layer = self.config.limits
        bounds = MergeBounds(
            ask.max_allowed,
            ask.gpu,
            None if layer is None else layer.max_ratio,
            round_up(self._vram_floor(ask), "vram"),
        )
        return merge(ask.current, proposals, bounds)


NOTHING_OF_LIMITS: dict[str, Any] = {
    "forecast": None,
    "floor": 0,
    "is_throttled": False,
    "is_oom_killed": False,
}


def has_grown(counts: dict[str, float], worker: str, count: float | None) -> bool:
    """A counter that is seen for the first time says nothing."""
    if count is None:
        return False
    before = counts.get(worker, math.inf)
    counts[worker] = count
    return count > before


def largest_of(several: list[Amounts]) -> Amounts:
    pairs = [
        Pair(
            max(amounts.of(resource).request for amounts in several),
            max(amounts.of(resource).limit for amounts in several),
        )
        for resource in RESOURCES
    ]
    return Amounts(*pairs)
