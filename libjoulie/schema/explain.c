/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reference text from the tables: the type of a row, a field by its path
 * (docs/rules/documents.md#reference).
 */

#include "schema/explain.h"

#include <string.h>

const char *jl_schema_type(const struct jl_row *row)
{
    switch (row->type) {
    case JL_TYPE_STRING:
    case JL_TYPE_ENUM:
    case JL_TYPE_TIME:
        return "string";
    case JL_TYPE_NUMBER:
        return row->is.as_string ? "string" : "number";
    case JL_TYPE_INTEGER:
        if (row->words)
            return "integer or string";
        return row->is.as_string ? "string" : "integer";
    case JL_TYPE_BOOL:
        return "boolean";
    case JL_TYPE_OBJECT:
    case JL_TYPE_WHOLE:
    case JL_TYPE_MAP:
    case JL_TYPE_DICT:
        return "object";
    case JL_TYPE_LIST:
    case JL_TYPE_STRINGS:
    case JL_TYPE_NUMBERS:
        return "array";
    case JL_TYPE_QUANTITY:
        return "int-or-string";
    case JL_TYPE_RANGE:
        return "integer or array";
    case JL_TYPE_RAW:
        break;
    }
    if (row->is.array_only)
        return "array";
    return row->is.any_members ? "object" : "any";
}

/* The word for one item of a row that is an array of a known type; NULL = it has no such items. */
static const char *item_type(const struct jl_row *row)
{
    if (row->type == JL_TYPE_LIST)
        return "object";
    if (row->type == JL_TYPE_STRINGS)
        return "string";
    if (row->type == JL_TYPE_NUMBERS)
        return row->is.as_int32 ? "integer" : "number";
    return NULL;
}

const struct jl_row *jl_row_find(const struct jl_table *table, struct jl_text key)
{
    for (size_t i = 0; table && i < table->count; i++) {
        if (jl_text_is(key, table->rows[i].key))
            return &table->rows[i];
    }
    return NULL;
}

bool jl_field_find(const struct jl_table *table, const char *path, struct jl_field *out)
{
    struct jl_field field = { 0 };
    for (const char *rest = path;; rest++) {
        struct jl_text key = { rest, strcspn(rest, ".") };
        rest += key.len;
        field.is_item = key.len > 2 && memcmp(rest - 2, "[]", 2) == 0;
        if (field.is_item)
            key.len -= 2;
        field.row = jl_row_find(table, key);
        if (!field.row)
            return false;
        field.type = field.is_item ? item_type(field.row) : jl_schema_type(field.row);
        if (!field.type)
            return false;
        if (*rest == '\0')
            break;
        const bool is_list = item_type(field.row) != NULL;
        table = is_list == field.is_item ? field.row->child : NULL;
    }
    *out = field;
    return true;
}
