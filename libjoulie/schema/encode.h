/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Structs into JSON text, by table: rows in table order, only members whose bit is set, shortest
 * numbers.
 */

#include "base/buffer.h"
#include "schema/row.h"

void jl_encode(struct jl_buffer *out, const struct jl_table *table, const void *object);
/* The value of one member, without its key; no NUL behind it. */
void jl_encode_value(struct jl_buffer *out, const struct jl_row *row, const void *member);

/* The smallest merge patch (docs/rules/documents.md#diff) that makes the new object out of the old
 * one, {} when they are equal: what jl_diff() finds between both as trees, without making trees. Of
 * maps and raw text each key is given once. */
void jl_encode_patch(struct jl_buffer *out, const struct jl_table *table, const void *old,
                     const void *new);
