/* SPDX-License-Identifier: Apache-2.0 */

/* Records of nodes that were written (docs/rules/policy.md#power-records): the Node as it is with
 * them. Called when a write is reported as applied. */

#include <joulie/error.h>

#include "cluster/state.h"
#include "schema/copy.h"

int jl_cluster_copy_taints(struct jl_arena *arena, const struct jl_list *taints,
                           struct jl_list *out)
{
    struct jl_node_spec spec = { 0 };
    struct jl_node_spec copy;
    JL_SET(&spec, taints, *taints);
    if (jl_power_foreign_taints(taints, arena, &spec.taints) < 0 ||
        jl_copy(arena, &jl_node_spec_table, &spec, &copy) < 0)
        return JOULIE_E_NOMEM;
    *out = copy.taints;
    return 0;
}

struct pairs {
    struct jl_arena arena;
    struct jl_map map;
};

static int change(struct pairs *pairs, const char *key, const char *value)
{
    return jl_cluster_copy_map(&pairs->arena, &pairs->map, key, value, &pairs->map);
}

static int change_taints(struct jl_arena *arena, struct jl_node *node, bool is_drained)
{
    struct jl_list kept;
    if (jl_power_foreign_taints(&node->spec.taints, arena, &kept) < 0)
        return JOULIE_E_NOMEM;
    struct jl_taint *taints = JL_NEW_ARRAY(arena, kept.count + 1, struct jl_taint);
    if (taints == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < kept.count; i++)
        taints[i] = *JL_ITEM(kept, jl_taint, i);
    if (is_drained) {
        JL_SET(&taints[kept.count], key, JL_TAINT_POWERED_OFF);
        JL_SET(&taints[kept.count], effect, "NoSchedule");
    }
    JL_SET(&node->spec, taints, ((struct jl_list){ taints, kept.count + is_drained }));
    return 0;
}

size_t jl_cluster_power_annotations(const struct jl_power_write *write,
                                    struct jl_pair out[JL_WRITTEN_ANNOTATIONS])
{
    jl_power_annotations(&write->record, write->since, write->failures, out);
    if (write->record.hold == write->was_hold)
        return JL_POWER_ANNOTATIONS;
    jl_power_hold_annotations(write->record.hold, out + JL_POWER_ANNOTATIONS);
    return JL_WRITTEN_ANNOTATIONS;
}

static int change_annotations(struct pairs *pairs, const struct jl_power_write *write)
{
    struct jl_pair all[JL_WRITTEN_ANNOTATIONS];
    const size_t count = jl_cluster_power_annotations(write, all);
    for (size_t i = 0; i < count; i++) {
        if (change(pairs, all[i].key, all[i].value) < 0)
            return JOULIE_E_NOMEM;
    }
    return 0;
}

int jl_cluster_set_power(struct joulie_cluster *cluster, struct cluster_node *node,
                         const struct jl_power_write *write)
{
    const uint32_t news = cluster->due & DUE_POWER; /* what we write ourselves is none */
    struct pairs pairs = { .map = node->value.meta.annotations };
    struct jl_node changed = node->value;
    const bool is_drained = write->record.is_drained;
    int rc = change_annotations(&pairs, write);
    JL_MARK(&changed, JL_ROOT_META);
    JL_SET(&changed.meta, annotations, pairs.map);
    if (rc == 0 && is_drained != write->was_drained) {
        JL_MARK(&changed, JL_ROOT_SPEC);
        JL_SET(&changed.spec, unschedulable, is_drained);
        rc = change_taints(&pairs.arena, &changed, is_drained);
    }
    if (rc == 0)
        rc = jl_cluster_store_node(cluster, node, &changed);
    jl_arena_clear(&pairs.arena);
    cluster->due = (cluster->due & ~DUE_POWER) | news;
    if (rc < 0)
        return rc;
    node->power.is_own = true;
    node->power.own_since_ms = node->power.record.since_ms;
    jl_cluster_give_command(cluster, node, cluster->step_ms);
    return 0;
}
