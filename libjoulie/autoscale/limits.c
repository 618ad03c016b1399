/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The limits layer, one resource per call (docs/rules/autoscaling.md#limits-layer; steps in
 * comments are those of that page). Called by the engine and the question autoscale.layer.
 */

#include "autoscale/limits.h"

#include <math.h>

#include "base/number.h"
#include "kubernetes/quantity.h"

#define SATURATED_FRAC 0.95 /* of the limit, step 5 */

#define WINDOW_NS INT64_C(60000000000) /* the window is one minute or one period */
#define ENOUGH_SAMPLES 3               /* of the periods in a window, step 1 */

/* A counter that is none must not double a limit for ever where no bound is known: no estimate is
 * larger either. */
#define MOST_AFTER_KILLS_BYTES 1e14

int64_t jl_limits_window_ns(int64_t period_ns)
{
    return period_ns > WINDOW_NS ? period_ns : WINDOW_NS;
}

static bool is_killed(const struct jl_limits_input *in)
{
    return in->usage == JL_USAGE_VRAM && in->is_oom_killed && in->current > 0;
}

/* Step 1. After a kill the sample that shows it is enough: a lone worker that starts again sends
 * no more than that. */
static bool has_enough_samples(const struct jl_limits_input *in)
{
    if (is_killed(in))
        return true;
    if (!in->given.p99 && !in->given.peak)
        return false;
    if (!in->given.samples)
        return true;
    const int64_t periods = jl_limits_window_ns(in->period_ns) / in->period_ns;
    return in->samples >= (periods < ENOUGH_SAMPLES ? periods : ENOUGH_SAMPLES);
}

/* Step 2. */
static double target_of(const struct jl_limits_input *in, double peak)
{
    const double p99 = in->given.p99 ? in->p99 : 0;
    double usage = jl_max(p99, peak);
    if (in->given.forecast)
        usage = jl_max(usage, in->forecast);
    return usage * (1 + in->buffer);
}

/* Step 3. A request that nobody set bounds nothing: 5 times nothing would be a limit of 0. */
static void find_bounds(const struct jl_limits_input *in, struct jl_layer_result *out)
{
    out->lower = jl_max(in->request, in->floor);
    out->upper = in->request > 0 ? in->request * in->max_ratio : (double)INFINITY;
    if (in->given.capacity)
        out->upper = jl_min(out->upper, in->capacity);
    out->upper = jl_max(out->upper, out->lower);
}

/* Steps 4 and 8. */
static bool is_near(const struct jl_limits_input *in, double amount)
{
    return in->current > 0 &&
           fabs(amount - in->current) / in->current <= in->ignored + JL_SCALE_SLACK;
}

/* Step 5. At the limit the need is unknown: by what factor it is probed; 1 below it. */
static double probe_factor(const struct jl_limits_input *in, double peak)
{
    const bool is_throttled = in->usage == JL_USAGE_TFLOPS && in->is_throttled;
    if (in->current > 0 && (peak >= SATURATED_FRAC * in->current || is_throttled))
        return in->step;
    const bool is_fresh_kill = is_killed(in) && !in->is_oom_answered;
    return is_fresh_kill && in->current * in->step <= MOST_AFTER_KILLS_BYTES ? in->step : 1;
}

/* Step 6, before the clamps of step 7. */
static double wanted(const struct jl_limits_input *in, double peak, struct jl_layer_result *out)
{
    const double factor = probe_factor(in, peak);
    out->reason = JL_REASON_SCALED_UP;
    if (out->target < in->current && !is_killed(in)) {
        out->reason = JL_REASON_SCALED_DOWN;
        return out->target;
    }
    return jl_max(out->target, in->current * factor);
}

static void decide(const struct jl_limits_input *in, struct jl_layer_result *out)
{
    const double peak = in->given.peak ? in->peak : 0;
    if (!is_killed(in) && is_near(in, out->target)) {
        out->reason = JL_REASON_WITHIN_IGNORED_RANGE;
        out->is_kept = true;
        return;
    }

    const double clamped = jl_min(jl_max(wanted(in, peak, out), out->lower), out->upper);
    const double rounded = jl_round_up_to(clamped, jl_usage_step(in->usage));
    const bool is_at_upper = clamped >= out->upper || rounded >= out->upper;
    /* A kill lowers no limit, not even to its upper bound. */
    const bool is_held = is_killed(in) && clamped <= in->current;
    out->is_kept = is_held || is_near(in, rounded);
    if (!out->is_kept) {
        out->value = rounded;
        out->is_at_upper = is_at_upper;
    } else if (is_at_upper) {
        out->reason = JL_REASON_AT_MAXIMUM;
        out->is_at_upper = true;
    } else if (clamped <= out->lower || rounded <= out->lower) {
        out->reason = JL_REASON_AT_MINIMUM;
    } else {
        out->reason = JL_REASON_WITHIN_IGNORED_RANGE;
    }
}

void jl_scale_limits(const struct jl_limits_input *in, struct jl_layer_result *out)
{
    *out = (struct jl_layer_result){ .value = in->current };
    find_bounds(in, out);
    if (has_enough_samples(in)) {
        out->has_target = true;
        out->target = target_of(in, in->given.peak ? in->peak : 0);
        decide(in, out);
    } else {
        out->is_kept = true;
        out->reason = JL_REASON_LOW_CONFIDENCE;
    }
    if (out->is_kept && in->current >= out->upper * (1 - JL_SCALE_SLACK))
        out->is_at_upper = true;
}
