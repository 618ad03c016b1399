/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Objects for tests, from JSON text as they come from a cluster. */

#include <string.h>

#include "schema/decode.h"
#include "support/test.h"

static inline void read_object(struct jl_arena *arena, const struct jl_table *table,
                               const char *text, void *out)
{
    struct joulie_error err = { .struct_size = sizeof err };
    struct jl_decode decode = { .arena = arena, .text = text, .len = strlen(text), .err = &err };
    if (jl_decode_document(&decode, table, out) != 0)
        fail_msg("%s: %s", err.where, err.message);
}
