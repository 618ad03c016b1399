/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes by name: what their Node, NodeHardware and NodeTwin say, and what has to be decided again
 * when that changes. */

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "cluster/parts.h"
#include "kubernetes/selector.h"

#define NEVER_MS INT64_MIN
#define MAX_SAMPLES 1024 /* of one node within the trend's window; the oldest goes first */

struct cluster_node *jl_cluster_node_of(struct jl_cluster *cluster, const char *name)
{
    struct cluster_node *node = jl_cluster_find(&cluster->nodes, name);
    if (node != NULL)
        return node;
    node = jl_calloc(1, sizeof *node);
    char *copy = jl_strdup(name);
    if (node == NULL || copy == NULL || jl_cluster_insert(&cluster->nodes, copy, node) < 0) {
        jl_free(copy);
        jl_free(node);
        return NULL;
    }
    node->name = copy;
    node->exclusion = JL_EXCLUDED_SELECTOR;
    node->reading.at_ms = NEVER_MS;
    node->earlier.at_ms = NEVER_MS;
    node->rack = &cluster->rackless;
    cluster->is_order_stale = true;
    return node;
}

/* ---- when a step looks at it ---- */

void jl_cluster_wake(struct jl_cluster *cluster, const struct cluster_node *node)
{
    if (!cluster->is_order_stale) /* else all of them are looked at */
        cluster->wake_ms[node->at] = WAKE_NOW;
}

void jl_cluster_wake_all(struct jl_cluster *cluster)
{
    for (size_t i = 0; i < cluster->all_count; i++)
        cluster->wake_ms[i] = WAKE_NOW;
}

size_t jl_cluster_find_due(struct jl_cluster *cluster, int64_t now_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < cluster->all_count; i++) {
        if (cluster->wake_ms[i] <= now_ms)
            cluster->due[count++] = cluster->all[i];
    }
    return count;
}

static void due(struct jl_cluster *cluster, struct cluster_node *node)
{
    node->is_prediction_due = true;
    jl_cluster_wake(cluster, node);
}

void jl_cluster_node_free(struct cluster_node *node)
{
    if (node == NULL)
        return;
    jl_arena_clear(&node->arena);
    jl_arena_clear(&node->advice_arena);
    jl_free(node->samples);
    jl_free(node->name);
    jl_free(node);
}

void jl_cluster_bury(struct jl_cluster *cluster)
{
    while (cluster->graves != NULL) {
        struct cluster_node *node = cluster->graves;
        cluster->graves = node->grave_next;
        jl_cluster_node_free(node);
    }
}

void jl_cluster_node_release(struct jl_cluster *cluster, struct cluster_node *node)
{
    if (node->is_known || node->hardware_objects != NULL || node->twins != NULL ||
        node->pods != NULL)
        return;
    jl_index_remove(&cluster->nodes, node->name);
    jl_cluster_leave_places(cluster, node);
    cluster->is_order_stale = true;
    if (cluster->action_count == 0) {
        jl_cluster_node_free(node);
        return;
    }
    node->grave_next = cluster->graves;
    cluster->graves = node;
}

const struct jl_node_twin *jl_cluster_twin_of(const struct cluster_node *node)
{
    return node->twins != NULL ? &node->twins->value : NULL;
}

static bool is_selected(const struct jl_cluster *cluster, const struct cluster_node *node)
{
    return node->is_machine ? !node->is_unmanaged
                            : jl_selector_matches(cluster->selector, &node->value.meta.labels);
}

/* docs/rules/reconcile.md#scope: reserved and cordoned nodes are still ours. */
static enum node_scope scope_of(const struct jl_cluster *cluster, const struct cluster_node *node)
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

/* What was decided before is in the twin; before the first decision a machine may say itself. */
static void read_past(struct cluster_node *node)
{
    jl_past_of_twin(jl_cluster_twin_of(node), &node->past);
    if (node->twins != NULL || !node->is_machine)
        return;
    node->past.profile = node->machine_profile;
    node->past.is_draining = node->is_machine_draining;
}

/* Its owner keeps new work away, whatever the selector leaves to us. */
static enum joulie_reject closed_by(const struct jl_cluster *cluster,
                                    const struct cluster_node *node)
{
    switch (jl_node_exclusion(&node->value, cluster->config.policy.reserved_label_key, NULL)) {
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

/* The texts of node->hardware must still be alive: they are compared with the new ones. */
int jl_cluster_node_facts_changed(struct jl_cluster *cluster, struct cluster_node *node)
{
    const struct jl_hardware before = node->hardware;
    const enum node_scope old_scope = node->scope;
    const double old_density = node->density.total;
    const struct jl_hardware_status *status =
        node->hardware_objects != NULL ? &node->hardware_objects->value.status : NULL;
    if (jl_cluster_join_places(cluster, node) < 0)
        return JOULIE_E_NOMEM;
    jl_hardware_resolve_by(status, node->is_known ? &node->value : NULL,
                           &cluster->config.policy.gpu_product_label_keys, JL_HARDWARE_CURRENT,
                           &node->hardware);
    jl_density_of(&node->hardware, &node->density);
    node->allocatable_gpus = node->is_known ? jl_node_allocatable_gpus(&node->value) : 0;
    if (node->is_machine)
        node->allocatable_gpus = node->hardware.gpu_count;
    node->exclusion = JL_EXCLUDED_SELECTOR;
    if (node->is_known && (!node->is_machine || !node->is_unmanaged))
        node->exclusion = jl_node_exclusion(&node->value, cluster->config.policy.reserved_label_key,
                                            node->is_machine ? NULL : cluster->selector);
    node->closed = closed_by(cluster, node);
    node->scope = scope_of(cluster, node);
    jl_cluster_load_moved(cluster, node, old_scope);
    if (node->scope != old_scope || node->density.total != old_density ||
        !is_same_family(&before, &node->hardware))
        cluster->is_order_stale = true;
    const char *label =
        node->is_known ? jl_label(&node->value.meta, cluster->config.policy.power_profile_label)
                       : NULL;
    node->is_labelled = label != NULL;
    node->place_label =
        label != NULL ? jl_place_label_of(jl_text(label)) : JOULIE_NODE_LABEL_UNKNOWN;
    node->is_paused =
        node->is_known && jl_same(jl_annotation(&node->value.meta, JL_ANNOTATION_PAUSED), "true");
    node->stored_label = (enum joulie_profile)jl_word_value(&jl_profile_words, jl_text(label));
    cluster->is_naming_stale = cluster->is_naming_stale || node->scope != old_scope;
    node->is_wanted_stale = true;
    read_past(node);
    due(cluster, node);
    jl_cluster_plan_changed(cluster, node);
    jl_cluster_ledger_changed(cluster, node);
    if (node->scope != SCOPE_MANAGED) {
        node->has_wanted = false;
        node->reason = JL_PLAN_NO_REASON;
    }
    if (node->scope == SCOPE_OUT) {
        node->has_status = false;
        node->status_reason = NULL;
    }
    if (!cluster->is_order_stale) {
        struct jl_place_node *place = &cluster->place[node->place];
        jl_cluster_place_hardware(cluster, node, place);
        place->label = node->place_label;
        place->closed = node->closed;
    }
    return 0;
}

void jl_cluster_node_twin_changed(struct jl_cluster *cluster, struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    const char *updated = twin != NULL ? twin->status.last_updated : NULL;
    read_past(node);
    node->has_updated =
        updated != NULL && jl_parse_time(updated, strlen(updated), &node->updated_ms) == 0;
    node->has_stored_psu = twin != NULL && twin->status.given.psu_stress_score;
    node->stored_psu_stress = node->has_stored_psu ? twin->status.psu_stress_score : 0;
    node->is_spec_check_due = true;
    node->is_compare_due = true;
    due(cluster, node); /* feedback and previous caps */
    jl_cluster_plan_changed(cluster, node);
    jl_cluster_ledger_changed(cluster, node);
    if (!cluster->is_order_stale)
        jl_place_set_twin(&cluster->place[node->place], twin != NULL ? &twin->status : NULL);
}

static int store_node(struct jl_cluster *cluster, struct cluster_node *node,
                      const struct jl_node *value)
{
    struct jl_arena arena = { 0 };
    struct jl_node copy;
    int rc = jl_cluster_copy(&jl_node_table, value, &arena, &copy);
    if (rc < 0)
        return rc;
    struct jl_arena old = node->arena;
    if (!node->is_known)
        cluster->is_order_stale = true;
    node->arena = arena;
    node->value = copy;
    node->is_known = true;
    rc = jl_cluster_node_facts_changed(cluster, node);
    jl_arena_clear(&old);
    return rc;
}

static void set_machine(struct cluster_node *node, const struct jl_cluster_machine *machine)
{
    static const struct jl_cluster_machine none = { 0 };
    const struct jl_cluster_machine *from = machine != NULL ? machine : &none;
    node->is_machine = machine != NULL;
    node->is_unmanaged = from->is_unmanaged;
    node->gpu_idle_w = from->gpu_idle_w;
    node->machine_profile = from->profile;
    node->is_machine_draining = from->is_draining;
}

static int put_node(struct jl_cluster *cluster, const struct jl_node *value,
                    const struct jl_cluster_machine *machine, struct joulie_error *err)
{
    if (jl_is_empty(value->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, machine != NULL ? "name" : "metadata.name",
                       "a node needs a name");
    struct cluster_node *node = jl_cluster_node_of(cluster, value->meta.name);
    if (node == NULL)
        return jl_fail_memory(err);
    set_machine(node, machine);
    const int rc = store_node(cluster, node, value);
    if (rc < 0) {
        jl_cluster_node_release(cluster, node);
        return jl_fail_memory(err);
    }
    return 0;
}

int jl_cluster_put_node(struct jl_cluster *cluster, const struct jl_node *value,
                        struct joulie_error *err)
{
    return put_node(cluster, value, NULL, err);
}

/* The hardware first, so that the node is decided about with it. */
int jl_cluster_put_machine(struct jl_cluster *cluster, const struct jl_cluster_machine *machine,
                           struct joulie_error *err)
{
    if (jl_is_empty(machine->node->meta.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "name", "a machine needs a name");
    const int rc = jl_cluster_put_hardware(cluster, machine->hardware, err);
    return rc < 0 ? rc : put_node(cluster, machine->node, machine, err);
}

int jl_cluster_node_forget(struct jl_cluster *cluster, struct cluster_node *node)
{
    struct jl_arena old = node->arena;
    node->arena = (struct jl_arena){ 0 };
    node->value = (struct jl_node){ 0 };
    node->is_known = false;
    set_machine(node, NULL);
    cluster->is_order_stale = true;
    const int rc =
        jl_cluster_node_facts_changed(cluster, node); /* leaves its rack, which needs no memory */
    jl_arena_clear(&old);
    jl_free(node->samples);
    node->samples = NULL;
    node->sample_count = 0;
    node->sample_capacity = 0;
    node->reading = (struct jl_cluster_sample){ .at_ms = NEVER_MS };
    node->earlier = (struct jl_cluster_sample){ .at_ms = NEVER_MS };
    node->has_share = false;
    jl_cluster_node_release(cluster, node);
    return rc;
}

/* The labels with one changed; label NULL takes it away. */
static int copy_labels(struct jl_arena *arena, const struct jl_map *from, const char *key,
                       const char *label, struct jl_map *out)
{
    struct jl_pair *pairs = JL_NEW_ARRAY(arena, from->count + 1, struct jl_pair);
    size_t count = 0;
    if (pairs == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < from->count; i++) {
        if (!jl_same(from->items[i].key, key))
            pairs[count++] = from->items[i];
    }
    if (label != NULL)
        pairs[count++] = (struct jl_pair){ key, label };
    *out = (struct jl_map){ pairs, count };
    return 0;
}

int jl_cluster_set_label(struct jl_cluster *cluster, struct cluster_node *node, const char *label)
{
    struct jl_arena scratch = { 0 };
    struct jl_node changed = node->value;
    int rc = copy_labels(&scratch, &node->value.meta.labels,
                         cluster->config.policy.power_profile_label, label, &changed.meta.labels);
    JL_MARK(&changed, JL_ROOT_META);
    changed.meta.given.labels = true;
    if (rc == 0)
        rc = store_node(cluster, node, &changed);
    jl_arena_clear(&scratch);
    return rc;
}

/* ---- readings ---- */

static bool is_reading(const struct jl_cluster_sample *sample, unsigned bit, double value)
{
    return !JL_HAS(sample, bit) || (jl_is_finite(value) && value >= 0);
}

static void drop_old_samples(struct cluster_node *node, int64_t newest_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->sample_count; i++) {
        if (newest_ms - node->samples[i].t_ms < JL_TREND_WINDOW_MS)
            node->samples[kept++] = node->samples[i];
    }
    node->sample_count = kept;
}

/* One sample alone makes no other old, as its clock may be ahead: two have to be that late. Nor
 * does the first of the array tell alone whether there are old ones. */
static void make_room(struct cluster_node *node, int64_t at_ms)
{
    const int64_t newest_ms = node->reading.at_ms;
    const int64_t late_ms = at_ms < newest_ms ? at_ms : newest_ms;
    if (node->sample_count == 0 || newest_ms == INT64_MIN)
        return;
    if (late_ms - node->samples[0].t_ms >= JL_TREND_WINDOW_MS ||
        late_ms - node->samples[node->sample_count / 2].t_ms >= JL_TREND_WINDOW_MS)
        drop_old_samples(node, late_ms);
}

static int add_sample(struct cluster_node *node, int64_t at_ms, double power_w)
{
    make_room(node, at_ms);
    if (node->sample_count == MAX_SAMPLES)
        memmove(node->samples, node->samples + 1, --node->sample_count * sizeof *node->samples);
    void *samples = node->samples;
    if (jl_grow(&samples, &node->sample_capacity, node->sample_count + 1, sizeof *node->samples) <
        0)
        return JOULIE_E_NOMEM;
    node->samples = samples;
    struct jl_power_sample *sample = &node->samples[node->sample_count++];
    *sample = (struct jl_power_sample){ .t_ms = at_ms, .w = power_w };
    sample->given.t_ms = true;
    sample->given.w = true;
    return 0;
}

static bool is_same_reading(const struct jl_cluster_sample *a, const struct jl_cluster_sample *b)
{
    return a->has == b->has && a->node_power_w == b->node_power_w && a->source == b->source &&
           a->cpu_util_pct == b->cpu_util_pct && a->gpu_util_pct == b->gpu_util_pct;
}

/* The last two samples alone tell a trend, whatever was dropped before them. */
static bool tells_trend(const struct cluster_node *node)
{
    const size_t count = node->sample_count;
    return count >= 2 &&
           node->samples[count - 1].t_ms - node->samples[count - 2].t_ms >= JL_TREND_LEAST_MS;
}

/* The member that is no reading; NULL = all of them are. */
static const char *fault_of(const struct jl_cluster_sample *sample)
{
    if (!is_reading(sample, JL_SAMPLE_POWER, sample->node_power_w))
        return "node_power_w";
    if (!is_reading(sample, JL_SAMPLE_CPU_UTIL, sample->cpu_util_pct))
        return "cpu_util_pct";
    return is_reading(sample, JL_SAMPLE_GPU_UTIL, sample->gpu_util_pct) ? NULL : "gpu_util_pct";
}

/* Only a step knows the time, and whether the newest is ahead of it: beside that one stays what it
 * took the place of, or what came after it. */
static void keep_reading(struct cluster_node *node, const struct jl_cluster_sample *sample)
{
    const bool is_newest = sample->at_ms >= node->reading.at_ms;
    node->earlier = is_newest ? node->reading : *sample;
    if (is_newest)
        node->reading = *sample;
}

static int take_sample(struct jl_cluster *cluster, struct cluster_node *node,
                       const struct jl_cluster_sample *sample, struct joulie_error *err)
{
    const char *fault = fault_of(sample);
    if (fault != NULL)
        return jl_fail(err, JOULIE_E_RANGE, fault, "a reading is negative or not finite");
    if (!jl_is_instant(sample->at_ms))
        return jl_fail(err, JOULIE_E_RANGE, "at_ms", "no clock shows the time of the reading");
    if (JL_HAS(sample, JL_SAMPLE_POWER) &&
        add_sample(node, sample->at_ms, sample->node_power_w) < 0)
        return jl_fail_memory(err);
    if (!node->is_steady || !is_same_reading(&node->reading, sample) || !tells_trend(node))
        due(cluster, node);
    keep_reading(node, sample);
    return 0;
}

int jl_cluster_sample(struct jl_cluster *cluster, const char *node_name,
                      const struct jl_cluster_sample *sample, struct joulie_error *err)
{
    struct cluster_node *node = jl_cluster_find(&cluster->nodes, node_name);
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_REQUIRED, "node", "there is no such node");
    return take_sample(cluster, node, sample, err);
}

int jl_cluster_sample_all(struct jl_cluster *cluster, const struct jl_cluster_sample *samples,
                          size_t count, struct joulie_error *err)
{
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    if (count != cluster->known_count)
        return jl_fail(err, JOULIE_E_REQUIRED, "node", "%zu samples for %zu nodes", count,
                       cluster->known_count);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (i + AHEAD < count)
            jl_cluster_prefetch(cluster->known[i + AHEAD], offsetof(struct cluster_node, hardware));
        rc = take_sample(cluster, cluster->known[i], &samples[i], err);
    }
    return rc;
}
