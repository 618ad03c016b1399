/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether another operator is at work: same API group as upstream, so two would fight over the same
 * fields (docs/rules/programs.md#another-operator). Then nothing is written.
 */

#include "kube/client.h"
#include "operator/shared.h"

struct jd_coexist { /* zeroed at the start */
    const struct jd_shared *shared;
    void (*on_known)(void *user); /* once: the first list of Deployments has ended */
    void *user;
    /* the newest write of somebody else to the spec of a twin */
    int64_t foreign_ms; /* of the server's clock; 0 = none */
    int64_t until_ms;   /* steady time: for so long it counts */
    char foreign[160];  /* who and which, for a person */
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
/* Checks a NodeTwin that comes in. */
void jd_coexist_check(struct jd_coexist *coexist, const char *text, size_t len);
/* NULL = no other, else which. For /readyz and before each step. */
const char *jd_coexist_problem(const struct jd_coexist *coexist);
/* Before each step: logs what changed. The problem when it is news, else NULL. */
const char *jd_coexist_news(struct jd_coexist *coexist);
