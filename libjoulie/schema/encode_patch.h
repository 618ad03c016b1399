/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A merge patch between two structs, by their table (docs/rules/documents.md#diff). */

#include "base/buffer.h"
#include "schema/row.h"

/* The smallest patch that makes the new object out of the old one, {} when they are equal: what
 * jl_diff() finds between both as trees, without making trees. Of maps and raw text each key is
 * given once. */
void jl_encode_patch(struct jl_buffer *out, const struct jl_table *table, const void *old,
                     const void *new);
