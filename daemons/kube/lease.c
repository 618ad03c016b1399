/* SPDX-License-Identifier: Apache-2.0 */

/* Leases of programs (docs/rules/programs.md#heartbeat, docs/rules/twin.md#silent-agents): the
 * operator's heartbeat and the signs of life of agents are renewed here. */

#include "kube/lease.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"

#define US_PER_MS 1000

static void put_spec(struct jl_buffer *out, const struct jl_lease_spec *spec)
{
    jd_json_put_key(out, "spec");
    jl_put_char(out, '{');
    jd_json_put_text(out, "holderIdentity", spec->holder);
    if (spec->duration_s > 0) {
        jd_json_put_key(out, "leaseDurationSeconds");
        jl_put_i64(out, spec->duration_s);
    }
    if (spec->acquired) {
        jd_json_put_key(out, "leaseTransitions");
        jl_put_i64(out, spec->transitions);
        jd_json_put_text(out, "acquireTime", spec->acquired);
    }
    jd_json_put_text(out, "renewTime", spec->renewed);
    jl_put_string(out, "}}");
}

void jd_put_new_lease(struct jl_buffer *out, const char *name_space, const char *name,
                      const struct jl_lease_spec *spec)
{
    jl_put_string(out, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
                       "\"metadata\":{");
    jd_json_put_text(out, "name", name);
    jd_json_put_text(out, "namespace", name_space);
    jl_put_char(out, '}');
    put_spec(out, spec);
}

void jd_put_lease_patch(struct jl_buffer *out, const char *version,
                        const struct jl_lease_spec *spec)
{
    jl_put_char(out, '{');
    if (version) {
        jl_put_string(out, "\"metadata\":{");
        jd_json_put_text(out, "resourceVersion", version);
        jl_put_char(out, '}');
    }
    put_spec(out, spec);
}

static void put_body(const struct jd_lease *lease, bool is_new, struct jl_buffer *out)
{
    char renewed[JL_TIME_TEXT];
    jl_format_time_us(lease->renewed_ms * US_PER_MS, renewed);
    const struct jl_lease_spec spec = { .holder = lease->holder,
                                        .duration_s = lease->duration_s,
                                        .renewed = renewed };
    if (is_new)
        jd_put_new_lease(out, lease->name_space, lease->name, &spec);
    else
        jd_put_lease_patch(out, NULL, &spec);
}

static void finish(struct jd_lease *lease, const struct jd_answer *answer)
{
    const bool is_good = answer && jd_answer_is_good(answer);
    lease->is_in_flight = false;
    lease->problem[0] = '\0';
    if (answer && jd_answer_is_refusal(answer))
        snprintf(lease->problem, sizeof lease->problem, "the Lease %.60s: %d %.160s", lease->name,
                 answer->code, answer->message);
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
    put_body(lease, true, &body);
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
    put_body(lease, false, &body);
    send(lease, "PATCH", &body, on_renewed);
}

void jd_lease_cancel(struct jd_lease *lease)
{
    if (!lease->is_in_flight)
        return;
    jd_kube_cancel(lease->kube, lease);
    lease->is_in_flight = false;
    jd_clock_release(lease->clock);
}
