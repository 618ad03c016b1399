/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which profile a container has, and why. Rules: docs/rules/threads.md#which-profile. */

#include "kinds/pod.h"
#include "threads/image.h"
#include "threads/machine.h"
#include "threads/profiles.h"

enum jl_profile_why {
    JL_WHY_UNKNOWN,
    JL_WHY_ANNOTATION,
    JL_WHY_IMAGE,
    JL_WHY_EXE,
    JL_WHY_LABELS,
    JL_WHY_NONE,
};

extern const struct jl_words jl_profile_why_words;

struct jl_detect_input {
    const struct jl_profile_set *profiles;
    const struct jl_pod *pod;
    const struct jl_thread_machine *machine;
    const struct jl_container *container;
    const char *const *exes; /* file names of the programs that run in it */
    size_t exe_count;
};

struct jl_choice {
    const struct jl_profile_entry *entry; /* NULL = none */
    enum jl_profile_why why;              /* of it, or why there is none: annotation, none */
    const char *pattern;                  /* of images or exe that held; NULL = none */
    const char **also_matched;            /* ids of the others, the best first */
    size_t also_count;
    bool is_unknown_id;     /* the annotation asks for a profile that is not there */
    bool is_shape_mismatch; /* it is there for other machines only */
};

/* Whether a container of the list of init containers runs beside the others. */
bool jl_is_sidecar(const struct jl_container *container);

/* 0 or JOULIE_E_NOMEM. */
int jl_choose_profile(struct jl_arena *arena, const struct jl_detect_input *in,
                      struct jl_choice *out);

/* The profile of an id that the machine can have; without a machine the first enabled one. NULL =
 * none, *is_known says whether the id is there at all. */
const struct jl_profile_entry *jl_find_profile(const struct jl_profile_set *set, const char *id,
                                               const struct jl_thread_machine *machine,
                                               bool *is_known);
