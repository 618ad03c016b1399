/* SPDX-License-Identifier: Apache-2.0 */

/*
 * autoscale.layer: one evaluation of one layer (docs/rules/autoscaling.md#limits-layer). The layer
 * percentile is what clusters run today (docs/rules/autoscaling-source.md#percentile-recommender).
 */

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/config.h"
#include "autoscale/requests.h"
#include "base/error.h"
#include "base/number.h"

#define LARGEST_AMOUNT 9.2e18 /* TFLOPS or bytes: what a quantity holds */
#define LONGEST_S 9e9         /* keeps nanoseconds inside an int64_t */

enum layer_kind {
    LAYER_LIMITS = 1,
    LAYER_REQUESTS,
    LAYER_PERCENTILE,
};

enum usage_word { USAGE_WORD_TFLOPS = 1, USAGE_WORD_VRAM };

static const struct jl_words layer_words = JL_WORDS({
    { LAYER_LIMITS, "limits" },
    { LAYER_REQUESTS, "requests" },
    { LAYER_PERCENTILE, "percentile" },
});

static const struct jl_words usage_words = JL_WORDS({
    { USAGE_WORD_TFLOPS, "tflops" },
    { USAGE_WORD_VRAM, "vram" },
});

#define AMOUNT NOT_NEGATIVE, AT_MOST(LARGEST_AMOUNT)
#define FACTOR NOT_NEGATIVE, AT_MOST(1e6)
#define DURATION_S NOT_NEGATIVE, AT_MOST(LONGEST_S)

/* Percentiles or estimates of one resource. */
#define RECORD layer_bounds
#define MEMBERS                                 \
    NUMBER(lower, "lower", "Lower.", AMOUNT)    \
    NUMBER(target, "target", "Target.", AMOUNT) \
    NUMBER(upper, "upper", "Upper.", AMOUNT)
#include "schema/record.h"

/* The same of both. */
#define RECORD layer_both
#define MEMBERS                                       \
    OBJECT(tflops, "tflops", layer_bounds, "TFLOPS.") \
    OBJECT(vram, "vram", layer_bounds, "Bytes.")
#include "schema/record.h"

/* Amounts as numbers; bits are enum jl_usage. */
#define RECORD layer_side
#define MEMBERS                                 \
    NUMBER(tflops, "tflops", "TFLOPS.", AMOUNT) \
    NUMBER(vram, "vram", "Bytes.", AMOUNT)
#include "schema/record.h"

#define RECORD layer_resources
#define MEMBERS                                             \
    OBJECT(requests, "requests", layer_side, "Guaranteed.") \
    OBJECT(limits, "limits", layer_side, "At most.")
#include "schema/record.h"

#define RECORD layer_gpu
#define MEMBERS                                                             \
    OBJECT(available, "available", layer_side, "What is not booked on it.") \
    LIST(own, "own", layer_side, "Requests of the workload's own workers on it.")
#include "schema/record.h"

#define RECORD autoscale_layer_in
#define MEMBERS                                                                                    \
    ENUM(layer, "layer", layer_kind, layer_words, "Which layer; percentile is the source's.",      \
         REQUIRED)                                                                                 \
    ENUM(resource, "resource", usage_word, usage_words,                                            \
         "What is scaled; limits and requests need it.")                                           \
    RAW(current, "current",                                                                        \
        "Amount now, TFLOPS or bytes, 0 = none; percentile: the four amounts.")                    \
    NUMBER(forecast, "forecast", "Peak of the forecast.", AMOUNT)                                  \
    NUMBER(request, "request", "limits: the request.", AMOUNT)                                     \
    NUMBER(p99, "p99", "limits: 99th percentile of the decayed histogram.", AMOUNT)                \
    NUMBER(peak, "peak", "limits: largest sample of the last 60 s.", AMOUNT)                       \
    NUMBER(capacity, "capacity", "limits: capacity of one GPU.", AMOUNT)                           \
    NUMBER(floor, "floor", "limits: what the workers hold and cannot be taken from them (0).",     \
           AMOUNT)                                                                                 \
    NUMBER(buffer, "buffer", "limits: fraction added (0.2, VRAM 0.15).", FACTOR)                   \
    NUMBER(ignored, "ignored", "limits: relative band in which nothing changes (0.05).", FACTOR)   \
    NUMBER(step, "step", "limits: growth multiplier at the limit (2).", FACTOR)                    \
    NUMBER(max_ratio, "maxRatio", "limits: limit over request, at most (5).", FACTOR)              \
    BOOLEAN(throttled, "throttled", "limits: whether throttling was seen.")                        \
    BOOLEAN(oom_killed, "oomKilled",                                                               \
            "limits: whether a worker was killed for the memory of its GPU.")                      \
    BOOLEAN(oom_answered, "oomAnswered", "limits: whether the limit was raised for that already.") \
    INTEGER(samples, "samples", "limits: samples in the window; absent = enough.", NOT_NEGATIVE)   \
    NUMBER(evaluation_period_s, "evaluationPeriodS", "limits: period of the evaluations, s (10).", \
           BETWEEN(1e-9, LONGEST_S))                                                               \
    RAW(original, "original",                                                                      \
        "Request of the spec, 0 = none; percentile: the four amounts of the spec (those of "       \
        "current).")                                                                               \
    NUMBER(confidence, "confidence", "requests, v1.45.0: days of samples (0).", AMOUNT)            \
    RAW(percentiles, "percentiles",                                                                \
        "requests: lower, target, upper of the histogram; percentile: the same for tflops and "    \
        "vram.")                                                                                   \
    NUMBER(multiplier, "multiplier", "requests: buffer as a factor (1.1).", FACTOR)                \
    RAW(max_allowed, "maxAllowed", "What a request may grow to; percentile: tflops and vram.")     \
    NUMBER(used, "used", "requests: largest VRAM usage of a worker now.", AMOUNT)                  \
    NUMBER(limit, "limit", "requests: the limit that is coupled to it.", AMOUNT)                   \
    BOOLEAN(limits_layer, "limitsLayer", "requests: whether the limits layer is on.")              \
    NUMBER(margin, "margin", "percentile: fraction added (0.15).", FACTOR)                         \
    STRING(qos, "qos", "percentile: low, medium, high, critical.")                                 \
    LIST(gpus, "gpus", layer_gpu, "percentile: GPUs of the workers, in place of maxAllowed.")      \
    NUMBER(age_s, "ageS", "percentile: age of the workload, s; absent = enough.", DURATION_S)      \
    NUMBER(initial_delay_s, "initialDelayS", "percentile: age that is enough, s (1800).",          \
           DURATION_S)                                                                             \
    RAW(estimates, "estimates", "percentile: finished estimates, in place of percentiles.")
#include "schema/record.h"

#define RECORD autoscale_layer_out
#define MEMBERS                                                                      \
    NUMBER(target, "target", "Amount before clamps, TFLOPS or bytes.")               \
    NUMBER(lower, "lower", "Lower bound.")                                           \
    NUMBER(upper, "upper", "Upper bound; absent = none.")                            \
    NUMBER(value, "value", "Amount after all.")                                      \
    STRING(text, "text", "The same as a quantity; absent when kept.")                \
    ENUM(reason, "reason", jl_scale_reason, jl_scale_reason_words, "What decided.")  \
    NUMBER(limit, "limit", "Limit that follows the request.")                        \
    STRING(limit_text, "limitText", "The same as a quantity; absent when kept.")     \
    OBJECT(estimates, "estimates", layer_both, "Whole TFLOPS and bytes.")            \
    OBJECT(max_allowed, "maxAllowed", layer_side, "What a request may grow to.")     \
    OBJECT(resources, "resources", layer_resources, "The recommendation.")           \
    NUMBER(lower_factor, "lowerFactor", "What confidence makes of the lower bound.") \
    NUMBER(upper_factor, "upperFactor", "What confidence makes of the upper bound.")
#include "schema/record.h"

#undef AMOUNT
#undef FACTOR
#undef DURATION_S

/* ---- members whose type depends on the layer ---- */

/* A member that is an object of the table; out is zeroed when the bit is not set. */
static int read_part(struct jl_ask *ask, const struct autoscale_layer_in *in, unsigned bit,
                     const struct jl_raw *raw, const struct jl_table *table, void *out)
{
    const struct jl_path at = { .key = jl_text(autoscale_layer_in_table.rows[bit].key) };
    memset(out, 0, table->size);
    return JL_HAS(in, bit) ? jl_decode_raw(ask->decode, raw, &at, table, out) : 0;
}

static int read_amount(struct jl_ask *ask, const struct autoscale_layer_in *in, unsigned bit,
                       const struct jl_raw *raw, double *out)
{
    const struct jl_path at = { .key = jl_text(autoscale_layer_in_table.rows[bit].key) };
    double amount = 0;
    if (!JL_HAS(in, bit))
        return 0;
    if (jl_parse_double(raw->text, raw->len, &amount) < 0)
        return jl_decode_fail(ask->decode, JOULIE_E_TYPE, &at, raw->offset, "expected a number");
    if (amount < 0 || amount > LARGEST_AMOUNT)
        return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, raw->offset,
                              "an amount is within 0 and 9.2e18");
    *out = amount;
    return 0;
}

/* ---- answers ---- */

static const char *text_of(struct jl_ask *ask, enum jl_usage usage, double amount, int *rc)
{
    const char *text = NULL;
    *rc = jl_amount_print(ask->arena, usage, amount, &text);
    if (*rc == JOULIE_E_RANGE)
        jl_ask_fail(ask, *rc, "current", "the new amount is beyond what a quantity holds");
    else if (*rc < 0)
        *rc = jl_fail_memory(ask->err);
    return text;
}

static int put_layer(struct jl_ask *ask, enum jl_usage usage, const struct jl_layer_result *result,
                     struct autoscale_layer_out *out)
{
    int rc = 0;
    if (result->has_target) {
        JL_SET(out, target, result->target);
        JL_SET(out, lower, result->lower);
        JL_SET_IF(out, upper, jl_is_finite(result->upper), result->upper);
    }
    JL_SET(out, value, result->value);
    JL_SET(out, reason, result->reason);
    if (!result->is_kept)
        JL_SET(out, text, text_of(ask, usage, result->value, &rc));
    if (rc < 0 || !result->has_limit)
        return rc;
    JL_SET(out, limit, result->limit);
    if (!result->is_limit_kept)
        JL_SET(out, limit_text, text_of(ask, usage, result->limit, &rc));
    return rc;
}

static int answer_limits(struct jl_ask *ask, const struct autoscale_layer_in *in,
                         enum jl_usage usage, struct autoscale_layer_out *out)
{
    struct jl_limits_input input;
    struct jl_layer_result result;
    jl_limits_defaults(usage, &input);
    const int rc =
        read_amount(ask, in, JL_INDEX(autoscale_layer_in, current), &in->current, &input.current);
    if (rc < 0)
        return rc;
    input.buffer = JL_GIVEN_OR(in, buffer, input.buffer);
    input.ignored = JL_GIVEN_OR(in, ignored, input.ignored);
    input.step = JL_GIVEN_OR(in, step, input.step);
    input.max_ratio = JL_GIVEN_OR(in, max_ratio, input.max_ratio);
    JL_SET_IF(&input, p99, in->given.p99, in->p99);
    JL_SET_IF(&input, peak, in->given.peak, in->peak);
    JL_SET_IF(&input, forecast, in->given.forecast, in->forecast);
    JL_SET_IF(&input, capacity, in->given.capacity, in->capacity);
    input.request = in->request;
    input.floor = in->floor;
    input.is_throttled = in->throttled;
    input.is_oom_killed = in->oom_killed;
    input.is_oom_answered = in->oom_answered;
    if (in->given.evaluation_period_s)
        input.period_ns = (int64_t)(in->evaluation_period_s * JL_NS_PER_S);
    JL_SET_IF(&input, samples, in->given.samples, in->samples);
    jl_scale_limits(&input, &result);
    return put_layer(ask, usage, &result, out);
}

/* The members of any type of a request. */
static int read_requests(struct jl_ask *ask, const struct autoscale_layer_in *in,
                         struct jl_requests_input *out)
{
    struct layer_bounds bounds;
    int rc = read_part(ask, in, JL_INDEX(autoscale_layer_in, percentiles), &in->percentiles,
                       &layer_bounds_table, &bounds);
    out->lower = bounds.lower;
    out->target = bounds.target;
    out->upper = bounds.upper;
    if (rc == 0)
        rc = read_amount(ask, in, JL_INDEX(autoscale_layer_in, current), &in->current,
                         &out->current);
    if (rc == 0)
        rc = read_amount(ask, in, JL_INDEX(autoscale_layer_in, original), &in->original,
                         &out->original);
    if (rc == 0)
        rc = read_amount(ask, in, JL_INDEX(autoscale_layer_in, max_allowed), &in->max_allowed,
                         &out->max_allowed);
    return rc;
}

static int answer_requests(struct jl_ask *ask, const struct autoscale_layer_in *in,
                           enum jl_usage usage, struct autoscale_layer_out *out)
{
    struct jl_requests_input input = { .usage = usage, .multiplier = JL_REQUESTS_MULTIPLIER };
    struct jl_layer_result result;
    const int rc = read_requests(ask, in, &input);
    if (rc < 0)
        return rc;
    input.given.percentiles = in->given.percentiles;
    input.given.max_allowed = in->given.max_allowed;
    JL_SET_IF(&input, forecast, in->given.forecast, in->forecast);
    JL_SET_IF(&input, used, in->given.used, in->used);
    JL_SET_IF(&input, limit, in->given.limit, in->limit);
    input.multiplier = JL_GIVEN_OR(in, multiplier, input.multiplier);
    input.confidence_days = in->confidence;
    input.is_limits_layer = in->limits_layer;
    jl_scale_requests(&input, &result);
    return put_layer(ask, usage, &result, out);
}

/* ---- the layer percentile ---- */

static struct jl_estimate estimate_of(const struct layer_bounds *bounds)
{
    return (struct jl_estimate){ bounds->lower, bounds->target, bounds->upper };
}

static struct jl_estimates estimates_of(const struct layer_both *both)
{
    return (struct jl_estimates){ { estimate_of(&both->tflops), estimate_of(&both->vram) } };
}

static struct jl_amounts amounts_of(const struct layer_resources *resources)
{
    return (struct jl_amounts){ {
        { resources->requests.tflops, resources->limits.tflops },
        { resources->requests.vram, resources->limits.vram },
    } };
}

static struct jl_amount_bounds bounds_of(const struct layer_side *side)
{
    return (struct jl_amount_bounds){ side->has, { side->tflops, side->vram } };
}

static void put_bounds(struct layer_bounds *out, const struct jl_estimate *estimate)
{
    JL_SET(out, lower, estimate->lower);
    JL_SET(out, target, estimate->target);
    /* without confidence there is none */
    JL_SET_IF(out, upper, jl_is_finite(estimate->upper), estimate->upper);
}

static void put_estimates(struct autoscale_layer_out *out, const struct jl_estimates *estimates)
{
    put_bounds(&out->estimates.tflops, &estimates->of[JL_USAGE_TFLOPS]);
    put_bounds(&out->estimates.vram, &estimates->of[JL_USAGE_VRAM]);
    out->estimates.given.tflops = true;
    out->estimates.given.vram = true;
    out->given.estimates = true;
}

static void put_resources(struct autoscale_layer_out *out, const struct jl_amounts *amounts)
{
    struct layer_resources *resources = &out->resources;
    JL_SET(&resources->requests, tflops, amounts->of[JL_USAGE_TFLOPS].request);
    JL_SET(&resources->requests, vram, amounts->of[JL_USAGE_VRAM].request);
    JL_SET(&resources->limits, tflops, amounts->of[JL_USAGE_TFLOPS].limit);
    JL_SET(&resources->limits, vram, amounts->of[JL_USAGE_VRAM].limit);
    resources->given.requests = true;
    resources->given.limits = true;
    out->given.resources = true;
}

static void put_factors(struct autoscale_layer_out *out, double confidence_days)
{
    if (!(confidence_days > 0))
        return;
    JL_SET(out, lower_factor, jl_lower_factor(confidence_days));
    JL_SET(out, upper_factor, jl_upper_factor(confidence_days));
}

static int find_estimates(struct jl_ask *ask, const struct autoscale_layer_in *in,
                          struct jl_percentile_input *input,
                          const struct jl_percentile_config *config)
{
    struct layer_both both;
    if (in->given.estimates) {
        const int rc = read_part(ask, in, JL_INDEX(autoscale_layer_in, estimates), &in->estimates,
                                 &layer_both_table, &both);
        if (rc == 0)
            input->estimates = estimates_of(&both);
        return rc;
    }
    const int rc = read_part(ask, in, JL_INDEX(autoscale_layer_in, percentiles), &in->percentiles,
                             &layer_both_table, &both);
    if (rc < 0)
        return rc;
    const struct jl_estimates percentiles = estimates_of(&both);
    jl_percentile_estimates(input->rules, &percentiles, config->margin_frac, in->confidence,
                            &input->estimates);
    return 0;
}

static int find_amounts(struct jl_ask *ask, const struct autoscale_layer_in *in,
                        struct jl_percentile_input *input)
{
    struct layer_resources resources;
    int rc = read_part(ask, in, JL_INDEX(autoscale_layer_in, current), &in->current,
                       &layer_resources_table, &resources);
    if (rc < 0)
        return rc;
    input->current = amounts_of(&resources);
    input->original = input->current;
    if (!in->given.original)
        return 0;
    rc = read_part(ask, in, JL_INDEX(autoscale_layer_in, original), &in->original,
                   &layer_resources_table, &resources);
    input->original = amounts_of(&resources);
    return rc;
}

static int find_max_allowed(struct jl_ask *ask, const struct autoscale_layer_in *in,
                            struct jl_amount_bounds *out)
{
    struct layer_side side;
    const int rc = read_part(ask, in, JL_INDEX(autoscale_layer_in, max_allowed), &in->max_allowed,
                             &layer_side_table, &side);
    *out = bounds_of(&side);
    if (rc < 0 || !in->given.gpus || in->given.max_allowed)
        return rc;

    struct jl_gpu_share *gpus = JL_NEW_ARRAY(ask->arena, in->gpus.count, struct jl_gpu_share);
    for (size_t i = 0; gpus != NULL && i < in->gpus.count; i++) {
        const struct layer_gpu *gpu = JL_ITEM(in->gpus, layer_gpu, i);
        struct jl_amounts *own = JL_NEW_ARRAY(ask->arena, gpu->own.count, struct jl_amounts);
        if (own == NULL)
            return jl_fail_memory(ask->err);
        for (size_t worker = 0; worker < gpu->own.count; worker++) {
            const struct layer_side *booked = JL_ITEM(gpu->own, layer_side, worker);
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

static int recommend(struct jl_ask *ask, const struct autoscale_layer_in *in,
                     struct jl_percentile_input *input, struct autoscale_layer_out *out)
{
    struct jl_percentile_config config;
    struct jl_percentile_result result;
    jl_percentile_defaults(&config);
    config.margin_frac = JL_GIVEN_OR(in, margin, config.margin_frac);
    if (in->given.initial_delay_s)
        config.initial_delay_ns = (int64_t)(in->initial_delay_s * JL_NS_PER_S);
    if (in->given.age_s)
        JL_SET(input, age_ns, (int64_t)(in->age_s * JL_NS_PER_S));
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
        out->max_allowed = (struct layer_side){ .has = input->max_allowed.has,
                                                .tflops = input->max_allowed.of[JL_USAGE_TFLOPS],
                                                .vram = input->max_allowed.of[JL_USAGE_VRAM] };
        out->given.max_allowed = true;
    }
    if (result.is_recommendation)
        put_resources(out, &result.amounts);
    JL_SET_IF(out, reason, result.reason != JL_REASON_NONE, result.reason);
    return 0;
}

static int answer_percentile(struct jl_ask *ask, const struct autoscale_layer_in *in,
                             struct autoscale_layer_out *out)
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

/* ---- the question ---- */

static int answer_autoscale_layer(struct jl_ask *ask, const struct autoscale_layer_in *in,
                                  struct autoscale_layer_out *out)
{
    if (in->layer == LAYER_PERCENTILE) {
        if (jl_is_current(ask))
            return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "options.model",
                               "the layer percentile is of v2.17.1 and v1.45.0");
        return answer_percentile(ask, in, out);
    }
    if (!jl_is_current(ask))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "layer",
                           "v2.17.1 and v1.45.0 have only the layer percentile");
    const int rc = jl_ask_require(ask, &autoscale_layer_in_table, in,
                                  JL_ASK_ROW(autoscale_layer_in, resource));
    if (rc < 0)
        return rc;
    const enum jl_usage usage = in->resource == USAGE_WORD_VRAM ? JL_USAGE_VRAM : JL_USAGE_TFLOPS;
    return in->layer == LAYER_LIMITS ? answer_limits(ask, in, usage, out)
                                     : answer_requests(ask, in, usage, out);
}

JL_QUESTION(autoscale_layer, "autoscale.layer",
            "One evaluation of one layer of the TensorFusion autoscaler",
            JL_MODELS("current", "v2.17.1", "v1.45.0"));
