/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* JSON patches (RFC 6902, docs/rules/documents.md#patches): operations in their order, all or none.
 */

#include <stddef.h>

#include <joulie/error.h>

#include "schema/tree.h"

struct jl_json_patch_problem {
    size_t index;        /* of the operation */
    const char *member;  /* of the operation, "" = all of it */
    const char *message; /* a constant */
};

/*
 * Applies a patch to a tree that nobody else holds; *target may be replaced, and is spoilt after a
 * failure. 0, JOULIE_E_TYPE (no list of objects), JOULIE_E_REQUIRED (a member is missing),
 * JOULIE_E_ENUM (no such operation), JOULIE_E_PARSE (no JSON pointer), JOULIE_E_CONFLICT (a test
 * fails, a place does not exist), JOULIE_E_LIMIT (above 10,000 operations, copies above 16 MiB,
 * nested too deep) or JOULIE_E_NOMEM.
 */
int jl_json_patch(struct json_object **target, struct json_object *patch,
                  struct jl_json_patch_problem *out);

/* Reports what jl_json_patch() found: where is "patch[3].path". The code. */
int jl_json_patch_fail(const struct jl_json_patch_problem *problem, int code,
                       struct joulie_error *err);
