/* SPDX-License-Identifier: Apache-2.0 */

/* Leases of programs (docs/rules/programs.md#heartbeat, docs/rules/twin.md#silent-agents): the
 * operator's heartbeat and the signs of life of agents are renewed here. */

#include "kube/lease.h"

#include "base/buffer.h"
#include "base/text.h"
#include "runtime/json.h"

static void put_spec(const struct jd_lease *lease, struct jl_buffer *out)
{
    jd_json_put_key(out, "spec");
    jl_put_char(out, '{');
    jd_json_put_text(out, "holderIdentity", lease->holder);
    if (lease->duration_s > 0) {
        jd_json_put_key(out, "leaseDurationSeconds");
        jl_put_i64(out, lease->duration_s);
    }
    jd_json_put_micro_time(out, "renewTime", lease->renewed_ms);
    jl_put_string(out, "}}");
}

static void finish(struct jd_lease *lease, const struct jd_answer *answer)
{
    const bool is_good = answer && jd_answer_is_good(answer);
    lease->is_in_flight = false;
    if (!is_good && !lease->is_bad)
        jd_log(lease->log, JOULIE_LOG_LEVEL_WARN, lease->component,
               "the Lease %s cannot be renewed: %s", lease->name,
               answer ? answer->message : "memory ran out");
    if (is_good && lease->is_bad)
        jd_log(lease->log, JOULIE_LOG_LEVEL_INFO, lease->component, "the Lease %s is renewed again",
               lease->name);
    lease->is_bad = !is_good;
    jd_clock_release(lease->clock);
    if (lease->on_done)
        lease->on_done(lease->user, is_good);
}

static void send(struct jd_lease *lease, const char *method, const struct jl_buffer *body,
                 void (*on_done)(void *user, const struct jd_answer *answer))
{
    const bool is_patch = jl_same(method, "PATCH");
    const struct jd_kube_call call = {
        .method = method,
        .resource = &jd_leases,
        .name_space = lease->name_space,
        .name = is_patch ? lease->name : NULL,
        .patch = is_patch ? JD_PATCH_MERGE : JD_PATCH_NONE,
        .body = body->data,
        .len = body->len,
        .priority = JD_PRIORITY_LEASE,
        .is_exempt = true,
        .on_done = on_done,
        .user = lease,
    };
    if (body->is_failed || jd_kube_start(lease->kube, &call, NULL) < 0)
        finish(lease, NULL);
}

static void on_created(void *user, const struct jd_answer *answer)
{
    finish(user, answer);
}

static void create(struct jd_lease *lease)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    jl_put_string(&body, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
                         "\"metadata\":{");
    jd_json_put_text(&body, "name", lease->name);
    jd_json_put_text(&body, "namespace", lease->name_space);
    jl_put_char(&body, '}');
    put_spec(lease, &body);
    send(lease, "POST", &body, on_created);
}

static void on_renewed(void *user, const struct jd_answer *answer)
{
    if (answer->code == 404)
        create(user);
    else
        finish(user, answer);
}

void jd_lease_renew(struct jd_lease *lease)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    if (lease->is_in_flight)
        return;
    lease->renewed_ms = jd_clock_stamp_ms(lease->clock, jd_policy_now_ms(lease->clock));
    lease->is_in_flight = true;
    jd_clock_hold(lease->clock);
    jl_put_char(&body, '{');
    put_spec(lease, &body);
    send(lease, "PATCH", &body, on_renewed);
}
