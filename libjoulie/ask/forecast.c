/* SPDX-License-Identifier: Apache-2.0 */

/* forecast: what a series of usage will do next (docs/rules/autoscaling-statistics.md#forecast). */
#include "autoscale/forecast.h"

#include <string.h>

#include <joulie/error.h>

#include "ask/ask.h"
#include "autoscale/usage_series.h"
#include "base/error.h"

#define RECORD forecast_in
#define MEMBERS                                                                             \
    STRING(model, "model", "Name or alias of the model, in any case; default auto.")        \
    INTEGER(season, "season", "Bins of one season, at least 2; needed by seasonal models.", \
            AT_LEAST(1), AT_MOST(JL_SERIES_MOST_BINS))                                      \
    INTEGER(horizon, "horizon", "Bins to look ahead.", REQUIRED, AT_LEAST(1),               \
            AT_MOST(JL_SERIES_MOST_BINS))                                                   \
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
        return jl_ask_require(ask, &forecast_in_table, in, JL_INDEX(forecast_in, season));
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
    JL_SET(out, model, (int)result.model);
    if (result.has_level) {
        JL_SET(out, level, result.level);
        JL_SET(out, trend, result.trend);
    }
    if (result.model == JL_FORECAST_HOLT_WINTERS)
        JL_SET(out, seasonal, ((struct jl_list){ seasonal, season }));
    JL_SET(out, forecast, ((struct jl_list){ forecast, horizon }));
    if (result.has_mae) {
        JL_SET(out, mae, result.mae);
        JL_SET(out, mae_naive, result.mae_naive);
    }
    JL_SET(out, used, result.used);
    return 0;
}

const struct jl_question jl_question_forecast = {
    .name = "forecast",
    .summary = "Forecast a series of usage",
    .in = &forecast_in_table,
    .out = &forecast_out_table,
    .answer = answer,
};
