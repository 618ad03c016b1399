/* SPDX-License-Identifier: Apache-2.0 */

/* Names of the objects that we write (docs/rules/reconcile.md#object-names). */

#include "kinds/naming.h"

#include <string.h>

#include <joulie/remote.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define HASH_DIGITS 8
#define CUT_BYTES \
    (JL_NAME_MAX - HASH_DIGITS - 1) /* what a name keeps in front of "-" and the hash */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || jl_is_digit(c) || c == '-';
}

/* Bytes of UTF-8 after the first of a character. */
static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static void trim_dashes(char *text)
{
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '-')
        len--;
    text[len] = '\0'; /* what is left begins with something else or is empty */
    size_t first = 0;
    while (text[first] == '-')
        first++;
    memmove(text, text + first, len - first + 1);
}

const char *jl_sanitize_operator(struct jl_arena *arena, const char *node_name)
{
    char *out = jl_arena_string(arena, node_name);
    if (!out)
        return NULL;
    size_t len = 0;
    for (const char *in = node_name; *in; in++) {
        const char c = jl_lower(*in);
        if (!is_continuation(c))
            out[len++] = is_plain(c) ? c : '-';
    }
    out[len] = '\0';
    trim_dashes(out);
    return out;
}

const char *jl_sanitize_agent(struct jl_arena *arena, const char *node_name)
{
    const struct jl_text text = jl_text_trim(jl_text(node_name));
    char *out = jl_arena_copy(arena, text.ptr, text.len);
    if (!out)
        return NULL;
    for (char *c = out; *c; c++) {
        *c = jl_lower(*c);
        if (*c == '.' || *c == '_' || *c == '/')
            *c = '-';
    }
    trim_dashes(out);
    return out;
}

static void put_hash(uint32_t hash, char out[HASH_DIGITS + 1])
{
    for (size_t i = HASH_DIGITS; i > 0; i--) {
        out[i - 1] = "0123456789abcdef"[hash & 15];
        hash >>= 4;
    }
    out[HASH_DIGITS] = '\0';
}

static const char *with_hash(struct jl_arena *arena, const char *name, const char *hashed)
{
    char digits[HASH_DIGITS + 1];
    put_hash(jl_fnv1a32(hashed, strlen(hashed)), digits);
    const char *kept = jl_arena_copy(arena, name, jl_utf8_cut(name, strlen(name), CUT_BYTES));
    if (!kept)
        return NULL;
    return JL_JOIN(arena, kept, "-", digits);
}

const char *jl_object_name(struct jl_arena *arena, const char *node_name, jl_name_owner_fn *owner,
                           const void *user)
{
    const struct jl_text trimmed = jl_text_trim(jl_text(node_name));
    const char *node = jl_arena_copy(arena, trimmed.ptr, trimmed.len);
    const char *name = node ? jl_sanitize_operator(arena, node) : NULL;
    if (!name || *name == '\0' || jl_same(name, node) || !owner)
        return name;
    const char *holder = owner(user, name);
    if (!holder || jl_same(holder, node))
        return name;
    return with_hash(arena, name, node);
}

const char *jl_profile_name(struct jl_arena *arena, const char *kind, const char *name_space,
                            const char *name)
{
    char *lower_kind = jl_arena_string(arena, kind);
    if (!lower_kind)
        return NULL;
    for (char *c = lower_kind; *c; c++)
        *c = jl_lower(*c);

    const char *full = JL_JOIN(arena, lower_kind, "-", name);
    if (!full || strlen(full) <= JL_NAME_MAX)
        return full;
    const char *hashed = JL_JOIN(arena, kind, "/", name_space, "/", name);
    return hashed ? with_hash(arena, full, hashed) : NULL;
}

const char *jl_power_profile_name(struct jl_arena *arena, const char *node_name)
{
    const char *const parts[] = { "node-", jl_sanitize_operator(arena, node_name) };
    return parts[1] ? jl_arena_join(arena, parts, JL_COUNT(parts)) : NULL;
}

const char *jl_pod_profile_name(struct jl_arena *arena, const char *name_space,
                                const char *pod_name)
{
    const char *full = JL_JOIN(arena, name_space, "-", pod_name);
    return full ? jl_arena_copy(arena, full, jl_utf8_cut(full, strlen(full), JL_NAME_MAX)) : NULL;
}

int joulie_node_object_name(const char *node_name, char **out, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *name = jl_object_name(&arena, node_name, NULL, NULL);
    if (name != NULL && name[0] == '\0')
        return jl_fail(err, JOULIE_E_PARSE, "node_name",
                       "no character of \"%.64s\" can stand in an object name", node_name);
    char *copy = jl_strdup(name);
    if (copy == NULL)
        return jl_fail_memory(err);
    *out = copy;
    return JOULIE_OK;
}
