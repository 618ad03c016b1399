/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The machines of a simulated cluster (docs/rules/simulation.md#machines). */

#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/node.h"
#include "kinds/node_hardware.h"
#include "kinds/node_twin.h"
#include "physics/profile.h"

#define JL_SIM_BOOT_S 300        /* of a machine that says nothing else */
#define JL_SIM_PODS_PER_NODE 110 /* what a kubelet allows by default */
#define JL_SIM_HOST_NAME_LABEL "kubernetes.io/hostname"

struct jl_sim_family {    /* one entry of the inventory: machines that are all alike */
    const char *cpu_text; /* as the inventory names it, NULL = unknown */
    const char *gpu_text;
    const char *gpu_vendor;   /* nvidia, amd, or NULL without GPUs */
    const char *gpu_resource; /* nvidia.com/gpu, amd.com/gpu, or NULL */
    const struct jl_cpu_model *cpu_model;
    const struct jl_gpu_model *gpu_model;
    int64_t sockets;
    int64_t cores;
    int64_t gpus;
    int64_t memory_bytes;
    double standby_w; /* of a node that is off */
    double boot_s;
    double stop_s;
    struct jl_map labels; /* without the host name */
    struct jl_physics_profile profile;
    bool uses_catalog; /* for more than curves that were measured: not in v0.1.1 */
};

struct jl_sim_machine {
    const char *name;
    const struct jl_sim_family *family;
};

struct jl_inventory {
    struct jl_arena arena;
    struct jl_sim_family *families;
    size_t family_count;
    struct jl_sim_machine *machines; /* by name, bytes */
    size_t count;
};

/*
 * YAML or JSON. where of a failure is a path ("nodes[2].cpu_cores"), line and column stand in err.
 * nodes > 0 scales the replicas to so many nodes in all, by largest remainder; 0 = as it says.
 */
int jl_inventory_read(const char *text, size_t len, int64_t nodes, enum jl_physics_rules rules,
                      struct jl_inventory *out, struct joulie_error *err);
void jl_inventory_clear(struct jl_inventory *inventory);
/* Every core and every GPU has the relative speed 1. */
void jl_inventory_make_equal(struct jl_inventory *inventory);

/* A number with its unit in the arena; NULL when memory ran out. */
const char *jl_sim_number_text(struct jl_arena *arena, int64_t value, const char *unit);

/* The machine of a name: its number, or that of another one when there is none of that name. */
size_t jl_sim_machine_index(const struct jl_inventory *inventory, const char *name);

/* Σ over the nodes of CPU and GPU power at full load, W; the load of a cooling plant is IT power
 * over this (docs/rules/simulation.md#hardware-model). */
double jl_sim_design_it_w(const struct jl_inventory *inventory);

/* What a package of this family can be capped to at most and at least, W. */
double jl_sim_socket_max_w(const struct jl_sim_family *family);
double jl_sim_socket_min_w(const struct jl_sim_family *family);

/* The API objects of a machine; what they point to lives in the arena, the inventory or as long as
 * the program. 0 or JOULIE_E_NOMEM. now: RFC 3339, for updatedAt. */
int jl_sim_node_object(const struct jl_sim_machine *machine, struct jl_arena *arena,
                       struct jl_node *out);
int jl_sim_hardware_object(const struct jl_sim_machine *machine, const char *now,
                           struct jl_arena *arena, struct jl_node_hardware *out);
