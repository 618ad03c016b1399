/* SPDX-License-Identifier: Apache-2.0 */

/* Buckets against big integers, decay against a sum with one fixed reference
 * (docs/rules/autoscaling-statistics.md#histograms). */

#include <math.h>
#include <string.h>

#include "autoscale/histogram.h"
#include "base/bigint.h"
#include "base/random.h"
#include "base/text.h"
#include "support/test.h"

#define HOUR_NS INT64_C(3600000000000)
#define NOW_NS INT64_C(1773403200000000000) /* 2026-03-13T12:00:00Z */
#define LAST_BUCKET (JL_HISTOGRAM_BUCKETS - 1)

static const double fractions[] = { 0, 0.1, 0.5, 0.66, 0.9, 0.95, 0.98, 0.99, 1 };

static struct jl_histogram tflops(int64_t half_life_ns)
{
    struct jl_histogram histogram;
    jl_histogram_init(&histogram, JL_USAGE_TFLOPS, half_life_ns);
    return histogram;
}

static void assert_same_percentiles(const struct jl_histogram *a, const struct jl_histogram *b)
{
    for (size_t i = 0; i < JL_COUNT(fractions); i++)
        assert_true(jl_histogram_percentile(a, fractions[i]) ==
                    jl_histogram_percentile(b, fractions[i]));
}

/* ---- buckets ---- */

/* out = factor * base^exponent */
static void set_power(struct jl_bigint *out, uint64_t factor, uint32_t base, unsigned exponent)
{
    jl_bigint_set(out, factor);
    for (unsigned i = 0; i < exponent; i++)
        jl_bigint_scale(out, base, 0);
}

/* Whether odd * 2^power <= wanted, both times 20^bucket. */
static int compare_to(uint64_t odd, int power, const struct jl_bigint *wanted, unsigned bucket)
{
    struct jl_bigint left;
    struct jl_bigint right = *wanted;
    set_power(&left, odd, 20, bucket);
    if (power >= 0)
        jl_bigint_shift(&left, (uint32_t)power);
    else
        jl_bigint_shift(&right, (uint32_t)-power);
    return jl_bigint_compare(&left, &right);
}

/* start = 20 f * (21^b - 20^b) / 20^b lies within half an ulp of the table's double. */
static void assert_nearest(enum jl_usage usage, unsigned bucket)
{
    const uint64_t twenty_f = usage == JL_USAGE_TFLOPS ? 2 : 200000000;
    struct jl_bigint wanted;
    struct jl_bigint subtrahend;
    int power = 0;
    const double start = jl_histogram_start(usage, bucket);
    const uint64_t digits = (uint64_t)ldexp(frexp(start, &power), 53);
    set_power(&wanted, twenty_f, 21, bucket);
    set_power(&subtrahend, twenty_f, 20, bucket);
    jl_bigint_subtract(&wanted, &subtrahend);
    assert_true(compare_to(2 * digits - 1, power - 54, &wanted, bucket) <= 0);
    assert_true(compare_to(2 * digits + 1, power - 54, &wanted, bucket) >= 0);
}

static void every_bucket_starts_at_the_nearest_double(void **state)
{
    (void)state;
    assert_true(jl_histogram_start(JL_USAGE_TFLOPS, 0) == 0);
    assert_true(jl_histogram_start(JL_USAGE_VRAM, 0) == 0);
    for (unsigned bucket = 1; bucket < JL_HISTOGRAM_BUCKETS; bucket++) {
        assert_nearest(JL_USAGE_TFLOPS, bucket);
        assert_nearest(JL_USAGE_VRAM, bucket);
    }
}

static unsigned searched(enum jl_usage usage, double value)
{
    unsigned bucket = 0;
    while (bucket < LAST_BUCKET && jl_histogram_start(usage, bucket + 1) <= value)
        bucket++;
    return bucket;
}

static void a_bucket_is_the_last_one_that_starts_at_or_below_the_value(void **state)
{
    (void)state;
    struct jl_random random = { 1 };
    for (int usage = JL_USAGE_TFLOPS; usage <= JL_USAGE_VRAM; usage++) {
        for (unsigned bucket = 0; bucket < JL_HISTOGRAM_BUCKETS; bucket++) {
            const double start = jl_histogram_start(usage, bucket);
            const double values[] = { start, nextafter(start, 0), nextafter(start, INFINITY) };
            for (size_t i = 0; i < JL_COUNT(values); i++)
                assert_int_equal(jl_histogram_bucket(usage, values[i]), searched(usage, values[i]));
        }
        const double unit = jl_histogram_start(usage, 1);
        for (int i = 0; i < 200000; i++) {
            const double value = unit * exp(jl_random_range(&random, -3, 13));
            assert_int_equal(jl_histogram_bucket(usage, value), searched(usage, value));
        }
        /* where one cell of the table ends and the next begins */
        for (unsigned cell = 0; cell < 13 * 32; cell++) {
            const double scaled = ldexp(1 + (cell % 32) / 32.0, (int)(cell / 32));
            double value = (scaled - 1) * 20 * unit;
            for (int step = 0; step < 8; step++, value = nextafter(value, INFINITY))
                assert_int_equal(jl_histogram_bucket(usage, value), searched(usage, value));
        }
    }
}

static void a_value_that_is_no_usage_stays_in_the_table(void **state)
{
    (void)state;
    assert_int_equal(jl_histogram_bucket(JL_USAGE_TFLOPS, (double)NAN), 0);
    assert_int_equal(jl_histogram_bucket(JL_USAGE_TFLOPS, -(double)INFINITY), 0);
    assert_int_equal(jl_histogram_bucket(JL_USAGE_TFLOPS, -1e300), 0);
    assert_int_equal(jl_histogram_bucket(JL_USAGE_VRAM, (double)INFINITY), LAST_BUCKET);
    assert_int_equal(jl_histogram_bucket(JL_USAGE_VRAM, 1e308), LAST_BUCKET);
}

/* ---- percentiles ---- */

static struct jl_histogram random_histogram(struct jl_random *random, int samples)
{
    struct jl_histogram histogram = tflops(HOUR_NS);
    int64_t at_ns = NOW_NS;
    for (int i = 0; i < samples; i++) {
        jl_histogram_add(&histogram, exp(jl_random_range(random, -3, 10)),
                         jl_random_range(random, 0.02, 5), at_ns);
        at_ns += jl_random_int(random, 0, HOUR_NS / 4);
    }
    return histogram;
}

static void a_higher_percentile_is_never_lower(void **state)
{
    (void)state;
    struct jl_random random = { 2 };
    for (int round = 0; round < 200; round++) {
        const struct jl_histogram histogram = random_histogram(&random, round);
        double below = 0;
        for (double fraction = 0; fraction <= 1; fraction += 1.0 / 256) {
            const double value = jl_histogram_percentile(&histogram, fraction);
            assert_true(value >= below);
            below = value;
        }
        assert_true(jl_histogram_is_empty(&histogram) == (below == 0));
    }
}

static void the_order_of_samples_at_one_time_does_not_matter(void **state)
{
    (void)state;
    struct jl_random random = { 3 };
    for (int round = 0; round < 100; round++) {
        struct jl_histogram forward = tflops(HOUR_NS);
        struct jl_histogram backward = tflops(HOUR_NS);
        double values[64];
        for (size_t i = 0; i < JL_COUNT(values); i++)
            values[i] = exp(jl_random_range(&random, -2, 9));
        for (size_t i = 0; i < JL_COUNT(values); i++) {
            jl_histogram_add(&forward, values[i], 0.1, NOW_NS);
            jl_histogram_add(&backward, values[JL_COUNT(values) - 1 - i], 0.1, NOW_NS);
        }
        assert_same_percentiles(&forward, &backward);
    }
}

static void what_was_added_can_be_taken_away(void **state)
{
    (void)state;
    struct jl_random random = { 4 };
    for (int round = 0; round < 100; round++) {
        struct jl_histogram histogram = random_histogram(&random, 50);
        const struct jl_histogram before = histogram;
        const int64_t at_ns = NOW_NS + jl_random_int(&random, 0, 12 * HOUR_NS);
        const double value = exp(jl_random_range(&random, -2, 9));
        jl_histogram_add(&histogram, value, 1, at_ns);
        jl_histogram_subtract(&histogram, value, 1, at_ns);
        for (unsigned bucket = 0; bucket < JL_HISTOGRAM_BUCKETS; bucket++)
            assert_near(histogram.weights[bucket], before.weights[bucket],
                        JL_HISTOGRAM_EPSILON + 1e-12 * before.total);
        assert_near(histogram.total, before.total, JL_HISTOGRAM_EPSILON + 1e-12 * before.total);
        assert_same_percentiles(&histogram, &before);
    }
}

static void taking_the_only_sample_away_leaves_nothing(void **state)
{
    (void)state;
    struct jl_histogram histogram = tflops(HOUR_NS);
    jl_histogram_add(&histogram, 20, 1, NOW_NS);
    assert_false(jl_histogram_is_empty(&histogram));
    jl_histogram_subtract(&histogram, 20, 1, NOW_NS);
    assert_true(jl_histogram_is_empty(&histogram));
    assert_true(jl_histogram_percentile(&histogram, 1) == 0 && histogram.total == 0);
}

static void what_is_left_under_epsilon_is_nothing(void **state)
{
    (void)state;
    struct jl_histogram histogram = tflops(HOUR_NS);
    jl_histogram_add(&histogram, 20, 1, 0);
    jl_histogram_subtract(&histogram, 20, 0.99995, 0);
    assert_true(histogram.total == 0);
    for (unsigned bucket = 0; bucket < JL_HISTOGRAM_BUCKETS; bucket++)
        assert_true(histogram.weights[bucket] == 0);
}

/* The shares are 1, 1 + 2, … of 5050, which no sum of tenths meets to the last bit. */
static void rounding_never_tips_a_percentile(void **state)
{
    (void)state;
    struct jl_histogram histogram = tflops(HOUR_NS);
    for (unsigned i = 100; i >= 1; i--)
        jl_histogram_add(&histogram, jl_histogram_start(JL_USAGE_TFLOPS, i - 1), 0.1 * i, NOW_NS);
    for (unsigned i = 1; i <= 100; i++)
        assert_true(jl_histogram_percentile(&histogram, i * (i + 1) / 2 / 5050.0) ==
                    jl_histogram_start(JL_USAGE_TFLOPS, i));
}

static void a_weight_that_is_none_counts_nothing(void **state)
{
    (void)state;
    const double weights[] = { 0, -1, 2e100, (double)INFINITY, (double)NAN };
    struct jl_histogram histogram = tflops(HOUR_NS);
    jl_histogram_add(&histogram, 20, 1, 0);
    for (size_t i = 0; i < JL_COUNT(weights); i++) {
        jl_histogram_add(&histogram, 20, weights[i], 0);
        jl_histogram_subtract(&histogram, 20, weights[i], 0);
        assert_true(histogram.total == 1);
    }
}

static void weights_under_epsilon_count_as_empty(void **state)
{
    (void)state;
    struct jl_histogram histogram = tflops(HOUR_NS);
    jl_histogram_add(&histogram, 20, 0.00009, 0);
    assert_true(jl_histogram_is_empty(&histogram));
    jl_histogram_add(&histogram, 20, 0.00002, 0);
    assert_false(jl_histogram_is_empty(&histogram));
}

/* ---- decay ---- */

/* What was saved begins and ends with a bucket of epsilon; less is empty. */
static void a_bucket_of_epsilon_is_not_empty(void **state)
{
    (void)state;
    struct jl_histogram histogram = tflops(HOUR_NS);
    histogram.weights[4] = nextafter(JL_HISTOGRAM_EPSILON, 0);
    histogram.weights[5] = JL_HISTOGRAM_EPSILON;
    histogram.weights[7] = JL_HISTOGRAM_EPSILON;
    histogram.weights[8] = nextafter(JL_HISTOGRAM_EPSILON, 0);
    jl_histogram_settle(&histogram);
    assert_int_equal(histogram.first, 5);
    assert_int_equal(histogram.last, 7);
}

static void a_shift_by_whole_half_lives_changes_nothing(void **state)
{
    (void)state;
    struct jl_random random = { 5 };
    for (int round = 0; round < 100; round++) {
        const int64_t shift_ns = HOUR_NS * jl_random_int(&random, -100000, 100000);
        struct jl_histogram here = tflops(HOUR_NS);
        struct jl_histogram there = tflops(HOUR_NS);
        int64_t at_ns = NOW_NS;
        for (int i = 0; i < 100; i++) {
            const double value = exp(jl_random_range(&random, -2, 9));
            at_ns += jl_random_int(&random, 0, 5 * HOUR_NS);
            jl_histogram_add(&here, value, 1, at_ns);
            jl_histogram_add(&there, value, 1, at_ns + shift_ns);
        }
        assert_memory_equal(here.weights, there.weights, sizeof here.weights);
        assert_int_equal(there.ref_ns - here.ref_ns, shift_ns);
        assert_same_percentiles(&here, &there);
    }
}

static void only_the_shares_of_the_weights_matter(void **state)
{
    (void)state;
    struct jl_random random = { 6 };
    for (int round = 0; round < 100; round++) {
        struct jl_histogram light = tflops(HOUR_NS);
        struct jl_histogram heavy = tflops(HOUR_NS);
        for (int i = 0; i < 100; i++) {
            const double value = exp(jl_random_range(&random, -2, 9));
            const double weight = jl_random_range(&random, 1, 5);
            const int64_t at_ns = NOW_NS + jl_random_int(&random, 0, 3 * HOUR_NS);
            jl_histogram_add(&light, value, weight, at_ns);
            jl_histogram_add(&heavy, value, weight * 1024, at_ns);
        }
        assert_same_percentiles(&light, &heavy);
    }
}

struct sample {
    double value;
    double weight;
    int64_t at_ns;
};

/* The weights of all samples with one reference, in long double. */
static void weigh(const struct sample *samples, size_t count, int64_t half_life_ns, int64_t ref_ns,
                  long double out[JL_HISTOGRAM_BUCKETS])
{
    memset(out, 0, JL_HISTOGRAM_BUCKETS * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const long double age =
            (long double)(samples[i].at_ns - ref_ns) / (long double)half_life_ns;
        out[searched(JL_USAGE_TFLOPS, samples[i].value)] +=
            (long double)samples[i].weight * exp2l(age);
    }
}

/* The percentile, or -1 where rounding could tip it. */
static double weighed_percentile(const long double weights[JL_HISTOGRAM_BUCKETS], double fraction)
{
    const long double epsilon = (long double)JL_HISTOGRAM_EPSILON;
    long double total = 0;
    long double sum = 0;
    unsigned last = 0;
    unsigned bucket = 0;
    for (unsigned i = 0; i < JL_HISTOGRAM_BUCKETS; i++) {
        total += weights[i];
        if (fabsl(weights[i] - epsilon) < epsilon / 1000000)
            return -1;
        if (weights[i] >= epsilon)
            last = i;
    }
    while (bucket < JL_HISTOGRAM_BUCKETS && weights[bucket] < epsilon)
        bucket++;
    for (; bucket <= last; bucket++) {
        sum += weights[bucket];
        if (fabsl(sum - (long double)fraction * total) < total / 100000000)
            return -1;
        if (bucket == last || sum >= (long double)fraction * total)
            return jl_histogram_start(JL_USAGE_TFLOPS, bucket < LAST_BUCKET ? bucket + 1 : bucket);
    }
    return 0;
}

static void moving_the_reference_never_shows(void **state)
{
    (void)state;
    struct jl_random random = { 7 };
    int compared = 0;
    for (int round = 0; round < 200; round++) {
        const int64_t half_life_ns = jl_random_int(&random, HOUR_NS / 7, 12 * HOUR_NS);
        const int64_t longest_ns = half_life_ns * (round % 2 == 0 ? 1 : 60);
        struct jl_histogram histogram = tflops(half_life_ns);
        struct sample samples[120];
        int64_t at_ns = NOW_NS;
        for (size_t i = 0; i < JL_COUNT(samples); i++) {
            at_ns += jl_random_int(&random, -longest_ns / 10, longest_ns);
            samples[i] = (struct sample){ exp(jl_random_range(&random, -2, 9)),
                                          jl_random_range(&random, 0.1, 5), at_ns };
            jl_histogram_add(&histogram, samples[i].value, samples[i].weight, at_ns);
        }
        long double weights[JL_HISTOGRAM_BUCKETS];
        weigh(samples, JL_COUNT(samples), half_life_ns, histogram.ref_ns, weights);
        for (size_t i = 0; i < JL_COUNT(fractions); i++) {
            const double expected = weighed_percentile(weights, fractions[i]);
            if (expected < 0)
                continue;
            compared++;
            assert_true(jl_histogram_percentile(&histogram, fractions[i]) == expected);
        }
    }
    assert_true(compared > 1500);
}

/* One sample in each bucket: no sum hides a bit. */
static void weights_are_the_same_bits_wherever_the_reference_stood(void **state)
{
    (void)state;
    struct jl_random random = { 8 };
    struct jl_histogram rising = tflops(HOUR_NS);
    struct jl_histogram falling = tflops(HOUR_NS);
    struct sample samples[JL_HISTOGRAM_BUCKETS];
    for (unsigned i = 0; i < JL_COUNT(samples); i++)
        samples[i] =
            (struct sample){ jl_histogram_start(JL_USAGE_TFLOPS, i), jl_random_range(&random, 1, 2),
                             NOW_NS + (int64_t)i * 2 * HOUR_NS +
                                 jl_random_int(&random, 0, HOUR_NS) };
    for (size_t i = 0; i < JL_COUNT(samples); i++) {
        const struct sample *last = &samples[JL_COUNT(samples) - 1 - i];
        jl_histogram_add(&rising, samples[i].value, samples[i].weight, samples[i].at_ns);
        jl_histogram_add(&falling, last->value, last->weight, last->at_ns);
    }
    const int64_t apart = (falling.ref_ns - rising.ref_ns) / HOUR_NS;
    assert_true(apart > 0 && rising.ref_ns > NOW_NS + HOUR_NS);
    for (size_t i = 0; i < JL_COUNT(samples); i++)
        assert_true(rising.weights[i] == ldexp(falling.weights[i], (int)apart));
}

static void the_reference_moves_after_a_hundred_half_lives_to_the_nearest_multiple(void **state)
{
    (void)state;
    struct jl_histogram histogram = tflops(HOUR_NS);
    jl_histogram_add(&histogram, 20, 1, HOUR_NS / 2 - 1);
    assert_int_equal(histogram.ref_ns, 0);
    jl_histogram_add(&histogram, 20, 1, 100 * HOUR_NS);
    assert_int_equal(histogram.ref_ns, 0);
    jl_histogram_add(&histogram, 20, 1, 100 * HOUR_NS + 1);
    assert_int_equal(histogram.ref_ns, 100 * HOUR_NS);
    jl_histogram_add(&histogram, 20, 1, 201 * HOUR_NS + HOUR_NS / 2);
    assert_int_equal(histogram.ref_ns, 202 * HOUR_NS);

    struct jl_histogram before = tflops(HOUR_NS);
    jl_histogram_add(&before, 20, 1, -HOUR_NS / 2 - 1);
    assert_int_equal(before.ref_ns, -HOUR_NS);
}

static void a_saved_histogram_goes_on_to_the_last_bit(void **state)
{
    (void)state;
    struct jl_random random = { 9 };
    for (int round = 0; round < 50; round++) {
        struct jl_histogram histogram = random_histogram(&random, 300);
        struct jl_histogram restored;
        jl_histogram_init(&restored, histogram.usage, histogram.half_life_ns);
        restored.ref_ns = histogram.ref_ns;
        restored.has_ref = histogram.has_ref;
        restored.total = histogram.total;
        memcpy(restored.weights, histogram.weights, sizeof restored.weights);
        jl_histogram_settle(&restored);
        assert_same_percentiles(&histogram, &restored);
        for (int i = 0; i < 50; i++) {
            const double value = exp(jl_random_range(&random, -2, 9));
            const int64_t at_ns = NOW_NS + jl_random_int(&random, 0, 200 * HOUR_NS);
            jl_histogram_add(&histogram, value, 1, at_ns);
            jl_histogram_add(&restored, value, 1, at_ns);
        }
        assert_memory_equal(histogram.weights, restored.weights, sizeof restored.weights);
        assert_true(histogram.total == restored.total && histogram.ref_ns == restored.ref_ns);
        assert_true(histogram.first == restored.first && histogram.last == restored.last);
    }
}

static void no_time_and_no_weight_leads_out_of_the_table(void **state)
{
    (void)state;
    static const int64_t times[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX };
    static const int64_t half_lives[] = { INT64_MIN, 0, 1, 3, HOUR_NS, INT64_MAX };
    const double weights[] = { -1, 0, 1e-300, 1, 1e100, 1e308, (double)INFINITY, (double)NAN };
    for (size_t life = 0; life < JL_COUNT(half_lives); life++) {
        for (size_t i = 0; i < JL_COUNT(times) * JL_COUNT(times); i++) {
            struct jl_histogram histogram = tflops(half_lives[life]);
            for (size_t weight = 0; weight < JL_COUNT(weights); weight++) {
                jl_histogram_add(&histogram, 20, weights[weight], times[i % JL_COUNT(times)]);
                jl_histogram_add(&histogram, 80, weights[weight], times[i / JL_COUNT(times)]);
                jl_histogram_subtract(&histogram, 20, weights[weight], times[i / JL_COUNT(times)]);
            }
            const double value = jl_histogram_percentile(&histogram, 0.5);
            assert_true(value >= 0 && value <= jl_histogram_start(JL_USAGE_TFLOPS, LAST_BUCKET));
        }
    }
}

/* Also before 1970, where a time divided by the half-life has a negative rest. */
static void a_weight_doubles_in_a_half_life_on_both_sides_of_the_epoch(void **state)
{
    static const double times[] = { -2.75, -1.5, -1, -0.75, -0.25, 0, 0.25, 0.5, 1.75 };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(times); i++) {
        for (size_t k = 0; k < JL_COUNT(times); k++) {
            struct jl_histogram histogram = tflops(4 * HOUR_NS);
            const int64_t first_ns = (int64_t)(times[i] * 4 * (double)HOUR_NS);
            const int64_t second_ns = (int64_t)(times[k] * 4 * (double)HOUR_NS);
            jl_histogram_add(&histogram, 20, 1, first_ns);
            jl_histogram_add(&histogram, 80, 1, second_ns);
            const double first = histogram.weights[jl_histogram_bucket(JL_USAGE_TFLOPS, 20)];
            const double second = histogram.weights[jl_histogram_bucket(JL_USAGE_TFLOPS, 80)];
            assert_near(second / first, exp2(times[k] - times[i]), 1e-12 * second / first);
            assert_true(histogram.ref_ns == (int64_t)floor(times[i] + 0.5) * 4 * HOUR_NS);
        }
    }
}

/* The multiple that is nearest does not fit into a time: the one on the other side does. */
static void a_reference_stays_within_the_times(void **state)
{
    const int64_t half_life_ns = INT64_C(6000000000000000000);
    (void)state;
    struct jl_histogram histogram = tflops(half_life_ns);
    jl_histogram_add(&histogram, 20, 1, INT64_MAX); /* 1.54 half-lives */
    assert_true(histogram.ref_ns == half_life_ns);
    histogram = tflops(half_life_ns);
    jl_histogram_add(&histogram, 20, 1, INT64_MIN);
    assert_true(histogram.ref_ns == -half_life_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bucket_starts_at_the_nearest_double),
        cmocka_unit_test(a_bucket_is_the_last_one_that_starts_at_or_below_the_value),
        cmocka_unit_test(a_value_that_is_no_usage_stays_in_the_table),
        cmocka_unit_test(a_higher_percentile_is_never_lower),
        cmocka_unit_test(the_order_of_samples_at_one_time_does_not_matter),
        cmocka_unit_test(what_was_added_can_be_taken_away),
        cmocka_unit_test(taking_the_only_sample_away_leaves_nothing),
        cmocka_unit_test(what_is_left_under_epsilon_is_nothing),
        cmocka_unit_test(rounding_never_tips_a_percentile),
        cmocka_unit_test(a_weight_that_is_none_counts_nothing),
        cmocka_unit_test(weights_under_epsilon_count_as_empty),
        cmocka_unit_test(a_shift_by_whole_half_lives_changes_nothing),
        cmocka_unit_test(only_the_shares_of_the_weights_matter),
        cmocka_unit_test(moving_the_reference_never_shows),
        cmocka_unit_test(weights_are_the_same_bits_wherever_the_reference_stood),
        cmocka_unit_test(the_reference_moves_after_a_hundred_half_lives_to_the_nearest_multiple),
        cmocka_unit_test(a_saved_histogram_goes_on_to_the_last_bit),
        cmocka_unit_test(a_weight_doubles_in_a_half_life_on_both_sides_of_the_epoch),
        cmocka_unit_test(a_reference_stays_within_the_times),
        cmocka_unit_test(no_time_and_no_weight_leads_out_of_the_table),
        cmocka_unit_test(a_bucket_of_epsilon_is_not_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
