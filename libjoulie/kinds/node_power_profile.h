/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* NodePowerProfile (joulie-control.md §2.1): the desired state of v0.0.x, read only. */

#include "kinds/node_twin.h"

struct jl_power_profile_policy {
    uint64_t has;
    const char *name;
};

enum { JL_POWER_PROFILE_POLICY_NAME };

struct jl_power_profile_spec {
    uint64_t has;
    const char *node_name;
    enum joulie_profile profile;
    struct jl_cpu_intent cpu;
    struct jl_gpu_intent gpu;
    struct jl_power_profile_policy policy;
};

enum {
    JL_POWER_PROFILE_NODE_NAME,
    JL_POWER_PROFILE_PROFILE,
    JL_POWER_PROFILE_CPU,
    JL_POWER_PROFILE_GPU,
    JL_POWER_PROFILE_POLICY,
};

struct jl_node_power_profile { /* root bits: JL_ROOT_*; there is no status */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_power_profile_spec spec;
};

extern const struct jl_table jl_node_power_profile_table;
