/* SPDX-License-Identifier: Apache-2.0 */

/*
 * selector.match: does an object match a label or field selector
 * (docs/rules/kubernetes-values.md#label-selectors).
 */
#include "kubernetes/selector.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "kubernetes/field_selector.h"

#define RECORD selector_input
#define MEMBERS                                                                             \
    STRING(selector, "selector", "Label selector; empty matches all.")                      \
    MAP(labels, "labels", "Labels of the object.")                                          \
    STRING(field_selector, "fieldSelector", "Field selector, instead of a label selector.") \
    MAP(fields, "fields", "Path to value of the object's fields.")                          \
    STRING(kind, "kind", "Kind of the object; tells which fields select.")
#include "schema/record.h"

#define RECORD selector_answer
#define MEMBERS BOOLEAN(match, "match", "Whether the object matches.")
#include "schema/record.h"

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
    result->given.match = true;
    if (input->selector != NULL)
        return match_labels(ask, input, &result->match);
    return match_fields(ask, input, &result->match);
}

const struct jl_question jl_question_selector_match = {
    .name = "selector.match",
    .summary = "Tell whether an object matches a label or field selector",
    .in = &selector_input_table,
    .out = &selector_answer_table,
    .answer = answer,
};
