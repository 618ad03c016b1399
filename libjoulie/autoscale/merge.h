/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Several recommendations become one (docs/rules/autoscaling.md#merge;
 * docs/rules/autoscaling-source.md#merge-of-the-source). */

#include <stdbool.h>
#include <stddef.h>

#include "autoscale/amounts.h"

enum jl_merge_rules {
    JL_MERGE_CURRENT = 1,
    JL_MERGE_V2_17_1,
    JL_MERGE_V1_45_0,
};

struct jl_proposal {
    struct jl_amounts amounts; /* a side that is 0 is missing */
    bool is_locked;  /* active cron rule: its requests are floors (source: scale-down lock) */
    bool is_applied; /* source rules only: "already applied" */
};

struct jl_merge_input {
    struct {
        bool max_ratio : 1; /* the limits layer is on */
    } given;

    enum jl_merge_rules rules;
    struct jl_amounts current;
    const struct jl_proposal *proposals;
    size_t count;
    struct jl_amount_bounds max_allowed; /* of a worker's request, when it grows; current only */
    struct jl_amount_bounds gpu;         /* capacity of one GPU; current only */
    double max_ratio;                    /* limit over request; current only */
    double vram_floor; /* bytes that a limit does not go below; 0 = none; current only */
};

/* Where an amount of the result comes from, so that the caller can give it its text. */
#define JL_FROM_CURRENT (-1)
#define JL_FROM_COMPUTED (-2) /* a clamp changed it */

struct jl_merge_result {
    bool is_recommendation; /* false: the source recommends nothing, amounts are the current ones */
    struct jl_amounts amounts;

    struct {
        int request; /* index of the proposal, or JL_FROM_... */
        int limit;
    } from[JL_USAGES];
};

/*
 * The amounts do not depend on the order of the proposals under the current rules. A resource that
 * no proposal changes keeps its pair untouched, whatever the bounds are. A proposal with one side
 * of a resource missing that the current amounts have counts for nothing there, except that a
 * locked one is completed from the current amounts: its floor holds.
 */
void jl_merge_proposals(const struct jl_merge_input *in, struct jl_merge_result *out);
