/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a series of usage will do next (docs/rules/autoscaling-statistics.md#forecast). Every
 * recursion is written with the error of its own forecast, l' = f + α * (y - f): equal to (1 - α)
 * * f + α * y, but a constant series stays constant to the last bit.
 */

#include "autoscale/forecast.h"

#include <joulie/error.h>

#include "base/text.h"
#include "base/time.h"

#define HOLT_ALPHA 0.5
#define HOLT_BETA 0.2
#define HOLT_PHI 0.9
#define HOLT_START_BINS 3 /* of the first trend, at most */
#define HOLT_FEWEST 2     /* values of the named model: those of a trend */
#define HOLT_FEWEST_AUTO 4
#define WINTERS_ALPHA 0.3
#define WINTERS_BETA 0.05
#define WINTERS_GAMMA 0.2
#define WINTERS_SEASONS 2 /* whole ones in the series */
#define FEWEST_SEASON 2   /* bins */
#define MOST_GROWTH 10.0  /* of the forecast, over the largest value */

const struct jl_words jl_forecast_words = JL_WORDS({
    { JL_FORECAST_NAIVE, "naive" },
    { JL_FORECAST_SEASONAL_NAIVE, "seasonal-naive" },
    { JL_FORECAST_HOLT, "holt" },
    { JL_FORECAST_HOLT_WINTERS, "holt-winters" },
    { JL_FORECAST_AUTO, "auto" },
});

static const struct jl_words aliases = JL_WORDS({
    { JL_FORECAST_HOLT, "smart-limit-v1" },
    { JL_FORECAST_HOLT_WINTERS, "smart-request-v1" },
    { JL_FORECAST_SEASONAL_NAIVE, "smart-warmup-v1" },
    { JL_FORECAST_AUTO, "" },
});

/* ---- names ---- */

static enum jl_forecast_model find_name(const struct jl_words *words, struct jl_text name)
{
    for (size_t i = 0; i < words->count; i++) {
        if (jl_same_nocase(name, words->items[i].word))
            return (enum jl_forecast_model)words->items[i].value;
    }
    return JL_FORECAST_UNKNOWN;
}

int jl_forecast_model_parse(const char *text, enum jl_forecast_model *out, int64_t *out_season_ns)
{
    struct jl_text rest = jl_text(text);
    const bool has_season = jl_text_find(rest, '@') < rest.len;
    const struct jl_text name = jl_text_cut(&rest, '@');
    enum jl_forecast_model model = find_name(&jl_forecast_words, name);
    int64_t season_ns = JL_FORECAST_SEASON_NS;
    if (model == JL_FORECAST_UNKNOWN)
        model = find_name(&aliases, name);
    if (model == JL_FORECAST_UNKNOWN)
        return JOULIE_E_ENUM;
    if (has_season) {
        const int rc = jl_parse_profile_duration(rest.ptr, rest.len, &season_ns);
        if (rc < 0)
            return rc;
        if (season_ns <= 0)
            return JOULIE_E_RANGE;
    }
    *out = model;
    if (out_season_ns != NULL)
        *out_season_ns = season_ns;
    return 0;
}

/* ---- models ---- */

struct run {
    const double *y;
    size_t count;
    size_t season;
    double *seasonal;
    double level;
    double trend;
    double error_sum; /* of |y - forecast| */
    double naive_sum; /* of |y - the value before|, at the same times */
    size_t errors;
};

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static void count_error(struct run *run, size_t t, double forecast)
{
    run->error_sum += distance(run->y[t], forecast);
    run->naive_sum += distance(run->y[t], run->y[t - 1]);
    run->errors++;
}

static void run_holt(struct run *run)
{
    const double *y = run->y;
    const size_t bins = run->count - 1 < HOLT_START_BINS ? run->count - 1 : HOLT_START_BINS;
    run->level = y[0];
    run->trend = (y[bins] - y[0]) / (double)bins;
    for (size_t t = 1; t < run->count; t++) {
        const double damped = HOLT_PHI * run->trend;
        const double forecast = run->level + damped;
        const double level = forecast + HOLT_ALPHA * (y[t] - forecast);
        count_error(run, t, forecast);
        run->trend = damped + HOLT_BETA * ((level - run->level) - damped);
        run->level = level;
    }
}

static void start_winters(struct run *run)
{
    const size_t m = run->season;
    run->level = mean(run->y, m);
    run->trend = (mean(run->y + m, m) - run->level) / (double)m;
    for (size_t i = 0; i < m; i++)
        run->seasonal[i] = run->y[i] - run->level;
}

static void run_winters(struct run *run)
{
    start_winters(run);
    for (size_t t = run->season; t < run->count; t++) {
        double *season = &run->seasonal[t % run->season];
        const double base = run->level + run->trend;
        const double level = base + WINTERS_ALPHA * ((run->y[t] - *season) - base);
        count_error(run, t, base + *season);
        run->trend += WINTERS_BETA * ((level - run->level) - run->trend);
        *season += WINTERS_GAMMA * ((run->y[t] - level) - *season);
        run->level = level;
    }
}

/* The forecast k bins ahead, k counted up from 1; damping is φ + φ² + … + φ^k. */
static double ahead(const struct run *run, enum jl_forecast_model model, size_t k, double damping)
{
    const size_t last = run->count - 1;
    const size_t m = run->season;
    switch (model) {
    case JL_FORECAST_SEASONAL_NAIVE:
        return run->y[run->count - m + (k - 1) % m];
    case JL_FORECAST_HOLT:
        return run->level + damping * run->trend;
    case JL_FORECAST_HOLT_WINTERS:
        return run->level + (double)k * run->trend + run->seasonal[(last + k) % m];
    case JL_FORECAST_NAIVE:
    case JL_FORECAST_AUTO:
    case JL_FORECAST_UNKNOWN:
        break;
    }
    return run->y[last];
}

static double forecast_peak(const struct run *run, enum jl_forecast_model model, size_t horizon,
                            double *forecast)
{
    double peak = 0; /* the lower end of what is used */
    double power = 1;
    double damping = 0;
    double most = 0;
    for (size_t i = 0; i < run->count; i++)
        most = run->y[i] > most ? run->y[i] : most;
    for (size_t k = 1; k <= horizon; k++) {
        power *= HOLT_PHI;
        damping += power;
        const double value = ahead(run, model, k, damping);
        peak = value > peak ? value : peak;
        if (forecast != NULL)
            forecast[k - 1] = value;
    }
    return peak < MOST_GROWTH * most ? peak : MOST_GROWTH * most;
}

/* ---- choice ---- */

/* A model that the series is too short for falls back: holt-winters, holt, naive; seasonal-naive,
 * naive. */
static enum jl_forecast_model fall_back(enum jl_forecast_model model, size_t count, size_t season)
{
    const bool has_season = season > 0 && season <= count;
    if (model == JL_FORECAST_SEASONAL_NAIVE)
        return has_season ? model : JL_FORECAST_NAIVE;
    if (model == JL_FORECAST_NAIVE)
        return model;
    if (model != JL_FORECAST_HOLT && has_season && count / WINTERS_SEASONS >= season)
        return JL_FORECAST_HOLT_WINTERS;
    const size_t fewest = model == JL_FORECAST_AUTO ? HOLT_FEWEST_AUTO : HOLT_FEWEST;
    return count >= fewest ? JL_FORECAST_HOLT : JL_FORECAST_NAIVE;
}

static bool is_valid(const double *series, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(series[i] >= 0 && series[i] <= JL_FORECAST_MOST))
            return false;
    }
    return true;
}

int jl_forecast(enum jl_forecast_model model, const double *series, size_t count, size_t season,
                size_t horizon, double *seasonal, double *forecast, struct jl_forecast *out)
{
    if (model == JL_FORECAST_UNKNOWN || count == 0 || horizon == 0 || !is_valid(series, count))
        return JOULIE_E_RANGE;
    if (season > 0 && season < FEWEST_SEASON)
        season = FEWEST_SEASON;
    struct run run = { .y = series, .count = count, .season = season, .seasonal = seasonal };
    struct jl_forecast result = { .model = fall_back(model, count, season) };
    if (result.model == JL_FORECAST_HOLT)
        run_holt(&run);
    else if (result.model == JL_FORECAST_HOLT_WINTERS)
        run_winters(&run);
    if (run.errors > 0) {
        result.mae = run.error_sum / (double)run.errors;
        result.mae_naive = run.naive_sum / (double)run.errors;
        result.has_mae = true;
        result.has_level = result.mae <= result.mae_naive; /* the quality gate */
    }
    if (result.has_mae && !result.has_level)
        result.model = JL_FORECAST_NAIVE;
    if (result.has_level) {
        result.level = run.level;
        result.trend = run.trend;
    }
    result.used = forecast_peak(&run, result.model, horizon, forecast);
    *out = result;
    return 0;
}
