/* SPDX-License-Identifier: Apache-2.0 */

/* What callers of joulie/node.h hand over: checks and documents. The exported functions of this
 * room begin with them. */

#include <string.h>

#include "node/handle.h"
#include "schema/decode.h"
#include "schema/document.h"
#include "schema/list_keys.h"

int jl_node_check_kind(enum joulie_node_kind kind, struct joulie_error *err)
{
    if (kind == JOULIE_NODE_KIND_PACKAGE || kind == JOULIE_NODE_KIND_GPU)
        return 0;
    return jl_fail(err, JOULIE_E_ENUM, "kind", "there is no such kind of part");
}

void *jl_node_read_object(const char *text, size_t len, const struct jl_table *table,
                          struct jl_arena *arena, int *out_code, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    void *object = jl_arena_alloc(arena, table->size);
    *out_code = object != NULL ? jl_document_read(&document, text, len, err) : jl_fail_memory(err);
    if (*out_code < 0)
        return NULL;
    struct jl_decode decode = jl_document_decode(&document, arena, err);
    decode.flags = JL_LENIENT;
    *out_code = jl_decode_document(&decode, table, object);
    if (*out_code == 0)
        *out_code = jl_check_list_keys(&decode, table, object);
    return *out_code == 0 ? object : NULL;
}

void jl_node_forget_step(struct joulie_node *node)
{
    node->has_step = false;
    node->write_count = 0;
}
