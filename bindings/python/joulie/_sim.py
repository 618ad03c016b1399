# SPDX-License-Identifier: Apache-2.0
"""Simulated clusters and synthetic traces: include/joulie/sim.h."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _native, _table, abi
from ._native import Document
from ._table import Frame, Table

Trace = Union[str, bytes, Iterable[Mapping[str, Any]]]

OUTCOME = _native.Bits(abi.SimOutcomeHas, abi.SimOutcome)
WORKLOAD = _native.Bits(abi.WorkloadHas, abi.WorkloadOptions)

# Columns of joulie_sim_csv() that are not plain numbers.
KINDS = {
    **dict.fromkeys(("run", "node", "state", "power", "id", "class", "profile"), "text"),
    **dict.fromkeys(("controlled_state", "controlled_node"), "text"),
    **dict.fromkeys(("uncontrolled_state", "uncontrolled_node"), "text"),
    **dict.fromkeys(("cpu", "gpu"), "text"),
    **dict.fromkeys(("hour", "running", "nodes", "gpus"), "int"),
    "draining": "bool",
}


class SimEvent(NamedTuple):
    """What an external simulation reports or asks: struct joulie_sim_event."""

    kind: abi.SimEventKind
    time_s: float
    namespace: str
    name: str
    text: str
    node: str
    candidates: tuple[str, ...]
    is_removed: bool
    is_first: bool
    is_sample: bool
    workload_class: str
    profile: str


class SimObjects(NamedTuple):
    """One machine as an API server would hold it."""

    node: dict[str, Any]
    hardware: dict[str, Any]


def _trace_bytes(trace: Trace) -> bytes:
    if isinstance(trace, (str, bytes)):
        return _native.document_bytes(trace)
    return b"".join(_native.document_bytes(record) + b"\n" for record in trace)


class Simulation(_native.Handle):
    """A trace on simulated machines in virtual time, with control and (compare=True) without.

    inventory  the machines: a dict {"nodes": [...]}, or YAML or JSON
    trace      the jobs: JSON lines, or dicts
    policy     the member "policy" of the question "plan"; None = its defaults
    placement  scoring of the controlled run: "joulie" (None); "efficiency", "efficiency-cost"; or
               without the extender's scores "least-allocated", "kube" or "most-allocated"
    baseline   scoring of the uncontrolled run: "least-allocated" (None), "kube" or
               "most-allocated"
    placement_base, extender_weight
               instead of those of the placement's word; None and 0 = its own
    scoring    the extender's scoring profile; None = its defaults
    power_off  settings of power_off_v1, {} = its defaults: nodes are switched off and woken; None =
               they stay on
    baseline_power_off
               also in the uncontrolled run beside it
    physics    "current" or "v0.1.1"; None = "current"
    speeds     "catalog" (None), or "equal": all CPUs and GPUs are equally fast
    control    False: the only run is the uncontrolled one; give compare=False, too
    hours      end after so many virtual hours; None = when every job has ended
    nodes      scale the inventory to so many machines, keeping the mix; None = as it says
    it_limit_w    count the time above so much IT power
    rack_limit_w  the same of each rack, the machines of one label joulie.io/rack
    seed       copied to the summary; a run draws no random number
    lenient    skip bad lines of the trace
    tables     keep what table("nodes") shows
    external   operator, extender and agents are somebody else: next_event()

    One simulation belongs to one thread at a time.
    """

    _what = "simulation"

    def __init__(
        self,
        inventory: Document,
        trace: Trace,
        *,
        policy: Optional[Document] = None,
        compare: bool = True,
        placement: Optional[str] = None,
        baseline: Optional[str] = None,
        placement_base: Optional[str] = None,
        extender_weight: int = 0,
        scoring: Optional[Document] = None,
        power_off: Optional[Document] = None,
        baseline_power_off: bool = False,
        physics: Optional[str] = None,
        speeds: Optional[str] = None,
        control: bool = True,
        hours: Optional[float] = None,
        nodes: Optional[int] = None,
        it_limit_w: Optional[float] = None,
        rack_limit_w: Optional[float] = None,
        seed: int = 1,
        lenient: bool = False,
        tables: bool = False,
        external: bool = False,
    ) -> None:
        machines, jobs = _native.document_bytes(inventory), _trace_bytes(trace)
        rules, rules_len = _native.optional_document(policy)
        profile, profile_len = _native.optional_document(scoring)
        switching, switching_len = _native.optional_document(power_off)
        options = abi.SimOptions(
            inventory=machines,
            inventory_len=len(machines),
            trace=jobs,
            trace_len=len(jobs),
            policy=rules,
            policy_len=rules_len,
            placement=_native.optional_text(placement, "placement"),
            baseline=_native.optional_text(baseline, "baseline"),
            placement_base=_native.optional_text(placement_base, "placement_base"),
            extender_weight=extender_weight,
            scoring=profile,
            scoring_len=profile_len,
            power_off=switching,
            power_off_len=switching_len,
            baseline_power_off=int(baseline_power_off),
            physics=_native.optional_text(physics, "physics"),
            speeds=_native.optional_text(speeds, "speeds"),
            is_uncontrolled=int(not control),
            seed=seed,
            hours=0 if hours is None else hours,
            nodes=0 if nodes is None else nodes,
            compare=int(compare),
            is_lenient=int(lenient),
            keeps_hours=int(tables),
            is_external=int(external),
            it_limit_w=0 if it_limit_w is None else it_limit_w,
            rack_limit_w=0 if rack_limit_w is None else rack_limit_w,
        )
        handle = ctypes.c_void_p()
        _native.check(abi.joulie_sim_new, ctypes.byref(options), ctypes.byref(handle))
        self._own(handle, abi.joulie_sim_free)

    def __enter__(self) -> Simulation:
        return self

    def run(self, until_s: float = math.inf) -> Simulation:
        """Lets both runs go on up to a virtual time, in seconds since the start; returns itself."""
        self._check(abi.joulie_sim_run_until, until_s)
        return self

    def view(self) -> dict[str, Union[int, float]]:
        """The state at the present virtual time: the members of struct joulie_sim_view."""
        view = abi.SimView()
        self._check(abi.joulie_sim_get_view, ctypes.byref(view))
        return _native.members(view)

    def node(self, key: Union[int, str]) -> dict[str, Any]:
        """One machine now, by name or by the order of names: struct joulie_sim_node_view."""
        view = abi.SimNodeView()
        with self._use() as handle:
            if isinstance(key, str):
                name = _native.c_text(key, "key")
                _native.check(abi.joulie_sim_node_by_name, handle, name, ctypes.byref(view))
            else:
                _native.check(abi.joulie_sim_node_at, handle, key, ctypes.byref(view))
            found = _native.members(view)
        texts = {
            member: None if found[member] is None else found[member].decode()
            for member in ("name", "state", "last_action", "last_result", "power_state")
        }
        return {**found, **texts}

    def pods(self, node: int) -> list[dict[str, Any]]:
        """The pods that run on a machine of an external simulation, by the order of names, and what each has used of
        it: struct joulie_sim_pod_view."""
        view = abi.SimPodView()
        found = []
        with self._use() as handle:
            count = abi.SimNodeView()
            _native.check(abi.joulie_sim_node_at, handle, node, ctypes.byref(count))
            for index in range(count.jobs):
                _native.check(abi.joulie_sim_pod_at, handle, node, index, ctypes.byref(view))
                texts = {member: getattr(view, member).decode() for member in ("name_space", "name", "container")}
                found.append({**_native.members(view), **texts})
        return found

    def outcome(self, *, uncontrolled: bool = False) -> dict[str, Union[int, float]]:
        """What one run came to so far; what is unknown is absent."""
        outcome = abi.SimOutcome()
        self._check(abi.joulie_sim_get_outcome, int(uncontrolled), ctypes.byref(outcome))
        found = _native.members(outcome)
        known = OUTCOME.known(outcome)
        return {name: found[name] for name in found if name not in OUTCOME.names or name in known}

    def spread(
        self,
        measure: abi.SimMeasure,
        group: abi.SimGroup = abi.SimGroup.ALL,
        *,
        uncontrolled: bool = False,
    ) -> dict[str, Union[int, float]]:
        """Mean, quantiles and maximum of a measure over the jobs of a group; {"jobs": 0} of none."""
        spread = abi.SimSpread()
        self._check(
            abi.joulie_sim_get_spread, int(uncontrolled), measure, group, ctypes.byref(spread)
        )
        return _native.members(spread) if spread.jobs > 0 else {"jobs": 0}

    def saving(self) -> float:
        """Energy that control saved, in percent; ConflictError where the runs cannot be compared."""
        pct = ctypes.c_double()
        self._check(abi.joulie_sim_saving, ctypes.byref(pct))
        return pct.value

    def summary(self) -> dict[str, Any]:
        """Work done, energy, what was saved, waiting, caps, at the present virtual time."""
        found: dict[str, Any] = self._json(abi.joulie_sim_summary)
        return found

    def csv(self, table: str) -> str:
        """A table with a header line: "nodes" (needs tables=True), "jobs", "families", "decisions"."""
        return self._text(abi.joulie_sim_csv, _native.c_text(table, "table"))

    def table(self, name: str = "jobs") -> Table:
        """The same as a Table."""
        return _table.from_csv(self.csv(name), KINDS)

    def models(self) -> list[dict[str, Any]]:
        """The hardware model that each entry of the inventory came to."""
        found: list[dict[str, Any]] = self._json(abi.joulie_sim_models)
        return found

    def objects(self, index: int) -> SimObjects:
        """Node and NodeHardware of one machine, by the order of names."""
        node, hardware = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(abi.joulie_sim_objects, index, ctypes.byref(node), ctypes.byref(hardware))
        texts = (_native.take(node), _native.take(hardware))
        return SimObjects(*(_native.from_json(text) for text in texts))

    def body(self, what: str, node_name: Optional[str] = None) -> Any:
        """What a machine says of itself ("telemetry", "state"); of all "jobs", "nodes", "energy"."""
        name = _native.optional_text(node_name, "node_name")
        return self._json(abi.joulie_sim_body, name, _native.c_text(what, "what"))

    # --- external: the operator, the extender and the agents are the caller ---

    def next_event(self, until_s: float = -1) -> Optional[SimEvent]:
        """The next thing to be told or asked up to a virtual time; negative = no limit.

        None: that time is reached, or the simulation has ended.
        """
        event, found = abi.SimEvent(), ctypes.c_int()
        with self._use() as handle:
            _native.check(
                abi.joulie_sim_next, handle, until_s, ctypes.byref(event), ctypes.byref(found)
            )
            return _event(event) if found.value else None

    def answer(
        self,
        passed: Optional[Sequence[bool]] = None,
        wire: Optional[Sequence[int]] = None,
        count: Optional[int] = None,
    ) -> None:
        """Answers SimEventKind.PLACE, one value per candidate.

        passed  whether the filter lets it pass; None = all of them
        wire    0 to 10, what prioritize says; None = nothing
        count   of candidates, when neither is given
        """
        given = passed if passed is not None else wire
        size = len(given) if given is not None else count
        if size is None:
            raise TypeError("answer() takes passed, wire or count")
        if passed is not None and wire is not None and len(passed) != len(wire):
            raise ValueError("passed and wire are of different lengths")
        flags = None if passed is None else (ctypes.c_ubyte * size)(*map(int, passed))
        points = None if wire is None else (ctypes.c_int32 * size)(*wire)
        self._check(abi.joulie_sim_answer, flags, points, size)

    def set_control_time(self, at_s: float, *, admits_changed: bool = False) -> None:
        """Says when somebody steps next; negative = nobody does."""
        self._check(abi.joulie_sim_set_control_time, at_s, int(admits_changed))

    def control(self, node_name: str, action: Document) -> dict[str, Any]:
        """Sets a cap of a machine, as the control endpoint does; its reply."""
        text = _native.document_bytes(action)
        name = _native.c_text(node_name, "node_name")
        found: dict[str, Any] = self._json(abi.joulie_sim_control, name, text, len(text))
        return found

    def cordon(self, node_name: str, is_cordoned: bool = True) -> None:
        """Lets no new pod onto a machine, or lets them again."""
        self._check(
            abi.joulie_sim_cordon, _native.c_text(node_name, "node_name"), int(is_cordoned)
        )

    def put_decision(self, twin: Document) -> None:
        """Tells of a NodeTwin whose spec was written now."""
        text = _native.document_bytes(twin)
        self._check(abi.joulie_sim_put_decision, text, len(text))

    def resume(self) -> None:
        """Lets time go on after the end."""
        self._check(abi.joulie_sim_resume)


def _event(event: abi.SimEvent) -> SimEvent:
    """A copy of what lives until the next call only."""
    return SimEvent(
        _native.known_value(abi.SimEventKind, event.kind),
        event.time_s,
        _native.text_of(event.name_space),
        _native.text_of(event.name),
        _native.text_of(event.text),
        _native.text_of(event.node),
        tuple(event.candidates[at].decode() for at in range(event.candidate_count)),
        bool(event.is_removed),
        bool(event.is_first),
        bool(event.is_sample),
        _native.text_of(event.workload_class),
        _native.text_of(event.profile),
    )


def instant_ms(time_s: float) -> int:
    """The instant of a virtual time: milliseconds since 1970."""
    return abi.joulie_sim_instant_ms(time_s)


def simulate(
    inventory: Document,
    trace: Trace,
    *,
    table: str = "jobs",
    policy: Optional[Document] = None,
    compare: bool = True,
    placement: Optional[str] = None,
    physics: Optional[str] = None,
    hours: Optional[float] = None,
    nodes: Optional[int] = None,
    it_limit_w: Optional[float] = None,
    rack_limit_w: Optional[float] = None,
    seed: int = 1,
    lenient: bool = False,
) -> Frame:
    """Runs a Simulation to its end and returns a table of it, its summary in attrs["summary"].

    table  "jobs": one row per job, both runs side by side; "nodes": one per run, machine and hour;
           "families": one per run and entry of the inventory, energy in parts; "decisions": one per
           NodeTwin spec that was written

    The other arguments are those of Simulation. The table is a pandas.DataFrame where pandas is
    installed, else a joulie.Table.
    """
    with Simulation(
        inventory,
        trace,
        policy=policy,
        compare=compare,
        placement=placement,
        physics=physics,
        hours=hours,
        nodes=nodes,
        it_limit_w=it_limit_w,
        rack_limit_w=rack_limit_w,
        seed=seed,
        lenient=lenient,
        tables=table == "nodes",
    ) as simulation:
        found = simulation.run().table(table)
        found.attrs["summary"] = simulation.summary()
    return _table.best_frame(found)


def generate_workload(
    mode: str = "default",
    *,
    namespace: str = "default",
    inventory: Optional[Document] = None,
    **options: float,
) -> str:
    """A synthetic trace as JSON lines.

    mode       "default" (families of workloads) or "diurnal" (the rate follows the day)
    inventory  the machines that the jobs are for, diurnal: with it load= may be given
    options    numbers by their names in struct joulie_workload_options: jobs, hours, seed, …
    """
    machines, machines_len = _native.optional_document(inventory)
    c_options = abi.WorkloadOptions(
        mode=_native.c_text(mode, "mode"),
        name_space=_native.c_text(namespace, "namespace"),
        inventory=machines,
        inventory_len=machines_len,
    )
    WORKLOAD.fill(c_options, "generate_workload()", options)
    return _native.call(abi.joulie_workload_generate, ctypes.byref(c_options))


def inspect_workload(trace: Trace, *, lenient: bool = False) -> dict[str, Any]:
    """What a trace holds: counts, classes, work and span."""
    data = _trace_bytes(trace)
    found: dict[str, Any] = _native.call_json(
        abi.joulie_workload_inspect, data, len(data), int(lenient)
    )
    return found
