/* SPDX-License-Identifier: Apache-2.0 */

/* The clocks of a daemon (docs/rules/programs.md#time): the machine's three, and policy time with
 * its alarms by the wall clock. lockstep.c has that of a simulator. */

#include "runtime/clock.h"

#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock_parts.h"

#define US_PER_S 1000000
#define NS_PER_US 1000
#define US_PER_MS 1000
#define CHECK_MS 10000 /* at the wall clock: somebody may have set it */

/* These clocks always exist, so their reading cannot fail. */
static int64_t read_us(clockid_t clock)
{
    struct timespec now = { 0 };
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / NS_PER_US;
}

int64_t jd_clock_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / US_PER_MS;
}

int64_t jd_clock_wall_ms(void)
{
    return read_us(CLOCK_REALTIME) / US_PER_MS;
}

struct joulie_host_time jd_clock_now(void)
{
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    time.now_ms = jd_clock_wall_ms();
    time.monotonic_us = read_us(CLOCK_MONOTONIC);
    time.boottime_us = read_us(CLOCK_BOOTTIME);
    return time;
}

/* ---- alarms: a list by time, then by the order of setting ---- */

static void insert(struct jd_clock *clock, struct jd_alarm *alarm)
{
    struct jd_alarm **at = &clock->first;
    if (clock->last && clock->last->at_ms <= alarm->at_ms)
        at = &clock->last->next; /* as a rule the next step is the latest alarm */
    while (*at && (*at)->at_ms <= alarm->at_ms)
        at = &(*at)->next;
    alarm->next = *at;
    *at = alarm;
    if (!alarm->next)
        clock->last = alarm;
}

static void take_off(struct jd_clock *clock, struct jd_alarm *alarm)
{
    struct jd_alarm *before = NULL;
    struct jd_alarm **at = &clock->first;
    while (*at && *at != alarm) {
        before = *at;
        at = &before->next;
    }
    if (!*at)
        return;
    *at = alarm->next;
    if (clock->last == alarm)
        clock->last = before;
    alarm->next = NULL;
    alarm->is_set = false;
}

static struct jd_alarm *first_due(const struct jd_clock *clock, int64_t now_ms, uint64_t order)
{
    struct jd_alarm *alarm = clock->first;
    while (alarm && alarm->at_ms <= now_ms && alarm->order >= order)
        alarm = alarm->next;
    return alarm && alarm->at_ms <= now_ms ? alarm : NULL;
}

void jd_clock_fire(struct jd_clock *clock, int64_t now_ms)
{
    const uint64_t order = clock->order;
    for (struct jd_alarm *alarm = NULL; (alarm = first_due(clock, now_ms, order));) {
        take_off(clock, alarm);
        alarm->fire(alarm->user, now_ms);
    }
}

void jd_clock_report_started(struct jd_clock *clock, int64_t now_ms)
{
    void (*const started)(void *, int64_t) = clock->started;
    clock->started = NULL;
    if (started)
        started(clock->started_user, now_ms);
}

/* ---- the wall clock ---- */

static void wait_for_wall(struct jd_clock *clock)
{
    const int64_t now_ms = jd_clock_wall_ms();
    int64_t wait_ms = JD_NEVER_MS / 2;
    if (clock->first)
        wait_ms = CHECK_MS;
    if (clock->first && clock->first->at_ms < now_ms + CHECK_MS)
        wait_ms = clock->first->at_ms > now_ms ? clock->first->at_ms - now_ms : 0;
    if (clock->started)
        wait_ms = 0;
    jd_timer_set(clock->loop, &clock->timer, jd_clock_ms() + wait_ms);
}

static void on_timer(void *user)
{
    struct jd_clock *const clock = user;
    jd_timer_set(clock->loop, &clock->timer, JD_NEVER_MS);
    if (clock->url) {
        jd_lockstep_turn(clock);
        return;
    }
    jd_clock_report_started(clock, jd_clock_wall_ms());
    jd_clock_fire(clock, jd_clock_wall_ms());
    wait_for_wall(clock);
}

static void alarms_changed(struct jd_clock *clock)
{
    if (clock->url)
        jd_lockstep_alarmed(clock);
    else
        wait_for_wall(clock);
}

/* ---- the page's functions ---- */

int jd_clock_open(struct jd_loop *loop, struct jd_http *http,
                  const struct jd_clock_options *options, struct jd_clock **out,
                  struct joulie_error *err)
{
    struct jd_clock *const clock = jl_calloc(1, sizeof *clock);
    if (!clock)
        return jl_fail_memory(err);
    clock->loop = loop;
    clock->http = http;
    clock->options = *options;
    clock->timer = (struct jd_timer){ .fire = on_timer, .user = clock };
    clock->url = jl_is_empty(options->url) ? NULL : jl_strdup(options->url);
    clock->who = jl_strdup(options->who ? options->who : "");
    if (!clock->who || (!clock->url && !jl_is_empty(options->url)) ||
        jd_timer_set(loop, &clock->timer, JD_NEVER_MS) != 0) {
        jd_clock_close(clock);
        return jl_fail_memory(err);
    }
    if (clock->url)
        jd_lockstep_open(clock);
    *out = clock;
    return 0;
}

void jd_clock_close(struct jd_clock *clock)
{
    if (!clock)
        return;
    while (clock->first)
        take_off(clock, clock->first);
    jd_lockstep_close(clock);
    jd_timer_stop(clock->loop, &clock->timer);
    jl_free(clock->url);
    jl_free(clock->who);
    jl_free(clock);
}

int64_t jd_policy_now_ms(const struct jd_clock *clock)
{
    return clock->url ? clock->now_ms : jd_clock_wall_ms();
}

bool jd_clock_is_simulated(const struct jd_clock *clock)
{
    return clock->url != NULL;
}

void jd_clock_when_started(struct jd_clock *clock, void (*started)(void *user, int64_t now_ms),
                           void *user)
{
    clock->started = started;
    clock->started_user = user;
    alarms_changed(clock);
}

void jd_alarm_set(struct jd_clock *clock, struct jd_alarm *alarm, int64_t at_ms)
{
    if (alarm->is_set)
        take_off(clock, alarm);
    alarm->at_ms = at_ms;
    alarm->order = clock->order++;
    alarm->is_set = true;
    insert(clock, alarm);
    if (clock->first == alarm)
        alarms_changed(clock);
}

void jd_alarm_stop(struct jd_clock *clock, struct jd_alarm *alarm)
{
    if (alarm->is_set)
        take_off(clock, alarm);
}

void jd_clock_hold(struct jd_clock *clock)
{
    clock->holds++;
}

void jd_clock_release(struct jd_clock *clock)
{
    if (clock->holds > 0)
        clock->holds--;
    if (clock->holds == 0)
        jd_clock_check(clock);
}

/* Not at once: the caller is in the middle of something. */
void jd_clock_check(struct jd_clock *clock)
{
    const enum jd_lockstep_state state = clock->lockstep.state;
    if (clock->url && (state == JD_LOCKSTEP_REACHING || state == JD_LOCKSTEP_STEPPING))
        jd_timer_set(clock->loop, &clock->timer, jd_clock_ms());
}
