/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Leader election by a Lease: what a participant does next. Rules:
 * docs/rules/kubernetes-watch.md#leader-election. Time is an argument: of a clock of one's own that
 * nobody sets, in seconds. Stamps that others wrote are only compared, never counted with, so that
 * their clocks do not matter.
 */

#include <stdbool.h>
#include <stdint.h>

struct jl_lease_times { /* of one participant */
    int64_t duration_s; /* what it writes: others wait so long */
    double deadline_s;  /* a leader whose last renewal began so long ago is none any more */
    double period_s;    /* from try to try */
};

enum jl_lease_fault {
    JL_LEASE_SOUND,
    JL_LEASE_BAD_DURATION, /* below 1, or not above the deadline */
    JL_LEASE_BAD_DEADLINE, /* below 1, or not above the longest wait between two tries */
    JL_LEASE_BAD_PERIOD    /* below 1 */
};

enum jl_lease_fault jl_lease_check(const struct jl_lease_times *times);

struct jl_lease_spec { /* of a Lease; texts are borrowed, NULL and "" are alike */
    const char *holder;
    int64_t duration_s;
    int64_t transitions;
    const char *acquired; /* MicroTime */
    const char *renewed;
};

struct jl_lease_seen {
    struct jl_lease_spec spec; /* as it was read or written last */
    double at_s;               /* since when it is that */
    bool is_any;
};

enum jl_lease_action {
    JL_LEASE_WAIT = 1, /* somebody else holds it, or may */
    JL_LEASE_CREATE,
    JL_LEASE_TAKE,
    JL_LEASE_RENEW,
    JL_LEASE_RELEASE
};

struct jl_lease_case {
    const char *me;  /* not empty, and nobody else's */
    const char *now; /* MicroTime, only to be written */
    double now_s;
    const struct jl_lease_times *times;
    const struct jl_lease_seen *seen;
    const struct jl_lease_spec *lease; /* as it was read now; NULL = not asked for, or missing */
    bool is_release;                   /* it is to be given back */
};

struct jl_lease_step {
    enum jl_lease_action action;
    bool uses_seen;            /* over the version that was seen, without reading it again */
    struct jl_lease_spec spec; /* what is written, unless it waits */
    double seen_at_s;          /* since when the Lease is what it is */
};

struct jl_lease_step jl_lease_step(const struct jl_lease_case *what);

/* ---- a participant ---- */

enum jl_election_call {
    JL_ELECTION_NOTHING, /* until next_s, when jl_election_wake() is due */
    JL_ELECTION_READ,
    JL_ELECTION_CREATE,
    JL_ELECTION_WRITE /* over the version that was read or written last, and no other */
};

struct jl_election { /* zeroed but for the first two */
    const char *me;
    struct jl_lease_times times;
    struct jl_lease_seen seen; /* its texts are those of the last answer that had a Lease */
    enum jl_election_call call;
    double began_s;   /* of the request that is under way */
    double renewed_s; /* when the last renewal that worked was sent */
    double next_s;
    int reads;      /* of this try */
    bool is_leader; /* as of the last call; jl_election_until_s() says how long */
    bool is_releasing;
    bool is_over; /* released, or given up */
};

struct jl_election_next {
    enum jl_election_call call;
    struct jl_lease_spec spec; /* CREATE and WRITE */
};

struct jl_election_now {
    double s;
    const char *stamp; /* MicroTime: another one than the stamps that it wrote before */
    double u;          /* chance, uniform in [0, 1) */
};

struct jl_election_answer { /* of the request that was asked for */
    int64_t code;           /* HTTP; 0 = none came */
    /* The Lease of a 2xx; NULL = there is none, or it cannot be read. Its texts stay until the next
     * answer that has one was taken. */
    const struct jl_lease_spec *lease;
};

/* Time has come, or news: a try begins, unless one is under way. */
struct jl_election_next jl_election_wake(struct jl_election *election,
                                         const struct jl_election_now *now);
struct jl_election_next jl_election_take(struct jl_election *election,
                                         const struct jl_election_answer *answer,
                                         const struct jl_election_now *now);
/* It leads no more, and from the next call on the Lease is given back. */
void jl_election_release(struct jl_election *election);
/* Until when it leads, if no renewal works; a past time when it does not. */
double jl_election_until_s(const struct jl_election *election);
