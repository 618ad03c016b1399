/* SPDX-License-Identifier: Apache-2.0 */

/* The layer percentile of autoscale.layer: what clusters run today (tensor-fusion.md §7.5, §7.9),
 * and the tables of its parts. */
#include <joulie/error.h>

#include "ask/autoscale_layer.h"
#include "autoscale/percentile.h"
#include "autoscale/requests.h"
#include "base/error.h"
#include "base/number.h"

#define AMOUNT .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = JL_LARGEST_AMOUNT

static const struct jl_row bounds_rows[] = {
    [JL_LAYER_BOUNDS_LOWER] = JL_NUMBER(jl_layer_bounds, lower, "lower", AMOUNT, .doc = "Lower."),
    [JL_LAYER_BOUNDS_TARGET] =
        JL_NUMBER(jl_layer_bounds, target, "target", AMOUNT, .doc = "Target."),
    [JL_LAYER_BOUNDS_UPPER] = JL_NUMBER(jl_layer_bounds, upper, "upper", AMOUNT, .doc = "Upper."),
};
const struct jl_table jl_layer_bounds_table = JL_TABLE(jl_layer_bounds, bounds_rows);

static const struct jl_row both_rows[] = {
    [JL_LAYER_BOTH_TFLOPS] =
        JL_OBJECT(jl_layer_both, tflops, "tflops", &jl_layer_bounds_table, .doc = "TFLOPS."),
    [JL_LAYER_BOTH_VRAM] =
        JL_OBJECT(jl_layer_both, vram, "vram", &jl_layer_bounds_table, .doc = "Bytes."),
};
const struct jl_table jl_layer_both_table = JL_TABLE(jl_layer_both, both_rows);

static const struct jl_row side_rows[] = {
    [JL_USAGE_TFLOPS] = JL_NUMBER(jl_layer_side, tflops, "tflops", AMOUNT, .doc = "TFLOPS."),
    [JL_USAGE_VRAM] = JL_NUMBER(jl_layer_side, vram, "vram", AMOUNT, .doc = "Bytes."),
};
const struct jl_table jl_layer_side_table = JL_TABLE(jl_layer_side, side_rows);

static const struct jl_row resources_rows[] = {
    [JL_LAYER_RESOURCES_REQUESTS] = JL_OBJECT(jl_layer_resources, requests, "requests",
                                              &jl_layer_side_table, .doc = "Guaranteed."),
    [JL_LAYER_RESOURCES_LIMITS] =
        JL_OBJECT(jl_layer_resources, limits, "limits", &jl_layer_side_table, .doc = "At most."),
};
const struct jl_table jl_layer_resources_table = JL_TABLE(jl_layer_resources, resources_rows);

static const struct jl_row gpu_rows[] = {
    [JL_LAYER_GPU_AVAILABLE] = JL_OBJECT(jl_layer_gpu, available, "available", &jl_layer_side_table,
                                         .doc = "What is not booked on it."),
    [JL_LAYER_GPU_OWN] = JL_LIST(jl_layer_gpu, own, "own", &jl_layer_side_table,
                                 .doc = "Requests of the workload's own workers on it."),
};
const struct jl_table jl_layer_gpu_table = JL_TABLE(jl_layer_gpu, gpu_rows);

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
    JL_PUT(out, JL_LAYER_BOUNDS_LOWER, lower, estimate->lower);
    JL_PUT(out, JL_LAYER_BOUNDS_TARGET, target, estimate->target);
    if (jl_is_finite(estimate->upper)) /* without confidence there is none */
        JL_PUT(out, JL_LAYER_BOUNDS_UPPER, upper, estimate->upper);
}

static void put_estimates(struct jl_layer_out *out, const struct jl_estimates *estimates)
{
    put_bounds(&out->estimates.tflops, &estimates->of[JL_USAGE_TFLOPS]);
    put_bounds(&out->estimates.vram, &estimates->of[JL_USAGE_VRAM]);
    JL_MARK(&out->estimates, JL_LAYER_BOTH_TFLOPS);
    JL_MARK(&out->estimates, JL_LAYER_BOTH_VRAM);
    JL_MARK(out, JL_LAYER_OUT_ESTIMATES);
}

static void put_resources(struct jl_layer_out *out, const struct jl_amounts *amounts)
{
    struct jl_layer_resources *resources = &out->resources;
    JL_PUT(&resources->requests, JL_USAGE_TFLOPS, tflops, amounts->of[JL_USAGE_TFLOPS].request);
    JL_PUT(&resources->requests, JL_USAGE_VRAM, vram, amounts->of[JL_USAGE_VRAM].request);
    JL_PUT(&resources->limits, JL_USAGE_TFLOPS, tflops, amounts->of[JL_USAGE_TFLOPS].limit);
    JL_PUT(&resources->limits, JL_USAGE_VRAM, vram, amounts->of[JL_USAGE_VRAM].limit);
    JL_MARK(resources, JL_LAYER_RESOURCES_REQUESTS);
    JL_MARK(resources, JL_LAYER_RESOURCES_LIMITS);
    JL_MARK(out, JL_LAYER_OUT_RESOURCES);
}

static void put_factors(struct jl_layer_out *out, double confidence_days)
{
    if (!(confidence_days > 0))
        return;
    JL_PUT(out, JL_LAYER_OUT_LOWER_FACTOR, lower_factor, jl_lower_factor(confidence_days));
    JL_PUT(out, JL_LAYER_OUT_UPPER_FACTOR, upper_factor, jl_upper_factor(confidence_days));
}

/* ---- the answer ---- */

static int find_estimates(struct jl_ask *ask, const struct jl_layer_in *in,
                          struct jl_percentile_input *input,
                          const struct jl_percentile_config *config)
{
    struct jl_layer_both both;
    if (JL_HAS(in, JL_LAYER_IN_ESTIMATES)) {
        const int rc = jl_ask_layer_part(ask, in, JL_LAYER_IN_ESTIMATES, &in->estimates,
                                         &jl_layer_both_table, &both);
        if (rc == 0)
            input->estimates = estimates_of(&both);
        return rc;
    }
    const int rc = jl_ask_layer_part(ask, in, JL_LAYER_IN_PERCENTILES, &in->percentiles,
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
    int rc = jl_ask_layer_part(ask, in, JL_LAYER_IN_CURRENT, &in->current,
                               &jl_layer_resources_table, &resources);
    if (rc < 0)
        return rc;
    input->current = amounts_of(&resources);
    input->original = input->current;
    if (!JL_HAS(in, JL_LAYER_IN_ORIGINAL))
        return 0;
    rc = jl_ask_layer_part(ask, in, JL_LAYER_IN_ORIGINAL, &in->original, &jl_layer_resources_table,
                           &resources);
    input->original = amounts_of(&resources);
    return rc;
}

static int find_max_allowed(struct jl_ask *ask, const struct jl_layer_in *in,
                            struct jl_amount_bounds *out)
{
    struct jl_layer_side side;
    const int rc = jl_ask_layer_part(ask, in, JL_LAYER_IN_MAX_ALLOWED, &in->max_allowed,
                                     &jl_layer_side_table, &side);
    *out = bounds_of(&side);
    if (rc < 0 || !JL_HAS(in, JL_LAYER_IN_GPUS) || JL_HAS(in, JL_LAYER_IN_MAX_ALLOWED))
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
    if (JL_HAS(in, JL_LAYER_IN_MARGIN))
        config.margin_frac = in->margin;
    if (JL_HAS(in, JL_LAYER_IN_INITIAL_DELAY))
        config.initial_delay_ns = (int64_t)(in->initial_delay_s * JL_NS_PER_S);
    if (JL_HAS(in, JL_LAYER_IN_AGE))
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
        out->max_allowed =
            (struct jl_layer_side){ input->max_allowed.has, input->max_allowed.of[JL_USAGE_TFLOPS],
                                    input->max_allowed.of[JL_USAGE_VRAM] };
        JL_MARK(out, JL_LAYER_OUT_MAX_ALLOWED);
    }
    if (result.is_recommendation)
        put_resources(out, &result.amounts);
    if (result.reason != JL_REASON_NONE)
        JL_PUT(out, JL_LAYER_OUT_REASON, reason, result.reason);
    return 0;
}

int jl_ask_percentile(struct jl_ask *ask, const struct jl_layer_in *in, struct jl_layer_out *out)
{
    struct jl_percentile_input input = { .rules = JL_PERCENTILE_V2_17_1 };
    const bool has_percentiles =
        JL_HAS(in, JL_LAYER_IN_PERCENTILES) || JL_HAS(in, JL_LAYER_IN_ESTIMATES);
    if (jl_is_model(ask, "v1.45.0")) {
        input.rules = JL_PERCENTILE_V1_45_0;
        put_factors(out, in->confidence);
        if (!has_percentiles && JL_HAS(in, JL_LAYER_IN_CONFIDENCE))
            return 0;
    }
    if (!has_percentiles)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "percentiles", "the member is required");
    return recommend(ask, in, &input, out);
}
