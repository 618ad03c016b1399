/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios beside the vectors of the question `ratio`. */
#include <string.h>

#include <joulie/error.h>

#include "base/text.h"
#include "support/test.h"
#include "tensor_fusion/ratio.h"

static struct jl_ratio parsed(const char *text)
{
    struct jl_ratio ratio = { 0 };
    if (jl_parse_ratio(text, strlen(text), &ratio) != 0)
        fail_msg("%s is refused", text);
    return ratio;
}

static void texts_outside_the_grammar_are_refused(void **state)
{
    static const char *const wrong[] = { "",     " ",   ".",    "+",    "+%",  "1 2",
                                         "1%2",  "++1", "+ 1",  "0x1",  "1_0", "-1",
                                         "1.%.", "%1",  ".5.5", "1e-2", "inf", "1\v2" };
    struct jl_ratio ratio = { .value = 7 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(wrong); i++) {
        if (jl_parse_ratio(wrong[i], strlen(wrong[i]), &ratio) != JOULIE_E_PARSE)
            fail_msg("\"%s\" is accepted", wrong[i]);
    }
    assert_int_equal(jl_parse_ratio("1\0", 2, &ratio), JOULIE_E_PARSE);
    assert_true(ratio.value == 7);
}

static void a_ratio_remembers_how_it_was_written(void **state)
{
    (void)state;
    assert_true(parsed("2.").has_point);
    assert_true(parsed("2.0%").has_point);
    assert_true(parsed("2.0%").is_percent);
    assert_false(parsed("2").has_point);
    assert_false(parsed("2").is_percent);
}

static void zeros_in_front_and_white_space_around_change_nothing(void **state)
{
    (void)state;
    assert_true(parsed("\t 007.50 \n").value == 7.5);
    assert_true(parsed("00").value == 0);
    assert_true(parsed("+.5%").value == 0.005);
}

static void a_ratio_has_at_most_64_bytes(void **state)
{
    char text[70];
    struct jl_ratio ratio;
    (void)state;
    memset(text, '0', sizeof text);
    text[63] = '1';
    assert_int_equal(jl_parse_ratio(text, 64, &ratio), 0);
    assert_true(ratio.value == 1);
    assert_int_equal(jl_parse_ratio(text, 65, &ratio), JOULIE_E_PARSE);
}

static void a_value_that_is_not_valid_leaves_the_outputs_alone(void **state)
{
    const struct jl_ratio half = parsed("0.5");
    double effective = 7;
    enum jl_ratio_unit unit = JL_RATIO_PODS;
    (void)state;
    assert_int_equal(jl_ratio_effective(JL_RATIO_MAX_TO_REQUESTS, &half, &effective, &unit),
                     JOULIE_E_RANGE);
    assert_int_equal(jl_ratio_effective(JL_RATIO_UNKNOWN, &half, &effective, &unit),
                     JOULIE_E_RANGE);
    assert_true(effective == 7);
    assert_int_equal(unit, JL_RATIO_PODS);
}

static void a_step_of_replicas_with_a_point_is_a_share_of_them(void **state)
{
    const struct jl_ratio share = parsed("2.");
    double effective = 0;
    enum jl_ratio_unit unit = JL_RATIO_PODS;
    (void)state;
    assert_int_equal(jl_ratio_effective(JL_RATIO_REPLICAS_STEP_UP, &share, &effective, &unit), 0);
    assert_int_equal(unit, JL_RATIO_FRACTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_outside_the_grammar_are_refused),
        cmocka_unit_test(a_ratio_remembers_how_it_was_written),
        cmocka_unit_test(zeros_in_front_and_white_space_around_change_nothing),
        cmocka_unit_test(a_ratio_has_at_most_64_bytes),
        cmocka_unit_test(a_value_that_is_not_valid_leaves_the_outputs_alone),
        cmocka_unit_test(a_step_of_replicas_with_a_point_is_a_share_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
