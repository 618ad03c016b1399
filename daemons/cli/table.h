/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A table for a person: columns as wide as their widest cell, two blanks between them, the last one
 * not padded. */

#include <stdbool.h>

#include "base/buffer.h"

struct jd_table {
    size_t columns;
    struct jl_buffer text; /* of the cells, each with its NUL */
    size_t *cells;         /* where each begins; row by row, the heads first */
    size_t count;
    size_t capacity;
    bool is_failed; /* memory ran out */
};

/* Text from outside for a person: what a terminal would obey is shown as ?. NULL is "". */
void jd_put_plain(struct jl_buffer *out, const char *text);

void jd_table_init(struct jd_table *table, const char *const *heads, size_t columns);
/* Cells come from left to right, row by row, and are plain; NULL is "-". */
void jd_table_add(struct jd_table *table, const char *text);
void jd_table_addf(struct jd_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends it and releases what it holds; when memory ran out, out->is_failed is set. */
void jd_table_end(struct jd_table *table, bool has_heads, struct jl_buffer *out);
