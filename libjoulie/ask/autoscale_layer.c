/* SPDX-License-Identifier: Apache-2.0 */

/* autoscale.layer: one evaluation of one layer (docs/rules/autoscaling.md#limits-layer). */
#include "ask/autoscale_layer.h"

#include <string.h>

#include <joulie/error.h>

#include "autoscale/requests.h"
#include "base/error.h"
#include "base/number.h"
#include "kubernetes/quantity.h"

/* ---- members whose type depends on the layer ---- */

static int read_amount(struct jl_ask *ask, const struct jl_layer_in *in, unsigned bit,
                       const struct jl_raw *raw, double *out)
{
    const struct jl_path at = { .key = jl_text(jl_layer_in_table.rows[bit].key) };
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
        JL_SET(out, target, result->target);
        JL_SET(out, lower, result->lower);
        if (jl_is_finite(result->upper))
            JL_SET(out, upper, result->upper);
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
    const int rc =
        read_amount(ask, in, JL_INDEX(jl_layer_in, current), &in->current, &input.current);
    if (rc < 0)
        return rc;
    take(in, JL_INDEX(jl_layer_in, buffer), in->buffer, &input.buffer);
    take(in, JL_INDEX(jl_layer_in, ignored), in->ignored, &input.ignored);
    take(in, JL_INDEX(jl_layer_in, step), in->step, &input.step);
    take(in, JL_INDEX(jl_layer_in, max_ratio), in->max_ratio, &input.max_ratio);
    if (take(in, JL_INDEX(jl_layer_in, p99), in->p99, &input.p99))
        JL_MARK(&input, JL_LIMITS_P99);
    if (take(in, JL_INDEX(jl_layer_in, peak), in->peak, &input.peak))
        JL_MARK(&input, JL_LIMITS_PEAK);
    if (take(in, JL_INDEX(jl_layer_in, forecast), in->forecast, &input.forecast))
        JL_MARK(&input, JL_LIMITS_FORECAST);
    if (take(in, JL_INDEX(jl_layer_in, capacity), in->capacity, &input.capacity))
        JL_MARK(&input, JL_LIMITS_CAPACITY);
    input.request = in->request;
    input.floor = in->floor;
    input.is_throttled = in->throttled;
    input.is_oom_killed = in->oom_killed;
    input.is_oom_answered = in->oom_answered;
    if (in->given.evaluation_period_s)
        input.period_ns = (int64_t)(in->evaluation_period_s * JL_NS_PER_S);
    if (in->given.samples)
        JL_PUT(&input, JL_LIMITS_SAMPLES, samples, in->samples);
    jl_scale_limits(&input, &result);
    return put_layer(ask, usage, &result, out);
}

/* The members of any type of a request. */
static int read_requests(struct jl_ask *ask, const struct jl_layer_in *in,
                         struct jl_requests_input *out)
{
    struct jl_layer_bounds bounds;
    int rc = jl_ask_layer_part(ask, in, JL_INDEX(jl_layer_in, percentiles), &in->percentiles,
                               &jl_layer_bounds_table, &bounds);
    out->lower = bounds.lower;
    out->target = bounds.target;
    out->upper = bounds.upper;
    if (rc == 0)
        rc = read_amount(ask, in, JL_INDEX(jl_layer_in, current), &in->current, &out->current);
    if (rc == 0)
        rc = read_amount(ask, in, JL_INDEX(jl_layer_in, original), &in->original, &out->original);
    if (rc == 0)
        rc = read_amount(ask, in, JL_INDEX(jl_layer_in, max_allowed), &in->max_allowed,
                         &out->max_allowed);
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
    if (in->given.percentiles)
        JL_MARK(&input, JL_REQUESTS_PERCENTILES);
    if (in->given.max_allowed)
        JL_MARK(&input, JL_REQUESTS_MAX_ALLOWED);
    if (take(in, JL_INDEX(jl_layer_in, forecast), in->forecast, &input.forecast))
        JL_MARK(&input, JL_REQUESTS_FORECAST);
    if (take(in, JL_INDEX(jl_layer_in, used), in->used, &input.used))
        JL_MARK(&input, JL_REQUESTS_USED);
    if (take(in, JL_INDEX(jl_layer_in, limit), in->limit, &input.limit))
        JL_MARK(&input, JL_REQUESTS_LIMIT);
    take(in, JL_INDEX(jl_layer_in, multiplier), in->multiplier, &input.multiplier);
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
    const int rc = jl_ask_require(ask, &jl_layer_in_table, in, JL_INDEX(jl_layer_in, resource));
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
    .in = &jl_layer_in_table,
    .out = &jl_layer_out_table,
    .models = models,
    .answer = answer,
};
