/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_object_print(): an object as text, its members in the order of its kind. */

#include <string.h>

#include "base/error.h"
#include "object/object.h"
#include "schema/explain.h"

static void put_object(struct jl_buffer *out, const struct jl_table *table,
                       struct json_object *tree);

static void put_key(struct jl_buffer *out, const char *key, bool is_first)
{
    if (!is_first)
        jl_put_char(out, ',');
    jl_put_json_string(out, key, strlen(key));
    jl_put_char(out, ':');
}

static void put_list(struct jl_buffer *out, const struct jl_table *table, struct json_object *list)
{
    jl_put_char(out, '[');
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        if (i > 0)
            jl_put_char(out, ',');
        put_object(out, table, json_object_array_get_idx(list, i));
    }
    jl_put_char(out, ']');
}

/* Always as a string: a cluster refuses numbers with a fraction (docs/rules/conversion.md). */
static void put_quantity(struct jl_buffer *out, struct json_object *value)
{
    const bool is_number =
        json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
    if (is_number)
        jl_put_char(out, '"');
    jl_tree_put(out, value);
    if (is_number)
        jl_put_char(out, '"');
}

static void put_member(struct jl_buffer *out, const struct jl_row *row, struct json_object *value)
{
    if (row->type == JL_TYPE_LIST && json_object_is_type(value, json_type_array))
        put_list(out, row->child, value);
    else if (row->type == JL_TYPE_QUANTITY)
        put_quantity(out, value);
    else
        put_object(out, row->type == JL_TYPE_OBJECT ? row->child : NULL, value);
}

/* In the order of the table, so that equal objects are equal text; foreign members, and all without
 * a table, follow in the order in which they came. */
static void put_object(struct jl_buffer *out, const struct jl_table *table,
                       struct json_object *tree)
{
    bool is_first = true;
    if (!table || !json_object_is_type(tree, json_type_object)) {
        jl_tree_put(out, tree);
        return;
    }
    jl_put_char(out, '{');
    for (size_t i = 0; i < table->count; i++) {
        struct json_object *value;
        if (!json_object_object_get_ex(tree, table->rows[i].key, &value))
            continue;
        put_key(out, table->rows[i].key, is_first);
        put_member(out, &table->rows[i], value);
        is_first = false;
    }
    json_object_object_foreach(tree, key, foreign)
    {
        if (jl_row_find(table, jl_text(key)))
            continue;
        put_key(out, key, is_first);
        jl_tree_put(out, foreign);
        is_first = false;
    }
    jl_put_char(out, '}');
}

int joulie_object_print(const struct joulie_object *object, enum joulie_form form, char **out,
                        struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    put_object(&text, object->table, object->tree);
    if (!text.is_failed)
        return joulie_format(text.data, text.len, form, out, err);
    return jl_fail_memory(err);
}
