/* SPDX-License-Identifier: Apache-2.0 */

/* The table of events: what has to be done again when something changes
 * (docs/rules/reconcile.md#step). Every file of this room that changes a fact calls
 * jl_cluster_changed(). */

#include "cluster/due.h"

#include "cluster/state.h"

#define OF_MODEL (DUE_ORDER | DUE_NAMES | DUE_QUEUE | DUE_POWER)
#define OF_NODE (DUE_CAPS | DUE_SPEC | DUE_PREDICTION | DUE_ADVICE | DUE_STATUS | DUE_LIMIT)

static const uint32_t due_after[] = {
    [EVENT_NONE] = 0,
    [EVENT_NODES] = DUE_ORDER | DUE_QUEUE,
    [EVENT_SCOPE] = DUE_ORDER | DUE_NAMES | DUE_QUEUE,
    [EVENT_HARDWARE] = DUE_ORDER | DUE_QUEUE,
    [EVENT_RACK] = DUE_ORDER | DUE_SUM,
    [EVENT_FACTS] = DUE_CAPS | DUE_LIMIT | DUE_PREDICTION | DUE_PLAN | DUE_LEDGER | DUE_VISIT,
    [EVENT_TWIN] = DUE_SPEC | DUE_STATUS | DUE_PREDICTION | DUE_PLAN | DUE_LEDGER | DUE_VISIT,
    [EVENT_RENEWED] = DUE_LEDGER,
    [EVENT_NAMES] = DUE_NAMES,
    [EVENT_READING] = DUE_PREDICTION | DUE_VISIT,
    [EVENT_FACILITY] = DUE_PREDICTION | DUE_SUM | DUE_VISIT,
    [EVENT_ZONE] = DUE_PREDICTION | DUE_VISIT,
    [EVENT_PODS] = DUE_LEDGER | DUE_LIMIT,
    [EVENT_FREED] = DUE_LEDGER | DUE_LIMIT | DUE_QUEUE,
    [EVENT_ALLOCATION] = DUE_PREDICTION | DUE_VISIT,
    [EVENT_BLOCKERS] = DUE_PLAN,
    [EVENT_PROFILES] = DUE_ADVICE | DUE_VISIT,
    [EVENT_WORK] = DUE_ADVICE | DUE_VISIT | DUE_LIMIT,
    [EVENT_DECISION] = DUE_SPEC | DUE_PREDICTION | DUE_VISIT,
    [EVENT_SHARE] = DUE_SUM,
    [EVENT_STRESS] = DUE_VISIT,
    [EVENT_ADVISED] = DUE_STATUS,
    [EVENT_POWER] = DUE_POWER | DUE_VISIT,
    [EVENT_RECORD] = DUE_VISIT,
    [EVENT_AGENT] = DUE_PREDICTION | DUE_VISIT,
    [EVENT_IN_THE_WAY] = DUE_VISIT,
};

void jl_cluster_set_plan_row(struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct jl_plan_node *row = &cluster->plan.nodes[node->managed];
    *row = (struct jl_plan_node){
        .family = row->family,
        .current = node->past.profile,
        .has_blocker = node->load.blockers > 0,
        .has_since = node->past.has_since,
        .since_ms = node->past.since_ms,
    };
    cluster->plan.decided[node->managed].reason = JL_PLAN_NO_REASON;
}

/* The node's rows in the orders, the plan and the ledger. While the order is stale there are none,
 * and making them again does all of this. */
static void mark_due_rows(struct joulie_cluster *cluster, struct cluster_node *node, uint32_t due)
{
    if ((cluster->due & DUE_ORDER) != 0)
        return;
    if ((due & DUE_VISIT) != 0)
        cluster->order.wake_ms[node->index] = WAKE_NOW;
    if ((due & DUE_PLAN) != 0 && node->scope == SCOPE_MANAGED)
        jl_cluster_set_plan_row(cluster, node);
    if ((due & DUE_LEDGER) != 0)
        cluster->rows.is_part_due[node->row] = true;
}

void jl_cluster_changed(struct joulie_cluster *cluster, struct cluster_node *node,
                        enum cluster_event event)
{
    const uint32_t due = due_after[event];
    cluster->due |= due & OF_MODEL;
    node->due |= due & OF_NODE;
    if ((due & DUE_SUM) != 0)
        node->rack->is_due = true;
    if ((due & DUE_LEDGER) != 0)
        cluster->rows.is_ledger_due = true;
    mark_due_rows(cluster, node, due);
}

void jl_cluster_all_changed(struct joulie_cluster *cluster, enum cluster_event event)
{
    const struct jl_index *nodes = &cluster->store.nodes;
    cluster->rackless.is_due = true; /* with or without nodes */
    for (size_t i = 0; i < nodes->capacity; i++) {
        struct cluster_node *node = jl_cluster_slot(nodes, i);
        if (node != NULL)
            jl_cluster_changed(cluster, node, event);
    }
}

void jl_cluster_visit_all(struct order *order)
{
    for (size_t i = 0; i < order->count; i++)
        order->wake_ms[i] = WAKE_NOW;
}

size_t jl_cluster_find_due(const struct order *order, int64_t now_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < order->count; i++) {
        if (order->wake_ms[i] <= now_ms)
            order->visits[count++] = order->all[i];
    }
    return count;
}
