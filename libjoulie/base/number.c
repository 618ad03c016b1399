/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Integers as text and back, and the grammar of JSON numbers, whose parts the readers of doubles
 * share.
 */

#include "base/number.h"

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "base/digits.h"
#include "base/limits.h"
#include "base/number_scan.h"
#include "base/text.h"

int jl_parse_u64(const char *text, size_t len, uint64_t *out)
{
    uint64_t value = 0;
    bool is_over = false;
    if (len == 0)
        return JOULIE_E_PARSE;
    for (size_t i = 0; i < len; i++) {
        if (!jl_is_digit(text[i]))
            return JOULIE_E_PARSE;
        is_over = is_over || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
                  __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value);
    }
    if (is_over)
        return JOULIE_E_RANGE;
    *out = value;
    return 0;
}

int jl_parse_number_file(const char *text, size_t len, uint64_t *out)
{
    if (len > JL_LIMIT_NUMBER_FILE_BYTES)
        return JOULIE_E_LIMIT;
    return jl_parse_u64(text, len > 0 && text[len - 1] == '\n' ? len - 1 : len, out);
}

int jl_parse_i64(const char *text, size_t len, int64_t *out)
{
    if (len == 0)
        return JOULIE_E_PARSE; /* text may be NULL */
    const bool is_negative = text[0] == '-';
    const uint64_t largest = (uint64_t)INT64_MAX + is_negative;
    uint64_t magnitude = 0;
    const int rc = jl_parse_u64(text + is_negative, len - is_negative, &magnitude);
    if (rc < 0)
        return rc;
    if (magnitude > largest)
        return JOULIE_E_RANGE;
    *out = (int64_t)(is_negative ? 0 - magnitude : magnitude);
    return 0;
}

/* The end of an exponent that starts at the letter; `at` itself when there is none. */
static size_t end_of_exponent(const char *text, size_t len, size_t at)
{
    if (at >= len || (text[at] != 'e' && text[at] != 'E'))
        return at;
    const size_t sign = at + 1 < len && (text[at + 1] == '+' || text[at + 1] == '-');
    const size_t start = at + 1 + sign;
    size_t end = start;
    while (end < len && jl_is_digit(text[end]))
        end++;
    return end > start ? end : at;
}

size_t jl_scan_parts(const char *text, size_t len, struct jl_number_parts *out)
{
    const size_t start = len > 0 && text[0] == '-';
    uint64_t mantissa = 0;
    size_t point = start + 1; /* behind a zero, which stands alone */
    if (start >= len || text[start] != '0')
        point = jl_read_digits(text, start, len, &mantissa);
    if (point == start)
        return 0;
    size_t stop = point;
    if (point < len && text[point] == '.') {
        stop = jl_read_digits(text, point + 1, len, &mantissa);
        if (stop == point + 1)
            stop = point;
    }
    const size_t end = end_of_exponent(text, len, stop);
    *out = (struct jl_number_parts){ mantissa, start, point, stop, end };
    return end;
}

size_t jl_scan_number(const char *text, size_t len, bool *is_integer)
{
    struct jl_number_parts parts;
    *is_integer = true;
    const size_t length = jl_scan_parts(text, len, &parts);
    if (length > 0)
        *is_integer = parts.end == parts.point;
    return length;
}

static size_t count_decimal_digits(uint64_t value)
{
    size_t count = 1;
    for (;; count += 4, value /= 10000) {
        if (value < 10)
            return count;
        if (value < 100)
            return count + 1;
        if (value < 1000)
            return count + 2;
        if (value < 10000)
            return count + 3;
    }
}

static size_t put_integer(uint64_t value, char *out)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    const size_t len = count_decimal_digits(value);
    size_t at = len;
    for (; value >= 100; value /= 100)
        memcpy(out + (at -= 2), pairs + 2 * (value % 100), 2);
    if (value >= 10)
        memcpy(out, pairs + 2 * value, 2);
    else
        out[0] = (char)('0' + value);
    out[len] = '\0';
    return len;
}

size_t jl_format_u64(uint64_t value, char out[JL_DOUBLE_TEXT])
{
    return put_integer(value, out);
}

size_t jl_format_i64(int64_t value, char out[JL_DOUBLE_TEXT])
{
    if (value >= 0)
        return put_integer((uint64_t)value, out);
    out[0] = '-';
    return 1 + put_integer(0 - (uint64_t)value, out + 1);
}

double jl_round_half_away(double value)
{
    const double whole = trunc(value);
    if (fabs(value - whole) < 0.5) /* exact: both lie within one unit of each other */
        return whole;
    return value < 0 ? whole - 1 : whole + 1;
}
