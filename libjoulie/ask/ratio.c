/* SPDX-License-Identifier: Apache-2.0 */
/* ratio: one ratio of a TensorFusion profile, as written and as its field means it
 * (tensor-fusion.md §4.2). */
#include "base/ratio.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"

struct ratio_input {
    uint64_t has;
    const char *text;
    enum jl_ratio_field field;
};

struct ratio_answer {
    uint64_t has;
    double value;
    bool percent;
    double effective;
    enum jl_ratio_unit unit;
};

enum { IN_TEXT, IN_FIELD };

enum { OUT_VALUE, OUT_PERCENT, OUT_EFFECTIVE, OUT_UNIT };

static const struct jl_row input_rows[] = {
    [IN_TEXT] = JL_STRING(ratio_input, text, "text", .flags = JL_REQUIRED,
                          .doc = "Text such as 20% or 0.2."),
    [IN_FIELD] = JL_ENUM(ratio_input, field, "field", &jl_ratio_field_words,
                         .doc = "Field of the profile that the ratio stands in."),
};
static const struct jl_table input_table = JL_TABLE(ratio_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_VALUE] =
        JL_NUMBER(ratio_answer, value, "value", .doc = "Number, divided by 100 when it has a %."),
    [OUT_PERCENT] = JL_BOOLEAN(ratio_answer, percent, "percent", .doc = "Whether it has a %."),
    [OUT_EFFECTIVE] = JL_NUMBER(ratio_answer, effective, "effective",
                                .doc = "What the field makes of it; only with field."),
    [OUT_UNIT] = JL_ENUM(ratio_answer, unit, "unit", &jl_ratio_unit_words,
                         .doc = "Unit of effective; only with field."),
};
static const struct jl_table answer_table = JL_TABLE(ratio_answer, answer_rows);

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct ratio_input *input = in;
    struct ratio_answer *result = out;
    struct jl_ratio ratio;
    int rc = jl_parse_ratio(input->text, strlen(input->text), &ratio);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "not a ratio");
    JL_PUT(result, OUT_VALUE, value, ratio.value);
    JL_PUT(result, OUT_PERCENT, percent, ratio.is_percent);
    if (!JL_HAS(input, IN_FIELD))
        return 0;
    rc = jl_ratio_effective(input->field, &ratio, &result->effective, &result->unit);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "not valid for this field");
    JL_MARK(result, OUT_EFFECTIVE);
    JL_MARK(result, OUT_UNIT);
    return 0;
}

const struct jl_question jl_question_ratio = {
    .name = "ratio",
    .summary = "Read a ratio of a TensorFusion profile",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
