/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A document as it comes from a caller, JSON or YAML, found out by content. */

#include <joulie/error.h>

#include "base/buffer.h"
#include "schema/decode.h"
#include "schema/lines.h"

/* Its JSON: the caller's own bytes, or what the YAML became. Stays where it was read. */
struct jl_document {
    const char *text;
    size_t len;
    const struct jl_line_map *lines; /* for struct jl_decode; NULL for JSON */
    struct jl_buffer json;           /* the next two are of YAML only */
    struct jl_line_map marks;
};

/*
 * Reads a document; text NULL is an empty one, and a byte order mark is left out. JSON is not
 * looked at further than its first byte. 0, JOULIE_E_LIMIT for more than 1 GiB, or a code of
 * jl_yaml_to_json().
 */
int jl_document_read(struct jl_document *document, const char *text, size_t len,
                     struct joulie_error *err);
void jl_document_clear(struct jl_document *document);

/* What decodes it into an arena, without flags. */
struct jl_decode jl_document_decode(const struct jl_document *document, struct jl_arena *arena,
                                    struct joulie_error *err);

/* Reads a text that is one record of a table, into out, which is of the table's size; what it
 * points at is in the arena. Codes of jl_document_read() and jl_decode_document(). */
int jl_document_record(const char *text, size_t len, uint32_t flags, const struct jl_table *table,
                       struct jl_arena *arena, void *out, struct joulie_error *err);

/* Bytes of the byte order mark that the text begins with: 3 or 0. */
size_t jl_byte_order_mark(const char *text, size_t len);
