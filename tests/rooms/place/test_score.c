/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"
#include "place/place.h"
#include "support/objects.h"

/* Scores of nodes (docs/rules/placement.md#score). */

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static struct jl_place_node twin_node(enum joulie_node_class class_, double headroom,
                                      double cooling)
{
    struct jl_place_node node = { 0 };
    JL_MARK(&node, JL_PLACE_TWIN);
    JL_PUT(&node, JL_PLACE_UPDATED, updated_ms, NOW_MS);
    JL_PUT(&node, JL_PLACE_CLASS, class_, class_);
    JL_PUT(&node, JL_PLACE_HEADROOM, headroom, headroom);
    JL_PUT(&node, JL_PLACE_COOLING, cooling, cooling);
    return node;
}

static void set_power(struct jl_place_node *node, double capped_w, double measured_w)
{
    JL_PUT(node, JL_PLACE_CAPPED, capped_w, capped_w);
    JL_PUT(node, JL_PLACE_MEASURED, measured_w, measured_w);
}

static struct joulie_place_config config_of(enum joulie_place_rules rules)
{
    struct joulie_place_config config;
    jl_place_config_init(&config, rules);
    return config;
}

static struct joulie_work standard_pod(double cores)
{
    return (struct joulie_work){ .workload_class = JOULIE_WORKLOAD_STANDARD, .cpu_cores = cores };
}

static struct jl_place_aggregate aggregate(enum joulie_place_rules rules,
                                           const struct jl_place_node *nodes, size_t count)
{
    const struct joulie_place_config config = config_of(rules);
    struct jl_place_aggregate out;
    jl_place_aggregate_nodes(&config, nodes, count, NOW_MS, &out);
    return out;
}

static struct jl_place_score score_one(enum joulie_place_rules rules, const struct joulie_work *pod,
                                       const struct jl_place_node *node)
{
    const struct joulie_place_config config = config_of(rules);
    const struct jl_place_aggregate none = { 0 };
    struct jl_place_score score;
    jl_place_score_node(&config, &none, pod, node, NOW_MS, &score);
    return score;
}

/* A twin that went through JSON text with whole numbers keeps them. */
static void a_whole_number_is_a_number(void **state)
{
    (void)state;
    struct jl_arena arena = { 0 };
    struct jl_twin_status status = { 0 };
    struct jl_place_node node = { 0 };
    read_object(&arena, &jl_twin_status_table,
                "{\"schedulableClass\":\"eco\",\"powerMeasurement\":{\"measuredNodePowerW\":0,"
                "\"nodeCappedPowerW\":432},"
                "\"predictedPowerHeadroomScore\":100,\"predictedCoolingStressScore\":0,"
                "\"lastUpdated\":\"2026-03-13T12:00:00Z\"}",
                &status);
    jl_place_set_twin(&node, &status);
    jl_arena_clear(&arena);
    const struct joulie_work pod = standard_pod(1);
    assert_near(node.capped_w, 432, 0);
    assert_int_equal(score_one(JOULIE_PLACE_RULES_V0_1_1, &pod, &node).score, 95);
}

static void a_removed_twin_leaves_nothing_behind(void **state)
{
    (void)state;
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_ECO, 70, 20);
    const struct jl_place_node empty = { 0 };
    jl_place_set_twin(&node, NULL);
    assert_memory_equal(&node, &empty, sizeof node);
}

/* Two nodes that are known and one that is not. */
static void an_unknown_node_never_beats_a_known_one(void **state)
{
    (void)state;
    struct jl_place_node nodes[3] = { twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 70, 20),
                                      twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 5, 60),
                                      { 0 } };
    set_power(&nodes[0], 1000, 300);
    set_power(&nodes[1], 1000, 950);
    const struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    const struct joulie_work pod = standard_pod(1);
    enum joulie_reject rejects[3];
    struct jl_place_score scores[3];
    jl_place_all(&config, &pod, nodes, 3, NOW_MS, 10, rejects, scores, NULL);
    assert_near(scores[0].marginal_w, 105, 1e-9);
    assert_near(scores[0].raw, 34.9, 1e-9);
    assert_int_equal(scores[0].score, 34);
    assert_near(scores[1].raw, -16.6, 1e-9);
    assert_int_equal(scores[1].score, 0);
    assert_int_equal(scores[2].score, 0); /* min(25, lowest fresh) */
    assert_int_equal(scores[2].basis, JOULIE_BASIS_MISSING);
}

static void only_candidates_limit_the_unknown_score(void **state)
{
    (void)state;
    struct jl_place_node nodes[2] = { twin_node(JOULIE_NODE_CLASS_ECO, 0, 100), { 0 } };
    const struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    const struct joulie_work pod = { .workload_class = JOULIE_WORKLOAD_PERFORMANCE };
    enum joulie_reject rejects[2];
    struct jl_place_score scores[2];
    jl_place_all(&config, &pod, nodes, 2, NOW_MS, 10, rejects, scores, NULL);
    assert_int_equal(rejects[0], JOULIE_REJECT_CLASS);
    assert_int_equal(scores[0].score, 0);
    assert_int_equal(scores[1].score, 25);
}

static void a_missing_measurement_is_not_zero_watts(void **state)
{
    (void)state;
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 70, 20);
    JL_PUT(&node, JL_PLACE_CAPPED, capped_w, 1000);
    const struct joulie_work pod = { .workload_class = JOULIE_WORKLOAD_PERFORMANCE,
                                     .cpu_cores = 1 };
    assert_near(score_one(JOULIE_PLACE_RULES_CURRENT, &pod, &node).projected_headroom, 59.5, 1e-9);
    assert_near(score_one(JOULIE_PLACE_RULES_V0_1_1, &pod, &node).projected_headroom, 100, 1e-9);
}

static void a_twin_without_headroom_is_missing_in_current_only(void **state)
{
    (void)state;
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 0, 0);
    JL_UNMARK(&node, JL_PLACE_HEADROOM);
    const struct joulie_work pod = standard_pod(1);
    assert_int_equal(score_one(JOULIE_PLACE_RULES_CURRENT, &pod, &node).basis,
                     JOULIE_BASIS_MISSING);
    assert_int_equal(score_one(JOULIE_PLACE_RULES_V0_1_1, &pod, &node).basis, JOULIE_BASIS_FRESH);
    set_power(&node, 1000, 300); /* computable after all */
    assert_int_equal(score_one(JOULIE_PLACE_RULES_CURRENT, &pod, &node).basis, JOULIE_BASIS_FRESH);
}

static void an_unknown_cooling_stress_earns_nothing(void **state)
{
    (void)state;
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 70, 0);
    JL_UNMARK(&node, JL_PLACE_COOLING);
    const struct joulie_work pod = standard_pod(1);
    assert_near(score_one(JOULIE_PLACE_RULES_CURRENT, &pod, &node).terms.cooling, 0, 0);
    assert_near(score_one(JOULIE_PLACE_RULES_V0_1_1, &pod, &node).terms.cooling, 15, 1e-9);
}

static void pressure_is_weighted_and_bounded_in_current(void **state)
{
    (void)state;
    struct jl_place_node nodes[3] = { twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 70, 20),
                                      twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 30, 20),
                                      twin_node(JOULIE_NODE_CLASS_ECO, 0, 20) };
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, nodes, 3).perf_pressure, 50, 1e-9);
    set_power(&nodes[0], 1000, 300);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, nodes, 3).perf_pressure, 50,
                1e-9); /* a weight is absent */
    set_power(&nodes[1], 3000, 300);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, nodes, 3).perf_pressure, 60, 1e-9);
    assert_near(aggregate(JOULIE_PLACE_RULES_V0_1_1, nodes, 3).perf_pressure, 50, 1e-9);

    struct jl_place_node over = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, -50, 20);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, &over, 1).perf_pressure, 100, 0);
    assert_near(aggregate(JOULIE_PLACE_RULES_V0_1_1, &over, 1).perf_pressure, 150, 0);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, &nodes[2], 1).perf_pressure, 0, 0);
}

static void stale_twins_count_for_nothing(void **state)
{
    (void)state;
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 0, 0);
    JL_PUT(&node, JL_PLACE_TREND, trend_w_per_min, 600);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, &node, 1).cluster_trend_w_per_min, 600, 0);
    node.updated_ms -= JL_TWIN_STALENESS_MS + 1;
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, &node, 1).cluster_trend_w_per_min, 0, 0);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, &node, 1).perf_pressure, 0, 0);
}

static void the_source_rules_know_no_heartbeat(void **state)
{
    (void)state;
    struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 50, 0);
    node.updated_ms -= 2 * JL_TWIN_STALENESS_MS;
    config.has |= JOULIE_PLACE_CONFIG_HAS_HEARTBEAT;
    config.heartbeat_ms = NOW_MS;
    assert_int_equal(jl_place_basis(&config, &node, NOW_MS), JOULIE_BASIS_FRESH);
    config.rules = JOULIE_PLACE_RULES_V0_1_1;
    assert_int_equal(jl_place_basis(&config, &node, NOW_MS), JOULIE_BASIS_STALE);
}

static void the_burst_threshold_can_be_set(void **state)
{
    (void)state;
    struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 50, 20);
    struct jl_score_context context = { .pod_class = JOULIE_WORKLOAD_PERFORMANCE,
                                        .cluster = { 0, -501 } };
    struct jl_place_score score;
    node.trend_w_per_min = 30;
    jl_place_formula(&config, &context, &node, &score);
    assert_near(score.terms.trend, -15, 1e-12);
    context.cluster.cluster_trend_w_per_min = 500;
    jl_place_formula(&config, &context, &node, &score);
    assert_near(score.terms.trend, -5, 1e-12);
    config.burst_w_per_min = 100;
    jl_place_formula(&config, &context, &node, &score);
    assert_near(score.terms.trend, -15, 1e-12);
}

/* A model alone gives the watts of the node. */
static void marginal_watts_use_the_catalog_but_not_a_guess_from_cores(void **state)
{
    (void)state;
    struct jl_hardware hardware = { .is_known = true,
                                    .sockets = 2,
                                    .total_cores = 192,
                                    .cpu_max_w = 360,
                                    .cpu_max_source = JL_FACT_CATALOG };
    const struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    const struct joulie_work pod = standard_pod(96);
    struct jl_place_node node = { 0 };
    jl_place_set_hardware(&node, &hardware, JOULIE_PLACE_RULES_CURRENT);
    assert_near(jl_place_marginal_w(&config, &pod, &node), 720 * 0.7 * 0.5, 1e-9);
    hardware.cpu_max_source = JL_FACT_CORES; /* the twin's 5 W per core; here 3.5 W per core */
    jl_place_set_hardware(&node, &hardware, JOULIE_PLACE_RULES_CURRENT);
    assert_near(jl_place_marginal_w(&config, &pod, &node), 192 * 3.5 * 0.7 * 0.5, 1e-9);
}

static void without_a_record_the_source_adds_no_watts(void **state)
{
    (void)state;
    const struct joulie_place_config current = config_of(JOULIE_PLACE_RULES_CURRENT);
    const struct joulie_place_config source = config_of(JOULIE_PLACE_RULES_V0_1_1);
    const struct joulie_work pod = standard_pod(4);
    const struct jl_place_node node = { 0 };
    assert_near(jl_place_marginal_w(&current, &pod, &node), 105, 1e-9);
    assert_near(jl_place_marginal_w(&source, &pod, &node), 0, 0);
}

/* What the caps take from the score of a node that is fresh. */
static double cap_points(const struct joulie_place_config *config, const struct joulie_work *pod,
                         const struct jl_place_node *node)
{
    const struct jl_place_aggregate none = { 0 };
    struct jl_place_score score;
    jl_place_score_node(config, &none, pod, node, NOW_MS, &score);
    assert_int_equal(score.basis, JOULIE_BASIS_FRESH);
    return -score.terms.sensitivity;
}

static void caps_cost_sensitive_pods_points(void **state)
{
    (void)state;
    const struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    struct joulie_work pod = { .cpu_sensitivity = JOULIE_LEVEL_HIGH,
                               .gpu_sensitivity = JOULIE_LEVEL_HIGH };
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 70, 20);
    node.cpu_pct = node.gpu_pct = 60;
    node.has_gpu = true;
    assert_near(cap_points(&config, &pod, &node), 10, 1e-9);
    pod.gpu_count = 1;
    assert_near(cap_points(&config, &pod, &node), 30, 1e-9);
    node.cpu_pct = 20;
    node.gpu_pct = 20;
    assert_near(cap_points(&config, &pod, &node), 40, 0);
    node.cpu_pct = 150; /* above 100 is no cap, and no bonus */
    node.gpu_pct = 0;
    assert_near(cap_points(&config, &pod, &node), 0, 0);
    node.cpu_pct = 60;
    node.has_gpu = false;
    pod.cpu_sensitivity = JOULIE_LEVEL_NONE;
    assert_near(cap_points(&config, &pod, &node), 0, 0);
}

static struct jl_place_node supplied(double psu)
{
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_ECO, 50, 50);
    JL_PUT(&node, JL_PLACE_PSU, psu, psu);
    return node;
}

static double psu_points(const struct jl_place_aggregate *cluster, double weight,
                         const struct jl_place_node *node)
{
    struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    const struct joulie_work pod = standard_pod(1);
    struct jl_place_score score;
    config.psu_weight = weight;
    jl_place_score_node(&config, cluster, &pod, node, NOW_MS, &score);
    return score.terms.psu;
}

/* Whatever the others have, a node of an unknown supply is where their mean is. */
static void an_unknown_supply_is_neither_good_nor_bad(void **state)
{
    (void)state;
    struct jl_random random = { 7 };
    for (int i = 0; i < 1000; i++) {
        struct jl_place_node nodes[3] = { supplied(jl_random_range(&random, 0, 100)),
                                          supplied(jl_random_range(&random, 0, 100)),
                                          twin_node(JOULIE_NODE_CLASS_ECO, 50, 50) };
        const struct jl_place_aggregate all = aggregate(JOULIE_PLACE_RULES_CURRENT, nodes, 3);
        assert_near(psu_points(&all, 1, &nodes[2]), 0, 0);
        assert_near(psu_points(&all, 1, &nodes[0]) + psu_points(&all, 1, &nodes[1]), 0, 1e-9);
        assert_near(psu_points(&all, 1, &nodes[0]), (nodes[1].psu - nodes[0].psu) / 2, 1e-9);
        assert_near(psu_points(&all, 0, &nodes[0]), 0, 0);
    }
}

static void a_supply_that_nothing_is_compared_with_has_no_points(void **state)
{
    (void)state;
    const struct jl_place_aggregate none = { 0 };
    const struct jl_place_node node = supplied(100);
    assert_near(psu_points(&none, 10, &node), 0, 0);
}

static void legacy_penalties_need_a_hardware_record(void **state)
{
    (void)state;
    struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_V0_1_0);
    const struct jl_place_aggregate none = { 0 };
    const struct joulie_work pod = standard_pod(4);
    struct jl_place_node node = twin_node(JOULIE_NODE_CLASS_PERFORMANCE, 70, 20);
    struct jl_place_score score;
    JL_PUT(&node, JL_PLACE_PSU, psu, 15);
    const struct jl_hardware hardware = { .is_known = true,
                                          .sockets = 2,
                                          .total_cores = 96,
                                          .cpu_max_w = 360,
                                          .cpu_max_source = JL_FACT_HARDWARE,
                                          .gpu_count = 8,
                                          .gpu_max_w = 700 };
    jl_place_score_node(&config, &none, &pod, &node, NOW_MS, &score);
    assert_near(score.raw, 77.5, 1e-9);
    jl_place_set_hardware(&node, &hardware, JOULIE_PLACE_RULES_V0_1_0);
    jl_place_score_node(&config, &none, &pod, &node, NOW_MS, &score);
    assert_near(score.raw, 56.1812, 1e-9);
    assert_int_equal(score.score, 56);
    config.is_marginal_scoring = false;
    jl_place_score_node(&config, &none, &pod, &node, NOW_MS, &score);
    assert_near(score.terms.idle_gpu, -30, 0);
    assert_near(score.terms.marginal_penalty, 0, 0);
}

/* Raw is the sum of the published terms, scores stay in range, more power never
 * scores better. */
static void scores_are_bounded_and_fall_with_power(void **state)
{
    (void)state;

    static const enum joulie_place_rules sets[] = { JOULIE_PLACE_RULES_CURRENT,
                                                    JOULIE_PLACE_RULES_V0_1_1,
                                                    JOULIE_PLACE_RULES_V0_1_0 };
    struct jl_random random = { 11 };
    for (int i = 0; i < 20000; i++) {
        const enum joulie_place_rules rules = sets[i % 3];
        struct jl_place_node node =
            twin_node(JOULIE_NODE_CLASS_ECO + (enum joulie_node_class)(i % 4),
                      jl_random_range(&random, -200, 100), jl_random_range(&random, 0, 100));
        set_power(&node, jl_random_range(&random, 1, 5000), jl_random_range(&random, 0, 6000));
        node.trend_w_per_min = jl_random_range(&random, -500, 500);
        node.cpu_pct = jl_random_range(&random, 0, 100);
        const struct joulie_work pod = { .workload_class = JOULIE_WORKLOAD_PERFORMANCE +
                                                           (enum joulie_workload_class)(i % 3),
                                         .cpu_cores = jl_random_range(&random, 0, 300),
                                         .cpu_sensitivity = JOULIE_LEVEL_HIGH };
        const struct jl_place_score score = score_one(rules, &pod, &node);
        const struct jl_place_terms *t = &score.terms;
        assert_true(score.score >= 0 && score.score <= 100);
        assert_near(score.raw,
                    t->headroom + t->cooling + t->trend + t->profile_bonus + t->pressure +
                        t->sensitivity + t->psu + t->marginal_penalty + t->idle_gpu + t->eviction,
                    1e-9);
        assert_true(t->sensitivity <= 0 && t->pressure <= 0 && t->marginal_penalty <= 0);
        node.measured_w += 100;
        assert_true(score_one(rules, &pod, &node).raw <= score.raw);
    }
}

static void absurd_watts_score_within_the_range(void **state)
{
    (void)state;
    const struct joulie_place_config config = config_of(JOULIE_PLACE_RULES_CURRENT);
    const struct joulie_work pod = standard_pod(1);
    struct jl_place_node nodes[2] = { twin_node(JOULIE_NODE_CLASS_PERFORMANCE, -1e308, 0),
                                      twin_node(JOULIE_NODE_CLASS_PERFORMANCE, -1e308, 0) };
    enum joulie_reject rejects[2];
    struct jl_place_score scores[2];
    set_power(&nodes[0], 1e308, 1e308);
    set_power(&nodes[1], 1e308, 0);
    assert_near(aggregate(JOULIE_PLACE_RULES_CURRENT, nodes, 2).perf_pressure, 100, 0);
    nodes[0].capped_w = 1e-308;
    jl_place_all(&config, &pod, nodes, 2, NOW_MS, 10, rejects, scores, NULL);
    assert_int_equal(scores[0].score, 0);
    assert_in_range(scores[1].score, 0, 100);
}

/* What no machine reports is not known; so each term of a score is a number. */
static void absurd_twins_are_not_known(void **state)
{
    (void)state;
    struct jl_twin_status status = { 0 };
    struct jl_place_node node = { 0 };
    JL_SET(&status, power_headroom_score, -1.7e308);
    JL_SET(&status, cooling_stress_score, 40);
    JL_SET(&status.power, node_capped_power_w, 5e-324);
    JL_SET(&status.power, measured_node_power_w, 1e308);
    JL_SET(&status.power, power_trend_w_per_min, 1e308);
    status.given.power = true;
    jl_place_set_twin(&node, &status);
    assert_false(JL_HAS(&node, JL_PLACE_HEADROOM));
    assert_false(JL_HAS(&node, JL_PLACE_CAPPED));
    assert_false(JL_HAS(&node, JL_PLACE_MEASURED));
    assert_false(JL_HAS(&node, JL_PLACE_TREND));
    assert_near(node.cooling, 40, 0);
}

/* The bounds that joulie/place.h gives: a number beyond 1e15 is none. */
static void a_reading_of_1e15_is_the_largest_that_is_known(void **state)
{
    static const double readings[] = { 1e15, -1e15, 1.001e15, -1.001e15 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(readings); i++) {
        struct jl_twin_status status = { 0 };
        struct jl_place_node node = { 0 };
        JL_SET(&status.power, power_trend_w_per_min, readings[i]);
        status.given.power = true;
        jl_place_set_twin(&node, &status);
        assert_int_equal(JL_HAS(&node, JL_PLACE_TREND), i < 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_number_is_a_number),
        cmocka_unit_test(a_removed_twin_leaves_nothing_behind),
        cmocka_unit_test(an_unknown_node_never_beats_a_known_one),
        cmocka_unit_test(only_candidates_limit_the_unknown_score),
        cmocka_unit_test(a_missing_measurement_is_not_zero_watts),
        cmocka_unit_test(a_twin_without_headroom_is_missing_in_current_only),
        cmocka_unit_test(an_unknown_cooling_stress_earns_nothing),
        cmocka_unit_test(pressure_is_weighted_and_bounded_in_current),
        cmocka_unit_test(stale_twins_count_for_nothing),
        cmocka_unit_test(the_source_rules_know_no_heartbeat),
        cmocka_unit_test(the_burst_threshold_can_be_set),
        cmocka_unit_test(marginal_watts_use_the_catalog_but_not_a_guess_from_cores),
        cmocka_unit_test(without_a_record_the_source_adds_no_watts),
        cmocka_unit_test(caps_cost_sensitive_pods_points),
        cmocka_unit_test(legacy_penalties_need_a_hardware_record),
        cmocka_unit_test(an_unknown_supply_is_neither_good_nor_bad),
        cmocka_unit_test(a_supply_that_nothing_is_compared_with_has_no_points),
        cmocka_unit_test(absurd_watts_score_within_the_range),
        cmocka_unit_test(absurd_twins_are_not_known),
        cmocka_unit_test(a_reading_of_1e15_is_the_largest_that_is_known),
        cmocka_unit_test(scores_are_bounded_and_fall_with_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
