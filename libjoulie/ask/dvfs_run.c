/* SPDX-License-Identifier: Apache-2.0 */

/* dvfs.run: a controller of frequencies over samples of power (joulie-node-agent.md §7.3, §7.6,
 * §7.7, W5). */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"
#include "caps/dvfs.h"

#define LARGEST_MS 9e15 /* exact in a double */

/* ---- input ---- */

enum controller { CONTROLLER_UNKNOWN, CONTROLLER_LEGACY, CONTROLLER_PROPORTIONAL };

static const struct jl_word controller_items[] = {
    { CONTROLLER_LEGACY, "legacy" },
    { CONTROLLER_PROPORTIONAL, "proportional" },
};
static const struct jl_words controller_words = JL_WORDS(controller_items);

struct params_in {
    uint64_t has;
    double alpha;
    double high_margin_w;
    double low_margin_w;
    double step_pct;
    double cooldown_s;
    int64_t trip_count;
};

enum {
    PARAMS_ALPHA,
    PARAMS_HIGH_MARGIN,
    PARAMS_LOW_MARGIN,
    PARAMS_STEP,
    PARAMS_COOLDOWN,
    PARAMS_TRIP_COUNT,
};

/* Bounds are those of the controller: jl_dvfs_params_fault(). */
static const struct jl_row params_rows[] = {
    [PARAMS_ALPHA] =
        JL_NUMBER(params_in, alpha, "alpha", .doc = "Weight of the newest sample (0.3)."),
    [PARAMS_HIGH_MARGIN] = JL_NUMBER(params_in, high_margin_w, "highMarginW",
                                     .doc = "Power above the cap that is borne, W (10)."),
    [PARAMS_LOW_MARGIN] = JL_NUMBER(params_in, low_margin_w, "lowMarginW",
                                    .doc = "Power below the cap that is not used, W (15)."),
    [PARAMS_STEP] =
        JL_NUMBER(params_in, step_pct, "stepPct", .doc = "Throttle of one action, points (10)."),
    [PARAMS_COOLDOWN] =
        JL_NUMBER(params_in, cooldown_s, "cooldownS", .doc = "Rest after an action, s (20)."),
    [PARAMS_TRIP_COUNT] =
        JL_INTEGER(params_in, trip_count, "tripCount", .flags = JL_HAS_MIN | JL_HAS_MAX,
                   .max = UINT32_MAX, .doc = "Samples in a row that call for an action (2)."),
};
static const struct jl_table params_table = JL_TABLE(params_in, params_rows);

struct sample_in {
    uint64_t has;
    double at_s;
    double power_w;
};

enum { SAMPLE_AT, SAMPLE_POWER };

static const struct jl_row sample_rows[] = {
    [SAMPLE_AT] = JL_NUMBER(sample_in, at_s, "t",
                            .doc = "Time, s; proportional: every sample is one interval."),
    [SAMPLE_POWER] =
        JL_NUMBER(sample_in, power_w, "w", .doc = "Power, W; absent: it could not be read."),
};
static const struct jl_table sample_table = JL_TABLE(sample_in, sample_rows);

struct run_in {
    uint64_t has;
    enum controller controller;
    double cap_w;
    int64_t packages;
    struct params_in params;
    double s;
    double throttle_pct;
    struct jl_list samples; /* struct sample_in */
};

enum { IN_CONTROLLER, IN_CAP, IN_PACKAGES, IN_PARAMS, IN_SHARE, IN_THROTTLE, IN_SAMPLES };

static const struct jl_row in_rows[] = {
    [IN_CONTROLLER] =
        JL_ENUM(run_in, controller, "controller", &controller_words, .doc = "Which one (legacy)."),
    [IN_CAP] = JL_NUMBER(run_in, cap_w, "capW", .flags = JL_REQUIRED | JL_NOT_NEGATIVE,
                         .doc = "Cap of each package, W; 0 = unknown."),
    [IN_PACKAGES] =
        JL_INTEGER(run_in, packages, "packages", .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 1,
                   .max = UINT32_MAX, .doc = "Packages that the power is of (1)."),
    [IN_PARAMS] = JL_OBJECT(run_in, params, "params", &params_table,
                            .doc = "Parameters of legacy; absent ones have their default."),
    [IN_SHARE] =
        JL_NUMBER(run_in, s, "s", .flags = JL_EXCLUSIVE_MIN | JL_HAS_MIN | JL_HAS_MAX, .max = 1,
                  .doc = "Share of the maximum frequency at the start; proportional (1)."),
    [IN_THROTTLE] =
        JL_NUMBER(run_in, throttle_pct, "throttlePct", .flags = JL_HAS_MIN | JL_HAS_MAX, .max = 100,
                  .doc = "Throttle at the start, 0..100; proportional: s wins (0)."),
    [IN_SAMPLES] = JL_LIST(run_in, samples, "samples", &sample_table, .flags = JL_REQUIRED,
                           .doc = "Power in order of time."),
};
static const struct jl_table in_table = JL_TABLE(run_in, in_rows);

/* ---- output ---- */

struct step_out {
    uint64_t has;
    double ema_w;
    int64_t above;
    int64_t below;
    double throttle_pct;
    double s;
    const char *action;
};

enum { STEP_EMA, STEP_ABOVE, STEP_BELOW, STEP_THROTTLE, STEP_SHARE, STEP_ACTION };

static const struct jl_row step_rows[] = {
    [STEP_EMA] = JL_NUMBER(step_out, ema_w, "ema", .doc = "Smoothed power, W; legacy."),
    [STEP_ABOVE] = JL_INTEGER(step_out, above, "above",
                              .doc = "Samples in a row above upperW, after the step; legacy."),
    [STEP_BELOW] = JL_INTEGER(step_out, below, "below",
                              .doc = "Samples in a row below lowerW, after the step; legacy."),
    [STEP_THROTTLE] = JL_NUMBER(step_out, throttle_pct, "throttlePct",
                                .doc = "Throttle after the step, 0..100; proportional: "
                                       "100 (1 - s), to whole percent."),
    [STEP_SHARE] = JL_NUMBER(step_out, s, "s",
                             .doc = "Share of the maximum frequency after the step; proportional."),
    [STEP_ACTION] = JL_STRING(step_out, action, "action",
                              .doc = "legacy: hold, hold(cooldown), throttle-up, throttle-down; "
                                     "proportional: hold, down, up."),
};
static const struct jl_table step_table = JL_TABLE(step_out, step_rows);

struct run_out {
    uint64_t has;
    double upper_w;
    double lower_w;
    struct jl_list steps; /* struct step_out */
};

enum { OUT_UPPER, OUT_LOWER, OUT_STEPS };

static const struct jl_row out_rows[] = {
    [OUT_UPPER] = JL_NUMBER(run_out, upper_w, "upperW",
                            .doc = "Smoothed power above it is too much, W; legacy."),
    [OUT_LOWER] = JL_NUMBER(run_out, lower_w, "lowerW",
                            .doc = "Smoothed power below it is too little, W; legacy."),
    [OUT_STEPS] =
        JL_LIST(run_out, steps, "steps", &step_table, .doc = "What became of each sample."),
};
static const struct jl_table out_table = JL_TABLE(run_out, out_rows);

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
    if (JL_HAS(in, PARAMS_ALPHA))
        out->alpha = in->alpha;
    if (JL_HAS(in, PARAMS_HIGH_MARGIN))
        out->high_margin_w = in->high_margin_w;
    if (JL_HAS(in, PARAMS_LOW_MARGIN))
        out->low_margin_w = in->low_margin_w;
    if (JL_HAS(in, PARAMS_STEP))
        out->step_pct = in->step_pct;
    if (JL_HAS(in, PARAMS_COOLDOWN))
        out->cooldown_ms = to_ms(in->cooldown_s);
    if (JL_HAS(in, PARAMS_TRIP_COUNT))
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

static int run_legacy(struct jl_ask *ask, const struct run_in *in, double cap_w,
                      struct run_out *out)
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
    JL_PUT(out, OUT_UPPER, upper_w, band.upper_w);
    JL_PUT(out, OUT_LOWER, lower_w, band.lower_w);
    for (size_t i = 0; i < in->samples.count; i++) {
        const struct sample_in *sample = JL_ITEM(in->samples, sample_in, i);
        const enum jl_dvfs_action action =
            jl_dvfs_legacy_step(&params, &loop, JL_HAS(sample, SAMPLE_POWER), sample->power_w,
                                cap_w, to_ms(sample->at_s));
        if (loop.has_ema)
            JL_PUT(&steps[i], STEP_EMA, ema_w, loop.ema_w);
        JL_PUT(&steps[i], STEP_ABOVE, above, loop.above);
        JL_PUT(&steps[i], STEP_BELOW, below, loop.below);
        JL_PUT(&steps[i], STEP_THROTTLE, throttle_pct, loop.throttle_pct);
        JL_PUT(&steps[i], STEP_ACTION, action, legacy_word(action));
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

static void run_proportional(const struct run_in *in, double cap_w, struct run_out *out)
{
    struct jl_dvfs loop;
    struct step_out *steps = out->steps.items;
    jl_dvfs_init(&loop,
                 JL_HAS(in, IN_SHARE) ? in->s : jl_max(1 - in->throttle_pct / 100, JL_DVFS_S_MIN));
    for (size_t i = 0; i < in->samples.count; i++) {
        const struct sample_in *sample = JL_ITEM(in->samples, sample_in, i);
        const enum jl_dvfs_action action =
            jl_dvfs_step(&loop, JL_HAS(sample, SAMPLE_POWER), sample->power_w, cap_w);
        JL_PUT(&steps[i], STEP_SHARE, s, loop.s);
        JL_PUT(&steps[i], STEP_THROTTLE, throttle_pct, jl_round_half_away(100 * (1 - loop.s)));
        JL_PUT(&steps[i], STEP_ACTION, action, proportional_word(action));
    }
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct run_in *in = input;
    struct run_out *out = output;
    const size_t count = in->samples.count;
    const uint32_t packages = JL_HAS(in, IN_PACKAGES) ? (uint32_t)in->packages : 1;
    const double cap_w = jl_dvfs_node_cap_w(in->cap_w, packages);
    struct step_out *steps = JL_NEW_ARRAY(ask->arena, count, struct step_out);
    if (steps == NULL)
        return jl_fail_memory(ask->err);
    JL_PUT(out, OUT_STEPS, steps, ((struct jl_list){ steps, count }));
    if (in->controller != CONTROLLER_PROPORTIONAL)
        return run_legacy(ask, in, cap_w, out);
    run_proportional(in, cap_w, out);
    return 0;
}

static const char *const models[] = { "current", "legacy", NULL };

const struct jl_question jl_question_dvfs_run = {
    .name = "dvfs.run",
    .summary = "What a controller of CPU frequencies does with samples of power",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
