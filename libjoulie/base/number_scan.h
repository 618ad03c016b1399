/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of a JSON number (number*.c only). */

#include <stddef.h>
#include <stdint.h>

struct jl_number_parts {
    uint64_t mantissa; /* all digits before the exponent, modulo 2^64 */
    size_t start;      /* the first digit, behind the sign */
    size_t point;      /* the end of the whole part */
    size_t stop;       /* the end of the fraction; as `point` when there is none */
    size_t end;        /* of the number; above `stop` when there is an exponent */
};

/* Length of the longest prefix that is a JSON number (0 = none, and `out` means nothing). */
size_t jl_scan_parts(const char *text, size_t len, struct jl_number_parts *out);
