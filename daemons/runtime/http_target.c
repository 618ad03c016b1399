/* SPDX-License-Identifier: Apache-2.0 */

/* What the text of a request to the server says: its target, decoded once into segments of its path
 * and members of its query, and the ranges of its Accept header. */

#include "runtime/http_target.h"

#include <stdbool.h>
#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

#define ESCAPE_BYTES 3 /* %41 */

/* In place. false = no text. */
static bool decode(char *text, bool plus_is_space)
{
    size_t len = 0;
    for (const char *c = text; *c; c++) {
        char byte = *c;
        if (byte == '+' && plus_is_space)
            byte = ' ';
        if (byte == '%') {
            const int high = jl_hex_digit(c[1]);
            const int low = high < 0 ? -1 : jl_hex_digit(c[2]);
            if (low < 0)
                return false;
            byte = (char)(high * 16 + low);
            c += ESCAPE_BYTES - 1;
        }
        if (byte == '\0')
            return false;
        text[len++] = byte;
    }
    text[len] = '\0';
    return jl_utf8_valid(text, len);
}

static size_t count_char(const char *text, char c)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == c;
    return count;
}

/* Cuts text at the first c and returns what stands behind it; NULL = there is no c. */
static char *cut(char *text, char c)
{
    char *at = strchr(text, c);
    if (!at)
        return NULL;
    *at = '\0';
    return at + 1;
}

/* What stands behind one slash at the end is no segment. */
static int take_segments(struct jd_target *target)
{
    target->decoded = jl_strdup(target->path + 1);
    target->segments = jl_calloc(count_char(target->path, '/'), sizeof *target->segments);
    if (!target->decoded || !target->segments)
        return JOULIE_E_NOMEM;
    for (char *rest = target->decoded; rest;) {
        char *segment = rest;
        rest = cut(segment, '/');
        if (!decode(segment, false))
            return JOULIE_E_PARSE;
        if (rest || *segment)
            target->segments[target->segment_count++] = segment;
    }
    return 0;
}

static int take_query(struct jd_target *target, const char *query)
{
    target->pairs = jl_strdup(query);
    target->query = jl_calloc(count_char(query, '&') + 1, sizeof *target->query);
    if (!target->pairs || !target->query)
        return JOULIE_E_NOMEM;
    for (char *rest = target->pairs; rest;) {
        char *name = rest;
        rest = cut(name, '&');
        if (!*name)
            continue;
        char *value = cut(name, '=');
        if (!decode(name, true) || (value && !decode(value, true)))
            return JOULIE_E_PARSE;
        target->query[target->query_count++] =
            (struct jl_pair){ .key = name, .value = value ? value : "" };
    }
    return 0;
}

static bool has_control(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            return true;
    }
    return false;
}

/* A proxy asks with http://host/path. No user, as browsers send none, and no host is "". */
static int take_authority(struct jd_target *target, const char *text, const char **out_path)
{
    const struct jl_text whole = jl_text(text);
    size_t start = jl_text_find(whole, ':');
    const struct jl_text scheme = { text, start };
    if ((!jl_same_nocase(scheme, "http") && !jl_same_nocase(scheme, "https")) ||
        strncmp(text + start, "://", 3) != 0)
        return JOULIE_E_PARSE;
    start += 3;
    const size_t len = strcspn(text + start, "/?");
    if (len == 0 || memchr(text + start, '@', len))
        return JOULIE_E_PARSE;
    target->authority = jl_strdup(text + start);
    if (!target->authority)
        return JOULIE_E_NOMEM;
    target->authority[len] = '\0';
    *out_path = text + start + len;
    return 0;
}

/* Behind an authority the path may be missing. */
static int take_path(struct jd_target *target, const char *text)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    if (*text != '/')
        jl_put_char(&path, '/');
    jl_put_string(&path, text);
    target->path = jl_buffer_take(&path);
    return target->path ? 0 : JOULIE_E_NOMEM;
}

int jd_target_parse(struct jd_target *target, const char *text)
{
    const char *path = text;
    if (has_control(text) || strchr(text, '#')) /* a fragment is never sent */
        return JOULIE_E_PARSE;
    int rc = *text == '/' ? 0 : take_authority(target, text, &path);
    if (rc == 0)
        rc = take_path(target, path);
    if (rc != 0)
        return rc;
    const char *query = cut(target->path, '?');
    rc = take_segments(target);
    return rc == 0 && query ? take_query(target, query) : rc;
}

void jd_target_clear(struct jd_target *target)
{
    jl_free(target->authority);
    jl_free(target->path);
    jl_free(target->decoded);
    jl_free(target->segments);
    jl_free(target->pairs);
    jl_free(target->query);
    *target = (struct jd_target){ 0 };
}

/* ---- Accept ---- */

bool jd_range_next(struct jl_text *rest, struct jd_range *out)
{
    if (rest->len == 0)
        return false;
    out->parameters = jl_text_cut(rest, ',');
    out->type = jl_text_trim(jl_text_cut(&out->parameters, ';'));
    return true;
}

struct jl_text jd_range_parameter(const struct jd_range *range, const char *name)
{
    struct jl_text found = { 0 };
    struct jl_text rest = range->parameters;
    while (rest.len > 0) {
        struct jl_text value = jl_text_cut(&rest, ';');
        if (jl_same_nocase(jl_text_trim(jl_text_cut(&value, '=')), name))
            found = jl_text_trim(value);
    }
    return found;
}
