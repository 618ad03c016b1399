/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The text of a cron schedule as sets of minutes, hours, days, months and weekdays, in our grammar
 * and in that of v2.17.1. Validation, conversion and the autoscaler read schedules with it
 * (docs/rules/autoscaling-triggers.md#cron-rules).
 */

#include "cron/cron.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/zone_name.h"

#define FIELDS 5
#define SUNDAY_TOO 7     /* 0 and 7 are Sunday; only in our grammar */
#define TOO_LARGE 100000 /* above every bound; longer numbers stop here */

/* What the two grammars have in common is one function; this is where they differ. */
struct grammar {
    bool is_source; /* v2.17.1 */
    struct joulie_error *err;
};

struct field {
    const char *name;
    unsigned least;
    unsigned most;
    const char *words; /* three letters each, for the values from first_word on; NULL = none */
    unsigned first_word;
};

enum { FIELD_MINUTE, FIELD_HOUR, FIELD_DAY, FIELD_MONTH, FIELD_WEEKDAY };

static const struct field fields[FIELDS] = {
    [FIELD_MINUTE] = { "minute", 0, 59, NULL, 0 },
    [FIELD_HOUR] = { "hour", 0, 23, NULL, 0 },
    [FIELD_DAY] = { "day", 1, 31, NULL, 0 },
    [FIELD_MONTH] = { "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1 },
    [FIELD_WEEKDAY] = { "weekday", 0, 6, "sunmontuewedthufrisat", 0 },
};

static const struct {
    const char *word;
    const char *schedule;
} descriptors[] = {
    { "@hourly", "0 * * * *" },   { "@daily", "0 0 * * *" },   { "@midnight", "0 0 * * *" },
    { "@weekly", "0 0 * * 0" },   { "@monthly", "0 0 1 * *" }, { "@yearly", "0 0 1 1 *" },
    { "@annually", "0 0 1 1 *" },
};

static int refuse(const struct grammar *grammar, const struct field *field, const char *why)
{
    return jl_fail(grammar->err, JOULIE_E_PARSE, "", "%s: %s", field->name, why);
}

/* The next word between white space; empty at the end. */
static struct jl_text next_word(struct jl_text *rest)
{
    size_t from = 0;
    while (from < rest->len && jl_is_space(rest->ptr[from]))
        from++;
    size_t to = from;
    while (to < rest->len && !jl_is_space(rest->ptr[to]))
        to++;
    const struct jl_text word = { rest->ptr + from, to - from };
    *rest = (struct jl_text){ rest->ptr + to, rest->len - to };
    return word;
}

/* ---- one field ---- */

/* A number as the source reads it may have a plus before it. */
static bool read_number(const struct grammar *grammar, struct jl_text text, unsigned *out)
{
    unsigned value = 0;
    if (grammar->is_source && text.len > 1 && text.ptr[0] == '+')
        text = (struct jl_text){ text.ptr + 1, text.len - 1 };
    for (size_t i = 0; i < text.len; i++) {
        if (!jl_is_digit(text.ptr[i]))
            return false;
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
        value = value < TOO_LARGE ? value : TOO_LARGE;
    }
    *out = value;
    return text.len > 0;
}

static bool read_value(const struct grammar *grammar, const struct field *field,
                       struct jl_text text, unsigned *out)
{
    const size_t words = field->words != NULL ? strlen(field->words) / 3 : 0;
    for (size_t i = 0; i < words && text.len == 3; i++) {
        const char *word = field->words + 3 * i;
        if (jl_lower(text.ptr[0]) == word[0] && jl_lower(text.ptr[1]) == word[1] &&
            jl_lower(text.ptr[2]) == word[2]) {
            *out = field->first_word + (unsigned)i;
            return true;
        }
    }
    return read_number(grammar, text, out);
}

struct range {
    unsigned first;
    unsigned last;
    bool is_all;    /* a * or ? */
    bool is_single; /* one value without a last one */
};

static int read_range(const struct grammar *grammar, const struct field *field, struct jl_text text,
                      struct range *out)
{
    struct jl_text last = text;
    const struct jl_text first = jl_text_cut(&last, '-');
    const bool has_last = first.len < text.len;
    *out = (struct range){ .is_single = !has_last };
    if (jl_text_is(first, "*") || jl_text_is(first, "?")) {
        if (has_last && !grammar->is_source) /* the source does not read what follows */
            return refuse(grammar, field, "a range cannot begin with a star");
        *out = (struct range){ field->least, field->most, true, !has_last };
        return 0;
    }
    if (!read_value(grammar, field, first, &out->first))
        return refuse(grammar, field, "not a number, name, range, * or ?");
    out->last = out->first;
    if (has_last && jl_text_find(last, '-') < last.len)
        return refuse(grammar, field, "a range has two ends");
    if (has_last && !read_value(grammar, field, last, &out->last))
        return refuse(grammar, field, "the end of a range is no number or name");
    return 0;
}

static int check_range(const struct grammar *grammar, const struct field *field,
                       const struct range *range, unsigned step)
{
    const bool is_weekday = field == &fields[FIELD_WEEKDAY];
    const unsigned most = is_weekday && !grammar->is_source ? SUNDAY_TOO : field->most;
    if (range->first < field->least || range->last > most || range->first > most)
        return jl_fail(grammar->err, JOULIE_E_PARSE, "", "%s: outside of %u to %u", field->name,
                       field->least, most);
    if (range->first > range->last)
        return refuse(grammar, field, "a range ends before it begins");
    if (step == 0)
        return refuse(grammar, field, "the step is 0");
    return 0;
}

/* *is_any is set for a * or ? without a step. */
static int read_item(const struct grammar *grammar, const struct field *field, struct jl_text text,
                     uint64_t *bits, bool *is_any)
{
    struct jl_text step_text = text;
    const struct jl_text range_text = jl_text_cut(&step_text, '/');
    const bool has_step = range_text.len < text.len;
    struct range range;
    unsigned step = 1;
    int rc = read_range(grammar, field, range_text, &range);
    if (rc < 0)
        return rc;
    if (has_step && !read_number(grammar, step_text, &step))
        return refuse(grammar, field, "the step is no number");
    if (has_step && range.is_single && !range.is_all) /* n/s is n-most/s */
        range.last = range.first > field->most ? range.first : field->most;
    rc = check_range(grammar, field, &range, step);
    if (rc < 0)
        return rc;
    for (unsigned value = range.first; value <= range.last; value += step)
        *bits |= UINT64_C(1) << (value == SUNDAY_TOO && field->most < SUNDAY_TOO ? 0 : value);
    *is_any |= range.is_all && step == 1;
    return 0;
}

/* The source leaves empty items of a list out, so that a field may have no value at all. */
static int read_field(const struct grammar *grammar, const struct field *field, struct jl_text text,
                      uint64_t *bits, bool *is_any)
{
    *bits = 0;
    *is_any = false;
    for (;;) {
        const size_t len = jl_text_find(text, ',');
        if (len == 0 && !grammar->is_source)
            return refuse(grammar, field, "an item of the list is empty");
        if (len > 0) {
            const struct jl_text item = { text.ptr, len };
            const int rc = read_item(grammar, field, item, bits, is_any);
            if (rc < 0)
                return rc;
        }
        if (len == text.len)
            return 0;
        text = (struct jl_text){ text.ptr + len + 1, text.len - len - 1 };
    }
}

/* ---- the time zone ---- */

static int store_zone(const struct grammar *grammar, struct jl_text name, struct jl_cron *out)
{
    /* a question has no process whose local time could be meant */
    if (grammar->is_source && (name.len == 0 || jl_text_is(name, "Local")))
        return 0;
    if (!jl_is_zone_name(name.ptr, name.len))
        return jl_fail(grammar->err, JOULIE_E_PARSE, "", "\"%.*s\" is no name of a time zone",
                       (int)(name.len < 64 ? name.len : 64), name.ptr);
    if (!jl_text_is(name, "UTC"))
        memcpy(out->zone, name.ptr, name.len);
    return 0;
}

/* TZ=Zone or CRON_TZ=Zone and a blank; *text moves behind it. */
static int read_zone(const struct grammar *grammar, struct jl_text *text, struct jl_cron *out)
{
    struct jl_text rest = *text;
    const struct jl_text key = jl_text_cut(&rest, '=');
    if (key.len == text->len || (!jl_text_is(key, "TZ") && !jl_text_is(key, "CRON_TZ")))
        return 0;
    size_t len = 0;
    while (len < rest.len &&
           (grammar->is_source ? rest.ptr[len] != ' ' : !jl_is_space(rest.ptr[len])))
        len++;
    if (len == rest.len) /* a source without this test panics */
        return jl_fail(grammar->err, JOULIE_E_PARSE, "", "nothing stands behind the time zone");
    const int rc = store_zone(grammar, (struct jl_text){ rest.ptr, len }, out);
    *text = (struct jl_text){ rest.ptr + len, rest.len - len };
    return rc;
}

/* ---- the whole ---- */

static int expand(const struct grammar *grammar, struct jl_text *text)
{
    struct jl_text rest = *text;
    const struct jl_text word = next_word(&rest);
    if (word.len == 0 || word.ptr[0] != '@')
        return 0;
    for (size_t i = 0; i < JL_COUNT(descriptors) && !grammar->is_source; i++) {
        if (jl_text_is(word, descriptors[i].word) && next_word(&rest).len == 0) {
            *text = jl_text(descriptors[i].schedule);
            return 0;
        }
    }
    return jl_fail(grammar->err, JOULIE_E_PARSE, "", "no such word for a schedule");
}

static int parse(const struct grammar *grammar, struct jl_text text, struct jl_cron *out)
{
    struct jl_cron cron = { 0 };
    uint64_t bits[FIELDS];
    bool is_any[FIELDS];
    if (!grammar->is_source)
        text = jl_text_trim(text);
    int rc = read_zone(grammar, &text, &cron);
    if (rc == 0)
        rc = expand(grammar, &text);
    for (size_t i = 0; i < FIELDS && rc == 0; i++) {
        const struct jl_text word = next_word(&text);
        if (word.len == 0)
            return jl_fail(grammar->err, JOULIE_E_PARSE, "", "a schedule has five fields");
        rc = read_field(grammar, &fields[i], word, &bits[i], &is_any[i]);
    }
    if (rc < 0)
        return rc;
    if (next_word(&text).len > 0)
        return jl_fail(grammar->err, JOULIE_E_PARSE, "", "a schedule has only five fields");
    cron.minutes = bits[FIELD_MINUTE];
    cron.hours = (uint32_t)bits[FIELD_HOUR];
    cron.days = (uint32_t)bits[FIELD_DAY];
    cron.months = (uint32_t)bits[FIELD_MONTH];
    cron.weekdays = (uint32_t)bits[FIELD_WEEKDAY];
    cron.is_any_day = is_any[FIELD_DAY];
    cron.is_any_weekday = is_any[FIELD_WEEKDAY];
    *out = cron;
    return 0;
}

int jl_cron_parse(const char *text, size_t len, struct jl_cron *out, struct joulie_error *err)
{
    return parse(&(struct grammar){ false, err }, (struct jl_text){ text, len }, out);
}

int jl_cron_parse_v2_17_1(const char *text, size_t len, struct jl_cron *out,
                          struct joulie_error *err)
{
    return parse(&(struct grammar){ true, err }, (struct jl_text){ text, len }, out);
}

bool jl_cron_is_same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
    struct jl_text left = { a, a_len };
    struct jl_text right = { b, b_len };
    for (;;) {
        const struct jl_text left_word = next_word(&left);
        const struct jl_text right_word = next_word(&right);
        if (jl_compare_text(left_word, right_word) != 0)
            return false;
        if (left_word.len == 0)
            return true;
    }
}
