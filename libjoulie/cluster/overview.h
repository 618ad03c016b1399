/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a person wants to know of a cluster at one look: every NodeTwin with its node and the pods
 * on it, and their sums. An absent value stays absent: it is
 * in no average.
 */

#include "kinds/freshness.h"
#include "kinds/node.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"

struct jl_overview_input {
    const struct jl_list *nodes; /* struct jl_node */
    const struct jl_list *twins; /* struct jl_node_twin */
    const struct jl_list *pods;  /* struct jl_pod; finished ones do not count */
    struct jl_freshness freshness;
    bool has_now; /* else ages are unknown, and nothing is called stale */
    int64_t now_ms;
};

struct jl_overview_node {
    uint64_t has;
    const char *node_name;
    enum joulie_node_class
        schedulable_class; /* UNKNOWN: the twin says none, or one that we do not have
                            */
    enum joulie_profile profile;
    bool is_draining;
    double headroom_score; /* at least 0 */
    double cooling_stress_score;
    double psu_stress_score;
    double cpu_request_pct; /* of what the node has to give */
    double memory_request_pct;
    double gpu_request_pct; /* only where there are GPUs, as the cap */
    int64_t pods;
    double cpu_cap_pct;
    double gpu_cap_pct;
    double measured_node_power_w;
    double node_capped_power_w;
    double age_s; /* of status.lastUpdated */
    bool is_stale;
};

enum {
    JL_OVERVIEW_NAME,
    JL_OVERVIEW_CLASS,
    JL_OVERVIEW_PROFILE,
    JL_OVERVIEW_DRAINING,
    JL_OVERVIEW_HEADROOM,
    JL_OVERVIEW_COOLING,
    JL_OVERVIEW_PSU,
    JL_OVERVIEW_CPU_REQUEST,
    JL_OVERVIEW_MEMORY_REQUEST,
    JL_OVERVIEW_GPU_REQUEST,
    JL_OVERVIEW_PODS,
    JL_OVERVIEW_CPU_CAP,
    JL_OVERVIEW_GPU_CAP,
    JL_OVERVIEW_MEASURED,
    JL_OVERVIEW_CAPPED,
    JL_OVERVIEW_AGE,
    JL_OVERVIEW_STALE,
};

struct jl_overview_summary {
    uint64_t has;
    int64_t nodes;
    int64_t eco;
    int64_t performance;
    int64_t draining;
    int64_t unknown;
    int64_t stale;
    double avg_cooling_stress_score;
    double peak_cooling_stress_score; /* only above 0; the first by name of equals */
    const char *peak_cooling_node;
    double avg_psu_stress_score;
    double avg_power_headroom_score;
    int64_t running_pods; /* bound to one of the nodes and not finished */
};

enum {
    JL_SUMMARY_NODES,
    JL_SUMMARY_ECO,
    JL_SUMMARY_PERFORMANCE,
    JL_SUMMARY_DRAINING,
    JL_SUMMARY_UNKNOWN,
    JL_SUMMARY_STALE,
    JL_SUMMARY_AVG_COOLING,
    JL_SUMMARY_PEAK_COOLING,
    JL_SUMMARY_PEAK_NODE,
    JL_SUMMARY_AVG_PSU,
    JL_SUMMARY_AVG_HEADROOM,
    JL_SUMMARY_PODS,
};

struct jl_overview {
    struct jl_overview_summary summary;
    struct jl_overview_node *nodes; /* by name */
    size_t count;
};

/* Texts are those of the input, arrays are in the arena. Two twins of one node: both have a row. 0
 * or JOULIE_E_NOMEM. */
int jl_overview_make(const struct jl_overview_input *input, struct jl_arena *arena,
                     struct jl_overview *out);
