/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Observe, step, act: one round in each RECONCILE_INTERVAL of policy time. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/clock.h"
#include "runtime/loop.h"

struct jd_operator;

enum jd_phase {
    JD_IDLE,
    JD_WAITING, /* for the caches, and whether another operator runs */
    JD_READING, /* the power of the nodes */
    JD_SEEING,  /* until the caches have what the step before wrote */
    JD_WRITING
};

struct jd_step {
    enum jd_phase phase;
    struct jd_alarm alarm;
    struct jd_timer timeout; /* of JD_SEEING */
    int64_t began_ms;        /* CLOCK_MONOTONIC */
    bool is_due_again;       /* its time came while the step before was at work */
    bool has_logged_waiting;
    int logged_code; /* of a step that failed; 0 = none */
};

int jd_step_open(struct jd_operator *op, struct joulie_error *err);
void jd_step_begin(struct jd_operator *op, int64_t now_ms); /* the first one */
/* Something that a phase may wait for has changed. */
void jd_step_check(struct jd_operator *op);
/* Nothing new is begun; what is under way ends. */
void jd_step_end(struct jd_operator *op);
bool jd_step_is_idle(const struct jd_operator *op);
void jd_step_close(struct jd_operator *op);
