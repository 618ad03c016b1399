/* SPDX-License-Identifier: Apache-2.0 */

/* Offsets of a document as lines and columns, for errors. */

#include "schema/lines.h"

static void count_lines(const char *text, size_t len, size_t offset, uint32_t *out_line,
                        uint32_t *out_column)
{
    uint32_t line = 1;
    uint32_t column = 1;
    for (size_t i = 0; i < offset && i < len; i++) {
        column++;
        if (text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    *out_line = line;
    *out_column = column;
}

void jl_line_of(const char *text, size_t len, const struct jl_line_map *map, size_t offset,
                uint32_t *out_line, uint32_t *out_column)
{
    if (!map) {
        count_lines(text, len, offset, out_line, out_column);
        return;
    }
    *out_line = 0;
    *out_column = 0;
    for (size_t low = 0, high = map->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (map->marks[middle].offset <= offset) {
            *out_line = map->marks[middle].line;
            *out_column = map->marks[middle].column;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
}
