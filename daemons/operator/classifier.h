/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * WorkloadProfiles that appear by themselves (docs/rules/programs.md#classifier): asks Prometheus
 * at an interval, one query for all pods at a time, and writes what the model decides. Off unless
 * a server is named. A server that does not answer costs a query each interval, and no profile.
 */

#include "base/buffer.h"
#include "kube/access.h"
#include "operator/announce.h"

#define JD_CLASSIFIER_WRITES 8

struct jd_classifier;

struct jd_profile_write { /* the actions of one object, one of them on its way */
    struct jd_classifier *classifier;
    size_t next; /* of the actions of the decision */
    size_t end;
    struct joulie_cluster_action action; /* on its way */
    bool is_busy;
};

enum jd_classifier_phase { JD_CLASSIFIER_IDLE, JD_CLASSIFIER_ASKING, JD_CLASSIFIER_WRITING };

struct jd_classifier { /* the first four are set before it is opened, and the state's */
    const struct jd_shared *shared;
    bool (*may_run)(void *user); /* this operator writes; the model knows the wall's time */
    void (*on_done)(void *user); /* a round has ended */
    void *user;
    struct jd_announcement state; /* `joulie doctor` shows it */
    bool is_on;
    struct jd_access *access; /* of Prometheus */
    struct jl_buffer ca;      /* as it was read for this round */
    struct jd_tls tls;
    struct jd_alarm alarm;
    enum jd_classifier_phase phase;
    int passes; /* decisions of this round */
    bool has_read;
    /* asking */
    struct jd_transfer *transfer;
    size_t queries;
    size_t query;      /* on its way */
    char problem[256]; /* of the last window that was asked for; "" = none */
    bool is_bad;       /* as it was logged */
    bool has_window;   /* one was good */
    int64_t window_ms; /* policy time of it */
    /* writing */
    struct joulie_cluster_workloads found; /* by the last decision */
    size_t next;                           /* action that has its turn */
    size_t in_flight;
    size_t accepted; /* of this round */
    size_t refused;
    char refusal[256];
    bool is_refused;   /* all writes of the last round that wrote */
    bool is_write_bad; /* as it was logged */
    struct jd_profile_write writes[JD_CLASSIFIER_WRITES];
};

/* 0, or a code with err->where = the option. */
int jd_classifier_check(struct jd_operator_values *values, struct joulie_error *err);
int jd_classifier_open(struct jd_classifier *classifier, char **environment,
                       struct joulie_error *err);
void jd_classifier_begin(struct jd_classifier *classifier, int64_t now_ms); /* the first round */
/* What is under way is ended: this operator does not lead any more, or it ends. */
void jd_classifier_stop(struct jd_classifier *classifier);
void jd_classifier_close(struct jd_classifier *classifier);
/* What is said of every write; NULL = they are taken, or none was made. For /readyz. */
const char *jd_classifier_problem(const struct jd_classifier *classifier);
void jd_classifier_measure(const struct jd_classifier *classifier); /* before /metrics */
