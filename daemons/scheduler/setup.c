/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sigabbrev_np */

/* Opening the edges of the scheduler in order, running, and closing them. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "scheduler/scheduler.h"

#define BEAT_MS 5000
#define SPARE_FILES 256 /* beside the connections of clients */

enum { GO_ON = -1, EXIT_OK = 0, EXIT_BAD = 1, EXIT_USAGE = 2 };

/* ---- options ---- */

static void report_later(void *user, const char *name)
{
    jd_log(user, JOULIE_HOST_LEVEL_WARN, "options", "%s has no effect%s", name,
           jl_same(name, "CACHE_TTL") ? ": the caches are fed by watches" : " yet");
}

static void report_options(struct jd_scheduler *scheduler)
{
    struct jl_buffer text = { 0 };
    jd_options_put(&scheduler->options, &text);
    if (!text.is_failed)
        jd_log_line(&scheduler->log, JOULIE_HOST_LEVEL_INFO, "options", text.data ? text.data : "");
    jl_buffer_clear(&text);
    jd_options_each_later(&scheduler->options, report_later, &scheduler->log);
}

int jd_scheduler_configure(struct jd_scheduler *scheduler, int argc, char **argv)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int status =
        jd_options_main(&jd_scheduler_daemon, argc, argv, &scheduler->options, &scheduler->values);
    if (status >= 0)
        return status;
    if (jd_scheduler_check(&scheduler->values, &err) < 0) {
        fprintf(stderr, "%s: %s\n", jd_scheduler_daemon.name, err.message);
        return EXIT_USAGE;
    }
    scheduler->log =
        jd_log_new(STDERR_FILENO, scheduler->values.log_level, scheduler->values.log_format);
    report_options(scheduler);
    return GO_ON;
}

/* ---- the cluster ---- */

static int open_access(struct jd_scheduler *scheduler, char **environment, struct joulie_error *err)
{
    const struct jd_scheduler_values *values = &scheduler->values;
    const struct jd_access_options options = {
        .kubeconfig = values->kubeconfig,
        .context = values->context,
        .server = values->server,
        .token_file = values->token_file,
        .environment = environment,
    };
    return jd_access_open(&options, &scheduler->access, err);
}

static int open_kube(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    const struct jd_kube_options options = {
        .access = scheduler->access,
        .component = JD_COMPONENT,
        .qps = scheduler->values.kube_qps,
        .burst = scheduler->values.kube_burst,
        .seed = (uint64_t)jd_clock_wall_ms() ^ (uint64_t)getpid(),
        .log = &scheduler->log,
        .metrics = scheduler->metrics,
    };
    return jd_kube_open(&scheduler->loop, scheduler->http, &options, &scheduler->kube, err);
}

/* ---- time ---- */

static void end(struct jd_scheduler *scheduler);

static void on_clock_end(void *user)
{
    struct jd_scheduler *scheduler = user;
    jd_log(&scheduler->log, JOULIE_HOST_LEVEL_INFO, "clock", "the simulation is over");
    end(scheduler);
}

/* A step has nothing to do: that the clock waited for the caches before it is what it is for. */
static void on_step(void *user, int64_t now_ms)
{
    struct jd_scheduler *scheduler = user;
    const int64_t interval_ms = scheduler->values.step_interval_ms;
    jd_alarm_set(scheduler->clock, &scheduler->step, (now_ms / interval_ms + 1) * interval_ms);
}

static int open_clock(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    const struct jd_clock_options options = {
        .url = scheduler->values.clock_url,
        .who = "joulie-scheduler",
        .order = JD_ORDER_SCHEDULER,
        .has_reached = jd_feed_has_reached,
        .on_end = on_clock_end,
        .user = scheduler,
        .log = &scheduler->log,
    };
    const int rc =
        jd_clock_open(&scheduler->loop, scheduler->http, &options, &scheduler->clock, err);
    scheduler->step = (struct jd_alarm){ .fire = on_step, .user = scheduler };
    if (rc == 0 && jd_clock_is_simulated(scheduler->clock))
        jd_clock_when_started(scheduler->clock, on_step, scheduler);
    return rc;
}

/* ---- health ---- */

static const char *ask_caches(void *user)
{
    return jd_feed_problem(user);
}

static const char *ask_data(void *user)
{
    const struct jd_scheduler *scheduler = user;
    const bool is_old = jd_feed_age_s(scheduler) * 1000 > (double)scheduler->values.staleness_ms;
    return is_old ? "the API server was not heard for too long" : NULL;
}

static const char *ask_end(void *user)
{
    return ((const struct jd_scheduler *)user)->is_ending ? "ending" : NULL;
}

static void beat(void *user)
{
    struct jd_scheduler *scheduler = user;
    jd_health_beat(&scheduler->health);
    jd_timer_set(&scheduler->loop, &scheduler->beat, jd_clock_ms() + BEAT_MS);
}

static int open_health(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    scheduler->checks[JD_CHECK_CACHES] = (struct jd_check){ "caches", ask_caches, scheduler };
    scheduler->checks[JD_CHECK_DATA] = (struct jd_check){ "data-age", ask_data, scheduler };
    scheduler->checks[JD_CHECK_END] = (struct jd_check){ "shutdown", ask_end, scheduler };
    scheduler->health = (struct jd_health){
        .ready = scheduler->checks,
        .ready_count = JD_CHECKS,
        .metrics = scheduler->metrics,
        .refresh = jd_metrics_refresh,
        .user = scheduler,
        .log = &scheduler->log,
    };
    const int rc =
        jd_health_open(&scheduler->health, &scheduler->loop, scheduler->values.metrics_addr, err);
    if (rc < 0)
        return rc;
    jd_log(&scheduler->log, JOULIE_HOST_LEVEL_INFO, "health", "metrics and health at %s",
           jd_server_url(scheduler->health.server));
    scheduler->beat = (struct jd_timer){ .fire = beat, .user = scheduler };
    beat(scheduler);
    return 0;
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
        .most_body = (size_t)values->max_body_bytes,
        .request_ms = values->request_timeout_ms,
        .most_connections = (unsigned)values->max_connections,
        .handle = jd_extender_handle,
        .on_answer = jd_extender_answered,
        .user = scheduler,
    };
    raise_files(scheduler);
    const int rc = jd_server_open(&scheduler->loop, &options, &scheduler->server, err);
    if (rc == 0)
        jd_log(&scheduler->log, JOULIE_HOST_LEVEL_INFO, "extender", "requests at %s",
               jd_server_url(scheduler->server));
    return rc;
}

/* ---- the end ---- */

static void on_drained(void *user)
{
    jd_loop_stop(&((struct jd_scheduler *)user)->loop);
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
    jd_log(&scheduler->log, JOULIE_HOST_LEVEL_INFO, "loop", "the scheduler ends on SIG%s",
           sigabbrev_np(signal));
    end(scheduler);
}

/* ---- in order ---- */

static int open_loop(struct jd_scheduler *scheduler, struct joulie_error *err)
{
    static const int signals[] = { SIGTERM, SIGINT };
    signal(SIGPIPE, SIG_IGN);
    jd_signals_hold(signals, JL_COUNT(signals));
    scheduler->loop.user = scheduler;
    scheduler->loop.on_signal = on_signal;
    const int rc = jd_loop_open(&scheduler->loop, 0, signals, JL_COUNT(signals), err);
    scheduler->loop.user = scheduler;
    scheduler->loop.on_signal = on_signal;
    return rc;
}

static int open_all(struct jd_scheduler *scheduler, char **environment, struct joulie_error *err)
{
    int rc = open_loop(scheduler, err);
    if (rc == 0) {
        scheduler->metrics = jd_metrics_new();
        rc = scheduler->metrics ? 0 : jl_fail_memory(err);
    }
    if (rc == 0)
        rc = jd_scheduler_model(&scheduler->values, &scheduler->cluster, err);
    if (rc == 0)
        rc = jd_http_open(&scheduler->loop, JD_COMPONENT, &scheduler->http, err);
    if (rc == 0)
        rc = open_access(scheduler, environment, err);
    if (rc == 0)
        rc = open_kube(scheduler, err);
    if (rc == 0)
        rc = jd_options_blame("CLOCK_URL", open_clock(scheduler, err), err);
    if (rc == 0)
        rc = jd_options_blame("METRICS_ADDR", open_health(scheduler, err), err);
    if (rc == 0)
        rc = jd_options_blame("EXTENDER_ADDR", open_server(scheduler, err), err);
    return rc == 0 ? jd_feed_open(scheduler, err) : rc;
}

int jd_scheduler_open(struct jd_scheduler *scheduler, char **environment)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = open_all(scheduler, environment, &err);
    if (rc == 0)
        return GO_ON;
    jd_log_error(&scheduler->log, "scheduler", "cannot start", &err);
    return rc == JOULIE_E_IO || rc == JOULIE_E_NOMEM ? EXIT_BAD : EXIT_USAGE;
}

int jd_scheduler_run(struct jd_scheduler *scheduler)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jd_loop_run(&scheduler->loop, &err);
    if (rc < 0)
        jd_log_error(&scheduler->log, "loop", "it does not go on", &err);
    return rc < 0 ? EXIT_BAD : EXIT_OK;
}

int jd_scheduler_close(struct jd_scheduler *scheduler, int status)
{
    jd_server_close(scheduler->server);
    jd_feed_close(scheduler);
    jd_health_close(&scheduler->health);
    jd_clock_close(scheduler->clock);
    jd_kube_close(scheduler->kube);
    jd_access_close(scheduler->access);
    jd_http_close(scheduler->http);
    joulie_cluster_free(scheduler->cluster);
    jd_metrics_free(scheduler->metrics);
    jd_metrics_clear_recent(scheduler);
    jd_loop_close(&scheduler->loop);
    jd_options_clear(&scheduler->options);
    return status;
}
