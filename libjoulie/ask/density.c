/* SPDX-License-Identifier: Apache-2.0 */

/* density: the order in which policies take nodes (docs/rules/policy.md#density). */

#include "ask/ask.h"
#include "base/error.h"
#include "policy/policy.h"

#define RECORD density_node
#define MEMBERS                                         \
    STRING(name, "name", "Name of the node.", REQUIRED) \
    WHOLE(hardware, "hardware", jl_node_hardware, "status", "NodeHardware or its status.")
#include "schema/record.h"

#define RECORD density_in
#define MEMBERS LIST(nodes, "nodes", density_node, "Nodes to be ordered.", REQUIRED)
#include "schema/record.h"

#define RECORD density_entry
#define MEMBERS                                                      \
    STRING(name, "name", "Name of the node.")                        \
    NUMBER(cpu, "cpu", "Part of its CPUs, in units of the catalog.") \
    NUMBER(gpu, "gpu", "Part of its GPUs, in units of the catalog.") \
    NUMBER(total, "total", "Sum, which makes the order.")            \
    NUMBER(cpu_normalized, "cpuNormalized",                          \
           "Part of its CPUs by socket, which the order does not use.")
#include "schema/record.h"

#define RECORD density_out
#define MEMBERS                                      \
    STRINGS(order, "order", "Names, densest first.") \
    LIST(densities, "densities", density_entry, "Densities in that order.")
#include "schema/record.h"

static void measure(const struct density_node *node, struct jl_density *out)
{
    const bool is_given = node->given.hardware;
    struct jl_hardware hardware;
    jl_hardware_resolve(is_given ? &node->hardware.status : NULL, NULL, JL_HARDWARE_CURRENT,
                        &hardware);
    jl_density_of(&hardware, out);
}

static void put_entry(const char *name, const struct jl_density *density, struct density_entry *out)
{
    JL_SET(out, name, name);
    JL_SET(out, cpu, density->cpu);
    JL_SET(out, gpu, density->gpu);
    JL_SET(out, total, density->total);
    JL_SET(out, cpu_normalized, density->cpu_normalized);
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct density_in *in = input;
    struct density_out *out = output;
    const size_t count = in->nodes.count;
    struct jl_density_rank *ranks = JL_NEW_ARRAY(ask->arena, count, struct jl_density_rank);
    struct jl_density *densities = JL_NEW_ARRAY(ask->arena, count, struct jl_density);
    struct density_entry *entries = JL_NEW_ARRAY(ask->arena, count, struct density_entry);
    const char **order = JL_NEW_ARRAY(ask->arena, count, const char *);
    if (ranks == NULL || densities == NULL || entries == NULL || order == NULL)
        return jl_fail_memory(ask->err);

    for (size_t i = 0; i < count; i++) {
        const struct density_node *node = JL_ITEM(in->nodes, density_node, i);
        measure(node, &densities[i]);
        ranks[i] = (struct jl_density_rank){ densities[i].total, node->name, i };
    }
    if (jl_density_sort(ranks, count) < 0)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        order[i] = ranks[i].name;
        put_entry(ranks[i].name, &densities[ranks[i].index], &entries[i]);
    }
    JL_SET(out, order, ((struct jl_list){ order, count }));
    JL_SET(out, densities, ((struct jl_list){ entries, count }));
    return 0;
}

const struct jl_question jl_question_density = {
    .name = "density",
    .summary = "compute density of nodes, the order in which policies take them",
    .in = &density_in_table,
    .out = &density_out_table,
    .answer = answer,
};
