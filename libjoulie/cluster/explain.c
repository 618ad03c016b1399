/* SPDX-License-Identifier: Apache-2.0 */

/* Why a node is what it is, by the last step: joulie_cluster_explain(). */

#include "base/error.h"
#include "base/sort.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "schema/encode.h"

static int by_pod_name(const void *a, const void *b, void *user)
{
    const struct jl_cluster_blocker *left = a;
    const struct jl_cluster_blocker *right = b;
    (void)user;
    const int order = jl_compare(left->name_space, right->name_space);
    return order != 0 ? order : jl_compare(left->name, right->name);
}

static int list_blockers(struct joulie_cluster *cluster, const struct cluster_node *node,
                         struct jl_cluster_reasons *out)
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
static const struct jl_twin_status *current_status(struct joulie_cluster *cluster,
                                                   struct cluster_node *node)
{
    struct jl_twin_status *status = JL_NEW(&cluster->answer_arena, struct jl_twin_status);
    if (status == NULL)
        return NULL;
    *status = *jl_cluster_status_of(node);
    status->given.last_updated = false;
    return status;
}

int jl_cluster_reasons_of(struct joulie_cluster *cluster, const char *node_name,
                          struct jl_cluster_reasons *out, struct joulie_error *err)
{
    struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, node_name);
    if (node == NULL || !node->is_known)
        return jl_fail(err, JOULIE_E_NOT_FOUND, "node", "there is no such node");
    static const struct jl_gpu_limit no_limit = { .reason = JL_LIMIT_NO_REASON };
    jl_arena_reset(&cluster->answer_arena);
    *out = (struct jl_cluster_reasons){
        .node_name = node->name,
        .exclusion = node->exclusion,
        .is_managed = node->scope == SCOPE_MANAGED,
        .is_paused = node->is_paused,
        .reason = node->reason,
        .limit = node->scope == SCOPE_MANAGED ? node->limit : no_limit,
        .guard = node->guard,
        .density = node->density.total,
        .power = node->power.record,
        .power_action = jl_cluster_power_action(&node->power),
        .wanted = node->has_wanted ? &node->wanted : NULL,
        .rack = node->rack->name,
        .rack_power_w = node->rack->power_w,
    };
    if (node->power.has_next || node->power.is_given_up) {
        out->power_reason = node->power.next.reason;
        out->power_text = jl_power_text(&node->power.record, &node->power.next);
    }
    if (node->has_status && (out->status = current_status(cluster, node)) == NULL)
        return jl_fail_memory(err);
    return list_blockers(cluster, node, out) == 0 ? 0 : jl_fail_memory(err);
}

#define RECORD why_blocker
#define MEMBERS                                       \
    STRING(name_space, "namespace", "Its namespace.") \
    STRING(name, "name", "Its name.")                 \
    ENUM(why, "why", jl_blocker_why, jl_blocker_words, "What it keeps the node from.")
#include "schema/record.h"

#define RECORD why_power
#define MEMBERS                                                                              \
    ENUM(state, "state", jl_power_state, jl_power_state_words, "State, as its Node has it.") \
    STRING(since, "since", "Since when, RFC 3339.")                                          \
    INTEGER(failures, "failures", "Failures in a row.")                                      \
    ENUM(action, "action", jl_power_action, jl_power_action_words,                           \
         "What power_off_v1 decided last, whether it was done or not.")                      \
    ENUM(reason, "reason", jl_power_reason, jl_power_reason_words, "Why.")                   \
    STRING(text, "text", "The same for a person, or what cannot be read.")
#include "schema/record.h"

#define RECORD why
#define MEMBERS                                                                           \
    STRING(node_name, "nodeName", "Name of the node.")                                    \
    STRING(scope, "scope", "Whether a policy decides about it.")                          \
    BOOLEAN(paused, "paused", "Whether nothing is decided now.")                          \
    ENUM(profile, "profile", joulie_profile, jl_profile_words, "Profile that is wanted.") \
    BOOLEAN(draining, "draining", "Whether it is emptied.")                               \
    ENUM(state, "state", joulie_node_state, jl_node_state_words, "State of the node.")    \
    STRINGS(reasons, "reasons", "Why, for a person.")                                     \
    NUMBER(density, "density", "Its place in the order of nodes.")                        \
    LIST(blockers, "blockers", why_blocker, "Pods that keep it from eco caps.")           \
    OBJECT(power, "power", why_power, "Whether it is switched off.")                      \
    OBJECT(gpu_limit, "gpuLimit", jl_limit_report, "How its GPU cap comes about.")        \
    OBJECT(spec, "spec", jl_twin_spec, "What is written.")                                \
    OBJECT(status, "status", jl_twin_status, "What was computed last.")                   \
    STRING(rack, "rack", "Its rack.")                                                     \
    NUMBER(rack_power_w, "rackPowerW", "Power of that rack, W.")
#include "schema/record.h"

static const char *scope_word(const struct jl_cluster_reasons *node)
{
    const char *word = jl_word_of(&jl_exclusion_words, (int)node->exclusion);
    return word != NULL ? word : "managed";
}

static int put_why_lists(struct jl_arena *arena, const struct jl_cluster_reasons *node,
                         struct why *out)
{
    struct why_blocker *blockers = JL_NEW_ARRAY(arena, node->blocker_count, struct why_blocker);
    const char **reasons = JL_NEW_ARRAY(arena, 2, const char *);
    size_t count = 0;
    if (blockers == NULL || reasons == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < node->blocker_count; i++) {
        if (node->blockers[i].name_space != NULL)
            JL_SET(&blockers[i], name_space, node->blockers[i].name_space);
        JL_SET(&blockers[i], name, node->blockers[i].name);
        JL_SET(&blockers[i], why, node->blockers[i].why);
    }
    if (node->is_managed)
        reasons[count++] = jl_plan_reason_text(node->reason);
    if (node->limit.reason != JL_LIMIT_NO_REASON)
        reasons[count++] = jl_limit_text(node->limit.reason);
    JL_SET(out, reasons, ((struct jl_list){ reasons, count }));
    JL_SET(out, blockers, ((struct jl_list){ blockers, node->blocker_count }));
    return 0;
}

/* Nothing of a node that is on and stays on. */
static int put_power(struct jl_arena *arena, const struct jl_cluster_reasons *node, struct why *out)
{
    const struct jl_power_record *record = &node->power;
    const bool is_on = record->state == JL_POWER_ON;
    const enum jl_power_reason reason =
        node->power_text != NULL ? node->power_reason : record->reason;
    struct why_power *power = &out->power;
    char since[JL_TIME_TEXT];
    out->given.power = !is_on || node->power_text != NULL || record->failures > 0;
    if (record->state != JL_POWER_UNKNOWN)
        JL_SET(power, state, record->state);
    if (record->failures > 0)
        JL_SET(power, failures, record->failures);
    if (node->power_action != JL_POWER_NOTHING)
        JL_SET(power, action, node->power_action);
    if (reason != JL_POWER_NO_REASON)
        JL_SET(power, reason, reason);
    const char *text = record->fault != NULL ? record->fault : node->power_text;
    if (text != NULL)
        JL_SET(power, text, text);
    if (is_on || record->state == JL_POWER_UNKNOWN)
        return 0;
    jl_format_time(record->since_ms, since);
    JL_SET(power, since, jl_arena_string(arena, since));
    return power->since != NULL ? 0 : JOULIE_E_NOMEM;
}

static void put_why(const struct jl_cluster_reasons *node, struct why *out)
{
    JL_SET(out, node_name, node->node_name);
    JL_SET(out, scope, scope_word(node));
    JL_SET(out, density, node->density);
    if (node->is_paused)
        JL_SET(out, paused, true);
    if (node->is_managed && node->wanted != NULL) {
        JL_SET(out, profile, node->guard.profile);
        JL_SET(out, draining, node->guard.is_draining);
        JL_SET(out, state, node->guard.state);
        JL_SET(out, spec, *node->wanted);
    }
    out->given.gpu_limit = node->limit.reason != JL_LIMIT_NO_REASON;
    jl_limit_report_of(&node->limit, &out->gpu_limit);
    if (node->status != NULL)
        JL_SET(out, status, *node->status);
    if (node->rack != NULL) {
        JL_SET(out, rack, node->rack);
        JL_SET(out, rack_power_w, node->rack_power_w);
    }
}

int joulie_cluster_explain(struct joulie_cluster *cluster, const char *node_name, char **json,
                           struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_cluster_reasons node;
    struct why why = { 0 };
    const int rc = jl_cluster_reasons_of(cluster, node_name, &node, err);
    if (rc < 0)
        return rc;
    node.power.since_ms = jl_wall_at(&cluster->wall, node.power.since_ms);
    put_why(&node, &why);
    if (put_why_lists(&arena, &node, &why) < 0 || put_power(&arena, &node, &why) < 0)
        return jl_fail_memory(err);
    jl_encode(&buffer, &why_table, &why);
    return jl_hand_out(&buffer, json, err);
}
