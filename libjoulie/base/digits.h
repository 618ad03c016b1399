/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The inner loop of everything that reads decimal digits, 8 at a time. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/plain.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/*
 * The value of 8 digits (bytes 0 to 9, the first lowest): neighbours make pairs, then pairs of
 * pairs and both halves are summed in one product each.
 */
static inline uint64_t jl_value_of_8(uint64_t digits)
{
    const uint64_t every_fourth = UINT64_C(0x000000FF000000FF);
    digits = digits * 10 + (digits >> 8);
    const uint64_t outer = (digits & every_fourth) * (100 + (UINT64_C(1000000) << 32));
    const uint64_t inner = (digits >> 16 & every_fourth) * (1 + (UINT64_C(10000) << 32));
    return (outer + inner) >> 32;
}
#endif

/* Appends the digits from text + at on to the value, modulo 2^64; returns where they end. */
static inline size_t jl_read_digits(const char *text, size_t at, size_t end, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint64_t powers[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, text + at, sizeof word);
        word ^= JL_EVERY_BYTE * '0';
        /* of what is no digit; above the first one others may be marked too */
        const uint64_t stop = (word | (word + JL_EVERY_BYTE * (0x80 - 10))) & JL_EVERY_TOP;
        if (stop == 0) {
            *value = *value * 100000000 + jl_value_of_8(word);
            at += 8;
            continue;
        }
        const unsigned count = (unsigned)__builtin_ctzll(stop) / 8;
        if (count > 0) /* zeros in front */
            *value = *value * powers[count] + jl_value_of_8(word << (64 - 8 * count));
        return at + count;
    }
#endif
    for (; at < end && (unsigned char)(text[at] - '0') < 10; at++)
        *value = *value * 10 + (uint64_t)(text[at] - '0');
    return at;
}
