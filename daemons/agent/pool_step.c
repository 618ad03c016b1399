/* SPDX-License-Identifier: Apache-2.0 */

/* When a pool's nodes step, so many at a time, and what follows a step. */

#include <string.h>

#include <joulie/remote.h>

#include "agent/metrics.h"
#include "agent/pool.h"
#include "base/memory.h"

#define MOST_IN_FLIGHT 64
#define MOST_AT_END 256 /* 1000 nodes that are silent take four last steps, not more */
#define MOST_LEAVING 3  /* steps that try to give back the caps of a node that leaves */

/* ---- when ---- */

static void on_alarm(void *user, int64_t now_ms);

/* The first time from now on that lies so long after a multiple of the interval. */
static int64_t next_due(int64_t now_ms, int64_t interval_ms, int64_t offset_ms)
{
    const int64_t since_ms = (now_ms - offset_ms) % interval_ms;
    const int64_t rest_ms = since_ms < 0 ? since_ms + interval_ms : since_ms;
    return rest_ms == 0 ? now_ms : now_ms + interval_ms - rest_ms;
}

static void set_alarm(struct jd_pool_node *node, size_t index, size_t count)
{
    struct jd_pool *pool = node->pool;
    const int64_t interval_ms = pool->values->reconcile_interval_ms;
    const int64_t offset_ms = interval_ms * (int64_t)index / (int64_t)count;
    const int64_t now_ms = jd_policy_now_ms(pool->cluster->clock);
    int64_t at_ms = next_due(now_ms, interval_ms, offset_ms);
    if (at_ms <= node->last_ms)
        at_ms += interval_ms;
    node->alarm.fire = on_alarm;
    node->alarm.user = node;
    jd_alarm_set(pool->cluster->clock, &node->alarm, at_ms);
}

void jd_pool_plan(struct jd_pool *pool)
{
    size_t selected = 0;
    size_t index = 0;
    if (!pool->is_started || pool->is_ending || !jd_cluster_has_synced(pool->cluster))
        return;
    if (pool->is_unplanned) {
        pool->is_unplanned = false;
        jd_pool_prune(pool);
        for (size_t i = 0; i < pool->count; i++)
            selected += pool->nodes[i]->is_selected;
        for (size_t i = 0; i < pool->count; i++) {
            struct jd_pool_node *node = pool->nodes[i];
            index += node->is_selected;
            if (node->is_selected && node->is_owned)
                set_alarm(node, index - 1, selected);
            else if (!node->is_leaving)
                jd_alarm_stop(pool->cluster->clock, &node->alarm);
        }
    }
    if (pool->is_held) {
        pool->is_held = false;
        jd_clock_release(pool->cluster->clock);
    }
}

/* ---- a step ---- */

static void begin(struct jd_pool_node *node);

static void begin_waiting(struct jd_pool *pool)
{
    const size_t most = pool->is_ending ? MOST_AT_END : MOST_IN_FLIGHT;
    while (pool->first && pool->in_flight < most) {
        struct jd_pool_node *node = pool->first;
        pool->first = node->next;
        if (!pool->first)
            pool->last = NULL;
        node->next = NULL;
        begin(node);
    }
}

static bool is_gone(const struct jd_pool_node *node)
{
    const unsigned most = node->pool->is_ending ? 1 : MOST_LEAVING;
    return node->is_leaving && node->leave_count > 0 &&
           (!jd_remote_holds(node->remote) || node->leave_count >= most);
}

static void forget(struct jd_pool_node *node)
{
    struct jd_pool *pool = node->pool;
    if (jd_remote_holds(node->remote)) {
        pool->lost++;
        jd_log(pool->log, JOULIE_LOG_LEVEL_ERROR, "node", "%s: its caps could not be given back",
               node->name);
    }
    jd_remote_free(node->remote);
    node->remote = NULL;
    node->is_leaving = false;
    node->twin.is_new = true; /* for the next one */
    node->hardware.is_new = true;
    jd_alarm_stop(pool->cluster->clock, &node->alarm);
    jd_metrics_forget(pool->cluster->metrics, "node", node->name);
}

static void end_step(struct jd_pool_node *node)
{
    struct jd_pool *pool = node->pool;
    node->is_stepping = false;
    pool->busy--;
    if (node->remote && is_gone(node))
        forget(node);
    else if (node->is_late && node->is_selected && !pool->is_ending)
        jd_pool_step(node); /* its time came while it was busy */
    else if (node->remote && node->is_leaving && node->leave_count == 0)
        jd_pool_step(node); /* the step that has just ended knew nothing of it */
    jd_clock_release(pool->cluster->clock);
    if (pool->is_ending && pool->busy == 0)
        jd_timer_set(pool->cluster->loop, &pool->deadline, jd_clock_ms());
}

static void end_flight(struct jd_pool *pool)
{
    pool->in_flight--;
    begin_waiting(pool);
}

static void on_answered(void *user)
{
    struct jd_pool_node *node = user;
    if (--node->open == 0)
        end_step(node);
}

static bool is_remote(const char *setting)
{
    return jl_same(setting, "http");
}

/* The NodeHardware that the labels give; NULL = nothing is known. To be given to joulie_free(). */
static char *hardware_of_labels(const struct jd_pool_node *node, int64_t now_ms)
{
    const struct jd_agent_values *values = node->pool->values;
    const struct joulie_remote_can can = {
        .struct_size = sizeof can,
        .cpu_control = is_remote(values->telemetry_cpu_control),
        .cpu_telemetry = !jl_is_empty(values->telemetry_cpu_source) &&
                         !jl_same(values->telemetry_cpu_source, "none"),
        .gpu_control = is_remote(values->telemetry_gpu_control),
    };
    char *json = NULL;
    if (!node->facts ||
        joulie_remote_hardware(node->facts, strlen(node->facts), &can, now_ms, &json, NULL) < 0)
        return NULL;
    return json;
}

static bool publish(struct jd_pool_node *node, int64_t now_ms)
{
    if (!jd_publish_is_due(&node->publish, now_ms))
        return false;
    char *hardware = hardware_of_labels(node, now_ms);
    const bool is_sent = hardware && jd_publish_offer(&node->publish, hardware, now_ms);
    joulie_free(hardware);
    return is_sent;
}

static void on_stepped(void *user)
{
    struct jd_pool_node *node = user;
    const int64_t now_ms = node->last_ms;
    node->open = 1; /* this function */
    node->feedback.done = on_answered;
    node->feedback.user = node;
    node->publish.done = on_answered;
    node->publish.user = node;
    if (node->twin.object_name)
        node->open += jd_feedback_offer(&node->feedback, node->twin.object_name,
                                        jd_remote_report(node->remote), now_ms);
    if (node->is_selected && !node->is_leaving)
        node->open += publish(node, now_ms);
    end_flight(node->pool); /* the API server may be slow: no machine waits for it */
    on_answered(node);
}

static void log_bad(struct jd_pool_node *node, const char *kind, const struct joulie_error *err)
{
    if (!node->is_logged)
        jd_log(node->pool->log, JOULIE_LOG_LEVEL_WARN, "node",
               "%s: its %s cannot be used, the last good one stays in force: %s: %s", node->name,
               kind, err->where, err->message);
    node->is_logged = true;
}

/* Hands over what has come since the last step; a text is not kept after that. */
static void hand_over(struct jd_pool_node *node)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (node->hardware.is_new) {
        if (jd_remote_hardware(node->remote, node->hardware.text, node->hardware.len, &err) < 0)
            log_bad(node, "NodeHardware", &err);
        node->hardware.is_new = false;
    }
    if (node->is_leaving) {
        jd_remote_twin(node->remote, NULL, 0, NULL);
        node->twin.is_new = true;
    } else if (node->twin.is_new) {
        if (jd_remote_twin(node->remote, node->twin.text, node->twin.len, &err) < 0)
            log_bad(node, "NodeTwin", &err);
        else
            node->is_logged = false;
        node->twin.is_new = false;
    }
}

static int make_remote(struct jd_pool_node *node)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jd_cluster *cluster = node->pool->cluster;
    const struct jd_remote_options options = {
        .values = node->pool->values,
        .node_name = node->name,
        .enforces = node->pool->enforces,
        .loop = cluster->loop,
        .http = cluster->http,
        .log = cluster->log,
        .metrics = cluster->metrics,
    };
    const int rc = jd_remote_new(&options, &node->remote, &err);
    if (rc < 0 && !node->is_logged)
        jd_log_error(cluster->log, "node", node->name, &err);
    node->is_logged |= rc < 0;
    node->hardware.is_new = true;
    node->twin.is_new = true;
    return rc;
}

/* Before the NodeHardware is there, its labels say what a node is made of. */
static void use_labels(struct jd_pool_node *node)
{
    char *hardware = hardware_of_labels(node, node->last_ms);
    if (hardware)
        jd_remote_hardware(node->remote, hardware, strlen(hardware), NULL);
    joulie_free(hardware);
}

static void begin(struct jd_pool_node *node)
{
    struct jd_pool *pool = node->pool;
    pool->in_flight++;
    pool->busy++;
    node->last_ms = jd_policy_now_ms(pool->cluster->clock);
    node->leave_count += node->is_leaving;
    if (!node->remote && make_remote(node) < 0) {
        jd_metrics_error(pool->cluster->metrics, node->name);
        pool->in_flight--; /* who calls this looks for the next one */
        end_step(node);
        return;
    }
    const bool is_bare = node->hardware.is_new && !node->hardware.text;
    hand_over(node);
    if (is_bare)
        use_labels(node);
    jd_remote_step(node->remote, node->last_ms,
                   pool->cluster->has_heartbeat ? &pool->cluster->heartbeat_ms : NULL, on_stepped,
                   node);
}

void jd_pool_step(struct jd_pool_node *node)
{
    struct jd_pool *pool = node->pool;
    if (node->is_stepping) {
        node->is_late = true;
        return;
    }
    node->is_stepping = true;
    node->is_late = false;
    jd_clock_hold(pool->cluster->clock);
    if (pool->last)
        pool->last->next = node;
    else
        pool->first = node;
    pool->last = node;
    begin_waiting(pool);
}

static void on_alarm(void *user, int64_t now_ms)
{
    struct jd_pool_node *node = user;
    const int64_t interval_ms = node->pool->values->reconcile_interval_ms;
    jd_alarm_set(node->pool->cluster->clock, &node->alarm, now_ms + interval_ms);
    jd_pool_step(node);
}

void jd_pool_leave(struct jd_pool_node *node)
{
    node->is_leaving = true;
    node->leave_count = 0;
    if (!node->is_stepping && !jd_remote_holds(node->remote) && !node->pool->is_ending)
        forget(node);
    else
        jd_pool_step(node);
}
