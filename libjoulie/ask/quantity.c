/* SPDX-License-Identifier: Apache-2.0 */

/*
 * quantity: one Kubernetes quantity in all its forms (docs/rules/kubernetes-values.md#quantities).
 */
#include "kubernetes/quantity.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

static const struct jl_word format_words[] = {
    { JL_QUANTITY_DECIMAL_SI, "DecimalSI" },
    { JL_QUANTITY_BINARY_SI, "BinarySI" },
    { JL_QUANTITY_DECIMAL_EXPONENT, "DecimalExponent" },
};
static const struct jl_words formats = JL_WORDS(format_words);

#define RECORD quantity_input
#define MEMBERS STRING(text, "text", "Text of the quantity, at most 64 bytes.", REQUIRED)
#include "schema/record.h"

#define RECORD quantity_answer
#define MEMBERS                                                                       \
    STRING(text, "text", "The text as it was given.")                                 \
    STRING(canonical, "canonical", "Canonical form.")                                 \
    STRING(value, "value", "Exact value as a decimal.")                               \
    STRING(milli, "milli", "Value times 1000 as an integer, rounded away from zero.") \
    ENUM(format, "format", jl_quantity_format, formats, "Format that the canonical form keeps.")
#include "schema/record.h"

static int answer(struct jl_ask *ask, const void *in, void *out)
{
    const struct quantity_input *input = in;
    struct quantity_answer *result = out;
    struct jl_quantity quantity;
    char canonical[JL_QUANTITY_TEXT];
    char value[JL_QUANTITY_TEXT];
    char milli[JL_QUANTITY_TEXT];
    const int rc = jl_parse_quantity(input->text, strlen(input->text), &quantity);
    if (rc == JOULIE_E_RANGE)
        return jl_ask_fail(ask, rc, "text", "\"%.64s\" is beyond 2^63-1", input->text);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "\"%.64s\" is not a quantity", input->text);

    const size_t canonical_len = jl_format_quantity(&quantity, canonical);
    const size_t value_len = jl_quantity_decimal(&quantity, value);
    const size_t milli_len = jl_quantity_milli(&quantity, milli);
    JL_SET(result, text, input->text);
    JL_SET(result, canonical, jl_arena_copy(ask->arena, canonical, canonical_len));
    JL_SET(result, value, jl_arena_copy(ask->arena, value, value_len));
    JL_SET(result, milli, jl_arena_copy(ask->arena, milli, milli_len));
    JL_SET(result, format, quantity.format);
    if (result->canonical == NULL || result->value == NULL || result->milli == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

const struct jl_question jl_question_quantity = {
    .name = "quantity",
    .summary = "Read a Kubernetes quantity: canonical form, exact value, format",
    .in = &quantity_input_table,
    .out = &quantity_answer_table,
    .answer = answer,
};
