/* SPDX-License-Identifier: Apache-2.0 */

/* validate: whether an object is what its kind's table asks for (cli.md §3). */

#include "ask/ask.h"
#include "base/error.h"
#include "base/limits.h"
#include "kinds/kinds.h"
#include "schema/list_keys.h"

/* What tells the kind of any document. */
struct head {
    uint64_t has;
    const char *api_version;
    const char *kind;
};

enum { HEAD_API_VERSION, HEAD_KIND };

static const struct jl_row head_rows[] = {
    [HEAD_API_VERSION] = JL_STRING(head, api_version, "apiVersion", .flags = JL_REQUIRED,
                                   .doc = "Version of the schema of the object."),
    [HEAD_KIND] = JL_STRING(head, kind, "kind", .flags = JL_REQUIRED, .doc = "Kind of the object."),
};
static const struct jl_table head_table = JL_TABLE(head, head_rows, .flags = JL_OPEN);

struct validate_out { /* the answer is {} */
    uint64_t has;
};

static const struct jl_table out_table = { .name = "validate_out",
                                           .size = sizeof(struct validate_out) };

static bool is_known_kind(const char *kind)
{
    for (size_t i = 0; i < jl_kind_count; i++) {
        if (jl_same(jl_kinds[i]->kind->kind, kind))
            return true;
    }
    return false;
}

/* Decoded objects are bounded by their text, as those of every question are. */
static void bound_memory(struct jl_ask *ask, const struct jl_table *table)
{
    ask->arena->limit = ask->arena->used + table->size +
                        ask->decode->len * JL_LIMIT_DECODED_FACTOR + JL_LIMIT_DECODED_EXTRA;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    struct jl_decode *decode = ask->decode;
    struct head head;
    (void)in;
    (void)out;
    if (decode->len > JL_LIMIT_OBJECT_BYTES)
        return jl_ask_fail(ask, JOULIE_E_LIMIT, "", "the object is larger than 16 MiB");

    bound_memory(ask, &head_table);
    int rc = jl_decode_document(decode, &head_table, &head);
    if (rc < 0)
        return rc;
    const struct jl_table *table = jl_kind_find(head.api_version, head.kind);
    if (!table && is_known_kind(head.kind))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "apiVersion",
                           "this build has no %.64s of version %.64s", head.kind, head.api_version);
    if (!table)
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "this build has no kind %.64s",
                           head.kind);

    bound_memory(ask, table);
    void *object = jl_arena_alloc(ask->arena, table->size);
    if (!object)
        return jl_fail_memory(ask->err);
    rc = jl_decode_document(decode, table, object);
    if (rc < 0)
        return rc;
    ask->arena->limit = 0; /* the keys of lists are not decoded text */
    return jl_check_list_keys(decode, table, object);
}

const struct jl_question jl_question_validate = {
    .name = "validate",
    .summary = "check an object against the schema of its kind",
    .out = &out_table,
    .flags = JL_TAKES_TEXT,
    .answer = answer,
};
