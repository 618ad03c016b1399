/* SPDX-License-Identifier: Apache-2.0 */

/* The formula of v0.1.0 by itself (docs/rules/placement.md#legacy-score), for questions. */

#include "place/row_rules.h"

#define EVICTED 25.0

void jl_place_legacy_penalty(double marginal_w, double pod_gpus, double node_gpus, double pue,
                             struct jl_legacy_penalty *out)
{
    jl_row_legacy_penalty(marginal_w, pod_gpus, node_gpus, pue, out);
}

void jl_place_legacy_formula(const struct jl_score_context *context,
                             const struct jl_place_node *node, struct jl_place_score *out)
{
    struct jl_place_request request = { 0 };
    struct joulie_place_config config;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_V0_1_0);
    jl_request_points(&config, context->pod_class, &context->cluster, &request);
    const struct jl_place_row row = jl_row_of(node);
    jl_row_legacy_formula(&request, &row, context->marginal_w, context->marginal_penalty,
                          context->idle_gpu_penalty, context->is_evicted ? EVICTED : 0, out);
}
