/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where in a document we are: linked frames on the C stack, printed when something is wrong. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct jl_path {
    const struct jl_path *up; /* NULL = directly below the document root */
    struct jl_text key;       /* ptr NULL = an index */
    size_t index;
};

#define JL_PATH_TEXT 256

/* "nodes[2].twin.status.lastUpdated"; path NULL gives "". Cut with "…" when it does not fit. */
void jl_path_print(const struct jl_path *path, char out[JL_PATH_TEXT]);

/*
 * The offset of the value at a path as jl_path_print() writes it, or of the deepest part of it that
 * is there. False: not even its first member is, or the text is no JSON up to there.
 */
bool jl_locate(const char *text, size_t len, const char *where, size_t *out_offset);
