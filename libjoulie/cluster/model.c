/* SPDX-License-Identifier: Apache-2.0 */

/* The end of a model: what it owns is freed. How it begins is in settings.c. */

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

void joulie_cluster_free(struct joulie_cluster *cluster)
{
    if (cluster == NULL)
        return;
    free_all(&cluster->store.nodes, jl_cluster_node_free);
    free_all(&cluster->store.hardware, jl_cluster_object_free);
    free_all(&cluster->store.twins, jl_cluster_object_free);
    free_all(&cluster->store.pods, jl_cluster_pod_free);
    free_all(&cluster->store.profiles, jl_cluster_profile_free);
    free_all(&cluster->store.subjects, jl_cluster_item_free);
    free_all(&cluster->store.racks, jl_cluster_item_free);
    free_all(&cluster->store.zones, jl_cluster_item_free);
    jl_cluster_free_unlinked(&cluster->unlinked);
    jl_index_clear(&cluster->writes.new_names);
    jl_cluster_free_order(cluster);
    jl_free(cluster->writes.items);
    jl_arena_clear(&cluster->config_arena);
    jl_arena_clear(&cluster->writes.bodies);
    jl_arena_clear(&cluster->step_arena);
    jl_arena_clear(&cluster->answer_arena);
    jl_free(cluster);
}
