/* SPDX-License-Identifier: Apache-2.0 */

/* The tables of metadata, of node affinity (docs/rules/tensor-fusion.md#node-affinity) and of what
 * decisions read of core Nodes and Pods (docs/rules/objects.md#core-objects); look-ups of labels
 * and annotations. */

#define JL_META_TABLES
#define JL_NODE_AFFINITY_TABLES
#define JL_NODE_TABLES
#define JL_POD_TABLES
#include "kinds/meta.h"
#include "kinds/node.h"
#include "kinds/node_affinity.h"
#include "kinds/pod.h"

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

const struct jl_kind jl_pod_kind = {
    .api_version = "v1",
    .kind = "Pod",
    .plural = "pods",
    .singular = "pod",
    .short_name = "po",
    .scope = "Namespaced",
    .has_status = true,
    .is_core = true,
};

const char *jl_label(const struct jl_meta *meta, const char *key)
{
    return meta->given.labels ? jl_map_get(&meta->labels, key) : NULL;
}

const char *jl_annotation(const struct jl_meta *meta, const char *key)
{
    return meta->given.annotations ? jl_map_get(&meta->annotations, key) : NULL;
}
