/* SPDX-License-Identifier: Apache-2.0 */

/* The one-line summary of a classification. */

#include "classify/rules.h"

#define HIGH_CONFIDENCE 0.7
#define MEDIUM_CONFIDENCE 0.5

#define MAX_PIECES 9 /* the confidence, and four per part */

static const char *confidence_words(double confidence)
{
    if (confidence >= HIGH_CONFIDENCE)
        return "high-confidence";
    return confidence >= MEDIUM_CONFIDENCE ? "medium-confidence" : "low-confidence (hints only)";
}

const char *jl_summary(const struct jl_profile_status *status, struct jl_arena *arena)
{
    const char *pieces[MAX_PIECES];
    size_t count = 0;
    pieces[count++] = confidence_words(status->confidence);
    if (status->given.cpu && status->cpu.given.bound) {
        pieces[count++] = " cpu=";
        pieces[count++] = jl_word_of(&jl_level_words, (int)status->cpu.intensity);
        pieces[count++] = "/";
        pieces[count++] = jl_word_of(&jl_cpu_bound_words, (int)status->cpu.bound);
    }
    if (status->gpu.intensity != JOULIE_LEVEL_NONE) {
        pieces[count++] = " gpu=";
        pieces[count++] = jl_word_of(&jl_level_words, (int)status->gpu.intensity);
        pieces[count++] = "/";
        pieces[count++] = jl_word_of(&jl_gpu_bound_words, (int)status->gpu.bound);
    }
    return jl_arena_join(arena, pieces, count);
}
