/* SPDX-License-Identifier: Apache-2.0 */

/* Views of text: comparison, search, trimming, UTF-8 and hashes. No locale. */

#include "base/text.h"

#include <string.h>

#include "base/plain.h"

struct jl_text jl_text(const char *text)
{
    return (struct jl_text){ text, text != NULL ? strlen(text) : 0 };
}

bool jl_text_is(struct jl_text text, const char *word)
{
    const size_t len = strlen(word);
    return text.len == len && (len == 0 || memcmp(text.ptr, word, len) == 0);
}

size_t jl_text_find(struct jl_text text, char c)
{
    size_t i = 0;
    while (i < text.len && text.ptr[i] != c)
        i++;
    return i;
}

size_t jl_text_find_far(struct jl_text text, char c)
{
    size_t i = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; text.len - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, text.ptr + i, sizeof word);
        const uint64_t found = jl_zero_bytes(word ^ JL_EVERY_BYTE * (unsigned char)c);
        if (found != 0)
            return i + (size_t)__builtin_ctzll(found) / 8;
    }
#endif
    return i + jl_text_find((struct jl_text){ text.ptr + i, text.len - i }, c);
}

struct jl_text jl_text_trim(struct jl_text text)
{
    while (text.len > 0 && jl_is_space(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && jl_is_space(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

struct jl_text jl_text_cut(struct jl_text *rest, char c)
{
    const size_t len = jl_text_find(*rest, c);
    const struct jl_text before = { rest->ptr, len };
    const size_t taken = len < rest->len ? len + 1 : len;
    if (taken > 0)
        *rest = (struct jl_text){ rest->ptr + taken, rest->len - taken };
    return before;
}

bool jl_same(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

bool jl_same_nocase(struct jl_text text, const char *word)
{
    if (strlen(word) != text.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (jl_lower(text.ptr[i]) != jl_lower(word[i]))
            return false;
    }
    return true;
}

int jl_compare(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

int jl_compare_text(struct jl_text a, struct jl_text b)
{
    const size_t shared = a.len < b.len ? a.len : b.len;
    const int order = shared > 0 ? memcmp(a.ptr, b.ptr, shared) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

bool jl_starts_with(const char *text, const char *prefix)
{
    return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

bool jl_ends_with(const char *text, const char *suffix)
{
    if (text == NULL)
        return false;
    const size_t len = strlen(text);
    const size_t tail = strlen(suffix);
    return len >= tail && memcmp(text + len - tail, suffix, tail) == 0;
}

bool jl_contains(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

bool jl_is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

char jl_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool jl_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int jl_hex_digit(char c)
{
    const char lower = jl_lower(c);
    if (jl_is_digit(c))
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool jl_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Bytes of the well-formed character that starts here (Unicode 15, table 3-7), 0 when it is not
 * well formed. */
static size_t character_bytes(const unsigned char *at, size_t left)
{
    const unsigned char first = at[0];
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    const size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (left < bytes)
        return 0;
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < bytes; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    }
    return bytes;
}

bool jl_utf8_valid(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < len;) {
        const size_t bytes = character_bytes(at + i, len - i);
        if (bytes == 0)
            return false;
        i += bytes;
    }
    return true;
}

size_t jl_utf8_cut(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80)
        max--;
    return max;
}

size_t jl_utf8_keep(char *text, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len;) {
        const size_t bytes = character_bytes((const unsigned char *)text + i, len - i);
        memmove(text + kept, text + i, bytes);
        kept += bytes;
        i += bytes > 0 ? bytes : 1;
    }
    return kept;
}

uint32_t jl_fnv1a32(const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint32_t hash = UINT32_C(0x811C9DC5);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * UINT32_C(0x01000193);
    return hash;
}

uint64_t jl_hash(const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x00000100000001B3);
    return hash;
}
