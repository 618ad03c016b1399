/* SPDX-License-Identifier: Apache-2.0 */

/* Percent-encoding of one path segment or query value. */

#include "base/buffer.h"
#include "runtime/http_client.h"

/* "unreserved" of RFC 3986 */
static bool is_unreserved(char c)
{
    const char low = jl_lower(c);
    return (low >= 'a' && low <= 'z') || jl_is_digit(c) || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

void jd_put_url(struct jl_buffer *out, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    while (*text) {
        const char *const start = text;
        while (is_unreserved(*text))
            text++;
        jl_put(out, start, (size_t)(text - start));
        if (*text) {
            const unsigned char byte = (unsigned char)*text++;
            const char code[] = { '%', digits[byte >> 4], digits[byte & 15] };
            jl_put(out, code, sizeof code);
        }
    }
}
