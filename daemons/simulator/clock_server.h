/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The lockstep clock (docs/rules/simulator-contract.md#clock): each participant's poll waits until
 * it is its turn. Those that are due at one time go by their order, lowest first, then together; a
 * participant has done its step when it polls again. One that does not within the deadline is
 * counted and not waited for any more, until it polls.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/http_server.h"
#include "runtime/loop.h"

#define JD_NO_TIME INT64_MAX

struct jd_participant;

struct jd_clock_server { /* zeroed at the start */
    struct jd_loop *loop;
    int64_t deadline_ms;
    /* The texts of an answer; called before each of them. */
    const char *(*version)(void *user);
    void (*on_new)(void *user, const char *who);
    void (*on_late)(void *user, const char *who);
    /* A participant came, or its due time changed. */
    void (*on_change)(void *user);
    /* All steps of jd_clock_server_begin() were done. */
    void (*on_done)(void *user);
    void *user;

    struct jd_participant *participants;
    char **awaited; /* names that must have come before time starts; NULL-terminated */
    int64_t now_ms; /* of the last step; JD_NO_TIME before the first one */
    bool is_stepping;
    bool has_ended;
    struct jd_timer deadline;
    uint64_t late;
};

/* names: with commas; NULL = nobody is waited for. 0 or JOULIE_E_NOMEM. */
int jd_clock_server_init(struct jd_clock_server *clock, const char *names);
void jd_clock_server_clear(struct jd_clock_server *clock);

/* GET /clock; without who and after it only answers the time. now_ms is the present virtual time.
 */
void jd_clock_server_handle(struct jd_clock_server *clock, struct jd_exchange *exchange,
                            int64_t now_ms);
bool jd_clock_server_is_used(const struct jd_clock_server *clock); /* somebody is there */
/* A name that is still missing, for a person; NULL = none. */
const char *jd_clock_server_missing(const struct jd_clock_server *clock);
int64_t jd_clock_server_due(const struct jd_clock_server *clock); /* JD_NO_TIME = nobody is */
/* Steps all participants that are due at now_ms; on_done() follows, not from within. */
void jd_clock_server_begin(struct jd_clock_server *clock, int64_t now_ms);
/* Something was written that an extender decides by: it steps too, before those after it do. */
void jd_clock_server_stir(struct jd_clock_server *clock);
/* Participants that asked for it are due at now_ms; true = there is one. */
bool jd_clock_server_pods_changed(struct jd_clock_server *clock, int64_t now_ms);
/* Answers everybody that it is over, now and from now on. */
void jd_clock_server_end(struct jd_clock_server *clock, int64_t now_ms);
bool jd_clock_server_all_know(const struct jd_clock_server *clock); /* of the end */
