# SPDX-License-Identifier: Apache-2.0
"""The cases of libjoulie-power-off-current.json, and how the question is asked: nodes that the
model switches off and wakes."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from typing import Any

from reference.policy import Machine, Node, Pending
from reference.power_off import Settings, Switched, decide
from vectors_of_policy import (
    CHEAP,
    DEAR,
    cpu_machine,
    gpu_machine,
    machine_object,
    running_objects,
    waiting_object,
)

Case = dict[str, Any]
NOW = datetime(2026, 3, 13, 12, tzinfo=timezone.utc)
KEYS = {
    "enabled": "enabled",
    "idle_s": "idleS",
    "up_s": "upS",
    "reserve_gpus": "reserveGpus",
    "reserve_cores": "reserveCores",
    "standby_w": "standbyWatts",
    "stop_timeout_s": "stopTimeoutS",
    "boot_timeout_s": "bootTimeoutS",
    "most_failures": "mostFailures",
    "window_s": "reserveWindowS",
}
WINDOW_S = 900.0  # usually


def time_of(seconds_ago: int) -> str:
    return (NOW - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def node_of(node: Switched) -> Case:
    made = machine_object(node.machine)
    del made["twin"]
    return {
        **made,
        "state": node.state,
        "since": time_of(node.for_s),
        "emptySince": time_of(node.empty_s),
        "failures": node.failures,
        "profile": node.machine.profile,
    }


def settings_of(settings: Settings) -> Case:
    """What differs from the defaults is said."""
    usual = {**asdict(Settings()), "window_s": WINDOW_S}
    return {KEYS[key]: value for key, value in asdict(settings).items() if value != usual[key]}


def question_of(nodes: list[Switched], waiting: list[Pending], settings: Settings) -> Case:
    given = settings_of(settings)
    return {
        **({"powerOff": given} if given else {}),
        "nodes": [node_of(node) for node in nodes],
        "pods": [pod for node in nodes for pod in running_objects(node.machine)]
        + [waiting_object(pod) for pod in waiting],
        "now": time_of(0),
    }


def is_recent(pod: Pending, settings: Settings) -> bool:
    """By when it was created, if that is known."""
    return not pod.created or pod.created >= time_of(int(settings.window_s))


def recent_of(nodes: list[Switched], waiting: list[Pending], settings: Settings) -> list[Pending]:
    """Nothing says how old a pod is that runs."""
    running = [
        Pending("", one.machine.used_cores, one.machine.used_gpus, vendor=one.machine.vendor)
        for one in nodes
        if one.machine.pods
    ]
    return running + [pod for pod in waiting if is_recent(pod, settings)]


def answer_of(nodes: list[Switched], waiting: list[Pending], settings: Settings) -> Case:
    choices = decide(nodes, waiting, settings, recent_of(nodes, waiting, settings))
    return {
        "actions": [
            {"nodeName": name, "action": action, "reason": reason}
            for name, (action, reason) in sorted(choices.items())
        ]
    }


def power_case(
    name: str,
    nodes: list[Switched],
    waiting: list[Pending] | None = None,
    settings: Settings | None = None,
) -> Case:
    pods, rules = waiting or [], settings or Settings()
    asked = question_of(nodes, pods, rules)
    return {
        "id": name,
        "question": "policy.power-off",
        "in": asked,
        "out": answer_of(nodes, pods, rules),
    }


H100, L40S, MI300X = "NVIDIA_H100_NVL", "NVIDIA_L40S", "AMD_INSTINCT_MI300X"


def cpus(names: str, **more: Any) -> list[Switched]:
    return [Switched(cpu_machine(name, CHEAP, 384, profile="performance"), **more) for name in names]


def gpus(names: str, gpu: str = H100, vendor: str = "nvidia", **more: Any) -> list[Switched]:
    return [
        Switched(gpu_machine(name, gpu, 8, vendor=vendor, profile="performance"), **more)
        for name in names
    ]


def none() -> Settings:
    """Without a reserve."""
    return Settings(reserve_gpus=0, reserve_cores=0)


def cases_of_switching_off() -> list[Case]:
    busy = Switched(
        cpu_machine("b", CHEAP, 384, profile="performance", pods=1, used_cores=200)
    )
    return [
        power_case("one-is-the-reserve", cpus("a")),
        power_case("all-but-the-reserve", cpus("abcd")),
        power_case("without-a-reserve", cpus("ab"), settings=none()),
        power_case("free-cores-of-busy-nodes-count", [*cpus("a"), busy, *cpus("c")]),
        power_case(
            "more-held-than-there-is",
            [
                Switched(cpu_machine("a", DEAR, 64, profile="performance", pods=1, used_cores=200)),
                *cpus("bc"),
            ],
        ),
        power_case("idle-too-short", cpus("ab", empty_s=1799), settings=none()),
        power_case("idle-long-enough", cpus("ab", empty_s=1800), settings=none()),
        power_case("up-too-short", cpus("ab", for_s=1799), settings=none()),
        power_case("up-long-enough", cpus("ab", for_s=1800), settings=none()),
        power_case(
            "own-times",
            [*cpus("a", empty_s=60, for_s=90), *cpus("b", empty_s=59), *cpus("c", for_s=89)],
            settings=Settings(idle_s=60, up_s=90, reserve_cores=0),
        ),
        power_case(
            "the-most-watts-for-work-first",
            [
                Switched(cpu_machine("a", CHEAP, 384)),
                Switched(cpu_machine("b", DEAR, 64)),
                Switched(cpu_machine("c", "AMD_EPYC_9654", 192)),
                Switched(cpu_machine("d", DEAR, 64)),
            ],
            settings=Settings(reserve_cores=500),
        ),
        power_case(
            "a-smaller-one-behind-one-that-is-needed",
            [
                Switched(cpu_machine("a", CHEAP, 384)),
                Switched(cpu_machine("b", "AMD_EPYC_9654", 192)),
                Switched(cpu_machine("c", DEAR, 64)),
            ],
            settings=Settings(reserve_cores=450),
        ),
        power_case(
            "idle-below-standby", cpus("a"), settings=Settings(reserve_cores=0, standby_w=157)
        ),
        power_case(
            "idle-above-standby", cpus("a"), settings=Settings(reserve_cores=0, standby_w=156)
        ),
        power_case(
            "unknown-hardware-stays-on", [Switched(Machine(Node("a"), 64))], settings=none()
        ),
        power_case(
            "gpus-of-a-vendor", [*gpus("abc"), *gpus("de", MI300X, "amd"), *cpus("xy")]
        ),
        power_case(
            "gpus-of-each-vendor",
            [*gpus("abc"), *gpus("de", MI300X, "amd"), *gpus("fgh", vendor="intel"), *cpus("xy")],
        ),
        power_case(
            "gpus-by-speed", [*gpus("ab", L40S), *gpus("cd", H100)], settings=Settings()
        ),
        power_case(
            "cores-hold-a-gpu-node",
            gpus("ab"),
            settings=Settings(reserve_gpus=0, reserve_cores=256),
        ),
        power_case(
            "not-when-it-already-stops", cpus("ab", state="stopping", for_s=10), settings=none()
        ),
        power_case("left-alone", cpus("ab", state="left-alone"), settings=none()),
        power_case(
            "left-alone-is-no-reserve", [*cpus("a", state="left-alone"), *cpus("b")]
        ),
    ]


def cases_of_waking() -> list[Case]:
    def full(name: str) -> Switched:
        machine = cpu_machine(
            name, CHEAP, 384, profile="performance", pods=2, used_cores=380
        )
        return Switched(machine)

    return [
        power_case("reserve", cpus("abc", state="off")),
        power_case(
            "reserve-by-watts-for-work",
            [
                Switched(cpu_machine("a", DEAR, 64), state="off"),
                Switched(cpu_machine("b", CHEAP, 384), state="off"),
                Switched(cpu_machine("c", "AMD_EPYC_9654", 192), state="off"),
            ],
            settings=Settings(reserve_cores=385),
        ),
        power_case(
            "reserve-of-a-vendor",
            [*gpus("ab", state="off"), *gpus("cde", MI300X, "amd", state="off"), *cpus("xy")],
        ),
        power_case(
            "what-boots-is-reserve", [*cpus("a", state="booting", for_s=10), *cpus("b", state="off")]
        ),
        power_case(
            "pods", [full("a"), *cpus("bc", state="off")], [Pending("p", 8)], settings=none()
        ),
        power_case(
            "pods-have-room", [*cpus("a"), *cpus("b", state="off")], [Pending("p", 8)], none()
        ),
        power_case(
            "pods-keep-a-node-on", cpus("ab"), [Pending("p", 8)], settings=none()
        ),
        power_case(
            "pods-have-room-soon",
            [full("a"), *cpus("b", state="booting", for_s=10), *cpus("c", state="off")],
            [Pending("p", 200), Pending("q", 184)],
            settings=none(),
        ),
        power_case(
            "pods-beyond-what-boots",
            [full("a"), *cpus("b", state="booting", for_s=10), *cpus("c", state="off")],
            [Pending("p", 200), Pending("q", 185)],
            settings=none(),
        ),
        power_case(
            "pods-on-one-node",
            cpus("abc", state="off"),
            [Pending("p", 200), Pending("q", 184), Pending("r", 1)],
            settings=none(),
        ),
        power_case(
            "pods-cheapest",
            [
                Switched(cpu_machine("a", DEAR, 64), state="off"),
                Switched(cpu_machine("b", CHEAP, 384), state="off"),
            ],
            [Pending("p", 32, performance=False)],
            settings=none(),
        ),
        power_case(
            "pods-of-gpus",
            [*cpus("a", state="off"), *gpus("b", L40S, state="off"), *gpus("c", state="off")],
            [Pending("p", 8, gpus=2)],
            settings=none(),
        ),
        power_case(
            "performance-not-on-eco",
            [
                Switched(cpu_machine("a", CHEAP, 384), state="off"),
                Switched(cpu_machine("b", DEAR, 64, profile="performance"), state="off"),
                Switched(cpu_machine("c", CHEAP, 384, pods=1, used_cores=1)),
            ],
            [Pending("p", 8)],
            settings=none(),
        ),
        power_case(
            "standard-on-eco",
            [
                Switched(cpu_machine("b", DEAR, 64, profile="performance"), state="off"),
                Switched(cpu_machine("c", CHEAP, 384, pods=1, used_cores=1)),
            ],
            [Pending("p", 8, performance=False)],
            settings=none(),
        ),
        power_case(
            "pods-nobody-takes", cpus("ab", state="off"), [Pending("p", 385)], settings=none()
        ),
        power_case(
            "while-it-stops", cpus("a", state="stopping", for_s=10), [Pending("p", 8)], none()
        ),
        power_case(
            "pods-eat-the-reserve",
            [*cpus("a"), *cpus("b", state="off")],
            [Pending("p", 129)],
        ),
        power_case("disabled", [*cpus("a", state="off"), *cpus("b")], settings=Settings(False)),
    ]


def cases_of_recent_pods() -> list[Case]:
    """A reserve is no larger than what came within the window, and no larger than it is set."""
    usual = Settings(window_s=WINDOW_S)
    asleep = {"state": "off"}

    def came(cores: int, ago_s: int, gpus: int = 0, vendor: str = "nvidia") -> Pending:
        created = time_of(ago_s) if ago_s else ""
        return Pending("p", cores, gpus=gpus, vendor=vendor, created=created)

    return [
        power_case("nothing-came", cpus("ab"), settings=usual),
        power_case("nothing-came-a-fixed-reserve", cpus("ab"), settings=Settings()),
        power_case("came-within-the-window", [*cpus("a"), *cpus("b", **asleep)], [came(200, 900)], usual),
        power_case("came-before-it", [*cpus("a"), *cpus("b", **asleep)], [came(200, 901)], usual),
        power_case("nobody-knows-when-it-came", [*cpus("a"), *cpus("b", **asleep)], [came(200, 0)], usual),
        power_case("came-half-of-what-is-free", [*cpus("a"), *cpus("b", **asleep)], [came(192, 1)], usual),
        power_case(
            "another-window", [*cpus("a"), *cpus("b", **asleep)], [came(200, 61)], Settings(window_s=60)
        ),
        power_case(
            "no-more-than-is-set",
            [*cpus("a"), *cpus("b", **asleep)],
            [came(200, 1)],
            Settings(window_s=900, reserve_cores=100),
        ),
        power_case(
            "gpus-that-came",
            [*gpus("a"), *gpus("b", **asleep), *gpus("c", MI300X, "amd", **asleep)],
            [came(1, 10, gpus=5)],
            usual,
        ),
        power_case(
            "gpus-of-a-vendor-that-came",
            [*gpus("ab"), *gpus("cd", MI300X, "amd")],
            [came(1, 10, gpus=5, vendor="amd")],
            usual,
        ),
        power_case(
            "what-runs-came-too",
            [
                Switched(cpu_machine("a", CHEAP, 384, profile="performance", pods=1, used_cores=250)),
                *cpus("b", **asleep),
            ],
            settings=usual,
        ),
    ]


def cases_of_timeouts() -> list[Case]:
    cases = []
    for state, limit_s in (("stopping", 600), ("booting", 1200)):
        for seconds, failures in ((limit_s, 0), (limit_s + 1, 0), (limit_s + 1, 1)):
            cases.append(
                power_case(
                    f"{state}-{seconds}-s-{failures}-failures",
                    cpus("ab", state=state, for_s=seconds, failures=failures),
                    settings=none(),
                )
            )
        cases.append(
            power_case(f"{state}-gives-up", cpus("ab", state=state, for_s=9999, failures=2))
        )
    cases.append(
        power_case(
            "own-timeouts",
            [
                *cpus("a", state="stopping", for_s=6),
                *cpus("b", state="booting", for_s=8),
                *cpus("c", state="off", for_s=10_000, failures=9),
            ],
            settings=Settings(
                reserve_cores=0, stop_timeout_s=5, boot_timeout_s=7, most_failures=1
            ),
        )
    )
    cases.append(
        power_case(
            "disabled-gives-up", cpus("a", state="booting", for_s=1201, failures=2),
            settings=Settings(False),
        )
    )
    return cases


def power_off_cases() -> list[Case]:
    return [
        *cases_of_switching_off(),
        *cases_of_waking(),
        *cases_of_recent_pods(),
        *cases_of_timeouts(),
    ]
