/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/node.h"

#include "kinds/root.h"

/* The members of a core Node that decisions read (joulie-control.md §4.3-§4.4). */

static const struct jl_row node_spec_rows[] = {
    [JL_NODE_SPEC_UNSCHEDULABLE] = JL_BOOLEAN(jl_node_spec, unschedulable, "unschedulable",
                                              .doc = "True when the node takes no new pods."),
};
static const struct jl_table node_spec_table =
    JL_TABLE(jl_node_spec, node_spec_rows, .flags = JL_OPEN);

static const struct jl_row node_status_rows[] = {
    [JL_NODE_STATUS_CAPACITY] = JL_MAP(jl_node_status, capacity, "capacity", .flags = JL_SCALARS,
                                       .doc = "Quantities of the node by resource name."),
    [JL_NODE_STATUS_ALLOCATABLE] =
        JL_MAP(jl_node_status, allocatable, "allocatable", .flags = JL_SCALARS,
               .doc = "Quantities that pods may use, by resource name."),
};
static const struct jl_table node_status_table =
    JL_TABLE(jl_node_status, node_status_rows, .flags = JL_OPEN);

static const struct jl_kind node_kind = {
    .api_version = "v1",
    .kind = "Node",
    .plural = "nodes",
    .singular = "node",
    .short_name = "no",
    .scope = "Cluster",
    .has_status = true,
    .is_core = true,
};

static const struct jl_row node_rows[] = {
    JL_ROOT_ROWS(jl_node, 0),
    [JL_ROOT_SPEC] =
        JL_OBJECT(jl_node, spec, "spec", &node_spec_table, .doc = "What the node should be."),
    [JL_ROOT_STATUS] =
        JL_OBJECT(jl_node, status, "status", &node_status_table, .doc = "What the node is."),
};

const struct jl_table jl_node_table =
    JL_TABLE(jl_node, node_rows, .flags = JL_OPEN, .kind = &node_kind,
             .doc = "A core Node; the members that decisions read.");
