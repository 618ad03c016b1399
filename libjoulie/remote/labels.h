/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a Node's labels and capacity say of its hardware, for machines that nobody can look into: a
 * pool's (docs/rules/node-agent.md#hardware-from-labels). */

#include <joulie/remote.h>

#include "base/arena.h"
#include "kinds/node.h"
#include "kinds/node_hardware.h"

/* NodeHardware.status. What the catalog knows of a model is not copied: its readers ask the catalog
 * themselves. A fact that was not found is absent. 0, JOULIE_E_REQUIRED (the node has no name),
 * JOULIE_E_NOMEM or JOULIE_E_LIMIT; texts live in the arena or in the node. */
int jl_remote_hardware(const struct jl_node *node, const struct joulie_remote_can *can,
                       int64_t now_ms, struct jl_arena *arena, struct jl_node_hardware *out);

#define JL_LABEL_WARNINGS 2

/* What the agent of v0.1.1 makes of the same; its "" and 0 mean unknown. */
struct jl_label_facts {
    const char *cpu_vendor; /* AuthenticAMD, GenuineIntel, or what the label says */
    const char *cpu_raw_model;
    const char *cpu_model; /* catalog key */
    int64_t sockets;
    int64_t total_cores; /* logical CPUs */
    int64_t cores_per_socket;
    int64_t gpu_count;
    const char *gpu_raw_model;
    const char *gpu_model;
    const char *cpu_exactness; /* exact, proxy, generic */
    const char *gpu_exactness;
    const char *quality; /* exact, heuristic, unavailable */
    const char *warnings[JL_LABEL_WARNINGS];
    size_t warning_count;
};

/* 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT; texts live in the arena or are constants. */
int jl_label_facts_v0_1_1(const struct jl_node *node, struct jl_arena *arena,
                          struct jl_label_facts *out);

/* How a model was found: by its key, by its text, not at all. */
const char *jl_label_exactness(bool has_key, bool has_text);
/* is_exact: every device of the node was found by its key. */
const char *jl_label_quality(bool is_exact, bool has_text);
