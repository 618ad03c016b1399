/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A growing byte buffer. A failed append is remembered: check once, at the end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct jl_buffer {
    char *data; /* NUL-terminated as soon as something was appended */
    size_t len;
    size_t capacity;
    bool is_failed; /* an append ran out of memory; the content is then incomplete */
    bool
        is_fixed; /* data is the caller's memory of capacity bytes: it is neither grown nor freed */
};

void jl_buffer_clear(struct jl_buffer *buffer);
void jl_buffer_reset(struct jl_buffer *buffer); /* length 0, keeps the memory */
/* Where the next `more` bytes go, or NULL after a failure; the caller writes them and a NUL behind
 * them, and adds to len. */
char *jl_buffer_room(struct jl_buffer *buffer, size_t more);
void jl_put(struct jl_buffer *buffer, const char *bytes, size_t len);
void jl_put_char(struct jl_buffer *buffer, char c);
void jl_put_string(struct jl_buffer *buffer, const char *text);
void jl_put_i64(struct jl_buffer *buffer, int64_t value);
void jl_put_u64(struct jl_buffer *buffer, uint64_t value);
void jl_put_double(struct jl_buffer *buffer, double value); /* jl_format_double; not finite: null */
/* With quotes and escapes. */
void jl_put_json_string(struct jl_buffer *buffer, const char *text, size_t len);
/* The same bytes, also where there are none. */
bool jl_buffer_is_same(const struct jl_buffer *a, const struct jl_buffer *b);
/* What was put, to be freed with joulie_free(); NULL after a failure. */
char *jl_buffer_take(struct jl_buffer *buffer);
int jl_buffer_code(const struct jl_buffer *buffer); /* 0 or JOULIE_E_NOMEM */
