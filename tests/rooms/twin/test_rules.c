/* SPDX-License-Identifier: Apache-2.0 */

/* The small rules of the twin: caps , power from utilisation, density, PSU,
 * class. */

#include "support/test.h"
#include "twin/budget.h"
#include "twin/caps_in_force.h"
#include "twin/power_tiers.h"
#include "twin/scores.h"
#include "twin/twin.h"

#define TOLERANCE 1e-6

static void caps_in_watts_become_percent_of_the_maximum(void **state)
{
    (void)state;
    struct jl_cap_request request = { .has_w = true, .w = 216, .max_w = 360 };
    assert_near(jl_cap_requested_pct(&request), 60, TOLERANCE);
    request.w = 5000;
    assert_near(jl_cap_requested_pct(&request), 100, 0);
    request = (struct jl_cap_request){ .has_w = true, .w = 216 }; /* maximum unknown */
    assert_near(jl_cap_requested_pct(&request), 100, 0);
}

static void watts_win_over_percent_unless_they_are_not_positive(void **state)
{
    (void)state;
    struct jl_cap_request request = {
        .has_w = true, .w = 216, .has_pct = true, .pct = 80, .max_w = 360
    };
    assert_near(jl_cap_requested_pct(&request), 60, TOLERANCE);
    request.w = 0;
    assert_near(jl_cap_requested_pct(&request), 80, 0);
}

/* The source takes absolute caps for no cap. */
static void version_rules_know_percent_only(void **state)
{
    (void)state;
    struct jl_cap_request request = { .has_w = true, .w = 120, .max_w = 360 };
    assert_near(jl_cap_source_pct(&request), 100, 0);
    assert_true(jl_cap_requested_pct(&request) < 34);
    request = (struct jl_cap_request){ .has_pct = true, .pct = 150 };
    assert_near(jl_cap_source_pct(&request), 150, 0);
    request.pct = -10;
    assert_near(jl_cap_source_pct(&request), 100, 0);
}

static void feedback_decides_whether_a_cap_counts(void **state)
{
    (void)state;

    static const struct {
        enum joulie_cap_feedback feedback;
        bool has_previous;
        double previous_pct, pct;
        enum joulie_cap_state state;
    } rows[] = {
        { JOULIE_CAP_FEEDBACK_UNKNOWN, false, 0, 60, JOULIE_CAP_STATE_REQUESTED },
        { JOULIE_CAP_FEEDBACK_APPLIED, true, 100, 60, JOULIE_CAP_STATE_REQUESTED },
        { JOULIE_CAP_FEEDBACK_PENDING, false, 0, 60, JOULIE_CAP_STATE_REQUESTED },
        { JOULIE_CAP_FEEDBACK_PENDING, true, 80, 80, JOULIE_CAP_STATE_NOT_IN_FORCE },
        { JOULIE_CAP_FEEDBACK_PENDING, true, 60, 60, JOULIE_CAP_STATE_REQUESTED },
        { JOULIE_CAP_FEEDBACK_PENDING, true, 150, 60, JOULIE_CAP_STATE_REQUESTED }, /* of v0.1.1 */
        { JOULIE_CAP_FEEDBACK_NOT_IN_FORCE, true, 80, 100, JOULIE_CAP_STATE_NOT_IN_FORCE },
    };

    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_cap_request request = { .has_pct = true,
                                                .pct = 60,
                                                .feedback = rows[i].feedback,
                                                .has_previous = rows[i].has_previous,
                                                .previous_pct = rows[i].previous_pct };
        jl_int cap_state;
        assert_near(jl_cap_in_force_pct(&request, &cap_state), rows[i].pct, 0);
        assert_int_equal(cap_state, rows[i].state);
    }
}

static void feedback_without_an_intent_means_nothing(void **state)
{
    (void)state;
    const struct jl_cap_request request = { .feedback = JOULIE_CAP_FEEDBACK_PENDING,
                                            .has_previous = true,
                                            .previous_pct = 40 };
    jl_int cap_state;
    assert_near(jl_cap_in_force_pct(&request, &cap_state), 100, 0);
    assert_int_equal(cap_state, JOULIE_CAP_STATE_NONE);
}

/* A node without a meter has a power all the same. */
static void power_follows_from_utilization(void **state)
{
    (void)state;
    struct jl_power_estimate node = {
        .cpu_tdp_w = 700, .cpu_capped_w = 700, .has_cpu_util = true, .cpu_util_pct = 50
    };
    assert_near(jl_power_estimate_w(&node), 420, TOLERANCE);
    node = (struct jl_power_estimate){
        .cpu_tdp_w = 720,
        .cpu_capped_w = 720,
        .has_cpu_util = true,
        .has_cpu_curve = true,
        .cpu_curve_w = 410,
    };
    assert_near(jl_power_estimate_w(&node), 410, 0);
    node.cpu_curve_w = 577;
    node.cpu_capped_w = 432; /* limited to what the cap allows */
    assert_near(jl_power_estimate_w(&node), 432, 0);
}

static void gpus_add_theirs(void **state)
{
    (void)state;
    struct jl_power_estimate node = { .cpu_tdp_w = 700,
                                      .cpu_capped_w = 700,
                                      .has_cpu_util = true,
                                      .gpu_count = 8,
                                      .gpu_max_w = 700,
                                      .gpu_idle_w = 100,
                                      .gpu_capped_w = 5600 };
    assert_near(jl_power_estimate_w(&node), 140 + 5600, TOLERANCE); /* utilisation unknown */
    node.has_gpu_util = true;
    node.gpu_util_pct = 50;
    assert_near(jl_power_estimate_w(&node), 140 + 3200, TOLERANCE);
    node.gpu_idle_w = 0; /* unknown: a tenth of the maximum */
    node.gpu_util_pct = 0;
    assert_near(jl_power_estimate_w(&node), 140 + 560, TOLERANCE);
    node.gpu_util_pct = 250; /* counts as 100 */
    assert_near(jl_power_estimate_w(&node), 140 + 5600, TOLERANCE);
    node.gpu_capped_w = 3360;
    assert_near(jl_power_estimate_w(&node), 140 + 3360, TOLERANCE);
}

/* Each part by its utilisation, else by the pods, else by its cap. */
static void a_part_without_utilization_draws_what_pods_ask_for(void **state)
{
    (void)state;
    struct jl_power_estimate node = { .cpu_tdp_w = 700,
                                      .cpu_capped_w = 420,
                                      .cpu_allocated_w = 240,
                                      .gpu_count = 8,
                                      .gpu_max_w = 700,
                                      .gpu_idle_w = 100,
                                      .gpu_capped_w = 3360 };
    assert_near(jl_power_estimate_w(&node), 240 + 3360, 0);
    node.has_gpu_allocated = true;
    node.gpu_allocated_w = 1710;
    assert_near(jl_power_estimate_w(&node), 240 + 1710, 0);
    node.cpu_allocated_w = 500; /* more than the caps allow */
    node.gpu_allocated_w = 4000;
    assert_near(jl_power_estimate_w(&node), 420 + 3360, 0);
    node.has_gpu_util = true;
    assert_near(jl_power_estimate_w(&node), 420 + 800, 0);
}

static void density_counts_cores_and_gpus(void **state)
{
    (void)state;
    assert_near(jl_density_score(64, false, 8), 33.333333333, TOLERANCE);
    assert_near(jl_density_score(128, true, 8), 83.333333333, TOLERANCE);
    assert_near(jl_density_score(400, false, 0), 100, 0);
    assert_near(jl_density_score(192, true, 4), 75, TOLERANCE);
}

static void psu_stress_needs_a_power_and_its_own_capacity(void **state)
{
    (void)state;
    double stress = 0;
    struct jl_supplies psu = { .rack = { 10000, JL_RACK_CAPACITY_W },
                               .cluster = { .power_w = 40000 } };
    assert_true(jl_psu_stress(&psu, &stress));
    assert_near(stress, 20, TOLERANCE);
    psu.rack.power_w = 60000;
    assert_true(jl_psu_stress(&psu, &stress));
    assert_near(stress, 100, 0);
    psu.rack.power_w = 0;
    assert_false(jl_psu_stress(&psu, &stress));
    psu.cluster.capacity_w = 200000;
    assert_true(jl_psu_stress(&psu, &stress));
    assert_near(stress, 20, TOLERANCE);
}

/* In the source any cluster above 50 kW pins the score. */
static void version_rules_measure_the_cluster_against_a_rack(void **state)
{
    (void)state;
    assert_near(jl_psu_stress_source(0, 1e9), 100, 0);
    assert_near(jl_psu_stress_source(10000, 40000), 20, TOLERANCE);
    assert_near(jl_psu_stress_source(0, 0), 0, 0);
}

/* 2 x 360 W at 60 % and 8 x 400 W at 60 %. */
static void a_node_adds_its_reading_to_its_rack_else_its_caps(void **state)
{
    (void)state;
    const struct jl_budget budget = jl_budget_of(720, 3200, 60, 60);
    double share = 0;
    struct jl_twin_status node = { 0 };
    assert_false(jl_status_rack_share_w(&node, &share));
    JL_SET(&node.power, node_capped_power_w, budget.node_capped_w);
    assert_true(jl_status_rack_share_w(&node, &share));
    assert_near(share, 2352, TOLERANCE);
    JL_SET(&node.power, measured_node_power_w, 1000);
    assert_true(jl_status_rack_share_w(&node, &share));
    assert_near(share, 1000, 0);
}

static void draining_comes_before_the_profile(void **state)
{
    (void)state;
    assert_int_equal(jl_twin_class(JOULIE_PROFILE_ECO, true), JOULIE_NODE_CLASS_DRAINING);
    assert_int_equal(jl_twin_class(JOULIE_PROFILE_UNKNOWN, true), JOULIE_NODE_CLASS_DRAINING);
    assert_int_equal(jl_twin_class(JOULIE_PROFILE_ECO, false), JOULIE_NODE_CLASS_ECO);
    assert_int_equal(jl_twin_class(JOULIE_PROFILE_PERFORMANCE, false),
                     JOULIE_NODE_CLASS_PERFORMANCE);
    assert_int_equal(jl_twin_class(JOULIE_PROFILE_UNKNOWN, false), JOULIE_NODE_CLASS_WORD_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_in_watts_become_percent_of_the_maximum),
        cmocka_unit_test(watts_win_over_percent_unless_they_are_not_positive),
        cmocka_unit_test(version_rules_know_percent_only),
        cmocka_unit_test(feedback_decides_whether_a_cap_counts),
        cmocka_unit_test(feedback_without_an_intent_means_nothing),
        cmocka_unit_test(power_follows_from_utilization),
        cmocka_unit_test(gpus_add_theirs),
        cmocka_unit_test(a_part_without_utilization_draws_what_pods_ask_for),
        cmocka_unit_test(density_counts_cores_and_gpus),
        cmocka_unit_test(psu_stress_needs_a_power_and_its_own_capacity),
        cmocka_unit_test(version_rules_measure_the_cluster_against_a_rack),
        cmocka_unit_test(a_node_adds_its_reading_to_its_rack_else_its_caps),
        cmocka_unit_test(draining_comes_before_the_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
