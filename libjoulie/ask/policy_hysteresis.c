/* SPDX-License-Identifier: Apache-2.0 */

/* policy.hysteresis: performance nodes over a series of targets (joulie-control.md P9). */

#include "ask/ask.h"
#include "base/error.h"
#include "policy/policy.h"

#define MS_PER_S 1000
#define LONGEST_S 1e12 /* keeps milliseconds inside an int64_t */

struct hysteresis_call {
    uint64_t has;
    double t_s;
    int64_t target;
};

enum { CALL_T, CALL_TARGET };

static const struct jl_row call_rows[] = {
    [CALL_T] =
        JL_NUMBER(hysteresis_call, t_s, "t", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                  .min = -LONGEST_S, .max = LONGEST_S, .doc = "Instant of the call, seconds."),
    [CALL_TARGET] = JL_INTEGER(hysteresis_call, target, "target", .flags = JL_REQUIRED,
                               .doc = "Performance nodes that the policy wants."),
};
static const struct jl_table call_table = JL_TABLE(hysteresis_call, call_rows);

struct hysteresis_in {
    uint64_t has;
    double delay_s;
    struct jl_list calls;
};

enum { IN_DELAY, IN_CALLS };

static const struct jl_row in_rows[] = {
    [IN_DELAY] =
        JL_NUMBER(hysteresis_in, delay_s, "scaleDownDelayS", .flags = JL_NOT_NEGATIVE | JL_HAS_MAX,
                  .max = LONGEST_S, .doc = "Seconds of lower targets before they count; 300."),
    [IN_CALLS] = JL_LIST(hysteresis_in, calls, "calls", &call_table, .flags = JL_REQUIRED,
                         .doc = "Targets in order; the first call has no state."),
};
static const struct jl_table in_table = JL_TABLE(hysteresis_in, in_rows);

struct hysteresis_out {
    uint64_t has;
    struct jl_list hp;
};

enum { OUT_HP };

static const struct jl_row out_rows[] = {
    [OUT_HP] = JL_NUMBERS(hysteresis_out, hp, "hp", .doc = "Performance nodes after each call."),
};
static const struct jl_table out_table = JL_TABLE(hysteresis_out, out_rows);

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct hysteresis_in *in = input;
    struct hysteresis_out *out = output;
    struct jl_policy_config defaults = { 0 };
    jl_policy_defaults(&defaults);
    const double delay_s = JL_HAS(in, IN_DELAY) ? in->delay_s : defaults.queue_scale_down_delay_s;
    struct jl_plan_state state = { 0 };
    double *hp = JL_NEW_ARRAY(ask->arena, in->calls.count, double);
    if (hp == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->calls.count; i++) {
        const struct hysteresis_call *call = JL_ITEM(in->calls, hysteresis_call, i);
        hp[i] = (double)jl_hysteresis_step(&state, call->target, (int64_t)(call->t_s * MS_PER_S),
                                           (int64_t)(delay_s * MS_PER_S));
    }
    JL_PUT(out, OUT_HP, hp, ((struct jl_list){ hp, in->calls.count }));
    return 0;
}

const struct jl_question jl_question_policy_hysteresis = {
    .name = "policy.hysteresis",
    .summary = "performance nodes over a series of targets",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
