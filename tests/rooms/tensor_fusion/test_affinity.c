/* SPDX-License-Identifier: Apache-2.0 */
/* Node affinity beside its vectors (docs/rules/tensor-fusion.md#node-affinity). */
#include <string.h>

#include "base/text.h"
#include "support/test.h"
#include "tensor_fusion/affinity.h"

static const struct jl_pair zone_a[] = {
    { "zone", "a" }, { "gen", "-5" }, { "plus", "+7" }, { "signs", "+-7" }
};
static const struct jl_map labels = { zone_a, JL_COUNT(zone_a) };

/* Whether a node n1 in zone a of generation -5 passes one requirement. */
static bool passes(const char *key, const char *op, const char *value, const char *second,
                   bool is_field)
{
    const char *values[] = { value, second };
    struct jl_affinity_requirement requirement = { .key = key,
                                                   .op = op,
                                                   .values = { values, value == NULL    ? 0
                                                                       : second == NULL ? 1
                                                                                        : 2 } };
    struct jl_affinity_term term = { 0 };
    struct jl_profile_affinity affinity = { 0 };
    *(is_field ? &term.fields : &term.expressions) = (struct jl_list){ &requirement, 1 };
    affinity.required.terms = (struct jl_list){ &term, 1 };
    affinity.given.required = true;
    return jl_affinity_matches(&affinity, "n1", &labels);
}

static void a_requirement_that_is_not_valid_matches_nothing(void **state)
{
    (void)state;
    assert_false(passes("zone", "In", NULL, NULL, false));
    assert_false(passes("other", "NotIn", NULL, NULL, false));
    assert_false(passes("zone", "Exists", "a", NULL, false));
    assert_false(passes("other", "DoesNotExist", "a", NULL, false));
    assert_false(passes("gen", "Lt", NULL, NULL, false));
    assert_false(passes("gen", "Lt", "1", "2", false));
    assert_false(passes("gen", "Lt", "1.5", NULL, false));
    assert_false(passes("zone", "in", "a", NULL, false));
    assert_false(passes("a/b/c", "NotIn", "a", NULL, false));
}

static void a_value_that_no_label_can_have_makes_the_requirement_invalid(void **state)
{
    char long_value[65] = { 0 };
    (void)state;
    memset(long_value, 'x', sizeof long_value - 1);
    assert_false(passes("other", "NotIn", "a b", NULL, false));
    assert_false(passes("other", "NotIn", "b", "a b", false));
    assert_false(passes("other", "NotIn", long_value, NULL, false));
    assert_false(passes("zone", "In", "a", "a b", false));
    assert_false(passes("gen", "Gt", "-6", NULL, false));
    assert_false(passes("gen", "Lt", "+1", NULL, false));
    assert_true(passes("other", "NotIn", "", NULL, false)); /* the empty text is a value */
}

static void the_label_that_is_compared_may_have_a_sign(void **state)
{
    (void)state;
    assert_true(passes("gen", "Lt", "0", NULL, false));
    assert_false(passes("gen", "Gt", "0", NULL, false));
    assert_true(passes("plus", "Gt", "6", NULL, false));
    assert_false(passes("signs", "Gt", "6", NULL, false));
}

static void fields_know_only_the_name_of_the_node(void **state)
{
    (void)state;
    assert_true(passes("metadata.name", "In", "n1", NULL, true));
    assert_false(passes("metadata.name", "In", "n1", "n2", true));
    assert_true(passes("metadata.name", "NotIn", "n2", NULL, true));
    assert_false(passes("metadata.name", "Exists", NULL, NULL, true));
    assert_false(passes("metadata.namespace", "NotIn", "n2", NULL, true));
}

static int64_t weight_of(int64_t first, int64_t second)
{
    const char *values[] = { "a" };
    struct jl_affinity_requirement zone = { .key = "zone", .op = "In", .values = { values, 1 } };
    struct jl_affinity_preference preferences[] = {
        { .weight = first, .preference = { .expressions = { &zone, 1 } } },
        { .weight = second, .preference = { .expressions = { &zone, 1 } } },
    };
    const struct jl_profile_affinity affinity = { .preferred = { preferences, 2 } };
    return jl_affinity_weight(&affinity, "n1", &labels);
}

static void weights_add_up_and_saturate(void **state)
{
    (void)state;
    assert_int_equal(weight_of(30, 40), 70);
    assert_int_equal(weight_of(0, 40), 40);
    assert_int_equal(weight_of(-10, 40), 40);
    assert_true(weight_of(INT64_MAX, 40) == INT64_MAX);
}

static void a_score_is_a_percentage_rounded_down(void **state)
{
    (void)state;
    assert_int_equal(jl_affinity_score(40, 70), 57);
    assert_int_equal(jl_affinity_score(70, 70), 100);
    assert_int_equal(jl_affinity_score(0, 0), 0);
    assert_int_equal(jl_affinity_score(INT64_MAX, INT64_MAX), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_requirement_that_is_not_valid_matches_nothing),
        cmocka_unit_test(a_value_that_no_label_can_have_makes_the_requirement_invalid),
        cmocka_unit_test(the_label_that_is_compared_may_have_a_sign),
        cmocka_unit_test(fields_know_only_the_name_of_the_node),
        cmocka_unit_test(weights_add_up_and_saturate),
        cmocka_unit_test(a_score_is_a_percentage_rounded_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
