/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The clocks of a daemon.
 *
 * Policy time is what ages, dwell times and intervals are measured in. It begins as the wall clock
 * shows and goes on by the monotonic one, so that no step of the wall moves it. With --clock URL it
 * is that of a simulator (docs/rules/programs.md#time), which moves all participants in lockstep:
 * it stands still while an alarm's work goes on. Stamps that others read are in wall time.
 * Everything that has to do with the network (time-outs, backoff, rates) is in monotonic time, by
 * jd_timer.
 */

#include <stdbool.h>

#include "base/time.h"
#include "runtime/http_client.h"
#include "runtime/log.h"
#include "runtime/loop.h"
#include "runtime/machine_clock.h"

struct jd_clock;

/* Fires once at or after a policy time; the caller's storage, zeroed at the start. Alarms that are
 * due together fire in the order of their times, then of jd_alarm_set(). */
struct jd_alarm {
    void (*fire)(void *user, int64_t now_ms);
    void *user;
    int64_t due_ms; /* also after it has fired */
    uint64_t order;
    bool is_set;
    struct jd_alarm *next;
};

struct jd_clock_options {
    const char *url; /* of the simulator; NULL = the wall clock */
    const char *who; /* name of this participant */
    int order;       /* participants that are due together go by it, lowest first */
    bool wants_pods; /* lockstep: a step when a pod comes or goes, too */
    /* Lockstep: the step at a new time waits until this says that the caches have reached a
     * resourceVersion; jd_clock_check() asks again. NULL = no caches. */
    bool (*has_reached)(void *user, const char *resource_version);
    /* Lockstep: the simulation has ended. NULL = nothing to do. */
    void (*on_end)(void *user);
    void *user;
    struct jd_log *log;
    int64_t (*wall_ms)(void); /* tests set it; NULL = the machine's */
};

enum { JD_ORDER_OPERATOR = 10, JD_ORDER_SCHEDULER = 20, JD_ORDER_AGENT = 30 };

/* http may be NULL with the wall clock. */
int jd_clock_open(struct jd_loop *loop, struct jd_http *http,
                  const struct jd_clock_options *options, struct jd_clock **out,
                  struct joulie_error *err);
void jd_clock_close(struct jd_clock *clock);

/* Policy time; with a simulator the time of the last step, 0 before the first answer: a daemon
 * starts its alarms from jd_clock_when_started(). */
int64_t jd_policy_now_ms(const struct jd_clock *clock);
/* A policy time as the wall shows it now, or would: for stamps. */
int64_t jd_clock_stamp_ms(struct jd_clock *clock, int64_t at_ms);
bool jd_clock_is_simulated(const struct jd_clock *clock);
/* Calls back once, as soon as policy time is known (from the loop). */
void jd_clock_when_started(struct jd_clock *clock, void (*started)(void *user, int64_t now_ms),
                           void *user);
void jd_alarm_set(struct jd_clock *clock, struct jd_alarm *alarm, int64_t at_ms);
/* So long after its last due time, without drift; times that are over are left out. */
void jd_alarm_repeat(struct jd_clock *clock, struct jd_alarm *alarm, int64_t interval_ms);
void jd_alarm_stop(struct jd_clock *clock, struct jd_alarm *alarm);

/* While a step's requests are on their way: lockstep does not acknowledge before every hold was
 * released. With the wall clock they do nothing. */
void jd_clock_hold(struct jd_clock *clock);
void jd_clock_release(struct jd_clock *clock);
void jd_clock_check(struct jd_clock *clock); /* a cache has moved */

/* A time as the protocol between simulator and participant writes it: RFC 3339 with ms. */
void jd_clock_format(int64_t ms, char out[JL_TIME_TEXT]);
