/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One round of moving watts between nodes. Called by the question `power.balance`. Implements
 * docs/rules/energy.md#balance.
 */

#include "power/balance.h"

#include <joulie/error.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"

/* A node that gets watts, and the most that it can take. */
struct taker {
    size_t index;
    double ceiling_w;
};

void jl_balance_defaults(struct jl_balance *balance)
{
    balance->decrease_pct = 50;
    balance->increase_pct = 20;
    balance->lower_pct = 90;
    balance->upper_pct = 95;
}

static double within(const struct jl_balance *balance, double cap_w)
{
    return jl_clamp(cap_w, balance->min_w, balance->max_w);
}

static double step_w(const struct jl_balance *balance, double pct)
{
    return (balance->max_w - balance->min_w) * pct / 100;
}

static bool is_above(const struct jl_balance *balance, const struct jl_balance_node *node)
{
    return node->has_used && node->used_w > node->cap_w * balance->upper_pct / 100;
}

static double kept_w(const struct jl_balance *balance, const struct jl_balance_node *node)
{
    const bool is_below = node->has_used && node->used_w < node->cap_w * balance->lower_pct / 100;
    if (!is_below)
        return within(balance, node->cap_w);
    const double given_w =
        jl_min((node->cap_w - node->used_w) / 2, step_w(balance, balance->decrease_pct));
    return within(balance, node->cap_w - given_w);
}

static int by_ceiling(const void *a, const void *b, void *user)
{
    const double x = ((const struct taker *)a)->ceiling_w;
    const double y = ((const struct taker *)b)->ceiling_w;
    (void)user;
    return JL_ORDER(x, y);
}

/* Lowest ceilings first: a node that cannot take an even share leaves the rest to the others. */
static void share_out(const struct jl_balance *balance, double left_w, const struct taker *takers,
                      size_t count, double *caps_w)
{
    for (size_t i = 0; i < count; i++) {
        const double share_w = left_w / (double)(count - i);
        if (takers[i].ceiling_w >= share_w) {
            for (; i < count; i++)
                caps_w[takers[i].index] = within(balance, share_w);
            return;
        }
        caps_w[takers[i].index] = takers[i].ceiling_w;
        left_w -= takers[i].ceiling_w;
    }
}

int jl_balance_round(const struct jl_balance *balance, const struct jl_balance_node *nodes,
                     size_t count, double *caps_w)
{
    struct taker *takers = jl_calloc(count + 1, sizeof *takers);
    if (takers == NULL)
        return JOULIE_E_NOMEM;
    double left_w = balance->budget_w;
    size_t taking = 0;
    for (size_t i = 0; i < count; i++) {
        const struct jl_balance_node *node = &nodes[i];
        if (node->has_new_job || is_above(balance, node)) {
            const double more_w = node->cap_w + step_w(balance, balance->increase_pct);
            takers[taking++] =
                (struct taker){ i, node->has_new_job ? balance->max_w : within(balance, more_w) };
        } else {
            caps_w[i] = kept_w(balance, node);
            left_w -= caps_w[i];
        }
    }
    const int rc = jl_sort(takers, taking, sizeof *takers, by_ceiling, NULL);
    if (rc == 0)
        share_out(balance, left_w, takers, taking, caps_w);
    jl_free(takers);
    return rc;
}
