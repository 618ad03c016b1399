/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What exported functions of this room share: codes and errors of callers, texts that come in. No
 * rule is here. */

#include <joulie/cluster.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "schema/decode.h"
#include "schema/document.h"

/* JOULIE_E_RANGE at "now" for a time outside the years 0 to 9999. */
int jl_cluster_check_now(int64_t now_ms, struct joulie_error *err);

/* Of a text that the model keeps: UTF-8, as answers are JSON, and no longer than names are. NULL is
 * fine. */
int jl_cluster_check_text(const char *text, const char *where, struct joulie_error *err);

/* A JSON string. */
void jl_cluster_put_text(struct jl_buffer *out, const char *text);

/* A JSON or YAML text and what is decoded from it. Zero before, closed after use. */
struct cluster_document {
    struct jl_document source;
    struct jl_arena arena;
    struct jl_decode decode;
};

int jl_cluster_document_open(struct cluster_document *document, const char *text, size_t len,
                             uint32_t flags, struct joulie_error *err);
void jl_cluster_document_close(struct cluster_document *document);

/* The whole document, in memory of its arena; NULL after a failure, with its code and err filled.
 */
void *jl_cluster_document_read(struct cluster_document *document, const struct jl_table *table,
                               int *out_code);
