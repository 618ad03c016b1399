# SPDX-License-Identifier: Apache-2.0
"""A cluster in memory: include/joulie/cluster.h."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence, TypedDict, Union

from . import _columns, _native, abi
from ._columns import Columns, Wanted
from ._errors import RangeError
from ._native import Document
from ._place import Work, work_struct

if TYPE_CHECKING:
    from typing_extensions import Unpack

NEVER_MS = 2**63 - 1
SAMPLE = _native.Bits(abi.ClusterSampleHas, abi.ClusterSample)
FACILITY = _native.Bits(abi.ClusterFacilityHas, abi.ClusterFacility)
NODE = _native.Bits(abi.ClusterNodeHas, abi.ClusterNode)
NODE_KINDS = _native.member_kinds(abi.ClusterNode)
MACHINE = _native.Bits(abi.ClusterMachineHas, abi.ClusterMachine)
CLUSTER_WORK = _native.Bits(abi.ClusterWorkHas, abi.ClusterWork)


class Action(NamedTuple):
    """One write that a step decided: struct joulie_cluster_action."""

    id: int
    verb: abi.ActionVerb
    change: abi.Change
    api_version: str
    kind: str
    plural: str
    name: str
    subresource: str
    node_name: str
    reason: str
    name_space: str = ""  # "" = it has none


class Query(NamedTuple):
    """What Prometheus is asked for all pods at once: see joulie_cluster_workloads_query()."""

    number: int
    word: str
    text: str


class Workloads(NamedTuple):
    """What a decision about workloads found: struct joulie_cluster_workloads."""

    actions: list[Action]
    workloads: int
    measured: int
    reliable: int
    foreign: int
    profiles: int


class Command(NamedTuple):
    """What a power actuator has to do for a node: struct joulie_cluster_command."""

    id: int
    command: abi.PowerCommand
    node_name: str
    reason: str


class MachineNumbers(TypedDict, total=False):
    """Numbers of a machine; None or left out = unknown. Units: struct joulie_cluster_machine."""

    cpu_sockets: Optional[float]
    cpu_cores: Optional[float]
    cpu_max_w: Optional[float]
    cpu_min_w: Optional[float]
    gpu_count: Optional[float]
    gpu_max_w: Optional[float]
    gpu_min_w: Optional[float]
    gpu_idle_w: Optional[float]
    booted_ms: Optional[int]
    power_since_ms: Optional[int]


class ClusterNode(NamedTuple):
    """One node after the last step: struct joulie_cluster_node. None = unknown."""

    name: str
    uid: str
    scope: str
    profile: abi.Profile
    label: str
    state: abi.NodeState
    old_state: str
    is_paused: bool
    is_draining: bool
    cpu_density: Optional[float]
    cpu_density_normalized: Optional[float]
    gpu_density: Optional[float]
    headroom_score: Optional[float]
    cooling_stress_score: Optional[float]
    psu_stress_score: Optional[float]
    cpu_cap_pct: Optional[float]
    cpu_cap_w: Optional[float]
    gpu_cap_pct: Optional[float]
    gpu_cap_w: Optional[float]
    node_power_w: Optional[float]
    node_capped_w: Optional[float]
    node_tdp_w: Optional[float]
    power_trend_w_per_min: Optional[float]
    rack_power_w: Optional[float]
    ledger_w: float
    node_class: abi.NodeClass
    power_tier: abi.PowerTier
    cpu_tdp_source: abi.TdpSource
    gpu_tdp_source: abi.TdpSource
    power_state: abi.PowerState
    power_since_ms: Optional[int]
    power_failures: int
    power_action: abi.PowerAction
    power_reason: str
    rack: str
    cooling_zone: str


class Totals(NamedTuple):
    """What the last step counted: struct joulie_cluster_totals."""

    pods_performance: int
    pods_eco: int
    pods_general: int
    pods_unknown: int
    weighted_demand: float
    performance_nodes: int
    ledger_entries: int
    ledger_w: float


class Extended(NamedTuple):
    """The reply to a request of kube-scheduler, and what metrics want to know of it."""

    reply: str
    workload_class: str
    nodes: int
    rejected_eco: int
    rejected_draining: int
    rejected_label: int
    rejected_no_data: int
    bad_quantities: int
    invalid_annotations: abi.Invalid
    rejected_power: int
    rejected_off: int


class Cluster(_native.Handle):
    """A model of a cluster: fed with machines, work and readings, it decides what has to change.

    Any scheduler puts machines and work, asks place(), and reads what was decided node by node. An
    operator of Kubernetes hands over objects, and gets the writes of a step.

    settings  a dict, or JSON or YAML: see joulie_cluster_new() in joulie/cluster.h

    >>> import joulie
    >>> with joulie.Cluster() as cluster:
    ...     cluster.put_object({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    ...     [(action.verb.name, action.kind) for action in cluster.step(now_ms=0)]
    [('CREATE', 'NodeTwin'), ('PATCH', 'Node'), ('PATCH', 'NodeTwin')]

    It has no clock and no connection: times are milliseconds since 1970, and the actions of a step
    are for the caller to apply and to report with done(). One cluster belongs to one thread at a
    time.
    """

    _what = "cluster"

    def __init__(self, settings: Optional[Document] = None) -> None:
        handle = ctypes.c_void_p()
        _native.check(
            abi.joulie_cluster_new, *_native.optional_document(settings), ctypes.byref(handle)
        )
        self._own(handle, abi.joulie_cluster_free)

    def __enter__(self) -> Cluster:
        return self

    def put_object(self, document: Document) -> None:
        """Stores a Node, NodeHardware, NodeTwin, Pod or WorkloadProfile, or replaces it."""
        text = _native.document_bytes(document)
        self._check(abi.joulie_cluster_put_object, text, len(text))

    def put_machine(
        self,
        name: str,
        *,
        cpu_model: Optional[str] = None,
        gpu_model: Optional[str] = None,
        rack: Optional[str] = None,
        cooling_zone: Optional[str] = None,
        profile: abi.Profile = abi.Profile.UNKNOWN,
        draining: bool = False,
        unmanaged: bool = False,
        reserved: bool = False,
        unschedulable: bool = False,
        paused: bool = False,
        readiness: abi.Readiness = abi.Readiness.UNKNOWN,
        power_state: abi.PowerState = abi.PowerState.UNKNOWN,
        power_failures: int = 0,
        **numbers: Unpack[MachineNumbers],
    ) -> None:
        """Stores a machine, or replaces all that was put about it.

        cpu_model, gpu_model  as the system says them; the catalog knows what the numbers do not say
        profile, draining     what it runs as now, for a model that decided nothing about it yet
        unmanaged             not ours: no decision, but its rack counts it
        reserved              keeps what it has; unschedulable the same, as nothing new may run there
        paused                decided as ever, but nothing is to be changed on it
        readiness             whether it answers now
        power_state           as another model left it, with power_since_ms and power_failures
        """
        machine = abi.ClusterMachine(
            name=_native.c_text(name, "name"),
            cpu_model=_native.optional_text(cpu_model, "cpu_model"),
            gpu_model=_native.optional_text(gpu_model, "gpu_model"),
            rack=_native.optional_text(rack, "rack"),
            cooling_zone=_native.optional_text(cooling_zone, "cooling_zone"),
            profile=profile,
            is_draining=int(draining),
            is_unmanaged=int(unmanaged),
            is_reserved=int(reserved),
            is_unschedulable=int(unschedulable),
            is_paused=int(paused),
            readiness=readiness,
            power_state=power_state,
            power_failures=power_failures,
        )
        MACHINE.fill(machine, "put_machine()", numbers)  # type: ignore[arg-type]
        self._check(abi.joulie_cluster_put_machine, ctypes.byref(machine))

    def put_work(
        self,
        name: str,
        group: Optional[str] = None,
        *,
        needs: Optional[Work] = None,
        node_names: Optional[Sequence[str]] = None,
        node_count: int = 1,
        started_ms: Optional[int] = None,
        intensity: abi.Level = abi.Level.UNKNOWN,
        movable: abi.Movable = abi.Movable.UNKNOWN,
        finished: bool = False,
        pinned: bool = False,
    ) -> None:
        """Stores a job, task, process or pod, or replaces what was put about it.

        group       whose it is: a user, a queue, a namespace
        needs       what it asks for; None = standard work
        node_names  where it runs; None = it waits
        node_count  how many nodes it waits for
        started_ms  since when it draws power there; None = not yet
        intensity   how much waiting performance work weighs
        finished    it draws nothing any more
        pinned      belongs to its machine: no demand, never in the way
        """
        asked = None if needs is None else work_struct(needs)
        work = abi.ClusterWork(
            node_count=node_count if node_names is None else len(node_names),
            intensity=intensity,
            movable=movable,
            is_finished=int(finished),
            is_pinned=int(pinned),
        )
        if asked is not None:
            work.needs = ctypes.pointer(asked)
        if node_names is not None:
            names = [_native.c_text(name, "node_names") for name in node_names]
            work.node_names = (ctypes.c_char_p * len(names))(*names)
        CLUSTER_WORK.fill(work, "put_work()", {"started_ms": started_ms})
        self._check(
            abi.joulie_cluster_put_work,
            _native.optional_text(group, "group"),
            _native.c_text(name, "name"),
            ctypes.byref(work),
        )

    def remove(self, kind: str, name: str, namespace: Optional[str] = None) -> None:
        """Forgets a "machine", a piece of "work" or an object; what is not there is no error."""
        self._check(
            abi.joulie_cluster_remove,
            _native.c_text(kind, "kind"),
            _native.optional_text(namespace, "namespace"),
            _native.c_text(name, "name"),
        )

    def sample(
        self,
        node_name: str,
        at_ms: int,
        *,
        node_power_w: Optional[float] = None,
        cpu_util_pct: Optional[float] = None,
        gpu_util_pct: Optional[float] = None,
        source: abi.PowerSource = abi.PowerSource.UNKNOWN,
    ) -> None:
        """Reports one reading of a node; None = unknown, which is not 0."""
        sample = abi.ClusterSample(at_ms=at_ms, source=source)
        SAMPLE.fill(
            sample,
            "sample()",
            {
                "node_power_w": node_power_w,
                "cpu_util_pct": cpu_util_pct,
                "gpu_util_pct": gpu_util_pct,
            },
        )
        name = _native.c_text(node_name, "node_name")
        self._check(abi.joulie_cluster_put_sample, name, ctypes.byref(sample))

    def facility(
        self,
        *,
        outside_temp_c: Optional[float] = None,
        it_power_w: Optional[float] = None,
        cooling_power_w: Optional[float] = None,
    ) -> None:
        """Replaces what is known of the building; None = unknown."""
        facility = _facility(outside_temp_c, it_power_w, cooling_power_w)
        self._check(abi.joulie_cluster_put_facility, ctypes.byref(facility))

    def rack(self, name: str, *, it_power_w: Optional[float] = None) -> None:
        """Replaces what is measured of one rack, which wins over the sum of its nodes; None = the
        sum counts."""
        facility = _facility(None, it_power_w, None)
        self._check(abi.joulie_cluster_put_rack, _native.c_text(name, "name"), ctypes.byref(facility))

    def zone(
        self,
        name: str,
        *,
        outside_temp_c: Optional[float] = None,
        it_power_w: Optional[float] = None,
        cooling_power_w: Optional[float] = None,
    ) -> None:
        """Replaces what is known of one cooling zone, which wins over facility() for its nodes."""
        facility = _facility(outside_temp_c, it_power_w, cooling_power_w)
        self._check(abi.joulie_cluster_put_zone, _native.c_text(name, "name"), ctypes.byref(facility))

    def heartbeat(self, at_ms: int) -> None:
        """Tells when whoever feeds the model was last alive: before every step, or what nothing
        changes grows old."""
        self._tell(abi.joulie_cluster_heartbeat, at_ms)

    def set_wall(self, now_ms: int, wall_ms: int) -> None:
        """Tells what the wall clock shows at a time of the program, where now_ms follows a clock
        that nobody sets: stamps of objects are in wall time."""
        self._tell(abi.joulie_cluster_set_wall, now_ms, wall_ms)

    def save(self) -> Optional[str]:
        """What the next model has to know of the decisions so far, beside the objects, as JSON;
        None: nothing."""
        out = ctypes.c_void_p()
        self._check(abi.joulie_cluster_save, ctypes.byref(out))
        return _native.take(out) if out else None

    def restore(self, text: Union[str, bytes, None], now_ms: int) -> None:
        """Goes on from what was saved, behind the objects and the last heartbeat; None: from
        nothing."""
        state = None if text is None else _native.document_bytes(text)
        self._check(abi.joulie_cluster_restore, state, len(state or b""), now_ms)

    def early_step_ms(self, now_ms: int) -> Optional[int]:
        """When a program that steps at an interval should step before it, for work that waits;
        None: the interval is soon enough."""
        with self._use() as handle:
            at_ms: int = abi.joulie_cluster_early_step_ms(handle, now_ms)
        return None if at_ms == NEVER_MS else at_ms

    def step(self, now_ms: int) -> list[Action]:
        """Decides; returns the writes that bring what is stored to what was decided."""
        count = ctypes.c_size_t()
        with self._use() as handle:
            _native.check(abi.joulie_cluster_step, handle, now_ms, ctypes.byref(count))
            return [_action(handle, index) for index in range(count.value)]

    def body(self, action: Action) -> Optional[dict[str, Any]]:
        """The body of a request for an action of the last step; None with DELETE."""
        text = ctypes.c_char_p()
        with self._use() as handle:
            _native.check(abi.joulie_cluster_action_body, handle, action.id, ctypes.byref(text))
            found: Optional[dict[str, Any]] = json.loads(text.value) if text.value else None
            return found

    def statuses_done(self) -> None:
        """Takes every status of the last step for applied."""
        self._check(abi.joulie_cluster_statuses_done)

    def done(
        self,
        action: Action,
        outcome: abi.ActionOutcome = abi.ActionOutcome.APPLIED,
    ) -> None:
        """Says what became of an action of the last step."""
        self._check(abi.joulie_cluster_action_done, action.id, outcome)

    def commands(self) -> list[Command]:
        """What power actuators have to do now, by node name: see joulie_cluster_command_at()."""
        found: list[Command] = []
        with self._use() as handle:
            while True:
                command = abi.ClusterCommand()
                try:
                    _native.check(
                        abi.joulie_cluster_command_at, handle, len(found), ctypes.byref(command)
                    )
                except RangeError:
                    return found
                found.append(
                    Command(
                        command.id,
                        _native.known_value(abi.PowerCommand, command.command),
                        _native.text_of(command.node_name),
                        _native.text_of(command.reason),
                    )
                )

    def command_done(
        self,
        command: Command,
        outcome: abi.ActionOutcome = abi.ActionOutcome.APPLIED,
    ) -> None:
        """Says what became of a command: APPLIED or FAILED."""
        self._check(abi.joulie_cluster_command_done, command.id, outcome)

    def workload_queries(self, now_ms: int) -> list[Query]:
        """Begins a window of measurements of workloads; [] = none is due."""
        count = ctypes.c_size_t()
        found: list[Query] = []
        with self._use() as handle:
            _native.check(abi.joulie_cluster_workloads_begin, handle, now_ms, ctypes.byref(count))
            for index in range(count.value):
                word, text = ctypes.c_char_p(), ctypes.c_char_p()
                places = (ctypes.byref(word), ctypes.byref(text))
                _native.check(abi.joulie_cluster_workloads_query, handle, index, *places)
                found.append(
                    Query(index, _native.text_of(word.value), _native.text_of(text.value))
                )
        return found

    def workload_reply(self, query: Query, reply: Document, http_status: int = 200) -> None:
        """What Prometheus answered to a query of the window."""
        text = _native.document_bytes(reply)
        self._check(
            abi.joulie_cluster_workloads_reply, query.number, http_status, text, len(text)
        )

    def decide_workloads(self, now_ms: int) -> Workloads:
        """What is to be read and written about workloads: see joulie_cluster_workloads_decide()."""
        found = abi.ClusterWorkloads()
        with self._use() as handle:
            _native.check(
                abi.joulie_cluster_workloads_decide, handle, now_ms, ctypes.byref(found)
            )
            at = abi.joulie_cluster_workload_action_at
            actions = [_action(handle, index, at) for index in range(found.actions)]
        counts = (getattr(found, name) for name in Workloads._fields[1:])
        return Workloads(actions, *counts)

    def workload_body(self, action: Action) -> Optional[dict[str, Any]]:
        """The body of a request for such an action; None = it has none."""
        text = ctypes.c_char_p()
        with self._use() as handle:
            _native.check(
                abi.joulie_cluster_workload_action_body, handle, action.id, ctypes.byref(text)
            )
            found: Optional[dict[str, Any]] = json.loads(text.value) if text.value else None
            return found

    def workload_done(
        self,
        action: Action,
        outcome: abi.ActionOutcome = abi.ActionOutcome.APPLIED,
        stored: Optional[Document] = None,
    ) -> None:
        """Says what became of such an action, and the object as the server answered it."""
        text = None if stored is None else _native.document_bytes(stored)
        self._check(
            abi.joulie_cluster_workload_action_done, action.id, outcome, text, len(text or b"")
        )

    def place(self, work: Work, now_ms: int, *, out: Wanted = None) -> Columns:
        """Where work may run and how well it fits each node: columns, a row per node by name.

        The answer `name` is a list; the others are those of joulie.place_nodes(), and so is out.
        """
        asked, count = work_struct(work), ctypes.c_size_t()
        arguments = (ctypes.byref(asked), now_ms)
        with self._use() as handle:
            place = abi.joulie_cluster_place
            _native.check(place, handle, *arguments, None, None, 0, ctypes.byref(count))
            names = (ctypes.c_char_p * count.value)()
            with _columns.Call(count.value) as call:
                answers = abi.PlaceColumnsOut()
                found = _columns.fill_outputs(answers, out, call)
                _native.check(
                    place, handle, *arguments, names, ctypes.byref(answers), count.value, None
                )
            return {"name": [_native.text_of(name) for name in names], **found}

    def filter(self, pod: Document, now_ms: int) -> dict[str, Any]:
        """Which nodes a pod may use: {"passed": [name], "failed": {name: reason}}."""
        text = _native.document_bytes(pod)
        found: dict[str, Any] = self._json(abi.joulie_cluster_filter, text, len(text), now_ms)
        return found

    def score(self, pod: Document, now_ms: int) -> list[dict[str, Any]]:
        """How well a pod fits each node, in name order: "node", "score", "wire", "known", …"""
        text = _native.document_bytes(pod)
        found: list[dict[str, Any]] = self._json(abi.joulie_cluster_score, text, len(text), now_ms)[
            "scores"
        ]
        return found

    def scoring(self, pod: Optional[Document], now_ms: int) -> dict[str, Any]:
        """How scores come about, for a person; with pod=None what there is without one."""
        text, length = _native.optional_document(pod)
        found: dict[str, Any] = self._json(abi.joulie_cluster_scoring, text, length, now_ms)
        return found

    def set_scoring(self, profile: Optional[Document]) -> None:
        """Scores go by another scoring profile from now on; None: that of the settings."""
        text, length = _native.optional_document(profile)
        self._check(abi.joulie_cluster_set_scoring, text, length)

    def settings(self) -> dict[str, Any]:
        """The settings that the model was made with, and every default that holds."""
        found: dict[str, Any] = self._json(abi.joulie_cluster_settings)
        return found

    def explain(self, node_name: str) -> dict[str, Any]:
        """Why a node is what it is, by the last step."""
        name = _native.c_text(node_name, "node_name")
        found: dict[str, Any] = self._json(abi.joulie_cluster_explain, name)
        return found

    def labels(self, node_name: str) -> dict[str, str]:
        """The labels of a node, as its Node object has them."""
        name = _native.c_text(node_name, "node_name")
        found: dict[str, str] = self._json(abi.joulie_cluster_node_labels, name)["labels"]
        return found

    def node(self, name: str) -> ClusterNode:
        """One node by its name."""
        node = abi.ClusterNode()
        with self._use() as handle:
            _native.check(
                abi.joulie_cluster_node_by_name,
                handle,
                _native.c_text(name, "name"),
                ctypes.byref(node),
            )
            return _node(node)

    def nodes(self) -> list[ClusterNode]:
        """All nodes by name."""
        found: list[ClusterNode] = []
        with self._use() as handle:
            while True:
                node = abi.ClusterNode()
                try:
                    _native.check(
                        abi.joulie_cluster_node_at, handle, len(found), ctypes.byref(node)
                    )
                except RangeError:
                    return found
                found.append(_node(node))

    def totals(self) -> Totals:
        """What the last step counted."""
        totals = abi.ClusterTotals()
        self._check(abi.joulie_cluster_get_totals, ctypes.byref(totals))
        return Totals(**{name: getattr(totals, name) for name in Totals._fields})

    def extend(
        self,
        verb: abi.ExtenderVerb,
        body: Document,
        now_ms: int,
        *,
        score_range: int = 10,
        filled: bool = True,
        short: bool = False,
    ) -> Extended:
        """Answers a request of kube-scheduler's extender protocol.

        score_range  10 or 100
        filled       False: the caches were never filled, the fail policy decides
        short        leave out what changes no decision of kube-scheduler
        """
        text = _native.document_bytes(body)
        options = abi.ExtenderOptions(
            now_ms=now_ms,
            verb=verb,
            score_range=score_range,
            is_filled=int(filled),
            is_short=int(short),
        )
        result, reply = abi.ExtenderResult(), ctypes.c_void_p()
        self._check(
            abi.joulie_cluster_extend,
            text,
            len(text),
            ctypes.byref(options),
            ctypes.byref(reply),
            ctypes.byref(result),
        )
        return Extended(
            _native.take(reply),
            _native.text_of(result.workload_class),
            result.nodes,
            result.rejected_eco,
            result.rejected_draining,
            result.rejected_label,
            result.rejected_no_data,
            result.bad_quantities,
            abi.Invalid(result.invalid_annotations),
            result.rejected_power,
            result.rejected_off,
        )


def _facility(
    outside_temp_c: Optional[float], it_power_w: Optional[float], cooling_power_w: Optional[float]
) -> abi.ClusterFacility:
    facility = abi.ClusterFacility()
    values = {
        "outside_temp_c": outside_temp_c,
        "it_power_w": it_power_w,
        "cooling_power_w": cooling_power_w,
    }
    FACILITY.fill(facility, "facility()", values)
    return facility


def _action(handle: ctypes.c_void_p, index: int, at: Any = abi.joulie_cluster_action_at) -> Action:
    action = abi.ClusterAction()
    _native.check(at, handle, index, ctypes.byref(action))
    return Action(
        action.id,
        _native.known_value(abi.ActionVerb, action.verb),
        _native.known_value(abi.Change, action.change),
        _native.text_of(action.api_version),
        _native.text_of(action.kind),
        _native.text_of(action.plural),
        _native.text_of(action.name),
        _native.text_of(action.subresource),
        _native.text_of(action.node_name),
        _native.text_of(action.reason),
        _native.text_of(action.name_space),
    )


def _node(node: abi.ClusterNode) -> ClusterNode:
    known = NODE.known(node)
    fields: dict[str, Any] = {
        name: known.get(name) if name in NODE.names else NODE_KINDS[name](getattr(node, name))
        for name in ClusterNode._fields
    }
    if "cpu_density" not in known:
        fields["cpu_density_normalized"] = None
    return ClusterNode(**fields)
