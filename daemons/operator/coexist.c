/* SPDX-License-Identifier: Apache-2.0 */

/* Whether another operator is at work (docs/rules/programs.md#another-operator): Deployments in a
 * timer, foreign writes as twins come in. */

#include "operator/coexist.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "operator/metrics.h"
#include "operator/operator.h"
#include "operator/report.h"

#define FOREIGN_MS (INT64_C(10) * 60 * 1000) /* how long a write of somebody else counts */
#define CHECK_MS (INT64_C(10) * 60 * 1000)   /* between lists of Deployments, wall time */
#define RECHECK_MS (INT64_C(60) * 1000)      /* while there is one */

enum { HTTP_FORBIDDEN = 403, HTTP_NOT_FOUND = 404 };

static const char *const queries[] = {
    "labelSelector=app.kubernetes.io%2Fname%3Djoulie",
    "fieldSelector=metadata.name%3Djoulie-operator",
};

void jd_coexist_check(struct jd_operator *op, const char *text, size_t len)
{
    struct jd_coexist *coexist = &op->coexist;
    char who[sizeof coexist->foreign];
    int64_t at_ms = 0;
    if (!jd_find_foreign(text, len, who, sizeof who, &at_ms) || at_ms <= coexist->foreign_ms)
        return;
    coexist->foreign_ms = at_ms;
    memcpy(coexist->foreign, who, sizeof who);
}

/* ---- Deployments ---- */

static void end_check(struct jd_operator *op)
{
    struct jd_coexist *coexist = &op->coexist;
    const bool is_news = !coexist->is_known;
    memcpy(coexist->running, coexist->deployment, sizeof coexist->running);
    coexist->is_known = true;
    jd_timer_set(&op->loop, &coexist->timer,
                 jd_clock_ms() + (coexist->running[0] ? RECHECK_MS : CHECK_MS));
    if (is_news)
        jd_step_check(op);
}

static void on_done(void *user, const struct jd_answer *answer)
{
    struct jd_operator *op = user;
    struct jd_coexist *coexist = &op->coexist;
    const struct jd_own_names own = { op->values.name_space, op->values.deployment_name,
                                      op->values.pod_name };
    if (answer->code >= 200 && answer->code <= 299)
        jd_find_deployment(answer->body, answer->len, &own, coexist->deployment,
                           sizeof coexist->deployment);
    else if (answer->code == HTTP_FORBIDDEN && !coexist->is_refused)
        jd_log(&op->log, JOULIE_HOST_LEVEL_WARN, "coexist",
               "Deployments cannot be listed (%s): whether another operator runs is unknown",
               answer->message);
    else if (answer->code != HTTP_NOT_FOUND && answer->code != HTTP_FORBIDDEN)
        memcpy(coexist->deployment, coexist->running, sizeof coexist->deployment);
    coexist->is_refused = coexist->is_refused || answer->code == HTTP_FORBIDDEN;
    if (--coexist->waiting == 0)
        end_check(op);
}

static void refresh(void *user)
{
    struct jd_operator *op = user;
    struct jd_coexist *coexist = &op->coexist;
    coexist->deployment[0] = '\0';
    for (size_t i = 0; i < JL_COUNT(queries); i++) {
        const struct jd_kube_call call = {
            .method = "GET",
            .resource = &jd_deployments,
            .query = queries[i],
            .priority = JD_PRIORITY_READ,
            .on_done = on_done,
            .user = op,
        };
        coexist->waiting += jd_kube_start(op->kube, &call, NULL) == 0;
    }
    if (coexist->waiting == 0)
        end_check(op);
}

int jd_coexist_open(struct jd_operator *op, struct joulie_error *err)
{
    op->coexist.timer = (struct jd_timer){ .fire = refresh, .user = op };
    return jd_timer_set(&op->loop, &op->coexist.timer, jd_clock_ms()) == 0 ? 0
                                                                           : jl_fail_memory(err);
}

void jd_coexist_close(struct jd_operator *op)
{
    jd_timer_stop(&op->loop, &op->coexist.timer);
}

bool jd_coexist_is_known(const struct jd_operator *op)
{
    return op->coexist.is_known;
}

/* ---- what follows ---- */

const char *jd_coexist_problem(const struct jd_operator *op)
{
    const struct jd_coexist *coexist = &op->coexist;
    if (coexist->running[0])
        return coexist->running;
    return coexist->foreign_ms > 0 &&
                   jd_policy_now_ms(op->clock) - coexist->foreign_ms <= FOREIGN_MS
               ? coexist->foreign
               : NULL;
}

/* Once: a writer that goes on has written another twin at each check. */
void jd_coexist_report(struct jd_operator *op, int64_t now_ms)
{
    struct jd_coexist *coexist = &op->coexist;
    const char *problem = jd_coexist_problem(op);
    if ((problem != NULL) == coexist->has_reported)
        return;
    coexist->has_reported = problem != NULL;
    if (problem) {
        jd_log(&op->log, JOULIE_HOST_LEVEL_ERROR, "coexist", "%s: nothing is written", problem);
        jd_report_foreign(op, problem, now_ms);
    } else {
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "coexist", "no other operator any more: writing");
    }
}
