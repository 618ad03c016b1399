/* SPDX-License-Identifier: Apache-2.0 */
#include "node/limiter.h"

#define NEAR_FRAC 0.95 /* of a limit: power this close to it is held by it */

static const struct jl_word words[] = {
    { JL_LIMITER_NONE, "none" },
    { JL_LIMITER_MSR, "msr" },
    { JL_LIMITER_THERMAL, "thermal" },
    { JL_LIMITER_MMIO, "mmio" },
    { JL_LIMITER_OUT_OF_BAND, "out-of-band" },
    { JL_LIMITER_FIRMWARE, "firmware" },
};

const struct jl_words jl_limiter_words = JL_WORDS(words);

enum jl_limiter jl_limiter(const struct jl_limiter_view *view)
{
    if (view->is_off || view->state == JL_DEVICE_MONITOR || view->reason == JL_CAP_REASON_LOCKED)
        return JL_LIMITER_FIRMWARE;
    if (view->reason == JL_CAP_REASON_LIMITED_BY_OTHER)
        return JL_LIMITER_OUT_OF_BAND;
    if (view->has_other && view->other_w < view->limit_w)
        return JL_LIMITER_MMIO;
    if (view->is_hot)
        return JL_LIMITER_THERMAL;
    const bool is_near =
        view->has_watts && view->limit_w > 0 && view->watts >= NEAR_FRAC * view->limit_w;
    return is_near ? JL_LIMITER_MSR : JL_LIMITER_NONE;
}
