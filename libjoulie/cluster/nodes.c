/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes by name: what their Node, NodeHardware and NodeTwin make of them, and their samples.
 * Objects and machines are stored by objects.c and machines.c, which report here what changed. */

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "cluster/state.h"
#include "kubernetes/selector.h"

struct cluster_node *jl_cluster_node_of(struct joulie_cluster *cluster, const char *name)
{
    struct cluster_node *node = jl_cluster_find_or_make(&cluster->store.nodes, name, sizeof *node);
    if (node == NULL || node->rack != NULL) /* it was there */
        return node;
    node->exclusion = JL_EXCLUDED_SELECTOR;
    node->reading.at_ms = NEVER_MS;
    node->earlier.at_ms = NEVER_MS;
    node->rack = &cluster->rackless;
    node->power.record.state = JL_POWER_ON;
    node->power.seen_ms = NEVER_MS;
    node->power.empty_ms = NEVER_MS;
    jl_cluster_changed(cluster, node, EVENT_NODES);
    return node;
}

void jl_cluster_node_free(void *item)
{
    struct cluster_node *node = item;
    jl_arena_clear(&node->arena);
    jl_arena_clear(&node->advice_arena);
    jl_free(node->samples);
    jl_free(node->put);
    jl_cluster_item_free(node);
}

void jl_cluster_free_unlinked(struct cluster_node **unlinked)
{
    while (*unlinked != NULL) {
        struct cluster_node *node = *unlinked;
        *unlinked = node->next_unlinked;
        jl_cluster_node_free(node);
    }
}

void jl_cluster_node_release(struct joulie_cluster *cluster, struct cluster_node *node)
{
    if (node->is_known || node->hardware_objects != NULL || node->twins != NULL ||
        node->pods != NULL)
        return;
    jl_index_remove(&cluster->store.nodes, node->name);
    jl_cluster_changed(cluster, node, EVENT_NODES);
    jl_cluster_leave_rack(cluster, node);
    jl_cluster_leave_zone(cluster, node);
    if (cluster->writes.count == 0) {
        jl_cluster_node_free(node);
        return;
    }
    node->next_unlinked = cluster->unlinked;
    cluster->unlinked = node;
}

static bool is_selected(const struct joulie_cluster *cluster, const struct cluster_node *node)
{
    return node->is_machine ? !node->is_unmanaged
                            : jl_selector_matches(cluster->selector, &node->value.meta.labels);
}

/* docs/rules/reconcile.md#scope: reserved and cordoned nodes are still ours. */
static enum node_scope scope_of(const struct joulie_cluster *cluster,
                                const struct cluster_node *node)
{
    if (!node->is_known || !is_selected(cluster, node))
        return SCOPE_OUT;
    return node->exclusion == JL_EXCLUDED_NOT ? SCOPE_MANAGED : SCOPE_KEPT;
}

static bool is_same_family(const struct jl_hardware *a, const struct jl_hardware *b)
{
    return a->is_known == b->is_known && (a->gpu_count > 0) == (b->gpu_count > 0) &&
           a->cpu_model == b->cpu_model && a->gpu_model == b->gpu_model &&
           jl_same(a->cpu_name, b->cpu_name) && jl_same(a->gpu_name, b->gpu_name);
}

static int64_t see(struct jl_stamp *stamp, int64_t wall_ms, const struct joulie_cluster *cluster)
{
    jl_stamp_see(stamp, wall_ms, &cluster->wall);
    return stamp->at_ms;
}

/* What was decided before is in the twin; before the first decision a machine may say itself. */
static void read_past(const struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct jl_node_past *past = &node->past;
    jl_past_of_twin(jl_cluster_twin_of(node), past);
    if (past->has_since)
        past->since_ms = see(&node->stamps.since, past->since_ms, cluster);
    if (past->limit.has_lowered)
        past->limit.lowered_ms = see(&node->stamps.lowered, past->limit.lowered_ms, cluster);
    if (node->twins != NULL || !node->is_machine)
        return;
    node->past.profile = node->machine_profile;
    node->past.is_draining = node->is_machine_draining;
}

/* The cordon of a node that was switched off is ours: it stays where it was. */
static enum jl_exclusion exclusion_of(const struct joulie_cluster *cluster,
                                      const struct cluster_node *node,
                                      const struct jl_selector *selector)
{
    struct jl_node view = node->value;
    if (node->power.record.is_drained)
        view.spec.unschedulable = false;
    return jl_node_exclusion(&view, cluster->config.policy.reserved_label_key, selector);
}

/* Its owner keeps new work away, whatever the selector leaves to us. */
static enum joulie_reject closed_by(const struct joulie_cluster *cluster,
                                    const struct cluster_node *node)
{
    if (node->power.record.is_drained)
        return JOULIE_REJECT_OFF;
    switch (exclusion_of(cluster, node, NULL)) {
    case JL_EXCLUDED_UNSCHEDULABLE:
        return JOULIE_REJECT_CORDON;
    case JL_EXCLUDED_RESERVED:
        return JOULIE_REJECT_RESERVED;
    case JL_EXCLUDED_SELECTOR:
    case JL_EXCLUDED_NOT:
        break;
    }
    return JOULIE_REJECT_NONE;
}

static void read_label(const struct joulie_cluster *cluster, struct cluster_node *node)
{
    const char *key = cluster->config.policy.power_profile_label;
    const char *label = node->is_known ? jl_label(&node->value.meta, key) : NULL;
    node->is_labelled = label != NULL;
    node->place_label =
        label != NULL ? jl_place_label_of(jl_text(label)) : JOULIE_NODE_LABEL_UNKNOWN;
    node->stored_label = (enum joulie_profile)jl_word_value(&jl_profile_words, jl_text(label));
    node->is_paused =
        node->is_known && jl_same(jl_annotation(&node->value.meta, JL_ANNOTATION_PAUSED), "true");
}

static void read_hardware(const struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct jl_hardware_status *status = jl_cluster_hardware_of(node);
    jl_hardware_resolve_by(status, node->is_known ? &node->value : NULL,
                           &cluster->config.policy.gpu_product_label_keys, JL_HARDWARE_CURRENT,
                           &node->hardware);
    jl_density_of(&node->hardware, &node->density);
    node->allocatable_gpus = node->is_known ? jl_node_allocatable_gpus(&node->value) : 0;
    if (node->is_machine)
        node->allocatable_gpus = node->hardware.gpu_count;
}

static void read_scope(const struct joulie_cluster *cluster, struct cluster_node *node)
{
    node->exclusion = JL_EXCLUDED_SELECTOR;
    if (node->is_known && (!node->is_machine || !node->is_unmanaged))
        node->exclusion = exclusion_of(cluster, node, node->is_machine ? NULL : cluster->selector);
    node->closed = closed_by(cluster, node);
    node->scope = scope_of(cluster, node);
    if (node->scope != SCOPE_MANAGED) {
        node->has_wanted = false;
        node->reason = JL_PLAN_NO_REASON;
    }
    if (node->scope == SCOPE_OUT) {
        node->has_status = false;
        node->status_reason = NULL;
    }
}

static const char *label_of(const struct cluster_node *node, const char *key)
{
    const char *label = node->is_known ? jl_label(&node->value.meta, key) : NULL;
    return jl_is_empty(label) ? NULL : label;
}

int jl_cluster_node_facts_changed(struct joulie_cluster *cluster, struct cluster_node *node)
{
    const struct jl_hardware before = node->hardware;
    const enum node_scope old_scope = node->scope;
    const double old_density = node->density.total;
    if (jl_cluster_join_rack(cluster, node, label_of(node, JL_LABEL_RACK)) < 0 ||
        jl_cluster_join_zone(cluster, node, label_of(node, JL_LABEL_ZONE)) < 0)
        return JOULIE_E_NOMEM;
    read_hardware(cluster, node);
    read_label(cluster, node);
    jl_cluster_read_power(cluster, node);
    read_scope(cluster, node);
    read_past(cluster, node);
    node->is_as_put = false;
    jl_cluster_load_moved(&cluster->on_managed, node, old_scope);
    if (node->scope != old_scope)
        jl_cluster_changed(cluster, node, EVENT_SCOPE);
    if (node->density.total != old_density || !is_same_family(&before, &node->hardware))
        jl_cluster_changed(cluster, node, EVENT_HARDWARE);
    jl_cluster_changed(cluster, node, EVENT_FACTS);
    if ((cluster->due & DUE_ORDER) == 0)
        jl_cluster_set_row_facts(cluster, node);
    return 0;
}

static void read_twin(struct joulie_cluster *cluster, struct cluster_node *node,
                      enum cluster_event event)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    const char *updated = twin != NULL ? twin->status.last_updated : NULL;
    node->has_updated =
        updated != NULL && jl_parse_time(updated, strlen(updated), &node->updated_ms) == 0;
    if (node->has_updated)
        node->updated_ms = see(&node->stamps.updated, node->updated_ms, cluster);
    node->has_stored_psu = twin != NULL && twin->status.given.psu_stress_score;
    node->stored_psu_stress = node->has_stored_psu ? twin->status.psu_stress_score : 0;
    jl_cluster_changed(cluster, node, event);
    if ((cluster->due & DUE_ORDER) == 0)
        jl_cluster_set_row_twin(cluster, node);
}

void jl_cluster_node_twin_changed(struct joulie_cluster *cluster, struct cluster_node *node)
{
    read_past(cluster, node);
    jl_cluster_see_reports(cluster, node);
    read_twin(cluster, node, EVENT_TWIN);
}

void jl_cluster_node_twin_renewed(struct joulie_cluster *cluster, struct cluster_node *node)
{
    read_twin(cluster, node, EVENT_RENEWED);
}

static void clear_machine(struct cluster_node *node)
{
    node->is_machine = false;
    node->is_unmanaged = false;
    node->gpu_idle_w = 0;
    node->machine_profile = JOULIE_PROFILE_UNKNOWN;
    node->is_machine_draining = false;
}

int jl_cluster_store_node(struct joulie_cluster *cluster, struct cluster_node *node,
                          const struct jl_node *value)
{
    struct jl_arena arena = { 0 };
    struct jl_node copy;
    int rc = jl_cluster_copy(&jl_node_table, value, &arena, &copy);
    if (rc < 0)
        return rc;
    struct jl_arena old = node->arena;
    if (!node->is_known)
        jl_cluster_changed(cluster, node, EVENT_NODES);
    node->arena = arena;
    node->value = copy;
    node->is_known = true;
    rc = jl_cluster_node_facts_changed(cluster, node);
    jl_arena_clear(&old);
    return rc;
}

int jl_cluster_put_node(struct joulie_cluster *cluster, const struct jl_node *value,
                        struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "metadata.name", "a node needs a name");
    struct cluster_node *node = jl_cluster_node_of(cluster, value->meta.name);
    if (node == NULL)
        return jl_fail_memory(err);
    clear_machine(node);
    if (jl_cluster_store_node(cluster, node, value) < 0) {
        jl_cluster_node_release(cluster, node);
        return jl_fail_memory(err);
    }
    return 0;
}

int jl_cluster_node_forget(struct joulie_cluster *cluster, struct cluster_node *node)
{
    struct jl_arena old = node->arena;
    node->arena = (struct jl_arena){ 0 };
    node->value = (struct jl_node){ 0 };
    node->is_known = false;
    clear_machine(node);
    jl_cluster_changed(cluster, node, EVENT_NODES);
    const int rc =
        jl_cluster_node_facts_changed(cluster, node); /* leaves its rack, which needs no memory */
    jl_arena_clear(&old);
    jl_free(node->samples);
    node->samples = NULL;
    node->sample_count = 0;
    node->sample_capacity = 0;
    node->reading = (struct reading){ .at_ms = NEVER_MS };
    node->earlier = (struct reading){ .at_ms = NEVER_MS };
    node->is_riding = false;
    node->has_share = false;
    jl_cluster_node_release(cluster, node);
    return rc;
}

int jl_cluster_set_label(struct joulie_cluster *cluster, struct cluster_node *node,
                         const char *label)
{
    struct jl_arena scratch = { 0 };
    struct jl_node changed = node->value;
    int rc = jl_cluster_copy_map(&scratch, &node->value.meta.labels,
                                 cluster->config.policy.power_profile_label, label,
                                 &changed.meta.labels);
    JL_MARK(&changed, JL_ROOT_META);
    changed.meta.given.labels = true;
    if (rc == 0)
        rc = jl_cluster_store_node(cluster, node, &changed);
    jl_arena_clear(&scratch);
    return rc;
}
