/* SPDX-License-Identifier: Apache-2.0 */

/* The Lease that keeps twins fresh (docs/rules/programs.md#heartbeat): when it is renewed, and what
 * follows. operator.c calls it. */

#include "operator/heartbeat.h"

#include "operator/metrics.h"

static void on_renewed(void *user, bool is_good)
{
    struct jd_heartbeat *heartbeat = user;
    const struct jd_shared *shared = heartbeat->shared;
    if (is_good)
        joulie_cluster_heartbeat(shared->cluster, heartbeat->lease.renewed_ms);
    else
        jd_count_error(shared->metrics, JD_ERROR_API);
    heartbeat->on_done(heartbeat->user);
}

void jd_heartbeat_check(struct jd_heartbeat *heartbeat)
{
    if (!heartbeat->is_due || heartbeat->lease.is_in_flight ||
        !heartbeat->may_beat(heartbeat->user))
        return;
    heartbeat->is_due = false;
    jd_lease_renew(&heartbeat->lease);
}

void jd_heartbeat_stop(struct jd_heartbeat *heartbeat)
{
    heartbeat->is_due |= heartbeat->lease.is_in_flight;
    jd_lease_cancel(&heartbeat->lease);
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
    const struct jd_shared *shared = heartbeat->shared;
    heartbeat->lease = (struct jd_lease){
        .kube = shared->kube,
        .clock = shared->clock,
        .log = shared->log,
        .component = "heartbeat",
        .name_space = shared->values->name_space,
        .name = JD_HEARTBEAT_LEASE,
        .holder = shared->identity,
        .on_done = on_renewed,
        .user = heartbeat,
    };
    heartbeat->alarm = (struct jd_alarm){ .fire = fire, .user = heartbeat };
    jd_alarm_set(shared->clock, &heartbeat->alarm, now_ms);
}
