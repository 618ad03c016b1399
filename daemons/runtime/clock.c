/* SPDX-License-Identifier: Apache-2.0 */

/* The clocks of a daemon (docs/rules/programs.md#time): policy time by the wall clock. lockstep.c
 * has that of a simulator, alarms.c what is due. */

#include "runtime/clock.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock_parts.h"

#define CHECK_MS 10000 /* at the wall clock: somebody may have set it */

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
        jd_alarms_remove(clock, clock->first);
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
        jd_alarms_remove(clock, alarm);
    alarm->at_ms = at_ms;
    alarm->order = clock->order++;
    alarm->is_set = true;
    jd_alarms_insert(clock, alarm);
    if (clock->first == alarm)
        alarms_changed(clock);
}

void jd_alarm_stop(struct jd_clock *clock, struct jd_alarm *alarm)
{
    if (alarm->is_set)
        jd_alarms_remove(clock, alarm);
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
