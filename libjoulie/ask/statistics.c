/* SPDX-License-Identifier: Apache-2.0 */

/*
 * histogram and forecast: statistics of the autoscaler (docs/rules/autoscaling-statistics.md).
 */

#include <math.h>
#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/forecast.h"
#include "autoscale/histogram.h"
#include "autoscale/usage_series.h"
#include "base/error.h"
#include "base/map.h"

/*
 * histogram: buckets and percentiles of the autoscaler's statistics
 * (docs/rules/autoscaling-statistics.md#histograms).
 */

#define NS_PER_S 1e9
#define MOST_S 9e9 /* about the last second that 2^63 ns can tell */
#define MOST_PERCENT 100.0

/* 0 is no kind; the others are one more than enum jl_usage. */
static const struct jl_words kinds = JL_WORDS({
    { JL_USAGE_TFLOPS + 1, "tflops" },
    { JL_USAGE_VRAM + 1, "vram" },
});

#define RECORD sample_in
#define MEMBERS                                                                                   \
    NUMBER(t_s, "t", "Time in seconds since the Unix epoch.", REQUIRED, BETWEEN(-MOST_S, MOST_S)) \
    NUMBER(value, "value", "Usage in TFLOPS or bytes.", REQUIRED, NOT_NEGATIVE)                   \
    NUMBER(weight, "weight", "How much it counts; default 1, a peak always counts 1.",            \
           NOT_NEGATIVE, AT_MOST(JL_HISTOGRAM_MOST_WEIGHT))                                       \
    STRING(worker, "worker", "Name of the worker; needed with peaks.")
#include "schema/record.h"

#define RECORD histogram_in
#define MEMBERS                                                                          \
    WORD(kind, "kind", kinds, "What is measured, TFLOPS or bytes.", REQUIRED)            \
    NUMBERS(values, "values", "Values whose buckets are asked for, TFLOPS or bytes.")    \
    NUMBER(half_life_s, "halfLifeS",                                                     \
           "Seconds after which a sample counts half; needed with samples.", OVER(0),    \
           AT_MOST(MOST_S))                                                              \
    LIST(samples, "samples", sample_in, "Measurements in the order in which they came.") \
    NUMBERS(percentiles, "percentiles", "Percentiles that are asked for, 0…100.")        \
    BOOLEAN(peaks, "peaks", "Only the peak of each worker's 24 hours counts.")
#include "schema/record.h"

#define RECORD bucket_out
#define MEMBERS                                              \
    INTEGER(index, "index", "Number of the bucket, from 0.") \
    NUMBER(start, "start", "Smallest value in it.")          \
    NUMBER(end, "end", "Start of the next one; absent for the last bucket.")
#include "schema/record.h"

#define RECORD histogram_out
#define MEMBERS                                                             \
    LIST(buckets, "buckets", bucket_out, "Bucket of each value, in order.") \
    NUMBERS(percentiles, "percentiles", "The percentiles in order; 0 without samples.")
#include "schema/record.h"

/* Each number of a list lies between 0 and most. */
static int check_numbers(struct jl_ask *ask, const struct jl_list *list, const char *key,
                         double most)
{
    for (size_t i = 0; i < list->count; i++) {
        const double value = JL_NUMBER_ITEM(*list, i);
        if (value < 0 || value > most)
            return jl_ask_fail(ask, JOULIE_E_RANGE, jl_ask_path(ask, "%s[%zu]", key, i),
                               "%g is out of bounds", value);
    }
    return 0;
}

/* ---- buckets ---- */

static int put_buckets(struct jl_ask *ask, const struct histogram_in *in, struct histogram_out *out)
{
    const enum jl_usage usage = (enum jl_usage)(in->kind - 1);
    const size_t count = in->values.count;
    struct bucket_out *buckets = JL_NEW_LIST(ask, out, buckets, count, struct bucket_out);
    const int rc = check_numbers(ask, &in->values, "values", (double)INFINITY);
    if (rc < 0)
        return rc;
    if (buckets == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < count; i++) {
        const unsigned index = jl_histogram_bucket(usage, JL_NUMBER_ITEM(in->values, i));
        JL_SET(&buckets[i], index, index);
        JL_SET(&buckets[i], start, jl_histogram_start(usage, index));
        if (index + 1 < JL_HISTOGRAM_BUCKETS)
            JL_SET(&buckets[i], end, jl_histogram_start(usage, index + 1));
    }
    return 0;
}

/* ---- percentiles ---- */

static int64_t to_ns(double s)
{
    return (int64_t)floor(s * NS_PER_S + 0.5);
}

static void add_samples(struct jl_histogram *histogram, const struct jl_list *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample_in *sample = JL_ITEM(*samples, sample_in, i);
        const double weight = JL_GIVEN_OR(sample, weight, 1);
        jl_histogram_add(histogram, sample->value, weight, to_ns(sample->t_s));
    }
}

/* peaks: room for as many workers as there are samples */
static int add_peaks(struct jl_ask *ask, struct jl_histogram *histogram,
                     const struct jl_list *samples, struct jl_peak *peaks)
{
    const enum jl_peak_rules rules =
        jl_is_model(ask, "v2.17.1") ? JL_PEAKS_V2_17_1 : JL_PEAKS_CURRENT;
    JL_CLEANUP(jl_index_clear) struct jl_index workers = { 0 };
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample_in *sample = JL_ITEM(*samples, sample_in, i);
        size_t worker = workers.count;
        if (!sample->given.worker)
            return jl_ask_fail(ask, JOULIE_E_REQUIRED, jl_ask_path(ask, "samples[%zu].worker", i),
                               "peaks are counted for each worker");
        if (!jl_index_get(&workers, sample->worker, &worker) &&
            jl_index_set(&workers, sample->worker, worker) < 0)
            return jl_fail_memory(ask->err);
        jl_peak_add(histogram, &peaks[worker], sample->value, to_ns(sample->t_s), rules);
    }
    return 0;
}

static int put_percentiles(struct jl_ask *ask, const struct histogram_in *in,
                           struct histogram_out *out)
{
    const size_t count = in->percentiles.count;
    double *percentiles = JL_NEW_LIST(ask, out, percentiles, count, double);
    struct jl_peak *peaks = JL_NEW_ARRAY(ask->arena, in->samples.count, struct jl_peak);
    struct jl_histogram histogram;
    if (percentiles == NULL || peaks == NULL)
        return jl_fail_memory(ask->err);
    int rc = check_numbers(ask, &in->percentiles, "percentiles", MOST_PERCENT);
    if (rc < 0)
        return rc;
    jl_histogram_init(&histogram, (enum jl_usage)(in->kind - 1), to_ns(in->half_life_s));
    if (in->peaks)
        rc = add_peaks(ask, &histogram, &in->samples, peaks);
    else
        add_samples(&histogram, &in->samples);
    for (size_t i = 0; i < count; i++)
        percentiles[i] =
            jl_histogram_percentile(&histogram, JL_NUMBER_ITEM(in->percentiles, i) / MOST_PERCENT);
    return rc;
}

static int answer_histogram(struct jl_ask *ask, const struct histogram_in *in,
                            struct histogram_out *output)
{
    const bool has_samples = in->given.samples || !in->given.values;
    int rc = 0;
    if (in->given.values)
        rc = put_buckets(ask, in, output);
    if (rc == 0 && has_samples)
        rc = jl_ask_require(ask, &histogram_in_table, in, JL_ASK_ROW(histogram_in, samples));
    if (rc == 0 && has_samples)
        rc = jl_ask_require(ask, &histogram_in_table, in, JL_ASK_ROW(histogram_in, half_life_s));
    if (rc == 0 && has_samples)
        rc = put_percentiles(ask, in, output);
    return rc;
}

JL_QUESTION(histogram, "histogram", "Buckets and decaying percentiles of GPU usage",
            JL_MODELS("current", "v2.17.1"));

/* forecast: what a series of usage will do next (docs/rules/autoscaling-statistics.md#forecast). */

#define RECORD forecast_in
#define MEMBERS                                                                                   \
    STRING(model, "model", "Name or alias of the model, in any case; default auto.")              \
    INTEGER(season, "season", "Bins of one season, at least 2; needed by seasonal models.",       \
            BETWEEN(1, JL_SERIES_MOST_BINS))                                                      \
    INTEGER(horizon, "horizon", "Bins to look ahead.", REQUIRED, BETWEEN(1, JL_SERIES_MOST_BINS)) \
    NUMBERS(series, "series", "Usage in bins of equal length, oldest first.", REQUIRED)
#include "schema/record.h"

#define RECORD forecast_out
#define MEMBERS                                                                                    \
    WORD(model, "model", jl_forecast_words,                                                        \
         "Model that was used, after fall-back and quality gate.")                                 \
    NUMBER(level, "level", "Final level, of holt and holt-winters.")                               \
    NUMBER(trend, "trend", "Final trend per bin, of holt and holt-winters.")                       \
    NUMBERS(seasonal, "seasonal", "Final seasonal terms, of holt-winters.")                        \
    NUMBERS(forecast, "forecast", "Usage in the bins ahead.")                                      \
    NUMBER(mae, "mae",                                                                             \
           "Mean error of the model over the series, also if it was discarded for the naive one.") \
    NUMBER(mae_naive, "maeNaive", "Mean error of the naive model at the same times.")              \
    NUMBER(used, "used", "Largest of the forecast, within 0 and ten times the series.")
#include "schema/record.h"

static int read_model(struct jl_ask *ask, const struct forecast_in *in, enum jl_forecast_model *out)
{
    const char *name = in->model != NULL ? in->model : "";
    if (strchr(name, '@') != NULL || jl_forecast_model_parse(name, out, NULL) < 0)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "model", "there is no model \"%.64s\"", name);
    if (*out == JL_FORECAST_HOLT_WINTERS || *out == JL_FORECAST_SEASONAL_NAIVE)
        return jl_ask_require(ask, &forecast_in_table, in, JL_ASK_ROW(forecast_in, season));
    return 0;
}

static int answer_forecast(struct jl_ask *ask, const struct forecast_in *in,
                           struct forecast_out *out)
{
    const size_t season = in->season > 1 ? (size_t)in->season : (size_t)in->season * 2;
    const size_t horizon = (size_t)in->horizon;
    enum jl_forecast_model model = JL_FORECAST_UNKNOWN;
    struct jl_forecast result;
    int rc = read_model(ask, in, &model);
    if (rc == 0)
        rc = in->series.count > 0
                 ? check_numbers(ask, &in->series, "series", JL_FORECAST_MOST)
                 : jl_ask_fail(ask, JOULIE_E_RANGE, "series", "there is nothing to go on from");
    if (rc < 0)
        return rc;
    double *seasonal = JL_NEW_LIST(ask, out, seasonal, season, double);
    double *forecast = JL_NEW_LIST(ask, out, forecast, horizon, double);
    if (seasonal == NULL || forecast == NULL)
        return jl_fail_memory(ask->err);
    rc = jl_forecast(model, in->series.items, in->series.count, season, horizon, seasonal, forecast,
                     &result);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "series", "the series cannot be forecast");
    JL_SET(out, model, (int)result.model);
    JL_SET_IF(out, level, result.has_level, result.level);
    JL_SET_IF(out, trend, result.has_level, result.trend);
    out->given.seasonal = result.model == JL_FORECAST_HOLT_WINTERS;
    JL_SET_IF(out, mae, result.has_mae, result.mae);
    JL_SET_IF(out, mae_naive, result.has_mae, result.mae_naive);
    JL_SET(out, used, result.used);
    return 0;
}

JL_QUESTION(forecast, "forecast", "Forecast a series of usage");
