/* SPDX-License-Identifier: Apache-2.0 */

/* The binned series of a forecast (docs/rules/autoscaling-statistics.md#series). */

#include <math.h>
#include <string.h>

#include "autoscale/usage_series.h"
#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define S_NS INT64_C(1000000000)
#define MINUTE_NS (60 * S_NS)
#define HOUR_NS (60 * MINUTE_NS)
#define BIN_NS (10 * S_NS)
#define CAPACITY 12

struct fixture {
    struct jl_series_bin bins[CAPACITY];
    struct jl_usage_series series;
    double values[CAPACITY];
};

static void begin(struct fixture *f, enum jl_series_kind kind)
{
    memset(f->bins, 0xff, sizeof f->bins);
    jl_usage_series_init(&f->series, kind, BIN_NS, f->bins, CAPACITY);
}

/* At the middle of a bin. */
static void add(struct fixture *f, int64_t bin, double value)
{
    jl_usage_series_add(&f->series, NULL, value, bin * BIN_NS + BIN_NS / 2);
}

static void assert_values(struct fixture *f, const struct jl_series_worker *workers,
                          size_t workers_count, const double *expected, size_t count)
{
    assert_int_equal(
        jl_usage_series_values(&f->series, workers, sizeof *workers, workers_count, f->values),
        count);
    for (size_t i = 0; i < count; i++)
        assert_near(f->values[i], expected[i], 1e-12);
}

#define ASSERT_SERIES(f, ...)                                    \
    assert_values((f), NULL, 0, (const double[]){ __VA_ARGS__ }, \
                  sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

/* ---- shape ---- */

static void the_prediction_period_gives_bins_and_horizon(void **state)
{
    (void)state;
    struct jl_series_shape shape = jl_series_shape(MINUTE_NS, 24 * HOUR_NS, 24 * HOUR_NS);
    assert_int_equal(shape.bin_ns, 10 * S_NS);
    assert_int_equal(shape.horizon, 6);
    assert_int_equal(shape.season, 8640);
    assert_int_equal(shape.bins, 8640);
    shape = jl_series_shape(HOUR_NS, 24 * HOUR_NS, 168 * HOUR_NS);
    assert_int_equal(shape.bin_ns, 10 * MINUTE_NS);
    assert_int_equal(shape.season, 144);
    assert_int_equal(shape.bins, 1008);
    shape = jl_series_shape(25 * S_NS, 24 * HOUR_NS, 720 * HOUR_NS);
    assert_int_equal(shape.bin_ns, 10 * S_NS);
    assert_int_equal(shape.horizon, 3);
    assert_int_equal(shape.bins, JL_SERIES_MOST_BINS);
    shape = jl_series_shape(24 * HOUR_NS, HOUR_NS, 30 * MINUTE_NS);
    assert_int_equal(shape.bin_ns, HOUR_NS);
    assert_int_equal(shape.horizon, 24);
    assert_int_equal(shape.season, 2);
    assert_int_equal(shape.bins, 1);
    assert_int_equal(jl_series_shape(MINUTE_NS, 34 * S_NS, HOUR_NS).season, 3);
    assert_int_equal(jl_series_shape(MINUTE_NS, 35 * S_NS, HOUR_NS).season, 4);
}

static void no_period_is_too_short_or_too_long(void **state)
{
    (void)state;
    static const int64_t periods[] = { INT64_MIN, -1, 0, 1, INT64_MAX };
    for (size_t i = 0; i < JL_COUNT(periods); i++) {
        const struct jl_series_shape shape = jl_series_shape(periods[i], periods[i], periods[i]);
        assert_true(shape.bin_ns >= 10 * S_NS && shape.bin_ns <= HOUR_NS && shape.horizon >= 1);
        assert_true(shape.season >= 2 && shape.bins >= 1 && shape.bins <= JL_SERIES_MOST_BINS);
    }
}

/* ---- largest values ---- */

static void a_bin_holds_the_largest_value(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, JL_SERIES_MAX);
    assert_int_equal(jl_usage_series_values(&f.series, NULL, 0, 0, f.values), 0);
    add(&f, 100, 5);
    add(&f, 100, 3);
    add(&f, 101, 0);
    add(&f, 102, 4);
    add(&f, 101, 2); /* late, of another worker */
    ASSERT_SERIES(&f, 5, 2, 4);
}

static void short_gaps_are_filled_and_long_ones_cut(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, JL_SERIES_MAX);
    add(&f, 100, 8);
    add(&f, 104, 4);
    ASSERT_SERIES(&f, 8, 7, 6, 5, 4);
    add(&f, 106, 10);
    ASSERT_SERIES(&f, 8, 7, 6, 5, 4, 7, 10);
    add(&f, 111, 1);
    ASSERT_SERIES(&f, 1);
}

static void the_ring_forgets_the_oldest(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, JL_SERIES_MAX);
    for (int64_t bin = 0; bin < 20; bin++)
        add(&f, bin, (double)bin);
    ASSERT_SERIES(&f, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    add(&f, 7, 99); /* too old */
    ASSERT_SERIES(&f, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    add(&f, 22, 22); /* where 8, 9 and 10 were */
    ASSERT_SERIES(&f, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22);
    add(&f, 26, 30);
    ASSERT_SERIES(&f, 15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28, 30);
    add(&f, 1000, 1);
    ASSERT_SERIES(&f, 1);
}

static void times_before_the_epoch_have_bins_too(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, JL_SERIES_MAX);
    add(&f, -2, 1);
    add(&f, -1, 2);
    add(&f, 0, 3);
    ASSERT_SERIES(&f, 1, 2, 3);
}

static void a_saved_series_is_the_same(void **state)
{
    (void)state;
    struct jl_random random = { 1 };
    for (int round = 0; round < 200; round++) {
        struct fixture f;
        struct fixture restored;
        int64_t bin = jl_random_int(&random, -50, 50);
        begin(&f, JL_SERIES_MAX);
        begin(&restored, JL_SERIES_MAX);
        for (int i = 0; i < 30; i++) {
            bin += jl_random_int(&random, 0, 3);
            add(&f, bin, jl_random_unit(&random));
        }
        for (int64_t number = f.series.newest; number >= jl_usage_series_oldest(&f.series);
             number--) {
            const struct jl_series_bin saved = jl_usage_series_get(&f.series, number);
            jl_usage_series_put(&restored.series, number, &saved);
        }
        const size_t count = jl_usage_series_values(&f.series, NULL, 0, 0, f.values);
        assert_int_equal(jl_usage_series_values(&restored.series, NULL, 0, 0, restored.values),
                         count);
        assert_memory_equal(f.values, restored.values, count * sizeof f.values[0]);
    }
}

/* ---- means ---- */

static void a_bin_is_the_mean_of_the_workers_means(void **state)
{
    (void)state;
    struct fixture f;
    struct jl_series_worker workers[2] = { { 0 }, { 0 } };
    begin(&f, JL_SERIES_MEAN);
    /* worker 0: mean 2 in bin 7, worker 1: 8 in bin 7 and 5 in bin 8 */
    jl_usage_series_add(&f.series, &workers[0], 1, 7 * BIN_NS);
    jl_usage_series_add(&f.series, &workers[0], 3, 7 * BIN_NS + 1);
    jl_usage_series_add(&f.series, &workers[1], 8, 7 * BIN_NS);
    jl_usage_series_add(&f.series, &workers[1], 5, 8 * BIN_NS);
    assert_values(&f, workers, 2, (const double[]){ 5, 5 }, 2);
    /* worker 0 is late and still counts */
    jl_usage_series_add(&f.series, &workers[0], 8, 7 * BIN_NS + 2);
    assert_values(&f, workers, 2, (const double[]){ 6, 5 }, 2);
    jl_usage_series_leave(&f.series, &workers[1]);
    assert_values(&f, workers, 2, (const double[]){ 6, 5 }, 2);
    assert_int_equal(workers[1].samples, 0);
    jl_usage_series_leave(&f.series, &workers[1]); /* nothing is left to leave */
    assert_values(&f, workers, 2, (const double[]){ 6, 5 }, 2);
}

/* Bin 0 is the one that a worker without samples has. */
static void a_worker_without_samples_is_in_no_mean(void **state)
{
    (void)state;
    struct fixture f;
    struct jl_series_worker workers[2] = { { 0 }, { 0 } };
    begin(&f, JL_SERIES_MEAN);
    jl_usage_series_add(&f.series, &workers[0], 5, 0);
    assert_values(&f, workers, 2, (const double[]){ 5 }, 1);
}

/* Calls of any size give what one call gives. */
static void means_do_not_depend_on_how_samples_arrive(void **state)
{
    (void)state;
    struct jl_random random = { 2 };
    for (int round = 0; round < 100; round++) {
        double means[CAPACITY] = { 0 };
        struct jl_series_worker workers[3] = { { 0 }, { 0 }, { 0 } };
        struct fixture f;
        begin(&f, JL_SERIES_MEAN);
        for (size_t worker = 0; worker < 3; worker++) { /* one worker after the other */
            for (int64_t bin = 0; bin < CAPACITY; bin++) {
                const double first = jl_random_unit(&random);
                const double second = jl_random_unit(&random);
                jl_usage_series_add(&f.series, &workers[worker], first, bin * BIN_NS);
                jl_usage_series_add(&f.series, &workers[worker], second, bin * BIN_NS + 1);
                means[bin] += (first + second) / 2 / 3;
            }
        }
        assert_values(&f, workers, 3, means, CAPACITY);
    }
}

static void any_time_is_survived(void **state)
{
    (void)state;
    static const int64_t times[] = { 0, INT64_MIN, INT64_MAX, -1, INT64_MIN + 1 };
    for (size_t i = 0; i < JL_COUNT(times) * JL_COUNT(times); i++) {
        struct fixture f;
        begin(&f, JL_SERIES_MAX);
        jl_usage_series_put(&f.series, INT64_MAX, &(struct jl_series_bin){ 1, 1 });
        assert_false(f.series.has_any);
        jl_usage_series_add(&f.series, NULL, 1, times[i % JL_COUNT(times)]);
        jl_usage_series_add(&f.series, NULL, 2, times[i / JL_COUNT(times)]);
        assert_in_range(jl_usage_series_values(&f.series, NULL, 0, 0, f.values), 1, CAPACITY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prediction_period_gives_bins_and_horizon),
        cmocka_unit_test(no_period_is_too_short_or_too_long),
        cmocka_unit_test(a_bin_holds_the_largest_value),
        cmocka_unit_test(short_gaps_are_filled_and_long_ones_cut),
        cmocka_unit_test(the_ring_forgets_the_oldest),
        cmocka_unit_test(times_before_the_epoch_have_bins_too),
        cmocka_unit_test(a_saved_series_is_the_same),
        cmocka_unit_test(a_bin_is_the_mean_of_the_workers_means),
        cmocka_unit_test(means_do_not_depend_on_how_samples_arrive),
        cmocka_unit_test(any_time_is_survived),
        cmocka_unit_test(a_worker_without_samples_is_in_no_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
