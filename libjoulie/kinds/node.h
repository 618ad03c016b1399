/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Node: the parts that we read. Other members are ignored silently. */

#include "kinds/meta.h"

struct jl_node_spec {
    uint64_t has;
    bool unschedulable;
};

enum { JL_NODE_SPEC_UNSCHEDULABLE };

struct jl_node_status {
    uint64_t has;
    struct jl_map capacity;    /* quantity texts */
    struct jl_map allocatable; /* quantity texts */
};

enum { JL_NODE_STATUS_CAPACITY, JL_NODE_STATUS_ALLOCATABLE };

struct jl_node { /* bits: JL_ROOT_* */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_node_spec spec;
    struct jl_node_status status;
};

extern const struct jl_table jl_node_table;
