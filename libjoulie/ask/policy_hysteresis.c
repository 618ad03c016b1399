/* SPDX-License-Identifier: Apache-2.0 */

/*
 * policy.hysteresis: performance nodes over a series of targets (docs/rules/policy.md#hysteresis).
 */

#include "ask/ask.h"
#include "base/error.h"
#include "policy/policy.h"

#define MS_PER_S 1000
#define LONGEST_S 1e12 /* keeps milliseconds inside an int64_t */

#define RECORD hysteresis_call
#define MEMBERS                                                                       \
    NUMBER(t_s, "t", "Instant of the call, seconds.", REQUIRED, AT_LEAST(-LONGEST_S), \
           AT_MOST(LONGEST_S))                                                        \
    INTEGER(target, "target", "Performance nodes that the policy wants.", REQUIRED)
#include "schema/record.h"

#define RECORD hysteresis_in
#define MEMBERS                                                                             \
    NUMBER(delay_s, "scaleDownDelayS", "Seconds of lower targets before they count; 300.",  \
           NOT_NEGATIVE, AT_MOST(LONGEST_S))                                                \
    LIST(calls, "calls", hysteresis_call, "Targets in order; the first call has no state.", \
         REQUIRED)
#include "schema/record.h"

#define RECORD hysteresis_out
#define MEMBERS NUMBERS(hp, "hp", "Performance nodes after each call.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct hysteresis_in *in = input;
    struct hysteresis_out *out = output;
    struct jl_policy_config defaults = { 0 };
    jl_policy_defaults(&defaults);
    const double delay_s = in->given.delay_s ? in->delay_s : defaults.queue_scale_down_delay_s;
    struct jl_plan_state state = { 0 };
    double *hp = JL_NEW_ARRAY(ask->arena, in->calls.count, double);
    if (hp == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < in->calls.count; i++) {
        const struct hysteresis_call *call = JL_ITEM(in->calls, hysteresis_call, i);
        hp[i] = (double)jl_hysteresis_step(&state, call->target, (int64_t)(call->t_s * MS_PER_S),
                                           (int64_t)(delay_s * MS_PER_S));
    }
    JL_SET(out, hp, ((struct jl_list){ hp, in->calls.count }));
    return 0;
}

const struct jl_question jl_question_policy_hysteresis = {
    .name = "policy.hysteresis",
    .summary = "performance nodes over a series of targets",
    .in = &hysteresis_in_table,
    .out = &hysteresis_out_table,
    .answer = answer,
};
