/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From the request of a NodeTwin to the limit of each CPU package and GPU: percent or watts, floors
 * and clamps. Rules: docs/rules/caps.md#resolution. Nothing is written here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/caps.h>

#include "base/arena.h"
#include "kinds/node_twin.h"

/* CAP_FLOOR_PCT: lowest package cap in percent of its maximum; 0 disables. */
#define JL_CAP_FLOOR_PCT 30.0

/* What the hardware can do; 0 = unknown. */
struct jl_cap_limits {
    double min_w;
    double max_w;
    double power_unit_w; /* packages: smallest step of the limit register */
};

extern const struct jl_words jl_cap_clamp_words; /* NONE has no word */

struct jl_cap {
    enum joulie_cap_block block; /* NONE: the cap is set */
    bool has_requested;
    double requested_w;
    double cap_w;
    uint64_t power_limit_uw; /* packages: what is written */
    enum joulie_cap_clamp clamp;
    double bound_w; /* the limit that a blocked request broke */
    size_t culprit; /* and the index of its device */
};

/* What a spec asks for; without a floor, by the current rules. */
struct joulie_caps_intent jl_cap_intent_cpu(const struct jl_twin_spec *spec);
struct joulie_caps_intent jl_cap_intent_gpu(const struct jl_twin_spec *spec);

/* One package or device by the current rules. floor_pct is 0 for devices. */
struct jl_cap jl_cap_resolve(const struct joulie_caps_intent *intent,
                             const struct jl_cap_limits *limits, double floor_pct);

/* joulie_caps_resolve() for an array; out has room for count. */
void jl_caps_resolve(const struct joulie_caps_intent *intent, const struct jl_cap_limits *limits,
                     size_t count, struct jl_cap *out);

/* Microwatts to the nearest, then down to a multiple of the unit when it is known. */
uint64_t jl_cap_power_limit_uw(double cap_w, double power_unit_w);
/* Milliwatts to the nearest, as GPU libraries take them. */
uint64_t jl_cap_power_limit_mw(double cap_w);

/* Why a cap is blocked, in the words that agents report; NULL when memory ran out. */
const char *jl_cap_message(const struct jl_cap *cap, struct jl_arena *arena);
