# SPDX-License-Identifier: Apache-2.0
"""Nodes that are driven over HTTP: include/joulie/remote.h. The library makes no request."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Union

from . import _native, abi
from ._native import Document

_SETTINGS = [name for name, *_ in abi.RemoteSettings._fields_ if name != "struct_size"]
_SAMPLE = _native.Bits(abi.RemoteSampleHas, abi.RemoteSample)
_OPTIONS = _native.Bits(abi.ThrottleHas, abi.ThrottleOptions)
Body = Union[str, bytes]


class RemoteEndpoint(NamedTuple):
    """Where power of a node is read or caps go: struct joulie_remote_endpoint."""

    type: abi.RemoteType
    url: Optional[str]  # None for HOST and NONE
    timeout_ms: int
    mode: abi.RemoteMode


class RemoteSample(NamedTuple):
    """What the reply of a telemetry endpoint is worth; `known` has the numbers that it says."""

    result: abi.RemoteResult
    known: dict[str, float]


def _bytes(body: Body) -> bytes:
    return body.encode() if isinstance(body, str) else body


def _settings(what: str, values: dict[str, Optional[str]]) -> abi.RemoteSettings:
    given = abi.RemoteSettings()
    for name, value in values.items():
        if name not in _SETTINGS:
            raise TypeError(f"{what} has no {name!r}")
        setattr(given, name, _native.optional_text(value, name))
    return given


def _endpoint(out: abi.RemoteEndpoint) -> RemoteEndpoint:
    """What was found; its URL is freed."""
    address = ctypes.c_void_p(_native.address(out, "url"))
    return RemoteEndpoint(
        abi.RemoteType(out.type),
        _native.take(address) if address.value else None,
        out.timeout_ms,
        abi.RemoteMode(out.mode),
    )


def remote_endpoint(
    node_name: str, role: abi.RemoteRole, **settings: Optional[str]
) -> RemoteEndpoint:
    """The endpoint of a node for one role, from the settings TELEMETRY_* by their names in lower case.

    >>> import joulie
    >>> found = joulie.remote_endpoint(
    ...     "n1", joulie.RemoteRole.CPU_CONTROL, cpu_control="http",
    ...     cpu_control_endpoint="http://bmc/{node}")
    >>> found.type.name, found.url
    ('HTTP', 'http://bmc/n1')
    """
    given = _settings("remote_endpoint()", settings)
    out = abi.RemoteEndpoint()
    _native.check(
        abi.joulie_remote_resolve,
        ctypes.byref(given),
        _native.c_text(node_name, "node_name"),
        role,
        ctypes.byref(out),
    )
    return _endpoint(out)


class RemoteProfiles(_native.Handle):
    """The TelemetryProfiles of a cluster: they say what the settings of a node do not.

    >>> import joulie
    >>> with joulie.RemoteProfiles() as profiles:
    ...     profiles.put({
    ...         "apiVersion": "joulie.io/v1alpha1", "kind": "TelemetryProfile",
    ...         "metadata": {"name": "racks"},
    ...         "spec": {"target": {"scope": "cluster"}, "sources": {"cpu": {
    ...             "type": "http", "http": {"endpoint": "http://bmc/{node}"}}}}})
    ...     profiles.endpoint("n1", joulie.RemoteRole.CPU_SOURCE).url
    'http://bmc/n1'
    """

    _what = "set of profiles"

    def __init__(self) -> None:
        handle = ctypes.c_void_p()
        _native.check(abi.joulie_remote_profiles_new, ctypes.byref(handle))
        self._own(handle, abi.joulie_remote_profiles_free)

    def __enter__(self) -> RemoteProfiles:
        return self

    def put(self, profile: Document) -> None:
        """Takes a TelemetryProfile, new or changed; one that is wrong changes nothing."""
        text = _native.document_bytes(profile)
        self._check(abi.joulie_remote_profiles_put, text, len(text))

    def remove(self, name: str) -> None:
        """Forgets one."""
        self._check(abi.joulie_remote_profiles_remove, _native.c_text(name, "name"))

    def endpoint(
        self,
        node_name: str,
        role: abi.RemoteRole,
        meta: Optional[Document] = None,
        **settings: Optional[str],
    ) -> RemoteEndpoint:
        """remote_endpoint() beside the profiles; meta has the labels of the node as `labels`,
        None: nobody knows them, and no selector matches."""
        given = _settings("endpoint()", settings)
        out = abi.RemoteEndpoint()
        self._check(
            abi.joulie_remote_profiles_resolve,
            ctypes.byref(given),
            _native.c_text(node_name, "node_name"),
            *_native.optional_document(meta),
            role,
            ctypes.byref(out),
        )
        return _endpoint(out)


def read_telemetry(
    body: Body,
    power_of: abi.RemotePower = abi.RemotePower.OF_NODE,
    *,
    http_status: int = 200,
    now_ms: Optional[int] = None,
    max_age_ms: int = 60_000,
) -> RemoteSample:
    """What the reply of a telemetry endpoint says; without now_ms its age does not count.

    >>> import joulie
    >>> reply = '{"cpu": {"packagePowerWatts": 140}}'
    >>> joulie.read_telemetry(reply, joulie.RemotePower.OF_CPU).known["power_w"]
    140.0
    """
    text = _bytes(body)
    reply = abi.RemoteReply(body=text, len=len(text), http_status=http_status, power_of=power_of)
    if now_ms is not None:
        reply.has = abi.RemoteReplyHas.AGE
        reply.now_ms = now_ms
        reply.max_age_ms = max_age_ms
    out = abi.RemoteSample()
    _native.check(abi.joulie_remote_read_telemetry, ctypes.byref(reply), ctypes.byref(out))
    return RemoteSample(abi.RemoteResult(out.result), _SAMPLE.known(out))


def read_prometheus(body: Body, *, http_status: int = 200) -> float:
    """The number in the reply to an instant query; ParseError says why there is none."""
    text = _bytes(body)
    out = ctypes.c_double()
    _native.check(
        abi.joulie_remote_read_prometheus, http_status, text, len(text), ctypes.byref(out)
    )
    return out.value


def read_control(
    body: Body = b"", *, http_status: int = 200
) -> tuple[abi.ControlResult, Optional[str]]:
    """What became of a cap that was posted, and the message of the reply if it has one."""
    text = _bytes(body)
    result, message = ctypes.c_int(), ctypes.c_void_p()
    _native.check(
        abi.joulie_remote_read_control,
        http_status,
        text,
        len(text),
        ctypes.byref(result),
        ctypes.byref(message),
    )
    return abi.ControlResult(result.value), _native.take(message) if message.value else None


def remote_hardware(
    node: Document,
    now_ms: int,
    *,
    cpu_control: bool = False,
    cpu_telemetry: bool = False,
    gpu_control: bool = False,
    gpu_telemetry: bool = False,
) -> dict[str, Any]:
    """The NodeHardware of a node that nobody can look into, from labels and capacity of its Node."""
    can = abi.RemoteCan(
        cpu_control=int(cpu_control),
        cpu_telemetry=int(cpu_telemetry),
        gpu_control=int(gpu_control),
        gpu_telemetry=int(gpu_telemetry),
    )
    text = _native.document_bytes(node)
    found: dict[str, Any] = _native.call_json(
        abi.joulie_remote_hardware, text, len(text), ctypes.byref(can), now_ms
    )
    return found


def shard_of_process(
    shards: int, *, pool_shard_id: Optional[str] = None, pod_name: Optional[str] = None
) -> int:
    """The shard of a process of a pool: POOL_SHARD_ID, else the last number of POD_NAME, else 0."""
    out = ctypes.c_int64()
    _native.check(
        abi.joulie_remote_own_shard,
        _native.optional_text(pool_shard_id, "pool_shard_id"),
        _native.optional_text(pod_name, "pod_name"),
        shards,
        ctypes.byref(out),
    )
    return out.value


def shard_of_node(node_name: str, shards: int) -> int:
    """The shard that drives a node."""
    return int(abi.joulie_remote_shard_of(_native.c_text(node_name, "node_name"), shards))


def node_object_name(node_name: str) -> str:
    """The name of the objects of a node."""
    return _native.call(abi.joulie_node_object_name, _native.c_text(node_name, "node_name"))


def facility_pue(it_power_w: float, cooling_power_w: float) -> float:
    """Power of the facility for each watt of its IT; NaN = unknown.

    >>> import joulie
    >>> joulie.facility_pue(100e3, 25e3)
    1.25
    """
    return float(abi.joulie_facility_pue(it_power_w, cooling_power_w))


def facility_ambient_c(
    elapsed_s: float, *, base_c: float = 20, amplitude_c: float = 5, period_s: float = 86400
) -> float:
    """Outside temperature of a simulated day."""
    return float(abi.joulie_facility_ambient_c(base_c, amplitude_c, period_s, elapsed_s))


def facility_simulated_pue(outside_c: float, load: float) -> float:
    """PUE of the simulated plant; load is IT power relative to the design, 0 to 1."""
    return float(abi.joulie_facility_simulated_pue(outside_c, load))


class Throttle(_native.Handle):
    """Holds a cap of a node by throttling in percent: the controller of a pool's agent.

    is_legacy  the controller of v0.1.1 instead of `proportional`
    options    numbers of struct joulie_throttle_options by their names
    """

    _what = "throttle"

    def __init__(self, *, is_legacy: bool = False, **options: float) -> None:
        given = abi.ThrottleOptions(is_legacy=int(is_legacy))
        _OPTIONS.fill(given, "Throttle()", options)
        handle = ctypes.c_void_p()
        _native.check(abi.joulie_throttle_new, ctypes.byref(given), ctypes.byref(handle))
        self._own(handle, abi.joulie_throttle_free)

    def step(
        self,
        at_ms: int,
        power_w: Optional[float] = None,
        *,
        cap_w: float = 0,
        in_force_pct: float = 0,
    ) -> float:
        """The throttle to ask for, percent; power_w None = nothing was measured."""
        sample = abi.ThrottleSample(at_ms=at_ms, cap_w=cap_w, in_force_pct=in_force_pct)
        if power_w is not None:
            sample.has = abi.ThrottleHas.POWER
            sample.power_w = power_w
        out = ctypes.c_double()
        self._check(abi.joulie_throttle_step, ctypes.byref(sample), ctypes.byref(out))
        return out.value


def throttle_open_pct(cap_pct: float) -> float:
    """The throttle of a percentage that nobody can measure."""
    return float(abi.joulie_throttle_open_pct(cap_pct))
