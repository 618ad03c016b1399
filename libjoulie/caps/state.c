/* SPDX-License-Identifier: Apache-2.0 */

/* States of a capped device, their results, drift and effect (docs/rules/enforcement.md#states).
 * Called by the step of a node and by questions. */

#include "caps/state.h"

#include "base/number.h"

#define EFFECT_MARGIN_W 5.0
#define EFFECT_MARGIN_PCT 5.0
#define EFFECT_DELAY_S 30.0
#define EFFECT_LOAD_PCT 50.0

const struct jl_words jl_device_state_words = JL_WORDS({
    { JL_DEVICE_WORD_UNKNOWN, "unknown" },
    { JL_DEVICE_MONITOR, "monitor" },
    { JL_DEVICE_IDLE, "idle" },
    { JL_DEVICE_APPLYING, "applying" },
    { JL_DEVICE_CAPPED, "capped" },
    { JL_DEVICE_DRIFTED, "drifted" },
    { JL_DEVICE_CONTESTED, "contested" },
    { JL_DEVICE_RESTORING, "restoring" },
    { JL_DEVICE_FAILED, "failed" },
});

const struct jl_words jl_cap_reason_words = JL_WORDS({
    { JL_CAP_REASON_LOCKED, "locked" },
    { JL_CAP_REASON_REFUSED, "refused" },
    { JL_CAP_REASON_NOT_ENFORCED, "notEnforced" },
    { JL_CAP_REASON_INEFFECTIVE, "ineffective" },
    { JL_CAP_REASON_LIMITED_BY_OTHER, "limitedByOther" },
    { JL_CAP_REASON_RAMPING, "ramping" },
    { JL_CAP_REASON_DRIFTED, "drifted" },
    { JL_CAP_REASON_CONTESTED, "contested" },
    { JL_CAP_REASON_NO_BACKEND, "noBackend" },
    { JL_CAP_REASON_NO_PERMISSION, "noPermission" },
    { JL_CAP_REASON_MASKED, "masked" },
    { JL_CAP_REASON_MODEL_UNKNOWN, "modelUnknown" },
    { JL_CAP_REASON_DEVICE_LOST, "deviceLost" },
    { JL_CAP_REASON_STUCK, "stuck" },
    { JL_CAP_REASON_BELOW_FLOOR, "belowFloor" },
    { JL_CAP_REASON_ABOVE_CEILING, "aboveCeiling" },
    { JL_CAP_REASON_UNBOUNDED, "unbounded" },
});

/* ---- results ---- */

enum joulie_control_result jl_device_result(enum jl_device_state state)
{
    static const enum joulie_control_result results[] = {
        [JL_DEVICE_UNKNOWN] = JOULIE_CONTROL_BLOCKED,
        [JL_DEVICE_MONITOR] = JOULIE_CONTROL_BLOCKED,
        [JL_DEVICE_IDLE] = JOULIE_CONTROL_NONE,
        [JL_DEVICE_APPLYING] = JOULIE_CONTROL_PENDING,
        [JL_DEVICE_CAPPED] = JOULIE_CONTROL_APPLIED,
        [JL_DEVICE_DRIFTED] = JOULIE_CONTROL_PENDING,
        [JL_DEVICE_CONTESTED] = JOULIE_CONTROL_BLOCKED,
        [JL_DEVICE_RESTORING] = JOULIE_CONTROL_PENDING,
        [JL_DEVICE_FAILED] = JOULIE_CONTROL_ERROR,
        [JL_DEVICE_WORD_UNKNOWN] = JOULIE_CONTROL_BLOCKED,
    };

    return results[state];
}

static int badness(enum joulie_control_result result)
{
    static const int order[] = {
        [JOULIE_CONTROL_UNKNOWN] = 0, [JOULIE_CONTROL_NONE] = 0,    [JOULIE_CONTROL_APPLIED] = 1,
        [JOULIE_CONTROL_PENDING] = 2, [JOULIE_CONTROL_BLOCKED] = 3, [JOULIE_CONTROL_ERROR] = 4,
    };
    return order[result];
}

enum joulie_control_result jl_cap_worse(enum joulie_control_result a, enum joulie_control_result b)
{
    return badness(b) > badness(a) ? b : a;
}

enum joulie_control_result jl_cap_worst(const enum joulie_control_result *results, size_t count)
{
    enum joulie_control_result worst = JOULIE_CONTROL_NONE;
    for (size_t i = 0; i < count; i++)
        worst = jl_cap_worse(worst, results[i]);
    return worst;
}

/* ---- drift ---- */

static bool is_judged(enum jl_device_state state)
{
    return state == JL_DEVICE_CAPPED || state == JL_DEVICE_DRIFTED;
}

struct jl_drift jl_cap_drift(enum jl_device_state state, uint64_t written_uw, uint64_t read_uw,
                             uint64_t unit_uw, uint32_t reasserted)
{
    if (state == JL_DEVICE_CONTESTED)
        return (struct jl_drift){ state, JL_CAP_REASON_CONTESTED, false };
    if (!is_judged(state))
        return (struct jl_drift){ state, JL_CAP_REASON_NONE, false };
    if (read_uw <= written_uw) {
        const bool is_lower = written_uw - read_uw > unit_uw;
        return (struct jl_drift){ JL_DEVICE_CAPPED,
                                  is_lower ? JL_CAP_REASON_LIMITED_BY_OTHER : JL_CAP_REASON_NONE,
                                  false };
    }
    if (read_uw - written_uw <= unit_uw)
        return (struct jl_drift){ JL_DEVICE_CAPPED, JL_CAP_REASON_NONE, false };
    if (reasserted >= JL_REASSERT_MAX)
        return (struct jl_drift){ JL_DEVICE_CONTESTED, JL_CAP_REASON_CONTESTED, false };
    return (struct jl_drift){ JL_DEVICE_DRIFTED, JL_CAP_REASON_DRIFTED, true };
}

/* ---- effect ---- */

double jl_cap_effect_bound_w(double cap_w)
{
    return cap_w + jl_max(EFFECT_MARGIN_W, cap_w * EFFECT_MARGIN_PCT / 100);
}

bool jl_cap_is_ineffective(const struct jl_effect *effect)
{
    return effect->since_write_s >= EFFECT_DELAY_S && effect->load_pct > EFFECT_LOAD_PCT &&
           effect->measured_w > jl_cap_effect_bound_w(effect->cap_w);
}

enum joulie_control_result jl_cap_effect_result(enum jl_device_state state,
                                                const struct jl_effect *effect)
{
    return jl_cap_worse(jl_device_result(state), jl_cap_is_ineffective(effect)
                                                     ? JOULIE_CONTROL_BLOCKED
                                                     : JOULIE_CONTROL_NONE);
}
