/* SPDX-License-Identifier: Apache-2.0 */

/*
 * score.node, score.penalty, score.spread, score.wire and score.profile: parts of the placement
 * score (docs/rules/placement.md).
 */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "place/place.h"
#include "place/profile.h"
#include "place/row_rules.h"

/* score.node, score.penalty, score.spread, score.wire: parts of the placement score
 * (docs/rules/placement.md#legacy-score). */

/* score.node */

#define RECORD score_node_in
#define MEMBERS                                                                                    \
    ENUM(pod_class, "podClass", joulie_workload_class, jl_pod_class_words, "Class of the pod.",    \
         REQUIRED)                                                                                 \
    ENUM(node_class, "nodeClass", joulie_node_class, jl_node_class_words,                          \
         "Schedulable class of the node.")                                                         \
    NUMBER(headroom, "predictedHeadroom", "Power headroom that the twin predicts, score.")         \
    NUMBER(cooling, "coolingStress", "Cooling stress, score.")                                     \
    NUMBER(psu, "psuStress", "PSU stress, score.")                                                 \
    NUMBER(capped_w, "nodeCappedPowerW", "Power that the caps allow, W.")                          \
    NUMBER(measured_w, "measuredNodePowerW", "Measured power, W.")                                 \
    NUMBER(marginal_w, "marginalW", "Power that the pod adds, W.")                                 \
    NUMBER(trend_w_per_min, "powerTrendWPerMin", "Trend of the node's power, W/min.")              \
    NUMBER(cluster_trend_w_per_min, "clusterTrendWPerMin", "Trend of the cluster's power, W/min.") \
    NUMBER(perf_pressure, "perfPressure", "Pressure on performance nodes, points.")                \
    NUMBER(mean_psu, "meanPsuStress", "Mean PSU stress of the nodes, score.")                      \
    NUMBER(marginal_penalty, "marginalPenalty", "Points lost to marginal watts (legacy).")         \
    NUMBER(idle_gpu_penalty, "idleGpuPenalty", "Points lost to idle GPUs (legacy).")               \
    BOOLEAN(is_evicted, "evicted", "The pod's owner was evicted from this class (legacy).")
#include "schema/record.h"

#define RECORD score_node_out
#define MEMBERS                                                        \
    NUMBER(headroom, "headroom", "Headroom with the pod on the node.") \
    NUMBER(trend, "trend", "Contribution of the trend.")               \
    NUMBER(raw, "raw", "Sum before clamping.")                         \
    INTEGER(score, "score", "Clamped to 0…100 and truncated.")
#include "schema/record.h"

static enum joulie_place_rules rules_of(const struct jl_ask *ask)
{
    if (jl_is_model(ask, "legacy"))
        return JOULIE_PLACE_RULES_V0_1_0;
    return jl_is_model(ask, "v0.1.1") ? JOULIE_PLACE_RULES_V0_1_1 : JOULIE_PLACE_RULES_CURRENT;
}

static struct jl_place_node node_of(const struct score_node_in *input)
{
    static const unsigned bits[][2] = {
        { JL_INDEX(score_node_in, node_class), JL_PLACE_CLASS },
        { JL_INDEX(score_node_in, headroom), JL_PLACE_HEADROOM },
        { JL_INDEX(score_node_in, cooling), JL_PLACE_COOLING },
        { JL_INDEX(score_node_in, psu), JL_PLACE_PSU },
        { JL_INDEX(score_node_in, capped_w), JL_PLACE_CAPPED },
        { JL_INDEX(score_node_in, measured_w), JL_PLACE_MEASURED },
        { JL_INDEX(score_node_in, trend_w_per_min), JL_PLACE_TREND },
    };
    struct jl_place_node node = {
        .class_ = input->node_class,
        .headroom = input->headroom,
        .cooling = input->cooling,
        .psu = input->psu,
        .capped_w = input->capped_w,
        .measured_w = input->measured_w,
        .trend_w_per_min = input->trend_w_per_min,
    };
    for (size_t i = 0; i < JL_COUNT(bits); i++) {
        if (JL_HAS(input, bits[i][0]))
            JL_MARK(&node, bits[i][1]);
    }
    return node;
}

static int answer_score_node(struct jl_ask *ask, const struct score_node_in *input,
                             struct score_node_out *result)
{
    const struct jl_place_node node = node_of(input);
    const struct jl_score_context context = {
        .pod_class = input->pod_class,
        .marginal_w = input->marginal_w,
        .marginal_penalty = input->marginal_penalty,
        .idle_gpu_penalty = input->idle_gpu_penalty,
        .is_evicted = input->is_evicted,
        .cluster = { input->perf_pressure, input->cluster_trend_w_per_min, input->mean_psu,
                     input->given.mean_psu },
    };
    struct joulie_place_config config;
    struct jl_place_score score;
    double headroom = 0;
    jl_place_config_init(&config, rules_of(ask));
    if (!jl_place_projected_headroom(&config, &node, context.marginal_w, &headroom)) {
        JL_SET(result, score, jl_place_unknown_score(&config, false, 0));
        return 0;
    }
    if (config.rules == JOULIE_PLACE_RULES_V0_1_0)
        jl_place_legacy_formula(&context, &node, &score);
    else
        jl_place_formula(&config, &context, &node, &score);
    JL_SET(result, headroom, score.projected_headroom);
    JL_SET(result, trend, score.terms.trend);
    JL_SET(result, raw, score.raw);
    JL_SET(result, score, score.score);
    return 0;
}

JL_QUESTION(score_node, "score.node", "Score one node from the numbers of its twin",
            JL_MODELS("current", "v0.1.1", "legacy"));

/* score.penalty */

#define RECORD score_penalty_in
#define MEMBERS                                                              \
    NUMBER(marginal_w, "marginalW", "Power that the pod adds, W.", REQUIRED) \
    INTEGER(pod_gpus, "podGpuCount", "GPUs that the pod asks for.")          \
    INTEGER(node_gpus, "nodeGpuCount", "GPUs of the node.")                  \
    NUMBER(pue, "estimatedPUE", "Power usage effectiveness; above 1 it raises the watts.")
#include "schema/record.h"

#define RECORD score_penalty_out
#define MEMBERS                                               \
    NUMBER(power, "power", "Points for power.")               \
    NUMBER(cooling, "cooling", "Points for cooling stress.")  \
    NUMBER(psu, "psu", "Points for PSU stress.")              \
    NUMBER(idle_gpu, "idleGpu", "Points for GPUs left idle.") \
    NUMBER(total, "total", "Sum of the points.")
#include "schema/record.h"

static int answer_score_penalty(struct jl_ask *ask, const struct score_penalty_in *input,
                                struct score_penalty_out *result)
{
    struct jl_legacy_penalty penalty;
    (void)ask;
    jl_row_legacy_penalty(input->marginal_w, (double)input->pod_gpus, (double)input->node_gpus,
                          input->pue, &penalty);
    JL_SET(result, power, penalty.power);
    JL_SET(result, cooling, penalty.cooling);
    JL_SET(result, psu, penalty.psu);
    JL_SET(result, idle_gpu, penalty.idle_gpu);
    JL_SET(result, total, penalty.total);
    return 0;
}

JL_QUESTION(score_penalty, "score.penalty",
            "Points that the v0.1.0 score takes off for a pod's watts", JL_MODELS("legacy"));

/* score.spread */

#define RECORD spread_node
#define MEMBERS                                                   \
    NUMBER(raw, "raw", "Unclamped score; absent = unknown node.") \
    INTEGER(score, "score", "Score, 0…100.")
#include "schema/record.h"

#define RECORD score_spread_in
#define MEMBERS LIST(nodes, "nodes", spread_node, "Nodes of one request.", REQUIRED)
#include "schema/record.h"

#define RECORD score_spread_out
#define MEMBERS   \
    /* numbers */ \
    NUMBERS(wire, "wire", "0…10 per node, in order.")
#include "schema/record.h"

static int answer_score_spread(struct jl_ask *ask, const struct score_spread_in *input,
                               struct score_spread_out *result)
{
    const size_t count = input->nodes.count;
    struct jl_wire_node *nodes = JL_NEW_ARRAY(ask->arena, count + 1, struct jl_wire_node);
    int *wire = JL_NEW_ARRAY(ask->arena, count + 1, int);
    double *numbers = JL_NEW_LIST(ask, result, wire, count, double);
    if (nodes == NULL || wire == NULL || numbers == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct spread_node *node = JL_ITEM(input->nodes, spread_node, i);
        nodes[i].has_raw = node->given.raw;
        nodes[i].raw = node->raw;
        nodes[i].score = (double)node->score;
    }
    jl_wire_spread(nodes, count, wire);
    for (size_t i = 0; i < count; i++)
        numbers[i] = wire[i];
    return 0;
}

JL_QUESTION(score_spread, "score.spread", "Spread the scores of one request over 0…10 by rank");

/* score.wire */

#define POINTS_PER_WIRE 10 /* kube-scheduler: MaxNodeScore / MaxExtenderPriority */

#define RECORD score_wire_in
#define MEMBERS                                       \
    NUMBER(score, "score", "Score, 0…100.", REQUIRED) \
    INTEGER(weight, "weight", "Weight of the extender in kube-scheduler's settings.")
#include "schema/record.h"

#define RECORD score_wire_out
#define MEMBERS                                              \
    INTEGER(wire, "wire", "What is sent to kube-scheduler.") \
    INTEGER(contribution, "contribution", "What kube-scheduler adds to the node's score.")
#include "schema/record.h"

static int answer_score_wire(struct jl_ask *ask, const struct score_wire_in *input,
                             struct score_wire_out *result)
{
    const int wire = jl_wire_score(input->score, (int)ask->options.score_range);
    JL_SET(result, wire, wire);
    if (!input->given.weight)
        return 0;
    if (__builtin_mul_overflow((int64_t)wire * POINTS_PER_WIRE, input->weight,
                               &result->contribution))
        return jl_ask_fail(ask, JOULIE_E_RANGE, "weight", "the contribution does not fit 64 bits");
    result->given.contribution = true;
    return 0;
}

JL_QUESTION(score_wire, "score.wire", "Put a score on the scale that kube-scheduler gets");

/*
 * score.profile: a scoring profile with everything that it leaves out
 * (docs/rules/placement.md#scoring-profile).
 */

static int answer_score_profile(struct jl_ask *ask, const struct jl_scoring_profile *profile,
                                struct jl_scoring_profile *out)
{
    struct joulie_place_config config;
    if (!jl_scoring_profile_is_known(profile))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "version", "%s", jl_scoring_profile_unknown);
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    jl_scoring_profile_apply(profile, &config);
    jl_scoring_profile_of(&config, out);
    return 0;
}

JL_QUESTION_OF(score_profile, jl_scoring_profile, jl_scoring_profile, "score.profile",
               "Check a scoring profile and fill in what it leaves out");
