/* SPDX-License-Identifier: Apache-2.0 */

/* What kind a document is of, and whether it is what the kind asks for. Called by the readers of
 * objects, by the questions `validate` and `convert`, and by joulie_object_validate(). */

#include "base/error.h"
#include "kinds/kinds.h"
#include "object/object.h"
#include "schema/list_keys.h"
#include "tensor_fusion/validate.h"

static bool is_known_kind(const char *kind)
{
    for (size_t i = 0; i < jl_kind_count; i++) {
        if (jl_same(jl_kinds[i]->kind->kind, kind))
            return true;
    }
    return false;
}

int jl_kind_of(const char *api_version, const char *kind, const struct jl_table **out,
               struct joulie_error *err)
{
    const struct jl_table *table = jl_kind_find(api_version, kind);
    if (!table && is_known_kind(kind))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "apiVersion",
                       "this build has no %.64s of version %.64s", kind, api_version);
    if (!table)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind %.64s", kind);
    *out = table;
    return 0;
}

void jl_document_bound(struct jl_decode *decode, const struct jl_table *table)
{
    decode->arena->limit = decode->arena->used + table->size +
                           decode->len * JL_LIMIT_DECODED_FACTOR + JL_LIMIT_DECODED_EXTRA;
}

int jl_document_check(struct jl_decode *decode, const struct jl_table *table)
{
    jl_document_bound(decode, table);
    void *object = jl_arena_alloc(decode->arena, table->size);
    int rc = object ? jl_decode_document(decode, table, object) : jl_fail_memory(decode->err);
    decode->arena->limit = 0; /* the keys of lists are not decoded text */
    if (rc == 0)
        rc = jl_check_list_keys(decode, table, object);
    if (rc == 0 && jl_fusion_is_kind(table))
        rc = jl_fusion_check(decode, object);
    return rc;
}

int jl_object_check(const struct jl_table *table, struct json_object *tree, bool is_lenient,
                    struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_decode decode = { .arena = &arena, .err = err };
    jl_tree_put(&text, tree);
    if (text.is_failed)
        return jl_fail_memory(err);
    if (text.len > JL_LIMIT_OBJECT_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, "", "the object is larger than 16 MiB");
    if (is_lenient)
        return 0;
    decode.text = text.data;
    decode.len = text.len;
    const int rc = jl_document_check(&decode, table);
    if (rc < 0)
        jl_error_set_line(err, 0, 0); /* the text is only ours */
    return rc;
}
