/* SPDX-License-Identifier: Apache-2.0 */

/* Percent-encoding of one path segment or query value; the user part of URLs
 * (docs/rules/programs.md#urls-with-a-password). */

#include "runtime/url.h"

#include <string.h>

#include "base/memory.h"

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

/* A user of no letter is none. */
static void hide(char *start, size_t len)
{
    size_t at = len;
    while (at > 0 && start[at - 1] != '@')
        at--;
    if (at <= 1)
        return;
    start[0] = '*';
    memmove(start + 1, start + at - 1, strlen(start + at - 1) + 1);
}

void jd_hide_users(char *text)
{
    for (char *scheme = strstr(text, "://"); scheme; scheme = strstr(scheme + 3, "://"))
        hide(scheme + 3, strcspn(scheme + 3, " \t\r\n\"<>"));
}

char *jd_shown_url(const char *url)
{
    char *const shown = jl_strdup(url);
    char *const scheme = shown ? strstr(shown, "://") : NULL;
    char *const start = scheme ? scheme + 3 : shown;
    if (start)
        hide(start, strlen(start));
    return shown;
}
