/* SPDX-License-Identifier: Apache-2.0 */

/* Settings and terms of the score at their bounds (docs/rules/placement.md). */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>

#include "place/place.h"
#include "place/row_rules.h"
#include "support/test.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static double above(double value)
{
    return nextafter(value, INFINITY);
}

static double below(double value)
{
    return nextafter(value, -INFINITY);
}

/* ---- what a request is made of ---- */

static struct jl_place_request points_of(enum joulie_place_rules rules,
                                         enum joulie_workload_class pod_class,
                                         double trend_w_per_min)
{
    const struct jl_place_aggregate cluster = { .cluster_trend_w_per_min = trend_w_per_min };
    struct jl_place_request request = { 0 };
    struct joulie_place_config config;
    jl_place_config_init(&config, rules);
    jl_request_points(&config, pod_class, &cluster, &request);
    return request;
}

/* 2 W/min are a point while the sum of the trends is beyond 500 W/min, up or down; else 6. */
static void a_burst_is_beyond_its_bound_either_way(void **state)
{
    static const struct {
        double trend_w_per_min;
        double w_per_point;
    } rows[] = { { 500, 6 }, { -500, 6 }, { 500.1, 2 }, { -500.1, 2 }, { 0, 6 } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_near(
            points_of(JOULIE_PLACE_RULES_CURRENT, JOULIE_WORKLOAD_STANDARD, rows[i].trend_w_per_min)
                .trend_w_per_point,
            rows[i].w_per_point, 0);
}

/* A standard pod earns points on an eco node; of a performance pod only the oldest rules know
 * points, on a performance node. */
static void points_of_a_class_are_those_of_the_pod(void **state)
{
    static const struct {
        enum joulie_place_rules rules;
        enum joulie_workload_class pod_class;
        double eco;
        double performance;
    } rows[] = {
        { JOULIE_PLACE_RULES_CURRENT, JOULIE_WORKLOAD_STANDARD, 10, 0 },
        { JOULIE_PLACE_RULES_CURRENT, JOULIE_WORKLOAD_PERFORMANCE, 0, 0 },
        { JOULIE_PLACE_RULES_V0_1_0, JOULIE_WORKLOAD_STANDARD, 10, 0 },
        { JOULIE_PLACE_RULES_V0_1_0, JOULIE_WORKLOAD_PERFORMANCE, 0, 15 },
        { JOULIE_PLACE_RULES_V0_1_0, JOULIE_WORKLOAD_UNKNOWN, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct jl_place_request request = points_of(rows[i].rules, rows[i].pod_class, 0);
        assert_near(request.eco_points, rows[i].eco, 0);
        assert_near(request.performance_points, rows[i].performance, 0);
    }
}

/* Points of sensitivity are of the current rules. */
static void only_current_rules_count_sensitivity(void **state)
{
    (void)state;
    for (int is_current = 0; is_current < 2; is_current++) {
        const struct jl_place_node node = { .has = UINT64_C(1) << JL_PLACE_HEADROOM,
                                            .headroom = 80 };
        struct joulie_place_config config;
        struct jl_score_context context = { .pod_class = JOULIE_WORKLOAD_STANDARD };
        struct jl_place_score plain;
        struct jl_place_score sensitive;
        jl_place_config_init(&config,
                             is_current ? JOULIE_PLACE_RULES_CURRENT : JOULIE_PLACE_RULES_V0_1_1);
        jl_place_formula(&config, &context, &node, &plain);
        context.sensitivity = 12;
        jl_place_formula(&config, &context, &node, &sensitive);
        assert_near(plain.raw - sensitive.raw, is_current ? 12 : 0, 1e-12);
    }
}

/* ---- settings ---- */

static int profile_code(const char *key, double value)
{
    char text[128];
    char *answer = NULL;
    const int len = snprintf(text, sizeof text, "{\"%s\":%.17g}", key, value);
    const int rc = joulie_ask("score.profile", text, (size_t)len, NULL, &answer, NULL);
    joulie_free(answer);
    return rc;
}

static void each_number_of_a_profile_has_the_bounds_of_the_page(void **state)
{
    static const struct {
        const char *key;
        double least, most;
    } rows[] = {
        { "headroomWeight", 0, 10 },
        { "coolingWeight", 0, 10 },
        { "pressureWeight", 0, 10 },
        { "ecoPoints", 0, 100 },
        { "trendMaxPoints", 0, 100 },
        { "steadyWPerPoint", 0.01, 1e6 },
        { "burstWPerPoint", 0.01, 1e6 },
        { "burstWPerMin", 0, 1e9 },
        { "unknownScore", 0, 25 },
        { "cpuCapPoints", 0, 100 },
        { "gpuCapPoints", 0, 100 },
        { "capPointsMax", 0, 100 },
        { "maxProjectedPct", 0, 1000 },
        { "marginalCpuUtilCoeff", 0, 10 },
        { "marginalGpuUtilCoeffStandard", 0, 10 },
        { "marginalGpuUtilCoeffPerformance", 0, 10 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(profile_code(rows[i].key, rows[i].least), 0);
        assert_int_equal(profile_code(rows[i].key, rows[i].most), 0);
        assert_int_equal(profile_code(rows[i].key, below(rows[i].least)), JOULIE_E_RANGE);
        assert_int_equal(profile_code(rows[i].key, above(rows[i].most)), JOULIE_E_RANGE);
    }
}

static void times_have_the_defaults_of_the_page(void **state)
{
    struct joulie_place_config config;
    (void)state;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    assert_int_equal(config.staleness_ms, 5 * 60 * 1000);
    assert_int_equal(config.max_age_ms, 60 * 60 * 1000);
    assert_int_equal(config.stale_grace_ms, 30 * 60 * 1000);
}

/* ---- work ---- */

static int work_code(uint64_t bit, size_t member, double value)
{
    const struct joulie_place_columns nodes = JOULIE_INIT(struct joulie_place_columns);
    const struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    work.has = bit;
    memcpy((char *)&work + member, &value, sizeof value);
    return joulie_place_nodes(NULL, &work, &nodes, 0, NOW_MS, &out, NULL, NULL);
}

static void work_asks_for_0_to_1e18_of_anything(void **state)
{
    static const struct {
        uint64_t bit;
        size_t member;
    } rows[] = {
        { JOULIE_WORK_HAS_CPU, offsetof(struct joulie_work, cpu_cores) },
        { JOULIE_WORK_HAS_MEMORY, offsetof(struct joulie_work, memory_bytes) },
        { JOULIE_WORK_HAS_GPU, offsetof(struct joulie_work, gpu_count) },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(work_code(rows[i].bit, rows[i].member, 0), 0);
        assert_int_equal(work_code(rows[i].bit, rows[i].member, 1e18), 0);
        assert_int_equal(work_code(rows[i].bit, rows[i].member, above(1e18)), JOULIE_E_RANGE);
        assert_int_equal(work_code(rows[i].bit, rows[i].member, below(0)), JOULIE_E_RANGE);
    }
}

/* ---- the node ---- */

static struct jl_place_node node_of(double capped_w)
{
    struct jl_twin_status status = { 0 };
    struct jl_place_node node = { 0 };
    JL_SET(&status.power, node_capped_power_w, capped_w);
    status.given.power = true;
    jl_place_set_twin(&node, &status);
    return node;
}

static void a_capped_power_below_a_milliwatt_is_unknown(void **state)
{
    (void)state;
    assert_near(node_of(1e-3).capped_w, 1e-3, 0);
    assert_true((node_of(1e-3).has & UINT64_C(1) << JL_PLACE_CAPPED) != 0);
    assert_true((node_of(below(1e-3)).has & UINT64_C(1) << JL_PLACE_CAPPED) == 0);
    assert_true((node_of(1e15).has & UINT64_C(1) << JL_PLACE_CAPPED) != 0);
    assert_true((node_of(above(1e15)).has & UINT64_C(1) << JL_PLACE_CAPPED) == 0);
}

/* A pod of one core on a node of unknown watts adds max(150, 3.5 x cores) x 0.7 / cores. */
static void a_cpu_of_unknown_power_has_3_5_watts_per_core_and_150_at_least(void **state)
{
    static const double rows[][2] = {
        { 1, 105 }, { 42, 105.0 / 42 }, { 43, 150.5 * 0.7 / 43 }, { 200, 2.45 }
    };
    struct joulie_place_config config;
    const struct joulie_work pod = { .cpu_cores = 1 };
    (void)state;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_place_node node = { 0 };
        const struct jl_hardware hardware = { .is_known = true, .total_cores = rows[i][0] };
        jl_place_set_hardware(&node, &hardware, JOULIE_PLACE_RULES_CURRENT);
        assert_near(jl_place_marginal_w(&config, &pod, &node), rows[i][1], 1e-9);
    }
}

/* 0.01 per GiB, between 1 and 1.3: 105 W without memory. */
static void memory_adds_up_to_30_percent(void **state)
{
    static const double rows[][2] = {
        { 0, 105 }, { 29, 105 * 1.29 }, { 30, 136.5 }, { 31, 136.5 }
    };
    struct joulie_place_config config;
    const struct jl_place_node node = { 0 };
    (void)state;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_work pod = { .cpu_cores = 1, .memory_bytes = rows[i][0] * 0x1p30 };
        assert_near(jl_place_marginal_w(&config, &pod, &node), rows[i][1], 1e-9);
    }
}

/* ---- the score of v0.1.0 ---- */

/* w PUE / 20 up to 20, 0.6 x w / 50 up to 20, 0.4 x w / 500 up to 15, 60 W per idle GPU up to 300 W
 * at 10 W a point. */
static void each_penalty_of_the_legacy_score_has_its_most(void **state)
{
    static const struct {
        double marginal_w, pod_gpus, node_gpus, pue;
        double power, cooling, psu, idle_gpu;
    } rows[] = {
        { 100, 0, 0, 1, 5, 1.2, 0.08, 0 },
        { 100, 0, 0, 0.5, 5, 1.2, 0.08, 0 }, /* a PUE below 1 is none */
        { 100, 0, 0, 1.5, 7.5, 1.2, 0.08, 0 },
        { 399, 0, 0, 1, 19.95, 4.788, 0.3192, 0 },
        { 401, 0, 0, 1, 20, 4.812, 0.3208, 0 },
        { 1660, 0, 0, 1, 20, 19.92, 1.328, 0 },
        { 1680, 0, 0, 1, 20, 20, 1.344, 0 },
        { 18700, 0, 0, 1, 20, 20, 14.96, 0 },
        { 18800, 0, 0, 1, 20, 20, 15, 0 },
        { 0, 0, 1, 1, 0, 0, 0, 6 },
        { 0, 0, 3, 1, 0, 0, 0, 18 },
        { 0, 0, 4, 1, 0, 0, 0, 20 },
        { 0, 1, 4, 1, 0, 0, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_legacy_penalty penalty;
        jl_row_legacy_penalty(rows[i].marginal_w, rows[i].pod_gpus, rows[i].node_gpus, rows[i].pue,
                              &penalty);
        assert_near(penalty.power, rows[i].power, 1e-9);
        assert_near(penalty.cooling, rows[i].cooling, 1e-9);
        assert_near(penalty.psu, rows[i].psu, 1e-9);
        assert_near(penalty.idle_gpu, rows[i].idle_gpu, 1e-9);
        assert_near(penalty.total, rows[i].power + rows[i].cooling + rows[i].psu + rows[i].idle_gpu,
                    1e-9);
    }
}

/* Unknown sockets are one: the watts of a package are those of the node. */
static void a_node_has_a_socket_at_least(void **state)
{
    static const double rows[][2] = { { 0, 205 }, { 1, 205 }, { 2, 410 } };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_place_node node = { 0 };
        const struct jl_hardware hardware = { .is_known = true,
                                              .total_cores = 32,
                                              .sockets = rows[i][0],
                                              .cpu_max_w = 205,
                                              .cpu_max_source = JL_FACT_HARDWARE };
        jl_place_set_hardware(&node, &hardware, JOULIE_PLACE_RULES_V0_1_1);
        assert_near(node.cpu_max_w, rows[i][1], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_is_beyond_its_bound_either_way),
        cmocka_unit_test(points_of_a_class_are_those_of_the_pod),
        cmocka_unit_test(only_current_rules_count_sensitivity),
        cmocka_unit_test(each_number_of_a_profile_has_the_bounds_of_the_page),
        cmocka_unit_test(times_have_the_defaults_of_the_page),
        cmocka_unit_test(work_asks_for_0_to_1e18_of_anything),
        cmocka_unit_test(a_capped_power_below_a_milliwatt_is_unknown),
        cmocka_unit_test(a_cpu_of_unknown_power_has_3_5_watts_per_core_and_150_at_least),
        cmocka_unit_test(memory_adds_up_to_30_percent),
        cmocka_unit_test(each_penalty_of_the_legacy_score_has_its_most),
        cmocka_unit_test(a_node_has_a_socket_at_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
