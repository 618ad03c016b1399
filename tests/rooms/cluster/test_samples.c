/* SPDX-License-Identifier: Apache-2.0 */

/* Readings of power that come often, or seldom. */

#include "cluster/objects.h"

#define KEPT 1024 /* samples of one node */

/* The newest are kept: after as many of 500 W as are kept, nothing before them counts. */
static void of_too_many_samples_the_oldest_go(void **state)
{
    struct joulie_cluster *cluster = new_cluster(NULL);
    int64_t at_ms = NOW_MS;
    (void)state;
    put_cpu_node(cluster, "a");
    for (int i = 0; i < KEPT; i++)
        measure(cluster, "a", at_ms += 100, 200);
    for (int i = 0; i < KEPT; i++)
        measure(cluster, "a", at_ms += 100, 500);
    step(cluster, at_ms);
    const struct jl_power_measurement *power = &explain(cluster, "a").status->power;
    assert_near(power->measured_node_power_w, 500, 0);
    assert_near(power->power_trend_w_per_min, 0, 0);
    joulie_cluster_free(cluster);
}

/* As many as are kept count, the first of them too; one more and it is gone. */
static void a_trend_takes_every_sample_that_is_kept(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        int64_t at_ms = NOW_MS;
        put_cpu_node(cluster, "a");
        measure(cluster, "a", at_ms, 200);
        for (int i = 0; i < KEPT - 1 + more; i++)
            measure(cluster, "a", at_ms += 100, 500);
        step(cluster, at_ms);
        assert_int_equal(explain(cluster, "a").status->power.power_trend_w_per_min > 0, !more);
        joulie_cluster_free(cluster);
    }
}

/* A steady node whose readings pause: the one that comes then is alone in its window. */
static void a_reading_after_a_pause_has_no_trend(void **state)
{
    struct joulie_cluster *cluster = new_cluster(NULL);
    (void)state;
    put_cpu_node(cluster, "a");
    for (int i = 0; i < 3; i++) {
        measure(cluster, "a", NOW_MS + i * MINUTE, 100);
        settle(cluster, NOW_MS + i * MINUTE);
    }
    measure(cluster, "a", NOW_MS + 20 * MINUTE, 100);
    step(cluster, NOW_MS + 20 * MINUTE);
    assert_near(explain(cluster, "a").status->power.measured_node_power_w, 100, 0);
    assert_false(JL_HAS(&explain(cluster, "a").status->power,
                        JL_INDEX(jl_power_measurement, power_trend_w_per_min)));
    joulie_cluster_free(cluster);
}

static bool has_trend(struct joulie_cluster *cluster)
{
    return JL_HAS(&explain(cluster, "a").status->power,
                  JL_INDEX(jl_power_measurement, power_trend_w_per_min));
}

/* With the last sample alone there is none: 5 minutes after the one before it. */
static void a_steady_trend_ends_when_its_first_sample_leaves_the_window(void **state)
{
    struct joulie_cluster *cluster = new_cluster(NULL);
    (void)state;
    put_cpu_node(cluster, "a");
    for (int i = 0; i < 3; i++) {
        measure(cluster, "a", NOW_MS + i * MINUTE, 100);
        settle(cluster, NOW_MS + i * MINUTE);
    }
    settle(cluster, NOW_MS + 6 * MINUTE - 1);
    assert_true(has_trend(cluster));
    settle(cluster, NOW_MS + 6 * MINUTE);
    assert_false(has_trend(cluster));
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_too_many_samples_the_oldest_go),
        cmocka_unit_test(a_trend_takes_every_sample_that_is_kept),
        cmocka_unit_test(a_reading_after_a_pause_has_no_trend),
        cmocka_unit_test(a_steady_trend_ends_when_its_first_sample_leaves_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
