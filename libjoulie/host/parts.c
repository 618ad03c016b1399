/* SPDX-License-Identifier: Apache-2.0 */

/* Readers of one number, word or list of CPUs that the scanners of a machine share. */

#include "host/parts.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

#define DEEPEST_PATH 64 /* folders inside each other that a path can name */

static void fail(struct jl_scan *scan)
{
    if (scan->code == 0)
        scan->code = jl_arena_code(scan->arena);
}

/* ---- growing arrays ---- */

/* Arrays have the capacity of the next power of two, from 4 on. */
static bool is_full(size_t count)
{
    return count == 0 || (count >= 4 && (count & (count - 1)) == 0);
}

void *jl_scan_add(struct jl_scan *scan, const struct jl_spot *spot, void **items, size_t *count,
                  size_t size)
{
    if (*count >= JL_SCAN_ITEMS_MAX) {
        if (spot != NULL)
            jl_spot_warn(scan, spot, NULL, "has more items than can be; the rest is left out");
        return NULL;
    }
    if (is_full(*count)) {
        char *more = jl_arena_array(scan->arena, *count > 0 ? *count * 2 : 4, size);
        if (more == NULL) {
            fail(scan);
            return NULL;
        }
        if (*count > 0)
            memcpy(more, *items, *count * size);
        *items = more;
    }
    return (char *)*items + (*count)++ * size;
}

/* ---- paths and warnings ---- */

const char *jl_spot_path(struct jl_scan *scan, const struct jl_spot *spot, const char *name)
{
    const char *parts[2 * DEEPEST_PATH];
    size_t at = JL_COUNT(parts);
    if (name != NULL)
        parts[--at] = name;
    for (; spot != NULL && at >= 2; spot = spot->parent) {
        if (at < JL_COUNT(parts))
            parts[--at] = "/";
        parts[--at] = spot->name;
    }
    const char *path = jl_arena_join(scan->arena, parts + at, JL_COUNT(parts) - at);
    if (path == NULL)
        fail(scan);
    return path;
}

void jl_spot_warn(struct jl_scan *scan, const struct jl_spot *spot, const char *name,
                  const char *reason)
{
    struct jl_host_facts *facts = scan->facts;
    const size_t count = facts->warning_count;
    if (scan->code != 0 || count >= JL_SCAN_WARNINGS_MAX)
        return;
    const char *path = jl_spot_path(scan, spot, name);
    const char *where = path != NULL ? jl_root_printable(scan->arena, path) : NULL;
    struct jl_host_warning *warning = where != NULL
                                          ? jl_scan_add(scan, NULL, (void **)&facts->warnings,
                                                        &facts->warning_count, sizeof *warning)
                                          : NULL;
    if (warning == NULL) {
        fail(scan);
        return;
    }
    *warning = (struct jl_host_warning){ where, reason };
    if (count == JL_SCAN_WARNINGS_MAX - 1)
        *warning = (struct jl_host_warning){ "", "more warnings are left out" };
}

/* EBUSY: a policy whose CPUs are offline; ENODATA: a value that the driver does not have. Both are
 * usual. */
void jl_spot_warn_of(struct jl_scan *scan, const struct jl_spot *spot, const char *name, int code,
                     int sys_errno)
{
    if (code == JOULIE_E_NOMEM)
        fail(scan);
    else if (code == JOULIE_E_LIMIT)
        jl_spot_warn(scan, spot, name, "is larger than such a file can be");
    else if (code == JOULIE_E_RANGE)
        jl_spot_warn(scan, spot, name, "holds a number that is too large");
    else if (code == JOULIE_E_PARSE)
        jl_spot_warn(scan, spot, name, "does not hold what it should");
    else if (code == JOULIE_E_IO && sys_errno == ELOOP)
        jl_spot_warn(scan, spot, name, "is a symbolic link, which is not followed");
    else if (code == JOULIE_E_IO && (sys_errno == ENXIO || sys_errno == EISDIR))
        jl_spot_warn(scan, spot, name, "is no regular file");
    else if (code == JOULIE_E_IO && sys_errno != EBUSY && sys_errno != ENODATA)
        jl_spot_warn(scan, spot, name, jl_root_errno_text(sys_errno));
}

/* ---- folders ---- */

bool jl_spot_enter(struct jl_scan *scan, const struct jl_spot *parent, const char *name,
                   struct jl_spot *out)
{
    const struct jl_root *from = parent != NULL ? &parent->root : scan->root;
    const int fd = scan->code == 0 ? jl_root_folder(from, name) : -ENOENT;
    if (fd == -ENOTDIR)
        jl_spot_warn(scan, parent, name, "is no folder");
    else if (fd < 0 && fd != -ENOENT)
        jl_spot_warn_of(scan, parent, name, JOULIE_E_IO, -fd);
    *out = (struct jl_spot){ { from->os, fd }, parent, name };
    return fd >= 0;
}

void jl_spot_leave(struct jl_spot *spot)
{
    jl_root_close(&spot->root);
}

void jl_listing_clear(struct jl_listing *listing)
{
    jl_arena_clear(&listing->arena);
}

static void keep_printable(struct jl_scan *scan, const struct jl_spot *spot,
                           struct jl_listing *listing)
{
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        const char *name = listing->names[i];
        if (jl_root_is_printable(name))
            listing->names[kept++] = name;
        else
            jl_spot_warn(scan, spot, name, "has a name with control characters");
    }
    listing->count = kept;
}

void jl_spot_list(struct jl_scan *scan, const struct jl_spot *spot, struct jl_listing *out)
{
    *out = (struct jl_listing){ .count = 0 };
    const int rc = jl_root_list(&spot->root, "", &out->arena, &out->names, &out->count);
    if (rc == -ENOMEM) {
        scan->code = JOULIE_E_NOMEM;
    } else if (rc == -E2BIG || (rc == 0 && out->count > JL_SCAN_ENTRIES_MAX - scan->entries)) {
        jl_spot_warn(scan, spot, NULL, "has more entries than can be; it is left out");
        out->count = 0;
    } else if (rc < 0) {
        jl_spot_warn_of(scan, spot, NULL, JOULIE_E_IO, -rc);
    }
    scan->entries += out->count;
    keep_printable(scan, spot, out);
}

/* ---- files ---- */

static const struct jl_root *root_of(const struct jl_scan *scan, const struct jl_spot *spot)
{
    return spot != NULL ? &spot->root : scan->root;
}

struct jl_fact jl_spot_number(struct jl_scan *scan, const struct jl_spot *spot, const char *name)
{
    const struct jl_fact fact = jl_root_number(root_of(scan, spot), name);
    jl_spot_warn_of(scan, spot, name, fact.code, fact.sys_errno);
    return fact;
}

bool jl_spot_text(struct jl_scan *scan, const struct jl_spot *spot, const char *name, size_t limit,
                  struct jl_arena *arena, struct jl_text *out)
{
    int sys_errno = 0;
    *out = (struct jl_text){ "", 0 };
    const int rc = jl_root_text(root_of(scan, spot), name, limit, arena, out, &sys_errno);
    jl_spot_warn_of(scan, spot, name, rc, sys_errno);
    return rc == 0;
}

const char *jl_scan_keep(struct jl_scan *scan, struct jl_text text)
{
    if (text.len == 0 || text.len > JL_SCAN_WORD_BYTES)
        return NULL;
    const char *kept = jl_arena_copy(scan->arena, text.ptr, text.len);
    if (kept == NULL)
        fail(scan);
    return kept != NULL && jl_root_is_printable(kept) ? kept : NULL;
}

const char *jl_spot_word(struct jl_scan *scan, const struct jl_spot *spot, const char *name)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { .first = 2 * JL_SCAN_WORD_BYTES };
    struct jl_text text;
    if (!jl_spot_text(scan, spot, name, JL_SCAN_WORD_BYTES + 1, &scratch, &text))
        return NULL;
    if (text.len > 0 && text.ptr[text.len - 1] == '\n')
        text.len--;
    const char *word = jl_scan_keep(scan, text);
    if (word == NULL)
        jl_spot_warn_of(scan, spot, name, JOULIE_E_PARSE, 0);
    return word;
}

/* Whether a file that holds no number holds -1. */
static bool is_minus_one(struct jl_scan *scan, const struct jl_spot *spot, const char *name)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { .first = 2 * JL_SCAN_WORD_BYTES };
    struct jl_text text = { "", 0 };
    int sys_errno = 0;
    const int rc =
        jl_root_text(root_of(scan, spot), name, JL_SCAN_WORD_BYTES, &scratch, &text, &sys_errno);
    if (rc == JOULIE_E_NOMEM)
        fail(scan);
    return rc == 0 && jl_text_is(jl_text_trim(text), "-1");
}

struct jl_fact jl_spot_id(struct jl_scan *scan, const struct jl_spot *spot, const char *name)
{
    struct jl_fact fact = jl_root_number(root_of(scan, spot), name);
    if (fact.code == JOULIE_E_PARSE && is_minus_one(scan, spot, name))
        fact.code = JOULIE_E_RANGE;
    else
        jl_spot_warn_of(scan, spot, name, fact.code, fact.sys_errno);
    return fact;
}

/* ---- names ---- */

bool jl_scan_numbered(const char *name, const char *prefix, uint32_t *out)
{
    if (!jl_starts_with(name, prefix))
        return false;
    const char *digits = name + strlen(prefix);
    uint64_t value = 0;
    if (jl_parse_u64(digits, strlen(digits), &value) != 0 || value >= JL_SCAN_ITEMS_MAX ||
        (digits[0] == '0' && digits[1] != '\0'))
        return false;
    *out = (uint32_t)value;
    return true;
}

size_t jl_scan_hex(const char *text)
{
    size_t len = 0;
    while (jl_is_digit(text[len]) || (jl_lower(text[len]) >= 'a' && jl_lower(text[len]) <= 'f'))
        len++;
    return len;
}

static bool is_word_character(char c)
{
    return jl_is_digit(c) || (jl_lower(c) >= 'a' && jl_lower(c) <= 'z') || c == '.' || c == '_' ||
           c == ':' || c == '-';
}

static size_t decimal_digits(const char *text)
{
    size_t len = 0;
    while (jl_is_digit(text[len]))
        len++;
    return len;
}

bool jl_scan_matches(const char *name, const char *pattern)
{
    for (; *pattern != '\0' && *pattern != '*'; pattern++) {
        const size_t len = *pattern == '#'   ? decimal_digits(name)
                           : *pattern == '%' ? jl_scan_hex(name)
                                             : *name == *pattern;
        if (len == 0)
            return false;
        name += len;
    }
    if (*pattern == '\0')
        return *name == '\0';
    do { /* the star takes as little as it can */
        if (jl_scan_matches(name, pattern + 1))
            return true;
    } while (is_word_character(*name++));
    return false;
}
