/* SPDX-License-Identifier: Apache-2.0 */

/* The condition PoweredOff of a NodeTwin (docs/rules/objects.md#conditions), beside those of
 * others: a merge patch replaces the whole list. */

#include <joulie/error.h>

#include "cluster/state.h"
#include "schema/copy.h"

static const struct jl_list *stored_of(const struct cluster_node *node)
{
    static const struct jl_list none = { NULL, 0 };
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    return twin != NULL && twin->status.given.conditions ? &twin->status.conditions : &none;
}

static bool is_ours(const struct jl_twin_condition *condition)
{
    return jl_same(condition->type, JL_CONDITION_POWERED_OFF);
}

static const struct jl_twin_condition *stored_ours(const struct cluster_node *node)
{
    const struct jl_list *stored = stored_of(node);
    for (size_t i = 0; i < stored->count; i++) {
        const struct jl_twin_condition *condition = JL_ITEM(*stored, jl_twin_condition, i);
        if (is_ours(condition))
            return condition;
    }
    return NULL;
}

/* A node that was never switched off has none. */
static bool is_wanted(const struct cluster_node *node)
{
    return node->power.record.state != JL_POWER_ON || stored_ours(node) != NULL;
}

bool jl_cluster_condition_changes(const struct cluster_node *node)
{
    const struct jl_twin_condition *stored = stored_ours(node);
    const struct jl_power_condition now = jl_power_condition_of(&node->power.record);
    if (!is_wanted(node))
        return false;
    return stored == NULL || !jl_same(stored->status, now.status) ||
           !jl_same(stored->reason, now.reason) || !jl_same(stored->message, now.message);
}

static void fill_ours(const struct joulie_cluster *cluster, const struct cluster_node *node,
                      struct jl_twin_condition *out)
{
    const struct jl_twin_condition *stored = stored_ours(node);
    const struct jl_power_condition now = jl_power_condition_of(&node->power.record);
    const bool stays = stored != NULL && jl_same(stored->status, now.status) &&
                       stored->last_transition_time != NULL;
    JL_SET(out, type, JL_CONDITION_POWERED_OFF);
    JL_SET(out, status, now.status);
    JL_SET(out, reason, now.reason);
    JL_SET(out, message, now.message);
    JL_SET(out, last_transition_time, stays ? stored->last_transition_time : cluster->step_text);
}

/* Ours stays where it stands. */
static int list_conditions(const struct joulie_cluster *cluster, const struct cluster_node *node,
                           struct jl_arena *arena, struct jl_list *out)
{
    const struct jl_list *stored = stored_of(node);
    struct jl_twin_condition *items =
        JL_NEW_ARRAY(arena, stored->count + 1, struct jl_twin_condition);
    size_t count = stored->count;
    if (items == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < stored->count; i++)
        items[i] = *JL_ITEM(*stored, jl_twin_condition, i);
    size_t ours = 0;
    while (ours < count && !is_ours(&items[ours]))
        ours++;
    if (ours == count)
        count++;
    fill_ours(cluster, node, &items[ours]);
    *out = (struct jl_list){ items, count };
    return 0;
}

int jl_cluster_put_conditions(struct joulie_cluster *cluster, const struct cluster_node *node,
                              struct jl_cluster_write *write)
{
    struct jl_arena *arena = &cluster->step_arena;
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    const struct jl_list *stored = stored_of(node);
    struct jl_twin_status view = node->status;
    write->status = &node->status;
    if (!is_wanted(node) && stored->count == 0)
        return 0;
    JL_SET(&view, conditions, *stored);
    if (is_wanted(node) && list_conditions(cluster, node, arena, &view.conditions) < 0)
        return JOULIE_E_NOMEM;
    struct jl_twin_status *copy = JL_NEW(arena, struct jl_twin_status);
    if (copy == NULL || jl_copy(arena, &jl_twin_status_table, &view, copy) < 0)
        return JOULIE_E_NOMEM;
    write->status = copy;
    const bool has_others = stored->count > (stored_ours(node) != NULL);
    if (has_others && jl_cluster_condition_changes(node))
        write->resource_version = jl_arena_string(arena, twin->meta.resource_version);
    return arena->is_failed ? JOULIE_E_NOMEM : 0;
}
