/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The Lease joulie-heartbeat: while it is young, twins stay fresh that need no new status
 * (docs/rules/programs.md#heartbeat). It is not an election. */

#include "kube/lease.h"
#include "operator/shared.h"

struct jd_heartbeat {               /* the first four are set before it begins */
    const struct jd_shared *shared; /* its model gets each beat that the server has */
    bool (*may_beat)(void *user);
    void (*on_done)(void *user); /* a renewal has ended */
    void *user;
    struct jd_alarm alarm;
    bool is_due; /* its time has come, and it may not have been possible then */
    struct jd_lease lease;
};

void jd_heartbeat_begin(struct jd_heartbeat *heartbeat, int64_t now_ms);
/* Renews when it is due and possible: in each step. */
void jd_heartbeat_check(struct jd_heartbeat *heartbeat);
/* Ends a renewal that is under way; the next one is due. */
void jd_heartbeat_stop(struct jd_heartbeat *heartbeat);
