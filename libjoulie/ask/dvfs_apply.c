/* SPDX-License-Identifier: Apache-2.0 */

/* dvfs.apply and dvfs.percent: a throttle as frequencies (joulie-node-agent.md §7.4, W4), and a
 * percentage as a throttle where there is no reading of power (§7.5). */

#include "ask/ask.h"
#include "base/error.h"
#include "caps/dvfs.h"
#include "kinds/node_twin.h"
#include "power/cpufreq.h"

/* ---- dvfs.apply ---- */

struct policy_in {
    uint64_t has;
    int64_t min_khz;
    int64_t max_khz;
};

enum { POLICY_MIN, POLICY_MAX };

#define NEEDED .flags = JL_NOT_NEGATIVE | JL_REQUIRED

static const struct jl_row policy_rows[] = {
    [POLICY_MIN] = JL_INTEGER(policy_in, min_khz, "minKhz", NEEDED, .doc = "cpuinfo_min_freq."),
    [POLICY_MAX] = JL_INTEGER(policy_in, max_khz, "maxKhz", NEEDED, .doc = "cpuinfo_max_freq."),
};
static const struct jl_table policy_table = JL_TABLE(policy_in, policy_rows);

struct apply_in {
    uint64_t has;
    struct jl_list policies; /* struct policy_in */
    double throttle_pct;
    int64_t floor_khz;
};

enum { APPLY_POLICIES, APPLY_THROTTLE, APPLY_FLOOR };

static const struct jl_row apply_rows[] = {
    [APPLY_POLICIES] = JL_LIST(apply_in, policies, "policies", &policy_table, .flags = JL_REQUIRED,
                               .doc = "Frequency policies by number, each once."),
    [APPLY_THROTTLE] = JL_NUMBER(apply_in, throttle_pct, "throttlePct",
                                 .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX, .max = 100,
                                 .doc = "0 = full speed, 100 = the floor."),
    [APPLY_FLOOR] = JL_INTEGER(apply_in, floor_khz, "floorKhz", .flags = JL_NOT_NEGATIVE,
                               .doc = "Frequency of 100 % throttle, kHz (1500000)."),
};
static const struct jl_table apply_table = JL_TABLE(apply_in, apply_rows);

struct apply_out {
    uint64_t has;
    int64_t throttled;
    struct jl_list writes_khz; /* doubles */
};

enum { APPLY_OUT_THROTTLED, APPLY_OUT_WRITES };

static const struct jl_row apply_out_rows[] = {
    [APPLY_OUT_THROTTLED] =
        JL_INTEGER(apply_out, throttled, "throttled",
                   .doc = "How many policies, from the first on, go to the floor; v0.1.1."),
    [APPLY_OUT_WRITES] = JL_NUMBERS(apply_out, writes_khz, "writesKhz",
                                    .doc = "scaling_max_freq of each policy, kHz."),
};
static const struct jl_table apply_out_table = JL_TABLE(apply_out, apply_out_rows);

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
    if (JL_HAS(in, APPLY_FLOOR))
        params.floor_khz = (uint64_t)in->floor_khz;
    if (jl_is_current(ask)) {
        for (size_t i = 0; i < policies.count; i++)
            policies.khz[i] =
                jl_cpufreq_throttled_khz(policies.ranges[i], in->throttle_pct, params.floor_khz);
    } else {
        const size_t throttled = jl_cpufreq_throttle_first(
            policies.ranges, policies.count, in->throttle_pct, params.floor_khz, policies.khz);
        JL_PUT(out, APPLY_OUT_THROTTLED, throttled, (int64_t)throttled);
    }
    for (size_t i = 0; i < policies.count; i++)
        policies.numbers[i] = (double)policies.khz[i];
    JL_PUT(out, APPLY_OUT_WRITES, writes_khz,
           ((struct jl_list){ policies.numbers, policies.count }));
    return 0;
}

static const char *const apply_models[] = { "current", "v0.1.1", NULL };

const struct jl_question jl_question_dvfs_apply = {
    .name = "dvfs.apply",
    .summary = "Frequencies of a throttle: uniform, or the first CPUs of v0.1.1",
    .in = &apply_table,
    .out = &apply_out_table,
    .models = apply_models,
    .answer = answer_apply,
};

/* ---- dvfs.percent ---- */

struct percent_in {
    uint64_t has;
    double pct;
    double observed_w;
};

enum { PERCENT_PCT, PERCENT_OBSERVED };

static const struct jl_row percent_rows[] = {
    [PERCENT_PCT] = JL_NUMBER(percent_in, pct, "pct", .flags = JL_REQUIRED,
                              .doc = "Cap in percent of an unknown maximum; above 100 is 100."),
    [PERCENT_OBSERVED] = JL_NUMBER(percent_in, observed_w, "observedW", .flags = JL_NOT_NEGATIVE,
                                   .doc = "Power that is drawn, W; absent: no sample."),
};
static const struct jl_table percent_table = JL_TABLE(percent_in, percent_rows);

struct percent_out {
    uint64_t has;
    double throttle_pct;
    double target_w;
    enum joulie_control_result result;
    const char *message;
};

enum { PERCENT_OUT_THROTTLE, PERCENT_OUT_TARGET, PERCENT_OUT_RESULT, PERCENT_OUT_MESSAGE };

static const struct jl_row percent_out_rows[] = {
    [PERCENT_OUT_THROTTLE] =
        JL_NUMBER(percent_out, throttle_pct, "throttlePct", .doc = "0 = full speed, 100 = floor."),
    [PERCENT_OUT_TARGET] =
        JL_NUMBER(percent_out, target_w, "targetWatts",
                  .doc = "That percentage of the power, W, for the message; 0 without a sample."),
    [PERCENT_OUT_RESULT] = JL_ENUM(percent_out, result, "result", &jl_control_result_words,
                                   .doc = "blocked, where nothing can be done."),
    [PERCENT_OUT_MESSAGE] = JL_STRING(percent_out, message, "message", .doc = "Why."),
};
static const struct jl_table percent_out_table = JL_TABLE(percent_out, percent_out_rows);

static int answer_percent(struct jl_ask *ask, const void *input, void *output)
{
    const struct percent_in *in = input;
    struct percent_out *out = output;
    (void)ask;
    const char *blocked = jl_dvfs_open_blocked(in->pct);
    if (blocked != NULL) {
        JL_PUT(out, PERCENT_OUT_RESULT, result, JOULIE_CONTROL_BLOCKED);
        JL_PUT(out, PERCENT_OUT_MESSAGE, message, blocked);
        return 0;
    }
    JL_PUT(out, PERCENT_OUT_THROTTLE, throttle_pct, jl_dvfs_open_throttle_pct(in->pct));
    JL_PUT(out, PERCENT_OUT_TARGET, target_w, jl_dvfs_open_target_w(in->pct, in->observed_w));
    return 0;
}

static const char *const percent_models[] = { "v0.1.1", NULL };

const struct jl_question jl_question_dvfs_percent = {
    .name = "dvfs.percent",
    .summary = "The throttle that v0.1.1 makes of a percentage without a maximum",
    .in = &percent_table,
    .out = &percent_out_table,
    .models = percent_models,
    .answer = answer_percent,
};
