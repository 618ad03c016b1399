/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes the actions of a step: specs of all nodes first, then status and labels; a bounded number
 * at a time. What a spec that could not be written is followed by waits for the next step, and so
 * does everything else that failed: nothing is tried twice in one step. The next step begins with
 * the node after the last that had its turn, so that a full bucket starves nobody
 * (docs/rules/programs.md#writes).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/cluster.h>

#include "operator/report.h"

struct jd_operator;

#define JD_MOST_WRITES 32
#define JD_VERSION_BYTES 24

struct jd_writing { /* one request on its way */
    struct jd_operator *op;
    size_t index; /* of the action */
    enum jd_write write;
    struct jd_change change;
    bool is_busy;
};

struct jd_apply {
    struct joulie_cluster_action *actions; /* of the step; texts live until the next one */
    size_t count;
    size_t start; /* index that goes first */
    size_t next;  /* how many had their turn in this pass */
    int pass;     /* 0: specs, 1: what follows them */
    bool is_cut;  /* no more turns */
    size_t in_flight;
    size_t reported; /* failures of this step that are news */
    char *held;      /* per action: 1 = its spec failed, the node waits */
    char *last;      /* node that had its turn last; NULL = none yet */
    int64_t now_ms;
    struct jd_writing writings[JD_MOST_WRITES];
    char twin_version[JD_VERSION_BYTES]; /* highest that a write of ours was answered with */
    char node_version[JD_VERSION_BYTES];
    void (*done)(struct jd_operator *op);
};

/* Writes count actions of the model's last step, then calls done. false = there is nothing to do.
 */
bool jd_apply_start(struct jd_operator *op, size_t count, int64_t now_ms,
                    void (*done)(struct jd_operator *op));
/* What had no turn yet has none in this step. */
void jd_apply_cut(struct jd_operator *op);
void jd_apply_close(struct jd_operator *op);
/* Whether the caches have seen what was written. */
bool jd_apply_is_seen(const struct jd_operator *op);
