/* SPDX-License-Identifier: Apache-2.0 */

/* name.valid: whether a text may stand where Kubernetes wants a name (kubernetes.md §9.1). */

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

struct name_valid_in {
    uint64_t has;
    enum name_kind kind;
    const char *text;
};

enum { IN_KIND, IN_TEXT };

static const struct jl_row in_rows[] = {
    [IN_KIND] = JL_ENUM(name_valid_in, kind, "kind", &kind_words, .flags = JL_REQUIRED,
                        .doc = "What the text is to be; label: a namespace, subdomain: the name "
                               "of an object."),
    [IN_TEXT] = JL_STRING(name_valid_in, text, "text", .flags = JL_REQUIRED, .doc = "The text."),
};
static const struct jl_table in_table = JL_TABLE(name_valid_in, in_rows);

struct name_valid_out {
    uint64_t has;
    bool valid;
};

enum { OUT_VALID };

static const struct jl_row out_rows[] = {
    [OUT_VALID] = JL_BOOLEAN(name_valid_out, valid, "valid", .doc = "Whether it may stand there."),
};
static const struct jl_table out_table = JL_TABLE(name_valid_out, out_rows);

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
    JL_PUT(out, OUT_VALID, valid, is_valid(in->kind, jl_text(in->text)));
    return 0;
}

const struct jl_question jl_question_name_valid = {
    .name = "name.valid",
    .summary = "whether a text is a valid name, label or key",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
