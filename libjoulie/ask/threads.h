/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the questions about thread profiles share: the set of profiles of an input. */

#include "ask/ask.h"
#include "threads/profiles.h"

/* Members of every input that has profiles. */
#define JL_PROFILE_MEMBERS                                                     \
    LIST(profiles, "profiles", jl_thread_profile, "Profiles of files.")        \
    STRINGS(profile_files, "profile_files", "Their paths, in the same order.") \
    BOOLEAN(no_builtins, "no_builtins", "Without the profiles of this build.")

/* Checks a profile of the input and gives it its defaults; its first error is that of the call. */
int jl_ask_check_profile(struct jl_ask *ask, struct jl_thread_profile *profile,
                         const struct jl_path *at);
/* The same for a list of profiles, which with the built-ins makes a set. */
int jl_ask_profile_set(struct jl_ask *ask, const struct jl_list *profiles,
                       const struct jl_list *files, bool no_builtins, struct jl_profile_set *out);
