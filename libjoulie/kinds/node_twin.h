/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodeTwin (docs/rules/objects.md#nodetwin): desired state of a node, and what the twin predicts
 * and the agent reports. */

#include <joulie/words.h>

#include "kinds/meta.h"

enum jl_cap_scope { JL_CAP_SCOPE_UNKNOWN, JL_CAP_SCOPE_PER_GPU };

extern const struct jl_words jl_profile_words;
extern const struct jl_words jl_cap_scope_words;
extern const struct jl_words jl_node_class_words;
extern const struct jl_words jl_power_source_words;
extern const struct jl_words jl_level_words;      /* high medium low */
extern const struct jl_words jl_pressure_words;   /* low medium high */
extern const struct jl_words jl_level_none_words; /* high medium low none */
extern const struct jl_words jl_slicing_mode_words;
extern const struct jl_words
    jl_control_result_words; /* for readers of controlStatus.result, which has no enum */

extern const struct jl_kind jl_node_twin_kind;

#ifdef JL_NODE_TWIN_TABLES
#define RECORD_TABLES
#endif

/* spec.cpu, also of NodePowerProfile */
#define RECORD jl_cpu_intent
#define MEMBERS                                                                               \
    NUMBER(cap_w, "packagePowerCapWatts",                                                     \
           "Power cap of each CPU package, in watts; wins over the percentage.", AT_LEAST(1)) \
    NUMBER(cap_pct, "packagePowerCapPctOfMax",                                                \
           "Power cap of each CPU package, in percent of the package's maximum.", OVER(0),    \
           AT_MOST(100))
#include "schema/shared_record.h"

#define RECORD jl_gpu_power_cap
#define MEMBERS                                                                                   \
    ENUM(scope, "scope", jl_cap_scope, jl_cap_scope_words,                                        \
         "What the cap applies to; absent means perGpu.")                                         \
    NUMBER(cap_w, "capWattsPerGpu", "Power cap of each GPU, in watts; wins over the percentage.", \
           AT_LEAST(1))                                                                           \
    NUMBER(cap_pct, "capPctOfMax", "Power cap of each GPU, in percent of the GPU's maximum.",     \
           OVER(0), AT_MOST(100))
#include "schema/shared_record.h"

/* spec.gpu */
#define RECORD jl_gpu_intent
#define MEMBERS OBJECT(power_cap, "powerCap", jl_gpu_power_cap, "Power cap of the node's GPUs.")
#include "schema/shared_record.h"

#define RECORD jl_twin_policy
#define MEMBERS                                                                            \
    STRING(name, "name", "Name of the policy that chose the profile.")                     \
    ENUM(reschedulable_pressure, "reschedulablePressure", joulie_level, jl_pressure_words, \
         "How strongly reschedulable workloads are asked to move (v0.1.0 only, never read).")
#include "schema/shared_record.h"

#define RECORD jl_twin_scheduling
#define MEMBERS                   \
    BOOLEAN(draining, "draining", \
            "True while the node waits for performance workloads to end before it becomes eco.")
#include "schema/shared_record.h"

#define RECORD jl_twin_spec
#define MEMBERS                                                                              \
    STRING(node_name, "nodeName",                                                            \
           "Name of the node; readers match on this, never on the object name.", REQUIRED)   \
    ENUM(profile, "profile", joulie_profile, jl_profile_words, "Desired state of the node.", \
         REQUIRED)                                                                           \
    OBJECT(cpu, "cpu", jl_cpu_intent, "Intended caps of the CPU packages.")                  \
    OBJECT(gpu, "gpu", jl_gpu_intent, "Intended caps of the GPUs.")                          \
    OBJECT(policy, "policy", jl_twin_policy, "Where the desired state came from.")           \
    OBJECT(scheduling, "scheduling", jl_twin_scheduling, "What schedulers have to respect.")
#include "schema/shared_record.h"

#define RECORD jl_power_measurement
#define MEMBERS                                                                                  \
    ENUM(source, "source", joulie_power_source, jl_power_source_words,                           \
         "Where the measured node power came from.")                                             \
    NUMBER(measured_node_power_w, "measuredNodePowerW", "Measured power of the node, in watts.") \
    NUMBER(cpu_capped_power_w, "cpuCappedPowerW",                                                \
           "Power of all CPU packages at their caps, in watts.")                                 \
    NUMBER(gpu_capped_power_w, "gpuCappedPowerW", "Power of all GPUs at their caps, in watts.")  \
    NUMBER(node_capped_power_w, "nodeCappedPowerW", "Power of the node at its caps, in watts.")  \
    NUMBER(cpu_tdp_w, "cpuTdpW", "Power of all CPU packages without caps, in watts.")            \
    NUMBER(gpu_tdp_w, "gpuTdpW", "Power of all GPUs without caps, in watts.")                    \
    NUMBER(node_tdp_w, "nodeTdpW", "Power of the node without caps, in watts.")                  \
    NUMBER(power_trend_w_per_min, "powerTrendWPerMin",                                           \
           "Change of the node's power, in watts per minute; negative when it falls.")
#include "schema/shared_record.h"

#define RECORD jl_effective_caps
#define MEMBERS                                                                  \
    NUMBER(cpu_pct, "cpuPct", "CPU cap that counts, in percent of the maximum.") \
    NUMBER(gpu_pct, "gpuPct", "GPU cap that counts, in percent of the maximum.")
#include "schema/shared_record.h"

#define RECORD jl_workload_ref
#define MEMBERS                                                   \
    STRING(kind, "kind", "Kind of the workload.")                 \
    STRING(name_space, "namespace", "Namespace of the workload.") \
    STRING(name, "name", "Name of the workload.")
#include "schema/shared_record.h"

#define RECORD jl_reschedule_advice
#define MEMBERS                                                                        \
    OBJECT(workload_ref, "workloadRef", jl_workload_ref, "Workload that should move.") \
    STRING(reason, "reason", "Why it should move, for a person.")
#include "schema/shared_record.h"

#define RECORD jl_slicing_advice
#define MEMBERS                                                                                 \
    ENUM(mode, "mode", joulie_slicing, jl_slicing_mode_words, "How the GPUs should be shared.") \
    STRING(slice_type, "sliceType", "Kind of slice, such as a MIG profile.")                    \
    INTEGER(slices_per_gpu, "slicesPerGPU", "Slices of each GPU.")                              \
    INTEGER(total_slices, "totalSlices", "Slices of the whole node.")                           \
    STRING(reason, "reason", "Why, for a person.")                                              \
    NUMBER(estimated_utilization_gain, "estimatedUtilizationGain",                              \
           "Expected gain of GPU utilisation, in percent.")                                     \
    NUMBER(confidence, "confidence", "Confidence in the advice, 0 to 1.")
#include "schema/shared_record.h"

#define RECORD jl_control_part
#define MEMBERS                                                                                  \
    STRING(backend, "backend", "What wrote the caps.")                                           \
    /* word of jl_control_result_words, free text on the wire */                                 \
    STRING(result, "result", "Outcome, such as applied, blocked, error, none or pending.")       \
    STRING(message, "message", "Details, for a person.")                                         \
    STRING(updated_at, "updatedAt", "When this was reported, RFC 3339 in UTC.")                  \
    RAW(observed, "observed", "What was read back: watts, limits, throttling.", ANY_MEMBERS)     \
    STRING(baseline, "baseline",                                                                 \
           "doubted: a limit that is to be given back was found below the maximum of its zone, " \
           "and may be a cap "                                                                   \
           "whose journal was lost. Absent: nothing speaks against what was found.")
#include "schema/shared_record.h"

#define RECORD jl_control_status
#define MEMBERS                                                   \
    OBJECT(cpu, "cpu", jl_control_part, "State of the CPU caps.") \
    OBJECT(gpu, "gpu", jl_control_part, "State of the GPU caps.")
#include "schema/shared_record.h"

#define JL_TWIN_STATUS                                                                            \
    ENUM(schedulable_class, "schedulableClass", joulie_node_class, jl_node_class_words,           \
         "What the node is for schedulers.")                                                      \
    OBJECT(power, "powerMeasurement", jl_power_measurement,                                       \
           "Measured power of the node beside its caps and its design power, in watts.")          \
    NUMBER(power_headroom_score, "predictedPowerHeadroomScore",                                   \
           "Power headroom below the caps, 0 to 100; higher is better, negative when power is "   \
           "above them.")                                                                         \
    NUMBER(cooling_stress_score, "predictedCoolingStressScore",                                   \
           "Cooling stress, 0 to 100; higher is worse.")                                          \
    NUMBER(psu_stress_score, "predictedPsuStressScore",                                           \
           "Stress of the power supply, 0 to 100; higher is worse.")                              \
    OBJECT(effective_caps, "effectiveCapState", jl_effective_caps,                                \
           "Caps that the prediction used, in percent of the maximum.")                           \
    NUMBER(hardware_density_score, "hardwareDensityScore",                                        \
           "Compute density of the hardware, 0 to 100.")                                          \
    NUMBER(estimated_pue, "estimatedPUE", "Estimated power usage effectiveness, 1 or more.")      \
    LIST(reschedule, "rescheduleRecommendations", jl_reschedule_advice,                           \
         "Workloads that should move away.")                                                      \
    OBJECT(slicing, "gpuSlicingRecommendation", jl_slicing_advice, "Advice on sharing the GPUs.") \
    OBJECT(control, "controlStatus", jl_control_status,                                           \
           "What the agent did with the caps; written by the agent alone.")                       \
    STRING(last_updated, "lastUpdated", "When the prediction last changed, RFC 3339 in UTC.")     \
    INTEGER(observed_generation, "observedGeneration",                                            \
            "Generation of the spec that the status was decided by.", AS_INT64)                   \
    LIST(conditions, "conditions", jl_condition, "Conditions: Ready, Measured, Capped, PoweredOff.")
#define RECORD jl_twin_status
#define MEMBERS JL_TWIN_STATUS
#include "schema/shared_record.h"

#define RECORD jl_node_twin
#define MEMBERS                                                                               \
    JL_ROOT_MEMBERS()                                                                         \
    OBJECT(spec, "spec", jl_twin_spec, "Desired state of the node, written by the operator.") \
    OBJECT(status, "status", jl_twin_status, "What the twin predicts and the agent reports.")
#define ABOUT                   \
    .kind = &jl_node_twin_kind, \
    .doc = "Desired power state of one node, and what is predicted and reported about it."
#include "schema/shared_record.h"

#undef RECORD_TABLES

/* docs/rules/objects.md#conditions */
#define JL_CONDITION_READY "Ready"
#define JL_CONDITION_MEASURED "Measured"
#define JL_CONDITION_CAPPED "Capped"
#define JL_CONDITION_POWERED_OFF "PoweredOff"

/* It stops, is off or comes back: nothing may be placed there. */
bool jl_twin_is_off(const struct jl_twin_status *status);

/* ---- freshness: one rule for every reader (docs/rules/reconcile.md#freshness) ---- */

#define JL_TWIN_STALENESS_MS (INT64_C(5) * 60 * 1000)
#define JL_TWIN_MAX_AGE_MS (INT64_C(60) * 60 * 1000)

struct jl_freshness {
    int64_t staleness_ms;
    int64_t max_age_ms;
    bool has_heartbeat;
    int64_t heartbeat_ms;
};

/* The earliest update that is fresh; every later one is, also one of the future. */
int64_t jl_fresh_from_ms(const struct jl_freshness *rule, int64_t now_ms);

/* last_updated is the RFC 3339 text of the twin; NULL or unparsable = stale; a future one is fresh;
 * exactly the threshold is fresh. */
bool jl_twin_is_fresh(const char *last_updated, const struct jl_freshness *rule, int64_t now_ms);

#define JL_AGENT_LEASE "joulie-agent-" /* and the object name of the node */

/* The time after which an agent is silent whose Lease was last renewed then. */
int64_t jl_agent_silent_ms(int64_t renewed_ms, int64_t duration_s);
