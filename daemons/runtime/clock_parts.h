/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What clock.c and lockstep.c share. */

#include "base/random.h"
#include "runtime/clock.h"

enum jd_lockstep_state {
    JD_LOCKSTEP_WAITING,  /* for the next poll: at the start, and after a failure */
    JD_LOCKSTEP_POLLING,  /* the last step is acknowledged */
    JD_LOCKSTEP_REACHING, /* there is a new time, but the caches are not there yet */
    JD_LOCKSTEP_STEPPING, /* alarms fire, holds are out */
    JD_LOCKSTEP_ENDED
};

enum jd_lockstep_trouble { JD_TROUBLE_NONE, JD_TROUBLE_AWAY, JD_TROUBLE_ANSWER };

struct jd_lockstep {
    enum jd_lockstep_state state;
    enum jd_lockstep_trouble trouble; /* that was reported */
    struct jd_transfer *poll;
    int64_t announced_ms; /* the due time of the poll; JD_NEVER_MS = none */
    int64_t next_ms;      /* the time that was answered */
    char *resource_version;
    int64_t failures;
    struct jl_random random;
};

struct jd_clock {
    struct jd_loop *loop;
    struct jd_http *http;
    struct jd_clock_options options;
    char *url; /* of the simulator, NULL = the wall clock */
    char *who;
    int64_t now_ms;   /* of the last step */
    int64_t ahead_ms; /* policy time of monotonic time, without a simulator */
    int64_t set_ms;   /* the wall of policy time, by the steps since the start */
    struct jd_alarm *first;
    struct jd_alarm *last;
    uint64_t order; /* of the next alarm that is set */
    size_t holds;
    void (*started)(void *user, int64_t now_ms);
    void *started_user;
    /* Of whatever comes next; always set, so that setting it anew cannot fail. */
    struct jd_timer timer;
    struct jd_lockstep lockstep;
};

void jd_alarms_insert(struct jd_clock *clock, struct jd_alarm *alarm);
void jd_alarms_remove(struct jd_clock *clock, struct jd_alarm *alarm);
/* The alarms that are due and were set before this call; what they set waits for the next one. */
void jd_clock_fire(struct jd_clock *clock, int64_t now_ms);
void jd_clock_report_started(struct jd_clock *clock, int64_t now_ms);

void jd_lockstep_open(struct jd_clock *clock);
void jd_lockstep_close(struct jd_clock *clock);
void jd_lockstep_turn(struct jd_clock *clock);    /* the timer fired */
void jd_lockstep_alarmed(struct jd_clock *clock); /* the earliest alarm has changed */
