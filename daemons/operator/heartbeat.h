/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The Lease joulie-heartbeat: while it is young, twins stay fresh that need no new status
 * (docs/rules/programs.md#heartbeat). It is not an election. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/clock.h"

struct jd_operator;

struct jd_heartbeat {
    struct jd_alarm alarm;
    char *holder;
    int64_t beat_ms; /* of the renewal that is under way, or of the last one */
    bool is_due;     /* its time has come, and it may not have been possible then */
    bool is_in_flight;
    bool is_bad; /* as it was logged */
};

int jd_heartbeat_open(struct jd_operator *op, struct joulie_error *err);
void jd_heartbeat_begin(struct jd_operator *op, int64_t now_ms);
/* Renews when it is due and possible: in each step. */
void jd_heartbeat_check(struct jd_operator *op);
void jd_heartbeat_close(struct jd_operator *op);
