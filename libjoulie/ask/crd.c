/* SPDX-License-Identifier: Apache-2.0 */

/* crd: the CRD manifests of our kinds (cli.md §3). */

#include "schema/crd.h"

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/kinds.h"

struct crd_in {
    uint64_t has;
    const char *kind;
    bool legacy;
};

enum { IN_KIND, IN_LEGACY };

static const struct jl_row in_rows[] = {
    [IN_KIND] =
        JL_STRING(crd_in, kind, "kind",
                  .doc = "Lower-case kind, plural or short name, one of another project with its "
                         "group; absent: all of ours."),
    [IN_LEGACY] =
        JL_BOOLEAN(crd_in, legacy, "legacy",
                   .doc = "Without a kind: the kinds before NodeTwin instead of those of today."),
};
static const struct jl_table in_table = JL_TABLE(crd_in, in_rows);

struct manifest {
    uint64_t has;
    const char *name;
    const char *yaml;
};

enum { MANIFEST_NAME, MANIFEST_YAML };

static const struct jl_row manifest_rows[] = {
    [MANIFEST_NAME] = JL_STRING(manifest, name, "name", .doc = "Name of its file."),
    [MANIFEST_YAML] = JL_STRING(manifest, yaml, "yaml", .doc = "Text of its file."),
};
static const struct jl_table manifest_table = JL_TABLE(manifest, manifest_rows);

struct crd_out {
    uint64_t has;
    struct jl_list manifests;
};

enum { OUT_MANIFESTS };

static const struct jl_row out_rows[] = {
    [OUT_MANIFESTS] =
        JL_LIST(crd_out, manifests, "manifests", &manifest_table, .doc = "The manifests."),
};
static const struct jl_table out_table = JL_TABLE(crd_out, out_rows);

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
    JL_PUT(manifest, MANIFEST_NAME, name, printed(ask, table, jl_crd_file_name));
    JL_PUT(manifest, MANIFEST_YAML, yaml, printed(ask, table, jl_crd_write));
    list->count++;
    return manifest->name && manifest->yaml ? 0 : jl_fail_memory(ask->err);
}

static int answer(struct jl_ask *ask, const void *in_struct, void *out_struct)
{
    const struct crd_in *in = in_struct;
    struct crd_out *out = out_struct;
    const struct jl_table *wanted = JL_HAS(in, IN_KIND) ? jl_kind_by_word(in->kind) : NULL;
    if (wanted && wanted->kind->is_partial)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind",
                           "this build knows only a part of %s, so it has no CRD of it",
                           wanted->kind->kind);
    if (JL_HAS(in, IN_KIND) && (!wanted || wanted->kind->is_core))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind \"%.64s\"",
                           in->kind);

    JL_MARK(out, OUT_MANIFESTS);
    out->manifests.items = JL_NEW_ARRAY(ask->arena, jl_kind_count, struct manifest);
    if (!out->manifests.items)
        return jl_fail_memory(ask->err);
    if (wanted)
        return add_manifest(ask, wanted, &out->manifests);
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *kind = jl_kinds[i]->kind;
        const int rc = kind->is_core || kind->is_foreign || kind->is_legacy != in->legacy
                           ? 0
                           : add_manifest(ask, jl_kinds[i], &out->manifests);
        if (rc < 0)
            return rc;
    }
    return 0;
}

const struct jl_question jl_question_crd = {
    .name = "crd",
    .summary = "CRD manifests of our kinds",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
