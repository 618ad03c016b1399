/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Walks a table of paths and fills a flat struct. Called by the views of v1alpha1.c and
 * tensor_fusion_v1.c. Implements docs/rules/kubernetes-objects.md#views.
 */

#include "object/view.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/time.h"
#include "kubernetes/quantity.h"

static int read_quantity(const char *text, double *out)
{
    struct jl_quantity quantity;
    const int rc = jl_parse_quantity(text, strlen(text), &quantity);
    if (rc == 0)
        *out = jl_quantity_to_double(&quantity);
    return rc;
}

/* A word that has no value is 0, UNKNOWN, and counts as present: the document has something there.
 */
static int read_text(const struct joulie_object *object, const struct jl_view_row *row,
                     void *member, struct joulie_error *err)
{
    const char *text = NULL;
    const int rc = joulie_object_get_text(object, row->path, &text, err);
    if (rc != 1)
        return rc;
    if (row->type == JL_VIEW_TEXT)
        *(const char **)member = text;
    else if (row->type == JL_VIEW_WORD)
        *(int *)member = joulie_word_value((int)row->vocabulary, text);
    else if (row->type == JL_VIEW_QUANTITY)
        return read_quantity(text, member) < 0 ? 0 : 1;
    else if (jl_parse_time(text, strlen(text), member) < 0)
        return 0;
    return 1;
}

static int read_row(const struct joulie_object *object, const struct jl_view_row *row, void *member,
                    struct joulie_error *err)
{
    switch (row->type) {
    case JL_VIEW_NUMBER:
        return joulie_object_get_number(object, row->path, member, err);
    case JL_VIEW_INTEGER:
        return joulie_object_get_integer(object, row->path, member, err);
    case JL_VIEW_BOOL:
        return joulie_object_get_bool(object, row->path, member, err);
    case JL_VIEW_TEXT:
    case JL_VIEW_WORD:
    case JL_VIEW_TIME:
    case JL_VIEW_QUANTITY:
        break;
    }
    return read_text(object, row, member, err);
}

/* Two projects have a WorkloadProfile: the version distinguishes them. */
static bool is_kind_of(const struct jl_view *view, const struct jl_kind *kind)
{
    return jl_same(kind->api_version, view->api_version) &&
           (jl_same(kind->kind, view->kind) ||
            (view->other_kind && jl_same(kind->kind, view->other_kind)));
}

/* A row whose value is absent leaves the zero of ours and its bit clear; has stands behind
 * struct_size in every view. */
static int read_rows(const struct joulie_object *object, const struct jl_view *view, void *ours,
                     struct joulie_error *err)
{
    uint64_t has = 0;
    if (!is_kind_of(view, object->table->kind))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "a %s of %s was expected, this is a %s",
                       view->kind, view->api_version, joulie_object_kind(object));
    for (size_t i = 0; i < view->count; i++) {
        const struct jl_view_row *row = &view->rows[i];
        const int rc = read_row(object, row, (char *)ours + row->offset, err);
        if (rc < 0)
            return rc;
        has |= rc == 1 ? row->bit : 0;
    }
    memcpy((char *)ours + sizeof(size_t), &has, sizeof has);
    return 0;
}

int jl_view_read(const struct joulie_object *object, const struct jl_view *view, void *ours,
                 size_t ours_size, void *out, struct joulie_error *err)
{
    struct joulie_error local = { .struct_size = sizeof local };
    int rc = jl_sized_check(out, ours_size);
    if (rc < 0)
        jl_fail(&local, rc, "", "struct_size is impossible");
    else
        rc = read_rows(object, view, ours, &local);
    if (rc == 0)
        jl_sized_write(out, ours, ours_size);
    else
        jl_error_export(&local, err);
    return rc;
}
