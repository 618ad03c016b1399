/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Small texts of Kubernetes documents: quantities, times, durations, ratios, names and selectors
 * (docs/rules/kubernetes-values.md).
 */

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/error.h"
#include "base/time.h"
#include "kubernetes/names.h"
#include "kubernetes/quantity.h"
#include "kubernetes/selector.h"
#include "tensor_fusion/ratio.h"

/*
 * quantity: one Kubernetes quantity in all its forms (docs/rules/kubernetes-values.md#quantities).
 */

static const struct jl_words formats = JL_WORDS({
    { JL_QUANTITY_DECIMAL_SI, "DecimalSI" },
    { JL_QUANTITY_BINARY_SI, "BinarySI" },
    { JL_QUANTITY_DECIMAL_EXPONENT, "DecimalExponent" },
});

#define RECORD quantity_in
#define MEMBERS STRING(text, "text", "Text of the quantity, at most 64 bytes.", REQUIRED)
#include "schema/record.h"

#define RECORD quantity_out
#define MEMBERS                                                                       \
    STRING(text, "text", "The text as it was given.")                                 \
    STRING(canonical, "canonical", "Canonical form.")                                 \
    STRING(value, "value", "Exact value as a decimal.")                               \
    STRING(milli, "milli", "Value times 1000 as an integer, rounded away from zero.") \
    ENUM(format, "format", jl_quantity_format, formats, "Format that the canonical form keeps.")
#include "schema/record.h"

static int answer_quantity(struct jl_ask *ask, const struct quantity_in *input,
                           struct quantity_out *result)
{
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

JL_QUESTION(quantity, "quantity",
            "Read a Kubernetes quantity: canonical form, exact value, format");

/* time: Kubernetes' Time and MicroTime (docs/rules/kubernetes-values.md#times). */

enum format {
    FORMAT_UNKNOWN,
    FORMAT_TIME,
    FORMAT_MICRO_TIME,
};

static const struct jl_words formats_time = JL_WORDS({
    { FORMAT_TIME, "time" },
    { FORMAT_MICRO_TIME, "microtime" },
});

#define RECORD time_in
#define MEMBERS                                      \
    STRING(text, "text", "RFC 3339 text.", REQUIRED) \
    ENUM(format, "format", format, formats_time,     \
         "time drops the fraction; microtime has exactly six fraction digits.", REQUIRED)
#include "schema/record.h"

#define RECORD time_out
#define MEMBERS STRING(text, "text", "Canonical text, in UTC.")
#include "schema/record.h"

/* Length of the canonical text, or a negative code. */
static int canonical(const struct time_in *input, char out[JL_TIME_TEXT])
{
    const size_t len = strlen(input->text);
    int64_t when = 0;
    int rc = 0;
    if (input->format == FORMAT_MICRO_TIME) {
        rc = jl_parse_micro_time(input->text, len, &when);
        return rc < 0 ? rc : (int)jl_format_time_us(when, out);
    }
    rc = jl_parse_time(input->text, len, &when);
    return rc < 0 ? rc : (int)jl_format_time(when, out);
}

static int answer_time(struct jl_ask *ask, const struct time_in *in, struct time_out *result)
{
    char text[JL_TIME_TEXT];
    const int len = canonical(in, text);
    if (len < 0)
        return jl_ask_fail(ask, len, "text", "not a time of this format");
    JL_SET(result, text, jl_arena_copy(ask->arena, text, (size_t)len));
    return result->text != NULL ? 0 : jl_fail_memory(ask->err);
}

JL_QUESTION(time, "time", "Read a time of a Kubernetes object: canonical text in UTC");

/*
 * duration: Go's durations and those of TensorFusion profiles
 * (docs/rules/kubernetes-values.md#durations).
 */

enum grammar {
    GRAMMAR_UNKNOWN,
    GRAMMAR_GO,
    GRAMMAR_PROFILE,
};

static const struct jl_words grammars = JL_WORDS({
    { GRAMMAR_GO, "go" },
    { GRAMMAR_PROFILE, "profile" },
});

#define RECORD duration_in
#define MEMBERS                                           \
    STRING(text, "text", "Text such as 1m30s.", REQUIRED) \
    ENUM(grammar, "grammar", grammar, grammars, "Which texts are durations.", REQUIRED)
#include "schema/record.h"

#define RECORD duration_out
#define MEMBERS                                              \
    INTEGER(ns, "ns", "Duration in nanoseconds.", AS_STRING) \
    STRING(text, "text", "Canonical text; only with go.")
#include "schema/record.h"

static int answer_duration(struct jl_ask *ask, const struct duration_in *input,
                           struct duration_out *result)
{
    const size_t len = strlen(input->text);
    const bool is_go = input->grammar == GRAMMAR_GO;
    char text[JL_TIME_TEXT];
    int64_t ns = 0;
    const int rc = is_go ? jl_parse_duration(input->text, len, &ns)
                         : jl_parse_profile_duration(input->text, len, &ns);
    if (rc == JOULIE_E_RANGE)
        return jl_ask_fail(ask, rc, "text", "the duration is beyond 2^63-1 ns");
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text", "not a duration");
    JL_SET(result, ns, ns);
    if (!is_go) /* a profile's durations have no canonical text */
        return 0;
    JL_SET(result, text, jl_arena_copy(ask->arena, text, jl_format_duration(ns, text)));
    return result->text != NULL ? 0 : jl_fail_memory(ask->err);
}

JL_QUESTION(duration, "duration", "Read a duration: nanoseconds and canonical text");

/* ratio: one ratio of a TensorFusion profile, as written and as its field means it
 * (docs/rules/tensor-fusion.md#ratios). */

#define RECORD ratio_in
#define MEMBERS                                                \
    STRING(text, "text", "Text such as 20% or 0.2.", REQUIRED) \
    ENUM(field, "field", jl_ratio_field, jl_ratio_field_words, \
         "Field of the profile that the ratio stands in.")
#include "schema/record.h"

#define RECORD ratio_out
#define MEMBERS                                                                    \
    NUMBER(value, "value", "Number, divided by 100 when it has a %.")              \
    BOOLEAN(percent, "percent", "Whether it has a %.")                             \
    NUMBER(effective, "effective", "What the field makes of it; only with field.") \
    ENUM(unit, "unit", jl_ratio_unit, jl_ratio_unit_words, "Unit of effective; only with field.")
#include "schema/record.h"

static int answer_ratio(struct jl_ask *ask, const struct ratio_in *input, struct ratio_out *result)
{
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

JL_QUESTION(ratio, "ratio", "Read a ratio of a TensorFusion profile");

/*
 * name.valid: whether a text may stand where Kubernetes wants a name
 * (docs/rules/kubernetes-values.md#names).
 */

enum name_kind {
    KIND_UNKNOWN,
    KIND_LABEL_VALUE,
    KIND_LABEL_KEY,
    KIND_ANNOTATION_KEY,
    KIND_SUBDOMAIN,
    KIND_LABEL,
};

static const struct jl_words kind_words = JL_WORDS({
    { KIND_LABEL_VALUE, "labelValue" },
    { KIND_LABEL_KEY, "labelKey" },
    { KIND_ANNOTATION_KEY, "annotationKey" },
    { KIND_SUBDOMAIN, "subdomain" },
    { KIND_LABEL, "label" },
});

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

static int answer_name_valid(struct jl_ask *ask, const struct name_valid_in *in,
                             struct name_valid_out *out)
{
    (void)ask;
    JL_SET(out, valid, is_valid(in->kind, jl_text(in->text)));
    return 0;
}

JL_QUESTION(name_valid, "name.valid", "whether a text is a valid name, label or key");

/*
 * selector.match: does an object match a label or field selector
 * (docs/rules/kubernetes-values.md#label-selectors).
 */

#define RECORD selector_match_in
#define MEMBERS                                                                             \
    STRING(selector, "selector", "Label selector; empty matches all.")                      \
    MAP(labels, "labels", "Labels of the object.")                                          \
    STRING(field_selector, "fieldSelector", "Field selector, instead of a label selector.") \
    MAP(fields, "fields", "Path to value of the object's fields.")                          \
    STRING(kind, "kind", "Kind of the object; tells which fields select.")
#include "schema/record.h"

#define RECORD selector_match_out
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

static int match_labels(struct jl_ask *ask, const struct selector_match_in *input, bool *out)
{
    const struct jl_selector *selector = NULL;
    const int rc =
        jl_parse_selector(ask->arena, input->selector, strlen(input->selector), &selector);
    if (rc < 0)
        return fail(ask, rc, "selector");
    *out = jl_selector_matches(selector, &input->labels);
    return 0;
}

static int match_fields(struct jl_ask *ask, const struct selector_match_in *input, bool *out)
{
    const struct jl_field_selector *selector = NULL;
    const char *text = input->field_selector;
    const int rc = jl_parse_field_selector(ask->arena, input->kind, text, strlen(text), &selector);
    if (rc < 0)
        return fail(ask, rc, "fieldSelector");
    *out = jl_field_selector_matches(selector, &input->fields);
    return 0;
}

static int answer_selector_match(struct jl_ask *ask, const struct selector_match_in *input,
                                 struct selector_match_out *result)
{
    if (input->selector != NULL && input->field_selector != NULL)
        return jl_ask_fail(ask, JOULIE_E_CONFLICT, "fieldSelector", "one question, one selector");
    if (input->selector == NULL && input->field_selector == NULL)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "selector", "a selector is missing");
    result->given.match = true;
    if (input->selector != NULL)
        return match_labels(ask, input, &result->match);
    return match_fields(ask, input, &result->match);
}

JL_QUESTION(selector_match, "selector.match",
            "Tell whether an object matches a label or field selector");
