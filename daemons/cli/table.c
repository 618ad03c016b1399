/* SPDX-License-Identifier: Apache-2.0 */

/* Text in columns as kubectl aligns it (docs/rules/commands.md#tables). */

#include "table.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"

#define GAP 2 /* blanks between columns */
#define FORMATTED_BYTES 512

/* Controls of ASCII, and those of Latin-1 (C2 80 to C2 9F in UTF-8). */
void jd_put_plain(struct jl_buffer *out, const char *text)
{
    for (; text && *text; text++) {
        const unsigned char byte = (unsigned char)text[0];
        const unsigned char next = (unsigned char)text[1];
        const bool is_wide = byte == 0xC2 && next >= 0x80 && next < 0xA0;
        jl_put_char(out, byte < ' ' || byte == 0x7F || is_wide ? '?' : *text);
        text += is_wide;
    }
}

void jd_table_init(struct jd_table *table, const char *const *heads, size_t columns)
{
    *table = (struct jd_table){ .columns = columns };
    for (size_t i = 0; i < columns; i++)
        jd_table_add(table, heads[i]);
}

/* Columns on a terminal: every byte that does not continue a character. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void jd_table_add(struct jd_table *table, const char *text)
{
    if (JL_GROW(&table->cells, &table->capacity, table->count + 1) < 0) {
        table->is_failed = true;
        return;
    }
    table->cells[table->count++] = table->text.len;
    jd_put_plain(&table->text, text ? text : "-");
    jl_put_char(&table->text, '\0');
}

void jd_table_addf(struct jd_table *table, const char *format, ...)
{
    char text[FORMATTED_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    jd_table_add(table, text);
}

static const char *cell(const struct jd_table *table, size_t index)
{
    return table->text.data + table->cells[index];
}

static size_t widest(const struct jd_table *table, size_t column, size_t first)
{
    size_t width = 0;
    for (size_t i = first + column; i < table->count; i += table->columns) {
        const size_t own = width_of(cell(table, i));
        width = own > width ? own : width;
    }
    return width;
}

static void put_blanks(struct jl_buffer *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        jl_put_char(out, ' ');
}

static void put_cells(const struct jd_table *table, bool has_heads, struct jl_buffer *out)
{
    const size_t first = has_heads ? 0 : table->columns;
    JL_CLEANUP(jl_freep) size_t *widths = jl_calloc(table->columns, sizeof *widths);
    out->is_failed |= table->is_failed || table->text.is_failed || !widths;
    if (out->is_failed)
        return;
    for (size_t column = 0; column < table->columns; column++)
        widths[column] = widest(table, column, first);
    for (size_t i = first; i < table->count; i++) {
        const size_t column = i % table->columns;
        const char *text = cell(table, i);
        jl_put_string(out, text);
        if (column + 1 == table->columns)
            jl_put_char(out, '\n');
        else
            put_blanks(out, widths[column] + GAP - width_of(text));
    }
}

void jd_table_end(struct jd_table *table, bool has_heads, struct jl_buffer *out)
{
    put_cells(table, has_heads, out);
    jl_free(table->cells);
    jl_buffer_clear(&table->text);
}
