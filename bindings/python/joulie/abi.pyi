# SPDX-License-Identifier: Apache-2.0
# Written by bindings/python/stubs.py: run it again after a change of a header.

import ctypes
import enum
from typing import Any, Optional, TypedDict

from ._columns import Column as Given

LAYOUT: dict[str, Any]

class Struct(ctypes.Structure):
    def __init__(self, *values: Any, **members: Any) -> None: ...

def class_name(tag: str) -> str: ...
def value_names(values: dict[str, int]) -> dict[str, int]: ...
def is_bit(constant: str) -> bool: ...
def flag_groups(constants: dict[str, int]) -> dict[str, dict[str, int]]: ...
class AskOptions(Struct):
    struct_size: int
    model: Optional[bytes]
    physics: Optional[bytes]
    score_range: int
    is_lenient: int
    on_warning: Any
    user: Any
    find_zone: Any

class AutoscaleCondition(Struct):
    struct_size: int
    reason: Optional[bytes]
    where: Optional[bytes]
    message: Optional[bytes]

class AutoscaleDecision(Struct):
    struct_size: int
    layer: Optional[bytes]
    resource: Optional[bytes]
    before: float
    after: float
    reason: Optional[bytes]

class AutoscaleInput(Struct):
    struct_size: int
    has: int
    request_tflops: float
    request_vram_bytes: float
    limit_tflops: float
    limit_vram_bytes: float
    gpu_tflops: float
    gpu_vram_bytes: float
    allowed_tflops: float
    allowed_vram_bytes: float
    replicas: int
    min_replicas: int
    max_replicas: int

class AutoscaleOutput(Struct):
    struct_size: int
    has: int
    request_tflops: float
    request_vram_bytes: float
    limit_tflops: float
    limit_vram_bytes: float
    replicas_from: int
    replicas_desired: int
    replicas_to: int
    replicas_ratio: float
    replicas_reason: Optional[bytes]
    next_due_ms: int
    decision_count: int
    condition_count: int
    dropped_samples: int

class AutoscaleSamples(Struct):
    struct_size: int
    has: ColumnBits
    workers: Any
    worker_count: int
    worker: ColumnInt
    at_ms: ColumnMs
    tflops: Column
    vram_bytes: Column
    tflops_limit: Column
    throttled_count: Column
    oom_count: Column

class AutoscaleSimOptions(Struct):
    struct_size: int
    has: int
    workload: Optional[bytes]
    trace: Optional[bytes]
    trace_len: int
    profile: Optional[bytes]
    profile_len: int
    source_profile: Optional[bytes]
    source_profile_len: int
    hours: float
    seed: int
    seeds: int
    cards: int
    card_tflops: float
    card_vram_bytes: float
    start_delay_s: float
    keeps_series: int
    reserved: int

class AutoscaleWorker(Struct):
    struct_size: int
    has: int
    name: Optional[bytes]
    created_ms: int
    is_dedicated: int
    reserved: int

class AutoscalerOptions(Struct):
    struct_size: int
    find_zone: Any
    user: Any
    gpu_tflops: float
    model: int
    reserved: int

class CapsIntent(Struct):
    struct_size: int
    has: int
    cap_w: float
    cap_pct: float
    floor_pct: float
    device: int
    rules: int

class CapsLimits(Struct):
    struct_size: int
    min_w: Column
    max_w: Column
    unit_w: Column

class CapsOut(Struct):
    struct_size: int
    code: ColumnIntOut
    block: ColumnIntOut
    clamp: ColumnIntOut
    requested_w: ColumnOut
    cap_w: ColumnOut
    limit_uw: ColumnOut
    limit_milliwatts: ColumnOut
    bound_w: ColumnOut
    culprit: ColumnIntOut

class ClassifyInput(Struct):
    struct_size: int
    has: int
    workload_class: Optional[bytes]
    reschedulable: Optional[bytes]
    cpu_sensitivity: Optional[bytes]
    gpu_sensitivity: Optional[bytes]
    sim_cpu_util_pct: Optional[bytes]
    sim_gpu_util_pct: Optional[bytes]
    sim_mem_pressure_pct: Optional[bytes]
    cpu_util_pct: float
    gpu_util_pct: float
    mem_pressure_pct: float
    gpu_mem_util_pct: float
    cpu_energy_j: float
    dram_energy_j: float
    gpu_energy_j: float
    window_s: float
    coverage_frac: float
    usage_cores: float
    request_cores: float
    limit_cores: float
    node_cores: float
    working_set_bytes: float
    limit_bytes: float
    kepler_package_w: float
    kepler_dram_w: float
    kepler_gpu_w: float
    gpu_max_w: float
    gpu_count: float
    cpu_bound_ratio: float
    mem_bound_ratio: float
    min_confidence: float
    hysteresis_pct: float
    previous_confidence: float
    rules: int
    derive_class: int
    use_sim_texts: int
    previous_cpu_intensity: int
    previous_cpu_bound: int
    previous_cpu_sensitivity: int
    previous_gpu_intensity: int
    previous_gpu_bound: int
    previous_gpu_sensitivity: int
    kepler_used: int
    gpu_dominant: int
    reserved: int

class ClassifyOutput(Struct):
    struct_size: int
    has: int
    flags: int
    reason: Any
    reason_size: int
    reason_len: int
    confidence: float
    cpu_util_pct: float
    gpu_util_pct: float
    workload_class: int
    reschedulable: int
    cpu_intensity: int
    cpu_bound: int
    cpu_sensitivity: int
    gpu_intensity: int
    gpu_bound: int
    gpu_sensitivity: int

class ClusterAction(Struct):
    struct_size: int
    id: int
    api_version: Optional[bytes]
    kind: Optional[bytes]
    plural: Optional[bytes]
    name: Optional[bytes]
    subresource: Optional[bytes]
    node_name: Optional[bytes]
    reason: Optional[bytes]
    verb: int
    change: int
    name_space: Optional[bytes]

class ClusterCommand(Struct):
    struct_size: int
    id: int
    node_name: Optional[bytes]
    reason: Optional[bytes]
    command: int
    reserved: int

class ClusterFacility(Struct):
    struct_size: int
    has: int
    outside_temp_c: float
    it_power_w: float
    cooling_power_w: float

class ClusterMachine(Struct):
    struct_size: int
    has: int
    name: Optional[bytes]
    cpu_model: Optional[bytes]
    gpu_model: Optional[bytes]
    rack: Optional[bytes]
    cooling_zone: Optional[bytes]
    cpu_sockets: float
    cpu_cores: float
    cpu_max_w: float
    cpu_min_w: float
    gpu_count: float
    gpu_max_w: float
    gpu_min_w: float
    gpu_idle_w: float
    profile: int
    is_draining: int
    is_unmanaged: int
    is_reserved: int
    is_unschedulable: int
    is_paused: int
    booted_ms: int
    power_since_ms: int
    power_state: int
    readiness: int
    power_failures: int
    reserved: int

class ClusterNode(Struct):
    struct_size: int
    has: int
    name: Optional[bytes]
    uid: Optional[bytes]
    scope: Optional[bytes]
    label: Optional[bytes]
    old_state: Optional[bytes]
    cpu_density: float
    gpu_density: float
    cpu_density_normalized: float
    headroom_score: float
    cooling_stress_score: float
    psu_stress_score: float
    is_paused: int
    is_draining: int
    cpu_cap_pct: float
    cpu_cap_w: float
    gpu_cap_pct: float
    gpu_cap_w: float
    node_power_w: float
    node_capped_w: float
    node_tdp_w: float
    power_trend_w_per_min: float
    rack_power_w: float
    ledger_w: float
    profile: int
    state: int
    node_class: int
    power_tier: int
    cpu_tdp_source: int
    gpu_tdp_source: int
    power_since_ms: int
    power_failures: int
    power_reason: Optional[bytes]
    power_state: int
    power_action: int
    rack: Optional[bytes]
    cooling_zone: Optional[bytes]

class ClusterSample(Struct):
    struct_size: int
    has: int
    at_ms: int
    node_power_w: float
    cpu_util_pct: float
    gpu_util_pct: float
    source: int
    reserved: int

class ClusterTotals(Struct):
    struct_size: int
    pods_performance: int
    pods_eco: int
    pods_general: int
    pods_unknown: int
    weighted_demand: float
    performance_nodes: int
    ledger_entries: int
    ledger_w: float

class ClusterWork(Struct):
    struct_size: int
    has: int
    node_names: Any
    needs: Any
    started_ms: int
    node_count: int
    intensity: int
    movable: int
    is_finished: int
    is_pinned: int
    reserved: int

class ClusterWorkloads(Struct):
    struct_size: int
    actions: int
    workloads: int
    measured: int
    reliable: int
    foreign: int
    profiles: int

class Column(Struct):
    at: Any
    stride: int

class ColumnBits(Struct):
    at: Any
    stride: int

class ColumnBitsOut(Struct):
    at: Any
    stride: int

class ColumnInt(Struct):
    at: Any
    stride: int

class ColumnIntOut(Struct):
    at: Any
    stride: int

class ColumnMs(Struct):
    at: Any
    stride: int

class ColumnOut(Struct):
    at: Any
    stride: int

class Error(Struct):
    struct_size: int
    code: int
    sys_errno: int
    line: int
    column: int
    where: bytes
    message: bytes

class ExperimentOptions(Struct):
    struct_size: int
    text: Optional[bytes]
    len: int
    find_file: Any
    user: Any
    build: Optional[bytes]

class ExperimentRun(Struct):
    struct_size: int
    has: int
    scenario: Optional[bytes]
    speeds: Optional[bytes]
    policy: Optional[bytes]
    placement: Optional[bytes]
    key: Optional[bytes]
    load: float
    seed: int
    is_baseline: int
    has_result: int

class ExtenderOptions(Struct):
    struct_size: int
    now_ms: int
    verb: int
    score_range: int
    is_filled: int
    is_short: int

class ExtenderResult(Struct):
    struct_size: int
    workload_class: Optional[bytes]
    nodes: int
    rejected_eco: int
    rejected_draining: int
    rejected_label: int
    rejected_no_data: int
    bad_quantities: int
    invalid_annotations: int
    pod: Optional[bytes]
    pod_len: int
    rejected_power: int
    rejected_off: int

class HostCounts(Struct):
    struct_size: int
    calls: int
    writes: int
    syncs: int
    restores: int

class HostDvfs(Struct):
    struct_size: int
    has: int
    power_w: float
    ema_w: float
    above_trips: int
    below_trips: int
    ups: int
    downs: int

class HostEntry(Struct):
    struct_size: int
    path: Optional[bytes]
    bytes: Optional[bytes]
    len: int
    mode: int
    is_folder: int
    is_link: int
    reserved: int

class HostOptions(Struct):
    struct_size: int
    has: int
    root: Optional[bytes]
    state_dir: Optional[bytes]
    owner: Optional[bytes]
    floor_pct: float
    spec_read_timeout_ms: int
    staleness_ms: int
    max_age_ms: int
    dvfs_controller: Optional[bytes]
    dvfs_ema_alpha: float
    dvfs_high_margin_w: float
    dvfs_low_margin_w: float
    dvfs_step_pct: float
    dvfs_cooldown_ms: int
    dvfs_trip_count: int
    dvfs_min_freq_khz: int
    log: Any
    log_user: Any
    enforces: int
    ramps: int
    may_enable: int
    has_backed_twin: int
    is_one_shot: int
    keeper_fd: int
    gives_back_maximum: int

class HostPackage(Struct):
    struct_size: int
    has: int
    index: int
    requested_w: float
    cap_w: float
    power_limit_uw: int
    limit_w: float
    clamp: Optional[bytes]
    state: Optional[bytes]
    message: Optional[bytes]
    result: int
    reserved: int

class HostPolicy(Struct):
    struct_size: int
    has: int
    number: int
    now_khz: int
    max_khz: int

class HostTickResult(Struct):
    struct_size: int
    writes: int
    is_news: int
    is_settled: int
    is_disabled: int

class HostTime(Struct):
    struct_size: int
    now_ms: int
    monotonic_us: int
    boottime_us: int

class HostWrite(Struct):
    struct_size: int
    has: int
    key: Optional[bytes]
    file: Optional[bytes]
    old_value: int
    new_value: int
    read_back: int
    result: Optional[bytes]

class HostZone(Struct):
    struct_size: int
    has: int
    name: Optional[bytes]
    energy_j: int
    power_w: float
    limit_w: float
    resets: int
    kind: int
    reserved: int

class NodeOptions(Struct):
    struct_size: int
    has: int
    floor_pct: float
    spec_read_timeout_ms: int
    staleness_ms: int
    max_age_ms: int
    cpu_backend: Optional[bytes]
    gpu_backend: Optional[bytes]
    enforces: int
    is_remote_cpu: int
    is_remote_gpu: int
    reserved: int

class NodePart(Struct):
    struct_size: int
    has: int
    index: int
    id: Optional[bytes]
    min_w: float
    max_w: float
    power_unit_w: float
    kind: int
    is_controllable: int

class NodeReading(Struct):
    struct_size: int
    has: int
    index: int
    id: Optional[bytes]
    limit_w: float
    original_w: float
    message: Optional[bytes]
    kind: int
    outcome: int
    is_unseen: int
    reserved: int

class NodeSummary(Struct):
    struct_size: int
    cpu_message: Optional[bytes]
    gpu_message: Optional[bytes]
    cpu_result: int
    gpu_result: int

class NodeWrite(Struct):
    struct_size: int
    index: int
    id: Optional[bytes]
    limit_w: float
    power_limit_uw: int
    kind: int
    is_restore: int

class PlaceColumns(Struct):
    struct_size: int
    has: ColumnBits
    node_class: ColumnInt
    label: ColumnInt
    updated_ms: ColumnMs
    headroom_score: Column
    cooling_stress_score: Column
    psu_stress_score: Column
    capped_w: Column
    measured_w: Column
    trend_w_per_min: Column
    cpu_cap_pct: Column
    gpu_cap_pct: Column
    pue: Column
    cpu_cores: Column
    cpu_max_w: Column
    gpu_count: Column
    gpu_max_w: Column
    cpu_idle_w: Column
    cpu_slope_w: Column
    cpu_step_w: Column
    cpu_speed: Column
    gpu_idle_w: Column
    gpu_speed: Column
    allocatable_cores: Column
    requested_cores: Column
    requested_gpus: Column
    work_count: Column

class PlaceColumnsOut(Struct):
    struct_size: int
    code: ColumnIntOut
    reject: ColumnIntOut
    basis: ColumnIntOut
    score: ColumnIntOut
    wire: ColumnIntOut
    raw: ColumnOut
    projected_headroom_score: ColumnOut
    marginal_w: ColumnOut
    term_headroom: ColumnOut
    term_cooling: ColumnOut
    term_trend: ColumnOut
    term_profile_bonus: ColumnOut
    term_pressure: ColumnOut
    term_sensitivity: ColumnOut
    term_psu: ColumnOut
    term_marginal_penalty: ColumnOut
    term_idle_gpu: ColumnOut
    cost_slope_w: ColumnOut
    cost_step_w: ColumnOut
    cost_idle_w: ColumnOut
    cost_gpu_w: ColumnOut
    cost_time_w: ColumnOut
    cost_speed: ColumnOut
    cost_packing_w: ColumnOut
    cost_w: ColumnOut

class PlaceConfig(Struct):
    struct_size: int
    has: int
    rules: int
    fail_policy: int
    score_range: int
    is_marginal_scoring: int
    staleness_ms: int
    max_age_ms: int
    stale_grace_ms: int
    heartbeat_ms: int
    spread: int
    reserved: int
    headroom_weight: float
    cooling_weight: float
    pressure_weight: float
    eco_points: float
    trend_max_points: float
    steady_w_per_point: float
    burst_w_per_point: float
    burst_w_per_min: float
    unknown_score: float
    cpu_cap_points: float
    gpu_cap_points: float
    cap_points_max: float
    max_projected_pct: float
    cpu_util_coeff: float
    gpu_util_coeff_standard: float
    gpu_util_coeff_performance: float
    time_w_per_core: float
    idle_weight: float
    psu_weight: float

class RemoteCan(Struct):
    struct_size: int
    cpu_control: int
    cpu_telemetry: int
    gpu_control: int
    gpu_telemetry: int

class RemoteEndpoint(Struct):
    struct_size: int
    url: Any
    timeout_ms: int
    type: int
    mode: int

class RemoteReply(Struct):
    struct_size: int
    has: int
    body: Optional[bytes]
    len: int
    now_ms: int
    max_age_ms: int
    http_status: int
    power_of: int

class RemoteSample(Struct):
    struct_size: int
    has: int
    power_w: float
    age_s: float
    cpu_util_pct: float
    gpu_util_pct: float
    gpu_power_w: float
    cpu_limit_w: float
    gpu_limit_w: float
    throttle_pct: float
    result: int
    reserved: int

class RemoteSettings(Struct):
    struct_size: int
    cpu_source: Optional[bytes]
    cpu_endpoint: Optional[bytes]
    cpu_control: Optional[bytes]
    cpu_control_endpoint: Optional[bytes]
    cpu_control_mode: Optional[bytes]
    gpu_control: Optional[bytes]
    gpu_control_endpoint: Optional[bytes]
    gpu_control_mode: Optional[bytes]
    timeout_s: Optional[bytes]

class SimEvent(Struct):
    struct_size: int
    time_s: float
    name_space: Optional[bytes]
    name: Optional[bytes]
    text: Optional[bytes]
    node: Optional[bytes]
    candidates: Any
    candidate_count: int
    kind: int
    is_removed: int
    is_first: int
    is_sample: int
    workload_class: Optional[bytes]
    profile: Optional[bytes]

class SimNodeView(Struct):
    struct_size: int
    name: Optional[bytes]
    state: Optional[bytes]
    jobs: int
    cores: int
    gpus: int
    cores_requested: float
    gpus_requested: int
    cpu_power_w: float
    gpu_power_w: float
    uncontrolled_power_w: float
    cpu_util: float
    freq_scale: float
    throttle_pct: float
    cpu_target_cap_w: float
    cpu_cap_w: float
    last_action: Optional[bytes]
    last_result: Optional[bytes]
    power_state: Optional[bytes]
    cpu_energy_j: float
    gpu_energy_j: float

class SimOptions(Struct):
    struct_size: int
    inventory: Optional[bytes]
    inventory_len: int
    trace: Optional[bytes]
    trace_len: int
    policy: Optional[bytes]
    policy_len: int
    placement: Optional[bytes]
    physics: Optional[bytes]
    seed: int
    hours: float
    compare: int
    is_lenient: int
    keeps_hours: int
    is_external: int
    nodes: int
    baseline: Optional[bytes]
    it_limit_w: float
    rack_limit_w: float
    placement_base: Optional[bytes]
    extender_weight: int
    scoring: Optional[bytes]
    scoring_len: int
    speeds: Optional[bytes]
    power_off: Optional[bytes]
    power_off_len: int
    baseline_power_off: int
    is_uncontrolled: int

class SimOutcome(Struct):
    struct_size: int
    has: int
    jobs: int
    completed: int
    failed: int
    unplaced: int
    cpu_units: float
    gpu_units: float
    energy_j: float
    makespan_s: float
    mean_wait_s: float
    time_s: float
    power_w: float
    window_s: float
    window_energy_j: float
    cpu_idle_busy_j: float
    cpu_idle_empty_j: float
    cpu_dynamic_j: float
    cpu_off_j: float
    gpu_idle_busy_j: float
    gpu_idle_empty_j: float
    gpu_dynamic_j: float
    gpu_off_j: float
    peak_power_w: float
    over_limit_s: float
    peak_rack_power_w: float
    rack_over_limit_s: float
    boots: int
    off_s: float

class SimPodView(Struct):
    struct_size: int
    name_space: Optional[bytes]
    name: Optional[bytes]
    container: Optional[bytes]
    cpu_s: float
    memory_bytes: float
    package_energy_j: float
    dram_energy_j: float
    gpu_energy_j: float
    gpu_util: float
    gpu_mem_util: float
    first_gpu: int
    gpus: int

class SimSpread(Struct):
    struct_size: int
    jobs: int
    mean: float
    p50: float
    p95: float
    p99: float
    max: float

class SimView(Struct):
    struct_size: int
    time_s: float
    is_finished: int
    has_uncontrolled: int
    nodes: int
    nodes_performance: int
    nodes_eco: int
    nodes_draining: int
    nodes_undecided: int
    nodes_busy: int
    jobs: int
    submitted: int
    queued: int
    running: int
    completed: int
    failed: int
    unplaced: int
    cores: int
    gpus: int
    cores_requested: float
    gpus_requested: int
    cpu_power_w: float
    gpu_power_w: float
    energy_j: float
    transitions: int
    decisions: int
    uncontrolled_time_s: float
    uncontrolled_power_w: float
    uncontrolled_energy_j: float
    uncontrolled_queued: int
    uncontrolled_running: int
    uncontrolled_completed: int
    design_it_w: float
    mean_cpu_util: float
    mean_gpu_util: float
    nodes_off: int

class SlowdownInput(Struct):
    struct_size: int
    has: int
    memory_intensity: float
    io_intensity: float
    feed_intensity: float
    cpu_freq_frac: float
    cpu_cap_w: float
    cpu_cap_pct: float
    cpu_max_w: float
    cpu_idle_w: float
    cpu_util_frac: float
    cpu_min_freq_frac: float
    cpu_knee_frac: float
    cpu_thermal_frac: float
    gpu_cap_w: float
    gpu_cap_pct: float
    gpu_max_w: float
    gpu_idle_w: float
    gpu_util_frac: float
    gpu_thermal_frac: float
    gpu_compute_gamma: float
    gpu_memory_epsilon: float
    gpu_memory_gamma: float
    cpu_bound: int
    gpu_bound: int

class SlowdownOutput(Struct):
    struct_size: int
    has: int
    cpu_freq_frac: float
    cpu_power_w: float
    cpu_throughput: float
    cpu_slowdown: float
    gpu_natural_w: float
    gpu_power_w: float
    gpu_throughput: float
    gpu_slowdown: float
    cpu_provenance: int
    gpu_provenance: int

class Splitter(Struct):
    struct_size: int
    text: Optional[bytes]
    len: int
    position: int
    line: int
    mode: int

class TensorFusionV1Profile(Struct):
    struct_size: int
    has: int
    pool_name: Optional[bytes]
    gpu_model: Optional[bytes]
    vendor: Optional[bytes]
    partition_template_id: Optional[bytes]
    limit_tflops_text: Optional[bytes]
    limit_vram_text: Optional[bytes]
    limit_compute_text: Optional[bytes]
    request_tflops_text: Optional[bytes]
    request_vram_text: Optional[bytes]
    request_compute_text: Optional[bytes]
    limit_tflops: float
    limit_vram_bytes: float
    limit_compute_pct: float
    request_tflops: float
    request_vram_bytes: float
    request_compute_pct: float
    gpu_count: int
    replicas: int
    gang_min_members: int
    qos: int
    isolation: int
    limits_target: int
    requests_target: int
    resources_target: int
    is_local_gpu: int
    is_sidecar_worker: int
    limits_enabled: int
    replicas_enabled: int
    requests_enabled: int
    resources_enabled: int
    external_enabled: int

class ThrottleOptions(Struct):
    struct_size: int
    has: int
    ema_alpha: float
    high_margin_w: float
    low_margin_w: float
    step_pct: float
    cooldown_ms: int
    trip_count: int
    is_legacy: int
    reserved: int

class ThrottleSample(Struct):
    struct_size: int
    has: int
    at_ms: int
    cap_w: float
    power_w: float
    in_force_pct: float

class TwinColumns(Struct):
    struct_size: int
    has: ColumnBits
    cpu_sockets: Column
    cpu_cores: Column
    cpu_max_w: Column
    gpu_count: Column
    gpu_max_w: Column
    gpu_idle_w: Column
    cpu_cap_pct: Column
    cpu_cap_w: Column
    gpu_cap_pct: Column
    gpu_cap_w: Column
    previous_cpu_cap_pct: Column
    previous_gpu_cap_pct: Column
    measured_node_power_w: Column
    cpu_util_pct: Column
    cpu_curve_w: Column
    gpu_util_pct: Column
    outside_temp_c: Column
    zone_temp_c: Column
    cluster_total_power_w: Column
    cluster_capacity_w: Column
    zone_total_power_w: Column
    rack_total_power_w: Column
    rack_capacity_w: Column
    cooling_reference_w: Column
    cooling_design_it_w: Column
    cpu_allocated_w: Column
    gpu_allocated_w: Column
    cpu_feedback: ColumnInt
    gpu_feedback: ColumnInt
    rules: int
    cooling_model: int
    cooling: Any
    cooling_user: Any

class TwinColumnsGiven(TypedDict, total=False):
    has: Given
    cpu_sockets: Given
    cpu_cores: Given
    cpu_max_w: Given
    gpu_count: Given
    gpu_max_w: Given
    gpu_idle_w: Given
    cpu_cap_pct: Given
    cpu_cap_w: Given
    gpu_cap_pct: Given
    gpu_cap_w: Given
    previous_cpu_cap_pct: Given
    previous_gpu_cap_pct: Given
    measured_node_power_w: Given
    cpu_util_pct: Given
    cpu_curve_w: Given
    gpu_util_pct: Given
    outside_temp_c: Given
    zone_temp_c: Given
    cluster_total_power_w: Given
    cluster_capacity_w: Given
    zone_total_power_w: Given
    rack_total_power_w: Given
    rack_capacity_w: Given
    cooling_reference_w: Given
    cooling_design_it_w: Given
    cpu_allocated_w: Given
    gpu_allocated_w: Given
    cpu_feedback: Given
    gpu_feedback: Given

class TwinColumnsOut(Struct):
    struct_size: int
    has: ColumnBitsOut
    power_headroom_score: ColumnOut
    cooling_stress_score: ColumnOut
    psu_stress_score: ColumnOut
    hardware_density_score: ColumnOut
    estimated_pue: ColumnOut
    node_power_w: ColumnOut
    cpu_tdp_w: ColumnOut
    gpu_tdp_w: ColumnOut
    node_tdp_w: ColumnOut
    cpu_capped_w: ColumnOut
    gpu_capped_w: ColumnOut
    node_capped_w: ColumnOut
    cpu_effective_pct: ColumnOut
    gpu_effective_pct: ColumnOut
    power_tier: ColumnIntOut
    cooling_model: ColumnIntOut
    cpu_cap_state: ColumnIntOut
    gpu_cap_state: ColumnIntOut
    cpu_tdp_provenance: ColumnIntOut
    gpu_tdp_provenance: ColumnIntOut
    estimate_provenance: ColumnIntOut
    outside_temp_provenance: ColumnIntOut
    cooling_reference_provenance: ColumnIntOut
    psu_supply: ColumnIntOut
    psu_capacity_provenance: ColumnIntOut
    density_provenance: ColumnIntOut
    code: ColumnIntOut

class TwinInput(Struct):
    struct_size: int
    has: int
    cpu_sockets: float
    cpu_cores: float
    cpu_max_w: float
    gpu_count: float
    gpu_max_w: float
    gpu_idle_w: float
    cpu_cap_pct: float
    cpu_cap_w: float
    gpu_cap_pct: float
    gpu_cap_w: float
    previous_cpu_cap_pct: float
    previous_gpu_cap_pct: float
    measured_node_power_w: float
    cpu_util_pct: float
    cpu_curve_w: float
    gpu_util_pct: float
    outside_temp_c: float
    zone_temp_c: float
    cluster_total_power_w: float
    cluster_capacity_w: float
    zone_total_power_w: float
    rack_total_power_w: float
    rack_capacity_w: float
    cooling_reference_w: float
    cooling_design_it_w: float
    cpu_allocated_w: float
    gpu_allocated_w: float
    rules: int
    cooling_model: int
    cpu_feedback: int
    gpu_feedback: int
    cooling: Any
    cooling_user: Any

class TwinInputNumbers(TypedDict, total=False):
    cpu_sockets: Optional[float]
    cpu_cores: Optional[float]
    cpu_max_w: Optional[float]
    gpu_count: Optional[float]
    gpu_max_w: Optional[float]
    gpu_idle_w: Optional[float]
    cpu_cap_pct: Optional[float]
    cpu_cap_w: Optional[float]
    gpu_cap_pct: Optional[float]
    gpu_cap_w: Optional[float]
    previous_cpu_cap_pct: Optional[float]
    previous_gpu_cap_pct: Optional[float]
    measured_node_power_w: Optional[float]
    cpu_util_pct: Optional[float]
    cpu_curve_w: Optional[float]
    gpu_util_pct: Optional[float]
    outside_temp_c: Optional[float]
    zone_temp_c: Optional[float]
    cluster_total_power_w: Optional[float]
    cluster_capacity_w: Optional[float]
    zone_total_power_w: Optional[float]
    rack_total_power_w: Optional[float]
    rack_capacity_w: Optional[float]
    cooling_reference_w: Optional[float]
    cooling_design_it_w: Optional[float]
    cpu_allocated_w: Optional[float]
    gpu_allocated_w: Optional[float]

class TwinOutput(Struct):
    struct_size: int
    has: int
    power_headroom_score: float
    cooling_stress_score: float
    psu_stress_score: float
    hardware_density_score: float
    estimated_pue: float
    node_power_w: float
    cpu_tdp_w: float
    gpu_tdp_w: float
    node_tdp_w: float
    cpu_capped_w: float
    gpu_capped_w: float
    node_capped_w: float
    cpu_effective_pct: float
    gpu_effective_pct: float
    power_tier: int
    cooling_model: int
    cpu_cap_state: int
    gpu_cap_state: int
    cpu_tdp_provenance: int
    gpu_tdp_provenance: int
    estimate_provenance: int
    outside_temp_provenance: int
    cooling_reference_provenance: int
    psu_supply: int
    psu_capacity_provenance: int
    density_provenance: int

class TwinTrendInput(Struct):
    struct_size: int
    has: int
    at_ms: ColumnMs
    power_w: Column
    known: ColumnBits
    end_ms: int
    rules: int
    reserved: int

class TwinTrendOutput(Struct):
    struct_size: int
    has: int
    trend_w_per_min: float
    sample_count: int

class V1alpha1NodeHardware(Struct):
    struct_size: int
    has: int
    node_name: Optional[bytes]
    cpu_raw_model: Optional[bytes]
    cpu_model: Optional[bytes]
    cpu_vendor: Optional[bytes]
    cpu_driver_family: Optional[bytes]
    cpu_cap_range_type: Optional[bytes]
    gpu_raw_model: Optional[bytes]
    gpu_model: Optional[bytes]
    gpu_vendor: Optional[bytes]
    link_class: Optional[bytes]
    cpu_catalog_key: Optional[bytes]
    gpu_catalog_key: Optional[bytes]
    cpu_exactness: Optional[bytes]
    gpu_exactness: Optional[bytes]
    quality: Optional[bytes]
    cpu_min_cap_w: float
    cpu_max_cap_w: float
    cpu_min_freq_mhz: float
    cpu_nominal_freq_mhz: float
    cpu_max_boost_mhz: float
    cpu_lowest_nonlinear_freq_mhz: float
    gpu_min_cap_w: float
    gpu_max_cap_w: float
    gpu_default_cap_w: float
    gpu_current_cap_w: float
    cpu_sockets: int
    cpu_total_cores: int
    cpu_cores_per_socket: int
    cpu_logical_cpus: int
    cpu_physical_cores: int
    gpu_count: int
    memory_bytes: int
    updated_ms: int
    has_gpus: int
    gpu_can_slice: int
    cpu_can_control: int
    cpu_can_read: int
    gpu_can_control: int
    gpu_can_read: int
    node_can_control_cpu: int
    node_can_control_gpu: int
    node_can_read_cpu: int
    node_can_read_gpu: int

class V1alpha1NodeTwinSpec(Struct):
    struct_size: int
    has: int
    node_name: Optional[bytes]
    policy_name: Optional[bytes]
    gpu_cap_scope: Optional[bytes]
    cpu_cap_w: float
    cpu_cap_pct: float
    gpu_cap_w: float
    gpu_cap_pct: float
    profile: int
    reschedulable_pressure: int
    is_draining: int
    reserved: int

class V1alpha1NodeTwinStatus(Struct):
    struct_size: int
    has: int
    measured_node_power_w: float
    cpu_capped_power_w: float
    gpu_capped_power_w: float
    node_capped_power_w: float
    cpu_tdp_w: float
    gpu_tdp_w: float
    node_tdp_w: float
    power_trend_w_per_min: float
    power_headroom_score: float
    cooling_stress_score: float
    psu_stress_score: float
    cpu_effective_pct: float
    gpu_effective_pct: float
    hardware_density_score: float
    estimated_pue: float
    slicing_gain_pct: float
    slicing_confidence_frac: float
    slices_per_gpu: int
    total_slices: int
    last_updated_ms: int
    cpu_control_updated_ms: int
    gpu_control_updated_ms: int
    slice_type: Optional[bytes]
    slicing_reason: Optional[bytes]
    cpu_control_backend: Optional[bytes]
    cpu_control_message: Optional[bytes]
    gpu_control_backend: Optional[bytes]
    gpu_control_message: Optional[bytes]
    schedulable_class: int
    power_source: int
    slicing_mode: int
    cpu_control_result: int
    gpu_control_result: int
    reserved: int

class V1alpha1WorkloadProfile(Struct):
    struct_size: int
    has: int
    node_name: Optional[bytes]
    workload_kind: Optional[bytes]
    workload_namespace: Optional[bytes]
    workload_name: Optional[bytes]
    reschedule_reason: Optional[bytes]
    classification_reason: Optional[bytes]
    cpu_utilization_pct: float
    gpu_utilization_pct: float
    confidence_frac: float
    last_updated_ms: int
    criticality: int
    cpu_intensity: int
    cpu_bound: int
    cpu_cap_sensitivity: int
    gpu_intensity: int
    gpu_bound: int
    gpu_cap_sensitivity: int
    is_reschedulable: int
    should_reschedule: int
    reserved: int

class Work(Struct):
    struct_size: int
    has: int
    cpu_cores: float
    memory_bytes: float
    gpu_count: float
    workload_class: int
    gpu_vendor: int
    cpu_sensitivity: int
    gpu_sensitivity: int
    gpu_util: float
    gpu_bound: int
    reserved: int

class WorkloadOptions(Struct):
    struct_size: int
    has: int
    mode: Optional[bytes]
    name_space: Optional[bytes]
    jobs: int
    hours: float
    seed: int
    max_duration_s: float
    perf_ratio: float
    gpu_ratio: float
    amd_ratio: float
    mean_inter_arrival_s: float
    peak_rate_per_min: float
    burst_prob: float
    burst_min: int
    burst_max: int
    min_gpus: int
    work_scale: float
    base_speed: float
    has_records: int
    reserved: int
    training_perf_ratio: float
    inventory: Optional[bytes]
    inventory_len: int
    nodes: int
    load: float

class ActionOutcome(enum.IntEnum):
    UNKNOWN = 0
    APPLIED = 1
    CONFLICT = 2
    FAILED = 3
    GONE = 4

class ActionVerb(enum.IntEnum):
    UNKNOWN = 0
    CREATE = 1
    PATCH = 2
    DELETE = 3
    READ = 4

class AutoscaleModel(enum.IntEnum):
    UNKNOWN = 0
    CURRENT = 1
    V2_17_1 = 2

class Basis(enum.IntEnum):
    UNKNOWN = 0
    FRESH = 1
    STALE = 2
    MISSING = 3

class Bound(enum.IntEnum):
    UNKNOWN = 0
    COMPUTE = 1
    MEMORY = 2
    IO = 3
    MIXED = 4
    NONE = 5

class CapBlock(enum.IntEnum):
    NONE = 0
    NO_INTENT = 1
    NO_MAX = 2
    PCT_NOT_POSITIVE = 3
    RANGE_UNAVAILABLE = 4
    GPU_NO_MAX = 5
    GPU_NO_REQUEST = 6
    GPU_BELOW_MIN = 7
    GPU_ABOVE_MAX = 8

class CapClamp(enum.IntEnum):
    NONE = 0
    MIN = 1
    MAX = 2
    FLOOR = 3

class CapDevice(enum.IntEnum):
    UNKNOWN = 0
    PACKAGE = 1
    GPU = 2

class CapFeedback(enum.IntEnum):
    UNKNOWN = 0
    APPLIED = 1
    PENDING = 2
    NOT_IN_FORCE = 3

class CapState(enum.IntEnum):
    UNKNOWN = 0
    REQUESTED = 1
    NOT_IN_FORCE = 2
    NONE = 3

class CapsRules(enum.IntEnum):
    UNKNOWN = 0
    CURRENT = 1
    V0_1_1 = 2

class Change(enum.IntEnum):
    UNKNOWN = 0
    SPEC = 1
    STATUS = 2
    LABEL = 3
    RELEASE = 4
    POWER = 5

class ClassifyRules(enum.IntEnum):
    UNKNOWN = 0
    CURRENT = 1
    V0_1_0 = 2

class Code(enum.IntEnum):
    OK = 0
    E_INTERNAL = -1
    E_NOMEM = -2
    E_PARSE = -3
    E_TYPE = -4
    E_UNKNOWN_MEMBER = -5
    E_REQUIRED = -6
    E_ENUM = -7
    E_RANGE = -8
    E_LIMIT = -9
    E_CONFLICT = -10
    E_UNSUPPORTED = -11
    E_IO = -12
    E_ABI = -13
    E_NOT_FOUND = -14

class ControlResult(enum.IntEnum):
    UNKNOWN = 0
    APPLIED = 1
    BLOCKED = 2
    ERROR = 3
    NONE = 4
    PENDING = 5

class Cooling(enum.IntEnum):
    UNKNOWN = 0
    TDP_RATIO = 1
    LINEAR = 2
    CRAH = 3
    AISLE = 4
    DLC = 5
    IMMERSION = 6
    FREE = 7
    DX = 8
    CUSTOM = 9

class ExtenderVerb(enum.IntEnum):
    UNKNOWN = 0
    FILTER = 1
    PRIORITIZE = 2

class FailPolicy(enum.IntEnum):
    UNKNOWN = 0
    LAST_KNOWN = 1
    OPEN = 2
    CLOSED = 3

class Form(enum.IntEnum):
    UNKNOWN = 0
    LINE = 1
    PRETTY = 2
    YAML = 3

class GpuVendor(enum.IntEnum):
    UNKNOWN = 0
    NVIDIA = 1
    AMD = 2
    INTEL = 3

class HostZoneKind(enum.IntEnum):
    UNKNOWN = 0
    PACKAGE = 1
    DRAM = 2
    PSYS = 3

class Level(enum.IntEnum):
    UNKNOWN = 0
    HIGH = 1
    MEDIUM = 2
    LOW = 3
    NONE = 4

class LogLevel(enum.IntEnum):
    UNKNOWN = 0
    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4

class Movable(enum.IntEnum):
    UNKNOWN = 0
    YES = 1
    NO = 2

class NodeClass(enum.IntEnum):
    UNKNOWN = 0
    ECO = 1
    PERFORMANCE = 2
    DRAINING = 3
    WORD_UNKNOWN = 4

class NodeKind(enum.IntEnum):
    UNKNOWN = 0
    PACKAGE = 1
    GPU = 2

class NodeLabel(enum.IntEnum):
    UNKNOWN = 0
    ECO = 1
    OTHER = 2

class NodeOutcome(enum.IntEnum):
    NONE = 0
    WRITTEN = 1
    REFUSED = 2
    FAILED = 3

class NodeState(enum.IntEnum):
    UNKNOWN = 0
    ACTIVE_PERFORMANCE = 1
    DRAINING_PERFORMANCE = 2
    ACTIVE_ECO = 3
    WORD_UNKNOWN = 4

class PlaceRules(enum.IntEnum):
    UNKNOWN = 0
    CURRENT = 1
    V0_1_1 = 2
    V0_1_0 = 3
    EFFICIENCY = 4

class PowerAction(enum.IntEnum):
    NONE = 0
    SWITCH_OFF = 1
    WAKE = 2
    GIVE_UP = 3

class PowerCommand(enum.IntEnum):
    NONE = 0
    SWITCH_OFF = 1
    POWER_ON = 2

class PowerSource(enum.IntEnum):
    UNKNOWN = 0
    KEPLER = 1
    UTILIZATION = 2
    STATIC = 3
    HTTP = 4
    HTTP_ERROR = 5
    HTTP_NO_ENDPOINT = 6
    PROMETHEUS = 7
    PROMETHEUS_NO_DATA = 8
    STANDBY = 9
    ALLOCATION = 10

class PowerState(enum.IntEnum):
    UNKNOWN = 0
    ON = 1
    STOPPING = 2
    OFF = 3
    BOOTING = 4
    LEFT_ALONE = 5

class PowerTier(enum.IntEnum):
    UNKNOWN = 0
    MEASURED = 1
    UTILIZATION = 2
    CAP_ESTIMATE = 3
    STANDBY = 4
    ALLOCATION = 5

class Profile(enum.IntEnum):
    UNKNOWN = 0
    PERFORMANCE = 1
    ECO = 2

class Provenance(enum.IntEnum):
    UNKNOWN = 0
    GIVEN = 1
    ASSUMED = 2
    ZONE = 3

class Readiness(enum.IntEnum):
    UNKNOWN = 0
    READY = 1
    NOT_READY = 2

class Reject(enum.IntEnum):
    NONE = 0
    CLASS = 1
    LABEL = 2
    NO_DATA = 3
    POWER = 4
    CORDON = 5
    RESERVED = 6
    OFF = 7

class RemoteMode(enum.IntEnum):
    UNKNOWN = 0
    AUTO = 1
    RAPL = 2
    DVFS = 3
    POWERCAP = 4
    CLOCKS = 5

class RemotePower(enum.IntEnum):
    UNKNOWN = 0
    OF_CPU = 1
    OF_NODE = 2

class RemoteResult(enum.IntEnum):
    UNKNOWN = 0
    SAMPLE = 1
    NO_SAMPLE = 2
    ERROR = 3
    STALE = 4
    AHEAD = 5

class RemoteRole(enum.IntEnum):
    UNKNOWN = 0
    CPU_SOURCE = 1
    CPU_CONTROL = 2
    GPU_CONTROL = 3

class RemoteType(enum.IntEnum):
    UNKNOWN = 0
    NONE = 1
    HOST = 2
    HTTP = 3
    PROMETHEUS = 4

class SimEventKind(enum.IntEnum):
    UNKNOWN = 0
    POD = 1
    PLACE = 2
    CONTROL = 3
    NODE = 4

class SimGroup(enum.IntEnum):
    UNKNOWN = 0
    ALL = 1
    PERFORMANCE = 2
    STANDARD = 3
    CPU = 4
    GPU = 5

class SimMeasure(enum.IntEnum):
    UNKNOWN = 0
    WAIT = 1
    JOB_TIME = 2
    SLOWDOWN = 3

class Slicing(enum.IntEnum):
    UNKNOWN = 0
    MIG = 1
    TIME = 2
    NONE = 3

class Spread(enum.IntEnum):
    UNKNOWN = 0
    NONE = 1
    RANK = 2

class Supply(enum.IntEnum):
    UNKNOWN = 0
    RACK = 1
    CLUSTER = 2

class TdpSource(enum.IntEnum):
    UNKNOWN = 0
    GIVEN = 1
    CATALOG = 2
    CORES = 3

class TensorFusionIsolation(enum.IntEnum):
    UNKNOWN = 0
    SHARED = 1
    SOFT = 2
    HARD = 3
    PARTITIONED = 4

class TensorFusionQos(enum.IntEnum):
    UNKNOWN = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

class TensorFusionTarget(enum.IntEnum):
    UNKNOWN = 0
    ALL = 1
    TFLOPS = 2
    VRAM = 3
    COMPUTE = 4

class TwinRules(enum.IntEnum):
    UNKNOWN = 0
    CURRENT = 1
    V0_1_1 = 2
    V0_1_0 = 3

class Vocabulary(enum.IntEnum):
    UNKNOWN = 0
    PROFILE = 1
    NODE_CLASS = 2
    WORKLOAD_CLASS = 3
    LEVEL = 4
    BOUND = 5
    GPU_VENDOR = 6
    POWER_SOURCE = 7
    CONTROL_RESULT = 8
    SLICING = 9
    NODE_STATE = 10
    FAIL_POLICY = 11
    COOLING = 12
    CAP_STATE = 13
    POWER_TIER = 14
    TENSOR_FUSION_QOS = 15
    TENSOR_FUSION_ISOLATION = 16
    TENSOR_FUSION_TARGET = 17
    POLICY = 18
    POWER_STATE = 19
    POWER_ACTION = 20

class WorkloadClass(enum.IntEnum):
    UNKNOWN = 0
    PERFORMANCE = 1
    STANDARD = 2
    OTHER = 3

class AutoscaleHas(enum.IntFlag):
    REQUEST_TFLOPS = 1
    REQUEST_VRAM = 2
    LIMIT_TFLOPS = 4
    LIMIT_VRAM = 8
    GPU_TFLOPS = 16
    GPU_VRAM = 32
    ALLOWED_TFLOPS = 64
    ALLOWED_VRAM = 128
    REPLICAS = 256
    MIN_REPLICAS = 512
    MAX_REPLICAS = 1024

class AutoscaleOut(enum.IntFlag):
    REPLICAS = 1
    RATIO = 2
    NEXT_DUE = 4

class AutoscaleSampleHas(enum.IntFlag):
    TFLOPS = 1
    VRAM = 2
    TFLOPS_LIMIT = 4
    THROTTLED_COUNT = 8
    OOM_COUNT = 16

class AutoscaleSimHas(enum.IntFlag):
    HOURS = 1
    SEED = 2
    SEEDS = 4
    CARDS = 8
    CARD_TFLOPS = 16
    CARD_VRAM = 32
    START_DELAY = 64

class AutoscaleWorkerHas(enum.IntFlag):
    CREATED = 1

class CapsHas(enum.IntFlag):
    CAP_W = 1
    CAP_PCT = 2
    FLOOR = 4

class ClassifyHas(enum.IntFlag):
    CPU_UTIL = 1
    GPU_UTIL = 2
    MEM_PRESSURE = 4
    GPU_MEM_UTIL = 8
    CPU_ENERGY = 16
    DRAM_ENERGY = 32
    GPU_ENERGY = 64
    KEPLER_USED = 128
    WINDOW = 256
    COVERAGE = 512
    USAGE_CORES = 1024
    REQUEST_CORES = 2048
    LIMIT_CORES = 4096
    NODE_CORES = 8192
    WORKING_SET = 16384
    LIMIT_BYTES = 32768
    KEPLER_PACKAGE = 65536
    KEPLER_DRAM = 131072
    KEPLER_GPU = 262144
    GPU_MAX = 524288
    GPU_COUNT = 1048576
    CPU_BOUND_RATIO = 2097152
    MEM_BOUND_RATIO = 4194304
    GPU_DOMINANT = 8388608
    METRICS = 16777216
    MIN_CONFIDENCE = 33554432
    HYSTERESIS = 67108864
    PREVIOUS = 134217728

class ClassifyOut(enum.IntFlag):
    RESCHEDULABLE = 1
    CPU_UTIL = 2
    GPU_UTIL = 4

class ClusterFacilityHas(enum.IntFlag):
    OUTSIDE_TEMP = 1
    IT_POWER = 2
    COOLING_POWER = 4

class ClusterMachineHas(enum.IntFlag):
    CPU_SOCKETS = 1
    CPU_CORES = 2
    CPU_MAX = 4
    CPU_MIN = 8
    GPU_COUNT = 16
    GPU_MAX = 32
    GPU_MIN = 64
    GPU_IDLE = 128
    BOOTED = 256
    POWER_SINCE = 512

class ClusterNodeHas(enum.IntFlag):
    CPU_DENSITY = 1
    GPU_DENSITY = 2
    HEADROOM = 4
    COOLING = 8
    PSU = 16
    CPU_CAP_PCT = 32
    CPU_CAP_W = 64
    GPU_CAP_PCT = 128
    GPU_CAP_W = 256
    NODE_POWER = 512
    NODE_CAPPED = 1024
    NODE_TDP = 2048
    TREND = 4096
    RACK_POWER = 8192
    POWER_SINCE = 16384

class ClusterSampleHas(enum.IntFlag):
    NODE_POWER = 1
    CPU_UTIL = 2
    GPU_UTIL = 4

class ClusterWorkHas(enum.IntFlag):
    STARTED = 1

class ExperimentRunHas(enum.IntFlag):
    LOAD = 1

class HostDvfsHas(enum.IntFlag):
    POWER = 1
    EMA = 2
    TRIPS = 4

class HostHas(enum.IntFlag):
    FLOOR = 1
    SPEC_READ_TIMEOUT = 2
    STALENESS = 4
    MAX_AGE = 8
    EMA_ALPHA = 16
    HIGH_MARGIN = 32
    LOW_MARGIN = 64
    STEP = 128
    COOLDOWN = 256
    TRIP_COUNT = 512
    MIN_FREQ = 1024
    KEEPER = 2048

class HostPackageHas(enum.IntFlag):
    REQUESTED = 1
    CAP = 2
    LIMIT = 4

class HostPolicyHas(enum.IntFlag):
    NOW = 1
    MAX = 2

class HostWriteHas(enum.IntFlag):
    OLD_VALUE = 1
    READ_BACK = 2

class HostZoneHas(enum.IntFlag):
    ENERGY = 1
    POWER = 2
    LIMIT = 4

class Invalid(enum.IntFlag):
    WORKLOAD_CLASS = 1
    CPU_SENSITIVITY = 2
    GPU_SENSITIVITY = 4

class NodeHas(enum.IntFlag):
    FLOOR = 1
    SPEC_READ_TIMEOUT = 2
    STALENESS = 4
    MAX_AGE = 8

class NodePartHas(enum.IntFlag):
    MIN = 1
    MAX = 2
    POWER_UNIT = 4

class NodeReadingHas(enum.IntFlag):
    LIMIT = 1
    ORIGINAL = 2

class PlaceConfigHas(enum.IntFlag):
    HEARTBEAT = 1

class PlaceHas(enum.IntFlag):
    TWIN = 1
    CLASS = 2
    UPDATED = 4
    HEADROOM = 8
    COOLING = 16
    PSU = 32
    CAPPED = 64
    MEASURED = 128
    TREND = 256
    CPU_CAP_PCT = 512
    GPU_CAP_PCT = 1024
    PUE = 2048
    HARDWARE = 4096
    CPU_CORES = 8192
    CPU_MAX = 16384
    GPU_COUNT = 32768
    GPU_MAX = 65536
    GPU = 131072
    CPU_IDLE = 262144
    CPU_SLOPE = 524288
    CPU_STEP = 1048576
    CPU_SPEED = 2097152
    GPU_IDLE = 4194304
    GPU_SPEED = 8388608
    ALLOCATABLE_CORES = 16777216
    REQUESTED_CORES = 33554432
    REQUESTED_GPUS = 67108864
    WORK_COUNT = 134217728

class RemoteReplyHas(enum.IntFlag):
    AGE = 1

class RemoteSampleHas(enum.IntFlag):
    POWER = 1
    AGE = 2
    CPU_UTIL = 4
    GPU_UTIL = 8
    GPU_POWER = 16
    CPU_LIMIT = 32
    GPU_LIMIT = 64
    THROTTLE = 128

class SimOutcomeHas(enum.IntFlag):
    MAKESPAN = 1
    MEAN_WAIT = 2
    OVER_LIMIT = 4
    PEAK_RACK_POWER = 8
    RACK_OVER_LIMIT = 16

class SlowdownHas(enum.IntFlag):
    MEMORY = 1
    IO = 2
    FEED = 4
    CPU_FREQ = 8
    CPU_CAP_W = 16
    CPU_CAP_PCT = 32
    CPU_MAX = 64
    CPU_IDLE = 128
    CPU_UTIL = 256
    CPU_MIN_FREQ = 512
    CPU_KNEE = 1024
    CPU_THERMAL = 2048
    GPU_CAP_W = 4096
    GPU_CAP_PCT = 8192
    GPU_MAX = 16384
    GPU_IDLE = 32768
    GPU_UTIL = 65536
    GPU_THERMAL = 131072
    GPU_COMPUTE_GAMMA = 262144
    GPU_MEMORY_EPSILON = 524288
    GPU_MEMORY_GAMMA = 1048576

class SlowdownOut(enum.IntFlag):
    CPU_FREQ = 1
    CPU_POWER = 2
    CPU_THROUGHPUT = 4
    CPU_SLOWDOWN = 8
    GPU_NATURAL = 16
    GPU_POWER = 32
    GPU_THROUGHPUT = 64
    GPU_SLOWDOWN = 128

class TensorFusionV1ProfileHas(enum.IntFlag):
    POOL_NAME = 1
    GPU_MODEL = 2
    VENDOR = 4
    PARTITION_TEMPLATE_ID = 8
    LIMIT_TFLOPS_TEXT = 16
    LIMIT_VRAM_TEXT = 32
    LIMIT_COMPUTE_TEXT = 64
    REQUEST_TFLOPS_TEXT = 128
    REQUEST_VRAM_TEXT = 256
    REQUEST_COMPUTE_TEXT = 512
    LIMIT_TFLOPS = 1024
    LIMIT_VRAM_BYTES = 2048
    LIMIT_COMPUTE_PCT = 4096
    REQUEST_TFLOPS = 8192
    REQUEST_VRAM_BYTES = 16384
    REQUEST_COMPUTE_PCT = 32768
    GPU_COUNT = 65536
    REPLICAS = 131072
    GANG_MIN_MEMBERS = 262144
    QOS = 524288
    ISOLATION = 1048576
    LIMITS_TARGET = 2097152
    REQUESTS_TARGET = 4194304
    RESOURCES_TARGET = 8388608
    IS_LOCAL_GPU = 16777216
    IS_SIDECAR_WORKER = 33554432
    LIMITS_ENABLED = 67108864
    REPLICAS_ENABLED = 134217728
    REQUESTS_ENABLED = 268435456
    RESOURCES_ENABLED = 536870912
    EXTERNAL_ENABLED = 1073741824

class ThrottleHas(enum.IntFlag):
    EMA_ALPHA = 1
    POWER = 1
    HIGH_MARGIN = 2
    LOW_MARGIN = 4
    STEP = 8
    COOLDOWN = 16
    TRIP_COUNT = 32

class TwinHas(enum.IntFlag):
    CPU_SOCKETS = 1
    CPU_CORES = 2
    CPU_MAX = 4
    GPU_COUNT = 8
    GPU_MAX = 16
    GPU_IDLE = 32
    CPU_CAP_PCT = 64
    CPU_CAP_W = 128
    GPU_CAP_PCT = 256
    GPU_CAP_W = 512
    PREVIOUS_CPU_CAP_PCT = 1024
    PREVIOUS_GPU_CAP_PCT = 2048
    NODE_POWER = 4096
    CPU_UTIL = 8192
    CPU_CURVE = 16384
    GPU_UTIL = 32768
    OUTSIDE_TEMP = 65536
    ZONE_TEMP = 131072
    CLUSTER_POWER = 262144
    CLUSTER_CAPACITY = 524288
    ZONE_POWER = 1048576
    RACK_POWER = 2097152
    RACK_CAPACITY = 4194304
    COOLING_REFERENCE = 8388608
    COOLING_DESIGN_IT = 16777216
    CPU_ALLOCATED = 33554432
    GPU_ALLOCATED = 67108864

class TwinOut(enum.IntFlag):
    HEADROOM = 1
    COOLING = 2
    PSU = 4
    DENSITY = 8
    PUE = 16
    NODE_POWER = 32
    CPU_TDP = 64
    GPU_TDP = 128
    NODE_TDP = 256
    CPU_CAPPED = 512
    GPU_CAPPED = 1024
    NODE_CAPPED = 2048

class TwinTrendHas(enum.IntFlag):
    END = 1

class TwinTrendOut(enum.IntFlag):
    TREND = 1

class V1alpha1NodeHardwareHas(enum.IntFlag):
    NODE_NAME = 1
    CPU_RAW_MODEL = 2
    CPU_MODEL = 4
    CPU_VENDOR = 8
    CPU_DRIVER_FAMILY = 16
    CPU_CAP_RANGE_TYPE = 32
    GPU_RAW_MODEL = 64
    GPU_MODEL = 128
    GPU_VENDOR = 256
    LINK_CLASS = 512
    CPU_CATALOG_KEY = 1024
    GPU_CATALOG_KEY = 2048
    CPU_EXACTNESS = 4096
    GPU_EXACTNESS = 8192
    QUALITY = 16384
    CPU_MIN_CAP_W = 32768
    CPU_MAX_CAP_W = 65536
    CPU_MIN_FREQ_MHZ = 131072
    CPU_NOMINAL_FREQ_MHZ = 262144
    CPU_MAX_BOOST_MHZ = 524288
    CPU_LOWEST_NONLINEAR_FREQ_MHZ = 1048576
    GPU_MIN_CAP_W = 2097152
    GPU_MAX_CAP_W = 4194304
    GPU_DEFAULT_CAP_W = 8388608
    GPU_CURRENT_CAP_W = 16777216
    CPU_SOCKETS = 33554432
    CPU_TOTAL_CORES = 67108864
    CPU_CORES_PER_SOCKET = 134217728
    CPU_LOGICAL_CPUS = 268435456
    CPU_PHYSICAL_CORES = 536870912
    GPU_COUNT = 1073741824
    MEMORY_BYTES = 2147483648
    UPDATED_MS = 4294967296
    HAS_GPUS = 8589934592
    GPU_CAN_SLICE = 17179869184
    CPU_CAN_CONTROL = 34359738368
    CPU_CAN_READ = 68719476736
    GPU_CAN_CONTROL = 137438953472
    GPU_CAN_READ = 274877906944
    NODE_CAN_CONTROL_CPU = 549755813888
    NODE_CAN_CONTROL_GPU = 1099511627776
    NODE_CAN_READ_CPU = 2199023255552
    NODE_CAN_READ_GPU = 4398046511104

class V1alpha1NodeTwinSpecHas(enum.IntFlag):
    NODE_NAME = 1
    POLICY_NAME = 2
    GPU_CAP_SCOPE = 4
    CPU_CAP_W = 8
    CPU_CAP_PCT = 16
    GPU_CAP_W = 32
    GPU_CAP_PCT = 64
    PROFILE = 128
    RESCHEDULABLE_PRESSURE = 256
    IS_DRAINING = 512

class V1alpha1NodeTwinStatusHas(enum.IntFlag):
    MEASURED_NODE_POWER_W = 1
    CPU_CAPPED_POWER_W = 2
    GPU_CAPPED_POWER_W = 4
    NODE_CAPPED_POWER_W = 8
    CPU_TDP_W = 16
    GPU_TDP_W = 32
    NODE_TDP_W = 64
    POWER_TREND_W_PER_MIN = 128
    POWER_HEADROOM_SCORE = 256
    COOLING_STRESS_SCORE = 512
    PSU_STRESS_SCORE = 1024
    CPU_EFFECTIVE_PCT = 2048
    GPU_EFFECTIVE_PCT = 4096
    HARDWARE_DENSITY_SCORE = 8192
    ESTIMATED_PUE = 16384
    SLICING_GAIN_PCT = 32768
    SLICING_CONFIDENCE_FRAC = 65536
    SLICES_PER_GPU = 131072
    TOTAL_SLICES = 262144
    LAST_UPDATED_MS = 524288
    CPU_CONTROL_UPDATED_MS = 1048576
    GPU_CONTROL_UPDATED_MS = 2097152
    SLICE_TYPE = 4194304
    SLICING_REASON = 8388608
    CPU_CONTROL_BACKEND = 16777216
    CPU_CONTROL_MESSAGE = 33554432
    GPU_CONTROL_BACKEND = 67108864
    GPU_CONTROL_MESSAGE = 134217728
    SCHEDULABLE_CLASS = 268435456
    POWER_SOURCE = 536870912
    SLICING_MODE = 1073741824
    CPU_CONTROL_RESULT = 2147483648
    GPU_CONTROL_RESULT = 4294967296

class V1alpha1WorkloadProfileHas(enum.IntFlag):
    NODE_NAME = 1
    WORKLOAD_KIND = 2
    WORKLOAD_NAMESPACE = 4
    WORKLOAD_NAME = 8
    RESCHEDULE_REASON = 16
    CLASSIFICATION_REASON = 32
    CPU_UTILIZATION_PCT = 64
    GPU_UTILIZATION_PCT = 128
    CONFIDENCE_FRAC = 256
    LAST_UPDATED_MS = 512
    CRITICALITY = 1024
    CPU_INTENSITY = 2048
    CPU_BOUND = 4096
    CPU_CAP_SENSITIVITY = 8192
    GPU_INTENSITY = 16384
    GPU_BOUND = 32768
    GPU_CAP_SENSITIVITY = 65536
    IS_RESCHEDULABLE = 131072
    SHOULD_RESCHEDULE = 262144

class WorkloadHas(enum.IntFlag):
    JOBS = 1
    HOURS = 2
    SEED = 4
    MAX_DURATION = 8
    PERF_RATIO = 16
    GPU_RATIO = 32
    AMD_RATIO = 64
    MEAN_INTER_ARRIVAL = 128
    PEAK_RATE = 256
    BURST_PROB = 512
    BURST_MIN = 1024
    BURST_MAX = 2048
    MIN_GPUS = 4096
    WORK_SCALE = 8192
    BASE_SPEED = 16384
    RECORDS = 32768
    TRAINING_PERF_RATIO = 65536
    NODES = 131072
    LOAD = 262144

class WorkHas(enum.IntFlag):
    CPU = 1
    MEMORY = 2
    GPU = 4
    GPU_UTIL = 8

JOULIE_CLASSIFY_HINTS_ONLY: int
JOULIE_CLASSIFY_IGNORED_CLASS: int
JOULIE_CLASSIFY_IGNORED_CPU_SENSITIVITY: int
JOULIE_CLASSIFY_IGNORED_GPU_SENSITIVITY: int
JOULIE_CLASSIFY_IGNORED_RESCHEDULABLE: int
JOULIE_CLASSIFY_KEPT_CPU_BOUND: int
JOULIE_CLASSIFY_KEPT_CPU_INTENSITY: int
JOULIE_CLASSIFY_KEPT_GPU_BOUND: int
JOULIE_CLASSIFY_KEPT_GPU_INTENSITY: int
JOULIE_CLASSIFY_REASON_BYTES: int
JOULIE_CLASSIFY_RELIABLE: int
JOULIE_OBJECT_LENIENT: int
JOULIE_TWIN_TREND_SAMPLE_POWER: int
JOULIE_TENSOR_FUSION_V1_API_VERSION: str
JOULIE_TENSOR_FUSION_V1_GROUP: str
JOULIE_TENSOR_FUSION_V1_KIND_TENSOR_FUSION_WORKLOAD: str
JOULIE_TENSOR_FUSION_V1_KIND_WORKLOAD_PROFILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SCALING_CONFIG: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_EVALUATION_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_EXTRA_TFLOPS_BUFFER_RATIO: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_IGNORED_DELTA_RANGE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_MAX_RATIO_TO_REQUESTS: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_HISTORY_DATA_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_MODEL: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_PREDICTION_PREDICTION_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_SCALE_UP_STEP: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_LIMITS_TARGET_RESOURCE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_EVALUATION_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_DOWN_COOL_DOWN_TIME: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_DOWN_STEP: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_UP_COOL_DOWN_TIME: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_SCALE_UP_STEP: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REPLICAS_TARGET_TFLOPS_OF_LIMITS: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_AGGREGATION_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_EVALUATION_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_EXTRA_BUFFER_RATIO: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PERCENTILE_FOR_AUTO_REQUESTS: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_HISTORY_DATA_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_MODEL: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_PREDICTION_PREDICTION_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_REQUESTS_TARGET_RESOURCE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_CONFIDENCE_INTERVAL: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_DATA_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_LENGTH: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_HISTORY_RESOLUTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_INITIAL_DELAY_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_INTERVAL: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWERBOUNDTFLOPSPERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWERBOUNDVRAMPERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWER_BOUND_COMPUTE_PERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_LOWER_BOUND_VRAM_PERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MARGIN_FRACTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MAX_COMPUTE_RESOURCES_RATIO: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MAX_VRAM_RESOURCES_RATIO: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MIN_COMPUTE_RESOURCES_RATIO: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_MIN_VRAM_RESOURCES_RATIO: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_REQUEST_MARGIN_FRACTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGETTFLOPSPERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGETVRAMPERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_COMPUTE_PERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_RESOURCE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_TARGET_VRAM_PERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPDATE_THRESHOLD: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPERBOUNDTFLOPSPERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPERBOUNDVRAMPERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPER_BOUND_COMPUTE_PERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_AUTO_SET_RESOURCES_UPPER_BOUND_VRAM_PERCENTILE: str
JOULIE_TENSOR_FUSION_V1_SPEC_CRON_SCALING_RULES: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF_NAME: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_API_KEY_SECRET_REF_NAMESPACE: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_ENABLE: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_INITIAL_DELAY_PERIOD: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_INTERVAL: str
JOULIE_TENSOR_FUSION_V1_SPEC_EXTERNAL_SCALER_URL: str
JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING: str
JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_MIN_MEMBERS: str
JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_MODE: str
JOULIE_TENSOR_FUSION_V1_SPEC_GANG_SCHEDULING_TIMEOUT: str
JOULIE_TENSOR_FUSION_V1_SPEC_GPU_COUNT: str
JOULIE_TENSOR_FUSION_V1_SPEC_GPU_INDICES: str
JOULIE_TENSOR_FUSION_V1_SPEC_GPU_MODEL: str
JOULIE_TENSOR_FUSION_V1_SPEC_ISOLATION: str
JOULIE_TENSOR_FUSION_V1_SPEC_IS_LOCAL_GPU: str
JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY: str
JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_PREFERRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION: str
JOULIE_TENSOR_FUSION_V1_SPEC_NODE_AFFINITY_REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION_NODE_SELECTOR_TERMS: str
JOULIE_TENSOR_FUSION_V1_SPEC_PARTITION_TEMPLATE_ID: str
JOULIE_TENSOR_FUSION_V1_SPEC_POOL_NAME: str
JOULIE_TENSOR_FUSION_V1_SPEC_QOS: str
JOULIE_TENSOR_FUSION_V1_SPEC_REPLICAS: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_COMPUTE: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_TFLOPS: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_LIMITS_VRAM: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_COMPUTE: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_TFLOPS: str
JOULIE_TENSOR_FUSION_V1_SPEC_RESOURCES_REQUESTS_VRAM: str
JOULIE_TENSOR_FUSION_V1_SPEC_SIDECAR_WORKER: str
JOULIE_TENSOR_FUSION_V1_SPEC_VENDOR: str
JOULIE_TENSOR_FUSION_V1_SPEC_WORKER_POD_TEMPLATE: str
JOULIE_TENSOR_FUSION_V1_STATUS_ACTIVE_CRON_SCALING_RULE: str
JOULIE_TENSOR_FUSION_V1_STATUS_APPLIED_RECOMMENDED_REPLICAS: str
JOULIE_TENSOR_FUSION_V1_STATUS_CONDITIONS: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_COMPUTE: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_TFLOPS: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_LIMITS_VRAM: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_COMPUTE: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_TFLOPS: str
JOULIE_TENSOR_FUSION_V1_STATUS_RECOMMENDATION_REQUESTS_VRAM: str
JOULIE_TENSOR_FUSION_V1_STATUS_WORKER_COUNT: str
JOULIE_V1ALPHA1_API_VERSION: str
JOULIE_V1ALPHA1_KIND_NODE_HARDWARE: str
JOULIE_V1ALPHA1_KIND_NODE_POWER_PROFILE: str
JOULIE_V1ALPHA1_KIND_NODE_TWIN: str
JOULIE_V1ALPHA1_KIND_TELEMETRY_PROFILE: str
JOULIE_V1ALPHA1_KIND_WORKLOAD_PROFILE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_SPEC_NODE_NAME: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_CONTROL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_CPU_TELEMETRY: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_CONTROL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CAPABILITIES_GPU_TELEMETRY: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MAX_WATTS_PER_SOCKET: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_MIN_WATTS_PER_SOCKET: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CAP_RANGE_TYPE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CONTROL_AVAILABLE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_CORES_PER_SOCKET: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_DRIVER_FAMILY: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_LOWEST_NONLINEAR_FREQ_MHZ: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MAX_BOOST_MHZ: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_MIN_FREQ_MHZ: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LANDMARKS_NOMINAL_FREQ_MHZ: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_LOGICAL_CPUS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_MODEL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PACKAGES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_PHYSICAL_CORES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_RAW_MODEL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_SOCKETS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TELEMETRY_AVAILABLE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_TOTAL_CORES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_VENDOR: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_CPU_WARNINGS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_DEFAULT_WATTS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MAX_WATTS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CAP_RANGE_PER_GPU_MIN_WATTS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CONTROL_AVAILABLE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_COUNT: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_CURRENT_CAP_WATTS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_DEVICES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_MODEL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_PRESENT: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_RAW_MODEL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_MODES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_SLICING_SUPPORTED: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_TELEMETRY_AVAILABLE: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_VENDOR: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_GPU_WARNINGS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_CPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_EXACTNESS_GPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_CPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_INVENTORY_RESOLUTION_HARDWARE_CATALOG_KEY_GPU: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_MEMORY_TOTAL_BYTES: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_NETWORK_LINK_CLASS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_OVERALL: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_QUALITY_WARNINGS: str
JOULIE_V1ALPHA1_NODE_HARDWARE_STATUS_UPDATED_AT: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_PCT_OF_MAX: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_WATTS: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_PCT_OF_MAX: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_CAP_WATTS_PER_GPU: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_GPU_POWER_CAP_SCOPE: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_NODE_NAME: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_NAME: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_POLICY_RESCHEDULABLE_PRESSURE: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_PROFILE: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING: str
JOULIE_V1ALPHA1_NODE_TWIN_SPEC_SCHEDULING_DRAINING: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONDITIONS: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_BACKEND: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_BASELINE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_MESSAGE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_OBSERVED: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_RESULT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_CPU_UPDATED_AT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_BACKEND: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_BASELINE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_MESSAGE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_OBSERVED: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_RESULT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_CONTROL_STATUS_GPU_UPDATED_AT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_CPU_PCT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_EFFECTIVE_CAP_STATE_GPU_PCT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_ESTIMATED_PUE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_CONFIDENCE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_ESTIMATED_UTILIZATION_GAIN: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_MODE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_REASON: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICES_PER_GPU: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_SLICE_TYPE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_GPU_SLICING_RECOMMENDATION_TOTAL_SLICES: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_HARDWARE_DENSITY_SCORE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_LAST_UPDATED: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_OBSERVED_GENERATION: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_CAPPED_POWER_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_CPU_TDP_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_CAPPED_POWER_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_GPU_TDP_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_MEASURED_NODE_POWER_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_CAPPED_POWER_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_NODE_TDP_W: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_POWER_TREND_W_PER_MIN: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_POWER_MEASUREMENT_SOURCE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_COOLING_STRESS_SCORE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_POWER_HEADROOM_SCORE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_PREDICTED_PSU_STRESS_SCORE: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_RESCHEDULE_RECOMMENDATIONS: str
JOULIE_V1ALPHA1_NODE_TWIN_STATUS_SCHEDULABLE_CLASS: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_NODE_NAME: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_KIND: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAME: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_SPEC_WORKLOAD_REF_NAMESPACE: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CLASSIFICATION_REASON: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CONFIDENCE: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_AVG_UTILIZATION_PCT: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_BOUND: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_CAP_SENSITIVITY: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CPU_INTENSITY: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_CRITICALITY_CLASS: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_AVG_UTILIZATION_PCT: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_BOUND: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_CAP_SENSITIVITY: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_GPU_INTENSITY: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_LAST_UPDATED: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_MIGRATABILITY_RESCHEDULABLE: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_REASON: str
JOULIE_V1ALPHA1_WORKLOAD_PROFILE_STATUS_RESCHEDULE_RECOMMENDED: str
joulie_ask_warning_fn: Any
joulie_cooling_fn: Any
joulie_experiment_file_fn: Any
joulie_host_sink_fn: Any
joulie_log_fn: Any
joulie_zone_fn: Any
def joulie_ask(*arguments: Any) -> int: ...
def joulie_ask_describe(*arguments: Any) -> int: ...
def joulie_ask_list(*arguments: Any) -> int: ...
def joulie_autoscaler_free(*arguments: Any) -> None: ...
def joulie_autoscaler_get_condition(*arguments: Any) -> int: ...
def joulie_autoscaler_get_decision(*arguments: Any) -> int: ...
def joulie_autoscaler_new(*arguments: Any) -> int: ...
def joulie_autoscaler_put_external(*arguments: Any) -> int: ...
def joulie_autoscaler_put_pool(*arguments: Any) -> int: ...
def joulie_autoscaler_put_profile(*arguments: Any) -> int: ...
def joulie_autoscaler_put_samples(*arguments: Any) -> int: ...
def joulie_autoscaler_put_worker(*arguments: Any) -> int: ...
def joulie_autoscaler_remove_worker(*arguments: Any) -> None: ...
def joulie_autoscaler_restore(*arguments: Any) -> int: ...
def joulie_autoscaler_save(*arguments: Any) -> int: ...
def joulie_autoscaler_step(*arguments: Any) -> int: ...
def joulie_caps_next_w(*arguments: Any) -> float: ...
def joulie_caps_resolve(*arguments: Any) -> int: ...
def joulie_classify(*arguments: Any) -> int: ...
def joulie_cluster_action_at(*arguments: Any) -> int: ...
def joulie_cluster_action_body(*arguments: Any) -> int: ...
def joulie_cluster_action_done(*arguments: Any) -> int: ...
def joulie_cluster_command_at(*arguments: Any) -> int: ...
def joulie_cluster_command_done(*arguments: Any) -> int: ...
def joulie_cluster_early_step_ms(*arguments: Any) -> int: ...
def joulie_cluster_explain(*arguments: Any) -> int: ...
def joulie_cluster_extend(*arguments: Any) -> int: ...
def joulie_cluster_filter(*arguments: Any) -> int: ...
def joulie_cluster_free(*arguments: Any) -> None: ...
def joulie_cluster_get_totals(*arguments: Any) -> int: ...
def joulie_cluster_heartbeat(*arguments: Any) -> None: ...
def joulie_cluster_new(*arguments: Any) -> int: ...
def joulie_cluster_node_at(*arguments: Any) -> int: ...
def joulie_cluster_node_by_name(*arguments: Any) -> int: ...
def joulie_cluster_node_labels(*arguments: Any) -> int: ...
def joulie_cluster_place(*arguments: Any) -> int: ...
def joulie_cluster_put_facility(*arguments: Any) -> int: ...
def joulie_cluster_put_machine(*arguments: Any) -> int: ...
def joulie_cluster_put_object(*arguments: Any) -> int: ...
def joulie_cluster_put_rack(*arguments: Any) -> int: ...
def joulie_cluster_put_sample(*arguments: Any) -> int: ...
def joulie_cluster_put_work(*arguments: Any) -> int: ...
def joulie_cluster_put_zone(*arguments: Any) -> int: ...
def joulie_cluster_remove(*arguments: Any) -> int: ...
def joulie_cluster_restore(*arguments: Any) -> int: ...
def joulie_cluster_save(*arguments: Any) -> int: ...
def joulie_cluster_score(*arguments: Any) -> int: ...
def joulie_cluster_scoring(*arguments: Any) -> int: ...
def joulie_cluster_set_scoring(*arguments: Any) -> int: ...
def joulie_cluster_set_wall(*arguments: Any) -> None: ...
def joulie_cluster_settings(*arguments: Any) -> int: ...
def joulie_cluster_statuses_done(*arguments: Any) -> int: ...
def joulie_cluster_step(*arguments: Any) -> int: ...
def joulie_cluster_workload_action_at(*arguments: Any) -> int: ...
def joulie_cluster_workload_action_body(*arguments: Any) -> int: ...
def joulie_cluster_workload_action_done(*arguments: Any) -> int: ...
def joulie_cluster_workloads_begin(*arguments: Any) -> int: ...
def joulie_cluster_workloads_decide(*arguments: Any) -> int: ...
def joulie_cluster_workloads_query(*arguments: Any) -> int: ...
def joulie_cluster_workloads_reply(*arguments: Any) -> int: ...
def joulie_code_word(*arguments: Any) -> bytes: ...
def joulie_crd(*arguments: Any) -> int: ...
def joulie_experiment_csv(*arguments: Any) -> int: ...
def joulie_experiment_free(*arguments: Any) -> None: ...
def joulie_experiment_new(*arguments: Any) -> int: ...
def joulie_experiment_put_result(*arguments: Any) -> int: ...
def joulie_experiment_report(*arguments: Any) -> int: ...
def joulie_experiment_run_at(*arguments: Any) -> int: ...
def joulie_experiment_runs(*arguments: Any) -> int: ...
def joulie_experiment_simulate(*arguments: Any) -> int: ...
def joulie_facility_ambient_c(*arguments: Any) -> float: ...
def joulie_facility_pue(*arguments: Any) -> float: ...
def joulie_facility_simulated_pue(*arguments: Any) -> float: ...
def joulie_feature_at(*arguments: Any) -> bytes: ...
def joulie_format(*arguments: Any) -> int: ...
def joulie_free(*arguments: Any) -> None: ...
def joulie_has_feature(*arguments: Any) -> int: ...
def joulie_host_beat(*arguments: Any) -> int: ...
def joulie_host_caps(*arguments: Any) -> int: ...
def joulie_host_claim(*arguments: Any) -> int: ...
def joulie_host_free(*arguments: Any) -> None: ...
def joulie_host_get_counts(*arguments: Any) -> int: ...
def joulie_host_get_dvfs(*arguments: Any) -> int: ...
def joulie_host_get_summary(*arguments: Any) -> int: ...
def joulie_host_hardware(*arguments: Any) -> int: ...
def joulie_host_heartbeat(*arguments: Any) -> None: ...
def joulie_host_leave(*arguments: Any) -> int: ...
def joulie_host_open(*arguments: Any) -> int: ...
def joulie_host_outcome(*arguments: Any) -> int: ...
def joulie_host_package_at(*arguments: Any) -> int: ...
def joulie_host_plan(*arguments: Any) -> int: ...
def joulie_host_policy_at(*arguments: Any) -> int: ...
def joulie_host_put_twin(*arguments: Any) -> int: ...
def joulie_host_report(*arguments: Any) -> int: ...
def joulie_host_restore(*arguments: Any) -> int: ...
def joulie_host_set_disabled(*arguments: Any) -> int: ...
def joulie_host_set_keeper(*arguments: Any) -> int: ...
def joulie_host_set_twin_unread(*arguments: Any) -> None: ...
def joulie_host_snapshot(*arguments: Any) -> int: ...
def joulie_host_tick(*arguments: Any) -> int: ...
def joulie_host_write_at(*arguments: Any) -> int: ...
def joulie_host_zone_at(*arguments: Any) -> int: ...
def joulie_layout(*arguments: Any) -> int: ...
def joulie_node_free(*arguments: Any) -> None: ...
def joulie_node_get_summary(*arguments: Any) -> int: ...
def joulie_node_heartbeat(*arguments: Any) -> None: ...
def joulie_node_new(*arguments: Any) -> int: ...
def joulie_node_object_name(*arguments: Any) -> int: ...
def joulie_node_part_at(*arguments: Any) -> int: ...
def joulie_node_put_hardware(*arguments: Any) -> int: ...
def joulie_node_put_part(*arguments: Any) -> int: ...
def joulie_node_put_reading(*arguments: Any) -> int: ...
def joulie_node_put_twin(*arguments: Any) -> int: ...
def joulie_node_report(*arguments: Any) -> int: ...
def joulie_node_set_wall(*arguments: Any) -> None: ...
def joulie_node_step(*arguments: Any) -> int: ...
def joulie_node_write_at(*arguments: Any) -> int: ...
def joulie_object_api_version(*arguments: Any) -> bytes: ...
def joulie_object_copy(*arguments: Any) -> int: ...
def joulie_object_count(*arguments: Any) -> int: ...
def joulie_object_diff(*arguments: Any) -> int: ...
def joulie_object_free(*arguments: Any) -> None: ...
def joulie_object_get_bool(*arguments: Any) -> int: ...
def joulie_object_get_integer(*arguments: Any) -> int: ...
def joulie_object_get_number(*arguments: Any) -> int: ...
def joulie_object_get_text(*arguments: Any) -> int: ...
def joulie_object_kind(*arguments: Any) -> bytes: ...
def joulie_object_name(*arguments: Any) -> bytes: ...
def joulie_object_namespace(*arguments: Any) -> bytes: ...
def joulie_object_new(*arguments: Any) -> int: ...
def joulie_object_parse(*arguments: Any) -> int: ...
def joulie_object_patch(*arguments: Any) -> int: ...
def joulie_object_print(*arguments: Any) -> int: ...
def joulie_object_set_bool(*arguments: Any) -> int: ...
def joulie_object_set_integer(*arguments: Any) -> int: ...
def joulie_object_set_number(*arguments: Any) -> int: ...
def joulie_object_set_text(*arguments: Any) -> int: ...
def joulie_object_unset(*arguments: Any) -> int: ...
def joulie_object_validate(*arguments: Any) -> int: ...
def joulie_patch(*arguments: Any) -> int: ...
def joulie_place_config_init(*arguments: Any) -> int: ...
def joulie_place_nodes(*arguments: Any) -> int: ...
def joulie_place_reject_text(*arguments: Any) -> bytes: ...
def joulie_remote_hardware(*arguments: Any) -> int: ...
def joulie_remote_own_shard(*arguments: Any) -> int: ...
def joulie_remote_profiles_free(*arguments: Any) -> None: ...
def joulie_remote_profiles_new(*arguments: Any) -> int: ...
def joulie_remote_profiles_put(*arguments: Any) -> int: ...
def joulie_remote_profiles_remove(*arguments: Any) -> int: ...
def joulie_remote_profiles_resolve(*arguments: Any) -> int: ...
def joulie_remote_read_control(*arguments: Any) -> int: ...
def joulie_remote_read_prometheus(*arguments: Any) -> int: ...
def joulie_remote_read_telemetry(*arguments: Any) -> int: ...
def joulie_remote_resolve(*arguments: Any) -> int: ...
def joulie_remote_shard_of(*arguments: Any) -> int: ...
def joulie_sim_answer(*arguments: Any) -> int: ...
def joulie_sim_body(*arguments: Any) -> int: ...
def joulie_sim_control(*arguments: Any) -> int: ...
def joulie_sim_cordon(*arguments: Any) -> int: ...
def joulie_sim_csv(*arguments: Any) -> int: ...
def joulie_sim_free(*arguments: Any) -> None: ...
def joulie_sim_get_outcome(*arguments: Any) -> int: ...
def joulie_sim_get_spread(*arguments: Any) -> int: ...
def joulie_sim_get_view(*arguments: Any) -> int: ...
def joulie_sim_instant_ms(*arguments: Any) -> int: ...
def joulie_sim_models(*arguments: Any) -> int: ...
def joulie_sim_new(*arguments: Any) -> int: ...
def joulie_sim_next(*arguments: Any) -> int: ...
def joulie_sim_node_at(*arguments: Any) -> int: ...
def joulie_sim_node_by_name(*arguments: Any) -> int: ...
def joulie_sim_objects(*arguments: Any) -> int: ...
def joulie_sim_pod_at(*arguments: Any) -> int: ...
def joulie_sim_put_decision(*arguments: Any) -> int: ...
def joulie_sim_resume(*arguments: Any) -> int: ...
def joulie_sim_run_until(*arguments: Any) -> int: ...
def joulie_sim_saving(*arguments: Any) -> int: ...
def joulie_sim_set_control_time(*arguments: Any) -> int: ...
def joulie_sim_summary(*arguments: Any) -> int: ...
def joulie_simulate_autoscale(*arguments: Any) -> int: ...
def joulie_slowdown_predict(*arguments: Any) -> int: ...
def joulie_split(*arguments: Any) -> int: ...
def joulie_tensor_fusion_v1_get_profile(*arguments: Any) -> int: ...
def joulie_thread_trace_add_thread(*arguments: Any) -> int: ...
def joulie_thread_trace_analyze(*arguments: Any) -> int: ...
def joulie_thread_trace_feed(*arguments: Any) -> int: ...
def joulie_thread_trace_free(*arguments: Any) -> None: ...
def joulie_thread_trace_new(*arguments: Any) -> int: ...
def joulie_throttle_free(*arguments: Any) -> None: ...
def joulie_throttle_new(*arguments: Any) -> int: ...
def joulie_throttle_open_pct(*arguments: Any) -> float: ...
def joulie_throttle_step(*arguments: Any) -> int: ...
def joulie_twin_predict(*arguments: Any) -> int: ...
def joulie_twin_predict_columns(*arguments: Any) -> int: ...
def joulie_twin_trend(*arguments: Any) -> int: ...
def joulie_v1alpha1_get_node_hardware(*arguments: Any) -> int: ...
def joulie_v1alpha1_get_node_twin_spec(*arguments: Any) -> int: ...
def joulie_v1alpha1_get_node_twin_status(*arguments: Any) -> int: ...
def joulie_v1alpha1_get_workload_profile(*arguments: Any) -> int: ...
def joulie_version(*arguments: Any) -> bytes: ...
def joulie_word(*arguments: Any) -> bytes: ...
def joulie_word_value(*arguments: Any) -> int: ...
def joulie_workload_generate(*arguments: Any) -> int: ...
def joulie_workload_inspect(*arguments: Any) -> int: ...
