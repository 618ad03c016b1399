/* SPDX-License-Identifier: Apache-2.0 */

/* validate: whether an object is what its kind's table asks for (docs/rules/objects.md). */

#include <stdio.h>

#include "ask/ask.h"
#include "base/limits.h"
#include "object/object.h"

/* What tells the kind of any document. */

#define RECORD head
#define MEMBERS                                                                         \
    STRING(api_version, "apiVersion", "Version of the schema of the object.", REQUIRED) \
    STRING(kind, "kind", "Kind of the object.", REQUIRED)
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

struct validate_out { /* the answer is {} */
    uint64_t has;
};

static const struct jl_table out_table = { .name = "validate_out",
                                           .size = sizeof(struct validate_out) };

/* Passed on as "Word: text", as the other questions do. */
static void tell(void *user, const char *reason, const char *where, const char *message)
{
    const struct jl_ask *ask = user;
    char text[256];
    snprintf(text, sizeof text, "%s: %s", reason, message);
    ask->on_warning(ask->user, where, text);
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    struct jl_decode *decode = ask->decode;
    struct head head;
    (void)in;
    (void)out;
    if (decode->len > JL_LIMIT_OBJECT_BYTES)
        return jl_ask_fail(ask, JOULIE_E_LIMIT, "", "the object is larger than 16 MiB");

    const struct jl_table *table = NULL;
    jl_document_bound(decode, &head_table);
    int rc = jl_decode_document(decode, &head_table, &head);
    if (rc == 0)
        rc = jl_kind_of(head.api_version, head.kind, &table, ask->err);
    if (rc < 0)
        return rc;

    if (ask->on_warning)
        decode->on_warning = tell;
    decode->warning_user = ask;
    return jl_document_check(decode, table);
}

const struct jl_question jl_question_validate = {
    .name = "validate",
    .summary = "check an object against the schema of its kind",
    .out = &out_table,
    .flags = JL_TAKES_TEXT,
    .answer = answer,
};
