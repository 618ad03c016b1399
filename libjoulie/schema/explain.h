/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reference text from the tables: a field by path, and a kind's names and columns. */

#include "schema/row.h"

struct jl_field {
    const struct jl_row *row;
    const char *type; /* word of the CRD schema: string number integer boolean object array */
    bool is_item;     /* the path ended in [] */
};

/* The word of the CRD schema for a row's type. */
const char *jl_schema_type(const struct jl_row *row);

/* The row of a key; NULL = the table, which may be NULL, has none. */
const struct jl_row *jl_row_find(const struct jl_table *table, struct jl_text key);

/* Follows "status.gpu.devices[].id" from a table; false = no such field. */
bool jl_field_find(const struct jl_table *table, const char *path, struct jl_field *out);
