/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What request.c, resolve.c and resolve_v0_1_1.c share; only they include it. */

#include "caps/caps.h"

bool jl_cap_asks_watts(const struct joulie_caps_intent *intent);
bool jl_cap_asks_pct(const struct joulie_caps_intent *intent);
/* Whole microwatts, cut off; at most 2^53. */
uint64_t jl_cap_whole_uw(double cap_w);
/* Limits of device i. Those of a device with a negative or infinite one count as unknown. */
struct jl_cap_limits jl_cap_limits_at(const struct joulie_caps_limits *table, size_t i,
                                      bool *is_bad);

/* The one cap of all devices, and what of it goes to a device. */
struct jl_cap jl_cap_v0_1_1(const struct joulie_caps_intent *intent,
                            const struct joulie_caps_limits *limits, size_t count);
struct jl_cap jl_cap_of_device_v0_1_1(const struct joulie_caps_intent *intent,
                                      const struct jl_cap *common,
                                      const struct jl_cap_limits *limits);
