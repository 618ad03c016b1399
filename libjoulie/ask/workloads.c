/* SPDX-License-Identifier: Apache-2.0 */

/* classify.workloads: what is written of the workloads of a cluster, from its objects and the
 * replies of Prometheus (docs/rules/classification.md#profiles-of-a-cluster), by the model that the
 * operator has. */

#include <string.h>

#include "ask/ask.h"
#include "base/buffer.h"
#include "base/error.h"
#include "cluster/model.h"
#include "schema/encode.h"

#define RECORD workloads_replies
#define MEMBERS                                                                          \
    RAW(cpu, "cpu", "CPU use, cores.")                                                   \
    RAW(coverage, "coverage", "Tenths of the window that have samples.")                 \
    RAW(memory, "memory", "Working set, bytes.")                                         \
    RAW(gpu, "gpu", "GPU utilisation, percent.")                                         \
    RAW(gpu_memory, "gpu-memory", "Utilisation of the GPU's memory interface, percent.") \
    RAW(package_energy, "package-energy", "CPU package power, watts.")                   \
    RAW(dram_energy, "dram-energy", "DRAM power, watts.")                                \
    RAW(gpu_energy, "gpu-energy", "GPU power, watts.")
#include "schema/record.h"

#define RECORD workloads_owner
#define ABOUT .flags = JL_OPEN
#define MEMBERS                                 \
    STRING(kind, "kind", "Kind of the object.") \
    OBJECT(meta, "metadata", jl_meta, "Of the object.")
#include "schema/record.h"

#define RECORD classify_workloads_in
#define MEMBERS                                                                                  \
    LIST(nodes, "nodes", jl_node, "Nodes.")                                                      \
    LIST(hardware, "hardware", jl_node_hardware, "NodeHardware.")                                \
    LIST(pods, "pods", jl_pod, "Pods.")                                                          \
    LIST(profiles, "profiles", jl_workload_profile, "WorkloadProfiles that are stored.")         \
    LIST(owners, "owners", workloads_owner,                                                      \
         "ReplicaSets, Jobs and other owners; absent: they cannot be read.")                     \
    OBJECT(                                                                                      \
        replies, "replies", workloads_replies,                                                   \
        "Replies of Prometheus by query, an absent one is an empty vector; absent: there is no " \
        "window.")                                                                               \
    OBJECT(config, "config", jl_classifier_config, "Settings.")                                  \
    TIME(lonely_ms, "lonelySince", "Since when workloads without pods have none; now.")          \
    TIME(now_ms, "now", "Instant of the decision.", REQUIRED)
#include "schema/record.h"

#define RECORD workloads_action
#define MEMBERS                                                                      \
    STRING(verb, "verb", "create, patch or delete.")                                 \
    STRING(name_space, "namespace", "Namespace of the profile.")                     \
    STRING(name, "name", "Name of the profile.")                                     \
    STRING(subresource, "subresource", "status, where it is that which is written.") \
    RAW(body, "body", "Body of the request.")
#include "schema/record.h"

#define RECORD classify_workloads_out
#define MEMBERS                                                                        \
    LIST(actions, "actions", workloads_action, "What is written.")                     \
    INTEGER(workloads, "workloads", "Workloads with pods that count.")                 \
    INTEGER(measured, "measured", "Those classified by a whole window.")               \
    INTEGER(reliable, "reliable", "Those with a stored profile of enough confidence.") \
    INTEGER(foreign, "foreign", "Those that somebody else wrote a profile of.")        \
    STRING(problem, "problem", "Why there is no window.")
#include "schema/record.h"

/* ---- the model ---- */

#define PUT_ALL(list, tag, put)                          \
    for (size_t i = 0; rc == 0 && i < (list).count; i++) \
    rc = put(cluster, JL_ITEM(list, tag, i), ask->err)

static int fill(struct jl_ask *ask, const struct classify_workloads_in *in,
                struct joulie_cluster *cluster)
{
    int rc = 0;
    PUT_ALL(in->nodes, jl_node, jl_cluster_put_node);
    PUT_ALL(in->hardware, jl_node_hardware, jl_cluster_put_hardware);
    PUT_ALL(in->pods, jl_pod, jl_cluster_put_pod);
    PUT_ALL(in->profiles, jl_workload_profile, jl_cluster_put_profile);
    return rc;
}

static int make(struct jl_ask *ask, const struct classify_workloads_in *in,
                struct joulie_cluster **out)
{
    struct jl_cluster_config config = { .has = 0 };
    JL_SET(&config, classifier, in->config);
    JL_SET(&config.policy, node_selector, "");
    config.given.policy = true;
    return jl_cluster_make(&config, out, ask->err);
}

/* ---- the window ---- */

#define EMPTY "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}"

static int answer(struct jl_ask *ask, const struct workloads_replies *replies,
                  struct joulie_cluster *cluster, size_t queries, const char **out_problem)
{
    const struct jl_raw *const all[] = { &replies->cpu,         &replies->coverage,
                                         &replies->memory,      &replies->gpu,
                                         &replies->gpu_memory,  &replies->package_energy,
                                         &replies->dram_energy, &replies->gpu_energy };
    for (size_t i = 0; i < queries && i < JL_COUNT(all); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const bool is_given = all[i]->len > 0;
        const int rc =
            joulie_cluster_workloads_reply(cluster, i, 200, is_given ? all[i]->text : EMPTY,
                                           is_given ? all[i]->len : sizeof EMPTY - 1, &err);
        if (rc == JOULIE_E_NOMEM)
            return jl_fail_memory(ask->err);
        if (rc < 0 && *out_problem == NULL)
            *out_problem = jl_arena_string(ask->arena, err.message);
    }
    return 0;
}

/* ---- owners ---- */

static const struct workloads_owner *find_owner(const struct classify_workloads_in *in,
                                                const struct joulie_cluster_action *action)
{
    for (size_t i = 0; i < in->owners.count; i++) {
        const struct workloads_owner *owner = JL_ITEM(in->owners, workloads_owner, i);
        if (jl_same(owner->kind, action->kind) && jl_same(owner->meta.name, action->name) &&
            jl_same(owner->meta.name_space, action->name_space))
            return owner;
    }
    return NULL;
}

static int tell(struct joulie_cluster *cluster, const struct classify_workloads_in *in,
                const struct joulie_cluster_action *action, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct workloads_owner *owner = find_owner(in, action);
    const enum joulie_action_outcome outcome = owner != NULL      ? JOULIE_OUTCOME_APPLIED
                                               : in->given.owners ? JOULIE_OUTCOME_GONE
                                                                  : JOULIE_OUTCOME_FAILED;
    if (owner != NULL)
        jl_encode(&text, &workloads_owner_table, owner);
    return text.is_failed ? jl_fail_memory(err)
                          : joulie_cluster_workload_action_done(cluster, action->id, outcome,
                                                                text.data, text.len, err);
}

static int tell_all(struct joulie_cluster *cluster, const struct classify_workloads_in *in,
                    size_t count, bool *out_has_read, struct joulie_error *err)
{
    struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
    int rc = 0;
    *out_has_read = false;
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = joulie_cluster_workload_action_at(cluster, i, &action, err);
        if (rc < 0 || action.verb != JOULIE_ACTION_READ)
            continue;
        *out_has_read = true;
        rc = tell(cluster, in, &action, err);
    }
    return rc;
}

/* ---- the answer ---- */

static const char *verb_of(enum joulie_action_verb verb)
{
    return verb == JOULIE_ACTION_CREATE  ? "create"
           : verb == JOULIE_ACTION_PATCH ? "patch"
                                         : "delete";
}

static int put_actions(struct jl_ask *ask, struct joulie_cluster *cluster, size_t count,
                       struct jl_list *out)
{
    struct workloads_action *items = JL_NEW_ARRAY(ask->arena, count + 1, struct workloads_action);
    *out = (struct jl_list){ .items = items };
    for (size_t i = 0; items != NULL && i < count; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        const char *body = "";
        if (joulie_cluster_workload_action_at(cluster, i, &action, ask->err) < 0 ||
            joulie_cluster_workload_action_body(cluster, action.id, &body, ask->err) < 0)
            return JOULIE_E_RANGE;
        if (action.verb == JOULIE_ACTION_READ)
            continue;
        struct workloads_action *item = &items[out->count++];
        JL_SET(item, verb, verb_of(action.verb));
        JL_SET(item, name_space, jl_arena_string(ask->arena, action.name_space));
        JL_SET(item, name, jl_arena_string(ask->arena, action.name));
        JL_SET_IF(item, subresource, action.subresource[0] != '\0', action.subresource);
        const struct jl_raw raw = { .text = jl_arena_string(ask->arena, body),
                                    .len = strlen(body) };
        JL_SET_IF(item, body, raw.len > 0, raw);
    }
    return items != NULL && !ask->arena->is_failed ? 0 : jl_fail_memory(ask->err);
}

static int decide(struct jl_ask *ask, const struct classify_workloads_in *in,
                  struct joulie_cluster *cluster, struct classify_workloads_out *out)
{
    struct joulie_cluster_workloads found = JOULIE_INIT(struct joulie_cluster_workloads);
    const char *problem = NULL;
    size_t queries = 0;
    bool has_read = true;
    int rc = 0;
    if (in->given.lonely_ms)
        rc = joulie_cluster_workloads_decide(cluster, in->lonely_ms, &found, ask->err);
    if (rc == 0)
        rc = joulie_cluster_workloads_begin(cluster, in->now_ms, &queries, ask->err);
    if (rc == 0 && in->given.replies)
        rc = answer(ask, &in->replies, cluster, queries, &problem);
    for (int pass = 0; rc == 0 && has_read && pass < 2; pass++) {
        rc = joulie_cluster_workloads_decide(cluster, in->now_ms, &found, ask->err);
        if (rc == 0)
            rc = tell_all(cluster, in, found.actions, &has_read, ask->err);
    }
    if (rc < 0)
        return rc;
    JL_SET(out, workloads, (int64_t)found.workloads);
    JL_SET(out, measured, (int64_t)found.measured);
    JL_SET(out, reliable, (int64_t)found.reliable);
    JL_SET(out, foreign, (int64_t)found.foreign);
    JL_SET_IF(out, problem, problem != NULL, problem);
    out->given.actions = true;
    return put_actions(ask, cluster, found.actions, &out->actions);
}

static int answer_classify_workloads(struct jl_ask *ask, const struct classify_workloads_in *in,
                                     struct classify_workloads_out *out)
{
    struct joulie_cluster *cluster = NULL;
    int rc = make(ask, in, &cluster);
    if (rc == 0)
        rc = fill(ask, in, cluster);
    if (rc == 0)
        rc = decide(ask, in, cluster, out);
    joulie_cluster_free(cluster);
    return rc;
}

JL_QUESTION(classify_workloads, "classify.workloads",
            "what is written of the workloads of a cluster, from its objects and Prometheus");
