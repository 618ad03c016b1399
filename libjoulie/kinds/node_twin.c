/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/node_twin.h"

#include "kinds/root.h"

/* Source of every row: joulie-control.md §2.4. The source enum of powerMeasurement is the chart's
 * superset. */

/* Bounds of caps: the schema's minimum 1, and (0,100]. */
#define AT_LEAST_ONE .flags = JL_HAS_MIN, .min = 1
#define PERCENT .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN | JL_HAS_MAX, .min = 0, .max = 100

static const struct jl_word profile_words[] = {
    { JOULIE_PROFILE_PERFORMANCE, "performance" },
    { JOULIE_PROFILE_ECO, "eco" },
};
const struct jl_words jl_profile_words = JL_WORDS(profile_words);

static const struct jl_word cap_scope_words[] = {
    { JL_CAP_SCOPE_PER_GPU, "perGpu" },
};
const struct jl_words jl_cap_scope_words = JL_WORDS(cap_scope_words);

static const struct jl_word node_class_words[] = {
    { JOULIE_NODE_CLASS_ECO, "eco" },
    { JOULIE_NODE_CLASS_PERFORMANCE, "performance" },
    { JOULIE_NODE_CLASS_DRAINING, "draining" },
    { JOULIE_NODE_CLASS_WORD_UNKNOWN, "unknown" },
};
const struct jl_words jl_node_class_words = JL_WORDS(node_class_words);

static const struct jl_word power_source_words[] = {
    { JOULIE_POWER_SOURCE_KEPLER, "kepler" },
    { JOULIE_POWER_SOURCE_UTILIZATION, "utilization" },
    { JOULIE_POWER_SOURCE_STATIC, "static" },
    { JOULIE_POWER_SOURCE_HTTP, "http" },
    { JOULIE_POWER_SOURCE_HTTP_ERROR, "http-error" },
    { JOULIE_POWER_SOURCE_HTTP_NO_ENDPOINT, "http-no-endpoint" },
    { JOULIE_POWER_SOURCE_PROMETHEUS, "prometheus" },
    { JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA, "prometheus-no-data" },
};
const struct jl_words jl_power_source_words = JL_WORDS(power_source_words);

static const struct jl_word level_words[] = {
    { JOULIE_LEVEL_HIGH, "high" },
    { JOULIE_LEVEL_MEDIUM, "medium" },
    { JOULIE_LEVEL_LOW, "low" },
};
const struct jl_words jl_level_words = JL_WORDS(level_words);

static const struct jl_word pressure_words[] = {
    { JOULIE_LEVEL_LOW, "low" },
    { JOULIE_LEVEL_MEDIUM, "medium" },
    { JOULIE_LEVEL_HIGH, "high" },
};
const struct jl_words jl_pressure_words = JL_WORDS(pressure_words);

static const struct jl_word level_none_words[] = {
    { JOULIE_LEVEL_HIGH, "high" },
    { JOULIE_LEVEL_MEDIUM, "medium" },
    { JOULIE_LEVEL_LOW, "low" },
    { JOULIE_LEVEL_NONE, "none" },
};
const struct jl_words jl_level_none_words = JL_WORDS(level_none_words);

static const struct jl_word slicing_mode_words[] = {
    { JOULIE_SLICING_MIG, "mig" },
    { JOULIE_SLICING_TIME, "time-slicing" },
    { JOULIE_SLICING_NONE, "none" },
};
const struct jl_words jl_slicing_mode_words = JL_WORDS(slicing_mode_words);

static const struct jl_word control_result_words[] = {
    { JOULIE_CONTROL_APPLIED, "applied" }, { JOULIE_CONTROL_BLOCKED, "blocked" },
    { JOULIE_CONTROL_ERROR, "error" },     { JOULIE_CONTROL_NONE, "none" },
    { JOULIE_CONTROL_PENDING, "pending" },
};
const struct jl_words jl_control_result_words = JL_WORDS(control_result_words);

static const struct jl_row cpu_intent_rows[] = {
    [JL_CPU_INTENT_CAP_W] =
        JL_NUMBER(jl_cpu_intent, cap_w, "packagePowerCapWatts", AT_LEAST_ONE,
                  .doc = "Power cap of each CPU package, in watts; wins over the percentage."),
    [JL_CPU_INTENT_CAP_PCT] =
        JL_NUMBER(jl_cpu_intent, cap_pct, "packagePowerCapPctOfMax", PERCENT,
                  .doc = "Power cap of each CPU package, in percent of the package's maximum."),
};
const struct jl_table jl_cpu_intent_table = JL_TABLE(jl_cpu_intent, cpu_intent_rows);

static const struct jl_row gpu_power_cap_rows[] = {
    [JL_GPU_CAP_SCOPE] = JL_ENUM(jl_gpu_power_cap, scope, "scope", &jl_cap_scope_words,
                                 .doc = "What the cap applies to; absent means perGpu."),
    [JL_GPU_CAP_W] = JL_NUMBER(jl_gpu_power_cap, cap_w, "capWattsPerGpu", AT_LEAST_ONE,
                               .doc = "Power cap of each GPU, in watts; wins over the percentage."),
    [JL_GPU_CAP_PCT] = JL_NUMBER(jl_gpu_power_cap, cap_pct, "capPctOfMax", PERCENT,
                                 .doc = "Power cap of each GPU, in percent of the GPU's maximum."),
};
static const struct jl_table gpu_power_cap_table = JL_TABLE(jl_gpu_power_cap, gpu_power_cap_rows);

static const struct jl_row gpu_intent_rows[] = {
    [JL_GPU_INTENT_POWER_CAP] =
        JL_OBJECT(jl_gpu_intent, power_cap, "powerCap", &gpu_power_cap_table,
                  .doc = "Power cap of the node's GPUs."),
};
const struct jl_table jl_gpu_intent_table = JL_TABLE(jl_gpu_intent, gpu_intent_rows);

static const struct jl_row twin_policy_rows[] = {
    [JL_TWIN_POLICY_NAME] = JL_STRING(jl_twin_policy, name, "name",
                                      .doc = "Name of the policy that chose the profile."),
    [JL_TWIN_POLICY_PRESSURE] = JL_ENUM(
        jl_twin_policy, reschedulable_pressure, "reschedulablePressure", &jl_pressure_words,
        .doc = "How strongly reschedulable workloads are asked to move (v0.1.0 only, never read)."),
};
static const struct jl_table twin_policy_table = JL_TABLE(jl_twin_policy, twin_policy_rows);

static const struct jl_row twin_scheduling_rows[] = {
    [JL_TWIN_SCHEDULING_DRAINING] = JL_BOOLEAN(
        jl_twin_scheduling, draining, "draining",
        .doc = "True while the node waits for performance workloads to end before it becomes eco."),
};
static const struct jl_table twin_scheduling_table =
    JL_TABLE(jl_twin_scheduling, twin_scheduling_rows);

static const struct jl_row twin_spec_rows[] = {
    [JL_TWIN_SPEC_NODE_NAME] =
        JL_STRING(jl_twin_spec, node_name, "nodeName", .flags = JL_REQUIRED,
                  .doc = "Name of the node; readers match on this, never on the object name."),
    [JL_TWIN_SPEC_PROFILE] = JL_ENUM(jl_twin_spec, profile, "profile", &jl_profile_words,
                                     .flags = JL_REQUIRED, .doc = "Desired state of the node."),
    [JL_TWIN_SPEC_CPU] = JL_OBJECT(jl_twin_spec, cpu, "cpu", &jl_cpu_intent_table,
                                   .doc = "Intended caps of the CPU packages."),
    [JL_TWIN_SPEC_GPU] = JL_OBJECT(jl_twin_spec, gpu, "gpu", &jl_gpu_intent_table,
                                   .doc = "Intended caps of the GPUs."),
    [JL_TWIN_SPEC_POLICY] = JL_OBJECT(jl_twin_spec, policy, "policy", &twin_policy_table,
                                      .doc = "Where the desired state came from."),
    [JL_TWIN_SPEC_SCHEDULING] =
        JL_OBJECT(jl_twin_spec, scheduling, "scheduling", &twin_scheduling_table,
                  .doc = "What schedulers have to respect."),
};
const struct jl_table jl_twin_spec_table = JL_TABLE(jl_twin_spec, twin_spec_rows);

static const struct jl_row power_measurement_rows[] = {
    [JL_POWER_SOURCE] = JL_ENUM(jl_power_measurement, source, "source", &jl_power_source_words,
                                .doc = "Where the measured node power came from."),
    [JL_POWER_MEASURED] =
        JL_NUMBER(jl_power_measurement, measured_node_power_w, "measuredNodePowerW",
                  .doc = "Measured power of the node, in watts."),
    [JL_POWER_CPU_CAPPED] = JL_NUMBER(jl_power_measurement, cpu_capped_power_w, "cpuCappedPowerW",
                                      .doc = "Power of all CPU packages at their caps, in watts."),
    [JL_POWER_GPU_CAPPED] = JL_NUMBER(jl_power_measurement, gpu_capped_power_w, "gpuCappedPowerW",
                                      .doc = "Power of all GPUs at their caps, in watts."),
    [JL_POWER_NODE_CAPPED] =
        JL_NUMBER(jl_power_measurement, node_capped_power_w, "nodeCappedPowerW",
                  .doc = "Power of the node at its caps, in watts."),
    [JL_POWER_CPU_TDP] = JL_NUMBER(jl_power_measurement, cpu_tdp_w, "cpuTdpW",
                                   .doc = "Power of all CPU packages without caps, in watts."),
    [JL_POWER_GPU_TDP] = JL_NUMBER(jl_power_measurement, gpu_tdp_w, "gpuTdpW",
                                   .doc = "Power of all GPUs without caps, in watts."),
    [JL_POWER_NODE_TDP] = JL_NUMBER(jl_power_measurement, node_tdp_w, "nodeTdpW",
                                    .doc = "Power of the node without caps, in watts."),
    [JL_POWER_TREND] = JL_NUMBER(
        jl_power_measurement, power_trend_w_per_min, "powerTrendWPerMin",
        .doc = "Change of the node's power, in watts per minute; negative when it falls."),
};
const struct jl_table jl_power_measurement_table =
    JL_TABLE(jl_power_measurement, power_measurement_rows);

static const struct jl_row effective_caps_rows[] = {
    [JL_EFFECTIVE_CPU_PCT] = JL_NUMBER(jl_effective_caps, cpu_pct, "cpuPct",
                                       .doc = "CPU cap that counts, in percent of the maximum."),
    [JL_EFFECTIVE_GPU_PCT] = JL_NUMBER(jl_effective_caps, gpu_pct, "gpuPct",
                                       .doc = "GPU cap that counts, in percent of the maximum."),
};
const struct jl_table jl_effective_caps_table = JL_TABLE(jl_effective_caps, effective_caps_rows);

static const struct jl_row workload_ref_rows[] = {
    [JL_WORKLOAD_REF_KIND] =
        JL_STRING(jl_workload_ref, kind, "kind", .doc = "Kind of the workload."),
    [JL_WORKLOAD_REF_NAMESPACE] =
        JL_STRING(jl_workload_ref, name_space, "namespace", .doc = "Namespace of the workload."),
    [JL_WORKLOAD_REF_NAME] =
        JL_STRING(jl_workload_ref, name, "name", .doc = "Name of the workload."),
};
const struct jl_table jl_workload_ref_table = JL_TABLE(jl_workload_ref, workload_ref_rows);

static const struct jl_row reschedule_advice_rows[] = {
    [JL_RESCHEDULE_REF] = JL_OBJECT(jl_reschedule_advice, workload_ref, "workloadRef",
                                    &jl_workload_ref_table, .doc = "Workload that should move."),
    [JL_RESCHEDULE_REASON] = JL_STRING(jl_reschedule_advice, reason, "reason",
                                       .doc = "Why it should move, for a person."),
};
const struct jl_table jl_reschedule_advice_table =
    JL_TABLE(jl_reschedule_advice, reschedule_advice_rows);

static const struct jl_row slicing_advice_rows[] = {
    [JL_SLICING_MODE] = JL_ENUM(jl_slicing_advice, mode, "mode", &jl_slicing_mode_words,
                                .doc = "How the GPUs should be shared."),
    [JL_SLICING_SLICE_TYPE] = JL_STRING(jl_slicing_advice, slice_type, "sliceType",
                                        .doc = "Kind of slice, such as a MIG profile."),
    [JL_SLICING_SLICES_PER_GPU] =
        JL_INTEGER(jl_slicing_advice, slices_per_gpu, "slicesPerGPU", .doc = "Slices of each GPU."),
    [JL_SLICING_TOTAL_SLICES] = JL_INTEGER(jl_slicing_advice, total_slices, "totalSlices",
                                           .doc = "Slices of the whole node."),
    [JL_SLICING_REASON] =
        JL_STRING(jl_slicing_advice, reason, "reason", .doc = "Why, for a person."),
    [JL_SLICING_GAIN] =
        JL_NUMBER(jl_slicing_advice, estimated_utilization_gain, "estimatedUtilizationGain",
                  .doc = "Expected gain of GPU utilisation, in percent."),
    [JL_SLICING_CONFIDENCE] = JL_NUMBER(jl_slicing_advice, confidence, "confidence",
                                        .doc = "Confidence in the advice, 0 to 1."),
};
const struct jl_table jl_slicing_advice_table = JL_TABLE(jl_slicing_advice, slicing_advice_rows);

static const struct jl_row control_part_rows[] = {
    [JL_CONTROL_BACKEND] =
        JL_STRING(jl_control_part, backend, "backend", .doc = "What wrote the caps."),
    [JL_CONTROL_RESULT] =
        JL_STRING(jl_control_part, result, "result",
                  .doc = "Outcome, such as applied, blocked, error, none or pending."),
    [JL_CONTROL_MESSAGE] =
        JL_STRING(jl_control_part, message, "message", .doc = "Details, for a person."),
    [JL_CONTROL_UPDATED_AT] = JL_STRING(jl_control_part, updated_at, "updatedAt",
                                        .doc = "When this was reported, RFC 3339 in UTC."),
    [JL_CONTROL_OBSERVED] = JL_RAW(jl_control_part, observed, "observed", .flags = JL_PRESERVE,
                                   .doc = "What was read back: watts, limits, throttling."),
};
static const struct jl_table control_part_table = JL_TABLE(jl_control_part, control_part_rows);

static const struct jl_row control_status_rows[] = {
    [JL_CONTROL_STATUS_CPU] = JL_OBJECT(jl_control_status, cpu, "cpu", &control_part_table,
                                        .doc = "State of the CPU caps."),
    [JL_CONTROL_STATUS_GPU] = JL_OBJECT(jl_control_status, gpu, "gpu", &control_part_table,
                                        .doc = "State of the GPU caps."),
};
const struct jl_table jl_control_status_table = JL_TABLE(jl_control_status, control_status_rows);

static const struct jl_row twin_status_rows[] = {
    [JL_TWIN_STATUS_CLASS] =
        JL_ENUM(jl_twin_status, schedulable_class, "schedulableClass", &jl_node_class_words,
                .doc = "What the node is for schedulers."),
    [JL_TWIN_STATUS_POWER] = JL_OBJECT(
        jl_twin_status, power, "powerMeasurement", &jl_power_measurement_table,
        .doc = "Measured power of the node beside its caps and its design power, in watts."),
    [JL_TWIN_STATUS_HEADROOM] =
        JL_NUMBER(jl_twin_status, power_headroom_score, "predictedPowerHeadroomScore",
                  .doc = "Power headroom below the caps, 0 to 100; higher is better, negative when "
                         "power is above them."),
    [JL_TWIN_STATUS_COOLING] =
        JL_NUMBER(jl_twin_status, cooling_stress_score, "predictedCoolingStressScore",
                  .doc = "Cooling stress, 0 to 100; higher is worse."),
    [JL_TWIN_STATUS_PSU] =
        JL_NUMBER(jl_twin_status, psu_stress_score, "predictedPsuStressScore",
                  .doc = "Stress of the power supply, 0 to 100; higher is worse."),
    [JL_TWIN_STATUS_EFFECTIVE_CAPS] =
        JL_OBJECT(jl_twin_status, effective_caps, "effectiveCapState", &jl_effective_caps_table,
                  .doc = "Caps that the prediction used, in percent of the maximum."),
    [JL_TWIN_STATUS_DENSITY] =
        JL_NUMBER(jl_twin_status, hardware_density_score, "hardwareDensityScore",
                  .doc = "Compute density of the hardware, 0 to 100."),
    [JL_TWIN_STATUS_PUE] = JL_NUMBER(jl_twin_status, estimated_pue, "estimatedPUE",
                                     .doc = "Estimated power usage effectiveness, 1 or more."),
    [JL_TWIN_STATUS_RESCHEDULE] =
        JL_LIST(jl_twin_status, reschedule, "rescheduleRecommendations",
                &jl_reschedule_advice_table, .doc = "Workloads that should move away."),
    [JL_TWIN_STATUS_SLICING] =
        JL_OBJECT(jl_twin_status, slicing, "gpuSlicingRecommendation", &jl_slicing_advice_table,
                  .doc = "Advice on sharing the GPUs."),
    [JL_TWIN_STATUS_CONTROL] =
        JL_OBJECT(jl_twin_status, control, "controlStatus", &jl_control_status_table,
                  .doc = "What the agent did with the caps; written by the agent alone."),
    [JL_TWIN_STATUS_LAST_UPDATED] =
        JL_STRING(jl_twin_status, last_updated, "lastUpdated",
                  .doc = "When the prediction last changed, RFC 3339 in UTC."),
};
const struct jl_table jl_twin_status_table = JL_TABLE(jl_twin_status, twin_status_rows);

static const struct jl_column node_twin_columns[] = {
    { "Node", ".spec.nodeName", "string" },
    { "Profile", ".spec.profile", "string" },
    { "Class", ".status.schedulableClass", "string" },
    { "PowerHeadroom", ".status.predictedPowerHeadroomScore", "number" },
    { "CoolingStress", ".status.predictedCoolingStressScore", "number" },
    { "PSUStress", ".status.predictedPsuStressScore", "number" },
    { "CPU-Cap", ".spec.cpu.packagePowerCapPctOfMax",
      "string" }, /* string in the source, though a number */
    { "Draining", ".spec.scheduling.draining", "boolean" },
};

static const struct jl_kind node_twin_kind = {
    .api_version = JL_API_VERSION,
    .kind = "NodeTwin",
    .plural = "nodetwins",
    .singular = "nodetwin",
    .short_name = "nt",
    .scope = "Cluster",
    .has_status = true,
    .columns = node_twin_columns,
    .column_count = JL_COUNT(node_twin_columns),
};

static const struct jl_row node_twin_rows[] = {
    JL_ROOT_ROWS(jl_node_twin, 0),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_node_twin, spec, "spec", &jl_twin_spec_table,
                               .doc = "Desired state of the node, written by the operator."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_node_twin, status, "status", &jl_twin_status_table,
                                 .doc = "What the twin predicts and the agent reports."),
};

const struct jl_table jl_node_twin_table = JL_TABLE(
    jl_node_twin, node_twin_rows, .kind = &node_twin_kind,
    .doc = "Desired power state of one node, and what is predicted and reported about it.");
