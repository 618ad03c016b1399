/* SPDX-License-Identifier: Apache-2.0 */

/* Ends of ranges that a change of one would move. */

#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "power/balance.h"
#include "power/cgroup.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_balance_has_the_defaults_of_the_page),
        cmocka_unit_test(the_order_of_nodes_decides_nothing),
        cmocka_unit_test(an_id_has_at_most_200_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
