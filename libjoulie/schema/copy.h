/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Deep copies of structs that a table describes. */

#include "base/arena.h"
#include "schema/row.h"

/*
 * Copies an object and everything that its present members point to into the arena; to and from may
 * not overlap. Members that are not present become zero. 0, JOULIE_E_NOMEM or JOULIE_E_LIMIT.
 */
int jl_copy(struct jl_arena *arena, const struct jl_table *table, const void *from, void *to);

/* Copies the members that are present in `from`, and no others, without what they point to: over
 * defaults, say. */
void jl_copy_given(const struct jl_table *table, const void *from, void *to);

/* Bytes of an arena block that takes such a copy at once. */
size_t jl_copy_size(const struct jl_table *table, const void *from);

/* Bytes that a row's member takes in its struct, without what it points to. */
size_t jl_member_size(const struct jl_row *row);
