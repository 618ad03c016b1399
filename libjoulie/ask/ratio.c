/* SPDX-License-Identifier: Apache-2.0 */
/* ratio: one ratio of a TensorFusion profile, as written and as its field means it
 * (docs/rules/tensor-fusion.md#ratios). */
#include "base/ratio.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"

#define RECORD ratio_input
#define MEMBERS                                                \
    STRING(text, "text", "Text such as 20% or 0.2.", REQUIRED) \
    ENUM(field, "field", jl_ratio_field, jl_ratio_field_words, \
         "Field of the profile that the ratio stands in.")
#include "schema/record.h"

#define RECORD ratio_answer
#define MEMBERS                                                                    \
    NUMBER(value, "value", "Number, divided by 100 when it has a %.")              \
    BOOLEAN(percent, "percent", "Whether it has a %.")                             \
    NUMBER(effective, "effective", "What the field makes of it; only with field.") \
    ENUM(unit, "unit", jl_ratio_unit, jl_ratio_unit_words, "Unit of effective; only with field.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct ratio_input *input = in;
    struct ratio_answer *result = out;
    struct jl_ratio ratio;
    int rc = jl_parse_ratio(input->text, strlen(input->text), &ratio);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "not a ratio");
    JL_SET(result, value, ratio.value);
    JL_SET(result, percent, ratio.is_percent);
    if (!input->given.field)
        return 0;
    rc = jl_ratio_effective(input->field, &ratio, &result->effective, &result->unit);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "not valid for this field");
    result->given.effective = true;
    result->given.unit = true;
    return 0;
}

const struct jl_question jl_question_ratio = {
    .name = "ratio",
    .summary = "Read a ratio of a TensorFusion profile",
    .in = &ratio_input_table,
    .out = &ratio_answer_table,
    .answer = answer,
};
