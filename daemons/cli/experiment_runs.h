/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The runs of an experiment in processes of their own, and a folder that keeps their results. */

#include <stdbool.h>

#include <joulie/experiment.h>

#include "base/arena.h"

struct jd_runs {
    struct joulie_experiment *experiment;
    const char *cache; /* folder that is there; a file per result, named by its key */
    bool is_fresh;     /* results that were kept are not read */
    size_t jobs;       /* processes at a time */
};

/*
 * Gives every run of the experiment its result: the one that was kept, else a new one, which is
 * kept as soon as it is there. 0, a failure, or the number of the signal (above 0) that ended it,
 * with every process gone.
 */
int jd_runs_do(const struct jd_runs *runs, struct joulie_error *err);

/* The folder of --cache, else joulie/experiments below the user's cache folder; it is made. The
 * text is in the arena. */
int jd_runs_folder(const char *given, struct jl_arena *arena, const char **out,
                   struct joulie_error *err);
/* What tells this build of the library from others: a hash of its file, in the arena; "" when it
 * cannot be read. */
const char *jd_runs_build(struct jl_arena *arena);
