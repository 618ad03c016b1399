/* SPDX-License-Identifier: Apache-2.0 */

/* The score of a node for a pod (docs/rules/placement.md#score): requests are prepared here, the
 * formula is row_rules.h. Called by the cluster model, the simulator and questions. */

#include "place/aggregate.h"

#define SOURCE_UNKNOWN_SCORE 50 /* v0.1.x: stale or missing twin */
#define LEGACY_BONUS_PERFORMANCE 15.0
#define LEGACY_BONUS_ECO 10.0
#define LEGACY_EVICTED 25.0
#define LEGACY_WEIGHT_PRESSURE 0.3

bool jl_place_projected_headroom(const struct joulie_place_config *config,
                                 const struct jl_place_node *node, double marginal_w, double *out)
{
    struct jl_place_request request = { 0 };
    const struct jl_place_row row = jl_row_of(node);
    jl_request_freshness(config, 0, &request);
    if (!jl_row_projects_watts(&request, &row) && !jl_row_has(&request, &row, JL_PLACE_HEADROOM))
        return false;
    *out = jl_row_projected(&request, &row, marginal_w);
    return true;
}

int jl_place_whole_score(double raw)
{
    return jl_row_whole(raw);
}

void jl_request_points(const struct joulie_place_config *config,
                       enum joulie_workload_class pod_class,
                       const struct jl_place_aggregate *cluster, struct jl_place_request *out)
{
    const bool is_legacy = config->rules == JOULIE_PLACE_RULES_V0_1_0;
    const bool is_standard = pod_class == JOULIE_WORKLOAD_STANDARD;
    const double trend_w_per_min = cluster->cluster_trend_w_per_min;
    const bool is_burst =
        trend_w_per_min > config->burst_w_per_min || trend_w_per_min < -config->burst_w_per_min;
    const double pressure_weight = is_legacy ? LEGACY_WEIGHT_PRESSURE : config->pressure_weight;
    out->headroom_weight = config->headroom_weight;
    out->cooling_weight = config->cooling_weight;
    out->psu_weight =
        config->rules == JOULIE_PLACE_RULES_CURRENT && cluster->has_psu ? config->psu_weight : 0;
    out->mean_psu = cluster->psu_stress;
    out->trend_w_per_point = is_burst ? config->burst_w_per_point : config->steady_w_per_point;
    out->trend_max_points = config->trend_max_points;
    out->pressure_points = is_standard ? pressure_weight * cluster->perf_pressure : 0;
    out->eco_points = 0;
    out->performance_points = 0;
    if (is_standard)
        out->eco_points = is_legacy ? LEGACY_BONUS_ECO : config->eco_points;
    else if (is_legacy && pod_class == JOULIE_WORKLOAD_PERFORMANCE)
        out->performance_points = LEGACY_BONUS_PERFORMANCE;
    out->is_legacy = is_legacy;
    out->is_marginal_scoring = config->is_marginal_scoring;
}

void jl_place_request_init(const struct joulie_place_config *config, const struct joulie_work *pod,
                           const struct jl_place_aggregate *cluster, int64_t now_ms,
                           struct jl_place_request *out)
{
    *out = (struct jl_place_request){ .unknown_score = jl_place_unknown_score(config, false, 0) };
    jl_request_freshness(config, now_ms, out);
    jl_request_filter(config, pod->workload_class, now_ms, out);
    jl_request_watts(config, pod, out);
    jl_request_points(config, pod->workload_class, cluster, out);
    if (config->rules == JOULIE_PLACE_RULES_CURRENT)
        jl_request_caps(config, pod, out);
    if (config->rules == JOULIE_PLACE_RULES_EFFICIENCY)
        jl_request_cost(config, pod, out);
}

void jl_place_formula(const struct joulie_place_config *config,
                      const struct jl_score_context *context, const struct jl_place_node *node,
                      struct jl_place_score *out)
{
    const double sensitivity =
        config->rules == JOULIE_PLACE_RULES_CURRENT ? context->sensitivity : 0;
    struct jl_place_request request = { 0 };
    jl_request_freshness(config, 0, &request);
    jl_request_points(config, context->pod_class, &context->cluster, &request);
    const struct jl_place_row row = jl_row_of(node);
    jl_row_formula(&request, &row, context->marginal_w, sensitivity, out);
}

enum joulie_reject jl_place_filter_request(const struct jl_place_request *request,
                                           const struct jl_place_node *node)
{
    const struct jl_place_row row = jl_row_of(node);
    return jl_place_reject_of(node, jl_row_reject(request, &row, jl_row_marginal_w(request, &row)));
}

void jl_place_score_request(const struct jl_place_request *request,
                            const struct jl_place_node *node, struct jl_place_score *out)
{
    const struct jl_place_row row = jl_row_of(node);
    const enum joulie_basis basis = (enum joulie_basis)jl_row_basis(request, &row);
    const double marginal_w = jl_row_marginal_w(request, &row);
    if (basis != JOULIE_BASIS_FRESH)
        *out = (struct jl_place_score){ .basis = basis, .score = request->unknown_score };
    else if (request->is_efficiency)
        jl_row_cost_score(request, &row, marginal_w, out);
    else if (request->is_legacy)
        jl_row_legacy_score(request, &row, marginal_w, out);
    else
        jl_row_score(request, &row, marginal_w, out);
}

void jl_place_score_node(const struct joulie_place_config *config,
                         const struct jl_place_aggregate *cluster, const struct joulie_work *pod,
                         const struct jl_place_node *node, int64_t now_ms,
                         struct jl_place_score *out)
{
    struct jl_place_request request;
    jl_place_request_init(config, pod, cluster, now_ms, &request);
    jl_place_score_request(&request, node, out);
}

int jl_place_unknown_score(const struct joulie_place_config *config, bool has_fresh,
                           int lowest_fresh)
{
    if (config->rules == JOULIE_PLACE_RULES_EFFICIENCY)
        return 0;
    if (config->rules != JOULIE_PLACE_RULES_CURRENT)
        return SOURCE_UNKNOWN_SCORE;
    const int score = jl_place_whole_score(config->unknown_score);
    return has_fresh && lowest_fresh < score ? lowest_fresh : score;
}

/* ---- what depends on the other nodes of the request ---- */

static bool is_candidate(const struct jl_place_point *point)
{
    return point->basis == JOULIE_BASIS_FRESH && point->reject == JOULIE_REJECT_NONE;
}

void jl_place_field_add(struct jl_place_field *field, const struct jl_place_point *point)
{
    if (!is_candidate(point))
        return;
    const double raw = jl_wire_bounded(point->raw);
    const bool is_first = !field->has_any;
    if (is_first || point->score < field->lowest_score)
        field->lowest_score = point->score;
    field->lowest_raw = is_first ? raw : jl_min(field->lowest_raw, raw);
    field->highest_raw = is_first ? raw : jl_max(field->highest_raw, raw);
    field->has_any = true;
}

int jl_place_field_score(const struct joulie_place_config *config,
                         const struct jl_place_field *field, const struct jl_place_point *point)
{
    if (point->reject == JOULIE_REJECT_OFF)
        return 0;
    if (point->basis != JOULIE_BASIS_FRESH)
        return jl_place_unknown_score(config, field->has_any, field->lowest_score);
    if (config->rules != JOULIE_PLACE_RULES_EFFICIENCY)
        return point->score;
    return jl_place_field_wire(config, field, point, JL_WIRE_WHOLE);
}

int jl_place_field_wire(const struct joulie_place_config *config,
                        const struct jl_place_field *field, const struct jl_place_point *point,
                        int range)
{
    const bool is_efficiency = config->rules == JOULIE_PLACE_RULES_EFFICIENCY;
    if (!is_efficiency && config->spread != JOULIE_SPREAD_RANK)
        return jl_wire_score(jl_place_field_score(config, field, point), range);
    if (!is_candidate(point))
        return 0;
    if (is_efficiency)
        return (int)jl_wire_cost(point->raw, field->lowest_raw, field->highest_raw, range);
    return (int)jl_wire_rank(point->raw, point->score, field->lowest_raw, field->highest_raw,
                             range);
}

void jl_place_all(const struct joulie_place_config *config, const struct joulie_work *pod,
                  const struct jl_place_node *nodes, size_t count, int64_t now_ms, int range,
                  enum joulie_reject *rejects, struct jl_place_score *scores, int *wires)
{
    struct jl_place_aggregate cluster;
    struct jl_place_request request;
    struct jl_place_field field = { .has_any = false };
    jl_place_aggregate_nodes(config, nodes, count, now_ms, &cluster);
    jl_place_request_init(config, pod, &cluster, now_ms, &request);
    for (size_t i = 0; i < count; i++) {
        rejects[i] = jl_place_filter_request(&request, &nodes[i]);
        jl_place_score_request(&request, &nodes[i], &scores[i]);
        const struct jl_place_point point = jl_place_point_of(rejects[i], &scores[i]);
        jl_place_field_add(&field, &point);
    }
    for (size_t i = 0; i < count; i++) {
        const struct jl_place_point point = jl_place_point_of(rejects[i], &scores[i]);
        scores[i].score = jl_place_field_score(config, &field, &point);
        if (wires != NULL)
            wires[i] = jl_place_field_wire(config, &field, &point, range);
    }
}

/* The formula of v0.1.0 by itself (docs/rules/placement.md#legacy-score), for questions. */
void jl_place_legacy_formula(const struct jl_score_context *context,
                             const struct jl_place_node *node, struct jl_place_score *out)
{
    struct jl_place_request request = { 0 };
    struct joulie_place_config config;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_V0_1_0);
    jl_request_points(&config, context->pod_class, &context->cluster, &request);
    const struct jl_place_row row = jl_row_of(node);
    jl_row_legacy_formula(&request, &row, context->marginal_w, context->marginal_penalty,
                          context->idle_gpu_penalty, context->is_evicted ? LEGACY_EVICTED : 0, out);
}
