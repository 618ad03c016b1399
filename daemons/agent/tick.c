/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* sigabbrev_np */

/* The intervals of the agent: poll the spec, tick, report what is new; at the end give back. */

#include <signal.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/restore.h"
#include "base/error.h"
#include "runtime/clock.h"

#define ONCE_LIMIT_MS 30000 /* a ramp from the top to the floor takes 20 s */

enum { EXIT_OK = 0, EXIT_BAD = 1 };

static const char *node_name_of(const struct jd_agent *agent)
{
    if (agent->values.node_name)
        return agent->values.node_name;
    return agent->spec.words.node_name ? agent->spec.words.node_name : agent->host_name;
}

static bool publish(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_buffer text = { 0 };
    char *report = NULL;
    int rc = joulie_host_report(agent->host, &report, &err);
    if (rc == 0)
        rc = jd_twin_put(&text, node_name_of(agent), agent->spec.words.profile, report, &err);
    joulie_free(report);
    if (rc < 0)
        jd_log_error(&agent->log, "status", "no report", &err);
    const bool is_written = rc == 0 && jd_status_write(&agent->status, &text);
    jl_buffer_clear(&text);
    return is_written;
}

static void tell_tick(struct jd_agent *agent, int rc, const struct joulie_error *err)
{
    if (rc < 0 && rc != agent->failed_tick)
        jd_log_error(&agent->log, "host", "a step failed", err);
    else if (rc == 0 && agent->failed_tick != 0)
        jd_log(&agent->log, JOULIE_LOG_LEVEL_INFO, "host", "steps work again");
    agent->failed_tick = rc;
}

static void tell_disabled(struct jd_agent *agent, bool is_disabled)
{
    if (is_disabled == agent->is_disabled)
        return;
    agent->is_disabled = is_disabled;
    jd_log(&agent->log, JOULIE_LOG_LEVEL_WARN, "host",
           is_disabled ? "etc/joulie/disable is there: every cap is given back, and none is made"
                       : "etc/joulie/disable is gone: caps are made again");
}

/* true = nothing is on its way any more. */
static bool step(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_tick_result tick = JOULIE_INIT(struct joulie_host_tick_result);
    const bool is_new_spec = jd_spec_poll(&agent->spec, agent->host);
    const struct joulie_host_time time = jd_clock_now();
    const int rc = joulie_host_tick(agent->host, &time, &tick, &err);
    tell_tick(agent, rc, &err);
    if (rc < 0)
        return false;
    tell_disabled(agent, tick.is_disabled != 0);
    if (tick.is_news || is_new_spec || !agent->is_published)
        agent->is_published = publish(agent);
    return tick.is_settled != 0;
}

/* One step is enough, but a ramp has to arrive: nobody would go on with it. */
static bool is_over(const struct jd_agent *agent, bool is_settled)
{
    return agent->values.once && (is_settled || !agent->enforces || !agent->is_live ||
                                  jd_clock_ms() - agent->started_ms >= ONCE_LIMIT_MS);
}

/* Each doubling is logged. */
static void count_skipped(struct jd_agent *agent, uint64_t intervals)
{
    if (intervals <= 1)
        return;
    agent->skipped += intervals - 1;
    if (agent->skipped < 2 * agent->told_skipped)
        return;
    agent->told_skipped = agent->skipped;
    jd_log(&agent->log, JOULIE_LOG_LEVEL_WARN, "loop",
           "steps took longer than the interval: %llu intervals were skipped so far",
           (unsigned long long)agent->skipped);
}

static void on_period(void *user, uint64_t intervals)
{
    struct jd_agent *agent = user;
    count_skipped(agent, intervals);
    jd_watchdog_renew(&agent->watchdog);
    if (is_over(agent, step(agent)))
        jd_loop_stop(&agent->loop);
}

static void on_signal(void *user, int signal)
{
    struct jd_agent *agent = user;
    if (signal == SIGCHLD) {
        jd_watchdog_check(&agent->watchdog);
        return;
    }
    jd_log(&agent->log, JOULIE_LOG_LEVEL_INFO, "loop", "the agent ends on SIG%s",
           sigabbrev_np(signal));
    jd_loop_stop(&agent->loop);
}

/* Gives everything back; the step after it finds nothing desired, which makes the last report. */
static int give_back(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_tick_result tick = JOULIE_INIT(struct joulie_host_tick_result);
    const struct joulie_host_time time = jd_clock_now();
    const int rc = jd_restore(agent->host, &agent->log, "journal");
    joulie_host_put_twin(agent->host, NULL, 0, NULL);
    if (joulie_host_tick(agent->host, &time, &tick, &err) < 0)
        jd_log_error(&agent->log, "host", "the last step failed", &err);
    publish(agent);
    return rc == 0 ? EXIT_OK : EXIT_BAD;
}

int jd_agent_run(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    agent->loop.user = agent;
    agent->loop.on_period = on_period;
    agent->loop.on_signal = on_signal;
    agent->started_ms = jd_clock_ms();
    int rc = 0;
    if (!is_over(agent, step(agent)))
        rc = jd_loop_run(&agent->loop, &err);
    if (rc < 0)
        jd_log_error(&agent->log, "loop", "no more steps", &err);
    if (agent->values.once)
        return rc == 0 && !agent->spec.is_bad && agent->is_published ? EXIT_OK : EXIT_BAD;
    const int status =
        agent->enforces && agent->values.restore_on_exit ? give_back(agent) : EXIT_OK;
    return rc < 0 ? EXIT_BAD : status;
}
