/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodeTwin (joulie-control.md §2.4): desired state of a node, and what the twin predicts and the
 * agent reports. */

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

struct jl_cpu_intent { /* spec.cpu, also of NodePowerProfile */
    uint64_t has;
    double cap_w;   /* packagePowerCapWatts, per package */
    double cap_pct; /* packagePowerCapPctOfMax */
};

enum { JL_CPU_INTENT_CAP_W, JL_CPU_INTENT_CAP_PCT };

struct jl_gpu_power_cap {
    uint64_t has;
    enum jl_cap_scope scope;
    double cap_w;   /* capWattsPerGpu */
    double cap_pct; /* capPctOfMax */
};

enum { JL_GPU_CAP_SCOPE, JL_GPU_CAP_W, JL_GPU_CAP_PCT };

struct jl_gpu_intent { /* spec.gpu */
    uint64_t has;
    struct jl_gpu_power_cap power_cap;
};

enum { JL_GPU_INTENT_POWER_CAP };

struct jl_twin_policy {
    uint64_t has;
    const char *name;
    enum joulie_level reschedulable_pressure;
};

enum { JL_TWIN_POLICY_NAME, JL_TWIN_POLICY_PRESSURE };

struct jl_twin_scheduling {
    uint64_t has;
    bool draining;
};

enum { JL_TWIN_SCHEDULING_DRAINING };

struct jl_twin_spec {
    uint64_t has;
    const char *node_name;
    enum joulie_profile profile;
    struct jl_cpu_intent cpu;
    struct jl_gpu_intent gpu;
    struct jl_twin_policy policy;
    struct jl_twin_scheduling scheduling;
};

enum {
    JL_TWIN_SPEC_NODE_NAME,
    JL_TWIN_SPEC_PROFILE,
    JL_TWIN_SPEC_CPU,
    JL_TWIN_SPEC_GPU,
    JL_TWIN_SPEC_POLICY,
    JL_TWIN_SPEC_SCHEDULING,
};

struct jl_power_measurement {
    uint64_t has;
    enum joulie_power_source source;
    double measured_node_power_w;
    double cpu_capped_power_w;
    double gpu_capped_power_w;
    double node_capped_power_w;
    double cpu_tdp_w;
    double gpu_tdp_w;
    double node_tdp_w;
    double power_trend_w_per_min;
};

enum {
    JL_POWER_SOURCE,
    JL_POWER_MEASURED,
    JL_POWER_CPU_CAPPED,
    JL_POWER_GPU_CAPPED,
    JL_POWER_NODE_CAPPED,
    JL_POWER_CPU_TDP,
    JL_POWER_GPU_TDP,
    JL_POWER_NODE_TDP,
    JL_POWER_TREND,
};

struct jl_effective_caps {
    uint64_t has;
    double cpu_pct;
    double gpu_pct;
};

enum { JL_EFFECTIVE_CPU_PCT, JL_EFFECTIVE_GPU_PCT };

struct jl_workload_ref {
    uint64_t has;
    const char *kind;
    const char *name_space;
    const char *name;
};

enum { JL_WORKLOAD_REF_KIND, JL_WORKLOAD_REF_NAMESPACE, JL_WORKLOAD_REF_NAME };

struct jl_reschedule_advice {
    uint64_t has;
    struct jl_workload_ref workload_ref;
    const char *reason;
};

enum { JL_RESCHEDULE_REF, JL_RESCHEDULE_REASON };

struct jl_slicing_advice {
    uint64_t has;
    enum joulie_slicing mode;
    const char *slice_type;
    int64_t slices_per_gpu;
    int64_t total_slices;
    const char *reason;
    double estimated_utilization_gain; /* percent */
    double confidence;                 /* 0..1 */
};

enum {
    JL_SLICING_MODE,
    JL_SLICING_SLICE_TYPE,
    JL_SLICING_SLICES_PER_GPU,
    JL_SLICING_TOTAL_SLICES,
    JL_SLICING_REASON,
    JL_SLICING_GAIN,
    JL_SLICING_CONFIDENCE,
};

struct jl_control_part {
    uint64_t has;
    const char *backend;
    const char *result; /* word of jl_control_result_words, free text on the wire */
    const char *message;
    const char *updated_at;
    struct jl_raw observed;
};

enum {
    JL_CONTROL_BACKEND,
    JL_CONTROL_RESULT,
    JL_CONTROL_MESSAGE,
    JL_CONTROL_UPDATED_AT,
    JL_CONTROL_OBSERVED,
};

struct jl_control_status {
    uint64_t has;
    struct jl_control_part cpu;
    struct jl_control_part gpu;
};

enum { JL_CONTROL_STATUS_CPU, JL_CONTROL_STATUS_GPU };

struct jl_twin_status {
    uint64_t has;
    enum joulie_node_class schedulable_class;
    struct jl_power_measurement power;
    double power_headroom_score;
    double cooling_stress_score;
    double psu_stress_score;
    struct jl_effective_caps effective_caps;
    double hardware_density_score;
    double estimated_pue;
    struct jl_list reschedule; /* struct jl_reschedule_advice */
    struct jl_slicing_advice slicing;
    struct jl_control_status control;
    const char *last_updated; /* RFC 3339 */
};

enum {
    JL_TWIN_STATUS_CLASS,
    JL_TWIN_STATUS_POWER,
    JL_TWIN_STATUS_HEADROOM,
    JL_TWIN_STATUS_COOLING,
    JL_TWIN_STATUS_PSU,
    JL_TWIN_STATUS_EFFECTIVE_CAPS,
    JL_TWIN_STATUS_DENSITY,
    JL_TWIN_STATUS_PUE,
    JL_TWIN_STATUS_RESCHEDULE,
    JL_TWIN_STATUS_SLICING,
    JL_TWIN_STATUS_CONTROL,
    JL_TWIN_STATUS_LAST_UPDATED,
};

struct jl_node_twin {
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_twin_spec spec;
    struct jl_twin_status status;
};

extern const struct jl_table jl_cpu_intent_table;
extern const struct jl_table jl_gpu_intent_table;
extern const struct jl_table jl_twin_spec_table;
extern const struct jl_table jl_workload_ref_table;
extern const struct jl_table jl_power_measurement_table;
extern const struct jl_table jl_effective_caps_table;
extern const struct jl_table jl_reschedule_advice_table;
extern const struct jl_table jl_slicing_advice_table;
extern const struct jl_table jl_control_status_table;
extern const struct jl_table jl_twin_status_table;
extern const struct jl_table jl_node_twin_table;
