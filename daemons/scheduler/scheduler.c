/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-scheduler: answers kube-scheduler which nodes fit a pod (docs/rules/extender.md). Opens
 * the edges in order, runs, and closes them; extender.c answers requests. */

#include "scheduler/scheduler.h"

#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/time.h"
#include "runtime/address.h"
#include "runtime/json.h"

#define SPARE_FILES 256 /* beside the connections of clients */

/* Pods come last: only a profile that goes by what is on a node watches them. */
enum { TWINS, HARDWARE, NODES, PROFILES, HEARTBEAT, PODS, SOURCES };

static const struct jd_feed_source sources[SOURCES] = {
    [TWINS] = { &jd_node_twins, "NodeTwin", .missing = "nodetwins were not listed yet" },
    [HARDWARE] = { &jd_node_hardwares, "NodeHardware",
                   .missing = "nodehardwares were not listed yet" },
    [NODES] = { &jd_nodes, "Node", .missing = "nodes were not listed yet" },
    [PROFILES] = { &jd_workload_profiles, "WorkloadProfile", .is_optional = true },
    [HEARTBEAT] = { &jd_leases, .field_selector = "metadata.name=" JD_HEARTBEAT_LEASE,
                    .is_namespaced = true, .is_optional = true },
    [PODS] = { &jd_pods, "Pod", .field_selector = "status.phase!=Succeeded,status.phase!=Failed",
               .missing = "pods were not listed yet" },
};

/* ---- options ---- */

static int configure(struct jd_scheduler *scheduler, int argc, char **argv)
{
    const int status = jd_daemon_configure(&scheduler->edges, &jd_scheduler_daemon, argc, argv,
                                           &scheduler->values);
    if (status < 0)
        jd_daemon_log_options(&scheduler->edges, "answering");
    return status;
}

/* ---- the caches ---- */

/* The operator's heartbeat (docs/rules/extender.md#freshness). A Lease that is gone beats no more:
 * its last beat ages. */
static int on_object(void *user, size_t source, const char *text, size_t len,
                     struct joulie_error *err)
{
    struct jd_scheduler *scheduler = user;
    JL_CLEANUP(jd_json_freep) struct json_object *lease = NULL;
    int64_t at_ms = 0;
    if (source != HEARTBEAT)
        return 0;
    const int rc = jd_json_read(text, len, &lease, err);
    if (rc < 0)
        return rc;
    const char *const renewed = jd_json_text(lease, "spec.renewTime");
    const bool is_time = renewed && jl_parse_time(renewed, strlen(renewed), &at_ms) == 0;
    if (!is_time)
        return jl_fail(err, JOULIE_E_PARSE, "spec.renewTime", "is no time");
    joulie_cluster_heartbeat(scheduler->cluster, at_ms);
    return 0;
}

static int open_feed(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    const struct jd_feed_options options = {
        .kube = scheduler->api.kube,
        .clock = scheduler->edges.clock,
        .cluster = scheduler->cluster,
        .sources = sources,
        .count = jd_scoring_is_by_pods(&scheduler->scoring) ? SOURCES : PODS,
        .name_space = scheduler->values.name_space,
        .component = JD_COMPONENT,
        .on_object = on_object,
        .user = scheduler,
    };
    return jd_feed_open(&scheduler->feed, &options, err);
}

/* ---- the end ---- */

static void on_drained(void *user)
{
    jd_loop_stop(&((struct jd_scheduler *)user)->edges.loop);
}

static void end(struct jd_scheduler *scheduler)
{
    if (scheduler->is_ending)
        return;
    scheduler->is_ending = true;
    jd_server_drain(scheduler->server, scheduler->values.shutdown_timeout_ms, on_drained,
                    scheduler);
}

static void on_signal(void *user, int signal)
{
    struct jd_scheduler *scheduler = user;
    jd_daemon_log_end(&scheduler->edges, signal);
    end(scheduler);
}

/* ---- time ---- */

static void on_clock_end(void *user)
{
    struct jd_scheduler *scheduler = user;
    jd_log(&scheduler->edges.log, JOULIE_LOG_LEVEL_INFO, "clock", "the simulation is over");
    end(scheduler);
}

static bool has_reached(void *user, const char *version)
{
    return jd_feed_has_reached(&((struct jd_scheduler *)user)->feed, version);
}

/* A step has nothing to do: that the clock waited for the caches before it is what it is for. */
static void on_step(void *user, int64_t now_ms)
{
    struct jd_scheduler *scheduler = user;
    const int64_t interval_ms = scheduler->values.step_interval_ms;
    jd_alarm_set(scheduler->edges.clock, &scheduler->step,
                 (now_ms / interval_ms + 1) * interval_ms);
}

static int open_clock(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    const struct jd_daemon_clock clock = {
        .url = scheduler->values.clock_url,
        .order = JD_ORDER_SCHEDULER,
        .has_reached = has_reached,
        .on_end = on_clock_end,
        .user = scheduler,
    };
    const int rc = jd_daemon_open_clock(&scheduler->edges, &clock, err);
    scheduler->step = (struct jd_alarm){ .fire = on_step, .user = scheduler };
    if (rc == 0 && jd_clock_is_simulated(scheduler->edges.clock))
        jd_clock_when_started(scheduler->edges.clock, on_step, scheduler);
    return rc;
}

/* ---- health ---- */

static const char *ask_caches(void *user)
{
    return jd_feed_problem(&((struct jd_scheduler *)user)->feed);
}

static const char *ask_data(void *user)
{
    const struct jd_scheduler *scheduler = user;
    const bool is_old =
        jd_feed_age_s(&scheduler->feed) * 1000 > (double)scheduler->values.staleness_ms;
    return is_old ? "the API server was not heard for too long" : NULL;
}

static const char *ask_end(void *user)
{
    return ((const struct jd_scheduler *)user)->is_ending ? "ending" : NULL;
}

static int open_health(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    scheduler->checks[JD_CHECK_CACHES] = (struct jd_check){ "caches", ask_caches, scheduler };
    scheduler->checks[JD_CHECK_DATA] = (struct jd_check){ "data-age", ask_data, scheduler };
    scheduler->checks[JD_CHECK_END] = (struct jd_check){ "shutdown", ask_end, scheduler };
    const struct jd_daemon_health health = {
        .address = scheduler->values.metrics_addr,
        .checks = scheduler->checks,
        .check_count = JD_CHECKS,
        .refresh = jd_metrics_refresh,
        .user = scheduler,
    };
    return jd_daemon_open_health(&scheduler->edges, &health, err);
}

/* ---- requests ---- */

/* Each connection takes a descriptor. */
static void raise_files(const struct jd_scheduler *scheduler)
{
    const rlim_t wanted = (rlim_t)scheduler->values.max_connections + SPARE_FILES;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_server(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    const struct jd_scheduler_values *values = &scheduler->values;
    const struct jd_server_options options = {
        .address = values->extender_addr,
        .is_local = jd_host_is_loopback(jd_host_of(jl_text(values->extender_addr))),
        .hosts = values->allowed_hosts,
        .most_body = (size_t)values->max_body_bytes,
        .request_ms = values->request_timeout_ms,
        .most_connections = (unsigned)values->max_connections,
        .tls = scheduler->tls,
        .handle = jd_extender_handle,
        .on_answer = jd_extender_answered,
        .user = scheduler,
    };
    raise_files(scheduler);
    const int rc = jd_server_open(&scheduler->edges.loop, &options, &scheduler->server, err);
    if (rc == 0)
        jd_daemon_log_server(&scheduler->edges, "extender", "requests", scheduler->server);
    return jd_options_blame("EXTENDER_ADDR", rc, err);
}

static int open_scoring(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    scheduler->scoring.loop = &scheduler->edges.loop;
    scheduler->scoring.log = &scheduler->edges.log;
    scheduler->scoring.cluster = scheduler->cluster;
    return jd_options_blame(
        "SCORING_PROFILE",
        jd_scoring_open(&scheduler->scoring, scheduler->values.scoring_profile, err), err);
}

/* ---- in order ---- */

static int open_all(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    const struct jd_daemon_signals signals = { .on_signal = on_signal, .user = scheduler };
    int rc = jd_daemon_open(&scheduler->edges, &signals, err);
    if (rc == 0)
        rc = jd_daemon_open_model(&scheduler->edges, &scheduler->cluster, err);
    if (rc == 0)
        rc = open_scoring(scheduler, err);
    if (rc == 0)
        rc = jd_connect(&scheduler->edges, &scheduler->values.api, &scheduler->api, err);
    if (rc == 0)
        rc = open_clock(scheduler, err);
    if (rc == 0)
        rc = open_health(scheduler, err);
    if (rc == 0)
        rc = jd_server_tls_open(&scheduler->edges.loop, &scheduler->edges.log,
                                &scheduler->values.tls, &scheduler->tls, err);
    if (rc == 0)
        rc = open_server(scheduler, err);
    return rc == 0 ? open_feed(scheduler, err) : rc;
}

static int open_scheduler(struct jd_scheduler *scheduler)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = open_all(scheduler, &err);
    return rc == 0 ? JD_GO_ON : jd_daemon_failed(&scheduler->edges, rc, &err);
}

static void close_scheduler(struct jd_scheduler *scheduler)
{
    jd_server_close(scheduler->server);
    jd_server_tls_close(scheduler->tls);
    jd_feed_close(&scheduler->feed);
    jd_daemon_close_health(&scheduler->edges);
    jd_daemon_close_clock(&scheduler->edges);
    jd_scoring_close(&scheduler->scoring);
    jd_disconnect(&scheduler->api);
    jd_daemon_close(&scheduler->edges);
    joulie_cluster_free(scheduler->cluster);
    jd_metrics_clear_recent(&scheduler->recent);
}

int main(int argc, char **argv)
{
    static struct jd_scheduler scheduler;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = configure(&scheduler, argc, argv);
    if (status == JD_GO_ON)
        status = open_scheduler(&scheduler);
    if (status == JD_GO_ON)
        status = jd_daemon_run(&scheduler.edges);
    close_scheduler(&scheduler);
    return status;
}
