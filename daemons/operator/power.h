/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Nodes that are switched off and woken (docs/rules/programs.md#actuator): the commands that the
 * model lists are given to the actuator, and what came of them to the model. Without an actuator
 * what would be done is reported, and nothing is changed.
 */

#include "operator/actuator.h"
#include "operator/report.h"

struct jd_power { /* zeroed at the start; the first five are set before it is opened */
    const struct jd_shared *shared;
    struct jd_reporter *reporter;
    bool (*may_run)(void *user); /* whether commands may be started now */
    void (*on_done)(void *user); /* one has ended, and the model knows it */
    void *user;
    struct jd_actuator *actuator; /* NULL = none: advice only */
};

/* Whether the command can be run, with err->where = its option. */
int jd_power_check(const struct jd_operator_values *values, struct joulie_error *err);
int jd_power_open(struct jd_power *power, char **environment, struct joulie_error *err);
void jd_power_close(struct jd_power *power);

/* Behind a step, and whenever the model may list something new: starts what is listed, as many as
 * may be at once; nodes that are woken go first. */
void jd_power_run(struct jd_power *power);
/* Behind a decision: what would be done, once for each node until it is something else. */
void jd_power_advise(struct jd_power *power, int64_t now_ms);
/* Commands that are under way. */
size_t jd_power_busy(const struct jd_power *power);
/* Nothing is started any more; what is under way has until at_ms (CLOCK_MONOTONIC). */
void jd_power_end(struct jd_power *power, int64_t at_ms);
