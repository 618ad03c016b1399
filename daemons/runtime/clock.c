/* SPDX-License-Identifier: Apache-2.0 */

/* The clocks of a daemon (docs/rules/programs.md#time): policy time by the monotonic clock, stamps
 * by the wall. lockstep.c has that of a simulator, alarms.c what is due. */

#include "runtime/clock.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/time.h"
#include "runtime/clock_parts.h"

#define SLEW_MS 1000 /* what the wall may drift from policy time until stamps follow it */
#define MS_PER_S 1000.0

/* ---- the machine's clocks ---- */

static int64_t wall_ms(const struct jd_clock *clock)
{
    return clock->options.wall_ms ? clock->options.wall_ms() : jd_clock_wall_ms();
}

static void wait_for_first(struct jd_clock *clock)
{
    const int64_t now_ms = jd_policy_now_ms(clock);
    const int64_t due_ms = clock->first ? clock->first->due_ms : JD_NEVER_MS;
    const bool is_due = clock->started || due_ms <= now_ms;
    if (!is_due && !jl_is_instant(due_ms))
        jd_timer_set(clock->loop, &clock->timer, JD_NEVER_MS);
    else
        jd_timer_set(clock->loop, &clock->timer, (is_due ? now_ms : due_ms) - clock->ahead_ms);
}

static void on_timer(void *user)
{
    struct jd_clock *const clock = user;
    jd_timer_set(clock->loop, &clock->timer, JD_NEVER_MS);
    if (clock->url) {
        jd_lockstep_turn(clock);
        return;
    }
    jd_clock_report_started(clock, jd_policy_now_ms(clock));
    jd_clock_fire(clock, jd_policy_now_ms(clock));
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
    clock->ahead_ms = wall_ms(clock) - jd_clock_ms();
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
    return clock->url ? clock->now_ms : jd_clock_ms() + clock->ahead_ms;
}

/* What is slewed stays within a second of the wall; what is set is followed at once. */
int64_t jd_clock_stamp_ms(struct jd_clock *clock, int64_t at_ms)
{
    if (clock->url)
        return at_ms;
    const int64_t off_ms = wall_ms(clock) - jd_policy_now_ms(clock) - clock->set_ms;
    if (off_ms > SLEW_MS || off_ms < -SLEW_MS) {
        clock->set_ms += off_ms;
        jd_log(clock->options.log, JOULIE_LOG_LEVEL_INFO, "clock",
               "the wall clock was set by %.3f s; intervals and ages go on",
               (double)off_ms / MS_PER_S);
    }
    return at_ms + clock->set_ms;
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
    alarm->due_ms = at_ms;
    alarm->order = clock->order++;
    alarm->is_set = true;
    jd_alarms_insert(clock, alarm);
    if (clock->first == alarm)
        alarms_changed(clock);
}

void jd_alarm_repeat(struct jd_clock *clock, struct jd_alarm *alarm, int64_t interval_ms)
{
    const int64_t now_ms = jd_policy_now_ms(clock);
    const int64_t next_ms = alarm->due_ms + interval_ms;
    jd_alarm_set(clock, alarm, next_ms > now_ms ? next_ms : now_ms + interval_ms);
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
