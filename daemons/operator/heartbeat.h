/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The Lease joulie-heartbeat: while it is young, twins stay fresh that need no new status
 * (docs/rules/programs.md#heartbeat). It is not an election. */

#include "operator/shared.h"

struct jd_heartbeat {               /* the first four are set before it begins */
    const struct jd_shared *shared; /* its model gets each beat that the server has */
    bool (*may_beat)(void *user);
    void (*on_done)(void *user); /* a renewal has ended */
    void *user;
    struct jd_alarm alarm;
    int64_t beat_ms; /* of the renewal that is under way, or of the last one */
    bool is_due;     /* its time has come, and it may not have been possible then */
    bool is_in_flight;
    bool is_bad; /* as it was logged */
};

void jd_heartbeat_begin(struct jd_heartbeat *heartbeat, int64_t now_ms);
/* Renews when it is due and possible: in each step. */
void jd_heartbeat_check(struct jd_heartbeat *heartbeat);
