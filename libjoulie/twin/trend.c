/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>

#include "twin/twin.h"

#define MS_PER_MIN 60000.0
#define MIN_ELAPSED_MIN (JL_TREND_LEAST_MS / MS_PER_MIN)

struct window {
    const struct jl_power_sample *samples;
    size_t count;
    int64_t end_ms;
    bool counts_failed; /* the source takes a failed read for 0 W */
};

/* The ends of what is in the window, by time; of equal times the first and the last. */
struct span {
    size_t count;
    bool is_flat; /* all of the same watts */
    const struct jl_power_sample *oldest;
    const struct jl_power_sample *newest;
};

static bool is_in(const struct window *window, const struct jl_power_sample *sample)
{
    if (!window->counts_failed &&
        !(JL_HAS(sample, JL_POWER_SAMPLE_W) && sample->w >= 0 && sample->w <= DBL_MAX))
        return false;
    return sample->t_ms >= window->end_ms ||
           (uint64_t)window->end_ms - (uint64_t)sample->t_ms < (uint64_t)JL_TREND_WINDOW_MS;
}

static double watts(const struct jl_power_sample *sample)
{
    return JL_HAS(sample, JL_POWER_SAMPLE_W) ? sample->w : 0;
}

static double minutes(const struct jl_power_sample *from, const struct jl_power_sample *to)
{
    return (double)((uint64_t)to->t_ms - (uint64_t)from->t_ms) / MS_PER_MIN;
}

static struct span span_of(const struct window *window)
{
    struct span span = { .is_flat = true };
    const struct jl_power_sample *first = NULL;
    for (size_t i = 0; i < window->count; i++) {
        const struct jl_power_sample *sample = &window->samples[i];
        if (!is_in(window, sample))
            continue;
        if (span.oldest == NULL || sample->t_ms < span.oldest->t_ms)
            span.oldest = sample;
        if (span.newest == NULL || sample->t_ms >= span.newest->t_ms)
            span.newest = sample;
        if (first == NULL)
            first = sample;
        span.is_flat &= sample->w == first->w;
        span.count++;
    }
    return span;
}

/* Least squares over the window, times relative to its oldest sample. Of equal watts it is 0, not
 * what rounding of their mean leaves. */
static double slope(const struct window *window, const struct span *span)
{
    if (span->is_flat)
        return 0;
    double sum_t = 0;
    double sum_w = 0;
    for (size_t i = 0; i < window->count; i++) {
        if (is_in(window, &window->samples[i])) {
            sum_t += minutes(span->oldest, &window->samples[i]);
            sum_w += window->samples[i].w;
        }
    }
    const double mean_t = sum_t / (double)span->count;
    const double mean_w = sum_w / (double)span->count;
    double covariance = 0;
    double variance = 0;
    for (size_t i = 0; i < window->count; i++) {
        if (is_in(window, &window->samples[i])) {
            const double t = minutes(span->oldest, &window->samples[i]) - mean_t;
            covariance += t * (window->samples[i].w - mean_w);
            variance += t * t;
        }
    }
    return covariance / variance;
}

static int64_t newest_ms(const struct jl_power_sample *samples, size_t count)
{
    int64_t newest = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (samples[i].t_ms > newest)
            newest = samples[i].t_ms;
    }
    return newest;
}

bool jl_power_trend(const struct jl_power_sample *samples, size_t count, const int64_t *end_ms,
                    enum joulie_twin_rules rules, double *out_w_per_min)
{
    const bool is_current = jl_twin_rules_are_current(rules);
    const struct window window = {
        .samples = samples,
        .count = count,
        .end_ms = end_ms != NULL ? *end_ms : newest_ms(samples, count),
        .counts_failed = !is_current,
    };
    const struct span span = span_of(&window);
    *out_w_per_min = 0;
    if (span.count < 2 || minutes(span.oldest, span.newest) < MIN_ELAPSED_MIN)
        return !is_current;
    const double trend =
        is_current ? slope(&window, &span)
                   : (watts(span.newest) - watts(span.oldest)) / minutes(span.oldest, span.newest);
    if (!(trend >= -DBL_MAX && trend <= DBL_MAX)) /* of absurd watts */
        return !is_current;
    *out_w_per_min = trend;
    return true;
}
