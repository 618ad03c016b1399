/* SPDX-License-Identifier: Apache-2.0 */

/* The agent of the machine that it runs on: control intervals on the library's host, its spec from
 * a file or from an API server. */

#include "agent/host_mode.h"

#include <string.h>

#include "agent/metrics.h"
#include "agent/put_json.h"
#include "base/error.h"
#include "base/memory.h"

#define END_MS 5000 /* for the last report */
#define US_PER_MS 1000

/* ---- a step ---- */

static void on_alarm(void *user, int64_t now_ms);

static void end_step(struct jd_host_mode *mode)
{
    if (mode->is_held)
        jd_clock_release(mode->cluster->clock);
    mode->is_held = false;
    if (mode->is_ending && !mode->has_ended)
        jd_timer_set(mode->cluster->loop, &mode->deadline, jd_clock_ms());
}

static void tell_tick(struct jd_host_mode *mode, int rc, const struct joulie_error *err)
{
    if (rc < 0 && rc != mode->failed_tick)
        jd_log_error(mode->log, "host", "a step failed", err);
    else if (rc == 0 && mode->failed_tick != 0)
        jd_log(mode->log, JOULIE_LOG_LEVEL_INFO, "host", "steps work again");
    mode->failed_tick = rc;
    if (rc < 0)
        jd_metrics_error(mode->cluster->metrics, mode->values->node_name);
}

static void tell_disabled(struct jd_host_mode *mode, bool is_disabled)
{
    if (is_disabled == mode->is_disabled)
        return;
    mode->is_disabled = is_disabled;
    jd_log(mode->log, JOULIE_LOG_LEVEL_WARN, "host",
           is_disabled ? "etc/joulie/disable is there: every cap is given back, and none is made"
                       : "etc/joulie/disable is gone: caps are made again");
}

/* Virtual time stands in for all three clocks. */
static struct joulie_host_time time_of(const struct jd_host_mode *mode)
{
    struct joulie_host_time time = jd_clock_now();
    if (!jd_clock_is_simulated(mode->cluster->clock))
        return time;
    time.now_ms = jd_policy_now_ms(mode->cluster->clock);
    time.monotonic_us = time.now_ms * US_PER_MS;
    time.boottime_us = time.monotonic_us;
    return time;
}

static struct json_object *read_report(struct jd_host_mode *mode)
{
    char *json = NULL;
    if (joulie_host_report(mode->host, &json, NULL) < 0)
        return NULL;
    struct json_object *report = jd_json_parse(json, strlen(json));
    joulie_free(json);
    return report;
}

static void report(struct jd_host_mode *mode, bool is_news, int64_t now_ms)
{
    if (!is_news && !mode->is_unsaid)
        return;
    struct json_object *now = read_report(mode);
    jd_metrics_report(mode->cluster->metrics, mode->values->node_name, now);
    mode->is_unsaid = mode->feedback.sent != NULL;
    if (mode->twin_name && jd_feedback_offer(&mode->feedback, mode->twin_name, now, now_ms)) {
        mode->open++;
        mode->is_unsaid = true; /* until the next step has seen that it arrived */
    }
    json_object_put(now);
}

/* The last report may have waited for the answer to the one before. */
static void say_the_rest(struct jd_host_mode *mode)
{
    if (mode->is_ending && !mode->has_ended)
        report(mode, false, jd_policy_now_ms(mode->cluster->clock));
}

static void on_answered(void *user)
{
    struct jd_host_mode *mode = user;
    if (--mode->open == 0)
        say_the_rest(mode);
    if (mode->open == 0)
        end_step(mode);
}

static void count_restores(struct jd_host_mode *mode)
{
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    if (joulie_host_get_counts(mode->host, &counts, NULL) < 0 || counts.restores == mode->restores)
        return;
    struct json_object *now = read_report(mode);
    const char *why = mode->is_ending ? "exit" : mode->is_disabled ? "disabled" : NULL;
    jd_metrics_restored(mode->cluster->metrics, mode->values->node_name, why, now,
                        counts.restores - mode->restores);
    mode->restores = counts.restores;
    json_object_put(now);
}

static void publish(struct jd_host_mode *mode, int64_t now_ms)
{
    char *json = NULL;
    if (!mode->has_synced || !jd_publish_is_due(&mode->publish, now_ms))
        return;
    if (joulie_host_hardware(mode->host, mode->values->node_name, now_ms, &json, NULL) < 0)
        return;
    mode->open += jd_publish_offer(&mode->publish, json, now_ms);
    joulie_free(json);
}

static void step(struct jd_host_mode *mode)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_tick_result tick = JOULIE_INIT(struct joulie_host_tick_result);
    const struct joulie_host_time time = time_of(mode);
    if (mode->cluster->has_heartbeat)
        joulie_host_heartbeat(mode->host, mode->cluster->heartbeat_ms);
    const int rc = joulie_host_tick(mode->host, &time, &tick, &err);
    tell_tick(mode, rc, &err);
    mode->open++; /* this function */
    if (!mode->is_held)
        jd_clock_hold(mode->cluster->clock);
    mode->is_held = true;
    if (rc == 0) {
        tell_disabled(mode, tick.is_disabled != 0);
        jd_metrics_zones(mode->cluster->metrics, mode->values->node_name, mode->host);
        jd_metrics_dvfs(mode->cluster->metrics, mode->values->node_name, mode->host);
        count_restores(mode);
        report(mode, tick.is_news != 0, time.now_ms);
        publish(mode, time.now_ms);
    }
    on_answered(mode);
}

static void on_alarm(void *user, int64_t now_ms)
{
    struct jd_host_mode *mode = user;
    const int64_t interval_ms = mode->values->control_interval_ms;
    const int64_t late_ms = jd_policy_now_ms(mode->cluster->clock) - now_ms;
    const int64_t skipped = late_ms > 0 ? late_ms / interval_ms : 0;
    jd_alarm_set(mode->cluster->clock, &mode->alarm, now_ms + (1 + skipped) * interval_ms);
    if (mode->stepped)
        mode->stepped(mode->user);
    step(mode);
}

static void on_started(void *user, int64_t now_ms)
{
    struct jd_host_mode *mode = user;
    mode->alarm = (struct jd_alarm){ .fire = on_alarm, .user = mode };
    jd_alarm_set(mode->cluster->clock, &mode->alarm, now_ms);
}

/* ---- objects ---- */

static int upsert_node(void *user, struct json_object *object, const char *text, size_t len,
                       struct joulie_error *err)
{
    struct jd_host_mode *mode = user;
    const char *uid = jd_json_text(object, "metadata.uid");
    (void)text;
    (void)len;
    (void)err;
    if (jl_same(mode->node_uid, uid))
        return 0;
    if (mode->node_uid) { /* what stood for the old one goes with it, and is made again */
        jd_log(mode->log, JOULIE_LOG_LEVEL_INFO, "node", "%s is there again with another UID",
               mode->values->node_name);
        json_object_put(mode->publish.wanted);
        mode->publish.wanted = NULL;
        jd_feedback_forget(&mode->feedback);
        mode->is_unsaid = true;
    }
    jl_free(mode->node_uid);
    mode->node_uid = jl_strdup(uid);
    return 0;
}

static void remove_node(void *user, const char *name)
{
    const struct jd_host_mode *mode = user;
    jd_log(mode->log, JOULIE_LOG_LEVEL_WARN, "node", "%s is gone from the API server", name);
}

/* An object of that name may be another node's. */
static bool is_ours(const struct jd_host_mode *mode, struct json_object *object)
{
    return jl_same(jd_json_text(object, "spec.nodeName"), mode->values->node_name);
}

static void take_name(struct jd_host_mode *mode, const char *name)
{
    if (jl_same(mode->twin_name, name))
        return;
    jl_free(mode->twin_name);
    mode->twin_name = jl_strdup(name);
}

static void drop_twin(struct jd_host_mode *mode)
{
    take_name(mode, NULL);
    jd_feedback_forget(&mode->feedback);
    joulie_host_put_twin(mode->host, NULL, 0, NULL);
}

static int upsert_twin(void *user, struct json_object *object, const char *text, size_t len,
                       struct joulie_error *err)
{
    struct jd_host_mode *mode = user;
    const char *name = jd_json_text(object, "metadata.name");
    if (!is_ours(mode, object)) {
        if (!mode->is_foreign)
            jd_log(mode->log, JOULIE_LOG_LEVEL_WARN, "spec",
                   "NodeTwin %s is of node %.253s, not of %s", mode->object_name,
                   jd_json_text(object, "spec.nodeName"), mode->values->node_name);
        mode->is_foreign = true;
        drop_twin(mode);
        return 0;
    }
    mode->is_foreign = false;
    take_name(mode, name);
    jd_feedback_seen(&mode->feedback, object);
    mode->is_unsaid = true; /* what it says may not be what is */
    jd_metrics_policy(mode->cluster->metrics, mode->values->node_name, name, object);
    if (mode->is_ending) /* everything was given back */
        return 0;
    const int rc = joulie_host_put_twin(mode->host, text, len, err);
    if (rc < 0) {
        joulie_host_set_twin_unread(mode->host, 1);
        if (!mode->is_bad)
            jd_log_error(mode->log, "spec", "the NodeTwin cannot be used; the last good one stays",
                         err);
    } else if (mode->is_bad) {
        jd_log(mode->log, JOULIE_LOG_LEVEL_INFO, "spec", "the NodeTwin can be used again");
    }
    mode->is_bad = rc < 0;
    return rc;
}

static void remove_twin(void *user, const char *name)
{
    struct jd_host_mode *mode = user;
    jd_log(mode->log, JOULIE_LOG_LEVEL_INFO, "spec", "the NodeTwin is gone");
    jd_metrics_forget(mode->cluster->metrics, "policy", name);
    drop_twin(mode);
}

static int upsert_hardware(void *user, struct json_object *object, const char *text, size_t len,
                           struct joulie_error *err)
{
    struct jd_host_mode *mode = user;
    (void)text;
    (void)len;
    (void)err;
    jd_publish_seen(&mode->publish, object);
    return 0;
}

static void remove_hardware(void *user, const char *name)
{
    struct jd_host_mode *mode = user;
    (void)name;
    jd_publish_seen(&mode->publish, NULL);
}

/* A list without the object says that there is none; before the first list nobody knows. */
static void on_moved(void *user)
{
    struct jd_host_mode *mode = user;
    if (mode->has_synced || !jd_cluster_has_synced(mode->cluster))
        return;
    mode->has_synced = true;
    if (!mode->twin_name)
        joulie_host_put_twin(mode->host, NULL, 0, NULL);
}

static const struct jd_cache_handlers handlers[] = {
    [JD_CACHE_NODES] = { upsert_node, remove_node, on_moved },
    [JD_CACHE_TWINS] = { upsert_twin, remove_twin, on_moved },
    [JD_CACHE_HARDWARE] = { upsert_hardware, remove_hardware, on_moved },
};

/* ---- life ---- */

int jd_host_mode_open(struct jd_host_mode *mode, struct jd_cluster *cluster,
                      struct joulie_host *host, struct joulie_error *err)
{
    const struct jd_agent_values *values = cluster->values;
    mode->cluster = cluster;
    mode->values = values;
    mode->log = cluster->log;
    mode->host = host;
    mode->feedback = (struct jd_feedback){ .cluster = cluster, .done = on_answered, .user = mode };
    mode->publish = (struct jd_publish){ .cluster = cluster, .done = on_answered, .user = mode };
    mode->object_name = jd_object_name(values->node_name);
    if (!mode->object_name)
        return jl_fail_memory(err);
    const struct jd_cluster_scope scope = { .node_name = values->node_name,
                                            .object_name = mode->object_name };
    cluster->handlers = handlers;
    cluster->user = mode;
    joulie_host_set_twin_unread(host, 1);
    const int rc = jd_cluster_watch(cluster, &scope, err);
    if (rc == 0)
        jd_clock_when_started(cluster->clock, on_started, mode);
    return rc;
}

static void on_deadline(void *user)
{
    struct jd_host_mode *mode = user;
    mode->has_ended = true;
    mode->ended(mode->user);
}

void jd_host_mode_end(struct jd_host_mode *mode, void (*ended)(void *user), void *user)
{
    if (mode->is_ending)
        return;
    mode->is_ending = true;
    mode->ended = ended;
    mode->user = user;
    mode->stepped = NULL;
    mode->deadline = (struct jd_timer){ .fire = on_deadline, .user = mode };
    jd_alarm_stop(mode->cluster->clock, &mode->alarm);
    jd_timer_set(mode->cluster->loop, &mode->deadline, jd_clock_ms() + END_MS);
    mode->is_unsaid = true;
    step(mode);
}

void jd_host_mode_close(struct jd_host_mode *mode)
{
    if (!mode->cluster)
        return;
    jd_timer_stop(mode->cluster->loop, &mode->deadline);
    jd_alarm_stop(mode->cluster->clock, &mode->alarm);
    jd_feedback_clear(&mode->feedback);
    jd_publish_clear(&mode->publish);
    jl_free(mode->object_name);
    jl_free(mode->twin_name);
    jl_free(mode->node_uid);
    *mode = (struct jd_host_mode){ 0 };
}
