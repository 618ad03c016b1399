/* SPDX-License-Identifier: Apache-2.0 */

/* The Lease that keeps twins fresh (docs/rules/programs.md#heartbeat): renewed by an alarm,
 * created where it is missing. */

#include "operator/heartbeat.h"

#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "operator/metrics.h"
#include "runtime/json.h"

#define LEASE "joulie-heartbeat"

static void put_spec(const struct jd_heartbeat *heartbeat, struct jl_buffer *out)
{
    jd_json_put_key(out, "spec");
    jl_put_char(out, '{');
    jd_json_put_text(out, "holderIdentity", heartbeat->shared->identity);
    jd_json_put_micro_time(out, "renewTime", heartbeat->beat_ms);
    jl_put_string(out, "}}");
}

static void finish(struct jd_heartbeat *heartbeat, const struct jd_answer *answer)
{
    const struct jd_shared *shared = heartbeat->shared;
    const bool is_good = answer && jd_answer_is_good(answer);
    heartbeat->is_in_flight = false;
    if (is_good) {
        joulie_cluster_heartbeat(shared->cluster, heartbeat->beat_ms);
    } else {
        jd_count_error(shared->metrics, JD_ERROR_API);
        if (!heartbeat->is_bad)
            jd_log(shared->log, JOULIE_LOG_LEVEL_WARN, "heartbeat",
                   "the Lease %s cannot be renewed: %s", LEASE,
                   answer ? answer->message : "memory ran out");
    }
    if (is_good && heartbeat->is_bad)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, "heartbeat", "the Lease %s is renewed again",
               LEASE);
    heartbeat->is_bad = !is_good;
    jd_clock_release(shared->clock);
    heartbeat->on_done(heartbeat->user);
}

static void send(struct jd_heartbeat *heartbeat, const char *method, const struct jl_buffer *body,
                 void (*on_done)(void *user, const struct jd_answer *answer))
{
    const bool is_patch = jl_same(method, "PATCH");
    const struct jd_kube_call call = {
        .method = method,
        .resource = &jd_leases,
        .name_space = heartbeat->shared->values->name_space,
        .name = is_patch ? LEASE : NULL,
        .patch = is_patch ? JD_PATCH_MERGE : JD_PATCH_NONE,
        .body = body->data,
        .len = body->len,
        .priority = JD_PRIORITY_LEASE,
        .is_exempt = true,
        .on_done = on_done,
        .user = heartbeat,
    };
    if (body->is_failed || jd_kube_start(heartbeat->shared->kube, &call, NULL) < 0)
        finish(heartbeat, NULL);
}

static void on_created(void *user, const struct jd_answer *answer)
{
    finish(user, answer);
}

static void create(struct jd_heartbeat *heartbeat)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    jl_put_string(&body, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
                         "\"metadata\":{\"name\":\"" LEASE "\"");
    jd_json_put_text(&body, "namespace", heartbeat->shared->values->name_space);
    jl_put_char(&body, '}');
    put_spec(heartbeat, &body);
    send(heartbeat, "POST", &body, on_created);
}

static void on_renewed(void *user, const struct jd_answer *answer)
{
    if (answer->code == 404)
        create(user);
    else
        finish(user, answer);
}

static void renew(struct jd_heartbeat *heartbeat, int64_t now_ms)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    heartbeat->beat_ms = now_ms;
    heartbeat->is_in_flight = true;
    jd_clock_hold(heartbeat->shared->clock);
    jl_put_char(&body, '{');
    put_spec(heartbeat, &body);
    send(heartbeat, "PATCH", &body, on_renewed);
}

void jd_heartbeat_check(struct jd_heartbeat *heartbeat)
{
    if (!heartbeat->is_due || heartbeat->is_in_flight || !heartbeat->may_beat(heartbeat->user))
        return;
    heartbeat->is_due = false;
    renew(heartbeat, jd_policy_now_ms(heartbeat->shared->clock));
}

static void fire(void *user, int64_t now_ms)
{
    struct jd_heartbeat *heartbeat = user;
    heartbeat->is_due = true;
    jd_heartbeat_check(heartbeat);
    jd_alarm_set(heartbeat->shared->clock, &heartbeat->alarm,
                 now_ms + heartbeat->shared->values->heartbeat_interval_ms);
}

void jd_heartbeat_begin(struct jd_heartbeat *heartbeat, int64_t now_ms)
{
    heartbeat->alarm = (struct jd_alarm){ .fire = fire, .user = heartbeat };
    jd_alarm_set(heartbeat->shared->clock, &heartbeat->alarm, now_ms);
}
