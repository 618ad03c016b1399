/* SPDX-License-Identifier: Apache-2.0 */

/* autoscale.layer: one evaluation of one layer (tensor-fusion.md §7.5, §7.9, §8.3, §8.4). */
#include "ask/autoscale_layer.h"

#include <string.h>

#include <joulie/error.h>

#include "autoscale/limits.h"
#include "autoscale/requests.h"
#include "base/error.h"
#include "base/number.h"
#include "kubernetes/quantity.h"

static const struct jl_word layer_words[] = {
    { JL_LAYER_LIMITS, "limits" },
    { JL_LAYER_REQUESTS, "requests" },
    { JL_LAYER_PERCENTILE, "percentile" },
};
static const struct jl_words layers = JL_WORDS(layer_words);

static const struct jl_word resource_words[] = {
    { JL_USAGE_WORD_TFLOPS, "tflops" },
    { JL_USAGE_WORD_VRAM, "vram" },
};
static const struct jl_words resources = JL_WORDS(resource_words);

#define AMOUNT .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = JL_LARGEST_AMOUNT
#define FACTOR .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = LARGEST_FACTOR
#define SECONDS .flags = JL_NOT_NEGATIVE | JL_HAS_MAX, .max = JL_LONGEST_S
#define LARGEST_FACTOR 1e6
#define SHORTEST_PERIOD_S 1e-9

static const struct jl_row in_rows[] = {
    [JL_LAYER_IN_LAYER] = JL_ENUM(jl_layer_in, layer, "layer", &layers, .flags = JL_REQUIRED,
                                  .doc = "Which layer; percentile is the source's."),
    [JL_LAYER_IN_RESOURCE] = JL_ENUM(jl_layer_in, resource, "resource", &resources,
                                     .doc = "What is scaled; limits and requests need it."),
    [JL_LAYER_IN_CURRENT] =
        JL_RAW(jl_layer_in, current, "current",
               .doc = "Amount now, TFLOPS or bytes, 0 = none; percentile: the four amounts."),
    [JL_LAYER_IN_FORECAST] =
        JL_NUMBER(jl_layer_in, forecast, "forecast", AMOUNT, .doc = "Peak of the forecast."),
    [JL_LAYER_IN_REQUEST] =
        JL_NUMBER(jl_layer_in, request, "request", AMOUNT, .doc = "limits: the request."),
    [JL_LAYER_IN_P99] = JL_NUMBER(jl_layer_in, p99, "p99", AMOUNT,
                                  .doc = "limits: 99th percentile of the decayed histogram."),
    [JL_LAYER_IN_PEAK] = JL_NUMBER(jl_layer_in, peak, "peak", AMOUNT,
                                   .doc = "limits: largest sample of the last 60 s."),
    [JL_LAYER_IN_CAPACITY] =
        JL_NUMBER(jl_layer_in, capacity, "capacity", AMOUNT, .doc = "limits: capacity of one GPU."),
    [JL_LAYER_IN_FLOOR] =
        JL_NUMBER(jl_layer_in, floor, "floor", AMOUNT,
                  .doc = "limits: what the workers hold and cannot be taken from them (0)."),
    [JL_LAYER_IN_BUFFER] = JL_NUMBER(jl_layer_in, buffer, "buffer", FACTOR,
                                     .doc = "limits: fraction added (0.2, VRAM 0.15)."),
    [JL_LAYER_IN_IGNORED] =
        JL_NUMBER(jl_layer_in, ignored, "ignored", FACTOR,
                  .doc = "limits: relative band in which nothing changes (0.05)."),
    [JL_LAYER_IN_STEP] = JL_NUMBER(jl_layer_in, step, "step", FACTOR,
                                   .doc = "limits: growth multiplier at the limit (2)."),
    [JL_LAYER_IN_MAX_RATIO] = JL_NUMBER(jl_layer_in, max_ratio, "maxRatio", FACTOR,
                                        .doc = "limits: limit over request, at most (5)."),
    [JL_LAYER_IN_THROTTLED] = JL_BOOLEAN(jl_layer_in, throttled, "throttled",
                                         .doc = "limits: whether throttling was seen."),
    [JL_LAYER_IN_OOM_KILLED] =
        JL_BOOLEAN(jl_layer_in, oom_killed, "oomKilled",
                   .doc = "limits: whether a worker was killed for the memory of its GPU."),
    [JL_LAYER_IN_OOM_ANSWERED] =
        JL_BOOLEAN(jl_layer_in, oom_answered, "oomAnswered",
                   .doc = "limits: whether the limit was raised for that already."),
    [JL_LAYER_IN_SAMPLES] = JL_INTEGER(jl_layer_in, samples, "samples", .flags = JL_NOT_NEGATIVE,
                                       .doc = "limits: samples in the window; absent = enough."),
    [JL_LAYER_IN_PERIOD] =
        JL_NUMBER(jl_layer_in, evaluation_period_s, "evaluationPeriodS",
                  .flags = JL_HAS_MIN | JL_HAS_MAX, .min = SHORTEST_PERIOD_S, .max = JL_LONGEST_S,
                  .doc = "limits: period of the evaluations, s (10)."),
    [JL_LAYER_IN_ORIGINAL] = JL_RAW(jl_layer_in, original, "original",
                                    .doc = "Request of the spec, 0 = none; percentile: the four "
                                           "amounts of the spec (those of current)."),
    [JL_LAYER_IN_CONFIDENCE] = JL_NUMBER(jl_layer_in, confidence, "confidence", AMOUNT,
                                         .doc = "requests, v1.45.0: days of samples (0)."),
    [JL_LAYER_IN_PERCENTILES] =
        JL_RAW(jl_layer_in, percentiles, "percentiles",
               .doc = "requests: lower, target, upper of the histogram; percentile: the same for "
                      "tflops and vram."),
    [JL_LAYER_IN_MULTIPLIER] = JL_NUMBER(jl_layer_in, multiplier, "multiplier", FACTOR,
                                         .doc = "requests: buffer as a factor (1.1)."),
    [JL_LAYER_IN_MAX_ALLOWED] =
        JL_RAW(jl_layer_in, max_allowed, "maxAllowed",
               .doc = "What a request may grow to; percentile: tflops and vram."),
    [JL_LAYER_IN_USED] = JL_NUMBER(jl_layer_in, used, "used", AMOUNT,
                                   .doc = "requests: largest VRAM usage of a worker now."),
    [JL_LAYER_IN_LIMIT] = JL_NUMBER(jl_layer_in, limit, "limit", AMOUNT,
                                    .doc = "requests: the limit that is coupled to it."),
    [JL_LAYER_IN_LIMITS_LAYER] = JL_BOOLEAN(jl_layer_in, limits_layer, "limitsLayer",
                                            .doc = "requests: whether the limits layer is on."),
    [JL_LAYER_IN_MARGIN] = JL_NUMBER(jl_layer_in, margin, "margin", FACTOR,
                                     .doc = "percentile: fraction added (0.15)."),
    [JL_LAYER_IN_QOS] =
        JL_STRING(jl_layer_in, qos, "qos", .doc = "percentile: low, medium, high, critical."),
    [JL_LAYER_IN_GPUS] = JL_LIST(jl_layer_in, gpus, "gpus", &jl_layer_gpu_table,
                                 .doc = "percentile: GPUs of the workers, in place of maxAllowed."),
    [JL_LAYER_IN_AGE] = JL_NUMBER(jl_layer_in, age_s, "ageS", SECONDS,
                                  .doc = "percentile: age of the workload, s; absent = enough."),
    [JL_LAYER_IN_INITIAL_DELAY] = JL_NUMBER(jl_layer_in, initial_delay_s, "initialDelayS", SECONDS,
                                            .doc = "percentile: age that is enough, s (1800)."),
    [JL_LAYER_IN_ESTIMATES] =
        JL_RAW(jl_layer_in, estimates, "estimates",
               .doc = "percentile: finished estimates, in place of percentiles."),
};
static const struct jl_table in_table = JL_TABLE(jl_layer_in, in_rows);

static const struct jl_row out_rows[] = {
    [JL_LAYER_OUT_TARGET] =
        JL_NUMBER(jl_layer_out, target, "target", .doc = "Amount before clamps, TFLOPS or bytes."),
    [JL_LAYER_OUT_LOWER] = JL_NUMBER(jl_layer_out, lower, "lower", .doc = "Lower bound."),
    [JL_LAYER_OUT_UPPER] =
        JL_NUMBER(jl_layer_out, upper, "upper", .doc = "Upper bound; absent = none."),
    [JL_LAYER_OUT_VALUE] = JL_NUMBER(jl_layer_out, value, "value", .doc = "Amount after all."),
    [JL_LAYER_OUT_TEXT] =
        JL_STRING(jl_layer_out, text, "text", .doc = "The same as a quantity; absent when kept."),
    [JL_LAYER_OUT_REASON] =
        JL_ENUM(jl_layer_out, reason, "reason", &jl_scale_reason_words, .doc = "What decided."),
    [JL_LAYER_OUT_LIMIT] =
        JL_NUMBER(jl_layer_out, limit, "limit", .doc = "Limit that follows the request."),
    [JL_LAYER_OUT_LIMIT_TEXT] = JL_STRING(jl_layer_out, limit_text, "limitText",
                                          .doc = "The same as a quantity; absent when kept."),
    [JL_LAYER_OUT_ESTIMATES] = JL_OBJECT(jl_layer_out, estimates, "estimates", &jl_layer_both_table,
                                         .doc = "Whole TFLOPS and bytes."),
    [JL_LAYER_OUT_MAX_ALLOWED] =
        JL_OBJECT(jl_layer_out, max_allowed, "maxAllowed", &jl_layer_side_table,
                  .doc = "What a request may grow to."),
    [JL_LAYER_OUT_RESOURCES] = JL_OBJECT(jl_layer_out, resources, "resources",
                                         &jl_layer_resources_table, .doc = "The recommendation."),
    [JL_LAYER_OUT_LOWER_FACTOR] = JL_NUMBER(jl_layer_out, lower_factor, "lowerFactor",
                                            .doc = "What confidence makes of the lower bound."),
    [JL_LAYER_OUT_UPPER_FACTOR] = JL_NUMBER(jl_layer_out, upper_factor, "upperFactor",
                                            .doc = "What confidence makes of the upper bound."),
};
static const struct jl_table out_table = JL_TABLE(jl_layer_out, out_rows);

/* ---- members whose type depends on the layer ---- */

int jl_ask_layer_part(struct jl_ask *ask, const struct jl_layer_in *in, unsigned bit,
                      const struct jl_raw *raw, const struct jl_table *table, void *out)
{
    const struct jl_path at = { .key = jl_text(in_rows[bit].key) };
    memset(out, 0, table->size);
    return JL_HAS(in, bit) ? jl_decode_raw(ask->decode, raw, &at, table, out) : 0;
}

static int read_amount(struct jl_ask *ask, const struct jl_layer_in *in, unsigned bit,
                       const struct jl_raw *raw, double *out)
{
    const struct jl_path at = { .key = jl_text(in_rows[bit].key) };
    double amount = 0;
    if (!JL_HAS(in, bit))
        return 0;
    if (jl_parse_double(raw->text, raw->len, &amount) < 0)
        return jl_decode_fail(ask->decode, JOULIE_E_TYPE, &at, raw->offset, "expected a number");
    if (amount < 0 || amount > JL_LARGEST_AMOUNT)
        return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, raw->offset,
                              "an amount is within 0 and 9.2e18");
    *out = amount;
    return 0;
}

/* ---- answers ---- */

static const char *text_of(struct jl_ask *ask, enum jl_usage usage, double amount, int *rc)
{
    struct jl_quantity quantity;
    char text[JL_QUANTITY_TEXT];
    *rc = usage == JL_USAGE_VRAM ? jl_quantity_of_vram(amount, &quantity)
                                 : jl_quantity_of_tflops(amount, &quantity);
    if (*rc < 0) {
        jl_ask_fail(ask, *rc, "current", "the new amount is beyond what a quantity holds");
        return NULL;
    }
    const char *copy = jl_arena_copy(ask->arena, text, jl_format_quantity(&quantity, text));
    if (copy == NULL)
        *rc = jl_fail_memory(ask->err);
    return copy;
}

static int put_layer(struct jl_ask *ask, enum jl_usage usage, const struct jl_layer_result *result,
                     struct jl_layer_out *out)
{
    int rc = 0;
    if (result->has_target) {
        JL_PUT(out, JL_LAYER_OUT_TARGET, target, result->target);
        JL_PUT(out, JL_LAYER_OUT_LOWER, lower, result->lower);
        if (jl_is_finite(result->upper))
            JL_PUT(out, JL_LAYER_OUT_UPPER, upper, result->upper);
    }
    JL_PUT(out, JL_LAYER_OUT_VALUE, value, result->value);
    JL_PUT(out, JL_LAYER_OUT_REASON, reason, result->reason);
    if (!result->is_kept)
        JL_PUT(out, JL_LAYER_OUT_TEXT, text, text_of(ask, usage, result->value, &rc));
    if (rc < 0 || !result->has_limit)
        return rc;
    JL_PUT(out, JL_LAYER_OUT_LIMIT, limit, result->limit);
    if (!result->is_limit_kept)
        JL_PUT(out, JL_LAYER_OUT_LIMIT_TEXT, limit_text, text_of(ask, usage, result->limit, &rc));
    return rc;
}

/* Takes a member that is given. */
static bool take(const struct jl_layer_in *in, unsigned bit, double value, double *out)
{
    if (!JL_HAS(in, bit))
        return false;
    *out = value;
    return true;
}

static int answer_limits(struct jl_ask *ask, const struct jl_layer_in *in, enum jl_usage usage,
                         struct jl_layer_out *out)
{
    struct jl_limits_input input;
    struct jl_layer_result result;
    jl_limits_defaults(usage, &input);
    const int rc = read_amount(ask, in, JL_LAYER_IN_CURRENT, &in->current, &input.current);
    if (rc < 0)
        return rc;
    take(in, JL_LAYER_IN_BUFFER, in->buffer, &input.buffer);
    take(in, JL_LAYER_IN_IGNORED, in->ignored, &input.ignored);
    take(in, JL_LAYER_IN_STEP, in->step, &input.step);
    take(in, JL_LAYER_IN_MAX_RATIO, in->max_ratio, &input.max_ratio);
    if (take(in, JL_LAYER_IN_P99, in->p99, &input.p99))
        JL_MARK(&input, JL_LIMITS_P99);
    if (take(in, JL_LAYER_IN_PEAK, in->peak, &input.peak))
        JL_MARK(&input, JL_LIMITS_PEAK);
    if (take(in, JL_LAYER_IN_FORECAST, in->forecast, &input.forecast))
        JL_MARK(&input, JL_LIMITS_FORECAST);
    if (take(in, JL_LAYER_IN_CAPACITY, in->capacity, &input.capacity))
        JL_MARK(&input, JL_LIMITS_CAPACITY);
    input.request = in->request;
    input.floor = in->floor;
    input.is_throttled = in->throttled;
    input.is_oom_killed = in->oom_killed;
    input.is_oom_answered = in->oom_answered;
    if (JL_HAS(in, JL_LAYER_IN_PERIOD))
        input.period_ns = (int64_t)(in->evaluation_period_s * JL_NS_PER_S);
    if (JL_HAS(in, JL_LAYER_IN_SAMPLES))
        JL_PUT(&input, JL_LIMITS_SAMPLES, samples, in->samples);
    jl_scale_limits(&input, &result);
    return put_layer(ask, usage, &result, out);
}

/* The members of any type of a request. */
static int read_requests(struct jl_ask *ask, const struct jl_layer_in *in,
                         struct jl_requests_input *out)
{
    struct jl_layer_bounds bounds;
    int rc = jl_ask_layer_part(ask, in, JL_LAYER_IN_PERCENTILES, &in->percentiles,
                               &jl_layer_bounds_table, &bounds);
    out->lower = bounds.lower;
    out->target = bounds.target;
    out->upper = bounds.upper;
    if (rc == 0)
        rc = read_amount(ask, in, JL_LAYER_IN_CURRENT, &in->current, &out->current);
    if (rc == 0)
        rc = read_amount(ask, in, JL_LAYER_IN_ORIGINAL, &in->original, &out->original);
    if (rc == 0)
        rc = read_amount(ask, in, JL_LAYER_IN_MAX_ALLOWED, &in->max_allowed, &out->max_allowed);
    return rc;
}

static int answer_requests(struct jl_ask *ask, const struct jl_layer_in *in, enum jl_usage usage,
                           struct jl_layer_out *out)
{
    struct jl_requests_input input = { .usage = usage, .multiplier = JL_REQUESTS_MULTIPLIER };
    struct jl_layer_result result;
    const int rc = read_requests(ask, in, &input);
    if (rc < 0)
        return rc;
    if (JL_HAS(in, JL_LAYER_IN_PERCENTILES))
        JL_MARK(&input, JL_REQUESTS_PERCENTILES);
    if (JL_HAS(in, JL_LAYER_IN_MAX_ALLOWED))
        JL_MARK(&input, JL_REQUESTS_MAX_ALLOWED);
    if (take(in, JL_LAYER_IN_FORECAST, in->forecast, &input.forecast))
        JL_MARK(&input, JL_REQUESTS_FORECAST);
    if (take(in, JL_LAYER_IN_USED, in->used, &input.used))
        JL_MARK(&input, JL_REQUESTS_USED);
    if (take(in, JL_LAYER_IN_LIMIT, in->limit, &input.limit))
        JL_MARK(&input, JL_REQUESTS_LIMIT);
    take(in, JL_LAYER_IN_MULTIPLIER, in->multiplier, &input.multiplier);
    input.confidence_days = in->confidence;
    input.is_limits_layer = in->limits_layer;
    jl_scale_requests(&input, &result);
    return put_layer(ask, usage, &result, out);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct jl_layer_in *in = input;
    struct jl_layer_out *out = output;
    if (in->layer == JL_LAYER_PERCENTILE) {
        if (jl_is_current(ask))
            return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "options.model",
                               "the layer percentile is of v2.17.1 and v1.45.0");
        return jl_ask_percentile(ask, in, out);
    }
    if (!jl_is_current(ask))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "layer",
                           "v2.17.1 and v1.45.0 have only the layer percentile");
    const int rc = jl_ask_require(ask, &in_table, in, JL_LAYER_IN_RESOURCE);
    if (rc < 0)
        return rc;
    const enum jl_usage usage =
        in->resource == JL_USAGE_WORD_VRAM ? JL_USAGE_VRAM : JL_USAGE_TFLOPS;
    return in->layer == JL_LAYER_LIMITS ? answer_limits(ask, in, usage, out)
                                        : answer_requests(ask, in, usage, out);
}

static const char *const models[] = { "current", "v2.17.1", "v1.45.0", NULL };

const struct jl_question jl_question_autoscale_layer = {
    .name = "autoscale.layer",
    .summary = "One evaluation of one layer of the TensorFusion autoscaler",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
