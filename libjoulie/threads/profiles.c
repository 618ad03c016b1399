/* SPDX-License-Identifier: Apache-2.0 */

/* The set of profiles that detection looks through (docs/rules/threads.md#which-profile). */

#include "threads/profiles.h"

#include "base/sort.h"
#include "schema/decode.h"
#include "schema/defaults.h"

static int read_builtins(struct jl_arena *arena, struct jl_profile_entry *out)
{
    struct jl_thread_profile *profiles =
        JL_NEW_ARRAY(arena, jl_builtin_profile_count, struct jl_thread_profile);
    for (size_t i = 0; profiles != NULL && i < jl_builtin_profile_count; i++) {
        const struct jl_text text = jl_text(jl_builtin_profiles[i]);
        struct jl_decode decode = { .arena = arena, .text = text.ptr, .len = text.len };
        const int rc = jl_decode_into(&decode, &jl_thread_profile_table, &profiles[i]);
        if (rc < 0)
            return rc;
        jl_use_defaults(&jl_thread_profile_table, &profiles[i]);
        out[i] = (struct jl_profile_entry){ .profile = &profiles[i], .is_builtin = true };
    }
    return profiles != NULL ? 0 : jl_arena_code(arena);
}

static int by_id(const void *a, const void *b, void *user)
{
    const struct jl_profile_entry *x = a;
    const struct jl_profile_entry *y = b;
    (void)user;
    const int order = jl_compare(x->profile->id, y->profile->id);
    return order != 0 ? order : JL_ORDER(x->is_builtin, y->is_builtin);
}

int jl_profile_set_make(struct jl_arena *arena, const struct jl_thread_profile *files, size_t count,
                        const char *const *paths, bool has_builtins, struct jl_profile_set *out)
{
    const size_t total = count + (has_builtins ? jl_builtin_profile_count : 0);
    struct jl_profile_entry *items = JL_NEW_ARRAY(arena, total, struct jl_profile_entry);
    struct jl_profile_entry *scratch = JL_NEW_ARRAY(arena, total, struct jl_profile_entry);
    if (items == NULL || scratch == NULL)
        return jl_arena_code(arena);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct jl_profile_entry){ .profile = &files[i],
                                              .file = paths != NULL ? paths[i] : "" };
    const int rc = has_builtins ? read_builtins(arena, items + count) : 0;
    if (rc < 0)
        return rc;
    jl_sort_with(items, total, sizeof *items, by_id, NULL, scratch);
    *out = (struct jl_profile_set){ items, total };
    return 0;
}
