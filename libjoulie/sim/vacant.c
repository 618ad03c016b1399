/* SPDX-License-Identifier: Apache-2.0 */

/* A set of bits for each family. Kept by fleet.c and power.c, asked by placement.c. */

#include "sim/vacant.h"

#include <string.h>

#include <joulie/error.h>

#include "base/memory.h"

#define WORD_BITS 64

static bool is_set(const struct jl_sim_vacant *vacant, size_t bit)
{
    return (vacant->words[bit / WORD_BITS] >> bit % WORD_BITS & 1) != 0;
}

/* ---- life ---- */

static size_t family_of(const struct jl_inventory *inventory, size_t node)
{
    return (size_t)(inventory->machines[node].family - inventory->families);
}

/* Words of a family hold its nodes in their order. */
static void lay_out(struct jl_sim_vacant *vacant)
{
    const struct jl_inventory *inventory = vacant->inventory;
    for (size_t i = 0; i < inventory->count; i++)
        vacant->families[family_of(inventory, i)].end++;
    size_t begin = 0;
    for (size_t i = 0; i < inventory->family_count; i++) {
        struct jl_sim_vacant_family *family = &vacant->families[i];
        const size_t words = (family->end + WORD_BITS - 1) / WORD_BITS;
        *family = (struct jl_sim_vacant_family){ begin, begin + words, begin };
        begin += words;
    }
}

static void put_nodes(struct jl_sim_vacant *vacant, size_t *used)
{
    const struct jl_inventory *inventory = vacant->inventory;
    for (size_t i = 0; i < inventory->count; i++) {
        const size_t family = family_of(inventory, i);
        const size_t bit = vacant->families[family].begin * WORD_BITS + used[family]++;
        vacant->place[i] = bit;
        vacant->nodes[bit] = (uint32_t)i;
        vacant->words[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
    }
}

int jl_sim_vacant_init(struct jl_sim_vacant *vacant, const struct jl_inventory *inventory)
{
    const size_t nodes = inventory->count + 1;
    const size_t families = inventory->family_count + 1;
    const size_t words = nodes / WORD_BITS + families;
    JL_CLEANUP(jl_freep) size_t *used = jl_calloc(families, sizeof *used);
    *vacant = (struct jl_sim_vacant){
        .inventory = inventory,
        .others = jl_calloc(nodes, sizeof *vacant->others),
        .place = jl_calloc(nodes, sizeof *vacant->place),
        .at = jl_calloc(nodes, sizeof *vacant->at),
        .nodes = jl_calloc(words * WORD_BITS, sizeof *vacant->nodes),
        .words = jl_calloc(words, sizeof *vacant->words),
        .families = jl_calloc(families, sizeof *vacant->families),
        .firsts = jl_calloc(families, sizeof *vacant->firsts),
    };
    if (!used || !vacant->others || !vacant->place || !vacant->at || !vacant->nodes ||
        !vacant->words || !vacant->families || !vacant->firsts)
        return JOULIE_E_NOMEM;
    lay_out(vacant);
    put_nodes(vacant, used);
    return 0;
}

void jl_sim_vacant_clear(struct jl_sim_vacant *vacant)
{
    jl_free(vacant->others);
    jl_free(vacant->place);
    jl_free(vacant->at);
    jl_free(vacant->nodes);
    jl_free(vacant->words);
    jl_free(vacant->families);
    jl_free(vacant->firsts);
    memset(vacant, 0, sizeof *vacant);
}

/* ---- the sets ---- */

static void leave_others(struct jl_sim_vacant *vacant, size_t node)
{
    const uint32_t last = vacant->others[--vacant->other_count];
    vacant->others[vacant->at[node]] = last;
    vacant->at[last] = vacant->at[node];
}

static void join_others(struct jl_sim_vacant *vacant, size_t node)
{
    vacant->at[node] = vacant->other_count;
    vacant->others[vacant->other_count++] = (uint32_t)node;
}

void jl_sim_vacant_set(struct jl_sim_vacant *vacant, size_t node, bool is_vacant)
{
    const size_t bit = vacant->place[node];
    const size_t word = bit / WORD_BITS;
    if (is_set(vacant, bit) == is_vacant)
        return;
    vacant->words[word] ^= UINT64_C(1) << bit % WORD_BITS;
    if (!is_vacant) {
        join_others(vacant, node);
        return;
    }
    leave_others(vacant, node);
    struct jl_sim_vacant_family *family = &vacant->families[family_of(vacant->inventory, node)];
    if (word < family->lowest)
        family->lowest = word;
}

size_t jl_sim_vacant_firsts(struct jl_sim_vacant *vacant)
{
    size_t count = 0;
    for (size_t i = 0; i < vacant->inventory->family_count; i++) {
        struct jl_sim_vacant_family *family = &vacant->families[i];
        while (family->lowest < family->end && vacant->words[family->lowest] == 0)
            family->lowest++;
        if (family->lowest == family->end)
            continue;
        const int lowest = __builtin_ctzll(vacant->words[family->lowest]);
        vacant->firsts[count++] = vacant->nodes[family->lowest * WORD_BITS + (size_t)lowest];
    }
    return count;
}
