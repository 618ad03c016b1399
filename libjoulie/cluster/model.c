/* SPDX-License-Identifier: Apache-2.0 */

/* The end of a model: what it owns is freed, or found to be nothing. How it begins is in
 * settings.c. */

#include "cluster/model.h"

#include "base/memory.h"
#include "cluster/state.h"

static void free_all(struct jl_index *index, void (*release)(void *item))
{
    for (size_t i = 0; i < index->capacity; i++) {
        void *item = jl_cluster_slot(index, i);
        if (item != NULL)
            release(item);
    }
    jl_index_clear(index);
}

static void free_node(void *item)
{
    jl_cluster_node_free(item);
}

static void free_hardware(void *item)
{
    jl_cluster_hardware_free(item);
}

static void free_twin(void *item)
{
    jl_cluster_twin_free(item);
}

static void free_pod(void *item)
{
    jl_cluster_pod_free(item);
}

static void free_profile(void *item)
{
    jl_cluster_profile_free(item);
}

static void free_subject(void *item)
{
    struct cluster_subject *subject = item;
    jl_free(subject->key);
    jl_free(subject);
}

static void free_rack(void *item)
{
    jl_cluster_rack_free(item);
}

static void free_zone(void *item)
{
    jl_cluster_zone_free(item);
}

void joulie_cluster_free(struct joulie_cluster *cluster)
{
    if (cluster == NULL)
        return;
    free_all(&cluster->store.nodes, free_node);
    free_all(&cluster->store.hardware, free_hardware);
    free_all(&cluster->store.twins, free_twin);
    free_all(&cluster->store.pods, free_pod);
    free_all(&cluster->store.profiles, free_profile);
    free_all(&cluster->store.subjects, free_subject);
    free_all(&cluster->store.racks, free_rack);
    free_all(&cluster->store.zones, free_zone);
    jl_cluster_free_unlinked(cluster);
    jl_index_clear(&cluster->writes.new_names);
    jl_cluster_free_order(cluster);
    jl_free(cluster->writes.items);
    jl_arena_clear(&cluster->config_arena);
    jl_arena_clear(&cluster->writes.bodies);
    jl_arena_clear(&cluster->step_arena);
    jl_arena_clear(&cluster->answer_arena);
    jl_free(cluster);
}

bool jl_cluster_is_empty(const struct joulie_cluster *cluster)
{
    for (size_t i = 0; i < cluster->store.zones.capacity; i++) {
        const struct cluster_zone *zone = jl_cluster_slot(&cluster->store.zones, i);
        if (zone != NULL && (zone->nodes > 0 || zone->readings.has != 0))
            return false;
    }
    return cluster->store.nodes.count + cluster->store.hardware.count + cluster->store.twins.count +
                   cluster->store.pods.count + cluster->store.profiles.count +
                   cluster->store.subjects.count + cluster->store.racks.count ==
               0 &&
           cluster->dirty_pods == NULL;
}
