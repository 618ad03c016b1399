/* SPDX-License-Identifier: Apache-2.0 */

/* The node's name in URLs and queries (docs/rules/endpoints.md#names-in-urls). */

#include "remote/endpoint.h"

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"

#define PLACEHOLDER "{node}"
#define PLACEHOLDER_LEN (sizeof PLACEHOLDER - 1)

bool jl_is_url_byte(char c)
{
    const char lower = jl_lower(c);
    return (lower >= 'a' && lower <= 'z') || jl_is_digit(c) || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

bool jl_is_url_word(const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        if (!jl_is_url_byte(*c))
            return false;
    }
    return true;
}

bool jl_is_url(struct jl_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte <= ' ' || byte == 0x7F)
            return false;
    }
    return true;
}

/* Bytes before the first placeholder, all of them without one. */
static size_t find_placeholder(struct jl_text text)
{
    for (size_t i = 0; i + PLACEHOLDER_LEN <= text.len; i++) {
        if (memcmp(text.ptr + i, PLACEHOLDER, PLACEHOLDER_LEN) == 0)
            return i;
    }
    return text.len;
}

static bool append(char *out, size_t *len, struct jl_text text)
{
    if (text.len > JL_LIMIT_ENDPOINT_BYTES - *len)
        return false;
    memcpy(out + *len, text.ptr, text.len);
    *len += text.len;
    return true;
}

/* The name is put in as it is: jl_is_url_word() has refused what could change the meaning. */
int jl_endpoint_expand(struct jl_text text, const char *node_name, struct jl_arena *arena,
                       const char **out)
{
    char expanded[JL_LIMIT_ENDPOINT_BYTES];
    size_t len = 0;
    for (size_t at = find_placeholder(text); at < text.len; at = find_placeholder(text)) {
        if (!append(expanded, &len, (struct jl_text){ text.ptr, at }) ||
            !append(expanded, &len, jl_text(node_name)))
            return JOULIE_E_LIMIT;
        const size_t taken = at + PLACEHOLDER_LEN;
        text = (struct jl_text){ text.ptr + taken, text.len - taken };
    }
    if (!append(expanded, &len, text))
        return JOULIE_E_LIMIT;
    const char *copy = jl_arena_copy(arena, expanded, len);
    if (copy == NULL)
        return JOULIE_E_NOMEM;
    *out = copy;
    return 0;
}
