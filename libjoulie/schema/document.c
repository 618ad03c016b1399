/* SPDX-License-Identifier: Apache-2.0 */

/* A document of a question: JSON as it is, YAML turned into JSON (docs/rules/documents.md#yaml). */

#include "schema/document.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "schema/yaml_to_json.h"

size_t jl_byte_order_mark(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

int jl_document_read(struct jl_document *document, const char *text, size_t len,
                     struct joulie_error *err)
{
    *document = (struct jl_document){ .text = "" };
    if (len > JL_LIMIT_DOCUMENT_BYTES)
        return jl_fail(err, JOULIE_E_LIMIT, "", "the document is larger than 1 GiB");
    if (text != NULL) {
        const size_t mark = jl_byte_order_mark(text, len);
        document->text = text + mark;
        document->len = len - mark;
    }
    if (jl_looks_like_json(document->text, document->len))
        return 0;
    const int rc =
        jl_yaml_to_json(document->text, document->len, &document->json, &document->marks, err);
    document->text = document->json.data;
    document->len = document->json.len;
    document->lines = &document->marks;
    return rc;
}

void jl_document_clear(struct jl_document *document)
{
    jl_buffer_clear(&document->json);
    jl_line_map_clear(&document->marks);
}

struct jl_decode jl_document_decode(const struct jl_document *document, struct jl_arena *arena,
                                    struct joulie_error *err)
{
    return (struct jl_decode){ .arena = arena,
                               .text = document->text,
                               .len = document->len,
                               .lines = document->lines,
                               .err = err };
}

int jl_document_record(const char *text, size_t len, uint32_t flags, const struct jl_table *table,
                       struct jl_arena *arena, void *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    const int rc = jl_document_read(&document, text, len, err);
    struct jl_decode decode = jl_document_decode(&document, arena, err);
    decode.flags = flags;
    return rc < 0 ? rc : jl_decode_document(&decode, table, out);
}
