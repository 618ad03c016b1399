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

/* Watts per minute over the samples of five minutes, of three in a row of one minute: half of what
 * the last is above the first; of two what the second is above the first. */
static void a_trend_goes_on_when_its_first_sample_leaves_the_window(void **state)
{
    static const struct {
        double watts[3]; /* one minute apart */
        double trend;
        double later; /* without the first */
    } rows[] = {
        { { 100, 200, 100 }, 0, -100 },
        { { 100, 100, 200 }, 50, 100 },
        { { 200, 100, 100 }, -50, 0 },
        { { 100, 100, 100 }, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        for (int k = 0; k < 3; k++) {
            measure(cluster, "a", NOW_MS + k * MINUTE, rows[i].watts[k]);
            settle(cluster, NOW_MS + k * MINUTE);
        }
        settle(cluster, NOW_MS + 5 * MINUTE - 1);
        assert_near(explain(cluster, "a").status->power.power_trend_w_per_min, rows[i].trend, 1e-9);
        settle(cluster, NOW_MS + 5 * MINUTE);
        assert_near(explain(cluster, "a").status->power.power_trend_w_per_min, rows[i].later, 1e-9);
        joulie_cluster_free(cluster);
    }
}

/* Samples that came in disorder, as many as are kept: one, a second younger than the oldest, draws
 * more than all others. Where the first of the array or the middle one is five minutes old, all
 * that are make room, and that one stays: the trend falls because of it. */
static void old_samples_make_room_whatever_order_they_came_in(void **state)
{
    static const struct {
        int old[4]; /* places of the oldest */
        int high;
    } rows[] = {
        { { 0, 1, 3, 4 }, 2 },
        { { KEPT / 2, KEPT / 2 + 1, KEPT / 2 + 2, KEPT / 2 + 3 }, 1 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        for (int k = 0; k < KEPT; k++) {
            int64_t at_ms = NOW_MS + 2 * MINUTE + k;
            for (size_t j = 0; j < JL_COUNT(rows[i].old); j++)
                at_ms = rows[i].old[j] == k ? NOW_MS : at_ms;
            if (k == rows[i].high)
                measure(cluster, "a", NOW_MS + SECOND, 900);
            else
                measure(cluster, "a", at_ms, 100);
        }
        for (int k = 0; k < 3; k++)
            measure(cluster, "a", NOW_MS + 5 * MINUTE, 100);
        step(cluster, NOW_MS + 5 * MINUTE);
        assert_true(explain(cluster, "a").status->power.power_trend_w_per_min < 0);
        joulie_cluster_free(cluster);
    }
}

/* At most five minutes old it counts, whatever the time of the step before. */
static void a_reading_counts_by_the_time_of_the_step(void **state)
{
    static const struct {
        int64_t after_ms;
        bool counts;
    } rows[] = { { 0, true },
                 { 5 * MINUTE, true },
                 { 5 * MINUTE + 1, false },
                 { 10 * MINUTE, false },
                 { 1 * MINUTE, true }, /* the clock was set back */
                 { 6 * MINUTE, false } };
    struct joulie_cluster *cluster = new_cluster(NULL);
    (void)state;
    put_cpu_node(cluster, "a");
    measure(cluster, "a", NOW_MS, 100);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        settle(cluster, NOW_MS + rows[i].after_ms);
        const struct jl_power_measurement *power = &explain(cluster, "a").status->power;
        assert_int_equal(power->source == JOULIE_POWER_SOURCE_PROMETHEUS, rows[i].counts);
    }
    joulie_cluster_free(cluster);
}

/* Readings a few seconds ahead of the step: one more of the same watts takes the oldest out of the
 * window, and what stays is too short for a trend. */
static void an_equal_reading_may_end_a_steady_trend(void **state)
{
    const int64_t last_ms = NOW_MS + 5 * MINUTE - 2 * SECOND;
    struct joulie_cluster *cluster = new_cluster(NULL);
    (void)state;
    put_cpu_node(cluster, "a");
    measure(cluster, "a", NOW_MS, 100);
    measure(cluster, "a", last_ms, 100);
    settle(cluster, last_ms);
    measure(cluster, "a", last_ms + 4 * SECOND, 100);
    settle(cluster, last_ms + SECOND);
    assert_true(has_trend(cluster));
    measure(cluster, "a", last_ms + 5 * SECOND, 100);
    settle(cluster, last_ms + SECOND + 1);
    assert_false(has_trend(cluster));
    joulie_cluster_free(cluster);
}

/* From 5 s before its time on, whether or not one that is newer counts as well. */
static void a_reading_that_is_ahead_counts_when_its_time_comes(void **state)
{
    struct joulie_cluster *cluster = new_cluster(NULL);
    struct joulie_cluster_sample busy = JOULIE_INIT(struct joulie_cluster_sample);
    (void)state;
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    measure(cluster, "a", NOW_MS, 100);
    for (int i = 11; i <= 15; i += 2)
        measure(cluster, "a", NOW_MS + i * SECOND, 100);
    busy.has = JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL; /* which is no sample of a trend */
    busy.cpu_util_pct = 100;
    busy.at_ms = NOW_MS + 11 * SECOND;
    assert_int_equal(joulie_cluster_put_sample(cluster, "b", &busy, NULL), 0);
    settle(cluster, NOW_MS);
    for (int early = 1; early >= 0; early--) {
        settle(cluster, NOW_MS + 6 * SECOND - early);
        assert_int_equal(has_trend(cluster), !early);
        assert_int_equal(explain(cluster, "b").status->power.source,
                         early ? JOULIE_POWER_SOURCE_ALLOCATION : JOULIE_POWER_SOURCE_UTILIZATION);
    }
    joulie_cluster_free(cluster);
}

/* A node of which no highest power is known: two percent of what is stored. */
static void watts_of_an_unknown_node_are_written_by_their_own_share(void **state)
{
    static const struct {
        double watts;
        bool is_written;
    } rows[] = { { 101.9, false }, { 102, true },  { 104, false },
                 { 104.05, true }, { 102, false }, { 101.9, true } };
    struct joulie_cluster *cluster = new_cluster(NULL);
    (void)state;
    put(cluster, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'a'}}");
    measure(cluster, "a", NOW_MS, 100);
    settle(cluster, NOW_MS);
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const int64_t now_ms = NOW_MS + (int64_t)(i + 1) * SECOND / 2; /* too short for a trend */
        measure(cluster, "a", now_ms, rows[i].watts);
        const struct actions actions = step(cluster, now_ms);
        assert_int_equal(find_action(&actions, JOULIE_CHANGE_STATUS, "a") != NULL,
                         rows[i].is_written);
        apply_all(cluster, &actions);
    }
    joulie_cluster_free(cluster);
}

/* Sources end with the last word; bits that nobody knows and the reserved member stay 0. */
static void a_sample_of_a_later_release_is_refused(void **state)
{
    const uint64_t known = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER |
                           JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL | JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL;
    struct joulie_cluster *cluster = new_cluster(NULL);
    const struct joulie_cluster_sample good = { .struct_size = sizeof good, .at_ms = NOW_MS };
    struct joulie_cluster_sample sample = good;
    (void)state;
    put_cpu_node(cluster, "a");
    sample.source = JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), 0);
    sample.source = (enum joulie_power_source)(JOULIE_POWER_SOURCE_PROMETHEUS_NO_DATA + 1);
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_E_ENUM);
    for (int bit = 0; bit < 64; bit++) {
        sample = good;
        sample.has = UINT64_C(1) << bit;
        assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL),
                         (sample.has & known) != 0 ? 0 : JOULIE_E_ABI);
    }
    sample = good;
    sample.reserved = 1;
    assert_int_equal(joulie_cluster_put_sample(cluster, "a", &sample, NULL), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

/* ---- readings of every node at one time ---- */

static void read_all(struct joulie_cluster *cluster, int64_t at_ms, double a_w, double b_w)
{
    const double power_w[] = { a_w, b_w };
    assert_int_equal(jl_cluster_sample_all(cluster, at_ms, power_w, 2, NULL), 0);
}

static const struct jl_power_measurement *power_of(struct joulie_cluster *cluster, const char *name)
{
    return &explain(cluster, name).status->power;
}

/* So many beats of half a minute at 100 W: more than are remembered of one that takes none. The
 * trend of the last five minutes then is that of ten samples, the last of them 50 W higher: 50 W *
 * 9 / 2 * 0.5 min over the sum of (0.5 * k)^2 min2, k from -4.5 to 4.5, 20.625. */
static void a_node_that_moves_after_many_equal_readings_has_the_trend_of_them(void **state)
{
    (void)state;
    for (int beats = 60; beats < 200; beats += 3) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        int64_t at_ms = NOW_MS;
        put_cpu_node(cluster, "a");
        put_cpu_node(cluster, "b");
        for (int i = 0; i < beats; i++) {
            read_all(cluster, at_ms += MINUTE / 2, 100, 200);
            settle(cluster, at_ms);
        }
        read_all(cluster, at_ms += MINUTE / 2, 150, 200);
        settle(cluster, at_ms);
        assert_near(power_of(cluster, "a")->measured_node_power_w, 150, 0);
        assert_near(power_of(cluster, "a")->power_trend_w_per_min, 112.5 / 20.625, 1e-9);
        assert_near(power_of(cluster, "b")->power_trend_w_per_min, 0, 0);
        joulie_cluster_free(cluster);
    }
}

/* A reading counts for so many seconds. */
static void readings_of_all_grow_too_old_together(void **state)
{
    struct jl_cluster_config config = { 0 };
    (void)state;
    JL_SET(&config, staleness_s, 90);
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    for (int i = 0; i < 5; i++) {
        read_all(cluster, NOW_MS + i * MINUTE, 100, 200);
        settle(cluster, NOW_MS + i * MINUTE);
    }
    settle(cluster, NOW_MS + 4 * MINUTE + 90000);
    assert_near(power_of(cluster, "b")->measured_node_power_w, 200, 0);
    settle(cluster, NOW_MS + 4 * MINUTE + 90001);
    assert_int_equal(power_of(cluster, "b")->source, JOULIE_POWER_SOURCE_ALLOCATION);
    joulie_cluster_free(cluster);
}

/* The two that are left in the window are nearer to each other than a trend needs: 6 s. */
static void equal_readings_that_come_too_fast_have_no_trend(void **state)
{
    (void)state;
    for (int seconds = 5; seconds <= 6; seconds++) {
        struct joulie_cluster *cluster = new_cluster(NULL);
        put_cpu_node(cluster, "a");
        put_cpu_node(cluster, "b");
        for (int i = 0; i < 3; i++) {
            read_all(cluster, NOW_MS + i * MINUTE, 100, 200);
            settle(cluster, NOW_MS + i * MINUTE);
        }
        read_all(cluster, NOW_MS + 7 * MINUTE - 1000, 100, 200);
        read_all(cluster, NOW_MS + 7 * MINUTE - 1000 + seconds * 1000, 100, 200);
        settle(cluster, NOW_MS + 7 * MINUTE - 1000 + seconds * 1000);
        assert_int_equal(power_of(cluster, "b")->given.power_trend_w_per_min, seconds == 6);
        joulie_cluster_free(cluster);
    }
}

static void readings_of_all_are_checked(void **state)
{
    struct joulie_cluster *cluster = new_cluster(NULL);
    const double bad_w[] = { 100, -1 };
    (void)state;
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    assert_int_equal(jl_cluster_sample_all(cluster, NOW_MS, bad_w, 2, NULL), JOULIE_E_RANGE);
    assert_int_equal(jl_cluster_sample_all(cluster, NOW_MS, bad_w, 1, NULL), JOULIE_E_REQUIRED);
    assert_int_equal(jl_cluster_sample_all(cluster, INT64_MAX, bad_w, 2, NULL), JOULIE_E_RANGE);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_too_many_samples_the_oldest_go),
        cmocka_unit_test(a_trend_takes_every_sample_that_is_kept),
        cmocka_unit_test(a_reading_after_a_pause_has_no_trend),
        cmocka_unit_test(a_steady_trend_ends_when_its_first_sample_leaves_the_window),
        cmocka_unit_test(an_equal_reading_may_end_a_steady_trend),
        cmocka_unit_test(a_trend_goes_on_when_its_first_sample_leaves_the_window),
        cmocka_unit_test(a_reading_counts_by_the_time_of_the_step),
        cmocka_unit_test(a_sample_of_a_later_release_is_refused),
        cmocka_unit_test(watts_of_an_unknown_node_are_written_by_their_own_share),
        cmocka_unit_test(a_reading_that_is_ahead_counts_when_its_time_comes),
        cmocka_unit_test(old_samples_make_room_whatever_order_they_came_in),
        cmocka_unit_test(a_node_that_moves_after_many_equal_readings_has_the_trend_of_them),
        cmocka_unit_test(readings_of_all_grow_too_old_together),
        cmocka_unit_test(equal_readings_that_come_too_fast_have_no_trend),
        cmocka_unit_test(readings_of_all_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
