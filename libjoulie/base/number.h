/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers as text: the whole text, range checked, without locale.
 * Printed doubles are the shortest text that reads back equal, written as ECMAScript does: 60, 0.5,
 * 1e-7, 1e+21; -0 prints 0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JL_DOUBLE_TEXT 32 /* bytes that any double needs, NUL included */

/* 0, JOULIE_E_PARSE or JOULIE_E_RANGE; out is untouched on failure. */
int jl_parse_i64(const char *text, size_t len, int64_t *out);
int jl_parse_u64(const char *text, size_t len, uint64_t *out);
/* What a file of one number holds: digits, one LF at the end is allowed; JOULIE_E_LIMIT above
 * JL_LIMIT_NUMBER_FILE_BYTES (docs/rules/energy.md#numbers-in-files). */
int jl_parse_number_file(const char *text, size_t len, uint64_t *out);

/* JSON number grammar; overflow to infinity is JOULIE_E_RANGE, underflow rounds to the nearest
 * double. */
int jl_parse_double(const char *text, size_t len, double *out);

/* mantissa / 10^decimals, exactly rounded: JL_EXACT_DIGITS digits at most, decimals <= 22. */
#define JL_EXACT_DIGITS 19 /* any of them fit in 64 bits */
double jl_exact_decimal(uint64_t mantissa, size_t decimals);

/* Length of the longest prefix that is a JSON number (0 = none); tells whether it has a fraction or
 * exponent. */
size_t jl_scan_number(const char *text, size_t len, bool *is_integer);

size_t jl_format_double(double value, char out[JL_DOUBLE_TEXT]); /* value must be finite */
size_t jl_format_i64(int64_t value, char out[JL_DOUBLE_TEXT]);
size_t jl_format_u64(uint64_t value, char out[JL_DOUBLE_TEXT]);

/* Value with a fixed number of decimals (0..9), ties to even on the exact binary value, as C's %.*f
 * in the C locale. |value| < 1e15. */
size_t jl_format_fixed(double value, int decimals, char out[JL_DOUBLE_TEXT]);

double jl_round_half_away(double value);

/* Inline, so that loops over columns become vectors. */

static inline bool jl_is_finite(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 52 & 0x7FF) != 0x7FF;
}

/* Compare and select; what is no number stays what it is. */
static inline double jl_clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Limited to 0…1, as a share is. */
static inline double jl_unit(double value)
{
    return jl_clamp(value, 0, 1);
}

static inline double jl_min(double a, double b)
{
    return b < a ? b : a;
}

static inline double jl_max(double a, double b)
{
    return b > a ? b : a;
}

/* A part of one whole; NaN is none. */
static inline bool jl_is_percent(double value)
{
    return value >= 0 && value <= 100;
}
