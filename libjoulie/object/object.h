/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The handle of joulie/object.h, and what its files share. */

#include <joulie/object.h>

#include "object/path.h"
#include "schema/tree.h"

struct joulie_object {
    const struct jl_table *table; /* of a kind */
    struct json_object *tree;     /* with apiVersion and kind of the table */
};

/* The table of a kind. 0 or JOULIE_E_UNSUPPORTED. */
int jl_kind_of(const char *api_version, const char *kind, const struct jl_table **out,
               struct joulie_error *err);

/* The kind that a word names, or the one at index among ours. 0, JOULIE_E_UNSUPPORTED (no such
 * kind, or no CRD of it) or JOULIE_E_NOT_FOUND (behind the last one). */
int jl_crd_find(const char *word, size_t index, bool is_legacy, const struct jl_table **out,
                struct joulie_error *err);

/* Sets what the decoded object of a document may take. */
void jl_document_bound(struct jl_decode *decode, const struct jl_table *table);

/* Whether the document is what the kind asks for: a code of joulie_object_validate(). */
int jl_document_check(struct jl_decode *decode, const struct jl_table *table);

/*
 * The same for a tree, without lines; lenient: only that it is not too large. err is a record of
 * full size.
 */
int jl_object_check(const struct jl_table *table, struct json_object *tree, bool is_lenient,
                    struct joulie_error *err);

/*
 * Whether apiVersion and kind of a tree are those of the table. 0, JOULIE_E_REQUIRED,
 * JOULIE_E_TYPE, JOULIE_E_ENUM (another kind) or JOULIE_E_UNSUPPORTED (another version).
 */
int jl_object_check_kind(const struct jl_table *table, struct json_object *tree,
                         struct joulie_error *err);

/* The tree of a document that is an object or a list, digits kept. */
int jl_document_tree(struct jl_decode *decode, struct json_object **out);

/* What stands at step i of a location in the value before it; *out NULL = nothing. A value that
 * cannot hold such a step is JOULIE_E_TYPE. */
int jl_object_step(struct json_object *parent, const struct jl_location *location, size_t i,
                   struct json_object **out, struct joulie_error *err);
