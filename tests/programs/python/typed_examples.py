# SPDX-License-Identifier: Apache-2.0
"""How the package is used, with types: mypy --strict reads it, test_types.py also runs it."""

from __future__ import annotations

from array import array
from typing import Optional

import joulie

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}


def one_node() -> Optional[float]:
    node = joulie.predict(
        cpu_sockets=2,
        cpu_max_w=350,
        measured_node_power_w=420,
        cooling_model=joulie.Cooling.DLC,
        rules=joulie.TwinRules.CURRENT,
    )
    tier: joulie.PowerTier = node.power_tier
    assert tier is joulie.PowerTier.MEASURED
    return node.power_headroom_score


def placed() -> list[int]:
    answer = joulie.place_nodes(
        work=joulie.Work(cpu_cores=8, workload_class=joulie.WorkloadClass.PERFORMANCE),
        now_ms=0,
        settings={"spread": joulie.Spread.RANK, "score_range": 100},
        updated_ms=0,
        headroom_score=array("d", [80, 20]),
        cooling_stress_score=10.0,
        out=["score"],
    )
    return list(answer["score"])


def rules() -> tuple[str, Optional[float]]:
    work: joulie.Classification = joulie.classify(cpu_util_pct=90, workload_class="standard")
    caps = joulie.caps_resolve(device=joulie.CapDevice.GPU, cap_pct=60, max_w=array("d", [350]))
    next_w: Optional[float] = joulie.caps_next_w(caps["cap_w"][0], current_w=350, reference_w=350)
    cost: joulie.Slowdown = joulie.slowdown(
        gpu_max_w=350, gpu_cap_w=next_w, gpu_bound=work.cpu_bound
    )
    trend: joulie.Trend = joulie.trend(array("q", [0]), array("d", [100]))
    assert trend.trend_w_per_min is None
    return work.reason, cost.gpu_slowdown


def cluster() -> list[str]:
    with joulie.Cluster({"policy": {"type": "static_partition"}}) as model:
        model.put_object(NODE)
        model.sample("n1", 0, node_power_w=300.0, source=joulie.PowerSource.KEPLER)
        for action in model.step(0):
            verb: joulie.ActionVerb = action.verb
            assert verb in (joulie.ActionVerb.CREATE, joulie.ActionVerb.PATCH)
            model.done(action)
        headroom: Optional[float] = model.node("n1").headroom_score
        assert headroom is None
        passed: list[str] = model.filter(POD, 0)["passed"]
    return passed


def document() -> dict[str, object]:
    spec = {"nodeName": "n1", "profile": "eco"}
    twin = joulie.Object({"apiVersion": "joulie.io/v1alpha1", "kind": "NodeTwin", "spec": spec})
    twin.set("spec.cpu.packagePowerCapPctOfMax", 60.5)
    share: Optional[float] = twin.number("spec.cpu.packagePowerCapPctOfMax")
    assert share == 60.5
    return twin.to_dict()


def errors() -> str:
    try:
        joulie.ask("quantity", {"text": "1500 milli"})
    except joulie.ParseError as problem:
        return f"{problem.code} {problem.where} {problem.line}"
    return ""


def simulated() -> int:
    machine = {"node_name": "a", "cpu": "AMD EPYC 9654", "cpu_sockets": 1, "cpu_cores": 96}
    inventory = {"nodes": [{**machine, "memory_gib": 64}]}
    trace = joulie.generate_workload(jobs=3, gpu_ratio=0, max_duration_s=600)
    jobs: joulie.Frame = joulie.simulate(inventory, trace)
    with joulie.Simulation(inventory, trace) as simulation:
        table: joulie.Table = simulation.run().table("jobs")
    assert len(table) == len(jobs)
    return len(jobs)


def scaled() -> Optional[float]:
    profile = {
        "apiVersion": "tensor-fusion.ai/v1",
        "kind": "WorkloadProfile",
        "spec": {"autoScalingConfig": {"autoSetReplicas": {"enable": True}}},
    }
    model: joulie.AutoscaleModel = joulie.AutoscaleModel.CURRENT
    with joulie.Autoscaler(profile, model=model, find_zone=None) as scaler:
        scaler.put_worker("w-0", created_ms=0)
        scaler.put_sample("w-0", 1000, tflops=5)
        scaler.put_samples(workers=["w-0"], at_ms=array("q", [2000]), tflops=array("d", [6]))
        step: joulie.AutoscaleStep = scaler.step(3000, limit_tflops=20.0, replicas=1)
        scaler.restore(scaler.save())
    wanted: Optional[int] = None if step.replicas is None else step.replicas.desired
    assert wanted is None
    names: list[str] = [decision.layer for decision in step.decisions]
    assert names == []
    assert "qos" not in joulie.tensor_fusion_profile(profile)
    runs: joulie.Frame = joulie.simulate_autoscale("step", hours=1, seeds=1)
    assert len(runs) == 3
    return step.limit_tflops


def structs() -> float:
    given = joulie.abi.TwinInput(cpu_sockets=2, has=joulie.abi.TwinHas.CPU_SOCKETS)
    sockets: float = given.cpu_sockets
    return sockets


if __name__ == "__main__":
    print(one_node(), placed(), rules(), cluster(), document(), errors(), simulated(), structs())
    print(scaled())
