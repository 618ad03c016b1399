/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* sigabbrev_np */

/* Opening, running and closing of the edges that every daemon has (docs/rules/programs.md); the
 * mains and drivers of the daemons call it. */

#include "runtime/daemon.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/http_server.h"

#define BEAT_MS 1000
#define MOST_SIGNALS 8
#define MOST_DESCRIPTORS 65536

/* ---- options ---- */

int jd_daemon_configure(struct jd_edges *edges, const struct jd_daemon *daemon, int argc,
                        char **argv, void *values)
{
    edges->daemon = daemon;
    const int status = jd_options_main(daemon, argc, argv, &edges->options, values);
    if (status != JD_GO_ON)
        return status;
    edges->log = jd_log_new(STDERR_FILENO, jd_option_text(&edges->options, values, "LOG_LEVEL"),
                            jd_option_text(&edges->options, values, "LOG_FORMAT"));
    return JD_GO_ON;
}

int jd_daemon_refuse(const struct jd_edges *edges, const struct joulie_error *err)
{
    struct joulie_error shown = *err;
    jd_hide_users(shown.message);
    fprintf(stderr, "%s: %s%s%s\n", edges->daemon->name, shown.where, shown.where[0] ? ": " : "",
            shown.message);
    return JD_USAGE;
}

static void log_later(void *user, const struct jd_setting *setting)
{
    jd_log(user, JOULIE_LOG_LEVEL_WARN, "options", "%s has no effect%s%s", setting->name,
           setting->doc ? ": " : " yet", setting->doc ? setting->doc : "");
}

void jd_daemon_log_options(struct jd_edges *edges, const char *what)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    edges->doing = what;
    jl_put_string(&text, what);
    jl_put_string(&text, " with ");
    jd_options_put(&edges->options, &text);
    if (!text.is_failed)
        jd_log_line(&edges->log, JOULIE_LOG_LEVEL_INFO, "options", text.data);
    jd_options_each_later(&edges->options, log_later, &edges->log);
}

/* ---- opening ---- */

/* A manager that cannot be reached ends a service that it waits for; one that runs anyhow is better
 * than none. */
static void open_notify(struct jd_edges *edges)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (jd_notify_open(&edges->notify, &err) < 0)
        jd_log_error(&edges->log, "start", "the service manager is not told", &err);
}

/* The usual 1024 are for programs that use select(). What a process may have stays known by its
 * hard limit. */
static void raise_descriptors(struct jd_edges *edges)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    const rlim_t before = limit.rlim_cur;
    const rlim_t most = limit.rlim_max < MOST_DESCRIPTORS ? limit.rlim_max : MOST_DESCRIPTORS;
    limit.rlim_cur = before > most ? before : most;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = before;
    jd_log(&edges->log, JOULIE_LOG_LEVEL_INFO, "loop", "at most %llu descriptors",
           (unsigned long long)limit.rlim_cur);
}

int jd_daemon_open_loop(struct jd_edges *edges, const struct jd_daemon_signals *signals,
                        struct joulie_error *err)
{
    int held[MOST_SIGNALS] = { SIGTERM, SIGINT };
    int count = 2;
    for (int i = 0; i < signals->more_count && count < MOST_SIGNALS; i++)
        held[count++] = signals->more[i];
    open_notify(edges);
    raise_descriptors(edges);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    jd_signals_hold(held, count);
    edges->has_loop = true;
    const int rc = jd_loop_open(&edges->loop, signals->period_ms, held, count, err);
    edges->loop.user = signals->user;
    edges->loop.on_period = signals->on_period;
    edges->loop.on_signal = signals->on_signal;
    edges->metrics = jd_metrics_new();
    return rc == 0 && !edges->metrics ? jl_fail_memory(err) : rc;
}

int jd_daemon_open_http(struct jd_edges *edges, struct joulie_error *err)
{
    return jd_http_open(&edges->loop, edges->daemon->name, &edges->http, err);
}

int jd_daemon_open(struct jd_edges *edges, const struct jd_daemon_signals *signals,
                   struct joulie_error *err)
{
    const int rc = jd_daemon_open_loop(edges, signals, err);
    return rc == 0 ? jd_daemon_open_http(edges, err) : rc;
}

int jd_daemon_open_clock(struct jd_edges *edges, const struct jd_daemon_clock *clock,
                         struct joulie_error *err)
{
    const struct jd_clock_options options = {
        .url = clock->url,
        .who = clock->who ? clock->who : edges->daemon->name,
        .order = clock->order,
        .wants_pods = clock->wants_pods,
        .has_reached = clock->has_reached,
        .on_end = clock->on_end,
        .user = clock->user,
        .log = &edges->log,
    };
    const int rc = jd_clock_open(&edges->loop, edges->http, &options, &edges->clock, err);
    return jd_options_blame("CLOCK_URL", rc, err);
}

int jd_daemon_open_model(const struct jd_edges *edges, struct joulie_cluster **out,
                         struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer settings = { 0 };
    jd_options_put_settings(&edges->options, &settings);
    const int rc = settings.is_failed ? jl_fail_memory(err)
                                      : joulie_cluster_new(settings.data, settings.len, out, err);
    return jd_options_blame_path(&edges->options, rc, err);
}

static void beat(void *user)
{
    struct jd_edges *edges = user;
    jd_health_beat(&edges->health);
    jd_timer_set(&edges->loop, &edges->beat, jd_clock_ms() + BEAT_MS);
}

int jd_daemon_open_health(struct jd_edges *edges, const struct jd_daemon_health *health,
                          struct joulie_error *err)
{
    edges->health = (struct jd_health){
        .ready = health->checks,
        .ready_count = health->check_count,
        .live = health->live,
        .metrics = edges->metrics,
        .refresh = health->refresh,
        .user = health->user,
        .log = &edges->log,
    };
    if (health->address) {
        const int rc = jd_health_open(&edges->health, &edges->loop, health->address, err);
        if (rc < 0)
            return jd_options_blame("METRICS_ADDR", rc, err);
        jd_daemon_log_server(edges, "health", "metrics and probes", edges->health.server);
    }
    edges->beat = (struct jd_timer){ .fire = beat, .user = edges };
    beat(edges);
    return 0;
}

void jd_daemon_log_server(struct jd_edges *edges, const char *component, const char *what,
                          const struct jd_server *server)
{
    jd_log(&edges->log, JOULIE_LOG_LEVEL_INFO, component, "%s %sat %s", what,
           jd_server_is_public(server) ? "on every address of this machine, as " : "",
           jd_server_url(server));
}

/* ---- running, and the end ---- */

/* A loop that turns without a step of the program is not alive: /livez says so, and so does this.
 */
static void notify(void *user)
{
    struct jd_edges *edges = user;
    const char *problem = jd_health_problem(&edges->health);
    if (jd_health_is_live(&edges->health))
        jd_notify_alive(&edges->notify);
    jd_notify_ready(&edges->notify, problem ? problem : edges->doing ? edges->doing : "running");
    jd_timer_set(&edges->loop, &edges->news, jd_clock_ms() + jd_notify_period_ms(&edges->notify));
}

int jd_daemon_failed(struct jd_edges *edges, int code, const struct joulie_error *err)
{
    jd_log_error(&edges->log, "start", "cannot start", err);
    return code == JOULIE_E_IO || code == JOULIE_E_NOMEM ? JD_BROKEN : JD_USAGE;
}

int jd_daemon_run(struct jd_edges *edges)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    edges->news = (struct jd_timer){ .fire = notify, .user = edges };
    if (edges->notify.is_asked)
        jd_timer_set(&edges->loop, &edges->news, jd_clock_ms());
    if (jd_loop_run(&edges->loop, &err) == 0)
        return JD_DONE;
    jd_log_error(&edges->log, "loop", "no more steps", &err);
    return JD_BROKEN;
}

void jd_daemon_log_end(struct jd_edges *edges, int signal)
{
    jd_notify_stopping(&edges->notify);
    jd_log(&edges->log, JOULIE_LOG_LEVEL_INFO, "loop", "%s ends on SIG%s", edges->daemon->name,
           sigabbrev_np(signal));
}

void jd_daemon_close_health(struct jd_edges *edges)
{
    if (!edges->has_loop)
        return;
    jd_timer_stop(&edges->loop, &edges->beat);
    jd_health_close(&edges->health);
}

void jd_daemon_close_clock(struct jd_edges *edges)
{
    jd_clock_close(edges->clock);
    edges->clock = NULL;
}

void jd_daemon_close(struct jd_edges *edges)
{
    jd_daemon_close_health(edges);
    jd_daemon_close_clock(edges);
    jd_http_close(edges->http);
    jd_notify_close(&edges->notify);
    if (edges->has_loop)
        jd_loop_close(&edges->loop);
    jd_metrics_free(edges->metrics);
    jd_options_clear(&edges->options);
    *edges = (struct jd_edges){ 0 };
}
