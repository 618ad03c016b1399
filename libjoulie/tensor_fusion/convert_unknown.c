/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Members that no dialect has: they stay, and may be mistyped
 * (docs/rules/conversion.md#principles).
 */

#include "kinds/tensor_fusion.h"
#include "schema/explain.h"
#include "tensor_fusion/convert_parts.h"

static void warn_unknown(struct jl_conversion *c, const struct jl_path *at)
{
    char where[JL_PATH_TEXT];
    jl_path_print(at, where);
    const char *path = jl_arena_string(c->arena, where);
    if (path)
        jl_convert_warn(c, "InvalidField", path, "no dialect has such a member; it stays as it is");
    else
        jl_convert_fail_memory(c);
}

static void walk(struct jl_conversion *c, const struct jl_table *table, struct json_object *object,
                 const struct jl_path *at);

static void walk_list(struct jl_conversion *c, const struct jl_table *table,
                      struct json_object *list, const struct jl_path *at)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        const struct jl_path item = { .up = at, .index = i };
        walk(c, table, json_object_array_get_idx(list, i), &item);
    }
}

static void walk(struct jl_conversion *c, const struct jl_table *table, struct json_object *object,
                 const struct jl_path *at)
{
    if (table->flags & JL_OPEN || json_object_get_type(object) != json_type_object)
        return;
    json_object_object_foreach(object, key, value)
    {
        const struct jl_row *row = jl_row_find(table, jl_text(key));
        const struct jl_path path = { .up = at, .key = jl_text(key) };
        if (!row)
            warn_unknown(c, &path);
        else if (row->type == JL_TYPE_OBJECT)
            walk(c, row->child, value, &path);
        else if (row->type == JL_TYPE_LIST && json_object_get_type(value) == json_type_array)
            walk_list(c, row->child, value, &path);
    }
}

int jl_convert_find_unknown(struct json_object *object, struct jl_arena *arena,
                            const struct jl_convert_warning **out, struct joulie_error *err)
{
    struct jl_conversion c = { .arena = arena, .err = err };
    const char *kind = json_object_get_string(jl_fusion_member(object, "kind"));
    walk(&c,
         jl_same(kind, "WorkloadProfile") ? &jl_fusion_profile_table : &jl_fusion_workload_table,
         object, NULL);
    if (c.code == 0)
        *out = c.first;
    return c.code;
}
