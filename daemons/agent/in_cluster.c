/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* sigabbrev_np */

/* The life of the agent in a cluster: what drives its nodes is host_mode.c or pool.c. */

#include <signal.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/metrics.h"
#include "agent/restore.h"
#include "base/error.h"

enum { EXIT_OK = 0, EXIT_BAD = 1 };

static void on_ended(void *user)
{
    struct jd_agent *agent = user;
    jd_loop_stop(&agent->loop);
}

static void end_host(struct jd_agent *agent)
{
    if (!agent->enforces || !agent->values.restore_on_exit) {
        jd_loop_stop(&agent->loop);
        return;
    }
    if (jd_restore(agent->host, &agent->log, "journal") < 0)
        agent->end_status = EXIT_BAD;
    joulie_host_put_twin(agent->host, NULL, 0, NULL);
    jd_host_mode_end(&agent->host_mode, on_ended, agent);
}

static void end(struct jd_agent *agent)
{
    if (agent->is_ending)
        return;
    agent->is_ending = true;
    if (agent->place == JD_WITH_HOST)
        end_host(agent);
    else if (agent->values.restore_on_exit)
        jd_pool_end(&agent->pool, on_ended, agent);
    else
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
    end(agent);
}

/* The machines of a simulation end with it: there is nobody to give anything back to. */
static void on_end(void *user)
{
    struct jd_agent *agent = user;
    if (agent->place == JD_WITH_REMOTE)
        jd_loop_stop(&agent->loop);
    else
        end(agent);
}

static void before_step(void *user)
{
    struct jd_agent *agent = user;
    jd_watchdog_renew(&agent->watchdog);
}

static void before_scrape(void *user)
{
    struct jd_agent *agent = user;
    jd_metrics_policies(agent->cluster.metrics, agent->values.node_name, agent->host);
}

int jd_agent_open_cluster(struct jd_agent *agent, struct joulie_error *err)
{
    const int rc = jd_cluster_open(&agent->cluster, &agent->values, &agent->loop, &agent->log, err);
    if (rc < 0)
        return rc;
    agent->loop.user = agent;
    agent->loop.on_signal = on_signal;
    agent->cluster.on_end = on_end;
    agent->cluster.owner = agent;
    if (agent->place == JD_WITH_REMOTE)
        return jd_pool_open(&agent->pool, &agent->cluster, agent->enforces, err);
    agent->cluster.on_scrape = before_scrape;
    agent->host_mode.stepped = before_step;
    agent->host_mode.user = agent;
    return jd_host_mode_open(&agent->host_mode, &agent->cluster, agent->host, err);
}

int jd_agent_run_cluster(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jd_loop_run(&agent->loop, &err);
    if (rc < 0)
        jd_log_error(&agent->log, "loop", "no more steps", &err);
    if (rc < 0 && agent->host && agent->enforces && agent->values.restore_on_exit)
        jd_restore(agent->host, &agent->log, "journal");
    if (agent->pool.is_ending && jd_pool_held(&agent->pool) > 0) {
        jd_log(&agent->log, JOULIE_LOG_LEVEL_ERROR, "node", "%zu nodes still have a cap of ours",
               jd_pool_held(&agent->pool));
        agent->end_status = EXIT_BAD;
    }
    return rc < 0 ? EXIT_BAD : agent->end_status;
}

void jd_agent_close_cluster(struct jd_agent *agent)
{
    jd_pool_close(&agent->pool);
    jd_host_mode_close(&agent->host_mode);
    jd_cluster_close(&agent->cluster);
}
