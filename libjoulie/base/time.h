/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Instants are int64_t milliseconds since 1970-01-01T00:00:00Z; durations of the Go grammar are
 * int64_t nanoseconds. Rules: docs/rules/kubernetes-values.md#times and #durations.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JL_TIME_TEXT 40 /* bytes that any instant or duration needs, NUL included */

/* Whether RFC 3339 can write it: years 0 to 9999. Sums and differences of a few such do not
 * overflow.
 */
bool jl_is_instant(int64_t ms);

/* RFC 3339: upper case T and Z, +hh:mm, a fraction is cut to ms. 0 or JOULIE_E_PARSE. */
int jl_parse_time(const char *text, size_t len, int64_t *out_ms);
/* jl_parse_time() in microseconds, with the number of fraction digits. */
int jl_parse_time_us(const char *text, size_t len, int64_t *out_us, int *out_fraction_digits);
/* jl_parse_time_us() with exactly six fraction digits. */
int jl_parse_micro_time(const char *text, size_t len, int64_t *out_us);
/* 2026-03-13T12:00:00Z, the fraction dropped; with _us six fraction digits. */
size_t jl_format_time(int64_t ms, char out[JL_TIME_TEXT]);
size_t jl_format_time_us(int64_t us, char out[JL_TIME_TEXT]);

/* Go's time.ParseDuration. 0, JOULIE_E_PARSE or JOULIE_E_RANGE. */
int jl_parse_duration(const char *text, size_t len, int64_t *out_ns);
/* Of TensorFusion profiles: no minus; d, w, y (365 d) too; the sum is cut to ns. The codes of
 * jl_parse_duration(). */
int jl_parse_profile_duration(const char *text, size_t len, int64_t *out_ns);
size_t jl_format_duration(int64_t ns, char out[JL_TIME_TEXT]);
