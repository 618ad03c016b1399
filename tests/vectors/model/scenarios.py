# SPDX-License-Identifier: Apache-2.0
"""Profiles, and workloads under them that go on from step to step, for the engine's test."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from drawing import Draw, document_of, text_of
from reference.amounts import GIB, RESOURCES, Amounts, Pair, Resource
from reference.forecast import Prediction
from reference.replicas import ReplicasConfig, Step
from reference.situation import (
    Config,
    CronRule,
    LimitsLayer,
    ReplicasLayer,
    Reply,
    RequestsLayer,
    Sample,
    Situation,
    Worker,
)

T = TypeVar("T")
Texts = dict[str, Any]

START = datetime(2026, 3, 13, 11, tzinfo=timezone.utc)
MINUTE_MS = 60_000
HOUR_MS = 3_600_000
PERIODS = {"1s": 1000, "10s": 10_000, "15s": 15_000, "30s": 30_000, "90s": 90_000}
TARGETS: dict[str, tuple[Resource, ...]] = {
    "tflops": ("tflops",),
    "Compute": ("tflops",),
    "vram": ("vram",),
    "all": RESOURCES,
    "": RESOURCES,
}
ZONES = ("", "TZ=Europe/Berlin ", "CRON_TZ=Asia/Tokyo ", "TZ=America/New_York ")


def time_text(at_ms: int) -> str:
    at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=at_ms)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


class Block:
    """Draws the members of one block: what a profile says, and what it means."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.texts: Texts = {"enable": True}
        self.values: dict[str, Any] = {}

    def member(self, key: str, name: str, choices: dict[str, T], probability: float = 0.5) -> None:
        if self.draw.happens(probability):
            text = self.draw.choice(list(choices))
            self.texts[key], self.values[name] = text, choices[text]

    def prediction(self, periods: dict[str, int], history: tuple[str, int]) -> None:
        if self.draw.happens(0.3):
            return
        name = self.draw.choice(["holt", "naive", "auto", "smart-limit-v1", "holt-winters"])
        season_text, season_ms = self.draw.choice([("", 24 * HOUR_MS), ("@5m", 5 * MINUTE_MS)])
        period = self.draw.choice(list(periods))
        self.texts["prediction"] = {
            "enable": True,
            "model": name + season_text,
            "predictionPeriod": period,
            "historyDataPeriod": history[0],
        }
        self.values["prediction"] = Prediction(name, periods[period], history[1], season_ms)


def limits_block(draw: Draw) -> tuple[LimitsLayer, Texts]:
    block = Block(draw)
    block.member("evaluationPeriod", "period_ms", {**PERIODS, "5m": 5 * MINUTE_MS})
    block.member("extraTFlopsBufferRatio", "buffer", {"10%": 0.1, "0.5": 0.5, "0": 0.0})
    block.member("ignoredDeltaRange", "ignored", {"0": 0.0, "10%": 0.1})
    block.member("maxRatioToRequests", "max_ratio", {"3": 3.0, "250%": 2.5, "1.0": 1.0}, 0.4)
    block.member("scaleUpStep", "step", {"50%": 1.5, "3": 3.0, "1.5": 1.5})
    block.member("targetResource", "targets", TARGETS)
    block.prediction({"1m": MINUTE_MS, "5m": 5 * MINUTE_MS}, ("1h", HOUR_MS))
    return LimitsLayer(**block.values), block.texts


def requests_block(draw: Draw) -> tuple[RequestsLayer, Texts]:
    block = Block(draw)
    periods = {"1m": MINUTE_MS, "5m": 5 * MINUTE_MS, "30m": 30 * MINUTE_MS}
    aggregations = {"1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS}
    percentiles = {"50": 0.5, "95%": 0.95, "0.3": 0.3, "1": 1.0}
    buffers = {"1.0": 1.0, "20%": 1.2, "0.3": 1.3, "2": 2.0}
    block.member("evaluationPeriod", "period_ms", periods, 0.8)
    block.member("aggregationPeriod", "aggregation_ms", aggregations)
    block.member("percentileForAutoRequests", "percentile", percentiles)
    block.member("extraBufferRatio", "multiplier", buffers)
    block.member("targetResource", "targets", TARGETS)
    block.prediction({"5m": 5 * MINUTE_MS, "1h": HOUR_MS}, ("24h", 24 * HOUR_MS))
    return RequestsLayer(**block.values), block.texts


def replicas_block(draw: Draw) -> tuple[ReplicasLayer, Texts]:
    block, layer = Block(draw), Block(draw)
    layer.member("evaluationPeriod", "period_ms", {"10s": 10_000, "30s": 30_000, "90s": 90_000})
    block.member("scaleUpCoolDownTime", "up_cool_down_s", {"10s": 10, "2m": 120})
    block.member("scaleDownCoolDownTime", "down_cool_down_s", {"1m": 60, "90s": 90})
    block.member("targetTFlopsOfLimits", "target", {"80": 0.8, "60%": 0.6, "1": 1.0})
    block.member("scaleUpStep", "up", {"2": Step(2, True), "50%": Step(0.5)})
    block.member("scaleDownStep", "down", {"1": Step(1, True), "50%": Step(0.5)})
    config = ReplicasConfig(**block.values)
    return ReplicasLayer(config=config, **layer.values), {**block.texts, **layer.texts}


def drawn_amounts(draw: Draw) -> Amounts:
    tflops, vram = draw.choice([5, 10, 20, 40]), draw.choice([4 * GIB, 8 * GIB, 10 * 10**9])
    return Amounts(
        Pair(tflops, tflops * draw.choice([1, 2, 4])),
        Pair(vram, draw.choice([12 * GIB, 16 * GIB, 20 * 10**9])),
    )


def partly(draw: Draw, amounts: Amounts) -> Amounts:
    """Some sides are left out."""
    kept = [value if draw.happens(0.8) else 0 for value in sides(amounts)]
    return Amounts(Pair(*kept[:2]), Pair(*kept[2:]))


def sides(amounts: Amounts) -> list[float]:
    return [
        amounts.tflops.request,
        amounts.tflops.limit,
        amounts.vram.request,
        amounts.vram.limit,
    ]


def cron_rule(draw: Draw, number: int) -> tuple[CronRule, Texts]:
    zone = draw.choice(ZONES)
    days = draw.choice(["*", "*", "5,6", "1-5"])
    start = f"{zone}{draw.randint(0, 59)} {draw.choice(['*', '*/3', '9-18'])} * * {days}"
    end = f"{zone}{draw.randint(0, 59)} {draw.choice(['*', '*/2', '20'])} * * *"
    if draw.happens(0.05):
        end = "0 0 30 2 *"
    rule = CronRule(start, end, partly(draw, drawn_amounts(draw)))
    texts = {"enable": True, "name": f"rule-{number}", "start": start, "end": end}
    return rule, {**texts, "desiredResources": document_of(rule.desired)}


def drawn_profile(draw: Draw) -> tuple[Config, dict[str, Any]]:
    scaling: Texts = {}
    layers: dict[str, Any] = {}
    for name, key, block, probability in (
        ("limits", "autoSetLimits", limits_block, 0.8),
        ("requests", "autoSetRequests", requests_block, 0.6),
        ("replicas", "autoSetReplicas", replicas_block, 0.5),
    ):
        if draw.happens(probability):
            layers[name], scaling[key] = block(draw)
    rules: list[CronRule] = []
    if draw.happens(0.35):
        drawn = [cron_rule(draw, number) for number in range(draw.randint(1, 2))]
        rules = [rule for rule, _ in drawn]
        scaling["cronScalingRules"] = [texts for _, texts in drawn]
    has_external = draw.happens(0.4)
    if has_external or draw.happens(0.1):
        scaling["externalScaler"] = {"enable": has_external, "url": "https://scaler.example"}
    original = Amounts() if draw.happens(0.1) else drawn_amounts(draw)
    spec: dict[str, Any] = {"autoScalingConfig": scaling}
    if original != Amounts():
        spec["resources"] = document_of(original)
    profile = {
        "apiVersion": "tensor-fusion.ai/v1",
        "kind": "WorkloadProfile",
        "metadata": {"name": "p", "namespace": "ml"},
        "spec": spec,
    }
    return Config(original, rules=tuple(rules), has_external=has_external, **layers), profile


class Workload:
    """Workers and what they use: within their limits, growing for a while, killed for memory."""

    def __init__(self, draw: Draw, config: Config) -> None:
        self.draw = draw
        self.now_ms = round(START.timestamp() * 1000)
        self.names = 0
        self.workers: dict[str, Worker] = {}
        self.gone: list[str] = []
        self.oom_counts: dict[str, int] = {}
        for _ in range(draw.choice([1, 2, 3, 4, 8])):
            age_ms = draw.choice([0, 0, -5000, 600_000, 4 * HOUR_MS])
            self.begin_worker(age_ms, draw.happens(0.1) and self.names > 0)
        has_amounts = config.original != Amounts()
        self.current = config.original.copy() if has_amounts else drawn_amounts(draw)
        self.tflops, self.vram = draw.uniform(2, 60), draw.uniform(2, 14) * GIB
        self.growth = 0.0
        self.silent = ""
        self.pace_ms = draw.choice([5000, 10_000, 10_000, 30_000, MINUTE_MS, 2 * HOUR_MS])
        self.gpu = self.drawn_side({"tflops": [60, 100], "vram": [24 * GIB, 40 * GIB]})
        self.max_allowed = self.drawn_side({"tflops": [30, 15, 0], "vram": [12 * GIB, 9 * GIB]})
        self.max_replicas = draw.maybe(0.3, draw.choice([2, 4, 8]))

    def drawn_side(self, choices: dict[Any, list[float]]) -> dict[Resource, float]:
        if self.draw.happens(0.6):
            return {}
        return {name: self.draw.choice(values) for name, values in choices.items()}

    def begin_worker(self, age_ms: int = 0, is_dedicated: bool = False) -> None:
        self.workers[f"w-{self.names}"] = Worker(self.now_ms - age_ms, is_dedicated)
        self.names += 1

    def obey(self, amounts: Amounts, replicas: int | None) -> None:
        """What was recommended is done, or somebody sets other amounts. A worker that goes has a
        last sample now and then."""
        self.current = drawn_amounts(self.draw) if self.draw.happens(0.06) else amounts
        if replicas is None:
            return
        while len(self.workers) < min(replicas, 12):
            self.begin_worker()
        leaving = sorted(name for name, one in self.workers.items() if not one.is_dedicated)
        while len(self.workers) > replicas and leaving:
            self.gone.append(leaving.pop())
            del self.workers[self.gone[-1]]

    def step(self) -> Situation:
        draw = self.draw
        pace_ms = draw.choice([self.pace_ms] * 12 + [1500, 5 * MINUTE_MS, 30 * MINUTE_MS])
        if draw.happens(0.02):
            pace_ms = draw.choice([5, 13, 26, 50]) * HOUR_MS
        before_ms, self.now_ms = self.now_ms, self.now_ms + pace_ms
        if draw.happens(0.1):
            self.tflops, self.vram = draw.uniform(1, 80), draw.uniform(1, 14) * GIB
            self.growth = draw.choice([0, 0.02, 0.05, 0.1, -0.02])
            self.silent = draw.choice(["", *self.workers])
        self.tflops *= 1 + self.growth
        self.vram *= 1 + self.growth
        samples = [
            sample
            for name in [*self.workers, *self.gone[-1:]]
            if draw.happens(0.9) and name != self.silent
            for sample in self.samples_of(name, before_ms)
        ]
        draw.shuffle(samples)
        return Situation(
            self.now_ms,
            samples,
            dict(self.workers),
            self.current,
            len(self.workers),
            self.gpu,
            self.max_allowed,
            self.max_replicas,
            self.reply() if draw.happens(0.1) else None,
        )

    def samples_of(self, name: str, before_ms: int) -> list[Sample]:
        draw, count = self.draw, self.draw.choice([1, 2, 3])
        pace_ms = (self.now_ms - before_ms) // count
        samples = []
        for number in range(1, count + 1):
            at_ms = before_ms + number * pace_ms
            if draw.happens(0.03):
                at_ms += draw.randint(-20_000, 8000)
            samples.append(self.sample(name, at_ms))
            if draw.happens(0.1):  # of another GPU
                samples.append(self.sample(name, at_ms))
        return samples

    def sample(self, name: str, at_ms: int) -> Sample:
        draw, limits = self.draw, self.current
        tflops = min(max(0, draw.gauss(self.tflops, self.tflops / 30)), limits.tflops.limit)
        vram = max(0, draw.gauss(self.vram, self.vram / 30))
        if vram > limits.vram.limit:
            vram = limits.vram.limit
            self.oom_counts[name] = self.oom_counts.get(name, 0) + draw.choice([0, 1])
        part = draw.choice([1, 0.5]) * limits.tflops.limit
        return Sample(
            name,
            at_ms,
            -1 if draw.happens(0.01) else round(tflops, draw.choice([1, 3])),
            int(vram),
            draw.maybe(0.2, round(part, 3)),
            draw.maybe(0.3, draw.choice([0, 1, 2, 3] * 5 + [-1])),
            draw.maybe(0.8, self.oom_counts.get(name, 0)),
        )

    def reply(self) -> Reply:
        draw = self.draw
        amounts = partly(draw, drawn_amounts(draw))
        compute = Pair()
        if draw.happens(0.3):
            amounts.tflops, compute = Pair(), Pair(draw.choice([0, 10, 25]), 50)
        return Reply(draw.happens(0.7), draw.happens(0.4), amounts, compute)


# ---- as the question has it ----


def sample_document(sample: Sample) -> dict[str, Any]:
    members: dict[str, Any] = {
        "worker": sample.worker,
        "t": time_text(sample.at_ms),
        "tflops": sample.tflops,
        "vram": text_of(sample.vram),
        "tflopsLimit": sample.tflops_limit,
        "throttledCount": sample.throttled_count,
        "oomCount": sample.oom_count,
    }
    return {name: value for name, value in members.items() if value is not None}


def reply_document(reply: Reply) -> dict[str, Any]:
    amounts = document_of(reply.amounts)
    amounts["requests"]["compute"] = text_of(reply.compute.request)
    amounts["limits"]["compute"] = text_of(reply.compute.limit)
    return {
        "needScaleUp": reply.needs_up,
        "needScaleDown": reply.needs_down,
        "reason": "because",
        "recommendedResources": amounts,
    }


def situation_document(asked: Situation) -> dict[str, Any]:
    """None stands for a member that is left out."""
    pool: dict[str, Any] = {}
    for key, side in (("gpu", asked.gpu), ("maxAllowed", asked.max_allowed)):
        if side:
            pool[key] = {name: text_of(value) for name, value in side.items()}
    if asked.max_replicas is not None:
        pool["maxReplicas"] = asked.max_replicas
    return {
        "now": time_text(asked.now_ms),
        "samples": [sample_document(sample) for sample in asked.samples],
        "workers": [
            {"name": name, "created": time_text(one.created_ms), "dedicated": one.is_dedicated}
            for name, one in asked.workers.items()
        ],
        "current": {**document_of(asked.current), "replicas": asked.replicas},
        "pool": pool or None,
        "external": None if asked.reply is None else reply_document(asked.reply),
    }
