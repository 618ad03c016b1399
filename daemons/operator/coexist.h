/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether another operator is at work: same API group as upstream, so two would fight over the same
 * fields (docs/rules/programs.md#another-operator). Then nothing is written. And whose NodeTwin
 * somebody else writes: that node is left alone.
 */

#include "base/map.h"
#include "kube/client.h"
#include "operator/shared.h"

struct jd_coexist { /* zeroed at the start */
    const struct jd_shared *shared;
    void (*on_known)(void *user); /* once: the first list of Deployments has ended */
    void *user;
    struct jl_index held; /* node name -> who else writes its twin */
    size_t unreported;    /* of them */
    /* other Deployments */
    struct jd_timer timer; /* next list */
    int waiting;           /* requests of this list without their answer */
    bool is_known;         /* a list has ended, good or bad */
    bool is_refused;       /* 403: reported once */
    char deployment[160];  /* of this list */
    char running[160];     /* "" = none */
    bool has_reported;     /* that there is another one */
};

int jd_coexist_open(struct jd_coexist *coexist, const struct jd_shared *shared,
                    void (*on_known)(void *user), void *user, struct joulie_error *err);
void jd_coexist_close(struct jd_coexist *coexist);
/* Checks a NodeTwin that comes in, and one that is gone. */
void jd_coexist_check(struct jd_coexist *coexist, const char *text, size_t len);
void jd_coexist_forget(struct jd_coexist *coexist, const char *twin);
/* Who else writes the twin of a node; NULL = nobody. */
const char *jd_coexist_writer(const struct jd_coexist *coexist, const char *node_name);
size_t jd_coexist_count(const struct jd_coexist *coexist); /* of such nodes */
/* Once for each of them. */
void jd_coexist_report(struct jd_coexist *coexist,
                       void (*report)(void *user, const char *node_name, const char *twin,
                                      const char *who),
                       void *user);
/* NULL = no other, else which. For /readyz and before each step. */
const char *jd_coexist_problem(const struct jd_coexist *coexist);
/* Before each step: logs what changed. The problem when it is news, else NULL. */
const char *jd_coexist_news(struct jd_coexist *coexist);
