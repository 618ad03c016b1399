/* SPDX-License-Identifier: Apache-2.0 */

/* The orders over the nodes: by name for everything that is summed or reported, by density for the
 * plan. */

#include <joulie/error.h>

#include "base/memory.h"
#include "base/sort.h"
#include "cluster/parts.h"

static int by_name(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare((*(struct cluster_node *const *)a)->name,
                      (*(struct cluster_node *const *)b)->name);
}

/* Room for every node in each order; the old arrays are given back. */
static int make_room(struct jl_cluster *cluster, size_t count)
{
    struct cluster_node **all = jl_calloc(count + 1, sizeof *all);
    struct cluster_node **known = jl_calloc(count + 1, sizeof *known);
    struct cluster_node **managed = jl_calloc(count + 1, sizeof *managed);
    struct jl_plan_node *plan_nodes = jl_calloc(count + 1, sizeof *plan_nodes);
    struct jl_plan_choice *choices = jl_calloc(count + 1, sizeof *choices);
    struct jl_place_node *place = jl_calloc(count + 1, sizeof *place);
    void *scratch = jl_calloc(count + 1, 1); /* there are at most as many families as nodes */
    if (all == NULL || known == NULL || managed == NULL || plan_nodes == NULL || choices == NULL ||
        place == NULL || scratch == NULL) {
        jl_free(all);
        jl_free(known);
        jl_free(managed);
        jl_free(plan_nodes);
        jl_free(choices);
        jl_free(place);
        jl_free(scratch);
        return JOULIE_E_NOMEM;
    }
    jl_cluster_free_order(cluster);
    cluster->all = all;
    cluster->known = known;
    cluster->managed = managed;
    cluster->plan_nodes = plan_nodes;
    cluster->choices = choices;
    cluster->place = place;
    cluster->plan_scratch = scratch;
    return 0;
}

void jl_cluster_free_order(struct jl_cluster *cluster)
{
    jl_free(cluster->all);
    jl_free(cluster->known);
    jl_free(cluster->managed);
    jl_free(cluster->plan_nodes);
    jl_free(cluster->choices);
    jl_free(cluster->place);
    jl_free(cluster->plan_scratch);
    jl_name_table_clear(&cluster->place_names);
    cluster->all = cluster->known = cluster->managed = NULL;
    cluster->plan_nodes = NULL;
    cluster->choices = NULL;
    cluster->place = NULL;
    cluster->plan_scratch = NULL;
    cluster->all_count = cluster->known_count = cluster->managed_count = 0;
    cluster->is_order_stale = true;
}

/* The source rules know neither catalog nor labels (joulie-scheduler.md §3.3). */
void jl_cluster_place_hardware(const struct jl_cluster *cluster, const struct cluster_node *node,
                               struct jl_place_node *out)
{
    const enum jl_place_rules rules = cluster->place_config.rules;
    const struct jl_hardware_status *status =
        node->hardware_objects != NULL ? &node->hardware_objects->value.status : NULL;
    struct jl_hardware hardware = node->hardware;
    if (rules != JL_PLACE_CURRENT)
        jl_hardware_resolve(status, NULL, JL_HARDWARE_V0_1_0, &hardware);
    jl_place_set_hardware(out, &hardware, rules);
}

static void set_place(struct jl_cluster *cluster, struct cluster_node *node, size_t at)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    struct jl_place_node *place = &cluster->place[at];
    node->place = at;
    jl_place_set_twin(place, twin != NULL ? &twin->status : NULL);
    jl_cluster_place_hardware(cluster, node, place);
    jl_place_set_label(place,
                       jl_label(&node->value.meta, cluster->config.policy.power_profile_label));
}

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
            ranks[count++] = (struct jl_density_rank){ node->density.total, node->name, i };
    }
    if (rc == 0)
        rc = jl_density_sort(ranks, count);
    for (size_t i = 0; i < count && rc == 0; i++)
        cluster->managed[i] = cluster->known[ranks[i].index];
    cluster->managed_count = count;
    jl_arena_clear(&scratch);
    return rc;
}

/* Families are numbered anew with every order, so that those of nodes that went away leave nothing
 * behind. */
static int number_families(struct jl_cluster *cluster)
{
    struct jl_index families = { 0 };
    struct jl_arena names = { 0 };
    int rc = 0;
    for (size_t i = 0; i < cluster->managed_count && rc == 0; i++) {
        struct cluster_node *node = cluster->managed[i];
        const char *name = jl_family_name(&names, &node->hardware, node->name);
        size_t number = families.count;
        if (name == NULL)
            rc = JOULIE_E_NOMEM;
        else if (!jl_index_get(&families, name, &number))
            rc = jl_index_set(&families, name, number);
        cluster->plan_nodes[i].family = (uint32_t)number;
    }
    cluster->family_count = (uint32_t)families.count;
    jl_index_clear(&families);
    jl_arena_clear(&names);
    return rc;
}

int jl_cluster_refresh_order(struct jl_cluster *cluster)
{
    if (!cluster->is_order_stale)
        return 0;
    if (make_room(cluster, cluster->nodes.count) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->nodes.capacity; i++) {
        struct cluster_node *node = jl_cluster_slot(&cluster->nodes, i);
        if (node != NULL)
            cluster->all[cluster->all_count++] = node;
    }
    if (jl_sort(cluster->all, cluster->all_count, sizeof *cluster->all, by_name, NULL) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < cluster->all_count; i++) {
        struct cluster_node *node = cluster->all[i];
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
    if (order_managed(cluster) < 0 || number_families(cluster) < 0)
        return JOULIE_E_NOMEM;
    cluster->is_order_stale = false;
    return 0;
}
