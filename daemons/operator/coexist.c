/* SPDX-License-Identifier: Apache-2.0 */

/* Whether another operator is at work (docs/rules/programs.md#another-operator), by Deployments in
 * a timer; which nodes somebody else writes (#another-writer), as twins come in. */

#include "operator/coexist.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/managers.h"
#include "runtime/json.h"

#define CHECK_MS (INT64_C(10) * 60 * 1000) /* between lists of Deployments, wall time */
#define RECHECK_MS (INT64_C(60) * 1000)    /* while there is one */

static const char *const queries[] = {
    "labelSelector=app.kubernetes.io%2Fname%3Djoulie",
    "fieldSelector=metadata.name%3Djoulie-operator",
};

/* ---- nodes whose twin somebody else writes ---- */

struct held { /* a node */
    char *node_name;
    char *twin; /* name of the object */
    char *who;
    bool is_reported;
};

static struct held *find(const struct jd_coexist *coexist, const char *node_name)
{
    size_t at = 0;
    return jl_index_get(&coexist->held, node_name, &at) ? (struct held *)at : NULL;
}

static void drop(struct held *held)
{
    if (!held)
        return;
    jl_free(held->node_name);
    jl_free(held->twin);
    jl_free(held->who);
    jl_free(held);
}

static void release(struct jd_coexist *coexist, struct held *held)
{
    if (held->is_reported)
        jd_log(coexist->shared->log, JOULIE_LOG_LEVEL_INFO, "coexist",
               "the NodeTwin of %s is ours again", held->node_name);
    coexist->unreported -= !held->is_reported;
    jl_index_remove(&coexist->held, held->node_name);
    drop(held);
}

/* Memory that runs out: the twin comes in again, and what is written until then is one patch. */
static void hold(struct jd_coexist *coexist, const char *node_name, const char *twin,
                 const char *who)
{
    struct held *held = find(coexist, node_name);
    if (held && jl_same(held->who, who) && jl_same(held->twin, twin))
        return;
    if (held)
        release(coexist, held);
    held = jl_calloc(1, sizeof *held);
    if (!held)
        return;
    *held = (struct held){ .node_name = jl_strdup(node_name),
                           .twin = jl_strdup(twin),
                           .who = jl_strdup(who) };
    if (held->node_name && held->twin && held->who &&
        jl_index_set(&coexist->held, held->node_name, (size_t)held) == 0)
        coexist->unreported++;
    else
        drop(held);
}

static struct held *in_slot(const struct jd_coexist *coexist, size_t i)
{
    const struct jl_index_slot *slot = &coexist->held.slots[i];
    return jl_is_empty(slot->name) ? NULL : (struct held *)slot->value;
}

void jd_coexist_forget(struct jd_coexist *coexist, const char *twin)
{
    for (size_t i = 0; i < coexist->held.capacity; i++) {
        struct held *held = in_slot(coexist, i);
        if (held && jl_same(held->twin, twin))
            release(coexist, held);
    }
}

void jd_coexist_check(struct jd_coexist *coexist, const char *text, size_t len)
{
    const bool is_foreign = jd_names_foreign_manager(text, len);
    if (!is_foreign && coexist->held.count == 0)
        return; /* most twins, most of the time */
    JL_CLEANUP(jd_json_freep) struct json_object *twin = jd_json_parse(text, len);
    const char *node_name = jd_json_word(twin, "spec.nodeName");
    const char *name = jd_json_word(twin, "metadata.name");
    const char *who = is_foreign ? jd_foreign_manager(twin) : NULL;
    struct held *held = find(coexist, node_name);
    if (who && node_name[0])
        hold(coexist, node_name, name, who);
    else if (held && jl_same(held->twin, name))
        release(coexist, held);
}

const char *jd_coexist_writer(const struct jd_coexist *coexist, const char *node_name)
{
    const struct held *held = coexist->held.count > 0 ? find(coexist, node_name) : NULL;
    return held ? held->who : NULL;
}

size_t jd_coexist_count(const struct jd_coexist *coexist)
{
    return coexist->held.count;
}

void jd_coexist_report(struct jd_coexist *coexist,
                       void (*report)(void *user, const char *node_name, const char *twin,
                                      const char *who),
                       void *user)
{
    for (size_t i = 0; i < coexist->held.capacity && coexist->unreported > 0; i++) {
        struct held *held = in_slot(coexist, i);
        if (!held || held->is_reported)
            continue;
        held->is_reported = true;
        coexist->unreported--;
        report(user, held->node_name, held->twin, held->who);
    }
}

/* ---- Deployments ---- */

/* NAME-HASH-HASH: neither hash has a '-', a name may have some. */
static bool is_pod_of(const char *pod, const char *deployment)
{
    const size_t len = strlen(deployment);
    if (jl_is_empty(pod) || strncmp(pod, deployment, len) != 0 || pod[len] != '-')
        return false;
    const char *second = strchr(pod + len + 1, '-');
    return second && !strchr(second + 1, '-');
}

static bool is_own(struct json_object *meta, const struct jd_operator_values *own)
{
    const char *name = jd_json_word(meta, "name");
    return jl_same(jd_json_word(meta, "namespace"), own->name_space) &&
           (jl_same(name, own->deployment_name) || is_pod_of(own->pod_name, name));
}

static bool is_operator(struct json_object *meta)
{
    const char *component = jd_json_label(meta, "labels", "app.kubernetes.io/component");
    if (jl_same(jd_json_word(meta, "name"), "joulie-operator"))
        return true;
    return jl_same(jd_json_label(meta, "labels", "app.kubernetes.io/name"), "joulie") &&
           (jl_is_empty(component) || jl_same(component, "operator"));
}

/* A Deployment of a list that is another operator: its name into out, which is else left alone. */
static void find_deployment(const char *text, size_t len, const struct jd_operator_values *own,
                            char *out, size_t size)
{
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(text, len);
    struct json_object *items = jd_json_at(root, "items");
    for (size_t i = 0; i < jd_json_count(items); i++) {
        struct json_object *item = json_object_array_get_idx(items, i);
        struct json_object *meta = jd_json_at(item, "metadata");
        if (json_object_get_int64(jd_json_at(item, "status.readyReplicas")) > 0 &&
            is_operator(meta) && !is_own(meta, own))
            snprintf(out, size, "Deployment %.60s/%.60s is running",
                     jd_json_word(meta, "namespace"), jd_json_word(meta, "name"));
    }
}

static void end_list(struct jd_coexist *coexist)
{
    const bool is_news = !coexist->is_known;
    memcpy(coexist->running, coexist->deployment, sizeof coexist->running);
    coexist->is_known = true;
    jd_timer_set(coexist->shared->loop, &coexist->timer,
                 jd_clock_ms() + (coexist->running[0] ? RECHECK_MS : CHECK_MS));
    if (is_news)
        coexist->on_known(coexist->user);
}

static void on_done(void *user, const struct jd_answer *answer)
{
    struct jd_coexist *coexist = user;
    const bool is_refused = answer->code == 403;
    if (jd_answer_is_good(answer))
        find_deployment(answer->body, answer->len, coexist->shared->values, coexist->deployment,
                        sizeof coexist->deployment);
    else if (is_refused && !coexist->is_refused)
        jd_log(coexist->shared->log, JOULIE_LOG_LEVEL_WARN, "coexist",
               "Deployments cannot be listed (%s): whether another operator runs is unknown",
               answer->message);
    else if (!is_refused && answer->code != 404 &&
             coexist->deployment[0] == '\0') /* what the other list found counts */
        memcpy(coexist->deployment, coexist->running, sizeof coexist->deployment);
    coexist->is_refused |= is_refused;
    if (--coexist->waiting == 0)
        end_list(coexist);
}

static void list(void *user)
{
    struct jd_coexist *coexist = user;
    coexist->deployment[0] = '\0';
    for (size_t i = 0; i < JL_COUNT(queries); i++) {
        const struct jd_kube_call call = {
            .method = "GET",
            .resource = &jd_deployments,
            .query = queries[i],
            .priority = JD_PRIORITY_READ,
            .on_done = on_done,
            .user = coexist,
        };
        coexist->waiting += jd_kube_start(coexist->shared->kube, &call, NULL) == 0;
    }
    if (coexist->waiting == 0)
        end_list(coexist);
}

int jd_coexist_open(struct jd_coexist *coexist, const struct jd_shared *shared,
                    void (*on_known)(void *user), void *user, struct joulie_error *err)
{
    coexist->shared = shared;
    coexist->on_known = on_known;
    coexist->user = user;
    coexist->timer = (struct jd_timer){ .fire = list, .user = coexist };
    return jd_timer_set(shared->loop, &coexist->timer, jd_clock_ms()) == 0 ? 0
                                                                           : jl_fail_memory(err);
}

void jd_coexist_close(struct jd_coexist *coexist)
{
    if (coexist->shared)
        jd_timer_stop(coexist->shared->loop, &coexist->timer);
    for (size_t i = 0; i < coexist->held.capacity; i++)
        drop(in_slot(coexist, i));
    jl_index_clear(&coexist->held);
}

/* ---- what follows ---- */

const char *jd_coexist_problem(const struct jd_coexist *coexist)
{
    return coexist->running[0] ? coexist->running : NULL;
}

const char *jd_coexist_news(struct jd_coexist *coexist)
{
    const char *problem = jd_coexist_problem(coexist);
    if ((problem != NULL) == coexist->has_reported)
        return NULL;
    coexist->has_reported = problem != NULL;
    if (problem)
        jd_log(coexist->shared->log, JOULIE_LOG_LEVEL_ERROR, "coexist", "%s: nothing is written",
               problem);
    else
        jd_log(coexist->shared->log, JOULIE_LOG_LEVEL_INFO, "coexist",
               "no other operator any more: writing");
    return problem;
}
