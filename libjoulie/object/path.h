/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The path of a member as text, and where it leads by the table of a kind. */

#include <joulie/error.h>

#include "base/limits.h"
#include "schema/row.h"

enum jl_location_kind {
    JL_LOCATION_ROOT,
    JL_LOCATION_MEMBER, /* of an object: the value of the row */
    JL_LOCATION_ITEM,   /* an object in the list of the row */
    JL_LOCATION_VALUE,  /* a scalar in the list or map of the row */
    JL_LOCATION_FREE,   /* no row for what is there */
};

/* What can stand at a location; bits. */
enum jl_location_type {
    JL_HOLDS_NUMBER = 1 << 0,
    JL_HOLDS_INTEGER = 1 << 1,
    JL_HOLDS_TEXT = 1 << 2,
    JL_HOLDS_BOOL = 1 << 3,
    JL_HOLDS_LIST = 1 << 4,
    JL_HOLDS_OBJECT = 1 << 5,
    JL_HOLDS_ANYTHING = (1 << 6) - 1,
};

struct jl_step {
    const char *key; /* of a member, in bytes of the location; NULL = an item */
    size_t index;
    size_t end; /* of the step in the path */
};

struct jl_location {
    const char *path; /* borrowed */
    enum jl_location_kind kind;
    const struct jl_row *row; /* NULL: ROOT, FREE */
    size_t count;
    struct jl_step steps[JL_LIMIT_NESTING];
    char keys[JL_LIMIT_PATH_BYTES + JL_LIMIT_NESTING]; /* each with its NUL */
};

/*
 * Follows a path from the table of a kind. takes_foreign: a member that the table does not have is
 * FREE. 0, JOULIE_E_PARSE, JOULIE_E_UNKNOWN_MEMBER or JOULIE_E_LIMIT.
 */
int jl_location_find(const struct jl_table *table, const char *path, bool takes_foreign,
                     struct jl_location *out, struct joulie_error *err);

/* jl_location_type bits of what the table has there. */
unsigned jl_location_holds(const struct jl_location *location);

/* Whether it is the apiVersion or the kind of the object, which stay. */
bool jl_location_is_fixed(const struct jl_location *location);

/* Reports a problem at the first steps of a path. */
int jl_location_fail(const struct jl_location *location, size_t steps, struct joulie_error *err,
                     int code, const char *message);
