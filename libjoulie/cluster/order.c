/* SPDX-License-Identifier: Apache-2.0 */

/* The orders over the nodes: by name for everything that is summed or reported, by density for the
 * plan. */

#include <joulie/error.h>

#include "base/memory.h"
#include "base/sort.h"
#include "cluster/parts.h"

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
    if (left->first != right->first)
        return left->first < right->first ? -1 : 1;
    if (left->second != right->second)
        return left->second < right->second ? -1 : 1;
    return jl_compare(left->node->name, right->node->name);
}

/* Every node that there is, by name. */
static int order_all(struct jl_cluster *cluster)
{
    const size_t room = cluster->nodes.count;
    struct name_key *keys = jl_calloc(room + 1, sizeof *keys);
    size_t count = 0;
    if (keys == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->nodes.capacity; i++) {
        if (i + FAR_AHEAD < cluster->nodes.capacity)
            jl_cluster_prefetch(cluster->nodes.slots[i + FAR_AHEAD].name, 1);
        struct cluster_node *node = jl_cluster_slot(&cluster->nodes, i);
        if (node == NULL)
            continue;
        const char *name = cluster->nodes.slots[i].name;
        keys[count].node = node;
        keys[count].first = next_key(&name);
        keys[count++].second = next_key(&name);
    }
    const int rc = jl_sort(keys, count, sizeof *keys, by_name, NULL);
    for (size_t i = 0; i < count; i++) {
        cluster->all[i] = keys[i].node;
        cluster->all[i]->at = i;
        cluster->wake_ms[i] = WAKE_NOW;
    }
    cluster->all_count = count;
    jl_free(keys);
    return rc;
}

/* Room for every node in each order; the old arrays are given back. */
static int make_room(struct jl_cluster *cluster, size_t count)
{
    jl_cluster_free_order(cluster);
    struct jl_arena *arena = &cluster->order_arena;
    count++; /* none of them is NULL */
    cluster->all = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->wake_ms = JL_NEW_ARRAY(arena, count, int64_t);
    cluster->due = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->known = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->members = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->shares = JL_NEW_ARRAY(arena, count, double);
    cluster->managed = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->plan_nodes = JL_NEW_ARRAY(arena, count, struct jl_plan_node);
    cluster->choices = JL_NEW_ARRAY(arena, count, struct jl_plan_choice);
    cluster->decided = JL_NEW_ARRAY(arena, count, struct jl_plan_choice);
    cluster->place = JL_NEW_ARRAY(arena, count, struct jl_place_node);
    cluster->placed = JL_NEW_ARRAY(arena, count, struct cluster_node *);
    cluster->ledger = JL_NEW_ARRAY(arena, count, struct ledger_part);
    cluster->is_part_due = JL_NEW_ARRAY(arena, count, bool);
    /* there are at most as many families as nodes */
    cluster->plan_scratch = jl_arena_alloc(arena, count);
    if (cluster->all != NULL && cluster->wake_ms != NULL && cluster->due != NULL &&
        cluster->known != NULL && cluster->members != NULL && cluster->shares != NULL &&
        cluster->managed != NULL && cluster->plan_nodes != NULL && cluster->choices != NULL &&
        cluster->decided != NULL && cluster->place != NULL && cluster->placed != NULL &&
        cluster->ledger != NULL && cluster->is_part_due != NULL && cluster->plan_scratch != NULL)
        return 0;
    jl_cluster_free_order(cluster);
    return JOULIE_E_NOMEM;
}

void jl_cluster_free_order(struct jl_cluster *cluster)
{
    jl_arena_clear(&cluster->order_arena);
    jl_name_table_clear(&cluster->place_names);
    cluster->all_count = cluster->known_count = cluster->managed_count = 0;
    cluster->is_order_stale = true;
}

/* The source rules know neither catalog nor labels. */
void jl_cluster_place_hardware(const struct jl_cluster *cluster, const struct cluster_node *node,
                               struct jl_place_node *out)
{
    const enum joulie_place_rules rules = cluster->place_config.rules;
    const struct jl_hardware_status *status =
        node->hardware_objects != NULL ? &node->hardware_objects->value.status : NULL;
    struct jl_hardware hardware = node->hardware;
    if (rules != JOULIE_PLACE_RULES_CURRENT)
        jl_hardware_resolve(status, NULL, JL_HARDWARE_V0_1_0, &hardware);
    jl_place_set_hardware(out, &hardware, rules);
}

static void set_place(struct jl_cluster *cluster, struct cluster_node *node, size_t at)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    struct jl_place_node *place = &cluster->place[at];
    node->place = at;
    cluster->placed[at] = node;
    cluster->is_part_due[at] = true;
    jl_place_set_twin(place, twin != NULL ? &twin->status : NULL);
    jl_cluster_place_hardware(cluster, node, place);
    place->label = node->place_label;
    place->closed = node->closed;
}

/* The members of each rack side by side. */
static void order_members(struct jl_cluster *cluster)
{
    struct cluster_rack *rack = &cluster->rackless;
    rack->first = 0;
    rack->count = 0;
    rack->is_due = true;
    size_t first = cluster->known_count; /* those of no rack stand before the others */
    for (size_t i = 0; i < cluster->racks.capacity; i++) {
        rack = jl_cluster_slot(&cluster->racks, i);
        if (rack != NULL)
            first -= rack->nodes;
    }
    for (size_t i = 0; i < cluster->racks.capacity; i++) {
        rack = jl_cluster_slot(&cluster->racks, i);
        if (rack == NULL)
            continue;
        rack->first = first;
        rack->count = 0;
        rack->is_due = true;
        first += rack->nodes;
    }
    for (size_t i = 0; i < cluster->known_count; i++) {
        struct cluster_node *node = cluster->known[i];
        node->member = node->rack->first + node->rack->count++;
        cluster->members[node->member] = node;
        cluster->shares[node->member] = node->has_share ? node->share_w : 0;
    }
}

/* Names decide between nodes of one density: the ranks come in name order, and the sort keeps it.
 */
static int order_managed(struct jl_cluster *cluster)
{
    struct jl_arena scratch = { 0 };
    struct jl_density_rank *ranks =
        JL_NEW_ARRAY(&scratch, cluster->known_count, struct jl_density_rank);
    size_t count = 0;
    int rc = ranks != NULL ? 0 : JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->known_count && rc == 0; i++) {
        const struct cluster_node *node = cluster->known[i];
        if (node->scope == SCOPE_MANAGED)
            ranks[count++] = (struct jl_density_rank){ .total = node->density.total, .index = i };
    }
    if (rc == 0)
        rc = jl_density_sort(ranks, count);
    for (size_t i = 0; i < count && rc == 0; i++) {
        cluster->managed[i] = cluster->known[ranks[i].index];
        cluster->managed[i]->managed = i;
    }
    cluster->managed_count = count;
    jl_arena_clear(&scratch);
    return rc;
}

/* Known models alone tell it, most of the time. */
static bool is_same_family(const struct jl_hardware *a, const struct jl_hardware *b)
{
    if (!a->is_known || !b->is_known || (a->gpu_count > 0) != (b->gpu_count > 0))
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
    const char *name = jl_family_name(&families->names, &node->hardware, node->name);
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
static int number_families(struct jl_cluster *cluster)
{
    struct families families = { 0 };
    int rc = 0;
    for (size_t i = 0; i < cluster->managed_count && rc == 0; i++) {
        const struct cluster_node *node = cluster->managed[i];
        uint32_t *number = &cluster->plan_nodes[i].family;
        if (i > 0 && is_same_family(&cluster->managed[i - 1]->hardware, &node->hardware))
            *number = cluster->plan_nodes[i - 1].family;
        else
            rc = number_family(&families, node, number);
    }
    cluster->family_count = (uint32_t)families.numbers.count;
    jl_index_clear(&families.numbers);
    jl_arena_clear(&families.names);
    return rc;
}

static void look_ahead(const struct jl_cluster *cluster, size_t i)
{
    if (i + AHEAD >= cluster->all_count)
        return;
    const struct cluster_node *node = cluster->all[i + AHEAD];
    jl_cluster_prefetch(node, offsetof(struct cluster_node, reading));
    jl_cluster_prefetch(&node->hardware, offsetof(struct cluster_node, wanted) -
                                             offsetof(struct cluster_node, hardware));
}

int jl_cluster_refresh_order(struct jl_cluster *cluster)
{
    if (!cluster->is_order_stale)
        return 0;
    if (make_room(cluster, cluster->nodes.count) < 0 || order_all(cluster) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->all_count; i++) {
        struct cluster_node *node = cluster->all[i];
        look_ahead(cluster, i);
        if (!node->is_known)
            continue;
        set_place(cluster, node, cluster->known_count);
        cluster->known[cluster->known_count++] = node;
    }
    size_t at = cluster->known_count;
    for (size_t i = 0; i < cluster->all_count; i++) {
        if (!cluster->all[i]->is_known)
            set_place(cluster, cluster->all[i], at++);
    }
    order_members(cluster);
    if (order_managed(cluster) < 0 || number_families(cluster) < 0)
        return JOULIE_E_NOMEM;
    cluster->is_ledger_due = true;
    cluster->is_order_stale = false;
    for (size_t i = 0; i < cluster->managed_count; i++)
        jl_cluster_plan_changed(cluster, cluster->managed[i]);
    return 0;
}
