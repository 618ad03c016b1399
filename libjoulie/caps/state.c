/* SPDX-License-Identifier: Apache-2.0 */

/* States of a capped device, their results, drift and effect (docs/rules/caps.md#states). Called
 * by the step of a node and by questions. */

#include "caps/state.h"

#include "base/number.h"

#define EFFECT_MARGIN_W 5.0
#define EFFECT_MARGIN_PCT 5.0
#define EFFECT_DELAY_S 30.0
#define EFFECT_LOAD_PCT 50.0

static const struct jl_word state_words[] = {
    { JL_DEVICE_WORD_UNKNOWN, "unknown" },
    { JL_DEVICE_MONITOR, "monitor" },
    { JL_DEVICE_IDLE, "idle" },
    { JL_DEVICE_APPLYING, "applying" },
    { JL_DEVICE_CAPPED, "capped" },
    { JL_DEVICE_DRIFTED, "drifted" },
    { JL_DEVICE_CONTESTED, "contested" },
    { JL_DEVICE_RESTORING, "restoring" },
    { JL_DEVICE_FAILED, "failed" },
};
const struct jl_words jl_device_state_words = JL_WORDS(state_words);

static const struct jl_word reason_words[] = {
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
};
const struct jl_words jl_cap_reason_words = JL_WORDS(reason_words);

/* ---- results ---- */

enum joulie_control_result jl_device_result(enum jl_device_state state)
{
    switch (state) {
    case JL_DEVICE_IDLE:
        return JOULIE_CONTROL_NONE;
    case JL_DEVICE_APPLYING:
    case JL_DEVICE_DRIFTED:
    case JL_DEVICE_RESTORING:
        return JOULIE_CONTROL_PENDING;
    case JL_DEVICE_CAPPED:
        return JOULIE_CONTROL_APPLIED;
    case JL_DEVICE_FAILED:
        return JOULIE_CONTROL_ERROR;
    case JL_DEVICE_UNKNOWN:
    case JL_DEVICE_WORD_UNKNOWN:
    case JL_DEVICE_MONITOR:
    case JL_DEVICE_CONTESTED:
        break;
    }
    return JOULIE_CONTROL_BLOCKED;
}

static int badness(enum joulie_control_result result)
{
    switch (result) {
    case JOULIE_CONTROL_ERROR:
        return 4;
    case JOULIE_CONTROL_BLOCKED:
        return 3;
    case JOULIE_CONTROL_PENDING:
        return 2;
    case JOULIE_CONTROL_APPLIED:
        return 1;
    case JOULIE_CONTROL_NONE:
    case JOULIE_CONTROL_UNKNOWN:
        break;
    }
    return 0;
}

enum joulie_control_result jl_cap_worst(const enum joulie_control_result *results, size_t count)
{
    enum joulie_control_result worst = JOULIE_CONTROL_NONE;
    for (size_t i = 0; i < count; i++) {
        if (badness(results[i]) > badness(worst))
            worst = results[i];
    }
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
    const enum joulie_control_result results[] = {
        jl_device_result(state),
        jl_cap_is_ineffective(effect) ? JOULIE_CONTROL_BLOCKED : JOULIE_CONTROL_NONE,
    };

    return jl_cap_worst(results, JL_COUNT(results));
}
