/* SPDX-License-Identifier: Apache-2.0 */

/* The alarms of a clock in steady time: a list by time, then by the order of setting. clock.c and
 * lockstep.c fire them. */

#include "runtime/clock_parts.h"

void jd_alarms_insert(struct jd_clock *clock, struct jd_alarm *alarm)
{
    struct jd_alarm **at = &clock->first;
    if (clock->last && clock->last->due_ms <= alarm->due_ms)
        at = &clock->last->next; /* as a rule the next step is the latest alarm */
    while (*at && (*at)->due_ms <= alarm->due_ms)
        at = &(*at)->next;
    alarm->next = *at;
    *at = alarm;
    if (!alarm->next)
        clock->last = alarm;
}

void jd_alarms_remove(struct jd_clock *clock, struct jd_alarm *alarm)
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
    while (alarm && alarm->due_ms <= now_ms && alarm->order >= order)
        alarm = alarm->next;
    return alarm && alarm->due_ms <= now_ms ? alarm : NULL;
}

void jd_clock_fire(struct jd_clock *clock, int64_t now_ms)
{
    const uint64_t order = clock->order;
    for (struct jd_alarm *alarm = NULL; (alarm = first_due(clock, now_ms, order));) {
        jd_alarms_remove(clock, alarm);
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
