/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"
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

static size_t digits_at(const char *text, size_t len, size_t at)
{
    size_t end = at;
    while (end < len && jl_is_digit(text[end]))
        end++;
    return end - at;
}

size_t jl_scan_number(const char *text, size_t len, bool *is_integer)
{
    size_t at = len > 0 && text[0] == '-';
    size_t digits = digits_at(text, len, at);
    *is_integer = true;
    if (digits == 0)
        return 0;
    at += text[at] == '0' ? 1 : digits;

    if (at < len && text[at] == '.') {
        digits = digits_at(text, len, at + 1);
        if (digits > 0) {
            at += 1 + digits;
            *is_integer = false;
        } else {
            return at;
        }
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        const size_t sign = at + 1 < len && (text[at + 1] == '+' || text[at + 1] == '-');
        digits = digits_at(text, len, at + 1 + sign);
        if (digits > 0) {
            at += 1 + sign + digits;
            *is_integer = false;
        }
    }
    return at;
}

static size_t put_integer(uint64_t value, char *out)
{
    char reversed[JL_DOUBLE_TEXT];
    size_t count = 0;
    size_t len = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0)
        out[len++] = reversed[--count];
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

bool jl_is_finite(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 52 & 0x7FF) != 0x7FF;
}

double jl_clamp(double value, double low, double high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

double jl_min(double a, double b)
{
    return b < a ? b : a;
}

double jl_max(double a, double b)
{
    return b > a ? b : a;
}

double jl_round_half_away(double value)
{
    const double whole = trunc(value);
    if (fabs(value - whole) < 0.5) /* exact: both lie within one unit of each other */
        return whole;
    return value < 0 ? whole - 1 : whole + 1;
}
