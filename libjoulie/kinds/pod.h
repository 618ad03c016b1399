/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pod: the parts that we read (scheduling constraints, resources, phase). Other members are ignored
 * silently. */

#include "kinds/meta.h"

struct jl_pod_resources {
    uint64_t has;
    struct jl_map requests; /* quantity texts, also when written as JSON numbers */
    struct jl_map limits;
};

enum { JL_RESOURCES_REQUESTS, JL_RESOURCES_LIMITS };

struct jl_container {
    uint64_t has;
    const char *name;
    const char *restart_policy; /* "Always" on an init container makes it a sidecar */
    struct jl_pod_resources resources;
};

enum { JL_CONTAINER_NAME, JL_CONTAINER_RESTART_POLICY, JL_CONTAINER_RESOURCES };

struct jl_node_expression { /* one of matchExpressions */
    uint64_t has;
    const char *key;
    const char *op;        /* In NotIn Exists DoesNotExist Gt Lt */
    struct jl_list values; /* strings */
};

enum { JL_EXPRESSION_KEY, JL_EXPRESSION_OP, JL_EXPRESSION_VALUES };

struct jl_node_term {
    uint64_t has;
    struct jl_list expressions; /* struct jl_node_expression */
};

enum { JL_TERM_EXPRESSIONS };

struct jl_required_affinity {
    uint64_t has;
    struct jl_list terms; /* struct jl_node_term */
};

enum { JL_REQUIRED_TERMS };

struct jl_node_affinity {
    uint64_t has;
    struct jl_required_affinity required;
};

enum { JL_NODE_AFFINITY_REQUIRED };

struct jl_affinity {
    uint64_t has;
    struct jl_node_affinity node;
};

enum { JL_AFFINITY_NODE };

struct jl_pod_spec {
    uint64_t has;
    const char *node_name;
    struct jl_map node_selector;
    struct jl_affinity affinity;
    struct jl_list containers;      /* struct jl_container */
    struct jl_list init_containers; /* struct jl_container */
    struct jl_map overhead;
    const char *scheduler_name;
    int64_t priority;
};

enum {
    JL_POD_SPEC_NODE_NAME,
    JL_POD_SPEC_NODE_SELECTOR,
    JL_POD_SPEC_AFFINITY,
    JL_POD_SPEC_CONTAINERS,
    JL_POD_SPEC_INIT_CONTAINERS,
    JL_POD_SPEC_OVERHEAD,
    JL_POD_SPEC_SCHEDULER_NAME,
    JL_POD_SPEC_PRIORITY,
};

struct jl_pod_status {
    uint64_t has;
    const char *phase;
    const char *start_time; /* RFC 3339: the node took it on */
};

enum { JL_POD_STATUS_PHASE, JL_POD_STATUS_START_TIME };

struct jl_pod { /* bits: JL_ROOT_* */
    uint64_t has;
    const char *api_version;
    const char *kind;
    struct jl_meta meta;
    struct jl_pod_spec spec;
    struct jl_pod_status status;
};

extern const struct jl_table jl_affinity_table;
extern const struct jl_table jl_pod_table;
