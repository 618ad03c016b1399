/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The inner loop of everything that reads or writes JSON strings, 16 and 8 bytes at a time. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define JL_EVERY_BYTE UINT64_C(0x0101010101010101)
#define JL_EVERY_TOP (JL_EVERY_BYTE << 7)

/* Bytes that are 0, by their highest bits; above the first one others may be marked too. */
static inline uint64_t jl_zero_bytes(uint64_t word)
{
    return (word - JL_EVERY_BYTE) & ~word & JL_EVERY_TOP;
}

/*
 * The number of bytes before the first quote, backslash or control character. *beyond gets a bit
 * set when one of them is not ASCII.
 */
static inline size_t jl_plain_bytes(const char *text, size_t len, uint64_t *beyond)
{
    size_t at = 0;
#ifdef __SSE2__
    for (; len - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
        const __m128i special = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
        const unsigned stop = (unsigned)_mm_movemask_epi8(_mm_or_si128(control, special));
        const unsigned top = (unsigned)_mm_movemask_epi8(bytes);
        if (stop != 0) {
            *beyond |= top & (stop ^ (stop - 1));
            return at + (size_t)__builtin_ctz(stop);
        }
        *beyond |= top;
    }
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, sizeof word);
        const uint64_t stop = jl_zero_bytes(word ^ JL_EVERY_BYTE * '"') |
                              jl_zero_bytes(word ^ JL_EVERY_BYTE * '\\') |
                              ((word - JL_EVERY_BYTE * 0x20) & ~word & JL_EVERY_TOP);
        if (stop != 0) {
            *beyond |= word & JL_EVERY_TOP & (stop ^ (stop - 1));
            return at + (size_t)__builtin_ctzll(stop) / 8;
        }
        *beyond |= word & JL_EVERY_TOP;
    }
#endif
    for (; at < len; at++) {
        const unsigned char c = (unsigned char)text[at];
        if (c < 0x20 || c == '"' || c == '\\')
            break;
        *beyond |= c & 0x80;
    }
    return at;
}

/* memcmp() == 0 without a call: most texts here have less than 32 bytes. */
static inline int jl_same_bytes(const char *a, const char *b, size_t len)
{
    uint64_t left;
    uint64_t right;
    if (len < 4) {
        for (size_t i = 0; i < len; i++) {
            if (a[i] != b[i])
                return 0;
        }
        return 1;
    }
    if (len < 8) { /* two halves that overlap */
        uint32_t halves[4];
        memcpy(&halves[0], a, 4);
        memcpy(&halves[1], a + len - 4, 4);
        memcpy(&halves[2], b, 4);
        memcpy(&halves[3], b + len - 4, 4);
        return halves[0] == halves[2] && halves[1] == halves[3];
    }
    for (size_t at = 0; at + 8 < len; at += 8) {
        memcpy(&left, a + at, sizeof left);
        memcpy(&right, b + at, sizeof right);
        if (left != right)
            return 0;
    }
    memcpy(&left, a + len - 8, sizeof left);
    memcpy(&right, b + len - 8, sizeof right);
    return left == right;
}

/* memcpy() without a call, for the same texts. */
static inline void jl_copy_bytes(char *to, const char *from, size_t len)
{
    size_t at = 0;
    if (len >= 16) {
        for (; len - at > 16; at += 16)
            memcpy(to + at, from + at, 16);
        memcpy(to + len - 16, from + len - 16, 16);
    } else if (len >= 8) {
        memcpy(to, from, 8);
        memcpy(to + len - 8, from + len - 8, 8);
    } else if (len >= 4) {
        memcpy(to, from, 4);
        memcpy(to + len - 4, from + len - 4, 4);
    } else {
        for (; at < len; at++)
            to[at] = from[at];
    }
}
