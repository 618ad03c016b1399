/* SPDX-License-Identifier: Apache-2.0 */

/* The Lease that keeps twins fresh (docs/rules/programs.md#heartbeat): renewed by an alarm,
 * created where it is missing. */

#include "operator/heartbeat.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/time.h"
#include "operator/metrics.h"
#include "operator/operator.h"

#define LEASE "joulie-heartbeat"
#define US_PER_MS 1000

enum { HTTP_NOT_FOUND = 404 };

static void put_member(struct jl_buffer *out, const char *before, const char *text)
{
    jl_put_string(out, before);
    jl_put_json_string(out, text, strlen(text));
}

/* spec.renewTime is a MicroTime (six decimals of a second). */
static void put_spec(const struct jd_operator *op, struct jl_buffer *out)
{
    char time[JL_TIME_TEXT];
    jl_format_time_us(op->heartbeat.beat_ms * US_PER_MS, time);
    put_member(out, "\"spec\":{\"holderIdentity\":", op->heartbeat.holder);
    put_member(out, ",\"renewTime\":", time);
    jl_put_char(out, '}');
}

static void finish(struct jd_operator *op, const struct jd_answer *answer)
{
    struct jd_heartbeat *heartbeat = &op->heartbeat;
    const bool is_good = answer && answer->code >= 200 && answer->code <= 299;
    heartbeat->is_in_flight = false;
    if (is_good) {
        joulie_cluster_heartbeat(op->cluster, heartbeat->beat_ms);
    } else {
        jd_count_error(op, JD_ERROR_API);
        if (!heartbeat->is_bad)
            jd_log(&op->log, JOULIE_HOST_LEVEL_WARN, "heartbeat",
                   "the Lease %s cannot be renewed: %s", LEASE,
                   answer ? answer->message : "memory ran out");
    }
    if (is_good && heartbeat->is_bad)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "heartbeat", "the Lease %s is renewed again",
               LEASE);
    heartbeat->is_bad = !is_good;
    jd_clock_release(op->clock);
    jd_step_check(op);
}

static void send(struct jd_operator *op, const char *method, const struct jl_buffer *body,
                 void (*on_done)(void *user, const struct jd_answer *answer))
{
    const bool is_patch = jl_same(method, "PATCH");
    const struct jd_kube_call call = {
        .method = method,
        .resource = &jd_leases,
        .name_space = op->values.name_space,
        .name = is_patch ? LEASE : NULL,
        .patch = is_patch ? JD_PATCH_MERGE : JD_PATCH_NONE,
        .body = body->data,
        .len = body->len,
        .priority = JD_PRIORITY_LEASE,
        .is_exempt = true,
        .on_done = on_done,
        .user = op,
    };
    if (body->is_failed || jd_kube_start(op->kube, &call, NULL) < 0)
        finish(op, NULL);
}

static void on_created(void *user, const struct jd_answer *answer)
{
    finish(user, answer);
}

static void create(struct jd_operator *op)
{
    struct jl_buffer body = { 0 };
    put_member(&body,
               "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
               "\"name\":\"" LEASE "\",\"namespace\":",
               op->values.name_space);
    jl_put_string(&body, "},");
    put_spec(op, &body);
    jl_put_char(&body, '}');
    send(op, "POST", &body, on_created);
    jl_buffer_clear(&body);
}

static void on_renewed(void *user, const struct jd_answer *answer)
{
    if (answer->code == HTTP_NOT_FOUND)
        create(user);
    else
        finish(user, answer);
}

static void renew(struct jd_operator *op, int64_t now_ms)
{
    struct jl_buffer body = { 0 };
    op->heartbeat.beat_ms = now_ms;
    op->heartbeat.is_in_flight = true;
    jd_clock_hold(op->clock);
    jl_put_char(&body, '{');
    put_spec(op, &body);
    jl_put_char(&body, '}');
    send(op, "PATCH", &body, on_renewed);
    jl_buffer_clear(&body);
}

/* An operator that does not decide does not say that twins are fresh. */
static bool may_beat(const struct jd_operator *op)
{
    return jd_feed_has_synced(op) && jd_coexist_is_known(op) && !jd_coexist_problem(op) &&
           !op->values.dry_run && !op->is_ending;
}

void jd_heartbeat_check(struct jd_operator *op)
{
    struct jd_heartbeat *heartbeat = &op->heartbeat;
    if (!heartbeat->is_due || heartbeat->is_in_flight || !may_beat(op))
        return;
    heartbeat->is_due = false;
    renew(op, jd_policy_now_ms(op->clock));
}

static void fire(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    op->heartbeat.is_due = true;
    jd_heartbeat_check(op);
    jd_alarm_set(op->clock, &op->heartbeat.alarm, now_ms + op->values.heartbeat_interval_ms);
}

int jd_heartbeat_open(struct jd_operator *op, struct joulie_error *err)
{
    op->heartbeat.alarm = (struct jd_alarm){ .fire = fire, .user = op };
    op->heartbeat.holder =
        jl_strdup(jl_is_empty(op->values.pod_name) ? "joulie-operator" : op->values.pod_name);
    return op->heartbeat.holder ? 0 : jl_fail_memory(err);
}

void jd_heartbeat_begin(struct jd_operator *op, int64_t now_ms)
{
    if (!op->values.dry_run)
        jd_alarm_set(op->clock, &op->heartbeat.alarm, now_ms);
}

void jd_heartbeat_close(struct jd_operator *op)
{
    jl_free(op->heartbeat.holder);
    op->heartbeat.holder = NULL;
}
