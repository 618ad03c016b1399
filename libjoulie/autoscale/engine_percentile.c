/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The percentile recommender of v2.17.1 inside a step
 * (docs/rules/autoscaling-source.md#percentile-recommender). The rule itself is percentile.c.
 */

#include "autoscale/engine_parts.h"

static struct jl_estimate percentiles_of(const struct jl_histogram *histogram,
                                         const struct jl_estimate *fractions)
{
    return (struct jl_estimate){
        .lower = jl_histogram_percentile(histogram, fractions->lower),
        .target = jl_histogram_percentile(histogram, fractions->target),
        .upper = jl_histogram_percentile(histogram, fractions->upper),
    };
}

/* Amounts that no target names stay as they are. */
static void keep_untargeted(const struct jl_scale_run *run, struct jl_amounts *amounts)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        if ((run->config->percentile.targets & JL_TARGETS(u)) == 0)
            amounts->of[u] = run->step->current.of[u];
    }
}

static void decide(struct jl_scale_run *run, const struct jl_percentile_result *result,
                   const struct jl_amounts *amounts)
{
    for (unsigned u = 0; u < JL_USAGES; u++) {
        const double from = run->step->current.of[u].request;
        const double to = result->is_recommendation ? amounts->of[u].request : from;
        if ((run->config->percentile.targets & JL_TARGETS(u)) == 0)
            continue;
        jl_scale_decide(run, &(struct jl_scale_decision){
                                 .layer = JL_LAYER_PERCENTILE,
                                 .usage = (enum jl_usage)u,
                                 .field = JL_FIELD_REQUEST,
                                 .is_kept = to == from,
                                 .from = from,
                                 .to = to,
                                 .reason = result->reason,
                             });
    }
}

void jl_scale_run_percentile(struct jl_scale_run *run)
{
    const struct jl_percentile_layer *config = &run->config->percentile;
    struct jl_scale_engine *scaler = run->scaler;
    if (!config->is_on || !jl_scale_is_due(run, JL_CLOCK_PERCENTILE,
                                           config->config.initial_delay_ns, config->interval_ns))
        return;
    const struct jl_layer_memory *memory = scaler->memories[JL_MEMORY_PERCENTILE];
    struct jl_estimates percentiles;
    for (unsigned u = 0; u < JL_USAGES; u++)
        percentiles.of[u] = percentiles_of(&memory->histograms[u], &config->fractions[u]);
    struct jl_percentile_input in = {
        .has = UINT64_C(1) << JL_PERCENTILE_AGE,
        .rules = JL_PERCENTILE_V2_17_1,
        .config = &config->config,
        .request = jl_request_estimate_of(jl_text(config->qos)),
        .original = run->config->original,
        .current = run->step->current,
        .max_allowed = run->step->max_allowed,
        .age_ns = run->step->now_ns - scaler->start_ns,
    };
    jl_percentile_estimates(JL_PERCENTILE_V2_17_1, &percentiles, config->config.margin_frac, 0,
                            &in.estimates);
    struct jl_percentile_result result;
    jl_recommend_percentile(&in, &result);
    struct jl_proposal proposal = { .amounts = result.amounts, .is_applied = result.is_applied };
    keep_untargeted(run, &proposal.amounts);
    decide(run, &result, &proposal.amounts);
    if (result.is_recommendation && config->targets != 0)
        run->proposals[run->proposal_count++] = proposal;
}
