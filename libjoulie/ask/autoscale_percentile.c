/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The layer percentile of autoscale.layer: what clusters run today
 * (docs/rules/autoscaling-source.md#percentile-recommender).
 */
#include <joulie/error.h>

#include "ask/autoscale_layer.h"
#include "autoscale/requests.h"
#include "base/error.h"
#include "base/number.h"

/* ---- from and to the tables ---- */

static struct jl_estimate estimate_of(const struct jl_layer_bounds *bounds)
{
    return (struct jl_estimate){ bounds->lower, bounds->target, bounds->upper };
}

static struct jl_estimates estimates_of(const struct jl_layer_both *both)
{
    return (struct jl_estimates){ { estimate_of(&both->tflops), estimate_of(&both->vram) } };
}

static struct jl_amounts amounts_of(const struct jl_layer_resources *resources)
{
    return (struct jl_amounts){ {
        { resources->requests.tflops, resources->limits.tflops },
        { resources->requests.vram, resources->limits.vram },
    } };
}

static struct jl_amount_bounds bounds_of(const struct jl_layer_side *side)
{
    return (struct jl_amount_bounds){ side->has, { side->tflops, side->vram } };
}

static void put_bounds(struct jl_layer_bounds *out, const struct jl_estimate *estimate)
{
    JL_SET(out, lower, estimate->lower);
    JL_SET(out, target, estimate->target);
    if (jl_is_finite(estimate->upper)) /* without confidence there is none */
        JL_SET(out, upper, estimate->upper);
}

static void put_estimates(struct jl_layer_out *out, const struct jl_estimates *estimates)
{
    put_bounds(&out->estimates.tflops, &estimates->of[JL_USAGE_TFLOPS]);
    put_bounds(&out->estimates.vram, &estimates->of[JL_USAGE_VRAM]);
    out->estimates.given.tflops = true;
    out->estimates.given.vram = true;
    out->given.estimates = true;
}

static void put_resources(struct jl_layer_out *out, const struct jl_amounts *amounts)
{
    struct jl_layer_resources *resources = &out->resources;
    JL_SET(&resources->requests, tflops, amounts->of[JL_USAGE_TFLOPS].request);
    JL_SET(&resources->requests, vram, amounts->of[JL_USAGE_VRAM].request);
    JL_SET(&resources->limits, tflops, amounts->of[JL_USAGE_TFLOPS].limit);
    JL_SET(&resources->limits, vram, amounts->of[JL_USAGE_VRAM].limit);
    resources->given.requests = true;
    resources->given.limits = true;
    out->given.resources = true;
}

static void put_factors(struct jl_layer_out *out, double confidence_days)
{
    if (!(confidence_days > 0))
        return;
    JL_SET(out, lower_factor, jl_lower_factor(confidence_days));
    JL_SET(out, upper_factor, jl_upper_factor(confidence_days));
}

/* ---- the answer ---- */

static int find_estimates(struct jl_ask *ask, const struct jl_layer_in *in,
                          struct jl_percentile_input *input,
                          const struct jl_percentile_config *config)
{
    struct jl_layer_both both;
    if (in->given.estimates) {
        const int rc = jl_ask_layer_part(ask, in, JL_INDEX(jl_layer_in, estimates), &in->estimates,
                                         &jl_layer_both_table, &both);
        if (rc == 0)
            input->estimates = estimates_of(&both);
        return rc;
    }
    const int rc = jl_ask_layer_part(ask, in, JL_INDEX(jl_layer_in, percentiles), &in->percentiles,
                                     &jl_layer_both_table, &both);
    if (rc < 0)
        return rc;
    const struct jl_estimates percentiles = estimates_of(&both);
    jl_percentile_estimates(input->rules, &percentiles, config->margin_frac, in->confidence,
                            &input->estimates);
    return 0;
}

static int find_amounts(struct jl_ask *ask, const struct jl_layer_in *in,
                        struct jl_percentile_input *input)
{
    struct jl_layer_resources resources;
    int rc = jl_ask_layer_part(ask, in, JL_INDEX(jl_layer_in, current), &in->current,
                               &jl_layer_resources_table, &resources);
    if (rc < 0)
        return rc;
    input->current = amounts_of(&resources);
    input->original = input->current;
    if (!in->given.original)
        return 0;
    rc = jl_ask_layer_part(ask, in, JL_INDEX(jl_layer_in, original), &in->original,
                           &jl_layer_resources_table, &resources);
    input->original = amounts_of(&resources);
    return rc;
}

static int find_max_allowed(struct jl_ask *ask, const struct jl_layer_in *in,
                            struct jl_amount_bounds *out)
{
    struct jl_layer_side side;
    const int rc = jl_ask_layer_part(ask, in, JL_INDEX(jl_layer_in, max_allowed), &in->max_allowed,
                                     &jl_layer_side_table, &side);
    *out = bounds_of(&side);
    if (rc < 0 || !in->given.gpus || in->given.max_allowed)
        return rc;

    struct jl_gpu_share *gpus = JL_NEW_ARRAY(ask->arena, in->gpus.count, struct jl_gpu_share);
    for (size_t i = 0; gpus != NULL && i < in->gpus.count; i++) {
        const struct jl_layer_gpu *gpu = JL_ITEM(in->gpus, jl_layer_gpu, i);
        struct jl_amounts *own = JL_NEW_ARRAY(ask->arena, gpu->own.count, struct jl_amounts);
        if (own == NULL)
            return jl_fail_memory(ask->err);
        for (size_t worker = 0; worker < gpu->own.count; worker++) {
            const struct jl_layer_side *booked = JL_ITEM(gpu->own, jl_layer_side, worker);
            own[worker].of[JL_USAGE_TFLOPS].request = booked->tflops;
            own[worker].of[JL_USAGE_VRAM].request = booked->vram;
        }
        gpus[i] = (struct jl_gpu_share){ bounds_of(&gpu->available), own, gpu->own.count };
    }
    if (gpus == NULL)
        return jl_fail_memory(ask->err);
    jl_max_allowed(gpus, in->gpus.count, out);
    return 0;
}

static int recommend(struct jl_ask *ask, const struct jl_layer_in *in,
                     struct jl_percentile_input *input, struct jl_layer_out *out)
{
    struct jl_percentile_config config;
    struct jl_percentile_result result;
    jl_percentile_defaults(&config);
    if (in->given.margin)
        config.margin_frac = in->margin;
    if (in->given.initial_delay_s)
        config.initial_delay_ns = (int64_t)(in->initial_delay_s * JL_NS_PER_S);
    if (in->given.age_s)
        JL_PUT(input, JL_PERCENTILE_AGE, age_ns, (int64_t)(in->age_s * JL_NS_PER_S));
    input->config = &config;
    input->request = jl_request_estimate_of(jl_text(in->qos ? in->qos : ""));
    int rc = find_estimates(ask, in, input, &config);
    if (rc == 0)
        rc = find_amounts(ask, in, input);
    if (rc == 0)
        rc = find_max_allowed(ask, in, &input->max_allowed);
    if (rc < 0)
        return rc;

    jl_recommend_percentile(input, &result);
    put_estimates(out, &input->estimates);
    if (input->max_allowed.has != 0) {
        out->max_allowed = (struct jl_layer_side){ .has = input->max_allowed.has,
                                                   .tflops = input->max_allowed.of[JL_USAGE_TFLOPS],
                                                   .vram = input->max_allowed.of[JL_USAGE_VRAM] };
        out->given.max_allowed = true;
    }
    if (result.is_recommendation)
        put_resources(out, &result.amounts);
    if (result.reason != JL_REASON_NONE)
        JL_SET(out, reason, result.reason);
    return 0;
}

int jl_ask_percentile(struct jl_ask *ask, const struct jl_layer_in *in, struct jl_layer_out *out)
{
    struct jl_percentile_input input = { .rules = JL_PERCENTILE_V2_17_1 };
    const bool has_percentiles = in->given.percentiles || in->given.estimates;
    if (jl_is_model(ask, "v1.45.0")) {
        input.rules = JL_PERCENTILE_V1_45_0;
        put_factors(out, in->confidence);
        if (!has_percentiles && in->given.confidence)
            return 0;
    }
    if (!has_percentiles)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "percentiles", "the member is required");
    return recommend(ask, in, &input, out);
}
