/* SPDX-License-Identifier: Apache-2.0 */

/* The smallest set of writes that brings what is stored to what was decided
 * (docs/rules/reconcile.md#actions). The last part of a step; actions.c hands them out, outcomes.c
 * takes back what became of them. */

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "cluster/state.h"
#include "kinds/naming.h"
#include "schema/copy.h"

/* One more write, its id given; NULL = out of memory. What it borrows from the node stays until the
 * next step, also when the node goes. */
static struct jl_cluster_write *add(struct joulie_cluster *cluster, enum joulie_change change,
                                    const struct cluster_node *node, const char *object_name,
                                    const char *reason)
{
    struct writes *writes = &cluster->writes;
    const char *name = node->name;
    if (object_name != name && !jl_same(object_name, name))
        name = jl_arena_string(&cluster->step_arena, object_name);
    if ((object_name != NULL && name == NULL) ||
        JL_GROW(&writes->items, &writes->capacity, writes->count + 1) < 0)
        return NULL;
    struct jl_cluster_write *write = &writes->items[writes->count++];
    *write = (struct jl_cluster_write){
        .id = writes->next_id++,
        .change = change,
        .node_name = node->name,
        .node_index = node->row,
        .object_name = name,
        .reason = reason,
    };
    return write;
}

/* ---- object names: docs/rules/reconcile.md#object-names ---- */

/* Who has a name: an object, else the node that is called so, else a node that takes it in this
 * step. */
static const char *owner_of(const void *user, const char *object_name)
{
    const struct joulie_cluster *cluster = user;
    const struct node_object *object = jl_cluster_find(&cluster->store.twins, object_name);
    if (object != NULL)
        return object->value.twin.spec.node_name;
    const struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, object_name);
    if (node != NULL && node->scope == SCOPE_MANAGED)
        return node->name;
    const struct cluster_node *taker = jl_cluster_find(&cluster->writes.new_names, object_name);
    return taker != NULL ? taker->name : NULL;
}

/* The name of the node's NodeTwin, made up when there is none; "" = no object can be named after
 * it, NULL = no memory. */
static const char *object_name_of(struct joulie_cluster *cluster, struct cluster_node *node)
{
    if (node->twins != NULL)
        return jl_cluster_twin_name(node);
    const char *name = jl_object_name(&cluster->step_arena, node->name, owner_of, cluster);
    if (name == NULL || *name == '\0' || jl_same(name, node->name)) /* its own is nobody else's */
        return name;
    return jl_cluster_insert(&cluster->writes.new_names, name, node) == 0 ? name : NULL;
}

/* ---- specs and labels ---- */

static int copy_spec(struct jl_arena *arena, const struct jl_twin_spec *from,
                     const struct jl_twin_spec **out)
{
    struct jl_twin_spec *copy = JL_NEW(arena, struct jl_twin_spec);
    *out = copy;
    return copy != NULL ? jl_copy(arena, &jl_twin_spec_table, from, copy) : JOULIE_E_NOMEM;
}

static bool is_spec_stored(struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    if ((node->due & DUE_SPEC) != 0) {
        node->is_spec_stored = twin != NULL && jl_cluster_same_spec(&twin->spec, &node->wanted);
        node->due &= ~DUE_SPEC;
    }
    return node->is_spec_stored;
}

static int offer_spec(struct joulie_cluster *cluster, struct cluster_node *node, const char *name,
                      int64_t now_ms, const char *reason)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    struct jl_cluster_write *write = add(cluster, JOULIE_CHANGE_SPEC, node, name, reason);
    if (write == NULL)
        return JOULIE_E_NOMEM;
    write->spec = &node->wanted;
    if (twin != NULL && copy_spec(&cluster->step_arena, &twin->spec, &write->old_spec) < 0)
        return JOULIE_E_NOMEM;
    const struct jl_gpu_power_cap *cap = &node->wanted.gpu.power_cap;
    struct jl_limit_past limit;
    if (jl_cluster_reads(cluster) == JL_READS_WORK &&
        jl_limit_after(&node->past.limit, JL_GIVEN_OR(cap, cap_pct, JL_NO_CAP_PCT), now_ms, &limit))
        write->cap_lowered = cluster->step_text;
    struct jl_node_past past;
    jl_past_after(&node->past, node->guard.profile, node->guard.is_draining, now_ms, &past);
    if (past.profile == node->past.profile && past.is_draining == node->past.is_draining)
        return 0;
    write->profile_since = cluster->step_text; /* it changes now */
    return 0;
}

static int offer_label(struct joulie_cluster *cluster, struct cluster_node *node, const char *label,
                       const char *reason)
{
    struct jl_cluster_write *write = add(cluster, JOULIE_CHANGE_LABEL, node, NULL, reason);
    if (write == NULL)
        return JOULIE_E_NOMEM;
    write->label = label;
    return 0;
}

/* ---- power records ---- */

static int offer_power(struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct node_power *power = &node->power;
    struct jl_arena *arena = &cluster->step_arena;
    char since[JL_TIME_TEXT];
    char failures[JL_DOUBLE_TEXT];
    struct jl_power_write *out = JL_NEW(arena, struct jl_power_write);
    struct jl_cluster_write *write =
        add(cluster, JOULIE_CHANGE_POWER, node, NULL, jl_power_text(&power->record, &power->next));
    if (out == NULL || write == NULL)
        return JOULIE_E_NOMEM;
    write->power = out;
    jl_format_time(jl_wall_at(&cluster->wall, power->next.since_ms), since);
    jl_format_i64(power->next.failures, failures);
    *out = (struct jl_power_write){
        .record = power->next,
        .was_drained = power->record.is_drained,
        .was_hold = power->record.hold,
        .resource_version = jl_arena_string(arena, node->value.meta.resource_version),
        .since = jl_arena_string(arena, since),
        .failures = jl_arena_string(arena, failures),
    };
    out->record.boot_id = jl_arena_string(arena, power->next.boot_id);
    return arena->is_failed
               ? JOULIE_E_NOMEM
               : jl_cluster_copy_taints(arena, &node->value.spec.taints, &out->foreign_taints);
}

/* ---- status ---- */

static const char *status_reason(const struct joulie_cluster *cluster,
                                 const struct cluster_node *node, int64_t now_ms)
{
    if (node->status_reason != NULL)
        return node->status_reason;
    if (!node->has_updated)
        return "lastUpdated is missing or unreadable";
    return now_ms - node->updated_ms >= cluster->twin_heartbeat_ms ? "heartbeat of the twin" : NULL;
}

/* What is stored, with texts of its own: it is written over before the write is forgotten. But for
 * the agent's part. */
static const struct jl_twin_status *copy_status(struct jl_arena *arena,
                                                const struct jl_twin_status *from)
{
    struct jl_twin_status *copy = JL_NEW(arena, struct jl_twin_status);
    struct jl_twin_status ours = *from;
    ours.control = (struct jl_control_status){ 0 };
    ours.given.control = false;
    if (copy == NULL)
        return NULL;
    if (ours.reschedule.count > 0 || ours.conditions.count > 0)
        return jl_copy(arena, &jl_twin_status_table, &ours, copy) == 0 ? copy : NULL;
    *copy = ours;
    copy->last_updated = jl_arena_string(arena, ours.last_updated);
    copy->slicing.slice_type = jl_arena_string(arena, ours.slicing.slice_type);
    copy->slicing.reason = jl_arena_string(arena, ours.slicing.reason);
    return arena->is_failed ? NULL : copy;
}

static int offer_status(struct joulie_cluster *cluster, struct cluster_node *node, const char *name,
                        const char *reason)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    struct jl_cluster_write *write = add(cluster, JOULIE_CHANGE_STATUS, node, name, reason);
    if (write == NULL)
        return JOULIE_E_NOMEM;
    (void)jl_cluster_status_of(node);
    JL_SET(&node->status, last_updated, cluster->step_text);
    if (jl_cluster_put_conditions(cluster, node, write) < 0)
        return JOULIE_E_NOMEM;
    if (twin == NULL)
        return 0;
    write->old_status = copy_status(&cluster->step_arena, &twin->status);
    return write->old_status != NULL ? 0 : JOULIE_E_NOMEM;
}

/* ---- what each node needs ---- */

static int offer_delete(struct joulie_cluster *cluster, struct cluster_node *node,
                        const char *reason)
{
    return add(cluster, JOULIE_CHANGE_RELEASE, node, jl_cluster_twin_name(node), reason) != NULL
               ? 0
               : JOULIE_E_NOMEM;
}

/* A twin under the name of another node, from when that node was not there: the name is that
 * node's. */
static bool is_in_the_way(const struct joulie_cluster *cluster, const struct cluster_node *node)
{
    if (node->scope != SCOPE_MANAGED || node->twins == NULL ||
        jl_same(node->twins->name, node->name))
        return false;
    const struct cluster_node *other = jl_cluster_find(&cluster->store.nodes, node->twins->name);
    return other != NULL && other->scope == SCOPE_MANAGED && other->twins == NULL;
}

static void check_names(struct joulie_cluster *cluster)
{
    if ((cluster->due & DUE_NAMES) == 0)
        return;
    for (size_t i = 0; i < cluster->order.count; i++) {
        struct cluster_node *node = cluster->order.all[i];
        node->is_in_the_way = is_in_the_way(cluster, node);
        if (node->is_in_the_way)
            jl_cluster_changed(cluster, node, EVENT_IN_THE_WAY);
    }
    cluster->due &= ~DUE_NAMES;
}

/* Nothing can be written while the object of that name is another node's. */
static bool waits_for_name(const struct joulie_cluster *cluster, const struct cluster_node *node,
                           const char *name)
{
    return node->twins == NULL &&
           (*name == '\0' || jl_cluster_find(&cluster->store.twins, name) != NULL);
}

static int offer_managed(struct joulie_cluster *cluster, struct cluster_node *node, int64_t now_ms,
                         bool is_label_right, const char *status_reason)
{
    const bool is_new = node->twins == NULL;
    const char *name = object_name_of(cluster, node);
    if (name == NULL)
        return JOULIE_E_NOMEM;
    if (waits_for_name(cluster, node, name))
        return 0;
    if (!is_spec_stored(node) &&
        offer_spec(cluster, node, name, now_ms,
                   is_new ? "no NodeTwin yet" : "spec differs from the plan") < 0)
        return JOULIE_E_NOMEM;
    if (!is_label_right &&
        offer_label(cluster, node, node->guard.label, "label differs from the plan") < 0)
        return JOULIE_E_NOMEM;
    return status_reason != NULL ? offer_status(cluster, node, name, status_reason) : 0;
}

static int collect_kept(struct joulie_cluster *cluster, struct cluster_node *node, int64_t now_ms)
{
    const char *reason = node->has_status ? status_reason(cluster, node, now_ms) : NULL;
    return reason != NULL ? offer_status(cluster, node, jl_cluster_twin_name(node), reason) : 0;
}

static int collect_managed(struct joulie_cluster *cluster, struct cluster_node *node,
                           int64_t now_ms)
{
    if (node->is_paused)
        return collect_kept(cluster, node, now_ms);
    if (node->is_in_the_way)
        return offer_delete(cluster, node, "its name belongs to another node");
    const char *reason = node->has_status ? status_reason(cluster, node, now_ms) : NULL;
    const bool is_label_right =
        node->is_machine || node->is_held || node->stored_label == node->guard.profile;
    if (is_spec_stored(node) && is_label_right && reason == NULL)
        return 0;
    return offer_managed(cluster, node, now_ms, is_label_right, reason);
}

/* Only what a policy of ours wrote is taken away again. */
static bool is_ours(const struct jl_node_twin *twin)
{
    if (jl_annotation(&twin->meta, JL_ANNOTATION_PROFILE_SINCE) != NULL)
        return true;
    return jl_policy_has_name(twin->spec.policy.name);
}

/* docs/rules/reconcile.md#release: performance caps once, the label away, then the NodeTwin; each
 * waits until the one before it is stored. */
static int collect_released(struct joulie_cluster *cluster, struct cluster_node *node,
                            int64_t now_ms)
{
    static const char reason[] = "node left the scope of the policy";
    static const struct jl_guard_output performance = { .profile = JOULIE_PROFILE_PERFORMANCE,
                                                        .state =
                                                            JOULIE_NODE_STATE_ACTIVE_PERFORMANCE,
                                                        .caps = JOULIE_PROFILE_PERFORMANCE };
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    const bool is_left = twin == NULL || !is_ours(twin) || node->is_paused;
    node->has_wanted = node->has_wanted && node->is_known && !is_left;
    if (twin != NULL && is_ours(twin) && !node->is_known)
        return offer_delete(cluster, node, "node is gone");
    if (is_left)
        return 0;
    jl_cluster_want(cluster, node, &performance);
    const bool is_stored = is_spec_stored(node);
    const bool is_labelled = node->is_labelled && !node->is_machine;
    if (!is_stored && offer_spec(cluster, node, jl_cluster_twin_name(node), now_ms, reason) < 0)
        return JOULIE_E_NOMEM;
    if (is_labelled && offer_label(cluster, node, NULL, reason) < 0)
        return JOULIE_E_NOMEM;
    return is_stored && !is_labelled ? offer_delete(cluster, node, reason) : 0;
}

static int collect_node(struct joulie_cluster *cluster, struct cluster_node *node, int64_t now_ms)
{
    if (node->power.has_next && offer_power(cluster, node) < 0)
        return JOULIE_E_NOMEM;
    switch (node->scope) {
    case SCOPE_MANAGED:
        return collect_managed(cluster, node, now_ms);
    case SCOPE_KEPT:
        return collect_kept(cluster, node, now_ms);
    case SCOPE_OUT:
        break;
    }
    return collect_released(cluster, node, now_ms);
}

/* When time alone gives a reason to look at the node again. */
static int64_t wake_after(const struct joulie_cluster *cluster, const struct cluster_node *node)
{
    if (!node->is_known)
        return WAKE_NEVER;
    if (!node->has_status)
        return node->due_ms;
    const int64_t beat_ms = node->updated_ms + cluster->twin_heartbeat_ms;
    return beat_ms < node->due_ms ? beat_ms : node->due_ms;
}

/* A node without a twin waits for the name of one, and a write that nobody reports is offered
 * again. */
static bool is_waiting(const struct cluster_node *node)
{
    return node->scope == SCOPE_MANAGED && !node->is_paused && node->twins == NULL;
}

int jl_cluster_collect_writes(struct joulie_cluster *cluster, int64_t now_ms)
{
    int rc = 0;
    check_names(cluster);
    const size_t count = jl_cluster_find_due(&cluster->order, now_ms);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct cluster_node *node = cluster->order.visits[i];
        const size_t before = cluster->writes.count;
        if (i + 2 * AHEAD < count)
            jl_cluster_prefetch(cluster->order.visits[i + 2 * AHEAD],
                                offsetof(struct cluster_node, reading));
        rc = jl_cluster_finish_node(cluster, node);
        if (rc == 0)
            rc = collect_node(cluster, node, now_ms);
        if (rc == 0 && cluster->writes.count == before && !is_waiting(node))
            cluster->order.wake_ms[node->index] = wake_after(cluster, node);
    }
    jl_index_clear(&cluster->writes.new_names);
    return rc;
}
