/* SPDX-License-Identifier: Apache-2.0 */

/* The model as a whole: made from settings, stepped, asked, freed. What belongs to one kind of
 * fact stands in the file of that kind. */

#include "cluster/model.h"

#include <string.h>

#include <joulie/error.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "cluster/candidates.h"
#include "cluster/parts.h"
#include "kubernetes/names.h"
#include "kubernetes/selector.h"
#include "schema/copy.h"

#define DEFAULT_TWIN_HEARTBEAT_MS (INT64_C(30) * 60 * 1000) /* TWIN_HEARTBEAT_INTERVAL */
#define WIRE_RANGE 10                                       /* of kube-scheduler */
#define DEFAULT_DEADBAND 2.0 /* STATUS_DEADBAND_SCORE, STATUS_DEADBAND_PCT */

void jl_cluster_defaults(struct jl_cluster_config *config)
{
    *config = (struct jl_cluster_config){
        .rack_capacity_w = JL_RACK_CAPACITY_W,
        .staleness_ms = JL_TWIN_STALENESS_MS,
        .max_age_ms = JL_TWIN_MAX_AGE_MS,
        .twin_heartbeat_ms = DEFAULT_TWIN_HEARTBEAT_MS,
        .deadband_score = DEFAULT_DEADBAND,
        .deadband_pct = DEFAULT_DEADBAND,
    };
    jl_policy_defaults(&config->policy);
    jl_place_config_init(&config->place, JOULIE_PLACE_RULES_CURRENT);
}

/* A key that no label can have would fail every write of it. */
static int check_label_key(const char *key, const char *where, struct joulie_error *err)
{
    return jl_is_label_key(jl_text(key)) ? 0
                                         : jl_fail(err, JOULIE_E_PARSE, where, "not a label key");
}

static int copy_dict(struct jl_arena *arena, const struct jl_dict *from, size_t size,
                     struct jl_dict *out)
{
    const char **keys = JL_NEW_ARRAY(arena, from->count, const char *);
    void *items = jl_arena_array(arena, from->count, size);
    if (keys == NULL || items == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < from->count; i++) {
        keys[i] = jl_arena_string(arena, from->keys[i]);
        if (keys[i] == NULL)
            return JOULIE_E_NOMEM;
    }
    if (from->count > 0)
        memcpy(items, from->items, from->count * size);
    *out = (struct jl_dict){ .keys = keys, .items = items, .count = from->count };
    return 0;
}

/* Every text of the settings into the model; policies that this build does not have are refused. */
static int take_config(struct jl_cluster *cluster, const struct jl_cluster_config *config,
                       struct joulie_error *err)
{
    struct jl_policy_config policy = config->policy;
    jl_policy_defaults(&policy);
    if (policy.type == JL_POLICY_BUDGET || policy.type == JL_POLICY_TYPE_UNKNOWN)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "policy.type", "this build has no such policy");
    const uint64_t given = policy.has;
    policy.has |= (UINT64_C(1) << jl_policy_table.count) - 1;
    cluster->config = *config;
    int rc = jl_copy(&cluster->config_arena, &jl_policy_table, &policy, &cluster->config.policy);
    if (rc < 0)
        return jl_fail_memory(err);
    if (copy_dict(&cluster->config_arena, &config->racks, sizeof(struct jl_rack_setting),
                  &cluster->config.racks) < 0 ||
        copy_dict(&cluster->config_arena, &config->zones, sizeof(struct jl_zone_setting),
                  &cluster->config.zones) < 0)
        return jl_fail_memory(err);
    cluster->config.policy.has = given;
    cluster->config.policy.power_profile_label =
        jl_arena_string(&cluster->config_arena, policy.power_profile_label);
    if (cluster->config.policy.power_profile_label == NULL)
        return jl_fail_memory(err);
    rc = check_label_key(policy.power_profile_label, "powerProfileLabel", err);
    if (rc == 0)
        rc = check_label_key(policy.reserved_label_key, "policy.reservedLabelKey", err);
    if (rc < 0)
        return rc;
    const struct jl_text text = jl_text(cluster->config.policy.node_selector);
    rc = jl_parse_selector(&cluster->config_arena, text.ptr, text.len, &cluster->selector);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(err);
    return rc < 0 ? jl_fail(err, rc, "policy.nodeSelector", "not a label selector") : 0;
}

int jl_cluster_new(const struct jl_cluster_config *config, struct jl_cluster **out,
                   struct joulie_error *err)
{
    struct jl_cluster *cluster = jl_calloc(1, sizeof *cluster);
    if (cluster == NULL)
        return jl_fail_memory(err);
    const int rc = take_config(cluster, config, err);
    if (rc < 0) {
        jl_cluster_free(cluster);
        return rc;
    }
    if (jl_cluster_open_places(cluster) < 0) {
        jl_cluster_free(cluster);
        return jl_fail_memory(err);
    }
    cluster->place_config = config->place;
    cluster->config.has_ledger =
        config->has_ledger && config->place.rules == JOULIE_PLACE_RULES_CURRENT;
    cluster->place_config.freshness.staleness_ms = config->staleness_ms;
    cluster->place_config.freshness.max_age_ms = config->max_age_ms;
    cluster->gate_ms = INT64_MIN;
    cluster->next_gate_ms = INT64_MAX;
    cluster->step_ms = INT64_MIN;
    cluster->first_id = 1;
    cluster->next_id = 1;
    cluster->is_order_stale = true;
    *out = cluster;
    return 0;
}

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

void jl_cluster_free(struct jl_cluster *cluster)
{
    if (cluster == NULL)
        return;
    free_all(&cluster->nodes, free_node);
    free_all(&cluster->hardware, free_hardware);
    free_all(&cluster->twins, free_twin);
    free_all(&cluster->pods, free_pod);
    free_all(&cluster->profiles, free_profile);
    free_all(&cluster->subjects, free_subject);
    free_all(&cluster->racks, free_rack);
    free_all(&cluster->zones, free_zone);
    jl_cluster_bury(cluster);
    jl_index_clear(&cluster->new_names);
    jl_cluster_free_order(cluster);
    jl_free(cluster->actions);
    jl_arena_clear(&cluster->config_arena);
    jl_arena_clear(&cluster->step_arena);
    jl_arena_clear(&cluster->answer_arena);
    jl_free(cluster);
}

/* The names of the twins go with them. */
static int remove_machine(struct jl_cluster *cluster, const char *name)
{
    struct cluster_node *node = jl_cluster_find(&cluster->nodes, name);
    if (node == NULL || !node->is_known)
        return 0;
    jl_cluster_void_actions(cluster, name);
    while (node->twins != NULL) /* the node stays: it is known */
        (void)jl_cluster_remove_twin(cluster, node->twins->name);
    const int rc = jl_cluster_remove_hardware(cluster, name);
    return rc < 0 ? rc : jl_cluster_node_forget(cluster, node);
}

int jl_cluster_remove(struct jl_cluster *cluster, const char *kind, const char *name_space,
                      const char *name, struct joulie_error *err)
{
    int rc = 0;
    if (jl_same(kind, "Node")) {
        struct cluster_node *node = jl_cluster_find(&cluster->nodes, name);
        rc = node != NULL && node->is_known ? jl_cluster_node_forget(cluster, node) : 0;
    } else if (jl_same(kind, "NodeHardware")) {
        rc = jl_cluster_remove_hardware(cluster, name);
    } else if (jl_same(kind, "NodeTwin")) {
        rc = jl_cluster_remove_twin(cluster, name);
    } else if (jl_same(kind, "machine")) {
        rc = remove_machine(cluster, name);
    } else if (jl_same(kind, "Pod") || jl_same(kind, "work")) {
        rc = jl_cluster_remove_pod(cluster, name_space, name);
    } else if (jl_same(kind, "WorkloadProfile")) {
        rc = jl_cluster_remove_profile(cluster, name_space, name);
    } else {
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "the model has no such kind");
    }
    return rc < 0 ? jl_fail_memory(err) : 0;
}

static bool is_finite_member(const struct jl_cluster_facility *facility, unsigned bit, double value)
{
    return !JL_HAS(facility, bit) || jl_is_finite(value);
}

int jl_cluster_check_facility(const struct jl_cluster_facility *facility, struct joulie_error *err)
{
    if (!is_finite_member(facility, JL_FACILITY_OUTSIDE_TEMP, facility->outside_temp_c) ||
        !is_finite_member(facility, JL_FACILITY_IT_POWER, facility->it_power_w) ||
        !is_finite_member(facility, JL_FACILITY_COOLING_POWER, facility->cooling_power_w) ||
        (JL_HAS(facility, JL_FACILITY_IT_POWER) && facility->it_power_w < 0) ||
        (JL_HAS(facility, JL_FACILITY_COOLING_POWER) && facility->cooling_power_w < 0))
        return jl_fail(err, JOULIE_E_RANGE, "facility", "a value is negative or not finite");
    return 0;
}

int jl_cluster_facility(struct jl_cluster *cluster, const struct jl_cluster_facility *facility,
                        struct joulie_error *err)
{
    const struct jl_cluster_facility *old = &cluster->facility;
    const int rc = jl_cluster_check_facility(facility, err);
    if (rc < 0)
        return rc;
    const bool is_same = old->has == facility->has &&
                         old->outside_temp_c == facility->outside_temp_c &&
                         old->it_power_w == facility->it_power_w;
    cluster->facility = *facility;
    for (size_t i = 0; i < cluster->nodes.capacity && !is_same; i++) {
        struct cluster_node *node = jl_cluster_slot(&cluster->nodes, i);
        if (node != NULL)
            node->is_prediction_due = true;
    }
    for (size_t i = 0; i < cluster->racks.capacity && !is_same; i++) {
        struct cluster_rack *rack = jl_cluster_slot(&cluster->racks, i);
        if (rack != NULL)
            rack->is_due = true;
    }
    if (!is_same) {
        cluster->rackless.is_due = true;
        jl_cluster_wake_all(cluster);
    }
    return 0;
}

void jl_cluster_heartbeat(struct jl_cluster *cluster, int64_t at_ms)
{
    if (!jl_is_instant(at_ms))
        return;
    cluster->place_config.freshness.has_heartbeat = true;
    cluster->place_config.freshness.heartbeat_ms = at_ms;
}

static int check_now(int64_t now_ms, struct joulie_error *err)
{
    return jl_is_instant(now_ms) ? 0
                                 : jl_fail(err, JOULIE_E_RANGE, "now", "no clock shows this time");
}

int jl_cluster_step(struct jl_cluster *cluster, int64_t now_ms,
                    const struct jl_cluster_action **out_actions, size_t *out_count,
                    struct joulie_error *err)
{
    int rc = check_now(now_ms, err);
    if (rc < 0)
        return rc;
    cluster->first_id = cluster->next_id;
    cluster->action_count = 0;
    jl_arena_reset(&cluster->step_arena);
    jl_cluster_bury(cluster);
    jl_format_time(now_ms, cluster->step_text);
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    if (now_ms < cluster->step_ms) /* what was due may be due again */
        jl_cluster_wake_all(cluster);
    cluster->step_ms = now_ms;
    jl_cluster_check_gates(cluster, now_ms);
    jl_cluster_count_pods(cluster, now_ms);
    jl_cluster_decide(cluster, now_ms);
    rc = jl_cluster_predict(cluster, now_ms, err);
    if (rc < 0)
        return rc;
    if (jl_cluster_collect(cluster, now_ms) < 0)
        return jl_fail_memory(err);
    *out_actions = cluster->actions;
    *out_count = cluster->action_count;
    return 0;
}

void jl_cluster_get_state(const struct jl_cluster *cluster, struct jl_plan_state *out)
{
    *out = cluster->state;
}

void jl_cluster_set_state(struct jl_cluster *cluster, const struct jl_plan_state *state)
{
    cluster->state = *state;
}

const char *jl_cluster_label_key(const struct jl_cluster *cluster)
{
    return cluster->config.policy.power_profile_label;
}

const char *jl_cluster_reserved_key(const struct jl_cluster *cluster)
{
    return cluster->config.policy.reserved_label_key;
}

void jl_cluster_get_demand(const struct jl_cluster *cluster, struct jl_cluster_demand *out)
{
    *out = cluster->demand;
}

bool jl_cluster_is_empty(const struct jl_cluster *cluster)
{
    for (size_t i = 0; i < cluster->zones.capacity; i++) {
        const struct cluster_zone *zone = jl_cluster_slot(&cluster->zones, i);
        if (zone != NULL && (zone->nodes > 0 || zone->readings.has != 0))
            return false;
    }
    return cluster->nodes.count + cluster->hardware.count + cluster->twins.count +
                   cluster->pods.count + cluster->profiles.count + cluster->subjects.count +
                   cluster->racks.count ==
               0 &&
           cluster->dirty_pods == NULL;
}

/* ---- answers ---- */

int jl_cluster_score_pod(struct jl_cluster *cluster, const struct jl_pod *pod, int64_t now_ms,
                         const struct jl_cluster_score **out, size_t *out_count,
                         struct joulie_error *err)
{
    struct jl_arena *arena = &cluster->answer_arena;
    const int rc = check_now(now_ms, err);
    if (rc < 0)
        return rc;
    jl_arena_reset(arena);
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    const size_t count = cluster->known_count;
    struct jl_cluster_score *answers = JL_NEW_ARRAY(arena, count, struct jl_cluster_score);
    struct jl_candidate *candidates = JL_NEW_ARRAY(arena, count, struct jl_candidate);
    if (answers == NULL || candidates == NULL)
        return jl_fail_memory(err);
    struct jl_wire_scale scale;
    struct jl_pod_view view;
    jl_cluster_view_pod(cluster, pod, now_ms, &view, NULL);
    for (size_t i = 0; i < count; i++)
        candidates[i].node = &cluster->place[i];
    jl_cluster_score_candidates(cluster, &view, now_ms, candidates, count, &scale);
    for (size_t i = 0; i < count; i++) {
        answers[i] = (struct jl_cluster_score){
            .node_name = cluster->known[i]->name,
            .rejected = joulie_place_reject_text(candidates[i].reject),
            .score = candidates[i].score,
            .wire = jl_candidate_wire(cluster, &scale, &candidates[i], WIRE_RANGE),
            .is_known = candidates[i].is_fresh,
            .raw = candidates[i].raw,
            .headroom = candidates[i].headroom,
        };
    }
    *out = answers;
    *out_count = count;
    return 0;
}

static int by_pod_name(const void *a, const void *b, void *user)
{
    const struct jl_cluster_blocker *left = a;
    const struct jl_cluster_blocker *right = b;
    (void)user;
    const int order = jl_compare(left->name_space, right->name_space);
    return order != 0 ? order : jl_compare(left->name, right->name);
}

static int list_blockers(struct jl_cluster *cluster, const struct cluster_node *node,
                         struct jl_cluster_explanation *out)
{
    struct jl_cluster_blocker *blockers = JL_NEW_ARRAY(
        &cluster->answer_arena, (size_t)node->load.blockers, struct jl_cluster_blocker);
    size_t count = 0;
    if (blockers == NULL)
        return JOULIE_E_NOMEM;
    for (const struct cluster_pod *pod = node->pods; pod != NULL; pod = pod->next) {
        if (pod->why != JL_BLOCKER_NONE)
            blockers[count++] = (struct jl_cluster_blocker){ pod->value.meta.name_space,
                                                             pod->value.meta.name, pod->why };
    }
    out->blockers = blockers;
    out->blocker_count = count;
    return jl_sort(blockers, count, sizeof *blockers, by_pod_name, NULL);
}

/* Without the time that an action put into it. */
static const struct jl_twin_status *current_status(struct jl_cluster *cluster,
                                                   struct cluster_node *node)
{
    struct jl_twin_status *status = JL_NEW(&cluster->answer_arena, struct jl_twin_status);
    if (status == NULL)
        return NULL;
    *status = *jl_cluster_status_of(node);
    status->given.last_updated = false;
    return status;
}

int jl_cluster_explain(struct jl_cluster *cluster, const char *node_name,
                       struct jl_cluster_explanation *out, struct joulie_error *err)
{
    struct cluster_node *node = jl_cluster_find(&cluster->nodes, node_name);
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_REQUIRED, "node", "there is no such node");
    jl_arena_reset(&cluster->answer_arena);
    *out = (struct jl_cluster_explanation){
        .node_name = node->name,
        .exclusion = node->exclusion,
        .is_managed = node->scope == SCOPE_MANAGED,
        .is_paused = node->is_paused,
        .reason = node->reason,
        .guard = node->guard,
        .density = node->density.total,
        .wanted = node->has_wanted ? &node->wanted : NULL,
        .rack = node->rack->name,
        .rack_power_w = node->rack->power_w,
    };
    if (node->has_status && (out->status = current_status(cluster, node)) == NULL)
        return jl_fail_memory(err);
    return list_blockers(cluster, node, out) == 0 ? 0 : jl_fail_memory(err);
}

static void view(struct jl_cluster *cluster, struct cluster_node *node, struct jl_cluster_view *out)
{
    const bool has_uid = node->value.meta.given.uid;
    *out = (struct jl_cluster_view){
        .node_name = node->name,
        .uid = has_uid ? node->value.meta.uid : "",
        .exclusion = node->exclusion,
        .is_managed = node->scope == SCOPE_MANAGED,
        .is_paused = node->is_paused,
        .label = node->stored_label,
        .guard = node->has_wanted ? &node->guard : NULL,
        .old_state = JOULIE_NODE_STATE_UNKNOWN,
        .density = node->density,
        .cpu_max_source = node->hardware.cpu_max_source,
        .gpu_max_source = node->hardware.gpu_max_source,
        .wanted = node->has_wanted ? &node->wanted : NULL,
        .status = node->has_status ? jl_cluster_status_of(node) : NULL,
        .has_rack = node->rack->name != NULL,
        .rack_power_w = node->rack->power_w,
        .ledger_w = jl_cluster_ledger_of(cluster, node).watts,
    };
    if (node->twins != NULL)
        out->old_state = jl_state_of(node->past.profile, node->past.is_draining);
}

int jl_cluster_view_at(struct jl_cluster *cluster, size_t index, struct jl_cluster_view *out)
{
    if (jl_cluster_refresh_order(cluster) < 0)
        return JOULIE_E_NOMEM;
    if (index >= cluster->known_count)
        return JOULIE_E_RANGE;
    view(cluster, cluster->known[index], out);
    return 0;
}

int jl_cluster_view_of(struct jl_cluster *cluster, const char *node_name,
                       struct jl_cluster_view *out)
{
    struct cluster_node *node = jl_cluster_find(&cluster->nodes, node_name);
    if (node == NULL || !node->is_known)
        return JOULIE_E_REQUIRED;
    view(cluster, node, out);
    return 0;
}
