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
