/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What kind of work a pod does, from its annotations and its metrics
 * (docs/rules/classification.md). Two rule sets: v0.1.0 is the source's code, current ours. Pure:
 * no clock, no query, equal inputs give equal texts.
 */

#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/workload_profile.h"

enum jl_classify_rules { JL_CLASSIFY_CURRENT, JL_CLASSIFY_V0_1_0 };

#define JL_CLASSIFY_MIN_CONFIDENCE 0.5 /* CLASSIFY_MIN_CONFIDENCE */
#define JL_CLASSIFY_HYSTERESIS_PCT 5.0 /* points of utilisation */
#define JL_CLASSIFY_WINDOW_S 600.0     /* CLASSIFY_METRICS_WINDOW */

/* One window of measurements. Percentages win over the raw series beside them; what has no bit was
 * not measured. */
struct jl_classify_metrics {
    uint64_t has;
    double cpu_util_pct;
    double gpu_util_pct;
    double mem_pressure_pct; /* working set of its limit, host memory */
    double gpu_mem_util_pct;
    double cpu_energy_j;
    double dram_energy_j;
    double gpu_energy_j;
    bool kepler_used; /* absent = any energy or Kepler member is given; false = energies are not
                         used */
    double window_s;
    double coverage_frac; /* part of the window that has samples */
    double usage_cores;
    double request_cores;
    double limit_cores;
    double node_cores;
    double working_set_bytes;
    double limit_bytes;
    double kepler_package_w;
    double kepler_dram_w;
    double kepler_gpu_w;
    double gpu_max_w; /* of one GPU */
    double gpu_count;
    double cpu_bound_ratio; /* the last three bypass their derivation */
    double mem_bound_ratio;
    bool gpu_dominant;
};

enum {
    JL_METRIC_CPU_UTIL,
    JL_METRIC_GPU_UTIL,
    JL_METRIC_MEM_PRESSURE,
    JL_METRIC_GPU_MEM_UTIL,
    JL_METRIC_CPU_ENERGY,
    JL_METRIC_DRAM_ENERGY,
    JL_METRIC_GPU_ENERGY,
    JL_METRIC_KEPLER_USED,
    JL_METRIC_WINDOW,
    JL_METRIC_COVERAGE,
    JL_METRIC_USAGE_CORES,
    JL_METRIC_REQUEST_CORES,
    JL_METRIC_LIMIT_CORES,
    JL_METRIC_NODE_CORES,
    JL_METRIC_WORKING_SET,
    JL_METRIC_LIMIT_BYTES,
    JL_METRIC_KEPLER_PACKAGE,
    JL_METRIC_KEPLER_DRAM,
    JL_METRIC_KEPLER_GPU,
    JL_METRIC_GPU_MAX,
    JL_METRIC_GPU_COUNT,
    JL_METRIC_CPU_BOUND_RATIO,
    JL_METRIC_MEM_BOUND_RATIO,
    JL_METRIC_GPU_DOMINANT,
};

extern const struct jl_table jl_classify_metrics_table;

struct jl_classify_config {
    enum jl_classify_rules rules;
    bool derive_class; /* from measurements; v0.1.0 does when sim_annotation_fallback is on */
    bool sim_annotation_fallback; /* simulator annotations stand in for measurements */
    double min_confidence;
    double hysteresis_pct; /* points; 0 = off */
};

void jl_classify_config_init(struct jl_classify_config *config); /* the defaults */

struct jl_classify_input {
    struct jl_classify_config config;
    const struct jl_map *annotations;          /* of the pod; NULL = none */
    const struct jl_classify_metrics *metrics; /* NULL = none */
    const struct jl_profile_status *previous;  /* NULL = none; read by hysteresis */
    bool has_now;
    int64_t now_ms; /* becomes lastUpdated */
};

/* Annotations that are present, but not a word of their list. */
enum jl_ignored_annotation {
    JL_IGNORED_CLASS = 1 << 0,
    JL_IGNORED_RESCHEDULABLE = 1 << 1,
    JL_IGNORED_CPU_SENSITIVITY = 1 << 2,
    JL_IGNORED_GPU_SENSITIVITY = 1 << 3,
};

/* Texts live in the arena of the call or are constant. */
struct jl_classification {
    struct jl_profile_status status;
    const char *class_text; /* criticality.class as text: v0.1.0 copies any annotation, also what
                               the enum lacks */
    const char *summary;
    bool is_reliable;   /* confidence >= min_confidence */
    bool is_hints_only; /* no metrics, or all of them 0 */
    uint32_t ignored; /* enum jl_ignored_annotation, for the caller's counter; always 0 in v0.1.0 */
};

/*
 * 0; JOULIE_E_RANGE when a number is not finite, negative (current) or too large to print, with its
 * place below "metrics" or "config"; JOULIE_E_NOMEM or JOULIE_E_LIMIT of the arena. out is
 * untouched on failure.
 */
int jl_classify(const struct jl_classify_input *in, struct jl_arena *arena,
                struct jl_classification *out, struct joulie_error *err);

/* False when a hints-only result would replace a usable stored profile; stored NULL = there is
 * none. */
bool jl_classify_replaces(const struct jl_workload_profile *stored,
                          const struct jl_classification *fresh, int64_t now_ms);
