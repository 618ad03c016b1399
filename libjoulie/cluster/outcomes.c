/* SPDX-License-Identifier: Apache-2.0 */

/* What became of writes: one that was applied counts as stored, until its object comes in again;
 * all others are offered again by the next step (docs/rules/reconcile.md#actions). */

#include <joulie/error.h>

#include "base/error.h"
#include "cluster/call.h"
#include "cluster/state.h"

static int annotate(struct jl_arena *arena, struct jl_meta *meta, const char *key,
                    const char *value)
{
    if (value == NULL)
        return 0;
    meta->given.annotations = true;
    return jl_cluster_copy_map(arena, &meta->annotations, key, value, &meta->annotations);
}

/* The stored twin with the spec of the write, or a new one. */
static int apply_spec(struct joulie_cluster *cluster, const struct jl_cluster_write *write)
{
    const struct node_object *object = jl_cluster_find(&cluster->store.twins, write->object_name);
    struct jl_arena scratch = { 0 };
    struct jl_node_twin twin = { 0 };
    int rc;
    if (object != NULL)
        twin = object->value.twin;
    const struct jl_twin_policy old_policy = twin.spec.policy;
    JL_PUT(&twin, JL_ROOT_SPEC, spec, *write->spec);
    if (old_policy.given.reschedulable_pressure) /* a patch leaves what it does not name */
        JL_SET(&twin.spec.policy, reschedulable_pressure, old_policy.reschedulable_pressure);
    JL_MARK(&twin, JL_ROOT_META);
    JL_SET(&twin.meta, name, write->object_name);
    rc = annotate(&scratch, &twin.meta, JL_ANNOTATION_PROFILE_SINCE, write->profile_since);
    if (rc == 0)
        rc = annotate(&scratch, &twin.meta, JL_ANNOTATION_CAP_LOWERED, write->cap_lowered);
    if (rc == 0)
        rc = jl_cluster_store_twin(cluster, &twin);
    jl_arena_clear(&scratch);
    return rc;
}

/* The twin of that name; NULL = there is none. While the order stands the node is where it was, and
 * its name is one text. */
static struct node_object *find_twin(const struct joulie_cluster *cluster,
                                     const struct jl_cluster_write *write)
{
    const bool is_known =
        (cluster->due & DUE_ORDER) == 0 && write->node_index < cluster->order.known_count;
    const struct cluster_node *node = is_known ? cluster->order.known[write->node_index] : NULL;
    if (node != NULL && node->twins != NULL && node->twins->has_node_name &&
        write->object_name == node->name)
        return node->twins;
    return jl_cluster_find(&cluster->store.twins, write->object_name);
}

/* The stored twin with the status of the write; the agent's part stays. */
static int apply_status(struct joulie_cluster *cluster, const struct jl_cluster_write *write)
{
    struct node_object *object = find_twin(cluster, write);
    if (object == NULL || /* gone meanwhile: nothing was stored */
        jl_cluster_update_status(cluster, object, write->status))
        return 0;
    struct jl_node_twin twin = object->value.twin;
    const struct jl_control_status control = twin.status.control;
    const bool has_control = twin.status.given.control;
    JL_PUT(&twin, JL_ROOT_STATUS, status, *write->status);
    if (has_control)
        JL_SET(&twin.status, control, control);
    return jl_cluster_store_twin(cluster, &twin);
}

/* Writes stand by node name. */
void jl_cluster_void_writes(struct writes *writes, const char *node_name)
{
    size_t first = 0;
    size_t end = writes->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (jl_compare(writes->items[middle].node_name, node_name) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < writes->count && jl_same(writes->items[first].node_name, node_name); first++)
        writes->items[first].is_void = true;
}

static int apply_to_node(struct joulie_cluster *cluster, const struct jl_cluster_write *write)
{
    struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, write->node_name);
    if (node == NULL || !node->is_known)
        return 0;
    return write->change == JOULIE_CHANGE_LABEL ? jl_cluster_set_label(cluster, node, write->label)
                                                : jl_cluster_set_power(cluster, node, write->power);
}

static int apply(struct joulie_cluster *cluster, const struct jl_cluster_write *write)
{
    switch (write->change) {
    case JOULIE_CHANGE_SPEC:
        return apply_spec(cluster, write);
    case JOULIE_CHANGE_STATUS:
        return apply_status(cluster, write);
    case JOULIE_CHANGE_LABEL:
    case JOULIE_CHANGE_POWER:
        return apply_to_node(cluster, write);
    case JOULIE_CHANGE_RELEASE:
        return jl_cluster_remove_object(cluster, OBJECT_TWIN, write->object_name);
    case JOULIE_CHANGE_UNKNOWN:
        break;
    }
    return 0;
}

const struct jl_cluster_write *jl_cluster_write_of(const struct writes *writes, uint64_t id,
                                                   struct joulie_error *err)
{
    if (id >= writes->first_id && id - writes->first_id < writes->count)
        return &writes->items[id - writes->first_id];
    (void)jl_fail(err, JOULIE_E_RANGE, "id", "not an action of the last step");
    return NULL;
}

int joulie_cluster_action_done(struct joulie_cluster *cluster, uint64_t id,
                               enum joulie_action_outcome outcome, struct joulie_error *err)
{
    const struct writes *writes = &cluster->writes;
    if (outcome != JOULIE_OUTCOME_APPLIED && outcome != JOULIE_OUTCOME_CONFLICT &&
        outcome != JOULIE_OUTCOME_FAILED)
        return jl_fail(err, JOULIE_E_ENUM, "outcome", "there is no such outcome");
    const struct jl_cluster_write *write = jl_cluster_write_of(writes, id, err);
    if (write == NULL)
        return JOULIE_E_RANGE;
    if (outcome != JOULIE_OUTCOME_APPLIED || /* as before, so the next step offers it again */
        write->is_void)
        return 0;
    return apply(cluster, write) == 0 ? JOULIE_OK : jl_fail_memory(err);
}

/* The others go on, so that one that fails costs no other its prediction. */
int joulie_cluster_statuses_done(struct joulie_cluster *cluster, struct joulie_error *err)
{
    const struct writes *writes = &cluster->writes;
    int rc = JOULIE_OK;
    for (size_t i = 0; i < writes->count; i++) {
        const struct jl_cluster_write *write = &writes->items[i];
        if (write->change == JOULIE_CHANGE_STATUS && !write->is_void && apply(cluster, write) < 0)
            rc = jl_fail_memory(err);
    }
    return rc;
}
