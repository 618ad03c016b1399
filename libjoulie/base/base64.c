/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Bytes as Base64 and back. Called by autoscale/, which keeps the state of an autoscaler in an
 * annotation.
 */

#include "base/base64.h"

#include <string.h>

#include <joulie/error.h>

#define BITS 6     /* of a letter */
#define LETTERS 4u /* for three bytes */
#define BYTES 3u

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void jl_put_base64(struct jl_buffer *out, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    const size_t length = (len + BYTES - 1) / BYTES * LETTERS;
    char *to = jl_buffer_room(out, length);
    if (to == NULL)
        return;
    for (size_t i = 0; i < len; i += BYTES) {
        uint32_t group = (uint32_t)at[i] << 16;
        if (i + 1 < len)
            group |= (uint32_t)at[i + 1] << 8;
        if (i + 2 < len)
            group |= at[i + 2];
        *to++ = letters[group >> 18];
        *to++ = letters[group >> 12 & 63];
        *to++ = i + 1 < len ? letters[group >> BITS & 63] : '=';
        *to++ = i + 2 < len ? letters[group & 63] : '=';
    }
    *to = '\0';
    out->len += length;
}

static bool value_of(char letter, uint32_t *group)
{
    uint32_t value;
    if (letter >= 'A' && letter <= 'Z')
        value = (uint32_t)(letter - 'A');
    else if (letter >= 'a' && letter <= 'z')
        value = (uint32_t)(letter - 'a') + 26;
    else if (letter >= '0' && letter <= '9')
        value = (uint32_t)(letter - '0') + 52;
    else if (letter == '+' || letter == '/')
        value = letter == '+' ? 62 : 63;
    else
        return false;
    *group = *group << BITS | value;
    return true;
}

/* Four letters into at most three bytes; 0 = they are none. */
static size_t decode(const char *four, bool is_last, char out[BYTES])
{
    size_t bytes = BYTES;
    uint32_t group = 0;
    if (is_last && four[3] == '=')
        bytes = four[2] == '=' ? 1 : 2;
    for (size_t i = 0; i < LETTERS; i++) {
        if (i > bytes)
            group <<= BITS;
        else if (!value_of(four[i], &group))
            return 0;
    }
    if (bytes < BYTES && (group & ((1u << (8 * (BYTES - bytes))) - 1)) != 0)
        return 0;
    out[0] = (char)(unsigned char)(group >> 16);
    out[1] = (char)(unsigned char)(group >> 8);
    out[2] = (char)(unsigned char)group;
    return bytes;
}

int jl_parse_base64(const char *text, size_t len, struct jl_buffer *out)
{
    if (len % LETTERS != 0)
        return JOULIE_E_PARSE;
    for (size_t i = 0; i < len; i += LETTERS) {
        char three[BYTES];
        const size_t bytes = decode(text + i, i + LETTERS == len, three);
        if (bytes == 0)
            return JOULIE_E_PARSE;
        jl_put(out, three, bytes);
    }
    return jl_buffer_code(out);
}
