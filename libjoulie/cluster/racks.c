/* SPDX-License-Identifier: Apache-2.0 */

/* Racks: which node takes its power from which supply, what a rack draws and can give, and the
 * stress of the supply that follows (docs/rules/reconcile.md#racks-and-zones). */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/state.h"

/* ---- racks ---- */

static double capacity_of(const struct joulie_cluster *cluster, const char *name)
{
    const struct jl_dict *racks = &cluster->config.racks;
    for (size_t i = 0; i < racks->count; i++) {
        const struct jl_rack_setting *setting = &((const struct jl_rack_setting *)racks->items)[i];
        if (jl_same(racks->keys[i], name) && setting->given.capacity_w)
            return setting->capacity_w;
    }
    return cluster->config.rack_capacity_w;
}

static struct cluster_rack *rack_of(struct joulie_cluster *cluster, const char *name)
{
    struct cluster_rack *rack = jl_cluster_find_or_make(&cluster->store.racks, name, sizeof *rack);
    if (rack == NULL || rack->capacity_w > 0) /* it was there */
        return rack;
    rack->capacity_w = capacity_of(cluster, name);
    rack->is_due = true;
    return rack;
}

static void release_rack(struct joulie_cluster *cluster, struct cluster_rack *rack)
{
    if (rack->nodes > 0 || rack->measured_w > 0)
        return;
    jl_index_remove(&cluster->store.racks, rack->name);
    jl_cluster_item_free(rack);
}

int jl_cluster_measure_rack(struct joulie_cluster *cluster, const char *name, double power_w)
{
    struct cluster_rack *rack = rack_of(cluster, name);
    if (rack == NULL)
        return JOULIE_E_NOMEM;
    rack->is_due = rack->is_due || rack->measured_w != power_w;
    rack->measured_w = power_w;
    release_rack(cluster, rack);
    return 0;
}

void jl_cluster_leave_rack(struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct cluster_rack *rack = node->rack;
    jl_cluster_changed(cluster, node, EVENT_RACK);
    node->rack = &cluster->rackless;
    if (rack->name == NULL)
        return;
    rack->nodes--;
    release_rack(cluster, rack);
}

/* Sums are over members, so that another rack is another order. */
int jl_cluster_join_rack(struct joulie_cluster *cluster, struct cluster_node *node,
                         const char *label)
{
    struct cluster_rack *rack = &cluster->rackless;
    if (jl_same(node->rack->name, label))
        return 0;
    if (label != NULL)
        rack = rack_of(cluster, label);
    if (rack == NULL)
        return JOULIE_E_NOMEM;
    rack->nodes++;
    jl_cluster_leave_rack(cluster, node);
    node->rack = rack;
    jl_cluster_changed(cluster, node, EVENT_RACK);
    return 0;
}

static void stress_members(struct joulie_cluster *cluster, const struct cluster_rack *rack,
                           bool is_under_stress)
{
    for (size_t i = rack->first; i < rack->first + rack->count; i++) {
        struct cluster_node *node = cluster->order.members[i];
        if (!node->has_status)
            continue;
        /* the texts of the advice name the stress of a node that is under stress */
        if (jl_cluster_gives_advice(node) &&
            (is_under_stress || node->status.cooling_stress_score > JL_STRESS_THRESHOLD))
            jl_cluster_changed(cluster, node, EVENT_PROFILES);
        else if ((node->due & DUE_ADVICE) != 0 ||
                 jl_cluster_psu_change(&cluster->config, node) != NULL)
            jl_cluster_changed(cluster, node, EVENT_STRESS);
    }
}

static void put_psu(struct joulie_cluster *cluster, struct cluster_rack *rack)
{
    const bool has_it_power = (cluster->facility.has & JOULIE_CLUSTER_FACILITY_HAS_IT_POWER) != 0;
    const double before = rack->has_psu ? rack->psu_stress : 0;
    const struct jl_supplies psu = {
        .rack = { rack->power_w, rack->capacity_w },
        .cluster = { has_it_power ? cluster->facility.it_power_w : 0,
                     cluster->config.cluster_capacity_w },
    };
    double stress = 0;
    const bool is_known = jl_psu_stress(&psu, &stress);
    if (is_known == rack->has_psu && stress == rack->psu_stress)
        return;
    rack->has_psu = is_known;
    rack->psu_stress = stress;
    stress_members(cluster, rack, before > JL_STRESS_THRESHOLD || stress > JL_STRESS_THRESHOLD);
}

static void sum_rack(struct joulie_cluster *cluster, struct cluster_rack *rack)
{
    if (!rack->is_due)
        return;
    rack->power_w = rack->measured_w;
    if (rack->name != NULL && rack->measured_w == 0) {
        for (size_t i = rack->first; i < rack->first + rack->count; i++)
            rack->power_w += cluster->order.shares[i];
    }
    put_psu(cluster, rack);
    rack->is_due = false;
}

/* A rack that nobody measures is the sum over every node that names it, managed or not, in name
 * order. */
void jl_cluster_sum_racks(struct joulie_cluster *cluster)
{
    for (size_t i = 0; i < cluster->store.racks.capacity; i++) {
        struct cluster_rack *rack = jl_cluster_slot(&cluster->store.racks, i);
        if (rack != NULL)
            sum_rack(cluster, rack);
    }
    sum_rack(cluster, &cluster->rackless);
}
