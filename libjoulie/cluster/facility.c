/* SPDX-License-Identifier: Apache-2.0 */

/* What is measured around the machines: outside temperature and powers of the building, and of its
 * cooling zones, which win for the nodes in them (docs/rules/reconcile.md#racks-and-zones). */

#include <float.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/state.h"

static struct cluster_zone *zone_of(struct joulie_cluster *cluster, const char *name)
{
    return jl_cluster_find_or_make(&cluster->store.zones, name, sizeof(struct cluster_zone));
}

static void release_zone(struct joulie_cluster *cluster, struct cluster_zone *zone)
{
    if (zone->nodes > 0 || zone->readings.has != 0 || zone->has_assumed)
        return;
    jl_index_remove(&cluster->store.zones, zone->name);
    jl_cluster_item_free(zone);
}

void jl_cluster_leave_zone(struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct cluster_zone *zone = node->zone;
    node->zone = NULL;
    if (zone == NULL)
        return;
    zone->nodes--;
    release_zone(cluster, zone);
}

int jl_cluster_join_zone(struct joulie_cluster *cluster, struct cluster_node *node,
                         const char *label)
{
    if (node->zone != NULL && jl_same(node->zone->name, label))
        return 0;
    struct cluster_zone *zone = label != NULL ? zone_of(cluster, label) : NULL;
    if (label != NULL && zone == NULL)
        return JOULIE_E_NOMEM;
    if (zone != NULL)
        zone->nodes++;
    jl_cluster_leave_zone(cluster, node);
    node->zone = zone;
    return 0;
}

int jl_cluster_open_zones(struct joulie_cluster *cluster)
{
    const struct jl_dict *zones = &cluster->config.zones;
    for (size_t i = 0; i < zones->count; i++) {
        const struct jl_zone_setting *setting = &((const struct jl_zone_setting *)zones->items)[i];
        if (!setting->given.outside_temp_c)
            continue;
        struct cluster_zone *zone = zone_of(cluster, zones->keys[i]);
        if (zone == NULL)
            return JOULIE_E_NOMEM;
        zone->has_assumed = true;
        zone->assumed_c = setting->outside_temp_c;
    }
    return 0;
}

double jl_cluster_outside_c(const struct joulie_cluster_facility *facility,
                            const struct cluster_node *node, bool *out_is_known)
{
    const struct cluster_zone *zone = node->zone;
    *out_is_known = true;
    if (zone != NULL && (zone->readings.has & JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP) != 0)
        return zone->readings.outside_temp_c;
    if (zone != NULL && zone->has_assumed)
        return zone->assumed_c;
    *out_is_known = (facility->has & JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP) != 0;
    return facility->outside_temp_c;
}

/* ---- readings ---- */

#define FACILITY_BITS                                                                  \
    (JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP | JOULIE_CLUSTER_FACILITY_HAS_IT_POWER | \
     JOULIE_CLUSTER_FACILITY_HAS_COOLING_POWER)

/* A number without its bit becomes 0. */
static bool read_number(uint64_t has, uint64_t bit, double least, double *value)
{
    if ((has & bit) == 0)
        *value = 0;
    return jl_is_finite(*value) && *value >= least;
}

static int read_facility(const struct joulie_cluster_facility *theirs,
                         struct joulie_cluster_facility *out, struct joulie_error *err)
{
    if (JL_SIZED_READ(out, theirs) < 0 || (out->has & ~FACILITY_BITS) != 0)
        return jl_fail_abi(err, "");
    if (!read_number(out->has, JOULIE_CLUSTER_FACILITY_HAS_OUTSIDE_TEMP, -DBL_MAX,
                     &out->outside_temp_c) ||
        !read_number(out->has, JOULIE_CLUSTER_FACILITY_HAS_IT_POWER, 0, &out->it_power_w) ||
        !read_number(out->has, JOULIE_CLUSTER_FACILITY_HAS_COOLING_POWER, 0, &out->cooling_power_w))
        return jl_fail(err, JOULIE_E_RANGE, "facility", "a value is negative or not finite");
    return 0;
}

static bool is_same_outside(const struct joulie_cluster_facility *a,
                            const struct joulie_cluster_facility *b)
{
    return a->has == b->has && a->outside_temp_c == b->outside_temp_c;
}

static int read_part(const char *name, const char *argument, const char *what,
                     const struct joulie_cluster_facility *theirs,
                     struct joulie_cluster_facility *out, struct joulie_error *err)
{
    int rc = jl_cluster_check_text(name, argument, err);
    if (rc == 0)
        rc = read_facility(theirs, out, err);
    if (rc < 0)
        return rc;
    return jl_is_empty(name) ? jl_fail(err, JOULIE_E_REQUIRED, what, "a %s needs a name", what) : 0;
}

int joulie_cluster_put_rack(struct joulie_cluster *cluster, const char *name,
                            const struct joulie_cluster_facility *theirs, struct joulie_error *err)
{
    struct joulie_cluster_facility readings;
    const int rc = read_part(name, "rack_name", "rack", theirs, &readings, err);
    if (rc < 0)
        return rc;
    return jl_cluster_measure_rack(cluster, name, readings.it_power_w) == 0 ? 0
                                                                            : jl_fail_memory(err);
}

int joulie_cluster_put_zone(struct joulie_cluster *cluster, const char *name,
                            const struct joulie_cluster_facility *theirs, struct joulie_error *err)
{
    struct joulie_cluster_facility readings;
    const int rc = read_part(name, "zone_name", "zone", theirs, &readings, err);
    if (rc < 0)
        return rc;
    struct cluster_zone *zone = zone_of(cluster, name);
    if (zone == NULL)
        return jl_fail_memory(err);
    const bool is_news = !is_same_outside(&zone->readings, &readings);
    zone->readings = readings;
    for (size_t i = 0; i < cluster->store.nodes.capacity && is_news && zone->nodes > 0; i++) {
        struct cluster_node *node = jl_cluster_slot(&cluster->store.nodes, i);
        if (node != NULL && node->zone == zone)
            jl_cluster_changed(cluster, node, EVENT_ZONE);
    }
    release_zone(cluster, zone);
    return 0;
}

int joulie_cluster_put_facility(struct joulie_cluster *cluster,
                                const struct joulie_cluster_facility *facility,
                                struct joulie_error *err)
{
    const struct joulie_cluster_facility *old = &cluster->facility;
    struct joulie_cluster_facility readings;
    const int rc = read_facility(facility, &readings, err);
    if (rc < 0)
        return rc;
    const bool is_news = !is_same_outside(old, &readings) || old->it_power_w != readings.it_power_w;
    cluster->facility = readings;
    if (is_news)
        jl_cluster_all_changed(cluster, EVENT_FACILITY);
    return 0;
}
