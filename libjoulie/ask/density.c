/* SPDX-License-Identifier: Apache-2.0 */

/* density: the order in which policies take nodes (joulie-control.md §4.5, W12). */

#include "ask/ask.h"
#include "base/error.h"
#include "policy/policy.h"

struct density_node {
    uint64_t has;
    const char *name;
    struct jl_node_hardware hardware;
};

enum { NODE_NAME, NODE_HARDWARE };

static const struct jl_row node_rows[] = {
    [NODE_NAME] =
        JL_STRING(density_node, name, "name", .flags = JL_REQUIRED, .doc = "Name of the node."),
    [NODE_HARDWARE] = JL_WHOLE(density_node, hardware, "hardware", &jl_node_hardware_table,
                               "status", .doc = "NodeHardware or its status."),
};
static const struct jl_table node_table = JL_TABLE(density_node, node_rows);

struct density_in {
    uint64_t has;
    struct jl_list nodes;
};

enum { IN_NODES };

static const struct jl_row in_rows[] = {
    [IN_NODES] = JL_LIST(density_in, nodes, "nodes", &node_table, .flags = JL_REQUIRED,
                         .doc = "Nodes to be ordered."),
};
static const struct jl_table in_table = JL_TABLE(density_in, in_rows);

struct density_entry {
    uint64_t has;
    const char *name;
    double cpu;
    double gpu;
    double total;
    double cpu_normalized;
};

enum { ENTRY_NAME, ENTRY_CPU, ENTRY_GPU, ENTRY_TOTAL, ENTRY_NORMALIZED };

static const struct jl_row entry_rows[] = {
    [ENTRY_NAME] = JL_STRING(density_entry, name, "name", .doc = "Name of the node."),
    [ENTRY_CPU] =
        JL_NUMBER(density_entry, cpu, "cpu", .doc = "Part of its CPUs, in units of the catalog."),
    [ENTRY_GPU] =
        JL_NUMBER(density_entry, gpu, "gpu", .doc = "Part of its GPUs, in units of the catalog."),
    [ENTRY_TOTAL] = JL_NUMBER(density_entry, total, "total", .doc = "Sum, which makes the order."),
    [ENTRY_NORMALIZED] =
        JL_NUMBER(density_entry, cpu_normalized, "cpuNormalized",
                  .doc = "Part of its CPUs by socket, which the order does not use."),
};
static const struct jl_table entry_table = JL_TABLE(density_entry, entry_rows);

struct density_out {
    uint64_t has;
    struct jl_list order;
    struct jl_list densities;
};

enum { OUT_ORDER, OUT_DENSITIES };

static const struct jl_row out_rows[] = {
    [OUT_ORDER] = JL_STRINGS(density_out, order, "order", .doc = "Names, densest first."),
    [OUT_DENSITIES] = JL_LIST(density_out, densities, "densities", &entry_table,
                              .doc = "Densities in that order."),
};
static const struct jl_table out_table = JL_TABLE(density_out, out_rows);

static void measure(const struct density_node *node, struct jl_density *out)
{
    const bool is_given = JL_HAS(node, NODE_HARDWARE);
    struct jl_hardware hardware;
    jl_hardware_resolve(is_given ? &node->hardware.status : NULL, NULL, JL_HARDWARE_CURRENT,
                        &hardware);
    jl_density_of(&hardware, out);
}

static void put_entry(const char *name, const struct jl_density *density, struct density_entry *out)
{
    JL_PUT(out, ENTRY_NAME, name, name);
    JL_PUT(out, ENTRY_CPU, cpu, density->cpu);
    JL_PUT(out, ENTRY_GPU, gpu, density->gpu);
    JL_PUT(out, ENTRY_TOTAL, total, density->total);
    JL_PUT(out, ENTRY_NORMALIZED, cpu_normalized, density->cpu_normalized);
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
    JL_PUT(out, OUT_ORDER, order, ((struct jl_list){ order, count }));
    JL_PUT(out, OUT_DENSITIES, densities, ((struct jl_list){ entries, count }));
    return 0;
}

const struct jl_question jl_question_density = {
    .name = "density",
    .summary = "compute density of nodes, the order in which policies take them",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
