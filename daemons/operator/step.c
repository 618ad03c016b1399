/* SPDX-License-Identifier: Apache-2.0 */

/* The operator's step (docs/rules/programs.md#operator-step): its phases, and what moves it from
 * one to the next. */

#include "operator/step.h"

#include "operator/metrics.h"
#include "operator/operator.h"

#define SEEING_MS 5000 /* a cache that does not follow costs a repeated write, not a step */
#define MS_PER_S 1000.0

static void begin(struct jd_operator *op);

static void finish(struct jd_operator *op)
{
    struct jd_step *step = &op->step;
    step->phase = JD_IDLE;
    jd_metric_observe(op->metrics, &jd_step_seconds, JD_NO_LABELS,
                      (double)(jd_clock_ms() - step->began_ms) / MS_PER_S);
    if (op->is_ending) {
        jd_operator_check_end(op);
    } else if (step->is_due_again) {
        step->is_due_again = false;
        begin(op);
        return;
    }
    jd_clock_release(op->clock);
}

static void report_step(struct jd_operator *op, int rc, const struct joulie_error *err)
{
    if (rc < 0)
        jd_count_error(op, JD_ERROR_INTERNAL);
    if (rc < 0 && rc != op->step.logged_code)
        jd_log_error(&op->log, "step", "nothing could be decided", err);
    else if (rc == 0 && op->step.logged_code != 0)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "step", "steps work again");
    op->step.logged_code = rc;
}

static void decide(struct jd_operator *op)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int64_t now_ms = jd_policy_now_ms(op->clock);
    size_t count = 0;
    jd_facility_report(op, now_ms);
    jd_coexist_report(op, now_ms);
    const int rc = joulie_cluster_step(op->cluster, now_ms, &count, &err);
    report_step(op, rc, &err);
    jd_metric_add(op->metrics, &jd_steps, JD_NO_LABELS, rc == 0);
    const bool may_write =
        rc == 0 && !op->is_ending && (op->values.dry_run || jd_coexist_problem(op) == NULL);
    op->step.phase = JD_WRITING;
    if (!may_write || !jd_apply_start(op, count, now_ms, finish))
        finish(op);
}

static void go_seeing(struct jd_operator *op)
{
    struct jd_step *step = &op->step;
    if (jd_apply_is_seen(op)) {
        decide(op);
        return;
    }
    step->phase = JD_SEEING;
    if (jd_timer_set(&op->loop, &step->timeout, jd_clock_ms() + SEEING_MS) < 0)
        decide(op);
}

static void on_read(struct jd_operator *op)
{
    go_seeing(op);
}

static void on_timeout(void *user)
{
    struct jd_operator *op = user;
    if (op->step.phase == JD_SEEING)
        decide(op);
}

static bool is_ready(const struct jd_operator *op)
{
    return jd_feed_has_synced(op) && jd_coexist_is_known(op);
}

static void observe(struct jd_operator *op)
{
    op->step.began_ms = jd_clock_ms();
    op->step.phase = JD_READING;
    jd_heartbeat_check(op);
    if (!jd_telemetry_start(op, on_read))
        go_seeing(op);
}

static void begin(struct jd_operator *op)
{
    struct jd_step *step = &op->step;
    if (is_ready(op)) {
        observe(op);
        return;
    }
    step->phase = JD_WAITING;
    if (!step->has_logged_waiting && jd_feed_has_synced(op) == false)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "step", "waiting: %s", jd_feed_problem(op));
    step->has_logged_waiting = true;
}

/* An interval that ends before the step of the one before: the rest of that step is left to the
 * next, which has newer readings. */
static void fire(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    struct jd_step *step = &op->step;
    const int64_t next_ms = step->alarm.at_ms + op->values.reconcile_interval_ms;
    jd_alarm_set(op->clock, &step->alarm,
                 next_ms > now_ms ? next_ms : now_ms + op->values.reconcile_interval_ms);
    if (op->is_ending)
        return;
    if (step->phase == JD_IDLE) {
        jd_clock_hold(op->clock);
        begin(op);
        return;
    }
    jd_metric_add(op->metrics, &jd_skipped_steps, JD_NO_LABELS, 1);
    if (step->phase == JD_WRITING) {
        step->is_due_again = true;
        jd_apply_cut(op);
    }
}

int jd_step_open(struct jd_operator *op, struct joulie_error *err)
{
    (void)err;
    op->step.alarm = (struct jd_alarm){ .fire = fire, .user = op };
    op->step.timeout = (struct jd_timer){ .fire = on_timeout, .user = op };
    return 0;
}

/* In lockstep an operator that was started anew decides when the one before it would have: at
 * multiples of the interval. Elsewhere it decides at once. */
void jd_step_begin(struct jd_operator *op, int64_t now_ms)
{
    const int64_t interval_ms = op->values.reconcile_interval_ms;
    const int64_t over_ms = jd_clock_is_simulated(op->clock) ? now_ms % interval_ms : 0;
    jd_alarm_set(op->clock, &op->step.alarm, over_ms > 0 ? now_ms + interval_ms - over_ms : now_ms);
}

void jd_step_check(struct jd_operator *op)
{
    if (op->is_ending)
        jd_operator_check_end(op);
    else if (op->step.phase == JD_WAITING && is_ready(op))
        observe(op);
    else if (op->step.phase == JD_SEEING && jd_apply_is_seen(op)) {
        jd_timer_stop(&op->loop, &op->step.timeout);
        decide(op);
    }
}

void jd_step_end(struct jd_operator *op)
{
    jd_apply_cut(op);
    if (op->step.phase != JD_WRITING)
        op->step.phase = JD_IDLE;
}

bool jd_step_is_idle(const struct jd_operator *op)
{
    return op->step.phase == JD_IDLE && op->apply.in_flight == 0;
}

void jd_step_close(struct jd_operator *op)
{
    jd_timer_stop(&op->loop, &op->step.timeout);
}
