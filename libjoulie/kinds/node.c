/* SPDX-License-Identifier: Apache-2.0 */
#define JL_NODE_TABLES
#include "kinds/node.h"

/* The members of a core Node that decisions read (docs/rules/objects.md#core-objects). */

const struct jl_kind jl_node_kind = {
    .api_version = "v1",
    .kind = "Node",
    .plural = "nodes",
    .singular = "node",
    .short_name = "no",
    .scope = "Cluster",
    .has_status = true,
    .is_core = true,
};
