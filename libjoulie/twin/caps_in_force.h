/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "twin/lanes.h"
#include "twin/numbers.h"

/* Caps as percent of the maximum (docs/rules/twin.md#caps-in-force). */

struct jl_cap_request {
    jl_mask has_pct;
    jl_real pct; /* of the maximum, (0,100]; version rule sets take any */
    jl_mask has_w;
    jl_real w;       /* per package or GPU */
    jl_real max_w;   /* per package or GPU, 0 = unknown */
    jl_int feedback; /* enum joulie_cap_feedback */
    jl_mask has_previous;
    jl_real previous_pct;
};

JL_LANE jl_mask jl_is_percent(jl_real pct)
{
    return jl_both(jl_is_above_0(pct), jl_at_most(pct, jl_real_of(JL_UNCAPPED_PCT)));
}

/* Watts that are not positive are ignored, then percent counts. */
JL_LANE jl_mask jl_cap_is_in_watts(const struct jl_cap_request *request)
{
    return jl_both(request->has_w, jl_is_above_0(request->w));
}

/* What is asked for; 100 without an intent or a known maximum. */
JL_LANE jl_real jl_cap_requested_pct(const struct jl_cap_request *request)
{
    const jl_real uncapped = jl_real_of(JL_UNCAPPED_PCT);
    const jl_mask in_watts = jl_cap_is_in_watts(request);
    const jl_real pct = jl_pick(request->has_pct, request->pct, uncapped);
    if (!jl_any(in_watts))
        return pct;
    const jl_real of_max =
        jl_pick(jl_is_above_0(request->max_w),
                jl_lesser(request->w / request->max_w * 100.0, uncapped), uncapped);
    return jl_pick(in_watts, of_max, pct);
}

/* What is asked for when it is in percent and no agent has reported: a cheaper
 * jl_cap_in_force_pct(). */
JL_LANE jl_real jl_cap_asked_pct(const struct jl_cap_request *request, jl_int *out_state)
{
    *out_state =
        jl_pick_int(request->has_pct, JOULIE_CAP_STATE_REQUESTED, jl_int_of(JOULIE_CAP_STATE_NONE));
    return jl_pick(request->has_pct, request->pct, jl_real_of(JL_UNCAPPED_PCT));
}

/* What is in force, given what the agent reported. */
JL_LANE jl_real jl_cap_in_force_pct(const struct jl_cap_request *request, jl_int *out_state)
{
    const jl_real requested = jl_cap_requested_pct(request);
    const jl_mask is_asked = jl_either(jl_cap_is_in_watts(request), request->has_pct);
    *out_state =
        jl_pick_int(is_asked, JOULIE_CAP_STATE_REQUESTED, jl_int_of(JOULIE_CAP_STATE_NONE));

    const jl_mask is_out =
        jl_both(is_asked, jl_int_is(request->feedback, JOULIE_CAP_FEEDBACK_NOT_IN_FORCE));
    const jl_mask is_pending =
        jl_both(is_asked, jl_int_is(request->feedback, JOULIE_CAP_FEEDBACK_PENDING));
    if (!jl_any(jl_either(is_out, is_pending)))
        return requested;
    const jl_mask has_previous =
        jl_both(request->has_previous, jl_is_percent(request->previous_pct));
    const jl_mask is_before = jl_both(jl_both(is_pending, has_previous),
                                      jl_not(jl_is_same(request->previous_pct, requested)));
    *out_state =
        jl_pick_int(jl_either(is_out, is_before), JOULIE_CAP_STATE_NOT_IN_FORCE, *out_state);
    return jl_pick(is_out, jl_real_of(JL_UNCAPPED_PCT),
                   jl_pick(is_before, request->previous_pct, requested));
}

/* The version rule sets: watts and "no cap" both read as 100, and 150 stays 150. */
JL_LANE jl_real jl_cap_source_pct(const struct jl_cap_request *request)
{
    return jl_pick(jl_both(request->has_pct, jl_is_above_0(request->pct)), request->pct,
                   jl_real_of(JL_UNCAPPED_PCT));
}
