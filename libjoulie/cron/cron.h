/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Cron windows: a rule is active from each start to the next end. Rules:
 * docs/rules/autoscaling-triggers.md#cron-rules; of v2.17.1:
 * docs/rules/autoscaling-source.md#cron-and-external-scaler.
 *
 * A schedule is matched against the local wall clock of each minute of UTC: a local time that is
 * skipped never fires, one that is repeated fires twice.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/zone_name.h"
#include "cron/zone.h"

struct jl_cron {
    uint64_t minutes;    /* bits 0 to 59 */
    uint32_t hours;      /* bits 0 to 23 */
    uint32_t days;       /* of the month: bits 1 to 31 */
    uint32_t months;     /* bits 1 to 12 */
    uint32_t weekdays;   /* bits 0 (Sunday) to 6 */
    bool is_any_day;     /* an unstepped * or ? among the days: the weekday must match too */
    bool is_any_weekday; /* the same the other way round; neither: one match is enough */
    char zone[JL_ZONE_NAME_BYTES + 1]; /* "" = UTC */
};

/*
 * Finds the zone of a name: 0, JOULIE_E_PARSE (there is none), or another code. The caller passes
 * one, because the library's pure part opens no file. UTC needs none.
 */
struct jl_zone_finder {
    int (*find_zone)(void *user, const char *name, const struct jl_time_zone **out);
    void *user;
};

/* 0 or JOULIE_E_PARSE: err has the message and an empty where, out is untouched. */
int jl_cron_parse(const char *text, size_t len, struct jl_cron *out, struct joulie_error *err);
/* What v2.17.1 accepts: no 7, no @daily, but empty list items and any text after "*-". */
int jl_cron_parse_v2_17_1(const char *text, size_t len, struct jl_cron *out,
                          struct joulie_error *err);

/* Equal but for white space; a rule that starts when it ends is refused. */
bool jl_cron_is_same_text(const char *a, size_t a_len, const char *b, size_t b_len);

struct jl_cron_window {
    bool is_active;
    bool has_start;
    bool has_end;
    int64_t last_start_s; /* the last scheduled minute <= now of the past five years, Unix time */
    int64_t last_end_s;
    bool never_starts; /* no such minute: NeverFires */
    bool never_ends;
};

/* Zones NULL = UTC. 0, or JOULIE_E_RANGE when now is outside the years 0 to 9999. */
int jl_cron_window(const struct jl_cron *start, const struct jl_time_zone *start_zone,
                   const struct jl_cron *end, const struct jl_time_zone *end_zone, int64_t now_s,
                   struct jl_cron_window *out);

/* The active test of v2.17.1 with its mistakes; now as above. */
bool jl_cron_is_active_v2_17_1(const struct jl_cron *start, const struct jl_time_zone *start_zone,
                               const struct jl_cron *end, const struct jl_time_zone *end_zone,
                               int64_t now_s);

/* The last scheduled minute <= now_s and >= least_s, or the first one > now_s and <= most_s. */
bool jl_cron_last(const struct jl_cron *cron, const struct jl_time_zone *zone, int64_t now_s,
                  int64_t least_s, int64_t *out_s);
bool jl_cron_next(const struct jl_cron *cron, const struct jl_time_zone *zone, int64_t now_s,
                  int64_t most_s, int64_t *out_s);
