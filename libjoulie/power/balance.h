/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One round of moving watts from nodes that leave them to nodes that need them. Rules:
 * docs/rules/energy.md#balance. */

#include <stdbool.h>
#include <stddef.h>

struct jl_balance {
    double budget_w; /* of all nodes together */
    double min_w;    /* of one node */
    double max_w;
    double decrease_pct; /* of max - min, in one round */
    double increase_pct;
    double lower_pct; /* of the cap: a node that uses less gives some back */
    double upper_pct; /* of the cap: a node that uses more gets some */
};

void jl_balance_defaults(struct jl_balance *balance); /* rates and thresholds */

struct jl_balance_node {
    double cap_w;
    bool has_used; /* a node whose use is unknown keeps its cap */
    double used_w;
    bool has_new_job; /* a job started a moment ago: its use says nothing yet */
};

/*
 * caps_w has room for count. The nodes that need watts share what the others leave of the budget
 * evenly, and one that takes no more than its increase leaves the rest to them. No cap is outside
 * [min, max], so a budget below count · min is passed. 0 or JOULIE_E_NOMEM.
 */
int jl_balance_round(const struct jl_balance *balance, const struct jl_balance_node *nodes,
                     size_t count, double *caps_w);
