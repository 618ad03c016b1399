/* SPDX-License-Identifier: Apache-2.0 */

/* The orders over the nodes: by name for everything that is summed or reported, by density for the
 * plan. Made again by the first call that needs them after DUE_ORDER was set. */

#include <joulie/error.h>

#include "base/memory.h"
#include "base/sort.h"
#include "cluster/state.h"

/* A name as two numbers that compare like its first bytes, so that most comparisons need no look at
 * the text. */
#define KEY_BYTES 8
#define FAR_AHEAD 16 /* slots */

struct name_key {
    uint64_t first;
    uint64_t second;
    struct cluster_node *node;
};

/* The next bytes of a text, the first one highest; behind its end 0. Moves *text on. */
static uint64_t next_key(const char **text)
{
    uint64_t key = 0;
    for (int i = 0; i < KEY_BYTES; i++) {
        key = key << 8 | (unsigned char)**text;
        *text += **text != '\0';
    }
    return key;
}

static int by_name(const void *a, const void *b, void *user)
{
    const struct name_key *left = a;
    const struct name_key *right = b;
    (void)user;
    int order = JL_ORDER(left->first, right->first);
    if (order == 0)
        order = JL_ORDER(left->second, right->second);
    return order != 0 ? order : jl_compare(left->node->name, right->node->name);
}

/* Every node that there is, by name. */
static int order_all(struct joulie_cluster *cluster)
{
    const size_t room = cluster->store.nodes.count;
    JL_CLEANUP(jl_freep) struct name_key *keys = jl_calloc(room, sizeof *keys);
    size_t count = 0;
    if (keys == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->store.nodes.capacity; i++) {
        if (i + FAR_AHEAD < cluster->store.nodes.capacity)
            jl_cluster_prefetch(cluster->store.nodes.slots[i + FAR_AHEAD].name, 1);
        struct cluster_node *node = jl_cluster_slot(&cluster->store.nodes, i);
        if (node == NULL)
            continue;
        const char *name = cluster->store.nodes.slots[i].name;
        keys[count].node = node;
        keys[count].first = next_key(&name);
        keys[count++].second = next_key(&name);
    }
    const int rc = jl_sort(keys, count, sizeof *keys, by_name, NULL);
    for (size_t i = 0; i < count; i++) {
        cluster->order.all[i] = keys[i].node;
        cluster->order.all[i]->index = i;
        cluster->order.wake_ms[i] = WAKE_NOW;
    }
    cluster->order.count = count;
    return rc;
}

/* Room for every node in each order; the old arrays are given back. */
static int make_room(struct joulie_cluster *cluster, size_t count)
{
    jl_cluster_free_order(cluster);
    struct jl_arena *arena = &cluster->order.arena;
    count++; /* none of them is NULL */
    cluster->order.all = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->order.wake_ms = JL_NEW_ARRAY(arena, count, int64_t);
    cluster->order.visits = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->order.known = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->order.members = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->order.shares = JL_NEW_ARRAY(arena, count, double);
    cluster->order.ridden_w = JL_NEW_ARRAY(arena, count, double);
    cluster->plan.managed = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->plan.nodes = JL_NEW_ARRAY(arena, count, struct jl_plan_node);
    cluster->plan.choices = JL_NEW_ARRAY(arena, count, struct jl_plan_choice);
    cluster->plan.decided = JL_NEW_ARRAY(arena, count, struct jl_plan_choice);
    cluster->rows.nodes = JL_NEW_ARRAY(arena, count, struct jl_place_node);
    cluster->rows.owners = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->rows.ledger = JL_NEW_ARRAY(arena, count, struct ledger_part);
    cluster->rows.is_part_due = JL_NEW_ARRAY(arena, count, bool);
    /* there are at most as many families as nodes */
    cluster->plan.scratch = jl_arena_alloc(arena, count);
    if (!arena->is_failed)
        return 0;
    jl_cluster_free_order(cluster);
    return JOULIE_E_NOMEM;
}

void jl_cluster_free_order(struct joulie_cluster *cluster)
{
    jl_arena_clear(&cluster->order.arena);
    jl_name_table_clear(&cluster->rows.names);
    cluster->order.count = cluster->order.known_count = cluster->plan.count = 0;
    cluster->due |= DUE_ORDER;
}

/* The members of each rack side by side. */
static void order_members(struct joulie_cluster *cluster)
{
    struct cluster_rack *rack = &cluster->rackless;
    rack->first = 0;
    rack->count = 0;
    rack->is_due = true;
    size_t first = cluster->order.known_count; /* those of no rack stand before the others */
    for (size_t i = 0; i < cluster->store.racks.capacity; i++) {
        rack = jl_cluster_slot(&cluster->store.racks, i);
        if (rack != NULL)
            first -= rack->nodes;
    }
    for (size_t i = 0; i < cluster->store.racks.capacity; i++) {
        rack = jl_cluster_slot(&cluster->store.racks, i);
        if (rack == NULL)
            continue;
        rack->first = first;
        rack->count = 0;
        rack->is_due = true;
        first += rack->nodes;
    }
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        struct cluster_node *node = cluster->order.known[i];
        node->member = node->rack->first + node->rack->count++;
        cluster->order.members[node->member] = node;
        cluster->order.shares[node->member] = node->has_share ? node->share_w : 0;
    }
}

/* Names decide between nodes of one density: the ranks come in name order, and the sort keeps it.
 */
static int order_managed(struct joulie_cluster *cluster)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    struct jl_density_rank *ranks =
        JL_NEW_ARRAY(&scratch, cluster->order.known_count, struct jl_density_rank);
    size_t count = 0;
    int rc = ranks != NULL ? 0 : JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->order.known_count && rc == 0; i++) {
        const struct cluster_node *node = cluster->order.known[i];
        if (node->scope == SCOPE_MANAGED)
            ranks[count++] = (struct jl_density_rank){ .total = node->density.total, .index = i };
    }
    if (rc == 0)
        rc = jl_density_sort(ranks, count);
    for (size_t i = 0; i < count && rc == 0; i++) {
        cluster->plan.managed[i] = cluster->order.known[ranks[i].index];
        cluster->plan.managed[i]->managed = i;
    }
    cluster->plan.count = count;
    return rc;
}

/* Known models alone tell it, most of the time. */
static bool is_same_family(const struct jl_hardware *a, const struct jl_hardware *b)
{
    if (!a->is_known || !b->is_known)
        return a->is_known == b->is_known; /* what nothing is known of is one family */
    if ((a->gpu_count > 0) != (b->gpu_count > 0))
        return false;
    return a->gpu_count > 0 ? a->gpu_model != NULL && a->gpu_model == b->gpu_model
                            : a->cpu_model != NULL && a->cpu_model == b->cpu_model;
}

struct families {
    struct jl_index numbers; /* by name */
    struct jl_arena names;
};

static int number_family(struct families *families, const struct cluster_node *node,
                         uint32_t *out_number)
{
    const char *name =
        jl_family_name(&families->names, &node->hardware, node->name, JL_POLICY_CURRENT);
    size_t number = families->numbers.count;
    if (name == NULL)
        return JOULIE_E_NOMEM;
    const int rc = jl_index_get(&families->numbers, name, &number)
                       ? 0
                       : jl_index_set(&families->numbers, name, number);
    *out_number = (uint32_t)number;
    return rc;
}

/* Families are numbered anew with every order, so that those of nodes that went away leave nothing
 * behind. Nodes of one density are mostly of one family. */
static int number_families(struct joulie_cluster *cluster)
{
    struct families families = { 0 };
    int rc = 0;
    for (size_t i = 0; i < cluster->plan.count && rc == 0; i++) {
        const struct cluster_node *node = cluster->plan.managed[i];
        uint32_t *number = &cluster->plan.nodes[i].family;
        if (i > 0 && is_same_family(&cluster->plan.managed[i - 1]->hardware, &node->hardware))
            *number = cluster->plan.nodes[i - 1].family;
        else
            rc = number_family(&families, node, number);
    }
    cluster->plan.family_count = (uint32_t)families.numbers.count;
    jl_index_clear(&families.numbers);
    jl_arena_clear(&families.names);
    return rc;
}

static void look_ahead(const struct joulie_cluster *cluster, size_t i)
{
    if (i + AHEAD >= cluster->order.count)
        return;
    const struct cluster_node *node = cluster->order.all[i + AHEAD];
    jl_cluster_prefetch(node, offsetof(struct cluster_node, reading));
    jl_cluster_prefetch(&node->hardware, offsetof(struct cluster_node, wanted) -
                                             offsetof(struct cluster_node, hardware));
}

int jl_cluster_refresh_order(struct joulie_cluster *cluster)
{
    if ((cluster->due & DUE_ORDER) == 0)
        return 0;
    if (make_room(cluster, cluster->store.nodes.count) < 0 || order_all(cluster) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->order.count; i++) {
        struct cluster_node *node = cluster->order.all[i];
        look_ahead(cluster, i);
        if (!node->is_known)
            continue;
        if (jl_cluster_alight(cluster, node) < 0)
            return JOULIE_E_NOMEM;
        cluster->order.ridden_w[cluster->order.known_count] = JL_NO_RIDER;
        jl_cluster_set_row(cluster, node, cluster->order.known_count);
        cluster->order.known[cluster->order.known_count++] = node;
    }
    size_t at = cluster->order.known_count;
    for (size_t i = 0; i < cluster->order.count; i++) {
        if (!cluster->order.all[i]->is_known)
            jl_cluster_set_row(cluster, cluster->order.all[i], at++);
    }
    order_members(cluster);
    if (order_managed(cluster) < 0 || number_families(cluster) < 0)
        return JOULIE_E_NOMEM;
    cluster->rows.is_ledger_due = true;
    cluster->due &= ~DUE_ORDER;
    for (size_t i = 0; i < cluster->plan.count; i++)
        jl_cluster_set_plan_row(cluster, cluster->plan.managed[i]);
    return 0;
}
