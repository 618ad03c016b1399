# SPDX-License-Identifier: Apache-2.0
"""Simulated clusters and synthetic traces: include/joulie/sim.h."""

from __future__ import annotations

import ctypes
import json
import math
import weakref
from typing import Any, Iterable, Mapping, Optional, Union

from . import _native
from ._native import Document

Trace = Union[str, bytes, Iterable[Mapping[str, Any]]]


class SimOptions(ctypes.Structure):
    """struct joulie_sim_options"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("inventory", ctypes.c_char_p),
        ("inventory_len", ctypes.c_size_t),
        ("trace", ctypes.c_char_p),
        ("trace_len", ctypes.c_size_t),
        ("policy", ctypes.c_char_p),
        ("policy_len", ctypes.c_size_t),
        ("placement", ctypes.c_char_p),
        ("physics", ctypes.c_char_p),
        ("seed", ctypes.c_uint64),
        ("hours", ctypes.c_double),
        ("compare", ctypes.c_int32),
        ("is_lenient", ctypes.c_int32),
        ("keeps_hours", ctypes.c_int32),
        ("is_external", ctypes.c_int32),
        ("nodes", ctypes.c_int64),
    ]


class SimView(ctypes.Structure):
    """struct joulie_sim_view"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("time_s", ctypes.c_double),
        ("is_finished", ctypes.c_int32),
        ("has_uncontrolled", ctypes.c_int32),
        ("nodes", ctypes.c_int64),
        ("nodes_performance", ctypes.c_int64),
        ("nodes_eco", ctypes.c_int64),
        ("nodes_draining", ctypes.c_int64),
        ("nodes_undecided", ctypes.c_int64),
        ("nodes_busy", ctypes.c_int64),
        ("jobs", ctypes.c_int64),
        ("submitted", ctypes.c_int64),
        ("queued", ctypes.c_int64),
        ("running", ctypes.c_int64),
        ("completed", ctypes.c_int64),
        ("failed", ctypes.c_int64),
        ("unplaced", ctypes.c_int64),
        ("cores", ctypes.c_int64),
        ("gpus", ctypes.c_int64),
        ("cores_requested", ctypes.c_double),
        ("gpus_requested", ctypes.c_int64),
        ("cpu_power_w", ctypes.c_double),
        ("gpu_power_w", ctypes.c_double),
        ("energy_j", ctypes.c_double),
        ("transitions", ctypes.c_int64),
        ("decisions", ctypes.c_int64),
        ("uncontrolled_time_s", ctypes.c_double),
        ("uncontrolled_power_w", ctypes.c_double),
        ("uncontrolled_energy_j", ctypes.c_double),
        ("uncontrolled_queued", ctypes.c_int64),
        ("uncontrolled_running", ctypes.c_int64),
        ("uncontrolled_completed", ctypes.c_int64),
        ("design_it_w", ctypes.c_double),
    ]


class WorkloadOptions(ctypes.Structure):
    """struct joulie_workload_options"""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("has", ctypes.c_uint64),
        ("mode", ctypes.c_char_p),
        ("name_space", ctypes.c_char_p),
        ("jobs", ctypes.c_int64),
        ("hours", ctypes.c_double),
        ("seed", ctypes.c_uint64),
        ("max_duration_s", ctypes.c_double),
        ("perf_ratio", ctypes.c_double),
        ("gpu_ratio", ctypes.c_double),
        ("amd_ratio", ctypes.c_double),
        ("mean_inter_arrival_s", ctypes.c_double),
        ("peak_rate_per_min", ctypes.c_double),
        ("burst_prob", ctypes.c_double),
        ("burst_min", ctypes.c_int64),
        ("burst_max", ctypes.c_int64),
        ("min_gpus", ctypes.c_int64),
        ("work_scale", ctypes.c_double),
        ("base_speed", ctypes.c_double),
        ("has_records", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


# enum joulie_workload_has: the bit of each member, in the order of the header
WORKLOAD_BITS = {
    name: 1 << bit
    for bit, name in enumerate(
        "jobs hours seed max_duration_s perf_ratio gpu_ratio amd_ratio mean_inter_arrival_s "
        "peak_rate_per_min burst_prob burst_min burst_max min_gpus work_scale base_speed "
        "has_records".split()
    )
}

_ERROR = ctypes.POINTER(_native.JoulieError)
_OUT = ctypes.POINTER(ctypes.c_void_p)
_SIM = ctypes.c_void_p
_declare = _native.declare
_sim_new = _declare("joulie_sim_new", ctypes.c_int, ctypes.POINTER(SimOptions), _OUT, _ERROR)
_sim_free = _declare("joulie_sim_free", None, _SIM)
_run_until = _declare("joulie_sim_run_until", ctypes.c_int, _SIM, ctypes.c_double, _ERROR)
_sim_view = _declare("joulie_sim_view", ctypes.c_int, _SIM, ctypes.POINTER(SimView))
_summary = _declare("joulie_sim_summary", ctypes.c_int, _SIM, _OUT, _ERROR)
_csv = _declare("joulie_sim_csv", ctypes.c_int, _SIM, ctypes.c_char_p, _OUT, _ERROR)
_models = _declare("joulie_sim_models", ctypes.c_int, _SIM, _OUT, _ERROR)
_generate = _declare(
    "joulie_workload_generate", ctypes.c_int, ctypes.POINTER(WorkloadOptions), _OUT, _ERROR
)
_inspect = _declare(
    "joulie_workload_inspect",
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.c_int,
    _OUT,
    _ERROR,
)


def _trace_bytes(trace: Trace) -> bytes:
    if isinstance(trace, (str, bytes)):
        return _native.document_bytes(trace)
    return b"".join(_native.document_bytes(record) + b"\n" for record in trace)


class Simulation:
    """A trace on simulated machines in virtual time, with control and (compare=True) without.

    inventory  the machines: a dict {"nodes": [...]}, or YAML or JSON
    trace      the jobs: JSON lines, or dicts
    policy     the member "policy" of the question "plan"; None = its defaults
    placement  "joulie" or "least-allocated": scoring of the controlled run; None = "joulie"
    physics    "current" or "v0.1.1"; None = "current"
    hours      end after so many virtual hours; None = when every job has ended
    seed       copied to the summary; a run draws no random number
    lenient    skip bad lines of the trace
    tables     keep what csv("nodes") prints

    One simulation belongs to one thread at a time.
    """

    def __init__(
        self,
        inventory: Document,
        trace: Trace,
        *,
        policy: Optional[Document] = None,
        compare: bool = True,
        placement: Optional[str] = None,
        physics: Optional[str] = None,
        hours: Optional[float] = None,
        seed: int = 1,
        lenient: bool = False,
        tables: bool = False,
    ) -> None:
        machines, jobs = _native.document_bytes(inventory), _trace_bytes(trace)
        rules = None if policy is None else _native.document_bytes(policy)
        options = SimOptions(
            struct_size=ctypes.sizeof(SimOptions),
            inventory=machines,
            inventory_len=len(machines),
            trace=jobs,
            trace_len=len(jobs),
            policy=rules,
            policy_len=0 if rules is None else len(rules),
            placement=_native.optional_text(placement, "placement"),
            physics=_native.optional_text(physics, "physics"),
            seed=seed,
            hours=0 if hours is None else hours,
            compare=int(compare),
            is_lenient=int(lenient),
            keeps_hours=int(tables),
        )
        handle = ctypes.c_void_p()
        _native.check(_sim_new, ctypes.byref(options), ctypes.byref(handle))
        self._handle = handle
        self._free = weakref.finalize(self, _sim_free, handle)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the simulation now; otherwise it is freed with the object."""
        self._free()

    def _alive(self) -> ctypes.c_void_p:
        if not self._free.alive:
            raise ValueError("the simulation is closed")
        return self._handle

    def run(self, until_s: float = math.inf) -> Simulation:
        """Lets both runs go on up to a virtual time, in seconds since the start; returns itself."""
        _native.check(_run_until, self._alive(), until_s)
        return self

    def view(self) -> dict[str, Union[int, float]]:
        """The state at the present virtual time: the members of struct joulie_sim_view."""
        view = SimView(struct_size=ctypes.sizeof(SimView))
        _sim_view(self._alive(), ctypes.byref(view))
        return {name: getattr(view, name) for name, *_ in SimView._fields_[1:]}

    def summary(self) -> dict[str, Any]:
        """Work done, energy, what was saved, waiting, caps, at the present virtual time."""
        found: dict[str, Any] = json.loads(_native.call(_summary, self._alive()))
        return found

    def csv(self, table: str) -> str:
        """A table with a header line: "nodes" (needs tables=True) or "jobs"."""
        return _native.call(_csv, self._alive(), _native.c_text(table, "table"))

    def models(self) -> list[dict[str, Any]]:
        """The hardware model that each entry of the inventory came to."""
        found: list[dict[str, Any]] = json.loads(_native.call(_models, self._alive()))
        return found


def simulate(inventory: Document, trace: Trace, **options: Any) -> dict[str, Any]:
    """Runs a Simulation (same arguments) to its end and returns its summary."""
    with Simulation(inventory, trace, **options) as simulation:
        return simulation.run().summary()


def generate_workload(
    mode: str = "default", *, namespace: str = "default", **options: float
) -> str:
    """A synthetic trace as JSON lines.

    mode     "default" (families of workloads) or "diurnal" (the rate follows the day)
    options  numbers by their names in struct joulie_workload_options: jobs, hours, seed, …
    """
    c_options = WorkloadOptions(
        struct_size=ctypes.sizeof(WorkloadOptions),
        mode=_native.c_text(mode, "mode"),
        name_space=_native.c_text(namespace, "namespace"),
    )
    for name, value in options.items():
        if name not in WORKLOAD_BITS:
            raise TypeError(f"generate_workload() has no option {name!r}")
        c_options.has |= WORKLOAD_BITS[name]
        setattr(c_options, name, value)
    return _native.call(_generate, ctypes.byref(c_options))


def inspect_workload(trace: Trace, *, lenient: bool = False) -> dict[str, Any]:
    """What a trace holds: counts, classes, work and span."""
    data = _trace_bytes(trace)
    found: dict[str, Any] = json.loads(_native.call(_inspect, data, len(data), int(lenient)))
    return found
