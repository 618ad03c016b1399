/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is wrong with a thread profile, all of it. Rules: docs/rules/threads.md#findings. */

#include <joulie/error.h>

#include "base/arena.h"
#include "base/words.h"
#include "kinds/thread_profile.h"
#include "schema/decode.h"

enum jl_finding_code {
    JL_FINDING_UNKNOWN,
    JL_E_SYNTAX,
    JL_E_UTF8,
    JL_E_DUP_KEY,
    JL_E_VERSION,
    JL_E_MISSING,
    JL_E_TYPE,
    JL_E_RANGE,
    JL_E_ENUM,
    JL_E_UNKNOWN_KEY,
    JL_E_GLOB,
    JL_E_REGEX,
    JL_E_IMAGE,
    JL_E_LIMIT,
    JL_E_CONFLICT,
    JL_W_SHADOWED, /* warnings from here on */
    JL_W_APPROX,
    JL_W_SHAPE,
};

extern const struct jl_words jl_finding_words;

#define JL_FINDINGS_MAX 100 /* are kept; more are counted */

struct jl_finding {
    enum jl_finding_code code;
    const char *path;
    const char *message;
};

struct jl_findings {
    struct jl_arena *arena;
    struct jl_finding items[JL_FINDINGS_MAX];
    size_t count;
    size_t errors;
    size_t warnings;
};

bool jl_finding_is_error(enum jl_finding_code code);
/* The code of joulie/error.h that is nearest to an error. */
int jl_finding_error(enum jl_finding_code code);

/* What a decoder's error is. */
enum jl_finding_code jl_finding_of(const struct joulie_error *err);

/* A finding whose path is a text. */
void jl_keep_finding(struct jl_findings *findings, enum jl_finding_code code, const char *path,
                     const char *message);
/* A finding at a path from the document root; NULL = the document itself. */
void jl_find(struct jl_findings *findings, enum jl_finding_code code, const struct jl_path *at,
             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Finds what is wrong with a profile that was decoded, but for what its tables say. `at` is where
 * it stands in its document. Before jl_use_defaults(). */
void jl_check_profile(const struct jl_thread_profile *profile, const struct jl_path *at,
                      struct jl_findings *findings);
