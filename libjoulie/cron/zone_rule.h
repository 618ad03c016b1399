/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The POSIX TZ text at the end of a TZif file: what holds after its last transition. POSIX.1, TZ,
 * and RFC 9636, section 3.3.2 (hours from -167 to 167). */

#include <stdbool.h>

#include "base/text.h"
#include "cron/zone.h"

enum jl_zone_day {
    JL_ZONE_JULIAN = 1,  /* Jn: day 1 to 365, 29 February is never counted */
    JL_ZONE_DAY_OF_YEAR, /* n: day 0 to 365, 29 February counts in a leap year */
    JL_ZONE_WEEKDAY,     /* Mm.w.d: weekday d of week w of month m, week 5 = the last one */
};

struct jl_zone_change {
    enum jl_zone_day kind;
    int month; /* with JL_ZONE_WEEKDAY */
    int week;
    int day;        /* of the year, or weekday with 0 = Sunday */
    int32_t time_s; /* after midnight of that day, by the clock that is changed */
};

struct jl_zone_rule {
    int32_t standard_s; /* seconds east of UTC */
    bool has_saving;
    int32_t saving_s;
    struct jl_zone_change start; /* of the saving time */
    struct jl_zone_change end;
};

/* 0 or JOULIE_E_PARSE; *why is a text for a person then. */
int jl_zone_rule_parse(struct jl_text text, struct jl_zone_rule *out, const char **why);

/* As jl_zone_span(), with the rule as if it had always held. */
struct jl_zone_span jl_zone_rule_span(const struct jl_zone_rule *rule, int64_t utc_s);
