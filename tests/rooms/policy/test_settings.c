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

static void times_are_not_negative(void **state)
{
    (void)state;
    assert_int_equal(code_of("queueScaleDownDelayS", "0"), 0);
    assert_int_equal(code_of("queueScaleDownDelayS", "-0.001"), JOULIE_E_RANGE);
    assert_int_equal(code_of("minProfileDwellS", "0"), 0);
    assert_int_equal(code_of("minProfileDwellS", "-0.001"), JOULIE_E_RANGE);
}

/* ---- how many performance nodes: docs/rules/policy.md#policies ---- */

static int64_t hp_of(const char *text, int64_t nodes, double demand, enum jl_policy_rules rules)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_policy_config config = { .has = 0 };
    struct jl_decode decode = { .arena = &arena, .text = text, .len = strlen(text), .err = &err };
    assert_int_equal(jl_decode_document(&decode, &jl_policy_config_table, &config), 0);
    jl_policy_defaults(&config, rules);
    return jl_policy_hp(&(struct jl_policy_count){
        .config = &config, .rules = rules, .nodes = nodes, .demand = demand });
}

#define QUEUE "\"type\":\"queue_aware_v1\""

static void the_number_of_performance_nodes_is_rounded_and_bounded(void **state)
{
    static const struct {
        const char *policy;
        int64_t nodes;
        double demand;
        int64_t hp;
    } rows[] = {
        { "{}", 10, 0, 5 },
        { "{}", 11, 0, 6 }, /* halves away from zero */
        { "{\"staticHpFrac\":1.5}", 10, 0, 10 },
        { "{\"staticHpFrac\":-1}", 10, 0, 0 },
        { "{\"staticHpFrac\":0.54}", 10, 0, 5 },
        { "{" QUEUE "}", 10, 0, 6 },
        { "{" QUEUE "}", 10, 60, 6 },
        { "{" QUEUE "}", 10, 60.5, 7 },
        { "{" QUEUE "}", 10, 70, 7 },
        { "{" QUEUE "}", 10, 1e9, 10 },
        { "{" QUEUE "}", 10, -1, 6 }, /* a demand that nobody could count */
        { "{" QUEUE ",\"queueHpBaseFrac\":0}", 10, 0, 1 },
        { "{" QUEUE ",\"queueHpBaseFrac\":0,\"queueHpMin\":0}", 10, 0, 0 },
        { "{" QUEUE ",\"queueHpBaseFrac\":0,\"queueHpMin\":-1}", 10, 0, 0 },
        { "{" QUEUE ",\"queueHpMax\":3}", 10, 0, 3 },
        { "{" QUEUE ",\"queueHpMax\":0}", 10, 1000, 10 },
        { "{" QUEUE ",\"queueHpMax\":3,\"queueHpMin\":4}", 10, 1000, 4 },
        { "{" QUEUE ",\"queuePerfPerHpNode\":0,\"queueHpBaseFrac\":0}", 10, 3, 3 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(hp_of(rows[i].policy, rows[i].nodes, rows[i].demand, JL_POLICY_V0_1_1),
                         rows[i].hp);
}

/* Demand takes the nodes that it needs by itself: the number is a floor. */
static void the_floor_of_a_queue_is_what_is_set(void **state)
{
    static const struct {
        const char *policy;
        int64_t hp;
    } rows[] = {
        { "{" QUEUE "}", 0 },
        { "{" QUEUE ",\"queueHpMin\":2}", 2 },
        { "{" QUEUE ",\"queueHpMin\":11}", 10 },
        { "{" QUEUE ",\"queueHpMin\":-1}", 0 },
        { "{" QUEUE ",\"queueHpBaseFrac\":0.25}", 3 },
        { "{" QUEUE ",\"queueHpBaseFrac\":0.25,\"queueHpMin\":4}", 4 },
        { "{" QUEUE ",\"queueHpBaseFrac\":0.6,\"queueHpMax\":5}", 5 },
        { "{" QUEUE ",\"queueHpBaseFrac\":0.6,\"queueHpMax\":0}", 6 },
        { "{" QUEUE ",\"queueHpMax\":3,\"queueHpMin\":4}", 4 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(hp_of(rows[i].policy, 10, 1000, JL_POLICY_CURRENT), rows[i].hp);
}

static void fewer_nodes_wait_for_the_whole_delay(void **state)
{
    struct jl_plan_state at = { .is_set = true, .hp = 5 };
    (void)state;
    assert_int_equal(jl_hysteresis_step(&at, 3, 1000, 300000), 5);
    assert_int_equal(jl_hysteresis_step(&at, 3, 300999, 300000), 5);
    assert_int_equal(jl_hysteresis_step(&at, 3, 301000, 300000), 3);
    at = (struct jl_plan_state){ .is_set = true, .hp = 5 };
    assert_int_equal(jl_hysteresis_step(&at, 3, 1000, 300000), 5);
    assert_int_equal(jl_hysteresis_step(&at, 5, 2000, 300000), 5); /* as many as before: anew */
    assert_int_equal(jl_hysteresis_step(&at, 3, 301000, 300000), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percentage_ends_at_100),
        cmocka_unit_test(times_are_not_negative),
        cmocka_unit_test(the_number_of_performance_nodes_is_rounded_and_bounded),
        cmocka_unit_test(the_floor_of_a_queue_is_what_is_set),
        cmocka_unit_test(fewer_nodes_wait_for_the_whole_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
