/* SPDX-License-Identifier: Apache-2.0 */

/* The CustomResourceDefinitions of our kinds (docs/rules/documents.md#definitions). Called by the
 * question `crd` and by programs that serve or install them. */

#include "base/error.h"
#include "kinds/kinds.h"
#include "object/object.h"
#include "schema/crd.h"

static int find_named(const char *word, const struct jl_table **out, struct joulie_error *err)
{
    const struct jl_table *table = jl_kind_by_word(word);
    if (table && table->kind->is_partial)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind",
                       "this build knows only a part of %s, so it has no CRD of it",
                       table->kind->kind);
    if (!table || table->kind->is_core)
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind \"%.64s\"", word);
    *out = table;
    return 0;
}

int jl_crd_find(const char *word, size_t index, bool is_legacy, const struct jl_table **out,
                struct joulie_error *err)
{
    if (word)
        return find_named(word, out, err);
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *kind = jl_kinds[i]->kind;
        if (kind->is_core || kind->is_foreign || kind->is_legacy != is_legacy || index-- > 0)
            continue;
        *out = jl_kinds[i];
        return 0;
    }
    return jl_fail(err, JOULIE_E_NOT_FOUND, "index", "there are no more kinds");
}

int joulie_crd(const char *kind, size_t index, int32_t is_legacy, char **yaml,
               struct joulie_error *err)
{
    struct jl_buffer text = { 0 };
    const struct jl_table *table = NULL;
    const int rc = jl_crd_find(kind, index, is_legacy != 0, &table, err);
    if (rc < 0)
        return rc;
    jl_crd_write(&text, table);
    return jl_hand_out(&text, yaml, err);
}
