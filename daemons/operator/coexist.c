/* SPDX-License-Identifier: Apache-2.0 */

/* Whether another operator is at work (docs/rules/programs.md#another-operator): Deployments in a
 * timer, foreign writes as twins come in. */

#include "operator/coexist.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define FOREIGN_MS (INT64_C(10) * 60 * 1000) /* how long a write of somebody else counts */
#define CHECK_MS (INT64_C(10) * 60 * 1000)   /* between lists of Deployments, wall time */
#define RECHECK_MS (INT64_C(60) * 1000)      /* while there is one */

enum { HTTP_FORBIDDEN = 403, HTTP_NOT_FOUND = 404 };

static const char *const queries[] = {
    "labelSelector=app.kubernetes.io%2Fname%3Djoulie",
    "fieldSelector=metadata.name%3Djoulie-operator",
};

void jd_coexist_check(struct jd_coexist *coexist, const char *text, size_t len)
{
    char who[sizeof coexist->foreign];
    int64_t at_ms = 0;
    if (!jd_find_foreign(text, len, who, sizeof who, &at_ms) || at_ms <= coexist->foreign_ms)
        return;
    coexist->foreign_ms = at_ms;
    memcpy(coexist->foreign, who, sizeof who);
}

/* ---- Deployments ---- */

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
    const struct jd_operator_values *values = coexist->shared->values;
    const struct jd_own_names own = { values->name_space, values->deployment_name,
                                      values->pod_name };
    if (answer->code >= 200 && answer->code <= 299)
        jd_find_deployment(answer->body, answer->len, &own, coexist->deployment,
                           sizeof coexist->deployment);
    else if (answer->code == HTTP_FORBIDDEN && !coexist->is_refused)
        jd_log(coexist->shared->log, JOULIE_LOG_LEVEL_WARN, "coexist",
               "Deployments cannot be listed (%s): whether another operator runs is unknown",
               answer->message);
    else if (answer->code != HTTP_NOT_FOUND && answer->code != HTTP_FORBIDDEN &&
             coexist->deployment[0] == '\0') /* what the other list found counts */
        memcpy(coexist->deployment, coexist->running, sizeof coexist->deployment);
    coexist->is_refused = coexist->is_refused || answer->code == HTTP_FORBIDDEN;
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
    return coexist->foreign_ms > 0 &&
                   jd_policy_now_ms(coexist->shared->clock) - coexist->foreign_ms <= FOREIGN_MS
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
