/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which cores of a machine a group gets. Rules: docs/rules/threads.md#cores. */

#include "base/cpu_set.h"
#include "threads/machine.h"

struct jl_core_request {
    const struct jl_list *cores; /* of jl_machine_core */
    const struct jl_cpu_set *allowed;
    size_t reserve; /* usable cores with the lowest CPUs, which are not taken */
    size_t count;   /* cores wanted */
};

/*
 * The cores in the order in which they are taken, as indexes. 0, JOULIE_E_RANGE when there are
 * fewer than are wanted, or a code of the arena. picked has room for count.
 */
int jl_pick_cores(struct jl_arena *arena, const struct jl_core_request *request, size_t *picked);

/* All cores that lie inside the allowed set, in the order of jl_pick_cores() with the reserve
 * behind the others. order has room for every core; returns their number or a code. */
int64_t jl_order_cores(struct jl_arena *arena, const struct jl_core_request *request,
                       size_t *order);

/* The CPUs of a core, and the lowest of them. */
void jl_core_cpus(const struct jl_machine_core *core, struct jl_cpu_set *out);
size_t jl_core_first_cpu(const struct jl_machine_core *core);
