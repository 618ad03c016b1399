/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The profiles that there are: those of this build, and those of files. Rules:
 * docs/rules/threads.md#which-profile. */

#include <joulie/error.h>

#include "base/arena.h"
#include "kinds/thread_profile.h"

/* Made of builtin_profiles.json, by id: each is the JSON text of one profile. */
extern const char *const jl_builtin_profiles[];
extern const size_t jl_builtin_profile_count;

struct jl_profile_entry {
    const struct jl_thread_profile *profile; /* with its defaults */
    bool is_builtin;
    const char *file; /* path of a file; "" = unknown; NULL of a built-in */
};

struct jl_profile_set {
    struct jl_profile_entry *items; /* by id (bytes), of one id those of files first */
    size_t count;
};

/* Profiles of files (count of them, with their defaults; paths may be NULL), and the built-ins
 * unless they are not wanted. 0 or JOULIE_E_NOMEM. */
int jl_profile_set_make(struct jl_arena *arena, const struct jl_thread_profile *files, size_t count,
                        const char *const *paths, bool has_builtins, struct jl_profile_set *out);
