# SPDX-License-Identifier: Apache-2.0
"""The cases of libjoulie-gpu-caps-current.json: caps of efficiency_v1, of one node and in plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpu_cap_documents import NOW, NOW_MS, answer, hardware_of, policy_of, question, report
from reference.gpu_caps import NO_CAP, Gpus, Limit, Past, Settings, Work, limit
from reference.policy import Machine, Node, Pending
from vectors_of_policy import gpu_machine, machine_object, pod_of

Case = dict[str, Any]
SXM = Gpus()
W7900 = Gpus("AMD_RADEON_PRO_W7900")  # draws less for work that waits for memory than any cap
MEMORY = Work(8, "memory", 70)
MIXED = Work(8, "mixed", 80)
COMPUTE = Work(8, "compute", 95)
MINUTE_MS = 60_000


# ---- one node ----


def one(
    name: str,
    works: list[Work],
    gpus: Gpus = SXM,
    settings: Settings = Settings(),
    backlog: bool = False,
    past: Past = Past(),
) -> Case:
    found = limit(gpus, works, settings, backlog, past, NOW_MS)
    document = question(gpus, works, settings, backlog, past)
    return {
        "id": name,
        "question": "policy.gpu-limit",
        "in": document,
        "out": answer(found),
    }


def allowed(name: str, pct: float) -> list[Case]:
    """Each of the three limits alone decides about the work that it is for."""
    performance, low = replace(MEMORY, is_performance=True), replace(MEMORY, sensitivity="low")
    both = replace(performance, sensitivity="low")
    return [
        one(f"standard-{name}", [MEMORY], settings=Settings(standard=pct)),
        one(f"performance-{name}", [performance], settings=Settings(performance=pct)),
        one(f"insensitive-{name}", [low], settings=Settings(insensitive=pct)),
        one(f"performance-before-sensitivity-{name}", [both], settings=Settings(performance=pct)),
    ]


def dwells() -> list[Case]:
    lower = [
        ("just-now", 0),
        ("before", 5 * MINUTE_MS - 1),
        ("over", 5 * MINUTE_MS),
        ("long-over", 50 * MINUTE_MS),
        ("clock-set-back", -1),
    ]
    cases = [
        one(f"lower-{name}", [MEMORY], past=Past(90, NOW_MS - waited)) for name, waited in lower
    ]
    equal = limit(SXM, [MEMORY], Settings()).pct
    for name, past in (
        ("from-none", Past(NO_CAP, NOW_MS - 1)),
        ("equal", Past(equal, NOW_MS - 1)),
        ("higher-at-once", Past(equal - 10, NOW_MS - 1)),
        ("never-lowered", Past(90)),
    ):
        cases.append(one(f"dwell-{name}", [MEMORY], past=past))
    for name, works, backlog in (("idle", [], False), ("waiting", [MEMORY], True)):
        cases.append(one(f"dwell-{name}", works, backlog=backlog, past=Past(50, NOW_MS - 1)))
    for dwell_s, waited in ((0, 0), (0.5, 499), (0.5, 500)):
        cases.append(
            one(
                f"dwell-of-{dwell_s}-{waited}",
                [MEMORY],
                settings=Settings(dwell_s=dwell_s),
                past=Past(90, NOW_MS - waited),
            )
        )
    return cases


def models() -> list[Case]:
    cases = []
    for model in (
        "NVIDIA_H100_NVL",
        "NVIDIA_H100_SXM",
        "NVIDIA_L40S",
        "AMD_INSTINCT_MI300X",
        "AMD_RADEON_PRO_W7900",
    ):
        for work in (COMPUTE, MIXED, MEMORY):
            cases.append(one(f"{model}-{work.bound}", [work], Gpus(model)))
    return cases


def ranges() -> list[Case]:
    """What NodeHardware says of the range wins over the catalog; work that would go below it."""
    deep = Settings(standard=100)
    return [
        one("range-of-the-catalog", [MEMORY], settings=deep),
        one("range-of-the-node", [MEMORY], Gpus(min_w=350, max_w=700), deep),
        one("range-not-whole-percent", [MEMORY], Gpus(min_w=350.1, max_w=700), deep),
        one("range-of-higher-caps", [MEMORY], Gpus(min_w=200, max_w=800), deep),
        one("range-of-one", [MEMORY], Gpus(min_w=700, max_w=700), deep),
        one("range-without-a-minimum", [MEMORY], Gpus(max_w=700), deep),
        one("range-of-an-unknown-model", [MEMORY], Gpus("unheard-of", 200, 700), deep),
        one("unknown-model", [MEMORY], Gpus("unheard-of")),
    ]


def refusals() -> list[Case]:
    """Members out of their bounds, and one that needs another."""
    usual = question(SXM, [MEMORY])
    rows: list[tuple[str, Case, str, str]] = [
        ("no-gpus", {"work": [{"gpus": 0}]}, "range", "work[0].gpus"),
        ("over-full", {"work": [{"gpus": 1, "avgUtilizationPct": 101}]}, "range", ""),
        ("word", {"work": [{"gpus": 1, "bound": "io"}]}, "enum", "work[0].bound"),
        ("limit-below-0", {"policy": {"gpuSlowdownStandardPct": -1}}, "range", ""),
        ("limit-over-100", {"policy": {"gpuSlowdownInsensitivePct": 100.1}}, "range", ""),
        ("performance-over-100", {"policy": {"gpuSlowdownPerformancePct": 101}}, "range", ""),
        ("dwell-below-0", {"policy": {"gpuCapDwellS": -0.1}}, "range", "policy.gpuCapDwellS"),
        ("cap-over-100", {"capPctOfMax": 101}, "range", "capPctOfMax"),
        ("time-alone", {"capLoweredMs": NOW_MS}, "required", "now"),
    ]
    cases = []
    for name, members, code, where in rows:
        error = {"code": code, "where": where} if where else {"code": code}
        made = {"question": "policy.gpu-limit", "in": {**usual, **members}, "error": error}
        cases.append({"id": f"refused-{name}", **made})
    return cases


def gpu_limit_cases() -> list[Case]:
    unseen = Work(1, "none", 50)
    careful = replace(COMPUTE, is_performance=True)
    words = ("compute", "mixed", "memory") * 2
    many = [Work(1, word, 60 + 5 * i) for i, word in enumerate(words)]
    cases = [
        one("idle", []),
        one("word-none", [unseen]),
        one("word-absent", [replace(MEMORY, bound="")]),
        one("utilisation-absent", [replace(MEMORY, util_pct=None)]),
        one("slice", [Work(0.5, "memory", 70)]),
        one("slice-and-more", [Work(1.5, "memory", 70)]),
        one("one-unknown-of-two", [MEMORY, unseen]),
        one("one-unknown-of-two-first", [unseen, careful]),
        one("unknown-work-on-unknown-gpus", [unseen], Gpus("unheard-of")),
        one("promise-on-unknown-gpus", [careful], Gpus("unheard-of")),
        one("promise", [careful]),
        one("promise-of-one", [MEMORY, careful]),
        one("promise-while-work-waits", [careful], backlog=True),
        one("backlog", [MEMORY], backlog=True),
        one("backlog-without-gain", [MEMORY], W7900, backlog=True),
        one("no-gain", [MEMORY], W7900),
        one("no-use", [Work(8, "memory", 0)]),
        one("full-use", [Work(8, "compute", 100)]),
        one("two-kinds", [Work(4, "memory", 70), Work(4, "compute", 95)]),
        one(
            "two-classes",
            [Work(4, "memory", 70, True), Work(4, "memory", 70, False, "low")],
            settings=Settings(performance=2),
        ),
        one("equal-work", [Work(2, "mixed", 80)] * 4),
        one("equal-work-as-one", [MIXED]),
        one("many", many),
        one("many-in-another-order", many[::-1]),
    ]
    for name, pct in (("0", 0), ("5", 5), ("10", 10), ("20", 20), ("100", 100)):
        cases += allowed(name, pct)
    return [*cases, *models(), *ranges(), *dwells(), *refusals()]


# ---- plans ----


def workload(name: str, node: str, work: Work) -> Case:
    pod = pod_of(name, 4, int(work.gpus), 0, "nvidia")
    pod["spec"]["nodeName"] = node
    return {**pod, "status": {"phase": "Running"}}


def profile(name: str, work: Work, **status: Any) -> Case:
    gpu: Case = {"bound": work.bound, "avgUtilizationPct": work.util_pct}
    if work.sensitivity:
        gpu["capSensitivity"] = work.sensitivity
    word = "performance" if work.is_performance else "standard"
    return {
        "metadata": {"name": name},
        "spec": {"workloadRef": {"kind": "Pod", "name": name}},
        "status": {
            "confidence": 0.9,
            "lastUpdated": NOW,
            "criticality": {"class": word},
            "gpu": gpu,
            **status,
        },
    }


def waits(pod: Pending) -> Case:
    made = pod_of(pod.name, pod.cores, pod.gpus, pod.memory, pod.vendor)
    if pod.created:
        made["metadata"]["creationTimestamp"] = pod.created
    if pod.selector:
        made["spec"]["nodeSelector"] = pod.selector
    if pod.tolerates:
        made["spec"]["tolerations"] = [{"key": pod.tolerates, "operator": "Exists"}]
    return {**made, "status": {"phase": "Pending"}}


def twin(node: str, past: Past) -> Case:
    made: Case = {"spec": {"nodeName": node, "profile": "performance"}}
    if past.pct != NO_CAP:
        made["spec"]["gpu"] = {"powerCap": {"scope": "perGpu", "capPctOfMax": past.pct}}
    if past.lowered_ms is not None:
        ago_s = (NOW_MS - past.lowered_ms) // 1000
        text = f"2026-03-13T11:{59 - (ago_s - 1) // 60:02}:{59 - (ago_s - 1) % 60:02}Z"
        made["metadata"] = {"name": node, "annotations": {"joulie.io/gpu-cap-lowered": text}}
    return made


def assignment(node: str, found: Limit) -> Case:
    return {
        "nodeName": node,
        "profile": "performance",
        "draining": False,
        "cpu": None,
        "gpu": {"powerCap": {"scope": "perGpu", "capPctOfMax": found.pct, "capWattsPerGpu": None}},
        "gpuLimit": report(found),
    }


def remembered(past: Past, found: Limit) -> Case:
    lowered = NOW_MS if found.pct < past.pct else past.lowered_ms
    return {"gpuCapPctOfMax": found.pct, "gpuCapLoweredMs": lowered}


def plan_case(
    name: str,
    works: list[Work],
    waiting: list[Pending] = [],
    machine: Machine = gpu_machine("g", SXM.model, 8),
    settings: Settings = Settings(),
    past: Past = Past(),
    profiles: list[Case] | None = None,
    pods: list[Case] = [],
    known: list[Work] | None = None,
    pod_more: Case = {},
) -> Case:
    """Beside the node is one without GPUs. profiles: others than those that say what the work is;
    known: what the rule makes of them."""
    backlog = any(machine.takes(pod) for pod in waiting if not is_young(pod))
    found = limit(SXM, works if known is None else known, settings, backlog, past, NOW_MS)
    node = machine_object(machine)
    node["twin"] = twin("g", past)
    node["hardware"]["gpu"] = hardware_of(SXM)["gpu"]
    bound = [workload(f"w{i}", "g", work) for i, work in enumerate(works)]
    for pod in bound:
        pod["metadata"] |= pod_more
    if profiles is None:
        profiles = [profile(f"w{i}", work) for i, work in enumerate(works)]
    idle_node = {"nodeName": "c", "profile": "performance", "cpu": None, "gpu": None}
    return {
        "id": f"plan-{name}",
        "question": "plan",
        "in": {
            "policy": {"type": "efficiency_v1", **policy_of(settings)},
            "nodes": [node, {"node": {"metadata": {"name": "c"}}}],
            "pods": bound + pods + [waits(pod) for pod in waiting],
            "profiles": profiles,
            "now": NOW,
        },
        "out": {
            "performanceNodes": 2,
            "assignments": [{**idle_node, "gpuLimit": None}, assignment("g", found)],
            "state": {"nodes": {"g": remembered(past, found)}},
        },
    }


YOUNG = "2026-03-13T11:59:55Z"  # five seconds are not more than five
OLD = "2026-03-13T11:59:54Z"
AHEAD = "2026-03-13T12:00:05Z"  # of a clock that is not quite ours
FAR_AHEAD = "2026-03-13T12:00:06Z"  # its age is not known


def is_young(pod: Pending) -> bool:
    return pod.created in (YOUNG, AHEAD)


def backlogs() -> list[Case]:
    gib = 1 << 30
    node = gpu_machine("g", SXM.model, 8, memory=64 * gib)
    tainted, labelled = replace(node, taint="lab"), replace(node, labels={"disk": "fast"})
    rows: list[tuple[str, Pending, Machine]] = [
        ("fits", Pending("p", 8, gpus=8), node),
        ("without-gpus", Pending("p", 8), node),
        ("fits-exactly", Pending("p", 192, gpus=8, memory=64 * gib), node),
        ("too-many-cores", Pending("p", 192.001), node),
        ("too-many-gpus", Pending("p", 8, gpus=9), node),
        ("too-much-memory", Pending("p", 8, memory=64 * gib + 1), node),
        ("memory-not-said", Pending("p", 8, memory=64 * gib + 1), replace(node, memory=0)),
        ("other-vendor", Pending("p", 8, gpus=1, vendor="amd"), node),
        ("tainted", Pending("p", 8), tainted),
        ("tolerated", Pending("p", 8, tolerates="lab"), tainted),
        ("selected", Pending("p", 8, selector={"disk": "fast"}), labelled),
        ("not-selected", Pending("p", 8, selector={"disk": "slow"}), labelled),
        ("young", Pending("p", 8, created=YOUNG), node),
        ("old-enough", Pending("p", 8, created=OLD), node),
        ("created-ahead", Pending("p", 8, created=AHEAD), node),
        ("created-far-ahead", Pending("p", 8, created=FAR_AHEAD), node),
    ]
    cases = [
        plan_case(f"waiting-{name}", [MEMORY], [pod], machine) for name, pod, machine in rows
    ]
    many = [Pending("p", 200), Pending("q", 8, created=YOUNG), Pending("r", 1)]
    cases.append(plan_case("waiting-the-last-one", [MEMORY], many))
    cases.append(plan_case("waiting-while-idle", [], [Pending("p", 8)]))
    return cases


def unknown_works() -> list[Case]:
    """A profile that does not count is none."""
    none = [replace(MEMORY, bound="")]
    ref: Case = {"spec": {"workloadRef": {"kind": "Pod", "name": "other"}}}
    rows: list[tuple[str, list[Case]]] = [
        ("no-profile", []),
        ("unsure", [profile("w0", MEMORY, confidence=0.4)]),
        ("of-yesterday", [profile("w0", MEMORY, lastUpdated="2026-03-12T11:00:00Z")]),
        ("of-another", [{**profile("w0", MEMORY), **ref}]),
        ("no-word", [profile("w0", replace(MEMORY, bound="none"))]),
        ("no-utilisation", [profile("w0", MEMORY, gpu={"bound": "memory"})]),
    ]
    return [
        plan_case(f"unknown-{name}", [MEMORY], profiles=made, known=none) for name, made in rows
    ]


def plan_cases() -> list[Case]:
    performance = {"annotations": {"joulie.io/workload-class": "performance"}}
    insensitive = {"annotations": {"joulie.io/gpu-sensitivity": "low"}}
    slow = replace(MEMORY, is_performance=True)
    agent = workload("agent", "g", Work(1))
    agent["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u"}
    ]
    over = {**workload("over", "g", Work(1)), "status": {"phase": "Succeeded"}}
    on_cpus = workload("cpus", "g", Work(0))
    cases = [
        plan_case("idle", []),
        plan_case("memory", [MEMORY]),
        plan_case("two-pods", [Work(4, "memory", 70), Work(4, "mixed", 80)]),
        plan_case("performance-by-profile", [slow]),
        plan_case(
            "performance-by-annotation",
            [MEMORY],
            profiles=[profile("w0", MEMORY)],
            pod_more=performance,
            known=[slow],
        ),
        plan_case(
            "performance-that-may-be-slowed",
            [MEMORY],
            settings=Settings(performance=5),
            profiles=[profile("w0", MEMORY)],
            pod_more=performance,
            known=[slow],
        ),
        plan_case("insensitive-by-profile", [replace(MEMORY, sensitivity="low")]),
        plan_case(
            "insensitive-by-annotation",
            [MEMORY],
            profiles=[profile("w0", MEMORY)],
            pod_more=insensitive,
            known=[replace(MEMORY, sensitivity="low")],
        ),
        plan_case("pods-that-do-not-count", [MEMORY], pods=[agent, over, on_cpus]),
        plan_case("only-pods-that-do-not-count", [], pods=[agent, over, on_cpus]),
    ]
    for name, past in (
        ("of-eco", Past(60)),
        ("lower", Past(60, NOW_MS - 5 * MINUTE_MS)),
        ("dwell", Past(60, NOW_MS - 5 * MINUTE_MS + 1000)),
        ("higher", Past(40, NOW_MS - MINUTE_MS)),
    ):
        cases.append(plan_case(f"twin-{name}", [MEMORY], past=past))
    cases.append(plan_case("twin-higher-when-idle", [], past=Past(40, NOW_MS - MINUTE_MS)))
    return [*cases, *backlogs(), *unknown_works(), *carried()]


def carried() -> list[Case]:
    """Without a twin the state of the answer before speaks."""
    cases = []
    for name, past in (
        ("dwell", Past(90, NOW_MS - MINUTE_MS)),
        ("over", Past(90, NOW_MS - 5 * MINUTE_MS)),
        ("no-time", Past(90)),
        ("higher", Past(40, NOW_MS - MINUTE_MS)),
    ):
        case = plan_case(f"state-{name}", [MEMORY], past=past)
        del case["in"]["nodes"][0]["twin"]
        state: Case = {"profile": "performance", "draining": False, "gpuCapPctOfMax": past.pct}
        if past.lowered_ms is not None:
            state["gpuCapLoweredMs"] = past.lowered_ms
        case["in"]["state"] = {"performanceNodes": 2, "nodes": {"g": state}}
        cases.append(case)
    return cases


def gpu_cap_cases() -> list[Case]:
    return [*gpu_limit_cases(), *plan_cases()]
