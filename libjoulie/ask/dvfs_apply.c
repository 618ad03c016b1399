/* SPDX-License-Identifier: Apache-2.0 */

/*
 * dvfs.apply and dvfs.percent: a throttle as frequencies, and a percentage as a throttle where
 * there is no reading of power (docs/rules/frequencies.md#percentages).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "caps/dvfs.h"
#include "kinds/node_twin.h"
#include "power/cpufreq.h"

/* ---- dvfs.apply ---- */

#define NEEDED NOT_NEGATIVE, REQUIRED

#define RECORD policy_in
#define MEMBERS                                             \
    INTEGER(min_khz, "minKhz", "cpuinfo_min_freq.", NEEDED) \
    INTEGER(max_khz, "maxKhz", "cpuinfo_max_freq.", NEEDED)
#include "schema/record.h"

#define RECORD apply_in
#define MEMBERS                                                                                    \
    LIST(policies, "policies", policy_in, "Frequency policies by number, each once.", REQUIRED)    \
    NUMBER(throttle_pct, "throttlePct", "0 = full speed, 100 = the floor.", REQUIRED, AT_LEAST(0), \
           AT_MOST(100))                                                                           \
    INTEGER(floor_khz, "floorKhz", "Frequency of 100 % throttle, kHz (1500000).", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD apply_out
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

static int answer_apply(struct jl_ask *ask, const void *input, void *output)
{
    const struct apply_in *in = input;
    struct apply_out *out = output;
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

static const char *const apply_models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_dvfs_apply = {
    .name = "dvfs.apply",
    .summary = "Frequencies of a throttle: uniform, or the first CPUs of v0.1.1",
    .in = &apply_in_table,
    .out = &apply_out_table,
    .models = apply_models,
    .answer = answer_apply,
};

/* ---- dvfs.percent ---- */

#define RECORD percent_in
#define MEMBERS                                                                             \
    NUMBER(pct, "pct", "Cap in percent of an unknown maximum; above 100 is 100.", REQUIRED) \
    NUMBER(observed_w, "observedW", "Power that is drawn, W; absent: no sample.", NOT_NEGATIVE)
#include "schema/record.h"

#define RECORD percent_out
#define MEMBERS                                                                     \
    NUMBER(throttle_pct, "throttlePct", "0 = full speed, 100 = floor.")             \
    NUMBER(target_w, "targetWatts",                                                 \
           "That percentage of the power, W, for the message; 0 without a sample.") \
    ENUM(result, "result", joulie_control_result, jl_control_result_words,          \
         "blocked, where nothing can be done.")                                     \
    STRING(message, "message", "Why.")
#include "schema/record.h"

static int answer_percent(struct jl_ask *ask, const void *input, void *output)
{
    const struct percent_in *in = input;
    struct percent_out *out = output;
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

static const char *const percent_models[] = { "v0.1.1", NULL };

const struct jl_question jl_question_dvfs_percent = {
    .name = "dvfs.percent",
    .summary = "The throttle that v0.1.1 makes of a percentage without a maximum",
    .in = &percent_in_table,
    .out = &percent_out_table,
    .models = percent_models,
    .answer = answer_percent,
};
