/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an object was before its conversion, in its annotation. Rules:
 * docs/rules/conversion.md#annotation. */

#include "tensor_fusion/convert_parts.h"

#define JL_STORE_PATH "metadata.annotations." JL_CONVERT_ANNOTATION

enum jl_store_state {
    JL_STORE_NONE,
    JL_STORE_BROKEN, /* the annotation cannot be read */
    JL_STORE_READ,
};

struct jl_store {
    enum jl_store_state state;
    enum jl_dialect dialect; /* A, B or C */
    struct json_object *tree;
};

/* Of an object's metadata; tree is to be released. */
void jl_store_read(struct jl_conversion *c, struct json_object *object, struct jl_store *out);

/* The spec as it was: the one at hand with the stored members. NULL after a failure. */
struct json_object *jl_store_restore(struct jl_conversion *c, const struct jl_store *store,
                                     struct json_object *spec);

/* Whether a field that the stored dialect has not, and that is not empty, came later. */
bool jl_store_has_later(const struct jl_store *store, struct json_object *present);
/* Takes away what came later and is empty; changes restored. */
void jl_store_drop_defaults(const struct jl_store *store, struct json_object *restored);
/* The same of the percents in resources: a zero goes, another one becomes TFLOPS. */
void jl_store_settle_percents(struct jl_conversion *c, const struct jl_store *store,
                              struct json_object *restored, enum jl_dialect to);

/* The text that brings back source out of result. NULL after a failure. */
const char *jl_store_text(struct jl_conversion *c, enum jl_dialect dialect,
                          struct json_object *source, struct json_object *result);

/* The object with another spec (NULL = none) and another annotation (NULL = none). */
struct json_object *jl_store_put(struct jl_conversion *c, struct json_object *object,
                                 struct json_object *spec, const char *text);
