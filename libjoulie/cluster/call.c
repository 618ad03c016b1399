/* SPDX-License-Identifier: Apache-2.0 */

/* Helpers of the exported functions of this room: errors of callers, checks of their arguments, and
 * documents that they hand over as text. */

#include "cluster/call.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "kinds/naming.h"

int jl_cluster_check_now(int64_t now_ms, struct joulie_error *err)
{
    return jl_is_instant(now_ms) ? 0
                                 : jl_fail(err, JOULIE_E_RANGE, "now", "no clock shows this time");
}

int jl_cluster_check_text(const char *text, const char *where, struct joulie_error *err)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    if (len > JL_NAME_MAX)
        return jl_fail(err, JOULIE_E_LIMIT, where, "longer than %d bytes", JL_NAME_MAX);
    return jl_check_text(text, where, err);
}

void jl_cluster_put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}

void jl_cluster_document_close(struct cluster_document *document)
{
    jl_document_clear(&document->source);
    jl_arena_clear(&document->arena);
}

int jl_cluster_document_open(struct cluster_document *document, const char *text, size_t len,
                             uint32_t flags, struct joulie_error *err)
{
    const int rc = jl_document_read(&document->source, text, len, err);
    document->decode = jl_document_decode(&document->source, &document->arena, err);
    document->decode.flags = flags;
    return rc;
}

void *jl_cluster_document_read(struct cluster_document *document, const struct jl_table *table,
                               int *out_code)
{
    void *object = jl_arena_alloc(&document->arena, table->size);
    if (object == NULL)
        *out_code = jl_fail_memory(document->decode.err);
    else
        *out_code = jl_decode_document(&document->decode, table, object);
    return *out_code == 0 ? object : NULL;
}
