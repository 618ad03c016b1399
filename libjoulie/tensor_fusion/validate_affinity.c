/* SPDX-License-Identifier: Apache-2.0 */

/*
 * spec.nodeAffinity: operators, numbers of values, weights, keys
 * (docs/rules/tensor-fusion.md#node-affinity); the CRD enforces none of this.
 */

#include "base/number.h"
#include "kubernetes/names.h"
#include "tensor_fusion/validate_parts.h"

#define REQUIREMENT(member) JL_INDEX(jl_affinity_requirement, member)
#define TERM(member) JL_INDEX(jl_affinity_term, member)
#define PREFERENCE(member) JL_INDEX(jl_affinity_preference, member)
#define LEAST_WEIGHT 1
#define MOST_WEIGHT 100

enum operator_word {
    OPERATOR_UNKNOWN,
    OPERATOR_IN,
    OPERATOR_NOT_IN,
    OPERATOR_EXISTS,
    OPERATOR_DOES_NOT_EXIST,
    OPERATOR_GT,
    OPERATOR_LT,
};

static const struct jl_words operator_words = JL_WORDS({
    { OPERATOR_IN, "In" },
    { OPERATOR_NOT_IN, "NotIn" },
    { OPERATOR_EXISTS, "Exists" },
    { OPERATOR_DOES_NOT_EXIST, "DoesNotExist" },
    { OPERATOR_GT, "Gt" },
    { OPERATOR_LT, "Lt" },
});

static const struct jl_affinity_requirement *requirement_of(const struct jl_fusion_place *place)
{
    return place->object;
}

static int fail_value(struct jl_decode *decode, const struct jl_fusion_place *place, size_t i,
                      const char *expected)
{
    const struct jl_path values = { .up = &place->at,
                                    .key = jl_text(place->table->rows[REQUIREMENT(values)].key) };
    const struct jl_path item = { .up = &values, .index = i };
    return jl_decode_fail(decode, JOULIE_E_PARSE, &item, SIZE_MAX, "\"%.64s\" is not %s",
                          JL_STRING_ITEM(requirement_of(place)->values, i), expected);
}

/* Gt and Lt compare with the one integer in values. */
static int check_integer(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_text text = jl_text(JL_STRING_ITEM(requirement_of(place)->values, 0));
    int64_t integer;
    if (jl_parse_i64(text.ptr, text.len, &integer) == 0)
        return 0;
    return fail_value(decode, place, 0, "an integer");
}

/* The scheduler refuses a requirement with a value that no label can have. */
static int check_label_values(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_affinity_requirement *requirement = requirement_of(place);
    for (size_t i = 0; i < requirement->values.count; i++) {
        if (!jl_is_label_value(jl_text(JL_STRING_ITEM(requirement->values, i))))
            return fail_value(decode, place, i, "the value of a label");
    }
    return 0;
}

/* At least one value, or, with is_one, exactly one. */
static int check_some_values(struct jl_decode *decode, const struct jl_fusion_place *place,
                             bool is_one)
{
    const struct jl_affinity_requirement *requirement = requirement_of(place);
    if (!jl_fusion_has(place, REQUIREMENT(values)))
        return jl_fusion_fail(decode, place, REQUIREMENT(values), JOULIE_E_REQUIRED,
                              "%.64s needs a value", requirement->op);
    if (requirement->values.count == 0 || (is_one && requirement->values.count > 1))
        return jl_fusion_fail(decode, place, REQUIREMENT(values), JOULIE_E_RANGE,
                              "%.64s needs %s one value, these are %zu", requirement->op,
                              is_one ? "exactly" : "at least", requirement->values.count);
    return 0;
}

static int check_no_values(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_affinity_requirement *requirement = requirement_of(place);
    if (requirement->values.count == 0)
        return 0;
    return jl_fusion_fail(decode, place, REQUIREMENT(values), JOULIE_E_RANGE,
                          "%.64s takes no value", requirement->op);
}

static int check_expression(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_affinity_requirement *requirement = requirement_of(place);
    int rc;
    if (!jl_is_label_key(jl_text(requirement->key)))
        return jl_fusion_fail(decode, place, REQUIREMENT(key), JOULIE_E_PARSE,
                              "\"%.64s\" is not the key of a label", requirement->key);
    switch ((enum operator_word)jl_word_value(&operator_words, jl_text(requirement->op))) {
    case OPERATOR_IN:
    case OPERATOR_NOT_IN:
        rc = check_some_values(decode, place, false);
        return rc == 0 ? check_label_values(decode, place) : rc;
    case OPERATOR_EXISTS:
    case OPERATOR_DOES_NOT_EXIST:
        return check_no_values(decode, place);
    case OPERATOR_GT:
    case OPERATOR_LT:
        rc = check_some_values(decode, place, true);
        if (rc == 0)
            rc = check_integer(decode, place);
        return rc == 0 ? check_label_values(decode, place) : rc;
    case OPERATOR_UNKNOWN:
        break;
    }
    return jl_fusion_fail(decode, place, REQUIREMENT(op), JOULIE_E_ENUM,
                          "\"%.64s\" is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt",
                          requirement->op);
}

/* Of a node's fields only its name can be asked for. */
static int check_field(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_affinity_requirement *requirement = requirement_of(place);
    if (!jl_same(requirement->key, "metadata.name"))
        return jl_fusion_fail(decode, place, REQUIREMENT(key), JOULIE_E_ENUM,
                              "\"%.64s\" is not metadata.name", requirement->key);
    if (!jl_same(requirement->op, "In") && !jl_same(requirement->op, "NotIn"))
        return jl_fusion_fail(decode, place, REQUIREMENT(op), JOULIE_E_ENUM,
                              "\"%.64s\" is not one of In, NotIn", requirement->op);
    return check_some_values(decode, place, true);
}

typedef int check_fn(struct jl_decode *decode, const struct jl_fusion_place *place);

/* Each item of the list of a row. */
static int check_items(struct jl_decode *decode, const struct jl_fusion_place *place, unsigned bit,
                       check_fn *check)
{
    const struct jl_fusion_place list = jl_fusion_inside(place, bit);
    int rc = 0;
    for (size_t i = 0; i < jl_fusion_count(&list) && rc == 0; i++) {
        const struct jl_fusion_place item = jl_fusion_item(&list, i);
        rc = check(decode, &item);
    }
    return rc;
}

static int check_term(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const int rc = check_items(decode, place, TERM(expressions), check_expression);
    return rc < 0 ? rc : check_items(decode, place, TERM(fields), check_field);
}

static int check_preference(struct jl_decode *decode, const struct jl_fusion_place *place)
{
    const struct jl_affinity_preference *preference = place->object;
    if (preference->weight < LEAST_WEIGHT || preference->weight > MOST_WEIGHT)
        return jl_fusion_fail(decode, place, PREFERENCE(weight), JOULIE_E_RANGE,
                              "%lld is not within %d and %d", (long long)preference->weight,
                              LEAST_WEIGHT, MOST_WEIGHT);
    const struct jl_fusion_place term = jl_fusion_inside(place, PREFERENCE(preference));
    return check_term(decode, &term);
}

int jl_fusion_check_affinity(struct jl_decode *decode, const struct jl_fusion_place *affinity)
{
    const struct jl_fusion_place required =
        jl_fusion_inside(affinity, JL_INDEX(jl_profile_affinity, required));
    const int rc =
        check_items(decode, affinity, JL_INDEX(jl_profile_affinity, preferred), check_preference);
    return rc < 0
               ? rc
               : check_items(decode, &required, JL_INDEX(jl_affinity_required, terms), check_term);
}
