/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where in a document a path stands, for errors that are found after it was read. */

#include <stdbool.h>
#include <stddef.h>

/*
 * The offset of the value at a path as jl_path_print() writes it, or of the deepest part of it that
 * is there. False: not even its first member is, or the text is no JSON up to there.
 */
bool jl_locate(const char *text, size_t len, const char *where, size_t *out_offset);
