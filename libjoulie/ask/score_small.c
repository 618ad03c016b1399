/* SPDX-License-Identifier: Apache-2.0 */
/* score.node, score.penalty, score.spread, score.wire: parts of the placement score
 * (joulie-scheduler.md §6, §13). */
#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "place/place.h"

/* score.node */

struct node_in {
    uint64_t has;
    enum joulie_workload_class pod_class;
    enum joulie_node_class node_class;
    double headroom;
    double cooling;
    double psu;
    double capped_w;
    double measured_w;
    double marginal_w;
    double trend_w_per_min;
    double cluster_trend_w_per_min;
    double perf_pressure;
    double marginal_penalty;
    double idle_gpu_penalty;
    bool is_evicted;
};

enum {
    NODE_POD_CLASS,
    NODE_CLASS,
    NODE_HEADROOM,
    NODE_COOLING,
    NODE_PSU,
    NODE_CAPPED,
    NODE_MEASURED,
    NODE_MARGINAL,
    NODE_TREND,
    NODE_CLUSTER_TREND,
    NODE_PRESSURE,
    NODE_PENALTY,
    NODE_IDLE_GPU,
    NODE_EVICTED,
};

struct node_out {
    uint64_t has;
    double headroom;
    double trend;
    double raw;
    int64_t score;
};

enum { NODE_OUT_HEADROOM, NODE_OUT_TREND, NODE_OUT_RAW, NODE_OUT_SCORE };

static const struct jl_row node_in_rows[] = {
    [NODE_POD_CLASS] = JL_ENUM(node_in, pod_class, "podClass", &jl_pod_class_words,
                               .flags = JL_REQUIRED, .doc = "Class of the pod."),
    [NODE_CLASS] = JL_ENUM(node_in, node_class, "nodeClass", &jl_node_class_words,
                           .doc = "Schedulable class of the node."),
    [NODE_HEADROOM] = JL_NUMBER(node_in, headroom, "predictedHeadroom",
                                .doc = "Power headroom that the twin predicts, score."),
    [NODE_COOLING] = JL_NUMBER(node_in, cooling, "coolingStress", .doc = "Cooling stress, score."),
    [NODE_PSU] = JL_NUMBER(node_in, psu, "psuStress", .doc = "PSU stress, score (legacy)."),
    [NODE_CAPPED] =
        JL_NUMBER(node_in, capped_w, "nodeCappedPowerW", .doc = "Power that the caps allow, W."),
    [NODE_MEASURED] =
        JL_NUMBER(node_in, measured_w, "measuredNodePowerW", .doc = "Measured power, W."),
    [NODE_MARGINAL] =
        JL_NUMBER(node_in, marginal_w, "marginalW", .doc = "Power that the pod adds, W."),
    [NODE_TREND] = JL_NUMBER(node_in, trend_w_per_min, "powerTrendWPerMin",
                             .doc = "Trend of the node's power, W/min."),
    [NODE_CLUSTER_TREND] = JL_NUMBER(node_in, cluster_trend_w_per_min, "clusterTrendWPerMin",
                                     .doc = "Trend of the cluster's power, W/min."),
    [NODE_PRESSURE] = JL_NUMBER(node_in, perf_pressure, "perfPressure",
                                .doc = "Pressure on performance nodes, points."),
    [NODE_PENALTY] = JL_NUMBER(node_in, marginal_penalty, "marginalPenalty",
                               .doc = "Points lost to marginal watts (legacy)."),
    [NODE_IDLE_GPU] = JL_NUMBER(node_in, idle_gpu_penalty, "idleGpuPenalty",
                                .doc = "Points lost to idle GPUs (legacy)."),
    [NODE_EVICTED] = JL_BOOLEAN(node_in, is_evicted, "evicted",
                                .doc = "The pod's owner was evicted from this class (legacy)."),
};
static const struct jl_table node_in_table = JL_TABLE(node_in, node_in_rows);

static const struct jl_row node_out_rows[] = {
    [NODE_OUT_HEADROOM] =
        JL_NUMBER(node_out, headroom, "headroom", .doc = "Headroom with the pod on the node."),
    [NODE_OUT_TREND] = JL_NUMBER(node_out, trend, "trend", .doc = "Contribution of the trend."),
    [NODE_OUT_RAW] = JL_NUMBER(node_out, raw, "raw", .doc = "Sum before clamping."),
    [NODE_OUT_SCORE] =
        JL_INTEGER(node_out, score, "score", .doc = "Clamped to 0…100 and truncated."),
};
static const struct jl_table node_out_table = JL_TABLE(node_out, node_out_rows);

static enum joulie_place_rules rules_of(const struct jl_ask *ask)
{
    if (jl_is_model(ask, "legacy"))
        return JOULIE_PLACE_RULES_V0_1_0;
    return jl_is_model(ask, "v0.1.1") ? JOULIE_PLACE_RULES_V0_1_1 : JOULIE_PLACE_RULES_CURRENT;
}

static struct jl_place_node node_of(const struct node_in *input)
{
    static const unsigned bits[][2] = {
        { NODE_CLASS, JL_PLACE_CLASS },     { NODE_HEADROOM, JL_PLACE_HEADROOM },
        { NODE_COOLING, JL_PLACE_COOLING }, { NODE_PSU, JL_PLACE_PSU },
        { NODE_CAPPED, JL_PLACE_CAPPED },   { NODE_MEASURED, JL_PLACE_MEASURED },
        { NODE_TREND, JL_PLACE_TREND },
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

static int answer_node(struct jl_ask *ask, const void *in, void *out)
{
    const struct node_in *input = in;
    struct node_out *result = out;
    const struct jl_place_node node = node_of(input);
    const struct jl_score_context context = {
        .pod_class = input->pod_class,
        .marginal_w = input->marginal_w,
        .marginal_penalty = input->marginal_penalty,
        .idle_gpu_penalty = input->idle_gpu_penalty,
        .is_evicted = input->is_evicted,
        .cluster = { input->perf_pressure, input->cluster_trend_w_per_min },
    };
    struct jl_place_config config;
    struct jl_place_score score;
    double headroom = 0;
    jl_place_config_init(&config, rules_of(ask));
    if (!jl_place_projected_headroom(&config, &node, context.marginal_w, &headroom)) {
        JL_PUT(result, NODE_OUT_SCORE, score, jl_place_unknown_score(&config, false, 0));
        return 0;
    }
    if (config.rules == JOULIE_PLACE_RULES_V0_1_0)
        jl_place_legacy_formula(&context, &node, &score);
    else
        jl_place_formula(&config, &context, &node, &score);
    JL_PUT(result, NODE_OUT_HEADROOM, headroom, score.projected_headroom);
    JL_PUT(result, NODE_OUT_TREND, trend, score.terms.trend);
    JL_PUT(result, NODE_OUT_RAW, raw, score.raw);
    JL_PUT(result, NODE_OUT_SCORE, score, score.score);
    return 0;
}

static const char *const node_models[] = { "current", "v0.1.1", "legacy", NULL };

const struct jl_question jl_question_score_node = {
    .name = "score.node",
    .summary = "Score one node from the numbers of its twin",
    .in = &node_in_table,
    .out = &node_out_table,
    .models = node_models,
    .answer = answer_node,
};

/* score.penalty */

struct penalty_in {
    uint64_t has;
    double marginal_w;
    int64_t pod_gpus;
    int64_t node_gpus;
    double pue;
};

enum { PENALTY_MARGINAL, PENALTY_POD_GPUS, PENALTY_NODE_GPUS, PENALTY_PUE };

struct penalty_out {
    uint64_t has;
    double power;
    double cooling;
    double psu;
    double idle_gpu;
    double total;
};

enum {
    PENALTY_OUT_POWER,
    PENALTY_OUT_COOLING,
    PENALTY_OUT_PSU,
    PENALTY_OUT_IDLE_GPU,
    PENALTY_OUT_TOTAL,
};

static const struct jl_row penalty_in_rows[] = {
    [PENALTY_MARGINAL] = JL_NUMBER(penalty_in, marginal_w, "marginalW", .flags = JL_REQUIRED,
                                   .doc = "Power that the pod adds, W."),
    [PENALTY_POD_GPUS] =
        JL_INTEGER(penalty_in, pod_gpus, "podGpuCount", .doc = "GPUs that the pod asks for."),
    [PENALTY_NODE_GPUS] =
        JL_INTEGER(penalty_in, node_gpus, "nodeGpuCount", .doc = "GPUs of the node."),
    [PENALTY_PUE] = JL_NUMBER(penalty_in, pue, "estimatedPUE",
                              .doc = "Power usage effectiveness; above 1 it raises the watts."),
};
static const struct jl_table penalty_in_table = JL_TABLE(penalty_in, penalty_in_rows);

static const struct jl_row penalty_out_rows[] = {
    [PENALTY_OUT_POWER] = JL_NUMBER(penalty_out, power, "power", .doc = "Points for power."),
    [PENALTY_OUT_COOLING] =
        JL_NUMBER(penalty_out, cooling, "cooling", .doc = "Points for cooling stress."),
    [PENALTY_OUT_PSU] = JL_NUMBER(penalty_out, psu, "psu", .doc = "Points for PSU stress."),
    [PENALTY_OUT_IDLE_GPU] =
        JL_NUMBER(penalty_out, idle_gpu, "idleGpu", .doc = "Points for GPUs left idle."),
    [PENALTY_OUT_TOTAL] = JL_NUMBER(penalty_out, total, "total", .doc = "Sum of the points."),
};
static const struct jl_table penalty_out_table = JL_TABLE(penalty_out, penalty_out_rows);

static int answer_penalty(struct jl_ask *ask, const void *in, void *out)
{
    const struct penalty_in *input = in;
    struct penalty_out *result = out;
    struct jl_legacy_penalty penalty;
    (void)ask;
    jl_place_legacy_penalty(input->marginal_w, (double)input->pod_gpus, (double)input->node_gpus,
                            input->pue, &penalty);
    JL_PUT(result, PENALTY_OUT_POWER, power, penalty.power);
    JL_PUT(result, PENALTY_OUT_COOLING, cooling, penalty.cooling);
    JL_PUT(result, PENALTY_OUT_PSU, psu, penalty.psu);
    JL_PUT(result, PENALTY_OUT_IDLE_GPU, idle_gpu, penalty.idle_gpu);
    JL_PUT(result, PENALTY_OUT_TOTAL, total, penalty.total);
    return 0;
}

static const char *const penalty_models[] = { "legacy", NULL };

const struct jl_question jl_question_score_penalty = {
    .name = "score.penalty",
    .summary = "Points that the v0.1.0 score takes off for a pod's watts",
    .in = &penalty_in_table,
    .out = &penalty_out_table,
    .models = penalty_models,
    .answer = answer_penalty,
};

/* score.spread */

struct spread_node {
    uint64_t has;
    double raw;
    int64_t score;
};

enum { SPREAD_NODE_RAW, SPREAD_NODE_SCORE };

struct spread_in {
    uint64_t has;
    struct jl_list nodes; /* struct spread_node */
};

enum { SPREAD_NODES };

struct spread_out {
    uint64_t has;
    struct jl_list wire; /* numbers */
};

enum { SPREAD_OUT_WIRE };

static const struct jl_row spread_node_rows[] = {
    [SPREAD_NODE_RAW] =
        JL_NUMBER(spread_node, raw, "raw", .doc = "Unclamped score; absent = unknown node."),
    [SPREAD_NODE_SCORE] = JL_INTEGER(spread_node, score, "score", .doc = "Score, 0…100."),
};
static const struct jl_table spread_node_table = JL_TABLE(spread_node, spread_node_rows);

static const struct jl_row spread_in_rows[] = {
    [SPREAD_NODES] = JL_LIST(spread_in, nodes, "nodes", &spread_node_table, .flags = JL_REQUIRED,
                             .doc = "Nodes of one request."),
};
static const struct jl_table spread_in_table = JL_TABLE(spread_in, spread_in_rows);

static const struct jl_row spread_out_rows[] = {
    [SPREAD_OUT_WIRE] = JL_NUMBERS(spread_out, wire, "wire", .doc = "0…10 per node, in order."),
};
static const struct jl_table spread_out_table = JL_TABLE(spread_out, spread_out_rows);

static int answer_spread(struct jl_ask *ask, const void *in, void *out)
{
    const struct spread_in *input = in;
    struct spread_out *result = out;
    const size_t count = input->nodes.count;
    struct jl_wire_node *nodes = JL_NEW_ARRAY(ask->arena, count + 1, struct jl_wire_node);
    int *wire = JL_NEW_ARRAY(ask->arena, count + 1, int);
    double *numbers = JL_NEW_ARRAY(ask->arena, count + 1, double);
    if (nodes == NULL || wire == NULL || numbers == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const struct spread_node *node = JL_ITEM(input->nodes, spread_node, i);
        nodes[i].has_raw = JL_HAS(node, SPREAD_NODE_RAW);
        nodes[i].raw = node->raw;
        nodes[i].score = (double)node->score;
    }
    jl_wire_spread(nodes, count, wire);
    for (size_t i = 0; i < count; i++)
        numbers[i] = wire[i];
    JL_PUT(result, SPREAD_OUT_WIRE, wire, ((struct jl_list){ numbers, count }));
    return 0;
}

const struct jl_question jl_question_score_spread = {
    .name = "score.spread",
    .summary = "Spread the scores of one request over 0…10 by rank",
    .in = &spread_in_table,
    .out = &spread_out_table,
    .answer = answer_spread,
};

/* score.wire */

#define POINTS_PER_WIRE 10 /* kube-scheduler: MaxNodeScore / MaxExtenderPriority */

struct wire_in {
    uint64_t has;
    double score;
    int64_t weight;
};

enum { WIRE_SCORE, WIRE_WEIGHT };

struct wire_out {
    uint64_t has;
    int64_t wire;
    int64_t contribution;
};

enum { WIRE_OUT_WIRE, WIRE_OUT_CONTRIBUTION };

static const struct jl_row wire_in_rows[] = {
    [WIRE_SCORE] = JL_NUMBER(wire_in, score, "score", .flags = JL_REQUIRED, .doc = "Score, 0…100."),
    [WIRE_WEIGHT] = JL_INTEGER(wire_in, weight, "weight",
                               .doc = "Weight of the extender in kube-scheduler's settings."),
};
static const struct jl_table wire_in_table = JL_TABLE(wire_in, wire_in_rows);

static const struct jl_row wire_out_rows[] = {
    [WIRE_OUT_WIRE] = JL_INTEGER(wire_out, wire, "wire", .doc = "What is sent to kube-scheduler."),
    [WIRE_OUT_CONTRIBUTION] = JL_INTEGER(wire_out, contribution, "contribution",
                                         .doc = "What kube-scheduler adds to the node's score."),
};
static const struct jl_table wire_out_table = JL_TABLE(wire_out, wire_out_rows);

static int answer_wire(struct jl_ask *ask, const void *in, void *out)
{
    const struct wire_in *input = in;
    struct wire_out *result = out;
    const int wire = jl_wire_score(input->score, (int)ask->options.score_range);
    JL_PUT(result, WIRE_OUT_WIRE, wire, wire);
    if (!JL_HAS(input, WIRE_WEIGHT))
        return 0;
    if (__builtin_mul_overflow((int64_t)wire * POINTS_PER_WIRE, input->weight,
                               &result->contribution))
        return jl_ask_fail(ask, JOULIE_E_RANGE, "weight", "the contribution does not fit 64 bits");
    JL_MARK(result, WIRE_OUT_CONTRIBUTION);
    return 0;
}

const struct jl_question jl_question_score_wire = {
    .name = "score.wire",
    .summary = "Put a score on the scale that kube-scheduler gets",
    .in = &wire_in_table,
    .out = &wire_out_table,
    .answer = answer_wire,
};
