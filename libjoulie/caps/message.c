/* SPDX-License-Identifier: Apache-2.0 */

/* Why a cap is blocked, in the words that agents report. */

#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "caps/caps.h"

#define LARGEST_FIXED_W 1e15 /* what jl_format_fixed takes */

static const struct jl_word clamp_words[] = {
    { JOULIE_CAP_CLAMP_MIN, "min" },
    { JOULIE_CAP_CLAMP_MAX, "max" },
    { JOULIE_CAP_CLAMP_FLOOR, "floor" },
};
const struct jl_words jl_cap_clamp_words = JL_WORDS(clamp_words);

static size_t format_watts(double watts, char out[JL_DOUBLE_TEXT])
{
    return fabs(watts) < LARGEST_FIXED_W ? jl_format_fixed(watts, 1, out)
                                         : jl_format_double(watts, out);
}

static const char *broken_bound(const struct jl_cap *cap, const char *relation,
                                struct jl_arena *arena)
{
    char requested[JL_DOUBLE_TEXT];
    char bound[JL_DOUBLE_TEXT];
    char index[JL_DOUBLE_TEXT];
    format_watts(cap->requested_w, requested);
    format_watts(cap->bound_w, bound);
    jl_format_i64((int64_t)cap->culprit, index);
    const char *const parts[] = { "requested cap ", requested, "W ", relation, " ", bound,
                                  "W on gpu ",      index };
    return jl_arena_join(arena, parts, JL_COUNT(parts));
}

const char *jl_cap_message(const struct jl_cap *cap, struct jl_arena *arena)
{
    switch (cap->block) {
    case JOULIE_CAP_BLOCK_NO_INTENT:
        return "no intent";
    case JOULIE_CAP_BLOCK_NO_MAX:
        return "no max";
    case JOULIE_CAP_BLOCK_PCT_NOT_POSITIVE:
        return "pct must be > 0";
    case JOULIE_CAP_BLOCK_RANGE_UNAVAILABLE:
        return "rapl cap range unavailable";
    case JOULIE_CAP_BLOCK_GPU_NO_MAX:
        return "cannot resolve capPctOfMax without device max power limits";
    case JOULIE_CAP_BLOCK_GPU_NO_REQUEST:
        return "missing capWattsPerGpu or capPctOfMax";
    case JOULIE_CAP_BLOCK_GPU_BELOW_MIN:
        return broken_bound(cap, "below min", arena);
    case JOULIE_CAP_BLOCK_GPU_ABOVE_MAX:
        return broken_bound(cap, "above max", arena);
    case JOULIE_CAP_BLOCK_NONE:
        break;
    }
    return "";
}
