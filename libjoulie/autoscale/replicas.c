/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The replicas layer with its cool-downs (docs/rules/autoscaling.md#replicas-layer). Called by the
 * engine and the question autoscale.replicas.
 */

#include "autoscale/replicas.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

#define SLACK 1e-9 /* of ratios and of counts before they become whole */

#define HIGHEST_TARGET_FRAC 0.99
#define TOLERANCE 0.1       /* step 4, both sides at most */
#define SATURATED_FRAC 0.98 /* step 5 */

void jl_replicas_begin(struct jl_replicas_state *state, int64_t created_ns)
{
    *state = (struct jl_replicas_state){ .has_last_down = true, .last_down_ns = created_ns };
}

static double whole_up(double count)
{
    return ceil(count - SLACK);
}

/* Step 5: what scaling up may add. */
static double growth(const struct jl_replica_step *step, double n)
{
    return jl_max(1, whole_up(step->is_pods ? step->amount : n * step->amount));
}

/* Step 6: what scaling down may take away. */
static double shrinkage(const struct jl_replica_step *step, double n)
{
    return jl_max(1, floor((step->is_pods ? step->amount : n * step->amount) + SLACK));
}

/* Step 2: mean utilisation over the target, every missing worker counted as filler. */
static double ratio_of(const struct jl_replicas_input *in, double target_frac, double filler,
                       size_t missing)
{
    double sum = 0;
    for (size_t i = 0; i < in->reporting; i++)
        sum += in->utilizations[i];
    sum += filler * (double)missing;
    return sum / (double)(in->reporting + missing) / target_frac;
}

static bool is_saturated(const struct jl_replicas_input *in)
{
    size_t saturated = 0;
    for (size_t i = 0; i < in->reporting; i++)
        saturated += in->utilizations[i] >= SATURATED_FRAC * (1 - SLACK);
    return 2 * saturated >= in->reporting + in->missing;
}

/* Steps 4 to 7, before the clamp. */
static double wanted(const struct jl_replicas_input *in, double target_frac,
                     struct jl_replicas_result *out)
{
    const double n = (double)in->replicas;
    const double up_tolerance = jl_min(TOLERANCE, (1 / target_frac - 1) / 2);
    const double matching = whole_up(n * out->ratio);
    if (out->ratio > 1 + up_tolerance + SLACK) {
        const double highest = n + growth(&in->config->up, n);
        if (in->is_limits_bursting) {
            out->reason = JL_REASON_LIMITS_FIRST;
            return n;
        }
        if (is_saturated(in)) {
            out->reason = JL_REASON_SATURATED;
            return highest;
        }
        out->reason = JL_REASON_ABOVE_TARGET;
        return jl_min(matching, highest);
    }
    if (out->ratio < 1 - TOLERANCE - SLACK) {
        out->reason = JL_REASON_BELOW_TARGET;
        return jl_max(matching, n - shrinkage(&in->config->down, n));
    }
    out->reason = JL_REASON_WITHIN_TOLERANCE;
    return n;
}

/* Steps 1 to 7. */
static void find_desired(const struct jl_replicas_input *in, struct jl_replicas_result *out)
{
    const double target_frac = jl_min(in->config->target_frac, HIGHEST_TARGET_FRAC);
    out->desired = in->replicas;
    if (in->reporting == 0) {
        out->reason = JL_REASON_NO_METRICS;
        return;
    }
    out->has_ratio = true;
    out->ratio = ratio_of(in, target_frac, 0, 0);
    if (in->missing > 0) {
        const bool was_above = out->ratio > 1;
        out->ratio = ratio_of(in, target_frac, was_above ? 0 : 1, in->missing);
        if (was_above ? out->ratio < 1 : out->ratio > 1) {
            out->reason = JL_REASON_MISSING_METRICS;
            return;
        }
    }
    const double lowest = (double)in->config->min;
    const double highest = jl_min((double)in->config->max, JL_REPLICAS_MAX);
    out->desired = (int64_t)jl_clamp(wanted(in, target_frac, out), lowest, highest);
}

/* ---- cool-down and stabilisation ---- */

static void remove_wishes(struct jl_replicas_state *state, size_t at, size_t count)
{
    state->wish_count -= count;
    memmove(state->wishes + at, state->wishes + at + count,
            (state->wish_count - at) * sizeof *state->wishes);
}

/* Appends the wish, drops those that are over, and returns the largest that is left. */
static int64_t remember(struct jl_replicas_state *state, int64_t now_ns, int64_t desired,
                        int64_t cool_down_ns)
{
    size_t expired = 0;
    while (expired < state->wish_count && now_ns - state->wishes[expired].t_ns >= cool_down_ns)
        expired++;
    remove_wishes(state, 0, expired);

    while (state->wish_count > 0 && state->wishes[state->wish_count - 1].desired <= desired)
        state->wish_count--;
    if (state->wish_count == JL_REPLICAS_WISHES) {
        state->wishes[1].desired = state->wishes[0].desired;
        remove_wishes(state, 0, 1);
    }
    state->wishes[state->wish_count++] = (struct jl_replicas_wish){ now_ns, desired };
    return state->wishes[0].desired;
}

static bool is_over(bool has_last, int64_t last_ns, int64_t now_ns, int64_t cool_down_ns)
{
    return !has_last || now_ns - last_ns >= cool_down_ns;
}

static void scale_up(const struct jl_replicas_input *in, struct jl_replicas_state *state,
                     struct jl_replicas_result *out)
{
    if (!is_over(state->has_last_up, state->last_up_ns, in->now_ns, in->config->up_cool_down_ns)) {
        out->reason = JL_REASON_COOL_DOWN_UP;
        return;
    }
    state->has_last_up = true;
    state->last_up_ns = in->now_ns;
    out->to = out->desired;
}

static void scale_down(const struct jl_replicas_input *in, struct jl_replicas_state *state,
                       int64_t largest, struct jl_replicas_result *out)
{
    const int64_t cool_down_ns = in->config->down_cool_down_ns;
    if (largest >= in->replicas) {
        out->reason = JL_REASON_STABILIZING;
        return;
    }
    if (!is_over(state->has_last_up, state->last_up_ns, in->now_ns, cool_down_ns) ||
        !is_over(state->has_last_down, state->last_down_ns, in->now_ns, cool_down_ns)) {
        out->reason = JL_REASON_COOL_DOWN_DOWN;
        return;
    }
    state->has_last_down = true;
    state->last_down_ns = in->now_ns;
    out->to = largest;
    if (largest != out->desired)
        out->reason = JL_REASON_STABILIZING;
}

void jl_scale_replicas(const struct jl_replicas_input *in, struct jl_replicas_state *state,
                       struct jl_replicas_result *out)
{
    *out = (struct jl_replicas_result){ .to = in->replicas };
    find_desired(in, out);
    const int64_t largest =
        remember(state, in->now_ns, out->desired, in->config->down_cool_down_ns);
    if (out->desired > in->replicas)
        scale_up(in, state, out);
    else if (out->desired < in->replicas)
        scale_down(in, state, largest, out);
}
