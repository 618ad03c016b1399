/* SPDX-License-Identifier: Apache-2.0 */
/* quantity: one Kubernetes quantity in all its forms (cli.md §2, kubernetes.md §10.1,
 * tensor-fusion.md §3). */
#include "kubernetes/quantity.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"

struct quantity_input {
    uint64_t has;
    const char *text;
};

struct quantity_answer {
    uint64_t has;
    const char *text;
    const char *canonical;
    const char *value;
    const char *milli;
    enum jl_quantity_format format;
};

enum { IN_TEXT };

enum { OUT_TEXT, OUT_CANONICAL, OUT_VALUE, OUT_MILLI, OUT_FORMAT };

static const struct jl_word format_words[] = {
    { JL_QUANTITY_DECIMAL_SI, "DecimalSI" },
    { JL_QUANTITY_BINARY_SI, "BinarySI" },
    { JL_QUANTITY_DECIMAL_EXPONENT, "DecimalExponent" },
};
static const struct jl_words formats = JL_WORDS(format_words);

static const struct jl_row input_rows[] = {
    [IN_TEXT] = JL_STRING(quantity_input, text, "text", .flags = JL_REQUIRED,
                          .doc = "Text of the quantity, at most 64 bytes."),
};
static const struct jl_table input_table = JL_TABLE(quantity_input, input_rows);

static const struct jl_row answer_rows[] = {
    [OUT_TEXT] = JL_STRING(quantity_answer, text, "text", .doc = "The text as it was given."),
    [OUT_CANONICAL] = JL_STRING(quantity_answer, canonical, "canonical", .doc = "Canonical form."),
    [OUT_VALUE] = JL_STRING(quantity_answer, value, "value", .doc = "Exact value as a decimal."),
    [OUT_MILLI] = JL_STRING(quantity_answer, milli, "milli",
                            .doc = "Value times 1000 as an integer, rounded away from zero."),
    [OUT_FORMAT] = JL_ENUM(quantity_answer, format, "format", &formats,
                           .doc = "Format that the canonical form keeps."),
};
static const struct jl_table answer_table = JL_TABLE(quantity_answer, answer_rows);

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
    JL_PUT(result, OUT_TEXT, text, input->text);
    JL_PUT(result, OUT_CANONICAL, canonical, jl_arena_copy(ask->arena, canonical, canonical_len));
    JL_PUT(result, OUT_VALUE, value, jl_arena_copy(ask->arena, value, value_len));
    JL_PUT(result, OUT_MILLI, milli, jl_arena_copy(ask->arena, milli, milli_len));
    JL_PUT(result, OUT_FORMAT, format, quantity.format);
    if (result->canonical == NULL || result->value == NULL || result->milli == NULL)
        return jl_fail_memory(ask->err);
    return 0;
}

const struct jl_question jl_question_quantity = {
    .name = "quantity",
    .summary = "Read a Kubernetes quantity: canonical form, exact value, format",
    .in = &input_table,
    .out = &answer_table,
    .answer = answer,
};
