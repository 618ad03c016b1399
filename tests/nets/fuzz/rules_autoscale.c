/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "autoscale/forecast.h"
#include "autoscale/histogram.h"
#include "autoscale/usage_series.h"
#include "fuzz/dice.h"
#include "fuzz/fuzz.h"

#define HOUR_NS INT64_C(3600000000000)
#define NOW_NS INT64_C(1773403200000000000) /* 2026-03-13T12:00:00Z */
#define VALUES 64

/* Any bits at all, or a number that a caller lets through. */
static double any_number(struct dice *dice, double high)
{
    const uint64_t bits = dice_bits(dice);
    double number = 0;
    if (dice_bit(dice))
        return dice_number(dice, 0, high);
    memcpy(&number, &bits, sizeof number);
    return number;
}

static int64_t any_time(struct dice *dice)
{
    return dice_bit(dice) ? (int64_t)dice_bits(dice)
                          : NOW_NS + dice_int(dice, -300 * HOUR_NS, 300 * HOUR_NS);
}

/* ---- histograms: percentiles are bounds of buckets and rise ---- */

static bool is_bound(const struct jl_histogram *h, double value)
{
    return value == jl_histogram_start(h->usage, jl_histogram_bucket(h->usage, value));
}

static void check_percentiles(struct dice *dice, const struct jl_histogram *h)
{
    const double low_frac = dice_number(dice, 0, 1);
    const double high_frac = dice_number(dice, low_frac, 1);
    const double low = jl_histogram_percentile(h, low_frac);
    const double high = jl_histogram_percentile(h, high_frac);
    FUZZ_REQUIRE(low <= high && is_bound(h, low) && is_bound(h, high));
    FUZZ_REQUIRE(jl_histogram_is_empty(h) == (high == 0));
    struct jl_histogram again = *h;
    jl_histogram_settle(&again);
    FUZZ_REQUIRE(again.first == h->first && again.last == h->last);
    FUZZ_REQUIRE(jl_histogram_percentile(&again, low_frac) == low);
}

void rules_histogram(struct dice *dice)
{
    struct jl_histogram h;
    jl_histogram_init(&h, (enum jl_usage)dice_bit(dice),
                      dice_bit(dice) ? (int64_t)dice_bits(dice) : dice_int(dice, 1, 400 * HOUR_NS));
    const double value = any_number(dice, 2e12);
    const unsigned bucket = jl_histogram_bucket(h.usage, value);
    FUZZ_REQUIRE(bucket < JL_HISTOGRAM_BUCKETS);
    if (value >= 0)
        FUZZ_REQUIRE(jl_histogram_start(h.usage, bucket) <= value);
    if (bucket + 1 < JL_HISTOGRAM_BUCKETS)
        FUZZ_REQUIRE(!(value >= jl_histogram_start(h.usage, bucket + 1)));
    for (int64_t i = dice_int(dice, 0, VALUES); i > 0; i--) {
        const double weight = any_number(dice, 5);
        const double sample = any_number(dice, 2e12);
        if (dice_bit(dice))
            jl_histogram_subtract(&h, sample, weight, any_time(dice));
        else
            jl_histogram_add(&h, sample, weight, any_time(dice));
    }
    FUZZ_REQUIRE(h.total >= 0);
    check_percentiles(dice, &h);
}

/* ---- peaks: one sample in each window, the highest ---- */

void rules_peaks(struct dice *dice)
{
    struct jl_histogram h;
    struct jl_peak peak = { 0 };
    struct jl_confidence confidence = { 0 };
    int64_t at_ns = NOW_NS;
    int64_t windows = 0;
    jl_histogram_init(&h, JL_USAGE_VRAM, 12 * HOUR_NS);
    for (int64_t i = dice_int(dice, 1, VALUES); i > 0; i--) {
        const double bytes = dice_number(dice, 0, 2e12);
        const int64_t since_ns = dice_int(dice, 0, 30 * HOUR_NS);
        const int64_t end_ns = peak.end_ns;
        at_ns += since_ns;
        jl_peak_add(&h, &peak, bytes, at_ns, JL_PEAKS_CURRENT);
        jl_confidence_add(&confidence, jl_sample_minutes(since_ns), at_ns);
        windows += peak.end_ns != end_ns;
        FUZZ_REQUIRE(peak.value >= bytes && at_ns < peak.end_ns);
        FUZZ_REQUIRE(peak.end_ns - at_ns <= JL_PEAK_WINDOW_NS);
    }
    FUZZ_REQUIRE(jl_histogram_percentile(&h, 1) > 0);
    if (windows == 1) /* one weight, at one time */
        FUZZ_REQUIRE(dice_near(h.total, h.weights[jl_histogram_bucket(h.usage, peak.value)]));
    const double days = jl_confidence_days(&confidence);
    FUZZ_REQUIRE(days >= 0 && days <= VALUES * 5.0 / 1440);
}

/* ---- forecasts: numbers, within 0 and ten times the series ---- */

void rules_forecast(struct dice *dice)
{
    double series[VALUES];
    double seasonal[VALUES];
    double forecast[VALUES];
    struct jl_forecast result = { 0 };
    const size_t count = (size_t)dice_int(dice, 1, VALUES);
    const size_t horizon = (size_t)dice_int(dice, 1, VALUES);
    const size_t season = (size_t)dice_int(dice, 0, VALUES);
    const enum jl_forecast_model model =
        (enum jl_forecast_model)dice_int(dice, JL_FORECAST_NAIVE, JL_FORECAST_AUTO);
    const double high = dice_bit(dice) ? JL_FORECAST_MOST : 1000;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        series[i] = dice_number(dice, 0, high);
        most = fmax(most, series[i]);
    }
    FUZZ_REQUIRE(jl_forecast(model, series, count, season, horizon, seasonal, forecast, &result) ==
                 0);
    FUZZ_REQUIRE(result.used >= 0 && result.used <= 10 * most);
    FUZZ_REQUIRE(result.model != JL_FORECAST_UNKNOWN && result.model != JL_FORECAST_AUTO);
    FUZZ_REQUIRE(!result.has_level || (isfinite(result.level) && isfinite(result.trend)));
    FUZZ_REQUIRE(!result.has_level || result.mae <= result.mae_naive);
    for (size_t k = 0; k < horizon; k++) {
        FUZZ_REQUIRE(isfinite(forecast[k]));
        FUZZ_REQUIRE(forecast[k] <= result.used || result.used == 10 * most);
    }
    series[dice_int(dice, 0, (int64_t)count - 1)] = dice_bit(dice) ? (double)NAN : -1;
    FUZZ_REQUIRE(jl_forecast(model, series, count, season, horizon, seasonal, forecast, &result) <
                 0);
}

/* ---- series: no value that was not between two measured ones ---- */

void rules_series(struct dice *dice)
{
    struct jl_series_bin bins[VALUES];
    double values[VALUES];
    struct jl_series_worker workers[2] = { { 0 }, { 0 } };
    struct jl_usage_series series;
    const enum jl_series_kind kind = dice_bit(dice) ? JL_SERIES_MEAN : JL_SERIES_MAX;
    const uint32_t capacity = (uint32_t)dice_int(dice, 1, VALUES);
    int64_t at_ns[2] = { any_time(dice), any_time(dice) };
    double least = (double)INFINITY;
    double most = 0;
    jl_usage_series_init(&series, kind, dice_int(dice, 0, HOUR_NS), bins, capacity);
    for (int64_t i = dice_int(dice, 1, VALUES); i > 0; i--) {
        const unsigned worker = dice_bit(dice);
        const double value = dice_number(dice, 0, 1000);
        if (__builtin_add_overflow(at_ns[worker], dice_int(dice, 0, HOUR_NS), &at_ns[worker]))
            at_ns[worker] = INT64_MAX;
        jl_usage_series_add(&series, &workers[worker], value, at_ns[worker]);
        if (dice_int(dice, 0, 7) == 7)
            jl_usage_series_leave(&series, &workers[worker]);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    const size_t count = jl_usage_series_values(&series, workers, sizeof *workers, 2, values);
    FUZZ_REQUIRE(count >= 1 && count <= capacity);
    for (size_t i = 0; i < count; i++)
        FUZZ_REQUIRE(values[i] >= least - 1e-9 && values[i] <= most + 1e-9);
}
