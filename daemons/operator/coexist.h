/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether another operator is at work: same API group as upstream, so two would fight over the same
 * fields (docs/rules/programs.md#another-operator). Then nothing is written.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/loop.h"

struct jd_operator;

struct jd_coexist {
    /* the newest write of somebody else to the spec of a twin */
    int64_t foreign_ms; /* of the server's clock; 0 = none */
    char foreign[160];  /* who and which, for a person */
    /* other Deployments */
    struct jd_timer timer; /* next list */
    int asked;             /* requests of this list */
    int waiting;           /* of them without their answer */
    bool is_known;         /* a list has ended, good or bad */
    bool is_refused;       /* 403: reported once */
    char deployment[160];  /* of this list */
    char running[160];     /* "" = none */
    bool has_reported;     /* that there is another one */
};

int jd_coexist_open(struct jd_operator *op, struct joulie_error *err);
void jd_coexist_close(struct jd_operator *op);
/* Checks a NodeTwin that comes in. */
void jd_coexist_check(struct jd_operator *op, const char *text, size_t len);
bool jd_coexist_is_known(const struct jd_operator *op);
/* NULL = no other, else who. For /readyz and before each step. */
const char *jd_coexist_problem(const struct jd_operator *op);
/* Before each step: logs what changed. */
void jd_coexist_report(struct jd_operator *op, int64_t now_ms);

/* managers.c: the newest write of spec fields in metadata.managedFields by somebody who is no
 * operator, agent or kubectl. false = none. */
bool jd_find_foreign(const char *text, size_t len, char *out_who, size_t size, int64_t *out_ms);

struct jd_own_names { /* of this operator; NULL = not given */
    const char *name_space;
    const char *deployment;
    const char *pod;
};

/* A Deployment of a list that is another operator: its name into out, which is else left alone. */
void jd_find_deployment(const char *text, size_t len, const struct jd_own_names *own, char *out,
                        size_t size);
