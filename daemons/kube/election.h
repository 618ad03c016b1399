/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Leader election by a Lease (docs/rules/programs.md#leader-election): the requests that
 * kubernetes/lease.h asks for, its times, and a fence before the writes of the client. Nothing is
 * written by who does not lead, whatever was under way.
 */

#include "base/buffer.h"
#include "kube/client.h"
#include "kubernetes/lease.h"

struct json_object;

struct jd_election_options { /* texts live as long */
    struct jd_kube *kube;
    struct jd_fence *fence; /* of that client; moved here, and nowhere else */
    struct jd_log *log;
    struct jd_metrics *metrics;
    const char *component; /* of the metric */
    const char *name_space;
    const char *name;
    struct jl_lease_times times;
    void (*on_change)(void *user, bool is_leader); /* before writes that are under way are ended */
    void (*on_over)(void *user);                   /* the Lease was given back, or could not be */
    void *user;
};

struct jd_election { /* zeroed at the start */
    struct jd_election_options options;
    struct jl_election election;
    struct jl_buffer me;
    struct json_object *lease; /* of the last answer that had one */
    struct jd_timer wake;
    struct jd_timer deadline;
    int64_t stamp_us; /* that was written last */
    bool is_open;
    bool is_leader;  /* as it was reported */
    int failed_code; /* of this try; -1 = nothing failed */
    struct jl_buffer failure;
    struct jl_buffer problem; /* of the last try; empty = none */
    int problem_code;
    struct jl_buffer holder; /* as it was logged */
};

/* 0, or JOULIE_E_RANGE with the option of the three that is wrong. */
int jd_election_check(const struct jl_lease_times *times, struct joulie_error *err);
int jd_election_open(struct jd_election *election, const struct jd_election_options *options,
                     struct joulie_error *err);
void jd_election_close(struct jd_election *election);
bool jd_election_leads(const struct jd_election *election);
/* A watch saw the Lease: a try begins when somebody else holds it now, or nobody; holder NULL = it
 * is gone. */
void jd_election_heard(struct jd_election *election, const char *holder);
/* The same of any Lease as text. */
void jd_election_check_object(struct jd_election *election, const char *text, size_t len);
/* Leads no more, and gives the Lease back; true = on_over() will be called. */
bool jd_election_release(struct jd_election *election);
/* Why no Lease can be had, when it is no passing trouble: refused, or there is no such namespace;
 * NULL = none. */
const char *jd_election_problem(const struct jd_election *election);
/* Who holds it, as far as is known; "" = nobody. */
const char *jd_election_holder(const struct jd_election *election);
