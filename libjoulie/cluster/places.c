/* SPDX-License-Identifier: Apache-2.0 */

/* Racks and cooling zones: which node stands where, what a rack draws and can give, and what is
 * measured in a zone (docs/rules/reconcile.md#racks-and-zones). */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/parts.h"

/* ---- racks ---- */

static double capacity_of(const struct jl_cluster *cluster, const char *name)
{
    const struct jl_dict *racks = &cluster->config.racks;
    for (size_t i = 0; i < racks->count; i++) {
        const struct jl_rack_setting *setting = &((const struct jl_rack_setting *)racks->items)[i];
        if (jl_same(racks->keys[i], name) && JL_HAS(setting, JL_RACK_SETTING_CAPACITY))
            return setting->capacity_w;
    }
    return cluster->config.rack_capacity_w;
}

void jl_cluster_rack_free(struct cluster_rack *rack)
{
    jl_free(rack->name);
    jl_free(rack);
}

static struct cluster_rack *rack_of(struct jl_cluster *cluster, const char *name)
{
    struct cluster_rack *rack = jl_cluster_find(&cluster->racks, name);
    if (rack != NULL)
        return rack;
    rack = jl_calloc(1, sizeof *rack);
    char *copy = jl_strdup(name);
    if (rack == NULL || copy == NULL || jl_cluster_insert(&cluster->racks, copy, rack) < 0) {
        jl_free(copy);
        jl_free(rack);
        return NULL;
    }
    rack->name = copy;
    rack->capacity_w = capacity_of(cluster, name);
    rack->is_due = true;
    return rack;
}

static void leave_rack(struct jl_cluster *cluster, struct cluster_node *node)
{
    struct cluster_rack *rack = node->rack;
    node->rack = &cluster->rackless;
    rack->is_due = true;
    if (rack->name == NULL || --rack->nodes > 0)
        return;
    jl_index_remove(&cluster->racks, rack->name);
    jl_cluster_rack_free(rack);
}

/* Sums are over members, so that another rack is another order. */
static int join_rack(struct jl_cluster *cluster, struct cluster_node *node, const char *label)
{
    struct cluster_rack *rack = &cluster->rackless;
    if (jl_same(node->rack->name, label))
        return 0;
    if (label != NULL)
        rack = rack_of(cluster, label);
    if (rack == NULL)
        return JOULIE_E_NOMEM;
    rack->nodes++;
    rack->is_due = true;
    leave_rack(cluster, node);
    node->rack = rack;
    cluster->is_order_stale = true;
    return 0;
}

static void wake_members(struct jl_cluster *cluster, const struct cluster_rack *rack,
                         bool is_under_stress)
{
    for (size_t i = rack->first; i < rack->first + rack->count; i++) {
        struct cluster_node *node = cluster->members[i];
        if (!node->has_status)
            continue;
        /* the texts of the advice name the stress of a node that is under stress */
        if (jl_cluster_gives_advice(node) &&
            (is_under_stress || node->status.cooling_stress_score > JL_STRESS_THRESHOLD))
            node->is_advice_due = true;
        if (node->is_advice_due || jl_cluster_psu_change(&cluster->config, node) != NULL)
            jl_cluster_wake(cluster, node);
    }
}

static void put_psu(struct jl_cluster *cluster, struct cluster_rack *rack)
{
    const bool has_it_power = JL_HAS(&cluster->facility, JL_FACILITY_IT_POWER);
    const double before = rack->has_psu ? rack->psu_stress : 0;
    const struct jl_supplies psu = {
        .rack_w = rack->power_w,
        .rack_capacity_w = rack->capacity_w,
        .cluster_w = has_it_power ? cluster->facility.it_power_w : 0,
        .cluster_capacity_w = cluster->config.cluster_capacity_w,
    };
    double stress = 0;
    const bool is_known = jl_psu_stress(&psu, &stress);
    if (is_known == rack->has_psu && stress == rack->psu_stress)
        return;
    rack->has_psu = is_known;
    rack->psu_stress = stress;
    wake_members(cluster, rack, before > JL_STRESS_THRESHOLD || stress > JL_STRESS_THRESHOLD);
}

static void sum_rack(struct jl_cluster *cluster, struct cluster_rack *rack)
{
    if (!rack->is_due)
        return;
    rack->power_w = 0;
    if (rack->name != NULL) {
        for (size_t i = rack->first; i < rack->first + rack->count; i++)
            rack->power_w += cluster->shares[i];
    }
    put_psu(cluster, rack);
    rack->is_due = false;
}

/* A rack is the sum over every node that names it, managed or not, in name order. */
void jl_cluster_sum_racks(struct jl_cluster *cluster)
{
    for (size_t i = 0; i < cluster->racks.capacity; i++) {
        struct cluster_rack *rack = jl_cluster_slot(&cluster->racks, i);
        if (rack != NULL)
            sum_rack(cluster, rack);
    }
    sum_rack(cluster, &cluster->rackless);
}

/* ---- cooling zones ---- */

void jl_cluster_zone_free(struct cluster_zone *zone)
{
    jl_free(zone->name);
    jl_free(zone);
}

static struct cluster_zone *zone_of(struct jl_cluster *cluster, const char *name)
{
    struct cluster_zone *zone = jl_cluster_find(&cluster->zones, name);
    if (zone != NULL)
        return zone;
    zone = jl_calloc(1, sizeof *zone);
    char *copy = jl_strdup(name);
    if (zone == NULL || copy == NULL || jl_cluster_insert(&cluster->zones, copy, zone) < 0) {
        jl_free(copy);
        jl_free(zone);
        return NULL;
    }
    zone->name = copy;
    return zone;
}

static void release_zone(struct jl_cluster *cluster, struct cluster_zone *zone)
{
    if (zone->nodes > 0 || zone->readings.has != 0 || zone->has_assumed)
        return;
    jl_index_remove(&cluster->zones, zone->name);
    jl_cluster_zone_free(zone);
}

static void leave_zone(struct jl_cluster *cluster, struct cluster_node *node)
{
    struct cluster_zone *zone = node->zone;
    node->zone = NULL;
    if (zone == NULL)
        return;
    zone->nodes--;
    release_zone(cluster, zone);
}

static int join_zone(struct jl_cluster *cluster, struct cluster_node *node, const char *label)
{
    if (node->zone != NULL && jl_same(node->zone->name, label))
        return 0;
    struct cluster_zone *zone = label != NULL ? zone_of(cluster, label) : NULL;
    if (label != NULL && zone == NULL)
        return JOULIE_E_NOMEM;
    if (zone != NULL)
        zone->nodes++;
    leave_zone(cluster, node);
    node->zone = zone;
    return 0;
}

static bool is_same(const struct jl_cluster_facility *a, const struct jl_cluster_facility *b)
{
    return a->has == b->has && a->outside_temp_c == b->outside_temp_c;
}

int jl_cluster_zone(struct jl_cluster *cluster, const char *name,
                    const struct jl_cluster_facility *readings, struct joulie_error *err)
{
    int rc = jl_cluster_check_facility(readings, err);
    if (rc < 0)
        return rc;
    if (jl_is_empty(name))
        return jl_fail(err, JOULIE_E_REQUIRED, "zone", "a zone needs a name");
    struct cluster_zone *zone = zone_of(cluster, name);
    if (zone == NULL)
        return jl_fail_memory(err);
    const bool is_news = !is_same(&zone->readings, readings);
    zone->readings = *readings;
    for (size_t i = 0; i < cluster->nodes.capacity && is_news && zone->nodes > 0; i++) {
        struct cluster_node *node = jl_cluster_slot(&cluster->nodes, i);
        if (node == NULL || node->zone != zone)
            continue;
        node->is_prediction_due = true;
        jl_cluster_wake(cluster, node);
    }
    release_zone(cluster, zone);
    return 0;
}

void jl_cluster_facility_of(const struct jl_cluster *cluster, const struct cluster_node *node,
                            struct jl_cluster_facility *out)
{
    const struct cluster_zone *zone = node->zone;
    *out = cluster->facility;
    if (zone == NULL)
        return;
    if (JL_HAS(&zone->readings, JL_FACILITY_OUTSIDE_TEMP))
        JL_PUT(out, JL_FACILITY_OUTSIDE_TEMP, outside_temp_c, zone->readings.outside_temp_c);
    else if (zone->has_assumed)
        JL_PUT(out, JL_FACILITY_OUTSIDE_TEMP, outside_temp_c, zone->assumed_c);
}

/* ---- both ---- */

int jl_cluster_open_places(struct jl_cluster *cluster)
{
    const struct jl_dict *zones = &cluster->config.zones;
    cluster->rackless.capacity_w = cluster->config.rack_capacity_w;
    cluster->rackless.is_due = true;
    for (size_t i = 0; i < zones->count; i++) {
        const struct jl_zone_setting *setting = &((const struct jl_zone_setting *)zones->items)[i];
        if (!JL_HAS(setting, JL_ZONE_SETTING_OUTSIDE_TEMP))
            continue;
        struct cluster_zone *zone = zone_of(cluster, zones->keys[i]);
        if (zone == NULL)
            return JOULIE_E_NOMEM;
        zone->has_assumed = true;
        zone->assumed_c = setting->outside_temp_c;
    }
    return 0;
}

static const char *label_of(const struct cluster_node *node, const char *key)
{
    const char *label = node->is_known ? jl_label(&node->value.meta, key) : NULL;
    return jl_is_empty(label) ? NULL : label;
}

int jl_cluster_join_places(struct jl_cluster *cluster, struct cluster_node *node)
{
    const int rc = join_rack(cluster, node, label_of(node, JL_LABEL_RACK));
    return rc < 0 ? rc : join_zone(cluster, node, label_of(node, JL_LABEL_ZONE));
}

void jl_cluster_leave_places(struct jl_cluster *cluster, struct cluster_node *node)
{
    leave_rack(cluster, node);
    leave_zone(cluster, node);
}
