/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From a byte offset to a line and a column, in JSON text or, through marks, in the YAML it was
 * made from.
 */

#include <stddef.h>
#include <stdint.h>

struct jl_line_mark {
    size_t offset; /* in the JSON text */
    uint32_t line; /* in the YAML source, from 1 */
    uint32_t column;
};

struct jl_line_map {
    struct jl_line_mark *marks; /* ascending offsets */
    size_t count;
    size_t capacity;
};

/* map NULL: counts the line feeds of the text itself. */
void jl_line_of(const char *text, size_t len, const struct jl_line_map *map, size_t offset,
                uint32_t *out_line, uint32_t *out_column);
