/* SPDX-License-Identifier: Apache-2.0 */

/* status: a cluster at one look (cli.md §4, joulie-scheduler.md §12). */

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "cluster/overview.h"

#define MS_PER_S 1000
#define LONGEST_MS 1e15

struct status_in {
    uint64_t has;
    struct jl_list nodes; /* struct jl_node */
    struct jl_list twins; /* struct jl_node_twin */
    struct jl_list pods;  /* struct jl_pod */
    double staleness_s;
    double max_age_s;
    int64_t heartbeat_ms;
    int64_t now_ms;
};

enum { IN_NODES, IN_TWINS, IN_PODS, IN_STALENESS, IN_MAX_AGE, IN_HEARTBEAT, IN_NOW };

static const struct jl_row in_rows[] = {
    [IN_NODES] = JL_LIST(status_in, nodes, "nodes", &jl_node_table, .doc = "Nodes."),
    [IN_TWINS] = JL_LIST(status_in, twins, "twins", &jl_node_twin_table, .flags = JL_REQUIRED,
                         .doc = "NodeTwins; each is a row of the answer."),
    [IN_PODS] = JL_LIST(status_in, pods, "pods", &jl_pod_table, .doc = "Pods."),
    [IN_STALENESS] = JL_NUMBER(status_in, staleness_s, "stalenessS", .flags = JL_NOT_NEGATIVE,
                               .doc = "Age at which a twin is no longer fresh, s (300)."),
    [IN_MAX_AGE] = JL_NUMBER(status_in, max_age_s, "maxAgeS", .flags = JL_NOT_NEGATIVE,
                             .doc = "The same while the operator beats, s (3600)."),
    [IN_HEARTBEAT] =
        JL_TIME(status_in, heartbeat_ms, "heartbeat", .doc = "Last heartbeat of the operator."),
    [IN_NOW] = JL_TIME(status_in, now_ms, "now",
                       .doc = "Instant of the look; without it there are no ages."),
};
static const struct jl_table in_table = JL_TABLE(status_in, in_rows);

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
static const struct jl_table node_table = JL_TABLE(jl_overview_node, node_rows);

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
static const struct jl_table summary_table = JL_TABLE(jl_overview_summary, summary_rows);

struct status_out {
    uint64_t has;
    struct jl_overview_summary summary;
    struct jl_list nodes; /* struct jl_overview_node */
};

enum { OUT_SUMMARY, OUT_NODES };

static const struct jl_row out_rows[] = {
    [OUT_SUMMARY] =
        JL_OBJECT(status_out, summary, "summary", &summary_table, .doc = "The nodes together."),
    [OUT_NODES] = JL_LIST(status_out, nodes, "nodes", &node_table, .doc = "The nodes, by name."),
};
static const struct jl_table out_table = JL_TABLE(status_out, out_rows);

static int64_t ms_of(double seconds)
{
    return (int64_t)jl_min(jl_round_half_away(seconds * MS_PER_S), LONGEST_MS);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct status_in *input = in;
    struct status_out *result = out;
    struct jl_overview overview;
    const struct jl_overview_input given = {
        .nodes = &input->nodes,
        .twins = &input->twins,
        .pods = &input->pods,
        .freshness = {
            .staleness_ms = JL_HAS(input, IN_STALENESS) ? ms_of(input->staleness_s)
                                                        : JL_TWIN_STALENESS_MS,
            .max_age_ms = JL_HAS(input, IN_MAX_AGE) ? ms_of(input->max_age_s)
                                                    : JL_TWIN_MAX_AGE_MS,
            .has_heartbeat = JL_HAS(input, IN_HEARTBEAT),
            .heartbeat_ms = input->heartbeat_ms,
        },
        .has_now = JL_HAS(input, IN_NOW),
        .now_ms = input->now_ms,
    };
    if (jl_overview_make(&given, ask->arena, &overview) < 0)
        return jl_fail_memory(ask->err);
    JL_PUT(result, OUT_SUMMARY, summary, overview.summary);
    JL_PUT(result, OUT_NODES, nodes, ((struct jl_list){ overview.nodes, overview.count }));
    return 0;
}

const struct jl_question jl_question_status = {
    .name = "status",
    .summary = "a cluster at one look: class, scores, caps, load and age of every node",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
