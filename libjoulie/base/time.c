/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Instants of RFC 3339, as text and as milliseconds. Called by every reader and printer of a
 * document. Implements docs/rules/kubernetes-values.md#times.
 */

#include "base/time.h"

#include <string.h>

#include <joulie/error.h>

#include "base/civil.h"
#include "base/number.h"
#include "base/text.h"

#define US_PER_S 1000000
#define MS_PER_S 1000
#define FIRST_MS INT64_C(-62167219200000) /* 0000-01-01T00:00:00Z */
#define LAST_MS INT64_C(253402300799999)  /* 9999-12-31T23:59:59.999Z */

bool jl_is_instant(int64_t ms)
{
    return ms >= FIRST_MS && ms <= LAST_MS;
}

/* Reads exactly count digits and moves on; -1 without them or for a number above max. */
static int read_digits(struct jl_text *text, size_t count, int max)
{
    int value = 0;
    if (text->len < count)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (!jl_is_digit(text->ptr[i]))
            return -1;
        value = value * 10 + (text->ptr[i] - '0');
    }
    text->ptr += count;
    text->len -= count;
    return value <= max ? value : -1;
}

static bool skip(struct jl_text *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c)
        return false;
    text->ptr++;
    text->len--;
    return true;
}

static bool read_date(struct jl_text *text, int64_t *out_days)
{
    struct jl_date date = { .year = read_digits(text, 4, 9999) };
    if (date.year < 0 || !skip(text, '-'))
        return false;
    date.month = read_digits(text, 2, 12);
    if (date.month < 1 || !skip(text, '-'))
        return false;
    date.day = read_digits(text, 2, 31);
    if (date.day < 1)
        return false;
    *out_days = jl_days_of(date);
    return jl_date_of(*out_days).day == date.day; /* February 30 comes back as March 2 */
}

static bool read_clock(struct jl_text *text, int64_t *out_s)
{
    const int hour = read_digits(text, 2, 23);
    if (hour < 0 || !skip(text, ':'))
        return false;
    const int minute = read_digits(text, 2, 59);
    if (minute < 0 || !skip(text, ':'))
        return false;
    const int second = read_digits(text, 2, 59);
    *out_s = (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
    return second >= 0;
}

/* Microseconds of an optional fraction; finer digits are cut. */
static bool read_fraction(struct jl_text *text, int64_t *out_us, int *out_digits)
{
    int64_t unit_us = US_PER_S;
    *out_us = 0;
    *out_digits = 0;
    if (!skip(text, '.'))
        return true;
    while (text->len > 0 && jl_is_digit(text->ptr[0])) {
        unit_us /= 10;
        *out_us += (text->ptr[0] - '0') * unit_us;
        *out_digits += 1;
        skip(text, text->ptr[0]);
    }
    return *out_digits > 0;
}

static bool read_offset(struct jl_text *text, int64_t *out_s)
{
    *out_s = 0;
    if (skip(text, 'Z'))
        return true;
    const bool is_west = skip(text, '-');
    if (!is_west && !skip(text, '+'))
        return false;
    const int hours = read_digits(text, 2, 23);
    if (hours < 0 || !skip(text, ':'))
        return false;
    const int minutes = read_digits(text, 2, 59);
    *out_s = ((int64_t)hours * 3600 + (int64_t)minutes * 60) * (is_west ? -1 : 1);
    return minutes >= 0;
}

int jl_parse_time_us(const char *text, size_t len, int64_t *out_us, int *out_fraction_digits)
{
    struct jl_text left = { text, len };
    int64_t days = 0;
    int64_t clock_s = 0;
    int64_t fraction_us = 0;
    int64_t offset_s = 0;
    int digits = 0;
    if (!read_date(&left, &days) || !skip(&left, 'T') || !read_clock(&left, &clock_s) ||
        !read_fraction(&left, &fraction_us, &digits) || !read_offset(&left, &offset_s) ||
        left.len > 0)
        return JOULIE_E_PARSE;
    const int64_t seconds = days * JL_S_PER_DAY + clock_s - offset_s;
    const int64_t year = jl_date_of(jl_floor_div(seconds, JL_S_PER_DAY)).year;
    if (year < 0 || year > 9999) /* an offset can leave what RFC 3339 can write */
        return JOULIE_E_PARSE;
    *out_us = seconds * US_PER_S + fraction_us;
    *out_fraction_digits = digits;
    return 0;
}

int jl_parse_time(const char *text, size_t len, int64_t *out_ms)
{
    int64_t us = 0;
    int digits = 0;
    const int rc = jl_parse_time_us(text, len, &us, &digits);
    if (rc < 0)
        return rc;
    *out_ms = jl_floor_div(us, US_PER_S / MS_PER_S);
    return 0;
}

int jl_parse_micro_time(const char *text, size_t len, int64_t *out_us)
{
    int64_t us = 0;
    int digits = 0;
    const int rc = jl_parse_time_us(text, len, &us, &digits);
    if (rc < 0)
        return rc;
    if (digits != 6)
        return JOULIE_E_PARSE;
    *out_us = us;
    return 0;
}

/* Writes the value with at least count digits. */
static size_t put_padded(char *out, int64_t value, size_t count)
{
    char text[JL_DOUBLE_TEXT];
    const size_t digits = jl_format_i64(value < 0 ? -value : value, text);
    size_t len = 0;
    if (value < 0)
        out[len++] = '-';
    for (size_t i = digits; i < count; i++)
        out[len++] = '0';
    memcpy(out + len, text, digits);
    return len + digits;
}

static size_t put_seconds(char *out, int64_t seconds)
{
    const int64_t days = jl_floor_div(seconds, JL_S_PER_DAY);
    const int64_t clock_s = seconds - days * JL_S_PER_DAY;
    const struct jl_date date = jl_date_of(days);
    size_t len = put_padded(out, date.year, 4);
    out[len++] = '-';
    len += put_padded(out + len, date.month, 2);
    out[len++] = '-';
    len += put_padded(out + len, date.day, 2);
    out[len++] = 'T';
    len += put_padded(out + len, clock_s / 3600, 2);
    out[len++] = ':';
    len += put_padded(out + len, clock_s / 60 % 60, 2);
    out[len++] = ':';
    return len + put_padded(out + len, clock_s % 60, 2);
}

static size_t finish(char *out, size_t len)
{
    out[len++] = 'Z';
    out[len] = '\0';
    return len;
}

size_t jl_format_time(int64_t ms, char out[JL_TIME_TEXT])
{
    return finish(out, put_seconds(out, jl_floor_div(ms, MS_PER_S)));
}

size_t jl_format_time_us(int64_t us, char out[JL_TIME_TEXT])
{
    const int64_t seconds = jl_floor_div(us, US_PER_S);
    size_t len = put_seconds(out, seconds);
    out[len++] = '.';
    len += put_padded(out + len, us - seconds * US_PER_S, 6);
    return finish(out, len);
}
