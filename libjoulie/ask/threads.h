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

/* Checks the profiles and gives them their defaults: the first error of one is that of the call. */
int jl_ask_check_profiles(struct jl_ask *ask, struct jl_list *profiles);
/* The same, and with the built-ins they make the set. */
int jl_ask_profile_set(struct jl_ask *ask, struct jl_list *profiles, const struct jl_list *files,
                       bool no_builtins, struct jl_profile_set *out);
