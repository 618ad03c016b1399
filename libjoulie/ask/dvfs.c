/* SPDX-License-Identifier: Apache-2.0 */

/*
 * dvfs.apply, dvfs.percent and dvfs.run: throttles as frequencies, and the controllers that choose
 * them (docs/rules/frequencies.md).
 */

#include "caps/dvfs.h"

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "kinds/node_twin.h"
#include "power/cpufreq.h"

/*
 * dvfs.apply and dvfs.percent: a throttle as frequencies, and a percentage as a throttle where
 * there is no reading of power (docs/rules/frequencies.md#percentages).
 */

/* ---- dvfs.apply ---- */

#define NEEDED NOT_NEGATIVE, REQUIRED

#define RECORD policy_in
#define MEMBERS                                             \
    INTEGER(min_khz, "minKhz", "cpuinfo_min_freq.", NEEDED) \
    INTEGER(max_khz, "maxKhz", "cpuinfo_max_freq.", NEEDED)
#include "schema/record.h"

#define RECORD dvfs_apply_in
#define MEMBERS                                                                                 \
    LIST(policies, "policies", policy_in, "Frequency policies by number, each once.", REQUIRED) \
    NUMBER(throttle_pct, "throttlePct", "0 = full speed, 100 = the floor.", REQUIRED,           \
           BETWEEN(0, 100))                                                                     \
    INTEGER(floor_khz, "floorKhz", "Frequency of 100 % throttle, kHz (1500000).", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD dvfs_apply_out
#define MEMBERS                                                               \
    INTEGER(throttled, "throttled",                                           \
            "How many policies, from the first on, go to the floor; v0.1.1.") \
    NUMBERS(writes_khz, "writesKhz", "scaling_max_freq of each policy, kHz.")
#include "schema/record.h"

struct policies {
    struct jl_freq_range *ranges;
    uint64_t *khz;
    double *numbers;
    size_t count;
};

static int read_policies(struct jl_ask *ask, const struct jl_list *in, struct policies *out)
{
    *out = (struct policies){ .ranges = JL_NEW_ARRAY(ask->arena, in->count, struct jl_freq_range),
                              .khz = JL_NEW_ARRAY(ask->arena, in->count, uint64_t),
                              .numbers = JL_NEW_ARRAY(ask->arena, in->count, double),
                              .count = in->count };
    if (out->ranges == NULL || out->khz == NULL || out->numbers == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->count; i++) {
        const struct policy_in *policy = JL_ITEM(*in, policy_in, i);
        out->ranges[i] =
            (struct jl_freq_range){ (uint64_t)policy->min_khz, (uint64_t)policy->max_khz };
    }
    return 0;
}

static int answer_dvfs_apply(struct jl_ask *ask, const struct dvfs_apply_in *in,
                             struct dvfs_apply_out *out)
{
    struct jl_dvfs_params params;
    struct policies policies;
    const int rc = read_policies(ask, &in->policies, &policies);
    if (rc < 0)
        return rc;
    jl_dvfs_params_default(&params);
    if (in->given.floor_khz)
        params.floor_khz = (uint64_t)in->floor_khz;
    if (jl_is_current(ask)) {
        for (size_t i = 0; i < policies.count; i++)
            policies.khz[i] =
                jl_cpufreq_throttled_khz(policies.ranges[i], in->throttle_pct, params.floor_khz);
    } else {
        const size_t throttled = jl_cpufreq_throttle_first(
            policies.ranges, policies.count, in->throttle_pct, params.floor_khz, policies.khz);
        JL_SET(out, throttled, (int64_t)throttled);
    }
    for (size_t i = 0; i < policies.count; i++)
        policies.numbers[i] = (double)policies.khz[i];
    JL_SET(out, writes_khz, ((struct jl_list){ policies.numbers, policies.count }));
    return 0;
}

JL_QUESTION(dvfs_apply, "dvfs.apply",
            "Frequencies of a throttle: uniform, or the first CPUs of v0.1.1",
            JL_MODELS("current", "v0.1.1"));

/* ---- dvfs.percent ---- */

#define RECORD dvfs_percent_in
#define MEMBERS                                                                             \
    NUMBER(pct, "pct", "Cap in percent of an unknown maximum; above 100 is 100.", REQUIRED) \
    NUMBER(observed_w, "observedW", "Power that is drawn, W; absent: no sample.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD dvfs_percent_out
#define MEMBERS                                                                     \
    NUMBER(throttle_pct, "throttlePct", "0 = full speed, 100 = floor.")             \
    NUMBER(target_w, "targetWatts",                                                 \
           "That percentage of the power, W, for the message; 0 without a sample.") \
    ENUM(result, "result", joulie_control_result, jl_control_result_words,          \
         "blocked, where nothing can be done.")                                     \
    STRING(message, "message", "Why.")
#include "schema/record.h"

static int answer_dvfs_percent(struct jl_ask *ask, const struct dvfs_percent_in *in,
                               struct dvfs_percent_out *out)
{
    (void)ask;
    const char *blocked = jl_dvfs_open_blocked(in->pct);
    if (blocked != NULL) {
        JL_SET(out, result, JOULIE_CONTROL_BLOCKED);
        JL_SET(out, message, blocked);
        return 0;
    }
    JL_SET(out, throttle_pct, jl_dvfs_open_throttle_pct(in->pct));
    JL_SET(out, target_w, jl_dvfs_open_target_w(in->pct, in->observed_w));
    return 0;
}

JL_QUESTION(dvfs_percent, "dvfs.percent",
            "The throttle that v0.1.1 makes of a percentage without a maximum",
            JL_MODELS("v0.1.1"));

/* dvfs.run: a controller of frequencies over samples of power (docs/rules/frequencies.md#loops). */

#define LARGEST_MS 9e15 /* exact in a double */

/* ---- input ---- */

enum controller { CONTROLLER_UNKNOWN, CONTROLLER_LEGACY, CONTROLLER_PROPORTIONAL };

static const struct jl_words controller_words = JL_WORDS({
    { CONTROLLER_LEGACY, "legacy" },
    { CONTROLLER_PROPORTIONAL, "proportional" },
});

/* Bounds are those of the controller: jl_dvfs_params_fault(). */

#define RECORD params_in
#define MEMBERS                                                                         \
    NUMBER(alpha, "alpha", "Weight of the newest sample (0.3).")                        \
    NUMBER(high_margin_w, "highMarginW", "Power above the cap that is borne, W (10).")  \
    NUMBER(low_margin_w, "lowMarginW", "Power below the cap that is not used, W (15).") \
    NUMBER(step_pct, "stepPct", "Throttle of one action, points (10).")                 \
    NUMBER(cooldown_s, "cooldownS", "Rest after an action, s (20).")                    \
    INTEGER(trip_count, "tripCount", "Samples in a row that call for an action (2).",   \
            BETWEEN(0, UINT32_MAX))
#include "schema/record.h"

#define RECORD sample_in
#define MEMBERS                                                               \
    NUMBER(at_s, "t", "Time, s; proportional: every sample is one interval.") \
    NUMBER(power_w, "w", "Power, W; absent: it could not be read.")
#include "schema/record.h"

#define RECORD dvfs_run_in
#define MEMBERS                                                                                  \
    ENUM(controller, "controller", controller, controller_words, "Which one (legacy).")          \
    NUMBER(cap_w, "capW", "Cap of each package, W; 0 = unknown.", REQUIRED, NOT_NEGATIVE)        \
    INTEGER(packages, "packages", "Packages that the power is of (1).", BETWEEN(1, UINT32_MAX))  \
    OBJECT(params, "params", params_in, "Parameters of legacy; absent ones have their default.") \
    NUMBER(s, "s", "Share of the maximum frequency at the start; proportional (1).", OVER(0),    \
           AT_MOST(1))                                                                           \
    NUMBER(throttle_pct, "throttlePct",                                                          \
           "Throttle at the start, 0..100; proportional: s wins (0).", BETWEEN(0, 100))          \
    LIST(samples, "samples", sample_in, "Power in order of time.", REQUIRED)
#include "schema/record.h"

/* ---- output ---- */

#define RECORD step_out
#define MEMBERS                                                                             \
    NUMBER(ema_w, "ema", "Smoothed power, W; legacy.")                                      \
    INTEGER(above, "above", "Samples in a row above upperW, after the step; legacy.")       \
    INTEGER(below, "below", "Samples in a row below lowerW, after the step; legacy.")       \
    NUMBER(throttle_pct, "throttlePct",                                                     \
           "Throttle after the step, 0..100; proportional: 100 (1 - s), to whole percent.") \
    NUMBER(s, "s", "Share of the maximum frequency after the step; proportional.")          \
    STRING(                                                                                 \
        action, "action",                                                                   \
        "legacy: hold, hold(cooldown), throttle-up, throttle-down; proportional: hold, down, up.")
#include "schema/record.h"

#define RECORD dvfs_run_out
#define MEMBERS                                                                    \
    NUMBER(upper_w, "upperW", "Smoothed power above it is too much, W; legacy.")   \
    NUMBER(lower_w, "lowerW", "Smoothed power below it is too little, W; legacy.") \
    LIST(steps, "steps", step_out, "What became of each sample.")
#include "schema/record.h"

/* ---- legacy ---- */

static int64_t to_ms(double seconds)
{
    return (int64_t)jl_clamp(jl_round_half_away(seconds * 1000), -LARGEST_MS, LARGEST_MS);
}

static const char *member_of(const char *environment_name)
{
    static const char *const members[][2] = {
        { "DVFS_EMA_ALPHA", "params.alpha" },
        { "DVFS_HIGH_MARGIN_W", "params.highMarginW" },
        { "DVFS_LOW_MARGIN_W", "params.lowMarginW" },
        { "DVFS_STEP_PCT", "params.stepPct" },
        { "DVFS_COOLDOWN", "params.cooldownS" },
        { "DVFS_TRIP_COUNT", "params.tripCount" },
    };
    for (size_t i = 0; i < JL_COUNT(members); i++) {
        if (jl_same(members[i][0], environment_name))
            return members[i][1];
    }
    return "params";
}

static int read_params(struct jl_ask *ask, const struct params_in *in, struct jl_dvfs_params *out)
{
    jl_dvfs_params_default(out);
    out->alpha = JL_GIVEN_OR(in, alpha, out->alpha);
    out->high_margin_w = JL_GIVEN_OR(in, high_margin_w, out->high_margin_w);
    out->low_margin_w = JL_GIVEN_OR(in, low_margin_w, out->low_margin_w);
    out->step_pct = JL_GIVEN_OR(in, step_pct, out->step_pct);
    if (in->given.cooldown_s)
        out->cooldown_ms = to_ms(in->cooldown_s);
    if (in->given.trip_count)
        out->trip_count = (uint32_t)in->trip_count;
    const char *fault = jl_dvfs_params_fault(out);
    return fault == NULL ? 0
                         : jl_ask_fail(ask, JOULIE_E_RANGE, member_of(fault),
                                       "is outside of what the controller can work with");
}

static const char *legacy_word(enum jl_dvfs_action action)
{
    switch (action) {
    case JL_DVFS_DOWN:
        return "throttle-up";
    case JL_DVFS_UP:
        return "throttle-down";
    case JL_DVFS_COOLDOWN:
        return "hold(cooldown)";
    case JL_DVFS_HOLD:
        break;
    }
    return "hold";
}

static int run_legacy(struct jl_ask *ask, const struct dvfs_run_in *in, double cap_w,
                      struct dvfs_run_out *out)
{
    struct jl_dvfs_params params;
    struct jl_dvfs_legacy loop = { .throttle_pct = in->throttle_pct };
    struct step_out *steps = out->steps.items;
    const int rc = read_params(ask, &in->params, &params);
    if (rc < 0)
        return rc;
    const struct jl_dvfs_band band = jl_dvfs_band(&params, cap_w);
    if (!jl_is_finite(band.upper_w) || !jl_is_finite(band.lower_w))
        return jl_ask_fail(ask, JOULIE_E_RANGE, "capW", "is too large");
    JL_SET(out, upper_w, band.upper_w);
    JL_SET(out, lower_w, band.lower_w);
    for (size_t i = 0; i < in->samples.count; i++) {
        const struct sample_in *sample = JL_ITEM(in->samples, sample_in, i);
        const enum jl_dvfs_action action = jl_dvfs_legacy_step(
            &params, &loop, sample->given.power_w, sample->power_w, cap_w, to_ms(sample->at_s));
        JL_SET_IF(&steps[i], ema_w, loop.has_ema, loop.ema_w);
        JL_SET(&steps[i], above, loop.above);
        JL_SET(&steps[i], below, loop.below);
        JL_SET(&steps[i], throttle_pct, loop.throttle_pct);
        JL_SET(&steps[i], action, legacy_word(action));
    }
    return 0;
}

/* ---- proportional ---- */

static const char *proportional_word(enum jl_dvfs_action action)
{
    switch (action) {
    case JL_DVFS_DOWN:
        return "down";
    case JL_DVFS_UP:
        return "up";
    case JL_DVFS_COOLDOWN:
    case JL_DVFS_HOLD:
        break;
    }
    return "hold";
}

static void run_proportional(const struct dvfs_run_in *in, double cap_w, struct dvfs_run_out *out)
{
    struct jl_dvfs loop;
    struct step_out *steps = out->steps.items;
    jl_dvfs_init(&loop, JL_GIVEN_OR(in, s, jl_max(1 - in->throttle_pct / 100, JL_DVFS_S_MIN)));
    for (size_t i = 0; i < in->samples.count; i++) {
        const struct sample_in *sample = JL_ITEM(in->samples, sample_in, i);
        const enum jl_dvfs_action action =
            jl_dvfs_step(&loop, sample->given.power_w, sample->power_w, cap_w);
        JL_SET(&steps[i], s, loop.s);
        JL_SET(&steps[i], throttle_pct, jl_round_half_away(100 * (1 - loop.s)));
        JL_SET(&steps[i], action, proportional_word(action));
    }
}

static int answer_dvfs_run(struct jl_ask *ask, const struct dvfs_run_in *in,
                           struct dvfs_run_out *out)
{
    const size_t count = in->samples.count;
    const uint32_t packages = in->given.packages ? (uint32_t)in->packages : 1;
    const double cap_w = jl_dvfs_node_cap_w(in->cap_w, packages);
    struct step_out *steps = JL_NEW_LIST(ask, out, steps, count, struct step_out);
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    if (in->controller != CONTROLLER_PROPORTIONAL)
        return run_legacy(ask, in, cap_w, out);
    run_proportional(in, cap_w, out);
    return 0;
}

JL_QUESTION(dvfs_run, "dvfs.run", "What a controller of CPU frequencies does with samples of power",
            JL_MODELS("current", "legacy"));
