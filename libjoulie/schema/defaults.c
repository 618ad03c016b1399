/* SPDX-License-Identifier: Apache-2.0 */

/* Defaults of members, by the tables (docs/rules/documents.md#defaults). Called by the reader of
 * thread profiles. */

#include "schema/defaults.h"

#include "schema/presence.h"

static void set_usual(const struct jl_row *row, void *member)
{
    if (row->type == JL_TYPE_STRING)
        *(const char **)member = "";
    else if (row->type == JL_TYPE_NUMBER)
        *(double *)member = row->usual;
    else if (row->type == JL_TYPE_INTEGER)
        *(int64_t *)member = (int64_t)row->usual;
    else if (row->type == JL_TYPE_BOOL)
        *(bool *)member = row->usual != 0;
    else if (row->type == JL_TYPE_ENUM)
        *(int *)member = (int)row->usual;
}

static bool is_usual(const struct jl_row *row, const void *member)
{
    if (row->type == JL_TYPE_STRING)
        return jl_is_empty(*(const char *const *)member);
    if (row->type == JL_TYPE_NUMBER)
        return *(const double *)member == row->usual;
    if (row->type == JL_TYPE_INTEGER)
        return *(const int64_t *)member == (int64_t)row->usual;
    if (row->type == JL_TYPE_BOOL)
        return *(const bool *)member == (row->usual != 0);
    return row->type == JL_TYPE_ENUM && *(const int *)member == (int)row->usual;
}

static bool holds_nothing(const struct jl_row *row, const void *member)
{
    if (row->type == JL_TYPE_OBJECT)
        return jl_rows_present(row->child, member) == 0 &&
               !(row->child->extra_prefix && jl_first_extra(row->child, member));
    if (row->type == JL_TYPE_MAP)
        return ((const struct jl_map *)member)->count == 0;
    return (row->type == JL_TYPE_LIST || row->type == JL_TYPE_STRINGS) &&
           ((const struct jl_list *)member)->count == 0;
}

void jl_use_defaults(const struct jl_table *table, void *object)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        char *member = (char *)object + row->offset;
        const struct jl_list *list = (const struct jl_list *)(const void *)member;
        uint64_t bit = UINT64_C(1) << i;
        uint64_t *has = jl_presence(table, row, object, &bit);
        if (row->type == JL_TYPE_OBJECT)
            jl_use_defaults(row->child, member);
        for (size_t k = 0; row->type == JL_TYPE_LIST && k < list->count; k++)
            jl_use_defaults(row->child, (char *)list->items + k * row->child->size);
        if (row->is.has_usual && !(*has & bit))
            set_usual(row, member);
        if ((row->is.has_usual && is_usual(row, member)) ||
            (!row->is.required && holds_nothing(row, member)))
            *has &= ~bit;
    }
}
