/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A WorkloadProfile or TensorFusionWorkload of a document as a tree, after its kind's table has
 * accepted it. Called by the handle and the question autoscale.
 */

#include "autoscale/profile_tree.h"

#include "base/error.h"
#include "kinds/tensor_fusion.h"
#include "schema/tree.h"

static int find_table(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                      const struct jl_table **out)
{
    const char *kind;
    const int rc = jl_decode_kind(decode, raw, at, &kind);
    *out = rc == 0 && jl_same(kind, jl_fusion_workload_table.kind->kind) ? &jl_fusion_workload_table
                                                                         : &jl_fusion_profile_table;
    return rc;
}

int jl_autoscale_object_read(struct jl_decode *decode, const struct jl_raw *raw,
                             const struct jl_path *at, const struct jl_table *table,
                             struct json_object **out)
{
    int rc = table == NULL ? find_table(decode, raw, at, &table) : 0;
    if (rc < 0)
        return rc;
    table = jl_fusion_rules_unread(table, decode->arena);
    void *object = table != NULL ? jl_arena_alloc(decode->arena, table->size) : NULL;
    if (object == NULL)
        return jl_fail_memory(decode->err);
    rc = jl_decode_raw(decode, raw, at, table, object);
    return rc < 0 ? rc : jl_tree_from_raw(decode, raw, at, out);
}
