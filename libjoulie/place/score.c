/* SPDX-License-Identifier: Apache-2.0 */

/* The score of a node for a pod (joulie-scheduler.md §6, §6.2). */

#include "base/number.h"
#include "place/place.h"

#define WEIGHT_HEADROOM 0.7
#define WEIGHT_COOLING 0.15
#define WEIGHT_PRESSURE 0.3
#define BONUS_ECO 10.0
#define TREND_SCALE_STEADY 6.0 /* W/min per point */
#define TREND_SCALE_BURST 2.0
#define TREND_MAX 25.0
#define SOURCE_UNKNOWN_SCORE 50 /* v0.1.x: stale or missing twin */
#define UNKNOWN_COOLING 100.0   /* current: a stress that nobody knows earns no points */

bool jl_place_projected_headroom(const struct jl_place_config *config,
                                 const struct jl_place_node *node, double marginal_w, double *out)
{
    const bool is_current = config->rules == JL_PLACE_CURRENT;
    const bool has_capped = node->capped_w > 0;
    const bool has_headroom = JL_HAS(node, JL_PLACE_HEADROOM) || !is_current;
    if (has_capped && (JL_HAS(node, JL_PLACE_MEASURED) || !is_current)) {
        *out =
            jl_min(100, (node->capped_w - (node->measured_w + marginal_w)) / node->capped_w * 100);
        return true;
    }
    if (!has_headroom)
        return false;
    *out = node->headroom;
    if (has_capped)
        *out = jl_min(100, node->headroom - marginal_w / node->capped_w * 100);
    return true;
}

static double trend_term(const struct jl_place_config *config, double trend_w_per_min,
                         double cluster_w_per_min)
{
    const bool is_burst =
        cluster_w_per_min > config->burst_w_per_min || cluster_w_per_min < -config->burst_w_per_min;
    if (trend_w_per_min == 0)
        return 0;
    return -jl_clamp(trend_w_per_min / (is_burst ? TREND_SCALE_BURST : TREND_SCALE_STEADY),
                     -TREND_MAX, TREND_MAX);
}

int jl_place_whole_score(double raw)
{
    if (!(raw > 0)) /* also what absurd numbers turned into no number */
        return 0;
    return raw < 100 ? (int)raw : 100;
}

void jl_place_formula(const struct jl_place_config *config, const struct jl_score_context *context,
                      const struct jl_place_node *node, struct jl_place_score *out)
{
    const bool is_current = config->rules == JL_PLACE_CURRENT;
    const bool is_standard = context->pod_class == JL_POD_STANDARD;
    const double cooling =
        JL_HAS(node, JL_PLACE_COOLING) || !is_current ? node->cooling : UNKNOWN_COOLING;
    struct jl_place_terms terms = { 0 };
    double headroom = 0;
    (void)jl_place_projected_headroom(config, node, context->marginal_w, &headroom);
    terms.headroom = WEIGHT_HEADROOM * headroom;
    terms.cooling = WEIGHT_COOLING * (100 - cooling);
    terms.trend =
        trend_term(config, node->trend_w_per_min, context->cluster.cluster_trend_w_per_min);
    if (is_standard && node->class_ == JL_CLASS_ECO)
        terms.profile_bonus = BONUS_ECO;
    if (is_standard && node->class_ == JL_CLASS_PERFORMANCE)
        terms.pressure = -WEIGHT_PRESSURE * context->cluster.perf_pressure;
    if (is_current)
        terms.sensitivity = -context->sensitivity;

    const double raw = terms.headroom + terms.cooling + terms.trend + terms.profile_bonus +
                       terms.pressure + terms.sensitivity;
    *out = (struct jl_place_score){
        .basis = JL_BASIS_FRESH,
        .score = jl_place_whole_score(raw),
        .projected_headroom = headroom,
        .marginal_w = context->marginal_w,
        .raw = raw,
        .terms = terms,
    };
}

void jl_place_score_node(const struct jl_place_config *config,
                         const struct jl_place_aggregate *cluster, const struct jl_pod_view *pod,
                         const struct jl_place_node *node, int64_t now_ms,
                         struct jl_place_score *out)
{
    const enum jl_place_basis basis = jl_place_basis(config, node, now_ms);
    if (basis != JL_BASIS_FRESH) {
        *out = (struct jl_place_score){ .basis = basis,
                                        .score = jl_place_unknown_score(config, false, 0) };
        return;
    }
    struct jl_score_context context = {
        .pod_class = pod->class_,
        .marginal_w = jl_place_marginal_w(config, pod, node),
        .cluster = *cluster,
    };
    if (config->rules == JL_PLACE_LEGACY) {
        jl_place_legacy_context(config, pod, node, &context);
        jl_place_legacy_formula(&context, node, out);
        return;
    }
    context.sensitivity = jl_place_sensitivity(pod, node);
    jl_place_formula(config, &context, node, out);
}

void jl_place_note_lowest(struct jl_place_lowest *lowest, enum jl_place_reject reject,
                          const struct jl_place_score *score)
{
    if (score->basis != JL_BASIS_FRESH || reject != JL_PLACE_PASS)
        return;
    if (!lowest->has_any || score->score < lowest->score)
        lowest->score = score->score;
    lowest->has_any = true;
}

int jl_place_unknown_score(const struct jl_place_config *config, bool has_fresh, int lowest_fresh)
{
    if (config->rules != JL_PLACE_CURRENT)
        return SOURCE_UNKNOWN_SCORE;
    const int score = jl_place_whole_score(config->unknown_score);
    return has_fresh && lowest_fresh < score ? lowest_fresh : score;
}

void jl_place_all(const struct jl_place_config *config, const struct jl_pod_view *pod,
                  const struct jl_place_node *nodes, size_t count, int64_t now_ms,
                  enum jl_place_reject *rejects, struct jl_place_score *scores)
{
    struct jl_place_aggregate cluster;
    struct jl_place_lowest lowest = { 0 };
    jl_place_aggregate_nodes(config, nodes, count, now_ms, &cluster);
    for (size_t i = 0; i < count; i++) {
        rejects[i] = jl_place_filter(config, pod, &nodes[i], now_ms);
        jl_place_score_node(config, &cluster, pod, &nodes[i], now_ms, &scores[i]);
        jl_place_note_lowest(&lowest, rejects[i], &scores[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (scores[i].basis != JL_BASIS_FRESH)
            scores[i].score = jl_place_unknown_score(config, lowest.has_any, lowest.score);
    }
}
