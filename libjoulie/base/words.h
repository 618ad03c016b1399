/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One table per enum: parser, printer, CRD schema and Python read the same words. 0 is always
 * "unknown" and has no word. */

#include <stddef.h>

#include "base/text.h"

struct jl_word {
    int value;
    const char *word;
};

struct jl_words {
    const struct jl_word *items;
    size_t count;
};

/* The words of a list in braces, outside of functions. */
#define JL_WORDS(...)                                                                         \
    {                                                                                         \
        (const struct jl_word[]) __VA_ARGS__, JL_COUNT(((const struct jl_word[])__VA_ARGS__)) \
    }

int jl_word_value(const struct jl_words *words, struct jl_text text); /* 0 = unknown */
const char *jl_word_of(const struct jl_words *words, int value);      /* NULL = no word */
