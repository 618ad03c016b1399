/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From the wish of a NodeTwin to the limit of each CPU package and GPU: percent or watts, floors
 * and clamps. Rules: docs/rules/caps.md#resolution. Nothing is written here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kinds/node_twin.h"

/* CAP_FLOOR_PCT: lowest package cap in percent of its maximum; 0 disables. */
#define JL_CAP_FLOOR_PCT 30.0

enum jl_cap_rules {
    JL_CAP_CURRENT,
    JL_CAP_V0_1_1, /* one target for all packages or devices, no floor, truncated microwatts */
};

/* What a cap intent asks for; 0 or less is no request. */
struct jl_cap_intent {
    uint64_t has;
    double watts; /* per package or device; wins over the percent */
    double pct;   /* of the maximum */
};

enum { JL_CAP_INTENT_WATTS, JL_CAP_INTENT_PCT };

/* What the hardware can do; 0 = unknown. */
struct jl_cap_limits {
    double min_w;
    double max_w;
    double power_unit_w; /* packages: smallest step of the limit register */
};

enum jl_cap_clamp { JL_CLAMP_NONE, JL_CLAMP_MIN, JL_CLAMP_MAX, JL_CLAMP_FLOOR };

extern const struct jl_words jl_cap_clamp_words; /* NONE has no word */

enum jl_cap_block {
    JL_CAP_RESOLVED,
    JL_CAP_NO_INTENT,
    JL_CAP_NO_MAX,
    JL_CAP_PCT_NOT_POSITIVE, /* this and below: v0.1.1 */
    JL_CAP_RANGE_UNAVAILABLE,
    JL_CAP_GPU_NO_MAX,
    JL_CAP_GPU_NO_REQUEST,
    JL_CAP_GPU_BELOW_MIN,
    JL_CAP_GPU_ABOVE_MAX,
};

struct jl_cap {
    enum jl_cap_block block; /* JL_CAP_RESOLVED: the cap is set */
    bool has_requested;
    double requested_w;
    double cap_w;
    uint64_t power_limit_uw; /* packages: what is written */
    enum jl_cap_clamp clamp;
    double bound_w; /* the limit that a blocked request broke */
    size_t culprit; /* and the index of its device */
};

struct jl_cap_intent jl_cap_intent_cpu(const struct jl_twin_spec *spec);
struct jl_cap_intent jl_cap_intent_gpu(const struct jl_twin_spec *spec);

/* One package or device by the current rules. floor_pct is 0 for devices. */
struct jl_cap jl_cap_resolve(const struct jl_cap_intent *intent, const struct jl_cap_limits *limits,
                             double floor_pct);

/* Limits of count devices, wherever they stand. Those of a device with a negative or infinite one
 * count as unknown. */
struct jl_cap_table {
    const char *min_w; /* first double, NULL = unknown for all */
    const char *max_w;
    const char *unit_w;
    int64_t min_stride; /* bytes */
    int64_t max_stride;
    int64_t unit_stride;
    size_t count;
};

/* What is the same for all devices of a node: the wish, and in v0.1.1 the one cap of all. */
struct jl_cap_plan {
    const struct jl_cap_table *table;
    struct jl_cap_intent intent;
    double floor_pct;
    bool is_common;
    bool is_gpu;
    struct jl_cap common;
};

struct jl_cap_limits jl_cap_limits_at(const struct jl_cap_table *table, size_t i, bool *is_bad);
void jl_cap_plan_packages(const struct jl_cap_intent *intent, const struct jl_cap_table *table,
                          double floor_pct, enum jl_cap_rules rules, struct jl_cap_plan *out);
void jl_cap_plan_gpus(const struct jl_cap_intent *intent, const struct jl_cap_table *table,
                      enum jl_cap_rules rules, struct jl_cap_plan *out);
/* The cap of device i, whose limits these are. */
struct jl_cap jl_cap_of(const struct jl_cap_plan *plan, const struct jl_cap_limits *limits);

/* All packages or devices of a node; out has room for count. floor_pct is not used by v0.1.1. */
void jl_caps_resolve_packages(const struct jl_cap_intent *intent,
                              const struct jl_cap_limits *limits, size_t count, double floor_pct,
                              enum jl_cap_rules rules, struct jl_cap *out);
void jl_caps_resolve_gpus(const struct jl_cap_intent *intent, const struct jl_cap_limits *limits,
                          size_t count, enum jl_cap_rules rules, struct jl_cap *out);

/* Microwatts to the nearest, then down to a multiple of the unit when it is known. */
uint64_t jl_cap_power_limit_uw(double cap_w, double power_unit_w);
/* Milliwatts to the nearest, as GPU libraries take them. */
uint64_t jl_cap_power_limit_mw(double cap_w);

/* Why a cap is blocked, in the words that agents report; NULL when memory ran out. */
const char *jl_cap_message(const struct jl_cap *cap, struct jl_arena *arena);
