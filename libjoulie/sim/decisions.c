/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The operator's decisions about the nodes of a run: the last of each node, all in a list, and
 * their counts. Written by the controllers, read by the summary, the tables and the view.
 */

#include "sim/decisions.h"

#include <joulie/error.h>

#include "base/memory.h"

int jl_sim_decisions_init(struct jl_sim_decisions *decisions, size_t nodes)
{
    *decisions = (struct jl_sim_decisions){ .node_count = nodes };
    decisions->nodes = jl_calloc(nodes, sizeof *decisions->nodes);
    return decisions->nodes ? 0 : JOULIE_E_NOMEM;
}

void jl_sim_decisions_clear(struct jl_sim_decisions *decisions)
{
    jl_free(decisions->nodes);
    jl_free(decisions->rows);
    *decisions = (struct jl_sim_decisions){ .node_count = 0 };
}

int jl_sim_decide(struct jl_sim_decisions *decisions, double now_s, size_t node,
                  const struct jl_twin_spec *spec)
{
    const struct jl_sim_decision *before = &decisions->nodes[node];
    struct jl_sim_decision now = {
        .time_s = now_s,
        .node = (uint32_t)node,
        .profile = spec->profile,
        .is_draining = spec->given.scheduling && spec->scheduling.draining,
    };
    if (spec->given.cpu)
        now.cpu = spec->cpu;
    if (spec->given.gpu && spec->gpu.given.power_cap)
        now.gpu = spec->gpu.power_cap;
    if (JL_GROW(&decisions->rows, &decisions->capacity, decisions->count + 1) < 0)
        return JOULIE_E_NOMEM;
    /* The first step, at time 0, finds nothing that could have changed. */
    decisions->transitions +=
        now_s > 0 && (now.profile != before->profile || now.is_draining != before->is_draining);
    decisions->rows[decisions->count++] = now;
    decisions->nodes[node] = now;
    return 0;
}

void jl_sim_count(const struct jl_sim_decisions *decisions, struct jl_sim_counts *out)
{
    *out = (struct jl_sim_counts){ .transitions = decisions->transitions,
                                   .decisions = (int64_t)decisions->count };
    for (size_t i = 0; i < decisions->node_count; i++) {
        const struct jl_sim_decision *node = &decisions->nodes[i];
        out->draining += node->is_draining;
        out->performance += node->profile == JOULIE_PROFILE_PERFORMANCE;
        out->eco += node->profile == JOULIE_PROFILE_ECO && !node->is_draining;
        out->other += node->profile == JOULIE_PROFILE_UNKNOWN;
    }
}

const char *jl_sim_state(const struct jl_sim_decisions *decisions, size_t index)
{
    const struct jl_sim_decision *node = &decisions->nodes[index];
    if (node->profile == JOULIE_PROFILE_UNKNOWN)
        return NULL;
    return node->is_draining ? "draining" : jl_word_of(&jl_profile_words, (int)node->profile);
}
