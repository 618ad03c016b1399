/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Objects inside a decoded document with their paths, so that a check fails or warns at the right
 * place. Called by the files validate*.c.
 */

#include <stdarg.h>

#include "tensor_fusion/validate_parts.h"

bool jl_fusion_has(const struct jl_fusion_place *place, unsigned bit)
{
    return (*(const uint64_t *)place->object >> bit & 1) != 0;
}

struct jl_fusion_place jl_fusion_inside(const struct jl_fusion_place *place, unsigned bit)
{
    const struct jl_row *row = &place->table->rows[bit];
    return (struct jl_fusion_place){ { .up = &place->at, .key = jl_text(row->key) },
                                     row->child,
                                     (const char *)place->object + row->offset };
}

size_t jl_fusion_count(const struct jl_fusion_place *list)
{
    return ((const struct jl_list *)list->object)->count;
}

struct jl_fusion_place jl_fusion_item(const struct jl_fusion_place *list, size_t i)
{
    const struct jl_list *items = list->object;
    return (struct jl_fusion_place){ { .up = &list->at, .index = i },
                                     list->table,
                                     (const char *)items->items + i * list->table->size };
}

int jl_fusion_fail(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                   int code, const char *format, ...)
{
    const struct jl_path at = { .up = &place->at, .key = jl_text(place->table->rows[bit].key) };
    va_list arguments;
    va_start(arguments, format);
    jl_decode_fail_list(decode, code, &at, SIZE_MAX, format, arguments);
    va_end(arguments);
    return code;
}

struct jl_text jl_fusion_text_at(const struct jl_fusion_place *place, unsigned bit)
{
    const struct jl_row *row = &place->table->rows[bit];
    const void *member = (const char *)place->object + row->offset;
    return jl_fusion_has(place, bit) ? jl_text(*(const char *const *)member) : jl_text(NULL);
}

void jl_fusion_warn(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                    const char *message)
{
    const struct jl_path at = { .up = &place->at, .key = jl_text(place->table->rows[bit].key) };
    char where[JL_PATH_TEXT];
    if (!decode->on_warning)
        return;
    jl_path_print(&at, where);
    decode->on_warning(decode->warning_user, "InvalidField", where, message);
}
