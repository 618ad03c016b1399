/* SPDX-License-Identifier: Apache-2.0 */

/* Image references and patterns of them (docs/rules/threads.md#images). Called by detection, by the
 * check of a profile and by the question image.match. */

#include "threads/image.h"

#include <string.h>

#include <joulie/error.h>

#include "base/glob.h"
#include "base/sort.h"

#define TAG_BYTES 128
#define PATH_BYTES 255
#define HEX_BYTES 32 /* of a digest, at least */
#define BARE_ID_BYTES 64
#define DOCKER "docker.io"
#define LIBRARY "library/"

/* ---- grammar ---- */

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
    return is_small(jl_lower(c));
}

static bool is_alphanumeric(char c)
{
    return is_letter(c) || jl_is_digit(c);
}

static bool is_one_of(char c, const char *set)
{
    return jl_text_find(jl_text(set), c) < jl_text(set).len;
}

static bool is_hex(struct jl_text text, bool small_only)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = small_only ? text.ptr[i] : jl_lower(text.ptr[i]);
        if (!jl_is_digit(c) && !(c >= 'a' && c <= 'f'))
            return false;
    }
    return true;
}

/* Words that begin with a letter, parted by one of "-_+.". */
static bool is_algorithm(struct jl_text text)
{
    bool is_start = true;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (is_start ? !is_letter(c) : !is_alphanumeric(c) && !is_one_of(c, "-_+."))
            return false;
        is_start = !is_start && !is_alphanumeric(c);
    }
    return !is_start;
}

static bool is_digest(struct jl_text text)
{
    struct jl_text hex = text;
    const struct jl_text algorithm = jl_text_cut(&hex, ':');
    if (!is_algorithm(algorithm) || algorithm.len == text.len)
        return false;
    if (jl_text_is(algorithm, "sha256"))
        return hex.len == 64 && is_hex(hex, true);
    if (jl_text_is(algorithm, "sha512"))
        return hex.len == 128 && is_hex(hex, true);
    return hex.len >= HEX_BYTES && is_hex(hex, false);
}

static bool is_tag_byte(char c, bool is_first)
{
    return is_alphanumeric(c) || c == '_' || (!is_first && (c == '.' || c == '-'));
}

static bool is_tag(struct jl_text text)
{
    if (text.len == 0 || text.len > TAG_BYTES)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_tag_byte(text.ptr[i], i == 0))
            return false;
    return true;
}

/* Small letters and digits, parted by '.', '_', "__" or any number of '-'. */
static bool is_component(struct jl_text text)
{
    size_t at = 0;
    while (at < text.len) {
        const size_t start = at;
        while (at < text.len && (is_small(text.ptr[at]) || jl_is_digit(text.ptr[at])))
            at++;
        if (at == start)
            return false;
        if (at == text.len)
            return true;
        const char part = text.ptr[at];
        const size_t most = part == '.' ? 1 : part == '_' ? 2 : part == '-' ? text.len : 0;
        size_t count = 0;
        while (at < text.len && text.ptr[at] == part && count < most) {
            at++;
            count++;
        }
        if (count == 0)
            return false;
    }
    return false;
}

static bool is_path(struct jl_text text)
{
    if (text.len == 0 || text.len > PATH_BYTES)
        return false;
    for (bool more = true; more;) {
        more = jl_text_find(text, '/') < text.len;
        if (!is_component(jl_text_cut(&text, '/')))
            return false;
    }
    return true;
}

static bool is_domain_byte(char c)
{
    return is_alphanumeric(c) || c == '-' || c == '.';
}

/* HOST or HOST:PORT. */
static bool is_domain(struct jl_text text)
{
    struct jl_text port = text;
    const struct jl_text host = jl_text_cut(&port, ':');
    for (size_t i = 0; i < host.len; i++)
        if (!is_domain_byte(host.ptr[i]))
            return false;
    if (host.len == text.len)
        return host.len > 0;
    for (size_t i = 0; i < port.len; i++)
        if (!jl_is_digit(port.ptr[i]))
            return false;
    return host.len > 0 && port.len > 0;
}

/* Whether the first component of a name is that of a registry. */
static bool names_registry(struct jl_text first)
{
    for (size_t i = 0; i < first.len; i++) {
        const char c = first.ptr[i];
        if (c == '.' || c == ':' || c != jl_lower(c))
            return true;
    }
    return jl_text_is(first, "localhost");
}

/* ---- what references and patterns have in common ---- */

struct parts {
    struct jl_text domain; /* ptr NULL = not given */
    struct jl_text path;
    struct jl_text tag;
    struct jl_text digest;
};

static struct jl_text from(struct jl_text text, size_t start)
{
    return (struct jl_text){ text.ptr + start, text.len - start };
}

static struct parts split(struct jl_text text)
{
    struct parts parts = { 0 };
    const size_t at = jl_text_find(text, '@');
    if (at < text.len) {
        parts.digest = from(text, at + 1);
        text.len = at;
    }
    size_t name = text.len; /* behind the last slash */
    while (name > 0 && text.ptr[name - 1] != '/')
        name--;
    const size_t colon = name + jl_text_find(from(text, name), ':');
    if (colon < text.len) {
        parts.tag = from(text, colon + 1);
        text.len = colon;
    }
    const size_t first = jl_text_find(text, '/');
    if (first < text.len && names_registry((struct jl_text){ text.ptr, first })) {
        parts.domain = (struct jl_text){ text.ptr, first };
        text = from(text, first + 1);
    }
    parts.path = text;
    return parts;
}

static bool is_docker(struct jl_text domain)
{
    return jl_same_nocase(domain, DOCKER) || jl_same_nocase(domain, "index.docker.io");
}

/* ---- references ---- */

static const char *keep(struct jl_arena *arena, struct jl_text text)
{
    return text.ptr != NULL ? jl_arena_copy(arena, text.ptr, text.len) : NULL;
}

static const char *keep_small(struct jl_arena *arena, struct jl_text text)
{
    char *copy = jl_arena_copy(arena, text.ptr, text.len);
    for (size_t i = 0; copy != NULL && i < text.len; i++)
        copy[i] = jl_lower(copy[i]);
    return copy;
}

int jl_image_parse(struct jl_arena *arena, const char *reference, struct jl_image *out)
{
    const struct jl_text text = jl_text(reference);
    const struct parts parts = split(text);
    if (!is_path(parts.path) || (parts.domain.ptr != NULL && !is_domain(parts.domain)) ||
        (parts.tag.ptr != NULL && !is_tag(parts.tag)) ||
        (parts.digest.ptr != NULL && !is_digest(parts.digest)) ||
        (text.len == BARE_ID_BYTES && is_hex(text, true)))
        return JOULIE_E_PARSE;
    const bool is_official = parts.domain.ptr == NULL || is_docker(parts.domain);
    const bool is_short = is_official && jl_text_find(parts.path, '/') == parts.path.len;
    const char *path = keep(arena, parts.path);
    struct jl_image image = {
        .domain = is_official ? DOCKER : keep_small(arena, parts.domain),
        .path = is_short && path != NULL ? JL_JOIN(arena, LIBRARY, path) : path,
        .tag = keep(arena, parts.tag),
        .digest = keep(arena, parts.digest),
    };
    if (parts.tag.ptr == NULL && parts.digest.ptr == NULL)
        image.tag = "latest";
    if (arena->is_failed)
        return jl_arena_code(arena);
    *out = image;
    return 0;
}

/* ---- patterns ---- */

static bool is_any(struct jl_text component)
{
    return jl_text_is(component, "**");
}

/* A component of a pattern: what names may hold, '*' and '?'; not "**" with more beside it. */
static bool is_pattern_component(struct jl_text text)
{
    if (is_any(text))
        return true;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (!is_small(c) && !jl_is_digit(c) && !is_one_of(c, "._-*?"))
            return false;
        if (c == '*' && i + 1 < text.len && text.ptr[i + 1] == '*')
            return false;
    }
    return text.len > 0;
}

static bool is_pattern_path(struct jl_text text)
{
    bool is_first = true;
    for (bool more = text.len > 0; more; is_first = false) {
        more = jl_text_find(text, '/') < text.len;
        const struct jl_text component = jl_text_cut(&text, '/');
        if (!is_pattern_component(component) || (is_any(component) && !is_first && more) ||
            (is_any(component) && is_first && !more))
            return false;
    }
    return !is_first;
}

static bool is_pattern_tag(struct jl_text text)
{
    if (text.len == 0 || jl_glob_check(text) < 0)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_tag_byte(text.ptr[i], false) && !is_one_of(text.ptr[i], "*?[]!^\\"))
            return false;
    return true;
}

int jl_image_pattern_parse(struct jl_text text, struct jl_image_pattern *out)
{
    const struct parts parts = split(text);
    if (!is_pattern_path(parts.path) || (parts.domain.ptr != NULL && !is_domain(parts.domain)) ||
        (parts.tag.ptr != NULL && !is_pattern_tag(parts.tag)) ||
        (parts.digest.ptr != NULL && !is_digest(parts.digest)))
        return JOULIE_E_PARSE;
    *out = (struct jl_image_pattern){ parts.domain, parts.path, parts.tag, parts.digest };
    return 0;
}

/* Components of the pattern against those of a name: "**" at the start takes any number of them, at
 * the end at least one. */
static bool path_matches(struct jl_text pattern, struct jl_text path)
{
    struct jl_text rest = pattern;
    if (is_any(jl_text_cut(&rest, '/'))) {
        for (bool more = true; more;) {
            if (path_matches(rest, path))
                return true;
            more = jl_text_find(path, '/') < path.len;
            jl_text_cut(&path, '/');
        }
        return false;
    }
    for (bool more = true; more;) {
        const bool pattern_goes_on = jl_text_find(pattern, '/') < pattern.len;
        more = jl_text_find(path, '/') < path.len;
        const struct jl_text part = jl_text_cut(&pattern, '/');
        if (is_any(part))
            return true;
        if (!jl_glob_match(part, jl_text_cut(&path, '/')) || pattern_goes_on != more)
            return false;
    }
    return true;
}

bool jl_image_matches(const struct jl_image_pattern *pattern, const struct jl_image *image)
{
    const bool is_official = jl_same(image->domain, DOCKER);
    if (pattern->domain.ptr != NULL && !(is_official && is_docker(pattern->domain)) &&
        !jl_same_nocase(pattern->domain, image->domain))
        return false;
    if (pattern->tag.ptr != NULL &&
        (image->tag == NULL || !jl_glob_match(pattern->tag, jl_text(image->tag))))
        return false;
    if (pattern->digest.ptr != NULL &&
        (image->digest == NULL || !jl_text_is(pattern->digest, image->digest)))
        return false;
    return path_matches(pattern->path, jl_text(image->path)) ||
           (is_official && jl_starts_with(image->path, LIBRARY) &&
            path_matches(pattern->path, jl_text(image->path + strlen(LIBRARY))));
}

static bool has_wildcard(struct jl_text text)
{
    return jl_text_find(text, '*') < text.len || jl_text_find(text, '?') < text.len ||
           jl_text_find(text, '[') < text.len;
}

struct jl_specificity jl_image_specificity(const struct jl_image_pattern *pattern)
{
    const struct jl_text path = pattern->path;
    int64_t wildcards = 0;
    int64_t literals = 0;
    for (size_t i = 0; i < path.len; i++) {
        const bool is_star = path.ptr[i] == '*';
        if (!is_star && path.ptr[i] != '?')
            literals++;
        else if (!is_star || i == 0 || path.ptr[i - 1] != '*')
            wildcards++;
    }
    const int64_t tag = pattern->tag.ptr == NULL ? 0 : has_wildcard(pattern->tag) ? 1 : 2;
    return (struct jl_specificity){ {
        pattern->digest.ptr != NULL,
        tag,
        pattern->domain.ptr != NULL,
        literals,
        -wildcards,
    } };
}

int jl_compare_specificity(const struct jl_specificity *a, const struct jl_specificity *b)
{
    for (size_t i = 0; i < JL_SPECIFICITY_TERMS; i++)
        if (a->terms[i] != b->terms[i])
            return JL_ORDER(a->terms[i], b->terms[i]);
    return 0;
}
