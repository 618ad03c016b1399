/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_cluster_scoring(): placement term by term, as the extender's /debug/scoring shows it. */

#include <string.h>

#include "base/error.h"
#include "cluster/call.h"
#include "cluster/candidates.h"
#include "cluster/state.h"
#include "place/terms.h"
#include "schema/encode.h"

/* ---- the answer ---- */

struct coefficients { /* keys are those of the source */
    uint64_t has;
    double cpu_util;
    double gpu_util_standard;
    double gpu_util_performance;
};

enum { COEFF_CPU, COEFF_GPU_STANDARD, COEFF_GPU_PERFORMANCE };

static const struct jl_row coefficient_rows[] = {
    [COEFF_CPU] = JL_NUMBER(coefficients, cpu_util, "CPUUtilCoeff"),
    [COEFF_GPU_STANDARD] = JL_NUMBER(coefficients, gpu_util_standard, "GPUUtilCoeffStandard"),
    [COEFF_GPU_PERFORMANCE] =
        JL_NUMBER(coefficients, gpu_util_performance, "GPUUtilCoeffPerformance"),
};
static const struct jl_table coefficients_table = JL_TABLE(coefficients, coefficient_rows);

struct node {
    uint64_t has;
    const char *name;
    enum joulie_node_class class_;
    double headroom;
    double cooling;
    double measured_w;
    double capped_w;
    double tdp_w;
    double trend_w_per_min;
    double base_score;
    double cpu_cores;
    double cpu_max_w;
    double gpu_count;
    double gpu_max_w;
    bool has_gpu;
    bool is_stale;
    /* with a pod */
    const char *rejected;
    int64_t score;
    int64_t wire;
    double raw;
    double projected_headroom;
    struct jl_score_terms terms;
    enum joulie_basis basis;
};

enum {
    NODE_NAME,
    NODE_CLASS,
    NODE_HEADROOM,
    NODE_COOLING,
    NODE_MEASURED,
    NODE_CAPPED,
    NODE_TDP,
    NODE_TREND,
    NODE_BASE_SCORE,
    NODE_CPU_CORES,
    NODE_CPU_MAX,
    NODE_GPU_COUNT,
    NODE_GPU_MAX,
    NODE_HAS_GPU,
    NODE_STALE,
    NODE_REJECTED,
    NODE_SCORE,
    NODE_WIRE,
    NODE_RAW,
    NODE_PROJECTED,
    NODE_TERMS,
    NODE_BASIS,
};

static const struct jl_row node_rows[] = {
    [NODE_NAME] = JL_STRING(node, name, "nodeName"),
    [NODE_CLASS] = JL_ENUM(node, class_, "schedulableClass", &jl_node_class_words),
    [NODE_HEADROOM] = JL_NUMBER(node, headroom, "headroom"),
    [NODE_COOLING] = JL_NUMBER(node, cooling, "coolingStress"),
    [NODE_MEASURED] = JL_NUMBER(node, measured_w, "measuredPowerW"),
    [NODE_CAPPED] = JL_NUMBER(node, capped_w, "cappedPowerW"),
    [NODE_TDP] = JL_NUMBER(node, tdp_w, "nodeTdpW"),
    [NODE_TREND] = JL_NUMBER(node, trend_w_per_min, "powerTrendWPerMin"),
    [NODE_BASE_SCORE] = JL_NUMBER(node, base_score, "baseScore"),
    [NODE_CPU_CORES] = JL_NUMBER(node, cpu_cores, "cpuTotalCores"),
    [NODE_CPU_MAX] = JL_NUMBER(node, cpu_max_w, "cpuMaxWattsTotal"),
    [NODE_GPU_COUNT] = JL_NUMBER(node, gpu_count, "gpuCount"),
    [NODE_GPU_MAX] = JL_NUMBER(node, gpu_max_w, "gpuMaxWattsPerGPU"),
    [NODE_HAS_GPU] = JL_BOOLEAN(node, has_gpu, "hasGpu"),
    [NODE_STALE] = JL_BOOLEAN(node, is_stale, "stale"),
    [NODE_REJECTED] = JL_STRING(node, rejected, "rejected"),
    [NODE_SCORE] = JL_INTEGER(node, score, "score"),
    [NODE_WIRE] = JL_INTEGER(node, wire, "wire"),
    [NODE_RAW] = JL_NUMBER(node, raw, "raw"),
    [NODE_PROJECTED] = JL_NUMBER(node, projected_headroom, "projectedHeadroom"),
    [NODE_TERMS] = JL_OBJECT(node, terms, "terms", &jl_score_terms_table),
    [NODE_BASIS] = JL_ENUM(node, basis, "basis", &jl_place_basis_words),
};
static const struct jl_table node_table = JL_TABLE(node, node_rows);

struct scoring {
    uint64_t has;
    struct coefficients coefficients;
    enum joulie_place_rules rules;
    enum joulie_workload_class workload_class;
    double perf_pressure;
    double trend_w_per_min;
    struct jl_list nodes; /* struct node */
};

enum {
    SCORING_COEFFICIENTS,
    SCORING_RULES,
    SCORING_CLASS,
    SCORING_PRESSURE,
    SCORING_TREND,
    SCORING_NODES,
};

static const struct jl_row scoring_rows[] = {
    [SCORING_COEFFICIENTS] = JL_OBJECT(scoring, coefficients, "coefficients", &coefficients_table),
    [SCORING_RULES] = JL_ENUM(scoring, rules, "scoringProfile", &jl_place_rules_words),
    [SCORING_CLASS] = JL_ENUM(scoring, workload_class, "workloadClass", &jl_pod_class_words),
    [SCORING_PRESSURE] = JL_NUMBER(scoring, perf_pressure, "perfPressure"),
    [SCORING_TREND] = JL_NUMBER(scoring, trend_w_per_min, "clusterTrendWPerMin"),
    [SCORING_NODES] = JL_LIST(scoring, nodes, "nodes", &node_table),
};
static const struct jl_table scoring_table = JL_TABLE(scoring, scoring_rows);

/* ---- one node ---- */

static void put_number(struct node *out, unsigned bit, double *member, bool is_known, double value)
{
    if (!is_known)
        return;
    *member = value;
    JL_MARK(out, bit);
}

static void put_twin(const struct jl_place_node *place, const struct jl_node_twin *twin,
                     struct node *out)
{
    if (place->class_ != JOULIE_NODE_CLASS_UNKNOWN)
        JL_PUT(out, NODE_CLASS, class_, place->class_);
    put_number(out, NODE_HEADROOM, &out->headroom, JL_HAS(place, JL_PLACE_HEADROOM),
               place->headroom);
    put_number(out, NODE_COOLING, &out->cooling, JL_HAS(place, JL_PLACE_COOLING), place->cooling);
    put_number(out, NODE_MEASURED, &out->measured_w, JL_HAS(place, JL_PLACE_MEASURED),
               place->measured_w);
    put_number(out, NODE_CAPPED, &out->capped_w, JL_HAS(place, JL_PLACE_CAPPED), place->capped_w);
    put_number(out, NODE_TREND, &out->trend_w_per_min, JL_HAS(place, JL_PLACE_TREND),
               place->trend_w_per_min);
    if (twin != NULL)
        put_number(out, NODE_TDP, &out->tdp_w, twin->status.power.given.node_tdp_w,
                   twin->status.power.node_tdp_w);
}

static void put_hardware(const struct jl_place_node *place, struct node *out)
{
    put_number(out, NODE_CPU_CORES, &out->cpu_cores, place->cpu_cores > 0, place->cpu_cores);
    put_number(out, NODE_CPU_MAX, &out->cpu_max_w, place->cpu_max_w > 0, place->cpu_max_w);
    put_number(out, NODE_GPU_COUNT, &out->gpu_count, JL_HAS(place, JL_PLACE_HARDWARE),
               place->gpu_count);
    put_number(out, NODE_GPU_MAX, &out->gpu_max_w, place->gpu_max_w > 0, place->gpu_max_w);
    JL_PUT(out, NODE_HAS_GPU, has_gpu, place->has_gpu);
}

/* The formula without measurement, trend and pod. */
static void put_base_score(const struct joulie_place_config *config,
                           const struct jl_place_node *place, struct node *out)
{
    const struct jl_score_context nobody = { .pod_class = JOULIE_WORKLOAD_OTHER };
    struct jl_place_node plain = *place;
    struct jl_place_score score;
    if (!JL_HAS(place, JL_PLACE_HEADROOM))
        return;
    plain.capped_w = 0;
    plain.trend_w_per_min = 0;
    if (config->rules == JOULIE_PLACE_RULES_V0_1_0)
        jl_place_legacy_formula(&nobody, &plain, &score);
    else
        jl_place_formula(config, &nobody, &plain, &score);
    JL_PUT(out, NODE_BASE_SCORE, base_score, score.raw);
}

static void put_score(const struct joulie_place_config *config,
                      const struct jl_candidate *candidate, const struct jl_place_score *score,
                      struct node *out)
{
    const char *rejected = joulie_place_reject_text(candidate->reject);
    if (rejected != NULL)
        JL_PUT(out, NODE_REJECTED, rejected, rejected);
    JL_PUT(out, NODE_SCORE, score, candidate->score);
    JL_PUT(out, NODE_BASIS, basis, score->basis);
    if (score->basis != JOULIE_BASIS_FRESH)
        return;
    JL_PUT(out, NODE_RAW, raw, score->raw);
    JL_PUT(out, NODE_PROJECTED, projected_headroom, score->projected_headroom);
    JL_MARK(out, NODE_TERMS);
    jl_score_terms_of(score, config->rules, &out->terms);
}

/* ---- all of them ---- */

struct work {
    struct joulie_cluster *cluster;
    struct jl_arena arena;
    int64_t now_ms;
    const struct joulie_work *pod; /* NULL = none was given */
    struct joulie_work view;       /* where it stands */
    struct jl_candidate *candidates;
    struct node *nodes;
    struct scoring scoring;
    struct jl_wire_scale scale;
};

static void put_node(struct work *work, const struct jl_place_aggregate *aggregate, size_t i)
{
    const struct joulie_place_config *config = &work->cluster->place_config;
    const struct jl_place_node *place = &work->cluster->rows.nodes[i];
    const struct cluster_node *known = work->cluster->order.known[i];
    struct node *out = &work->nodes[i];
    struct jl_place_score score;
    struct jl_place_node room;
    JL_PUT(out, NODE_NAME, name, known->name);
    put_twin(place, jl_cluster_twin_of(known), out);
    put_hardware(place, out);
    put_base_score(config, place, out);
    JL_PUT(out, NODE_STALE, is_stale,
           jl_place_basis(config, place, work->now_ms) != JOULIE_BASIS_FRESH);
    if (work->pod == NULL)
        return;
    jl_place_score_node(config, aggregate, work->pod,
                        jl_cluster_loaded_row(work->cluster, place, &room), work->now_ms, &score);
    put_score(config, &work->candidates[i], &score, out);
    JL_PUT(out, NODE_WIRE, wire,
           jl_candidate_wire(work->cluster, &work->scale, &work->candidates[i], 10));
}

static void put_cluster(struct work *work, const struct jl_place_aggregate *aggregate)
{
    const struct joulie_place_config *config = &work->cluster->place_config;
    struct scoring *out = &work->scoring;
    struct coefficients *coefficients = &out->coefficients;
    JL_MARK(out, SCORING_COEFFICIENTS);
    JL_PUT(coefficients, COEFF_CPU, cpu_util, config->cpu_util_coeff);
    JL_PUT(coefficients, COEFF_GPU_STANDARD, gpu_util_standard, config->gpu_util_coeff_standard);
    JL_PUT(coefficients, COEFF_GPU_PERFORMANCE, gpu_util_performance,
           config->gpu_util_coeff_performance);
    JL_PUT(out, SCORING_RULES, rules, config->rules);
    if (work->pod != NULL)
        JL_PUT(out, SCORING_CLASS, workload_class, work->pod->workload_class);
    JL_PUT(out, SCORING_PRESSURE, perf_pressure, aggregate->perf_pressure);
    JL_PUT(out, SCORING_TREND, trend_w_per_min, aggregate->cluster_trend_w_per_min);
}

static int score_all(struct work *work, struct joulie_error *err)
{
    struct joulie_cluster *cluster = work->cluster;
    const size_t count = cluster->order.known_count;
    struct jl_place_aggregate aggregate;
    work->nodes = JL_NEW_ARRAY(&work->arena, count + 1, struct node);
    work->candidates = JL_NEW_ARRAY(&work->arena, count + 1, struct jl_candidate);
    if (work->nodes == NULL || work->candidates == NULL)
        return jl_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        work->candidates[i].node = &cluster->rows.nodes[i];
    if (work->pod != NULL)
        jl_cluster_score_candidates(cluster, work->pod, work->now_ms, work->candidates, count,
                                    &work->scale);
    jl_cluster_aggregate(cluster, work->now_ms, &aggregate);
    for (size_t i = 0; i < count; i++)
        put_node(work, &aggregate, i);
    put_cluster(work, &aggregate);
    JL_PUT(&work->scoring, SCORING_NODES, nodes, ((struct jl_list){ work->nodes, count }));
    return 0;
}

static int scoring(struct work *work, const char *pod, size_t len, struct jl_buffer *out,
                   struct joulie_error *err)
{
    JL_CLEANUP(jl_cluster_document_close) struct cluster_document document = { 0 };
    int rc = jl_cluster_check_now(work->now_ms, err);
    if (rc < 0)
        return rc;
    if (jl_cluster_refresh_order(work->cluster) < 0)
        return jl_fail_memory(err);
    if (pod != NULL) {
        rc = jl_cluster_document_open(&document, pod, len, JL_LENIENT, err);
        const struct jl_pod *object =
            rc == 0 ? jl_cluster_document_read(&document, &jl_pod_table, &rc) : NULL;
        if (object == NULL)
            return rc;
        jl_cluster_work_of_pod(work->cluster, object, work->now_ms, &work->view, NULL);
        work->pod = &work->view;
    }
    rc = score_all(work, err);
    if (rc == 0)
        jl_encode(out, &scoring_table, &work->scoring);
    return rc;
}

int joulie_cluster_scoring(struct joulie_cluster *cluster, const char *pod, size_t len,
                           int64_t now_ms, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct work work = { .cluster = cluster, .now_ms = now_ms };
    int rc = scoring(&work, pod, len, &buffer, &full);
    jl_arena_clear(&work.arena);
    if (rc == 0)
        rc = jl_cluster_take_text(&buffer, json, &full);
    return jl_cluster_return(rc, &full, err);
}
