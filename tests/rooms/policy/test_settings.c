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

/* ---- names: docs/rules/policy.md#policies ---- */

/* What stands in spec.policy.name of a twin: of every policy, also of one without a rule here. */
static void a_twin_of_ours_names_one_of_our_policies(void **state)
{
    static const char *const ours[] = { "static-partition-v1", "queue-aware-v1", "rule-swap-v1",
                                        "efficiency-v1", "power-budget-v1" };
    static const char *const others[] = { "", "static_partition", "queue_aware_v1", "static" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(ours); i++)
        assert_true(jl_policy_has_name(ours[i]));
    for (size_t i = 0; i < JL_COUNT(others); i++)
        assert_false(jl_policy_has_name(others[i]));
    assert_false(jl_policy_has_name(NULL));
    assert_null(jl_policy_missing(JL_POLICY_STATIC));
    assert_non_null(jl_policy_missing(JL_POLICY_TYPE_UNKNOWN));
}

/* The words of policies that have a rule are those that a configuration takes. */
static void words_of_policies_are_those_with_a_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_policy_type_words.count; i++) {
        const struct jl_word *word = &jl_policy_type_words.items[i];
        const int value = jl_word_value(&jl_policy_words, jl_text(word->word));
        if (jl_policy_of((enum jl_policy_type)word->value) != NULL)
            assert_int_equal(value, word->value);
        else
            assert_int_equal(value, 0);
    }
}

/* What reads the work awaits every pod, what reads the queue those that are sensitive. */
static void a_policy_awaits_the_pods_that_it_reads(void **state)
{
    const struct jl_demand sensitive = { .is_sensitive = true };
    const struct jl_demand any = { .is_sensitive = false };
    (void)state;
    assert_true(jl_policy_awaits(JL_READS_WORK, &any));
    assert_true(jl_policy_awaits(JL_READS_WORK, &sensitive));
    assert_false(jl_policy_awaits(JL_READS_QUEUE, &any));
    assert_true(jl_policy_awaits(JL_READS_QUEUE, &sensitive));
    assert_false(jl_policy_awaits(JL_READS_NO_PODS, &sensitive));
}

/* ---- density: docs/rules/policy.md#density ---- */

/* Density of the model times logical CPUs, else sockets, else 1; of GPUs times their number. */
static void density_counts_cores_else_sockets_else_one(void **state)
{
    static const struct {
        double cores;
        double sockets;
        double cpu;
        double normalized;
    } rows[] = {
        { 192, 2, 136396.8, 1420.8 },
        { 0, 2, 1420.8, 1420.8 },
        { 0, 0, 710.4, 710.4 },
        { 96, 0, 68198.4, 710.4 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_hardware hardware = { .is_known = true,
                                              .cpu_model = jl_catalog_cpu("AMD_EPYC_9654"),
                                              .total_cores = rows[i].cores,
                                              .sockets = rows[i].sockets };
        struct jl_density density;
        jl_density_of(&hardware, &density);
        assert_near(density.cpu, rows[i].cpu, 1e-9);
        assert_near(density.cpu_normalized, rows[i].normalized, 1e-9);
        assert_near(density.gpu, 0, 0);
        assert_near(density.total, rows[i].cpu, 1e-9);
    }
}

/* Boost clock times TDP, or the watts of the board. */
static void a_model_without_a_density_has_a_stand_in(void **state)
{
    const struct jl_cpu_model cpu = { .key = "C", .boost_ghz = 3, .tdp_w = 200 };
    const struct jl_gpu_model gpu = { .key = "G", .max_board_w = 300 };
    const struct jl_hardware hardware = {
        .is_known = true, .cpu_model = &cpu, .total_cores = 2, .gpu_model = &gpu, .gpu_count = 4
    };
    struct jl_density density;
    (void)state;
    jl_density_of(&hardware, &density);
    assert_near(density.cpu, 1200, 1e-9);
    assert_near(density.gpu, 1200, 1e-9);
}

static void a_family_is_that_of_the_gpus_else_of_the_cpus(void **state)
{
    static const struct {
        bool is_known;
        double gpus;
        const char *family;
    } rows[] = { { true, 2, "gpu:G" }, { true, 0, "cpu:C" }, { false, 2, "unknown" } };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        const struct jl_cpu_model cpu = { .key = "C" };
        const struct jl_gpu_model gpu = { .key = "G" };
        const struct jl_hardware hardware = { .is_known = rows[i].is_known,
                                              .cpu_model = &cpu,
                                              .gpu_model = &gpu,
                                              .gpu_count = rows[i].gpus };
        assert_string_equal(jl_family_name(&arena, &hardware, "n", JL_POLICY_CURRENT),
                            rows[i].family);
    }
}

/* ---- watts of GPUs: docs/rules/policy.md#caps ---- */

/* Of GPUs that only the settings know: within 1 W, or the lowest one, and the highest. */
static void watts_of_a_gpu_stay_within_its_settings(void **state)
{
    static const struct {
        const char *caps;
        double pct;
        double cap_w; /* 0 = none */
    } rows[] = {
        { "{\"maxCapWatts\":300}", 50, 150 },
        { "{\"maxCapWatts\":300}", 0.1, 1 },
        { "{\"maxCapWatts\":300,\"minCapWatts\":-5}", 0.1, 1 },
        { "{\"maxCapWatts\":300,\"minCapWatts\":0.5}", 0.1, 0.5 },
        { "{\"maxCapWatts\":300,\"minCapWatts\":200}", 50, 200 },
        { "{\"maxCapWatts\":300,\"minCapWatts\":200}", 100, 300 },
        { "{\"maxCapWatts\":0,\"minCapWatts\":200}", 50, 0 },
        { "{\"minCapWatts\":200}", 50, 0 },
    };
    struct jl_pair label = { "nvidia.com/gpu.product", "Known-To-Nobody" };
    const struct jl_node node = { .meta.given.labels = true, .meta.labels = { &label, 1 } };
    const struct jl_hardware hardware = { .is_known = true, .gpu_count = 1 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jl_policy_config config = { .has = 0 };
        struct jl_twin_spec spec = { .has = 0 };
        char text[256];
        const int len = snprintf(text, sizeof text,
                                 "{\"gpuWriteAbsoluteCaps\":true,\"gpuEcoCapPctOfMax\":%g,"
                                 "\"gpuModelCaps\":{\"Known-To-Nobody\":%s}}",
                                 rows[i].pct, rows[i].caps);
        struct jl_decode decode = {
            .arena = &arena, .text = text, .len = (size_t)len, .err = &err
        };
        assert_int_equal(jl_decode_document(&decode, &jl_policy_config_table, &config), 0);
        jl_policy_defaults(&config, JL_POLICY_CURRENT);
        jl_profile_caps(&(struct jl_intent_input){ .config = &config,
                                                   .hardware = &hardware,
                                                   .node = &node,
                                                   .allocatable_gpus = 1,
                                                   .caps = JOULIE_PROFILE_ECO },
                        JL_POLICY_CURRENT, &spec);
        assert_near(spec.gpu.power_cap.cap_pct, rows[i].pct, 1e-12);
        assert_int_equal(spec.gpu.power_cap.given.cap_w, rows[i].cap_w > 0);
        assert_near(spec.gpu.power_cap.cap_w, rows[i].cap_w, 1e-12);
    }
}

/* ---- demand: docs/rules/policy.md#weight ---- */

/* The higher of both counts. */
static void the_higher_intensity_of_a_profile_is_its_weight(void **state)
{
    static const struct {
        enum joulie_level level;
        double alone;
    } rows[] = { /* from the lowest */
                 { JOULIE_LEVEL_UNKNOWN, 1 },
                 { JOULIE_LEVEL_NONE, 1 },
                 { JOULIE_LEVEL_LOW, 0.5 },
                 { JOULIE_LEVEL_MEDIUM, 1 },
                 { JOULIE_LEVEL_HIGH, 1.5 }
    };

    (void)state;
    for (size_t cpu = 0; cpu < JL_COUNT(rows); cpu++) {
        for (size_t gpu = 0; gpu < JL_COUNT(rows); gpu++) {
            struct jl_workload_profile profile = { .has = 0 };
            const struct jl_pod pod = { .has = 0 };
            struct jl_demand demand;
            JL_SET(&profile.status, confidence, 1);
            JL_SET(&profile.status, last_updated, "2026-03-13T12:00:00Z");
            JL_SET(&profile.status.cpu, intensity, rows[cpu].level);
            JL_SET(&profile.status.gpu, intensity, rows[gpu].level);
            profile.given.status = true;
            profile.status.given.cpu = true;
            profile.status.given.gpu = true;
            jl_demand_of_pod(&pod, &profile, INT64_C(1773403200000), JL_POLICY_CURRENT, &demand);
            assert_non_null(demand.profile);
            assert_near(demand.weight, rows[cpu > gpu ? cpu : gpu].alone, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_percentage_ends_at_100),
        cmocka_unit_test(times_are_not_negative),
        cmocka_unit_test(the_number_of_performance_nodes_is_rounded_and_bounded),
        cmocka_unit_test(the_floor_of_a_queue_is_what_is_set),
        cmocka_unit_test(fewer_nodes_wait_for_the_whole_delay),
        cmocka_unit_test(a_twin_of_ours_names_one_of_our_policies),
        cmocka_unit_test(words_of_policies_are_those_with_a_rule),
        cmocka_unit_test(a_policy_awaits_the_pods_that_it_reads),
        cmocka_unit_test(a_model_without_a_density_has_a_stand_in),
        cmocka_unit_test(a_family_is_that_of_the_gpus_else_of_the_cpus),
        cmocka_unit_test(density_counts_cores_else_sockets_else_one),
        cmocka_unit_test(watts_of_a_gpu_stay_within_its_settings),
        cmocka_unit_test(the_higher_intensity_of_a_profile_is_its_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
