/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * JSON of any shape as a json-c tree, for the tools that must keep members no table knows (diff,
 * patch, convert). Our own reader fills it and our own writer prints it: json-c prints doubles with
 * 17 digits, takes NaN and saturates large integers.
 */

#include <json-c/json.h>

#include "base/buffer.h"
#include "schema/decode.h"

/*
 * The tree of a value kept as raw inside decode->text; *out NULL = null. To be released with
 * json_object_put(). 0, JOULIE_E_PARSE (a member given twice, unless JL_LENIENT: then the last one
 * wins; \u0000), JOULIE_E_RANGE, JOULIE_E_LIMIT (an object above 16 MiB, or a tree that takes far
 * more memory than its text) or JOULIE_E_NOMEM.
 */
int jl_tree_from_raw(struct jl_decode *decode, const struct jl_raw *raw, const struct jl_path *at,
                     struct json_object **out);

/* Members in their order, shortest numbers (with JL_KEEP_DIGITS: as they were read), integers of 64
 * bits with every digit. */
void jl_tree_put(struct jl_buffer *out, struct json_object *tree);

/* The same as text in the arena. 0 or JOULIE_E_NOMEM. */
int jl_tree_print(struct json_object *tree, struct jl_arena *arena, struct jl_raw *out);

/* Equal values: 60 is 60.0, the order of members does not matter, a null member is not an absent
 * one. */
bool jl_tree_equal(struct json_object *a, struct json_object *b);

/* Gives a value to an object. 0, or JOULIE_E_NOMEM: the value is still the caller's. */
int jl_tree_add(struct json_object *object, const char *key, struct json_object *value);

/* Releases a tree that a local variable holds: JL_CLEANUP(jl_tree_clear) struct json_object *tree =
 * NULL. */
void jl_tree_clear(struct json_object **tree);
