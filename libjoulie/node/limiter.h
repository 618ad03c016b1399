/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which limit holds a package back at this moment (docs/rules/node-agent.md#limiter). */

#include "caps/state.h"

/* The higher wins when packages differ. */
enum jl_limiter {
    JL_LIMITER_UNKNOWN,
    JL_LIMITER_NONE,
    JL_LIMITER_MSR,
    JL_LIMITER_THERMAL,
    JL_LIMITER_MMIO,
    JL_LIMITER_OUT_OF_BAND,
    JL_LIMITER_FIRMWARE,
};

extern const struct jl_words jl_limiter_words;

struct jl_limiter_view {
    enum jl_device_state state;
    enum jl_cap_reason reason;
    bool is_off;    /* `enabled` reads 0 */
    double limit_w; /* that reads back */
    bool has_other; /* a second pair of limits, of MMIO */
    double other_w;
    bool has_watts;
    double watts;
    bool is_hot; /* thermal throttling was counted since the reading before */
};

enum jl_limiter jl_limiter(const struct jl_limiter_view *view);
