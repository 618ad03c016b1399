/* SPDX-License-Identifier: Apache-2.0 */

/* What all nodes together say: pressure on performance nodes and the cluster's trend
 * (joulie-scheduler.md §6, §6.2). */

#include "place/place.h"

/* One mean in three forms: the source's, weighted by capped power, and plain when a weight is
 * absent. */
struct mean {
    double sum;
    double weighted_sum;
    double weight;
    double count;
    bool lacks_weight;
};

static void add_pressure(struct mean *mean, const struct jl_place_node *node)
{
    const double pressure = 100 - node->headroom;
    const double weight = node->capped_w;
    mean->sum += pressure;
    mean->count += 1;
    mean->weighted_sum += pressure * weight;
    mean->weight += weight;
    mean->lacks_weight = mean->lacks_weight || !(weight > 0);
}

static double pressure_of(const struct mean *mean, enum jl_place_rules rules)
{
    if (!(mean->count > 0))
        return 0;
    const double plain = mean->sum / mean->count;
    if (rules != JL_PLACE_CURRENT)
        return plain;
    const double value = mean->lacks_weight ? plain : mean->weighted_sum / mean->weight;
    if (value < 0)
        return 0;
    return value < 100 ? value : 100; /* also when absurd watts made the mean no number */
}

static bool has_fresh_twin(const struct jl_place_config *config, const struct jl_place_node *node,
                           int64_t now_ms)
{
    struct jl_freshness rule = config->freshness;
    rule.has_heartbeat = rule.has_heartbeat && config->rules == JL_PLACE_CURRENT;
    return JL_HAS(node, JL_PLACE_UPDATED) && jl_update_is_fresh(node->updated_ms, &rule, now_ms);
}

void jl_place_aggregate_nodes(const struct jl_place_config *config,
                              const struct jl_place_node *nodes, size_t count, int64_t now_ms,
                              struct jl_place_aggregate *out)
{
    struct mean pressure = { 0 };
    double trend = 0;
    for (size_t i = 0; i < count; i++) {
        const struct jl_place_node *node = &nodes[i];
        if (!has_fresh_twin(config, node, now_ms))
            continue;
        trend += node->trend_w_per_min; /* 0 without a powerMeasurement */
        if (node->class_ == JL_CLASS_PERFORMANCE &&
            (config->rules != JL_PLACE_CURRENT || JL_HAS(node, JL_PLACE_HEADROOM)))
            add_pressure(&pressure, node);
    }
    out->perf_pressure = pressure_of(&pressure, config->rules);
    out->cluster_trend_w_per_min = trend;
}

enum jl_place_basis jl_place_basis(const struct jl_place_config *config,
                                   const struct jl_place_node *node, int64_t now_ms)
{
    double headroom = 0;
    if (!JL_HAS(node, JL_PLACE_TWIN))
        return JL_BASIS_MISSING;
    if (!has_fresh_twin(config, node, now_ms))
        return JL_BASIS_STALE;
    return jl_place_projected_headroom(config, node, 0, &headroom) ? JL_BASIS_FRESH
                                                                   : JL_BASIS_MISSING;
}
