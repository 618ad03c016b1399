/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The agent of a simulated node: parts and limits of its hardware into the library's agent step,
 * the writes of the step onto the hardware. Called by control.c when a spec has changed.
 */

#include "sim/agent.h"

#include "sim/node.h"

#define MOST_PARTS 2 /* the packages together, and the GPUs, which all get the same */

/* The packages as one remote part: the simulated node takes the watts of all of them. */
static struct jl_part cpu_part(const struct jl_sim_node *node)
{
    const struct jl_sim_family *family = node->machine->family;
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_PACKAGE,
        .id = "remote",
        .limits = { .min_w = jl_sim_socket_min_w(family), .max_w = jl_sim_socket_max_w(family) },
        .packages = (double)family->sockets,
        .is_controllable = true,
        .has_current = true,
        .current_w = node->cpu_cap.target,
        .is_ours = node->has_cpu_cap,
        .original_w = family->profile.default_cap_w,
    };
}

static struct jl_part gpu_part(const struct jl_sim_node *node)
{
    const struct jl_gpu_profile *gpu = &node->machine->family->profile.gpu;
    return (struct jl_part){
        .kind = JOULIE_NODE_KIND_GPU,
        .id = "remote",
        .limits = { .min_w = gpu->min_cap_w, .max_w = gpu->max_w },
        .is_controllable = true,
        .has_current = true,
        .current_w = node->gpu_cap.target,
        .is_ours = node->gpu_cap.target < gpu->max_w,
        .original_w = gpu->max_w,
    };
}

static void apply(struct jl_sim_fleet *fleet, size_t index, const struct jl_part *part,
                  const struct jl_part_want *want)
{
    const double cap_w = want->write == JL_WRITE_CAP ? want->target_w : 0;
    if (part->kind == JOULIE_NODE_KIND_PACKAGE)
        jl_sim_set_cpu_cap(fleet, index, cap_w);
    else
        jl_sim_set_gpu_cap(fleet, index, cap_w);
}

void jl_sim_agent_step(struct jl_sim_fleet *fleet, size_t index, const struct jl_sim_agent *agent)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_part parts[MOST_PARTS] = { cpu_part(node), gpu_part(node) };
    struct jl_part_want wants[MOST_PARTS];
    struct jl_node_memory memory = { 0 };
    size_t order[MOST_PARTS];
    struct jl_node_config config;
    jl_node_defaults(&config);
    config.mode = JL_NODE_ENFORCE;
    config.freshness.has_heartbeat = true;
    config.freshness.heartbeat_ms = agent->heartbeat_ms;
    const struct jl_node_input input = {
        .spec = agent->spec,
        .last_updated = agent->last_updated,
        .parts = parts,
        .part_count = node->machine->family->gpus > 0 ? 2 : 1,
        .now_ms = agent->now_ms,
    };
    const size_t count = jl_node_step(&config, &input, &memory, wants, order);
    for (size_t i = 0; i < count; i++)
        apply(fleet, index, &parts[order[i]], &wants[order[i]]);
}
