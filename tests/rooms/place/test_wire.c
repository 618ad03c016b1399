/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "place/place.h"
#include "support/test.h"

/* The number for kube-scheduler (docs/rules/placement.md#wire-score). */

static void the_wire_carries_0_to_10_rounded_half_up(void **state)
{
    (void)state;

    static const struct {
        double score;
        int wire;
    } rows[] = { { 0, 0 },  { 4.9, 0 }, { 5, 1 },   { 14.9, 1 }, { 44, 4 },
                 { 45, 5 }, { 61, 6 },  { 95, 10 }, { 120, 10 }, { -20, 0 } };

    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(jl_wire_score(rows[i].score, 10), rows[i].wire);
}

static void the_wide_range_sends_the_score_itself(void **state)
{
    (void)state;
    assert_int_equal(jl_wire_score(73, 100), 73);
    assert_int_equal(jl_wire_score(120, 100), 100);
}

/* Nodes that all score 0 keep their order. */
static void rank_spreading_keeps_the_order_of_bad_nodes(void **state)
{
    (void)state;
    const struct jl_wire_node nodes[] = {
        { true, -200, 0 }, { true, -100, 0 }, { true, -20, 0 }, { false, 0, 25 }
    };
    int wire[4];
    jl_wire_spread(nodes, 4, wire);
    assert_int_equal(wire[0], 0);
    assert_int_equal(wire[1], 6);
    assert_int_equal(wire[2], 10);
    assert_int_equal(wire[3], 0);
}

static void equal_nodes_fall_back_to_the_plain_scale(void **state)
{
    (void)state;
    const struct jl_wire_node nodes[] = { { true, 61.2, 61 }, { true, 61.2, 61 } };
    int wire[2];
    jl_wire_spread(nodes, 2, wire);
    assert_int_equal(wire[0], 6);
    assert_int_equal(wire[1], 6);
    jl_wire_spread(nodes, 0, wire);
}

static void absurd_sums_stay_on_the_scale(void **state)
{
    (void)state;
    const struct jl_wire_node nodes[] = {
        { true, -INFINITY, 0 }, { true, 0, 0 }, { true, 1e308, 100 }, { true, NAN, 0 }
    };
    int wire[4];
    jl_wire_spread(nodes, 4, wire);
    assert_int_equal(wire[0], 0);
    assert_int_equal(wire[1], 5);
    assert_int_equal(wire[2], 10);
    assert_int_equal(wire[3], 0);
    assert_int_equal(jl_wire_score(NAN, 10), 0);
}

/* By costs of 10 to 30 W: the cheapest gets the range, the most expensive 0, and what is between is
 * cut to a whole number. */
static void costs_spread_from_the_most_to_the_least_expensive(void **state)
{
    (void)state;
    assert_int_equal(jl_wire_cost(-10, -30, -10, 10), 10);
    assert_int_equal(jl_wire_cost(-30, -30, -10, 10), 0);
    assert_int_equal(jl_wire_cost(-11.9, -30, -10, 10), 9);
    assert_int_equal(jl_wire_cost(-11.9, -30, -10, 100), 90);
    assert_int_equal(jl_wire_cost(-0.7, -1, 0, 10), 3); /* a quotient of 2.9999999999999996 */
}

static void costs_that_hardly_differ_are_equal(void **state)
{
    (void)state;
    assert_int_equal(jl_wire_cost(-30, -30, -30, 10), 10);
    assert_int_equal(jl_wire_cost(-1e-9, -1e-9, 0, 10), 10);
    assert_int_equal(jl_wire_cost(-1e-8, -1e-8, 0, 10), 0);
    assert_int_equal(jl_wire_cost(-INFINITY, jl_wire_bounded(-INFINITY), 0, 10), 0);
}

/* What costs no more than a billionth of a watt more costs the same. */
static void costs_are_alike_within_a_billionth_of_a_watt(void **state)
{
    (void)state;
    assert_int_equal(jl_wire_cost(0, 0, 1e-9, 10), 10);
    assert_int_equal(jl_wire_cost(0, 0, 1.001e-9, 10), 0);
}

/* A quotient a billionth below a whole number is that number. */
static void a_cost_a_billionth_below_a_point_has_the_point(void **state)
{
    (void)state;
    assert_int_equal(jl_wire_cost(0.5 - 0.0995e-9, 0, 1, 10), 5);
    assert_int_equal(jl_wire_cost(0.5 - 0.1005e-9, 0, 1, 10), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wire_carries_0_to_10_rounded_half_up),
        cmocka_unit_test(the_wide_range_sends_the_score_itself),
        cmocka_unit_test(rank_spreading_keeps_the_order_of_bad_nodes),
        cmocka_unit_test(absurd_sums_stay_on_the_scale),
        cmocka_unit_test(equal_nodes_fall_back_to_the_plain_scale),
        cmocka_unit_test(costs_spread_from_the_most_to_the_least_expensive),
        cmocka_unit_test(costs_that_hardly_differ_are_equal),
        cmocka_unit_test(costs_are_alike_within_a_billionth_of_a_watt),
        cmocka_unit_test(a_cost_a_billionth_below_a_point_has_the_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
