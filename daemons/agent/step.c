/* SPDX-License-Identifier: Apache-2.0 */

/* When nodes step, so many at a time, and what follows a step: its metrics, its report, the node's
 * hardware. The feed, the clock and the backends call this. */

#include <string.h>

#include "agent/core.h"
#include "agent/metrics.h"
#include "runtime/json.h"

#define MOST_IN_FLIGHT 64
#define MOST_AT_END 256 /* 1000 nodes that are silent take four last steps, not more */
#define MOST_LEAVING 3  /* steps that try to give back the caps of a node that leaves */

/* ---- when ---- */

static void on_alarm(void *user, int64_t now_ms);

static int64_t interval_of(const struct jd_core *core)
{
    const struct jd_agent_values *values = core->shared->values;
    return core->backend->is_local ? values->control_interval_ms : values->reconcile_interval_ms;
}

static void set_alarm(struct jd_node *node, int64_t at_ms)
{
    node->alarm.fire = on_alarm;
    node->alarm.user = node;
    jd_alarm_set(node->core->shared->clock, &node->alarm, at_ms);
}

/* The first time from now on that lies so long after a multiple of the interval. */
static int64_t next_due(int64_t now_ms, int64_t interval_ms, int64_t offset_ms)
{
    const int64_t since_ms = (now_ms - offset_ms) % interval_ms;
    const int64_t rest_ms = since_ms < 0 ? since_ms + interval_ms : since_ms;
    return rest_ms == 0 ? now_ms : now_ms + interval_ms - rest_ms;
}

static void plan_node(struct jd_node *node, size_t index, size_t count)
{
    const int64_t interval_ms = interval_of(node->core);
    const int64_t offset_ms = interval_ms * (int64_t)index / (int64_t)count;
    const int64_t at_ms =
        next_due(jd_policy_now_ms(node->core->shared->clock), interval_ms, offset_ms);
    set_alarm(node, at_ms <= node->last_ms ? at_ms + interval_ms : at_ms);
}

static void plan_nodes(struct jd_core *core)
{
    size_t selected = 0;
    size_t index = 0;
    jd_core_prune(core);
    for (size_t i = 0; i < core->count; i++)
        selected += core->nodes[i]->is_selected;
    for (size_t i = 0; i < core->count; i++) {
        struct jd_node *node = core->nodes[i];
        index += node->is_selected;
        if (node->is_selected && node->is_owned)
            plan_node(node, index - 1, selected);
        else if (!node->is_leaving)
            jd_alarm_stop(core->shared->clock, &node->alarm);
    }
}

/* A list without the object says that there is none; before the first list nobody knows. */
static void find_no_twin(struct jd_core *core)
{
    for (size_t i = 0; i < core->count; i++)
        core->nodes[i]->twin.is_new |= !core->nodes[i]->twin.object_name;
}

void jd_core_plan(struct jd_core *core)
{
    if (!core->is_started || core->is_ending || jd_feed_problem(&core->feed))
        return;
    if (!core->has_synced && core->backend->is_local)
        find_no_twin(core);
    core->has_synced = true;
    if (core->is_unplanned && !core->backend->is_local)
        plan_nodes(core);
    core->is_unplanned = false;
    if (core->is_held) {
        core->is_held = false;
        jd_clock_release(core->shared->clock);
    }
}

/* A local node needs nobody's leave; of a pool's nodes nothing is known before the lists are there,
 * and until then no time passes. */
void jd_core_start(struct jd_core *core, int64_t now_ms)
{
    core->is_started = true;
    core->is_unplanned = true;
    jd_steps_ended(&core->steps); /* time begins here */
    if (core->backend->is_local) {
        set_alarm(jd_core_find(core, core->shared->values->node_name), now_ms);
    } else if (jd_feed_problem(&core->feed)) {
        core->is_held = true;
        jd_clock_hold(core->shared->clock);
    }
    jd_core_plan(core);
}

/* ---- the end of a step ---- */

static void begin(struct jd_node *node);
static void step(struct jd_node *node);

static void begin_waiting(struct jd_core *core)
{
    const size_t most = core->is_ending ? MOST_AT_END : MOST_IN_FLIGHT;
    while (core->first && core->in_flight < most) {
        struct jd_node *node = core->first;
        core->first = node->next;
        if (!core->first)
            core->last = NULL;
        node->next = NULL;
        begin(node);
    }
}

static bool holds(const struct jd_node *node)
{
    return node->core->backend->holds(node->driven);
}

static bool is_gone(const struct jd_node *node)
{
    const unsigned most = node->core->is_ending ? 1 : MOST_LEAVING;
    return node->driven && node->is_leaving && node->leave_count > 0 &&
           (!holds(node) || node->leave_count >= most);
}

static void forget(struct jd_node *node)
{
    struct jd_core *core = node->core;
    if (holds(node)) {
        core->lost++;
        jd_log(core->shared->log, JOULIE_LOG_LEVEL_ERROR, "node",
               "%s: its caps could not be given back", node->name);
    }
    core->backend->free(node->driven);
    node->driven = NULL;
    node->is_leaving = false;
    node->twin.is_new = true; /* for the next one */
    node->hardware.is_new = true;
    jd_alarm_stop(core->shared->clock, &node->alarm);
    jd_metrics_forget(core->shared->metrics, "node", node->name);
}

/* Its backend has ended, and the API server has answered: the clock may go on. */
static void settle(struct jd_node *node)
{
    struct jd_core *core = node->core;
    if (node->is_stepping || node->open > 0 || !node->is_held)
        return;
    if (is_gone(node))
        forget(node);
    node->is_held = false;
    core->busy--;
    jd_clock_release(core->shared->clock);
    if (core->is_ending && core->busy == 0)
        jd_timer_set(core->shared->loop, &core->deadline, jd_clock_ms());
}

static void report(struct jd_node *node);

static void on_answered(void *user)
{
    struct jd_node *node = user;
    node->open--;
    if (node->core->is_ending && !node->is_stepping && node->open == 0)
        report(node); /* the last one may have waited for the answer to the one before */
    settle(node);
}

/* What came of the last step to the API server; what is on its way there, or was refused, is not
 * known to it yet. */
static void report(struct jd_node *node)
{
    const struct jd_backend *backend = node->core->backend;
    JL_CLEANUP(jd_json_freep)
    struct json_object *now = node->driven ? backend->report(node->driven, node->is_unsaid) : NULL;
    if (!now)
        return;
    jd_metrics_report(node->core->shared->metrics, node->name, now);
    node->is_unsaid = node->feedback.sent != NULL || node->feedback.is_logged;
    node->feedback.done = on_answered;
    node->feedback.user = node;
    if (node->twin.object_name &&
        jd_feedback_offer(&node->feedback, node->twin.object_name, now, node->last_ms)) {
        node->open++;
        node->is_unsaid = true; /* until the next step has seen that it arrived */
    }
}

static char *hardware_of(const struct jd_node *node)
{
    return node->core->backend->hardware(
        node->driven, node->facts, jd_clock_stamp_ms(node->core->shared->clock, node->last_ms));
}

static void publish(struct jd_node *node)
{
    if (!node->core->has_synced || !jd_publish_is_due(&node->publish, node->last_ms))
        return;
    JL_CLEANUP(jl_freep) char *hardware = hardware_of(node);
    node->publish.done = on_answered;
    node->publish.user = node;
    node->open += hardware && jd_publish_offer(&node->publish, hardware, node->last_ms);
}

/* No machine waits for the API server: the next one steps, and this one may again. */
static void on_stepped(void *user, bool is_good)
{
    struct jd_node *node = user;
    struct jd_core *core = node->core;
    const bool has_moved = core->backend->has_moved && core->backend->has_moved(node->driven);
    core->in_flight--;
    node->is_stepping = false;
    jd_steps_ended(&core->steps);
    if (has_moved)
        jd_publish_renew(&node->publish); /* other parts can be capped, or read */
    if (is_good)
        report(node);
    else
        jd_metrics_error(core->shared->metrics, node->name);
    if (node->is_selected && !node->is_leaving)
        publish(node);
    if (node->is_leaving && node->leave_count == 0)
        step(node); /* the step that has just ended knew nothing of it */
    else if ((node->is_late || has_moved) && node->is_selected && !core->is_ending)
        step(node); /* its time came while it was busy; or its caps go to their new place */
    settle(node);
    begin_waiting(core);
}

/* ---- a step ---- */

static void log_bad(struct jd_node *node, const char *kind, const struct joulie_error *err)
{
    if (!node->is_logged)
        jd_log(node->core->shared->log, JOULIE_LOG_LEVEL_WARN, "node",
               "%s: its %s cannot be used, the last good one stays in force: %s: %s", node->name,
               kind, err->where, err->message);
    node->is_logged = true;
}

/* Without a NodeHardware the labels say what a node is made of. */
static void hand_over_hardware(struct jd_node *node)
{
    const struct jd_backend *backend = node->core->backend;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (!backend->take_hardware || !node->hardware.is_new)
        return;
    node->hardware.is_new = false;
    if (backend->take_hardware(node->driven, node->hardware.text, node->hardware.len, &err) < 0)
        log_bad(node, "NodeHardware", &err);
    JL_CLEANUP(jl_freep) char *hardware = node->hardware.text ? NULL : hardware_of(node);
    if (hardware)
        backend->take_hardware(node->driven, hardware, strlen(hardware), NULL);
}

/* Hands over what has come since the last step. */
static void hand_over_twin(struct jd_node *node)
{
    const struct jd_backend *backend = node->core->backend;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (node->is_leaving || (backend->is_moving && backend->is_moving(node->driven))) {
        backend->give_back(node->driven);
        node->twin.is_new = true;
        return;
    }
    if (!node->twin.is_new)
        return;
    node->twin.is_new = false;
    if (backend->take_twin(node->driven, node->twin.text, node->twin.len, &err) < 0) {
        log_bad(node, "NodeTwin", &err);
    } else if (node->is_logged) {
        jd_log(node->core->shared->log, JOULIE_LOG_LEVEL_INFO, "node",
               "%s: its NodeTwin can be used", node->name);
        node->is_logged = false;
    }
}

int jd_node_drive(struct jd_node *node, struct joulie_error *err)
{
    const struct jd_core *core = node->core;
    const struct jd_backend *backend = core->backend;
    node->hardware.is_new = true;
    node->twin.is_new = !backend->is_local;
    node->is_unwired = false;
    int rc = backend->drive(core->maker, node->name, &node->driven, err);
    if (rc == 0 && backend->wire)
        rc = backend->wire(node->driven, node->facts, err);
    if (rc < 0) {
        backend->free(node->driven);
        node->driven = NULL;
    }
    return rc;
}

static void wire_again(struct jd_node *node)
{
    const struct jd_core *core = node->core;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (!node->is_unwired || !core->backend->wire || node->is_leaving)
        return;
    const int rc = core->backend->wire(node->driven, node->facts, &err);
    node->is_unwired = rc == JOULIE_E_NOMEM;
    if (rc < 0 && !node->is_wiring_logged)
        jd_log(core->shared->log, JOULIE_LOG_LEVEL_WARN, "node", "%s: it stays wired as it is: %s",
               node->name, err.message);
    node->is_wiring_logged = rc < 0;
}

static int drive_again(struct jd_node *node)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = node->driven ? 0 : jd_node_drive(node, &err);
    if (rc < 0 && !node->is_logged)
        jd_log_error(node->core->shared->log, "node", node->name, &err);
    node->is_logged |= rc < 0;
    return rc;
}

static void begin(struct jd_node *node)
{
    struct jd_core *core = node->core;
    core->in_flight++;
    node->last_ms = jd_policy_now_ms(core->shared->clock);
    node->leave_count += node->is_leaving;
    if (drive_again(node) < 0) {
        jd_metrics_error(core->shared->metrics, node->name);
        core->in_flight--; /* the caller begins the next one */
        node->is_stepping = false;
        settle(node);
        return;
    }
    wire_again(node);
    hand_over_hardware(node);
    hand_over_twin(node);
    core->backend->step(node->driven, node->last_ms,
                        core->has_heartbeat ? &core->heartbeat_ms : NULL, on_stepped, node);
}

/* A step now, or as soon as it is its turn. */
static void step(struct jd_node *node)
{
    struct jd_core *core = node->core;
    if (node->is_stepping) {
        node->is_late = true;
        return;
    }
    node->is_stepping = true;
    node->is_late = false;
    if (!node->is_held) {
        node->is_held = true;
        core->busy++;
        jd_clock_hold(core->shared->clock);
    }
    if (core->last)
        core->last->next = node;
    else
        core->first = node;
    core->last = node;
    begin_waiting(core);
}

static void on_alarm(void *user, int64_t now_ms)
{
    struct jd_node *node = user;
    (void)now_ms;
    jd_alarm_repeat(node->core->shared->clock, &node->alarm, interval_of(node->core));
    step(node);
}

void jd_node_leave(struct jd_node *node)
{
    const struct jd_backend *backend = node->core->backend;
    node->is_leaving = true;
    node->leave_count = 0;
    if (node->core->is_ending && backend->shorten)
        backend->shorten(node->driven);
    if (!node->is_held && !holds(node) && !node->core->is_ending)
        forget(node);
    else
        step(node);
}
