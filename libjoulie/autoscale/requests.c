/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The requests layer, one resource per call (docs/rules/autoscaling.md#requests-layer; steps in
 * comments are those of that page). Called by the engine and the question autoscale.layer.
 */

#include "autoscale/requests.h"

#include "base/number.h"
#include "kubernetes/quantity.h"

/* Step 2: the percentiles of the bounds beside the target's, and their ends. */
#define BELOW_TARGET 0.4
#define LOWEST 0.5
#define ABOVE_TARGET 0.05
#define HIGHEST 0.99

#define LOWER_PULL 0.001 /* of a bound's factor, days */
#define UPPER_PULL 1.0

/* Step 4, by enum jl_usage. */
static const double min_ratio[] = { 0.1, 0.2 }; /* of the original request */
static const double max_ratio[] = { 10, 5 };

struct jl_requests_percentiles jl_requests_percentiles(double percentile)
{
    return (struct jl_requests_percentiles){
        .lower = jl_max(LOWEST, percentile - BELOW_TARGET),
        .target = percentile,
        .upper = jl_min(HIGHEST, percentile + ABOVE_TARGET),
    };
}

double jl_lower_factor(double confidence_days)
{
    const double base = 1 + LOWER_PULL / confidence_days;
    return 1 / (base * base);
}

double jl_upper_factor(double confidence_days)
{
    return 1 + UPPER_PULL / confidence_days;
}

static void find_bounds(const struct jl_requests_input *in, struct jl_layer_result *out)
{
    const double c = in->confidence_days;
    out->has_target = true;
    out->target = in->target * in->multiplier;
    out->lower = in->lower * in->multiplier * jl_lower_factor(c);
    out->upper = in->upper * in->multiplier * jl_upper_factor(c);
    if (in->given.forecast)
        out->target = jl_max(out->target, in->forecast * in->multiplier);
}

/* Steps 4 to 6. What a worker holds cannot be taken from it, so that step comes last; rounding up
 * after it is the same as before it. */
static double new_request(const struct jl_requests_input *in, double target)
{
    const double least = jl_usage_least(in->usage);
    double request = jl_max(target, in->original > 0 ? jl_min(least, in->original) : least);
    if (in->original > 0)
        request = jl_clamp(request, min_ratio[in->usage] * in->original,
                           max_ratio[in->usage] * in->original);
    if (request > in->current && in->given.max_allowed)
        request = jl_min(request, jl_max(in->max_allowed, in->current));
    if (in->usage == JL_USAGE_VRAM && in->given.used)
        request = jl_max(request, in->used);
    return jl_round_up_to(request, jl_usage_step(in->usage));
}

/* Step 7. */
static void couple_limit(const struct jl_requests_input *in, struct jl_layer_result *out)
{
    out->has_limit = true;
    if (!in->is_limits_layer && in->current > 0 && in->limit > 0) {
        out->limit = jl_round_up_to(in->limit * out->value / in->current, jl_usage_step(in->usage));
        return;
    }
    out->is_limit_kept = in->limit >= out->value;
    out->limit = jl_max(in->limit, out->value);
}

void jl_scale_requests(const struct jl_requests_input *in, struct jl_layer_result *out)
{
    *out = (struct jl_layer_result){ .value = in->current, .is_kept = true };
    if (!in->given.percentiles || !(in->confidence_days > 0)) {
        out->reason = JL_REASON_LOW_CONFIDENCE;
        return;
    }
    find_bounds(in, out);
    if (out->lower * (1 - JL_SCALE_SLACK) <= in->current &&
        in->current <= out->upper * (1 + JL_SCALE_SLACK)) {
        out->reason = JL_REASON_WITHIN_BOUNDS;
        return;
    }
    out->value = new_request(in, out->target);
    out->is_kept = false;
    out->reason = JL_REASON_UPDATED;
    if (in->given.limit)
        couple_limit(in, out);
}
