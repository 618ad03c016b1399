/* SPDX-License-Identifier: Apache-2.0 */

/* CPUs of each tier out of what its pods ask for (docs/rules/threads.md#sizes). Whole numbers
 * only. */

#include "threads/sizing.h"

#define MILLICPU 1000
#define CORES_PER_RESERVED 10

const struct jl_words jl_layer_kind_words = JL_WORDS({
    { JL_LAYER_CONFINED, "Confined" },
    { JL_LAYER_GROUPED, "Grouped" },
    { JL_LAYER_OPEN, "Open" },
});

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t quotient_up(int64_t amount, int64_t unit)
{
    return amount / unit + (amount % unit != 0);
}

/* CPUs for an amount, in whole cores. */
static int64_t cpus_up(int64_t amount_m, int64_t per_core)
{
    return quotient_up(quotient_up(amount_m, MILLICPU), per_core) * per_core;
}

int64_t jl_reserve_cores(int64_t physical_cores)
{
    return most(1, quotient_up(physical_cores, CORES_PER_RESERVED));
}

/* Returns the CPUs that are fenced. */
static int64_t size_critical(const struct jl_node_size *node, const struct jl_tier_need *need,
                             struct jl_tier_sizes *out)
{
    struct jl_tier_size *size = &out->tiers[JL_TIER_CRITICAL];
    const int64_t per_core = node->threads_per_core;
    const int64_t cores = most(1, quotient_up(need->request_m, MILLICPU * per_core));
    *size = (struct jl_tier_size){ .is_present = true, .preempts = true, .has_range = true };
    if (cores > out->fenceable_cores) {
        out->is_critical_demoted = true;
        size->kind = JL_LAYER_GROUPED;
        size->least_cpus = out->fenceable_cores * per_core;
        size->most_cpus = node->logical_cpus;
        return 0;
    }
    int64_t cap = out->fenceable_cores;
    if (need->has_limit)
        cap = least(most(quotient_up(need->limit_m, MILLICPU * per_core), cores), cap);
    size->kind = JL_LAYER_CONFINED;
    size->is_protected = true;
    size->least_cpus = cores * per_core;
    size->most_cpus = cap * per_core;
    return size->least_cpus;
}

static void size_high(const struct jl_node_size *node, const struct jl_tier_need *need,
                      int64_t fenced, struct jl_tier_sizes *out)
{
    const int64_t per_core = node->threads_per_core;
    const int64_t wanted = cpus_up(need->request_m, per_core);
    const int64_t free_cpus =
        most(0, node->logical_cpus - out->reserve_cores * per_core - fenced) / per_core * per_core;
    const int64_t low = least(wanted, free_cpus);
    const bool fits = wanted <= free_cpus && low >= per_core;
    int64_t high = fits ? free_cpus : node->logical_cpus;
    if (fits && need->has_limit)
        high = least(most(cpus_up(need->limit_m, per_core), low), free_cpus);
    out->is_high_over = !fits;
    out->tiers[JL_TIER_HIGH] = (struct jl_tier_size){
        .is_present = true,
        .kind = JL_LAYER_GROUPED,
        .is_protected = fits,
        .preempts = true,
        .has_range = true,
        .least_cpus = low,
        .most_cpus = high,
    };
}

void jl_size_tiers(const struct jl_node_size *node, const struct jl_tier_need needs[JL_TIER_COUNT],
                   struct jl_tier_sizes *out)
{
    int64_t fenced = 0;
    *out = (struct jl_tier_sizes){ .reserve_cores = jl_reserve_cores(node->physical_cores) };
    out->fenceable_cores = most(0, node->physical_cores - out->reserve_cores);
    if (needs[JL_TIER_CRITICAL].is_present)
        fenced = size_critical(node, &needs[JL_TIER_CRITICAL], out);
    if (needs[JL_TIER_HIGH].is_present)
        size_high(node, &needs[JL_TIER_HIGH], fenced, out);
    if (needs[JL_TIER_NORMAL].is_present)
        out->tiers[JL_TIER_NORMAL] = (struct jl_tier_size){ .is_present = true,
                                                            .kind = JL_LAYER_GROUPED,
                                                            .has_range = true,
                                                            .most_cpus = node->logical_cpus };
    for (int tier = JL_TIER_LOW; tier <= JL_TIER_BACKGROUND; tier++)
        if (needs[tier].is_present)
            out->tiers[tier] = (struct jl_tier_size){ .is_present = true, .kind = JL_LAYER_OPEN };
}
