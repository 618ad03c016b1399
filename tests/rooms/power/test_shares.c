/* SPDX-License-Identifier: Apache-2.0 */

/* Energy among pods and watts among nodes (docs/rules/energy.md#attribution, #balance). */

#include <math.h>

#include <joulie/error.h>

#include "base/random.h"
#include "base/text.h"
#include "power/balance.h"
#include "power/energy.h"
#include "support/test.h"

#define NODES 10

static struct jl_balance usual(double budget_w)
{
    return (struct jl_balance){ .budget_w = budget_w,
                                .min_w = 100,
                                .max_w = 200,
                                .decrease_pct = 30,
                                .increase_pct = 10,
                                .lower_pct = 90,
                                .upper_pct = 98 };
}

static struct jl_balance_node node(double cap_w, double used_w)
{
    return (struct jl_balance_node){ .cap_w = cap_w, .has_used = true, .used_w = used_w };
}

static void energy_above_idle_goes_by_cpu_time(void **state)
{
    const struct jl_energy_window dynamic = { 2000, 800, false };
    const struct jl_energy_window full = { 2000, 800, true };
    const double cpu_s[] = { 30, 10 };
    struct jl_energy_share shares[2];
    (void)state;
    assert_int_equal(jl_energy_attribute(&dynamic, cpu_s, 2, shares), 0);
    assert_near(shares[0].total_j, 900, 0);
    assert_near(shares[1].total_j, 300, 0);
    assert_int_equal(jl_energy_attribute(&full, cpu_s, 2, shares), 0);
    assert_near(shares[0].idle_j, 600, 0);
    assert_near(shares[0].total_j, 1500, 0);
    assert_near(shares[1].total_j, 500, 0);
}

/* It wants more above the upper share of its cap, not at it. */
static void a_node_at_the_upper_share_of_its_cap_keeps_it(void **state)
{
    const struct jl_balance balance = usual(1000);
    const struct jl_balance_node at = node(150, 147); /* 98 % */
    const struct jl_balance_node above = node(150, 147.01);
    double cap_w = 0;
    (void)state;
    assert_int_equal(jl_balance_round(&balance, &at, 1, &cap_w), 0);
    assert_near(cap_w, 150, 0);
    assert_int_equal(jl_balance_round(&balance, &above, 1, &cap_w), 0);
    assert_true(cap_w > 150);
}

static void a_pod_that_used_nothing_has_no_share(void **state)
{
    const struct jl_energy_window window = { 2000, 800, true };
    const double cpu_s[] = { 0, 0 };
    struct jl_energy_share shares[2];
    (void)state;
    assert_int_equal(jl_energy_attribute(&window, cpu_s, 2, shares), 0);
    assert_near(shares[0].total_j, 0, 0);
    assert_int_equal(jl_energy_attribute(&window, cpu_s, 0, shares), 0);
}

static void shares_never_add_up_to_more_than_the_package(void **state)
{
    const struct jl_energy_window high_idle = { 500, 800, true };
    const double cpu_s[] = { 1, 2, 4 };
    struct jl_energy_share shares[3];
    double sum_j = 0;
    (void)state;
    assert_int_equal(jl_energy_attribute(&high_idle, cpu_s, 3, shares), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_near(shares[i].dynamic_j, 0, 0);
        sum_j += shares[i].total_j;
    }
    assert_near(sum_j, 500, 1e-9);
}

static void cpu_times_that_are_no_numbers_are_refused(void **state)
{
    const struct jl_energy_window window = { 2000, 800, true };
    const double overflow[] = { 1e308, 1e308 };
    const double odd[] = { 1, NAN };
    struct jl_energy_share shares[2] = { { .total_j = 7 }, { .total_j = 7 } };
    (void)state;
    assert_int_equal(jl_energy_attribute(&window, overflow, 2, shares), JOULIE_E_RANGE);
    assert_int_equal(jl_energy_attribute(&window, odd, 2, shares), JOULIE_E_RANGE);
    assert_near(shares[0].total_j, 7, 0);
}

/* three rounds of one budget */
static void a_node_that_takes_its_increase_leaves_the_rest_to_the_others(void **state)
{
    const struct jl_balance balance = usual(1800);
    struct jl_balance_node nodes[NODES];
    double caps_w[NODES];
    (void)state;
    nodes[0] = node(130, 128);
    nodes[1] = node(153, 150);
    nodes[1].has_new_job = true;
    for (size_t i = 2; i < NODES; i++)
        nodes[i] = node(189.6, 189.6);
    assert_int_equal(jl_balance_round(&balance, nodes, NODES, caps_w), 0);
    assert_near(caps_w[0], 140, 1e-9);
    for (size_t i = 1; i < NODES; i++)
        assert_true(caps_w[i] == caps_w[1]);
    assert_near(caps_w[1], 1660.0 / 9, 1e-9);
}

static void a_node_whose_use_is_unknown_keeps_its_cap(void **state)
{
    const struct jl_balance balance = usual(1000);
    const struct jl_balance_node nodes[] = { { .cap_w = 150 }, node(180, 110) };
    double caps_w[2];
    (void)state;
    assert_int_equal(jl_balance_round(&balance, nodes, 2, caps_w), 0);
    assert_near(caps_w[0], 150, 0);
    assert_near(caps_w[1], 150, 0);
}

static void no_node_is_capped_below_its_minimum_to_save_the_budget(void **state)
{
    const struct jl_balance balance = usual(150);
    const struct jl_balance_node nodes[] = { node(180, 180), node(180, 180), node(50, 10) };
    double caps_w[3];
    (void)state;
    assert_int_equal(jl_balance_round(&balance, nodes, 3, caps_w), 0);
    for (size_t i = 0; i < 3; i++)
        assert_near(caps_w[i], 100, 0);
    assert_int_equal(jl_balance_round(&balance, nodes, 0, caps_w), 0);
}

static void a_round_stays_within_budget_and_bounds(void **state)
{
    struct jl_random random = { 42 };
    (void)state;
    for (int round = 0; round < 2000; round++) {
        const struct jl_balance balance = usual(NODES * (100 + 100 * jl_random_unit(&random)));
        struct jl_balance_node nodes[NODES];
        double caps_w[NODES];
        double kept_w = 0;
        double sum_w = 0;
        for (size_t i = 0; i < NODES; i++) {
            nodes[i] = node(balance.budget_w / NODES, 220 * jl_random_unit(&random));
            nodes[i].has_new_job = jl_random_unit(&random) < 0.1;
            kept_w += nodes[i].cap_w;
        }
        assert_int_equal(jl_balance_round(&balance, nodes, NODES, caps_w), 0);
        for (size_t i = 0; i < NODES; i++) {
            assert_true(caps_w[i] >= 100 && caps_w[i] <= 200);
            sum_w += caps_w[i];
        }
        assert_true(sum_w <= balance.budget_w + 1e-6 && kept_w <= balance.budget_w + 1e-6);
    }
}

static void numbers_that_are_none_stay_within_the_bounds(void **state)
{
    const struct jl_balance balance = usual(1e308);
    const struct jl_balance_node nodes[] = { node(1e308, 1e308), node(150, NAN),
                                             node(0, INFINITY) };
    double caps_w[3];
    (void)state;
    assert_int_equal(jl_balance_round(&balance, nodes, 3, caps_w), 0);
    for (size_t i = 0; i < 3; i++)
        assert_true(caps_w[i] >= 100 && caps_w[i] <= 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_above_idle_goes_by_cpu_time),
        cmocka_unit_test(a_node_at_the_upper_share_of_its_cap_keeps_it),
        cmocka_unit_test(a_pod_that_used_nothing_has_no_share),
        cmocka_unit_test(shares_never_add_up_to_more_than_the_package),
        cmocka_unit_test(cpu_times_that_are_no_numbers_are_refused),
        cmocka_unit_test(a_node_that_takes_its_increase_leaves_the_rest_to_the_others),
        cmocka_unit_test(a_node_whose_use_is_unknown_keeps_its_cap),
        cmocka_unit_test(no_node_is_capped_below_its_minimum_to_save_the_budget),
        cmocka_unit_test(a_round_stays_within_budget_and_bounds),
        cmocka_unit_test(numbers_that_are_none_stay_within_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
