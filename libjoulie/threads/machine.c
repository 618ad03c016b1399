/* SPDX-License-Identifier: Apache-2.0 */

/* Counts of a machine, and the shapes that profiles ask for (docs/rules/threads.md#machines). */

#define JL_THREAD_MACHINE_TABLES
#include "threads/machine.h"

#include "base/glob.h"
#include "base/sort.h"

/* ---- counts out of cores ---- */

enum core_number { CORE_NODE, CORE_LLC, CORE_MAX_KHZ };

static bool number_of(const struct jl_machine_core *core, enum core_number which, int64_t *out)
{
    *out = which == CORE_NODE ? core->node : which == CORE_LLC ? core->llc : core->max_khz;
    if (which == CORE_NODE)
        return core->given.node;
    return which == CORE_LLC ? core->given.llc : core->given.max_khz;
}

/* Different numbers among the cores; 0 when one does not say. */
static int64_t count_different(const struct jl_list *cores, enum core_number which)
{
    int64_t count = 0;
    for (size_t i = 0; i < cores->count; i++) {
        int64_t number;
        int64_t other = 0;
        size_t k = 0;
        if (!number_of(JL_ITEM(*cores, jl_machine_core, i), which, &number))
            return 0;
        while (k < i &&
               (number_of(JL_ITEM(*cores, jl_machine_core, k), which, &other), other != number))
            k++;
        count += k == i;
    }
    return count;
}

void jl_machine_derive(struct jl_thread_machine *machine)
{
    int64_t cpus = 0;
    int64_t smt = 0;
    if (machine->cores.count == 0)
        return;
    for (size_t i = 0; i < machine->cores.count; i++) {
        const int64_t count = (int64_t)JL_ITEM(machine->cores, jl_machine_core, i)->cpus.count;
        cpus += count;
        smt = count > smt ? count : smt;
    }
    const int64_t nodes = count_different(&machine->cores, CORE_NODE);
    const int64_t llcs = count_different(&machine->cores, CORE_LLC);
    const int64_t speeds = count_different(&machine->cores, CORE_MAX_KHZ);
    if (!machine->given.logical_cpus)
        JL_SET(machine, logical_cpus, cpus);
    if (!machine->given.physical_cores)
        JL_SET(machine, physical_cores, (int64_t)machine->cores.count);
    if (!machine->given.smt)
        JL_SET(machine, smt, smt);
    if (!machine->given.numa_nodes && nodes > 0)
        JL_SET(machine, numa_nodes, nodes);
    if (!machine->given.llcs && llcs > 0)
        JL_SET(machine, llcs, llcs);
    if (!machine->given.hybrid && speeds > 0)
        JL_SET(machine, hybrid, speeds > 1);
}

/* ---- shapes ---- */

struct count_key { /* a key of a shape that is a number of the machine */
    bool is_asked;
    struct jl_range wanted;
    bool is_known;
    int64_t count;
};

#define COUNT_KEYS 6

/* machine may be NULL. */
static void list_counts(const struct jl_machine_shape *shape,
                        const struct jl_thread_machine *machine, struct count_key out[COUNT_KEYS])
{
    static const struct jl_thread_machine unknown;
    const struct jl_thread_machine *known = machine != NULL ? machine : &unknown;
    size_t n = 0;
#define COUNT_KEY(key) \
    out[n++] = (struct count_key){ shape->given.key, shape->key, known->given.key, known->key }
    COUNT_KEY(logical_cpus);
    COUNT_KEY(physical_cores);
    COUNT_KEY(sockets);
    COUNT_KEY(numa_nodes);
    COUNT_KEY(llcs);
    COUNT_KEY(smt);
#undef COUNT_KEY
}

struct jl_shape_weight jl_shape_weigh(const struct jl_machine_shape *shape)
{
    struct count_key keys[COUNT_KEYS];
    struct jl_shape_weight weight = {
        .exact = shape->given.arch + shape->given.cpu_vendor + shape->given.hybrid,
        .ranges = shape->given.cpu_model,
    };
    list_counts(shape, NULL, keys);
    for (size_t i = 0; i < COUNT_KEYS; i++) {
        weight.exact += keys[i].is_asked && !keys[i].wanted.is_pair;
        weight.ranges += keys[i].is_asked && keys[i].wanted.is_pair;
    }
    return weight;
}

int jl_compare_shapes(const struct jl_machine_shape *a, const struct jl_machine_shape *b)
{
    const struct jl_shape_weight x = jl_shape_weigh(a);
    const struct jl_shape_weight y = jl_shape_weigh(b);
    return x.exact != y.exact ? JL_ORDER(x.exact, y.exact) : JL_ORDER(x.ranges, y.ranges);
}

bool jl_shape_matches(const struct jl_machine_shape *shape, const struct jl_thread_machine *machine)
{
    struct count_key keys[COUNT_KEYS];
    list_counts(shape, machine, keys);
    for (size_t i = 0; i < COUNT_KEYS; i++)
        if (keys[i].is_asked && !(keys[i].is_known && keys[i].count >= keys[i].wanted.least &&
                                  keys[i].count <= keys[i].wanted.most))
            return false;
    if (shape->given.arch && !jl_same(shape->arch, machine->arch))
        return false;
    if (shape->given.cpu_vendor && !jl_same(shape->cpu_vendor, machine->cpu_vendor))
        return false;
    if (shape->given.hybrid && !(machine->given.hybrid && shape->hybrid == machine->hybrid))
        return false;
    return !shape->given.cpu_model ||
           (machine->given.cpu_model &&
            jl_glob_match(jl_text(shape->cpu_model), jl_text(machine->cpu_model)));
}
