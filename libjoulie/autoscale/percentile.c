/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The recommenders of v2.17.1 and v1.45.0 as pure rules
 * (docs/rules/autoscaling-source.md#percentile-recommender; steps in comments are those of that
 * page). Called by the engine and the question autoscale.layer.
 */

#include "autoscale/percentile.h"

#include <math.h>

#include "autoscale/requests.h"
#include "base/number.h"

#define LARGEST_BASE 1e14 /* step 2 */

enum jl_request_estimate jl_request_estimate_of(struct jl_text qos)
{
    if (jl_text_is(qos, "critical"))
        return JL_REQUEST_UPPER;
    return jl_text_is(qos, "high") ? JL_REQUEST_TARGET : JL_REQUEST_LOWER;
}

/* ---- step 2 ---- */

static double with_margin(double percentile, double margin_frac)
{
    const double base = jl_clamp(percentile, 0, LARGEST_BASE);
    return base + base * margin_frac;
}

static struct jl_estimate estimate_of(enum jl_percentile_rules rules,
                                      const struct jl_estimate *percentile, double margin_frac,
                                      double confidence_days)
{
    struct jl_estimate estimate = {
        .lower = with_margin(percentile->lower, margin_frac),
        .target = with_margin(percentile->target, margin_frac),
        .upper = with_margin(percentile->upper, margin_frac),
    };
    if (rules == JL_PERCENTILE_V1_45_0) {
        const bool is_known = confidence_days > 0;
        estimate.lower *= is_known ? jl_lower_factor(confidence_days) : 0;
        estimate.upper =
            is_known ? estimate.upper * jl_upper_factor(confidence_days) : (double)INFINITY;
    }
    return (struct jl_estimate){
        .lower = trunc(estimate.lower),
        .target = trunc(estimate.target),
        .upper = trunc(estimate.upper),
    };
}

void jl_percentile_estimates(enum jl_percentile_rules rules, const struct jl_estimates *percentiles,
                             double margin_frac, double confidence_days, struct jl_estimates *out)
{
    struct jl_estimates made = { 0 };
    for (size_t usage = 0; usage < JL_USAGES; usage++)
        made.of[usage] = estimate_of(rules, &percentiles->of[usage], margin_frac, confidence_days);
    *out = made;
}

/* ---- step 9 ---- */

void jl_max_allowed(const struct jl_gpu_share *gpus, size_t count, struct jl_amount_bounds *out)
{
    *out = (struct jl_amount_bounds){ 0 };
    for (size_t i = 0; i < count; i++) {
        for (size_t usage = 0; usage < JL_USAGES && gpus[i].own_count > 0; usage++) {
            if (!jl_is_bounded(&gpus[i].available, usage))
                continue;
            double total = gpus[i].available.of[usage];
            for (size_t worker = 0; worker < gpus[i].own_count; worker++)
                total += gpus[i].own[worker].of[usage].request;
            const double share = trunc(total / (double)gpus[i].own_count);
            if (!jl_is_bounded(out, usage) || share < out->of[usage])
                out->of[usage] = share;
            out->has |= UINT64_C(1) << usage;
        }
    }
}

/* ---- v2.17.1 ---- */

static double pick(const struct jl_estimate *estimate, enum jl_request_estimate which)
{
    switch (which) {
    case JL_REQUEST_UPPER:
        return estimate->upper;
    case JL_REQUEST_TARGET:
        return estimate->target;
    case JL_REQUEST_LOWER:
        break;
    }
    return estimate->lower;
}

/* Step 5; a bound of 0 is none. */
static double within_ratios(double amount, double original, double min_ratio, double max_ratio)
{
    const double lowest = original * min_ratio;
    const double highest = original * max_ratio;
    if (lowest > 0 && amount < lowest)
        return trunc(lowest);
    if (highest > 0 && amount > highest)
        return trunc(highest);
    return amount;
}

/* Steps 3 to 7. */
static struct jl_amount_pair recommended(const struct jl_percentile_input *in, size_t usage)
{
    const struct jl_percentile_config *config = in->config;
    const struct jl_amount_pair *original = &in->original.of[usage];
    const struct jl_amount_pair *current = &in->current.of[usage];
    const struct jl_estimate *estimate = &in->estimates.of[usage];
    struct jl_amount_pair pair = {
        .request = jl_max(pick(estimate, in->request), jl_usage_least((enum jl_usage)usage)),
        .limit = jl_max(estimate->upper, jl_usage_least((enum jl_usage)usage)),
    };
    pair.request = within_ratios(pair.request, original->request, config->min_ratio[usage],
                                 config->max_ratio[usage]);
    pair.limit = within_ratios(pair.limit, original->limit, config->min_ratio[usage],
                               config->max_ratio[usage]);
    if (usage == JL_USAGE_TFLOPS)
        pair.limit = jl_max(pair.limit, trunc(original->limit));
    if (pair.request == ceil(current->request) && pair.limit == ceil(current->limit))
        return *current;
    return pair;
}

/* Step 8; limits are not compared. */
static bool is_beyond_threshold(const struct jl_percentile_input *in,
                                const struct jl_amounts *amounts)
{
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        const double current = ceil(in->current.of[usage].request);
        const double wanted = ceil(amounts->of[usage].request);
        if (current <= 0 || wanted <= 0)
            continue;
        if (fabs(wanted - current) > trunc(current * in->config->update_threshold_frac))
            return true;
    }
    return false;
}

/* Step 10. */
static void publish(const struct jl_percentile_input *in, const struct jl_amounts *amounts,
                    struct jl_percentile_result *out)
{
    out->is_recommendation = true;
    out->amounts = *amounts;
    out->is_applied = jl_amounts_are_same(amounts, &in->current);
    out->reason = out->is_applied ? JL_REASON_NONE : JL_REASON_UPDATED;
}

static void recommend_v2_17_1(const struct jl_percentile_input *in,
                              struct jl_percentile_result *out)
{
    struct jl_amounts amounts;
    if (in->given.age_ns && in->age_ns < in->config->initial_delay_ns) {
        out->reason = JL_REASON_LOW_CONFIDENCE;
        return;
    }
    for (size_t usage = 0; usage < JL_USAGES; usage++)
        amounts.of[usage] = recommended(in, usage);
    if (!is_beyond_threshold(in, &amounts)) {
        out->reason = JL_REASON_INSIDE_UPDATE_THRESHOLD;
        return;
    }
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        double *request = &amounts.of[usage].request;
        if (*request > in->current.of[usage].request && jl_is_bounded(&in->max_allowed, usage))
            *request = jl_min(*request, in->max_allowed.of[usage]);
    }
    publish(in, &amounts, out);
}

/* ---- v1.45.0 ---- */

static void recommend_v1_45_0(const struct jl_percentile_input *in,
                              struct jl_percentile_result *out)
{
    struct jl_amounts amounts = in->current;
    for (size_t usage = 0; usage < JL_USAGES; usage++) {
        const struct jl_estimate *estimate = &in->estimates.of[usage];
        struct jl_amount_pair *pair = &amounts.of[usage];
        if (pair->request >= estimate->lower && pair->request <= estimate->upper)
            continue;
        if (pair->request > 0)
            pair->limit = floor(pair->limit * estimate->target / pair->request);
        pair->request = estimate->target;
    }
    publish(in, &amounts, out);
}

void jl_recommend_percentile(const struct jl_percentile_input *in, struct jl_percentile_result *out)
{
    *out = (struct jl_percentile_result){ .amounts = in->current };
    if (in->rules == JL_PERCENTILE_V1_45_0)
        recommend_v1_45_0(in, out);
    else
        recommend_v2_17_1(in, out);
}
