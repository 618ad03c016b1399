/* SPDX-License-Identifier: Apache-2.0 */
/* selector.match: does an object match a label or field selector (kubernetes.md §4.1). */
#include "kubernetes/selector.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "kubernetes/field_selector.h"

struct selector_input {
    uint64_t has;
    const char *selector;
    struct jl_map labels;
    const char *field_selector;
    struct jl_map fields;
    const char *kind;
};

struct selector_answer {
    uint64_t has;
    bool match;
};

enum { IN_SELECTOR, IN_LABELS, IN_FIELD_SELECTOR, IN_FIELDS, IN_KIND };

enum { OUT_MATCH };

static const struct jl_row input_rows[] = {
    [IN_SELECTOR] = JL_STRING(selector_input, selector, "selector",
                              .doc = "Label selector; empty matches all."),
    [IN_LABELS] = JL_MAP(selector_input, labels, "labels", .doc = "Labels of the object."),
    [IN_FIELD_SELECTOR] = JL_STRING(selector_input, field_selector, "fieldSelector",
                                    .doc = "Field selector, instead of a label selector."),
    [IN_FIELDS] =
        JL_MAP(selector_input, fields, "fields", .doc = "Path to value of the object's fields."),
    [IN_KIND] = JL_STRING(selector_input, kind, "kind",
                          .doc = "Kind of the object; tells which fields select."),
};
static const struct jl_table input_table = JL_TABLE(selector_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_MATCH] = JL_BOOLEAN(selector_answer, match, "match", .doc = "Whether the object matches."),
};
static const struct jl_table answer_table = JL_TABLE(selector_answer, answer_rows);

static int fail(struct jl_ask *ask, int code, const char *where)
{
    if (code == JOULIE_E_PARSE)
        return jl_ask_fail(ask, code, where, "not a selector");
    if (code == JOULIE_E_UNSUPPORTED)
        return jl_ask_fail(ask, code, where,
                           "objects of this kind cannot be selected by this field");
    return jl_ask_fail(ask, code, "", "out of memory");
}

static int match_labels(struct jl_ask *ask, const struct selector_input *input, bool *out)
{
    const struct jl_selector *selector = NULL;
    const int rc =
        jl_parse_selector(ask->arena, input->selector, strlen(input->selector), &selector);
    if (rc < 0)
        return fail(ask, rc, "selector");
    *out = jl_selector_matches(selector, &input->labels);
    return 0;
}

static int match_fields(struct jl_ask *ask, const struct selector_input *input, bool *out)
{
    const struct jl_field_selector *selector = NULL;
    const char *text = input->field_selector;
    const int rc = jl_parse_field_selector(ask->arena, input->kind, text, strlen(text), &selector);
    if (rc < 0)
        return fail(ask, rc, "fieldSelector");
    *out = jl_field_selector_matches(selector, &input->fields);
    return 0;
}

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct selector_input *input = in;
    struct selector_answer *result = out;
    if (input->selector != NULL && input->field_selector != NULL)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "fieldSelector", "one question, one selector");
    if (input->selector == NULL && input->field_selector == NULL)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "selector", "a selector is missing");
    JL_MARK(result, OUT_MATCH);
    if (input->selector != NULL)
        return match_labels(ask, input, &result->match);
    return match_fields(ask, input, &result->match);
}

const struct jl_question jl_question_selector_match = {
    .name = "selector.match",
    .summary = "Tell whether an object matches a label or field selector",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
