/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: what a series of usage will do next (tensor-fusion.md §8.6). */
#include "autoscale/forecast.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/usage_series.h"
#include "base/error.h"

struct forecast_in {
    uint64_t has;
    const char *model;
    int64_t season;
    int64_t horizon;
    struct jl_list series; /* doubles */
};

enum { IN_MODEL, IN_SEASON, IN_HORIZON, IN_SERIES };

static const struct jl_row in_rows[] = {
    [IN_MODEL] = JL_STRING(forecast_in, model, "model",
                           .doc = "Name or alias of the model, in any case; default auto."),
    [IN_SEASON] = JL_INTEGER(forecast_in, season, "season", .flags = JL_HAS_MIN | JL_HAS_MAX,
                             .min = 1, .max = JL_SERIES_MOST_BINS,
                             .doc = "Bins of one season, at least 2; needed by seasonal models."),
    [IN_HORIZON] =
        JL_INTEGER(forecast_in, horizon, "horizon", .flags = JL_REQUIRED | JL_HAS_MIN | JL_HAS_MAX,
                   .min = 1, .max = JL_SERIES_MOST_BINS, .doc = "Bins to look ahead."),
    [IN_SERIES] = JL_NUMBERS(forecast_in, series, "series", .flags = JL_REQUIRED,
                             .doc = "Usage in bins of equal length, oldest first."),
};
static const struct jl_table in_table = JL_TABLE(forecast_in, in_rows);

struct forecast_out {
    uint64_t has;
    int model;
    double level;
    double trend;
    struct jl_list seasonal; /* doubles */
    struct jl_list forecast; /* doubles */
    double mae;
    double mae_naive;
    double used;
};

enum {
    OUT_MODEL,
    OUT_LEVEL,
    OUT_TREND,
    OUT_SEASONAL,
    OUT_FORECAST,
    OUT_MAE,
    OUT_MAE_NAIVE,
    OUT_USED,
};

static const struct jl_row out_rows[] = {
    [OUT_MODEL] = JL_ENUM(forecast_out, model, "model", &jl_forecast_words,
                          .doc = "Model that was used, after fall-back and quality gate."),
    [OUT_LEVEL] =
        JL_NUMBER(forecast_out, level, "level", .doc = "Final level, of holt and holt-winters."),
    [OUT_TREND] = JL_NUMBER(forecast_out, trend, "trend",
                            .doc = "Final trend per bin, of holt and holt-winters."),
    [OUT_SEASONAL] = JL_NUMBERS(forecast_out, seasonal, "seasonal",
                                .doc = "Final seasonal terms, of holt-winters."),
    [OUT_FORECAST] =
        JL_NUMBERS(forecast_out, forecast, "forecast", .doc = "Usage in the bins ahead."),
    [OUT_MAE] = JL_NUMBER(forecast_out, mae, "mae",
                          .doc = "Mean error of the model over the series, also if it was "
                                 "discarded for the naive one."),
    [OUT_MAE_NAIVE] = JL_NUMBER(forecast_out, mae_naive, "maeNaive",
                                .doc = "Mean error of the naive model at the same times."),
    [OUT_USED] = JL_NUMBER(forecast_out, used, "used",
                           .doc = "Largest of the forecast, within 0 and ten times the series."),
};
static const struct jl_table out_table = JL_TABLE(forecast_out, out_rows);

static int check_series(struct jl_ask *ask, const struct jl_list *series)
{
    const struct jl_path list_at = { .key = jl_text("series") };
    if (series->count == 0)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "series", "there is nothing to go on from");
    for (size_t i = 0; i < series->count; i++) {
        const double value = JL_NUMBER_ITEM(*series, i);
        const struct jl_path at = { .up = &list_at, .index = i };
        if (value < 0 || value > JL_FORECAST_MOST)
            return jl_decode_fail(ask->decode, JOULIE_E_RANGE, &at, SIZE_MAX, "%g is out of bounds",
                                  value);
    }
    return 0;
}

static int read_model(struct jl_ask *ask, const struct forecast_in *in, enum jl_forecast_model *out)
{
    const char *name = in->model != NULL ? in->model : "";
    if (strchr(name, '@') != NULL || jl_forecast_model_parse(name, out, NULL) < 0)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "model", "there is no model \"%.64s\"", name);
    if (*out == JL_FORECAST_HOLT_WINTERS || *out == JL_FORECAST_SEASONAL_NAIVE)
        return jl_ask_require(ask, &in_table, in, IN_SEASON);
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct forecast_in *in = input;
    struct forecast_out *out = output;
    const size_t season = in->season > 1 ? (size_t)in->season : (size_t)in->season * 2;
    const size_t horizon = (size_t)in->horizon;
    enum jl_forecast_model model = JL_FORECAST_UNKNOWN;
    struct jl_forecast result;
    int rc = read_model(ask, in, &model);
    if (rc == 0)
        rc = check_series(ask, &in->series);
    if (rc < 0)
        return rc;
    double *seasonal = JL_NEW_ARRAY(ask->arena, season, double);
    double *forecast = JL_NEW_ARRAY(ask->arena, horizon, double);
    if (seasonal == NULL || forecast == NULL)
        return jl_fail_memory(ask->err);
    rc = jl_forecast(model, in->series.items, in->series.count, season, horizon, seasonal, forecast,
                     &result);
    if (rc < 0)
        return jl_ask_fail(ask, rc, "series", "the series cannot be forecast");
    JL_PUT(out, OUT_MODEL, model, (int)result.model);
    if (result.has_level) {
        JL_PUT(out, OUT_LEVEL, level, result.level);
        JL_PUT(out, OUT_TREND, trend, result.trend);
    }
    if (result.model == JL_FORECAST_HOLT_WINTERS)
        JL_PUT(out, OUT_SEASONAL, seasonal, ((struct jl_list){ seasonal, season }));
    JL_PUT(out, OUT_FORECAST, forecast, ((struct jl_list){ forecast, horizon }));
    if (result.has_mae) {
        JL_PUT(out, OUT_MAE, mae, result.mae);
        JL_PUT(out, OUT_MAE_NAIVE, mae_naive, result.mae_naive);
    }
    JL_PUT(out, OUT_USED, used, result.used);
    return 0;
}

const struct jl_question jl_question_forecast = {
    .name = "forecast",
    .summary = "Forecast a series of usage",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
