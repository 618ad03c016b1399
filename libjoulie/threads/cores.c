/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Cores for a group (docs/rules/threads.md#cores): close together, the fastest first, from the
 * highest CPU number down, because the lowest ones take the interrupts.
 */

#include "threads/cores.h"

#include <joulie/error.h>

#include "base/sort.h"

void jl_core_cpus(const struct jl_machine_core *core, struct jl_cpu_set *out)
{
    *out = (struct jl_cpu_set){ 0 };
    for (size_t i = 0; i < core->cpus.count; i++)
        jl_cpu_set_add(out, (size_t)JL_NUMBER_ITEM(core->cpus, i));
}

size_t jl_core_first_cpu(const struct jl_machine_core *core)
{
    struct jl_cpu_set cpus;
    jl_core_cpus(core, &cpus);
    return jl_cpu_set_next(&cpus, 0);
}

/* Cores of a node, or of a cache in it, that are taken or left. */
struct place {
    size_t taken;
    size_t left;
};

/* A core that may be taken. */
struct free_core {
    size_t index;
    size_t first_cpu;
    int64_t node;
    int64_t llc;
    int64_t max_khz;
    bool is_taken;
    struct place in_node;
    struct place in_llc;
};

static int by_first_cpu(const void *a, const void *b, void *user)
{
    (void)user;
    return JL_ORDER(((const struct free_core *)a)->first_cpu,
                    ((const struct free_core *)b)->first_cpu);
}

static size_t list_usable(const struct jl_core_request *request, struct free_core *out)
{
    size_t count = 0;
    for (size_t i = 0; i < request->cores->count; i++) {
        const struct jl_machine_core *core = JL_ITEM(*request->cores, jl_machine_core, i);
        struct jl_cpu_set cpus;
        jl_core_cpus(core, &cpus);
        if (core->cpus.count > 0 && jl_cpu_set_holds(request->allowed, &cpus))
            out[count++] = (struct free_core){ .index = i,
                                               .first_cpu = jl_cpu_set_next(&cpus, 0),
                                               .node = core->node,
                                               .llc = core->llc,
                                               .max_khz = core->max_khz };
    }
    return count;
}

/* Tells all cores beside one that it is there, or that it was taken. */
static void count_core(struct free_core *cores, size_t count, const struct free_core *core)
{
    for (size_t i = 0; i < count; i++) {
        struct free_core *other = &cores[i];
        const bool is_near = other->node == core->node;
        const size_t in_node = is_near;
        const size_t in_llc = is_near && other->llc == core->llc;
        other->in_node.left += core->is_taken ? -in_node : in_node;
        other->in_llc.left += core->is_taken ? -in_llc : in_llc;
        other->in_node.taken += core->is_taken ? in_node : 0;
        other->in_llc.taken += core->is_taken ? in_llc : 0;
    }
}

/* Below 0 when a is the better place: one that is in use, then the one with more left. */
static int compare_places(struct place a, struct place b)
{
    if ((a.taken > 0) != (b.taken > 0))
        return a.taken > 0 ? -1 : 1;
    return JL_ORDER(b.left, a.left);
}

static int compare_cores(const struct free_core *a, const struct free_core *b)
{
    int order = a->node == b->node ? 0 : compare_places(a->in_node, b->in_node);
    if (order == 0)
        order = JL_ORDER(a->node, b->node);
    if (order == 0 && a->llc != b->llc)
        order = compare_places(a->in_llc, b->in_llc);
    if (order == 0)
        order = JL_ORDER(a->llc, b->llc);
    if (order == 0)
        order = JL_ORDER(b->max_khz, a->max_khz);
    return order != 0 ? order : JL_ORDER(b->first_cpu, a->first_cpu);
}

/* Takes the best of the cores that are left, wanted times. */
static void take_best(struct free_core *cores, size_t count, size_t wanted, size_t *picked)
{
    for (size_t i = 0; i < count; i++)
        count_core(cores, count, &cores[i]);
    for (size_t n = 0; n < wanted; n++) {
        struct free_core *best = NULL;
        for (size_t i = 0; i < count; i++)
            if (!cores[i].is_taken && (best == NULL || compare_cores(&cores[i], best) < 0))
                best = &cores[i];
        best->is_taken = true;
        count_core(cores, count, best);
        picked[n] = best->index;
    }
}

struct usable {
    struct free_core *cores; /* without the reserve, which stands before them */
    size_t reserve;
    size_t count;
};

static int find_usable(struct jl_arena *arena, const struct jl_core_request *request,
                       struct usable *out)
{
    const size_t most = request->cores->count;
    struct free_core *cores = JL_NEW_ARRAY(arena, most, struct free_core);
    struct free_core *scratch = JL_NEW_ARRAY(arena, most, struct free_core);
    if (cores == NULL || scratch == NULL)
        return jl_arena_code(arena);
    const size_t count = list_usable(request, cores);
    jl_sort_with(cores, count, sizeof *cores, by_first_cpu, NULL, scratch);
    out->reserve = request->reserve < count ? request->reserve : count;
    out->cores = cores + out->reserve;
    out->count = count - out->reserve;
    return 0;
}

int jl_pick_cores(struct jl_arena *arena, const struct jl_core_request *request, size_t *picked)
{
    struct usable usable;
    const int rc = find_usable(arena, request, &usable);
    if (rc < 0)
        return rc;
    if (usable.count < request->count)
        return JOULIE_E_RANGE;
    take_best(usable.cores, usable.count, request->count, picked);
    return 0;
}

int64_t jl_order_cores(struct jl_arena *arena, const struct jl_core_request *request, size_t *order)
{
    struct usable usable;
    const int rc = find_usable(arena, request, &usable);
    if (rc < 0)
        return rc;
    take_best(usable.cores, usable.count, usable.count, order);
    take_best(usable.cores - usable.reserve, usable.reserve, usable.reserve, order + usable.count);
    return (int64_t)(usable.count + usable.reserve);
}
