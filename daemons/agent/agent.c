/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-agent: keeps the power caps of a machine. What its options come to, the edges in order,
 * running, the end. */

#include "agent/agent.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/endpoints.h"
#include "agent/metrics.h"
#include "base/error.h"
#include "runtime/live.h"
#include "runtime/privileges.h"
#include "runtime/state_folder.h"

extern char **environ;

/* ---- options ---- */

static void log_useless(void *user, const char *name)
{
    jd_log(user, JOULIE_LOG_LEVEL_WARN, "options", "%s has no effect without a cluster", name);
}

/* Before anything is opened that the machine could be written with. */
static int check_state(const struct jd_agent *agent, struct joulie_error *err)
{
    const struct jd_agent_values *values = &agent->values;
    const bool writes = agent->is_live && agent->shared.enforces &&
                        agent->place != JD_WITH_REMOTE && !jd_agent_socket(values);
    return writes && !values->state_dir_may_vanish
               ? jd_check_state_folder(values->root, values->state_dir, err)
               : 0;
}

static int decide_place(struct jd_agent *agent, struct joulie_error *err)
{
    const struct jd_options *options = &agent->edges.options;
    const struct jd_agent_values *values = &agent->values;
    int rc = jd_agent_place(options, values, environ, &agent->place, err);
    if (rc == 0)
        rc = jd_agent_mode(options, values, agent->is_live, agent->place, &agent->shared.enforces,
                           err);
    if (rc == 0)
        rc = check_state(agent, err);
    if (rc == 0)
        rc = jd_endpoints_check(values, agent->place, err);
    return rc == 0 && agent->place == JD_WITH_REMOTE ? jd_core_check(values, err) : rc;
}

static int configure(struct jd_agent *agent, int argc, char **argv)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_agent_values *values = &agent->values;
    const int status = jd_daemon_configure(&agent->edges, &jd_agent_daemon, argc, argv, values);
    if (status != JD_GO_ON)
        return status;
    agent->is_live = jd_is_live(values->root);
    if (decide_place(agent, &err) < 0)
        return jd_daemon_refuse(&agent->edges, &err);
    if (values->once && !values->status)
        values->status = "-";
    jd_daemon_log_options(&agent->edges, agent->shared.enforces ? "enforcing" : "observing");
    if (agent->place == JD_WITH_FILES)
        jd_agent_each_useless(&agent->edges.options, log_useless, &agent->edges.log);
    return JD_GO_ON;
}

/* ---- the end ---- */

static void on_ended(void *user)
{
    struct jd_agent *agent = user;
    jd_loop_stop(&agent->edges.loop);
}

/* With files the run gives back when the loop has stopped. */
static void end(struct jd_agent *agent)
{
    const bool gives_back =
        agent->values.restore_on_exit && (agent->shared.enforces || agent->place == JD_WITH_REMOTE);
    if (agent->is_ending)
        return;
    agent->is_ending = true;
    if (agent->place != JD_WITH_FILES && gives_back)
        jd_core_end(&agent->core, on_ended, agent);
    else
        jd_loop_stop(&agent->edges.loop);
}

static void on_signal(void *user, int signal)
{
    struct jd_agent *agent = user;
    if (signal == SIGCHLD) {
        jd_writer_reap(&agent->host.writer);
        return;
    }
    jd_daemon_log_end(&agent->edges, signal);
    end(agent);
}

/* The machines of a simulation end with it: there is nobody to give anything back to. */
static void on_clock_end(void *user)
{
    struct jd_agent *agent = user;
    jd_log(&agent->edges.log, JOULIE_LOG_LEVEL_INFO, "clock", "the simulation is over");
    if (agent->place == JD_WITH_REMOTE)
        jd_loop_stop(&agent->edges.loop);
    else
        end(agent);
}

/* ---- opening ---- */

static int open_loop(struct jd_agent *agent, struct joulie_error *err)
{
    const bool has_files = agent->place == JD_WITH_FILES;
    int more[2] = { SIGCHLD };
    struct jd_daemon_signals signals = {
        .more = more,
        .more_count = 1,
        .period_ms = has_files ? agent->values.control_interval_ms : 0,
        .on_period = jd_files_on_period,
        .on_signal = on_signal,
        .user = agent,
    };
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
        more[signals.more_count++] = SIGHUP; /* nohup means it */
    const int rc = jd_daemon_open_loop(&agent->edges, &signals, err);
    agent->shared.values = &agent->values;
    agent->shared.loop = &agent->edges.loop;
    agent->shared.log = &agent->edges.log;
    agent->shared.metrics = agent->edges.metrics;
    return rc;
}

static bool has_reached(void *user, const char *version)
{
    return jd_feed_has_reached(&((struct jd_agent *)user)->core.feed, version);
}

/* Several agents of one simulation have names of their own. */
static void put_who(const struct jd_agent_values *values, struct jl_buffer *out)
{
    const char *const names[] = { values->pod_name, values->node_name, values->pool_shard_id };
    jl_put_string(out, jd_agent_daemon.name);
    for (size_t i = 0; i < JL_COUNT(names); i++) {
        if (jl_is_empty(names[i]))
            continue;
        jl_put_char(out, '-');
        jl_put_string(out, names[i]);
        return;
    }
}

static int open_clock(struct jd_agent *agent, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer who = { 0 };
    put_who(&agent->values, &who);
    const struct jd_daemon_clock clock = {
        .url = agent->values.clock_url,
        .who = who.data,
        .order = JD_ORDER_AGENT,
        .has_reached = has_reached,
        .on_end = on_clock_end,
        .user = agent,
    };
    return who.is_failed ? jl_fail_memory(err) : jd_daemon_open_clock(&agent->edges, &clock, err);
}

static const char *caches_problem(void *user)
{
    return jd_feed_problem(&((struct jd_agent *)user)->core.feed);
}

static const char *steps_problem(void *user)
{
    return jd_core_problem(&((struct jd_agent *)user)->core);
}

static void before_scrape(void *user)
{
    struct jd_agent *agent = user;
    jd_feed_measure(&agent->core.feed);
    if (agent->place == JD_WITH_HOST)
        jd_metrics_policies(agent->edges.metrics, agent->values.node_name, agent->host.host);
}

static int open_health(struct jd_agent *agent, struct joulie_error *err)
{
    agent->checks[0] = (struct jd_check){ "caches", caches_problem, agent };
    const struct jd_daemon_health health = {
        .address = agent->values.metrics_addr,
        .checks = agent->checks,
        .check_count = JL_COUNT(agent->checks),
        .live = { "steps", steps_problem, agent },
        .refresh = before_scrape,
        .user = agent,
    };
    return jd_daemon_open_health(&agent->edges, &health, err);
}

static int open_core(struct jd_agent *agent, struct joulie_error *err)
{
    agent->shared.http = agent->edges.http;
    agent->shared.clock = agent->edges.clock;
    agent->shared.kube = agent->api.kube;
    const int rc = agent->place == JD_WITH_REMOTE
                       ? joulie_remote_profiles_new(&agent->shared.profiles, err)
                       : 0;
    if (rc < 0)
        return rc;
    return agent->place == JD_WITH_HOST
               ? jd_core_open(&agent->core, &agent->shared, &jd_host_backend, &agent->host, err)
               : jd_core_open(&agent->core, &agent->shared, &jd_remote_backend, &agent->shared,
                              err);
}

static int open_cluster(struct jd_agent *agent, struct joulie_error *err)
{
    int rc = jd_daemon_open_http(&agent->edges, err);
    if (rc == 0)
        rc = jd_connect(&agent->edges, &agent->values.api, &agent->api, err);
    if (rc == 0)
        rc = open_clock(agent, err);
    if (rc == 0)
        rc = open_health(agent, err);
    return rc == 0 ? open_core(agent, err) : rc;
}

/* Before the network is there. Who starts joulie-capd needs somebody who may do so later, too. */
static int drop_privileges(struct jd_agent *agent, struct joulie_error *err)
{
    struct jd_user user;
    struct jd_writer *writer = &agent->host.writer;
    if (!writer->path && !agent->values.run_as)
        return 0;
    int rc = jd_find_user(agent->values.run_as, agent->is_live, &user, err);
    if (rc == 0 && user.is_other && writer->start.root)
        rc = jd_starter_open(&writer->starter, &writer->start, err);
    if (rc == 0)
        rc = jd_drop_privileges(&user, err);
    if (rc == 0 && user.is_other)
        rc = jd_files_check(agent, user.name, err);
    if (rc == 0 && user.is_other)
        jd_log(&agent->edges.log, JOULIE_LOG_LEVEL_INFO, "loop", "runs as %s from here on",
               user.name);
    return rc;
}

static int open_agent(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    int rc = jd_files_open(agent, &err);
    if (rc == 0)
        rc = open_loop(agent, &err);
    if (rc == 0 && agent->place != JD_WITH_REMOTE)
        rc = jd_host_open(&agent->host, &agent->shared, agent->is_live,
                          agent->place == JD_WITH_HOST, &err);
    if (rc == 0)
        rc = drop_privileges(agent, &err);
    if (rc == 0 && agent->place != JD_WITH_FILES)
        rc = open_cluster(agent, &err);
    if (rc == 0 && agent->place != JD_WITH_REMOTE)
        rc = jd_host_claim(&agent->host, &err);
    if (rc == 0)
        return JD_GO_ON;
    (void)jd_daemon_failed(&agent->edges, rc, &err);
    return JD_BROKEN; /* what cannot be had is no wrong option */
}

/* ---- running and closing ---- */

/* The machine's caps go back whatever ended the loop: by the core, and again where that failed. */
static size_t count_held(struct jd_agent *agent, int status)
{
    struct jd_host *host = &agent->host;
    const bool gives_back = agent->shared.enforces && agent->values.restore_on_exit;
    if (agent->place != JD_WITH_HOST)
        return agent->core.is_ending ? jd_core_held(&agent->core) : 0;
    if (gives_back && (status != JD_DONE || host->is_held))
        (void)jd_host_give_back_at_end(host);
    return host->is_held;
}

static int run(struct jd_agent *agent)
{
    if (agent->place == JD_WITH_FILES)
        return jd_files_run(agent);
    const int status = jd_daemon_run(&agent->edges);
    const size_t held = count_held(agent, status);
    if (held == 0)
        return status;
    jd_log(&agent->edges.log, JOULIE_LOG_LEVEL_ERROR, "node", "%zu nodes still have a cap of ours",
           held);
    return JD_BROKEN;
}

/* calls=… writes=… syncs=…, for measuring. */
static void log_counts(struct jd_agent *agent)
{
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    char text[96];
    if (!agent->host.host || joulie_host_get_counts(agent->host.host, &counts, NULL) != JOULIE_OK)
        return;
    snprintf(text, sizeof text, "calls=%llu writes=%llu syncs=%llu",
             (unsigned long long)counts.calls, (unsigned long long)counts.writes,
             (unsigned long long)counts.syncs);
    jd_log_line(&agent->edges.log, JOULIE_LOG_LEVEL_DEBUG, "host", text);
    FILE *file = agent->values.counts_file ? fopen(agent->values.counts_file, "we") : NULL;
    if (file && (fprintf(file, "%s\n", text) < 0 || fclose(file) != 0))
        jd_log(&agent->edges.log, JOULIE_LOG_LEVEL_ERROR, "host", "%s: %s",
               agent->values.counts_file, strerror(errno));
}

/* The exit status: who looks at it (the service manager) believes that after 0 nothing is in force
 * but by wish. */
static int close_agent(struct jd_agent *agent, int status)
{
    log_counts(agent);
    jd_daemon_close_health(&agent->edges);
    jd_core_close(&agent->core);
    joulie_remote_profiles_free(agent->shared.profiles);
    jd_daemon_close_clock(&agent->edges);
    jd_disconnect(&agent->api);
    if (jd_host_close(&agent->host) && status == JD_DONE)
        status = JD_BROKEN;
    jd_files_close(agent);
    jd_daemon_close(&agent->edges);
    return status;
}

int main(int argc, char **argv)
{
    static struct jd_agent agent;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = configure(&agent, argc, argv);
    if (status == JD_GO_ON)
        status = open_agent(&agent);
    if (status == JD_GO_ON)
        status = run(&agent);
    return close_agent(&agent, status);
}
