/* SPDX-License-Identifier: Apache-2.0 */

/* cron.active: whether a cron window is open (docs/rules/autoscaling-triggers.md#cron-rules). */

#include <string.h>

#include "ask/zones.h"
#include "autoscale/layer.h"
#include "base/civil.h"
#include "base/error.h"
#include "cron/cron.h"

#define MS_PER_S 1000

#define RECORD cron_active_in
#define MEMBERS                                                                                   \
    STRING(start, "start",                                                                        \
           "Schedule that opens the window: five cron fields or a word such as @daily, after an " \
           "optional TZ=Zone and a blank.",                                                       \
           REQUIRED)                                                                              \
    STRING(end, "end", "Schedule that closes it; it may have another zone.", REQUIRED)            \
    TIME(now_ms, "now", "Instant asked for.", REQUIRED)
#include "schema/record.h"

#define RECORD cron_warning
#define MEMBERS                                                    \
    ENUM(reason, "reason", jl_scale_reason, jl_scale_reason_words, \
         "NeverFires: the schedule has no time in five years.")    \
    STRING(where, "where", "The schedule: start or end.")
#include "schema/record.h"

#define RECORD cron_active_out
#define MEMBERS                                                                  \
    BOOLEAN(active, "active", "The window is open.")                             \
    TIME(last_start_ms, "lastStart",                                             \
         "Last opening of the past five years; absent: none. Not with v2.17.1.") \
    TIME(last_end_ms, "lastEnd",                                                 \
         "Last closing of the past five years; absent: none. Not with v2.17.1.") \
    LIST(warnings, "warnings", cron_warning, "What may be a mistake.")
#include "schema/record.h"

struct schedule {
    struct jl_cron cron;
    const struct jl_time_zone *zone;
};

static int read_schedule(struct jl_ask *ask, struct jl_ask_zones *zones, const char *text,
                         const char *where, struct schedule *out)
{
    struct joulie_error why = { .struct_size = sizeof why };
    int rc = jl_is_current(ask) ? jl_cron_parse(text, strlen(text), &out->cron, &why)
                                : jl_cron_parse_v2_17_1(text, strlen(text), &out->cron, &why);
    if (rc < 0)
        return jl_ask_fail(ask, rc, where, "%s", why.message);
    rc = jl_ask_find_zone(zones, out->cron.zone, &out->zone);
    if (rc == JOULIE_E_NOMEM)
        return jl_fail_memory(ask->err);
    return rc < 0 ? jl_ask_fail(ask, rc, where, "%s", zones->why.message) : 0;
}

static bool is_same(const struct jl_ask *ask, const struct cron_active_in *in)
{
    if (!jl_is_current(ask))
        return jl_same(in->start, in->end);
    return jl_cron_is_same_text(in->start, strlen(in->start), in->end, strlen(in->end));
}

static void warn(struct cron_active_out *out, struct cron_warning *warnings, const char *where)
{
    struct cron_warning *warning = &warnings[out->warnings.count++];
    JL_SET(warning, reason, JL_REASON_NEVER_FIRES);
    JL_SET(warning, where, where);
}

static int answer_current(struct jl_ask *ask, const struct schedule *start,
                          const struct schedule *end, int64_t now_s, struct cron_active_out *out)
{
    struct jl_cron_window window;
    struct cron_warning *warnings = JL_NEW_ARRAY(ask->arena, 2, struct cron_warning);
    if (warnings == NULL)
        return jl_fail_memory(ask->err);
    const int rc = jl_cron_window(&start->cron, start->zone, &end->cron, end->zone, now_s, &window);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "now", "outside of the years 0 to 9999");
    JL_SET(out, active, window.is_active);
    JL_SET(out, warnings, ((struct jl_list){ warnings, 0 }));
    if (window.has_start)
        JL_SET(out, last_start_ms, window.last_start_s * MS_PER_S);
    else
        warn(out, warnings, "start");
    if (window.has_end)
        JL_SET(out, last_end_ms, window.last_end_s * MS_PER_S);
    else
        warn(out, warnings, "end");
    return 0;
}

static int answer_cron_active(struct jl_ask *ask, const struct cron_active_in *in,
                              struct cron_active_out *out)
{
    struct jl_ask_zones zones;
    struct schedule start = { 0 };
    struct schedule end = { 0 };
    jl_ask_zones_init(&zones, ask);
    int rc = read_schedule(ask, &zones, in->start, "start", &start);
    if (rc == 0)
        rc = read_schedule(ask, &zones, in->end, "end", &end);
    if (rc < 0)
        return rc;
    if (is_same(ask, in))
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "end", "the end is the start");
    const int64_t now_s = jl_floor_div(in->now_ms, MS_PER_S);
    if (jl_is_current(ask))
        return answer_current(ask, &start, &end, now_s, out);
    JL_SET(out, active,
           jl_cron_is_active_v2_17_1(&start.cron, start.zone, &end.cron, end.zone, now_s));
    return 0;
}

JL_QUESTION(cron_active, "cron.active",
            "whether a cron window is open, and when it opened and closed last",
            JL_MODELS("current", "v2.17.1"));
