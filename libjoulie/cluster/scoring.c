/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_cluster_scoring(): placement term by term, as the extender's /debug/scoring shows it. */

#include <string.h>

#include "base/error.h"
#include "cluster/call.h"
#include "cluster/candidates.h"
#include "cluster/state.h"
#include "place/terms.h"
#include "schema/document.h"
#include "schema/encode.h"

#define WIRE_RANGE 10 /* of kube-scheduler */

/* ---- the answer ---- */

/* keys are those of the source */
#define RECORD coefficients
#define MEMBERS                                                                                \
    NUMBER(cpu_util, "CPUUtilCoeff", "Part of a CPU's power that a busy pod adds.")            \
    NUMBER(gpu_util_standard, "GPUUtilCoeffStandard", "The same of a GPU, for standard pods.") \
    NUMBER(gpu_util_performance, "GPUUtilCoeffPerformance",                                    \
           "The same of a GPU, for performance pods.")
#include "schema/record.h"

#define RECORD node
#define MEMBERS                                                                           \
    STRING(name, "nodeName", "Name of the node.")                                         \
    ENUM(class_, "schedulableClass", joulie_node_class, jl_node_class_words,              \
         "What may be placed there.")                                                     \
    NUMBER(headroom, "headroom", "Power headroom that the twin predicts, score.")         \
    NUMBER(cooling, "coolingStress", "Cooling stress, score.")                            \
    NUMBER(psu, "psuStress", "PSU stress, score.")                                        \
    NUMBER(measured_w, "measuredPowerW", "Measured power, W.")                            \
    NUMBER(capped_w, "cappedPowerW", "Power that the caps allow, W.")                     \
    NUMBER(tdp_w, "nodeTdpW", "Design power, W.")                                         \
    NUMBER(trend_w_per_min, "powerTrendWPerMin", "Trend of its power, W/min.")            \
    NUMBER(base_score, "baseScore", "Score without a pod.")                               \
    NUMBER(cpu_cores, "cpuTotalCores", "Logical CPUs.")                                   \
    NUMBER(cpu_max_w, "cpuMaxWattsTotal", "Power of its CPUs at their maximum, W.")       \
    NUMBER(gpu_count, "gpuCount", "GPUs.")                                                \
    NUMBER(gpu_max_w, "gpuMaxWattsPerGPU", "Power of one GPU at its maximum, W.")         \
    BOOLEAN(has_gpu, "hasGpu", "Whether it has GPUs.")                                    \
    BOOLEAN(is_stale, "stale", "Whether the twin is too old.")                            \
    /* with a pod */                                                                      \
    STRING(rejected, "rejected", "Why the pod may not run there.")                        \
    INTEGER(score, "score", "Clamped to 0 to 100 and truncated.")                         \
    INTEGER(wire, "wire", "What is sent to kube-scheduler.")                              \
    NUMBER(raw, "raw", "Sum of the terms.")                                               \
    NUMBER(projected_headroom, "projectedHeadroom", "Headroom with the pod on the node.") \
    OBJECT(terms, "terms", jl_score_terms, "Signed contributions.")                       \
    ENUM(basis, "basis", joulie_basis, jl_place_basis_words, "What the score rests on.")
#include "schema/record.h"

#define RECORD scoring
#define MEMBERS                                                                                 \
    OBJECT(coefficients, "coefficients", coefficients, "Of the watts that a pod adds.")         \
    ENUM(rules, "scoringProfile", joulie_place_rules, jl_place_rules_words, "Scoring formula.") \
    OBJECT(profile, "scoring", jl_scoring_profile, "All of the scoring profile in force.")      \
    ENUM(workload_class, "workloadClass", joulie_workload_class, jl_pod_class_words,            \
         "Class of the pod.")                                                                   \
    NUMBER(perf_pressure, "perfPressure", "Pressure on performance nodes, points.")             \
    NUMBER(trend_w_per_min, "clusterTrendWPerMin", "Trend of the cluster's power, W/min.")      \
    NUMBER(mean_psu, "meanPsuStress", "Mean PSU stress of the nodes, score.")                   \
    LIST(nodes, "nodes", node, "The nodes.")
#include "schema/record.h"

/* ---- one node ---- */

/* What is not known of a row is 0 there. */
static void put_row(const struct jl_place_node *row, const struct jl_node_twin *twin,
                    struct node *out)
{
    if (row->class_ != JOULIE_NODE_CLASS_UNKNOWN)
        JL_SET(out, class_, row->class_);
    JL_SET_IF(out, headroom, JL_HAS(row, JL_PLACE_HEADROOM), row->headroom);
    JL_SET_IF(out, cooling, JL_HAS(row, JL_PLACE_COOLING), row->cooling);
    JL_SET_IF(out, psu, JL_HAS(row, JL_PLACE_PSU), row->psu);
    JL_SET_IF(out, measured_w, JL_HAS(row, JL_PLACE_MEASURED), row->measured_w);
    JL_SET_IF(out, capped_w, JL_HAS(row, JL_PLACE_CAPPED), row->capped_w);
    JL_SET_IF(out, trend_w_per_min, JL_HAS(row, JL_PLACE_TREND), row->trend_w_per_min);
    if (twin != NULL)
        JL_TAKE(out, tdp_w, &twin->status.power, node_tdp_w);
    JL_SET_IF(out, cpu_cores, row->cpu_cores > 0, row->cpu_cores);
    JL_SET_IF(out, cpu_max_w, row->cpu_max_w > 0, row->cpu_max_w);
    JL_SET_IF(out, gpu_count, JL_HAS(row, JL_PLACE_HARDWARE), row->gpu_count);
    JL_SET_IF(out, gpu_max_w, row->gpu_max_w > 0, row->gpu_max_w);
    JL_SET(out, has_gpu, row->has_gpu);
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
    JL_SET(out, base_score, score.raw);
}

static void put_score(const struct joulie_place_config *config,
                      const struct jl_candidate *candidate, const struct jl_place_score *score,
                      struct node *out)
{
    const char *rejected = joulie_place_reject_text((int)candidate->point.reject);
    if (rejected != NULL)
        JL_SET(out, rejected, rejected);
    JL_SET(out, score, candidate->point.score);
    JL_SET(out, basis, score->basis);
    if (score->basis != JOULIE_BASIS_FRESH)
        return;
    JL_SET(out, raw, score->raw);
    JL_SET(out, projected_headroom, score->projected_headroom);
    out->given.terms = true;
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
};

static void put_node(struct work *work, const struct jl_place_aggregate *aggregate, size_t i)
{
    const struct joulie_place_config *config = &work->cluster->place_config;
    const struct jl_place_node *place = &work->cluster->rows.nodes[i];
    const struct cluster_node *known = work->cluster->order.known[i];
    struct node *out = &work->nodes[i];
    struct jl_place_score score;
    struct jl_place_node room;
    JL_SET(out, name, known->name);
    put_row(place, jl_cluster_twin_of(known), out);
    put_base_score(config, place, out);
    JL_SET(out, is_stale, jl_place_basis(config, place, work->now_ms) != JOULIE_BASIS_FRESH);
    if (work->pod == NULL)
        return;
    jl_place_score_node(config, aggregate, work->pod,
                        jl_cluster_loaded_row(work->cluster, place, &room), work->now_ms, &score);
    put_score(config, &work->candidates[i], &score, out);
    JL_SET(out, wire, work->candidates[i].wire);
}

static void put_cluster(struct work *work, const struct jl_place_aggregate *aggregate)
{
    const struct joulie_place_config *config = &work->cluster->place_config;
    struct scoring *out = &work->scoring;
    struct coefficients *coefficients = &out->coefficients;
    out->given.coefficients = true;
    JL_SET(coefficients, cpu_util, config->cpu_util_coeff);
    JL_SET(coefficients, gpu_util_standard, config->gpu_util_coeff_standard);
    JL_SET(coefficients, gpu_util_performance, config->gpu_util_coeff_performance);
    JL_SET(out, rules, config->rules);
    out->given.profile = true;
    jl_scoring_profile_of(config, &out->profile);
    if (work->pod != NULL)
        JL_SET(out, workload_class, work->pod->workload_class);
    JL_SET(out, perf_pressure, aggregate->perf_pressure);
    JL_SET(out, trend_w_per_min, aggregate->cluster_trend_w_per_min);
    JL_SET_IF(out, mean_psu, aggregate->has_psu, aggregate->psu_stress);
}

static int score_all(struct work *work, struct joulie_error *err)
{
    struct joulie_cluster *cluster = work->cluster;
    const size_t count = cluster->order.known_count;
    struct jl_place_aggregate aggregate;
    work->nodes = JL_NEW_ARRAY(&work->arena, count, struct node);
    work->candidates = JL_NEW_ARRAY(&work->arena, count, struct jl_candidate);
    if (work->nodes == NULL || work->candidates == NULL)
        return jl_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        work->candidates[i].node = &cluster->rows.nodes[i];
    if (work->pod != NULL)
        jl_cluster_score_candidates(cluster, work->pod, work->now_ms, WIRE_RANGE, work->candidates,
                                    count);
    jl_cluster_aggregate(cluster, work->now_ms, &aggregate);
    for (size_t i = 0; i < count; i++)
        put_node(work, &aggregate, i);
    put_cluster(work, &aggregate);
    JL_SET(&work->scoring, nodes, ((struct jl_list){ work->nodes, count }));
    return 0;
}

static int scoring(struct work *work, const char *pod, size_t len, struct jl_buffer *out,
                   struct joulie_error *err)
{
    struct jl_pod object;
    int rc = jl_cluster_check_now(work->now_ms, err);
    if (rc < 0)
        return rc;
    if (jl_cluster_refresh_order(work->cluster) < 0)
        return jl_fail_memory(err);
    if (pod != NULL) {
        rc = jl_document_record(pod, len, JL_LENIENT, &jl_pod_table, &work->arena, &object, err);
        if (rc == 0)
            rc = jl_cluster_work_of_pod(work->cluster, &object, work->now_ms, &work->view, NULL,
                                        err);
        if (rc < 0)
            return rc;
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
    struct work work = { .cluster = cluster, .now_ms = now_ms };
    int rc = scoring(&work, pod, len, &buffer, err);
    jl_arena_clear(&work.arena);
    if (rc == 0)
        rc = jl_hand_out(&buffer, json, err);
    return rc;
}
