/* SPDX-License-Identifier: Apache-2.0 */

/* The clocks of a daemon (docs/rules/programs.md#time): policy time by the wall clock, alarms by
 * the monotonic one. lockstep.c
 * has that of a simulator, alarms.c what is due. */

#include "runtime/clock.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/clock_parts.h"

/* ---- the wall clock ---- */

static int64_t wall_ms(const struct jd_clock *clock)
{
    return clock->options.wall_ms ? clock->options.wall_ms() : jd_clock_wall_ms();
}

static void wait_for_first(struct jd_clock *clock)
{
    const int64_t now_ms = jd_clock_ms();
    int64_t at_ms = clock->first ? clock->first->due_ms : JD_NEVER_MS;
    if (clock->started || at_ms < now_ms)
        at_ms = now_ms;
    jd_timer_set(clock->loop, &clock->timer, at_ms < JD_NEVER_MS ? at_ms : JD_NEVER_MS);
}

static void on_timer(void *user)
{
    struct jd_clock *const clock = user;
    jd_timer_set(clock->loop, &clock->timer, JD_NEVER_MS);
    if (clock->url) {
        jd_lockstep_turn(clock);
        return;
    }
    jd_clock_report_started(clock, wall_ms(clock));
    jd_clock_fire(clock, jd_clock_ms(), wall_ms(clock));
    wait_for_first(clock);
}

static void alarms_changed(struct jd_clock *clock)
{
    if (clock->url)
        jd_lockstep_alarmed(clock);
    else
        wait_for_first(clock);
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
    return clock->url ? clock->now_ms : wall_ms(clock);
}

int64_t jd_steady_now_ms(const struct jd_clock *clock)
{
    return clock->url ? clock->now_ms : jd_clock_ms();
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

static void set_alarm(struct jd_clock *clock, struct jd_alarm *alarm, int64_t due_ms)
{
    if (alarm->is_set)
        jd_alarms_remove(clock, alarm);
    alarm->due_ms = due_ms;
    alarm->order = clock->order++;
    alarm->is_set = true;
    jd_alarms_insert(clock, alarm);
    if (clock->first == alarm)
        alarms_changed(clock);
}

/* Between the scales; a time that no clock shows stays one. */
static int64_t shift(int64_t at_ms, int64_t from_ms, int64_t to_ms)
{
    int64_t out_ms;
    if (__builtin_add_overflow(at_ms, to_ms - from_ms, &out_ms))
        return at_ms < 0 ? INT64_MIN : INT64_MAX;
    return out_ms;
}

/* Two clocks that are read in milliseconds may be one apart: then it is late, never early. */
void jd_alarm_set(struct jd_clock *clock, struct jd_alarm *alarm, int64_t at_ms)
{
    const int64_t apart_ms = clock->url ? 0 : 1;
    set_alarm(clock, alarm,
              shift(at_ms, jd_policy_now_ms(clock), jd_steady_now_ms(clock) + apart_ms));
}

void jd_alarm_repeat(struct jd_clock *clock, struct jd_alarm *alarm, int64_t interval_ms)
{
    const int64_t now_ms = jd_steady_now_ms(clock);
    const int64_t next_ms = alarm->due_ms + interval_ms;
    set_alarm(clock, alarm, next_ms > now_ms ? next_ms : now_ms + interval_ms);
}

int64_t jd_alarm_at_ms(const struct jd_clock *clock, const struct jd_alarm *alarm)
{
    return shift(alarm->due_ms, jd_steady_now_ms(clock), jd_policy_now_ms(clock));
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
