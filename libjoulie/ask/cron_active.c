/* SPDX-License-Identifier: Apache-2.0 */

/* cron.active: whether a cron window is open (tensor-fusion.md §8.7, for v2.17.1 §7.6). */

#include <string.h>

#include "ask/zones.h"
#include "autoscale/reason.h"
#include "base/civil.h"
#include "base/error.h"
#include "cron/cron.h"

#define MS_PER_S 1000

struct cron_in {
    uint64_t has;
    const char *start;
    const char *end;
    int64_t now_ms;
};

enum { IN_START, IN_END, IN_NOW };

static const struct jl_row in_rows[] = {
    [IN_START] = JL_STRING(cron_in, start, "start", .flags = JL_REQUIRED,
                           .doc = "Schedule that opens the window: five cron fields or a word such "
                                  "as @daily, after an optional TZ=Zone and a blank."),
    [IN_END] = JL_STRING(cron_in, end, "end", .flags = JL_REQUIRED,
                         .doc = "Schedule that closes it; it may have another zone."),
    [IN_NOW] = JL_TIME(cron_in, now_ms, "now", .flags = JL_REQUIRED, .doc = "Instant asked for."),
};
static const struct jl_table in_table = JL_TABLE(cron_in, in_rows);

struct cron_warning {
    uint64_t has;
    enum jl_scale_reason reason;
    const char *where;
};

enum { WARNING_REASON, WARNING_WHERE };

static const struct jl_row warning_rows[] = {
    [WARNING_REASON] = JL_ENUM(cron_warning, reason, "reason", &jl_scale_reason_words,
                               .doc = "NeverFires: the schedule has no time in five years."),
    [WARNING_WHERE] = JL_STRING(cron_warning, where, "where", .doc = "The schedule: start or end."),
};
static const struct jl_table warning_table = JL_TABLE(cron_warning, warning_rows);

struct cron_out {
    uint64_t has;
    bool active;
    int64_t last_start_ms;
    int64_t last_end_ms;
    struct jl_list warnings;
};

enum { OUT_ACTIVE, OUT_LAST_START, OUT_LAST_END, OUT_WARNINGS };

static const struct jl_row out_rows[] = {
    [OUT_ACTIVE] = JL_BOOLEAN(cron_out, active, "active", .doc = "The window is open."),
    [OUT_LAST_START] =
        JL_TIME(cron_out, last_start_ms, "lastStart",
                .doc = "Last opening of the past five years; absent: none. Not with v2.17.1."),
    [OUT_LAST_END] =
        JL_TIME(cron_out, last_end_ms, "lastEnd",
                .doc = "Last closing of the past five years; absent: none. Not with v2.17.1."),
    [OUT_WARNINGS] =
        JL_LIST(cron_out, warnings, "warnings", &warning_table, .doc = "What may be a mistake."),
};
static const struct jl_table out_table = JL_TABLE(cron_out, out_rows);

struct schedule {
    struct jl_cron cron;
    const struct jl_zone *zone;
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

static bool is_same(const struct jl_ask *ask, const struct cron_in *in)
{
    if (!jl_is_current(ask))
        return jl_same(in->start, in->end);
    return jl_cron_is_same_text(in->start, strlen(in->start), in->end, strlen(in->end));
}

static void warn(struct cron_out *out, struct cron_warning *warnings, const char *where)
{
    struct cron_warning *warning = &warnings[out->warnings.count++];
    JL_PUT(warning, WARNING_REASON, reason, JL_REASON_NEVER_FIRES);
    JL_PUT(warning, WARNING_WHERE, where, where);
}

static int answer_current(struct jl_ask *ask, const struct schedule *start,
                          const struct schedule *end, int64_t now_s, struct cron_out *out)
{
    struct jl_cron_window window;
    struct cron_warning *warnings = JL_NEW_ARRAY(ask->arena, 2, struct cron_warning);
    if (warnings == NULL)
        return jl_fail_memory(ask->err);
    const int rc = jl_cron_window(&start->cron, start->zone, &end->cron, end->zone, now_s, &window);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "now", "outside of the years 0 to 9999");
    JL_PUT(out, OUT_ACTIVE, active, window.is_active);
    JL_PUT(out, OUT_WARNINGS, warnings, ((struct jl_list){ warnings, 0 }));
    if (window.has_start)
        JL_PUT(out, OUT_LAST_START, last_start_ms, window.last_start_s * MS_PER_S);
    else
        warn(out, warnings, "start");
    if (window.has_end)
        JL_PUT(out, OUT_LAST_END, last_end_ms, window.last_end_s * MS_PER_S);
    else
        warn(out, warnings, "end");
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct cron_in *in = input;
    struct cron_out *out = output;
    struct jl_ask_zones zones;
    struct schedule start = { 0 };
    struct schedule end = { 0 };
    jl_ask_zones_init(&zones, ask->arena);
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
    JL_PUT(out, OUT_ACTIVE, active,
           jl_cron_is_active_v2_17_1(&start.cron, start.zone, &end.cron, end.zone, now_s));
    return 0;
}

static const char *const models[] = { "current", "v2.17.1", NULL };

const struct jl_question jl_question_cron_active = {
    .name = "cron.active",
    .summary = "whether a cron window is open, and when it opened and closed last",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
