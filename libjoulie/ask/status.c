/* SPDX-License-Identifier: Apache-2.0 */

/* status: a cluster at one look (docs/rules/questions.md#status). */

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "cluster/overview.h"

#define MS_PER_S 1000
#define LONGEST_MS 1e15

#define RECORD status_in
#define MEMBERS                                                                                \
    LIST(nodes, "nodes", jl_node, "Nodes.")                                                    \
    LIST(twins, "twins", jl_node_twin, "NodeTwins; each is a row of the answer.", REQUIRED)    \
    LIST(pods, "pods", jl_pod, "Pods.")                                                        \
    NUMBER(staleness_s, "stalenessS", "Age at which a twin is no longer fresh, s (300).",      \
           NOT_NEGATIVE)                                                                       \
    NUMBER(max_age_s, "maxAgeS", "The same while the operator beats, s (3600).", NOT_NEGATIVE) \
    TIME(heartbeat_ms, "heartbeat", "Last heartbeat of the operator.")                         \
    TIME(now_ms, "now", "Instant of the look; without it there are no ages.")
#include "schema/record.h"

static const struct jl_row node_rows[] = {
    [JL_OVERVIEW_NAME] =
        JL_STRING(jl_overview_node, node_name, "nodeName", .doc = "Name of the node."),
    [JL_OVERVIEW_CLASS] = JL_ENUM(jl_overview_node, schedulable_class, "class",
                                  &jl_node_class_words, .doc = "What may be placed there."),
    [JL_OVERVIEW_PROFILE] = JL_ENUM(jl_overview_node, profile, "profile", &jl_profile_words,
                                    .doc = "Profile that the operator wants."),
    [JL_OVERVIEW_DRAINING] =
        JL_BOOLEAN(jl_overview_node, is_draining, "draining", .doc = "Whether it is emptied."),
    [JL_OVERVIEW_HEADROOM] = JL_NUMBER(jl_overview_node, headroom_score, "headroomScore",
                                       .doc = "Power headroom, 0 to 100."),
    [JL_OVERVIEW_COOLING] = JL_NUMBER(jl_overview_node, cooling_stress_score, "coolingStressScore",
                                      .doc = "Cooling stress, 0 to 100."),
    [JL_OVERVIEW_PSU] = JL_NUMBER(jl_overview_node, psu_stress_score, "psuStressScore",
                                  .doc = "Stress of the power supply, 0 to 100."),
    [JL_OVERVIEW_CPU_REQUEST] = JL_NUMBER(jl_overview_node, cpu_request_pct, "cpuRequestPct",
                                          .doc = "CPU that the pods ask for, percent."),
    [JL_OVERVIEW_MEMORY_REQUEST] =
        JL_NUMBER(jl_overview_node, memory_request_pct, "memoryRequestPct",
                  .doc = "Memory that they ask for, percent."),
    [JL_OVERVIEW_GPU_REQUEST] = JL_NUMBER(jl_overview_node, gpu_request_pct, "gpuRequestPct",
                                          .doc = "GPUs that they ask for, percent."),
    [JL_OVERVIEW_PODS] = JL_INTEGER(jl_overview_node, pods, "pods",
                                    .doc = "Pods that are bound to it and not finished."),
    [JL_OVERVIEW_CPU_CAP] = JL_NUMBER(jl_overview_node, cpu_cap_pct, "cpuCapPct",
                                      .doc = "CPU cap in force, percent of the maximum."),
    [JL_OVERVIEW_GPU_CAP] = JL_NUMBER(jl_overview_node, gpu_cap_pct, "gpuCapPct",
                                      .doc = "GPU cap in force, percent of the maximum."),
    [JL_OVERVIEW_MEASURED] = JL_NUMBER(jl_overview_node, measured_node_power_w,
                                       "measuredNodePowerW", .doc = "Power of the node, W."),
    [JL_OVERVIEW_CAPPED] = JL_NUMBER(jl_overview_node, node_capped_power_w, "nodeCappedPowerW",
                                     .doc = "Power that its caps allow, W."),
    [JL_OVERVIEW_AGE] = JL_NUMBER(jl_overview_node, age_s, "ageS", .doc = "Age of the status, s."),
    [JL_OVERVIEW_STALE] = JL_BOOLEAN(jl_overview_node, is_stale, "stale",
                                     .doc = "Whether nobody stands behind it any more."),
};
static const struct jl_table jl_overview_node_table = JL_TABLE(jl_overview_node, node_rows);

static const struct jl_row summary_rows[] = {
    [JL_SUMMARY_NODES] = JL_INTEGER(jl_overview_summary, nodes, "nodes", .doc = "Rows."),
    [JL_SUMMARY_ECO] = JL_INTEGER(jl_overview_summary, eco, "eco", .doc = "Nodes."),
    [JL_SUMMARY_PERFORMANCE] =
        JL_INTEGER(jl_overview_summary, performance, "performance", .doc = "Nodes."),
    [JL_SUMMARY_DRAINING] = JL_INTEGER(jl_overview_summary, draining, "draining", .doc = "Nodes."),
    [JL_SUMMARY_UNKNOWN] = JL_INTEGER(jl_overview_summary, unknown, "unknown", .doc = "Nodes."),
    [JL_SUMMARY_STALE] = JL_INTEGER(jl_overview_summary, stale, "stale", .doc = "Nodes."),
    [JL_SUMMARY_AVG_COOLING] =
        JL_NUMBER(jl_overview_summary, avg_cooling_stress_score, "avgCoolingStressScore",
                  .doc = "Mean over the nodes that have the value."),
    [JL_SUMMARY_PEAK_COOLING] =
        JL_NUMBER(jl_overview_summary, peak_cooling_stress_score, "peakCoolingStressScore",
                  .doc = "The highest, when it is above 0."),
    [JL_SUMMARY_PEAK_NODE] = JL_STRING(jl_overview_summary, peak_cooling_node, "peakCoolingNode",
                                       .doc = "Where that is."),
    [JL_SUMMARY_AVG_PSU] = JL_NUMBER(jl_overview_summary, avg_psu_stress_score, "avgPsuStressScore",
                                     .doc = "Mean over the nodes that have the value."),
    [JL_SUMMARY_AVG_HEADROOM] =
        JL_NUMBER(jl_overview_summary, avg_power_headroom_score, "avgPowerHeadroomScore",
                  .doc = "Mean over the nodes that have the value."),
    [JL_SUMMARY_PODS] =
        JL_INTEGER(jl_overview_summary, running_pods, "runningPods", .doc = "Pods on the nodes."),
};
static const struct jl_table jl_overview_summary_table =
    JL_TABLE(jl_overview_summary, summary_rows);

#define RECORD status_out
#define MEMBERS                                                            \
    OBJECT(summary, "summary", jl_overview_summary, "The nodes together.") \
    LIST(nodes, "nodes", jl_overview_node, "The nodes, by name.")
#include "schema/record.h"

static int64_t ms_of(double seconds)
{
    return (int64_t)jl_min(jl_round_half_away(seconds * MS_PER_S), LONGEST_MS);
}

static int answer_status(struct jl_ask *ask, const struct status_in *input,
                         struct status_out *result)
{
    struct jl_overview overview;
    const struct jl_overview_input given = {
        .nodes = &input->nodes,
        .twins = &input->twins,
        .pods = &input->pods,
        .freshness = {
            .staleness_ms = input->given.staleness_s ? ms_of(input->staleness_s)
                                                        : JL_TWIN_STALENESS_MS,
            .max_age_ms = input->given.max_age_s ? ms_of(input->max_age_s)
                                                    : JL_TWIN_MAX_AGE_MS,
            .has_heartbeat = input->given.heartbeat_ms,
            .heartbeat_ms = input->heartbeat_ms,
        },
        .has_now = input->given.now_ms,
        .now_ms = input->now_ms,
    };
    if (jl_overview_make(&given, ask->arena, &overview) < 0)
        return jl_fail_memory(ask->err);
    JL_SET(result, summary, overview.summary);
    JL_SET(result, nodes, ((struct jl_list){ overview.nodes, overview.count }));
    return 0;
}

JL_QUESTION(status, "status",
            "a cluster at one look: class, scores, caps, load and age of every node");
