/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* sigabbrev_np */

/* Opening the edges of the operator in order, running, and closing them. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "operator/metrics.h"
#include "operator/operator.h"

enum { GO_ON = -1, EXIT_OK = 0, EXIT_BAD = 1, EXIT_USAGE = 2 };

#define END_MS 5000 /* for what is under way at the end */
#define BEAT_MS 1000

static void report_later(void *user, const char *name)
{
    jd_log(user, JOULIE_HOST_LEVEL_WARN, "options", "%s has no effect yet", name);
}

static void report_options(struct jd_operator *op)
{
    struct jl_buffer text = { 0 };
    jl_put_string(&text, op->values.dry_run ? "deciding without writing, with " : "deciding with ");
    jd_options_put(&op->options, &text);
    if (!text.is_failed)
        jd_log_line(&op->log, JOULIE_HOST_LEVEL_INFO, "options", text.data);
    jl_buffer_clear(&text);
    jd_options_each_later(&op->options, report_later, &op->log);
}

int jd_operator_configure(struct jd_operator *op, int argc, char **argv)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int status = jd_options_main(&jd_operator_daemon, argc, argv, &op->options, &op->values);
    if (status >= 0)
        return status;
    if (jd_operator_model(&op->values, &op->cluster, &err) < 0 || jd_telemetry_open(op, &err) < 0 ||
        jd_facility_open(op, &err) < 0) {
        fprintf(stderr, "%s: %s\n", jd_operator_daemon.name, err.message);
        return EXIT_USAGE;
    }
    op->log = jd_log_new(STDERR_FILENO, op->values.log_level, op->values.log_format);
    report_options(op);
    return GO_ON;
}

/* ---- opening ---- */

static int open_loop(struct jd_operator *op, struct joulie_error *err)
{
    static const int signals[] = { SIGTERM, SIGINT };
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a log that may not grow is an error like a full disk */
    jd_signals_hold(signals, JL_COUNT(signals));
    return jd_loop_open(&op->loop, 0, signals, JL_COUNT(signals), err);
}

static int open_kube(struct jd_operator *op, char **environment, struct joulie_error *err)
{
    const struct jd_access_options access = {
        .kubeconfig = op->values.kubeconfig,
        .context = op->values.context,
        .server = op->values.server,
        .token_file = op->values.token_file,
        .environment = environment,
    };
    int rc = jd_access_open(&access, &op->access, err);
    if (rc < 0)
        return rc;
    const struct jd_kube_options kube = {
        .access = op->access,
        .component = jd_operator_daemon.name,
        .qps = op->values.kube_qps,
        .burst = op->values.kube_burst,
        .seed = (uint64_t)getpid(),
        .log = &op->log,
        .metrics = op->metrics,
    };
    rc = jd_kube_open(&op->loop, op->http, &kube, &op->kube, err);
    if (rc == 0)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "kube", "the API server is %s",
               jd_access_server(op->access));
    return rc;
}

static void on_end(void *user)
{
    struct jd_operator *op = user;
    jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "clock", "the simulation has ended");
    jd_loop_stop(&op->loop);
}

static int open_clock(struct jd_operator *op, struct joulie_error *err)
{
    const struct jd_clock_options options = {
        .url = op->values.clock_url,
        .who = jd_operator_daemon.name,
        .order = JD_ORDER_OPERATOR,
        .has_reached = jd_feed_has_reached,
        .on_end = on_end,
        .user = op,
        .log = &op->log,
    };
    return jd_clock_open(&op->loop, op->http, &options, &op->clock, err);
}

static int open_recorder(struct jd_operator *op, struct joulie_error *err)
{
    const char *instance =
        jl_is_empty(op->values.pod_name) ? jd_operator_daemon.name : op->values.pod_name;
    return jd_recorder_open(&op->loop, op->kube, "joulie.io/operator", instance, &op->recorder,
                            err);
}

static const char *caches_problem(void *user)
{
    return jd_feed_problem(user);
}

static const char *foreign_problem(void *user)
{
    return jd_coexist_problem(user) ? "another operator is at work" : NULL;
}

static int open_health(struct jd_operator *op, struct joulie_error *err)
{
    static struct jd_check checks[] = {
        { .name = "caches", .ask = caches_problem },
        { .name = "other-operators", .ask = foreign_problem },
    };
    for (size_t i = 0; i < JL_COUNT(checks); i++)
        checks[i].user = op;
    op->health = (struct jd_health){
        .ready = checks,
        .ready_count = JL_COUNT(checks),
        .metrics = op->metrics,
        .refresh = jd_measure,
        .user = op,
        .log = &op->log,
    };
    const int rc = jd_health_open(&op->health, &op->loop, op->values.metrics_addr, err);
    if (rc == 0)
        jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "health", "metrics and probes at %s",
               jd_server_url(op->health.server));
    return rc;
}

static void beat(void *user)
{
    struct jd_operator *op = user;
    jd_health_beat(&op->health);
    jd_timer_set(&op->loop, &op->beat, jd_clock_ms() + BEAT_MS);
}

static void on_started(void *user, int64_t now_ms)
{
    struct jd_operator *op = user;
    jd_facility_begin(op, now_ms);
    jd_heartbeat_begin(op, now_ms);
    jd_step_begin(op, now_ms);
}

int jd_operator_open(struct jd_operator *op, char **environment)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    op->metrics = jd_metrics_new();
    int rc = op->metrics ? open_loop(op, &err) : jl_fail_memory(&err);
    if (rc == 0)
        rc = jd_http_open(&op->loop, jd_operator_daemon.name, &op->http, &err);
    if (rc == 0)
        rc = open_kube(op, environment, &err);
    if (rc == 0)
        rc = jd_options_blame("CLOCK_URL", open_clock(op, &err), &err);
    if (rc == 0)
        rc = open_recorder(op, &err);
    if (rc == 0)
        rc = jd_options_blame("METRICS_ADDR", open_health(op, &err), &err);
    if (rc == 0)
        rc = jd_heartbeat_open(op, &err);
    if (rc == 0)
        rc = jd_step_open(op, &err);
    if (rc == 0)
        rc = jd_coexist_open(op, &err);
    if (rc == 0)
        rc = jd_feed_open(op, &err);
    if (rc == 0) {
        op->beat = (struct jd_timer){ .fire = beat, .user = op };
        beat(op);
        jd_clock_when_started(op->clock, on_started, op);
        return GO_ON;
    }
    jd_log_error(&op->log, "operator", "cannot start", &err);
    return rc == JOULIE_E_IO || rc == JOULIE_E_NOMEM ? EXIT_BAD : EXIT_USAGE;
}

/* ---- the end ---- */

void jd_operator_check_end(struct jd_operator *op)
{
    if (op->is_ending && jd_step_is_idle(op) && !op->heartbeat.is_in_flight)
        jd_loop_stop(&op->loop);
}

static void on_timeout(void *user)
{
    struct jd_operator *op = user;
    jd_log(&op->log, JOULIE_HOST_LEVEL_WARN, "loop", "%zu writes have no answer yet; they are left",
           op->apply.in_flight);
    jd_loop_stop(&op->loop);
}

static void on_signal(void *user, int number)
{
    struct jd_operator *op = user;
    if (op->is_ending) {
        jd_loop_stop(&op->loop);
        return;
    }
    jd_log(&op->log, JOULIE_HOST_LEVEL_INFO, "loop", "the operator ends on SIG%s",
           sigabbrev_np(number));
    op->is_ending = true;
    op->timeout = (struct jd_timer){ .fire = on_timeout, .user = op };
    jd_timer_set(&op->loop, &op->timeout, jd_clock_ms() + END_MS);
    jd_step_end(op);
    jd_operator_check_end(op);
}

int jd_operator_run(struct jd_operator *op)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    op->loop.user = op;
    op->loop.on_signal = on_signal;
    if (jd_loop_run(&op->loop, &err) == 0)
        return EXIT_OK;
    jd_log_error(&op->log, "loop", "no more steps", &err);
    return EXIT_BAD;
}

int jd_operator_close(struct jd_operator *op, int status)
{
    if (op->loop.epoll_fd > 0)
        jd_step_close(op);
    if (op->loop.epoll_fd > 0)
        jd_coexist_close(op);
    jd_telemetry_close(op);
    jd_facility_close(op);
    jd_feed_close(op);
    jd_heartbeat_close(op);
    jd_apply_close(op);
    if (op->health.server)
        jd_health_close(&op->health);
    if (op->recorder)
        jd_recorder_close(op->recorder);
    if (op->clock)
        jd_clock_close(op->clock);
    if (op->kube)
        jd_kube_close(op->kube);
    if (op->access)
        jd_access_close(op->access);
    if (op->http)
        jd_http_close(op->http);
    jd_loop_close(&op->loop);
    jd_metrics_free(op->metrics);
    jd_notes_clear(&op->notes);
    joulie_cluster_free(op->cluster);
    jd_options_clear(&op->options);
    return status;
}
