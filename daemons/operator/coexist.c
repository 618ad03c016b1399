/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* memmem */

/* Whether another operator is at work (docs/rules/programs.md#another-operator): Deployments in a
 * timer, foreign writes as twins come in. */

#include "operator/coexist.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"

#define FOREIGN_MS (INT64_C(10) * 60 * 1000) /* how long a write of somebody else counts */
#define CHECK_MS (INT64_C(10) * 60 * 1000)   /* between lists of Deployments, wall time */
#define RECHECK_MS (INT64_C(60) * 1000)      /* while there is one */

static const char *const queries[] = {
    "labelSelector=app.kubernetes.io%2Fname%3Djoulie",
    "fieldSelector=metadata.name%3Djoulie-operator",
};

/* ---- who wrote an object ---- */

/* A label: its key has dots, so it is no path. */
static const char *label_of(struct json_object *meta, const char *key)
{
    struct json_object *found = NULL;
    json_object_object_get_ex(jd_json_at(meta, "labels"), key, &found);
    return json_object_is_type(found, json_type_string) ? json_object_get_string(found) : "";
}

static bool is_ours(struct jl_text manager)
{
    static const char kubectl[] = "kubectl";
    return jl_text_is(manager, "joulie-operator") || jl_text_is(manager, "joulie-agent") ||
           (manager.len >= sizeof kubectl - 1 &&
            memcmp(manager.ptr, kubectl, sizeof kubectl - 1) == 0);
}

/* Whether any manager has another name: most objects are not parsed a second time. */
static bool names_foreign(const char *text, size_t len)
{
    static const char key[] = "\"manager\":";
    const char *end = text + len;
    const char *at = memmem(text, len, key, sizeof key - 1);
    for (; at; at = memmem(at, (size_t)(end - at), key, sizeof key - 1)) {
        at += sizeof key - 1;
        struct jl_text rest = { at, (size_t)(end - at) };
        jl_text_cut(&rest, '"');
        if (!is_ours(jl_text_cut(&rest, '"')))
            return true;
    }
    return false;
}

static bool writes_spec(struct json_object *entry)
{
    return jd_json_word(entry, "subresource")[0] == '\0' && jd_json_at(entry, "fieldsV1.f:spec");
}

/* The newest write of spec fields in metadata.managedFields by somebody who is no operator, agent
 * or kubectl. false = none. */
static bool find_foreign(const char *text, size_t len, char *out_who, size_t size, int64_t *out_ms)
{
    if (!names_foreign(text, len))
        return false;
    JL_CLEANUP(jd_json_freep) struct json_object *root = jd_json_parse(text, len);
    struct json_object *entries = jd_json_at(root, "metadata.managedFields");
    bool is_found = false;
    for (size_t i = 0; i < jd_json_count(entries); i++) {
        struct json_object *entry = json_object_array_get_idx(entries, i);
        const char *manager = jd_json_word(entry, "manager");
        const char *time = jd_json_word(entry, "time");
        int64_t at_ms = 0;
        if (is_ours(jl_text(manager)) || !writes_spec(entry) ||
            jl_parse_time(time, strlen(time), &at_ms) < 0 || (is_found && at_ms <= *out_ms))
            continue;
        is_found = true;
        *out_ms = at_ms;
        snprintf(out_who, size, "%.60s wrote the spec of NodeTwin %.60s", manager,
                 jd_json_word(root, "metadata.name"));
    }
    return is_found;
}

/* The time of a write is the server's; for how long it counts must not depend on a clock that is
 * set here. A simulator's time is one for all, and may not be known yet. */
static int64_t end_of(const struct jd_clock *clock, int64_t at_ms)
{
    const int64_t age_ms = jd_policy_now_ms(clock) - at_ms;
    if (jd_clock_is_simulated(clock))
        return at_ms + FOREIGN_MS;
    return jd_policy_now_ms(clock) + FOREIGN_MS - (age_ms > 0 ? age_ms : 0);
}

void jd_coexist_check(struct jd_coexist *coexist, const char *text, size_t len)
{
    char who[sizeof coexist->foreign];
    int64_t at_ms = 0;
    if (!find_foreign(text, len, who, sizeof who, &at_ms) || at_ms <= coexist->foreign_ms)
        return;
    coexist->foreign_ms = at_ms;
    coexist->until_ms = end_of(coexist->shared->clock, at_ms);
    memcpy(coexist->foreign, who, sizeof who);
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
    const char *component = label_of(meta, "app.kubernetes.io/component");
    if (jl_same(jd_json_word(meta, "name"), "joulie-operator"))
        return true;
    return jl_same(label_of(meta, "app.kubernetes.io/name"), "joulie") &&
           (component[0] == '\0' || jl_same(component, "operator"));
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
}

/* ---- what follows ---- */

const char *jd_coexist_problem(const struct jd_coexist *coexist)
{
    if (coexist->running[0])
        return coexist->running;
    return coexist->foreign_ms > 0 && jd_policy_now_ms(coexist->shared->clock) <= coexist->until_ms
               ? coexist->foreign
               : NULL;
}

/* Once: a writer that goes on has written another twin at each check. */
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
