/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes the actions of a step: specs of all nodes first, then status and labels; a bounded number
 * at a time. What a spec that could not be written is followed by waits for the next step, and so
 * does everything else that failed: nothing is tried twice in one step. The next step begins with
 * the node after the last that had its turn, so that a full bucket starves nobody
 * (docs/rules/programs.md#writes).
 */

#include "kube/client.h"
#include "operator/report.h"

#define JD_MOST_WRITES 32
#define JD_VERSION_BYTES 24

struct jd_writing { /* one request on its way */
    struct jd_apply *apply;
    size_t index; /* of the action */
    enum jd_write write;
    struct jd_change change;
    struct jd_power_change power_change;
    bool is_busy;
};

struct jd_apply { /* the first six are set before the first step */
    const struct jd_shared *shared;
    struct jd_reporter *reporter;
    void (*on_written)(void *user); /* every turn of a step has ended */
    void *user;
    bool writes_power;                     /* what a node is switched by; else it is advice */
    bool writes_rest;                      /* and everything else */
    struct joulie_cluster_action *actions; /* of the step; texts live until the next one */
    size_t count;
    size_t start; /* index that goes first */
    size_t next;  /* how many had their turn in this pass */
    int pass;     /* 0: specs, 1: what follows them */
    bool is_cut;  /* no more turns */
    size_t in_flight;
    char *held; /* per action: 1 = its spec failed, the node waits */
    char *last; /* node that had its turn last; NULL = none yet */
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
void jd_apply_close(struct jd_apply *apply);
