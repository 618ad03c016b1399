/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The machine below ROOT as one node of a cluster: its NodeTwin comes from the API server, the
 * control loop is the host's own and goes on without the server. */

#include <joulie/host.h>

#include "agent/cluster.h"
#include "agent/feedback.h"
#include "agent/publish.h"

struct jd_host_mode {
    struct jd_cluster *cluster;
    const struct jd_agent_values *values;
    struct jd_log *log;
    struct joulie_host *host; /* borrowed */
    char *object_name;        /* that the caches look for */
    char *twin_name;          /* of the object that is there; NULL = there is none */
    char *node_uid;
    struct jd_feedback feedback;
    struct jd_publish publish;
    struct jd_alarm alarm;
    bool has_synced;
    bool is_bad;     /* a twin that cannot be used was logged */
    bool is_foreign; /* the object under our name is another node's */
    bool is_unsaid;  /* the last report is not known to the API server */
    unsigned open;   /* requests of this step */
    bool is_held;    /* the clock, by this step */
    int failed_tick; /* code that was logged */
    bool is_disabled;
    bool is_ending;
    bool has_ended;
    uint64_t restores;           /* that were counted */
    void (*stepped)(void *user); /* before each step */
    void (*ended)(void *user);
    void *user;
    struct jd_timer deadline;
};

int jd_host_mode_open(struct jd_host_mode *mode, struct jd_cluster *cluster,
                      struct joulie_host *host, struct joulie_error *err);
/* Tells the API server what came of the restore that was made, then calls ended; it does not wait
 * long. */
void jd_host_mode_end(struct jd_host_mode *mode, void (*ended)(void *user), void *user);
void jd_host_mode_close(struct jd_host_mode *mode);
