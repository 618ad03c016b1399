/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The POSIX rule at the end of a TZif file: what holds after the last transition that is written
 * out. Read and asked by zone.c only.
 */

#include "cron/zone_rule.h"

#include "base/civil.h"

#define LEAST_NAME 3 /* characters of an abbreviation */
#define DEFAULT_TIME_S (2 * JL_S_PER_HOUR)
#define MOST_OFFSET_H 24 /* of an offset; of a time of day RFC 9636 allows a week */
#define MOST_TIME_H 167
#define MOST_DIGITS 3

/* An instant of a rule lies at most two years from the year it belongs to, so five years hold every
 * change that matters around an instant. */
#define YEARS_AROUND 2
#define CHANGES ((2 * YEARS_AROUND + 1) * 2)
#define MOST_RULE_S (INT64_C(1) << 50) /* 35 million years; beyond it the rule is not followed */

/* ---- the text ---- */

static bool take(struct jl_text *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c)
        return false;
    text->ptr++;
    text->len--;
    return true;
}

static bool is_letter(char c)
{
    return jl_lower(c) >= 'a' && jl_lower(c) <= 'z';
}

/* std or dst: letters, or <letters, digits and signs>. */
static bool take_name(struct jl_text *text)
{
    size_t len = 0;
    if (take(text, '<')) {
        while (len < text->len && (is_letter(text->ptr[len]) || jl_is_digit(text->ptr[len]) ||
                                   text->ptr[len] == '+' || text->ptr[len] == '-'))
            len++;
        *text = (struct jl_text){ text->ptr + len, text->len - len };
        return len >= LEAST_NAME && take(text, '>');
    }
    while (len < text->len && is_letter(text->ptr[len]))
        len++;
    *text = (struct jl_text){ text->ptr + len, text->len - len };
    return len >= LEAST_NAME;
}

/* Digits in [least, most]; -1 for anything else. */
static int take_number(struct jl_text *text, int least, int most)
{
    int value = 0;
    size_t len = 0;
    while (len < text->len && len < MOST_DIGITS && jl_is_digit(text->ptr[len]))
        value = value * 10 + (text->ptr[len++] - '0');
    *text = (struct jl_text){ text->ptr + len, text->len - len };
    return len > 0 && value >= least && value <= most ? value : -1;
}

/* [+|-]hh[:mm[:ss]] in seconds. */
static bool take_time(struct jl_text *text, int most_h, int32_t *out_s)
{
    const bool is_negative = take(text, '-');
    if (!is_negative)
        take(text, '+');
    const int hours = take_number(text, 0, most_h);
    const int minutes = take(text, ':') ? take_number(text, 0, 59) : 0;
    const int seconds = minutes >= 0 && take(text, ':') ? take_number(text, 0, 59) : 0;
    if (hours < 0 || minutes < 0 || seconds < 0)
        return false;
    const int32_t sum = hours * JL_S_PER_HOUR + minutes * JL_S_PER_MIN + seconds;
    *out_s = is_negative ? -sum : sum;
    return true;
}

/* POSIX counts west of Greenwich. */
static bool take_offset(struct jl_text *text, int32_t *out_s)
{
    int32_t west_s = 0;
    if (!take_time(text, MOST_OFFSET_H, &west_s))
        return false;
    *out_s = -west_s;
    return true;
}

static bool take_change(struct jl_text *text, struct jl_zone_change *out)
{
    bool is_good = false;
    *out = (struct jl_zone_change){ .time_s = DEFAULT_TIME_S };
    if (take(text, 'M')) {
        out->kind = JL_ZONE_WEEKDAY;
        out->month = take_number(text, 1, 12);
        out->week = take(text, '.') ? take_number(text, 1, 5) : -1;
        out->day = take(text, '.') ? take_number(text, 0, 6) : -1;
        is_good = out->month >= 0 && out->week >= 0 && out->day >= 0;
    } else if (take(text, 'J')) {
        out->kind = JL_ZONE_JULIAN;
        out->day = take_number(text, 1, 365);
        is_good = out->day >= 0;
    } else {
        out->kind = JL_ZONE_DAY_OF_YEAR;
        out->day = take_number(text, 0, 365);
        is_good = out->day >= 0;
    }
    return is_good && (!take(text, '/') || take_time(text, MOST_TIME_H, &out->time_s));
}

static int refuse(const char **why, const char *text)
{
    *why = text;
    return JOULIE_E_PARSE;
}

int jl_zone_rule_parse(struct jl_text text, struct jl_zone_rule *out, const char **why)
{
    struct jl_zone_rule rule = { 0 };
    if (!take_name(&text) || !take_offset(&text, &rule.standard_s))
        return refuse(why, "the rule of its footer has no standard time");
    if (text.len > 0) {
        rule.has_saving = true;
        rule.saving_s = rule.standard_s + JL_S_PER_HOUR;
        if (!take_name(&text))
            return refuse(why, "the rule of its footer has a bad name of the saving time");
        if (text.len > 0 && text.ptr[0] != ',' && !take_offset(&text, &rule.saving_s))
            return refuse(why, "the rule of its footer has a bad offset of the saving time");
        if (!take(&text, ',') || !take_change(&text, &rule.start) || !take(&text, ',') ||
            !take_change(&text, &rule.end))
            return refuse(why, "the rule of its footer does not say when the time changes");
    }
    if (text.len > 0)
        return refuse(why, "there is more behind the rule of its footer");
    *out = rule;
    return 0;
}

/* ---- the rule ---- */

static int64_t change_day(const struct jl_zone_change *change, int64_t year)
{
    const int64_t first = jl_days_of((struct jl_date){ year, 1, 1 });
    const bool is_leap = jl_month_days(year, 2) == 29;
    if (change->kind == JL_ZONE_DAY_OF_YEAR)
        return first + change->day;
    if (change->kind == JL_ZONE_JULIAN)
        return first + change->day - 1 + (is_leap && change->day >= 60);
    const int64_t month = jl_days_of((struct jl_date){ year, change->month, 1 });
    const int64_t last = month + jl_month_days(year, change->month) - 1;
    int64_t day = month + (change->day - jl_weekday_of(month) + 7) % 7 + (change->week - 1) * 7;
    while (day > last)
        day -= 7;
    return day;
}

struct event {
    int64_t at_s;
    int32_t offset_s; /* from then on */
};

/* Ends stand before starts of the same second: a saving time may last the whole year. */
static size_t add_event(struct event *events, size_t count, struct event event)
{
    size_t at = count;
    for (; at > 0 && events[at - 1].at_s > event.at_s; at--)
        events[at] = events[at - 1];
    events[at] = event;
    return count + 1;
}

struct jl_zone_span jl_zone_rule_span(const struct jl_zone_rule *rule, int64_t utc_s)
{
    if (!rule->has_saving)
        return (struct jl_zone_span){ INT64_MIN, INT64_MAX, rule->standard_s };
    if (utc_s < -MOST_RULE_S)
        return (struct jl_zone_span){ INT64_MIN, -MOST_RULE_S, rule->standard_s };
    if (utc_s >= MOST_RULE_S)
        return (struct jl_zone_span){ MOST_RULE_S, INT64_MAX, rule->standard_s };
    struct jl_zone_span span = { -MOST_RULE_S, MOST_RULE_S, rule->standard_s };
    struct event events[CHANGES];
    size_t count = 0;
    const int64_t year = jl_date_of(jl_floor_div(utc_s, JL_S_PER_DAY)).year;
    for (int64_t y = year - YEARS_AROUND; y <= year + YEARS_AROUND; y++) {
        const int64_t end_s = change_day(&rule->end, y) * JL_S_PER_DAY + rule->end.time_s;
        const int64_t start_s = change_day(&rule->start, y) * JL_S_PER_DAY + rule->start.time_s;
        count =
            add_event(events, count, (struct event){ end_s - rule->saving_s, rule->standard_s });
        count =
            add_event(events, count, (struct event){ start_s - rule->standard_s, rule->saving_s });
    }
    for (size_t i = 0; i < count; i++) {
        if (events[i].at_s > utc_s) {
            span.until_s = events[i].at_s < MOST_RULE_S ? events[i].at_s : MOST_RULE_S;
            break;
        }
        span.from_s = events[i].at_s > -MOST_RULE_S ? events[i].at_s : -MOST_RULE_S;
        span.offset_s = events[i].offset_s;
    }
    return span;
}
