/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a person wants to know of a cluster at one look: every NodeTwin with its node and the pods
 * on it, and their sums. An absent value stays absent: it is
 * in no average.
 */

#include "cluster/agents.h"
#include "kinds/node.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "policy/power_off.h"

struct jl_overview_input {
    const struct jl_list *nodes;  /* struct jl_node */
    const struct jl_list *twins;  /* struct jl_node_twin */
    const struct jl_list *pods;   /* struct jl_pod; finished ones do not count */
    const struct jl_list *agents; /* struct jl_overview_agent; NULL = none is known */
    struct jl_agent_rule rule;    /* of the agents' pods */
    struct jl_freshness freshness;
    bool has_now; /* else ages are unknown, and nothing is called stale */
    int64_t now_ms;
};

#ifdef JL_OVERVIEW_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_overview_agent
#define MEMBERS                                                                                \
    STRING(node_name, "nodeName", "Node of the agent: holderIdentity of its Lease.", REQUIRED) \
    TIME(renewed_ms, "renewTime", "When the Lease was last renewed.", REQUIRED)                \
    INTEGER(duration_s, "leaseDurationSeconds", "For so long it counts, s.", REQUIRED, NOT_NEGATIVE)
#include "schema/shared_record.h"

#define RECORD jl_overview_node
#define MEMBERS                                                                                    \
    STRING(node_name, "nodeName", "Name of the node.")                                             \
    /* UNKNOWN: the twin says none, or one that we do not have */                                  \
    ENUM(schedulable_class, "class", joulie_node_class, jl_node_class_words,                       \
         "What may be placed there.")                                                              \
    ENUM(profile, "profile", joulie_profile, jl_profile_words, "Profile that the operator wants.") \
    BOOLEAN(is_draining, "draining", "Whether it is emptied.")                                     \
    /* at least 0 */                                                                               \
    NUMBER(headroom_score, "headroomScore", "Power headroom, 0 to 100.")                           \
    NUMBER(cooling_stress_score, "coolingStressScore", "Cooling stress, 0 to 100.")                \
    NUMBER(psu_stress_score, "psuStressScore", "Stress of the power supply, 0 to 100.")            \
    /* of what the node has to give */                                                             \
    NUMBER(cpu_request_pct, "cpuRequestPct", "CPU that the pods ask for, percent.")                \
    NUMBER(memory_request_pct, "memoryRequestPct", "Memory that they ask for, percent.")           \
    /* only where there are GPUs, as the cap */                                                    \
    NUMBER(gpu_request_pct, "gpuRequestPct", "GPUs that they ask for, percent.")                   \
    INTEGER(pods, "pods", "Pods that are bound to it and not finished.")                           \
    NUMBER(cpu_cap_pct, "cpuCapPct", "CPU cap in force, percent of the maximum.")                  \
    NUMBER(gpu_cap_pct, "gpuCapPct", "GPU cap in force, percent of the maximum.")                  \
    NUMBER(measured_node_power_w, "measuredNodePowerW", "Power of the node, W.")                   \
    NUMBER(node_capped_power_w, "nodeCappedPowerW", "Power that its caps allow, W.")               \
    /* of status.lastUpdated */                                                                    \
    NUMBER(age_s, "ageS", "Age of the status, s.")                                                 \
    /* of one that is not on nobody expects news */                                                \
    BOOLEAN(is_stale, "stale", "Whether nobody stands behind it any more.")                        \
    ENUM(power_state, "powerState", jl_power_state, jl_power_state_words,                          \
         "Where it stands between on and off; absent when it is on.")                              \
    /* by its Lease; then no cap of it is in force */                                              \
    BOOLEAN(is_silent, "agentSilent", "Whether the agent of the node is gone.")
#include "schema/shared_record.h"

#define RECORD jl_overview_summary
#define MEMBERS                                                                                   \
    INTEGER(nodes, "nodes", "Rows.")                                                              \
    INTEGER(eco, "eco", "Nodes.")                                                                 \
    INTEGER(performance, "performance", "Nodes.")                                                 \
    INTEGER(draining, "draining", "Nodes.")                                                       \
    INTEGER(unknown, "unknown", "Nodes.")                                                         \
    INTEGER(stale, "stale", "Nodes.")                                                             \
    INTEGER(silent, "agentSilent", "Nodes whose agent is gone.")                                  \
    NUMBER(avg_cooling_stress_score, "avgCoolingStressScore",                                     \
           "Mean over the nodes that have the value.")                                            \
    /* only above 0; the first by name of equals */                                               \
    NUMBER(peak_cooling_stress_score, "peakCoolingStressScore",                                   \
           "The highest, when it is above 0.")                                                    \
    STRING(peak_cooling_node, "peakCoolingNode", "Where that is.")                                \
    NUMBER(avg_psu_stress_score, "avgPsuStressScore", "Mean over the nodes that have the value.") \
    NUMBER(avg_power_headroom_score, "avgPowerHeadroomScore",                                     \
           "Mean over the nodes that have the value.")                                            \
    /* bound to one of the nodes and not finished */                                              \
    INTEGER(running_pods, "runningPods", "Pods on the nodes.")                                    \
    INTEGER(off, "off", "Nodes that are switched off, stop or boot; absent: none.")               \
    INTEGER(left_alone, "leftAlone",                                                              \
            "Nodes that are not switched any more, as that failed; absent: none.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

struct jl_overview {
    struct jl_overview_summary summary;
    struct jl_overview_node *nodes; /* by name */
    size_t count;
};

/* Texts are those of the input, arrays are in the arena. Two twins of one node: both have a row. 0
 * or JOULIE_E_NOMEM. */
int jl_overview_make(const struct jl_overview_input *input, struct jl_arena *arena,
                     struct jl_overview *out);
