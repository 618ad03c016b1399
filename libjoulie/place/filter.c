/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes a pod may not use: performance pods no eco node, and, where a limit is set, no pod
 * a node whose power it would take past it (docs/rules/placement.md#filter). */

#include "place/row_rules.h"

void jl_request_filter(const struct joulie_place_config *config,
                       enum joulie_workload_class pod_class, int64_t now_ms,
                       struct jl_place_request *out)
{
    const struct jl_freshness freshness = jl_place_freshness(config);
    out->is_filtered = pod_class == JOULIE_WORKLOAD_PERFORMANCE;
    out->rejects_unlabelled = config->fail_policy == JOULIE_FAIL_CLOSED;
    out->filter_from_ms = jl_fresh_from_ms(&freshness, now_ms);
    out->grace_from_ms = now_ms - config->stale_grace_ms;
    out->max_projected_pct =
        config->max_projected_pct > 0 ? config->max_projected_pct : JL_PLACE_NO_LIMIT_PCT;
}

enum joulie_reject jl_place_filter(const struct joulie_place_config *config,
                                   const struct joulie_work *pod, const struct jl_place_node *node,
                                   int64_t now_ms)
{
    struct jl_place_request request = { 0 };
    const struct jl_place_row row = jl_row_of(node);
    double marginal_w = 0;
    jl_request_filter(config, pod->workload_class, now_ms, &request);
    if (config->max_projected_pct > 0) {
        jl_request_freshness(config, now_ms, &request);
        jl_request_watts(config, pod, &request);
        marginal_w = jl_row_marginal_w(&request, &row);
    }
    return jl_place_reject_of(node, jl_row_reject(&request, &row, marginal_w));
}

const char *joulie_place_reject_text(int reject)
{
    switch ((enum joulie_reject)reject) {
    case JOULIE_REJECT_CLASS:
        return "joulie: performance pod rejected from eco/draining node";
    case JOULIE_REJECT_LABEL:
        return "joulie: performance pod rejected from eco node (label fallback)";
    case JOULIE_REJECT_NO_DATA:
        return "joulie: no data for node";
    case JOULIE_REJECT_POWER:
        return "joulie: projected power above the limit of the node";
    case JOULIE_REJECT_CORDON:
        return "joulie: nothing new may run on the node";
    case JOULIE_REJECT_RESERVED:
        return "joulie: the node is reserved";
    case JOULIE_REJECT_OFF:
        return "joulie: the node is switched off to save power";
    case JOULIE_REJECT_NONE:
        break;
    }
    return NULL;
}
