/* SPDX-License-Identifier: Apache-2.0 */

/*
 * name.valid: whether a text may stand where Kubernetes wants a name
 * (docs/rules/kubernetes-values.md#names).
 */

#include "ask/ask.h"
#include "kubernetes/names.h"

enum name_kind {
    KIND_UNKNOWN,
    KIND_LABEL_VALUE,
    KIND_LABEL_KEY,
    KIND_ANNOTATION_KEY,
    KIND_SUBDOMAIN,
    KIND_LABEL,
};

static const struct jl_word kind_items[] = {
    { KIND_LABEL_VALUE, "labelValue" },
    { KIND_LABEL_KEY, "labelKey" },
    { KIND_ANNOTATION_KEY, "annotationKey" },
    { KIND_SUBDOMAIN, "subdomain" },
    { KIND_LABEL, "label" },
};
static const struct jl_words kind_words = JL_WORDS(kind_items);

#define RECORD name_valid_in
#define MEMBERS                                                                           \
    ENUM(kind, "kind", name_kind, kind_words,                                             \
         "What the text is to be; label: a namespace, subdomain: the name of an object.", \
         REQUIRED)                                                                        \
    STRING(text, "text", "The text.", REQUIRED)
#include "schema/record.h"

#define RECORD name_valid_out
#define MEMBERS BOOLEAN(valid, "valid", "Whether it may stand there.")
#include "schema/record.h"

static bool is_valid(enum name_kind kind, struct jl_text text)
{
    switch (kind) {
    case KIND_LABEL_VALUE:
        return jl_is_label_value(text);
    case KIND_LABEL_KEY:
        return jl_is_label_key(text);
    case KIND_ANNOTATION_KEY:
        return jl_is_annotation_key(text);
    case KIND_SUBDOMAIN:
        return jl_is_dns_subdomain(text);
    case KIND_LABEL:
        return jl_is_dns_label(text);
    case KIND_UNKNOWN:
        break;
    }
    return false;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct name_valid_in *in = input;
    struct name_valid_out *out = output;
    (void)ask;
    JL_SET(out, valid, is_valid(in->kind, jl_text(in->text)));
    return 0;
}

const struct jl_question jl_question_name_valid = {
    .name = "name.valid",
    .summary = "whether a text is a valid name, label or key",
    .in = &name_valid_in_table,
    .out = &name_valid_out_table,
    .answer = answer,
};
