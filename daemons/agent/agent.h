/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* joulie-agent: the caps of this machine by a spec in a file (files.c), or those of nodes of a
 * cluster (core.h). */

#include "agent/core.h"
#include "agent/host.h"
#include "agent/remote.h"
#include "agent/spec_file.h"
#include "agent/status_file.h"
#include "kube/connect.h"
#include "runtime/daemon.h"

struct jd_agent {
    struct jd_edges edges;
    struct jd_agent_values values;
    struct jd_agent_shared shared;
    enum jd_agent_place place;
    bool is_live;        /* its root is the machine that it runs on */
    struct jd_host host; /* not with endpoints */
    bool is_ending;

    /* with files */
    struct jd_files {
        struct jd_spec spec;
        struct jd_status_file status;
        char *host_name;
        bool is_published; /* the status says what the last step said */
        uint64_t skipped;  /* intervals */
        uint64_t logged_skipped;
        int64_t started_ms;
    } files;
    /* in a cluster */
    struct jd_connection api;
    struct jd_check checks[1];
    struct jd_core core;
};

/* files.c */
int jd_files_open(struct jd_agent *agent, struct joulie_error *err);
/* Whether the user who this process has become can use the files of SPEC and STATUS: 0 or
 * JOULIE_E_IO. */
int jd_files_check(const struct jd_agent *agent, const char *user, struct joulie_error *err);
void jd_files_on_period(void *agent, uint64_t intervals);
/* Until a signal, or until the caps of one step are in force; the exit status. */
int jd_files_run(struct jd_agent *agent);
void jd_files_close(struct jd_agent *agent);
