/* SPDX-License-Identifier: Apache-2.0 */

/* What all nodes together say: pressure on performance nodes, the cluster's trend and the mean PSU
 * stress (docs/rules/placement.md#pressure). Called once per request, before any node is scored. */

#include "place/aggregate.h"

static double pressure_of(const struct jl_place_sums *sums, enum joulie_place_rules rules)
{
    if (sums->count == 0)
        return 0;
    const double plain = sums->pressure / (double)sums->count;
    if (!jl_place_is_ours(rules))
        return plain;
    const double value = sums->lacks_weight > 0 ? plain : sums->weighted / sums->weight_w;
    if (value < 0)
        return 0;
    return value < 100 ? value : 100; /* also when absurd watts made the mean no number */
}

void jl_place_sums_end(const struct jl_place_sums *sums, enum joulie_place_rules rules,
                       struct jl_place_aggregate *out)
{
    out->perf_pressure = pressure_of(sums, rules);
    out->cluster_trend_w_per_min = sums->trend_w_per_min;
    out->has_psu = sums->psu_count > 0;
    out->psu_stress = out->has_psu ? sums->psu / (double)sums->psu_count : 0;
}

void jl_request_freshness(const struct joulie_place_config *config, int64_t now_ms,
                          struct jl_place_request *out)
{
    struct jl_freshness rule = jl_place_freshness(config);
    rule.has_heartbeat = rule.has_heartbeat && jl_place_is_ours(config->rules);
    out->fresh_from_ms = jl_fresh_from_ms(&rule, now_ms);
    out->assumed =
        jl_place_is_ours(config->rules)
            ? JOULIE_PLACE_HAS_HARDWARE
            : JOULIE_PLACE_HAS_HEADROOM | JOULIE_PLACE_HAS_COOLING | JOULIE_PLACE_HAS_MEASURED;
}

void jl_place_aggregate_nodes(const struct joulie_place_config *config,
                              const struct jl_place_node *nodes, size_t count, int64_t now_ms,
                              struct jl_place_aggregate *out)
{
    struct jl_place_request request = { 0 };
    struct jl_place_sums sums = { 0 };
    struct jl_row_share share;
    *out = (struct jl_place_aggregate){ 0 };
    if (config->rules == JOULIE_PLACE_RULES_EFFICIENCY)
        return; /* which looks at neither */
    jl_request_freshness(config, now_ms, &request);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].closed == JOULIE_REJECT_OFF)
            continue;
        const struct jl_place_row row = jl_row_of(&nodes[i]);
        jl_row_share(&request, &row, &share);
        jl_place_sums_add(&sums, &share);
    }
    jl_place_sums_end(&sums, config->rules, out);
}

enum joulie_basis jl_place_basis(const struct joulie_place_config *config,
                                 const struct jl_place_node *node, int64_t now_ms)
{
    struct jl_place_request request = { 0 };
    jl_request_freshness(config, now_ms, &request);
    const struct jl_place_row row = jl_row_of(node);
    return (enum joulie_basis)jl_row_basis(&request, &row);
}
