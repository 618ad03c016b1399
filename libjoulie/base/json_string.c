/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Escapes of JSON strings: their length, and what they stand for. Called by the pull reader of
 * schema/.
 */

#include "base/json_string.h"

static bool is_hex(char c)
{
    return jl_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static unsigned hex4(const char *digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < 4; i++) {
        const char c = jl_lower(digits[i]);
        value = value * 16 + (unsigned)(jl_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return value;
}

static bool is_high_surrogate(unsigned code)
{
    return code >= 0xD800 && code < 0xDC00;
}

static bool is_low_surrogate(unsigned code)
{
    return code >= 0xDC00 && code < 0xE000;
}

static bool is_unicode_escape(const char *at, size_t len)
{
    if (len < 6 || at[0] != '\\' || at[1] != 'u')
        return false;
    for (size_t i = 2; i < 6; i++) {
        if (!is_hex(at[i]))
            return false;
    }
    return true;
}

static bool is_simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return true;
    default:
        return false;
    }
}

size_t jl_json_escape_length(const char *at, size_t len)
{
    if (len < 2)
        return 0;
    if (at[1] != 'u')
        return is_simple_escape(at[1]) ? 2 : 0;
    if (!is_unicode_escape(at, len))
        return 0;

    const unsigned code = hex4(at + 2);
    if (is_low_surrogate(code))
        return 0;
    if (!is_high_surrogate(code))
        return 6;
    return is_unicode_escape(at + 6, len - 6) && is_low_surrogate(hex4(at + 8)) ? 12 : 0;
}

static size_t put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static char simple_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c; /* quote, backslash, slash */
    }
}

size_t jl_json_unescape(struct jl_text raw, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < raw.len;) {
        if (raw.ptr[i] != '\\') {
            out[length++] = raw.ptr[i++];
        } else if (raw.ptr[i + 1] != 'u') {
            out[length++] = simple_escape(raw.ptr[i + 1]);
            i += 2;
        } else {
            unsigned code = hex4(raw.ptr + i + 2);
            i += 6;
            if (is_high_surrogate(code)) {
                code = 0x10000 + ((code - 0xD800) << 10) + (hex4(raw.ptr + i + 2) - 0xDC00);
                i += 6;
            }
            length += put_utf8(out + length, code);
        }
    }
    return length;
}
