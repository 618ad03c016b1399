/* SPDX-License-Identifier: Apache-2.0 */

/* What is desired of a machine: the NodeTwin, or its spec alone, and whether it is still believed
 * (docs/rules/node-agent.md#staleness). */

#include "base/time.h"
#include "enforce/host.h"
#include "kinds/kinds.h"
#include "schema/decode.h"
#include "schema/document.h"

/* A whole NodeTwin says what it is; else the text is its spec. */
static int decode_twin(struct joulie_host *host, struct jl_decode *decode, struct jl_arena *arena,
                       const struct jl_twin_spec **out_spec, const char **out_updated)
{
    struct jl_raw kind = { 0 };
    int rc = jl_decode_member(decode, "kind", &kind);
    if (rc < 0)
        return rc;
    decode->flags = host->has_backed_twin ? 0 : JL_LENIENT;
    const bool is_whole = kind.text != NULL;
    const struct jl_table *table = is_whole ? &jl_node_twin_table : &jl_twin_spec_table;
    void *object = jl_arena_alloc(arena, table->size);
    if (object == NULL)
        return jl_fail_memory(decode->err);
    rc = jl_decode_document(decode, table, object);
    if (rc < 0)
        return rc;
    if (!is_whole) {
        *out_spec = object;
        return 0;
    }
    const struct jl_node_twin *twin = object;
    if (!JL_HAS(twin, JL_ROOT_SPEC))
        return jl_fail(decode->err, JOULIE_E_REQUIRED, "spec",
                       "the twin does not say what it desires");
    *out_spec = &twin->spec;
    *out_updated = twin->status.last_updated;
    return 0;
}

/* The new document is read into an arena of its own and takes effect as a whole. The one that the
 * last tick decided on is kept until the next tick, because reports of that tick rest on it. */
int joulie_host_put_twin(struct joulie_host *host, const char *text, size_t len,
                         struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_twin_spec *spec = NULL;
    const char *updated = NULL;
    if (text != NULL) {
        JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
        int rc = jl_document_read(&document, text, len, err);
        struct jl_decode decode = jl_document_decode(&document, &arena, err);
        decode.flags = JL_LENIENT;
        if (rc == 0)
            rc = decode_twin(host, &decode, &arena, &spec, &updated);
        if (rc < 0)
            return rc;
    }
    const bool is_of_tick = host->input.spec != NULL && host->input.spec == host->spec;
    if (is_of_tick) { /* the report needs it until the next tick */
        jl_arena_clear(&host->old_twin_memory);
        host->old_twin_memory = host->twin_memory;
    } else {
        jl_arena_clear(&host->twin_memory);
    }
    host->twin_memory = arena;
    arena = (struct jl_arena){ 0 };
    host->spec = spec;
    host->last_updated = updated;
    host->has_twin_word = true;
    host->is_unread = false;
    return 0;
}

void joulie_host_set_twin_unread(struct joulie_host *host, int32_t is_unread)
{
    host->is_unread = is_unread != 0;
}

void joulie_host_heartbeat(struct joulie_host *host, int64_t at_ms)
{
    if (!jl_is_instant(at_ms))
        return;
    host->config.freshness.has_heartbeat = true;
    host->config.freshness.heartbeat_ms = at_ms;
}
