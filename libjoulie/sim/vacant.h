/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Nodes without a pod, by family. Their rooms are equal, so the first of a family stands for all of
 * them where placement goes by rooms: in a large cluster most nodes need no look
 * (docs/rules/simulation.md#placement).
 */

#include "sim/inventory.h"

struct jl_sim_vacant_family {
    size_t begin; /* words */
    size_t end;
    size_t lowest; /* no word before it has a bit */
};

struct jl_sim_vacant {
    const struct jl_inventory *inventory;
    uint32_t *others; /* nodes that have a pod or take none, in no order */
    size_t other_count;
    size_t *place;   /* by node: its bit, that of a node of its family by their order */
    size_t *at;      /* by node: into others; of no meaning while it is vacant */
    uint32_t *nodes; /* by bit */
    uint64_t *words; /* the bits; each family begins a word */
    size_t word_count;
    struct jl_sim_vacant_family *families; /* as the inventory's */
    uint32_t *firsts;                      /* room for one of each family */
};

/* Every node is vacant. 0 or JOULIE_E_NOMEM. */
int jl_sim_vacant_init(struct jl_sim_vacant *vacant, const struct jl_inventory *inventory);
void jl_sim_vacant_clear(struct jl_sim_vacant *vacant);
void jl_sim_vacant_set(struct jl_sim_vacant *vacant, size_t node, bool is_vacant);
/* The first vacant node of each family that has one, into vacant->firsts; how many. */
size_t jl_sim_vacant_firsts(struct jl_sim_vacant *vacant);
