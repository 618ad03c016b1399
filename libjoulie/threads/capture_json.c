/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One member of a JSON document as it goes by, docs/rules/threads-training.md#traces: the string
 * "systemTraceEvents" of the outermost object. What is no JSON is not found out here; it has no
 * such member, or lines that are no events. Called by capture.c.
 */

#include "threads/capture_json.h"

#include <string.h>

#define UTF8_MOST 3 /* bytes of a character of 16 bits */

static const char wanted[] = "systemTraceEvents";

static bool is_key(const struct jl_capture_json *json)
{
    return json->key_len == sizeof wanted - 1 && memcmp(json->key, wanted, sizeof wanted - 1) == 0;
}

static void begin_string(struct jl_capture_json *json)
{
    json->is_in_string = true;
    json->is_wanted = json->depth == 1 && json->is_value && is_key(json);
    if (!json->is_value && json->depth == 1)
        json->key_len = 0;
}

static void put_key(struct jl_capture_json *json, char c)
{
    if (json->is_value || json->depth != 1)
        return;
    if (json->key_len < sizeof json->key)
        json->key[json->key_len++] = c;
}

static void outside(struct jl_capture_json *json, char c)
{
    switch (c) {
    case '"':
        begin_string(json);
        break;
    case '{':
    case '[':
        json->depth++;
        json->is_value = false;
        break;
    case '}':
    case ']':
        json->depth -= json->depth > 0;
        json->is_value = false;
        break;
    case ':':
        json->is_value = true;
        break;
    case ',':
        json->is_value = false;
        break;
    default:
        break;
    }
}

static size_t put_unicode(uint16_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    out[0] = (char)(0xE0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return UTF8_MOST;
}

static char unescaped(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    default:
        return c;
    }
}

static uint16_t digit_of(char c)
{
    return (uint16_t)(jl_is_digit(c) ? c - '0' : (jl_lower(c) - 'a' + 10) & 15);
}

/* Returns how many bytes of the string this one completes. */
static size_t inside(struct jl_capture_json *json, char c, char out[UTF8_MOST])
{
    if (json->unicode_left > 0) {
        json->unicode = (uint16_t)(json->unicode << 4 | digit_of(c));
        return --json->unicode_left == 0 ? put_unicode(json->unicode, out) : 0;
    }
    if (json->is_escaped) {
        json->is_escaped = false;
        if (c == 'u') {
            json->unicode_left = 4;
            json->unicode = 0;
            return 0;
        }
        out[0] = unescaped(c);
        return 1;
    }
    if (c == '\\' || c == '"') {
        json->is_escaped = c == '\\';
        json->is_in_string = c == '\\';
        return 0;
    }
    out[0] = c;
    return 1;
}

size_t jl_capture_json_read(struct jl_capture_json *json, struct jl_text *text, char *out,
                            size_t room)
{
    size_t used = 0;
    size_t at = 0;
    for (; at < text->len && room - used >= UTF8_MOST; at++) {
        char bytes[UTF8_MOST];
        if (!json->is_in_string) {
            outside(json, text->ptr[at]);
            continue;
        }
        const size_t len = inside(json, text->ptr[at], bytes);
        for (size_t i = 0; i < len; i++) {
            if (json->is_wanted)
                out[used++] = bytes[i];
            else
                put_key(json, bytes[i]);
        }
    }
    *text = (struct jl_text){ text->ptr + at, text->len - at };
    return used;
}
