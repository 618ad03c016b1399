/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* References of container images, and patterns of them. Rules: docs/rules/threads.md#images. */

#include "base/arena.h"
#include "base/text.h"

struct jl_image {
    const char *domain; /* in small letters; docker.io when the reference names none */
    const char *path;   /* with library/ where docker.io means it */
    const char *tag;    /* NULL with a digest alone; latest when there is neither */
    const char *digest; /* NULL = none */
};

/* 0, JOULIE_E_PARSE (no image has this name), or a code of the arena. */
int jl_image_parse(struct jl_arena *arena, const char *reference, struct jl_image *out);

/* Views into the text of the pattern. */
struct jl_image_pattern {
    struct jl_text domain; /* ptr NULL = any registry */
    struct jl_text path;   /* components with '*' and '?', or ** for several of them */
    struct jl_text tag;    /* a glob; ptr NULL = any tag or none */
    struct jl_text digest; /* ptr NULL = any */
};

/* How much a pattern says; the larger one wins, number by number from the first. */
#define JL_SPECIFICITY_TERMS 5

struct jl_specificity {
    int64_t terms[JL_SPECIFICITY_TERMS];
};

int jl_image_pattern_parse(struct jl_text text, struct jl_image_pattern *out); /* or E_PARSE */
bool jl_image_matches(const struct jl_image_pattern *pattern, const struct jl_image *image);
struct jl_specificity jl_image_specificity(const struct jl_image_pattern *pattern);
int jl_compare_specificity(const struct jl_specificity *a, const struct jl_specificity *b);
