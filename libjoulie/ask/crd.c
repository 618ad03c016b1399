/* SPDX-License-Identifier: Apache-2.0 */

/* crd: the CustomResourceDefinitions of our kinds (docs/rules/documents.md#definitions). */

#include "schema/crd.h"

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/kinds.h"
#include "object/object.h"

#define RECORD crd_in
#define MEMBERS                                                                             \
    STRING(kind, "kind",                                                                    \
           "Lower-case kind, plural or short name, one of another project with its group; " \
           "absent: all of ours.")                                                          \
    BOOLEAN(legacy, "legacy",                                                               \
            "Without a kind: the kinds before NodeTwin instead of those of today.")
#include "schema/record.h"

#define RECORD manifest
#define MEMBERS                               \
    STRING(name, "name", "Name of its file.") \
    STRING(yaml, "yaml", "Text of its file.")
#include "schema/record.h"

#define RECORD crd_out
#define MEMBERS LIST(manifests, "manifests", manifest, "The manifests.")
#include "schema/record.h"

/* What a writer of the schema room prints about a kind, in the arena; NULL = out of memory. */
static const char *printed(struct jl_ask *ask, const struct jl_table *table,
                           void (*print)(struct jl_buffer *out, const struct jl_table *table))
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer buffer = { 0 };
    print(&buffer, table);
    return buffer.is_failed ? NULL : jl_arena_copy(ask->arena, buffer.data, buffer.len);
}

static int add_manifest(struct jl_ask *ask, const struct jl_table *table, struct jl_list *list)
{
    struct manifest *manifest = JL_ITEM(*list, manifest, list->count);
    JL_SET(manifest, name, printed(ask, table, jl_crd_file_name));
    JL_SET(manifest, yaml, printed(ask, table, jl_crd_write));
    list->count++;
    return manifest->name && manifest->yaml ? 0 : jl_fail_memory(ask->err);
}

static int answer_crd(struct jl_ask *ask, const struct crd_in *in, struct crd_out *out)
{
    const char *kind = in->given.kind ? in->kind : NULL;
    out->given.manifests = true;
    out->manifests.items = JL_NEW_ARRAY(ask->arena, jl_kind_count, struct manifest);
    if (!out->manifests.items)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; !kind || i == 0; i++) {
        const struct jl_table *table = NULL;
        struct joulie_error problem = JOULIE_INIT(struct joulie_error);
        int rc = jl_crd_find(kind, i, in->legacy, &table, &problem);
        if (rc == JOULIE_E_NOT_FOUND)
            break;
        rc = rc < 0 ? jl_ask_fail(ask, rc, problem.where, "%s", problem.message)
                    : add_manifest(ask, table, &out->manifests);
        if (rc < 0)
            return rc;
    }
    return 0;
}

JL_QUESTION(crd, "crd", "CRD manifests of our kinds");
