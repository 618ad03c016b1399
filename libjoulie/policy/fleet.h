/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The whole decision over objects, from scratch: what `plan` answers and what the cluster model
 * must equal. */

#include "policy/policy.h"

struct jl_fleet_node {
    const struct jl_node *node;
    const struct jl_hardware_status *hardware; /* NULL = no NodeHardware */
    struct jl_node_past past;
};

struct jl_fleet_input {
    const struct jl_policy_config *config; /* complete, see jl_policy_defaults */
    enum jl_policy_rules rules;
    const struct jl_selector *selector; /* NULL = every node */
    const struct jl_fleet_node *nodes;
    size_t node_count;
    const struct jl_pod *pods;
    size_t pod_count;
    const struct jl_workload_profile *const *profiles;
    size_t profile_count;
    struct jl_plan_state state;
    int64_t now_ms;
};

struct jl_fleet_blocker {
    const char *name_space;
    const char *name;
    enum jl_blocker_why why;
};

struct jl_fleet_assignment {
    const char *node_name;
    struct jl_guard_output guard;
    struct jl_twin_spec intents; /* cpu and gpu only */
    enum jl_plan_reason reason;
    struct jl_gpu_limit limit;               /* without a reason: no GPUs, or of another policy */
    struct jl_node_past past;                /* after this decision */
    const struct jl_fleet_blocker *blockers; /* by namespace, name */
    size_t blocker_count;
};

struct jl_fleet_exclusion {
    const char *node_name;
    enum jl_exclusion why;
};

struct jl_fleet_output {
    int64_t hp; /* of the policy, before the guard */
    int64_t demand_pods[JL_DEMAND_CLASSES];
    double demand; /* weighted sum; the source's count of sensitive pods */
    struct jl_fleet_assignment *assignments; /* by node name */
    size_t assignment_count;
    struct jl_fleet_exclusion *excluded; /* by node name */
    size_t excluded_count;
    struct jl_plan_state state;
};

/* 0 or JOULIE_E_NOMEM. What it writes lives in the arena or is borrowed from the input. */
int jl_fleet_plan(struct jl_arena *arena, const struct jl_fleet_input *in,
                  struct jl_fleet_output *out);
