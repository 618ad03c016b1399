/* SPDX-License-Identifier: Apache-2.0 */

/* Settings of the policy at the ends of their ranges (docs/rules/policy.md#settings). */

#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "schema/decode.h"
#include "support/test.h"

static int code_of(const char *key, const char *value)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_policy_config config = { .has = 0 };
    char text[128];
    const int len = snprintf(text, sizeof text, "{\"%s\":%s}", key, value);
    struct jl_decode decode = { .arena = &arena, .text = text, .len = (size_t)len, .err = &err };
    return jl_decode_document(&decode, &jl_policy_config_table, &config);
}

static void a_percentage_ends_at_100(void **state)
{
    static const char *const keys[] = { "cpuPerformanceCapPctOfMax", "cpuEcoCapPctOfMax",
                                        "gpuPerformanceCapPctOfMax", "gpuEcoCapPctOfMax" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        assert_int_equal(code_of(keys[i], "100"), 0);
        assert_int_equal(code_of(keys[i], "100.5"), JOULIE_E_RANGE);
        assert_int_equal(code_of(keys[i], "0.5"), 0);
        assert_int_equal(code_of(keys[i], "0"), i < 2 ? JOULIE_E_RANGE : 0); /* no GPU intent */
    }
    assert_int_equal(code_of("ecoCapWatts", "1"), 0);
    assert_int_equal(code_of("ecoCapWatts", "0.99"), JOULIE_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_percentage_ends_at_100) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
