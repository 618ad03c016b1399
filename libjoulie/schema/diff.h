/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * JSON merge patches (RFC 7386, docs/rules/documents.md#diff) between trees of any shape. A null
 * member means absent, and arrays are replaced whole. Results may share parts with the inputs,
 * which nobody may change afterwards.
 */

#include "base/arena.h"
#include "schema/row.h"
#include "schema/tree.h"

struct jl_diff {
    struct json_object *patch; /* {} when nothing differs between two objects; to be released */
    bool changed;
};

/* The smallest patch that makes new out of old. 0 or JOULIE_E_NOMEM. */
int jl_diff(struct json_object *old, struct json_object *new, struct jl_diff *out);

/* The sorted dotted paths that are null in a patch, in the arena. 0 or JOULIE_E_NOMEM. */
int jl_diff_removed(struct json_object *patch, struct jl_arena *arena, struct jl_list *out);

/* The target with the patch applied; neither is changed. *out NULL = null. 0 or JOULIE_E_NOMEM. */
int jl_merge_patch(struct json_object *target, struct json_object *patch, struct json_object **out);
