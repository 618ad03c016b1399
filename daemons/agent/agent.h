/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* joulie-agent: observe, step, report, once in each interval. */

#include <joulie/host.h>

#include "agent/cluster.h"
#include "agent/host_mode.h"
#include "agent/options.h"
#include "agent/pool.h"
#include "agent/spec_file.h"
#include "agent/status_file.h"
#include "agent/watchdog.h"
#include "runtime/log.h"
#include "runtime/loop.h"

struct jd_agent {
    struct jd_options options;
    struct jd_agent_values values;
    enum jd_agent_place place;
    bool is_live; /* its root is the machine that it runs on */
    bool enforces;
    struct jd_log log;
    struct jd_watchdog watchdog;
    struct joulie_host *host;
    struct jd_spec spec;
    struct jd_status status;
    struct jd_loop loop;
    char *host_name;
    bool is_published; /* the status says what the last tick said */
    bool is_disabled;  /* as it was logged */
    int failed_tick;   /* code that was logged; 0 = the last one worked */
    uint64_t skipped;  /* intervals */
    uint64_t told_skipped;
    int64_t started_ms;
    /* in a cluster */
    struct jd_cluster cluster;
    struct jd_host_mode host_mode;
    struct jd_pool pool;
    bool is_ending;
    int end_status;
};

/* setup.c; -1 = go on, else the exit status */
int jd_agent_configure(struct jd_agent *agent, int argc, char **argv);
int jd_agent_open(struct jd_agent *agent);
int jd_agent_close(struct jd_agent *agent, int status); /* the exit status */

/* tick.c: until a signal, or the caps of one step are in force; the exit status */
int jd_agent_run(struct jd_agent *agent);

/* in_cluster.c: the same for a cluster */
int jd_agent_open_cluster(struct jd_agent *agent, struct joulie_error *err);
int jd_agent_run_cluster(struct jd_agent *agent);
void jd_agent_close_cluster(struct jd_agent *agent);
