/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_twin_trend(): how fast a node's power changes (docs/rules/twin.md#trend). The cluster
 * model and the question trend call jl_power_trend(), over samples instead of columns. */

#include <float.h>
#include <string.h>

#include "base/column.h"
#include "base/error.h"
#include "base/sized.h"
#include "twin/twin.h"

#define MS_PER_MIN 60000.0
#define MIN_ELAPSED_MIN (JL_TREND_LEAST_MS / MS_PER_MIN)

struct series {
    struct joulie_column_ms at_ms;
    struct joulie_column power_w;
    struct joulie_column_bits known;
    uint64_t known_bit; /* of known: the read gave a power */
    size_t count;
    int64_t end_ms;
    bool counts_failed; /* the source takes a failed read for 0 W */
};

/* The ends of what is in the window, by time; of equal times the first and the last. */
struct span {
    size_t count;
    bool is_flat; /* all of the same watts */
    int64_t oldest_ms;
    int64_t newest_ms;
    double oldest_w;
    double newest_w;
};

static const void *row_at(const void *at, int64_t stride, size_t row)
{
    return (const char *)at + (ptrdiff_t)stride * (ptrdiff_t)row;
}

static int64_t time_of(const struct series *series, size_t row)
{
    return *(const int64_t *)row_at(series->at_ms.at, series->at_ms.stride, row);
}

static bool is_known(const struct series *series, size_t row)
{
    if (series->power_w.at == NULL)
        return false;
    return series->known.at == NULL ||
           (*(const uint64_t *)row_at(series->known.at, series->known.stride, row) &
            series->known_bit) != 0;
}

static double watts_of(const struct series *series, size_t row)
{
    return is_known(series, row)
               ? *(const double *)row_at(series->power_w.at, series->power_w.stride, row)
               : 0;
}

static bool is_power(double w)
{
    return w >= 0 && w <= DBL_MAX;
}

static bool is_in(const struct series *series, size_t row)
{
    if (!series->counts_failed && !(is_known(series, row) && is_power(watts_of(series, row))))
        return false;
    const int64_t t_ms = time_of(series, row);
    return t_ms >= series->end_ms ||
           (uint64_t)series->end_ms - (uint64_t)t_ms < (uint64_t)JL_TREND_WINDOW_MS;
}

static double minutes(int64_t from_ms, int64_t to_ms)
{
    return (double)((uint64_t)to_ms - (uint64_t)from_ms) / MS_PER_MIN;
}

static struct span span_of(const struct series *series)
{
    struct span span = { .is_flat = true };
    double first_w = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (!is_in(series, i))
            continue;
        const int64_t t_ms = time_of(series, i);
        const double w = watts_of(series, i);
        if (span.count == 0)
            first_w = w;
        if (span.count == 0 || t_ms < span.oldest_ms) {
            span.oldest_ms = t_ms;
            span.oldest_w = w;
        }
        if (span.count == 0 || t_ms >= span.newest_ms) {
            span.newest_ms = t_ms;
            span.newest_w = w;
        }
        span.is_flat &= w == first_w;
        span.count++;
    }
    return span;
}

/* Least squares over the window, times relative to its oldest sample. Of equal watts it is 0, not
 * what rounding of their mean leaves. */
static double slope(const struct series *series, const struct span *span)
{
    if (span->is_flat)
        return 0;
    double sum_t = 0;
    double sum_w = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (is_in(series, i)) {
            sum_t += minutes(span->oldest_ms, time_of(series, i));
            sum_w += watts_of(series, i);
        }
    }
    const double mean_t = sum_t / (double)span->count;
    const double mean_w = sum_w / (double)span->count;
    double covariance = 0;
    double variance = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (is_in(series, i)) {
            const double t = minutes(span->oldest_ms, time_of(series, i)) - mean_t;
            covariance += t * (watts_of(series, i) - mean_w);
            variance += t * t;
        }
    }
    return covariance / variance;
}

static int64_t newest_ms(const struct series *series)
{
    int64_t newest = INT64_MIN;
    for (size_t i = 0; i < series->count; i++) {
        if (time_of(series, i) > newest)
            newest = time_of(series, i);
    }
    return newest;
}

/* False = unknown, current only. */
static bool trend_of(const struct series *series, size_t *out_count, double *out_w_per_min)
{
    const bool is_current = !series->counts_failed;
    const struct span span = span_of(series);
    *out_count = span.count;
    *out_w_per_min = 0;
    if (span.count < 2 || minutes(span.oldest_ms, span.newest_ms) < MIN_ELAPSED_MIN)
        return !is_current;
    const double trend =
        is_current ? slope(series, &span)
                   : (span.newest_w - span.oldest_w) / minutes(span.oldest_ms, span.newest_ms);
    if (!(trend >= -DBL_MAX && trend <= DBL_MAX)) /* of absurd watts */
        return !is_current;
    *out_w_per_min = trend;
    return true;
}

bool jl_power_trend(const struct jl_power_sample *samples, size_t count, const int64_t *end_ms,
                    enum joulie_twin_rules rules, double *out_w_per_min)
{
    struct series series = {
        .count = count,
        .known_bit = UINT64_C(1) << JL_INDEX(jl_power_sample, w),
        .counts_failed = !jl_twin_rules_are_current(rules),
    };
    if (count > 0) {
        series.at_ms = (struct joulie_column_ms){ &samples->t_ms, sizeof *samples };
        series.power_w = (struct joulie_column){ &samples->w, sizeof *samples };
        series.known = (struct joulie_column_bits){ &samples->has, sizeof *samples };
    }
    series.end_ms = end_ms != NULL ? *end_ms : newest_ms(&series);
    return trend_of(&series, &count, out_w_per_min);
}

/* ---- The exported function ---- */

/* The name of the first column that is not aligned, or NULL. */
static const char *crooked_column(const struct joulie_twin_trend_input *in)
{
    if (!jl_column_is_aligned(in->at_ms.at, in->at_ms.stride, sizeof(int64_t)))
        return "at_ms";
    if (!jl_column_is_aligned(in->power_w.at, in->power_w.stride, sizeof(double)))
        return "power_w";
    if (!jl_column_is_aligned(in->known.at, in->known.stride, sizeof(uint64_t)))
        return "known";
    return NULL;
}

/* The version rule sets count every sample: each must be one. */
static bool are_samples_good(const struct series *series)
{
    for (size_t i = 0; i < series->count && series->counts_failed; i++) {
        if (!is_power(watts_of(series, i)))
            return false;
    }
    return true;
}

static int check(const struct joulie_twin_trend_input *in, size_t count, struct joulie_error *err)
{
    if ((in->has & ~JOULIE_TWIN_TREND_HAS_END) != 0 || in->reserved != 0)
        return jl_fail(err, JOULIE_E_ABI, "", "a field of a newer release is set");
    if ((unsigned)in->rules > JOULIE_TWIN_RULES_V0_1_0)
        return jl_fail(err, JOULIE_E_ENUM, "rules", "there is no such rule set");
    const char *crooked = crooked_column(in);
    if (crooked != NULL)
        return jl_fail(err, JOULIE_E_RANGE, crooked, "the column is not aligned");
    if (count > 0 && in->at_ms.at == NULL)
        return jl_fail(err, JOULIE_E_REQUIRED, "at_ms", "samples need a time");
    return 0;
}

int joulie_twin_trend(const struct joulie_twin_trend_input *in, size_t count,
                      struct joulie_twin_trend_output *out, struct joulie_error *err)
{
    struct joulie_twin_trend_input ours;
    struct joulie_twin_trend_output result = { 0 };
    size_t used = 0;
    if (JL_SIZED_READ(&ours, in) < 0 || jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const int code = check(&ours, count, err);
    if (code < 0)
        return code;

    struct series series = {
        .at_ms = ours.at_ms,
        .power_w = ours.power_w,
        .known = ours.known,
        .known_bit = JOULIE_TWIN_TREND_SAMPLE_POWER,
        .count = count,
        .counts_failed = !jl_twin_rules_are_current(ours.rules),
    };
    if (!are_samples_good(&series))
        return jl_fail(err, JOULIE_E_RANGE, "power_w", "a power is negative or not finite");
    series.end_ms = (ours.has & JOULIE_TWIN_TREND_HAS_END) != 0 ? ours.end_ms : newest_ms(&series);
    if (trend_of(&series, &used, &result.trend_w_per_min))
        result.has = JOULIE_TWIN_TREND_OUT_TREND;
    result.sample_count = used;
    jl_sized_write(out, &result, sizeof result);
    return JOULIE_OK;
}
