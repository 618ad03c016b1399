/* SPDX-License-Identifier: Apache-2.0 */

/* Ends of ranges that a change of one would move. */

#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "power/balance.h"
#include "power/cgroup.h"
#include "power/energy.h"
#include "power/rapl.h"
#include "support/test.h"

/* A node that cannot take an even share leaves the rest, wherever it stands in the list. */
static void the_order_of_nodes_decides_nothing(void **state)
{
    const struct jl_balance balance = { .budget_w = 700,
                                        .min_w = 100,
                                        .max_w = 500,
                                        .decrease_pct = 50,
                                        .increase_pct = 20,
                                        .lower_pct = 90,
                                        .upper_pct = 95 };
    /* Increases of 0.2 · 400 W: the first may have 480 W, the second 280 W. */
    const struct jl_balance_node large = { .cap_w = 400, .has_used = true, .used_w = 400 };
    const struct jl_balance_node small = { .cap_w = 200, .has_used = true, .used_w = 200 };
    const struct jl_balance_node nodes[][2] = { { large, small }, { small, large } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double caps_w[2];
        assert_int_equal(jl_balance_round(&balance, nodes[i], 2, caps_w), 0);
        assert_near(caps_w[i], 420, 1e-9);
        assert_near(caps_w[1 - i], 280, 1e-9);
    }
}

static int pod_code(size_t uid_bytes)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const char *path = NULL;
    char uid[256] = { 0 };
    assert_true(uid_bytes < sizeof uid);
    memset(uid, 'a', uid_bytes);
    return jl_cgroup_pod_path(&arena, JL_CGROUP_SYSTEMD, JL_QOS_BURSTABLE, uid, &path);
}

static void an_id_has_at_most_200_bytes(void **state)
{
    (void)state;
    assert_int_equal(pod_code(200), 0);
    assert_int_equal(pod_code(201), JOULIE_E_LIMIT);
}

static void a_balance_has_the_defaults_of_the_page(void **state)
{
    struct jl_balance balance = { 0 };
    (void)state;
    jl_balance_defaults(&balance);
    assert_near(balance.decrease_pct, 50, 0);
    assert_near(balance.increase_pct, 20, 0);
    assert_near(balance.lower_pct, 90, 0);
    assert_near(balance.upper_pct, 95, 0);
}

/* Caps from 100 to 500 W; 50 % down, 20 % up; less than 90 % of a cap is given back, more than 95 %
 * asks for more. */
static void a_node_between_its_thresholds_keeps_its_cap(void **state)
{
    static const struct {
        double used_w, cap_w;
    } rows[] = {
        { 0, 200 },     /* as much as one round takes at most: half of 400 W */
        { 200, 300 },   /* half of what it does not use */
        { 359, 379.5 }, /* below 90 % */
        { 360, 400 },   /* at 90 % */
        { 380, 400 },   /* at 95 % */
        { 380.5, 480 }, /* above 95 %: an increase more */
        { 1000, 480 },
    };
    struct jl_balance balance = { .budget_w = 1000, .min_w = 100, .max_w = 500 };
    (void)state;
    jl_balance_defaults(&balance);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_balance_node node = { .cap_w = 400,
                                              .has_used = true,
                                              .used_w = rows[i].used_w };
        double cap_w = 0;
        assert_int_equal(jl_balance_round(&balance, &node, 1, &cap_w), 0);
        assert_near(cap_w, rows[i].cap_w, 1e-9);
    }
}

static enum jl_energy_drop drop_of(double sleep_s, double seconds)
{
    const struct jl_energy_step step = { .has_last = true,
                                         .now_uj = 1000000,
                                         .range_uj = 65532610987,
                                         .max_w = 100,
                                         .sleep_s = sleep_s,
                                         .seconds = seconds };
    return jl_energy_delta(&step).drop;
}

/* A counter of 65532.610987 J wraps after 655.32610987 s of 100 W. */
static void more_than_a_second_of_sleep_or_a_whole_wrap_is_no_reading(void **state)
{
    (void)state;
    assert_int_equal(drop_of(1, 5), JL_ENERGY_KEPT);
    assert_int_equal(drop_of(-1, 5), JL_ENERGY_KEPT);
    assert_int_equal(drop_of(1.001, 5), JL_ENERGY_SUSPEND);
    assert_int_equal(drop_of(-1.001, 5), JL_ENERGY_SUSPEND);
    assert_int_equal(drop_of(0, 655.3261), JL_ENERGY_KEPT);
    assert_int_equal(drop_of(0, 655.3262), JL_ENERGY_GAP);
}

static void a_count_beyond_every_counter_stays_below_63_bits(void **state)
{
    (void)state;
    assert_true(jl_energy_of_count_uj(9100000000000, 1) == 9100000000000000000);
    assert_true(jl_energy_of_count_uj(9300000000000, 1) == 9200000000000000000);
}

/* 10^9 nJ / 2^esu, rounded down; a register names at most 31, a number of a file may be any. */
static void an_energy_unit_may_be_too_small_for_a_nanojoule(void **state)
{
    (void)state;
    assert_true(jl_rapl_energy_unit_nj(0) == 1000000000);
    assert_true(jl_rapl_energy_unit_nj(29) == 1);
    assert_true(jl_rapl_energy_unit_nj(30) == 0);
    assert_true(jl_rapl_energy_unit_nj(63) == 0);
    assert_true(jl_rapl_energy_unit_nj(64) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_balance_has_the_defaults_of_the_page),
        cmocka_unit_test(the_order_of_nodes_decides_nothing),
        cmocka_unit_test(an_id_has_at_most_200_bytes),
        cmocka_unit_test(a_node_between_its_thresholds_keeps_its_cap),
        cmocka_unit_test(more_than_a_second_of_sleep_or_a_whole_wrap_is_no_reading),
        cmocka_unit_test(a_count_beyond_every_counter_stays_below_63_bits),
        cmocka_unit_test(an_energy_unit_may_be_too_small_for_a_nanojoule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
