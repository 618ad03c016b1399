/* SPDX-License-Identifier: Apache-2.0 */

/* Opening the edges of the agent in order, and closing them. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/endpoints.h"
#include "agent/restore.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/clock.h"
#include "runtime/live.h"

#define HOST_NAME_BYTES 256

enum { GO_ON = -1, EXIT_BAD = 1, EXIT_USAGE = 2 };

extern char **environ;

static void tell_later(void *user, const struct jd_setting *setting)
{
    jd_log(user, JOULIE_LOG_LEVEL_WARN, "options", "%s has no effect yet", setting->name);
}

static void tell_useless(void *user, const char *name)
{
    jd_log(user, JOULIE_LOG_LEVEL_WARN, "options", "%s has no effect without a cluster", name);
}

static void tell_options(struct jd_agent *agent)
{
    struct jl_buffer text = { 0 };
    jl_put_string(&text, agent->enforces ? "enforcing with " : "observing with ");
    jd_options_put(&agent->options, &text);
    if (!text.is_failed)
        jd_log_line(&agent->log, JOULIE_LOG_LEVEL_INFO, "options", text.data);
    jl_buffer_clear(&text);
    jd_options_each_later(&agent->options, tell_later, &agent->log);
    if (agent->place == JD_WITH_FILES)
        jd_agent_tell_useless(&agent->options, tell_useless, &agent->log);
}

int jd_agent_configure(struct jd_agent *agent, int argc, char **argv)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_agent_values *values = &agent->values;
    const int status =
        jd_options_main(&jd_agent_daemon, argc, argv, &agent->options, &agent->values);
    if (status >= 0)
        return status;
    agent->is_live = jd_is_live(values->root);
    if (jd_agent_place(&agent->options, values, environ, &agent->place, &err) < 0 ||
        jd_agent_mode(&agent->options, values, agent->is_live, agent->place, &agent->enforces,
                      &err) < 0 ||
        jd_endpoints_check(values, agent->place, &err) < 0 ||
        (agent->place == JD_WITH_REMOTE && jd_pool_check(values, &err) < 0)) {
        fprintf(stderr, "%s: %s\n", jd_agent_daemon.name, err.message);
        return EXIT_USAGE;
    }
    if (values->once && !values->status)
        values->status = "-";
    agent->log = jd_log_new(STDERR_FILENO, values->log_level, values->log_format);
    tell_options(agent);
    return GO_ON;
}

static void fill_options(const struct jd_agent *agent, struct joulie_host_options *out)
{
    const struct jd_agent_values *values = &agent->values;
    *out = JOULIE_INIT(struct joulie_host_options);
    out->has = JOULIE_HOST_HAS_FLOOR | JOULIE_HOST_HAS_SPEC_READ_TIMEOUT |
               JOULIE_HOST_HAS_STALENESS | JOULIE_HOST_HAS_MAX_AGE | JOULIE_HOST_HAS_EMA_ALPHA |
               JOULIE_HOST_HAS_HIGH_MARGIN | JOULIE_HOST_HAS_LOW_MARGIN | JOULIE_HOST_HAS_STEP |
               JOULIE_HOST_HAS_COOLDOWN | JOULIE_HOST_HAS_TRIP_COUNT | JOULIE_HOST_HAS_MIN_FREQ;
    out->root = values->root;
    out->state_dir = values->state_dir;
    out->floor_pct = values->cap_floor_pct;
    out->spec_read_timeout_ms = values->spec_read_timeout_ms;
    out->staleness_ms = values->twin_staleness_ms;
    out->max_age_ms = values->twin_max_age_ms;
    out->dvfs_controller = values->dvfs_controller;
    out->dvfs_ema_alpha = values->dvfs_ema_alpha;
    out->dvfs_high_margin_w = values->dvfs_high_margin_w;
    out->dvfs_low_margin_w = values->dvfs_low_margin_w;
    out->dvfs_step_pct = values->dvfs_step_pct;
    out->dvfs_cooldown_ms = values->dvfs_cooldown_ms;
    out->dvfs_trip_count = values->dvfs_trip_count;
    out->dvfs_min_freq_khz = values->dvfs_min_freq_khz;
    out->enforces = agent->enforces;
    out->ramps = agent->is_live;
    out->may_enable = values->rapl_enable;
    /* who can replace the file stands behind it */
    out->has_backed_twin = agent->place == JD_WITH_FILES;
    out->is_one_shot = values->once;
    out->log = jd_log_of_host;
}

static int open_host(struct jd_agent *agent, struct joulie_error *err)
{
    struct joulie_host_options options;
    fill_options(agent, &options);
    options.log_user = &agent->log;
    int rc = joulie_host_open(&options, &agent->host, err);
    if (rc == 0 && agent->enforces)
        rc = joulie_host_claim(agent->host, jd_clock_now().now_ms, err);
    if (rc == 0 && agent->enforces)
        jd_watchdog_claimed(&agent->watchdog);
    else if (rc == 0)
        jd_report_caps(agent->host, &agent->log);
    if (rc == 0 && !agent->values.spec && agent->place == JD_WITH_FILES)
        rc = joulie_host_put_twin(agent->host, NULL, 0, err);
    return rc;
}

/* A step of --once has no crash that it could leave caps behind by accident: it leaves them on
 * purpose. */
static int open_watchdog(struct jd_agent *agent, struct joulie_error *err)
{
    agent->watchdog = (struct jd_watchdog){
        .root = agent->values.root,
        .state_dir = agent->values.state_dir,
        .timeout_ms = agent->values.watchdog_timeout_ms,
        .log = &agent->log,
    };
    const bool has_host = agent->place != JD_WITH_REMOTE;
    return has_host && agent->enforces && !agent->values.once
               ? jd_watchdog_start(&agent->watchdog, err)
               : 0;
}

static int open_loop(struct jd_agent *agent, struct joulie_error *err)
{
    int signals[4] = { SIGTERM, SIGINT, SIGCHLD };
    int count = 3;
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
        signals[count++] = SIGHUP; /* nohup means it */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    jd_signals_hold(signals, count);
    const int64_t period_ms = agent->place == JD_WITH_FILES ? agent->values.control_interval_ms : 0;
    return jd_loop_open(&agent->loop, period_ms, signals, count, err);
}

static int open_spec(struct jd_agent *agent, struct joulie_error *err)
{
    char name[HOST_NAME_BYTES] = "";
    gethostname(name, sizeof name - 1);
    agent->host_name = jl_strdup(name[0] ? name : "localhost");
    agent->spec = (struct jd_spec){
        .path = agent->values.spec,
        .node_name = agent->values.node_name,
        .log = &agent->log,
    };
    return agent->host_name ? 0 : jl_fail_memory(err);
}

int jd_agent_open(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    agent->status.log = &agent->log;
    int rc = jd_status_open(&agent->status, agent->values.status, &err);
    if (rc == 0)
        rc = open_loop(agent, &err);
    if (rc == 0)
        rc = open_watchdog(agent, &err);
    if (rc == 0 && agent->place != JD_WITH_REMOTE)
        rc = open_host(agent, &err);
    if (rc == 0)
        rc = open_spec(agent, &err);
    if (rc == 0 && agent->place != JD_WITH_FILES)
        rc = jd_agent_open_cluster(agent, &err);
    if (rc == 0)
        return GO_ON;
    jd_log_error(&agent->log, "agent", "cannot start", &err);
    return EXIT_BAD;
}

/* calls=… writes=… syncs=…, for measuring. */
static void tell_counts(struct jd_agent *agent)
{
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    char text[96];
    if (!agent->host || joulie_host_get_counts(agent->host, &counts, NULL) != JOULIE_OK)
        return;
    snprintf(text, sizeof text, "calls=%llu writes=%llu syncs=%llu",
             (unsigned long long)counts.calls, (unsigned long long)counts.writes,
             (unsigned long long)counts.syncs);
    jd_log_line(&agent->log, JOULIE_LOG_LEVEL_DEBUG, "host", text);
    FILE *file = agent->values.counts_file ? fopen(agent->values.counts_file, "we") : NULL;
    if (file && (fprintf(file, "%s\n", text) < 0 || fclose(file) != 0))
        jd_log(&agent->log, JOULIE_LOG_LEVEL_ERROR, "host", "%s: %s", agent->values.counts_file,
               strerror(errno));
}

int jd_agent_close(struct jd_agent *agent, int status)
{
    tell_counts(agent);
    jd_agent_close_cluster(agent);
    joulie_host_free(agent->host);
    jd_watchdog_good_bye(&agent->watchdog);
    jd_loop_close(&agent->loop);
    jd_spec_clear(&agent->spec);
    jd_status_close(&agent->status);
    jl_free(agent->host_name);
    jd_options_clear(&agent->options);
    return status;
}
