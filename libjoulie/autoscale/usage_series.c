/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A ring of bins over time, from which a forecast takes the latest contiguous run
 * (docs/rules/autoscaling-statistics.md#series).
 */

#include "autoscale/usage_series.h"

#include <math.h>

#define BINS_PER_PERIOD 6
#define SHORTEST_BIN_NS INT64_C(10000000000)  /* 10 s */
#define LONGEST_BIN_NS INT64_C(3600000000000) /* 1 h */
#define FEWEST_SEASON 2                       /* bins */

static int64_t at_least_one(int64_t x)
{
    return x > 1 ? x : 1;
}

static uint32_t to_bins(int64_t count)
{
    return (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX);
}

struct jl_series_shape jl_series_shape(int64_t prediction_period_ns, int64_t season_ns,
                                       int64_t history_ns)
{
    const int64_t period_ns = at_least_one(prediction_period_ns);
    int64_t bin_ns = period_ns / BINS_PER_PERIOD;
    if (bin_ns < SHORTEST_BIN_NS)
        bin_ns = SHORTEST_BIN_NS;
    if (bin_ns > LONGEST_BIN_NS)
        bin_ns = LONGEST_BIN_NS;
    const int64_t whole = at_least_one(season_ns) / bin_ns;
    const int64_t season = whole + (at_least_one(season_ns) % bin_ns >= bin_ns - bin_ns / 2);
    const int64_t bins = at_least_one(at_least_one(history_ns) / bin_ns);
    return (struct jl_series_shape){
        .bin_ns = bin_ns,
        .horizon = to_bins(period_ns / bin_ns + (period_ns % bin_ns > 0)),
        .season = to_bins(season > FEWEST_SEASON ? season : FEWEST_SEASON),
        .bins = to_bins(bins < JL_SERIES_MOST_BINS ? bins : JL_SERIES_MOST_BINS),
    };
}

/* ---- the ring ---- */

static int64_t bin_of(int64_t at_ns, int64_t bin_ns)
{
    return at_ns / bin_ns - (at_ns % bin_ns < 0);
}

static struct jl_series_bin *bin_at(const struct jl_usage_series *series, int64_t number)
{
    const int64_t rest = number % (int64_t)series->capacity;
    return &series->bins[rest < 0 ? rest + (int64_t)series->capacity : rest];
}

static void clear_bins(struct jl_usage_series *series)
{
    for (uint32_t i = 0; i < series->capacity; i++)
        series->bins[i] = (struct jl_series_bin){ 0 };
}

void jl_usage_series_init(struct jl_usage_series *series, enum jl_series_kind kind, int64_t bin_ns,
                          struct jl_series_bin *bins, uint32_t capacity)
{
    *series =
        (struct jl_usage_series){ .kind = kind,
                                  .bin_ns = bin_ns > SHORTEST_BIN_NS ? bin_ns : SHORTEST_BIN_NS,
                                  .bins = bins,
                                  .capacity = capacity };
    clear_bins(series);
}

int64_t jl_usage_series_oldest(const struct jl_usage_series *series)
{
    return series->newest - ((int64_t)series->capacity - 1);
}

static bool is_in_ring(const struct jl_usage_series *series, int64_t number)
{
    return series->has_any && number <= series->newest && number >= jl_usage_series_oldest(series);
}

struct jl_series_bin jl_usage_series_get(const struct jl_usage_series *series, int64_t number)
{
    return is_in_ring(series, number) ? *bin_at(series, number) : (struct jl_series_bin){ 0 };
}

/* The ring moves on to a bin; what falls out of it is forgotten. */
static void reach(struct jl_usage_series *series, int64_t number)
{
    if (series->has_any && number <= series->newest)
        return;
    if (!series->has_any || number - series->newest >= (int64_t)series->capacity) {
        clear_bins(series);
    } else {
        for (int64_t bin = series->newest + 1; bin <= number; bin++)
            *bin_at(series, bin) = (struct jl_series_bin){ 0 };
    }
    series->newest = number;
    series->has_any = true;
}

void jl_usage_series_put(struct jl_usage_series *series, int64_t number,
                         const struct jl_series_bin *bin)
{
    if (number > INT64_MAX / series->bin_ns || number < INT64_MIN / series->bin_ns)
        return; /* no time is in it */
    reach(series, number);
    if (is_in_ring(series, number))
        *bin_at(series, number) = *bin;
}

/* ---- samples ---- */

void jl_usage_series_leave(struct jl_usage_series *series, struct jl_series_worker *worker)
{
    if (worker->samples > 0 && is_in_ring(series, worker->bin)) {
        struct jl_series_bin *bin = bin_at(series, worker->bin);
        bin->value += worker->sum / worker->samples;
        bin->workers++;
    }
    *worker = (struct jl_series_worker){ 0 };
}

static void add_to_mean(struct jl_usage_series *series, struct jl_series_worker *worker,
                        double value, int64_t number)
{
    if (worker->samples > 0 && worker->bin != number)
        jl_usage_series_leave(series, worker);
    worker->bin = number;
    worker->sum += value;
    worker->samples++;
}

void jl_usage_series_add(struct jl_usage_series *series, struct jl_series_worker *worker,
                         double value, int64_t at_ns)
{
    const int64_t number = bin_of(at_ns, series->bin_ns);
    reach(series, number);
    if (series->kind == JL_SERIES_MEAN) {
        add_to_mean(series, worker, value, number);
        return;
    }
    if (!is_in_ring(series, number))
        return;
    struct jl_series_bin *bin = bin_at(series, number);
    if (bin->workers == 0 || value > bin->value)
        bin->value = value;
    bin->workers = 1;
}

/* ---- the series ---- */

/* The workers of a mean, each with the bin that it is in. */
struct open_bins {
    const char *first;
    size_t stride;
    size_t count;
    int64_t oldest; /* the workers are in this bin or in later ones */
};

static const struct jl_series_worker *open_at(const struct open_bins *open, size_t i)
{
    return (const void *)(open->first + i * open->stride);
}

static void find_oldest(struct open_bins *open)
{
    open->oldest = INT64_MAX;
    for (size_t i = 0; i < open->count; i++) {
        const struct jl_series_worker *worker = open_at(open, i);
        if (worker->samples > 0 && worker->bin < open->oldest)
            open->oldest = worker->bin;
    }
}

static bool value_of(const struct jl_usage_series *series, const struct open_bins *open,
                     int64_t number, double *out)
{
    struct jl_series_bin bin = jl_usage_series_get(series, number);
    for (size_t i = 0; number >= open->oldest && i < open->count; i++) {
        const struct jl_series_worker *worker = open_at(open, i);
        if (worker->samples > 0 && worker->bin == number) {
            bin.value += worker->sum / worker->samples;
            bin.workers++;
        }
    }
    *out = bin.workers > 0 ? bin.value / bin.workers : 0;
    return bin.workers > 0;
}

/* From the values at first and first + steps: those between, on a straight line. */
static void interpolate(double *first, size_t steps)
{
    const double start = first[0];
    const double rise = first[steps] - start;
    for (size_t i = 1; i < steps; i++)
        first[i] = start + rise * (double)i / (double)steps;
}

static void reverse(double *values, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const double value = values[i];
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = value;
    }
}

size_t jl_usage_series_values(const struct jl_usage_series *series,
                              const struct jl_series_worker *workers, size_t stride, size_t count,
                              double *out)
{
    struct open_bins open = { .first = (const char *)workers,
                              .stride = stride,
                              .count = series->kind == JL_SERIES_MEAN ? count : 0 };
    const int64_t oldest = jl_usage_series_oldest(series);
    int64_t newest = series->newest;
    double value = 0;
    size_t filled = 0; /* values of the run so far, the newest first */
    if (!series->has_any)
        return 0;
    find_oldest(&open);
    while (newest >= oldest && !value_of(series, &open, newest, &value))
        newest--;
    for (size_t back = 0; newest - (int64_t)back >= oldest; back++) {
        if (value_of(series, &open, newest - (int64_t)back, &value)) {
            out[back] = value;
            if (filled > 0)
                interpolate(&out[filled - 1], back + 1 - filled);
            filled = back + 1;
        } else if (back + 1 - filled > JL_SERIES_LONGEST_GAP) {
            break;
        }
    }
    reverse(out, filled);
    return filled;
}
