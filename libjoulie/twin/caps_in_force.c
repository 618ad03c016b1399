/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "twin/twin.h"

#define UNCAPPED_PCT 100.0

/* Watts that are not positive are ignored, then percent counts (joulie-control.md §2.1). */
static bool is_in_watts(const struct jl_cap_request *request)
{
    return request->has_w && request->w > 0;
}

static bool is_percent(double pct)
{
    return pct > 0 && pct <= UNCAPPED_PCT;
}

double jl_cap_requested_pct(const struct jl_cap_request *request)
{
    if (is_in_watts(request))
        return request->max_w > 0 ? jl_min(request->w / request->max_w * 100, UNCAPPED_PCT)
                                  : UNCAPPED_PCT;
    return request->has_pct && is_percent(request->pct) ? request->pct : UNCAPPED_PCT;
}

double jl_cap_in_force_pct(const struct jl_cap_request *request, enum joulie_cap_state *out_state)
{
    const double requested = jl_cap_requested_pct(request);
    if (!is_in_watts(request) && !request->has_pct) {
        *out_state = JOULIE_CAP_STATE_NONE;
        return UNCAPPED_PCT;
    }
    *out_state = JOULIE_CAP_STATE_REQUESTED;
    if (request->feedback == JOULIE_CAP_FEEDBACK_NOT_IN_FORCE) {
        *out_state = JOULIE_CAP_STATE_NOT_IN_FORCE;
        return UNCAPPED_PCT;
    }
    const bool has_previous = request->has_previous && is_percent(request->previous_pct);
    if (request->feedback != JOULIE_CAP_FEEDBACK_PENDING || !has_previous ||
        request->previous_pct == requested)
        return requested;
    *out_state = JOULIE_CAP_STATE_NOT_IN_FORCE;
    return request->previous_pct;
}

/* Absolute caps and "no cap" both read as 100, and 150 stays 150 (joulie-control.md §3.1, §3.5,
 * W2). */
double jl_cap_source_pct(const struct jl_cap_request *request)
{
    return request->has_pct && request->pct > 0 ? request->pct : UNCAPPED_PCT;
}
