/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes the actions of a step: those of a node one behind another, in the order in which nobody
 * sees a cap on a node that passes for fast, and a bounded number of nodes at a time. What failed,
 * and what has to follow it, waits for the next step: nothing is tried twice in one step. The next
 * step begins with the node after the last that had its turn, so that a full bucket starves nobody
 * (docs/rules/programs.md#writes).
 */

#include "kube/client.h"
#include "operator/coexist.h"
#include "operator/report.h"

#define JD_MOST_WRITES 32
#define JD_VERSION_BYTES 24

enum { JD_NODE_WRITES = 8 }; /* more than the model has of one node */

struct jd_writing { /* the writes of one node, one of them on its way */
    struct jd_apply *apply;
    size_t order[JD_NODE_WRITES]; /* indexes of its actions */
    size_t count;
    size_t next;  /* of order */
    size_t index; /* of the action on its way */
    enum jd_write write;
    struct jd_change change; /* of the node */
    struct jd_power_change power_change;
    bool is_new;       /* it has no twin yet */
    bool is_tightened; /* it goes towards eco */
    bool is_spec_held; /* what says so could not be written */
    bool is_rest_held; /* its spec could not be written */
    bool is_busy;
};

struct jd_apply { /* the first seven are set before the first step */
    const struct jd_shared *shared;
    const struct jd_coexist *coexist; /* its nodes have no turn */
    struct jd_reporter *reporter;
    void (*on_written)(void *user); /* every turn of a step has ended */
    void *user;
    bool writes_power;                     /* what a node is switched by; else it is advice */
    bool writes_rest;                      /* and everything else */
    struct joulie_cluster_action *actions; /* of the step; texts live until the next one */
    size_t count;
    size_t start; /* index that goes first, the first of a node */
    size_t next;  /* how many had their turn in this pass */
    int pass;     /* 0: nodes whose spec, label or power changes; 1: the others */
    bool is_cut;  /* no more turns */
    size_t in_flight;
    size_t accepted; /* writes of this step, also those that met a conflict */
    size_t refused;
    char refusal[256]; /* the last one */
    bool is_refused;   /* of the last step that wrote something: all that was written */
    char *last;        /* node that had its turn last; NULL = none yet */
    int64_t now_ms;
    struct jd_writing writings[JD_MOST_WRITES];
    /* the highest versions that writes of ours were answered with */
    char twin_version[JD_VERSION_BYTES];
    char node_version[JD_VERSION_BYTES];
};

/* Writes count actions of the model's last step; true = they are under way, on_written will be
 * called, or was. */
bool jd_apply_start(struct jd_apply *apply, size_t count, int64_t now_ms);
/* What had no turn yet has none in this step. */
void jd_apply_cut(struct jd_apply *apply);
/* Writes that are under way are ended, too, and nobody asks what became of them: what the cluster
 * says next counts. */
void jd_apply_stop(struct jd_apply *apply);
/* What is said of every write; NULL = one was taken of late, or none was made. For /readyz. */
const char *jd_apply_problem(const struct jd_apply *apply);
void jd_apply_close(struct jd_apply *apply);
